//! Tests of the attack tables of rules: sequences of clears, worked by hand from the tables of the
//! sources that each file in `data/rules/` names.

use tetrastat_core::kernels::Level;
use tetrastat_core::piece::Piece;
use tetrastat_core::rules::guideline::*;

/// Parses a clear: number of rows, with `m` before it for a mini spin, `t` for a full spin, and `p`
/// behind it for a perfect clear. `-` removes nothing.
fn clear(word: &str) -> Clear {
    let (word, perfect) = word.strip_suffix('p').map_or((word, false), |word| (word, true));
    let spin = match &word[..1] {
        "m" => Spin::Mini,
        "t" => Spin::Full,
        _ => Spin::None,
    };
    let lines = word.trim_start_matches(['m', 't']).parse().unwrap_or(0);
    Clear { lines, spin, perfect }
}

/// Returns the rows that each placement of `sequence` sends, placements without rows left out.
fn sent(rules: &Guideline, sequence: &str) -> String {
    let mut before = ComboState::default();
    let mut rows = Vec::new();
    for word in sequence.split(' ') {
        let clear = clear(word);
        let attack = rules.attack.lines_sent(clear, before);
        before = before.after(rules, clear);
        if clear.lines > 0 {
            rows.push(attack.to_string());
        } else {
            assert_eq!(attack, 0, "{word}");
        }
    }
    rows.join(" ")
}

/// Names of the rules, in the order of the columns of [`SENT`].
const RULES: [&str; 5] = ["jstris", "botris", "tetrio-1", "tetrio-2", "puyo-puyo-tetris"];

/// A sequence, and the rows that each of its clears sends under each of [`RULES`]. Botris has no
/// mini spins.
const SENT: [(&str, [&str; 5]); 28] = [
    ("1", ["0", "0", "0", "0", "0"]),
    ("2", ["1", "1", "1", "1", "1"]),
    ("3", ["2", "2", "2", "2", "2"]),
    ("4", ["4", "4", "4", "4", "4"]),
    ("t1", ["2", "2", "2", "2", "2"]),
    ("t2", ["4", "4", "4", "4", "4"]),
    ("t3", ["6", "6", "6", "6", "6"]),
    ("m1", ["0", "", "0", "0", "0"]),
    ("m2", ["4", "", "1", "1", "1"]),
    // Spins of other pieces: an immobile I that removes four rows.
    ("4 - t4", ["", "4 1", "", "", ""]),
    ("m3", ["", "", "", "2", ""]),
    // Back-to-back, which a mini spin continues and a double ends. A T-spin without rows keeps it.
    ("4 - 4", ["4 5", "4 5", "4 5", "4 5", "4 5"]),
    ("t2 - 4 - t3", ["4 5 7", "4 5 7", "4 5 7", "4 5 7", "4 5 7"]),
    ("4 - 2 - 4", ["4 1 4", "4 1 4", "4 1 4", "4 1 4", "4 1 4"]),
    ("m1 - t2", ["0 5", "", "0 5", "0 5", "0 5"]),
    ("t0 - t2 - t0 - t1", ["4 3", "4 3", "4 3", "4 3", "4 3"]),
    // TETR.IO 1: 4 + 1, + 1.65, + 2.41, + 2.48, + 2.54.
    (
        "4 - 4 - 4 - 4 - 4 - 4",
        ["4 5 5 5 5 5", "4 5 5 5 5 5", "4 5 5 6 6 6", "4 5 5 5 5 5", "4 5 5 5 5 5"],
    ),
    // TETR.IO 2 sends the surge of four clears after the first.
    (
        "4 - 4 - 4 - 4 - 4 - 1",
        ["4 5 5 5 5 0", "4 5 5 5 5 0", "4 5 5 6 6 0", "4 5 5 5 5 4", "4 5 5 5 5 0"],
    ),
    ("4 - 4 - 4 - 4 - 1", ["4 5 5 5 0", "4 5 5 5 0", "4 5 5 6 0", "4 5 5 5 0", "4 5 5 5 0"]),
    // Combos. TETR.IO multiplies by 1, 1.25, 1.5, ... and sends at least 1 from the third on.
    ("1 1 1 1 1", ["0 0 1 1 1", "0 0 1 1 1", "0 0 1 1 1", "0 0 1 1 1", "0 0 1 1 2"]),
    (
        "2 2 2 2 2 2 2",
        ["1 1 2 2 2 3 3", "1 1 2 2 2 3 3", "1 1 1 1 2 2 2", "1 1 1 1 2 2 2", "1 1 2 2 3 3 4"],
    ),
    (
        "1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        [
            "0 0 1 1 1 2 2 3 3 4 4 4 5 5",
            "0 0 1 1 1 2 2 3 3 4 4 4 4 4",
            "0 0 1 1 1 1 2 2 2 2 2 2 2 2",
            "0 0 1 1 1 1 2 2 2 2 2 2 2 2",
            "0 0 1 1 2 2 3 3 4 4 4 5 5 5",
        ],
    ),
    // TETR.IO: 4, then (4 + 1) 1.25 = 6.25, then (4 + 1.65) 1.5 = 8.48 or (4 + 1) 1.5 = 7.5.
    ("4 4 4", ["4 5 6", "4 5 6", "4 6 8", "4 6 7", "4 5 6"]),
    // Perfect clears.
    ("4p", ["10", "10", "14", "9", "10"]),
    ("2p", ["10", "10", "11", "6", "10"]),
    ("4 - 4p", ["4 11", "4 10", "4 15", "4 10", "4 10"]),
    ("4 - 2p - 4", ["4 10 4", "4 10 4", "4 11 4", "4 6 5", "4 10 4"]),
    (
        "4 - 4 - 4 - 4 - 4 - 2p - 4",
        ["4 5 5 5 5 10 4", "4 5 5 5 5 10 4", "4 5 5 6 6 11 4", "4 5 5 5 5 6 5", "4 5 5 5 5 10 4"],
    ),
];

