//! `tetrastat liap`: the second game. Declarations, comparisons of them and exact distributions; its runs are in
//! `liap_simulate`.

use std::fmt::Write;
use std::sync::atomic::AtomicU64;

use anyhow::bail;
use serde_json::{Value, json};

use crate::cli::commands::simulate::liap as liap_simulate;
use crate::cli::commands::simulate::liap::SimulateArgs;
use crate::cli::console::Console;
use crate::cli::console::output::{Format, Outcome, thousands};
use crate::cli::options::given::Given;
use crate::cli::options::{Threads, count, seed};
use crate::cli::reports::liap::{compared_json, compared_text};
use crate::liap::declare::explain;
use crate::liap::distribution::Distribution;
use crate::liap::{CardPlayer, Cards, Context, Declarer, DeclarerComparison, Switch};

/// The card game LIAP: declare how many of eight piles you will capture, then play for them
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: LiapCommand,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum LiapCommand {
    Declare(DeclareArgs),
    Simulate(Box<Given<SimulateArgs>>),
    Compare(CompareArgs),
    Distribution(DistributionArgs),
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        match self.command {
            LiapCommand::Declare(args) => args.run(console),
            LiapCommand::Simulate(given) => liap_simulate::run(console, *given),
            LiapCommand::Compare(args) => args.run(console),
            LiapCommand::Distribution(args) => args.run(console),
        }
    }
}

/// What a player knows besides the hand.
#[derive(Debug, clap::Args)]
struct Situation {
    /// Place in the order of declarations, 0 for the starter [default: the number of --previous]
    #[arg(long, value_name = "0-3")]
    position: Option<usize>,

    /// Declarations before, in order, joined by commas
    #[arg(long, value_name = "D,D,D", value_delimiter = ',')]
    previous: Vec<u8>,

    /// The player declared 0 in the last two rounds and must not again
    #[arg(long)]
    nonzero: bool,
}

impl Situation {
    fn context(&self) -> anyhow::Result<Context> {
        let (position, previous) = (self.position, &*self.previous);
        if let Some(position) = position.filter(|&position| position != previous.len()) {
            bail!(
                "position {position} has {position} declarations before it, --previous gives {}: let them agree",
                previous.len()
            );
        }
        Ok(Context::new(previous, self.nonzero)?)
    }
}

/// Declare with one hand, and say why
#[derive(Debug, clap::Args)]
pub(crate) struct DeclareArgs {
    /// Up to eight pieces: G A E R H C S for red general, advisor, elephant, chariot, horse, cannon,
    /// soldier, small letters for black; the order matters to v1 alone
    hand: Cards,

    #[command(flatten)]
    situation: Situation,

    /// v1, v1-rich, v2, v2-literal, v2-literal-singles, v2-upstream or v2-late
    #[arg(long, default_value = "v2")]
    declarer: Declarer,

    /// Print the decision step by step
    #[arg(long)]
    explain: bool,

    /// How to print the declaration
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl DeclareArgs {
    fn run(&self, console: &Console) -> anyhow::Result<Outcome> {
        let context = self.situation.context()?;
        let decision = self.declarer.decide(&self.hand, &context);
        let declared = decision.guarded(&context);
        match self.format {
            Format::Json => console.print_json(&json!({
                "declarer": self.declarer.name(), "hand": self.hand.to_string(),
                "position": context.position(), "previous": context.previous(),
                "nonzero": context.nonzero, "room": decision.room,
                "planned": decision.planned, "raw": decision.value, "declared": declared,
                "plan": decision.final_plan().to_string(),
            }))?,
            Format::Text if self.explain => {
                console.print(&explain(self.declarer, &self.hand, &context, &decision))?;
            }
            Format::Text => console.print(&format!("{declared}\n"))?,
        }
        Ok(Outcome::Done)
    }
}

/// Compare two declarers on the same single deals, position by position (`compare --rules liap` compares whole
/// matches of any number of declarers)
#[derive(Debug, clap::Args)]
pub(crate) struct CompareArgs {
    /// The declarer to compare with
    first: Declarer,

    /// The declarer to compare
    second: Declarer,

