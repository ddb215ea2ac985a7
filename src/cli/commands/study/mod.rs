//! Runs `tetrastat study`: plays a table of conditions over common seeds.

use std::fs;
use std::io::{IsTerminal, stderr};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;

use crate::cli::command_line::join_paragraphs;
use crate::cli::commands::simulate::note_on_equal_games;
use crate::cli::commands::study::estimates::Estimates;
use crate::cli::commands::view::{View, with_view};
use crate::cli::console::minutes;
use crate::cli::console::progress::{ProgressStatus, run_status};
use crate::cli::options::{for_game, study_file};
use crate::cli::prelude::*;
use crate::engine::Comparable;
use crate::files;
use crate::record::{
    ConditionResults, ConditionRow, Progress, PublishedComparison, PublishedScore, ReproducedRow,
    Statistic, shell_path, write_output, write_reproduced,
};
use crate::report::{Table, Value};
use crate::study::{Condition, Published, Study, published_study, reproduced};
use crate::text::numbers::{number, number_up_to, or_na, thousands, whole};
use crate::text::parse::count;

mod estimates;

const HELP: &str = r#"The file is TOML. Its keys are the options of simulate, with _ for -, and
hold for all conditions; a list under a plural name (controllers, rules, modes, boards, garbage,
queues, searches, policies, players, seeds) is an axis. The conditions are every combination of the
axes, in this order; the last axis varies fastest. The [[condition]] tables add single conditions
with settings of their own. Paths are relative to the file:

    controllers = ["bcts", "dt20", "mine.toml"]  # beside this file
    boards = ["10x10", "10x20"]
    seed = 7
    games = 1000
    max_pieces = "none"
    placements = "none"

    [[condition]]
    controller = "dellacherie"
    board = "10x20"
    rules = "standard"

published = { value = 660000, source = "Fahey 2003" } in a condition states a published result, and
[[condition.published]] tables several. Further keys are games (of the published mean), low and high
(an interval, or a range in place of value), place, kind (measured, rerun, quoted, projected), note
and statistic (mean, median). reproduced.csv lists each condition beside its published results,
under the condition's name and table. A ratio is found / published. Its 95 % interval assumes
exponential lifetimes, and a published mean of as many games as stated. For guideline games, the
mean's interval is a bootstrap-t, the median's uses order statistics, and the published number is
taken as exact. One true ratio in twenty lies outside. `agrees`: the interval contains 1. `open`:
too few games ended to decide. `reproduce:NAME` in place of FILE plays published results: 10x10,
generators, original, ladder, lee, 10x20; for guideline games sprint (pieces) and blitz (points).

method = "estimate" estimates the mean of a condition as `tetrastat estimate` does, for games that
are too long to play. method = "auto" plays ten trial games and does so if max_pieces or max_lines
cuts off at least one of them. The settings importance, budget, until_halfwidth, pieces, burn_in and
pilot_pieces belong to the estimates, games and limits to the games. estimates.csv has one row for
each estimate, means.csv one for each condition. `compare --from DIR --contrast search:board`
compares both kinds.

Under rules = "liap" controllers are declarers ("v1", or "v1,v2,v2,v1" for each seat) and games are
matches.

Under the same seed, game i is dealt the same pieces in every condition with the same queue. The
same command resumes an interrupted study, and the output is byte-identical."#;

#[derive(Debug, clap::Args)]
pub(crate) struct ConditionOptions {
    /// Output folder: a new one, or one begun with the same TOML file, which is resumed
    #[arg(long, value_name = "DIR", required_unless_present = "dry_run")]
    out: Option<PathBuf>,

    /// Worker threads; replaces the value of the file
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Play only this condition, numbered from 1, for example as a job of its own. The same command
    /// without this option collects the conditions
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    condition: Option<u64>,

    /// List the conditions and play nothing
    #[arg(long)]
    dry_run: bool,

    /// Start the bots (`tbp:COMMAND`) that the file names. Their commands may do anything that you
    /// may do
    #[arg(long)]
    pub(crate) allow_bot: bool,
}

impl ConditionOptions {
    pub(crate) fn only(&self, conditions: usize) -> anyhow::Result<Option<usize>> {
        self.condition.map(|number| condition_index(number, conditions)).transpose()
    }

    pub(crate) fn folder(self) -> Option<PathBuf> {
        self.out.filter(|_| !self.dry_run)
    }
}

