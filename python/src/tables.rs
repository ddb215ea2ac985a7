//! Tables of a run as Arrow data: read by the engine, handed over by the PyCapsule interface without a copy.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use tetrastat::cli::address::check_path;
use tetrastat::error::{Error, Result};
use tetrastat::record::{Column, Extract, Rows, Where, read_extract};

use crate::arrow::{array, schema};
use crate::errors::{TetrastatError, Whole, raised, setting_error, wrong};

/// Batches that may wait for whoever reads them.
const WAITING: usize = 2;

/// A table of a run, or what is meant of it.
///
/// It is read when it is asked for: by `pyarrow.table(table)`, `polars.DataFrame(table)`, `duckdb`, and whatever else
/// takes Arrow data by the PyCapsule interface (`__arrow_c_stream__`). Factors are dictionaries, missing values null;
/// a field's metadata has its unit and meaning.
#[pyclass(frozen, module = "tetrastat")]
pub(crate) struct Table {
    source: Source,
    /// Whoever keeps the file: a folder that goes with its last reference.
    #[pyo3(get)]
    owner: Option<Py<PyAny>>,
}

#[derive(Clone)]
enum Source {
    File(PathBuf, Extract),
    Rows(SchemaRef, RecordBatch),
}

/// Arrow batches that are read by a thread, a few ahead of whoever takes them.
struct Batches {
    schema: SchemaRef,
    read: Receiver<Result<Message>>,
}

enum Message {
    /// The columns, before all batches.
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
    /// A table that was made.
    pub(crate) fn of_rows(columns: Vec<Column>, rows: Rows) -> PyResult<Table> {
        let schema = schema(&columns);
        let batch = batch(&schema, &columns, rows).map_err(|error| raised(&error))?;
        Ok(Table { source: Source::Rows(schema, batch), owner: None })
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

/// Begins to read; the file is open when this returns.
fn batches(path: PathBuf, extract: Extract) -> PyResult<Batches> {
    let (sender, read) = sync_channel(WAITING);
    let reading = thread::Builder::new().name("reading".to_owned());
    let started = reading.spawn(move || {
        if let Err(error) = send(&path, &extract, &sender) {
            // Whoever has enough has gone away.
            let _ = sender.send(Err(error));
        }
    });
    started.map_err(|error| {
        TetrastatError::new_err(format!("starting a thread: {error}: end other programs"))
    })?;
    match read.recv() {
        Ok(Ok(Message::Columns(columns))) => Ok(Batches { schema: schema(&columns), read }),
        Ok(Err(error)) => Err(raised(&error)),
        _ => Err(TetrastatError::new_err("internal error: a table without columns")),
    }
}

/// Reads a table: first its columns, then batches, until nobody takes them any more.
fn send(path: &Path, extract: &Extract, sender: &SyncSender<Result<Message>>) -> Result<()> {
    let mut known: Option<SchemaRef> = None;
    let gone = || Error::Config("nobody reads any more".to_owned());
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
    /// A table in a file that the engine wrote: CSV (also `.gz`, `.zst`) or Parquet, in its run's folder.
    ///
    /// Parameters
    /// ----------
    /// path : path of the file
    /// columns : names of the columns to keep, in this order; all when None
    /// where : comparisons joined by `and`, such as `"game<=20 and holes>3"`
    /// every : of the rows in which they hold the first and each `every`-th after it
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
        let rows = r#where.map(str::parse::<Where>).transpose();
        let rows = rows.map_err(|error| wrong(&error))?.unwrap_or_default();
        let every = every.map(|Whole(every)| {
            NonZeroUsize::new(every)
                .ok_or_else(|| setting_error("every 0: give 1 or more".to_owned()))
        });
        let every = every.transpose()?;
        let extract = Extract { columns: columns.unwrap_or_default(), rows, every };
        Ok(Table { source: Source::File(path, extract), owner })
    }

    /// The names of the columns, in their order.
    #[getter]
    fn columns(&self) -> PyResult<Vec<String>> {
        Ok(self.schema()?.fields().iter().map(|field| field.name().clone()).collect())
    }

    /// What is said of a column: its unit, what it means, and when it is missing.
    fn describe<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyDict>> {
        let schema = self.schema()?;
        let names: Vec<&str> = schema.fields().iter().map(|field| &**field.name()).collect();
        let Some((_, field)) = schema.column_with_name(column) else {
            return Err(raised(&Error::unknown("column", column, names)));
        };
        let said = PyDict::new(py);
        for key in ["unit", "description", "missing"] {
            said.set_item(key, field.metadata().get(key))?;
        }
        Ok(said)
    }

    /// The rows as an Arrow stream.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A wish that need not be granted.
        let _ = requested_schema;
        let reader = py.detach(|| self.reader())?;
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
    }

    /// The rows as a `pyarrow.Table`.
    fn to_pyarrow<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// The rows as a `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// The rows as a `pandas.DataFrame`; it takes pyarrow, too.
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
