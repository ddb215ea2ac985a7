//! Runs `tetrastat simulate --rules guideline|capstone`: Sprint, Blitz and endless games.

use std::path::Path;

use crate::cli::commands::simulate::note_if_equal_games;
use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::console::playing::{Run, kept};
use crate::cli::console::progress::{ProgressStatus, of_count};
use crate::cli::reports::guideline::{Summary, report_json, report_text};
use crate::engine::{Game, Totals};
use crate::sim::guideline::{GuidelineConfig, GuidelineRun, read_guideline_run};

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
        console: &Console,
        run: &GuidelineRun,
        folder: &Path,
        format: Format,
    ) -> anyhow::Result<()> {
        let summary = Summary::of(self, &run.count);
        let text = || report_text(self, run, &summary, folder);
        format.print(console, text, report_json(run, &summary, folder))
    }

    fn report_again(&self, console: &Console, folder: &Path, format: Format) -> anyhow::Result<()> {
        self.report(console, &read_guideline_run(folder)?, folder, format)
    }

    fn kept(&self, run: &GuidelineRun) -> String {
        kept(run.count.len() as u64, "game")
    }

    fn remark(&self, console: &Console) {
        note_if_equal_games(console, &self.queue, self.games);
    }
}
