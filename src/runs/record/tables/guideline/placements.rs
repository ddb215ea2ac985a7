//! One row per placement of a guideline game.

use super::fit::{covers_well, fitting};
use crate::board::Board;
use crate::features::Feature;
use crate::features::guideline::Term;
use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::record::tables::field::Field;
use crate::record::tables::surface::Surface;
use crate::rules::guideline::{
    ComboState, GuidelineState, Hold, Input, InputPath, Landing, Placed, RotationState, Spin,
};
use crate::search::guideline::{Found, Outlook, SCALE};

/// What a placement was chosen from, as a search is asked ([`crate::search::guideline::BeamPlayer::decide`]).
#[derive(Clone, Copy, Debug)]
pub struct GuidelineDecision<'a> {
    /// The state before it.
    pub state: &'a GuidelineState,
    /// What was known of the game to come.
    pub outlook: Outlook<'a>,
}

/// A placement, as it is made.
#[derive(Clone, Copy, Debug)]
pub struct GuidelinePlacement<'a> {
    /// Number of the game.
    pub game: u64,
    /// Number of the piece in it, from 1.
    pub piece_no: u32,
    /// When it locks, in microseconds.
    pub time_us: u64,
    /// Where.
    pub landing: Landing,
    /// Whether the hold was used.
    pub held: bool,
    /// The hold before and after.
    pub hold: [Hold; 2],
    /// The pieces seen after it, the next one first.
    pub next: [Option<Piece>; 5],
    /// Pieces since the last I, 0 for an I.
    pub since_i: u32,
    /// Its number in the queue, from 1.
    pub dealt: u64,
    /// What it was chosen from; `None` for a person's.
    pub decision: Option<GuidelineDecision<'a>>,
    /// What it inherits.
    pub before: ComboState,
    /// What it did.
    pub placed: &'a Placed,
    /// The shortest inputs.
    pub path: &'a InputPath,
    /// What the search found.
    pub found: Option<Found>,
    /// Points so far, this placement's among them.
    pub score: u32,
}

/// A placement as a row.
#[derive(Clone, Debug)]
pub(crate) struct GuidelineRow {
    game: u64,
    piece_no: u32,
    time_us: u64,
    landing: Landing,
    held: bool,
    hold: [Hold; 2],
    next: [Option<Piece>; 5],
    since_i: u32,
    dealt: u64,
    before: ComboState,
    placed: Placed,
    path: InputPath,
    found: Option<Found>,
    score: u32,
    board: Board,
    surface: Surface,
}

impl GuidelineRow {
    pub(crate) fn of(seen: &GuidelinePlacement) -> GuidelineRow {
        let GuidelinePlacement { game, piece_no, time_us, landing, held, hold, next, .. } = *seen;
        let board = seen.placed.after.matrix.to_board();
        GuidelineRow {
            game,
            piece_no,
            time_us,
            landing,
            held,
            hold,
            next,
            since_i: seen.since_i,
            dealt: seen.dealt,
            before: seen.before,
            placed: *seen.placed,
            path: seen.path.clone(),
            found: seen.found,
            score: seen.score,
            board,
            surface: Surface::of(&board),
        }
    }

    /// The matrix after the placement, full rows removed.
    fn matrix(&self) -> &Matrix {
        &self.placed.after.matrix
    }

    /// The middle of the piece's lowest and highest row, before rows are removed.
    fn landing_height(&self) -> f64 {
        let rows = self.landing.cells().map(|(_, row)| row);
        let (low, high) =
            rows.iter().fold((usize::MAX, 0), |(low, high), &row| (low.min(row), high.max(row)));
        (low + high) as f64 / 2.0
    }

    /// How many of the inputs count.
    fn inputs(&self, counts: impl Fn(&Input) -> bool) -> i64 {
        self.path.inputs.iter().filter(|input| counts(input)).count() as i64
    }

    /// Rows that it removes, lowest first.
    fn cleared_rows(&self) -> String {
        let full = (0..crate::matrix::ROWS).filter(|&row| self.placed.locked.row(row) == 1023);
        full.map(|row| row.to_string()).collect::<Vec<_>>().join(";")
    }

    /// The place of its clear among [`CLEARS`].
    fn clear_type(&self) -> usize {
        let lines = usize::from(self.placed.clear.lines);
        match self.placed.clear.spin {
            Spin::None => lines,
            // Behind the five clears without spin come minis of 0 to 2 rows and full spins of 0 to 3, as
            // [`CLEARS`] has them.
            Spin::Mini => 5 + lines.min(2),
            Spin::Full => 8 + lines.min(3),
        }
    }

