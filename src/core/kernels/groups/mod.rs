//! Defines the groups of features that share a pass over the rows.

mod cells;
mod counter;
mod heights;
mod holes;
mod transitions;
mod wells;

pub(super) use cells::{Cells, CompleteRows};
pub(super) use heights::{Heights, Steps, Surfaces, rbf};
pub(super) use holes::{HoleDepth, HoleDepthAll, Holes};
pub(super) use transitions::{ColumnEdges, ColumnTransitions, RowFlips, RowTransitions};
pub(super) use wells::{Wells, WellsFast, WellsGuide, WellsOpen, WellsOpenRestart};
