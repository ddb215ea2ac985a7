//! Runs `tetrastat annotate`: scores the placements in a table of any origin.

use std::sync::atomic::Ordering;

use crate::cli::command_line::join_paragraphs;
use crate::cli::options::guideline::{BeamOptions, GoalOptions, TurnOptions};
use crate::cli::options::runs::AnyRun;
use crate::cli::options::{AnySearch, CLASSIC, DEFAULT_CONTROLLER, GUIDELINE, ThreadOption};
use crate::cli::prelude::*;
use crate::files;
use crate::pictures::fumen::{self, Field as FumenField};
use crate::record::{
    Column, Columns, Field, OutputFile, Rows, TableFile, columns, exists, rows_of,
};
use crate::rules::guideline::{Landing, RotationState};
use crate::sim::guideline::PERSON;
use crate::sim::{
    Annotated, AnnotatedGame, Annotation, ClassicAnnotation, GuidelineAnnotation, Problem,
};
use crate::text::numbers::{counted, thousands};
use crate::threads::catch_panic;

const HELP: &str = "\
A table (csv, csv.gz, csv.zst, parquet) needs the columns `board_before`, `piece`, `orientation` \
and `column`, numbered as in logs. A board is written as in logs (rows from the floor in \
hexadecimal, joined by `:`), or as a picture of `.` and `#`, top row first, rows joined by `/`. \
`landing_row` and `next_1` are optional. A picture may leave out empty rows at the top. A file of \
fumens (txt, fumen) has fumens or links of version 110 or 115, several in a line if needed, and \
each page with a piece becomes a row. Lines that begin with `#` are comments.

    tetrastat annotate human.csv --out annotated.parquet
    tetrastat annotate games.txt --controller dt20 --out annotated.csv
    tetrastat annotate my-run/placements.csv --controller lee --out lee.csv

Under `--rules guideline`, `capstone` or those of a file, a table also needs `landing_row`, or \
`cells` instead of the orientation, the column and the row. Hold, previews, back-to-back and combo \
are read as in logs. A table with the column `playfield` has the columns of Tetr.io Top Players \
Replays (Kaggle), whose pieces turn by `--kicks srs+ --half-turns`:

    tetrastat annotate data.csv --rules guideline --out scored.parquet

The output has the rows and columns of the input, then `problem`, then the computed columns. If \
the input has a column with the name of a computed one, it is renamed: `score` becomes \
`score_input`. Rows that the rules do not allow have no computed values; `problem` has the reason.";

/// Score the placements in a table or in fumens
#[derive(Debug, clap::Args)]
#[command(after_long_help = join_paragraphs(HELP))]
pub(crate) struct Args {
    /// Table of boards, pieces and placements, or file of fumens
    from: PathBuf,

    /// Table to write. Its extension sets the format: csv, csv.gz, csv.zst or parquet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Controller: a preset or TOML file [default: the run's, for the log of a run; otherwise bcts,
    /// or in guideline games tetrastat-blitz-greedy, with a beam tetrastat-blitz]
    #[arg(long, value_name = "NAME|FILE")]
    controller: Option<String>,

    /// Rules: simplified or standard; or guideline, another preset of guideline games, or a TOML
    /// file with your own [default: the run's; otherwise simplified]
    #[arg(long)]
    rules: Option<AnyRules>,

    /// Look-ahead: greedy; in classic games also next (needs the column next_1) or expect; in
    /// guideline games also beam (searches over the previews) [default: the run's; otherwise
    /// greedy]
    #[arg(long)]
    search: Option<AnySearch>,

    /// Board width 4-16 and height 4-28. Pictures may leave out empty rows at the top [default: the
    /// run's; otherwise 10x20, or the size of a first picture that has not ten columns]
    #[arg(long, value_name = "WxH", help_heading = CLASSIC.heading)]
    board: Option<BoardSize>,

    /// Columns to compute: `minimal`, `controller` (all except features that the controller does
    /// not use), `all` (every feature), or names joined by commas
    #[arg(long, default_value = "controller", value_name = "SET|NAMES")]
    columns: Columns,

