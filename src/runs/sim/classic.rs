//! Classic games: the state and steps of a game, and the results of a run.

use std::sync::LazyLock;

use serde_json::Value;

use super::ClassicConfig;
use super::config::{garbage_label, garbage_text};
use super::game::{Game, GameCounts, GameTotals, Plan, Recorder, Stepped};
use crate::controller::Scorer;
use crate::engine::{About, Manifest, Measure};
use crate::estimate::{Importance, check_policy, check_queue, check_start};
use crate::prelude::*;
use crate::record::{
    CLEARS, CandidateEncoder, CandidateRecord, EndReason, EndedRow, GameRow, Lifetime,
    PlacementEncoder, PlacementRecord, Selection, games_fields, read_games,
};
use crate::search::{Decision, Player};
use crate::stats::{
    Better, Estimate, LEVEL, Mean, Method, Observed, PerGameSums, Scale, Summary, mean_by,
    remedy_without_ends,
};
use crate::text::numbers::thousands;

/// State of a classic game between two pieces, aligned to a cache line for speed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[repr(C, align(64))]
pub struct Snapshot {
    /// Board of the game after the last placement.
    pub board: Board,
    /// Queue that deals the game's coming pieces.
    pub queue: Queue,
    /// Counts of the game so far, such as pieces and lines.
    pub row: GameRow,
    /// Number of the last I piece, counted among all pieces of the game from 1; `None` before it.
    pub last_i: Option<u64>,
    /// State of the game's garbage rows; `None` if the games have none.
    pub garbage: Option<Box<GarbageRows>>,
}

/// Results of a run's finished classic games, from which its summary is computed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GameSums {
    /// Number and lines of each finished game, sorted by game number once the run has ended.
    #[serde(skip)]
    lifetimes: Vec<(u64, Lifetime)>,
    pieces: u64,
    lines: u64,
    #[serde(skip)]
    clears: [PerGameSums; 4],
}

impl GameSums {
    /// Returns the lines of each finished game, ordered by game number once the run has ended.
    pub fn lifetimes(&self) -> impl Iterator<Item = Lifetime> {
        self.lifetimes.iter().map(|(_, lifetime)| *lifetime)
    }

    fn add(&mut self, EndedRow { game, pieces, lifetime, clears }: EndedRow) {
        self.lifetimes.push((game, lifetime));
        for (sums, clears) in self.clears.iter_mut().zip(clears) {
            sums.add(clears as f64);
        }
        // An edited table may contain numbers whose sum overflows, so the addition saturates.
        self.pieces = self.pieces.saturating_add(pieces);
        self.lines = self.lines.saturating_add(lifetime.lines);
    }
}

impl Game for ClassicConfig {
    const NAME: &'static str = "classic";
    const INTERRUPTED: Option<EndReason> = Some(EndReason::Interrupted);

    type Player = Player;
    type State = Snapshot;
    type Placement = PlacementRecord;
    type Context<'a> = ();
    type Candidate = CandidateRecord;
    type Row = GameRow;
    type End = EndReason;
    type Games = GameSums;

    fn plan(&self) -> Plan {
        let ClassicConfig { games, shard, seed, threads, checkpoint_every, level, sample, .. } =
            *self;
        Plan { games, shard, seed, threads, checkpoint_every, level: Some(level), sample }
    }

    fn of_games(&self, games: u64) -> ClassicConfig {
        ClassicConfig { games, ..self.clone() }
    }

    fn log(&self) -> Option<&LogSettings> {
        self.log.as_ref()
    }

    fn log_mut(&mut self) -> Option<&mut LogSettings> {
        self.log.as_mut()
    }

    fn validate(&self) -> Result<()> {
        self.validate()
    }

