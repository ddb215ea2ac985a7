//! `tetrastat verify`: whether the folder of a run, study or training is as it was written.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::bail;

use super::output::{Outcome, print};
use crate::record::{is_study, verify, verify_study};

/// Check the files of a run, a training, or a study and all its runs, against the sizes, rows and
/// SHA-256 written beside them
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder of the run, training or study
    folder: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let findings = if is_study(&self.folder) {
            verify_study(&self.folder)?
        } else {
            verify(&self.folder)?
        };
        let mut text = String::new();
        for finding in &findings {
            let verdict = finding.problem.as_deref().unwrap_or("ok");
            writeln!(text, "{:32} {verdict}", finding.name)?;
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
