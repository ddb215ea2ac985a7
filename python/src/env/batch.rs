//! The interface of an environment's game, and sessions of games stepped on several threads.

use pyo3::IntoPyObject;
use rayon::ThreadPool;
use serde::de::DeserializeOwned;
use tetrastat::board::ROWS;

use super::observed::{
    GameOptions, Observed, ObservedRows, PLACEMENT, RowOrder, each_array, read_states,
    serialize_states, write_plane,
};
use crate::afterstates::{FeatureMeasurer, Measurable};
use crate::prelude::*;

/// Minimum number of games stepped per thread; with fewer, another thread costs more than it saves.
const GAMES_PER_THREAD: usize = 64;

const GAME_OVER_HINT: &str = "the game is over, reset it";

const ILLEGAL: &str = "illegal now, use one that the action mask allows";

tetrastat_core::names! {
    /// Autoreset modes of gymnasium: what happens to a game after its end.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Autoreset as "autoreset mode" {
        /// After a game ends, the next step ignores the action and starts the next game.
        NextStep = "NextStep",
        /// The step that ends a game also starts the next one, and writes the ended game's last
        /// observation to separate arrays.
        SameStep = "SameStep",
        /// The game waits until it is reset.
        Disabled = "Disabled",
    }
}

tetrastat_core::names! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Illegal as "answer to illegal actions" {
        /// An illegal action changes nothing, and the step earns the reward for such actions.
        Ignore = "ignore",
        /// An illegal action ends the game.
        End = "end",
        /// An illegal action makes the call fail, and no game of the batch is stepped.
        Raise = "raise",
    }
}

pub(super) struct Setup<G> {
    pub game: G,
    pub options: GameOptions,
    pub selection: Arc<Selection>,
    pub order: RowOrder,
    pub autoreset: Autoreset,
    pub illegal: Illegal,
    pub illegal_reward: f64,
    pub max_steps: Option<u64>,
    /// Reward of a placement by its number of removed rows, 0 to 4. `None` to reward its points.
    pub by_lines: Option<[f64; 5]>,
    /// Amount added to the reward of a step that loses the game.
    pub lost: f64,
}

/// Request to start a game: by default, the seed's next game (game 0 of a new `seed`) on an empty
/// board.
#[derive(Clone, Copy, Default)]
pub(super) struct Request {
    pub seed: Option<u64>,
    pub game: Option<u64>,
    pub board: Option<Board>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Session<S> {
    seed: u64,
    /// Number of the next game of the environment's seed.
    next: u64,
    lines: i64,
    pieces: i64,
    score: i64,
    steps: u64,
    is_over: bool,
    /// True if the game ended by its own rules, not by a limit.
    is_ended: bool,
    state: S,
}

impl<S> Session<S> {
    fn begin<G: Game<State = S>>(&mut self, setup: &Setup<G>, request: &Request) -> Result<()> {
        let Request { seed, game, board } = *request;
        if board.is_some_and(|it| it.stack_height() > it.height() || it.full_rows() != 0) {
            let text = "the start board has full rows or cells above the top: remove them";
            return Err(Error::Config(text.to_owned()));
        }
        let is_next = seed.is_none() && game.is_none();
        let game = game.unwrap_or(if seed.is_some() { 0 } else { self.next });
        (self.seed, self.next) = (seed.unwrap_or(self.seed), game + 1);
        (self.lines, self.pieces, self.score, self.steps) = (0, 0, 0, 0);
        (self.is_over, self.is_ended) = (false, false);
        setup.game.begin(&mut self.state, &Start { seed: self.seed, game, is_next, board })
    }

