//! Describes runs of classic games in `datapackage.json`.

use std::path::Path;

use serde_json::{Value, json};

use super::config::garbage_label;
use super::{ClassicConfig, ClassicGames, ClassicManifest, GameSums, GameTotals};
use crate::engine::Described;
use crate::error::Result;
use crate::record::{Selection, Status};
use crate::stats::Summary;

impl Described for ClassicGames {
    type Entry = ClassicConfig;
    type Totals = GameTotals;
    type Summary = Summary;

    fn describe(manifest: &ClassicManifest) -> [String; 3] {
        [name(manifest), title(manifest), description(manifest)]
    }

    fn check_entry(config: &ClassicConfig) -> Result<()> {
        config.validate()
    }

    fn merged(config: &ClassicConfig, folder: &Path, _: Vec<Summary>) -> Result<Option<Summary>> {
        let games = GameSums::read(&folder.join("games.csv"))?;
        Ok(games.summary(config.queue.is_random(), config.seed))
    }

    fn sources(config: &ClassicConfig) -> Vec<Value> {
        sources(config)
    }
}

fn name(manifest: &ClassicManifest) -> String {
    let config = &manifest.config;
    let ClassicConfig { rules, size, queue, search, policy, seed, .. } = config;
    let (program, controller) = (&manifest.program, &config.controller.name);
    let mut name = format!("{program}-{controller}-{rules}-{size}-{queue}-{search}-0x{seed:016x}");
    name += &garbage_label(config.garbage);
    name += &policy.label("-");
    if let Some(shard) = &config.shard {
        name += &format!("-shard-{shard}");
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    name.to_lowercase().replace(|c: char| !plain(c), "-")
}

fn title(manifest: &ClassicManifest) -> String {
    let config = &manifest.config;
    let ClassicConfig { rules, size, search, policy, .. } = config;
    let (controller, queue) = (&config.controller.name, config.queue.describe());
    let games = manifest.totals.games;
    let mut title = format!(
        "{games} falling-block games of {controller}: {rules} {size}, queue {queue}, search \
         {search}"
    );
    if config.garbage > 0 {
        title += &format!(", {} garbage rows", config.garbage);
    }
    title + &policy.label(", policy ")
}

fn description(manifest: &ClassicManifest) -> String {
    let config = &manifest.config;
    let mut text = format!(
        "Games played by the controller {} in {} {}. `run.json` has the whole configuration.\n\n\
         A game whose `censored` is TRUE was cut off: its `lines` are a lower bound.",
        config.controller.name, manifest.program, manifest.version
    );
    if config.log.as_ref().is_some_and(|log| log.selection != Selection::default()) {
        text += " Not every placement is logged: `config.log` in `run.json` says which are.";
    }
    if manifest.status != Status::Complete {
        text += " The run is incomplete: games are missing or censored.";
    }
    text
}

/// Returns the `sources` of `datapackage.json`: the source of the controller's weights, if it is
/// known.
pub(super) fn sources(config: &ClassicConfig) -> Vec<Value> {
    let controller = &config.controller;
    let title = format!("controller {}: {}", controller.name, controller.source);
    let known = !controller.source.is_empty();
    known.then(|| json!({ "title": title })).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> ClassicManifest {
        let config = json!({
            "game": "classic", "controller": {
                "name": "My Own", "source": "a paper", "measured": "after-clear", "tie": "first",
                "weights": { "holes": -4.0 }, "patterns": null, "external": null,
            },
            "rules": "simplified", "reach": null, "clear_on_overflow": false, "board": "4x8",
            "start": null, "garbage": 0, "policy": "best", "queue": "script (cycle) IO",
            "search": "greedy", "games": 8,
            "shard": "1/4", "max_pieces": 9, "max_lines": null, "seed": "0x0000000000000007",
            "log": null,
        });
        let run = json!({
            "program": "tetrastat", "version": "0.1.0", "commit": "unknown", "status": "complete",
            "command": [], "config": config, "threads": 1, "simd": "scalar", "cpu": "x",
            "started": "2026-01-02T03:04:05Z", "finished": "2026-01-02T03:04:06Z",
            "elapsed_s": 1.0, "resumed": false, "games": 2, "pieces": 18, "lines": 1, "files": [],
        });
        serde_json::from_value(run).unwrap()
    }

    #[test]
    fn the_package_says_what_was_played() {
        let package = manifest().package();
        let name = "tetrastat-my-own-simplified-4x8-script-greedy-0x0000000000000007-shard-1-4";
        assert_eq!(package["name"], name);
        assert_eq!(
            package["title"],
            "2 falling-block games of My Own: simplified 4x8, queue script (cycle) IO, search \
             greedy"
        );
        assert_eq!(package["created"], "2026-01-02T03:04:06Z");
        assert_eq!(package["licenses"][0]["name"], "CC0-1.0");
        let sources = json!([
            { "title": "tetrastat", "version": "0.1.0" }, { "title": "controller My Own: a paper" }
        ]);
        assert_eq!(package["sources"], sources);
        let unfinished = ClassicManifest { status: Status::Interrupted, ..manifest() };
        assert!(!description(&manifest()).contains("missing"));
        assert!(description(&unfinished).contains("games are missing or censored"));
    }
}
