//! Items that many modules of this crate import, so that a module's own list names only what is
//! special to it. They come from other crates and from modules below those that import them.

pub(crate) use std::path::Path;

pub(crate) use ratatui::crossterm::event::KeyCode;
pub(crate) use ratatui::layout::{Rect, Size};
pub(crate) use ratatui::text::Line;

pub(crate) use crate::board_view::{CellFace, Cells, Theme};
pub(crate) use crate::error::{Error, Result};
pub(crate) use crate::piece::Piece;
pub(crate) use crate::rules::guideline::{Hold, Landing};
pub(crate) use crate::search::RankedPlacement;
