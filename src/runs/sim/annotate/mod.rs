//! Annotation of tables: the score, rank and regret of placements that people or programs made.
//!
//! Each row of the input has a board, a piece and a placement, for example of a human game. A
//! controller compares the placement with all others, and the output has the columns of a log of
//! placements. [`AnnotatedGame`] says what differs between classic and guideline games.

mod games;

use std::fmt::Display;
use std::sync::atomic::Ordering;

use rayon::ThreadPool;
use rayon::prelude::*;

use crate::prelude::*;
use crate::record::{BlockFile, EncoderPool, FileSummary, RowBuilder, rows_of};
use crate::threads::thread_pool;

pub use self::games::{ClassicAnnotation, GuidelineAnnotation};

tetrastat_core::names! {
    /// Reason why a placement in a user's table cannot be scored.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Problem {
        /// Missing data: the table row lacks the board, the piece or a part of the placement.
        Missing = "missing",
        /// Board in the table row with a cell above the top (in guideline games, above 32 rows).
        Overflow = "overflow",
        /// Board in the table row with a full row of cells, which the rules would have removed.
        FullRow = "full_row",
        /// Piece beyond walls or floor, or without the orientation that the table row states.
        Outside = "outside",
        /// Piece that overlaps a filled cell of the board in the table row.
        Overlap = "overlap",
        /// Piece that hangs in the air: nothing below the stated placement supports it.
        Floating = "floating",
        /// Piece that rests where no movement under the rules can bring it.
        Unreachable = "unreachable",
    }
}

/// Reason why a table row gets no score: a problem of this row alone, or an error that ends the
/// scoring.
#[derive(Debug)]
pub enum RowError {
    /// Problem of one table row, such as a floating piece; later rows are still scored.
    Problem(Problem),
    /// Error that ends the scoring of the whole table.
    Error(Error),
}

/// Result of reading or scoring one table row, or the reason why the row gets no score.
pub type RowResult<T> = std::result::Result<T, RowError>;

impl From<Problem> for RowError {
    fn from(problem: Problem) -> RowError {
        RowError::Problem(problem)
    }
}

impl From<Error> for RowError {
    fn from(error: Error) -> RowError {
        RowError::Error(error)
    }
}

/// Kind of game, classic or guideline, for which placements in a user's table can be scored.
pub trait AnnotatedGame: Clone + Sync {
    /// Player of one worker thread, which scores the placements in a table.
    type Player: Send;
    /// Record of a scored placement, from which the output table's columns are computed.
    type Record: Send + 'static;
    /// Names of input columns that are also computed, to compare stated with computed values.
    const COMPARED: &[&str] = &[];

    /// Returns the columns to read from the input table; `names` lists all that it has.
    fn columns(names: &[String]) -> Vec<Column>;

    /// Returns the names of input columns without which no placement can be read.
    fn needed(names: &[String]) -> Vec<&'static str>;

