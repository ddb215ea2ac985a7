//! `tetrastat convert`: tables from one format to another.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

use super::opening::folder_of_copy;
use super::output::{Outcome, print, thousands};
use crate::record::{Conversion, LogFormat, copy_tables, print_table};
use crate::threads::caught;

/// Convert tables between csv, csv.gz, csv.zst and parquet, to the bytes that a run would have
/// written: one table, or all logs of a run folder
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A table (placements.csv.zst, ...), or a run folder
    from: PathBuf,

    /// The table to write, whose ending says the format, `-` for CSV on stdout, or a new folder
    to: PathBuf,

    /// The format of a run folder's logs
    #[arg(long, value_name = "FORMAT")]
    format: Option<LogFormat>,

    /// Replace an existing table
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        if self.from.is_dir() {
            return self.convert_folder();
        }
        ensure!(
            self.format.is_none(),
            "--format is for run folders: a table's ending says its format"
        );
        if self.to == Path::new("-") {
            print_table(&self.from, io::stdout().lock())?;
            return Ok(Outcome::Done);
        }
        self.convert_table()
    }

    fn convert_table(&self) -> anyhow::Result<Outcome> {
        let Args { from, to, .. } = self;
        let format = LogFormat::of_file(&to.to_string_lossy())?;
        if to.exists() && !self.force {
            bail!("{} exists already: choose another name, or give --force", to.display());
        }
        let partial = to.with_added_extension("partial");
        let copy = || copy_tables(std::slice::from_ref(from), &partial, format);
        let copied = caught(copy).and_then(|copied| copied);
        let finished = copied.inspect_err(|_| _ = std::fs::remove_file(&partial))?;
        std::fs::rename(&partial, to)?;
        let (rows, bytes) = (thousands(finished.rows), thousands(finished.bytes));
        print(&format!("{rows} rows, {bytes} bytes: {}\n", to.display()))?;
        Ok(Outcome::Done)
    }

    fn convert_folder(&self) -> anyhow::Result<Outcome> {
        let Some(format) = self.format else {
            bail!("--format is missing: say what the logs of {} become", self.from.display());
        };
        let conversion = Conversion::new(&self.from, format)?;
        let (config, files) = (conversion.config().clone(), conversion.files().to_vec());
        let Some(folder) = folder_of_copy(&self.to, config, files.clone())? else {
            return Ok(Outcome::Done);
        };
        match caught(|| conversion.write(&folder)).and_then(|converted| converted) {
            Ok(()) => {
                print(&format!("{}: {}\n", self.to.display(), files.join(" ")))?;
                Ok(Outcome::Done)
            }
            Err(error) => {
                folder.discard();
                Err(error.into())
            }
        }
    }
}
