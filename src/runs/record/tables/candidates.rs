//! `candidates` table: one row per candidate of a selected placement, for choice models.

use crate::board::{Board, BoardSize};
use crate::controller::Controller;
use crate::features::{Feature, Measured, Move};
use crate::piece::Piece;
use crate::placement::Candidate;
use crate::record::tables::builder::{Measurable, RowEncoder};
use crate::record::tables::field::Field;
use crate::record::tables::table::table;
use crate::record::{PlacementEncoder, PlacementRecord};
use crate::search::{Ranked, Search, Value};

/// Record of a candidate, from which the columns are computed.
pub struct Considered {
    game: u64,
    piece_no: u64,
    piece: Piece,
    chosen: bool,
    scale: f64,
    measured: Measured,
    /// Number in tie order, from 1.
    number: u64,
    /// One more than the number of candidates with a better value.
    rank: usize,
    ranked: Ranked,
}

impl Considered {
    /// Returns the candidates of a placement, in tie order.
    pub fn of(turn: &PlacementRecord, ranked: Vec<Ranked>) -> impl Iterator<Item = Considered> {
        let &PlacementRecord { game, piece_no, piece, scale, measured, .. } = turn;
        let chosen = turn.decision.outcome.played.candidate;
        let values: Vec<Value> = ranked.iter().map(|candidate| candidate.value).collect();
        (1..).zip(ranked).map(move |(number, ranked)| Considered {
            rank: 1 + values.iter().filter(|value| **value > ranked.value).count(),
            game,
            piece_no,
            piece,
            chosen: ranked.outcome.played.candidate == chosen,
            scale,
            measured,
            number,
            ranked,
        })
    }

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

/// Encoder that turns candidates into rows.
pub type CandidateEncoder = RowEncoder<Considered>;

impl CandidateEncoder {
    /// Creates an encoder for the candidates of the controller's placements by `search`. Its
    /// features are those of the controller and those among the columns of `placements`.
    #[must_use]
    pub fn new(
        controller: &Controller,
        size: BoardSize,
        search: Search,
        placements: &PlacementEncoder,
    ) -> CandidateEncoder {
        let mut features: Vec<Feature> = controller.features().collect();
        for feature in placements.features() {
            if !features.contains(&feature) {
                features.push(feature);
            }
        }
        let mut fields = candidate_fields(&features, size);
        // Without look-ahead, `score` and `lost` are the whole order.
        fields.retain(|field| !field.named_only || search != Search::Greedy);
        RowEncoder::measuring(fields, size)
    }
}

table! {
    pub(crate) fn candidate_fields(features: &[Feature], size: BoardSize) of row: Considered {
        /// Index of the game in its run, from 0.
        game: count = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: count = row.piece_no;
        /// Piece that the candidate places.
        piece: factor(Piece::ALL) = row.piece;
        /// Number of the candidate in tie order, from 1.
        candidate: integer = row.number;
        /// Orientation of the piece: number of its distinct rotation, from 0, as drawn under
        /// Orientations in data/README.md.
        orientation: integer = row.candidate().placement.orientation;
        /// Column of the piece's leftmost cell, from 0.
        column: integer = row.candidate().placement.column;
        /// Row of the piece's lowest cell when the piece rests, from 0 at the floor.
        landing_row: integer = row.candidate().row;
        /// Number of rows that the candidate removes.
        lines: integer, "rows" = row.ranked.outcome.played.lines;
        /// True if the candidate ends the game.
        lost: logical = row.ranked.outcome.lost;
        /// Score of the candidate under the search.
        score: real = row.ranked.value.score(row.scale),
            missing "it loses, or every answer to it does";
        /// True if the controller played the candidate.
        chosen: logical = row.chosen;
        ..features.iter().map(|&feature| Field::of_feature(feature, size.width()));
        /// Number of next pieces of which every placement ends the game. The search prefers fewer,
        /// and compares `score`, the mean over the other next pieces, only between candidates with
        /// equally many. `deadly_next` is only written with look-ahead (`next` or `expect`).
        deadly_next: integer + named_only, "pieces" = row.ranked.value.deadly_next(),
            missing "it loses";
        /// One more than the number of candidates that the search ranks above this one. Equal
        /// candidates share a rank. `rank` is only written with look-ahead.
        rank: integer + named_only = row.rank;
    }
}
