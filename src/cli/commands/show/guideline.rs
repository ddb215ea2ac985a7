//! Runs `tetrastat show board` in guideline games: terms of a matrix and the landings of a piece.

use anyhow::Context;
use serde_json::{Value as Json, json};

use crate::cli::commands::show::board::{
    Explained, add_score, add_value, report_of_board, rows_of, table_of_placements,
};
use crate::cli::options::guideline::{BeamOptions, ChoiceOptions, GoalOptions, TurnOptions};
use crate::cli::options::{AnySearch, GUIDELINE};
use crate::cli::prelude::*;
use crate::controller::GuidelineController;
use crate::features::guideline::{PICTURED_ROWS, Term};
use crate::kernels::Level;
use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};
use crate::pictures::Still;
use crate::placement::Spin;
use crate::report::Value;
use crate::rules::guideline::{
    Choice, ComboState, GuidelineState, Hold, Landing, Landings, MAX_PREVIEWS, MoveGenerator,
    Moves, RotationState,
};
use crate::search::RankedPlacement;
use crate::search::guideline::{
    Beam, BeamPlayer, QueueView, RankedLanding, SCALE, Terms, Weights, state_term, to_steps,
};
use crate::text::parse::count;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = GUIDELINE.heading)]
pub(crate) struct PositionOptions {
    /// Piece in hold [default: none]
    #[arg(long, value_name = "PIECE", requires = "piece")]
    hold: Option<Piece>,

    /// Number of consecutive clears before this position
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = count::<u8>(..))]
    combo: u8,

    /// The last clear was difficult: a tetris, or a T-spin that cleared rows
    #[arg(long)]
    back_to_back: bool,

    #[command(flatten)]
    turns: TurnOptions,

    #[command(flatten)]
    goal: GoalOptions,

    #[command(flatten)]
    beam: BeamOptions,

    #[command(flatten)]
    choices: ChoiceOptions,
}

impl PositionOptions {
    /// Loads the controller that ranks landings, by default a preset for the goal and the search.
    /// `previews` is the number of visible next pieces.
    pub(crate) fn ranker(
        &self,
        rules: &RuleSet,
        controller: Option<&str>,
        search: AnySearch,
        previews: usize,
    ) -> anyhow::Result<LandingRanker> {
        ensure!(
            previews <= MAX_PREVIEWS,
            "--next: at most {MAX_PREVIEWS} pieces are visible: leave out the rest"
        );
        let previews = previews as u8;
        Ok(LandingRanker {
            controller: self.goal.controller(controller, search)?,
            rules: self.choices.rules(Some(previews), &self.turns, rules),
            moves: self.choices.moves(&self.goal),
            beam: self.beam.beam(search.is_beam()?, &self.goal, previews)?,
            goal: self.goal.lines()?,
        })
    }

    pub(crate) fn position(
        &self,
        matrix: Option<Matrix>,
        piece: Option<Piece>,
        next: &[Piece],
    ) -> anyhow::Result<Position> {
        let matrix = matrix.unwrap_or(Matrix::EMPTY);
        ensure!(
            matrix.stack_height() <= PICTURED_ROWS,
            "the matrix has cells above {PICTURED_ROWS} rows: remove them"
        );
        let state = GuidelineState {
            matrix,
            hold: self.hold.map_or(Hold::Empty, Hold::Piece),
            combo_state: ComboState { chain: self.back_to_back.into(), combo: self.combo },
            ..GuidelineState::default()
        };
        Ok(Position { state, known: piece.into_iter().chain(next.iter().copied()).collect() })
    }
}

/// Position in a guideline game: the state, and the known pieces in the order of play.
pub(crate) struct Position {
    state: GuidelineState,
    known: Vec<Piece>,
}

impl Position {
    pub(crate) fn board(&self) -> Board {
        self.state.matrix.to_board()
    }
}

pub(crate) struct LandingRanker {
    controller: GuidelineController,
    rules: RuleSet,
    moves: Moves,
    beam: Beam,
    goal: Option<u32>,
}

/// Feature of guideline games (term) on a board; `value` is `None` if the term needs a placement.
struct TermOnMatrix {
    term: Term,
    weight: f64,
    value: Option<i32>,
    /// Contribution of the feature to the board's score, in steps (fixed-point units of score).
    steps: Option<i64>,
}

