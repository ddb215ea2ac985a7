//! Declarations: how many piles a player means to capture, by each known version of the rule.

mod context;
mod explain;
mod literal;
mod plan;
#[cfg(test)]
mod tests;
mod upstream;
mod v1;
mod v1_rich;
mod v2;

use std::fmt;
use std::str::FromStr;

pub use context::{Context, Forbidden, PILES};
pub use explain::explain;
pub use plan::WinningPlays;

use super::hand::Cards;
use crate::error::{Error, Result};

/// A version of the declaration rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Declarer {
    /// The repository's, when the plan for v2 was written.
    V1,
    /// The repository's before that, with room and field strength.
    V1Rich,
    /// The plan for v2 as it is meant.
    #[default]
    V2,
    /// The plan to the letter, combinations of two pieces and more.
    V2Literal,
    /// The plan to the letter, single pieces as combinations too.
    V2LiteralSingles,
    /// The repository's v2, early form.
    V2Upstream,
    /// The repository's v2, last form.
    V2Late,
}

impl Declarer {
    /// All of them.
    pub const ALL: [Declarer; 7] = [
        Declarer::V1,
        Declarer::V1Rich,
        Declarer::V2,
        Declarer::V2Literal,
        Declarer::V2LiteralSingles,
        Declarer::V2Upstream,
        Declarer::V2Late,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Declarer::V1 => "v1",
            Declarer::V1Rich => "v1-rich",
            Declarer::V2 => "v2",
            Declarer::V2Literal => "v2-literal",
            Declarer::V2LiteralSingles => "v2-literal-singles",
            Declarer::V2Upstream => "v2-upstream",
            Declarer::V2Late => "v2-late",
        }
    }

    /// What the version declares with a hand, before the guard.
    #[must_use]
    #[inline]
    pub fn decide(self, cards: &Cards, context: &Context) -> DeclarationChoice {
        let hand = cards.hand();
        match self {
            Declarer::V1 => v1::decide(cards, context),
            Declarer::V1Rich => v1_rich::decide(hand, context),
            Declarer::V2 => v2::decide(hand, context),
            Declarer::V2Literal => literal::decide(hand, context, false),
            Declarer::V2LiteralSingles => literal::decide(hand, context, true),
            Declarer::V2Upstream => upstream::decide(hand, context, upstream::Form::Early),
            Declarer::V2Late => upstream::decide(hand, context, upstream::Form::Late),
        }
    }
}

impl fmt::Display for Declarer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Declarer {
    type Err = Error;

    fn from_str(name: &str) -> Result<Declarer> {
        let found = Declarer::ALL.into_iter().find(|declarer| declarer.name() == name);
        found.ok_or_else(|| Error::unknown("declarer", name, Declarer::ALL.map(Declarer::name)))
    }
}

/// A declaration, and what it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclarationChoice {
    /// What the version returns; not always a value that the rules allow.
    pub value: u8,
    /// What it had come to before it looked at forbidden values.
    pub planned: u8,
    /// Piles that were there to win, by the version's own count.
    pub room: i32,
    /// The play list; it stays as planned when the value is moved.
    pub plan: WinningPlays,
    /// The list that took the plan's place because the value was forbidden.
    pub rebuilt: Option<WinningPlays>,
    /// Whether 0 was returned before forbidden values were looked at.
    pub early: bool,
}

impl DeclarationChoice {
    /// A decision for all plays of a list.
    #[inline]
    fn planned(room: i32, plan: WinningPlays) -> DeclarationChoice {
        let value = plan.pieces() as u8;
        DeclarationChoice { value, planned: value, room, plan, rebuilt: None, early: false }
    }

    /// 0, whatever is forbidden.
    fn early(room: i32) -> DeclarationChoice {
        DeclarationChoice {
            early: true,
            ..DeclarationChoice::planned(room, WinningPlays::default())
        }
    }

    /// Moves a forbidden value to the nearest allowed one; values above 8 stay.
    #[inline]
    fn nearest(self, context: &Context) -> DeclarationChoice {
        let (planned, forbidden) = (self.value, context.forbidden());
        let value = if forbidden.bars(planned) { forbidden.nearest(planned) } else { planned };
        DeclarationChoice { value, planned, ..self }
    }

    /// What is declared when the rules are kept: the value, or the nearest one allowed.
    #[must_use]
    #[inline]
    pub const fn guarded(&self, context: &Context) -> u8 {
        context.forbidden().nearest(self.value)
    }

    /// The list that the value stands for, as far as there is one.
    #[must_use]
    pub fn final_plan(&self) -> &WinningPlays {
        self.rebuilt.as_ref().unwrap_or(&self.plan)
    }
}
