//! Output files at paths that the user names: complete or absent, replaced only on request, and
//! recoverable after a full disk. Manual pages, templates and runs stand in
//! tests/messages/outputs.md.
//!
//! `ulimit -f` simulates the full disk: every write beyond the limit fails.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::common::{command, entries, folder, tetrastat, text};

/// Commands that write one file, whose path replaces `OUT`. They run beside the folder `run`.
const MAKERS: [(&str, &str); 8] = [
    ("page.html", "view run --out OUT"),
    ("still.svg", "show board --picture ....../....../#.####/#.#### --piece I --svg OUT"),
    ("watch.svg", "watch --replay run --svg OUT"),
    ("moving.svg", "watch --replay run --animate OUT"),
    ("terminal.cast", "watch --replay run --asciicast OUT"),
    ("table.csv", "data convert run/placements.csv OUT"),
    ("table.csv.zst", "data convert run/placements.csv OUT"),
    ("table.parquet", "data convert run/placements.csv OUT"),
];

const RUN: &str = "simulate --board 8x8 --games 8 --max-pieces 200 --seed 3 --sample 0 --placements csv --candidates";

/// Creates a folder with a run in `run`.
fn with_run() -> TempDir {
    let folder = folder();
    done(&run(folder.path(), &format!("{RUN} --out run")));
    folder
}

fn run(folder: &Path, line: &str) -> Output {
    tetrastat(folder, &line.split(' ').collect::<Vec<_>>())
}

