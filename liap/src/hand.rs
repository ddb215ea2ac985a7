//! Represents LIAP's 32 pieces as bits of a `u32`, hands as sets or in the order held, and counts
//! all hands.
//!
//! Kinds of pieces are ordered by points from bit 0. So a mask selects all pieces of at least n
//! points, and the strongest piece is the highest bit. An opener is a piece with at least 11
//! points.

use std::fmt::{self, Write};
use std::str::FromStr;

use crate::error::{Error, Result, quoted};

pub(crate) const HAND_SIZE: usize = 8;

/// A set of pieces of the card game LIAP, one bit for each of the 32, in the order of `PieceKind`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hand(pub u32);

impl Hand {
    #[must_use]
    pub(crate) const fn len(self) -> u32 {
        self.0.count_ones()
    }

    #[must_use]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub(crate) const fn count(self, kind: PieceKind) -> u32 {
        (self.0 & kind.mask()).count_ones()
    }

    pub(crate) const fn at_least(self, points: u8) -> Hand {
        Hand(self.0 & at_least(points))
    }

    /// Returns the hand's openers, pieces with at least 11 points: generals and advisors.
    pub(crate) const fn openers(self) -> Hand {
        self.at_least(11)
    }

    pub(crate) const fn has_red_general(self) -> bool {
        // The best piece of the deck is the highest bit.
        self.0 >> 31 == 1
    }

    /// Returns true if no piece of the hand has more than 9 points, which allows a redeal.
    pub(crate) const fn is_weak(self) -> bool {
        self.at_least(10).is_empty()
    }

    #[must_use]
    pub(crate) const fn without(self, pieces: Hand) -> Hand {
        Hand(self.0 & !pieces.0)
    }

    pub(crate) const fn best(self) -> Hand {
        Hand(if self.0 == 0 { 0 } else { 1 << (31 - self.0.leading_zeros()) })
    }

    pub(crate) fn points(self) -> u32 {
        self.kinds().map(|kind| u32::from(kind.points())).sum()
    }

    /// Iterates over the kinds of the hand's pieces, the weakest first, one item per piece.
    pub(crate) fn kinds(self) -> impl Iterator<Item = PieceKind> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let bit = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (bit < 32).then(|| PieceKind::from_bit(bit))
        })
    }
}

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

/// The pieces of a LIAP player in the order held, on which some decisions depend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cards {
    /// Pieces of a LIAP player in the order held, as bit numbers 0 to 31; the first `len` are used.
    bits: [u8; HAND_SIZE],
    len: u8,
    hand: Hand,
}

impl Cards {
    #[must_use]
    pub(crate) fn dealt(bits: [u8; HAND_SIZE]) -> Cards {
        let hand = bits.iter().fold(0, |hand, bit| hand | 1 << bit);
        Cards { bits, len: HAND_SIZE as u8, hand: Hand(hand) }
    }

    #[must_use]
    pub(crate) fn sorted(hand: Hand) -> Cards {
        let mut cards = Cards::default();
        (0..32).rev().filter(|bit| hand.0 >> bit & 1 == 1).for_each(|bit| cards.push(bit));
        cards
    }

    fn push(&mut self, bit: u8) {
        self.bits[usize::from(self.len)] = bit;
        self.len += 1;
        self.hand.0 |= 1 << bit;
    }

    pub(crate) fn hand(&self) -> Hand {
        self.hand
    }

    #[must_use]
    pub(crate) fn bits(&self) -> &[u8] {
        &self.bits[..usize::from(self.len)]
    }

    /// Returns a bit mask of where the pieces `of` stand in the order held, bit 7 for the first.
    pub(crate) fn positions(&self, of: Hand) -> u8 {
        let place = |(place, bit): (usize, &u8)| ((of.0 >> bit & 1) as u8) << (7 - place);
        self.bits().iter().enumerate().map(place).sum()
    }
}

impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bits()
            .iter()
            .try_for_each(|&bit| f.write_char(PieceKind::from_bit(bit.into()).letter()))
    }
}

impl FromStr for Cards {
    type Err = Error;

