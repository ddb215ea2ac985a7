//! `reproduced.csv`: published numbers of each condition and our results.
//! Frozen: bytes

use crate::prelude::*;
use crate::record::folder::data_package::REPRODUCED;
use crate::record::tables::conditions::NOT_COMPLETE;
use crate::record::tables::field::put_table;
use crate::record::tables::table;
use crate::record::{ConditionResults, ConditionRow};
use crate::stats::Mean;

/// Kinds of evidence for a published result, such as `measured` or `projected`.
pub const KINDS: [&str; 4] = ["measured", "rerun", "quoted", "projected"];

tetrastat_core::names! {
    /// Statistic of many games' results that a publication states.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Statistic {
        /// Mean of the results of all published games.
        #[default]
        Mean = "mean",
        /// Median of the results of all published games.
        Median = "median",
    }
}

/// Published number with which the results of a condition are compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedScore {
    /// Publication that states the number.
    pub source: String,
    /// Page or table of the number within the publication.
    pub place: Option<String>,
    /// Number of games over which the published value was taken.
    pub games: Option<u64>,
    /// Published value: lines of a game, or another measure.
    pub value: Option<f64>,
    /// Lower bound of the interval or range that was published, if any.
    pub low: Option<f64>,
    /// Upper bound of the interval or range that was published, if any.
    pub high: Option<f64>,
    /// Kind of evidence for the published number: one of [`KINDS`].
    #[serde(default = "measured")]
    pub kind: String,
    /// Note about the published number.
    pub note: Option<String>,
    /// Statistic that the published number states: mean or median.
    #[serde(default)]
    pub statistic: Statistic,
}

fn measured() -> String {
    KINDS[0].to_owned()
}

tetrastat_core::names! {
    /// Verdict of the comparison of our value with a published one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PublishedVerdict {
        /// The interval of the ratio contains 1, or our interval overlaps the published range.
        Agrees = "agrees",
        /// Our value is lower than the published one.
        Lower = "lower",
        /// Our value is higher than the published one.
        Higher = "higher",
        /// Too few of our games ended for a verdict.
        Open = "open",
    }
}

/// Comparison of our mean or median with a published one, by their ratio.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedComparison {
    /// Ratio of our value to the published one; `None` if no game ended or a range was published.
    pub ratio: Option<f64>,
    /// Lower bound of the 95 % interval of the ratio of our value to the published one.
    pub low: Option<f64>,
    /// Upper bound of the 95 % interval of the ratio of our value to the published one.
    pub high: Option<f64>,
    /// Verdict on our value: agrees, lower, higher or open.
    pub verdict: PublishedVerdict,
}

/// Computing time of a condition's run, and version of the program.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionEffort {
    /// Core hours of the run: seconds x threads / 3600. For a resumed run, only the time since the
    /// last resume counts.
    pub core_hours: f64,
    /// Time at which the run was complete, UTC.
    pub finished: String,
    /// Commit of the program that played the run.
    pub commit: String,
}

/// Row of `reproduced.csv`: a condition and one of its published numbers.
#[derive(Clone, Debug, Serialize)]
pub struct ReproducedRow {
    /// Name of the published table to which the condition belongs.
    pub table: Option<String>,
    /// Name of the condition (combination of settings) in its study.
    pub name: String,
    /// Number of the condition in its study, from 1.
    #[serde(rename = "condition")]
    pub number: u64,
    /// Settings and results of the condition, as in `conditions.csv`.
    #[serde(skip)]
    pub condition: ConditionRow,
    /// Name of the measured quantity: lines, pieces or score.
    pub measure: String,
    /// Mean of the measured quantity over our games; `None` if the condition is not complete.
    pub mean: Option<Mean>,
    /// Computing time and version of the condition's run, if the condition is complete.
    pub effort: Option<ConditionEffort>,
    /// Published number for the condition, if there is one.
    pub published: Option<PublishedScore>,
    /// Comparison of our result with the published number.
    pub comparison: Option<PublishedComparison>,
}

/// Writes `reproduced.csv`, in which published numbers are compared with a study's results.
pub fn write_reproduced(folder: &RunFolder, rows: &[ReproducedRow]) -> Result<()> {
    put_table(folder, REPRODUCED, &reproduced_fields(), rows)
}

impl ReproducedRow {
    fn setting(&self, name: &str) -> Option<&str> {
        self.condition.config[name].as_str()
    }

    fn result<T>(&self, value: impl Fn(&ConditionResults) -> T) -> Option<T> {
        self.condition.results.as_ref().map(value)
    }

    fn published<'a, T: 'a>(&'a self, value: impl Fn(&'a PublishedScore) -> T) -> Option<T> {
        self.published.as_ref().map(value)
    }

    fn comparison<T>(&self, value: impl Fn(&PublishedComparison) -> T) -> Option<T> {
        self.comparison.as_ref().map(value)
    }
}

const GUIDELINE: &str = "guideline games";
const NONE_ENDED: &str = "the condition is not complete, or no game ended";
const UNPUBLISHED: &str = "nothing was published of the condition";

const UNCOMPARED: &str = "the published number or the result is missing";

