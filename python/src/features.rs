//! Functions that find the placements, afterstates and features of many boards in one call. They
//! use the engine's placement generators and kernels.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, available_parallelism};

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use tetrastat::board::{Board, BoardSize, ROWS};
use tetrastat::error::{Error, Result};
use tetrastat::features::guideline::Term;
use tetrastat::features::{Feature, Measured, Move};
use tetrastat::kernels::{BatchFeatures, Level};
use tetrastat::matrix::{self, Matrix};
use tetrastat::piece::Piece;
use tetrastat::placement::{Candidate, Placement, Placements};
use tetrastat::rules::guideline::{
    Choice, GUIDELINE_NAMES, GuidelineState, Hold, Landing, Landings, MoveGenerator, Moves, Placed,
    RuleSet,
};
use tetrastat::rules::{Outcome, RULES_NAMES};
use tetrastat::search::guideline::Terms;

use crate::boards::{boards, pairs};
use crate::errors::{Whole, argument_error};
use crate::waiting::run_interruptibly;

/// A board and the piece to place on it.
pub(crate) type BoardAndPiece = (Board, Piece);
/// Orientation, column and row of a placement. Without a row, the key means the first placement
/// with this orientation and column.
type PlacementKey = (u8, u8, Option<u8>);

/// Rules by which pieces are placed, of classic or guideline games.
pub(crate) enum Rules {
    Classic(tetrastat::rules::Rules),
    Guideline(MoveGenerator),
}

impl Rules {
    pub(crate) fn simplified() -> Rules {
        Rules::Classic(tetrastat::rules::Rules::simplified())
    }

    /// Returns the rules named `name`, or reads them from the TOML file `name`. Classic rules use
    /// the two flags, and guideline rules use `movement`.
    pub(crate) fn read(
        name: &str,
        clear_on_overflow: bool,
        reach_anywhere: bool,
        movement: &str,
    ) -> Result<Rules> {
        let is_classic = RULES_NAMES.contains(&name);
        if GUIDELINE_NAMES.contains(&name) || (!is_classic && RuleSet::is_file(name)) {
            let (rules, moves): (RuleSet, Moves) = (name.parse()?, movement.parse()?);
            return Ok(Rules::Guideline(MoveGenerator::new(*rules, moves, Level::detect())));
        }
        if !is_classic {
            let known = RULES_NAMES.into_iter().chain(GUIDELINE_NAMES).chain(["a .toml file"]);
            return Err(Error::unknown_or_file("rules", name, known));
        }
        let mut rules: tetrastat::rules::Rules = name.parse()?;
        rules.clear_on_overflow = clear_on_overflow;
        if let (tetrastat::rules::Entry::SpawnInside(reach), true) =
            (&mut rules.entry, reach_anywhere)
        {
            *reach = tetrastat::rules::Reach::Anywhere;
        }
        Ok(Rules::Classic(rules))
    }

    /// Returns the rules if they belong to classic games, or else an error.
    pub(crate) fn classic(self) -> Result<Classic> {
        match self {
            Rules::Classic(rules) => Ok(Classic(rules)),
            Rules::Guideline(_) => {
                Err(Error::unknown("rules of classic games", "guideline", RULES_NAMES))
            }
        }
    }
}

/// Rules of classic games, for single placements.
pub(crate) struct Classic(tetrastat::rules::Rules);

impl Classic {
    /// Returns the outcome of placing `piece` at `place`, or an error if it cannot come to rest
    /// there.
    pub(crate) fn placed(
        &self,
        board: &Board,
        piece: Piece,
        place: PlacementKey,
    ) -> Result<Outcome> {
        let mut candidates = Vec::new();
        self.0.candidates(&Placements::new(board.width()), board, piece, &mut candidates);
        let (orientation, column, row) = place;
        let wanted = Placement { orientation, column };
        let is_it =
            |one: &&Candidate| one.placement == wanted && row.is_none_or(|row| row == one.row);
        let found = candidates.iter().find(is_it).ok_or_else(|| unreachable_place(piece, place))?;
        Ok(self.0.play(board, piece, *found))
    }
}

