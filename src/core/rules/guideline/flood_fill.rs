//! Finds all positions that a piece reaches by shifts, drops and turns. All positions of a rotation
//! state move at once.
//!
//! One function serves all rotation states: the state is an index, and the kicks come from a table.
//! Only the quarter turns of pieces other than I have their kicks in code, in four forms. Separate
//! code for each state, turn and kick table took 12.3 seconds of one core to compile in the test
//! profile. The present code takes 7.0 seconds, although one more implementation of sets is
//! compiled. A turn into a state is tried only if positions of that state are unreached, or if an
//! arrival by turn matters there.
//!
//! Two alternatives were slower. With all kicks from a table, `perft` of four pieces at `avx2`
//! takes 1.6 times as long. Applying shifts and drops to all four states in every round takes 1.5
//! times as long in mazes, and saves nothing elsewhere.

use super::corners::states;
use super::options::Guideline;
use super::srs::{
    HALF_TESTS, Kicks, Offset, QUARTER_TESTS, RotationState, RotationTurn, kick, tests,
};
use crate::piece::Piece;
use crate::simd::columns::Columns;

/// A search for the reachable positions of one piece. Each field has one set of centre cells for
/// each rotation state: `reached` all positions found so far, `turned` those found by a turn.
pub(super) struct Search<C> {
    /// Positions where all four cells of the piece are free, by [`RotationState::index`].
    pub(super) free: [C; 4],
    pub(super) reached: [C; 4],
    pub(super) turned: [C; 4],
    /// Positions reached by the fifth kick of a quarter turn.
    pub(super) fifth: [C; 4],
    /// Positions to find. The search may end as soon as all of them are reached.
    pub(super) wanted: [C; 4],
    /// Positions where an arrival by turn would make a spin, so the search must find out if a turn
    /// leads there.
    pub(super) turn_matters: [C; 4],
}

/// The movements that a piece can make: turns, their kicks, and soft drops.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    is_i: bool,
    kicks: &'static KickTable,
    /// True if soft drops are allowed, so that the piece can shift and turn after a fall.
    pub(super) falls: bool,
    /// Number of kinds of turn, from the start of [`RotationTurn::ALL`]: 2, or 3 with half turns; 0
    /// for O.
    turns: usize,
}

/// A table of kicks, indexed by the old rotation state, the turn, and the number of the kick.
type KickTable = [[[Offset; HALF_TESTS]; 3]; 4];

/// Kicks of all pieces but I, which are equal in SRS and SRS+.
static OF_OTHERS: KickTable = kick_table(Kicks::Srs, Piece::T);
static OF_I: [KickTable; 2] =
    [kick_table(Kicks::Srs, Piece::I), kick_table(Kicks::SrsPlus, Piece::I)];

impl Motion {
    /// Creates the movements of `piece` under `rules`; `falls` allows soft drops.
    pub(super) fn new(piece: Piece, rules: &Guideline, falls: bool) -> Motion {
        let is_i = piece == Piece::I;
        let turns = match piece {
            Piece::O => 0,
            _ if rules.half_turns => RotationTurn::ALL.len(),
            _ => RotationTurn::QUARTERS.len(),
        };
        let kicks = if is_i { &OF_I[rules.kicks as usize] } else { &OF_OTHERS };
        Motion { is_i, kicks, falls, turns }
    }
}

/// Returns the table of all kicks of `piece`. With a table, the search needs no separate code for
/// each turn.
const fn kick_table(kicks: Kicks, piece: Piece) -> KickTable {
    let mut table = [[[(0, 0); HALF_TESTS]; 3]; 4];
    let mut index = 0;
    while index < 4 * 3 * HALF_TESTS {
        let (s, t, k) = (index / HALF_TESTS / 3, index / HALF_TESTS % 3, index % HALF_TESTS);
        if k < tests(RotationTurn::ALL[t]) {
            table[s][t][k] = kick(kicks, piece, RotationState::ALL[s], RotationTurn::ALL[t], k);
        }
        index += 1;
    }
    table
}

