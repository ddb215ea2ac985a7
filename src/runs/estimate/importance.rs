//! How near a board is to the end of the game.

use serde::{Deserialize, Serialize};

tetrastat_core::names! {
    /// What levels are levels of: a whole number that tends to rise before a game ends.
    ///
    /// An estimate is unbiased whatever the choice; the choice decides how much it costs. For `bcts` on
    /// 10x20, greedy, pieces x relative variance were 65,000 by height, 26,000 by cells and 40,000 by value, and
    /// a value takes twice as long to compute: cells is the default. For `tetrastat-blitz-greedy` in guideline games, whose mean
    /// plain play finds as well (some 13,000 lines), it would take 1.2, 1.1 and 0.5 times the pieces by cells, height and holes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Importance as "importance" {
        /// Filled cells: of all measures of how full a board is the one with the finest steps.
        #[default]
        Cells = "cells",
        /// Height of the stack, in rows.
        Height = "height",
        /// What the controller's features of the board cost, in eighths of the sum of its weights; of classic games
        /// alone.
        Value = "value",
        /// Empty cells with a filled cell above.
        Holes = "holes",
    }
}
