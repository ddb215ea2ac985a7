//! `tetrastat view`: a folder as one page for a browser.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::bail;
use tempfile::NamedTempFile;

use super::options::count;
use super::output::{Outcome, print, thousands};
use crate::error::Error;
use crate::page::{Sizes, page};

/// Write a page to look at in a browser: a run of any game, a study, a training, an estimate. One file, which
/// asks nothing of a network
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The folder that a command wrote
    folder: PathBuf,

    /// The page [default: the folder's name with .html, beside it]
    #[arg(short, long, value_name = "FILE.html")]
    out: Option<PathBuf>,

    /// Replace a file that is there
    #[arg(long)]
    force: bool,

    /// Open it in the browser
    #[arg(long)]
    open: bool,

    /// Megabytes that the page has at most: rows and placements are left out until it is no larger
    #[arg(long, value_name = "MB", default_value_t = 10, value_parser = count::<usize>(2..=2000))]
    limit: usize,

    /// Rows of a table at most
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = count::<usize>(20..=10_000_000))]
    rows: usize,

    /// Placements of a game at most
    #[arg(long, value_name = "N", default_value_t = 2000, value_parser = count::<usize>(60..=10_000_000))]
    placements: usize,
}

impl Args {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let out = self.out.clone().unwrap_or_else(|| beside(&self.folder));
        if out.exists() && !self.force {
            bail!("{} exists: choose another --out, or replace it by --force", out.display());
        }
        let sizes = Sizes { rows: self.rows, placements: self.placements, bytes: self.limit << 20 };
        let html = page(&self.folder, &sizes, None)?;
        write(&out, &html)?;
        print(&format!("page     {} ({} bytes)\n", out.display(), thousands(html.len() as u64)))?;
        if self.open {
            open(&out)?;
        }
        Ok(Outcome::Done)
    }
}

/// The page beside a folder.
pub(super) fn beside(folder: &Path) -> PathBuf {
    let whole = folder.canonicalize();
    let name = whole.as_deref().unwrap_or(folder).file_name().unwrap_or_default();
    let mut file = folder.parent().unwrap_or(Path::new("")).join(name).into_os_string();
    file.push(".html");
    PathBuf::from(file)
}

/// Writes a file so that there is always a whole one.
pub(super) fn write(out: &Path, html: &str) -> anyhow::Result<()> {
    let failed = |error| Error::io("writing", out, error);
    let parent = out.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let file = NamedTempFile::new_in(parent).map_err(failed)?;
    fs::write(file.path(), html).map_err(failed)?;
    readable(file.path()).map_err(failed)?;
    file.persist(out).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Temporary files are readable by nobody else; a page is to be sent around.
#[cfg(unix)]
fn readable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Asks the system for its browser.
fn open(page: &Path) -> anyhow::Result<()> {
    let opener = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let quiet =
        || Command::new(opener).arg(page).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = quiet() {
        bail!("{opener} could not be started ({error}): open {} in a browser", page.display());
    }
    Ok(())
}
