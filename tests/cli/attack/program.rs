//! The real binary at work: undisturbed, under the preloaded shim, stopped by a signal.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Nothing depends on how long anything takes, but what takes three minutes hangs.
const PATIENCE: Duration = Duration::from_secs(180);

/// End of a run of the program.
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub hangs: bool,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ended {
    /// Returns the exit code or signal, and the text on stderr.
    pub fn said(&self) -> String {
        let end = match (self.hangs, self.code, self.signal) {
            (true, ..) => "hangs".to_owned(),
            (false, Some(code), _) => format!("exit {code}"),
            (false, None, signal) => format!("signal {}", signal.unwrap_or_default()),
        };
        format!("{end}: {}", self.stderr.trim())
    }

    /// Fails unless the program succeeded, was interrupted, or refused in one line.
    pub fn in_order(&self) -> Result<(), String> {
        let panics =
            ["panicked at", "memory allocation of", "fatal runtime error", "overflowed its"];
        let panics = panics.iter().any(|sign| self.stderr.contains(sign));
        // Notices may stand before the refusal.
        let is_refusal = |line: &&str| line.starts_with("tetrastat: ");
        let last = self.stderr.lines().last().filter(is_refusal);
        let is_orderly = match self.code {
            Some(0 | 130) => true,
            Some(2) => last.is_some() && self.stderr.lines().filter(is_refusal).count() == 1,
            _ => false,
        };
        if self.hangs || panics || !is_orderly { Err(self.said()) } else { Ok(()) }
    }

    /// Returns `true` if the message names a remedy.
    pub fn names_a_remedy(&self) -> bool {
        let remedies = "restore|remove|start a new|give |choose|--out|--force|free |resume|plays it again|check";
        remedies.split('|').any(|remedy| self.stderr.contains(remedy))
    }
}

/// A folder for the attack: in memory where there is such a place, so that no disk is worn by it.
pub fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    tempfile::tempdir_in(memory).or_else(|_| tempfile::tempdir()).unwrap()
}

pub fn binary() -> PathBuf {
    std::env::var_os("TETRASTAT_ATTACK_BINARY").map_or_else(
        || assert_cmd::cargo::cargo_bin!("tetrastat").to_owned(),
        |path| fs::canonicalize(path).unwrap(),
    )
}

/// The shim, compiled.
fn shim() -> &'static Path {
    static SHIM: OnceLock<PathBuf> = OnceLock::new();
    SHIM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/attack/shim.c");
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("attack-shim.so");
        // Another test may have it loaded: a new file takes its place.
        let new = path.with_extension(std::process::id().to_string());
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-o"]).arg(&new).arg(source).arg("-ldl");
        let compiled = cc.output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        fs::rename(&new, &path).unwrap();
        path
    })
}

/// Why the attack can't be made here, if it can't.
pub fn lacking() -> Option<&'static str> {
    let compiles = Command::new("cc").arg("--version").stdout(Stdio::null()).status();
    (!compiles.is_ok_and(|status| status.success())).then_some("there is no C compiler (cc)")
}

/// A program that runs in a folder, beside which its output lies.
pub struct Running {
    child: Child,
    folder: PathBuf,
}

impl Running {
    /// `order` is what the shim does; the shim is not there without one.
    pub fn start(folder: &Path, words: &[&str], order: Option<&str>) -> Running {
        Running::start_with(folder, words, order.map(|order| ("TETRASTAT_SHIM", order)).as_slice())
    }

    fn start_with(folder: &Path, words: &[&str], shimmed: &[(&str, &str)]) -> Running {
        let mut command = Command::new(binary());
        command.current_dir(folder).args(words).stdin(Stdio::null());
        command.stdout(File::create(folder.join("said.stdout")).unwrap());
        command.stderr(File::create(folder.join("said.stderr")).unwrap());
        for (name, order) in shimmed {
            command.env("LD_PRELOAD", shim()).env(name, order);
        }
        Running { child: command.spawn().unwrap(), folder: folder.to_owned() }
    }

    pub fn signal(&mut self, signal: &str) {
        if self.child.try_wait().unwrap().is_none() {
            let pid = self.child.id().to_string();
            let _ = Command::new("kill").args(["-s", signal, &pid]).stderr(Stdio::null()).status();
        }
    }

    pub fn end(mut self) -> Ended {
        let start = Instant::now();
        let mut hangs = false;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                hangs = true;
                self.child.kill().unwrap();
                break self.child.wait().unwrap();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let read = |name: &str| fs::read(self.folder.join(name)).unwrap();
        Ended {
            code: status.code(),
            signal: status.signal(),
            hangs,
            stdout: read("said.stdout"),
            stderr: String::from_utf8_lossy(&read("said.stderr")).into_owned(),
        }
    }
}

pub fn run(folder: &Path, words: &[&str], order: Option<&str>) -> Ended {
    Running::start(folder, words, order).end()
}

/// Runs a command line that must succeed.
pub fn done(folder: &Path, line: &str) {
    let ended = run(folder, &line.split(' ').collect::<Vec<_>>(), None);
    assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
}

/// An undisturbed run, and how often it called each function.
pub fn counted(folder: &Path, words: &[&str]) -> (Ended, BTreeMap<String, u64>) {
    watched(folder, words, "\n")
}

/// Runs a command. Returns the number of calls of each function and, as `watched`, the number of
/// opened files whose path contains `part`.
pub fn watched(folder: &Path, words: &[&str], part: &str) -> (Ended, BTreeMap<String, u64>) {
    let counts = folder.join("said.counts");
    let shimmed =
        [("TETRASTAT_SHIM_COUNTS", counts.to_str().unwrap()), ("TETRASTAT_SHIM_WATCH", part)];
    let ended = Running::start_with(folder, words, &shimmed).end();
    let text = fs::read_to_string(&counts).unwrap();
    let count = |line: &str| {
        let (name, count) = line.split_once(' ').unwrap();
        (name.to_owned(), count.parse().unwrap())
    };
    (ended, text.lines().map(count).collect())
}
