//! Selects colours, or none under `NO_COLOR` (<https://no-color.org>), and draws a board as a
//! widget, with cells two characters wide so that they look square.
//!
//! | cell | in colours | plain |
//! |---|---|---|
//! | empty | ` .` | ` .` |
//! | filled by a known piece | `[]` on its colour | its letter twice |
//! | filled, piece unknown | `[]` | `[]` |
//! | landing cell of the falling piece | `::` in its colour | `::` |
//! | piece that cannot be used now | `[]` in red | `[]`, dim |
//! | outside the board | two spaces | two spaces |

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Block, Widget};

use crate::prelude::*;

/// The appearance of a board cell on a screen or picture: empty, filled or marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CellFace {
    /// Empty cell.
    #[default]
    Empty,
    /// Filled cell that belongs to the given piece.
    Piece(Piece),
    /// Filled cell whose piece is unknown.
    Settled,
    /// Empty cell in which the given falling piece would land.
    Ghost(Piece),
    /// Cell of the piece in the hold while the hold cannot be used.
    Locked,
    /// Cell outside the board, drawn as blank space.
    Outside,
}

impl CellFace {
    /// Converts a board cell, filled or empty, to its appearance without a piece's colour.
    #[must_use]
    pub fn settled(is_filled: bool) -> CellFace {
        if is_filled { CellFace::Settled } else { CellFace::Empty }
    }

    pub(crate) fn piece(self) -> Option<Piece> {
        if let CellFace::Piece(piece) = self { Some(piece) } else { None }
    }
}

/// The cells of a board as a screen or picture shows them, row 0 at the floor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    width: usize,
    height: usize,
    cells: Vec<CellFace>,
}

impl Cells {
    pub(crate) fn new(width: usize, height: usize) -> Cells {
        Cells { width, height, cells: vec![CellFace::Empty; width * height] }
    }

    pub(crate) fn from_fn(
        (width, height): (usize, usize),
        face: impl Fn(usize, usize) -> CellFace,
    ) -> Cells {
        let cells = (0..width * height).map(|index| face(index % width, index / width)).collect();
        Cells { width, height, cells }
    }

    pub(crate) fn set_piece(&mut self, places: [(usize, usize); 4], face: CellFace) {
        places.into_iter().for_each(|(column, row)| self.set(column, row, face));
    }

    pub(crate) fn set(&mut self, column: usize, row: usize, cell: CellFace) {
        if column < self.width && row < self.height {
            self.cells[row * self.width + column] = cell;
        }
    }

    pub(crate) fn get(&self, column: usize, row: usize) -> CellFace {
        let inside = column < self.width && row < self.height;
        if inside { self.cells[row * self.width + column] } else { CellFace::Empty }
    }

    pub(crate) fn remove_full_rows(&mut self) {
        let rows = self.cells.chunks_exact(self.width.max(1));
        let kept = rows.filter(|row| row.contains(&CellFace::Empty));
        let mut cells: Vec<CellFace> = kept.flatten().copied().collect();
        cells.resize(self.cells.len(), CellFace::Empty);
        self.cells = cells;
    }
}

/// A screen widget that draws a board, with a frame if the board has a title.
#[derive(Clone, Debug)]
pub(crate) struct BoardView<'a> {
    cells: &'a Cells,
    theme: Theme,
    title: Option<Line<'a>>,
    frame: Style,
    dots: bool,
}

impl<'a> BoardView<'a> {
    pub(crate) fn new(cells: &'a Cells, theme: Theme) -> BoardView<'a> {
        BoardView { cells, theme, title: None, frame: Style::new(), dots: true }
    }

    pub(crate) fn framed(self, title: impl Into<Line<'a>>) -> BoardView<'a> {
        BoardView { title: Some(title.into()), ..self }
    }

    pub(crate) fn frame_style(self, frame: Style) -> BoardView<'a> {
        BoardView { frame, ..self }
    }

    pub(crate) fn without_dots(self) -> BoardView<'a> {
        BoardView { dots: false, ..self }
    }

    pub(crate) fn size(&self) -> Size {
        let frame = if self.title.is_some() { 2 } else { 0 };
        Size::new(2 * self.cells.width as u16 + frame, self.cells.height as u16 + frame)
    }

    fn symbol(&self, cell: CellFace) -> (&'static str, Style) {
        let theme = self.theme;
        match (cell, theme) {
            (CellFace::Empty, _) => (if self.dots { " ." } else { "  " }, theme.faint()),
            (CellFace::Piece(piece), Theme::Colours) => {
                let colour = theme.piece(piece).fg.unwrap_or(Color::Reset);
                ("[]", Style::new().bg(colour).fg(Color::Indexed(232)))
            }
            (CellFace::Piece(piece), Theme::Plain) => (doubled(piece), Style::new()),
            (CellFace::Settled, _) => ("[]", Style::new()),
            (CellFace::Ghost(piece), _) => ("::", theme.piece(piece)),
            (CellFace::Locked, _) => ("[]", theme.red()),
            (CellFace::Outside, _) => ("  ", Style::new()),
        }
    }
}

fn doubled(piece: Piece) -> &'static str {
    ["II", "OO", "TT", "SS", "ZZ", "JJ", "LL"][piece.index()]
}

