//! Implements the card players `basic` and `random`, which serve as baselines.

use super::super::hand::Hand;
use super::super::held::{Held, strongest_play};
use super::super::play::PLAYS;
use crate::rng::Stream;

/// Returns the legal play of `size` cards, or of any size, with the most points. Among plays of
/// equal points, the smallest is chosen. Returns `None` if there is no legal play.
pub(super) fn strongest(held: &Held, size: Option<u32>) -> Option<u32> {
    let sizes = size.map_or(1..=6, |size| size..=size);
    let plays = sizes.filter_map(|size| strongest_play(held.left().0, size));
    plays.max_by_key(|&play| (Hand(play).points(), std::cmp::Reverse(play.count_ones())))
}

/// Draws one of all legal plays at random, each with equal probability.
pub(super) fn any_play(held: &Held, choices: &mut Stream) -> Hand {
    let hand = held.left();
    let fits = || PLAYS.iter().filter(|play| play.pieces.without(hand).is_empty());
    let drawn = choices.below(fits().count().max(1) as u32);
    fits().nth(drawn as usize).map_or(hand, |play| play.pieces)
}
