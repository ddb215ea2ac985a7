//! Chooses placements of classic games by a controller, rules and a search.

use std::cmp::Reverse;

use super::policy::misdrop_neighbours;
use super::{Decision, Policy, Ranked, RunnerUp, Search, Value};
use crate::board::{Board, BoardSize};
use crate::controller::{Connection, Controller, LARGEST_VALUE, Position, Scorer, Tie};
use crate::error::{Error, Result};
use crate::kernels::{Evaluator, Level, Scratch, SetBits};
use crate::piece::Piece;
use crate::placement::{Candidate, MAX_CANDIDATES, Placement, PlacementEffect, Placements};
use crate::rng::Stream;
use crate::rules::{Entry, Outcome, Rules};

/// A player that chooses placements of classic games. Each thread needs its own player, because a
/// player contains working memory.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{board::Board, controller::Controller, kernels::Level};
/// use tetrastat::{queue::{Queue, QueueKind}, rules::Rules, search::{Player, Search}};
/// let size = "10x20".parse()?;
/// let (bcts, rules) = (Controller::load("bcts")?, Rules::simplified());
/// let mut player = Player::new(&bcts, rules, Search::Greedy, size, Level::detect())?;
/// let (mut board, mut queue) = (Board::empty(size), Queue::new(QueueKind::Uniform, 1, 0));
/// let mut lines = 0;
/// for _ in 0..100 {
///     let Some(step) = player.step(&mut board, queue.deal()?, None) else { break };
///     lines += u32::from(step.lines);
///     if step.lost {
///         break;
///     }
/// }
/// assert_eq!((lines, board.stack_height()), (38, 6));
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
pub struct Player {
    rules: Rules,
    search: Search,
    tie: Tie,
    scorer: Scorer,
    /// Prepared evaluators of placements: one, or several if weights change with the stack height.
    evaluators: Vec<Evaluator>,
    /// Index of the evaluator for each stack height, `None` before its first use.
    at_height: Vec<Option<usize>>,
    /// Index of the evaluator used for the present decision.
    active: usize,
    placements: Placements,
    current: ScoredMoves,
    answer: ScoredMoves,
    /// Values of the possible placements of the current piece, by orientation and then column.
    values: Vec<Value>,
    ahead: bool,
    external: Option<ExternalPlayer>,
}

struct ExternalPlayer {
    name: String,
    connection: Connection,
    boards: Vec<Board>,
    values: Vec<f64>,
    failure: Option<Error>,
}

struct ScoredMoves {
    scratch: Scratch,
    /// Possible placements by orientation and column, listed only if the rules exclude some.
    listed: Vec<Candidate>,
    count: usize,
}

impl Player {
    /// Creates a player for boards of `size`. Fails if the controller does not fit the board, or if
    /// its external player cannot start.
    pub fn new(
        controller: &Controller,
        rules: Rules,
        search: Search,
        size: BoardSize,
        level: Level,
    ) -> Result<Player> {
        let scorer = Scorer::new(controller, size)?;
        let evaluator = evaluator(&scorer, 0, rules, size, level);
        let moves = || ScoredMoves { scratch: evaluator.scratch(), listed: Vec::new(), count: 0 };
        let mut at_height = vec![None; scorer.last_height() + 1];
        at_height[0] = Some(0);
        let connect = |external: &crate::controller::External| {
            Ok(ExternalPlayer {
                name: controller.name.clone(),
                connection: external.connect()?,
                boards: Vec::new(),
                values: Vec::new(),
                failure: None,
            })
        };
        Ok(Player {
            rules,
            search,
            tie: controller.tie,
            placements: Placements::new(size.width()),
            current: moves(),
            answer: moves(),
            values: vec![Value::LOST; MAX_CANDIDATES],
            ahead: false,
            external: controller.external.as_ref().map(connect).transpose()?,
            scorer,
            evaluators: vec![evaluator],
            at_height,
            active: 0,
        })
    }

    /// Returns the controller's integer weights and the scale of its scores.
    #[must_use]
    pub fn scorer(&self) -> &Scorer {
        &self.scorer
    }

    /// Returns the error, once, if the external player failed in the last decision, which is then
    /// `None`: its own error, or [`Error::Controller`] for an invalid value.
    pub fn check_external(&mut self) -> Result<()> {
        self.external.as_mut().and_then(|external| external.failure.take()).map_or(Ok(()), Err)
    }

