//! A guideline game from the log of a run, built again by the rules and held against what was logged.

use std::path::{Path, PathBuf};

use super::explain_guideline::GuidelineExplainer;
use super::film::{Explain, Film, Source};
use super::replay::contradicted;
use super::step::{GuidelineScene, Scene, Step};
use crate::error::Result;
use crate::piece::Piece;
use crate::record::{LoggedLanding, read_landings};
use crate::rules::guideline::{Choice, Hold, Landing, Landings, Reach, Standing};
use crate::search::guideline::SCALE;
use crate::sim::guideline::{GuidelineConfig, read_guideline_config};

/// The placements of a log, in turn.
#[derive(Clone)]
struct Replay {
    folder: PathBuf,
    game: u64,
    config: GuidelineConfig,
    reach: Reach,
    state: Standing,
    score: u32,
    rows: std::vec::IntoIter<LoggedLanding>,
    lost: bool,
}

/// A game of a run's log as a film.
///
/// # Errors
/// As [`read_guideline_config`] and [`read_landings`], and when a row contradicts the rules.
pub fn replay_guideline(folder: &Path, game: u64, kept: usize) -> Result<Film> {
    let config = read_guideline_config(folder)?;
    let rows = read_landings(folder, game)?.into_iter();
    let title = format!("replay · {}", title(&config, game));
    // A person has no weights.
    let has_weights = !config.controller.weights.is_empty();
    let explainer =
        has_weights.then(|| Box::new(GuidelineExplainer::new(&config)) as Box<dyn Explain>);
    let source = Replay {
        folder: folder.to_owned(),
        game,
        reach: Reach::new(config.rules, config.moves, config.level),
        config,
        state: Standing::default(),
        score: 0,
        rows,
        lost: false,
    };
    // What does not fit is said at once, not when it comes to be shown.
    let mut check = source.clone();
    while check.advance()?.is_some() {}
    Ok(Film::new(title, Box::new(source), explainer, kept))
}

/// What is played, in one line.
#[must_use]
pub fn title(config: &GuidelineConfig, game: u64) -> String {
    let GuidelineConfig { controller, rules, mode, seed, .. } = config;
    let search = config.search();
    let played = format!("{} · {rules} {}", controller.name, mode.name());
    // A person does not search.
    let search = if config.beam.depth == 0 { String::new() } else { format!(" · {search}") };
    format!("{played}{search} · seed {seed} · game {game}")
}

/// The pieces that were known: the current one, and those seen after it.
fn known(row: &LoggedLanding) -> Vec<Piece> {
    let current = match (row.held, row.hold) {
        (false, _) => vec![row.piece],
        (true, [Some(_), after]) => after.into_iter().collect(),
        // An empty hold takes the current piece, and the next one is placed.
        (true, [None, after]) => after.into_iter().chain([row.piece]).collect(),
    };
    current.into_iter().chain(row.next.into_iter().flatten()).collect()
}

impl Replay {
    fn scene(&mut self, row: &LoggedLanding) -> std::result::Result<GuidelineScene, String> {
        if self.lost {
            return Err("the game was lost before".to_owned());
        }
        let known = known(row);
        let choice = self.choice(&known, row.held).filter(|choice| choice.piece == row.piece);
        let choice = choice.ok_or("the hold cannot have given this piece")?;
        let is = |hold: Hold| match hold {
            Hold::Piece(piece) => Some(piece),
            Hold::Empty | Hold::Unknown => None,
        };
        if [is(self.state.hold), is(choice.hold)] != row.hold {
            return Err("the hold is another by the rules".to_owned());
        }
        let landing = row.landing.filter(|&landing| self.is_reached(&choice, landing));
        let landing = landing.ok_or_else(|| format!("{} can't come to rest there", row.piece))?;
        let placed = self.state.place(&self.config.rules, &choice, landing);
        self.score += placed.points.total() + row.drop_points.clamp(0, 1000) as u32;
        let board = placed.after.matrix.to_board().to_hex();
        let numbers = [
            ("lines", row.lines.to_string(), placed.clear.lines.to_string()),
            ("score", row.score.to_string(), self.score.to_string()),
            ("board", row.board.clone(), board),
        ];
        for (name, logged, is) in numbers {
            if logged != is {
                return Err(format!("the log has {name} {logged}, by the rules it is {is}"));
            }
        }
        let value = row.value.map(|value| (value * SCALE).round() as i64);
        let (state, score) = (self.state, self.score);
        Ok(GuidelineScene { state, known, choice, landing, placed, value, score })
    }

    /// The piece that is placed with or without the hold. A person may swap a piece for its like, too,
    /// which no controller considers.
    fn choice(&self, known: &[Piece], held: bool) -> Option<Choice> {
        let current = *known.first()?;
        let hold = self.state.hold;
        match hold {
            _ if !held => Some(Choice { piece: current, held, hold, taken: 1 }),
            _ if !self.config.rules.hold => None,
            Hold::Piece(piece) => {
                Some(Choice { piece, held, hold: Hold::Piece(current), taken: 1 })
            }
            Hold::Empty => {
                Some(Choice { piece: *known.get(1)?, held, hold: Hold::Piece(current), taken: 2 })
            }
            Hold::Unknown => None,
        }
    }

    fn is_reached(&self, choice: &Choice, landing: Landing) -> bool {
        let mut list = Landings::default();
        self.reach.landings(&self.state.matrix, choice.piece, &mut list);
        list.iter().any(|found| found == landing)
    }
}

impl Source for Replay {
    fn advance(&mut self) -> Result<Option<Step>> {
        let Some(row) = self.rows.next() else { return Ok(None) };
        let scene = self
            .scene(&row)
            .map_err(|problem| contradicted(&self.folder, self.game, row.piece_no, &problem))?;
        self.state = Standing { taken: 0, ..scene.placed.after };
        self.lost = scene.placed.lost;
        Ok(Some(Step {
            piece_no: row.piece_no,
            lines_total: self.state.lines.into(),
            scene: Scene::Guideline(Box::new(scene)),
        }))
    }

    fn ending(&self) -> String {
        match () {
            () if self.lost => "game over: locked above the rows in view".to_owned(),
            () if self.config.mode.goal().is_some_and(|goal| self.state.lines >= goal) => {
                "the rows of the Sprint are removed".to_owned()
            }
            () => "the log ends here".to_owned(),
        }
    }
}
