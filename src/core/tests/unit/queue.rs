//! Tests of [`tetrastat_core::queue`].

use tetrastat_core::error::Error;
use tetrastat_core::piece::Piece;
use tetrastat_core::queue::*;
use tetrastat_core::rng::{Purpose, Stream};

fn first(kind: QueueKind, n: usize) -> String {
    let mut queue = Queue::new(kind, 7, 0);
    (0..n).map(|_| queue.deal().unwrap().name()).collect()
}

#[test]
fn the_first_pieces_of_each_queue_are_frozen() {
    assert_eq!(first(QueueKind::Uniform, 28), "IJJJLSJIIOZZJZJOZJZSILOIOZJT");
    assert_eq!(first(QueueKind::Bag, 28), "IZSJTOLJILZTOSJZSIOTLZSIJLTO");
    assert_eq!(first(QueueKind::LeastDealt, 28), "TIIIOSITJJZZZZZJSIZSTOJTJZOL");
    assert_eq!(first(QueueKind::AlternatingSz, 6), "SZSZSZ");
    assert_eq!(first(QueueKind::RandomSz, 28), "SZZZZZZSSSZZZZZSZZZZSZSSSZZS");
    assert_eq!(first(QueueKind::script("I, o\nT", true).unwrap(), 7), "IOTIOTI");
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
    for kind in QUEUE_NAMES {
        let kind: QueueKind = kind.parse().unwrap();
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
