//! Extracts of a table: selected columns, and rows for which comparisons are true.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use serde_json::Value;

use crate::error::quoted;
use crate::prelude::*;
use crate::record::tables::values::Text;

/// Extract of a table: selected columns and rows; the default selects everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Extract {
    /// Names of the selected columns in output order; empty for all columns.
    pub columns: Vec<String>,
    /// Condition of the selected rows: comparisons that must all be true.
    pub rows: RowCondition,
    /// Interval between kept rows: one in `every` of the rows that satisfy `rows`; `None` keeps
    /// all.
    pub every: Option<NonZeroUsize>,
}

/// Condition on the rows of a table: comparisons of columns with values, joined by `and`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RowCondition(Vec<Comparison>);

#[derive(Clone, Debug, PartialEq)]
struct Comparison {
    column: String,
    relation: Relation,
    value: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    AtMost,
    AtLeast,
    NotEqual,
    Equal,
    Less,
    Greater,
}

/// Operators of comparisons, longer texts first, since the parser tries them in this order.
const RELATIONS: [(&str, Relation); 7] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("!=", Relation::NotEqual),
    ("==", Relation::Equal),
    ("=", Relation::Equal),
    ("<", Relation::Less),
    (">", Relation::Greater),
];

const MISSING: &str = "NA";

impl FromStr for RowCondition {
    type Err = Error;

    fn from_str(text: &str) -> Result<RowCondition> {
        text.split(" and ").map(str::parse).collect::<Result<_>>().map(RowCondition)
    }
}

impl RowCondition {
    /// Returns each comparison of the condition as column, operator and value. The value `NA`
    /// stands for a missing value.
    pub fn comparisons(&self) -> impl Iterator<Item = (&str, &'static str, &str)> {
        self.0
            .iter()
            .map(|Comparison { column, relation, value }| (&**column, relation.sign(), &**value))
    }
}

impl FromStr for Comparison {
    type Err = Error;

    fn from_str(text: &str) -> Result<Comparison> {
        let written = |text: &str| {
            // Column names contain no operator characters, so the first one ends the name.
            let at = text.find(['<', '>', '=', '!'])?;
            let (column, rest) = text.split_at(at);
            let (sign, relation) = RELATIONS.iter().find(|(sign, _)| rest.starts_with(sign))?;
            let value = rest[sign.len()..].trim();
            // A second comparison after `or` or a comma would be parsed as part of the value.
            if value.contains([',', '<', '>', '=', '!']) || value.contains(" or ") {
                return None;
            }
            let value = value.trim_matches(['\'', '"']).to_owned();
            let column = column.trim().to_owned();
            let is_whole = !column.is_empty() && !value.is_empty();
            is_whole.then_some(Comparison { column, relation: *relation, value })
        };
        written(text).ok_or_else(|| {
            let text = quoted(text);
            Error::Config(format!(
                "'{text}' is no condition: compare columns with values, joined by `and` alone \
                 (`or` is not supported), for example game<=20 and holes>3"
            ))
        })
    }
}

impl fmt::Display for RowCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, Comparison { column, relation, value }) in self.0.iter().enumerate() {
            let sign = relation.sign();
            write!(f, "{}{column}{sign}{value}", if index > 0 { " and " } else { "" })?;
        }
        Ok(())
    }
}

/// Calls `take` with the columns that `extract` selects, then with the selected rows of each block.
pub fn extract_rows<'a>(
    columns: &[Column],
    blocks: impl IntoIterator<Item = &'a Rows>,
    extract: &Extract,
    mut take: impl FnMut(&[Column], Rows) -> Result<()>,
) -> Result<()> {
    let mut extraction = extract.resolve(columns)?;
    take(&extraction.columns, Rows::new(&extraction.columns))?;
    for rows in blocks {
        let rows = extraction.copied(rows);
        take(&extraction.columns, rows)?;
    }
    Ok(())
}

type Test = Box<dyn Fn(&ColumnValues) -> Vec<bool>>;

pub(crate) struct Extraction {
    pub(crate) columns: Vec<Column>,
    indices: Vec<usize>,
    tests: Vec<(usize, Test)>,
    bounds: Vec<(usize, Relation, f64)>,
    every: usize,
    wait: usize,
}

