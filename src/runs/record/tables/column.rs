//! What is said of a column of a table.

use std::borrow::Cow;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Whole number of 32 bits.
    Integer,
    /// Whole number that long runs can count beyond 32 bits.
    Count,
    /// Fraction.
    Real,
    /// One of the listed levels.
    Factor,
    /// Any text.
    Text,
    /// TRUE or FALSE.
    Logical,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in the header.
    pub name: String,
    /// Type.
    pub kind: ColumnType,
    /// Unit, or `-`.
    pub unit: Cow<'static, str>,
    /// What it is.
    pub meaning: String,
    /// Levels of a factor, in order.
    pub levels: Vec<String>,
    /// When it is `NA`, if ever.
    pub missing: Cow<'static, str>,
}

impl ColumnType {
    /// Returns true for whole numbers and fractions.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, ColumnType::Integer | ColumnType::Count | ColumnType::Real)
    }

    /// The name in the code book.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ColumnType::Integer => "integer",
            ColumnType::Count => "count",
            ColumnType::Real => "real",
            ColumnType::Factor => "factor",
            ColumnType::Text => "text",
            ColumnType::Logical => "logical",
        }
    }
}

/// What is said of a column that has a value in every row.
const NEVER: &str = "never";
/// The column that says to which condition a row belongs.
pub(crate) const CONDITION: &str = "condition";
/// Columns by which rows are looked for: every table of placements and candidates has them.
pub(crate) const KEYS: [&str; 3] = [CONDITION, "game", "piece_no"];
/// When a column of a study's table may be missing.
pub(crate) const OF_ANOTHER: &str = "the condition's board or controller does not have it";

impl Column {
    /// A column without levels that is never missing.
    pub fn new(
        name: impl Into<String>,
        kind: ColumnType,
        unit: &'static str,
        meaning: impl Into<String>,
    ) -> Column {
        let (name, meaning, unit) = (name.into(), meaning.into(), unit.into());
        Column { name, kind, unit, meaning, levels: Vec::new(), missing: NEVER.into() }
    }

    /// Whether it has a value in every row.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.missing == NEVER
    }

    /// The column in a study's Parquet tables, where all but the keys may be missing: conditions differ in their
    /// columns, and a column has one type in all of them.
    pub(crate) fn in_study(mut self) -> Column {
        if self.is_required() && !KEYS.contains(&&*self.name) {
            self.missing = OF_ANOTHER.into();
        }
        self
    }
}
