//! Compares watched games with the logs of the same games.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tempfile::TempDir;

use super::Timeline;
use crate::controller::{Controller, GuidelineController};
use crate::engine::{Totals, play};
use crate::explain::classic::ClassicScene;
use crate::explain::guideline::GuidelineScene;
use crate::explain::guideline::tests::guideline;
use crate::explain::{DecidedBy, Watched, WatchedStep};
use crate::piece::Piece;
use crate::placement::Placement;
use crate::queue::QueueKind;
use crate::record::{Columns, LogFormat, LogSettings, LoggedRow, RunFolder, read_game};
use crate::rules::Rules;
use crate::rules::guideline::{Landing, RuleOptions, RuleSet};
use crate::search::Search;
use crate::search::guideline::{Beam, SCALE};
use crate::sim::guideline::{GuidelineConfig, Mode};
use crate::sim::{ClassicConfig, Limits};

pub(super) fn config(search: Search, rules: Rules) -> ClassicConfig {
    ClassicConfig {
        rules,
        search,
        games: 2,
        limits: Limits { pieces: Some(150), lines: None },
        seed: 11,
        ..ClassicConfig::new(Controller::load("bcts").unwrap(), "6x10".parse().unwrap())
    }
}

fn simulated(config: &ClassicConfig, format: LogFormat, columns: &Columns) -> (TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let log = Some(LogSettings::new(format, columns.clone()));
    let job = ClassicConfig { log, ..config.clone() };
    let folder = RunFolder::create(&path).unwrap();
    play(&job, folder, None, &Value::Null, &Totals::default(), &AtomicBool::new(false), None)
        .unwrap();
    (parent, path)
}

fn simulated_guideline(config: &GuidelineConfig) -> (TempDir, PathBuf) {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let folder = RunFolder::create(&path).unwrap();
    play(config, folder, None, &Value::Null, &Totals::default(), &AtomicBool::new(false), None)
        .unwrap();
    (parent, path)
}

fn shown<G: Watched<Scene: Clone> + Clone>(
    timeline: &mut Timeline<G>,
) -> Vec<WatchedStep<G::Scene>> {
    let mut steps = Vec::new();
    while timeline.forward().unwrap() {
        steps.push(timeline.step().unwrap().clone());
    }
    steps
}

fn live<G: Watched<Scene: Clone> + Clone>(config: &G, game: u64) -> Vec<WatchedStep<G::Scene>> {
    shown(&mut Timeline::live(config.clone(), game, 10_000).unwrap())
}

fn replay(folder: &Path, game: u64, kept: usize) -> crate::error::Result<Timeline<ClassicConfig>> {
    Timeline::replay(folder, game, kept)
}

fn replay_guideline(
    folder: &Path,
    game: u64,
    kept: usize,
) -> crate::error::Result<Timeline<GuidelineConfig>> {
    Timeline::replay(folder, game, kept)
}

fn logged<T>(folder: &Path, game: u64, read: impl Fn(&LoggedRow) -> Option<T>) -> Vec<T> {
    let mut values = Vec::new();
    let mut take = |row: &LoggedRow| {
        values.push(read(row).unwrap());
        Ok(())
    };
    read_game(folder, game, &mut take).unwrap();
    values
}

fn runs() -> Vec<ClassicConfig> {
    let bag =
        ClassicConfig { queue: QueueKind::Bag, ..config(Search::Greedy, Rules::simplified()) };
    let overflow = Rules { clear_on_overflow: true, ..Rules::simplified() };
    let start =
        "....../....../....../....../....../....../....../....../##.###/###.##".parse().ok();
    let queue = QueueKind::script("SZTIJLO", true).unwrap();
    let scripted = ClassicConfig { start, queue, ..config(Search::Expect, Rules::simplified()) };
    vec![
        bag,
        config(Search::Greedy, overflow),
        config(Search::Next, Rules::simplified()),
        config(Search::Next, Rules::standard()),
        scripted,
    ]
}

