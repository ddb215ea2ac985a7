//! The class `Table`, which passes the tables of a run to Python as Arrow data. The engine reads
//! the files. The PyCapsule interface passes the data on without a copy.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyTuple};
use tetrastat::cli::address::check_path;
use tetrastat::error::{Error, Result};
use tetrastat::record::{Column, Extract, RowCondition, Rows, read_extract};

use crate::arrow::{array, schema};
use crate::errors::{TetrastatError, Whole, argument_error, engine_error, setting_error};

/// Maximum number of batches that are read before the consumer asks for them.
const BATCHES_AHEAD: usize = 2;

/// Table of a run, or a selection of its rows and columns.
///
/// A table is read when a library asks for it: `pyarrow.table(table)`, `polars.DataFrame(table)`,
/// `duckdb`, and every other library that takes Arrow data by the PyCapsule interface
/// (`__arrow_c_stream__`). Factors become dictionaries and missing values become null. A field's
/// metadata holds its unit and meaning.
///
/// Parameters
/// ----------
/// path : path
///     File that the engine wrote in a run's folder: CSV (also `.gz`, `.zst`) or Parquet.
/// columns : sequence of str, optional
///     Names of the columns to keep, in this order. Default: all.
/// where : str, optional
///     Comparisons joined by `and`, such as `"game<=20 and holes>3"`. Default: all rows.
/// every : int, optional
///     Step between rows: of the rows that satisfy `where`, the first and each `every`-th after it
///     are kept. Default: 1.
/// owner : object, optional
///     Object that must live as long as the table, such as the `Run` of a temporary folder.
///
/// Raises
/// ------
/// SettingError
///     If `where` or `every` is invalid, or if `path` is an address such as `s3://bucket/run`.
///
/// Examples
/// --------
/// >>> import tetrastat
/// >>> run = tetrastat.simulate("dt20", board="10x10", games=3, max_pieces=50, placements="none")
/// >>> table = tetrastat.Table(run.tables["games"], ["game", "pieces"], where="game>=1")
/// >>> table.columns
/// ['game', 'pieces']
/// >>> table.to_pyarrow().num_rows
/// 2
#[pyclass(frozen, module = "tetrastat")]
pub(crate) struct Table {
    source: Source,
    /// Condition on the rows as it was given, for pickling.
    condition: Option<String>,
    /// Object that keeps the file: a temporary folder is removed with the last reference to it.
    #[pyo3(get)]
    owner: Option<Py<PyAny>>,
}

#[derive(Clone)]
enum Source {
    File(PathBuf, Extract),
    Rows(SchemaRef, RecordBatch),
}

/// Stream of Arrow batches, which a thread reads at most [`BATCHES_AHEAD`] batches ahead of the
/// consumer.
struct Batches {
    schema: SchemaRef,
    read: Receiver<Result<Message>>,
}

enum Message {
    /// Columns of the table, sent before the first batch.
    Columns(Vec<Column>),
    Batch(RecordBatch),
}

impl Iterator for Batches {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            return match self.read.recv().ok()? {
                Ok(Message::Batch(batch)) => Some(Ok(batch)),
                Ok(Message::Columns(_)) => continue,
                Err(error) => Some(Err(ArrowError::ExternalError(Box::new(error)))),
            };
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

impl Table {
    /// Creates a table of `rows`, which stay in memory.
    pub(crate) fn of_rows(columns: Vec<Column>, rows: Rows) -> PyResult<Table> {
        let schema = schema(&columns);
        let batch = batch(&schema, &columns, rows).map_err(|error| engine_error(&error))?;
        Ok(Table { source: Source::Rows(schema, batch), condition: None, owner: None })
    }

    fn reader(&self) -> PyResult<Box<dyn RecordBatchReader + Send>> {
        match &self.source {
            Source::File(path, extract) => Ok(Box::new(batches(path.clone(), extract.clone())?)),
            Source::Rows(schema, batch) => {
                let batches = std::iter::once(Ok(batch.clone()));
                let schema = Arc::clone(schema);
                Ok(Box::new(arrow_array::RecordBatchIterator::new(batches, schema)))
            }
        }
    }

