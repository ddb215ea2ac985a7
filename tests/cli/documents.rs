//! Checks of the documents: links have targets, the program accepts every command shown, and stated
//! counts and names are correct.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tetrastat::features::REGISTRY;
use tetrastat::features::guideline::TERMS;
use tetrastat::queue::{QUEUE_FORMS, QUEUE_NAMES};
use tetrastat::study::AXES;

use crate::common::{document, entries, folder, run, tetrastat, text};

/// Root folder of the repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Returns every page of the repository with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let folders = "|data|data/training|data/estimates|data/reproduced|data/sample|analysis|docs";
    let mut folders: Vec<_> = folders.split('|').map(|name| Path::new(ROOT).join(name)).collect();
    folders.extend(entries(&Path::new(ROOT).join("docs")).into_iter().filter(|path| path.is_dir()));
    let mut paths: Vec<_> = folders.iter().flat_map(|folder| entries(folder)).collect();
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "md"));
    assert!(paths.len() > 25, "{}", paths.len());
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).unwrap())).collect()
}

/// Returns the targets of Markdown links outside of code blocks.
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

/// Returns the anchor of a heading, as GitHub forms it.
fn anchor(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    let heading = heading.trim_start_matches('#').trim().to_lowercase();
    heading.chars().filter(kept).collect::<String>().replace(' ', "-")
}

#[test]
fn links_have_targets() {
    let mut found = 0;
    for (path, page) in pages() {
        for link in links(&page).iter().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let beside = path.parent().unwrap().join(file);
            let target = if file.is_empty() { &path } else { &beside };
            assert!(target.exists(), "{}: nothing at {link}", path.display());
            if !heading.is_empty() {
                let page = fs::read_to_string(target).unwrap();
                let mut headings = page.lines().filter(|line| line.starts_with('#')).map(anchor);
                assert!(headings.any(|a| a == heading), "{}: no heading {link}", path.display());
            }
            found += 1;
        }
    }
    assert!(found > 60, "{found} links");
}

/// Sources that a page names must exist: each `.rs` path ends the path of a file.
#[test]
fn named_sources_exist() {
    fn sources(folder: &Path, found: &mut Vec<String>) {
        for path in entries(folder) {
            if path.is_dir() && !path.ends_with("target") {
                sources(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                found.push(format!("/{}", path.strip_prefix(ROOT).unwrap().display()));
            }
        }
    }
    let mut files = Vec::new();
    let roots = "src|terminal|liap|python|wasm|tests|benches|examples|fuzz";
    roots.split('|').for_each(|root| sources(&Path::new(ROOT).join(root), &mut files));
    let mut pages = pages();
    let own = Path::new(ROOT).join("CONTRIBUTING.md");
    pages.push((own.clone(), fs::read_to_string(own).unwrap()));
    // Logs of experiments name the files of their day.
    pages.retain(|(path, _)| !path.starts_with(Path::new(ROOT).join("docs/lab")));
    let mut named = 0;
    for (path, page) in pages {
        let is_path = |c: char| c.is_alphanumeric() || "_-/.".contains(c);
        for word in
            page.split(|c| !is_path(c)).filter(|word| word.len() > 3 && word.ends_with(".rs"))
        {
            let file = format!("/{}", word.trim_start_matches(['.', '/']));
            let exists = files.iter().any(|other| other.ends_with(&file));
            assert!(exists, "{}: no file {word}", path.display());
            named += 1;
        }
    }
    assert!(named > 40, "{named} names");
}

/// The words of `docs/reference/sources.md` by which a source is named: the first of each key.
fn source_keys() -> Vec<String> {
    let page = document("docs/reference/sources.md");
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
    // A shortcut of many programs, whose origin is unknown.
    let common = "column-height shortcut seen in re-implementations";
    for (name, source) in features.chain(terms).filter(|(_, source)| *source != common) {
        let mut words = source.split(|c: char| !c.is_alphanumeric() && c != '-');
        let is_named = words.any(|word| keys.iter().any(|key| key == word));
        assert!(is_named, "{name}: no key of docs/reference/sources.md in '{source}'");
    }
}

/// Returns a small number as an English word.
fn spelled(count: usize) -> &'static str {
    let words = "no one two three four five six seven eight nine ten eleven twelve thirteen";
    words.split(' ').nth(count).unwrap()
}

/// Counts the files in a folder of the repository whose names end with `ending`.
fn count_files(folder: &str, ending: &str) -> usize {
    let paths = entries(&Path::new(ROOT).join(folder));
    paths.iter().filter(|path| path.to_str().unwrap().ends_with(ending)).count()
}

