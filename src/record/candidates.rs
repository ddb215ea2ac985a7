//! The `candidates` table: one row per candidate of a placement kept, for models of choice.

use std::fmt;

use super::field::{Field, header, row};
use super::{Cell, Kind};
use crate::board::Board;
use crate::controller::Controller;
use crate::features::{Feature, Measured};
use crate::piece::Piece;
use crate::placement::Candidate;
use crate::search::Ranked;
use crate::sim::Turn;

/// A candidate as the columns see it.
pub(super) struct Considered {
    turn: Turn,
    /// Its number in tie order, from 1.
    number: u64,
    ranked: Ranked,
    /// The board that the controller measured.
    measured: Board,
}

impl Considered {
    fn candidate(&self) -> Candidate {
        self.ranked.outcome.played.candidate
    }

    fn feature(&self, feature: Feature) -> Cell<'static> {
        let raw = feature.raw(&self.measured, Some(&self.ranked.outcome.played)).unwrap_or(0);
        Cell::Real(feature.in_units(raw, self.measured.width()))
    }
}

/// Turns candidates into rows.
pub struct CandidateEncoder {
    fields: Vec<Field<Considered>>,
    measured: Measured,
}

impl fmt::Debug for CandidateEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CandidateEncoder").finish_non_exhaustive()
    }
}

impl CandidateEncoder {
    /// Encodes the candidates of a controller with the features it uses.
    #[must_use]
    pub fn new(controller: &Controller) -> CandidateEncoder {
        let features = controller.weights.iter().map(|(feature, _)| *feature);
        let fields = candidate_fields(features);
        CandidateEncoder { fields, measured: controller.measured }
    }

    /// The header line.
    #[must_use]
    pub fn header(&self) -> Vec<u8> {
        header(&self.fields)
    }

    /// Appends one row for each candidate of a turn, in tie order; returns how many.
    pub fn encode(&self, turn: &Turn, ranked: &[Ranked], out: &mut Vec<u8>) -> u64 {
        for (number, &ranked) in (1..).zip(ranked) {
            let measured = match self.measured {
                Measured::BeforeClear => ranked.outcome.before,
                Measured::AfterClear => ranked.outcome.after,
            };
            row(&self.fields, &Considered { turn: *turn, number, ranked, measured }, out);
        }
        ranked.len() as u64
    }
}

/// All columns of `candidates` with these features.
pub(super) fn candidate_fields(features: impl Iterator<Item = Feature>) -> Vec<Field<Considered>> {
    let mut fields = vec![
        Field::count("game", "-", "index of the game in its run, from 0", |s: &Considered| {
            s.turn.game
        }),
        Field::count(
            "piece_no",
            "-",
            "number of the piece in its game, from 1",
            |s: &Considered| s.turn.piece_no,
        ),
        Field::new("piece", Kind::Factor, "-", "the piece placed", |s: &Considered| {
            Cell::Text(s.turn.piece.name())
        })
        .levels(Piece::ALL),
        Field::count("candidate", "-", "number in tie order, from 1", |s: &Considered| s.number),
        Field::count(
            "orientation",
            "-",
            "index of the distinct rotation, from 0, in MDPTetris' order",
            |s: &Considered| s.candidate().placement.orientation.into(),
        ),
        Field::count("column", "-", "column of the leftmost cell, from 0", |s: &Considered| {
            s.candidate().placement.column.into()
        }),
        Field::count("landing_row", "-", "row of the lowest cell, from 0", |s: &Considered| {
            s.candidate().row.into()
        }),
        Field::count("lines", "rows", "rows it removes", |s: &Considered| {
            s.ranked.outcome.played.lines.into()
        }),
        Field::new("lost", Kind::Logical, "-", "whether it ends the game", |s: &Considered| {
            Cell::Logical(s.ranked.outcome.lost)
        }),
        Field::new("score", Kind::Real, "-", "its value under the search", |s: &Considered| {
            Cell::or_missing(s.ranked.value.score(s.turn.scale), Cell::Real)
        })
        .missing("it loses, or every answer to it does"),
        Field::new("chosen", Kind::Logical, "-", "whether it was played", |s: &Considered| {
            Cell::Logical(s.candidate() == s.turn.decision.outcome.played.candidate)
        }),
    ];
    fields.extend(
        features
            .map(|feature| Field::of_feature(feature, move |s: &Considered| s.feature(feature))),
    );
    fields
}
