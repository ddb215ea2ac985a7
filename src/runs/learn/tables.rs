//! Tables that learn, and their union after a round.

use rayon::prelude::*;

/// Number of entries in a block, the unit in which changes are tracked: a cache line.
const BLOCK: usize = 16;
/// Number of entries in a chunk, the unit of parallel work; a multiple of [`BLOCK`].
const CHUNK: usize = 1024 * BLOCK;

/// Entries of all tables, with what their own rates need.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedTables {
    /// Values, in lines.
    pub values: Vec<f32>,
    /// For each entry, the sum of the errors that changed it. Empty without own rates.
    pub errors: Vec<f32>,
    /// For each entry, the sum of the absolute errors that changed it. Empty without own rates.
    pub sizes: Vec<f32>,
}

impl LearnedTables {
    /// Creates tables with the entries `values`.
    #[must_use]
    pub fn new(values: Vec<f32>, has_own_rates: bool) -> LearnedTables {
        let zeros = vec![0.0; if has_own_rates { values.len() } else { 0 }];
        LearnedTables { values, errors: zeros.clone(), sizes: zeros }
    }

    /// Returns all arrays in a fixed order.
    pub(super) fn arrays(&self) -> [&Vec<f32>; 3] {
        [&self.values, &self.errors, &self.sizes]
    }

    /// Returns the array with the number `array` in [`LearnedTables::arrays`] for writing.
    pub(super) fn array_mut(&mut self, array: usize) -> &mut Vec<f32> {
        match array {
            0 => &mut self.values,
            1 => &mut self.errors,
            _ => &mut self.sizes,
        }
    }
}

/// Copy of the tables in which one stream learns.
#[derive(Debug)]
pub(super) struct OwnTables {
    pub(super) tables: LearnedTables,
    /// For each block, 1 if the stream has changed an entry since the last union.
    touched: Vec<u8>,
}

impl OwnTables {
    pub(super) fn of(tables: &LearnedTables) -> OwnTables {
        let touched = vec![0; tables.values.len().div_ceil(BLOCK)];
        OwnTables { tables: tables.clone(), touched }
    }

    /// Adds `rate * error` to the entries `indices`, or less by the own rate of each entry.
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

/// Rule by which the changes of streams to an entry are combined.
#[derive(Clone, Copy, Debug)]
enum Union {
    /// The mean over the streams that changed the entry.
    Mean,
    /// The sum over all streams.
    Sum,
}

/// Combines the changes of all streams. `shared` holds the tables of the last union, and afterwards
/// `shared` and all copies hold the new ones.
pub(super) fn unite(shared: &mut LearnedTables, copies: &mut [&mut OwnTables]) {
    let blocks = shared.values.len().div_ceil(BLOCK);
    let touched: Vec<u8> = (0..blocks)
        .map(|block| copies.iter().fold(0, |any, copy| any | copy.touched[block]))
        .collect();
    copies.iter_mut().for_each(|copy| copy.touched.fill(0));
    for (array, union) in [Union::Mean, Union::Sum, Union::Sum].into_iter().enumerate() {
        let own = copies.iter_mut().map(|copy| &mut copy.tables.array_mut(array)[..]);
        let own = own.collect();
        unite_array(shared.array_mut(array), own, &touched, union);
    }
}

/// Combines one array of all streams, in the blocks that are `touched`.
fn unite_array(shared: &mut [f32], copies: Vec<&mut [f32]>, touched: &[u8], union: Union) {
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
                    let change = match union {
                        Union::Mean => sum / count,
                        Union::Sum => sum,
                    };
                    shared[index] = before + change;
                    copies.iter_mut().for_each(|copy| copy[index] = before + change);
                }
            }
        }
    });
}

/// Moves `average` towards `values` by the share `rate` of their difference.
pub(super) fn approach(average: &mut [f32], values: &[f32], rate: f32) {
    average.par_chunks_mut(CHUNK).zip(values.par_chunks(CHUNK)).for_each(|(average, values)| {
        for (average, value) in average.iter_mut().zip(values) {
            *average += rate * (value - *average);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two of three streams change an entry, one changes another, and nobody the rest.
    #[test]
    fn entries_become_the_mean_of_the_streams_that_changed_them() {
        let mut shared = LearnedTables::new(vec![1.0; CHUNK + 10], true);
        let mut copies: Vec<OwnTables> = (0..3).map(|_| OwnTables::of(&shared)).collect();
        copies[0].learn(&[0, CHUNK as u32 + 9], 1.0, 2.0);
        copies[1].learn(&[0], 1.0, -1.0);
        copies[2].learn(&[1], 0.5, 1.0);
        let mut all: Vec<&mut OwnTables> = copies.iter_mut().collect();
        unite(&mut shared, &mut all);
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
}
