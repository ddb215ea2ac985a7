//! Formats report tables: one list of columns yields aligned text for people and CSV for programs.

use crate::text::numbers::shortest;

/// A column of a [`ReportTable`]; each cell is computed from a row of type `R`.
struct ReportColumn<'a, R> {
    heading: String,
    /// Minimum number of characters of a cell.
    width: usize,
    is_left: bool,
    cell: Box<dyn Fn(&R) -> String + 'a>,
}

impl<R> ReportColumn<'_, R> {
    fn padded(&self, text: &str) -> String {
        let width = self.width;
        if self.is_left { format!("{text:width$}") } else { format!("{text:>width$}") }
    }
}

/// Table of a report, with rows of type `R` and columns that compute cells from them.
pub struct ReportTable<'a, R> {
    rows: Vec<&'a R>,
    columns: Vec<ReportColumn<'a, R>>,
}

impl<'a, R> ReportTable<'a, R> {
    /// Creates a table of `rows` without columns.
    #[must_use]
    pub fn new(rows: impl IntoIterator<Item = &'a R>) -> ReportTable<'a, R> {
        ReportTable { rows: rows.into_iter().collect(), columns: Vec::new() }
    }

    /// Adds a column whose cells are padded on the right to `width` characters.
    #[must_use]
    pub fn left<C: ToString>(
        mut self,
        heading: impl Into<String>,
        width: usize,
        cell: impl Fn(&R) -> C + 'a,
    ) -> ReportTable<'a, R> {
        let cell = Box::new(move |row: &R| cell(row).to_string());
        self.columns.push(ReportColumn { heading: heading.into(), width, is_left: true, cell });
        self
    }

    /// Adds a column whose cells are padded on the left to `width` characters.
    #[must_use]
    pub fn right<C: ToString>(
        self,
        heading: impl Into<String>,
        width: usize,
        cell: impl Fn(&R) -> C + 'a,
    ) -> ReportTable<'a, R> {
        let mut table = self.left(heading, width, cell);
        table.columns.iter_mut().next_back().into_iter().for_each(|last| last.is_left = false);
        table
    }

    /// Adds a column like [`ReportTable::left`] that is as wide as its longest cell, and at least
    /// `least` characters.
    #[must_use]
    pub fn fitted<C: ToString>(
        self,
        heading: impl Into<String>,
        least: usize,
        cell: impl Fn(&R) -> C + 'a,
    ) -> ReportTable<'a, R> {
        let widths = self.rows.iter().map(|row| cell(row).to_string().chars().count());
        let width = widths.max().unwrap_or(0).max(least);
        self.left(heading, width, cell)
    }

    /// Adds a column whose cells are not padded. It is meant for the last column of a text, and for
    /// any column of CSV.
    #[must_use]
    pub fn plain<C: ToString>(
        self,
        heading: impl Into<String>,
        cell: impl Fn(&R) -> C + 'a,
    ) -> ReportTable<'a, R> {
        self.left(heading, 0, cell)
    }

    /// Returns headings and rows as aligned lines.
    #[must_use]
    pub fn text(&self) -> String {
        self.text_with(|_| None)
    }

    /// Returns the lines of [`ReportTable::text`] with some ends of lines replaced. If `instead`
    /// returns a number of columns and a text for a row, the text replaces the cells after those
    /// columns.
    #[must_use]
    pub fn text_with(&self, instead: impl Fn(&R) -> Option<(usize, String)>) -> String {
        let headings = self.columns.iter().map(|column| column.padded(&column.heading));
        headings.collect::<Vec<_>>().join(" ") + "\n" + &self.lines(instead)
    }

    /// Returns the lines of [`ReportTable::text_with`] without the headings.
    #[must_use]
    pub fn lines(&self, instead: impl Fn(&R) -> Option<(usize, String)>) -> String {
        let line = |row: &&R| {
            let (count, end) = instead(row).unwrap_or((self.columns.len(), String::new()));
            let columns = self.columns[..count].iter();
            let cells: Vec<_> = columns.map(|column| column.padded(&(column.cell)(row))).collect();
            cells.join(" ") + &end + "\n"
        };
        self.rows.iter().map(line).collect()
    }

    /// Returns headings and rows as CSV.
    ///
    /// # Errors
    /// The errors of [`csv_text`].
    pub fn csv(&self) -> csv::Result<String> {
        let header = self.columns.iter().map(|column| &*column.heading);
        let cells = |row: &&R| self.columns.iter().map(|column| (column.cell)(row)).collect();
        csv_text(header, self.rows.iter().map(cells).collect::<Vec<Vec<_>>>())
    }
}

/// Returns a header and rows of cells as CSV.
///
/// # Errors
/// [`csv::Error`] if rows differ in their number of cells.
pub fn csv_text<H: AsRef<[u8]>, C: AsRef<[u8]>>(
    header: impl IntoIterator<Item = H>,
    rows: impl IntoIterator<Item = impl IntoIterator<Item = C>>,
) -> csv::Result<String> {
    let mut text = Vec::new();
    let mut csv = csv::Writer::from_writer(&mut text);
    csv.write_record(header)?;
    for row in rows {
        csv.write_record(row)?;
    }
    csv.flush()?;
    drop(csv);
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Text of a cell without a value.
pub const NA: &str = "NA";

/// Returns the text of a value, `NA` if it is missing.
#[must_use]
pub fn or_na(text: Option<String>) -> String {
    text.unwrap_or_else(|| NA.to_owned())
}

/// Returns a number for CSV, `NA` if it is missing or NaN.
#[must_use]
pub fn csv_number(value: impl Into<Option<f64>>) -> String {
    or_na(value.into().filter(|value| !value.is_nan()).map(shortest))
}
