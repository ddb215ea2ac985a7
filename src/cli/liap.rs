//! `tetrastat liap`: the second game. Declarations, rounds, comparisons and exact distributions.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{bail, ensure};
use serde_json::{Value, json};

use super::complaint::complain;
use super::given::{Given, Settings};
use super::interrupt::stop_flag;
use super::liap_report::{compared_json, compared_text, run_json, run_text};
use super::opening::{Begun, RESUME, RESUMED, Wanted, open_run};
use super::options::{Limit, count, limit, seed};
use super::output::{Format, Outcome, print, print_json, thousands};
use super::progress::with_count;
use crate::engine::{self, Game, Totals};
use crate::liap::declare::explain;
use crate::liap::distribution::Distribution;
use crate::liap::{
    Cards, Comparison, Context, Declarer, LiapCheckpoint, LiapConfig, Player, Rules, SEATS, Seat,
    Switch, TARGET,
};
use crate::record::{LogFormat, ResumePoint, RunFolder, Status};
use crate::sim::CHECKPOINT_EVERY;

/// Rounds up to which a run logs declarations and rounds unless the user says otherwise.
const DEFAULT_LOG_UP_TO: u64 = 100_000;

/// The card game LIAP: declare how many of eight piles you will capture, then play for them
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Declare(DeclareArgs),
    Simulate(Box<Given<SimulateArgs>>),
    Compare(CompareArgs),
    Distribution(DistributionArgs),
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        match self.command {
            Command::Declare(args) => args.run(),
            Command::Simulate(given) => simulate(*given),
            Command::Compare(args) => args.run(),
            Command::Distribution(args) => args.run(),
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
struct DeclareArgs {
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
    fn run(&self) -> anyhow::Result<Outcome> {
        let context = self.situation.context()?;
        let decision = self.declarer.decide(&self.hand, &context);
        let declared = decision.guarded(&context);
        match self.format {
            Format::Json => print_json(&json!({
                "declarer": self.declarer.name(), "hand": self.hand.to_string(),
                "position": context.position(), "previous": context.previous(),
                "nonzero": context.nonzero, "room": decision.room,
                "planned": decision.planned, "raw": decision.value, "declared": declared,
                "plan": decision.final_plan().to_string(),
            }))?,
            Format::Text if self.explain => {
                print(&explain(self.declarer, &self.hand, &context, &decision))?;
            }
            Format::Text => print(&format!("{declared}\n"))?,
        }
        Ok(Outcome::Done)
    }
}

/// One name for all seats, or four joined by commas.
fn per_seat<T: Copy>(given: &[T], option: &str) -> anyhow::Result<[T; SEATS]> {
    match *given {
        [all] => Ok([all; SEATS]),
        [a, b, c, d] => Ok([a, b, c, d]),
        _ => bail!("{option}: give one name for all seats, or four joined by commas"),
    }
}

fn threads(given: Option<u16>) -> usize {
    given.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from)
}

/// Play rounds of four players, in matches
#[derive(Debug, clap::Args)]
struct SimulateArgs {
    /// Rounds to play; the last match is cut when they are played
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = count::<u64>(1..))]
    rounds: u64,

    /// Declarer of all seats, or of each, joined by commas: v1, v1-rich, v2, v2-literal,
    /// v2-literal-singles, v2-upstream, v2-late
    #[arg(long, default_value = "v2", value_name = "NAMES", value_delimiter = ',')]
    declarers: Vec<Declarer>,

    /// Player of all seats, or of each: bot (the repository's strategy), basic (the strongest play),
    /// random
    #[arg(long, default_value = "bot", value_name = "NAMES", value_delimiter = ',')]
    players: Vec<Player>,

    /// Points that end a match
    #[arg(long, default_value_t = TARGET, value_name = "POINTS", value_parser = count::<i32>(1..))]
    target: i32,

    /// Rounds after which a match ends anyway, or `none` for 1,000
    #[arg(long, default_value = "20", value_name = "N", value_parser = limit)]
    max_rounds: Limit,

    /// Let declarations stand that the rules bar (those above 8 become 8)
    #[arg(long)]
    no_guard: bool,

    /// Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Log declarations and rounds: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet` [default: csv up
    /// to 100,000 rounds, else none]
    #[arg(long, value_name = "FORMAT")]
    log: Option<String>,

    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,

    /// Time between two checkpoints, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = CHECKPOINT_EVERY.as_millis() as u64, value_parser = count::<u64>(..))]
    checkpoint_ms: u64,

    /// Output folder: a new one, or that of the same run, which goes on [default: a fresh one under runs/]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Play anew into an --out that holds another LIAP run, or this one, and nothing else
    #[arg(long, requires = "out")]
    force: bool,

    /// Go on with a run that was killed or interrupted, to the bytes it would have had
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,

    /// How to print the summary
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// The command's name, as its checkpoints have it.
const NAME: &str = "liap simulate";

/// Plays a run, or goes on with one.
fn simulate(given: Given<SimulateArgs>) -> anyhow::Result<Outcome> {
    let Some(folder) = &given.options.resume else {
        Begun::with(NAME, &given.settings, &Settings::default());
        return given.options.play(None);
    };
    given.only(&[RESUME], RESUMED)?;
    let checkpoint = LiapCheckpoint::read(folder)?;
    let (_, all) = Begun::again(NAME, folder, &checkpoint.settings, &given)?;
    SimulateArgs { out: Some(folder.clone()), ..all.options }.play(Some(&checkpoint))
}

