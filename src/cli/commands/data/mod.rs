//! Runs `tetrastat data`: writes data sets; converts, merges and verifies folders.

use std::fs;
use std::slice::from_ref;

use anyhow::Context;
use clap::Parser;
use serde_json::{Value as Json, json};

use crate::cli::Cli;
use crate::cli::commands::simulate;
use crate::cli::console::raw_stdout;
use crate::cli::console::run_folder::copy_into;
use crate::cli::prelude::*;
use crate::engine::Described;
use crate::games::resume_command;
use crate::liap::LiapConfig;
use crate::record::{
    Commands, Conversion, Extract, Finding, MergedLogs, OutputFile, OutputFolder, RowCondition,
    Shard, ShardMerge, StudyLog, check_recorded, checkpoint_state, copy_tables, is_dataset,
    is_in_parts, is_study, plain_name, print_table, shell_path, shell_words, study_logs, verify,
    verify_dataset, verify_study,
};
use crate::report::Value;
use crate::sim::rollout::RolloutConfig;
use crate::text::numbers::thousands;
use crate::threads::catch_panic;

pub(crate) mod set;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum DataCommand {
    Set(set::Args),
    Convert(ConvertArgs),
    Merge(MergeArgs),
    Verify(VerifyArgs),
}

impl DataCommand {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Printout> {
        Ok(match self {
            DataCommand::Set(args) => args.run(console)?.into(),
            DataCommand::Convert(args) => args.run(console)?.into(),
            DataCommand::Merge(args) => args.run(console)?.into(),
            DataCommand::Verify(args) => args.run()?,
        })
    }
}

/// Convert tables between csv, csv.gz, csv.zst and parquet
///
/// The argument is one table, or a run folder with all its logs. The output is byte-identical to
/// what a run would write
#[derive(Debug, clap::Args)]
pub(crate) struct ConvertArgs {
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

impl ConvertArgs {
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
            return Ok(print_table(&self.from, &self.extract(), raw_stdout())?);
        }
        self.convert_table(console)
    }

    fn extract(&self) -> Extract {
        let rows = self.rows.clone().unwrap_or_default();
        Extract { columns: self.columns.clone(), rows, every: None }
    }

    fn convert_table(&self, console: &Console) -> anyhow::Result<()> {
        let ConvertArgs { from, to, .. } = self;
        let format = LogFormat::of_file(&to.to_string_lossy())?;
        let out = OutputFile::create(to, self.force)?;
        let copy = || copy_tables(from_ref(from), out.path(), format, &self.extract());
        let finished = catch_panic(copy)??;
        let (rows, bytes) = (thousands(finished.rows), thousands(finished.bytes));
        let line = format!("{rows} rows, {bytes} bytes: {}\n", to.display());
        console.print_path_line(out.finish()?, &line)?;
        Ok(())
    }

    /// Copies the logs of a study to new tables, in a folder for each kind of log and controller.
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
        if copy_into(console, &self.to, config, &files, write)?.is_some() {
            console.print(&format!("{}: {}\n", self.to.display(), files.join(" ")))?;
        }
        Ok(())
    }
}

/// Join the shards of a run into one run
///
/// Shards come from --shard I/N of simulate or label. The output is byte-identical
/// to an unsharded run
#[derive(Debug, clap::Args)]
pub(crate) struct MergeArgs {
    /// Folders of the shards, in any order
    #[arg(required = true)]
    shards: Vec<PathBuf>,

    /// Output folder: a new one, or that of the same merge, which starts again
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Do not join the shards' Parquet tables: each becomes a folder, such as placements.parquet,
    /// with the shards' files as parts. Readers of Parquet data sets read it as one table. Parts
    /// are hard links where possible, which take no space; the shards can be deleted
    #[arg(long)]
    parts: bool,
}

