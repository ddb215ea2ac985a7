//! Tests of [`tetrastat_core::search::player`].

use tetrastat_core::board::{Board, BoardSize};
use tetrastat_core::controller::{Controller, Scorer, Tie, split_weights};
use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::placement::Placements;
use tetrastat_core::rules::{Outcome, Rules};
use tetrastat_core::search::*;
use tetrastat_core::search::{Search, Value};

fn player(name: &str, search: Search, size: BoardSize) -> Player {
    let controller = Controller::load(name).unwrap();
    Player::new(&controller, Rules::simplified(), search, size, Level::detect()).unwrap()
}

fn board(picture: &str) -> Board {
    picture.parse().unwrap()
}

#[test]
fn greedy_takes_the_first_of_equal_scores() {
    let empty = Board::empty(BoardSize::new(10, 20).unwrap());
    let mut dellacherie = player("dellacherie", Search::Greedy, empty.size());
    let first = dellacherie.decide(&empty, Piece::O, None).unwrap();
    assert_eq!(first.outcome.played.candidate.placement.column, 0);
    assert_eq!(first.runner_up.unwrap().value, first.value, "the right corner scores the same");
    assert_eq!(first.candidates, 9);
}

/// The origin of O is in column 1 or 9, and the spawn column is 5: the distances are equal, so the
/// left side wins.
#[test]
fn dellacherie_prefers_the_left_of_two_equal_corners() {
    let empty = Board::empty(BoardSize::new(10, 20).unwrap());
    let controller =
        Controller { tie: Tie::Dellacherie, ..Controller::load("dellacherie").unwrap() };
    let mut player =
        Player::new(&controller, Rules::simplified(), Search::Greedy, empty.size(), Level::SCALAR)
            .unwrap();
    let o = player.decide(&empty, Piece::O, None).unwrap();
    assert_eq!(o.outcome.played.candidate.placement.column, 0);
    // The origin of a flat I is its third cell: columns 2 and 8, with distances 3 and 3.
    let i = player.decide(&empty, Piece::I, None).unwrap();
    assert_eq!(i.outcome.played.candidate.placement.column, 0);
}

/// The controller prefers height: without the rule it would stack the I above the top.
#[test]
fn a_losing_placement_is_chosen_only_when_all_lose() {
    let text = "name='tall'\nmeasured='after-clear'\n[weights]\nmax_height=1";
    let tall = Controller::parse("tall", text).unwrap();
    let some_lose = board("..../..../#.../#.../##.#");
    let mut player =
        Player::new(&tall, Rules::simplified(), Search::Greedy, some_lose.size(), Level::detect())
            .unwrap();
    let ranked = player.rank(&some_lose, Piece::I, None);
    assert_eq!(ranked.iter().filter(|entry| entry.outcome.lost).count(), 1);
    let chosen = player.decide(&some_lose, Piece::I, None).unwrap();
    assert!(!chosen.outcome.lost && chosen.outcome.after.stack_height() == 5);
    assert_eq!(
        player.rank_best_first(&some_lose, Piece::I, None).last().unwrap().value,
        Value::LOST
    );

    let all_lose = board("####/###./###./###./###.").with(3, 0);
    let forced = player.decide(&all_lose, Piece::L, None).unwrap();
    assert!(forced.outcome.lost);
    assert_eq!(forced.outcome.played.candidate.placement.orientation, 0);
    assert_eq!(forced.value.score(1.0), None);
}

/// On two stacks with a gap of one column, only an I in the gap removes rows. If an I comes next,
/// the O must not cover the gap.
#[test]
fn next_keeps_what_both_pieces_earn() {
    let size = BoardSize::new(4, 12).unwrap();
    let start = Board::from_rows(size, &[0b0111, 0b0111, 0b0111, 0b0111]).unwrap();
    let mut next = player("lee", Search::Next, size);
    let ranked = next.rank(&start, Piece::I, Some(Piece::O));
    let tetris = ranked.iter().find(|r| r.outcome.played.lines == 4).unwrap();
    // By hand: four rows earn 4 x 0.760666; then the O on the floor of an empty board has aggregate
    // height 4, no holes, bumpiness 2.
    let expected = 4.0 * 0.760666 - 4.0 * 0.510066 - 2.0 * 0.184483;
    let score = tetris.value.score(next.scorer().scale()).unwrap();
    assert!((score - expected).abs() < 1e-9, "{score} {expected}");
    let chosen = next.decide(&start, Piece::I, Some(Piece::O)).unwrap();
    assert_eq!(chosen.outcome.played.lines, 4);
}

