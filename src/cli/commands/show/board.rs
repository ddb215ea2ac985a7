//! Runs `tetrastat show board`: prints a board's feature values and every placement of a piece, in
//! any game.

use std::fmt::{Display, Write};
use std::str::FromStr;

use anyhow::Context;
use serde_json::{Value as Json, json};

use crate::board::{Board, BoardSize};
use crate::cli::commands::show::guideline::{LandingRanker, Position, PositionOptions};
use crate::cli::console::Console;
use crate::cli::console::output::Format;
use crate::cli::options::games::{AnyRules, AnySearch, CLASSIC, OfGame};
use crate::cli::options::help::prose;
use crate::cli::options::pictures::{FumenBoard, SvgFile};
use crate::cli::options::settings::ParsedArgs;
use crate::cli::options::{BoardFile, ClassicOptions};
use crate::controller::{Controller, Scorer};
use crate::error::Error;
use crate::explain::analysis::ScoredPlacement;
use crate::explain::step::cells_of;
use crate::features::{Feature, Part, picture};
use crate::kernels::Level;
use crate::matrix::Matrix;
use crate::pictures::still::Still;
use crate::piece::Piece;
use crate::placement::{Candidate, Placement};
use crate::queue::{Queue, QueueKind};
use crate::rules::Rules;
use crate::rules::guideline::RotationState;
use crate::search::{Player, Ranked, Search};
use crate::text::table::ReportTable;

const HELP: &str = "Orientations of classic games, numbered as in --place and in the columns
`orientation` (rows from the top, joined by `/`):

    I  0 #/#/#/#   1 ####
    O  0 ##/##
    T  0 #./##/#.  1 .#./###   2 .#/##/.#  3 ###/.#.
    S  0 #./##/.#  1 .##/##.
    Z  0 .#/##/#.  1 ##./.##
    J  0 #../###   1 .#/.#/##  2 ###/..#   3 ##/#./#.
    L  0 ###/#..   1 #./#./##  2 ..#/###   3 ##/.#/.#

In guideline games the states are 0 (spawn), R and L (quarter turns) and 2 (half turn).";

/// Show a board's features and every placement of a piece. In guideline games, show the
/// controller's terms and every landing of the piece and of the hold piece
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(crate) struct Args {
    /// `simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009) or
    /// `capstone`
    #[arg(long, default_value = "simplified")]
    rules: AnyRules,

    /// Preset (see `tetrastat show controllers`) or TOML file [default: bcts; for guideline games
    /// tetrastat-sprint in a Sprint, else tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    #[command(flatten)]
    file: BoardFile,

    /// List every placement of this piece, best first
    #[arg(long)]
    piece: Option<Piece>,

    /// Look-ahead: `greedy`; in classic games also `next` (with --next) or `expect`; in guideline
    /// games also `beam` (over the pieces of --next)
    #[arg(
        long,
        default_value = "greedy",
        requires_if("next", "piece"),
        requires_if("expect", "piece"),
        requires_if("beam", "piece")
    )]
    search: AnySearch,

    /// Next piece, for --search next. In guideline games, all visible next pieces, such as OTS
    #[arg(long, value_name = "PIECE|LETTERS", requires = "piece")]
    next: Option<Letters>,

    /// Show the board after this placement of the piece, even if the piece cannot rest there. The
    /// orientation is numbered as drawn below; guideline games have the states 0, R, 2 and L. The
    /// column is that of the leftmost cell and the row that of the lowest cell, both from 0, rows
    /// from the floor. Full rows are removed first, unless the controller measures before-clear
    #[arg(
        long,
        value_name = "ORIENTATION,COLUMN,ROW",
        requires = "piece",
        conflicts_with_all = ["search", "next"]
    )]
    place: Option<Place>,

    /// Board as text, instead of --board-file. `/` ends a row
    #[arg(long, value_name = "PICTURE", conflicts_with = "board_file")]
    picture: Option<String>,

    #[command(flatten)]
    fumen: FumenBoard,

    /// Mark the cells that these features (in guideline games: terms) count, with the value of each
    /// part
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', conflicts_with = "piece")]
    explain: Vec<String>,

    #[command(flatten)]
    file_of_picture: SvgFile,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten, next_help_heading = CLASSIC.heading)]
    classic: ClassicOptions,

    #[command(flatten)]
    guideline: PositionOptions,
}

