//! Computes where a T has the filled corners of a spin, for all positions at once.

use super::options::{FifthKick, Guideline};
use crate::simd::columns::Columns;

/// Evaluates an expression for each state. The vector level would not apply inside a closure.
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

/// Positions where a T has the filled corners of a spin, by state.
pub(super) struct Corners<C> {
    /// Positions with both front corners and at least one back corner filled.
    pub(super) full: [C; 4],
    /// Positions with exactly one front corner and both back corners filled.
    pub(super) mini: [C; 4],
}

impl<C: Columns> Corners<C> {
    /// Computes all positions at once by moving the filled cells in each diagonal direction.
    #[inline(always)]
    pub(super) fn of(rules: &Guideline, cells: C) -> Corners<C> {
        let all = C::rows(u32::MAX);
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
        Corners { full, mini }
    }

    /// Returns the resting positions for which the spin depends on an arrival by turn.
    #[inline(always)]
    pub(super) fn turn_matters(&self, rules: &Guideline, grounded: &[C; 4]) -> [C; 4] {
        if rules.fifth_kick == FifthKick::Alone {
            // The fifth kick alone makes a spin, at any place.
            return *grounded;
        }
        states!(S => self.full[S].or(self.mini[S]).and(grounded[S]))
    }
}

/// Diagonal neighbours clockwise from the upper left. State s has its front corners at s and s + 1.
///
/// ```text
/// 0 . 1      Spawn: stem up,    front 0 1        Half: stem down,  front 2 3
/// . T .      Right: stem right, front 1 2        Left: stem left,  front 3 0
/// 3 . 2      the back corners are the two others: (s + 2) % 4 and (s + 3) % 4
/// ```
const DIAGONALS: [(i32, i32); 4] = [(-1, 1), (1, 1), (1, -1), (-1, -1)];
