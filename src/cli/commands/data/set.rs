//! Runs `tetrastat data set`: plays a study and writes its placements as a data set.

use std::fs;
use std::io::ErrorKind::NotFound;

use anyhow::Context;

use crate::cli::command_line::join_paragraphs;
use crate::cli::commands::label::{self, rollout_status};
use crate::cli::commands::study::{ConditionOptions, list, play};
use crate::cli::options::settings::{options, with_setting_keys};
use crate::cli::options::study_file;
use crate::cli::prelude::*;
use crate::engine::{Comparable, is_same, play_or_resume};
use crate::files;
use crate::record::{
    ConditionRow, DATASET_FILE, DatasetInfo, DatasetSource, Finding, LabelInfo, LoggedBoards,
    Progress, is_dataset, label_folder, read_boards, verify_dataset,
};
use crate::search::Policy;
use crate::sim::Limits;
use crate::sim::rollout::RolloutConfig;
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

    [dataset.labels]      # optional: plays games after each candidate
    every = 100           # one decision in 100
    replicates = 50       # games after each candidate, on the same pieces
    max_replicates = 400  # optional: more games where the best is not clear
    precision = 0.03      # optional: standard error of the lines that is enough
    horizon = 100         # pieces after which a game is cut off

The output folder has the placements in partitions (placements/held_out=false/rules=simplified/...),
games.csv, conditions.csv, datapackage.json, croissant.json, a data card (README.md) and
SHA256SUMS. The program contains the files of three data sets: `tiny` with 19,942 placements,
`small` with 10 million, and `tasks` for prediction tasks. Give such a name in place of FILE.

The same version of the program writes the same bytes on every machine. The same command resumes an
interrupted data set; its games are in the folder `study` until all conditions are complete."#;

macro_rules! dataset_file {
    ($name:literal) => {
        include_str!(concat!("../../../../data/datasets/", $name))
    };
}

/// Bundled data sets: name, text of the study file, and checksums of the tables.
pub const NAMED_DATASETS: [(&str, &str, &str); 3] = [
    ("tiny", dataset_file!("tiny.toml"), dataset_file!("tiny.sha256")),
    ("small", dataset_file!("small.toml"), dataset_file!("small.sha256")),
    ("tasks", dataset_file!("tasks.toml"), dataset_file!("tasks.sha256")),
];

const STUDY: &str = "study";

/// Write a data set: the placements of a study in partitions
#[derive(Debug, clap::Args)]
#[command(after_long_help = join_paragraphs(HELP))]
pub(crate) struct Args {
    /// TOML file of a study with the table [dataset] (see --help), or bundled: tiny, small or tasks
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
        let ConditionOptions { threads, allow_bot, .. } = self.conditions;
        let (info, conditions) = study_file::read_dataset(&self.file, &text, threads, allow_bot)?;
        match conditions {
            ByGame::Classic(conditions) => {
                let base = self.file.parent().unwrap_or(Path::new(""));
                let plan = |labels| plan_labels(labels, base, &conditions);
                let labels = info.labels.as_ref().map(plan).transpose().map_err(|error| {
                    let message = format!("[dataset.labels]: {error:#}");
                    anyhow!(with_setting_keys(&options::<label::Args>(), &message))
                })?;
                let labels = labels.unwrap_or_default();
                self.play(console, &text, &info, conditions, &labels)
            }
            ByGame::Guideline(conditions) => {
                ensure!(
                    info.labels.is_none(),
                    "[dataset.labels] needs classic games: leave the table out"
                );
                self.play(console, &text, &info, conditions, &[])
            }
            ByGame::Liap(_) => {
                let file = self.file.display();
                bail!("{file}: LIAP has no placements: choose other rules for a data set")
            }
        }
    }

    fn play<G: Comparable>(
        self,
        console: &Console,
        text: &str,
        info: &DatasetInfo,
        conditions: Vec<Condition<G>>,
        labels: &[RolloutConfig],
    ) -> anyhow::Result<Outcome> {
        let only = self.conditions.only(conditions.len())?;
        let row = |condition: &Condition<G>| condition.row(Path::new(""), Progress::Pending);
        info.check(&conditions.iter().map(row).collect::<Result<Vec<_>, Error>>()?)?;
        let Some(out) = self.conditions.folder() else {
            return list(console, &conditions, Format::Text);
        };
        let shown = out.display();
        let folder = RunFolder::lock(&out)?;
        if is_dataset(&out) {
            return finished(console, &out, text);
        }
        ensure!(
            !folder.is_resumed() || out.join(STUDY).is_dir(),
            "{shown} exists and holds no data set: choose another --out"
        );
        let stop = console.stop_flag()?;
        let mut study = Study::open(&out.join(STUDY), text, conditions)?;
        let played = play(console, &mut study, only, &stop);
        let (complete, all) = (study.complete(), study.rows().len());
        let kept = format!("{complete} of {all} conditions are complete and kept in {shown}");
        if let Err(error) = played {
            bail!("{error}; {kept}");
        }
        let rows = study.rows().iter().enumerate();
        let is_due = |(place, row): (usize, &ConditionRow)| {
            let wanted = complete == all || only.is_none_or(|only| only == place);
            (wanted && row.status == Progress::Complete).then(|| row.folder.clone())
        };
        let folders: Vec<Option<String>> = rows.map(is_due).collect();
        let labelled = play_labels(console, labels, study.folder().path(), &folders, &stop)?;
        if complete < all || !labelled {
            if labelled && only.is_some_and(|place| folders[place].is_some()) {
                console.print(&format!("{kept}\n"))?;
                return Ok(Outcome::Done);
            }
            let line = format!("interrupted: {kept}; the same command resumes the data set");
            console.eprint_line(&line);
            return Ok(Outcome::Interrupted);
        }
        study.collect()?;
        let source = DatasetSource { study: study.folder().path(), rows: study.rows(), info, text };
        let totals = source.write(&folder)?;
        drop(study);
        remove_study(&out)?;
        let [files, placements, labelled] =
            [totals.files as u64, totals.placements, totals.labels].map(thousands);
        let labelled = match totals.labels {
            0 => String::new(),
            _ => format!(", {labelled} labelled candidates"),
        };
        console.print(&format!("{placements} placements{labelled}, {files} files: {shown}\n"))?;
        Ok(Outcome::Done)
    }
}

