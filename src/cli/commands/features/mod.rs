//! `tetrastat features`: a board's feature values, and every placement of a piece, in any game.

pub(crate) mod guideline;
pub(crate) mod list;

use std::fmt::Write;
use std::str::FromStr;

use anyhow::Context;
use serde_json::{Map, Value as Json, json};

use crate::board::Board;
use crate::cli::commands::features::guideline::{AskedPlacement, Position, PositionOptions};
use crate::cli::console::Console;
use crate::cli::console::output::{Format, Outcome};
use crate::cli::options::games::{AnyRules, AnySearch, CLASSIC, OfGame};
use crate::cli::options::given::Given;
use crate::cli::options::help::prose;
use crate::cli::options::pictures::{FumenBoard, SvgFile};
use crate::cli::options::{BoardFile, ClassicOptions, USUAL};
use crate::controller::{Controller, Scorer};
use crate::error::Error;
use crate::explain::analysis::Rated;
use crate::explain::step::cells_of;
use crate::features::{Feature, Part, picture};
use crate::kernels::Level;
use crate::pictures::still::Still;
use crate::piece::Piece;
use crate::placement::{Candidate, Placement};
use crate::queue::QueueKind;
use crate::rules::guideline::RotationState;
use crate::rules::{Outcome as Placed, Rules};
use crate::search::{Player, Ranked, Search};

/// Help text below the options.
const HELP: &str = "Orientations of classic games, numbered as in --place and the columns `orientation` (rows from the top,
joined by `/`):

    I  0 #/#/#/#   1 ####
    O  0 ##/##
    T  0 #./##/#.  1 .#./###   2 .#/##/.#  3 ###/.#.
    S  0 #./##/.#  1 .##/##.
    Z  0 .#/##/#.  1 ##./.##
    J  0 #../###   1 .#/.#/##  2 ###/..#   3 ##/#./#.
    L  0 ###/#..   1 #./#./##  2 ..#/###   3 ##/.#/.#

In guideline games the states are 0 (spawn), R and L (quarter turns) and 2 (half turn).";

/// Show a board's features, and every placement of a piece with features and score; or list all
/// features. In guideline games show the controller's terms, and every landing of the piece and of what the hold
/// gives for it
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(crate) struct Args {
    /// `simplified` (MDPTetris) or `standard` (Fahey's original game), `guideline` (2009) or `capstone`
    #[arg(long, default_value = "simplified")]
    rules: AnyRules,

    /// Preset (see `tetrastat controllers`) or TOML file [default: bcts; of guideline games
    /// tetrastat-sprint in a Sprint, else tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    #[command(flatten)]
    file: BoardFile,

    /// List every placement of this piece, best first
    #[arg(long)]
    piece: Option<Piece>,

    /// How placements are valued: `greedy`; of classic games `next` (with --next) or `expect`, of guideline
    /// games `beam` (over the pieces of --next)
    #[arg(
        long,
        default_value = "greedy",
        requires_if("next", "piece"),
        requires_if("expect", "piece"),
        requires_if("beam", "piece")
    )]
    search: AnySearch,

    /// The piece after it, for --search next; of guideline games the pieces that are seen after it, such as OTS
    #[arg(long, value_name = "PIECE|LETTERS", requires = "piece")]
    next: Option<Letters>,

    /// Show the board after this placement of the piece, even if the piece cannot rest there: orientation as drawn
    /// below (in guideline games the state 0, R, 2 or L), column of the leftmost cell, row of the lowest cell, all from
    /// 0, rows from the floor. Full rows are removed first, unless the controller measures before-clear
    #[arg(long, value_name = "ORIENTATION,COLUMN,ROW", requires = "piece", conflicts_with_all = ["search", "next"])]
    place: Option<Place>,

    /// A board as text instead of --board-file; `/` ends a row
    #[arg(long, value_name = "PICTURE", conflicts_with = "board_file")]
    picture: Option<String>,

    #[command(flatten)]
    fumen: FumenBoard,

    /// Mark on the picture what these features (of guideline games terms) count, and how much each part adds
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', conflicts_with = "piece")]
    explain: Vec<String>,

    /// List every feature, and every term of guideline games, with definition and source
    #[arg(long, conflicts_with_all = ["piece", "explain", "picture", "board_file"])]
    list: bool,

    #[command(flatten)]
    file_of_picture: SvgFile,

    /// How to print
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    #[command(flatten, next_help_heading = CLASSIC.heading)]
    classic: ClassicOptions,

    #[command(flatten)]
    guideline: PositionOptions,
}

