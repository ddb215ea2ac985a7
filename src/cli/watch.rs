//! `tetrastat watch`: a controller plays in the terminal, and tells why.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use ratatui::layout::Size;

use super::Outcome;
use super::guideline_options::GuidelineOptions;
use super::help::{guideline_help, prose};
use super::options::{GameOptions, Limit, QueueOptions, count, limit, seed};
use super::output::print;
use super::progress::while_playing;
use crate::kernels::Level;
use crate::search::Search;
use crate::sim::guideline::is_guideline_run;
use crate::sim::{CHECKPOINT_EVERY, Limits, RunConfig};
use crate::terminal::theme::Theme;
use crate::terminal::watch::app::App;
use crate::terminal::watch::explain::ClassicExplainer;
use crate::terminal::watch::explain_guideline::GuidelineExplainer;
use crate::terminal::watch::live::Live;
use crate::terminal::watch::live_guideline::LiveGuideline;
use crate::terminal::watch::pace::{Pace, SPEED_RANGE};
use crate::terminal::watch::replay::replay;
use crate::terminal::watch::replay_guideline::{replay_guideline, title};
use crate::terminal::watch::run::{picture, run};
use crate::terminal::watch::{Film, KEPT};

/// The name under which `watch` with guideline rules is read.
pub(super) const GUIDELINE_COMMAND: &str = "watch-guideline";

/// Placements that --until-death shows.
const LAST: usize = 50;

/// What `--help` shows below the options.
const HELP: &str = concat!(
    "\
Keys: space goes on or pauses; right or n, left or b step; + and - change the speed; up and down hold another
candidate against the chosen one; home and end; q quits. The last 10,000 placements are kept for stepping back.

The table shows each feature of the controller for the chosen placement and for another (the runner-up):
weight x value, and what it gains. The gains add up to the difference of the scores, exactly.

    tetrastat watch --controller dt20 --search next --seed 7
    tetrastat watch --rules guideline --mode blitz
    tetrastat watch --board 10x10 --until-death      # the last 50 placements
    tetrastat watch --replay runs/bcts-001 --game 3  # from the log of a run
    tetrastat watch --from 100 --text                # one picture, as text

",
    guideline_help!("watch")
);

/// Watch a controller play: features, candidates, and why the best one won
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(super) struct Args {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    queue: QueueOptions,

    /// How far to look ahead: `greedy`, `next` (known next piece) or `expect` (mean over seven)
    #[arg(long, default_value = "greedy")]
    search: Search,

    /// Cut the game off after N pieces, or `none`
    #[arg(long, value_name = "N", value_parser = limit, default_value = "none")]
    max_pieces: Limit,

    /// Cut the game off at N lines, or `none`
    #[arg(long, value_name = "N", value_parser = limit, default_value = "none")]
    max_lines: Limit,

    /// Seed of the run, decimal or 0x hexadecimal: the same games as `simulate` plays with it
    #[arg(long, default_value = "1", value_parser = seed, allow_negative_numbers = true)]
    seed: u64,

    /// Play back a game from the placements that a run logged, under any rules
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = [
            "controller", "tie", "rules", "clear_on_overflow", "reach_anywhere", "board", "board_file",
            "queue", "script", "search", "max_pieces", "max_lines", "seed",
        ]
    )]
    replay: Option<PathBuf>,

    #[command(flatten)]
    view: ViewOptions,
}

/// Watch a guideline game (watch --rules guideline or capstone)
#[derive(Debug, clap::Args)]
pub(super) struct GuidelineArgs {
    /// Preset (see `tetrastat controllers`) or TOML file [default: tetrastat-sprint in a Sprint, else
    /// tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    /// Known so that the error can name the remedy
    #[arg(long, value_name = "DIR", hide = true)]
    replay: Option<PathBuf>,

    #[command(flatten)]
    play: GuidelineOptions,

    #[command(flatten)]
    view: ViewOptions,
}

/// Which game is shown, from where, and how fast.
#[derive(Debug, clap::Args)]
struct ViewOptions {
    /// Which game of the run, from 0
    #[arg(long = "game", value_name = "N", default_value_t = 0, value_parser = count::<u64>(..))]
    index: u64,

    /// Begin at this placement
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    from: Option<u64>,

    /// Play the game to its end first, and show its last 50 placements; one that may not end needs a
    /// limit, --max-pieces (--pieces of a guideline game)
    #[arg(long, conflicts_with = "from")]
    until_death: bool,

    /// Placements a second to begin with, 0.01 to 10000, or `max`
    #[arg(long, value_name = "N", value_parser = speed, default_value = "5")]
    speed: f64,

