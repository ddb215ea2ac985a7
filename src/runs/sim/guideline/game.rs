//! Guideline games: the state and steps of a game, and the player that chooses placements.

use std::sync::LazyLock;

use super::super::config::{garbage_label, garbage_text};
use super::bot::ExternalPlayer;
use super::config::{GuidelineConfig, Mode, PERSON, Unseen};
use super::{main_measure, measure, summary};
use crate::engine::{About, Manifest, Measure};
use crate::error::setting::{MODE, PIECES};
use crate::estimate::{Importance, check_policy, check_queue, check_start};
use crate::features::guideline::Term;
use crate::matrix::{ROWS, VISIBLE};
use crate::prelude::*;
use crate::record::{
    ChosenPlacement, GuidelineCandidate, GuidelineDecision, GuidelineEnd, GuidelineGameRow,
    GuidelineHistory, GuidelinePlacement, OF_SEARCH, guideline_game_fields, read_guideline_games,
};
use crate::rng::stream_seed;
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Landing, MAX_PREVIEWS, Placed, shortest,
};
use crate::search::guideline::{
    BeamDecision, BeamPlayer, DrawnLanding, Finisher, QueueView, RankedLanding,
};
use crate::sim::game::{
    Game, GameCounts, GameTotals, Plan, Recorder, Stepped, Unrecorded, play_to_end,
};
use crate::stats::Summary;

/// Player of guideline games, which reuses the memory of its search for every placement.
pub struct GuidelinePlayer {
    config: GuidelineConfig,
    player: BeamPlayer,
    finisher: Option<Finisher>,
    external: Option<ExternalPlayer>,
    known: Vec<Piece>,
    unseen: Vec<Vec<Piece>>,
    bag: Vec<Piece>,
}

/// Unfinished guideline game between two placements, from which play can be resumed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InPlay {
    queue: Queue,
    state: GuidelineState,
    history: GuidelineHistory,
    /// Planned placements that end a Sprint in the fewest pieces, in reverse order.
    plan: Vec<(Choice, Landing)>,
    garbage: Option<Box<GarbageRows>>,
}

impl InPlay {
    /// Returns the game's board, hold and counts, without the queue of pieces.
    #[must_use]
    pub fn state(&self) -> &GuidelineState {
        &self.state
    }

    pub(super) fn parts(&mut self) -> (&mut Queue, &mut GuidelineState) {
        (&mut self.queue, &mut self.state)
    }

    /// Returns the counts of the game up to now, such as pieces and points.
    #[must_use]
    pub fn row(&self) -> &GuidelineGameRow {
        &self.history.row
    }
}

