//! How far long work is, told by the real binary: lines off a terminal, a bar on one, a warning of long
//! and large work; and the first command, which ends with an answer.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::common::pty::Pty;
use crate::common::{command, entries, folder, manifest, tetrastat, text};

/// A command at work, whose stderr is read line by line.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Running {
    fn start(folder: &Path, line: &str) -> Running {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = command(folder, &words);
        // Other tests say that they want none.
        command.env_remove("TETRASTAT_PROGRESS").stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = command.spawn();
        let mut child = child.unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        Running { child, lines }
    }

    /// The next line that holds every word.
    fn line(&mut self, words: &[&str]) -> String {
        let mut seen = Vec::new();
        for line in self.lines.by_ref().map(Result::unwrap) {
            if words.iter().all(|word| line.contains(word)) {
                return line;
            }
            seen.push(line);
        }
        panic!("no line with {words:?} in {seen:?}");
    }

    /// Interrupts it; the rest of stderr, and stdout.
    fn interrupted(mut self) -> (String, String) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let rest: Vec<String> = self.lines.map(Result::unwrap).collect();
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(130), "{rest:?}");
        (rest.join("\n"), printed)
    }
}

fn bytes_in(folder: &Path) -> u64 {
    entries(folder).iter().map(|path| fs::metadata(path).unwrap().len()).sum()
}

/// The line after a word of a summary.
fn after<'a>(summary: &'a str, word: &str) -> &'a str {
    let line = summary.lines().find_map(|line| line.split_once(word));
    line.unwrap_or_else(|| panic!("no {word} in {summary}")).1
}

#[test]
fn the_first_command_ends_with_an_answer_and_a_hint() {
    let folder = folder();
    let output = tetrastat(folder.path(), &["simulate"]);
    let summary = text(&output.stdout);
    assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    let run = folder.path().join("runs/bcts-10x10-uniform-greedy-001");
    assert!(summary.contains("\ngames    200, 200 ended\n"), "{summary}");
    assert!(after(summary, "mean lines per game: ").starts_with("4,054 "), "{summary}");
    assert_eq!(summary.matches("95 % interval").count(), 2, "{summary}");
    assert!(after(summary, "95 % interval ").starts_with("3,546 to 4,680 "), "{summary}");
    for word in ["unknown", "unbounded", "censored", "not available"] {
        assert!(!summary.contains(word), "{summary}");
    }
    assert!((100_000..2_000_000).contains(&bytes_in(&run)), "{}", bytes_in(&run));

    let full = after(summary, "No game options given. Running the demo: ");
    let words: Vec<&str> = full.split(' ').skip(1).chain(["--out", "again"]).collect();
    assert!(words.starts_with(&["simulate", "--controller", "bcts", "--board", "10x10"]), "{full}");
    assert!(tetrastat(folder.path(), &words).status.success(), "{full}");
    for table in ["games.csv", "placements.csv"] {
        let bytes = |run: PathBuf| fs::read(run.join(table)).unwrap();
        assert!(bytes(run.clone()) == bytes(folder.path().join("again")), "{table}");
    }
    assert_eq!(manifest(&run)["config"], manifest(&folder.path().join("again"))["config"]);

    let hints = summary.split_once("\nnext ").unwrap().1;
    let hint = |word: &str| {
        let line = hints.lines().find(|line| line.contains(word)).unwrap();
        let command = line.split_once("  #").unwrap().0.trim();
        command.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let runs = |words: &[String], more: &[&str]| {
        let words: Vec<&str> =
            words.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let output = tetrastat(folder.path(), &words);
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    };
    runs(&hint(" watch "), &["--text", "--from", "1500"]);
    runs(&hint(" verify "), &[]);
    runs(&hint(" simulate --board 10x20"), &["--max-pieces", "100"]);
    runs(&hint(" compare "), &["--games", "2"]);
    assert_eq!(hint(" estimate "), ["estimate"]);
    assert!(hints.contains("analysis/report.R runs/bcts-10x10-uniform-greedy-001 "), "{hints}");
}

#[test]
fn what_is_played_or_logged_makes_it_no_first_run() {
    let folder = folder();
    for given in [["--max-pieces", "100"], ["--max-lines", "20"]] {
        let out = given[1];
        let output = tetrastat(folder.path(), &[&["simulate", "--out", out], &given[..]].concat());
        let summary = text(&output.stdout);
        assert!(!summary.contains("Running the demo") && !summary.contains("\nnext "), "{summary}");
        let config = manifest(&folder.path().join(out))["config"].clone();
        assert_eq!((&config["board"], &config["games"]), (&"10x20".into(), &8.into()), "{config}");
        let advice = format!("raise {} (or none), give a smaller --board", given[0]);
        assert!(summary.contains(&advice) && summary.contains("tetrastat estimate"), "{summary}");
    }
    let json = ["simulate", "--format", "json", "--seed", "2", "--progress", "none"];
    let output = tetrastat(folder.path(), &json);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&value["summary"]["games"], &value["summary"]["censored"]),
        (&200.into(), &0.into())
    );
}

