//! Models pictures of one placement or of a stretch, consecutive placements whose cells keep the
//! colours of their pieces, and records a stretch for asciinema.

pub mod fumen;
pub mod svg;

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use ratatui::backend::CrosstermBackend;
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;

use crate::board::ROWS;
use crate::explain::{Analysis, StepView, Watched, WatchedStep, decimal};
use crate::prelude::*;
use crate::screen::draw_if_fits;
use crate::watch::screen::{NEED, draw};
use crate::watch::{Timeline, WatchApp};

/// Board of a picture on which a placement may be marked, and a second placement outlined.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardScene {
    pub(crate) size: (usize, usize),
    pub(crate) cells: Cells,
    pub(crate) placed: Option<PlacedPiece>,
    pub(crate) other: Option<FourCells>,
}

/// Column and row of each of a piece's four cells.
type FourCells = [(usize, usize); 4];

/// A piece at rest on a pictured board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacedPiece {
    /// The kind of the pictured piece.
    pub piece: Piece,
    /// Column and row of each of the piece's cells, both from 0.
    pub cells: FourCells,
}

impl BoardScene {
    /// Creates the board of a picture, at least `height` rows high. `settled` returns the content
    /// of a cell without the placements.
    #[must_use]
    pub fn new(
        (width, height): (usize, usize),
        settled: impl Fn(usize, usize) -> CellFace,
        placed: Option<PlacedPiece>,
        other: Option<FourCells>,
    ) -> BoardScene {
        let marked =
            placed.iter().flat_map(|placed| placed.cells).chain(other.into_iter().flatten());
        let height = marked.map(|(_, row)| row + 1).chain([height]).max().unwrap_or(height);
        let mut cells = Cells::from_fn((width, height), settled);
        if let Some(PlacedPiece { piece, cells: at }) = placed {
            cells.set_piece(at, CellFace::Piece(piece));
        }
        BoardScene { size: (width, height), cells, placed, other }
    }
}

/// A still picture of a board with a title and notes.
#[derive(Clone, Debug, PartialEq)]
pub struct Still {
    /// Title of the picture, one line.
    pub title: String,
    /// Board of the picture, with its marked placements.
    pub scene: BoardScene,
    /// Lines of text below the picture's board.
    pub notes: Vec<String>,
}

impl Still {
    /// Creates the picture of a game's placement, with the alternative from `analysis` outlined.
    #[must_use]
    pub fn from_step(
        title: &str,
        step: &WatchedStep<StepView>,
        analysis: Option<&Analysis>,
    ) -> Still {
        let rated = |rank: Option<usize>| analysis?.candidates.get(rank?);
        let other = rated(analysis.and_then(|analysis| analysis.other));
        let mut notes = counters(step);
        if let Some(analysis) = analysis {
            notes.extend(rated(analysis.chosen).map(|chosen| rating("chosen", chosen)));
            notes.extend(other.map(|other| rating("dashed", other)));
            notes.push(analysis.verdict.to_string());
        }
        let view = &step.scene;
        let placed = PlacedPiece { piece: view.piece, cells: view.cells };
        let settled = |column, row| CellFace::settled(view.before.is_filled(column, row));
        let scene = BoardScene::new(view.size(), settled, Some(placed), other.map(|at| at.cells));
        Still { title: title.to_owned(), scene, notes }
    }

    /// Creates the picture of a board on which the two best of the ranked `candidates` are marked.
    #[must_use]
    pub fn from_ranking(
        title: String,
        size: (usize, usize),
        is_settled: impl Fn(usize, usize) -> bool,
        candidates: &[RankedPlacement],
    ) -> Still {
        let mut notes = Vec::new();
        let (best, second) = (candidates.first(), candidates.get(1));
        notes.extend(best.map(|best| rating("best", best)));
        notes.extend(second.map(|second| rating("dashed", second)));
        let score = |rated: Option<&RankedPlacement>| rated?.score;
        if let (Some(best), Some(second)) = (score(best), score(second)) {
            notes.push(format!("better by {}", decimal(best - second)));
        }
        let placed = best.map(|best| PlacedPiece { piece: best.piece, cells: best.cells });
        let settled = |column, row| CellFace::settled(is_settled(column, row));
        let scene = BoardScene::new(size, settled, placed, second.map(|second| second.cells));
        Still { title, scene, notes }
    }
}

pub(super) fn counters(step: &WatchedStep<StepView>) -> Vec<String> {
    let mut counters = format!("piece {}, lines {}", step.piece_no, step.lines_total);
    let view = &step.scene;
    if let Some(score) = view.score {
        counters += &format!(", score {score}");
    }
    let mut notes = vec![counters];
    let next: String = view.next.iter().map(|piece| format!(" {}", piece.name())).collect();
    let mut known = format!("{} falls", view.piece);
    if !next.is_empty() {
        known += &format!(", next{next}");
    }
    if let Some((Hold::Piece(piece), _)) = view.hold {
        known += &format!(", hold {}", piece.name());
    }
    notes.push(known);
    notes
}

fn rating(
    which: &str,
    placement @ RankedPlacement { lines, score, lost, .. }: &RankedPlacement,
) -> String {
    let score = match score {
        _ if *lost => "loses".to_owned(),
        Some(score) => format!("score {}", decimal(*score)),
        None => "no score".to_owned(),
    };
    let lines = if *lines > 0 { format!(", lines {lines}") } else { String::new() };
    format!("{which}: {}{lines}, {score}", placement.place())
}

