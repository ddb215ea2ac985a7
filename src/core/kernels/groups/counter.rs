//! Bit-sliced counters: one number per column of every lane, one vector per binary digit.

use crate::simd::Lanes;

/// A number per column, below 2^P.
#[derive(Clone, Copy)]
pub(super) struct Counter<V, const P: usize>(pub(super) [V; P]);

impl<V: Lanes, const P: usize> Counter<V, P> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Counter([V::zero(); P])
    }

    /// Adds 1 in the columns of `columns`; returns those that overflow.
    #[inline(always)]
    pub(super) fn count(&mut self, columns: V) -> V {
        let mut carry = columns;
        for digit in &mut self.0 {
            let next = digit.and(carry);
            *digit = digit.xor(carry);
            carry = next;
        }
        carry
    }

    /// Sets the numbers outside `columns` to zero.
    #[inline(always)]
    pub(super) fn keep(&mut self, columns: V) {
        for digit in &mut self.0 {
            *digit = digit.and(columns);
        }
    }

    /// Sum of the numbers over all columns.
    #[inline(always)]
    pub(super) fn sum(&self) -> V {
        let mut total = Total::zero();
        total.add(self, V::splat(u16::MAX));
        total.value()
    }

    /// Sum of the squares over `columns`: each pair of digits counts.
    #[inline(always)]
    pub(super) fn squares(&self, columns: V) -> V {
        let mut total = V::zero();
        for i in 0..P {
            let with = self.0[i].and(columns);
            total = total.add(with.popcount().shl(2 * i as u32));
            for j in 0..i {
                total = total.add(with.and(self.0[j]).popcount().shl((i + j + 1) as u32));
            }
        }
        total
    }

    /// Sum over `columns` of n(n + 1)/2, n the number.
    #[inline(always)]
    pub(super) fn triangles(&self, columns: V) -> V {
        let mut total = Total::zero();
        total.add(self, columns);
        total.value().add(self.squares(columns)).shr(1)
    }
}

/// A sum of counters over rows, one partial sum per digit.
pub(super) struct Total<V, const P: usize>([V; P]);

impl<V: Lanes, const P: usize> Total<V, P> {
    #[inline(always)]
    pub(super) fn zero() -> Self {
        Total([V::zero(); P])
    }

    /// Adds the numbers of `columns`.
    #[inline(always)]
    pub(super) fn add(&mut self, counter: &Counter<V, P>, columns: V) {
        for (sum, digit) in self.0.iter_mut().zip(counter.0) {
            *sum = sum.add(digit.and(columns).popcount());
        }
    }

    /// Adds all numbers.
    #[inline(always)]
    pub(super) fn add_all(&mut self, counter: &Counter<V, P>) {
        for (sum, digit) in self.0.iter_mut().zip(counter.0) {
            *sum = sum.add(digit.popcount());
        }
    }

    #[inline(always)]
    pub(super) fn value(&self) -> V {
        let mut total = V::zero();
        for digit in self.0.iter().rev() {
            total = total.add(total).add(*digit);
        }
        total
    }
}