    /// Adapts the settings, such as the board's size, to an input table that begins with `rows`.
    fn prepare(&mut self, header: &InputHeader<'_>, rows: &Rows) -> Result<()>;

    /// Creates the encoder of the output's computed `columns`, except those `given` by the input.
    fn encoder(&self, columns: &Columns, given: &[String]) -> Result<RowEncoder<Self::Record>>;

    /// Creates the player with which one worker thread scores placements in a table.
    fn player(&self) -> Result<Self::Player>;

    /// Scores the placement in a row of the input table and returns its record for the output.
    fn record(&self, player: &mut Self::Player, row: InputRow<'_>) -> RowResult<Self::Record>;

    /// Returns the controller's name with its rules and search, for the summary of a scored table.
    fn describe(&self) -> String;

    /// Returns one-line remarks about the whole input table, such as exchanged names of pieces.
    fn notes(&self, _players: &[&Self::Player]) -> Vec<String> {
        Vec::new()
    }
}

/// Settings for scoring the placements in a user's table (annotation).
#[derive(Clone, Debug)]
pub struct Annotation<G> {
    /// Kind of game that the table is about, with the controller that scores its placements.
    pub game: G,
    /// Columns to compute for each placement, such as its rank and the controller's best placement.
    pub columns: Columns,
    /// Number of worker threads that score the placements in a table.
    pub threads: usize,
}

/// Summary of a table whose placements were scored.
#[derive(Clone, Debug)]
pub struct Annotated {
    /// Description of the output table: its size, checksum and columns.
    pub file: FileSummary,
    /// Name of the controller that scored the table's placements, with its rules and search.
    pub played: String,
    /// Numbers of table rows without a score, one for each reason in the order of [`Problem::ALL`].
    pub problems: [u64; Problem::ALL.len()],
    /// Remarks about the whole input table, one line each, such as exchanged names of pieces.
    pub notes: Vec<String>,
}

const PROBLEM_COLUMN: &str = "problem";
/// Suffix of an input column's name in the output if a computed column has the same name.
const INPUT_COLUMN_SUFFIX: &str = "_input";

struct Worker<G: AnnotatedGame> {
    player: G::Player,
    rows: RowBuilder<G::Record>,
}

struct AnnotatedRows {
    rows: Rows,
    problems: Vec<Option<Problem>>,
}

fn problem_field() -> Field<Option<Problem>> {
    let meaning = "reason why the row has no values";
    let code = |problem: &Option<Problem>| problem.map(|problem| problem as usize);
    Field::factor(PROBLEM_COLUMN, meaning, Problem::NAMES, code).missing("the row has values")
}

struct Annotator<'a, G: AnnotatedGame> {
    game: G,
    header: InputHeader<'a>,
    pool: ThreadPool,
    workers: Vec<Worker<G>>,
    computed: Vec<Column>,
    file: BlockFile,
    before: u64,
    problems: [u64; Problem::ALL.len()],
}

impl<G: AnnotatedGame> Annotation<G> {
    /// Scores the placements in the table `path`, whose rows `read` passes on in chunks. Writes the
    /// results to the file `to`; fails once `stop` is true.
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
        let Annotator { game, workers, mut file, problems, .. } = annotator.ok_or_else(empty)?;
        file.end_games(1);
        let players: Vec<&G::Player> = workers.iter().map(|worker| &worker.player).collect();
        let (played, notes) = (game.describe(), game.notes(&players));
        match file.finish()? {
            (file, None) => Ok(Annotated { file, played, problems, notes }),
            (_, Some(problem)) => Err(problem),
        }
    }

    fn begin<'a>(
        &self,
        path: &'a Path,
        columns: &[Column],
        rows: &Rows,
        (to, format): (&Path, LogFormat),
    ) -> Result<Annotator<'a, G>> {
        let (header, mut game) = (InputHeader::new::<G>(path, columns)?, self.game.clone());
        game.prepare(&header, rows)?;
        let is_given = |name: &&(String, usize)| !G::COMPARED.contains(&&*name.0);
        let given: Vec<usize> = header.read.iter().filter(is_given).map(|read| read.1).collect();
        let mut own = columns.to_vec();
        for &index in given.iter().filter(|&&index| columns[index].name == BOARD) {
            own[index].name = BOARD_BEFORE.to_owned();
        }
        let names: Vec<String> = given.iter().map(|&index| own[index].name.clone()).collect();
        let encoder = game.encoder(&self.columns, &names)?;
        let computed = encoder.columns();
        for (_, column) in own.iter_mut().enumerate().filter(|(index, _)| !given.contains(index)) {
            if column.name == PROBLEM_COLUMN
                || computed.iter().any(|other| other.name == column.name)
            {
                column.name += INPUT_COLUMN_SUFFIX;
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
        let worker = |_| Ok(Worker { player: game.player()?, rows: encoder.rows(level) });
        Ok(Annotator {
            workers: (0..self.threads).map(worker).collect::<Result<_>>()?,
            game,
            header,
            pool: thread_pool(self.threads)?,
            computed,
            file: BlockFile::create(to, format, &all, &EncoderPool::new(self.threads)?, 0)?,
            before: 0,
            problems: Default::default(),
        })
    }
}

