//! Defines the options of the optimisers: one flag per setting. Given values replace the defaults
//! of the method or of a preset.

use anyhow::anyhow;
use clap::Args;
use serde::Serialize;
use toml::{Table, Value};

use crate::error::quoted;
use crate::text::parse::count;
use crate::train::{Bounds, METHOD_NAMES, OptimiserSettings, Restarts, TEMPORAL_DIFFERENCES};

/// Help heading of the options of the optimisers.
pub(crate) const OPTIMISER: &str = "Optimiser (defaults: those of the papers)";

/// Options of the optimisers. Each help text names the methods that have the option. Serialised,
/// the struct holds only the given settings, under the names that the methods use.
#[derive(Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
#[command(next_help_heading = OPTIMISER)]
pub(crate) struct MethodOptions {
    /// Candidates per generation
    #[arg(long, value_name = "N", value_parser = count::<i64>(..))]
    population: Option<i64>,

    /// Candidates that are kept: a number, or for cem a share of the population [cem, ga]
    #[arg(long, value_name = "N|SHARE", value_parser = elite)]
    elite: Option<Value>,

    /// Initial mean of every weight and table entry [cem, snes, cmaes, vdcmaes]
    #[arg(long, allow_negative_numbers = true)]
    mean: Option<f64>,

    /// Initial standard deviation of every weight and table entry [cem, snes, cmaes, vdcmaes]
    #[arg(long)]
    sd: Option<f64>,

    /// Unit of --sd: `one`, or `start` for the size of each weight in --start (for weights and
    /// table entries of 0, the median size). `start` suits guideline terms, whose weights differ a
    /// hundredfold [cem, snes, cmaes, vdcmaes]
    #[arg(long, value_name = "UNIT", value_parser = SCALE_NAMES)]
    #[serde(skip)]
    scale: Option<String>,

    /// Extra variance in generation t: `none`, `constant:A`, `linear:A:B` = max(A - t/B, 0),
    /// `hyperbolic:A` = A/(t + 1). Without numbers, the values of MDPTetris apply: 4, 5:10, 20
    /// [cem]
    #[arg(long, value_parser = |text: &str| shape(text, &NOISES))]
    noise: Option<Value>,

    /// Time at which the noise is added: at the `update` (none in generation 0) or at `sampling`
    /// [cem]
    #[arg(long)]
    timing: Option<String>,

    /// Minimum variance of the elite [cem]
    #[arg(long)]
    variance_floor: Option<f64>,

    /// New random candidates in every generation [ga]
    #[arg(long, value_name = "N", value_parser = count::<i64>(..))]
    immigrants: Option<i64>,

    /// Selection of parents: `tournament:SIZE`, `truncation:SHARE` or `fitness-proportionate` [ga]
    #[arg(long, value_parser = |text: &str| shape(text, &SELECTIONS))]
    selection: Option<Value>,

    /// Probability that a candidate has two parents [ga]
    #[arg(long)]
    crossover: Option<f64>,

    /// Mutation: `per-gene:RATE:SD` or `one-gene:STEP:FRESH:LEAST:MOST` [ga]
    #[arg(long, value_parser = |text: &str| shape(text, &MUTATIONS))]
    mutation: Option<Value>,

    /// Range of random genes [ga] or of the initial mean [snes]
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, value_parser = pair)]
    initial: Option<Bounds>,

    /// Learning rate of the mean [snes]
    #[arg(long)]
    eta_mu: Option<f64>,

    /// Learning rate of the standard deviations [snes]
    #[arg(long)]
    eta_sigma: Option<f64>,

    /// Also use the worse half of the candidates for the update [cmaes]
    #[arg(long, value_name = "true|false")]
    active: Option<bool>,

    /// Restarts after convergence: `none`, `ipop` (population doubled each time) or `bipop`
    /// (doubled and small populations alternate) [cmaes]
    #[arg(long, value_name = "WAY", value_parser = Restarts::NAMES)]
    restarts: Option<String>,

    /// Minimum number of generations without a better score that end a run [cmaes; default with
    /// --restarts: 120 and 30 for each weight / population]
    #[arg(long, value_name = "N", value_parser = count::<i64>(..))]
    stagnation: Option<i64>,

    /// Number of candidates, over all runs, after which no generation begins [cmaes with
    /// --restarts]
    #[arg(long, value_name = "N", value_parser = count::<i64>(..))]
    max_candidates: Option<i64>,

    /// Range of the weights: one pair for all, or one pair for each weight, joined by / [default:
    /// none; ga -1,1]
    #[arg(long, value_name = "LOW,HIGH[/...]", allow_hyphen_values = true)]
    #[serde(skip)]
    bounds: Option<String>,
}