impl LandingRanker {
    pub(crate) fn explained(
        &self,
        position: &Position,
        names: &[String],
    ) -> anyhow::Result<Vec<Explained>> {
        let explain = |name: &String| {
            let term: Term = name.trim().parse()?;
            let matrix = &position.state.matrix;
            let parts = term.contributions(matrix, self.goal).with_context(|| {
                format!("{term} describes a placement, not a matrix: give --piece to see it")
            })?;
            let entry = term.definition();
            Ok(Explained {
                name: term.to_string(),
                value: term.matrix_value(matrix, self.goal).unwrap_or(0).into(),
                definition: entry.definition,
                source: entry.source,
                parts,
            })
        };
        names.iter().map(explain).collect()
    }

    pub(crate) fn still(&self, position: &Position, ranked: &[RankedPlacement]) -> Still {
        let title = match position.known.first() {
            Some(piece) => format!("{piece} by {}", self.controller.name),
            None => "a matrix".to_owned(),
        };
        let is_settled = |column, row| position.state.matrix.is_filled(column, row);
        Still::from_ranking(title, (WIDTH, VISIBLE), is_settled, ranked)
    }

    /// Reports a single landing of a piece, given by rotation state, column and row.
    pub(crate) fn report_of_place(
        &self,
        position: &Position,
        piece: Piece,
        place: (&str, u8, u8),
    ) -> anyhow::Result<Report> {
        let (landing, reached) = self.landing(position, piece, place)?;
        let Position { state, .. } = position;
        let choice = Choice { piece, held: false, hold: state.hold, taken: 1 };
        let placed = state.place(&self.rules, &choice, landing);
        let terms = Terms::all(self.controller.measured, self.goal);
        let mut report = report_of_board(terms.measured(&placed));
        for ((term, _), value) in terms.weights().iter().zip(terms.values(&placed)) {
            add_value(&mut report, "terms", &term.to_string(), value);
        }
        report.data("lines", placed.clear.lines);
        report.data("spin", Spin::NAMES[landing.spin as usize]);
        report.data("reached", reached);
        report.data("loses", placed.lost);
        let score = in_units(self.player().greedy_value(&placed));
        add_score(&mut report, &self.controller.name, Some(score));
        if !reached {
            report.note("the piece cannot reach this placement");
        }
        Ok(report)
    }

    /// Returns the landing of `piece` with its best spin, and true if moves can reach it.
    fn landing(
        &self,
        position: &Position,
        piece: Piece,
        (state, column, row): (&str, u8, u8),
    ) -> anyhow::Result<(Landing, bool)> {
        let number: Option<usize> = state.parse().ok();
        let is_it = |at: &&RotationState| at.name() == state || number == Some(at.index());
        let state = RotationState::ALL.iter().find(is_it);
        let at = state.and_then(|&at| Landing::at(piece, at, column.into(), row.into()));
        let Some(landing) = at else {
            bail!(
                "--place: {piece} has states 0, R, 2 and L (or 0 to 3), and must lie inside the \
                    matrix of {WIDTH}x{ROWS}"
            );
        };
        let mut list = Landings::default();
        self.movegen().landings(&position.state.matrix, piece, &mut list);
        let found = list
            .iter()
            .find(|other| other.canonical() == Landing { spin: other.spin, ..landing.canonical() });
        Ok((found.unwrap_or(landing), found.is_some()))
    }

    fn movegen(&self) -> MoveGenerator {
        MoveGenerator::new(*self.rules, self.moves, Level::detect())
    }

    fn player(&self) -> BeamPlayer {
        BeamPlayer::new(self.movegen(), Weights::new(&self.controller), self.beam, self.goal)
    }

    pub(crate) fn ranked(&self, position: &Position) -> Vec<RankedPlacement> {
        let mut ranked = self.player().rank(&position.state, QueueView::visible(&position.known));
        RankedLanding::sort_best_first(&mut ranked);
        let terms = Terms::new(&self.controller, self.goal);
        ranked.iter().map(|entry| RankedPlacement::from_guideline(&terms, entry)).collect()
    }

