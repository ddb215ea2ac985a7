//! The `placements` table: one row per placement kept.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::board::{Board, BoardSize};
use crate::controller::Controller;
use crate::error::{Error, Result};
use crate::features::{Feature, Measured, Move};
use crate::kernels::Level;
use crate::piece::Piece;
use crate::placement::Candidate;
use crate::record::Column;
use crate::record::PlacedTurn;
use crate::record::tables::builder::{Measurable, RowBuilder};
use crate::record::tables::field::{Field, columns, join_study, named};
use crate::record::tables::surface::Surface;
use crate::search::Decision;

/// Which columns a table has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// What identifies a placement and what it did.
    Minimal,
    /// Everything but features that the controller does not use, and what must be named.
    Controller,
    /// The same with every feature of the registry.
    All,
    /// These, after `game` and `piece_no`; `minimal`, `controller`, `all`, `features` (the controller's) and
    /// `heights` stand for several.
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
pub struct Sight {
    game: u64,
    piece_no: u64,
    piece: Piece,
    next: Option<Piece>,
    lines_total: u64,
    since_i: Option<u64>,
    deals_bags: bool,
    measured: Measured,
    scale: f64,
    decision: Decision,
    before: Board,
    surface: Surface,
}

impl Sight {
    #[inline]
    fn of(turn: &PlacedTurn) -> Sight {
        let PlacedTurn { game, piece_no, piece, next, lines_total, since_i, deals_bags, .. } =
            *turn;
        let PlacedTurn { measured, scale, decision, .. } = *turn;
        let surface = Surface::of(&decision.outcome.after);
        let (decision, before) = (*decision, *turn.board);
        Sight {
            game,
            piece_no,
            piece,
            next,
            lines_total,
            since_i,
            deals_bags,
            measured,
            scale,
            decision,
            before,
            surface,
        }
    }

    fn chosen(&self) -> Candidate {
        self.decision.outcome.played.candidate
    }

    fn second(&self) -> Option<Candidate> {
        self.decision.runner_up.map(|second| second.candidate)
    }

    fn bag_place(&self) -> Option<u64> {
        self.deals_bags.then_some(self.piece_no - 1)
    }

    fn lines(&self) -> usize {
        self.decision.outcome.played.lines.into()
    }

    /// The rows removed, one bit each.
    #[inline]
    fn cleared(&self) -> u32 {
        let played = &self.decision.outcome.played;
        let mut rows = 0;
        for (k, &cells) in played.removed_cells.iter().enumerate() {
            rows |= u32::from(cells > 0) << k;
        }
        rows << self.chosen().row
    }
}

impl Measurable for Sight {
    fn measured(&self) -> (&Board, &Move) {
        (self.decision.outcome.board(self.measured), &self.decision.outcome.played)
    }
}

/// How placements become rows.
#[derive(Clone)]
pub struct PlacementEncoder {
    fields: Arc<Vec<Field<Sight>>>,
    size: BoardSize,
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
        let own: Vec<Feature> = controller.features().collect();
        let all: Vec<Feature> = Feature::all(size).collect();
        let unnamed = |features: &[Feature]| {
            let mut fields = placement_fields(features, size);
            fields.retain(|field| !field.named_only);
            fields
        };
        let fields = match columns {
            Columns::Controller => unnamed(&own),
            Columns::All => unnamed(&all),
            Columns::Minimal => {
                let mut fields = placement_fields(&[], size);
                fields.retain(|field| field.minimal);
                fields
            }
            Columns::Named(names) => {
                let names = spelt_out(names, &own, size);
                named(placement_fields(&all, size), &names, &SETS)?
            }
        };
        Ok(PlacementEncoder { fields: Arc::new(fields), size })
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
    pub fn rows(&self, level: Level) -> RowBuilder<Sight> {
        RowBuilder::new(&self.fields, self.size, level)
    }

    /// Adds one row.
    #[inline]
    pub fn see(turn: &PlacedTurn, rows: &mut RowBuilder<Sight>) {
        rows.push(Sight::of(turn));
    }
}

