//! The shell blocks of README.md, of the page on bots and of the tutorials run, and print what the
//! text block behind them quotes.
//!
//! | block | what happens to it |
//! |---|---|
//! | `sh` | runs by bash, in one folder for each page |
//! | `text` | does not run; directly after a `sh` block its lines must be printed, in this order |
//! | `toml title="NAME"` | is saved as the file NAME in that folder |

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{folder, text};
use crate::quoted_output::check;

/// A block of code of a page.
struct Block {
    /// What follows the opening fence, such as `sh`.
    info: String,
    code: String,
}

/// Returns the blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_open = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(info) if !is_open => {
                blocks.push(Block { info: info.to_owned(), code: String::new() });
                is_open = true;
            }
            Some(_) => is_open = false,
            None if is_open => {
                let code = &mut blocks.last_mut().unwrap().code;
                code.push_str(line);
                code.push('\n');
            }
            None => {}
        }
    }
    blocks
}

/// Returns the paths of README.md, of the page on bots, and of the tutorials.
fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![root.join("README.md"), root.join("docs/how-to/bots.md")];
    for entry in fs::read_dir(root.join("docs/tutorials")).unwrap() {
        pages.push(entry.unwrap().path());
    }
    pages.retain(|page| page.extension().is_some_and(|kind| kind == "md"));
    pages.sort();
    pages
}

/// Runs a block in `folder`, with the program first on the path, and returns what it prints.
fn run(code: &str, folder: &Path) -> Result<String, String> {
    let program = Path::new(env!("CARGO_BIN_EXE_tetrastat"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [program.parent().unwrap().to_owned()];
    let path = std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path)));
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", code])
        .current_dir(folder)
        .env("PATH", path.unwrap())
        .env("TETRASTAT_PROGRESS", "none")
        .output()
        .unwrap();
    let printed = format!("{}{}", text(&output.stderr), text(&output.stdout));
    if output.status.success() { Ok(printed) } else { Err(printed) }
}

#[test]
fn shell_blocks_run() {
    let mut found = 0;
    for page in pages() {
        let name = page.display();
        let folder = folder();
        let mut printed: Option<String> = None;
        for block in blocks(&fs::read_to_string(&page).unwrap()) {
            let file =
                block.info.strip_prefix("toml title=\"").and_then(|rest| rest.split_once('"'));
            if let Some((file, _)) = file {
                fs::write(folder.path().join(file), &block.code).unwrap();
            }
            let before = printed.take();
            match (&*block.info, before) {
                ("sh", _) => {
                    let output = run(&block.code, folder.path());
                    printed =
                        Some(output.unwrap_or_else(|e| panic!("{name}: {}\n{e}", block.code)));
                    found += 1;
                }
                ("text", Some(before)) => check(&name.to_string(), &block.code, &before),
                _ => {}
            }
        }
    }
    assert!(found >= 10, "{found} blocks");
}

#[test]
fn a_wrong_block_would_be_seen() {
    let page = "```sh\ntetrastat simulate --gmaes 3\n```\n\n```text\nnot run\n```\n";
    let blocks = blocks(page);
    assert_eq!(blocks.len(), 2);
    assert_eq!((&*blocks[0].info, &*blocks[1].info), ("sh", "text"));
    assert!(run(&blocks[0].code, folder().path()).is_err());
}
