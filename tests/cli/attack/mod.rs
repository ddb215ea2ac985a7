//! An attack on the real binary: damaged checkpoints and tables, failing system calls, kills at any
//! moment, folders whose manifests list files outside ([`names`]). A command must always end in
//! order. The same command given again must produce the bytes of an undisturbed run, or fail with
//! one line. Nothing may be lost or silently changed.
//!
//! Each kind of attack has its test here and goes through the commands of [`jobs`] in turn: a few
//! cases with every `cargo test`, more where long tests are asked for, or as many as one likes:
//!
//! ```sh
//! TETRASTAT_ATTACK=1000 cargo test --workspace --test cli attack:: -- --nocapture      # cases of
//! each kind TETRASTAT_ATTACK_SEED=7 cargo test --workspace --test cli attack::                   #
//! other cases TETRASTAT_ATTACK_ONLY=damage/17 cargo test --workspace --test cli attack::
//! # one case, whose folder is kept TETRASTAT_ATTACK_COMMANDS=train cargo test --workspace --test
//! cli attack::           # commands whose name has this TETRASTAT_ATTACK_BINARY=/usr/bin/tetrastat
//! cargo test --workspace --test cli attack::  # another binary
//! ```
//!
//! The counts are printed with `--nocapture`; what goes wrong fails the test, with the command and
//! the case to repeat it. What fails inside of a run is brought about by a library that is
//! preloaded (`shim.c`), which `cc` makes; where there is none the test says so and does nothing.

#![cfg(target_os = "linux")]
// Its modules are nobody else's.
#![allow(unreachable_pub)]

mod chance;
mod damage;
mod files;
mod folders;
mod hostile;
mod jobs;
mod names;
mod program;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use chance::Chance;
use files::Files;
use jobs::{FILES, JOBS, Job};
use program::{Ended, Running, done};

use crate::common::read;

/// Cases of each kind unless asked for otherwise.
const CASES: u64 = 6;
/// Cases of each kind of the long tests, which go on where the others end.
const LONG: Range<u64> = CASES..100;
/// Cases from which on commands that take seconds have their share.
const AT_LENGTH: u64 = 400;

/// Files and output of a command without an attack.
pub struct Whole {
    inputs: Files,
    files: Files,
    /// Text on stdout, if it is the same each time.
    stdout: Option<Vec<u8>>,
    /// Number of calls of each function.
    calls: BTreeMap<String, u64>,
    time: Duration,
}

impl Job {
    /// Returns the files and the output of the command without an attack. The first call runs it.
    fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| {
            let inputs = self.inputs();
            let (one, two) = (room(&inputs), room(&inputs));
            let start = Instant::now();
            let first = program::run(one.path(), &self.words(), None);
            let time = start.elapsed();
            let (second, calls) = program::counted(two.path(), &self.words());
            assert_eq!([first.code, second.code], [Some(0); 2], "{}: {}", self.name, first.stderr);
            let [files, again] = [&one, &two].map(|room| files::read(&room.path().join("out")));
            assert_eq!(files::difference(&again, &files, false), Ok(()), "{}", self.name);
            assert_eq!(self.writes(), !files.is_empty(), "{}", self.name);
            let stdout = (first.stdout == second.stdout).then_some(first.stdout);
            Whole { inputs, files, stdout, calls, time }
        })
    }

    /// Returns the files that the command reads.
    fn inputs(&self) -> Files {
        let beside = self.writes_into().then_some(("out/beside", ""));
        let room = room(&FILES.into_iter().chain(beside).map(file).collect());
        self.before().for_each(|command| done(room.path(), command));
        files::read(room.path())
    }
}

fn file((name, text): (&str, &str)) -> (String, Vec<u8>) {
    (name.to_owned(), text.as_bytes().to_owned())
}

/// A folder of its own for a case, with what the command reads.
fn room(inputs: &Files) -> tempfile::TempDir {
    let room = program::folder();
    inputs.iter().for_each(|(name, bytes)| files::write(room.path(), name, bytes));
    room
}