/// What stands for several columns.
const SETS: [&str; 5] = ["minimal", "controller", "all", "features", "heights"];

/// Names with the members of sets in place of the sets.
fn spelt_out(names: &[String], own: &[Feature], size: BoardSize) -> Vec<String> {
    let names_of = |fields: Vec<Field<Sight>>| -> Vec<String> {
        fields.into_iter().map(|field| field.column.name).collect()
    };
    let members = |name: &String| match &**name {
        "minimal" => {
            let mut fields = placement_fields(&[], size);
            fields.retain(|field| field.minimal);
            names_of(fields)
        }
        "controller" => names_of(placement_fields(own, size)),
        "all" => names_of(placement_fields(&Feature::all(size).collect::<Vec<_>>(), size)),
        "features" => own.iter().map(Feature::to_string).collect(),
        "heights" => (0..size.width()).map(|column| format!("h{column}")).collect(),
        _ => vec![name.clone()],
    };
    names.iter().flat_map(members).collect()
}

/// All columns of `placements` with these features.
pub(crate) fn placement_fields(features: &[Feature], size: BoardSize) -> Vec<Field<Sight>> {
    let mut fields = queue_fields();
    fields.extend(landing_fields());
    fields.extend(choice_fields());
    fields.extend(features.iter().map(|&feature| Field::of_feature(feature, size.width())));
    fields.extend(board_fields(size));
    fields
}

fn queue_fields() -> Vec<Field<Sight>> {
    vec![
        Field::count("game", "-", "index of the game in its run, from 0", |s: &Sight| s.game)
            .minimal(),
        Field::count("piece_no", "-", "number of the piece in its game, from 1", |s: &Sight| {
            s.piece_no
        })
        .minimal(),
        Field::count("bag_no", "-", "number of the bag, from 1", |s: &Sight| {
            s.bag_place().map(|place| place / 7 + 1)
        })
        .missing("the queue is not bag"),
        Field::integer("bag_pos", "-", "place in the bag, from 1", |s: &Sight| {
            s.bag_place().map(|place| (place % 7 + 1) as i64)
        })
        .missing("the queue is not bag"),
        Field::factor("piece", "the piece placed", Piece::ALL, |s: &Sight| s.piece.index())
            .minimal(),
        Field::factor("next", "the piece after it", Piece::ALL, |s: &Sight| {
            s.next.map(Piece::index)
        })
        .missing("the search does not use it"),
        Field::count(
            "pieces_since_i",
            "pieces",
            "pieces since the last I (0 for an I): the drought",
            |s: &Sight| s.since_i,
        )
        .missing("no I was dealt yet"),
    ]
}

/// Where the piece came to rest, and what it removed.
fn landing_fields() -> Vec<Field<Sight>> {
    vec![
        Field::integer(
            "orientation",
            "-",
            "number of the distinct rotation, from 0, as drawn under Orientations in data/README.md",
            |s: &Sight| i64::from(s.chosen().placement.orientation),
        )
        .minimal(),
        Field::integer(
            "column",
            "-",
            "column of the piece's leftmost cell, from 0",
            |s: &Sight| i64::from(s.chosen().placement.column),
        )
        .minimal(),
        Field::integer(
            "landing_row",
            "-",
            "row of the piece's lowest cell when it rests, from 0",
            |s: &Sight| i64::from(s.chosen().row),
        )
        .minimal(),
        Field::integer("lines", "rows", "rows this placement removed", |s: &Sight| {
            s.lines() as i64
        })
        .minimal(),
        Field::text(
            "cleared_rows",
            "numbers of the rows removed, from the floor, joined by ';'",
            |s: &Sight, text| write_bits(s.cleared(), text),
        )
        .missing("no row was removed"),
        Field::factor(
            "clear_type",
            "how many rows at once",
            ["none", "single", "double", "triple", "tetris"],
            Sight::lines,
        ),
        Field::logical("perfect", "-", "whether the board is empty now", |s: &Sight| {
            s.decision.outcome.after.stack_height() == 0
        }),
        Field::count(
            "lines_total",
            "rows",
            "rows removed in the game so far, these included",
            |s: &Sight| s.lines_total,
        )
        .minimal(),
    ]
}

