//! Tables that learn, the combination of the streams' copies, and the entries that a board selects.

use rayon::prelude::*;

use crate::board::{MAX_WIDTH, ROWS};
use crate::controller::{Lookup, PatternLayout, TableRows};
use crate::prelude::*;

/// Number of table entries in a block, the unit in which changed entries are tracked.
const BLOCK: usize = 16;
/// Number of table entries in a chunk, the unit of work for one thread.
const CHUNK: usize = 1024 * BLOCK;

/// Learned table entries, and sums of errors that give each entry its own learning rate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LearnedTables {
    pub(super) values: Vec<f32>,
    /// Sums of the errors that corrected each table entry; empty if all entries learn at one rate.
    pub(super) errors: Vec<f32>,
    /// Sums of the errors' absolute values for each entry; empty if all entries learn at one rate.
    pub(super) sizes: Vec<f32>,
}

impl LearnedTables {
    pub(super) fn new(values: Vec<f32>, has_own_rates: bool) -> LearnedTables {
        let zeros = vec![0.0; if has_own_rates { values.len() } else { 0 }];
        LearnedTables { values, errors: zeros.clone(), sizes: zeros }
    }

    pub(super) fn arrays(&self) -> [&Vec<f32>; 3] {
        [&self.values, &self.errors, &self.sizes]
    }

    pub(super) fn array_mut(&mut self, array: usize) -> &mut Vec<f32> {
        match array {
            0 => &mut self.values,
            1 => &mut self.errors,
            _ => &mut self.sizes,
        }
    }
}

#[derive(Debug)]
pub(super) struct StreamTables {
    pub(super) tables: LearnedTables,
    /// Flags of blocks of table entries: 1 if the stream changed the block since the last merge.
    touched: Vec<u8>,
}

impl StreamTables {
    pub(super) fn new(tables: &LearnedTables) -> StreamTables {
        let touched = vec![0; tables.values.len().div_ceil(BLOCK)];
        StreamTables { tables: tables.clone(), touched }
    }

