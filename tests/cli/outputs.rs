//! Output files at paths that the user names: complete or absent, replaced only on request, and recoverable after a
//! full disk.
//!
//! `ulimit -f` simulates the full disk: every write beyond the limit fails.

use std::fs;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use tempfile::TempDir;

use crate::common::{command, entries, folder, tetrastat, text};

/// Commands that write one file, whose path replaces `OUT`. They run beside the folder `run`.
const MAKERS: [(&str, &str); 8] = [
    ("page.html", "view run --out OUT"),
    ("still.svg", "features --picture ....../....../#.####/#.#### --piece I --svg OUT"),
    ("watch.svg", "watch --replay run --svg OUT"),
    ("moving.svg", "watch --replay run --animate OUT"),
    ("terminal.cast", "watch --replay run --asciicast OUT"),
    ("table.csv", "convert run/placements.csv OUT"),
    ("table.csv.zst", "convert run/placements.csv OUT"),
    ("table.parquet", "convert run/placements.csv OUT --describe"),
];

const RUN: &str = "simulate --board 8x8 --games 8 --max-pieces 200 --seed 3 --sample 0 --placements csv --candidates";

/// Creates a folder with a run in `run`.
fn with_run() -> TempDir {
    let folder = folder();
    let words: Vec<&str> = RUN.split(' ').chain(["--out", "run"]).collect();
    done(&tetrastat(folder.path(), &words));
    folder
}

/// Returns the arguments of a maker whose file is `out`.
fn words<'a>(maker: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = maker.split(' ').map(|word| if word == "OUT" { out } else { word });
    words.chain(more.iter().copied()).collect()
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
fn limited(folder: &Path, kib: u64, args: &[&str]) -> Output {
    let plain = command(folder, args);
    let mut limited = Command::new("bash");
    let blocks = kib.to_string();
    limited.args(["-c", "ulimit -f \"$0\"; exec \"$@\"", &blocks]).arg(plain.get_program());
    limited.args(args).current_dir(folder).env("TETRASTAT_PROGRESS", "none").output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let name = |path: std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = entries(folder).into_iter().map(name).collect();
    names.sort();
    names
}

/// Returns a limit in kilobytes that cuts off the file of a maker.
fn too_few(file: &Path) -> u64 {
    (fs::metadata(file).unwrap().len() / 2048).max(1)
}

#[test]
fn a_failed_write_leaves_the_old_file_and_no_half_of_a_new_one() {
    let folder = with_run();
    let at = |name: &str| folder.path().join(name);
    for (name, maker) in MAKERS {
        done(&tetrastat(folder.path(), &words(maker, name, &[])));
        let size = too_few(&at(name));
        // The limit has whole kilobytes, so a picture of less than two can't be cut.
        if fs::metadata(at(name)).unwrap().len() < 2048 {
            continue;
        }
        fs::write(at(name), "good").unwrap();
        let before = names(folder.path());
        refused(&limited(folder.path(), size, &words(maker, name, &["--force"])), name);
        assert_eq!(fs::read(at(name)).unwrap(), b"good", "{maker}");
        assert_eq!(names(folder.path()), before, "{maker}");
        fs::remove_file(at(name)).unwrap();
        refused(&limited(folder.path(), size, &words(maker, name, &[])), name);
        assert!(!at(name).exists(), "{maker}");
        done(&tetrastat(folder.path(), &words(maker, name, &[])));
    }
}

#[test]
fn no_file_is_replaced_unasked() {
    let folder = with_run();
    let at = |name: &str| folder.path().join(name);
    for (name, maker) in MAKERS {
        fs::write(at(name), "mine").unwrap();
        refused(&tetrastat(folder.path(), &words(maker, name, &[])), "exists already");
        assert_eq!(fs::read(at(name)).unwrap(), b"mine", "{maker}");
        done(&tetrastat(folder.path(), &words(maker, name, &["--force"])));
        assert_ne!(fs::read(at(name)).unwrap(), b"mine", "{maker}");
        fs::remove_file(at(name)).unwrap();
        fs::create_dir(at(name)).unwrap();
        refused(&tetrastat(folder.path(), &words(maker, name, &["--force"])), "is a folder");
        fs::remove_dir(at(name)).unwrap();
    }
}

#[test]
fn a_link_stays_and_its_file_is_replaced_only_with_force() {
    let folder = with_run();
    let at = |name: &str| folder.path().join(name);
    for (name, maker) in MAKERS {
        fs::write(at("target"), "mine").unwrap();
        symlink("target", at(name)).unwrap();
        refused(&tetrastat(folder.path(), &words(maker, name, &[])), "exists already");
        assert_eq!(fs::read(at("target")).unwrap(), b"mine", "{maker}");
        done(&tetrastat(folder.path(), &words(maker, name, &["--force"])));
        assert!(at(name).symlink_metadata().unwrap().is_symlink(), "{maker}");
        assert_ne!(fs::read(at("target")).unwrap(), b"mine", "{maker}");
    }
}

