//! Recomputes the worked example of `docs/reference/network.md`, by the page's definitions and by
//! the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::{tetrastat, text};

/// Reads the page.
fn page() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/network.md"))
        .unwrap()
}

/// Parses the lines of the example's block: a key and the words after it.
fn example(page: &str) -> BTreeMap<String, Vec<String>> {
    let (_, rest) = page.split_once("```text\nboard ").expect("the example's block");
    let (block, _) = rest.split_once("```").unwrap();
    let lines = std::iter::once(format!("board {}", block.lines().next().unwrap()));
    lines
        .chain(block.lines().skip(1).map(str::to_owned))
        .map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.collect())
        })
        .collect()
}

/// Parses the whole numbers of a line; three dots mark omitted numbers.
fn numbers(words: &[String]) -> Vec<i64> {
    words.iter().filter(|word| *word != "...").map(|word| word.parse().unwrap()).collect()
}

/// A network as stored in its file.
struct Network {
    first: Vec<Vec<i64>>,
    second: Vec<Vec<i64>>,
    second_bias: Vec<i64>,
    third: Vec<i64>,
    third_bias: i64,
    share: f64,
    point: f64,
}

impl Network {
    fn read(file: &str) -> Network {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let file: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
        let network = &file["network"];
        let row = |text: &toml::Value| -> Vec<i64> {
            text.as_str().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect()
        };
        let rows = |key: &str| network[key].as_array().unwrap().iter().map(row).collect();
        Network {
            first: rows("first"),
            second: rows("second"),
            second_bias: row(&network["second_bias"]),
            third: row(&network["third"]),
            third_bias: network["third_bias"].as_integer().unwrap(),
            share: network["share"].as_float().unwrap(),
            point: network["point"].as_float().unwrap(),
        }
    }
}

/// Returns the active inputs according to the page's table.
fn inputs(board: &str, hold: &str, bag: &[String], back_to_back: bool) -> Vec<i64> {
    let rows: Vec<&[u8]> = board.split('/').rev().map(str::as_bytes).collect();
    let is_filled = |r: usize, c: usize| rows.get(r).is_some_and(|row| row[c] == b'#');
    let cells = || (0..16).flat_map(|r| (0..10).map(move |c| (r, c)));
    let height = |c: usize| (0..16).filter(|&r| is_filled(r, c)).max().map_or(0, |top| top + 1);
    let place = |piece: &str| "IOTSZJL".find(piece).unwrap();
    let mut on: Vec<usize> =
        cells().filter(|&(r, c)| is_filled(r, c)).map(|(r, c)| 10 * r + c).collect();
    on.push(if hold == "none" { 167 } else { 160 + place(hold) });
    on.extend(bag.iter().map(|piece| 168 + place(piece)));
    on.extend(back_to_back.then_some(175));
    let is_hole = |&(r, c): &(usize, usize)| !is_filled(r, c) && r < height(c);
    on.extend(cells().filter(is_hole).map(|(r, c)| 176 + 10 * r + c));
    for r in 0..16 {
        let count = (0..10).filter(|&c| is_filled(r, c)).count();
        on.extend((count > 0).then(|| 336 + 10 * r + count - 1));
    }
    for c in 0..9 {
        let step = (height(c + 1) as i64 - height(c) as i64).clamp(-4, 4);
        on.push(496 + 9 * c + (step + 4) as usize);
    }
    on.sort_unstable();
    on.into_iter().map(|input| input as i64).collect()
}

/// Every number of the example must follow from the page's formulas, and the program must return
/// its value.
#[test]
fn the_worked_example_can_be_recomputed() {
    let page = page();
    let example = example(&page);
    let one = |key: &str| numbers(&example[key])[0];
    let network = Network::read("data/controllers/guideline/tetrastat-blitz-network.toml");
    let on = inputs(
        &example["board"][0],
        &example["hold"][0],
        &example["bag"],
        example["back_to_back"][0] == "yes",
    );
    assert_eq!(on, numbers(&example["inputs"]));
    let sum: Vec<i64> = (0..128)
        .map(|j| {
            network.first[577][j] + on.iter().map(|&i| network.first[i as usize][j]).sum::<i64>()
        })
        .collect();
    assert_eq!(sum[..8], numbers(&example["sum"]));
    let unit: Vec<i64> = (0..32)
        .map(|s| {
            let products = sum.iter().zip(&network.second[s]).map(|(sum, w)| sum.max(&0) * w);
            network.second_bias[s] + products.sum::<i64>()
        })
        .collect();
    assert_eq!(unit[..8], numbers(&example["unit"]));
    let act: Vec<i64> = unit.iter().map(|unit| unit.max(&0) >> 8).collect();
    assert_eq!(act[..8], numbers(&example["act2"]));
    let worth =
        network.third_bias + act.iter().zip(&network.third).map(|(a, w)| a * w).sum::<i64>();
    assert_eq!(worth, one("worth"));
    let share = (network.share * 65536.0).round() as i64;
    let thousand = (network.point * 1000.0 * 1e7).round() as i64;
    let total = one("points") * 65536 / 1000 + worth;
    let by_network = total * thousand / 65536;
    let value = one("by_terms") + (by_network - one("by_terms")) * share / 65536;
    assert_eq!(
        [share, thousand, total, by_network, value],
        ["share'", "thousand", "total", "by_net", "value"].map(one)
    );

    let line = page.lines().find_map(|line| line.strip_prefix("tetrastat show board ")).unwrap();
    let mut args = vec!["show", "board"];
    args.extend(line.split(' ').map(|word| word.trim_matches('"')));
    let output = tetrastat(tempfile::tempdir().unwrap().path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shown: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    let placements = shown["placements"].as_array().unwrap();
    let is_it = |placement: &&Value| {
        placement["piece"] == "I" && placement["orientation"] == "R" && placement["column"] == 6
    };
    let placement = placements.iter().find(is_it).unwrap();
    let steps = |key: &str| (placement[key].as_f64().unwrap() * 1e7).round() as i64;
    assert_eq!((steps("own_score"), steps("score")), (one("by_terms"), value));
    let points = placement["terms"]["points"].as_i64().unwrap();
    assert_eq!(points, one("points"));
    // A greedy search evaluates the network for only four placements, so only these have a value.
    let beam = ["--search", "beam", "--beam-width", "16", "--beam-depth", "1"];
    let greedy: Vec<&str> = args.iter().copied().filter(|word| !beam.contains(word)).collect();
    let output = tetrastat(tempfile::tempdir().unwrap().path(), &greedy);
    let shown: Value = serde_json::from_str(text(&output.stdout)).unwrap();
    let ranked = shown["placements"].as_array().unwrap();
    assert_eq!(ranked.iter().filter(|placement| !placement["score"].is_null()).count(), 4);
    for key in ["own_score", "score"] {
        assert!(page.contains(&format!("`{key}` {}", placement[key])), "{key}");
    }
}
