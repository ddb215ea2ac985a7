//! Runs `tetrastat show board`: feature values of a board and the placements of a piece.

use std::str::FromStr;

use anyhow::Context;
use serde_json::{Value as Json, json};

use crate::cli::command_line::join_paragraphs;
use crate::cli::commands::show::guideline::{LandingRanker, Position, PositionOptions};
use crate::cli::options::pictures::{FumenBoard, SvgFile};
use crate::cli::options::{AnySearch, BoardFile, CLASSIC, ClassicOptions};
use crate::cli::prelude::*;
use crate::controller::Scorer;
use crate::features::{Contribution, Feature, picture};
use crate::kernels::Level;
use crate::matrix::Matrix;
use crate::pictures::Still;
use crate::placement::{Candidate, Placement};
use crate::queue::{Queue, QueueKind};
use crate::report::{Table, Value};
use crate::rules::guideline::RotationState;
use crate::search::{Player, RankedOrientation, RankedPlacement};

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
#[command(after_long_help = join_paragraphs(HELP))]
pub(crate) struct Args {
    /// `simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009),
    /// `capstone`, `jstris`, `botris`, `tetrio-1`, `tetrio-2`, `puyo-puyo-tetris`, or a TOML file
    #[arg(long, default_value = "simplified")]
    rules: AnyRules,

    /// Preset (see `tetrastat show controllers`) or TOML file [default: bcts; for guideline games
    /// tetrastat-sprint in a Sprint or cheese race, else tetrastat-blitz-greedy, with a beam
    /// tetrastat-blitz]
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

    /// Mark the cells that these features (in guideline games: terms) count, with the contribution
    /// of each cell, row or column
    #[arg(long, value_name = "FEATURES", value_delimiter = ',', conflicts_with = "piece")]
    explain: Vec<String>,

    #[command(flatten)]
    file_of_picture: SvgFile,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,

    #[command(flatten, next_help_heading = CLASSIC.heading)]
    classic: ClassicOptions,

    #[command(flatten)]
    guideline: PositionOptions,
}

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

#[derive(Clone, Debug)]
struct Place {
    /// Number of the piece's orientation, or letter of its rotation state: 0, R, 2 or L.
    orientation: String,
    column: u8,
    row: u8,
}

const PLACE_ERROR: &str = "give orientation, column and row, for example 2,0,2";

impl FromStr for Place {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Place, &'static str> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let [orientation, column, row] = parts[..] else { return Err(PLACE_ERROR) };
        let number = |text: &str| text.parse().map_err(|_| PLACE_ERROR);
        let orientation = orientation.to_ascii_uppercase();
        let is_state = RotationState::ALL.iter().any(|state| state.name() == orientation);
        if !is_state {
            number(&orientation)?;
        }
        Ok(Place { column: number(column)?, row: number(row)?, orientation })
    }
}

impl Place {
    /// Returns the placement of `piece` at the user's column and row, even over filled cells. Fails
    /// if the placement is not inside the board.
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

pub(crate) fn run(given: ParsedArgs<Args>) -> anyhow::Result<Printout> {
    let ParsedArgs { options: args, settings, .. } = given;
    args.rules.games().refuse_foreign::<Args>(&settings)?;
    let report = match args.rules.falling("show board")? {
        ByGame::Classic(rules) => args.classic(rules)?,
        ByGame::Guideline(rules) => {
            let next: &[Piece] = args.next.as_ref().map_or(&[], |Letters(pieces)| pieces);
            let (controller, search) = (args.controller.as_deref(), args.search);
            let ranker = args.guideline.ranker(&rules, controller, search, next.len())?;
            let matrix = args.pictured(str::parse::<Matrix>, || args.file.matrix())?;
            args.check_full_rows(matrix.is_some_and(|matrix| matrix.clear().1 > 0))?;
            let position = args.guideline.position(matrix, args.piece, next)?;
            args.show_guideline(&ranker, &position)?
        }
    };
    Ok(Printout::new(report, args.format))
}

/// Feature of a board (term in guideline games): value, definition, and the cells it counts.
pub(crate) struct Explained {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) definition: &'static str,
    pub(crate) source: &'static str,
    pub(crate) parts: Vec<Contribution>,
}

impl Args {
    fn pictured<B>(
        &self,
        parse: impl FnOnce(&str) -> Result<B, Error>,
        file: impl FnOnce() -> anyhow::Result<Option<B>>,
    ) -> anyhow::Result<Option<B>> {
        match (&self.picture, self.fumen.picture()?) {
            (Some(picture), _) => Ok(Some(parse(picture).context("the board of --picture")?)),
            (None, Some(picture)) => Ok(Some(parse(&picture).context("the board of --fumen")?)),
            (None, None) => file(),
        }
    }

