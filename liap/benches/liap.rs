//! Criterion benches of LIAP: declarations by every declarer, and whole rounds of four bots. Each
//! asserts its answer before timing; `cargo bench --bench liap` times them.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tetrastat_core::rng::{Purpose, Stream};
use tetrastat_liap::{CardPlayer, Cards, Context, Deal, Declarer, Round, RoundStart, SEATS, Seat};

const DEALS: usize = 1024;

fn deals() -> Vec<Deal> {
    let mut stream = Stream::new(1, Purpose::Deals, 0);
    let standing = RoundStart { last_winner: Some(0), ..RoundStart::default() };
    (0..DEALS).map(|_| Deal::new(&standing, &mut stream)).collect()
}

/// Returns dealt LIAP hands, each with the declarations of zero, one or three earlier players.
fn asked() -> Vec<(Cards, Context)> {
    let contexts = [&[][..], &[2], &[1, 3, 2]]
        .map(|previous| Context::new(previous, false).expect("declarations from 0 to 8"));
    let hands = deals().into_iter().flat_map(|deal| deal.cards);
    hands.enumerate().map(|(index, cards)| (cards, contexts[index % 3])).collect()
}

fn declarations(c: &mut Criterion) {
    let asked = asked();
    let mut group = c.benchmark_group("declarations");
    group.throughput(Throughput::Elements(asked.len() as u64));
    for declarer in Declarer::ALL {
        let total = || -> u32 {
            let raw = |(cards, context): &(Cards, Context)| declarer.decide(cards, context).value;
            black_box(&asked).iter().map(|one| u32::from(raw(one))).sum()
        };
        let mean = f64::from(total()) / asked.len() as f64;
        assert!((1.0..6.0).contains(&mean), "{declarer} declares {mean}");
        group.bench_function(declarer.name(), |b| b.iter(total));
    }
}

fn rounds(c: &mut Criterion) {
    let deals = deals();
    let mut group = c.benchmark_group("rounds");
    group.throughput(Throughput::Elements(deals.len() as u64));
    for declarer in [Declarer::V1, Declarer::V2] {
        let seats = [Seat { declarer, player: CardPlayer::Bot }; SEATS];
        let piles = || -> u32 {
            let mut choices = Stream::new(1, Purpose::Choices, 0);
            let mut play = |deal: &Deal| {
                let round = Round::play(&seats, &RoundStart::default(), true, *deal, &mut choices);
                round.captured.iter().map(|&piles| u32::from(piles)).sum::<u32>()
            };
            black_box(&deals).iter().map(&mut play).sum()
        };
        assert_eq!(piles(), 8 * DEALS as u32);
        group.bench_function(declarer.name(), |b| b.iter(piles));
    }
}

criterion_group!(benches, declarations, rounds);
criterion_main!(benches);
