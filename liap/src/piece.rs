//! Describes the 32 pieces of a deck: 14 kinds, each with its own point value.
//!
//! A piece is one bit of a `u32`, and the kinds are ordered by points from bit 0. One mask
//! therefore selects all pieces of at least n points, and the strongest piece of a hand is its
//! highest bit.

use std::fmt;

/// The name of a piece, without its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// Soldier, five of each colour.
    Soldier,
    /// Cannon, two of each colour.
    Cannon,
    /// Horse, two of each colour.
    Horse,
    /// Chariot, two of each colour.
    Chariot,
    /// Elephant, two of each colour.
    Elephant,
    /// Advisor, two of each colour.
    Advisor,
    /// General, one of each colour.
    General,
}

impl Name {
    /// All names, weakest first.
    pub const ALL: [Name; 7] = [
        Name::Soldier,
        Name::Cannon,
        Name::Horse,
        Name::Chariot,
        Name::Elephant,
        Name::Advisor,
        Name::General,
    ];

    /// Returns the pieces of this name in both colours, as a bit set.
    #[must_use]
    pub const fn mask(self) -> u32 {
        PieceKind::new(self, false).mask() | PieceKind::new(self, true).mask()
    }

    fn word(self) -> &'static str {
        ["soldier", "cannon", "horse", "chariot", "elephant", "advisor", "general"][self as usize]
    }
}

/// A kind of piece: a name and a colour. Its index, from 0, is its points minus 1. Red kinds have
/// even points.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PieceKind(u8);

/// Letters of the kinds, in the order of points. Upper case is red, and R is the chariot.
const LETTERS: &[u8; PieceKind::COUNT] = b"sScChHrReEaAgG";
/// Lowest bit number of each kind.
const OFFSETS: [u8; PieceKind::COUNT] = [0, 5, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 31];
/// Kind of the piece at each bit number.
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
    /// Number of kinds.
    pub const COUNT: usize = 14;

    /// Returns the kind with this name and colour.
    #[must_use]
    pub const fn new(name: Name, red: bool) -> PieceKind {
        PieceKind(2 * name as u8 + red as u8)
    }

    /// Returns the kind with the index `place`, which must be below [`PieceKind::COUNT`].
    #[must_use]
    pub const fn at(place: usize) -> PieceKind {
        PieceKind(place as u8)
    }

    /// Iterates over all kinds, weakest first.
    pub fn all() -> impl DoubleEndedIterator<Item = PieceKind> + Clone {
        (0..PieceKind::COUNT as u8).map(PieceKind)
    }

    /// Returns the kind of the piece with this bit number.
    #[must_use]
    pub const fn of(bit: u32) -> PieceKind {
        KINDS[(bit & 31) as usize]
    }

    /// Returns the kind that `letter` stands for, or `None` if the letter is unknown.
    #[must_use]
    pub fn of_letter(letter: char) -> Option<PieceKind> {
        let place = LETTERS.iter().position(|&known| char::from(known) == letter);
        place.map(|place| PieceKind(place as u8))
    }

    /// Returns the letter that stands for the kind, upper case for red.
    #[must_use]
    pub fn letter(self) -> char {
        LETTERS[self.index()].into()
    }

    /// Returns the index of the kind, from 0.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the points of the kind, 1 to 14.
    #[must_use]
    pub const fn points(self) -> u8 {
        self.0 + 1
    }

    /// Returns the name of the kind.
    #[must_use]
    pub const fn name(self) -> Name {
        Name::ALL[self.0 as usize / 2]
    }

    /// Returns true if the kind is red.
    #[must_use]
    pub const fn is_red(self) -> bool {
        self.0 % 2 == 1
    }

    /// Returns the number of pieces of this kind in a deck.
    #[must_use]
    pub const fn copies(self) -> u8 {
        match self.0 {
            0 | 1 => 5,
            12 | 13 => 1,
            _ => 2,
        }
    }

    /// Returns the pieces of this kind as a bit set.
    #[must_use]
    pub const fn mask(self) -> u32 {
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

/// Returns all pieces with at least `points` points (1 to 14), as a bit set.
#[must_use]
pub(super) const fn at_least(points: u8) -> u32 {
    u32::MAX << OFFSETS[points as usize - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_share_the_deck() {
        let masks: Vec<u32> = PieceKind::all().map(PieceKind::mask).collect();
        assert_eq!(masks.iter().fold(0, |all, mask| all | mask), u32::MAX);
        assert_eq!(masks.iter().map(|mask| mask.count_ones()).sum::<u32>(), 32);
        let red: u32 = PieceKind::all().filter(|kind| kind.is_red()).map(PieceKind::mask).sum();
        assert_eq!(red.count_ones(), 16);
        for bit in 0..32 {
            assert_eq!(PieceKind::of(bit).mask() >> bit & 1, 1);
        }
    }

    /// Compares with the table of the rules: 14 and 13 for generals, then two less for each name.
    #[test]
    fn points_and_letters() {
        let points = |letter| PieceKind::of_letter(letter).unwrap().points();
        let all: Vec<u8> = "GgAaEeRrHhCcSs".chars().map(points).collect();
        assert_eq!(all, (1..=14).rev().collect::<Vec<u8>>());
        assert_eq!(PieceKind::of_letter('x'), None);
        assert_eq!(PieceKind::of_letter('A').unwrap().to_string(), "red advisor");
        assert_eq!(at_least(11).count_ones(), 6, "openers");
        assert_eq!(at_least(10).count_ones(), 8, "pieces above 9 points");
        assert_eq!(at_least(14), 1 << 31);
        assert_eq!(at_least(1), u32::MAX);
    }
}
