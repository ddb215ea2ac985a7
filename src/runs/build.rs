//! Records the commit that the program is built from, "-dirty" when the sources differ from it.

use std::process::Command;

fn main() {
    for path in ["HEAD", "refs/heads"] {
        if let Some(path) = git(&["rev-parse", "--git-path", path]) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    for path in ["src", "data/controllers", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed=../../{path}");
    }
    println!("cargo::rustc-env=TETRASTAT_COMMIT={}", commit().unwrap_or("unknown".to_owned()));
}

fn commit() -> Option<String> {
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed =
        git(&["status", "--porcelain", "--", ":/src", ":/data/controllers", ":/Cargo.toml"])?;
    Some(if changed.is_empty() { commit } else { format!("{commit}-dirty") })
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
