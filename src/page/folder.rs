//! Web pages of output folders: runs, studies, trainings, estimates, and unfinished work.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::games::Picker;
use super::outcome::{ConditionGames, compare_conditions};
use super::tables::{Table, manifest_facts, study_facts};
use super::{FolderKind, Page, Running, Sizes, WrittenWeights};
use crate::board::BoardSize;
use crate::error::{Error, Result, printable};
use crate::games::resume_command;
use crate::record::{
    ESTIMATES, Kind, LogFormat, Progress, TableCursor, TableFile, VERSION, check_recorded,
    checkpoint_state, has_checkpoint, invalid_content_error, is_study, kind_of, read_conditions,
    read_estimated_conditions, read_manifest, read_replications, restart_advice,
    unknown_folder_error,
};

/// Minimum of the row limit for tables that the web page draws as curves.
const MIN_CURVE_ROWS: usize = 10_000;

pub(super) fn read(folder: &Path, sizes: &Sizes, running: Option<Running>) -> Result<Page> {
    let page = read_any_kind(folder, sizes, running.is_some())?;
    check_boards(folder, &page)?;
    Ok(Page { running, ..page })
}

/// Returns an error if a board is larger than supported, since the browser draws all its cells.
fn check_boards(folder: &Path, page: &Page) -> Result<()> {
    let unsupported = |error: Error| invalid_content_error(&folder.join("run.json"), error);
    match page.config.get("board") {
        None | Some(Value::Null) => {}
        Some(Value::String(size)) => _ = size.parse::<BoardSize>().map_err(unsupported)?,
        Some(other) => return Err(unsupported(Error::BoardSize { given: other.to_string() })),
    }
    for [width, height] in page.games.iter().map(|game| game.board) {
        BoardSize::new(width, height).map_err(unsupported)?;
    }
    Ok(())
}

/// Returns true if `folder` holds a complete or unfinished run, study, training or estimate.
#[must_use]
pub fn holds_work(folder: &Path) -> bool {
    let files = ["run.json", "checkpoint.json"];
    is_study(folder) || files.iter().any(|name| folder.join(name).is_file())
}

fn read_any_kind(folder: &Path, sizes: &Sizes, runs: bool) -> Result<Page> {
    let has = |name: &str| folder.join(name).is_file();
    if is_study(folder) {
        let kind = if has("reproduced.csv") { FolderKind::Reproduction } else { FolderKind::Study };
        return study_page(folder, sizes, kind, runs);
    }
    if let Some(begun) = UnfinishedWork::read(folder)? {
        return unfinished_page(folder, sizes, &begun, runs);
    }
    let Some(kind) = kind_of(folder)? else { return Err(unknown_folder_error(folder)) };
    let manifest: Value = read_manifest(&folder.join("run.json"))?;
    match kind {
        Kind::Run => run(folder, sizes, &manifest),
        Kind::Estimate => single_result(folder, sizes, FolderKind::Estimate, manifest),
        Kind::Training => single_result(folder, sizes, FolderKind::Training, manifest),
    }
}

fn run(folder: &Path, sizes: &Sizes, manifest: &Value) -> Result<Page> {
    let config = &manifest["config"];
    let mut page = Page::new(FolderKind::Run, title(folder)?, manifest);
    let files = files(folder, manifest)?;
    let ended = match manifest["status"].as_str() {
        Some("complete") => None,
        Some("interrupted") => Some("The run was stopped"),
        _ => Some("The run failed"),
    };
    if let Some(ended) = ended {
        page.notes.push(format!("{ended}: {}", interrupted_note(folder, &files, config)?));
    }
    page.add_run(&files, manifest, sizes)?;
    Ok(page)
}

fn interrupted_note(folder: &Path, files: &[TableFile], config: &Value) -> Result<String> {
    let here = match files.iter().find(|file| is_results(file)) {
        Some(file) => progress(file.table(), file.rows().unwrap_or_default(), config),
        None => "a part of it".to_owned(),
    };
    Ok(format!("{here}, some perhaps cut off.{}", resume_note(folder)?))
}

fn resume_note(folder: &Path) -> Result<String> {
    let state = has_checkpoint(folder)?.then(|| checkpoint_state(folder)).transpose()?;
    Ok(state.map_or(String::new(), |state| format!(" {}", resume_sentence(&state, folder))))
}

