//! Description of a table's column.

use std::borrow::Cow;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Integer of 32 bits.
    Integer,
    /// Integer of 64 bits, for counts in long runs.
    Count,
    /// Floating-point number.
    Real,
    /// Factor: one of the column's listed levels.
    Factor,
    /// Any text.
    Text,
    /// TRUE or FALSE.
    Logical,
}

/// Description of one column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in the header.
    pub name: String,
    /// Type of the values.
    pub kind: ColumnType,
    /// Unit; `-` for no unit.
    pub unit: Cow<'static, str>,
    /// Meaning, as stated in the code book.
    pub meaning: String,
    /// Possible values (levels) of a factor column, in order; empty for other types.
    pub levels: Vec<String>,
    /// Condition under which a value is `NA`; `never` if there is none.
    pub missing: Cow<'static, str>,
}

impl ColumnType {
    /// Returns true for integers and floating-point numbers.
    #[must_use]
    pub fn is_number(self) -> bool {
        matches!(self, ColumnType::Integer | ColumnType::Count | ColumnType::Real)
    }

    /// Returns the type's name in the code book.
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

/// Text for a column that has a value in every row.
const NEVER: &str = "never";
/// Name of the column with the number of a row's condition.
pub(crate) const CONDITION: &str = "condition";
/// Columns used to find rows; all tables of placements and candidates have them.
pub(crate) const KEYS: [&str; 3] = [CONDITION, "game", "piece_no"];
/// Reason for missing values in a study's table.
pub(crate) const OF_ANOTHER: &str = "the condition's board or controller does not have it";

/// Reason for missing values in a table that another program wrote.
const IN_FOREIGN: &str = "the input has no value";

impl Column {
    /// Creates a column that has a value in every row. A factor's levels must be added to `levels`.
    pub fn new(
        name: impl Into<String>,
        kind: ColumnType,
        unit: &'static str,
        meaning: impl Into<String>,
    ) -> Column {
        let (name, meaning, unit) = (name.into(), meaning.into(), unit.into());
        Column { name, kind, unit, meaning, levels: Vec::new(), missing: NEVER.into() }
    }

    /// Returns the column for a table that another program wrote. Every value may be missing.
    pub(crate) fn in_foreign(mut self) -> Column {
        self.missing = IN_FOREIGN.into();
        self
    }

    /// Returns true for a column of a table that another program wrote.
    pub(crate) fn is_foreign(&self) -> bool {
        self.missing == IN_FOREIGN
    }

    /// Returns true if every row has a value.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.missing == NEVER
    }

    /// Returns the column for the Parquet tables of a study's runs. A run may lack a column that
    /// other runs of the study have, so all columns except the keys may hold `NA`. The type of a
    /// column is equal in all runs.
    pub(crate) fn in_study(mut self) -> Column {
        if self.is_required() && !KEYS.contains(&&*self.name) {
            self.missing = OF_ANOTHER.into();
        }
        self
    }
}
