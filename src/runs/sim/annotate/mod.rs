//! Annotation of tables: the score, rank and regret of placements that anybody made.
//!
//! The rows may come from any table. Each has a board, a piece and a placement, for example of a
//! human game. A controller compares the placement with all others, and the row gets the columns of
//! a log of placements.

use std::collections::BTreeSet;
use std::fmt::Display;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::board::{Board, BoardSize};
use crate::controller::Controller;
use crate::error::setting::SEARCH;
use crate::error::{Error, Result};
use crate::kernels::Level;
use crate::piece::Piece;
use crate::placement::Placement;
use crate::record::{
    BlockFile, Column, ColumnType, ColumnValues, Columns, EncoderPool, Field, FileSummary,
    LogFormat, PlacementEncoder, PlacementRecord, RowBuilder, RowSlice, Rows, rows_of,
};
use crate::rules::Rules;
use crate::search::{Player, Search};
use crate::threads::thread_pool;

tetrastat_core::names! {
    /// Reason why a row has no values.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Problem {
        /// The board, the piece, the orientation or the column is missing.
        Missing = "missing",
        /// The board has cells above its top row, so the game is already over.
        Overflow = "overflow",
        /// The board has a full row, which the rules would have removed.
        FullRow = "full_row",
        /// The piece has no such orientation there: it would reach beyond the walls or the floor.
        Outside = "outside",
        /// The piece covers a filled cell.
        Overlap = "overlap",
        /// The piece rests on nothing.
        Floating = "floating",
        /// The piece rests there, but the rules offer no way: a straight drop ends elsewhere.
        Unreachable = "unreachable",
    }
}

/// Settings of an annotation.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// Controller that compares the placements.
    pub controller: Controller,
    /// Rules that determine the possible placements.
    pub rules: Rules,
    /// Look-ahead of the controller. [`Search::Next`] needs the input column `next_1`.
    pub search: Search,
    /// Size of the boards. Without it, the size is that of the first board that is a picture
    /// ([`Board::from_picture`]), and otherwise 10x20.
    pub size: Option<BoardSize>,
    /// Columns to compute. The set `controller` includes `rank`, `regret` and the best placement.
    pub columns: Columns,
    /// Number of threads.
    pub threads: usize,
}

/// Summary of an annotated table.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// The written file.
    pub file: FileSummary,
    /// Size of the boards.
    pub size: BoardSize,
    /// Number of rows with each problem, in the order of [`Problem::ALL`].
    pub problems: [u64; Problem::ALL.len()],
}

/// Name of the column that says why the computed values of a row are missing.
const PROBLEM: &str = "problem";
/// Name of the column with the board before the placement.
const BOARD_BEFORE: &str = "board_before";
/// Column that every log has. In logs, the column `board` holds the board after the placement.
const OF_LOGS: &str = "piece_no";
/// Ending of the new name of an input column whose name is also that of a computed column.
const INPUT: &str = "_input";

/// Returns the input columns that an annotation reads, with their types.
#[must_use]
pub fn input_columns() -> Vec<Column> {
    let of = |(name, kind): (&str, ColumnType)| {
        let mut column = Column::new(name, kind, "-", "input");
        if kind == ColumnType::Factor {
            column.levels = Piece::ALL.iter().map(ToString::to_string).collect();
        }
        column
    };
    let (text, factor, integer) = (ColumnType::Text, ColumnType::Factor, ColumnType::Integer);
    let texts = [BOARD_BEFORE, "board"].map(|name| (name, text));
    let factors = ["piece", "next_1"].map(|name| (name, factor));
    let integers = ["orientation", "column", "landing_row"].map(|name| (name, integer));
    texts.into_iter().chain(factors).chain(integers).map(of).collect()
}

/// Places of the input columns.
struct Inputs {
    board: usize,
    board_name: &'static str,
    piece: usize,
    orientation: usize,
    column: usize,
    landing_row: Option<usize>,
    next: Option<usize>,
}

