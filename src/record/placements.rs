//! The `placements` table: one row per placement kept.

use std::fmt;
use std::str::FromStr;

use super::field::{Field, header, row};
use super::surface::Surface;
use super::{Cell, Kind};
use crate::board::BoardSize;
use crate::controller::Controller;
use crate::error::{Error, Result};
use crate::features::Feature;
use crate::piece::Piece;
use crate::placement::Candidate;
use crate::sim::Turn;

/// Which columns a table has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// What identifies a placement and what it did.
    Minimal,
    /// Everything but features that the controller does not use.
    Controller,
    /// Everything, with every feature of the registry.
    All,
    /// These, after `game` and `piece_no`.
    Named(Vec<String>),
}

impl FromStr for Columns {
    type Err = Error;

    fn from_str(text: &str) -> Result<Columns> {
        Ok(match text {
            "minimal" => Columns::Minimal,
            "controller" => Columns::Controller,
            "all" => Columns::All,
            names => Columns::Named(names.split(',').map(|name| name.trim().to_owned()).collect()),
        })
    }
}

/// A turn as the columns see it.
pub(super) struct Sight {
    turn: Turn,
    surface: Surface,
}

impl Sight {
    fn chosen(&self) -> Candidate {
        self.turn.decision.outcome.played.candidate
    }

    fn second(&self) -> Option<Candidate> {
        self.turn.decision.runner_up.map(|second| second.candidate)
    }
}

/// Turns placements into rows.
pub struct PlacementEncoder {
    fields: Vec<Field<Sight>>,
}

impl fmt::Debug for PlacementEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.fields.iter().map(|field| &*field.column.name).collect();
        f.debug_struct("PlacementEncoder").field("columns", &names).finish_non_exhaustive()
    }
}

impl PlacementEncoder {
    /// Encodes a controller's placements.
    ///
    /// # Errors
    /// [`Error::Unknown`] for a column that there is not.
    pub fn new(
        controller: &Controller,
        size: BoardSize,
        columns: &Columns,
    ) -> Result<PlacementEncoder> {
        let own: Vec<Feature> = controller.weights.iter().map(|(feature, _)| *feature).collect();
        let all: Vec<Feature> = Feature::all(size).collect();
        let fields = match columns {
            Columns::Controller => placement_fields(&own, size),
            Columns::All => placement_fields(&all, size),
            Columns::Minimal => {
                let mut fields = placement_fields(&[], size);
                fields.retain(|field| field.minimal);
                fields
            }
            Columns::Named(names) => named(placement_fields(&all, size), names)?,
        };
        Ok(PlacementEncoder { fields })
    }

    /// Names of the columns, in order.
    #[must_use]
    pub fn column_names(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.column.name.clone()).collect()
    }

    /// The header line.
    #[must_use]
    pub fn header(&self) -> Vec<u8> {
        header(&self.fields)
    }

    /// Appends one row.
    pub fn encode(&self, turn: Turn, out: &mut Vec<u8>) {
        let surface = Surface::of(&turn.decision.outcome.after);
        row(&self.fields, &Sight { turn, surface }, out);
    }
}

/// The fields of these names, the keys before them.
fn named(fields: Vec<Field<Sight>>, names: &[String]) -> Result<Vec<Field<Sight>>> {
    let known: Vec<String> = fields.iter().map(|field| field.column.name.clone()).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        let known = ["minimal", "controller", "all"].into_iter();
        let columns = fields.iter().map(|field| &*field.column.name);
        return Err(Error::unknown("column", unknown, known.chain(columns)));
    }
    let keys = ["game", "piece_no"];
    let place = |name: &str| match names.iter().position(|asked| asked == name) {
        _ if keys.contains(&name) => Some(0),
        found => found.map(|place| place + 1),
    };
    let mut chosen: Vec<(usize, Field<Sight>)> = fields
        .into_iter()
        .filter_map(|field| place(&field.column.name).map(|place| (place, field)))
        .collect();
    chosen.sort_by_key(|(place, _)| *place);
    Ok(chosen.into_iter().map(|(_, field)| field).collect())
}