    fn about(&self) -> About {
        let ClassicConfig { controller, rules, size, queue, search, policy, seed, limits, .. } =
            self;
        let of_rules = match rules.to_string().as_str() {
            "simplified" => String::new(),
            other => format!("-{other}"),
        };
        let (name, garbage) = (&controller.name, garbage_label(&self.garbage));
        let played = format!("{size}{garbage}-{queue}-{search}{}", policy.label("-"));
        let mut identity = json!(controller);
        // Players that differ only in the tie rule share a name, so the tie rule is ignored.
        identity["tie"] = Value::Null;
        let range = self.game_range();
        let option = |name: &str, limit: Option<u64>| {
            limit.map(|limit| format!("--{name} ({}; none for no limit)", thousands(limit)))
        };
        let options = [option("max-pieces", limits.pieces), option("max-lines", limits.lines)];
        let options: Vec<String> = options.into_iter().flatten().collect();
        About {
            player: name.clone(),
            identity,
            label: format!("{name}{of_rules}-{played}-s{seed}"),
            folder: format!("{name}-{played}"),
            heading: self.heading(&format!("search {search}")),
            reported_keys: &[
                "rules",
                "board",
                "queue",
                "search",
                "policy",
                "garbage",
                "garbage_messiness",
                "garbage_every",
                "seed",
                "max_pieces",
                "max_lines",
            ],
            fixed_queue: (!queue.is_random()).then(|| queue.to_string()),
            seed: *seed,
            units: (range.end - range.start, "games"),
            limits: [limits.pieces, limits.lines, None],
            remedy: remedy_without_ends(&options.join(" and ")),
            measure: MAIN_MEASURE,
        }
    }

    fn describe(run: &Manifest<ClassicConfig>) -> [String; 3] {
        [name(run), title(run), description(run)]
    }

    fn sources(&self) -> Vec<Value> {
        let controller = &self.controller;
        let title = format!("controller {}: {}", controller.name, controller.source);
        let known = !controller.source.is_empty();
        known.then(|| json!({ "title": title })).into_iter().collect()
    }

    fn measure(&self, column: &Column) -> Measure {
        measure(column)
    }

    fn player(&self) -> Result<Player> {
        Player::new(&self.controller, self.rules, self.search, self.size, self.level)
    }

    fn begin(&self, seed: u64, index: u64) -> Snapshot {
        let (board, garbage) = self.start_board(index);
        let mut row = GameRow::new(index, seed);
        row.garbage_left = garbage.as_ref().map_or(0, |garbage| garbage.remaining().into());
        let queue = Queue::new(self.queue.clone(), seed, index);
        Snapshot { board, queue, row, last_i: None, garbage }
    }

    fn restored(&self, mut state: Snapshot) -> Result<Snapshot> {
        let fits = state.board.validate().is_ok() && state.board.size() == self.size;
        if !fits || GameRow::new(state.row.game, self.seed).stream_seed != state.row.stream_seed {
            let text = "the checkpoint holds a game of another run: start a new run";
            return Err(Error::Config(text.to_owned()));
        }
        state.queue.set_kind(self.queue.clone());
        Ok(state)
    }

    #[inline(always)]
    fn step<R: Recorder<ClassicConfig>>(
        &self,
        player: &mut Player,
        game: &mut Snapshot,
        recorder: &mut R,
    ) -> Result<Stepped<EndReason>> {
        match self.policy {
            _ if game.garbage.is_some() => place_with_garbage(self, player, game, recorder),
            Policy::Best => place::<true, false, R>(self, player, game, recorder),
            _ => place::<false, false, R>(self, player, game, recorder),
        }
    }

    fn fork(state: &mut Snapshot, stream: Stream) {
        state.queue.branch(stream);
    }

    fn row(state: &Snapshot) -> &GameRow {
        &state.row
    }

    fn ended(state: Snapshot, end: EndReason) -> GameRow {
        state.row.ended(end)
    }

    #[inline]
    fn counts(row: &GameRow) -> GameCounts {
        let &GameRow { game, pieces, lines, end_reason, .. } = row;
        let (censored, won) = (end_reason.is_censored(), end_reason == EndReason::LineLimit);
        GameCounts { game, pieces, lines, time_us: 0, censored, won }
    }

    fn game_fields() -> Vec<Field<GameRow>> {
        games_fields()
    }

    fn placements(&self, columns: &Columns) -> Result<PlacementEncoder> {
        PlacementEncoder::new(&self.controller, self.size, columns)
    }

    fn candidates(&self, columns: &Columns) -> Result<CandidateEncoder> {
        let placements = self.placements(columns)?;
        Ok(CandidateEncoder::new(&self.controller, self.size, self.search, &placements))
    }

    fn rank(
        &self,
        ranker: &mut Player,
        placement: &PlacementRecord,
        (): (),
        take: &mut dyn FnMut(CandidateRecord),
    ) {
        let ranked = ranker.rank(&placement.before, placement.piece, placement.next);
        CandidateRecord::from_ranking(placement, ranked).for_each(take);
    }

