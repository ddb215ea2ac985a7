//! Runs `tetrastat play`: a person plays in the terminal, or a program plays key by key (`--keys`).

use std::io::BufRead;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use clap::ValueEnum;
use serde_json::{Value as Json, json};

use crate::cli::command_line::join_paragraphs;
use crate::cli::console::run_folder::OutputRequest;
use crate::cli::options::{BoardFile, QueueOptions};
use crate::cli::prelude::*;
use crate::engine::RunState;
use crate::environment::{Action, Agent, Environment, Falling, Transition};
use crate::report::Value;
use crate::rng::{Purpose, stream_seed};
use crate::sim::guideline::{PERSON, SPRINT_LINES};
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

/// Play a game yourself, or let a program play it key by key
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = join_paragraphs(HELP),
    mut_args(|option| match (option.get_help_heading(), option.get_id().as_str()) {
        (Some(KEYS_HEADING), _) => option.requires("keys"),
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

    /// Seed of the pieces, decimal or 0x hexadecimal [default: new each time, or 1 with --keys]
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

    /// Replace a folder that holds nothing but earlier games of a person
    #[arg(long, requires = "out")]
    force: bool,

    /// Play a classic game by the actions of a program instead of a person: the
    /// reinforcement-learning environment
    #[arg(long)]
    keys: bool,

    #[command(flatten)]
    by_key: KeyOptions,
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
            seed: self.seed.unwrap_or_else(random_seed),
            advanced: self.advanced,
            keys: keys.unwrap_or_default(),
            one_kind: self.out.is_some(),
        })
    }

    /// Opens an output folder for games of a person, which cannot be resumed.
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
fn random_seed() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    stream_seed(time.as_nanos() as u64, Purpose::Queue, u64::from(std::process::id())) >> 32
}

const KEYS_HEADING: &str = "Key by key (--keys)";

#[derive(Debug, clap::Args)]
#[command(next_help_heading = KEYS_HEADING)]
pub(super) struct KeyOptions {
    /// Actions by name or number: 0 idle, 1 left, 2 right, 3 ccw, 4 cw, 5 drop
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        conflicts_with_all = ["controller", "moves"]
    )]
    actions: Vec<Action>,

    /// Controller that presses the keys: a preset (see `tetrastat show controllers`) or TOML file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "moves")]
    controller: Option<String>,

    /// Maximum number of steps of a controller
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1000,
        requires = "controller",
        value_parser = count::<u64>(..)
    )]
    horizon: u64,

    /// Print a controller's actions
    #[arg(long, requires = "controller")]
    trace: bool,

    /// List all resting places of the piece
    #[arg(long, requires = "piece")]
    moves: bool,

    /// First piece
    #[arg(long)]
    piece: Option<Piece>,

    /// Position of the piece's anchor: column, and row from the top, both from 0 [default: the
    /// middle of the top row]
    #[arg(long, value_name = "COLUMN,ROW", requires = "piece", allow_hyphen_values = true)]
    at: Option<Anchor>,

    /// Board width 4-16 and height 4-28 [default: 10x20, or the size of a picture that has not ten
    /// columns]
    #[arg(long, value_name = "WxH")]
    board: Option<BoardSize>,

    #[command(flatten)]
    file: BoardFile,

    /// Start board as text. `/` ends a row
    #[arg(long, value_name = "PICTURE", conflicts_with = "board_file")]
    picture: Option<String>,

    /// Deal the same pieces as the teaching notebook tetris_ia, whose rules --keys follows
    #[arg(long, conflicts_with_all = ["queue", "script"])]
    notebook: bool,

    #[command(flatten)]
    queue: QueueOptions,

    /// Output format. With `json` and without --actions, each line of standard input is an action,
    /// and each line of output the state after it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Position of a falling piece: column, and row from the top, of the piece's anchor.
#[derive(Clone, Copy, Debug)]
struct Anchor(i32, i32);

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Anchor, String> {
        let pair = text.split_once(',').and_then(|(column, row)| {
            Some(Anchor(column.trim().parse().ok()?, row.trim().parse().ok()?))
        });
        pair.ok_or_else(|| "give a column and a row from the top, for example 3,1".to_owned())
    }
}

impl KeyOptions {
    pub(super) fn run(self, console: &Console, seed: u64) -> anyhow::Result<()> {
        let board = self.start()?;
        let mut environment = self.environment(board, seed)?;
        if let Some(name) = &self.controller {
            return self.play(console, &mut environment, &Controller::load(name)?);
        }
        if self.moves {
            return self.show_moves(console, &mut environment);
        }
        self.act(console, &mut environment)
    }

    fn start(&self) -> anyhow::Result<Board> {
        let board = match &self.picture {
            Some(picture) => {
                let board = Board::from_picture(picture, self.board);
                Some(board.context("the board of --picture")?)
            }
            None => self.file.board(self.board)?,
        };
        let size = self.board.map_or_else(|| BoardSize::new(10, 20), Ok)?;
        Ok(board.unwrap_or(Board::empty(size)))
    }

    fn environment(&self, board: Board, seed: u64) -> anyhow::Result<Environment> {
        let mut environment = if self.notebook {
            let seed = u32::try_from(seed);
            Environment::notebook(board.size(), seed.context("--notebook takes seeds below 2^32")?)?
        } else {
            Environment::new(board.size(), self.queue.queue()?, seed)?
        };
        let mut falling = environment.observe().falling;
        if let Some(piece) = self.piece {
            falling = Falling::entering(piece, &board);
            if let Some(Anchor(column, row)) = self.at {
                falling = Falling::new(piece, column, board.height() as i32 - 1 - row);
                let text = "does not fit there: give another --at";
                anyhow::ensure!(self.moves || falling.fits(&board), "{piece} {text}");
            }
        }
        environment.set(board, falling);
        Ok(environment)
    }

