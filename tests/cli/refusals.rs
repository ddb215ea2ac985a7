//! What users, files and the system may do to the program without a panic: extreme numbers, threads
//! and memory that are refused, damaged tables, long and hidden names. One line, exit code 2, and
//! nothing half-written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::common::{command, entries, folder, refused, tetrastat, text};

/// Fails unless the program said one line of its own and ended with code 2.
fn one_line(what: &str, output: &Output) -> String {
    let message = text(&output.stderr).to_owned();
    assert_eq!(output.status.code(), Some(2), "{what}: {message}");
    assert_eq!(message.lines().count(), 1, "{what}: {message}");
    assert!(message.starts_with("tetrastat: "), "{what}: {message}");
    assert!(message.chars().count() <= 1001, "{what}: {message}");
    message
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Training as small as it can be, with the method's name before it.
const TRAIN: &str = "--board 6x8 --max-pieces 20 --generations 1 --games 1 --population 10 \
     --check-games 1 --held-out-games 2 --final-games 2 --finalists 2 --threads 2 --out t";

/// Counts that would take more memory than there is are refused before any work, and the option and its
/// bound are named.
#[test]
fn counts_beyond_their_bounds_are_refused() {
    let huge = ["4000000000", "51539607552", "9223372036854775807"];
    let train = |method: &str, option: &str, value: &str| {
        let mut args = vec!["train", method];
        let mut rest = words(TRAIN);
        let place = rest.iter().position(|word| *word == option).unwrap();
        rest[place + 1] = value;
        args.extend(rest);
        refused(&args, &["at most"]);
    };
    let options = [
        "--population",
        "--games",
        "--check-games",
        "--held-out-games",
        "--final-games",
        "--finalists",
    ];
    for value in huge {
        for option in options {
            train("cem", option, value);
        }
        for method in ["ga", "snes", "cmaes"] {
            train(method, "--population", value);
        }
        for line in [
            "simulate --board 6x8 --max-pieces 20 --games",
            "simulate --rules guideline --sprint-lines 2 --games",
            "compare bcts dt20 --board 6x8 --max-pieces 20 --games",
            "exact --board 4x4 --check",
            "watch --board 6x8 --game",
        ] {
            let line = [words(line), vec![value]].concat();
            let output = tetrastat(folder().path(), &line);
            one_line(&line.join(" "), &output);
        }
    }
    let most = "18446744073709551615";
    for line in [
        "liap simulate --rounds",
        "liap compare v1 v2 --rounds",
        "estimate --board 6x8 --pieces",
        "estimate --board 6x8 --burn-in",
        "estimate --board 6x8 --pilot-pieces",
    ] {
        refused(&[words(line), vec![most]].concat(), &["at most"]);
    }
}

/// The largest numbers that are no reason to refuse are no reason to panic either.
#[test]
fn large_numbers_that_make_sense_are_taken() {
    let most = "18446744073709551615";
    for line in [
        "simulate --board 6x8 --games 2 --threads 1 --max-pieces 20 --out r --sample",
        "simulate --board 6x8 --games 2 --threads 1 --max-pieces 20 --out r --only-last",
        "simulate --board 6x8 --games 2 --threads 1 --max-pieces 20 --out r --every",
        "simulate --board 6x8 --games 2 --threads 1 --max-pieces 20 --out r --from",
        "simulate --board 6x8 --games 2 --threads 1 --max-pieces 20 --out r --to",
        "simulate --board 6x8 --games 2 --threads 1 --max-pieces 20 --out r --checkpoint-ms",
        "simulate --board 6x8 --games 2 --threads 1 --max-pieces 20 --out r --max-lines",
        "simulate --board 4x4 --games 2 --threads 1 --out r --max-pieces",
        "exact --board 4x4 --threads 1 --max-states",
        "plan --tell 3e5,4e5 --limit",
    ] {
        let output = tetrastat(folder().path(), &[words(line), vec![most]].concat());
        assert_eq!(output.status.code(), Some(0), "{line}: {}", text(&output.stderr));
    }
}

/// Files are held to the same bounds as flags.
#[test]
fn counts_in_files_are_refused_too() {
    let folder = folder();
    for (key, bound) in
        [("population", "1000000"), ("held_out_games", "10000000"), ("games", "10000000")]
    {
        let config = format!("method = \"cem\"\nboard = \"6x8\"\n{key} = 4000000000\n");
        fs::write(folder.path().join("t.toml"), config).unwrap();
        let output = tetrastat(folder.path(), &["train", "--config", "t.toml", "--out", "t"]);
        let message = one_line(key, &output);
        assert!(message.contains(bound) && message.contains("4000000000"), "{message}");
    }
    let study = "controllers = [\"bcts\"]\nboards = [\"6x8\"]\ngames = 4000000000\n";
    fs::write(folder.path().join("s.toml"), study).unwrap();
    let output = tetrastat(folder.path(), &["study", "s.toml", "--out", "s"]);
    assert!(one_line("study", &output).contains("1000000000"));
    let left = entries(folder.path());
    assert_eq!(left.len(), 2, "{left:?}");
}

/// A library that makes calls of the system fail, loaded before the C library.
#[cfg(target_os = "linux")]
fn shim() -> Option<&'static Path> {
    static MADE: OnceLock<Option<(tempfile::TempDir, PathBuf)>> = OnceLock::new();
    const SOURCE: &str = r#"
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <errno.h>
        #include <pthread.h>
        #include <stdlib.h>
        #include <time.h>
        #include <unistd.h>
        #include <sys/syscall.h>
        static int threads;
        int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x) {
            static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
            const char *from = getenv("NO_THREAD_FROM"), *to = getenv("NO_THREAD_TO");
            int n = __sync_add_and_fetch(&threads, 1);
            if (from && n >= atoi(from) && (!to || n <= atoi(to))) return EAGAIN;
            if (!real) real = dlsym(RTLD_NEXT, "pthread_create");
            return real(t, a, f, x);
        }
        static int calls;
        int clock_gettime(clockid_t c, struct timespec *s) {
            const char *from = getenv("NO_CLOCK_FROM"), *where = getenv("NO_CLOCK_WHERE");
            int on_main = getpid() == syscall(SYS_gettid);
            if (from && (*where == 'm') == on_main && __sync_add_and_fetch(&calls, 1) >= atoi(from)) {
                errno = EINVAL;
                return -1;
            }
            return syscall(SYS_clock_gettime, c, s);
        }
    "#;
    let made = MADE.get_or_init(|| {
        let folder = folder();
        let (source, library) = (folder.path().join("shim.c"), folder.path().join("shim.so"));
        fs::write(&source, SOURCE).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).args([&library, &source]).arg("-ldl");
        let made = compiler.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        made.then_some((folder, library))
    });
    if made.is_none() {
        eprintln!("not tested: `cc` makes no shared library here");
    }
    made.as_ref().map(|(_, library)| &**library)
}