table! {
    pub(crate) fn reproduced_fields() of row: ReproducedRow {
        // Settings: those of all games, and some of classic games.
        /// Name of the published table to which the condition belongs.
        table: text = row.table.as_ref(), missing "the study has no `table`";
        /// Name of the condition.
        name: text = row.name;
        /// Folder of the condition's run, inside the study's folder.
        folder: text = row.condition.folder;
        /// Name of the controller.
        controller: text = row.condition.config["controller"]["name"].as_str();
        /// Name of the rules.
        rules: text = row.setting("rules");
        /// Board size: width x height, in cells.
        board: text = row.setting("board"), missing GUIDELINE;
        /// Queue that deals the pieces.
        queue: text = row.setting("queue"), missing GUIDELINE;
        /// Search of the controller, which sets how far the controller looks ahead.
        search: text = row.setting("search");
        /// Seed of the run, as hexadecimal text.
        seed: text = row.setting("seed");

        // Our results.
        /// Number of games played for the condition.
        games: count, "games" = row.result(|results| results.estimate.mean.n), missing NOT_COMPLETE;
        /// Number of games that came to their end; censored games are not counted.
        ended: count, "games" = row.result(|results| results.ended()), missing NOT_COMPLETE;
        /// Number of pieces of all games.
        pieces: count, "pieces" = row.result(|results| {
            results.totals.get("pieces").and_then(serde_json::Value::as_u64).unwrap_or_default()
        }), missing NOT_COMPLETE;
        /// Mean of `measure` per game; for lines, estimated as lines of all games / games that
        /// ended.
        mean: real, "rows" = row.mean.as_ref().map(|mean| mean.mean), missing NONE_ENDED;
        /// Lower end of the 95 % interval of `mean`.
        low: real, "rows" = row.mean.as_ref().map(|mean| mean.low), missing NOT_COMPLETE;
        /// Upper end of the 95 % interval of `mean`.
        high: real, "rows" = row.mean.as_ref().map(|mean| mean.high), missing NONE_ENDED;
        /// Standard deviation of `measure` over the games, as observed.
        sd: real, "rows" = row.result(|results| results.estimate.spread?.sd), missing NOT_COMPLETE;
        /// Median of `measure` over the games, as observed.
        median: real, "rows" = row.result(|results| Some(results.estimate.spread?.median)),
            missing NOT_COMPLETE;
        /// Computing time of the run in core hours: elapsed time x threads. For a resumed run, only
        /// the last part counts.
        core_hours: real, "hours" = row.effort.as_ref().map(|effort| effort.core_hours),
            missing NOT_COMPLETE;
        /// Time at which the condition's run finished, UTC.
        finished: text = row.effort.as_ref().map(|effort| &effort.finished), missing NOT_COMPLETE;
        /// Commit of the program that played the condition's run.
        commit: text = row.effort.as_ref().map(|effort| &effort.commit), missing NOT_COMPLETE;

        // Published values.
        /// Publication or other source of the published number.
        source: text = row.published(|published| &published.source), missing UNPUBLISHED;
        /// Place of the published number in `source`, such as a page or a table.
        place: text = row.published(|published| published.place.as_ref()), missing UNPUBLISHED;
        /// Number of games from which the published number was computed.
        published_games: count, "games" = row.published(|published| published.games),
            missing "not published";
        /// Published value: mean lines of a game, or the quantity in `measure` and `statistic`.
        published: real, "rows" = row.published(|published| published.value),
            missing "not published";
        /// Lower end of the interval or range of the published number.
        published_low: real, "rows" = row.published(|published| published.low),
            missing "not published";
        /// Upper end of the interval or range of the published number.
        published_high: real, "rows" = row.published(|published| published.high),
            missing "not published";
        /// Evidence for the published number: `measured` in its source, `quoted` elsewhere, `rerun`
        /// by us with the source's program, or `projected`.
        kind: factor(KINDS) = row.published(|published| {
            KINDS.iter().position(|kind| *kind == published.kind)
        }), missing UNPUBLISHED;
        /// Note about the published number.
        note: text = row.published(|published| published.note.as_ref()), missing "there is no note";

        // Comparison.
        /// Ratio of our `mean` (or `median`, as in `statistic`) to `published`.
        ratio: real = row.comparison(|compared| compared.ratio), missing UNCOMPARED;
        /// Lower end of the 95 % interval of `ratio`.
        ratio_low: real = row.comparison(|compared| compared.low), missing UNCOMPARED;
        /// Upper end of the 95 % interval of `ratio`.
        ratio_high: real = row.comparison(|compared| compared.high), missing UNCOMPARED;
        /// Verdict on our value: `agrees` if the interval of `ratio` contains 1, or ours overlaps a
        /// published range; `open` without a complete interval.
        verdict: factor(PublishedVerdict::NAMES) =
            row.comparison(|compared| compared.verdict as usize), missing UNCOMPARED;

        // Measure and statistic, if they are not mean lines.
        /// Quantity measured in each game (rows, pieces or points), which `mean`, `sd`, `median`
        /// and the published numbers describe.
        measure: text = row.measure;
        /// Statistic over games that the published number states, and that `ratio` compares.
        statistic: factor(Statistic::NAMES) =
            row.published(|published| published.statistic as usize), missing UNPUBLISHED;
    }
}
