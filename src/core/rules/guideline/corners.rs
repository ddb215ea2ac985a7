//! Computes the positions where enough corners around a T are filled for a spin, for all positions
//! at once.

use super::options::{FifthKick, Guideline};
use crate::simd::columns::Columns;

/// Evaluates an expression for each of the four rotation states and returns an array of the
/// results. A closure would be compiled without the vector instructions of the level.
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

/// Sets of positions where enough corners around a T are filled for a spin, by rotation state.
pub(super) struct Corners<C> {
    /// Positions of a full spin: both front corners and at least one back corner are filled.
    pub(super) full: [C; 4],
    /// Positions of a mini spin: exactly one front corner and both back corners are filled.
    pub(super) mini: [C; 4],
}

impl<C: Columns> Corners<C> {
    /// Computes the sets from the filled `cells` of a matrix. It moves all cells at once in each
    /// diagonal direction.
    #[inline(always)]
    pub(super) fn of(rules: &Guideline, cells: C) -> Corners<C> {
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
        Corners { full, mini }
    }

    /// Returns the resting positions in which a T may have a spin if it arrived by a turn, by
    /// rotation state. `grounded` are all resting positions.
    #[inline(always)]
    pub(super) fn turn_matters(&self, rules: &Guideline, grounded: &[C; 4]) -> [C; 4] {
        if rules.fifth_kick == FifthKick::Alone {
            // The fifth kick alone makes a spin, at any position.
            return *grounded;
        }
        states!(S => self.full[S].or(self.mini[S]).and(grounded[S]))
    }
}

/// Offsets of the four corners around a T's centre, clockwise from the upper left. In rotation
/// state s the corners s and (s + 1) % 4 are in front.
///
/// ```text
/// 0 . 1      Spawn: stem up,    front 0 1        Half: stem down,  front 2 3
/// . T .      Right: stem right, front 1 2        Left: stem left,  front 3 0
/// 3 . 2      the back corners are the two others: (s + 2) % 4 and (s + 3) % 4
/// ```
const DIAGONALS: [(i32, i32); 4] = [(-1, 1), (1, 1), (1, -1), (-1, -1)];
