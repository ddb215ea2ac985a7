//! `data/README.md` is the code book: its tables must be those of the schema.
//! `TETRASTAT_WRITE=1 cargo test --workspace --test cli code_book::` writes them anew.

const MARK: &str = "<!-- generated below this line by tests/cli/code_book.rs -->\n\n";

#[test]
fn the_code_book_is_that_of_the_schema() {
    let path = "data/README.md";
    let text = std::fs::read_to_string(path).unwrap();
    let (head, tables) = text.split_once(MARK).expect("the mark stands in data/README.md");
    let expected = tetrastat::record::code_book(&[tetrastat::liap::TABLES]).unwrap();
    if std::env::var_os("TETRASTAT_WRITE").is_some() {
        std::fs::write(path, format!("{head}{MARK}{expected}")).unwrap();
        return;
    }
    let differs = tables.lines().zip(expected.lines()).find(|(written, right)| written != right);
    assert_eq!(
        differs, None,
        "run TETRASTAT_WRITE=1 cargo test --workspace --test cli code_book::"
    );
    assert_eq!(tables.len(), expected.len());
}
