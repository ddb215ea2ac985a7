//! Decides declarations, the numbers of piles that LIAP players promise to capture, by each known
//! version of the rule: those of the LIAP repository (`andynenth/tui-backend`) and of this
//! repository's plan for a version 2.
//!
//! Room is the number of piles that the earlier declarations leave. A combination is a play of two
//! or more pieces.
//!
//! Frozen: bytes

mod upstream;
mod v1;
mod v2;

use std::fmt;
use std::fmt::Write;

use super::hand::{Cards, Hand};
use super::play::Play;
use crate::error::{Error, Result};

#[cfg(test)]
mod tests;

tetrastat_core::by_text!(Declarer);

tetrastat_core::names! {
    /// A version of the rule by which LIAP players declare how many piles they will capture.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Declarer as "declarer" {
        /// Version 1 of the LIAP repository's rule, which ignores the piles left by earlier
        /// players.
        V1 = "v1",
        /// Rule before version 1 in the LIAP repository, which also considers the piles that
        /// earlier players leave.
        V1Rich = "v1-rich",
        /// Version 2 of the rule as its plan intended: combinations never share a piece.
        #[default]
        V2 = "v2",
        /// Version 2 by the literal text of its plan, in which combinations may share pieces.
        V2Literal = "v2-literal",
        /// Version 2 by the literal text of its plan, with single pieces as combinations too.
        V2LiteralSingles = "v2-literal-singles",
        /// Version 2 of the rule in an early implementation of the LIAP repository.
        V2Upstream = "v2-upstream",
        /// Version 2 of the rule in the last implementation of the LIAP repository.
        V2Late = "v2-late",
    }
}

