//! Compares output quoted in documents with the current output, if it is independent of the machine
//! and takes seconds.

use std::fs;
use std::path::Path;

use crate::common::{folder, tetrastat, text};

/// Commands whose quoted output takes minutes or depends on the machine.
const NOT_PLAYED: [&str; 2] = [
    "estimate --controller bcts --search next --pilot-pieces 500000 --budget 160000000",
    "simulate --games 1 --max-pieces none --seed 3 --sample 0",
];

/// The documents that quote output.
const PAGES: [&str; 8] = [
    "README.md",
    "docs/tutorials/first-run.md",
    "docs/explanation/splitting.md",
    "docs/reference/evidence.md",
    "docs/reference/performance.md",
    "docs/how-to/watch.md",
    "docs/reference/output.md",
    "docs/how-to/train-a-controller.md",
];

fn page(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Returns the text blocks of a page.
fn blocks(page: &str) -> Vec<&str> {
    page.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

/// Normalises a line to its form on every machine: single blanks, without times, speeds, threads
/// and the program's path.
fn normal(line: &str) -> String {
    let line = if line.starts_with("pieces") { line.split(" in ").next().unwrap() } else { line };
    let line = line.split(" thread(s) · simd").next().unwrap();
    let line = line.split(" · seed 1 · ").next().unwrap();
    let program = |word: &str| match word.rsplit('/').next() {
        Some("tetrastat") => "tetrastat".to_owned(),
        _ => word.to_owned(),
    };
    line.split_whitespace().map(program).collect::<Vec<_>>().join(" ")
}

/// Asserts that the quoted lines appear in the output in the same order.
pub(crate) fn check(path: &str, block: &str, output: &str) {
    let mut printed = output.lines().map(normal);
    for line in block.lines().map(normal).filter(|line| !line.is_empty()) {
        assert!(
            printed.any(|other| other == line),
            "{path} quotes '{line}', which is not printed (there):\n{output}"
        );
    }
}

/// Returns the output of a command on both streams.
fn output(command: &str) -> String {
    let folder = folder();
    let args: Vec<&str> = command.split(' ').filter(|word| !word.is_empty()).collect();
    let output = tetrastat(folder.path(), &args);
    assert!(output.status.success(), "{command}: {}", text(&output.stderr));
    format!("{}{}", text(&output.stderr), text(&output.stdout))
}

#[test]
fn quoted_output_is_what_is_printed() {
    let mut found = 0;
    for path in PAGES {
        let page = page(path);
        for block in blocks(&page) {
            let Some((command, quoted)) =
                block.strip_prefix("$ tetrastat ").and_then(|rest| rest.split_once('\n'))
            else {
                continue;
            };
            found += 1;
            if !NOT_PLAYED.contains(&command) {
                check(path, quoted, &output(command));
            }
        }
    }
    assert_eq!(found, 3, "blocks that begin with a command");
    let terminal = page("docs/how-to/watch.md");
    let (_, rest) =
        terminal.split_once("`tetrastat watch --from 42 --text` prints one picture:").unwrap();
    check("docs/how-to/watch.md", blocks(rest)[0], &output("watch --from 42 --text"));
}

/// README.md quotes a part of the first run's output, and the guide quotes all of it.
#[test]
fn the_first_run_is_the_one_that_documents_show() {
    let printed = output("simulate");
    for path in ["README.md", "docs/tutorials/first-run.md"] {
        let page = page(path);
        let block =
            blocks(&page).into_iter().find(|block| block.contains("games    200, 200 ended"));
        check(path, block.unwrap(), &printed);
    }
}
