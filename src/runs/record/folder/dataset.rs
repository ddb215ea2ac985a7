//! Data sets: the logs of a study's conditions in nested folders, which state the settings of each
//! condition, with a description (`README.md`), descriptions for programs and checksums. The bytes
//! depend only on the data set's definition and the version of the program: there are no times and
//! no names of machines.
//! Frozen: bytes

use std::fmt::Write;
use std::fs;
use std::io::ErrorKind;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{printable_lines, quoted, toml_problem};
use crate::files::read_written;
use crate::prelude::*;
use crate::record::folder::data_package::{croissant, package, resource};
use crate::record::folder::manifest::write_json;
use crate::record::folder::verify::compare_text;
use crate::record::formats::blocks::sha256_of;
use crate::record::formats::csv;
use crate::record::tables::conditions::write_dataset_conditions;
use crate::record::{
    COMMIT, ConditionRow, Finding, LABELS, LogTable, PROGRAM, VERSION, columns_of,
    is_plain_file_name, read_manifest, read_table,
};
use crate::text::numbers::thousands;

/// Name of the file in a data set's folder that defines the data set.
pub const DATASET_FILE: &str = "dataset.toml";
const CHECKSUM_FILE: &str = "SHA256SUMS";
const DESCRIPTOR: &str = "datapackage.json";
const CROISSANT: &str = "croissant.json";
const DATA_CARD_FILE: &str = "README.md";

/// Description of a data set, read from the table `[dataset]` of a TOML file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatasetInfo {
    /// Name of the data set for programs: lower-case letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// Version of the data set.
    pub version: String,
    /// Title of the data set for readers.
    pub title: String,
    /// Description of the data set for readers, in Markdown.
    pub description: String,
    /// Names of the controllers whose games are held out, for a last test of generalisation.
    #[serde(default)]
    pub held_out_controllers: Vec<String>,
    /// Names of the queues (piece generators) whose games are held out, for a last test.
    #[serde(default)]
    pub held_out_queues: Vec<String>,
    /// Settings of the labels (results of games continued after each possible placement); `None`
    /// without labels.
    #[serde(skip)]
    pub labels: Option<LabelInfo>,
}

/// Settings of a data set's labels: results of games that continue after each possible placement.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelInfo {
    /// Interval, in logged placements, between decisions with labels (results of continued games).
    pub every: u64,
    /// Number of games continued after each candidate placement.
    pub replicates: u64,
    /// Maximum number of games continued after a placement that may be the best; `None` to play
    /// `replicates` games after each.
    pub max_replicates: Option<u64>,
    /// Relative standard error of the mean lines after a placement at which no further games are
    /// played; `None` for no limit.
    pub precision: Option<f64>,
    /// Number of pieces after which a continued game is cut off.
    pub horizon: u64,
    /// Controller of the continued games (preset or file); `None` for the logged games' controller.
    pub controller: Option<String>,
    /// Search (look-ahead) in the continued games; `None` for the logged games' search.
    pub search: Option<String>,
    /// Seed of the continued games; `None` for the seed of the logged games plus 1.
    pub seed: Option<u64>,
}

