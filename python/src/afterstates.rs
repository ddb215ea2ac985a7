//! Finds placements of a piece under the rules of any game, their results (afterstates), and
//! features of the results.

use tetrastat::board::ROWS;
use tetrastat::features::guideline::{ClearEvent, Term};
use tetrastat::features::{Feature, Move};
use tetrastat::kernels::{BatchFeatures, Level};
use tetrastat::matrix::Matrix;
use tetrastat::placement::{Candidate, Placement, Placements};
use tetrastat::rules::guideline::{
    Choice, GUIDELINE_NAMES, Guideline, GuidelineState, Hold, Landing, Landings, MoveGenerator,
    Moves, Placed, RuleSet,
};
use tetrastat::rules::{Entry, Outcome, RULES_NAMES, Reach};
use tetrastat::search::guideline::Terms;

use crate::prelude::*;

/// Orientation, leftmost column and lowest row (`None`: any row) that select a placement.
pub(crate) type PlacementKey = (u8, u8, Option<u8>);

pub(crate) enum Rules {
    Classic(tetrastat::rules::Rules),
    Guideline(Box<MoveGenerator>),
}

impl Rules {
    /// Returns the game rules that `name`, a name or TOML file, selects. `clear_on_overflow` and
    /// `reach_anywhere` apply to classic rules only, `movement` to guideline rules.
    pub(crate) fn read(
        name: &str,
        clear_on_overflow: bool,
        reach_anywhere: bool,
        movement: &str,
    ) -> Result<Rules> {
        let is_classic = RULES_NAMES.contains(&name);
        if GUIDELINE_NAMES.contains(&name) || (!is_classic && RuleSet::is_file(name)) {
            let (rules, moves): (RuleSet, Moves) = (name.parse()?, movement.parse()?);
            return Ok(Rules::Guideline(Box::new(MoveGenerator::new(
                *rules,
                moves,
                Level::detect(),
            ))));
        }
        if !is_classic {
            let known = RULES_NAMES.into_iter().chain(GUIDELINE_NAMES).chain(["a .toml file"]);
            return Err(Error::unknown_or_file("rules", name, known));
        }
        let mut rules: tetrastat::rules::Rules = name.parse()?;
        rules.clear_on_overflow = clear_on_overflow;
        if let (Entry::SpawnInside(reach), true) = (&mut rules.entry, reach_anywhere) {
            *reach = Reach::Anywhere;
        }
        Ok(Rules::Classic(rules))
    }

    /// Appends the results of all placements of `piece` on `board`, or of those selected by `only`,
    /// each with the board's number `at`.
    pub(crate) fn add_afterstates(
        &self,
        (board, piece): (&Board, Piece),
        only: Option<PlacementKey>,
        at: usize,
        found: &mut Vec<(usize, Afterstate)>,
    ) -> Result<()> {
        let is_wanted = |orientation: usize, column: usize, row: usize| {
            only.is_none_or(|(wanted, left, low)| {
                (usize::from(wanted), usize::from(left)) == (orientation, column)
                    && low.is_none_or(|low| usize::from(low) == row)
            })
        };
        match self {
            Rules::Classic(rules) => {
                let mut candidates = Vec::new();
                rules.candidates(&Placements::new(board.width()), board, piece, &mut candidates);
                candidates.retain(
                    |Candidate { placement: Placement { orientation, column }, row }| {
                        is_wanted((*orientation).into(), (*column).into(), (*row).into())
                    },
                );
                let played = |one| (at, Afterstate::Classic(rules.play(board, piece, one)));
                found.extend(candidates.into_iter().map(played));
            }
            Rules::Guideline(movegen) => {
                let (state, mut landings) = (state_of(board)?, Landings::default());
                movegen.landings(&state.matrix, piece, &mut landings);
                let choice = Choice { piece, held: false, hold: Hold::Empty, taken: 1 };
                let wanted = landings
                    .iter()
                    .filter(|one| is_wanted(one.state.index(), one.left_column(), one.low()));
                let rules = movegen.rules();
                found
                    .extend(wanted.map(|one| (at, Afterstate::landed(rules, &state, choice, one))));
            }
        }
        Ok(())
    }

