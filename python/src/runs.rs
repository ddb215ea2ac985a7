//! Runs the engine's commands in this process: with keyword arguments, as command lines, and part
//! by part on several machines.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;

use pyo3::types::{PyBool, PyList};
use tetrastat::cli::call::{self, Answer, Call, CallEnd, OptionHelp, Refusal};
use tetrastat::cli::hosted::{self, Estimation, begin_estimate};
use tetrastat::cli::{self, NAMED_DATASETS};
use tetrastat::record::{Column, RowSink, Rows, set_command_line};
use tetrastat::report::{Report, TableOf};

use crate::conversion::{
    TetrastatError, engine_error, python, refusal_error, setting_error, settings,
};
use crate::players::Players;
use crate::prelude::*;
use crate::process::{CHECK_INTERVAL, ProcessLocal, lock, run_interruptibly, spawn};
use crate::tables::{Block, Table, cells_of};

/// Result of a command: printed text, table, report as text and HTML, true if the target was
/// reached, and messages.
type CommandResult = (String, Option<Table>, Option<[String; 2]>, bool, Vec<String>);

type KeptRows = BTreeMap<String, (Arc<[Column]>, Vec<Rows>)>;

/// Maximum number of blocks of rows that a run produces ahead of its Python reader.
const BLOCKS_AHEAD: usize = 2;

/// Runs a command of the engine, with `input` as standard input. Calls `progress` with the share of
/// the work done (0 to 1, or None) and a text.
///
/// If `kept` is a dictionary, logs go to `kept` as tables in memory instead of into files. The
/// settings can name the Python players `players`.
#[pyfunction]
#[pyo3(
    signature = (command, settings, input = "", progress = None, kept = None, players = Vec::new()),
    text_signature = "(command, settings, input='', progress=None, kept=None, players=())"
)]
fn call_command(
    py: Python<'_>,
    command: &str,
    settings: &Bound<'_, PyDict>,
    input: &str,
    progress: Option<Py<PyAny>>,
    kept: Option<&Bound<'_, PyDict>>,
    players: Vec<Bound<'_, PyAny>>,
) -> PyResult<CommandResult> {
    let settings = self::settings(Some(settings))?;
    let rows = Arc::new(Mutex::new(KeptRows::new()));
    let players = Players::new(&players)?;
    let call =
        Call::for_tables(input.to_owned(), kept.map(|_| keep_in(&rows)), players.controllers());
    let mut told = None;
    let tell = || {
        let latest = call.progress().filter(|latest| told.as_ref() != Some(latest));
        if let (Some(progress), Some(latest)) = (&progress, latest) {
            told = Some(latest.clone());
            progress.call1(py, (latest.share, latest.text))?;
        }
        Ok(())
    };
    let answer = run_interruptibly(py, || call.stop(), tell, || Ok(call.run(command, &settings)))?;
    let Answer { printed, report, ended } =
        answer.map_err(|refusal| players.with_cause(py, refusal_error(command, refusal)))?;
    let table = report.as_ref().and_then(Report::rows);
    let table = table.map(|(columns, rows)| Table::from_blocks(columns.into(), vec![rows]));
    let report = report.as_ref().map(|report| call::render(command, report)).transpose();
    let report = report.map_err(|refusal| refusal_error(command, refusal))?;
    if let Some(kept) = kept {
        let rows = std::mem::take(&mut *lock(&rows));
        for (name, (columns, blocks)) in rows {
            kept.set_item(name, Table::from_blocks(columns, blocks))?;
        }
    }
    Ok((printed, table, report, ended == CallEnd::Done, call.take_messages()))
}

/// Returns the report of the run or the estimate in `folder`, as text and as HTML.
#[pyfunction]
fn report_of(folder: PathBuf) -> PyResult<[String; 2]> {
    call::report_of(&folder).map_err(|refusal| refusal_error("report", refusal))
}

