//! Tables of a study, which compares several settings (conditions): the conditions, all their
//! games, mean results, and ratios between the means (contrasts).
//! Frozen: bytes

use std::io::{BufRead, BufReader, BufWriter, Write};

use serde_json::Value;

use crate::controller::Tie;
use crate::error::setting::{GARBAGE, POLICY};
use crate::prelude::*;
use crate::record::folder::data_package::{REPRODUCED, STUDY_FILE, study_package};
use crate::record::folder::dataset::DATASET_FILE;
use crate::record::folder::manifest::write_manifest;
use crate::record::folder::{check_listed_name, exists, open_regular};
use crate::record::formats::csv::read_rows;
use crate::record::tables::estimates::ESTIMATES;
use crate::record::tables::field::{CONDITION, columns, condition_field, put_table};
use crate::record::tables::table;
use crate::record::unknown_folder_error;
use crate::stats::{Contrast, Estimate, Mean, Method, Spread};

pub(super) const NOT_COMPLETE: &str = "the condition is not complete";
tetrastat_core::names! {
    /// Progress of a condition, which is one combination of settings in a study.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Progress {
        /// Condition of a study of which no game is stored yet.
        Pending = "pending",
        /// Condition whose run was killed, interrupted or failed, and is resumed with the study.
        Unfinished = "unfinished",
        /// Condition of a study whose games were all played.
        Complete = "complete",
    }
}

/// Results of a complete condition (combination of settings): statistics and counts of its games.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConditionResults {
    /// Mean, median and spread of the games' results: lines cleared, or another measured quantity.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Totals over the condition's games that `run.json` records, such as pieces and lines.
    #[serde(flatten)]
    pub totals: Map<String, Value>,
}

impl ConditionResults {
    /// Returns the number of the condition's games that ended by themselves, not by a limit.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.estimate.mean.n - self.estimate.mean.censored
    }

    fn spread(&self) -> Option<Spread> {
        self.estimate.spread
    }
}

/// Rounds the bounds of a mean's interval to four decimals, which are equal on all platforms.
#[must_use]
pub fn rounded(mean: Mean) -> Mean {
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    Mean { low: mean.low.map(rounded), high: mean.high.map(rounded), ..mean }
}

/// Row of `conditions.csv`: one condition (combination of settings) of a study, with its results.
#[derive(Clone, Debug, Serialize)]
pub struct ConditionRow {
    /// Number of the condition in its study, from 1.
    pub condition: u64,
    /// Name of the folder of the condition's run, inside the study's folder.
    pub folder: String,
    /// Progress of the condition: pending, unfinished or complete.
    pub status: Progress,
    /// Configuration of the condition's run, as recorded in `run.json`.
    pub config: Value,
    /// Results of the condition; `None` until it is complete.
    pub results: Option<ConditionResults>,
    /// Name of the quantity measured in each game of the condition, such as lines.
    #[serde(skip)]
    pub measure: String,
    /// True if the quantity measured in each game is an integer.
    #[serde(skip)]
    pub whole: bool,
    /// Names of the totals over the condition's games in `run.json`, such as pieces and lines.
    #[serde(skip)]
    pub counted: Vec<String>,
}

/// Writes a study's conditions (combinations of settings) and results into `conditions.csv`.
pub fn write_conditions(folder: &RunFolder, rows: &[ConditionRow]) -> Result<()> {
    put_table(folder, CONDITIONS, &fields_of(rows), rows)
}

/// Writes a data set's `conditions.csv`, in which the column `file` replaces `folder` and `status`.
pub(crate) fn write_dataset_conditions(
    folder: &RunFolder,
    rows: &[ConditionRow],
) -> Result<FileEntry> {
    let mut fields = fields_of(rows);
    let at = fields.iter().position(|field| field.column.name == "folder").unwrap_or_default();
    fields.splice(at..at + 2, file_field());
    put_table(folder, CONDITIONS, &fields, rows)?;
    FileEntry::from_csv(&folder.path().join(CONDITIONS), &columns(&fields))
}

table! {
    fn file_field() of row: ConditionRow {
        /// Path of the Parquet file with the condition's placements, inside the data set's folder.
        file: text = row.folder;
    }
}

const CONDITIONS: &str = "conditions.csv";

/// Folder and progress of a condition (combination of settings), as stored in `conditions.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecordedCondition {
    /// Number of the condition in its study, from 1.
    pub condition: u64,
    /// Name of the condition's folder, inside the study's folder.
    pub folder: String,
    /// Progress of the condition by name: `pending`, `unfinished` or `complete`.
    pub status: String,
}

