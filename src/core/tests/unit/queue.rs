//! Tests of [`tetrastat_core::queue`].

use tetrastat_core::error::Error;
use tetrastat_core::piece::Piece;
use tetrastat_core::queue::*;
use tetrastat_core::rng::{Purpose, Stream};

fn first(kind: QueueKind, n: usize) -> String {
    let mut queue = Queue::new(kind, 7, 0);
    (0..n).map(|_| queue.deal().unwrap().name()).collect()
}

/// Every kind of queue that never ends and does not depend on the board.
fn every_kind() -> impl Iterator<Item = QueueKind> {
    let names = QUEUE_NAMES.into_iter().chain(QUEUE_FORMS).filter(|name| *name != "adversary");
    names.map(|name| name.parse().unwrap()).chain([QueueKind::script("IOT", true).unwrap()])
}

#[test]
fn the_first_pieces_of_each_queue_are_frozen() {
    assert_eq!(first(QueueKind::Uniform, 28), "IJJJLSJIIOZZJZJOZJZSILOIOZJT");
    assert_eq!(first(QueueKind::Bag, 28), "IZSJTOLJILZTOSJZSIOTLZSIJLTO");
    assert_eq!(first(QueueKind::LeastDealt, 28), "TIIIOSITJJZZZZZJSIZSTOJTJZOL");
    assert_eq!(first(QueueKind::AlternatingSz, 6), "SZSZSZ");
    assert_eq!(first(QueueKind::RandomSz, 28), "SZZZZZZSSSZZZZZSZZZZSZSSSZZS");
    assert_eq!(first(QueueKind::script("I, o\nT", true).unwrap(), 7), "IOTIOTI");
    for (name, pieces) in [
        ("bag:2", "IZLZJTSLSTOIOJZLOSZTTILJSOIJ"),
        ("bag:I=2+O=1", "IIOOIIOIIOIIIOIOIIOIIOIIIOII"),
        ("weights:I=2+O=1", "IOOOOIOIIIOIOOOIIOIIIOIIIOOI"),
        ("nes", "ILJSLIOZJLJOZLJZIOOJLTJSZLIS"),
        ("tgm1", "IJLSOZJZSILOZJTLSIZJJOLZISTJ"),
        ("tgm2", "IJLSOZJZSILOZJTLSIZJOLISZTJO"),
        ("tgm3", "IJLOZSITLOSJIZJOTTLZJSITOZJL"),
    ] {
        assert_eq!(first(name.parse().unwrap(), 28), pieces, "{name}");
    }
}

