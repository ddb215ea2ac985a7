//! A training's options come in layers: preset, then file, then command line; the later one wins.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use clap::{CommandFactory, Parser};
use toml::Table;

use super::guideline::{given, is_guideline};
use super::train_games::GameOptions;
use super::train_options::Options;
use super::{keys, mistake};
use crate::error::{Error, quoted, toml_problem};
use crate::train::{METHOD_NAMES, Preset};

/// The options of a training, later ones over earlier ones.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, args_override_self = true)]
pub(super) struct Layers<G: GameOptions> {
    #[command(flatten)]
    options: Options<G>,
}

/// Options with the layers below them.
#[derive(Debug)]
pub(super) struct Layered<G: GameOptions> {
    pub(super) options: Options<G>,
    pub(super) preset: Option<&'static Preset>,
    /// All of them as words, the later ones behind.
    pub(super) words: Vec<String>,
}

/// Puts the words of a command line over its file and preset.
pub(super) fn layered<G: GameOptions>(words: &[String]) -> anyhow::Result<Layered<G>> {
    let read = |words: &[String]| read::<G>(words);
    let from_text = |base: &Path, text: &str, has_method| from_text::<G>(base, text, has_method);
    let mut words = words.to_vec();
    if let Some(file) = read(&words)?.config {
        let text = fs::read_to_string(&file).map_err(|e| Error::io("reading", &file, e))?;
        let base = file.parent().unwrap_or(Path::new("")).to_owned();
        let below = from_text(&base, &text, read(&words)?.method.is_some());
        let below = below.with_context(|| file.display().to_string())?;
        read(&below).with_context(|| file.display().to_string())?;
        words = [below, words].concat();
    }
    let mut preset = None;
    if let Some(name) = read(&words)?.preset {
        let named = Preset::named(&name)?;
        check(named, G::GUIDELINE)?;
        words = [from_preset::<G>(named)?, words].concat();
        preset = Some(named);
    }
    Ok(Layered { options: read(&words)?, preset, words })
}

/// Whether the games of a training are guideline games, by what decides it: the rules on the command
/// line or in its file, else the preset.
pub(super) fn plays_guideline(words: &[String]) -> bool {
    let file = given(words, "--config").and_then(|file| fs::read_to_string(file).ok());
    let table: Option<Table> = file.and_then(|text| text.parse().ok());
    let key = |name: &str| table.as_ref()?.get(name)?.as_str();
    if let Some(rules) = given(words, "--rules").or(key("rules")) {
        return is_guideline(rules);
    }
    let preset = given(words, "--preset").or(key("preset"));
    preset.and_then(|name| Preset::named(name).ok()).is_some_and(|preset| preset.guideline)
}

/// Refuses a preset of other games.
fn check(preset: &Preset, guideline: bool) -> anyhow::Result<()> {
    let name = preset.name;
    match (preset.guideline, guideline) {
        (true, false) => bail!(
            "the preset {name} is of guideline games: leave --rules out, or give --rules guideline or capstone"
        ),
        (false, true) => {
            bail!("the preset {name} is not of guideline games: leave it or --rules out")
        }
        _ => Ok(()),
    }
}

fn read<G: GameOptions>(words: &[String]) -> anyhow::Result<Options<G>> {
    let layers = Layers::<G>::try_parse_from(words).map_err(|error| anyhow!(mistake(&error)))?;
    Ok(layers.options)
}

/// A file's keys as words; its method counts when the command line has none.
fn from_text<G: GameOptions>(
    base: &Path,
    text: &str,
    has_method: bool,
) -> anyhow::Result<Vec<String>> {
    let mut table: Table = text.parse().map_err(|e| anyhow!(toml_problem(text, &e)))?;
    let method = match table.remove("method") {
        None => None,
        Some(method) => {
            let name = method.as_str().with_context(|| {
                format!(
                    "method is {}: use one of {}",
                    quoted(&method.to_string()),
                    METHOD_NAMES.join(", ")
                )
            })?;
            let read = super::train_method::method(name);
            Some(read.map_err(|e| anyhow!("method '{}': {e}", quoted(name)))?)
        }
    };
    let mut words: Vec<String> = method.filter(|_| !has_method).into_iter().collect();
    let command = Layers::<G>::command();
    let unknown = |key: &str| {
        let ours = |name: &String| !BESIDES.contains(&&**name);
        let names = keys::names(&command).filter(ours);
        let names: Vec<String> = ["method".to_owned()].into_iter().chain(names).collect();
        format!("unknown key '{}': use one of {}", quoted(key), names.join(", "))
    };
    for (key, value) in &table {
        if BESIDES.contains(&&**key) {
            bail!("{key} belongs on the command line, as --{}", key.replace('_', "-"));
        }
        words.extend(keys::argument(&command, base, key, value, || unknown(key))?);
    }
    Ok(words)
}