#[test]
fn a_game_watched_is_the_game_simulated_and_replayed() {
    for (config, format) in runs().into_iter().zip(LogFormat::ALL.into_iter().cycle()) {
        let (_parent, folder) = simulated(&config, format, &Columns::Controller);
        for game in 0..2 {
            let live = live(&config, game);
            let logged = logged(&folder, game, |row| {
                let place = (row.whole("orientation")?, row.whole("column")?);
                Some((row.piece("piece")?, place, row.piece("next_1"), row.text("board")?))
            });
            assert!(live.len() > 20, "{}", live.len());
            let of_step = |WatchedStep { scene, .. }: &WatchedStep<ClassicScene>| {
                let view = ClassicConfig::view(scene);
                let Placement { orientation, column } = scene.outcome.played.candidate.placement;
                let place = (orientation.into(), column.into());
                (view.piece, place, scene.next, view.after.to_hex())
            };
            assert_eq!(live.iter().map(of_step).collect::<Vec<_>>(), logged);
            let mut timeline = replay(&folder, game, 10_000).unwrap();
            assert_eq!(shown(&mut timeline), live, "{format}");
        }
    }
}

#[test]
fn every_format_is_played_back_and_few_columns_are_enough() {
    let config = config(Search::Greedy, Rules::simplified());
    let live = live(&config, 1);
    for format in LogFormat::ALL {
        let (_parent, folder) = simulated(&config, format, &Columns::Minimal);
        assert_eq!(shown(&mut replay(&folder, 1, 10_000).unwrap()), live, "{format}");
    }
}

#[test]
fn the_controller_of_a_log_chose_what_it_ranks_first() {
    for config in runs() {
        let (_parent, folder) = simulated(&config, LogFormat::Csv, &Columns::Controller);
        let scores = logged(&folder, 0, |row| Some(row.fraction("score")));
        let mut timeline = replay(&folder, 0, 10_000).unwrap();
        while timeline.forward().unwrap() {
            let analysis = timeline.analysis(None).unwrap();
            assert_eq!(analysis.chosen, Some(0));
            let score = scores[timeline.step().unwrap().piece_no as usize - 1];
            assert_eq!(analysis.candidates[0].score, score);
        }
    }
}

#[test]
fn a_guideline_game_watched_is_the_game_simulated_and_replayed() {
    let beam = Beam::new(4, 3);
    let blitz = Mode::Blitz { pieces: 60, time_us: u64::MAX };
    let mut capstone = guideline(beam, blitz);
    capstone.rules = RuleSet::capstone().with(&RuleOptions {
        previews: Some(3),
        half_turns: Some(true),
        ..RuleOptions::default()
    });
    capstone.log = Some(LogSettings::new(LogFormat::Parquet, Columns::All));
    let mut endless = guideline(Beam::GREEDY, Mode::Endless { pieces: 60 });
    endless.log = Some(LogSettings::new(LogFormat::CsvGz, Columns::All));
    endless.rules =
        RuleSet::official().with(&RuleOptions { hold: Some(false), ..RuleOptions::default() });
    let sprint = guideline(beam, Mode::Sprint { lines: 10 });
    for config in [capstone, endless, sprint, guideline(Beam::GREEDY, blitz)] {
        let (_parent, folder) = simulated_guideline(&config);
        let mut played = Timeline::live(config.clone(), 1, 10_000).unwrap();
        let live = shown(&mut played);
        let logged = logged(&folder, 1, |row| {
            let state = row.level("orientation")?.to_owned();
            let place = (state, row.whole("column")?, row.whole("landing_row")?);
            let points = row.whole("points_total")?;
            Some((row.piece("piece")?, place, row.level("t_spin")?.to_owned(), points))
        });
        let of_step = |WatchedStep { scene, .. }: &WatchedStep<GuidelineScene>| {
            let Landing { piece, state, spin, .. } = scene.landing;
            let (left, low) = (scene.landing.left_column() as i64, scene.landing.low() as i64);
            let place = (state.name().to_owned(), left, low);
            (piece, place, spin.name().to_owned(), i64::from(scene.score))
        };
        assert_eq!(live.iter().map(of_step).collect::<Vec<_>>(), logged);
        let mut timeline = replay_guideline(&folder, 1, 10_000).unwrap();
        let replayed = shown(&mut timeline);
        assert_eq!(timeline.ending(), played.ending());
        // A log has at most five previews, and values as decimals.
        for (mut again, mut step) in replayed.into_iter().zip(live) {
            for step in [&mut again, &mut step] {
                step.scene.known.truncate(step.scene.choice.taken as usize + 3);
            }
            assert_eq!(again, step);
        }
    }
}

