//! Plays one guideline game.

use std::cell::OnceCell;

use serde::{Deserialize, Serialize};

use super::config::{GuidelineConfig, Unseen};
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::queue::Queue;
use crate::record::{GuidelineDecision, GuidelineEnd, GuidelineGameRow, GuidelinePlacement};
use crate::rng::{Purpose, Stream, stream_seed};
use crate::rules::guideline::{Choice, Guideline, GuidelineState, Landing, Placed, shortest};
use crate::search::guideline::{BeamDecision, BeamPlayer, Finisher, Found, Outlook};

/// Player of games of one configuration; it keeps the working memory of its search.
pub struct GuidelinePlayer {
    config: GuidelineConfig,
    player: BeamPlayer,
    finisher: Option<Finisher>,
    known: Vec<Piece>,
    /// Futures used by the last search.
    unseen: Vec<Vec<Piece>>,
    /// Pieces left in the bag after the known pieces.
    bag: Vec<Piece>,
}

/// Unfinished game between two placements, from which it can be resumed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InPlay {
    queue: Queue,
    state: GuidelineState,
    row: GuidelineGameRow,
    since_i: u32,
    dealt: Dealt,
    /// Remaining placements of a perfect finish, the next one last.
    plan: Vec<(Choice, Landing)>,
}

impl InPlay {
    /// Returns the state; its pieces are numbered from the next one dealt.
    #[must_use]
    pub fn state(&self) -> &GuidelineState {
        &self.state
    }

    /// Returns the result so far.
    #[must_use]
    pub fn row(&self) -> &GuidelineGameRow {
        &self.row
    }

    /// Returns the result of the game, which ended by `end`.
    #[must_use]
    pub fn ended(self, end: GuidelineEnd) -> GuidelineGameRow {
        self.row.ended(end)
    }

    /// Restores a stored game, which lacks the kind of its queue.
    ///
    /// # Errors
    /// [`Error::Config`] if it is no game of this run.
    pub fn restored(mut self, config: &GuidelineConfig) -> Result<InPlay> {
        if self.row.stream_seed != stream_seed(config.seed, Purpose::Queue, self.row.game) {
            let text = "the checkpoint holds a game of another run: start the run anew";
            return Err(Error::Config(text.to_owned()));
        }
        self.queue.set_kind(config.queue.clone());
        Ok(self)
    }
}

struct Step {
    choice: Choice,
    landing: Landing,
    placed: Placed,
    /// Result of the search; `None` for a placement of a plan.
    found: Option<Found>,
}

