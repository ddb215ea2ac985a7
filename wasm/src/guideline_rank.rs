//! `{"guideline_rank": {"controller", "rules", "search", "beam_width", "beam_depth", "board",
//! "piece", "next", "hold", "combo", "back_to_back", "sprint_lines", "movement"}}` returns every
//! landing of the piece, and of the piece that the player gets by using the hold, best first.
//!
//! | key | meaning | default |
//! |---|---|---|
//! | `controller` | controller of guideline games, written as for other requests | see below |
//! | `next` | letters of the visible pieces after `piece` | none |
//! | `hold` | held piece | none |
//! | `combo` | number of consecutive placements up to now that removed rows | 0 |
//! | `back_to_back` | true if the last clear was a tetris or a T-spin | false |
//! | `sprint_lines` | number of rows that win the game | none: a Blitz |
//! | `movement` | `hard-drop`, or `full` (soft drops, tucks and spins) | see below |
//! | `beam_width` | width of the beam for `"search": "beam"`, 1 to 1,024 | 32 |
//! | `beam_depth` | depth of the beam for `"search": "beam"`, 1 to 17 | one per visible piece |
//!
//! The default controller is `tetrastat-sprint` in a Sprint. In a Blitz it is `tetrastat-blitz` for
//! a beam and `tetrastat-blitz-greedy` for greedy search. The default movement is `hard-drop` in a
//! Sprint, otherwise `full`.
//!
//! The answer has `controller` and `placements`. Each placement has
//!
//! - `piece`, `used_hold`, `orientation`, `column`, `landing_row`, `t_spin`, `lines`, `loses`,
//!   `score`, `own_score` and `terms`, as in `tetrastat show board --rules guideline --format
//!   json`;
//! - `cells`: column and row of each cell;
//! - `cleared_rows`: numbers of the removed rows before their removal;
//! - `unanswered`, which is null in guideline games;
//! - `after`: the matrix after the placement in hexadecimal;
//! - `points` and `attack` of the placement;
//! - `hold`, `combo` and `back_to_back` after the placement;
//! - `products`: weight x value of each term.

use serde::Deserialize;
use tetrastat::board::{Board, BoardSize};
use tetrastat::controller::GuidelineController;
use tetrastat::error::{Error, Result};
use tetrastat::features::guideline::PICTURED_ROWS;
use tetrastat::kernels::Level;
use tetrastat::matrix::{Matrix, WIDTH};
use tetrastat::rules::guideline::{
    ComboState, Guideline, GuidelineState, Hold, MAX_PREVIEWS, MoveGenerator, Moves, RuleSet,
};
use tetrastat::search::RankedPlacement;
use tetrastat::search::guideline::{
    Beam, BeamPlayer, QueueView, RankedLanding, SCALE, Terms, Weights,
};

use crate::asked::{AnyController, is_picture, pieces, word};
use crate::{rank, text};

/// Maximum beam width. A search of this width takes about a second, during which the page waits.
const MAX_BEAM_WIDTH: usize = 1024;
/// Maximum beam depth in pieces, as for the option `--beam-depth`.
const MAX_BEAM_DEPTH: usize = 17;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    controller: Option<AnyController>,
    rules: Option<String>,
    search: Option<String>,
    beam_width: Option<usize>,
    beam_depth: Option<usize>,
    board: Option<String>,
    piece: String,
    #[serde(default)]
    next: String,
    hold: Option<String>,
    #[serde(default)]
    combo: u8,
    #[serde(default)]
    back_to_back: bool,
    sprint_lines: Option<u32>,
    movement: Option<String>,
}

impl Request {
    pub(crate) fn answer(&self) -> Result<String> {
        let state = self.state()?;
        let mut known = vec![self.piece.parse()?];
        known.extend(pieces(&self.next)?);
        let controller = self.controller()?;
        let mut player = self.player(&controller, known.len() - 1)?;
        let mut ranked = player.rank(&state, QueueView::visible(&known));
        RankedLanding::sort_best_first(&mut ranked);
        let terms = Terms::new(&controller, self.sprint_lines);
        let ranked = ranked.iter().map(|entry| RankedPlacement::from_guideline(&terms, entry));
        let names =
            &rank::TermNames { kind: "terms", names: controller.term_names(), scale: SCALE };
        let placements = ranked.map(|entry| rank::Placement::new(names, entry)).collect();
        text(&rank::Answer { controller: &controller.name, board: None, placements })
    }

    fn state(&self) -> Result<GuidelineState> {
        let matrix = match self.board.as_deref() {
            None => Matrix::EMPTY,
            Some(text) if is_picture(text) => text.parse()?,
            Some(text) => Matrix::from_board(&Board::from_hex(BoardSize::new(WIDTH, 28)?, text)?)?,
        };
        if matrix.stack_height() > PICTURED_ROWS {
            return Err(Error::Config(format!(
                "the matrix has cells above {PICTURED_ROWS} rows: remove them"
            )));
        }
        let hold = self.hold.as_deref().map(str::parse).transpose()?;
        Ok(GuidelineState {
            matrix,
            hold: hold.map_or(Hold::Empty, Hold::Piece),
            combo_state: ComboState { chain: self.back_to_back.into(), combo: self.combo },
            ..GuidelineState::default()
        })
    }

    fn is_beam(&self) -> Result<bool> {
        match self.search.as_deref() {
            None | Some("greedy") => Ok(false),
            Some("beam") => Ok(true),
            Some(name) => Err(Error::unknown("search", name, ["greedy", "beam"])),
        }
    }

    fn controller(&self) -> Result<GuidelineController> {
        let default = match (self.sprint_lines, self.is_beam()?) {
            (Some(_), _) => "tetrastat-sprint",
            (None, true) => "tetrastat-blitz",
            (None, false) => "tetrastat-blitz-greedy",
        };
        AnyController::guideline(self.controller.as_ref(), default)
    }

    fn beam(&self, previews: usize) -> Result<Beam> {
        let given = [self.beam_width, self.beam_depth];
        match (self.is_beam()?, given) {
            (true, [width, depth]) => Ok(Beam::new(
                within("beam_width", width.unwrap_or(32), MAX_BEAM_WIDTH)?,
                within("beam_depth", depth.unwrap_or(previews + 1), MAX_BEAM_DEPTH)?,
            )),
            (false, [None, None]) => Ok(Beam::GREEDY),
            (false, _) => Err(Error::Config(
                "beam_width and beam_depth are of a beam: give search beam".to_owned(),
            )),
        }
    }

    fn player(&self, controller: &GuidelineController, previews: usize) -> Result<BeamPlayer> {
        if previews > MAX_PREVIEWS {
            return Err(Error::Config(format!(
                "next: at most {MAX_PREVIEWS} pieces are seen: leave out those after them"
            )));
        }
        let rules: RuleSet = word(self.rules.as_deref(), "guideline")?;
        let rules = Guideline { previews: previews as u8, ..*rules };
        let default = if self.sprint_lines.is_some() { "hard-drop" } else { "full" };
        let moves: Moves = word(self.movement.as_deref(), default)?;
        let movegen = MoveGenerator::new(rules, moves, Level::detect());
        Ok(BeamPlayer::new(
            movegen,
            Weights::new(controller),
            self.beam(previews)?,
            self.sprint_lines,
        ))
    }
}

fn within(name: &str, value: usize, most: usize) -> Result<usize> {
    if (1..=most).contains(&value) {
        return Ok(value);
    }
    Err(Error::Config(format!("{name} {value}: give a whole number from 1 to {most}")))
}