    /// Performs `action`, or counts an illegal one as a step. Returns the reward and three flags:
    /// terminated, truncated, and illegal action.
    fn act<G: Game<State = S>>(
        &mut self,
        setup: &Setup<G>,
        action: usize,
    ) -> Result<(f64, [bool; 3])> {
        let is_legal = setup.game.is_legal(&self.state, action);
        let played = match is_legal {
            true => setup.game.act(&mut self.state, action)?,
            false => Played::default(),
        };
        let Played { lines, pieces, points, lost, terminated, truncated } = played;
        self.lines += i64::from(lines);
        self.pieces += i64::from(pieces);
        self.score += i64::from(points);
        self.steps += 1;
        self.is_ended |= terminated;
        let worth = match setup.by_lines {
            _ if !is_legal => setup.illegal_reward,
            _ if pieces == 0 => 0.0,
            Some(by_lines) => by_lines[lines.min(4) as usize],
            None => points.into(),
        };
        let terminated = terminated || (!is_legal && setup.illegal == Illegal::End);
        let truncated = truncated || setup.max_steps.is_some_and(|most| self.steps >= most);
        self.is_over = terminated || truncated;
        let reward = worth + if lost { setup.lost } else { 0.0 };
        Ok((reward, [terminated, truncated, !is_legal]))
    }

    fn counts(&self) -> [i64; 3] {
        [self.lines, self.pieces, self.score]
    }

    fn show<G: Game<State = S>>(
        &mut self,
        setup: &Setup<G>,
        measurer: &mut FeatureMeasurer,
        rows: &mut ObservedRows,
        index: usize,
    ) {
        let Setup { game, order, selection, .. } = setup;
        if !rows.cells.is_empty() {
            self.write_cells(game, *order, rows.cells.row(index));
        }
        if !rows.dealt.is_empty() {
            game.dealt(&mut self.state, rows.dealt.row(index));
        }
        match self.is_ended {
            true => rows.mask.row(index).fill(0),
            false => game.mask(&self.state, rows.mask.row(index)),
        }
        if !rows.status.is_empty() {
            game.status(&self.state, rows.status.row(index));
        }
        if !rows.features.is_empty() {
            self.write_features(game, measurer, rows.features.row(index), selection.len());
        }
        if !rows.afterstates.is_empty() || !rows.placements.is_empty() {
            let (afterstates, placements) =
                (rows.afterstates.row(index), rows.placements.row(index));
            let found = game.afterstates(&self.state);
            afterstates.fill(0.0);
            placements.fill(-1);
            if !afterstates.is_empty() {
                measurer.measure(&found, afterstates, |_, action| action, |value| value as f32);
            }
            if !placements.is_empty() {
                for (action, one) in &found {
                    let to = &mut placements[action * PLACEMENT..][..PLACEMENT];
                    to.iter_mut().zip(one.placement()).for_each(|(to, it)| *to = it.into());
                }
            }
        }
        rows.counts.row(index).copy_from_slice(&self.counts());
    }

    fn write_cells<G: Game<State = S>>(&self, game: &G, order: RowOrder, out: &mut [u8]) {
        let Shape { height, width, .. } = game.shape();
        let (settled, falling) = out.split_at_mut(height * width);
        write_plane(&game.rows(&self.state)[..height], width, order, settled);
        if falling.is_empty() {
            return;
        }
        falling.fill(0);
        game.falling(&self.state, |column, row| {
            // A plane has no rows for cells above its top.
            if row < height {
                falling[order.row(row, height) * width + column] = 1;
            }
        });
    }

    /// Writes an observation of the game to `out`: `count` features, the pieces in one-hot coding,
    /// and the status.
    fn write_features<G: Game<State = S>>(
        &mut self,
        game: &G,
        measurer: &mut FeatureMeasurer,
        out: &mut [f32],
        count: usize,
    ) {
        let dealt = game.shape().dealt;
        let (features, out) = out.split_at_mut(count);
        measurer.measure(
            &[(0, game.latest(&self.state))],
            features,
            |at, _| at,
            |value| value as f32,
        );
        let (pieces, status) = out.split_at_mut(7 * dealt);
        let mut numbers = [NO_PIECE; 2 + tetrastat::rules::guideline::MAX_PREVIEWS];
        game.dealt(&mut self.state, &mut numbers[..dealt]);
        pieces.fill(0.0);
        for (one_hot, &piece) in pieces.chunks_mut(7).zip(&numbers) {
            if let Some(of_piece) = one_hot.get_mut(usize::from(piece)) {
                *of_piece = 1.0;
            }
        }
        game.status(&self.state, status);
    }