/// Pieces by their letters.
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

/// Where a piece is put.
#[derive(Clone, Debug)]
struct Place {
    /// A number, or the letter of a state.
    orientation: String,
    column: u8,
    row: u8,
}

/// What `--place` takes.
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
    /// The candidate, if the board has room for it; cells may be filled already.
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

/// Runs the command.
pub(crate) fn run(console: &Console, given: Given<Args>) -> anyhow::Result<Outcome> {
    let Given { options: args, settings, .. } = given;
    if args.list {
        list::list(console, args.classic.board.size(None)?, args.format)?;
        return Ok(Outcome::Done);
    }
    args.rules.games().check::<Args>(&settings)?;
    match args.rules.falling("features")? {
        OfGame::Classic(rules) => args.classic(console, rules),
        OfGame::Guideline(rules) => {
            let next: &[Piece] = args.next.as_ref().map_or(&[], |Letters(pieces)| pieces);
            let (controller, search) = (args.controller.as_deref(), args.search);
            let asked = args.guideline.asked(&rules, controller, search, next.len())?;
            let position = args.guideline.position(args.board()?, args.piece, next)?;
            args.show_guideline(console, &asked, &position)
        }
    }
}

/// What a feature or term counts.
pub(crate) struct Explained {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) definition: &'static str,
    pub(crate) source: &'static str,
    pub(crate) parts: Vec<Part>,
}

impl Args {
    /// The board of `--picture` or `--board-file`, if there is one.
    fn board<B: FromStr<Err = Error>>(&self) -> anyhow::Result<Option<B>> {
        match (&self.picture, self.fumen.picture()?) {
            (Some(picture), _) => Ok(Some(picture.parse().context("the board of --picture")?)),
            (None, Some(picture)) => Ok(Some(picture.parse().context("the board of --fumen")?)),
            (None, None) => self.file.read(),
        }
    }

    fn classic(&self, console: &Console, rules: Rules) -> anyhow::Result<Outcome> {
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
        let ClassicOptions { tie, board: place } = &self.classic;
        let controller = tie.controller(self.controller.as_deref().unwrap_or(USUAL))?;
        let rules = place.rules(rules)?;
        if let (Some(place), Some(piece)) = (&self.place, self.piece) {
            let outcome = rules.play(&board, piece, place.candidate(&board, piece)?);
            return self.show_place(console, &controller, &board, &outcome);
        }
        let mut player = Player::new(&controller, rules, search, board.size(), Level::detect())?;
        let ranked = self.piece.map(|piece| player.rank_best_first(&board, piece, next));
        match self.format {
            Format::Text => {
                console.print(&text(&board, &controller, &player, ranked.as_deref()))?
            }
            Format::Json => {
                console.print_json(&as_json(&board, &controller, &player, ranked.as_deref()))?;
            }
        }
        let still = || picture_of(&board, &controller, &player, ranked.unwrap_or_default());
        self.file_of_picture.write(still)?;
        Ok(Outcome::Done)
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
        asked: &AskedPlacement,
        position: &Position,
    ) -> anyhow::Result<Outcome> {
        match (&self.place, self.piece) {
            _ if !self.explain.is_empty() => {
                let parts = asked.explained(position, &self.explain)?;
                print_explained(console, self.format, &position.board(), &parts)?;
            }
            (Some(place), Some(piece)) => {
                let Place { orientation, column, row } = place;
                asked.show_place(
                    console,
                    position,
                    piece,
                    (orientation, *column, *row),
                    self.format,
                )?;
            }
            _ => {
                let ranked = asked.show(console, position, self.format)?;
                let still = || asked.still(position, &ranked.unwrap_or_default());
                self.file_of_picture.write(still)?;
            }
        }
        Ok(Outcome::Done)
    }

