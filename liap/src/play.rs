//! Lists the 166 legal plays of LIAP pieces, each with a type and a strength.

use std::fmt;

use super::hand::{Hand, Name, PieceKind};

tetrastat_core::names! {
    /// The type of a legal play, such as a pair. A play can only beat plays of its own type.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum PlayType {
        Single = "single",
        Pair = "pair",
        Three = "three",
        /// Three pieces of a colour: general, advisor and elephant, or chariot, horse and cannon.
        Straight = "straight",
        Four = "four",
        /// A straight (three related pieces of one colour) with one piece doubled.
        Extended4 = "extended_4",
        /// A straight (three related pieces of one colour) with two pieces doubled.
        Extended5 = "extended_5",
        Five = "five",
        /// Chariots, horses and cannons of one colour, two of each.
        Double = "double",
    }
}

/// Three piece names of one colour that together form a straight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// Bit set of the straight's pieces with the strongest name, general or chariot.
    pub(super) top: u32,
    /// Bit set of the straight's pieces with the middle name, advisor or horse.
    pub(super) middle: u32,
    /// Bit set of the straight's pieces with the weakest name, elephant or cannon.
    pub(super) low: u32,
    /// Sum of the points of the straight, one piece of each name.
    pub(super) points: u8,
}

impl Group {
    const fn new(names: [Name; 3], red: bool) -> Group {
        let [top, middle, low] = [
            PieceKind::new(names[0], red),
            PieceKind::new(names[1], red),
            PieceKind::new(names[2], red),
        ];
        Group {
            top: top.mask(),
            middle: middle.mask(),
            low: low.mask(),
            points: top.points() + middle.points() + low.points(),
        }
    }

    pub(super) const fn mask(&self) -> u32 {
        self.top | self.middle | self.low
    }

    #[inline]
    pub(super) const fn is_whole(&self, hand: u32) -> bool {
        hand & self.top != 0 && hand & self.middle != 0 && hand & self.low != 0
    }
}

const HIGH: [Name; 3] = [Name::General, Name::Advisor, Name::Elephant];
const LOW: [Name; 3] = [Name::Chariot, Name::Horse, Name::Cannon];

pub(super) const LOW_BLACK: Group = Group::new(LOW, false);
pub(super) const LOW_RED: Group = Group::new(LOW, true);
pub(super) const HIGH_BLACK: Group = Group::new(HIGH, false);
pub(super) const HIGH_RED: Group = Group::new(HIGH, true);
/// Names and colours that form straights, the weakest first.
pub(super) const GROUPS: [Group; 4] = [LOW_BLACK, LOW_RED, HIGH_BLACK, HIGH_RED];
/// Bit sets of the soldiers of each colour, black first.
pub(super) const SOLDIERS: [u32; 2] =
    [PieceKind::new(Name::Soldier, false).mask(), PieceKind::new(Name::Soldier, true).mask()];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Play {
    pub pieces: Hand,
    pub kind: PlayType,
    /// Number by which plays of one type are ranked: the points, without the repeated pieces of an
    /// extended straight.
    pub strength: u8,
}

impl Play {
    /// Returns the legal play that a set of pieces forms, or `None` if the set is not legal.
    #[must_use]
    pub(crate) const fn from_hand(pieces: Hand) -> Option<Play> {
        let (set, size) = (pieces.0, pieces.len());
        if set == 0 {
            return None;
        }
        let first = PieceKind::from_bit(set.trailing_zeros());
        // More than two pieces of one kind are soldiers, since a deck has only two of other kinds.
        if set & !first.mask() == 0 {
            let kind = match size {
                1 => PlayType::Single,
                2 => PlayType::Pair,
                3 => PlayType::Three,
                4 => PlayType::Four,
                _ => PlayType::Five,
            };
            return Some(Play { pieces, kind, strength: first.points() * size as u8 });
        }
        let mut place = 0;
        while place < GROUPS.len() {
            let group = GROUPS[place];
            if set & !group.mask() == 0 {
                return if group.is_whole(set) {
                    Some(Play::straight(pieces, &group))
                } else {
                    None
                };
            }
            place += 1;
        }
        None
    }

    const fn straight(pieces: Hand, group: &Group) -> Play {
        let (kind, strength) = match pieces.len() {
            3 => (PlayType::Straight, group.points),
            4 => (PlayType::Extended4, group.points),
            5 => (PlayType::Extended5, group.points),
            _ => (PlayType::Double, 2 * group.points),
        };
        Play { pieces, kind, strength }
    }

    #[must_use]
    pub(crate) const fn size(&self) -> u32 {
        self.pieces.len()
    }

    #[must_use]
    pub(crate) fn points(&self) -> u32 {
        self.pieces.points()
    }

    /// Returns true if the play has the same type as the `earlier` one and more strength.
    #[must_use]
    pub(crate) const fn beats(&self, earlier: &Play) -> bool {
        self.kind as u8 == earlier.kind as u8 && self.strength > earlier.strength
    }
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind, self.pieces)
    }
}

pub(crate) const PLAY_COUNT: usize = 166;