    /// Appends the result of the first placement of `piece` at `place`, with the spin found first.
    /// Fails if there is none.
    pub(crate) fn add_afterstate(
        &self,
        (board, piece): (&Board, Piece),
        place: PlacementKey,
        at: usize,
        found: &mut Vec<(usize, Afterstate)>,
    ) -> Result<()> {
        let before = found.len();
        self.add_afterstates((board, piece), Some(place), at, found)?;
        found.truncate(before + 1);
        if found.len() > before {
            return Ok(());
        }
        let (orientation, column, row) = place;
        let row = row.map_or(String::new(), |row| format!(", row {row}"));
        Err(Error::Config(format!(
            "{piece} cannot rest on this board in orientation {orientation}, column {column}{row}: \
             placements() lists the possible placements"
        )))
    }

    /// Converts a board without a last placement to a position whose features can be measured.
    pub(crate) fn board(&self, board: &Board) -> Result<Afterstate> {
        match self {
            Rules::Classic(_) => Ok(Afterstate::Board(*board)),
            Rules::Guideline(_) => Ok(Afterstate::State(state_of(board)?, None)),
        }
    }
}

fn state_of(board: &Board) -> Result<GuidelineState> {
    Ok(GuidelineState { matrix: Matrix::from_board(board)?, ..GuidelineState::default() })
}

#[derive(Clone)]
pub(crate) enum Afterstate {
    /// Board of a classic game that was given, not reached by a placement.
    Board(Board),
    Classic(Outcome),
    /// State of a guideline game, and the effect of its last placement: spin and rows removed.
    State(GuidelineState, Option<ClearEvent>),
    Guideline(Choice, Landing, Placed),
}

impl Afterstate {
    pub(crate) fn landed(
        rules: &Guideline,
        state: &GuidelineState,
        choice: Choice,
        landing: Landing,
    ) -> Afterstate {
        Afterstate::Guideline(choice, landing, state.place(rules, &choice, landing))
    }

    /// Returns the bit-packed rows of the board after the placement, floor first.
    pub(crate) fn rows(&self) -> [u16; ROWS] {
        match self {
            Afterstate::Board(board) => *board.rows(),
            Afterstate::Classic(outcome) => *outcome.after.rows(),
            Afterstate::State(state, _) => rows_of(&state.matrix, ROWS),
            Afterstate::Guideline(.., placed) => rows_of(&placed.after.matrix, ROWS),
        }
    }
}

/// Result of a placement, or a board, whose features a [`FeatureMeasurer`] measures.
pub(crate) trait Measurable {
    /// Returns the board of a classic game if it was not reached by a placement.
    fn alone(&self) -> Option<&Board> {
        None
    }

    /// Returns the board on which classic features are measured, and the last move. Guideline games
    /// return the board `empty`.
    fn board<'a>(&'a self, measured: Measured, empty: &'a Board) -> (&'a Board, &'a Move);

    /// Returns the values of a guideline game's features `terms`; no values in a classic game.
    fn terms(&self, terms: &Terms) -> Vec<i32>;

    /// Returns eight numbers that describe the placement: piece, hold, rotation, column, row, spin,
    /// rows removed, and 1 if it loses.
    fn placement(&self) -> [u8; 8];
}

impl Measurable for Outcome {
    fn board<'a>(&'a self, measured: Measured, _: &'a Board) -> (&'a Board, &'a Move) {
        (Outcome::board(self, measured), &self.played)
    }

    fn terms(&self, _: &Terms) -> Vec<i32> {
        Vec::new()
    }

    fn placement(&self) -> [u8; 8] {
        let Move { piece, candidate, lines, .. } = self.played;
        let Candidate { placement: Placement { orientation, column }, row } = candidate;
        [piece as u8, 0, orientation, column, row, 0, lines, self.lost.into()]
    }
}

