//! The class `Table`, which passes the tables of a run to Python: as Arrow data by the PyCapsule
//! interface, as NumPy arrays, as rows, and as the text and HTML of the engine's reports.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, RecordBatch,
    RecordBatchReader, StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, SchemaRef};
use numpy::IntoPyArray;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::types::{PyCapsule, PyList};
use serde_json::Value as Json;
use tetrastat::cli::check_path;
use tetrastat::record::{
    Column, ColumnValues, Extract, RowCondition, Rows, arrow_schema, extract_rows, read_extract,
};
use tetrastat::report::{Report, TableOf, Value};
use tetrastat::text::numbers::{NA, significant, thousands};

use crate::conversion::{TetrastatError, argument_error, engine_error, setting_error};
use crate::prelude::*;
use crate::process::{lock, spawn};

/// File path, row comparisons and step between rows of a table that is not yet read.
type Selected = (Option<PathBuf>, Vec<(String, &'static str, String, &'static str)>, usize);

pub(crate) type Block = (Arc<[Column]>, Rows);

const BLOCKS_AHEAD: usize = 2;
const SHOWN_ROWS: usize = 10;
const SHOWN_COLUMNS: usize = 20;
/// Width in characters that a report reserves for the mark of omitted columns.
const OMISSION_WIDTH: usize = 5;

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
    /// Object that must live as long as the table, such as the `Run` of a temporary folder.
    #[pyo3(get)]
    owner: Option<Py<PyAny>>,
}

#[derive(Clone)]
enum Source {
    File(PathBuf),
    Memory(Arc<(Arc<[Column]>, Vec<Rows>)>),
}

/// Blocks of a table's rows that a thread reads ahead of the user, at most [`BLOCKS_AHEAD`].
struct Blocks {
    columns: Arc<[Column]>,
    /// First block of rows, read early because its columns were needed.
    first: Option<Rows>,
    read: Receiver<Result<Block>>,
}

impl Iterator for Blocks {
    type Item = Result<Rows>;

    fn next(&mut self) -> Option<Result<Rows>> {
        let first = self.first.take().map(Ok);
        first.or_else(|| self.read.recv().ok().map(|read| read.map(|(_, rows)| rows)))
    }
}

struct Batches(Blocks, SchemaRef);

impl Iterator for Batches {
    type Item = std::result::Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Batches(Blocks { columns, .. }, schema) = &*self;
        let (columns, schema) = (Arc::clone(columns), Arc::clone(schema));
        Some(match self.0.next()? {
            Err(error) => Err(ArrowError::ExternalError(Box::new(error))),
            Ok(rows) => columns
                .iter()
                .zip(rows.columns)
                .map(|(column, values)| array(column, values))
                .collect::<std::result::Result<Vec<_>, _>>()
                .and_then(|arrays| RecordBatch::try_new(schema, arrays)),
        })
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.1)
    }
}

impl Table {
    pub(crate) fn from_blocks(columns: Arc<[Column]>, blocks: Vec<Rows>) -> Table {
        let source = Source::Memory(Arc::new((columns, blocks)));
        Table { source, extract: Extract::default(), owner: None }
    }

    /// Starts a thread that reads the table's rows, and waits for the first block of rows.
    fn blocks(&self, py: Python<'_>) -> PyResult<Blocks> {
        let (source, extract) = (self.source.clone(), self.extract.clone());
        let (sender, read) = sync_channel(BLOCKS_AHEAD);
        spawn("reading", move || {
            let mut known: Option<Arc<[Column]>> = None;
            let take = |columns: &[Column], rows: Rows| {
                if known.is_some() && rows.is_empty() {
                    return Ok(());
                }
                let columns = known.get_or_insert_with(|| columns.into());
                let gone = |_| Error::Config("the reader was closed".to_owned());
                sender.send(Ok((Arc::clone(columns), rows))).map_err(gone)
            };
            let read = match &source {
                Source::File(path) => read_extract(path, &extract, take),
                Source::Memory(table) => extract_rows(&table.0, &table.1, &extract, take),
            };
            // The consumer may have closed the channel. It then needs no error report.
            read.err().map(|error| sender.send(Err(error)))
        })?;
        let (first, read) = py.detach(move || (read.recv(), read));
        match first {
            Ok(Ok((columns, rows))) => {
                Ok(Blocks { columns, first: Some(rows).filter(|rows| !rows.is_empty()), read })
            }
            Ok(Err(error)) => Err(engine_error(&error)),
            Err(_) => Err(TetrastatError::new_err("internal error: a table without columns")),
        }
    }