impl GuidelinePlayer {
    /// Creates a player of guideline games under the settings `config`.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelinePlayer {
        let goal = config.mode.goal();
        // Only a Sprint has an end that a plan can reach.
        let finisher = goal.filter(|_| config.finisher > 0);
        GuidelinePlayer {
            config: config.clone(),
            player: config.chooser(),
            finisher: finisher.map(|goal| Finisher::new(goal, config.finisher)),
            external: config.bot.clone().map(ExternalPlayer::new),
            known: Vec::new(),
            unseen: Vec::new(),
            bag: Vec::new(),
        }
    }

    /// Makes the search stop as soon as its placement is certain. The search result
    /// [`GuidelinePlacement::found`] then covers fewer placements.
    #[must_use]
    pub fn stopping_early(self) -> GuidelinePlayer {
        GuidelinePlayer { player: self.player.stopping_early(), ..self }
    }

    fn step<R: Recorder<GuidelineConfig>>(
        &mut self,
        game: &mut InPlay,
        recorder: &mut R,
    ) -> Result<Stepped<GuidelineEnd>> {
        let over = |game: &InPlay, end| {
            let stack = game.state.matrix.stack_height();
            Ok(Stepped { lines: 0, stack, end: Some(end) })
        };
        let GuidelineConfig { ref rules, mode, clock, .. } = self.config;
        let rules = &Guideline { ..**rules };
        let is_dug = |rows| game.garbage.as_ref().is_some_and(|garbage| garbage.are_removed(rows));
        if mode.goal().is_some_and(|goal| game.row().lines >= goal)
            || mode.cheese_rows().is_some_and(is_dug)
        {
            return over(game, GuidelineEnd::Won);
        }
        if game.row().pieces >= mode.pieces() {
            return over(game, GuidelineEnd::PieceLimit);
        }
        fill_previews(rules, &mut game.queue, &mut self.known)?;
        let Some(chosen) = self.decide(game)? else {
            return over(game, GuidelineEnd::TopOut);
        };
        let left = self.pieces_left(game);
        let (choice, placed) = (chosen.choice, chosen.placed);
        if R::KEEPS_ROW {
            let InPlay { state, history, .. } = &mut *game;
            let path = shortest(rules, &state.matrix, chosen.landing).unwrap_or_default();
            // The time is that of the shortest inputs, because the search chooses only the final
            // position of a piece.
            let time_us = history.row.time_us + clock.duration_us(&path, choice.held);
            // A piece that would come to rest after the time limit is not placed.
            if time_us > mode.time_us() {
                return over(game, GuidelineEnd::TimeLimit);
            }
            let next = std::array::from_fn(|k| self.known.get(choice.taken as usize + k).copied());
            let placement = history.record(state, chosen, path, time_us, next);
            let piece_no = placement.piece_no.into();
            if recorder.wants(piece_no) {
                let GuidelinePlayer { known, unseen: futures, bag, .. } = &*self;
                let outlook = QueueView { known, left, futures, bag };
                recorder.record(piece_no, &placement, GuidelineDecision { state, outlook });
            }
        }
        let InPlay { queue, state, history, plan, garbage } = game;
        for _ in 0..choice.taken {
            // The pieces are dealt only now, because the search and the log saw them as previews.
            let _ = queue.deal();
        }
        *state = placed.next_state();
        if !R::KEEPS_ROW {
            // The line count of a long game would overflow.
            state.lines = 0;
        }
        let mut end = placed.lost.then_some(GuidelineEnd::LockOut);
        if let Some(garbage) = garbage {
            let before = state.matrix;
            let (cleared, lost) = self.config.update_garbage(garbage, &mut state.matrix, &placed);
            history.row.garbage_cleared += cleared;
            history.row.garbage_left = garbage.remaining();
            if state.matrix != before {
                // A plan is for the board without the new row.
                plan.clear();
            }
            end = end.or(lost.then_some(GuidelineEnd::TopOut));
        }
        Ok(Stepped { lines: placed.clear.lines.into(), stack: state.matrix.stack_height(), end })
    }

    fn pieces_left(&self, game: &InPlay) -> usize {
        self.config.mode.pieces().saturating_sub(game.row().pieces) as usize
    }

    fn decide(&mut self, game: &mut InPlay) -> Result<Option<ChosenPlacement>> {
        if let Some(external) = &mut self.external {
            let InPlay { queue, state, history, .. } = game;
            let movegen = self.player.movegen();
            return external.choose(movegen, state, queue, &self.known, &history.row);
        }
        let Some(chosen) = self.best(game) else { return Ok(None) };
        Ok(Some(match self.config.policy {
            Policy::Best => chosen,
            policy => self.draw(policy, game, &chosen).unwrap_or(chosen),
        }))
    }

    fn draw(
        &mut self,
        policy: Policy,
        game: &mut InPlay,
        best: &ChosenPlacement,
    ) -> Option<ChosenPlacement> {
        let left = self.pieces_left(game);
        let GuidelinePlayer { player, known, unseen, bag, config, .. } = self;
        let InPlay { state, plan, queue, history, .. } = game;
        // The search for the best placement is left out while a plan is played.
        bag.clear();
        bag.extend_from_slice(queue.left_in_bag());
        let outlook = QueueView { known, left, futures: unseen, bag };
        let number = u64::from(history.row.pieces) + 1;
        let mut stream = Policy::stream(config.seed, history.row.game, number);
        let wanted = (best.landing, best.choice.held);
        let DrawnLanding { landing, found } =
            player.draw(policy, &mut stream, state, outlook, wanted)?;
        // A plan starts from the best placement only.
        plan.clear();
        let RankedLanding { choice, landing, placed, .. } = landing;
        let (found, best) = (Some(found), Some(wanted));
        Some(ChosenPlacement { choice, landing, placed, found, planned: false, best })
    }

    fn best(&mut self, game: &mut InPlay) -> Option<ChosenPlacement> {
        if let Some((planned, landing)) = self.next_planned_placement(game) {
            let (choice, placed) = self.planned_placement(game, planned, landing)?;
            let (found, best) = (None, None);
            return Some(ChosenPlacement { choice, landing, placed, found, planned: true, best });
        }
        let left = self.pieces_left(game);
        self.sample_futures(game);
        let GuidelinePlayer { player, known, unseen, bag, .. } = self;
        let outlook = QueueView { known, left, futures: unseen, bag };
        let BeamDecision { choice, landing, placed, found } =
            player.decide(&game.state, outlook)?;
        let found = Some(found);
        Some(ChosenPlacement { choice, landing, placed, found, planned: false, best: None })
    }

    fn sample_futures(&mut self, game: &InPlay) {
        let GuidelinePlayer { known, unseen, bag, config, .. } = self;
        let InPlay { queue, history, .. } = game;
        let Unseen { futures: count, pieces } = config.unseen;
        *unseen =
            sampled_futures(config.seed, queue, &history.row, count, known.len(), pieces as usize);
        bag.clear();
        bag.extend_from_slice(queue.left_in_bag());
    }

    /// Returns the next placement of a Sprint's shortest end, searching for one if none is planned.
    fn next_planned_placement(&mut self, game: &mut InPlay) -> Option<(Choice, Landing)> {
        let GuidelinePlayer { player, finisher, known, unseen, config, .. } = self;
        let InPlay { state, plan, queue, history, .. } = game;
        let row = &history.row;
        unseen.clear();
        // A plan is played to its end: it takes the fewest possible pieces, so no later piece can
        // improve it.
        if let (Some(finisher), true) = (finisher, plan.is_empty()) {
            *plan = finisher.find(player.movegen(), state, known).unwrap_or_default();
            // Placements are popped from the end of the list, so the next one must come last.
            plan.reverse();
            if plan.is_empty() && config.futures > 0 {
                let pieces = finisher.pieces(state).unwrap_or(0) as usize;
                if (2..=MAX_FUTURE_FINISH).contains(&pieces) {
                    let unseen = (pieces + 1).saturating_sub(known.len()).max(1);
                    let futures = sampled_futures(
                        config.seed,
                        queue,
                        row,
                        config.futures,
                        known.len(),
                        unseen,
                    );
                    plan.extend(finisher.steer(player, state, known, &futures));
                }
            }
        }
        plan.pop()
    }

    fn planned_placement(
        &self,
        game: &InPlay,
        planned: Choice,
        landing: Landing,
    ) -> Option<(Choice, Placed)> {
        let choices = game.state.choices(&self.config.rules, &self.known);
        // A plan may swap in a piece that the queue then deals as well, which makes the swap
        // unnecessary.
        let of_piece = |choice: &&Choice| choice.piece == landing.piece;
        let same = choices[usize::from(planned.held)].as_ref().filter(of_piece);
        let choice = same.or(choices.iter().flatten().find(of_piece)).copied()?;
        Some((choice, game.state.place(&self.config.rules, &choice, landing)))
    }

    pub(super) fn begin_at(&self, state: GuidelineState, queue: Queue) -> InPlay {
        InPlay { queue, state, ..self.config.begin(self.config.seed, 0) }
    }

    /// Returns where the next piece can come to rest, the best first, without places that lose.
    pub(super) fn suggest(&mut self, game: &mut InPlay) -> Vec<Landing> {
        self.known.clear();
        // The search has room for no more pieces.
        self.known.extend(game.queue.peeked().take(MAX_PREVIEWS + 1));
        if let Some((planned, landing)) = self.next_planned_placement(game) {
            // The plan keeps the placement until it is played.
            game.plan.push((planned, landing));
            return vec![landing];
        }
        let left = self.pieces_left(game);
        self.sample_futures(game);
        let GuidelinePlayer { player, known, unseen, bag, .. } = self;
        let outlook = QueueView { known, left, futures: unseen, bag };
        let mut ranked = player.rank(&game.state, outlook);
        RankedLanding::sort_best_first(&mut ranked);
        ranked.iter().filter(|one| !one.placed.lost).map(|one| one.landing).collect()
    }

    pub(super) fn advance(&self, game: &mut InPlay, choice: &Choice, landing: Landing) {
        let InPlay { queue, state, history, plan, .. } = game;
        match plan.last() {
            Some((_, planned)) if *planned == landing => _ = plan.pop(),
            _ => plan.clear(),
        }
        *state = state.place(&self.config.rules, choice, landing).next_state();
        for _ in 0..choice.taken {
            let _ = queue.deal();
        }
        history.row.pieces = history.row.pieces.saturating_add(1);
        history.row.lines = state.lines;
    }
}

