//! Tables `placements` and `candidates` of classic runs: one row per selected placement and per
//! candidate of it, and the columns that state what a placement changes.
//! Frozen: bytes

use std::str::FromStr;

use crate::features::{Measured, Move};
use crate::kernels::SurfaceProperty;
use crate::placement::Candidate;
use crate::prelude::*;
use crate::record::tables::field::{KEYS, names_of, select_annotations, select_fields};
use crate::record::tables::games::named_split_field;
use crate::record::tables::surface::{HasSurface, Surface};
use crate::record::tables::table;
use crate::record::tables::values::Measurable;
use crate::search::{Decision, Ranked, Value};

/// User's selection of the columns that a log of placements has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Vec<String>", from = "Vec<String>")]
pub enum Columns {
    /// Columns that identify a placement and state its effect, such as rows removed.
    Minimal,
    /// All usual columns, and those features of the board that the controller uses.
    Controller,
    /// All usual columns, and all features of the board, used by the controller or not.
    All,
    /// Columns, or groups of columns such as `minimal` or `heights`, that the user listed.
    Named(Vec<String>),
}

impl From<Columns> for Vec<String> {
    fn from(columns: Columns) -> Vec<String> {
        match columns {
            Columns::Minimal => vec!["minimal".to_owned()],
            Columns::Controller => vec!["controller".to_owned()],
            Columns::All => vec!["all".to_owned()],
            Columns::Named(names) => names,
        }
    }
}

impl From<Vec<String>> for Columns {
    fn from(names: Vec<String>) -> Columns {
        match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["minimal"] => Columns::Minimal,
            ["controller"] => Columns::Controller,
            ["all"] => Columns::All,
            _ => Columns::Named(names),
        }
    }
}

impl FromStr for Columns {
    type Err = Error;

    fn from_str(text: &str) -> Result<Columns> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        Ok(names.into())
    }
}

/// Record of one placement in a classic game, from which a row of `placements` is computed.
#[derive(Clone, Copy, Debug)]
pub struct PlacementRecord {
    /// Index of the game in its run, from 0.
    pub game: u64,
    /// Seed of the game's random numbers.
    pub stream_seed: u64,
    /// Number of the piece in its game, from 1.
    pub piece_no: u64,
    /// Piece that was placed.
    pub piece: Piece,
    /// Next piece of the queue, if the search knew it.
    pub next: Option<Piece>,
    /// Number of rows removed in the game so far, including those of this placement.
    pub lines_total: u64,
    /// Number of pieces since the last I-piece of the game, 0 for an I; `None` before the first I.
    pub since_i: Option<u64>,
    /// True if the queue deals bags of seven.
    pub deals_bags: bool,
    /// Decision for the placement: chosen move with its resulting board, value and rank.
    pub decision: Decision,
    /// Board before the placement.
    pub before: Board,
    /// Board on which the controller measures features: before or after full rows are removed.
    pub measured: Measured,
    /// Number by which the controller's integer scores are divided to get its real scores.
    pub scale: f64,
    /// Number of garbage rows on the board before the placement.
    pub garbage: u32,
    /// Value of the board by the controller's tables of cell patterns; `None` without tables.
    pub patterns: Option<f64>,
}

impl PlacementRecord {
    fn chosen(&self) -> Candidate {
        self.decision.outcome.played.candidate
    }

    fn best(&self) -> Candidate {
        self.decision.best.unwrap_or_else(|| self.chosen())
    }

    fn second(&self) -> Option<Candidate> {
        self.decision.runner_up.map(|second| second.candidate)
    }

    fn bag_place(&self) -> Option<u64> {
        self.deals_bags.then_some(self.piece_no - 1)
    }

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

impl Measurable for PlacementRecord {
    fn measured(&self) -> (&Board, &Move) {
        (self.decision.outcome.board(self.measured), &self.decision.outcome.played)
    }
}

impl HasSurface for PlacementRecord {
    fn board_after(&self) -> Board {
        self.decision.outcome.after
    }
}

pub(crate) type PlacementEncoder = RowEncoder<PlacementRecord>;

impl PlacementEncoder {
    /// Creates an encoder of a controller's placements into rows of the table `placements`.
    pub fn new(
        controller: &Controller,
        size: BoardSize,
        columns: &Columns,
    ) -> Result<PlacementEncoder> {
        let all = offered_fields(controller, size);
        let sets = sets(controller, size, &all);
        let chosen = select_fields(columns, all, &KEYS, &sets)?;
        Ok(RowEncoder::measuring(chosen, size))
    }