fn unreachable_place(piece: Piece, (orientation, column, row): PlacementKey) -> Error {
    let row = row.map_or(String::new(), |row| format!(", row {row}"));
    Error::Config(format!(
        "{piece} cannot rest on this board in orientation {orientation}, column {column}{row}: \
         placements() lists the possible placements"
    ))
}

/// Features that a call measures: features of classic games or terms of guideline games.
pub(crate) enum FeatureRequest {
    Features(Vec<Feature>, Measured, BoardSize),
    /// All terms of guideline games, and the indices of the requested ones.
    Terms(Terms, Vec<usize>),
}

impl FeatureRequest {
    /// Creates a request for features of placements, given by `names` or else all. `measured` says
    /// whether they are measured before or after full rows are cleared.
    fn of_placements(
        rules: &Rules,
        size: BoardSize,
        names: Option<Vec<String>>,
        measured: Measured,
    ) -> Result<FeatureRequest> {
        match (rules, names) {
            (Rules::Classic(_), None) => {
                Ok(FeatureRequest::Features(Feature::all(size).collect(), measured, size))
            }
            (Rules::Classic(_), Some(names)) => {
                let features = names.iter().map(|name| feature(name, size));
                Ok(FeatureRequest::Features(features.collect::<Result<_>>()?, measured, size))
            }
            (Rules::Guideline(_), names) => {
                let terms = Terms::all(measured, None);
                let place = |name: &String| name.parse().map(Term::index);
                let places = match names {
                    None => (0..terms.weights().len()).collect(),
                    Some(names) => names.iter().map(place).collect::<Result<Vec<usize>>>()?,
                };
                Ok(FeatureRequest::Terms(terms, places))
            }
        }
    }

    /// Creates a request for features of boards, given by `names` or else all. Returns an error if
    /// a named feature needs a placement.
    pub(crate) fn of_boards(
        rules: &Rules,
        size: BoardSize,
        names: Option<Vec<String>>,
    ) -> Result<FeatureRequest> {
        let named = names.is_some();
        let mut asked = FeatureRequest::of_placements(rules, size, names, Measured::AfterClear)?;
        let of_move = match &mut asked {
            FeatureRequest::Features(features, ..) if named => {
                features.iter().find(|feature| feature.is_of_move()).map(ToString::to_string)
            }
            FeatureRequest::Features(features, ..) => {
                features.retain(|feature| !feature.is_of_move());
                None
            }
            FeatureRequest::Terms(terms, places) => {
                let term = |place: &usize| terms.weights()[*place].0;
                let lacks = |place: &usize| term(place).of_matrix(&Matrix::EMPTY, None).is_none();
                let first =
                    places.iter().find(|place| lacks(place)).map(|place| term(place).to_string());
                places.retain(|place| !lacks(place));
                first.filter(|_| named)
            }
        };
        match of_move {
            None => Ok(asked),
            Some(name) => Err(Error::Config(format!(
                "{name} is a feature of placements: give pieces and placements, too"
            ))),
        }
    }
}

fn feature(name: &str, size: BoardSize) -> Result<Feature> {
    let feature: Feature = name.parse()?;
    match feature.exists_on(size) {
        true => Ok(feature),
        false => Err(Error::Config(format!("a board of {size} has no {feature}: leave it out"))),
    }
}

/// Returns the names of the features in `asked`.
pub(crate) fn names_of(asked: &FeatureRequest) -> Vec<String> {
    match asked {
        FeatureRequest::Features(features, ..) => {
            features.iter().map(ToString::to_string).collect()
        }
        FeatureRequest::Terms(terms, places) => {
            places.iter().map(|&place| terms.weights()[place].0.to_string()).collect()
        }
    }
}

