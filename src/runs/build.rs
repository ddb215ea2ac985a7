//! Build script that stores the Git commit in the binary, with "-dirty" if the sources differ from
//! it, or "-dev" in a debug build, which would otherwise compile this crate again too often.

use std::process::Command;

fn main() {
    for path in ["HEAD", "refs/heads"] {
        if let Some(path) = git_output(&["rev-parse", "--git-path", path]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    let is_debug = std::env::var("PROFILE").is_ok_and(|profile| profile == "debug");
    if !is_debug {
        for path in [
            "src",
            "liap",
            "terminal",
            "data/controllers",
            "data/rules",
            "Cargo.toml",
            "Cargo.lock",
        ] {
            println!("cargo::rerun-if-changed=../../{path}");
        }
    }
    let commit = commit(is_debug).unwrap_or("unknown".to_owned());
    println!("cargo::rustc-env=TETRASTAT_COMMIT={commit}");
}

fn commit(is_debug: bool) -> Option<String> {
    let commit = git_output(&["rev-parse", "--short=12", "HEAD"])?;
    if is_debug {
        return Some(format!("{commit}-dev"));
    }
    let changed = git_output(&[
        "status",
        "--porcelain",
        "--",
        ":/src",
        ":/liap",
        ":/terminal",
        ":/data/controllers",
        ":/data/rules",
        ":/Cargo.toml",
    ])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}-dirty") })
}

fn git_output(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