    fn known_columns(&self, py: Python<'_>) -> PyResult<Arc<[Column]>> {
        Ok(self.blocks(py)?.columns)
    }

    fn first_rows(&self, py: Python<'_>, count: usize) -> PyResult<Block> {
        let mut blocks = self.blocks(py)?;
        let columns = Arc::clone(&blocks.columns);
        let mut found = Rows::new(&*columns);
        while found.len() < count {
            let Some(rows) = blocks.next() else { break };
            let rows = rows.map_err(|error| engine_error(&error))?;
            found.extend(&rows, 0..rows.len().min(count - found.len()));
        }
        Ok((columns, found))
    }

    fn selected(&self, py: Python<'_>, extract: Extract) -> Table {
        let owner = self.owner.as_ref().map(|owner| owner.clone_ref(py));
        Table { source: self.source.clone(), extract, owner }
    }

    /// Returns a report of the table's first rows, with the columns that fit into `room`
    /// characters, or at most [`SHOWN_COLUMNS`].
    fn report(&self, py: Python<'_>, room: Option<usize>) -> PyResult<Report> {
        let (columns, rows) = self.first_rows(py, SHOWN_ROWS)?;
        let count = self.__len__(py)?;
        let cells: Vec<Vec<Value>> = columns
            .iter()
            .zip(&rows.columns)
            .map(|(column, values)| cells_of((0..rows.len()).map(|row| values.json(column, row))))
            .collect();
        let (heads, numbers) = (columns.len(), (0..rows.len()).collect::<Vec<_>>());
        let width = |place: usize| {
            let cells = cells[place].iter().map(|cell| cell.text.len());
            cells.chain([columns[place].name.len()]).max().unwrap_or(0)
        };
        let ends = |shown: usize| (0..shown.div_ceil(2)).chain(heads - shown / 2..heads);
        let shown = match room {
            None => heads.min(SHOWN_COLUMNS),
            Some(room) => {
                let gap = |shown| if shown < heads { OMISSION_WIDTH } else { 0 };
                let fits = |&shown: &usize| {
                    ends(shown).map(|place| width(place) + 2).sum::<usize>() + gap(shown)
                        <= room + 2
                };
                (1..=heads).rev().find(fits).unwrap_or(1)
            }
        };
        let mut table = TableOf::new("", &numbers);
        for (place, column) in ends(shown).enumerate() {
            if shown < heads && place == shown.div_ceil(2) {
                table = table.shown("...", |_| "...");
            }
            let Column { name, kind, unit, meaning, .. } = &columns[column];
            let unit = if unit == "-" { String::new() } else { format!(", in {unit}") };
            let tip = format!("{}{unit}: {meaning}", kind.name());
            let cells = &cells[column];
            table = table.with((name, name, tip), |row| cells[*row].clone());
        }
        let mut below = format!("{} rows, {heads} columns", thousands(count as u64));
        if count > SHOWN_ROWS {
            below += &format!("; the first {SHOWN_ROWS} rows are shown");
        }
        if shown < heads {
            below += &format!("; {} columns in the middle are not shown", heads - shown);
        }
        let mut report = Report::default();
        report.table(table);
        report.text(below);
        Ok(report)
    }
}

/// Converts JSON values to the cells of a report's column.
pub(crate) fn cells_of(values: impl Iterator<Item = Json>) -> Vec<Value> {
    let values: Vec<Json> = values.collect();
    let is_unknown = values.iter().all(Json::is_null);
    let cell = |value| match value {
        Json::Null if is_unknown => Value::text(NA),
        Json::Null => Value::default(),
        Json::Number(number) if number.is_f64() => Value::real(number.as_f64(), significant),
        Json::Bool(value) => Value::text(if value { "TRUE" } else { "FALSE" }),
        Json::String(text) => Value::text(text),
        value => Value::json(value),
    };
    values.into_iter().map(cell).collect()
}

fn row_stride(every: Option<Whole<usize>>) -> PyResult<Option<NonZeroUsize>> {
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
    Ok(Extract { columns: columns.unwrap_or_default(), rows, every: row_stride(every)? })
}

fn scalar<'py>(py: Python<'py>, value: Json) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Json::Bool(value) => value.into_bound_py_any(py),
        Json::String(text) => text.into_bound_py_any(py),
        Json::Number(number) => match number.as_i64() {
            Some(whole) => whole.into_bound_py_any(py),
            None => number.as_f64().into_bound_py_any(py),
        },
        _ => Ok(py.None().into_bound(py)),
    }
}