impl Widget for BoardView<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let mut inside = area.intersection(buffer.area);
        if let Some(title) = self.title.clone() {
            let block = Block::bordered().border_style(self.frame).title(title);
            let size = self.size();
            let area = Rect { width: size.width, height: size.height, ..area };
            let area = area.intersection(buffer.area);
            inside = block.inner(area);
            block.render(area, buffer);
        }
        for line in 0..self.cells.height.min(inside.height.into()) {
            for column in 0..self.cells.width.min(usize::from(inside.width) / 2) {
                let row = self.cells.height - 1 - line;
                let (text, style) = self.symbol(self.cells.get(column, row));
                let (x, y) = (inside.x + 2 * column as u16, inside.y + line as u16);
                buffer.set_string(x, y, text, style);
            }
        }
    }
}

/// The style in which screens on the terminal are drawn: with colours or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Colours of the Tetris guideline for the pieces, from the 256 colours of terminals.
    Colours,
    /// No colours; bold text and the pieces' letters instead.
    Plain,
}

impl Theme {
    /// Returns the colours for this terminal: none ([`Theme::Plain`]) if the environment variable
    /// `NO_COLOR` is set and not empty.
    #[must_use]
    pub fn detect() -> Theme {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if unwanted { Theme::Plain } else { Theme::Colours }
    }

    pub(crate) fn piece(self, piece: Piece) -> Style {
        let colour = match piece {
            Piece::I => 51,
            Piece::O => 226,
            Piece::T => 165,
            Piece::S => 46,
            Piece::Z => 196,
            Piece::J => 33,
            Piece::L => 208,
        };
        self.coloured(Color::Indexed(colour), Style::new())
    }

    pub(crate) fn gold(self) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        self.coloured(Color::Indexed(220), bold).add_modifier(Modifier::BOLD)
    }

    pub(crate) fn red(self) -> Style {
        self.coloured(Color::Indexed(196), Style::new().add_modifier(Modifier::DIM))
    }

    pub(crate) fn green(self) -> Style {
        self.coloured(Color::Indexed(46), Style::new())
    }

    pub(crate) fn faint(self) -> Style {
        self.coloured(Color::Indexed(240), Style::new().add_modifier(Modifier::DIM))
    }

    pub(crate) fn chosen(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    fn coloured(self, colour: Color, plain: Style) -> Style {
        match self {
            Theme::Colours => Style::new().fg(colour),
            Theme::Plain => plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::screen::draw_to_buffer;
    use crate::screen_text::picture_of;

    fn cells() -> Cells {
        let t = CellFace::Piece(Piece::T);
        let ghost = CellFace::Ghost(Piece::I);
        let filled = [
            (0, 0, CellFace::Settled),
            (1, 0, t),
            (2, 0, t),
            (3, 0, t),
            (0, 1, CellFace::Locked),
            (2, 1, t),
            (2, 2, ghost),
            (3, 2, CellFace::Settled),
        ];
        let mut cells = Cells::new(4, 3);
        for (column, row, cell) in filled {
            cells.set(column, row, cell);
        }
        cells
    }

    #[test]
    fn a_board_by_hand() {
        let size = Size::new(12, 5);
        let draw = |theme| {
            let cells = cells();
            picture_of(size, |frame| {
                frame.render_widget(BoardView::new(&cells, theme).framed("B"), frame.area());
            })
        };
        let plain = "\
┌B───────┐
│ . .::[]│
│[] .TT .│
│[]TTTTTT│
└────────┘
";
        assert_eq!(draw(Theme::Plain), plain);
        assert_eq!(draw(Theme::Colours), plain.replace("TT", "[]"));
    }

    #[test]
    fn colours_are_the_pieces_own() {
        let cells = cells();
        let view = BoardView::new(&cells, Theme::Colours);
        assert_eq!(view.size(), Size::new(8, 3));
        let buffer =
            draw_to_buffer(view.size(), |frame| frame.render_widget(view, frame.area())).unwrap();
        let colour = Theme::Colours.piece(Piece::T).fg.unwrap();
        assert_eq!(buffer[(2, 2)].bg, colour);
        assert_eq!(buffer[(4, 0)].fg, Theme::Colours.piece(Piece::I).fg.unwrap());
        assert_eq!(buffer[(0, 2)].bg, Color::Reset);
    }

    #[test]
    fn every_size_of_board_and_area_can_be_drawn() {
        for (width, height) in [(4, 4), (16, 28)] {
            let cells = Cells::new(width, height);
            for size in [(1, 1), (3, 2), (40, 40)] {
                let size = Size::new(size.0, size.1);
                picture_of(size, |frame| {
                    let view = BoardView::new(&cells, Theme::Plain).framed("title");
                    frame.render_widget(view, frame.area());
                });
            }
        }
    }

    #[test]
    fn pieces_differ_by_colour_and_plain_has_none() {
        let mut colours =
            Piece::ALL.map(|piece| format!("{:?}", Theme::Colours.piece(piece).fg)).to_vec();
        colours.sort();
        colours.dedup();
        assert_eq!(colours.len(), 7);
        for piece in Piece::ALL {
            assert_eq!(Theme::Plain.piece(piece), Style::new());
        }
        for style in [Theme::Plain.gold(), Theme::Plain.red(), Theme::Plain.faint()] {
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
