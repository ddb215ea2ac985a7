//! Contrasts between the conditions of a study: whether one factor matters more where another
//! factor has another value.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use super::{AXES, Condition};
use crate::engine::{Comparable, Measure};
use crate::error::{Error, Result, quoted};
use crate::record::read_replications;
use crate::stats::{Contrast, Interval, LEVEL, Sample, holm};

/// Condition whose mean is contrasted with those of others: its settings and its observations.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Value of each factor by its name, in the order of [`AXES`].
    factors: Vec<(&'static str, String)>,
    sample: Sample,
    /// True if the observations are replications of an estimate; false if they are games.
    is_estimate: bool,
}

/// Mean of a condition, as contrasts use it.
#[derive(Clone, Debug, Serialize)]
pub struct CellMean {
    /// Values of the factors that differ between the conditions.
    pub condition: String,
    /// Method that found the mean: `play` or `estimate`.
    pub method: &'static str,
    /// Number of games, or of replications of an estimate.
    pub observations: usize,
    /// Mean of the measure; `None` if no game ended.
    pub mean: Option<f64>,
    /// 95 % confidence interval of the mean; `None` with fewer than two observations.
    pub interval: Option<Interval>,
}

/// Ratio of means, or ratio of ratios, for one combination of the other factors.
#[derive(Clone, Debug, Serialize)]
pub struct ContrastRow {
    /// Requested factors, such as `search:board`.
    pub contrast: String,
    /// The two compared values of each factor in `contrast`, numerator first, such as
    /// `next / greedy, 10x16 / 10x12`.
    pub levels: String,
    /// Values of the other factors, such as `controller bcts`; empty if there are no others.
    pub within: String,
    /// Result; `None` if the mean of a condition is unknown.
    #[serde(flatten)]
    pub found: Option<Contrast>,
    /// P-value, adjusted by Holm's method for all requested contrasts.
    pub p_adjusted: Option<f64>,
}

/// Conditions that are contrasted, with the factors by which they differ.
#[derive(Clone, Debug, Default)]
pub struct Contrasts {
    cells: Vec<Cell>,
}

impl Contrasts {
    /// Adds the games of `conditions` in the study folder `study`.
    ///
    /// # Errors
    /// The errors of [`Comparable::observed`], and [`Error::Config`] if the queue deals all games
    /// the same pieces.
    pub fn add_games<G: Comparable>(
        &mut self,
        conditions: &[Condition<G>],
        study: &Path,
        measure: &Measure,
    ) -> Result<()> {
        for Condition { folder, game, .. } in conditions {
            if !game.is_random() {
                return Err(Error::Config(format!(
                    "{folder}: its queue deals every game the same pieces, so a contrast has no \
                     interval: leave it out"
                )));
            }
            let observed = game.observed(&study.join(folder), measure)?;
            let parts = observed.iter().map(|game| measure.scale.parts(game)).collect();
            self.add(&json!(game.entry()), parts, false);
        }
        Ok(())
    }

    /// Adds the replications of the estimate in `folder`.
    ///
    /// # Errors
    /// [`Error::Config`] if the folder has no complete estimate or a damaged one.
    pub fn add_estimate(&mut self, folder: &Path) -> Result<()> {
        let (config, parts) = read_replications(folder)?;
        self.add(&config, parts, true);
        Ok(())
    }

    fn add(&mut self, config: &Value, parts: Vec<[f64; 2]>, is_estimate: bool) {
        let factors: Vec<_> =
            AXES.iter().map(|&(_, setting)| (setting, value_of(config, setting))).collect();
        let seed = value_of(config, "seed");
        let kind = if is_estimate { "replications" } else { "games" };
        let sample = Sample { stream: format!("{kind} {seed}"), parts };
        self.cells.push(Cell { factors, sample, is_estimate });
    }

