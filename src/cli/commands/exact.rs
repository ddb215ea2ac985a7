//! Runs `tetrastat exact`: exact means of controllers and the optimal player on small boards.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::{BoardFile, BoardOptions, QueueOptions};
use crate::cli::prelude::*;
use crate::controller::Tie;
use crate::engine::each;
use crate::exact::{Chain, Deviation, ExactWatch, Goal, Optimum, SmallGame, Solution, critical_z};
use crate::record::{OutputFile, Written};
use crate::report::Value;
use crate::sim::MOST_GAMES;
use crate::text::numbers::thousands;
use crate::text::parse::{count, seed};
use crate::threads::{all_cores, thread_pool};

/// Probability, over all tests of a run, that `--check` fails although the program is correct.
const CHECK_LEVEL: f64 = 0.01;

/// Compute exact mean lines on small boards; check the simulator
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Presets (see `tetrastat show controllers`) or TOML files
    #[arg(long, default_value = "bcts", value_delimiter = ',', value_name = "NAME|FILE,...")]
    controller: Vec<String>,

    /// Rule that chooses among equally good placements: `first` or `dellacherie` [default: the
    /// controller's own rule]
    #[arg(long, value_name = "RULE")]
    tie: Option<Tie>,

    /// `simplified` (MDPTetris) or `standard` (Fahey's original game). Other rules are available in
    /// simulate, train and watch
    #[arg(long, default_value = "simplified")]
    rules: Rules,

    #[command(flatten)]
    board: BoardOptions,

    #[command(flatten)]
    file: BoardFile,

    #[command(flatten)]
    queue: QueueOptions,

    /// Look-ahead: `greedy`, `next` (known next piece) or `expect` (the fewest next pieces that
    /// end the game, then the mean over the others)
    #[arg(long, default_value = "greedy")]
    search: Search,

    /// Also compute the optimal player, by mean `lines` or `pieces` of a whole game. It knows the
    /// board, the current piece and the state of the queue, but no later piece
    #[arg(long, value_name = "GOAL", num_args = 0..=1, default_missing_value = "lines")]
    optimal: Option<Goal>,

    /// Write one row per placement of each piece on each board that any player can reach. The
    /// extension sets the format: csv, csv.gz, csv.zst or parquet
    ///
    /// `value` is the mean number of rows (of pieces with --optimal pieces) from this placement to
    /// the end of the game if all later placements are optimal. Nothing is discounted. A placement
    /// that ends the game is worth the rows that it removes. `regret` is the value of the best
    /// placement minus `value`. A piece without a legal placement has no row, and is worth 0. Rows
    /// are sorted by board (as text), piece, state of the queue, orientation and column.
    #[arg(long, value_name = "FILE", requires = "optimal")]
    actions: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long, requires = "actions")]
    force: bool,

    /// Print the probability that a game survives 0 to K pieces
    #[arg(long, value_name = "K", value_parser = count::<u32>(1..=100_000))]
    survival: Option<u32>,

    /// Simulate this many games of each controller and test their means against the exact ones
    #[arg(long, value_name = "GAMES", value_parser = count::<u64>(1..=MOST_GAMES))]
    check: Option<u64>,

    /// Seed of the games of --check
    #[arg(long, default_value = "1", value_parser = seed)]
    seed: u64,

    /// Maximum number of states in the Markov chain of a player's games. A state takes 100 to 200
    /// bytes; for the optimal player it takes more
    #[arg(long, value_name = "N", default_value_t = 20_000_000, value_parser = count::<usize>(..))]
    max_states: usize,

    /// Threads [default: all cores]
    #[arg(long, value_name = "T", value_parser = count::<u16>(1..=1024))]
    threads: Option<u16>,

    /// Output format. csv has one row per player, or with --survival one row per player and number
    /// of pieces
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Printout> {
        let start = self.file.board(self.board.board)?;
        let size = self.board.size(start.as_ref())?;
        let board = start.unwrap_or_else(|| Board::empty(size));
        let rules = self.board.rules(self.rules)?;
        let game = SmallGame { rules, start: board, queue: self.queue.queue()? };
        let controllers: Vec<Controller> =
            self.controller.iter().map(|name| Controller::load(name)).collect::<Result<_, _>>()?;
        if let Some(player) = controllers.iter().find(|controller| controller.external.is_some()) {
            bail!(
                "exact means need a controller of weighted features, and {} is a function: play \
                 it with simulate or estimate",
                player.name
            );
        }
        let open = |path: &PathBuf| {
            let format = LogFormat::of_file(&path.to_string_lossy())?;
            OutputFile::create(path, self.force).map(|file| (file, format))
        };
        let actions = self.actions.as_ref().map(open).transpose()?;
        console.exit_on_interrupt(
            "interrupted: nothing is printed, because a partial result is not exact",
            actions.as_ref().map(|(file, _)| file.path().to_owned()),
        )?;
        let progress = ExactProgress::default();
        let pool = thread_pool(self.threads())?;
        let rows = console.with_progress(
            None,
            || progress.status(),
            || pool.install(|| self.rows(controllers, &game, &progress, actions.as_ref())),
        )?;
        let end = check_simulated_means(&rows).map(|()| Outcome::Done);
        let written = actions.map(|(file, _)| file.finish()).transpose()?;
        // Stdout may be the stream, where no other text belongs.
        if written == Some(Written::Stream) {
            return Ok(Printout { end, ..Outcome::Done.into() });
        }
        let report = self.report(&game, &rows);
        Ok(Printout { end, ..Printout::new(report, self.format) })
    }

    fn report(&self, game: &SmallGame, rows: &[Row]) -> Report {
        let mut report = Report::default();
        let settings = [
            ("board", game.start.size().to_string()),
            ("rules", game.rules.to_string()),
            ("queue", game.queue.describe()),
            ("search", self.search.to_string()),
        ];
        let mut table = TableOf::new("players", rows);
        for (name, value) in &settings {
            report.shown(*name, value);
            table = table.data(name, |_| value);
        }
        if let Some(count) = rows.last().and_then(|row| row.actions) {
            report.fact("actions", Value::new(count, thousands(count)));
        }
        let solved = |of: fn(&Solution) -> f64, show: fn(f64) -> String| {
            move |row: &Row| Value::real(row.solution.as_ref().map(of), show)
        };
        let check = |of: fn(&Deviation) -> f64| {
            move |row: &Row| Value::real(row.check.as_ref().map(of), |z| format!("{z:.2}"))
        };
        let (mean, sd) = (|mean| format!("{mean:.8}"), |sd| format!("{sd:.6}"));
        let tiny = |value| format!("{value:.1e}");
        report.table(
            table
                .with("player", |row| &row.player)
                .with("states", |row| row.states)
                .with(("lines_mean", "mean lines"), solved(|found| found.lines.mean, mean))
                .with(("lines_sd", "SD"), solved(|found| found.lines.sd, sd))
                .with(("pieces_mean", "mean pieces"), solved(|found| found.pieces.mean, mean))
                .with(("pieces_sd", "SD"), solved(|found| found.pieces.sd, sd))
                .with("residual", solved(|found| found.residual, tiny))
                .data("error_lines", solved(|found| found.error_lines, tiny))
                .with(("of_optimal", "of optimal"), |row| Value::share(row.of_optimal, 2))
                .with("games", |row| row.check.map(|check| check.games))
                .with(("z_lines", "z lines"), check(|check| check.z_lines))
                .with(("z_pieces", "z pieces"), check(|check| check.z_pieces)),
        );
        for row in rows.iter().filter(|row| row.solution.is_none()) {
            let player = &row.player;
            report.note(format!("{player}: a game may never end: there is no finite mean"));
        }
        if self.optimal.is_some() && self.search == Search::Next {
            report.note("the optimal player does not know the next piece");
        }
        report_survival(&mut report, rows);
        report
    }

    fn threads(&self) -> usize {
        self.threads.map_or_else(all_cores, usize::from)
    }

    fn rows(
        &self,
        controllers: Vec<Controller>,
        game: &SmallGame,
        progress: &ExactProgress,
        actions: Option<&(OutputFile, LogFormat)>,
    ) -> anyhow::Result<Vec<Row>> {
        let mut rows = Vec::new();
        for mut controller in controllers {
            controller.tie = self.tie.unwrap_or(controller.tie);
            progress.begin(&controller.name, Step::States);
            let (search, most) = (self.search, self.max_states);
            let chain = Chain::build(game, &controller, search, most, &progress.watch)?;
            progress.begin(&controller.name, Step::Solving(chain.states()));
            let solution = chain.solve()?;
            let mut row = self.row(&controller.name, &chain, solution);
            if let (Some(games), Some(exact)) = (self.check, solution) {
                progress.begin(&controller.name, Step::Games(games));
                let (lines, pieces) = self.play(game, controller, games, &progress.totals)?;
                row.check = Some(Deviation::new(&exact, games, lines, pieces));
            }
            rows.push(row);
        }
        if let Some(goal) = self.optimal {
            progress.begin("the best player", Step::Best);
            let best = Optimum::compute(game, goal, self.max_states, &progress.watch)?;
            let name = match goal {
                Goal::Lines => "optimal",
                Goal::Pieces => "optimal (pieces)",
            };
            for row in &mut rows {
                row.compare(goal, best.solution.as_ref());
            }
            let mut row = self.row(name, &best.chain, best.solution);
            if let Some((file, format)) = actions {
                progress.begin("the best player", Step::Writing);
                row.actions =
                    Some(best.write_action_values((file.path(), *format), &progress.watch)?);
            }
            row.compare(goal, best.solution.as_ref());
            rows.push(row);
        }
        Ok(rows)
    }

    fn row(&self, player: &str, chain: &Chain, solution: Option<Solution>) -> Row {
        Row {
            player: player.to_owned(),
            states: chain.states(),
            solution,
            of_optimal: None,
            check: None,
            actions: None,
            survival: self
                .survival
                .filter(|_| solution.is_some())
                .map(|pieces| chain.survival(pieces as usize)),
        }
    }

    fn play(
        &self,
        game: &SmallGame,
        controller: Controller,
        games: u64,
        totals: &Totals,
    ) -> anyhow::Result<(u64, u64)> {
        let config = ClassicConfig {
            rules: game.rules,
            start: Some(game.start),
            queue: game.queue.clone(),
            search: self.search,
            games,
            seed: self.seed,
            threads: self.threads(),
            ..ClassicConfig::new(controller, game.start.size())
        };
        let (mut lines, mut pieces) = (0, 0);
        let go = AtomicBool::new(false);
        each(&config, totals, &go, |ended| {
            lines += ended.row.lines;
            pieces += ended.row.pieces;
            Ok(true)
        })?;
        Ok((lines, pieces))
    }
}

