//! A game from the log of a run: its boards built again by the rules, and held against what was logged.

use std::path::{Path, PathBuf};

use super::explain::ClassicExplainer;
use super::film::{Explain, Film, Source};
use super::step::{ClassicScene, Scene, Step};
use crate::board::Board;
use crate::error::{Error, Result};
use crate::placement::{Candidate, Placements};
use crate::record::{LoggedPlacement, Setup, read_placements, read_setup, recorded_seed};
use crate::rules::{Outcome, Rules};

/// The placements of a log, in turn.
#[derive(Clone)]
struct Replay {
    folder: PathBuf,
    game: u64,
    rules: Rules,
    placements: Placements,
    board: Board,
    lines_total: u64,
    rows: std::vec::IntoIter<LoggedPlacement>,
    lost: bool,
    list: Vec<Candidate>,
}

/// A game of a run's log as a film; with candidates where its controller is known.
///
/// # Errors
/// As [`read_setup`] and [`read_placements`]; [`Error::Config`] when a row contradicts the rules.
pub fn replay(folder: &Path, game: u64, kept: usize) -> Result<Film> {
    let Setup { rules, size, start, search, controller, words } = read_setup(folder)?;
    let rows = read_placements(folder, game)?;
    let [name, queue, seed] = words;
    let seed = recorded_seed(&seed).map_or(seed, |seed| seed.to_string());
    let played = format!("{name} · {rules} {size} · {queue} · {search}");
    let title = format!("replay · {played} · seed {seed} · game {game}");
    let explainer = controller
        .and_then(|controller| ClassicExplainer::new(&controller, rules, search, size))
        .ok()
        .map(|explainer| Box::new(explainer) as Box<dyn Explain>);
    let source = Replay {
        folder: folder.to_owned(),
        game,
        rules,
        placements: Placements::new(size.width()),
        board: start,
        lines_total: 0,
        rows: rows.into_iter(),
        lost: false,
        list: Vec::new(),
    };
    // What does not fit is said at once, not when it comes to be shown.
    let mut check = source.clone();
    while check.advance()?.is_some() {}
    Ok(Film::new(title, Box::new(source), explainer, kept))
}

/// The error of a row that the rules contradict.
pub(super) fn contradicted(folder: &Path, game: u64, piece_no: u64, problem: &str) -> Error {
    Error::Config(format!(
        "{}: game {game}, placement {piece_no}: {problem}: the log or run.json was changed; restore them from a copy",
        folder.display()
    ))
}

impl Replay {
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

impl Source for Replay {
    fn advance(&mut self) -> Result<Option<Step>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        let wrong = |problem: String, source: &Replay| {
            contradicted(&source.folder, source.game, row.piece_no, &problem)
        };
        let outcome = self.outcome(&row).map_err(|problem| wrong(problem, self))?;
        self.check(&row, &outcome).map_err(|problem| wrong(problem, self))?;
        let scene = ClassicScene { board: self.board, next: row.next, outcome };
        self.board = outcome.after;
        self.lost = outcome.lost;
        self.lines_total += u64::from(outcome.played.lines);
        Ok(Some(Step {
            piece_no: row.piece_no,
            lines_total: self.lines_total,
            scene: Scene::Classic(Box::new(scene)),
        }))
    }

    fn ending(&self) -> String {
        let text =
            if self.lost { "game over: it rests above the top row" } else { "the log ends here" };
        text.to_owned()
    }
}
