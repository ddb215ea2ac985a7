//! Runs `tetrastat play --keys`: plays a classic game key press by key press.

use std::io::BufRead;
use std::str::FromStr;

use anyhow::Context;
use serde_json::{Value as Json, json};

use crate::board::{Board, BoardSize};
use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::options::{BoardFile, QueueOptions};
use crate::controller::Controller;
use crate::environment::{Action, Agent, Environment, Falling, Transition};
use crate::error::Error;
use crate::piece::Piece;
use crate::report::{Report, TableOf, Value};
use crate::text::parse::count;

/// Help heading of the options that belong to `--keys`.
pub(super) const HEADING: &str = "Key by key (--keys)";

/// Options of a classic game that is played key by key.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = HEADING)]
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

    /// Deal exactly the pieces of the teaching notebook
    #[arg(long, conflicts_with_all = ["queue", "script"])]
    notebook: bool,

    #[command(flatten)]
    queue: QueueOptions,

    /// Output format. With `json` and without --actions, each line of standard input is an action,
    /// and each line of output the state after it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// Position of a piece's anchor: the column, and the row counted from the top.
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

    /// Executes the requested actions and prints the start and the state after each: a picture, or
    /// a line of JSON. With JSON and without `--actions`, standard input holds an action in each
    /// line.
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
                .with("turn", |place| turn(&seen.falling, place))
                .data("picture", picture),
        );
        console.report(&report, self.format)
    }

    /// Plays one game by the key presses of `controller`.
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

/// Parses a line of standard input: an action by name or number, or a JSON object with an `action`.
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

/// Describes the rotation from the orientation of `falling` to that of `place`: `as it is`, `cw`,
/// `ccw` or `over` (a half turn).
fn turn(falling: &Falling, place: &Falling) -> &'static str {
    let turns =
        [(*falling, "as it is"), (falling.turned_right(), "cw"), (falling.turned_left(), "ccw")];
    turns.iter().find(|(turned, _)| place.is_turned_like(turned)).map_or("over", |found| found.1)
}