/// Returns the values of the features in `asked` on one board, without a placement.
pub(crate) fn measured_board(asked: &FeatureRequest, board: &Board) -> Result<Vec<f64>> {
    Meter::new(asked).of_board(board)
}

/// Meter that computes the features in `asked`.
struct Meter<'a> {
    asked: &'a FeatureRequest,
    batch_features: Option<BatchFeatures>,
}

/// Placeholder for the move that led to a board, used when no feature depends on the move.
const NO_MOVE: Move = Move {
    piece: Piece::O,
    candidate: Candidate { placement: Placement { orientation: 0, column: 0 }, row: 0 },
    lines: 0,
    removed_cells: [0; 4],
};

impl<'a> Meter<'a> {
    fn new(asked: &'a FeatureRequest) -> Meter<'a> {
        let batch_features = match asked {
            FeatureRequest::Features(features, _, size) => {
                Some(BatchFeatures::new(*size, features, Level::detect()))
            }
            FeatureRequest::Terms(..) => None,
        };
        Meter { asked, batch_features }
    }

    fn of_board(&mut self, board: &Board) -> Result<Vec<f64>> {
        let mut values = Vec::new();
        match self.asked {
            FeatureRequest::Features(..) => self.of_moves(&[(*board, NO_MOVE)], &mut values),
            FeatureRequest::Terms(terms, places) => {
                let matrix = Matrix::from_board(board)?;
                let value = |&place: &usize| terms.weights()[place].0.of_matrix(&matrix, None);
                values.extend(places.iter().map(|place| f64::from(value(place).unwrap_or(0))));
            }
        }
        Ok(values)
    }

    /// Appends the features of each board and of the move that led to it to `to`, board by board.
    fn of_moves(&mut self, moves: &[(Board, Move)], to: &mut Vec<f64>) {
        let (FeatureRequest::Features(features, _, size), Some(batch_features)) =
            (self.asked, &mut self.batch_features)
        else {
            return;
        };
        for some in moves.chunks(BatchFeatures::LANES) {
            batch_features.measure(some.iter().map(|(board, played)| (board, played)));
            for row in 0..some.len() {
                let value = |(k, feature): (usize, &Feature)| {
                    feature.in_units(batch_features.raws(k)[row].into(), size.width())
                };
                to.extend(features.iter().enumerate().map(value));
            }
        }
    }

    fn of_outcomes(&mut self, outcomes: &[Outcome], to: &mut Vec<f64>) {
        if let FeatureRequest::Features(_, measured, _) = self.asked {
            let moves = outcomes.iter().map(|one| (*one.board(*measured), one.played));
            self.of_moves(&moves.collect::<Vec<_>>(), to);
        }
    }

    fn of_placed(&self, placed: &Placed, to: &mut Vec<f64>) {
        if let FeatureRequest::Terms(terms, places) = self.asked {
            let values = terms.values(placed);
            to.extend(places.iter().map(|&place| f64::from(values[place])));
        }
    }
}

/// Placements and their results as table columns. A row is one placement on one of the given
/// boards.
#[derive(Default)]
struct AfterstateColumns {
    board: Vec<i64>,
    orientation: Vec<u8>,
    column: Vec<u8>,
    row: Vec<u8>,
    spin: Vec<u8>,
    lines: Vec<u8>,
    lost: Vec<bool>,
    /// Bit-packed rows of the board after each placement, [`ROWS`] values per placement.
    rows: Vec<u16>,
    features: Vec<f64>,
}

impl AfterstateColumns {
    fn push(&mut self, board: usize, candidate: Candidate, spin: u8, lines: u8, lost: bool) {
        self.board.push(board as i64);
        self.orientation.push(candidate.placement.orientation);
        self.column.push(candidate.placement.column);
        self.row.push(candidate.row);
        self.spin.push(spin);
        self.lines.push(lines);
        self.lost.push(lost);
    }

