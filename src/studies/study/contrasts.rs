//! Contrasts (ratios of means) between the conditions of a study: whether one factor matters more
//! where another factor has another value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{AXES, Condition};
use crate::engine::{Comparable, Measure};
use crate::error::quoted;
use crate::prelude::*;
use crate::record::{CellMean, ContrastRow, read_replications};
use crate::stats::{Better, Contrast, LEVEL, Method, Sample, holm};

const NON_FACTOR_SETTINGS: [&str; 5] = ["game", "games", "shard", "log", "timing"];

#[derive(Clone, Debug)]
struct ContrastedCondition {
    /// Names and values of a condition's settings, first the settings that a study can vary.
    factors: Vec<(String, String)>,
    sample: Sample,
    is_estimate: bool,
    is_certain: bool,
}

type Factor = (String, Vec<String>);

/// Conditions of a study that are contrasted, with the factors (settings) in which they differ.
#[derive(Clone, Debug, Default)]
pub struct Contrasts {
    cells: Vec<ContrastedCondition>,
}

impl Contrasts {
    /// Adds `conditions` to be compared by the `measure` of their games in the folder `study`.
    pub fn add_games<G: Comparable>(
        &mut self,
        conditions: &[Condition<G>],
        study: &Path,
        measure: &Measure,
    ) -> Result<()> {
        for Condition { folder, game, .. } in conditions {
            let observed = game.observed(&study.join(folder), measure)?;
            let is_certain = !game.about().is_random();
            let number = if is_certain { 1 } else { observed.len() };
            let parts = observed.iter().take(number).map(|game| measure.scale.parts(game));
            self.add(&json!(game.recorded_config()), parts.collect(), false);
            if let Some(cell) = self.cells.last_mut() {
                cell.is_certain = is_certain;
            }
        }
        Ok(())
    }

    /// Adds a condition whose mean lines were estimated by multilevel splitting, saved in `folder`.
    pub fn add_estimate(&mut self, folder: &Path) -> Result<()> {
        let (config, parts) = read_replications(folder)?;
        self.add(&config, parts, true);
        Ok(())
    }

    fn add(&mut self, config: &Value, parts: Vec<[f64; 2]>, is_estimate: bool) {
        let axes = AXES.iter().map(|&(_, setting)| setting.to_owned());
        let others = config.as_object().into_iter().flatten().filter(|(key, value)| {
            let is_axis = AXES.iter().any(|&(_, setting)| setting == *key);
            !is_axis
                && !value.is_object()
                && !value.is_array()
                && !NON_FACTOR_SETTINGS.contains(&&***key)
        });
        let names = axes.chain(others.map(|(key, _)| key.clone()));
        let factors = names.map(|name| (name.clone(), value_of(config, &name))).collect();
        let seed = value_of(config, "seed");
        let kind = if is_estimate { "replications" } else { "games" };
        let sample = Sample { stream: format!("{kind} {seed}"), parts };
        self.cells.push(ContrastedCondition { factors, sample, is_estimate, is_certain: false });
    }

    /// Returns the settings in which the conditions differ, without settings outside [`AXES`] that
    /// distinguish no further conditions.
    fn factors(&self) -> Vec<Factor> {
        let values = |name: &str| {
            let mut values: Vec<String> = Vec::new();
            for value in self.cells.iter().flat_map(|cell| cell.values(&[name])) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            values
        };
        let distinct = |names: &[&str]| {
            let rows = self.cells.iter().map(|cell| cell.values(names));
            rows.collect::<BTreeSet<_>>().len()
        };
        let axes = AXES.iter().map(|axis| axis.1);
        let mut names: Vec<&str> = axes.filter(|name| values(name).len() > 1).collect();
        let mut others: Vec<&str> = Vec::new();
        for (name, _) in self.cells.iter().flat_map(|cell| &cell.factors) {
            if !names.contains(&&**name) && !others.contains(&&**name) {
                others.push(name);
            }
        }
        for name in others {
            if distinct(&names) == self.cells.len() {
                break;
            }
            let longer = [&names[..], &[name]].concat();
            if distinct(&longer) > distinct(&names) {
                names = longer;
            }
        }
        names.into_iter().map(|name| (name.to_owned(), values(name))).collect()
    }

