//! Tables `placements` and `candidates` of guideline runs, and the totals of a game so far, which
//! the record of the next placement contains.
//! Frozen: bytes

use super::{GuidelineGameRow, count_fitting_pieces, covers_well};
use crate::features::guideline::Term;
use crate::kernels::SurfaceProperty;
use crate::matrix::WIDTH;
use crate::prelude::*;
use crate::record::tables::games::named_split_field;
use crate::record::tables::placements::{BoardsOf, changes, surface_changes};
use crate::record::tables::surface::{HasSurface, Surface};
use crate::record::tables::table;
use crate::rules::guideline::{
    Choice, ComboState, GuidelineState, Hold, Input, InputPath, Landing, MAX_PREVIEWS, Placed,
    RotationState, Spin,
};
use crate::search::guideline::{QueueView, RankedLanding, SCALE, SearchResult, Terms};

/// Input of a player's decision in a guideline game: the state and the known part of the queue.
#[derive(Clone, Copy, Debug)]
pub struct GuidelineDecision<'a> {
    /// State of the game before the placement.
    pub state: &'a GuidelineState,
    /// Next pieces that the player sees, and what else it knows of the queue.
    pub outlook: QueueView<'a>,
}

/// Record of a guideline placement, from which a row of `placements` is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuidelinePlacement {
    /// Index of the game in its run, from 0.
    pub game: u64,
    /// Seed of the game's random stream.
    pub stream_seed: u64,
    /// Number of the piece in its game, from 1.
    pub piece_no: u32,
    /// Time at which the piece locks, in microseconds of the run's clock.
    pub time_us: u64,
    /// Final position of the placed piece, with its spin.
    pub landing: Landing,
    /// Placed piece, and the piece in the hold after the placement.
    pub choice: Choice,
    /// Content of the hold before the placement.
    pub hold_before: Hold,
    /// Visible next pieces after the placement, in order.
    pub next: [Option<Piece>; MAX_PREVIEWS],
    /// Number of pieces since the game's last I, including this piece; 0 for an I.
    pub since_i: u32,
    /// Number of the placed piece in the order in which the queue dealt the pieces, from 1.
    pub dealt: u64,
    /// Combo and back-to-back (consecutive clears and difficult clears) before the placement.
    pub before: ComboState,
    /// Effect of the placement on the game: rows, points and attack.
    pub placed: Placed,
    /// Shortest keys for the placement, with the rows dropped (for a person, by the keys really
    /// pressed).
    pub path: InputPath,
    /// Result of the search that rated the placement; `None` if no search did.
    pub found: Option<SearchResult>,
    /// Best placement, and true if that uses the hold; with `None`, the placement counts as best.
    pub best: Option<(Landing, bool)>,
    /// Points of the game so far, including this placement.
    pub score: u32,
    /// Rows of garbage that the game sent so far, including those of this placement.
    pub attack_total: u32,
    /// Number of garbage rows on the board before the placement.
    pub garbage: u32,
}

impl HasSurface for GuidelinePlacement {
    fn board_after(&self) -> Board {
        self.board()
    }
}

impl GuidelinePlacement {
    fn best(&self) -> Landing {
        self.best.map_or(self.landing, |(landing, _)| landing)
    }

    fn board(&self) -> Board {
        self.matrix().to_board()
    }

    fn matrix(&self) -> &Matrix {
        &self.placed.after.matrix
    }

    fn matrix_before(&self) -> Matrix {
        let piece = self.landing.lock(&Matrix::EMPTY);
        let mut columns = *self.placed.locked.columns();
        for (column, own) in columns.iter_mut().zip(piece.columns()) {
            *column &= !own;
        }
        Matrix::from_columns(columns)
    }

    fn landing_height(&self) -> f64 {
        let rows = self.landing.cells().map(|(_, row)| row);
        let (low, high) =
            rows.iter().fold((usize::MAX, 0), |(low, high), &row| (low.min(row), high.max(row)));
        (low + high) as f64 / 2.0
    }

    fn inputs(&self, counts: impl Fn(&Input) -> bool) -> usize {
        self.path.inputs.iter().filter(|input| counts(input)).count()
    }

