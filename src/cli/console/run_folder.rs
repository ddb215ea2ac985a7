//! Output folders, and the runs that are played and resumed in them.
//!
//! The same command with the same `--out` resumes its run. `--resume` needs only the folder,
//! because the checkpoint in it stores the options.

use std::io::ErrorKind;

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::cli::command_line::{OUTPUT, clap_message};
use crate::cli::commands::view::{View, with_view};
use crate::cli::console::progress::ProgressStatus;
use crate::cli::options::{ALLOW_BOT, BOT_SECONDS, refuse_bots};
use crate::cli::prelude::*;
use crate::engine::{self, Job, Played, RunState};
use crate::error::quoted;
use crate::error::setting::{FORCE, OUT};
use crate::files::read_written;
use crate::games::resume_command;
use crate::record::{
    CHECKPOINT, Checkpoint, CheckpointState, CopyState, Kind, PARTIAL, check_listed_names,
    checkpoint_state, differences, entries, exists, first_problem, has_checkpoint, is_in_parts,
    plain_name, remove_checkpoint, shell_path, tables_of, verify_checksum,
};
use crate::sim::guideline::PERSON;

#[derive(Debug, Args)]
pub(crate) struct OutOptions {
    /// Print the configuration of the run, as in run.json, and play nothing
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) dry_run: bool,

    /// Output folder: a new one, or that of the same run, which is resumed [default: a new one
    /// under runs/]
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) out: Option<PathBuf>,

    /// Replace the run in --out by a new one. The folder may hold only a run of the same kind of
    /// game
    #[arg(long, requires = "out", help_heading = OUTPUT)]
    pub(crate) force: bool,

    /// Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as
    /// `tetrastat view` does
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) view: bool,

    /// Output format of the summary
    #[arg(long, value_enum, default_value = "text", help_heading = OUTPUT)]
    pub(crate) format: Format,
}

pub(crate) const RESUME: &str = "resume";
pub(crate) const VIEW: &str = "view";
pub(crate) const RESUMED: &str = "--resume uses the options that the run was started with";

/// Command and its options as stored in checkpoints, so that `--resume` needs only the folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RecordedCommand {
    command: String,
    pub(crate) given: Settings,
    /// Options from a preset or a settings file, which the command line overrides.
    pub(crate) below: Settings,
}

impl RecordedCommand {
    pub(crate) fn new(command: &str, given: &Settings, below: Settings) -> RecordedCommand {
        let (given, below) = (with_rules_inlined(given.clone()), with_rules_inlined(below));
        RecordedCommand { command: command.to_owned(), given, below }
    }

    pub(crate) fn begin_or_resume<A: Args>(
        command: &str,
        given: ParsedArgs<A>,
        below: Settings,
        resume: Option<&Path>,
    ) -> anyhow::Result<(RecordedCommand, ParsedArgs<A>)> {
        let Some(folder) = resume else {
            let begun = RecordedCommand::new(command, &given.settings, below.clone());
            return Ok((begun, given.merge_over(below)?));
        };
        // Other options would contradict the bytes that were already written.
        given.check_only(&[RESUME, VIEW, BOT_SECONDS, ALLOW_BOT], RESUMED)?;
        let settings = &checkpoint_state(folder)?["settings"];
        if !given.settings.has(ALLOW_BOT) {
            refuse_bots(&folder.display().to_string(), settings)?;
        }
        RecordedCommand::restore(command, folder, settings, &given)
    }

    pub(crate) fn to_json(&self) -> Value {
        json!(self)
    }

