//! Progress reports of the real binary: lines without a terminal, a bar on one, warnings about long
//! and large work. The first command ends with an answer.

use std::fs;
use std::io::{BufRead, BufReader, Lines, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Stdio};

use crate::common::pty::Pty;
use crate::common::{command, done, entries, folder, interrupt, read, tetrastat, text};

/// A command at work, whose stderr is read line by line.
struct Running {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
}

impl Running {
    fn start(folder: &Path, line: &str) -> Running {
        Running::start_with(folder, line, &[])
    }

    fn start_with(folder: &Path, line: &str, set: &[(&str, &str)]) -> Running {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut command = command(folder, &words);
        // Other tests say that they want none.
        command.env_remove("TETRASTAT_PROGRESS").envs(set.iter().copied());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
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
        interrupt(&self.child);
        let rest: Vec<String> = self.lines.map(Result::unwrap).collect();
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        assert_eq!(self.child.wait().unwrap().code(), Some(130), "{rest:?}");
        (rest.join("\n"), printed)
    }
}

/// A first run goes on like any other. How progress is told is no part of it.
#[test]
fn an_interrupted_first_run_goes_on() {
    let folder = folder();
    done(folder.path(), "simulate --out whole");
    let words = "simulate --progress 0.1 --out cut --checkpoint-ms 50";
    let mut running = Running::start_with(folder.path(), words, &[("TETRASTAT_SIMD", "scalar")]);
    let line = running.line(&["games ", "/200", "pieces/s"]);
    assert!(!line.contains("ETA 0s"), "{line}");
    let (told, _) = running.interrupted();
    assert!(told.contains("resumes the run"), "{told}");
    let checkpoint = read(folder.path(), "cut/checkpoint.json");
    assert!(checkpoint.contains("\"checkpoint_ms\":\"50\"") && !checkpoint.contains("progress"));
    let on = tetrastat(folder.path(), &["simulate", "--resume", "cut", "--progress", "none"]);
    assert!(on.status.success() && on.stderr.is_empty(), "{}", text(&on.stderr));
    for table in ["games.csv", "placements.csv"] {
        let [cut, whole] = ["cut", "whole"].map(|run| read(&folder.path().join(run), table));
        assert!(cut == whole, "{table}");
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

/// Ctrl-C prints the measurements made so far.
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
    let line = "exact --board 6x6 --progress 0.2 --optimal --actions a.csv";
    let mut running = Running::start(folder.path(), line);
    running.line(&["ETA unknown · bcts: ", " states explored"]);
    let (told, printed) = running.interrupted();
    let last = told.lines().last().unwrap();
    assert!(last.starts_with("interrupted: nothing is printed"), "{told}");
    assert_eq!((printed.as_str(), entries(folder.path()).len()), ("", 0));
}

/// Long and large work is announced after five seconds, and work whose length nobody knows.
#[test]
fn long_and_large_work_is_announced() {
    let folder = folder();
    let file = "controllers = ['bcts', 'dt20']\nboards = ['10x10']\ngames = 10000000\nmax_pieces = 'none'\nplacements = 'none'";
    fs::write(folder.path().join("study.toml"), file).unwrap();
    let large = ["this takes about ", " and writes about ", "B (estimated from its first seconds)"];
    let unknown = ["the duration is unknown: games have no cut-off", " pieces/s, ", "B/s written"];
    let long = ["this takes about ", " (estimated", " first "];
    let cases = [
        (
            "simulate --board 10x10 --games 10000000 --max-pieces none --placements csv --every 10 --out run",
            large,
        ),
        (
            "simulate --games 2 --max-pieces none --placements csv --every 10 --sample 0 --out endless",
            unknown,
        ),
        ("study study.toml --out study", long),
        ("compare bcts dt20 --board 10x10 --max-pieces none --games 10000000", long),
        ("train cem --features bcts --board 6x8 --generations 1000000 --out train", long),
        ("simulate --rules liap --rounds 1000000000 --placements none --out liap", long),
        ("estimate --board 6x10 --budget 1000000000000", long),
        ("simulate --rules guideline --games 10000000 --placements none --out guideline", long),
    ];
    let start =
        |(line, words)| (Running::start(folder.path(), &format!("{line} --threads 1")), words);
    for (mut running, words) in cases.map(start) {
        running.line(&words);
        running.interrupted();
    }
}
