//! A ranked placement of any game: where the piece rests, what it clears, and what each term of the
//! controller adds to its score. Commands, explanations, pages and the browser's engine show it.

use std::fmt::Display;

use serde::{Serialize, Serializer};

use super::guideline::{RankedLanding, SCALE, Terms, steps};
use super::{Player, Ranked};
use crate::board::Board;
use crate::piece::Piece;
use crate::placement::{Candidate, Spin};
use crate::rules::guideline::RotationState;

/// Orientation of a piece: a number in classic games, a rotation state in guideline games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RankedOrientation {
    /// Number of one of the distinct orientations of the piece.
    Number(u8),
    /// Rotation state from the spawn state.
    #[serde(serialize_with = "text")]
    State(RotationState),
}

/// A possible placement of a piece with its score and the values of the controller's terms: its
/// features, then its patterns if it has any.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, controller::Controller, kernels::Level, piece::Piece};
/// use tetrastat::{rules::Rules, search::{Player, RankedPlacement, Search}};
/// let board: Board = "....../....../#...../##.###".parse()?;
/// let (bcts, rules) = (Controller::load("bcts")?, Rules::simplified());
/// let mut player = Player::new(&bcts, rules, Search::Greedy, board.size(), Level::detect())?;
/// let best = player.rank_best_first(&board, Piece::J, None)[0];
/// let best = RankedPlacement::of_classic(&player, board.stack_height(), &best);
/// assert_eq!((best.place(), best.lines), ("turn 1 column 4".to_owned(), 0));
/// let sum: i64 = best.steps.iter().sum();
/// assert_eq!(best.score, Some(sum as f64 / player.scorer().scale()));
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedPlacement {
    /// The placed piece.
    pub piece: Piece,
    /// Orientation of the piece.
    pub orientation: RankedOrientation,
    /// Column of the leftmost cell.
    pub column: usize,
    /// Row of the lowest cell, from the floor.
    #[serde(rename = "landing_row")]
    pub row: usize,
    /// Column and row of each cell that the piece fills.
    pub cells: [(usize, usize); 4],
    /// Number of rows that the placement removes.
    pub lines: u8,
    /// Rows that the placement removes, numbered before their removal.
    pub cleared_rows: Vec<u8>,
    /// True if the placement loses the game.
    #[serde(rename = "loses")]
    pub lost: bool,
    /// Score under the search, in units of the weights. `None` if the placement, or every placement
    /// of the next piece, loses the game, or if the beam kept no line through it.
    pub score: Option<f64>,
    /// Number of kinds of next piece of which every placement loses the game. `None` if this
    /// placement loses, and in guideline games.
    pub unanswered: Option<u8>,
    /// Properties that only placements of guideline games have.
    #[serde(flatten)]
    pub landing: Option<LandingProperties>,
    /// The board after the placement, without its full rows.
    #[serde(serialize_with = "hex")]
    pub after: Board,
    /// Value of each term.
    #[serde(skip)]
    pub values: Vec<f64>,
    /// Exact product of weight and value of each term, in the smallest steps that scores have.
    /// Without look-ahead they add up to the score in these steps.
    #[serde(skip)]
    pub steps: Vec<i64>,
}

/// Properties of a placement of a guideline game, and of the state after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LandingProperties {
    /// True if the player used the hold.
    pub used_hold: bool,
    /// T-spin of the placement.
    #[serde(rename = "t_spin", serialize_with = "text")]
    pub spin: Spin,
    /// Score of the placement without look-ahead.
    pub own_score: f64,
    /// Points that the placement adds.
    pub points: u32,
    /// Rows of garbage that the placement sends to an opponent.
    pub attack: u32,
    /// Piece in hold after the placement.
    pub hold: Option<Piece>,
    /// Number of consecutive placements that removed rows, up to this one.
    pub combo: u8,
    /// True if the last clear was a tetris or a T-spin.
    pub back_to_back: bool,
}

