//! Writes consecutive placements of a game (a stretch) as one animated SVG. A style sheet in the
//! SVG drives the animation, so it also plays in README pages. Readers whose system asks for
//! reduced motion see the last placement.

use std::fmt::Write;

use super::still::BoardScene;
use super::stretch::StretchStep;
use super::svg::{
    EDGE, LINE, board_size, cells, frame, letters, on_board, opening, text_at, text_width,
};

/// Extra seconds for the last placement before the animation repeats.
const EXTRA_SECONDS: f64 = 1.5;

/// Renders the placements `shots` as an animated SVG at `speed` placements per second.
#[must_use]
pub fn animation(title: &str, shots: &[StretchStep], speed: f64) -> String {
    let scenes = scenes(shots);
    let Some(last) = scenes.last() else { return String::new() };
    let (board_width, board_height) = board_size(last);
    let seconds = shots.len() as f64 / speed + EXTRA_SECONDS;
    let captions = shots.iter().map(|shot| shot.caption.as_str());
    let width = 2 * EDGE + board_width.max(text_width(captions.chain([title])));
    let top = EDGE + 2 * (LINE + 4);
    let size = (width, top + board_height + EDGE);
    let mut svg = opening(size, title, &description(shots), &rules(shots.len(), speed, seconds));
    svg += &text_at("b", (EDGE, EDGE + LINE - 4), title);
    svg += &on_board((EDGE, top), &frame(last));
    for (number, (shot, scene)) in shots.iter().zip(&scenes).enumerate() {
        let is_last = number + 1 == shots.len();
        let begin = number as f64 / speed;
        let class = if is_last { "f last" } else { "f" };
        let _ = writeln!(svg, "<g class=\"{class}\" style=\"animation-delay:{begin:.3}s\">");
        svg += &text_at("", (EDGE, EDGE + 2 * LINE), &shot.caption);
        svg += &on_board((EDGE, top), &(cells(scene) + &letters(scene)));
        svg += "</g>\n";
    }
    svg + "</svg>\n"
}

/// Returns the board of each placement. All boards have the number of rows of the highest one.
fn scenes(shots: &[StretchStep]) -> Vec<BoardScene> {
    let rows = shots.iter().map(|shot| shot.scene(0).size.1).max().unwrap_or(0);
    shots.iter().map(|shot| shot.scene(rows)).collect()
}

/// Returns CSS rules that show each placement in turn, and the last one for longer.
fn rules(shots: usize, speed: f64, seconds: f64) -> String {
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