    fn picture<G: Game<State = S>>(&mut self, game: &G) -> String {
        let Shape { width, dealt, .. } = game.shape();
        let rows = game.rows(&self.state);
        let stack = rows.iter().rposition(|&row| row != 0).map_or(0, |row| row + 1);
        let mut falling = Vec::new();
        game.falling(&self.state, |column, row| falling.push((column, row)));
        let cell = |column: usize, row: usize| match rows[row] >> column & 1 == 1 {
            true => '#',
            false if falling.contains(&(column, row)) => '@',
            false => '.',
        };
        let row = |row| (0..width).map(move |column| cell(column, row)).chain(['\n']);
        let picture: String = (0..game.pictured_rows(stack)).rev().flat_map(row).collect();
        let mut numbers = vec![NO_PIECE; dealt];
        game.dealt(&mut self.state, &mut numbers);
        let letter = |&piece: &u8| Piece::ALL.get(usize::from(piece)).map_or("-", |it| it.name());
        let letters: Vec<&str> = numbers.iter().map(letter).collect();
        picture + &game.caption(&letters, self.counts())
    }
}

/// Steps each game by its action. The last observations of games that end and start in this step
/// are written to `last`.
fn step_each<G: Game>(
    setup: &Setup<G>,
    sessions: &mut [Session<G::State>],
    measurer: &mut FeatureMeasurer,
    actions: &[i64],
    shown: &mut ObservedRows,
    last: &mut ObservedRows,
) -> Result<()> {
    for (index, (session, &action)) in sessions.iter_mut().zip(actions).enumerate() {
        let begins = session.is_over && setup.autoreset == Autoreset::NextStep;
        let (reward, [terminated, truncated, is_illegal]) = if begins {
            session.begin(setup, &Request::default())?;
            Default::default()
        } else {
            session.act(setup, action as usize)?
        };
        let restarts = session.is_over && setup.autoreset == Autoreset::SameStep;
        if restarts {
            session.show(setup, measurer, last, index);
            session.begin(setup, &Request::default())?;
        }
        session.show(setup, measurer, shown, index);
        shown.reward.row(index)[0] = reward;
        let flags = [terminated, truncated, is_illegal, begins || restarts];
        shown.flags.row(index).copy_from_slice(&flags.map(u8::from));
    }
    Ok(())
}

struct Batch<G: Game> {
    setup: Arc<Setup<G>>,
    sessions: Vec<Session<G::State>>,
    measurers: Vec<FeatureMeasurer>,
}

pub(super) fn sessions<G: Game>(
    setup: Setup<G>,
    count: usize,
    threads: usize,
) -> Result<Box<dyn AnyBatch>> {
    let parts = threads.min(count.div_ceil(GAMES_PER_THREAD)).max(1);
    let session = |_| {
        let state = setup.game.idle()?;
        let (seed, next, lines, pieces, score, steps) = (0, 0, 0, 0, 0, 0);
        let (is_over, is_ended) = (false, false);
        Ok(Session { seed, next, lines, pieces, score, steps, is_over, is_ended, state })
    };
    let sessions = (0..count).map(session).collect::<Result<_>>()?;
    let measurers = (0..parts).map(|_| FeatureMeasurer::new(setup.selection.clone())).collect();
    Ok(Box::new(Batch { setup: Arc::new(setup), sessions, measurers }))
}

pub(super) trait AnyBatch: Send + Sync {
    fn parts(&self) -> usize;

    fn boxed_clone(&self) -> Box<dyn AnyBatch>;

    /// Returns the index of the first game that cannot take its action, and the reason as text.
    fn find_refusal(&self, actions: &[i64]) -> Option<(usize, &'static str)>;

    /// Performs an action in each game, and writes observations to `shown`. The last observations
    /// of ended games that restart at once go to `last`.
    fn step(
        &mut self,
        pool: Option<&ThreadPool>,
        actions: &[i64],
        shown: &mut ObservedRows,
        last: &mut ObservedRows,
    ) -> Result<()>;

    /// Starts each game that has a request, and writes its first observation to `shown`.
    fn begin(&mut self, requests: &[Option<Request>], shown: ObservedRows) -> Result<()>;

    /// Replaces each game's next pieces that are not visible yet by random ones, drawn by `seed`.
    fn branch(&mut self, seed: u64);

    fn save(&self, games: &[usize]) -> Result<Vec<u8>>;

    /// Replaces the games with the numbers `games` by the saved games in `state`, in order. A
    /// single saved game replaces all these games. On an error no game changes.
    fn load(&mut self, state: &[u8], games: &[usize]) -> Result<()>;

    fn show(&mut self, games: &[usize], shown: ObservedRows);

    fn picture(&mut self, index: usize) -> String;
}

impl<G: Game> AnyBatch for Batch<G> {
    fn parts(&self) -> usize {
        self.measurers.len()
    }

