//! A state on the way of a beam, and the steps that its value counts.

use crate::rules::guideline::GuidelineState;

/// Steps in one unit of weight.
///
/// Decimal weights become whole numbers, so that sums do not depend on the order of additions and every machine
/// finds the same maximum.
pub const SCALE: f64 = 1e7;

/// Less than any value.
pub(super) const NONE: i64 = i64::MIN;

/// A state on the way.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// What the placements on the way earned.
    pub(super) reward: i64,
    /// Points of the way, drops left out.
    pub(super) points: u32,
    /// The placement that the way began with.
    pub(super) root: u16,
    /// What a network adds to the value by the terms. Until a network is asked about what follows, it is taken to add the same
    /// there, so that states compete by what it says of those before them.
    pub(super) by_network: i64,
    pub(super) state: GuidelineState,
}