    /// Returns the mean result of each condition (setting of the study), with its interval.
    #[must_use]
    pub fn means(&self) -> Vec<CellMean> {
        let varying = self.factors();
        let names: Vec<&str> = varying.iter().map(|factor| &*factor.0).collect();
        let mean = |cell: &ContrastedCondition| CellMean {
            condition: cell.label(&names),
            mean: Mean::new(
                cell.sample.mean(),
                Contrast::new(&[(1.0, &cell.sample)], LEVEL).and_then(|mean| mean.ratio.interval()),
                if cell.is_estimate { Method::Splitting } else { Method::LogT },
                cell.sample.parts.len() as u64,
            ),
        };
        self.cells.iter().map(mean).collect()
    }

    /// Computes the contrasts (ratios of means) named by `terms`. One factor (`search`) gives the
    /// mean at each of its values divided by that at its first value; several (`search:board`) give
    /// ratios of such ratios. Each is computed for every combination of the other factors. Without
    /// terms, all pairs of conditions are compared.
    ///
    /// With `not_worse`, a margin and the direction in which a mean is better, each row is also
    /// tested for non-inferiority.
    pub fn rows(
        &self,
        terms: &[String],
        not_worse: Option<(f64, Better)>,
    ) -> Result<Vec<ContrastRow>> {
        if self.cells.len() < 2 {
            let text = "there is one condition: a contrast needs two or more".to_owned();
            return Err(Error::Config(text));
        }
        let design = Design::new(self)?;
        if let Some(cell) = self.cells.iter().find(|cell| cell.is_certain) {
            let names: Vec<&str> = design.factors.iter().map(|factor| &*factor.0).collect();
            return Err(Error::Config(format!(
                "{}: its queue deals every game the same pieces, so a contrast has no interval: \
                 leave it out",
                cell.label(&names)
            )));
        }
        let mut rows = Vec::new();
        for term in terms {
            rows.extend(design.rows(term)?);
        }
        if terms.is_empty() {
            let names: Vec<&str> = design.factors.iter().map(|factor| &*factor.0).collect();
            for (index, first) in self.cells.iter().enumerate() {
                for second in &self.cells[index + 1..] {
                    let [one, other] = [first, second].map(|cell| cell.label(&names));
                    rows.push(ContrastRow {
                        contrast: "condition".to_owned(),
                        levels: format!("{one} / {other}"),
                        within: String::new(),
                        found: Contrast::new(
                            &[(1.0, &first.sample), (-1.0, &second.sample)],
                            LEVEL,
                        ),
                        p_adjusted: None,
                        p_not_worse: None,
                    });
                }
            }
        }
        adjust(&mut rows, |found| found.p, |row, p| row.p_adjusted = Some(p));
        if let Some((margin, better)) = not_worse {
            let p = |found: &Contrast| found.p_not_worse(margin, better);
            adjust(&mut rows, p, |row, p| row.p_not_worse = Some(p));
        }
        Ok(rows)
    }
}

fn adjust(
    rows: &mut [ContrastRow],
    p: impl Fn(&Contrast) -> f64,
    set: impl Fn(&mut ContrastRow, f64),
) {
    let known: Vec<f64> = rows.iter().filter_map(|row| row.found.as_ref().map(&p)).collect();
    let rows = rows.iter_mut().filter(|row| row.found.is_some());
    for (row, p) in rows.zip(holm(&known)) {
        set(row, p);
    }
}

struct Design<'a> {
    factors: Vec<Factor>,
    cells: BTreeMap<Vec<String>, &'a ContrastedCondition>,
}

type Values<'a> = [(usize, &'a String)];

