//! Measures features and surfaces (column heights) of up to 64 boards side by side, for logs and
//! where `delta` cannot score. A *sweep* reads the rows of a [`BoardBatch`] from the top down;
//! shifts, xors and popcounts compute a [`Group`] of features without branches. Raw values are
//! stored by *slot* in [`FeatureLanes`].

use fearless_simd::{Bytes, Simd, SimdBase, SimdMask};

use super::groups::*;
use crate::board::{Board, BoardSize, MAX_WIDTH, ROWS, full_row};
use crate::features::{Feature, FeatureFunction, Move, REGISTRY, rbf_of, same_name};
use crate::simd::{self, LANES, Lanes16, Level, VectorJob};

/// Calculator of the features of many boards, each with the move that led to it. Each thread needs
/// its own: it contains about 16 KiB of working memory.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, features::Feature, kernels::{BatchFeatures, Level}, piece::Piece};
/// use tetrastat::{placement::Placements, rules::Rules};
/// let board: Board = "....../....../#...../##.###".parse()?;
/// let (rules, mut candidates) = (Rules::simplified(), Vec::new());
/// rules.candidates(&Placements::new(6), &board, Piece::O, &mut candidates);
/// let outcomes: Vec<_> = candidates.iter().map(|&at| rules.play(&board, Piece::O, at)).collect();
/// let features: [Feature; 2] = ["holes".parse()?, "max_height".parse()?];
/// let mut batch = BatchFeatures::new(board.size(), &features, Level::detect());
/// batch.measure(outcomes.iter().map(|outcome| (&outcome.after, &outcome.played)));
/// assert_eq!(batch.raws(0), [1, 1, 1, 0, 0]); // by the column of the square: what it covers
/// assert_eq!(batch.raws(1), [4, 3, 3, 3, 3]);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct BatchFeatures {
    level: Level,
    features: Vec<(Feature, usize)>,
    sweeps: Sweeps,
    batch: Box<BoardBatch>,
    raws: Box<FeatureLanes>,
    values: Vec<[i16; LANES]>,
    count: usize,
}

impl BatchFeatures {
    /// Maximum number of boards that one call of [`BatchFeatures::measure`] measures.
    pub const LANES: usize = LANES;

    /// Creates a calculator of `features` on boards of the given `size`.
    #[must_use]
    pub fn new(size: BoardSize, features: &[Feature], level: Level) -> BatchFeatures {
        // Features of moves are a few additions each and need no sweep.
        let of_board = features.iter().copied().filter(|feature| !feature.is_of_move());
        BatchFeatures {
            level,
            features: features.iter().map(|&feature| (feature, slot_of(feature))).collect(),
            sweeps: Sweeps::new(size, level, of_board),
            batch: Box::new(BoardBatch::new(size)),
            raws: Box::new(FeatureLanes::ZERO),
            values: vec![[0; LANES]; features.len()],
            count: 0,
        }
    }

    /// Measures the features of up to [`BatchFeatures::LANES`] boards, each paired with the move
    /// that led to it.
    pub fn measure<'a>(&mut self, pairs: impl ExactSizeIterator<Item = (&'a Board, &'a Move)>) {
        debug_assert!(pairs.len() <= LANES);
        // Collected first: the pairs are iterated several times, and the iterator need not be
        // `Clone`.
        let mut given = [None; LANES];
        self.count = 0;
        for (to, pair) in given.iter_mut().zip(pairs) {
            *to = Some(pair);
            self.count += 1;
        }
        let pairs = given[..self.count].iter().flatten().copied();
        if self.level == Level::SCALAR {
            return self.measure_each(pairs);
        }
        self.batch.fill(pairs.clone().map(|(board, _)| board));
        self.sweeps.run(&self.batch, &mut self.raws);
        self.store_results(pairs);
    }

    /// Returns the `k`-th feature's values on all measured boards, before conversion to units.
    #[must_use]
    pub fn raws(&self, k: usize) -> &[i16] {
        &self.values[k][..self.count]
    }

    fn measure_each<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, _), values) in self.features.iter().zip(&mut self.values) {
            for (value, (board, played)) in values.iter_mut().zip(pairs.clone()) {
                *value = feature.raw(board, Some(played)).unwrap_or(0) as i16;
            }
        }
    }

    fn store_results<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, slot), values) in self.features.iter().zip(&mut self.values) {
            if let FeatureFunction::Move(function) = feature.definition().measure {
                for (value, (_, played)) in values.iter_mut().zip(pairs.clone()) {
                    *value = function(played) as i16;
                }
            } else {
                // Read as signed: every raw value fits an `i16` (see `features`).
                for (lane, value) in values.iter_mut().enumerate() {
                    *value = self.raws.0[*slot].0[lane] as i16;
                }
            }
        }
    }
}