/// Reads folder and progress of each condition of a study that is played, not estimated.
pub fn read_conditions(study: &Path) -> Result<Vec<RecordedCondition>> {
    let path = study.join(CONDITIONS);
    if exists(&study.join(DATASET_FILE))? {
        return Err(unknown_folder_error(study));
    }
    if !exists(&path)? {
        // If all conditions are estimated, there is no `conditions.csv`.
        if exists(&study.join(ESTIMATES))? {
            return Ok(Vec::new());
        }
        let shown = path.display();
        let text = format!("{shown} does not exist: name the folder of a study or a comparison");
        return Err(Error::Config(text));
    }
    read_recorded_conditions(&path)
}

/// Reads folder and progress of each condition of a study that is estimated by splitting.
pub fn read_estimated_conditions(study: &Path) -> Result<Vec<RecordedCondition>> {
    let path = study.join(ESTIMATES);
    if exists(&path)? { read_recorded_conditions(&path) } else { Ok(Vec::new()) }
}

fn read_recorded_conditions(path: &Path) -> Result<Vec<RecordedCondition>> {
    let conditions = read_rows::<RecordedCondition>(path)?;
    conditions.iter().try_for_each(|row| check_listed_name(path, &row.folder))?;
    Ok(conditions)
}

/// Joins the games tables of all runs of a study into one table, with the condition's number before
/// each row.
pub fn write_games(folder: &RunFolder, name: &str, rows: &[ConditionRow]) -> Result<()> {
    let path = folder.partial(name);
    let writing = |e| Error::io("writing", &path, e);
    let mut out = BufWriter::new(File::create(&path).map_err(writing)?);
    for (index, ConditionRow { condition, folder: run, .. }) in rows.iter().enumerate() {
        let games = folder.path().join(run).join(name);
        let reading = |e| Error::io("reading", &games, e);
        let mut lines = BufReader::new(open_regular(&games)?).lines();
        let header = lines.next().transpose().map_err(reading)?.unwrap_or_default();
        // All conditions play the same game, so their tables share one header.
        if index == 0 {
            writeln!(out, "{CONDITION},{header}").map_err(writing)?;
        }
        for line in lines {
            writeln!(out, "{condition},{}", line.map_err(reading)?).map_err(writing)?;
        }
    }
    let file = out.into_inner().map_err(|e| writing(e.into_error()))?;
    file.sync_all().map_err(writing)?;
    // The final name comes last, so that readers never find part of a table.
    folder.finish(name).map(|_| ())
}

/// Writes the `datapackage.json` of a complete study: its tables, their columns and checksums.
pub fn describe_study(
    folder: &RunFolder,
    games: (&str, &[Column]),
    rows: &[ConditionRow],
    texts: (&str, &[String]),
) -> Result<()> {
    let mut package = study_description(folder.path(), games, rows, texts)?;
    let mut files = Vec::new();
    for name in [STUDY_FILE, REPRODUCED] {
        if exists(&folder.path().join(name))? {
            let FileEntry { name, bytes, sha256, .. } = FileEntry::from_file(folder.path(), name)?;
            files.push(json!({ "name": name, "bytes": bytes, "sha256": sha256 }));
        }
    }
    package["files"] = json!(files);
    write_manifest(folder, "datapackage.json", &package, None)
}

/// Returns the data package (description of all tables) of a complete study, as JSON.
pub fn study_description(
    folder: &Path,
    (name, games): (&str, &[Column]),
    rows: &[ConditionRow],
    texts: (&str, &[String]),
) -> Result<Value> {
    let conditions = columns(&fields_of(rows));
    // `write_games` puts the number of the condition before each row.
    let games = [&conditions[..1], games].concat();
    let entry = |name: &str, columns: &[Column]| FileEntry::from_csv(&folder.join(name), columns);
    let entries = [entry(CONDITIONS, &conditions)?, entry(name, &games)?];
    let described = [(&entries[0], &*conditions), (&entries[1], &*games)];
    Ok(study_package(rows.len(), texts, &described))
}

