//! Which groups of features an evaluator sweeps: the sets of well-known controllers in one fused pass,
//! any other set in one pass per group.

use super::board_batch::BoardBatch;
use super::groups::*;
use super::slots::Raws;
use super::sweep::sweep;
use crate::board::{BoardSize, ROWS};
use crate::features::{Feature, rbf_of};
use crate::simd::{self, LANES, Lanes, LanesJob, Level, Line};

/// Groups as nested pairs: the sets of well-known controllers, which read every row once.
type Dellacherie<V> = (RowTransitions<V>, (ColumnTransitions<V>, (Holes<V>, Wells<V>)));
type Bcts<V> = (Dellacherie<V>, HoleDepth<V>);
type Lee<V> = (Holes<V>, (CompleteRows<V>, (Heights<V>, Steps<V>)));

/// Lists the passes: each has the name of its groups.
macro_rules! passes {
    (
        fused { $($Fused:ident of $parts:tt)+ }
        single { $($Single:ident measures $names:tt)+ }
    ) => {
        /// One pass over the rows of a batch.
        ///
        /// A pass is a loop of its own over the batch, compiled once for each level. Fused ones are tuples of
        /// groups that read each row once; every set of features that is none of theirs pays one loop for each group.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Pass {
            $($Fused,)+
            $($Single,)+
            Constant,
        }

        /// Fused passes with their parts, the largest first.
        const FUSED: &[(Pass, &[Pass])] = {
            use Pass::*;
            &[$((Pass::$Fused, &$parts)),+]
        };

        /// What each pass alone measures.
        ///
        /// One pass measures all features of its group even where one is asked: they share what is dear (the heights,
        /// the cover), and a slot that nobody asks about is only written.
        const SINGLE: &[(Pass, &[&str])] =
            &[$((Pass::$Single, &$names),)+ (Pass::Constant, &["constant"])];

        impl Pass {
            /// Sweeps the batch once for the groups of this pass.
            #[inline(always)]
            fn run<V: Lanes>(self, batch: &BoardBatch, raws: &mut Raws) {
                match self {
                    $(Pass::$Fused => sweep::<V, $Fused<V>>(batch, raws),)+
                    $(Pass::$Single => sweep::<V, $Single<V>>(batch, raws),)+
                    Pass::Constant => {
                        raws.0[const { super::slots::slot("constant") }] = Line([1; LANES]);
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

/// The passes that measure every feature in use.
fn passes(uses: &impl Fn(&str) -> bool) -> Vec<Pass> {
    let needed = |(_, names): &&(Pass, &[&str])| names.iter().any(|name| uses(name));
    let mut passes: Vec<Pass> = SINGLE.iter().filter(needed).map(|&(pass, _)| pass).collect();
    for &(fused, parts) in FUSED {
        // Parts leave the list when they are fused, so that a smaller fused pass does not take them again.
        if parts.iter().all(|part| passes.contains(part)) {
            passes.retain(|pass| !parts.contains(pass));
            passes.push(fused);
        }
    }
    passes
}

/// The passes over a filled batch that measure some features, at one instruction level. All that is
/// swept is swept here, so that each pass is compiled once for each level.
pub(super) struct Sweeps {
    level: Level,
    passes: Vec<Pass>,
    /// Radial basis functions, each with its values by aggregate height.
    rbf: Vec<(Feature, Vec<u16>)>,
}

impl Sweeps {
    /// The fewest passes that measure these features.
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

    /// Measures all lanes of a batch.
    pub(super) fn run(&self, batch: &BoardBatch, raws: &mut Raws) {
        simd::run_lanes(self.level, Run { passes: &self.passes, batch, raws });
        for (feature, table) in &self.rbf {
            rbf(raws, batch.count, *feature, table);
        }
    }
}

/// The passes over a batch, as work of a level.
struct Run<'a> {
    passes: &'a [Pass],
    batch: &'a BoardBatch,
    raws: &'a mut Raws,
}

impl LanesJob for Run<'_> {
    #[inline(always)]
    fn run<V: Lanes>(self) {
        for pass in self.passes {
            pass.run::<V>(self.batch, self.raws);
        }
    }
}

/// A radial basis function by aggregate height.
fn rbf_table(feature: Feature, size: BoardSize) -> Vec<u16> {
    let (width, height) = (size.width(), size.height());
    // All 32 rows instead of the board's height, since a stack may overflow before the game is found lost.
    let largest = (width * ROWS) as i32;
    let value = |sum| rbf_of(sum, width, height, feature.index()) as u16;
    (0..=largest).map(value).collect()
}
