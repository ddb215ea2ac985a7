//! Every landing of a piece, all positions of a state at once.
//!
//! A set of positions of one state is a set of centre cells, so it has the form of the matrix: a
//! word per column. Where the piece fits is the AND of the free cells moved by its four cells.
//! Falling is one addition, a shift moves the columns by one, a kick moves all positions at once,
//! and those that it leaves over try the next kick. [`super::positions`] is the specification.
//!
//! Three short cuts, all exact. When the stack is no higher than [`OPEN_SKY`], the piece gets
//! anywhere above it, so that the search begins with everything that falls from there. When all
//! places of rest are reached by then, and no spin asks how, nothing is left to search. And when the
//! stack is no higher than [`LOW_STACK`], rows 0 to 15 are enough, and columns of 16 bits:
//!
//! - A position that fits and whose centre lies at row 12 or above fits a row further up, too: its lowest
//!   cells alone can be beside filled ones. So it falls there from the sky, and kicks into such rows from
//!   above, two rows at most, add nothing.
//! - No kick from these rows into those above tells anything. Pieces whose lowest cell may be as low as
//!   row 12 turn by a kick that leads no higher, since an earlier test fits: the first, and beside a wall
//!   one that is moved aside.
//!
//! A list of landings takes 54 ns at `avx2`, averaged over pieces and positions of games with stacks up to
//! 12 rows, where three registers of SSE2 took 169; `perft` of six pieces takes 0.40 s and took 0.86. In
//! stacks of 13 to 18 rows a list takes 125 ns from `avx512` on. (One core of a shared Xeon, least of 15.) At `avx2`
//! the three registers, written by AVX2's instructions and moved without a way through memory, take 0.79 of the CPU
//! time that SSE2's took, `perft` of five pieces from a stack of 15 rows, and 0.85 of what every kick written out took.

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

/// Highest stack above which a piece in any state gets to any column.
///
/// Rows from 16 up are empty then, and a piece whose centre is at row 18 reaches down to row 16.
const OPEN_SKY: usize = 16;
/// Row of the centre cells of pieces in the open sky: they reach two rows down and two up.
const SKY_ROW: usize = OPEN_SKY + 2;
/// The same where only rows 0 to 15 are kept.
const LOW_SKY_ROW: usize = 15;
/// The rows that are empty then.
const ABOVE: u32 = bit(OPEN_SKY) | (bit(OPEN_SKY) - 1);

crate::names! {
    /// Which landings are looked for: all, or those of a player who never slides under anything.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Moves as "movement" {
        /// Turns and shifts at the height of the spawn, then one drop.
        HardDrops = "hard-drop",
        /// All that shifts, soft drops and turns reach, with spins.
        All = "full",
    }
}

/// Finds landings. Holds nothing but settings, and may be shared.
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
    /// A generator.
    #[must_use]
    pub const fn new(rules: Guideline, moves: Moves, level: Level) -> MoveGenerator {
        MoveGenerator { rules, moves, level }
    }

    /// Its rules.
    #[must_use]
    pub const fn rules(&self) -> &Guideline {
        &self.rules
    }

    /// The instruction level that it runs at; landings do not depend on it.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Writes the landings of a piece into `out`: canonical states only, each with its best spin.
    /// None means that the piece cannot spawn.
    #[inline]
    pub fn landings(&self, matrix: &Matrix, piece: Piece, out: &mut Landings) {
        self.ask(matrix, piece, Ask::List(out.restart(piece)));
    }

    /// How many landings a piece has.
    #[must_use]
    #[inline]
    pub fn count(&self, matrix: &Matrix, piece: Piece) -> u32 {
        self.ask(matrix, piece, Ask::Count)
    }

    /// How many landings a piece has when states that fill the same cells count apart: four times
    /// as many for O.
    #[must_use]
    pub fn count_states(&self, matrix: &Matrix, piece: Piece) -> u32 {
        self.ask(matrix, piece, Ask::CountStates)
    }

    /// Asks one question, in the narrowest sets that the stack allows.
    #[inline]
    fn ask(&self, matrix: &Matrix, piece: Piece, ask: Ask) -> u32 {
        let find = Find { rules: self.rules, moves: self.moves, matrix, piece };
        run(self.level, matrix.stack_height() <= LOW_STACK, Question { find, ask })
    }
}

/// One question: the landings of a piece.
#[derive(Clone, Copy)]
struct Find<'a> {
    rules: Guideline,
    moves: Moves,
    matrix: &'a Matrix,
    piece: Piece,
}

