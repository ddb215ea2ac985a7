//! Runs `tetrastat tbp`: a bot of the Tetris Bot Protocol on stdin and stdout.

use std::io::{BufRead, Read};

use anyhow::Context;
use clap::builder::OsStr;

use crate::cli::command_line::{is_word_in, join_paragraphs};
use crate::cli::options::LIAP_NAME;
use crate::cli::options::guideline::GuidelineOptions;
use crate::cli::options::settings::setting_name;
use crate::cli::prelude::*;
use crate::sim::guideline::{BotReply, GuidelineBot, Mode};
use crate::tbp::{FromBot, LONGEST_LINE};

const HELP: &str = "\
A frontend, which runs the game, starts this command and sends one message a line. The bot answers
with moves, the best first. --controller tbp:COMMAND of `tetrastat simulate` is such a frontend:

    tetrastat simulate --rules guideline --mode blitz --games 1 \\
        --controller 'tbp:tetrastat tbp --mode blitz --search beam'

The protocol lacks the goal of a game, so --mode, --pieces and --sprint-lines tell it to the bot. It
also lacks the numbers of rows and pieces so far: the bot counts them from the start of each game.";

const RULES_HELP: &str = "`guideline` (2009), `capstone`, `jstris`, `botris`, `tetrio-1`, \
    `tetrio-2`, `puyo-puyo-tetris`, or a TOML file with your own guideline rules";

const SEARCH_HELP: &str = "Look-ahead: `greedy`, or `beam` (searches over the previews)";

/// Names of options that `tbp` lacks, because the frontend that runs the bot decides them.
const FRONTEND_OPTIONS: &str = "queue script cycle board_file garbage \
    garbage_messiness garbage_every cheese_rows threads policy";

/// Play as a bot of the Tetris Bot Protocol
#[derive(Clone, Debug, clap::Args)]
#[command(
    after_long_help = join_paragraphs(HELP),
    mut_args(|option| {
        let is_refused = is_word_in(FRONTEND_OPTIONS, &setting_name(&option));
        option.hide(is_refused)
    }),
    mut_arg("rules", |rules| rules.default_value(OsStr::from("guideline")).help(RULES_HELP)),
    mut_arg("search", |search| search.help(SEARCH_HELP)),
    mut_arg("mode", |mode| mode.default_value(OsStr::from("endless")))
)]
pub(crate) struct Args {
    /// Preset (see `tetrastat show controllers`) or TOML file [default: tetrastat-sprint in a
    /// Sprint or cheese race, else tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    #[command(flatten)]
    any: AnyGameOptions,

    #[command(flatten)]
    guideline: GuidelineOptions,
}

pub(crate) fn run(console: &Console, given: &ParsedArgs<Args>) -> anyhow::Result<()> {
    let ParsedArgs { options, settings, .. } = given;
    if let Some(option) = FRONTEND_OPTIONS.split(' ').find(|option| settings.has(option)) {
        let option = option.replace('_', "-");
        bail!("--{option} is decided by the frontend of a bot: leave it out");
    }
    let mut bot = GuidelineBot::new(&options.config(settings.has("pieces"))?);
    send(console, &bot.info())?;
    let mut input = console.input_lines();
    for number in 1_u64.. {
        let mut line = Vec::new();
        let length = input
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| Error::io("reading", PathBuf::from("stdin"), error))?;
        if length == 0 {
            break;
        }
        ensure!(
            line.ends_with(b"\n") || (length as u64) < LONGEST_LINE,
            "stdin, line {number}: more than {LONGEST_LINE} bytes: send one message a line"
        );
        match bot.answer_line(&line).with_context(|| format!("stdin, line {number}"))? {
            BotReply::Answer(answer) => send(console, &answer)?,
            BotReply::Nothing => {}
            BotReply::Quit => break,
        }
    }
    Ok(())
}

fn send(console: &Console, message: &FromBot) -> anyhow::Result<()> {
    Ok(console.print_data(&message.line()?)?)
}

impl Args {
    fn config(&self, is_limited: bool) -> anyhow::Result<GuidelineConfig> {
        let others = match &self.any.rules {
            AnyRules::Guideline(rules) => return self.config_under(rules, is_limited),
            AnyRules::Classic(rules) => rules.to_string(),
            AnyRules::Liap(()) => LIAP_NAME.to_owned(),
        };
        bail!(
            "the Tetris Bot Protocol plays guideline games, not those of --rules {others}: give \
                --rules guideline, another preset or a .toml file"
        )
    }

    fn config_under(&self, rules: &RuleSet, is_limited: bool) -> anyhow::Result<GuidelineConfig> {
        let player = self.guideline.controller(self.controller.as_deref(), &self.any)?;
        let mut config = self.guideline.config(rules, &self.any, player, 1)?;
        if let Mode::Endless { pieces } = &mut config.mode
            && !is_limited
        {
            *pieces = u32::MAX;
        }
        config.validate()?;
        Ok(config)
    }
}
