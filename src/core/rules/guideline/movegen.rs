//! Generates every landing of a piece, for all positions of a state at once.
//!
//! A set of positions of one state is a set of centre cells, so it is stored like the matrix, as
//! one word per column. The positions where a piece fits are the AND of the free cells, moved by
//! each of its four cells. Falling is one addition, and a shift moves the columns by one. A kick
//! moves all positions at once, and positions where it does not fit try the next kick.
//! [`super::positions`] is the specification.
//!
//! Three short cuts keep the result exact. If the stack is no higher than [`OPEN_SKY`], a piece can
//! reach any place above it. The search then begins with all positions that fall from there. If
//! these include all places of rest, and no spin depends on the arrival, there is no search. If the
//! stack is no higher than [`LOW_STACK`], rows 0 to 15 suffice, in columns of 16 bits:
//!
//! - A position that fits with its centre at row 12 or above also fits one row higher, because only
//!   its lowest cells can be beside filled ones. It therefore falls there from the sky. Kicks from
//!   above into such rows, at most two rows down, add nothing.
//! - Kicks from these rows to higher rows add nothing. A piece whose lowest cell may be as low as
//!   row 12 turns by a kick that leads no higher, because an earlier test fits. The earlier test is
//!   the first, or beside a wall one that moves sideways.
//!
//! Times are on one core of a shared Xeon, the minimum of 15 runs:
//!
//! | measurement | time | before |
//! |---|---|---|
//! | list of landings at `avx2`, stacks up to 12 rows | 54 ns | 169 ns (three SSE2 registers) |
//! | list of landings from `avx512` on, stacks of 13 to 18 rows | 125 ns | |
//! | `perft` of six pieces | 0.40 s | 0.86 s |
//!
//! At `avx2` the three registers use AVX2 instructions and avoid moves through memory. For `perft`
//! of five pieces from a stack of 15 rows this takes 0.79 of the CPU time of SSE2. It takes 0.85 of
//! the time with every kick as code.

use super::corners::{Corners, states};
use super::flood_fill::{Motion, Search, all_empty};
use super::landing::Landings;
use super::options::{FifthKick, Guideline};
use super::positions::Position;
use super::srs::{RotationState, canonical, cells, shapes};
use crate::kernels::Level;
use crate::matrix::{Matrix, bit};
use crate::piece::Piece;
use crate::placement::Spin;
use crate::simd::columns::{Columns, ColumnsJob, LOW_STACK, WIDTH, run};

/// Highest stack above which a piece in any state can reach any column.
///
/// With such a stack rows from 16 up are empty, and a piece with its centre at row 18 reaches down
/// to row 16.
const OPEN_SKY: usize = 16;
/// Row of the centre cells of pieces in the open sky, which reach two rows down and two up.
const SKY_ROW: usize = OPEN_SKY + 2;
/// Row of the centre cells of pieces in the open sky if only rows 0 to 15 are stored.
const LOW_SKY_ROW: usize = 15;
/// Rows that are empty under an open sky.
const ABOVE: u32 = bit(OPEN_SKY) | (bit(OPEN_SKY) - 1);

crate::names! {
    /// The kinds of movement considered: all, or only hard drops without sliding under overhangs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Moves as "movement" {
        /// Turns and shifts at the height of the spawn, then one drop.
        HardDrops = "hard-drop",
        /// All shifts, soft drops and turns, with spins.
        All = "full",
    }
}

/// A generator of landings. It holds only settings and can be shared.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{kernels::Level, matrix::Matrix, piece::Piece};
/// use tetrastat::rules::guideline::{Guideline, Moves, MoveGenerator};
/// let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
/// let counts = Piece::ALL.map(|piece| movegen.count(&Matrix::EMPTY, piece));
/// assert_eq!(counts, [17, 9, 34, 17, 17, 34, 34]); // I O T S Z J L
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MoveGenerator {
    rules: Guideline,
    moves: Moves,
    level: Level,
}

impl MoveGenerator {
    /// Creates a generator that runs at an instruction level.
    #[must_use]
    pub const fn new(rules: Guideline, moves: Moves, level: Level) -> MoveGenerator {
        MoveGenerator { rules, moves, level }
    }

    /// Returns the rules of the generator.
    #[must_use]
    pub const fn rules(&self) -> &Guideline {
        &self.rules
    }

    /// Returns the instruction level; landings do not depend on it.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Writes the landings of a piece into `out`: canonical states only, each with its best spin.
    /// An empty list means that the piece cannot spawn.
    #[inline]
    pub fn landings(&self, matrix: &Matrix, piece: Piece, out: &mut Landings) {
        self.answer(matrix, piece, Query::List(out.restart(piece)));
    }

