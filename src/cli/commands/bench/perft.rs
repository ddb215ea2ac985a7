//! Runs `tetrastat bench perft`: counts the ways to place a sequence of pieces under guideline
//! rules.

use std::time::Instant;

use anyhow::ensure;

use crate::cli::console::output::{Printout, TableFormat};
use crate::cli::options::BoardFile;
use crate::cli::options::guideline::TurnOptions;
use crate::cli::options::help::prose;
use crate::kernels::Level;
use crate::matrix::Matrix;
use crate::piece::Piece;
use crate::queue::QueueKind;
use crate::report::{Report, TableOf, Value};
use crate::rules::guideline::{MoveGenerator, Moves, RuleSet, perft};
use crate::text::parse::count;

/// Maximum length of a sequence. Eight pieces already have some 10^11 ways.
const LONGEST: usize = 10;

const HELP: &str =
    "Perft counts landings and checks only that each piece can spawn. A piece that spawns
and locks wholly above row 19 also counts, although it would end a game (lock out). Under
`guideline` rules, a piece falls one row as soon as it enters, and may lock there, in row 20. IIIIII
has 33,325,413 ways, of which 20 end with such a lock. Programs that exclude these, or spawn pieces
elsewhere (`--rules capstone`: 33,325,435), have other totals for sequences that fill the board.";

/// Count the ways to place a piece sequence under guideline rules
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(crate) struct Args {
    /// Sequence of pieces. Full rows are cleared in between
    #[arg(default_value = "IOLJSZT", value_name = "PIECES")]
    pieces: String,

    /// Place only the first N pieces
    #[arg(long, value_name = "N", value_parser = count::<usize>(..))]
    depth: Option<usize>,

    #[command(flatten)]
    file: BoardFile,

    /// `guideline`, `capstone`, `jstris`, `botris`, `tetrio-1`, `tetrio-2`, `puyo-puyo-tetris`, or
    /// a TOML file with your own rules
    #[arg(long, default_value = "guideline")]
    rules: RuleSet,

    #[command(flatten)]
    turns: TurnOptions,

    /// Placements to count: `full` or `hard-drop`
    #[arg(long, default_value = "full", value_name = "MOVES")]
    movement: Moves,

    /// Instruction set of the kernels
    #[arg(long, value_name = "LEVEL", default_value = "auto")]
    simd: Level,

    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: TableFormat,
}

impl Args {
    pub(crate) fn run(self) -> anyhow::Result<Printout> {
        let pieces = self.pieces()?;
        let matrix = self.file.matrix()?.unwrap_or(Matrix::EMPTY);
        let rules = self.rules.with(&self.turns.rules());
        let movegen = MoveGenerator::new(*rules, self.movement, self.simd);
        let counted = |depth: usize| {
            let clock = Instant::now();
            let ways = perft(&movegen, &matrix, &pieces[..depth]);
            (&pieces[..depth], ways, clock.elapsed().as_secs_f64())
        };
        let rows: Vec<_> = (1..=pieces.len()).map(counted).collect();
        let mut report = Report::default();
        report.table(
            TableOf::new("depths", &rows)
                .with("depth", |(pieces, ..)| pieces.len())
                .with("pieces", |(pieces, ..)| {
                    pieces.iter().map(|it| it.name()).collect::<String>()
                })
                .with("ways", |(_, ways, _)| *ways)
                .with("seconds", |(.., seconds)| Value::real(*seconds, |s| format!("{s:.3}")))
                .with(("ways_per_s", "ways/s"), |(_, ways, seconds)| {
                    (*ways as f64 / seconds.max(1e-9)) as u64
                }),
        );
        Ok(Printout::new(report, self.format))
    }

    fn pieces(&self) -> anyhow::Result<Vec<Piece>> {
        let QueueKind::Script { pieces, .. } = QueueKind::script(&self.pieces, false)? else {
            return Ok(Vec::new());
        };
        let depth = self.depth.unwrap_or(pieces.len());
        ensure!(
            (1..=pieces.len()).contains(&depth),
            "--depth {depth}: give 1 to {}, the number of pieces, or more pieces",
            pieces.len()
        );
        ensure!(depth <= LONGEST, "{depth} pieces would take years: give at most {LONGEST}");
        Ok(pieces[..depth].to_vec())
    }
}
