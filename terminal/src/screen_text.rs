//! Renders screens as text, for tests.

use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::layout::Size;
use ratatui::{Frame, Terminal};

/// Returns the drawn cells of a terminal of this size.
pub(crate) fn buffer_of(size: Size, render: impl FnOnce(&mut Frame)) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
    terminal.draw(render).unwrap();
    terminal.backend().buffer().clone()
}

/// Returns the drawn lines without trailing spaces and without empty lines at the end.
pub(crate) fn picture_of(size: Size, render: impl FnOnce(&mut Frame)) -> String {
    let buffer = buffer_of(size, render);
    let mut lines: Vec<String> = (0..size.height)
        .map(|y| {
            let line: String = (0..size.width).map(|x| buffer[(x, y)].symbol()).collect();
            line.trim_end().to_owned()
        })
        .collect();
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines.join("\n") + "\n"
}

/// Compares a screen with the file `docs/screens/NAME.txt`. `UPDATE_SCREENS=1 cargo test -p
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