    /// Chooses a placement of `piece`, or returns `None` if the piece cannot enter. With
    /// [`Search::Next`] the choice is greedy if the piece `next` is not known.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::{board::Board, controller::Controller, kernels::Level, piece::Piece};
    /// use tetrastat::{rules::Rules, search::{Player, Search}};
    /// let board: Board = "....../....../#...../##.###".parse()?;
    /// let (bcts, rules) = (Controller::load("bcts")?, Rules::simplified());
    /// let mut player = Player::new(&bcts, rules, Search::Greedy, board.size(), Level::detect())?;
    /// let choice = player.decide(&board, Piece::J, None).expect("every drop is possible");
    /// assert_eq!(choice.outcome.after.to_hex(), "3b:31:20:20");
    /// assert!(choice.margin(player.scorer().scale()).is_some_and(|units| units > 0.0));
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    pub fn decide(&mut self, board: &Board, piece: Piece, next: Option<Piece>) -> Option<Decision> {
        let top_two = self.evaluate_top(board, piece, next, 2);
        if self.tie != Tie::First {
            let chosen = self.choose(board, piece, top_two)?;
            return Some(self.decision(board, piece, chosen, top_two));
        }
        let (chosen, second) = self.first_two(top_two)?;
        Some(self.decision_over(board, piece, chosen, second, 1))
    }

    /// Returns the best and second-best placement in the mask `top_two`; of equal values, the
    /// first.
    fn first_two(&self, top_two: u64) -> Option<(usize, Option<usize>)> {
        let mut left = SetBits(top_two);
        let (mut chosen, mut second) = (left.next()?, None);
        for lane in left {
            if self.values[lane] > self.values[chosen] {
                // The best so far precedes all other placements with its value.
                second = Some(chosen);
                chosen = lane;
            } else if second.is_none_or(|second: usize| self.values[lane] > self.values[second]) {
                second = Some(lane);
            }
        }
        Some((chosen, second))
    }

    /// Chooses a placement of `piece` by `policy` with random draws from `stream`
    /// ([`Policy::stream`]). Returns `None` if the piece cannot enter.
    pub fn decide_by(
        &mut self,
        policy: Policy,
        stream: &mut Stream,
        board: &Board,
        piece: Piece,
        next: Option<Piece>,
    ) -> Option<Decision> {
        if policy.deviates(stream) {
            self.draw(policy, stream, board, piece, next)
        } else {
            self.decide(board, piece, next)
        }
    }

    /// Plays the placement that [`Player::decide_by`] would choose, if the piece can enter.
    pub fn step_by(
        &mut self,
        policy: Policy,
        stream: &mut Stream,
        board: &mut Board,
        piece: Piece,
        next: Option<Piece>,
    ) -> Option<PlacementEffect> {
        if !policy.deviates(stream) {
            return self.step(board, piece, next);
        }
        let drawn = self.draw(policy, stream, board, piece, next)?;
        *board = drawn.outcome.after;
        Some(drawn.step())
    }

    fn draw(
        &mut self,
        policy: Policy,
        stream: &mut Stream,
        board: &Board,
        piece: Piece,
        next: Option<Piece>,
    ) -> Option<Decision> {
        self.evaluate(board, piece, next, None);
        let count = self.current.count;
        let best = self.choose(board, piece, first_lanes(count))?;
        let (values, scale) = (&self.values, self.scorer.scale());
        let difference = |lane: usize| values[lane].margin(values[best], scale);
        let placement = |lane| self.candidate(piece, lane).placement;
        let possible = || {
            let lane = |neighbour| (0..count).find(|&lane| placement(lane) == neighbour);
            misdrop_neighbours(piece, placement(best)).filter_map(lane).collect()
        };
        let drawn = policy.draw(stream, best, count, difference, possible);
        Some(self.decision_beside(board, piece, drawn, best))
    }

    /// Compares the placement of `piece` that another player chose with all other placements.
    /// Returns `None` if the rules do not offer `placement`.
    pub fn assess(
        &mut self,
        board: &Board,
        piece: Piece,
        next: Option<Piece>,
        placement: Placement,
    ) -> Option<Decision> {
        self.evaluate(board, piece, next, None);
        let count = self.current.count;
        let best = self.choose(board, piece, first_lanes(count))?;
        let chosen = (0..count).find(|&lane| self.candidate(piece, lane).placement == placement)?;
        Some(self.decision_beside(board, piece, chosen, best))
    }

