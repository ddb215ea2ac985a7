//! `tetrastat simulate`: games of one controller, their tables and a summary.

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::interrupt::stop_flag;
use super::output::{print, thousands};
use super::progress::with_progress;
use super::report::Report;
use super::run_options::RunOptions;
use super::{Format, Outcome, complain};
use crate::error::Error;
use crate::queue::QueueKind;
use crate::record::{Checkpoint, ResumePoint, RunFolder, Status, plain_name};
use crate::sim::{Job, Played, RunConfig, Shard, Totals};

/// Play games, write one row per game and per placement, and summarise them
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunOptions,

    /// Play only the I-th of N parts of the games, to be joined by `tetrastat merge`; a part that
    /// its --out holds already is not played again
    #[arg(long, value_name = "I/N", requires = "out")]
    shard: Option<Shard>,

    /// Output folder, which must not exist [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Replace the files of a run in an existing --out
    #[arg(long, requires = "out")]
    force: bool,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR", exclusive = true)]
    resume: Option<PathBuf>,

    /// Print up to N placements of the first game, evenly spread; 0 for none
    #[arg(long, default_value_t = 50, value_name = "N")]
    sample: usize,

    /// How to print the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let Some(folder) = &self.resume else { return self.play(None) };
        let checkpoint = Checkpoint::read(folder)?;
        let args = Args { out: Some(folder.clone()), ..super::simulate_args(&checkpoint.command)? };
        args.play(Some(&checkpoint))
    }

    /// Plays the run, or goes on with it from a checkpoint in --out.
    fn play(self, from: Option<&Checkpoint>) -> anyhow::Result<Outcome> {
        // What does not fit together must leave no folder behind.
        let job = self.run.job(self.shard, self.sample)?;
        let is_played = || self.out.as_ref().is_some_and(|out| job.is_played_in(out));
        if from.is_none() && self.shard.is_some() && is_played() {
            print("this shard is played already\n")?;
            return Ok(Outcome::Done);
        }
        let stop = stop_flag()?;
        let folder = match (from, &self.out) {
            (Some(_), Some(out)) => RunFolder::existing(out)?,
            _ => self.folder(job.config())?,
        };
        let path = folder.path().to_owned();
        let totals = Totals::default();
        let played =
            with_progress("", job.config(), &totals, || job.play(folder, from, &totals, &stop));
        self.report(&job, played?, &path)
    }

    /// Prints what was played, and how to go on when it is not all.
    fn report(&self, job: &Job, played: Played, folder: &Path) -> anyhow::Result<Outcome> {
        let Played { run, sample, ended } = played;
        Report::new(job.config(), &run, folder, sample).print(self.format)?;
        let folder = folder.display();
        let kept = format!("{ended} games ended and are kept in {folder}");
        match run.manifest.status {
            Status::Complete => {
                say_if_equal(&job.config().queue, job.config().games);
                Ok(Outcome::Done)
            }
            Status::Failed(error) => {
                bail!("{error}; {kept}; once that is mended, simulate --resume {folder} goes on")
            }
            Status::Interrupted => {
                complain(&format!("interrupted: {kept}; simulate --resume {folder} goes on"));
                Ok(Outcome::Interrupted)
            }
        }
    }

    fn folder(&self, config: &RunConfig) -> Result<RunFolder, Error> {
        match &self.out {
            Some(path) => RunFolder::create(path, self.force),
            None => {
                let RunConfig { controller, size, queue, search, .. } = config;
                let name = format!("{}-{size}-{queue}-{search}", controller.name);
                RunFolder::create_fresh(&PathBuf::from("runs").join(plain_name(&name)))
            }
        }
    }
}

/// Says so when games were dealt the same pieces, one like the other.
pub(super) fn say_if_equal(queue: &QueueKind, games: u64) {
    if games > 1 && !queue.is_random() {
        let games = thousands(games);
        complain(&format!(
            "note: queue {queue} deals every game the same pieces, so that all {games} games are alike: one is enough, or take another queue"
        ));
    }
}
