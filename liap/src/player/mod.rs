//! Chooses the cards that players play in the turns of a round.

mod bot;
mod simple;

use std::fmt;
use std::str::FromStr;

use super::hand::Hand;
use super::held::{Held, weakest};
use crate::error::{Error, Result};
use crate::rng::Stream;

tetrastat_core::by_text!(CardPlayer);

/// A strategy for playing cards in the turns of a round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum CardPlayer {
    /// Strategy of the bot in the LIAP repository.
    #[default]
    Bot,
    /// Strategy that plays the strongest legal play of the required size, or of any size as leader.
    Basic,
    /// Strategy that plays at random: any legal play as leader, any cards as follower.
    Random,
}

/// The information that a player has when it must play cards.
#[derive(Clone, Copy, Debug)]
pub struct TurnView<'a> {
    /// Cards that the player still holds.
    pub held: &'a Held,
    /// Number of piles that the player declared.
    pub declared: u8,
    /// Number of piles that the player has captured.
    pub captured: u8,
    /// Number of the turn, from 1.
    pub turn: u32,
    /// Sum of all four declarations.
    pub total: u8,
}

impl TurnView<'_> {
    /// Returns the number of declared piles not captured yet, negative if the player has captured
    /// too many.
    fn need(&self) -> i32 {
        i32::from(self.declared) - i32::from(self.captured)
    }
}

impl CardPlayer {
    /// All strategies.
    pub const ALL: [CardPlayer; 3] = [CardPlayer::Bot, CardPlayer::Basic, CardPlayer::Random];

    /// Returns the name of the strategy.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            CardPlayer::Bot => "bot",
            CardPlayer::Basic => "basic",
            CardPlayer::Random => "random",
        }
    }

    /// Chooses the play of a turn's leader, which is always legal.
    #[must_use]
    pub fn lead(self, view: &TurnView, choices: &mut Stream) -> Hand {
        match self {
            CardPlayer::Bot => bot::lead(view, choices),
            CardPlayer::Basic => simple::strongest(view.held, None).map_or(view.held.left(), Hand),
            CardPlayer::Random => simple::any_play(view.held, choices),
        }
    }

    /// Chooses the `size` cards of a follower, as many as the leader played. The cards need not be
    /// a legal play.
    #[must_use]
    pub fn follow(self, view: &TurnView, size: u32, choices: &mut Stream) -> Hand {
        let (held, left) = (view.held, view.held.left());
        match self {
            CardPlayer::Bot => bot::follow(view, size, choices),
            CardPlayer::Basic => {
                Hand(simple::strongest(held, Some(size)).unwrap_or(weakest(left.0, size)))
            }
            CardPlayer::Random => bot::draw(left.0, size, choices).map_or(left, Hand),
        }
    }
}

impl fmt::Display for CardPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CardPlayer {
    type Err = Error;

    fn from_str(name: &str) -> Result<CardPlayer> {
        let found = CardPlayer::ALL.into_iter().find(|player| player.name() == name);
        found.ok_or_else(|| Error::unknown("player", name, CardPlayer::ALL.map(CardPlayer::name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cards;
    use crate::rng::Purpose;

    /// Counts the bot's plays of one situation over 4,000 repetitions, by the letters of the cards.
    fn plays(
        hand: &str,
        (captured, declared): (u8, u8),
        size: Option<u32>,
        turn: u32,
        others: u8,
    ) -> Vec<(String, u32)> {
        let cards: Cards = hand.parse().unwrap();
        let held = Held::new(&cards);
        let view = TurnView { held: &held, declared, captured, turn, total: others + declared };
        let mut counts = std::collections::BTreeMap::new();
        let mut choices = Stream::new(11, Purpose::Choices, 0);
        for _ in 0..4000 {
            let cards = match size {
                None => CardPlayer::Bot.lead(&view, &mut choices),
                Some(size) => CardPlayer::Bot.follow(&view, size, &mut choices),
            };
            *counts.entry(cards.to_string()).or_insert(0) += 1;
        }
        counts.into_iter().collect()
    }

    /// Compares the bot with the repository's recorded runs where it does not draw at random.
    #[test]
    fn the_bot_plays_as_recorded() {
        let cases = [
            ("Gss", (2, 2), Some(2), 3, 5, "Gs"),
            ("GAsR", (3, 3), Some(1), 5, 5, "G"),
            ("GAsR", (3, 3), None, 5, 5, "s"),
            ("SSSSSrhc", (0, 8), None, 1, 0, "rhc"),
            ("SSSSSrhc", (0, 3), None, 1, 6, "SSS"),
            ("GSSSrhce", (0, 4), None, 1, 5, "rhc"),
            ("RRHCsseE", (0, 3), None, 1, 6, "RR"),
            ("EERrss", (1, 3), Some(2), 7, 5, "EE"),
            ("GAErhcSs", (0, 6), None, 1, 3, "GAE"),
            ("ssaSS", (0, 1), Some(2), 2, 11, "SS"),
        ];
        for (hand, target, size, turn, others, expected) in cases {
            let found = plays(hand, target, size, turn, others);
            assert_eq!(found, [(expected.to_owned(), 4000)], "{hand}");
        }
    }

    /// Compares the bot with recorded shares where it draws at random. Shares of 35 % and 65 % of
    /// 4,000 lie within 4 standard errors (0.0302) in all but about 6 of 100,000 seeds.
    #[test]
    fn the_bot_times_its_openers_as_recorded() {
        for (size, first, second) in
            [(Some(1), ("E", 0.65), ("G", 0.35)), (None, ("E", 0.35), ("G", 0.65))]
        {
            let found = plays("GaEeRrsS", (0, 2), size, 1, 5);
            let named: Vec<&str> = found.iter().map(|(play, _)| &**play).collect();
            assert_eq!(named, [first.0, second.0]);
            for ((_, count), (_, share)) in found.iter().zip([first, second]) {
                assert!((f64::from(*count) / 4000.0 - share).abs() < 0.0302, "{found:?}");
            }
        }
    }

    /// For hands of every length, leads are legal, follows have the right size, and both are held.
    #[test]
    fn every_player_plays_what_it_has() {
        let mut stream = Stream::new(2, Purpose::Deals, 0);
        for round in 0..3000u32 {
            let cards = crate::deal(&mut stream)[0];
            let mut held = Held::new(&cards);
            let below_best = held.left().best().0 - 1;
            held.play(Hand(stream.below(u32::MAX) & below_best));
            let view = TurnView {
                held: &held,
                declared: stream.below(9) as u8,
                captured: stream.below(9) as u8,
                turn: 1 + stream.below(8),
                total: stream.below(33) as u8,
            };
            let player = CardPlayer::ALL[round as usize % 3];
            let lead = player.lead(&view, &mut stream);
            let is_held = |cards: Hand| cards.without(held.left()).is_empty();
            assert!(is_held(lead) && crate::Play::of(lead).is_some(), "{player} {cards}");
            let size = 1 + stream.below(held.left().len().min(6));
            let follow = player.follow(&view, size, &mut stream);
            assert!(is_held(follow) && follow.len() == size, "{player} {cards}");
        }
    }
}
