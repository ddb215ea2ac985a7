//! Conditions of a study (one setting of its games each), from its file or its runs' folders.
//!
//! The options of `simulate` parse the file, so that names, defaults and checks are those of the
//! command line.

use anyhow::Context;
use toml::{Table, Value};

use crate::cli::options::runs::{AnyRun, AnyRuns, RunOptions};
use crate::cli::options::settings::{options, setting_names, toml_to_json, with_setting_keys};
use crate::cli::options::{map_game, refuse_bots};
use crate::cli::prelude::*;
use crate::liap::LiapConfig;
use crate::record::{
    DatasetInfo, Kind, RecordedCondition, exists, kind_of, read_conditions, unknown_folder_error,
};
use crate::rules::RULES_NAMES;
use crate::study::{AXES, Condition, Published, conditions, parse};

pub(crate) type AnyConditions = ByGame<
    Vec<Condition<ClassicConfig>>,
    Vec<Condition<GuidelineConfig>>,
    Vec<Condition<LiapConfig>>,
>;

const SEVERAL_GAMES: &str = "different games have different tables: make one study for each game";

pub(crate) fn read_recorded(study: &Path) -> anyhow::Result<AnyConditions> {
    let rows = read_conditions(study)?;
    let two = rows.len() >= 2;
    ensure!(two, "{} has fewer than two conditions: there is nothing to compare", study.display());
    read_conditions_of(study, rows)
}

/// Reads complete runs of games as conditions (settings). Each of `folders` is a run or a study.
pub(crate) fn read_played(folders: &[PathBuf]) -> anyhow::Result<AnyConditions> {
    let mut runs = Vec::new();
    for folder in folders {
        if !holds_games(folder)? {
            return Err(unknown_folder_error(folder).into());
        }
        let rows = match exists(&folder.join(CONDITIONS))? {
            true => read_conditions(folder)?
                .into_iter()
                .map(|row| (folder.join(row.folder), row.status))
                .collect(),
            false => vec![(folder.clone(), COMPLETE_STATUS.to_owned())],
        };
        for (path, status) in rows {
            let Some(path) = path.to_str() else {
                bail!("{}: rename it to a name in UTF-8", path.display())
            };
            let (condition, folder) = (runs.len() as u64 + 1, path.to_owned());
            runs.push(RecordedCondition { condition, folder, status });
        }
    }
    read_conditions_of(Path::new(""), runs)
}

pub(crate) fn holds_games(folder: &Path) -> anyhow::Result<bool> {
    Ok(exists(&folder.join(CONDITIONS))? || kind_of(folder)? == Some(Kind::Run))
}

const CONDITIONS: &str = "conditions.csv";
const COMPLETE_STATUS: &str = "complete";

fn read_conditions_of(study: &Path, rows: Vec<RecordedCondition>) -> anyhow::Result<AnyConditions> {
    let (mut folders, mut runs) = (Vec::new(), Vec::new());
    for RecordedCondition { condition, folder, status } in rows {
        let run = study.join(&folder);
        ensure!(
            status == COMPLETE_STATUS,
            "{} is {status}: play the study to its end first",
            run.display()
        );
        runs.push(AnyRun::read(&run)?);
        folders.push((condition, folder));
    }
    let runs = AnyRuns::group(runs)
        .context("runs of different games have different measures: name runs of one game")?;
    Ok(map_game!(runs, games => {
        let condition = |((number, folder), game)| Condition { number, folder, game };
        folders.into_iter().zip(games).map(condition).collect()
    }))
}

pub(crate) enum Method {
    Play,
    Estimate(EstimateSettings),
    /// Method that estimates the mean lines if a limit cuts off one of ten trial games, else plays.
    Auto(EstimateSettings),
}

pub(crate) struct EstimateSettings {
    base: PathBuf,
    table: Table,
}

impl EstimateSettings {
    /// Parses the settings that belong to a command's options `A`, and skips other settings.
    pub(crate) fn parsed<A: clap::Args + Clone>(&self) -> anyhow::Result<ParsedArgs<A>> {
        let known = setting_names::<A>();
        let mut table = self.table.clone();
        table.retain(|key, _| known.iter().any(|name| name == key));
        ParsedArgs::from_object(&self.base, &toml_to_json(&table)?, &[])
    }
}

pub(crate) struct StudyFile {
    pub(crate) runs: AnyRuns,
    pub(crate) methods: Vec<Method>,
    pub(crate) published: Vec<Published>,
}

const METHOD: &str = "method";
/// Names of settings that only estimates by multilevel splitting have, or use differently.
const ESTIMATE_SETTINGS: [&str; 6] =
    ["importance", "budget", "until_halfwidth", "pieces", "burn_in", "pilot_pieces"];