/// A sequence of pieces, written as letters.
#[derive(Clone, Debug)]
struct Letters(Vec<Piece>);

impl FromStr for Letters {
    type Err = Error;

    fn from_str(letters: &str) -> Result<Letters, Error> {
        match QueueKind::script(letters, false)? {
            QueueKind::Script { pieces, .. } => Ok(Letters(pieces.to_vec())),
            _ => Ok(Letters(Vec::new())),
        }
    }
}

/// Orientation, column and row of a piece on a board, the value of `--place`.
#[derive(Clone, Debug)]
struct Place {
    /// Number of an orientation, or letter of a rotation state.
    orientation: String,
    column: u8,
    row: u8,
}

/// Error message for an invalid `--place`.
const PLACE: &str = "give orientation, column and row, for example 2,0,2";

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Place, &'static str> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let [orientation, column, row] = parts[..] else { return Err(PLACE) };
        let number = |text: &str| text.parse().map_err(|_| PLACE);
        let orientation = orientation.to_ascii_uppercase();
        let is_state = RotationState::ALL.iter().any(|state| state.name() == orientation);
        if !is_state {
            number(&orientation)?;
        }
        Ok(Place { column: number(column)?, row: number(row)?, orientation })
    }
}

impl Place {
    /// Returns the placement of `piece` if it lies within the board, or else an error. Cells that
    /// it covers may already be filled.
    fn candidate(&self, board: &Board, piece: Piece) -> anyhow::Result<Candidate> {
        let Place { column, row, .. } = *self;
        let orientation: Option<u8> = self.orientation.parse().ok();
        let shape = orientation.and_then(|number| piece.orientations().get(usize::from(number)));
        let inside = shape.is_some_and(|shape| {
            usize::from(column) + usize::from(shape.width) <= board.width()
                && usize::from(row) <= board.height()
        });
        match orientation.filter(|_| inside) {
            Some(orientation) => {
                Ok(Candidate { placement: Placement { orientation, column }, row })
            }
            None => anyhow::bail!(
                "--place: {piece} has orientations 0 to {}, and must lie inside the board of {}",
                piece.orientations().len() - 1,
                board.size()
            ),
        }
    }
}

pub(crate) fn run(console: &Console, given: ParsedArgs<Args>) -> anyhow::Result<()> {
    let ParsedArgs { options: args, settings, .. } = given;
    args.rules.games().check::<Args>(&settings)?;
    match args.rules.falling("show board")? {
        OfGame::Classic(rules) => args.classic(console, rules),
        OfGame::Guideline(rules) => {
            let next: &[Piece] = args.next.as_ref().map_or(&[], |Letters(pieces)| pieces);
            let (controller, search) = (args.controller.as_deref(), args.search);
            let asked = args.guideline.asked(&rules, controller, search, next.len())?;
            let matrix = match args.pictured(str::parse::<Matrix>)? {
                Some(matrix) => Some(matrix),
                None => args.file.matrix()?,
            };
            args.check_full_rows(matrix.is_some_and(|matrix| matrix.clear().1 > 0))?;
            let position = args.guideline.position(matrix, args.piece, next)?;
            args.show_guideline(console, &asked, &position)
        }
    }
}

/// Cells that a feature or term counts on a board.
pub(crate) struct Explained {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) definition: &'static str,
    pub(crate) source: &'static str,
    pub(crate) parts: Vec<Part>,
}