/// Property of the column heights or cells of a board, recorded in logs; `data/README.md` has the
/// definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceProperty {
    /// Height of the column with the given index.
    Height(usize),
    /// Index of the column deepest below the lower of its neighbours, the leftmost if tied; 0 if no
    /// column lies below.
    WellColumn,
    /// Number of rows by which the deepest column lies below its lower neighbour; 0 if none does.
    WellDepth,
    /// Value 1 if several columns share the greatest depth below their lower neighbour, or if no
    /// column lies below; else 0.
    WellTied,
    /// Number of columns that lie at least 3 rows below the lower of their neighbours.
    IDependencies,
    /// Number of filled cells with column + row even, minus those with column + row odd.
    ParityCheck,
    /// Number of filled cells in even columns, minus those in odd columns.
    ParityColumn,
}

pub(super) const fn surface_slot(property: SurfaceProperty) -> usize {
    match property {
        SurfaceProperty::Height(column) => HEIGHT + column,
        SurfaceProperty::WellColumn => SURFACE,
        SurfaceProperty::WellDepth => SURFACE + 1,
        SurfaceProperty::WellTied => SURFACE + 2,
        SurfaceProperty::IDependencies => SURFACE + 3,
        SurfaceProperty::ParityCheck => SURFACE + 4,
        SurfaceProperty::ParityColumn => SURFACE + 5,
    }
}

/// Calculator of the surface properties (of column heights and cells) of many boards. Each thread
/// needs its own: it contains about 16 KiB of working memory.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, kernels::{BatchSurfaces, Level, SurfaceProperty}};
/// let board: Board = "....../....../#...../##.###".parse()?;
/// let mut surfaces = BatchSurfaces::new(board.size(), Level::detect());
/// surfaces.measure([board, Board::empty(board.size())].iter());
/// let depths: Vec<u16> = surfaces.values(SurfaceProperty::WellDepth).to_vec();
/// assert_eq!(depths, [1, 0]);
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct BatchSurfaces {
    level: Level,
    batch: Box<BoardBatch>,
    raws: Box<FeatureLanes>,
}

impl BatchSurfaces {
    /// Creates a calculator of surface properties on boards of the given `size`.
    #[must_use]
    pub fn new(size: BoardSize, level: Level) -> BatchSurfaces {
        let (batch, raws) = (Box::new(BoardBatch::new(size)), Box::new(FeatureLanes::ZERO));
        BatchSurfaces { level, batch, raws }
    }

    /// Measures all surface properties of `boards`, at most [`BatchFeatures::LANES`] boards.
    pub fn measure<'a>(&mut self, boards: impl ExactSizeIterator<Item = &'a Board> + Clone) {
        debug_assert!(boards.len() <= LANES);
        self.batch.fill(boards);
        simd::run_vectors(self.level, SurfacesJob { batch: &self.batch, raws: &mut self.raws });
    }

    /// Returns the values of one surface property, in the order of the measured boards. Negative
    /// values are in two's complement.
    #[must_use]
    pub fn values(&self, property: SurfaceProperty) -> &[u16] {
        &self.raws.0[surface_slot(property)].0[..self.batch.count]
    }
}

struct SurfacesJob<'a> {
    batch: &'a BoardBatch,
    raws: &'a mut FeatureLanes,
}

impl VectorJob for SurfacesJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        sweep::<S, Surfaces<S>>(simd, self.batch, self.raws);
    }
}

pub(super) type Lanes<S> = <S as Simd>::u16s;

/// Converts comparison results in a vector to words: 0xffff for true and 0 for false.
#[inline(always)]
pub(super) fn condition<S: Simd>(mask: S::mask16s) -> Lanes<S> {
    mask.to_vector().bitcast()
}

/// Boards that are measured side by side in one vector, with bit masks of their walls and columns.
pub(super) struct BatchSlice<'a, S: Simd> {
    pub(super) simd: S,
    pub(super) batch: &'a BoardBatch,
    pub(super) at: usize,
    /// Number of board rows to read, at least 1; all higher rows are empty on every board.
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) full: Lanes<S>,
    pub(super) right_wall: Lanes<S>,
    pub(super) last: Lanes<S>,
    pub(super) first: Lanes<S>,
}

impl<'a, S: Simd> BatchSlice<'a, S> {
    #[inline(always)]
    pub(super) fn new(simd: S, batch: &'a BoardBatch, at: usize) -> Self {
        let width = batch.size.width();
        BatchSlice {
            simd,
            batch,
            at,
            top: batch.top,
            width,
            height: batch.size.height(),
            full: Lanes::<S>::splat(simd, full_row(width)),
            // The bit right of the last column. With 16 columns the shift drops it;
            // `RowTransitions` then counts the wall separately.
            right_wall: Lanes::<S>::splat(simd, !full_row(width) & (full_row(width) << 1)),
            last: Lanes::<S>::splat(simd, 1 << (width - 1)),
            first: Lanes::<S>::splat(simd, 1),
        }
    }

