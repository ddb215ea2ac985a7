//! Measures the surfaces of many boards at once, for logs.

use fearless_simd::Simd;

use super::board_batch::BoardBatch;
use super::groups::Surfaces;
use super::slots::{FeatureLanes, HEIGHT, SURFACE};
use super::sweep::sweep;
use crate::board::{Board, BoardSize};
use crate::simd::{self, LANES, Level, VectorJob};

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
        simd::run_vectors(self.level, Run { batch: &self.batch, raws: &mut self.raws });
    }

    /// Returns the values of a property, in the order in which the boards were given. Parities may
    /// be negative, in two's complement.
    #[must_use]
    pub fn values(&self, property: SurfaceProperty) -> &[u16] {
        &self.raws.0[surface_slot(property)].0[..self.batch.count]
    }
}

/// Job that measures the surfaces of the boards of `batch`.
struct Run<'a> {
    batch: &'a BoardBatch,
    raws: &'a mut FeatureLanes,
}

impl VectorJob for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        sweep::<S, Surfaces<S>>(simd, self.batch, self.raws);
    }
}
