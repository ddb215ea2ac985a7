//! Defines the configuration of an estimate: the game, the levels, and the rule for stopping.

use super::{EstimateResults, Importance, Levels, PilotOptions, Replication};
use crate::error::setting::{
    BOARD_FILE, BUDGET, GARBAGE, GARBAGE_EVERY, POLICY, QUEUE, UNTIL_HALFWIDTH,
};
use crate::error::{Error, Result};
use crate::queue::QueueKind;
use crate::rules::Garbage;
use crate::search::Policy;
use crate::sim::Game;

/// Minimum number of replications (independent runs of the splitting estimator) before an
/// estimation may stop because its interval is narrow enough. A few rare rises of the stack carry
/// most of the weight of all deaths. A sample without them has a narrow interval that does not
/// contain the mean. With a target of 20 % and a minimum of 20, one estimate in 200 was 1.44 times
/// too large or more, and with a minimum of 100, 1.25 times (`data/estimates/stop_rule.R`).
pub const FEWEST_REPLICATIONS: usize = 100;

/// Largest number of pieces of a replication, of its burn-in and of a round of the pilot. The limit
/// is needed because a replication is stored only when it is complete.
const MOST_PIECES: u64 = 1_000_000_000_000;

/// Rule for stopping an estimate. If both limits are given, the one reached first ends the
/// estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Number of pieces to place in all games, including the copies made by splitting but not
    /// burn-in and pilot. `None` for no limit.
    pub budget: Option<u64>,
    /// Target for the relative half-width of the interval (half-width / mean); `None` for no
    /// target.
    pub half_width: Option<f64>,
}

/// Configuration of an estimate.
#[derive(Clone, Debug)]
pub struct EstimateConfig<G> {
    /// Game and controller to play; its number of games, limits and shard are ignored.
    pub run: G,
    /// True if games split into copies at levels; false for an estimate without splitting.
    pub splits: bool,
    /// Measure of a board's danger, by which the levels are defined.
    pub importance: Importance,
    /// Number of pieces of each replication, without the copies made by splitting.
    pub pieces: u64,
    /// Number of pieces that a replication plays before counting starts.
    pub burn_in: u64,
    /// Options of the pilot that places the levels.
    pub pilot: PilotOptions,
    /// Rule that decides when the estimate stops.
    pub stop: StopRule,
}

