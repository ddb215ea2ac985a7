//! `tetrastat init`: a folder to begin a study in.

use std::fs;
use std::path::PathBuf;

use anyhow::ensure;
use clap::ValueEnum;

use super::output::{Outcome, print};
use crate::error::Error;
use crate::record::shell_path;

/// What a folder begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Template {
    /// A small study, a report in R Markdown, a Makefile, and a pipeline of the R package targets.
    Targets,
}

/// The name of a file in the folder, and its text.
type Page = (&'static str, &'static str);

const TARGETS: [Page; 4] = [
    ("study.toml", include_str!("../../data/templates/targets/study.toml")),
    ("report.Rmd", include_str!("../../data/templates/targets/report.Rmd")),
    ("Makefile", include_str!("../../data/templates/targets/Makefile")),
    ("_targets.R", include_str!("../../data/templates/targets/_targets.R")),
];

/// Begin a folder for a study of your own: its file, a report in R, and what makes both
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder, a new or an empty one
    folder: PathBuf,

    /// What it begins with
    #[arg(long, value_enum, default_value = "targets")]
    template: Template,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let Args { folder, template: Template::Targets } = &self;
        let shown = folder.display();
        let is_free = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
        ensure!(is_free, "{shown} is not empty: name a new folder");
        fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, e))?;
        for (name, text) in TARGETS {
            let file = folder.join(name);
            fs::write(&file, text).map_err(|e| Error::io("writing", file, e))?;
        }
        let names = TARGETS.map(|(name, _)| name).join(" ");
        print(&format!(
            "{shown}: {names}\nmake -C {} plays study.toml and writes report.html\n",
            shell_path(folder)
        ))?;
        Ok(Outcome::Done)
    }
}
