//! Runs `tetrastat show board` under `--rules guideline` or `capstone`: shows the values
//! of the controller's terms on a matrix, and every landing of a piece.

use std::fmt::Write;

use anyhow::{Context, bail, ensure};
use serde_json::{Value as Json, json};

use crate::board::Board;
use crate::cli::commands::show::board::{
    Explained, ShownPlace, Valued, by_name, rows_of, score_text, with_values,
};
use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::options::games::{AnySearch, GUIDELINE};
use crate::cli::options::guideline::{BeamOptions, ChoiceOptions, GoalOptions, TurnOptions};
use crate::controller::GuidelineController;
use crate::explain::analysis::ScoredPlacement;
use crate::features::guideline::{PICTURED_ROWS, Term};
use crate::kernels::Level;
use crate::matrix::{Matrix, ROWS, VISIBLE, WIDTH};
use crate::pictures::still::Still;
use crate::piece::Piece;
use crate::placement::Spin;
use crate::rules::guideline::{
    Choice, ComboState, GuidelineState, Hold, Landing, Landings, MAX_PREVIEWS, MoveGenerator,
    Moves, Placed, RotationState, RuleSet,
};
use crate::search::guideline::{
    Beam, BeamPlayer, Outlook, RankedLanding, SCALE, Terms, Weights, of_state, steps,
};
use crate::text::parse::count;
use crate::text::table::ReportTable;

/// Options of the position in a guideline game, and of its search.
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
    /// Loads the controller named `controller` (a preset or a file; default: the preset for the
    /// goal and `search`). Combines it with the rules and the search that these options choose, for
    /// a player who sees `previews` next pieces.
    pub(crate) fn asked(
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

    /// Builds the position from the matrix (default: empty), the piece to place and the pieces
    /// after it.
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
            combo_state: ComboState { back_to_back: self.back_to_back, combo: self.combo },
            ..GuidelineState::default()
        };
        Ok(Position { state, known: piece.into_iter().chain(next.iter().copied()).collect() })
    }
}

/// A game state and the known pieces. The current piece is the first of them, if there is one.
pub(crate) struct Position {
    state: GuidelineState,
    known: Vec<Piece>,
}

impl Position {
    /// Returns the matrix as a board, for pictures.
    pub(crate) fn board(&self) -> Board {
        self.state.matrix.to_board()
    }
}

/// A controller with the rules and the search by which it ranks the landings of a piece.
pub(crate) struct LandingRanker {
    controller: GuidelineController,
    rules: RuleSet,
    moves: Moves,
    beam: Beam,
    goal: Option<u32>,
}

/// A term of the controller with its value on a matrix. The value is `None` if the term needs a
/// placement.
struct TermOnMatrix {
    term: Term,
    weight: f64,
    value: Option<i32>,
}

impl TermOnMatrix {
    /// Returns the term's contribution to the score, in score units. Returns `None` if the term has
    /// no value.
    fn product(&self) -> Option<f64> {
        self.value.map(|value| steps(self.weight, value) as f64 / SCALE)
    }
}

impl LandingRanker {
    /// Returns the cells of the matrix that each of the terms `names` counts, with the term's
    /// value.
    pub(crate) fn explained(
        &self,
        position: &Position,
        names: &[String],
    ) -> anyhow::Result<Vec<Explained>> {
        let explain = |name: &String| {
            let term: Term = name.trim().parse()?;
            let matrix = &position.state.matrix;
            let parts = term.parts(matrix, self.goal).with_context(|| {
                format!("{term} describes a placement, not a matrix: give --piece to see it")
            })?;
            let entry = term.definition();
            Ok(Explained {
                name: term.to_string(),
                value: term.of_matrix(matrix, self.goal).unwrap_or(0).into(),
                definition: entry.definition,
                source: entry.source,
                parts,
            })
        };
        names.iter().map(explain).collect()
    }

    /// Prints the matrix with the controller's terms. If a piece is given, also prints and returns
    /// its landings.
    pub(crate) fn show(
        &self,
        console: &Console,
        position: &Position,
        format: Format,
    ) -> anyhow::Result<Option<Vec<RankedLanding>>> {
        let ranked = (!position.known.is_empty()).then(|| self.ranked(position));
        let json = self.json(position, ranked.as_deref());
        format.print(console, || self.text(position, ranked.as_deref()), json)?;
        Ok(ranked)
    }