#[test]
fn fifos_and_devices_are_written_into_and_stay() {
    let folder = with_run();
    let at = |name: &str| folder.path().join(name);
    for (name, maker) in MAKERS {
        done(&tetrastat(folder.path(), &words(maker, name, &[])));
        let whole = fs::read(at(name)).unwrap();
        for force in [&[][..], &["--force"]] {
            fs::remove_file(at(name)).unwrap();
            assert!(Command::new("mkfifo").arg(at(name)).status().unwrap().success());
            let read = fs::File::create(at("read")).unwrap();
            // If the fifo were replaced, its reader would wait for ever.
            let mut reader = Command::new("timeout");
            let reader = reader.args(["60", "cat"]).arg(at(name)).stdout(read).spawn().unwrap();
            done(&tetrastat(folder.path(), &words(maker, name, force)));
            assert!(at(name).metadata().unwrap().file_type().is_fifo(), "{maker}");
            assert!(reader.wait_with_output().unwrap().status.success(), "{maker}");
            assert!(fs::read(at("read")).unwrap() == whole, "{maker}");
        }
        fs::remove_file(at(name)).unwrap();
        // Only root can create a device that the test may lose, so the test uses a link to one.
        symlink("/dev/null", at(name)).unwrap();
        done(&tetrastat(folder.path(), &words(maker, name, &["--force"])));
        assert!(at(name).symlink_metadata().unwrap().is_symlink(), "{maker}");
        assert!(Path::new("/dev/null").metadata().unwrap().file_type().is_char_device());
        fs::remove_file(at(name)).unwrap();
        symlink("/dev/stdout", at(name)).unwrap();
        let printed = tetrastat(folder.path(), &words(maker, name, &[]));
        done(&printed);
        // `features` prints an answer besides the picture.
        let is_right = match maker.starts_with("features") {
            true => printed.stdout.ends_with(&whole) || printed.stdout.starts_with(&whole),
            false => printed.stdout == whole,
        };
        assert!(is_right, "{maker}: {}", text(&printed.stdout));
        fs::remove_file(at(name)).unwrap();
    }
}