impl<G: AnnotatedGame> Annotator<'_, G> {
    fn take(&mut self, rows: Rows) -> Result<()> {
        let count = rows.len();
        let Annotator { game, header, before, workers, pool, .. } = self;
        let annotate = |worker: &mut Worker<G>, range: Range<usize>| -> Result<AnnotatedRows> {
            let mut problems = Vec::with_capacity(range.len());
            for row in range {
                let row = InputRow { header, rows: &rows, row, before: *before };
                problems.push(match game.record(&mut worker.player, row) {
                    Ok(record) => {
                        worker.rows.push(record);
                        None
                    }
                    Err(RowError::Problem(problem)) => Some(problem),
                    Err(RowError::Error(error)) => return Err(error),
                });
            }
            Ok(AnnotatedRows { rows: worker.rows.take(), problems })
        };
        let share = count.div_ceil(workers.len());
        let of_thread = |(number, worker): (usize, &mut Worker<G>)| {
            annotate(worker, (number * share).min(count)..((number + 1) * share).min(count))
        };
        let parts: Vec<Result<AnnotatedRows>> =
            pool.install(|| workers.par_iter_mut().enumerate().map(of_thread).collect());
        let mut computed = Rows::with_room(&self.computed, count);
        let mut codes = Vec::with_capacity(count);
        for part in parts {
            let AnnotatedRows { rows, problems } = part?;
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
        self.file.push(0, RowSlice::new(Rows::from_columns(columns)))
    }
}

pub(super) const BOARD_BEFORE: &str = "board_before";
/// Name of a column of boards: in a user's table before the placement, in logs after it.
pub(super) const BOARD: &str = "board";
pub(super) const LOG_ONLY_COLUMN: &str = "piece_no";

pub(super) fn board_column(names: &[String]) -> &'static str {
    let has = |name: &str| names.iter().any(|other| other == name);
    if has(BOARD) && !has(BOARD_BEFORE) && !has(LOG_ONLY_COLUMN) { BOARD } else { BOARD_BEFORE }
}

pub(super) fn input_columns(typed: &[(ColumnType, &[&str])]) -> Vec<Column> {
    let of = |(kind, names): &(ColumnType, &[&str])| {
        let levels = if *kind == ColumnType::Factor { &Piece::ALL[..] } else { &[] };
        let levels: Vec<String> = levels.iter().map(ToString::to_string).collect();
        let column = |name: &&str| Column {
            levels: levels.clone(),
            ..Column::new(*name, *kind, "-", "input")
        };
        names.iter().map(column).collect::<Vec<_>>()
    };
    typed.iter().flat_map(of).collect()
}

/// Path and columns of an input table whose placements are scored.
pub struct InputHeader<'a> {
    path: &'a Path,
    pub(super) names: Vec<String>,
    /// Names and indices of the input columns to read; `board` is renamed `board_before`.
    pub(super) read: Vec<(String, usize)>,
}

