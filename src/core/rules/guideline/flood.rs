//! Following shifts, drops and turns until nothing is new, all positions of a state at once.

use super::corners::states;
use super::srs::{Kicks, QUARTER_TESTS, State, Turn, kick, tests};
use crate::piece::Piece;
use crate::simd::columns::Columns;

/// Positions by state: where the piece fits, which are reached, and which of those by turns.
pub(super) struct Search<C> {
    pub(super) free: [C; 4],
    pub(super) reached: [C; 4],
    pub(super) turned: [C; 4],
    pub(super) fifth: [C; 4],
    /// The positions that are asked for.
    pub(super) wanted: [C; 4],
    /// Whether it is asked, too, how they are reached.
    pub(super) spins: bool,
}

impl<C: Columns> Search<C> {
    /// Follows shifts, drops and turns until nothing is new or all that is asked for is found. P tells I (0) from the others (2), K
    /// is the kick table.
    #[inline(always)]
    pub(super) fn flood<const P: usize, const K: usize>(&mut self, falls: bool, half_turns: bool) {
        let mut tried = [C::none(); 4];
        let mut waiting = 0b1111u32;
        macro_rules! step {
            ($s:literal) => {
                self.step::<P, K, $s>(&mut tried, &mut waiting, falls, half_turns);
                if falls && !self.spins && self.has_found() {
                    return;
                }
            };
        }
        while waiting != 0 {
            step!(0);
            step!(1);
            step!(2);
            step!(3);
        }
    }

    /// Whether all positions that are asked for are reached.
    #[inline(always)]
    pub(super) fn has_found(&self) -> bool {
        let left = states!(S => self.wanted[S].without(self.reached[S]));
        left[0].or(left[1]).or(left[2].or(left[3])).is_empty()
    }

    /// Shifts and drops in state S, then turns what is new there.
    #[inline(always)]
    fn step<const P: usize, const K: usize, const S: usize>(
        &mut self,
        tried: &mut [C; 4],
        waiting: &mut u32,
        falls: bool,
        half_turns: bool,
    ) {
        if *waiting >> S & 1 == 0 {
            return;
        }
        *waiting &= !(1 << S);
        let reached = self.spread(S, falls);
        let new = reached.without(tried[S]);
        self.reached[S] = reached;
        tried[S] = reached;
        if new.is_empty() {
            return;
        }
        *waiting |= self.turn::<P, K, S, 0>(new) | self.turn::<P, K, S, 1>(new);
        if half_turns {
            *waiting |= self.turn::<P, K, S, 2>(new);
        }
    }

    /// All that shifts, and drops if allowed, reach in a state.
    #[inline(always)]
    pub(super) fn spread(&self, s: usize, falls: bool) -> C {
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

    /// Turns positions of state S; the bit of the state entered if something is new there.
    #[inline(always)]
    fn turn<const P: usize, const K: usize, const S: usize, const T: usize>(
        &mut self,
        from: C,
    ) -> u32 {
        let to = const { State::ALL[S].turned(Turn::ALL[T]).index() };
        let free = self.free[to];
        let mut left = from;
        let mut into = C::none();
        macro_rules! test {
            ($k:literal) => {
                if const { $k < tests(Turn::ALL[T]) } && ($k == 0 || !left.is_empty()) {
                    let (dx, dy) = const { kick_of::<P, K, S, T, $k>() };
                    let entered = left.moved(dx, dy).and(free);
                    into = into.or(entered);
                    left = left.without(free.moved(-dx, -dy));
                    if $k == 4 && T != 2 {
                        self.fifth[to] = self.fifth[to].or(entered);
                    }
                }
            };
        }
        test!(0);
        test!(1);
        test!(2);
        test!(3);
        test!(4);
        test!(5);
        let _ = left;
        self.turned[to] = self.turned[to].or(into);
        let is_new = !into.without(self.reached[to]).is_empty();
        self.reached[to] = self.reached[to].or(into);
        u32::from(is_new) << to
    }
}

/// A kick as a constant; (0, 0) past the last test.
const fn kick_of<const P: usize, const K: usize, const S: usize, const T: usize, const N: usize>()
-> (i32, i32) {
    let turn = Turn::ALL[T];
    let kicks = if K == 0 { Kicks::Srs } else { Kicks::SrsPlus };
    let piece = Piece::ALL[P];
    if N < tests(turn) { kick(kicks, piece, State::ALL[S], turn, N) } else { (0, 0) }
}

const _: () = assert!(QUARTER_TESTS == 5);