    /// Creates an encoder of columns that are added to a user's table of placements.
    pub fn annotating(
        controller: &Controller,
        size: BoardSize,
        columns: &Columns,
        given: &[String],
    ) -> Result<PlacementEncoder> {
        let all = offered_fields(controller, size);
        let sets = sets(controller, size, &all);
        Ok(RowEncoder::measuring(select_annotations(columns, all, &sets, &[], given)?, size))
    }
}

fn offered_fields(controller: &Controller, size: BoardSize) -> Vec<Field<PlacementRecord>> {
    let mut all = placement_fields(&Feature::all(size).collect::<Vec<_>>(), size);
    for field in all.iter_mut().filter(|field| field.column.name == PATTERNS) {
        field.named_only = controller.patterns.is_none();
    }
    all
}

const PATTERNS: &str = "patterns";

fn sets(
    controller: &Controller,
    size: BoardSize,
    all: &[Field<PlacementRecord>],
) -> [(&'static str, Vec<String>); 5] {
    let features: Vec<String> = Feature::all(size).map(|feature| feature.to_string()).collect();
    let own: Vec<String> = controller.features().map(|feature| feature.to_string()).collect();
    // The controller's features, in its order, take the place of all features.
    let mut of_features = own.clone();
    let of_controller = |name: String| match features.contains(&name) {
        true => std::mem::take(&mut of_features),
        false => vec![name],
    };
    let names = names_of(all, |_| true);
    [
        ("minimal", names_of(all, |field| field.minimal)),
        ("controller", names.iter().cloned().flat_map(of_controller).collect()),
        ("all", names),
        ("features", own.into_iter().chain([PATTERNS.to_owned()]).collect()),
        ("heights", (0..size.width()).map(|column| format!("h{column}")).collect()),
    ]
}

const CHANGING: [&str; 9] = [
    "row_transitions",
    "column_transitions",
    "holes",
    "wells",
    "hole_depth",
    "rows_with_holes",
    "aggregate_height",
    "max_height",
    "bumpiness",
];

const BOARDS: BoardsOf<PlacementRecord, Board> =
    [|row| row.before, |row| row.decision.outcome.after];

table! {
    pub(crate) fn placement_fields(features: &[Feature], size: BoardSize) of row: PlacementRecord {
        /// Index of the game in its run, from 0.
        game: count + minimal = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: count + minimal = row.piece_no;
        /// Number of the bag that the piece was dealt from, from 1.
        bag_no: count = row.bag_place().map(|place| place / 7 + 1), missing "the queue is not bag";
        /// Position of the piece in its bag, from 1 to 7.
        bag_pos: integer = row.bag_place().map(|place| place % 7 + 1),
            missing "the queue is not bag";
        /// Piece that was placed.
        piece: factor(Piece::ALL) + minimal = row.piece;
        /// Piece that follows the placed piece in the queue.
        next_1: factor(Piece::ALL) = row.next, missing "the search does not use the next piece";
        /// Drought of the I: number of pieces since the last I, including the placed piece; 0 for
        /// an I.
        pieces_since_i: count, "pieces" = row.since_i, missing "no I was dealt yet";

        // Final position of the piece, and cleared rows.
        /// Number of the piece's rotation, from 0, as drawn under Orientations in data/README.md.
        orientation: integer + minimal = row.chosen().placement.orientation;
        /// Column of the piece's leftmost cell, from 0.
        column: integer + minimal = row.chosen().placement.column;
        /// Row of the piece's lowest cell when the piece rests, from 0 at the floor.
        landing_row: integer + minimal = row.chosen().row;
        /// Number of rows that the placement removed.
        lines: integer + minimal, "rows" = row.decision.outcome.played.lines;
        /// Row numbers of the removed rows, counted from 0 at the floor, lowest first, joined by
        /// ';'.
        cleared_rows: written = |text| write_bits(row.cleared(), text),
            missing "no row was removed";
        /// Name for the number of rows that the placement removed, from `none` (0) to `tetris` (4).
        clear_type: factor(["none", "single", "double", "triple", "tetris"]) =
            usize::from(row.decision.outcome.played.lines);
        /// True if the board is empty after the placement.
        perfect: logical = row.decision.outcome.after.stack_height() == 0;
        /// Number of rows removed in the game so far, including the rows of this placement.
        lines_total: count + minimal, "rows" = row.lines_total;

        // The choice.
        /// Score of the chosen placement under the search; missing if this placement loses.
        score: real + minimal = row.decision.score(row.scale),
            missing "every placement loses, or every placement of the next piece after it does";
        /// Difference `score` - `rank2_score`: lead of the chosen placement over the best other
        /// placement.
        margin: real = row.decision.margin(row.scale),
            missing "no other placement has a comparable score";
        /// Orientation of the best other placement, numbered as in `orientation`.
        rank2_orientation: integer = row.second().map(|second| second.placement.orientation),
            missing "there is no other placement";
        /// Column of the leftmost cell of the best other placement, from 0.
        rank2_column: integer = row.second().map(|second| second.placement.column),
            missing "there is no other placement";
        /// Score of the best other placement under the search.
        rank2_score: real =
            row.decision.runner_up.and_then(|second| second.value.score(row.scale)),
            missing "there is no other placement, or it loses";
        /// Number of placements to choose from, including placements that lose.
        candidates: integer, "placements" = row.decision.candidates;
        /// True if the placement ended the game.
        lost: logical = row.decision.outcome.lost;

        // The board afterwards.
        ..features.iter().map(|&feature| Field::of_feature(feature, size.width()));
        /// Part of `score` from the controller's cell patterns. Without patterns, the column is
        /// only written if requested by name.
        patterns: real + named_only = row.patterns, missing "the controller has no patterns";
        ..(0..size.width()).map(|column| {
            let meaning = format!(
                "height of column {column}, counted from 0 at the left, after the placement"
            );
            Field::surface(format!("h{column}"), "rows", meaning, SurfaceProperty::Height(column))
        });
        /// Column of the deepest well, from 0: the column deepest below its lower neighbour,
        /// leftmost if tied. Walls count as infinitely high.
        well_column: surface = (SurfaceProperty::WellColumn, 2),
            missing "no column lies 2 or more below";
        /// Depth of the deepest well, in rows below the lower neighbour column. Walls count as
        /// infinitely high; 0 if there is no well.
        well_depth: surface, "rows" = SurfaceProperty::WellDepth;
        /// Number of columns that only an I fills: 3 or more rows below their lower neighbour.
        /// Walls count as infinitely high.
        i_dependencies: surface, "columns" = SurfaceProperty::IDependencies;
        /// Number of filled cells with column + row even, minus filled cells with column + row odd
        /// (checkerboard).
        parity_check: surface, "cells" = SurfaceProperty::ParityCheck;
        /// Number of filled cells in even columns minus filled cells in odd columns.
        parity_column: surface, "cells" = SurfaceProperty::ParityColumn;
        /// Board after the placement: hexadecimal rows from the floor up, joined by ':', bit 0
        /// leftmost. An empty board is one row of zeros.
        board: written = |text| row.decision.outcome.after.write_hex(text);
        /// True if another column lies as deep as `well_column`. `well_tied` is only written if
        /// requested by name.
        well_tied: surface + named_only = (SurfaceProperty::WellTied, 2),
            missing "no column lies 2 or more below";
        /// Board before the placement, in the format of `board`. `board_before` is only written if
        /// requested by name, for logs with --every.
        board_before: written + named_only = |text| row.before.write_hex(text);
        /// Number of garbage rows that the placement removed. `garbage_cleared` is only written if
        /// requested by name.
        garbage_cleared: integer + named_only, "rows" =
            GarbageRows::count_removed(row.garbage, row.cleared());

        // The board before the placement, and its change.
        // The order is that of all features; `CHANGING` only selects.
        ..Feature::all(size).filter(|feature| CHANGING.contains(&feature.definition().name))
            .flat_map(|feature| {
                let entry = feature.definition();
                changes(entry.name, "-", entry.definition, BOARDS, move |board| {
                    feature.raw(board, None)
                })
            });
        /// `well_column` of the board before the placement, that is, the column of the deepest
        /// well.
        well_column_before: integer + named_only = Surface::new(&row.before).well_column(2),
            missing "no column lay 2 or more below";
        ..surface_changes(BOARDS);
        ..[named_split_field(|row: &PlacementRecord| row.stream_seed)];
        /// Orientation of the best placement, which a policy other than `best` need not choose.
        /// `best_orientation` is only written if requested by name.
        best_orientation: integer + named_only = row.best().placement.orientation;
        /// Column of the leftmost cell of the best placement, from 0. `best_column` is only written
        /// if requested by name.
        best_column: integer + named_only = row.best().placement.column;
        /// Rank of the chosen placement under the search: 1 for the best, shared by equal
        /// placements. `rank` is only written if requested by name.
        rank: integer + named_only = row.decision.rank;
        /// Score of the best placement minus `score`; 0 if no placement is better. `regret` is only
        /// written if requested by name.
        regret: real + named_only = row.decision.regret(row.scale),
            missing "the two scores are not comparable: a placement loses, or more next pieces \
                have no surviving reply after it";
        /// Number of kinds of next piece for which every placement loses; 0 without look-ahead.
        /// `deadly_next` is only written if requested by name.
        deadly_next: integer + named_only, "pieces" = row.decision.value.deadly_next(),
            missing "every placement loses";
    }
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

pub struct CandidateRecord {
    game: u64,
    piece_no: u64,
    piece: Piece,
    chosen: bool,
    scale: f64,
    measured: Measured,
    number: u64,
    rank: usize,
    ranked: Ranked,
}

impl CandidateRecord {
    pub fn from_ranking(
        turn: &PlacementRecord,
        ranked: Vec<Ranked>,
    ) -> impl Iterator<Item = CandidateRecord> {
        let &PlacementRecord { game, piece_no, piece, scale, measured, .. } = turn;
        let chosen = turn.decision.outcome.played.candidate;
        let values: Vec<Value> = ranked.iter().map(|candidate| candidate.value).collect();
        (1..).zip(ranked).map(move |(number, ranked)| CandidateRecord {
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

impl Measurable for CandidateRecord {
    fn measured(&self) -> (&Board, &Move) {
        let outcome = &self.ranked.outcome;
        (outcome.board(self.measured), &outcome.played)
    }
}

pub(crate) type CandidateEncoder = RowEncoder<CandidateRecord>;

impl CandidateEncoder {
    /// Creates an encoder of candidate placements into rows of the table `candidates`.
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
    pub(crate) fn candidate_fields(features: &[Feature], size: BoardSize) of row: CandidateRecord {
        /// Index of the game in its run, from 0.
        game: count = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: count = row.piece_no;
        /// Piece that the candidate places.
        piece: factor(Piece::ALL) = row.piece;
        /// Number of the candidate placement, from 1, ordered by `orientation`, then `column`.
        candidate: integer = row.number;
        /// Number of the piece's rotation, from 0, as drawn under Orientations in data/README.md.
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
        /// Number of kinds of next piece for which every placement loses; the search compares it
        /// before `score`. `deadly_next` is only written with look-ahead.
        deadly_next: integer + named_only, "pieces" = row.ranked.value.deadly_next(),
            missing "it loses";
        /// Rank of the candidate under the search: 1 for the best, shared by equal candidates.
        /// `rank` is only written with look-ahead.
        rank: integer + named_only = row.rank;
    }
}

pub(crate) type BoardsOf<S, B> = [fn(&S) -> B; 2];

/// Returns two columns: a quantity of the board before a placement, and the quantity's change by
/// the placement.
pub(crate) fn changes<S: 'static, B: 'static>(
    name: &str,
    unit: &'static str,
    definition: &str,
    [before, after]: BoardsOf<S, B>,
    value: impl Fn(&B) -> Option<i32> + Copy + Send + Sync + 'static,
) -> [Field<S>; 2] {
    let short = name.strip_prefix("max_").unwrap_or(name);
    let was = format!("{short}_before");
    let of_before = format!("`{name}` of the board before the placement: {definition}");
    let of_change = format!(
        "change of `{name}` by the placement: its value after full rows are removed, minus `{was}`"
    );
    let change = move |row: &S| Some(value(&after(row))? - value(&before(row))?);
    [
        Field::integer(was, unit, of_before, move |row| value(&before(row))).named_only(),
        Field::integer(format!("d_{short}"), unit, of_change, change).named_only(),
    ]
}

pub(crate) fn surface_changes<S: 'static>(
    boards: BoardsOf<S, Board>,
) -> impl Iterator<Item = Field<S>> {
    type Fact = (&'static str, &'static str, &'static str, fn(&Surface) -> i32);
    let facts: [Fact; 4] = [
        (
            "well_depth",
            "rows",
            "rows by which the deepest column lies below its lower neighbour",
            |surface| surface.well.1.into(),
        ),
        (
            "i_dependencies",
            "columns",
            "columns 3 or more rows below their lower neighbour",
            |surface| surface.i_dependencies as i32,
        ),
        (
            "parity_check",
            "cells",
            "filled cells with column + row even, minus filled cells with column + row odd",
            |surface| surface.parity_check as i32,
        ),
        (
            "parity_column",
            "cells",
            "filled cells in even columns, minus filled cells in odd columns",
            |surface| surface.parity_column as i32,
        ),
    ];
    facts.into_iter().flat_map(move |(name, unit, definition, value)| {
        changes(name, unit, definition, boards, move |board| Some(value(&Surface::new(board))))
    })
}