fn plan_labels(
    info: &LabelInfo,
    base: &Path,
    conditions: &[Condition<ClassicConfig>],
) -> anyhow::Result<Vec<RolloutConfig>> {
    ensure!(info.every > 0, "every must be at least 1");
    let load = |name: &String| match name.ends_with(".toml") {
        true => Controller::load(&base.join(name).to_string_lossy()),
        false => Controller::load(name),
    };
    let controller = info.controller.as_ref().map(load).transpose()?;
    let search = info.search.as_ref().map(|name| name.parse::<Search>()).transpose()?;
    let config = |condition: &Condition<ClassicConfig>| {
        let own = &condition.game;
        let play = ClassicConfig {
            controller: controller.clone().unwrap_or_else(|| own.controller.clone()),
            search: search.unwrap_or(own.search),
            limits: Limits { pieces: Some(info.horizon), lines: None },
            seed: info.seed.unwrap_or(own.seed.wrapping_add(1)),
            policy: Policy::Best,
            ..own.clone()
        };
        let boards = LoggedBoards::default();
        let config = RolloutConfig {
            candidates: true,
            max_replicates: info.max_replicates.unwrap_or(info.replicates),
            precision: info.precision,
            labels_of: Some((condition.number, own.seed)),
            ..RolloutConfig::new(play, boards, info.every, info.replicates)
        };
        config.validate_settings().map(|()| config)
    };
    Ok(conditions.iter().map(config).collect::<Result<_, Error>>()?)
}

/// Continues games from logged boards of the runs in `folders`. Returns false if interrupted.
fn play_labels(
    console: &Console,
    labels: &[RolloutConfig],
    study: &Path,
    folders: &[Option<String>],
    stop: &AtomicBool,
) -> anyhow::Result<bool> {
    for (config, folder) in labels.iter().zip(folders) {
        let Some(run) = folder else { continue };
        let play = &config.play;
        let logged = read_boards(&study.join(run), play.size, config.every)?;
        let config = config.clone().with_boards(logged);
        let folder = study.join(label_folder(run));
        let is_complete = |manifest: Manifest<RolloutConfig>| {
            manifest.status == Status::Complete
                && is_same(&manifest.config, &config.recorded_config())
        };
        if Manifest::read(&folder).is_ok_and(is_complete) {
            continue;
        }
        let totals = Totals::default();
        let status = || rollout_status(&config, &totals);
        let played = console
            .with_progress(Some(study), status, || play_or_resume(&config, &folder, &totals, stop))
            .with_context(|| format!("labels of {run}"))?;
        match played.manifest.status {
            Status::Complete => {}
            Status::Interrupted => return Ok(false),
            Status::Failed(error) => {
                bail!("labels of {run}: {error}; the same command resumes the data set")
            }
        }
    }
    Ok(true)
}

fn finished(console: &Console, out: &Path, text: &str) -> anyhow::Result<Outcome> {
    let made_from = files::read_text(&out.join(DATASET_FILE), files::STUDY)?;
    let shown = out.display();
    ensure!(
        made_from == text,
        "{shown} is complete and was made from another file: choose another --out"
    );
    for Finding { name, problem, .. } in verify_dataset(out)? {
        if let Some(problem) = problem {
            bail!("{shown} is damaged: {name}: {problem}; choose another --out, or remove {shown}");
        }
    }
    remove_study(out)?;
    console.eprint_line(&format!("{shown} is complete: nothing is played again"));
    Ok(Outcome::Done)
}

fn remove_study(out: &Path) -> Result<(), Error> {
    match fs::remove_dir_all(out.join(STUDY)) {
        Err(e) if e.kind() != NotFound => Err(Error::io("removing", out.join(STUDY), e)),
        _ => Ok(()),
    }
}