/// All legal plays of LIAP, ordered by their number of pieces.
pub(crate) static PLAYS: [Play; PLAY_COUNT] = plays();

const fn plays() -> [Play; PLAY_COUNT] {
    let single = Play { pieces: Hand(1), kind: PlayType::Single, strength: 1 };
    let (mut all, mut found) = ([single; PLAY_COUNT], 0);
    let mut size = 1;
    while size <= 6 {
        let mut place = 0;
        while place < PieceKind::COUNT + GROUPS.len() {
            let within = if place < PieceKind::COUNT {
                PieceKind::from_index(place).mask()
            } else {
                GROUPS[place - PieceKind::COUNT].mask()
            };
            // Visits each non-empty subset of `within`. Subsets of one kind are taken from the
            // kind, not from its group.
            let mut set = within & within.wrapping_neg();
            while set != 0 {
                let of_kind = set & !PieceKind::from_bit(set.trailing_zeros()).mask() == 0;
                if set.count_ones() == size
                    && of_kind == (place < PieceKind::COUNT)
                    && let Some(play) = Play::from_hand(Hand(set))
                {
                    all[found] = play;
                    found += 1;
                }
                // Computes the next larger subset of `within`: the borrow skips the bits outside.
                set = set.wrapping_sub(within) & within;
            }
            place += 1;
        }
        size += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::Cards;

    fn play(letters: &str) -> Option<Play> {
        Play::from_hand(letters.parse::<Cards>().unwrap().hand())
    }

    /// Iterates over the bit sets of one to six of the 32 pieces.
    fn sets() -> impl Iterator<Item = u32> {
        (1..=6u32).flat_map(|size| {
            let next = |&set: &u64| {
                let low = set & set.wrapping_neg();
                let ripple = set + low;
                Some((((set ^ ripple) >> 2) / low) | ripple).filter(|&set| set < 1 << 32)
            };
            std::iter::successors(Some((1u64 << size) - 1), next).map(|set| set as u32)
        })
    }

    fn is_legal(set: u32) -> bool {
        let kinds: Vec<PieceKind> = Hand(set).kinds().collect();
        let one_colour = kinds.iter().all(|kind| kind.is_red() == kinds[0].is_red());
        let count = |name| kinds.iter().filter(|kind| kind.name() == name).count();
        let counts = Name::ALL.map(count);
        let only = |names: [Name; 3]| names.iter().map(|&name| count(name)).sum::<usize>();
        let whole = |names: [Name; 3]| {
            names.iter().all(|&name| count(name) > 0) && only(names) == kinds.len()
        };
        one_colour && (counts.contains(&kinds.len()) || whole(HIGH) || whole(LOW))
    }

    #[test]
    fn the_table_holds_every_legal_set() {
        let legal: Vec<u32> = sets().filter(|&set| Play::from_hand(Hand(set)).is_some()).collect();
        let mut listed: Vec<u32> = PLAYS.iter().map(|play| play.pieces.0).collect();
        assert!(listed.is_sorted_by_key(|set| set.count_ones()));
        listed.sort_unstable_by_key(|&set| (set.count_ones(), set));
        assert_eq!(legal, listed);
        assert!(sets().all(|set| is_legal(set) == Play::from_hand(Hand(set)).is_some()));
    }

    #[test]
    fn counts_of_the_types() {
        let count = |kind| PLAYS.iter().filter(|play| play.kind == kind).count();
        assert_eq!(PlayType::ALL.map(count), [32, 30, 20, 24, 10, 32, 14, 2, 2]);
    }

    #[test]
    fn types_and_strengths_by_hand() {
        let is = |letters, kind, strength| {
            let play = play(letters).unwrap();
            assert_eq!((play.kind, play.strength), (kind, strength), "{letters}");
        };
        is("G", PlayType::Single, 14);
        is("hh", PlayType::Pair, 10);
        is("SSS", PlayType::Three, 6);
        is("ssss", PlayType::Four, 4);
        is("SSSSS", PlayType::Five, 10);
        is("rhc", PlayType::Straight, 15);
        is("GAE", PlayType::Straight, 36);
        is("gaae", PlayType::Extended4, 33);
        is("RHHC", PlayType::Extended4, 18);
        is("GAAEE", PlayType::Extended5, 36);
        is("rrhhc", PlayType::Extended5, 15);
        is("RRHHCC", PlayType::Double, 36);
        for wrong in ["Gg", "Aa", "SSs", "Rhc", "GAA", "AAEE", "RRHH", "GAR", "RRH", "HHC"] {
            assert_eq!(play(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_a_stronger_play_of_the_same_type_wins() {
        let play = |letters| play(letters).unwrap();
        assert!(play("AA").beats(&play("EE")) && !play("EE").beats(&play("AA")));
        assert!(!play("SS").beats(&play("SS")), "the earlier of equals stays");
        assert!(!play("RRHHCC").beats(&play("gaaee")), "other types are not compared");
        assert!(play("RHC").beats(&play("rhc")) && !play("RRHC").beats(&play("RHHC")));
    }
}
