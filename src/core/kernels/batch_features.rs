//! Measures features of many boards at once, for logs. ([`Evaluator`](super::Evaluator) measures
//! many placements on one board.)
//!
//! Each lane of a vector is a board with the move that led to it. Boards of different turns or
//! games share a batch, so one sweep serves several rows of a log.

use fearless_simd::{Bytes, Simd, SimdBase, SimdMask};

use super::groups::{Surfaces, *};
use crate::board::{Board, BoardSize, MAX_WIDTH, ROWS, full_row};
use crate::features::{Feature, FeatureFunction, Move, REGISTRY, rbf_of, same_name};
use crate::simd::{self, LANES, Lanes16, Level, VectorJob};

/// A feature calculator for many boards and the moves that led to them. Each thread needs its own:
/// it contains about 16 KiB of working memory.
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
    /// Features to measure, each with the slot of its raw values.
    features: Vec<(Feature, usize)>,
    sweeps: Sweeps,
    batch: Box<BoardBatch>,
    raws: Box<FeatureLanes>,
    /// Results of the last measurement: for each feature, one raw value for each board.
    values: Vec<[i16; LANES]>,
    count: usize,
}

impl BatchFeatures {
    /// Maximum number of boards in one call of [`BatchFeatures::measure`].
    pub const LANES: usize = LANES;

    /// Prepares the measurement of `features` on boards of the given `size`.
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

    /// Measures the features of each pair in `pairs`: a board and the move that led to it. Full
    /// rows of a board are not removed.
    ///
    /// At most [`BatchFeatures::LANES`] pairs are measured; any more are ignored.
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
        self.keep(pairs);
    }

    /// Returns the raw values of the `k`-th feature, in the order in which the boards were given.
    #[must_use]
    pub fn raws(&self, k: usize) -> &[i16] {
        &self.values[k][..self.count]
    }

    /// Measures one pair after another with the scalar functions, which are the specification.
    fn measure_each<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
        for ((feature, _), values) in self.features.iter().zip(&mut self.values) {
            for (value, (board, played)) in values.iter_mut().zip(pairs.clone()) {
                *value = feature.raw(board, Some(played)).unwrap_or(0) as i16;
            }
        }
    }

    /// Stores the results of a sweep in `values`. Features of moves, which the sweep omits, are
    /// computed with the scalar functions.
    fn keep<'a>(&mut self, pairs: impl Iterator<Item = (&'a Board, &'a Move)> + Clone) {
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

/// A property of the column heights or of the cells of a board. `data/README.md` has their
/// definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceProperty {
    /// Height of a column.
    Height(usize),
    /// Column that lies deepest below its lower neighbour, leftmost if tied; 0 if no column lies
    /// below its neighbours.
    WellColumn,
    /// Number of rows by which that column lies below its lower neighbour; 0 if no column does.
    WellDepth,
    /// 1 if another column lies as deep, otherwise 0.
    WellTied,
    /// Number of columns 3 or more rows below their lower neighbour.
    IDependencies,
    /// Number of filled cells with column + row even, minus those with column + row odd.
    ParityCheck,
    /// Number of filled cells in even columns, minus those in odd columns.
    ParityColumn,
}

/// Returns the slot of a property in `FeatureLanes`.
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

/// A calculator of the surfaces of many boards. Each thread needs its own: it contains about 20 KiB
/// of working memory.
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
    /// Prepares the measurement of boards of the given `size`.
    #[must_use]
    pub fn new(size: BoardSize, level: Level) -> BatchSurfaces {
        let (batch, raws) = (Box::new(BoardBatch::new(size)), Box::new(FeatureLanes::ZERO));
        BatchSurfaces { level, batch, raws }
    }

    /// Measures `boards`, at most [`BatchFeatures::LANES`](super::BatchFeatures::LANES).
    pub fn measure<'a>(&mut self, boards: impl ExactSizeIterator<Item = &'a Board> + Clone) {
        debug_assert!(boards.len() <= LANES);
        self.batch.fill(boards);
        simd::run_vectors(self.level, SurfacesJob { batch: &self.batch, raws: &mut self.raws });
    }

    /// Returns the values of a property, in the order in which the boards were given. Parities may
    /// be negative, in two's complement.
    #[must_use]
    pub fn values(&self, property: SurfaceProperty) -> &[u16] {
        &self.raws.0[surface_slot(property)].0[..self.batch.count]
    }
}

/// Job that measures the surfaces of the boards of `batch`.
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

/// One `u16` for each board of a vector: a row of cells, or a number.
pub(super) type Lanes<S> = <S as Simd>::u16s;

/// Returns 0xffff, which is -1, for each lane for which `mask` is true, and 0 for all others.
#[inline(always)]
pub(super) fn condition<S: Simd>(mask: S::mask16s) -> Lanes<S> {
    mask.to_vector().bitcast()
}