/// The counts stated in pages must be correct.
#[test]
fn stated_counts_are_correct() {
    let presets = tetrastat::controller::PRESETS;
    let (features, controllers) = (REGISTRY.len(), presets.len());
    let published = presets.iter().filter(|preset| !preset.name.starts_with("tetrastat")).count();
    // The script queue and `weights:...` are not in `QUEUE_NAMES`. `bag:...` counts as a bag.
    let queues = spelled(QUEUE_NAMES.len() + 3);
    let rules = spelled(names_of_option("show board", "--rules").len());
    let vignettes = spelled(count_files("analysis/vignettes", ".Rmd"));
    let examples = spelled(count_files("examples", ".rs"));
    let conditions = table(&document("docs/reference/evidence.md"), "| condition | games |").len();
    let stated = format!(
        "README.md: has {features} features,
README.md: Of its {controllers} controllers, {published} are from published work.
README.md: with {rules} rule sets, {queues} piece queues
README.md: reports and {vignettes} vignettes
README.md: {examples} one-page programs
README.md: of its {conditions} conditions
docs/reference/settings.md: | features | {features} entries
docs/reference/settings.md: | controllers | {controllers} presets
docs/reference/output.md: reports and {vignettes} vignettes
analysis/README.md: lists {vignettes} questions"
    );
    for (path, words) in stated.lines().map(|line| line.split_once(": ").unwrap()) {
        assert!(document(path).contains(words), "{path} does not say '{words}'");
    }
}

/// Returns the words between backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Joins lines and runs of blanks.
fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns what is between two texts.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("no {from} in {text}"));
    rest.split_once(to).map_or(rest, |(inside, _)| inside)
}

/// Returns the output of `--help`, with each run of blanks as one.
fn help(command: &str) -> String {
    let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
    joined(&run(folder().path(), &words))
}

/// Returns the names between backticks in the help of an option, up to the default.
fn names_of_option(command: &str, option: &str) -> BTreeSet<String> {
    quoted(between(&help(command), &format!(" {option} <"), "[default"))
}

/// Returns the names between backticks in a row of a page's table.
fn names_of_row(path: &str, row: &str) -> BTreeSet<String> {
    quoted(between(between(&document(path), &format!("\n| {row} | "), "\n"), "", " | "))
}

#[test]
fn lists_of_names_are_those_of_the_program() {
    let settings = "docs/reference/settings.md";
    assert_eq!(names_of_option("show board", "--rules"), names_of_row(settings, "rules"));
    assert_eq!(names_of_option("simulate", "--search"), names_of_row(settings, "searches"));
    let queues = QUEUE_NAMES.iter().chain(&QUEUE_FORMS).chain(&["script"]);
    let queues: BTreeSet<String> = queues.map(|name| (*name).to_owned()).collect();
    assert_eq!(names_of_option("simulate", "--queue"), queues);
    assert_eq!(names_of_row(settings, "queues"), queues);

    let axes: Vec<&str> = AXES.iter().map(|(axis, _)| *axis).collect();
    let (axes, study) = (axes.join(", "), help("study"));
    assert!(study.contains(&format!("a list under a plural name ({axes}) is an axis")), "{study}");
    let page = document("docs/how-to/studies.md");
    let sentence = between(&page, "every combination of the axes", "in this order");
    let stated: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
    assert_eq!(stated.join(", "), axes);

    let methods = tetrastat::train::METHOD_NAMES.into_iter().chain(["td"]);
    let optimisers: BTreeSet<String> = methods.map(str::to_owned).collect();
    let listed = help("train");
    assert!(optimisers.iter().all(|name| listed.contains(&format!(" {name} "))), "{listed}");
    let page = document("docs/how-to/train-a-controller.md");
    assert_eq!(quoted(between(&page, "| optimiser | method |", "\n\n")), optimisers);
}

/// Returns the estimates of a text that have an interval, such as 5.2 in `5.2 % (4.8 to 5.6 %)`.
fn estimates_with_intervals(text: &str) -> Vec<f64> {
    let parts: Vec<&str> = text.split(" (").collect();
    let is_interval = |part: &str| part.split(')').next().unwrap().contains(" to ");
    let estimates = parts.windows(2).filter(|pair| is_interval(pair[1])).filter_map(|pair| {
        pair[0].trim_end_matches(" %").split_whitespace().last()?.parse::<f64>().ok()
    });
    estimates.collect()
}

