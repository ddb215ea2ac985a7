//! Plays guideline games one at a time.

use serde::{Deserialize, Serialize};

use super::config::{GuidelineConfig, Unseen};
use super::external::ExternalPlayer;
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::queue::Queue;
use crate::record::{
    ChosenPlacement, GuidelineDecision, GuidelineEnd, GuidelineGameRow, GuidelineHistory,
    GuidelinePlacement,
};
use crate::rng::{Purpose, Stream, stream_seed};
use crate::rules::guideline::{
    Choice, Guideline, GuidelineState, Landing, MAX_PREVIEWS, Placed, shortest,
};
use crate::search::Policy;
use crate::search::guideline::{
    BeamDecision, BeamPlayer, DrawnLanding, Finisher, Outlook, RankedLanding,
};

/// Player of the guideline games of one configuration. It reuses the memory of its search from
/// placement to placement.
pub struct GuidelinePlayer {
    config: GuidelineConfig,
    player: BeamPlayer,
    finisher: Option<Finisher>,
    /// Bot that chooses the placements instead of `player`, if there is one.
    external: Option<ExternalPlayer>,
    known: Vec<Piece>,
    /// Sampled continuations of the queue that the last search used.
    unseen: Vec<Vec<Piece>>,
    /// Pieces that remain in the queue's bag after the known pieces.
    bag: Vec<Piece>,
}

/// Unfinished guideline game between two placements, from which play can be resumed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InPlay {
    queue: Queue,
    state: GuidelineState,
    history: GuidelineHistory,
    /// Remaining placements of a perfect finish (placements that win a Sprint and leave no cell),
    /// in reverse order.
    plan: Vec<(Choice, Landing)>,
}

impl InPlay {
    /// Returns the current state of the game, which does not include the queue. In it,
    /// [`GuidelineState::taken`] is 0.
    #[must_use]
    pub fn state(&self) -> &GuidelineState {
        &self.state
    }

    /// Returns the queue and the state, which the caller may change.
    pub(super) fn parts(&mut self) -> (&mut Queue, &mut GuidelineState) {
        (&mut self.queue, &mut self.state)
    }

    /// Returns the result of the game up to now.
    #[must_use]
    pub fn row(&self) -> &GuidelineGameRow {
        &self.history.row
    }

    /// Returns the final result of a game that ended for the reason `end`.
    #[must_use]
    pub fn ended(self, end: GuidelineEnd) -> GuidelineGameRow {
        self.history.row.ended(end)
    }

    /// Completes a game read from a checkpoint, where the kind of the queue is missing.
    ///
    /// # Errors
    /// [`Error::Config`] if the game is not of this run.
    pub fn restored(mut self, config: &GuidelineConfig) -> Result<InPlay> {
        let row = &self.history.row;
        if row.stream_seed != stream_seed(config.seed, Purpose::Queue, row.game) {
            let text = "the checkpoint holds a game of another run: start a new run";
            return Err(Error::Config(text.to_owned()));
        }
        self.queue.set_kind(config.queue.clone());
        Ok(self)
    }
}

impl GuidelinePlayer {
    /// Creates a player for the games of `config`.
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

    /// Returns a player whose searches stop once the placement is decided. It plays the same games
    /// faster. The values and counts in [`GuidelinePlacement::found`] then describe shorter
    /// searches.
    #[must_use]
    pub fn stopping_early(self) -> GuidelinePlayer {
        GuidelinePlayer { player: self.player.stopping_early(), ..self }
    }

    /// Plays game number `index` and passes every placement to `see`.
    ///
    /// # Errors
    /// [`Error::ScriptEnded`].
    pub fn play(
        &mut self,
        index: u64,
        see: &mut dyn FnMut(GuidelinePlacement, GuidelineDecision),
    ) -> Result<GuidelineGameRow> {
        let mut game = self.begin(index);
        loop {
            if let Some(end) = self.place_next(&mut game, see)? {
                return Ok(game.ended(end));
            }
        }
    }