impl Args {
    /// Returns the board of `--picture` or `--fumen`, if one is given, as `parse` parses it.
    fn pictured<B>(
        &self,
        parse: impl FnOnce(&str) -> Result<B, Error>,
    ) -> anyhow::Result<Option<B>> {
        match (&self.picture, self.fumen.picture()?) {
            (Some(picture), _) => Ok(Some(parse(picture).context("the board of --picture")?)),
            (None, Some(picture)) => Ok(Some(parse(&picture).context("the board of --fumen")?)),
            (None, None) => Ok(None),
        }
    }

    /// Checks that a board has no full rows, if the landings of a piece are listed. They would
    /// count these rows as completed by the piece.
    fn check_full_rows(&self, has_full_rows: bool) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.piece.is_none() || self.place.is_some() || !has_full_rows,
            "the board has full rows, which a game would have removed: remove them, or leave out \
             --piece"
        );
        Ok(())
    }

    fn classic(&self, console: &Console, rules: Rules) -> anyhow::Result<()> {
        let (search, next) = (self.search.classic()?, self.next_piece()?);
        let board = self.start()?;
        anyhow::ensure!(
            search != Search::Next || next.is_some(),
            "--search next needs the next piece: give --next, for example --next O"
        );
        anyhow::ensure!(
            search == Search::Next || next.is_none(),
            "--next is for --search next: give both"
        );
        if !self.explain.is_empty() {
            return self.explain(console, &board);
        }
        let controller = self.classic.controller(self.controller.as_deref())?;
        let rules = self.classic.board.rules(rules)?;
        if let (Some(place), Some(piece)) = (&self.place, self.piece) {
            anyhow::ensure!(
                controller.external.is_none(),
                "--place shows a score by features alone: leave it out for a Python function"
            );
            let outcome = rules.play(&board, piece, place.candidate(&board, piece)?);
            let measured = outcome.board(controller.measured);
            let scorer = Scorer::new(&controller, measured.size())?;
            let score = scorer.score(board.stack_height(), measured, &outcome.played);
            let value = |feature: Feature| {
                let raw = feature.raw(measured, Some(&outcome.played)).unwrap_or(0);
                (feature.to_string(), feature.in_units(raw, measured.width()))
            };
            let shown = ShownPlace {
                board: measured.to_string(),
                kind: "features",
                values: Feature::all(measured.size()).map(value).collect(),
                lines: outcome.played.lines,
                reached: None,
                lost: outcome.lost,
                controller: &controller.name,
                score: score.total as f64 / scorer.scale(),
            };
            return shown.print(console, self.format);
        }
        let mut player = Player::new(&controller, rules, search, board.size(), Level::detect())?;
        let ranked = self.piece.map(|piece| player.rank_best_first(&board, piece, next));
        player.check_external()?;
        let position = RankedPosition { board: &board, controller: &controller, player: &player };
        self.format.print(
            console,
            || position.text(ranked.as_deref()),
            position.json(ranked.as_deref()),
        )?;
        let still = || position.still(ranked.as_deref().unwrap_or_default());
        self.file_of_picture.write(still)
    }

    fn next_piece(&self) -> anyhow::Result<Option<Piece>> {
        match self.next.as_ref().map(|Letters(pieces)| &pieces[..]) {
            None => Ok(None),
            Some([piece]) => Ok(Some(*piece)),
            Some(_) => {
                anyhow::bail!("--next: classic games see one piece ahead: give one letter")
            }
        }
    }

    fn show_guideline(
        &self,
        console: &Console,
        asked: &LandingRanker,
        position: &Position,
    ) -> anyhow::Result<()> {
        match (&self.place, self.piece) {
            _ if !self.explain.is_empty() => {
                let parts = asked.explained(position, &self.explain)?;
                print_explained(console, self.format, &position.board(), &parts)
            }
            (Some(place), Some(piece)) => {
                let Place { orientation, column, row } = place;
                let place = (&**orientation, *column, *row);
                asked.show_place(console, position, piece, place, self.format)
            }
            _ => {
                let ranked = asked.show(console, position, self.format)?;
                let still = || asked.still(position, &ranked.unwrap_or_default());
                self.file_of_picture.write(still)
            }
        }
    }

    fn explain(&self, console: &Console, board: &Board) -> anyhow::Result<()> {
        let explained = |name: &String| {
            let feature: Feature = name.trim().parse()?;
            anyhow::ensure!(
                feature.exists_on(board.size()),
                "a board of {} has no {feature}: leave it out",
                board.size()
            );
            let parts = feature.parts(board).with_context(|| {
                format!("{feature} describes a move, not a board: give --piece to see it")
            })?;
            let (entry, raw) = (feature.definition(), feature.raw(board, None).unwrap_or(0));
            Ok(Explained {
                name: feature.to_string(),
                value: feature.in_units(raw, board.width()),
                definition: entry.definition,
                source: entry.source,
                parts,
            })
        };
        let explained = self.explain.iter().map(explained).collect::<anyhow::Result<Vec<_>>>()?;
        print_explained(console, self.format, board, &explained)
    }

    /// Returns the board of a classic game.
    fn start(&self) -> anyhow::Result<Board> {
        let size = self.classic.board.board;
        let board = match self.pictured(|picture| Board::from_picture(picture, size))? {
            Some(board) => Some(board),
            None => self.file.board(size)?,
        };
        let size = self.classic.board.size(board.as_ref())?;
        let board = board.unwrap_or_else(|| Board::empty(size));
        self.check_full_rows(board.full_rows() != 0)?;
        Ok(board)
    }
}

