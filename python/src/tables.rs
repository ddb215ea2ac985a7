//! The class `Table`, which passes the tables of a run to Python as Arrow data. The engine reads
//! the files. The PyCapsule interface passes the data on without a copy.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PyTuple};
use tetrastat::cli::address::check_path;
use tetrastat::error::{Error, Result};
use tetrastat::record::{
    Column, Extract, RowCondition, Rows, arrow_schema, extract_rows, read_extract,
};

use crate::arrow::array;
use crate::errors::{TetrastatError, Whole, argument_error, engine_error, setting_error};

/// File of a table, its comparisons, and the step between rows, for a lazy reader.
type Selected = (Option<PathBuf>, Vec<(String, &'static str, String, &'static str)>, usize);

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
    extract: Extract,
    /// Object that keeps the file: a temporary folder is removed with the last reference to it.
    #[pyo3(get)]
    owner: Option<Py<PyAny>>,
}

#[derive(Clone)]
enum Source {
    File(PathBuf),
    Memory(Arc<MemoryTable>),
}

/// Rows of a table in memory.
struct MemoryTable {
    columns: Arc<[Column]>,
    blocks: Vec<Rows>,
}

impl Source {
    /// Reads what `extract` selects, and passes it to `take` in chunks.
    fn read(
        &self,
        extract: &Extract,
        take: impl FnMut(&[Column], Rows) -> Result<()>,
    ) -> Result<()> {
        match self {
            Source::File(path) => read_extract(path, extract, take),
            Source::Memory(table) => extract_rows(&table.columns, &table.blocks, extract, take),
        }
    }
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
    /// Creates a table of rows that stay in memory.
    pub(crate) fn of_blocks(columns: Arc<[Column]>, blocks: Vec<Rows>) -> Table {
        let source = Source::Memory(Arc::new(MemoryTable { columns, blocks }));
        Table { source, extract: Extract::default(), owner: None }
    }

    fn reader(&self) -> PyResult<Batches> {
        batches(self.source.clone(), self.extract.clone())
    }

    fn schema(&self) -> PyResult<SchemaRef> {
        Ok(self.reader()?.schema())
    }

    /// Reads the first `count` rows.
    fn first_rows(&self, count: usize) -> Result<MemoryTable> {
        let mut found: Option<MemoryTable> = None;
        let mut is_enough = false;
        let read = self.source.read(&self.extract, |columns, rows| {
            let found = found.get_or_insert_with(|| MemoryTable {
                columns: columns.into(),
                blocks: vec![Rows::new(columns)],
            });
            let block = &mut found.blocks[0];
            block.extend(&rows, 0..rows.len().min(count - block.len()));
            is_enough = block.len() == count;
            // An error ends the reading early.
            if is_enough { Err(gone()) } else { Ok(()) }
        });
        match found {
            Some(found) if is_enough => Ok(found),
            Some(found) => read.map(|()| found),
            None => Err(read.err().unwrap_or_else(gone)),
        }
    }

    /// Counts the rows. Reads the first column alone.
    fn count(&self) -> Result<usize> {
        let mut extract = self.extract.clone();
        if let Some(first) = self.first_rows(0)?.columns.first() {
            extract.columns = vec![first.name.clone()];
        }
        let mut count = 0;
        self.source.read(&extract, |_, rows| {
            count += rows.len();
            Ok(())
        })?;
        Ok(count)
    }
}

/// Returns the error that ends reading early. Nobody sees it.
fn gone() -> Error {
    Error::Config("the reader was closed".to_owned())
}

/// Returns the name of a column's type in the code book.
fn type_name(kind: &DataType) -> &'static str {
    match kind {
        DataType::Int32 => "integer",
        DataType::Int64 => "count",
        DataType::Float64 => "real",
        DataType::Boolean => "logical",
        DataType::Utf8 => "text",
        _ => "factor",
    }
}