#[test]
#[ignore = "long: 6 s"]
fn long_two_conversions_into_one_file_never_mix_and_one_wins() {
    let folder = with_run();
    for ending in ["csv", "csv.gz", "csv.zst", "parquet"] {
        let whole = |condition: &str| {
            let name = format!("{}.{ending}", condition.replace(['<', '>', '='], "_"));
            let from = ["convert", "run/candidates.csv", &name, "--where", condition];
            done(&tetrastat(folder.path(), &from));
            fs::read(folder.path().join(name)).unwrap()
        };
        let conditions = ["game<4", "game>=4", "game<3"];
        let wholes = conditions.map(whole);
        let out = format!("out.{ending}");
        for force in [false, true] {
            for _ in 0..3 {
                let start = |condition| {
                    let mut words =
                        vec!["convert", "run/candidates.csv", &out, "--where", condition];
                    words.extend(force.then_some("--force"));
                    let mut begun = command(folder.path(), &words);
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
    let left = names(folder.path()).into_iter().filter(|name| name.contains("partial")).count();
    assert_eq!(left, 0, "{:?}", names(folder.path()));
}

#[test]
fn a_file_beside_the_output_is_not_used_for_it() {
    let folder = with_run();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("victim"), "precious").unwrap();
    symlink("victim", at("table.csv.partial")).unwrap();
    fs::write(at("page.html.partial"), "mine").unwrap();
    done(&tetrastat(folder.path(), &["convert", "run/placements.csv", "table.csv"]));
    done(&tetrastat(folder.path(), &["view", "run", "--out", "page.html"]));
    assert_eq!(fs::read(at("victim")).unwrap(), b"precious");
    assert_eq!(fs::read(at("page.html.partial")).unwrap(), b"mine");
    assert!(at("table.csv.partial").symlink_metadata().unwrap().is_symlink());
}

#[test]
fn manual_pages_replace_nothing_unasked() {
    let folder = folder();
    let pages = folder.path().join("pages");
    fs::create_dir(&pages).unwrap();
    fs::write(folder.path().join("victim"), "precious").unwrap();
    symlink("../victim", pages.join("tetrastat.1")).unwrap();
    fs::write(pages.join("tetrastat-view.1"), "mine").unwrap();
    refused(&tetrastat(folder.path(), &["man", "--out", "pages"]), "exists already");
    assert_eq!(names(&pages), ["tetrastat-view.1", "tetrastat.1"]);
    assert_eq!(fs::read(pages.join("tetrastat-view.1")).unwrap(), b"mine");
    assert_eq!(fs::read(folder.path().join("victim")).unwrap(), b"precious");
    done(&tetrastat(folder.path(), &["man", "--out", "pages", "--force"]));
    assert!(names(&pages).len() > 10);
    // Identical pages are not a conflict.
    done(&tetrastat(folder.path(), &["man", "--out", "pages"]));
}

#[test]
fn manual_pages_and_a_template_continue_after_a_full_disk() {
    let folder = folder();
    let commands = [(2, ["man", "--out", "pages"]), (1, ["init", "--template=targets", "begun"])];
    for (kib, words) in commands {
        let out = folder.path().join(words[2]);
        refused(&limited(folder.path(), kib, &words), "File too large");
        let half = names(&out);
        done(&tetrastat(folder.path(), &words));
        let whole = names(&out);
        assert!(half.len() < whole.len(), "{half:?}");
        assert!(!whole.iter().any(|name| name.contains("partial")), "{whole:?}");
    }
    refused(&tetrastat(folder.path(), &["init", "begun"]), "not empty");
    fs::remove_file(folder.path().join("begun/Makefile")).unwrap();
    fs::write(folder.path().join("begun/report.Rmd"), "mine").unwrap();
    refused(&tetrastat(folder.path(), &["init", "begun"]), "not empty");
}

/// Creates, once, a folder with two shards, a complete run, a Parquet copy of it, and a study.
fn copied() -> &'static TempDir {
    static COPIED: OnceLock<TempDir> = OnceLock::new();
    COPIED.get_or_init(|| {
        let folder = with_run();
        for shard in ["1/2", "2/2"] {
            let words = RUN.split(' ').chain(["--shard", shard, "--out", &shard[..1]]);
            done(&tetrastat(folder.path(), &words.collect::<Vec<_>>()));
        }
        let study = "controllers = ['bcts', 'dt20']\nboards = ['8x8']\nseed = 5\ngames = 8\nmax_pieces = 300\nplacements = 'csv'\n";
        fs::write(folder.path().join("study.toml"), study).unwrap();
        done(&tetrastat(folder.path(), &["study", "study.toml", "--out", "study"]));
        folder
    })
}

#[test]
fn merge_and_convert_of_folders_continue_after_a_full_disk() {
    let folder = copied();
    let commands = [
        "merge 1 2 --out merged",
        "convert run as-parquet --format parquet",
        "convert run as-gz --format csv.gz",
        "convert study as-tables --format csv",
    ];
    for command in commands {
        let words: Vec<&str> = command.split(' ').collect();
        let out = words.iter().find(|word| word.starts_with("as-") || **word == "merged").unwrap();
        let out = folder.path().join(out);
        // The limits range from one that holds nothing to one that holds everything.
        for kib in [1, 2, 4, 8, 16, 32, 64, 128, 256] {
            let ended = limited(folder.path(), kib, &words);
            if ended.status.success() {
                break;
            }
            refused(&ended, "File too large");
            assert!(!out.exists(), "{command}, {kib} KiB: {:?}", names(&out));
        }
        done(&tetrastat(folder.path(), &words));
        let found = names(folder.path()).into_iter().filter(|name| name.contains("partial"));
        assert_eq!(found.count(), 0, "{command}");
    }
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(read("merged/placements.csv") == read("run/placements.csv"));
}

#[test]
fn a_limit_on_file_sizes_ends_a_run_in_order() {
    let folder = folder();
    let words: Vec<&str> = RUN.split(' ').chain(["--out", "out"]).collect();
    let ended = limited(folder.path(), 4, &words);
    refused(&ended, "ulimit -f");
    done(&tetrastat(folder.path(), &words));
    let whole: Vec<&str> = RUN.split(' ').chain(["--out", "whole"]).collect();
    done(&tetrastat(folder.path(), &whole));
    for table in ["games.csv", "placements.csv", "candidates.csv"] {
        let read = |run: &str| fs::read(folder.path().join(run).join(table)).unwrap();
        assert!(read("out") == read("whole"), "{table}");
    }
}

#[test]
fn a_small_stack_is_enough() {
    let folder = folder();
    let plain = command(folder.path(), &["man"]);
    let mut limited = Command::new("bash");
    limited.args(["-c", "ulimit -s 256; exec \"$@\"", "bash"]).arg(plain.get_program()).arg("man");
    done(&limited.output().unwrap());
}
