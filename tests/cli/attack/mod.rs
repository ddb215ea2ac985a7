//! An attack on the real binary: damaged checkpoints and tables, failing system calls, kills at any moment, folders
//! whose manifests list files outside ([`names`]). A command must always end in order. The same command given again
//! must produce the bytes of an undisturbed run, or fail with one line. Nothing may be lost or silently changed.
//!
//! Each kind of attack has its test here and goes through the commands of [`jobs`] in turn: a few cases
//! with every `cargo test`, more where long tests are asked for, or as many as one likes:
//!
//! ```sh
//! TETRASTAT_ATTACK=1000 cargo test --workspace --test cli attack:: -- --nocapture      # cases of each kind
//! TETRASTAT_ATTACK_SEED=7 cargo test --workspace --test cli attack::                   # other cases
//! TETRASTAT_ATTACK_ONLY=damage/17 cargo test --workspace --test cli attack::           # one case, whose folder is kept
//! TETRASTAT_ATTACK_COMMANDS=train cargo test --workspace --test cli attack::           # commands whose name has this
//! TETRASTAT_ATTACK_BINARY=/usr/bin/tetrastat cargo test --workspace --test cli attack::  # another binary
//! ```
//!
//! The counts are printed with `--nocapture`; what goes wrong fails the test, with the command and the
//! case to repeat it. What fails inside of a run is brought about by a library that is preloaded
//! (`shim.c`), which `cc` makes; where there is none the test says so and does nothing.

#![cfg(target_os = "linux")]
// Its modules are nobody else's.
#![allow(unreachable_pub)]

mod chance;
mod damage;
mod endless;
mod files;
mod hostile;
mod jobs;
mod names;
mod program;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use chance::Chance;
use files::Files;
use jobs::{ClassicGames, JOBS};
use program::{Ended, Running};

/// Cases of each kind unless asked for otherwise.
const CASES: u64 = 6;
/// Cases of each kind of the long tests, which go on where the others end.
const LONG_CASES: u64 = 100;
/// Cases from which on commands that take seconds have their share.
const AT_LENGTH: u64 = 400;

/// What a command does when it is left alone.
struct Whole {
    inputs: Files,
    files: Files,
    /// Its answer, where that is the same each time.
    stdout: Option<Vec<u8>>,
    /// How often it calls each function.
    calls: BTreeMap<String, u64>,
    time: Duration,
}

/// The undisturbed run of a job, played when it is first asked for.
fn whole(place: usize) -> &'static Whole {
    static ALL: [OnceLock<Whole>; JOBS.len()] = [const { OnceLock::new() }; JOBS.len()];
    ALL[place].get_or_init(|| {
        let job = &JOBS[place];
        let inputs = inputs(job);
        let (one, two) = (room(&inputs), room(&inputs));
        let start = Instant::now();
        let first = program::run(one.path(), &job.words(), None);
        let time = start.elapsed();
        let (second, calls) = program::counted(two.path(), &job.words());
        assert_eq!((first.code, second.code), (Some(0), Some(0)), "{}: {}", job.name, first.stderr);
        let [files, again] = [&one, &two].map(|room| files::read(&room.path().join("out")));
        assert_eq!(files::difference(&again, &files, false), None, "{}", job.name);
        assert_eq!(job.writes(), !files.is_empty(), "{}", job.name);
        let stdout = (first.stdout == second.stdout).then_some(first.stdout);
        Whole { inputs, files, stdout, calls, time }
    })
}

/// What a job reads.
fn inputs(job: &ClassicGames) -> Files {
    let room = program::folder();
    for (name, text) in job.inputs {
        files::write(room.path(), name, text.as_bytes());
    }
    for command in job.before {
        let words: Vec<&str> = command.split(' ').collect();
        let ended = program::run(room.path(), &words, None);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    files::read(room.path()).into_iter().filter(|(name, _)| !name.starts_with("said.")).collect()
}

/// A folder of its own for a case, with what the command reads.
fn room(inputs: &Files) -> tempfile::TempDir {
    let room = program::folder();
    inputs.iter().for_each(|(name, bytes)| files::write(room.path(), name, bytes));
    room
}

/// How a case went.
enum Verdict {
    /// The bytes of the undisturbed run.
    Same,
    /// One line, and nothing harmed.
    Refused,
    /// What must not be.
    Violation(String),
}

/// A case: what is counted together, what was done, how it went.
struct Tried {
    label: String,
    deeds: Vec<String>,
    verdict: Verdict,
}

/// One case of an attack on one command.
struct Case<'a> {
    job: &'a ClassicGames,
    whole: &'a Whole,
    room: &'a Path,
    chance: Chance,
    deeds: Vec<String>,
}

