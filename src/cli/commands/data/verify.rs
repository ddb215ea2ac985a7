//! Runs `tetrastat data verify`: checks the folder of a run, study or training against its
//! checksums.

use std::path::PathBuf;

use anyhow::anyhow;

use crate::cli::console::output::{Outcome, Printout, TableFormat};
use crate::record::{Finding, is_dataset, is_study, verify, verify_dataset, verify_study};
use crate::report::{Report, TableOf, Value};

/// Check the files of a folder against their checksums
///
/// The folder is that of a run, training, estimate, data set or study (with all its runs). Files
/// are checked against their recorded sizes, row counts and SHA-256.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder of the run, training, estimate, study or data set
    folder: PathBuf,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Printout> {
        let findings = if is_study(&self.folder) {
            verify_study(&self.folder)?
        } else if is_dataset(&self.folder) {
            verify_dataset(&self.folder)?
        } else {
            verify(&self.folder)?
        };
        let wrong = findings.iter().filter(|finding| finding.problem.is_some());
        let wrong: Vec<&str> = wrong.map(|finding| &*finding.name).collect();
        let end = match &wrong[..] {
            [] => Ok(Outcome::Done),
            wrong => {
                let (count, all, shown) = (wrong.len(), findings.len(), self.folder.display());
                let names = wrong.join(", ");
                Err(anyhow!("{count} of {all} files of {shown} failed the check: {names}"))
            }
        };
        let mut report = Report::default();
        report.data("folder", &*self.folder);
        report.table(
            TableOf::new("files", &findings)
                .with(("is_ok", "check"), |Finding { problem, .. }| match problem {
                    None => Value::new(true, "ok"),
                    Some(_) => Value::new(false, "failed"),
                })
                .with(("name", "file"), |finding| &finding.name)
                .below("problem", |finding| finding.problem.as_ref()),
        );
        Ok(Printout { end, ..Printout::new(report, self.format) })
    }
}