    fn append(&mut self, mut more: AfterstateColumns) {
        self.board.append(&mut more.board);
        self.orientation.append(&mut more.orientation);
        self.column.append(&mut more.column);
        self.row.append(&mut more.row);
        self.spin.append(&mut more.spin);
        self.lines.append(&mut more.lines);
        self.lost.append(&mut more.lost);
        self.rows.append(&mut more.rows);
        self.features.append(&mut more.features);
    }
}

/// Minimum number of boards per thread. With fewer boards, the start of another thread takes longer
/// than it saves.
const BOARDS_PER_THREAD: usize = 256;

/// Number of threads that work on the boards (`None`: all cores), and a flag that stops them.
struct Sharing<'a> {
    threads: Option<usize>,
    stop: &'a AtomicBool,
}

impl Sharing<'_> {
    /// Returns an error if the work must stop. Threads call this between two boards.
    fn check_stop(&self) -> Result<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Error::Config("stopped".to_owned())),
            false => Ok(()),
        }
    }
}

/// Runs `work` on `count` boards without Python's lock. Ctrl-C stops the work, unless there are too
/// few boards to take noticeable time.
fn stoppable<T: Send>(
    py: Python<'_>,
    count: usize,
    threads: Option<Whole<usize>>,
    work: impl FnOnce(&Sharing<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let (threads, stop) = (threads.map(|Whole(threads)| threads), AtomicBool::new(false));
    let work = || work(&Sharing { threads, stop: &stop });
    let done = match count < BOARDS_PER_THREAD {
        true => py.detach(work),
        false => {
            run_interruptibly(py, || stop.store(true, Ordering::Relaxed), || Ok(()), || Ok(work()))?
        }
    };
    done.map_err(|error| argument_error(&error))
}

/// Divides `count` boards into ranges and runs `work` for each range on the threads of `sharing`.
/// Returns the results in the order of the boards.
fn shared<T: Send>(
    count: usize,
    sharing: &Sharing<'_>,
    work: impl Fn(Range<usize>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let cores = || available_parallelism().map_or(1, usize::from);
    let parts =
        sharing.threads.unwrap_or_else(cores).clamp(1, count.div_ceil(BOARDS_PER_THREAD).max(1));
    let range = |part: usize| count * part / parts..count * (part + 1) / parts;
    if parts == 1 {
        return Ok(vec![work(range(0))?]);
    }
    let work = &work;
    thread::scope(|scope| {
        let started: Vec<_> =
            (0..parts).map(|part| scope.spawn(move || work(range(part)))).collect();
        let lost = || Error::Internal("a thread that measured boards ended".to_owned());
        started.into_iter().map(|thread| thread.join().map_err(|_| lost())?).collect()
    })
}

/// Finds all placements of the piece of each pair in `given`. Also measures the features in
/// `asked`, if any are requested.
fn found(
    rules: &Rules,
    given: &[BoardAndPiece],
    asked: Option<&FeatureRequest>,
    sharing: &Sharing<'_>,
) -> Result<AfterstateColumns> {
    let part = |range: Range<usize>| {
        let mut meter = asked.map(Meter::new);
        let mut found = AfterstateColumns::default();
        for at in range {
            sharing.check_stop()?;
            match rules {
                Rules::Classic(rules) => classic(rules, at, &given[at], meter.as_mut(), &mut found),
                Rules::Guideline(movegen) => {
                    guideline(movegen, at, &given[at], meter.as_ref(), &mut found)?
                }
            }
        }
        Ok(found)
    };
    let mut all = AfterstateColumns::default();
    shared(given.len(), sharing, part)?.into_iter().for_each(|more| all.append(more));
    Ok(all)
}

/// Appends the placements of one piece on a board of a classic game to `found`. `at` is the board's
/// index.
fn classic(
    rules: &tetrastat::rules::Rules,
    at: usize,
    (board, piece): &BoardAndPiece,
    meter: Option<&mut Meter<'_>>,
    found: &mut AfterstateColumns,
) {
    let mut candidates = Vec::new();
    rules.candidates(&Placements::new(board.width()), board, *piece, &mut candidates);
    let play = |candidate: &Candidate| rules.play(board, *piece, *candidate);
    let outcomes: Vec<Outcome> = candidates.iter().map(play).collect();
    for Outcome { after, played, lost, .. } in &outcomes {
        found.push(at, played.candidate, 0, played.lines, *lost);
        found.rows.extend(after.rows());
    }
    if let Some(meter) = meter {
        meter.of_outcomes(&outcomes, &mut found.features);
    }
}

/// Appends the placements of one piece on a board of a guideline game to `found`. `at` is the
/// board's index.
fn guideline(
    movegen: &MoveGenerator,
    at: usize,
    (board, piece): &BoardAndPiece,
    meter: Option<&Meter<'_>>,
    found: &mut AfterstateColumns,
) -> Result<()> {
    let mut landings = Landings::default();
    let state = GuidelineState { matrix: Matrix::from_board(board)?, ..GuidelineState::default() };
    movegen.landings(&state.matrix, *piece, &mut landings);
    for landing in landings.iter() {
        let placed = put(movegen, &state, landing);
        let place =
            Placement { orientation: landing.state.index() as u8, column: landing.left() as u8 };
        let candidate = Candidate { placement: place, row: landing.low() as u8 };
        found.push(at, candidate, landing.spin as u8, placed.clear.lines, placed.lost);
        found.rows.extend((0..matrix::ROWS).map(|row| placed.after.matrix.row(row)));
        if let Some(meter) = meter {
            meter.of_placed(&placed, &mut found.features);
        }
    }
    Ok(())
}

/// Returns the result of placing the current piece at `landing`, without use of the hold.
fn put(movegen: &MoveGenerator, state: &GuidelineState, landing: Landing) -> Placed {
    let choice = Choice { piece: landing.piece, held: false, hold: Hold::Empty, taken: 1 };
    state.place(movegen.rules(), &choice, landing)
}

/// Measures the features that `asked` requests, for one placement on each board. Entry i of `given`
/// is a board and a piece, and entry i of `places` is the placement of this piece.
fn placed_features(
    rules: &Rules,
    given: &[BoardAndPiece],
    places: &[PlacementKey],
    asked: &FeatureRequest,
    sharing: &Sharing<'_>,
) -> Result<Vec<f64>> {
    let part = |range: Range<usize>| {
        let (mut meter, mut values) = (Meter::new(asked), Vec::new());
        let mut outcomes = Vec::new();
        for at in range {
            sharing.check_stop()?;
            let ((board, piece), place) = (&given[at], places[at]);
            match rules {
                Rules::Classic(rules) => {
                    outcomes.push(Classic(*rules).placed(board, *piece, place)?);
                    if outcomes.len() == BOARDS_PER_THREAD {
                        meter.of_outcomes(&outcomes, &mut values);
                        outcomes.clear();
                    }
                }
                Rules::Guideline(movegen) => {
                    let state = GuidelineState {
                        matrix: Matrix::from_board(board)?,
                        ..GuidelineState::default()
                    };
                    let landing = landing(movegen, &state.matrix, *piece, place)?;
                    meter.of_placed(&put(movegen, &state, landing), &mut values);
                }
            }
        }
        meter.of_outcomes(&outcomes, &mut values);
        Ok(values)
    };
    Ok(shared(given.len(), sharing, part)?.concat())
}

/// Returns the landing of `piece` at `place`. If landings differ only in their spin, returns the
/// first of them.
fn landing(
    movegen: &MoveGenerator,
    matrix: &Matrix,
    piece: Piece,
    place: PlacementKey,
) -> Result<Landing> {
    let mut landings = Landings::default();
    movegen.landings(matrix, piece, &mut landings);
    let (state, column, row) = place;
    let is_it = |one: &Landing| {
        (one.state.index(), one.left()) == (state.into(), column.into())
            && row.is_none_or(|row| one.low() == usize::from(row))
    };
    landings.iter().find(is_it).ok_or_else(|| unreachable_place(piece, place))
}

fn matrix_of<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    columns: usize,
    rows: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

/// Returns the size of the boards in `given`. If there are none, returns `size`, or else 10x20.
fn size_of(given: &[BoardAndPiece], size: Option<&str>) -> Result<BoardSize> {
    match (given.first(), size) {
        (Some((board, _)), _) => Ok(board.size()),
        (None, Some(size)) => size.parse(),
        (None, None) => BoardSize::new(10, 20),
    }
}

/// Arrays of the columns of [`AfterstateColumns`] in this order: `board`; then `orientation`,
/// `column`, `row`, `spin` and `lines`; `lost`, `rows` and `features`. The last item is the size of
/// the boards.
type Afterstates<'py> = (
    Bound<'py, PyArray1<i64>>,
    [Bound<'py, PyArray1<u8>>; 5],
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray2<u16>>,
    Option<Bound<'py, PyArray2<f64>>>,
    String,
);

/// Finds all placements of each board's piece, and their results.
#[pyfunction]
#[pyo3(signature = (
    boards, pieces, size, rules, clear_on_overflow, reach_anywhere, movement, features, measured,
    threads
))]
#[allow(clippy::too_many_arguments, reason = "the keyword arguments of its Python function")]
fn find_afterstates<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    pieces: &Bound<'py, PyAny>,
    size: Option<&str>,
    rules: &str,
    clear_on_overflow: bool,
    reach_anywhere: bool,
    movement: &str,
    features: Option<Vec<String>>,
    measured: &str,
    threads: Option<Whole<usize>>,
) -> PyResult<Afterstates<'py>> {
    let given = pairs(boards, size, pieces)?;
    let of_size = size_of(&given, size).map_err(|error| argument_error(&error))?;
    let work = |sharing: &Sharing<'_>| -> Result<(AfterstateColumns, Option<usize>)> {
        let rules = Rules::read(rules, clear_on_overflow, reach_anywhere, movement)?;
        let asked = features.map(|names| {
            FeatureRequest::of_placements(&rules, of_size, Some(names), measured.parse()?)
        });
        let asked = asked.transpose()?;
        let width = asked.as_ref().map(|asked| names_of(asked).len());
        Ok((found(&rules, &given, asked.as_ref(), sharing)?, width))
    };
    let (found, width) = stoppable(py, given.len(), threads, work)?;
    let count = found.board.len();
    let bytes = [found.orientation, found.column, found.row, found.spin, found.lines];
    let features = width.map(|width| matrix_of(py, found.features, width, count));
    Ok((
        PyArray1::from_vec(py, found.board),
        bytes.map(|values| PyArray1::from_vec(py, values)),
        PyArray1::from_vec(py, found.lost),
        matrix_of(py, found.rows, ROWS, count)?,
        features.transpose()?,
        of_size.to_string(),
    ))
}