    fn add(games: &mut GameSums, row: GameRow) {
        let (game, pieces, lifetime) = (row.game, row.pieces, row.lifetime());
        games.add(EndedRow { game, pieces, lifetime, clears: row.clears });
    }

    fn sort(games: &mut GameSums) {
        games.lifetimes.sort_unstable_by_key(|(game, _)| *game);
    }

    fn read(path: &Path) -> Result<GameSums> {
        let mut games = GameSums::default();
        read_games(path)?.into_iter().for_each(|row| games.add(row));
        // A table of an unfinished run has its games in the order of their ends.
        ClassicConfig::sort(&mut games);
        Ok(games)
    }

    fn totals(games: &GameSums) -> GameTotals {
        let GameSums { pieces, lines, .. } = *games;
        GameTotals { games: games.lifetimes.len() as u64, pieces, lines }
    }

    fn summary(&self, sums: &GameSums) -> Option<Summary> {
        if sums.lifetimes.is_empty() {
            return None;
        }
        let (is_random, seed) = (self.queue.is_random(), self.seed);
        let games: Vec<Observed> = sums.lifetimes().map(Observed::from).collect();
        let lines = Estimate::new(&games, Scale::Total, is_random, seed);
        let (name, method) = match lines.mean.method {
            Some(Method::Bootstrap) => ("lines_exponential", Method::Exponential),
            _ => ("lines_bootstrap", Method::Bootstrap),
        };
        let mut summary = Summary::default();
        let other = mean_by(method, &games, Scale::Total, is_random, seed);
        summary.means.insert(name.to_owned(), other);
        if self.garbage.every.is_some() {
            let n = games.len() as u64;
            let survived = games.iter().filter(|game| game.censored).count() as u64;
            summary.means.insert("survived".to_owned(), Mean::of_share(survived, n));
        }
        summary.add("lines", lines);
        for ((name, ..), sums) in CLEARS.iter().zip(&sums.clears) {
            summary
                .clears
                .extend(sums.mean(LEVEL, Some(1.0)).map(|mean| ((*name).to_owned(), mean)));
        }
        Some(summary)
    }

    fn heights(&self) -> [usize; 2] {
        [self.size.height(); 2]
    }

    fn check_estimable(&self, importance: Importance) -> Result<()> {
        self.validate()?;
        if importance == Importance::Value && self.controller.external.is_some() {
            let text = "importance 'value' needs a controller whose weights value boards: here use \
                one of cells, height, holes";
            return Err(Error::Config(text.to_owned()));
        }
        check_policy(self.policy)?;
        check_start(&self.garbage)?;
        check_queue(&self.queue)
    }

    fn importance(&self, importance: Importance, player: &Player, state: &Snapshot) -> usize {
        importance_of(importance, &state.board, player.scorer())
    }
}

/// Plays one piece of a game with garbage rows; not inlined, so that other games stay fast.
#[inline(never)]
fn place_with_garbage<R: Recorder<ClassicConfig>>(
    config: &ClassicConfig,
    player: &mut Player,
    game: &mut Snapshot,
    recorder: &mut R,
) -> Result<Stepped<EndReason>> {
    match config.policy {
        Policy::Best => place::<true, true, R>(config, player, game, recorder),
        _ => place::<false, true, R>(config, player, game, recorder),
    }
}

