//! One guideline game.

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

/// Plays games of one configuration; keeps the working memory of its search.
pub struct GuidelinePlayer {
    config: GuidelineConfig,
    player: BeamPlayer,
    finisher: Option<Finisher>,
    known: Vec<Piece>,
    /// The futures that the last search looked at.
    unseen: Vec<Vec<Piece>>,
    /// What is left in the bag after the known pieces.
    bag: Vec<Piece>,
}

/// A game between two placements, complete enough to go on with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct InPlay {
    queue: Queue,
    state: GuidelineState,
    row: GuidelineGameRow,
    since_i: u32,
    dealt: Dealt,
    /// What remains of a perfect finish, the next placement last.
    plan: Vec<(Choice, Landing)>,
}

impl InPlay {
    /// The state, with pieces counted from the next one that is dealt.
    #[must_use]
    pub fn state(&self) -> &GuidelineState {
        &self.state
    }

    /// What it came to so far.
    #[must_use]
    pub fn row(&self) -> &GuidelineGameRow {
        &self.row
    }

    /// What it came to, once it ended.
    #[must_use]
    pub fn ended(self, end: GuidelineEnd) -> GuidelineGameRow {
        self.row.ended(end)
    }

    /// A game that was stored without the kind of its queue.
    ///
    /// # Errors
    /// [`Error::Config`] when it is none of this run.
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
    /// The result of the search; `None` for a placement of a plan.
    found: Option<Found>,
}

impl GuidelinePlayer {
    /// A player of the configuration's games.
    #[must_use]
    pub fn new(config: &GuidelineConfig) -> GuidelinePlayer {
        let goal = config.mode.goal();
        // Only a Sprint has an end that a plan could lead to.
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

    /// A player whose searches are only asked what to place, and stop once that is decided: the same games, sooner, but what
    /// [`GuidelinePlacement::found`] says of values and of placements looked at is of shorter searches.
    #[must_use]
    pub fn stopping_early(self) -> GuidelinePlayer {
        GuidelinePlayer { player: self.player.stopping_early(), ..self }
    }

    /// Plays the game of this index; every placement is shown to `see`.
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

    /// The game of this index before its first placement.
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

    /// Makes one placement, which is shown to `see`, or tells why the game is over: before it, or by
    /// lock out with it.
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
        // By the shortest inputs, since the search chooses where a piece rests and not by which keys.
        let time_us = row.time_us + clock.of(&path, choice.held);
        // A piece that would come to rest after the time is up is not placed.
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
            // Taken only now: the search and the log have seen them in the previews.
            let _ = queue.deal();
        }
        *state = placed.next_state();
        Ok(placed.lost.then_some(GuidelineEnd::LockOut))
    }

    /// Pieces that a game may still last.
    fn left(&self, game: &InPlay) -> usize {
        (self.config.mode.pieces() - game.row.pieces) as usize
    }

    /// The next placement: of a perfect finish if one is known, else of the search.
    fn decide(&mut self, game: &mut InPlay) -> Option<Step> {
        let left = self.left(game);
        let GuidelinePlayer { player, finisher, known, unseen, bag, config } = self;
        let InPlay { state, plan, queue, row, .. } = game;
        unseen.clear();
        // A plan is played to its end: it takes the fewest pieces there are, and nothing that comes can be
        // better.
        if let (Some(finisher), true) = (finisher, plan.is_empty()) {
            *plan = finisher.find(player.movegen(), state, known).unwrap_or_default();
            // The next placement last, so that each is popped.
            plan.reverse();
            if plan.is_empty() && config.futures > 0 {
                let pieces = finisher.pieces(state).unwrap_or(0) as usize;
                if (2..=STEERED).contains(&pieces) {
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
        // A plan may swap in a piece that the queue then deals as well: then no swap is needed.
        let of_piece = |choice: &&Choice| choice.piece == landing.piece;
        let same = choices[usize::from(planned.held)].as_ref().filter(of_piece);
        let choice = same.or(choices.iter().flatten().find(of_piece)).copied()?;
        let placed = state.place(&config.rules, &choice, landing);
        Some(Step { choice, landing, placed, found: None })
    }
}

/// Pieces that a perfect finish takes at most to be looked for in futures of the queue: with 12 as many of 60 games
/// ended in 100 pieces, for ten times the CPU time.
const STEERED: usize = 10;

/// What may be dealt after the known pieces, so many of them, in some futures.
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

/// Numbers of pieces in the queue, from 1.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Dealt {
    /// Pieces taken from the queue.
    taken: u64,
    /// The piece in the hold; 0 when it is empty.
    held: u64,
}

impl Dealt {
    /// The number of the piece placed.
    pub fn place(&mut self, choice: &Choice) -> u64 {
        let current = self.taken + 1;
        self.taken += u64::from(choice.taken);
        match (choice.held, choice.taken) {
            (false, _) => current,
            // What lay in the hold is placed, and the current piece takes its place there with its number.
            (true, 1) => std::mem::replace(&mut self.held, current),
            (true, _) => {
                self.held = current;
                current + 1
            }
        }
    }
}

/// Sees the current piece and the previews; there are fewer at the end of a script.
///
/// # Errors
/// [`Error::ScriptEnded`] without a current piece, even if one lies in the hold.
pub fn look(rules: &Guideline, queue: &mut Queue, known: &mut Vec<Piece>) -> Result<()> {
    let window = usize::from(rules.previews) + 1;
    known.clear();
    known.extend((0..window).filter_map(|ahead| queue.peek(ahead)));
    // Dealing says why.
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

    /// Pieces 1, then 3 while 2 goes to the empty hold, then 2 out of it while 4 goes in, then 5.
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

    /// A game that was stored goes on with its board and its queue.
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

    /// The last piece of a script may lie in the hold: then the game can't go on, and says so.
    #[test]
    fn a_script_that_ends_is_no_end_of_the_game() {
        let queue = QueueKind::script("IOTSZ", false).unwrap();
        let short = GuidelineConfig { queue, ..config() };
        let error = GuidelinePlayer::new(&short).play(0, &mut |_, _| ()).unwrap_err().to_string();
        assert!(error.contains("after 5 pieces") && error.contains("cycle"), "{error}");
    }
}