impl Find<'_> {
    /// Where the piece fits, by state.
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

    /// The positions to search from, all that falls from them included.
    #[inline(always)]
    fn start<C: Columns>(self, free: &[C; 4], is_open: bool) -> Option<[C; 4]> {
        let none = C::none();
        if is_open {
            let sky = C::rows(bit(if C::IS_LOW { LOW_SKY_ROW } else { SKY_ROW }));
            let fallen = states!(S => sky.and(free[S]).fallen(free[S]));
            // One state of O is kept, since it does not turn and all four fill the same cells.
            let is_o = self.piece == Piece::O;
            return Some(if is_o { [fallen[0], none, none, none] } else { fallen });
        }
        let spawn = Position::spawn(&self.rules, self.matrix, self.piece)?;
        let mut columns = [0; WIDTH];
        columns[spawn.x as usize] = bit(spawn.y as usize);
        Some([C::load(&columns), none, none, none])
    }

    /// The places of rest to look for: of states that fill the same cells one is enough.
    #[inline(always)]
    fn wanted<C: Columns>(self, grounded: &[C; 4], apart: bool) -> [C; 4] {
        let none = C::none();
        let [a, b, ..] = *grounded;
        match shapes(self.piece) {
            1 => [a, none, none, none],
            // I, S and Z: the other states are merged into these, so that nothing is missing once these are
            // found.
            2 if !apart => [a, b, none, none],
            _ => *grounded,
        }
    }

    /// Lists places of rest of a T, each with its best spin.
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
            // With corners, the fifth kick makes a mini spin full; a full one is full already.
            let fifth = if alone { fifth } else { fifth.and(corners.mini[s]) };
            let full = search.turned[s].and(corners.full[s]).or(fifth).and(rest);
            // The best spin that can end there is the landing's: what is full is not listed as mini again.
            let mini = search.turned[s].and(corners.mini[s]).and(rest).without(full);
            let plain = rest.without(mini).without(full);
            for (spin, set) in [(Spin::None, plain), (Spin::Mini, mini), (Spin::Full, full)] {
                set.list(Landings::base(s, spin), out);
            }
        }
        0
    }

    /// Follows shifts, drops and turns.
    #[inline(always)]
    fn search<C: Columns>(self, search: &mut Search<C>) {
        let falls = self.moves == Moves::All;
        search.flood(Motion::new(self.piece, &self.rules, falls));
        // One drop, at the end of all turns and shifts.
        if !falls {
            search.reached = states!(S => search.reached[S].fallen(search.free[S]));
        }
    }
}

/// Where a piece of index P fits, by state.
#[inline(always)]
fn free<C: Columns, const P: usize>(cells: C) -> [C; 4] {
    let free = C::rows(u32::MAX).without(cells);
    [fits::<C, P, 0>(free), fits::<C, P, 1>(free), fits::<C, P, 2>(free), fits::<C, P, 3>(free)]
}

/// Positions of one state at which all four cells are free: the free cells, seen from each cell, intersected.
#[inline(always)]
fn fits<C: Columns, const P: usize, const S: usize>(free: C) -> C {
    // The centre cell comes first and needs no move. `seen` instead of `moved`, since above the rows of a low
    // set all is free.
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

/// Moves the centres of the third and fourth state to those of the first and second that fill the same cells.
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
        // What moves out of the matrix at its right would be a member beyond the last column in some sets.
        a.or(c.moved(half.0, half.1).and(inside)),
        b.or(d.moved(left.0, left.1).and(inside)),
        none,
        none,
    ]
}

/// What is asked of the places of rest.
enum Ask<'a> {
    /// To be listed, with spins.
    List(&'a mut Vec<u32>),
    /// How many fill different cells.
    Count,
    /// How many there are: states that fill the same cells count apart.
    CountStates,
}

/// One job for all that is asked, so that the search is compiled once for each kind of set.
struct Question<'a> {
    find: Find<'a>,
    ask: Ask<'a>,
}

impl ColumnsJob for Question<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<C: Columns>(self) -> u32 {
        let Question { find, ask } = self;
        let cells = C::load(find.matrix.columns());
        // Only a list of a T's landings tells spins, and a drop after the last turn ends one.
        let spins =
            find.piece == Piece::T && find.moves == Moves::All && matches!(ask, Ask::List(_));
        let free = find.free(cells);
        let is_open = C::IS_LOW || cells.and(C::rows(ABOVE)).is_empty();
        let Some(reached) = find.start(&free, is_open) else { return 0 };
        // Free here and not free one row down: `moved` brings nothing in at the floor, so that the floor is not
        // free.
        let grounded = states!(S => free[S].without(free[S].moved(0, 1)));
        let none = [C::none(); 4];
        let wanted = find.wanted(&grounded, matches!(ask, Ask::CountStates));
        let mut corners = Corners { full: none, mini: none };
        let mut search = Search { free, reached, turned: none, fifth: none, wanted, asked: none };
        if spins {
            corners = Corners::of(&find.rules, cells);
            search.asked = corners.asked(&find.rules, &grounded);
        }
        // Everything wanted falls from the open sky, and nobody asks how it got there: there is nothing to
        // search.
        let is_known = is_open
            && (find.moves == Moves::HardDrops || search.has_found())
            && all_empty(&search.asked);
        if !is_known {
            find.search(&mut search);
        }
        let rest = states!(S => search.reached[S].and(grounded[S]));
        match ask {
            Ask::Count => C::total(&merged(find.piece, &rest)),
            Ask::CountStates if find.piece == Piece::O => 4 * C::total(&rest),
            Ask::CountStates => C::total(&rest),
            Ask::List(out) if spins => find.list_spun(&search, &corners, &rest, out),
            Ask::List(out) => list(find.piece, &merged(find.piece, &rest), out),
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