    #[command(flatten)]
    threads: ThreadOption,

    /// Replace an existing table
    #[arg(long)]
    force: bool,

    // The heading applies to all options that follow.
    #[command(flatten, next_help_heading = GUIDELINE.heading)]
    turns: TurnOptions,

    #[command(flatten, next_help_heading = GUIDELINE.heading)]
    beam: BeamOptions,
}

#[derive(Clone, Copy)]
enum Source {
    Table,
    Fumens,
}

pub(crate) fn run(console: &Console, given: ParsedArgs<Args>) -> anyhow::Result<Outcome> {
    let ParsedArgs { options: args, settings, .. } = given;
    let source = args.source()?;
    let beside = args.from.with_file_name("run.json");
    let folder = beside.parent().filter(|folder| *folder != Path::new(""));
    let read = |_| AnyRun::read(folder.unwrap_or(Path::new(".")));
    let run = exists(&beside)?.then_some(()).map(read).transpose()?;
    let of_run = match &run {
        Some(AnyRun::Guideline(run)) => AnyRules::Guideline(run.rules.clone()),
        Some(AnyRun::Liap(_)) => AnyRules::Liap(()),
        Some(AnyRun::Classic(run)) => AnyRules::Classic(run.rules),
        None => AnyRules::Classic(Rules::simplified()),
    };
    let rules = args.rules.clone().unwrap_or(of_run);
    rules.games().refuse_foreign::<Args>(&settings)?;
    match rules.falling("annotate")? {
        ByGame::Classic(rules) => {
            let run = if let Some(AnyRun::Classic(run)) = run { Some(run) } else { None };
            let game = args.classic(source, rules, run)?;
            args.annotate(console, source, fumen_fields(false), game)
        }
        ByGame::Guideline(rules) => {
            let run = if let Some(AnyRun::Guideline(run)) = run { Some(run) } else { None };
            let game = GuidelineAnnotation::new(args.guideline(&rules, run)?);
            args.annotate(console, source, fumen_fields(true), game)
        }
    }
}

impl Args {
    fn annotate<G: AnnotatedGame>(
        &self,
        console: &Console,
        source: Source,
        fields: Vec<Field<PagePlacement>>,
        game: G,
    ) -> anyhow::Result<Outcome> {
        let annotation =
            Annotation { game, columns: self.columns.clone(), threads: self.threads.count() };
        let format = LogFormat::of_file(&self.out.to_string_lossy())?;
        let out = OutputFile::create(&self.out, self.force)?;
        let stop = console.stop_flags("interrupted: nothing is written")?.stop;
        let (from, to) = (self.from.as_path(), (out.path(), format));
        let mut skipped = Vec::new();
        let write = || match source {
            Source::Table => {
                let table = TableFile::untyped(from, G::columns);
                annotation.write(from, |take| table.read(take), to, &stop)
            }
            Source::Fumens => {
                let read = |take: TakeRows| read_fumens(from, &fields, take, &mut skipped);
                annotation.write(from, read, to, &stop)
            }
        };
        let written = catch_panic(write).and_then(|written| written);
        if stop.load(Ordering::Relaxed) {
            return Ok(Outcome::Interrupted);
        }
        let Annotated { file, played, problems, notes } = written?;
        let rows = thousands(file.rows);
        let line = format!("{rows} rows by {played}: {}\n", self.out.display());
        console.print_path_line(out.finish()?, &line)?;
        if let Some(skipped) = describe_skipped(&skipped) {
            console.eprint_line(&skipped);
        }
        let counts = Problem::NAMES.iter().zip(problems).filter(|(_, count)| *count > 0);
        let counts: Vec<String> =
            counts.map(|(name, count)| format!("{} {name}", thousands(count))).collect();
        if !counts.is_empty() {
            let all = thousands(problems.iter().sum());
            let counts = counts.join(", ");
            console.eprint_line(&format!("{all} of {rows} rows have no values: {counts}"));
        }
        notes.iter().for_each(|note| console.eprint_line(note));
        Ok(Outcome::Done)
    }

