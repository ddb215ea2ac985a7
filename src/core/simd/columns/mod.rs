//! Represents a set of cells or positions of a guideline matrix, ten columns wide, as one value.
//!
//! A set has one word for each column: row r is bit 31 - r of a 32-bit word, or bit 15 - r of a
//! 16-bit word. Algorithms are written once over [`Columns`], and a [`ColumnsJob`] runs them at an
//! instruction level.
//!
//! ```text
//! row 2   . .      column 0 = 110..., column 1 = 100... (bit 31 first)
//! row 1   # .
//! row 0   # #      Up is toward bit 0, a right shift. Falling is toward bit 31, as a sum carries.
//! ```
//!
//! | file | registers | used |
//! |---|---|---|
//! | `low` | rows 0 to 15 in one register of AVX2 | stacks up to [`LOW_STACK`], from `avx2` on |
//! | `wide` | all rows in one register of AVX-512 | higher stacks, from `avx512` on |
//! | `narrow` | all rows in three registers of SSE2, also compiled for AVX2 | otherwise on x86-64 |
//! | `neon` | all rows in three registers of NEON | on ARM |
//! | `portable` | all rows in an array | other processors; the specification in tests |

#[cfg(target_arch = "x86_64")]
mod low;
#[cfg(target_arch = "x86_64")]
mod narrow;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
mod portable;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(target_arch = "x86_64")]
use super::level::Kind;
use super::level::Level;

/// Number of columns of a matrix.
pub(crate) const WIDTH: usize = 10;

/// Highest stack that sets of rows 0 to 15 describe completely: all rows above are open sky.
pub(crate) const LOW_STACK: usize = 12;

/// A set of cells or positions of a matrix.
pub(crate) trait Columns: Copy {
    /// True if the set has rows 0 to 15 alone.
    const IS_LOW: bool;

    fn load(columns: &[u32; WIDTH]) -> Self;
    #[cfg(test)]
    fn store(self) -> [u32; WIDTH];
    /// Returns the set that has `rows` in every column; bit 31 - r of `rows` is row r.
    fn rows(rows: u32) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    /// Adds the words of each column; carries move toward the floor.
    fn plus(self, other: Self) -> Self;
    /// Moves all members `dx` columns to the right, -2 to 2, and `dy` rows up. Members that leave
    /// the matrix are lost, except that some may remain right of the last column. Intersect the
    /// result with a set of positions.
    fn moved(self, dx: i32, dy: i32) -> Self;
    /// Moves all members by `way`, columns to the right and rows up, as [`Columns::moved`] does.
    /// Here the move is known only at run time, and is at most three rows.
    fn moved_by(self, way: (i32, i32)) -> Self;
    fn is_empty(self) -> bool;
    /// Returns the total number of members of four sets; a member of several sets counts once for
    /// each.
    fn total(sets: &[Self; 4]) -> u32;

    /// Appends `base | column | row << 8` to `out` for each member. The highest member of every
    /// column comes first, from the left, then the second highest of every column, and so on. `out`
    /// must have room for 16 elements more than there are members.
    fn list(self, base: u32, out: &mut Vec<u32>);

    #[inline(always)]
    fn none() -> Self {
        Self::rows(0)
    }

    /// Returns the positions for which the position `dx` columns to the right and `dy` rows up is a
    /// member. In a low set, all positions above its rows count as members.
    #[inline(always)]
    fn seen(self, dx: i32, dy: i32) -> Self {
        self.moved(-dx, -dy)
    }

    /// Returns the result of [`Columns::seen`] for a move known only at run time.
    #[inline(always)]
    fn seen_by(self, (dx, dy): (i32, i32)) -> Self {
        self.moved_by((-dx, -dy))
    }

    /// Returns the members and all cells that they reach by falling through the cells of `free`.
    ///
    /// ```text
    /// row           9  8  7  6  5  4  3  2  1  0      highest row first, as bits ascend
    /// free          1  1  1  1  1  0  1  1  0  1
    /// members       .  .  1  .  .  .  1  .  .  .
    /// sum           1  1  0  0  0  1  0  0  1  1      carries leave 0 and end in a cell not free
    /// free - sum    .  .  1  1  1  .  1  1  .  .      a member and all free cells below it
    /// ```
    ///
    /// A second member of the same run leaves a 1 in the sum: hence the OR.
    #[inline(always)]
    fn fallen(self, free: Self) -> Self {
        // In a run of free cells the sum carries from a member through all free cells below it.
        free.without(self.plus(free)).or(self)
    }
}

/// A computation on sets of columns, written over the registers of any level.
pub(crate) trait ColumnsJob {
    type Output;
    /// Runs the job with sets of type `C`. Implementations and all functions they call must be
    /// inlined.
    fn run<C: Columns>(self) -> Self::Output;
}

/// Runs `job` with the registers of `level`. `is_low` promises that no cell is above [`LOW_STACK`].
#[inline]
pub(crate) fn run<J: ColumnsJob>(level: Level, is_low: bool, job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    match level.kind() {
        // SAFETY: the owner of this level proved that the CPU has it.
        Kind::Avx2 | Kind::Avx512 | Kind::Avx512Vbmi if is_low => return unsafe { low::run(job) },
        // SAFETY: as above.
        Kind::Avx512 | Kind::Avx512Vbmi => return unsafe { wide::run(job) },
        // SAFETY: as above.
        Kind::Avx2 => return unsafe { narrow::run_avx2(job) },
        _ => {}
    }
    // Unused on targets with one implementation.
    let _ = (level, is_low);
    run_portable(job)
}

/// Runs a job with the instructions that every processor of the target has. Not inlined: a job is
/// much code, which would be compiled again at each call.
#[inline(never)]
fn run_portable<J: ColumnsJob>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    return job.run::<narrow::Narrow>();
    #[cfg(target_arch = "aarch64")]
    return job.run::<neon::NeonColumns>();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    job.run::<portable::PortableColumns>()
}

/// Implements [`Columns::list`] one member after another.
#[inline]
fn list(columns: &mut [u32], base: u32, out: &mut Vec<u32>) {
    while columns.iter().any(|&column| column != 0) {
        for (x, column) in (0..).zip(columns.iter_mut()) {
            if *column != 0 {
                // The lowest bit is the highest row.
                let row = 31 - column.trailing_zeros();
                out.push(base | x | row << 8);
                *column &= *column - 1;
            }
        }
    }
}
