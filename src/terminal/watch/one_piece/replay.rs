//! One-piece games: boards built again placement by placement.

use std::path::Path;

use super::{OnePieceExplainer, OnePieceScene};
use crate::board::{Board, BoardSize};
use crate::error::Result;
use crate::placement::{Candidate, Placements};
use crate::record::{LoggedPlacement, ReplaySetup, read_placements, read_setup, recorded_seed};
use crate::rules::{Outcome, Rules};
use crate::search::Search;
use crate::sim::RunConfig;
use crate::terminal::watch::game::Rebuild;
use crate::terminal::watch::step::WatchedStep;
use crate::terminal::watch::timeline::Recorded;

/// A game up to some row of its log.
#[derive(Clone)]
pub struct RebuiltGame {
    rules: Rules,
    placements: Placements,
    board: Board,
    lines_total: u64,
    lost: bool,
    list: Vec<Candidate>,
}

/// A game of a run's log. Its controller need not be one that this program has.
pub(super) fn recorded(folder: &Path, game: u64) -> Result<Recorded<RunConfig>> {
    let ReplaySetup { rules, size, start, search, controller, words } = read_setup(folder)?;
    let rows = read_placements(folder, game)?;
    let [name, queue, seed] = words;
    let seed = recorded_seed(&seed).map_or(seed, |seed| seed.to_string());
    let explainer = controller
        .and_then(|controller| OnePieceExplainer::new(&controller, rules, search, size))
        .ok();
    let rebuilt = RebuiltGame {
        rules,
        placements: Placements::new(size.width()),
        board: start,
        lines_total: 0,
        lost: false,
        list: Vec::new(),
    };
    let title = title([&name, &queue, &seed], rules, size, search, game);
    Ok(Recorded { title, explainer, rows, rebuilt })
}

/// What is played, in one line; the words are the names of controller and queue, and the seed.
pub(super) fn title(
    [name, queue, seed]: [&str; 3],
    rules: Rules,
    size: BoardSize,
    search: Search,
    game: u64,
) -> String {
    format!("{name} · {rules} {size} · {queue} · {search} · seed {seed} · game {game}")
}

impl RebuiltGame {
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
    type Scene = OnePieceScene;
    type Row = LoggedPlacement;

    fn piece_no(row: &LoggedPlacement) -> u64 {
        row.piece_no
    }

    fn rebuild(
        &mut self,
        row: &LoggedPlacement,
    ) -> std::result::Result<WatchedStep<OnePieceScene>, String> {
        let outcome = self.outcome(row)?;
        self.check(row, &outcome)?;
        let scene = OnePieceScene { board: self.board, next: row.next, outcome };
        self.board = outcome.after;
        self.lost = outcome.lost;
        self.lines_total += u64::from(outcome.played.lines);
        Ok(WatchedStep { piece_no: row.piece_no, lines_total: self.lines_total, scene })
    }

    fn ending(&self) -> String {
        let text =
            if self.lost { "game over: it rests above the top row" } else { "the log ends here" };
        text.to_owned()
    }
}
