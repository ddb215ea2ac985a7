//! `reproduced.csv`: what was published of a condition, and what came out here.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::record::folder::data_package::REPRODUCED;
use crate::record::tables::field::put_table;
use crate::record::tables::table::table;
use crate::record::{ConditionResults, ConditionRow, RunFolder};

/// Why a published number is believed.
pub const KINDS: [&str; 4] = ["measured", "rerun", "quoted", "projected"];

tetrastat_core::names! {
    /// What of many games a published number is.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Statistic {
        /// Their mean.
        #[default]
        Mean = "mean",
        /// Their median.
        Median = "median",
    }
}

/// A published number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PublishedScore {
    /// Who published it.
    pub source: String,
    /// Where it stands there.
    pub place: String,
    /// Games it is the mean of.
    pub games: Option<u64>,
    /// Lines of a game, or what else was measured.
    pub score: Option<f64>,
    /// Lower end of its interval, or of a range.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Why it is believed: one of [`KINDS`].
    pub kind: String,
    /// What to know of it.
    pub note: Option<String>,
    /// What of many games it is.
    pub statistic: Statistic,
}

tetrastat_core::names! {
    /// What a comparison says.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum PublishedVerdict {
        /// The interval of the ratio has 1 in it.
        Agrees = "agrees",
        /// We measure less.
        Lower = "lower",
        /// We measure more.
        Higher = "higher",
        /// Too few games ended to say.
        Open = "open",
    }
}

/// A measured mean over a published one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PublishedComparison {
    /// The ratio; none when no game ended, or a range was published.
    pub ratio: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// What it says.
    pub verdict: PublishedVerdict,
}

/// How a condition was played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionEffort {
    /// Seconds x threads / 3600, of the last part of a run that went on.
    pub core_hours: f64,
    /// When it was finished, UTC.
    pub finished: String,
    /// Commit of the program.
    pub commit: String,
}

/// A condition, and one of the numbers published of it.
#[derive(Clone, Debug, Serialize)]
pub struct ReproducedRow {
    /// The published table it belongs to.
    pub table: String,
    /// Its name.
    pub name: String,
    /// The condition of the study.
    pub condition: ConditionRow,
    /// What of a game was measured: lines, pieces or score.
    pub measure: String,
    /// Ends of the 95 % interval of our mean.
    pub mean_interval: (Option<f64>, Option<f64>),
    /// How it was played, once it is complete.
    pub effort: Option<ConditionEffort>,
    /// What was published, if anything.
    pub published: Option<PublishedScore>,
    /// What came out against it.
    pub comparison: Option<PublishedComparison>,
}

/// Writes `reproduced.csv` into a folder.
///
/// # Errors
/// [`crate::error::Error::Io`] when it can't be written.
pub fn write_reproduced(folder: &RunFolder, rows: &[ReproducedRow]) -> Result<()> {
    put_table(folder, REPRODUCED, &reproduced_fields(), rows)
}

impl ReproducedRow {
    /// Returns a text of the condition's configuration.
    fn setting(&self, name: &str) -> Option<&str> {
        self.condition.config[name].as_str()
    }

    /// Returns a number of the condition's results.
    fn result<T>(&self, value: impl Fn(&ConditionResults) -> T) -> Option<T> {
        self.condition.results.as_ref().map(value)
    }

    /// Returns something that was published.
    fn published<'a, T: 'a>(&'a self, value: impl Fn(&'a PublishedScore) -> T) -> Option<T> {
        self.published.as_ref().map(value)
    }

    /// Returns something that came out against what was published.
    fn comparison<T>(&self, value: impl Fn(&PublishedComparison) -> T) -> Option<T> {
        self.comparison.as_ref().map(value)
    }
}

/// What guideline games have no column of.
const GUIDELINE: &str = "guideline games";
/// When results are missing.
const NOT_COMPLETE: &str = "the condition is not complete";
/// When results of games that ended are missing.
const NONE_ENDED: &str = "the condition is not complete, or no game ended";
/// When what was published is missing.
const NOTHING: &str = "nothing was published of the condition";

table! {
    /// Returns the columns of `reproduced`.
    pub(crate) fn reproduced_fields() of row: ReproducedRow {
        // What was played: settings that all games have, and some of classic games.
        /// Published table that the condition belongs to.
        table: text = row.table;
        /// Name of the condition.
        name: text = row.name;
        /// Folder of its run.
        folder: text = row.condition.folder;
        /// Name of the controller.
        controller: text = {
            // A table in runs of classic games, a name in those of guideline games.
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

        // What came out here.
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

        // What was published.
        /// Who published it.
        source: text = row.published(|published| &published.source), missing NOTHING;
        /// Where it stands there.
        place: text = row.published(|published| &published.place), missing NOTHING;
        /// Games of the published mean.
        published_games: count, "games" = row.published(|published| published.games),
            missing "not published";
        /// Published mean lines of a game, or what else was measured.
        published: real, "rows" = row.published(|published| published.score), missing "not published";
        /// Lower end of its interval or range.
        published_low: real, "rows" = row.published(|published| published.low),
            missing "not published";
        /// Upper end.
        published_high: real, "rows" = row.published(|published| published.high),
            missing "not published";
        /// How it is known: read at its source, played by the source's program for this project, read in another text,
        /// or never measured.
        kind: factor(KINDS) = row.published(|published| {
            KINDS.iter().position(|kind| *kind == published.kind)
        }), missing NOTHING;
        /// What to know of it.
        note: text = row.published(|published| published.note.as_ref()), missing "nothing";

        // What came out over what was published.
        /// Mean / published.
        ratio: real = row.comparison(|compared| compared.ratio), missing "nothing to compare";
        /// Lower end of its 95 % interval.
        ratio_low: real = row.comparison(|compared| compared.low), missing "nothing to compare";
        /// Upper end.
        ratio_high: real = row.comparison(|compared| compared.high), missing "nothing to compare";
        /// Whether the interval of the ratio has 1 in it; of a range: whether ours meets it.
        verdict: factor(PublishedVerdict::NAMES) =
            row.comparison(|compared| compared.verdict as usize), missing "nothing to compare";

        // What else a table may be of than mean lines.
        /// What of a game was measured, in rows, pieces or points: mean, deviation, median and the published numbers
        /// are of it.
        measure: text = row.measure;
        /// What of many games the published number is, and of ours the ratio.
        statistic: factor(Statistic::NAMES) =
            row.published(|published| published.statistic as usize), missing NOTHING;
    }
}