/// Outcomes that are in order: the bytes of the undisturbed run, or a refusal in one line.
#[derive(PartialEq)]
enum Order {
    /// The bytes of the undisturbed run.
    Same,
    /// One line, and nothing harmed.
    Refused,
}
use Order::{Refused, Same};

/// Outcome of a case, or the violation that was found.
type Verdict = Result<Order, String>;

fn holds(condition: bool, otherwise: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(otherwise.to_owned()) }
}

/// A case: what is counted together, what was done, how it went.
struct Tried {
    label: String,
    deeds: Vec<String>,
    verdict: Verdict,
}

/// One case of an attack on one command.
struct Case<'a> {
    job: &'static Job,
    whole: &'static Whole,
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
        self.deeds.push(format!("{shimmed}tetrastat {}: {}", words.join(" "), ended.said()));
        ended
    }

    /// Runs the same command, or by chance `--resume`, where that goes on from a checkpoint.
    fn again(&mut self, order: Option<&str>) -> Ended {
        let begun = self.room.join("out/checkpoint.json").exists();
        let words = match self.job.resume().filter(|_| begun) {
            Some(command) if self.chance.one_in(2) => {
                command.split(' ').chain(["--resume", "out"]).collect()
            }
            _ => self.job.words(),
        };
        self.run(&words, order)
    }

    /// Ends the command when it has changed files so often.
    fn stop(&mut self, least: u64, most: u64) {
        let signal = if self.job.stops() && self.chance.one_in(3) { 2 } else { 9 };
        let call = self.chance.between(least.min(most), most.max(1));
        self.again(Some(&format!("change {call} signal {signal}")));
    }

    /// Holds a run that ended well against the undisturbed one.
    fn same(&self, found: &Files, ended: &Ended, leftovers: bool) -> Verdict {
        let answer = self.whole.stdout.as_ref().filter(|_| !self.job.writes());
        files::difference(found, &self.whole.files, leftovers)
            .map_err(|difference| format!("exit 0, but {difference}"))?;
        holds(answer.is_none_or(|answer| *answer == ended.stdout), "exit 0, but another answer")?;
        Ok(Same)
    }

    /// A damaged folder: the command refuses it in one line that says what to do, or does not need
    /// what is damaged; what it refuses goes on once the damage is undone.
    fn damaged(&mut self) -> Verdict {
        let changes = self.whole.calls["change"];
        let mut older = Files::new();
        if self.chance.one_in(3) {
            self.stop(changes / 8, changes / 2);
            older = self.out();
        }
        self.stop(changes / 5, changes + changes / 10);
        let before = self.out();
        if before.is_empty() {
            return Ok(Same);
        }
        let (out, mut damaged) = (self.room.join("out"), before.clone());
        while damaged == before {
            self.deeds.push(damage::damage(&out, &before, &older, &mut self.chance));
            damaged = self.out();
        }
        let ended = self.again(None);
        ended.in_order()?;
        if ended.code == Some(0) {
            // What is complete needs no checkpoint: a damaged one is refused by who does.
            let (name, mut found) = ("checkpoint.json", self.out());
            if found.get(name) == damaged.get(name)
                && let Some(whole) = self.whole.files.get(name)
            {
                found.insert(name.to_owned(), whole.clone());
            }
            return self.same(&found, &ended, self.job.leaves_temporary());
        }
        holds(ended.names_a_remedy(), "the line names no remedy")?;
        files::harm(&self.out(), &damaged, &self.whole.files)?;
        files::restore(&out, &before, &damaged);
        self.deeds.push("the damage undone".to_owned());
        let ended = self.run(&self.job.words(), None);
        ended.in_order()?;
        holds(ended.code == Some(0), "does not go on once the damage is undone")?;
        self.same(&self.out(), &ended, self.job.leaves_temporary())?;
        Ok(Refused)
    }

    /// A function of the C library that fails: the command ends in order, and goes on when it works
    /// again.
    fn injected(&mut self, function: &str, errors: &[i32]) -> Verdict {
        let mut calls = self.whole.calls[function];
        if self.job.goes_on() && self.chance.one_in(3) {
            self.stop(1, self.whole.calls["change"]);
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
        let ended = self.again(Some(&format!("{function} {call} {how} {error}")));
        // Where there is no memory at all, the standard library ends the program in words of its
        // own, mostly before the first line of ours; what is on disk goes on all the same.
        let starves = (function, how) == ("mmap", "always");
        if !(starves && ended.stderr.starts_with("memory allocation of") && !ended.hangs) {
            ended.in_order()?;
        }
        if ended.code == Some(0) {
            self.same(&self.out(), &ended, true)?;
        }
        if let Some(name) = self.half_file() {
            return Err(format!("{name} is there, but not as a whole"));
        }
        let ended = self.again(None);
        ended.in_order()?;
        if ended.code == Some(0) {
            return self.same(&self.out(), &ended, true);
        }
        holds(!self.job.begins_again(), "does not begin again")?;
        Ok(Refused)
    }

    /// Returns a file with a finished name that a command without a checkpoint has left incomplete.
    fn half_file(&self) -> Option<String> {
        if self.job.goes_on() || !self.job.writes() {
            return None;
        }
        let whole = |name: &String| self.whole.files.get(name);
        let is_half = |(name, bytes): &(String, Vec<u8>)| {
            files::is_finished(name)
                && whole(name).is_none_or(|whole| !files::are_same(name, whole, bytes))
        };
        self.out().into_iter().find(is_half).map(|(name, _)| name)
    }

    /// Kills at any moment, up to three: the same command goes on.
    fn killed(&mut self) -> Verdict {
        for _ in 0..1 + self.chance.below(3) {
            let (name, number) = *self.chance.of_all(&[("KILL", 9), ("INT", 2), ("TERM", 15)]);
            let is_new = self.out().is_empty();
            let ended = self.kill(name, number);
            if ended.signal != Some(number) {
                ended.in_order()?;
            } else if name != "KILL" && self.job.stops() && is_new && !self.out().is_empty() {
                // Who writes has a hand on Ctrl-C.
                return Err(format!("SIG{name} ends it without order"));
            }
            if ended.code == Some(2) {
                return self.refusal();
            }
        }
        let ended = self.run(&self.job.words(), None);
        ended.in_order()?;
        if ended.code == Some(0) {
            return self.same(&self.out(), &ended, self.job.leaves_temporary());
        }
        self.refusal()
    }

    /// Sends a signal at a moment, or when the command has changed files so often.
    fn kill(&mut self, name: &str, number: i32) -> Ended {
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
        self.deeds.push(format!("SIG{name} after {pause} microseconds: {}", ended.said()));
        ended
    }

    /// After a kill only a command without `--out` may refuse what it finds.
    fn refusal(&self) -> Verdict {
        holds(!self.job.goes_on(), "the same command does not go on")?;
        Ok(Refused)
    }
}