fn step(every: Option<Whole<usize>>) -> PyResult<Option<NonZeroUsize>> {
    let step = |Whole(every)| {
        NonZeroUsize::new(every).ok_or_else(|| setting_error("every 0: give 1 or more".to_owned()))
    };
    every.map(step).transpose()
}

fn selection(
    columns: Option<Vec<String>>,
    rows: Option<&str>,
    every: Option<Whole<usize>>,
) -> PyResult<Extract> {
    let rows = rows.map(str::parse::<RowCondition>).transpose();
    let rows = rows.map_err(|error| argument_error(&error))?.unwrap_or_default();
    Ok(Extract { columns: columns.unwrap_or_default(), rows, every: step(every)? })
}

/// Starts a thread that reads a table. A file is open when this function returns.
fn batches(source: Source, extract: Extract) -> PyResult<Batches> {
    let (sender, read) = sync_channel(BATCHES_AHEAD);
    let reading = thread::Builder::new().name("reading".to_owned());
    let started = reading.spawn(move || {
        if let Err(error) = send(&source, &extract, &sender) {
            // The consumer may have closed the channel. It then needs no error report.
            let _ = sender.send(Err(error));
        }
    });
    started.map_err(|error| {
        TetrastatError::new_err(format!("starting a thread: {error}: end other programs"))
    })?;
    match read.recv() {
        Ok(Ok(Message::Columns(columns))) => {
            Ok(Batches { schema: Arc::new(arrow_schema(&columns)), read })
        }
        Ok(Err(error)) => Err(engine_error(&error)),
        _ => Err(TetrastatError::new_err("internal error: a table without columns")),
    }
}