/// Measures features of boards, or of one placement on each board.
#[pyfunction]
#[pyo3(signature = (
    boards, pieces, placements, size, rules, clear_on_overflow, reach_anywhere, movement, names,
    measured, threads
))]
#[allow(clippy::too_many_arguments, reason = "the keyword arguments of its Python function")]
fn find_features<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    pieces: Option<&Bound<'py, PyAny>>,
    placements: Option<PyReadonlyArray2<'py, i64>>,
    size: Option<&str>,
    rules: &str,
    clear_on_overflow: bool,
    reach_anywhere: bool,
    movement: &str,
    names: Option<Vec<String>>,
    measured: &str,
    threads: Option<Whole<usize>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let given = match pieces {
        Some(pieces) => pairs(boards, size, pieces)?,
        None => self::boards(boards, size)?.into_iter().map(|board| (board, Piece::O)).collect(),
    };
    let places = placements.map(|places| places_of(&places, given.len())).transpose();
    let places = places.map_err(|error| argument_error(&error))?;
    let work = |sharing: &Sharing<'_>| -> Result<(Vec<f64>, usize)> {
        let rules = Rules::read(rules, clear_on_overflow, reach_anywhere, movement)?;
        let size = size_of(&given, size)?;
        let (asked, values) = match &places {
            Some(places) => {
                let asked = FeatureRequest::of_placements(&rules, size, names, measured.parse()?)?;
                let values = placed_features(&rules, &given, places, &asked, sharing)?;
                (asked, values)
            }
            None => {
                let asked = FeatureRequest::of_boards(&rules, size, names)?;
                let values = board_features(&given, &asked, sharing)?;
                (asked, values)
            }
        };
        Ok((values, names_of(&asked).len()))
    };
    let (values, width) = stoppable(py, given.len(), threads, work)?;
    matrix_of(py, values, width, given.len())
}

