//! Conditions (settings) of a study whose means multilevel splitting estimates.

use std::sync::atomic::Ordering;

use anyhow::Context;
use serde_json::{Value, json};

use crate::cli::commands::estimate;
use crate::cli::options::runs::AnyRuns;
use crate::cli::options::settings::{options, with_setting_keys};
use crate::cli::options::study_file::{Method, StudyFile};
use crate::cli::prelude::*;
use crate::engine::Comparable;
use crate::record::{
    CellMean, EstimatedMean, EstimatedRow, MeanRow, Progress, write_estimates, write_means,
};
use crate::sim::{Game, Unrecorded, play_to_end};
use crate::study::{Condition, Contrasts, Study};
use crate::text::numbers::number;

/// Number of trial games that decide if a condition (setting) is played or estimated.
const AUTO_GAMES: u64 = 10;

#[derive(Default)]
pub(crate) struct Estimates {
    settings: Vec<ParsedArgs<estimate::Args>>,
    rows: Vec<EstimatedRow>,
}

impl Estimates {
    /// Returns true for each condition (setting) of a study whose mean is to be estimated. With the
    /// method `auto`, trial games decide.
    pub(crate) fn choose(file: &StudyFile) -> anyhow::Result<Vec<bool>> {
        if file.methods.iter().all(|method| matches!(method, Method::Play)) {
            return Ok(vec![false; file.methods.len()]);
        }
        let AnyRuns::Classic(games) = &file.runs else {
            bail!(
                "method estimates classic games only: leave it out, and use `tetrastat estimate` \
                 for endless guideline games"
            )
        };
        let pairs = (1..).zip(file.methods.iter().zip(games));
        let is_estimated = |(number, (method, games)): (u64, (&Method, &ClassicConfig))| {
            Ok(match method {
                Method::Play => false,
                Method::Estimate(_) => true,
                Method::Auto(_) => {
                    is_too_long(games).with_context(|| format!("condition {number}"))?
                }
            })
        };
        pairs.map(is_estimated).collect()
    }