fn report_survival(report: &mut Report, rows: &[Row]) {
    let survivals: Vec<(&str, &Vec<f64>)> =
        rows.iter().filter_map(|row| Some((&*row.player, row.survival.as_ref()?))).collect();
    let Some(longest) = survivals.iter().map(|(_, survival)| survival.len()).max() else { return };
    let shown = |pieces: &usize| pieces.is_multiple_of(10usize.pow(pieces.max(&1).ilog10()));
    let pieces: Vec<usize> = (0..longest).filter(shown).collect();
    let title = "probability that the game continues";
    let table = TableOf::new("", &pieces).title(title).with("pieces", |pieces| *pieces);
    report.table(survivals.iter().fold(table, |table, (player, survival)| {
        table.shown(*player, |pieces| Value::real(survival[*pieces], |p| format!("{p:.12}")))
    }));
    let points = survivals.iter().flat_map(|(player, survival)| {
        survival.iter().enumerate().map(move |(pieces, share)| (*player, pieces, *share))
    });
    report.table(
        TableOf::new("survival", &points.collect::<Vec<_>>())
            .main()
            .data("player", |point| point.0)
            .data("pieces", |point| point.1)
            .data("survival", |point| point.2),
    );
}

struct Row {
    player: String,
    states: usize,
    /// Exact mean lines and pieces of a player's games; `None` if games may never end.
    solution: Option<Solution>,
    /// Mean lines or pieces of the player, as a fraction of those of the optimal player.
    of_optimal: Option<f64>,
    check: Option<Deviation>,
    actions: Option<u64>,
    survival: Option<Vec<f64>>,
}

