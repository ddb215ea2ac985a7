//! Selects colours, or none under `NO_COLOR` (<https://no-color.org>), where letters distinguish
//! pieces.

use ratatui::style::{Color, Modifier, Style};

use crate::piece::Piece;

/// The set of colours in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Guideline colours of pieces, from the 256 colours of terminals.
    Colours,
    /// No colours; bold text and letters instead.
    Plain,
}

impl Theme {
    /// Returns [`Theme::Plain`] if the environment variable `NO_COLOR` is set and not empty,
    /// otherwise [`Theme::Colours`].
    #[must_use]
    pub fn detect() -> Theme {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if unwanted { Theme::Plain } else { Theme::Colours }
    }

    /// Returns the text style in the colour of `piece`.
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

    /// Returns the style for highlights such as rare events: bold and gold.
    #[must_use]
    pub fn gold(self) -> Style {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        self.coloured(Color::Indexed(220), bold).add_modifier(Modifier::BOLD)
    }

    /// Returns the style for losses and for pieces that cannot be used: red.
    #[must_use]
    pub fn red(self) -> Style {
        self.coloured(Color::Indexed(196), Style::new().add_modifier(Modifier::DIM))
    }

    /// Returns the style for gains: green.
    #[must_use]
    pub fn green(self) -> Style {
        self.coloured(Color::Indexed(46), Style::new())
    }

    /// Returns the style for background details: grey.
    #[must_use]
    pub fn faint(self) -> Style {
        self.coloured(Color::Indexed(240), Style::new().add_modifier(Modifier::DIM))
    }

    /// Returns the style for the chosen entry of a list: exchanged text and background colours.
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