fn fields_of(rows: &[ConditionRow]) -> Vec<Field<ConditionRow>> {
    let has_policy =
        rows.iter().any(|row| row.config["policy"].as_str().is_some_and(|name| name != "best"));
    let mut fields = fields_of_game(rows);
    // A guideline condition has this column already, with its other settings. It is moved to the
    // end, where the other conditions have it.
    let mut garbage = garbage_fields();
    let moved =
        |name: &str| name == POLICY.name() || garbage.iter().any(|it| it.column.name == name);
    fields.retain(|field| !moved(&field.column.name));
    fields.extend(policy_field().into_iter().filter(|_| has_policy));
    garbage.retain(|field| {
        let name = &*field.column.name;
        let is_set = |value: &Value| !value.is_null() && (name != GARBAGE.name() || *value != 0);
        rows.iter().any(|row| is_set(&row.config[name]))
    });
    fields.extend(garbage);
    fields
}

fn fields_of_game(rows: &[ConditionRow]) -> Vec<Field<ConditionRow>> {
    match rows.first() {
        Some(first) if first.config["game"] != "classic" => {
            let mut fields = leading_fields();
            // A setting that is also a result, such as the number of matches, has one column.
            let mut settings = settings_of(rows);
            settings.retain(|field| !first.counted.contains(&field.column.name));
            fields.extend(settings);
            fields.extend(result_fields(&first.measure, &first.counted, first.whole));
            fields.extend(list_columns(&first.config));
            fields
        }
        _ => condition_fields(),
    }
}

table! {
    pub(crate) fn condition_fields() of row: ConditionRow {
        ..leading_fields();
        ..config_fields();
        ..result_fields("lines", &["pieces", "lines"].map(str::to_owned), true);
        ..policy_field();
        ..garbage_fields();
    }
}

table! {
    fn policy_field() of row: ConditionRow {
        /// Policy that chooses the placements. `policy` is only written if a condition has a policy
        /// other than `best`.
        policy: text = row.config["policy"].as_str().unwrap_or("best");
    }
}

table! {
    fn garbage_fields() of row: ConditionRow {
        /// Number of random garbage rows at the start of each game. `garbage` is only written if
        /// the number is above 0 in a condition.
        garbage: count, "rows" = row.config["garbage"].as_u64().unwrap_or(0);
        /// Probability that a garbage row has its hole in another column than the row before.
        /// `garbage_messiness` is only written if a condition sets it.
        garbage_messiness: real = row.config["garbage_messiness"].as_f64(),
            missing "each column is equally likely";
        /// Number of placed pieces between garbage rows, which enter from below. `garbage_every` is
        /// only written if a condition sets it.
        garbage_every: count, "pieces" = row.config["garbage_every"].as_u64(),
            missing "no rows enter";
    }
}

table! {
    /// Returns the first columns of `conditions.csv` for any game: condition, folder and progress.
    fn leading_fields() of row: ConditionRow {
        ..[condition_field(|row: &ConditionRow| row.condition)];
        /// Folder of the condition's run, inside the study's folder.
        folder: text = row.folder;
        /// Progress of the condition: `pending` has no stored game, `unfinished` is resumed with
        /// the study, `complete` has all games.
        status: factor(Progress::NAMES) = row.status as usize;
    }
}

fn settings_of(rows: &[ConditionRow]) -> Vec<Field<ConditionRow>> {
    let keys = rows[0].config.as_object().into_iter().flatten().map(|(key, _)| key);
    let path = |key: &String| match key.as_str() {
        "controller" => "/controller/name".to_owned(),
        key => format!("/{key}"),
    };
    let is_plain = |value: &Value| !(value.is_object() || value.is_array() || value.is_null());
    let has =
        |key: &&String| rows.iter().any(|row| row.config.pointer(&path(key)).is_some_and(is_plain));
    keys.filter(has).map(|key| setting(key, "value in the configuration", &path(key))).collect()
}

fn list_columns(config: &Value) -> Vec<Field<ConditionRow>> {
    let is_text = |list: &Vec<Value>| list.iter().all(Value::is_string);
    let keys = config.as_object().into_iter().flatten();
    let lists = keys.filter(|(_, value)| value.as_array().is_some_and(is_text));
    let meaning = "values in the configuration, joined by ';'";
    lists.map(|(key, _)| setting(key, meaning, &format!("/{key}"))).collect()
}

