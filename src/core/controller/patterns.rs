//! Defines cell patterns: tables of values over windows of cells (n-tuples) of classic boards.
//!
//! The value of a board is the sum, over all windows, of the table entry that the window's cells
//! select, in *steps*, the unit of the entries. Reference: `docs/reference/evaluators.md`.
//!
//! ```text
//! #..     bits of the index, for a window of three columns and three rows:
//! .##     2 5 8
//! #.#     1 4 7     0 is the lowest cell of the left column: bit = 3 x column + row.
//!         0 3 6     The cells on the left select entry 1 + 4 + 16 + 64 + 128 = 213.
//! ```
//!
//! Tables follow each other in the order of `[[patterns.windows]]` and of a window's positions
//! (rows from the floor, columns from the left; a list in its own order). A position that shares
//! the table of an earlier one has none of its own. A file of tables, all of whose numbers are
//! little-endian:
//!
//! ```text
//! bytes 0 to 7      "TSTABLE1"
//! bytes 8 to 11     number of entries
//! bytes 12 to 15    checksum of the entries' bytes: FNV-1a of 32 bits
//! the rest          entries, two bytes each and signed, as one stream of deflate (RFC 1951)
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::io::{Read, Write};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::board::{Board, BoardSize, MAX_WIDTH, ROWS};

/// Largest number of cells in a pattern's window, whose table then has 65,536 entries.
pub const MAX_WINDOW_CELLS: usize = 16;
/// Largest number of entries in all pattern tables of a controller together.
pub const MAX_PATTERN_ENTRIES: usize = 1 << 24;
/// Largest number of positions of all pattern windows of a controller together.
// The sum of this many entries fits an `i32`.
pub const MAX_PATTERN_LOOKUPS: usize = 1 << 15;

/// Cell patterns as stored in files: a board size, windows, and tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternsText {
    /// Size of the only board that the windows fit, `10x20`.
    pub board: String,
    /// Factor that converts pattern table entries to units of the controller's weights.
    pub step: f64,
    /// Name of the file of pattern tables beside the controller file, or its contents in base64.
    pub tables: String,
    /// Windows, each with the board cells whose content selects an entry of a table.
    pub windows: Vec<PatternWindow>,
}

impl PatternsText {
    /// Returns the name of the file of pattern tables; `None` if the text contains the tables.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        // Base64 has no dots.
        self.tables.contains('.').then_some(&*self.tables)
    }
}

/// A window of a cell pattern: its shape, and the places where it reads the board.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PatternWindow {
    /// Shape of the window: a rectangle, `3x3` (columns x rows), or a picture, `##./.##`.
    pub cells: String,
    /// Places on the board where the window reads cells.
    #[serde(default)]
    pub at: WindowPlaces,
    /// True if windows at mirrored columns share a table; a window in the right half then reads the
    /// mirrored board.
    #[serde(default)]
    pub mirror: bool,
    /// Choice between a table for every place of the window, and a table for every column that all
    /// rows share.
    #[serde(default)]
    pub rows: TableRows,
}

/// The places on the board where a pattern's window reads cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum WindowPlaces {
    /// Every place on the board where the window fits.
    #[default]
    Everywhere,
    /// The listed places only, each the column and row of the window's lower left corner.
    Listed(Vec<[usize; 2]>),
}

crate::names! {
    /// The choice between pattern tables for each board row, and tables that all rows share.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum TableRows {
        /// A table for every place of the window (n-tuple networks, Jaskowski et al. 2015).
        #[default]
        Own = "own",
        /// A table for every column of the window, which all rows share.
        Shared = "shared",
    }
}

const EVERYWHERE: &str = "everywhere";

impl Serialize for WindowPlaces {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            WindowPlaces::Everywhere => serializer.serialize_str(EVERYWHERE),
            WindowPlaces::Listed(places) => places.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WindowPlaces {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<WindowPlaces, D::Error> {
        struct Places;

        impl<'de> Visitor<'de> for Places {
            type Value = WindowPlaces;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "\"{EVERYWHERE}\" or a list of [column, row]")
            }

            fn visit_str<E: serde::de::Error>(self, word: &str) -> Result<WindowPlaces, E> {
                match word {
                    EVERYWHERE => Ok(WindowPlaces::Everywhere),
                    _ => Err(E::invalid_value(serde::de::Unexpected::Str(word), &self)),
                }
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut places: A) -> Result<WindowPlaces, A::Error> {
                let mut listed = Vec::new();
                // A fixed array would ignore what follows the row.
                while let Some(place) = places.next_element::<Vec<usize>>()? {
                    let [column, row] = place[..] else {
                        let numbers = place.len();
                        return Err(A::Error::custom(format!(
                            "a place with {numbers} number(s): give [column, row]"
                        )));
                    };
                    listed.push([column, row]);
                }
                Ok(WindowPlaces::Listed(listed))
            }
        }

