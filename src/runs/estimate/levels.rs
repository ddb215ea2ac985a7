//! Defines the levels of importance at which games split into copies, and the number of copies.

use serde::{Deserialize, Serialize};

/// Levels of importance, numbered from 1, at which a path (a game in progress) splits. A path that
/// rises to level i becomes `factors[i - 1]` paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Levels {
    /// Smallest importance that belongs to each level, ascending.
    pub thresholds: Vec<usize>,
    /// Splitting factor of each level: the number of paths that one path becomes on reaching it.
    pub factors: Vec<u32>,
}

impl Levels {
    /// Returns the level of the importance `grade`, or 0 if it is below all thresholds.
    #[must_use]
    pub fn of(&self, grade: usize) -> usize {
        self.thresholds.partition_point(|&threshold| threshold <= grade)
    }

    /// Returns the number of levels, without level 0.
    #[must_use]
    pub fn count(&self) -> usize {
        self.thresholds.len()
    }

    /// Returns the weight of a path (a game in progress) in each level, beginning with level 0. The
    /// weight is one divided by the number of paths that one unsplit path has become there.
    ///
    /// ```text
    /// factors   3    2    4         a path of level 2 is one of 3 x 2 paths there,
    /// weights 1 1/3  1/6  1/24      so that its death counts a sixth
    /// ```
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let mut paths = 1.0;
        std::iter::once(1.0)
            .chain(self.factors.iter().map(|&factor| {
                paths *= f64::from(factor);
                1.0 / paths
            }))
            .collect()
    }
}
