//! `reproduced.csv`: what was published of a condition, and what came out here.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::record::ConditionResults;
use crate::record::ConditionRow;
use crate::record::RunFolder;
use crate::record::folder::data_package::REPRODUCED;
use crate::record::tables::field::{Field, put_table};

/// Why a published number is believed.
pub const KINDS: [&str; 4] = ["measured", "rerun", "quoted", "projected"];

/// What of many games a published number is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Statistic {
    /// Their mean.
    #[default]
    Mean,
    /// Their median.
    Median,
}

impl Statistic {
    /// All, in the order of the code book's levels.
    pub const ALL: [Statistic; 2] = [Statistic::Mean, Statistic::Median];

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Mean => "mean",
            Statistic::Median => "median",
        }
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

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PublishedVerdict {
    /// The interval of the ratio has 1 in it.
    Agrees,
    /// We measure less.
    Lower,
    /// We measure more.
    Higher,
    /// Too few games ended to say.
    Open,
}

impl PublishedVerdict {
    /// All, in the order of the code book's levels.
    pub const ALL: [PublishedVerdict; 4] = [
        PublishedVerdict::Agrees,
        PublishedVerdict::Lower,
        PublishedVerdict::Higher,
        PublishedVerdict::Open,
    ];

    /// The name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            PublishedVerdict::Agrees => "agrees",
            PublishedVerdict::Lower => "lower",
            PublishedVerdict::Higher => "higher",
            PublishedVerdict::Open => "open",
        }
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

type Ends = (Option<f64>, Option<f64>);

/// What guideline games have no column of.
const GUIDELINE: &str = "guideline games";

/// The columns of `reproduced`.
pub(crate) fn reproduced_fields() -> Vec<Field<ReproducedRow>> {
    let mut fields = condition_fields();
    fields.extend(result_fields());
    fields.extend(published_fields());
    fields.extend(comparison_fields());
    fields.extend(measure_fields());
    fields
}

/// What was played: settings that all games have, and some of classic games.
fn condition_fields() -> Vec<Field<ReproducedRow>> {
    vec![
        text("table", "published table that the condition belongs to", |row| Some(&row.table)),
        text("name", "name of the condition", |row| Some(&row.name)),
        text("folder", "folder of its run", |row| Some(&row.condition.folder)),
        text("controller", "name of the controller", |row| {
            let controller = &row.condition.config["controller"];
            // A table in runs of classic games, a name in those of guideline games.
            controller["name"].as_str().or(controller.as_str())
        }),
        text("rules", "name of the rules", |row| row.condition.config["rules"].as_str()),
        text("board", "width x height", |row| row.condition.config["board"].as_str())
            .missing(GUIDELINE),
        text("queue", "who deals", |row| row.condition.config["queue"].as_str()).missing(GUIDELINE),
        text("search", "how far the controller looks ahead", |row| {
            row.condition.config["search"].as_str()
        }),
        text("seed", "seed of the run, as hexadecimal text", |row| {
            row.condition.config["seed"].as_str()
        }),
    ]
}

/// What came out here.
fn result_fields() -> Vec<Field<ReproducedRow>> {
    const OPEN: &str = "the condition is not complete, or no game ended";
    let number = |name, meaning, missing, value: fn(&ConditionResults) -> Option<f64>| {
        let value = move |row: &ReproducedRow| row.condition.results.as_ref().and_then(value);
        Field::real(name, "rows", meaning, value).missing(missing)
    };
    let end = |name, meaning, missing, value: fn(Ends) -> Option<f64>| {
        Field::real(name, "rows", meaning, move |row: &ReproducedRow| value(row.mean_interval))
            .missing(missing)
    };
    let count = |name, unit, meaning, value: fn(&ConditionResults) -> u64| {
        let value = move |row: &ReproducedRow| row.condition.results.as_ref().map(value);
        Field::count(name, unit, meaning, value).missing(NOT_COMPLETE)
    };
    vec![
        count("games", "games", "games played", |r| r.games),
        count("ended", "games", "games that came to their end", |r| r.ended),
        count("pieces", "pieces", "pieces of all games", |r| {
            r.totals.get("pieces").and_then(serde_json::Value::as_u64).unwrap_or_default()
        }),
        number("mean", "all lines / games that ended", OPEN, |r| r.mean),
        end("mean_low", "lower end of its 95 % interval", NOT_COMPLETE, |ends| ends.0),
        end("mean_high", "upper end", OPEN, |ends| ends.1),
        number("sd", "standard deviation of the lines as observed", NOT_COMPLETE, |r| r.sd),
        number("median", "median of the lines as observed", NOT_COMPLETE, |r| Some(r.median)),
        Field::real("core_hours", "hours", "time x threads that it took", |row: &ReproducedRow| {
            row.effort.as_ref().map(|effort| effort.core_hours)
        })
        .missing(NOT_COMPLETE),
        text("finished", "when its run was finished, UTC", |row| {
            row.effort.as_ref().map(|effort| &*effort.finished)
        })
        .missing(NOT_COMPLETE),
        text("commit", "commit of the program", |row| {
            row.effort.as_ref().map(|effort| &*effort.commit)
        })
        .missing(NOT_COMPLETE),
    ]
}

