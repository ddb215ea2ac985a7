//! Checks of the documents: links have targets, the program accepts every command shown, and stated
//! counts and names are correct.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tetrastat::features::REGISTRY;
use tetrastat::features::guideline::TERMS;
use tetrastat::queue::{QUEUE_FORMS, QUEUE_NAMES};
use tetrastat::study::AXES;

use crate::common::{tetrastat, text};

/// Root folder of the repository.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Adds the Markdown files of a folder, each with its text.
fn add_pages(folder: &Path, pages: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "md") {
            pages.push((path.clone(), fs::read_to_string(path).unwrap()));
        }
    }
}

/// Returns every page of the repository with its text.
fn pages() -> Vec<(PathBuf, String)> {
    let folders = [
        "",
        "data",
        "data/training",
        "data/estimates",
        "data/reproduced",
        "data/sample",
        "analysis",
    ];
    let mut pages = Vec::new();
    for folder in folders {
        add_pages(&Path::new(ROOT).join(folder), &mut pages);
    }
    let docs = Path::new(ROOT).join("docs");
    add_pages(&docs, &mut pages);
    for entry in fs::read_dir(docs).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_pages(&path, &mut pages);
        }
    }
    assert!(pages.len() > 25, "{}", pages.len());
    pages
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
fn links_have_targets() {
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

/// The words of `docs/reference/sources.md` by which a source is named: the first of each key.
fn source_keys() -> Vec<String> {
    let page = fs::read_to_string(Path::new(ROOT).join("docs/reference/sources.md")).unwrap();
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

/// Reads a page of the repository.
fn page(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

/// Returns a small number as an English word.
fn spelled(count: usize) -> &'static str {
    [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve", "thirteen",
    ][count]
}

/// Counts the files in a folder of the repository whose names end with `ending`.
fn count_files(folder: &str, ending: &str) -> usize {
    let entries = fs::read_dir(Path::new(ROOT).join(folder)).unwrap();
    entries
        .filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().ends_with(ending))
        .count()
}

/// The counts stated in pages must be correct.
#[test]
fn stated_counts_are_correct() {
    let presets = tetrastat::controller::PRESETS;
    let (features, controllers) = (REGISTRY.len(), presets.len());
    let published = presets.iter().filter(|preset| !preset.name.starts_with("tetrastat")).count();
    // The script queue and `weights:...` are not in `QUEUE_NAMES`. `bag:...` counts as a bag.
    let queues = spelled(QUEUE_NAMES.len() + 3);
    let rules = spelled(names_of_option("features", "--rules").len());
    let vignettes = spelled(count_files("analysis/vignettes", ".Rmd"));
    let examples = spelled(count_files("examples", ".rs"));
    let evidence = page("docs/reference/evidence.md");
    let (_, table) = evidence.split_once("| condition | games |").unwrap();
    // The line below the header is not a row.
    let conditions = table.lines().skip(1).take_while(|line| line.starts_with('|')).count() - 1;
    let stated = [
        ("README.md", format!("has {features} features,")),
        (
            "README.md",
            format!("Of its {controllers} controllers, {published} are from published work."),
        ),
        ("README.md", format!("with {rules} rule sets, {queues} piece queues")),
        ("README.md", format!("reports and {vignettes} vignettes")),
        ("README.md", format!("{examples} one-page programs")),
        ("README.md", format!("of its {conditions} conditions")),
        ("docs/reference/settings.md", format!("| features | {features} entries")),
        ("docs/reference/settings.md", format!("| controllers | {controllers} presets")),
        ("docs/reference/output.md", format!("reports and {vignettes} vignettes")),
        ("analysis/README.md", format!("lists {vignettes} questions")),
    ];
    for (path, words) in stated {
        assert!(page(path).contains(&words), "{path} does not say '{words}'");
    }
}

/// Returns the words between backticks.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// Returns the output of `--help`, with each run of blanks as one.
fn help(command: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = tetrastat(folder.path(), &[command, "--help"]);
    text(&output.stdout).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the names between backticks in the help of an option, up to the default.
fn names_of_option(command: &str, option: &str) -> BTreeSet<String> {
    let help = help(command);
    let (_, about) =
        help.split_once(&format!(" {option} <")).unwrap_or_else(|| panic!("{option}: {help}"));
    quoted(about.split("[default").next().unwrap())
}

/// Returns the names between backticks in a row of a page's table.
fn names_of_row(path: &str, row: &str) -> BTreeSet<String> {
    let page = page(path);
    let start = format!("| {row} | ");
    let line = page.lines().find_map(|line| line.strip_prefix(&start));
    quoted(line.unwrap_or_else(|| panic!("{path} has no row {row}")).split(" | ").next().unwrap())
}

#[test]
fn lists_of_names_are_those_of_the_program() {
    let names =
        |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(
        names_of_option("features", "--rules"),
        names_of_row("docs/reference/settings.md", "rules")
    );
    assert_eq!(
        names_of_option("simulate", "--search"),
        names_of_row("docs/reference/settings.md", "searches")
    );
    let queues: BTreeSet<String> = QUEUE_NAMES
        .iter()
        .chain(&QUEUE_FORMS)
        .chain(&["script"])
        .map(|name| (*name).to_owned())
        .collect();
    assert_eq!(names_of_option("simulate", "--queue"), queues);
    assert_eq!(names_of_row("docs/reference/settings.md", "queues"), queues);

    let axes: Vec<&str> = AXES.iter().map(|(axis, _)| *axis).collect();
    let study = help("study");
    assert!(
        study.contains(&format!("a list under a plural name ({}) is an axis", axes.join(", "))),
        "{study}"
    );
    let page_of_studies = page("docs/how-to/studies.md");
    let (_, sentence) = page_of_studies.split_once("every combination of the axes").unwrap();
    let (sentence, _) = sentence.split_once("in this order").unwrap();
    let stated: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
    assert_eq!(stated, axes);

    let train = help("train");
    let (_, method) = train.split_once("Optimiser: ").unwrap();
    let optimisers = quoted(method.split("[default").next().unwrap());
    assert_eq!(optimisers, names(&["cem", "ga", "snes", "cmaes", "vdcmaes", "td"]));
    let page_of_training = page("docs/how-to/train-a-controller.md");
    let (_, rows) = page_of_training.split_once("| optimiser | method |").unwrap();
    assert_eq!(quoted(rows.split("\n\n").next().unwrap()), optimisers);
}

/// README.md must name every command, and no others.
#[test]
fn every_command_has_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let output = tetrastat(folder.path(), &["--help"]);
    let help = text(&output.stdout);
    let (commands, _) = help.split_once("\nOptions:\n").unwrap();
    let is_name = |line: &&str| line.starts_with("  ") && !line.starts_with("   ");
    let commands =
        commands.lines().filter(is_name).map(|line| line.split_whitespace().next().unwrap());
    let for_shells = ["completions", "man", "help"];
    let commands: BTreeSet<String> =
        commands.filter(|name| !for_shells.contains(name)).map(str::to_owned).collect();
    assert!(commands.len() > 15, "{commands:?}");
    let readme = page("README.md");
    let (_, table) = readme.split_once("## What it does").unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let named = rows.flat_map(|row| quoted(&format!("`{}", row.split(" | ").next().unwrap())));
    let named: BTreeSet<String> =
        named.map(|words| words.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(named, commands);
}

/// Returns the files that a page states between the texts `from` and `to`, without extensions.
fn stated_files(path: &str, from: &str, to: &str) -> BTreeSet<String> {
    let page = page(path).split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, sentence) = page.split_once(from).unwrap_or_else(|| panic!("{path}: {from}"));
    let (sentence, _) = sentence.split_once(to).unwrap_or_else(|| panic!("{path}: {to}"));
    let files =
        quoted(sentence).into_iter().filter_map(|word| Some(word.split_once('.')?.0.to_owned()));
    files.collect()
}

#[test]
fn folders_contain_the_stated_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = "controllers = ['bcts', 'dt20']\nboards = ['6x8']\ngames = 4\nplacements = 'csv'";
    fs::write(folder.path().join("s.toml"), file).unwrap();
    let train = "train cem --features holes --board 6x8 --population 4 --elite 2 --games 2 \
                 --generations 2 --finalists 1 --final-games 2 --held-out-games 10 \
                 --population-log --out training";
    let kinds = [
        (
            "simulate --board 6x8 --games 2 --placements csv --out run",
            "run",
            "docs/reference/output.md",
            "A run folder holds these files:",
            "The other kinds of folders:",
        ),
        (
            "study s.toml --out study",
            "study",
            "docs/how-to/studies.md",
            "## Files of a study",
            "Parquet tables have",
        ),
        (
            train,
            "training",
            "docs/how-to/train-a-controller.md",
            "## Files of a training",
            "## Related pages",
        ),
    ];
    for (command, kind, path, from, to) in kinds {
        let args: Vec<&str> = command.split(' ').collect();
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{command}: {}", text(&output.stderr));
        let entries = fs::read_dir(folder.path().join(kind)).unwrap().map(Result::unwrap);
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        let there: BTreeSet<String> = files
            .map(|entry| entry.path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(there, stated_files(path, from, to), "{path}");
    }
}

/// Numbers are not checked here: `docs/gallery/build` computes them. This test finds pages that are
/// incomplete or that no reader can reach.
#[test]
fn gallery_pages_have_an_answer_a_figure_and_a_command() {
    let folder = Path::new(ROOT).join("docs/gallery");
    let (index, site) = (page("docs/gallery/index.md"), page("mkdocs.yml"));
    let entries = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let sources = entries.filter(|path| path.extension().is_some_and(|kind| kind == "Rmd"));
    let names: Vec<String> =
        sources.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        assert!(folder.join(format!("{name}.sh")).is_file(), "{name}");
        assert!(index.contains(&format!("({name}.md)")), "{name}");
        assert!(site.contains(&format!(": gallery/{name}.md\n")), "{name}");
        let page = page(&format!("docs/gallery/{name}.md"));
        let command = format!("docs/gallery/build {name} ");
        let parts = ["**Answer.**", "## How it was measured", &command, "## What it does not show"];
        assert!(parts.iter().all(|part| page.contains(part)), "{name}");
        assert!(page.contains("second seed") || page.contains("both seeds"), "{name}");
        let figure = links(&page).into_iter().find(|link| link.starts_with("pictures/"));
        let figure = folder.join(figure.unwrap_or_else(|| panic!("{name} has no figure")));
        assert!(figure.is_file(), "{name}: {}", figure.display());
        assert!(!page.contains("NA to NA") && !page.contains("NaN"), "{name}");
    }
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
    let index = page("docs/gallery/index.md");
    let headlines = [
        ("misdrops", ["leaves bcts 5 %", "lee 52 %"]),
        ("transfer", ["from 0.85", "to 0.24 times"]),
        ("queues", ["about 21 times", "lee 2.5 times"]),
    ];
    for (name, headlines) in headlines {
        let page = page(&format!("docs/gallery/{name}.md"));
        let (_, answer) = page.split_once("**Answer.**").unwrap();
        let estimates = estimates_with_intervals(answer.split("\n\n").next().unwrap());
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
    let records = page("docs/lab/records.md");
    let (first, _) = records.split_once("## 10x20").unwrap();
    let by_seed = table(&records, "| record | games of each seed |");
    assert!(by_seed.len() >= 5, "{by_seed:?}");
    let evidence = table(&page("docs/reference/evidence.md"), "| preset | seed 2 |");
    assert_eq!(evidence.len(), 3);
    let split = |row: &[String], from: usize, pooled: usize| {
        let seeds: Vec<f64> =
            row[from..pooled].iter().map(|cell| first_number(cell).unwrap()).collect();
        (seeds, row[pooled].clone())
    };
    let pooled_at = |row: &Vec<String>| split(row, 2, 6);
    let rows = by_seed.iter().map(pooled_at).chain(evidence.iter().map(|row| split(row, 1, 6)));
    for (seeds, pooled) in rows {
        let mean = seeds.iter().sum::<f64>() / seeds.len() as f64;
        let stated = first_number(&pooled).unwrap();
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

/// Records of S and Z pieces dealt by chance are compared with policies, each with a row in
/// `published.csv`.
#[test]
fn the_record_of_s_and_z_is_compared_with_policies() {
    let records = page("docs/lab/records.md");
    let published = page("data/published.csv");
    let rows = published.lines().filter(|line| line.starts_with("tetrastat-sz-random,"));
    let scores: BTreeSet<&str> = rows.map(|row| row.split(',').nth(9).unwrap()).collect();
    assert_eq!(scores, BTreeSet::from(["183.2", "219.7", "230.3", "294.8"]));
    let row = records.lines().find(|line| line.starts_with("| S or Z by chance")).unwrap();
    assert!(row.contains("294.8") && !row.contains("220"), "{row}");
    for score in scores {
        assert!(records.contains(&format!("{score} +- ")), "{score}");
    }
}

/// No page may tell users to install a package that is on no package index.
#[test]
fn packages_are_installed_from_the_repository() {
    let mut found = 0;
    for (path, page) in pages() {
        for line in
            page.lines().filter(|line| line.contains("pip install") && line.contains("tetrastat"))
        {
            let (_, what) = line.split_once("pip install ").unwrap();
            assert!(
                !what.trim_start_matches(['\'', '"']).starts_with("tetrastat"),
                "{}: {line}",
                path.display()
            );
            found += 1;
        }
    }
    assert!(found > 0);
    assert!(page("docs/how-to/cluster.md").contains("pip install './python[ray]'"));
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
    let folder = tempfile::tempdir().unwrap();
    let mut found = 0;
    for (path, page) in pages() {
        for mut command in commands(&page) {
            // Placeholders for a user or a shell.
            if command.iter().any(|word| word.contains(['$', '{', '*', '[', '<']) || word == "...")
            {
                continue;
            }
            command.push("--help".to_owned());
            let args: Vec<&str> = command.iter().map(String::as_str).collect();
            let output = tetrastat(folder.path(), &args);
            let message = text(&output.stderr);
            assert!(
                output.status.success(),
                "{}: tetrastat {}: {message}",
                path.display(),
                args.join(" ")
            );
            found += 1;
        }
    }
    assert!(found > 60, "{found} commands");
}

#[test]
fn wrong_commands_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let page = "```sh\ntetrastat simulate --gmaes 3   # a slip\ntetrastat simulate --games x\n```";
    let mistakes = commands(page);
    assert_eq!(mistakes, [vec!["simulate", "--gmaes", "3"], vec!["simulate", "--games", "x"]]);
    for mistake in mistakes {
        let args: Vec<&str> = mistake.iter().map(String::as_str).chain(["--help"]).collect();
        assert!(!tetrastat(folder.path(), &args).status.success(), "{args:?}");
    }
}

/// The program that states a new version refuses a wrong one before it changes a file.
#[cfg(unix)]
#[test]
fn a_wrong_version_changes_nothing() {
    let folder = crate::common::folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("release")).unwrap();
    fs::copy(Path::new(ROOT).join("release/version"), at("release/version")).unwrap();
    let stated = "version = \"0.3.0\"\n";
    fs::write(at("Cargo.toml"), stated).unwrap();
    for version in ["0.3.1; x", "999999999999999999999.0.0", "1.2", "01.2.3", "0.3.1-rc"] {
        let words = [at("release/version").into_os_string(), version.into()];
        let output = std::process::Command::new("bash").args(words).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(message.contains("give X.Y.Z"), "{message}");
        assert_eq!(fs::read_to_string(at("Cargo.toml")).unwrap(), stated, "{version}");
    }
}