impl Extract {
    /// Returns true if the extract selects all rows and columns of a table.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Extract::default()
    }

    pub(crate) fn fits(&self, columns: &[Column]) -> bool {
        let compared = self.rows.0.iter().map(|comparison| &comparison.column);
        self.columns.iter().chain(compared).all(|name| column_index(columns, name).is_ok())
    }

    pub(crate) fn recorded_config(&self) -> Value {
        let mut entry = json!({ "columns": self.columns, "where": self.rows.to_string() });
        if let Some(every) = self.every {
            entry["every"] = json!(every);
        }
        entry
    }

    pub(crate) fn resolve(&self, columns: &[Column]) -> Result<Extraction> {
        let indices = match self.columns.is_empty() {
            true => (0..columns.len()).collect(),
            false => self
                .columns
                .iter()
                .map(|name| column_index(columns, name))
                .collect::<Result<Vec<_>>>()?,
        };
        let test = |comparison: &Comparison| {
            let index = column_index(columns, &comparison.column)?;
            Ok((index, comparison.test(&columns[index])?))
        };
        Ok(Extraction {
            columns: indices.iter().map(|&index| columns[index].clone()).collect(),
            tests: self.rows.0.iter().map(test).collect::<Result<_>>()?,
            bounds: self.rows.0.iter().filter_map(|one| one.bound(columns)).collect(),
            indices,
            every: self.every.map_or(1, NonZeroUsize::get),
            wait: 0,
        })
    }
}

pub(super) fn column_index(columns: &[Column], name: &str) -> Result<usize> {
    let found = columns.iter().position(|column| column.name == name);
    let names = columns.iter().map(|column| &*column.name);
    found.ok_or_else(|| Error::unknown("column", name, names))
}

impl Extraction {
    pub(crate) fn compared(&self) -> impl Iterator<Item = usize> {
        self.tests.iter().map(|(index, _)| *index)
    }

    pub(crate) fn has_comparisons(&self) -> bool {
        !self.tests.is_empty()
    }

    pub(crate) fn may_keep(&self, range: impl Fn(usize) -> Option<(f64, f64)>) -> bool {
        self.bounds.iter().all(|&(index, relation, value)| {
            range(index).is_none_or(|range| relation.may_hold(range, value))
        })
    }

    pub(crate) fn indices(&self) -> &[usize] {
        &self.indices
    }

    pub(crate) fn select<'a>(
        &mut self,
        count: usize,
        values: impl Fn(usize) -> &'a ColumnValues,
    ) -> Vec<bool> {
        let mut holds = vec![true; count];
        for (index, test) in &self.tests {
            let also = test(values(*index));
            holds.iter_mut().zip(also).for_each(|(holds, also)| *holds &= also);
        }
        for holds in holds.iter_mut().filter(|holds| **holds) {
            *holds = self.wait == 0;
            // The counter persists between chunks, so that `every` applies to the table and not to
            // each chunk.
            self.wait = self.wait.checked_sub(1).unwrap_or(self.every - 1);
        }
        holds
    }

    pub(crate) fn rows(&mut self, rows: Rows) -> Rows {
        // Unchanged rows are passed on without a copy.
        let all = self.indices.iter().copied().eq(0..rows.columns.len());
        if all && self.has_all_rows() { rows } else { self.copied(&rows) }
    }

    fn has_all_rows(&self) -> bool {
        self.tests.is_empty() && self.every == 1
    }

    fn copied(&mut self, rows: &Rows) -> Rows {
        if self.has_all_rows() {
            let values = self.indices.iter().map(|&index| rows.columns[index].clone());
            return Rows { columns: values.collect() };
        }
        let kept = self.select(rows.len(), |index| &rows.columns[index]);
        let values = self.indices.iter().map(|&index| filter_values(&rows.columns[index], &kept));
        Rows { columns: values.collect() }
    }
}