/// A first run goes on like any other. How progress is told is no part of it.
#[test]
fn an_interrupted_first_run_goes_on() {
    let folder = folder();
    let whole = tetrastat(folder.path(), &["simulate", "--out", "whole"]);
    assert!(whole.status.success());
    let words = ["simulate", "--progress", "0.1", "--out", "cut", "--checkpoint-ms", "50"];
    let mut slow = command(folder.path(), &words);
    slow.env("TETRASTAT_SIMD", "scalar").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = slow.spawn().unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut running = Running { child, lines };
    let line = running.line(&["games ", "/200", "pieces/s"]);
    assert!(!line.contains("ETA 0s"), "{line}");
    let (told, _) = running.interrupted();
    assert!(told.contains("resumes the run"), "{told}");
    let cut = folder.path().join("cut");
    let checkpoint = fs::read_to_string(cut.join("checkpoint.json")).unwrap();
    assert!(checkpoint.contains("\"checkpoint_ms\":\"50\"") && !checkpoint.contains("progress"));
    let on = tetrastat(folder.path(), &["simulate", "--resume", "cut", "--progress", "none"]);
    assert!(on.status.success() && on.stderr.is_empty(), "{}", text(&on.stderr));
    for table in ["games.csv", "placements.csv"] {
        let bytes = |run: &str| fs::read(folder.path().join(run).join(table)).unwrap();
        assert!(bytes("cut") == bytes("whole"), "{table}");
    }
}

#[test]
fn lines_are_told_off_a_terminal_and_nothing_unknown_is_zero() {
    let folder = folder();
    let endless = "simulate --games 20 --max-pieces none --sample 0 --out run --progress 0.2";
    let mut running = Running::start(folder.path(), endless);
    for _ in 0..3 {
        let line = running.line(&["["]);
        assert!(line.contains("] ETA unknown · games 0/20 · "), "{line}");
        assert!(line.ends_with(" pieces/s"), "{line}");
    }
    running.interrupted();
    for quiet in ["none", "1000"] {
        let limited = format!("simulate --max-pieces 100000 --placements none --progress {quiet}");
        let words: Vec<&str> = limited.split(' ').collect();
        let output = tetrastat(folder.path(), &words);
        assert!(output.status.success() && output.stderr.is_empty(), "{}", text(&output.stderr));
    }
    let help = tetrastat(folder.path(), &["bench", "--help"]);
    assert!(text(&help.stdout).contains("--progress <SECONDS|none>"), "{}", text(&help.stdout));
}

