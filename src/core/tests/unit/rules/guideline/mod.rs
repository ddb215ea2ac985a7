//! Tests move generation with published numbers, and the fast generator against the specification.
//!
//! Numbers of landings are from `knewjade/bitris` `benches/moves_in_srs.rs` and
//! `srs-cpp-prototype`. Perft totals are from `Kixenon/cobra-movegen` `apps/bench.cpp` and the
//! branch `avx512-perft` of fast-reachability, which agree.

mod attack;
mod inputs;
mod landing;
mod options;
mod points;

use std::collections::{BTreeSet, VecDeque};

use proptest::prelude::*;

use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::guideline::positions::{self, Position};
use tetrastat_core::rules::guideline::*;
use tetrastat_core::rules::guideline::{PERFT_BOARDS, perft_matrix};

/// Returns the landings that `piece` reaches without soft drops: turns and shifts at the height of
/// the spawn, then one drop. They are in ascending order and without spins, with all rotation
/// states listed separately.
fn hard_drops(rules: &Guideline, matrix: &Matrix, piece: Piece) -> Vec<Landing> {
    let Some(start) = Position::spawn(rules, matrix, piece) else { return Vec::new() };
    let mut seen = BTreeSet::from([start]);
    let mut waiting = VecDeque::from([start]);
    while let Some(at) = waiting.pop_front() {
        let shifted = [-1, 1].into_iter().filter_map(|dx| at.moved(matrix, piece, dx, 0));
        let turned = positions::turns(rules)
            .iter()
            .filter_map(|&turn| Some(at.turned(rules, matrix, piece, turn)?.0));
        for to in shifted.chain(turned).collect::<Vec<_>>() {
            if seen.insert(to) {
                waiting.push_back(to);
            }
        }
    }
    let mut landings: Vec<Landing> =
        seen.into_iter().map(|at| at.fallen(matrix, piece).landing(piece, Spin::None)).collect();
    landings.sort_unstable();
    // Several positions above each other fall onto the same landing.
    landings.dedup();
    landings
}

fn free_start() -> Guideline {
    Guideline { falls_at_once: false, ..Guideline::official() }
}

fn list(movegen: &MoveGenerator, matrix: &Matrix, piece: Piece) -> Vec<Landing> {
    let mut out = Landings::default();
    movegen.landings(matrix, piece, &mut out);
    out.iter().collect()
}

#[test]
fn counts_of_landings_are_the_published_ones() {
    for level in Level::available() {
        let movegen = MoveGenerator::new(free_start(), Moves::All, level);
        for known in PERFT_BOARDS {
            let matrix = perft_matrix(known.name);
            for (piece, (all, min)) in "TILJSZO".chars().zip(known.counts) {
                let piece: Piece = piece.to_string().parse().unwrap();
                let got = (movegen.count_states(&matrix, piece), movegen.count(&matrix, piece));
                let want = (all.unwrap_or(got.0), min.unwrap_or(got.1));
                assert_eq!(got, want, "{level}: {piece} on {}{matrix:?}", known.name);
            }
        }
    }
}

#[test]
fn the_specification_counts_the_same() {
    for known in PERFT_BOARDS {
        let matrix = perft_matrix(known.name);
        for (piece, (all, _)) in "TILJSZ".chars().zip(known.counts) {
            let piece: Piece = piece.to_string().parse().unwrap();
            let got = positions::landings(&free_start(), &matrix, piece).len() as u32;
            assert_eq!(got, all.unwrap_or(got), "{piece} on {}", known.name);
        }
    }
}

