//! Licences of third-party code in the command, the wheel and pages.

use crate::common::document;

/// Returns name and version of the third-party packages in a lock file.
fn locked(path: &str) -> Vec<String> {
    let lock: toml::Table = document(path).parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let others = packages.iter().filter(|package| package.get("source").is_some());
    let words = |key: &str, package: &toml::Value| package[key].as_str().unwrap().to_owned();
    others.map(|package| words("name", package) + " " + &words("version", package)).collect()
}

#[test]
fn every_package_of_the_lock_files_is_in_the_notices() {
    let notices = document("THIRD-PARTY-NOTICES.txt");
    for lock in ["Cargo.lock", "wasm/Cargo.lock"] {
        let mut lacking = locked(lock);
        let ends = [" (", "\n"];
        lacking.retain(|one| !ends.iter().any(|end| notices.contains(&format!("\n{one}{end}"))));
        assert!(lacking.is_empty(), "{lock}: {lacking:?}: run python3 data/notices/notices.py");
    }
    // The direct dependencies are linked into the program, so their licences must be listed.
    for package in ["clap ", "serde ", "rayon ", "zstd-sys ", "parquet ", "numpy ", "uPlot "] {
        let line = notices.lines().find(|line| line.starts_with(package));
        assert!(line.is_some_and(|line| line.contains('(')), "{package}");
    }
}

#[test]
fn the_wheel_has_its_licences() {
    for name in ["LICENSE", "THIRD-PARTY-NOTICES.txt"] {
        assert_eq!(document(&format!("python/{name}")), document(name));
        let project = document("python/pyproject.toml");
        let files = project.lines().find(|line| line.starts_with("license-files")).unwrap();
        assert!(files.contains(&format!("\"{name}\"")), "{files}");
    }
}