/// Parses the text of the study file `file`, whose folder is the base of relative paths. The
/// arguments `threads` and `quick` override settings in the file.
pub(crate) fn read_study(
    file: &Path,
    text: &str,
    threads: Option<u16>,
    allow_bot: bool,
    quick: bool,
) -> anyhow::Result<StudyFile> {
    let mut tables =
        parse(text).and_then(conditions).with_context(|| file.display().to_string())?;
    let base = file.parent().unwrap_or(Path::new(""));
    let (mut methods, mut published) = (Vec::new(), Vec::new());
    for (number, table) in (1..).zip(&mut tables) {
        let name = || format!("{}, condition {number}", file.display());
        published.push(Published::take(table, quick).with_context(name)?);
        methods.push(take_method(base, table, threads).with_context(name)?);
    }
    Ok(StudyFile { runs: build_runs(file, tables, threads, allow_bot)?, methods, published })
}

/// Takes the method (play, estimate or auto) out of the settings of a study's condition.
fn take_method(base: &Path, table: &mut Table, threads: Option<u16>) -> anyhow::Result<Method> {
    let Some(method) = table.remove(METHOD) else { return Ok(Method::Play) };
    let mut own = table.clone();
    if let Some(threads) = threads {
        own.insert("threads".to_owned(), Value::from(i64::from(threads)));
    }
    // Studies that also estimate share these settings, which do not apply to conditions that play.
    table.retain(|key, _| !ESTIMATE_SETTINGS.contains(&key));
    let settings = EstimateSettings { base: base.to_owned(), table: own };
    match method.as_str() {
        Some("play") => Ok(Method::Play),
        Some("estimate") => Ok(Method::Estimate(settings)),
        Some("auto") => Ok(Method::Auto(settings)),
        _ => bail!("method is {method}: write \"play\", \"estimate\" or \"auto\""),
    }
}

/// Columns that a data set of placements has by default, and that every controller fills.
const DATASET_COLUMNS: &str = "minimal,next_1,landing_height,row_transitions,column_transitions,\
    holes,hole_depth,rows_with_holes,aggregate_height,max_height,bumpiness,heights,candidates,lost,\
    board_before,holes_before,height_before,d_holes,split";
const CLASSIC_COLUMNS: &str = "eroded_cells,wells,margin";

/// Reads the TOML file of a data set: the table `[dataset]`, and the runs that it consists of.
pub(crate) fn read_dataset(
    file: &Path,
    text: &str,
    threads: Option<u16>,
    allow_bot: bool,
) -> anyhow::Result<(DatasetInfo, AnyConditions)> {
    let name = || file.display().to_string();
    let mut shared = parse(text).with_context(name)?;
    let info = shared.remove("dataset").context(
        "no table [dataset]: add it below the settings, with name, version, title and description",
    );
    let info = DatasetInfo::from_toml(info.with_context(name)?).with_context(name)?;
    let mut tables = conditions(shared).with_context(name)?;
    for table in &mut tables {
        let logged = table.entry("placements").or_insert_with(|| Value::from("parquet"));
        ensure!(
            logged.as_str() == Some("parquet"),
            "{}: placements is {logged}: leave it out, a data set is in Parquet",
            name()
        );
        let is_classic = table
            .get("rules")
            .is_none_or(|rules| rules.as_str().is_some_and(|rules| RULES_NAMES.contains(&rules)));
        table.entry("columns").or_insert_with(|| match is_classic {
            true => Value::from(format!("{DATASET_COLUMNS},{CLASSIC_COLUMNS}")),
            false => Value::from(DATASET_COLUMNS),
        });
    }
    Ok((info, build_conditions(file, tables, threads, allow_bot)?))
}

fn build_conditions(
    file: &Path,
    tables: Vec<Table>,
    threads: Option<u16>,
    allow_bot: bool,
) -> anyhow::Result<AnyConditions> {
    let runs = build_runs(file, tables, threads, allow_bot)?;
    let name = || file.display().to_string();
    Ok(map_game!(runs, games => Condition::all(games).with_context(name)?))
}

fn build_runs(
    file: &Path,
    tables: Vec<Table>,
    threads: Option<u16>,
    allow_bot: bool,
) -> anyhow::Result<AnyRuns> {
    let base = file.parent().unwrap_or(Path::new(""));
    let mut runs = Vec::new();
    for (number, mut table) in (1..).zip(tables) {
        if !allow_bot {
            let source = format!("{}, condition {number}", file.display());
            refuse_bots(&source, &serde_json::to_value(&table)?)?;
        }
        if let Some(threads) = threads {
            table.insert("threads".to_owned(), Value::from(i64::from(threads)));
        }
        let with_keys =
            |error| anyhow!(with_setting_keys(&options::<RunOptions>(), &format!("{error:#}")));
        let run = build_run(base, &table).map_err(with_keys);
        runs.push(run.with_context(|| format!("{}, condition {number}", file.display()))?);
    }
    AnyRuns::group(runs).context(SEVERAL_GAMES).with_context(|| file.display().to_string())
}

