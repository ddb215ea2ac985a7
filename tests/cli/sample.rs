//! `data/sample/` is what the command in its README writes.
//! `TETRASTAT_WRITE=1 cargo test --workspace --test cli sample::` writes it anew.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const SAMPLE: &str = "data/sample";

/// Keys that differ between builds, machines or runs, and checksums of them.
const VARIES: [&str; 9] = [
    "commit",
    "cpu",
    "simd",
    "started",
    "finished",
    "elapsed_s",
    "created",
    "datapackage",
    "checksum",
];

/// Plays the command of the README in `folder`, where it makes `data/sample`.
fn play(folder: &Path) {
    let readme = fs::read_to_string(Path::new(SAMPLE).join("README.md")).unwrap();
    let line = readme.lines().find_map(|line| line.strip_prefix("tetrastat "));
    let args: Vec<&str> = line.expect("README has the command").split(' ').collect();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tetrastat"));
    // run.json has the command as a user gives it, not where this build lies.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "tetrastat");
    let output = command.current_dir(folder).args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A JSON file without what varies.
fn settled(path: &Path) -> Value {
    let mut value: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    for key in VARIES {
        value.as_object_mut().unwrap().remove(key);
    }
    value
}

#[test]
fn the_sample_is_what_its_command_writes() {
    let folder = tempfile::tempdir().unwrap();
    play(folder.path());
    for entry in fs::read_dir(folder.path().join(SAMPLE)).unwrap() {
        let played = entry.unwrap().path();
        let kept = Path::new(SAMPLE).join(played.file_name().unwrap());
        if std::env::var_os("TETRASTAT_WRITE").is_some() {
            fs::copy(&played, &kept).unwrap();
        }
        let same = match played.extension() {
            Some(ending) if ending == "json" => settled(&played) == settled(&kept),
            _ => fs::read(&played).unwrap() == fs::read(&kept).unwrap(),
        };
        assert!(
            same,
            "{}: run TETRASTAT_WRITE=1 cargo test --workspace --test cli sample::",
            kept.display()
        );
    }
}

#[test]
fn the_sample_is_small_and_its_readme_counts_its_rows() {
    let readme = fs::read_to_string(Path::new(SAMPLE).join("README.md")).unwrap();
    let mut bytes = 0;
    for entry in fs::read_dir(SAMPLE).unwrap() {
        let path = entry.unwrap().path();
        bytes += fs::metadata(&path).unwrap().len();
        if path.extension().is_some_and(|ending| ending == "csv") {
            let name = path.file_name().unwrap().to_str().unwrap();
            let rows = csv::Reader::from_path(&path).unwrap().records().count();
            let line = readme.lines().find(|line| line.starts_with(&format!("| {name} |")));
            assert!(
                line.is_some_and(|line| line.ends_with(&format!("| {rows} |"))),
                "{name}: {rows}"
            );
        }
    }
    assert!(bytes < 700_000, "{bytes} bytes");
}

#[test]
fn the_citation_is_of_this_version() {
    let citation = fs::read_to_string("CITATION.cff").unwrap();
    let version = concat!("version: ", env!("CARGO_PKG_VERSION"));
    assert!(citation.lines().any(|line| line == version), "CITATION.cff: {version}");
}
