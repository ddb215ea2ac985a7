//! Finds placements, afterstates (boards after placements) and features of many boards in one call.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread::{self, available_parallelism};

use numpy::{Element, PyReadonlyArray2, PyUntypedArrayMethods};
use tetrastat::board::ROWS;

use crate::afterstates::{FeatureMeasurer, Measurable, PlacementKey, Rules};
use crate::boards::{boards, pairs};
use crate::conversion::argument_error;
use crate::prelude::*;
use crate::process::run_interruptibly;

pub(crate) type BoardAndPiece = (Board, Piece);

/// Minimum number of boards per thread, below which another thread costs more than it saves.
const BOARDS_PER_THREAD: usize = 256;

struct Workers<'a> {
    threads: Option<usize>,
    stop: &'a AtomicBool,
}

impl Workers<'_> {
    fn check_stop(&self) -> Result<()> {
        match self.stop.load(Ordering::Relaxed) {
            true => Err(Error::Config("stopped".to_owned())),
            false => Ok(()),
        }
    }
}

/// Runs work on boards without Python's lock. Ctrl-C can stop it if there are many boards.
fn stoppable<T: Send>(
    py: Python<'_>,
    count: usize,
    threads: Option<Whole<usize>>,
    work: impl FnOnce(&Workers<'_>) -> Result<T> + Send,
) -> PyResult<T> {
    let (threads, stop) = (threads.map(|Whole(threads)| threads), AtomicBool::new(false));
    let work = || work(&Workers { threads, stop: &stop });
    let done = match count < BOARDS_PER_THREAD {
        true => py.detach(work),
        false => {
            run_interruptibly(py, || stop.store(true, Ordering::Relaxed), || Ok(()), || Ok(work()))?
        }
    };
    done.map_err(|error| argument_error(&error))
}

/// Divides `count` boards among threads, runs `work` for each range, and joins the results.
fn run_on_threads<T: Send>(
    count: usize,
    workers: &Workers<'_>,
    work: impl Fn(Range<usize>) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let cores = || available_parallelism().map_or(1, usize::from);
    let parts =
        workers.threads.unwrap_or_else(cores).clamp(1, count.div_ceil(BOARDS_PER_THREAD).max(1));
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

#[derive(Default)]
struct MeasuredPlacements {
    boards: Vec<i64>,
    /// Eight numbers that describe each placement ([`Afterstate::placement`]).
    placements: Vec<[u8; 8]>,
    rows: Vec<[u16; ROWS]>,
    values: Vec<f64>,
}

/// Lists the placements of many boards on several threads, and measures the features in `asked`
/// after each placement.
fn measure(
    count: usize,
    workers: &Workers<'_>,
    asked: Option<&Arc<Selection>>,
    list: impl Fn(usize, &mut Vec<(usize, Afterstate)>) -> Result<()> + Sync,
    has_rows: bool,
) -> Result<MeasuredPlacements> {
    let part = |range: Range<usize>| {
        let mut measurer = asked.cloned().map(FeatureMeasurer::new);
        let (mut found, mut waiting) = (MeasuredPlacements::default(), Vec::new());
        for at in range.clone() {
            workers.check_stop()?;
            list(at, &mut waiting)?;
            if waiting.len() < BOARDS_PER_THREAD && at + 1 < range.end {
                continue;
            }
            if has_rows {
                found.boards.extend(waiting.iter().map(|(at, _)| *at as i64));
                found.placements.extend(waiting.iter().map(|(_, one)| one.placement()));
                found.rows.extend(waiting.iter().map(|(_, one)| one.rows()));
            }
            if let (Some(measurer), Some(asked)) = (&mut measurer, asked) {
                let (first, width) = (found.values.len(), asked.len());
                found.values.resize(first + waiting.len() * width, 0.0);
                let to = &mut found.values[first..];
                measurer.measure(&waiting, to, |index, _| index, |value| value);
            }
            waiting.clear();
        }
        Ok(found)
    };
    let mut parts = run_on_threads(count, workers, part)?.into_iter();
    let mut all = parts.next().unwrap_or_default();
    for MeasuredPlacements { boards, placements, rows, values } in parts {
        all.boards.extend(boards);
        all.placements.extend(placements);
        all.rows.extend(rows);
        all.values.extend(values);
    }
    Ok(all)
}

fn array_2d<'py, T: Element>(
    py: Python<'py>,
    values: Vec<T>,
    columns: usize,
    rows: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    PyArray1::from_vec(py, values).reshape([rows, columns])
}

fn size_of(given: &[BoardAndPiece], size: Option<&str>) -> Result<BoardSize> {
    match (given.first(), size) {
        (Some((board, _)), _) => Ok(board.size()),
        (None, Some(size)) => size.parse(),
        (None, None) => BoardSize::new(10, 20),
    }
}

/// Arrays for Python that describe all placements of many boards, with one entry per placement.
type Afterstates<'py> = (
    Bound<'py, PyArray1<i64>>,
    [Bound<'py, PyArray1<u8>>; 5],
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray2<u16>>,
    Option<Bound<'py, PyArray2<f64>>>,
    String,
);

#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Query {
    size: Option<String>,
    rules: String,
    clear_on_overflow: bool,
    reach_anywhere: bool,
    movement: String,
    features: Option<Vec<String>>,
    measured: String,
}

