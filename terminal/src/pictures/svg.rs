//! Writes pictures and animations as SVG without scripts, fonts or network access. A style sheet
//! drives the animation, which shows its last placement to readers who ask for reduced motion.
//!
//! Pieces have letters, and the colours of Okabe & Ito (2008), which are distinguishable with any
//! colour vision.

use std::fmt::Write;

use super::{BoardScene, PlacedPiece, Still, StretchStep};
use crate::prelude::*;

const CELL: usize = 20;
pub(super) const PADDING: usize = 10;
pub(super) const LINE: usize = 18;
/// Average width of a letter of a picture's text, in pixels.
const LETTER: usize = 8;

/// CSS rules of all SVG pictures. Rules for dark screens only replace colours of light screens.
const STYLE: &str = "\
text{font:14px system-ui,sans-serif;fill:#1b1f24}.b{font-weight:600}
.ground{fill:#fff}.well{fill:#f4f5f6;stroke:#8a9099;stroke-width:.1}.grid{stroke:#dcdfe3;\
stroke-width:.05}.settled{fill:#8a9099}
.I{fill:#56b4e9}.O{fill:#f0e442}.T{fill:#cc79a7}.S{fill:#009e73}.Z{fill:#d55e00}\
.J{fill:#0072b2}.L{fill:#e69f00}
.letter{font:600 .7px system-ui,sans-serif;text-anchor:middle;fill:#000}.on-J,.on-Z,.on-S{fill:#fff}
.other{fill:none;stroke:#1b1f24;stroke-width:.08;stroke-dasharray:.2 .12}
@media(prefers-color-scheme:dark){text{fill:#e6e9ec}.ground{fill:#16191d}.well{fill:#1e2227;\
stroke:#6b727b}
.grid{stroke:#2d333a}.settled{fill:#8d949d}.other{stroke:#e6e9ec}}";

/// Returns the SVG of a still picture of one placement.
#[must_use]
pub fn still(still: &Still) -> String {
    let Still { title, scene, notes } = still;
    let (board_width, board_height) = board_size(scene);
    let room =
        if notes.is_empty() { 0 } else { PADDING + text_width(notes.iter().map(String::as_str)) };
    let width = 2 * PADDING + (board_width + room).max(text_width([title.as_str()]));
    let top = PADDING + LINE + PADDING;
    let height = top + board_height.max(notes.len() * (LINE + 4)) + PADDING;
    let mut svg = opening((width, height), title, &notes.join("; "), "");
    svg.push_str(&text_at("b", (PADDING, PADDING + LINE - 4), title));
    svg.push_str(&board((PADDING, top), scene));
    for (line, note) in notes.iter().enumerate() {
        let at = (PADDING + board_width + PADDING, top + LINE + line * (LINE + 4));
        svg.push_str(&text_at("", at, note));
    }
    svg + "</svg>\n"
}

pub(super) fn text_width<'a>(lines: impl IntoIterator<Item = &'a str>) -> usize {
    lines.into_iter().map(|line| line.chars().count() * LETTER).max().unwrap_or(0)
}

pub(super) fn board_size(scene: &BoardScene) -> (usize, usize) {
    (scene.size.0 * CELL, scene.size.1 * CELL)
}

/// Returns the first lines of an SVG picture, sized in pixels. `style` has additional CSS rules.
pub(super) fn opening(
    (width, height): (usize, usize),
    title: &str,
    description: &str,
    style: &str,
) -> String {
    let (title, description) = (escaped(title), escaped(description));
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" \
         role=\"img\" aria-labelledby=\"title description\">\n<title id=\"title\">{title}</title>\n\
         <desc id=\"description\">{description}</desc>\n<style>{STYLE}{style}</style>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>\n"
    )
}

pub(super) fn text_at(class: &str, (x, y): (usize, usize), text: &str) -> String {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    format!("<text{class} x=\"{x}\" y=\"{y}\">{}</text>\n", escaped(text))
}

fn board(at: (usize, usize), scene: &BoardScene) -> String {
    on_board(at, &(frame(scene) + &cells(scene) + &letters(scene)))
}

/// Scales the SVG `drawn` from board cells to pixels, with the top left corner at (`x`, `y`).
pub(super) fn on_board((x, y): (usize, usize), drawn: &str) -> String {
    format!("<g transform=\"translate({x} {y}) scale({CELL})\">\n{drawn}</g>\n")
}

pub(super) fn frame(scene: &BoardScene) -> String {
    let (width, height) = scene.size;
    let mut lines = String::new();
    for column in 1..width {
        let _ = write!(lines, "M{column} 0v{height}");
    }
    for row in 1..height {
        let _ = write!(lines, "M0 {row}h{width}");
    }
    format!(
        "<rect class=\"well\" width=\"{width}\" height=\"{height}\"/>\n\
         <path class=\"grid\" d=\"{lines}\"/>\n"
    )
}

pub(super) fn cells(scene: &BoardScene) -> String {
    let mut drawn = path("settled", &squares(scene, |cell| cell == CellFace::Settled));
    for piece in Piece::ALL {
        let own = |cell| match cell {
            CellFace::Piece(other) | CellFace::Ghost(other) => other == piece,
            _ => false,
        };
        drawn += &path(piece.name(), &squares(scene, own));
    }
    let other: String = scene.other.iter().flatten().map(|&cell| square(scene, cell)).collect();
    drawn + &path("other", &other)
}

pub(super) fn letters(scene: &BoardScene) -> String {
    let Some(PlacedPiece { piece, cells }) = scene.placed else { return String::new() };
    let letter = |(column, row): (usize, usize)| {
        let (x, y) = (column as f64 + 0.5, (scene.size.1 - 1 - row) as f64 + 0.75);
        format!("<text class=\"letter on-{piece}\" x=\"{x}\" y=\"{y}\">{piece}</text>")
    };
    cells.map(letter).concat() + "\n"
}

fn path(class: &str, squares: &str) -> String {
    match squares {
        "" => String::new(),
        squares => format!("<path class=\"{class}\" d=\"{squares}\"/>\n"),
    }
}

fn squares(scene: &BoardScene, wanted: impl Fn(CellFace) -> bool) -> String {
    let (width, height) = scene.size;
    let all = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let wanted = all.filter(|&(column, row)| wanted(scene.cells.get(column, row)));
    wanted.map(|cell| square(scene, cell)).collect()
}

fn square(scene: &BoardScene, (column, row): (usize, usize)) -> String {
    format!("M{column}.05 {}.05h.9v.9h-.9z", scene.size.1 - 1 - row)
}

/// Extra seconds for which an animation shows its last placement before repeating.
const EXTRA_SECONDS: f64 = 1.5;

/// Returns an animated SVG of the placements `shots` at `speed` placements per second.
#[must_use]
pub fn animation(title: &str, shots: &[StretchStep], speed: f64) -> String {
    let scenes = scenes(shots);
    let Some(last) = scenes.last() else { return String::new() };
    let (board_width, board_height) = board_size(last);
    let seconds = shots.len() as f64 / speed + EXTRA_SECONDS;
    let captions = shots.iter().map(|shot| shot.caption.as_str());
    let width = 2 * PADDING + board_width.max(text_width(captions.chain([title])));
    let top = PADDING + 2 * (LINE + 4);
    let size = (width, top + board_height + PADDING);
    let mut svg =
        opening(size, title, &description(shots), &animation_rules(shots.len(), speed, seconds));
    svg += &text_at("b", (PADDING, PADDING + LINE - 4), title);
    svg += &on_board((PADDING, top), &frame(last));
    for (number, (shot, scene)) in shots.iter().zip(&scenes).enumerate() {
        let is_last = number + 1 == shots.len();
        let begin = number as f64 / speed;
        let class = if is_last { "f last" } else { "f" };
        let _ = writeln!(svg, "<g class=\"{class}\" style=\"animation-delay:{begin:.3}s\">");
        svg += &text_at("", (PADDING, PADDING + 2 * LINE), &shot.caption);
        svg += &on_board((PADDING, top), &(cells(scene) + &letters(scene)));
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

/// Returns the boards of an animation's placements, all with the same number of rows.
fn scenes(shots: &[StretchStep]) -> Vec<BoardScene> {
    let rows = shots.iter().map(|shot| shot.scene(0).size.1).max().unwrap_or(0);
    shots.iter().map(|shot| shot.scene(rows)).collect()
}

/// Returns CSS rules that show an animation's placements in turn, and the last one for longer.
fn animation_rules(shots: usize, speed: f64, seconds: f64) -> String {
    let share = 100.0 / speed / seconds;
    let rest = 100.0 - share * (shots - 1) as f64;
    format!(
        ".f{{visibility:hidden;animation:f {seconds:.3}s step-end infinite}}\
         .last{{animation-name:l}}\
         @keyframes f{{0%{{visibility:visible}}{share:.4}%{{visibility:hidden}}}}\
         @keyframes l{{0%{{visibility:visible}}{rest:.4}%{{visibility:hidden}}}}\
         @media(prefers-reduced-motion:reduce){{.f{{animation:none}}.last{{visibility:visible}}}}"
    )
}

fn description(shots: &[StretchStep]) -> String {
    let [Some(first), Some(last)] = [shots.first(), shots.last()] else { return String::new() };
    format!("From {} to {}", first.caption, last.caption)
}

/// Returns `text` escaped for XML. Control characters, which XML forbids, become spaces.
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
