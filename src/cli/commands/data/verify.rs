//! Runs `tetrastat data verify`: checks the folder of a run, study or training against its
//! checksums.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::ensure;

use crate::cli::console::Console;
use crate::record::{is_dataset, is_study, verify, verify_dataset, verify_study};

/// Check the files of a folder against their checksums
///
/// The folder is that of a run, training, estimate, data set or study (with all its runs). Files
/// are checked against their recorded sizes, row counts and SHA-256.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the run, training, estimate, study or data set
    folder: PathBuf,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let findings = if is_study(&self.folder) {
            verify_study(&self.folder)?
        } else if is_dataset(&self.folder) {
            verify_dataset(&self.folder)?
        } else {
            verify(&self.folder)?
        };
        let mut text = String::new();
        for finding in &findings {
            let verdict = finding.problem.as_deref().unwrap_or("ok");
            writeln!(text, "{:32} {verdict}", finding.name)?;
        }
        console.print(&text)?;
        let wrong = findings.iter().filter(|finding| finding.problem.is_some());
        let wrong: Vec<&str> = wrong.map(|finding| &*finding.name).collect();
        let (count, all, shown) = (wrong.len(), findings.len(), self.folder.display());
        let names = wrong.join(", ");
        ensure!(wrong.is_empty(), "{count} of {all} files of {shown} failed the check: {names}");
        Ok(())
    }
}