impl DatasetInfo {
    /// Parses the table `[dataset]` of a data set's definition.
    pub fn from_toml(mut table: toml::Value) -> Result<DatasetInfo> {
        fn parsed<T: DeserializeOwned>(name: &str, table: toml::Value) -> Result<T> {
            table.try_into().map_err(|error: toml::de::Error| {
                let problem = toml_problem("", &error);
                Error::Config(format!("[{name}]: {problem}: see the example in --help"))
            })
        }
        let fail = |problem: &str| Err(Error::Config(format!("[dataset]: {problem}")));
        let labels = table.as_table_mut().and_then(|table| table.remove("labels"));
        let mut info: DatasetInfo = parsed("dataset", table)?;
        info.labels = labels.map(|labels| parsed("dataset.labels", labels)).transpose()?;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c);
        if info.name.is_empty() || !info.name.chars().all(is_plain) {
            return fail("write name in lower-case letters, digits, '-', '_' and '.'");
        }
        for (key, text) in [("version", &info.version), ("title", &info.title)] {
            if text.trim().is_empty() || text.contains(char::is_control) {
                return fail(&format!("{key} must be one line of text"));
            }
        }
        Ok(info)
    }

    /// Checks that each held-out controller and queue occurs in `rows`, the combinations of
    /// settings in the study.
    pub fn check(&self, rows: &[ConditionRow]) -> Result<()> {
        let controllers: BTreeSet<&str> = rows.iter().map(|row| controller(&row.config)).collect();
        let queues: BTreeSet<&str> = rows.iter().map(|row| queue(&row.config)).collect();
        for (list, names, known) in [
            ("held_out_controllers", &self.held_out_controllers, controllers),
            ("held_out_queues", &self.held_out_queues, queues),
        ] {
            if let Some(name) = names.iter().find(|name| !known.contains(name.as_str())) {
                return Err(Error::Config(format!(
                    "{list} names '{}', which is in no condition: use names of {}",
                    quoted(name),
                    quoted(&known.into_iter().collect::<Vec<_>>().join(", "))
                )));
            }
        }
        Ok(())
    }

    fn holds_out(&self, config: &Value) -> bool {
        let has = |names: &[String], name: &str| names.iter().any(|held| held == name);
        has(&self.held_out_controllers, controller(config))
            || has(&self.held_out_queues, queue(config))
    }
}

fn controller(config: &Value) -> &str {
    config["controller"]["name"].as_str().unwrap_or("unnamed")
}

fn queue(config: &Value) -> &str {
    config["queue"].as_str().and_then(|queue| queue.split(' ').next()).unwrap_or("bag")
}

/// Complete study from which a data set is made.
#[derive(Clone, Copy, Debug)]
pub struct DatasetSource<'a> {
    /// Folder of the study.
    pub study: &'a Path,
    /// Conditions (combinations of settings) of the study.
    pub rows: &'a [ConditionRow],
    /// Description of the data set.
    pub info: &'a DatasetInfo,
    /// Text of the data set's definition file.
    pub text: &'a str,
}

pub(crate) const PARTITIONED: [&str; 3] =
    [LogTable::Placements.name(), LogTable::Candidates.name(), LABELS];

/// Percent-encodes a setting's value for the name of a folder in a data set.
fn partition_value(value: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let escaped = |byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    value.bytes().map(escaped).collect()
}

/// Returns the folder name for the labels (results of continued games) of the run in the folder
/// `run`.
#[must_use]
pub fn label_folder(run: &str) -> String {
    format!("{run}-labels")
}

/// Size of a data set in files and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatasetTotals {
    /// Number of the data set's files.
    pub files: usize,
    /// Number of logged placements in the data set.
    pub placements: u64,
    /// Number of labelled placements (possible placements after which games were continued).
    pub labels: u64,
}

struct PartitionFile {
    table: &'static str,
    from: PathBuf,
    path: String,
    entry: FileEntry,
    resource: Value,
}