#[test]
fn expect_is_the_mean_of_next_over_the_seven_pieces() {
    let start = board("......../......../......../......../......../#......./##..###./###.####");
    let size = start.size();
    let mut expect = player("bcts", Search::Expect, size);
    let mut next = player("bcts", Search::Next, size);
    for piece in Piece::ALL {
        let means = expect.rank(&start, piece, None);
        let mut sums = vec![0; means.len()];
        for answer in Piece::ALL {
            for (sum, ranked) in sums.iter_mut().zip(next.rank(&start, piece, Some(answer))) {
                *sum += ranked.value.sum;
            }
        }
        let means: Vec<i64> = means.iter().map(|ranked| ranked.value.sum).collect();
        assert_eq!(means, sums);
    }
}

/// Low boards with a tall stack have many positions where no reply to any placement survives. The
/// placement of greedy play is then played.
#[test]
fn when_every_answer_loses_the_least_bad_first_placement_is_played() {
    let size = BoardSize::new(5, 5).unwrap();
    let mut next = player("bcts", Search::Next, size);
    let mut greedy = player("bcts", Search::Greedy, size);
    let mut stream = tetrastat_core::rng::Stream::new(1, tetrastat_core::rng::Purpose::Queue, 0);
    let mut hopeless = 0;
    for _ in 0..20_000 {
        let rows: Vec<u16> = (0..4).map(|_| stream.below(31) as u16).collect();
        let start = Board::from_rows(size, &rows).unwrap();
        let piece = Piece::ALL[stream.below(7) as usize];
        let answer = Piece::ALL[stream.below(7) as usize];
        let ranked = next.rank(&start, piece, Some(answer));
        let survivors = ranked.iter().filter(|entry| !entry.outcome.lost);
        let unanswered = survivors.clone().filter(|entry| entry.value.unanswered == 1).count();
        if unanswered < 2 || unanswered < survivors.count() {
            continue;
        }
        hopeless += 1;
        let chosen = next.decide(&start, piece, Some(answer)).unwrap();
        let least_bad = greedy.decide(&start, piece, None).unwrap();
        assert_eq!(chosen.outcome, least_bad.outcome, "{start:?}{piece}{answer}");
    }
    assert!(hopeless > 100, "{hopeless}");
}

#[test]
fn a_step_is_what_decide_would_play() {
    let size = BoardSize::new(6, 12).unwrap();
    for (search, rules) in [
        (Search::Greedy, Rules::simplified()),
        (Search::Greedy, Rules::standard()),
        (Search::Next, Rules::simplified()),
    ] {
        let bcts = Controller::load("bcts").unwrap();
        let mut player = Player::new(&bcts, rules, search, size, Level::detect()).unwrap();
        let mut stream =
            tetrastat_core::rng::Stream::new(2, tetrastat_core::rng::Purpose::Queue, 0);
        let mut board = Board::empty(size);
        for _ in 0..500 {
            let piece = Piece::ALL[stream.below(7) as usize];
            let next = Some(Piece::ALL[stream.below(7) as usize]);
            let decision = player.decide(&board, piece, next);
            let step = player.step(&mut board, piece, next);
            assert_eq!(step, decision.map(|decision| decision.step()));
            match decision {
                Some(decision) if !decision.outcome.lost => {
                    assert_eq!(board, decision.outcome.after);
                }
                _ => board = Board::empty(size),
            }
        }
    }
}

