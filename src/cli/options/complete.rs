//! Completes options and values when Tab is pressed.
//!
//! The script of `tetrastat completions` calls the program, which knows the values of every option.
//! This module lists the values that clap does not know.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::{Arg, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};

use crate::board::BoardSize;
use crate::cli::options::games::{AnyRules, BEAM, CLASSIC, GUIDELINE, Games, LIAP, LIAP_NAME};
use crate::controller::{GUIDELINE_PRESETS, GuidelineController, PRESETS, Tie};
use crate::environment::Action;
use crate::estimate::Importance;
use crate::exact::Goal;
use crate::features::guideline::TERMS;
use crate::features::{Feature, Measured};
use crate::kernels::LEVEL_NAMES;
use crate::liap::{CardPlayer, Declarer, liap_measures};
use crate::piece::Piece;
use crate::queue::QUEUE_NAMES;
use crate::record::{LogFormat, number_columns, placement_columns};
use crate::rules::RULES_NAMES;
use crate::rules::guideline::{GUIDELINE_NAMES, Kicks, Moves};
use crate::search::Search;
use crate::train::{Mutation, Noise, ParentSelection, Racing, TrainingPreset};

/// Environment variable that the scripts set to request completions; its value is the name of the
/// shell.
pub(crate) const ASKED: &str = "TETRASTAT_COMPLETE";

/// Prints the completions that a shell requests for the command line `words`. Returns false if
/// [`ASKED`] is not set, so the command itself must run.
pub(crate) fn answered(
    program: impl Fn() -> Command,
    words: &[OsString],
) -> clap::error::Result<bool> {
    if env::var_os(ASKED).is_none() {
        return Ok(false);
    }
    let typed = words.iter().skip_while(|word| *word != "--").skip(1).cloned();
    let games = chosen(program(), typed);
    let complete = CompleteEnv::with_factory(|| with_values(program(), games)).var(ASKED);
    complete.try_complete(words, env::current_dir().ok().as_deref())
}

/// Returns the games that the option `--rules` in the command line `typed` chooses, which may be
/// incomplete. Returns classic games if the option is missing.
fn chosen(program: Command, typed: impl Iterator<Item = OsString>) -> &'static Games {
    let matches = program.ignore_errors(true).try_get_matches_from(typed).ok();
    let rules = matches.as_ref().and_then(|mut matches| {
        while let Some((_, command)) = matches.subcommand() {
            matches = command;
        }
        matches.try_get_one::<AnyRules>("rules").ok()?
    });
    rules.map_or(&CLASSIC, |rules| rules.games())
}

/// Adds completions to the options of `command` and its subcommands. They are the values that the
/// options have in `games`.
fn with_values(command: Command, games: &Games) -> Command {
    let name = command.get_name().to_owned();
    let below: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    let command = below
        .into_iter()
        .fold(command, |c, below| c.mut_subcommand(below, |c| with_values(c, games)));
    command.mut_args(|arg| match values(&name, &arg, games) {
        Some(values) => arg.add(ArgValueCompleter::new(values)),
        None => arg,
    })
}

/// Values that complete an option.
#[derive(Debug, Default)]
struct Values {
    names: Vec<String>,
    /// True if the option also accepts a file.
    files: bool,
    /// True if the option accepts several values, joined by commas.
    list: bool,
}

impl Values {
    fn of<S: ToString>(names: impl IntoIterator<Item = S>) -> Values {
        let names = names.into_iter().map(|name| name.to_string()).collect();
        Values { names, ..Values::default() }
    }

    fn or_files(self) -> Values {
        Values { files: true, ..self }
    }

    fn joined(self) -> Values {
        Values { list: true, ..self }
    }

    fn and<S: ToString>(mut self, more: impl IntoIterator<Item = S>) -> Values {
        self.names.extend(more.into_iter().map(|name| name.to_string()));
        self
    }
}

impl ValueCompleter for Values {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let text = current.to_str().unwrap_or_default();
        let begins = if self.list { text.rfind(',').map_or(0, |comma| comma + 1) } else { 0 };
        let (before, word) = text.split_at(begins);
        let fitting = self.names.iter().filter(|name| name.starts_with(word));
        let candidate = |name: &String| CompletionCandidate::new(format!("{before}{name}"));
        let mut candidates: Vec<CompletionCandidate> = fitting.map(candidate).collect();
        if self.files && before.is_empty() {
            candidates.extend(PathCompleter::any().complete(current));
        }
        candidates
    }
}