    /// Returns the picture of the matrix with the two best landings in `ranked`.
    pub(crate) fn still(&self, position: &Position, ranked: &[RankedLanding]) -> Still {
        let rated = |entry: &RankedLanding| {
            let Landing { piece, state, .. } = entry.landing;
            let held = if entry.choice.held { " from the hold" } else { "" };
            let (column, row) = (entry.landing.left(), entry.landing.low());
            ScoredPlacement {
                place: format!("{piece}{held}, state {}, column {column}, row {row}", state.name()),
                cells: entry.landing.cells(),
                lines: entry.placed.clear.lines,
                score: entry.value.map(|value| value as f64 / SCALE),
                lost: entry.placed.lost,
            }
        };
        let rated: Vec<ScoredPlacement> = ranked.iter().take(2).map(rated).collect();
        let piece = ranked.first().map(|entry| entry.landing.piece);
        let title = match position.known.first() {
            Some(piece) => format!("{piece} by {}", self.controller.name),
            None => "a matrix".to_owned(),
        };
        let is_settled = |column, row| position.state.matrix.is_filled(column, row);
        Still::ranked(title, (WIDTH, VISIBLE), is_settled, piece, &rated)
    }

    /// Prints one landing of `piece` with the values of all terms. `place` is the rotation state,
    /// the column and the row.
    pub(crate) fn show_place(
        &self,
        console: &Console,
        position: &Position,
        piece: Piece,
        place: (&str, u8, u8),
        format: Format,
    ) -> anyhow::Result<()> {
        let (landing, reached) = self.landing(position, piece, place)?;
        let Position { state, .. } = position;
        let choice = Choice { piece, held: false, hold: state.hold, taken: 1 };
        let placed = state.place(&self.rules, &choice, landing);
        let terms = Terms::all(self.controller.measured, self.goal);
        let names = terms.weights().iter().map(|(term, _)| term.to_string());
        let shown = ShownPlace {
            board: terms.measured(&placed).to_string(),
            kind: "terms",
            values: names.zip(terms.values(&placed)).collect(),
            lines: placed.clear.lines,
            reached: Some((Spin::NAMES[landing.spin as usize], reached)),
            lost: placed.lost,
            controller: &self.controller.name,
            score: self.player().own(&placed) as f64 / SCALE,
        };
        shown.print(console, format)
    }

    /// Returns the landing of `piece` at a rotation state, column and row, with the best possible
    /// spin. The returned bool is true if the piece can reach this landing.
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

    /// Returns all landings of the known pieces, the one that the controller plays first.
    fn ranked(&self, position: &Position) -> Vec<RankedLanding> {
        let mut ranked = self.player().rank(&position.state, Outlook::seen(&position.known));
        RankedLanding::sort_best_first(&mut ranked);
        ranked
    }

    fn is_beam(&self) -> bool {
        self.beam.depth > 1
    }

    /// Returns the values of the controller's terms on the matrix alone.
    fn of_matrix(&self, position: &Position) -> Vec<TermOnMatrix> {
        let of = |&(term, weight): &(Term, f64)| {
            let of_matrix = || term.of_matrix(&position.state.matrix, self.goal);
            let value = of_state(term, &position.state).or_else(of_matrix);
            TermOnMatrix { term, weight, value }
        };
        self.controller.weights.iter().map(of).collect()
    }

    fn text(&self, position: &Position, ranked: Option<&[RankedLanding]>) -> String {
        let name = &self.controller.name;
        let terms = self.of_matrix(position);
        let or_dash = |text: Option<String>| text.unwrap_or("-".to_owned());
        let table = ReportTable::new(&terms)
            .left("term", 28, |term| term.term)
            .right("value", 8, |term| or_dash(term.value.map(|value| value.to_string())))
            .right("weight", 14, |term| term.weight)
            .right("product", 16, |term| {
                or_dash(term.product().map(|found| format!("{found:.6}")))
            });
        let mut text = format!("{}\n{}", position.state.matrix, table.text());
        if ranked.is_none() && terms.iter().any(|term| term.value.is_none()) {
            text.push_str("-: term of a placement, give --piece to see it\n");
        }
        match (ranked, score(&terms)) {
            (Some(ranked), _) => {
                let search = match self.is_beam() {
                    true => format!("beam of {} states, {} deep", self.beam.width, self.beam.depth),
                    false => "greedy".to_owned(),
                };
                let count = ranked.len();
                let _ = writeln!(text, "\n{count} landings by {name} ({search}), best first:");
                text.push_str(&self.table(ranked));
            }
            (None, Some(score)) => {
                let _ = writeln!(text, "\nscore of this matrix by {name}: {score}");
            }
            (None, None) => {}
        }
        text
    }

    fn table(&self, ranked: &[RankedLanding]) -> String {
        let terms = self.terms();
        let rows: Vec<Valued<RankedLanding, i32>> =
            ranked.iter().map(|entry| (entry, terms.values(&entry.placed))).collect();
        let score = |value: Option<i64>| value.map(|value| value as f64 / SCALE);
        let mut table = ReportTable::new(&rows)
            .right("piece", 5, |(entry, _)| entry.landing.piece.name())
            .right("hold", 4, |(entry, _)| if entry.choice.held { "yes" } else { "no" })
            .right("state", 5, |(entry, _)| entry.landing.state.name())
            .right("column", 6, |(entry, _)| entry.landing.left())
            .right("row", 3, |(entry, _)| entry.landing.low())
            .right("spin", 5, |(entry, _)| entry.landing.spin.name())
            .right("lines", 5, |(entry, _)| entry.placed.clear.lines)
            .right("score", 14, |(entry, _)| {
                score_text(entry.placed.lost, score(entry.value), "no line kept")
            });
        if self.is_beam() {
            table =
                table.right("alone", 14, |(entry, _)| format!("{:.6}", entry.own as f64 / SCALE));
        }
        with_values(table, terms.weights().iter().map(|(term, _)| term.to_string()))
    }