    #[inline]
    pub(super) fn learn(&mut self, indices: &[u32], rate: f32, error: f32) {
        let LearnedTables { values, errors, sizes } = &mut self.tables;
        let change = rate * error;
        if errors.is_empty() {
            for &index in indices {
                let index = index as usize;
                values[index] += change;
                self.touched[index / BLOCK] = 1;
            }
            return;
        }
        for &index in indices {
            let index = index as usize;
            let (sum, size) = (errors[index], sizes[index]);
            let own = if size > 0.0 { sum.abs() / size } else { 1.0 };
            values[index] += change * own;
            errors[index] = sum + error;
            sizes[index] = size + error.abs();
            self.touched[index / BLOCK] = 1;
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Combination {
    Mean,
    Sum,
}

/// Merges the changes of the streams' tables (`copies`) into `shared` and into every copy.
pub(super) fn combine(shared: &mut LearnedTables, copies: &mut [&mut StreamTables]) {
    let blocks = shared.values.len().div_ceil(BLOCK);
    let touched: Vec<u8> = (0..blocks)
        .map(|block| copies.iter().fold(0, |any, copy| any | copy.touched[block]))
        .collect();
    copies.iter_mut().for_each(|copy| copy.touched.fill(0));
    for (array, combination) in
        [Combination::Mean, Combination::Sum, Combination::Sum].into_iter().enumerate()
    {
        let own = copies.iter_mut().map(|copy| &mut copy.tables.array_mut(array)[..]);
        let own = own.collect();
        combine_array(shared.array_mut(array), own, &touched, combination);
    }
}

fn combine_array(
    shared: &mut [f32],
    copies: Vec<&mut [f32]>,
    touched: &[u8],
    combination: Combination,
) {
    let mut parts: Vec<(&mut [f32], Vec<&mut [f32]>)> =
        shared.chunks_mut(CHUNK).map(|chunk| (chunk, Vec::new())).collect();
    for copy in copies {
        for ((_, own), chunk) in parts.iter_mut().zip(copy.chunks_mut(CHUNK)) {
            own.push(chunk);
        }
    }
    let touched = touched.par_chunks(CHUNK / BLOCK);
    parts.into_par_iter().zip(touched).for_each(|((shared, mut copies), touched)| {
        for block in (0..touched.len()).filter(|&block| touched[block] != 0) {
            for index in block * BLOCK..((block + 1) * BLOCK).min(shared.len()) {
                let before = shared[index];
                let (mut sum, mut count) = (0.0, 0.0);
                for copy in &copies {
                    let change = copy[index] - before;
                    if change != 0.0 {
                        sum += change;
                        count += 1.0;
                    }
                }
                if count > 0.0 {
                    let change = match combination {
                        Combination::Mean => sum / count,
                        Combination::Sum => sum,
                    };
                    shared[index] = before + change;
                    copies.iter_mut().for_each(|copy| copy[index] = before + change);
                }
            }
        }
    });
}

pub(super) fn move_towards(average: &mut [f32], values: &[f32], rate: f32) {
    average.par_chunks_mut(CHUNK).zip(values.par_chunks(CHUNK)).for_each(|(average, values)| {
        for (average, value) in average.iter_mut().zip(values) {
            *average += rate * (value - *average);
        }
    });
}

/// Finder of the table entries that a board selects, a fast version of [`PatternLayout::indices`].
/// Full rectangular windows in the same board rows are read from one word of interleaved cells.
#[derive(Debug)]
pub(super) struct WindowFinder {
    layout: PatternLayout,
    width: usize,
    rows: Vec<WindowRow>,
    places: Vec<Place>,
    /// For each window height, a table of all board rows with their bits `height` places apart.
    spreads: Vec<Vec<u64>>,
    others: Vec<Lookup>,
    has_shared_rows: bool,
}

#[derive(Debug)]
struct WindowRow {
    row: usize,
    height: usize,
    mask: u64,
    spread: usize,
    /// Exclusive end of this board row's windows in the list `places`.
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    table: u32,
    shift: u8,
    is_mirrored: bool,
}

impl WindowFinder {
    pub(super) fn new(layout: &PatternLayout) -> WindowFinder {
        let width = layout.size().width();
        let (mut rows, mut places, mut others) = (Vec::new(), Vec::new(), Vec::new());
        let (mut heights, mut spreads) = (Vec::new(), Vec::new());
        for (index, shape) in layout.shapes().iter().enumerate() {
            let of_shape = || layout.lookups_of(index);
            if !shape.is_full() || width * shape.rows > u64::BITS as usize {
                others.extend(of_shape().copied());
                continue;
            }
            let known = heights.iter().position(|&height| height == shape.rows);
            let spread = known.unwrap_or_else(|| {
                heights.push(shape.rows);
                spreads.push(spread(width, shape.rows));
                heights.len() - 1
            });
            for row in 0..layout.size().height() {
                let before = places.len();
                places.extend(of_shape().filter(|lookup| lookup.row == row).map(|lookup| Place {
                    table: lookup.table as u32,
                    shift: (lookup.column * shape.rows) as u8,
                    is_mirrored: lookup.is_mirrored,
                }));
                if places.len() > before {
                    let (mask, end) = (shape.entries() as u64 - 1, places.len());
                    rows.push(WindowRow { row, height: shape.rows, mask, spread, end });
                }
            }
        }
        let has_shared_rows =
            layout.windows().iter().any(|window| window.rows == TableRows::Shared);
        let layout = layout.clone();
        WindowFinder { layout, width, rows, places, spreads, others, has_shared_rows }
    }

    /// Returns the divisor of a board's learning rate: the sum of n^2 over the table entries that
    /// `indices` has n times. Without shared tables, the number of windows is enough.
    pub(super) fn divisor(&self, indices: &[u32]) -> usize {
        if !self.has_shared_rows {
            return self.count();
        }
        let mut sorted = indices.to_vec();
        sorted.sort_unstable();
        let times = sorted.chunk_by(|one, other| one == other);
        times.map(|same| same.len() * same.len()).sum()
    }

    pub(super) fn count(&self) -> usize {
        self.places.len() + self.others.len()
    }

    pub(super) fn find(&self, board: &Board, indices: &mut Vec<u32>) {
        indices.clear();
        let plain = board.rows();
        let mirrored = plain.map(|row| row.reverse_bits() >> (MAX_WIDTH - self.width));
        let mut begin = 0;
        for row in &self.rows {
            let spread = &self.spreads[row.spread][..];
            let mut words = [0, 0];
            for k in 0..row.height {
                let at = (row.row + k) % ROWS;
                words[0] |= spread[usize::from(plain[at])] << k;
                words[1] |= spread[usize::from(mirrored[at])] << k;
            }
            indices.extend(self.places[begin..row.end].iter().map(|place| {
                let word = words[usize::from(place.is_mirrored)];
                place.table + (word >> place.shift & row.mask) as u32
            }));
            begin = row.end;
        }
        indices.extend(self.others.iter().map(|lookup| {
            let rows = if lookup.is_mirrored { &mirrored } else { plain };
            let cells = self.layout.shapes()[lookup.window].cells.iter().enumerate();
            let bits = cells.map(|(bit, [column, row])| {
                u32::from(rows[lookup.row + row] >> (lookup.column + column) & 1) << bit
            });
            lookup.table as u32 + bits.sum::<u32>()
        }));
    }
}

/// Returns for every row of `width` cells its bits spread `height` places apart.
fn spread(width: usize, height: usize) -> Vec<u64> {
    let bit = |row: usize, column: usize| ((row >> column & 1) as u64) << (column * height);
    (0..1 << width).map(|row| (0..width).map(|column| bit(row, column)).sum()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::{PatternWindow, TableRows, WindowPlaces};
    use crate::rng::{Purpose, Stream};

    #[test]
    fn entries_become_the_mean_of_the_streams_that_changed_them() {
        let mut shared = LearnedTables::new(vec![1.0; CHUNK + 10], true);
        let mut copies: Vec<StreamTables> = (0..3).map(|_| StreamTables::new(&shared)).collect();
        copies[0].learn(&[0, CHUNK as u32 + 9], 1.0, 2.0);
        copies[1].learn(&[0], 1.0, -1.0);
        copies[2].learn(&[1], 0.5, 1.0);
        let mut all: Vec<&mut StreamTables> = copies.iter_mut().collect();
        combine(&mut shared, &mut all);
        assert_eq!(shared.values[..3], [1.5, 1.5, 1.0]);
        assert_eq!(shared.values[CHUNK + 9], 3.0);
        assert_eq!((shared.errors[0], shared.sizes[0]), (1.0, 3.0));
        for copy in &copies {
            assert_eq!(copy.tables, shared);
            assert!(copy.touched.iter().all(|&touched| touched == 0));
        }
        // The own rate of entry 0 is 1/3.
        copies[0].learn(&[0], 1.0, 3.0);
        assert_eq!(copies[0].tables.values[0], 1.5 + 1.0);
    }

    fn window(cells: &str, mirror: bool, rows: TableRows) -> PatternWindow {
        PatternWindow { cells: cells.to_owned(), at: WindowPlaces::Everywhere, mirror, rows }
    }

    #[test]
    fn entries_are_those_of_the_layout() {
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
        let size = "8x10".parse().unwrap();
        let layout = PatternLayout::new(&windows, size).unwrap();
        let (finder, mut found) = (WindowFinder::new(&layout), Vec::new());
        assert!(!finder.others.is_empty() && !finder.places.is_empty());
        let mut stream = Stream::new(3, Purpose::Choices, 0);
        for _ in 0..200 {
            let rows: Vec<u16> = (0..10).map(|_| stream.below(255) as u16).collect();
            let board = Board::from_rows(size, &rows).unwrap();
            finder.find(&board, &mut found);
            let mut expected = layout.indices(&board);
            assert_eq!(found.len(), finder.count());
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn divisors_count_how_often_entries_are_selected() {
        let size = "4x6".parse().unwrap();
        let finder = |rows| {
            WindowFinder::new(&PatternLayout::new(&[window("2x2", false, rows)], size).unwrap())
        };
        let (own, shared) = (finder(TableRows::Own), finder(TableRows::Shared));
        assert_eq!((own.count(), shared.count()), (15, 15));
        let mut indices = Vec::new();
        shared.find(&Board::empty(size), &mut indices);
        // Each of three columns selects its entry for empty windows in five rows.
        assert_eq!((own.divisor(&indices), shared.divisor(&indices)), (15, 3 * 25));
        // A block in the corner changes two windows of each of two columns.
        let board = Board::from_rows(size, &[0b0001, 0b0001]).unwrap();
        shared.find(&board, &mut indices);
        assert_eq!(shared.divisor(&indices), (3 * 3 + 1 + 1) + 25 + 25);
    }
}
