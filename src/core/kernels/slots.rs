//! Assigns each feature a slot: the index of its raw values in `FeatureLanes`. Features without an
//! index come first, in registry order, then the indexed ones.

use crate::board::MAX_WIDTH;
use crate::features::{Feature, REGISTRY, same_name};
use crate::simd::Lanes16;

/// Returns the slot of the feature `name`, for features without an index (unlike `height_0`).
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
/// 0 ... REGISTRY.len()-1 | HEIGHT .. +15 | HEIGHT_DIFF .. +15 | RBF .. +4 | SURFACE
/// features by name       | by column     | by left column     | by centre
/// ```
pub(super) const HEIGHT: usize = REGISTRY.len();
/// First slot of `height_diff_0`, `height_diff_1`, ...: height steps between two neighbouring
/// columns, indexed by the left one.
pub(super) const HEIGHT_DIFF: usize = HEIGHT + MAX_WIDTH;
/// First slot of `rbf_0`, `rbf_1`, ...: radial basis functions of the mean height, indexed by their
/// centres.
pub(super) const RBF: usize = HEIGHT_DIFF + MAX_WIDTH;
/// First slot of the properties of the surface, except heights, which share the slots of features.
pub(super) const SURFACE: usize = RBF + 5;
/// Number of slots: one for each feature and property.
pub(super) const SLOTS: usize = SURFACE + 6;

pub(super) fn slot_of(feature: Feature) -> usize {
    let base = match feature.definition().name {
        "height" => HEIGHT,
        "height_diff" => HEIGHT_DIFF,
        "rbf" => RBF,
        name => slot(name),
    };
    base + feature.index()
}

/// Raw values of all features, indexed by slot. Each slot has one value for each placement or
/// board; only slots in use are written.
pub(super) struct FeatureLanes(pub(super) [Lanes16; SLOTS]);

impl FeatureLanes {
    pub(super) const ZERO: FeatureLanes = FeatureLanes([Lanes16::ZERO; SLOTS]);
}
