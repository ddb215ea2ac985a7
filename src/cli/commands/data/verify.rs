//! Runs `tetrastat data verify`: checks the folder of a run, study or training against its
//! checksums.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::ensure;
use serde_json::Value;

use crate::cli::console::Console;
use crate::cli::options::study_file::described;
use crate::record::{
    Finding, VERSION, is_dataset, is_study, read_manifest, verify, verify_dataset, verify_study,
};

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
            let mut findings = verify_study(&self.folder)?;
            self.recompute(&mut findings)?;
            findings
        } else if is_dataset(&self.folder) {
            verify_dataset(&self.folder)?
        } else {
            verify(&self.folder)?
        };
        let mut text = String::new();
        for finding in &findings {
            let unchecked = finding.unchecked.as_deref().unwrap_or("ok");
            let verdict = finding.problem.as_deref().unwrap_or(unchecked);
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

    /// Checks the data package of a study if no checksum of it is recorded. Recomputes it from the
    /// conditions, compares, and updates its entry in `findings`.
    fn recompute(&self, findings: &mut [Finding]) -> anyhow::Result<()> {
        let name = "datapackage.json";
        let unchecked = |found: &&mut Finding| found.name == name && found.unchecked.is_some();
        let Some(finding) = findings.iter_mut().find(unchecked) else { return Ok(()) };
        let Ok(Some(mut described)) = described(&self.folder) else { return Ok(()) };
        let package: Value = read_manifest(&self.folder.join(name))?;
        let is_of_this_version = package["version"] == VERSION;
        described["version"] = package["version"].clone();
        if described == package {
            *finding = Finding::checked(name, None);
        } else if is_of_this_version {
            let text =
                "it does not match the study's conditions: it was changed or damaged; restore it";
            *finding = Finding::checked(name, Some(text.to_owned()));
        }
        Ok(())
    }
}