impl Case<'_> {
    fn out(&self) -> Files {
        files::read(&self.room.join("out"))
    }

    /// Runs the command, and writes down how.
    fn run(&mut self, words: &[&str], order: Option<&str>) -> Ended {
        let shimmed = order.map_or(String::new(), |order| format!("TETRASTAT_SHIM='{order}' "));
        let ended = program::run(self.room, words, order);
        let (end, said) = (ended.end(), ended.stderr.trim());
        self.deeds.push(format!("{shimmed}tetrastat {}: {end} {said}", words.join(" ")));
        ended
    }

    /// The same command, or by chance `--resume`, where that goes on from a checkpoint.
    fn again(&mut self) -> Vec<&'static str> {
        let begun = self.room.join("out/checkpoint.json").exists();
        match self.job.resume.filter(|_| begun) {
            Some(command) if self.chance.one_in(2) => {
                command.split(' ').chain(["--resume", "out"]).collect()
            }
            _ => self.job.words(),
        }
    }

    /// Ends the command when it has changed files so often.
    fn stop(&mut self, least: u64, most: u64) {
        let signal = if self.job.stops && self.chance.one_in(3) { 2 } else { 9 };
        let call = self.chance.between(least.min(most), most.max(1));
        let words = self.again();
        self.run(&words, Some(&format!("change {call} signal {signal}")));
    }

    /// Holds a run that ended well against the undisturbed one.
    fn same(&self, ended: &Ended, leftovers: bool) -> Verdict {
        self.held(&self.out(), ended, leftovers)
    }

    fn held(&self, found: &Files, ended: &Ended, leftovers: bool) -> Verdict {
        let answer = self.whole.stdout.as_ref().filter(|_| !self.job.writes());
        match files::difference(found, &self.whole.files, leftovers) {
            Some(difference) => Verdict::Violation(format!("exit 0, but {difference}")),
            None if answer.is_some_and(|answer| *answer != ended.stdout) => {
                Verdict::Violation("exit 0, but another answer".to_owned())
            }
            None => Verdict::Same,
        }
    }

    /// A damaged folder: the command refuses it in one line that says what to do, or does not need what is
    /// damaged; what it refuses goes on once the damage is undone.
    fn damaged(&mut self) -> Verdict {
        let changes = self.whole.calls["change"];
        let mut older = Files::new();
        if self.job.goes_on() && self.chance.one_in(3) {
            self.stop(changes / 8, changes / 2);
            older = self.out();
        }
        self.stop(changes / 5, changes + changes / 10);
        let before = self.out();
        if before.is_empty() {
            return Verdict::Same;
        }
        let mut damaged = before.clone();
        while damaged == before {
            let out = self.room.join("out");
            let deed = damage::damage(&out, &before, &older, &mut self.chance);
            self.deeds.push(deed);
            damaged = self.out();
        }
        let words = self.again();
        let ended = self.run(&words, None);
        if let Some(violation) = ended.disorder() {
            return Verdict::Violation(violation);
        }
        if ended.code == Some(0) {
            // What is complete needs no checkpoint: a damaged one is refused by who does.
            let (name, mut found) = ("checkpoint.json", self.out());
            if found.get(name) == damaged.get(name)
                && let Some(whole) = self.whole.files.get(name)
            {
                found.insert(name.to_owned(), whole.clone());
            }
            return self.held(&found, &ended, self.job.leaves_temporary());
        }
        if !ended.names_a_remedy() {
            return Verdict::Violation("the line names no remedy".to_owned());
        }
        if let Some(harm) = files::harm(&self.out(), &damaged, &self.whole.files) {
            return Verdict::Violation(harm);
        }
        files::restore(&self.room.join("out"), &before, &damaged);
        self.deeds.push("the damage undone".to_owned());
        let words = self.job.words();
        let ended = self.run(&words, None);
        match ended.disorder() {
            Some(violation) => Verdict::Violation(violation),
            None if ended.code != Some(0) => {
                Verdict::Violation("does not go on once the damage is undone".to_owned())
            }
            None => match self.same(&ended, self.job.leaves_temporary()) {
                Verdict::Same => Verdict::Refused,
                violation => violation,
            },
        }
    }

    /// A function of the C library that fails: the command ends in order, and goes on when it works again.
    fn injected(&mut self, (function, errors): (&str, &[i32])) -> Verdict {
        let mut calls = self.whole.calls[function];
        if self.job.goes_on() && self.chance.one_in(3) {
            let changes = self.whole.calls["change"];
            self.stop(1, changes);
            calls = calls.div_ceil(2);
        }
        let call = self.chance.between(1, calls.max(1));
        let error = *self.chance.of_all(errors);
        let how = match self.chance.below(3) {
            // What fails for ever by EINTR is tried for ever.
            0 if error != EINTR => "always",
            1 if ["read", "write"].contains(&function) => "short",
            _ => "fail",
        };
        let words = self.again();
        let ended = self.run(&words, Some(&format!("{function} {call} {how} {error}")));
        // Where there is no memory at all, the standard library ends the program in words of its own, mostly
        // before the first line of ours; what is on disk goes on all the same.
        let starves = (function, how) == ("mmap", "always");
        let starved = starves && ended.stderr.starts_with("memory allocation of") && !ended.hangs;
        if let Some(violation) = ended.disorder().filter(|_| !starved) {
            return Verdict::Violation(violation);
        }
        if ended.code == Some(0)
            && let Verdict::Violation(violation) = self.same(&ended, true)
        {
            return Verdict::Violation(violation);
        }
        if let Some(name) = self.half_file() {
            return Verdict::Violation(format!("{name} is there, but not as a whole"));
        }
        let words = self.again();
        let ended = self.run(&words, None);
        match ended.disorder() {
            Some(violation) => Verdict::Violation(violation),
            None if ended.code != Some(0) && self.job.begins_again() => {
                Verdict::Violation("does not begin again".to_owned())
            }
            None if ended.code == Some(0) => self.same(&ended, true),
            None => Verdict::Refused,
        }
    }

    /// Returns a file with a finished name that a command without a checkpoint has left incomplete.
    fn half_file(&self) -> Option<String> {
        if self.job.goes_on() || !self.job.writes() {
            return None;
        }
        let whole = &self.whole.files;
        let is_half = |(name, bytes): &(String, Vec<u8>)| {
            files::is_finished(name)
                && whole
                    .get(name)
                    .is_none_or(|whole| files::lasting(name, whole) != files::lasting(name, bytes))
        };
        self.out().into_iter().find(is_half).map(|(name, _)| name)
    }

    /// Kills at any moment, up to three: the same command goes on.
    fn killed(&mut self) -> Verdict {
        for _ in 0..1 + self.chance.below(3) {
            let signal = *self.chance.of_all(&[("KILL", 9), ("INT", 2), ("TERM", 15)]);
            let is_new = self.out().is_empty();
            let ended = self.kill(signal);
            let by_signal = ended.signal == Some(signal.1);
            let disorder = ended.disorder().filter(|_| !by_signal);
            if let Some(violation) = disorder {
                return Verdict::Violation(violation);
            }
            // Who writes has a hand on Ctrl-C.
            let wrote = is_new && !self.out().is_empty();
            if by_signal && signal.0 != "KILL" && self.job.stops && wrote {
                return Verdict::Violation(format!("SIG{} ends it without order", signal.0));
            }
            if ended.code == Some(2) {
                return self.refusal();
            }
        }
        let words = self.job.words();
        let ended = self.run(&words, None);
        match ended.disorder() {
            Some(violation) => Verdict::Violation(violation),
            None if ended.code == Some(0) => self.same(&ended, self.job.leaves_temporary()),
            None => self.refusal(),
        }
    }

    /// Sends a signal at a moment, or when the command has changed files so often.
    fn kill(&mut self, (name, number): (&str, i32)) -> Ended {
        let words = self.job.words();
        if self.chance.one_in(2) {
            let call = self.chance.between(1, self.whole.calls["change"].max(1));
            return self.run(&words, Some(&format!("change {call} signal {number}")));
        }
        let most = u64::try_from(self.whole.time.as_micros()).unwrap();
        let pause = self.chance.between(0, most + most / 10);
        let mut running = Running::start(self.room, &words, None);
        std::thread::sleep(Duration::from_micros(pause));
        running.signal(name);
        let ended = running.end();
        let (end, said) = (ended.end(), ended.stderr.trim());
        self.deeds.push(format!("SIG{name} after {pause} microseconds: {end} {said}"));
        ended
    }

    /// After a kill only a command without `--out` may refuse what it finds.
    fn refusal(&self) -> Verdict {
        if self.job.goes_on() {
            return Verdict::Violation("the same command does not go on".to_owned());
        }
        Verdict::Refused
    }
}

