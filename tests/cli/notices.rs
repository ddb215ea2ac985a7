//! Licences of third-party code in the command, the wheel and pages.

use std::fs;
use std::path::Path;

use crate::common::{folder, small, tetrastat, text};

fn source(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns name and version of the third-party packages in a lock file.
fn locked(path: &str) -> Vec<String> {
    let lock: toml::Table = source(path).parse().unwrap();
    let packages = lock["package"].as_array().unwrap();
    let others = packages.iter().filter(|package| package.get("source").is_some());
    others
        .map(|package| {
            let word = |key: &str| package[key].as_str().unwrap();
            format!("{} {}", word("name"), word("version"))
        })
        .collect()
}

#[test]
fn every_package_of_the_lock_files_is_in_the_notices() {
    let notices = source("THIRD-PARTY-NOTICES.txt");
    for lock in ["Cargo.lock", "wasm/Cargo.lock"] {
        let lacking: Vec<String> = locked(lock)
            .into_iter()
            .filter(|package| {
                let with_licence = format!("\n{package} (");
                !notices.contains(&with_licence) && !notices.contains(&format!("\n{package}\n"))
            })
            .collect();
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
        assert_eq!(source(&format!("python/{name}")), source(name));
        let project = source("python/pyproject.toml");
        let files = project.lines().find(|line| line.starts_with("license-files")).unwrap();
        assert!(files.contains(&format!("\"{name}\"")), "{files}");
    }
}

#[test]
fn a_page_has_the_licence_of_what_it_embeds() {
    let room = folder();
    tetrastat(room.path(), &small(&["3", "--out", "run"]));
    let output = tetrastat(room.path(), &["view", "run", "--out", "page.html"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(room.path().join("page.html")).unwrap();
    assert!(page.contains("Copyright (c) 2022 Leon Sorokin"));
    assert!(page.contains("Permission is hereby granted, free of charge"));
}
