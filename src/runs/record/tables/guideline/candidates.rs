//! `candidates` table of guideline runs: one row per candidate of a selected placement, for choice
//! models.

use super::GuidelinePlacement;
use crate::features::guideline::Term;
use crate::piece::Piece;
use crate::record::tables::field::Field;
use crate::record::tables::table::table;
use crate::rules::guideline::{RotationState, Spin};
use crate::search::guideline::{RankedLanding, SCALE, Terms};

/// Data of one candidate placement, from which the columns of the table `candidates` are computed.
#[derive(Clone, Debug)]
pub struct GuidelineCandidate {
    game: u64,
    piece_no: u32,
    /// Number of the candidate in tie order, from 1.
    number: i64,
    ranked: RankedLanding,
    chosen: bool,
    values: Vec<i32>,
}

impl GuidelineCandidate {
    /// Returns the candidates of a placement, in tie order.
    pub fn of<'a>(
        seen: &'a GuidelinePlacement,
        ranked: Vec<RankedLanding>,
        terms: &'a Terms,
    ) -> impl Iterator<Item = GuidelineCandidate> + 'a {
        (1..).zip(ranked).map(|(number, ranked)| GuidelineCandidate {
            game: seen.game,
            piece_no: seen.piece_no,
            number,
            chosen: ranked.landing == seen.landing && ranked.choice.held == seen.choice.held,
            values: terms.values(&ranked.placed),
            ranked,
        })
    }
}

table! {
    pub(crate) fn guideline_candidate_fields(terms: &[Term]) of row: GuidelineCandidate {
        /// Number of the game in its run, from 0.
        game: count = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: count = row.piece_no;
        /// Piece that the candidate places.
        piece: factor(Piece::ALL) = row.ranked.landing.piece;
        /// Number of the candidate in tie order, from 1: first the current piece, then the piece
        /// that the hold gives. The search plays the first of equally good candidates.
        candidate: integer = row.number;
        /// True if the candidate uses the hold.
        used_hold: logical = row.ranked.choice.held;
        /// Rotation state of the piece: quarter turns clockwise from the spawn orientation (`0`,
        /// `R`, `2`, `L`).
        orientation: factor(RotationState::NAMES) = row.ranked.landing.state.index();
        /// Column of the leftmost cell of the piece, from 0.
        column: integer = row.ranked.landing.left();
        /// Row of the lowest cell of the piece before rows are removed, 0 at the floor.
        landing_row: integer = row.ranked.landing.low();
        /// Kind of T-spin: the best with which a T can reach the candidate's cells. `none` for
        /// other pieces.
        t_spin: factor(Spin::NAMES) = row.ranked.landing.spin as usize;
        /// Number of rows that the candidate removes.
        lines: integer, "rows" = row.ranked.placed.clear.lines;
        /// True if the candidate loses the game, because the piece locks wholly above row 19.
        lost: logical = row.ranked.placed.lost;
        /// Score of the candidate under the search: the value of the best sequence found that
        /// begins with the candidate. With sampled futures of the queue, the mean over the futures.
        score: real = row.ranked.value.map(|value| value as f64 / SCALE),
            missing "the candidate loses, the beam kept no sequence that begins with it, or others \
                win the game";
        /// Score of the candidate by itself, as in greedy play: the sum of the terms times their
        /// weights.
        own_score: real = row.ranked.own as f64 / SCALE;
        /// True if the candidate was played.
        chosen: logical = row.chosen;
        ..terms.iter().enumerate().map(|(place, term)| {
            let entry = term.definition();
            let value = move |row: &GuidelineCandidate| row.values.get(place).copied();
            Field::integer(entry.name, "-", entry.definition, value)
        });
    }
}
