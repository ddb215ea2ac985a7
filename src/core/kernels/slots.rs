//! Where each feature's raw values are kept: registry order, then the indexed ones.

use crate::board::MAX_WIDTH;
use crate::features::{Feature, REGISTRY, same_name};
use crate::simd::Line;

/// The slot of a feature without index, by name, at compile time.
///
/// In `const` blocks a feature that does not exist is an error of the compiler and not of a game.
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

/// First of the slots of `height_0`, `height_1`, ...; likewise those of `height_diff_k` and `rbf_k`.
///
/// ```text
/// 0 ... REGISTRY.len()-1 | HEIGHT .. +15 | HEIGHT_DIFF .. +15 | RBF .. +4 | NOTHING
/// features by name       | by column     | by left column     | by centre | 0
/// ```
pub(super) const HEIGHT: usize = REGISTRY.len();
/// First of those of the steps between neighbouring columns, by the left one.
pub(super) const HEIGHT_DIFF: usize = HEIGHT + MAX_WIDTH;
/// First of those of the radial functions of the mean height, by centre.
pub(super) const RBF: usize = HEIGHT_DIFF + MAX_WIDTH;
/// One more than the slots of features: the last is always zero.
pub(super) const SLOTS: usize = RBF + 6;
/// The partner of a feature that is left over when features are weighted in pairs: it adds 0.
pub(super) const NOTHING: usize = SLOTS - 1;

/// The slot of any feature.
pub(super) fn slot_of(feature: Feature) -> usize {
    let base = match feature.definition().name {
        "height" => HEIGHT,
        "height_diff" => HEIGHT_DIFF,
        "rbf" => RBF,
        name => slot(name),
    };
    base + feature.index()
}

/// Raw values, one line of lanes for every feature; only those of the evaluator are written.
pub(super) struct Raws(pub(super) [Line; SLOTS]);

impl Raws {
    /// All values 0, as [`NOTHING`] stays.
    pub(super) const ZERO: Raws = Raws([Line::ZERO; SLOTS]);
}