    fn matrix_terms(&self, position: &Position) -> Vec<TermOnMatrix> {
        let of = |&(term, weight): &(Term, f64)| {
            let of_matrix = || term.matrix_value(&position.state.matrix, self.goal);
            let value = state_term(term, &position.state).or_else(of_matrix);
            TermOnMatrix { term, weight, value, steps: value.map(|value| to_steps(weight, value)) }
        };
        self.controller.weights.iter().map(of).collect()
    }

    pub(crate) fn report(&self, position: &Position, ranked: Option<&[RankedPlacement]>) -> Report {
        let name = &self.controller.name;
        let terms = self.matrix_terms(position);
        let score = terms.iter().map(|term| term.steps).sum::<Option<i64>>().map(in_units);
        let mut report = report_of_board(position.state.matrix);
        report.table(
            TableOf::new("terms", &terms)
                .with("term", |term| Value::text(term.term))
                .with("value", |term| term.value)
                .with("weight", |term| term.weight)
                .with("product", |term| {
                    Value::real(term.steps.map(in_units), |it| format!("{it:.6}"))
                }),
        );
        if ranked.is_none() && terms.iter().any(|term| term.value.is_none()) {
            report.text("NA: term of a placement, give --piece to see it");
        }
        report.data("measured", Value::text(self.controller.measured));
        report.data("beam_width", Value::json(self.beam.width));
        report.data("beam_depth", Value::json(self.beam.depth));
        let Some(ranked) = ranked else {
            add_score(&mut report, name, score);
            return report;
        };
        report.data("controller", &**name);
        report.data("score", score);
        let search = match self.beam.depth > 1 {
            true => format!("beam of {} states, {} deep", self.beam.width, self.beam.depth),
            false => "greedy".to_owned(),
        };
        let count = ranked.len();
        let title = format!("{count} landings by {name} ({search}), best first:");
        let alone = if self.beam.depth > 1 { "alone" } else { "" };
        let names = self.controller.term_names();
        report.table(table_of_placements(title, ("terms", &names), ranked, alone, None));
        report
    }
}

const EXAMPLES: [(&str, Piece, &[Piece], bool); 3] = [
    ("###......./######.###/##.###.###", Piece::I, &[Piece::O, Piece::S], false),
    (
        "#........./##......##/###.#####./###.######",
        Piece::L,
        &[Piece::Z, Piece::J, Piece::O],
        true,
    ),
    ("..##....../.####...#./#####.####/#.########/#########.", Piece::S, &[Piece::T], false),
];

/// Returns positions with the scores of all landings, against which other programs can test.
pub(crate) fn examples(controller: &GuidelineController) -> anyhow::Result<Json> {
    // The beam keeps all states, so that all of them have a score by the network.
    let ranker = LandingRanker {
        controller: controller.clone(),
        rules: RuleSet::official(),
        moves: Moves::All,
        beam: Beam::new(256, 1),
        goal: None,
    };
    let names = controller.term_names();
    let example = |(picture, piece, next, back_to_back): (&str, Piece, &[Piece], bool)| {
        let state = GuidelineState {
            matrix: picture.parse()?,
            hold: Hold::Piece(Piece::T),
            combo_state: ComboState { chain: back_to_back.into(), combo: 0 },
            ..GuidelineState::default()
        };
        let known = [&[piece], next].concat();
        let position = Position { state, known };
        // Every placement takes one piece, so the next pieces are those left in the bag.
        let bag: String = next.iter().map(ToString::to_string).collect();
        let after = |entry: &RankedPlacement| {
            let landing = entry.landing;
            json!({
                "board": Matrix::from_board(&entry.after).map(rows_of).unwrap_or_default(),
                "hold": if landing.is_some_and(|it| it.used_hold) { piece } else { Piece::T },
                "bag": bag,
                "back_to_back": landing.map(|it| it.back_to_back),
                "points": landing.map(|it| it.points),
            })
        };
        let (terms, ranked) = (("terms", &*names), ranker.ranked(&position));
        Ok(json!({
            "board": rows_of(position.state.matrix),
            "piece": piece.to_string(),
            "next": bag,
            "hold": "T",
            "back_to_back": back_to_back,
            "placements":
                table_of_placements(String::new(), terms, &ranked, "", Some(&after)).to_json(),
        }))
    };
    EXAMPLES.into_iter().map(example).collect::<anyhow::Result<Json>>()
}

fn in_units(steps: i64) -> f64 {
    steps as f64 / SCALE
}
