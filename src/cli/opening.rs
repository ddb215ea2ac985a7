//! `--out`: the same command into the same folder goes on.

use std::path::Path;

use serde_json::Value;

use super::complain;
use crate::error::Result;
use crate::record::{Asked, Copying, Opening, ResumePoint, RunFolder};

/// The folder of a run, with where it goes on if it was begun there; `None` when it is complete. Says on
/// stderr what is replaced, or that nothing is played again.
///
/// # Errors
/// As [`Asked::open`].
pub(super) fn open_out<P: ResumePoint>(
    asked: &Asked,
    is_enough: impl Fn(&Value) -> bool,
) -> Result<Option<(RunFolder, Option<P>)>> {
    let shown = asked.folder.display();
    Ok(match asked.open(is_enough)? {
        Opening::Fresh(folder, replaced) => {
            replaced.iter().for_each(|replaced| complain(replaced));
            Some((folder, None))
        }
        Opening::Begun(folder, point) => Some((folder, Some(point))),
        Opening::Complete => {
            complain(&format!("{shown} holds this already, complete: nothing is played again"));
            None
        }
    })
}

/// What a run's folder is to hold, as [`Asked`] has it.
pub(super) struct Wanted {
    /// What is played, as the manifest will say it.
    pub(super) config: Value,
    /// Files of the tables.
    pub(super) tables: Vec<String>,
    /// Whether another run may be replaced.
    pub(super) force: bool,
}

/// The folder of a run: `out`, where the same command goes on, or else a fresh one. A run that is `resumed`
/// goes on in `out` from the checkpoint that was read there. `None` when the run is complete.
///
/// # Errors
/// As [`Asked::open`] and `fresh`.
pub(super) fn open_run<P: ResumePoint>(
    resumed: bool,
    out: Option<&Path>,
    Wanted { config, tables, force }: Wanted,
    fresh: impl FnOnce() -> Result<RunFolder>,
    is_enough: impl Fn(&Value) -> bool,
) -> Result<Option<(RunFolder, Option<P>)>> {
    match out {
        Some(out) if resumed => Ok(Some((RunFolder::existing(out)?, None))),
        Some(folder) => open_out(&Asked { folder, config, tables, force }, is_enough),
        None => Ok(Some((fresh()?, None))),
    }
}

/// The folder of a copy of a run, which begins again when it was not finished; `None` when it is there already.
///
/// # Errors
/// As [`Asked::open`].
pub(super) fn folder_of_copy(
    folder: &Path,
    config: Value,
    tables: Vec<String>,
) -> Result<Option<RunFolder>> {
    let asked = Asked { folder, config, tables, force: false };
    let opened = open_out::<Copying>(&asked, |_| true)?;
    Ok(opened.map(|(folder, _)| folder))
}
