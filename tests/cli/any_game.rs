//! A game that nothing else knows: a coin is thrown until it shows tails. That it is played,
//! stopped, gone on with, replaced, sharded, merged, verified, converted, studied and compared
//! shows that the engine knows no game. Its results are not its first table.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Value, json};
use tetrastat::cli::OutputRequest;
use tetrastat::cli::call::Call;
use tetrastat::engine::{
    About, Comparable, Described, Job, Manifest, Measure, RunState, Totals, WorkerContext, play,
};
use tetrastat::error::Result;
use tetrastat::record::{
    Checkpoint, Column, ColumnType, ColumnValues, Commands, LogFormat, MergedLogs, Rows, RunFolder,
    Shard, ShardMerge, Status, TableSpec,
};
use tetrastat::rng::{Purpose, Stream};
use tetrastat::stats::{Better, Scale};
use tetrastat::study::{RunComparison, Study};

use crate::common::{done, entries, folder, manifest, read, rows};

/// Throws of a coin that shows heads with probability `heads`, at most `limit` of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Coin {
    game: String,
    heads: f64,
    limit: u64,
    games: u64,
    seed: u64,
    shard: Option<String>,
    /// A game at which the run is stopped, as Ctrl-C would.
    #[serde(skip)]
    stops_at: Option<u64>,
    /// A game that can't be played.
    #[serde(skip)]
    breaks_at: Option<u64>,
}

/// The games so far, and their throws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Throws {
    games: u64,
    throws: u64,
}

/// State of the game that can't be played, whose checkpoint takes long to write.
#[derive(Clone, Debug, Deserialize)]
struct SlowState(u64);

impl Serialize for SlowState {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        std::thread::sleep(Duration::from_millis(200));
        self.0.serialize(serializer)
    }
}

fn coin(heads: f64, games: u64) -> Coin {
    let game = "coin".to_owned();
    Coin { game, heads, limit: 5000, games, seed: 7, shard: None, stops_at: None, breaks_at: None }
}

impl Described for Coin {
    type Entry = Coin;
    type Totals = Throws;
    type Summary = ();

    fn describe(manifest: &Manifest<Coin>) -> [String; 3] {
        let games = manifest.totals.games;
        ["coins".to_owned(), format!("{games} coins"), "Throws until tails.".to_owned()]
    }
}

impl Job for Coin {
    const NAME: &'static str = "coin";

    type Player = ();
    type ItemResult = u64;
    type Resumable = SlowState;
    type Count = Throws;

    fn recorded_config(&self) -> Coin {
        self.clone()
    }

    fn tables(&self) -> Vec<TableSpec> {
        let column = |name: &str, kind| Column::new(name, kind, "-", format!("the {name}"));
        let game = column("game", ColumnType::Count);
        let games =
            [game.clone(), column("throws", ColumnType::Count), column("cut", ColumnType::Logical)];
        let throws = [game, column("height", ColumnType::Real)];
        vec![
            TableSpec::new("throws", LogFormat::Csv, throws.to_vec()),
            TableSpec::new("coins", LogFormat::Csv, games.to_vec()),
        ]
    }

    fn results(&self) -> usize {
        1
    }

    fn checkpoint_every(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn number_of(open: &SlowState) -> u64 {
        open.0
    }

    fn work_items(&self) -> Range<u64> {
        Shard::games(self.shard.as_deref().map(|shard| shard.parse().unwrap()), self.games)
    }

    fn player(&self) -> Result<()> {
        Ok(())
    }

    fn play(
        &self,
        (): &mut (),
        game: u64,
        _: Option<SlowState>,
        context: &WorkerContext<Coin>,
    ) -> Result<Option<(u64, Vec<Rows>)>> {
        if self.breaks_at == Some(game) {
            for _ in 0..3 {
                std::thread::sleep(self.checkpoint_every() * 10);
                context.open(SlowState(game));
            }
            panic!("on purpose");
        }
        let mut stream = Stream::new(self.seed, Purpose::Queue, game);
        let (mut throws, mut ended) = (0, false);
        let number = |number: u64| ColumnValues::Count(vec![number as i64]);
        while !ended && throws < self.limit {
            if self.stops_at == Some(game) {
                context.stop().store(true, Ordering::Relaxed);
                return Ok(None);
            }
            let height = stream.unit();
            (throws, ended) = (throws + 1, height >= self.heads);
            context.rows(0, Rows::from_columns([number(game), ColumnValues::Real(vec![height])]));
        }
        context.totals().add(1, throws, 0);
        let cut = ColumnValues::Logical(vec![u8::from(!ended)]);
        let row = Rows::from_columns([number(game), number(throws), cut]);
        Ok(Some((throws, vec![Rows::default(), row])))
    }

    fn take(&self, count: &mut Throws, _: u64, throws: u64, _: &mut Vec<Rows>) -> bool {
        *count = Throws { games: count.games + 1, throws: count.throws + throws };
        true
    }

    fn totals(count: &Throws) -> Throws {
        *count
    }
}

impl Comparable for Coin {
    fn of_games(&self, games: u64) -> Coin {
        Coin { games, ..self.clone() }
    }

