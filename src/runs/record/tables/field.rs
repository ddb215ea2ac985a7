//! Columns and fields. A field is a column with the function that computes its values, so that
//! header, code book and rows come from one list.
//!
//! Values are appended by plain loops. Without link-time optimisation the compiler does not inline
//! the closures of iterators across units, and a log takes a third longer.

use std::borrow::Cow;

use crate::error::nearest;
use crate::features::Unit;
use crate::kernels::{BatchFeatures, SurfaceProperty};
use crate::prelude::*;
use crate::record::formats::csv;
use crate::record::tables::surface::{HasSurface, SurfaceColumn, Surfaces};
use crate::record::tables::values::{NO_CODE, NO_COUNT, NO_INTEGER};

type Fill<S> = Box<dyn Fn(&[S], &mut ColumnValues) + Send + Sync>;

enum Source<S> {
    Rows(Fill<S>),
    BatchFeatures(Feature, usize),
    Surface(SurfaceColumn, fn(&S) -> Board),
}

/// Column of a table, with the function that computes its values from rows of type `S`.
pub struct Field<S> {
    /// Description of the column: its name, type, unit and meaning.
    pub column: Column,
    source: Source<S>,
    /// True if the column belongs to the group `minimal`, which a user may select for a log.
    pub minimal: bool,
    /// True if a log has the column only when the user asks for it by name.
    pub named_only: bool,
}

/// Value, possibly missing, that can be stored in a table column of type `T`.
pub trait CellValue<T> {
    /// Returns the value as a column stores it; `None` if the value is missing.
    fn cell(self) -> Option<T>;
}

impl<T, V: CellValue<T>> CellValue<T> for Option<V> {
    #[inline]
    fn cell(self) -> Option<T> {
        self.and_then(V::cell)
    }
}

macro_rules! cell_value {
    ($($From:ty => $To:ty)*) => {$(
        impl CellValue<$To> for $From {
            #[inline]
            fn cell(self) -> Option<$To> {
                Some(self as $To)
            }
        }
    )*};
}

cell_value! {
    u8 => i64 u16 => i64 u32 => i64 u64 => i64 usize => i64 i32 => i64 i64 => i64
    u32 => u64 u64 => u64 usize => u64
    f64 => f64 bool => bool usize => usize
}

impl CellValue<usize> for Piece {
    #[inline]
    fn cell(self) -> Option<usize> {
        Some(self.index())
    }
}