#[test]
fn the_pilot_of_an_estimate_and_a_study_are_told() {
    let folder = folder();
    let mut pilot =
        Running::start(folder.path(), "estimate --progress 0.1 --pilot-pieces 100000000");
    let line = pilot.line(&["ETA unknown · placing levels: round 1 · "]);
    assert!(line.ends_with(" pieces/s"), "{line}");
    let line = pilot.line(&["placing levels: round 1 · "]);
    let pieces = line.split(" · ").nth(2).unwrap().split(' ').next().unwrap().replace(',', "");
    assert!(pieces.parse::<u64>().unwrap() > 0, "{line}");
    pilot.interrupted();

    let file = "controllers = ['bcts', 'dt20']\nboards = ['10x10']\ngames = 100000\nmax_pieces = 'none'\nplacements = 'none'";
    fs::write(folder.path().join("study.toml"), file).unwrap();
    let study = "study study.toml --out study --progress 0.2";
    let mut study = Running::start(folder.path(), study);
    let line = study.line(&["1/2 001-bcts-10x10-uniform-greedy-s1 · games ", "/100,000"]);
    assert!(line.contains("ETA ") && !line.contains("ETA 0s"), "{line}");
    study.interrupted();
}

/// Finals and held-out games are part of a training: they are longer than all generations here.
const TRAIN: &str = "train cem --features bcts --board 10x10 --population 10 --elite 4 --generations 5 --games 2 --check-every 0 --finalists 2 --final-games 100 --held-out-games 300 --seed 3";

#[test]
fn a_trainings_finals_are_part_of_it() {
    let folder = folder();
    // How many lines there are depends on the machine; what each of them says does not.
    let long = TRAIN.replace("--held-out-games 300", "--held-out-games 1000");
    let words: Vec<&str> = long.split(' ').chain(["--progress", "0.01"]).collect();
    let output = tetrastat(folder.path(), &words);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let told: Vec<&str> = text(&output.stderr).lines().collect();
    let (finals, before): (Vec<&str>, Vec<&str>) =
        told.iter().partition(|line| line.contains("finals: games "));
    assert!(finals.len() > 2, "{told:?}");
    assert!(before.iter().all(|line| line.contains("generation ")), "{told:?}");
    let part = |line: &str| {
        let share = line.split_once("] ").unwrap().1.split_once('%')?.0;
        Some(share.parse::<u64>().unwrap())
    };
    assert!(before.iter().all(|line| part(line).is_none_or(|part| part < 90)), "{before:?}");
    assert!(finals[..finals.len() - 1].iter().all(|line| part(line).is_none_or(|part| part < 100)));
    assert!(told.iter().all(|line| !line.contains("ETA 0s")), "{told:?}");
    assert!(finals.iter().any(|line| part(line).is_some()), "{finals:?}");
}

#[test]
fn a_bar_is_drawn_on_a_terminal_and_gone_at_the_end() {
    let folder = folder();
    // Finals that last some seconds on a fast machine, so that their bar is seen.
    let long = TRAIN.replace("--held-out-games 300", "--held-out-games 3000");
    let words: Vec<&str> = long.split(' ').collect();
    let pty = Pty::start(folder.path(), &words, (100, 30), false);
    let screen = pty.wait("the finals", |screen| {
        let screen = screen.contents();
        assert!(!screen.contains("ETA 0s") && !screen.contains("100%"), "{screen}");
        screen.contains("finals: games ") && screen.contains("% · ETA ")
    });
    assert!(screen.contains("/3,300"), "three finalists and the winner: {screen}");
    let ended = pty.finish();
    assert_eq!(ended.code, 0);
    assert!(ended.text.contains("trained ") && !ended.text.contains("ETA"), "{}", ended.text);
    let words = ["simulate", "--games", "20", "--max-pieces", "none", "--out", "run"];
    let pty = Pty::start(folder.path(), &words, (100, 30), false);
    let screen = pty.wait_for("games 0/20");
    assert!(screen.contains("ETA unknown · games 0/20"), "{screen}");
    pty.send("\x03");
    pty.wait_for("stopping: keeping what is done");
    assert_eq!(pty.finish().code, 130);
}