impl DatasetSource<'_> {
    /// Writes the data set into `folder`. Tables are hard links to those of the study, or copies.
    /// The file of checksums is written last and marks the data set as complete.
    pub fn write(&self, folder: &RunFolder) -> Result<DatasetTotals> {
        let at = |path: &str| folder.path().join(path);
        let package: Value = read_manifest(&self.study.join(DESCRIPTOR))?;
        let of_study = package["resources"].as_array().into_iter().flatten();
        let mut tables: Vec<Value> = of_study.cloned().collect();
        let mut sums = BTreeMap::new();
        for table in &mut tables {
            let name = path_of(table).to_owned();
            if table["name"] == "conditions" {
                // Users of the data set do not have the folders of the runs.
                let placements = |row: &ConditionRow| {
                    let folder = self.partition_path(LogTable::Placements.name(), row);
                    ConditionRow { folder, ..row.clone() }
                };
                let rows: Vec<ConditionRow> = self.rows.iter().map(placements).collect();
                let entry = write_dataset_conditions(folder, &rows)?;
                *table = resource(&entry, &entry.schema, &[]);
            } else {
                link(&self.study.join(&name), &at(&name))?;
            }
            sums.insert(name.clone(), sha256_of(&at(&name))?);
        }
        let parts = self.parts()?;
        for PartitionFile { from, path, entry, .. } in &parts {
            link(from, &at(path))?;
            sums.insert(path.clone(), entry.sha256.clone());
        }
        // One part of each log stands for all, because their columns are equal.
        let logs: Vec<&[PartitionFile]> =
            parts.chunk_by(|one, next| one.table == next.table).collect();
        let card = self.card(folder.path(), &tables, &logs)?;
        tables.extend(parts.iter().map(|part| part.resource.clone()));
        let package = self.package(&tables);
        write_json(folder, DESCRIPTOR, &package)?;
        folder.put(DATASET_FILE, self.text)?;
        folder.put(DATA_CARD_FILE, &card)?;
        for name in [DESCRIPTOR, DATASET_FILE, DATA_CARD_FILE] {
            sums.insert(name.to_owned(), sha256_of(&at(name))?);
        }
        write_json(folder, CROISSANT, &croissant(&package, &sums))?;
        sums.insert(CROISSANT.to_owned(), sha256_of(&at(CROISSANT))?);
        let lines = sums.iter().map(|(path, sum)| format!("{sum}  {path}\n"));
        folder.put(CHECKSUM_FILE, lines.collect::<String>())?;
        let count = |table| {
            let parts = logs.iter().find(|parts| parts[0].table == table);
            parts.map_or(0, |parts| rows_of(parts))
        };
        let [placements, labels] = [LogTable::Placements.name(), LABELS].map(count);
        Ok(DatasetTotals { files: sums.len() + 1, placements, labels })
    }

    fn parts(&self) -> Result<Vec<PartitionFile>> {
        let mut parts = Vec::new();
        for row in self.rows {
            let labels = self.info.labels.as_ref().map(|_| label_folder(&row.folder));
            let mut files: Vec<(PathBuf, FileEntry)> = Vec::new();
            for folder in [Some(row.folder.clone()), labels].into_iter().flatten() {
                let run = self.study.join(folder);
                let path = run.join("run.json");
                let manifest: Value = read_manifest(&path)?;
                let listed: Vec<FileEntry> = serde_json::from_value(manifest["files"].clone())
                    .map_err(|error| Error::Config(format!("{}: {error}", path.display())))?;
                files.extend(listed.into_iter().map(|file| (run.join(&file.name), file)));
            }
            for table in PARTITIONED {
                let Some((from, entry)) = files.iter().find(|(_, file)| file.table() == table)
                else {
                    continue;
                };
                let present = ["conditions", "games", LogTable::Placements.name(), table];
                let mut resource = resource(entry, &columns_of(table, &entry.columns)?, &present);
                let path = self.partition_path(table, row);
                resource["name"] = json!(format!("{table}-{:04}", row.condition));
                resource["path"] = json!(path);
                let (from, entry) = (from.clone(), entry.clone());
                parts.push(PartitionFile { table, from, path, entry, resource });
            }
        }
        // The sort is stable, so the parts of a table stay in the order of the conditions.
        parts.sort_by_key(|part| PARTITIONED.iter().position(|table| *table == part.table));
        Ok(parts)
    }

    fn partition_path(&self, table: &str, row: &ConditionRow) -> String {
        let config = &row.config;
        let text = |key: &str, other: &'static str| {
            let found = config[key].as_str().filter(|text| !text.is_empty());
            found.unwrap_or(other).to_owned()
        };
        let held_out = self.info.holds_out(config).to_string();
        let keys = [
            ("held_out", held_out),
            ("rules", text("rules", "guideline")),
            ("queue", queue(config).to_owned()),
            // The boards of guideline games have one size, which is not recorded.
            ("board_size", text("board", "10x20")),
            ("search", text("search", "beam")),
            ("policy", text("policy", "best")),
            ("controller", controller(config).to_owned()),
        ];
        let folders = keys.map(|(key, value)| format!("{key}={}", partition_value(&value)));
        format!("{table}/{}/part-{:04}.parquet", folders.join("/"), row.condition)
    }

    fn package(&self, tables: &[Value]) -> Value {
        let DatasetInfo { name, version, title, description, .. } = self.info;
        let mut package = package(name, title, description);
        package["version"] = json!(version);
        package["sources"] = json!([{ "title": PROGRAM, "version": VERSION, "commit": COMMIT }]);
        // The recorded configurations have the weights of controllers from users' files.
        let condition = |row: &ConditionRow| {
            let held_out = self.info.holds_out(&row.config);
            json!({ "condition": row.condition, "held_out": held_out, "config": row.config })
        };
        package["conditions"] = self.rows.iter().map(condition).collect();
        package["resources"] = json!(tables);
        package
    }

    fn card(&self, folder: &Path, tables: &[Value], logs: &[&[PartitionFile]]) -> Result<String> {
        let DatasetInfo { name, version, title, description, .. } = self.info;
        // The card shows no HTML and no hidden characters.
        let shown = |text: &String| printable_lines(text).replace('<', "&lt;");
        let [title, version, description] = [title, version, description].map(shown);
        let games: u64 =
            self.rows.iter().filter_map(|row| Some(row.results.as_ref()?.estimate.mean.n)).sum();
        let placements = logs.first().map_or(0, |parts| rows_of(parts));
        let [placements, games, conditions] =
            [placements, games, self.rows.len() as u64].map(thousands);
        let mut text = format!(
            "# {title}\n\n{}\n\nVersion {version} of the data set `{name}` has {placements} \
             placements of {games} games under {conditions} conditions. A condition is a \
             controller with the settings of its games.\n\n## Files\n\n| file | content |\n\
             |---|---|\n",
            description.trim()
        );
        for parts in logs {
            let (table, count, rows) =
                (parts[0].table, thousands(parts.len() as u64), thousands(rows_of(parts)));
            let _ = writeln!(
                text,
                "| `{table}/` | {rows} rows in {count} Parquet files, one for each condition |"
            );
        }
        for table in tables {
            let (path, name) = (path_of(table), table["name"].as_str().unwrap_or_default());
            let _ = writeln!(text, "| `{path}` | one row for each of the {name} |");
        }
        let _ = write!(
            text,
            "| `{DESCRIPTOR}` | columns and checksums of all tables, and the configuration of each \
             condition |\n| `{CROISSANT}` | columns and checksums in the format Croissant |\n\
             | `{DATASET_FILE}` | the file that the data set was made from |\n\
             | `{CHECKSUM_FILE}` | checksums of all files |\n\n"
        );
        if let Some(first) = logs.first().and_then(|parts| parts.first()) {
            let _ = write!(
                text,
                "## Partitions\n\nThe path of a Parquet file has the settings of its condition, \
                 and the number of the condition in `conditions.csv`:\n\n```text\n{}\n```\n\n\
                 {READING_GUIDE}",
                first.path
            );
        }
        let has_column = |name: &str| {
            let mut tables = tables.iter().chain(logs.iter().map(|parts| &parts[0].resource));
            tables.any(|table| fields_of(table).any(|field| field["name"] == name))
        };
        text += "## Before you analyse it\n\n";
        for (column, warning) in WARNINGS {
            if column.is_empty() || has_column(column) {
                let _ = writeln!(text, "- {warning}");
            }
        }
        let held = [&self.info.held_out_controllers, &self.info.held_out_queues]
            .map(|names| if names.is_empty() { "none".to_owned() } else { names.join(", ") });
        let _ = writeln!(
            text,
            "- Conditions under `held_out=true` are for a last test of generalisation: do not \
             train or choose models on them. Held-out controllers: {}. Held-out queues: {}.",
            held[0], held[1]
        );
        text += "\n## Columns\n\nThe code book of tetrastat (`data/README.md` in its sources) \
                 defines every column. `NA` is a missing value.\n";
        for table in tables {
            text += &columns_section(table, &first_row(&folder.join(path_of(table)))?);
        }
        for part in logs.iter().map(|parts| &parts[0]) {
            text += &columns_section(&part.resource, &first_row(&part.from)?);
        }
        let _ = write!(
            text,
            "\n## Make it again\n\nThe same version of tetrastat writes the same bytes on every \
             machine. This data set is from version {VERSION}, commit {COMMIT}.\n\n```text\n\
             tetrastat data set {DATASET_FILE} --out {name}\n```\n\n## Licence\n\n[CC0 \
             1.0](https://creativecommons.org/publicdomain/zero/1.0/): use it for any purpose. \
             Please name tetrastat and the version of the data set.\n"
        );
        Ok(text)
    }
}

