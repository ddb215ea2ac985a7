//! Draws games as pictures: placements, animated stretches, and fumen.
//!
//! | file | contents |
//! |---|---|
//! | [`still`] | model of a picture: a board, a placement, a compared placement, and notes |
//! | [`svg`] | pictures as SVG: light and dark, safe for colour-blind and screen-reader users |
//! | [`stretch`] | a stretch: consecutive placements, each cell in the colour of its piece |
//! | [`animation`] | a stretch as one animated SVG |
//! | [`cast`] | a stretch as `watch` shows it in a terminal, in asciinema's format |
//! | [`fumen`] | the text format of boards that players share: reading, and export of stretches |

pub mod animation;
pub mod cast;
pub mod fumen;
pub mod still;
pub mod stretch;
pub mod svg;

/// Escapes text for XML elements and attributes. Control characters, which XML forbids, become
/// spaces.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_cannot_leave_their_element() {
        let text = super::escaped("</text><script>\"a\" & 'b'\u{1b}");
        assert_eq!(text, "&lt;/text&gt;&lt;script&gt;&quot;a&quot; &amp; 'b' ");
    }
}