#[inline(always)]
fn place<const IS_BEST: bool, const HAS_GARBAGE: bool, R: Recorder<ClassicConfig>>(
    config: &ClassicConfig,
    player: &mut Player,
    game: &mut Snapshot,
    recorder: &mut R,
) -> Result<Stepped<EndReason>> {
    let piece_no = game.row.pieces + 1;
    let piece = config.rules.deal(&mut game.queue, &game.board)?;
    if R::KEEPS_ROW && piece == Piece::I {
        game.last_i = Some(piece_no);
    }
    // A peek costs time, so only a search that needs the next piece makes one; the pieces are the
    // same. A piece that is drawn early would also be the same in all copies of a game that splits.
    let next = if config.search == Search::Next { game.queue.peek(0) } else { None };
    let stream = || Policy::stream(config.seed, game.row.game, piece_no);
    let mut outcome = None;
    // A decision with its report takes longer than a step, so only logged placements and games with
    // garbage use it. Both choose the same placement.
    let step = if recorder.wants(piece_no) || HAS_GARBAGE {
        let decision = match IS_BEST {
            true => player.decide(&game.board, piece, next),
            false => player.decide_by(config.policy, &mut stream(), &game.board, piece, next),
        };
        if let Some(decision) = &decision {
            if !HAS_GARBAGE || recorder.wants(piece_no) {
                let placement = record(config, player, game, piece, next, decision);
                recorder.record(piece_no, &placement, ());
            }
            game.board = decision.outcome.after;
            outcome = HAS_GARBAGE.then_some(decision.outcome);
        }
        decision.as_ref().map(Decision::step)
    } else if IS_BEST {
        player.step(&mut game.board, piece, next)
    } else {
        let mut stream = stream();
        player.step_by(config.policy, &mut stream, &mut game.board, piece, next)
    };
    // A blocked piece was dealt but does not count, because nothing was placed.
    let Some(step) = step else {
        player.check_external()?;
        let stack = game.board.stack_height();
        return Ok(Stepped { lines: 0, stack, end: Some(EndReason::SpawnBlocked) });
    };
    let (lines, stack) = (u32::from(step.lines), usize::from(step.stack));
    if R::KEEPS_ROW {
        game.row.place(piece, u64::from(lines), stack);
    }
    let mut lost = step.lost;
    if let (Some(garbage), Some(outcome)) = (&mut game.garbage, outcome) {
        let (cleared, is_over) = config.update_garbage(garbage, &mut game.board, &outcome);
        game.row.garbage_cleared += u64::from(cleared);
        game.row.garbage_left = garbage.remaining().into();
        lost = is_over;
    }
    let limits = &config.limits;
    let reached = |limit: Option<u64>, count| limit.is_some_and(|limit| count >= limit);
    let end = match () {
        // A loss precedes limits: a game that ends with the last allowed piece is not censored.
        () if lost => Some(EndReason::TopOut),
        () if !R::KEEPS_ROW => None,
        () if reached(limits.lines, game.row.lines) => Some(EndReason::LineLimit),
        () if reached(limits.pieces, game.row.pieces) => Some(EndReason::PieceLimit),
        () => None,
    };
    Ok(Stepped { lines, stack, end })
}

#[inline(always)]
fn record(
    config: &ClassicConfig,
    player: &Player,
    game: &Snapshot,
    piece: Piece,
    next: Option<Piece>,
    decision: &Decision,
) -> PlacementRecord {
    let piece_no = game.row.pieces + 1;
    PlacementRecord {
        game: game.row.game,
        stream_seed: game.row.stream_seed,
        piece_no,
        piece,
        next,
        lines_total: game.row.lines + u64::from(decision.outcome.played.lines),
        since_i: game.last_i.map(|last| piece_no - last),
        deals_bags: config.queue == QueueKind::Bag,
        decision: *decision,
        before: game.board,
        measured: player.scorer().measured(),
        scale: player.scorer().scale(),
        garbage: game.garbage.as_ref().map_or(0, |garbage| garbage.remaining()),
        patterns: player.pattern_value(&decision.outcome),
    }
}

/// Name of the column by which runs of classic games are compared by default.
pub const MAIN_MEASURE: &str = "lines";

/// Returns how to compare classic games by `column`; less is better only for `garbage_left`.
#[must_use]
pub fn measure(column: &Column) -> Measure {
    // Counts add up while a game is played.
    let adds_up = column.kind == ColumnType::Count;
    Measure {
        column: column.name.clone(),
        scale: if adds_up { Scale::Total } else { Scale::PerGame },
        better: if column.name == "garbage_left" { Better::Fewer } else { Better::More },
        // These columns describe a game as it is at its limit, so the limit censors no value.
        ended: (!["garbage_cleared", "garbage_left", "survived"].contains(&&*column.name))
            .then_some(("censored", &["FALSE"])),
    }
}

