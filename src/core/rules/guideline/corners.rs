//! Where a T has the corners of a spin, all positions at once.

use super::options::{FifthKick, Guideline};
use crate::simd::columns::Columns;

/// One value for each state. A closure over the states would not be compiled for the level.
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

/// Where a T, by state, has the corners of a spin.
pub(super) struct Corners<C> {
    pub(super) full: [C; 4],
    pub(super) mini: [C; 4],
}

impl<C: Columns> Corners<C> {
    #[inline(always)]
    pub(super) fn of(rules: &Guideline, cells: C) -> Corners<C> {
        let all = C::rows(u32::MAX);
        let free = all.without(cells);
        let walled = states!(S => all.without(free.seen(DIAGONALS[S].0, DIAGONALS[S].1)));
        let bare = states!(S => cells.moved(-DIAGONALS[S].0, -DIAGONALS[S].1));
        let front = if rules.front_walls { walled } else { bare };
        let full = states!(S => {
            let back = walled[(S + 2) % 4].or(walled[(S + 3) % 4]);
            front[S].and(front[(S + 1) % 4]).and(back)
        });
        let mini = states!(S => {
            let back = walled[(S + 2) % 4].and(walled[(S + 3) % 4]);
            front[S].or(front[(S + 1) % 4]).and(back).without(full[S])
        });
        Corners { full, mini }
    }

    /// Where it matters whether a turn led there, of places of rest.
    #[inline(always)]
    pub(super) fn asked(&self, rules: &Guideline, grounded: &[C; 4]) -> [C; 4] {
        if rules.fifth_kick == FifthKick::Alone {
            return *grounded;
        }
        states!(S => self.full[S].or(self.mini[S]).and(grounded[S]))
    }
}

/// The diagonal neighbours clockwise from up left, so that state s has its front corners at s and
/// s + 1.
const DIAGONALS: [(i32, i32); 4] = [(-1, 1), (1, 1), (1, -1), (-1, -1)];
