//! A training's options come in layers: preset, then file, then command line; the later one wins.

use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use clap::{CommandFactory, Parser};
use toml::Table;

use super::train_options::Options;
use super::{keys, mistake};
use crate::error::{Error, toml_problem};
use crate::train::Preset;

/// The options of a training, later ones over earlier ones.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true, args_override_self = true)]
struct Layers {
    #[command(flatten)]
    options: Options,
}

/// Options with the layers below them.
#[derive(Debug)]
pub(super) struct Layered {
    pub(super) options: Options,
    pub(super) preset: Option<&'static Preset>,
}

/// Puts the words of a command line over its file and preset.
pub(super) fn layered(words: &[String]) -> anyhow::Result<Layered> {
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
        words = [from_preset(named)?, words].concat();
        preset = Some(named);
    }
    Ok(Layered { options: read(&words)?, preset })
}

fn read(words: &[String]) -> anyhow::Result<Options> {
    let layers = Layers::try_parse_from(words).map_err(|error| anyhow!(mistake(&error)))?;
    Ok(layers.options)
}

/// A file's keys as words; its method counts when the command line has none.
fn from_text(base: &Path, text: &str, has_method: bool) -> anyhow::Result<Vec<String>> {
    let mut table: Table = text.parse().map_err(|e| anyhow!(toml_problem(text, &e)))?;
    let method = match table.remove("method") {
        None => None,
        Some(method) => {
            let name =
                method.as_str().with_context(|| format!("method is {method}: write text"))?;
            Some(super::train_method::method(name).map_err(|e| anyhow!("method '{name}': {e}"))?)
        }
    };
    let mut words: Vec<String> = method.filter(|_| !has_method).into_iter().collect();
    let command = Layers::command();
    let unknown = |key: &str| {
        let ours = |name: &String| !["config", "resume", "out"].contains(&&**name);
        let names = keys::names(&command).filter(ours);
        let names: Vec<String> = ["method".to_owned()].into_iter().chain(names).collect();
        format!("unknown key '{key}': use one of {}", names.join(", "))
    };
    for (key, value) in &table {
        if ["config", "resume", "out"].contains(&&**key) {
            bail!("{key} belongs on the command line, as --{key}");
        }
        words.extend(keys::argument(&command, base, key, value, || unknown(key))?);
    }
    Ok(words)
}

fn from_preset(preset: &Preset) -> anyhow::Result<Vec<String>> {
    let mut words = from_text(Path::new(""), preset.play, true)?;
    words.push(format!("--features={}", preset.features));
    words.push(format!("--generations={}", preset.generations));
    words.push(format!("--games={}", preset.games));
    words.push(format!("--answer={}", format!("{:?}", preset.answer).to_lowercase()));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::PRESETS;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn every_preset_becomes_a_plan_that_starts() {
        for preset in PRESETS {
            let layered = layered(&words(&format!("--preset {} --seed 7", preset.name))).unwrap();
            let plan = layered.plan().unwrap();
            plan.start().unwrap();
            assert_eq!((plan.options, plan.generations), (preset.options, preset.generations));
            assert_eq!((plan.config.games, plan.config.seed), (preset.games, 7));
            assert_eq!(plan.problem, preset.problem(plan.template.features().len()));
        }
    }

    #[test]
    fn the_later_layer_wins() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.toml");
        fs::write(&file, "preset = 'guide'\ngames = 7\nboard = '6x8'\nelite = 2").unwrap();
        let line = format!("--config {} --board 8x8", file.display());
        let plan = layered(&words(&line)).unwrap().plan().unwrap();
        assert_eq!((plan.config.games, plan.config.size.to_string()), (7, "8x8".to_owned()));
        assert_eq!((plan.options.name(), plan.generations), ("ga", 50));
        let crate::train::Options::Ga(ga) = plan.options else { panic!("not ga") };
        assert_eq!((ga.elite, ga.population), (2, 50));
    }

    #[test]
    fn mistakes_in_files_are_named() {
        let message = |text| format!("{:#}", from_text(Path::new(""), text, false).unwrap_err());
        assert!(message("gmes = 1").contains("unknown key 'gmes': use one of method, preset"));
        assert!(message("method = 'hill'").contains("cem, ga, snes, cmaes"));
        assert!(message("out = 'x'").contains("--out"));
        assert!(message("games = [\n").contains("line "));
    }
}