impl<'a> Design<'a> {
    fn new(contrasts: &'a Contrasts) -> Result<Design<'a>> {
        let factors = contrasts.factors();
        let names: Vec<&str> = factors.iter().map(|factor| &*factor.0).collect();
        let mut cells = BTreeMap::new();
        for cell in &contrasts.cells {
            let values = cell.values(&names);
            let shown: String = values.iter().map(|value| format!(" {value}")).collect();
            if cells.insert(values, cell).is_some() {
                return Err(Error::Config(format!(
                    "two conditions have the same factors{shown}: leave one out"
                )));
            }
        }
        Ok(Design { factors, cells })
    }

    fn rows(&self, term: &str) -> Result<Vec<ContrastRow>> {
        let indices = self.factor_indices(term)?;
        let others: Vec<usize> =
            (0..self.factors.len()).filter(|index| !indices.contains(index)).collect();
        let values = |indices: &[usize], from: usize| {
            let lists: Vec<&[String]> =
                indices.iter().map(|&index| &self.factors[index].1[from..]).collect();
            let named = |row: Vec<_>| indices.iter().copied().zip(row).collect();
            combinations(&lists).into_iter().map(named).collect::<Vec<Vec<_>>>()
        };
        // The first value of a factor is the one that the others are compared with.
        let compared = values(&indices, 1);
        let rows = values(&others, 0).into_iter().flat_map(|within| {
            let row = |compared: &Vec<_>| self.row(term, compared, &within);
            compared.iter().map(row).collect::<Vec<_>>()
        });
        rows.collect()
    }

    fn factor_indices(&self, term: &str) -> Result<Vec<usize>> {
        let mut indices = Vec::new();
        for name in term.split(':').map(str::trim) {
            let index = self.factors.iter().position(|factor| factor.0 == name);
            let index = index.ok_or_else(|| {
                Error::unknown("factor", name, self.factors.iter().map(|factor| &*factor.0))
            })?;
            if indices.contains(&index) {
                let term = quoted(term);
                return Err(Error::Config(format!("{term} names {name} twice: name it once")));
            }
            indices.push(index);
        }
        Ok(indices)
    }

    fn row(&self, term: &str, compared: &Values, within: &Values) -> Result<ContrastRow> {
        let first = |index: usize| &self.factors[index].1[0];
        let mut terms = Vec::new();
        // Bit i of `choice` is 1 if factor i has its first value, which has the power -1.
        for choice in 0..1_u32 << compared.len() {
            let mut values = vec![String::new(); self.factors.len()];
            for &(index, value) in within {
                values[index].clone_from(value);
            }
            for (bit, &(index, value)) in compared.iter().enumerate() {
                let is_first = choice >> bit & 1 == 1;
                values[index].clone_from(if is_first { first(index) } else { value });
            }
            let cell = self.cells.get(&values).ok_or_else(|| {
                let missing = values.join(", ");
                Error::Config(format!(
                    "contrast {term} needs the condition {missing}, which is missing: add it, or \
                     contrast other factors"
                ))
            })?;
            let power = if choice.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
            terms.push((power, &cell.sample));
        }
        let pair = |&(index, value): &(usize, &String)| format!("{value} / {}", first(index));
        let fixed =
            |&(index, value): &(usize, &String)| format!("{} {value}", self.factors[index].0);
        Ok(ContrastRow {
            contrast: term.to_owned(),
            levels: compared.iter().map(pair).collect::<Vec<_>>().join(", "),
            within: within.iter().map(fixed).collect::<Vec<_>>().join(", "),
            found: Contrast::new(&terms, LEVEL),
            p_adjusted: None,
            p_not_worse: None,
        })
    }
}

impl ContrastedCondition {
    fn label(&self, names: &[&str]) -> String {
        let pairs = names.iter().zip(self.values(names)).map(|(name, value)| {
            // Values of the axes, such as `10x12` or `next`, need no name.
            match AXES.iter().any(|axis| axis.1 == *name) {
                true => value,
                false => format!("{name} {value}"),
            }
        });
        pairs.collect::<Vec<_>>().join(" ")
    }

    fn values(&self, names: &[&str]) -> Vec<String> {
        let value = |name: &&str| {
            let found = self.factors.iter().find(|(factor, _)| factor == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        names.iter().map(value).collect()
    }
}

fn combinations<'a>(lists: &[&'a [String]]) -> Vec<Vec<&'a String>> {
    lists.iter().fold(vec![Vec::new()], |begun, list| {
        let longer = |row: &Vec<&'a String>| {
            let row = row.clone();
            list.iter().map(move |value| row.iter().copied().chain([value]).collect())
        };
        begun.iter().flat_map(longer).collect()
    })
}

/// Returns a setting's value in `config` as text, or the word `default` if the setting is missing.
fn value_of(config: &Value, setting: &str) -> String {
    match &config[setting] {
        Value::Null => "default".to_owned(),
        Value::String(text) => text.clone(),
        value => value["name"].as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}