    /// 0 a drop, 1 a tuck (soft drop, then more), 2 a spin (a turn last, with nothing left to fall).
    fn kind(&self) -> usize {
        // The last input is the hard drop that locks: the one before it tells how the piece came to rest. Where
        // it still falls rows, what came before was in the air.
        let tucked = matches!(self.path.inputs.iter().rev().nth(1), Some(last) if self.path.hard == 0 && !is_drop(last));
        match self.path.kick {
            Some(_) => 2,
            None if tucked && self.path.inputs.iter().any(is_drop) => 1,
            None => 0,
        }
    }
}

/// Whether an input lets the piece fall without locking it.
fn is_drop(input: &Input) -> bool {
    matches!(input, Input::SoftDrop | Input::SonicDrop)
}

const KINDS: [&str; 3] = ["drop", "tuck", "spin"];
const CLEARS: [&str; 12] = [
    "none", "single", "double", "triple", "tetris", "mini_0", "mini_1", "mini_2", "t_spin_0",
    "t_spin_1", "t_spin_2", "t_spin_3",
];

/// The columns of a guideline run's `placements`.
pub(crate) fn guideline_placement_fields() -> Vec<Field<GuidelineRow>> {
    let mut fields = piece_fields();
    fields.extend(place_fields());
    fields.extend(clear_fields());
    fields.extend(board_fields());
    fields.extend(choice_fields());
    for field in &mut fields {
        field.minimal = MINIMAL.contains(&&*field.column.name);
    }
    fields
}

/// The columns of the smallest selection: which placement, where, and what it did.
const MINIMAL: [&str; 13] = [
    "game",
    "piece_no",
    "sim_time_ms",
    "piece",
    "used_hold",
    "rot",
    "x_left",
    "y_low",
    "lines",
    "clear_type",
    "score",
    "lines_total",
    "lock_out",
];

/// A column of whole numbers of a placement.
fn integer(
    name: &str,
    unit: &'static str,
    meaning: &str,
    value: impl Fn(&GuidelineRow) -> i64 + Send + Sync + 'static,
) -> Field<GuidelineRow> {
    Field::integer(name, unit, meaning, value)
}

/// A column of the piece in the hold, before (0) or after (1); missing when it is empty or nobody knows.
fn hold(name: &str, meaning: &str, which: usize) -> Field<GuidelineRow> {
    let piece = move |row: &GuidelineRow| match row.hold[which] {
        Hold::Piece(piece) => Some(piece.index()),
        Hold::Empty | Hold::Unknown => None,
    };
    Field::factor(name, meaning, Piece::ALL, piece).missing("it is empty")
}

/// Which piece, and what was known.
fn piece_fields() -> Vec<Field<GuidelineRow>> {
    let mut fields = vec![
        Field::count("game", "-", "number of the game in its run, from 0", |row: &GuidelineRow| {
            row.game
        }),
        integer("piece_no", "-", "number of the piece in its game, from 1", |row| {
            row.piece_no.into()
        }),
        Field::count(
            "sim_time_ms",
            "ms",
            "when it locks, by the run's clock",
            |row: &GuidelineRow| row.time_us / 1000,
        ),
        Field::factor("piece", "the piece placed", Piece::ALL, |row: &GuidelineRow| {
            row.landing.piece.index()
        }),
        Field::logical("used_hold", "-", "whether the hold was used", |row: &GuidelineRow| {
            row.held
        }),
        hold("hold_before", "the piece in the hold before", 0),
        hold("hold_after", "the piece in the hold after", 1),
    ];
    for k in 0..5 {
        let meaning = format!("piece {} after it in the queue", k + 1);
        let next = move |row: &GuidelineRow| row.next[k].map(Piece::index);
        let field = Field::factor(format!("next{}", k + 1), meaning, Piece::ALL, next);
        fields.push(field.missing("it is not seen"));
    }
    fields.push(integer(
        "pieces_since_i",
        "pieces",
        "pieces since the last I, 0 for an I",
        |row| row.since_i.into(),
    ));
    fields.extend(bag_fields());
    fields
}

/// Columns that say what a search found of the placement chosen.
pub(super) const OF_SEARCH: [&str; 3] = ["value", "value_2nd", "nodes"];

/// Columns of games whose queue deals bags.
pub(super) const OF_BAGS: [&str; 2] = ["bag_no", "bag_pos"];