    fn boxed_clone(&self) -> Box<dyn AnyBatch> {
        let new = |_| FeatureMeasurer::new(self.setup.selection.clone());
        Box::new(Batch {
            setup: Arc::clone(&self.setup),
            sessions: self.sessions.clone(),
            measurers: (0..self.measurers.len()).map(new).collect(),
        })
    }

    fn find_refusal(&self, actions: &[i64]) -> Option<(usize, &'static str)> {
        let Setup { game, autoreset, illegal, .. } = &*self.setup;
        let refusal = |(session, &action): (&Session<G::State>, &i64)| match session.is_over {
            true => (*autoreset == Autoreset::Disabled).then_some(GAME_OVER_HINT),
            false if *illegal != Illegal::Raise => None,
            false => (!game.is_legal(&session.state, action as usize)).then_some(ILLEGAL),
        };
        let mut refusals = self.sessions.iter().zip(actions).map(refusal).enumerate();
        refusals.find_map(|(index, why)| Some((index, why?)))
    }

    fn step(
        &mut self,
        pool: Option<&ThreadPool>,
        actions: &[i64],
        shown: &mut ObservedRows,
        last: &mut ObservedRows,
    ) -> Result<()> {
        let Batch { setup, sessions, measurers } = self;
        let setup = &**setup;
        if let [measurer] = &mut measurers[..] {
            return step_each(setup, sessions, measurer, actions, shown, last);
        }
        let size = sessions.len().div_ceil(measurers.len());
        let given = sessions.chunks_mut(size).zip(actions.chunks(size)).zip(measurers);
        let mut parts = given.map(|((sessions, actions), measurer)| {
            let mut shown = each_array!(&mut *shown, (_, rows) => rows.take(sessions.len()));
            let mut last = each_array!(&mut *last, (_, rows) => rows.take(sessions.len()));
            move || step_each(setup, sessions, measurer, actions, &mut shown, &mut last)
        });
        let Some(pool) = pool else { return parts.try_for_each(|mut step| step()) };
        let (first, failure) = (parts.next(), Mutex::new(Ok(())));
        let note = &|stepped: Result<()>| {
            if let Err(error) = stepped {
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
            }
        };
        pool.in_place_scope(|scope| {
            for mut step in parts {
                scope.spawn(move |_| note(step()));
            }
            note(first.map_or(Ok(()), |mut step| step()));
        });
        failure.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&mut self, requests: &[Option<Request>], mut shown: ObservedRows) -> Result<()> {
        for (index, (session, request)) in self.sessions.iter_mut().zip(requests).enumerate() {
            if let Some(request) = request {
                session.begin(&self.setup, request)?;
                session.show(&self.setup, &mut self.measurers[0], &mut shown, index);
            }
        }
        Ok(())
    }

    fn branch(&mut self, seed: u64) {
        for (index, session) in self.sessions.iter_mut().enumerate() {
            self.setup.game.branch(&mut session.state, seed.wrapping_add(index as u64));
        }
    }

    fn save(&self, games: &[usize]) -> Result<Vec<u8>> {
        let saved = games.iter().map(|&index| &self.sessions[index]).collect();
        serialize_states(&self.setup.options, saved)
    }

