//! Defines a state in a beam, and the unit of its value.

use crate::rules::guideline::GuidelineState;

/// Number of steps in one unit of weight.
///
/// Decimal weights become integers, so sums do not depend on the order of additions, and every
/// machine finds the same maximum.
pub const SCALE: f64 = 1e7;

/// Marker for a missing value, below every value.
pub(super) const NONE: i64 = i64::MIN;

/// A state in a beam, with the sums over the placements that lead to it.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// Sum of the rewards of the placements that lead to the state.
    pub(super) reward: i64,
    /// Sum of the points of the placements that lead to the state, without points of drops.
    pub(super) points: u32,
    /// Index of the first placement that leads to the state.
    pub(super) root: u16,
    /// Amount that the network adds to the value by the terms. Later states inherit the amount
    /// until the network values them, so until then they compete by the value of their
    /// predecessors.
    pub(super) by_network: i64,
    pub(super) state: GuidelineState,
}
