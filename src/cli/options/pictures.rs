//! Options of pictures, and of boards in fumen notation.

use crate::cli::prelude::*;
use crate::explain::Watched;
use crate::pictures::svg::{self, animation};
use crate::pictures::{Still, cast, fumen, last_piece_no, stretch};
use crate::record::write_output;
use crate::terminal::board_view::Theme;
use crate::terminal::screen::Size;
use crate::terminal::watch::{PlaybackClock, Timeline, WatchApp};
use crate::text::parse::count;

/// Maximum rate of an animation, in placements per second: the refresh rate of common screens.
const MAX_RATE: f64 = 60.0;
const RECORDING_SIZE: Size = Size { width: 80, height: 24 };

#[derive(Debug, clap::Args)]
pub(crate) struct SvgFile {
    /// SVG file for a picture of the best placement, with the second best dashed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["explain", "place"])]
    svg: Option<PathBuf>,

    /// Replace an existing picture
    #[arg(long, requires = "svg")]
    force: bool,
}

impl SvgFile {
    pub(crate) fn write(&self, still: impl FnOnce() -> Still) -> anyhow::Result<()> {
        if let Some(path) = &self.svg {
            write_output(path, svg::still(&still()).as_bytes(), self.force)?;
        }
        Ok(())
    }
}

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
    /// Decodes the chosen page of a fumen (board notation) to a text picture of its board.
    pub(crate) fn picture(&self) -> anyhow::Result<Option<String>> {
        let Some(text) = &self.fumen else { return Ok(None) };
        let pages = fumen::decode(text)?;
        let Some(page) = pages.get(self.page - 1) else {
            bail!("the fumen has {} pages: give a smaller --page", pages.len());
        };
        Ok(Some(page.field.picture(1)))
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct PictureOptions {
    /// SVG file for a picture of the first placement, with the compared alternative dashed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["animate", "asciicast", "fumen"])]
    svg: Option<PathBuf>,

    /// SVG file for an animation of the placements from --from to --to, at --speed
    #[arg(long, value_name = "FILE", conflicts_with_all = ["asciicast", "fumen"])]
    animate: Option<PathBuf>,

    /// File for a terminal recording of the placements from --from to --to, in asciinema format,
    /// version 2. --text sets its size
    #[arg(long, value_name = "FILE", conflicts_with = "fumen")]
    asciicast: Option<PathBuf>,

    /// Print a fumen URL of the placements from --from to --to, one page each
    #[arg(long)]
    fumen: bool,

    /// Last placement of --animate, --asciicast and --fumen [default: the 50th from --from on]
    #[arg(long, value_name = "N", value_parser = count::<u64>(1..))]
    to: Option<u64>,

    /// Replace an existing picture
    #[arg(long)]
    force: bool,
}

impl PictureOptions {
    pub(crate) fn has_any(&self) -> bool {
        self.svg.is_some() || self.has_several()
    }

    fn has_several(&self) -> bool {
        self.animate.is_some() || self.asciicast.is_some() || self.fumen
    }

    pub(crate) fn check(&self) -> anyhow::Result<()> {
        ensure!(
            self.to.is_none() || self.has_several(),
            "--to applies only to --animate, --asciicast and --fumen: give one of them"
        );
        ensure!(
            !self.force || self.has_any(),
            "--force replaces the file of a picture: give --svg, --animate or --asciicast"
        );
        Ok(())
    }

    /// Writes the requested pictures and recordings of a game, beginning at the placement that
    /// `timeline` shows.
    pub(crate) fn make<G: Watched>(
        &self,
        console: &Console,
        mut timeline: Timeline<G>,
        speed: f64,
        terminal: Option<Size>,
    ) -> anyhow::Result<Outcome> {
        let (last, speed) = (last_piece_no(&mut timeline, self.to)?, speed.min(MAX_RATE));
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
            let size = terminal.unwrap_or(RECORDING_SIZE);
            self.write(console, path, &cast(app, size, Theme::detect(), last, speed)?)?;
        }
        Ok(Outcome::Done)
    }

    fn write(&self, console: &Console, path: &Path, picture: &str) -> anyhow::Result<()> {
        let written = write_output(path, picture.as_bytes(), self.force)?;
        Ok(console.print_path_line(written, &format!("{}\n", path.display()))?)
    }
}

fn still<G: Watched>(timeline: &mut Timeline<G>) -> String {
    let analysis = timeline.analysis(None);
    let title = timeline.title().to_owned();
    let still = timeline.viewed().map(|step| Still::from_step(&title, &step, analysis.as_ref()));
    still.map_or(String::new(), |still| svg::still(&still))
}
