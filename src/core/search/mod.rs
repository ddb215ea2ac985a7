//! Searches for the best placement by looking ahead with a controller's scores.
//!
//! | search | value of a placement |
//! |---|---|
//! | `greedy` | the placement's score |
//! | `next` | the placement's rewards + the best score among placements of the known next piece |
//! | `expect` | the placement's rewards + the mean best score of the next pieces that survive |
//!
//! Full rows are removed between the pieces. The *rewards* of a placement (its landing height,
//! eroded cells, rows: [`crate::features::Feature::is_reward`]) count for both pieces, all other
//! features once, on the last board.
//!
//! A placement that ends the game is chosen only if all placements do. A *reply* is a placement of
//! the next piece; a next piece is *deadly* if every reply with it ends the game. Fewer deadly next
//! pieces rank above more, whatever the scores ([`Value`]). A [`Policy`] states which placement is
//! chosen: by default the best one.

pub mod guideline;
mod player;
mod policy;

use std::cmp::{Ordering, Reverse};
use std::fmt::Display;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use self::guideline::{RankedLanding, SCALE, Terms, to_steps};
use crate::board::Board;
use crate::error::setting::RULES;
use crate::error::{Error, Result};
use crate::kernels::SetBits;
use crate::piece::Piece;
use crate::placement::{Candidate, PlacementEffect, Spin};
use crate::rules::Outcome;
use crate::rules::guideline::RotationState;

pub use player::Player;
pub use policy::Policy;

crate::names! {
    /// The look-ahead of a controller. On ten columns, a decision examines about 23 placements
    /// (`greedy`), 500 (`next`) or 3,700 (`expect`).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Search {
        /// Score of the current piece's placement alone.
        Greedy = "greedy",
        /// Rewards of the current placement and the best score of the known next piece.
        Next = "next",
        /// Rewards of the current placement and the mean best score over the next pieces with a
        /// surviving placement.
        Expect = "expect",
    }
}

crate::by_text!(Search);

impl FromStr for Search {
    type Err = Error;

    fn from_str(name: &str) -> Result<Search> {
        if name == "beam" {
            return Err(Error::Config(format!(
                "search 'beam' is for guideline games ({RULES} guideline or another preset): here \
                 use one of {}",
                Search::NAMES.join(", ")
            )));
        }
        Search::named(name).ok_or_else(|| Error::unknown("search", name, Search::NAMES))
    }
}

/// The value of a placement. The number of next pieces without a surviving reply is compared first
/// (fewer is better), then the sum of scores over the other pieces: only this order keeps a
/// controller whose weights ignore height from ending its own game.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::search::Value;
/// let safe = Value { unanswered: 0, answered: 7, sum: -7_000 };
/// let risky = Value { unanswered: 1, answered: 6, sum: 9_000 };
/// assert!(safe > risky && risky > Value::LOST);
/// assert_eq!(safe.score(10.0), Some(-100.0)); // the mean, in units of a scale of 10 steps
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Number of possible next pieces whose placements all lose; 255 if the placement itself loses.
    pub unanswered: u8,
    /// Number of possible next pieces with a surviving placement; 1 for a value without look-ahead.
    pub answered: u8,
    /// Sum of the best scores of the next pieces with a surviving placement; without look-ahead or
    /// survivors, the placement's own score.
    pub sum: i64,
}

impl Value {
    /// The value of a placement that ends the game.
    pub const LOST: Value = Value { unanswered: u8::MAX, answered: 0, sum: 0 };

    /// The value of a placement that an external player, which gives no scores, did not suggest.
    pub const NOT_SUGGESTED: Value = Value { unanswered: 0, answered: 0, sum: 0 };

    /// Returns the value of a surviving placement with this `score`, without look-ahead.
    #[must_use]
    pub const fn from_score(score: i64) -> Value {
        Value { unanswered: 0, answered: 1, sum: score }
    }