    /// One placement, with every feature there is.
    fn show_place(
        &self,
        console: &Console,
        controller: &Controller,
        board: &Board,
        outcome: &Placed,
    ) -> anyhow::Result<Outcome> {
        let measured = outcome.board(controller.measured);
        let size = measured.size();
        let scorer = Scorer::new(controller, size)?;
        let score = scorer.score(board.stack_height(), measured, &outcome.played);
        let score = score.total as f64 / scorer.scale();
        let value = |feature: Feature| {
            let raw = feature.raw(measured, Some(&outcome.played)).unwrap_or(0);
            (feature, feature.in_units(raw, size.width()))
        };
        let values: Vec<(Feature, f64)> = Feature::all(size).map(value).collect();
        match self.format {
            Format::Text => {
                let mut text = format!("{measured}\n");
                for (feature, value) in &values {
                    let _ = writeln!(text, "{:28} {value}", feature.to_string());
                }
                let _ = writeln!(text, "\nscore by {}: {score}", controller.name);
                console.print(&text)?;
            }
            Format::Json => {
                let features: Map<String, Json> =
                    values.iter().map(|(f, value)| (f.to_string(), (*value).into())).collect();
                let rows: Vec<String> = measured.to_string().lines().map(str::to_owned).collect();
                console.print_json(&json!({
                    "board": rows, "features": features, "lines": outcome.played.lines,
                    "loses": outcome.lost, "controller": controller.name, "score": score,
                }))?;
            }
        }
        Ok(Outcome::Done)
    }

    fn explain(&self, console: &Console, board: &Board) -> anyhow::Result<Outcome> {
        let mut explained = Vec::new();
        for name in &self.explain {
            let feature: Feature = name.trim().parse()?;
            anyhow::ensure!(
                feature.exists_on(board.size()),
                "a board of {} has no {feature}: leave it out",
                board.size()
            );
            let parts = feature.parts(board).with_context(|| {
                format!("{feature} is of a move, not of a board: see it with --piece")
            })?;
            let entry = feature.definition();
            let raw = feature.raw(board, None).unwrap_or(0);
            let value = feature.in_units(raw, board.width());
            let (definition, source) = (entry.definition, entry.source);
            explained.push(Explained {
                name: feature.to_string(),
                value,
                definition,
                source,
                parts,
            });
        }
        print_explained(console, self.format, board, &explained)?;
        Ok(Outcome::Done)
    }

    /// The board of classic games.
    fn start(&self) -> anyhow::Result<Board> {
        let start = self.board()?;
        let size = self.classic.board.size(start.as_ref())?;
        let board = start.unwrap_or_else(|| Board::empty(size));
        anyhow::ensure!(
            board.size() == size,
            "the picture is {} but --board is {size}: leave --board out",
            board.size()
        );
        Ok(board)
    }
}

/// Prints what features or terms count on a board.
fn print_explained(
    console: &Console,
    format: Format,
    board: &Board,
    explained: &[Explained],
) -> anyhow::Result<()> {
    match format {
        Format::Text => {
            let mut text = String::new();
            for Explained { name, value, definition, parts, .. } in explained {
                let _ = writeln!(text, "{name} {value}: {definition}\n");
                let _ = writeln!(text, "{}", picture(board, parts));
            }
            Ok(console.print(&text)?)
        }
        Format::Json => {
            let entry = |entry: &Explained| {
                let Explained { name, value, definition, source, parts } = entry;
                json!({
                    "feature": name, "value": value, "definition": definition, "source": source,
                    "parts": parts,
                })
            };
            console.print_json(&Json::from(explained.iter().map(entry).collect::<Vec<_>>()))
        }
    }
}

/// The picture of a board with the best two placements.
fn picture_of(
    board: &Board,
    controller: &Controller,
    player: &Player,
    ranked: Vec<Ranked>,
) -> Still {
    let rated = |entry: &Ranked| {
        let played = &entry.outcome.played;
        let Candidate { placement: Placement { orientation, column }, row } = played.candidate;
        Rated {
            place: format!("orientation {orientation}, column {column}, row {row}"),
            cells: cells_of(played.candidate, played.piece),
            lines: played.lines,
            score: entry.value.score(player.scorer().scale()),
            lost: entry.outcome.lost,
        }
    };
    let rated: Vec<Rated> = ranked.iter().take(2).map(rated).collect();
    let piece = ranked.first().map(|entry| entry.outcome.played.piece);
    let title = match piece {
        Some(piece) => format!("{piece} by {}", controller.name),
        None => format!("a board of {}", board.size()),
    };
    let is_settled = |column, row| board.is_filled(column, row);
    Still::ranked(title, (board.width(), board.height()), is_settled, piece, &rated)
}