/// Compares scores of placements by the search's weights with sums of separately measured features.
#[test]
fn guideline_gains_add_up_and_greedy_play_ranks_its_choice_first() {
    let blitz = Mode::Blitz { pieces: 80, time_us: u64::MAX };
    for mode in [blitz, Mode::Sprint { lines: 20 }] {
        let mut config = guideline(Beam::GREEDY, mode);
        for name in ["capstone-blitz", "tetrastat-blitz", "tetrastat-sprint", "capstone-sprint"] {
            config.controller = GuidelineController::load(name).unwrap();
            let mut explainer = config.explainer().unwrap().unwrap();
            for step in live(&config, 0) {
                for other in [None, Some(7)] {
                    let analysis = config.explain(&mut explainer, &step.scene, other);
                    assert_eq!(analysis.chosen, Some(0), "{name} {step:?}");
                    let Some(other) = analysis.other else { continue };
                    let score = |rank: usize| analysis.candidates[rank].score.unwrap();
                    assert_eq!(analysis.score(), score(0));
                    let difference = ((score(0) - score(other)) * SCALE).round() as i64;
                    assert_eq!(analysis.gains(), difference);
                }
            }
        }
    }
}

#[test]
fn a_beam_that_passes_over_the_best_says_what_its_line_is_worth() {
    let config = guideline(Beam::new(8, 4), Mode::Endless { pieces: 60 });
    let mut explainer = config.explainer().unwrap().unwrap();
    let mut passed_over = 0;
    for step in live(&config, 0) {
        let analysis = config.explain(&mut explainer, &step.scene, None);
        let chosen = analysis.chosen.unwrap();
        if let DecidedBy::Line(rank, less, _) = analysis.verdict {
            passed_over += 1;
            assert!(rank == chosen + 1 && chosen > 0 && less > 0.0);
            assert_eq!(analysis.other, Some(0));
            assert!(analysis.gains() < 0);
        }
    }
    assert!(passed_over > 5, "{passed_over}");
}

#[test]
fn until_death_shows_the_last_rows_of_the_log() {
    let unlimited = Limits { pieces: None, lines: None };
    let size = "5x12".parse().unwrap();
    let config =
        ClassicConfig { limits: unlimited, size, ..config(Search::Greedy, Rules::simplified()) };
    let (_parent, folder) = simulated(&config, LogFormat::Csv, &Columns::Controller);
    let boards = logged(&folder, 1, |row| row.text("board"));
    assert!(boards.len() > 70, "{}", boards.len());
    let last: Vec<u64> = (1..=boards.len() as u64).skip(boards.len() - 50).collect();
    let mut played = Timeline::live(config.clone(), 1, 50).unwrap();
    let mut replayed = replay(&folder, 1, 50).unwrap();
    for timeline in [&mut played, &mut replayed] {
        timeline.play_out(&|_| ()).unwrap();
        assert_eq!(timeline.range(), Some((last[0], last[49])));
        assert_eq!(timeline.step().map(|step| step.piece_no), Some(last[0]));
        let shown: Vec<u64> = shown(timeline).iter().map(|step| step.piece_no).collect();
        assert_eq!(shown, last[1..]);
        let view = timeline.viewed().unwrap().scene;
        assert!(view.lost);
        assert_eq!(Some(&view.after.to_hex()), boards.last());
    }
    // A game with fewer placements is shown from its first piece.
    let few = ClassicConfig { limits: Limits { pieces: Some(7), lines: None }, ..config };
    let mut timeline = Timeline::live(few, 1, 50).unwrap();
    timeline.play_out(&|_| ()).unwrap();
    assert_eq!(timeline.range(), Some((1, 7)));
}

/// Overwrites the field `column` of a log in the row of placement number `placement` of game 1.
fn spoil(folder: &Path, column: &str, placement: usize, value: &str) {
    let path = folder.join("placements.csv");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let place = lines[0].split(',').position(|name| name == column).unwrap();
    let first = lines.iter().position(|line| line.starts_with("1,1,")).unwrap();
    let line = &mut lines[first + placement - 1];
    let mut fields: Vec<&str> = line.split(',').collect();
    fields[place] = value;
    *line = fields.join(",");
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    // Removes the checksum from the manifest, since an edited log would otherwise be rejected.
    let manifest = folder.join("run.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(manifest, text.replacen("\"checksum\"", "\"unchecked\"", 1)).unwrap();
}

