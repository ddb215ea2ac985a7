//! Answers of the program to commands, as tables that one command rewrites:
//! `TRYCMD=overwrite cargo test --workspace --test messages`.

#[test]
fn answers_are_those_of_the_tables() {
    trycmd::TestCases::new()
        .register_bin("tetrastat", trycmd::cargo::cargo_bin!("tetrastat"))
        .env("TETRASTAT_PROGRESS", "none")
        .case("tests/messages/*.md");
}
