//! Defines measures of how close a board is to the end of the game.

use serde::{Deserialize, Serialize};

tetrastat_core::names! {
    /// Measure that defines the levels of splitting: a whole number that tends to rise before a
    /// game ends.
    ///
    /// An estimate is unbiased with any measure; the choice only changes its cost. For `bcts` on
    /// 10x20, greedy, pieces x relative variance were 65,000 by height, 26,000 by cells and 40,000
    /// by value. A value takes twice as long to compute, so cells is the default.
    ///
    /// Plain play suffices for `tetrastat-blitz-greedy` in guideline games (about 13,000 lines): it
    /// takes 1.2, 1.1 and 0.5 times the pieces of splitting by cells, height and holes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Importance as "importance" {
        /// Number of filled cells, the measure with the finest steps of how full a board is.
        #[default]
        Cells = "cells",
        /// Height of the stack, in rows.
        Height = "height",
        /// Cost of the board by the controller's features, in eighths of the sum of its weights;
        /// classic games only.
        Value = "value",
        /// Number of empty cells with a filled cell above.
        Holes = "holes",
    }
}