/// Returns the message of the error from opening a watched game or playing it to its end.
fn problem<G: Watched>(timeline: crate::error::Result<Timeline<G>>) -> String {
    let played = timeline.and_then(|mut timeline| timeline.play_out(&|_| ()));
    let message = played.unwrap_err().to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn a_row_that_contradicts_the_rules_is_named() {
    let config = config(Search::Greedy, Rules::simplified());
    for (column, value, words) in [
        ("landing_row", "9", "the log has landing_row 9"),
        ("lines_total", "77", "the log has lines_total 77"),
        ("lost", "TRUE", "the log has lost 1"),
        ("board", "3f", "the log has board 3f"),
        ("column", "6", "in column 6"),
        ("orientation", "4", "orientation 4"),
        ("piece_no", "40", "from placement 12 to 40"),
    ] {
        let (_parent, folder) = simulated(&config, LogFormat::Csv, &Columns::Controller);
        spoil(&folder, column, 13, value);
        let message = problem(replay(&folder, 1, 100));
        assert!(message.contains("game 1") && message.contains(words), "{message}");
        assert!(column == "piece_no" || message.contains("placement 13: "), "{message}");
        replay(&folder, 0, 100).unwrap().play_out(&|_| ()).unwrap();
    }
}

#[test]
fn a_guideline_row_that_contradicts_the_rules_is_named() {
    let config = guideline(Beam::GREEDY, Mode::Blitz { pieces: 30, time_us: u64::MAX });
    for (column, value, words) in [
        ("column", "9", "rest"),
        ("landing_row", "15", "rest there"),
        ("points_total", "123456", "the log has points_total 123456"),
        ("hold_after", "NA", "hold"),
        ("board", "3ff", "the log has board 3ff"),
    ] {
        let (_parent, folder) = simulated_guideline(&config);
        spoil(&folder, column, 13, value);
        let message = problem(replay_guideline(&folder, 1, 100));
        assert!(message.contains("game 1, placement 13: "), "{message}");
        assert!(message.contains(words), "{column}: {message}");
    }
}

/// An impossible placement in a game's log is reported with file and row.
#[test]
fn a_row_that_cannot_be_read_is_named() {
    let classic = config(Search::Greedy, Rules::simplified());
    // 150 rows of game 0 and the header come before it in the file.
    for (column, value, place, words, remedy) in [
        ("orientation", "-1", "placements.csv: row 163: ", "orientation -1", "correct it"),
        ("column", "300", "placements.csv: row 163: ", "column 300", "correct it"),
        ("piece", "NA", "placements.csv, line 164: ", "'NA' in column piece", "correct the cell"),
    ] {
        let (_parent, folder) = simulated(&classic, LogFormat::Csv, &Columns::Controller);
        spoil(&folder, column, 13, value);
        let message = problem(replay(&folder, 1, 100));
        assert!(message.contains(place), "{message}");
        assert!(message.contains(words) && message.contains(remedy), "{message}");
    }
    let (_parent, folder) =
        simulated_guideline(&guideline(Beam::GREEDY, Mode::Sprint { lines: 10 }));
    spoil(&folder, "points_total", 2, "NA");
    let message = problem(replay_guideline(&folder, 1, 100));
    assert!(
        message.contains("placements.csv, line ") && message.contains("column points_total"),
        "{message}"
    );
}

/// A person may turn an I, S or Z piece once more than needed, into a rotation state that covers
/// the same cells. A guideline game's log keeps such turns, and the replay must show its boards.
#[test]
fn turned_pieces_of_a_person_are_played_back() {
    let config = guideline(Beam::GREEDY, Mode::Blitz { pieces: 60, time_us: u64::MAX });
    let (_parent, folder) = simulated_guideline(&config);
    let as_played = shown(&mut replay_guideline(&folder, 1, 100).unwrap());
    let mut turned = 0;
    for step in &as_played {
        let Landing { piece, state, .. } = step.scene.landing;
        if ![Piece::I, Piece::S, Piece::Z].contains(&piece) {
            continue;
        }
        let other = if state.name() == "0" { "2" } else { "L" };
        spoil(&folder, "orientation", step.piece_no as usize, other);
        turned += 1;
    }
    assert!(turned > 15, "{turned}");
    let replayed = shown(&mut replay_guideline(&folder, 1, 100).unwrap());
    let boards = |steps: &[WatchedStep<GuidelineScene>]| {
        steps.iter().map(|step| step.scene.placed.after.matrix).collect::<Vec<_>>()
    };
    assert_eq!(boards(&replayed), boards(&as_played));
    assert_ne!(replayed, as_played);
}

#[test]
fn a_replay_has_its_end_from_the_games() {
    let config = guideline(Beam::GREEDY, Mode::Blitz { pieces: 20, time_us: u64::MAX });
    let (_parent, folder) = simulated_guideline(&config);
    let ending = || {
        let mut timeline = replay_guideline(&folder, 1, 100).unwrap();
        shown(&mut timeline);
        timeline.ending().unwrap().to_owned()
    };
    assert_eq!(ending(), "all pieces are placed");
    fs::remove_file(folder.join("games.csv")).unwrap();
    assert_eq!(ending(), "the log ends here: games.csv does not say why");
}

/// Every invalid value in `run.json` is rejected with the name of the file.
#[test]
fn a_damaged_run_json_is_named() {
    let mut changed = guideline(Beam::GREEDY, Mode::Sprint { lines: 5 });
    changed.rules =
        RuleSet::official().with(&RuleOptions { half_turns: Some(true), ..RuleOptions::default() });
    let (_parent, folder) = simulated_guideline(&changed);
    let path = folder.join("run.json");
    let whole: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(whole["config"]["preset"], "guideline");
    for (key, value, words) in [
        ("kicks", serde_json::json!("srs++"), "srs++"),
        ("preset", serde_json::json!("tgm"), "tgm"),
        ("preset", serde_json::Value::Null, "(changed)"),
        ("weights", serde_json::json!({"holes": 1e9}), "at most"),
        ("weights", serde_json::json!({"holes": "x"}), "expected f64"),
        ("weights", serde_json::json!({}), "no weights"),
        ("beam_width", serde_json::json!(0), "beam"),
        ("sprint_lines", serde_json::json!(0), "Sprint"),
        ("previews", serde_json::json!(99), "99 previews"),
        ("mode", serde_json::json!("zen"), "mode 'zen'"),
        ("seed", serde_json::json!("7"), "seed '7'"),
    ] {
        let mut damaged = whole.clone();
        let config = &mut damaged["config"];
        match key {
            "weights" => config["controller"][key] = value,
            _ => config[key] = value,
        }
        fs::write(&path, damaged.to_string()).unwrap();
        let message = problem(replay_guideline(&folder, 0, 9));
        assert!(message.contains("run.json: ") && message.contains("restore"), "{message}");
        assert!(message.contains(words), "{key}: {message}");
    }
    let (_parent, folder) =
        simulated(&config(Search::Greedy, Rules::simplified()), LogFormat::Csv, &Columns::Minimal);
    let path = folder.join("run.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"greedy\"", "\"lazy\"")).unwrap();
    let message = problem(replay(&folder, 0, 9));
    assert!(message.contains("run.json: ") && message.contains("lazy"), "{message}");
}

#[test]
fn what_cannot_be_played_back_says_what_it_needs() {
    let config = config(Search::Greedy, Rules::simplified());
    let named = |text: &str| text.parse::<Columns>().unwrap();
    let (_parent, folder) = simulated(&config, LogFormat::Csv, &named("piece,lines"));
    assert!(problem(replay(&folder, 0, 9)).contains("lacks 'orientation'"));
    let (_parent, folder) = simulated(&config, LogFormat::Csv, &Columns::Minimal);
    assert!(problem(replay(&folder, 7, 9)).contains("no placement of game 7"));
    fs::remove_file(folder.join("placements.csv")).unwrap();
    assert!(problem(replay(&folder, 0, 9)).contains("placements csv"));
    fs::remove_file(folder.join("run.json")).unwrap();
    assert!(problem(replay(&folder, 0, 9)).contains("run.json"));
}