impl Row {
    fn compare(&mut self, goal: Goal, best: Option<&Solution>) {
        let mean = |solution: &Solution| match goal {
            Goal::Lines => solution.lines.mean,
            Goal::Pieces => solution.pieces.mean,
        };
        let part = |(own, best): (&Solution, &Solution)| mean(own) / mean(best);
        self.of_optimal = self.solution.as_ref().zip(best).map(part);
    }
}

#[derive(Default)]
struct ExactProgress {
    step: Mutex<(String, Step)>,
    watch: ExactWatch,
    totals: Totals,
}

#[derive(Clone, Copy, Default)]
enum Step {
    #[default]
    States,
    Solving(usize),
    Games(u64),
    Best,
    Writing,
}

impl ExactProgress {
    fn begin(&self, player: &str, step: Step) {
        let totals = &self.totals;
        let ExactWatch { found, done, rounds } = &self.watch;
        for count in [&totals.played, &totals.pieces, &totals.lines, found, done, rounds] {
            count.store(0, Ordering::Relaxed);
        }
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = (player.to_owned(), step);
    }

    fn status(&self) -> ProgressStatus {
        let (player, step) = self.step.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (done, found) = (count(&self.watch.done), count(&self.watch.found));
        let (rounds, games) = (count(&self.watch.rounds), count(&self.totals.played));
        let said = match step {
            Step::States => format!("{} of {} states explored", thousands(done), thousands(found)),
            Step::Solving(states) => format!("solving for {} states", thousands(states as u64)),
            Step::Games(all) => format!("games {}/{}", thousands(games), thousands(all)),
            Step::Best if rounds == 0 => {
                format!("{} of {} boards explored", thousands(done), thousands(found))
            }
            Step::Best => format!("{rounds} policies evaluated"),
            Step::Writing => format!("{} of {} boards written", thousands(done), thousands(found)),
        };
        ProgressStatus { text: format!("{player}: {said}"), ..ProgressStatus::default() }
    }
}

/// Returns an error if a simulated mean differs from the exact mean by more than chance allows.
fn check_simulated_means(rows: &[Row]) -> anyhow::Result<()> {
    let checks: Vec<&Row> = rows.iter().filter(|row| row.check.is_some()).collect();
    let critical = critical_z(2 * checks.len(), CHECK_LEVEL);
    for row in checks {
        let largest = row.check.map_or(0.0, |check| check.largest());
        ensure!(
            largest <= critical,
            "the simulated mean of {} is {largest:.2} standard errors from the exact one, and a \
                correct program stays within {critical:.2} in 99 % of seeds: try another --seed, \
                and report it if that fails too",
            row.player
        );
    }
    Ok(())
}