    /// Begin paused
    #[arg(long)]
    paused: bool,

    /// Print the picture of the placement where it begins as text, for a terminal of this size, and end
    #[arg(long, value_name = "COLUMNSxROWS", num_args = 0..=1, require_equals = true, default_missing_value = "80x24", value_parser = text_size)]
    text: Option<Size>,
}

/// Placements a second.
fn speed(text: &str) -> Result<f64, String> {
    match text {
        "max" => Ok(f64::INFINITY),
        _ => match text.parse() {
            Ok(speed) if speed >= SPEED_RANGE.0 && speed <= SPEED_RANGE.1 => Ok(speed),
            _ => Err(format!("write {} to {}, or max", SPEED_RANGE.0, SPEED_RANGE.1)),
        },
    }
}

/// Columns and rows of characters.
fn text_size(text: &str) -> Result<Size, String> {
    let pair = text.split_once('x').and_then(|(width, height)| {
        Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
    });
    let is_sane = |size: &Size| (1..=500).contains(&size.width) && (1..=500).contains(&size.height);
    pair.filter(is_sane)
        .ok_or_else(|| "write COLUMNSxROWS up to 500x500, for example 80x24".to_owned())
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        self.view.check()?;
        let film = match &self.replay {
            Some(folder) if is_guideline_run(folder)? => {
                replay_guideline(folder, self.view.index, self.view.kept())?
            }
            Some(folder) => replay(folder, self.view.index, self.view.kept())?,
            None => self.live()?,
        };
        self.view.show(film)
    }

    fn live(&self) -> anyhow::Result<Film> {
        let start = self.game.board.start()?;
        let config = RunConfig {
            controller: self.game.controller()?,
            rules: self.game.board.rules()?,
            size: self.game.board.size(start.as_ref())?,
            start,
            queue: self.queue.queue()?,
            search: self.search,
            games: self.view.index.checked_add(1).context("--game: give a smaller number")?,
            shard: None,
            limits: Limits { pieces: self.max_pieces.0, lines: self.max_lines.0 },
            seed: self.seed,
            checkpoint_every: CHECKPOINT_EVERY,
            threads: 1,
            level: Level::detect(),
        };
        let RunConfig { controller, rules, size, queue, search, seed, .. } = &config;
        let game = self.view.index;
        let title = format!(
            "{} · {rules} {size} · {queue} · {search} · seed {seed} · game {game}",
            controller.name
        );
        let explainer = ClassicExplainer::new(controller, *rules, *search, *size)?;
        let live = if self.view.until_death {
            while_playing(|made| Live::before_the_end(config, game, LAST as u64, made))?
        } else {
            Live::new(config, game)?
        };
        Ok(Film::new(title, Box::new(live), Some(Box::new(explainer)), self.view.kept()))
    }
}

impl GuidelineArgs {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        ensure!(
            self.replay.is_none(),
            "--replay plays a run under its own rules: leave out --rules, and what else is of the game"
        );
        self.view.check()?;
        let game = self.view.index;
        let controller = self.play.controller(self.controller.as_deref())?;
        let config = self.play.config(controller, game.saturating_add(1), None)?;
        let explainer = GuidelineExplainer::new(&config);
        let live = LiveGuideline::new(&config, game)?;
        let title = title(&config, game);
        let film = Film::new(title, Box::new(live), Some(Box::new(explainer)), self.view.kept());
        self.view.show(film)
    }
}

impl ViewOptions {
    /// Refuses at once what would be refused after a long game.
    fn check(&self) -> anyhow::Result<()> {
        let terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        ensure!(
            terminal || self.text.is_some(),
            "stdin or stdout is no terminal: start `tetrastat watch` in one, or give --text for one picture"
        );
        Ok(())
    }

    fn kept(&self) -> usize {
        if self.until_death { LAST } else { KEPT }
    }

    fn show(&self, mut film: Film) -> anyhow::Result<Outcome> {
        if self.until_death {
            while_playing(|made| film.play_out(made))?;
        }
        if let Some(from) = self.from
            && !while_playing(|made| film.seek(from, made))?
        {
            let last = film.range().map_or(0, |(_, last)| last);
            bail!("the game has {last} placements: give a smaller --from");
        }
        let pace = Pace::new(self.speed, Instant::now());
        let app = App::new(film, pace, self.paused || self.text.is_some())?;
        if let Some(size) = self.text {
            print(&picture(&app, size)?)?;
            return Ok(Outcome::Done);
        }
        Ok(if run(app, Theme::detect())? { Outcome::Done } else { Outcome::Interrupted })
    }
}
