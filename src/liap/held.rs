//! A player's cards during the turns: places instead of pieces.
//!
//! A place is a bit of a `u8`, the first in hand order the highest. Then "the first of several plays
//! of one size in lexicographic order of places", on which the bots' choices rest, is the largest
//! number; and eight places of 14 kinds are one 16-byte vector.

use super::hand::{Cards, HAND_SIZE, Hand};
use super::piece::Kind;

/// Kinds, padded to a vector.
const LANES: usize = 16;

/// Cards of which some are played.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Bits of the pieces by place.
    bits: [u8; HAND_SIZE],
    /// Points by place.
    points: [u8; HAND_SIZE],
    /// Places of each kind, played ones too.
    of: [u8; LANES],
    /// All places, the strongest piece first, of one kind in hand order.
    ranked: [u8; HAND_SIZE],
    /// Places not played yet.
    left: u8,
    /// Places of pieces from 11 points, of up to 4 points.
    openers: u8,
    low: u8,
}

impl Held {
    /// All cards of a full hand.
    #[must_use]
    pub fn new(cards: &Cards) -> Held {
        let mut held = Held {
            bits: [0; HAND_SIZE],
            points: [0; HAND_SIZE],
            of: [0; LANES],
            ranked: [0; HAND_SIZE],
            left: 0,
            openers: 0,
            low: 0,
        };
        for (place, &bit) in cards.bits().iter().enumerate() {
            let (kind, here) = (Kind::of(bit.into()), 0x80 >> place);
            held.bits[place] = bit;
            held.points[place] = kind.points();
            held.of[kind.index()] |= here;
            held.left |= here;
            held.openers |= if kind.points() >= 11 { here } else { 0 };
            held.low |= if kind.points() <= 4 { here } else { 0 };
        }
        held.rank(cards.bits().len());
        held
    }

    /// Each place goes behind those of more points and the earlier ones of as many.
    fn rank(&mut self, len: usize) {
        for place in 0..len {
            let points = self.points[place];
            let before = (0..len)
                .filter(|&other| {
                    let theirs = self.points[other];
                    theirs > points || theirs == points && other < place
                })
                .count();
            self.ranked[before] = 0x80 >> place;
        }
    }

    /// Places that are left.
    #[must_use]
    #[inline]
    pub fn left(&self) -> u8 {
        self.left
    }

    /// Cards that are left.
    #[must_use]
    #[inline]
    pub fn len(&self) -> u32 {
        self.left.count_ones()
    }

    /// Whether all are played.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }

    /// Takes places away.
    #[inline]
    pub(super) fn play(&mut self, places: u8) {
        self.left &= !places;
    }

    /// The pieces at some places.
    #[must_use]
    #[inline]
    pub fn pieces(&self, places: u8) -> Hand {
        let mut pieces = 0;
        each(places, |place| pieces |= 1 << self.bits[place]);
        Hand(pieces)
    }

    /// The places of some pieces.
    #[must_use]
    pub fn places(&self, pieces: Hand) -> u8 {
        let mut places = 0;
        each(self.left, |place| {
            places |= ((pieces.0 >> self.bits[place] & 1) as u8) << (7 - place)
        });
        places
    }

    /// Their points.
    #[must_use]
    #[inline]
    pub fn points(&self, places: u8) -> u32 {
        let mut points = 0;
        each(places, |place| points += u32::from(self.points[place]));
        points
    }

    /// The kind at one place.
    #[inline]
    pub(super) fn kind(&self, place: u8) -> Kind {
        Kind::at(usize::from(self.points[place.leading_zeros() as usize & 7]) - 1)
    }

    /// Places left of openers.
    #[inline]
    pub(super) fn openers(&self) -> u8 {
        self.openers & self.left
    }

    /// Places of up to 4 points, played ones too.
    #[inline]
    pub(super) fn low(&self) -> u8 {
        self.low
    }

    /// Of each kind, its places among some.
    #[inline]
    pub(super) fn by_kind(&self, among: u8) -> ByKind {
        ByKind(self.of.map(|places| places & among))
    }

    /// Some places one by one, the strongest first.
    #[inline]
    pub(super) fn strongest_first(&self, among: u8) -> impl DoubleEndedIterator<Item = u8> {
        self.ranked.into_iter().filter(move |place| place & among != 0)
    }

    /// The `count` strongest of some places.
    #[inline]
    pub(super) fn strongest(&self, among: u8, count: u32) -> u8 {
        self.strongest_first(among).take(count as usize).fold(0, |all, place| all | place)
    }

    /// The `count` weakest of some places.
    #[inline]
    pub(super) fn weakest(&self, among: u8, count: u32) -> u8 {
        self.strongest_first(among).rev().take(count as usize).fold(0, |all, place| all | place)
    }
}

/// Calls `work` with the number of each place, the first in hand order first.
#[inline]
fn each(places: u8, mut work: impl FnMut(usize)) {
    let mut left = places;
    while left != 0 {
        let place = left.leading_zeros() as usize;
        work(place & 7);
        left &= !(0x80 >> place);
    }
}