impl<C: Columns> Search<C> {
    /// Adds positions reached by shifts, drops and turns until no new position appears. May stop
    /// earlier, when all positions in `wanted` are reached.
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
        while waiting != 0 && !(ends_early && self.has_found()) {
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

    /// Returns true if all positions in `wanted` are reached.
    #[inline(always)]
    pub(super) fn has_found(&self) -> bool {
        all_empty(&states!(S => self.wanted[S].without(self.reached[S])))
    }

    /// Returns the positions of state `s` that are not reached, or where an arrival by turn would
    /// make a spin.
    #[inline(always)]
    fn informative(&self, s: usize) -> C {
        self.free[s].without(self.reached[s]).or(self.turn_matters[s])
    }

    /// Adds all positions reached by shifts, and by drops if `falls` is true, in all states
    /// together. Handling the states one by one would make each step wait for the previous one.
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

    /// Returns the reached positions of state `s`, with all that shifts lead to from there, and
    /// drops if `falls` is true.
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

    /// Makes turn `t` from the positions `from` of state `s` into state `to`, each by its first
    /// kick that fits. Returns true if a position was not reached before.
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
            (true, ..) => turning.by_data(free, &motion.kicks[s][t][..tests(RotationTurn::ALL[t])]),
        }
        self.fifth[to] = self.fifth[to].or(turning.fifth);
        let is_new = !turning.into.without(self.reached[to]).is_empty();
        self.turned[to] = self.turned[to].or(turning.into);
        self.reached[to] = self.reached[to].or(turning.into);
        is_new
    }
}

/// A turn of many positions into another rotation state, while its kicks are tried in order.
struct Turning<C> {
    /// Positions before the turn for which none of the kicks tried so far fits.
    left: C,
    /// Positions reached in the new state.
    into: C,
    /// Positions reached by the fifth kick of a quarter turn. The spins of I do not need them.
    fifth: C,
}

impl<C: Columns> Turning<C> {
    /// Ends the turn of the positions `fits`, for which a kick fits, and records the positions
    /// `entered` that they reach. Returns `entered`.
    #[inline(always)]
    fn enter(&mut self, fits: C, entered: C) -> C {
        self.left = self.left.without(fits);
        self.into = self.into.or(entered);
        entered
    }

    /// Tries the kick (`dx`, `dy`) on the positions that no kick has moved yet. Moves those for
    /// which the new position is `free`, and returns the new positions.
    #[inline(always)]
    fn by(&mut self, free: C, dx: i32, dy: i32) -> C {
        // Kicks are tried in order; positions that fit leave, and the rest try the next kick.
        let fits = self.left.and(free.seen(dx, dy));
        self.enter(fits, fits.moved(dx, dy))
    }

    /// Returns true if every position has been moved by a kick. Sets of 16 rows always return
    /// false, because trying a kick costs less than this branch.
    #[inline(always)]
    fn is_over(&self) -> bool {
        !C::IS_LOW && self.left.is_empty()
    }

    /// Makes a quarter turn of any piece but I. The kicks of these turns differ only in their
    /// direction: `aside` and `up` are 1 or -1. Skips turns that lead to no position in `goal`,
    /// which saves 5 % of the time.
    #[inline(always)]
    fn quarter(&mut self, free: C, goal: C, aside: i32, up: i32) {
        let beside = goal.or(goal.moved(-aside, 0));
        // Positions from which a kick leads to the goal: the goal moved back by each kick.
        let near = beside.or(goal.moved(-aside, -up)).or(beside.moved(0, 2 * up));
        if near.and(self.left).is_empty() {
            return;
        }
        self.by(free, 0, 0);
        self.by(free, aside, 0);
        if self.is_over() {
            return;
        }
        self.by(free, aside, up);
        self.by(free, 0, -2 * up);
        self.fifth = self.by(free, aside, -2 * up);
    }

    /// Makes a turn whose kicks are given by `kicks` in their order.
    #[inline(always)]
    fn by_data(&mut self, free: C, kicks: &[Offset]) {
        for &kick in kicks {
            let fits = self.left.and(free.seen_by(kick));
            self.enter(fits, fits.moved_by(kick));
            if self.is_over() {
                return;
            }
        }
    }
}

/// Returns true if the sets of all four states are empty.
#[inline(always)]
pub(super) fn all_empty<C: Columns>(sets: &[C; 4]) -> bool {
    sets[0].or(sets[1]).or(sets[2].or(sets[3])).is_empty()
}

// `quarter` contains its five kicks as code.
const _: () = assert!(QUARTER_TESTS == 5);
