//! What the documents say: links lead somewhere, and every command that they show is one that the program takes.

use std::fs;
use std::path::{Path, PathBuf};

use tetrastat::features::REGISTRY;
use tetrastat::features::guideline::TERMS;

use crate::common::{tetrastat, text};

/// The top of the repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Every page of ours, with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let folders = [
        "",
        "docs",
        "data",
        "data/training",
        "data/estimates",
        "data/reproduced",
        "data/sample",
        "analysis",
    ];
    let mut pages = Vec::new();
    for folder in folders.map(|folder| Path::new(ROOT).join(folder)) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|kind| kind == "md") {
                pages.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(pages.len() > 15, "{}", pages.len());
    pages
}

/// What stands in round brackets behind square ones, outside of code.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut is_code = false;
    for line in page.lines() {
        is_code ^= line.starts_with("```");
        let parts = line.split("](").skip(usize::from(!is_code)).filter(|_| !is_code);
        links.extend(parts.filter_map(|part| Some(part.split_once(')')?.0.to_owned())));
    }
    links
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    heading
        .trim_start_matches('#')
        .trim()
        .to_lowercase()
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn links_lead_somewhere() {
    let mut found = 0;
    for (path, page) in pages() {
        for link in links(&page) {
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let target =
                if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: nothing at {link}", path.display());
            if !heading.is_empty() {
                let headings = fs::read_to_string(&target).unwrap();
                let has =
                    headings.lines().any(|line| line.starts_with('#') && anchor(line) == heading);
                assert!(has, "{}: no heading {link}", path.display());
            }
            found += 1;
        }
    }
    assert!(found > 60, "{found} links");
}

/// The words of `docs/sources.md` by which a source is named: the first of each key.
fn source_keys() -> Vec<String> {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/sources.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" |"));
    let keys = rows.flat_map(|(keys, _)| keys.split(", ")).map(|key| key.split(' ').next());
    keys.flatten().map(str::to_owned).filter(|key| key != "key").collect()
}

#[test]
fn every_definition_names_a_source() {
    let keys = source_keys();
    assert!(keys.len() > 15, "{keys:?}");
    let features = REGISTRY.iter().map(|feature| (feature.name, feature.source));
    let terms = TERMS.iter().map(|term| (term.name, term.source));
    // A shortcut that many have, and nobody is known to have had first.
    let common = "column-height shortcut seen in re-implementations";
    for (name, source) in features.chain(terms).filter(|(_, source)| *source != common) {
        let mut words = source.split(|c: char| !c.is_alphanumeric() && c != '-');
        let is_named = words.any(|word| keys.iter().any(|key| key == word));
        assert!(is_named, "{name}: no key of docs/sources.md in '{source}'");
    }
}

/// The numbers of features and controllers that two pages name.
#[test]
fn what_is_built_in_is_counted() {
    let (features, presets) = (REGISTRY.len(), tetrastat::controller::PRESETS.len());
    let said = [
        ("README.md", format!("{features} features,")),
        ("README.md", format!("and {presets} controllers, ")),
        ("docs/guide.md", format!("| features | {features} entries")),
        ("docs/guide.md", format!("| controllers | {presets} presets")),
    ];
    for (page, words) in said {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
        assert!(text.contains(&words), "{page} does not say '{words}'");
    }
}

/// The words of a command line, quotations as one; up to a comment, a pipe or another command.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(open) if open == c => quote = None,
            None if c == '"' || c == '\'' => quote = Some(c),
            None if matches!(c, '|' | '>' | ';' | '#')
                && words.last().is_some_and(String::is_empty) =>
            {
                break;
            }
            None if c == ';' => break,
            None if c == ' ' => words.push(String::new()),
            _ => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The commands in blocks of code, lines that end in a backslash joined with the next.
fn commands(page: &str) -> Vec<Vec<String>> {
    let joined = page.replace("\\\n", " ");
    let mut commands = Vec::new();
    let mut is_code = false;
    for line in joined.lines() {
        is_code ^= line.starts_with("```");
        let line = line.trim_start_matches("$ ");
        if let Some(rest) = line.strip_prefix("tetrastat ").filter(|_| is_code) {
            commands.push(words(rest));
        }
    }
    commands
}

/// With `--help` behind it a command is read, its options and their values are checked, and nothing is done.
#[test]
fn commands_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let mut found = 0;
    for (path, page) in pages() {
        for mut command in commands(&page) {
            // What a user puts there, or a shell.
            if command.iter().any(|word| word.contains(['$', '{', '*']) || word == "...") {
                continue;
            }
            command.push("--help".to_owned());
            let args: Vec<&str> = command.iter().map(String::as_str).collect();
            let output = tetrastat(folder.path(), &args);
            let told = text(&output.stderr);
            assert!(
                output.status.success(),
                "{}: tetrastat {}: {told}",
                path.display(),
                args.join(" ")
            );
            found += 1;
        }
    }
    assert!(found > 60, "{found} commands");
}

#[test]
fn a_wrong_command_would_be_seen() {
    let folder = tempfile::tempdir().unwrap();
    let page = "```sh\ntetrastat simulate --gmaes 3   # a slip\ntetrastat simulate --games x\n```";
    let slips = commands(page);
    assert_eq!(slips, [vec!["simulate", "--gmaes", "3"], vec!["simulate", "--games", "x"]]);
    for slip in slips {
        let args: Vec<&str> = slip.iter().map(String::as_str).chain(["--help"]).collect();
        assert!(!tetrastat(folder.path(), &args).status.success(), "{args:?}");
    }
}
