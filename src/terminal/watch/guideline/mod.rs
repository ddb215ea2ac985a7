//! Guideline games to be watched: placements, the game in play, its explanation and its replay.

mod explain;
mod replay;

use std::path::Path;

pub use explain::GuidelineExplainer;
use replay::RebuiltGuidelineGame;

use super::game::{Placing, Scene, Watched};
use super::step::{StepView, WatchedStep};
use super::timeline::Recorded;
use crate::error::Result;
use crate::matrix::VISIBLE;
use crate::piece::Piece;
use crate::queue::QueueKind;
use crate::record::{GuidelineEnd, GuidelinePlacement};
use crate::rules::guideline::{Choice, GuidelineState, Landing, Placed};
use crate::sim::guideline::{GuidelineConfig, GuidelinePlayer, InPlay};

/// A placement under guideline rules.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidelineScene {
    /// The state before it; pieces are counted from the current one.
    pub state: GuidelineState,
    /// The current piece and those seen after it.
    pub known: Vec<Piece>,
    /// Which piece was placed.
    pub choice: Choice,
    /// Where.
    pub landing: Landing,
    /// What it led to.
    pub placed: Placed,
    /// Its value under the search, in steps; `None` when it is of a perfect finish planned before.
    pub value: Option<i64>,
    /// Points so far, drops and this placement's among them.
    pub score: u32,
}

/// A game in play.
pub struct GuidelineInPlay {
    game: GuidelinePlayer,
    play: InPlay,
}

impl Watched for GuidelineConfig {
    type Scene = GuidelineScene;
    type InPlay = GuidelineInPlay;
    type Explainer = GuidelineExplainer;
    type Rebuilt = RebuiltGuidelineGame;

    fn title(&self, game: u64) -> String {
        let GuidelineConfig { controller, rules, mode, seed, queue, .. } = self;
        let search = self.search();
        let played = format!("{} · {rules} {}", controller.name, mode.name());
        // A person does not search.
        let search = if self.beam.depth == 0 { String::new() } else { format!(" · {search}") };
        let queue = if *queue == QueueKind::Bag { String::new() } else { format!(" · {queue}") };
        format!("{played}{queue}{search} · seed {seed} · game {game}")
    }

    fn begin(&self, game: u64) -> Result<GuidelineInPlay> {
        self.validate()?;
        let player = GuidelinePlayer::new(self);
        let play = player.begin(game);
        Ok(GuidelineInPlay { game: player, play })
    }

    fn explainer(&self) -> Result<GuidelineExplainer> {
        Ok(GuidelineExplainer::new(self))
    }

    fn recorded(folder: &Path, game: u64) -> Result<Recorded<GuidelineConfig>> {
        replay::recorded(folder, game)
    }
}

impl Placing for GuidelineInPlay {
    type Scene = GuidelineScene;

    fn place(
        &mut self,
        see: &mut dyn FnMut(WatchedStep<GuidelineScene>),
    ) -> Result<Option<&'static str>> {
        let state = *self.play.state();
        let mut shown = |seen: &GuidelinePlacement| see(step_of(seen, state));
        let end = self.game.place_next(&mut self.play, &mut shown)?;
        Ok(end.map(GuidelineEnd::words))
    }
}

/// A placement on a state.
fn step_of(seen: &GuidelinePlacement, state: GuidelineState) -> WatchedStep<GuidelineScene> {
    let after = seen.placed.after;
    let choice = Choice {
        piece: seen.landing.piece,
        held: seen.held,
        hold: seen.hold[1],
        taken: after.taken,
    };
    let scene = GuidelineScene {
        state,
        known: seen.decision.map_or(Vec::new(), |decision| decision.outlook.known.to_vec()),
        choice,
        landing: seen.landing,
        placed: *seen.placed,
        value: seen.found.map(|found| found.value),
        score: seen.score,
    };
    WatchedStep { piece_no: seen.piece_no.into(), lines_total: after.lines.into(), scene }
}

impl Scene for GuidelineScene {
    fn view(&self) -> StepView {
        let GuidelineScene { state, known, choice, landing, placed, score, .. } = self;
        StepView {
            before: state.matrix.to_board(),
            height: VISIBLE,
            piece: landing.piece,
            cells: landing.cells(),
            lines: placed.clear.lines,
            lost: placed.lost,
            score: Some(*score),
            next: known.iter().skip(choice.taken as usize).copied().collect(),
            hold: Some((state.hold, choice.held)),
            after: placed.after.matrix.to_board(),
        }
    }
}
