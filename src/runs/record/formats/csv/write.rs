//! CSV writer.
//!
//! Short cells are formatted column by column, which reads values in order, and then joined row by
//! row. This is 2 to 3 times faster than visiting all columns for each row.
//! Frozen: bytes

use super::MISSING;
use crate::prelude::*;
use crate::record::tables::values::{NO_CODE, NO_COUNT, NO_INTEGER, Text};
use crate::text::numbers::shortest;

/// Number of rows whose cells are formatted together, so that they fit the processor's cache.
const ROWS_PER_BATCH: usize = 64;

pub(crate) fn write(columns: &[Column], slice: &RowSlice, out: &mut Vec<u8>) {
    let pairs = columns.iter().zip(&slice.rows.columns);
    let table: Vec<_> = pairs.map(|(column, values)| Source::new(column, values)).collect();
    let mut cells = vec![[0; CELLS_PER_COLUMN]; table.len()];
    let mut parts = Vec::with_capacity(table.len());
    let mut lines = [0; LINE_BUFFER_BYTES + SPARE_BYTES];
    // A local variable avoids a round trip through memory after every cell.
    let mut end = 0;
    for start in slice.range.clone().step_by(ROWS_PER_BATCH) {
        let batch = start..slice.range.end.min(start + ROWS_PER_BATCH);
        parts.clear();
        for (index, source) in table.iter().enumerate() {
            let part = fill(source, index, batch.clone(), &mut cells[index]);
            match (parts.last_mut(), part) {
                (Some(Part::Cells(indices)), Part::Cells(_)) if indices.len() < MOST_CELLS => {
                    indices.end += 1;
                }
                (_, part) => parts.push(part),
            }
        }
        for row in batch.clone() {
            let of_batch = row - start;
            for part in &parts {
                if end > LINE_BUFFER_BYTES - LONGEST_PART {
                    out.extend_from_slice(&lines[..end]);
                    end = 0;
                }
                end = match part {
                    Part::Cells(indices) => {
                        for cells in &cells[indices.clone()] {
                            let cell = cells[of_batch];
                            put(&mut lines, end, cell);
                            end += length(cell);
                        }
                        end
                    }
                    Part::Reals(values) => put_real(&mut lines, end, out, values[row]),
                    Part::Texts(text) => put_text(&mut lines, end, out, text, row),
                    Part::Mixed(index) => match cells[*index][of_batch] {
                        LONG_CELL => put_long(&mut lines, end, out, &table[*index], row),
                        cell => {
                            put(&mut lines, end, cell);
                            end + length(cell)
                        }
                    },
                };
            }
            // The line end replaces the last comma.
            lines[end - 1] = b'\n';
        }
        if start == slice.range.start {
            // The other batches have about as many bytes.
            out.reserve((end + end / 8) * slice.len().div_ceil(ROWS_PER_BATCH));
        }
    }
    out.extend_from_slice(&lines[..end]);
}

/// Consecutive columns whose values are joined to CSV lines in the same way.
enum Part<'a> {
    Cells(Range<usize>),
    Reals(&'a [f64]),
    Texts(&'a Text),
    Mixed(usize),
}

// With a power of two, the cells of a row would share few cache sets.
const CELLS_PER_COLUMN: usize = ROWS_PER_BATCH + 8;
const MOST_CELLS: usize = 64;

/// Cell of a CSV line: up to seven bytes of text, and the text's length in the highest byte.
type Cell = u64;

/// Mark of a cell whose text has more than seven bytes and is formatted separately.
const LONG_CELL: Cell = Cell::MAX;

const fn cell(text: &[u8]) -> Cell {
    if text.len() > 7 {
        return LONG_CELL;
    }
    let mut cell = (text.len() as u64) << 56;
    let mut k = 0;
    while k < text.len() {
        cell |= (text[k] as u64) << (8 * k);
        k += 1;
    }
    cell
}

const MISSING_CELL: Cell = cell(b"NA,");

fn length(cell: Cell) -> usize {
    (cell >> 56) as usize
}

struct Source<'a> {
    column: &'a Column,
    values: &'a ColumnValues,
    levels: Vec<Cell>,
    quoted: Option<Text>,
}

impl<'a> Source<'a> {
    fn new(column: &'a Column, values: &'a ColumnValues) -> Source<'a> {
        let of_level = |level: &_| cell(format!("{level},").as_bytes());
        let quoted = match values {
            ColumnValues::Text(text) if column.is_foreign() => quote(text),
            _ => None,
        };
        Source { column, values, levels: column.levels.iter().map(of_level).collect(), quoted }
    }
}