/// Reads a table and sends its columns to `sender`, then its batches. Stops with an error if the
/// consumer closes the channel.
fn send(source: &Source, extract: &Extract, sender: &SyncSender<Result<Message>>) -> Result<()> {
    let mut known: Option<SchemaRef> = None;
    source.read(extract, |columns, rows| {
        let schema = match &known {
            Some(schema) => schema,
            None => {
                sender.send(Ok(Message::Columns(columns.to_vec()))).map_err(|_| gone())?;
                known.insert(Arc::new(arrow_schema(columns)))
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
        let extract = selection(columns, r#where, every)?;
        Ok(Table { source: Source::File(path), extract, owner })
    }

    /// Returns the arguments of the constructor, for pickling.
    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let Source::File(path) = &self.source else {
            let text = "a table in memory has no file that a pickle could name: pickle the result \
                        of table.to_pyarrow() instead";
            return Err(PyTypeError::new_err(text));
        };
        let Extract { columns, rows, every } = &self.extract;
        let columns = (!columns.is_empty()).then_some(columns);
        let rows = rows.comparisons().map(|(column, sign, value)| format!("{column}{sign}{value}"));
        let rows = rows.collect::<Vec<_>>().join(" and ");
        let rows = (!rows.is_empty()).then_some(rows);
        let keywords = PyDict::new(py);
        keywords.set_item("owner", self.owner.as_ref().map(|owner| owner.bind(py)))?;
        let every = every.map(NonZeroUsize::get);
        Ok(((path, columns, rows, every).into_pyobject(py)?, keywords))
    }

    /// Returns another selection of the same rows, which replaces this table's own.
    #[pyo3(signature = (columns = None, r#where = None, every = None))]
    fn _select(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        r#where: Option<&str>,
        every: Option<Whole<usize>>,
    ) -> PyResult<Table> {
        let extract = selection(columns, r#where, every)?;
        let owner = self.owner.as_ref().map(|owner| owner.clone_ref(py));
        Ok(Table { source: self.source.clone(), extract, owner })
    }

    /// Returns what a lazy reader needs: the file (None for a table in memory), the comparisons
    /// (column, operator, value and type of the column), and the step between rows.
    fn _selection(&self) -> PyResult<Selected> {
        let rows = self.extract.rows.comparisons();
        // The schema is read even without comparisons, so that an unknown column is an error here.
        let columns = Extract { columns: Vec::new(), ..self.extract.clone() };
        self.schema()?;
        let schema = batches(self.source.clone(), columns)?.schema();
        let typed = |(column, sign, value): (&str, &'static str, &str)| {
            let field = schema.field_with_name(column).ok();
            let kind = field.map_or("text", |field| type_name(field.data_type()));
            (column.to_owned(), sign, value.to_owned(), kind)
        };
        let file = match &self.source {
            Source::File(path) => Some(path.clone()),
            Source::Memory(_) => None,
        };
        Ok((file, rows.map(typed).collect(), self.extract.every.map_or(1, NonZeroUsize::get)))
    }

    /// Type of each column in the code book, by name: dict of str to str.
    ///
    /// The types are `integer` (32 bits), `count` (64 bits), `real`, `factor`, `text` and
    /// `logical`.
    #[getter(schema)]
    fn types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for field in self.schema()?.fields() {
            types.set_item(field.name(), type_name(field.data_type()))?;
        }
        Ok(types)
    }

    /// Number of rows and number of columns: tuple of two ints.
    #[getter]
    fn shape(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        Ok((self.__len__(py)?, self.schema()?.fields().len()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.count()).map_err(|error| engine_error(&error))
    }

    // A table is an object, not a container: it is true even without rows, and this needs no
    // reading.
    fn __bool__(&self) -> bool {
        true
    }

    /// Returns the first rows as a table in memory.
    ///
    /// Parameters
    /// ----------
    /// n : int
    ///     Number of rows.
    ///
    /// Returns
    /// -------
    /// Table
    ///     At most `n` rows.
    #[pyo3(signature = (n = Whole(10)), text_signature = "($self, n=10)")]
    fn head(&self, py: Python<'_>, n: Whole<usize>) -> PyResult<Table> {
        let first = py.detach(|| self.first_rows(n.0)).map_err(|error| engine_error(&error))?;
        Ok(Table::of_blocks(first.columns, first.blocks))
    }

    /// Returns the table as a lazy frame, which reads what a query needs.
    ///
    /// Parameters
    /// ----------
    /// engine : str
    ///     `"polars"` for a `polars.LazyFrame`, or `"duckdb"` for a `duckdb.DuckDBPyRelation`.
    ///
    /// Returns
    /// -------
    /// polars.LazyFrame or duckdb.DuckDBPyRelation
    ///     Rows and columns of this table.
    ///
    /// Raises
    /// ------
    /// TetrastatError
    ///     If the table is a log in CSV.
    /// ImportError
    ///     If the library is not installed.
    #[pyo3(signature = (engine = "polars"))]
    fn scan<'py>(slf: &Bound<'py, Table>, engine: &str) -> PyResult<Bound<'py, PyAny>> {
        let tables = PyList::new(slf.py(), [slf])?;
        slf.py().import("tetrastat._scan")?.call_method1("scan", (tables, engine))
    }

    fn __str__<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        let text = slf.py().import("tetrastat._display")?.call_method1("table_text", (slf,));
        match text {
            // Rows cannot be read without a library for Arrow data.
            Err(error) if error.is_instance_of::<PyImportError>(slf.py()) => {
                Ok(slf.repr()?.into_any())
            }
            text => text,
        }
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Table>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("tetrastat._display")?.call_method1("table_card", (slf,))
    }

    /// Returns the columns as an Arrow schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.schema()?);
        let schema = schema.map_err(|error| TetrastatError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
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
        for (key, absent) in [("unit", "-"), ("description", ""), ("missing", "never")] {
            entry.set_item(key, field.metadata().get(key).map_or(absent, |text| &**text))?;
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
        let reader = Box::new(py.detach(|| self.reader())?);
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
            Source::File(path) => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                format!("<Table {file}: {}>", columns.join(", "))
            }
            Source::Memory(_) => {
                let rows = self.count().map_err(|error| engine_error(&error))?;
                format!("<Table of {rows} rows: {}>", columns.join(", "))
            }
        })
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Table>()
}
