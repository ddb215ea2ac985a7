//! Colours; none under `NO_COLOR` (<https://no-color.org>), where letters tell pieces apart.

use ratatui::style::{Color, Modifier, Style};

use crate::piece::Piece;

/// Which colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// The guideline's colours of pieces, of the 256 that terminals have.
    Colours,
    /// None: bold and letters instead.
    Plain,
}

impl Theme {
    /// What the environment asks for.
    #[must_use]
    pub fn detect() -> Theme {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if unwanted { Theme::Plain } else { Theme::Colours }
    }

    /// A piece's colour.
    #[must_use]
    pub fn piece(self, piece: Piece) -> Style {
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

    /// Something won or rare: gold.
    #[must_use]
    pub fn gold(self) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        self.coloured(Color::Indexed(220), bold).add_modifier(Modifier::BOLD)
    }

    /// Something that cannot be used now, or is lost: red.
    #[must_use]
    pub fn red(self) -> Style {
        self.coloured(Color::Indexed(196), Style::new().add_modifier(Modifier::DIM))
    }

    /// Something that was gained: green.
    #[must_use]
    pub fn green(self) -> Style {
        self.coloured(Color::Indexed(46), Style::new())
    }

    /// What is there without being looked at.
    #[must_use]
    pub fn faint(self) -> Style {
        self.coloured(Color::Indexed(240), Style::new().add_modifier(Modifier::DIM))
    }

    /// What a line of choices is set on.
    #[must_use]
    pub fn chosen(self) -> Style {
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
