//! A bot of the Tetris Bot Protocol that answers with noise. `tests/messages/tbp*.md` has the rest.

use crate::common::{folder, rows, tetrastat, text};

/// Random noise of a bot ends the command with one line or is survived; the folder is never
/// damaged.
#[test]
fn no_noise_of_a_bot_breaks_a_run() {
    let mut failures = 0;
    for seed in 0..8 {
        let folder = folder();
        let (path, at) = (folder.path(), ["-1", "0", "3", "15"][seed % 4]);
        let bots = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/bots");
        let bot = format!("tbp:python3 '{bots}/faulty.py' noise {at} {seed}");
        let words = "simulate --rules guideline --mode endless --pieces 8 --games 3 --threads 1 --bot-seconds 3 --out run --controller";
        let words: Vec<&str> = words.split(' ').chain([&*bot]).collect();
        let output = tetrastat(path, &words);
        if !output.status.success() {
            failures += 1;
            let message = text(&output.stderr);
            assert_eq!((output.status.code(), message.lines().count()), (Some(2), 1), "{message}");
            assert!(message.starts_with("tetrastat: controller tbp:python3"), "{message}");
            assert!(!message.trim_end().contains(char::is_control), "{message}");
        }
        if path.join("run").exists() {
            let verify = tetrastat(path, &["data", "verify", "run"]);
            assert!(!text(&verify.stderr).contains("damaged"), "{}", text(&verify.stderr));
            let games = rows(&path.join("run/games.csv"));
            assert!(!games.is_empty() && games.iter().all(|game| game["pieces"] == "8"));
        }
    }
    assert!(failures > 4, "{failures}");
}