/// Returns columns of values with their `names` as a table, as text and as HTML.
#[pyfunction]
fn grid(names: Vec<String>, columns: Vec<Vec<Bound<'_, PyAny>>>) -> PyResult<[String; 2]> {
    let rows: Vec<usize> = (0..columns.first().map_or(0, Vec::len)).collect();
    let mut table = TableOf::new("", &rows);
    for (name, column) in names.into_iter().zip(columns) {
        let values: Vec<Value> = column.iter().map(as_value).collect::<PyResult<_>>()?;
        let cells = cells_of(values.into_iter());
        table = table.with(name, move |row| cells[*row].clone());
    }
    let mut report = Report::default();
    report.table(table);
    Ok([report.to_text().trim_end().to_owned(), report.to_html()])
}

fn keep_in(rows: &Arc<Mutex<KeptRows>>) -> RowSink {
    let rows = Arc::clone(rows);
    RowSink::new(move |name, columns, block| {
        let mut rows = lock(&rows);
        let (_, blocks) =
            rows.entry(name.to_owned()).or_insert_with(|| (Arc::clone(columns), Vec::new()));
        if !block.is_empty() {
            blocks.push(block);
        }
        Ok(())
    })
}

/// Rows of a log, read in blocks while the run plays. The run waits when it is a few blocks ahead
/// of the reader.
#[pyclass(frozen, module = "tetrastat")]
struct RowStream {
    call: Arc<Call>,
    command: String,
    players: Players,
    /// Blocks of a log's rows; `None` once the stream has ended.
    blocks: Mutex<Option<Receiver<Block>>>,
    work: Mutex<Option<JoinHandle<std::result::Result<Answer, Refusal>>>>,
}

#[pymethods]
impl RowStream {
    /// Starts a run and returns the rows of its log `table`.
    #[new]
    #[pyo3(
        signature = (command, settings, table, players = Vec::new()),
        text_signature = "(command, settings, table, players=())"
    )]
    fn new(
        command: String,
        settings: &Bound<'_, PyDict>,
        table: String,
        players: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<RowStream> {
        let settings = self::settings(Some(settings))?;
        let players = Players::new(&players)?;
        let (sender, blocks) = sync_channel(BLOCKS_AHEAD);
        let sink = RowSink::new(move |name, columns, rows| {
            if name != table || rows.is_empty() {
                return Ok(());
            }
            let gone = |_| Error::Config("the stream was closed".to_owned());
            sender.send((Arc::clone(columns), rows)).map_err(gone)
        });
        let call = Arc::new(Call::for_tables(String::new(), Some(sink), players.controllers()));
        let (playing, played) = (Arc::clone(&call), command.clone());
        let work = spawn("playing", move || {
            let ended = playing.run(&played, &settings);
            // The sink goes with the call, which closes the channel.
            drop(playing);
            ended
        })?;
        Ok(RowStream {
            call,
            command,
            players,
            blocks: Mutex::new(Some(blocks)),
            work: Mutex::new(Some(work)),
        })
    }

    fn __iter__(slf: Py<RowStream>) -> Py<RowStream> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let mut blocks = lock(&self.blocks);
        while let Some(open) = blocks.take() {
            // A `Receiver` is not `Sync`, so it moves to the closure and back.
            let (open, received) = py.detach(move || {
                let received = open.recv_timeout(CHECK_INTERVAL);
                (open, received)
            });
            let has_ended = lock(&self.work).as_ref().is_none_or(JoinHandle::is_finished);
            match received {
                Ok((columns, rows)) => {
                    *blocks = Some(open);
                    return Ok(Some(Table::from_blocks(columns, vec![rows])));
                }
                Err(RecvTimeoutError::Timeout) if !has_ended => {
                    *blocks = Some(open);
                    py.check_signals()?;
                }
                // Rows may have been sent between the wait and the end of the run.
                Err(_) => match open.try_recv() {
                    Ok((columns, rows)) => {
                        *blocks = Some(open);
                        return Ok(Some(Table::from_blocks(columns, vec![rows])));
                    }
                    Err(_) => return self.finish(py).map(|()| None),
                },
            }
        }
        Ok(None)
    }

    /// Ends the run and waits until it has ended.
    fn close(&self, py: Python<'_>) {
        self.call.stop();
        // A run that waits for the channel ends once the channel is closed.
        lock(&self.blocks).take();
        let work = lock(&self.work).take();
        py.detach(|| work.map(|work| drop(work.join())));
    }
}