impl Inputs {
    fn of(path: &Path, columns: &[Column], search: Search) -> Result<Inputs> {
        let shown = path.display();
        let place = |name: &str| columns.iter().position(|column| column.name == name);
        let need = |name: &str, why: String| {
            let missing = || Error::Config(format!("{shown} has no column {name}, {why}"));
            place(name).ok_or_else(missing)
        };
        let placement = || "which every placement needs: name it so, or add it".to_owned();
        let is_log = place(OF_LOGS).is_some();
        let (board, board_name) = match (place(BOARD_BEFORE), place("board")) {
            (Some(before), _) => (before, BOARD_BEFORE),
            (None, Some(board)) if !is_log => (board, "board"),
            (None, _) => {
                return Err(Error::Config(format!(
                    "{shown} has no column {BOARD_BEFORE}, the board before the placement (in logs \
                     `board` is the one after it)"
                )));
            }
        };
        let inputs = Inputs {
            board,
            board_name,
            piece: need("piece", placement())?,
            orientation: need("orientation", placement())?,
            column: need("column", placement())?,
            landing_row: place("landing_row"),
            next: match search {
                Search::Next => Some(need("next_1", format!("the next piece of {SEARCH} next"))?),
                Search::Greedy | Search::Expect => place("next_1"),
            },
        };
        for (place, kind) in inputs.places().into_iter().zip(Inputs::KINDS) {
            let Some(column) = place.map(|place| &columns[place]) else { continue };
            // Whole doubles are read as integers, too.
            let is_number = kind == ColumnType::Integer
                && matches!(column.kind, ColumnType::Count | ColumnType::Real);
            if column.kind != kind && !is_number {
                let (name, found, kind) = (&column.name, column.kind.name(), kind.name());
                let text = format!("{shown}: column {name} is of type {found}: write it as {kind}");
                return Err(Error::Config(text));
            }
        }
        Ok(inputs)
    }

    /// Types of the columns in [`Inputs::places`].
    const KINDS: [ColumnType; 6] = [
        ColumnType::Text,
        ColumnType::Factor,
        ColumnType::Integer,
        ColumnType::Integer,
        ColumnType::Integer,
        ColumnType::Factor,
    ];

    fn places(&self) -> [Option<usize>; 6] {
        let needed = [self.board, self.piece, self.orientation, self.column].map(Some);
        let [board, piece, orientation, column] = needed;
        [board, piece, orientation, column, self.landing_row, self.next]
    }
}

/// Player and row builder of one thread.
struct Worker {
    player: Player,
    rows: RowBuilder<PlacementRecord>,
}

/// Annotated rows of one thread: the values of rows without a problem, and the problem of each row.
struct Part {
    rows: Rows,
    problems: Vec<Option<Problem>>,
}

/// Rows of the input, with the number of the rows before them.
struct Chunk<'a> {
    input: &'a Input<'a>,
    rows: &'a Rows,
    before: u64,
}

/// Input of an annotation: its name for messages, its columns, and the size of its boards.
struct Input<'a> {
    path: &'a Path,
    inputs: Inputs,
    size: BoardSize,
}

