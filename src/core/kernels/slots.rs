//! Assigns each feature a slot for its raw values: features in registry order, then the indexed
//! ones.

use crate::board::MAX_WIDTH;
use crate::features::{Feature, REGISTRY, same_name};
use crate::simd::Lanes16;

/// Returns the slot of the feature `name`, which has no index.
///
/// An unknown name in a `const` block is a compile error.
pub(super) const fn slot(name: &str) -> usize {
    let mut index = 0;
    while index < REGISTRY.len() {
        if same_name(REGISTRY[index].name, name) {
            return index;
        }
        index += 1;
    }
    panic!("no such feature")
}

/// First slot of `height_0`, `height_1`, ...
///
/// ```text
/// 0 ... REGISTRY.len()-1 | HEIGHT .. +15 | HEIGHT_DIFF .. +15 | RBF .. +4 | NOTHING
/// features by name       | by column     | by left column     | by centre | 0
/// ```
pub(super) const HEIGHT: usize = REGISTRY.len();
/// First slot of the steps between neighbouring columns, by the left one.
pub(super) const HEIGHT_DIFF: usize = HEIGHT + MAX_WIDTH;
/// First slot of the radial basis functions of the mean height, by centre.
pub(super) const RBF: usize = HEIGHT_DIFF + MAX_WIDTH;
/// Number of slots: one for each feature, and a last one that is always zero.
pub(super) const SLOTS: usize = RBF + 6;
/// Slot that always holds 0: the partner of the last feature if features are weighted in pairs.
pub(super) const ZERO_SLOT: usize = SLOTS - 1;

pub(super) fn slot_of(feature: Feature) -> usize {
    let base = match feature.definition().name {
        "height" => HEIGHT,
        "height_diff" => HEIGHT_DIFF,
        "rbf" => RBF,
        name => slot(name),
    };
    base + feature.index()
}

/// Raw values of all features, one lane for each placement or board; only slots in use are written.
pub(super) struct FeatureLanes(pub(super) [Lanes16; SLOTS]);

impl FeatureLanes {
    pub(super) const ZERO: FeatureLanes = FeatureLanes([Lanes16::ZERO; SLOTS]);
}
