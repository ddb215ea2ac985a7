//! The shell blocks of README.md, of the page on bots and of the tutorials run, and print what the
//! text block behind them quotes. Output quoted elsewhere is compared if it takes seconds.
//!
//! | block | what happens to it |
//! |---|---|
//! | `sh` | runs by bash, in one folder for each page |
//! | `text` | does not run; directly after a `sh` block its lines must be printed, in this order |
//! | `toml title="NAME"` | is saved as the file NAME in that folder |

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{document, folder, run, text};

/// Returns the blocks of a page: what follows the opening fence, such as `sh`, and the code.
fn blocks(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("\n```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
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
fn check(path: &str, block: &str, output: &str) {
    let mut printed = output.lines().map(normal);
    for line in block.lines().map(normal).filter(|line| !line.is_empty()) {
        assert!(
            printed.any(|other| other == line),
            "{path} quotes '{line}', which is not printed (there):\n{output}"
        );
    }
}

/// Runs a block in `folder`, with the program first on the path, and returns what it prints.
fn run_block(code: &str, folder: &Path) -> Result<String, String> {
    let program = Path::new(env!("CARGO_BIN_EXE_tetrastat")).parent().unwrap().display();
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &format!("PATH={program}:$PATH\n{code}")])
        .current_dir(folder)
        .env("TETRASTAT_PROGRESS", "none")
        .output()
        .unwrap();
    let printed = format!("{}{}", text(&output.stderr), text(&output.stdout));
    if output.status.success() { Ok(printed) } else { Err(printed) }
}

#[test]
fn shell_blocks_run() {
    let tutorials = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/tutorials");
    let tutorials = fs::read_dir(tutorials).unwrap().map(|entry| entry.unwrap().file_name());
    let tutorials = tutorials.map(|name| format!("docs/tutorials/{}", name.to_str().unwrap()));
    let pages = ["README.md", "docs/how-to/bots.md"].map(str::to_owned).into_iter();
    let mut found = 0;
    for name in pages.chain(tutorials.filter(|name| name.ends_with(".md"))) {
        let (page, folder) = (document(&name), folder());
        let mut printed: Option<String> = None;
        for (info, code) in blocks(&page) {
            if let Some(file) = info.strip_prefix("toml title=\"") {
                let (file, _) = file.split_once('"').unwrap();
                fs::write(folder.path().join(file), format!("{code}\n")).unwrap();
            }
            let before = printed.take();
            if info == "sh" {
                let output = run_block(code, folder.path());
                printed = Some(output.unwrap_or_else(|error| panic!("{name}: {code}\n{error}")));
                found += 1;
            } else if let ("text", Some(before)) = (info, before) {
                check(&name, code, &before);
            }
        }
    }
    assert!(found >= 10, "{found} blocks");
}

/// Two more blocks begin with a command, which takes minutes or depends on the machine.
#[test]
fn quoted_output_is_what_is_printed() {
    let pages = "README.md docs/tutorials/first-run.md docs/explanation/splitting.md docs/reference/evidence.md docs/reference/performance.md docs/how-to/watch.md docs/reference/output.md docs/how-to/train-a-controller.md";
    let quoting = |page| document(page).matches("```text\n$ tetrastat ").count();
    assert_eq!(pages.split(' ').map(quoting).sum::<usize>(), 3, "blocks that begin with a command");
    for (path, command, words) in [
        ("README.md", "simulate", "games  200, 200 ended"),
        ("docs/how-to/watch.md", "watch --from 42 --text", "piece 42   lines 15"),
        (
            "docs/reference/evidence.md",
            "exact --board 4x4 --controller bcts,dellacherie,dt10,dt20,rvce,lee --optimal --check 100000",
            "$ tetrastat exact",
        ),
    ] {
        let page = document(path);
        let block = blocks(&page).into_iter().find(|(_, block)| block.contains(words)).unwrap().1;
        let quoted = match block.strip_prefix("$ tetrastat ") {
            Some(block) => block.strip_prefix(command).expect(path),
            None => block,
        };
        check(path, quoted, &run(folder().path(), &command.split(' ').collect::<Vec<_>>()));
    }
}

#[test]
fn a_wrong_block_would_be_seen() {
    let page = "\n```sh\ntetrastat simulate --gmaes 3\n```\n\n```text\nnot run\n```\n";
    let blocks = blocks(page);
    assert_eq!(blocks[1..], [("text", "not run")]);
    assert_eq!(blocks[0].0, "sh");
    assert!(run_block(blocks[0].1, folder().path()).is_err());
}
