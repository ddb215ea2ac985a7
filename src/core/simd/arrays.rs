//! Plain arrays: what vectors mean, lane by lane. They are the lanes and columns of targets without vectors
//! of ours, where the compiler makes vectors of them, and elsewhere the specification in tests.
//!
//! Operations are `inline`, not `inline(always)`: so each loop is unrolled once, before it is inlined,
//! and not again wherever it is used, which took minutes.

/// Some lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array<T, const N: usize>(pub(super) [T; N]);

impl<T: Copy, const N: usize> Array<T, N> {
    /// The same of each lane.
    #[inline]
    pub(super) fn map(mut self, f: impl Fn(T) -> T) -> Self {
        for a in &mut self.0 {
            *a = f(*a);
        }
        self
    }

    /// The same of each lane and that of another.
    #[inline]
    pub(super) fn zip(mut self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a = f(*a, b);
        }
        self
    }
}

/// Methods that do the same to each lane of two arrays.
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