/// Number of the error of a call that a signal interrupted.
const EINTR: i32 = 4;

/// Functions of the C library, and the numbers of the errors with which they may fail: 4 EINTR, 5
/// EIO, 11 EAGAIN, 12 ENOMEM, 13 EACCES, 23 ENFILE, 24 EMFILE, 28 ENOSPC, 30 EROFS, 37 ENOLCK, 38
/// ENOSYS, 122 EDQUOT. `mmap64` is not among them: the standard library takes by it the stack on
/// which a thread would tell of an overflow, before any line of ours.
const FAILURES: &str = "open 13 5 24 23 28 30 4; read 5 4; write 28 5 122 4; rename 5 13 28; \
    unlink 5 13; mkdir 13 28 30; rmdir 13; fsync 5 28; \
    ftruncate 5 4; lseek 5; stat 13 5; flock 37 4 11; \
    opendir 13 24 5; readdir 5; mmap 12; pthread_create 11; \
    getrandom 38 4; pipe 24 23; affinity 38; getcwd 13";

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// Tries the cases of one kind, prints the counts, and fails with what must not be.
fn attack(kind: &str, cases: Range<u64>, mut tried: impl FnMut(usize, Chance) -> Tried) {
    let seed = number("TETRASTAT_ATTACK_SEED", 1);
    let only = std::env::var("TETRASTAT_ATTACK_ONLY").ok();
    // Cases, those with the same bytes, those refused, and violations.
    let mut counts = BTreeMap::<String, [u64; 4]>::new();
    for case in cases {
        if only.as_ref().is_some_and(|only| *only != format!("{kind}/{case}")) {
            continue;
        }
        let Tried { label, deeds, verdict } = tried(case as usize, Chance::of(seed, kind, case));
        let place = match &verdict {
            Ok(Same) => 1,
            Ok(Refused) => 2,
            Err(violation) => {
                let repeat =
                    format!("TETRASTAT_ATTACK_SEED={seed} TETRASTAT_ATTACK_ONLY={kind}/{case}");
                eprintln!("{label}: {violation}\n  {repeat}\n  {}", deeds.join("\n  "));
                3
            }
        };
        for label in [label, "all".to_owned()] {
            let count = counts.entry(label).or_default();
            count[0] += 1;
            count[place] += 1;
        }
    }
    println!("{kind:26}   cases  same bytes  refused  violations");
    for (name, [cases, same, refused, violations]) in &counts {
        println!("{name:26} {cases:>7} {same:>11} {refused:>8} {violations:>11}");
    }
    assert!(counts.values().all(|count| count[3] == 0), "violations, told above");
}

