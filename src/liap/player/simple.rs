//! `basic` and `random`: players to measure others against.

use super::super::held::Held;
use super::super::play::PLAYS;
use crate::rng::Stream;

/// The legal play with the most points: of a size, or of any; of several the smallest, and of those
/// the first by places.
pub(super) fn strongest(held: &Held, size: Option<u32>) -> Option<u8> {
    let by_kind = held.by_kind(held.left());
    let sizes = size.map_or(1..=6, |size| size..=size);
    let plays = sizes.filter_map(|size| by_kind.strongest_play(size));
    plays.max_by_key(|&places| (held.points(places), std::cmp::Reverse(places.count_ones())))
}

/// Any legal play, each equally likely.
pub(super) fn any_play(held: &Held, choices: &mut Stream) -> u8 {
    let hand = held.pieces(held.left());
    let fits = || PLAYS.iter().filter(|play| play.pieces.without(hand).is_empty());
    let drawn = choices.below(fits().count().max(1) as u32);
    let pieces = fits().nth(drawn as usize).map_or(hand, |play| play.pieces);
    held.places(pieces)
}