impl<'a> InputHeader<'a> {
    pub(super) fn new<G: AnnotatedGame>(
        path: &'a Path,
        columns: &[Column],
    ) -> Result<InputHeader<'a>> {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (typed, needed) = (G::columns(&names), G::needed(&names));
        let mut header = InputHeader { path, names: names.clone(), read: Vec::new() };
        for (index, column) in columns.iter().enumerate() {
            let (name, found) = (&column.name, column.kind);
            let expected = typed.iter().find(|other| other.name == *name).map(|other| other.kind);
            if expected.is_none() && !needed.contains(&&**name) {
                continue;
            }
            // Whole doubles are read as integers, too, and integers as truth values.
            let kind = expected.unwrap_or(found);
            let is_number = matches!(kind, ColumnType::Integer | ColumnType::Logical)
                && matches!(found, ColumnType::Integer | ColumnType::Count | ColumnType::Real);
            if found != kind && !is_number {
                let (found, kind) = (found.name(), kind.name());
                let text = format!("column {name} is of type {found}: write it as {kind}");
                return Err(Error::Config(format!("{}: {text}", path.display())));
            }
            let name = if name == BOARD { BOARD_BEFORE } else { name };
            header.read.push((name.to_owned(), index));
        }
        let why = |name| match name {
            BOARD_BEFORE => "the board before the placement (in logs `board` is the one after it)",
            _ => "which every placement needs: name it so, or add it",
        };
        let missing = needed.into_iter().filter(|name| !names.iter().any(|other| other == name));
        match missing.collect::<Vec<_>>()[..] {
            [] => {}
            [name] => header.need(name, why(name))?,
            ref all => {
                let board = match all.contains(&BOARD_BEFORE) {
                    true => format!(". {BOARD_BEFORE} is {}", why(BOARD_BEFORE)),
                    false => String::new(),
                };
                let (path, all) = (path.display(), all.join(", "));
                return Err(Error::Config(format!(
                    "{path} has no columns {all}, which every placement needs: name them so, or \
                     add them{board}"
                )));
            }
        }
        Ok(header)
    }

    pub(super) fn need(&self, name: &str, why: &str) -> Result<()> {
        let missing =
            || Error::Config(format!("{} has no column {name}, {why}", self.path.display()));
        self.index(name).map(|_| ()).ok_or_else(missing)
    }

    fn index(&self, name: &str) -> Option<usize> {
        self.read.iter().find(|(other, _)| other == name).map(|(_, index)| *index)
    }
}

/// Row of an input table whose placement is scored; columns that the table lacks are empty.
#[derive(Clone, Copy)]
pub struct InputRow<'a> {
    pub(super) header: &'a InputHeader<'a>,
    pub(super) rows: &'a Rows,
    pub(super) row: usize,
    pub(super) before: u64,
}

impl<'a> InputRow<'a> {
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.index(name).is_some()
    }

    fn values(&self, name: &str) -> Option<&'a ColumnValues> {
        self.header.index(name).map(|index| &self.rows.columns[index])
    }

    /// Returns the whole number in a column of a table row, even if stored as a double.
    pub(super) fn integer(&self, name: &str) -> Result<Option<i64>> {
        let values = match self.values(name) {
            Some(ColumnValues::Real(values)) => values,
            values => return Ok(values.and_then(|values| values.whole(self.row))),
        };
        let value = values[self.row];
        let is_whole = value.is_nan() || value.fract() == 0.0;
        let not_whole = || self.value_error(name, &format!("{value} is no integer: correct it"));
        if is_whole { Ok((!value.is_nan()).then_some(value as i64)) } else { Err(not_whole()) }
    }

    pub(super) fn piece(&self, name: &str) -> Option<Piece> {
        let code = self.values(name)?.whole(self.row)?;
        Piece::ALL.get(usize::try_from(code).ok()?).copied()
    }

    pub(super) fn text(&self, name: &str) -> &'a str {
        match self.values(name) {
            Some(ColumnValues::Text(text)) => {
                std::str::from_utf8(text.get(self.row)).unwrap_or_default()
            }
            _ => "",
        }
    }

    pub(super) fn value_error(&self, name: &str, problem: &dyn Display) -> Error {
        let (path, number) = (self.header.path.display(), self.before + self.row as u64 + 1);
        let index = self.header.index(name);
        let name = index.map_or(name, |index| &*self.header.names[index]);
        Error::Config(format!("{path}, row {number}, column {name}: {problem}"))
    }
}

pub(super) fn is_picture(text: &str) -> bool {
    text.contains(['.', '#'])
}
