//! Runs `tetrastat watch`: a controller's game in the terminal, with reasons for each choice.

use anyhow::Context;

use crate::cli::command_line::join_paragraphs;
use crate::cli::options::pictures::PictureOptions;
use crate::cli::options::runs::FallingOptions;
use crate::cli::options::settings::setting_names;
use crate::cli::prelude::*;
use crate::engine::{Job, game_of};
use crate::explain::Watched;
use crate::sim::Limits;
use crate::terminal::board_view::Theme;
use crate::terminal::screen::{Size, is_terminal};
use crate::terminal::watch::{
    self, DEFAULT_STORED, PlaybackClock, SPEED_RANGE, Timeline, WatchApp, picture,
};
use crate::text::parse::count;

const LAST: usize = 50;

const HELP: &str = "\
Keys: space plays or pauses; right or n steps forward, left or b steps back; + and - change the
speed; up and down select the candidate that is compared with the chosen one; home and end jump; q
quits. The last 10,000 placements are kept for stepping back.

The table compares the chosen placement with another (first the runner-up), for each feature of the
controller: weight x value, and the gain. The gains add up exactly to the difference of the scores.

    tetrastat watch --controller dt20 --search next --seed 7
    tetrastat watch --rules guideline --mode blitz
    tetrastat watch --board 10x10 --until-death      # the last 50 placements
    tetrastat watch --replay runs/bcts-001 --game 3  # from the log of a run
    tetrastat watch --from 100 --text                # one picture, as text
    tetrastat watch --from 100 --svg piece.svg       # one picture
    tetrastat watch --from 100 --to 160 --animate game.svg
    tetrastat watch --replay runs/bcts-001 --from 5 --to 25 --fumen";

/// Watch a controller play: features, candidates and reasons
#[derive(Debug, clap::Args)]
#[command(
    after_long_help = join_paragraphs(HELP),
    mut_arg("max_pieces", |arg| arg.help("Cut the game off after N pieces, or `none`"))
)]
pub(crate) struct Args {
    /// Preset (see `tetrastat show controllers`) or TOML file [default: bcts; for guideline games
    /// tetrastat-sprint in a Sprint or cheese race, else tetrastat-blitz-greedy, with a beam
    /// tetrastat-blitz], or
    /// `tbp:COMMAND`, a bot of the Tetris Bot Protocol
    #[arg(long, value_name = "NAME|FILE|BOT")]
    controller: Option<String>,

    /// Replay a game from the placements that a run logged, under any rules
    #[arg(long, value_name = "DIR")]
    replay: Option<PathBuf>,

    #[command(flatten)]
    view: ViewOptions,

    #[command(flatten)]
    game: FallingOptions,
}

#[derive(Debug, clap::Args)]
struct ViewOptions {
    /// Number of the game in the run, from 0
    #[arg(long = "game", value_name = "N", default_value_t = 0, value_parser = count::<u64>(..))]
    index: u64,

    /// First placement to show
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    from: Option<u64>,

    /// Play the game to its end, then show its last 50 placements. A game that may not end needs a
    /// limit, --max-pieces (guideline: --pieces)
    #[arg(long, conflicts_with = "from")]
    until_death: bool,

    /// Initial speed in placements per second, 0.01 to 10000, or `max`
    #[arg(long, value_name = "N", value_parser = speed, default_value = "5")]
    speed: f64,

    /// Start paused
    #[arg(long)]
    paused: bool,

    /// Print the picture of the first placement as text, for a terminal of this size, and exit
    #[arg(
        long,
        value_name = "COLUMNSxROWS",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "80x24",
        value_parser = text_size
    )]
    text: Option<Size>,

    #[command(flatten)]
    pictures: PictureOptions,
}

fn speed(text: &str) -> Result<f64, String> {
    match text {
        "max" => Ok(f64::INFINITY),
        _ => match text.parse() {
            Ok(speed) if speed >= SPEED_RANGE.0 && speed <= SPEED_RANGE.1 => Ok(speed),
            _ => Err(format!("write {} to {}, or max", SPEED_RANGE.0, SPEED_RANGE.1)),
        },
    }
}