/// Formats a column's values in the given rows as CSV cells.
fn fill<'a>(
    source: &'a Source<'a>,
    index: usize,
    rows: Range<usize>,
    cells: &mut [Cell; CELLS_PER_COLUMN],
) -> Part<'a> {
    match source.values {
        ColumnValues::Integer(values) => {
            let values = &values[rows];
            // Loops without branches are compiled to vector instructions. A negative or missing
            // value has a high bit.
            let bits = values.iter().fold(0, |bits, value| bits | value);
            if (0..SMALL_INTEGERS.len() as i32).contains(&bits) {
                set_cells(cells, values, |value| {
                    SMALL_INTEGERS[value as usize % SMALL_INTEGERS.len()]
                });
                return Part::Cells(index..index + 1);
            }
            set_cells(cells, values, |value| match value {
                NO_INTEGER => MISSING_CELL,
                value => integer(value.into()),
            });
        }
        ColumnValues::Count(values) => {
            set_cells(cells, &values[rows.clone()], |value| match value {
                NO_COUNT => MISSING_CELL,
                value => integer(value),
            })
        }
        ColumnValues::Factor(codes) => set_cells(cells, &codes[rows.clone()], |code| match code {
            NO_CODE => MISSING_CELL,
            code => source.levels[code as usize],
        }),
        ColumnValues::Logical(codes) => set_cells(cells, &codes[rows.clone()], |code| match code {
            0 => const { cell(b"FALSE,") },
            1 => const { cell(b"TRUE,") },
            _ => MISSING_CELL,
        }),
        ColumnValues::Real(values) => return Part::Reals(values),
        ColumnValues::Text(text) => {
            return Part::Texts(source.quoted.as_ref().unwrap_or(text));
        }
    }
    if cells.contains(&LONG_CELL) { Part::Mixed(index) } else { Part::Cells(index..index + 1) }
}

#[inline(always)]
fn set_cells<T: Copy>(
    cells: &mut [Cell; CELLS_PER_COLUMN],
    values: &[T],
    cell_of: impl Fn(T) -> Cell,
) {
    for (k, &value) in values[..values.len().min(ROWS_PER_BATCH)].iter().enumerate() {
        cells[k] = cell_of(value);
    }
}

static SMALL_INTEGERS: [Cell; 1024] = small();

const fn small() -> [Cell; 1024] {
    let mut all = [0; 1024];
    let mut n = 0;
    while n < all.len() {
        let [hundreds, tens, ones] = three_digits(n % 1000);
        all[n] = match n {
            0..10 => cell(&[ones, b',']),
            10..100 => cell(&[tens, ones, b',']),
            100..1000 => cell(&[hundreds, tens, ones, b',']),
            _ => cell(&[b'1', hundreds, tens, ones, b',']),
        };
        n += 1;
    }
    all
}

const fn three_digits(n: usize) -> [u8; 3] {
    [b'0' + (n / 100) as u8, b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8]
}

#[inline]
fn integer(value: i64) -> Cell {
    match value {
        0..1000 => SMALL_INTEGERS[value as usize],
        1000..1_000_000 => {
            // For 123456, the cells "123," and "456," are joined: the second begins at the comma of
            // the first.
            let thousands = SMALL_INTEGERS[value as usize / 1000];
            let digits = (thousands >> 56) - 1;
            let [a, b, c] = three_digits(value as usize % 1000);
            let rest = u64::from_le_bytes([a, b, c, b',', 0, 0, 0, 0]);
            let kept = thousands & ((1 << (8 * digits)) - 1);
            kept | rest << (8 * digits) | (digits + 4) << 56
        }
        -999..0 => {
            let positive = SMALL_INTEGERS[value.unsigned_abs() as usize];
            let length = positive >> 56;
            u64::from(b'-') | positive << 8 & (u64::MAX >> 8) | (length + 1) << 56
        }
        _ => LONG_CELL,
    }
}

// A power of two, so that a mask checks an index.
const LINE_BUFFER_BYTES: usize = 1 << 14;
/// Number of spare bytes after the CSV lines in a buffer, since texts are copied in blocks of fixed
/// size.
const SPARE_BYTES: usize = 64;
/// Maximum number of bytes added to a CSV line between two checks of the buffer's room.
const LONGEST_PART: usize = 8 * MOST_CELLS;

type CsvBuffer = [u8; LINE_BUFFER_BYTES + SPARE_BYTES];

/// Writes a cell into the buffer of CSV lines at `end`, which must be below `LINE_BUFFER_BYTES`.
#[inline(always)]
fn put(lines: &mut CsvBuffer, end: usize, cell: Cell) {
    put_bytes(lines, end, &cell.to_le_bytes());
}

#[inline(always)]
fn put_bytes<const COUNT: usize>(lines: &mut CsvBuffer, end: usize, bytes: &[u8; COUNT]) {
    const { assert!(COUNT <= SPARE_BYTES) };
    // The mask changes nothing; it shows the compiler that the bytes fit.
    if let Some(to) = lines[end & (LINE_BUFFER_BYTES - 1)..].first_chunk_mut() {
        *to = *bytes;
    }
}