    /// Describes the decision for placement `chosen` where the controller preferred `best`.
    fn decision_beside(&self, board: &Board, piece: Piece, chosen: usize, best: usize) -> Decision {
        let wanted = (chosen != best).then(|| self.candidate(piece, best));
        let all = first_lanes(self.current.count);
        Decision { best: wanted, ..self.decision(board, piece, chosen, all) }
    }

    /// Describes the decision for `chosen`; `compared` masks the candidates for the runner-up.
    fn decision(&self, board: &Board, piece: Piece, chosen: usize, compared: u64) -> Decision {
        let others = SetBits(compared).filter(|&lane| lane != chosen);
        let second = others.reduce(
            |best, lane| {
                if self.values[lane] > self.values[best] { lane } else { best }
            },
        );
        let better = SetBits(compared).filter(|&lane| self.values[lane] > self.values[chosen]);
        self.decision_over(board, piece, chosen, second, 1 + better.count())
    }

    #[inline]
    fn decision_over(
        &self,
        board: &Board,
        piece: Piece,
        chosen: usize,
        second: Option<usize>,
        rank: usize,
    ) -> Decision {
        let runner_up =
            |lane| RunnerUp { candidate: self.candidate(piece, lane), value: self.values[lane] };
        Decision {
            outcome: self.rules.play(board, piece, self.candidate(piece, chosen)),
            value: self.values[chosen],
            runner_up: second
                .filter(|&lane| self.values[lane] != Value::NOT_SUGGESTED)
                .map(runner_up),
            candidates: self.current.count,
            rank,
            best: None,
        }
    }

    /// Plays the placement that [`Player::decide`] would choose, if the piece can enter. Takes less
    /// time than [`Player::decide`].
    pub fn step(
        &mut self,
        board: &mut Board,
        piece: Piece,
        next: Option<Piece>,
    ) -> Option<PlacementEffect> {
        // The kernels have a fast step for all placements from above without look-ahead.
        let plain = self.search == Search::Greedy
            && self.rules.entry == Entry::FromAbove
            && self.tie == Tie::First
            && self.external.is_none();
        if plain {
            self.select_evaluator(board);
            return Some(self.evaluators[self.active].step(
                board,
                piece,
                &mut self.current.scratch,
            ));
        }
        let top_two = self.evaluate_top(board, piece, next, 1);
        let chosen = self.choose(board, piece, top_two)?;
        Some(self.rules.place(board, piece, self.candidate(piece, chosen)))
    }

    /// Returns every placement of `piece` with its value, in tie order (orientation, then column).
    pub fn rank(&mut self, board: &Board, piece: Piece, next: Option<Piece>) -> Vec<Ranked> {
        self.evaluate(board, piece, next, None);
        let ranked = |(lane, &value): (usize, &Value)| {
            let candidate = self.candidate(piece, lane);
            Ranked { outcome: self.rules.play(board, piece, candidate), value }
        };
        self.values[..self.current.count].iter().enumerate().map(ranked).collect()
    }

    /// Returns every placement of `piece` with its value, best first.
    pub fn rank_best_first(
        &mut self,
        board: &Board,
        piece: Piece,
        next: Option<Piece>,
    ) -> Vec<Ranked> {
        let mut ranked = self.rank(board, piece, next);
        // A stable sort keeps equal placements in tie order.
        ranked.sort_by_key(|entry| {
            let candidate = entry.outcome.played.candidate;
            // Losing placements have no priority, because `decide` takes the first of them.
            let preferred = self.tie == Tie::Dellacherie && !entry.outcome.lost;
            let priority = if preferred { tie_priority(board, piece, candidate) } else { 0 };
            Reverse((entry.value, priority))
        });
        ranked
    }

