//! Plans which groups of features are swept: one fused pass for the features of well-known
//! controllers, otherwise one pass for each group.

use fearless_simd::Simd;

use super::board_batch::BoardBatch;
use super::groups::*;
use super::slots::FeatureLanes;
use super::sweep::sweep;
use crate::board::{BoardSize, ROWS};
use crate::features::{Feature, rbf_of};
use crate::simd::{self, LANES, Lanes16, Level, VectorJob};

/// Feature groups of Dellacherie's controller, fused into one pass as nested pairs.
type Dellacherie<S> = (RowTransitions<S>, (ColumnTransitions<S>, (Holes<S>, Wells<S>)));
/// Feature groups of BCTS, fused into one pass.
type Bcts<S> = (Dellacherie<S>, HoleDepth<S>);
/// Feature groups of Lee's controller, fused into one pass.
type Lee<S> = (Holes<S>, (CompleteRows<S>, (Heights<S>, Steps<S>)));

/// Defines `Pass` and its tables. Each pass is named after its feature group, or after the
/// controller whose groups it fuses.
macro_rules! passes {
    (
        fused { $($Fused:ident of $parts:tt)+ }
        single { $($Single:ident measures $names:tt)+ }
    ) => {
        /// A pass over the rows of a batch.
        ///
        /// Each pass is a loop over the batch, compiled once for each level. A fused pass computes
        /// several groups and reads each row once. Feature sets without a fused pass take one loop
        /// for each group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Pass {
            $($Fused,)+
            $($Single,)+
            Constant,
        }

        /// Fused passes, each with the single passes that it replaces, the largest first.
        const FUSED: &[(Pass, &[Pass])] = {
            use Pass::*;
            &[$((Pass::$Fused, &$parts)),+]
        };

        /// Single passes, each with the names of the features that it measures.
        ///
        /// A pass measures all features of its group even if only one is needed. They share the
        /// expensive part, the heights or the cover; values that nobody needs are only written.
        const SINGLE: &[(Pass, &[&str])] =
            &[$((Pass::$Single, &$names),)+ (Pass::Constant, &["constant"])];

        impl Pass {
            /// Sweeps the boards of `batch` once for all groups of this pass and writes the values
            /// to `raws`.
            #[inline(always)]
            fn run<S: Simd>(self, simd: S, batch: &BoardBatch, raws: &mut FeatureLanes) {
                match self {
                    $(Pass::$Fused => sweep::<S, $Fused<S>>(simd, batch, raws),)+
                    $(Pass::$Single => sweep::<S, $Single<S>>(simd, batch, raws),)+
                    Pass::Constant => {
                        raws.0[const { super::slots::slot("constant") }] = Lanes16([1; LANES]);
                    }
                }
            }
        }
    };
}

passes! {
    fused {
        Bcts of [RowTransitions, ColumnTransitions, Holes, Wells, HoleDepth]
        Dellacherie of [RowTransitions, ColumnTransitions, Holes, Wells]
        Lee of [Holes, CompleteRows, Heights, Steps]
    }
    single {
        RowTransitions measures ["row_transitions"]
        RowFlips measures ["row_flips_unity"]
        ColumnTransitions measures ["column_transitions"]
        ColumnEdges measures [
            "column_transitions_floor",
            "column_transitions_open",
            "column_transitions_ceiling",
        ]
        Holes measures ["holes", "rows_with_holes"]
        HoleDepth measures ["hole_depth"]
        HoleDepthAll measures ["hole_depth_all"]
        Wells measures ["wells"]
        WellsFast measures ["wells_fast", "well_cells"]
        WellsOpen measures ["wells_open"]
        WellsOpenRestart measures ["wells_open_restart"]
        WellsGuide measures ["wells_guide"]
        Heights measures [
            "aggregate_height",
            "aggregate_top_index",
            "mean_height",
            "max_height",
            "height_range",
            "height",
            "rbf",
        ]
        Steps measures [
            "bumpiness",
            "pattern_diversity",
            "height_diff",
            "wells_by_height",
            "wells_squared",
        ]
        Cells measures ["occupied_cells", "weighted_cells"]
        CompleteRows measures ["complete_rows"]
    }
}

/// Returns passes that together measure every feature for which `uses` returns true.
fn passes(uses: &impl Fn(&str) -> bool) -> Vec<Pass> {
    let needed = |(_, names): &&(Pass, &[&str])| names.iter().any(|name| uses(name));
    let mut passes: Vec<Pass> = SINGLE.iter().filter(needed).map(|&(pass, _)| pass).collect();
    for &(fused, parts) in FUSED {
        // Fused parts leave the list, so that a smaller fused pass does not take them again.
        if parts.iter().all(|part| passes.contains(part)) {
            passes.retain(|pass| !parts.contains(pass));
            passes.push(fused);
        }
    }
    passes
}

/// The passes that measure a set of features at one instruction level. All sweeps go through this
/// type, so that each pass is compiled once for each level.
pub(super) struct Sweeps {
    level: Level,
    passes: Vec<Pass>,
    /// Radial basis functions in use, each with a table of its values indexed by aggregate height.
    rbf: Vec<(Feature, Vec<u16>)>,
}

impl Sweeps {
    /// Selects the fewest passes that measure `features`.
    pub(super) fn new(
        size: BoardSize,
        level: Level,
        features: impl Iterator<Item = Feature> + Clone,
    ) -> Sweeps {
        let uses = |name: &str| features.clone().any(|f| f.definition().name == name);
        let rbf = features.clone().filter(|feature| feature.definition().name == "rbf");
        Sweeps {
            level,
            passes: passes(&uses),
            rbf: rbf.map(|feature| (feature, rbf_table(feature, size))).collect(),
        }
    }

    pub(super) fn run(&self, batch: &BoardBatch, raws: &mut FeatureLanes) {
        simd::run_vectors(self.level, Run { passes: &self.passes, batch, raws });
        for (feature, table) in &self.rbf {
            rbf(raws, batch.count, *feature, table);
        }
    }
}

/// Job that runs `passes` over the boards of `batch`.
struct Run<'a> {
    passes: &'a [Pass],
    batch: &'a BoardBatch,
    raws: &'a mut FeatureLanes,
}

impl VectorJob for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for pass in self.passes {
            pass.run(simd, self.batch, self.raws);
        }
    }
}

/// Returns the values of a radial basis function, indexed by aggregate height.
fn rbf_table(feature: Feature, size: BoardSize) -> Vec<u16> {
    let (width, height) = (size.width(), size.height());
    // All 32 rows, since a stack may exceed the board's height before the game is found lost.
    let largest = (width * ROWS) as i32;
    let value = |sum| rbf_of(sum, width, height, feature.index()) as u16;
    (0..=largest).map(value).collect()
}
