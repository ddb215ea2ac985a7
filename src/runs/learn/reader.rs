//! Reads the entries of a board's windows, and the values of all placements on the board.

use std::array;
use std::ops::Range;

use crate::board::{Board, MAX_WIDTH, ROWS};
use crate::controller::PatternLayout;
use crate::piece::Orientation;

/// Largest number of bits of a row of windows that are read from one word.
const WORD: usize = u64::BITS as usize;

/// Reader of the windows of a layout.
///
/// Windows of one shape in one row of the board are read together. The cells of these rows are
/// interleaved into a word, column by column, of which every window is a run of bits.
#[derive(Debug)]
pub struct BoardReader {
    width: usize,
    height: usize,
    windows: Vec<Window>,
    rows: Vec<WindowRow>,
    places: Vec<Place>,
    /// For each height of a window: the bits of a row, each moved to its column in a word.
    spreads: Vec<Vec<u64>>,
}

/// One shape of windows.
#[derive(Debug)]
struct Window {
    columns: usize,
    rows: usize,
    cells: Vec<[usize; 2]>,
    /// Index of the spread, for a full rectangle whose rows fit a word.
    spread: Option<usize>,
    mask: u64,
    /// For each row of the board, the index of the first [`WindowRow`] of this window that is not
    /// below it.
    first: [u32; ROWS + 1],
}

/// The windows of one shape whose lowest cells are in one row of the board.
#[derive(Debug)]
struct WindowRow {
    window: usize,
    row: usize,
    /// Their places among all places, by column from the left.
    places: Range<usize>,
    /// For each column, the number of places on its left.
    before: [u16; MAX_WIDTH + 1],
}

/// A window at one place.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// First entry of its table.
    table: u32,
    /// Position of its lowest bit in the word.
    shift: u8,
    /// Column of the window on the board that it reads, which may be mirrored.
    column: u8,
    is_mirrored: bool,
}

/// Rows of a board, and the rows of the mirrored board.
#[derive(Clone, Copy, Debug)]
struct BothRows {
    plain: [u16; ROWS],
    mirrored: [u16; ROWS],
}

impl BothRows {
    fn of(board: &Board) -> BothRows {
        let width = board.width();
        BothRows { plain: *board.rows(), mirrored: board.rows().map(|row| mirror(row, width)) }
    }
}

fn mirror(row: u16, width: usize) -> u16 {
    row.reverse_bits() >> (MAX_WIDTH - width)
}

/// Sums of the entries of one board, from which the values of its placements are computed.
#[derive(Debug)]
pub struct BoardSums {
    rows: BothRows,
    /// Index of the entry of each window, row by row.
    pub indices: Vec<u32>,
    /// For each row of windows: 0, and the sum of its entries up to each place.
    sums: Vec<f32>,
    /// Sum of all entries in the rows of windows before each of them.
    below: Vec<f32>,
    /// Value of the board.
    pub value: f32,
}

impl BoardReader {
    /// Creates the reader of the windows of `layout`.
    #[must_use]
    pub fn new(layout: &PatternLayout) -> BoardReader {
        let (width, height) = (layout.size().width(), layout.size().height());
        let mut reader = BoardReader {
            width,
            height,
            windows: Vec::new(),
            rows: Vec::new(),
            places: Vec::new(),
            spreads: Vec::new(),
        };
        let mut heights = Vec::new();
        for (index, shape) in layout.shapes().iter().enumerate() {
            let spread = (shape.is_full() && width * shape.rows <= WORD).then(|| {
                let known = heights.iter().position(|&rows| rows == shape.rows);
                known.unwrap_or_else(|| {
                    heights.push(shape.rows);
                    reader.spreads.push(spread(width, shape.rows));
                    heights.len() - 1
                })
            });
            let begin = reader.rows.len();
            for row in 0..height {
                let of_row = layout.lookups().iter().filter(|lookup| {
                    lookup.window == index && lookup.row == row
                });
                let mut lookups: Vec<(usize, Place)> = of_row
                    .map(|lookup| {
                        let opposite = width - shape.columns - lookup.column;
                        let on_board = if lookup.is_mirrored { opposite } else { lookup.column };
                        let place = Place {
                            table: lookup.table as u32,
                            shift: (lookup.column * shape.rows).min(WORD - 1) as u8,
                            column: lookup.column as u8,
                            is_mirrored: lookup.is_mirrored,
                        };
                        (on_board, place)
                    })
                    .collect();
                if lookups.is_empty() {
                    continue;
                }
                lookups.sort_by_key(|(column, _)| *column);
                let count = |below| lookups.iter().filter(|(column, _)| *column < below).count();
                let before = array::from_fn(|column| count(column) as u16);
                let from = reader.places.len();
                reader.places.extend(lookups.iter().map(|(_, place)| *place));
                let places = from..reader.places.len();
                reader.rows.push(WindowRow { window: index, row, places, before });
            }
            let own = &reader.rows[begin..];
            let first = array::from_fn(|row| {
                (begin + own.iter().filter(|own| own.row < row).count()) as u32
            });
            reader.windows.push(Window {
                columns: shape.columns,
                rows: shape.rows,
                cells: shape.cells.clone(),
                spread,
                mask: shape.entries() as u64 - 1,
                first,
            });
        }
        reader
    }

