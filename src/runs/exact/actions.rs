//! Writes the values of all placements, which the best player compares.

use std::path::Path;

use rayon::prelude::*;

use super::ExactWatch;
use super::linear::largest;
use super::optimal::{GAIN, Optimum};
use crate::error::setting::{BOARD, QUEUE};
use crate::error::{Error, Result};
use crate::record::{
    ActionRow, BlockFile, EncoderPool, FileSummary, LogFormat, RowSlice, Rows, action_fields,
    columns, rows_of,
};

/// Number of boards whose rows are computed before they are written. With a bag, a board can have
/// thousands of rows.
const BLOCK: usize = 128;
/// Number of boards that a thread processes at a time.
const SHARE: usize = 16;

impl Optimum {
    /// Writes the table `actions` to the file `path`: every placement of every piece on every
    /// reachable board with its exact value. The rows are sorted by board (as text), piece, state
    /// of the queue, orientation and column. `threads` threads encode the rows.
    ///
    /// # Errors
    /// [`Error::Config`] if a player exists that never loses, [`Error::Io`] if the file can't be
    /// written.
    pub fn write_actions(
        &self,
        (path, format): (&Path, LogFormat),
        threads: usize,
        watch: &ExactWatch,
    ) -> Result<FileSummary> {
        if self.solution.is_none() {
            let text = format!(
                "a player exists that never loses, so placements have no finite values: give \
                 another {BOARD} or {QUEUE}"
            );
            return Err(Error::Config(text));
        }
        let fields = action_fields();
        let encoders = EncoderPool::new(threads)?;
        let mut file = BlockFile::create(path, format, &columns(&fields), &encoders, 0)?;
        let least_gain = GAIN * largest(&self.values).max(1.0);
        let boards = self.space.sorted_boards();
        let rows = |boards: &[u32]| {
            let rows = boards.iter().flat_map(|&board| self.actions(board, least_gain));
            rows_of(&fields, &rows.collect::<Vec<_>>())
        };
        for (block, numbers) in boards.chunks(BLOCK).enumerate() {
            watch.update(block * BLOCK, boards.len());
            let parts: Vec<Rows> = numbers.par_chunks(SHARE).map(rows).collect();
            for part in parts {
                // All rows count as one game, because nothing resumes this table.
                file.push(0, RowSlice::new(part))?;
            }
        }
        file.end_games(1);
        let (summary, problem) = file.finish()?;
        problem.map_or(Ok(summary), Err)
    }

    /// Returns the rows of the board with number `board`. Values that differ by at most
    /// `least_gain` count as equal.
    fn actions(&self, board: u32, least_gain: f64) -> Vec<ActionRow> {
        let mut rows = Vec::new();
        for (piece, outcomes) in self.space.outcomes(board) {
            for queue_state in self.space.contexts_after(board, piece) {
                let first = rows.len();
                rows.extend(outcomes.iter().map(|outcome| {
                    let edge = self.space.edge(outcome, queue_state);
                    ActionRow {
                        board: self.space.board(board),
                        piece,
                        queue_state,
                        placement: outcome.played.candidate.placement,
                        lines: outcome.played.lines,
                        lost: outcome.lost,
                        value: self.goal.value(edge, &self.values),
                        best: false,
                        regret: 0.0,
                    }
                }));
                let actions = &mut rows[first..];
                let best = actions.iter().map(|action| action.value).fold(0.0, f64::max);
                for action in actions {
                    action.best = action.value >= best - least_gain;
                    action.regret = if action.best { 0.0 } else { best - action.value };
                }
            }
        }
        rows
    }
}