const READING_GUIDE: &str = "\
Readers get these settings as columns and skip the files that a filter excludes. `%3A` in a path is
a colon, which readers decode. The rows of a file are sorted by `game` and `piece_no`, and each row
group has their minimum and maximum.

```sql
SELECT controller, count(*) FROM read_parquet('placements/**/*.parquet', hive_partitioning = true)
WHERE held_out = 'false' GROUP BY controller;
```

```python
import polars as pl
rows = pl.scan_parquet(\"placements/**/*.parquet\", hive_partitioning=True)
rows.group_by(\"controller\").len().collect()
```

```r
library(dplyr)
arrow::open_dataset(\"placements\") |> count(controller) |> collect()
```

polars reads `held_out` as a Boolean; DuckDB, arrow and R read it as a text. In SQL, `column` must
be quoted: `\"column\"`.

| table | key |
|---|---|
| `conditions` | `condition` |
| `games` | `condition`, `game` |
| `placements` | `condition`, `game`, `piece_no` |
| `candidates`, `labels` | `condition`, `game`, `piece_no`, `candidate` |

`sha256sum -c SHA256SUMS` or `tetrastat data verify` checks the files.

";

const WARNINGS: [(&str, &str); 13] = [
    (
        "censored",
        "A game whose `censored` is TRUE was cut off by a limit. Its lines are a lower bound, \
         never a result.",
    ),
    (
        "",
        "Games with the same number, seed and queue have the same pieces in all conditions. So \
         conditions are correlated: compare them game by game, and never put one game into both \
         training and test data.",
    ),
    ("", "Placements of one game depend on each other. The independent unit is the game."),
    (
        "",
        "In the CSV tables `NA` is a missing value. Read `seed` and `stream_seed` as texts, \
         because they have 64 bits.",
    ),
    (
        "split",
        "`split` depends only on the seed and the number of the game, so equal games have equal \
         splits under all controllers.",
    ),
    (
        "board_before",
        "`board_before` has one hexadecimal number for each row from the floor, joined by `:`. \
         Bit 0 is the leftmost column. Empty rows above the stack are left out, and an empty board \
         is one row of zeros.",
    ),
    (
        "d_holes",
        "`d_holes` is the net change of the holes: a placement that makes a hole and opens another \
         has 0.",
    ),
    (
        "d_holes",
        "A controller whose `measured` is `before-clear` in `datapackage.json` measures features \
         such as `holes` and `max_height` before full rows are removed. `h0` to `h9`, `d_holes` \
         and the columns `..._before` are the same for every controller: compare controllers by \
         them.",
    ),
    (
        "policy",
        "Under a policy other than `best`, some placements are drawn at random: `epsilon:0.1` is a \
         random placement with probability 0.1. Only the columns `best_...`, if present, show \
         which placements these are.",
    ),
    (
        "lines_se",
        "The columns of `labels` are about the controller that plays on: `controller` in \
         `[dataset.labels]` of `dataset.toml`, or else that of the condition. `chosen` and `score` \
         are its choice and its score, not those of the game. The placement of the game is in \
         `placements`.",
    ),
    (
        "lines_se",
        "The labelled decisions are every K-th row of a condition's file, not a random sample.",
    ),
    (
        "lines_se",
        "The number of games (`replicates`) doubles while a candidate may have the most lines and \
         its `lines_se` exceeds `precision` times `lines_mean`. Other games than those of the \
         label decide this, so that stopping early biases no mean and no interval. More games are \
         no sign of a good candidate. An error of 0 means that all games agree, so never divide by \
         it.",
    ),
    (
        "lines_se",
        "The candidate with the most lines is in part lucky: its `lines_mean` is too high on \
         average. Compare two candidates by `lines_difference`, which uses only the games that \
         both have. Its interval is for one candidate: correct it for the number of candidates.",
    ),
];

