//! Functions that find the placements, afterstates and features of many boards in one call. They
//! use the engine's placement generators and kernels.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, available_parallelism};

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use tetrastat::board::{Board, BoardSize, ROWS};
use tetrastat::error::{Error, Result};
use tetrastat::features::Measured;
use tetrastat::piece::Piece;

use crate::afterstates::{Afterstate, Meter, PlacementKey, Rules, Selection};
use crate::boards::{boards, pairs};
use crate::errors::{Whole, argument_error};
use crate::waiting::run_interruptibly;

/// A board and the piece to place on it.
pub(crate) type BoardAndPiece = (Board, Piece);

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

/// A placement on one of the given boards.
struct Row {
    board: i64,
    /// Numbers of the placement ([`Afterstate::placement`]).
    placement: [u8; 8],
    /// Bit-packed rows of the board after the placement.
    rows: [u16; ROWS],
}

/// Calls `list` for the number of each of `count` boards. Returns the values of the features in
/// `asked` on all afterstates that it lists, and what `row` makes of these.
fn measure<T: Send>(
    count: usize,
    sharing: &Sharing<'_>,
    asked: Option<&Selection>,
    list: impl Fn(usize) -> Result<Vec<Afterstate>> + Sync,
    row: impl Fn(&(usize, Afterstate)) -> T + Sync,
) -> Result<(Vec<T>, Vec<f64>)> {
    let part = |range: Range<usize>| {
        let mut meter = asked.cloned().map(Meter::new);
        let (mut rows, mut values, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        for at in range.clone() {
            sharing.check_stop()?;
            waiting.extend(list(at)?.into_iter().map(|one| (at, one)));
            if waiting.len() >= BOARDS_PER_THREAD || at + 1 == range.end {
                rows.extend(waiting.iter().map(&row));
                values.extend_from_slice(meter.as_mut().map_or(&[], |it| it.measure(&waiting)));
                waiting.clear();
            }
        }
        Ok((rows, values))
    };
    let mut all = (Vec::new(), Vec::new());
    for (rows, values) in shared(count, sharing, part)? {
        all.0.extend(rows);
        all.1.extend(values);
    }
    Ok(all)
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

/// Arrays of the columns of all placements in this order: `board`; then `orientation`, `column`,
/// `row`, `spin` and `lines`; `lost`, `rows` and `features`. The last item is the size of the
/// boards.
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
    let work = |sharing: &Sharing<'_>| -> Result<_> {
        let rules = Rules::read(rules, clear_on_overflow, reach_anywhere, movement)?;
        let asked = features.map(|names| {
            Selection::of_placements(&rules, of_size, Some(&names), measured.parse()?)
        });
        let asked = asked.transpose()?;
        let list = |at: usize| rules.afterstates(&given[at].0, given[at].1, None);
        let row = |(board, one): &(usize, Afterstate)| Row {
            board: *board as i64,
            placement: one.placement(),
            rows: one.rows(),
        };
        let (rows, values) = measure(given.len(), sharing, asked.as_ref(), list, row)?;
        Ok((rows, values, asked.map(|asked| asked.len())))
    };
    let (rows, values, width) = stoppable(py, given.len(), threads, work)?;
    let features = width.map(|width| matrix_of(py, values, width, rows.len()));
    let byte = |k: usize| PyArray1::from_iter(py, rows.iter().map(|row| row.placement[k]));
    Ok((
        PyArray1::from_iter(py, rows.iter().map(|row| row.board)),
        [byte(2), byte(3), byte(4), byte(5), byte(6)],
        PyArray1::from_iter(py, rows.iter().map(|row| row.placement[7] != 0)),
        matrix_of(py, rows.iter().flat_map(|row| row.rows).collect(), ROWS, rows.len())?,
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
        let (size, names) = (size_of(&given, size)?, names.as_deref());
        let asked = match &places {
            Some(_) => Selection::of_placements(&rules, size, names, measured.parse()?)?,
            None => Selection::of_boards(&rules, size, names)?,
        };
        let list = |at: usize| {
            let (board, piece) = &given[at];
            let one = match &places {
                Some(places) => rules.afterstate(board, *piece, places[at])?,
                None => rules.board(board)?,
            };
            Ok(vec![one])
        };
        let (_, values) = measure(given.len(), sharing, Some(&asked), list, |_| ())?;
        Ok((values, asked.len()))
    };
    let (values, width) = stoppable(py, given.len(), threads, work)?;
    matrix_of(py, values, width, given.len())
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
            true => Selection::of_boards(&rules, size, None)?,
            false => Selection::of_placements(&rules, size, None, Measured::AfterClear)?,
        };
        Ok(asked.names())
    };
    names().map_err(|error| argument_error(&error))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(find_afterstates, module)?)?;
    module.add_function(wrap_pyfunction!(find_features, module)?)?;
    module.add_function(wrap_pyfunction!(find_feature_names, module)?)
}