#[test]
fn sequences_send_the_rows_of_the_published_tables() {
    for (sequence, wanted) in SENT {
        for (name, wanted) in RULES.into_iter().zip(wanted) {
            let rules: RuleSet = name.parse().unwrap();
            if !wanted.is_empty() {
                assert_eq!(sent(&rules, sequence), wanted, "{name}: {sequence}");
            }
        }
    }
    // What bots call the guideline's table is that of Puyo Puyo Tetris.
    let rules = ["guideline", "puyo-puyo-tetris"].map(|name| name.parse::<RuleSet>().unwrap());
    assert_eq!(rules[0].attack, rules[1].attack);
}

/// Surge and perfect clears of a table that no preset has.
#[test]
fn a_table_of_ones_own() {
    let text = "[attack]\nclears = [0, 0.5]\nperfect_clear = 2.25\nperfect_clear_adds = 'all'\n\
                surge_from = 2";
    let rules = RuleSet::parse("mine.toml", text).unwrap();
    assert_eq!(sent(&rules, "1 1p 3"), "0 2 0");
    // Keys that are left out are 0, and the last number of a list holds for all rows beyond it. The
    // single ends a chain of two and sends one row more.
    assert_eq!(sent(&rules, "t2 - 4 - 1 - 4"), "0 0 1 0");
    assert_eq!(rules.attack.longest_chain(), 255);
    let written = toml::to_string(&rules.file().unwrap()).unwrap();
    assert_eq!(RuleSet::parse("mine.toml", &written).unwrap(), rules);
}

#[test]
fn wrong_tables_are_refused_with_the_remedy() {
    for (text, words) in [
        ("clear = [1]", &["unknown key 'clear'", "did you mean 'clears'?"][..]),
        ("clears = [-1]", &["-1 rows: use 0 to 1000"]),
        ("clears = 1", &["line 2", "write a sequence"]),
        (
            "combo = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]",
            &["25 numbers: give at most 24"],
        ),
        ("perfect_clear_adds = 'some'", &["some", "bonuses", "nothing"]),
        ("surge_from = 300", &["line 2", "300"]),
    ] {
        let text = format!("[attack]\n{text}");
        let message = RuleSet::parse("my.toml", &text).unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{text}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}

/// An S turns into the two rows from above, by a kick one column to the right and one row down.
/// There it can move neither left nor right nor up.
#[test]
fn pieces_that_cannot_move_spin_where_the_rules_say_so() {
    let matrix: Matrix = "#.........\n####..####\n###..#####".parse().unwrap();
    for (name, spin) in [
        ("guideline", Spin::None),
        ("tetrio-1", Spin::None),
        ("tetrio-2", Spin::Mini),
        ("botris", Spin::Full),
    ] {
        let rules = *name.parse::<RuleSet>().unwrap();
        let movegen = MoveGenerator::new(rules, Moves::All, Level::detect());
        let mut landings = Landings::default();
        movegen.landings(&matrix, Piece::S, &mut landings);
        let deep = landings.iter().find(|landing| landing.low() == 0).unwrap();
        assert_eq!((deep.left_column(), deep.spin), (3, spin), "{name}");
        // No other place holds the piece.
        let others = landings.iter().filter(|landing| landing.low() > 0);
        assert_eq!(others.filter(|landing| landing.spin != Spin::None).count(), 0, "{name}");
        // The shortest inputs end with the turn.
        let path = shortest(&rules, &matrix, deep).unwrap();
        assert!(path.kick.is_some() && path.hard == 0, "{name}: {path:?}");
        let state = GuidelineState { matrix, ..GuidelineState::default() };
        let [choice, _] = state.choices(&rules, &[Piece::S]);
        let placed = state.place(&rules, &choice.unwrap(), deep);
        assert_eq!(placed.clear, Clear { lines: 2, spin, perfect: false });
        let wanted = [1, 1, 4][spin as usize];
        assert_eq!(
            (placed.attack, placed.after.combo_state.back_to_back()),
            (wanted, spin != Spin::None)
        );
    }
}