    /// Returns the board that the controller measures, before or after full rows are removed.
    #[must_use]
    pub fn measured_board<'a>(&self, outcome: &'a Outcome) -> &'a Board {
        outcome.board(self.scorer.measured())
    }

    /// Returns the value of the controller's patterns after a placement, if it has patterns.
    #[must_use]
    pub fn pattern_value(&self, outcome: &Outcome) -> Option<f64> {
        self.scorer.pattern_value(self.measured_board(outcome))
    }

    #[inline]
    fn select_evaluator(&mut self, board: &Board) {
        let last = self.at_height.len() - 1;
        // The stack height takes time to compute, so it is computed only if weights depend on it.
        if last > 0 {
            let stack = board.stack_height().min(last);
            self.active = self.at_height[stack].unwrap_or_else(|| self.prepare(stack));
        }
    }

    /// Prepares the evaluator for stack height `stack`, only when needed because preparation is
    /// slow, and returns its index.
    #[cold]
    fn prepare(&mut self, stack: usize) -> usize {
        let (size, level) = (self.evaluators[0].size(), self.evaluators[0].level());
        self.evaluators.push(evaluator(&self.scorer, stack, self.rules, size, level));
        let index = self.evaluators.len() - 1;
        self.at_height[stack] = Some(index);
        index
    }

    #[inline]
    fn candidate(&self, piece: Piece, lane: usize) -> Candidate {
        match self.rules.entry {
            Entry::FromAbove => {
                self.evaluators[self.active].candidate(piece, lane, &self.current.scratch)
            }
            Entry::SpawnInside(_) => self.current.listed[lane],
        }
    }

    /// Computes the best value of a piece's placements, or the two best values if `places` is 2.
    /// Returns a mask with their placements.
    fn evaluate_top(
        &mut self,
        board: &Board,
        piece: Piece,
        next: Option<Piece>,
        places: usize,
    ) -> u64 {
        let greedy = match self.search {
            Search::Greedy => true,
            Search::Next => next.is_none(),
            Search::Expect => false,
        };
        if !greedy || self.rules.entry != Entry::FromAbove || self.external.is_some() {
            self.evaluate(board, piece, next, Some(places));
            return first_lanes(self.current.count);
        }
        self.select_evaluator(board);
        let evaluator = &self.evaluators[self.active];
        self.current.count = evaluator.count(piece);
        let top_two = evaluator.top_two(board, piece, &mut self.current.scratch);
        for lane in SetBits(top_two) {
            self.values[lane] = self.current.value(lane);
        }
        top_two
    }

    /// Computes the values of all placements of `piece`. With `places`, only that many best values
    /// must be exact.
    fn evaluate(
        &mut self,
        board: &Board,
        piece: Piece,
        next: Option<Piece>,
        places: Option<usize>,
    ) {
        let known;
        let answered = match (self.search, next) {
            (Search::Expect, _) => &Piece::ALL[..],
            (Search::Next, Some(next)) => {
                known = [next];
                &known[..]
            }
            (Search::Greedy, _) | (Search::Next, None) => &[],
        };
        self.select_evaluator(board);
        if let Some(mut external) = self.external.take() {
            self.ahead = false;
            external.failure =
                self.evaluate_externally(&mut external, board, piece, next, answered).err();
            if external.failure.is_some() {
                self.current.count = 0;
            }
            self.external = Some(external);
            return;
        }
        let evaluator = &self.evaluators[self.active];
        // Storing the boards of all placements pays off only if the search examines each board
        // again.
        self.ahead = !answered.is_empty()
            && self.rules.entry == Entry::FromAbove
            && evaluator.evaluate_ahead(board, piece, &mut self.current.scratch);
        if self.ahead {
            self.current.count = evaluator.count(piece);
        } else {
            score_all(&self.rules, evaluator, &self.placements, board, piece, &mut self.current);
        }
        // `best` has the two best sums so far, among placements after which every next piece has a
        // surviving reply.
        let mut best = [None; 2];
        let is_bounded = places.is_some() && !answered.is_empty();
        // The best placement by its own score comes first, to cut off others early.
        let first = if is_bounded { self.current.best_lane() } else { 0 };
        let others = (0..self.current.count).filter(|&lane| lane != first);
        for lane in (0..self.current.count).filter(|&lane| lane == first).chain(others) {
            let own = self.current.value(lane);
            self.values[lane] = if own == Value::LOST || answered.is_empty() {
                own
            } else {
                let floor = places.and_then(|places| best[places - 1]);
                self.look_ahead(board, piece, lane, answered, floor)
            };
            let value = self.values[lane];
            if value.unanswered == 0 {
                best = match Some(value.sum) {
                    sum if sum > best[0] => [sum, best[0]],
                    sum => [best[0], best[1].max(sum)],
                };
            }
        }
    }

    fn evaluate_externally(
        &mut self,
        external: &mut ExternalPlayer,
        board: &Board,
        piece: Piece,
        next: Option<Piece>,
        answered: &[Piece],
    ) -> Result<()> {
        let evaluator = &self.evaluators[self.active];
        score_all(&self.rules, evaluator, &self.placements, board, piece, &mut self.current);
        let candidates: Vec<Candidate> =
            (0..self.current.count).map(|lane| self.candidate(piece, lane)).collect();
        match &mut external.connection {
            Connection::Values(_) => {
                self.evaluate_boards(external, board, piece, &candidates, answered)
            }
            Connection::Moves(chooser) => {
                let position = Position { board, piece, next, candidates: &candidates };
                // A chooser gives an order and no scores: without an answered piece, a value has
                // no score.
                self.values.fill(Value::NOT_SUGGESTED);
                let preferred = chooser.preferences(&position)?;
                for (sum, lane) in (1..).zip(preferred.into_iter().rev()) {
                    self.values[lane].sum = sum;
                }
                Ok(())
            }
        }
    }

    fn evaluate_boards(
        &mut self,
        external: &mut ExternalPlayer,
        board: &Board,
        piece: Piece,
        candidates: &[Candidate],
        answered: &[Piece],
    ) -> Result<()> {
        external.boards.clear();
        // For each board: the position of its placement in tie order, the index of its reply's
        // piece, and the score of weighted features that its value is added to.
        let mut scores: Vec<(usize, Option<usize>, i64)> = Vec::new();
        for (lane, &candidate) in candidates.iter().enumerate() {
            self.values[lane] = self.current.value(lane);
            if self.values[lane] == Value::LOST {
                continue;
            }
            let after = self.rules.play(board, piece, candidate).after;
            scores.push((lane, None, self.current.scratch.scores[lane]));
            external.boards.push(after);
            for (index, &reply) in answered.iter().enumerate() {
                let (evaluator, answer) = (&self.evaluators[self.active], &mut self.answer);
                score_all(&self.rules, evaluator, &self.placements, &after, reply, answer);
                for of_reply in
                    (0..answer.count).filter(|lane| answer.scratch.lost >> lane & 1 == 0)
                {
                    let candidate = match self.rules.entry {
                        Entry::FromAbove => evaluator.candidate(reply, of_reply, &answer.scratch),
                        Entry::SpawnInside(_) => answer.listed[of_reply],
                    };
                    let reward = self.current.scratch.of_move[lane];
                    scores.push((lane, Some(index), reward + answer.scratch.scores[of_reply]));
                    external.boards.push(self.rules.play(&after, reply, candidate).after);
                }
            }
        }
        external.values.clear();
        external.values.resize(external.boards.len(), 0.0);
        if let Connection::Values(evaluator) = &mut external.connection {
            evaluator.values(&external.boards, &mut external.values)?;
        }
        let is_valid = |value: &f64| value.is_finite() && value.abs() <= LARGEST_VALUE;
        if let Some(value) = external.values.iter().find(|value| !is_valid(value)) {
            let problem = format!(
                "its value of a board is {value:?}: return finite numbers between -{LARGEST_VALUE} \
                 and {LARGEST_VALUE}"
            );
            return Err(Error::Controller { name: external.name.clone(), problem });
        }
        let mut own = [0; MAX_CANDIDATES];
        let mut best = [[None; Piece::ALL.len()]; MAX_CANDIDATES];
        for (&(lane, reply, score), value) in scores.iter().zip(&external.values) {
            let score = score + (value * self.scorer.scale()).round() as i64;
            match reply {
                None => own[lane] = score,
                Some(index) => best[lane][index] = best[lane][index].max(Some(score)),
            }
        }
        for lane in 0..candidates.len() {
            if self.values[lane] != Value::LOST {
                let best = &best[lane][..answered.len()];
                self.values[lane] = match answered {
                    [] => Value::from_score(own[lane]),
                    _ => Value::from_answers(best, own[lane]),
                };
            }
        }
        Ok(())
    }

    /// Returns the value of placement `lane` with look-ahead over the next pieces `answered`. A
    /// value below `floor` may be inexact.
    fn look_ahead(
        &mut self,
        board: &Board,
        piece: Piece,
        lane: usize,
        answered: &[Piece],
        floor: Option<i64>,
    ) -> Value {
        let (score, reward) =
            (self.current.scratch.scores[lane], self.current.scratch.of_move[lane]);
        // The sum includes the reward of the placement once for each next piece.
        let floor = floor.map(|floor| floor - reward * answered.len() as i64);
        let mut best = [None; 7];
        let answers = &mut best[..answered.len()];
        if self.ahead {
            let (ahead, scratch) = (&self.current.scratch, &mut self.answer.scratch);
            self.evaluators[self.active].answers((ahead, lane), answered, floor, scratch, answers);
        } else {
            let after = self.rules.play(board, piece, self.candidate(piece, lane)).after;
            self.best_answers(&after, answered, answers);
        }
        let mut value = Value::from_answers(&best[..answered.len()], score);
        // The reward is added for each next piece, so the mean includes it once.
        value.sum += reward * i64::from(value.answered);
        value
    }

    fn best_answers(&mut self, board: &Board, pieces: &[Piece], best: &mut [Option<i64>]) {
        if self.rules.entry == Entry::FromAbove {
            let evaluator = &self.evaluators[self.active];
            return evaluator.best_scores(board, pieces, &mut self.answer.scratch, best);
        }
        for (&piece, best) in pieces.iter().zip(best) {
            score_all(
                &self.rules,
                &self.evaluators[self.active],
                &self.placements,
                board,
                piece,
                &mut self.answer,
            );
            *best = self.answer.best_survivor();
        }
    }

    /// Returns the index of the best placement in the mask `top_two`, by the controller's tie rule.
    fn choose(&self, board: &Board, piece: Piece, top_two: u64) -> Option<usize> {
        let best = SetBits(top_two).map(|lane| self.values[lane]).max()?;
        let mut ties = SetBits(top_two).filter(|&lane| self.values[lane] == best);
        match self.tie {
            Tie::Dellacherie if best != Value::LOST => {
                let priority =
                    |lane: usize| tie_priority(board, piece, self.candidate(piece, lane));
                ties.reduce(
                    |first, lane| if priority(lane) > priority(first) { lane } else { first },
                )
            }
            _ => ties.next(),
        }
    }
}

