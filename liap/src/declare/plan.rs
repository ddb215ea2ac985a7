//! The play list of a declaration: openers one by one, and combinations.

use std::fmt;

use super::super::hand::Hand;
use super::super::play::Play;

/// Combinations that a list has room for; all strong ones of a hand, singles among them, are 20.
const ROOM: usize = 20;

/// Plays that a player means to win with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinningPlays {
    /// The opener that is looked for before combinations, if any.
    pub opener: Hand,
    /// Pieces added one by one.
    pub extras: Hand,
    combos: [Hand; ROOM],
    found: u8,
    /// Of the combinations, those that were dropped again, by place.
    dropped: u32,
}

impl WinningPlays {
    /// A list of single pieces.
    pub(super) fn of_openers(opener: Hand, extras: Hand) -> WinningPlays {
        WinningPlays { opener, extras, ..WinningPlays::default() }
    }

    /// Adds a combination.
    #[inline]
    pub(super) fn add(&mut self, combo: u32) {
        self.combos[usize::from(self.found)] = Hand(combo);
        self.found += 1;
    }

    /// Adds a combination if it is one.
    #[inline]
    pub(super) fn add_some(&mut self, combo: u32) {
        if combo != 0 {
            self.add(combo);
        }
    }

    /// The combinations found, dropped ones among them.
    #[must_use]
    pub fn found(&self) -> &[Hand] {
        &self.combos[..usize::from(self.found)]
    }

    /// Whether the combination at a place was kept.
    #[must_use]
    pub const fn keeps(&self, place: usize) -> bool {
        self.dropped >> place & 1 == 0
    }

    /// The combinations kept.
    pub fn kept(&self) -> impl Iterator<Item = Hand> {
        let found = self.found().iter().enumerate();
        found.filter(|&(place, _)| self.keeps(place)).map(|(_, &combo)| combo)
    }

    /// All single pieces of the list.
    #[must_use]
    pub const fn openers(&self) -> Hand {
        Hand(self.opener.0 | self.extras.0)
    }

    /// The pieces of the plays, summed up play by play: a piece of two plays counts twice.
    #[must_use]
    #[inline]
    pub fn pieces(&self) -> u32 {
        self.openers().len() + self.kept().map(Hand::len).sum::<u32>()
    }

    /// Drops combinations, that of the least `worth` first and of equals the first found, until the
    /// plays have no more pieces than there is room, or no combination is left.
    pub(super) fn fit<W: Ord>(&mut self, room: i32, worth: impl Fn(Hand) -> W) {
        let mut pieces = self.pieces() as i32;
        while pieces > room {
            let places = (0..self.found().len()).filter(|&place| self.keeps(place));
            let Some(place) = places.min_by_key(|&place| worth(self.combos[place])) else { return };
            self.dropped |= 1 << place;
            pieces -= self.combos[place].len() as i32;
        }
    }
}

/// The plays, `+` between them: combinations with their types, single pieces last.
impl fmt::Display for WinningPlays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for combo in self.kept() {
            write!(f, "{between}{combo}")?;
            between = "+";
        }
        for kind in self.openers().kinds() {
            write!(f, "{between}{}", kind.letter())?;
            between = "+";
        }
        Ok(())
    }
}

/// A combination in words.
pub(super) fn named(combo: Hand) -> String {
    Play::of(combo).map_or_else(|| combo.to_string(), |play| format!("{} {combo}", play.kind))
}