impl Comparison {
    fn test(&self, column: &Column) -> Result<Test> {
        let Comparison { relation, value, .. } = self;
        let (relation, is_ordered) =
            (*relation, !matches!(relation, Relation::Equal | Relation::NotEqual));
        if is_ordered && !column.kind.is_number() {
            return Err(self.wrong(column, "only = and != compare it"));
        }
        // `NA` is handled before the value is parsed, since it is neither a number nor a level.
        if value == MISSING && !is_ordered {
            let is_missing = relation == Relation::Equal;
            let test = move |presence: i16| (presence == 0) == is_missing;
            return Ok(Box::new(move |values| {
                values.presence(0..values.len()).into_iter().map(test).collect()
            }));
        }
        let code = match column.kind {
            ColumnType::Text => return Ok(text_test(value.clone(), relation)),
            ColumnType::Factor => {
                let levels = column.levels.iter().map(|level| &**level);
                let found = column.levels.iter().position(|level| level == value);
                found.ok_or_else(|| Error::unknown("level", value, levels))? as f64
            }
            // Upper and lower case are accepted, as R and Python write them.
            ColumnType::Logical => match &*value.to_ascii_uppercase() {
                "TRUE" => 1.0,
                "FALSE" => 0.0,
                _ => return Err(self.wrong(column, "it is TRUE or FALSE")),
            },
            _ => value.parse().map_err(|_| self.wrong(column, "compare it with a number"))?,
        };
        Ok(Box::new(move |values| {
            values.as_numbers().into_iter().map(|number| relation.holds(number, code)).collect()
        }))
    }

    fn bound(&self, columns: &[Column]) -> Option<(usize, Relation, f64)> {
        let index = column_index(columns, &self.column).ok()?;
        let number = self.value.parse().ok().filter(|_| columns[index].kind.is_number())?;
        Some((index, self.relation, number))
    }

    fn wrong(&self, column: &Column, remedy: &str) -> Error {
        let (name, kind, value) = (&column.name, column.kind.name(), quoted(&self.value));
        Error::Config(format!("column {name} is {kind} and is compared with '{value}': {remedy}"))
    }
}

impl Relation {
    fn sign(self) -> &'static str {
        RELATIONS.iter().find(|(_, other)| *other == self).map_or("", |(sign, _)| sign)
    }

    /// Returns true if the comparison of `number` with `other` holds; false if `number` is NaN.
    fn holds(self, number: f64, other: f64) -> bool {
        match self {
            // Without this case `!=` would hold for a missing number.
            _ if number.is_nan() => false,
            Relation::AtMost => number <= other,
            Relation::AtLeast => number >= other,
            Relation::NotEqual => number != other,
            Relation::Equal => number == other,
            Relation::Less => number < other,
            Relation::Greater => number > other,
        }
    }

    fn may_hold(self, (low, high): (f64, f64), other: f64) -> bool {
        match self {
            Relation::AtMost | Relation::Less => self.holds(low, other),
            Relation::AtLeast | Relation::Greater => self.holds(high, other),
            Relation::Equal => low <= other && other <= high,
            Relation::NotEqual => low != other || high != other,
        }
    }
}

fn text_test(value: String, relation: Relation) -> Test {
    Box::new(move |values| {
        let ColumnValues::Text(text) = values else { return vec![false; values.len()] };
        let holds = |row| {
            let found = text.get(row);
            !found.is_empty() && (found == value.as_bytes()) == (relation == Relation::Equal)
        };
        (0..values.len()).map(holds).collect()
    })
}