/// The boards of a batch that fit one vector, with constants that the feature groups need.
pub(super) struct BatchSlice<'a, S: Simd> {
    /// Proof that the processor has the instructions of the vectors.
    pub(super) simd: S,
    pub(super) batch: &'a BoardBatch,
    /// Index, in the batch, of the first board of the vector.
    pub(super) at: usize,
    /// Number of rows to sweep, at least 1: all rows from this one up are empty on every board.
    pub(super) top: usize,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) full: Lanes<S>,
    /// Row mask of the right wall, repeated for each board: the bit after that of the last column.
    /// The mask is 0 on boards 16 columns wide, which have no bit left.
    pub(super) right_wall: Lanes<S>,
    /// Row mask in which only the bit of the last column is set, repeated for each board.
    pub(super) last: Lanes<S>,
    /// Row mask in which only the bit of the first column is set, repeated for each board.
    pub(super) first: Lanes<S>,
}

impl<'a, S: Simd> BatchSlice<'a, S> {
    /// Creates the frame of the boards of `batch` from index `at` on.
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

    /// Returns `value` for each board.
    #[inline(always)]
    pub(super) fn splat(&self, value: u16) -> Lanes<S> {
        Lanes::<S>::splat(self.simd, value)
    }

    #[inline(always)]
    pub(super) fn zero(&self) -> Lanes<S> {
        self.splat(0)
    }

    /// Returns the values of the frame's boards.
    #[inline(always)]
    pub(super) fn load(&self, from: &Lanes16) -> Lanes<S> {
        Lanes::<S>::from_slice(self.simd, &from.0[self.at..self.at + Lanes::<S>::LEN])
    }

    /// Returns row `row` of each board in the frame.
    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Lanes<S> {
        self.load(&self.batch.rows[row])
    }

    /// Returns, for each board, the number of rows that features measure: the board's height, or
    /// the stack's if it is higher.
    #[inline(always)]
    pub(super) fn measured(&self) -> Lanes<S> {
        self.load(&self.batch.measured)
    }

    /// Returns the well cells of `row`, one row of each board.
    ///
    /// ```text
    /// row      #.#..#.      a well cell is empty, with a filled bit on its left and on its right
    /// left    1#.#..#       the row moved right in the picture (shl 1), a wall at the first column
    /// right    .#..#.1      the row moved left (shr 1), a wall at the last
    /// wells    .w....w
    /// ```
    #[inline(always)]
    pub(super) fn wells(&self, row: Lanes<S>) -> Lanes<S> {
        let left = (row << 1) | self.first;
        let right = (row >> 1) | self.last;
        left & right & !row
    }

    /// Writes the raw values `value` of the frame's boards to the feature slot `slot`.
    #[inline(always)]
    pub(super) fn put(&self, raws: &mut FeatureLanes, slot: usize, value: Lanes<S>) {
        value.store_slice(&mut raws.0[slot].0[self.at..self.at + Lanes::<S>::LEN]);
    }
}

/// Features that are computed together in one pass over the rows.
///
/// Several groups are combined as nested pairs instead of a list: the compiler then sees one loop
/// body and keeps shared values in registers.
pub(super) trait Group<S: Simd>: Sized {
    /// Returns the group's state before the first row.
    fn start(frame: &BatchSlice<S>) -> Self;
    /// Processes row `row` of all boards; rows come from the top down.
    fn row(&mut self, frame: &BatchSlice<S>, row: usize);
    /// Writes the group's raw values to the slots of its features, after the last row.
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

/// Computes the feature group `G` for all boards of `batch` and writes the values to `raws`.
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
                        raws.0[const { super::batch_features::slot("constant") }] = Lanes16([1; LANES]);
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
        simd::run_vectors(self.level, SweepsJob { passes: &self.passes, batch, raws });
        for (feature, table) in &self.rbf {
            rbf(raws, batch.count, *feature, table);
        }
    }
}

/// Job that runs `passes` over the boards of `batch`.
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

/// Returns the values of a radial basis function, indexed by aggregate height.
fn rbf_table(feature: Feature, size: BoardSize) -> Vec<u16> {
    let (width, height) = (size.width(), size.height());
    // All 32 rows, since a stack may exceed the board's height before the game is found lost.
    let largest = (width * ROWS) as i32;
    let value = |sum| rbf_of(sum, width, height, feature.index()) as u16;
    (0..=largest).map(value).collect()
}

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

/// A batch of up to 64 boards, one in each lane: row r of board l is `rows[r].0[l]`.
///
/// ```text
///              lane 0   lane 1   lane 2 ...     each lane is a board
/// rows[2]      .....    ..#..    .....
/// rows[1]      ##...    .##..    ...#.          A vector register holds one row of 8, 16 or 32
/// rows[0]      ##.##    #####    ##.##          lanes: one shift or popcount serves all of them.
/// ```
pub(super) struct BoardBatch {
    pub(super) size: BoardSize,
    /// Number of boards in the batch.
    pub(super) count: usize,
    /// Number of rows to sweep, at least 1: all rows from this one up are empty on every board.
    pub(super) top: usize,
    pub(super) rows: [Lanes16; ROWS],
    /// Stack height of each board.
    pub(super) stack: Lanes16,
    /// Number of rows of each board that features measure: its height, or the stack's if it is
    /// higher.
    pub(super) measured: Lanes16,
}

impl BoardBatch {
    /// Creates an empty batch for boards of one size, about 5 KiB.
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

    /// Fills the batch with `boards`.
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