    /// Returns an error if placements are listed on a board with full rows; games remove these.
    fn check_full_rows(&self, has_full_rows: bool) -> anyhow::Result<()> {
        anyhow::ensure!(
            self.piece.is_none() || self.place.is_some() || !has_full_rows,
            "the board has full rows, which a game would have removed: remove them, or leave out \
             --piece"
        );
        Ok(())
    }

    fn classic(&self, rules: Rules) -> anyhow::Result<Report> {
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
            return self.explain(&board);
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
            let mut report = report_of_board(measured);
            for feature in Feature::all(measured.size()) {
                let raw = feature.raw(measured, Some(&outcome.played)).unwrap_or(0);
                let value = feature.in_units(raw, measured.width());
                add_value(&mut report, "features", &feature.to_string(), value);
            }
            report.data("lines", outcome.played.lines);
            report.data("loses", outcome.lost);
            add_score(&mut report, &controller.name, Some(score.total as f64 / scorer.scale()));
            return Ok(report);
        }
        let mut player = Player::new(&controller, rules, search, board.size(), Level::detect())?;
        let ranked = self.piece.map(|piece| ranked(&mut player, &board, piece, next));
        player.check_external()?;
        let position = RankedPosition { board: &board, controller: &controller, player: &player };
        self.file_of_picture.write(|| position.still(ranked.as_deref().unwrap_or_default()))?;
        Ok(position.report(ranked.as_deref()))
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
        ranker: &LandingRanker,
        position: &Position,
    ) -> anyhow::Result<Report> {
        match (&self.place, self.piece) {
            _ if !self.explain.is_empty() => {
                let parts = ranker.explained(position, &self.explain)?;
                Ok(report_of_parts(&position.board(), &parts))
            }
            (Some(Place { orientation, column, row }), Some(piece)) => {
                ranker.report_of_place(position, piece, (&**orientation, *column, *row))
            }
            _ => {
                let ranked = self.piece.map(|_| ranker.ranked(position));
                let still = || ranker.still(position, ranked.as_deref().unwrap_or_default());
                self.file_of_picture.write(still)?;
                Ok(ranker.report(position, ranked.as_deref()))
            }
        }
    }

    fn explain(&self, board: &Board) -> anyhow::Result<Report> {
        let explained = |name: &String| {
            let feature: Feature = name.trim().parse()?;
            anyhow::ensure!(
                feature.exists_on(board.size()),
                "a board of {} has no {feature}: leave it out",
                board.size()
            );
            let parts = feature.contributions(board).with_context(|| {
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
        Ok(report_of_parts(board, &explained))
    }

    fn start(&self) -> anyhow::Result<Board> {
        let size = self.classic.board.board;
        let parse = |picture: &str| Board::from_picture(picture, size);
        let board = self.pictured(parse, || self.file.board(size))?;
        let size = self.classic.board.size(board.as_ref())?;
        let board = board.unwrap_or_else(|| Board::empty(size));
        self.check_full_rows(board.full_rows() != 0)?;
        Ok(board)
    }
}

fn report_of_parts(board: &Board, explained: &[Explained]) -> Report {
    let mut report = Report::default();
    for Explained { name, value, definition, parts, .. } in explained {
        report.text(format!("{name} {value}: {definition}\n\n{}\n", picture(board, parts)));
    }
    report.table(
        TableOf::new("features", explained)
            .data("feature", |one| &one.name)
            .data("value", |one| one.value)
            .data("definition", |one| one.definition)
            .data("source", |one| one.source)
            .data("parts", |one| Value::json(&one.parts)),
    );
    report
}

pub(crate) fn report_of_board(board: impl ToString) -> Report {
    let mut report = Report::default();
    report.text(format!("{}\n", board.to_string()));
    report.data("board", Value::json(rows_of(board)));
    report
}

pub(crate) fn add_value(report: &mut Report, kind: &str, name: &str, value: impl Into<Value>) {
    report.fact((format!("{kind}.{name}"), name), value);
}

pub(crate) fn add_score(report: &mut Report, controller: &str, score: Option<f64>) {
    report.data("controller", controller);
    match score {
        Some(score) => {
            report.text("\n");
            report.fact(("score", format!("score by {controller}")), score);
        }
        None => report.data("score", score),
    }
}

pub(crate) fn rows_of(board: impl ToString) -> Vec<String> {
    board.to_string().lines().map(str::to_owned).collect()
}

/// Returns a table of a piece's placements, with a column for each of `names` in the group `kind`.
///
/// `alone` is the heading of scores without look-ahead; `after` returns the resulting state.
pub(crate) fn table_of_placements(
    title: String,
    (kind, names): (&str, &[String]),
    rows: &[RankedPlacement],
    alone: &str,
    after: Option<&dyn Fn(&RankedPlacement) -> Json>,
) -> Table {
    let is_landing = rows.iter().any(|row| row.landing.is_some());
    let orientation = |row: &RankedPlacement| match row.orientation {
        RankedOrientation::Number(number) => number.into(),
        RankedOrientation::State(state) => Value::text(state),
    };
    let score = move |row: &RankedPlacement| {
        let text = match row.score {
            _ if row.lost => "loses".to_owned(),
            Some(score) => format!("{score:.6}"),
            None if is_landing => "no line kept".to_owned(),
            None => "no answer".to_owned(),
        };
        Value::new(row.score, text)
    };
    let own = |row: &RankedPlacement| {
        Value::real(row.landing.map(|landing| landing.own_score), |score| format!("{score:.6}"))
    };
    let mut table = TableOf::new("placements", rows)
        .title(title)
        .with_if(is_landing, "piece", |row| row.piece.name())
        .with_if(is_landing, ("used_hold", "hold"), |row| row.landing.map(|it| it.used_hold))
        .with("orientation", orientation)
        .with("column", |row| row.column)
        .with(("landing_row", "row"), |row| row.row)
        .with_if(is_landing, ("t_spin", "spin"), |row| row.landing.map(|it| it.spin.name()))
        .with("lines", |row| row.lines)
        .data("loses", |row| row.lost)
        .with("score", score)
        .with_if(!is_landing, ("unanswered", ""), |row| row.unanswered)
        .with_if(is_landing, ("own_score", alone), own);
    for (index, name) in names.iter().enumerate() {
        // Terms of guideline games are whole numbers.
        table = table.with(format!("{kind}.{name}"), move |row| match row.values[index] {
            value if is_landing => Value::from(value as i32),
            value => value.into(),
        });
    }
    match after {
        Some(after) => table.with(("after", ""), move |row| Value::new(after(row), "")).into(),
        None => table.into(),
    }
}

fn ranked(
    player: &mut Player,
    board: &Board,
    piece: Piece,
    next: Option<Piece>,
) -> Vec<RankedPlacement> {
    let ranked = player.rank_best_first(board, piece, next);
    let stack = board.stack_height();
    ranked.iter().map(|entry| RankedPlacement::from_classic(player, stack, entry)).collect()
}

struct RankedPosition<'a> {
    board: &'a Board,
    controller: &'a Controller,
    player: &'a Player,
}

impl RankedPosition<'_> {
    fn still(&self, ranked: &[RankedPlacement]) -> Still {
        let title = match ranked.first() {
            Some(best) => format!("{} by {}", best.piece, self.controller.name),
            None => format!("a board of {}", self.board.size()),
        };
        let is_settled = |column, row| self.board.is_filled(column, row);
        let size = (self.board.width(), self.board.height());
        Still::from_ranking(title, size, is_settled, ranked)
    }

    fn report(&self, ranked: Option<&[RankedPlacement]>) -> Report {
        let name = &self.controller.name;
        let mut report = report_of_board(self.board);
        for (name, value) in self.board_values() {
            add_value(&mut report, "features", &name, value);
        }
        let Some(ranked) = ranked else {
            add_score(&mut report, name, self.board_score());
            return report;
        };
        report.data("controller", &**name);
        report.data("score", self.board_score());
        let title = format!("{} placements by {name}, best first:", ranked.len());
        let names = self.controller.term_names();
        report.table(table_of_placements(title, ("features", &names), ranked, "", None));
        report
    }

    /// Returns the controller's score of the board, or `None` if a feature needs a placement or an
    /// external program decides.
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

    fn board_values(&self) -> Vec<(String, f64)> {
        let value = |feature: Feature| {
            let raw = feature.raw(self.board, None)?;
            Some((feature.to_string(), feature.in_units(raw, self.board.width())))
        };
        Feature::all(self.board.size()).filter_map(value).collect()
    }
}

/// Returns boards with the scores of all placements, against which other programs can test.
pub(crate) fn examples(controller: &Controller, size: BoardSize) -> Result<Json, Error> {
    let (rules, level) = (Rules::simplified(), Level::detect());
    let mut player = Player::new(controller, rules, Search::Greedy, size, level)?;
    let (mut board, mut queue) = (Board::empty(size), Queue::new(QueueKind::Uniform, 1, 0));
    let (names, mut examples) = (controller.term_names(), Vec::new());
    for number in 1..=30 {
        let piece = queue.deal()?;
        if number % 10 == 0 {
            let ranked = ranked(&mut player, &board, piece, None);
            let after = |entry: &RankedPlacement| rows_of(entry.after).into();
            let terms = ("features", &*names);
            let placements = table_of_placements(String::new(), terms, &ranked, "", Some(&after));
            let (board, piece) = (rows_of(board), piece.to_string());
            examples.push(
                json!({ "board": board, "piece": piece, "placements": placements.to_json() }),
            );
        }
        if player.step(&mut board, piece, None).is_none_or(|step| step.lost) {
            break;
        }
    }
    Ok(examples.into())
}