fn evaluator(
    scorer: &Scorer,
    stack: usize,
    rules: Rules,
    size: BoardSize,
    level: Level,
) -> Evaluator {
    let terms = scorer.terms(stack);
    Evaluator::new(size, scorer.measured(), rules.clear_on_overflow, terms, level)
        .with_patterns(scorer.patterns())
}

fn first_lanes(count: usize) -> u64 {
    // The shift is checked, because without candidates it would be by 64, which `u64` does not
    // allow.
    u64::MAX.checked_shr(u64::BITS - count as u32).unwrap_or(0)
}

impl ScoredMoves {
    fn value(&self, lane: usize) -> Value {
        let lost = self.scratch.lost >> lane & 1 == 1;
        if lost { Value::LOST } else { Value::from_score(self.scratch.scores[lane]) }
    }

    /// Returns the index of the first surviving placement with the best score, or 0 if all lose.
    fn best_lane(&self) -> usize {
        let survivors = (0..self.count).rev().filter(|lane| self.scratch.lost >> lane & 1 == 0);
        survivors.max_by_key(|&lane| self.scratch.scores[lane]).unwrap_or(0)
    }

    fn best_survivor(&self) -> Option<i64> {
        let survivors = (0..self.count).filter(|lane| self.scratch.lost >> lane & 1 == 0);
        survivors.map(|lane| self.scratch.scores[lane]).max()
    }
}

