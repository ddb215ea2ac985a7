//! Renders screens as text, for tests.

use ratatui::Frame;
use ratatui::layout::Size;

use crate::screen::draw_to_text;

/// Returns the screen that `render` draws, as lines without trailing spaces or empty last lines.
pub(crate) fn picture_of(size: Size, render: impl FnOnce(&mut Frame)) -> String {
    draw_to_text(size, render).unwrap().trim_end_matches('\n').to_owned() + "\n"
}

/// Compares a screen's text with the file `docs/screens/NAME.txt`. `UPDATE_SCREENS=1 cargo test -p
/// tetrastat-terminal screens` rewrites the files.
pub(crate) fn same_as_file(name: &str, picture: &str) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/screens");
    let path = format!("{folder}/{name}.txt");
    if std::env::var_os("UPDATE_SCREENS").is_some() {
        std::fs::create_dir_all(folder).unwrap();
        std::fs::write(&path, picture).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(picture, known, "{path}\nis\n{picture}\nnot\n{known}");
}