/// Whether the shim can be made; a test that needs it does nothing where it can't.
fn is_possible() -> bool {
    let lacking = program::lacking();
    lacking.iter().for_each(|lacking| eprintln!("not attacked: {lacking}"));
    lacking.is_none()
}

/// Attacks commands in turn, each case in a folder of its own. `tried` returns the label of the
/// case and how it went.
fn attack_jobs(
    kind: &str,
    cases: Range<u64>,
    chosen: impl Fn(&Job) -> bool,
    tried: impl Fn(&mut Case) -> (&'static str, Verdict),
) {
    let asked = std::env::var("TETRASTAT_ATTACK_COMMANDS").unwrap_or_default();
    let at_length = cases.end >= AT_LENGTH;
    let jobs = JOBS.iter().filter(|job| chosen(job) && job.name.contains(&asked));
    let jobs: Vec<&Job> = jobs.filter(|job| at_length || !job.is_dear()).collect();
    if !is_possible() {
        return;
    }
    attack(kind, cases, |case, chance| {
        let job = jobs[case % jobs.len()];
        let whole = job.whole();
        let room = room(&whole.inputs);
        let mut case =
            Case { job, whole, room: room.path(), chance, deeds: vec![job.name.to_owned()] };
        let (label, verdict) = tried(&mut case);
        let mut deeds = case.deeds;
        if std::env::var_os("TETRASTAT_ATTACK_ONLY").is_some() {
            deeds.push(format!("in {}", room.keep().display()));
        }
        Tried { label: label.to_owned(), deeds, verdict }
    });
}

/// The cases that are tried with every `cargo test`, or as many as were asked for.
fn few() -> Range<u64> {
    0..number("TETRASTAT_ATTACK", CASES)
}

fn damage(cases: Range<u64>) {
    attack_jobs("damage", cases, Job::goes_on, |case| (case.job.name, case.damaged()));
}

fn failures(cases: Range<u64>) {
    let tried = |case: &mut Case| {
        let calls = &case.whole.calls;
        let named = FAILURES.split("; ").map(|words| words.split_once(' ').unwrap());
        let called: Vec<_> = named.filter(|(name, _)| calls[*name] > 0).collect();
        let (function, errors) = *case.chance.of_all(&called);
        let errors: Vec<i32> = errors.split(' ').map(|error| error.parse().unwrap()).collect();
        (function, case.injected(function, &errors))
    };
    attack_jobs("failure", cases, |_| true, tried);
}

fn kills(cases: Range<u64>) {
    attack_jobs("kill", cases, Job::writes, |case| (case.job.name, case.killed()));
}

/// A run whose log is read and converted.
const LOGGED: &str = "simulate --board 8x8 --games 6 --max-pieces 200 --sample 0 --placements";

/// Flips single bits of packed tables. Reading them must return the written data or fail.
#[test]
fn a_flipped_bit_of_a_packed_table_is_refused() {
    let room = program::folder();
    let formats = ["csv.gz", "csv.zst", "parquet"].map(|format| {
        done(room.path(), &format!("{LOGGED} {format} --out {format}"));
        let name = format!("placements.{format}");
        let good = std::fs::read(room.path().join(format).join(&name)).unwrap();
        (format, name, good)
    });
    // There is no manifest beside the copy, since its checksum would reveal the flip.
    let read = |name: &str, bytes: &[u8]| {
        files::write(room.path(), name, bytes);
        program::run(room.path(), &["data", "convert", name, "-"], None)
    };
    let wholes = formats.each_ref().map(|(_, name, good)| read(name, good).stdout);
    let Range { start, end } = few();
    attack("flip of a packed table", start * 3..end * 3, |case, mut chance| {
        let (format, name, good) = &formats[case % 3];
        let (place, bit) = (chance.below(good.len()), chance.below(8));
        let mut flipped = good.clone();
        flipped[place] ^= 1 << bit;
        let ended = read(name, &flipped);
        let verdict = ended.in_order().and_then(|()| match ended.code {
            Some(0) if ended.stdout == wholes[case % 3] => Ok(Same),
            Some(2) => Ok(Refused),
            _ => Err("other data".to_owned()),
        });
        let deeds = vec![format!("{name}: bit {bit} of byte {place}")];
        Tried { label: (*format).to_owned(), deeds, verdict }
    });
}

/// Lets three commands write one file at once. The result must be the complete file of one of them.
#[test]
fn of_commands_that_write_one_file_one_wins() {
    let room = program::folder();
    done(room.path(), &format!("{LOGGED} csv --out run"));
    let rows = ["game<3", "game>=3", "game>=0"];
    let taken = |out: &str| {
        let bytes = std::fs::read(room.path().join(out)).unwrap();
        std::fs::remove_file(room.path().join(out)).unwrap();
        bytes
    };
    attack("race", few(), |_, mut chance| {
        let format = *chance.of_all(&["csv", "csv.gz", "csv.zst", "parquet"]);
        let force = if chance.one_in(2) { " --force" } else { "" };
        let of = |out: &str, rows: &str| {
            format!("data convert run/placements.csv {out}.{format} --where {rows}{force}")
        };
        let wholes = rows.map(|rows| {
            assert_eq!(at_once(room.path(), &[of("alone", rows)]), [true]);
            taken(&format!("alone.{format}"))
        });
        let ended = at_once(room.path(), &rows.map(|rows| of("out", rows)));
        let found = taken(&format!("out.{format}"));
        let won = ended.iter().filter(|won| **won).count();
        let is_one = ended.iter().zip(&wholes).any(|(won, whole)| *won && *whole == found);
        let is_right = is_one && won == if force.is_empty() { 1 } else { 3 };
        let verdict = holds(is_right, "not the file of one of them").map(|()| Same);
        Tried { label: format.to_owned(), deeds: vec![format!("{won} of 3 succeeded")], verdict }
    });
}

/// Pairs of commands that differ in one setting, for every kind of job.
const RIVALS: [&str; 9] = [
    "simulate --board 6x8 --games 40 --max-pieces 200 --sample 0 --placements csv --seed 1",
    "simulate --rules liap --rounds 300 --placements csv --seed 1",
    "train cem --features bcts --board 6x8 --population 4 --elite 2 --generations 2 --games 2 --max-pieces 50 --check-every 2 --check-games 4 --final-games 4 --held-out-games 4 --seed 1",
    "train td --windows 2x2 --board 6x8 --placements 2000 --seed 1",
    ESTIMATE,
    "compare bcts dt20 --board 6x8 --games 10 --seed 1",
    "study 1.toml",
    "data set data-1.toml",
    "label --from run --every 10 --replicates 2 --seed 1",
];
const ESTIMATE: &str =
    "estimate --board 6x8 --pieces 200 --burn-in 20 --pilot-pieces 500 --budget 4000 --seed 1";

/// Starts `commands` at once in `room`, waits for them, and returns which succeeded.
fn at_once(room: &Path, commands: &[String]) -> Vec<bool> {
    let start = |words: &String| {
        let mut command = Command::new(program::binary());
        command.current_dir(room).args(words.split(' '));
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
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
        files::write(room.path(), &format!("{seed}.toml"), study.as_bytes());
        files::write(room.path(), &format!("data-{seed}.toml"), (study + dataset).as_bytes());
    }
    done(room.path(), &format!("{} --out run", RIVALS[0]));
    let others = RIVALS.map(|one| one.replace("--seed 1", "--seed 2").replace("1.toml", "2.toml"));
    let mut pairs: Vec<_> = RIVALS.map(str::to_owned).into_iter().zip(others).collect();
    let guideline =
        "simulate --rules guideline --mode blitz --pieces 10 --games 3 --placements csv";
    pairs.push((RIVALS[0].to_owned(), guideline.to_owned()));
    for (place, (first, second)) in pairs.iter().enumerate() {
        assert_ne!(first, second);
        for round in 0..3 {
            let rest = format!("--threads 1 --out out-{place}-{round}");
            let succeeded =
                at_once(room.path(), &[first, second].map(|one| format!("{one} {rest}")));
            let won = succeeded.iter().filter(|&&won| won).count();
            assert_eq!(won, 1, "{first}: {succeeded:?}");
        }
    }
}

#[test]
fn equal_estimates_at_once_count_each_replication_once() {
    let room = program::folder();
    let lines = |out: &str, commands: usize| {
        at_once(room.path(), &vec![format!("{ESTIMATE} --out {out}"); commands]);
        let text = read(room.path(), &format!("{out}/replications.csv"));
        let number = |line: &str| line.split(',').next().unwrap().parse().unwrap();
        text.lines().skip(1).map(number).collect::<Vec<u64>>()
    };
    let alone = lines("alone", 1);
    assert_eq!(alone, (0..alone.len() as u64).collect::<Vec<_>>());
    for round in 0..4 {
        assert_eq!(lines(&format!("out-{round}"), 3), alone);
    }
}

#[test]
fn threads_without_a_game_are_not_started() {
    if !is_possible() {
        return;
    }
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    for command in [
        "simulate --board 8x8 --games 3 --max-pieces 60 --sample 0 --placements csv --threads 300 --out a",
        "simulate --rules guideline --mode blitz --pieces 9 --games 3 --threads 300 --out b",
        "liap compare v1 v2 --rounds 30 --threads 300",
        "simulate --rules liap --rounds 30 --threads 300",
        "compare bcts dt20 --board 8x8 --games 3 --max-pieces 60 --threads 300",
    ] {
        let room = program::folder();
        let (ended, calls) = program::counted(room.path(), &command.split(' ').collect::<Vec<_>>());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let started = calls["pthread_create"];
        assert!(started < 40 + 2 * cores, "{command}: {started} threads");
    }
}

/// Kills runs with a large checkpoint while the first checkpoint is renamed. The next command must
/// recognise the partial checkpoint by its content, not by its size.
#[test]
fn a_kill_in_a_large_first_checkpoint_is_gone_on_from() {
    if !is_possible() {
        return;
    }
    let script = "IOTSZJL".repeat(10_000);
    for line in [
        "simulate --rules guideline --mode blitz --pieces 15 --search beam --beam-width 3 --controller tetrastat-blitz-network --games 2 --placements csv --checkpoint-ms 10 --out out",
        "simulate --board 8x8 --games 3 --max-pieces 40 --script script.txt --sample 0 --out out",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let room = room(&Files::from([file(("script.txt", &script))]));
        let killed = program::run(room.path(), &words, Some("rename 1 signal 9"));
        assert_eq!(killed.signal, Some(9), "{line}: {}", killed.stderr);
        let left = room.path().join("out/checkpoint.json.partial");
        assert!(left.metadata().unwrap().len() > 1 << 16, "{line}");
        done(room.path(), line);
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

#[test]
#[ignore = "long: 30 s"]
fn long_damage_is_refused_or_mended() {
    damage(LONG);
}

#[test]
#[ignore = "long: 30 s"]
fn long_failing_system_calls_end_a_command_in_order() {
    failures(LONG);
}

#[test]
#[ignore = "long: 30 s"]
fn long_the_same_command_goes_on_after_a_kill() {
    kills(LONG);
}
