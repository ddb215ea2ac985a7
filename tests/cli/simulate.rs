//! The real binary on real files: results, bad input, closed pipes and interruption.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{command, entries, folder, manifest, refused, rows, small, tetrastat, text};

#[test]
fn the_default_run_plays_writes_and_can_be_repeated() {
    let folder = folder();
    for number in ["001", "002"] {
        let output = tetrastat(folder.path(), &["simulate", "--max-pieces", "200"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let summary = text(&output.stdout);
        for word in ["bcts", "95 % interval", "exponential", "bootstrap", "pieces/s", "censored"] {
            assert!(summary.contains(word), "{summary}");
        }
        let run = folder.path().join(format!("runs/bcts-10x20-uniform-greedy-{number}"));
        let rows = |name: &str| csv::Reader::from_path(run.join(name)).unwrap().records().count();
        assert_eq!((rows("games.csv"), rows("placements.csv")), (8, 1600));
        let manifest = manifest(&run);
        assert_eq!(manifest["status"], "complete");
        assert_eq!(manifest["files"][1]["rows"], 1600);
        assert_eq!(entries(&run).len(), 4, "tables and their descriptions, no partial file");
    }
}

/// Below ten games that ended there is no bootstrap interval, from ten on one wider than the middle of
/// resampled means; whole medians have no decimals.
#[test]
fn a_summary_offers_the_intervals_that_its_games_allow() {
    let folder = folder();
    let run = |games: &str, format: &str| {
        let args = [
            "simulate",
            "--controller",
            "lee",
            "--board",
            "6x8",
            "--games",
            games,
            "--max-pieces",
            "none",
            "--sample",
            "0",
            "--placements",
            "none",
            "--format",
            format,
        ];
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let few = run("9", "text");
    assert!(
        few.contains("not available (bootstrap-t needs 10 finished games; this run has 9)"),
        "{few}"
    );
    let median = few.split("median ").nth(1).unwrap().split(',').next().unwrap();
    assert!(median.parse::<u64>().is_ok(), "the fifth of nine whole numbers: {median}");
    assert!(run("12", "text").contains("(bootstrap-t over games; assumes only"));
    let json: serde_json::Value = serde_json::from_str(&run("12", "json")).unwrap();
    let summary = &json["summary"];
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let (mean, sd) = (number(&summary["mean"]), number(&summary["sd"]));
    let [low, high] = ["low", "high"].map(|end| number(&summary["bootstrap"][end]));
    let error = sd / 12f64.sqrt();
    assert!(low < mean && mean < high && high - low > 2.0 * 2.2 * 0.9 * error, "{summary}");
    assert!(high - mean > mean - low, "few games of skewed length say less about the upper end");
}

#[test]
fn one_and_two_threads_write_the_same_bytes() {
    for search in ["greedy", "next"] {
        let folder = folder();
        for threads in ["1", "2"] {
            let args = small(&[
                "7",
                "--search",
                search,
                "--threads",
                threads,
                "--out",
                threads,
                "--placements",
                "csv",
            ]);
            assert!(tetrastat(folder.path(), &args).status.success());
        }
        for name in ["games.csv", "placements.csv"] {
            let read = |threads| fs::read(folder.path().join(threads).join(name)).unwrap();
            assert_eq!(read("1"), read("2"), "{search} {name}");
        }
        let files = |threads| manifest(&folder.path().join(threads))["files"].clone();
        assert_eq!(files("1"), files("2"));
        let other = small(&["8", "--search", search, "--out", "other"]);
        assert!(tetrastat(folder.path(), &other).status.success());
        let read = |run| fs::read(folder.path().join(run).join("games.csv")).unwrap();
        assert_ne!(read("1"), read("other"), "another seed plays other games");
    }
}

#[test]
fn json_is_one_object() {
    let folder = folder();
    let output = tetrastat(folder.path(), &small(&["3", "--format", "json", "--out", "run"]));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["run"]["config"]["controller"]["weights"]["holes"], -13.08335);
    assert_eq!(value["summary"]["games"], 6);
    assert!(output.stderr.is_empty(), "no progress when piped");
}

#[test]
fn scripts_that_end_or_are_wrong_are_refused() {
    let folder = folder();
    let fits = ["simulate", "--script", "IOTS", "--max-pieces", "4"];
    assert!(tetrastat(folder.path(), &fits).status.success());
    let cycles = ["simulate", "--script", "OOOOO", "--cycle", "--max-pieces", "100"];
    assert!(tetrastat(folder.path(), &cycles).status.success());
}

#[test]
fn controller_files_are_read_and_their_mistakes_named() {
    let folder = folder();
    let head = "name = 'mine'\nmeasured = 'after-clear'\n[weights]\n";
    for (weights, words) in [
        ("hoels = 1", ["hoels", "holes"]),
        ("holes = 'abc'", ["abc", "finite number"]),
        ("holes = abc", ["line 4", "data/controllers"]),
    ] {
        fs::write(folder.path().join("mine.toml"), format!("{head}{weights}")).unwrap();
        let output = tetrastat(folder.path(), &["simulate", "--controller", "mine.toml"]);
        let message = text(&output.stderr);
        assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
        assert!(
            message.contains("mine.toml") && words.iter().all(|w| message.contains(w)),
            "{message}"
        );
        assert_eq!(entries(folder.path()).len(), 1);
    }
    fs::write(folder.path().join("mine.toml"), format!("{head}holes = -1\nmax_height = -0.5"))
        .unwrap();
    let args = small(&["1", "--controller", "mine.toml", "--out", "run", "--placements", "csv"]);
    assert!(tetrastat(folder.path(), &args).status.success());
    let header = fs::read_to_string(folder.path().join("run/placements.csv")).unwrap();
    assert!(header.lines().next().unwrap().contains(",lost,holes,max_height,h0,"), "{header}");
}

#[test]
fn outputs_are_never_overwritten_unasked() {
    let folder = folder();
    fs::create_dir(folder.path().join("run")).unwrap();
    fs::write(folder.path().join("run/games.csv"), "precious").unwrap();
    // Somebody's own file is no run, and not even --force replaces it.
    for force in [&["1", "--out", "run"][..], &["1", "--out", "run", "--force"]] {
        let output = tetrastat(folder.path(), &small(force));
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("another --out"), "{}", text(&output.stderr));
        assert_eq!(fs::read_to_string(folder.path().join("run/games.csv")).unwrap(), "precious");
    }
    let under_file = small(&["1", "--out", "run/games.csv/deeper"]);
    let output = tetrastat(folder.path(), &under_file);
    assert_eq!((output.status.code(), text(&output.stderr).lines().count()), (Some(2), 1));
}

#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_is_success() {
    let folder = folder();
    let mut child = command(folder.path(), &small(&["1"]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(errors, "");
}

/// A million games take minutes; the run is stopped after a second and a half.
#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_that_ended() {
    let folder = folder();
    let args = [
        "simulate",
        "--board",
        "10x10",
        "--games",
        "1000000",
        "--placements",
        "csv",
        "--every",
        "50",
        "--out",
        "run",
        "--sample",
        "0",
    ];
    let mut child = command(folder.path(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("keeping what is done"));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let run = folder.path().join("run");
    let manifest = manifest(&run);
    assert_eq!(manifest["status"], "interrupted");
    let mut games = csv::Reader::from_path(run.join("games.csv")).unwrap();
    let ended: Vec<String> = games.records().map(|row| row.unwrap()[0].to_owned()).collect();
    assert!(!ended.is_empty(), "a 10x10 game takes a few hundredths of a second");
    assert_eq!(manifest["games"], ended.len());
    let mut placements = csv::Reader::from_path(run.join("placements.csv")).unwrap();
    for row in placements.records() {
        assert!(ended.contains(&row.unwrap()[0].to_owned()));
    }
    assert_eq!(entries(&run).len(), 5, "tables, descriptions and a checkpoint, no partial file");
}

#[test]
fn features_draws_the_board_and_ranks_placements() {
    let folder = folder();
    let picture = "....../....../#.####/#.####";
    let output = tetrastat(
        folder.path(),
        &["features", "--picture", picture, "--piece", "I", "--controller", "dellacherie"],
    );
    let shown = text(&output.stdout);
    assert!(shown.starts_with("......\n......\n#.####\n#.####\n"), "{shown}");
    assert!(shown.lines().any(|line| line.split_whitespace().eq(["wells", "3"])), "{shown}");
    let first = shown.lines().skip_while(|line| !line.contains("best first")).nth(2).unwrap();
    assert!(first.split_whitespace().take(4).eq(["0", "1", "0", "2"]), "{shown}");
    let output = tetrastat(
        folder.path(),
        &["features", "--picture", picture, "--piece", "I", "--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["features"]["wells"], 3.0);
    assert_eq!(json["placements"].as_array().unwrap().len(), 6 + 3);
}

#[test]
fn controllers_lists_and_shows() {
    let folder = folder();
    let list = tetrastat(folder.path(), &["controllers"]);
    assert!(["bcts", "rvce", "unity"].iter().all(|name| text(&list.stdout).contains(name)));
    let one = tetrastat(folder.path(), &["controllers", "bcts"]);
    let shown = text(&one.stdout);
    assert!(shown.contains("record_du.dat") && shown.contains("-24.04087"), "{shown}");
    let unity = tetrastat(folder.path(), &["controllers", "unity"]);
    assert!(text(&unity.stdout).contains("published no weights"));
}

#[test]
fn every_level_plays_the_same_games_and_a_wrong_one_is_refused() {
    let folder = folder();
    let mut tables = Vec::new();
    for level in tetrastat::kernels::Level::available() {
        let name = level.to_string();
        let args = small(&["9", "--simd", &name, "--out", &name, "--placements", "csv"]);
        assert!(tetrastat(folder.path(), &args).status.success());
        let run = folder.path().join(&name);
        assert_eq!(manifest(&run)["simd"], name);
        assert!(manifest(&run)["cpu"].as_str().is_some_and(|cpu| !cpu.is_empty()));
        tables.push(fs::read(run.join("games.csv")).unwrap());
        tables.push(fs::read(run.join("placements.csv")).unwrap());
    }
    assert!(tables.chunks(2).all(|pair| pair == &tables[..2]));
    let other = if cfg!(target_arch = "aarch64") { "avx2" } else { "neon" };
    refused(&["simulate", "--simd", other], &["this CPU has no", other, "use --simd auto"]);
}

#[test]
fn the_environment_forces_a_level() {
    let folder = folder();
    let run = |value: &str| {
        let args = small(&["9", "--out", value, "--placements", "none"]);
        command(folder.path(), &args).env("TETRASTAT_SIMD", value).output().unwrap()
    };
    assert!(run("portable").status.success());
    assert_eq!(manifest(&folder.path().join("portable"))["simd"], "portable");
    let wrong = run("nonsense");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("nonsense"));
}

#[test]
fn bench_prints_a_table_csv_and_json() {
    let folder = folder();
    let bench = |more: &[&str]| {
        let args =
            [&["bench", "--board", "10x10", "--sample-ms", "1", "--repeats", "1"], more].concat();
        let output = tetrastat(folder.path(), &args);
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).to_owned()
    };
    let table = bench(&["--sections", "levels,search"]);
    assert!(
        table.contains("the same at every level") && table.contains("ratio to scalar"),
        "{table}"
    );
    let rows = bench(&["--sections", "features", "--format", "csv"]);
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    let features = reader.records().map(|row| row.unwrap()).collect::<Vec<_>>();
    let own: Vec<_> = features.iter().filter(|row| &row[1] == "wells_guide").collect();
    assert_eq!(own.len(), 2);
    assert!(own.iter().all(|row| row[14].parse::<f64>().is_ok_and(f64::is_finite)), "{own:?}");
    assert!(!features.iter().any(|row| row[1].contains("bcts")), "a case that is no feature");
    // The features of a controller, each left out. Nobody's features are measured otherwise.
    let own = "name = \"own\"\nmeasured = \"after-clear\"\n[weights]\nholes = -4.0\nheight_3 = -1.0\nwells_guide = -0.5\n";
    fs::write(folder.path().join("own.toml"), own).unwrap();
    for (controller, features) in [("own.toml", 3), ("bcts", 8)] {
        let rows = bench(&["--controller", controller, "--format", "csv"]);
        let levels = rows.lines().filter(|row| row.starts_with("NA,")).count();
        assert_eq!(rows.lines().count(), 1 + levels * (1 + features), "{rows}");
    }
    let shown = bench(&["--controller", "own.toml"]);
    for word in ["whole controller", "wells_guide", "path without", "percent", "processor time"] {
        assert!(shown.contains(word), "{shown}");
    }
    let columns: Vec<&str> = rows.lines().next().unwrap().split(',').collect();
    assert_eq!(
        columns[14..],
        ["ns_added_to_bcts", "ns_added_low", "ns_added_high", "path", "decision_ratio"]
    );
    // At a level with the difference kernel, it scores every feature.
    let best = |name: &str| features.iter().rfind(|row| &row[1] == name).unwrap().clone();
    let path = |name: &str| best(name)[17].to_owned();
    if path("holes") == "difference" {
        for row in &features {
            assert_eq!(path(&row[1]), "difference", "{row:?}");
        }
    }
    let scalar = features.iter().find(|row| &row[1] == "holes").unwrap();
    assert_eq!((&scalar[2], &scalar[17]), ("scalar", "scalar"));
    // The eight features of bcts have a cost too: they are left out instead of added.
    assert!(best("holes")[14].parse::<f64>().is_ok_and(|ns| ns != 0.0), "{:?}", best("holes"));
    let table = bench(&["--sections", "features"]);
    for words in ["in ns per candidate placement", "not measurable", "the whole decision takes"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&bench(&["--sections", "threads", "--format", "json"])).unwrap();
    assert_eq!(json["checksum"].as_str().unwrap().len(), 16);
    assert_eq!(json["rows"][0]["threads"], 1);
}

/// The behaviour of the whole engine over fixed games. A commit that changes it says so and why.
#[test]
fn the_behaviour_checksum_is_frozen() {
    for level in tetrastat::kernels::Level::available() {
        assert_eq!(tetrastat::bench::checksum(level).unwrap(), "4d21bc1feb27cd62", "{level}");
        let guideline = tetrastat::bench::guideline_checksum(level).unwrap();
        assert_eq!(guideline, "cd71d2e353b47131", "{level}");
    }
}

#[test]
fn shells_and_man_know_the_commands() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish"] {
        let output = tetrastat(folder.path(), &["completions", shell]);
        let script = text(&output.stdout);
        // What may follow is asked of the program: tests/command_line.rs.
        assert!(output.status.success() && script.contains("TETRASTAT_COMPLETE"), "{shell}");
    }
    let page = tetrastat(folder.path(), &["man"]);
    assert!(text(&page.stdout).contains(".SH SUBCOMMANDS"), "{}", text(&page.stdout));
    assert!(tetrastat(folder.path(), &["man", "--out", "man1"]).status.success());
    let pages = entries(&folder.path().join("man1"));
    assert!(pages.iter().any(|page| page.ends_with("tetrastat-simulate.1")), "{pages:?}");
}

