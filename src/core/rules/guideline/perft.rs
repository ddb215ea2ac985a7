//! Counts the ways to place a sequence of pieces (perft), and lists boards with published counts.
//!
//! The last piece is counted on many matrices side by side, by the algorithm of [`super::movegen`]
//! for low stacks: a word has one column of one matrix, and plain loops over matrices become vector
//! code. A loop has no branches, so each round advances the searches of all matrices: pieces fall
//! and shift, turn, and fall and shift again. A search has ended if it reached all resting
//! positions, or if the turns and what follows them reached nothing new. The next matrix then takes
//! its place.

use fearless_simd::Simd;

use super::Landing;
use super::landing::Landings;
use super::movegen::{MoveGenerator, Moves, states};
use super::srs::{Kicks, Offset, RotationState, RotationTurn, canonical, cells, kick, shapes};
use crate::features::guideline::each_column;
use crate::matrix::{Matrix, WIDTH};
use crate::piece::Piece;
use crate::simd::columns::LOW_STACK;
use crate::simd::{VectorJob, run_vectors};

macro_rules! each_kick {
    ($k:ident => $do:expr) => {{
        each_kick!(@ $k $do, 0 1 2 3 4);
    }};
    (@ $k:ident $do:expr, $($at:literal)*) => {
        $({
            const $k: usize = $at;
            $do
        })*
    };
}

/// Returns the number of ways to place `pieces` on `matrix` in their order, with full rows removed
/// in between. Spins are not counted separately; landings that end a game by lock out count.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{kernels::Level, matrix::Matrix, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, Moves, MoveGenerator, perft};
/// let movegen = MoveGenerator::new(Guideline::official(), Moves::HardDrops, Level::detect());
/// assert_eq!(perft(&movegen, &Matrix::EMPTY, &[Piece::O, Piece::O]), 9 * 9);
/// ```
#[must_use]
pub fn perft(movegen: &MoveGenerator, matrix: &Matrix, pieces: &[Piece]) -> u64 {
    let mut lists = vec![Landings::default(); pieces.len()];
    let Some(&last) = pieces.last() else { return 1 };
    let mut batch = BatchCounter::new(movegen, last);
    let rest = descend(movegen, matrix, pieces, &mut lists, &mut batch);
    rest + batch.map_or(0, BatchCounter::finish)
}

fn descend(
    movegen: &MoveGenerator,
    matrix: &Matrix,
    pieces: &[Piece],
    lists: &mut [Landings],
    batch: &mut Option<BatchCounter>,
) -> u64 {
    match (pieces, lists) {
        ([], _) => 1,
        // The last piece is counted without placing it, like bulk counting in chess programs.
        ([last], _) => u64::from(movegen.count(matrix, *last)),
        ([first, rest @ ..], [list, lists @ ..]) => {
            movegen.landings(matrix, *first, list);
            if let ([_], Some(batch)) = (rest, &mut *batch) {
                batch.add(matrix, list);
                return 0;
            }
            let after = |landing: Landing| landing.lock(matrix).clear().0;
            list.iter().map(|landing| descend(movegen, &after(landing), rest, lists, batch)).sum()
        }
        _ => 0,
    }
}

const BATCH_SIZE: usize = 16;

/// One column of each of 16 matrices, with rows 0 to 15 as bits; row r is bit 15 - r.
type Lanes = [u16; BATCH_SIZE];
type PositionSets = [[Lanes; WIDTH]; 4];

/// A counter of one piece's landings (resting places) on many matrices, by vector instructions.
pub(super) struct BatchCounter {
    movegen: MoveGenerator,
    piece: Piece,
    batch: Box<Batch>,
    /// Free places of the batch, as indices; only the first `idle` elements are valid.
    idle_indices: [u8; BATCH_SIZE],
    idle: usize,
    total: u64,
}

#[repr(C, align(64))]
struct Batch {
    /// Filled cells of all matrices in the batch, by column, with three spare columns at the right.
    cells: [Lanes; WIDTH + 3],
    free: PositionSets,
    reached: PositionSets,
    /// For each place of the batch, all bits 1 if the place holds a matrix, otherwise 0.
    has_matrix: Lanes,
    is_running: Lanes,
    /// Mask of rows where the last search round reached new positions, for each matrix.
    new: Lanes,
    /// Number of landings on each matrix whose search ended in the last round; 0 for all others.
    counts: Lanes,
}