/// Converts a table's column to a NumPy array. Missing values are NaN in columns of numbers, and
/// None in other columns.
fn as_numpy<'py>(
    py: Python<'py>,
    column: &Column,
    values: ColumnValues,
) -> PyResult<Bound<'py, PyAny>> {
    let is_complete = values.presence_bits().is_none();
    Ok(match values {
        ColumnValues::Integer(values) if is_complete => values.into_pyarray(py).into_any(),
        ColumnValues::Count(values) if is_complete => values.into_pyarray(py).into_any(),
        ColumnValues::Logical(codes) if is_complete => {
            codes.iter().map(|code| *code == 1).collect::<Vec<_>>().into_pyarray(py).into_any()
        }
        values if column.kind.is_number() => values.as_numbers().into_pyarray(py).into_any(),
        values => {
            let cells = (0..values.len()).map(|row| scalar(py, values.json(column, row)));
            let cells = PyList::new(py, cells.collect::<PyResult<Vec<_>>>()?)?;
            py.import("numpy")?.call_method1("array", (cells, "O"))?
        }
    })
}

/// Rows of a table as dictionaries.
#[pyclass(frozen, module = "tetrastat")]
struct TableRows(Mutex<(Blocks, Rows, usize)>);

#[pymethods]
impl TableRows {
    fn __iter__(slf: Py<TableRows>) -> Py<TableRows> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (blocks, rows, next) = &mut *lock(&self.0);
        while *next == rows.len() {
            match py.detach(|| blocks.next()) {
                None => return Ok(None),
                Some(read) => (*rows, *next) = (read.map_err(|error| engine_error(&error))?, 0),
            }
        }
        let row = PyDict::new(py);
        for (column, values) in blocks.columns.iter().zip(&rows.columns) {
            row.set_item(&column.name, scalar(py, values.json(column, *next))?)?;
        }
        *next += 1;
        Ok(Some(row))
    }
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

    /// Returns a table of the same data with another selection of rows and columns.
    #[pyo3(signature = (columns = None, r#where = None, every = None))]
    fn _select(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        r#where: Option<&str>,
        every: Option<Whole<usize>>,
    ) -> PyResult<Table> {
        Ok(self.selected(py, selection(columns, r#where, every)?))
    }

    /// Returns what a lazy reader needs: file, comparisons and step between rows. The file is None
    /// for a table in memory. A comparison is column, operator, value and type of the column.
    fn _selection(&self, py: Python<'_>) -> PyResult<Selected> {
        // The columns are read even without comparisons, so that an unknown one is an error here.
        self.known_columns(py)?;
        let all = Extract { columns: Vec::new(), ..self.extract.clone() };
        let columns = self.selected(py, all).known_columns(py)?;
        let typed = |(name, sign, value): (&str, &'static str, &str)| {
            let kind = columns.iter().find(|column| column.name == name);
            let kind = kind.map_or("text", |column| column.kind.name());
            (name.to_owned(), sign, value.to_owned(), kind)
        };
        let file = match &self.source {
            Source::File(path) => Some(path.clone()),
            Source::Memory(_) => None,
        };
        let comparisons = self.extract.rows.comparisons().map(typed).collect();
        Ok((file, comparisons, self.extract.every.map_or(1, NonZeroUsize::get)))
    }

    /// Type of each column in the code book, by name: dict of str to str.
    ///
    /// The types are `integer` (32 bits), `count` (64 bits), `real`, `factor`, `text` and
    /// `logical`.
    #[getter(schema)]
    fn types<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let types = PyDict::new(py);
        for Column { name, kind, .. } in &*self.known_columns(py)? {
            types.set_item(name, kind.name())?;
        }
        Ok(types)
    }

    /// Number of rows and number of columns: tuple of two ints.
    #[getter]
    fn shape(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        Ok((self.__len__(py)?, self.known_columns(py)?.len()))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        // One column is enough to count the rows.
        let mut extract = self.extract.clone();
        extract.columns =
            self.known_columns(py)?.iter().take(1).map(|one| one.name.clone()).collect();
        let blocks = self.selected(py, extract).blocks(py)?;
        let count = py.detach(|| blocks.map(|rows| Ok(rows?.len())).sum::<Result<usize>>());
        count.map_err(|error| engine_error(&error))
    }

    // A table is an object, not a container: it is true even without rows, and this needs no
    // reading.
    fn __bool__(&self) -> bool {
        true
    }

    /// Returns the values of the column `name` as a NumPy array. Missing values are NaN among
    /// numbers, and None in other arrays.
    fn __getitem__<'py>(&self, py: Python<'py>, name: String) -> PyResult<Bound<'py, PyAny>> {
        if !self.known_columns(py)?.iter().any(|column| column.name == name) {
            let names = self.columns(py)?.join(", ");
            return Err(PyKeyError::new_err(format!("no column '{name}': use one of {names}")));
        }
        let extract = Extract { columns: vec![name], ..self.extract.clone() };
        let (columns, rows) = self.selected(py, extract).first_rows(py, usize::MAX)?;
        let values = rows.columns.into_iter().next();
        let values = values.ok_or_else(|| TetrastatError::new_err("internal error: no column"))?;
        as_numpy(py, &columns[0], values)
    }

    /// Yields the rows as dictionaries of the values by the names of the columns.
    fn __iter__(&self, py: Python<'_>) -> PyResult<TableRows> {
        Ok(TableRows(Mutex::new((self.blocks(py)?, Rows::default(), 0))))
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
        let (columns, rows) = self.first_rows(py, n.0)?;
        Ok(Table::from_blocks(columns, vec![rows]))
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

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        let size = py.import("shutil")?.call_method0("get_terminal_size")?;
        Ok(self.report(py, Some(size.getattr("columns")?.extract()?))?.to_text().trim_end().into())
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.report(py, None)?.to_html())
    }

    /// Returns the columns as an Arrow schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(arrow_schema(&self.known_columns(py)?));
        let schema = schema.map_err(|error| TetrastatError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Names of the columns, in their order: list of str.
    #[getter]
    fn columns(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.known_columns(py)?.iter().map(|column| column.name.clone()).collect())
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
        let columns = self.known_columns(py)?;
        let Some(found) = columns.iter().find(|one| one.name == column) else {
            let names = columns.iter().map(|one| &*one.name);
            return Err(engine_error(&Error::unknown("column", column, names)));
        };
        let entry = PyDict::new(py);
        entry.set_item("unit", &*found.unit)?;
        entry.set_item("description", &found.meaning)?;
        entry.set_item("missing", &*found.missing)?;
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
        let blocks = self.blocks(py)?;
        let schema = Arc::new(arrow_schema(&blocks.columns));
        let reader = Box::new(Batches(blocks, schema));
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

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let columns = self.columns(py)?.join(", ");
        Ok(match &self.source {
            Source::File(path) => {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                format!("<Table {file}: {columns}>")
            }
            Source::Memory(_) => format!("<Table of {} rows: {columns}>", self.__len__(py)?),
        })
    }
}

