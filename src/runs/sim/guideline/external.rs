//! Plays guideline games by the moves of a bot, which runs as a process of its own.
//!
//! The bot follows each game from its first position. A game that it does not know, such as one
//! that a viewer continues, begins with a new `start`.

use crate::error::Result;
use crate::piece::Piece;
use crate::queue::Queue;
use crate::record::{ChosenPlacement, GuidelineGameRow};
use crate::rules::guideline::{
    Choice, GuidelineState, Hold, Landing, Landings, MoveGenerator, Placed, Spin, shortest,
};
use crate::tbp::{Bot, BotProcess, Move, Randomizer, Start, ToBot, board_of};

/// Player of guideline games whose placements a bot chooses.
pub(super) struct ExternalPlayer {
    bot: Bot,
    process: Option<BotProcess>,
    /// The last placement, which the bot suggested and does not yet know as played.
    last: Option<LastPlacement>,
    /// Landings of the current piece and of the piece from the hold.
    landings: [Landings; 2],
}

struct LastPlacement {
    /// Number of the game, and of its pieces with this placement.
    game: (u64, u32),
    /// State after the placement.
    after: GuidelineState,
    /// Known pieces after the placement.
    known: Vec<Piece>,
    played: Move,
}

impl ExternalPlayer {
    /// Creates the player. The bot starts with the first decision.
    pub(super) fn new(bot: Bot) -> ExternalPlayer {
        ExternalPlayer { bot, process: None, last: None, landings: Default::default() }
    }

    /// Returns the placement that the bot chooses, or `None` if every placement loses or the bot
    /// forfeits the game, which it does by suggesting no move. `known` are the current piece and
    /// the previews of `queue`; `row` is the result of the game so far.
    ///
    /// # Errors
    /// [`crate::error::Error::Controller`] if the bot fails or suggests only moves that are not
    /// legal.
    pub(super) fn choose(
        &mut self,
        movegen: &MoveGenerator,
        state: &GuidelineState,
        queue: &Queue,
        known: &[Piece],
        row: &GuidelineGameRow,
    ) -> Result<Option<ChosenPlacement>> {
        let rules = movegen.rules();
        let choices = state.choices(rules, known);
        let mut survives = false;
        for (choice, landings) in choices.iter().zip(&mut self.landings) {
            if let Some(choice) = choice {
                movegen.landings(&state.matrix, choice.piece, landings);
                survives |= landings.iter().any(|landing| !rules.loses(landing));
            }
        }
        if !survives {
            return Ok(None);
        }
        let messages = self.messages(state, queue, known, row);
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(BotProcess::begin(&self.bot, Randomizer::name(queue.kind()))?),
        };
        let moves = process.suggestion(&messages)?;
        if moves.is_empty() {
            return Ok(None);
        }
        let landings = &self.landings;
        let legal = moves.iter().find_map(|wanted| {
            legal(movegen, state, (&choices, landings), wanted).map(|found| (wanted, found))
        });
        let Some((wanted, (choice, landing, placed))) = legal else {
            let place = format!("for piece {} of game {}", row.pieces + 1, row.game);
            return Err(process.no_legal_move(&moves, &place));
        };
        let played = Move { spin: landing.spin, ..*wanted };
        self.last = Some(LastPlacement {
            game: (row.game, row.pieces + 1),
            after: placed.next_state(),
            known: known.iter().skip(choice.taken as usize).copied().collect(),
            played,
        });
        let found = None;
        Ok(Some(ChosenPlacement { choice, landing, placed, found, planned: false, best: None }))
    }

    /// Returns the messages that lead the bot to the position and ask it for moves.
    fn messages(
        &mut self,
        state: &GuidelineState,
        queue: &Queue,
        known: &[Piece],
        row: &GuidelineGameRow,
    ) -> Vec<ToBot> {
        let here = (row.game, row.pieces);
        let goes_on = |last: &LastPlacement| {
            last.game == here && last.after == *state && known.starts_with(&last.known)
        };
        if let Some(LastPlacement { played, known: seen, .. }) =
            self.last.take_if(|last| goes_on(last))
        {
            let more = known[seen.len()..].iter().map(|&piece| ToBot::NewPiece { piece });
            return [ToBot::Play { played }]
                .into_iter()
                .chain(more)
                .chain([ToBot::Suggest])
                .collect();
        }
        let is_calculating = self.process.as_ref().is_some_and(BotProcess::is_calculating);
        let start = ToBot::Start(Box::new(Start::of(state, known, queue)));
        is_calculating.then_some(ToBot::Stop).into_iter().chain([start, ToBot::Suggest]).collect()
    }
}

impl Start {
    /// Returns the position `state` with the pieces `known`, which `queue` has dealt.
    fn of(state: &GuidelineState, known: &[Piece], queue: &Queue) -> Start {
        let combo_state = state.combo_state;
        Start {
            hold: match state.hold {
                Hold::Piece(piece) => Some(piece),
                Hold::Empty | Hold::Unknown => None,
            },
            queue: known.to_vec(),
            combo: combo_state.combo.into(),
            back_to_back: combo_state.back_to_back(),
            board: board_of(&state.matrix),
            randomizer: Randomizer::of(queue.kind(), queue.bag_counts()),
        }
    }
}

/// Returns the placement that `wanted` means, if it is legal: a choice, its landing and its effect.
///
/// The rules decide the spin. A piece that arrives without the wanted spin, although it can arrive
/// with one, is placed with its best spin if no other way there is known.
fn legal(
    movegen: &MoveGenerator,
    state: &GuidelineState,
    (choices, landings): (&[Option<Choice>; 2], &[Landings; 2]),
    wanted: &Move,
) -> Option<(Choice, Landing, Placed)> {
    let goal = wanted.landing()?;
    let of_piece = |(choice, landings): (&Option<Choice>, _)| {
        choice.filter(|choice| choice.piece == goal.piece).map(|choice| (choice, landings))
    };
    let (choice, landings): (Choice, &Landings) =
        choices.iter().zip(landings).find_map(of_piece)?;
    let is_there = |landing: &Landing| Landing { spin: goal.spin, ..*landing } == goal;
    let best = landings.iter().find(is_there)?;
    let rules = movegen.rules();
    let landing = match (goal.spin, best.spin) {
        (wanted, best_spin) if wanted == best_spin => best,
        // The bot counts on a spin that cannot be made.
        (_, Spin::None) => return None,
        // Without a turn as the last movement there is no spin.
        (Spin::None, _) => match shortest(rules, &state.matrix, goal) {
            Some(path) if path.kick.is_none() => goal,
            _ => best,
        },
        _ => shortest(rules, &state.matrix, goal).map_or(best, |_| goal),
    };
    Some((choice, landing, state.place(rules, &choice, landing)))
}
