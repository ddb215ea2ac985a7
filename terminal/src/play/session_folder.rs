//! Writes a human player's games to a run folder. The tables are those of `simulate --rules
//! guideline`, with `person` as the controller.

use serde::{Deserialize, Serialize};

use super::keys::{FORCED_LOCK_MS, GRAVITY_MS, LOCK_MS};
use super::session::Session;
use super::{PlayGame, SessionOptions};
use crate::controller::GuidelineController;
use crate::engine::{Described, FolderWriter, Job, Manifest};
use crate::features::Measured;
use crate::prelude::*;
use crate::record::{Columns, LogFormat, LogSettings, RunFolder, Status, open_tables};
use crate::sim::RowBuilders;
use crate::sim::guideline::{GuidelineConfig, PERSON};

/// A run folder to which a human player's games are being written.
pub struct SessionFolder {
    files: FolderWriter,
    rows: RowBuilders<GuidelineConfig>,
    config: Config,
    played: SessionTotals,
}

#[derive(Debug)]
pub(super) struct HumanRun;

/// The configuration that `run.json` stores for a human player's games.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Config {
    #[serde(flatten)]
    games: GuidelineConfig,
    gravity_ms: u64,
    lock_ms: u64,
    forced_lock_ms: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SessionTotals {
    games: u64,
    pieces: u64,
    lines: u64,
    played: Vec<Game>,
}

/// Data of a human player's game for `run.json`: repeat times of held keys, and key presses.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Game {
    game: u64,
    das_ms: u64,
    arr_ms: u64,
    soft_das_ms: u64,
    soft_arr_ms: u64,
    /// Number of keys pressed except hold. `None` if the terminal reports no releases.
    keys: Option<u32>,
    finesse_faults: Option<u32>,
}

impl Described for HumanRun {
    type Entry = Config;
    type Totals = SessionTotals;
    type Summary = ();

    fn describe(manifest: &Manifest<HumanRun>) -> [String; 3] {
        let GuidelineConfig { mode, seed, rules, .. } = &manifest.config.games;
        let (mode, count) = (mode.name(), manifest.totals.games);
        [
            format!("tetrastat-{mode}-{count}-games-0x{seed:016x}"),
            format!("{count} games of {mode}: a person"),
            format!(
                "Games under {rules} rules, played by a person. \
                 `run.json` has the whole configuration."
            ),
        ]
    }
}

impl SessionFolder {
    /// Creates the tables for a human player's games of one kind in a folder.
    pub fn open(
        folder: RunFolder,
        options: &SessionOptions,
        kind: PlayGame,
    ) -> Result<SessionFolder> {
        let config = Config::new(options, kind);
        let rows = RowBuilders::new(&config.games)?;
        let tables = config.games.tables();
        let open = |folder: &RunFolder| Ok((open_tables(folder, tables, 1, None, 0)?, ()));
        let (files, ()) = FolderWriter::begin(folder, open)?;
        Ok(SessionFolder { files, rows, config, played: SessionTotals::default() })
    }

    /// Appends a human player's game, finished or abandoned, to the tables of the run folder.
    /// `releases` is true if the terminal reports key releases.
    pub(super) fn add(&mut self, session: &Session, releases: bool) -> Result<()> {
        // Numbers of games are consecutive: a game that was left is written with its number too.
        let game = session.setup().game;
        for placement in session.placements() {
            self.rows.push(placement);
        }
        let rows = self.rows.end(session.row());
        self.files.end(game, rows)?;
        // The rows are written to disk at once, so that a game survives whatever happens to the
        // terminal.
        self.files.sync()?;
        let handling = session.setup().handling;
        let (faults, keys) = session.keys();
        let row = session.row();
        self.played.games += 1;
        self.played.pieces += u64::from(row.pieces);
        self.played.lines += u64::from(row.lines);
        self.played.played.push(Game {
            game,
            das_ms: handling.das_ms,
            arr_ms: handling.arr_ms,
            soft_das_ms: handling.soft_das_ms,
            soft_arr_ms: handling.soft_arr_ms,
            keys: releases.then_some(keys),
            finesse_faults: releases.then_some(faults),
        });
        Ok(())
    }

    /// Finishes the session's tables, writes `run.json`, and returns the number of games. Without
    /// games the folder is removed.
    pub(super) fn finish(self, status: Status) -> Result<u64> {
        let SessionFolder { files, config, played, .. } = self;
        let games = played.games;
        if games == 0 {
            files.discard();
            return Ok(0);
        }
        let mut finished = files.finish(0)?;
        let status = finished.status(status);
        let provenance = finished.provenance((1, None), false);
        finished.publish::<HumanRun>(provenance, status, config, played, None)?;
        finished.problem.map_or(Ok(games), Err)
    }
}