table! {
    /// Returns the columns of `conditions.csv` that state a condition's settings in classic games.
    fn config_fields() of row: ConditionRow {
        ..[setting("controller", "name of the controller", "/controller/name")];
        /// Rule for choosing among best placements with equal scores.
        tie: factor(Tie::NAMES) = row.config["controller"]["tie"].as_str().and_then(|tie| {
            Tie::NAMES.iter().position(|name| *name == tie)
        });
        ..[
            setting("rules", "name of the rules", "/rules"),
            setting(
                "reach",
                "columns that a piece can reach at its spawn row: `contiguous` or `anywhere`",
                "/reach",
            )
            .missing("the rules are simplified: every column is reached"),
        ];
        /// True if a piece that rests above the top row still removes full rows.
        clear_on_overflow: logical = row.config["clear_on_overflow"] == true;
        ..[
            setting("board", "board size, width x height, in cells", "/board"),
            setting("start", "board that every game starts from", "/start")
                .missing("games start from the empty board"),
            setting("queue", "queue that deals the pieces; a script includes its pieces", "/queue"),
            setting("search", "search of the controller: its look-ahead", "/search"),
            setting("seed", "seed of the run, as hexadecimal text", "/seed"),
        ];
        /// Number of pieces after which a game is cut off.
        max_pieces: count, "pieces" = row.config["max_pieces"].as_u64(),
            missing "there is no such limit";
        /// Number of lines at which a game is cut off.
        max_lines: count, "rows" = row.config["max_lines"].as_u64(),
            missing "there is no such limit";
    }
}

fn result_fields(what: &str, counted: &[String], whole: bool) -> Vec<Field<ConditionRow>> {
    let unit = unit_of(what);
    let total = |name: &String| {
        let key = name.clone();
        let value = move |row: &ConditionRow| row.results.as_ref()?.totals.get(&key)?.as_u64();
        Field::count(name, unit_of(name), format!("total number of {name} of all games"), value)
            .missing(NOT_COMPLETE)
    };
    let spread = |name: &str, meaning: &str, value: fn(Spread) -> Option<f64>| {
        let value = move |row: &ConditionRow| value(row.results.as_ref()?.spread()?);
        let meaning = format!("{meaning} of the {what} as observed");
        match whole && matches!(name, "min" | "max") {
            true => {
                let whole = move |row: &ConditionRow| value(row).map(|value| value as u64);
                Field::count(name, unit, meaning, whole)
            }
            false => Field::real(name, unit, meaning, value),
        }
        .missing(NOT_COMPLETE)
    };
    let meaning = match whole {
        true => format!("{what} of a finished game: all {what} / games that ended"),
        false => format!("{what} of all games / games"),
    };
    let mut fields: Vec<_> = counted.iter().map(total).collect();
    fields.extend(mean_columns(&meaning, unit, |row: &ConditionRow| {
        Some(&row.results.as_ref()?.estimate.mean)
    }));
    fields.extend([
        spread("sd", "standard deviation", |spread| spread.sd),
        spread("median", "median", |spread| Some(spread.median)),
        spread("min", "minimum", |spread| Some(spread.min)),
        spread("max", "maximum", |spread| Some(spread.max)),
    ]);
    fields
}

fn unit_of(name: &str) -> &'static str {
    match name {
        "lines" => "rows",
        "pieces" => "pieces",
        "points" => "points",
        _ => "-",
    }
}

fn setting(name: &str, meaning: &str, pointer: &str) -> Field<ConditionRow> {
    let pointer = pointer.to_owned();
    Field::text(name, meaning, move |row: &ConditionRow, text| match row.config.pointer(&pointer) {
        None | Some(Value::Null) => {}
        Some(Value::String(value)) => text.extend(cell(value)),
        Some(Value::Array(list)) => {
            let joined = list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(";");
            text.extend(cell(&joined));
        }
        Some(other) => text.extend(other.to_string().bytes()),
    })
}

/// Replaces characters that a CSV cell without quotation marks cannot hold, such as commas.
fn cell(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().map(|byte| match byte {
        // Quoting is no alternative, since readers of these tables may split lines at commas.
        b',' | b'\n' | b'\r' => b';',
        b'"' => b'\'',
        other => other,
    })
}

const NO_GAME_ENDED: &str = "no game of a condition ended";

table! {
    pub(crate) fn mean_fields() of row;

    /// Row of the table `means`: the mean result of a condition (combination of settings).
    #[derive(Clone, Debug, Serialize)]
    pub struct MeanRow {
        /// Number of the condition in its study, from 1.
        pub condition: u64 => count;
        /// Folder of the condition, inside the study's folder.
        pub folder: String => text;
        /// Mean result of the condition, over games or repeated estimates, with its interval.
        #[serde(flatten)]
        pub found: CellMean;
        /// Values of the settings that differ between the conditions.
        name: text = row.found.condition;
        ..mean_columns("lines of a game that is played to its end", "rows", |row: &MeanRow| {
            Some(&row.found.mean)
        });
    }
}

