//! Games for people to look at and pass around: pictures of placements, stretches of games in motion, and fumen.
//!
//! | file | what it holds |
//! |---|---|
//! | [`still`] | what a picture shows: a board, a placement on it and another held against it, and what is said of them |
//! | [`svg`] | a picture as SVG: light and dark, colours that colour-blind people tell apart, words for screen readers |
//! | [`stretch`] | placements of a timeline one after the other, each settled cell in the colour of its piece |
//! | [`animation`] | a stretch as one SVG that moves |
//! | [`cast`] | a stretch as `watch` shows it in a terminal, in the format of asciinema |
//! | [`fumen`] | boards as players pass them around: read, and a stretch written |

pub mod animation;
pub mod cast;
pub mod fumen;
pub mod still;
pub mod stretch;
pub mod svg;

/// Escapes what stands between tags or in quotes of XML; control characters, which XML has none of, become spaces.
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