impl Config {
    fn new(options: &SessionOptions, kind: PlayGame) -> Config {
        let controller = GuidelineController {
            name: PERSON.to_owned(),
            title: String::new(),
            source: String::new(),
            published: None,
            note: None,
            measured: Measured::AfterClear,
            weights: Vec::new(),
            network: None,
        };
        let games = GuidelineConfig {
            mode: kind.mode(options.sprint_lines),
            seed: options.seed,
            log: Some(LogSettings::new(LogFormat::Csv, Columns::All)),
            ..GuidelineConfig::new(controller, options.rules.clone())
        };
        Config { games, gravity_ms: GRAVITY_MS, lock_ms: LOCK_MS, forced_lock_ms: FORCED_LOCK_MS }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::keys::{GameKey, Handling, KeyMap};
    use crate::play::session::GameSetup;
    use crate::record::verify;
    use crate::rules::guideline::{Guideline, RuleSet};

    fn options() -> SessionOptions {
        SessionOptions {
            rules: RuleSet::capstone(),
            kind: Some(PlayGame::Sprint),
            sprint_lines: 40,
            seed: 5,
            advanced: false,
            keys: KeyMap::default(),
            one_kind: true,
        }
    }

    fn session(game: u64, pieces: u64) -> Session {
        let (rules, mode) = (Guideline::capstone(), PlayGame::Sprint.mode(40));
        let mut session =
            Session::new(GameSetup { rules, mode, handling: Handling::DEFAULT, seed: 5, game });
        for piece in 1..=pieces {
            session.tap(GameKey::HardDrop, 1000 * piece);
        }
        session.leave(1000 * pieces);
        session
    }

    #[test]
    fn games_of_a_person_are_tables_like_any_others() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let mut session_folder =
            SessionFolder::open(RunFolder::create(&path).unwrap(), &options(), PlayGame::Sprint)
                .unwrap();
        session_folder.add(&session(0, 3), true).unwrap();
        session_folder.add(&session(1, 2), false).unwrap();
        assert_eq!(session_folder.finish(Status::Complete).unwrap(), 2);
        assert!(verify(&path).unwrap().iter().all(|finding| finding.problem.is_none()));

        let rows = |name: &str| -> Vec<std::collections::BTreeMap<String, String>> {
            let mut reader = ::csv::Reader::from_path(path.join(name)).unwrap();
            reader.deserialize().map(std::result::Result::unwrap).collect()
        };
        let (games, placements) = (rows("games.csv"), rows("placements.csv"));
        let column = |name: &str| games.iter().map(|row| row[name].as_str()).collect::<Vec<_>>();
        assert_eq!(column("end_reason"), ["left", "left"]);
        assert_eq!((column("pieces"), column("time_ms")), (vec!["3", "2"], vec!["3000", "2000"]));
        assert_eq!(column("sprint_reward"), ["NA", "NA"]);
        assert_eq!(placements.len(), 5);
        assert_eq!(placements[2]["points_total"], games[0]["points"]);
        assert_eq!(placements[2]["score"], "NA");

        let run: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path.join("run.json")).unwrap()).unwrap();
        assert_eq!(run["config"]["controller"]["name"], "person");
        assert_eq!((&run["pieces"], &run["config"]["mode"]), (&5.into(), &"sprint".into()));
        // Other code can read this manifest and its description like those of any run.
        let read = Manifest::<HumanRun>::read(&path).unwrap();
        assert_eq!((read.totals.games, read.provenance.resumed), (2, false));
        let package: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(path.join("datapackage.json")).unwrap())
                .unwrap();
        assert_eq!(package["created"], run["finished"]);
        assert_eq!(package["resources"].as_array().map(Vec::len), Some(2));
        assert_eq!(run["played"][0]["keys"], 3);
        assert!(run["played"][1]["keys"].is_null());
    }

    #[test]
    fn without_games_nothing_stays() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("a/run");
        let session_folder =
            SessionFolder::open(RunFolder::create(&path).unwrap(), &options(), PlayGame::Sprint)
                .unwrap();
        assert_eq!(session_folder.finish(Status::Interrupted).unwrap(), 0);
        assert!(!parent.path().join("a").exists());
    }
}
