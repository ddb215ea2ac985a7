//! Column that divides games into training, validation and test data.

use crate::record::tables::field::Field;
use crate::rng::mix;

/// Number that is combined with the seed of a game's stream, so that the split is independent of
/// the pieces, which are drawn from the same seed.
const SALT: u64 = 12;

const SPLITS: [&str; 3] = ["train", "validation", "test"];

/// Returns the index in [`SPLITS`] of the game whose stream has the seed `stream_seed`.
fn split(stream_seed: u64) -> usize {
    match mix(stream_seed ^ SALT) % 10 {
        0..=7 => 0,
        8 => 1,
        _ => 2,
    }
}

/// Returns the column `split` of logs, which is only written if requested by name. `stream_seed`
/// returns the `stream_seed` of a row's game.
pub(crate) fn named_split_field<S: 'static>(stream_seed: fn(&S) -> u64) -> Field<S> {
    let mut field = split_field(stream_seed).named_only();
    field.column.meaning.push_str(". `split` is only written if requested by name");
    field
}

/// Returns the column `split`. `stream_seed` returns the `stream_seed` of a row's game.
pub(crate) fn split_field<S: 'static>(stream_seed: fn(&S) -> u64) -> Field<S> {
    let meaning = format!(
        "part of the data for machine learning; with d = splitmix64(`stream_seed` XOR {SALT}) mod \
         10 it is `train` for d = 0 to 7, `validation` for 8 and `test` for 9 (see Splits in \
         data/README.md); all rows of a game, and all games of one seed and number, have the same \
         split"
    );
    Field::factor("split", meaning, SPLITS, move |row| split(stream_seed(row)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, stream_seed};

    /// The values were computed in Python, as data/README.md shows.
    #[test]
    fn splits_of_games_computed_elsewhere() {
        assert_eq!(stream_seed(1, Purpose::Queue, 0), 0x5775_264a_9a7e_1b09);
        let found = |game| SPLITS[split(stream_seed(1, Purpose::Queue, game))];
        assert_eq!([0, 7, 8].map(found), ["train", "test", "validation"]);
    }

    /// A share lies more than 4.5 standard deviations from its probability with probability 7e-6.
    #[test]
    fn shares_of_10_000_games() {
        let mut counts = [0.0; SPLITS.len()];
        (0..10_000).for_each(|game| counts[split(stream_seed(1, Purpose::Queue, game))] += 1.0);
        for (count, p) in counts.into_iter().zip([0.8, 0.1, 0.1]) {
            let sd = f64::sqrt(1e4 * p * (1.0 - p));
            assert!(f64::abs(count - 1e4 * p) < 4.5 * sd, "{counts:?}");
        }
    }
}