impl Declarer {
    /// Decides how many piles a player declares. The rules of LIAP may still forbid the number.
    #[must_use]
    #[inline]
    pub fn decide(self, cards: &Cards, context: &Context) -> DeclarationChoice {
        let hand = cards.hand();
        match self {
            Declarer::V1 => v1::decide(cards, context),
            Declarer::V1Rich => v1::decide_rich(hand, context),
            Declarer::V2 => v2::decide(hand, context),
            Declarer::V2Literal => v2::decide_literal(hand, context, false),
            Declarer::V2LiteralSingles => v2::decide_literal(hand, context, true),
            Declarer::V2Upstream => upstream::decide(hand, context, upstream::Form::Early),
            Declarer::V2Late => upstream::decide(hand, context, upstream::Form::Late),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeclarationChoice {
    pub value: u8,
    pub planned: u8,
    /// Number of a round's eight piles left after the earlier declarations, as the rule counts it.
    pub room: i32,
    /// Plays with which the player plans to win, before the check for a forbidden declaration.
    pub plan: WinningPlays,
    /// Plays planned anew after the first plan led to a forbidden declaration, otherwise `None`.
    pub rebuilt: Option<WinningPlays>,
    /// True if the rule decided to declare 0 before it checked for forbidden numbers of piles.
    pub early: bool,
}

impl DeclarationChoice {
    #[inline]
    fn planned(room: i32, plan: WinningPlays) -> DeclarationChoice {
        let value = plan.pieces() as u8;
        DeclarationChoice { value, planned: value, room, plan, rebuilt: None, early: false }
    }

    fn early(room: i32) -> DeclarationChoice {
        DeclarationChoice {
            early: true,
            ..DeclarationChoice::planned(room, WinningPlays::default())
        }
    }

    /// Moves a forbidden declaration to the nearest allowed one. Declarations above 8 stay as is.
    #[inline]
    fn nearest(self, context: &Context) -> DeclarationChoice {
        let (planned, forbidden) = (self.value, context.forbidden());
        let value = if forbidden.contains(planned) { forbidden.nearest(planned) } else { planned };
        DeclarationChoice { value, planned, ..self }
    }

    /// Returns the allowed number of piles, 0 to 8, nearest to the player's declaration.
    #[must_use]
    #[inline]
    pub(crate) const fn guarded(&self, context: &Context) -> u8 {
        context.forbidden().nearest(self.value)
    }

    pub(crate) fn final_plan(&self) -> &WinningPlays {
        self.rebuilt.as_ref().unwrap_or(&self.plan)
    }
}

pub(crate) const PILES: u8 = 8;

/// The situation in which a card player declares: the round's earlier declarations, and a ban on 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    previous: [u8; 3],
    position: u8,
    /// True if the player declared 0 in the last two rounds and must declare at least 1.
    pub nonzero: bool,
}

impl Context {
    /// Creates a player's situation after up to three earlier declarations, `previous`. If
    /// `nonzero` is true, the player must not declare 0.
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

    pub(crate) fn push(&mut self, declared: u8) {
        if let Some(place) = self.previous.get_mut(usize::from(self.position)) {
            *place = declared;
        }
        self.position += 1;
    }

    pub(crate) fn previous(&self) -> &[u8] {
        &self.previous[..usize::from(self.position.min(3))]
    }

    /// Returns the number of earlier declarations in the round, 0 for the starter.
    #[must_use]
    pub const fn position(&self) -> u8 {
        self.position
    }

    pub(crate) const fn is_starter(&self) -> bool {
        self.position == 0
    }

    pub(crate) const fn sum(&self) -> u8 {
        self.previous[0] + self.previous[1] + self.previous[2]
    }

    pub(super) const fn last(&self) -> u8 {
        match self.position {
            0 => 0,
            position => self.previous[position as usize - 1],
        }
    }

    /// Returns forbidden declarations: 0 after two rounds of 0, and for the last player a sum of 8.
    pub(crate) const fn forbidden(&self) -> Forbidden {
        let mut bars = self.nonzero as u16;
        if self.position == 3 && self.sum() <= PILES {
            bars |= 1 << (PILES - self.sum());
        }
        Forbidden(bars)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forbidden(u16);

impl Forbidden {
    #[must_use]
    pub(crate) const fn contains(self, value: u8) -> bool {
        value < 16 && self.0 >> value & 1 == 1
    }

    pub(crate) fn values(self) -> impl Iterator<Item = u8> {
        (0..=PILES).filter(move |&value| self.contains(value))
    }

    /// Returns the allowed declaration, 0 to 8, nearest to `value`; of two equally near, the lower.
    #[must_use]
    pub(crate) const fn nearest(self, value: u8) -> u8 {
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

/// Maximum number of plays in a LIAP hand that can be strong, single pieces included.
const MAX_COMBOS: usize = 20;

/// The plays that a LIAP player counts on to win: single pieces, and combinations of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WinningPlays {
    /// Opener (piece of at least 11 points) chosen before the combinations. Empty if there is none.
    pub opener: Hand,
    /// Single pieces with which the player intends to win, besides the opener.
    pub extras: Hand,
    combos: [Hand; MAX_COMBOS],
    found: u8,
    /// Bit set, by index, of the planned combinations given up because too few piles are left.
    dropped: u32,
}

impl WinningPlays {
    pub(super) fn from_openers(opener: Hand, extras: Hand) -> WinningPlays {
        WinningPlays { opener, extras, ..WinningPlays::default() }
    }

    #[inline]
    pub(super) fn add(&mut self, combo: u32) {
        self.combos[usize::from(self.found)] = Hand(combo);
        self.found += 1;
    }

    #[inline]
    pub(super) fn add_some(&mut self, combo: u32) {
        if combo != 0 {
            self.add(combo);
        }
    }

    #[must_use]
    pub fn found(&self) -> &[Hand] {
        &self.combos[..usize::from(self.found)]
    }

    /// Returns true if the combination at `index` is still in the plan.
    #[must_use]
    pub const fn keeps(&self, index: usize) -> bool {
        self.dropped >> index & 1 == 0
    }

    pub fn remaining(&self) -> impl Iterator<Item = Hand> {
        let found = self.found().iter().enumerate();
        found.filter(|&(place, _)| self.keeps(place)).map(|(_, &combo)| combo)
    }

    #[must_use]
    pub const fn openers(&self) -> Hand {
        Hand(self.opener.0 | self.extras.0)
    }

    /// Returns the number of pieces in all planned plays. A piece shared by two plays counts twice.
    #[must_use]
    #[inline]
    pub fn pieces(&self) -> u32 {
        self.openers().len() + self.remaining().map(Hand::len).sum::<u32>()
    }

    /// Drops combinations of lowest `worth`, of equals the first, until at most `room` pieces stay.
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

/// Writes the planned plays joined by `+`: combinations first, then single pieces.
impl fmt::Display for WinningPlays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for combo in self.remaining() {
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

pub(super) fn describe_play(combo: Hand) -> String {
    Play::from_hand(combo)
        .map_or_else(|| combo.to_string(), |play| format!("{} {combo}", play.kind))
}

#[must_use]
pub(crate) fn explain(
    declarer: Declarer,
    cards: &Cards,
    context: &Context,
    decision: &DeclarationChoice,
) -> String {
    let mut text = String::new();
    let mut line = |head: &str, rest: String| {
        let _ = writeln!(text, "{head:11} {rest}");
    };
    let hand = cards.hand();
    let name = declarer.name();
    line("hand", format!("{cards}: {}", list_with_points(hand)));
    let role = if context.is_starter() { "starter" } else { "not the starter" };
    line("role", format!("{role}, position {}", context.position()));
    line("previous", previous_text(context));
    line("room", format!("{} piles by {name}", decision.room));
    explain_plan(declarer, decision, &mut line);
    let planned = decision.planned;
    match decision.early {
        true => line("planned", "0, returned before forbidden values are checked".to_owned()),
        false => line("planned", planned.to_string()),
    }
    line("forbidden", listed(context.forbidden().values()));
    if decision.value != planned {
        let how = if decision.rebuilt.is_some() { "play list rebuilt" } else { "nearest allowed" };
        line("moved", format!("{planned} -> {}: {how}", decision.value));
    }
    let declared = decision.guarded(context);
    if declared != decision.value {
        let why = if decision.value > 8 { "above 8" } else { "against the rules" };
        line("guard", format!("{} -> {declared}: {} is {why}", decision.value, decision.value));
    }
    line("play list", plays(decision.final_plan()));
    line("declared", declared.to_string());
    text
}

fn explain_plan(
    declarer: Declarer,
    decision: &DeclarationChoice,
    line: &mut impl FnMut(&str, String),
) {
    let plan = &decision.plan;
    let looks_for_one = !matches!(declarer, Declarer::V1 | Declarer::V1Rich);
    if looks_for_one && !plan.opener.is_empty() {
        line("opener", list_with_points(plan.opener));
    } else if looks_for_one && decision.planned == 0 {
        line("opener", "none found".to_owned());
    }
    line("found", format!("{} combinations", plan.found().len()));
    for (place, &combo) in plan.found().iter().enumerate() {
        let verdict = if plan.keeps(place) { "kept" } else { "dropped: no room" };
        line("", format!("{}, {} points: {verdict}", describe_play(combo), combo.points()));
    }
    if !plan.extras.is_empty() {
        line("singles", list_with_points(plan.extras));
    }
}

fn list_with_points(pieces: Hand) -> String {
    let mut kinds: Vec<_> = pieces.kinds().collect();
    kinds.reverse();
    let named: Vec<String> =
        kinds.iter().map(|kind| format!("{kind} ({})", kind.points())).collect();
    named.join(", ")
}

fn previous_text(context: &Context) -> String {
    let sum = context.sum();
    match context.previous() {
        [] => "none".to_owned(),
        previous => format!("{} (sum {sum})", listed(previous.iter().copied())),
    }
}

fn listed(values: impl Iterator<Item = u8>) -> String {
    let values: Vec<String> = values.map(|value| value.to_string()).collect();
    if values.is_empty() { "none".to_owned() } else { values.join(" ") }
}

fn plays(plan: &WinningPlays) -> String {
    let combos = plan.remaining().map(describe_play);
    let singles = plan.openers().kinds().map(|kind| kind.to_string());
    let all: Vec<String> = combos.chain(singles).collect();
    if all.is_empty() { "empty".to_owned() } else { all.join(", ") }
}