fn text_size(text: &str) -> Result<Size, String> {
    let pair = text.split_once('x').and_then(|(width, height)| {
        Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
    });
    let is_sane = |size: &Size| (1..=500).contains(&size.width) && (1..=500).contains(&size.height);
    pair.filter(is_sane)
        .ok_or_else(|| "write COLUMNSxROWS up to 500x500, for example 80x24".to_owned())
}

pub(crate) fn run(console: &Console, given: &ParsedArgs<Args>) -> anyhow::Result<Outcome> {
    let ParsedArgs { options: args, settings, .. } = given;
    if args.replay.is_some() {
        // The list of options that may accompany a replay comes from clap, so that new options are
        // included.
        let beside = setting_names::<ViewOptions>();
        let beside: Vec<&str> = beside.iter().map(String::as_str).chain(["replay"]).collect();
        given.check_only(&beside, "--replay plays a run under its own rules")?;
    }
    let rules = &args.game.any.rules;
    rules.games().refuse_foreign::<Args>(settings)?;
    args.view.check()?;
    let (view, game) = (&args.view, args.view.index);
    match (&args.replay, rules.falling("watching")) {
        (Some(folder), _) if game_of(folder)? == GuidelineConfig::NAME => view.show(
            console,
            Timeline::<GuidelineConfig>::replay(folder, game, view.kept_placements())?,
        ),
        (Some(folder), _) => view.show(
            console,
            Timeline::<ClassicConfig>::replay(folder, game, view.kept_placements())?,
        ),
        (None, Ok(ByGame::Classic(rules))) => view.play(console, args.classic(rules, settings)?),
        (None, Ok(ByGame::Guideline(rules))) => view.play(console, args.guideline(&rules)?),
        (None, Err(refused)) => Err(refused.into()),
    }
}

impl Args {
    fn classic(&self, rules: Rules, settings: &Settings) -> anyhow::Result<ClassicConfig> {
        // The pieces of the game depend only on its number.
        let games = self.view.index.checked_add(1).context("--game: give a smaller number")?;
        let config = self.game.classic(rules, self.controller.as_deref(), games)?;
        let pieces = config.limits.pieces.filter(|_| settings.has("max_pieces"));
        Ok(ClassicConfig { limits: Limits { pieces, ..config.limits }, threads: 1, ..config })
    }

    fn guideline(&self, rules: &RuleSet) -> anyhow::Result<GuidelineConfig> {
        let games = self.view.index.saturating_add(1);
        self.game.guideline(rules, self.controller.as_deref(), games)
    }
}

impl ViewOptions {
    fn check(&self) -> anyhow::Result<()> {
        self.pictures.check()?;
        ensure!(
            is_terminal() || self.text.is_some() || self.pictures.has_any(),
            "stdin or stdout is no terminal: start `tetrastat watch` in one, or give --text or \
                --svg for one picture"
        );
        Ok(())
    }

    fn kept_placements(&self) -> usize {
        if self.until_death { LAST } else { DEFAULT_STORED }
    }

    fn play<G: Watched>(&self, console: &Console, config: G) -> anyhow::Result<Outcome> {
        self.show(console, Timeline::live(config, self.index, self.kept_placements())?)
    }

    fn show<G: Watched>(
        &self,
        console: &Console,
        mut timeline: Timeline<G>,
    ) -> anyhow::Result<Outcome> {
        if self.until_death {
            // The game is played before the screen is drawn, because until then Ctrl-C ends the
            // program.
            console.while_playing(|made| timeline.play_out(made))?;
        }
        if let Some(from) = self.from
            && !console.while_playing(|made| timeline.seek(from, made))?
        {
            let last = timeline.range().map_or(0, |(_, last)| last);
            bail!("the game has {last} placements: give a smaller --from");
        }
        if self.pictures.has_any() {
            return self.pictures.make(console, timeline, self.speed, self.text);
        }
        let clock = PlaybackClock::new(self.speed, Instant::now());
        let app = WatchApp::new(timeline, clock, self.paused || self.text.is_some())?;
        if let Some(size) = self.text {
            console.print(&picture(&app, size)?)?;
            return Ok(Outcome::Done);
        }
        Ok(if watch::run(app, Theme::detect())? { Outcome::Done } else { Outcome::Interrupted })
    }
}
