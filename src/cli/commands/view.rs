//! Runs `tetrastat view`: a folder as one HTML page, also redrawn during a run (`--view`).

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::SystemTime;

use crate::cli::console::progress::with_watcher;
use crate::cli::prelude::*;
use crate::page::{Running, Sizes, holds_work, page};
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

    /// File of the HTML page [default: the folder's name with .html, beside the folder]
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

    /// Maximum number of rows that the HTML page shows of a table
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2000,
        value_parser = count::<usize>(20..=10_000_000)
    )]
    rows: usize,

    /// Maximum number of placements that the HTML page shows of a game
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
        let out = self.out.clone().unwrap_or_else(|| page_path(&self.folder));
        let sizes = Sizes { rows: self.rows, placements: self.placements, bytes: self.limit << 20 };
        check_output(&out, self.force)?;
        let html = page(&self.folder, &sizes, None)?;
        let written = write_output(&out, html.as_bytes(), self.force)?;
        let bytes = thousands(html.len() as u64);
        console
            .print_path_line(written, &format!("page     {} ({bytes} bytes)\n", out.display()))?;
        if self.open {
            open(&out)?;
        }
        Ok(())
    }
}

/// Returns the path of the web page beside an output folder: `run.html` for the folder `run`.
fn page_path(folder: &Path) -> PathBuf {
    let whole = folder.canonicalize();
    let name = whole.as_deref().unwrap_or(folder).file_name().unwrap_or_default();
    let mut file = folder.parent().unwrap_or(Path::new("")).join(name).into_os_string();
    file.push(".html");
    PathBuf::from(file)
}

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

const POLL_INTERVAL: Duration = Duration::from_millis(200);
const MIN_INTERVAL: Duration = Duration::from_secs(5);
/// Minimum pause between two drawings of a web page, as a multiple of the last drawing's duration.
const PAUSE_FACTOR: u32 = 20;
const SNIFF_BYTES: u64 = 1 << 10;
const PAGE_MARKER: &[u8] = br#"content="tetrastat""#;

pub(crate) struct View {
    folder: PathBuf,
    page: PathBuf,
    written: AtomicBool,
}

impl View {
    /// Prepares a web page beside `folder`. Fails if another program's file has the page's name.
    pub(crate) fn beside(folder: &Path) -> anyhow::Result<View> {
        let page = page_path(folder);
        let mut head = Vec::new();
        // An unreadable page is reported later, when it is written. Opening a fifo would block.
        if fs::metadata(&page).is_ok_and(|found| !found.is_file()) {
            bail!("--view would write into {}, which is no regular file: move it", page.display());
        }
        if let Ok(file) = File::open(&page) {
            let _ = file.take(SNIFF_BYTES).read_to_end(&mut head);
            if !head.windows(PAGE_MARKER.len()).any(|part| part == PAGE_MARKER) {
                let page = page.display();
                bail!("--view would replace {page}, which is no page of this program: move it");
            }
        }
        Ok(View { folder: folder.to_owned(), page, written: AtomicBool::new(false) })
    }

    /// Prepares a web page beside `folder` if `is_asked` is true. On failure, removes `folder` if
    /// the run created the folder.
    pub(crate) fn if_asked(
        folder: RunFolder,
        is_asked: bool,
    ) -> anyhow::Result<(RunFolder, Option<View>)> {
        match is_asked.then(|| View::beside(folder.path())).transpose() {
            Ok(view) => Ok((folder, view)),
            Err(error) => {
                folder.discard();
                Err(error)
            }
        }
    }

    pub(crate) fn finish(&self, console: &Console) {
        if !holds_work(&self.folder) {
            // No output was kept; the command itself reports the reason.
            if self.written.load(Ordering::Relaxed) {
                let _ = fs::remove_file(&self.page);
            }
            return;
        }
        match self.draw(None) {
            Ok(()) => console.eprint_line(&format!("page: {}", self.page.display())),
            Err(error) => console.eprint_line(&format!("note: no page is written: {error:#}")),
        }
    }

    fn draw(&self, running: Option<Running>) -> anyhow::Result<()> {
        let html = page(&self.folder, &Sizes::default(), running)?;
        write_output(&self.page, html.as_bytes(), true)?;
        self.written.store(true, Ordering::Relaxed);
        Ok(())
    }

    fn follow(&self, work: &Receiver<()>) {
        let (mut seen, mut due, mut every) = (None, Instant::now(), MIN_INTERVAL);
        while work.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
            let last = if Instant::now() < due { None } else { last_checkpoint_time(&self.folder) };
            if last.is_none() || last == seen {
                continue;
            }
            let began = Instant::now();
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            let written = since.map_or(0, |since| since.as_secs());
            // The folder may change while it is read; the next poll reads it again.
            let _ = self.draw(Some(Running { written, every_s: every.as_secs() }));
            every = MIN_INTERVAL.max(PAUSE_FACTOR * began.elapsed());
            (seen, due) = (last, Instant::now() + every);
        }
    }
}

/// Calls `work`, and redraws the web page (if any) after each checkpoint and at the end.
pub(crate) fn with_view<T>(console: &Console, view: Option<&View>, work: impl FnOnce() -> T) -> T {
    let Some(view) = view else { return work() };
    let done = with_watcher(|work| view.follow(work), work);
    view.finish(console);
    done
}

/// Returns the time of the latest checkpoint in `folder` or, as in a study, in its subfolders.
fn last_checkpoint_time(folder: &Path) -> Option<SystemTime> {
    let modified = |path: PathBuf| fs::metadata(path).and_then(|file| file.modified()).ok();
    let last = |folder: &Path| {
        ["checkpoint.json", "conditions.csv"]
            .into_iter()
            .filter_map(|name| modified(folder.join(name)))
            .max()
    };
    let below = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let below = below.filter(|path| path.is_dir()).filter_map(|path| last(&path)).max();
    last(folder).max(below)
}