impl RankedPlacement {
    /// Describes an entry of [`Player::rank`]. `stack` is the height of the stack before the
    /// placement, in rows.
    #[must_use]
    pub fn of_classic(player: &Player, stack: usize, ranked: &Ranked) -> RankedPlacement {
        let Ranked { outcome, value } = ranked;
        let (measured, scorer) = (player.measured_board(outcome), player.scorer());
        let (mut values, mut steps) = (Vec::new(), Vec::new());
        for &(feature, weight) in scorer.terms(stack) {
            let raw = feature.raw(measured, Some(&outcome.played)).unwrap_or(0);
            values.push(feature.in_units(raw, measured.width()));
            steps.push(weight * i64::from(raw));
        }
        if let Some((patterns, weight)) = scorer.patterns() {
            steps.push(weight * patterns.value(measured));
            values.extend(player.pattern_value(outcome));
        }
        let Candidate { placement, row } = outcome.played.candidate;
        // A lost placement keeps its full rows.
        let full = if outcome.played.lines > 0 { outcome.before.full_rows() } else { 0 };
        RankedPlacement {
            piece: outcome.played.piece,
            orientation: RankedOrientation::Number(placement.orientation),
            column: placement.column.into(),
            row: row.into(),
            cells: outcome.played.candidate.cells(outcome.played.piece),
            lines: outcome.played.lines,
            cleared_rows: rows_of(full),
            lost: outcome.lost,
            score: value.score(scorer.scale()),
            unanswered: (!outcome.lost).then_some(value.unanswered),
            landing: None,
            after: outcome.after,
            values,
            steps,
        }
    }

    /// Describes an entry of [`super::guideline::BeamPlayer::rank`] with the controller's `terms`.
    #[must_use]
    pub fn of_guideline(terms: &Terms, ranked: &RankedLanding) -> RankedPlacement {
        let RankedLanding { choice, landing, placed, own, value } = ranked;
        let values = terms.values(placed);
        let weighted = terms.weights().iter().zip(&values);
        let after = &placed.after;
        RankedPlacement {
            piece: landing.piece,
            orientation: RankedOrientation::State(landing.state),
            column: landing.left(),
            row: landing.low(),
            cells: landing.cells(),
            lines: placed.clear.lines,
            cleared_rows: rows_of(placed.locked.to_board().full_rows()),
            lost: placed.lost,
            score: value.map(|value| value as f64 / SCALE),
            unanswered: None,
            landing: Some(LandingProperties {
                used_hold: choice.held,
                spin: landing.spin,
                own_score: *own as f64 / SCALE,
                points: placed.points.total(),
                attack: placed.attack,
                hold: after.hold.piece(),
                combo: after.combo_state.combo,
                back_to_back: after.combo_state.back_to_back(),
            }),
            after: after.matrix.to_board(),
            steps: weighted.map(|(&(_, weight), &value)| steps(weight, value)).collect(),
            values: values.into_iter().map(f64::from).collect(),
        }
    }

    /// Returns a short text such as `turn 1 column 0`, or `TR column 4 row 0` for a T in state R.
    #[must_use]
    pub fn place(&self) -> String {
        let RankedPlacement { piece, column, row, .. } = self;
        let state = match self.orientation {
            RankedOrientation::Number(number) => return format!("turn {number} column {column}"),
            RankedOrientation::State(state) => state.name(),
        };
        let landing = self.landing.as_ref();
        let spin = match landing.map_or(Spin::None, |landing| landing.spin) {
            Spin::None => String::new(),
            spin => format!(" {}", spin.name()),
        };
        let held = if landing.is_some_and(|landing| landing.used_hold) { " hold" } else { "" };
        format!("{piece}{state} column {column} row {row}{spin}{held}")
    }
}

/// Returns the numbers of the set bits.
fn rows_of(mask: u32) -> Vec<u8> {
    (0..32).filter(|row| mask >> row & 1 == 1).collect()
}

fn text<S: Serializer>(value: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

fn hex<S: Serializer>(board: &Board, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&board.to_hex())
}
