//! Counts in bit slices: one number for each column of every board, one vector for each binary
//! digit of these numbers.
//!
//! ```text
//! column      5 4 3 2 1 0        bit c of digit d is binary digit d of column c's number:
//! digit[2]    0 0 1 0 0 0        column 3 has 0b110 = 6, column 1 has 0b001 = 1
//! digit[1]    0 0 1 0 0 0
//! digit[0]    0 0 0 0 1 0        adding 1 to some columns carries over from digit to digit
//! ```
//!
//! A vector has a bit for each column of a board, so all columns of all boards are counted at once.
//! Six digits suffice for any number that a column of 32 rows can reach.

use fearless_simd::{ExtractToken, Simd, SimdBase, SimdInt};

use crate::kernels::sweep::Lanes;

/// A number below 2^P for each column of each board. Element d of the array has binary digit d of
/// all numbers.
#[derive(Clone, Copy)]
pub(super) struct Counter<S: Simd, const P: usize>(pub(super) [Lanes<S>; P]);

impl<S: Simd, const P: usize> Counter<S, P> {
    #[inline(always)]
    pub(super) fn zero(simd: S) -> Self {
        Counter([Lanes::<S>::splat(simd, 0); P])
    }

    /// Adds 1 to the numbers of the columns set in `columns`. Returns the columns whose number
    /// overflowed.
    #[inline(always)]
    pub(super) fn count(&mut self, columns: Lanes<S>) -> Lanes<S> {
        let mut carry = columns;
        for digit in &mut self.0 {
            let next = *digit & carry;
            *digit ^= carry;
            carry = next;
        }
        carry
    }

    /// Sets the numbers of all columns outside `columns` to zero.
    #[inline(always)]
    pub(super) fn keep(&mut self, columns: Lanes<S>) {
        for digit in &mut self.0 {
            *digit &= columns;
        }
    }

    /// Returns the sum of the numbers over all columns of each board.
    #[inline(always)]
    pub(super) fn sum(&self) -> Lanes<S> {
        let mut total = Total::zero(self.0[0].token());
        total.add_all(self);
        total.value()
    }

    /// Returns the sum of the squared numbers over `columns`, computed from each digit and each
    /// pair of digits.
    #[inline(always)]
    pub(super) fn squares(&self, columns: Lanes<S>) -> Lanes<S> {
        // n = sum of b_i 2^i, so n^2 = sum of b_i 2^2i + 2 x sum over pairs of b_i b_j 2^(i+j).
        let mut total = Lanes::<S>::splat(columns.token(), 0);
        for i in 0..P {
            let with = self.0[i] & columns;
            total += with.count_ones() << (2 * i as u32);
            for j in 0..i {
                total += (with & self.0[j]).count_ones() << ((i + j + 1) as u32);
            }
        }
        total
    }

    /// Returns the sum of n(n + 1)/2 over `columns`, where n is a column's number.
    #[inline(always)]
    pub(super) fn triangles(&self, columns: Lanes<S>) -> Lanes<S> {
        // (n + n^2) / 2; both sums fit 16 bits, since 16 columns of 32 rows sum to 8,448.
        let mut total = Total::zero(columns.token());
        total.add(self, columns);
        (total.value() + self.squares(columns)) >> 1
    }
}

/// The sum of counters over many rows, stored as one partial sum for each binary digit.
///
/// The partial sums are multiplied by their powers of two at the end. A row therefore costs one
/// popcount and one addition for each digit, and no shift.
pub(super) struct Total<S: Simd, const P: usize>([Lanes<S>; P]);

impl<S: Simd, const P: usize> Total<S, P> {
    #[inline(always)]
    pub(super) fn zero(simd: S) -> Self {
        Total([Lanes::<S>::splat(simd, 0); P])
    }

    /// Adds the numbers that `counter` has for the columns in `columns`.
    #[inline(always)]
    pub(super) fn add(&mut self, counter: &Counter<S, P>, columns: Lanes<S>) {
        for (sum, digit) in self.0.iter_mut().zip(counter.0) {
            *sum += (digit & columns).count_ones();
        }
    }

    #[inline(always)]
    pub(super) fn add_all(&mut self, counter: &Counter<S, P>) {
        for (sum, digit) in self.0.iter_mut().zip(counter.0) {
            *sum += digit.count_ones();
        }
    }

    /// Returns the sum: the partial sum of each digit times its power of two.
    #[inline(always)]
    pub(super) fn value(&self) -> Lanes<S> {
        let mut total = Lanes::<S>::splat(self.0[0].token(), 0);
        // Horner's method from the highest digit: twice the sum so far, plus the next digit.
        for digit in self.0.iter().rev() {
            total = total + total + *digit;
        }
        total
    }
}