fn done(output: &Output) {
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// Asserts that the command fails with one line.
fn refused(output: &Output, with: &str) {
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    let told = message.lines().filter(|line| line.starts_with("tetrastat: ")).count();
    assert!(told == 1 && message.contains(with), "{message} lacks {with}");
}

/// Runs the program with a limit of `kib` KiB on file sizes.
fn limited(folder: &Path, kib: u64, line: &str) -> Output {
    let plain = command(folder, &[]);
    let mut limited = Command::new("bash");
    let blocks = kib.to_string();
    limited.args(["-c", "ulimit -f \"$0\"; exec \"$@\"", &blocks]).arg(plain.get_program());
    limited.args(line.split(' ')).current_dir(folder).env("TETRASTAT_PROGRESS", "none");
    limited.output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let name = |path: std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = entries(folder).into_iter().map(name).collect();
    names.sort();
    names
}

/// A file is complete or absent, and replaced only with `--force`; folders, links, fifos and
/// devices stay.
#[test]
fn a_file_is_whole_and_replaces_nothing_unasked() {
    let folder = with_run();
    let path = folder.path();
    let target = path.join("target");
    for (name, maker) in MAKERS {
        let line = &maker.replace("OUT", name);
        let force = &format!("{line} --force");
        let file = &path.join(name);
        let is_link = || file.symlink_metadata().unwrap().is_symlink();
        done(&run(path, line));
        let whole = fs::read(file).unwrap();

        fs::write(file, "mine").unwrap();
        let before = names(path);
        refused(&run(path, line), "exists already");
        // The limit has whole kilobytes, so a picture of less than two can't be cut.
        if whole.len() >= 2048 {
            let too_few = whole.len() as u64 / 2048;
            refused(&limited(path, too_few, force), name);
            assert_eq!(
                (fs::read(file).unwrap(), names(path)),
                (b"mine".to_vec(), before),
                "{line}"
            );
            fs::remove_file(file).unwrap();
            refused(&limited(path, too_few, line), name);
            assert!(!file.exists(), "{line}");
            fs::write(file, "mine").unwrap();
        }
        assert_eq!(fs::read(file).unwrap(), b"mine", "{line}");
        done(&run(path, force));
        assert!(fs::read(file).unwrap() == whole, "{line}");
        fs::remove_file(file).unwrap();
        fs::create_dir(file).unwrap();
        refused(&run(path, force), "is a folder");
        fs::remove_dir(file).unwrap();

        fs::write(&target, "mine").unwrap();
        symlink("target", file).unwrap();
        refused(&run(path, line), "exists already");
        assert_eq!(fs::read(&target).unwrap(), b"mine", "{line}");
        done(&run(path, force));
        assert!(is_link() && fs::read(&target).unwrap() == whole, "{line}");

        for line in [line, force] {
            fs::remove_file(file).unwrap();
            assert!(Command::new("mkfifo").arg(file).status().unwrap().success());
            // If the fifo were replaced, its reader would wait for ever.
            let mut reader = Command::new("timeout");
            let reader = reader.args(["60", "cat"]).arg(file).stdout(Stdio::piped());
            let reader = reader.spawn().unwrap();
            let reader = std::thread::spawn(|| reader.wait_with_output().unwrap());
            done(&run(path, line));
            assert!(file.metadata().unwrap().file_type().is_fifo(), "{line}");
            let read = reader.join().unwrap();
            assert!(read.status.success() && read.stdout == whole, "{line}");
        }
        fs::remove_file(file).unwrap();
        // Only root can create a device that the test may lose, so the test uses a link to one.
        symlink("/dev/null", file).unwrap();
        done(&run(path, force));
        assert!(
            is_link() && Path::new("/dev/null").metadata().unwrap().file_type().is_char_device()
        );
        fs::remove_file(file).unwrap();
        symlink("/dev/stdout", file).unwrap();
        let printed = run(path, line);
        done(&printed);
        // `show board` prints an answer besides the picture.
        let is_right = match maker.starts_with("show") {
            true => printed.stdout.ends_with(&whole) || printed.stdout.starts_with(&whole),
            false => printed.stdout == whole,
        };
        assert!(is_right, "{line}: {}", text(&printed.stdout));
        fs::remove_file(file).unwrap();
    }
}

#[test]
#[ignore = "long: 6 s"]
fn long_two_conversions_into_one_file_never_mix_and_one_wins() {
    let folder = with_run();
    for ending in ["csv", "csv.gz", "csv.zst", "parquet"] {
        let line = |out: &str, condition: &str| {
            format!("data convert run/candidates.csv {out} --where {condition}")
        };
        let conditions = ["game<4", "game>=4", "game<3"];
        let wholes = [0, 1, 2].map(|number| {
            let name = format!("{number}.{ending}");
            done(&run(folder.path(), &line(&name, conditions[number])));
            fs::read(folder.path().join(name)).unwrap()
        });
        let out = format!("out.{ending}");
        for force in [false, true] {
            for _ in 0..3 {
                let start = |condition| {
                    let line = line(&out, condition);
                    let words = line.split(' ').chain(force.then_some("--force"));
                    let mut begun = command(folder.path(), &words.collect::<Vec<_>>());
                    begun.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
                };
                let ended = conditions.map(start).map(|begun| begun.wait_with_output().unwrap());
                let found = fs::read(folder.path().join(&out)).unwrap();
                let won: Vec<bool> = ended.iter().map(|ended| ended.status.success()).collect();
                if force {
                    assert!(won.iter().all(|won| *won) && wholes.contains(&found), "{ending}");
                } else {
                    assert_eq!(won.iter().filter(|won| **won).count(), 1, "{ending}: {ended:?}");
                    let lost = ended.iter().filter(|ended| !ended.status.success());
                    lost.for_each(|lost| refused(lost, "exists already"));
                    let winner = won.iter().position(|won| *won).unwrap();
                    assert!(found == wholes[winner], "{ending}: not the winner's bytes");
                }
                fs::remove_file(folder.path().join(&out)).unwrap();
            }
        }
    }
    let left = names(folder.path());
    assert!(!left.iter().any(|name| name.contains("partial")), "{left:?}");
}

#[test]
fn merge_and_convert_of_folders_continue_after_a_full_disk() {
    let folder = with_run();
    let path = folder.path();
    for shard in ["1", "2"] {
        done(&run(path, &format!("{RUN} --shard {shard}/2 --out {shard}")));
    }
    let study = "controllers = ['bcts', 'dt20']\nboards = ['8x8']\nseed = 5\ngames = 8\nmax_pieces = 300\nplacements = 'csv'\n";
    fs::write(path.join("study.toml"), study).unwrap();
    done(&run(path, "study study.toml --out study"));
    for (out, line) in [
        ("merged", "data merge 1 2 --out merged"),
        ("as-parquet", "data convert run as-parquet --format parquet"),
        ("as-gz", "data convert run as-gz --format csv.gz"),
        ("as-tables", "data convert study as-tables --format csv"),
    ] {
        // The limits range from one that holds nothing to one that holds everything.
        for kib in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
            let ended = limited(path, kib, line);
            if ended.status.success() {
                break;
            }
            refused(&ended, "File too large");
            assert!(!path.join(out).exists(), "{line}, {kib} KiB");
        }
        done(&run(path, line));
        assert!(!names(path).iter().any(|name| name.contains("partial")), "{line}");
    }
    let read = |name: &str| fs::read(path.join(name)).unwrap();
    assert!(read("merged/placements.csv") == read("run/placements.csv"));
}
