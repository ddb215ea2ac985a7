//! One guideline game.

use super::config::GuidelineConfig;
use crate::piece::Piece;
use crate::queue::{Queue, QueueKind};
use crate::record::{GuidelineEnd, GuidelineGameRow, GuidelinePlacement};
use crate::rng::{Purpose, stream_seed};
use crate::rules::guideline::{Choice, Landing, Placed, Reach, Spin, Standing, Way, shortest};
use crate::search::guideline::{Decision, Finisher, Found, Player, Weights};

/// What a game came to.
pub type Outcome = GuidelineGameRow;

/// Plays games of one configuration; keeps the working memory of its search.
pub struct Game<'a> {
    config: &'a GuidelineConfig,
    player: Player,
    finisher: Option<Finisher>,
    known: Vec<Piece>,
    /// What remains of a perfect finish, the next placement last.
    plan: Vec<(Choice, Landing)>,
}

/// A placement decided on.
struct Step {
    choice: Choice,
    landing: Landing,
    /// What the search found. A plan has none.
    found: Option<Found>,
}

impl<'a> Game<'a> {
    /// A player of the configuration's games.
    #[must_use]
    pub fn new(config: &'a GuidelineConfig) -> Game<'a> {
        let goal = config.mode.goal();
        let reach = Reach::new(config.rules, config.moves, config.level);
        let player = Player::new(reach, Weights::new(&config.controller), config.beam, goal);
        let finisher = goal.filter(|_| config.finisher > 0);
        Game {
            config,
            player,
            finisher: finisher.map(|goal| Finisher::new(goal, config.finisher)),
            known: Vec::new(),
            plan: Vec::new(),
        }
    }

    /// Plays the game of this index; every placement is shown to `see`.
    pub fn play(&mut self, index: u64, see: &mut dyn FnMut(&GuidelinePlacement)) -> Outcome {
        let GuidelineConfig { rules, mode, clock, seed, .. } = self.config;
        let mut queue = Queue::new(QueueKind::Bag, *seed, index);
        let mut out = Outcome::new(index, stream_seed(*seed, Purpose::Queue, index));
        let mut state = Standing::default();
        self.plan.clear();
        let (mut since_i, mut dealt) = (0, Dealt::default());
        loop {
            if mode.goal().is_some_and(|goal| out.lines >= goal) {
                return out.ended(GuidelineEnd::Won);
            }
            if out.pieces >= mode.pieces() {
                return out.ended(GuidelineEnd::PieceLimit);
            }
            self.look(&mut queue);
            let left = (mode.pieces() - out.pieces) as usize;
            let Some(Step { choice, landing, found }) = self.decide(&state, left) else {
                return out.ended(GuidelineEnd::TopOut);
            };
            let way = shortest(rules, &state.matrix, landing).unwrap_or_default();
            let time_us = out.time_us + clock.of(&way, choice.held);
            if time_us > mode.time_us() {
                return out.ended(GuidelineEnd::TimeLimit);
            }
            let placed = state.place(rules, &choice, landing);
            since_i = if landing.piece == Piece::I { 0 } else { since_i + 1 };
            out.time_us = time_us;
            self.count(&mut out, &choice, &placed, &way, found.is_none());
            see(&GuidelinePlacement {
                game: index,
                piece_no: out.pieces,
                time_us,
                landing,
                held: choice.held,
                hold: [state.hold, choice.hold],
                next: std::array::from_fn(|k| self.known.get(choice.taken as usize + k).copied()),
                since_i,
                dealt: dealt.place(&choice),
                before: state.chain,
                placed: &placed,
                way: &way,
                found,
                score: out.points.total(),
            });
            for _ in 0..choice.taken {
                let _ = queue.deal();
            }
            state = Standing { taken: 0, ..placed.after };
            if placed.lost {
                return out.ended(GuidelineEnd::LockOut);
            }
        }
    }

    /// Sees the current piece and the previews.
    fn look(&mut self, queue: &mut Queue) {
        let window = usize::from(self.config.rules.previews) + 1;
        self.known.clear();
        self.known.extend((0..window).filter_map(|ahead| queue.peek(ahead)));
    }

    /// The next placement: of a perfect finish if one is known, else of the search.
    fn decide(&mut self, state: &Standing, left: usize) -> Option<Step> {
        let Game { player, finisher, known, plan, config } = self;
        if let (Some(finisher), true) = (finisher, plan.is_empty()) {
            *plan = finisher.find(player.reach(), state, known).unwrap_or_default();
            plan.reverse();
        }
        let Some((planned, landing)) = plan.pop() else {
            let Decision { choice, landing, found, .. } = player.decide(state, known, left)?;
            return Some(Step { choice, landing, found: Some(found) });
        };
        let choices = state.choices(&config.rules, known);
        // A plan may swap in a piece that the queue then deals as well: then no swap is needed.
        let of_piece = |choice: &&Choice| choice.piece == landing.piece;
        let same = choices[usize::from(planned.held)].as_ref().filter(of_piece);
        let choice = same.or(choices.iter().flatten().find(of_piece)).copied()?;
        Some(Step { choice, landing, found: None })
    }

    /// Adds a placement to what the game came to.
    fn count(&self, out: &mut Outcome, choice: &Choice, placed: &Placed, way: &Way, planned: bool) {
        let clear = placed.clear;
        out.pieces += 1;
        out.lines += u32::from(clear.lines);
        out.points.add(placed.points);
        out.points.drop += way.points();
        out.inputs += way.inputs.len() as u32 + u32::from(choice.held);
        out.holds += u32::from(choice.held);
        out.planned += u32::from(planned);
        if clear.lines > 0 || clear.spin != Spin::None {
            out.clears[clear.spin as usize][usize::from(clear.lines)] += 1;
        }
        out.perfect_clears += u32::from(clear.perfect);
        out.longest_combo = out.longest_combo.max(placed.after.chain.combo.into());
        if placed.act.back_to_back && clear.is_difficult() {
            out.run_of_back_to_back += 1;
        } else if clear.lines > 0 {
            out.run_of_back_to_back = 0;
        }
        out.longest_back_to_back = out.longest_back_to_back.max(out.run_of_back_to_back);
        out.height_max = out.height_max.max(placed.act.height.into());
    }
}

/// Numbers of pieces in the queue, from 1.
#[derive(Clone, Copy, Debug, Default)]
struct Dealt {
    /// Pieces taken from the queue.
    taken: u64,
    /// The piece in the hold; 0 when it is empty.
    held: u64,
}

impl Dealt {
    /// The number of the piece placed.
    fn place(&mut self, choice: &Choice) -> u64 {
        let current = self.taken + 1;
        self.taken += u64::from(choice.taken);
        match (choice.held, choice.taken) {
            (false, _) => current,
            (true, 1) => std::mem::replace(&mut self.held, current),
            (true, _) => {
                self.held = current;
                current + 1
            }
        }
    }
}

/// Plays one game.
pub fn play(config: &GuidelineConfig, index: u64) -> Outcome {
    Game::new(config).play(index, &mut |_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::guideline::Hold;

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
}
