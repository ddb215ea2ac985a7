//! Generates every landing of a piece. All positions of a rotation state are computed at once.
//!
//! A *set* of positions of one rotation state is a set of centre cells, stored like the matrix, as
//! one word per column. The positions where a piece fits are the AND of the free cells moved by the
//! offset of each of its cells. Falling is one addition, and a shift moves the columns by one. A
//! kick moves all positions at once, and positions where it does not fit try the next. The slower
//! search in [`super::positions`] is the specification.
//!
//! Three short cuts keep the result exact. If the stack is no higher than [`OPEN_SKY`], the search
//! begins with all positions to which pieces fall from above. If these include all resting
//! positions, and no spin depends on the arrival, no search is needed. If the stack is no higher
//! than [`LOW_STACK`], rows 0 to 15 suffice, in columns of 16 bits:
//!
//! - A piece that fits with its centre at row 12 or above also fits one row higher, since only its
//!   lowest cells can be beside filled ones. It reaches the position by falling, so kicks from rows
//!   above 15, at most two rows down, add nothing.
//! - Kicks from rows 0 to 15 to higher rows add nothing, because an earlier kick fits: the first,
//!   or beside a wall one that moves sideways.
//!
//! One function serves all rotation states. Code for each state, turn and kick table took 12.3
//! seconds to compile instead of 7.0. Slower were all kicks from a table (`perft` of four pieces at
//! `avx2` takes 1.6 times as long), and shifts and drops of all states in every round (1.5 times in
//! mazes).

use super::landing::Landings;
use super::options::{FifthKick, Guideline, Spins};
use super::positions::Position;
use super::srs::{
    HALF_KICK_COUNT, Kicks, Offset, QUARTER_KICK_COUNT, RotationState, RotationTurn, canonical,
    cells, kick, kick_count, shapes,
};
use crate::kernels::Level;
use crate::matrix::{Matrix, bit};
use crate::piece::Piece;
use crate::placement::Spin;
use crate::simd::columns::{Columns, ColumnsJob, LOW_STACK, WIDTH, run};

/// Evaluates an expression for each of the four rotation states and returns an array of the
/// results.
// A closure would be compiled without the vector instructions of the level.
macro_rules! states {
    ($s:ident => $value:expr) => {
        [
            {
                const $s: usize = 0;
                $value
            },
            {
                const $s: usize = 1;
                $value
            },
            {
                const $s: usize = 2;
                $value
            },
            {
                const $s: usize = 3;
                $value
            },
        ]
    };
}
pub(super) use states;

/// Largest stack height at which a search for landings may start from all columns above the stack.
const OPEN_SKY: usize = 16;
const SKY_ROW: usize = OPEN_SKY + 2;
const LOW_SKY_ROW: usize = 15;
const ROWS_ABOVE_OPEN_SKY: u32 = bit(OPEN_SKY) | (bit(OPEN_SKY) - 1);

crate::names! {
    /// The movements of a piece that a search for its landings (resting places) allows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Moves as "movement" {
        /// Turns and shifts at the height of the spawn, then one drop.
        HardDrops = "hard-drop",
        /// All shifts, soft drops and turns, with spins.
        All = "full",
    }
}

crate::by_text!(Moves);

/// A generator of a piece's landings (resting places with spin), which threads can share.
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
    /// Creates a generator of landings (resting places). The choice of vector instructions,
    /// `level`, affects only its speed.
    #[must_use]
    pub const fn new(rules: Guideline, moves: Moves, level: Level) -> MoveGenerator {
        MoveGenerator { rules, moves, level }
    }

    /// Returns the guideline rules by which this generator of landings moves pieces.
    #[must_use]
    pub const fn rules(&self) -> &Guideline {
        &self.rules
    }

    pub(super) const fn moves(&self) -> Moves {
        self.moves
    }

    /// Returns which vector instructions the generator uses; the choice affects only its speed.
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Writes all landings (resting places) of `piece` on `matrix` into `out`, each with its best
    /// spin. The list is empty if the piece cannot spawn.
    #[inline]
    pub fn landings(&self, matrix: &Matrix, piece: Piece, out: &mut Landings) {
        // Of rotation states that fill equal cells, only the first has landings in the list.
        self.answer(matrix, piece, Query::List(out.restart(piece)));
    }

    /// Returns the number of a piece's landings (resting places); several rotation states with
    /// equal cells count once.
    #[must_use]
    #[inline]
    pub fn count(&self, matrix: &Matrix, piece: Piece) -> u32 {
        self.answer(matrix, piece, Query::Count)
    }

    /// Returns the number of a piece's landings (resting places), counted separately for each
    /// rotation state.
    #[must_use]
    pub fn count_states(&self, matrix: &Matrix, piece: Piece) -> u32 {
        self.answer(matrix, piece, Query::CountStates)
    }

    #[inline]
    fn answer(&self, matrix: &Matrix, piece: Piece, query: Query) -> u32 {
        let find = LandingSearch { rules: &self.rules, moves: self.moves, matrix, piece };
        run(self.level, matrix.stack_height() <= LOW_STACK, QueryJob { find, query })
    }
}

