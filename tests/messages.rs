//! Answers of the program to commands, as tables that one command rewrites: `TRYCMD=overwrite cargo
//! test --workspace --test messages`. The commands of a table run one after the other in one empty
//! folder, which holds copies of the files of its folder `.in`. The scripts in
//! `tests/messages/tools` are commands, too.

#![cfg(unix)]

use std::env;

use trycmd::schema::Bin;

#[test]
fn answers_are_those_of_the_tables() {
    let program = trycmd::cargo::cargo_bin!("tetrastat");
    let tools = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages/tools");
    let path =
        [program.parent().unwrap().to_str().unwrap(), tools, &env::var("PATH").unwrap()].join(":");
    let each = &*format!("{tools}/each");
    let others = [("sh", "/bin/sh"), ("ls", "/bin/ls"), ("cat", "/bin/cat"), ("each", each)];
    trycmd::TestCases::new()
        .register_bin("tetrastat", program)
        .register_bins(others.map(|(name, path)| (name, Bin::Path(path.into()))))
        .env("PATH", path)
        .env("TETRASTAT_PROGRESS", "none")
        .env("LC_ALL", "C")
        .case("tests/messages/*.md");
}