    /// Returns the factors that differ between the conditions, each with its values in the order of
    /// the conditions.
    #[must_use]
    pub fn factors(&self) -> Vec<(&'static str, Vec<String>)> {
        let values = |place: usize| {
            let mut values: Vec<String> = Vec::new();
            for cell in &self.cells {
                if !values.contains(&cell.factors[place].1) {
                    values.push(cell.factors[place].1.clone());
                }
            }
            values
        };
        let factors = AXES.iter().enumerate().map(|(place, axis)| (axis.1, values(place)));
        factors.filter(|(_, values)| values.len() > 1).collect()
    }

    /// Returns the mean of each condition, with its interval.
    #[must_use]
    pub fn means(&self) -> Vec<CellMean> {
        let varying = self.factors();
        let names: Vec<&str> = varying.iter().map(|factor| factor.0).collect();
        let mean = |cell: &Cell| CellMean {
            condition: cell.values(&names).join(" "),
            method: if cell.is_estimate { "estimate" } else { "play" },
            observations: cell.sample.parts.len(),
            mean: cell.sample.mean(),
            interval: Contrast::of(&[(1.0, &cell.sample)], LEVEL).map(|mean| mean.interval),
        };
        self.cells.iter().map(mean).collect()
    }

    /// Computes the contrasts named by `terms`. A term with one factor (`search`) gives the mean at
    /// each of its values divided by the mean at its first value, which is that of the first
    /// condition. A term with several factors (`search:board`) gives ratios of such ratios. Each is
    /// computed for every combination of the factors that are not in the term. Without terms, all
    /// pairs of conditions are compared.
    ///
    /// # Errors
    /// [`Error::Config`] with fewer than two conditions, if a condition is missing, or if two
    /// conditions differ in no factor. [`Error::Unknown`] for a factor that does not differ between
    /// the conditions.
    pub fn rows(&self, terms: &[String]) -> Result<Vec<ContrastRow>> {
        if self.cells.len() < 2 {
            let text = "there is one condition: a contrast needs two or more".to_owned();
            return Err(Error::Config(text));
        }
        let varying = self.factors();
        let by_values = self.by_values(&varying)?;
        let mut rows = Vec::new();
        for term in terms {
            self.add_rows(term, &varying, &by_values, &mut rows)?;
        }
        if terms.is_empty() {
            let names: Vec<&str> = varying.iter().map(|factor| factor.0).collect();
            for (place, first) in self.cells.iter().enumerate() {
                for second in &self.cells[place + 1..] {
                    let [one, other] = [first, second].map(|cell| cell.values(&names).join(" "));
                    rows.push(ContrastRow {
                        contrast: "condition".to_owned(),
                        levels: format!("{one} / {other}"),
                        within: String::new(),
                        found: Contrast::of(&[(1.0, &first.sample), (-1.0, &second.sample)], LEVEL),
                        p_adjusted: None,
                    });
                }
            }
        }
        let known = rows.iter_mut().filter(|row| row.found.is_some());
        let known: Vec<&mut ContrastRow> = known.collect();
        let p: Vec<f64> = known.iter().filter_map(|row| Some(row.found?.p)).collect();
        for (row, p) in known.into_iter().zip(holm(&p)) {
            row.p_adjusted = Some(p);
        }
        Ok(rows)
    }