#[derive(Clone, Copy)]
struct LandingSearch<'a> {
    rules: &'a Guideline,
    moves: Moves,
    matrix: &'a Matrix,
    piece: Piece,
}

impl LandingSearch<'_> {
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

    #[inline(always)]
    fn start<C: Columns>(self, free: &[C; 4], is_open: bool) -> Option<[C; 4]> {
        let simd = free[0].simd();
        let none = C::none(simd);
        if is_open {
            // All positions that are reached by falling from the open sky.
            let sky = C::rows(simd, bit(if C::IS_LOW { LOW_SKY_ROW } else { SKY_ROW }));
            let fallen = states!(S => sky.and(free[S]).fallen(free[S]));
            // O keeps one state, because it does not turn and all its states fill the same cells.
            let is_o = self.piece == Piece::O;
            return Some(if is_o { [fallen[0], none, none, none] } else { fallen });
        }
        let spawn = Position::spawn(self.rules, self.matrix, self.piece)?;
        let mut columns = [0; WIDTH];
        columns[spawn.x as usize] = bit(spawn.y as usize);
        Some([C::load(simd, &columns), none, none, none])
    }

    /// Returns the resting positions that a search for landings must find. With `apart`, rotation
    /// states with equal cells count separately.
    #[inline(always)]
    fn wanted<C: Columns>(self, grounded: &[C; 4], apart: bool) -> [C; 4] {
        let [a, b, ..] = *grounded;
        let none = C::none(a.simd());
        match shapes(self.piece) {
            1 => [a, none, none, none],
            // The other states of I, S and Z are merged into these two, so finding the positions of
            // these two finds all.
            2 if !apart => [a, b, none, none],
            _ => *grounded,
        }
    }

    #[inline(always)]
    fn list_t_landings<C: Columns>(
        self,
        search: &Search<C>,
        corners: &TSpinCorners<C>,
        rest: &[C; 4],
        out: &mut Vec<u32>,
    ) -> u32 {
        let alone = self.rules.fifth_kick == FifthKick::Alone;
        let stuck = match self.rules.spins {
            Spins::AllMini => immobile_positions(&search.free, rest),
            Spins::T | Spins::All => [C::none(rest[0].simd()); 4],
        };
        for s in 0..4 {
            let (rest, fifth) = (rest[s], search.fifth[s]);
            // With three corners filled the fifth kick makes a mini spin full; other spins that it
            // reaches are full already.
            let fifth = if alone { fifth } else { fifth.and(corners.mini[s]) };
            let full = search.turned[s].and(corners.full[s]).or(fifth).and(rest);
            // Each landing is listed with its best spin, so full spins are removed from mini spins.
            let mini = search.turned[s].and(corners.mini[s]).or(stuck[s]).and(rest).without(full);
            let plain = rest.without(mini).without(full);
            for (spin, set) in [(Spin::None, plain), (Spin::Mini, mini), (Spin::Full, full)] {
                set.list(Landings::base(s, spin), out);
            }
        }
        0
    }

    #[inline(always)]
    fn search<C: Columns>(self, search: &mut Search<C>) {
        let falls = self.moves == Moves::All;
        search.flood(Motion::new(self.piece, self.rules, falls));
        // Without soft drops, one drop follows all turns and shifts.
        if !falls {
            search.reached = states!(S => search.reached[S].fallen(search.free[S]));
        }
    }
}

