//! Runs `tetrastat dataset`: plays a study and writes its placements as a data set.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};

use crate::cli::commands::study::{ConditionOptions, list, play};
use crate::cli::console::Console;
use crate::cli::console::output::{Format, Outcome};
use crate::cli::options::games::OfGame;
use crate::cli::options::help::prose;
use crate::cli::options::playable::Playable;
use crate::cli::options::study_file;
use crate::error::Error;
use crate::files;
use crate::record::{
    DATASET_FILE, DatasetInfo, DatasetSource, Progress, RunFolder, entries, exists, is_dataset,
};
use crate::study::{Condition, Study};
use crate::text::numbers::thousands;

const HELP: &str = r#"The file is that of a study (see `tetrastat study --help`) with the table
[dataset]. Placements are logged as Parquet, with columns for the study of decisions unless the
file has `columns`:

    controllers = ["bcts", "dt20"]
    boards = ["10x10", "10x20"]
    queues = ["uniform", "bag"]
    games = 100
    max_pieces = 1000

    [dataset]
    name = "decisions"
    version = "1.0.0"
    title = "Decisions of two controllers"
    description = "Placements on two boards and two queues."
    held_out_controllers = ["dt20"]  # optional, as is held_out_queues

The output folder has the placements in partitions (placements/held_out=false/rules=simplified/...),
games.csv, conditions.csv, datapackage.json, croissant.json, a data card (README.md) and
SHA256SUMS. `tiny` and `small` in place of FILE are data sets that the program describes itself:
20,000 and 10 million placements.

The same version of the program writes the same bytes on every machine. The same command resumes an
interrupted data set; its games are in the folder `study` until all conditions are complete."#;

/// Data sets that the command knows by name: the name, the file, and the checksums of the tables.
/// Other files of a data set contain the commit of the program, so they have no fixed checksum.
pub const NAMED_DATASETS: [(&str, &str, &str); 2] = [
    (
        "tiny",
        include_str!("../../../data/datasets/tiny.toml"),
        include_str!("../../../data/datasets/tiny.sha256"),
    ),
    (
        "small",
        include_str!("../../../data/datasets/small.toml"),
        include_str!("../../../data/datasets/small.sha256"),
    ),
];

/// Folder of the study within the folder of an unfinished data set.
const STUDY: &str = "study";

/// Write a data set: the placements of a study in partitions
#[derive(Debug, clap::Args)]
#[command(after_long_help = prose(HELP))]
pub(crate) struct Args {
    /// TOML file of a study with the table [dataset] (example in --help), or tiny or small
    file: PathBuf,

    #[command(flatten)]
    conditions: ConditionOptions,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<Outcome> {
        let mut named = NAMED_DATASETS.iter().filter(|(name, ..)| self.file == Path::new(name));
        let text = match named.next() {
            Some((_, text, _)) => (*text).to_owned(),
            None => files::read_text(&self.file, files::STUDY)?,
        };
        let (info, conditions) =
            study_file::read_dataset(&self.file, &text, self.conditions.threads)?;
        match conditions {
            OfGame::Classic(conditions) => self.play(console, &text, &info, conditions),
            OfGame::Guideline(conditions) => self.play(console, &text, &info, conditions),
            OfGame::Liap(_) => {
                let file = self.file.display();
                bail!("{file}: LIAP has no placements: choose other rules for a data set")
            }
        }
    }

    fn play<G: Playable>(
        self,
        console: &Console,
        text: &str,
        info: &DatasetInfo,
        conditions: Vec<Condition<G>>,
    ) -> anyhow::Result<Outcome> {
        let only = self.conditions.only(conditions.len())?;
        let row = |condition: &Condition<G>| condition.row(Path::new(""), Progress::Pending);
        info.check(&conditions.iter().map(row).collect::<Result<Vec<_>, Error>>()?)?;
        let Some(out) = self.conditions.folder() else {
            return list(console, &conditions, Format::Text);
        };
        if is_dataset(&out) {
            return finished(console, &out, text);
        }
        let is_new = !exists(&out)? || entries(&out)?.is_empty();
        ensure!(
            is_new || out.join(STUDY).is_dir(),
            "{} exists and holds no data set: choose another --out",
            out.display()
        );
        let stop = console.stop_flag()?;
        let mut study = Study::open(&out.join(STUDY), text, conditions)?;
        let played = play(console, &mut study, only, &stop);
        let (complete, all) = (study.complete(), study.rows().len());
        let kept =
            format!("{complete} of {all} conditions are complete and kept in {}", out.display());
        if let Err(error) = played {
            bail!("{error}; {kept}");
        }
        if complete < all {
            if only.is_some_and(|place| study.rows()[place].status == Progress::Complete) {
                console.print(&format!("{kept}\n"))?;
                return Ok(Outcome::Done);
            }
            let line = format!("interrupted: {kept}; the same command resumes the data set");
            console.eprint_line(&line);
            return Ok(Outcome::Interrupted);
        }
        study.collect()?;
        let folder = RunFolder::existing(&out)?;
        let source = DatasetSource { study: study.folder().path(), rows: study.rows(), info, text };
        let totals = source.write(&folder)?;
        drop(study);
        remove_study(&out)?;
        let (files, placements) = (thousands(totals.files as u64), thousands(totals.placements));
        console.print(&format!("{placements} placements, {files} files: {}\n", out.display()))?;
        Ok(Outcome::Done)
    }
}

/// Ends the command on a complete data set, which must have been made from `text`.
fn finished(console: &Console, out: &Path, text: &str) -> anyhow::Result<Outcome> {
    let made_from = files::read_text(&out.join(DATASET_FILE), files::STUDY)?;
    ensure!(
        made_from == text,
        "{} is complete and was made from another file: choose another --out",
        out.display()
    );
    remove_study(out)?;
    console.eprint_line(&format!("{} is complete: nothing is played again", out.display()));
    Ok(Outcome::Done)
}

/// Removes the study of a complete data set, of which a kill may have left a part.
fn remove_study(out: &Path) -> Result<(), Error> {
    let study = out.join(STUDY);
    match exists(&study)? {
        true => fs::remove_dir_all(&study).map_err(|e| Error::io("removing", study, e)),
        false => Ok(()),
    }
}