impl RowStream {
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let Some(work) = lock(&self.work).take() else { return Ok(()) };
        match py.detach(|| work.join()) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(refusal)) => {
                Err(self.players.with_cause(py, refusal_error(&self.command, refusal)))
            }
            Err(_) => Err(TetrastatError::new_err("internal error: the run panicked")),
        }
    }
}

fn as_data(given: &Bound<'_, PyDict>) -> PyResult<Map<String, Value>> {
    let pair = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        Ok((key.extract::<String>()?, as_value(&value)?))
    };
    given.iter().map(pair).collect()
}

/// Converts None, bools, numbers, text, lists and dictionaries from Python to JSON. Other values
/// become text.
fn as_value(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_none() {
        return Ok(Value::Null);
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(value.extract()?));
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        return as_data(dict).map(Value::Object);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let values: PyResult<Vec<Value>> = value.try_iter()?.map(|one| as_value(&one?)).collect();
        return values.map(Value::Array);
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<u64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(number.into());
    }
    Ok(value.str()?.to_string().into())
}

/// Returns the options of a command, each as a dictionary of name, help, kind, choices and flags.
#[pyfunction]
fn command_options<'py>(py: Python<'py>, command: &str) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let options = call::options(command).map_err(|refusal| refusal_error(command, refusal))?;
    let described = |option: OptionHelp| {
        let entry = PyDict::new(py);
        entry.set_item("name", option.name)?;
        entry.set_item("help", option.help)?;
        entry.set_item("kind", option.kind.name())?;
        entry.set_item("choices", option.choices)?;
        entry.set_item("is_list", option.is_list)?;
        entry.set_item("is_positional", option.is_positional)?;
        entry.set_item("is_required", option.is_required)?;
        Ok(entry)
    };
    options.into_iter().map(described).collect()
}

/// Returns the names of all commands, each with its description.
#[pyfunction]
fn command_names() -> Vec<(String, String)> {
    call::commands()
}

/// Converts a dictionary to the TOML text of a study's file.
#[pyfunction]
fn study_text(study: &Bound<'_, PyDict>) -> PyResult<String> {
    let without_none = |settings: Map<String, Value>| -> Map<String, Value> {
        settings.into_iter().filter(|(_, value)| !value.is_null()).collect()
    };
    let study = without_none(as_data(study)?);
    toml::to_string(&study).map_err(|error| setting_error(format!("the study: {error}")))
}

/// Returns name, text of the TOML file and checksums of the tables of every built-in data set.
#[pyfunction]
fn named_datasets() -> Vec<(&'static str, &'static str, &'static str)> {
    NAMED_DATASETS.to_vec()
}

const KIND: &str = "estimate";

/// Estimate of mean lines in a folder, to which replications (independent runs) are added in order.
#[pyclass(module = "tetrastat", name = "_Estimate")]
struct Estimate(ProcessLocal<Mutex<Box<dyn Estimation>>>);

impl Estimate {
    fn kept(&mut self) -> PyResult<&mut dyn Estimation> {
        let estimate = self.0.get_or_refuse(KIND)?.get_mut();
        Ok(&mut **estimate.unwrap_or_else(PoisonError::into_inner))
    }
}