    #[inline(always)]
    pub(super) fn splat(&self, value: u16) -> Lanes<S> {
        Lanes::<S>::splat(self.simd, value)
    }

    #[inline(always)]
    pub(super) fn zero(&self) -> Lanes<S> {
        self.splat(0)
    }

    #[inline(always)]
    pub(super) fn load(&self, from: &Lanes16) -> Lanes<S> {
        Lanes::<S>::from_slice(self.simd, &from.0[self.at..self.at + Lanes::<S>::LEN])
    }

    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Lanes<S> {
        self.load(&self.batch.rows[row])
    }

    #[inline(always)]
    pub(super) fn measured(&self) -> Lanes<S> {
        self.load(&self.batch.measured)
    }

    /// Returns the well cells of a board row: empty, with a filled cell or wall on both sides.
    #[inline(always)]
    pub(super) fn wells(&self, row: Lanes<S>) -> Lanes<S> {
        let left = (row << 1) | self.first;
        let right = (row >> 1) | self.last;
        left & right & !row
    }

    #[inline(always)]
    pub(super) fn put(&self, raws: &mut FeatureLanes, slot: usize, value: Lanes<S>) {
        value.store_slice(&mut raws.0[slot].0[self.at..self.at + Lanes::<S>::LEN]);
    }
}

/// Group of features that are computed together, while board rows are read from the top down.
// Nested pairs of groups become one loop body, which keeps shared values in registers.
pub(super) trait Group<S: Simd>: Sized {
    fn start(frame: &BatchSlice<S>) -> Self;
    /// Updates the features with board row number `row` of all boards; rows come from the top down.
    fn row(&mut self, frame: &BatchSlice<S>, row: usize);
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes);
}

impl<S: Simd, A: Group<S>, B: Group<S>> Group<S> for (A, B) {
    #[inline(always)]
    fn start(frame: &BatchSlice<S>) -> Self {
        (A::start(frame), B::start(frame))
    }

    #[inline(always)]
    fn row(&mut self, frame: &BatchSlice<S>, row: usize) {
        self.0.row(frame, row);
        self.1.row(frame, row);
    }

    #[inline(always)]
    fn end(self, frame: &BatchSlice<S>, raws: &mut FeatureLanes) {
        self.0.end(frame, raws);
        self.1.end(frame, raws);
    }
}

#[inline(always)]
pub(super) fn sweep<S: Simd, G: Group<S>>(simd: S, batch: &BoardBatch, raws: &mut FeatureLanes) {
    for at in (0..batch.count).step_by(Lanes::<S>::LEN) {
        let frame = BatchSlice::new(simd, batch, at);
        let mut group = G::start(&frame);
        // From the top down: the cover of a cell is known once all rows above it were read.
        for row in (0..frame.top).rev() {
            group.row(&frame, row);
        }
        group.end(&frame, raws);
    }
}

type Dellacherie<S> = (RowTransitions<S>, (ColumnTransitions<S>, (Holes<S>, Wells<S>)));
type Bcts<S> = (Dellacherie<S>, HoleDepth<S>);
type Lee<S> = (Holes<S>, (CompleteRows<S>, (Heights<S>, Steps<S>)));