    fn schema(&self) -> PyResult<SchemaRef> {
        Ok(self.reader()?.schema())
    }
}

/// Starts a thread that reads the table in the file `path`. The file is open when this function
/// returns.
fn batches(path: PathBuf, extract: Extract) -> PyResult<Batches> {
    let (sender, read) = sync_channel(BATCHES_AHEAD);
    let reading = thread::Builder::new().name("reading".to_owned());
    let started = reading.spawn(move || {
        if let Err(error) = send(&path, &extract, &sender) {
            // The consumer may have closed the channel. It then needs no error report.
            let _ = sender.send(Err(error));
        }
    });
    started.map_err(|error| {
        TetrastatError::new_err(format!("starting a thread: {error}: end other programs"))
    })?;
    match read.recv() {
        Ok(Ok(Message::Columns(columns))) => Ok(Batches { schema: schema(&columns), read }),
        Ok(Err(error)) => Err(engine_error(&error)),
        _ => Err(TetrastatError::new_err("internal error: a table without columns")),
    }
}

/// Reads a table and sends its columns to `sender`, then its batches. Stops with an error if the
/// consumer closes the channel.
fn send(path: &Path, extract: &Extract, sender: &SyncSender<Result<Message>>) -> Result<()> {
    let mut known: Option<SchemaRef> = None;
    let gone = || Error::Config("the reader was closed".to_owned());
    read_extract(path, extract, |columns, rows| {
        let schema = match &known {
            Some(schema) => schema,
            None => {
                sender.send(Ok(Message::Columns(columns.to_vec()))).map_err(|_| gone())?;
                known.insert(schema(columns))
            }
        };
        if rows.is_empty() {
            return Ok(());
        }
        let batch = batch(schema, columns, rows)?;
        sender.send(Ok(Message::Batch(batch))).map_err(|_| gone())
    })
}

fn batch(schema: &SchemaRef, columns: &[Column], rows: Rows) -> Result<RecordBatch> {
    let pairs = columns.iter().zip(rows.columns);
    let arrays = pairs.map(|(column, values)| array(column, values));
    let arrays = arrays.collect::<std::result::Result<Vec<ArrayRef>, ArrowError>>();
    let batch = arrays.and_then(|arrays| RecordBatch::try_new(Arc::clone(schema), arrays));
    batch.map_err(|error| Error::Internal(error.to_string()))
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (path, columns = None, r#where = None, every = None, *, owner = None))]
    fn new(
        path: PathBuf,
        columns: Option<Vec<String>>,
        r#where: Option<&str>,
        every: Option<Whole<usize>>,
        owner: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        check_path(&path.to_string_lossy()).map_err(|error| setting_error(error.to_string()))?;
        let rows = r#where.map(str::parse::<RowCondition>).transpose();
        let rows = rows.map_err(|error| argument_error(&error))?.unwrap_or_default();
        let every = every.map(|Whole(every)| {
            NonZeroUsize::new(every)
                .ok_or_else(|| setting_error("every 0: give 1 or more".to_owned()))
        });
        let every = every.transpose()?;
        let extract = Extract { columns: columns.unwrap_or_default(), rows, every };
        let condition = r#where.map(str::to_owned);
        Ok(Table { source: Source::File(path, extract), condition, owner })
    }

    /// Returns the arguments of the constructor, for pickling.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let Source::File(path, Extract { columns, every, .. }) = &self.source else {
            let text = "a table in memory has no file: pickle table.to_pyarrow() instead";
            return Err(PyTypeError::new_err(text));
        };
        let columns = (!columns.is_empty()).then_some(columns);
        let every = every.map(NonZeroUsize::get);
        let keywords = PyDict::new(py);
        keywords.set_item("owner", self.owner.as_ref().map(|owner| owner.bind(py)))?;
        Ok(((path, columns, self.condition.as_deref(), every).into_pyobject(py)?, keywords))
    }

    /// Names of the columns, in their order: list of str.
    #[getter]
    fn columns(&self) -> PyResult<Vec<String>> {
        Ok(self.schema()?.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// Returns the code book's entry for a column.
    ///
    /// Parameters
    /// ----------
    /// column : str
    ///     Name of the column.
    ///
    /// Returns
    /// -------
    /// dict of str to str
    ///     `unit`, `description` (the column's meaning) and `missing` (the reason for missing
    ///     values).
    ///
    /// Raises
    /// ------
    /// SettingError
    ///     If the table has no such column.
    fn describe<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyDict>> {
        let schema = self.schema()?;
        let names: Vec<&str> = schema.fields().iter().map(|field| &**field.name()).collect();
        let Some((_, field)) = schema.column_with_name(column) else {
            return Err(engine_error(&Error::unknown("column", column, names)));
        };
        let entry = PyDict::new(py);
        for key in ["unit", "description", "missing"] {
            entry.set_item(key, field.metadata().get(key))?;
        }
        Ok(entry)
    }

    /// Returns the rows as an Arrow stream.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows a producer to ignore the requested schema.
        let _ = requested_schema;
        let reader = py.detach(|| self.reader())?;
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    /// Returns the rows as a `pyarrow.Table`.
    fn to_pyarrow<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// Returns the rows as a `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// Returns the rows as a `pandas.DataFrame`. This needs pyarrow as well.
    fn to_pandas<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        Table::to_pyarrow(slf)?.call_method0("to_pandas")
    }

    fn __repr__(&self) -> PyResult<String> {
        let columns = self.columns()?;
        Ok(match &self.source {
            Source::File(path, _) => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                format!("<Table {file}: {}>", columns.join(", "))
            }
            Source::Rows(_, batch) => {
                format!("<Table of {} rows: {}>", batch.num_rows(), columns.join(", "))
            }
        })
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Table>()
}