#[test]
fn games_differ_and_repeat() {
    let deal = |game| {
        let mut queue = Queue::new(QueueKind::Uniform, 7, game);
        (0..50).map(|_| queue.deal().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(deal(3), deal(3));
    assert_ne!(deal(3), deal(4));
}

#[test]
fn peeking_never_disturbs_the_stream() {
    for kind in every_kind() {
        let mut plain = Queue::new(kind.clone(), 11, 5);
        let mut peeked = Queue::new(kind, 11, 5);
        for step in 0..100 {
            let ahead = step % 6;
            let seen = peeked.peek(ahead);
            assert!(seen.is_some());
            assert_eq!(plain.deal().unwrap(), peeked.deal().unwrap());
            if ahead > 0 {
                assert_eq!(peeked.peek(ahead - 1), seen);
            }
        }
    }
}

#[test]
fn a_bag_holds_each_piece_once() {
    let mut queue = Queue::new(QueueKind::Bag, 1, 0);
    for _ in 0..50 {
        let mut bag: Vec<Piece> = (0..7).map(|_| queue.deal().unwrap()).collect();
        bag.sort();
        assert_eq!(bag, Piece::ALL);
    }
}

#[test]
fn least_dealt_keeps_the_counts_close() {
    let mut queue = Queue::new(QueueKind::LeastDealt, 1, 0);
    let mut dealt_of = [0; 7];
    for _ in 0..7000 {
        dealt_of[queue.deal().unwrap().index()] += 1;
    }
    let spread = dealt_of.iter().max().unwrap() - dealt_of.iter().min().unwrap();
    assert!(spread < 60, "uniform would spread by about 100: {dealt_of:?}");
}

/// A branch keeps the known pieces (peeked at, or left in a bag) and redraws the others.
#[test]
fn a_branch_keeps_the_past_and_not_the_future() {
    let mut orders = std::collections::BTreeSet::new();
    for index in 0..64 {
        let mut queue = Queue::new(QueueKind::Bag, 3, 0);
        let mut dealt: Vec<Piece> = (0..2).map(|_| queue.deal().unwrap()).collect();
        let seen = queue.peek(0).unwrap();
        queue.branch(Stream::new(9, Purpose::Branches, index));
        dealt.extend((0..5).map(|_| queue.deal().unwrap()));
        assert_eq!(dealt[2], seen);
        orders.insert(dealt[3..].to_vec());
        dealt.sort();
        assert_eq!(dealt, Piece::ALL);
    }
    assert!(orders.len() > 18, "{} of 24 orders of the last four", orders.len());
}

#[test]
fn a_script_that_ends_says_so() {
    let mut queue = Queue::new(QueueKind::script("SZ", false).unwrap(), 0, 0);
    assert_eq!(queue.peek(1), Some(Piece::Z));
    assert_eq!(queue.peek(2), None);
    queue.deal().unwrap();
    queue.deal().unwrap();
    let message = queue.deal().unwrap_err().to_string();
    assert!(message.contains("after 2 pieces") && message.contains("or cycle"), "{message}");
}

#[test]
fn bad_scripts_are_refused() {
    assert!(matches!(QueueKind::script("IXO", false), Err(Error::Piece { given }) if given == "X"));
    assert!(matches!(QueueKind::script(" ,\n", false), Err(Error::ScriptEmpty)));
}

/// Checks counts by a chi-square test of error rate 0.001. The seeds are fixed, so a test passes
/// always or never. `critical` is the 0.999 quantile of the distribution with as many degrees of
/// freedom as there are counts minus one.
fn fits(observed: &[u32], shares: &[f64], critical: f64) {
    let total: u32 = observed.iter().sum();
    let terms = observed.iter().zip(shares).map(|(&observed, share)| {
        let expected = share * f64::from(total);
        (f64::from(observed) - expected).powi(2) / expected
    });
    let sum: f64 = terms.sum();
    assert!(sum < critical, "{observed:?} {shares:?}: {sum}");
}

/// Dealt numbers of the seven pieces among the next `n`.
fn count(queue: &mut Queue, n: usize) -> [u32; 7] {
    let mut counts = [0; 7];
    (0..n).for_each(|_| counts[queue.deal().unwrap().index()] += 1);
    counts
}

/// 1/28 for the piece before: both the dummy and the piece itself (2 of 8) lead to a second draw,
/// which gives it with 1/7. Any other: 1/8 at once, 2/8 * 1/7 by the second draw, together 9/56.
#[test]
fn nes_repeats_a_piece_with_probability_one_in_28() {
    let mut queue = Queue::new(QueueKind::Nes, 1, 0);
    let mut counts = [[0; 7]; 7];
    let mut before = queue.deal().unwrap();
    for _ in 0..1_000_000 {
        let piece = queue.deal().unwrap();
        counts[before.index()][piece.index()] += 1;
        before = piece;
    }
    for piece in Piece::ALL {
        let mut shares = [9.0 / 56.0; 7];
        shares[piece.index()] = 1.0 / 28.0;
        fits(&counts[piece.index()], &shares, 22.46);
    }
    let mut firsts = [0; 7];
    (0..20_000).for_each(|game| {
        firsts[Queue::new(QueueKind::Nes, 1, game).deal().unwrap().index()] += 1;
    });
    fits(&firsts, &[1.0 / 7.0; 7], 22.46);
}

#[test]
fn weights_are_probabilities() {
    let mut queue = Queue::new("weights:I=2,S=1,Z=4".parse().unwrap(), 1, 0);
    let [i, o, t, s, z, j, l] = count(&mut queue, 70_000);
    assert_eq!([o, t, j, l], [0; 4]);
    fits(&[i, s, z], &[2.0 / 7.0, 1.0 / 7.0, 4.0 / 7.0], 13.82);
}

/// Every bag has its content. The second piece of `bag:3` is the first one again with probability
/// 2/20, and that of `bag:I=2+O=1` is O after I with probability 1/2.
#[test]
fn other_bags_hold_their_pieces_in_random_order() {
    let [mut again, mut i_then_o] = [[0; 2]; 2];
    for game in 0..10_000 {
        let mut queue = Queue::new("bag:3".parse().unwrap(), 1, game);
        again[usize::from(queue.peek(0) == queue.peek(1))] += 1;
        let mut uneven = Queue::new("bag:O=1,I=2".parse().unwrap(), 1, game);
        if uneven.peek(0) == Some(Piece::I) {
            i_then_o[usize::from(uneven.peek(1) == Some(Piece::O))] += 1;
        }
        if game < 50 {
            for _ in 0..3 {
                assert_eq!(count(&mut queue, 21), [3; 7]);
                assert_eq!(count(&mut uneven, 3), [2, 1, 0, 0, 0, 0, 0]);
            }
        }
    }
    fits(&again, &[0.9, 0.1], 10.83);
    fits(&i_then_o, &[0.5, 0.5], 10.83);
}

/// The state of a TGM game as its descriptions state it, apart from the program's own.
struct Tgm {
    rolls: i32,
    history: Vec<Piece>,
}

impl Tgm {
    fn new(rolls: i32, history: &str) -> Tgm {
        Tgm { rolls, history: pieces(history) }
    }

    /// Exact probability of each piece. A draw is rejected with probability q, so a piece that is
    /// not in the history has its share times 1 + q + q^2 + ..., and one in it waits for the last.
    fn shares(&self, is_first: bool) -> [f64; 7] {
        if is_first {
            return Piece::ALL.map(|piece| if "IJLT".contains(piece.name()) { 0.25 } else { 0.0 });
        }
        let is_recent = |piece: &Piece| self.history.contains(piece);
        let q = Piece::ALL.into_iter().filter(is_recent).count() as f64 / 7.0;
        Piece::ALL.map(|piece| match is_recent(&piece) {
            true => q.powi(self.rolls - 1) / 7.0,
            false => (0..self.rolls).map(|roll| q.powi(roll)).sum::<f64>() / 7.0,
        })
    }

    fn deal(&mut self, piece: Piece) {
        self.history.remove(0);
        self.history.push(piece);
    }
}

fn pieces(letters: &str) -> Vec<Piece> {
    letters.chars().map(|letter| letter.to_string().parse().unwrap()).collect()
}

/// Deals `count` pieces of `tgm3` by lists, as "The history of Tetris randomizers" (simon.lc)
/// describes the generator: a rejected draw leaves the longest undealt piece in its place.
fn tgm3_by_lists(game: u64, count: usize) -> Vec<Piece> {
    let mut stream = Stream::new(1, Purpose::Queue, game);
    let (mut pool, mut order) = (Piece::ALL.repeat(5), pieces("JIZLOTS"));
    let first = pieces("IJLT")[stream.below(4) as usize];
    let (mut history, mut dealt) = (vec![Piece::S, Piece::Z, Piece::S, first], vec![first]);
    while dealt.len() < count {
        let mut roll = 0;
        let (place, piece) = loop {
            let place = stream.below(35) as usize;
            let piece = pool[place];
            roll += 1;
            if roll == 6 || !history.contains(&piece) {
                break (place, piece);
            }
            pool[place] = order[0];
        };
        order.retain(|other| *other != piece);
        order.push(piece);
        pool[place] = order[0];
        history.remove(0);
        history.push(piece);
        dealt.push(piece);
    }
    dealt
}

/// Checks the deal against an independent implementation. Of its waits, 0.08 % have 15 or more
/// other pieces between two equal ones. They were 0.54 % when rejected draws left the pool as it
/// was.
#[test]
fn tgm3_deals_as_its_source_does() {
    let (mut waits, mut long) = (0, 0);
    for game in 0..400 {
        let mut queue = Queue::new(QueueKind::Tgm3, 1, game);
        let dealt: Vec<Piece> = (0..500).map(|_| queue.deal().unwrap()).collect();
        assert_eq!(dealt, tgm3_by_lists(game, 500), "{game}");
        for piece in Piece::ALL {
            let places: Vec<usize> = (0..500).filter(|&place| dealt[place] == piece).collect();
            waits += places.len() - 1;
            long += places.windows(2).filter(|pair| pair[1] - pair[0] > 15).count();
        }
    }
    assert!((long as f64) < 0.0016 * waits as f64, "{long} of {waits}");
}

/// The share of repeated pieces is p + (1 - p) / 7, within 4 standard errors; so is the share of
/// each piece, 1/7.
#[test]
fn repeated_pieces_have_their_probability() {
    for p in [0.0, 0.3, 0.999] {
        let kind: QueueKind = format!("repeat:{p}").parse().unwrap();
        let (mut repeats, mut total) = (0, 0);
        for game in 0..200 {
            let mut queue = Queue::new(kind.clone(), 3, game);
            let dealt: Vec<Piece> = (0..200).map(|_| queue.deal().unwrap()).collect();
            repeats += dealt.windows(2).filter(|pair| pair[0] == pair[1]).count();
            total += dealt.len() - 1;
        }
        let expected = p + (1.0 - p) / 7.0;
        let error = (expected * (1.0 - expected) / total as f64).sqrt();
        let share = repeats as f64 / total as f64;
        assert!((share - expected).abs() < 4.0 * error, "{kind}: {share}, not {expected}");
    }
    for wrong in ["repeat:1", "repeat:-0.1", "repeat:x", "repeat:", "repeat:nan"] {
        let message = wrong.parse::<QueueKind>().unwrap_err().to_string();
        assert!(message.contains("repeat:0.3"), "{message}");
    }
}

/// Compares the numbers of each piece at each place of 40,000 games with the sums of their exact
/// probabilities. The largest of 210 standardised differences is below 4.8, which a right program
/// with another seed would fail with a probability of 0.0004. A start with S for Z would fail.
#[test]
fn tgm_pieces_have_their_exact_probabilities() {
    let kinds = [(QueueKind::Tgm1, 4, "ZZZZ"), (QueueKind::Tgm2, 6, "ZSSZ")];
    for (kind, rolls, start) in kinds {
        const PLACES: usize = 30;
        let [mut observed, mut mean, mut variance] = [[[0.0; 7]; PLACES]; 3];
        for game in 0..40_000 {
            let mut queue = Queue::new(kind.clone(), 1, game);
            let mut state = Tgm::new(rolls, start);
            for place in 0..PLACES {
                for (index, share) in state.shares(place == 0).into_iter().enumerate() {
                    mean[place][index] += share;
                    variance[place][index] += share * (1.0 - share);
                }
                let piece = queue.deal().unwrap();
                observed[place][piece.index()] += 1.0;
                state.deal(piece);
            }
        }
        assert_eq!(
            [Piece::S, Piece::Z, Piece::O].map(|piece| observed[0][piece.index()]),
            [0.0; 3]
        );
        for (place, piece) in (0..PLACES).flat_map(|place| Piece::ALL.map(|piece| (place, piece))) {
            let of = |table: &[[f64; 7]; PLACES]| table[place][piece.index()];
            let difference = f64::abs(of(&observed) - of(&mean));
            assert!(difference <= 4.8 * of(&variance).sqrt(), "{kind} {place} {piece:?}");
        }
    }
}

/// A stored queue, with pieces peeked at, deals what the same queue deals without a pause.
#[test]
fn a_stored_queue_deals_the_same_pieces() {
    for kind in every_kind() {
        let mut queue = Queue::new(kind.clone(), 5, 2);
        let mut restored = queue.clone();
        for step in 0..120 {
            restored.peek(step % 4);
            let stored = serde_json::to_string(&restored).unwrap();
            restored = serde_json::from_str(&stored).unwrap();
            restored.set_kind(kind.clone());
            assert_eq!(queue.deal().unwrap(), restored.deal().unwrap(), "{kind} {step}");
        }
    }
}

#[test]
fn names_of_queues_have_one_form() {
    for (given, name) in [
        ("bag:1", "bag"),
        ("bag:I=1,O=1,T=1,S=1,Z=1,J=1,L=1", "bag"),
        ("bag:100", "bag:100"),
        ("bag:O=2,I=2,T=2,S=2,Z=2,J=2,L=2", "bag:2"),
        ("bag:z=2+S=2,O=0", "bag:S=2+Z=2"),
        ("weights: O = 1, i = 2", "weights:I=2+O=1"),
        ("weights:L=1000", "weights:L=1000"),
    ] {
        let kind: QueueKind = given.parse().unwrap();
        assert_eq!(kind.to_string(), name);
        assert_eq!(kind.describe().parse::<QueueKind>().unwrap(), kind);
    }
    for (name, is_random) in [("weights:I=5", false), ("bag:O=2", false), ("bag:S=1,Z=1", true)] {
        assert_eq!(name.parse::<QueueKind>().unwrap().is_random(), is_random, "{name}");
    }
}

#[test]
fn bad_numbers_of_pieces_are_refused() {
    for (name, problem) in [
        ("bag:", "1 to 100"),
        ("bag:0", "1 to 100"),
        ("bag:101", "1 to 100"),
        ("bag:-1", "1 to 100"),
        ("bag:I=0", "add up to 0"),
        ("weights:", "'' is no piece with a number"),
        ("weights:Q=1", "'Q=1' is no piece"),
        ("weights:I", "'I' is no piece"),
        ("weights:I=1,", "'' is no piece"),
        ("weights:I=-1", "'I=-1' is no piece"),
        ("weights:I=0.5", "'I=0.5' is no piece"),
        ("weights:I=1,I=2", "I has two numbers"),
        ("weights:I=0,O=0", "add up to 0"),
        ("weights:I=999,O=2", "add up to 1001"),
        ("weights:I=65536", "'I=65536' is no piece"),
        ("nes:2", "unknown queue"),
        ("tgm4", "tgm"),
    ] {
        let message = name.parse::<QueueKind>().unwrap_err().to_string();
        assert!(message.contains(problem) && message.contains(name), "{name}: {message}");
        assert_eq!(message.lines().count(), 1, "{name}: {message}");
    }
}

/// An adversary needs a board, so its queue alone deals nothing.
#[test]
fn an_adversary_has_no_pieces_in_advance() {
    let mut queue = Queue::new(QueueKind::Adversary, 1, 0);
    assert_eq!(queue.peek(0), None);
    assert!(queue.deal().is_err() && !QueueKind::Adversary.is_random());
    let message = QueueKind::Adversary.check_known_ahead("previews").unwrap_err().to_string();
    assert!(message.contains("previews") && message.contains("greedy or expect"), "{message}");
    assert!(QueueKind::Bag.check_known_ahead("previews").is_ok());
}

#[test]
fn counts_of_pieces_are_written_by_name() {
    let counts = PieceCounts::new([2, 1, 0, 0, 0, 0, 0]).unwrap();
    assert_eq!((counts.to_string(), counts.total()), ("I=2+O=1".to_owned(), 3));
    assert_eq!((counts.count(Piece::I), counts.count(Piece::T)), (2, 0));
    assert_eq!(QueueKind::bag(PieceCounts::equal(1).unwrap()), QueueKind::Bag);
}