impl GuidelinePlayer {
    /// Creates a player of the configuration's games.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelinePlayer {
        let goal = config.mode.goal();
        // Only a Sprint has an end that a plan can reach.
        let finisher = goal.filter(|_| config.finisher > 0);
        GuidelinePlayer {
            config: config.clone(),
            player: config.chooser(),
            finisher: finisher.map(|goal| Finisher::new(goal, config.finisher)),
            known: Vec::new(),
            unseen: Vec::new(),
            bag: Vec::new(),
        }
    }

    /// Makes searches stop once the placement is decided. Games are the same but faster. The values
    /// and counts in [`GuidelinePlacement::found`] then describe shorter searches.
    #[must_use]
    pub fn stopping_early(self) -> GuidelinePlayer {
        GuidelinePlayer { player: self.player.stopping_early(), ..self }
    }

    /// Plays the game with this index and passes every placement to `see`.
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
                return Ok(game.row.ended(end));
            }
        }
    }

    /// Returns the game with this index before its first placement.
    #[must_use]
    pub fn begin(&self, index: u64) -> InPlay {
        let seed = self.config.seed;
        InPlay {
            queue: Queue::new(self.config.queue.clone(), seed, index),
            state: GuidelineState { matrix: self.config.start(), ..GuidelineState::default() },
            row: GuidelineGameRow::new(index, stream_seed(seed, Purpose::Queue, index)),
            since_i: 0,
            dealt: Dealt::default(),
            plan: Vec::new(),
        }
    }

    /// Makes one placement and passes it to `see`. Returns the reason if the game is over, before
    /// the placement or by a lock out with it.
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
        if mode.goal().is_some_and(|goal| game.row.lines >= goal) {
            return Ok(Some(GuidelineEnd::Won));
        }
        if game.row.pieces >= mode.pieces() {
            return Ok(Some(GuidelineEnd::PieceLimit));
        }
        look(rules, &mut game.queue, &mut self.known)?;
        let Some(Step { choice, landing, placed, found }) = self.decide(game) else {
            return Ok(Some(GuidelineEnd::TopOut));
        };
        let left = self.left(game);
        let InPlay { queue, state, row, since_i, dealt, .. } = game;
        let path = shortest(rules, &state.matrix, landing).unwrap_or_default();
        // The time is that of the shortest inputs, because the search chooses only the final
        // position of a piece.
        let time_us = row.time_us + clock.of(&path, choice.held);
        // A piece that would come to rest after the time limit is not placed.
        if time_us > mode.time_us() {
            return Ok(Some(GuidelineEnd::TimeLimit));
        }
        *since_i = if landing.piece == Piece::I { 0 } else { *since_i + 1 };
        row.time_us = time_us;
        row.count(choice.held, &placed, &path, found.is_none());
        let placement = GuidelinePlacement {
            game: row.game,
            piece_no: row.pieces,
            time_us,
            landing,
            choice,
            hold_before: state.hold,
            next: std::array::from_fn(|k| self.known.get(choice.taken as usize + k).copied()),
            since_i: *since_i,
            dealt: dealt.place(&choice),
            before: state.combo_state,
            placed,
            path,
            found,
            score: row.points.total(),
            surface: OnceCell::new(),
        };
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

    /// Returns the number of pieces that a game may still last.
    fn left(&self, game: &InPlay) -> usize {
        (self.config.mode.pieces() - game.row.pieces) as usize
    }

    /// Returns the next placement: from a perfect finish if one is known, otherwise from the
    /// search.
    fn decide(&mut self, game: &mut InPlay) -> Option<Step> {
        let left = self.left(game);
        let GuidelinePlayer { player, finisher, known, unseen, bag, config } = self;
        let InPlay { state, plan, queue, row, .. } = game;
        unseen.clear();
        // A plan is played to its end: it takes the fewest possible pieces, so no later piece can
        // improve it.
        if let (Some(finisher), true) = (finisher, plan.is_empty()) {
            *plan = finisher.find(player.movegen(), state, known).unwrap_or_default();
            // The next placement comes last, so that each can be popped.
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
        let Some((planned, landing)) = plan.pop() else {
            let Unseen { futures: count, pieces } = config.unseen;
            *unseen = futures(config.seed, queue, row, count, known.len(), pieces as usize);
            bag.clear();
            bag.extend_from_slice(queue.left_in_bag());
            let outlook = Outlook { known, left, futures: unseen, bag };
            let BeamDecision { choice, landing, placed, found } = player.decide(state, outlook)?;
            return Some(Step { choice, landing, placed, found: Some(found) });
        };
        let choices = state.choices(&config.rules, known);
        // A plan may swap in a piece that the queue then deals as well, which makes the swap
        // unnecessary.
        let of_piece = |choice: &&Choice| choice.piece == landing.piece;
        let same = choices[usize::from(planned.held)].as_ref().filter(of_piece);
        let choice = same.or(choices.iter().flatten().find(of_piece)).copied()?;
        let placed = state.place(&config.rules, &choice, landing);
        Some(Step { choice, landing, placed, found: None })
    }
}

/// Largest length, in pieces, of a perfect finish that is searched in futures of the queue. With
/// 12, as many of 60 games ended in 100 pieces, for ten times the CPU time.
const MAX_FUTURE_FINISH: usize = 10;

/// Returns `futures` samples of the `unseen` pieces that follow the known ones.
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

/// Counter of the pieces in the queue, from 1.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Dealt {
    taken: u64,
    /// Number of the piece in the hold; 0 if the hold is empty.
    held: u64,
}

impl Dealt {
    /// Returns the number of the piece that `choice` places.
    pub fn place(&mut self, choice: &Choice) -> u64 {
        let current = self.taken + 1;
        self.taken += u64::from(choice.taken);
        match (choice.held, choice.taken) {
            (false, _) => current,
            // The held piece is placed, and the current piece enters the hold with its number.
            (true, 1) => std::mem::replace(&mut self.held, current),
            (true, _) => {
                self.held = current;
                current + 1
            }
        }
    }
}

/// Stores the current piece and the previews in `known`; there are fewer at the end of a script.
///
/// # Errors
/// [`Error::ScriptEnded`] without a current piece, even if the hold has one.
pub fn look(rules: &Guideline, queue: &mut Queue, known: &mut Vec<Piece>) -> Result<()> {
    let window = usize::from(rules.previews) + 1;
    known.clear();
    known.extend((0..window).filter_map(|ahead| queue.peek(ahead)));
    // Dealing returns the error that explains the end of the script.
    if known.is_empty() { queue.deal().map(|_| ()) } else { Ok(()) }
}

/// Plays one game.
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
    use crate::rules::guideline::{Hold, RuleSet};
    use crate::sim::guideline::Mode;

    /// Piece 1; then 3, while 2 enters the empty hold; then 2 from the hold, while 4 enters it;
    /// then 5.
    #[test]
    fn numbers_in_the_queue_by_hand() {
        let mut dealt = Dealt::default();
        let mut place =
            |held, taken| dealt.place(&Choice { piece: Piece::T, held, hold: Hold::Empty, taken });
        assert_eq!(
            [place(false, 1), place(true, 2), place(true, 1), place(false, 1)],
            [1, 3, 2, 5]
        );
        assert_eq!(place(true, 1), 4);
    }

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

    /// A stored game continues with its board and its queue.
    #[test]
    fn a_stored_game_goes_on_as_it_was() {
        let config = config();
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
        assert_eq!(state.ended(end), whole);
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
