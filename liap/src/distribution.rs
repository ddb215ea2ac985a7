//! Exact distributions over all 10,518,300 hands: each of 81,415 kind-multisets counts as often as it
//! can be dealt.

use super::hand::{Cards, HAND_SIZE, Hand};
use super::piece::PieceKind;

/// Hands of eight pieces.
pub const HANDS: u64 = 10_518_300;

/// One hand of each kind-multiset, with the number of hands of the same kinds.
pub fn multisets() -> impl Iterator<Item = (Hand, u64)> {
    let mut all = Vec::new();
    extend(Hand(0), 1, 0, &mut all);
    all.into_iter()
}

/// Adds the multisets that a hand can be filled up to with kinds from a place on.
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

/// Ways to choose so many of so many.
fn choose(of: u32, count: u32) -> u64 {
    (0..u64::from(count)).fold(1, |ways, k| ways * (u64::from(of) - k) / (k + 1))
}

/// How often each value occurs over all hands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Hands by value, from 0; as long as the largest value needs.
    pub hands: Vec<u64>,
}

impl Distribution {
    /// The distribution of a function of the hand, held strongest piece first.
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

    /// All hands.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.hands.iter().sum()
    }

    /// The mean value.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let weighted = |(value, &hands): (usize, &u64)| value as f64 * hands as f64;
        self.hands.iter().enumerate().map(weighted).sum::<f64>() / self.total() as f64
    }

    /// Hands of a value above so much.
    #[must_use]
    pub fn above(&self, value: u8) -> u64 {
        self.hands.iter().skip(usize::from(value) + 1).sum()
    }
}