impl MergeArgs {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let logs = if self.parts { MergedLogs::Parts } else { MergedLogs::Joined };
        let merging = ShardMerge::new(&self.shards, &ProgramCommands, logs)?;
        let whole = merging.whole();
        let (config, files) = (whole["config"].clone(), merging.files().to_vec());
        let write = |folder: &RunFolder| merging.write(folder, data_package, merged_summary);
        if let Some(manifest) = copy_into(console, &self.out, config, &files, write)? {
            let (shards, out) = (self.shards.len(), self.out.display());
            console.print(&format!("{shards} shards, {}: {out}\n", counts(&manifest)))?;
        }
        Ok(())
    }
}

/// Merges the shards (parts of a run's games) into the new run `out`, except the Parquet tables.
/// The parts of these tables are already stored elsewhere.
///
/// Fails if a shard is missing, unfinished or damaged.
pub fn merge_written_parts(shards: &[PathBuf], out: &Path) -> Result<()> {
    let merging = ShardMerge::new(shards, &ProgramCommands, MergedLogs::WrittenParts)?;
    merging.write(&RunFolder::create(out)?, data_package, merged_summary).map(|_| ())
}

fn counts(manifest: &Json) -> String {
    const COUNT_NAMES: [&str; 5] = ["games", "lines", "matches", "rounds", "boards"];
    let counts = COUNT_NAMES.into_iter().filter_map(|what| Some((what, manifest[what].as_u64()?)));
    let counts = counts.map(|(what, count)| format!("{} {what}", thousands(count)));
    counts.collect::<Vec<_>>().join(", ")
}

macro_rules! of_game {
    ($manifest:ident, $function:ident($($given:expr),*)) => {
        match $manifest["config"]["game"].as_str() {
            Some("classic") => $function::<ClassicConfig>($($given),*),
            Some("guideline") => $function::<GuidelineConfig>($($given),*),
            Some("liap") => $function::<LiapConfig>($($given),*),
            Some(RolloutConfig::GAME) => $function::<RolloutConfig>($($given),*),
            game => Err(Error::Config(format!(
                "this program cannot merge runs of {}",
                game.unwrap_or("an unnamed game")
            ))),
        }
    };
}

/// Builds the `datapackage.json` of a run from its manifest, without reading tables.
fn data_package(manifest: &Json) -> Result<Json> {
    fn package<G: Described>(manifest: &Json) -> Result<Json> {
        Ok(Manifest::<G>::from_json(manifest)?.package())
    }
    of_game!(manifest, package(manifest))
}

fn merged_summary(manifest: &Json, folder: &Path, parts: Vec<Json>) -> Result<Json> {
    fn merged<G: Described>(manifest: &Json, folder: &Path, parts: Vec<Json>) -> Result<Json> {
        let config = Manifest::<G>::from_json(manifest)?.config;
        let parts = parts.into_iter().map(|part| {
            let of_shard = |error| Error::Config(format!("the summary of a shard: {error}"));
            serde_json::from_value(part).map_err(of_shard)
        });
        let parts = parts.collect::<Result<_>>()?;
        Ok(json!(G::merged(&config, folder, parts)?))
    }
    of_game!(manifest, merged(manifest, folder, parts))
}

struct ProgramCommands;

impl Commands for ProgramCommands {
    fn play_command(&self, shard: Shard, folder: &str, other: &[String]) -> Option<String> {
        let mut settings = Cli::try_parse_from(other).ok()?.command.new_run_settings()?;
        for option in ["force", "shard", "out"] {
            settings.remove(option);
        }
        settings.set("shard", shard.to_string());
        settings.set("out", folder);
        let words = ["tetrastat", simulate::NAME].into_iter().map(str::to_owned);
        Some(shell_words(&words.chain(settings.words::<simulate::Args>()).collect::<Vec<_>>()))
    }

    fn finish_command(&self, folder: &Path) -> String {
        let state = checkpoint_state(folder).ok();
        match state.and_then(|state| resume_command(&state["settings"], folder)) {
            Some(command) => format!("tetrastat {command}"),
            None => format!("the same command with --out {}", shell_path(folder)),
        }
    }
}

/// Check the files of a folder against their checksums
///
/// The folder is that of a run, training, estimate, data set or study (with all its runs). Files
/// are checked against their recorded sizes, row counts and SHA-256.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// Folder of the run, training, estimate, study or data set
    folder: PathBuf,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

impl VerifyArgs {
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