impl Query {
    fn rules(&self) -> Result<Rules> {
        let Query { rules, clear_on_overflow, reach_anywhere, movement, .. } = self;
        Rules::read(rules, *clear_on_overflow, *reach_anywhere, movement)
    }
}

/// Finds all placements of each board's piece, their results, and the features named in `query`.
/// With `is_measured`, returns only features, all if none are named: of `placements` or, without
/// placements, of the boards.
#[pyfunction]
fn find_afterstates<'py>(
    py: Python<'py>,
    boards: &Bound<'py, PyAny>,
    pieces: Option<&Bound<'py, PyAny>>,
    placements: Option<PyReadonlyArray2<'py, i64>>,
    is_measured: bool,
    threads: Option<Whole<usize>>,
    query: Query,
) -> PyResult<Afterstates<'py>> {
    let size = query.size.as_deref();
    let given = match pieces {
        Some(pieces) => pairs(boards, size, pieces)?,
        None => self::boards(boards, size)?.into_iter().map(|board| (board, Piece::O)).collect(),
    };
    let places = placements.map(|places| parse_placements(&places, given.len())).transpose();
    let places = places.map_err(|error| argument_error(&error))?;
    let size = size_of(&given, size).map_err(|error| argument_error(&error))?;
    let work = |workers: &Workers<'_>| -> Result<_> {
        let (rules, names) = (query.rules()?, query.features.as_deref());
        let asked = match (is_measured, &places) {
            (false, _) if names.is_none() => None,
            (true, None) => Some(Selection::for_boards(&rules, size, names)?),
            _ => Some(Selection::for_placements(&rules, size, names, query.measured.parse()?)?),
        };
        let asked = asked.map(Arc::new);
        let list = |at: usize, found: &mut Vec<_>| {
            let (board, piece) = &given[at];
            match &places {
                Some(places) => rules.add_afterstate((board, *piece), places[at], at, found)?,
                None if is_measured => found.push((at, rules.board(board)?)),
                None => rules.add_afterstates((board, *piece), None, at, found)?,
            }
            Ok(())
        };
        let found = measure(given.len(), workers, asked.as_ref(), list, !is_measured)?;
        Ok((found, asked.map(|asked| asked.len())))
    };
    let (found, width) = stoppable(py, given.len(), threads, work)?;
    let MeasuredPlacements { boards, placements, rows, values } = found;
    let count = rows.len();
    let measured = if is_measured { given.len() } else { count };
    let features = width.map(|width| array_2d(py, values, width, measured));
    let byte = |k: usize| PyArray1::from_iter(py, placements.iter().map(|numbers| numbers[k]));
    Ok((
        PyArray1::from_vec(py, boards),
        [byte(2), byte(3), byte(4), byte(5), byte(6)],
        PyArray1::from_iter(py, placements.iter().map(|numbers| numbers[7] != 0)),
        array_2d(py, rows.into_flattened(), ROWS, count)?,
        features.transpose()?,
        size.to_string(),
    ))
}

/// Converts placements from Python, rows of (orientation, column) or (orientation, column, row),
/// one for each board.
fn parse_placements(given: &PyReadonlyArray2<'_, i64>, boards: usize) -> Result<Vec<PlacementKey>> {
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
            true => Selection::for_boards(&rules, size, None)?,
            false => Selection::for_placements(&rules, size, None, Measured::AfterClear)?,
        };
        Ok(asked.names())
    };
    names().map_err(|error| argument_error(&error))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(find_afterstates, module)?)?;
    module.add_function(wrap_pyfunction!(find_feature_names, module)?)
}
