//! What a folder holds, read for its page.

use std::path::Path;

use serde_json::{Map, Value};

use super::games::{Picker, ShownGame};
use super::outcome::{Played, outcome};
use super::tables::Table;
use super::{FolderKind, Page, Sizes, facts};
use crate::error::{Error, Result, printable};
use crate::record::{LogFormat, has_checkpoint, is_study, read_manifest, read_table};

/// Reads a folder of any kind.
pub(super) fn read(folder: &Path, sizes: &Sizes) -> Result<Page> {
    let has = |name: &str| folder.join(name).is_file();
    if is_study(folder) {
        return study(
            folder,
            sizes,
            if has("reproduced.csv") { FolderKind::Reproduction } else { FolderKind::Study },
        );
    }
    if has("run.json") {
        return run(folder, sizes);
    }
    for (kind, name) in
        [(FolderKind::Training, "train.json"), (FolderKind::Estimate, "estimate.json")]
    {
        if has(name) {
            return reported(folder, sizes, kind, name);
        }
    }
    let shown = folder.display();
    Err(Error::Config(if has_checkpoint(folder)? {
        format!("{shown} is unfinished: go on with the command that began it, then look at it")
    } else {
        format!(
            "{shown} holds no run, study, training or estimate: give the folder that a command wrote"
        )
    }))
}

/// The page of one run.
fn run(folder: &Path, sizes: &Sizes) -> Result<Page> {
    let manifest: Value = read_manifest(&folder.join("run.json"))?;
    let config = &manifest["config"];
    let mut page = Page::new(FolderKind::Run, title(folder)?, &manifest);
    match manifest["status"].as_str() {
        Some("complete") => {}
        Some("interrupted") => {
            page.notes.push("The run was stopped: games are missing or cut off.".to_owned())
        }
        _ => page.notes.push("The run failed: games are missing or cut off.".to_owned()),
    }
    let files = files(&manifest);
    let results = files.iter().find(|file| is_one_of(file, &["games", "matches"]));
    let mut picker = None;
    if let Some(results) = results {
        let results = folder.join(results);
        let played = Played { name: who(config), results: &results, config };
        page.outcome = outcome(&[played])?;
        if files.iter().any(|file| is_one_of(file, &["placements"])) {
            picker = Some(Picker::new(&results, config, sizes.placements)?);
        }
    }
    page.read_tables(folder, &files, picker, sizes)?;
    Ok(page)
}

/// The page of a study, of whose conditions each has the folder of a run.
fn study(folder: &Path, sizes: &Sizes, kind: FolderKind) -> Result<Page> {
    let conditions = Table::read(&folder.join("conditions.csv"), usize::MAX)?;
    let text = |name: &str| -> Vec<String> {
        let texts = |values: &Vec<Value>| {
            values.iter().map(|value| value.as_str().unwrap_or_default().to_owned()).collect()
        };
        conditions.column(name).map(texts).unwrap_or_default()
    };
    let (folders, states) = (text("folder"), text("status"));
    let mut page = Page::new(kind, format!("study {}", named(folder)), &Value::Null);
    let complete: Vec<&String> = folders
        .iter()
        .zip(&states)
        .filter(|(_, state)| *state == "complete")
        .map(|(folder, _)| folder)
        .collect();
    if complete.len() < folders.len() {
        let (done, all) = (complete.len(), folders.len());
        page.notes
            .push(format!("{done} of {all} conditions are complete; the others are not shown."));
    }
    let mut manifests: Vec<(String, Value)> = Vec::new();
    for name in complete {
        manifests.push((name.clone(), read_manifest(&folder.join(name).join("run.json"))?));
    }
    if let Some((_, first)) = manifests.first() {
        page.facts =
            facts::facts(first).into_iter().filter(|(group, _)| group == "Circumstances").collect();
    }
    page.of_conditions(folder, &manifests, sizes)?;
    let others =
        [("reproduced.csv", sizes.rows), ("conditions.csv", usize::MAX), ("games.csv", sizes.rows)];
    let mut tables = Vec::new();
    for (name, most) in others {
        if folder.join(name).is_file() {
            tables.push(Table::read(&folder.join(name), most)?);
        }
    }
    page.tables.splice(0..0, tables);
    Ok(page)
}

/// The page of a training or an estimate, whose report is a JSON file beside tables.
fn reported(folder: &Path, sizes: &Sizes, kind: FolderKind, name: &str) -> Result<Page> {
    let manifest: Value = read_manifest(&folder.join(name))?;
    let word = if kind == FolderKind::Training { "training" } else { "estimate" };
    let mut page = Page::new(kind, format!("{word} {}", named(folder)), &manifest);
    if kind == FolderKind::Training && manifest["status"] != "complete" {
        page.notes.push("The training did not come to its end.".to_owned());
    }
    let mut files: Vec<String> = Vec::new();
    let reading = |e| Error::io("reading", folder, e);
    for entry in std::fs::read_dir(folder).map_err(reading)? {
        let name = entry.map_err(reading)?.file_name().to_string_lossy().into_owned();
        if LogFormat::of_file(&name).is_ok() {
            files.push(name);
        }
    }
    files.sort();
    for name in files {
        // The course of a training is a line: all of it.
        page.tables.push(Table::read_plain(&folder.join(name), sizes.rows.max(10_000))?);
    }
    page.report = Some(manifest);
    Ok(page)
}