    /// Returns game number `index` before its first placement.
    #[must_use]
    pub fn begin(&self, index: u64) -> InPlay {
        let seed = self.config.seed;
        InPlay {
            queue: Queue::new(self.config.queue.clone(), seed, index),
            state: GuidelineState { matrix: self.config.start(index), ..GuidelineState::default() },
            history: GuidelineHistory::new(GuidelineGameRow::new(
                index,
                stream_seed(seed, Purpose::Queue, index),
            )),
            plan: Vec::new(),
        }
    }

    /// Makes one placement and passes it to `see`. Returns the reason of the end if the game is
    /// over, otherwise `None`. A game ends before the placement, or with it by a lock out.
    ///
    /// # Errors
    /// [`Error::ScriptEnded`].
    pub fn place_next(
        &mut self,
        game: &mut InPlay,
        see: &mut dyn FnMut(GuidelinePlacement, GuidelineDecision),
    ) -> Result<Option<GuidelineEnd>> {
        let GuidelineConfig { ref rules, mode, clock, .. } = self.config;
        let rules = &Guideline { ..**rules };
        if mode.goal().is_some_and(|goal| game.row().lines >= goal) {
            return Ok(Some(GuidelineEnd::Won));
        }
        if game.row().pieces >= mode.pieces() {
            return Ok(Some(GuidelineEnd::PieceLimit));
        }
        look(rules, &mut game.queue, &mut self.known)?;
        let Some(chosen) = self.decide(game)? else {
            return Ok(Some(GuidelineEnd::TopOut));
        };
        let left = self.left(game);
        let InPlay { queue, state, history, .. } = game;
        let (choice, placed) = (chosen.choice, chosen.placed);
        let path = shortest(rules, &state.matrix, chosen.landing).unwrap_or_default();
        // The time is that of the shortest inputs, because the search chooses only the final
        // position of a piece.
        let time_us = history.row.time_us + clock.of(&path, choice.held);
        // A piece that would come to rest after the time limit is not placed.
        if time_us > mode.time_us() {
            return Ok(Some(GuidelineEnd::TimeLimit));
        }
        let next = std::array::from_fn(|k| self.known.get(choice.taken as usize + k).copied());
        let placement = history.record(state, chosen, path, time_us, next);
        let GuidelinePlayer { known, unseen: futures, bag, .. } = &*self;
        let decision = GuidelineDecision { state, outlook: Outlook { known, left, futures, bag } };
        see(placement, decision);
        for _ in 0..choice.taken {
            // The pieces are dealt only now, because the search and the log saw them as previews.
            let _ = queue.deal();
        }
        *state = placed.next_state();
        Ok(placed.lost.then_some(GuidelineEnd::LockOut))
    }

    /// Returns true if a bot chooses the placements.
    #[must_use]
    pub fn has_bot(&self) -> bool {
        self.external.is_some()
    }

    /// Returns the largest number of pieces that may still be placed in the game.
    fn left(&self, game: &InPlay) -> usize {
        self.config.mode.pieces().saturating_sub(game.row().pieces) as usize
    }

    /// Returns the next placement, chosen by a bot or by the policy, or `None` if no placement is
    /// possible.
    ///
    /// # Errors
    /// [`Error::Controller`] if a bot fails.
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