/// Largest number of pieces before a Sprint's end at which random continuations of the queue are
/// searched; 12 would take ten times as long.
const MAX_FUTURE_FINISH: usize = 10;

fn sampled_futures(
    seed: u64,
    queue: &Queue,
    row: &GuidelineGameRow,
    futures: u32,
    known: usize,
    unseen: usize,
) -> Vec<Vec<Piece>> {
    let of = |future: u64| {
        let index = row.game << 32 | u64::from(row.pieces) << 16 | future;
        let mut queue = queue.clone();
        queue.branch(Stream::new(seed, Purpose::Futures, index));
        (known..known + unseen).filter_map(|ahead| queue.peek(ahead)).collect()
    };
    (0..u64::from(futures)).map(of).collect()
}

/// Fills `known` with the current piece and the previews, fewer near a script's end. Fails with
/// [`Error::ScriptEnded`] without a current piece.
pub fn fill_previews(rules: &Guideline, queue: &mut Queue, known: &mut Vec<Piece>) -> Result<()> {
    let window = usize::from(rules.previews) + 1;
    known.clear();
    known.extend((0..window).filter_map(|ahead| queue.peek(ahead)));
    // Dealing returns the error that explains the end of the script.
    if known.is_empty() { queue.deal().map(|_| ()) } else { Ok(()) }
}