fn unfinished_page(
    folder: &Path,
    sizes: &Sizes,
    begun: &UnfinishedWork,
    runs: bool,
) -> Result<Page> {
    let manifest = begun.manifest();
    let (kind, word) = match (begun.is_training(), begun.is_estimate()) {
        (true, _) => (FolderKind::Training, "training"),
        (_, true) => (FolderKind::Estimate, "estimate"),
        _ => (FolderKind::Run, "run"),
    };
    let mut page = Page::new(kind, format!("{word} {}", folder_name(folder)), &manifest);
    let (progress, resume) = (begun.progress(), resume_sentence(&begun.state, folder));
    page.notes.push(match runs {
        true => format!("So far: {progress}."),
        false => format!("Unfinished: {progress}. {resume}"),
    });
    if kind != FolderKind::Run {
        page.add_plain_tables(&begun.tables, sizes)?;
        page.report = Some(manifest.clone());
    } else {
        page.add_run(&begun.tables, &manifest, sizes)?;
    }
    Ok(page)
}

fn study_page(folder: &Path, sizes: &Sizes, kind: FolderKind, runs: bool) -> Result<Page> {
    let whole = |name: &str| TableFile::finished(&folder.join(name));
    let mut listed = read_conditions(folder)?;
    let played = listed.len();
    listed.extend(read_estimated_conditions(folder)?);
    let folders: Vec<String> = listed.iter().map(|row| row.folder.clone()).collect();
    let (labels, common) = condition_labels(&folders);
    let common = if common.is_empty() { common } else { format!(": {common}") };
    let mut page = Page::new(kind, format!("study {}{common}", folder_name(folder)), &Value::Null);
    let is_complete = |index: &usize| listed[*index].status == Progress::Complete.name();
    let (complete, others): (Vec<_>, Vec<_>) = (0..folders.len()).partition(is_complete);
    if !others.is_empty() {
        page.notes.push(format!(
            "{} of {} conditions are complete; only they are compared.",
            complete.len(),
            folders.len()
        ));
    }
    let is_whole = others.is_empty();
    let mut begun = None;
    for index in others {
        if let Some(found) = UnfinishedWork::read(&folder.join(&folders[index]))? {
            page.notes.push(format!("{}: {} so far.", labels[index], found.progress()));
            begun = Some(found);
        }
    }
    if !runs && !is_whole {
        page.notes.push("The command that started the study resumes it.".to_owned());
    }
    let mut games: Vec<CompleteCondition> = Vec::new();
    let mut manifests = Vec::new();
    for index in complete {
        let folder = folder.join(&folders[index]);
        if index < played {
            let manifest: Value = read_manifest(&folder.join("run.json"))?;
            manifests.push(manifest.clone());
            games.push(CompleteCondition::new(labels[index].clone(), &folder, manifest)?);
        } else {
            let (config, _) = read_replications(&folder)?;
            page.controller = page.controller.take().or_else(|| controller(&config));
            manifests.push(read_manifest(&folder.join("run.json"))?);
        }
    }
    page.facts = match &begun {
        Some(begun) if manifests.is_empty() => manifest_facts(&begun.manifest()),
        _ => study_facts(manifests.iter()),
    };
    page.facts.retain(|(group, _)| group == "Circumstances");
    page.notes.extend(manifests.first().and_then(version_note));
    let rows = page.add_conditions(&games, sizes)?;
    let mut tables = Vec::new();
    let of_conditions = ["conditions.csv", ESTIMATES, "means.csv", "contrasts.csv"];
    for name in [&["reproduced.csv"][..], &of_conditions, &["games.csv"]].concat() {
        if folder.join(name).is_file() {
            let rows = (name == "games.csv" && is_whole).then_some(rows).flatten();
            let most = if of_conditions.contains(&name) { usize::MAX } else { sizes.rows };
            tables.push(Table::read(&whole(name).with_rows(rows), most, None)?);
        }
    }
    page.tables.splice(0..0, tables);
    Ok(page)
}