    /// Deals, each played with both
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = count::<u64>(1..))]
    rounds: u64,

    /// Player of all seats: bot, basic or random
    #[arg(long, default_value = "bot")]
    player: CardPlayer,

    /// Who changes declarer: `all` four, or `one` position at a time while the others keep the first
    #[arg(long, value_enum, default_value = "all")]
    switch: SwitchArg,

    /// Seed of the deals, decimal or 0x hexadecimal
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    #[command(flatten)]
    threads: Threads,

    /// How to print the comparison
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SwitchArg {
    All,
    One,
}

impl CompareArgs {
    fn run(&self, console: &Console) -> anyhow::Result<Outcome> {
        let switch = match self.switch {
            SwitchArg::All => Switch::All,
            SwitchArg::One => Switch::One,
        };
        let comparison = DeclarerComparison {
            declarers: [self.first, self.second],
            player: self.player,
            switch,
            rounds: self.rounds,
            seed: self.seed,
            threads: self.threads.count(),
        };
        let (played, stop) = (AtomicU64::new(0), console.stop_flag()?);
        let compared = console
            .with_count("deals", self.rounds, &played, || comparison.play(&played, &stop))?;
        let [begun, asked] = [compared.rounds, self.rounds].map(thousands);
        if compared.rounds == 0 {
            console.eprint_line("interrupted before a deal was played");
            return Ok(Outcome::Interrupted);
        }
        match self.format {
            Format::Json => console.print_json(&compared_json(&comparison, &compared))?,
            Format::Text => console.print(&compared_text(&comparison, &compared))?,
        }
        if compared.rounds == self.rounds {
            return Ok(Outcome::Done);
        }
        console.eprint_line(&format!(
            "interrupted: {begun} of {asked} deals were played and are compared; nothing is kept, so the same command starts anew"
        ));
        Ok(Outcome::Interrupted)
    }
}

/// The exact distribution of declarations over all 10,518,300 hands
#[derive(Debug, clap::Args)]
pub(crate) struct DistributionArgs {
    /// Declarers, joined by commas [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    declarers: Vec<Declarer>,

    #[command(flatten)]
    situation: Situation,

    /// Take declarations as the rules let them stand, instead of as declarers return them
    #[arg(long)]
    guard: bool,

    /// How to print the distribution
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl DistributionArgs {
    fn run(&self, console: &Console) -> anyhow::Result<Outcome> {
        let context = self.situation.context()?;
        let declarers =
            if self.declarers.is_empty() { &Declarer::ALL[..] } else { &self.declarers };
        let all: Vec<(Declarer, Distribution)> = declarers
            .iter()
            .map(|&declarer| (declarer, self.distribution(declarer, &context)))
            .collect();
        match self.format {
            Format::Json => console.print_json(&distributions_json(&all))?,
            Format::Text => console.print(&distributions_text(&all))?,
        }
        Ok(Outcome::Done)
    }

    fn distribution(&self, declarer: Declarer, context: &Context) -> Distribution {
        Distribution::of(|cards| {
            let decision = declarer.decide(cards, context);
            if self.guard { decision.guarded(context) } else { decision.value }
        })
    }
}

fn distributions_json(all: &[(Declarer, Distribution)]) -> Value {
    let one = |(declarer, found): &(Declarer, Distribution)| json!({ "declarer": declarer.name(), "hands": found.hands, "mean": found.mean() });
    json!({ "hands": crate::liap::distribution::HANDS, "declarers": all.iter().map(one).collect::<Vec<_>>() })
}

fn distributions_text(all: &[(Declarer, Distribution)]) -> String {
    let mut text = format!("{:>6}", "value");
    for (declarer, _) in all {
        let _ = write!(text, " {:>18}", declarer.name());
    }
    text.push('\n');
    let longest = all.iter().map(|(_, found)| found.hands.len()).max().unwrap_or_default();
    for value in 0..longest {
        let _ = write!(text, "{value:>6}");
        for (_, found) in all {
            let hands = found.hands.get(value).copied().unwrap_or_default();
            let _ = write!(text, " {:>18}", thousands(hands));
        }
        text.push('\n');
    }
    let _ = write!(text, "{:>6}", "mean");
    for (_, found) in all {
        let _ = write!(text, " {:>18.4}", found.mean());
    }
    text.push_str(
        "\nhands of eight pieces, strongest first where a declarer heeds the order (v1)\n",
    );
    text
}