/// Converts the `values` of a table's column to an Arrow array of the type in
/// [`tetrastat::record::arrow_schema`]. Buffers of numbers and texts are not copied.
pub(crate) fn array(
    column: &Column,
    values: ColumnValues,
) -> std::result::Result<ArrayRef, ArrowError> {
    let nulls = if column.is_required() { None } else { null_buffer(&values) };
    Ok(match values {
        ColumnValues::Integer(values) => Arc::new(Int32Array::new(values.into(), nulls)),
        ColumnValues::Count(values) => Arc::new(Int64Array::new(values.into(), nulls)),
        ColumnValues::Real(values) => Arc::new(Float64Array::new(values.into(), nulls)),
        ColumnValues::Logical(codes) => {
            let bits = BooleanBuffer::collect_bool(codes.len(), |row| codes[row] == 1);
            Arc::new(BooleanArray::new(bits, nulls))
        }
        ColumnValues::Factor(codes) => {
            let last = column.levels.len().saturating_sub(1) as i32;
            // A missing value may have any code, but Arrow accepts only codes that stand for a
            // level.
            let codes: Vec<i32> = codes.into_iter().map(|code| i32::from(code).min(last)).collect();
            let levels = Arc::new(StringArray::from_iter_values(&column.levels));
            let codes = Int32Array::new(codes.into(), nulls);
            Arc::new(DictionaryArray::<Int32Type>::try_new(codes, levels)?)
        }
        ColumnValues::Text(text) => {
            let (bytes, ends) = text.into_parts();
            let large = |_| ArrowError::InvalidArgumentError("texts of more than 2 GiB".to_owned());
            let ends =
                ends.into_iter().map(i32::try_from).collect::<std::result::Result<Vec<i32>, _>>();
            let offsets: Vec<i32> = [0].into_iter().chain(ends.map_err(large)?).collect();
            let offsets = OffsetBuffer::new(offsets.into());
            Arc::new(StringArray::try_new(offsets, Buffer::from_vec(bytes), nulls)?)
        }
    })
}

fn null_buffer(values: &ColumnValues) -> Option<NullBuffer> {
    let bits = Buffer::from_vec(values.presence_bits()?);
    Some(NullBuffer::new(BooleanBuffer::new(bits, 0, values.len())))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Table>()
}