const EINTR: i32 = 4;
const EIO: i32 = 5;
const EAGAIN: i32 = 11;
const ENOMEM: i32 = 12;
const EACCES: i32 = 13;
const ENFILE: i32 = 23;
const EMFILE: i32 = 24;
const ENOSPC: i32 = 28;
const EROFS: i32 = 30;
const ENOLCK: i32 = 37;
const ENOSYS: i32 = 38;
const EDQUOT: i32 = 122;

/// Functions of the C library, and how they may fail. `mmap64` is not among them: the standard library
/// takes by it the stack on which a thread would tell of an overflow, before any line of ours.
const FAILURES: &[(&str, &[i32])] = &[
    ("open", &[EACCES, EIO, EMFILE, ENFILE, ENOSPC, EROFS, EINTR]),
    ("read", &[EIO, EINTR]),
    ("write", &[ENOSPC, EIO, EDQUOT, EINTR]),
    ("rename", &[EIO, EACCES, ENOSPC]),
    ("unlink", &[EIO, EACCES]),
    ("mkdir", &[EACCES, ENOSPC, EROFS]),
    ("rmdir", &[EACCES]),
    ("fsync", &[EIO, ENOSPC]),
    ("ftruncate", &[EIO, EINTR]),
    ("lseek", &[EIO]),
    ("stat", &[EACCES, EIO]),
    ("flock", &[ENOLCK, EINTR, EAGAIN]),
    ("opendir", &[EACCES, EMFILE, EIO]),
    ("readdir", &[EIO]),
    ("mmap", &[ENOMEM]),
    ("pthread_create", &[EAGAIN]),
    ("getrandom", &[ENOSYS, EINTR]),
    ("pipe", &[EMFILE, ENFILE]),
    ("affinity", &[ENOSYS]),
    ("getcwd", &[EACCES]),
];