    /// Restores the command that a checkpoint stores. Options in `now`, given together with
    /// `--resume`, override the stored ones.
    pub(crate) fn restore<A: Args>(
        command: &str,
        folder: &Path,
        settings: &Value,
        now: &ParsedArgs<A>,
    ) -> anyhow::Result<(RecordedCommand, ParsedArgs<A>)> {
        let shown = folder.display();
        let begun = RecordedCommand::deserialize(settings).ok();
        let mut begun = match (begun, resume_command(settings, folder)) {
            (Some(begun), _) if begun.command == command => begun,
            (Some(RecordedCommand { command, .. }), Some(resume)) => {
                bail!("{shown} was started by {command}: resume it with tetrastat {resume}")
            }
            _ => bail!(
                "{shown} was started by a study or comparison, or by an earlier build: give that \
                    command again to resume it"
            ),
        };
        // A checkpoint must not contain a permission: its folder may be given to others.
        let is_recorded = |name: &str| ![RESUME, ALLOW_BOT].contains(&name);
        for (name, value) in now.settings.iter().filter(|(name, _)| is_recorded(name)) {
            begun.given.set(name, value.clone());
        }
        let all = ParsedArgs::read(&begun.given.clone().merge_over(begun.below.clone()));
        let all = all.map_err(|error| {
            let clap_message = clap_message(&error);
            anyhow!("the checkpoint's options are not understood ({clap_message}): start a new run")
        })?;
        Ok((begun, all))
    }
}

/// Replaces the name of a file with game rules by its content, so that a run needs no file.
fn with_rules_inlined(mut settings: Settings) -> Settings {
    let name = settings.get("rules").and_then(Value::as_str);
    let file = name.and_then(|name| RuleSet::load(name).ok()).and_then(|rules| rules.file());
    if let Some(file) = file {
        settings.set("rules", json!(file).to_string());
    }
    settings
}

/// Output folder and the checkpoint (if any) to continue from; `None` if all work is complete.
pub(crate) type OpenedFolder<S> = Option<(RunFolder, Option<Checkpoint<S>>)>;

/// Request to write a run of games into an output folder.
#[derive(Clone, Debug)]
pub struct OutputRequest {
    /// Configuration of the run, as the run's manifest (`run.json`) stores it.
    pub config: Value,
    /// File names of the tables that the run writes.
    pub tables: Vec<String>,
    /// True if a run that is already in the folder may be replaced.
    pub force: bool,
}

impl OutputRequest {
    /// Opens the output folder `path` and reads its checkpoint. Returns `None` if the folder holds
    /// the complete run.
    ///
    /// `is_enough` returns false for a complete run's manifest if the run must be continued.
    ///
    /// # Errors
    /// [`Error::Config`] if the folder holds another run, a damaged file or a foreign file.
    pub fn open<S: CheckpointState>(
        &self,
        console: &Console,
        path: &Path,
        is_enough: impl Fn(&Value) -> bool,
    ) -> Result<OpenedFolder<S>> {
        let folder = RunFolder::lock(path)?;
        if !folder.is_resumed() {
            return Ok(Some((folder, None)));
        }
        if self.force {
            console.eprint_line(&self.replaceable(path)?);
            return Ok(Some((folder.replaced(), None)));
        }
        let (shown, remedy) = (path.display(), remedy::<S>());
        // Work of another kind is not compared with the requested one.
        let manifest = read_manifest(path)?.filter(|manifest| manifest["kind"] == json!(S::KIND));
        let same = manifest.as_ref().filter(|manifest| self.describes(manifest));
        let same = same.filter(|manifest| manifest["status"] == "complete");
        let problem = match same {
            Some(manifest) if is_enough(manifest) => match first_problem(path)? {
                None => {
                    if S::KIND != Kind::Training {
                        // A kill just after the end of the run left this checkpoint behind.
                        remove_checkpoint(path);
                    }
                    console.eprint_line(&format!(
                        "{shown} is already complete: nothing is played again"
                    ));
                    return Ok(None);
                }
                found => found,
            },
            _ => None,
        };
        if has_checkpoint(path)? {
            let checkpoint = Checkpoint::<S>::read(path)?;
            let state = json!(checkpoint);
            self.refuse_other::<S>(path, &state["config"], checkpoint_tables(&state))?;
            return Ok(Some((folder, Some(checkpoint))));
        }
        let Some(manifest) = manifest else {
            return Err(Error::Config(format!(
                "{shown} holds {}, but no {}: choose another {OUT}",
                first_file_name(path)?,
                without_article(S::OF)
            )));
        };
        self.refuse_other::<S>(path, &manifest["config"], tables_of(&manifest))?;
        Err(Error::Config(match problem {
            Some(problem) => {
                format!("{shown} holds this run, but it is damaged: {problem}; {remedy}")
            }
            None => format!(
                "{shown} holds a part of this run, but no checkpoint to resume from: {remedy}"
            ),
        }))
    }

