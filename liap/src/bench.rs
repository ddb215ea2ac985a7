//! Provides benchmark cases of LIAP rounds, and a checksum of their behaviour.

use sha2::{Digest, Sha256};

use tetrastat_runs::bench::{BenchCase, BenchRow, Section};

use crate::{CardPlayer, Declarer, MatchRules, PlayedMatch, SEATS, Seat};

/// Seed of all matches in the benchmark.
const SEED: u64 = 1;
/// Placeholder for the vector level and the search in the benchmark table. LIAP has neither.
const NONE: &str = "NA";

/// The section of `tetrastat bench` that times rounds of LIAP.
pub const SECTION: Section = Section {
    name: "liap",
    measures: "Rounds of LIAP by every declarer",
    cases: |_| Ok(cases()),
    is_base: |_, base| base.case == "v1",
    counts_rounds: true,
};

/// Returns one benchmark case per declarer. A case plays matches of four bots until the given
/// number of rounds is reached.
fn cases() -> Vec<BenchCase<'static>> {
    let case = |declarer: Declarer| {
        let row = BenchRow {
            level: NONE.to_owned(),
            search: NONE.to_owned(),
            ..BenchRow::new(SECTION, declarer.to_string())
        };
        let seats = [Seat { declarer, player: CardPlayer::Bot }; SEATS];
        let run = move |rounds: u64| {
            let (mut played, mut index) = (0, 0);
            while played < rounds {
                let at = (SEED, index);
                let left = rounds - played;
                let contest =
                    PlayedMatch::play(&seats, &MatchRules::default(), at, left, |_, _| ());
                played += u64::from(contest.rounds);
                index += 1;
            }
            (0, played)
        };
        BenchCase { row, run: Box::new(run) }
    };
    Declarer::ALL.into_iter().map(case).collect()
}

/// Returns the behaviour checksum of LIAP: the first 16 hexadecimal digits of a SHA-256. It covers
/// starters, last winners, declared piles and captured piles. Each declarer plays four matches with
/// each player.
#[must_use]
pub fn liap_checksum() -> String {
    let mut hash = Sha256::new();
    for declarer in Declarer::ALL {
        for player in CardPlayer::ALL {
            let seats = [Seat { declarer, player }; SEATS];
            for index in 0..4 {
                let at = (SEED, index);
                PlayedMatch::play(&seats, &MatchRules::default(), at, u64::MAX, |_, round| {
                    hash.update([round.deal.starter as u8, round.last_winner as u8]);
                    hash.update(round.declarations.map(|one| one.declared));
                    hash.update(round.captured);
                });
            }
        }
    }
    hash.finalize()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
