//! Every landing of a piece, all positions of a state at once.
//!
//! A set of positions of one state is a set of centre cells, so it has the form of the matrix: a
//! `u32` per column. Where the piece fits is the AND of the free cells moved by its four cells.
//! Falling is one addition, a shift moves the columns by one, a kick moves all positions at once,
//! and those that it leaves over try the next kick. [`super::walk`] is the specification.
//!
//! Two short cuts, both exact. When the stack is no higher than [`OPEN_SKY`], the piece gets
//! anywhere above it, so that the search begins with everything that falls from there. And when all
//! places of rest are reached by then, and no spin asks how, nothing is left to search.

use std::fmt;
use std::str::FromStr;

use super::corners::{Corners, states};
use super::flood::Search;
use super::landing::Landings;
use super::options::{FifthKick, Guideline};
use super::srs::{Kicks, State, canonical, cells, shapes};
use super::walk::Position;
use crate::error::{Error, Result};
use crate::kernels::Level;
use crate::kernels::columns::{Columns, Job, WIDTH, run};
use crate::matrix::{Matrix, bit};
use crate::piece::Piece;
use crate::placement::Spin;

/// Highest stack above which a piece in any state gets to any column.
const OPEN_SKY: usize = 16;
/// Row of the centre cells of pieces in the open sky: they reach two rows down and two up.
const SKY_ROW: usize = OPEN_SKY + 2;
/// The rows that are empty then.
const ABOVE: u32 = bit(OPEN_SKY) | (bit(OPEN_SKY) - 1);

/// Which landings are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moves {
    /// Turns and shifts at the height of the spawn, then one drop.
    HardDrops,
    /// All that shifts, soft drops and turns reach, with spins.
    All,
}

/// The names of the sets of moves.
pub const MOVEMENT_NAMES: [&str; 2] = ["hard-drop", "full"];

impl FromStr for Moves {
    type Err = Error;

    fn from_str(name: &str) -> Result<Moves> {
        match name {
            "hard-drop" => Ok(Moves::HardDrops),
            "full" => Ok(Moves::All),
            _ => Err(Error::unknown("movement", name, MOVEMENT_NAMES)),
        }
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MOVEMENT_NAMES[*self as usize])
    }
}

/// Finds landings. Holds nothing but settings.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    rules: Guideline,
    moves: Moves,
    level: Level,
}

impl Reach {
    /// A generator.
    #[must_use]
    pub const fn new(rules: Guideline, moves: Moves, level: Level) -> Reach {
        Reach { rules, moves, level }
    }

    /// Its rules.
    #[must_use]
    pub const fn rules(&self) -> &Guideline {
        &self.rules
    }

    /// Writes the landings of a piece into `out`: canonical states only, each with its best spin.
    /// None means that the piece cannot spawn.
    #[inline]
    pub fn landings(&self, matrix: &Matrix, piece: Piece, out: &mut Landings) {
        run(self.level, List { find: self.find(matrix, piece), out: out.restart(piece) });
    }

    /// How many landings a piece has.
    #[must_use]
    #[inline]
    pub fn count(&self, matrix: &Matrix, piece: Piece) -> u32 {
        run(self.level, Count { find: self.find(matrix, piece) })
    }

    /// How many landings a piece has when states that fill the same cells count apart: four times
    /// as many for O.
    #[must_use]
    pub fn count_states(&self, matrix: &Matrix, piece: Piece) -> u32 {
        run(self.level, CountStates { find: self.find(matrix, piece) })
    }

    fn find<'a>(&self, matrix: &'a Matrix, piece: Piece) -> Find<'a> {
        Find { rules: self.rules, moves: self.moves, matrix, piece }
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

/// The answer, by state.
struct Found<C> {
    rest: [C; 4],
    mini: [C; 4],
    full: [C; 4],
}