macro_rules! constructor {
    ($(#[$doc:meta])* $name:ident, $kind:ident, $Item:ty, $missing:expr, $store:expr) => {
        $(#[$doc])*
        pub fn $name<V: CellValue<$Item>>(
            name: impl Into<String>,
            unit: &'static str,
            meaning: impl Into<String>,
            value: impl Fn(&S) -> V + Send + Sync + 'static,
        ) -> Field<S> {
            Field::of(Column::new(name, ColumnType::$kind, unit, meaning), move |from, to| {
                if let ColumnValues::$kind(to) = to {
                    // Values are written by index: `push` would check the capacity for each value.
                    let to = extend_with_missing(to, from.len(), $missing);
                    for (k, row) in from.iter().enumerate() {
                        to[k] = value(row).cell().map_or($missing, $store);
                    }
                }
            })
        }
    };
}

impl<S> Field<S> {
    fn of(
        column: Column,
        fill: impl Fn(&[S], &mut ColumnValues) + Send + Sync + 'static,
    ) -> Field<S> {
        Field { column, source: Source::Rows(Box::new(fill)), minimal: false, named_only: false }
    }

    constructor! {
        /// Creates a column of integers of 32 bits.
        integer, Integer, i64, NO_INTEGER, |value| value as i32
    }

    constructor! {
        /// Creates a column of integers of 64 bits, for counts in long runs.
        count, Count, u64, NO_COUNT, |value| value as i64
    }

    constructor! {
        /// Creates a column of floating-point numbers.
        real, Real, f64, f64::NAN, |value| value
    }

    constructor! {
        /// Creates a column of truth values.
        logical, Logical, bool, NO_CODE, u8::from
    }

    /// Creates a column of names from the list `levels`; `value` returns the name's index.
    pub fn factor<V: CellValue<usize>>(
        name: impl Into<String>,
        meaning: impl Into<String>,
        levels: impl IntoIterator<Item = impl ToString>,
        value: impl Fn(&S) -> V + Send + Sync + 'static,
    ) -> Field<S> {
        // Levels have no unit, so it is a dash.
        let mut column = Column::new(name, ColumnType::Factor, "-", meaning);
        column.levels = levels.into_iter().map(|level| level.to_string()).collect();
        Field::of(column, move |from, to| {
            if let ColumnValues::Factor(to) = to {
                let to = extend_with_missing(to, from.len(), NO_CODE);
                for (k, row) in from.iter().enumerate() {
                    to[k] = value(row).cell().map_or(NO_CODE, |index| index as u8);
                }
            }
        })
    }

    /// Creates a column of texts without commas, quotation marks or line ends; empty means missing.
    pub fn text(
        name: impl Into<String>,
        meaning: impl Into<String>,
        write: impl Fn(&S, &mut Vec<u8>) + Send + Sync + 'static,
    ) -> Field<S> {
        Field::of(Column::new(name, ColumnType::Text, "-", meaning), move |from, to| {
            if let ColumnValues::Text(to) = to {
                for row in from {
                    write(row, &mut to.bytes);
                    to.end();
                }
            }
        })
    }

    pub(crate) fn of_feature(feature: Feature, width: usize) -> Field<S> {
        let definition = feature.definition();
        let kind =
            if definition.unit == Unit::One { ColumnType::Integer } else { ColumnType::Real };
        let column = Column::new(feature.to_string(), kind, "-", definition.definition);
        Field {
            column,
            source: Source::BatchFeatures(feature, width),
            minimal: false,
            named_only: false,
        }
    }

    /// Creates a column for a property of the stack's surface, such as its well, after a placement.
    pub fn surface(
        name: impl Into<String>,
        unit: &'static str,
        meaning: impl Into<String>,
        value: impl Into<SurfaceColumn>,
    ) -> Field<S>
    where
        S: HasSurface,
    {
        let value = value.into();
        let kind = match value.property {
            SurfaceProperty::WellTied => ColumnType::Logical,
            _ => ColumnType::Integer,
        };
        Field {
            column: Column::new(name, kind, unit, meaning),
            source: Source::Surface(value, S::board_after),
            minimal: false,
            named_only: false,
        }
    }

    pub(crate) fn feature(&self) -> Option<Feature> {
        match self.source {
            Source::BatchFeatures(feature, _) => Some(feature),
            Source::Rows(_) | Source::Surface(..) => None,
        }
    }

    /// States, for the code book, when the column's value is missing.
    #[must_use]
    pub fn missing(mut self, when: &'static str) -> Field<S> {
        self.column.missing = when.into();
        self
    }

    /// Includes the column in logs with the user's selection `minimal` of columns.
    #[must_use]
    pub fn minimal(mut self) -> Field<S> {
        self.minimal = true;
        self
    }

    /// Leaves the column out of a log unless the user asks for the column by name.
    #[must_use]
    pub fn named_only(mut self) -> Field<S> {
        self.named_only = true;
        self
    }
}

fn extend_with_missing<T: Copy>(to: &mut Vec<T>, count: usize, missing: T) -> &mut [T] {
    let start = to.len();
    to.resize(start + count, missing);
    &mut to[start..]
}

/// Returns the descriptions of a table's columns, without the functions that compute the values.
#[must_use]
pub fn columns<S>(fields: &[Field<S>]) -> Vec<Column> {
    fields.iter().map(|field| field.column.clone()).collect()
}

pub(crate) fn join_study<S>(fields: &mut Vec<Field<S>>, number: u64, all: &[Column]) {
    let own: Vec<String> = fields.iter().map(|field| field.column.name.clone()).collect();
    let lacking = all.iter().filter(|column| !own.contains(&column.name));
    let missing =
        |column: &Column| Field::of(column.clone(), |from, to| to.extend_missing(from.len()));
    fields.extend(lacking.map(missing));
    fields.push(condition_field(move |_| number));
    for field in fields {
        field.column = field.column.clone().in_study();
    }
}

pub(crate) fn condition_field<S>(number: impl Fn(&S) -> u64 + Send + Sync + 'static) -> Field<S> {
    Field::count(CONDITION, "-", "number of the condition in its study, from 1", number)
}

pub(crate) fn put_table<S>(
    folder: &RunFolder,
    name: &str,
    fields: &[Field<S>],
    rows: &[S],
) -> Result<()> {
    let columns = columns(fields);
    let mut text = csv::header(&columns);
    csv::write(&columns, &RowSlice::new(rows_of(fields, rows)), &mut text);
    folder.put(name, &text)
}

/// Computes table rows from the records `from`; `fields` must not contain board features.
#[must_use]
pub fn rows_of<S>(fields: &[Field<S>], from: &[S]) -> Rows {
    let mut rows = Rows::with_room(fields.iter().map(|field| &field.column), from.len());
    fill(fields, from, None, &mut Surfaces::new(Level::SCALAR), &mut rows);
    rows
}

/// Appends a row to `to` for each record in `from`; `batch_features` has the records' features.
pub(crate) fn fill<S>(
    fields: &[Field<S>],
    from: &[S],
    batch_features: Option<&BatchFeatures>,
    surfaces: &mut Surfaces,
    to: &mut Rows,
) {
    let boards = fields.iter().find_map(|field| match field.source {
        Source::Surface(_, board) => Some(board),
        _ => None,
    });
    if let Some(board) = boards {
        surfaces.measure(from, board);
    }
    // The batch numbers its features in the order of the fields, so only feature fields are
    // counted.
    let mut features = 0;
    for (field, values) in fields.iter().zip(&mut to.columns) {
        match (&field.source, batch_features) {
            (Source::Rows(fill), _) => fill(from, values),
            (Source::BatchFeatures(feature, width), Some(batch_features)) => {
                let raws = &batch_features.raws(features)[..from.len()];
                features += 1;
                match values {
                    ColumnValues::Integer(to) => {
                        let to = extend_with_missing(to, raws.len(), NO_INTEGER);
                        for (k, &raw) in raws.iter().enumerate() {
                            to[k] = raw.into();
                        }
                    }
                    ColumnValues::Real(to) => {
                        let to = extend_with_missing(to, raws.len(), f64::NAN);
                        for (k, &raw) in raws.iter().enumerate() {
                            to[k] = feature.in_units(raw.into(), *width);
                        }
                    }
                    _ => {}
                }
            }
            (Source::Surface(column, _), _) => fill_surface(*column, surfaces, values),
            // A table without a batch has no features: encoders create a batch for any feature.
            (Source::BatchFeatures(..), None) => {}
        }
    }
}

fn fill_surface(column: SurfaceColumn, surfaces: &Surfaces, to: &mut ColumnValues) {
    let values = surfaces.values(column.property);
    let depths = match column.min_depth {
        0 => Cow::default(),
        _ => surfaces.values(SurfaceProperty::WellDepth),
    };
    let is_missing = |k: usize| column.min_depth > 0 && depths[k] < column.min_depth;
    match to {
        ColumnValues::Integer(to) => {
            let to = extend_with_missing(to, values.len(), NO_INTEGER);
            for (k, &value) in values.iter().enumerate() {
                to[k] = if is_missing(k) { NO_INTEGER } else { value.cast_signed().into() };
            }
        }
        ColumnValues::Logical(to) => {
            let to = extend_with_missing(to, values.len(), NO_CODE);
            for (k, &value) in values.iter().enumerate() {
                to[k] = if is_missing(k) { NO_CODE } else { value as u8 };
            }
        }
        _ => {}
    }
}

pub(crate) const KEYS: [&str; 2] = ["game", "piece_no"];

/// Returns a log's columns: first `keys`, then the user's selection `columns`, which may name
/// groups of columns from `sets`.
pub fn select_fields<S>(
    columns: &Columns,
    fields: Vec<Field<S>>,
    keys: &[&str],
    sets: &[(&str, Vec<String>)],
) -> Result<Vec<Field<S>>> {
    let unnamed = names_of(&fields, |field| !field.named_only);
    let set = |name: &str| -> Option<Vec<String>> {
        let (_, names) = sets.iter().find(|set| set.0 == name)?;
        Some(names.iter().filter(|name| unnamed.contains(name)).cloned().collect())
    };
    let names: Vec<String> = match columns {
        Columns::Minimal => set("minimal").unwrap_or_default(),
        Columns::Controller => set("controller").unwrap_or_else(|| unnamed.clone()),
        Columns::All => set("all").unwrap_or_else(|| unnamed.clone()),
        Columns::Named(names) => {
            names.iter().flat_map(|name| set(name).unwrap_or_else(|| vec![name.clone()])).collect()
        }
    };
    let known = |name: &String| fields.iter().any(|field| field.column.name == *name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        // A message with all columns is too long to be shown whole, so columns that must be named
        // are only suggested.
        let is_listed = |field: &&Field<S>| {
            !field.named_only || nearest(unknown, [&*field.column.name]).is_some()
        };
        let columns = fields.iter().filter(is_listed).map(|field| &*field.column.name);
        return Err(Error::unknown("column", unknown, sets.iter().map(|set| set.0).chain(columns)));
    }
    let index_of = |name: &str| match names.iter().position(|asked| asked == name) {
        _ if keys.contains(&name) => Some(0),
        found => found.map(|index| index + 1),
    };
    let mut chosen: Vec<(usize, Field<S>)> = fields
        .into_iter()
        .filter_map(|field| index_of(&field.column.name).map(|index| (index, field)))
        .collect();
    // A stable sort keeps the keys in the table's order.
    chosen.sort_by_key(|(index, _)| *index);
    Ok(chosen.into_iter().map(|(_, field)| field).collect())
}

const HISTORY_COLUMNS: [&str; 8] = [
    "game",
    "piece_no",
    "bag_no",
    "bag_pos",
    "pieces_since_i",
    "lines_total",
    "split",
    "garbage_cleared",
];

const BEST_PLACEMENT_COLUMNS: [&str; 6] =
    ["best_piece", "best_orientation", "best_column", "best_landing_row", "rank", "regret"];

/// Returns the selected columns to add to a user's table of placements, except columns of the
/// game's history and columns in `given`.
pub(crate) fn select_annotations<S>(
    columns: &Columns,
    mut fields: Vec<Field<S>>,
    sets: &[(&str, Vec<String>)],
    of_game: &[&str],
    given: &[String],
) -> Result<Vec<Field<S>>> {
    fields.retain(|Field { column, .. }| {
        !HISTORY_COLUMNS.contains(&&*column.name) && !of_game.contains(&&*column.name)
    });
    for field in &mut fields {
        field.named_only &= !BEST_PLACEMENT_COLUMNS.contains(&&*field.column.name);
        if field.column.is_required() {
            field.column.missing = "the row has a `problem`".into();
        }
    }
    let mut chosen = select_fields(columns, fields, &[], sets)?;
    chosen.retain(|field| !given.contains(&field.column.name));
    Ok(chosen)
}

/// Returns the names of the columns for which `keeps` is true.
#[must_use]
pub fn names_of<S>(fields: &[Field<S>], keeps: impl Fn(&Field<S>) -> bool) -> Vec<String> {
    let kept = fields.iter().filter(|field| keeps(field));
    kept.map(|field| field.column.name.clone()).collect()
}

tetrastat_core::names! {
    /// Type of a table column's values.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ColumnType {
        /// Integer of 32 bits.
        Integer = "integer",
        /// Integer of 64 bits, for counts in long runs.
        Count = "count",
        /// Floating-point number.
        Real = "real",
        /// Choice from a list of names, the column's levels.
        Factor = "factor",
        /// Text that is not limited to a list of names.
        Text = "text",
        /// Truth value, TRUE or FALSE.
        Logical = "logical",
    }
}

/// Description of one column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name of the column in the table's header.
    pub name: String,
    /// Type of the column's values.
    pub kind: ColumnType,
    /// Unit of the column's values; `-` for no unit.
    pub unit: Cow<'static, str>,
    /// Meaning of the column, as stated in the code book.
    pub meaning: String,
    /// Possible values (levels) of a factor column, in order; empty for other types.
    pub levels: Vec<String>,
    /// Reason why the column's value is missing in some rows; `never` if every row has a value.
    pub missing: Cow<'static, str>,
}