        deserializer.deserialize_any(Places)
    }
}

/// The shape of a pattern's window, parsed from text: its cells in their bounding box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowShape {
    /// Number of columns of the window's bounding box.
    pub columns: usize,
    /// Number of rows of the window's bounding box.
    pub rows: usize,
    /// Column and row of each cell in the window's box; cell k gives bit k of the table's index.
    pub cells: Vec<[usize; 2]>,
}

impl WindowShape {
    /// Parses a window's shape from text, a size such as `3x3` or a picture.
    pub fn parse(text: &str) -> Result<WindowShape, String> {
        let format = || {
            format!(
                "cells \"{}\": write columns x rows, for example \"3x3\", or a picture with its \
                 rows from the top, for example \"##./.##\"",
                text.escape_debug()
            )
        };
        let lines: Vec<&[u8]> = match text.split_once(['x', 'X']) {
            Some(_) => Vec::new(),
            None => text.split('/').map(str::as_bytes).collect(),
        };
        let (columns, rows) = match text.split_once(['x', 'X']) {
            Some((columns, rows)) => {
                let side = |text: &str| text.parse::<usize>().map_err(|_| format());
                (side(columns)?, side(rows)?)
            }
            None => (lines[0].len(), lines.len()),
        };
        let is_picture = !lines.is_empty();
        let is_wrong = |line: &&[u8]| {
            line.len() != columns || line.iter().any(|cell| !matches!(cell, b'#' | b'.'))
        };
        if columns == 0 || rows == 0 || lines.iter().any(is_wrong) {
            return Err(format());
        }
        let count = match is_picture {
            true => text.matches('#').count(),
            false => columns.saturating_mul(rows),
        };
        if !(1..=MAX_WINDOW_CELLS).contains(&count) {
            return Err(format!(
                "cells \"{}\": the window has {count} cells: give it 1 to {MAX_WINDOW_CELLS} cells",
                text.escape_debug()
            ));
        }
        let is_cell =
            |&[column, row]: &[usize; 2]| !is_picture || lines[rows - 1 - row][column] == b'#';
        let all = (0..columns).flat_map(|column| (0..rows).map(move |row| [column, row]));
        Ok(WindowShape { columns, rows, cells: all.filter(is_cell).collect() })
    }

    /// Returns true if the window is a full rectangle without missing cells.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.cells.len() == self.columns * self.rows
    }

    /// Returns the number of entries in a table of this window, 2^(number of cells).
    #[must_use]
    pub fn entries(&self) -> usize {
        1 << self.cells.len()
    }
}

/// A pattern's window at one place on the board, with the index where the window's table begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Index of the window in the layout's list of windows.
    pub window: usize,
    /// Column of the window's lower left corner, on the mirrored board if `is_mirrored`.
    pub column: usize,
    /// Row of the window's lower left corner.
    pub row: usize,
    /// True if the window reads the mirrored board.
    pub is_mirrored: bool,
    /// Index of the first entry of the window's table among the entries of all tables.
    pub table: usize,
}

/// The layout of pattern tables for boards of one size: windows, and where their tables begin.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::controller::{PatternLayout, PatternWindow, TableRows, WindowPlaces};
/// let window = PatternWindow {
///     cells: "2x2".to_owned(),
///     at: WindowPlaces::Everywhere,
///     mirror: true,
///     rows: TableRows::Own,
/// };
/// let layout = PatternLayout::new(&[window], "4x4".parse()?)?;
/// // Three columns in three rows; the columns 0 and 2 share their tables.
/// assert_eq!((layout.lookups().len(), layout.entries()), (9, 3 * 2 * 16));
/// let board = "..../..../..../#..#".parse()?;
/// let indices = layout.indices(&board);
/// assert_eq!(indices[..3], [1, 16, 1]); // the lower left cell is bit 0
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PatternLayout {
    size: BoardSize,
    windows: Vec<PatternWindow>,
    shapes: Vec<WindowShape>,
    lookups: Vec<Lookup>,
    entries: usize,
}

