//! Writes the values of all placements, which the best player compares.

use std::path::Path;

use rayon::prelude::*;

use super::ExactWatch;
use super::optimal::{Optimum, least_gain};
use crate::error::setting::{BOARD, QUEUE};
use crate::error::{Error, Result};
use crate::record::{
    ActionRow, BlockFile, EncoderPool, LogFormat, RowSlice, action_fields, columns, rows_of,
};
use crate::rules::Outcome;

/// Number of boards whose rows are computed before they are written. With a bag, a board can have
/// thousands of rows.
const BLOCK: usize = 128;

impl Optimum {
    /// Writes the table `actions` to the file `to` and returns the number of rows: every
    /// placement of every piece on every reachable board with its exact value. The rows are sorted
    /// by board (as text), piece, state of the queue, orientation and column.
    ///
    /// # Errors
    /// [`Error::Config`] if a player exists that never loses, [`Error::Io`] if the file can't be
    /// written.
    pub fn write_actions(&self, to: (&Path, LogFormat), watch: &ExactWatch) -> Result<u64> {
        if self.solution.is_none() {
            return Err(Error::Config(format!(
                "a player exists that never loses, so placements have no finite values: give \
                 another {BOARD} or {QUEUE}"
            )));
        }
        let fields = action_fields();
        let encoders = EncoderPool::new(rayon::current_num_threads())?;
        let mut file = BlockFile::create(to.0, to.1, &columns(&fields), &encoders, 0)?;
        let least_gain = least_gain(&self.values);
        let boards = self.space.sorted_boards();
        let rows = |&board: &u32| rows_of(&fields, &self.actions(board, least_gain));
        for (block, numbers) in boards.chunks(BLOCK).enumerate() {
            watch.update(block * BLOCK, boards.len());
            for part in numbers.par_iter().map(rows).collect::<Vec<_>>() {
                // All rows count as one game, because nothing resumes this table.
                file.push(0, RowSlice::new(part))?;
            }
        }
        file.end_games(1);
        let (summary, problem) = file.finish()?;
        problem.map_or(Ok(summary.rows), Err)
    }

    /// Returns the rows of the board with number `board`. Values that differ by at most
    /// `least_gain` count as equal.
    fn actions(&self, board: u32, least_gain: f64) -> Vec<ActionRow> {
        let (mut rows, before) = (Vec::new(), self.space.board(board));
        for (piece, outcomes) in self.space.outcomes(board) {
            for queue_state in self.space.contexts_after(board, piece) {
                let value = |outcome: &Outcome| {
                    self.goal.value(self.space.edge(outcome, queue_state), &self.values)
                };
                let best = outcomes.iter().map(value).fold(0.0, f64::max);
                rows.extend(outcomes.iter().map(|&outcome| {
                    let value = value(&outcome);
                    let regret = if value < best - least_gain { best - value } else { 0.0 };
                    ActionRow { before, piece, queue_state, outcome, value, regret }
                }));
            }
        }
        rows
    }
}