/// All columns of `placements` with these features.
pub(super) fn placement_fields(features: &[Feature], size: BoardSize) -> Vec<Field<Sight>> {
    let mut fields = queue_fields();
    fields.extend(choice_fields());
    fields.extend(
        features
            .iter()
            .map(|&feature| Field::of_feature(feature, move |s: &Sight| s.feature(feature))),
    );
    fields.extend(board_fields(size));
    fields
}

fn queue_fields() -> Vec<Field<Sight>> {
    vec![
        Field::count("game", "-", "index of the game in its run, from 0", |s: &Sight| s.turn.game)
            .minimal(),
        Field::count("piece_no", "-", "number of the piece in its game, from 1", |s: &Sight| {
            s.turn.piece_no
        })
        .minimal(),
        Field::new("bag_no", Kind::Integer, "-", "number of the bag, from 1", |s: &Sight| {
            s.in_bags((s.turn.piece_no - 1) / 7 + 1)
        })
        .missing("the queue is not bag"),
        Field::new("bag_pos", Kind::Integer, "-", "place in the bag, from 1", |s: &Sight| {
            s.in_bags((s.turn.piece_no - 1) % 7 + 1)
        })
        .missing("the queue is not bag"),
        Field::new("piece", Kind::Factor, "-", "the piece placed", |s: &Sight| {
            Cell::Text(s.turn.piece.name())
        })
        .levels(Piece::ALL)
        .minimal(),
        Field::new("next", Kind::Factor, "-", "the piece after it", |s: &Sight| {
            Cell::or_missing(s.turn.next, |piece| Cell::Text(piece.name()))
        })
        .levels(Piece::ALL)
        .missing("the search does not use it"),
        Field::new(
            "pieces_since_i",
            Kind::Integer,
            "pieces",
            "pieces since the last I (0 for an I): the drought",
            |s: &Sight| Cell::or_missing(s.turn.since_i, |n| Cell::Integer(n as i64)),
        )
        .missing("no I was dealt yet"),
    ]
}

fn choice_fields() -> Vec<Field<Sight>> {
    let mut fields = placement_only_fields();
    fields.extend([
        Field::new(
            "score",
            Kind::Real,
            "-",
            "value of the placement under the search",
            |s: &Sight| Cell::or_missing(s.turn.decision.score(s.turn.scale), Cell::Real),
        )
        .missing("every placement loses, or every answer to every one does")
        .minimal(),
        Field::new(
            "margin",
            Kind::Real,
            "-",
            "score minus the best other placement's",
            |s: &Sight| Cell::or_missing(s.turn.decision.margin(s.turn.scale), Cell::Real),
        )
        .missing("no other placement has a comparable score"),
        Field::new(
            "rank2_orientation",
            Kind::Integer,
            "-",
            "orientation of the best other placement",
            |s: &Sight| {
                Cell::or_missing(s.second(), |c| Cell::Integer(c.placement.orientation.into()))
            },
        )
        .missing("there is no other placement"),
        Field::new(
            "rank2_column",
            Kind::Integer,
            "-",
            "column of the best other placement",
            |s: &Sight| Cell::or_missing(s.second(), |c| Cell::Integer(c.placement.column.into())),
        )
        .missing("there is no other placement"),
        Field::new("rank2_score", Kind::Real, "-", "its score", |s: &Sight| {
            let second = s.turn.decision.runner_up;
            Cell::or_missing(second.and_then(|second| second.value.score(s.turn.scale)), Cell::Real)
        })
        .missing("there is none, or it loses"),
        Field::count(
            "candidates",
            "placements",
            "placements there were to choose from",
            |s: &Sight| s.turn.decision.candidates as u64,
        ),
        Field::new(
            "lost",
            Kind::Logical,
            "-",
            "whether the placement ended the game",
            |s: &Sight| Cell::Logical(s.turn.decision.outcome.lost),
        ),
    ]);
    fields
}