    /// Returns the number of landings of a piece.
    #[must_use]
    #[inline]
    pub fn count(&self, matrix: &Matrix, piece: Piece) -> u32 {
        self.answer(matrix, piece, Query::Count)
    }

    /// Returns the number of landings of a piece, counting states with equal cells separately,
    /// which gives four times as many for O.
    #[must_use]
    pub fn count_states(&self, matrix: &Matrix, piece: Piece) -> u32 {
        self.answer(matrix, piece, Query::CountStates)
    }

    /// Answers one query, in the narrowest sets that the stack allows.
    #[inline]
    fn answer(&self, matrix: &Matrix, piece: Piece, query: Query) -> u32 {
        let find = Find { rules: self.rules, moves: self.moves, matrix, piece };
        run(self.level, matrix.stack_height() <= LOW_STACK, QueryJob { find, query })
    }
}

/// The search for the landings of one piece.
#[derive(Clone, Copy)]
struct Find<'a> {
    rules: Guideline,
    moves: Moves,
    matrix: &'a Matrix,
    piece: Piece,
}

impl Find<'_> {
    /// Returns the positions where the piece fits, by state.
    #[inline(always)]
    fn free<C: Columns>(self, cells: C) -> [C; 4] {
        match self.piece {
            Piece::I => free::<C, 0>(cells),
            Piece::O => free::<C, 1>(cells),
            Piece::T => free::<C, 2>(cells),
            Piece::S => free::<C, 3>(cells),
            Piece::Z => free::<C, 4>(cells),
            Piece::J => free::<C, 5>(cells),
            Piece::L => free::<C, 6>(cells),
        }
    }

    /// Returns the positions at the start of the search, including all that fall from them.
    #[inline(always)]
    fn start<C: Columns>(self, free: &[C; 4], is_open: bool) -> Option<[C; 4]> {
        let none = C::none();
        if is_open {
            let sky = C::rows(bit(if C::IS_LOW { LOW_SKY_ROW } else { SKY_ROW }));
            let fallen = states!(S => sky.and(free[S]).fallen(free[S]));
            // O keeps one state, because it does not turn and all its states fill the same cells.
            let is_o = self.piece == Piece::O;
            return Some(if is_o { [fallen[0], none, none, none] } else { fallen });
        }
        let spawn = Position::spawn(&self.rules, self.matrix, self.piece)?;
        let mut columns = [0; WIDTH];
        columns[spawn.x as usize] = bit(spawn.y as usize);
        Some([C::load(&columns), none, none, none])
    }

    /// Returns the places of rest to find; of states with equal cells, one is enough.
    #[inline(always)]
    fn wanted<C: Columns>(self, grounded: &[C; 4], apart: bool) -> [C; 4] {
        let none = C::none();
        let [a, b, ..] = *grounded;
        match shapes(self.piece) {
            1 => [a, none, none, none],
            // The other states of I, S and Z are merged into these two, so finding these finds all.
            2 if !apart => [a, b, none, none],
            _ => *grounded,
        }
    }

    /// Lists the places of rest of a T, each with its best spin.
    #[inline(always)]
    fn list_spun<C: Columns>(
        self,
        search: &Search<C>,
        corners: &Corners<C>,
        rest: &[C; 4],
        out: &mut Vec<u32>,
    ) -> u32 {
        let alone = self.rules.fifth_kick == FifthKick::Alone;
        for s in 0..4 {
            let (rest, fifth) = (rest[s], search.fifth[s]);
            // With three corners filled the fifth kick makes a mini spin full; others are full.
            let fifth = if alone { fifth } else { fifth.and(corners.mini[s]) };
            let full = search.turned[s].and(corners.full[s]).or(fifth).and(rest);
            // Each landing is listed with its best spin, so full spins are removed from mini spins.
            let mini = search.turned[s].and(corners.mini[s]).and(rest).without(full);
            let plain = rest.without(mini).without(full);
            for (spin, set) in [(Spin::None, plain), (Spin::Mini, mini), (Spin::Full, full)] {
                set.list(Landings::base(s, spin), out);
            }
        }
        0
    }

    /// Follows shifts, drops and turns from the start of the search.
    #[inline(always)]
    fn search<C: Columns>(self, search: &mut Search<C>) {
        let falls = self.moves == Moves::All;
        search.flood(Motion::new(self.piece, &self.rules, falls));
        // Without soft drops, one drop follows all turns and shifts.
        if !falls {
            search.reached = states!(S => search.reached[S].fallen(search.free[S]));
        }
    }
}