/// Play a study: games under several conditions, with common seeds
#[derive(Debug, clap::Args)]
#[command(after_long_help = join_paragraphs(HELP))]
pub(crate) struct Args {
    /// TOML file of the study (example in --help); `-` reads it from standard input.
    /// `reproduce:NAME` plays a bundled study of published results
    #[arg(required = true)]
    file: Option<PathBuf>,

    /// Create this folder with a study file and an R report, and play nothing
    #[arg(long, value_name = "DIR", exclusive = true)]
    new: Option<PathBuf>,

    #[command(flatten)]
    conditions: ConditionOptions,

    /// Replace each setting NAME of the file by its setting quick_NAME, for fewer and shorter games
    #[arg(long)]
    quick: bool,

    /// Stop after this many minutes of wall-clock time and collect the conditions that are complete
    /// by then. The same command resumes
    #[arg(long, value_name = "MINUTES", value_parser = minutes)]
    minutes: Option<Duration>,

    /// Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as
    /// `tetrastat view` does
    #[arg(long)]
    view: bool,

    /// Output format of the table of conditions
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        if let Some(folder) = &self.new {
            create_study(console, folder)?;
            return Ok(Outcome::Done);
        }
        let (file, text) = self.text(console)?;
        let name = || file.display().to_string();
        let ConditionOptions { threads, allow_bot, .. } = self.conditions;
        let study = study_file::read_study(file, &text, threads, allow_bot, self.quick)?;
        let is_estimated = Estimates::choose(&study).with_context(name)?;
        let published = study.published;
        let mut both = (1..).zip(is_estimated.iter().zip(&published));
        if let Some((number, _)) = both.find(|(_, (is, one))| **is && !one.scores.is_empty()) {
            bail!(
                "{}, condition {number}: published is compared with games: leave out method",
                name()
            );
        }
        let is_played: Vec<bool> = is_estimated.iter().map(|estimated| !estimated).collect();
        for_game!(study.runs, games => {
            let [played, estimated] = Condition::split(games, &is_played).with_context(name)?;
            let estimates = Estimates::new(&estimated, &study.methods).with_context(name)?;
            self.play(console, &text, played, estimates, &published)
        })
    }

    /// Returns path and text of the study file, from disk, standard input or the bundled files.
    fn text(&self, console: &Console) -> Result<(&Path, String), Error> {
        let file = self.file.as_deref().unwrap_or(Path::new("-"));
        if let Some(name) = file.to_str().and_then(|file| file.strip_prefix("reproduce:")) {
            return Ok((file, published_study(name)?.to_owned()));
        }
        if file != "-" {
            return Ok((file, files::read_text(file, files::STUDY)?));
        }
        let name = Path::new("standard input");
        Ok((name, console.input(name, files::STUDY)?))
    }

    fn play<G: Comparable>(
        self,
        console: &Console,
        text: &str,
        conditions: Vec<Condition<G>>,
        mut estimates: Estimates,
        published: &[Published],
    ) -> anyhow::Result<Outcome> {
        let all = conditions.len() + estimates.rows().len();
        let only = self.conditions.only(all)?.map(|index| index as u64 + 1);
        let Some(out) = self.conditions.folder() else {
            return list_with(console, &conditions, &estimates, self.format);
        };
        let view = self.view.then(|| View::beside(&out)).transpose()?;
        // From now on, Ctrl-C requests a stop instead of ending the program.
        let stop = console.stop_flag()?;
        let budget = TimeBudget::new(self.minutes);
        let mut study = Study::open(&out, text, conditions)?;
        estimates.open(study.folder())?;
        // An estimate may be the only condition to run, and then no games are played.
        let index = only.map(|number| {
            study.conditions().iter().position(|condition| condition.number == number)
        });
        let mut found = Vec::new();
        let played = with_view(console, view.as_ref(), || {
            let played = budget.spend(&stop, || {
                if index != Some(None) {
                    play(console, &mut study, index.flatten(), &stop)?;
                }
                estimates.run(console, study.folder(), only, &stop)
            });
            // Tables are also collected for an unfinished study, so that its results can be
            // inspected.
            played.and_then(|()| {
                if published.iter().any(|one| !one.scores.is_empty()) {
                    found = reproduced(&study, published)?;
                    write_reproduced(study.folder(), &found)?;
                }
                // The study's description holds the checksum of `reproduced.csv`.
                study.collect()?;
                estimates.write_means(&study)
            })
        });
        let complete = study.complete() + estimates.complete();
        let kept =
            format!("{complete} of {all} conditions are complete and kept in {}", out.display());
        if let Err(error) = played {
            bail!("{error}; {kept}");
        }
        let table = study.conditions().first().and_then(|one| one.game.result_table());
        let table = table.map(|table| table.file).unwrap_or_default();
        let report = report((study.rows(), &estimates, &found), (&out, &table));
        console.report(&report, self.format)?;
        if complete == all {
            let equals = |condition: &Condition<G>| {
                Some((
                    condition.game.about().fixed_queue?,
                    G::games(&condition.game.recorded_config()),
                ))
            };
            // The note is printed once, for the first condition with several equal games.
            let mut equals = study.conditions().iter().filter_map(equals);
            if let Some((queue, games)) = equals.find(|(_, games)| *games > 1) {
                console.eprint_line(&note_on_equal_games(&queue, games));
            }
            return Ok(Outcome::Done);
        }
        let played = study.rows().iter().map(|row| (row.condition, row.status));
        let estimated = estimates.rows().iter().map(|row| (row.condition, row.status));
        let complete = |one: (u64, Progress)| Some(one.0) == only && one.1 == Progress::Complete;
        if played.chain(estimated).any(complete) {
            return Ok(Outcome::Done);
        }
        if budget.is_over() {
            console.eprint_line(&format!(
                "the time of --minutes is over: {kept}; the same command resumes the study"
            ));
            return Ok(Outcome::Done);
        }
        console.eprint_line(&format!("interrupted: {kept}; the same command resumes the study"));
        Ok(Outcome::Interrupted)
    }
}