/// Mean result of one condition (combination of settings) of a study, to be compared with others.
#[derive(Clone, Debug, Serialize)]
pub struct CellMean {
    /// Values of those settings that differ between the study's conditions, joined into one text.
    pub condition: String,
    /// Mean of the measured quantity, such as lines, over games or repeated splitting estimates.
    #[serde(flatten)]
    pub mean: Mean,
}

pub(crate) fn mean_columns<S: 'static>(
    what: &str,
    unit: &'static str,
    mean: fn(&S) -> Option<&Mean>,
) -> Vec<Field<S>> {
    let none = "there is no mean, or no interval";
    let real = |name: &str, meaning: String, value: fn(&Mean) -> Option<f64>| {
        let value = move |row: &S| mean(row).and_then(value).filter(|value| value.is_finite());
        Field::real(name, unit, meaning, value).missing(none)
    };
    let count = |name: &str, meaning: &str, value: fn(&Mean) -> u64| {
        Field::count(name, "-", meaning, move |row: &S| mean(row).map(value)).missing(none)
    };
    vec![
        count("n", "number of games, or of replications of an estimate", |mean| mean.n),
        count("censored", "number of games cut off by a limit", |mean| mean.censored),
        real("mean", format!("estimated mean: {what}"), |mean| mean.mean),
        real("low", "lower end of the 95 % interval of the mean".to_owned(), |mean| mean.low),
        real("high", "upper end of the 95 % interval of the mean".to_owned(), |mean| mean.high),
        Field::factor("method", "method of the interval", Method::NAMES, move |row: &S| {
            mean(row)?.method.map(|method| method as usize)
        })
        .missing(none),
        Field::text("warnings", "warnings about the mean", move |row: &S, text| {
            let names = mean(row).into_iter().flat_map(|mean| &mean.warnings);
            text.extend(names.map(|it| it.name()).collect::<Vec<_>>().join(" ").into_bytes());
        })
        .missing("there are none"),
    ]
}

table! {
    /// Returns the columns of `contrasts`, a table of ratios between a study's mean results.
    pub(crate) fn contrast_fields() of row;

    /// Row of the table `contrasts`: a ratio of two mean results of a study, or a ratio of two
    /// ratios.
    #[derive(Clone, Debug, Serialize)]
    pub struct ContrastRow {
        /// Factors (varied settings) that are compared, joined by colons, such as `search:board`.
        pub contrast: String => text;
        /// Two compared values of each factor, numerator first, such as `next / greedy`.
        pub levels: String => text;
        /// Values of the other factors, which are held constant in the comparison.
        pub within: String => text, missing "there are no others";
        /// Ratio of the compared means, with its interval; `None` if one of the means is unknown.
        #[serde(flatten)]
        pub found: Option<Contrast>;
        /// Ratio of the compared means. If two or more settings are compared, ratio of ratios.
        ratio: real = row.found.as_ref().map(|found| found.ratio.mean), missing NO_GAME_ENDED;
        /// Lower end of the 95 % interval of the ratio.
        low: real = row.found.as_ref().map(|found| found.ratio.low), missing NO_GAME_ENDED;
        /// Upper end of the 95 % interval of the ratio.
        high: real = row.found.as_ref().map(|found| found.ratio.high), missing NO_GAME_ENDED;
        /// Standard error of the natural logarithm of the ratio.
        log_error: real = row.found.as_ref().map(|found| found.log_error), missing NO_GAME_ENDED;
        /// Degrees of freedom of Student's distribution, from which interval and p-value come.
        df: real = row.found.as_ref().map(|found| found.df).filter(|df| df.is_finite()),
            missing NO_GAME_ENDED;
        /// P-value of the hypothesis that the ratio is 1.
        p: real = row.found.as_ref().map(|found| found.p), missing NO_GAME_ENDED;
        /// P-value, adjusted by Holm's method for the number of p-values in the table.
        pub p_adjusted: Option<f64> => real, missing NO_GAME_ENDED;
        /// Adjusted p-value of the hypothesis that the first compared value is worse by more than a
        /// margin; `None` without a margin.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub p_not_worse: Option<f64>;
    }
}

/// Writes a study's mean results (`means.csv`), and their ratios, if any (`contrasts.csv`).
pub fn write_means(folder: &RunFolder, means: &[MeanRow], contrasts: &[ContrastRow]) -> Result<()> {
    put_table(folder, "means.csv", &mean_fields(), means)?;
    if !contrasts.is_empty() {
        put_table(folder, "contrasts.csv", &contrast_fields(), contrasts)?;
    }
    Ok(())
}