    /// Returns a placement's value from the best score of each next piece; an entry of `best` is
    /// `None` if all placements lose.
    pub(super) fn from_answers(best: &[Option<i64>], score: i64) -> Value {
        let answered = best.iter().flatten().count() as u8;
        let sum = if answered == 0 { score } else { best.iter().flatten().sum() };
        Value { unanswered: best.len() as u8 - answered, answered, sum }
    }

    /// Returns the number of next pieces whose placements all lose; `None` for [`Value::LOST`].
    #[must_use]
    pub fn deadly_next(self) -> Option<u8> {
        (self != Value::LOST).then_some(self.unanswered)
    }

    /// Returns the mean score of the next pieces with a surviving placement, in units of `scale`
    /// steps; `None` without survivors.
    #[must_use]
    pub fn score(self, scale: f64) -> Option<f64> {
        (self.answered > 0).then(|| self.sum as f64 / scale / f64::from(self.answered))
    }

    /// Returns this mean score minus that of `other`, in units of `scale` steps; `None` unless both
    /// count equally many next pieces, at least one.
    #[must_use]
    pub fn margin(self, other: Value, scale: f64) -> Option<f64> {
        // Means over different numbers of pieces are not comparable.
        let comparable = self.answered > 0 && self.answered == other.answered;
        let difference = (self.sum - other.sum) as f64;
        comparable.then(|| difference / scale / f64::from(self.answered))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        (Reverse(self.unanswered), self.sum).cmp(&(Reverse(other.unanswered), other.sum))
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Placement chosen in a classic game, with data for logs; values in steps of 1/[`Scorer::scale`].
///
/// [`Scorer::scale`]: crate::controller::Scorer::scale
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Outcome of the chosen placement: the move and the boards after the move.
    pub outcome: Outcome,
    /// Value of the chosen placement, with the look-ahead of the search.
    pub value: Value,
    /// Best placement other than the chosen placement; `None` if no other placement has a value.
    pub runner_up: Option<RunnerUp>,
    /// Number of placements to choose from, including losing ones.
    pub candidates: usize,
    /// Rank of the chosen placement: 1 plus the number of placements with a better value.
    pub rank: usize,
    /// Placement that the controller prefers, if a different placement was chosen.
    pub best: Option<Candidate>,
}

impl Decision {
    /// Returns the effect of the chosen placement: removed rows, stack height, and any loss.
    #[must_use]
    pub fn step(&self) -> PlacementEffect {
        let Outcome { after, played, lost, .. } = &self.outcome;
        PlacementEffect { lines: played.lines, stack: after.stack_height() as u8, lost: *lost }
    }

    /// Returns the score of the chosen placement ([`Value::score`]).
    #[must_use]
    pub fn score(&self, scale: f64) -> Option<f64> {
        self.value.score(scale)
    }

    /// Returns the value of the chosen placement minus that of the runner-up ([`Value::margin`]).
    #[must_use]
    pub fn margin(&self, scale: f64) -> Option<f64> {
        self.runner_up.and_then(|other| self.value.margin(other.value, scale))
    }

    /// Returns how much the chosen placement's value falls short of the best value
    /// ([`Value::margin`]); 0 for the best placement.
    #[must_use]
    pub fn regret(&self, scale: f64) -> Option<f64> {
        // The runner-up of a placement that is not the best is the best one or its equal.
        if self.rank == 1 { Some(0.0) } else { self.margin(scale).map(|margin| 0.0 - margin) }
    }
}

/// The best placement other than the chosen placement; among equal values, the first by orientation
/// and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunnerUp {
    /// Orientation, column and row of the placement.
    pub candidate: Candidate,
    /// Value of the placement, with the look-ahead of the search.
    pub value: Value,
}

/// Possible placement in a classic game with its value, for explanations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ranked {
    /// Outcome of the placement: the move and the boards after the move.
    pub outcome: Outcome,
    /// Value of the placement, with the look-ahead of the search.
    pub value: Value,
}

/// Orientation of a piece: a number in classic games, a rotation state in guideline games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum RankedOrientation {
    /// Number of one of the piece's distinct orientations, in a classic game.
    Number(u8),
    /// Rotation state of the piece relative to the spawn state, in a guideline game.
    #[serde(serialize_with = "text")]
    State(RotationState),
}