    /// Executes actions (key presses) and prints each state. With JSON and no `--actions`, the
    /// actions are lines of stdin.
    fn act(&self, console: &Console, environment: &mut Environment) -> anyhow::Result<()> {
        let is_json = self.format == Format::Json;
        let are_typed = is_json && self.actions.is_empty();
        let actions: Box<dyn Iterator<Item = anyhow::Result<Action>>> = match are_typed {
            true => Box::new((1..).zip(console.input_lines().lines()).map(|(number, line)| {
                action_in(&line?).with_context(|| format!("stdin, line {number}"))
            })),
            false => Box::new(self.actions.iter().map(|&action| Ok(action))),
        };
        let print = |environment: &mut Environment, step: Option<(Action, &Transition)>| {
            let (seen, picture) = (environment.observe(), environment.render());
            if is_json {
                let top = seen.board.height() as i32 - 1;
                let state = json!({
                    "action": step.map(|(action, _)| action.to_string()),
                    "reward": step.map_or(0, |(_, step)| step.reward),
                    "locked": step.is_some_and(|(_, step)| step.locked),
                    "done": step.is_some_and(|(_, step)| step.done),
                    "board": seen.board.to_string().lines().collect::<Vec<_>>(),
                    "piece": seen.falling.piece().to_string(),
                    "anchor": [seen.falling.column, top - seen.falling.row],
                    "picture": picture.lines().collect::<Vec<_>>(),
                });
                return console.print_data(&format!("{state}\n"));
            }
            console.print(&match step {
                None => picture,
                Some((action, step)) => format!("\n{action}: {}\n{picture}", describe(step)),
            })
        };
        print(environment, None)?;
        for action in actions {
            let action = action?;
            let step = environment.step(action)?;
            print(environment, Some((action, &step)))?;
            if are_typed && step.done {
                break;
            }
        }
        Ok(())
    }

    fn show_moves(&self, console: &Console, environment: &mut Environment) -> anyhow::Result<()> {
        let seen = environment.observe();
        let top = seen.board.height() as i32 - 1;
        let places = seen.falling.resting_places(&seen.board);
        let mut report = Report::default();
        report.text(format!(
            "{} resting places of {}; of each, the anchor (column, row from the top)",
            places.len(),
            seen.falling.piece()
        ));
        let picture = |place: &Falling| {
            let board = place.on(&seen.board, false).to_string();
            Value::json(board.lines().collect::<Vec<_>>())
        };
        report.table(
            TableOf::new("places", &places)
                .with("anchor", |place| {
                    let anchor = (place.column, top - place.row);
                    Value::from_data(anchor, format!("({}, {})", anchor.0, anchor.1))
                })
                .with("turn", |place| rotation_name(&seen.falling, place))
                .data("picture", picture),
        );
        console.report(&report, self.format)
    }

    fn play(
        &self,
        console: &Console,
        environment: &mut Environment,
        controller: &Controller,
    ) -> anyhow::Result<()> {
        let mut seen = environment.observe();
        let mut agent = Agent::new(controller, seen.board.size())?;
        let (mut lines, mut pieces, mut actions, mut done) = (0, 0, Vec::new(), false);
        for _ in 0..self.horizon {
            let action = agent.act(&seen);
            actions.push(action.to_string());
            let step = environment.step(action)?;
            lines += step.reward;
            pieces += u32::from(step.locked);
            (seen, done) = (step.observation, step.done);
            if done {
                break;
            }
        }
        let steps = actions.len();
        let mut report = Report::default();
        report.fields(json!({
            "controller": controller.name, "lines": lines, "pieces": pieces, "steps": steps,
            "done": done, "actions": self.trace.then_some(&actions),
        }));
        report.text(environment.render());
        if self.trace {
            report.text(actions.join(" "));
        }
        let (name, end) = (&controller.name, if done { "game over" } else { "horizon reached" });
        report.text(format!("{name}: {lines} lines, {pieces} pieces, {steps} steps, {end}"));
        console.report(&report, self.format)
    }
}

fn action_in(line: &str) -> Result<Action, Error> {
    let value = serde_json::from_str::<Json>(line).unwrap_or_else(|_| line.trim().into());
    let action = value.get("action").unwrap_or(&value);
    action.as_str().map_or_else(|| action.to_string(), str::to_owned).parse()
}

fn describe(step: &Transition) -> String {
    let lines = match step.reward {
        0 => String::new(),
        lines => format!(", {lines} line(s)"),
    };
    match (step.done, step.locked) {
        (true, _) => format!("rests{lines}, game over"),
        (_, true) => format!("rests{lines}"),
        _ => "falls".to_owned(),
    }
}

/// Returns the rotation from `falling` to `place`: `as it is`, `cw`, `ccw` or `over`.
fn rotation_name(falling: &Falling, place: &Falling) -> &'static str {
    let turns =
        [(*falling, "as it is"), (falling.turned_right(), "cw"), (falling.turned_left(), "ccw")];
    turns.iter().find(|(turned, _)| place.is_turned_like(turned)).map_or("over", |found| found.1)
}