impl Measurable for Afterstate {
    fn alone(&self) -> Option<&Board> {
        if let Afterstate::Board(board) = self { Some(board) } else { None }
    }

    fn board<'a>(&'a self, measured: Measured, empty: &'a Board) -> (&'a Board, &'a Move) {
        match self {
            Afterstate::Classic(outcome) => Measurable::board(outcome, measured, empty),
            Afterstate::Board(board) => (board, &NO_MOVE),
            _ => (empty, &NO_MOVE),
        }
    }

    fn terms(&self, terms: &Terms) -> Vec<i32> {
        match self {
            Afterstate::State(state, event) => {
                terms.values_of(&state.matrix, state, event.as_ref())
            }
            Afterstate::Guideline(.., placed) => terms.values(placed),
            _ => Vec::new(),
        }
    }

    fn placement(&self) -> [u8; 8] {
        match self {
            Afterstate::Board(_) | Afterstate::State(..) => [0; 8],
            Afterstate::Classic(outcome) => outcome.placement(),
            Afterstate::Guideline(choice, landing, placed) => [
                choice.piece as u8,
                choice.held.into(),
                landing.state.index() as u8,
                landing.left_column() as u8,
                landing.low() as u8,
                landing.spin as u8,
                placed.clear.lines,
                placed.lost.into(),
            ],
        }
    }
}

/// Returns the lowest `count` rows of `matrix`, floor first, and empty rows above.
pub(crate) fn rows_of(matrix: &Matrix, count: usize) -> [u16; ROWS] {
    std::array::from_fn(|row| if row < count { matrix.row(row) } else { 0 })
}

#[derive(Clone)]
pub(crate) enum Selection {
    Features(Vec<Feature>, Measured, BoardSize),
    Terms(Terms),
}

impl Selection {
    /// Selects the features of placements to measure, by `names` or else all.
    pub(crate) fn for_placements(
        rules: &Rules,
        size: BoardSize,
        names: Option<&[String]>,
        measured: Measured,
    ) -> Result<Selection> {
        match rules {
            Rules::Classic(_) => Selection::features(names, measured, size),
            Rules::Guideline(_) => Selection::terms(names, measured, None),
        }
    }

    /// Selects the features of boards without placements to measure, by `names` or else all.
    pub(crate) fn for_boards(
        rules: &Rules,
        size: BoardSize,
        names: Option<&[String]>,
    ) -> Result<Selection> {
        let measured = Measured::AfterClear;
        let all = Selection::for_placements(rules, size, names, measured)?.needs();
        let (of_move, of_board): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, needs)| *needs);
        if let (Some(_), [(name, _), ..]) = (names, &of_move[..]) {
            return Err(Error::Config(format!(
                "{name} is a feature of placements: give pieces and placements, too"
            )));
        }
        let names: Vec<String> = of_board.into_iter().map(|(name, _)| name).collect();
        Selection::for_placements(rules, size, Some(&names), measured)
    }

    pub(crate) fn features(
        names: Option<&[String]>,
        measured: Measured,
        size: BoardSize,
    ) -> Result<Selection> {
        let named = |name: &String| {
            let feature: Feature = name.parse()?;
            match feature.exists_on(size) {
                true => Ok(feature),
                false => {
                    Err(Error::Config(format!("a board of {size} has no {feature}: leave it out")))
                }
            }
        };
        let features = match names {
            None => Feature::all(size).collect(),
            Some(names) => names.iter().map(named).collect::<Result<_>>()?,
        };
        Ok(Selection::Features(features, measured, size))
    }

    /// Selects features by `names` for guideline games that end after `goal` removed rows.
    pub(crate) fn terms(
        names: Option<&[String]>,
        measured: Measured,
        goal: Option<u32>,
    ) -> Result<Selection> {
        let terms = match names {
            None => return Ok(Selection::Terms(Terms::all(measured, goal))),
            Some(names) => names.iter().map(|name| Ok((name.parse()?, 0.0))),
        };
        Ok(Selection::Terms(Terms::weighted(terms.collect::<Result<_>>()?, measured, goal)))
    }

    /// Returns each selected feature's name, and true if measuring it requires a placement.
    fn needs(&self) -> Vec<(String, bool)> {
        match self {
            Selection::Features(features, ..) => {
                features.iter().map(|one| (one.to_string(), one.is_of_move())).collect()
            }
            Selection::Terms(terms) => {
                let needs = |term: &Term| term.matrix_value(&Matrix::EMPTY, None).is_none();
                terms.weights().iter().map(|(term, _)| (term.to_string(), needs(term))).collect()
            }
        }
    }

    pub(crate) fn first_of_placement(&self) -> Option<String> {
        self.needs().into_iter().find(|(_, needs)| *needs).map(|(name, _)| name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.needs().into_iter().map(|(name, _)| name).collect()
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Selection::Features(features, ..) => features.len(),
            Selection::Terms(terms) => terms.weights().len(),
        }
    }
}

