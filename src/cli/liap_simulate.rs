//! LIAP runs: `tetrastat liap simulate`, and `simulate --rules liap`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::bail;
use serde_json::json;

use super::complaint::complain;
use super::given::{Given, Settings};
use super::interrupt::stop_flag;
use super::liap_options::{LiapOptions, per_seat};
use super::liap_report::{run_json, run_text};
use super::log_options::{LogOptions, LogOrNone};
use super::opening::{Begun, OutOptions, RESUME, RESUMED, Wanted, open_run};
use super::options::{Threads, count, seed};
use super::output::{Format, Outcome, print, print_json, thousands};
use super::progress::with_count;
use crate::engine::{self, Game, Totals};
use crate::liap::{Declarer, Length, LiapCheckpoint, LiapConfig, LiapRun};
use crate::record::{ResumePoint, RunFolder, Shard, Status};
use crate::sim::CHECKPOINT_EVERY;

/// Rounds up to which a run logs declarations and rounds unless the user says otherwise.
const DEFAULT_LOG_UP_TO: u64 = 100_000;
/// Matches up to which it does: of at most 20 rounds each, unless the user says otherwise.
const DEFAULT_LOG_UP_TO_MATCHES: u64 = 5_000;

/// Play rounds of four players, in matches
#[derive(Debug, clap::Args)]
pub(super) struct SimulateArgs {
    /// Rounds to play; the last match is cut when they are played
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = count::<u64>(1..))]
    rounds: u64,

    /// Matches to play, each to its end, instead of --rounds
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..), conflicts_with = "rounds")]
    matches: Option<u64>,

    /// Play only the I-th of N parts of the --matches, to be joined by `tetrastat merge`
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,

    /// Declarer of all seats, or of each, joined by commas: v1, v1-rich, v2, v2-literal,
    /// v2-literal-singles, v2-upstream, v2-late
    #[arg(long, default_value = "v2", value_name = "NAMES", value_delimiter = ',')]
    declarers: Vec<Declarer>,

    #[command(flatten)]
    liap: LiapOptions,

    /// Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Log declarations and rounds: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv up
    /// to 100,000 rounds or 5,000 matches, else none]
    #[arg(long, value_name = "FORMAT")]
    log: Option<LogOrNone>,

    #[command(flatten)]
    logged: LogOptions,

    #[command(flatten)]
    threads: Threads,

    /// Time between two checkpoints, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = CHECKPOINT_EVERY.as_millis() as u64, value_parser = count::<u64>(..))]
    checkpoint_ms: u64,

    #[command(flatten)]
    out: OutOptions,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
}

/// The command's name, as its checkpoints have it.
pub(super) const NAME: &str = "liap simulate";

/// Plays a run, or goes on with one.
pub(super) fn run(given: Given<SimulateArgs>) -> anyhow::Result<Outcome> {
    let Some(folder) = given.options.resume.clone() else {
        let begun = Begun::new(NAME, &given.settings, Settings::default());
        let options = given.options;
        return play(&options.config()?, &options.out, &begun, false);
    };
    given.only(&[RESUME], RESUMED)?;
    let checkpoint = LiapCheckpoint::read(&folder)?;
    let (begun, all) = Begun::again(NAME, &folder, &checkpoint.settings, &given)?;
    let config = all.options.config()?;
    play(&config, &OutOptions { out: Some(folder), ..all.options.out }, &begun, true)
}

impl SimulateArgs {
    fn config(&self) -> anyhow::Result<LiapConfig> {
        let declarers = per_seat(&self.declarers, "--declarers")?;
        let length = self.matches.map_or(Length::Rounds(self.rounds), Length::Matches);
        let few = match length {
            Length::Rounds(rounds) => rounds <= DEFAULT_LOG_UP_TO,
            Length::Matches(matches) => matches <= DEFAULT_LOG_UP_TO_MATCHES,
        };
        let config = LiapConfig {
            shard: self.shard,
            log: self.logged.liap(self.log, few),
            checkpoint_every: Duration::from_millis(self.checkpoint_ms),
            ..self.liap.config(declarers, length, self.seed, self.threads.count())?
        };
        config.validate()?;
        Ok(config)
    }
}

/// Plays a run that a command began, or goes on with it from the checkpoint in its folder.
pub(super) fn play(
    config: &LiapConfig,
    options: &OutOptions,
    begun: &Begun,
    resumed: bool,
) -> anyhow::Result<Outcome> {
    if options.dry_run {
        print_json(&config.entry())?;
        return Ok(Outcome::Done);
    }
    let stop = stop_flag()?;
    let out = options.out.as_deref();
    let from = out.filter(|_| resumed).map(LiapCheckpoint::read).transpose()?;
    let (entry, tables) = (json!(config.entry()), config.files());
    let wanted = Wanted { config: entry, tables, force: options.force };
    let fresh = || RunFolder::create_fresh(Path::new("runs/liap"));
    let opened = open_run(resumed, out, wanted, fresh, |_| true)?;
    let Some((folder, there)) = opened else { return Ok(Outcome::Done) };
    let from = from.or(there);
    let path = folder.path().to_owned();
    let totals = Totals::default();
    let (what, all) = config.asked();
    let run = with_count(Some(&path), what, all, &totals.played, || {
        engine::play(config, folder, from.as_ref(), &begun.kept(), &totals, &stop)
    })?;
    report(config, &run, &path, options.format)?;
    ended(&run, &path, begun.command())
}

fn report(config: &LiapConfig, run: &LiapRun, folder: &Path, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Json => print_json(&run_json(config, run, folder)),
        Format::Text => Ok(print(&run_text(config, run, folder))?),
    }
}

/// Says how to go on with a run that did not come to its end.
fn ended(run: &LiapRun, folder: &Path, command: &str) -> anyhow::Result<Outcome> {
    let (kept, shown) = (thousands(run.count.tally.rounds), folder.display());
    match &run.manifest.status {
        Status::Complete => Ok(Outcome::Done),
        Status::Failed(error) => bail!(
            "{error}; {kept} rounds are kept in {shown}; once that is mended, {command} --resume {shown} goes on"
        ),
        Status::Interrupted => {
            complain(&format!(
                "interrupted: {kept} rounds are kept in {shown}; {command} --resume {shown} goes on"
            ));
            Ok(Outcome::Interrupted)
        }
    }
}
