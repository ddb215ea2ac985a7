//! Computes the exact distribution of a value, such as the declaration, over all 10,518,300 hands.
//! The value is computed once for each of the 81,415 multisets of piece kinds. Each multiset is
//! weighted by the number of hands that have its kinds.

use super::hand::{Cards, HAND_SIZE, Hand};
use super::piece::PieceKind;

/// Number of possible hands: the ways to choose 8 of the 32 pieces.
pub const HANDS: u64 = 10_518_300;

/// Iterates over the multisets of eight piece kinds. Each is returned as one hand of these kinds
/// and the number of hands that have them.
pub fn multisets() -> impl Iterator<Item = (Hand, u64)> {
    let mut all = Vec::new();
    extend(Hand(0), 1, 0, &mut all);
    all.into_iter()
}

/// Appends to `all` every multiset that completes `hand` with kinds from index `place` on. `ways`
/// is the number of hands that have the kinds of `hand`.
fn extend(hand: Hand, ways: u64, place: usize, all: &mut Vec<(Hand, u64)>) {
    let missing = HAND_SIZE as u32 - hand.len();
    if missing == 0 {
        return all.push((hand, ways));
    }
    if place == PieceKind::COUNT {
        return;
    }
    let kind = PieceKind::at(place);
    let (lowest, copies) = (kind.mask().trailing_zeros(), u32::from(kind.copies()));
    for count in 0..=copies.min(missing) {
        let pieces = ((1 << count) - 1) << lowest;
        extend(Hand(hand.0 | pieces), ways * choose(copies, count), place + 1, all);
    }
}

/// Returns the binomial coefficient, `of` choose `count`.
fn choose(of: u32, count: u32) -> u64 {
    (0..u64::from(count)).fold(1, |ways, k| ways * (u64::from(of) - k) / (k + 1))
}

/// The frequency of each value over all hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Number of hands by value, from 0 to the largest value that occurs.
    pub hands: Vec<u64>,
}

impl Distribution {
    /// Computes the distribution of `value` over all hands. Each hand is given with its pieces in
    /// order, the strongest first.
    #[must_use]
    pub fn of(value: impl Fn(&Cards) -> u8) -> Distribution {
        let mut hands = Vec::new();
        for (hand, ways) in multisets() {
            let value = usize::from(value(&Cards::sorted(hand)));
            if value >= hands.len() {
                hands.resize(value + 1, 0);
            }
            hands[value] += ways;
        }
        Distribution { hands }
    }

    /// Returns the total number of hands.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.hands.iter().sum()
    }

    /// Returns the mean value.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let weighted = |(value, &hands): (usize, &u64)| value as f64 * hands as f64;
        self.hands.iter().enumerate().map(weighted).sum::<f64>() / self.total() as f64
    }

    /// Returns the number of hands with a value above `value`.
    #[must_use]
    pub fn above(&self, value: u8) -> u64 {
        self.hands.iter().skip(usize::from(value) + 1).sum()
    }
}