impl Page {
    fn new(kind: FolderKind, title: String, manifest: &Value) -> Page {
        const PLAYED: [&str; 9] = [
            "game",
            "board",
            "rules",
            "search",
            "queue",
            "seed",
            "mode",
            "start",
            "clear_on_overflow",
        ];
        let config = &manifest["config"];
        let entry = |name: &&str| Some(((*name).to_owned(), config.get(*name)?.clone()));
        Page {
            kind,
            title,
            notes: Vec::new(),
            facts: facts::facts(manifest),
            outcome: None,
            report: None,
            controller: controller(config),
            config: PLAYED.iter().filter_map(entry).collect::<Map<_, _>>(),
            shapes: super::shapes(),
            tables: Vec::new(),
            games: Vec::new(),
        }
    }

    /// Reads some rows of each table, and the placements of some games.
    fn read_tables(
        &mut self,
        folder: &Path,
        files: &[String],
        mut picker: Option<Picker>,
        sizes: &Sizes,
    ) -> Result<()> {
        for name in files {
            let mut table = Table::new(name);
            let is_log = is_one_of(name, &["placements"]);
            read_table(&folder.join(name), |columns, rows| {
                table.take(columns, &rows, sizes.rows);
                if let Some(picker) = picker.as_mut().filter(|_| is_log) {
                    picker.take(columns, &rows);
                }
                Ok(())
            })?;
            self.tables.push(table);
        }
        self.games.extend(picker.map(Picker::games).unwrap_or_default());
        Ok(())
    }

    /// What the conditions of a study came to, and the first game of each that was logged.
    fn of_conditions(
        &mut self,
        folder: &Path,
        manifests: &[(String, Value)],
        sizes: &Sizes,
    ) -> Result<()> {
        let results: Vec<_> = manifests
            .iter()
            .map(|(name, manifest)| {
                let files = files(manifest);
                let results = files.into_iter().find(|file| is_one_of(file, &["games", "matches"]));
                folder.join(name).join(results.unwrap_or_else(|| "games.csv".to_owned()))
            })
            .collect();
        let played: Vec<Played> = manifests
            .iter()
            .zip(&results)
            .map(|((name, manifest), results)| Played {
                name: label(name).to_owned(),
                results,
                config: &manifest["config"],
            })
            .collect();
        self.outcome = outcome(&played)?;
        // All conditions share what a run of its own has.
        let placements = sizes.placements.div_ceil(manifests.len().max(1));
        for ((name, manifest), results) in manifests.iter().zip(&results) {
            let config = &manifest["config"];
            if self.controller.is_none() {
                self.controller = controller(config);
            }
            for file in files(manifest).iter().filter(|file| is_one_of(file, &["placements"])) {
                let mut picker = Picker::new(results, config, placements.max(200))?;
                read_table(&folder.join(name).join(file), |columns, rows| {
                    picker.take(columns, &rows);
                    Ok(())
                })?;
                let of =
                    |game: ShownGame| ShownGame { condition: Some(label(name).to_owned()), ..game };
                self.games.extend(picker.games().into_iter().take(2).map(of));
            }
        }
        Ok(())
    }
}

/// The controller, in one form for all games: name and weights.
fn controller(config: &Value) -> Option<Value> {
    match &config["controller"] {
        Value::Object(_) => Some(config["controller"].clone()),
        Value::String(name) => {
            let mut entry = Map::new();
            entry.insert("name".to_owned(), Value::String(name.clone()));
            for key in ["source", "measured", "tie", "weights"] {
                entry.insert(key.to_owned(), config[key].clone());
            }
            Some(Value::Object(entry))
        }
        _ => None,
    }
}

/// Who played, in a word or two.
fn who(config: &Value) -> String {
    let name =
        controller(config).and_then(|controller| Some(controller["name"].as_str()?.to_owned()));
    let players = || {
        config["declarers"]
            .as_array()
            .map(|all| all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
    };
    name.or_else(players).unwrap_or_else(|| "games".to_owned())
}

/// The tables that a manifest names.
fn files(manifest: &Value) -> Vec<String> {
    let names = manifest["files"].as_array().into_iter().flatten();
    let names = names.filter_map(|file| file["name"].as_str());
    // A name with a way in it is of no run.
    names.filter(|name| !name.contains(['/', '\\'])).map(str::to_owned).collect()
}

fn is_one_of(file: &str, tables: &[&str]) -> bool {
    tables.contains(&file.split('.').next().unwrap_or_default())
}

/// The title that the folder's data package has.
fn title(folder: &Path) -> Result<String> {
    let path = folder.join("datapackage.json");
    let package: Value = if path.is_file() { read_manifest(&path)? } else { Value::Null };
    Ok(package["title"].as_str().map_or_else(|| named(folder), str::to_owned))
}

/// A folder's own name.
fn named(folder: &Path) -> String {
    let whole = folder.canonicalize();
    let path = whole.as_deref().unwrap_or(folder);
    printable(&path.file_name().unwrap_or(path.as_os_str()).to_string_lossy(), 80)
}

/// A condition's folder without its number.
fn label(folder: &str) -> &str {
    folder
        .split_once('-')
        .filter(|(number, _)| number.parse::<u32>().is_ok())
        .map_or(folder, |(_, label)| label)
}
