//! `placements` table of guideline runs: one row per placement.

use std::cell::OnceCell;

use super::fit::{covers_well, fitting};
use crate::board::Board;
use crate::features::Feature;
use crate::features::guideline::Term;
use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::record::tables::field::Field;
use crate::record::tables::surface::Surface;
use crate::record::tables::table::table;
use crate::rules::guideline::{
    Choice, ComboState, GuidelineState, Hold, Input, InputPath, Landing, MAX_PREVIEWS, Placed,
    RotationState, Spin,
};
use crate::search::guideline::{Found, Outlook, SCALE};

/// Input of a decision: the arguments of a search
/// ([`crate::search::guideline::BeamPlayer::decide`]).
#[derive(Clone, Copy, Debug)]
pub struct GuidelineDecision<'a> {
    /// State before the placement.
    pub state: &'a GuidelineState,
    /// Known part of the game to come.
    pub outlook: Outlook<'a>,
}

/// Record of a guideline placement, from which a row of `placements` is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuidelinePlacement {
    /// Number of the game.
    pub game: u64,
    /// Number of the piece in its game, from 1.
    pub piece_no: u32,
    /// Time of the lock, in microseconds.
    pub time_us: u64,
    /// Final position of the piece, with its spin.
    pub landing: Landing,
    /// The piece chosen, with the hold afterwards.
    pub choice: Choice,
    /// Hold before the placement.
    pub hold_before: Hold,
    /// Visible next pieces after the placement, in order.
    pub next: [Option<Piece>; MAX_PREVIEWS],
    /// Number of pieces since the last I, 0 for an I.
    pub since_i: u32,
    /// Number of the piece in the queue, from 1.
    pub dealt: u64,
    /// Combo and back-to-back before the placement.
    pub before: ComboState,
    /// Effect of the placement.
    pub placed: Placed,
    /// Shortest inputs; for a person, with the number of rows that the person's drops covered.
    pub path: InputPath,
    /// The result of the search; `None` for a placement of a plan or of a person.
    pub found: Option<Found>,
    /// Points so far, including this placement.
    pub score: u32,
    /// Properties of the matrix after the placement, computed when a column needs them.
    pub surface: OnceCell<Surface>,
}

impl GuidelinePlacement {
    /// Returns the board after the placement.
    fn board(&self) -> Board {
        self.matrix().to_board()
    }

    #[inline]
    fn surface(&self) -> &Surface {
        self.surface.get_or_init(|| Surface::of(&self.board()))
    }

    /// Returns the matrix after the placement, with full rows removed.
    fn matrix(&self) -> &Matrix {
        &self.placed.after.matrix
    }

    /// Computes the middle between the piece's lowest and highest row, before rows are cleared.
    fn landing_height(&self) -> f64 {
        let rows = self.landing.cells().map(|(_, row)| row);
        let (low, high) =
            rows.iter().fold((usize::MAX, 0), |(low, high), &row| (low.min(row), high.max(row)));
        (low + high) as f64 / 2.0
    }

    /// Counts the inputs for which `counts` is true.
    fn inputs(&self, counts: impl Fn(&Input) -> bool) -> usize {
        self.path.inputs.iter().filter(|input| counts(input)).count()
    }

    fn cleared_rows(&self) -> String {
        let full = (0..crate::matrix::ROWS).filter(|&row| self.placed.locked.row(row) == 1023);
        full.map(|row| row.to_string()).collect::<Vec<_>>().join(";")
    }

    /// Returns the index of the clear in [`CLEARS`].
    fn clear_type(&self) -> usize {
        let lines = usize::from(self.placed.clear.lines);
        match self.placed.clear.spin {
            Spin::None => lines,
            // [`CLEARS`] lists five clears without spin, then minis of 0 to 2 rows, then full spins
            // of 0 to 3.
            Spin::Mini => 5 + lines.min(2),
            Spin::Full => 8 + lines.min(3),
        }
    }

    /// Returns 0 for a drop, 1 for a tuck (a soft drop and further inputs), 2 for a spin (a final
    /// turn with no row left to fall).
    fn kind(&self) -> usize {
        // The last input is the hard drop; the one before shows how the piece came to rest. If the
        // hard drop still falls some rows, that input happened in the air.
        let last = self.path.inputs.iter().rev().nth(1);
        let tucked = self.path.hard == 0 && last.is_some_and(|last| !is_drop(last));
        match self.path.kick {
            Some(_) => 2,
            None if tucked && self.path.inputs.iter().any(is_drop) => 1,
            None => 0,
        }
    }
}