/// The published test board D: the notebook's wells are 24.
#[test]
fn a_feature_shows_what_it_counts() {
    let folder = folder();
    let d = ".....##..#./#.##.#...#./#.##.#.#.#./#..###.###./#.##.#.####/#.#########";
    let output =
        tetrastat(folder.path(), &["features", "--picture", d, "--explain", "wells_open,holes"]);
    let shown = text(&output.stdout);
    assert!(shown.starts_with("wells_open 24: ") && shown.contains(" = 24\n"), "{shown}");
    assert!(shown.contains("\nholes 6: "), "{shown}");
    refused(&["features", "--picture", d, "--explain", "eroded_cells"], &["--piece"]);
    refused(&["features", "--picture", d, "--explain", "height_12"], &["11x6"]);
}

/// Games without a limit that an interrupt cuts off are said to be cut off by it.
#[test]
fn an_interrupt_is_named_where_no_limit_cut_a_game_off() {
    let folder = folder();
    let args = ["simulate", "--games", "1", "--max-pieces", "none", "--placements", "none"];
    let args = [&args[..], &["--checkpoint-ms", "20", "--out", "run"]].concat();
    let child = command(folder.path(), &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first checkpoint may stand before the game begins; a second one holds some of it.
    let checkpoint = folder.path().join("run/checkpoint.json");
    let (mut first, mut now) = (None, None);
    while first.is_none() || first == now {
        std::thread::sleep(Duration::from_millis(5));
        now = std::fs::read(&checkpoint).ok();
        first = first.or_else(|| now.clone());
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let shown = text(&output.stdout);
    assert!(shown.contains("0 ended, 1 censored at the interrupt\n"), "{shown}");
}

/// A script that begins anew deals every game the same pieces: one line says so.
#[test]
fn games_that_are_all_alike_are_said_to_be() {
    let folder = folder();
    let said = |more: &[&str]| {
        let args = ["simulate", "--board", "10x10", "--max-pieces", "30", "--sample", "0"];
        let output = tetrastat(folder.path(), &[&args[..], more].concat());
        assert!(output.status.success(), "{more:?}: {}", text(&output.stderr));
        text(&output.stderr).to_owned()
    };
    let script = ["--queue", "script", "--script", "IOT", "--cycle"];
    let note = said(&script);
    assert_eq!(note.lines().count(), 1, "{note}");
    assert!(note.contains("the same pieces") && note.contains("all 8 games"), "{note}");
    assert!(said(&["--queue", "sz", "--games", "2"]).contains("all 2 games"));
    assert_eq!(said(&[&script[..], &["--games", "1"]].concat()), "");
    assert_eq!(said(&["--queue", "bag"]), "");
    let study = "controllers = ['bcts']\nboard = '10x10'\nqueue = 'script'\nscript = 'IOT'\ncycle = true\nmax_pieces = 30\n";
    fs::write(folder.path().join("my.toml"), study).unwrap();
    let output = tetrastat(folder.path(), &["study", "my.toml", "--out", "study"]);
    assert!(text(&output.stderr).contains("all 8 games"), "{}", text(&output.stderr));
}

/// A single game must be printed as one number, not as a distribution, and the summary must name the command that
/// estimates the mean of the same games.
#[test]
fn one_game_is_no_distribution() {
    let folder = folder();
    let args =
        ["simulate", "--games", "1", "--board", "10x8", "--controller", "lee", "--seed", "3"];
    let output = tetrastat(folder.path(), &[&args[..], &["--max-pieces", "none"]].concat());
    let shown = text(&output.stdout);
    for word in [" SD ", "median", "min ", "max ", " NA"] {
        assert!(!shown.contains(word), "{word}: {shown}");
    }
    let lines =
        &rows(&folder.path().join("runs/lee-10x8-uniform-greedy-001/games.csv"))[0]["lines"];
    assert!(shown.contains(&format!("\nlines    {lines}\n")), "{shown}");
    assert!(shown.contains("this run has 1)") && shown.contains("95 % interval "), "{shown}");
    let command = shown.lines().find_map(|line| line.trim().strip_prefix("tetrastat ")).unwrap();
    assert!(command.contains("--controller lee") && command.contains("--seed 3"), "{command}");
    let words: Vec<&str> = command.split(' ').collect();
    let estimate = tetrastat(folder.path(), &words);
    assert!(estimate.status.success(), "{}", text(&estimate.stderr));
    // The same holds for a single game that was cut off; two games are a distribution again.
    let cut = tetrastat(
        folder.path(),
        &["simulate", "--games", "1", "--max-pieces", "99", "--sample", "0"],
    );
    let shown = text(&cut.stdout);
    let unknown = "mean lines per game: unknown (no game finished; all were cut off at 99 pieces)";
    assert!(shown.contains(unknown) && shown.contains("\n         tetrastat estimate "), "{shown}");
    let two = tetrastat(
        folder.path(),
        &["simulate", "--games", "2", "--max-pieces", "99", "--sample", "0"],
    );
    assert!(text(&two.stdout).contains(" SD ") && !text(&two.stdout).contains("one game"));
}

/// Full rows of a start board would count as rows that the piece completes.
#[test]
fn boards_with_full_rows_are_refused_where_a_piece_is_placed() {
    let picture = "##########/#.########";
    for rules in [&["--rules", "guideline", "--mode", "endless"][..], &[]] {
        let board = ["features", "--picture", picture];
        refused(&[&board[..], &["--piece", "O"], rules].concat(), &["full rows", "remove them"]);
        assert!(tetrastat(Path::new("."), &[&board[..], rules].concat()).status.success());
    }
}

/// Empty rows at the top of a picture may be left out everywhere.
#[test]
fn pictures_of_ten_columns_have_twenty_rows() {
    let folder = folder();
    let low = "#........#\n##......##\n";
    fs::write(folder.path().join("low.txt"), low).unwrap();
    fs::write(folder.path().join("all.txt"), "..........\n".repeat(18) + low).unwrap();
    for command in
        ["features --piece T", "features --piece T --board 10x20", "step --piece T --moves"]
    {
        let of = |file: &str| {
            let args = format!("{command} --board-file {file}");
            let output = tetrastat(folder.path(), &args.split(' ').collect::<Vec<_>>());
            assert!(output.status.success(), "{command}: {}", text(&output.stderr));
            text(&output.stdout).to_owned()
        };
        assert_eq!(of("low.txt"), of("all.txt"), "{command}");
    }
    for file in ["low.txt", "all.txt"] {
        let run = "simulate --games 2 --max-pieces 30 --controller lee --placements none";
        let run = format!("{run} --board-file {file} --out {file}-run");
        let output = tetrastat(folder.path(), &run.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
    let games = |run: &str| fs::read(folder.path().join(run).join("games.csv")).unwrap();
    assert_eq!(games("low.txt-run"), games("all.txt-run"));
    let narrow = ["features", "--picture", "#...../##....", "--board"];
    refused(&[&narrow[..], &["10x20"]].concat(), &["6 columns", "10x20 has 10"]);
    assert!(tetrastat(Path::new("."), &[&narrow[..], &["6x12"]].concat()).status.success());
}