/// Prints the cells that features or terms count on a board.
fn print_explained(
    console: &Console,
    format: Format,
    board: &Board,
    explained: &[Explained],
) -> anyhow::Result<()> {
    let text = |Explained { name, value, definition, parts, .. }: &Explained| {
        format!("{name} {value}: {definition}\n\n{}\n", picture(board, parts))
    };
    let entry = |Explained { name, value, definition, source, parts }: &Explained| {
        json!({
            "feature": name, "value": value, "definition": definition, "source": source,
            "parts": parts,
        })
    };
    let json: Json = explained.iter().map(entry).collect();
    format.print(console, || explained.iter().map(text).collect(), json)
}

/// A placement with the values of all features or terms.
pub(crate) struct ShownPlace<'a, V> {
    pub(crate) board: String,
    /// Word for the values: `features` or `terms`.
    pub(crate) kind: &'static str,
    pub(crate) values: Vec<(String, V)>,
    pub(crate) lines: u8,
    /// Spin of a guideline placement, and true if the piece can reach the placement. `None` in
    /// classic games.
    pub(crate) reached: Option<(&'static str, bool)>,
    pub(crate) lost: bool,
    pub(crate) controller: &'a str,
    pub(crate) score: f64,
}

impl<V: Display + Clone + Into<Json>> ShownPlace<'_, V> {
    pub(crate) fn print(&self, console: &Console, format: Format) -> anyhow::Result<()> {
        let ShownPlace { board, kind, lines, lost, controller, score, .. } = self;
        let text = || {
            let values = value_lines(&self.values);
            let unreached = self.reached.is_some_and(|(_, reached)| !reached);
            let note = if unreached { "the piece cannot reach this placement\n" } else { "" };
            format!("{board}\n{values}\nscore by {controller}: {score}\n{note}")
        };
        let mut json = json!({ "board": rows_of(board) });
        json[kind] = by_name(self.values.iter().cloned());
        json["lines"] = (*lines).into();
        if let Some((spin, reached)) = self.reached {
            json["spin"] = spin.into();
            json["reached"] = reached.into();
        }
        json["loses"] = (*lost).into();
        json["controller"] = (*controller).into();
        json["score"] = (*score).into();
        format.print(console, text, json)
    }
}

/// Splits a board's picture into rows.
pub(crate) fn rows_of(board: impl ToString) -> Vec<String> {
    board.to_string().lines().map(str::to_owned).collect()
}

/// Formats one line for each feature or term with its value.
fn value_lines<V: Display>(values: &[(String, V)]) -> String {
    values.iter().map(|(name, value)| format!("{name:28} {value}\n")).collect()
}