#[pymethods]
impl Estimate {
    /// Starts an estimate in the folder `out`, or resumes the estimate in this folder. A new
    /// estimate first finds its splitting levels.
    #[new]
    #[pyo3(signature = (**given))]
    fn new(py: Python<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Estimate> {
        let (settings, stop) = (settings(given)?, AtomicBool::new(false));
        let halt = || stop.store(true, Ordering::SeqCst);
        let begun =
            run_interruptibly(py, halt, || Ok(()), || Ok(begin_estimate(&settings, &stop)))?;
        let begun = begun.map_err(|refusal| refusal_error("estimate", refusal))?;
        Ok(Estimate(ProcessLocal::new(Mutex::new(begun))))
    }

    /// Levels, as JSON, at which multilevel splitting copies simulated games.
    #[getter]
    fn levels(&mut self) -> PyResult<String> {
        self.kept()?.levels().map_err(|error| engine_error(&error))
    }

    /// Number of the next replication (independent run of the estimator) that `tell` accepts.
    #[getter]
    fn next(&mut self) -> PyResult<u64> {
        Ok(self.kept()?.next())
    }

    /// True if the estimate has enough replications (independent runs) by its stop rule.
    #[getter]
    fn is_enough(&mut self) -> PyResult<bool> {
        Ok(self.kept()?.is_enough())
    }

    /// Adds the next replication (independent run), a text that `replicate` returned.
    fn tell(&mut self, replication: &str) -> PyResult<()> {
        self.kept()?.add(replication).map_err(|error| engine_error(&error))
    }

    /// Writes the tables and `run.json`, and returns the summary of the estimate as a dict.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        python(py, &self.kept()?.finish().map_err(|error| engine_error(&error))?)
    }
}

/// Plays replication `index` (an independent run) of a splitting estimate, and returns it as JSON.
#[pyfunction]
fn replicate(
    py: Python<'_>,
    settings: &Bound<'_, PyDict>,
    levels: &str,
    index: u64,
) -> PyResult<String> {
    let (settings, stop) = (self::settings(Some(settings))?, AtomicBool::new(false));
    let halted = || stop.load(Ordering::Relaxed);
    let play = || hosted::replicate(&settings, levels, index, &halted);
    run_interruptibly(py, || stop.store(true, Ordering::SeqCst), || Ok(()), play)
}

/// Merges the shards (parts of a run's games) into the new run `out`, except the Parquet tables.
/// The parts of these tables are already stored elsewhere.
#[pyfunction]
fn merge_written_parts(py: Python<'_>, shards: Vec<PathBuf>, out: PathBuf) -> PyResult<()> {
    let merged = py.detach(|| tetrastat::cli::merge_written_parts(&shards, &out));
    merged.map_err(|error| engine_error(&error))
}

/// Returns the name of part `number` (from 1) of a table in `count` parts.
#[pyfunction]
fn part_name(number: u64, count: u64) -> String {
    tetrastat::record::part_name(number, count)
}

/// Runs a command line and returns the exit code. The first of `words` is the program's name.
#[pyfunction]
fn run_command_line(py: Python<'_>, words: Vec<OsString>) -> u8 {
    record_command(words.iter().map(|word| word.to_string_lossy().into_owned()).collect());
    py.detach(|| cli::main_with(&words))
}

/// Sets the command line that `run.json` records for the runs of this process.
#[pyfunction]
fn record_command(words: Vec<String>) {
    set_command_line(words);
}

/// Raises a `SettingError` if `text` is an address such as `s3://bucket/run` instead of a path.
#[pyfunction]
fn check_path(text: &str) -> PyResult<()> {
    cli::check_path(text).map_err(|error| setting_error(error.to_string()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<RowStream>()?;
    module.add_function(wrap_pyfunction!(call_command, module)?)?;
    module.add_function(wrap_pyfunction!(report_of, module)?)?;
    module.add_function(wrap_pyfunction!(grid, module)?)?;
    module.add_function(wrap_pyfunction!(command_options, module)?)?;
    module.add_function(wrap_pyfunction!(command_names, module)?)?;
    module.add_function(wrap_pyfunction!(named_datasets, module)?)?;
    module.add_function(wrap_pyfunction!(study_text, module)?)?;
    module.add_class::<Estimate>()?;
    module.add_function(wrap_pyfunction!(merge_written_parts, module)?)?;
    module.add_function(wrap_pyfunction!(part_name, module)?)?;
    module.add_function(wrap_pyfunction!(replicate, module)?)?;
    module.add_function(wrap_pyfunction!(run_command_line, module)?)?;
    module.add_function(wrap_pyfunction!(record_command, module)?)?;
    module.add_function(wrap_pyfunction!(check_path, module)?)
}