fn score_all(
    rules: &Rules,
    evaluator: &Evaluator,
    placements: &Placements,
    board: &Board,
    piece: Piece,
    moves: &mut ScoredMoves,
) {
    moves.count = match rules.entry {
        Entry::FromAbove => evaluator.evaluate(board, piece, &mut moves.scratch),
        Entry::SpawnInside(_) => {
            rules.candidates(placements, board, piece, &mut moves.listed);
            evaluator.evaluate_candidates(board, piece, &moves.listed, &mut moves.scratch);
            moves.listed.len()
        }
    };
}

/// Returns Dellacherie's tie-breaking priority (Fahey 2003): 100 per column from the spawn column,
/// 10 if left of it, minus 1 per turn.
///
/// ```text
/// spawn column 5 of ten, flat I (origin 2 columns right of its left cell, no turn):
/// left cell at 0: origin 2, 3 left of the spawn: 300 + 10 - 0
/// left cell at 6: origin 8, 3 right of the spawn: 300
/// ```
fn tie_priority(board: &Board, piece: Piece, candidate: Candidate) -> i32 {
    let pose = candidate.shape(piece).fahey;
    let origin = i32::from(candidate.placement.column) + i32::from(pose.origin_column);
    let from_spawn = origin - crate::rules::spawn_column(board.width()) as i32;
    100 * from_spawn.abs() + 10 * i32::from(from_spawn < 0) - i32::from(pose.turns)
}
