//! `tetrastat verify`: whether a run folder is as it was written.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::bail;

use super::Outcome;
use super::output::print;
use crate::record::verify;

/// Check a run folder's tables against the sizes, rows and SHA-256 in its run.json
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The run folder
    folder: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let findings = verify(&self.folder)?;
        let mut text = String::new();
        for finding in &findings {
            let verdict = finding.problem.as_deref().unwrap_or("ok");
            writeln!(text, "{:24} {verdict}", finding.name)?;
        }
        print(&text)?;
        let wrong = findings.iter().filter(|finding| finding.problem.is_some()).count();
        if wrong > 0 {
            bail!(
                "{wrong} of {} files of {} are not as written",
                findings.len(),
                self.folder.display()
            );
        }
        Ok(Outcome::Done)
    }
}