    fn games(entry: &Coin) -> u64 {
        entry.games
    }

    fn about(&self) -> About {
        let player = format!("heads-{}", self.heads);
        let (label, identity, seed) = (player.clone(), json!(player), self.seed);
        About { player, label, identity, seed, measure: "throws", ..About::default() }
    }

    fn measure(&self, column: &Column) -> Measure {
        let (column, ended) = (column.name.clone(), Some(("cut", &["FALSE"][..])));
        Measure { column, scale: Scale::Total, better: Better::More, ended }
    }
}

fn run(path: &Path, coin: &Coin) -> Status {
    into(RunFolder::create(path).unwrap(), coin)
}

/// Plays a run into a folder that was opened for it.
fn into(folder: RunFolder, coin: &Coin) -> Status {
    let (totals, stop) = (Totals::default(), AtomicBool::new(false));
    let played = play(coin, folder, None, &Value::Null, &totals, &stop, None).unwrap();
    assert_eq!(played.count, played.manifest.totals);
    played.manifest.status
}

/// Names of the game's commands.
struct Tosser;

impl Commands for Tosser {
    fn play_command(&self, shard: Shard, folder: &str, _: &[String]) -> Option<String> {
        Some(format!("toss {shard} into {folder}"))
    }

    fn finish_command(&self, folder: &Path) -> String {
        format!("toss on in {}", folder.display())
    }
}

fn tables(run: &Path) -> [String; 2] {
    ["coins.csv", "throws.csv"].map(|table| read(run, table))
}

/// Names of what a folder holds, in order.
fn names(folder: &Path) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = entries(folder).iter().map(name).collect();
    names.sort();
    names
}

/// A folder to go on in. A process that another test starts has its lock, too, until it has begun.
fn reopened(path: &Path) -> RunFolder {
    let attempts = (0..1000).map(|_| {
        std::thread::sleep(Duration::from_millis(5));
        RunFolder::existing(path)
    });
    attempts.into_iter().find_map(Result::ok).unwrap()
}

#[test]
fn an_unknown_game_is_played_and_gone_on_with() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let (totals, stop) = (Totals::default(), AtomicBool::new(false));
    let whole = coin(0.9, 300);
    assert_eq!(run(&path("whole"), &whole), Status::Complete);
    let stopping = Coin { stops_at: Some(170), ..whole.clone() };
    let (folder, settings) = (RunFolder::create(&path("part")).unwrap(), json!("tossed"));
    let stopped = play(&stopping, folder, None, &settings, &totals, &stop, None).unwrap();
    assert_eq!(stopped.manifest.status, Status::Interrupted);
    let point = Checkpoint::<RunState<Coin>>::read(&path("part")).unwrap();
    let again = reopened(&path("part"));
    let stop = AtomicBool::new(false);
    assert_eq!(point.settings, json!("tossed"));
    let played = play(&whole, again, Some(&point), &Value::Null, &totals, &stop, None).unwrap();
    assert_eq!(played.manifest.status, Status::Complete);
    assert!(tables(&path("part")) == tables(&path("whole")));
    assert_eq!(manifest(&path("part"))["throws"], manifest(&path("whole"))["throws"]);
    for other in [coin(0.8, 300), coin(0.9, 301)] {
        let refused =
            play(&other, reopened(&path("part")), Some(&point), &Value::Null, &totals, &stop, None);
        assert!(refused.unwrap_err().to_string().contains("have changed"));
    }
}

/// Nothing is kept of a shard that fails before its first work item ends, though its numbers do not
/// begin with 0 and another thread is writing a checkpoint.
#[test]
fn a_shard_without_a_unit_leaves_no_folder() {
    let folder = folder();
    let path = folder.path().join("shard");
    let shard = Coin { shard: Some("2/2".to_owned()), breaks_at: Some(1), ..coin(0.5, 2) };
    let run = RunFolder::create(&path).unwrap();
    let (totals, stop) = (Totals::default(), AtomicBool::new(false));
    let played = play(&shard, run, None, &Value::Null, &totals, &stop, None);
    assert!(played.unwrap_err().to_string().contains("on purpose"));
    assert!(!path.exists());
    // No checkpoint appears later, for example in the folder of the same command given again.
    fs::create_dir(&path).unwrap();
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(names(&path), [""; 0]);
}