fn build_run(base: &Path, table: &Table) -> anyhow::Result<AnyRun> {
    let others: Vec<&str> =
        AXES.iter().map(|(axis, _)| *axis).chain(["[[condition]]", METHOD, "published"]).collect();
    let ParsedArgs::<RunOptions> { options, settings } =
        ParsedArgs::from_object(base, &toml_to_json(table)?, &others)?;
    options.game.falling.any.rules.games().refuse_foreign::<RunOptions>(&settings)?;
    options.run(None, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_classic(
        file: &Path,
        text: &str,
        threads: Option<u16>,
    ) -> anyhow::Result<Vec<Condition<ClassicConfig>>> {
        match read_study(file, text, threads, false, false)?.runs {
            AnyRuns::Classic(games) => {
                Condition::all(games).with_context(|| file.display().to_string())
            }
            _ => bail!("other games"),
        }
    }

    fn refused(text: &str, words: &[&str]) {
        let message = format!("{:#}", read_classic(Path::new("my.toml"), text, None).unwrap_err());
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.starts_with("my.toml") && !message.contains("--"), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }

    #[test]
    fn folders_are_readable_and_stable() {
        let text = "controllers = ['bcts', 'dt20']\nboards = ['10x10']\n[[condition]]\ncontroller \
            = 'bcts'\nrules = 'standard'\nseed = '0xff'";
        let found = read_classic(Path::new("my.toml"), text, None).unwrap();
        let folders: Vec<&str> = found.iter().map(|condition| &*condition.folder).collect();
        let expected = [
            "001-bcts-10x10-uniform-greedy-s1",
            "002-dt20-10x10-uniform-greedy-s1",
            "003-bcts-standard-10x10-uniform-greedy-s255",
        ];
        assert_eq!(folders, expected);
    }

    #[test]
    fn wrong_settings_are_named() {
        refused("seeds = [1]\ngmes = 1", &["condition 1", "'gmes': did you mean 'games'"]);
        refused("seeds = [1]\nmax-pieces = 1", &["'max-pieces'", "max_pieces"]);
        refused("seeds = [1]\nout = 'x'", &["'out'"]);
        refused("seeds = [1]\ngames = 0", &["games", "of at least 1"]);
        refused("seeds = [1]\ngames = [1]", &["games is [1]", "one number"]);
        refused("seeds = [1]\ngames = true", &["games is true"]);
        refused("seeds = [1]\ngames = false", &["games is false", "one number"]);
        refused("seeds = [1]\ncandidates = 1", &["candidates is 1", "true or false"]);
        refused("seeds = [1]\ncolumns = [1]", &["unknown column '1'"]);
        refused("seeds = [1]\nplacements = 'xlsx'", &["'xlsx'", "csv.zst"]);
        refused("seeds = [-1]", &["seed", "2^64"]);
        refused("seeds = ['']", &["seed is empty"]);
        refused("boards = ['40x3']", &["40x3", "10x20"]);
        refused("controllers = ['nope']", &["'nope'", "bcts"]);
        refused("controllers = ['no.toml']", &["no.toml", "check the path"]);
        refused("rules = ['standard']\nclear_on_overflow = true", &["clear_on_overflow changes"]);
        refused("seeds = [1]\nfrom = 9\nto = 8", &["from 9", "to 8"]);
        refused("seeds = [1]\ncycle = true", &["script"]);
        refused("seeds = [1, '0x1']", &["conditions 1 and 2", "the same"]);
        refused("controllers = ['bdu']\nboard = '8x20'", &["bdu", "10 wide"]);
    }

    #[test]
    fn controllers_are_told_apart_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, name: &str, weight: i32| {
            let text =
                format!("name = '{name}'\nmeasured = 'after-clear'\n[weights]\nholes = {weight}\n");
            std::fs::write(folder.path().join(file), text).unwrap();
        };
        write("a.toml", "mine", -1);
        write("b.toml", "mine", -2);
        let file = folder.path().join("study.toml");
        let read =
            |text: &str| read_classic(&file, text, None).map_err(|error| format!("{error:#}"));
        let message = read("controllers = ['a.toml', 'b.toml']").unwrap_err();
        assert!(message.contains("give each its own"), "{message}");
        let ties = "controller = 'a.toml'\nseeds = [1]\n[[condition]]\ntie = 'dellacherie'";
        assert_eq!(read(ties).unwrap().len(), 2);
        write("a.toml", "a, b", -1);
        assert!(read("controllers = ['a.toml']").unwrap_err().contains("commas"));
    }
}