fn rows_of(parts: &[PartitionFile]) -> u64 {
    parts.iter().map(|part| part.entry.rows).sum()
}

fn path_of(table: &Value) -> &str {
    table["path"].as_str().unwrap_or_default()
}

fn fields_of(table: &Value) -> impl Iterator<Item = &Value> {
    table["schema"]["fields"].as_array().into_iter().flatten()
}

fn columns_section(table: &Value, row: &[String]) -> String {
    let name = path_of(table).split(['/', '.']).next().unwrap_or_default();
    let mut text = format!(
        "\n### {name}\n\n| column | type | unit | meaning | first row |\n|---|---|---|---|---|\n"
    );
    for (field, cell) in fields_of(table).zip(row) {
        let cells = ["name", "type", "unit", "description"];
        let [name, kind, unit, meaning] = cells.map(|key| field[key].as_str().unwrap_or("-"));
        let _ = writeln!(text, "| {name} | {kind} | {unit} | {meaning} | {cell} |");
    }
    text
}

fn first_row(path: &Path) -> Result<Vec<String>> {
    let failed = |e: ::csv::Error| Error::io("reading", path, e.into());
    let cells = |row: ::csv::StringRecord| row.iter().map(str::to_owned).collect();
    if path.extension().is_none_or(|ending| ending != "parquet") {
        let mut rows = ::csv::Reader::from_path(path).map_err(failed)?.into_records();
        return Ok(rows.next().transpose().map_err(failed)?.map_or_else(Vec::new, cells));
    }
    let mut line = Vec::new();
    let read = read_table(path, |columns, rows| {
        if rows.is_empty() {
            return Ok(());
        }
        csv::write(columns, &RowSlice { range: 0..1, ..RowSlice::new(rows) }, &mut line);
        // An error ends the reading, because the other rows are not needed.
        Err(Error::Config(String::new()))
    });
    if line.is_empty() {
        return read.map(|()| Vec::new());
    }
    let mut rows = ::csv::ReaderBuilder::new().has_headers(false).from_reader(&line[..]);
    Ok(rows.records().next().transpose().map_err(failed)?.map_or_else(Vec::new, cells))
}