    fn source(&self) -> anyhow::Result<Source> {
        let name = self.from.to_string_lossy();
        let lower = name.to_ascii_lowercase();
        let ends_with = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
        if ends_with(&[".ttr", ".ttrm"]) {
            bail!(
                "{name} is a TETR.IO replay, which stores key presses and no placements: replay it \
                 with another program, and give its placements as a table or as fumens"
            );
        }
        if ends_with(&[".txt", ".fumen"]) {
            return Ok(Source::Fumens);
        }
        let known = LogFormat::NAMES.into_iter().chain(["txt", "fumen"]);
        match LogFormat::of_file(&name) {
            Ok(_) => Ok(Source::Table),
            Err(_) => Err(Error::unknown("ending of the input", &name, known).into()),
        }
    }

    fn classic(
        &self,
        source: Source,
        rules: Rules,
        run: Option<ClassicConfig>,
    ) -> anyhow::Result<ClassicAnnotation> {
        let size = self.board.or(run.as_ref().map(|run| run.size));
        if let (Source::Fumens, Some(size)) = (source, size) {
            ensure!(
                size.width() == fumen::WIDTH,
                "--board {size}: a fumen has {} columns; leave --board out, or give another height",
                fumen::WIDTH
            );
        }
        let of_run = run.as_ref().map_or(Search::Greedy, |run| run.search);
        Ok(ClassicAnnotation {
            search: self.search.map_or(Ok(of_run), AnySearch::classic)?,
            controller: match (&self.controller, run) {
                (Some(name), _) => Controller::load(name)?,
                (None, Some(run)) => run.controller,
                (None, None) => Controller::load(DEFAULT_CONTROLLER)?,
            },
            rules,
            size,
        })
    }

    fn guideline(
        &self,
        rules: &RuleSet,
        run: Option<GuidelineConfig>,
    ) -> anyhow::Result<GuidelineConfig> {
        let rules = rules.with(&self.turns.rules());
        let search = self.search.unwrap_or(AnySearch::Classic(Search::Greedy));
        let given = self.beam.beam(search.is_beam()?, &GoalOptions::ENDLESS, rules.previews)?;
        let load = |name: Option<&str>| GoalOptions::ENDLESS.controller(name, search);
        // A bot and a person have no weights.
        Ok(match run.filter(|run| run.bot.is_none() && run.controller.name != PERSON) {
            Some(run) => GuidelineConfig {
                controller: match &self.controller {
                    Some(name) => load(Some(name))?,
                    None => run.controller,
                },
                beam: if self.search.is_some() { given } else { run.beam },
                rules,
                ..run
            },
            None => {
                let controller = load(self.controller.as_deref())?;
                GuidelineConfig { beam: given, ..GuidelineConfig::new(controller, rules) }
            }
        })
    }
}

struct PagePlacement {
    line: u64,
    fumen: u64,
    page: u64,
    board: Board,
    piece: Piece,
    next: Option<Piece>,
    landing: Option<Landing>,
}

type TakeRows<'a> = &'a mut dyn FnMut(&[Column], Rows) -> Result<()>;

type SkippedLine = (u64, Error);

const SHOWN_LINES: usize = 5;

fn describe_skipped(skipped: &[SkippedLine]) -> Option<String> {
    let reasons = skipped.iter().take(SHOWN_LINES);
    let reasons: Vec<String> =
        reasons.map(|(line, reason)| format!("line {line}: {reason}")).collect();
    let more = match skipped.len().saturating_sub(SHOWN_LINES) {
        0 => String::new(),
        more => format!("; and {} more", thousands(more as u64)),
    };
    let count = counted(skipped.len() as u64, "line");
    (!skipped.is_empty()).then(|| format!("{count} skipped: {}{more}", reasons.join("; ")))
}

const ROWS_AT_ONCE: usize = 1 << 12;

