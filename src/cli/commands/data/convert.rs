//! Runs `tetrastat data convert`: converts tables from one format to another.

use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

use anyhow::{Context, ensure};

use crate::cli::console::Console;
use crate::cli::console::data_out;
use crate::cli::console::opening::copied;
use crate::error::Error;
use crate::record::{
    Conversion, Extract, LogFormat, OutputFile, OutputFolder, RowCondition, RunFolder, StudyLog,
    check_recorded, copy_tables, is_in_parts, is_study, plain_name, print_table, study_logs,
};
use crate::text::numbers::thousands;
use crate::threads::catch_panic;

/// Convert tables between csv, csv.gz, csv.zst and parquet
///
/// The argument is one table, or a run folder with all its logs. The output is byte-identical to
/// what a run would write
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Table (such as placements.csv.zst) or run folder to convert
    from: PathBuf,

    /// Table to write (its extension sets the format; `-` writes CSV to stdout), or a new folder
    to: PathBuf,

    /// Format for the logs of a run folder
    #[arg(long, value_name = "FORMAT")]
    format: Option<LogFormat>,

    /// Columns to keep, in this order. In a run folder, each log keeps those that it has
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    columns: Vec<String>,

    /// Rows to keep: comparisons joined by `and`, such as 'game<=20 and holes>3', 'piece=T',
    /// 'score!=NA'
    #[arg(long = "where", value_name = "EXPR")]
    rows: Option<RowCondition>,

    /// Replace an existing table
    #[arg(long)]
    force: bool,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let of_study = is_study(&self.from);
        if of_study || (self.from.is_dir() && !is_in_parts(&self.from)) {
            let shown = self.from.display();
            let format = self.format.with_context(|| {
                format!("--format is missing: give the format to convert the logs of {shown} to")
            })?;
            return match of_study {
                true => self.convert_study(console, format),
                false => self.convert_folder(console, format),
            };
        }
        ensure!(
            self.format.is_none(),
            "--format is for run folders: the format of a table follows from its file name"
        );
        check_recorded(&self.from)?;
        if self.to == Path::new("-") {
            return Ok(print_table(&self.from, &self.extract(), data_out())?);
        }
        self.convert_table(console)
    }

    /// Returns the columns and rows to keep.
    fn extract(&self) -> Extract {
        let rows = self.rows.clone().unwrap_or_default();
        Extract { columns: self.columns.clone(), rows, every: None }
    }

    fn convert_table(&self, console: &Console) -> anyhow::Result<()> {
        let Args { from, to, .. } = self;
        let format = LogFormat::of_file(&to.to_string_lossy())?;
        let out = OutputFile::create(to, self.force)?;
        let copy = || copy_tables(from_ref(from), out.path(), format, &self.extract());
        let finished = catch_panic(copy)??;
        let (rows, bytes) = (thousands(finished.rows), thousands(finished.bytes));
        let line = format!("{rows} rows, {bytes} bytes: {}\n", to.display());
        console.print_where(out.finish()?, &line)?;
        Ok(())
    }

    /// Copies the logs of a study's conditions into one folder per controller, the layout of
    /// partitioned tables: TO/TABLE/controller=NAME/CONDITION.FORMAT.
    fn convert_study(&self, console: &Console, format: LogFormat) -> anyhow::Result<()> {
        let (shown, to) = (self.from.display(), &self.to);
        let out = OutputFolder::create(to)?;
        let parts = study_logs(&self.from)?;
        ensure!(!parts.is_empty(), "{shown} has no logs: play it with placements = \"csv\"");
        for StudyLog { path, table, controller, condition } in &parts {
            let folder = Path::new(table).join(format!("controller={}", plain_name(controller)));
            let folder = out.path().join(folder);
            fs::create_dir_all(&folder).map_err(|e| Error::io("creating", &folder, e))?;
            let file = OutputFile::create(&folder.join(format!("{condition}.{format}")), false)?;
            copy_tables(from_ref(path), file.path(), format, &self.extract())?;
            file.finish()?;
        }
        out.finish()?;
        console.print(&format!("{} tables: {}\n", parts.len(), to.display()))?;
        Ok(())
    }

    fn convert_folder(&self, console: &Console, format: LogFormat) -> anyhow::Result<()> {
        let conversion = Conversion::new(&self.from, format, self.extract())?;
        let (config, files) = (conversion.config().clone(), conversion.files().to_vec());
        let write = |folder: &RunFolder| catch_panic(|| conversion.write(folder))?;
        if copied(console, &self.to, config, &files, write)?.is_some() {
            console.print(&format!("{}: {}\n", self.to.display(), files.join(" ")))?;
        }
        Ok(())
    }
}
