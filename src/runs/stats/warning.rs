//! Warns about estimates that need caution, with advice for the reader.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::error::setting::{BOARD, MAX_LINES, MAX_PIECES, QUEUE};
use crate::text::numbers::{counted, thousands};

/// A warning about one controller's games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Warning {
    /// No game ended, so the mean has only a lower bound.
    AllCensored {
        /// Number of games.
        games: u64,
    },
    /// More than half of the games were cut off.
    MostCensored {
        /// Number of games cut off.
        censored: u64,
        /// Number of games.
        games: u64,
    },
    /// Some games were cut off, and the values at their limits are used like those of finished
    /// games.
    CensoredAsObserved {
        /// Number of games cut off.
        censored: u64,
        /// Number of games.
        games: u64,
    },
    /// Fewer than ten games ended, too few to check the assumptions of the interval.
    FewGames {
        /// Number of games that ended.
        ended: u64,
    },
    /// A test rejects the assumption that values are exponential.
    NotExponential {
        /// Standard deviation divided by mean; `None` with censored games.
        spread: Option<f64>,
        /// P-value of the Cox-Oakes test that the Weibull shape is 1.
        shape_p: f64,
        /// Modified Anderson-Darling statistic; `None` with censored games.
        anderson_darling: Option<f64>,
    },
    /// The queue gives every game the same pieces, so all games are equal.
    SameGames,
}

impl Warning {
    /// Returns a one-word name of the warning for tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Warning::AllCensored { .. } => "all_censored",
            Warning::MostCensored { .. } => "most_censored",
            Warning::CensoredAsObserved { .. } => "censored_as_observed",
            Warning::FewGames { .. } => "few_games",
            Warning::NotExponential { .. } => "not_exponential",
            Warning::SameGames => "same_games",
        }
    }
}

/// Returns the advice for the reader if no game ended; `limits` names the settings that cut games
/// off.
/// Raising a limit alone does not help if games last billions of lines. The advice therefore
/// includes `tetrastat estimate`, which needs no finished game.
#[must_use]
pub fn remedy_without_ends(limits: &str) -> String {
    format!(
        "raise {limits}, take a smaller {BOARD}, or run `tetrastat estimate`, which needs no game \
         to end"
    )
}

/// Returns the clause that `censored` of `games` games were cut off and count as observed.
#[must_use]
pub fn observed_at_limit(censored: u64, games: u64) -> String {
    let count = if censored == 1 { "counts" } else { "count" };
    format!("{} and {count} as observed", cut_off(censored, games))
}

/// Returns the clause that `censored` of `games` games were cut off.
fn cut_off(censored: u64, games: u64) -> String {
    let were = if censored == 1 { "was" } else { "were" };
    format!("{} of {} {were} cut off", thousands(censored), counted(games, "game"))
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::AllCensored { games: 0 } => f.write_str("no game was played"),
            Warning::AllCensored { games: 1 } => write!(
                f,
                "the only game did not end, so the mean has only a lower bound: {}",
                remedy_without_ends(&format!("{MAX_PIECES} or {MAX_LINES} (or give none)"))
            ),
            Warning::AllCensored { games } => write!(
                f,
                "none of the {games} games ended, so the mean has only a lower bound: {}",
                remedy_without_ends(&format!("{MAX_PIECES} or {MAX_LINES} (or give none)"))
            ),
            Warning::MostCensored { censored, games } => write!(
                f,
                "{}: the mean assumes a constant risk beyond the limit; raise {MAX_PIECES} or \
                 {MAX_LINES}",
                cut_off(*censored, *games)
            ),
            Warning::CensoredAsObserved { censored, games } => write!(
                f,
                "{}: raise {MAX_PIECES} or {MAX_LINES}, or compare lines",
                observed_at_limit(*censored, *games)
            ),
            Warning::FewGames { ended } => write!(
                f,
                "only {} ended: too few to check the interval's assumptions; play more",
                counted(*ended, "game")
            ),
            Warning::NotExponential { spread, shape_p, anderson_darling } => {
                write!(f, "not exponential (")?;
                if let Some(spread) = spread {
                    write!(f, "SD/mean {spread:.2}, ")?;
                }
                write!(f, "Cox-Oakes p {shape_p:.4}")?;
                if let Some(found) = anderson_darling {
                    write!(f, ", Anderson-Darling {found:.2}")?;
                }
                f.write_str("): the interval is by bootstrap-t")?;
                let censored = spread.is_none();
                if censored {
                    write!(f, "; it extrapolates the games that were cut off: raise {MAX_PIECES}")
                } else {
                    f.write_str(", which assumes only independent games")
                }
            }
            Warning::SameGames => write!(
                f,
                "the queue deals every game the same pieces, so that nothing varies: for \
                 intervals take another {QUEUE}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_given_only_if_games_were_played() {
        assert_eq!(Warning::AllCensored { games: 0 }.to_string(), "no game was played");
        let played = Warning::AllCensored { games: 3 }.to_string();
        assert!(played.starts_with("none of the 3 games ended") && played.contains("estimate"));
    }

    #[test]
    fn one_game_is_singular() {
        let begins = |warning: Warning, text: &str| {
            let shown = warning.to_string();
            assert!(shown.starts_with(text), "{shown}");
        };
        begins(Warning::AllCensored { games: 1 }, "the only game did not end, so");
        let most = |censored, games| Warning::MostCensored { censored, games };
        begins(most(1, 1), "1 of 1 game was cut off: ");
        begins(most(2, 3), "2 of 3 games were cut off: ");
        let observed = Warning::CensoredAsObserved { censored: 1, games: 3 };
        begins(observed, "1 of 3 games was cut off and counts as observed: ");
        begins(Warning::FewGames { ended: 1 }, "only 1 game ended: ");
        begins(Warning::FewGames { ended: 9 }, "only 9 games ended: ");
    }
}