/// Returns the positions where the piece of index `P` fits, by state.
#[inline(always)]
fn free<C: Columns, const P: usize>(cells: C) -> [C; 4] {
    let free = C::rows(u32::MAX).without(cells);
    [fits::<C, P, 0>(free), fits::<C, P, 1>(free), fits::<C, P, 2>(free), fits::<C, P, 3>(free)]
}

/// Returns the positions of state `S` at which all four cells are free.
#[inline(always)]
fn fits<C: Columns, const P: usize, const S: usize>(free: C) -> C {
    // The centre cell comes first and needs no move. Unlike `moved`, `seen` treats cells above the
    // rows of a low set as free.
    let [_, a, b, c] = const { cells(Piece::ALL[P], RotationState::ALL[S]) };
    free.and(free.seen(a.0, a.1)).and(free.seen(b.0, b.1)).and(free.seen(c.0, c.1))
}

/// Merges states that fill the same cells.
#[inline(always)]
fn merged<C: Columns>(piece: Piece, rest: &[C; 4]) -> [C; 4] {
    let none = C::none();
    let [a, b, c, d] = *rest;
    match piece {
        Piece::O => [a, none, none, none],
        Piece::I => merge::<C, 0>(a, b, c, d),
        Piece::S | Piece::Z => merge::<C, 3>(a, b, c, d),
        Piece::T | Piece::J | Piece::L => *rest,
    }
}

/// Moves positions of the last two states to those of the first two with equal cells.
#[inline(always)]
fn merge<C: Columns, const P: usize>(a: C, b: C, c: C, d: C) -> [C; 4] {
    let (half, left) = const {
        (
            canonical(Piece::ALL[P], RotationState::Half).1,
            canonical(Piece::ALL[P], RotationState::Left).1,
        )
    };
    let inside = C::rows(u32::MAX);
    let none = C::none();
    [
        // Positions moved beyond the right wall would stay in some kinds of sets.
        a.or(c.moved(half.0, half.1).and(inside)),
        b.or(d.moved(left.0, left.1).and(inside)),
        none,
        none,
    ]
}

/// The query about places of rest.
enum Query<'a> {
    /// Lists places of rest with their spins.
    List(&'a mut Vec<u32>),
    /// Counts places of rest with different cells.
    Count,
    /// Counts places of rest, with states of equal cells counted separately.
    CountStates,
}

/// A query as one job, so that the search is compiled once for each kind of set.
struct QueryJob<'a> {
    find: Find<'a>,
    query: Query<'a>,
}

impl ColumnsJob for QueryJob<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<C: Columns>(self) -> u32 {
        let QueryJob { find, query } = self;
        let cells = C::load(find.matrix.columns());
        // Spins matter only for lists of T landings without a final drop.
        let spins =
            find.piece == Piece::T && find.moves == Moves::All && matches!(query, Query::List(_));
        let free = find.free(cells);
        let is_open = C::IS_LOW || cells.and(C::rows(ABOVE)).is_empty();
        let Some(reached) = find.start(&free, is_open) else { return 0 };
        // A piece rests where the row below is not free; `moved` adds no free cells there.
        let grounded = states!(S => free[S].without(free[S].moved(0, 1)));
        let none = [C::none(); 4];
        let wanted = find.wanted(&grounded, matches!(query, Query::CountStates));
        let mut corners = Corners { full: none, mini: none };
        let mut search =
            Search { free, reached, turned: none, fifth: none, wanted, turn_matters: none };
        if spins {
            corners = Corners::of(&find.rules, cells);
            search.turn_matters = corners.turn_matters(&find.rules, &grounded);
        }
        // All wanted positions fall from the sky and no arrival matters: no search is needed.
        let is_known = is_open
            && (find.moves == Moves::HardDrops || search.has_found())
            && all_empty(&search.turn_matters);
        if !is_known {
            find.search(&mut search);
        }
        let rest = states!(S => search.reached[S].and(grounded[S]));
        match query {
            Query::Count => C::total(&merged(find.piece, &rest)),
            Query::CountStates if find.piece == Piece::O => 4 * C::total(&rest),
            Query::CountStates => C::total(&rest),
            Query::List(out) if spins => find.list_spun(&search, &corners, &rest, out),
            Query::List(out) => list(find.piece, &merged(find.piece, &rest), out),
        }
    }
}

/// Lists places of rest without spins.
#[inline(always)]
fn list<C: Columns>(piece: Piece, rest: &[C; 4], out: &mut Vec<u32>) -> u32 {
    for (s, rest) in rest.iter().enumerate().take(shapes(piece)) {
        rest.list(Landings::base(s, Spin::None), out);
    }
    0
}
