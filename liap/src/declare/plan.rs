//! Stores the plays with which a player intends to win: single pieces and combinations.

use std::fmt;

use super::super::hand::Hand;
use super::super::play::Play;

/// Maximum number of combinations that can be stored. A hand has at most 20 strong plays, single
/// pieces included.
const MAX_COMBOS: usize = 20;

/// The plays with which a player intends to win: single pieces and combinations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinningPlays {
    /// Opener that was chosen before the combinations. Empty if there is none.
    pub opener: Hand,
    /// Single pieces added after the opener.
    pub extras: Hand,
    combos: [Hand; MAX_COMBOS],
    found: u8,
    /// Combinations that were dropped for lack of room, as a bit set of their indices.
    dropped: u32,
}

impl WinningPlays {
    /// Creates a plan of single pieces only, without combinations.
    pub(super) fn of_openers(opener: Hand, extras: Hand) -> WinningPlays {
        WinningPlays { opener, extras, ..WinningPlays::default() }
    }

    #[inline]
    pub(super) fn add(&mut self, combo: u32) {
        self.combos[usize::from(self.found)] = Hand(combo);
        self.found += 1;
    }

    /// Appends a combination unless the set is empty.
    #[inline]
    pub(super) fn add_some(&mut self, combo: u32) {
        if combo != 0 {
            self.add(combo);
        }
    }

    /// Returns all combinations that were added, including dropped ones.
    #[must_use]
    pub fn found(&self) -> &[Hand] {
        &self.combos[..usize::from(self.found)]
    }

    /// Returns true if the combination at index `place` was not dropped.
    #[must_use]
    pub const fn keeps(&self, place: usize) -> bool {
        self.dropped >> place & 1 == 0
    }

    /// Iterates over the combinations that were not dropped.
    pub fn kept(&self) -> impl Iterator<Item = Hand> {
        let found = self.found().iter().enumerate();
        found.filter(|&(place, _)| self.keeps(place)).map(|(_, &combo)| combo)
    }

    /// Returns all single pieces of the plan: the opener and the extras.
    #[must_use]
    pub const fn openers(&self) -> Hand {
        Hand(self.opener.0 | self.extras.0)
    }

    /// Returns the number of pieces over all plays. A piece in two plays counts twice.
    #[must_use]
    #[inline]
    pub fn pieces(&self) -> u32 {
        self.openers().len() + self.kept().map(Hand::len).sum::<u32>()
    }

    /// Drops combinations until the plays have at most `room` pieces or no combination is left. The
    /// combination with the lowest `worth` is dropped first. Among equals this is the one found
    /// first.
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

/// Writes the plays joined by `+`: combinations first, then single pieces.
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

/// Formats the type and the pieces of a combination.
pub(super) fn named(combo: Hand) -> String {
    Play::of(combo).map_or_else(|| combo.to_string(), |play| format!("{} {combo}", play.kind))
}
