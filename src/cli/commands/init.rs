//! Runs `tetrastat init`: creates the folder of a new study.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::ValueEnum;

use crate::cli::console::Console;
use crate::error::Error;
use crate::record::{shell_path, write_output};

/// Set of files for a new folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Template {
    /// Files of a small study: study file, report in R Markdown, Makefile, pipeline of the R
    /// package targets
    Targets,
}

/// Name of a file in the folder, and its text.
type Page = (&'static str, &'static str);

const TARGETS: [Page; 4] = [
    ("study.toml", include_str!("../../../data/templates/targets/study.toml")),
    ("report.Rmd", include_str!("../../../data/templates/targets/report.Rmd")),
    ("Makefile", include_str!("../../../data/templates/targets/Makefile")),
    ("_targets.R", include_str!("../../../data/templates/targets/_targets.R")),
];

/// Create a folder for a study, with a study file and an R report
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// New or empty folder
    folder: PathBuf,

    /// Set of files to create
    #[arg(long, value_enum, default_value = "targets")]
    template: Template,
}

/// Returns true if `folder` is missing, empty, or holds only some files of the template. A full
/// disk leaves some files, and the same command then writes the others.
fn is_free(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    let entries: Vec<_> = entries.flatten().collect();
    let is_ours = |entry: &fs::DirEntry| {
        let page = TARGETS.iter().find(|(name, _)| entry.file_name() == *name);
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file
            && page.is_some_and(|(_, text)| {
                fs::read(entry.path()).is_ok_and(|found| found == text.as_bytes())
            })
    };
    entries.len() < TARGETS.len() && entries.iter().all(is_ours)
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let Args { folder, template: Template::Targets } = &self;
        let shown = folder.display();
        ensure!(is_free(folder), "{shown} is not empty: name a new folder");
        fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, e))?;
        for (name, text) in TARGETS {
            if !folder.join(name).exists() {
                write_output(&folder.join(name), text.as_bytes(), false)?;
            }
        }
        let names = TARGETS.map(|(name, _)| name).join(" ");
        console.print(&format!(
            "{shown}: {names}\nmake -C {} plays study.toml and writes report.html\n",
            shell_path(folder)
        ))?;
        Ok(())
    }
}