    fn terms(&self) -> Terms {
        Terms::new(&self.controller, self.goal)
    }

    fn json(&self, position: &Position, ranked: Option<&[RankedLanding]>) -> Json {
        let (terms, of_placement) = (self.of_matrix(position), self.terms());
        let of_matrix = |term: &TermOnMatrix| {
            let product = term.product();
            let TermOnMatrix { term, weight, value } = term;
            let term = term.to_string();
            json!({ "term": term, "value": value, "weight": weight, "product": product })
        };
        let listed: Vec<Json> = terms.iter().map(of_matrix).collect();
        let placements = ranked.map(|ranked| {
            ranked.iter().map(|entry| placement(entry, &of_placement)).collect::<Vec<_>>()
        });
        json!({
            "board": rows_of(position.state.matrix),
            "terms": listed,
            "controller": self.controller.name,
            "measured": self.controller.measured,
            "score": score(&terms),
            "beam_width": self.beam.width,
            "beam_depth": self.beam.depth,
            "placements": placements,
        })
    }
}

/// Positions of [`examples`]: matrix, piece, next pieces, and back-to-back.
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

/// Returns some positions with a T in hold as JSON. Each placement has its scores, its terms, its
/// points and the state after it. Programs that compute scores without the engine can check theirs.
///
/// # Errors
/// Returns no error, because the positions are valid.
pub(crate) fn examples(controller: &GuidelineController) -> anyhow::Result<Json> {
    // The beam keeps all states, so that all of them have a score by the network.
    let ranker = LandingRanker {
        controller: controller.clone(),
        rules: RuleSet::official(),
        moves: Moves::All,
        beam: Beam { width: 256, depth: 1, perfect_clears: 0 },
        goal: None,
    };
    let example = |(picture, piece, next, back_to_back): (&str, Piece, &[Piece], bool)| {
        let state = GuidelineState {
            matrix: picture.parse()?,
            hold: Hold::Piece(Piece::T),
            combo_state: ComboState { back_to_back, combo: 0 },
            ..GuidelineState::default()
        };
        let known = [&[piece], next].concat();
        let position = Position { state, known };
        let terms = ranker.terms();
        // Every placement takes one piece, so the next pieces are those left in the bag.
        let bag: String = next.iter().map(ToString::to_string).collect();
        let of_entry = |entry: &RankedLanding| {
            let (mut json, after) = (placement(entry, &terms), &entry.placed.after);
            let hold = if entry.choice.held { piece } else { Piece::T };
            json["points"] = entry.placed.points.total().into();
            json["after"] = json!({
                "board": rows_of(after.matrix),
                "hold": hold.to_string(),
                "bag": bag,
                "back_to_back": after.combo_state.back_to_back,
            });
            json
        };
        let ranked = ranker.ranked(&position);
        Ok(json!({
            "board": rows_of(position.state.matrix),
            "piece": piece.to_string(),
            "next": bag,
            "hold": "T",
            "back_to_back": back_to_back,
            "placements": ranked.iter().map(of_entry).collect::<Vec<_>>(),
        }))
    };
    EXAMPLES.into_iter().map(example).collect::<anyhow::Result<Json>>()
}

/// Returns the controller's score of a matrix, or `None` if a term needs a placement.
fn score(terms: &[TermOnMatrix]) -> Option<f64> {
    let sum = |term: &TermOnMatrix| Some(steps(term.weight, term.value?));
    terms.iter().map(sum).sum::<Option<i64>>().map(|sum| sum as f64 / SCALE)
}

fn placement(entry: &RankedLanding, terms: &Terms) -> Json {
    let Landing { piece, state, spin, .. } = entry.landing;
    let Placed { clear, lost, .. } = &entry.placed;
    let names = terms.weights().iter().map(|(term, _)| term.to_string());
    let values = names.zip(terms.values(&entry.placed));
    json!({
        "piece": piece.to_string(),
        "used_hold": entry.choice.held,
        "orientation": state.name(),
        "column": entry.landing.left(),
        "landing_row": entry.landing.low(),
        "t_spin": spin.name(),
        "lines": clear.lines,
        "loses": lost,
        "score": entry.value.map(|value| value as f64 / SCALE),
        "own_score": entry.own as f64 / SCALE,
        "terms": by_name(values),
    })
}