/// Which bag of seven a piece was dealt in, and where in it, from its number in the queue:
///
/// ```text
/// dealt    1 2 3 4 5 6 7   8 9 ...
/// bag_no   1 1 1 1 1 1 1   2 2
/// bag_pos  1 2 3 4 5 6 7   1 2
/// ```
fn bag_fields() -> [Field<GuidelineRow>; 2] {
    let [number, place] = OF_BAGS;
    [
        Field::count(
            number,
            "-",
            "number of the bag it was dealt in, from 1",
            |row: &GuidelineRow| (row.dealt - 1) / 7 + 1,
        ),
        integer(place, "-", "its place in that bag, from 1", |row| {
            ((row.dealt - 1) % 7 + 1) as i64
        }),
    ]
}

/// Where, and by which inputs.
fn place_fields() -> Vec<Field<GuidelineRow>> {
    let is_turn = |input: &Input| matches!(input, Input::Turn(_));
    let is_shift = |input: &Input| {
        matches!(input, Input::Left | Input::Right | Input::FarLeft | Input::FarRight)
    };
    vec![
        Field::factor(
            "rot",
            "its state: quarter turns from the spawn",
            RotationState::ALL.map(RotationState::name),
            |row: &GuidelineRow| row.landing.state.index(),
        ),
        integer("x_left", "column", "column of its leftmost cell", |row| row.landing.left() as i64),
        integer("y_low", "row", "row of its lowest cell", |row| row.landing.low() as i64),
        Field::real(
            "landing_height",
            "rows",
            "row of its lowest cell before clearing + (rows of the piece - 1)/2",
            GuidelineRow::landing_height,
        ),
        Field::text("cells", "its cells, column:row joined by ';'", |row: &GuidelineRow, text| {
            let cells = row.landing.cells().map(|(x, y)| format!("{x}:{y}"));
            text.extend(cells.join(";").bytes());
        }),
        integer("soft_cells", "rows", "rows fallen by soft drops", |row| row.path.soft.into()),
        integer("hard_cells", "rows", "rows fallen by the hard drop", |row| row.path.hard.into()),
        Field::text(
            "inputs",
            "the shortest inputs: l r shift, L R shift as far as it goes, c a h turn (cw, ccw, half), d s soft drop (one row, to the ground), D hard drop",
            |row: &GuidelineRow, text| {
                text.extend(row.path.inputs.iter().map(|input| input.letter() as u8))
            },
        ),
        integer("n_inputs", "keys", "their number (finesse), hold not among them", |row| {
            row.path.inputs.len() as i64
        }),
        integer("n_rot", "keys", "turns among them", move |row| row.inputs(is_turn)),
        integer("n_shift", "keys", "shifts among them", move |row| row.inputs(is_shift)),
        Field::integer(
            "kick_no",
            "-",
            "kick (0-based) of a turn that came last",
            |row: &GuidelineRow| row.path.kick.map(i64::from),
        )
        .missing("it fell or was shifted last"),
        Field::factor("tspin", "its spin", Spin::NAMES, |row: &GuidelineRow| {
            row.landing.spin as usize
        }),
        Field::factor("placement_kind", "how it came to rest", KINDS, GuidelineRow::kind),
    ]
}

/// Rows and points.
fn clear_fields() -> Vec<Field<GuidelineRow>> {
    fn points(name: &str, meaning: &str, value: fn(&GuidelineRow) -> u32) -> Field<GuidelineRow> {
        integer(name, "points", meaning, move |row| value(row).into())
    }
    vec![
        integer("lines", "rows", "rows removed", |row| row.placed.clear.lines.into()),
        Field::text(
            "cleared_rows",
            "which, lowest first, joined by ';'",
            |row: &GuidelineRow, text| {
                text.extend(row.cleared_rows().bytes());
            },
        )
        .missing("none is removed"),
        Field::factor("clear_type", "the clear and its spin", CLEARS, GuidelineRow::clear_type),
        Field::logical("perfect", "-", "whether it left nothing", |row: &GuidelineRow| {
            row.placed.clear.perfect
        }),
        Field::logical(
            "b2b_before",
            "-",
            "whether the last clear was a difficult one",
            |row: &GuidelineRow| row.before.back_to_back,
        ),
        Field::logical("b2b_after", "-", "the same after it", |row: &GuidelineRow| {
            row.placed.after.combo_state.back_to_back
        }),
        integer("combo", "-", "clears in a row, this one among them", |row| {
            row.placed.after.combo_state.combo.into()
        }),
        points("base_points", "of the clear or spin itself", |row| row.placed.points.base),
        points("b2b_points", "the half more of back-to-back", |row| row.placed.points.back_to_back),
        points("combo_points", "50 for each clear in a row before", |row| row.placed.points.combo),
        points("perfect_points", "of the perfect clear", |row| row.placed.points.perfect),
        points("drop_points", "of its drops", |row| row.path.points()),
        points("score", "all points so far", |row| row.score),
        integer("lines_total", "rows", "rows removed so far", |row| row.placed.after.lines.into()),
    ]
}

