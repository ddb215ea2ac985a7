//! Defines the options of pictures, and of boards in fumen notation.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{bail, ensure};

use crate::cli::console::Console;
use crate::cli::console::output::Outcome;
use crate::explain::Watched;
use crate::pictures::svg::{self, animation};
use crate::pictures::{Still, cast, fumen, last_piece_no, stretch};
use crate::record::write_output;
use crate::terminal::board_view::Theme;
use crate::terminal::screen::Size;
use crate::terminal::watch::{PlaybackClock, Timeline, WatchApp};
use crate::text::parse::count;

/// Maximum rate of an animation or a terminal recording, in placements per second. Common screens
/// refresh 60 times per second.
const FASTEST: f64 = 60.0;
/// Default size of a recorded terminal, in characters.
const TERMINAL: Size = Size { width: 80, height: 24 };

/// Options of a picture of one placement.
#[derive(Debug, clap::Args)]
pub(crate) struct SvgFile {
    /// SVG file for a picture of the placement beside the one it is compared with
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explain", "place"])]
    svg: Option<PathBuf>,

    /// Replace an existing picture
    #[arg(long, requires = "svg")]
    force: bool,
}

impl SvgFile {
    /// Writes the picture of `still` to the file of `--svg`, if the option was given.
    pub(crate) fn write(&self, still: impl FnOnce() -> Still) -> anyhow::Result<()> {
        if let Some(path) = &self.svg {
            write_output(path, svg::still(&still()).as_bytes(), self.force)?;
        }
        Ok(())
    }
}

/// Options of a board in fumen notation.
#[derive(Debug, clap::Args)]
pub(crate) struct FumenBoard {
    /// Board in fumen notation, version 115, or a URL that contains it, instead of --board-file
    #[arg(long, value_name = "v115@...", conflicts_with_all = ["board_file", "picture"])]
    fumen: Option<String>,

    /// Page of the fumen, shown before its piece locks
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        requires = "fumen",
        value_parser = count::<usize>(1..)
    )]
    page: usize,
}

impl FumenBoard {
    /// Decodes a page of the fumen into a picture without empty rows at the top. Returns `None` if
    /// no fumen was given.
    pub(crate) fn picture(&self) -> anyhow::Result<Option<String>> {
        let Some(text) = &self.fumen else { return Ok(None) };
        let pages = fumen::decode(text)?;
        let Some(page) = pages.get(self.page - 1) else {
            bail!("the fumen has {} pages: give a smaller --page", pages.len());
        };
        Ok(Some(page.field.picture(1)))
    }
}

/// Options of the pictures of a watched game.
#[derive(Debug, clap::Args)]
pub(crate) struct PictureOptions {
    /// SVG file for a picture of the first placement beside the one it is compared with
    #[arg(long, value_name = "FILE", conflicts_with_all = ["animate", "asciicast", "fumen"])]
    svg: Option<PathBuf>,

    /// SVG file for an animation of the placements from --from to --to, at --speed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["asciicast", "fumen"])]
    animate: Option<PathBuf>,

    /// File for a terminal recording of these placements in asciinema format, version 2. --text
    /// sets its size
    #[arg(long, value_name = "FILE", conflicts_with = "fumen")]
    asciicast: Option<PathBuf>,

    /// Print a fumen URL of these placements, one page each
    #[arg(long)]
    fumen: bool,

    /// Last placement of --animate, --asciicast and --fumen [default: the 50th of them]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    to: Option<u64>,

    /// Replace an existing picture
    #[arg(long)]
    force: bool,
}

impl PictureOptions {
    /// Returns true if a picture was requested.
    pub(crate) fn are_asked(&self) -> bool {
        self.svg.is_some() || self.is_of_stretch()
    }

    fn is_of_stretch(&self) -> bool {
        self.animate.is_some() || self.asciicast.is_some() || self.fumen
    }

    /// Checks that no option was given that has an effect only with a picture.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.to.is_none() || self.is_of_stretch(),
            "--to applies only to --animate, --asciicast and --fumen: give one of them"
        );
        ensure!(
            !self.force || self.are_asked(),
            "--force replaces the file of a picture: give --svg, --animate or --asciicast"
        );
        Ok(())
    }

    /// Writes the requested pictures, which begin at the current placement of `timeline`. `speed`
    /// is the playback rate in placements per second. `terminal` is the size of a terminal
    /// recording.
    pub(crate) fn make<G: Watched>(
        &self,
        console: &Console,
        mut timeline: Timeline<G>,
        speed: f64,
        terminal: Option<Size>,
    ) -> anyhow::Result<Outcome> {
        let (last, speed) = (last_piece_no(&mut timeline, self.to)?, speed.min(FASTEST));
        if let Some(path) = &self.svg {
            self.write(console, path, &still(&mut timeline))?;
        }
        if let Some(path) = &self.animate {
            let shots = stretch(&mut timeline, last)?;
            self.write(console, path, &animation(timeline.title(), &shots, speed))?;
        }
        if self.fumen {
            console.print(&(fumen::address(&stretch(&mut timeline, last)?)? + "\n"))?;
        }
        if let Some(path) = &self.asciicast {
            let app = WatchApp::new(timeline, PlaybackClock::new(speed, Instant::now()), false)?;
            let size = terminal.unwrap_or(TERMINAL);
            self.write(console, path, &cast(app, size, Theme::detect(), last, speed)?)?;
        }
        Ok(Outcome::Done)
    }

    /// Writes `picture` to the file `path`, and prints the path.
    fn write(&self, console: &Console, path: &Path, picture: &str) -> anyhow::Result<()> {
        let written = write_output(path, picture.as_bytes(), self.force)?;
        Ok(console.print_where(written, &format!("{}\n", path.display()))?)
    }
}

/// Draws the current placement of a timeline as an SVG picture.
fn still<G: Watched>(timeline: &mut Timeline<G>) -> String {
    let analysis = timeline.analysis(None);
    let title = timeline.title().to_owned();
    let still = timeline.viewed().map(|step| Still::from_step(&title, &step, analysis.as_ref()));
    still.map_or(String::new(), |still| svg::still(&still))
}