    fn load(&mut self, state: &[u8], games: &[usize]) -> Result<()> {
        let mut loaded: Vec<Session<G::State>> = read_states(&self.setup.options, state)?;
        for Session { state, is_ended, .. } in &mut loaded {
            self.setup.game.restore(state, *is_ended)?;
        }
        if ![1, games.len()].contains(&loaded.len()) {
            return Err(Error::Config(format!(
                "state: it has {} games: give it one game, or as many as the {} to set",
                loaded.len(),
                games.len()
            )));
        }
        for (&index, session) in games.iter().zip(loaded.iter().cycle()) {
            self.sessions[index] = session.clone();
        }
        Ok(())
    }

    fn show(&mut self, games: &[usize], mut shown: ObservedRows) {
        for &index in games {
            self.sessions[index].show(&self.setup, &mut self.measurers[0], &mut shown, index);
        }
    }

    fn picture(&mut self, index: usize) -> String {
        self.sessions[index].picture(&self.setup.game)
    }
}

/// Number that stands for no piece in observations. Pieces have the numbers 0 to 6.
pub(super) const NO_PIECE: u8 = 7;

pub(super) struct Start {
    pub seed: u64,
    pub game: u64,
    /// True if the game to start simply follows the previous game of the same seed.
    pub is_next: bool,
    pub board: Option<Board>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Played {
    pub lines: u32,
    pub pieces: u32,
    pub points: u32,
    pub lost: bool,
    /// True if the game ended by its own rules (terminated).
    pub terminated: bool,
    /// True if the game was cut off from outside, for example by a limit (truncated).
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, IntoPyObject)]
pub(super) struct Shape {
    /// Number of cell planes in an observation: 2 if one shows the falling piece, otherwise 1.
    pub planes: usize,
    pub height: usize,
    pub width: usize,
    /// Number of pieces in an observation, the current one first.
    pub dealt: usize,
    pub status: usize,
    pub actions: usize,
    /// Number of rows of a start board.
    pub start_height: usize,
}

/// Rules and options of an environment's game that proceeds by numbered actions. The caller passes
/// only legal actions, and none after the end.
pub(super) trait Game: Send + Sync + 'static {
    /// State of a game in progress. Its saved form lacks the game's options.
    type State: Clone + Send + Sync + Serialize + DeserializeOwned;
    type After: Measurable;

    fn shape(&self) -> Shape;

    fn idle(&self) -> Result<Self::State>;

    fn begin(&self, state: &mut Self::State, start: &Start) -> Result<()>;

    fn is_legal(&self, state: &Self::State, action: usize) -> bool;

    fn act(&self, state: &mut Self::State, action: usize) -> Result<Played>;

    fn rows(&self, state: &Self::State) -> [u16; ROWS];

    /// Calls a function with the column and row of each cell of the game's falling piece.
    fn falling(&self, _: &Self::State, _: impl FnMut(usize, usize)) {}

    /// Writes the numbers of an observation's pieces to `out`, [`NO_PIECE`] for none.
    fn dealt(&self, state: &mut Self::State, out: &mut [u8]);

    fn status(&self, _: &Self::State, _: &mut [f32]) {}

    fn mask(&self, state: &Self::State, out: &mut [u8]);

    fn latest(&self, state: &Self::State) -> Afterstate;

    /// Returns the action number of every legal placement, with the placement's result.
    fn afterstates(&self, _: &Self::State) -> Vec<(usize, Self::After)> {
        Vec::new()
    }

    /// Replaces a game's invisible next pieces by others of the same distribution.
    fn branch(&self, state: &mut Self::State, seed: u64);

    /// Completes a game's state that was read from its saved form.
    fn restore(&self, state: &mut Self::State, is_ended: bool) -> Result<()>;

    fn pictured_rows(&self, stack: usize) -> usize {
        self.shape().height.max(stack)
    }

    /// Returns the line of text below a game's picture, with the letters of its pieces.
    fn caption(&self, dealt: &[&str], [lines, pieces, _]: [i64; 3]) -> String {
        format!("{}  {lines} lines, {pieces} pieces\n", dealt.join(" "))
    }
}

pub(super) fn check_restored(board: &Board, size: BoardSize) -> Result<()> {
    if board.size() != size || board.validate().is_err() { Err(damaged()) } else { Ok(()) }
}

pub(super) fn damaged() -> Error {
    Error::Config("state: it is damaged, or not from get_state".to_owned())
}