pub(crate) fn link(from: &Path, to: &Path) -> Result<()> {
    let failed = |e| Error::io("writing", to, e);
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, e))?;
    }
    match fs::remove_file(to) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    if fs::hard_link(from, to).is_err() {
        fs::copy(from, to).and_then(|_| File::open(to)?.sync_all()).map_err(failed)?;
    }
    Ok(())
}

/// Returns true if `folder` contains a complete data set.
#[must_use]
pub fn is_dataset(folder: &Path) -> bool {
    [CHECKSUM_FILE, DATASET_FILE].iter().all(|name| folder.join(name).is_file())
}

/// Checks the files of the data set in `folder` against its `SHA256SUMS`.
pub fn verify_dataset(folder: &Path) -> Result<Vec<Finding>> {
    let path = folder.join(CHECKSUM_FILE);
    let text = read_written(&path).map_err(|e| Error::io("reading", &path, e))?;
    let mut findings = Vec::new();
    for line in String::from_utf8_lossy(&text).lines() {
        let listed =
            line.split_once("  ").filter(|(_, name)| name.split('/').all(is_plain_file_name));
        let Some((sum, name)) = listed else {
            return Err(Error::Config(format!(
                "{} has the line '{}', which is no checksum of a file: restore it from a copy",
                path.display(),
                quoted(line)
            )));
        };
        findings.push(Finding::from_check(name, compare_text(&folder.join(name), sum)));
    }
    Ok(findings)
}