/// Where the piece came to rest, and what it removed.
fn placement_only_fields() -> Vec<Field<Sight>> {
    let clear = |s: &Sight| ["none", "single", "double", "triple", "tetris"][s.lines() as usize];
    vec![
        Field::count(
            "orientation",
            "-",
            "index of the distinct rotation, from 0, in MDPTetris' order",
            |s: &Sight| s.chosen().placement.orientation.into(),
        )
        .minimal(),
        Field::count("column", "-", "column of the piece's leftmost cell, from 0", |s: &Sight| {
            s.chosen().placement.column.into()
        })
        .minimal(),
        Field::count(
            "landing_row",
            "-",
            "row of the piece's lowest cell when it rests, from 0",
            |s: &Sight| s.chosen().row.into(),
        )
        .minimal(),
        Field::count("lines", "rows", "rows this placement removed", Sight::lines).minimal(),
        Field::new(
            "cleared_rows",
            Kind::Text,
            "-",
            "numbers of the rows removed, from the floor, joined by ';'",
            |s: &Sight| match s.cleared() {
                0 => Cell::Missing,
                rows => Cell::Bits(rows),
            },
        )
        .missing("no row was removed"),
        Field::new("clear_type", Kind::Factor, "-", "how many rows at once", move |s: &Sight| {
            Cell::Text(clear(s))
        })
        .levels(["none", "single", "double", "triple", "tetris"]),
        Field::new("perfect", Kind::Logical, "-", "whether the board is empty now", |s: &Sight| {
            Cell::Logical(s.turn.decision.outcome.after.stack_height() == 0)
        }),
        Field::count(
            "lines_total",
            "rows",
            "rows removed in the game so far, these included",
            |s: &Sight| s.turn.lines_total,
        )
        .minimal(),
    ]
}

impl Sight {
    fn in_bags(&self, value: u64) -> Cell<'static> {
        if self.turn.deals_bags { Cell::Integer(value as i64) } else { Cell::Missing }
    }

    fn feature(&self, feature: Feature) -> Cell<'static> {
        let Turn { decision, measured, .. } = &self.turn;
        let raw = feature.raw(measured, Some(&decision.outcome.played)).unwrap_or(0);
        Cell::Real(feature.in_units(raw, measured.width()))
    }

    fn lines(&self) -> u64 {
        self.turn.decision.outcome.played.lines.into()
    }

    /// The rows removed, one bit each.
    fn cleared(&self) -> u32 {
        let played = &self.turn.decision.outcome.played;
        let own = |k: usize| u32::from(played.removed_cells[k] > 0) << k;
        (0..4).map(own).sum::<u32>() << self.chosen().row
    }
}

fn board_fields(size: BoardSize) -> Vec<Field<Sight>> {
    let height = |column: usize| {
        let meaning = format!("height of column {column} (0-based from the left) afterwards");
        let value = move |s: &Sight| u64::from(s.surface.heights[column]);
        Field::count(format!("h{column}"), "rows", meaning, value)
    };
    let mut fields: Vec<Field<Sight>> = (0..size.width()).map(height).collect();
    fields.extend([
        Field::new(
            "well_column",
            Kind::Integer,
            "-",
            "leftmost column that lies deepest below its lower neighbour (walls above all)",
            |s: &Sight| match s.surface.well {
                (column, 2..) => Cell::Integer(column as i64),
                _ => Cell::Missing,
            },
        )
        .missing("no column lies 2 or more below"),
        Field::count(
            "well_depth",
            "rows",
            "how far the deepest column lies below its lower neighbour",
            |s: &Sight| s.surface.well.1.into(),
        ),
        Field::count(
            "i_dependencies",
            "columns",
            "columns 3 or more below their lower neighbour, which only an I fills",
            |s: &Sight| s.surface.i_dependencies,
        ),
        Field::new(
            "parity_check",
            Kind::Integer,
            "cells",
            "filled cells with column + row even, minus the others (checkerboard)",
            |s: &Sight| Cell::Integer(s.surface.parity_check),
        ),
        Field::new(
            "parity_column",
            Kind::Integer,
            "cells",
            "filled cells in even columns minus those in odd ones",
            |s: &Sight| Cell::Integer(s.surface.parity_column),
        ),
        Field::new(
            "board",
            Kind::Text,
            "-",
            "board afterwards: rows from the floor to the highest filled one, hexadecimal, bit 0 = leftmost column, joined by ':'",
            |s: &Sight| Cell::Board(&s.turn.decision.outcome.after),
        ),
    ]);
    fields
}