impl BatchCounter {
    /// Creates a counter of the landings of `piece`. Returns `None` for rules with half turns and
    /// for movement without soft drops.
    pub(super) fn new(movegen: &MoveGenerator, piece: Piece) -> Option<BatchCounter> {
        let rules = movegen.rules();
        if rules.half_turns || movegen.moves() != Moves::All {
            return None;
        }
        let (lanes, sets) = ([0; BATCH_SIZE], [[[0; BATCH_SIZE]; WIDTH]; 4]);
        let batch = Box::new(Batch {
            cells: [lanes; WIDTH + 3],
            free: sets,
            reached: sets,
            has_matrix: lanes,
            is_running: lanes,
            new: lanes,
            counts: lanes,
        });
        let idle_indices = std::array::from_fn(|index| index as u8);
        Some(BatchCounter {
            movegen: *movegen,
            piece,
            batch,
            idle_indices,
            idle: BATCH_SIZE,
            total: 0,
        })
    }

    pub(super) fn add(&mut self, matrix: &Matrix, landings: &Landings) {
        let is_low = matrix.stack_height() <= LOW_STACK;
        // Columns right of the matrix count as full.
        let mut parent = [u16::MAX; WIDTH + 3];
        // Rows that are full in all columns before each column, and from it on.
        let (mut before, mut from) = ([u16::MAX; WIDTH + 4], [u16::MAX; WIDTH + 4]);
        for (c, column) in matrix.columns().iter().enumerate() {
            parent[c] = (column >> 16) as u16;
            before[c + 1] = before[c] & parent[c];
        }
        for c in (0..WIDTH).rev() {
            from[c] = from[c + 1] & parent[c];
        }
        for landing in landings.iter() {
            let (left, piece) = landing.columns();
            let mut columns = [0; 4];
            let mut full = before[left] & from[left + 4];
            for k in 0..4 {
                columns[k] = parent[left + k] | (piece[k] >> 16) as u16;
                full &= columns[k];
            }
            // No cell is more than two rows above the centre.
            if full != 0 || !is_low || usize::from(landing.y) + 2 >= LOW_STACK {
                self.add_matrix(&landing.lock(matrix).clear().0);
                continue;
            }
            let index = self.next();
            for (lanes, column) in self.batch.cells.iter_mut().zip(parent) {
                lanes[index] = column;
            }
            for (lanes, column) in self.batch.cells[left..].iter_mut().zip(columns) {
                lanes[index] = column;
            }
        }
    }

    fn add_matrix(&mut self, matrix: &Matrix) {
        if matrix.stack_height() > LOW_STACK {
            self.total += u64::from(self.movegen.count(matrix, self.piece));
            return;
        }
        let index = self.next();
        for (lanes, column) in self.batch.cells.iter_mut().zip(matrix.columns()) {
            lanes[index] = (column >> 16) as u16;
        }
    }

    #[inline(always)]
    fn next(&mut self) -> usize {
        while self.idle == 0 {
            self.step();
        }
        self.idle -= 1;
        usize::from(self.idle_indices[self.idle])
    }

    fn step(&mut self) {
        self.batch.has_matrix = [u16::MAX; BATCH_SIZE];
        for &index in &self.idle_indices[..self.idle] {
            self.batch.has_matrix[usize::from(index)] = 0;
        }
        let job = StepJob(&mut self.batch, self.piece, self.movegen.rules().kicks);
        run_vectors(self.movegen.level(), job);
        self.idle = 0;
        for index in 0..BATCH_SIZE {
            self.total += u64::from(self.batch.counts[index]);
            self.idle_indices[self.idle] = index as u8;
            self.idle += usize::from(self.batch.is_running[index] == 0);
        }
    }

    pub(super) fn finish(mut self) -> u64 {
        while self.idle < BATCH_SIZE {
            self.step();
        }
        self.total
    }
}

struct StepJob<'a>(&'a mut Batch, Piece, Kicks);

