//! A game that nothing else knows: blocks of 2 x 2 cells, and now and then a single cell, fall on a
//! board of six columns. It implements [`Game`] and [`Watched`], and gets runs, logs, comparisons,
//! estimates, resumption and screens.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tetrastat::board::Board;
use tetrastat::engine::{About, Manifest, Measure, Totals, play_or_resume};
use tetrastat::error::Result;
use tetrastat::estimate::{
    Estimate as LongGames, EstimateConfig, EstimateMethod, Importance, PilotOptions, StopRule,
    find_levels,
};
use tetrastat::explain::{Analysis, Rebuilt, StepView, Watched, WatchedStep};
use tetrastat::piece::Piece;
use tetrastat::queue::{Queue, QueueKind};
use tetrastat::record::{
    Column, Columns, Field, LogFormat, LogSettings, LoggedRow, RowEncoder, Status, read_values,
    select_fields, verify,
};
use tetrastat::rng::Stream;
use tetrastat::sim::game::{Plan, Stepped};
use tetrastat::sim::{CHECKPOINT_EVERY, Game, GameCounts, GameTotals, OnPlacement, Recorder};
use tetrastat::stats::{Better, Estimate, Mean, Observed, Scale, Summary};
use tetrastat::study::{RunComparison, Study};
use tetrastat::terminal::watch::Timeline;

use crate::common::{read, rows};

/// A player puts each block on the lowest columns, or on the leftmost ones if it `is_lazy`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "game", rename = "blocks")]
struct Blocks {
    is_lazy: bool,
    games: u64,
    seed: u64,
    shard: Option<String>,
    log: Option<LogSettings>,
    /// Game at which the run is stopped, as Ctrl-C would, and the flag of the run.
    #[serde(skip)]
    stop: Option<(u64, Arc<AtomicBool>)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Falling {
    board: Board,
    queue: Queue,
    row: GameCounts,
}

#[derive(Clone, Debug)]
struct Placed {
    game: u64,
    column: usize,
    step: WatchedStep<StepView>,
}

impl Game for Blocks {
    const NAME: &'static str = "blocks";

    type Player = ();
    type State = Falling;
    type Placement = Placed;
    type Context<'a> = ();
    type Candidate = (Placed, bool);
    type Row = GameCounts;
    type End = ();
    type Games = Vec<GameCounts>;

    fn plan(&self) -> Plan {
        let Blocks { games, seed, .. } = *self;
        let shard = self.shard.as_deref().and_then(|shard| shard.parse().ok());
        let checkpoint_every = CHECKPOINT_EVERY;
        Plan { games, shard, seed, threads: 2, checkpoint_every, level: None, sample: 0 }
    }

    fn of_games(&self, games: u64) -> Blocks {
        Blocks { games, ..self.clone() }
    }

    fn log(&self) -> Option<&LogSettings> {
        self.log.as_ref()
    }

    fn log_mut(&mut self) -> Option<&mut LogSettings> {
        self.log.as_mut()
    }

    fn about(&self) -> About {
        let player = if self.is_lazy { "lazy" } else { "lowest" }.to_owned();
        let (label, identity, seed) = (player.clone(), json!(player), self.seed);
        let units = (self.games, "games");
        About { player, label, identity, seed, units, measure: "lines", ..About::default() }
    }

    fn describe(run: &Manifest<Blocks>) -> [String; 3] {
        let title = format!("{} games of blocks", run.totals.games);
        ["blocks".to_owned(), title, "Blocks fall.".to_owned()]
    }

    fn measure(&self, column: &Column) -> Measure {
        let column = column.name.clone();
        Measure { column, scale: Scale::Total, better: Better::More, ended: None }
    }

    fn player(&self) -> Result<()> {
        Ok(())
    }

    fn begin(&self, seed: u64, index: u64) -> Falling {
        let row = GameCounts { game: index, ..GameCounts::default() };
        let queue = Queue::new(QueueKind::Uniform, seed, index);
        Falling { board: Board::empty("6x8".parse().unwrap()), queue, row }
    }

    fn restored(&self, mut state: Falling) -> Result<Falling> {
        state.queue.set_kind(QueueKind::Uniform);
        Ok(state)
    }