    fn describes(&self, manifest: &Value) -> bool {
        manifest["config"] == self.config && self.has_tables(&tables_of(manifest))
    }

    fn is_table_file(&self, file: &str) -> bool {
        let table = |file: &str| file.split('.').next().map(str::to_owned);
        let is_table = LogFormat::of_file(file).is_ok();
        is_table && self.tables.iter().any(|asked| table(asked) == table(file))
    }

    fn has_tables(&self, tables: &[String]) -> bool {
        self.tables.iter().all(|table| tables.contains(table))
            && tables.iter().all(|table| self.tables.contains(table))
    }

    fn refuse_other<S: CheckpointState>(
        &self,
        path: &Path,
        begun: &Value,
        tables: Vec<String>,
    ) -> Result<()> {
        let mut differing = differences(begun, &self.config);
        if differing.is_empty() && !self.has_tables(&tables) {
            let (there, here) = (tables.join(" "), self.tables.join(" "));
            differing = format!("tables are {there} there, {here} here");
        }
        if differing.is_empty() {
            return Ok(());
        }
        let (shown, remedy, of) = (path.display(), remedy::<S>(), without_article(S::OF));
        Err(Error::Config(format!("{shown} holds another {of}: {differing}; {remedy}")))
    }

    /// Returns the message that `--force` replaces the run in `path`, or an error for other files.
    fn replaceable(&self, path: &Path) -> Result<String> {
        let shown = path.display();
        let refuse = |what: &str| {
            Err(Error::Config(format!(
                "{shown} holds {what}: {FORCE} replaces nothing but a run of the same kind; \
                    choose another {OUT}"
            )))
        };
        let (manifest, state) = (read_manifest(path)?, read_checkpoint(path)?);
        let begun = manifest.as_ref().or(state.as_ref());
        let kind_of_work = begun.and_then(|begun| begun["kind"].as_str());
        if let Some(other) = kind_of_work.filter(|kind| *kind != "run") {
            return refuse(&format!("work of the kind '{}'", quoted(other)));
        }
        let known = [
            ["run.json", "datapackage.json", CHECKPOINT].map(str::to_owned).to_vec(),
            manifest.as_ref().map(tables_of).unwrap_or_default(),
            state.as_ref().map(checkpoint_tables).unwrap_or_default(),
        ]
        .concat();
        let is_ours = |name: &String| {
            let whole = name.strip_suffix(PARTIAL).unwrap_or(name);
            let path = path.join(name);
            (!path.is_dir() || is_in_parts(&path))
                && (known.iter().any(|one| one == whole) || self.is_table_file(whole))
        };
        if let Some(foreign) = entries(path)?.iter().find(|name| !is_ours(name)) {
            return refuse(foreign);
        }
        if !exists(&path.join("run.json"))? && !has_checkpoint(path)? {
            let name = first_file_name(path)?;
            return refuse(&format!("{name}, and no run.json"));
        }
        // If neither file can be read, only the names of the files show that they belong to a run.
        let begun = begun.map(|begun| &begun["config"]);
        if let Some(begun) =
            begun.filter(|begun| game_and_person(begun) != game_and_person(&self.config))
        {
            return refuse(&match game_and_person(begun) {
                (_, true) => "games of a person".to_owned(),
                (game, _) => format!("a run of {} games", game.unwrap_or("classic")),
            });
        }
        Ok(match manifest {
            Some(manifest) => format!(
                "replacing the run in {shown} that was started {}",
                manifest["started"].as_str().unwrap_or("at an unknown time")
            ),
            None => format!("replacing an unfinished run in {shown}"),
        })
    }
}