#[inline]
fn write_bits(mut mask: u32, text: &mut Vec<u8>) {
    while mask != 0 {
        text.extend_from_slice(itoa::Buffer::new().format(mask.trailing_zeros()).as_bytes());
        mask &= mask - 1;
        if mask != 0 {
            text.push(b';');
        }
    }
}

fn choice_fields() -> Vec<Field<Sight>> {
    vec![
        Field::real("score", "-", "value of the placement under the search", |s: &Sight| {
            s.decision.score(s.scale)
        })
        .missing("every placement loses, or every answer to every one does")
        .minimal(),
        Field::real("margin", "-", "score minus the best other placement's", |s: &Sight| {
            s.decision.margin(s.scale)
        })
        .missing("no other placement has a comparable score"),
        Field::integer(
            "rank2_orientation",
            "-",
            "orientation of the best other placement",
            |s: &Sight| s.second().map(|c| i64::from(c.placement.orientation)),
        )
        .missing("there is no other placement"),
        Field::integer("rank2_column", "-", "column of the best other placement", |s: &Sight| {
            s.second().map(|c| i64::from(c.placement.column))
        })
        .missing("there is no other placement"),
        Field::real("rank2_score", "-", "its score", |s: &Sight| {
            s.decision.runner_up.and_then(|second| second.value.score(s.scale))
        })
        .missing("there is none, or it loses"),
        Field::integer(
            "candidates",
            "placements",
            "placements there were to choose from",
            |s: &Sight| s.decision.candidates as i64,
        ),
        Field::logical("lost", "-", "whether the placement ended the game", |s: &Sight| {
            s.decision.outcome.lost
        }),
    ]
}

fn board_fields(size: BoardSize) -> Vec<Field<Sight>> {
    let height = |column: usize| {
        let meaning = format!("height of column {column} (0-based from the left) afterwards");
        let value = move |s: &Sight| i64::from(s.surface.heights[column]);
        Field::integer(format!("h{column}"), "rows", meaning, value)
    };
    let mut fields: Vec<Field<Sight>> = (0..size.width()).map(height).collect();
    fields.extend([
        Field::integer(
            "well_column",
            "-",
            "leftmost column that lies deepest below its lower neighbour (walls above all)",
            |s: &Sight| match s.surface.well {
                (column, 2..) => Some(column as i64),
                _ => None,
            },
        )
        .missing("no column lies 2 or more below"),
        Field::integer(
            "well_depth",
            "rows",
            "how far the deepest column lies below its lower neighbour",
            |s: &Sight| i64::from(s.surface.well.1),
        ),
        Field::integer(
            "i_dependencies",
            "columns",
            "columns 3 or more below their lower neighbour, which only an I fills",
            |s: &Sight| s.surface.i_dependencies as i64,
        ),
        Field::integer(
            "parity_check",
            "cells",
            "filled cells with column + row even, minus the others (checkerboard)",
            |s: &Sight| s.surface.parity_check,
        ),
        Field::integer(
            "parity_column",
            "cells",
            "filled cells in even columns minus those in odd ones",
            |s: &Sight| s.surface.parity_column,
        ),
        Field::text(
            "board",
            "board afterwards: rows from the floor to the highest filled one, hexadecimal, bit 0 = leftmost column, joined by ':'; one row of zeros when it is empty",
            |s: &Sight, text| s.decision.outcome.after.write_hex(text),
        ),
        Field::logical(
            "well_tied",
            "-",
            "whether another column lies as deep as `well_column`; only by name",
            |s: &Sight| (s.surface.well.1 >= 2).then_some(s.surface.well_tied),
        )
        .missing("no column lies 2 or more below")
        .named_only(),
        Field::text(
            "board_before",
            "board before the placement, as `board`; only by name, for logs with --every",
            |s: &Sight, text| s.before.write_hex(text),
        )
        .named_only(),
    ]);
    fields
}