fn single_result(folder: &Path, sizes: &Sizes, kind: FolderKind, manifest: Value) -> Result<Page> {
    let word = if kind == FolderKind::Training { "training" } else { "estimate" };
    let mut page = Page::new(kind, format!("{word} {}", folder_name(folder)), &manifest);
    if kind == FolderKind::Training && manifest["status"] != "complete" {
        page.notes.push(format!("The training is incomplete.{}", resume_note(folder)?));
    }
    let known = files(folder, &manifest)?;
    let mut tables: Vec<TableFile> = Vec::new();
    let reading = |e| Error::io("reading", folder, e);
    for entry in std::fs::read_dir(folder).map_err(reading)? {
        let name = entry.map_err(reading)?.file_name().to_string_lossy().into_owned();
        if LogFormat::of_file(&name).is_ok() {
            let found = known.iter().find(|file| file.name() == name).cloned();
            tables.push(found.unwrap_or_else(|| TableFile::finished(&folder.join(name))));
        }
    }
    tables.sort_by(|one, other| one.name().cmp(other.name()));
    page.add_plain_tables(&tables, sizes)?;
    page.report = Some(manifest);
    page.weights = written_weights(&folder.join("controller.toml"));
    Ok(page)
}

fn written_weights(path: &Path) -> Option<WrittenWeights> {
    let table: toml::Table = std::fs::read_to_string(path).ok()?.parse().ok()?;
    let weights = table.get("weights")?.as_table()?.iter();
    let number = |value: &toml::Value| value.as_float().or(value.as_integer().map(|n| n as f64));
    let list = weights.filter_map(|(name, value)| Some((name.clone(), number(value)?)));
    let note = table.get("note").and_then(|note| note.as_str()).map(str::to_owned);
    Some(WrittenWeights { list: list.collect(), note })
}

impl Page {
    fn new(kind: FolderKind, title: String, manifest: &Value) -> Page {
        const PLAYED: &str = "game board rules search queue seed mode start clear_on_overflow";
        let config = &manifest["config"];
        let entry = |name: &str| Some((name.to_owned(), config.get(name)?.clone()));
        Page {
            kind,
            title,
            running: None,
            notes: version_note(manifest).into_iter().collect(),
            facts: manifest_facts(manifest),
            outcome: None,
            report: None,
            weights: None,
            controller: controller(config),
            config: PLAYED.split(' ').filter_map(entry).collect::<Map<_, _>>(),
            shapes: super::shapes(),
            tables: Vec::new(),
            games: Vec::new(),
        }
    }

    fn add_run(&mut self, files: &[TableFile], manifest: &Value, sizes: &Sizes) -> Result<()> {
        let (mut picker, config) = (None, &manifest["config"]);
        let results = files.iter().find(|file| is_results(file));
        if let Some(results) = results.filter(|results| results.rows() != Some(0)) {
            let (name, summary) = (player_name(config), &manifest["summary"]);
            let played = ConditionGames { name, results, config, summary };
            self.outcome = compare_conditions(&[played])?;
            if files.iter().any(is_log) {
                picker = Some(Picker::new(results, config, sizes.placements)?);
            }
        }
        for file in files {
            let picker = picker.as_mut().filter(|_| is_log(file));
            self.tables.push(Table::read(file, sizes.rows, picker)?);
        }
        self.games.extend(picker.map(|picker| picker.games(usize::MAX)).unwrap_or_default());
        Ok(())
    }

    fn add_plain_tables(&mut self, tables: &[TableFile], sizes: &Sizes) -> Result<()> {
        for table in tables {
            let is_course = table.table() != "population";
            let most = if is_course { sizes.rows.max(MIN_CURVE_ROWS) } else { sizes.rows };
            self.tables.push(Table::read_plain(table, most)?);
        }
        Ok(())
    }

    /// Adds a study's results and some of its games to the page; returns the number of all games.
    fn add_conditions(
        &mut self,
        conditions: &[CompleteCondition],
        sizes: &Sizes,
    ) -> Result<Option<u64>> {
        let played: Vec<ConditionGames> =
            conditions.iter().map(CompleteCondition::played).collect();
        self.outcome = compare_conditions(&played)?;
        // The conditions together get as many placements as the page of a single run.
        let placements = sizes.placements.div_ceil(conditions.len().max(1));
        for condition in conditions {
            let config = &condition.manifest["config"];
            if self.controller.is_none() {
                self.controller = controller(config);
            }
            for file in condition.files.iter().filter(|file| is_log(file)) {
                let mut picker = Picker::new(&condition.results, config, placements.max(200))?;
                picker.read(file)?;
                for mut game in picker.games(2) {
                    game.condition = Some(condition.label.clone());
                    self.games.push(game);
                }
            }
        }
        Ok(conditions.iter().map(|condition| condition.results.rows()).sum())
    }
}