fn without_article(of: &str) -> &str {
    of.split_once(' ').map_or(of, |(_, of)| of)
}

fn remedy<S: CheckpointState>() -> String {
    match S::HAS_FORCE {
        true => format!("choose another {OUT}, or give {FORCE} to play it again"),
        false => format!("choose another {OUT}, or remove it"),
    }
}

fn read_manifest(folder: &Path) -> Result<Option<Value>> {
    let path = folder.join("run.json");
    let bytes = match read_written(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::io("reading", path, error)),
    };
    let manifest: Option<Value> = serde_json::from_slice(&bytes).ok();
    // The names are checked because `--force` and the end of the run remove the listed files.
    manifest.iter().try_for_each(|manifest| check_listed_names(&path, manifest))?;
    Ok(manifest)
}

fn read_checkpoint(folder: &Path) -> Result<Option<Value>> {
    let path = folder.join(CHECKPOINT);
    let read = || serde_json::from_str(verify_checksum(&read_written(&path).ok()?)?).ok();
    let state: Option<Value> = read();
    state.iter().try_for_each(|state| check_listed_names(&path, state))?;
    Ok(state)
}

fn checkpoint_tables(state: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let names = list(&state["tables"]).into_iter().map(|cursor| cursor["name"].clone());
    let names = names.chain(list(&state["state"]["files"]));
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

fn first_file_name(folder: &Path) -> Result<String> {
    Ok(entries(folder)?.into_iter().next().unwrap_or_default())
}

/// Returns the name of a run's game, and true if a person played the games.
fn game_and_person(config: &Value) -> (Option<&str>, bool) {
    (config["game"].as_str(), config["controller"]["name"] == PERSON)
}

/// Opens the run folder `out`, or calls `fresh` to create one. If `resumed`, does not check that
/// the run matches `request`.
pub(crate) fn open_run<S: CheckpointState>(
    console: &Console,
    resumed: bool,
    out: Option<&Path>,
    request: &OutputRequest,
    fresh: impl FnOnce() -> Result<RunFolder>,
    is_enough: impl Fn(&Value) -> bool,
) -> Result<OpenedFolder<S>> {
    match out {
        Some(out) if resumed => {
            let folder = RunFolder::existing(out)?;
            Ok(Some((folder, Some(Checkpoint::read(out)?))))
        }
        Some(folder) => request.open(console, folder, is_enough),
        None => Ok(Some((fresh()?, None))),
    }
}

/// Calls `copy` to copy a run into `folder`. Returns `None` if `folder` holds the complete copy.
pub(crate) fn copy_into<T>(
    console: &Console,
    folder: &Path,
    config: Value,
    files: &[String],
    copy: impl FnOnce(&RunFolder) -> Result<T>,
) -> Result<Option<T>> {
    let request = OutputRequest { config, tables: files.to_vec(), force: false };
    let Some((folder, _)) = request.open::<CopyState>(console, folder, |_| true)? else {
        return Ok(None);
    };
    match copy(&folder) {
        Ok(found) => Ok(Some(found)),
        Err(error) => {
            folder.discard_copy(files);
            Err(error)
        }
    }
}

pub(crate) type RunReport<'a, J> =
    dyn Fn(&Manifest<J>, Option<&<J as Job>::Count>, &Path) -> Report + 'a;

pub(crate) struct ReportedRun<'a, J: Job> {
    pub(crate) job: &'a J,
    /// Name of the run's default folder below `runs/`, to which a number is appended.
    pub(crate) name: String,
    /// Function that computes the progress of the run from the games and pieces played so far.
    pub(crate) status: &'a (dyn Fn(&Totals) -> ProgressStatus + Sync),
    pub(crate) report: &'a RunReport<'a, J>,
    /// Function that describes what an interrupted run keeps: `3 games ended and are kept`.
    pub(crate) kept_text: &'a dyn Fn(&J::Count) -> String,
    pub(crate) note: Option<String>,
}