/// Tests T-spins that clear lines, by state and centre: full ones with their lines, then minis.
///
/// The published facts list none for the 4-wides, so they count full T-spins only. By hand, the
/// same rule gives each a mini. The T pointing right at (0, 1) of the side 4-wide fills (0, 0) and
/// clears row 0. Its back corners (-1, 0) and (-1, 2) are in the wall; of its front corners (1, 0)
/// is filled and (1, 2) free. A flat T at (1, 1) gets there by a clockwise turn: (1, 0) blocks the
/// first test, and the second fits. The center 4-wide has the same three columns further right,
/// between its stacks.
#[test]
fn t_spin_landings_are_the_known_ones() {
    type Spot = (u8, u8, u8, u32);
    let known: [(&str, &[Spot], &[Spot]); 7] = [
        ("lemontea", &[(2, 4, 1, 2), (3, 4, 1, 1)], &[(0, 4, 1, 1), (1, 4, 1, 1)]),
        ("dt", &[(1, 2, 2, 1), (2, 2, 2, 2)], &[(0, 2, 2, 1), (3, 2, 2, 1)]),
        ("tsd", &[(1, 4, 1, 1), (2, 4, 1, 2)], &[(0, 4, 1, 1), (3, 4, 1, 1)]),
        ("pco", &[], &[]),
        ("empty", &[], &[]),
        ("side 4-wide", &[], &[(1, 0, 1, 1)]),
        ("center 4-wide", &[], &[(1, 3, 1, 1)]),
    ];
    for (name, full, mini) in known {
        let matrix = perft_matrix(name);
        let movegen = MoveGenerator::new(free_start(), Moves::All, Level::detect());
        let out = list(&movegen, &matrix, Piece::T);
        let of = |spin: Spin| {
            let mut spots: Vec<Spot> = out
                .iter()
                .filter(|landing| landing.spin == spin)
                .map(|landing| {
                    (landing.state as u8, landing.x, landing.y, landing.lock(&matrix).clear().1)
                })
                .filter(|spot| spot.3 > 0)
                .collect();
            spots.sort_unstable();
            spots
        };
        assert_eq!((of(Spin::Full), of(Spin::Mini)), (full.to_vec(), mini.to_vec()), "{name}");
    }
}

fn perft_is(queue: &str, want: u64) {
    let pieces: Vec<Piece> = queue.chars().map(|c| c.to_string().parse().unwrap()).collect();
    let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
    assert_eq!(perft(&movegen, &Matrix::EMPTY, &pieces), want, "{queue}");
}

#[test]
fn perft_totals_are_the_published_ones() {
    for (queue, want) in [
        ("I", 17),
        ("O", 9),
        ("T", 34),
        ("L", 34),
        ("J", 34),
        ("S", 17),
        ("Z", 17),
        ("IO", 153),
        ("TI", 600),
        ("TO", 306),
        ("TT", 1182),
        ("SZ", 296),
        ("LJ", 1176),
        ("IT", 578),
        ("IOL", 5266),
        ("ITI", 10200),
        ("SZT", 10620),
        ("TTT", 42348),
        ("OOO", 741),
        ("ZZZ", 5293),
        ("JLT", 42207),
        ("IOLJ", 188_374),
        ("TIOL", 201_082),
        ("IOLJS", 3_497_187),
    ] {
        perft_is(queue, want);
    }
}

#[test]
#[ignore = "seconds on a fast core"]
fn perft_of_six_pieces() {
    perft_is("IOLJSZ", 67_002_200);
}

#[test]
#[ignore = "4 s on a fast core"]
fn perft_of_seven_pieces() {
    perft_is("IOLJSZT", 2_647_076_135);
}

/// Returns the number of landing sequences, and the number of those in which no piece locks wholly
/// above the visible rows.
fn sequences(movegen: &MoveGenerator, matrix: &Matrix, pieces: &[Piece]) -> [u64; 2] {
    let Some((first, rest)) = pieces.split_first() else { return [1, 1] };
    let mut counts = [0, 0];
    for landing in list(movegen, matrix, *first) {
        let [all, kept] = sequences(movegen, &landing.lock(matrix).clear().0, rest);
        counts[0] += all;
        counts[1] += if movegen.rules().loses(landing) { 0 } else { kept };
    }
    counts
}

/// The help of `tetrastat bench perft` states these counts for `IIIIII`.
#[test]
fn perft_counts_pieces_that_lock_above_the_board() {
    let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
    assert_eq!(sequences(&movegen, &Matrix::EMPTY, &[Piece::I; 6]), [33_325_413, 33_325_393]);
}

/// Generates boards with overhangs and caves: rows with few holes and rows with many.
fn any_matrix() -> impl Strategy<Value = Matrix> {
    let row = prop_oneof![
        any::<u16>().prop_map(|row| row & 1023),
        (any::<u16>(), any::<u16>()).prop_map(|(a, b)| (a | b) & 1023),
        (any::<u16>(), any::<u16>()).prop_map(|(a, b)| a & b & 1023),
        (0..10u16).prop_map(|hole| 1023 ^ 1 << hole),
        (0..9u16).prop_map(|hole| 1023 ^ 3 << hole),
        (0..10u16).prop_map(|cell| 1 << cell),
        Just(0),
    ];
    prop::collection::vec(row, 0..22).prop_map(|rows| {
        let mut matrix = Matrix::EMPTY;
        for (row, cells) in rows.into_iter().enumerate() {
            for column in (0..10).filter(|column| cells >> column & 1 == 1) {
                matrix = matrix.with(column, row);
            }
        }
        matrix
    })
}