/// Returns the values as a JSON object with the feature or term names as keys.
pub(crate) fn by_name<V: Into<Json>>(values: impl IntoIterator<Item = (String, V)>) -> Json {
    Json::Object(values.into_iter().map(|(name, value)| (name, value.into())).collect())
}

/// A placement with the values of the controller's features or terms.
pub(crate) type Valued<'a, R, V> = (&'a R, Vec<V>);

/// Appends a column for each of `names` to a table of placements, and returns the table's text.
pub(crate) fn with_values<'a, R, V: Display + 'a>(
    table: ReportTable<'a, Valued<'a, R, V>>,
    names: impl IntoIterator<Item = String>,
) -> String {
    let column = |table: ReportTable<'a, Valued<'a, R, V>>, (place, name): (usize, String)| {
        let width = name.len();
        table.right(name, width, move |(_, values)| values[place].to_string())
    };
    names.into_iter().enumerate().fold(table, column).text()
}

/// Formats the score of a placement: `loses` for a lost game, and `unknown` if there is no score.
pub(crate) fn score_text(lost: bool, score: Option<f64>, unknown: &str) -> String {
    match score {
        _ if lost => "loses".to_owned(),
        Some(score) => format!("{score:.6}"),
        None => unknown.to_owned(),
    }
}

/// A board with the controller that ranks its placements.
struct RankedPosition<'a> {
    board: &'a Board,
    controller: &'a Controller,
    player: &'a Player,
}

impl RankedPosition<'_> {
    /// Returns the picture of the board with the two best placements in `ranked`.
    fn still(&self, ranked: &[Ranked]) -> Still {
        let rated = |entry: &Ranked| {
            let played = &entry.outcome.played;
            let Candidate { placement: Placement { orientation, column }, row } = played.candidate;
            ScoredPlacement {
                place: format!("orientation {orientation}, column {column}, row {row}"),
                cells: cells_of(played.candidate, played.piece),
                lines: played.lines,
                score: self.score(entry),
                lost: entry.outcome.lost,
            }
        };
        let rated: Vec<ScoredPlacement> = ranked.iter().take(2).map(rated).collect();
        let piece = ranked.first().map(|entry| entry.outcome.played.piece);
        let title = match piece {
            Some(piece) => format!("{piece} by {}", self.controller.name),
            None => format!("a board of {}", self.board.size()),
        };
        let is_settled = |column, row| self.board.is_filled(column, row);
        let size = (self.board.width(), self.board.height());
        Still::ranked(title, size, is_settled, piece, &rated)
    }

    fn text(&self, ranked: Option<&[Ranked]>) -> String {
        let name = &self.controller.name;
        let mut text = format!("{}\n{}", self.board, value_lines(&self.board_values()));
        if let (None, Some(score)) = (ranked, self.board_score()) {
            let _ = writeln!(text, "\nscore of this board by {name}: {score}");
        }
        let Some(ranked) = ranked else { return text };
        let _ = writeln!(text, "\n{} placements by {name}, best first:", ranked.len());
        let rows: Vec<_> = ranked.iter().map(|entry| (entry, self.values(entry))).collect();
        let table = ReportTable::new(&rows)
            .right("orientation", 11, |(entry, _)| candidate(entry).placement.orientation)
            .right("column", 6, |(entry, _)| candidate(entry).placement.column)
            .right("row", 3, |(entry, _)| candidate(entry).row)
            .right("lines", 5, |(entry, _)| entry.outcome.played.lines)
            .right("score", 14, |(entry, _)| {
                score_text(entry.outcome.lost, self.score(entry), "no answer")
            });
        text + &with_values(table, self.names())
    }

    fn placement(&self, entry: &Ranked) -> Json {
        let Candidate { placement: Placement { orientation, column }, row } = candidate(entry);
        let lost = entry.outcome.lost;
        json!({
            "orientation": orientation,
            "column": column,
            "landing_row": row,
            "lines": entry.outcome.played.lines,
            "loses": lost,
            "unanswered": (!lost).then_some(entry.value.unanswered),
            "score": self.score(entry),
            "features": by_name(self.names().zip(self.values(entry))),
        })
    }

    fn json(&self, ranked: Option<&[Ranked]>) -> Json {
        let placement = |entry: &Ranked| self.placement(entry);
        json!({
            "board": rows_of(self.board),
            "features": by_name(self.board_values()),
            "controller": self.controller.name,
            "score": self.board_score(),
            "placements": ranked.map(|ranked| ranked.iter().map(placement).collect::<Vec<_>>()),
        })
    }

    /// Returns the names of the controller's features, then `patterns` if it has any.
    fn names(&self) -> impl Iterator<Item = String> {
        let features = self.controller.features().map(|feature| feature.to_string());
        features.chain(self.controller.patterns.as_ref().map(|_| "patterns".to_owned()))
    }

    fn score(&self, entry: &Ranked) -> Option<f64> {
        entry.value.score(self.player.scorer().scale())
    }

    /// Returns the controller's score of the board, or `None` if a feature needs a placement or an
    /// external player gives values.
    fn board_score(&self) -> Option<f64> {
        if self.controller.external.is_some() {
            return None;
        }
        let term = |&(feature, weight): &(Feature, f64)| {
            Some(weight * feature.in_units(feature.raw(self.board, None)?, self.board.width()))
        };
        let weights = self.controller.weights_at(self.board.stack_height());
        let linear: f64 = weights.iter().map(term).sum::<Option<f64>>()?;
        Some(linear + self.player.scorer().pattern_value(self.board).unwrap_or(0.0))
    }

    /// Returns the values of all features that need no placement. Half rows are converted to rows.
    fn board_values(&self) -> Vec<(String, f64)> {
        let value = |feature: Feature| {
            let raw = feature.raw(self.board, None)?;
            Some((feature.to_string(), feature.in_units(raw, self.board.width())))
        };
        Feature::all(self.board.size()).filter_map(value).collect()
    }

    /// Returns the values of the controller's features and patterns for a placement.
    fn values(&self, entry: &Ranked) -> Vec<f64> {
        let measured = self.player.measured_board(&entry.outcome);
        let value = |&(feature, _): &(Feature, f64)| {
            let raw = feature.raw(measured, Some(&entry.outcome.played)).unwrap_or(0);
            feature.in_units(raw, measured.width())
        };
        let features = self.controller.weights.iter().map(value);
        features.chain(self.player.pattern_value(&entry.outcome)).collect()
    }
}