    /// Returns the number of windows on the board.
    #[must_use]
    pub fn lookups(&self) -> usize {
        self.places.len()
    }

    /// Creates the sums, to be used for any number of boards.
    #[must_use]
    pub fn sums(&self) -> BoardSums {
        BoardSums {
            rows: BothRows { plain: [0; ROWS], mirrored: [0; ROWS] },
            indices: vec![0; self.places.len()],
            sums: vec![0.0; self.places.len() + self.rows.len()],
            below: vec![0.0; self.rows.len() + 1],
            value: 0.0,
        }
    }

    /// Calls `visit` with the entries of the windows `among` in the row of windows `row`, on the
    /// board `rows`.
    #[inline(always)]
    fn visit(
        &self,
        row: &WindowRow,
        among: Range<usize>,
        rows: &BothRows,
        mut visit: impl FnMut(usize),
    ) {
        let window = &self.windows[row.window];
        let places = &self.places[row.places.start + among.start..row.places.start + among.end];
        if let Some(spread) = window.spread {
            let spread = &self.spreads[spread][..];
            let (mut plain, mut mirrored) = (0, 0);
            for k in 0..window.rows {
                let at = (row.row + k) % ROWS;
                plain |= spread[usize::from(rows.plain[at])] << k;
                mirrored |= spread[usize::from(rows.mirrored[at])] << k;
            }
            for place in places {
                let word = if place.is_mirrored { mirrored } else { plain };
                let index = (word >> place.shift & window.mask) as usize;
                visit(place.table as usize + index);
            }
        } else {
            for place in places {
                let read = if place.is_mirrored { &rows.mirrored } else { &rows.plain };
                let cells = window.cells.iter().enumerate().map(|(bit, [column, up])| {
                    let cell = read[row.row + up] >> (usize::from(place.column) + column) & 1;
                    usize::from(cell) << bit
                });
                visit(place.table as usize + cells.sum::<usize>());
            }
        }
    }

    /// Computes the value of `board` with the entries `tables`, and the sums from which
    /// [`BoardReader::after`] continues.
    pub fn read(&self, board: &Board, tables: &[f32], sums: &mut BoardSums) {
        sums.rows = BothRows::of(board);
        let rows = sums.rows;
        let mut all = 0.0;
        for (number, row) in self.rows.iter().enumerate() {
            let (mut at, mut sum) = (row.places.start, 0.0);
            sums.sums[at + number] = 0.0;
            self.visit(row, 0..row.places.len(), &rows, |index| {
                sum += tables[index];
                sums.indices[at] = index as u32;
                at += 1;
                sums.sums[at + number] = sum;
            });
            all += sum;
            sums.below[number + 1] = all;
        }
        sums.value = all;
    }

    /// Returns the value of the board of `sums` after `piece` was placed with its lowest row at
    /// `row` and its leftmost column at `column`. Bits of `full` are the rows that are then removed.
    #[must_use]
    pub fn after(
        &self,
        sums: &BoardSums,
        tables: &[f32],
        piece: &Orientation,
        (column, row): (usize, usize),
        full: u32,
    ) -> f32 {
        let mut rows = sums.rows;
        let (piece_width, piece_height) = (usize::from(piece.width), usize::from(piece.height));
        for k in 0..piece_height {
            rows.plain[row + k] |= piece.rows[k] << column;
            rows.mirrored[row + k] = mirror(rows.plain[row + k], self.width);
        }
        if full != 0 {
            return self.after_clear(sums, tables, rows, full);
        }
        let mut value = sums.value;
        for window in &self.windows {
            // Windows that read a changed cell.
            let lowest = (row + 1).saturating_sub(window.rows);
            let among = window.first[lowest]..window.first[row + piece_height];
            let left = (column + 1).saturating_sub(window.columns);
            for number in among {
                let number = number as usize;
                let of_row = &self.rows[number];
                let from = usize::from(of_row.before[left]);
                let to = usize::from(of_row.before[column + piece_width]);
                let at = of_row.places.start + number;
                value -= sums.sums[at + to] - sums.sums[at + from];
                self.visit(of_row, from..to, &rows, |index| value += tables[index]);
            }
        }
        value
    }

