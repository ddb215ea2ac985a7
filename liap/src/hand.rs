//! Represents hands: sets of pieces, and the order in which a player holds the pieces.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::piece::{PieceKind, at_least};
use crate::error::{Error, Result, quoted};

/// Number of pieces dealt to each of four players.
pub const HAND_SIZE: usize = 8;

/// A set of LIAP pieces: bit i of the number is set if piece i of the 32 belongs to it.
/// [`PieceKind`] documents the order of the pieces.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hand(pub u32);

impl Hand {
    /// Returns the number of pieces.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns true if the set has no pieces.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of pieces of `kind` in the set.
    #[must_use]
    pub const fn count(self, kind: PieceKind) -> u32 {
        (self.0 & kind.mask()).count_ones()
    }

    /// Returns the pieces with at least `points` points.
    #[must_use]
    pub const fn at_least(self, points: u8) -> Hand {
        Hand(self.0 & at_least(points))
    }

    /// Returns the pieces with at least 11 points: generals and advisors.
    #[must_use]
    pub const fn openers(self) -> Hand {
        self.at_least(11)
    }

    /// Returns true if the set has the red general.
    #[must_use]
    pub const fn has_red_general(self) -> bool {
        // The best piece of the deck is the highest bit.
        self.0 >> 31 == 1
    }

    /// Returns true if no piece has more than 9 points, so that the holder may ask for a redeal.
    #[must_use]
    pub const fn is_weak(self) -> bool {
        self.at_least(10).is_empty()
    }

    /// Returns the set without `pieces`.
    #[must_use]
    pub const fn without(self, pieces: Hand) -> Hand {
        Hand(self.0 & !pieces.0)
    }

    /// Returns the set of only the strongest piece, or an empty set if there are no pieces.
    #[must_use]
    pub const fn best(self) -> Hand {
        Hand(if self.0 == 0 { 0 } else { 1 << (31 - self.0.leading_zeros()) })
    }

    /// Returns the sum of the points of all pieces.
    #[must_use]
    pub fn points(self) -> u32 {
        self.kinds().map(|kind| u32::from(kind.points())).sum()
    }

    /// Iterates over the kind of each piece, the weakest first. A kind with two pieces is returned
    /// twice.
    pub fn kinds(self) -> impl Iterator<Item = PieceKind> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (bit < 32).then(|| PieceKind::of(bit))
        })
    }
}

/// Writes the letters of the pieces, red before black, strongest first within each colour.
impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for red in [true, false] {
            for kind in PieceKind::all().rev().filter(|kind| kind.is_red() == red) {
                for _ in 0..self.count(kind) {
                    write!(f, "{}", kind.letter())?;
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A player's pieces in the order in which the player holds them. Some decisions depend on the
/// order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cards {
    /// Bit numbers of the pieces; only the first `len` are used.
    bits: [u8; HAND_SIZE],
    len: u8,
    hand: Hand,
}

impl Cards {
    /// Creates a full hand from the bit numbers of eight different pieces.
    #[must_use]
    pub fn dealt(bits: [u8; HAND_SIZE]) -> Cards {
        let hand = bits.iter().fold(0, |hand, bit| hand | 1 << bit);
        Cards { bits, len: HAND_SIZE as u8, hand: Hand(hand) }
    }

    /// Creates a hand from a set of at most eight pieces. The strongest piece is the first in
    /// order.
    #[must_use]
    pub fn sorted(hand: Hand) -> Cards {
        let mut cards = Cards::default();
        (0..32).rev().filter(|bit| hand.0 >> bit & 1 == 1).for_each(|bit| cards.push(bit));
        cards
    }

    /// Appends the piece with the bit number `bit`.
    fn push(&mut self, bit: u8) {
        self.bits[usize::from(self.len)] = bit;
        self.len += 1;
        self.hand.0 |= 1 << bit;
    }

    /// Returns the pieces of the player's hand as a set, without their order.
    #[must_use]
    pub fn hand(&self) -> Hand {
        self.hand
    }

    /// Returns the bit numbers of the pieces, in order.
    #[must_use]
    pub fn bits(&self) -> &[u8] {
        &self.bits[..usize::from(self.len)]
    }

    /// Returns the positions in hand order of the pieces in `of`, as a bit set. Bit 7 is the first
    /// position. Among sets of equal size, the one with the lexicographically first positions is
    /// the largest number.
    #[must_use]
    pub fn places(&self, of: Hand) -> u8 {
        let place = |(place, bit): (usize, &u8)| ((of.0 >> bit & 1) as u8) << (7 - place);
        self.bits().iter().enumerate().map(place).sum()
    }
}

/// Writes the letters of the pieces in hand order.
impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits().iter().try_for_each(|&bit| f.write_char(PieceKind::of(bit.into()).letter()))
    }
}

