//! `{"presets": {}}` returns the built-in controllers, and the features and terms they can weight.
//!
//! The answer has two lists of controllers, `classic` and `guideline`. A controller has `name`,
//! `title`, `source`, `published`, `note`, `measured` and `weights` by name. A classic controller
//! also has `tie` and `board_width`, the only width that it supports, or null.
//!
//! The answer also has `features` and `terms`, the lists of everything that can have a weight. Each
//! entry has `name`, `definition` and `source`. An entry of `features` in which `indexed` is true
//! stands for one feature of each board column. The names of these features end with the column's
//! number, such as `height_0`.

use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use tetrastat::controller::{Controller, GuidelineController, PRESETS};
use tetrastat::error::Result;
use tetrastat::features::guideline::{self, Term};
use tetrastat::features::{self, FeatureFunction};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {}

impl Request {
    pub(crate) fn answer(&self) -> Result<Json> {
        let classic = PRESETS.iter().map(|preset| preset.controller().map(|c| classic(&c)));
        let guideline = GuidelineController::names()
            .map(|name| GuidelineController::load(name).map(|c| of_guideline(&c)));
        Ok(json!({
            "classic": classic.collect::<Result<Vec<Json>>>()?,
            "guideline": guideline.collect::<Result<Vec<Json>>>()?,
            "features": features::REGISTRY.iter().map(feature).collect::<Vec<_>>(),
            "terms": guideline::TERMS.iter().map(term).collect::<Vec<_>>(),
        }))
    }
}

fn classic(entry: &Controller) -> Json {
    let Controller { name, title, source, published, note, measured, tie, board_width, .. } = entry;
    let weights = entry.named_weights().map(|(name, weight)| (name, weight.into()));
    json!({
        "name": name, "title": title, "source": source, "published": published, "note": note,
        "measured": measured, "tie": tie, "board_width": board_width,
        "weights": weights.collect::<Map<String, Json>>(),
    })
}

fn of_guideline(controller: &GuidelineController) -> Json {
    let GuidelineController { name, title, source, published, note, measured, weights, network } =
        controller;
    let weight = |(term, weight): &(Term, f64)| (term.to_string(), (*weight).into());
    json!({
        "name": name, "title": title, "source": source, "published": published, "note": note,
        "measured": measured, "network": network.is_some(),
        "weights": weights.iter().map(weight).collect::<Map<String, Json>>(),
    })
}

fn feature(entry: &features::FeatureDefinition) -> Json {
    json!({
        "name": entry.name, "definition": entry.definition, "source": entry.source,
        "indexed": matches!(entry.measure, FeatureFunction::Indexed(_)),
    })
}

fn term(entry: &guideline::TermDefinition) -> Json {
    json!({ "name": entry.name, "definition": entry.definition, "source": entry.source })
}
