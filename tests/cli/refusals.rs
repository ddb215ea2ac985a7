//! Failures of the system and of files that must not end in a panic: refused threads, clocks and
//! memory, and damaged packed tables. Extreme numbers, damaged tables of text, long and hidden
//! names stand in counts.md, damaged-tables.md, quotations.md and near-misses.md in
//! tests/messages/.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::common::{command, entries, folder, tetrastat, text};

/// Fails unless the program said one line of its own and ended with code 2.
fn one_line(what: &str, output: &Output) -> String {
    let message = text(&output.stderr).to_owned();
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{what}: {message}");
    assert!(message.starts_with("tetrastat: "), "{what}: {message}");
    assert!(message.chars().count() <= 1001, "{what}: {message}");
    message
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
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

/// Runs a command of the program whose system calls fail as the variables tell the shim.
#[cfg(target_os = "linux")]
fn injected(line: &str, shim: &Path, told: &[(&str, &str)]) -> (tempfile::TempDir, Output) {
    let folder = folder();
    let program = command(folder.path(), &[]);
    let mut limited = Command::new("timeout");
    limited.args(["120", "env", &format!("LD_PRELOAD={}", shim.display())]);
    limited.args(told.iter().map(|(name, value)| format!("{name}={value}")));
    limited.arg(program.get_program()).args(words(line)).current_dir(folder.path());
    limited.env("TETRASTAT_PROGRESS", "none").env("RUST_BACKTRACE", "1").stdin(Stdio::null());
    let output = limited.output().unwrap();
    assert_ne!(output.status.code(), Some(124), "{line} {told:?} does not end");
    (folder, output)
}

#[cfg(target_os = "linux")]
const COMMANDS: [&str; 7] = [
    "simulate --board 6x8 --games 4 --max-pieces 60 --threads 2 --checkpoint-ms 0 --out o",
    "simulate --rules guideline --games 2 --sprint-lines 2 --threads 2 --out o",
    "compare bcts dellacherie --board 6x8 --games 2 --max-pieces 30 --threads 2 --out o",
    "estimate --board 6x8 --budget 2000 --pieces 200 --burn-in 10 --pilot-pieces 300 --threads 2",
    "train cem --board 6x8 --max-pieces 20 --generations 1 --games 1 --population 10 --held-out-games 2 --final-games 2 --finalists 2 --threads 2 --out o",
    "simulate --rules liap --rounds 20 --threads 2 --out o",
    "exact --board 4x4 --threads 2",
];

/// Every thread in turn that cannot be started: the command is refused in one line, or does without
/// it.
#[test]
#[ignore = "long: 10 s"]
#[cfg(target_os = "linux")]
fn long_threads_that_cannot_be_started_are_told() {
    let Some(shim) = shim() else { return };
    let mut refused = 0;
    for line in COMMANDS {
        for number in (1..=12).map(|number| number.to_string()) {
            // This one alone, and this one and all after it.
            for to in [&*number, "1000"] {
                let told = [("NO_THREAD_FROM", &*number), ("NO_THREAD_TO", to)];
                let (folder, output) = injected(line, shim, &told);
                if output.status.success() {
                    continue;
                }
                let message = one_line(&format!("{line} {told:?}"), &output);
                assert!(message.contains("thread"), "{line}: {message}");
                refused += 1;
                let left = entries(folder.path());
                let wrong: Vec<&PathBuf> =
                    left.iter().filter(|path| path.join("run.json").exists()).collect();
                assert!(wrong.is_empty(), "{line}: {wrong:?} is a run that never was");
            }
        }
    }
    assert!(refused > COMMANDS.len(), "{refused}: the shim does not work");
}

/// A clock that fails makes the standard library panic, wherever the time is asked for: on the main
/// thread and on workers. That must reach the user like any failure.
#[test]
#[cfg(target_os = "linux")]
fn a_panic_is_one_line_and_code_2() {
    let Some(shim) = shim() else { return };
    let mut panics = 0;
    for line in COMMANDS {
        for (place, from) in [("main", "1"), ("main", "4"), ("worker", "1"), ("worker", "9")] {
            // Whatever tells progress looks at the clock again while it is torn down.
            let line = &format!("{line} --progress none");
            let told = [("NO_CLOCK_FROM", from), ("NO_CLOCK_WHERE", place)];
            let (_, output) = injected(line, shim, &told);
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
    let own = fs::metadata(binary).unwrap().len() >> 20;
    for megabytes in [own + 8, own + 24, own + 88] {
        let folder = folder();
        let limited = format!(
            "ulimit -v {} && exec '{}' exact --board 4x5 --optimal --threads 2",
            megabytes * 1024,
            binary.display()
        );
        let mut command = Command::new("sh");
        command.current_dir(folder.path()).args(["-c", &limited]).env("RUST_BACKTRACE", "0");
        let output = command.output().unwrap();
        let message = text(&output.stderr);
        match output.status.code() {
            Some(0) => continue,
            Some(2) => refused += 1,
            _ => panic!("{megabytes} MB: {:?} {message}", output.status),
        }
        assert!(message.contains("memory") || message.contains("thread"), "{message}");
    }
    assert!(refused > 0, "8 MB are never too few");
}

/// Damage to packed tables: each byte of the footer, of some of the pages, and every length.
#[test]
fn damaged_packed_tables_are_refused() {
    let folder = folder();
    let path = folder.path();
    let line = "simulate --board 6x8 --games 2 --max-pieces 12 --threads 1 --candidates --placements csv --out run";
    assert!(tetrastat(path, &words(line)).status.success());
    for format in ["parquet", "csv.gz", "csv.zst"] {
        let name = format!("candidates.{format}");
        let made = tetrastat(path, &["data", "convert", "run/candidates.csv", &name]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        let whole = fs::read(path.join(&name)).unwrap();
        let n = whole.len();
        let mut damaged: Vec<Vec<u8>> = (0..8).map(|step| whole[..n * step / 8].to_vec()).collect();
        let mut stream = 7usize;
        for _ in 0..60 {
            stream = stream
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            // Most of what can go wrong stands in the footer.
            let at =
                if stream & 1 == 0 { n - 1 - (stream >> 33) % (n / 4) } else { (stream >> 33) % n };
            damaged.push(whole.clone());
            damaged.last_mut().unwrap()[at] = (stream >> 24) as u8;
        }
        for (number, bytes) in damaged.iter().enumerate() {
            fs::write(path.join(&name), bytes).unwrap();
            let output = tetrastat(path, &["data", "convert", &name, "back.csv", "--force"]);
            if output.status.success() {
                assert!(!bytes.is_empty());
                fs::remove_file(path.join("back.csv")).unwrap();
                continue;
            }
            let message = one_line(&format!("{name} {number}"), &output);
            assert!(!message.contains("internal error"), "{name} {number}: {message}");
            assert!(!path.join("back.csv").exists() && !path.join("back.csv.partial").exists());
        }
    }
}