    pub(crate) fn new<G: Comparable>(
        conditions: &[Condition<G>],
        methods: &[Method],
    ) -> anyhow::Result<Estimates> {
        let mut estimates = Estimates::default();
        for Condition { number, folder, game } in conditions {
            let method = usize::try_from(number - 1).ok().and_then(|index| methods.get(index));
            let Some(Method::Estimate(settings) | Method::Auto(settings)) = method else {
                continue;
            };
            let given = settings.parsed::<estimate::Args>();
            let given = given.and_then(|given| {
                given.options.validate(&given.settings)?;
                Ok(given)
            });
            let in_keys = |error| {
                anyhow!(with_setting_keys(&options::<estimate::Args>(), &format!("{error:#}")))
            };
            let given = given.map_err(in_keys).with_context(|| format!("condition {number}"))?;
            let config = json!(game.recorded_config());
            let text = |pointer: &str| {
                config.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            estimates.settings.push(given);
            estimates.rows.push(EstimatedRow {
                condition: *number,
                folder: folder.clone(),
                status: Progress::Pending,
                controller: text("/controller/name"),
                rules: text("/rules"),
                board: text("/board"),
                queue: text("/queue"),
                search: text("/search"),
                seed: text("/seed"),
                results: None,
            });
        }
        Ok(estimates)
    }

    pub(crate) fn rows(&self) -> &[EstimatedRow] {
        &self.rows
    }

    pub(crate) fn complete(&self) -> usize {
        self.rows.iter().filter(|row| row.status == Progress::Complete).count()
    }

    /// Reads the progress of all estimates of a study, and writes the progress to `estimates.csv`.
    pub(crate) fn open(&mut self, folder: &RunFolder) -> anyhow::Result<()> {
        for (given, row) in self.settings.iter().zip(&mut self.rows) {
            let path = folder.path().join(&row.folder);
            let (status, report) = given
                .options
                .progress_in(&given.settings, &path)
                .with_context(|| row.folder.clone())?;
            row.status = status;
            row.results = report.as_ref().map(EstimatedMean::from_summary);
        }
        self.write(folder)
    }

    fn write(&self, folder: &RunFolder) -> anyhow::Result<()> {
        if !self.rows.is_empty() {
            write_estimates(folder, &self.rows)?;
        }
        Ok(())
    }

    /// Runs the study's incomplete estimates, or only that of one condition (setting), and rewrites
    /// `estimates.csv` after each.
    pub(crate) fn run(
        &mut self,
        console: &Console,
        folder: &RunFolder,
        only: Option<u64>,
        stop: &AtomicBool,
    ) -> anyhow::Result<()> {
        let all = self.rows.len();
        for index in 0..all {
            let row = &self.rows[index];
            let is_wanted = only.is_none_or(|number| number == row.condition);
            if row.status == Progress::Complete || !is_wanted {
                continue;
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let (given, path) = (&self.settings[index], folder.path().join(&row.folder));
            let label = format!("{}/{all} estimates: {}", index + 1, row.folder);
            let report = given
                .options
                .estimate_in(console, &given.settings, (label, &path), stop)
                .with_context(|| row.folder.clone())?;
            let row = &mut self.rows[index];
            (row.status, row.results) = match report {
                Some(report) => (Progress::Complete, Some(EstimatedMean::from_summary(&report))),
                None => (Progress::Unfinished, None),
            };
            self.write(folder)?;
        }
        Ok(())
    }

    /// Writes a study's `means.csv` and `contrasts.csv`, from all complete runs and estimates.
    pub(crate) fn write_means<G: Comparable>(&self, study: &Study<G>) -> anyhow::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let folder = study.folder().path();
        let played = study.conditions().iter().zip(study.rows());
        let played = played.map(|(one, row)| (one.number, &one.folder, row.status, Some(one)));
        let estimated = self.rows.iter();
        let estimated = estimated.map(|row| (row.condition, &row.folder, row.status, None));
        let mut complete: Vec<_> = played.chain(estimated).collect();
        complete.retain(|&(_, _, status, _)| status == Progress::Complete);
        complete.sort_by_key(|&(number, ..)| number);
        let mut contrasts = Contrasts::default();
        for (_, name, _, condition) in &complete {
            match condition {
                Some(condition) => {
                    let measure = condition.game.measure_named(condition.game.about().measure)?;
                    contrasts.add_games(std::slice::from_ref(*condition), folder, &measure)?;
                }
                None => contrasts.add_estimate(&folder.join(name))?,
            }
        }
        let row = |((number, name, ..), mut found): ((u64, &String, _, _), CellMean)| {
            if found.condition.is_empty() {
                found.condition.clone_from(name);
            }
            MeanRow { condition: number, folder: name.clone(), found }
        };
        let means: Vec<MeanRow> = complete.into_iter().zip(contrasts.means()).map(row).collect();
        // A single condition, conditions with equal settings, and games with equal pieces have no
        // contrasts.
        let rows = contrasts.rows(&[], None).unwrap_or_default();
        Ok(write_means(study.folder(), &means, &rows)?)
    }

    pub(crate) fn add_rows(&self, report: &mut Report) {
        if !self.rows.is_empty() {
            report.data("estimates", &self.rows);
        }
    }

    pub(crate) fn report(&self, report: &mut Report) {
        if self.rows.is_empty() {
            return;
        }
        let status = |row: &EstimatedRow| row.results.is_none().then(|| row.status.to_string());
        report.table(
            TableOf::new("", &self.rows)
                .with("estimated condition", |row| &row.folder)
                .with("status", status)
                .mean(|row| row.results.as_ref().map(|found| &found.mean), |_, mean| number(mean)),
        );
        report.text("mean lines of a game that is played to its end, by `tetrastat estimate`");
    }
}

/// Plays ten trial games, and returns true if a limit ends one of these games.
fn is_too_long(config: &ClassicConfig) -> anyhow::Result<bool> {
    if !config.queue.is_random() {
        return Ok(false);
    }
    ensure!(
        config.limits.pieces.is_some(),
        "method = \"auto\" estimates conditions whose games reach max_pieces: give max_pieces a \
         number"
    );
    let mut player = config.player()?;
    let mut is_cut_off = |game: u64| -> Result<bool, Error> {
        let first = config.begin(config.seed, game);
        let row = play_to_end(config, &mut player, first, &mut Unrecorded)?;
        Ok(row.end_reason.is_censored())
    };
    // The trial games are not those of the condition. Otherwise a condition whose first games
    // happen to be short would be played, and its mean would be too low.
    let after = config.games;
    for game in after..after.saturating_add(AUTO_GAMES) {
        if is_cut_off(game)? {
            return Ok(true);
        }
    }
    Ok(false)
}