impl SimulateArgs {
    fn config(&self) -> anyhow::Result<LiapConfig> {
        let declarers = per_seat(&self.declarers, "--declarers")?;
        let players = per_seat(&self.players, "--players")?;
        let max_rounds = self.max_rounds.0.map(u32::try_from).transpose();
        ensure!(max_rounds.is_ok(), "--max-rounds: give a number below 2^32, or none");
        let log = match self.log.as_deref() {
            None => (self.rounds <= DEFAULT_LOG_UP_TO).then_some(LogFormat::Csv),
            Some("none") => None,
            Some(name) => Some(name.parse()?),
        };
        let config = LiapConfig {
            seats: std::array::from_fn(|k| Seat { declarer: declarers[k], player: players[k] }),
            rules: Rules {
                target: self.target,
                max_rounds: max_rounds.unwrap_or_default(),
                guard: !self.no_guard,
            },
            rounds: self.rounds,
            seed: self.seed,
            log,
            threads: threads(self.threads),
            checkpoint_every: Duration::from_millis(self.checkpoint_ms),
        };
        config.validate()?;
        Ok(config)
    }

    fn play(self, from: Option<&LiapCheckpoint>) -> anyhow::Result<Outcome> {
        let config = self.config()?;
        let stop = stop_flag()?;
        let (entry, tables) = (json!(config.entry()), config.files());
        let wanted = Wanted { config: entry, tables, force: self.force };
        let fresh = || RunFolder::create_fresh(Path::new("runs/liap"));
        let opened = open_run(from.is_some(), self.out.as_deref(), wanted, fresh, |_| true)?;
        let Some((folder, begun)) = opened else { return Ok(Outcome::Done) };
        let from = from.or(begun.as_ref());
        let path = folder.path().to_owned();
        let totals = Totals::default();
        let run = with_count(Some(&path), "rounds", config.rounds, &totals.played, || {
            engine::play(&config, folder, from, &totals, &stop)
        })?;
        match self.format {
            Format::Json => print_json(&run_json(&config, &run, &path))?,
            Format::Text => print(&run_text(&config, &run, &path))?,
        }
        let (kept, shown) = (thousands(run.count.tally.rounds), path.display());
        match run.manifest.status {
            Status::Complete => Ok(Outcome::Done),
            Status::Failed(error) => bail!(
                "{error}; {kept} rounds are kept in {shown}; once that is mended, liap simulate --resume {shown} goes on"
            ),
            Status::Interrupted => {
                complain(&format!(
                    "interrupted: {kept} rounds are kept in {shown}; liap simulate --resume {shown} goes on"
                ));
                Ok(Outcome::Interrupted)
            }
        }
    }
}

/// Compare two declarers on the same deals
#[derive(Debug, clap::Args)]
struct CompareArgs {
    /// The declarer to compare with
    first: Declarer,

    /// The declarer to compare
    second: Declarer,

    /// Deals, each played with both
    #[arg(long, default_value_t = 100_000, value_name = "N", value_parser = count::<u64>(1..))]
    rounds: u64,

    /// Player of all seats: bot, basic or random
    #[arg(long, default_value = "bot")]
    player: Player,

    /// Who changes declarer: `all` four, or `one` position at a time while the others keep the first
    #[arg(long, value_enum, default_value = "all")]
    switch: SwitchArg,

    /// Seed of the deals, decimal or 0x hexadecimal
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Worker threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,

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
    fn run(&self) -> anyhow::Result<Outcome> {
        let switch = match self.switch {
            SwitchArg::All => Switch::All,
            SwitchArg::One => Switch::One,
        };
        let comparison = Comparison {
            declarers: [self.first, self.second],
            player: self.player,
            switch,
            rounds: self.rounds,
            seed: self.seed,
            threads: threads(self.threads),
        };
        let (played, stop) = (AtomicU64::new(0), stop_flag()?);
        let compared =
            with_count(None, "deals", self.rounds, &played, || comparison.play(&played, &stop))?;
        let [begun, asked] = [compared.rounds, self.rounds].map(thousands);
        if compared.rounds == 0 {
            complain("interrupted before a deal was played");
            return Ok(Outcome::Interrupted);
        }
        match self.format {
            Format::Json => print_json(&compared_json(&comparison, &compared))?,
            Format::Text => print(&compared_text(&comparison, &compared))?,
        }
        if compared.rounds == self.rounds {
            return Ok(Outcome::Done);
        }
        complain(&format!(
            "interrupted: {begun} of {asked} deals were played and are compared; nothing is kept, so the same command starts anew"
        ));
        Ok(Outcome::Interrupted)
    }
}

/// The exact distribution of declarations over all 10,518,300 hands
#[derive(Debug, clap::Args)]
struct DistributionArgs {
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
    fn run(&self) -> anyhow::Result<Outcome> {
        let context = self.situation.context()?;
        let declarers =
            if self.declarers.is_empty() { &Declarer::ALL[..] } else { &self.declarers };
        let all: Vec<(Declarer, Distribution)> = declarers
            .iter()
            .map(|&declarer| (declarer, self.distribution(declarer, &context)))
            .collect();
        match self.format {
            Format::Json => print_json(&distributions_json(&all))?,
            Format::Text => print(&distributions_text(&all))?,
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