    /// Draws a placement by `policy`. Returns `None` if `best`, the best placement, is played.
    fn draw(
        &mut self,
        policy: Policy,
        game: &mut InPlay,
        best: &ChosenPlacement,
    ) -> Option<ChosenPlacement> {
        let left = self.left(game);
        let GuidelinePlayer { player, known, unseen, bag, config, .. } = self;
        let InPlay { state, plan, queue, history } = game;
        // The search for the best placement is left out while a plan is played.
        bag.clear();
        bag.extend_from_slice(queue.left_in_bag());
        let outlook = Outlook { known, left, futures: unseen, bag };
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

    /// Returns the best placement, or `None` if no placement is possible. It comes from a planned
    /// perfect finish if there is one, otherwise from the search.
    fn best(&mut self, game: &mut InPlay) -> Option<ChosenPlacement> {
        if let Some((planned, landing)) = self.next_of_plan(game) {
            let (choice, placed) = self.of_plan(game, planned, landing)?;
            let found = None;
            return Some(ChosenPlacement {
                choice,
                landing,
                placed,
                found,
                planned: true,
                best: None,
            });
        }
        let left = self.left(game);
        self.foresee(game);
        let GuidelinePlayer { player, known, unseen, bag, .. } = self;
        let outlook = Outlook { known, left, futures: unseen, bag };
        let BeamDecision { choice, landing, placed, found } =
            player.decide(&game.state, outlook)?;
        let found = Some(found);
        Some(ChosenPlacement { choice, landing, placed, found, planned: false, best: None })
    }

    /// Samples the continuations of the queue for a search, and reads the rest of its bag.
    fn foresee(&mut self, game: &InPlay) {
        let GuidelinePlayer { known, unseen, bag, config, .. } = self;
        let InPlay { queue, history, .. } = game;
        let Unseen { futures: count, pieces } = config.unseen;
        *unseen = futures(config.seed, queue, &history.row, count, known.len(), pieces as usize);
        bag.clear();
        bag.extend_from_slice(queue.left_in_bag());
    }

    /// Takes the next placement from the plan of a perfect finish. Without a plan it searches for
    /// one, and returns `None` if there is none.
    fn next_of_plan(&mut self, game: &mut InPlay) -> Option<(Choice, Landing)> {
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
                    let futures =
                        futures(config.seed, queue, row, config.futures, known.len(), unseen);
                    plan.extend(finisher.steer(player, state, known, &futures));
                }
            }
        }
        plan.pop()
    }

    /// Returns the choice and the effect of a planned placement, or `None` if its piece cannot be
    /// placed.
    fn of_plan(
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

    /// Returns the game in the position `state`, with the pieces of `queue`, as the first of a run.
    pub(super) fn begin_at(&self, state: GuidelineState, queue: Queue) -> InPlay {
        InPlay { queue, state, ..self.begin(0) }
    }

    /// Returns the landings that may come next, the best first, without losing ones. A bot suggests
    /// them.
    pub(super) fn suggest(&mut self, game: &mut InPlay) -> Vec<Landing> {
        self.known.clear();
        // The search has room for no more pieces.
        self.known.extend(game.queue.known().take(MAX_PREVIEWS + 1));
        if let Some((planned, landing)) = self.next_of_plan(game) {
            // The plan keeps the placement until it is played.
            game.plan.push((planned, landing));
            return vec![landing];
        }
        let left = self.left(game);
        self.foresee(game);
        let GuidelinePlayer { player, known, unseen, bag, .. } = self;
        let outlook = Outlook { known, left, futures: unseen, bag };
        let mut ranked = player.rank(&game.state, outlook);
        RankedLanding::sort_best_first(&mut ranked);
        ranked.iter().filter(|one| !one.placed.lost).map(|one| one.landing).collect()
    }

    /// Advances `game` by a placement, which need not be one that was suggested.
    pub(super) fn advance(&self, game: &mut InPlay, choice: &Choice, landing: Landing) {
        let InPlay { queue, state, history, plan } = game;
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

/// Largest length, in pieces, of a perfect finish that is searched in sampled futures of the queue.
/// With a limit of 12, equally many of 60 games ended in 100 pieces, at ten times the CPU time.
const MAX_FUTURE_FINISH: usize = 10;

/// Samples `futures` continuations of the queue. Each contains the `unseen` pieces that follow the
/// first `known` pieces.
fn futures(
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

/// Stores the current piece and the previews of `queue` in `known`. At the end of a script there
/// are fewer previews.
///
/// # Errors
/// [`Error::ScriptEnded`] if the queue has no current piece, even if the hold has one.
pub fn look(rules: &Guideline, queue: &mut Queue, known: &mut Vec<Piece>) -> Result<()> {
    let window = usize::from(rules.previews) + 1;
    known.clear();
    known.extend((0..window).filter_map(|ahead| queue.peek(ahead)));
    // Dealing returns the error that explains the end of the script.
    if known.is_empty() { queue.deal().map(|_| ()) } else { Ok(()) }
}

/// Plays game number `index` of the configuration and returns its result.
///
/// # Errors
/// [`Error::ScriptEnded`].
pub fn play(config: &GuidelineConfig, index: u64) -> Result<GuidelineGameRow> {
    GuidelinePlayer::new(config).stopping_early().play(index, &mut |_, _| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::GuidelineController;
    use crate::queue::QueueKind;
    use crate::rules::guideline::RuleSet;
    use crate::search::guideline::Beam;
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

    /// A stored game continues with its board and its queue, and with the draws of its policy.
    #[test]
    fn a_stored_game_goes_on_as_it_was() {
        let policies = [Policy::Epsilon(0.5), Policy::Softmax(10.0), Policy::Misdrop(0.5)];
        for policy in [Policy::Best].into_iter().chain(policies) {
            let config = GuidelineConfig { policy, ..config() };
            let mut game = GuidelinePlayer::new(&config);
            let whole = game.play(0, &mut |_, _| ()).unwrap();
            let mut state = game.begin(0);
            assert_eq!(state.state.matrix.cells(), 18);
            for _ in 0..5 {
                assert_eq!(game.place_next(&mut state, &mut |_, _| ()).unwrap(), None);
            }
            let stored = serde_json::to_string(&state).unwrap();
            let stored: InPlay = serde_json::from_str(&stored).unwrap();
            let mut state = stored.restored(&config).unwrap();
            let end = loop {
                if let Some(end) = game.place_next(&mut state, &mut |_, _| ()).unwrap() {
                    break end;
                }
            };
            assert_eq!(state.ended(end), whole, "{policy}");
        }
    }

    /// A seed deals the same pieces under every policy, also where a beam plans a perfect finish
    /// and the policy leaves the plan. A probability of 0 plays the games of `best`.
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
            let play = |policy, game| {
                let config = GuidelineConfig { policy, ..config.clone() };
                config.validate().unwrap();
                let mut placements = Vec::new();
                let mut player = GuidelinePlayer::new(&config);
                let row = player.play(game, &mut |placed, _| placements.push(placed)).unwrap();
                (row, placements)
            };
            let (mut planned, mut drawn) = (0, 0);
            for game in 0..6 {
                let (best, placements) = play(Policy::Best, game);
                planned += placements.iter().filter(|placed| placed.found.is_none()).count();
                let mut dealt = std::collections::BTreeMap::new();
                for placed in &placements {
                    assert_eq!(dealt.insert(placed.dealt, placed.landing.piece), None);
                }
                for policy in [Policy::Epsilon(0.0), Policy::Misdrop(0.0)] {
                    assert_eq!(play(policy, game), (best.clone(), placements.clone()));
                }
                for policy in [Policy::Epsilon(0.3), Policy::Misdrop(0.3)] {
                    let (row, others) = play(policy, game);
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

    /// If the last piece of a script is in the hold, the game can't continue and fails.
    #[test]
    fn a_script_that_ends_is_no_end_of_the_game() {
        let queue = QueueKind::script("IOTSZ", false).unwrap();
        let short = GuidelineConfig { queue, ..config() };
        let error = GuidelinePlayer::new(&short).play(0, &mut |_, _| ()).unwrap_err().to_string();
        assert!(error.contains("after 5 pieces") && error.contains("cycle"), "{error}");
    }
}
