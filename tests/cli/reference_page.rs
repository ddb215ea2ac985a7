//! `docs/reference/commands.md` is generated from the program's own help.
//! `TETRASTAT_WRITE=1 cargo test --workspace --test cli reference_page::` writes it anew.

use crate::common::{folder, tetrastat, text};

const MARK: &str = "<!-- generated below this line by tests/cli/reference_page.rs -->\n\n";

#[test]
fn the_reference_of_commands_is_that_of_the_program() {
    let path = "docs/reference/commands.md";
    let page = std::fs::read_to_string(path).unwrap();
    let (head, written) = page.split_once(MARK).expect("the page has the mark");
    let output = tetrastat(folder().path(), &["man", "--markdown"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let expected = text(&output.stdout);
    if std::env::var_os("TETRASTAT_WRITE").is_some() {
        std::fs::write(path, format!("{head}{MARK}{expected}")).unwrap();
        return;
    }
    let differs = written.lines().zip(expected.lines()).find(|(old, new)| old != new);
    assert_eq!(
        differs, None,
        "run TETRASTAT_WRITE=1 cargo test --workspace --test cli reference_page::"
    );
    assert_eq!(written.len(), expected.len());
}