    fn step<R: Recorder<Blocks>>(
        &self,
        (): &mut (),
        state: &mut Falling,
        recorder: &mut R,
    ) -> Result<Stepped<()>> {
        if let Some((_, stop)) = self.stop.as_ref().filter(|(game, _)| *game == state.row.game) {
            stop.store(true, Ordering::Relaxed);
        }
        let size = if state.queue.deal()? == Piece::I { 1 } else { 2 };
        let heights = state.board.heights();
        let rest = |column: &usize| heights[*column].max(heights[column + size - 1]);
        let columns = 0..=6 - size;
        let step = if self.is_lazy { 4 } else { 1 };
        let column = columns.min_by_key(|column| rest(column) / step);
        let (column, row) = column.map(|column| (column, usize::from(rest(&column)))).unwrap();
        // A single cell is shown four times in the same place.
        let cells = [0, 1, 2, 3].map(|cell| (column + cell % size, row + cell / 2 % size));
        let (before, number) = (state.board, state.row.pieces + 1);
        let filled = cells.iter().fold(before, |board, &(column, row)| board.with(column, row));
        let (after, lines) = filled.clear();
        (state.board, state.row.pieces) = (after, number);
        state.row.lines += u64::from(lines);
        let stack = after.stack_height();
        if recorder.wants(number) {
            let (piece, height, lines, lost) = (Piece::O, 8, lines as u8, stack > 8);
            let (score, next, hold) = (None, Vec::new(), None);
            let scene =
                StepView { before, height, piece, cells, lines, lost, score, next, hold, after };
            let step = WatchedStep { piece_no: number, lines_total: state.row.lines, scene };
            recorder.record(number, &Placed { game: state.row.game, column, step }, ());
        }
        Ok(Stepped { lines, stack, end: (stack > 8).then_some(()) })
    }

    fn fork(state: &mut Falling, stream: Stream) {
        state.queue.branch(stream);
    }

    fn row(state: &Falling) -> &GameCounts {
        &state.row
    }

    fn ended(state: Falling, (): ()) -> GameCounts {
        state.row
    }

    fn counts(row: &GameCounts) -> GameCounts {
        *row
    }

    fn game_fields() -> Vec<Field<GameCounts>> {
        vec![
            Field::count("game", "-", "number of the game", |row: &GameCounts| row.game),
            Field::count("pieces", "pieces", "blocks placed", |row: &GameCounts| row.pieces),
            Field::count("lines", "rows", "rows removed", |row: &GameCounts| row.lines),
        ]
    }

    fn placements(&self, columns: &Columns) -> Result<RowEncoder<Placed>> {
        let fields = vec![
            Field::count("game", "-", "number of the game", |placed: &Placed| placed.game)
                .minimal(),
            Field::count("piece_no", "-", "number of the block", |placed: &Placed| {
                placed.step.piece_no
            }),
            Field::integer("column", "-", "column of the block", |placed: &Placed| placed.column),
        ];
        Ok(RowEncoder::from_fields(select_fields(columns, fields, &["game", "piece_no"], &[])?))
    }

    fn add(games: &mut Vec<GameCounts>, row: GameCounts) {
        games.push(row);
    }

    fn sort(games: &mut Vec<GameCounts>) {
        games.sort_by_key(|row| row.game);
    }

    fn read(path: &Path) -> Result<Vec<GameCounts>> {
        let column = |name| read_values(path, name, None);
        let (games, pieces, lines) = (column("game")?, column("pieces")?, column("lines")?);
        let rows = games.iter().zip(pieces).zip(lines).map(|((game, pieces), lines)| GameCounts {
            game: game.0 as u64,
            pieces: pieces.0 as u64,
            lines: lines.0 as u64,
            ..GameCounts::default()
        });
        Ok(rows.collect())
    }

    fn totals(games: &Vec<GameCounts>) -> GameTotals {
        let sum = |of: fn(&GameCounts) -> u64| games.iter().map(of).sum();
        let (pieces, lines) = (sum(|row| row.pieces), sum(|row| row.lines));
        GameTotals { games: games.len() as u64, pieces, lines }
    }

    fn summary(&self, games: &Vec<GameCounts>) -> Option<Summary> {
        let observed = |row: &GameCounts| Observed { value: row.lines as f64, censored: false };
        let games: Vec<Observed> = games.iter().map(observed).collect();
        let mut summary = Summary::default();
        summary.add("lines", Estimate::new(&games, Scale::Total, true, self.seed));
        (!games.is_empty()).then_some(summary)
    }

    fn heights(&self) -> [usize; 2] {
        [8, 10]
    }

    fn importance(&self, _: Importance, (): &(), state: &Falling) -> usize {
        state.board.stack_height()
    }
}

impl Watched for Blocks {
    type Scene = StepView;
    type Logged = Falling;
    type Explainer = Infallible;

    fn first_state(&self, game: u64) -> Falling {
        self.begin(self.seed, game)
    }

    fn step_of(placed: &Placed, (): ()) -> WatchedStep<StepView> {
        placed.step.clone()
    }

    fn describe_end((): ()) -> &'static str {
        "the stack is too high"
    }

    fn rebuild(&self, state: &mut Falling, row: &LoggedRow) -> Result<Rebuilt<StepView>> {
        let mut played = None;
        let see = |placed: &Placed, ()| played = Some(placed.clone());
        self.step(&mut (), state, &mut OnPlacement(see))?;
        let Placed { column, step, .. } = played.unwrap();
        Ok(row.check(&[("column", column.to_string())]).map(|()| step))
    }

