//! Summary of a run: the means that `run.json` stores and every report reads.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Mean, Spread};

/// Means over the games of a run, of any game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Means by the name of the value, for example `lines` or `points`.
    #[serde(flatten)]
    pub means: BTreeMap<String, Mean>,
    /// Spreads of the observed values, by the name of the value.
    pub spread: BTreeMap<String, Spread>,
    /// Medians by the name of the value.
    pub median: BTreeMap<String, Mean>,
    /// Means of the number of clears per game, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clears: BTreeMap<String, Mean>,
    /// Means of the points per game, by their source.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub points_by: BTreeMap<String, Mean>,
}

impl Summary {
    /// Adds the value `name` with its mean, median and spread.
    pub fn add(&mut self, name: &str, estimate: super::Estimate) {
        self.means.insert(name.to_owned(), estimate.mean);
        self.median.insert(name.to_owned(), estimate.median);
        self.spread.extend(estimate.spread.map(|spread| (name.to_owned(), spread)));
    }
}