impl PatternLayout {
    /// Creates the layout of the pattern tables of `windows` on boards of `size`.
    pub fn new(windows: &[PatternWindow], size: BoardSize) -> Result<PatternLayout, String> {
        let mut layout = PatternLayout {
            size,
            windows: windows.to_vec(),
            shapes: Vec::new(),
            lookups: Vec::new(),
            entries: 0,
        };
        if windows.is_empty() {
            return Err("no windows: give at least one [[patterns.windows]]".to_owned());
        }
        for (index, window) in windows.iter().enumerate() {
            let number = |problem| format!("window {}: {problem}", index + 1);
            layout.add(index, window).map_err(number)?;
        }
        Ok(layout)
    }

    fn add(&mut self, index: usize, window: &PatternWindow) -> Result<(), String> {
        let size = self.size;
        let shape = WindowShape::parse(&window.cells)?;
        if shape.columns > size.width() || shape.rows > size.height() {
            return Err(format!(
                "cells \"{}\" do not fit a board of {size}: use at most {} columns and {} rows",
                window.cells,
                size.width(),
                size.height()
            ));
        }
        let (columns, rows) = (size.width() - shape.columns + 1, size.height() - shape.rows + 1);
        let everywhere = || (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row]));
        let places: Vec<[usize; 2]> = match &window.at {
            WindowPlaces::Everywhere => everywhere().collect(),
            WindowPlaces::Listed(places) => places.clone(),
        };
        if places.is_empty() {
            return Err(format!("at is empty: list places or write at = \"{EVERYWHERE}\""));
        }
        // The first entry of each table, by column and row.
        let mut tables: Vec<Option<usize>> = vec![None; columns * rows];
        for [column, row] in places {
            if column >= columns || row >= rows {
                return Err(format!(
                    "at [{column}, {row}] the window leaves the board: columns are 0 to {} and \
                     rows 0 to {}",
                    columns - 1,
                    rows - 1
                ));
            }
            let opposite = columns - 1 - column;
            let is_mirrored = window.mirror && column > opposite;
            let column = if is_mirrored { opposite } else { column };
            let table_row = if window.rows == TableRows::Own { row } else { 0 };
            let table = *tables[table_row * columns + column].get_or_insert_with(|| {
                let next = self.entries;
                self.entries += shape.entries();
                next
            });
            self.lookups.push(Lookup { window: index, column, row, is_mirrored, table });
            if self.entries > MAX_PATTERN_ENTRIES || self.lookups.len() > MAX_PATTERN_LOOKUPS {
                return Err(format!(
                    "too large: all windows together have at most {MAX_PATTERN_ENTRIES} table \
                     entries and {MAX_PATTERN_LOOKUPS} places"
                ));
            }
        }
        self.shapes.push(shape);
        Ok(())
    }

    /// Returns the size of the only boards that the windows fit.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Returns the layout's windows as stored in files: cells, places, and sharing of tables.
    #[must_use]
    pub fn windows(&self) -> &[PatternWindow] {
        &self.windows
    }

    /// Returns the parsed shape of each window, in the order of [`PatternLayout::windows`].
    #[must_use]
    pub fn shapes(&self) -> &[WindowShape] {
        &self.shapes
    }

    /// Returns every window at every place on the board, with the index where its table begins.
    #[must_use]
    pub fn lookups(&self) -> &[Lookup] {
        &self.lookups
    }

    /// Returns all places of the window with the index `window`, each with its table.
    pub fn lookups_of(&self, window: usize) -> impl Iterator<Item = &Lookup> {
        self.lookups().iter().filter(move |lookup| lookup.window == window)
    }

    /// Returns the number of entries in all tables of the layout together.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Returns the index of the table entry that each window selects by its cells on `board`.
    #[must_use]
    pub fn indices(&self, board: &Board) -> Vec<u32> {
        debug_assert_eq!(board.size(), self.size);
        let mirrored = mirrored_rows(board.rows(), board.width());
        let index = |lookup: &Lookup| {
            let rows = if lookup.is_mirrored { &mirrored } else { board.rows() };
            lookup.index(&self.shapes[lookup.window], rows)
        };
        self.lookups.iter().map(index).collect()
    }
}