#[inline(always)]
fn free<C: Columns, const P: usize>(cells: C) -> [C; 4] {
    let free = C::rows(cells.simd(), u32::MAX).without(cells);
    [fits::<C, P, 0>(free), fits::<C, P, 1>(free), fits::<C, P, 2>(free), fits::<C, P, 3>(free)]
}

#[inline(always)]
fn fits<C: Columns, const P: usize, const S: usize>(free: C) -> C {
    // The centre cell comes first and needs no move. Unlike `moved`, `seen` treats cells above the
    // rows of a low set as free.
    let [_, a, b, c] = const { cells(Piece::ALL[P], RotationState::ALL[S]) };
    free.and(free.seen(a.0, a.1)).and(free.seen(b.0, b.1)).and(free.seen(c.0, c.1))
}

#[inline(always)]
fn merged<C: Columns>(piece: Piece, rest: &[C; 4]) -> [C; 4] {
    let [a, b, c, d] = *rest;
    let none = C::none(a.simd());
    match piece {
        Piece::O => [a, none, none, none],
        Piece::I => merge::<C, 0>(a, b, c, d),
        Piece::S | Piece::Z => merge::<C, 3>(a, b, c, d),
        Piece::T | Piece::J | Piece::L => *rest,
    }
}

/// Merges the resting positions of I, S or Z in states 2 (`c`) and L (`d`) into states 0 (`a`) and
/// R (`b`).
#[inline(always)]
fn merge<C: Columns, const P: usize>(a: C, b: C, c: C, d: C) -> [C; 4] {
    let (half, left) = const {
        (
            canonical(Piece::ALL[P], RotationState::Half).1,
            canonical(Piece::ALL[P], RotationState::Left).1,
        )
    };
    let inside = C::rows(a.simd(), u32::MAX);
    let none = C::none(a.simd());
    [
        // Some implementations of sets keep positions moved beyond the right wall; the intersection
        // removes them.
        a.or(c.moved(half.0, half.1).and(inside)),
        b.or(d.moved(left.0, left.1).and(inside)),
        none,
        none,
    ]
}

// All queries are one job, so that the search is compiled once.
enum Query<'a> {
    List(&'a mut Vec<u32>),
    Count,
    CountStates,
}

struct QueryJob<'a> {
    find: LandingSearch<'a>,
    query: Query<'a>,
}

impl ColumnsJob for QueryJob<'_> {
    type Output = u32;

    #[inline(always)]
    fn run<C: Columns>(self, simd: C::Simd) -> u32 {
        let QueryJob { find, query } = self;
        let cells = C::load(simd, find.matrix.columns());
        // Corners matter only for lists of T landings without a final drop.
        let spins = find.piece == Piece::T
            && find.rules.spins != Spins::All
            && find.moves == Moves::All
            && matches!(query, Query::List(_));
        let free = find.free(cells);
        let is_open = C::IS_LOW || cells.and(C::rows(simd, ROWS_ABOVE_OPEN_SKY)).is_empty();
        let Some(reached) = find.start(&free, is_open) else { return 0 };
        // A piece rests where the row below is not free; `moved` adds no free cells there.
        let grounded = states!(S => free[S].without(free[S].moved(0, 1)));
        let none = [C::none(simd); 4];
        let wanted = find.wanted(&grounded, matches!(query, Query::CountStates));
        let mut corners = TSpinCorners { full: none, mini: none };
        let mut search =
            Search { free, reached, turned: none, fifth: none, wanted, turn_matters: none };
        if spins {
            corners = TSpinCorners::new(find.rules, cells);
            search.turn_matters = corners.turn_matters(find.rules, &grounded);
        }
        // All wanted positions fall from the sky and no arrival matters: no search is needed.
        let is_known = is_open
            && (find.moves == Moves::HardDrops || search.has_found_all())
            && all_empty(&search.turn_matters);
        if !is_known {
            find.search(&mut search);
        }
        let rest = states!(S => search.reached[S].and(grounded[S]));
        match query {
            Query::Count => C::total(&merged(find.piece, &rest)),
            Query::CountStates if find.piece == Piece::O => 4 * C::total(&rest),
            Query::CountStates => C::total(&rest),
            Query::List(out) if spins => find.list_t_landings(&search, &corners, &rest, out),
            Query::List(out) => {
                if find.rules.spins == Spins::T || find.moves == Moves::HardDrops {
                    return list(find.piece, &merged(find.piece, &rest), Spin::None, out);
                }
                let spin = if find.rules.spins == Spins::All { Spin::Full } else { Spin::Mini };
                let stuck = immobile_positions(&search.free, &rest);
                let plain = states!(S => rest[S].without(stuck[S]));
                list(find.piece, &merged(find.piece, &plain), Spin::None, out);
                list(find.piece, &merged(find.piece, &stuck), spin, out)
            }
        }
    }
}

