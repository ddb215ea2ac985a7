//! Runs `tetrastat simulate --rules guideline|capstone`: Sprint, Blitz and endless games.

use std::path::Path;

use crate::cli::commands::simulate::note_if_equal_games;
use crate::cli::console::Console;
use crate::cli::console::playing::{Run, kept};
use crate::cli::console::progress::{ProgressStatus, of_count};
use crate::cli::reports::run::of_guideline;
use crate::engine::{Game, Manifest, Totals};
use crate::record::GuidelineGameRow;
use crate::report::Report;
use crate::sim::guideline::{GuidelineConfig, GuidelineRun};

impl Run for GuidelineConfig {
    type Game = GuidelineConfig;

    fn game(&self) -> &GuidelineConfig {
        self
    }

    fn name(&self) -> String {
        format!("{}-{}", self.controller.name, self.mode.name())
    }

    fn status(&self, totals: &Totals) -> ProgressStatus {
        let range = self.work_items();
        of_count("games", range.end - range.start, &totals.played)
    }

    fn report(
        &self,
        run: &Manifest<GuidelineConfig>,
        _: Option<&Vec<GuidelineGameRow>>,
        folder: &Path,
    ) -> Report {
        of_guideline(self, run, folder)
    }

    fn kept(&self, run: &GuidelineRun) -> String {
        kept(run.count.len() as u64, "game")
    }

    fn remark(&self, console: &Console) {
        note_if_equal_games(console, &self.queue, self.games);
    }
}