/// Returns the values that complete `option` of `command` in `games`. Returns `None` if clap lists
/// them itself or the option takes free text.
fn values(command: &str, option: &Arg, games: &Games) -> Option<Values> {
    if !option.get_possible_values().is_empty() {
        return None;
    }
    let (guideline, liap) = (*games == GUIDELINE, *games == LIAP);
    let controllers = || match (guideline, liap) {
        (true, _) => Values::of(GuidelineController::names()),
        (_, true) => Values::of(Declarer::ALL),
        _ => Values::of(PRESETS.iter().map(|preset| preset.name)),
    };
    let features = || match guideline {
        true => Values::of(TERMS.iter().map(|term| term.name)),
        false => Values::of(feature_names()),
    };
    Some(match option.get_id().as_str() {
        "controller" if command == "exact" => controllers().or_files().joined(),
        "controller" | "controllers" if liap => controllers().joined(),
        "controller" | "controllers" | "start" => controllers().or_files(),
        "name" if command == "controllers" => {
            controllers().and(GUIDELINE_PRESETS.iter().map(|preset| preset.name)).or_files()
        }
        "features" => controllers().and(features().names).or_files().joined(),
        "explain" => features().joined(),
        "columns" => {
            let sets = ["minimal", "controller", "all", "features", "heights"];
            Values::of(sets).and(placement_columns()).and(feature_names()).joined()
        }
        "measured" => Values::of(Measured::NAMES),
        "tie" => Values::of(Tie::NAMES),
        "rules" => match command {
            "perft" | "play" => Values::of(GUIDELINE_NAMES),
            "estimate" | "watch" | "board" | "cem" | "ga" | "snes" | "cmaes" | "vdcmaes" => {
                Values::of(RULES_NAMES).and(GUIDELINE_NAMES)
            }
            "simulate" | "compare" => Values::of(RULES_NAMES).and(GUIDELINE_NAMES).and([LIAP_NAME]),
            _ => Values::of(RULES_NAMES),
        },
        "kicks" => Values::of(Kicks::NAMES),
        "movement" => Values::of(Moves::NAMES),
        "queue" => Values::of(QUEUE_NAMES).and(["weights:", "script"]),
        "search" if guideline => Values::of(["greedy", BEAM]),
        "search" => Values::of(Search::NAMES),
        "policy" => Values::of(["best", "epsilon:", "softmax:", "misdrop:"]),
        "simd" => Values::of(["auto"]).and(LEVEL_NAMES),
        "placements" | "log" => Values::of(["none"]).and(LogFormat::ALL),
        "format" => Values::of(LogFormat::ALL),
        "measure" if liap => Values::of(liap_measures()),
        "measure" => Values::of(number_columns(false)),
        "objective" => {
            let of = |sum: &'static str| {
                number_columns(guideline).into_iter().map(move |column| format!("{sum}-{column}"))
            };
            Values::of(["lines", "sprint", "estimate"]).and(of("mean")).and(of("median"))
        }
        "importance" | "estimate_importance" => Values::of(Importance::NAMES),
        "optimal" => Values::of(Goal::NAMES),
        "piece" | "next" | "hold" => Values::of(Piece::ALL.map(Piece::name)),
        "actions" => Values::of(Action::NAMES).joined(),
        "preset" => Values::of(TrainingPreset::names(command)),
        "noise" => Values::of(Noise::KINDS),
        "selection" => Values::of(ParentSelection::KINDS),
        "mutation" => Values::of(Mutation::KINDS),
        "racing" => Values::of(Racing::KINDS),
        "declarer" | "first" | "second" => Values::of(Declarer::ALL),
        "declarers" => Values::of(Declarer::ALL).joined(),
        "player" => Values::of(CardPlayer::ALL),
        "players" => Values::of(CardPlayer::ALL).joined(),
        "max_pieces" | "max_lines" | "max_rounds" | "progress" => Values::of(["none"]),
        "speed" => Values::of(["max"]),
        _ => return None,
    })
}

/// Returns the names of the features that exist on the default board, 10x20.
fn feature_names() -> Vec<String> {
    let size = BoardSize::new(10, 20).ok();
    size.into_iter().flat_map(Feature::all).map(|feature| feature.to_string()).collect()
}
