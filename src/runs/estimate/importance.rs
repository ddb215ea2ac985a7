//! Defines the importance of a board: measures of how close it is to the end of the game.

use serde::{Deserialize, Serialize};

tetrastat_core::names! {
    /// Measure that defines the levels of splitting: a whole number that tends to rise before a
    /// game ends.
    ///
    /// An estimate is unbiased with any measure; the choice only changes the cost of the estimate.
    /// Cost is measured as pieces x relative variance. For `bcts` on 10x20 with greedy search, it
    /// was 65,000 by height, 26,000 by cells and 40,000 by value. A value takes twice as long to
    /// compute, so `Cells` is the default.
    ///
    /// For `tetrastat-blitz-greedy` in guideline games (about 13,000 lines), play without splitting
    /// suffices. It takes 1.2, 1.1 and 0.5 times the pieces of splitting by cells, height and
    /// holes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Importance as "importance" {
        /// Number of filled cells, which measures how full a board is in the finest steps.
        #[default]
        Cells = "cells",
        /// Height of the stack, in rows.
        Height = "height",
        /// Cost of the board: the negative score by the controller's features, in eighths of the
        /// sum of the absolute weights. For classic games only.
        Value = "value",
        /// Number of holes: empty cells with a filled cell above.
        Holes = "holes",
    }
}