fn condition_index(number: u64, conditions: usize) -> anyhow::Result<usize> {
    let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
    ensure!(index < conditions, "--condition {number}: the study has conditions 1 to {conditions}");
    Ok(index)
}

/// Plays a study's incomplete conditions (settings), or only the one at the index `only`.
pub(crate) fn play<G: Comparable>(
    console: &Console,
    study: &mut Study<G>,
    only: Option<usize>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let progress = StudyProgress::new(study);
    let out = study.folder().path().to_owned();
    console.with_progress(
        Some(&out),
        || progress.status(),
        || play_all(console, study, &progress, only, stop),
    )
}

fn play_all<G: Comparable>(
    console: &Console,
    study: &mut Study<G>,
    progress: &StudyProgress<G>,
    only: Option<usize>,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let all = study.rows().len();
    for index in only.map_or(0..all, |index| index..index + 1) {
        if study.rows()[index].status == Progress::Complete {
            continue;
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        let totals = progress.begin(index);
        let folder = &progress.conditions[index].0.folder;
        let played = study.play(index, &totals, stop);
        let played = played.map_err(|error| anyhow!("{folder}: {error}"))?;
        progress.end(index);
        // A terminal gets a line for each condition; other outputs get a line every 30 seconds.
        if played.manifest.status == Status::Complete && stderr().is_terminal() {
            let (seconds, row) = (played.manifest.provenance.elapsed_s, &study.rows()[index]);
            console.eprint_line(&format!(
                "{}/{all} {folder}: {} in {seconds:.2} s",
                index + 1,
                describe(row)
            ));
        }
    }
    Ok(())
}

struct StudyProgress<G> {
    /// Conditions (settings) of the study, each with its amount of work for the progress report.
    conditions: Vec<(Condition<G>, f64)>,
    state: Mutex<State>,
}

struct State {
    done: f64,
    pieces: u64,
    /// Index of the condition (setting) in play, and counters of its games; `None` if no condition
    /// is in play.
    current: Option<(usize, Arc<Totals>)>,
}

impl<G: Comparable> StudyProgress<G> {
    fn new(study: &Study<G>) -> StudyProgress<G> {
        // Limits count only if all conditions have one. Otherwise a condition without a limit would
        // have nearly no weight beside one with a limit.
        let most_pieces = |game: &G| game.about().limits[0];
        let limited = study.conditions().iter().all(|one| most_pieces(&one.game).is_some());
        let weight = |game: &G| {
            G::games(&game.recorded_config()) as f64
                * most_pieces(game).filter(|_| limited).unwrap_or(1) as f64
        };
        let conditions: Vec<_> =
            study.conditions().iter().map(|one| (one.clone(), weight(&one.game))).collect();
        let rows = study.rows().iter().zip(&conditions);
        let complete = rows.filter(|(row, _)| row.status == Progress::Complete);
        let done = complete.map(|(_, (_, weight))| weight).sum();
        StudyProgress { conditions, state: Mutex::new(State { done, pieces: 0, current: None }) }
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn begin(&self, index: usize) -> Arc<Totals> {
        let totals = Arc::new(Totals::default());
        self.change(|state| state.current = Some((index, Arc::clone(&totals))));
        totals
    }

    fn end(&self, index: usize) {
        self.change(|state| {
            if let Some((_, totals)) = state.current.take() {
                state.done += self.conditions[index].1;
                state.pieces += totals.pieces.load(Ordering::Relaxed);
            }
        });
    }

    fn status(&self) -> ProgressStatus {
        let all: f64 = self.conditions.iter().map(|(_, weight)| weight).sum();
        let (done, before, current) =
            self.change(|state| (state.done, state.pieces, state.current.clone()));
        let share = |part: f64| Some((part / all).min(1.0));
        let counted = |pieces| Some((before + pieces, "pieces"));
        let Some((index, totals)) = current else {
            // No condition is current between two conditions and before the first.
            return ProgressStatus {
                share: share(done),
                counted: counted(0),
                ..ProgressStatus::default()
            };
        };
        let (Condition { folder, game, .. }, weight) = &self.conditions[index];
        let own = run_status(&game.about(), &totals);
        let part = own.share.unwrap_or(0.0) * weight;
        ProgressStatus {
            share: share(done + part),
            text: format!("{}/{} {folder} · {}", index + 1, self.conditions.len(), own.text),
            counted: counted(totals.pieces.load(Ordering::Relaxed)),
            unknown: own.unknown,
        }
    }
}

fn describe(row: &ConditionRow) -> String {
    let Some(results) = &row.results else { return row.status.to_string() };
    let mean = or_na(results.estimate.mean.mean.map(number_of(row)));
    let (games, measure) = (thousands(results.estimate.mean.n), &row.measure);
    format!("{games} games, {} ended, mean {mean} {measure}", results.ended())
}

pub(crate) fn list<G: Comparable>(
    console: &Console,
    conditions: &[Condition<G>],
    format: Format,
) -> anyhow::Result<Outcome> {
    list_with(console, conditions, &Estimates::default(), format)
}

fn list_with<G: Comparable>(
    console: &Console,
    conditions: &[Condition<G>],
    estimates: &Estimates,
    format: Format,
) -> anyhow::Result<Outcome> {
    // Rows of conditions that were not played need no files.
    let row = |condition: &Condition<G>| condition.row(Path::new(""), Progress::Pending);
    let rows = conditions.iter().map(row).collect::<Result<Vec<_>, Error>>()?;
    let played = rows.iter().map(|row| (row.condition, row.folder.clone()));
    let estimated = estimates.rows().iter();
    let estimated = estimated.map(|row| (row.condition, format!("{} (estimated)", row.folder)));
    let mut lines: Vec<(u64, String)> = played.chain(estimated).collect();
    lines.sort();
    let mut report = Report::default();
    report.data("conditions", &rows);
    estimates.add_rows(&mut report);
    lines.iter().for_each(|(_, line)| report.text(line));
    report.text(format!("{} conditions", lines.len()));
    console.report(&report, format)?;
    Ok(Outcome::Done)
}

/// Returns the report of the study in `out`. The file `table` has the results of all games.
fn report(
    (rows, estimates, found): (&[ConditionRow], &Estimates, &[ReproducedRow]),
    (out, table): (&Path, &str),
) -> Report {
    let mut report = Report::default();
    report.data("out", out);
    report.data("conditions", rows);
    estimates.add_rows(&mut report);
    if !found.is_empty() {
        report.data("reproduced", found);
    }
    let is_done = |row: &ConditionRow| row.status == Progress::Complete;
    let measure = rows.first().map_or("lines", |row| &row.measure);
    if !rows.is_empty() {
        report.table(
            TableOf::new("", rows)
                .with("condition", |row| &row.folder)
                .with("status", |row| (!is_done(row)).then(|| row.status.to_string()))
                .with("ended", |row| row.results.as_ref().map(ConditionResults::ended))
                .mean(
                    |row| row.results.as_ref().map(|found| &found.estimate.mean),
                    |row, mean| number_of(row)(mean),
                )
                .with("median", |row| {
                    let spread = row.results.as_ref().and_then(|found| found.estimate.spread);
                    Value::real(spread.map(|spread| spread.median), |median| {
                        if median.fract() == 0.0 { whole(median) } else { number_of(row)(median) }
                    })
                }),
        );
        let mean = match rows.iter().all(|row| row.whole) {
            true => format!("all {measure} / games that ended"),
            false => format!("{measure} of all games / games"),
        };
        report.text(format!("mean {measure} of a finished game ({mean})"));
    }
    if rows.iter().any(|row| row.results.as_ref().is_some_and(|results| results.ended() == 0)) {
        report.text(
            "a condition without finished games has no mean: raise max_pieces and max_lines (or \
            none), take a smaller board, or use `tetrastat estimate`",
        );
    }
    estimates.report(&mut report);
    report.table(beside_published(found));
    let played = [
        ("conditions.csv", !rows.is_empty()),
        (table, !rows.is_empty() && rows.iter().all(is_done)),
    ];
    let others = ["reproduced.csv", "estimates.csv", "means.csv", "contrasts.csv"];
    let others = others.map(|name| (name, out.join(name).is_file()));
    let names = played.into_iter().chain(others).filter(|(_, is)| *is).map(|(name, _)| name);
    let names: Vec<&str> = names.chain(["study.toml"]).collect();
    report.shown("files", format!("{}: {}", out.display(), names.join(" ")));
    report
}

fn beside_published(rows: &[ReproducedRow]) -> Table {
    let ratio = |row: &ReproducedRow| row.comparison.as_ref().map(describe_ratio);
    TableOf::new("", rows)
        .with("published result", |row| &row.name)
        .with("mean", |row| Value::real(row.mean.as_ref().and_then(|mean| mean.mean), number))
        .with("published", |row| row.published.as_ref().map(published_text))
        .with("found / published", ratio)
        .with("verdict", |row| row.comparison.as_ref().map(|it| it.verdict.name()))
        .into()
}

fn published_text(published: &PublishedScore) -> String {
    let ends = published.low.zip(published.high);
    let of = match published.statistic {
        Statistic::Mean => "",
        Statistic::Median => "median ",
    };
    match (published.value, ends) {
        (Some(score), Some((low, high))) => {
            format!("{} +-{:.0} %", number(score), (high - low) / score * 50.0)
        }
        (Some(score), None) => number(score),
        (None, Some((low, high))) => format!("{of}{} to {}", number(low), number(high)),
        (None, None) => "NA".to_owned(),
    }
}

fn describe_ratio(comparison: &PublishedComparison) -> String {
    match (comparison.ratio, comparison.low, comparison.high) {
        (Some(ratio), Some(low), Some(high)) => format!("{ratio:.2} ({low:.2}-{high:.2})"),
        (None, Some(low), None) => format!("over {low:.2}"),
        (Some(ratio), ..) => format!("{ratio:.2}"),
        _ => String::new(),
    }
}

fn number_of(row: &ConditionRow) -> fn(f64) -> String {
    let mean = row.results.as_ref().and_then(|results| results.estimate.mean.mean);
    if row.whole { number } else { number_up_to(mean.unwrap_or(0.0)) }
}

type Page = (&'static str, &'static str);

const TEMPLATE_FILES: [Page; 4] = [
    ("study.toml", include_str!("../../../../data/templates/targets/study.toml")),
    ("report.Rmd", include_str!("../../../../data/templates/targets/report.Rmd")),
    ("Makefile", include_str!("../../../../data/templates/targets/Makefile")),
    ("_targets.R", include_str!("../../../../data/templates/targets/_targets.R")),
];

/// Returns true if `folder` is missing or empty, or holds only some unchanged template files.
fn is_free(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return true };
    let entries: Vec<_> = entries.flatten().collect();
    let is_ours = |entry: &fs::DirEntry| {
        let page = TEMPLATE_FILES.iter().find(|(name, _)| entry.file_name() == *name);
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        is_file
            && page.is_some_and(|(_, text)| {
                fs::read(entry.path()).is_ok_and(|found| found == text.as_bytes())
            })
    };
    entries.len() < TEMPLATE_FILES.len() && entries.iter().all(is_ours)
}

fn create_study(console: &Console, folder: &Path) -> anyhow::Result<()> {
    let shown = folder.display();
    ensure!(is_free(folder), "{shown} is not empty: name a new folder");
    fs::create_dir_all(folder).map_err(|e| Error::io("creating", folder, e))?;
    for (name, text) in TEMPLATE_FILES {
        if !folder.join(name).exists() {
            write_output(&folder.join(name), text.as_bytes(), false)?;
        }
    }
    let names = TEMPLATE_FILES.map(|(name, _)| name).join(" ");
    console.print(&format!(
        "{shown}: {names}\nmake -C {} plays study.toml and writes report.html\n",
        shell_path(folder)
    ))?;
    Ok(())
}