/// What was published.
fn published_fields() -> Vec<Field<ReproducedRow>> {
    const NONE: &str = "nothing was published of the condition";
    let number = |name, meaning, value: fn(&PublishedScore) -> Option<f64>| {
        let value = move |row: &ReproducedRow| row.published.as_ref().and_then(value);
        Field::real(name, "rows", meaning, value).missing("not published")
    };
    let words = |name, meaning, value: fn(&PublishedScore) -> Option<&String>| {
        text(name, meaning, move |row| row.published.as_ref().and_then(value).map(String::as_str))
    };
    let kind = |row: &ReproducedRow| {
        let kind = &row.published.as_ref()?.kind;
        KINDS.iter().position(|known| known == kind)
    };
    vec![
        words("source", "who published it", |p| Some(&p.source)).missing(NONE),
        words("place", "where it stands there", |p| Some(&p.place)).missing(NONE),
        Field::count("published_games", "games", "games of the published mean", |row: &ReproducedRow| {
            row.published.as_ref().and_then(|published| published.games)
        })
        .missing("not published"),
        number("published", "published mean lines of a game, or what else was measured", |p| p.score),
        number("published_low", "lower end of its interval or range", |p| p.low),
        number("published_high", "upper end", |p| p.high),
        Field::factor(
            "kind",
            "how it is known: read at its source, played by the source's program for this project, read in another text, or never measured",
            KINDS,
            kind,
        )
        .missing(NONE),
        words("note", "what to know of it", |p| p.note.as_ref()).missing("nothing"),
    ]
}

/// What else a table may be of than mean lines.
fn measure_fields() -> Vec<Field<ReproducedRow>> {
    let statistic = |row: &ReproducedRow| {
        let of = row.published.as_ref()?.statistic;
        Statistic::ALL.iter().position(|&known| known == of)
    };
    vec![
        text(
            "measure",
            "what of a game was measured, in rows, pieces or points: mean, deviation, median and the published numbers are of it",
            |row| Some(&row.measure),
        ),
        Field::factor(
            "statistic",
            "what of many games the published number is, and of ours the ratio",
            Statistic::ALL.map(Statistic::name),
            statistic,
        )
        .missing("nothing was published of the condition"),
    ]
}

/// What came out over what was published.
fn comparison_fields() -> Vec<Field<ReproducedRow>> {
    const NONE: &str = "nothing to compare";
    let ratio = |name, meaning, value: fn(&PublishedComparison) -> Option<f64>| {
        let value = move |row: &ReproducedRow| row.comparison.as_ref().and_then(value);
        Field::real(name, "-", meaning, value).missing(NONE)
    };
    let place = |row: &ReproducedRow| {
        let comparison = row.comparison.as_ref()?;
        PublishedVerdict::ALL.iter().position(|&known| known == comparison.verdict)
    };
    vec![
        ratio("ratio", "mean / published", |c| c.ratio),
        ratio("ratio_low", "lower end of its 95 % interval", |c| c.low),
        ratio("ratio_high", "upper end", |c| c.high),
        Field::factor(
            "verdict",
            "whether the interval of the ratio has 1 in it; of a range: whether ours meets it",
            PublishedVerdict::ALL.map(PublishedVerdict::name),
            place,
        )
        .missing(NONE),
    ]
}

/// When results are missing.
const NOT_COMPLETE: &str = "the condition is not complete";

/// A column of text, missing where there is none or it is empty.
fn text(
    name: &str,
    meaning: &str,
    value: impl Fn(&ReproducedRow) -> Option<&str> + Send + Sync + 'static,
) -> Field<ReproducedRow> {
    Field::text(name, meaning, move |row: &ReproducedRow, text| {
        text.extend_from_slice(value(row).map_or(&[], |value| value.as_bytes()));
    })
}