impl Chunk<'_> {
    /// Returns an integer. Other programs store integers with missing values as doubles.
    fn integer(&self, place: usize, row: usize, name: &str) -> Result<Option<i64>> {
        let ColumnValues::Real(values) = &self.rows.columns[place] else {
            return Ok(self.rows.columns[place].whole(row));
        };
        let value = values[row];
        let is_whole = value.is_nan() || value.fract() == 0.0;
        let not_whole = || self.refuse(row, name, &format!("{value} is no integer: correct it"));
        if is_whole { Ok((!value.is_nan()).then_some(value as i64)) } else { Err(not_whole()) }
    }

    fn piece(&self, place: usize, row: usize) -> Option<Piece> {
        let code = self.rows.columns[place].whole(row)?;
        Piece::ALL.get(usize::try_from(code).ok()?).copied()
    }

    fn refuse(&self, row: usize, name: &str, problem: &dyn Display) -> Error {
        let (path, number) = (self.input.path.display(), self.before + row as u64 + 1);
        Error::Config(format!("{path}, row {number}, column {name}: {problem}"))
    }

    /// Parses the board of a row, a picture or hexadecimal rows. Returns `None` if it is missing.
    fn board(&self, row: usize) -> Result<Option<Board>> {
        let size = self.input.size;
        let board = match text(self.rows, self.input.inputs.board, row) {
            "" => return Ok(None),
            text if is_picture(text) => Board::from_picture(text, Some(size)),
            text => Board::from_hex(size, text),
        };
        let name = self.input.inputs.board_name;
        board.map(Some).map_err(|error| self.refuse(row, name, &error))
    }

    /// Annotates one row, or returns its problem.
    fn record(
        &self,
        player: &mut Player,
        row: usize,
    ) -> Result<std::result::Result<PlacementRecord, Problem>> {
        let inputs = &self.input.inputs;
        let (board, piece) = (self.board(row)?, self.piece(inputs.piece, row));
        let integer = |place, name| self.integer(place, row, name);
        let orientation = integer(inputs.orientation, "orientation")?;
        let column = integer(inputs.column, "column")?;
        let landing_row = match inputs.landing_row {
            Some(place) => integer(place, "landing_row")?,
            None => None,
        };
        let (Some(before), Some(piece), Some(orientation), Some(column)) =
            (board, piece, orientation, column)
        else {
            return Ok(Err(Problem::Missing));
        };
        let stack = before.stack_height();
        if stack > before.height() {
            return Ok(Err(Problem::Overflow));
        }
        if before.full_rows_among(0..stack) != 0 {
            return Ok(Err(Problem::FullRow));
        }
        let placement = u8::try_from(orientation).ok().zip(u8::try_from(column).ok());
        let placement = placement.map(|(orientation, column)| Placement { orientation, column });
        let shape = placement.and_then(|placement| {
            let shape = piece.orientations().get(usize::from(placement.orientation))?;
            let end = usize::from(placement.column) + usize::from(shape.width);
            (end <= before.width()).then_some((placement, shape))
        });
        let Some((placement, shape)) = shape.filter(|_| landing_row.is_none_or(|row| row >= 0))
        else {
            return Ok(Err(Problem::Outside));
        };
        let next = inputs.next.and_then(|place| self.piece(place, row));
        let decision = player.assess(&before, piece, next, placement);
        player.check_external()?;
        let decision = decision.filter(|decision| {
            let row = decision.outcome.played.candidate.row;
            landing_row.is_none_or(|stated| stated == i64::from(row))
        });
        let Some(decision) = decision else {
            let is_free = |row: i64| {
                before.is_free(shape, usize::from(placement.column), row.max(0) as usize)
            };
            return Ok(Err(match landing_row {
                Some(row) if !is_free(row) => Problem::Overlap,
                Some(row) if row > 0 && is_free(row - 1) => Problem::Floating,
                _ => Problem::Unreachable,
            }));
        };
        let scorer = player.scorer();
        Ok(Ok(PlacementRecord {
            game: 0,
            stream_seed: 0,
            piece_no: 0,
            piece,
            next,
            lines_total: 0,
            since_i: None,
            deals_bags: false,
            patterns: player.pattern_value(&decision.outcome),
            decision,
            before,
            measured: scorer.measured(),
            scale: scorer.scale(),
        }))
    }

    fn annotate(&self, worker: &mut Worker, range: Range<usize>) -> Result<Part> {
        let mut problems = Vec::with_capacity(range.len());
        for row in range {
            let record = self.record(&mut worker.player, row)?;
            problems.push(record.as_ref().err().copied());
            record.into_iter().for_each(|record| worker.rows.push(record));
        }
        Ok(Part { rows: worker.rows.take(), problems })
    }
}

/// Returns the column with the problem of each row.
fn problem_field() -> Field<Option<Problem>> {
    let meaning = "reason why the row has no values";
    let code = |problem: &Option<Problem>| problem.map(|problem| problem as usize);
    Field::factor(PROBLEM, meaning, Problem::NAMES, code).missing("the row has values")
}

/// Returns the text of a cell; a missing one is empty, as is one that is not UTF-8.
fn text(rows: &Rows, place: usize, row: usize) -> &str {
    match &rows.columns[place] {
        ColumnValues::Text(text) => std::str::from_utf8(text.get(row)).unwrap_or_default(),
        _ => "",
    }
}

fn is_picture(text: &str) -> bool {
    text.contains(['.', '#'])
}

/// Annotation of a table whose columns are known.
struct Annotator<'a> {
    input: Input<'a>,
    pool: ThreadPool,
    workers: Vec<Worker>,
    /// Columns to compute.
    computed: Vec<Column>,
    file: BlockFile,
    before: u64,
    problems: [u64; Problem::ALL.len()],
}