/// The highest of several seeds is flattered by luck, so a headline must be pooled over both seeds.
#[test]
fn headlines_of_the_gallery_are_pooled_over_both_seeds() {
    let index = document("docs/gallery/index.md");
    let headlines = [
        ("misdrops", ["leaves bcts 5 %", "lee 52 %"]),
        ("transfer", ["from 0.85", "to 0.24 times"]),
        ("queues", ["about 21 times", "lee 2.5 times"]),
    ];
    for (name, headlines) in headlines {
        let page = document(&format!("docs/gallery/{name}.md"));
        let estimates = estimates_with_intervals(between(&page, "**Answer.**", "\n\n"));
        // Two pooled estimates, then those of the first and of the second seed.
        assert_eq!(estimates.len(), 6, "{name}: {estimates:?}");
        let row = index.lines().find(|line| line.contains(&format!("({name}.md)"))).unwrap();
        for (place, words) in headlines.into_iter().enumerate() {
            let (pooled, seeds) = (estimates[place], [estimates[place + 2], estimates[place + 4]]);
            let mean = (seeds[0] * seeds[1]).sqrt();
            assert!((pooled - mean).abs() <= 0.03 * mean, "{name}: {pooled} of {seeds:?}");
            assert!(row.contains(words), "{row}");
            let number = words.split(' ').find(|word| word.parse::<f64>().is_ok()).unwrap();
            let digits = number.split_once('.').map_or(0, |(_, digits)| digits.len());
            assert_eq!(format!("{pooled:.digits$}"), number, "{name}");
        }
    }
}

/// Parses the first number of a cell, which may have thousands separators.
fn first_number(cell: &str) -> Option<f64> {
    let word = cell.split_whitespace().next()?;
    word.replace(',', "").parse().ok()
}

/// Returns the cells of a page's table whose first line begins with `head`.
fn table(page: &str, head: &str) -> Vec<Vec<String>> {
    let mut lines = page.lines().skip_while(|line| !line.starts_with(head));
    assert!(lines.next().is_some(), "no table '{head}'");
    let rows = lines.skip(1).take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// Results are pooled over several seeds with equally many games each, so the pooled mean must be
/// the mean of the seeds.
#[test]
fn records_are_the_mean_of_the_listed_seeds() {
    let records = document("docs/lab/records.md");
    let (first, _) = records.split_once("## 10x20").unwrap();
    let by_seed = table(&records, "| record | games of each seed |");
    assert!(by_seed.len() >= 5, "{by_seed:?}");
    let evidence = table(&document("docs/reference/evidence.md"), "| preset | seed 2 |");
    assert_eq!(evidence.len(), 3);
    let rows = by_seed.iter().map(|row| (&row[2..6], &row[6]));
    for (seeds, pooled) in rows.chain(evidence.iter().map(|row| (&row[1..6], &row[6]))) {
        let seeds: Vec<f64> = seeds.iter().map(|cell| first_number(cell).unwrap()).collect();
        let mean = seeds.iter().sum::<f64>() / seeds.len() as f64;
        let stated = first_number(pooled).unwrap();
        assert!((mean - stated).abs() <= 1e-3 * stated, "{seeds:?}: {pooled}");
        let (low, high) = pooled.split_once('(').unwrap().1.split_once(" to ").unwrap();
        let [low, high] = [low, high.trim_end_matches([')', '%', ' ', 'M'])]
            .map(|end| first_number(end).unwrap());
        assert!(low < stated && stated < high, "{pooled}");
    }
    for row in &by_seed {
        assert!(first.contains(&row[6]), "the first table does not state {}", row[6]);
    }
}

/// Splits a command line into words, up to a comment, a pipe or another command. A quotation is one
/// word.
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

/// Returns the `tetrastat` commands in code blocks. A line that ends in a backslash continues.
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

/// Appends `--help` to each command, so its options and their values are checked and nothing runs.
#[test]
fn commands_are_accepted() {
    let folder = folder();
    let accepts = |command: &[String]| {
        let args: Vec<&str> = command.iter().map(String::as_str).chain(["--help"]).collect();
        let output = tetrastat(folder.path(), &args);
        (output.status.success(), text(&output.stderr).to_owned())
    };
    let mut found = 0;
    for (path, page) in pages() {
        for command in commands(&page) {
            // Placeholders for a user or a shell.
            if command.iter().any(|word| word.contains(['$', '{', '*', '[', '<']) || word == "...")
            {
                continue;
            }
            let (accepted, message) = accepts(&command);
            assert!(accepted, "{}: tetrastat {command:?}: {message}", path.display());
            found += 1;
        }
    }
    assert!(found > 60, "{found} commands");
    let page = "```sh\ntetrastat simulate --gmaes 3   # a slip\ntetrastat simulate --games x\n```";
    let mistakes = commands(page);
    assert_eq!(mistakes, [["simulate", "--gmaes", "3"], ["simulate", "--games", "x"]]);
    assert!(mistakes.iter().all(|mistake| !accepts(mistake).0));
}
