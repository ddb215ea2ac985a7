//! Rebuilds the boards of classic games placement by placement.

use super::ClassicScene;
use crate::board::Board;
use crate::explain::{Rebuild, WatchedStep};
use crate::placement::{Candidate, Placements};
use crate::record::LoggedPlacement;
use crate::rules::{Outcome, Rules};
use crate::sim::ClassicConfig;

/// A classic game in progress that is rebuilt from the rows of its log.
#[derive(Clone)]
pub struct RebuiltGame {
    rules: Rules,
    placements: Placements,
    board: Board,
    lines_total: u64,
    lost: bool,
    list: Vec<Candidate>,
}

impl RebuiltGame {
    /// Creates game number `game` of the run with this `config`, before its first placement.
    #[must_use]
    pub fn new(config: &ClassicConfig, game: u64) -> RebuiltGame {
        RebuiltGame {
            rules: config.rules,
            placements: Placements::new(config.size.width()),
            board: config.start_board(game),
            lines_total: 0,
            lost: false,
            list: Vec::new(),
        }
    }

    fn outcome(&mut self, row: &LoggedPlacement) -> std::result::Result<Outcome, String> {
        if self.lost {
            return Err("the game was lost before".to_owned());
        }
        self.rules.candidates(&self.placements, &self.board, row.piece, &mut self.list);
        let found = self.list.iter().find(|candidate| candidate.placement == row.placement);
        let (orientation, column) = (row.placement.orientation, row.placement.column);
        let candidate = found.ok_or_else(|| {
            format!(
                "{} can't be placed with orientation {orientation} in column {column}",
                row.piece
            )
        })?;
        Ok(self.rules.play(&self.board, row.piece, *candidate))
    }

    fn check(&self, row: &LoggedPlacement, outcome: &Outcome) -> std::result::Result<(), String> {
        let total = self.lines_total + u64::from(outcome.played.lines);
        let numbers = [
            ("landing_row", row.landing_row, i64::from(outcome.played.candidate.row)),
            ("lines", row.lines, i64::from(outcome.played.lines)),
            ("lines_total", row.lines_total, total as i64),
            ("lost", row.lost, i64::from(outcome.lost)),
        ];
        for (name, logged, is) in numbers {
            if let Some(logged) = logged.filter(|&logged| logged != is) {
                return Err(format!("the log has {name} {logged}, by the rules it is {is}"));
            }
        }
        let board = outcome.after.to_hex();
        match row.board.as_ref().filter(|logged| **logged != board) {
            Some(logged) => Err(format!("the log has board {logged}, by the rules it is {board}")),
            None => Ok(()),
        }
    }
}

impl Rebuild for RebuiltGame {
    type Scene = ClassicScene;
    type Row = LoggedPlacement;

    fn piece_no(row: &LoggedPlacement) -> u64 {
        row.piece_no
    }

    fn rebuild(
        &mut self,
        row: &LoggedPlacement,
    ) -> std::result::Result<WatchedStep<ClassicScene>, String> {
        let outcome = self.outcome(row)?;
        self.check(row, &outcome)?;
        let scene = ClassicScene { board: self.board, next: row.next, outcome };
        self.board = outcome.after;
        self.lost = outcome.lost;
        self.lines_total += u64::from(outcome.played.lines);
        Ok(WatchedStep { piece_no: row.piece_no, lines_total: self.lines_total, scene })
    }

    fn after(&self, row: &LoggedPlacement) -> Option<RebuiltGame> {
        let board = Board::from_hex(self.board.size(), row.board.as_ref()?).ok()?;
        let lines_total = u64::try_from(row.lines_total?).ok()?;
        Some(RebuiltGame { board, lines_total, lost: row.lost == Some(1), ..self.clone() })
    }

    fn ending(&self) -> String {
        let text =
            if self.lost { "game over: it rests above the top row" } else { "the log ends here" };
        text.to_owned()
    }
}