impl Lookup {
    /// Returns the index of the table entry that the window's cells in the board `rows` select.
    #[inline]
    pub(crate) fn index(&self, shape: &WindowShape, rows: &[u16; ROWS]) -> u32 {
        // `rows` are mirrored if the window is.
        let bits = shape.cells.iter().enumerate().map(|(bit, [column, row])| {
            u32::from(rows[self.row + row] >> (self.column + column) & 1) << bit
        });
        self.table as u32 + bits.sum::<u32>()
    }
}

#[must_use]
pub(crate) fn mirrored_rows(rows: &[u16; ROWS], width: usize) -> [u16; ROWS] {
    let beyond = MAX_WIDTH - width;
    rows.map(|row| row.reverse_bits() >> beyond)
}

/// Cell patterns, which value boards: the cells in each window select an entry of a table of
/// integers, and the selected entries are added.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "PatternsText", try_from = "PatternsText")]
pub struct Patterns(Arc<PatternsContents>);

#[derive(Debug)]
struct PatternsContents {
    layout: PatternLayout,
    step: f64,
    tables: Vec<i16>,
    /// Contents of the file of pattern tables: a header and the compressed entries.
    packed: Vec<u8>,
    largest: i64,
}

impl PartialEq for Patterns {
    fn eq(&self, other: &Patterns) -> bool {
        let (own, others) = (&*self.0, &*other.0);
        Arc::ptr_eq(&self.0, &other.0)
            || (own.layout == others.layout
                && own.step == others.step
                && own.tables == others.tables)
    }
}

impl From<Patterns> for PatternsText {
    fn from(patterns: Patterns) -> PatternsText {
        patterns.text(None)
    }
}

impl TryFrom<PatternsText> for Patterns {
    type Error = String;

    fn try_from(text: PatternsText) -> Result<Patterns, String> {
        Patterns::from_text(&text, None)
    }
}

impl Patterns {
    /// Creates cell patterns from the entries of all tables, in the order of the layout.
    pub fn new(
        windows: &[PatternWindow],
        step: f64,
        size: BoardSize,
        tables: Vec<i16>,
    ) -> Result<Patterns, String> {
        let packed = pack(&tables);
        Patterns::from_tables(PatternLayout::new(windows, size)?, step, tables, packed)
    }

    /// Parses cell patterns as stored in a controller file. `file` has the contents of the table
    /// file that `text` names, if any.
    pub fn from_text(text: &PatternsText, file: Option<Vec<u8>>) -> Result<Patterns, String> {
        let size = text.board.parse::<BoardSize>().map_err(|error| error.to_string())?;
        let layout = PatternLayout::new(&text.windows, size)?;
        let packed = match (text.file(), file) {
            (None, _) => decode_base64(&text.tables)?,
            (Some(_), Some(bytes)) => bytes,
            (Some(name), None) => {
                return Err(format!(
                    "tables = \"{}\": this text is no file, so no other file is beside it: give \
                     the bytes of the tables in base64",
                    name.escape_debug()
                ));
            }
        };
        let tables = unpack(&packed, layout.entries)?;
        Patterns::from_tables(layout, text.step, tables, packed)
    }

    fn from_tables(
        layout: PatternLayout,
        step: f64,
        tables: Vec<i16>,
        packed: Vec<u8>,
    ) -> Result<Patterns, String> {
        if tables.len() != layout.entries {
            let (given, needed) = (tables.len(), layout.entries);
            return Err(format!("the tables have {given} entries: the windows need {needed}"));
        }
        if !(step > 0.0 && step.is_finite()) {
            return Err(format!("step is {step:?}: give a positive number, for example 0.001"));
        }
        let largest = |lookup: &Lookup| {
            let entries = &tables[lookup.table..][..layout.shapes[lookup.window].entries()];
            entries.iter().map(|entry| i64::from(entry.unsigned_abs())).max().unwrap_or(0)
        };
        // Many lookups may share a table, so the maximum of each table is computed once.
        let mut largest_entries = BTreeMap::new();
        let sizes = layout
            .lookups
            .iter()
            .map(|lookup| *largest_entries.entry(lookup.table).or_insert_with(|| largest(lookup)));
        let largest = sizes.sum();
        Ok(Patterns(Arc::new(PatternsContents { layout, step, tables, packed, largest })))
    }

    /// Returns the layout of the patterns' windows and tables.
    #[must_use]
    pub fn layout(&self) -> &PatternLayout {
        &self.0.layout
    }

    /// Returns the patterns' windows as stored in files: cells, places, and sharing of tables.
    #[must_use]
    pub fn windows(&self) -> &[PatternWindow] {
        self.0.layout.windows()
    }

