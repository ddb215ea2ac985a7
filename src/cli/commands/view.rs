//! Runs `tetrastat view`: writes a folder as one page for a browser.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::bail;

use crate::cli::console::Console;
use crate::page::{Sizes, page};
use crate::record::{check_output, write_output};
use crate::text::numbers::thousands;
use crate::text::parse::count;

/// Write a folder as one HTML page
///
/// The folder is that of a run of any game, a study, a training or an estimate. The page works
/// without a network
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder that a command wrote
    folder: PathBuf,

    /// File of the page [default: the folder's name with .html, beside it]
    #[arg(short, long, value_name = "FILE.html")]
    out: Option<PathBuf>,

    /// Replace an existing file
    #[arg(long)]
    force: bool,

    /// Open the page in the browser
    #[arg(long)]
    open: bool,

    /// Maximum size of the page in megabytes. Rows and placements are left out to keep to it
    #[arg(long, value_name = "MB", default_value_t = 10, value_parser = count::<usize>(2..=2000))]
    limit: usize,

    /// Maximum number of rows of a table
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2000,
        value_parser = count::<usize>(20..=10_000_000)
    )]
    rows: usize,

    /// Maximum number of placements of a game
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2000,
        value_parser = count::<usize>(60..=10_000_000)
    )]
    placements: usize,
}

impl Args {
    pub(crate) fn run(self, console: &Console) -> anyhow::Result<()> {
        let out = self.out.clone().unwrap_or_else(|| beside(&self.folder));
        let sizes = Sizes { rows: self.rows, placements: self.placements, bytes: self.limit << 20 };
        check_output(&out, self.force)?;
        let html = page(&self.folder, &sizes, None)?;
        let written = write_output(&out, html.as_bytes(), self.force)?;
        let bytes = thousands(html.len() as u64);
        console.print_where(written, &format!("page     {} ({bytes} bytes)\n", out.display()))?;
        if self.open {
            open(&out)?;
        }
        Ok(())
    }
}

/// Returns the path of the HTML page beside `folder`: the folder's name with `.html`.
pub(crate) fn beside(folder: &Path) -> PathBuf {
    let whole = folder.canonicalize();
    let name = whole.as_deref().unwrap_or(folder).file_name().unwrap_or_default();
    let mut file = folder.parent().unwrap_or(Path::new("")).join(name).into_os_string();
    file.push(".html");
    PathBuf::from(file)
}

/// Opens the file `page` in the system's browser.
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