    fn cleared_rows(&self) -> String {
        let full = (0..crate::matrix::ROWS).filter(|&row| self.placed.locked.row(row) == 1023);
        full.map(|row| row.to_string()).collect::<Vec<_>>().join(";")
    }

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

    /// Returns the index in `KINDS` of the placement's last movement.
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

fn is_drop(input: &Input) -> bool {
    matches!(input, Input::SoftDrop | Input::SonicDrop)
}

const KINDS: [&str; 3] = ["drop", "tuck", "spin"];
const CLEARS: [&str; 12] = [
    "none", "single", "double", "triple", "tetris", "mini_0", "mini_1", "mini_2", "t_spin_0",
    "t_spin_1", "t_spin_2", "t_spin_3",
];

pub(crate) const OF_SEARCH: [&str; 3] = ["score", "rank2_score", "nodes"];

const LOGGED_PREVIEWS: usize = 5;

fn next_column(k: usize) -> String {
    format!("next_{}", k + 1)
}

pub(super) const BAG_COLUMNS: [&str; 2] = ["bag_no", "bag_pos"];

const PLANNED: &str =
    "the placement is of a perfect finish that was planned before, of a person or of a bot";

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

const MATRICES: BoardsOf<GuidelinePlacement, Matrix> =
    [GuidelinePlacement::matrix_before, |row| *row.matrix()];
const BOARDS: BoardsOf<GuidelinePlacement, Board> =
    [|row| row.matrix_before().to_board(), GuidelinePlacement::board];

table! {
    /// Returns the columns of a guideline run's `placements`, with `previews` visible next pieces.
    pub(crate) fn guideline_placement_fields(previews: usize) of row: GuidelinePlacement {
        /// Number of the game in its run, from 0.
        game: count + minimal = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: integer + minimal = row.piece_no;
        /// Time at which the piece locks, by the run's clock.
        time_ms: count + minimal, "ms" = row.time_us / 1000;
        /// Piece that was placed.
        piece: factor(Piece::ALL) + minimal = row.landing.piece;
        /// True if the placement used the hold.
        used_hold: logical + minimal = row.choice.held;
        /// Piece in the hold before the placement.
        hold_before: factor(Piece::ALL) = row.hold_before.piece(), missing "the hold is empty";
        /// Piece in the hold after the placement.
        hold_after: factor(Piece::ALL) = row.choice.hold.piece(), missing "the hold is empty";
        ..(0..previews.max(LOGGED_PREVIEWS)).map(|k| {
            let meaning = format!("visible piece {} after the placement, in queue order", k + 1);
            let next = move |row: &GuidelinePlacement| row.next[k];
            Field::factor(next_column(k), meaning, Piece::ALL, next)
                .missing("it is not seen")
        });
        /// Number of pieces since the game's last I or start, including the current piece; 0 for an
        /// I.
        pieces_since_i: integer, "pieces" = row.since_i;
        // Bag of seven and place within it, from the number in the queue:
        //
        // dealt    1 2 3 4 5 6 7   8 9 ...
        // bag_no   1 1 1 1 1 1 1   2 2
        // bag_pos  1 2 3 4 5 6 7   1 2
        /// Number, from 1, of the bag of seven that contained the piece.
        bag_no: count = (row.dealt - 1) / 7 + 1;
        /// Position of the piece in its bag of seven, from 1.
        bag_pos: integer = (row.dealt - 1) % 7 + 1;

        // Position and inputs.
        /// Rotation state of the piece: quarter turns clockwise from the spawn orientation (`0`,
        /// `R`, `2`, `L`).
        orientation: factor(RotationState::NAMES) + minimal = row.landing.state.index();
        /// Column of the leftmost cell of the piece, from 0.
        column: integer + minimal, "column" = row.landing.left_column();
        /// Row of the lowest cell of the piece before rows are removed, 0 at the floor.
        landing_row: integer + minimal, "row" = row.landing.low();
        /// Height of the piece's centre: (lowest row + highest row) / 2, before rows are removed.
        landing_height: real, "rows" = row.landing_height();
        /// Cells of the piece before rows are removed: column:row, both from 0, joined by ';'.
        cells: text = row.landing.cells().map(|(x, y)| format!("{x}:{y}")).join(";");
        /// Number of rows that the piece fell by soft drops.
        soft_cells: integer, "rows" = row.path.soft;
        /// Number of rows that the piece fell by the hard drop.
        hard_cells: integer, "rows" = row.path.hard;
        /// Shortest keys, without the hold: l, r (shift), L, R (shift to the end), c, a, h (turn
        /// clockwise, counter-clockwise, half), d, s, D (drop one row, softly to the ground, hard).
        input_keys: written =
            |text| text.extend(row.path.inputs.iter().map(|input| input.letter() as u8));
        /// Number of keys in `input_keys`, the shortest inputs (finesse); the hold is not counted.
        n_inputs: integer, "keys" = row.path.inputs.len();
        /// Number of turns in `input_keys`, the shortest inputs.
        n_turns: integer, "keys" = row.inputs(|input| matches!(input, Input::Turn(_)));
        /// Number of shifts in `input_keys`, the shortest inputs; a shift as far as possible counts
        /// once.
        n_shifts: integer, "keys" = row.inputs(|input| {
            matches!(input, Input::Left | Input::Right | Input::FarLeft | Input::FarRight)
        });
        /// Index of the wall kick, from 0, if the piece's last movement was a turn.
        kick_no: integer = row.path.kick, missing "the piece fell or was shifted last";
        /// Kind of T-spin of the placement; `none` for pieces other than T.
        t_spin: factor(Spin::NAMES) = row.landing.spin as usize;
        /// Kind of last movement: `drop`, `tuck` (inputs after a soft drop), or `spin` (a turn into
        /// the final position).
        placement_kind: factor(KINDS) = row.kind();

        // Rows and points.
        /// Number of rows that the placement removed.
        lines: integer + minimal, "rows" = row.placed.clear.lines;
        /// Rows that the placement removed, numbered from 0 at the floor before removal, lowest
        /// first, joined by ';'.
        cleared_rows: text = row.cleared_rows(), missing "no row is removed";
        /// Kind of clear and T-spin; the digit after `mini_` or `t_spin_` is the number of rows
        /// removed.
        clear_type: factor(CLEARS) + minimal = row.clear_type();
        /// True if the placement removed rows and left the board empty (perfect clear).
        perfect: logical = row.placed.clear.perfect;
        /// True if the last clear before the placement was a tetris or a T-spin (also mini) with
        /// rows.
        b2b_before: logical = row.before.back_to_back();
        /// True if the last clear, this placement included, was a tetris or a T-spin (also mini)
        /// with rows.
        b2b_after: logical = row.placed.after.combo_state.back_to_back();
        /// Length of the back-to-back chain before the placement: consecutive difficult clears. The
        /// attack table sets its maximum, 1 for a flat bonus.
        b2b_chain: integer = row.before.chain;
        /// Number of consecutive clears up to and including the placement; 0 if the placement
        /// removed no row.
        combo: integer = row.placed.after.combo_state.combo;
        /// Points of the clear or spin itself, without back-to-back, combo, perfect clear and
        /// drops.
        points_base: integer, "points" = row.placed.points.base;
        /// Additional points of back-to-back: half of `points_base`, or 0 if back-to-back does not
        /// apply.
        points_b2b: integer, "points" = row.placed.points.back_to_back;
        /// Points of the combo: 50 x number of consecutive clears before this clear; 0 if no row
        /// was removed.
        points_combo: integer, "points" = row.placed.points.combo;
        /// Additional points of a perfect clear; 0 if the placement is none.
        points_perfect: integer, "points" = row.placed.points.perfect;
        /// Points of drops: 1 for each row of a soft drop, 2 for each row of the hard drop.
        points_drop: integer, "points" = row.path.points();
        /// Points of the game up to and including the placement.
        points_total: integer + minimal, "points" = row.score;
        /// Rows of garbage that the placement sends to an opponent, by the rules' attack table.
        attack: integer, "rows" = row.placed.attack;
        /// Rows of garbage that the game sent up to and including the placement.
        attack_total: integer, "rows" = row.attack_total;
        /// Number of rows removed in the game up to and including the placement.
        lines_total: integer + minimal, "rows" = row.placed.after.lines;

        // The matrix after it.
        ..(0..WIDTH).map(|column| {
            let meaning = format!(
                "height of column {column}, counted from 0 at the left, after the placement"
            );
            Field::surface(format!("h{column}"), "rows", meaning, SurfaceProperty::Height(column))
        });
        /// Board after the placement: hexadecimal rows from the floor up, joined by ':', bit 0
        /// leftmost; `000` if empty.
        board: written = |text| row.board().write_hex(text);
        // The order is that of all terms; `MEASURED` only selects.
        ..Term::all().filter(|term| MEASURED.contains(&term.definition().name)).map(|term| {
            let entry = term.definition();
            let value = move |row: &GuidelinePlacement| term.matrix_value(row.matrix(), None);
            Field::integer(entry.name, "-", entry.definition, value)
        });
        ..("hole_depth".parse::<Feature>()).map(|depth| {
            let value = move |row: &GuidelinePlacement| depth.raw(&row.board(), None);
            Field::integer("hole_depth", "cells", depth.definition().definition, value)
        });
        /// Column, from 0, that lies deepest below its lower neighbour after the placement; the
        /// leftmost of several.
        well_column: surface, "column" = (SurfaceProperty::WellColumn, 1),
            missing "no column lies below its neighbours";
        /// Depth of the deepest column below its lower neighbour after the placement; 0 if no
        /// column lies below its neighbours.
        well_depth: surface, "rows" = SurfaceProperty::WellDepth;
        /// True if the piece left an empty cell under itself in the well, the deepest column before
        /// the placement.
        covered_well: logical = covers_well(&row.matrix_before(), row.landing),
            missing "no column lay 3 or more below its lower neighbour before the placement";
        /// Number of columns 3 or more rows below their lower neighbour after the placement.
        i_dependencies: surface, "columns" = SurfaceProperty::IDependencies;
        /// Number of piece kinds (0 to 7) that can be dropped on the resulting board without an
        /// empty cell below them.
        ok_pieces: integer, "pieces" = count_fitting_pieces(row.matrix());
        /// Number of filled cells with column + row even, minus the number with column + row odd,
        /// after the placement.
        parity_check: surface, "cells" = SurfaceProperty::ParityCheck;
        /// Number of filled cells in even columns, minus the number in odd columns, after the
        /// placement.
        parity_column: surface, "cells" = SurfaceProperty::ParityColumn;

        // The choice.
        /// Number of surviving placements to choose from, of the current piece and the hold's
        /// piece; equal cells count once.
        candidates: integer = row.found.map(|found| found.choices), missing PLANNED;
        /// Best value of a sequence that the search found from the placement on, averaged over
        /// sampled futures; missing without such a sequence.
        score: real = row.found.and_then(|found| found.value).map(|value| value as f64 / SCALE),
            missing PLANNED;
        /// Score of the best other placement that begins a sequence in the search's last layer.
        rank2_score: real =
            row.found.and_then(|found| found.second).map(|value| value as f64 / SCALE),
            missing "there is no other placement, every state left begins with this one, or \
                `score` is missing";
        /// Number of placements that the search examined, including placements of later pieces.
        nodes: count = row.found.map(|found| found.examined), missing PLANNED;
        /// True if the piece locked wholly above row 19 and so ended the game; always false for a
        /// controller.
        lost: logical + minimal = row.placed.lost;

        // The board before the placement, and its change.
        /// Board before the placement, in the format of `board`. `board_before` is only written if
        /// requested by name, for logs with --every.
        board_before: written + named_only = |text| row.matrix_before().to_board().write_hex(text);
        /// Number of garbage rows that the placement removed. `garbage_cleared` is only written if
        /// requested by name.
        garbage_cleared: integer + named_only, "rows" =
            GarbageRows::count_removed(row.garbage, row.placed.locked.full_rows().reverse_bits());
        ..Term::all().filter(|term| MEASURED.contains(&term.definition().name)).flat_map(|term| {
            let entry = term.definition();
            let value = move |matrix: &Matrix| term.matrix_value(matrix, None);
            changes(entry.name, "-", entry.definition, MATRICES, value)
        });
        ..("hole_depth".parse::<Feature>()).into_iter().flat_map(|depth| {
            let value = move |board: &Board| depth.raw(board, None);
            changes("hole_depth", "cells", depth.definition().definition, BOARDS, value)
        });
        /// `well_column` of the board before the placement, that is, the column of the deepest
        /// well.
        well_column_before: integer + named_only, "column" =
            Surface::new(&row.matrix_before().to_board()).well_column(1),
            missing "no column lay below its neighbours";
        ..surface_changes(BOARDS);
        ..changes(
            "ok_pieces",
            "pieces",
            "kinds of pieces, of seven, that a drop can place without an empty cell under it",
            MATRICES,
            |matrix| Some(count_fitting_pieces(matrix) as i32),
        );
        ..[named_split_field(|row: &GuidelinePlacement| row.stream_seed)];
        /// Piece of the best placement, which a policy other than `best` need not choose.
        /// `best_piece` is only written if requested by name.
        best_piece: factor(Piece::ALL) + named_only = row.best().piece;
        /// Rotation state of the best placement, as in `orientation`. `best_orientation` is only
        /// written if requested by name.
        best_orientation: factor(RotationState::NAMES) + named_only = row.best().state.index();
        /// Column of the leftmost cell of the best placement, from 0. `best_column` is only written
        /// if requested by name.
        best_column: integer + named_only, "column" = row.best().left_column();
        /// Row of the best placement's lowest cell before clears, from 0. `best_landing_row` is
        /// only written if requested by name.
        best_landing_row: integer + named_only, "row" = row.best().low();
        /// Rank of the placement: 1 plus the number of better placements; unscored placements come
        /// last. `rank` is only written if requested by name.
        rank: integer + named_only = row.found.map(|found| found.rank), missing PLANNED;
        /// Score of the best placement minus `score`; 0 if no placement is better. `regret` is only
        /// written if requested by name.
        regret: real + named_only = row.found.and_then(SearchResult::regret), missing PLANNED;
        /// Number of consecutive clears directly before the placement. `combo_before` is only
        /// written if requested by name.
        combo_before: integer + named_only = row.before.combo;
    }
}

/// Data of one candidate placement, from which the columns of the table `candidates` are computed.
#[derive(Clone, Debug)]
pub struct GuidelineCandidate {
    game: u64,
    piece_no: u32,
    number: i64,
    ranked: RankedLanding,
    chosen: bool,
    values: Vec<i32>,
}

impl GuidelineCandidate {
    /// Returns the candidate placements of one decision, in the order of `ranked`.
    pub fn from_ranking<'a>(
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
        /// Number of the game in its run, from 0.
        game: count = row.game;
        /// Number of the piece in its game, from 1.
        piece_no: count = row.piece_no;
        /// Piece that the candidate places.
        piece: factor(Piece::ALL) = row.ranked.landing.piece;
        /// Number of the candidate, from 1, where the current piece comes before the hold's piece.
        /// The lowest number wins a tie.
        candidate: integer = row.number;
        /// True if the candidate uses the hold.
        used_hold: logical = row.ranked.choice.held;
        /// Rotation state of the piece: quarter turns clockwise from the spawn orientation (`0`,
        /// `R`, `2`, `L`).
        orientation: factor(RotationState::NAMES) = row.ranked.landing.state.index();
        /// Column of the leftmost cell of the piece, from 0.
        column: integer = row.ranked.landing.left_column();
        /// Row of the lowest cell of the piece before rows are removed, 0 at the floor.
        landing_row: integer = row.ranked.landing.low();
        /// Best kind of T-spin with which a T can reach the candidate's cells; `none` for other
        /// pieces.
        t_spin: factor(Spin::NAMES) = row.ranked.landing.spin as usize;
        /// Number of rows that the candidate removes.
        lines: integer, "rows" = row.ranked.placed.clear.lines;
        /// True if the candidate loses the game, because the piece locks wholly above row 19.
        lost: logical = row.ranked.placed.lost;
        /// Best value of a sequence that the search found from the candidate on, averaged over
        /// sampled futures.
        score: real = row.ranked.value.map(|value| value as f64 / SCALE),
            missing "the candidate loses, the beam kept no sequence that begins with it, or others \
                win the game";
        /// Score of the candidate by itself, as in greedy play: the sum of the terms times their
        /// weights.
        own_score: real = row.ranked.own as f64 / SCALE;
        /// True if the candidate was played.
        chosen: logical = row.chosen;
        ..terms.iter().enumerate().map(|(index, term)| {
            let entry = term.definition();
            let value = move |row: &GuidelineCandidate| row.values.get(index).copied();
            Field::integer(entry.name, "-", entry.definition, value)
        });
    }
}