impl Ended {
    /// How it ended, in a word.
    fn end(&self) -> String {
        match (self.hangs, self.code, self.signal) {
            (true, ..) => "hangs".to_owned(),
            (false, Some(code), _) => format!("exit {code}"),
            (false, None, signal) => format!("signal {}", signal.unwrap_or_default()),
        }
    }

    /// What is wrong with an end that is neither success nor a refusal in one line nor an interruption.
    fn disorder(&self) -> Option<String> {
        let panics =
            ["panicked at", "memory allocation of", "fatal runtime error", "overflowed its"];
        if self.hangs
            || self.signal.is_some()
            || panics.iter().any(|sign| self.stderr.contains(sign))
        {
            return Some(format!("{}: {}", self.end(), self.stderr.trim()));
        }
        // Notices may stand before it.
        let refusals = self.stderr.lines().filter(|line| line.starts_with("tetrastat: ")).count();
        let last = self.stderr.lines().last().is_some_and(|line| line.starts_with("tetrastat: "));
        match self.code {
            Some(0 | 130) => None,
            Some(2) if refusals == 1 && last => None,
            Some(2) => Some(format!("not one line at the end: {}", self.stderr.trim())),
            _ => Some(self.end()),
        }
    }

    /// Whether the line says what to do.
    fn names_a_remedy(&self) -> bool {
        let remedies = [
            "restore",
            "remove",
            "start a new",
            "give ",
            "choose",
            "--out",
            "--force",
            "free ",
            "resume",
            "plays it again",
            "check",
        ];
        remedies.iter().any(|remedy| self.stderr.contains(remedy))
    }
}

