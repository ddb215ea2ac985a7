//! The ten columns of a guideline matrix in one value: sets of cells or of positions.
//!
//! A set holds a word per column, row r at bit 31 - r of 32, or at bit 15 - r of sixteen. Algorithms are
//! written once over [`Columns`]; a [`ColumnsJob`] runs them at an instruction level.
//!
//! ```text
//! row 2   . .      column 0 = 110..., column 1 = 100... (bit 31 first)
//! row 1   # .
//! row 0   # #      up is toward bit 0 (a shift to the right), falling is toward bit 31: the way a sum carries
//! ```
//!
//! | file | what it holds | used |
//! |---|---|---|
//! | `low` | rows 0 to 15 in one register of AVX2 | for stacks up to [`LOW_STACK`], from `avx2` on |
//! | `wide` | all rows in one register of AVX-512 | for higher stacks, from `avx512` on |
//! | `narrow` | all rows in three registers of SSE2, compiled for AVX2 too | else on x86-64 |
//! | `neon` | all rows in three registers of NEON | on ARM |
//! | `portable` | all rows in an array | on other processors; what tests hold all to |

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

/// Columns of a matrix.
pub(crate) const WIDTH: usize = 10;

/// Highest stack of which rows 0 to 15 say all: the sky above them is open.
pub(crate) const LOW_STACK: usize = 12;

/// A set of cells or positions of a matrix.
pub(crate) trait Columns: Copy {
    /// Whether it has rows 0 to 15 alone.
    const IS_LOW: bool;

    /// A set from its columns.
    fn load(columns: &[u32; WIDTH]) -> Self;
    /// Its columns.
    #[cfg(test)]
    fn store(self) -> [u32; WIDTH];
    /// The same rows in every column, row r at bit 31 - r.
    fn rows(rows: u32) -> Self;
    /// Those that are in both.
    fn and(self, other: Self) -> Self;
    /// Those that are in either.
    fn or(self, other: Self) -> Self;
    /// Those not in the other.
    fn without(self, other: Self) -> Self;
    /// Column by column, with carry toward the floor.
    fn plus(self, other: Self) -> Self;
    /// All moved by -2..=2 columns to the right and any rows up; what leaves the matrix is lost.
    /// May leave members right of the last column: intersect with a set of positions.
    fn moved(self, dx: i32, dy: i32) -> Self;
    /// The same by at most three rows, where the way is known only when it runs.
    fn moved_by(self, way: (i32, i32)) -> Self;
    /// Whether it has no member.
    fn is_empty(self) -> bool;
    /// Members of four sets, each counted for itself.
    fn total(sets: &[Self; 4]) -> u32;

    /// Adds `base | column | row << 8` for each member: first the highest of every column, from
    /// the left, then the next of every column, and so on. `out` must have room for 16 more than
    /// there are members.
    fn list(self, base: u32, out: &mut Vec<u32>);

    /// Nothing.
    #[inline(always)]
    fn none() -> Self {
        Self::rows(0)
    }

    /// The positions from which the one `dx` to the right and `dy` up is a member. Above the rows that a
    /// low set has, all of the matrix are.
    #[inline(always)]
    fn seen(self, dx: i32, dy: i32) -> Self {
        self.moved(-dx, -dy)
    }

    /// The same where the way is known only when it runs.
    #[inline(always)]
    fn seen_by(self, (dx, dy): (i32, i32)) -> Self {
        self.moved_by((-dx, -dy))
    }

    /// All that these reach by falling within `free`, themselves included.
    ///
    /// ```text
    /// row           9  8  7  6  5  4  3  2  1  0      highest row first, as bits ascend
    /// free          1  1  1  1  1  0  1  1  0  1
    /// members       .  .  1  .  .  .  1  .  .  .
    /// sum           1  1  0  0  0  1  0  0  1  1      carries leave 0 behind and end in the cell that is not free
    /// free - sum    .  .  1  1  1  .  1  1  .  .      member and all free cells below it
    /// ```
    ///
    /// A second member of the same run leaves a 1 in the sum: hence the or.
    #[inline(always)]
    fn fallen(self, free: Self) -> Self {
        // In a run of free cells the sum carries from a member through all free cells below it.
        free.without(self.plus(free)).or(self)
    }
}

/// Work that can run at any level.
pub(crate) trait ColumnsJob {
    /// What it comes to.
    type Output;
    /// Must be inlined, as all that it calls.
    fn run<C: Columns>(self) -> Self::Output;
}

/// Runs a job with the registers of a level; `is_low` promises that no cell lies above [`LOW_STACK`].
#[inline]
pub(crate) fn run<J: ColumnsJob>(level: Level, is_low: bool, job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    match level.kind() {
        // SAFETY: whoever owns this level proved that the CPU has it.
        Kind::Avx2 | Kind::Avx512 | Kind::Avx512Vbmi if is_low => return unsafe { low::run(job) },
        // SAFETY: as above.
        Kind::Avx512 | Kind::Avx512Vbmi => return unsafe { wide::run(job) },
        // SAFETY: as above.
        Kind::Avx2 => return unsafe { narrow::run_avx2(job) },
        _ => {}
    }
    // Not asked on targets of one instance.
    let _ = (level, is_low);
    run_portable(job)
}

/// Not inlined: a job is much code, and would be compiled again wherever one is run.
#[inline(never)]
fn run_portable<J: ColumnsJob>(job: J) -> J::Output {
    #[cfg(target_arch = "x86_64")]
    return job.run::<narrow::Narrow>();
    #[cfg(target_arch = "aarch64")]
    return job.run::<neon::NeonColumns>();
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    job.run::<portable::PortableColumns>()
}

/// What [`Columns::list`] lists, one member after another.
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