impl ColumnType {
    /// Returns true if the column's values are integers or floating-point numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, ColumnType::Integer | ColumnType::Count | ColumnType::Real)
    }
}

const NEVER: &str = "never";
pub(crate) const CONDITION: &str = "condition";
pub(crate) const ROW_KEYS: [&str; 3] = [CONDITION, "game", "piece_no"];
pub(crate) const NOT_IN_CONDITION: &str = "the condition's board or controller does not have it";

const NO_INPUT_VALUE: &str = "the input has no value";

impl Column {
    /// Creates the description of a column that has a value in every row.
    pub fn new(
        name: impl Into<String>,
        kind: ColumnType,
        unit: &'static str,
        meaning: impl Into<String>,
    ) -> Column {
        let (name, meaning, unit) = (name.into(), meaning.into(), unit.into());
        Column { name, kind, unit, meaning, levels: Vec::new(), missing: NEVER.into() }
    }

    pub(crate) fn in_foreign(mut self) -> Column {
        self.missing = NO_INPUT_VALUE.into();
        self
    }

    pub(crate) fn is_foreign(&self) -> bool {
        self.missing == NO_INPUT_VALUE
    }

    /// Returns true if the column has a value in every row.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.missing == NEVER
    }

    /// Returns the column for a table of a whole study: a value may be missing in some conditions.
    pub(crate) fn in_study(mut self) -> Column {
        if self.is_required() && !ROW_KEYS.contains(&&*self.name) {
            self.missing = NOT_IN_CONDITION.into();
        }
        self
    }
}
