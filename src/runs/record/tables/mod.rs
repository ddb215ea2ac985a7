//! Tables of runs, studies, trainings and estimates: each declares its rows and columns in one
//! `table!`.

pub(crate) mod code_book;
pub(crate) mod conditions;
pub(crate) mod estimates;
pub(crate) mod field;
pub(crate) mod games;
pub(crate) mod guideline;
pub(crate) mod placements;
pub(crate) mod reproduced;
pub(crate) mod surface;
pub(crate) mod values;

/// Generates the function that returns a table's columns, and a row type if fields are columns.
///
/// The doc comment of a column is its meaning in the code book, data packages and Parquet files,
/// shortened by [`meaning`]. The declarations in the braces have the forms
///
/// ```text
/// pub name: Type => KIND;         a field of the row type that is a column
/// pub name: Type;                 a field that is not a column
/// name: KIND = VALUE;             a column that is computed from a row
/// ..FIELDS;                       further columns
/// ```
///
/// `KIND` is `integer`, `count`, `real`, `logical`, `factor(LEVELS)`, `text`, `surface` (the value
/// is a property of the surface) or `written` (a closure that writes text). It may be followed by
/// `+ minimal` or `+ named_only` and, after a comma, the unit; the value by `, missing WHEN`.
#[macro_export]
macro_rules! table {
    (
        $(#[$of_columns:meta])* $vis:vis fn $columns:ident($($params:tt)*) of $row:ident;
        $(#[$of_row:meta])* $row_vis:vis struct $Row:ident { $($entries:tt)* }
    ) => {
        $crate::table! {
            @next [$row $Row] [$(#[$of_columns])* $vis fn $columns($($params)*)]
            [$(#[$of_row])* $row_vis struct $Row] [] [] $($entries)*
        }
    };
    (
        $(#[$of_columns:meta])* $vis:vis fn $columns:ident($($params:tt)*)
        of $row:ident: $Row:ty { $($entries:tt)* }
    ) => {
        $crate::table! {
            @next [$row $Row] [$(#[$of_columns])* $vis fn $columns($($params)*)] [] [] []
            $($entries)*
        }
    };

    // Entries, processed one after another.
    (
        @next [$row:ident $Row:ty] $columns:tt $struct:tt [$($members:tt)*] [$($fields:tt)*]
        $(#[doc = $doc:literal])* pub $name:ident: $Type:ty => $kind:ident $(($levels:expr))?
        $(+ $flag:ident)* $(, $unit:literal)? $(= $value:expr)? $(, missing $missing:expr)?;
        $($rest:tt)*
    ) => {
        $crate::table! {
            @next [$row $Row] $columns $struct
            [$($members)* $(#[doc = $doc])* pub $name: $Type,]
            [$($fields)* ([$crate::table!(
                @field [$row $Row] $name [$($doc)*] $kind [$($flag)*] [$($levels)?] [$($unit)?]
                [$crate::table!(@value $row $name $($value)?)] [$($missing)?]
            )])]
            $($rest)*
        }
    };
    (
        @next $head:tt $columns:tt $struct:tt [$($members:tt)*] $fields:tt
        $(#[$meta:meta])* pub $name:ident: $Type:ty; $($rest:tt)*
    ) => {
        $crate::table! {
            @next $head $columns $struct [$($members)* $(#[$meta])* pub $name: $Type,] $fields
            $($rest)*
        }
    };
    (
        @next $head:tt $columns:tt $struct:tt $members:tt [$($fields:tt)*] ..$more:expr;
        $($rest:tt)*
    ) => {
        $crate::table! { @next $head $columns $struct $members [$($fields)* ($more)] $($rest)* }
    };
    (
        @next [$row:ident $Row:ty] $columns:tt $struct:tt $members:tt [$($fields:tt)*]
        $(#[doc = $doc:literal])* $name:ident: $kind:ident $(($levels:expr))? $(+ $flag:ident)*
        $(, $unit:literal)? = $value:expr $(, missing $missing:expr)?; $($rest:tt)*
    ) => {
        $crate::table! {
            @next [$row $Row] $columns $struct $members
            [$($fields)* ([$crate::table!(
                @field [$row $Row] $name [$($doc)*] $kind [$($flag)*] [$($levels)?] [$($unit)?]
                [$value] [$($missing)?]
            )])]
            $($rest)*
        }
    };
    (
        @next [$row:ident $Row:ty] [$($columns:tt)*] [$($struct:tt)*] [$($members:tt)*]
        [$($fields:tt)*]
    ) => {
        $crate::table! { @struct [$($struct)*] [$($members)*] }

        $($columns)* -> Vec<$crate::record::Field<$Row>> {
            let mut fields = Vec::new();
            $(fields.extend($fields);)*
            fields
        }
    };
    (@struct [] []) => {};
    (@struct [$($struct:tt)*] [$($members:tt)*]) => { $($struct)* { $($members)* } };

    // Value of a field that is a column.
    (@value $row:ident $name:ident) => { $row.$name };
    (@value $row:ident $name:ident $value:expr) => { $value };

    // Single column.
    (
        @field $head:tt $name:ident [$($doc:literal)*] $kind:ident [$($flag:ident)*] $levels:tt
        $unit:tt $value:tt [$($missing:expr)?]
    ) => {
        $crate::table!(
            @$kind $head stringify!($name), $crate::record::meaning(concat!($($doc),*)),
            $levels $unit $value
        )$(.missing($missing))?$(.$flag())*
    };
    (@factor [$row:ident $Row:ty] $name:expr, $meaning:expr, [$levels:expr] [] [$value:expr]) => {
        $crate::record::Field::factor($name, $meaning, $levels, move |$row: &$Row| $value)
    };
    (@text [$row:ident $Row:ty] $name:expr, $meaning:expr, [] [] [$value:expr]) => {
        $crate::record::Field::text($name, $meaning, move |$row: &$Row, text: &mut Vec<u8>| {
            $crate::record::CellText::write(&$value, text);
        })
    };
    (@written [$row:ident $Row:ty] $name:expr, $meaning:expr, [] [] [$value:expr]) => {
        $crate::record::Field::text($name, $meaning, move |$row: &$Row, text: &mut Vec<u8>| {
            $crate::record::write_with($value, text);
        })
    };
    (
        @surface [$row:ident $Row:ty] $name:expr, $meaning:expr, [] [$unit:literal] [$value:expr]
    ) => {
        $crate::record::Field::surface($name, $unit, $meaning, $value)
    };
    (@$kind:ident $head:tt $name:expr, $meaning:expr, [] [] $value:tt) => {
        $crate::table!(@$kind $head $name, $meaning, [] ["-"] $value)
    };
    (
        @$kind:ident [$row:ident $Row:ty] $name:expr, $meaning:expr, [] [$unit:literal]
        [$value:expr]
    ) => {
        $crate::record::Field::$kind($name, $unit, $meaning, move |$row: &$Row| $value)
    };
}
pub(crate) use table;

/// Converts a column's doc comment to the code book's form: lower-case first letter, no period.
pub fn meaning(doc: &str) -> String {
    let doc = doc.trim().trim_end_matches('.');
    let mut letters = doc.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some('a'..='z')) => {
            first.to_lowercase().to_string() + &doc[first.len_utf8()..]
        }
        _ => doc.to_owned(),
    }
}

/// Value that is written as a text into a table's cell; an empty text is a missing value.
pub trait CellText {
    /// Appends the value to `text`, in the form that a table's cell has.
    fn write(&self, text: &mut Vec<u8>);
}

impl CellText for str {
    #[inline]
    fn write(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.as_bytes());
    }
}

impl CellText for String {
    #[inline]
    fn write(&self, text: &mut Vec<u8>) {
        self.as_str().write(text);
    }
}

impl<T: CellText + ?Sized> CellText for &T {
    #[inline]
    fn write(&self, text: &mut Vec<u8>) {
        (**self).write(text);
    }
}

impl<T: CellText> CellText for Option<T> {
    #[inline]
    fn write(&self, text: &mut Vec<u8>) {
        if let Some(own) = self {
            own.write(text);
        }
    }
}

/// Appends the text of a table's cell by calling the closure `write`.
#[inline]
pub fn write_with(write: impl FnOnce(&mut Vec<u8>), text: &mut Vec<u8>) {
    write(text);
}