/// A run whose system calls fail as the shim is told.
#[cfg(target_os = "linux")]
fn injected(folder: &Path, line: &str, shim: &Path, told: &[(&str, String)]) -> Output {
    let mut command = command(folder, &words(line));
    command.env("LD_PRELOAD", shim).env("RUST_BACKTRACE", "1").envs(told.iter().cloned());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
            panic!("{line} {told:?} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

#[cfg(target_os = "linux")]
const COMMANDS: [&str; 7] = [
    "simulate --board 6x8 --games 4 --max-pieces 60 --threads 2 --checkpoint-ms 0 --out o",
    "simulate --rules guideline --games 2 --sprint-lines 2 --threads 2 --out o",
    "compare bcts dellacherie --board 6x8 --games 2 --max-pieces 30 --threads 2 --out o",
    "estimate --board 6x8 --budget 2000 --pieces 200 --burn-in 10 --pilot-pieces 300 --threads 2",
    "train cem --board 6x8 --max-pieces 20 --generations 1 --games 1 --population 10 --held-out-games 2 --final-games 2 --finalists 2 --threads 2 --out o",
    "liap simulate --rounds 20 --threads 2 --out o",
    "exact --board 4x4 --threads 2",
];

/// Every thread in turn that cannot be started: the command is refused in one line, or does without it.
#[test]
#[ignore = "long: 10 s"]
#[cfg(target_os = "linux")]
fn long_threads_that_cannot_be_started_are_told() {
    let Some(shim) = shim() else { return };
    let mut refused = 0;
    for line in COMMANDS {
        for number in 1..=12 {
            // This one alone, and this one and all after it.
            for to in [Some(number), None] {
                let folder = folder();
                let mut told = vec![("NO_THREAD_FROM", number.to_string())];
                told.extend(to.map(|to| ("NO_THREAD_TO", to.to_string())));
                let output = injected(folder.path(), line, shim, &told);
                if output.status.success() {
                    continue;
                }
                let message = one_line(&format!("{line} {told:?}"), &output);
                assert!(message.contains("thread"), "{line}: {message}");
                refused += 1;
                let wrong: Vec<PathBuf> = entries(folder.path())
                    .into_iter()
                    .filter(|path| path.join("run.json").exists())
                    .collect();
                assert_eq!(wrong, Vec::<PathBuf>::new(), "{line}: a run that never was");
            }
        }
    }
    assert!(refused > COMMANDS.len(), "{refused}: the shim does not work");
}

/// A clock that fails makes the standard library panic, wherever the time is asked for: on the main thread
/// and on workers. That must reach the user like any failure.
#[test]
#[cfg(target_os = "linux")]
fn a_panic_is_one_line_and_code_2() {
    let Some(shim) = shim() else { return };
    let mut panics = 0;
    for line in COMMANDS {
        for (place, from) in [("main", 1), ("main", 4), ("worker", 1), ("worker", 9)] {
            let folder = folder();
            let told = [("NO_CLOCK_FROM", from.to_string()), ("NO_CLOCK_WHERE", place.to_owned())];
            // Whatever tells progress looks at the clock again while it is torn down.
            let line = &format!("{line} --progress none");
            let output = injected(folder.path(), line, shim, &told);
            if output.status.success() {
                continue;
            }
            let message = one_line(&format!("{line} {told:?}"), &output);
            if message.contains("internal error") {
                assert!(message.contains("please report it"), "{message}");
                panics += 1;
            }
        }
    }
    assert!(panics >= COMMANDS.len(), "{panics}: the shim does not work");
}

/// Memory refused at any size ends in exit code 2, never in a signal.
#[test]
#[cfg(target_os = "linux")]
fn memory_that_is_refused_is_no_signal() {
    let binary = assert_cmd::cargo::cargo_bin!("tetrastat");
    let mut refused = 0;
    // As much as the program's own file and some more: less than that loads no program.
    let own = std::fs::metadata(binary).unwrap().len() >> 20;
    for megabytes in [own + 8, own + 24, own + 88] {
        let folder = folder();
        let limited = format!("ulimit -v {} && exec \"$0\" \"$@\"", megabytes * 1024);
        let mut command = Command::new("sh");
        command.current_dir(folder.path()).args(["-c", &limited]).arg(binary);
        command.args(words("exact --board 4x5 --optimal --threads 2"));
        let output = command.env("RUST_BACKTRACE", "0").output().unwrap();
        let message = text(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 2)),
            "{megabytes} MB: {:?} {message}",
            output.status
        );
        if output.status.code() == Some(2) {
            refused += 1;
            assert!(message.contains("memory") || message.contains("thread"), "{message}");
        }
    }
    assert!(refused > 0, "8 MB are never too few");
}

