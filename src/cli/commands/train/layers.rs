//! Merges the layers of a training's options: preset, file, command line. A later layer overrides
//! an earlier one.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use serde_json::Map;
use toml::Table;

use crate::cli::commands::train::method;
use crate::cli::commands::train::options::Options;
use crate::cli::console::mistake::mistake;
use crate::cli::options::games::{GUIDELINE, Games};
use crate::cli::options::settings::{ParsedArgs, Settings, options};
use crate::error::{quoted, toml_problem};
use crate::files;
use crate::train::{METHOD_NAMES, TrainingPreset};

/// Options of a training, merged from all layers: preset, file and command line.
#[derive(Debug)]
pub(crate) struct Layered {
    pub(crate) options: Options,
    /// Settings that were given in any layer.
    pub(crate) settings: Settings,
    pub(crate) preset: Option<TrainingPreset>,
}

impl Layered {
    /// Merges the command line over the file and the preset that it names. Also returns the merged
    /// settings of the file and the preset.
    pub(crate) fn of(given: ParsedArgs<Options>) -> anyhow::Result<(Layered, Settings)> {
        let path = given.options.config.clone();
        let file = path.as_deref().map_or_else(|| read(&Settings::default()), from_file)?;
        let keys = file.settings.clone();
        let preset = given.options.preset.as_ref().or(file.options.preset.as_ref());
        let preset = preset.map(|name| TrainingPreset::named(name)).transpose()?;
        // The preset's keys describe the games, as the keys of a file would. Its other parts are
        // used directly.
        let preset = preset
            .map_or(Ok(Settings::default()), |preset| from_table(Path::new(""), preset.keys))?;
        let settings = file.settings.merge_over(preset);
        let all = given.merge_over(settings.clone())?;
        // The file's keys are checked against the merged rules, because the command line may choose
        // guideline rules.
        let foreign = all.options.game.any.rules.games().check::<Options>(&keys);
        foreign.with_context(|| path.unwrap_or_default().display().to_string())?;
        Ok((Layered::new(all)?, settings))
    }

    /// Creates the options from `all`, in which the layers are already merged.
    pub(crate) fn new(all: ParsedArgs<Options>) -> anyhow::Result<Layered> {
        let ParsedArgs { options, settings, .. } = all;
        let preset = options.preset.as_deref().map(TrainingPreset::named).transpose()?;
        let games = options.game.any.rules.games();
        preset.as_ref().map_or(Ok(()), |preset| check(preset, games))?;
        games.check::<Options>(&settings)?;
        Ok(Layered { options, settings, preset })
    }
}

/// Returns an error if the preset is not for `games`.
fn check(preset: &TrainingPreset, games: &Games) -> anyhow::Result<()> {
    let name = preset.name;
    match (preset.is_guideline(), *games == GUIDELINE) {
        (true, false) => bail!(
            "the preset {name} is for guideline games: leave --rules out, or give --rules \
                guideline or capstone"
        ),
        (false, true) => {
            bail!("the preset {name} is not for guideline games: leave it or --rules out")
        }
        _ => Ok(()),
    }
}

fn read(settings: &Settings) -> anyhow::Result<ParsedArgs<Options>> {
    ParsedArgs::read(settings).map_err(|error| anyhow!(mistake(&error)))
}

/// Reads the options in the settings file `path`.
fn from_file(path: &Path) -> anyhow::Result<ParsedArgs<Options>> {
    let text = files::read_text(path, files::SETTINGS)?;
    let keys = from_text(path.parent().unwrap_or(Path::new("")), &text);
    keys.and_then(|keys| read(&keys)).with_context(|| path.display().to_string())
}

/// Parses the keys in `text`, the content of a settings file. Relative paths in it start at the
/// folder `base`.
fn from_text(base: &Path, text: &str) -> anyhow::Result<Settings> {
    from_table(base, text.parse().map_err(|e| anyhow!(toml_problem(text, &e)))?)
}