/// Maximum number of consecutive placements in an animation.
pub const MAX_LENGTH: u64 = 1_000;
/// Default number of consecutive placements in an animation.
pub const DEFAULT_LENGTH: u64 = 50;

/// One of the consecutive placements of an animation.
#[derive(Clone, Debug, PartialEq)]
pub struct StretchStep {
    pub(crate) step: WatchedStep<StepView>,
    /// Cells of the board before the placement, with the colours of their pieces.
    pub(crate) before: Cells,
    /// Line of text with the game's counters, the falling piece, the next pieces and the hold.
    pub(crate) caption: String,
}

impl StretchStep {
    /// Returns the picture of the board with the placement on it, at least `rows` rows high.
    pub(crate) fn scene(&self, rows: usize) -> BoardScene {
        let placed = PlacedPiece { piece: self.step.scene.piece, cells: self.step.scene.cells };
        let settled = |column, row| self.before.get(column, row);
        let (width, height) = self.step.scene.size();
        BoardScene::new((width, height.max(rows)), settled, Some(placed), None)
    }
}

/// Returns `painted` if its filled cells match the watched board before the placement, otherwise
/// the board without colours.
fn or_settled(painted: Option<Cells>, view: &StepView) -> Cells {
    let size = (view.before.width(), ROWS);
    let settled =
        Cells::from_fn(size, |column, row| CellFace::settled(view.before.is_filled(column, row)));
    let shape = |painted: &Cells| {
        let is_filled = |column, row| painted.get(column, row) != CellFace::Empty;
        Cells::from_fn(size, |column, row| CellFace::settled(is_filled(column, row)))
    };
    painted.filter(|painted| shape(painted) == settled).unwrap_or(settled)
}

/// Returns the number of an animation's last placement: `asked`, or a default. Fails unless the
/// animation has 1 to [`MAX_LENGTH`] placements.
pub fn last_piece_no<G: Watched>(timeline: &mut Timeline<G>, asked: Option<u64>) -> Result<u64> {
    if timeline.step().is_none() {
        timeline.forward()?;
    }
    let first = timeline
        .step()
        .map(|step| step.piece_no)
        .ok_or_else(|| Error::Config("nothing was played: there is no picture of it".to_owned()))?;
    let last = asked.unwrap_or(first.saturating_add(DEFAULT_LENGTH - 1));
    if last < first || last - first >= MAX_LENGTH {
        return Err(Error::Config(format!(
            "placements {first} to {last}: give a last one (--to) from {first} to {}",
            first.saturating_add(MAX_LENGTH - 1)
        )));
    }
    Ok(last)
}

/// Plays a watched game from its current placement to placement `last`, for an animation.
pub fn stretch<G: Watched>(timeline: &mut Timeline<G>, last: u64) -> Result<Vec<StretchStep>> {
    let mut shots: Vec<StretchStep> = Vec::new();
    let mut painted = None;
    while let Some(step) = timeline.viewed().filter(|step| step.piece_no <= last) {
        let view = &step.scene;
        let before = or_settled(painted, view);
        let mut after = before.clone();
        after.set_piece(view.cells, CellFace::Piece(view.piece));
        if view.lines > 0 {
            after.remove_full_rows();
        }
        painted = Some(after);
        let caption = counters(&step).join(", ");
        shots.push(StretchStep { step, before, caption });
        if !timeline.forward()? {
            break;
        }
    }
    Ok(shots)
}

#[derive(Clone, Default)]
struct OutputBuffer(Rc<RefCell<Vec<u8>>>);

impl OutputBuffer {
    fn take(&self) -> String {
        String::from_utf8_lossy(&self.0.take()).into_owned()
    }
}

impl Write for OutputBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns an asciinema recording of a watched game, from the shown placement to placement `last`,
/// at `speed` placements per second.
pub fn cast<G: Watched>(
    mut app: WatchApp<G>,
    size: Size,
    theme: Theme,
    last: u64,
    speed: f64,
) -> Result<String> {
    let failed = |error| Error::Config(format!("drawing: {error}: try another size"));
    let written = OutputBuffer::default();
    let area = Rect { x: 0, y: 0, width: size.width, height: size.height };
    let options = TerminalOptions { viewport: Viewport::Fixed(area) };
    let mut terminal =
        Terminal::with_options(CrosstermBackend::new(written.clone()), options).map_err(failed)?;
    let header = json!({
        "version": 2, "width": size.width, "height": size.height, "title": app.timeline().title(),
    });
    let mut lines = vec![header.to_string()];
    let number = |app: &WatchApp<G>| app.timeline().step().map(|step| step.piece_no);
    loop {
        let seconds = (lines.len() - 1) as f64 / speed;
        terminal
            .draw(|frame| draw_if_fits(frame, NEED, |frame| draw(frame, &app, theme)))
            .map_err(failed)?;
        lines.push(json!([seconds, "o", written.take()]).to_string());
        let shown = number(&app);
        if app.timeline().ending().is_some() || shown.is_none_or(|number| number >= last) {
            break;
        }
        app.tick(app.clock().due())?;
    }
    Ok(lines.join("\n") + "\n")
}