/// A possible placement with its score and the values of the controller's terms: its features, then
/// its patterns if it has any.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, controller::Controller, kernels::Level, piece::Piece};
/// use tetrastat::{rules::Rules, search::{Player, RankedPlacement, Search}};
/// let board: Board = "....../....../#...../##.###".parse()?;
/// let (bcts, rules) = (Controller::load("bcts")?, Rules::simplified());
/// let mut player = Player::new(&bcts, rules, Search::Greedy, board.size(), Level::detect())?;
/// let best = player.rank_best_first(&board, Piece::J, None)[0];
/// let best = RankedPlacement::from_classic(&player, board.stack_height(), &best);
/// assert_eq!((best.place(), best.lines), ("turn 1 column 4".to_owned(), 0));
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
    /// Score of the placement with look-ahead, in units of the weights. `None` if the placement or
    /// every next placement loses, or if the search has no score for it.
    pub score: Option<f64>,
    /// Number of next pieces whose placements all lose, 0 to 7. `None` in guideline games and if
    /// this placement loses.
    pub unanswered: Option<u8>,
    /// Properties that only placements of guideline games have.
    #[serde(flatten)]
    pub landing: Option<LandingProperties>,
    /// The board after the placement, without its full rows.
    #[serde(serialize_with = "hex")]
    pub after: Board,
    /// Value of each feature after the placement, then the value of the cell patterns, if any.
    #[serde(skip)]
    pub values: Vec<f64>,
    /// Product of weight and value of each feature (and patterns), in integer steps. Without
    /// look-ahead, the products add up to the score.
    #[serde(skip)]
    pub steps: Vec<i64>,
}

/// Properties of a placement of a guideline game, and of the state after it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LandingProperties {
    /// True if the player used the hold.
    pub used_hold: bool,
    /// Kind of T-spin of the placement, if any.
    #[serde(rename = "t_spin", serialize_with = "text")]
    pub spin: Spin,
    /// Score of the placement without look-ahead.
    pub own_score: f64,
    /// Number of game points that the placement earns.
    pub points: u32,
    /// Number of rows of garbage that the placement sends to an opponent.
    pub attack: u32,
    /// Piece in hold after the placement.
    pub hold: Option<Piece>,
    /// Number of consecutive placements that removed rows, including this placement.
    pub combo: u8,
    /// True if the last clear was a tetris or a T-spin.
    pub back_to_back: bool,
}

impl RankedPlacement {
    /// Describes a ranked placement of a classic game on a stack of `stack` rows.
    #[must_use]
    pub fn from_classic(player: &Player, stack: usize, ranked: &Ranked) -> RankedPlacement {
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
            cleared_rows: SetBits(full.into()).map(|row| row as u8).collect(),
            lost: outcome.lost,
            score: value.score(scorer.scale()),
            unanswered: (!outcome.lost).then_some(value.unanswered),
            landing: None,
            after: outcome.after,
            values,
            steps,
        }
    }

    /// Describes a ranked placement of a guideline game, with the controller's `terms`.
    #[must_use]
    pub fn from_guideline(terms: &Terms, ranked: &RankedLanding) -> RankedPlacement {
        let RankedLanding { choice, landing, placed, own, value } = ranked;
        let values = terms.values(placed);
        let weighted = terms.weights().iter().zip(&values);
        let after = &placed.after;
        RankedPlacement {
            piece: landing.piece,
            orientation: RankedOrientation::State(landing.state),
            column: landing.left_column(),
            row: landing.low(),
            cells: landing.cells(),
            lines: placed.clear.lines,
            cleared_rows: SetBits(placed.locked.to_board().full_rows().into())
                .map(|row| row as u8)
                .collect(),
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
            steps: weighted.map(|(&(_, weight), &value)| to_steps(weight, value)).collect(),
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

fn text<S: Serializer>(value: &impl Display, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_str(value)
}

fn hex<S: Serializer>(board: &Board, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.serialize_str(&board.to_hex())
}
