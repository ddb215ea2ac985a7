//! The `placements` table: one row per placement kept.

use super::{Cell, Column, LogFormat, placements_columns, write_csv};
use crate::board::BoardSize;
use crate::controller::Controller;
use crate::features::Feature;
use crate::piece::Piece;
use crate::sim::Turn;

/// Turns placements into CSV lines.
#[derive(Clone, Debug)]
pub struct PlacementEncoder {
    features: Vec<Feature>,
    size: BoardSize,
    every: u64,
    format: LogFormat,
}

impl PlacementEncoder {
    /// Encodes a controller's placements with the features it uses, keeping each `every`-th.
    #[must_use]
    pub fn new(
        controller: &Controller,
        size: BoardSize,
        every: u64,
        format: LogFormat,
    ) -> PlacementEncoder {
        let features = controller.weights.iter().map(|(feature, _)| *feature).collect();
        PlacementEncoder { features, size, every, format }
    }

    /// The columns, in order.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        placements_columns(&self.features, self.size)
    }

    /// The format of the table.
    #[must_use]
    pub fn format(&self) -> LogFormat {
        self.format
    }

    /// Whether the placement of this number is kept.
    #[must_use]
    pub fn keeps(&self, piece_no: u64) -> bool {
        piece_no.is_multiple_of(self.every)
    }

    /// Appends one row, in the order of [`PlacementEncoder::columns`].
    pub fn encode(&self, turn: &Turn, scale: f64, out: &mut Vec<u8>) {
        let decision = turn.decision;
        let outcome = &decision.outcome;
        let played = &outcome.played;
        let integer = |value: u64| Cell::Integer(value as i64);
        let mut letters = [0; 4];
        let next_letter =
            turn.next.map(Piece::letter).map(|letter| letter.encode_utf8(&mut letters));
        let mut letter = [0; 4];
        let board = outcome.after.to_hex();
        let mut cells = Vec::with_capacity(16 + self.features.len() + self.size.width());
        cells.extend([
            integer(turn.game),
            integer(turn.piece_no),
            Cell::Text(turn.piece.letter().encode_utf8(&mut letter)),
            Cell::or_missing(next_letter, |text| Cell::Text(text)),
            integer(u64::from(played.candidate.placement.orientation)),
            integer(u64::from(played.candidate.placement.column)),
            integer(u64::from(played.candidate.row)),
            integer(u64::from(played.lines)),
            integer(turn.lines_total),
            Cell::or_missing(decision.score(scale), Cell::Real),
            Cell::or_missing(decision.margin(scale), Cell::Real),
            integer(decision.candidates as u64),
        ]);
        for feature in &self.features {
            let raw = feature.raw(turn.measured, Some(played)).unwrap_or(0);
            cells.push(Cell::Real(feature.in_units(raw, self.size.width())));
        }
        let heights = outcome.after.heights();
        cells.extend(heights[..self.size.width()].iter().map(|&h| integer(u64::from(h))));
        cells.push(Cell::Text(&board));
        write_csv(&cells, out);
    }
}