macro_rules! passes {
    (
        fused { $($Fused:ident of $parts:tt)+ }
        single { $($Single:ident measures $names:tt)+ }
    ) => {
        /// Computation of one or more feature groups while all board rows are read once.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Pass {
            $($Fused,)+
            $($Single,)+
            Constant,
        }

        const FUSED_PASSES: &[(Pass, &[Pass])] = {
            use Pass::*;
            &[$((Pass::$Fused, &$parts)),+]
        };

        const SINGLE_PASSES: &[(Pass, &[&str])] =
            &[$((Pass::$Single, &$names),)+ (Pass::Constant, &["constant"])];

        impl Pass {
            #[inline(always)]
            fn run<S: Simd>(self, simd: S, batch: &BoardBatch, raws: &mut FeatureLanes) {
                match self {
                    $(Pass::$Fused => sweep::<S, $Fused<S>>(simd, batch, raws),)+
                    $(Pass::$Single => sweep::<S, $Single<S>>(simd, batch, raws),)+
                    Pass::Constant => {
                        raws.0[const { slot("constant") }] = Lanes16([1; LANES]);
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

fn passes(uses: &impl Fn(&str) -> bool) -> Vec<Pass> {
    let needed = |(_, names): &&(Pass, &[&str])| names.iter().any(|name| uses(name));
    let mut passes: Vec<Pass> =
        SINGLE_PASSES.iter().filter(needed).map(|&(pass, _)| pass).collect();
    for &(fused, parts) in FUSED_PASSES {
        // Fused parts leave the list, so that a smaller fused pass does not take them again.
        if parts.iter().all(|part| passes.contains(part)) {
            passes.retain(|pass| !parts.contains(pass));
            passes.push(fused);
        }
    }
    passes
}

/// Passes over all board rows that together compute a chosen set of features.
pub(super) struct Sweeps {
    level: Level,
    passes: Vec<Pass>,
    /// Radial basis functions in use, each with a table of its values by aggregate height.
    rbf: Vec<(Feature, Vec<u16>)>,
}

impl Sweeps {
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
        simd::run_vectors(self.level, SweepsJob { passes: &self.passes, batch, raws });
        for (feature, table) in &self.rbf {
            rbf(raws, batch.count, *feature, table);
        }
    }
}

struct SweepsJob<'a> {
    passes: &'a [Pass],
    batch: &'a BoardBatch,
    raws: &'a mut FeatureLanes,
}

impl VectorJob for SweepsJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for pass in self.passes {
            pass.run(simd, self.batch, self.raws);
        }
    }
}

fn rbf_table(feature: Feature, size: BoardSize) -> Vec<u16> {
    let (width, height) = (size.width(), size.height());
    // All 32 rows, since a stack may exceed the board's height before the game is found lost.
    let largest = (width * ROWS) as i32;
    let value = |sum| rbf_of(sum, width, height, feature.index()) as u16;
    (0..=largest).map(value).collect()
}

/// Returns the index at which the feature `name` is stored, or fails to compile if it is unknown.
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

/// Index in `FeatureLanes` of the height of column 0, which the heights of other columns follow.
///
/// ```text
/// 0 ... REGISTRY.len()-1 | HEIGHT .. +15 | HEIGHT_DIFF .. +15 | RBF .. +4 | SURFACE
/// features by name       | by column     | by left column     | by centre
/// ```
pub(super) const HEIGHT: usize = REGISTRY.len();
pub(super) const HEIGHT_DIFF: usize = HEIGHT + MAX_WIDTH;
pub(super) const RBF: usize = HEIGHT_DIFF + MAX_WIDTH;
pub(super) const SURFACE: usize = RBF + 5;
pub(super) const SLOT_COUNT: usize = SURFACE + 6;

pub(super) fn slot_of(feature: Feature) -> usize {
    let base = match feature.definition().name {
        "height" => HEIGHT,
        "height_diff" => HEIGHT_DIFF,
        "rbf" => RBF,
        name => slot(name),
    };
    base + feature.index()
}

pub(super) struct FeatureLanes(pub(super) [Lanes16; SLOT_COUNT]);

impl FeatureLanes {
    pub(super) const ZERO: FeatureLanes = FeatureLanes([Lanes16::ZERO; SLOT_COUNT]);
}

/// Up to 64 boards, stored so that a vector register holds the same row of several boards.
///
/// ```text
///              lane 0   lane 1   lane 2 ...     each lane is a board
/// rows[2]      .....    ..#..    .....
/// rows[1]      ##...    .##..    ...#.          A vector register holds one row of 8, 16 or 32
/// rows[0]      ##.##    #####    ##.##          lanes: one shift or popcount serves all of them.
/// ```
pub(super) struct BoardBatch {
    pub(super) size: BoardSize,
    pub(super) count: usize,
    pub(super) top: usize,
    pub(super) rows: [Lanes16; ROWS],
    pub(super) stack: Lanes16,
    /// Number of rows of each board that features measure: board height, or stack height if larger.
    pub(super) measured: Lanes16,
}

impl BoardBatch {
    pub(super) fn new(size: BoardSize) -> BoardBatch {
        BoardBatch {
            size,
            count: 0,
            top: 1,
            rows: [Lanes16::ZERO; ROWS],
            stack: Lanes16::ZERO,
            measured: Lanes16::ZERO,
        }
    }

    pub(super) fn fill<'a>(&mut self, boards: impl Iterator<Item = &'a Board> + Clone) {
        (self.count, self.top) = (0, 1);
        for (lane, board) in boards.clone().enumerate() {
            let stack = board.stack_height();
            self.stack.0[lane] = stack as u16;
            self.measured.0[lane] = stack.max(self.size.height()) as u16;
            self.top = self.top.max(stack);
            self.count = lane + 1;
        }
        // A second loop, since only now the highest stack is known.
        for (lane, board) in boards.enumerate() {
            for (line, &cells) in self.rows[..self.top].iter_mut().zip(board.rows()) {
                line.0[lane] = cells;
            }
        }
    }
}