impl VectorJob for StepJob<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let StepJob(batch, piece, kicks) = self;
        match piece {
            Piece::I => batch.find_free::<0>(),
            Piece::O => batch.find_free::<1>(),
            Piece::T => batch.find_free::<2>(),
            Piece::S => batch.find_free::<3>(),
            Piece::Z => batch.find_free::<4>(),
            Piece::J => batch.find_free::<5>(),
            Piece::L => batch.find_free::<6>(),
        }
        batch.spread::<true>();
        match (piece, kicks) {
            (Piece::O, _) => {}
            (Piece::I, Kicks::Srs) => batch.turn_all::<0>(),
            (Piece::I, Kicks::SrsPlus) => batch.turn_all::<1>(),
            _ => batch.turn_all::<KICKS_OF_OTHERS>(),
        }
        batch.spread::<false>();
        match piece {
            Piece::I => batch.count::<0>(),
            Piece::O => batch.count::<1>(),
            Piece::T => batch.count::<2>(),
            Piece::S => batch.count::<3>(),
            Piece::Z => batch.count::<4>(),
            Piece::J => batch.count::<5>(),
            Piece::L => batch.count::<6>(),
        }
    }
}

impl Batch {
    #[inline(always)]
    fn find_free<const P: usize>(&mut self) {
        let Batch { cells: filled, free, .. } = self;
        for l in 0..BATCH_SIZE {
            let mut k = [0u16; WIDTH];
            each_column!(C => k[C] = !filled[C][l]);
            states!(S => {
                let [_, a, b, c] = const { cells(Piece::ALL[P], RotationState::ALL[S]) };
                each_column!(C => {
                    free[S][C][l] = k[C] & seen(&k, C, a) & seen(&k, C, b) & seen(&k, C, c);
                });
            });
        }
    }

    /// Adds the positions that a piece reaches by falling and shifting. `FIRST` starts new searches
    /// from row 15, above the stack.
    #[inline(always)]
    fn spread<const FIRST: bool>(&mut self) {
        let Batch { free, reached, is_running, new, .. } = self;
        states!(S => for l in 0..BATCH_SIZE {
            let (mut f, mut r, mut fresh) = ([0u16; WIDTH], [0u16; WIDTH], 0);
            let mut beside = 0;
            each_column!(C => {
                f[C] = free[S][C][l];
                let before = reached[S][C][l];
                // Row 15 is always above the stack.
                r[C] = if FIRST { before & is_running[l] | f[C] & 1 } else { before };
                r[C] = fallen(r[C] | beside & f[C], f[C]);
                beside = r[C];
                fresh |= beside & !before;
            });
            beside = 0;
            each_column!(C => {
                const D: usize = WIDTH - 1 - C;
                let before = r[D];
                beside = fallen(before | beside & f[D], f[D]);
                reached[S][D][l] = beside;
                fresh |= beside & !before;
            });
            new[l] = if FIRST { 0 } else { new[l] | fresh };
        });
    }

    #[inline(always)]
    fn turn_all<const TABLE: usize>(&mut self) {
        self.turn::<TABLE, 1, 0>();
        self.turn::<TABLE, 1, 1>();
        self.turn::<TABLE, 3, 0>();
        self.turn::<TABLE, 3, 1>();
        self.turn::<TABLE, 0, 0>();
        self.turn::<TABLE, 0, 1>();
        if TABLE != KICKS_OF_OTHERS {
            self.turn::<TABLE, 2, 0>();
            self.turn::<TABLE, 2, 1>();
        }
    }

    #[inline(always)]
    fn turn<const TABLE: usize, const S: usize, const T: usize>(&mut self) {
        let Batch { free, reached, new, .. } = self;
        let to = (S + RotationTurn::ALL[T].quarters()) % 4;
        let kicks = const {
            let mut kicks = [(0, 0); 5];
            let (table, piece) = TABLES[TABLE];
            let mut k = 0;
            while k < 5 {
                kicks[k] = kick(table, piece, RotationState::ALL[S], RotationTurn::ALL[T], k);
                k += 1;
            }
            kicks
        };
        for l in 0..BATCH_SIZE {
            let (mut f, mut into) = ([0u16; WIDTH], [0u16; WIDTH]);
            each_column!(C => f[C] = free[to][C][l]);
            each_column!(C => {
                let mut left = reached[S][C][l];
                if TABLE == KICKS_OF_OTHERS && S == 0 {
                    // The kicks from states 0 and 2 into the same state are equal.
                    left |= reached[2][C][l];
                }
                each_kick!(K => {
                    // Positions that fit leave, and the rest try the next kick.
                    let (dx, dy) = kicks[K];
                    let fits = left & seen(&f, C, (dx, dy));
                    left &= !fits;
                    let x = (C as i32 + dx) as usize;
                    if x < WIDTH {
                        into[x] |= up(fits, dy);
                    }
                });
                let _ = left;
            });
            let mut fresh = 0;
            each_column!(C => {
                fresh |= into[C] & !reached[to][C][l];
                reached[to][C][l] |= into[C];
            });
            new[l] |= fresh;
        }
    }

