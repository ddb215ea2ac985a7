//! `candidates` table of guideline runs: one row per candidate of a selected placement, for choice
//! models.

use super::GuidelinePlacement;
use crate::features::guideline::Term;
use crate::piece::Piece;
use crate::record::tables::field::Field;
use crate::record::tables::table::table;
use crate::rules::guideline::{RotationState, Spin};
use crate::search::guideline::{RankedLanding, SCALE, Terms};

/// Record of a candidate, from which the columns are computed.
#[derive(Clone, Debug)]
pub(crate) struct GuidelineCandidate {
    game: u64,
    piece_no: u32,
    /// Number in tie order, from 1.
    number: i64,
    ranked: RankedLanding,
    chosen: bool,
    values: Vec<i32>,
}

impl GuidelineCandidate {
    pub(super) fn of<'a>(
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
        /// Index of the game in its run, from 0.
        game: count = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: count = row.piece_no;
        /// The piece that it places.
        piece: factor(Piece::ALL) = row.ranked.landing.piece;
        /// Number in tie order, from 1: the current piece first, then what the hold gives.
        candidate: integer = row.number;
        /// Whether it uses the hold.
        used_hold: logical = row.ranked.choice.held;
        /// Its state: quarter turns from the spawn.
        orientation: factor(RotationState::NAMES) = row.ranked.landing.state.index();
        /// Column of the leftmost cell, from 0.
        column: integer = row.ranked.landing.left();
        /// Row of the lowest cell, from 0.
        landing_row: integer = row.ranked.landing.low();
        /// Its spin.
        t_spin: factor(Spin::NAMES) = row.ranked.landing.spin as usize;
        /// Rows it removes.
        lines: integer, "rows" = row.ranked.placed.clear.lines;
        /// Whether it ends the game by losing it.
        lost: logical = row.ranked.placed.lost;
        /// Its value under the search.
        score: real = row.ranked.value.map(|value| value as f64 / SCALE),
            missing "it loses, the beam kept no line that begins with it, or others win the game";
        /// What it is worth by itself, as greedy play has it: the sum of the terms times their
        /// weights.
        own_score: real = row.ranked.own as f64 / SCALE;
        /// Whether it was played.
        chosen: logical = row.chosen;
        ..terms.iter().enumerate().map(|(place, term)| {
            let entry = term.definition();
            let value = move |row: &GuidelineCandidate| row.values.get(place).copied();
            Field::integer(entry.name, "-", entry.definition, value)
        });
    }
}
