//! Describes the situation in which a player declares: the earlier declarations, and the values
//! that the rules forbid.

use crate::error::{Error, Result};

/// Number of piles in a round, the largest possible declaration.
pub const PILES: u8 = 8;

/// The situation in which a player declares: the round's earlier declarations in order, and the
/// possible ban on another 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    previous: [u8; 3],
    position: u8,
    /// True if the player declared 0 in the last two rounds and must declare at least 1.
    pub nonzero: bool,
}

impl Context {
    /// Creates the context after the `previous` declarations, whose number is the player's
    /// position. If `nonzero` is true, the player must not declare 0.
    ///
    /// # Errors
    /// [`Error::Config`] if there are more than three declarations, or one is above 8.
    pub fn new(previous: &[u8], nonzero: bool) -> Result<Context> {
        if previous.len() > 3 {
            let text = "there are four players: give at most three previous declarations";
            return Err(Error::Config(text.to_owned()));
        }
        if let Some(above) = previous.iter().find(|&&value| value > PILES) {
            return Err(Error::Config(format!("a previous declaration of {above}: give 0 to 8")));
        }
        let mut context = Context { nonzero, ..Context::default() };
        previous.iter().for_each(|&value| context.push(value));
        Ok(context)
    }

    /// Appends `declared` to the earlier declarations. The context then describes the next player's
    /// situation.
    pub(crate) fn push(&mut self, declared: u8) {
        if let Some(place) = self.previous.get_mut(usize::from(self.position)) {
            *place = declared;
        }
        self.position += 1;
    }

    /// Returns the earlier declarations, in order.
    #[must_use]
    pub fn previous(&self) -> &[u8] {
        &self.previous[..usize::from(self.position.min(3))]
    }

    /// Returns the number of earlier declarations, 0 for the starter.
    #[must_use]
    pub const fn position(&self) -> u8 {
        self.position
    }

    /// Returns true if the player declares first and leads the first turn.
    #[must_use]
    pub const fn is_starter(&self) -> bool {
        self.position == 0
    }

    /// Returns the sum of the earlier declarations.
    #[must_use]
    pub const fn sum(&self) -> u8 {
        self.previous[0] + self.previous[1] + self.previous[2]
    }

    /// Returns the declaration of the player just before, or 0 for the starter.
    pub(super) const fn last(&self) -> u8 {
        match self.position {
            0 => 0,
            position => self.previous[position as usize - 1],
        }
    }

    /// Returns the values that the rules forbid: 0 after two zeros, and for the last player the
    /// value that makes the sum 8.
    #[must_use]
    pub const fn forbidden(&self) -> Forbidden {
        let mut bars = self.nonzero as u16;
        if self.position == 3 && self.sum() <= PILES {
            bars |= 1 << (PILES - self.sum());
        }
        Forbidden(bars)
    }
}

/// The set of values that a player may not declare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forbidden(u16);

impl Forbidden {
    /// Returns true if `value` is forbidden.
    #[must_use]
    pub const fn contains(self, value: u8) -> bool {
        value < 16 && self.0 >> value & 1 == 1
    }

    /// Returns true if no value is forbidden.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the forbidden values.
    pub fn values(self) -> impl Iterator<Item = u8> {
        (0..=PILES).filter(move |&value| self.contains(value))
    }

    /// Returns the allowed value from 0 to 8 that is nearest to `value`, the lower one if two are
    /// equally near. The rules forbid at most two values, so an allowed one exists.
    #[must_use]
    pub const fn nearest(self, value: u8) -> u8 {
        let value = if value > PILES { PILES } else { value };
        let mut distance = 0;
        while distance <= PILES {
            if distance <= value && !self.contains(value - distance) {
                return value - distance;
            }
            if value + distance <= PILES && !self.contains(value + distance) {
                return value + distance;
            }
            distance += 1;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(previous: &[u8], nonzero: bool) -> Context {
        Context::new(previous, nonzero).unwrap()
    }

    fn barred(previous: &[u8], nonzero: bool) -> Vec<u8> {
        context(previous, nonzero).forbidden().values().collect()
    }

    #[test]
    fn only_the_last_player_may_not_make_eight() {
        assert_eq!(barred(&[2, 1, 3], false), [2]);
        assert_eq!(barred(&[2, 1, 5], false), [0]);
        assert_eq!(barred(&[2, 1, 5], true), [0]);
        assert_eq!(barred(&[2, 1, 3], true), [0, 2]);
        assert_eq!(barred(&[0, 0, 0], false), [8]);
        assert_eq!(barred(&[5, 4, 0], false), [0u8; 0], "more than eight already");
        assert_eq!(barred(&[4, 4], false), [0u8; 0]);
        assert_eq!(barred(&[], true), [0]);
    }

    #[test]
    fn the_nearest_value_is_the_lower_of_two() {
        let nearest =
            |previous: &[u8], nonzero, value| context(previous, nonzero).forbidden().nearest(value);
        assert_eq!(nearest(&[2, 1, 3], false, 2), 1);
        assert_eq!(nearest(&[2, 1, 3], false, 12), 8);
        assert_eq!(nearest(&[2, 1, 5], false, 0), 1);
        assert_eq!(nearest(&[2, 2, 3], true, 0), 2, "0 and 1 are barred");
        assert_eq!(nearest(&[2, 2, 3], true, 1), 2);
        assert_eq!(nearest(&[0, 0, 0], false, 9), 7);
        assert_eq!(nearest(&[3], false, 5), 5);
    }

    #[test]
    fn wrong_contexts_are_refused() {
        assert!(Context::new(&[1, 2, 3, 4], false).is_err());
        assert!(Context::new(&[9], false).is_err());
    }
}
