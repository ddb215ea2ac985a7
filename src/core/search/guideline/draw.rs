//! Draws placements of guideline games by a policy.

use super::beam::{BeamPlayer, Outlook, RankedLanding, SearchResult};
use super::node::SCALE;
use crate::rng::Stream;
use crate::rules::guideline::{GuidelineState, Landing};
use crate::search::Policy;

/// A placement that a policy drew.
#[derive(Clone, Copy, Debug)]
pub struct DrawnLanding {
    /// Placement with its value.
    pub landing: RankedLanding,
    /// Values and counts of the search, with the drawn placement as the chosen one.
    pub found: SearchResult,
}

impl BeamPlayer {
    /// Draws a placement by `policy`, whose draws come from `stream`, for example that of
    /// [`Policy::stream`]. `best` is the best placement, with the piece from the hold if its second
    /// field is true. Returns `None` if the best placement is played.
    ///
    /// Losing placements are never drawn. A neighbour of the best placement is the highest landing
    /// of the same piece, one column beside it in the same state, or in the state before its last
    /// turn. The last turn to R or L is a quarter turn from the spawn state. The last turn to 2 is
    /// a quarter turn from R, or a half turn if the rules have half turns. The column of the
    /// centre cell is that before the turn, without a kick.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::{controller::GuidelineController, kernels::Level, piece::Piece};
    /// use tetrastat::rules::guideline::{Guideline, GuidelineState, MoveGenerator, Moves};
    /// use tetrastat::search::{Policy, guideline::{Beam, BeamPlayer, Outlook, Weights}};
    /// let weights = Weights::new(&GuidelineController::load("tetrastat-sprint")?);
    /// let movegen = MoveGenerator::new(Guideline::official(), Moves::HardDrops, Level::detect());
    /// let mut player = BeamPlayer::new(movegen, weights, Beam::GREEDY, Some(40));
    /// let (state, outlook) = (GuidelineState::default(), Outlook::seen(&[Piece::O]));
    /// let decision = player.decide(&state, outlook).expect("an empty matrix has room");
    /// let best = (decision.landing, decision.choice.held);
    /// let mut stream = Policy::stream(1, 0, 1); // placement 1 of game 0
    /// let drawn = player.draw(Policy::Misdrop(1.0), &mut stream, &state, outlook, best);
    /// let drawn = drawn.expect("an O beside a wall has one neighbour").landing.landing;
    /// assert_eq!(drawn.left().abs_diff(decision.landing.left()), 1);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    pub fn draw(
        &mut self,
        policy: Policy,
        stream: &mut Stream,
        state: &GuidelineState,
        outlook: Outlook,
        (best, held): (Landing, bool),
    ) -> Option<DrawnLanding> {
        if !policy.deviates(stream) {
            return None;
        }
        let mut ranked = self.rank(state, outlook);
        ranked.retain(|entry| !entry.placed.lost);
        let is_best = |entry: &RankedLanding| entry.landing == best && entry.choice.held == held;
        let place = ranked.iter().position(is_best)?;
        let most = ranked[place].value;
        let difference = |index: usize| {
            let by = ranked[index].value?.checked_sub(most?)?;
            Some(by as f64 / SCALE)
        };
        let rules = self.movegen().rules();
        let neighbours = || {
            let all = best.neighbours(rules).filter_map(|(state, column)| {
                let is_there = |(_, entry): &(usize, &RankedLanding)| {
                    let Landing { state: of, x, .. } = entry.landing;
                    entry.choice.held == held && of == state && i32::from(x) == column
                };
                let there = ranked.iter().enumerate().filter(is_there);
                there.max_by_key(|(_, entry)| entry.landing.y).map(|(index, _)| index)
            });
            all.collect()
        };
        let drawn = policy.draw(stream, place, ranked.len(), difference, neighbours);
        if drawn == place {
            return None;
        }
        Some(DrawnLanding { landing: ranked[drawn], found: self.result_of(&ranked, drawn) })
    }
}