    /// Returns the value after the rows in `full` are removed from `rows`.
    fn after_clear(
        &self,
        sums: &BoardSums,
        tables: &[f32],
        mut rows: BothRows,
        full: u32,
    ) -> f32 {
        let lowest = full.trailing_zeros() as usize;
        let mut to = lowest;
        for from in lowest..ROWS {
            (rows.plain[to], rows.mirrored[to]) = (rows.plain[from], rows.mirrored[from]);
            to += usize::from(full >> from & 1 == 0);
        }
        rows.plain[to..].fill(0);
        rows.mirrored[to..].fill(0);
        let mut value = 0.0;
        let mut begin = 0;
        for window in &self.windows {
            let changed = window.first[(lowest + 1).saturating_sub(window.rows)] as usize;
            let end = window.first[self.height] as usize;
            value += sums.below[changed] - sums.below[begin];
            for of_row in &self.rows[changed..end] {
                let all = 0..of_row.places.len();
                self.visit(of_row, all, &rows, |index| value += tables[index]);
            }
            begin = end;
        }
        value
    }
}

/// Returns each row of `width` columns with the bit of column c moved to bit c `rows`.
fn spread(width: usize, rows: usize) -> Vec<u64> {
    let bit = |row: usize, column: usize| ((row >> column & 1) as u64) << (column * rows);
    (0..1 << width).map(|row| (0..width).map(|column| bit(row, column)).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{PatternWindow, TableRows, WindowPlaces};
    use crate::piece::Piece;
    use crate::placement::Placements;
    use crate::queue::{Queue, QueueKind};
    use crate::rng::{Purpose, Stream};
    use crate::rules::Rules;

    fn window(cells: &str, mirror: bool, rows: TableRows) -> PatternWindow {
        PatternWindow { cells: cells.to_owned(), at: WindowPlaces::Everywhere, mirror, rows }
    }

    /// Every value equals the sum of the entries that the layout names, for boards of random games.
    /// Entries are integers, so sums in single precision are exact.
    #[test]
    fn values_are_those_of_the_layout() {
        let listed = PatternWindow {
            at: WindowPlaces::Listed(vec![[6, 3], [0, 0], [1, 3], [0, 5]]),
            ..window("2x5", true, TableRows::Own)
        };
        let windows = [
            window("3x3", true, TableRows::Own),
            window("4x2", false, TableRows::Shared),
            window("##./.##", true, TableRows::Own),
            window("1x10", true, TableRows::Own),
            listed,
        ];
        let layout = PatternLayout::new(&windows, "8x10".parse().unwrap()).unwrap();
        let mut stream = Stream::new(3, Purpose::Choices, 0);
        let tables: Vec<f32> =
            (0..layout.entries()).map(|_| stream.below(201) as f32 - 100.0).collect();
        let value = |board: &Board| -> f32 {
            layout.indices(board).iter().map(|&index| tables[index as usize]).sum()
        };
        let (reader, placements) = (BoardReader::new(&layout), Placements::new(8));
        let (mut sums, mut candidates) = (reader.sums(), Vec::new());
        let (mut board, mut queue) =
            (Board::empty(layout.size()), Queue::new(QueueKind::Uniform, 1, 0));
        let (rules, mut cleared) = (Rules::simplified(), 0);
        for _ in 0..2_000 {
            let piece: Piece = queue.deal().unwrap();
            reader.read(&board, &tables, &mut sums);
            assert_eq!(sums.value, value(&board));
            let mut expected = layout.indices(&board);
            let mut indices = sums.indices.clone();
            expected.sort_unstable();
            indices.sort_unstable();
            assert_eq!(indices, expected);
            rules.candidates(&placements, &board, piece, &mut candidates);
            let mut best: Option<(u8, Board)> = None;
            for candidate in &candidates {
                let mut after = board;
                let step = rules.place(&mut after, piece, *candidate);
                if step.lost {
                    continue;
                }
                let locked = candidate.lock(&board, piece);
                let full = locked.full_rows();
                let at = (usize::from(candidate.placement.column), usize::from(candidate.row));
                let found = reader.after(&sums, &tables, candidate.shape(piece), at, full);
                assert_eq!(found, value(&after), "{board}{candidate:?}");
                cleared += u32::from(full != 0);
                // The lowest stack makes games long enough for cleared rows.
                if best.as_ref().is_none_or(|(stack, _)| step.stack < *stack) {
                    best = Some((step.stack, after));
                }
            }
            board = best.map_or(Board::empty(board.size()), |(_, after)| after);
        }
        assert!(cleared > 100, "{cleared}");
    }
}