impl MethodOptions {
    /// Returns the settings of the optimiser `method`. Given options replace the settings in
    /// `base`, or the defaults if `base` is `None`.
    pub(crate) fn options(
        &self,
        method: &str,
        base: Option<&OptimiserSettings>,
    ) -> anyhow::Result<OptimiserSettings> {
        let mut table = match base {
            Some(base) => Table::try_from(base)?,
            None => Table::from_iter([("method".to_owned(), Value::from(method))]),
        };
        table.extend(Table::try_from(self)?);
        table.try_into().map_err(|error: toml::de::Error| {
            // Messages of commands are single lines.
            let message = error.message().lines().collect::<Vec<_>>().join(", ");
            anyhow!("{method}: {message}").context("optimiser")
        })
    }

    /// Returns the bounds of each of `n` weights, or `None` if none are given. A genetic search
    /// always has bounds; their default is -1 to 1.
    pub(crate) fn bounds(&self, n: usize, genetic: bool) -> anyhow::Result<Option<Vec<Bounds>>> {
        let text = match &self.bounds {
            Some(text) => text,
            None if genetic => "-1,1",
            None => return Ok(None),
        };
        let pairs = text.split('/').map(pair).collect::<Result<Vec<_>, _>>();
        let pairs = pairs.map_err(|error| anyhow!("--bounds {}: {error}", quoted(text)))?;
        Ok(Some(if let [all] = pairs[..] { vec![all; n] } else { pairs }))
    }

    /// Returns true if the initial standard deviation of each weight is a multiple of its initial
    /// size (`--scale start`).
    pub(crate) fn is_scaled(&self) -> bool {
        self.scale.as_deref() == Some(SCALE_NAMES[1])
    }

    /// Returns true if the option `--bounds`, the range of the weights, was given.
    pub(crate) fn has_bounds(&self) -> bool {
        self.bounds.is_some()
    }
}

/// Units in which `--sd` gives the initial standard deviation.
pub(crate) const SCALE_NAMES: [&str; 2] = ["one", "start"];

/// Converts the settings of an optimiser to options and their values. Also returns, as text, the
/// settings that no option can express.
pub(crate) fn as_options(options: &OptimiserSettings) -> anyhow::Result<(Table, Vec<String>)> {
    let (mut keys, mut others) = (Table::new(), Vec::new());
    for (name, value) in Table::try_from(options)? {
        let kinds = match &*name {
            "method" => continue,
            "noise" => &NOISES[..],
            "selection" => &SELECTIONS[..],
            "mutation" => &MUTATIONS[..],
            _ => &[],
        };
        let said = match &value {
            _ if name == "tie" => None,
            Value::Table(shape) => shape_text(shape, kinds).map(Value::from),
            Value::Array(pair) => {
                let ends: Vec<String> = pair.iter().map(ToString::to_string).collect();
                Some(Value::from(ends.join(",")))
            }
            plain => Some(plain.clone()),
        };
        match said {
            Some(said) => _ = keys.insert(name.replace('-', "_"), said),
            None => others.push(format!("{name} = {value}")),
        }
    }
    Ok((keys, others))
}

/// Formats a setting with a kind as `kind:number:number`. Returns `None` if this form can't express
/// the setting.
fn shape_text(shape: &Table, kinds: &[Kind]) -> Option<String> {
    let kind = shape.get("kind")?.as_str()?;
    let (_, known) = kinds.iter().find(|(name, _)| *name == kind)?;
    let numbers = known.iter().map(|(name, _)| Some(shape.get(*name)?.to_string()));
    let numbers = numbers.collect::<Option<Vec<_>>>()?;
    // This form can express only the kind and its numbers.
    let whole = shape.len() == 1 + numbers.len();
    whole.then(|| [vec![kind.to_owned()], numbers].concat().join(":"))
}

/// Returns `name` if it is the name of an optimiser, or else an error that lists the names.
pub(crate) fn method(name: &str) -> Result<String, String> {
    match METHOD_NAMES.contains(&name) {
        true => Ok(name.to_owned()),
        false => Err(format!("use one of {}", METHOD_NAMES.join(", "))),
    }
}

/// Returns `name` if it is the name of an optimiser or of learning by temporal differences, or else
/// an error that lists the names.
pub(crate) fn method_or_learning(name: &str) -> Result<String, String> {
    if name == TEMPORAL_DIFFERENCES {
        return Ok(name.to_owned());
    }
    method(name).map_err(|error| format!("{error}, {TEMPORAL_DIFFERENCES}"))
}

/// Parses the size of the elite: a number of candidates, or a share of the population.
fn elite(text: &str) -> Result<Value, String> {
    // Integers are parsed first: the optimiser reads 1 as one candidate and 1.0 as all candidates.
    let number = count::<i64>(..)(text).map(Value::Integer);
    number
        .or_else(|_| text.parse().map(Value::Float))
        .map_err(|_| "write a number, or a share such as 0.1".to_owned())
}