/// What was measured before Ctrl-C is printed.
#[test]
#[ignore = "long: 12 s"]
fn long_an_interrupted_bench_prints_what_it_has() {
    for (format, word) in
        [("text", "medians of up to 200 samples"), ("json", "\"complete\": false")]
    {
        let folder = folder();
        let bench = format!(
            "bench --board 10x10 --sections search --sample-ms 5 --repeats 200 --progress 0.1 --format {format}"
        );
        let mut running = Running::start(folder.path(), &bench);
        // A case takes two samples before its first one counts.
        let line = running.line(&["] 1% · ETA ", "samples of "]);
        assert!(!line.contains("ETA unknown"), "{line}");
        let (told, printed) = running.interrupted();
        assert!(told.contains("interrupted: the results so far are printed"), "{told}");
        assert!(printed.contains(word) && printed.contains("bcts"), "{printed}");
    }
}

#[test]
fn an_interrupted_exact_says_so() {
    let folder = folder();
    let mut running = Running::start(folder.path(), "exact --board 6x6 --progress 0.2");
    running.line(&["ETA unknown · bcts: ", " states explored"]);
    let (told, printed) = running.interrupted();
    let last = told.lines().last().unwrap();
    assert!(last.starts_with("interrupted: nothing is printed"), "{told}");
    assert_eq!(printed, "");
}

/// Long and large work is announced after five seconds, and work whose length nobody knows.
#[test]
fn long_and_large_work_is_announced() {
    let folder = folder();
    let file = "controllers = ['bcts', 'dt20']\nboards = ['10x10']\ngames = 10000000\nmax_pieces = 'none'\nplacements = 'none'";
    fs::write(folder.path().join("study.toml"), file).unwrap();
    let cases = [
        (
            "simulate --board 10x10 --games 10000000 --max-pieces none --placements csv --every 10 --threads 1 --out run",
            ["this takes about ", " and writes about ", "B (estimated from its first seconds)"],
        ),
        (
            "simulate --games 2 --max-pieces none --placements csv --every 10 --sample 0 --threads 1 --out endless",
            ["the duration is unknown: games have no cut-off", " pieces/s, ", "B/s written"],
        ),
        (
            "study study.toml --threads 1 --out study",
            ["this takes about ", " (estimated", " first "],
        ),
        (
            "compare bcts dt20 --board 10x10 --max-pieces none --games 10000000 --threads 1",
            ["this takes about ", " (estimated", " first "],
        ),
        (
            "train cem --features bcts --board 6x8 --generations 1000000 --threads 1 --out train",
            ["this takes about ", " (estimated", " first "],
        ),
        (
            "liap simulate --rounds 1000000000 --log none --threads 1 --out liap",
            ["this takes about ", " (estimated", " first "],
        ),
        (
            "estimate --board 6x10 --budget 1000000000000 --threads 1",
            ["this takes about ", " (estimated", " first "],
        ),
        (
            "simulate --rules guideline --games 10000000 --placements none --threads 1 --out guideline",
            ["this takes about ", " (estimated", " first "],
        ),
    ];
    let running: Vec<_> =
        cases.iter().map(|(line, words)| (Running::start(folder.path(), line), words)).collect();
    for (mut running, words) in running {
        running.line(words);
        running.interrupted();
    }
}

/// The environment says how often where the command line does not; nonsense is named.
#[test]
fn the_environment_says_how_often_too() {
    let folder = folder();
    let run = |every: &str, more: &[&str]| {
        let words =
            [&["simulate", "--board", "6x8", "--games", "2", "--out", "run"], more].concat();
        command(folder.path(), &words).env("TETRASTAT_PROGRESS", every).output().unwrap()
    };
    let output = run("soon", &[]);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
    assert!(message.contains("TETRASTAT_PROGRESS: write seconds"), "{message}");
    assert!(run("soon", &["--progress", "none"]).status.success());
}