/// Placeholder for the move that led to a board, used when no feature depends on it.
static NO_MOVE: Move = Move {
    piece: Piece::O,
    candidate: Candidate { placement: Placement { orientation: 0, column: 0 }, row: 0 },
    lines: 0,
    removed_cells: [0; 4],
};

const BOARDS_AT_ONCE: usize = BatchFeatures::LANES;

pub(crate) struct FeatureMeasurer {
    selection: Arc<Selection>,
    batch_features: Option<BatchFeatures>,
}

impl FeatureMeasurer {
    pub(crate) fn new(selection: Arc<Selection>) -> FeatureMeasurer {
        FeatureMeasurer { selection, batch_features: None }
    }

    pub(crate) fn measure<A: Measurable, T>(
        &mut self,
        of: &[(usize, A)],
        out: &mut [T],
        row_of: impl Fn(usize, usize) -> usize,
        convert: impl Fn(f64) -> T,
    ) {
        let FeatureMeasurer { selection, batch_features } = self;
        let alone = if let [(_, one)] = of { one.alone() } else { None };
        match (&**selection, alone) {
            (Selection::Features(features, _, size), Some(board)) => {
                for (feature, value) in features.iter().zip(out) {
                    let raw = feature.raw(board, None).unwrap_or(0);
                    *value = convert(feature.in_units(raw, size.width()));
                }
            }
            (Selection::Features(features, measured, size), _) => {
                let batch = batch_features
                    .get_or_insert_with(|| BatchFeatures::new(*size, features, Level::detect()));
                let (empty, width) = (Board::empty(*size), features.len());
                let mut rows = [0; BOARDS_AT_ONCE];
                for (first, some) in (0..).step_by(BOARDS_AT_ONCE).zip(of.chunks(BOARDS_AT_ONCE)) {
                    batch.measure(some.iter().map(|(_, one)| one.board(*measured, &empty)));
                    for ((row, index), (number, _)) in rows.iter_mut().zip(first..).zip(some) {
                        *row = row_of(index, *number) * width;
                    }
                    for (k, feature) in features.iter().enumerate() {
                        for (row, &raw) in rows.iter().zip(batch.raws(k)) {
                            out[row + k] = convert(feature.in_units(raw.into(), size.width()));
                        }
                    }
                }
            }
            (Selection::Terms(terms), _) => {
                for (index, (number, one)) in of.iter().enumerate() {
                    let found = one.terms(terms);
                    let row = &mut out[row_of(index, *number) * found.len()..];
                    row.iter_mut().zip(found).for_each(|(to, value)| *to = convert(value.into()));
                }
            }
        }
    }
}