pub(crate) fn filter_values(values: &ColumnValues, holds: &[bool]) -> ColumnValues {
    fn kept_values<T: Copy>(values: &[T], holds: &[bool]) -> Vec<T> {
        values.iter().zip(holds).filter(|(_, holds)| **holds).map(|(value, _)| *value).collect()
    }
    match values {
        ColumnValues::Integer(values) => ColumnValues::Integer(kept_values(values, holds)),
        ColumnValues::Count(values) => ColumnValues::Count(kept_values(values, holds)),
        ColumnValues::Real(values) => ColumnValues::Real(kept_values(values, holds)),
        ColumnValues::Factor(codes) => ColumnValues::Factor(kept_values(codes, holds)),
        ColumnValues::Logical(codes) => ColumnValues::Logical(kept_values(codes, holds)),
        ColumnValues::Text(text) => {
            let mut kept = Text::default();
            for row in (0..text.ends.len()).filter(|&row| holds[row]) {
                kept.bytes.extend_from_slice(text.get(row));
                kept.end();
            }
            ColumnValues::Text(kept)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tables::values::{NO_CODE, NO_INTEGER};

    fn table() -> (Vec<Column>, Rows) {
        let mut piece = Column::new("piece", ColumnType::Factor, "-", "");
        piece.levels = vec!["I".to_owned(), "O".to_owned()];
        let columns = vec![
            Column::new("holes", ColumnType::Integer, "-", ""),
            piece,
            Column::new("board", ColumnType::Text, "-", ""),
        ];
        let mut text = Text::default();
        for board in ["a", "b", ""] {
            text.bytes.extend(board.as_bytes());
            text.end();
        }
        let values = vec![
            ColumnValues::Integer(vec![1, 5, NO_INTEGER]),
            ColumnValues::Factor(vec![0, 1, NO_CODE]),
            ColumnValues::Text(text),
        ];
        (columns, Rows { columns: values })
    }

    fn kept(columns: &str, rows: &str) -> Result<Vec<ColumnValues>> {
        let (known, table) = table();
        let columns =
            columns.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        let rows = if rows.is_empty() { RowCondition::default() } else { rows.parse()? };
        Ok(Extract { columns, rows, every: None }.resolve(&known)?.rows(table).columns)
    }

    #[test]
    fn each_so_manieth_row_is_kept_across_pieces() {
        let columns = [Column::new("x", ColumnType::Integer, "-", "")];
        let extract = Extract { every: NonZeroUsize::new(3), ..Extract::default() };
        let mut meant = extract.resolve(&columns).unwrap();
        let mut kept = |values: &[i32]| {
            meant
                .rows(Rows { columns: vec![ColumnValues::Integer(values.to_vec())] })
                .columns
                .remove(0)
        };
        assert_eq!(kept(&[0, 1, 2, 3]), ColumnValues::Integer(vec![0, 3]));
        assert_eq!(kept(&[4, 5]), ColumnValues::Integer(vec![]));
        assert_eq!(kept(&[6, 7]), ColumnValues::Integer(vec![6]));
    }

    #[test]
    fn rows_and_columns_are_picked() {
        let holes = |values: Vec<i32>| vec![ColumnValues::Integer(values)];
        assert_eq!(kept("holes", "holes>=2").unwrap(), holes(vec![5]));
        assert_eq!(kept("holes", "piece=I and holes < 9").unwrap(), holes(vec![1]));
        assert_eq!(kept("holes", "holes=NA").unwrap(), holes(vec![NO_INTEGER]));
        assert_eq!(kept("holes", "board != 'a'").unwrap(), holes(vec![5]));
        assert_eq!(kept("holes", "holes!=1").unwrap(), holes(vec![5]));
        assert_eq!(kept("", "").unwrap(), table().1.columns);
        assert_eq!(kept("piece,holes", "holes==1").unwrap().len(), 2);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        for (rows, words) in [
            ("holes", "compare columns with values"),
            ("holes>1 or depth=2", "`or` is not supported"),
            ("depth>1", "depth"),
            ("piece>I", "only = and !="),
            ("piece=T", "T"),
            ("holes>many", "with a number"),
        ] {
            let error = kept("", rows).unwrap_err().to_string();
            assert!(error.contains(words), "{rows}: {error}");
        }
        let written: RowCondition = "a <= 1 and b='x'".parse().unwrap();
        assert_eq!(written.to_string(), "a<=1 and b==x");
    }
    #[test]
    fn ranges_exclude_rows_only_if_no_value_satisfies_the_comparison() {
        let (columns, _) = table();
        let may_keep = |rows: &str, range: Option<(f64, f64)>| {
            let extract = Extract { rows: rows.parse().unwrap(), ..Extract::default() };
            extract.resolve(&columns).unwrap().may_keep(|_| range)
        };
        let range = Some((2.0, 5.0));
        for rows in ["holes<=2", "holes<3", "holes>=5", "holes>4", "holes=2", "holes=5", "holes!=2"]
        {
            assert!(may_keep(rows, range), "{rows}");
        }
        for rows in ["holes<=1", "holes<2", "holes>=6", "holes>5", "holes=1", "holes=6"] {
            assert!(!may_keep(rows, range), "{rows}");
            assert!(may_keep(rows, None), "{rows} without statistics");
        }
        assert!(!may_keep("holes!=2", Some((2.0, 2.0))));
        assert!(may_keep("holes=NA and piece=I", range), "levels and missing values have no range");
    }
}