/// What was found of the cases that are counted together.
#[derive(Default)]
struct Count {
    cases: u64,
    same: u64,
    refused: u64,
    violations: u64,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Tries the cases of one kind, prints the counts, and fails with what must not be.
fn attack(
    kind: &str,
    cases: Range<u64>,
    places: &[usize],
    mut tried: impl FnMut(usize, Chance) -> Tried,
) {
    if let Some(lacking) = program::lacking() {
        eprintln!("not attacked: {lacking}");
        return;
    }
    let seed = number("TETRASTAT_ATTACK_SEED", 1);
    let only = std::env::var("TETRASTAT_ATTACK_ONLY").ok();
    let mut counts = BTreeMap::<String, Count>::new();
    let mut violations = 0;
    let asked = std::env::var("TETRASTAT_ATTACK_COMMANDS").unwrap_or_default();
    let places = places.iter().copied().filter(|&place| JOBS[place].name.contains(&asked));
    let (dear, cheap): (Vec<usize>, Vec<usize>) = places.partition(|&place| JOBS[place].dear);
    let at_length = cases.end >= AT_LENGTH;
    for case in cases {
        if only.as_ref().is_some_and(|only| *only != format!("{kind}/{case}")) {
            continue;
        }
        let round = case as usize;
        let dear = dear.get(round / 20 % dear.len().max(1)).filter(|_| round % 20 == 19);
        let place = dear.filter(|_| at_length).unwrap_or(&cheap[round % cheap.len()]);
        let found = tried(*place, Chance::of(seed, kind, case));
        let count = counts.entry(found.label).or_default();
        count.cases += 1;
        match &found.verdict {
            Verdict::Same => count.same += 1,
            Verdict::Refused => count.refused += 1,
            Verdict::Violation(violation) => {
                count.violations += 1;
                let violation = format!(
                    "{}: {violation}\n  TETRASTAT_ATTACK_SEED={seed} TETRASTAT_ATTACK_ONLY={kind}/{case}\n  {}",
                    JOBS[*place].name,
                    found.deeds.join("\n  ")
                );
                eprintln!("{violation}");
                violations += 1;
            }
        }
    }
    println!("{}", table(kind, &counts));
    assert!(violations == 0, "{violations} violations, told above");
}

fn table(kind: &str, counts: &BTreeMap<String, Count>) -> String {
    let row = |name: &str, [cases, same, refused, violations]: [u64; 4]| {
        format!("{name:26} {cases:>7} {same:>11} {refused:>8} {violations:>11}")
    };
    let head = format!("{kind:26}   cases  same bytes  refused  violations");
    let of = |count: &Count| [count.cases, count.same, count.refused, count.violations];
    let rows = counts.iter().map(|(name, count)| row(name, of(count)));
    let all = counts.values().fold([0; 4], |sum, count| {
        let own = of(count);
        std::array::from_fn(|k| sum[k] + own[k])
    });
    [head].into_iter().chain(rows).chain([row("all", all)]).collect::<Vec<_>>().join("\n")
}

/// Tries one case in a room of its own.
fn case(
    place: usize,
    chance: Chance,
    label: &str,
    tried: impl FnOnce(&mut Case) -> Verdict,
) -> Tried {
    let (job, whole) = (&JOBS[place], whole(place));
    let room = room(&whole.inputs);
    let mut case = Case { job, whole, room: room.path(), chance, deeds: Vec::new() };
    let verdict = tried(&mut case);
    let mut deeds = case.deeds;
    if std::env::var_os("TETRASTAT_ATTACK_ONLY").is_some() {
        deeds.push(format!("in {}", room.keep().display()));
    }
    Tried { label: label.to_owned(), deeds, verdict }
}

fn places(of: impl Fn(&ClassicGames) -> bool) -> Vec<usize> {
    (0..JOBS.len()).filter(|&place| of(&JOBS[place])).collect()
}

/// The cases that are tried with every `cargo test`, or as many as were asked for.
fn few() -> Range<u64> {
    0..number("TETRASTAT_ATTACK", CASES)
}

fn damage(cases: Range<u64>) {
    attack("damage", cases, &places(ClassicGames::goes_on), |place, chance| {
        case(place, chance, JOBS[place].name, |case| case.damaged())
    });
}

fn failures(cases: Range<u64>) {
    attack("failure", cases, &places(|_| true), |place, mut chance| {
        let calls = &whole(place).calls;
        let called: Vec<_> = FAILURES.iter().filter(|(name, _)| calls[*name] > 0).collect();
        let failure = **chance.of_all(&called);
        case(place, chance, failure.0, |case| case.injected(failure))
    });
}

fn kills(cases: Range<u64>) {
    attack("kill", cases, &places(ClassicGames::writes), |place, chance| {
        case(place, chance, JOBS[place].name, |case| case.killed())
    });
}

/// Flips single bits of packed tables. Reading them must return the written data or fail.
fn flips(cases: Range<u64>) {
    let room = program::folder();
    let seed = number("TETRASTAT_ATTACK_SEED", 1);
    let mut counts = BTreeMap::<String, Count>::new();
    for format in ["csv.gz", "csv.zst", "parquet"] {
        let words = "simulate --board 8x8 --games 6 --max-pieces 200 --sample 0 --placements";
        let words: Vec<&str> = words.split(' ').chain([format, "--out", format]).collect();
        assert_eq!(program::run(room.path(), &words, None).code, Some(0));
        let good =
            std::fs::read(room.path().join(format!("{format}/placements.{format}"))).unwrap();
        // There is no manifest beside the copy, since its checksum would reveal the flip.
        let name = format!("placements.{format}");
        let read = |bytes: &[u8]| {
            std::fs::write(room.path().join(&name), bytes).unwrap();
            program::run(room.path(), &["convert", &name, "-"], None)
        };
        let whole = read(&good).stdout;
        let count = counts.entry(format.to_owned()).or_default();
        for case in cases.clone() {
            let mut chance = Chance::of(seed, format, case);
            let (place, bit) = (chance.below(good.len()), chance.below(8));
            let mut flipped = good.clone();
            flipped[place] ^= 1 << bit;
            let ended = read(&flipped);
            count.cases += 1;
            match (ended.disorder(), ended.code) {
                (None, Some(0)) if ended.stdout == whole => count.same += 1,
                (None, Some(2)) => count.refused += 1,
                (disorder, _) => {
                    count.violations += 1;
                    eprintln!(
                        "{name}: bit {bit} of byte {place}: {}",
                        disorder.unwrap_or_default()
                    );
                }
            }
        }
    }
    println!("{}", table("flip", &counts));
    assert!(counts.values().all(|count| count.violations == 0), "told above");
}

/// Lets three commands write one file at once. The result must be the complete file of one of them.
fn races(cases: Range<u64>) {
    let room = program::folder();
    let seed = number("TETRASTAT_ATTACK_SEED", 1);
    let words =
        "simulate --board 8x8 --games 6 --max-pieces 200 --sample 0 --placements csv --out run";
    assert_eq!(
        program::run(room.path(), &words.split(' ').collect::<Vec<_>>(), None).code,
        Some(0)
    );
    let rows = ["game<3", "game>=3", "game>=0"];
    let mut counts = BTreeMap::<String, Count>::new();
    for case in cases {
        let mut chance = Chance::of(seed, "race", case);
        let format = *chance.of_all(&["csv", "csv.gz", "csv.zst", "parquet"]);
        let (out, force) = (format!("out.{format}"), chance.one_in(2));
        let of = |out: &str, rows: &str| {
            let mut command = std::process::Command::new(program::binary());
            command.current_dir(room.path()).args([
                "convert",
                "run/placements.csv",
                out,
                "--where",
                rows,
            ]);
            command.args(force.then_some("--force")).stdout(std::process::Stdio::null());
            command.stderr(std::process::Stdio::piped()).spawn().unwrap()
        };
        let wholes = rows.map(|rows| {
            let alone = format!("alone.{format}");
            assert!(of(&alone, rows).wait_with_output().unwrap().status.success());
            let path = room.path().join(alone);
            let bytes = std::fs::read(&path).unwrap();
            std::fs::remove_file(path).unwrap();
            bytes
        });
        let ended = rows.map(|rows| of(&out, rows)).map(|one| one.wait_with_output().unwrap());
        let found = std::fs::read(room.path().join(&out)).unwrap();
        std::fs::remove_file(room.path().join(&out)).unwrap();
        let won = ended.iter().filter(|one| one.status.success()).count();
        let count = counts.entry(format.to_owned()).or_default();
        count.cases += 1;
        count.refused += (3 - won) as u64;
        let is_right = won == if force { 3 } else { 1 }
            && ended
                .iter()
                .zip(&wholes)
                .any(|(one, whole)| one.status.success() && *whole == found);
        if is_right {
            count.same += 1;
        } else {
            count.violations += 1;
            eprintln!("race/{case}: {won} of 3 succeeded: {ended:?}");
        }
    }
    println!("{}", table("race", &counts));
    assert!(counts.values().all(|count| count.violations == 0), "told above");
}

#[test]
fn a_flipped_bit_of_a_packed_table_is_refused() {
    flips(few());
}

/// Pairs of commands that differ in one setting, for every kind of job.
const RIVALS: [[&str; 2]; 10] = [
    ["simulate --board 6x8 --games 40 --max-pieces 200 --sample 0 --placements csv --seed 1"; 2],
    [
        "simulate --board 6x8 --games 40 --max-pieces 200 --sample 0 --placements csv --seed 1",
        "simulate --rules guideline --mode blitz --pieces 10 --games 3 --placements csv",
    ],
    ["liap simulate --rounds 300 --log csv --seed 1"; 2],
    ["train cem --features bcts --board 6x8 --population 4 --elite 2 --generations 2 --games 2 --max-pieces 50 --check-every 2 --check-games 4 --final-games 4 --held-out-games 4 --seed 1";
        2],
    ["train td --windows 2x2 --board 6x8 --placements 2000 --seed 1"; 2],
    ["estimate --board 6x8 --pieces 200 --burn-in 20 --pilot-pieces 500 --budget 4000 --seed 1"; 2],
    ["compare bcts dt20 --board 6x8 --games 10 --seed 1"; 2],
    ["study 1.toml"; 2],
    ["dataset data-1.toml"; 2],
    ["rollout --from run --every 10 --replicates 2 --seed 1"; 2],
];

/// Starts `commands` at once in `room`, waits for them, and returns which succeeded.
fn at_once(room: &Path, commands: &[String]) -> Vec<bool> {
    let start = |words: &String| {
        let mut command = std::process::Command::new(program::binary());
        command.current_dir(room).args(words.split(' '));
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let running: Vec<_> = commands.iter().map(start).collect();
    running.into_iter().map(|one| one.wait_with_output().unwrap().status.success()).collect()
}

#[test]
fn of_two_different_commands_with_one_new_folder_one_is_refused() {
    let room = program::folder();
    let study = "controllers = ['bcts']\nboards = ['6x8']\ngames = 8\nmax_pieces = 60\n";
    let dataset = "[dataset]\nname = 'd'\ntitle = 'D'\nversion = '1'\ndescription = 'd'\n";
    for seed in [1, 2] {
        let study = format!("seed = {seed}\n{study}");
        std::fs::write(room.path().join(format!("{seed}.toml")), &study).unwrap();
        std::fs::write(room.path().join(format!("data-{seed}.toml")), study + dataset).unwrap();
    }
    let run = format!("{} --out run", RIVALS[0][0]);
    assert_eq!(at_once(room.path(), &[run]), [true]);
    for (place, rivals) in RIVALS.iter().enumerate() {
        for round in 0..3 {
            let out = format!("out-{place}-{round}");
            let first = format!("{} --threads 1 --out {out}", rivals[0]);
            let second = first.replace(rivals[0], rivals[1]);
            let second = match rivals[0] == rivals[1] {
                true => second.replace("--seed 1", "--seed 2").replace("1.toml", "2.toml"),
                false => second,
            };
            assert_ne!(first, second);
            let succeeded = at_once(room.path(), &[first.clone(), second]);
            let won = succeeded.iter().filter(|&&won| won).count();
            assert_eq!(won, 1, "{first}: {succeeded:?}");
        }
    }
}

#[test]
fn equal_estimates_at_once_count_each_replication_once() {
    let room = program::folder();
    let words = RIVALS[5][0];
    let lines = |out: &str| {
        let text = std::fs::read_to_string(room.path().join(out).join("replications.jsonl"));
        let numbered = |line: &str| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["state"]["number"].as_u64().unwrap()
        };
        text.unwrap().lines().map(numbered).collect::<Vec<_>>()
    };
    at_once(room.path(), &[format!("{words} --out alone")]);
    let alone = lines("alone");
    assert_eq!(alone, (0..alone.len() as u64).collect::<Vec<_>>());
    for round in 0..4 {
        let out = format!("out-{round}");
        at_once(room.path(), &[(); 3].map(|()| format!("{words} --out {out}")));
        assert_eq!(lines(&out), alone);
    }
}

#[test]
fn of_commands_that_write_one_file_one_wins() {
    races(few());
}

#[test]
fn threads_without_a_game_are_not_started() {
    if let Some(lacking) = program::lacking() {
        return eprintln!("not attacked: {lacking}");
    }
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    for command in [
        "simulate --board 8x8 --games 3 --max-pieces 60 --sample 0 --placements csv --threads 300 --out a",
        "simulate --rules guideline --mode blitz --pieces 9 --games 3 --threads 300 --out b",
        "liap compare v1 v2 --rounds 30 --threads 300",
        "liap simulate --rounds 30 --threads 300",
        "compare bcts dt20 --board 8x8 --games 3 --max-pieces 60 --threads 300",
    ] {
        let room = program::folder();
        let (ended, calls) = program::counted(room.path(), &command.split(' ').collect::<Vec<_>>());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let started = calls["pthread_create"];
        assert!(started < 40 + 2 * cores, "{command}: {started} threads");
    }
}

#[test]
fn damage_is_refused_or_mended() {
    damage(few());
}

#[test]
fn failing_system_calls_end_a_command_in_order() {
    failures(few());
}

#[test]
fn the_same_command_goes_on_after_a_kill() {
    kills(few());
}

/// Kills runs with a large checkpoint while the first checkpoint is renamed. The next command must recognise the
/// partial checkpoint by its content, not by its size.
#[test]
fn a_kill_in_a_large_first_checkpoint_is_gone_on_from() {
    if let Some(lacking) = program::lacking() {
        return println!("not attacked: {lacking}");
    }
    let script = "IOTSZJL".repeat(10_000);
    for line in [
        "simulate --rules guideline --mode blitz --pieces 15 --search beam --beam-width 3 --controller tetrastat-blitz-network --games 2 --placements csv --checkpoint-ms 10 --out out",
        "simulate --board 8x8 --games 3 --max-pieces 40 --script script.txt --sample 0 --out out",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let room = room(&Files::from([("script.txt".to_owned(), script.clone().into_bytes())]));
        let killed = program::run(room.path(), &words, Some("rename 1 signal 9"));
        assert_eq!(killed.signal, Some(9), "{line}: {}", killed.stderr);
        let left = room.path().join("out/checkpoint.json.partial");
        assert!(left.metadata().unwrap().len() > 1 << 16, "{line}");
        let again = program::run(room.path(), &words, None);
        assert_eq!(again.code, Some(0), "{line}: {}", again.stderr);
    }
}

#[test]
#[ignore = "long: 30 s"]
fn long_damage_is_refused_or_mended() {
    damage(CASES..LONG_CASES);
}

#[test]
#[ignore = "long: 30 s"]
fn long_failing_system_calls_end_a_command_in_order() {
    failures(CASES..LONG_CASES);
}

#[test]
#[ignore = "long: 30 s"]
fn long_the_same_command_goes_on_after_a_kill() {
    kills(CASES..LONG_CASES);
}
