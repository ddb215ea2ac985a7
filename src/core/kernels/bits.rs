//! Iterates over the set bits of a mask.

/// Iterator over the indices of the set bits of a mask, lowest first.
pub(super) struct SetBits(pub(super) u64);

impl Iterator for SetBits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let place = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(place)
    }
}
