//! Implements vectors as plain arrays, lane by lane. They are the specification in tests, and the
//! vectors of targets for which this crate has no intrinsics.
//!
//! Operations are `inline`, not `inline(always)`. Each loop is then unrolled once, before it is
//! inlined. With `inline(always)` it was unrolled at each use, which took minutes.

/// An array of lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<T, const N: usize>(pub(super) [T; N]);

impl<T: Copy, const N: usize> Array<T, N> {
    /// Applies `f` to each lane.
    #[inline]
    pub(super) fn map(mut self, f: impl Fn(T) -> T) -> Self {
        for a in &mut self.0 {
            *a = f(*a);
        }
        self
    }

    /// Applies `f` to each lane of `self` and the lane of `other` with the same index.
    #[inline]
    pub(super) fn zip(mut self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        self
    }
}

/// Defines methods that apply a function to each lane of two arrays.
macro_rules! lane_by_lane {
    ($($name:ident: $f:expr),* $(,)?) => {
        $(
            #[inline]
            fn $name(self, other: Self) -> Self {
                self.zip(other, $f)
            }
        )*
    };
}
pub(super) use lane_by_lane;