fn text(
    board: &Board,
    controller: &Controller,
    player: &Player,
    ranked: Option<&[Ranked]>,
) -> String {
    let mut text = format!("{board}\n");
    for (feature, value) in board_values(board) {
        let _ = writeln!(text, "{:28} {value}", feature.to_string());
    }
    if let (None, Some(score)) = (ranked, board_score(board, controller)) {
        let _ = writeln!(text, "\nscore of this board by {}: {score}", controller.name);
    }
    if let Some(ranked) = ranked {
        let _ = writeln!(text, "\n{} placements by {}, best first:", ranked.len(), controller.name);
        text.push_str(&placements_table(controller, player, ranked));
    }
    text
}

/// What a controller gives for a board alone, if none of its features is of a move.
fn board_score(board: &Board, controller: &Controller) -> Option<f64> {
    let term = |&(feature, weight): &(Feature, f64)| {
        Some(weight * feature.in_units(feature.raw(board, None)?, board.width()))
    };
    controller.weights_at(board.stack_height()).iter().map(term).sum()
}

/// Features that need no placement, in whole units.
fn board_values(board: &Board) -> impl Iterator<Item = (Feature, f64)> {
    Feature::all(board.size()).filter_map(move |feature| {
        feature.raw(board, None).map(|raw| (feature, feature.in_units(raw, board.width())))
    })
}

fn placement_values(controller: &Controller, player: &Player, entry: &Ranked) -> Vec<f64> {
    let measured = player.measured_board(&entry.outcome);
    let value = |&(feature, _): &(Feature, f64)| {
        let raw = feature.raw(measured, Some(&entry.outcome.played)).unwrap_or(0);
        feature.in_units(raw, measured.width())
    };
    controller.weights.iter().map(value).collect()
}

fn placements_table(controller: &Controller, player: &Player, ranked: &[Ranked]) -> String {
    let names: Vec<String> = controller.weights.iter().map(|(f, _)| f.to_string()).collect();
    let mut table = format!(
        "{:>11} {:>6} {:>3} {:>5} {:>14}",
        "orientation", "column", "row", "lines", "score"
    );
    for name in &names {
        let _ = write!(table, " {name}");
    }
    table.push('\n');
    for entry in ranked {
        let played = &entry.outcome.played;
        let score = match entry.value.score(player.scorer().scale()) {
            _ if entry.outcome.lost => "loses".to_owned(),
            Some(score) => format!("{score:.6}"),
            None => "no answer".to_owned(),
        };
        let placement = played.candidate.placement;
        let _ = write!(
            table,
            "{:>11} {:>6} {:>3} {:>5} {score:>14}",
            placement.orientation, placement.column, played.candidate.row, played.lines
        );
        for (name, value) in names.iter().zip(placement_values(controller, player, entry)) {
            let _ = write!(table, " {value:>width$}", width = name.len());
        }
        table.push('\n');
    }
    table
}

fn as_json(
    board: &Board,
    controller: &Controller,
    player: &Player,
    ranked: Option<&[Ranked]>,
) -> Json {
    let features: Map<String, Json> =
        board_values(board).map(|(feature, value)| (feature.to_string(), value.into())).collect();
    let rows: Vec<String> = board.to_string().lines().map(str::to_owned).collect();
    let placements = ranked.map(|ranked| {
        let entry = |entry: &Ranked| {
            let played = &entry.outcome.played;
            let names = controller.weights.iter().map(|(feature, _)| feature.to_string());
            let values = placement_values(controller, player, entry).into_iter().map(Json::from);
            json!({
                "orientation": played.candidate.placement.orientation,
                "column": played.candidate.placement.column,
                "landing_row": played.candidate.row,
                "lines": played.lines,
                "loses": entry.outcome.lost,
                "unanswered": (!entry.outcome.lost).then_some(entry.value.unanswered),
                "score": entry.value.score(player.scorer().scale()),
                "features": names.zip(values).collect::<Map<String, Json>>(),
            })
        };
        ranked.iter().map(entry).collect::<Vec<_>>()
    });
    json!({ "board": rows, "features": features, "controller": controller.name, "score": board_score(board, controller), "placements": placements })
}