#[inline(always)]
fn immobile_positions<C: Columns>(free: &[C; 4], rest: &[C; 4]) -> [C; 4] {
    states!(S => {
        let moves = free[S].seen(-1, 0).or(free[S].seen(1, 0)).or(free[S].seen(0, 1));
        rest[S].without(moves)
    })
}

#[inline(always)]
fn list<C: Columns>(piece: Piece, rest: &[C; 4], spin: Spin, out: &mut Vec<u32>) -> u32 {
    for (s, rest) in rest.iter().enumerate().take(shapes(piece)) {
        rest.list(Landings::base(s, spin), out);
    }
    0
}

/// A search for the reachable positions of one piece: sets of centre cells by rotation state.
pub(super) struct Search<C> {
    pub(super) free: [C; 4],
    pub(super) reached: [C; 4],
    pub(super) turned: [C; 4],
    pub(super) fifth: [C; 4],
    /// Resting positions that the search must find before it may end early.
    pub(super) wanted: [C; 4],
    /// Positions at which a turn as the piece's last movement would make a spin.
    pub(super) turn_matters: [C; 4],
}

#[derive(Clone, Copy)]
pub(super) struct Motion {
    is_i: bool,
    kicks: &'static KickTable,
    pub(super) falls: bool,
    turns: usize,
}

type KickTable = [[[Offset; HALF_KICK_COUNT]; 3]; 4];

/// Kicks (displacements tried by a turn) of all pieces but I, which are equal in SRS and SRS+.
static KICKS: KickTable = kick_table(Kicks::Srs, Piece::T);
static KICKS_OF_I: [KickTable; 2] =
    [kick_table(Kicks::Srs, Piece::I), kick_table(Kicks::SrsPlus, Piece::I)];

impl Motion {
    pub(super) fn new(piece: Piece, rules: &Guideline, falls: bool) -> Motion {
        let is_i = piece == Piece::I;
        let turns = match piece {
            Piece::O => 0,
            _ if rules.half_turns => RotationTurn::ALL.len(),
            _ => RotationTurn::QUARTERS.len(),
        };
        let kicks = if is_i { &KICKS_OF_I[rules.kicks as usize] } else { &KICKS };
        Motion { is_i, kicks, falls, turns }
    }
}

const fn kick_table(kicks: Kicks, piece: Piece) -> KickTable {
    let mut table = [[[(0, 0); HALF_KICK_COUNT]; 3]; 4];
    let mut index = 0;
    while index < 4 * 3 * HALF_KICK_COUNT {
        let (s, t, k) =
            (index / HALF_KICK_COUNT / 3, index / HALF_KICK_COUNT % 3, index % HALF_KICK_COUNT);
        if k < kick_count(RotationTurn::ALL[t]) {
            table[s][t][k] = kick(kicks, piece, RotationState::ALL[s], RotationTurn::ALL[t], k);
        }
        index += 1;
    }
    table
}