/// Placement chosen by a search, a plan, a person or a bot, with its effect.
#[derive(Clone, Debug)]
pub struct ChosenPlacement {
    /// Placed piece, and the piece in the hold after the placement.
    pub choice: Choice,
    /// Final position of the placed piece, with its spin.
    pub landing: Landing,
    /// Effect of the placement on the game: rows, points and attack.
    pub placed: Placed,
    /// Result of the search that rated the placement; `None` if no search did.
    pub found: Option<SearchResult>,
    /// True if the placement comes from a plan for the perfect finish of a Sprint.
    pub planned: bool,
    /// Best placement, and true if that uses the hold; with `None`, the placement counts as best.
    pub best: Option<(Landing, bool)>,
}

/// Totals and counters (combo, back-to-back) of a guideline game after its last placement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuidelineHistory {
    /// Results of the game so far, as a row of the table `games`.
    pub row: GuidelineGameRow,
    since_i: u32,
    dealt: QueueNumbers,
}

impl GuidelineHistory {
    /// Creates the totals and counters of a guideline game before its first placement.
    #[must_use]
    pub fn new(row: GuidelineGameRow) -> GuidelineHistory {
        GuidelineHistory { row, since_i: 0, dealt: QueueNumbers::default() }
    }

    /// Adds a placement to the totals of the game, and returns the placement's record for the log.
    pub fn record(
        &mut self,
        state: &GuidelineState,
        chosen: ChosenPlacement,
        path: InputPath,
        time_us: u64,
        next: [Option<Piece>; MAX_PREVIEWS],
    ) -> GuidelinePlacement {
        let ChosenPlacement { choice, landing, placed, found, planned, best } = chosen;
        self.since_i = if landing.piece == Piece::I { 0 } else { self.since_i + 1 };
        self.row.time_us = time_us;
        self.row.count(choice.held, &placed, &path, planned);
        GuidelinePlacement {
            game: self.row.game,
            stream_seed: self.row.stream_seed,
            piece_no: self.row.pieces,
            time_us,
            landing,
            choice,
            hold_before: state.hold,
            next,
            since_i: self.since_i,
            dealt: self.dealt.number_of(&choice),
            before: state.combo_state,
            placed,
            path,
            found,
            best,
            score: self.row.points.total(),
            attack_total: self.row.attack,
            garbage: self.row.garbage_left,
        }
    }
}

/// Queue positions, from 1, of the last piece taken and of the piece in the hold (0 if none).
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct QueueNumbers {
    taken: u64,
    held: u64,
}

impl QueueNumbers {
    fn number_of(&mut self, choice: &Choice) -> u64 {
        let current = self.taken + 1;
        self.taken += u64::from(choice.taken);
        match (choice.held, choice.taken) {
            (false, _) => current,
            // The held piece is placed, and the current piece enters the hold with its number.
            (true, 1) => std::mem::replace(&mut self.held, current),
            (true, _) => {
                self.held = current;
                current + 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guideline::Hold;

    /// Tests a hold by hand: piece 2 enters the empty hold, and piece 4 replaces piece 2 there.
    #[test]
    fn numbers_in_the_queue_by_hand() {
        let mut dealt = QueueNumbers::default();
        let mut number = |held, taken| {
            dealt.number_of(&Choice { piece: Piece::T, held, hold: Hold::Empty, taken })
        };
        assert_eq!(
            [number(false, 1), number(true, 2), number(true, 1), number(false, 1)],
            [1, 3, 2, 5]
        );
        assert_eq!(number(true, 1), 4);
    }
}