impl<G: Game> EstimateConfig<G> {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::Config`] or [`Error::Controller`] naming the setting to change.
    pub fn validate(&self) -> Result<()> {
        self.run.check_estimable(self.importance)?;
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        let StopRule { budget, half_width } = self.stop;
        if budget.is_none() && half_width.is_none() {
            return fail(&format!(
                "the stopping rule is missing: give {BUDGET}, {UNTIL_HALFWIDTH} or both"
            ));
        }
        if half_width.is_some_and(|width| !(width > 0.0 && width < 10.0)) {
            return fail("a half-width must be above 0 and below 1000 %: for example 20%");
        }
        let counts = [
            ("pieces", self.pieces),
            ("burn-in", self.burn_in),
            ("pilot-pieces", self.pilot.pieces),
        ];
        if let Some((name, count)) = counts.into_iter().find(|(_, count)| *count > MOST_PIECES) {
            let text = format!("{name} {count}: give at most {MOST_PIECES}, and raise {BUDGET}");
            return Err(Error::Config(text));
        }
        if self.pieces == 0 || self.pilot.pieces == 0 {
            return fail("a replication of 0 pieces plays nothing: give at least 1");
        }
        Ok(())
    }
}

impl StopRule {
    /// Returns the completed share of the required work, 0 to 1, or `None` if it is unknown. The
    /// interval is assumed to narrow with the root of the number of replications. `splits` selects
    /// the estimate by splitting instead of that without.
    #[must_use]
    pub fn share(&self, results: &EstimateResults, splits: bool) -> Option<f64> {
        let played = self.budget.map(|budget| results.pieces as f64 / budget as f64);
        // The first replications may have any width; a share from them would mean nothing.
        let is_known = |width: &f64| *width > 0.0 && *width < 1.0;
        let width = half_width(results, splits).filter(is_known);
        let narrowed = self.half_width.zip(width).map(|(target, width)| {
            // No estimate ends before this number of replications, however narrow the interval is.
            let fewest = results.replications as f64 / FEWEST_REPLICATIONS as f64;
            (target / width).powi(2).min(fewest)
        });
        let share = match (played, narrowed) {
            (Some(played), Some(narrowed)) => Some(played.max(narrowed)),
            (played, narrowed) => played.or(narrowed),
        };
        share.map(|share| share.min(1.0))
    }

    /// Returns true if `replications`, the first ones in order, meet the rule. `splits` selects the
    /// estimate by splitting instead of that without.
    #[must_use]
    pub fn is_met(&self, replications: &[Replication], levels: &Levels, splits: bool) -> bool {
        let played = || replications.iter().map(|found| found.pieces).sum::<u64>();
        if self.budget.is_some_and(|budget| played() >= budget) {
            return true;
        }
        self.is_narrow(replications, levels, splits) == Some(true)
    }

    /// Returns true if the interval from `replications` is at most as wide as the target, or `None`
    /// if the rule has no target. `splits` selects the estimate by splitting instead of that
    /// without.
    #[must_use]
    pub fn is_narrow(
        &self,
        replications: &[Replication],
        levels: &Levels,
        splits: bool,
    ) -> Option<bool> {
        let target = self.half_width?;
        if replications.len() < FEWEST_REPLICATIONS {
            return Some(false);
        }
        // The results use all replications so far, in order. The answer therefore does not depend
        // on how many further ones were played.
        let results = EstimateResults::of(replications, levels, splits);
        Some(half_width(&results, splits).is_some_and(|width| width <= target))
    }
}

fn half_width(results: &EstimateResults, splits: bool) -> Option<f64> {
    let mean = match &results.splitting {
        Some(splitting) if splits => &splitting.ratio.mean,
        _ if splits => return None,
        _ => &results.direct.mean,
    };
    Some(mean.half_width()).filter(|width| width.is_finite())
}

/// Checks that the best placements are played, because the copies of a split game have no draws of
/// their own.
pub(crate) fn check_policy(policy: Policy) -> Result<()> {
    if policy == Policy::Best {
        return Ok(());
    }
    Err(Error::Config(format!(
        "an estimate plays the best placements, not policy {policy}: leave out {POLICY}, or play \
         the games with simulate"
    )))
}

/// Checks that all games start from one board, which the levels of an estimate begin above.
pub(crate) fn check_start(garbage: &Garbage) -> Result<()> {
    if !garbage.has_rows() {
        return Ok(());
    }
    let option = if garbage.rows > 0 { GARBAGE } else { GARBAGE_EVERY };
    Err(Error::Config(format!(
        "an estimate starts all games from one board: leave out {option}, give {BOARD_FILE}, or \
         play the games with simulate"
    )))
}

/// Checks that games differ by chance.
pub(crate) fn check_queue(queue: &QueueKind) -> Result<()> {
    if queue.is_random() {
        return Ok(());
    }
    let text = format!(
        "this queue deals every game the same pieces, so there is nothing to estimate: play one \
         game with simulate, or choose {QUEUE} uniform or bag"
    );
    Err(Error::Config(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::Exposure;

    /// Half of the budget is used; a width twice as large as required needs four times as many
    /// replications.
    #[test]
    fn the_share_is_that_of_the_rule_that_ends_first() {
        let mut direct = Exposure::of(1000, 100);
        (direct.mean.low, direct.mean.high) = (Some(8.0), Some(12.0));
        let results = EstimateResults {
            replications: 40,
            main_pieces: 500,
            pieces: 500,
            lines_per_piece: 0.4,
            splitting: None,
            direct,
        };
        let share = |budget, half_width| StopRule { budget, half_width }.share(&results, false);
        assert_eq!(share(Some(1000), None), Some(0.5));
        assert_eq!(share(None, Some(0.1)), Some(0.25));
        assert_eq!(share(Some(1000), Some(0.1)), Some(0.5));
        assert_eq!(StopRule { budget: None, half_width: Some(0.1) }.share(&results, true), None);
    }
}
