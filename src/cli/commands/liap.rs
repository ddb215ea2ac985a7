//! Runs `tetrastat liap`: analyses of LIAP, a card game. Its crate defines the options and reports.

use std::sync::atomic::AtomicU64;

use crate::cli::options::ThreadOption;
use crate::cli::prelude::*;
use crate::liap::options::{CompareOptions, DeclareOptions, DistributionOptions};
use crate::liap::reports::comparison_report;
use crate::text::numbers::thousands;

#[derive(Debug, clap::Subcommand)]
pub(crate) enum LiapCommand {
    /// Declare with one hand of cards, and explain the declaration
    Declare(Printed<DeclareOptions>),
    Compare(CompareArgs),
    /// Compute the exact distribution of declarations over all 10,518,300 hands of cards
    Distribution(Printed<DistributionOptions>),
}

impl LiapCommand {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        let (report, format) = match self {
            LiapCommand::Compare(args) => return args.run(console),
            LiapCommand::Declare(args) => (args.options.report()?, args.format),
            LiapCommand::Distribution(args) => (args.options.report()?, args.format),
        };
        console.report(&report, format)?;
        Ok(Outcome::Done)
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Printed<O: clap::Args> {
    #[command(flatten)]
    options: O,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Compare two declarers on the same single deals, position by position. `compare --rules liap`
/// compares whole matches of any number of declarers
#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    compare: CompareOptions,

    #[command(flatten)]
    threads: ThreadOption,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl CompareArgs {
    fn run(&self, console: &Console) -> anyhow::Result<Outcome> {
        let comparison = self.compare.comparison(self.threads.count());
        let (played, stop) = (AtomicU64::new(0), console.stop_flag()?);
        let compared = console
            .with_count("deals", comparison.rounds, &played, || comparison.play(&played, &stop))?;
        let [begun, asked] = [compared.rounds, comparison.rounds].map(thousands);
        if compared.rounds == 0 {
            console.eprint_line("interrupted before a deal was played");
            return Ok(Outcome::Interrupted);
        }
        console.report(&comparison_report(&comparison, &compared), self.format)?;
        if compared.rounds == comparison.rounds {
            return Ok(Outcome::Done);
        }
        console.eprint_line(&format!(
            "interrupted: {begun} of {asked} deals were played and are compared; nothing is kept, \
                so the same command starts again"
        ));
        Ok(Outcome::Interrupted)
    }
}
