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
    /// Both in front and one behind are filled.
    pub(super) full: [C; 4],
    /// One in front and both behind.
    pub(super) mini: [C; 4],
}

impl<C: Columns> Corners<C> {
    /// By four moves of the filled cells, one for each diagonal neighbour: all positions at once.
    #[inline(always)]
    pub(super) fn of(rules: &Guideline, cells: C) -> Corners<C> {
        let all = C::rows(u32::MAX);
        let free = all.without(cells);
        // "Not free" and "filled" differ at the edge: what a shift brings in from outside is empty, so that
        // walls and floor count as filled in the first and as empty in the second.
        let walled = states!(S => all.without(free.seen(DIAGONALS[S].0, DIAGONALS[S].1)));
        let bare = states!(S => cells.moved(-DIAGONALS[S].0, -DIAGONALS[S].1));
        let front = if rules.front_walls { walled } else { bare };
        let full = states!(S => {
            let back = walled[(S + 2) % 4].or(walled[(S + 3) % 4]);
            front[S].and(front[(S + 1) % 4]).and(back)
        });
        // Walls count behind the T always, in front only by the rules.
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
            // The fifth kick alone makes a spin, wherever it leads.
            return *grounded;
        }
        states!(S => self.full[S].or(self.mini[S]).and(grounded[S]))
    }
}

/// The diagonal neighbours clockwise from up left, so that state s has its front corners at s and s + 1.
///
/// ```text
/// 0 . 1      Spawn: stem up,    front 0 1        Half: stem down,  front 2 3
/// . T .      Right: stem right, front 1 2        Left: stem left,  front 3 0
/// 3 . 2      behind are the two others: (s + 2) % 4 and (s + 3) % 4
/// ```
const DIAGONALS: [(i32, i32); 4] = [(-1, 1), (1, 1), (1, -1), (-1, -1)];