impl<C: Columns> Search<C> {
    #[inline(always)]
    pub(super) fn flood(&mut self, motion: Motion) {
        // Without soft drops the resting positions are found by a drop at the end, so the search
        // cannot end early. For spins every turn counts.
        let ends_early = motion.falls && all_empty(&self.turn_matters);
        // Positions whose turns were tried, so that only new positions are turned.
        let mut tried = [C::none(self.free[0].simd()); 4];
        // Each bit stands for a state: `waiting` has states with untried turns, `entered` has
        // states with new positions from turns.
        let (mut waiting, mut entered) = (0b1111u32, 0);
        self.spread_all(motion.falls);
        while waiting != 0 && !(ends_early && self.has_found_all()) {
            let s = waiting.trailing_zeros() as usize;
            waiting &= waiting - 1;
            if entered >> s & 1 == 1 {
                self.reached[s] = self.spread(s, motion.falls);
            }
            let new = self.reached[s].without(tried[s]);
            tried[s] = self.reached[s];
            if new.is_empty() {
                continue;
            }
            for t in 0..motion.turns {
                let to = (s + RotationTurn::ALL[t].quarters()) % 4;
                // A turn is skipped if it can neither reach a new position nor make a spin.
                if !self.informative(to).is_empty() && self.turn(motion, (s, t), new, to) {
                    waiting |= 1 << to;
                    entered |= 1 << to;
                }
            }
        }
    }

    #[inline(always)]
    pub(super) fn has_found_all(&self) -> bool {
        all_empty(&states!(S => self.wanted[S].without(self.reached[S])))
    }

    #[inline(always)]
    fn informative(&self, s: usize) -> C {
        self.free[s].without(self.reached[s]).or(self.turn_matters[s])
    }

    #[inline(always)]
    fn spread_all(&mut self, falls: bool) {
        let (free, mut reached) = (self.free, self.reached);
        loop {
            if falls {
                reached = states!(S => reached[S].fallen(free[S]));
            }
            let aside =
                states!(S => reached[S].moved(1, 0).or(reached[S].moved(-1, 0)).and(free[S]));
            self.reached = states!(S => reached[S].or(aside[S]));
            if all_empty(&states!(S => aside[S].without(reached[S]))) {
                return;
            }
            reached = self.reached;
        }
    }

    #[inline(always)]
    fn spread(&self, s: usize, falls: bool) -> C {
        let free = self.free[s];
        let mut reached = self.reached[s];
        if falls {
            reached = reached.fallen(free);
        }
        loop {
            let aside = reached.moved(1, 0).or(reached.moved(-1, 0)).and(free);
            let new = aside.without(reached);
            if new.is_empty() {
                return reached;
            }
            reached = reached.or(new);
            if falls {
                reached = reached.fallen(free);
            }
        }
    }

    /// Turns the piece at all positions `from`, each by its first kick that fits. Returns true if a
    /// reached position is new.
    #[inline(always)]
    fn turn(&mut self, motion: Motion, (s, t): (usize, usize), from: C, to: usize) -> bool {
        let none = C::none(from.simd());
        let mut turning = Turning { left: from, into: none, fifth: none };
        let free = self.free[to];
        let goal = self.informative(to);
        match (motion.is_i || t == 2, s, to) {
            (false, 0 | 2, 1) => turning.quarter(free, goal, -1, 1),
            (false, 0 | 2, _) => turning.quarter(free, goal, 1, 1),
            (false, 1, _) => turning.quarter(free, goal, 1, -1),
            (false, ..) => turning.quarter(free, goal, -1, -1),
            (true, ..) => {
                turning.try_kicks(free, &motion.kicks[s][t][..kick_count(RotationTurn::ALL[t])])
            }
        }
        self.fifth[to] = self.fifth[to].or(turning.fifth);
        let is_new = !turning.into.without(self.reached[to]).is_empty();
        self.turned[to] = self.turned[to].or(turning.into);
        self.reached[to] = self.reached[to].or(turning.into);
        is_new
    }
}

struct Turning<C> {
    left: C,
    into: C,
    /// Positions reached by the fifth kick of a quarter turn, which makes a T-spin full.
    fifth: C,
}

impl<C: Columns> Turning<C> {
    #[inline(always)]
    fn enter(&mut self, fits: C, entered: C) -> C {
        self.left = self.left.without(fits);
        self.into = self.into.or(entered);
        entered
    }

    #[inline(always)]
    fn try_kick(&mut self, free: C, dx: i32, dy: i32) -> C {
        // Kicks are tried in order; positions that fit leave, and the rest try the next kick.
        let fits = self.left.and(free.seen(dx, dy));
        self.enter(fits, fits.moved(dx, dy))
    }

