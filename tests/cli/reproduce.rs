//! `tetrastat reproduce` on its own conditions, with the real binary.

use crate::common::{command, rows, tetrastat, text};

fn lines(args: &[&str], folder: &std::path::Path) -> Vec<String> {
    let output = tetrastat(folder, args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn what_was_published_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let all = lines(&["reproduce", "--list"], folder.path());
    let some = lines(&["reproduce", "--list", "--table", "original"], folder.path());
    assert!(some.len() < all.len() && some.iter().all(|line| all.contains(line)), "{some:?}");
    assert!(some.iter().any(|line| line.contains("910,000 +-5 %")), "{some:?}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is played");
}

#[test]
fn a_table_is_played_and_compared_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["reproduce", "--table", "generators", "--quick", "--out", "r"];
    let said = lines(&args, folder.path());
    let line = said.iter().find(|line| line.starts_with("dt20-10x10-bag")).unwrap();
    assert!(line.contains("251,501"), "{line}");
    let path = folder.path().join("r/reproduced.csv");
    let rows = std::fs::read_to_string(&path).unwrap();
    let table = csv::Reader::from_reader(rows.as_bytes()).into_deserialize().map(Result::unwrap);
    let table: Vec<std::collections::BTreeMap<String, String>> = table.collect();
    let row = |queue: &str| table.iter().find(|row| row["queue"] == queue).unwrap();
    let (bag, sz) = (row("bag"), row("sz"));
    let cell = |name: &str| bag[name].parse::<f64>().unwrap();
    assert!((cell("mean") / cell("published") - cell("ratio")).abs() < 1e-6, "{bag:?}");
    assert!(cell("ratio_low") < cell("ratio") && cell("ratio") < cell("ratio_high"), "{bag:?}");
    assert_eq!((cell("games"), &*bag["seed"]), (10.0, "0x0000000000000001"));
    // S and Z in turn make one game: there is nothing to make an interval of.
    assert_eq!((&*sz["mean_low"], &*sz["ratio_low"], &*sz["verdict"]), ("NA", "NA", "open"));
    assert_eq!(lines(&args, folder.path()), said, "again, without playing");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), rows);
    let mut other = command(folder.path(), &args);
    let output = other.args(["--seed", "2"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("started with another file"), "{}", text(&output.stderr));
}

/// Sprints are compared by the median of their pieces; the games are those of a study of guideline games.
#[test]
fn sprints_are_played_and_compared_by_their_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let listed = lines(&["reproduce", "--list", "--table", "sprint"], folder.path());
    assert!(listed[0].contains("median 106.0 to 107.0 pieces"), "{listed:?}");
    let args = ["reproduce", "--table", "sprint", "--quick", "--out", "r"];
    let said = lines(&args, folder.path());
    assert!(said[0].contains("mean pieces"), "{said:?}");
    let line = said.iter().find(|line| line.starts_with("capstone-sprint")).unwrap();
    assert!(line.contains("median 106.0 to 107.0") && line.ends_with("lower"), "{line}");
    let table = rows(&folder.path().join("r/reproduced.csv"));
    let row = &table[0];
    let cells = ["controller", "rules", "board", "measure", "statistic", "games", "verdict"];
    assert_eq!(
        cells.map(|name| &*row[name]),
        ["capstone-sprint", "capstone", "NA", "pieces", "median", "100", "lower"]
    );
    let cell = |name: &str| row[name].parse::<f64>().unwrap();
    assert!(cell("mean_low") < cell("mean") && cell("mean") < cell("mean_high"), "{row:?}");
    assert_eq!(lines(&args, folder.path()), said, "again, without playing");
    let output = tetrastat(folder.path(), &["reproduce", "--table", "sprint,lee", "--quick"]);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
    assert!(
        message.contains("tables of one game") && message.contains("sprint, blitz"),
        "{message}"
    );
}

#[test]
fn an_unknown_table_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let output = tetrastat(folder.path(), &["reproduce", "--table", "9x9"]);
    let message = text(&output.stderr);
    assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
    assert!(message.contains("'9x9'") && message.contains("ladder"), "{message}");
}