    /// Returns the conditions by their values of the factors `varying`.
    fn by_values(
        &self,
        varying: &[(&'static str, Vec<String>)],
    ) -> Result<BTreeMap<Vec<String>, &Cell>> {
        let names: Vec<&str> = varying.iter().map(|factor| factor.0).collect();
        let mut found = BTreeMap::new();
        for cell in &self.cells {
            let values = cell.values(&names);
            if found.insert(values.clone(), cell).is_some() {
                return Err(Error::Config(format!(
                    "two conditions have the same factors{}: leave one out",
                    values.iter().map(|value| format!(" {value}")).collect::<String>()
                )));
            }
        }
        Ok(found)
    }

    /// Adds the rows of the contrast `term`.
    fn add_rows(
        &self,
        term: &str,
        varying: &[(&'static str, Vec<String>)],
        by_values: &BTreeMap<Vec<String>, &Cell>,
        rows: &mut Vec<ContrastRow>,
    ) -> Result<()> {
        let mut places = Vec::new();
        for name in term.split(':').map(str::trim) {
            let place = varying.iter().position(|factor| factor.0 == name);
            let place = place.ok_or_else(|| {
                Error::unknown("factor", name, varying.iter().map(|factor| factor.0))
            })?;
            if places.contains(&place) {
                let term = quoted(term);
                return Err(Error::Config(format!("{term} names {name} twice: name it once")));
            }
            places.push(place);
        }
        let others: Vec<usize> = (0..varying.len()).filter(|one| !places.contains(one)).collect();
        let levels = |place: &usize| &varying[*place].1[..];
        for within in products(&others.iter().map(levels).collect::<Vec<_>>()) {
            let compared: Vec<&[String]> = places.iter().map(|at| &varying[*at].1[1..]).collect();
            for compared in products(&compared) {
                // Each factor has its compared value to the power 1 and its first value to -1.
                let mut found = Vec::new();
                for choice in 0..1_u32 << places.len() {
                    let mut values = vec![String::new(); varying.len()];
                    for (&place, &value) in others.iter().zip(&within) {
                        values[place].clone_from(value);
                    }
                    for (bit, (&place, &value)) in places.iter().zip(&compared).enumerate() {
                        let is_first = choice >> bit & 1 == 1;
                        values[place].clone_from(if is_first {
                            &varying[place].1[0]
                        } else {
                            value
                        });
                    }
                    let cell = by_values.get(&values).ok_or_else(|| {
                        let missing = values.join(", ");
                        Error::Config(format!(
                            "contrast {term} needs the condition {missing}, which is missing: add \
                             it, or contrast other factors"
                        ))
                    })?;
                    let power = if choice.count_ones() % 2 == 0 { 1.0 } else { -1.0 };
                    found.push((power, &cell.sample));
                }
                let pair = |(&place, &value): (&usize, &&String)| {
                    format!("{value} / {}", varying[place].1[0])
                };
                let pairs: Vec<String> = places.iter().zip(&compared).map(pair).collect();
                let fixed =
                    |(&place, &value): (&usize, &&String)| format!("{} {value}", varying[place].0);
                let fixed: Vec<String> = others.iter().zip(&within).map(fixed).collect();
                rows.push(ContrastRow {
                    contrast: term.to_owned(),
                    levels: pairs.join(", "),
                    within: fixed.join(", "),
                    found: Contrast::of(&found, LEVEL),
                    p_adjusted: None,
                });
            }
        }
        Ok(())
    }
}

impl Cell {
    /// Returns the values of the factors `names`, in their order.
    fn values(&self, names: &[&str]) -> Vec<String> {
        let value = |name: &&str| {
            let found = self.factors.iter().find(|(factor, _)| factor == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        names.iter().map(value).collect()
    }
}

/// Returns all combinations of one element of each list; the last list varies fastest.
fn products<'a>(lists: &[&'a [String]]) -> Vec<Vec<&'a String>> {
    lists.iter().fold(vec![Vec::new()], |begun, list| {
        let longer = |row: &Vec<&'a String>| {
            let row = row.clone();
            list.iter().map(move |value| row.iter().copied().chain([value]).collect())
        };
        begun.iter().flat_map(longer).collect()
    })
}

/// Returns the value of `setting` in a recorded configuration. Some settings are not recorded if
/// they have their default value; then the text is `default`.
fn value_of(config: &Value, setting: &str) -> String {
    match &config[setting] {
        Value::Null => "default".to_owned(),
        Value::String(text) => text.clone(),
        value => value["name"].as_str().map_or_else(|| value.to_string(), str::to_owned),
    }
}
