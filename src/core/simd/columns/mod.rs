//! Holds the ten columns of a guideline matrix in one value: a set of cells or positions.
//!
//! A set has one word for each column: row r is bit 31 - r of 32, or bit 15 - r of 16. Algorithms
//! are written once over [`Columns`], and a [`ColumnsJob`] runs them at an instruction level.
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

/// Highest stack that rows 0 to 15 describe completely: the sky above them is open.
pub(crate) const LOW_STACK: usize = 12;

/// A set of cells or positions of a matrix.
pub(crate) trait Columns: Copy {
    /// True if the set has rows 0 to 15 alone.
    const IS_LOW: bool;

    fn load(columns: &[u32; WIDTH]) -> Self;
    #[cfg(test)]
    fn store(self) -> [u32; WIDTH];
    /// Returns the same rows in every column, row r at bit 31 - r.
    fn rows(rows: u32) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn without(self, other: Self) -> Self;
    /// Adds column by column, with carry toward the floor.
    fn plus(self, other: Self) -> Self;
    /// Moves all members by -2 to 2 columns to the right and any rows up; members that leave the
    /// matrix are lost. Members right of the last column may remain: intersect with a set of
    /// positions.
    fn moved(self, dx: i32, dy: i32) -> Self;
    /// Moves all members by at most three rows, with a way known only at run time.
    fn moved_by(self, way: (i32, i32)) -> Self;
    fn is_empty(self) -> bool;
    /// Returns the number of members of four sets, each counted separately.
    fn total(sets: &[Self; 4]) -> u32;

    /// Appends `base | column | row << 8` for each member. The highest member of every column comes
    /// first, from the left, then the next of every column. `out` must have room for 16 more than
    /// the members.
    fn list(self, base: u32, out: &mut Vec<u32>);

    #[inline(always)]
    fn none() -> Self {
        Self::rows(0)
    }

    /// Returns the positions from which the one `dx` to the right and `dy` up is a member. Above
    /// the rows of a low set, all positions are members.
    #[inline(always)]
    fn seen(self, dx: i32, dy: i32) -> Self {
        self.moved(-dx, -dy)
    }

    /// Returns [`Columns::seen`] for a way known only at run time.
    #[inline(always)]
    fn seen_by(self, (dx, dy): (i32, i32)) -> Self {
        self.moved_by((-dx, -dy))
    }

    /// Returns all cells that the members reach by falling within `free`, and the members.
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

pub(crate) trait ColumnsJob {
    type Output;
    /// Runs the job; must be inlined, like everything it calls.
    fn run<C: Columns>(self) -> Self::Output;
}

/// Runs a job with the registers of a level; `is_low` promises that no cell lies above
/// [`LOW_STACK`].
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

/// Runs a job on the target's baseline. Not inlined: a job is much code, compiled again at each
/// call.
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