/// A direct implementation scores each placement by the scalar functions, with the weights at the
/// height before the decision. Players must agree at every level.
#[test]
fn weights_at_heights_are_those_of_the_board_that_is_decided_on() {
    let size = BoardSize::new(6, 12).unwrap();
    let own = Controller::load("bcts").unwrap();
    let named = own.named_weights().chain([
        ("holes@3".to_owned(), 2.5),
        ("wells@5".to_owned(), 1.0),
        ("holes@7".to_owned(), -20.0),
    ]);
    let (weights, at_height) = split_weights(named).unwrap();
    let controller = Controller { weights, at_height, ..own };
    let scorer = Scorer::new(&controller, size).unwrap();
    assert_eq!(scorer.last_height(), 7);
    let rules = Rules::simplified();
    let placements = Placements::new(size.width());
    let outcomes = |board: &Board, piece| {
        let mut candidates = Vec::new();
        rules.candidates(&placements, board, piece, &mut candidates);
        candidates.iter().map(|&at| rules.play(board, piece, at)).collect::<Vec<_>>()
    };
    let mut stream = tetrastat_core::rng::Stream::new(5, tetrastat_core::rng::Purpose::Queue, 0);
    let (mut seen, mut differ) = ([0; 13], 0);
    for level in Level::available() {
        let new = |search| Player::new(&controller, rules, search, size, level).unwrap();
        let (mut greedy, mut next) = (new(Search::Greedy), new(Search::Next));
        let mut plain = player("bcts", Search::Greedy, size);
        for _ in 0..300 {
            let rows: Vec<u16> =
                (0..stream.below(9)).map(|_| stream.below(63) as u16 & 0b11_0110).collect();
            let board = Board::from_rows(size, &rows).unwrap();
            let stack = board.stack_height();
            let [piece, answer] = [(); 2].map(|()| Piece::ALL[stream.below(7) as usize]);
            let score = |o: &Outcome| scorer.score(stack, o.board(scorer.measured()), &o.played);
            let answered = |o: &Outcome| {
                let survivors = outcomes(&o.after, answer).into_iter().filter(|o| !o.lost);
                survivors.map(|o| score(&o).total).max().map(|best| score(o).reward + best)
            };
            let all = outcomes(&board, piece);
            let greedily: Vec<_> = all.iter().filter(|o| !o.lost).map(|o| score(o).total).collect();
            let ahead: Vec<_> = all.iter().filter(|o| !o.lost).filter_map(answered).collect();
            let ranked = greedy.rank(&board, piece, None);
            let values = ranked.iter().filter(|r| !r.outcome.lost).map(|r| r.value.sum);
            assert_eq!(values.collect::<Vec<_>>(), greedily, "{level} {board}");
            let decided = greedy.decide(&board, piece, None).unwrap();
            if let Some(best) = greedily.iter().max() {
                assert_eq!(decided.value.sum, *best, "{level} {board}");
            }
            let mut stepped = board;
            greedy.step(&mut stepped, piece, None);
            assert_eq!(stepped, decided.outcome.after, "{level} {board}");
            if let Some(best) = ahead.iter().max() {
                let known = next.decide(&board, piece, Some(answer)).unwrap();
                assert_eq!(known.value.sum, *best, "{level} {board}");
            }
            seen[stack] += 1;
            let usual = plain.decide(&board, piece, None).unwrap();
            differ += u32::from(usual.outcome != decided.outcome);
        }
    }
    assert!(seen[1..=8].iter().all(|&count| count > 10), "{seen:?}");
    assert!(differ > 100, "{differ}");
}

/// Equal weights at all heights have no effect.
#[test]
fn a_controller_spread_over_heights_plays_the_same_game() {
    let size = BoardSize::new(10, 10).unwrap();
    let own = Controller::load("bcts").unwrap();
    let spread = own.spread_over(&[2, 9, 2]);
    assert_eq!(spread.at_height.len(), 2 * own.weights.len());
    let new = |controller| {
        Player::new(controller, Rules::simplified(), Search::Greedy, size, Level::detect()).unwrap()
    };
    let (mut one, mut other) = (new(&own), new(&spread));
    let mut stream = tetrastat_core::rng::Stream::new(6, tetrastat_core::rng::Purpose::Queue, 0);
    let (mut board, mut same) = (Board::empty(size), Board::empty(size));
    for _ in 0..2000 {
        let piece = Piece::ALL[stream.below(7) as usize];
        let step = one.step(&mut board, piece, None).unwrap();
        assert_eq!(other.step(&mut same, piece, None).unwrap(), step);
        assert_eq!(same, board);
        if step.lost {
            (board, same) = (Board::empty(size), Board::empty(size));
        }
    }
}