impl Find<'_> {
    /// All landings; `apart` keeps on searching when only states that fill the same cells are left.
    #[inline(always)]
    fn all<C: Columns>(self, spins: bool, apart: bool) -> Found<C> {
        let cells = C::load(self.matrix.columns());
        let none = [C::none(); 4];
        let free = match self.piece {
            Piece::I => free::<C, 0>(cells),
            Piece::O => free::<C, 1>(cells),
            Piece::T => free::<C, 2>(cells),
            Piece::S => free::<C, 3>(cells),
            Piece::Z => free::<C, 4>(cells),
            Piece::J => free::<C, 5>(cells),
            Piece::L => free::<C, 6>(cells),
        };
        let is_open = cells.and(C::rows(ABOVE)).is_empty();
        let Some(reached) = self.start(&free, is_open) else {
            return Found { rest: none, mini: none, full: none };
        };
        let grounded = states!(S => free[S].without(free[S].moved(0, 1)));
        let mut search = Search { free, reached, turned: none, fifth: none };
        if !(spins && self.piece == Piece::T && self.moves == Moves::All) {
            if !(is_open && self.is_complete(&search, &grounded, apart)) {
                self.search(&mut search);
            }
            let rest = states!(S => search.reached[S].and(grounded[S]));
            return Found { rest, mini: none, full: none };
        }
        let corners = Corners::of(&self.rules, cells);
        if !(is_open
            && corners.is_idle(&self.rules, &grounded)
            && self.is_complete(&search, &grounded, apart))
        {
            self.search(&mut search);
        }
        self.spun(&search, &grounded, &corners)
    }

    /// Rests with their spins.
    #[inline(always)]
    fn spun<C: Columns>(
        self,
        search: &Search<C>,
        grounded: &[C; 4],
        corners: &Corners<C>,
    ) -> Found<C> {
        let alone = self.rules.fifth_kick == FifthKick::Alone;
        let rest = states!(S => search.reached[S].and(grounded[S]));
        let full = states!(S => {
            let fifth = if alone { search.fifth[S] } else { search.fifth[S].and(corners.mini[S]) };
            search.turned[S].and(corners.full[S]).or(fifth).and(rest[S])
        });
        let mini = states!(S => {
            search.turned[S].and(corners.mini[S]).and(rest[S]).without(full[S])
        });
        Found { rest, mini, full }
    }

    /// The positions to search from, all that falls from them included.
    #[inline(always)]
    fn start<C: Columns>(self, free: &[C; 4], is_open: bool) -> Option<[C; 4]> {
        let none = C::none();
        if is_open {
            let sky = C::rows(bit(SKY_ROW));
            let fallen = states!(S => sky.and(free[S]).fallen(free[S]));
            let is_o = self.piece == Piece::O;
            return Some(if is_o { [fallen[0], none, none, none] } else { fallen });
        }
        let spawn = Position::spawn(&self.rules, self.matrix, self.piece)?;
        let mut columns = [0; WIDTH];
        columns[spawn.x as usize] = bit(spawn.y as usize);
        Some([C::load(&columns), none, none, none])
    }

    /// Whether all places of rest that count are reached from the open sky; those that a drop
    /// without shifts below reaches are all that hard drops ask for.
    #[inline(always)]
    fn is_complete<C: Columns>(self, search: &Search<C>, grounded: &[C; 4], apart: bool) -> bool {
        if self.moves == Moves::HardDrops {
            return true;
        }
        let counted = if apart && self.piece != Piece::O { 4 } else { shapes(self.piece) };
        let missing = states!(S => grounded[S].without(search.reached[S]));
        let left = match counted {
            1 => missing[0],
            2 => missing[0].or(missing[1]),
            _ => missing[0].or(missing[1]).or(missing[2]).or(missing[3]),
        };
        left.is_empty()
    }

    #[inline(always)]
    fn search<C: Columns>(self, search: &mut Search<C>) {
        let falls = self.moves == Moves::All;
        match (self.piece, self.rules.kicks) {
            (Piece::O, _) => search.reached[0] = search.spread(0, falls),
            (Piece::I, Kicks::Srs) => search.flood::<0, 0>(falls, self.rules.half_turns),
            (Piece::I, Kicks::SrsPlus) => search.flood::<0, 1>(falls, self.rules.half_turns),
            _ => search.flood::<2, 0>(falls, self.rules.half_turns),
        }
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

#[inline(always)]
fn fits<C: Columns, const P: usize, const S: usize>(free: C) -> C {
    let [_, a, b, c] = const { cells(Piece::ALL[P], State::ALL[S]) };
    let at = |(x, y): (i32, i32)| free.moved(-x, -y);
    free.and(at(a)).and(at(b)).and(at(c))
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

#[inline(always)]
fn merge<C: Columns, const P: usize>(a: C, b: C, c: C, d: C) -> [C; 4] {
    let (half, left) = const {
        (canonical(Piece::ALL[P], State::Half).1, canonical(Piece::ALL[P], State::Left).1)
    };
    let inside = C::rows(u32::MAX);
    let none = C::none();
    [
        a.or(c.moved(half.0, half.1).and(inside)),
        b.or(d.moved(left.0, left.1).and(inside)),
        none,
        none,
    ]
}

struct List<'a> {
    find: Find<'a>,
    out: &'a mut Vec<u32>,
}

impl Job for List<'_> {
    type Output = ();

    #[inline(always)]
    fn run<C: Columns>(self) {
        let piece = self.find.piece;
        if piece == Piece::T && self.find.moves == Moves::All {
            let found = self.find.all::<C>(true, false);
            for s in 0..4 {
                let plain = found.rest[s].without(found.mini[s]).without(found.full[s]);
                plain.list(Landings::base(s, Spin::None), self.out);
                found.mini[s].list(Landings::base(s, Spin::Mini), self.out);
                found.full[s].list(Landings::base(s, Spin::Full), self.out);
            }
            return;
        }
        let found = self.find.all::<C>(false, false);
        let rest = merged(piece, &found.rest);
        for s in 0..shapes(piece) {
            rest[s].list(Landings::base(s, Spin::None), self.out);
        }
    }
}

struct Count<'a> {
    find: Find<'a>,
}

impl Job for Count<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<C: Columns>(self) -> u32 {
        let found = self.find.all::<C>(false, false);
        let rest = merged(self.find.piece, &found.rest);
        total(&rest)
    }
}

/// Members of all states.
#[inline(always)]
fn total<C: Columns>(sets: &[C; 4]) -> u32 {
    sets[0].count() + sets[1].count() + sets[2].count() + sets[3].count()
}

struct CountStates<'a> {
    find: Find<'a>,
}

impl Job for CountStates<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<C: Columns>(self) -> u32 {
        let found = self.find.all::<C>(false, true);
        let sum = total(&found.rest);
        if self.find.piece == Piece::O { 4 * sum } else { sum }
    }
}