    fn explain(&self, explainer: &mut Infallible, _: &StepView, _: Option<usize>) -> Analysis {
        match *explainer {}
    }

    fn view(scene: &StepView) -> StepView {
        scene.clone()
    }
}

fn blocks(is_lazy: bool) -> Blocks {
    let log = Some(LogSettings::new(LogFormat::Csv, Columns::All));
    Blocks { is_lazy, games: 40, seed: 3, shard: None, log, stop: None }
}

/// Plays `game` into `folder`. With `stops_at`, the run is stopped when that game is played.
fn run(game: &Blocks, folder: &Path, stops_at: Option<u64>) -> Status {
    let stop = Arc::new(AtomicBool::new(false));
    let game = Blocks { stop: stops_at.map(|game| (game, stop.clone())), ..game.clone() };
    play_or_resume(&game, folder, &Totals::default(), &stop).unwrap().manifest.status
}

#[test]
fn runs_are_logged_verified_and_resumed() {
    let temporary = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| temporary.path().join(name));
    let game = Blocks { games: 400, ..blocks(false) };
    assert_eq!(run(&game, &whole, None), Status::Complete);
    assert_eq!(run(&game, &parts, Some(200)), Status::Interrupted);
    assert_eq!(run(&game, &parts, None), Status::Complete);
    for table in ["games.csv", "placements.csv"] {
        assert_eq!(fs::read(whole.join(table)).unwrap(), fs::read(parts.join(table)).unwrap());
    }
    assert!(verify(&whole).unwrap().iter().all(|finding| finding.problem.is_none()));
    let games = rows(&whole.join("games.csv"));
    let pieces: usize = games.iter().map(|row| row["pieces"].parse::<usize>().unwrap()).sum();
    assert_eq!(rows(&whole.join("placements.csv")).len(), pieces);
    assert!(read(&whole, "run.json").contains("\"game\": \"blocks\""));
}

#[test]
fn games_are_watched_live_and_from_their_log() {
    let temporary = tempfile::tempdir().unwrap();
    assert_eq!(run(&blocks(false), temporary.path(), None), Status::Complete);
    let mut live = Timeline::live(blocks(false), 3, 10_000).unwrap();
    let mut logged = Timeline::<Blocks>::replay(temporary.path(), 3, 10_000).unwrap();
    while live.forward().unwrap() {
        assert!(logged.forward().unwrap());
        assert_eq!(live.step(), logged.step());
    }
    assert_eq!(live.ending(), Some("the stack is too high"));
    assert_eq!(live.title(), "lowest · game 3");
    let (last, games) = (live.step().unwrap(), rows(&temporary.path().join("games.csv")));
    assert!(last.scene.lost && !logged.forward().unwrap());
    assert_eq!(last.lines_total.to_string(), games[3]["lines"]);
    assert!(live.analysis(None).is_none());
}

#[test]
fn players_are_compared_and_estimated() {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().join("study");
    let games = vec![blocks(true), blocks(false)];
    let comparison = RunComparison::new(&path, games, None).unwrap();
    let mut study: Study<Blocks> = comparison.open(&[400, 400]).unwrap();
    for place in 0..2 {
        study.play(place, &Totals::default(), &AtomicBool::new(false)).unwrap();
    }
    let compared = comparison.compare(comparison.arms().unwrap());
    let best = &compared.controllers[0];
    assert_eq!((&*best.controller, compared.pairs[0].differ), ("lowest", true));

    // Splitting agrees with plain games within 5 standard errors.
    let config = EstimateConfig {
        run: blocks(false),
        splits: true,
        importance: Importance::Height,
        pieces: 3000,
        burn_in: 100,
        pilot: PilotOptions { pieces: 3000, ..PilotOptions::default() },
        stop: StopRule { budget: Some(200_000), half_width: None },
    };
    let (watch, go) = (Arc::default(), AtomicBool::new(false));
    let levels = find_levels(&config, &watch, &go).unwrap().unwrap();
    let long = LongGames { config, method: EstimateMethod::All, levels, watch };
    let (out, totals) = (temporary.path().join("estimate"), Totals::default());
    let estimated = play_or_resume(&long, &out, &totals, &go).unwrap().manifest.summary;
    let found = estimated.unwrap().results.splitting.unwrap();
    let (found, plain) = (found.ratio.mean, best.mean());
    let width = |mean: &Mean| mean.half_width() * mean.mean.unwrap();
    let apart = (found.mean.unwrap() - plain.mean.unwrap()).abs();
    assert!(apart < 2.5 * (width(&found) + width(plain)), "{found:?} {plain:?}");
}