impl<J: Job> ReportedRun<'_, J> {
    pub(crate) fn play(
        &self,
        console: &Console,
        options: &OutOptions,
        settings: &Value,
        resumed: bool,
    ) -> anyhow::Result<Outcome> {
        let job = self.job;
        if options.dry_run {
            console.print_json(&job.recorded_config())?;
            return Ok(Outcome::Done);
        }
        let stop = console.stop_flag()?;
        let out = options.out.as_deref();
        let request = OutputRequest {
            config: json!(job.recorded_config()),
            tables: job.files(),
            force: options.force,
        };
        let fresh = || RunFolder::create_fresh(&Path::new("runs").join(plain_name(&self.name)));
        let Some((folder, from)) =
            open_run::<RunState<J>>(console, resumed, out, &request, fresh, |_| true)?
        else {
            let folder = out.unwrap_or(Path::new("."));
            if options.view {
                View::beside(folder)?.finish(console);
            }
            console
                .report(&(self.report)(&Manifest::read(folder)?, None, folder), options.format)?;
            return Ok(Outcome::Done);
        };
        let (folder, view) = View::if_asked(folder, options.view)?;
        let path = folder.path().to_owned();
        let (totals, sink) = (Totals::default(), console.row_sink());
        let played = with_view(console, view.as_ref(), || {
            console.with_progress(
                Some(&path),
                || (self.status)(&totals),
                || engine::play(job, folder, from.as_ref(), settings, &totals, &stop, sink),
            )
        })
        .map_err(|error| with_resume_hint(error, &path, settings))?;
        let report = (self.report)(&played.manifest, Some(&played.count), &path);
        console.report(&report, options.format)?;
        self.end(console, &played, &path, settings)
    }

    /// Prints how to resume an interrupted run, or returns the error of a failed run.
    fn end(
        &self,
        console: &Console,
        played: &Played<J>,
        folder: &Path,
        settings: &Value,
    ) -> anyhow::Result<Outcome> {
        let kept = || format!("{} in {}", (self.kept_text)(&played.count), folder.display());
        let resume = || resume_hint(settings, folder);
        match &played.manifest.status {
            Status::Complete => {
                self.note.iter().for_each(|note| console.eprint_line(note));
                Ok(Outcome::Done)
            }
            Status::Failed(error) => {
                bail!("{error}; {}; once this is fixed, {} resumes the run", kept(), resume())
            }
            Status::Interrupted => {
                console.eprint_line(&format!(
                    "interrupted: {}; {} resumes the run",
                    kept(),
                    resume()
                ));
                Ok(Outcome::Interrupted)
            }
        }
    }
}

pub(crate) fn is_or_are(count: u64) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn resume_hint(settings: &Value, folder: &Path) -> String {
    resume_command(settings, folder)
        .map(|command| format!("tetrastat {command}"))
        .unwrap_or_else(|| format!("the same command with --out {}", shell_path(folder)))
}

/// Adds the command that resumes the run to an error that stopped it, such as a full disk.
fn with_resume_hint(error: Error, folder: &Path, settings: &Value) -> anyhow::Error {
    match has_checkpoint(folder) {
        Ok(true) => {
            anyhow!(
                "{error}; once this is fixed, {} resumes the run",
                resume_hint(settings, folder)
            )
        }
        Ok(false) | Err(_) => error.into(),
    }
}