/// Returns true if an input lowers the piece without locking it.
fn is_drop(input: &Input) -> bool {
    matches!(input, Input::SoftDrop | Input::SonicDrop)
}

const KINDS: [&str; 3] = ["drop", "tuck", "spin"];
const CLEARS: [&str; 12] = [
    "none", "single", "double", "triple", "tetris", "mini_0", "mini_1", "mini_2", "t_spin_0",
    "t_spin_1", "t_spin_2", "t_spin_3",
];

/// Columns with the search's results for the chosen placement.
pub(super) const OF_SEARCH: [&str; 3] = ["score", "rank2_score", "nodes"];

/// Number of previews with columns in every log.
const LOGGED_PREVIEWS: usize = 5;

/// Returns the name of the column of preview `k`, counted from 0.
pub(crate) fn next_column(k: usize) -> String {
    format!("next_{}", k + 1)
}

/// Columns for games whose queue deals bags.
pub(super) const OF_BAGS: [&str; 2] = ["bag_no", "bag_pos"];

/// Reason for missing results of a search.
const PLANNED: &str = "it is of a perfect finish that was planned before, or a person's";

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

table! {
    /// Returns the columns of a guideline run's `placements` if its players see `previews` pieces.
    pub(crate) fn guideline_placement_fields(previews: usize) of row: GuidelinePlacement {
        /// Number of the game in its run, from 0.
        game: count + minimal = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: integer + minimal = row.piece_no;
        /// When it locks, by the run's clock.
        time_ms: count + minimal, "ms" = row.time_us / 1000;
        /// The piece placed.
        piece: factor(Piece::ALL) + minimal = row.landing.piece;
        /// Whether the hold was used.
        used_hold: logical + minimal = row.choice.held;
        /// The piece in the hold before.
        hold_before: factor(Piece::ALL) = held(row.hold_before), missing "it is empty";
        /// The piece in the hold after.
        hold_after: factor(Piece::ALL) = held(row.choice.hold), missing "it is empty";
        ..(0..previews.max(LOGGED_PREVIEWS)).map(|k| {
            let meaning = format!("piece {} after it in the queue", k + 1);
            let next = move |row: &GuidelinePlacement| row.next[k];
            Field::factor(next_column(k), meaning, Piece::ALL, next)
                .missing("it is not seen")
        });
        /// Pieces since the last I, 0 for an I.
        pieces_since_i: integer, "pieces" = row.since_i;
        // Bag of seven and place within it, from the number in the queue:
        //
        // dealt    1 2 3 4 5 6 7   8 9 ...
        // bag_no   1 1 1 1 1 1 1   2 2
        // bag_pos  1 2 3 4 5 6 7   1 2
        /// Number of the bag it was dealt in, from 1.
        bag_no: count = (row.dealt - 1) / 7 + 1;
        /// Its place in that bag, from 1.
        bag_pos: integer = (row.dealt - 1) % 7 + 1;

        // Position and inputs.
        /// Its state: quarter turns from the spawn.
        orientation: factor(RotationState::NAMES) + minimal = row.landing.state.index();
        /// Column of its leftmost cell.
        column: integer + minimal, "column" = row.landing.left();
        /// Row of its lowest cell.
        landing_row: integer + minimal, "row" = row.landing.low();
        /// Row of its lowest cell before clearing + (rows of the piece - 1)/2.
        landing_height: real, "rows" = row.landing_height();
        /// Its cells, column:row joined by ';'.
        cells: text = row.landing.cells().map(|(x, y)| format!("{x}:{y}")).join(";");
        /// Rows fallen by soft drops.
        soft_cells: integer, "rows" = row.path.soft;
        /// Rows fallen by the hard drop.
        hard_cells: integer, "rows" = row.path.hard;
        /// The shortest inputs: l r shift, L R shift as far as it goes, c a h turn (cw, ccw, half),
        /// d s soft drop (one row, to the ground), D hard drop.
        input_keys: written =
            |text| text.extend(row.path.inputs.iter().map(|input| input.letter() as u8));
        /// Their number (finesse), hold not among them.
        n_inputs: integer, "keys" = row.path.inputs.len();
        /// Turns among them.
        n_turns: integer, "keys" = row.inputs(|input| matches!(input, Input::Turn(_)));
        /// Shifts among them.
        n_shifts: integer, "keys" = row.inputs(|input| {
            matches!(input, Input::Left | Input::Right | Input::FarLeft | Input::FarRight)
        });
        /// Kick (0-based) of a turn that came last.
        kick_no: integer = row.path.kick, missing "it fell or was shifted last";
        /// Its spin.
        t_spin: factor(Spin::NAMES) = row.landing.spin as usize;
        /// How it came to rest.
        placement_kind: factor(KINDS) = row.kind();

        // Rows and points.
        /// Rows removed.
        lines: integer + minimal, "rows" = row.placed.clear.lines;
        /// Which, lowest first, joined by ';'.
        cleared_rows: text = row.cleared_rows(), missing "none is removed";
        /// The clear and its spin.
        clear_type: factor(CLEARS) + minimal = row.clear_type();
        /// Whether it left nothing.
        perfect: logical = row.placed.clear.perfect;
        /// Whether the last clear was a difficult one.
        b2b_before: logical = row.before.back_to_back;
        /// The same after it.
        b2b_after: logical = row.placed.after.combo_state.back_to_back;
        /// Clears in a row, this one among them.
        combo: integer = row.placed.after.combo_state.combo;
        /// Of the clear or spin itself.
        points_base: integer, "points" = row.placed.points.base;
        /// The half more of back-to-back.
        points_b2b: integer, "points" = row.placed.points.back_to_back;
        /// 50 for each clear in a row before.
        points_combo: integer, "points" = row.placed.points.combo;
        /// Of the perfect clear.
        points_perfect: integer, "points" = row.placed.points.perfect;
        /// Of its drops.
        points_drop: integer, "points" = row.path.points();
        /// All points so far.
        points_total: integer + minimal, "points" = row.score;
        /// Rows removed so far.
        lines_total: integer + minimal, "rows" = row.placed.after.lines;

        // The matrix after it.
        ..(0..WIDTH).map(|column| {
            let height = move |row: &GuidelinePlacement| row.surface().heights[column];
            let meaning = format!("height of column {column}");
            Field::integer(format!("h{column}"), "rows", meaning, height)
        });
        /// Its rows from the floor up: hexadecimal, bit 0 the leftmost column, joined by ':'; `000`
        /// when it is empty, as after a perfect clear.
        board: written = |text| row.board().write_hex(text);
        // The order is that of all terms; `MEASURED` only selects.
        ..Term::all().filter(|term| MEASURED.contains(&term.definition().name)).map(|term| {
            let entry = term.definition();
            let value = move |row: &GuidelinePlacement| term.of_matrix(row.matrix(), None);
            Field::integer(entry.name, "-", entry.definition, value)
        });
        ..("hole_depth".parse::<Feature>()).map(|depth| {
            let value = move |row: &GuidelinePlacement| depth.raw(&row.board(), None);
            Field::integer("hole_depth", "cells", depth.definition().definition, value)
        });
        /// Deepest column, leftmost of several.
        well_column: integer, "column" = (row.surface().well.1 > 0).then_some(row.surface().well.0),
            missing "no column lies below its neighbours";
        /// How far it lies below its lower neighbour.
        well_depth: integer, "rows" = row.surface().well.1;
        /// Whether it left an empty cell under itself in the well, the deepest column before it.
        covered_well: logical = covers_well(&row.placed.locked, row.landing),
            missing "no column lay 3 or more below its lower neighbour before it";
        /// Columns 3 or more below their lower neighbour.
        i_dependencies: integer, "columns" = row.surface().i_dependencies;
        /// Kinds of pieces, of seven, that some drop lays down without an empty cell under them.
        ok_pieces: integer, "pieces" = fitting(row.matrix());
        /// Cells with column + row even, less the others.
        parity_check: integer, "cells" = row.surface().parity_check;
        /// Cells of even columns, less the others.
        parity_column: integer, "cells" = row.surface().parity_column;

        // The choice.
        /// Placements to choose from, of both pieces: one for each set of cells, whatever the ways
        /// there; those that lose are left out.
        candidates: integer = row.found.map(|found| found.choices), missing PLANNED;
        /// Its value under the search.
        score: real = row.found.map(|found| found.value as f64 / SCALE), missing PLANNED;
        /// The best value that the search has of another placement in its last layer.
        rank2_score: real =
            row.found.and_then(|found| found.second).map(|value| value as f64 / SCALE),
            missing "there is none, every state left begins with this one, or as for `score`";
        /// Placements looked at.
        nodes: count = row.found.map(|found| found.looked_at), missing PLANNED;
        /// Whether it ended the game by a lock above row 19; never of a controller, which makes no
        /// such placement.
        lost: logical + minimal = row.placed.lost;
    }
}

/// Returns the piece in the hold; `None` if it is empty or unknown.
fn held(hold: Hold) -> Option<Piece> {
    match hold {
        Hold::Piece(piece) => Some(piece),
        Hold::Empty | Hold::Unknown => None,
    }
}