/// The first `count` of some places.
#[inline]
pub(super) fn first(places: u8, count: u32) -> u8 {
    let mut kept = places;
    while kept.count_ones() > count {
        kept &= kept - 1;
    }
    kept
}

/// Places of each kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByKind([u8; LANES]);

/// A straight's kinds, strongest first: places in the order of kinds.
pub(super) const STRAIGHTS: [[usize; 3]; 4] = [[13, 11, 9], [12, 10, 8], [7, 5, 3], [6, 4, 2]];
/// Kinds of soldiers, red first.
pub(super) const SOLDIERS: [usize; 2] = [1, 0];

impl ByKind {
    /// Places of a kind.
    #[inline]
    pub(super) fn of(&self, kind: usize) -> u8 {
        self.0[kind]
    }

    /// Calls `visit` with each choice of kinds that makes a legal play of `size` pieces, at its
    /// first places, and with its points.
    #[inline]
    fn plays(&self, size: u32, mut visit: impl FnMut(u8, u32)) {
        let points = |kind: usize| kind as u32 + 1;
        if size <= 2 {
            for kind in (0..Kind::COUNT).filter(|&kind| self.of(kind).count_ones() >= size) {
                visit(first(self.of(kind), size), size * points(kind));
            }
            return;
        }
        for kind in SOLDIERS.into_iter().filter(|&kind| self.of(kind).count_ones() >= size) {
            visit(first(self.of(kind), size), size * points(kind));
        }
        for kinds in STRAIGHTS {
            let all = kinds.map(|kind| self.of(kind));
            if all.contains(&0) {
                continue;
            }
            let one = all.map(|places| first(places, 1));
            let straight = one[0] | one[1] | one[2];
            let total: u32 = kinds.map(points).iter().sum();
            // Which of the names are doubled, a bit each.
            for doubled in (0..8u32).filter(|doubled| 3 + doubled.count_ones() == size) {
                let is_doubled = |name: usize| doubled >> name & 1 == 1;
                if (0..3).all(|name| !is_doubled(name) || all[name].count_ones() == 2) {
                    let names = || (0..3).filter(|&name| is_doubled(name));
                    let places = names().fold(straight, |places, name| places | all[name]);
                    visit(places, total + names().map(|name| points(kinds[name])).sum::<u32>());
                }
            }
        }
    }

    /// The legal play of `size` pieces with the most points, the first by places of several.
    #[inline]
    pub(super) fn strongest_play(&self, size: u32) -> Option<u8> {
        let mut best = None;
        self.plays(size, |places, points| best = best.max(Some((points, places))));
        best.map(|(_, places)| places)
    }

    /// That with the fewest points.
    #[inline]
    pub(super) fn weakest_play(&self, size: u32) -> Option<u8> {
        let mut best = None;
        self.plays(size, |places, points| {
            best = best.max(Some((std::cmp::Reverse(points), places)));
        });
        best.map(|(_, places)| places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::liap::{PLAYS, Play};
    use crate::rng::{Purpose, Stream};

    /// Against every legal play in the hand, on 3,000 random hands and parts of them.
    #[test]
    fn the_strongest_and_weakest_plays_are_found() {
        let mut stream = Stream::new(1, Purpose::Deals, 0);
        let mut found = [0; 7];
        for _ in 0..3000 {
            let cards = crate::liap::deal(&mut stream)[0];
            let held = Held::new(&cards);
            let among = stream.below(256) as u8 | stream.below(256) as u8;
            let part = held.pieces(among);
            for size in 1..=6 {
                let of_size =
                    |play: &&Play| play.size() == size && play.pieces.without(part).is_empty();
                let keyed = PLAYS.iter().filter(of_size);
                let keyed: Vec<_> =
                    keyed.map(|play| (play.points(), cards.places(play.pieces))).collect();
                let most = keyed.iter().max().map(|best| best.1);
                let fewest =
                    keyed.iter().max_by_key(|(points, places)| (-(*points as i32), *places));
                let by_kind = held.by_kind(among);
                assert_eq!(by_kind.strongest_play(size), most, "{cards} {among:08b} {size}");
                assert_eq!(by_kind.weakest_play(size), fewest.map(|best| best.1), "{cards} {size}");
                found[size as usize] += usize::from(most.is_some());
            }
        }
        assert!(found[1..].iter().take(5).all(|&count| count > 0), "{found:?}");
    }

    #[test]
    fn places_are_ranked_by_points_and_then_by_order() {
        let held = Held::new(&"sGsaAScC".parse().unwrap());
        let order: String =
            held.strongest_first(0xff).map(|place| held.kind(place).letter()).collect();
        assert_eq!(order, "GAaCcSss");
        assert_eq!(held.weakest(0xff, 2), 0b1010_0000);
        assert_eq!(held.strongest(0b0001_0111, 2), 0b0001_0001);
        assert_eq!(held.openers(), 0b0101_1000);
        assert_eq!(first(0b0101_1000, 2), 0b0101_0000);
    }
}
