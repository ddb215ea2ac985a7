//! `reproduced.csv`: published numbers of each condition and our results.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::record::folder::data_package::REPRODUCED;
use crate::record::tables::field::put_table;
use crate::record::tables::table::table;
use crate::record::{ConditionResults, ConditionRow, RunFolder};

/// Kinds of evidence for a published number.
pub const KINDS: [&str; 4] = ["measured", "rerun", "quoted", "projected"];

tetrastat_core::names! {
    /// Statistic over many games that a published number states.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Statistic {
        /// Mean of the games.
        #[default]
        Mean = "mean",
        /// Median of the games.
        Median = "median",
    }
}

/// Published number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PublishedScore {
    /// Publication.
    pub source: String,
    /// Page or table within the publication.
    pub place: String,
    /// Number of games of the published mean.
    pub games: Option<u64>,
    /// Published value: lines of a game, or the other measure.
    pub score: Option<f64>,
    /// Lower bound of the interval or range.
    pub low: Option<f64>,
    /// Upper bound of the interval or range.
    pub high: Option<f64>,
    /// Kind of evidence: one of [`KINDS`].
    pub kind: String,
    /// Note about the number.
    pub note: Option<String>,
    /// Statistic that the number states.
    pub statistic: Statistic,
}

tetrastat_core::names! {
    /// Verdict of a comparison.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PublishedVerdict {
        /// The interval of the ratio contains 1.
        Agrees = "agrees",
        /// Our value is lower.
        Lower = "lower",
        /// Our value is higher.
        Higher = "higher",
        /// Too few games ended for a verdict.
        Open = "open",
    }
}

/// Ratio of a measured mean to a published one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedComparison {
    /// Ratio; `None` if no game ended, or if a range was published.
    pub ratio: Option<f64>,
    /// Lower bound of the ratio's 95 % interval.
    pub low: Option<f64>,
    /// Upper bound of the ratio's 95 % interval.
    pub high: Option<f64>,
    /// Verdict of the comparison.
    pub verdict: PublishedVerdict,
}

/// Computing time and version of a condition's run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionEffort {
    /// Core hours: seconds x threads / 3600, of the last part of a resumed run.
    pub core_hours: f64,
    /// Time of completion, UTC.
    pub finished: String,
    /// Commit of the program.
    pub commit: String,
}

/// Row of `reproduced.csv`: a condition and one of its published numbers.
#[derive(Clone, Debug, Serialize)]
pub struct ReproducedRow {
    /// Name of the published table.
    pub table: String,
    /// Name of the condition.
    pub name: String,
    /// Condition of the study.
    pub condition: ConditionRow,
    /// Measured quantity: lines, pieces or score.
    pub measure: String,
    /// Bounds of the 95 % interval of our mean.
    pub mean_interval: (Option<f64>, Option<f64>),
    /// Computing time and version, for a complete condition.
    pub effort: Option<ConditionEffort>,
    /// Published number, if there is one.
    pub published: Option<PublishedScore>,
    /// Comparison with the published number.
    pub comparison: Option<PublishedComparison>,
}

/// Writes `reproduced.csv` into a folder.
///
/// # Errors
/// [`crate::error::Error::Io`] if it can't be written.
pub fn write_reproduced(folder: &RunFolder, rows: &[ReproducedRow]) -> Result<()> {
    put_table(folder, REPRODUCED, &reproduced_fields(), rows)
}

impl ReproducedRow {
    fn setting(&self, name: &str) -> Option<&str> {
        self.condition.config[name].as_str()
    }