fn any_rules() -> impl Strategy<Value = Guideline> {
    let kicks = prop_oneof![Just(Kicks::Srs), Just(Kicks::SrsPlus)];
    let spins = prop_oneof![Just(Spins::T), Just(Spins::AllMini), Just(Spins::All)];
    (kicks, spins, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(kicks, spins, half, capstone, falls)| {
            let preset = if capstone { Guideline::capstone() } else { Guideline::official() };
            Guideline { kicks, spins, half_turns: half, falls_at_once: falls, ..preset }
        },
    )
}

/// Returns the best spin of each canonical landing, sorted.
fn canonical(landings: Vec<Landing>) -> Vec<Landing> {
    let mut landings: Vec<Landing> = landings.into_iter().map(Landing::canonical).collect();
    landings.sort_unstable_by_key(|l| (l.state, l.x, l.y, std::cmp::Reverse(l.spin)));
    landings.dedup_by_key(|l| (l.state, l.x, l.y));
    landings
}

/// Returns the sum of the counts of `last` on all matrices after `first`.
fn sum_of_counts(movegen: &MoveGenerator, matrix: &Matrix, [first, last]: [Piece; 2]) -> u64 {
    let landings = list(movegen, matrix, first);
    let after = landings.iter().map(|landing| landing.lock(matrix).clear().0);
    after.map(|after| u64::from(movegen.count(&after, last))).sum()
}

/// A way to the floor that turns back twice needs more than one step of a batch.
#[test]
fn perft_follows_winding_ways() {
    let rows = ["..########", "..........", "..........", "########..", "..........", ".........."];
    let picture = [rows, rows].concat()[..9].join("/");
    let matrix: Matrix = picture.parse().unwrap();
    for matrix in [matrix, matrix.mirrored()] {
        for last in Piece::ALL {
            let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
            let pieces = [Piece::I, last];
            let want = sum_of_counts(&movegen, &matrix, pieces);
            assert_eq!(perft(&movegen, &matrix, &pieces), want, "{last}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn the_fast_generator_is_the_slow_one(
        matrix in any_matrix(), rules in any_rules(), piece in 0..7usize
    ) {
        let piece = Piece::ALL[piece];
        let slow = positions::landings(&rules, &matrix, piece);
        let drops = canonical(hard_drops(&rules, &matrix, piece));
        for level in Level::available() {
            let movegen = MoveGenerator::new(rules, Moves::All, level);
            let fast = list(&movegen, &matrix, piece);
            prop_assert_eq!(fast.len(), movegen.count(&matrix, piece) as usize);
            prop_assert_eq!(canonical(fast), canonical(slow.clone()));
            let states = if piece == Piece::O { 4 * slow.len() } else { slow.len() };
            prop_assert_eq!(movegen.count_states(&matrix, piece) as usize, states);
            let fast = list(&MoveGenerator::new(rules, Moves::HardDrops, level), &matrix, piece);
            prop_assert_eq!(canonical(fast), drops.clone());
        }
    }

    /// Counting many matrices at once gives the sum of the counts of each.
    #[test]
    fn perft_of_two_pieces_is_the_sum_of_counts(
        matrix in any_matrix(), rules in any_rules(), first in 0..7usize, last in 0..7usize
    ) {
        let [first, last] = [first, last].map(|piece| Piece::ALL[piece]);
        for level in Level::available() {
            let movegen = MoveGenerator::new(rules, Moves::All, level);
            let want = sum_of_counts(&movegen, &matrix, [first, last]);
            prop_assert_eq!(perft(&movegen, &matrix, &[first, last]), want, "{}", level);
        }
    }

    #[test]
    fn every_landing_rests_on_something(matrix in any_matrix(), piece in 0..7usize) {
        let piece = Piece::ALL[piece];
        let movegen = MoveGenerator::new(Guideline::official(), Moves::All, Level::detect());
        for landing in list(&movegen, &matrix, piece) {
            let at = Position::from(landing);
            prop_assert!(at.fits(&matrix, piece) && at.rests(&matrix, piece), "{:?}", landing);
            for y in at.y..24 {
                let above = Position { y, ..at };
                let falls = above.far(&matrix, piece, 0, -1);
                prop_assert!(!above.fits(&matrix, piece) || above.fallen(&matrix, piece) == falls);
            }
        }
    }
}
