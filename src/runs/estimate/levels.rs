//! Defines the levels of importance at which paths split, and their splitting factors.

use serde::{Deserialize, Serialize};

/// Levels 1, 2, ... of importance. A path that rises to level i becomes `factors[i - 1]` paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Levels {
    /// Smallest importance of each level, ascending.
    pub thresholds: Vec<usize>,
    /// Number of paths that one path becomes at each level.
    pub factors: Vec<u32>,
}

impl Levels {
    /// Returns the level of an importance, 0 if it is below all thresholds.
    #[must_use]
    pub fn of(&self, grade: usize) -> usize {
        self.thresholds.partition_point(|&threshold| threshold <= grade)
    }

    /// Returns the number of levels, without level 0.
    #[must_use]
    pub fn count(&self) -> usize {
        self.thresholds.len()
    }

    /// Returns the weight of a path in each level, from level 0: one divided by the number of paths
    /// that the main path has become there.
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