/// A kind of noise, selection or mutation: its name, and its numbers by name with their defaults.
pub(crate) type Kind = (&'static str, &'static [(&'static str, f64)]);

pub(crate) const NOISES: [Kind; 4] = [
    ("none", &[]),
    ("constant", &[("a", 4.0)]),
    ("linear", &[("a", 5.0), ("b", 10.0)]),
    ("hyperbolic", &[("a", 20.0)]),
];
pub(crate) const SELECTIONS: [Kind; 3] = [
    ("tournament", &[("size", 5.0)]),
    ("truncation", &[("survival-rate", 0.25)]),
    ("fitness-proportionate", &[]),
];
pub(crate) const MUTATIONS: [Kind; 2] = [
    ("per-gene", &[("rate", 0.2), ("sd", 0.3)]),
    ("one-gene", &[("step", 0.1), ("fresh", 0.1), ("least", 1.0), ("most", 3.0)]),
];
/// Names of numbers of a kind that are whole.
const COUNTS: [&str; 3] = ["size", "least", "most"];

/// Parses `kind:number:number` into the table that the optimisers read. Missing numbers get their
/// defaults.
fn shape(text: &str, kinds: &[Kind]) -> Result<Value, String> {
    let mut words = text.split(':');
    let kind = words.next().unwrap_or_default();
    let names = || kinds.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let known = kinds.iter().find(|(name, _)| *name == kind);
    let (_, settings) = known.ok_or_else(|| format!("use one of {}", names()))?;
    let mut table = Table::from_iter([("kind".to_owned(), Value::from(kind))]);
    for (name, default) in *settings {
        let number = words.next().map_or(Ok(*default), str::parse);
        let value = number.map_err(|_| format!("{name} is no number"))?;
        // TOML distinguishes 5 from 5.0, and the numbers in `COUNTS` must be integers. Other
        // numbers stay unchanged, so that the error message quotes them.
        let is_count = COUNTS.contains(name) && value >= 0.0 && value.fract() == 0.0;
        let value = if is_count { Value::from(value as i64) } else { Value::from(value) };
        table.insert((*name).to_owned(), value);
    }
    match words.next() {
        Some(_) => Err(format!("{kind} takes {} numbers", settings.len())),
        None => Ok(Value::Table(table)),
    }
}

/// Parses a range `LOW,HIGH`.
fn pair(text: &str) -> Result<Bounds, String> {
    let read = || {
        let (low, high) = text.split_once(',')?;
        Some(Bounds { low: low.trim().parse().ok()?, high: high.trim().parse().ok()? })
    };
    read().ok_or_else(|| "write LOW,HIGH, for example -1,1".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::train::PRESETS;

    #[derive(Debug, Parser)]
    #[command(no_binary_name = true)]
    struct Line {
        #[command(flatten)]
        method: MethodOptions,
    }

    fn read(method: &str, line: &str) -> anyhow::Result<OptimiserSettings> {
        Line::try_parse_from(line.split_whitespace())?.method.options(method, None)
    }

    #[test]
    fn flags_become_settings() {
        let line = "--population 50 --elite 0.2 --noise linear:4:7.5 --sd 1 --timing sampling";
        let OptimiserSettings::Cem(cem) = read("cem", line).unwrap() else { panic!("not cem") };
        let noise = crate::train::Noise::Linear { a: 4.0, b: 7.5 };
        assert_eq!((cem.population, cem.sd, cem.noise), (50, 1.0, noise));
        assert_eq!(cem.elite, crate::train::Elite::Share(0.2));
        let line = "--selection truncation:0.5 --mutation one-gene:0.2:0.1:0:2 --initial 0,1";
        let OptimiserSettings::Ga(ga) = read("ga", line).unwrap() else { panic!("not ga") };
        assert_eq!(ga.selection, crate::train::ParentSelection::Truncation { survival_rate: 0.5 });
        assert_eq!(ga.initial, Some(Bounds { low: 0.0, high: 1.0 }));
        assert!(read("snes", "--eta-mu 0.5").is_ok() && read("cmaes", "--active false").is_ok());
    }

    #[test]
    fn presets_are_a_base() {
        for (name, _) in PRESETS {
            let preset = crate::train::TrainingPreset::named(name).unwrap();
            let none = Line::try_parse_from([""; 0]).unwrap().method;
            let name = preset.options.name();
            assert_eq!(none.options(name, Some(&preset.options)).unwrap(), preset.options);
        }
    }

    #[test]
    fn mistakes_are_named() {
        let message = |method: &str, line: &str| format!("{:#}", read(method, line).unwrap_err());
        assert!(message("ga", "--noise none").contains("noise"));
        assert!(message("cem", "--noise pink").contains("hyperbolic"));
        assert!(message("cem", "--noise linear:x").contains("a is no number"));
        assert!(message("cem", "--noise none:1").contains("takes 0"));
        assert!(message("cem", "--elite ten").contains("0.1"));
        assert!(
            message("ga", "--elite 0.5").contains("elite")
                || !message("ga", "--elite 0.5").is_empty()
        );
    }
}
