//! Runs `tetrastat play`: lets a person play in the terminal, or a program key by key.

mod keys;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use clap::ValueEnum;
use serde_json::json;

use crate::cli::console::Console;
use crate::cli::console::opening::OutputRequest;
use crate::cli::console::output::Outcome;
use crate::cli::options::help::prose;
use crate::engine::RunState;
use crate::record::RunFolder;
use crate::rng::{Purpose, stream_seed};
use crate::rules::guideline::RuleSet;
use crate::sim::guideline::{GuidelineConfig, PERSON, SPRINT_LINES};
use crate::terminal::play::{
    KeyMap, PlayGame, SessionEnd, SessionFolder, SessionOptions, check_terminal, play,
};
use crate::text::parse::{count, seed};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlayMode {
    /// Clear 40 rows as fast as you can.
    Sprint,
    /// Score as many points as you can in three minutes.
    Blitz,
    /// Play without an end.
    Practice,
}

const HELP: &str = "\
A and D shift, S drops softly, W drops and locks, the left and right arrows turn, left shift or C \
holds, P pauses. The screen shows all keys, and --print-key-map writes them as TOML for --key-map. \
NO_COLOR=1 shows letters instead of colours. A piece falls one row per second. It locks after 250 \
ms on the ground, or after 2 s at most. Held keys repeat after 150 ms, then every 75 ms, or at \
once with --advanced. These delays, and shift alone as a key, need a terminal that reports key \
releases (the kitty keyboard protocol). Other terminals repeat keys in their own way.\n\n\
The run folder has the tables of `simulate --rules guideline`. Game i of a seed has the \
same pieces as game i of a controller under that seed.

With --keys, a program plays a classic game by the rules of a teaching notebook. A piece enters
with its anchor in the middle of the top row. Each step performs an action, if the way is free, and
then lets the piece fall by one row. A piece that rests is locked, full rows are removed, and the
next piece enters. The game is over when the top row is not empty. --notebook also deals the
notebook's pieces:

    tetrastat play --keys --notebook --seed 42 --controller notebook-ones
    tetrastat play --keys --piece T --at 3,1 --actions left,ccw
    tetrastat play --keys --piece T --at 0,0 --moves  # where it can rest
With --format json, actions may come line by line, as names, numbers or {\"action\": \"left\"}. The
first line of output is the start, and each further line the state after an action:
    printf 'left\\ndrop\\n' | tetrastat play --keys --format json";

/// Play a game yourself: Sprint, Blitz or Practice; or key by key
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = prose(HELP),
    mut_args(|option| match (option.get_help_heading(), option.get_id().as_str()) {
        (Some(keys::HEADING), _) => option.requires("keys"),
        (_, "keys" | "seed") => option,
        _ => option.conflicts_with("keys"),
    })
)]
pub(crate) struct Args {
    /// Game to start directly, without the menu
    #[arg(long, value_enum)]
    mode: Option<PlayMode>,

    /// `guideline` (2009), `capstone`, `jstris`, `botris`, `tetrio-1`, `tetrio-2`,
    /// `puyo-puyo-tetris`, or a TOML file with your own rules
    #[arg(long, default_value = "guideline")]
    rules: RuleSet,

    /// Rows to clear in a Sprint
    #[arg(
        long,
        default_value_t = SPRINT_LINES,
        value_name = "N",
        value_parser = count::<u32>(1..=100_000)
    )]
    sprint_lines: u32,

    /// Seed of the pieces, decimal or 0x hexadecimal [default: a new one each time; with --keys 1]
    #[arg(long, value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,

    /// Advanced controls: keys that are held down repeat at once after their first delay
    #[arg(long)]
    advanced: bool,

    /// TOML file with your own keys, in the format of --print-key-map
    #[arg(long, value_name = "FILE")]
    key_map: Option<PathBuf>,

    /// Print the keys as TOML and exit
    #[arg(long)]
    print_key_map: bool,

    /// Folder for the games: games.csv, placements.csv, run.json. A game that you leave is kept
    /// with the outcome `left`
    #[arg(long, value_name = "DIR", requires = "mode")]
    out: Option<PathBuf>,

    /// Replace the folder of earlier games of a person if it holds nothing else
    #[arg(long, requires = "out")]
    force: bool,

    /// Play a classic game by the actions of a program instead of a person: the
    /// reinforcement-learning environment
    #[arg(long)]
    keys: bool,

    #[command(flatten)]
    by_key: keys::KeyOptions,
}

impl Args {
    fn options(&self) -> anyhow::Result<SessionOptions> {
        let kind = self.mode.map(|mode| match mode {
            PlayMode::Sprint => PlayGame::Sprint,
            PlayMode::Blitz => PlayGame::Blitz,
            PlayMode::Practice => PlayGame::Practice,
        });
        let keys = self.key_map.as_deref().map(KeyMap::read).transpose()?;
        Ok(SessionOptions {
            rules: self.rules.clone(),
            kind,
            sprint_lines: self.sprint_lines,
            seed: self.seed.unwrap_or_else(another_seed),
            advanced: self.advanced,
            keys: keys.unwrap_or_default(),
            one_kind: self.out.is_some(),
        })
    }

    /// Opens the folder `out` for the games. A person's games are never resumed, because a person
    /// plays differently each time.
    fn folder(&self, console: &Console, out: &Path) -> anyhow::Result<RunFolder> {
        if !self.force {
            return Ok(RunFolder::create(out)?);
        }
        let config = json!({ "game": "guideline", "controller": { "name": PERSON } });
        let request = OutputRequest { config, tables: Vec::new(), force: true };
        match request.open::<RunState<GuidelineConfig>>(console, out, |_| false)? {
            Some((folder, _)) => Ok(folder),
            None => bail!("{} is complete: choose another --out", out.display()),
        }
    }

    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        if self.keys {
            self.by_key.run(console, self.seed.unwrap_or(1))?;
            return Ok(Outcome::Done);
        }
        let options = self.options()?;
        if self.print_key_map {
            console.print_data(&options.keys.to_toml())?;
            return Ok(Outcome::Done);
        }
        check_terminal()?;
        let session_folder = match (&self.out, options.kind) {
            (Some(out), Some(kind)) => {
                Some(SessionFolder::open(self.folder(console, out)?, &options, kind)?)
            }
            _ => None,
        };
        let folder = self.out.map(|out| out.display().to_string());
        let SessionEnd { interrupted, written } = play(options, folder.clone(), session_folder)?;
        let kept = folder.filter(|_| written > 0).map(|folder| {
            let games = if written == 1 { "game is" } else { "games are" };
            format!("{written} {games} kept in {folder}")
        });
        if interrupted {
            console.eprint_line(
                &kept.map_or("interrupted".to_owned(), |kept| format!("interrupted: {kept}")),
            );
            return Ok(Outcome::Interrupted);
        }
        if let Some(kept) = kept {
            console.print(&(kept + "\n"))?;
        }
        Ok(Outcome::Done)
    }
}

/// Returns a random seed below 2^32, short enough to type.
fn another_seed() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    stream_seed(time.as_nanos() as u64, Purpose::Queue, u64::from(std::process::id())) >> 32
}