    /// Returns a number of the condition's results.
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

/// Reason for columns that guideline games lack.
const GUIDELINE: &str = "guideline games";
/// Reason for missing results.
const NOT_COMPLETE: &str = "the condition is not complete";
/// Reason for missing results of games that ended.
const NONE_ENDED: &str = "the condition is not complete, or no game ended";
/// Reason for missing published values.
const NOTHING: &str = "nothing was published of the condition";

table! {
    pub(crate) fn reproduced_fields() of row: ReproducedRow {
        // Settings: those of all games, and some of classic games.
        /// Published table that the condition belongs to.
        table: text = row.table;
        /// Name of the condition.
        name: text = row.name;
        /// Folder of its run.
        folder: text = row.condition.folder;
        /// Name of the controller.
        controller: text = {
            // Classic runs record the controller as a table, guideline runs as a name.
            let controller = &row.condition.config["controller"];
            controller["name"].as_str().or(controller.as_str())
        };
        /// Name of the rules.
        rules: text = row.setting("rules");
        /// Width x height.
        board: text = row.setting("board"), missing GUIDELINE;
        /// Who deals.
        queue: text = row.setting("queue"), missing GUIDELINE;
        /// How far the controller looks ahead.
        search: text = row.setting("search");
        /// Seed of the run, as hexadecimal text.
        seed: text = row.setting("seed");

        // Our results.
        /// Games played.
        games: count, "games" = row.result(|results| results.games), missing NOT_COMPLETE;
        /// Games that came to their end.
        ended: count, "games" = row.result(|results| results.ended), missing NOT_COMPLETE;
        /// Pieces of all games.
        pieces: count, "pieces" = row.result(|results| {
            results.totals.get("pieces").and_then(serde_json::Value::as_u64).unwrap_or_default()
        }), missing NOT_COMPLETE;
        /// All lines / games that ended.
        mean: real, "rows" = row.result(|results| results.mean), missing NONE_ENDED;
        /// Lower end of its 95 % interval.
        mean_low: real, "rows" = row.mean_interval.0, missing NOT_COMPLETE;
        /// Upper end.
        mean_high: real, "rows" = row.mean_interval.1, missing NONE_ENDED;
        /// Standard deviation of the lines as observed.
        sd: real, "rows" = row.result(|results| results.sd), missing NOT_COMPLETE;
        /// Median of the lines as observed.
        median: real, "rows" = row.result(|results| results.median), missing NOT_COMPLETE;
        /// Time x threads that it took.
        core_hours: real, "hours" = row.effort.as_ref().map(|effort| effort.core_hours),
            missing NOT_COMPLETE;
        /// When its run was finished, UTC.
        finished: text = row.effort.as_ref().map(|effort| &effort.finished), missing NOT_COMPLETE;
        /// Commit of the program.
        commit: text = row.effort.as_ref().map(|effort| &effort.commit), missing NOT_COMPLETE;

        // Published values.
        /// Who published it.
        source: text = row.published(|published| &published.source), missing NOTHING;
        /// Where it stands there.
        place: text = row.published(|published| &published.place), missing NOTHING;
        /// Games of the published mean.
        published_games: count, "games" = row.published(|published| published.games),
            missing "not published";
        /// Published mean lines of a game, or what else was measured.
        published: real, "rows" = row.published(|published| published.score),
            missing "not published";
        /// Lower end of its interval or range.
        published_low: real, "rows" = row.published(|published| published.low),
            missing "not published";
        /// Upper end.
        published_high: real, "rows" = row.published(|published| published.high),
            missing "not published";
        /// How it is known: read at its source, played by the source's program for this project,
        /// read in another text, or never measured.
        kind: factor(KINDS) = row.published(|published| {
            KINDS.iter().position(|kind| *kind == published.kind)
        }), missing NOTHING;
        /// What to know of it.
        note: text = row.published(|published| published.note.as_ref()), missing "nothing";

        // Comparison.
        /// Mean / published.
        ratio: real = row.comparison(|compared| compared.ratio), missing "nothing to compare";
        /// Lower end of its 95 % interval.
        ratio_low: real = row.comparison(|compared| compared.low), missing "nothing to compare";
        /// Upper end.
        ratio_high: real = row.comparison(|compared| compared.high), missing "nothing to compare";
        /// Whether the interval of the ratio has 1 in it; of a range: whether ours meets it.
        verdict: factor(PublishedVerdict::NAMES) =
            row.comparison(|compared| compared.verdict as usize), missing "nothing to compare";

        // Measure and statistic, if they are not mean lines.
        /// What of a game was measured, in rows, pieces or points: mean, deviation, median and the
        /// published numbers are of it.
        measure: text = row.measure;
        /// What of many games the published number is, and of ours the ratio.
        statistic: factor(Statistic::NAMES) =
            row.published(|published| published.statistic as usize), missing NOTHING;
    }
}