#[test]
fn an_unknown_game_is_merged_verified_and_converted() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    run(&path("whole"), &coin(0.9, 100));
    for part in ["1/3", "2/3", "3/3"] {
        let shard = Coin { shard: Some(part.to_owned()), ..coin(0.9, 100) };
        run(&path(&part[..1]), &shard);
    }
    let shards = ["3", "1", "2"].map(path);
    let joined = RunFolder::create(&path("joined")).unwrap();
    let describe = |whole: &Value| Ok(Manifest::<Coin>::from_json(whole)?.package());
    let missing =
        ShardMerge::new(&shards[..2], &Tosser, MergedLogs::Joined).unwrap_err().to_string();
    assert!(missing.contains("shard 2/3 is missing") && missing.contains("toss 2/3 into PART-2"));
    let merge = ShardMerge::new(&shards, &Tosser, MergedLogs::Joined).unwrap();
    merge.write(&joined, describe, |_, _, _| Ok(serde_json::Value::Null)).unwrap();
    drop(joined);
    let of = |run: &str| manifest(&path(run));
    for key in ["config", "games", "throws", "files"] {
        assert_eq!(of("joined")[key], of("whole")[key], "{key}");
    }
    for command in [
        "data verify joined",
        "data convert joined packed --format parquet",
        "data verify packed",
        "data convert packed back --format csv",
        "data verify back",
    ] {
        done(folder.path(), command);
    }
    assert!(path("packed").join("throws.parquet").is_file());
    assert!(tables(&path("back")) == tables(&path("whole")));
}

/// A run takes the place of another of the same game, whose tables are known by its manifest or its
/// checkpoint.
#[test]
fn an_unknown_game_is_replaced_and_nothing_else_is() {
    let folder = folder();
    let path = folder.path().join("run");
    run(&path, &coin(0.5, 20));
    fs::write(path.join("coins.parquet"), "as another version wrote it").unwrap();
    let other = coin(0.7, 30);
    let call = Call::default();
    let forced = |coin: &Coin| {
        let request = OutputRequest { config: json!(coin), tables: coin.files(), force: true };
        request.open::<RunState<Coin>>(&call.console(), &path, |_| true)
    };
    for name in ["notes.txt", "throws.json", "tosses.csv"] {
        fs::write(path.join(name), "mine").unwrap();
        let refused = forced(&other).unwrap_err().to_string();
        assert!(refused.contains(name) && refused.contains("force replaces nothing"), "{refused}");
        fs::remove_file(path.join(name)).unwrap();
    }
    let replaced = |coin: &Coin, said: &str| {
        let Some((run, None)) = forced(coin).unwrap() else { panic!("not replaced") };
        let messages = call.take_messages().concat();
        assert!(messages.contains(said), "{messages}");
        into(run, coin)
    };
    assert_eq!(replaced(&other, "replacing the run"), Status::Complete);
    assert_eq!(manifest(&path)["games"], 30);
    let files = ["coins.csv", "datapackage.json", "run.json", "throws.csv"];
    assert_eq!(names(&path), files);

    // One that was killed is known by its checkpoint alone.
    let stopping = Coin { stops_at: Some(9), ..other.clone() };
    assert_eq!(replaced(&stopping, "replacing the run"), Status::Interrupted);
    fs::remove_file(path.join("run.json")).unwrap();
    assert_eq!(replaced(&other, "an unfinished run"), Status::Complete);
    assert_eq!(names(&path), files);
}

#[test]
fn unknown_games_are_studied_and_compared() {
    let folder = folder();
    let study = folder.path().join("study");
    let coins = vec![coin(0.5, 1), coin(0.9, 1)];
    let comparison = RunComparison::new(&study, coins.clone(), None).unwrap();
    let mut open: Study<Coin> = comparison.open(&[400, 400]).unwrap();
    for place in 0..2 {
        open.play(place, &Totals::default(), &AtomicBool::new(false)).unwrap();
    }
    open.collect().unwrap();
    let compared = comparison.compare(comparison.arms().unwrap());
    // Means of 2 and 10 throws; 400 games tell them apart whatever the seed.
    let places: Vec<_> = compared.controllers.iter().map(|one| &*one.controller).collect();
    assert_eq!(places, ["heads-0.9", "heads-0.5"]);
    assert!(compared.pairs[0].differ);
    let conditions = rows(&study.join("conditions.csv"));
    assert_eq!((&*conditions[0]["heads"], &*conditions[1]["games"]), ("0.5", "400"));
    let throws = |row: usize| conditions[row]["throws"].parse::<f64>().unwrap();
    assert!(throws(0) < throws(1));
    assert_eq!(rows(&study.join("coins.csv")).len(), 800);
    done(folder.path(), "data verify study");
    let twins = RunComparison::new(&study, vec![coin(0.5, 1), coin(0.5, 1)], None);
    assert!(twins.unwrap_err().to_string().contains("are the same"));
    let unknown = RunComparison::new(&study, coins, Some("heights")).unwrap_err().to_string();
    assert!(unknown.contains("throws"), "{unknown}");
}