fn name(manifest: &Manifest<ClassicConfig>) -> String {
    let config = &manifest.config;
    let ClassicConfig { rules, size, queue, search, policy, seed, .. } = config;
    let (program, controller) = (&manifest.provenance.program, &config.controller.name);
    let mut name = format!("{program}-{controller}-{rules}-{size}-{queue}-{search}-0x{seed:016x}");
    name += &garbage_label(&config.garbage);
    name += &policy.label("-");
    if let Some(shard) = &config.shard {
        name += &format!("-shard-{shard}");
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    name.to_lowercase().replace(|c: char| !plain(c), "-")
}

fn title(manifest: &Manifest<ClassicConfig>) -> String {
    let config = &manifest.config;
    let ClassicConfig { rules, size, search, policy, .. } = config;
    let (controller, queue) = (&config.controller.name, config.queue.describe());
    let games = manifest.totals.games;
    let mut title = format!(
        "{games} falling-block games of {controller}: {rules} {size}, queue {queue}, search \
         {search}"
    );
    title += &garbage_text(&config.garbage).map_or(String::new(), |words| format!(", {words}"));
    title + &policy.label(", policy ")
}

fn description(manifest: &Manifest<ClassicConfig>) -> String {
    let config = &manifest.config;
    let mut text = format!(
        "Games played by the controller {} in {} {}. `run.json` has the whole configuration.\n\n\
         A game whose `censored` is TRUE was cut off: its `lines` are a lower bound.",
        config.controller.name, manifest.provenance.program, manifest.provenance.version
    );
    if config.log.as_ref().is_some_and(|log| log.selection != Selection::default()) {
        text += " Not every placement is logged: `config.log` in `run.json` says which are.";
    }
    if manifest.status != Status::Complete {
        text += " The run is incomplete: games are missing or censored.";
    }
    text
}

/// Number of steps of a board's danger per sum of the controller's absolute weights.
const VALUE_STEPS: i64 = 8;
/// Upper limit of a board's danger; a splitting estimate stores a count per danger value.
const LARGEST_VALUE: i64 = 4096;

static HOLES: LazyLock<Option<Feature>> = LazyLock::new(|| "holes".parse().ok());

fn importance_of(importance: Importance, board: &Board, scorer: &Scorer) -> usize {
    match importance {
        // Counting all stored rows lets the compiler use a few vector instructions.
        Importance::Cells => board.rows().iter().map(|row| row.count_ones() as usize).sum(),
        Importance::Height => board.stack_height(),
        Importance::Value => value(board, scorer),
        Importance::Holes => {
            let holes = HOLES.as_ref().and_then(|holes| holes.raw(board, None));
            holes.unwrap_or_default() as usize
        }
    }
}

/// Returns a board's danger: its negative score, scaled by the weights, without features that
/// reward a placement.
fn value(board: &Board, scorer: &Scorer) -> usize {
    let (mut score, mut weights) = (0, 0);
    for (feature, weight) in
        scorer.terms(board.stack_height()).iter().filter(|(feature, _)| !feature.is_reward())
    {
        score += weight * i64::from(feature.raw(board, None).unwrap_or(0));
        weights += weight.abs();
    }
    if let Some((patterns, weight)) = scorer.patterns() {
        score += weight * patterns.value(board);
        weights += weight * patterns.largest() / patterns.layout().lookups().len() as i64;
    }
    // In units of the sum of weights, a controller and a copy with all weights doubled have equal
    // levels.
    (-score * VALUE_STEPS / weights.max(1)).clamp(0, LARGEST_VALUE) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Controller;
    use crate::rules::{Garbage, Rules};
    use crate::sim::game::{CHECKPOINT_PLACEMENTS, OnPlacement, play_to_end};
    use crate::sim::{Limits, Unrecorded};

    fn config(queue: QueueKind, rules: Rules) -> ClassicConfig {
        let bcts = Controller::load("bcts").unwrap();
        ClassicConfig { rules, queue, ..ClassicConfig::new(bcts, "10x20".parse().unwrap()) }
    }

    fn play(config: &ClassicConfig) -> GameRow {
        let mut player = config.player().unwrap();
        play_to_end(config, &mut player, config.begin(config.seed, 0), &mut Unrecorded).unwrap()
    }

    #[test]
    fn ten_squares_clear_four_lines() {
        let script = QueueKind::script("OOOOOOOOOO", false).unwrap();
        let limits = Limits { pieces: Some(10), lines: None };
        let row = play(&ClassicConfig { limits, ..config(script, Rules::simplified()) });
        assert_eq!((row.pieces, row.lines, row.clears), (10, 4, [0, 2, 0, 0]));
        assert_eq!((row.end_reason, row.height_max), (EndReason::PieceLimit, 2));
        assert!(row.end_reason.is_censored());
        assert_eq!(row.pieces_of[Piece::O.index()], 10);
    }

    #[test]
    fn a_line_limit_censors() {
        let limits = Limits { pieces: None, lines: Some(3) };
        let squares = QueueKind::script("O", true).unwrap();
        let row = play(&ClassicConfig { limits, ..config(squares, Rules::simplified()) });
        assert_eq!((row.lines, row.end_reason), (4, EndReason::LineLimit));
    }

    // The third O lies on two garbage rows and touches the top row; the third row lifts it above.
    #[test]
    fn a_rising_row_ends_a_game() {
        let queue = QueueKind::script("O", true).unwrap();
        let garbage = Garbage { rows: 0, messiness: Some(0.0), every: Some(1) };
        let size = "4x4".parse().unwrap();
        let usual = ClassicConfig { garbage, size, ..config(queue, Rules::simplified()) };
        let row = play(&usual);
        assert_eq!((row.pieces, row.lines, row.end_reason), (3, 2, EndReason::TopOut));
        assert_eq!((row.garbage_cleared, row.garbage_left, row.height_max), (0, 3, 4));
        // A row after every second piece lets the game continue.
        let garbage = Garbage { every: Some(2), ..garbage };
        let limits = Limits { pieces: Some(3), lines: None };
        let row = play(&ClassicConfig { garbage, limits, ..usual });
        assert_eq!((row.lines, row.end_reason), (2, EndReason::PieceLimit));
        assert_eq!((row.garbage_left, row.height_max), (1, 3));
    }

    #[test]
    fn the_adversary_ends_the_game_under_both_rules() {
        let row = play(&config(QueueKind::AlternatingSz, Rules::simplified()));
        assert_eq!(row.end_reason, EndReason::TopOut);
        assert!(row.lines > 0 && row.height_max > 20);
        let row = play(&config(QueueKind::AlternatingSz, Rules::standard()));
        assert_eq!(row.end_reason, EndReason::SpawnBlocked);
        assert!(row.height_max <= 20);
    }

    fn play_all(
        config: &ClassicConfig,
        mut state: Snapshot,
    ) -> (GameRow, Vec<PlacementRecord>, Option<Snapshot>) {
        let (mut player, mut placements) = (config.player().unwrap(), Vec::new());
        let mut looked_at = None;
        loop {
            let see = |placement: &PlacementRecord, ()| placements.push(*placement);
            let stepped = config.step(&mut player, &mut state, &mut OnPlacement(see)).unwrap();
            if state.row.pieces == CHECKPOINT_PLACEMENTS {
                looked_at = Some(state.clone());
            }
            if let Some(end) = stepped.end {
                return (state.row.ended(end), placements, looked_at);
            }
        }
    }

    fn with_policy(policy: Policy) -> ClassicConfig {
        let limits = Limits { pieces: Some(3_000), lines: None };
        ClassicConfig { policy, limits, ..config(QueueKind::Bag, Rules::simplified()) }
    }

    const POLICIES: [Policy; 3] =
        [Policy::Epsilon(0.02), Policy::Softmax(1.0), Policy::Misdrop(0.05)];

    // Logged and unlogged games are equal, and so is a game that continues from a stored state.
    #[test]
    fn policies_change_placements_and_nothing_else() {
        let best = with_policy(Policy::Best);
        let (usual, all, _) = play_all(&best, best.begin(best.seed, 2));
        let pieces: Vec<Piece> = all.iter().map(|placed| placed.piece).collect();
        for policy in POLICIES {
            let config = with_policy(policy);
            let first = config.begin(config.seed, 2);
            let (row, all, looked_at) = play_all(&config, first.clone());
            assert!(row != usual && row.pieces > CHECKPOINT_PLACEMENTS, "{policy}: {row:?}");
            let same = all.iter().map(|placed| placed.piece).zip(&pieces);
            assert!(same.into_iter().all(|(piece, other)| piece == *other), "{policy}");
            let mut player = config.player().unwrap();
            let unlogged = play_to_end(&config, &mut player, first, &mut Unrecorded).unwrap();
            assert_eq!(unlogged, row, "{policy}");
            let stored = serde_json::to_string(&looked_at.unwrap()).unwrap();
            let stored: Snapshot = serde_json::from_str(&stored).unwrap();
            let stored = config.restored(stored).unwrap();
            assert_eq!(play_all(&config, stored).0, row, "{policy}");
        }
        for policy in [Policy::Epsilon(0.0), Policy::Misdrop(0.0)] {
            let config = with_policy(policy);
            assert_eq!(play_all(&config, config.begin(config.seed, 2)).0, usual, "{policy}");
        }
    }

    // Allows 4 standard deviations. The seed is fixed; of 15,000 others, about one would fail.
    #[test]
    fn the_share_of_other_placements_is_that_of_the_policy() {
        let probability = 0.1;
        for policy in [Policy::Epsilon(probability), Policy::Misdrop(probability)] {
            let config = with_policy(policy);
            let (mut count, mut mean, mut variance) = (0.0, 0.0, 0.0);
            for game in 0..6 {
                for placed in play_all(&config, config.begin(config.seed, game)).1 {
                    // Epsilon draws the best placement itself, too.
                    let of_best = 1.0 / placed.decision.candidates as f64;
                    let other = match policy {
                        Policy::Epsilon(_) => probability * (1.0 - of_best),
                        _ => probability,
                    };
                    mean += other;
                    variance += other * (1.0 - other);
                    count += f64::from(u8::from(placed.decision.best.is_some()));
                }
            }
            assert!(mean > 100.0, "{policy}: {mean}");
            let sd = f64::sqrt(variance);
            assert!((count - mean).abs() < 4.0 * sd, "{policy}: {count}, not {mean} +- {sd}");
        }
    }

    fn manifest() -> Manifest<ClassicConfig> {
        let config = json!({
            "game": "classic", "controller": {
                "name": "My Own", "source": "a paper", "measured": "after-clear", "tie": "first",
                "weights": { "holes": -4.0 }, "patterns": null, "external": null,
            },
            "rules": "simplified", "reach": null, "clear_on_overflow": false, "board": "4x8",
            "start": null, "garbage": 0, "garbage_messiness": null, "garbage_every": null,
            "policy": "best", "queue": "script (cycle) IO",
            "search": "greedy", "games": 8,
            "shard": "1/4", "max_pieces": 9, "max_lines": null, "seed": "0x0000000000000007",
            "log": null,
        });
        let run = json!({
            "program": "tetrastat", "version": "0.1.0", "commit": "unknown", "command": [],
            "kind": "run", "status": "complete", "config": config, "threads": 1, "simd": "scalar",
            "cpu": "x",
            "started": "2026-01-02T03:04:05Z", "finished": "2026-01-02T03:04:06Z",
            "elapsed_s": 1.0, "resumed": false, "games": 2, "pieces": 18, "lines": 1, "files": [],
        });
        serde_json::from_value(run).unwrap()
    }

    #[test]
    fn the_package_says_what_was_played() {
        let package = manifest().package();
        let name = "tetrastat-my-own-simplified-4x8-script-greedy-0x0000000000000007-shard-1-4";
        assert_eq!(package["name"], name);
        assert_eq!(
            package["title"],
            "2 falling-block games of My Own: simplified 4x8, queue script (cycle) IO, search \
             greedy"
        );
        assert_eq!(package["created"], "2026-01-02T03:04:06Z");
        assert_eq!(package["licenses"][0]["name"], "CC0-1.0");
        let sources = json!([
            { "title": "tetrastat", "version": "0.1.0" }, { "title": "controller My Own: a paper" }
        ]);
        assert_eq!(package["sources"], sources);
        let unfinished = Manifest::<ClassicConfig> { status: Status::Interrupted, ..manifest() };
        assert!(!description(&manifest()).contains("missing"));
        assert!(description(&unfinished).contains("games are missing or censored"));
    }

    #[test]
    fn importance_by_hand() {
        let board: Board = "....\n##..\n#...\n.#..".parse().unwrap();
        let controller = Controller::parse(
            "here",
            "name = \"h\"\nmeasured = \"after-clear\"\n[weights]\nholes = -1\nrows_with_holes = \
             -3\nlanding_height = -9\n",
        );
        let scorer = Scorer::new(&controller.unwrap(), board.size()).unwrap();
        let of = |importance: Importance| importance_of(importance, &board, &scorer);
        assert_eq!((of(Importance::Cells), of(Importance::Height)), (4, 3));
        // Column 0 has a hole in row 0, column 1 has one in row 1.
        assert_eq!((of(Importance::Holes), of(Importance::Value)), (2, 8 * (2 + 2 * 3) / 4));
    }
}