    fn from_str(text: &str) -> Result<Cards> {
        let fail = |problem: String| Error::Config(format!("hand '{}': {problem}", quoted(text)));
        let mut cards = Cards::default();
        for letter in text.chars() {
            let kind = PieceKind::from_letter(letter).ok_or_else(|| {
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Soldier,
    Cannon,
    Horse,
    Chariot,
    Elephant,
    Advisor,
    General,
}

impl Name {
    pub(crate) const ALL: [Name; 7] = [
        Name::Soldier,
        Name::Cannon,
        Name::Horse,
        Name::Chariot,
        Name::Elephant,
        Name::Advisor,
        Name::General,
    ];

    pub(crate) const fn mask(self) -> u32 {
        PieceKind::new(self, false).mask() | PieceKind::new(self, true).mask()
    }

    fn word(self) -> &'static str {
        ["soldier", "cannon", "horse", "chariot", "elephant", "advisor", "general"][self as usize]
    }
}

/// The kind of a LIAP piece (name and colour), stored as its points minus 1. Red kinds have even
/// points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PieceKind(u8);

/// Letters of the LIAP piece kinds by increasing points: upper case for red.
const LETTERS: &[u8; PieceKind::COUNT] = b"sScChHrReEaAgG";
const OFFSETS: [u8; PieceKind::COUNT] = [0, 5, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 31];
const KINDS: [PieceKind; 32] = kinds();

const fn kinds() -> [PieceKind; 32] {
    let mut all = [PieceKind(0); 32];
    let mut place = 0;
    while place < PieceKind::COUNT as u8 {
        let mut copy = 0;
        while copy < PieceKind(place).copies() {
            all[(OFFSETS[place as usize] + copy) as usize] = PieceKind(place);
            copy += 1;
        }
        place += 1;
    }
    all
}

impl PieceKind {
    pub(crate) const COUNT: usize = 14;

    pub(crate) const fn new(name: Name, red: bool) -> PieceKind {
        PieceKind(2 * name as u8 + red as u8)
    }

    pub(crate) const fn from_index(index: usize) -> PieceKind {
        PieceKind(index as u8)
    }

    pub(crate) fn all() -> impl DoubleEndedIterator<Item = PieceKind> + Clone {
        (0..PieceKind::COUNT as u8).map(PieceKind)
    }

    pub(crate) const fn from_bit(bit: u32) -> PieceKind {
        KINDS[(bit & 31) as usize]
    }

    pub(crate) fn from_letter(letter: char) -> Option<PieceKind> {
        let place = LETTERS.iter().position(|&known| char::from(known) == letter);
        place.map(|place| PieceKind(place as u8))
    }

    pub(crate) fn letter(self) -> char {
        LETTERS[self.index()].into()
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the points of a kind of piece, 1 to 14.
    pub(crate) const fn points(self) -> u8 {
        self.0 + 1
    }

    pub(crate) const fn name(self) -> Name {
        Name::ALL[self.0 as usize / 2]
    }

    pub(crate) const fn is_red(self) -> bool {
        self.0 % 2 == 1
    }

    pub(crate) const fn copies(self) -> u8 {
        match self.0 {
            0 | 1 => 5,
            12 | 13 => 1,
            _ => 2,
        }
    }

    pub(crate) const fn mask(self) -> u32 {
        ((1 << self.copies()) - 1) << OFFSETS[self.index()]
    }
}

impl fmt::Display for PieceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.is_red() { "red" } else { "black" }, self.name().word())
    }
}

impl fmt::Debug for PieceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// Returns the bit set of all LIAP pieces with at least `points` points, 1 to 14.
#[must_use]
pub(super) const fn at_least(points: u8) -> u32 {
    u32::MAX << OFFSETS[points as usize - 1]
}

pub(crate) const HANDS: u64 = 10_518_300;

/// Lists all LIAP hands that differ in piece kinds, each with the number of hands of its kinds.
pub(crate) fn multisets() -> impl Iterator<Item = (Hand, u64)> {
    let mut all = Vec::new();
    complete_multisets(Hand(0), 1, 0, &mut all);
    all.into_iter()
}

/// Appends to `all` every way to fill `hand` to eight pieces with kinds of index `place` or higher.
fn complete_multisets(hand: Hand, ways: u64, place: usize, all: &mut Vec<(Hand, u64)>) {
    let missing = HAND_SIZE as u32 - hand.len();
    if missing == 0 {
        return all.push((hand, ways));
    }
    if place == PieceKind::COUNT {
        return;
    }
    let kind = PieceKind::from_index(place);
    let (lowest, copies) = (kind.mask().trailing_zeros(), u32::from(kind.copies()));
    for count in 0..=copies.min(missing) {
        let pieces = ((1 << count) - 1) << lowest;
        complete_multisets(Hand(hand.0 | pieces), ways * choose(copies, count), place + 1, all);
    }
}

fn choose(of: u32, count: u32) -> u64 {
    (0..u64::from(count)).fold(1, |ways, k| ways * (u64::from(of) - k) / (k + 1))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distribution {
    pub hands: Vec<u64>,
}

impl Distribution {
    /// Counts how many of all possible LIAP hands have each result of `value`.
    #[must_use]
    pub(crate) fn count(value: impl Fn(&Cards) -> u8) -> Distribution {
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

    #[must_use]
    pub(crate) fn total(&self) -> u64 {
        self.hands.iter().sum()
    }

    #[must_use]
    pub(crate) fn mean(&self) -> f64 {
        let weighted = |(value, &hands): (usize, &u64)| value as f64 * hands as f64;
        self.hands.iter().enumerate().map(weighted).sum::<f64>() / self.total() as f64
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
            cards.positions(PieceKind::from_letter('s').map(PieceKind::mask).map(Hand).unwrap()),
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

    #[test]
    fn the_kinds_share_the_deck() {
        let masks: Vec<u32> = PieceKind::all().map(PieceKind::mask).collect();
        assert_eq!(masks.iter().fold(0, |all, mask| all | mask), u32::MAX);
        assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), 32);
        let red: u32 = PieceKind::all().filter(|kind| kind.is_red()).map(PieceKind::mask).sum();
        assert_eq!(red.count_ones(), 16);
        for bit in 0..32 {
            assert_eq!(PieceKind::from_bit(bit).mask() >> bit & 1, 1);
        }
    }

    #[test]
    fn points_and_letters() {
        let points = |letter| PieceKind::from_letter(letter).unwrap().points();
        let all: Vec<u8> = "GgAaEeRrHhCcSs".chars().map(points).collect();
        assert_eq!(all, (1..=14).rev().collect::<Vec<u8>>());
        assert_eq!(PieceKind::from_letter('x'), None);
        assert_eq!(PieceKind::from_letter('A').unwrap().to_string(), "red advisor");
        assert_eq!(at_least(11).count_ones(), 6, "openers");
        assert_eq!(at_least(10).count_ones(), 8, "pieces above 9 points");
        assert_eq!(at_least(14), 1 << 31);
        assert_eq!(at_least(1), u32::MAX);
    }
}