/// Options that say how a training is run, not what it is: no keys of its file.
pub(super) const BESIDES: [&str; 4] = ["config", "resume", "out", "dry_run"];

fn from_preset<G: GameOptions>(preset: &Preset) -> anyhow::Result<Vec<String>> {
    let mut words = from_text::<G>(Path::new(""), preset.play, true)?;
    words.push(format!("--features={}", preset.features));
    words.push(format!("--generations={}", preset.generations));
    words.push(format!("--games={}", preset.games));
    words.push(format!("--answer={}", format!("{:?}", preset.answer).to_lowercase()));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::train_games::{ClassicGames, GuidelineGames};
    use crate::train::{Games, PRESETS, Plan};

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    fn planned(line: &str) -> Plan {
        let words = words(line);
        let plan = match plays_guideline(&words) {
            true => layered::<GuidelineGames>(&words).unwrap().plan(),
            false => layered::<ClassicGames>(&words).unwrap().plan(),
        };
        plan.unwrap()
    }

    #[test]
    fn every_preset_becomes_a_plan_that_starts() {
        for preset in PRESETS {
            let plan = planned(&format!("--preset {} --seed 7", preset.name));
            plan.start().unwrap();
            assert_eq!((plan.options, plan.generations), (preset.options, preset.generations));
            assert_eq!((plan.games.games(), plan.games.seed()), (preset.games, 7));
            assert_eq!(plan.problem, preset.problem(plan.games.names().len()));
            assert_eq!(matches!(plan.games, Games::Guideline(..)), preset.guideline);
        }
    }

    #[test]
    fn the_capstones_presets_play_its_games() {
        let said = |line: &str| {
            let plan = planned(line);
            let population =
                format!("{} x {}", plan.start().map_or(0, |s| plan.games_of(&s)), plan.generations);
            format!("{}, {}, {population}", plan.games.said(", "), plan.objective)
        };
        assert_eq!(
            said("--preset capstone-sprint"),
            "capstone sprint, hard-drop movement, search greedy, sprint, 60 x 60"
        );
        assert_eq!(
            said("--preset=capstone-blitz"),
            "capstone blitz, hard-drop movement, search greedy, mean-score, 60 x 60"
        );
        assert_eq!(
            said("--preset capstone-blitz --movement full --games 2"),
            "capstone blitz, full movement, search greedy, mean-score, 120 x 60"
        );
        assert_eq!(
            said("--preset capstone-sprint --rules guideline --objective median-pieces"),
            "guideline sprint, hard-drop movement, search greedy, median-pieces, 60 x 60"
        );
    }

    #[test]
    fn terms_are_those_given_or_of_the_start_or_of_the_mode() {
        let names = |line: &str| planned(&format!("snes --rules guideline {line}")).games.names();
        assert_eq!(
            names("--features holes,clear_4 --start tetrastat-sprint"),
            ["holes", "clear_4"]
        );
        assert_eq!(names("").len(), 4);
        assert_eq!(names("--start tetrastat-sprint").len(), 9);
        assert_eq!(names("--mode blitz").len(), 30);
        let plan =
            planned("snes --rules capstone --features holes,clear_4 --start tetrastat-sprint");
        assert_eq!(plan.problem.start.unwrap(), [-8.0, 0.0]);
    }

    #[test]
    fn the_later_layer_wins() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.toml");
        fs::write(&file, "preset = 'guide'\ngames = 7\nboard = '6x8'\nelite = 2").unwrap();
        let plan = planned(&format!("--config {} --board 8x8", file.display()));
        assert_eq!((plan.games.games(), plan.games.place()), (7, "8x8".to_owned()));
        assert_eq!((plan.options.name(), plan.generations), ("ga", 50));
        let crate::train::Options::Ga(ga) = plan.options else { panic!("not ga") };
        assert_eq!((ga.elite, ga.population), (2, 50));
        fs::write(&file, "method = 'cem'\nrules = 'guideline'\nmode = 'blitz'\ngames = 3").unwrap();
        let plan = planned(&format!("--config {}", file.display()));
        assert_eq!((plan.games.games(), plan.games.place()), (3, "blitz".to_owned()));
    }

    #[test]
    fn mistakes_in_files_are_named() {
        let message = |text| {
            format!("{:#}", from_text::<ClassicGames>(Path::new(""), text, false).unwrap_err())
        };
        assert!(message("gmes = 1").contains("unknown key 'gmes': use one of method, preset"));
        assert!(message("method = 'hill'").contains("cem, ga, snes, cmaes"));
        assert!(message("out = 'x'").contains("--out"));
        assert!(message("games = [\n").contains("line "));
    }
}