impl FromStr for Cards {
    type Err = Error;

    fn from_str(text: &str) -> Result<Cards> {
        let fail = |problem: String| Error::Config(format!("hand '{}': {problem}", quoted(text)));
        let mut cards = Cards::default();
        for letter in text.chars() {
            let kind = PieceKind::of_letter(letter).ok_or_else(|| {
                fail(format!(
                    "'{}' is no piece: use G A E R H C S for red general, advisor, \
                     elephant, chariot, horse, cannon, soldier, and small letters for black",
                    quoted(&letter.to_string())
                ))
            })?;
            let held = cards.hand.count(kind);
            if held == u32::from(kind.copies()) {
                let copies = kind.copies();
                let plural = if copies == 1 { "" } else { "s" };
                return Err(fail(format!("a deck has {copies} {kind}{plural}, not more")));
            }
            if cards.bits().len() == HAND_SIZE {
                let pieces = text.chars().count();
                return Err(fail(format!("{pieces} pieces are too many: give 1 to {HAND_SIZE}")));
            }
            cards.push((kind.mask().trailing_zeros() + held) as u8);
        }
        if cards.hand.is_empty() {
            return Err(fail("no pieces: give 1 to 8, for example ASSrhcss".to_owned()));
        }
        Ok(cards)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hands_are_read_and_written() {
        let cards: Cards = "ssASrhcs".parse().unwrap();
        assert_eq!(cards.to_string(), "ssASrhcs");
        assert_eq!(cards.hand().to_string(), "ASrhcsss");
        assert_eq!(cards.hand().points(), 12 + 2 + 7 + 5 + 3 + 3);
        assert_eq!(
            cards.places(PieceKind::of_letter('s').map(PieceKind::mask).map(Hand).unwrap()),
            0b1100_0001
        );
        assert_eq!(cards.hand().openers().to_string(), "A");
        assert_eq!(Cards::sorted(cards.hand()).to_string(), "ArhcSsss");
        assert_eq!("E".parse::<Cards>().unwrap().hand().best(), Hand(1 << 24));
        assert_eq!(Hand(0).best(), Hand(0));
    }

    #[test]
    fn a_black_elephant_is_weak_and_a_red_one_is_not() {
        let weak = |text: &str| text.parse::<Cards>().unwrap().hand().is_weak();
        assert!(weak("eerhcsss") && !weak("Eerhcsss") && !weak("arhcssss"));
    }

    #[test]
    fn what_is_no_hand_is_refused_with_the_reason() {
        let message = |text: &str| text.parse::<Cards>().unwrap_err().to_string();
        assert!(message("ASSrhcsss").contains("9 pieces are too many: give 1 to 8"));
        assert!(message("AAASrhcs").contains("a deck has 2 red advisors"));
        assert!(message("GG").contains("a deck has 1 red general, not more"));
        assert!(message("AXS").contains("'X' is no piece"));
        assert!(message("").contains("no pieces"));
    }
}