/// Terms of the matrix that are columns.
pub(super) const MEASURED: [&str; 12] = [
    "aggregate_height",
    "max_height",
    "bumpiness",
    "holes",
    "rows_with_holes",
    "row_transitions",
    "column_transitions",
    "covered",
    "overhangs",
    "cavities",
    "wells_by_height",
    "t_slots_2",
];

/// The matrix after it.
fn board_fields() -> Vec<Field<GuidelineRow>> {
    let mut fields = Vec::new();
    for column in 0..WIDTH {
        let meaning = format!("height of column {column}");
        let height = move |row: &GuidelineRow| i64::from(row.surface.heights[column]);
        fields.push(integer(&format!("h{column}"), "rows", &meaning, height));
    }
    fields.push(Field::text(
        "board",
        "its rows from the floor up: hexadecimal, bit 0 the leftmost column, joined by ':'; `000` when it is empty, as after a perfect clear",
        |row: &GuidelineRow, text| row.board.write_hex(text),
    ));
    // In the order of all terms instead of that of the names here, which `MEASURED` only picks from.
    for term in Term::all().filter(|term| MEASURED.contains(&term.definition().name)) {
        let entry = term.definition();
        let value = move |row: &GuidelineRow| term.of_matrix(row.matrix(), None).map(i64::from);
        fields.push(Field::integer(entry.name, "-", entry.definition, value));
    }
    if let Ok(depth) = "hole_depth".parse::<Feature>() {
        let value = move |row: &GuidelineRow| depth.raw(&row.board, None).map(i64::from);
        let meaning = depth.definition().definition;
        fields.push(Field::integer("hole_depth", "cells", meaning, value));
    }
    fields.extend([
        Field::integer(
            "well_col",
            "column",
            "deepest column, leftmost of several",
            |row: &GuidelineRow| (row.surface.well.1 > 0).then_some(row.surface.well.0 as i64),
        )
        .missing("no column lies below its neighbours"),
        integer("well_depth", "rows", "how far it lies below its lower neighbour", |row| {
            row.surface.well.1.into()
        }),
        Field::logical(
            "covered_well",
            "-",
            "whether it left an empty cell under itself in the well, the deepest column before it",
            |row: &GuidelineRow| covers_well(&row.placed.locked, row.landing),
        )
        .missing("no column lay 3 or more below its lower neighbour before it"),
        integer("n_dep3", "columns", "columns 3 or more below their lower neighbour", |row| {
            row.surface.i_dependencies as i64
        }),
        integer(
            "n_ok_pieces",
            "pieces",
            "kinds of pieces, of seven, that some drop lays down without an empty cell under them",
            |row| i64::from(fitting(row.matrix())),
        ),
        integer("parity_check", "cells", "cells with column + row even, less the others", |row| {
            row.surface.parity_check
        }),
        integer("parity_col", "cells", "cells of even columns, less the others", |row| {
            row.surface.parity_column
        }),
    ]);
    fields
}

/// The choice.
fn choice_fields() -> Vec<Field<GuidelineRow>> {
    let [value, second, looked_at] = OF_SEARCH;
    const PLANNED: &str = "it is of a perfect finish that was planned before, or a person's";
    vec![
        Field::integer(
            "n_moves",
            "-",
            "placements to choose from, of both pieces: one for each set of cells, whatever the ways there; those that lose are left out",
            |row: &GuidelineRow| row.found.map(|found| i64::from(found.choices)),
        )
        .missing(PLANNED),
        Field::real(value, "-", "its value under the search", |row: &GuidelineRow| {
            row.found.map(|found| found.value as f64 / SCALE)
        })
        .missing(PLANNED),
        Field::real(
            second,
            "-",
            "the best value that the search has of another placement in its last layer",
            |row: &GuidelineRow| row.found?.second.map(|value| value as f64 / SCALE),
        )
        .missing("there is none, every state left begins with this one, or as for value"),
        Field::count(looked_at, "-", "placements looked at", |row: &GuidelineRow| {
            row.found.map(|found| found.looked_at)
        })
        .missing(PLANNED),
        Field::logical("lock_out", "-", "whether it ended the game by a lock above row 19; never of a controller, which makes no such placement", |row: &GuidelineRow| {
            row.placed.lost
        }),
    ]
}
