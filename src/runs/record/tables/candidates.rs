//! The `candidates` table: one row per candidate of a placement kept, for models of choice.

use std::fmt;
use std::sync::Arc;

use crate::board::{Board, BoardSize};
use crate::controller::Controller;
use crate::features::{Feature, Measured, Move};
use crate::kernels::Level;
use crate::piece::Piece;
use crate::placement::Candidate;
use crate::record::tables::builder::{Measurable, RowBuilder};
use crate::record::tables::field::{Field, columns, join_study};
use crate::record::tables::table::table;
use crate::record::{Column, PlacementRecord};
use crate::search::Ranked;

/// A candidate as the columns see it.
pub struct Considered {
    game: u64,
    piece_no: u64,
    piece: Piece,
    chosen: bool,
    scale: f64,
    measured: Measured,
    /// Its number in tie order, from 1.
    number: u64,
    ranked: Ranked,
}

impl Considered {
    fn candidate(&self) -> Candidate {
        self.ranked.outcome.played.candidate
    }
}

impl Measurable for Considered {
    fn measured(&self) -> (&Board, &Move) {
        let outcome = &self.ranked.outcome;
        (outcome.board(self.measured), &outcome.played)
    }
}

/// How candidates become rows.
#[derive(Clone)]
pub struct CandidateEncoder {
    fields: Arc<Vec<Field<Considered>>>,
    measured: Measured,
    size: BoardSize,
}

impl fmt::Debug for CandidateEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CandidateEncoder").finish_non_exhaustive()
    }
}

impl CandidateEncoder {
    /// Encodes the candidates of a controller with the features it uses.
    #[must_use]
    pub fn new(controller: &Controller, size: BoardSize) -> CandidateEncoder {
        let features: Vec<Feature> = controller.features().collect();
        let fields = Arc::new(candidate_fields(&features, size));
        CandidateEncoder { fields, measured: controller.measured, size }
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        columns(&self.fields)
    }

    /// Makes the table one of its study's: as [`join_study`].
    pub(crate) fn join_study(&mut self, condition: u64, all: &[Column]) {
        // No worker has them yet.
        if let Some(fields) = Arc::get_mut(&mut self.fields) {
            join_study(fields, condition, all);
        }
    }

    /// Rows for one worker to fill.
    #[must_use]
    pub fn rows(&self, level: Level) -> RowBuilder<Considered> {
        RowBuilder::measuring(&self.fields, self.size, level)
    }

    /// Adds one row for each candidate of a turn, in tie order.
    pub fn see(
        &self,
        turn: &PlacementRecord,
        ranked: &[Ranked],
        rows: &mut RowBuilder<Considered>,
    ) {
        let chosen = turn.decision.outcome.played.candidate;
        for (number, &ranked) in (1..).zip(ranked) {
            rows.push(Considered {
                game: turn.game,
                piece_no: turn.piece_no,
                piece: turn.piece,
                chosen: ranked.outcome.played.candidate == chosen,
                scale: turn.scale,
                measured: self.measured,
                number,
                ranked,
            });
        }
    }
}

table! {
    /// Returns all columns of `candidates` with these features.
    pub(crate) fn candidate_fields(features: &[Feature], size: BoardSize) of row: Considered {
        /// Index of the game in its run, from 0.
        game: count = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: count = row.piece_no;
        /// The piece placed.
        piece: factor(Piece::ALL) = row.piece;
        /// Number in tie order, from 1.
        candidate: integer = row.number;
        /// Number of the distinct rotation, from 0, as drawn under Orientations in data/README.md.
        orientation: integer = row.candidate().placement.orientation;
        /// Column of the leftmost cell, from 0.
        column: integer = row.candidate().placement.column;
        /// Row of the lowest cell, from 0.
        landing_row: integer = row.candidate().row;
        /// Rows it removes.
        lines: integer, "rows" = row.ranked.outcome.played.lines;
        /// Whether it ends the game.
        lost: logical = row.ranked.outcome.lost;
        /// Its value under the search.
        score: real = row.ranked.value.score(row.scale), missing "it loses, or every answer to it does";
        /// Whether it was played.
        chosen: logical = row.chosen;
        ..features.iter().map(|&feature| Field::of_feature(feature, size.width()));
    }
}
