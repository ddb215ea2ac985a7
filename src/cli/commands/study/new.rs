//! Runs `tetrastat study --new`: creates the folder of a new study.

use std::fs;
use std::path::Path;

use anyhow::ensure;

use crate::cli::console::Console;
use crate::error::Error;
use crate::record::{shell_path, write_output};

/// Name of a file in the folder, and its text.
type Page = (&'static str, &'static str);

/// Files of a small study: study file, report in R Markdown, Makefile, pipeline of the R package
/// targets.
const PAGES: [Page; 4] = [
    ("study.toml", include_str!("../../../../data/templates/targets/study.toml")),
    ("report.Rmd", include_str!("../../../../data/templates/targets/report.Rmd")),
    ("Makefile", include_str!("../../../../data/templates/targets/Makefile")),
    ("_targets.R", include_str!("../../../../data/templates/targets/_targets.R")),
];

/// Returns true if `folder` is missing, empty, or holds only some files of the template. A full
/// disk leaves some files, and the same command then writes the others.
fn is_free(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    let entries: Vec<_> = entries.flatten().collect();
    let is_ours = |entry: &fs::DirEntry| {
        let page = PAGES.iter().find(|(name, _)| entry.file_name() == *name);
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file
            && page.is_some_and(|(_, text)| {
                fs::read(entry.path()).is_ok_and(|found| found == text.as_bytes())
            })
    };
    entries.len() < PAGES.len() && entries.iter().all(is_ours)
}

/// Creates `folder` with a study file and an R report.
pub(super) fn create(console: &Console, folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    ensure!(is_free(folder), "{shown} is not empty: name a new folder");
    fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, e))?;
    for (name, text) in PAGES {
        if !folder.join(name).exists() {
            write_output(&folder.join(name), text.as_bytes(), false)?;
        }
    }
    let names = PAGES.map(|(name, _)| name).join(" ");
    console.print(&format!(
        "{shown}: {names}\nmake -C {} plays study.toml and writes report.html\n",
        shell_path(folder)
    ))?;
    Ok(())
}