/// Plays game number `index` of the run `config` and returns its counts.
pub fn play(config: &GuidelineConfig, index: u64) -> Result<GuidelineGameRow> {
    let mut player = GuidelinePlayer::new(config).stopping_early();
    play_to_end(config, &mut player, config.begin(config.seed, index), &mut Unrecorded)
}

impl Game for GuidelineConfig {
    const NAME: &'static str = "guideline";
    const OF: &'static str = "a run of guideline games";

    type Player = GuidelinePlayer;
    type State = InPlay;
    type Placement = GuidelinePlacement;
    type Context<'a> = GuidelineDecision<'a>;
    type Candidate = GuidelineCandidate;
    type Row = GuidelineGameRow;
    type End = GuidelineEnd;
    type Games = Vec<GuidelineGameRow>;

    fn plan(&self) -> Plan {
        let GuidelineConfig { games, shard, seed, threads, checkpoint_every, level, .. } = *self;
        Plan { games, shard, seed, threads, checkpoint_every, level: Some(level), sample: 0 }
    }

    fn of_games(&self, games: u64) -> GuidelineConfig {
        GuidelineConfig { games, ..self.clone() }
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

    fn check_recorded(&self) -> Result<()> {
        // A bot and a person have no weights.
        if self.bot.is_none() && self.controller.name != PERSON {
            self.controller.check()?;
        }
        self.validate()
    }

    fn about(&self) -> About {
        let GuidelineConfig { controller, rules, mode, queue, policy, seed, garbage, .. } = self;
        let (name, mode, search) = (&controller.name, mode.name(), self.beam.name());
        let usual = *queue == QueueKind::Bag;
        let of_queue = if usual { String::new() } else { format!("-{queue}") };
        let of_garbage = garbage_label(garbage);
        let mut heading = vec![format!("{rules} {mode}")];
        heading.extend((!usual).then(|| format!("queue {queue}")));
        heading.extend(garbage_text(garbage));
        heading.push(format!("search {search}"));
        heading.extend((*policy != Policy::Best).then(|| format!("policy {policy}")));
        heading.push(format!("seed {seed}"));
        let range = Shard::games(self.shard, self.games);
        let pieces = Some(self.mode.pieces()).filter(|most| *most < u32::MAX).map(u64::from);
        let time_us = Some(self.mode.time_us()).filter(|most| *most < u64::MAX);
        About {
            player: name.clone(),
            identity: self.bot.as_ref().map_or_else(|| json!(controller), |bot| json!(bot)),
            label: format!(
                "{name}-{mode}{of_garbage}{of_queue}-{search}{}-s{seed}",
                policy.label("-")
            ),
            folder: format!("{name}-{mode}"),
            heading,
            reported_keys: &[
                "rules",
                "mode",
                "sprint_lines",
                "cheese_rows",
                "max_pieces",
                "seconds",
                "queue",
                "search",
                "policy",
                "garbage",
                "garbage_messiness",
                "garbage_every",
                "seed",
            ],
            fixed_queue: (!queue.is_random()).then(|| queue.to_string()),
            seed: *seed,
            units: (range.end - range.start, "games"),
            limits: [pieces, self.mode.goal().or(self.mode.cheese_rows()).map(u64::from), time_us],
            remedy: "raise --pieces, or take another controller".to_owned(),
            measure: main_measure(self.mode.is_race()),
        }
    }

    fn describe(manifest: &Manifest<GuidelineConfig>) -> [String; 3] {
        let Manifest { config, totals, status, .. } = manifest;
        let GuidelineConfig { mode, rules, seed, shard, policy, .. } = config;
        let (controller, search, name) = (&config.controller.name, config.beam.name(), mode.name());
        let goal = match *mode {
            Mode::Sprint { lines } => format!("won by {lines} rows"),
            Mode::Cheese { rows, .. } => format!("won by {rows} garbage rows"),
            _ => "of as many points as possible".to_owned(),
        };
        let mut text = format!(
            "Games {goal} under {rules} rules, played by {controller} ({search}). `run.json` has \
             the whole configuration."
        );
        if *policy != Policy::Best {
            text += &format!(" Placements are chosen by the policy {policy}.");
        }
        if *status != Status::Complete {
            text += " The run is incomplete: games are missing.";
        }
        let games = totals.games;
        let part = shard.map(|shard| format!("-shard-{}-{}", shard.part, shard.of));
        [
            format!("tetrastat-{name}-{games}-games-0x{seed:016x}{}", part.unwrap_or_default()),
            format!("{games} games of {name}: {controller}"),
            text,
        ]
    }

    fn measure(&self, column: &Column) -> Measure {
        measure(self.mode.is_race(), column)
    }

    fn player(&self) -> Result<GuidelinePlayer> {
        let logged = self.log.as_ref().filter(|log| log.placements);
        let logged = logged.map(|log| self.placements(&log.columns)).transpose()?;
        let names = logged.map(|encoder| encoder.names()).unwrap_or_default();
        let player = GuidelinePlayer::new(self);
        // A search that stops early finds fewer values.
        Ok(match names.iter().any(|name| OF_SEARCH.contains(&name.as_str())) {
            true => player,
            false => player.stopping_early(),
        })
    }

    fn begin(&self, seed: u64, index: u64) -> InPlay {
        let (matrix, garbage) = self.start(index);
        let mut row = GuidelineGameRow::new(index, stream_seed(seed, Purpose::Queue, index));
        row.garbage_left = garbage.as_ref().map_or(0, |garbage| garbage.remaining());
        InPlay {
            queue: Queue::new(self.queue.clone(), seed, index),
            state: GuidelineState { matrix, ..GuidelineState::default() },
            history: GuidelineHistory::new(row),
            plan: Vec::new(),
            garbage,
        }
    }

    fn restored(&self, mut state: InPlay) -> Result<InPlay> {
        let row = &state.history.row;
        if row.stream_seed != stream_seed(self.seed, Purpose::Queue, row.game) {
            let text = "the checkpoint holds a game of another run: start a new run";
            return Err(Error::Config(text.to_owned()));
        }
        state.queue.set_kind(self.queue.clone());
        Ok(state)
    }

    /// Returns false for an external bot, whose memory of a game cannot be restored.
    fn is_resumable(player: &GuidelinePlayer) -> bool {
        player.external.is_none()
    }

    fn step<R: Recorder<GuidelineConfig>>(
        &self,
        player: &mut GuidelinePlayer,
        state: &mut InPlay,
        recorder: &mut R,
    ) -> Result<Stepped<GuidelineEnd>> {
        player.step(state, recorder)
    }

    fn fork(state: &mut InPlay, stream: Stream) {
        state.queue.branch(stream);
    }

    fn row(state: &InPlay) -> &GuidelineGameRow {
        &state.history.row
    }

    fn ended(state: InPlay, end: GuidelineEnd) -> GuidelineGameRow {
        state.history.row.ended(end)
    }

    fn counts(row: &GuidelineGameRow) -> GameCounts {
        let &GuidelineGameRow { game, pieces, lines, time_us, .. } = row;
        let (pieces, lines) = (pieces.into(), lines.into());
        let censored = !row.is_lost();
        GameCounts { game, pieces, lines, time_us, censored, won: censored }
    }

    fn game_fields() -> Vec<Field<GuidelineGameRow>> {
        guideline_game_fields()
    }

    fn placements(&self, columns: &Columns) -> Result<RowEncoder<GuidelinePlacement>> {
        let deals_bags = self.queue == QueueKind::Bag;
        RowEncoder::for_guideline(columns, deals_bags, self.rules.previews.into())
    }

    fn candidates(&self, _: &Columns) -> Result<RowEncoder<GuidelineCandidate>> {
        Ok(RowEncoder::for_terms(&self.terms()))
    }

    fn rank(
        &self,
        ranker: &mut GuidelinePlayer,
        placement: &GuidelinePlacement,
        GuidelineDecision { state, outlook }: GuidelineDecision<'_>,
        take: &mut dyn FnMut(GuidelineCandidate),
    ) {
        let ranked = ranker.player.rank(state, outlook);
        GuidelineCandidate::from_ranking(placement, ranked, &self.terms()).for_each(take);
    }

    fn add(games: &mut Vec<GuidelineGameRow>, row: GuidelineGameRow) {
        games.push(row);
    }

    fn sort(games: &mut Vec<GuidelineGameRow>) {
        games.sort_unstable_by_key(|row| row.game);
    }

    fn read(path: &Path) -> Result<Vec<GuidelineGameRow>> {
        read_guideline_games(path)
    }

    fn totals(games: &Vec<GuidelineGameRow>) -> GameTotals {
        GameTotals {
            games: games.len() as u64,
            pieces: games.iter().map(|game| u64::from(game.pieces)).sum(),
            lines: games.iter().map(|game| u64::from(game.lines)).sum(),
        }
    }

    fn summary(&self, games: &Vec<GuidelineGameRow>) -> Option<Summary> {
        summary(self, games)
    }

    fn heights(&self) -> [usize; 2] {
        [VISIBLE, ROWS]
    }

    fn check_estimable(&self, importance: Importance) -> Result<()> {
        self.validate()?;
        let fail = |text: &str| Err(Error::Config(text.to_owned()));
        if self.mode != (Mode::Endless { pieces: u32::MAX }) {
            return fail(&format!(
                "an estimate needs endless games without {PIECES}: give {MODE} endless"
            ));
        }
        if self.unseen.futures > 0 {
            return fail("an estimate searches only visible pieces: leave out beam-futures");
        }
        check_policy(self.policy)?;
        check_start(&self.garbage)?;
        check_queue(&self.queue)?;
        match importance {
            Importance::Value => fail(
                "importance 'value' is for classic games: here use one of cells, height, holes",
            ),
            Importance::Cells | Importance::Height | Importance::Holes => Ok(()),
        }
    }

    fn importance(&self, importance: Importance, _: &GuidelinePlayer, state: &InPlay) -> usize {
        of_matrix(importance, &state.state.matrix)
    }
}

static HOLES: LazyLock<Option<Term>> = LazyLock::new(|| "holes".parse().ok());

fn of_matrix(importance: Importance, matrix: &Matrix) -> usize {
    match importance {
        Importance::Cells => matrix.cells() as usize,
        Importance::Height => matrix.stack_height(),
        // [`Importance::Value`] never arrives here, because validation rejects it.
        Importance::Holes | Importance::Value => {
            HOLES.and_then(|holes| holes.matrix_value(matrix, None)).unwrap_or_default() as usize
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::GuidelineController;
    use crate::queue::QueueKind;
    use crate::rules::Garbage;
    use crate::rules::guideline::RuleSet;
    use crate::search::guideline::Beam;
    use crate::sim::OnPlacement;
    use crate::sim::guideline::Mode;

    fn config() -> GuidelineConfig {
        let controller = GuidelineController::load("tetrastat-blitz-greedy").unwrap();
        GuidelineConfig {
            mode: Mode::Endless { pieces: 12 },
            start: Some("####.#####/####.#####".parse().unwrap()),
            queue: QueueKind::Uniform,
            seed: 5,
            ..GuidelineConfig::new(controller, RuleSet::official())
        }
    }

    // A stored game continues with its board and its queue, and with the draws of its policy.
    #[test]
    fn a_stored_game_goes_on_as_it_was() {
        let policies = [Policy::Epsilon(0.5), Policy::Softmax(10.0), Policy::Misdrop(0.5)];
        for policy in [Policy::Best].into_iter().chain(policies) {
            let config = GuidelineConfig { policy, ..config() };
            let mut player = GuidelinePlayer::new(&config);
            let whole = play(&config, 0).unwrap();
            let mut state = config.begin(config.seed, 0);
            assert_eq!(state.state.matrix.cells(), 18);
            for _ in 0..5 {
                let stepped = config.step(&mut player, &mut state, &mut Unrecorded).unwrap();
                assert_eq!(stepped.end, None);
            }
            let stored = serde_json::to_string(&state).unwrap();
            let stored: InPlay = serde_json::from_str(&stored).unwrap();
            let state = config.restored(stored).unwrap();
            let again = play_to_end(&config, &mut player, state, &mut Unrecorded).unwrap();
            assert_eq!(again, whole, "{policy}");
        }
    }

    // A seed deals equal pieces under every policy, even if a policy leaves a planned finish.
    #[test]
    fn policies_change_placements_and_nothing_else() {
        let sprint = GuidelineConfig {
            controller: GuidelineController::load("tetrastat-sprint").unwrap(),
            beam: Beam::new(8, 3),
            finisher: 2_000,
            mode: Mode::Sprint { lines: 8 },
            start: None,
            queue: QueueKind::Bag,
            ..config()
        };
        let blitz = GuidelineConfig { mode: Mode::Endless { pieces: 60 }, ..config() };
        for config in [sprint, blitz] {
            let played = |policy, game| {
                let config = GuidelineConfig { policy, ..config.clone() };
                config.validate().unwrap();
                let mut placements = Vec::new();
                let mut player = GuidelinePlayer::new(&config);
                let see = |placed: &GuidelinePlacement, _: GuidelineDecision<'_>| {
                    placements.push(placed.clone());
                };
                let first = config.begin(config.seed, game);
                let row = play_to_end(&config, &mut player, first, &mut OnPlacement(see));
                (row.unwrap(), placements)
            };
            let (mut planned, mut drawn) = (0, 0);
            for game in 0..6 {
                let (best, placements) = played(Policy::Best, game);
                planned += placements.iter().filter(|placed| placed.found.is_none()).count();
                let mut dealt = std::collections::BTreeMap::new();
                for placed in &placements {
                    assert_eq!(dealt.insert(placed.dealt, placed.landing.piece), None);
                }
                for policy in [Policy::Epsilon(0.0), Policy::Misdrop(0.0)] {
                    assert_eq!(played(policy, game), (best.clone(), placements.clone()));
                }
                for policy in [Policy::Epsilon(0.3), Policy::Misdrop(0.3)] {
                    let (row, others) = played(policy, game);
                    assert_ne!(row, best);
                    for placed in others {
                        let piece = placed.landing.piece;
                        assert_eq!(*dealt.entry(placed.dealt).or_insert(piece), piece, "{policy}");
                        drawn += usize::from(placed.best.is_some());
                    }
                }
            }
            assert!(drawn > 40, "{drawn}");
            assert_eq!(planned > 0, config.finisher > 0, "{planned}");
        }
    }

    #[test]
    fn softmax_needs_the_values_of_all_placements() {
        let softmax = GuidelineConfig { policy: Policy::Softmax(1.0), ..config() };
        softmax.validate().unwrap();
        let beam = GuidelineConfig { beam: Beam::new(8, 3), ..softmax.clone() };
        let planned = GuidelineConfig { finisher: 100, ..softmax };
        for config in [beam, planned] {
            let error = config.validate().unwrap_err().to_string();
            assert!(error.contains("policy softmax") && error.contains("epsilon:P"), "{error}");
        }
    }

    // A row that lifts a cell out of the 32 or 24 kept rows ends the game.
    #[test]
    fn a_rising_row_ends_a_game() {
        for (rules, kept) in [(RuleSet::official(), 32), (RuleSet::capstone(), 24)] {
            let garbage = Garbage { rows: 0, messiness: None, every: Some(1) };
            let mut player = GuidelinePlayer::new(&config());
            let mut game = config().begin(5, 0);
            fill_previews(&config().rules, &mut game.queue, &mut player.known).unwrap();
            let placed = player.best(&mut game).unwrap().placed;
            let config = GuidelineConfig { garbage, rules, start: None, ..config() };
            let rows = config.start(0).1.unwrap();
            for height in [kept - 1, kept] {
                let (mut rows, mut matrix) = (rows.clone(), Matrix::EMPTY.with(3, height - 1));
                let settled = config.update_garbage(&mut rows, &mut matrix, &placed);
                assert_eq!((settled, rows.remaining()), ((0, height == kept), 1));
                assert_eq!(matrix.row(0).count_ones(), 9);
                assert!(height == 32 || matrix.is_filled(3, height));
            }
        }
    }

    #[test]
    fn a_script_that_ends_is_no_end_of_the_game() {
        let queue = QueueKind::script("IOTSZ", false).unwrap();
        let short = GuidelineConfig { queue, ..config() };
        let error = play(&short, 0).unwrap_err().to_string();
        assert!(error.contains("after 5 pieces") && error.contains("cycle"), "{error}");
    }

    #[test]
    fn importance_by_hand() {
        let matrix: Matrix = "##........\n#.........\n.#........".parse().unwrap();
        let of = |importance| of_matrix(importance, &matrix);
        assert_eq!([Importance::Cells, Importance::Height, Importance::Holes].map(of), [4, 3, 2]);
    }
}