    #[inline(always)]
    fn count<const P: usize>(&mut self) {
        let Batch { free, reached, has_matrix, is_running, new, counts, .. } = self;
        let piece = const { Piece::ALL[P] };
        for l in 0..BATCH_SIZE {
            let (mut lacks, mut count) = (0, 0);
            let mut rest = [[0u16; WIDTH]; 4];
            states!(S => each_column!(C => {
                let f = free[S][C][l];
                let grounded = f & !up(f, 1);
                rest[S][C] = reached[S][C][l] & grounded;
                lacks |= if S < shapes(piece) { grounded & !rest[S][C] } else { 0 };
            }));
            states!(S => {
                let (to, (dx, dy)) = const { canonical(Piece::ALL[P], RotationState::ALL[S]) };
                if to.index() != S && !matches!(piece, Piece::O) {
                    each_column!(C => {
                        let x = (C as i32 + dx) as usize;
                        if x < WIDTH {
                            rest[to.index()][x] |= up(rest[S][C], dy);
                        }
                    });
                }
            });
            states!(S => if S < shapes(piece) {
                each_column!(C => count += rest[S][C].count_ones() as u16);
            });
            let ends = if (lacks == 0) | (new[l] == 0) { u16::MAX } else { 0 };
            counts[l] = count & ends & has_matrix[l];
            is_running[l] = !ends & has_matrix[l];
        }
    }
}

const KICKS_OF_OTHERS: usize = 2;

const TABLES: [(Kicks, Piece); 3] =
    [(Kicks::Srs, Piece::I), (Kicks::SrsPlus, Piece::I), (Kicks::Srs, Piece::T)];

#[inline(always)]
fn up(column: u16, rows: i32) -> u16 {
    if rows < 0 { column << -rows } else { column >> rows }
}

/// Returns the cells of column `x` that the move `way` takes to a cell of `k` or above row 15.
#[inline(always)]
fn seen(k: &[u16; WIDTH], x: usize, way: Offset) -> u16 {
    let x = (x as i32 + way.0) as usize;
    if x >= WIDTH {
        return 0;
    }
    let sky = (1u16 << way.1.max(0)) - 1;
    up(k[x], -way.1) | sky
}

#[inline(always)]
fn fallen(from: u16, free: u16) -> u16 {
    free & !from.wrapping_add(free) | from
}

/// A named board with the published number of each piece's landings (resting places), for tests.
pub struct PerftBoard {
    /// Name of the test board, by which [`perft_matrix`] finds it.
    pub name: &'static str,
    /// Published landing counts of T I L J S Z O, if known: with all rotation states, and with
    /// states of equal cells merged.
    pub counts: [(Option<u32>, Option<u32>); 7],
}

const fn both(counts: [(u32, u32); 7]) -> [(Option<u32>, Option<u32>); 7] {
    let mut out = [(None, None); 7];
    // Closures cannot run in constants, so this is a loop.
    let mut k = 0;
    while k < 7 {
        out[k] = (Some(counts[k].0), Some(counts[k].1));
        k += 1;
    }
    out
}

const EMPTY_BOARD_COUNTS: [(u32, u32); 7] =
    [(34, 34), (34, 17), (34, 34), (34, 34), (34, 17), (34, 17), (36, 9)];