struct CompleteCondition {
    label: String,
    manifest: Value,
    files: Vec<TableFile>,
    results: TableFile,
}

impl CompleteCondition {
    fn new(label: String, folder: &Path, manifest: Value) -> Result<CompleteCondition> {
        let files = files(folder, &manifest)?;
        let results = files.iter().find(|file| is_results(file)).cloned();
        let results = results.unwrap_or_else(|| TableFile::finished(&folder.join("games.csv")));
        Ok(CompleteCondition { label, manifest, files, results })
    }

    fn played(&self) -> ConditionGames<'_> {
        let CompleteCondition { label, manifest, results, .. } = self;
        let (config, summary) = (&manifest["config"], &manifest["summary"]);
        ConditionGames { name: label.clone(), results, config, summary }
    }
}

fn version_note(manifest: &Value) -> Option<String> {
    let written = manifest["version"].as_str().filter(|version| *version != VERSION)?;
    Some(format!("Written by version {written} of the program, drawn by version {VERSION}."))
}

fn controller(config: &Value) -> Option<Value> {
    Some(config["controller"].clone()).filter(Value::is_object)
}

fn player_name(config: &Value) -> String {
    let name =
        controller(config).and_then(|controller| Some(controller["name"].as_str()?.to_owned()));
    let players = || {
        config["declarers"]
            .as_array()
            .map(|all| all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
    };
    name.or_else(players).unwrap_or_else(|| "games".to_owned())
}

fn files(folder: &Path, manifest: &Value) -> Result<Vec<TableFile>> {
    let entries = manifest["files"].as_array().into_iter().flatten();
    let entries = entries.filter_map(|file| Some((file["name"].as_str()?, file["rows"].as_u64())));
    let entries = entries.filter(|(name, _)| LogFormat::of_file(name).is_ok());
    let file = |(name, rows): (&str, Option<u64>)| {
        let path = folder.join(name);
        check_recorded(&path)?;
        Ok(TableFile::finished(&path).with_rows(rows))
    };
    entries.map(file).collect()
}

fn is_results(file: &TableFile) -> bool {
    ["games", "matches"].contains(&file.table())
}

fn is_log(file: &TableFile) -> bool {
    file.table() == "placements"
}

fn title(folder: &Path) -> Result<String> {
    let path = folder.join("datapackage.json");
    let package: Value = if path.is_file() { read_manifest(&path)? } else { Value::Null };
    Ok(package["title"].as_str().map_or_else(|| folder_name(folder), str::to_owned))
}

fn folder_name(folder: &Path) -> String {
    let whole = folder.canonicalize();
    let path = whole.as_deref().unwrap_or(folder);
    printable(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy(), 80)
}

/// Returns short names for a study's runs, and the common end of their folder names in words.
fn condition_labels(folders: &[String]) -> (Vec<String>, String) {
    let numbered = |folder: &str| {
        let (number, label) = folder.split_once('-')?;
        number.parse::<u32>().is_ok().then(|| label.to_owned())
    };
    let names: Vec<String> =
        folders.iter().map(|folder| numbered(folder).unwrap_or_else(|| folder.clone())).collect();
    let mut common = String::new();
    let ends_so =
        |name: &String, end: &str| name.strip_suffix(end).is_some_and(|rest| !rest.is_empty());
    if let Some(first) = names.first().filter(|_| names.len() > 1) {
        let ends = first.match_indices('-').map(|(index, _)| &first[index..]);
        let found = ends.into_iter().find(|end| names.iter().all(|name| ends_so(name, end)));
        common = found.unwrap_or_default().to_owned();
    }
    let short = |name: &String| name.strip_suffix(&*common).unwrap_or(name).to_owned();
    let seed = |word: &str| word.strip_prefix('s').and_then(|seed| seed.parse::<u64>().ok());
    let word = |word| seed(word).map_or_else(|| word.to_owned(), |seed| format!("seed {seed}"));
    let words = common.split('-').filter(|word| !word.is_empty()).map(word);
    (names.iter().map(short).collect(), words.collect::<Vec<_>>().join(", "))
}

pub(super) struct UnfinishedWork {
    state: Value,
    /// Tables of the unfinished work, read up to the position at its last checkpoint.
    pub(super) tables: Vec<TableFile>,
}

impl UnfinishedWork {
    /// Reads the unfinished run, training or estimate in `folder`; returns `None` if there is none.
    /// Fails if the unfinished work is a copy of a run.
    pub(super) fn read(folder: &Path) -> Result<Option<UnfinishedWork>> {
        if !has_checkpoint(folder)? {
            return Ok(None);
        }
        let state = checkpoint_state(folder)?;
        if state["state"]["files"].is_array() {
            return Err(Error::Config(format!(
                "{} is an unfinished copy of a run: give its command again to complete it, \
                 then view it",
                folder.display()
            )));
        }
        let cursors: Vec<TableCursor> = serde_json::from_value(state["tables"].clone())
            .map_err(|error| unknown(folder, &error.to_string()))?;
        let tables = cursors
            .iter()
            .map(|cursor| TableFile::at_cursor(folder, cursor))
            .collect::<Result<Vec<_>>>()?;
        let is_open = tables.iter().any(|table| !table.path().ends_with(table.name()));
        Ok(is_open.then_some(UnfinishedWork { state, tables }))
    }

    pub(super) fn config(&self) -> &Value {
        &self.state["config"]
    }

    fn is_training(&self) -> bool {
        self.state["kind"] == "training"
    }

    pub(super) fn is_estimate(&self) -> bool {
        self.state["kind"] == "estimate"
    }

    pub(super) fn manifest(&self) -> Value {
        let keys = ["version", "config"];
        let entry = |key: &str| Some((key.to_owned(), self.state.get(key)?.clone()));
        let known: Map<String, Value> = keys.into_iter().filter_map(entry).collect();
        json!(known)
    }

    pub(super) fn results(&self) -> Option<&TableFile> {
        self.tables.iter().find(|table| ["games", "matches"].contains(&table.table()))
    }

    /// Describes the progress of unfinished work, for example `37 of 200 games`.
    pub(super) fn progress(&self) -> String {
        match (self.results().or(self.tables.first()), self.is_training()) {
            (None, _) => "nothing yet".to_owned(),
            (Some(table), true) => format!("{} generations", table.rows().unwrap_or_default()),
            (Some(table), false) => {
                progress(table.table(), table.rows().unwrap_or_default(), self.config())
            }
        }
    }
}

/// Returns text such as `37 of 200 games` that says how much of a run is done.
pub(super) fn progress(units: &str, rows: u64, config: &Value) -> String {
    // A shard plays fewer units than the configuration of the whole run says.
    let all = config[units].as_u64().filter(|_| config["shard"].is_null());
    all.map_or_else(|| format!("{rows} {units}"), |all| format!("{rows} of {all} {units}"))
}

fn resume_sentence(state: &Value, folder: &Path) -> String {
    match resume_command(&state["settings"], folder) {
        Some(command) => format!("To resume: tetrastat {command}"),
        None => "The command that started it resumes it.".to_owned(),
    }
}

fn unknown(folder: &Path, problem: &str) -> Error {
    let (shown, remedy) = (folder.display(), restart_advice(folder));
    Error::Config(format!("the checkpoint in {shown} is not understood ({problem}): {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_called_by_what_tells_them_apart() {
        let of = |folders: &[&str]| {
            let folders: Vec<String> = folders.iter().map(|&folder| folder.to_owned()).collect();
            let (names, common) = condition_labels(&folders);
            (names.join(" "), common)
        };
        let pair = |names: &str, common: &str| (names.to_owned(), common.to_owned());
        assert_eq!(
            of(&["001-bcts-10x10-s1", "002-el-tetris-10x10-s1"]),
            pair("bcts el-tetris", "10x10, seed 1")
        );
        assert_eq!(
            of(&["001-bcts-10x10-s1", "002-bcts-10x20-s1"]),
            pair("bcts-10x10 bcts-10x20", "seed 1")
        );
        assert_eq!(of(&["001-bcts-10x10-s1"]), pair("bcts-10x10-s1", ""));
        assert_eq!(of(&["mine-s1", "s1"]), pair("mine-s1 s1", ""));
        assert_eq!(of(&[]), pair("", ""));
    }
}
