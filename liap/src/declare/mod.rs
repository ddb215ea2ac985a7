//! Decides declarations, the numbers of piles that players aim for, by each known version of the
//! rule.
//!
//! The versions are those of the LIAP repository (`andynenth/tui-backend`) and of this repository's
//! plan for a version 2.

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

tetrastat_core::by_text!(Declarer);

/// A version of the declaration rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Declarer {
    /// The repository's rule at the time when the plan for version 2 was written.
    V1,
    /// The repository's older rule, which also considers the piles left and the strength of the
    /// field.
    V1Rich,
    /// The intent of the repository's plan for version 2.
    #[default]
    V2,
    /// The text of the plan to the letter, with combinations of two or more pieces.
    V2Literal,
    /// The text of the plan to the letter, with single pieces as combinations too.
    V2LiteralSingles,
    /// The repository's early implementation of version 2.
    V2Upstream,
    /// The repository's last implementation of version 2.
    V2Late,
}

impl Declarer {
    /// All versions.
    pub const ALL: [Declarer; 7] = [
        Declarer::V1,
        Declarer::V1Rich,
        Declarer::V2,
        Declarer::V2Literal,
        Declarer::V2LiteralSingles,
        Declarer::V2Upstream,
        Declarer::V2Late,
    ];

    /// Returns the name of the version.
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

    /// Decides the declaration of `cards`, before the guard moves forbidden values.
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

/// A declarer's decision: the declared value and the steps that led to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclarationChoice {
    /// Value that the declarer returns. The rules may forbid it.
    pub value: u8,
    /// Value before forbidden values were checked.
    pub planned: u8,
    /// Number of piles that the earlier declarations leave, as the declarer counts them.
    pub room: i32,
    /// Plays with which the declarer intends to win. They do not change if a forbidden value is
    /// moved.
    pub plan: WinningPlays,
    /// Plays that replaced `plan` because the planned value was forbidden. `None` if nothing was
    /// replaced.
    pub rebuilt: Option<WinningPlays>,
    /// True if 0 was returned before forbidden values were checked.
    pub early: bool,
}

impl DeclarationChoice {
    /// Creates a decision that declares the number of pieces in `plan`.
    #[inline]
    fn planned(room: i32, plan: WinningPlays) -> DeclarationChoice {
        let value = plan.pieces() as u8;
        DeclarationChoice { value, planned: value, room, plan, rebuilt: None, early: false }
    }

    /// Creates a decision of 0 that was made before forbidden values were checked.
    fn early(room: i32) -> DeclarationChoice {
        DeclarationChoice {
            early: true,
            ..DeclarationChoice::planned(room, WinningPlays::default())
        }
    }

    /// Moves the decision's value to the nearest allowed one if `context` forbids it. Values above
    /// 8 are not moved.
    #[inline]
    fn nearest(self, context: &Context) -> DeclarationChoice {
        let (planned, forbidden) = (self.value, context.forbidden());
        let value = if forbidden.contains(planned) { forbidden.nearest(planned) } else { planned };
        DeclarationChoice { value, planned, ..self }
    }

    /// Returns the value that the guard lets the player declare: `value` if it is allowed,
    /// otherwise the nearest allowed one.
    #[must_use]
    #[inline]
    pub const fn guarded(&self, context: &Context) -> u8 {
        context.forbidden().nearest(self.value)
    }

    /// Returns the plays after any replacement: `rebuilt` if there is one, otherwise `plan`.
    #[must_use]
    pub fn final_plan(&self) -> &WinningPlays {
        self.rebuilt.as_ref().unwrap_or(&self.plan)
    }
}