/// All boards with published numbers of landings (sources: `docs/reference/sources.md`, perft).
pub const PERFT_BOARDS: [PerftBoard; 13] = [
    PerftBoard { name: "empty", counts: both(EMPTY_BOARD_COUNTS) },
    PerftBoard {
        name: "pco",
        counts: both([(35, 35), (35, 18), (35, 35), (35, 35), (34, 17), (36, 18), (36, 9)]),
    },
    PerftBoard {
        name: "pco mirrored",
        counts: both([(35, 35), (35, 18), (35, 35), (35, 35), (36, 18), (34, 17), (36, 9)]),
    },
    PerftBoard {
        name: "loop",
        counts: both([(35, 35), (108, 54), (35, 35), (36, 36), (34, 17), (36, 18), (36, 9)]),
    },
    PerftBoard {
        name: "loop mirrored",
        counts: both([(35, 35), (108, 54), (36, 36), (35, 35), (36, 18), (34, 17), (36, 9)]),
    },
    PerftBoard { name: "side 4-wide", counts: both(EMPTY_BOARD_COUNTS) },
    PerftBoard { name: "center 4-wide", counts: both(EMPTY_BOARD_COUNTS) },
    PerftBoard {
        name: "dt",
        counts: both([(39, 39), (34, 17), (35, 35), (37, 37), (34, 17), (40, 20), (36, 9)]),
    },
    PerftBoard {
        name: "dt mirrored",
        counts: both([(39, 39), (34, 17), (37, 37), (35, 35), (40, 20), (34, 17), (36, 9)]),
    },
    PerftBoard {
        name: "rotating_early",
        counts: both([(73, 73), (70, 35), (72, 72), (69, 69), (70, 35), (70, 35), (36, 9)]),
    },
    PerftBoard {
        name: "lemontea",
        counts: [
            (Some(37), None),
            (Some(34), Some(17)),
            (None, None),
            (Some(35), None),
            (Some(35), Some(18)),
            (Some(34), Some(17)),
            (None, Some(9)),
        ],
    },
    PerftBoard {
        name: "lzt",
        counts: [
            (Some(34), None),
            (Some(93), Some(49)),
            (None, None),
            (Some(34), None),
            (Some(34), Some(17)),
            (Some(129), Some(65)),
            (None, Some(9)),
        ],
    },
    PerftBoard { name: "tsd", counts: [(Some(37), None), N, N, N, N, N, N] },
];

const N: (Option<u32>, Option<u32>) = (None, None);

const PCO: &str = "##.....###/##....####/##...#####/##....####";
const DT: &str =
    ".....#..../..##.##.../...####..#/##.#######/#..#######/#...######/##.#######/##.#######";
const LOOP: &str = "......####/.........#/########.#/#........#/#.######.#/#.######.#/#........#/\
    #.########/#........#/#.######.#/#.######.#/#........#/########.#/########.#/#........#/\
    #.######.#/#.######.#/#........#/.#########";
const LEMONTEA: &str =
    "#........./#........./##......##/###....###/####...###/####..####/###...####/####.#####";
const LZT: &str = "####..###./#####.####/......#..#/........../...#....../....##.#.#/###.#...../\
    ##..#....#/#....#..../##..####.#/#....##.../##.###..../.......#../......###./##.#....../\
    #....#..../#...#....#/#..##.#.##/##..######";
const TSD: &str = ".....##.../###...####/####.#####";

/// Returns the matrix of the test board called `name`, or an empty matrix if there is none.
#[must_use]
pub fn perft_matrix(name: &str) -> Matrix {
    let rows = |row: &str, count: usize| format!("{row}/").repeat(count);
    let picture = match name {
        "pco" | "pco mirrored" => PCO.to_owned(),
        "loop" | "loop mirrored" => LOOP.to_owned(),
        "dt" | "dt mirrored" => DT.to_owned(),
        "side 4-wide" => rows("....######", 19) + ".#########",
        "center 4-wide" => rows("###....###", 19) + "###.######",
        "rotating_early" => {
            format!(
                ".#......../........##/...#.....#/#.######.#/{}",
                rows(".........#", 16).trim_end_matches('/')
            )
        }
        "lemontea" => LEMONTEA.to_owned(),
        "lzt" => LZT.to_owned(),
        "tsd" => TSD.to_owned(),
        _ => "..........".to_owned(),
    };
    let matrix: Matrix = picture.parse().unwrap_or_default();
    if name.ends_with("mirrored") { matrix.mirrored() } else { matrix }
}