/// Plays pieces on an empty board of `size` and returns some boards with a piece as JSON. Each
/// placement of the piece has its score, its features and the board after it. Programs that compute
/// scores without the engine can check theirs.
///
/// # Errors
/// The controller does not fit boards of `size`.
pub(crate) fn examples(controller: &Controller, size: BoardSize) -> Result<Json, Error> {
    let (rules, level) = (Rules::simplified(), Level::detect());
    let mut player = Player::new(controller, rules, Search::Greedy, size, level)?;
    let (mut board, mut queue) = (Board::empty(size), Queue::new(QueueKind::Uniform, 1, 0));
    let mut examples = Vec::new();
    for number in 1..=30 {
        let piece = queue.deal()?;
        if number % 10 == 0 {
            let ranked = player.rank_best_first(&board, piece, None);
            let position = RankedPosition { board: &board, controller, player: &player };
            let placement = |entry: &Ranked| {
                let mut json = position.placement(entry);
                json["after"] = rows_of(entry.outcome.after).into();
                json
            };
            let placements: Vec<Json> = ranked.iter().map(placement).collect();
            let (board, piece) = (rows_of(board), piece.to_string());
            examples.push(json!({ "board": board, "piece": piece, "placements": placements }));
        }
        if player.step(&mut board, piece, None).is_none_or(|step| step.lost) {
            break;
        }
    }
    Ok(examples.into())
}

fn candidate(entry: &Ranked) -> Candidate {
    entry.outcome.played.candidate
}