    #[inline(always)]
    fn has_ended(&self) -> bool {
        // For columns of 16 rows, trying all kicks costs less than this branch.
        !C::IS_LOW && self.left.is_empty()
    }

    /// Turns any piece but I by a quarter, from all positions at once. Does nothing if no kick
    /// leads to a position in the set `goal`.
    #[inline(always)]
    fn quarter(&mut self, free: C, goal: C, aside: i32, up: i32) {
        // The kicks of turns differ only in their direction: `aside` and `up` are 1 or -1.
        let beside = goal.or(goal.moved(-aside, 0));
        // Positions from which a kick leads to the goal: the goal moved back by each kick.
        let near = beside.or(goal.moved(-aside, -up)).or(beside.moved(0, 2 * up));
        if near.and(self.left).is_empty() {
            return;
        }
        self.try_kick(free, 0, 0);
        self.try_kick(free, aside, 0);
        if self.has_ended() {
            return;
        }
        self.try_kick(free, aside, up);
        self.try_kick(free, 0, -2 * up);
        self.fifth = self.try_kick(free, aside, -2 * up);
    }

    #[inline(always)]
    fn try_kicks(&mut self, free: C, kicks: &[Offset]) {
        for &kick in kicks {
            let fits = self.left.and(free.seen_by(kick));
            self.enter(fits, fits.moved_by(kick));
            if self.has_ended() {
                return;
            }
        }
    }
}

#[inline(always)]
pub(super) fn all_empty<C: Columns>(sets: &[C; 4]) -> bool {
    sets[0].or(sets[1]).or(sets[2].or(sets[3])).is_empty()
}

// `quarter` contains its five kicks as code.
const _: () = assert!(QUARTER_KICK_COUNT == 5);

pub(super) struct TSpinCorners<C> {
    /// Positions of a full T-spin: both front corners and at least one back corner are filled.
    pub(super) full: [C; 4],
    /// Positions of a mini T-spin: exactly one front corner and both back corners are filled.
    pub(super) mini: [C; 4],
}

impl<C: Columns> TSpinCorners<C> {
    #[inline(always)]
    pub(super) fn new(rules: &Guideline, cells: C) -> TSpinCorners<C> {
        let all = C::rows(cells.simd(), u32::MAX);
        let free = all.without(cells);
        // The two masks differ at the edge, where shifts bring in empty cells. Walls and the floor
        // count as filled in `walled` and as empty in `bare`.
        let walled = states!(S => all.without(free.seen(DIAGONALS[S].0, DIAGONALS[S].1)));
        let bare = states!(S => cells.moved(-DIAGONALS[S].0, -DIAGONALS[S].1));
        let front = if rules.front_walls { walled } else { bare };
        let full = states!(S => {
            let back = walled[(S + 2) % 4].or(walled[(S + 3) % 4]);
            front[S].and(front[(S + 1) % 4]).and(back)
        });
        // Walls always count behind the T, but in front only under some rules.
        let mini = states!(S => {
            let back = walled[(S + 2) % 4].and(walled[(S + 3) % 4]);
            front[S].or(front[(S + 1) % 4]).and(back).without(full[S])
        });
        TSpinCorners { full, mini }
    }

    #[inline(always)]
    pub(super) fn turn_matters(&self, rules: &Guideline, grounded: &[C; 4]) -> [C; 4] {
        if rules.fifth_kick == FifthKick::Alone {
            // The fifth kick alone makes a spin, at any position.
            return *grounded;
        }
        states!(S => self.full[S].or(self.mini[S]).and(grounded[S]))
    }
}

/// Offsets of the four corners around a T's centre, clockwise from the upper left.
///
/// ```text
/// 0 . 1      Spawn: stem up,    front 0 1        Half: stem down,  front 2 3
/// . T .      Right: stem right, front 1 2        Left: stem left,  front 3 0
/// 3 . 2      the back corners are the two others: (s + 2) % 4 and (s + 3) % 4
/// ```
const DIAGONALS: [(i32, i32); 4] = [(-1, 1), (1, 1), (1, -1), (-1, -1)];