fn from_table(base: &Path, mut table: Table) -> anyhow::Result<Settings> {
    // The method is a positional argument on the command line, so it has no option name.
    let method = table.remove("method");
    if let Some(key) = table.keys().find(|key| RUN_CONTROL_OPTIONS.contains(&&***key)) {
        bail!("{key} belongs on the command line, as --{}", key.replace('_', "-"));
    }
    let object = table.into_iter().map(|(key, value)| Ok((key, serde_json::to_value(value)?)));
    let object = object.collect::<anyhow::Result<Map<_, _>>>()?;
    let mut settings = Settings::of_object(&options::<Options>(), base, &object, &["method"])?;
    if let Some(method) = method {
        let name = method.as_str().with_context(|| {
            let (method, known) = (method.to_string(), METHOD_NAMES.join(", "));
            format!("method is {}: use one of {known}", quoted(&method))
        })?;
        let method = method::method_or_learning(name);
        let method = method.map_err(|e| anyhow!("method '{}': {e}", quoted(name)))?;
        settings.set("method", method);
    }
    Ok(settings)
}

/// Options that are no keys of a settings file, because they control how a training runs and not
/// its result.
pub(crate) const RUN_CONTROL_OPTIONS: [&str; 6] =
    ["config", "resume", "out", "dry_run", "view", "minutes"];

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::FromArgMatches;

    use super::*;
    use crate::train::{PRESETS, TrainingGames, TrainingPlan};

    fn planned(line: &str) -> TrainingPlan {
        let matches = options::<Options>().try_get_matches_from(line.split_whitespace()).unwrap();
        let (layered, _) = Layered::of(ParsedArgs::from_arg_matches(&matches).unwrap()).unwrap();
        layered.options.plan(layered.preset.as_ref()).unwrap()
    }

    #[test]
    fn every_preset_becomes_a_plan_that_starts() {
        for (name, _) in PRESETS {
            let preset = TrainingPreset::named(name).unwrap();
            let plan = planned(&format!("--preset {} --seed 7", preset.name));
            plan.start().unwrap();
            let count = |key: &str| preset.keys[key].as_integer().unwrap() as u64;
            assert_eq!((plan.options, plan.generations), (preset.options, count("generations")));
            assert_eq!((plan.games.games(), plan.games.seed()), (count("games"), 7));
            assert_eq!(plan.problem, preset.problem(plan.games.names().len()));
            assert_eq!(matches!(plan.games, TrainingGames::Guideline(..)), preset.is_guideline());
        }
    }

    #[test]
    fn the_capstones_presets_play_its_games() {
        let said = |line: &str| {
            let plan = planned(line);
            let population =
                format!("{} x {}", plan.start().map_or(0, |s| plan.games_of(&s)), plan.generations);
            format!("{}, {}, {population}", plan.games.describe(", "), plan.objective)
        };
        assert_eq!(
            said("--preset capstone-sprint"),
            "capstone sprint, hard-drop movement, search greedy, sprint, 60 x 60"
        );
        assert_eq!(
            said("--preset=capstone-blitz"),
            "capstone blitz, hard-drop movement, search greedy, mean-points, 60 x 60"
        );
        assert_eq!(
            said("--preset capstone-blitz --movement full --games 2"),
            "capstone blitz, full movement, search greedy, mean-points, 120 x 60"
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
        fs::write(
            &file,
            "preset = 'guide'\ngames = 7\nboard = '6x8'\nelite = 2\npopulation_log = true",
        )
        .unwrap();
        let plan = planned(&format!("--config {} --board 8x8", file.display()));
        assert_eq!((plan.games.games(), plan.games.place()), (7, "8x8".to_owned()));
        assert_eq!((plan.options.name(), plan.generations), ("ga", 50));
        // A flag set in a lower layer stays set if the upper layer does not mention it.
        assert!(plan.population_log && !plan.repeat_games);
        assert!(planned("--preset notebook --games 2").repeat_games);
        let crate::train::OptimiserSettings::Ga(ga) = plan.options else { panic!("not ga") };
        assert_eq!((ga.elite, ga.population), (2, 50));
        fs::write(&file, "method = 'cem'\nrules = 'guideline'\nmode = 'blitz'\ngames = 3").unwrap();
        let plan = planned(&format!("--config {}", file.display()));
        assert_eq!((plan.games.games(), plan.games.place()), (3, "blitz".to_owned()));
    }

    #[test]
    fn mistakes_in_files_are_named() {
        let message = |text| format!("{:#}", from_text(Path::new(""), text).unwrap_err());
        assert!(message("gmes = 1").contains("unknown setting 'gmes': did you mean 'games'?"));
        assert!(message("method = 'hill'").contains("cem, ga, snes, cmaes, vdcmaes, td"));
        assert!(message("out = 'x'").contains("--out"));
        assert!(message("games = [\n").contains("line "));
    }
}