/// Measures the features in `asked` on each board of `given`, without placements. The pieces are
/// ignored.
fn board_features(
    given: &[BoardAndPiece],
    asked: &FeatureRequest,
    sharing: &Sharing<'_>,
) -> Result<Vec<f64>> {
    let part = |range: Range<usize>| {
        let (mut meter, mut values) = (Meter::new(asked), Vec::new());
        match asked {
            FeatureRequest::Features(..) => {
                for some in given[range].chunks(BOARDS_PER_THREAD) {
                    sharing.check_stop()?;
                    let boards: Vec<_> = some.iter().map(|(board, _)| (*board, NO_MOVE)).collect();
                    meter.of_moves(&boards, &mut values);
                }
            }
            FeatureRequest::Terms(..) => {
                for (board, _) in &given[range] {
                    sharing.check_stop()?;
                    values.extend(meter.of_board(board)?);
                }
            }
        }
        Ok(values)
    };
    Ok(shared(given.len(), sharing, part)?.concat())
}

/// Converts an array from Python to placements, one for each of `boards` boards. A row is
/// (orientation, column) or (orientation, column, row).
fn places_of(given: &PyReadonlyArray2<'_, i64>, boards: usize) -> Result<Vec<PlacementKey>> {
    let [count, width] = *given.shape() else { return Ok(Vec::new()) };
    if count != boards || !(2..=3).contains(&width) {
        return Err(Error::Config(format!(
            "placements of shape [{count}, {width}]: give [{boards}, 2] (orientation, column), or \
             [{boards}, 3] (and row)"
        )));
    }
    let byte = |value: i64| {
        u8::try_from(value).map_err(|_| {
            Error::Config(format!("placements: {value}: give numbers as placements() lists them"))
        })
    };
    let place = |row: numpy::ndarray::ArrayView1<'_, i64>| {
        Ok((byte(row[0])?, byte(row[1])?, row.get(2).map(|&row| byte(row)).transpose()?))
    };
    given.as_array().rows().into_iter().map(place).collect()
}

/// Returns the names of all features of placements, or of boards without placements.
#[pyfunction]
fn find_feature_names(size: &str, rules: &str, of_boards: bool) -> PyResult<Vec<String>> {
    let names = || -> Result<Vec<String>> {
        let (size, rules) = (size.parse()?, Rules::read(rules, false, false, "full")?);
        let asked = match of_boards {
            true => FeatureRequest::of_boards(&rules, size, None)?,
            false => FeatureRequest::of_placements(&rules, size, None, Measured::AfterClear)?,
        };
        Ok(names_of(&asked))
    };
    names().map_err(|error| argument_error(&error))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(find_afterstates, module)?)?;
    module.add_function(wrap_pyfunction!(find_features, module)?)?;
    module.add_function(wrap_pyfunction!(find_feature_names, module)?)
}