/// A run with a log of candidates, to be damaged.
fn candidates(folder: &Path) {
    let line = "simulate --board 6x8 --games 2 --max-pieces 12 --threads 1 --candidates --placements csv --out run";
    let output = tetrastat(folder, &words(line));
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Damage to a table of text, and what the refusal says.
#[test]
fn damaged_tables_of_text_are_refused() {
    let folder = folder();
    let path = folder.path();
    candidates(path);
    let whole = fs::read_to_string(path.join("run/candidates.csv")).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let header: Vec<&str> = lines[0].split(',').collect();
    let place = |name: &str| header.iter().position(|other| *other == name).unwrap();
    let with = |name: &str, cell: &str| {
        let mut cells: Vec<&str> = lines[2].split(',').collect();
        cells[place(name)] = cell;
        let line = cells.join(",");
        [lines[0], lines[1], &line, lines[3]].join("\n") + "\n"
    };
    let twice = whole.replacen("piece_no", "game", 1);
    let unknown = whole.replacen("piece_no", &"x".repeat(2000), 1);
    let ragged = [lines[0], lines[1], &lines[2][..lines[2].rfind(',').unwrap()]].join("\n");
    let damaged: Vec<(&str, String, &str)> = vec![
        ("empty", String::new(), "empty"),
        ("ragged", ragged, "fields"),
        ("missing factor", with("piece", "NA"), "line 3: 'NA' in column piece"),
        ("wrong factor", with("piece", "Q"), "'Q' in column piece"),
        ("missing count", with("game", "NA"), "'NA' in column game"),
        ("large count", with("game", "-9223372036854775808"), "in column game"),
        ("no count", with("game", "1.5"), "'1.5' in column game"),
        ("too long", with("game", &"9".repeat(2000)), "..."),
        ("hidden", with("game", "\u{1b}[2J"), "\\u{1b}[2J"),
        ("zero byte", with("piece", "I\0"), "\\u{0}"),
        ("open quote", with("piece", "\"I"), "fields"),
        ("twice", twice, "occurs twice"),
        ("unknown column", unknown, "unknown column 'xxx"),
    ];
    for (name, bytes, says) in damaged {
        fs::write(path.join("candidates.csv"), bytes).unwrap();
        for to in ["c.parquet", "c.csv.zst"] {
            let output = tetrastat(path, &["convert", "candidates.csv", to]);
            let message = one_line(name, &output);
            assert!(message.contains(says), "{name}: {message}");
            assert!(!path.join(to).exists(), "{name} left {to}");
            assert!(!path.join(format!("{to}.partial")).exists(), "{name} left a part of {to}");
        }
    }
    // A header alone is a table without rows.
    fs::write(path.join("candidates.csv"), lines[0].to_owned() + "\n").unwrap();
    assert!(tetrastat(path, &["convert", "candidates.csv", "c.parquet"]).status.success());
}

/// Damage to packed tables: each byte of the footer, of some of the pages, and every length.
#[test]
fn damaged_packed_tables_are_refused() {
    let folder = folder();
    let path = folder.path();
    candidates(path);
    for format in ["parquet", "csv.gz", "csv.zst"] {
        let (name, back) = (format!("candidates.{format}"), "back.csv");
        let made = tetrastat(path, &["convert", "run/candidates.csv", &name]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let whole = fs::read(path.join(&name)).unwrap();
        let mut damaged = vec![Vec::new()];
        for step in 1..8 {
            damaged.push(whole[..whole.len() * step / 8].to_vec());
        }
        let (n, mut stream) = (whole.len(), 7usize);
        for _ in 0..60 {
            stream = stream
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let mut bytes = whole.clone();
            // Most of what can go wrong stands in the footer.
            let at =
                if stream & 1 == 0 { n - 1 - (stream >> 33) % (n / 4) } else { (stream >> 33) % n };
            bytes[at] = (stream >> 24) as u8;
            damaged.push(bytes);
        }
        for (number, bytes) in damaged.iter().enumerate() {
            fs::write(path.join(&name), bytes).unwrap();
            let output = tetrastat(path, &["convert", &name, back, "--force"]);
            if output.status.success() {
                assert!(!bytes.is_empty());
                fs::remove_file(path.join(back)).unwrap();
                continue;
            }
            let message = one_line(&format!("{name} {number}"), &output);
            assert!(!message.contains("internal error"), "{name} {number}: {message}");
            assert!(!path.join(back).exists() && !path.join("back.csv.partial").exists());
        }
    }
}

/// What a user gave is cut and escaped in every refusal; a path stays readable.
#[test]
fn quotations_are_short_and_printable() {
    let long = "x".repeat(2000);
    let hidden = "a\u{1b}[2J\u{7}b\nc";
    for given in [&*long, hidden] {
        for line in [
            vec![given],
            vec!["simulate", "--controller", given],
            vec!["simulate", "--board", given],
            vec!["simulate", "--games", given],
            vec!["simulate", "--script", given],
            vec!["simulate", "--queue", given],
            vec!["simulate", "--columns", given],
            vec!["simulate", "--shard", given],
            vec!["simulate", "--placements", given],
            vec!["train", given],
            vec!["train", "cem", "--noise", given],
            vec!["train", "cem", "--objective", given],
            vec!["train", "cem", "--features", given],
            vec!["features", "--piece", given],
            vec!["perft", given],
            vec!["liap", "declare", given],
            vec!["plan", "--tell", given],
            vec!["compare", given],
        ] {
            let output = tetrastat(folder().path(), &line);
            let shown = line.iter().map(|word| word.chars().take(20).collect::<String>());
            let message = one_line(&format!("{:?}", shown.collect::<Vec<_>>()), &output);
            assert!(!message.contains(&"x".repeat(120)), "{message}");
            assert!(!message.trim_end().contains(|c: char| c.is_control()), "{message:?}");
        }
    }
    let path = format!("{}/missing.csv", ["folder"; 42].join("/"));
    let output = tetrastat(folder().path(), &["convert", &path, "out.csv"]);
    assert!(one_line("path", &output).contains(&path));
}

/// A misspelt name must get a suggestion instead of a list of up to 98 names.
#[test]
fn a_near_miss_is_answered_with_what_was_meant() {
    let meant = |args: &[&str], word: &str| {
        refused(args, &[&format!("did you mean {word}?")]);
        let output = tetrastat(folder().path(), args);
        assert!(text(&output.stderr).len() < 300, "{}", text(&output.stderr));
    };
    meant(&["simulate", "--controller", "bctss"], "'bcts'");
    meant(&["simulate", "--controller", "BCTS"], "'bcts'");
    meant(&["controllers", "delacherie"], "'dellacherie'");
    meant(&["compare", "bcts", "DT20"], "'dt20'");
    meant(&["train", "cem", "--features", "hole,landing_height"], "'holes'");
    meant(&["simulate", "--search", "nxt"], "'next'");
    meant(&["simulate", "--rules", "guidlines"], "'guideline'");
    meant(&["simulate", "--queue", "bagg"], "'bag'");
    meant(&["train", "--preset", "notebok"], "'notebook'");
    // No known name is close, so the message lists all names.
    // The message suggests the file in the working folder.
    let folder = folder();
    let shown = tetrastat(folder.path(), &["init", "controller"]).stdout;
    let shown =
        if shown.is_empty() { b"name = \"mine\"\n[weights]\nholes = -1\n".to_vec() } else { shown };
    fs::write(folder.path().join("mine.toml"), shown).unwrap();
    for command in [&["simulate", "--controller", "mine"][..], &["controllers", "mine"]] {
        let output = tetrastat(folder.path(), command);
        let said = text(&output.stderr);
        assert!(said.contains("did you mean the file mine.toml?"), "{said}");
    }
}

/// Users must not see the raw messages of Rust's libraries.
#[test]
fn mistakes_are_told_in_plain_words() {
    let folder = folder();
    let run =
        ["simulate", "--games", "2", "--max-pieces", "20", "--placements", "csv", "--out", "run"];
    assert!(tetrastat(folder.path(), &run).status.success());
    let file = |text: &str| fs::write(folder.path().join("mine.toml"), text).unwrap();
    file("measured = \"after\"\n[weights]\nholes = -1\n");
    let wrong = |args: &[&str]| {
        let output = tetrastat(folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        text(&output.stderr).to_owned()
    };
    let measured = wrong(&["simulate", "--controller", "mine.toml"]);
    let key = {
        file("measurd = \"after-clear\"\n[weights]\nholes = -1\n");
        wrong(&["simulate", "--controller", "mine.toml"])
    };
    assert!(measured.contains("'after'") && measured.contains("after-clear"), "{measured}");
    assert!(key.contains("did you mean 'measured'?"), "{key}");
    let or = wrong(&["convert", "run", "out", "--format", "csv", "--where", "lines>1 or game=1"]);
    assert!(or.contains("`or` is not supported") && or.contains("game<=20 and holes>3"), "{or}");
    let no = wrong(&["convert", "run", "out", "--format", "csv", "--where", "a or b"]);
    assert!(no.contains("`or` is not supported"), "{no}");
    let absent = wrong(&["verify", "absent"]);
    for said in [measured, key, or, no, absent] {
        for word in
            ["in 1..", "unknown variant", "unknown field", "expected", "os error", "literal"]
        {
            assert!(!said.contains(word), "{word}: {said}");
        }
    }
}

/// An address taken as a path would create a local folder `s3:`, whose results are lost with the machine.
#[test]
fn addresses_in_place_of_paths_are_refused_before_anything_is_played() {
    let folder = folder();
    for line in [
        "simulate --games 2 --max-pieces 20 --out s3://bucket/run",
        "liap simulate --matches 1 --out=gs://bucket/run",
        "train cem --config file:///x.toml --out x",
        "compare bcts dt20 --games 2 --max-pieces 20 --out s3://bucket/run",
        "estimate --board 6x8 --budget 1000 --out s3://bucket/run",
        "study s3://bucket/study.toml --out x",
        "convert s3://bucket/run x",
        "merge a b --out s3://bucket/run",
        "verify s3://bucket/run",
    ] {
        let output = tetrastat(folder.path(), &words(line));
        let message = one_line(line, &output);
        assert!(message.contains("name a local folder"), "{line}: {message}");
        assert!(entries(folder.path()).is_empty(), "{line}");
    }
}