    /// Returns the size of the only board that the patterns' windows fit.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.0.layout.size
    }

    /// Returns the factor that converts pattern table entries to units of the controller's weights.
    #[must_use]
    pub fn step(&self) -> f64 {
        self.0.step
    }

    /// Returns the entries of all pattern tables, in steps (the unit of integers in tables).
    #[must_use]
    pub fn tables(&self) -> &[i16] {
        &self.0.tables
    }

    /// Returns an upper bound of a board's absolute pattern value, in units of the table entries.
    #[must_use]
    pub fn largest(&self) -> i64 {
        self.0.largest
    }

    /// Returns the value of `board`, which must have the size of the patterns, in steps (units of
    /// the table entries).
    #[must_use]
    pub fn value(&self, board: &Board) -> i64 {
        let indices = self.0.layout.indices(board);
        indices.iter().map(|&index| i64::from(self.0.tables[index as usize])).sum()
    }

    /// Returns the contents of the patterns' file of tables: a header and the compressed entries.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0.packed
    }

    /// Returns the patterns as stored in files, including their tables if no file is named.
    #[must_use]
    pub fn text(&self, tables: Option<&str>) -> PatternsText {
        PatternsText {
            board: self.size().to_string(),
            step: self.step(),
            tables: tables.map_or_else(|| STANDARD.encode(self.bytes()), str::to_owned),
            windows: self.windows().to_vec(),
        }
    }

    /// Returns the section `[patterns]` of a controller file, which names or includes the `tables`.
    #[must_use]
    pub fn to_toml(&self, tables: Option<&str>) -> String {
        let PatternsText { board, step, tables, windows } = self.text(tables);
        let section =
            format!("[patterns]\nboard = \"{board}\"\nstep = {step}\ntables = \"{tables}\"\n");
        windows.iter().fold(section, |text, window| {
            let at = match &window.at {
                WindowPlaces::Everywhere => format!("\"{EVERYWHERE}\""),
                WindowPlaces::Listed(places) => format!("{places:?}"),
            };
            let PatternWindow { cells, mirror, rows, .. } = window;
            format!(
                "{text}\n[[patterns.windows]]\ncells = \"{cells}\"\nat = {at}\nmirror = {mirror}\n\
                 rows = \"{rows}\"\n"
            )
        })
    }
}

/// First bytes of a file of pattern tables; the last one is the version of the format.
const MAGIC: &[u8; 8] = b"TSTABLE1";

fn pack(tables: &[i16]) -> Vec<u8> {
    let entries: Vec<u8> = tables.iter().flat_map(|entry| entry.to_le_bytes()).collect();
    let mut bytes = MAGIC.to_vec();
    bytes.extend((tables.len() as u32).to_le_bytes());
    bytes.extend(fnv1a(&entries).to_le_bytes());
    let mut encoder = DeflateEncoder::new(&mut bytes, Compression::best());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(&entries);
    let _ = encoder.finish();
    bytes
}

fn unpack(bytes: &[u8], count: usize) -> Result<Vec<i16>, String> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err("tables: no file of pattern tables: name the right file".to_owned());
    };
    let number = |rest: &mut &[u8]| {
        let (number, others) = rest.split_first_chunk()?;
        *rest = others;
        Some(u32::from_le_bytes(*number))
    };
    let mut stream = rest;
    let damaged = || "tables: damaged or cut off: copy the file again".to_owned();
    let given = number(&mut stream).ok_or_else(damaged)? as usize;
    let expected = number(&mut stream).ok_or_else(damaged)?;
    if given != count {
        return Err(format!(
            "tables: {given} entries, but the windows need {count}: name the file that belongs to \
             these windows"
        ));
    }
    let (mut entries, mut decoder) = (vec![0; 2 * count], DeflateDecoder::new(stream));
    decoder.read_exact(&mut entries).map_err(|_| damaged())?;
    let has_ended = matches!(decoder.read(&mut [0]), Ok(0));
    let is_whole = has_ended && decoder.total_in() == stream.len() as u64;
    if !is_whole || fnv1a(&entries) != expected {
        return Err(damaged());
    }
    Ok(entries.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect())
}

fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let text: String = text.split_whitespace().collect();
    STANDARD.decode(text).map_err(|error| {
        format!(
            "tables: neither the name of a file (it has no dot) nor base64 text ({error}): name a \
             file with a dot in its name, such as mine.bin, or give its bytes in base64"
        )
    })
}
