//! Answers of the program to commands, as tables that one command rewrites:
//! `TRYCMD=overwrite cargo test --workspace --test messages`. The commands of a table run one after the
//! other in one empty folder, which holds copies of the files of its folder `.in`.

#![cfg(unix)]

use std::env;

#[test]
fn answers_are_those_of_the_tables() {
    let program = trycmd::cargo::cargo_bin!("tetrastat");
    let paths = env::split_paths(&env::var_os("PATH").unwrap()).collect::<Vec<_>>();
    let with_program = [program.parent().unwrap().to_path_buf()].into_iter().chain(paths);
    trycmd::TestCases::new()
        .register_bin("tetrastat", program)
        .register_bins(
            ["sh", "ls", "cat"]
                .map(|name| (name, trycmd::schema::Bin::Path(format!("/bin/{name}").into()))),
        )
        .env("PATH", env::join_paths(with_program).unwrap().into_string().unwrap())
        .env("TETRASTAT_PROGRESS", "none")
        .env("LC_ALL", "C")
        .env("STEADY", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages/steady.sed"))
        .case("tests/messages/*.md");
}