/// Writes the shortest decimal that parses back to `value`, and a comma; returns the new end.
#[inline(always)]
fn put_real(lines: &mut CsvBuffer, mut end: usize, out: &mut Vec<u8>, value: f64) -> usize {
    // Adding 2^52 rounds to an integer, which the low bits of the sum then contain.
    const INTEGER: f64 = (1u64 << 52) as f64;
    let sum = value.abs() * 1e9 + INTEGER;
    let rounded = sum - INTEGER;
    // A decimal of at most 15 digits that parses to `value` is its shortest form. The quotient of
    // two exact numbers is rounded like a parsed decimal.
    if !(rounded < 1e15 && rounded / 1e9 == value.abs()) {
        return put_rare_real(lines, end, out, value);
    }
    let scaled = sum.to_bits() & ((1 << 52) - 1);
    put_bytes(lines, end, b"-");
    end += usize::from(value < 0.0);
    let whole = integer((scaled / 1_000_000_000) as i64);
    put(lines, end, whole);
    end += length(whole) - 1;
    let fraction = scaled % 1_000_000_000;
    let (first, ninth) = (eight_digits(fraction / 10), fraction % 10);
    put_bytes(lines, end, b".");
    put(lines, end + 1, first | ZEROS);
    put_bytes(lines, end + 9, &[b'0' + ninth as u8]);
    // The first digit is in the lowest byte, so zeros at the end of the fraction are the highest.
    let digits = if ninth != 0 { 9 } else { 8 - first.leading_zeros() as usize / 8 };
    end += digits + usize::from(digits > 0);
    put_bytes(lines, end, b",");
    end + 1
}

const ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// Returns the eight digits of `number`, one per byte, with the first digit in the lowest byte.
#[inline]
const fn eight_digits(number: u64) -> u64 {
    // Quotients and remainders of two numbers, then of four, are computed at once: each number's
    // quotient stays in its lower half and its remainder moves to the upper half. A product and a
    // shift divide by a constant.
    let fours = (number / 10_000) | ((number % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (twos - 10 * tens) << 8
}

#[cold]
fn put_rare_real(lines: &mut CsvBuffer, end: usize, out: &mut Vec<u8>, value: f64) -> usize {
    if value.is_nan() {
        put(lines, end, MISSING_CELL);
        return end + length(MISSING_CELL);
    }
    put_slice(lines, end, out, shortest(value).as_bytes())
}

fn quote(text: &Text) -> Option<Text> {
    let is_plain = |text: &[u8]| text.iter().all(|&byte| super::is_plain(byte));
    if is_plain(&text.bytes) {
        return None;
    }
    let mut quoted = Text::with_room(text.ends.len());
    for row in 0..text.ends.len() {
        match text.get(row) {
            text if is_plain(text) => quoted.bytes.extend_from_slice(text),
            text => {
                quoted.bytes.push(b'"');
                for &byte in text {
                    let count = if byte == b'"' { 2 } else { 1 };
                    quoted.bytes.extend(std::iter::repeat_n(byte, count));
                }
                quoted.bytes.push(b'"');
            }
        }
        quoted.end();
    }
    Some(quoted)
}

#[inline(always)]
fn put_text(
    lines: &mut CsvBuffer,
    end: usize,
    out: &mut Vec<u8>,
    text: &Text,
    row: usize,
) -> usize {
    let (start, length) = (text.start(row), text.get(row).len());
    // Most texts are copied with the bytes after them, because copies of one length are faster.
    if let Some(bytes) = text.bytes[start..].first_chunk::<SPARE_BYTES>()
        && (1..=SPARE_BYTES).contains(&length)
    {
        put_bytes(lines, end, bytes);
        put_bytes(lines, end + length, b",");
        return end + length + 1;
    }
    put_slice(lines, end, out, if length == 0 { MISSING } else { text.get(row) })
}

fn put_long(
    lines: &mut CsvBuffer,
    end: usize,
    out: &mut Vec<u8>,
    source: &Source,
    row: usize,
) -> usize {
    let value = match source.values {
        ColumnValues::Integer(values) => values[row].into(),
        ColumnValues::Count(values) => values[row],
        ColumnValues::Factor(codes) | ColumnValues::Logical(codes) => {
            let level = &source.column.levels[codes[row] as usize];
            return put_slice(lines, end, out, level.as_bytes());
        }
        // Columns of these types have no cells.
        ColumnValues::Real(_) | ColumnValues::Text(_) => return end,
    };
    if (1_000_000..100_000_000).contains(&value) {
        let digits = eight_digits(value as u64);
        let zeros = digits.trailing_zeros() / 8;
        put(lines, end, (digits | ZEROS) >> (8 * zeros));
        let end = end + 8 - zeros as usize;
        put_bytes(lines, end, b",");
        return end + 1;
    }
    put_slice(lines, end, out, itoa::Buffer::new().format(value).as_bytes())
}

fn put_slice(lines: &mut CsvBuffer, mut end: usize, out: &mut Vec<u8>, text: &[u8]) -> usize {
    if text.len() < LONGEST_PART {
        lines[end..end + text.len()].copy_from_slice(text);
        end += text.len();
    } else {
        out.extend_from_slice(&lines[..end]);
        out.extend_from_slice(text);
        end = 0;
    }
    put_bytes(lines, end, b",");
    end + 1
}