impl Annotation {
    /// Annotates the rows that `read` passes on in chunks, and writes them to the file `to`. Error
    /// messages name the input `path`. Stops with an error if another thread sets `stop` to true.
    ///
    /// # Errors
    /// [`Error::Config`] if the input lacks a column or has a malformed value, [`Error::Io`] if
    /// `to` can't be written, and the errors of `read`.
    pub fn write(
        &self,
        path: &Path,
        read: impl FnOnce(&mut dyn FnMut(&[Column], Rows) -> Result<()>) -> Result<()>,
        (to, format): (&Path, LogFormat),
        stop: &AtomicBool,
    ) -> Result<Annotated> {
        let mut annotator = None;
        read(&mut |columns, rows| {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Config("interrupted".to_owned()));
            }
            let annotator = match &mut annotator {
                Some(annotator) => annotator,
                None => annotator.insert(self.begin(path, columns, &rows, (to, format))?),
            };
            annotator.take(rows)
        })?;
        let empty = || Error::Config(format!("{} has no columns", path.display()));
        let Annotator { input, mut file, problems, .. } = annotator.ok_or_else(empty)?;
        file.end_games(1);
        match file.finish()? {
            (file, None) => Ok(Annotated { file, size: input.size, problems }),
            (_, Some(problem)) => Err(problem),
        }
    }

    /// Prepares the annotation of a table that begins with `rows`.
    fn begin<'a>(
        &self,
        path: &'a Path,
        columns: &[Column],
        rows: &Rows,
        (to, format): (&Path, LogFormat),
    ) -> Result<Annotator<'a>> {
        let inputs = Inputs::of(path, columns, self.search)?;
        let mut texts = (0..rows.len()).map(|row| text(rows, inputs.board, row));
        let size = match (self.size, texts.find(|text| is_picture(text))) {
            (Some(size), _) => size,
            (None, Some(picture)) => Board::from_picture(picture, None).map_or_else(
                // The message of the row that has this board names the problem.
                |_| BoardSize::new(10, 20),
                |board| Ok(board.size()),
            )?,
            (None, None) => BoardSize::new(10, 20)?,
        };
        let mut own = columns.to_vec();
        own[inputs.board].name = BOARD_BEFORE.to_owned();
        let read: Vec<usize> = inputs.places().into_iter().flatten().collect();
        let names: Vec<String> = read.iter().map(|&place| own[place].name.clone()).collect();
        let encoder = PlacementEncoder::annotating(&self.controller, size, &self.columns, &names)?;
        let computed = encoder.columns();
        for (_, column) in own.iter_mut().enumerate().filter(|(place, _)| !read.contains(place)) {
            if column.name == PROBLEM || computed.iter().any(|other| other.name == column.name) {
                column.name += INPUT;
            }
        }
        let all = [&own[..], &[problem_field().column], &computed].concat();
        let mut names = BTreeSet::new();
        for column in &all {
            if !names.insert(&column.name) {
                let (path, name) = (path.display(), &column.name);
                let text = format!("{path}: the output would have two columns {name}: rename one");
                return Err(Error::Config(text));
            }
        }
        let level = Level::detect();
        let worker = |_| {
            let player = Player::new(&self.controller, self.rules, self.search, size, level)?;
            Ok(Worker { player, rows: encoder.rows(level) })
        };
        Ok(Annotator {
            input: Input { path, inputs, size },
            pool: thread_pool(self.threads)?,
            workers: (0..self.threads).map(worker).collect::<Result<_>>()?,
            computed,
            file: BlockFile::create(to, format, &all, &EncoderPool::new(self.threads)?, 0)?,
            before: 0,
            problems: Default::default(),
        })
    }
}

impl Annotator<'_> {
    fn take(&mut self, rows: Rows) -> Result<()> {
        let count = rows.len();
        let chunk = Chunk { input: &self.input, rows: &rows, before: self.before };
        let share = count.div_ceil(self.workers.len());
        let annotate = |(number, worker): (usize, &mut Worker)| {
            chunk.annotate(worker, (number * share).min(count)..((number + 1) * share).min(count))
        };
        let workers = &mut self.workers;
        let parts: Vec<Result<Part>> =
            self.pool.install(|| workers.par_iter_mut().enumerate().map(annotate).collect());
        let mut computed = Rows::with_room(&self.computed, count);
        let mut codes = Vec::with_capacity(count);
        for part in parts {
            let Part { rows, problems } = part?;
            let present: Vec<bool> = problems.iter().map(Option::is_none).collect();
            for (to, from) in computed.columns.iter_mut().zip(&rows.columns) {
                to.extend_spread(from, &present);
            }
            for problem in &problems {
                self.problems.iter_mut().zip(Problem::ALL).for_each(|(count, other)| {
                    *count += u64::from(*problem == Some(other));
                });
            }
            codes.extend(problems);
        }
        self.before += count as u64;
        let mut columns = rows.columns;
        columns.extend(rows_of(&[problem_field()], &codes).columns);
        columns.extend(computed.columns);
        // All rows count as one game, since the ends of games matter only for checkpoints.
        self.file.push(0, RowSlice::new(Rows::of(columns)))
    }
}
