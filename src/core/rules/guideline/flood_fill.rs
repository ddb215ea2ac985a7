//! Following shifts, drops and turns until nothing is new, all positions of a state at once.
//!
//! A state is a number and kicks are data, but for quarter turns of all pieces but I, whose kicks have four
//! forms. Written out for each state, turn and kick table, the generator and what it stands on took 12.3
//! seconds of a core to compile in the profile of tests; with one kind of set more it takes 7.0 now. A turn
//! into a state is tried only while places there are not reached, or are asked how they are.
//!
//! Tried: with no kick written out, `perft` of four pieces at `avx2` takes 1.6 times as long; all states
//! spread in every round, and not only in the first, take 1.5 times as long in mazes and no less elsewhere.

use super::corners::states;
use super::options::Guideline;
use super::srs::{
    HALF_TESTS, Kicks, Offset, QUARTER_TESTS, RotationState, RotationTurn, kick, tests,
};
use crate::piece::Piece;
use crate::simd::columns::Columns;

/// Positions by state: where the piece fits, which are reached, and which of those by turns.
pub(super) struct Search<C> {
    /// By [`RotationState::index`]; a member is the place of the centre cell.
    pub(super) free: [C; 4],
    pub(super) reached: [C; 4],
    pub(super) turned: [C; 4],
    /// Reached by the fifth kick of a quarter turn.
    pub(super) fifth: [C; 4],
    /// The positions that are asked for.
    pub(super) wanted: [C; 4],
    /// The positions of which it is asked, too, whether a turn leads there.
    pub(super) asked: [C; 4],
}

/// How a piece moves.
#[derive(Clone, Copy)]
pub(super) struct Motion {
    is_i: bool,
    kicks: &'static KickTable,
    /// Whether it falls on the way.
    pub(super) falls: bool,
    /// The first how many of all turns it makes; the O does not turn.
    turns: usize,
}

/// The kicks of each state and turn, in their order.
type KickTable = [[[Offset; HALF_TESTS]; 3]; 4];

/// All pieces but I kick alike, under both tables.
static OF_OTHERS: KickTable = kick_table(Kicks::Srs, Piece::T);
static OF_I: [KickTable; 2] =
    [kick_table(Kicks::Srs, Piece::I), kick_table(Kicks::SrsPlus, Piece::I)];

impl Motion {
    /// How a piece moves under these rules.
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

/// The kicks of a piece as a table, so that a turn is a number when the search runs.
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
    /// Follows shifts, drops and turns until nothing is new or all that is asked for is found.
    #[inline(always)]
    pub(super) fn flood(&mut self, motion: Motion) {
        // Not without soft drops, since places of rest are then found by a drop at the end, and not where a
        // spin is asked about, since then every turn counts.
        let ends_early = motion.falls && all_empty(&self.asked);
        // Positions whose turns were made: only new ones are turned, since a turn of all is the union of turns
        // of each.
        let mut tried = [C::none(); 4];
        // One bit for each state: those with positions that were not turned yet, and those that turns added to.
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
                // Not into a state of which everything is known already, since no turn tells more of it.
                if !self.telling(to).is_empty() && self.turn(motion, (s, t), new, to) {
                    waiting |= 1 << to;
                    entered |= 1 << to;
                }
            }
        }
    }

    /// Whether all positions that are asked for are reached.
    #[inline(always)]
    pub(super) fn has_found(&self) -> bool {
        all_empty(&states!(S => self.wanted[S].without(self.reached[S])))
    }

    /// The positions of a state of which it tells anything that a turn leads there.
    #[inline(always)]
    fn telling(&self, s: usize) -> C {
        self.free[s].without(self.reached[s]).or(self.asked[s])
    }

    /// Reaches all that shifts, and drops if allowed, lead to, in all states at once: one after another,
    /// each step would wait for the one before.
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

    /// All that shifts, and drops if allowed, reach in a state.
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

    /// Turns positions into a state, each by the first kick that fits; whether something is new there.
    #[inline(always)]
    fn turn(&mut self, motion: Motion, (s, t): (usize, usize), from: C, to: usize) -> bool {
        let mut going = Going { left: from, into: C::none(), fifth: C::none() };
        let free = self.free[to];
        let goal = self.telling(to);
        match (motion.is_i || t == 2, s, to) {
            (false, 0 | 2, 1) => going.quarter(free, goal, -1, 1),
            (false, 0 | 2, _) => going.quarter(free, goal, 1, 1),
            (false, 1, _) => going.quarter(free, goal, 1, -1),
            (false, ..) => going.quarter(free, goal, -1, -1),
            (true, ..) => going.by_data(free, &motion.kicks[s][t][..tests(RotationTurn::ALL[t])]),
        }
        self.fifth[to] = self.fifth[to].or(going.fifth);
        let is_new = !going.into.without(self.reached[to]).is_empty();
        self.turned[to] = self.turned[to].or(going.into);
        self.reached[to] = self.reached[to].or(going.into);
        is_new
    }
}

/// Positions on their way into another state.
struct Going<C> {
    /// Those that no kick has moved so far.
    left: C,
    /// Where the others are in the state they turn into.
    into: C,
    /// Those that the fifth kick of a quarter turn leads to. I has no spin that asks about it.
    fifth: C,
}

impl<C: Columns> Going<C> {
    /// Moves the positions of which a kick is the first that fits; where they are then.
    #[inline(always)]
    fn enter(&mut self, fits: C, entered: C) -> C {
        self.left = self.left.without(fits);
        self.into = self.into.or(entered);
        entered
    }

    /// Tries one kick: the positions from which it leads to a place that is free.
    #[inline(always)]
    fn by(&mut self, free: C, dx: i32, dy: i32) -> C {
        // The kicks of a turn are tried in order, all positions at once: who fits has left, and the rest try
        // the next.
        let fits = self.left.and(free.seen(dx, dy));
        self.enter(fits, fits.moved(dx, dy))
    }

    /// Whether to try no more kicks. In low sets a kick is so little that a branch is not worth it.
    #[inline(always)]
    fn is_over(&self) -> bool {
        !C::IS_LOW && self.left.is_empty()
    }

    /// A quarter turn of any piece but I: its kicks differ only in where they lead aside and up. None is
    /// tried where all together lead nowhere that tells anything, which saves a twentieth.
    #[inline(always)]
    fn quarter(&mut self, free: C, goal: C, aside: i32, up: i32) {
        let beside = goal.or(goal.moved(-aside, 0));
        // All places from which one of the five kicks leads to the goal: the goal moved back by each.
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

    /// Any turn.
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

/// Whether there is nothing in any state.
#[inline(always)]
pub(super) fn all_empty<C: Columns>(sets: &[C; 4]) -> bool {
    sets[0].or(sets[1]).or(sets[2].or(sets[3])).is_empty()
}

// `quarter` has its five kicks written out.
const _: () = assert!(QUARTER_TESTS == 5);