/// Passes the placements of a fumen file to `take`, and adds invalid lines to `skipped`. Fails if
/// no line is valid.
fn read_fumens(
    path: &Path,
    fields: &[Field<PagePlacement>],
    take: TakeRows<'_>,
    skipped: &mut Vec<SkippedLine>,
) -> Result<()> {
    let columns = columns(fields);
    let (mut rows, mut is_any) = (Vec::new(), false);
    for (line, text) in (1..).zip(files::read_text(path, files::FUMENS)?.lines()) {
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        match line_placements(line, text) {
            Ok(placements) => {
                rows.extend(placements);
                is_any = true;
            }
            Err(reason) => skipped.push((line, reason)),
        }
        if rows.len() >= ROWS_AT_ONCE {
            take(&columns, rows_of(fields, &rows))?;
            rows.clear();
        }
    }
    if !is_any {
        let reason = describe_skipped(skipped)
            .unwrap_or_else(|| "write fumens of version 110 or 115 into its lines".to_owned());
        return Err(Error::Config(format!("{} has no fumen: {reason}", path.display())));
    }
    take(&columns, rows_of(fields, &rows))
}

fn line_placements(line: u64, text: &str) -> Result<Vec<PagePlacement>> {
    let fumens = fumen::split(text);
    if fumens.is_empty() {
        return page_placements(line, 1, text);
    }
    let mut placements = Vec::new();
    for (number, text) in (1..).zip(fumens) {
        placements.extend(page_placements(line, number, text)?);
    }
    Ok(placements)
}

fn page_placements(line: u64, fumen: u64, text: &str) -> Result<Vec<PagePlacement>> {
    let pages = fumen::decode(text)?;
    let mut placements = Vec::new();
    for (place, page) in pages.iter().enumerate() {
        let Some(operation) = &page.operation else { continue };
        // The next piece is known only if the game continues on the next page.
        let following = pages.get(place + 1).filter(|next| next.field == page.next_field());
        let piece = operation.piece;
        placements.push(PagePlacement {
            line,
            fumen,
            page: place as u64 + 1,
            board: board_of(&page.field)?,
            piece,
            next: following.and_then(|next| next.operation.as_ref()).map(|next| next.piece),
            landing: operation.landing(),
        });
    }
    Ok(placements)
}

fn board_of(field: &FumenField) -> Result<Board> {
    let cells = |row| {
        (0..fumen::WIDTH)
            .fold(0, |cells, column| cells | u16::from(field.is_filled(column, row)) << column)
    };
    let rows: Vec<u16> = (0..fumen::ROWS).map(cells).collect();
    Board::from_rows(BoardSize::new(fumen::WIDTH, fumen::ROWS)?, &rows)
}

fn orientation_field(is_guideline: bool) -> Field<PagePlacement> {
    let (name, meaning) = ("orientation", "orientation of the piece");
    if is_guideline {
        let state = |row: &PagePlacement| Some(row.landing?.state.index());
        return Field::factor(name, meaning, RotationState::NAMES, state);
    }
    Field::integer(name, "-", meaning, |row: &PagePlacement| {
        Some(row.landing?.candidate().placement.orientation)
    })
}

tetrastat_runs::table! {
    fn fumen_fields(is_guideline: bool) of row: PagePlacement {
        /// Number of the line with the fumen, from 1.
        line: count = row.line;
        /// Number of the page in its fumen, from 1.
        page: count = row.page;
        /// Board before the placement, in the format of the column `board`.
        board_before: written = |text| row.board.write_hex(text);
        /// Piece that was placed.
        piece: factor(Piece::ALL) = row.piece;
        /// Piece on the fumen's next page, if that page continues the game.
        next_1: factor(Piece::ALL) = row.next,
            missing "the next page shows another board, or no piece";
        ..[orientation_field(is_guideline).missing("the piece reaches beyond the field")];
        /// Column of the piece's leftmost cell, from 0.
        column: integer = row.landing.map(Landing::left_column),
            missing "the piece reaches beyond the field";
        /// Row of the piece's lowest cell, from 0 at the floor.
        landing_row: integer = row.landing.map(Landing::low),
            missing "the piece reaches beyond the field";
        /// Number of the fumen in its line, from 1.
        fumen: count = row.fumen;
    }
}
