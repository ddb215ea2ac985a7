//! Implements `tetrastat watch`, which plays a controller's game and explains its choices.

pub(crate) mod screen;
mod timeline;

use std::time::{Duration, Instant};

use self::screen::{NEED, draw};
use crate::explain::{Analysis, Watched};
use crate::prelude::*;
use crate::screen::{Event, Events, Screen, draw_if_fits, draw_to_text};

pub use timeline::{DEFAULT_STORED, Timeline};

#[cfg(test)]
#[path = "tests/screens.rs"]
mod screens;
#[cfg(test)]
mod tests;

/// Shows a watched game on the terminal. Returns `true` if the viewer quits, and `false` if a
/// signal asks the program to end.
pub fn run<G: Watched>(mut app: WatchApp<G>, theme: Theme) -> Result<bool> {
    let events = Events::catch()?;
    let mut screen = Screen::open("tetrastat watch", NEED)?;
    events.listen()?;
    while !app.has_quit() {
        // The terminal was closed.
        if !screen.draw(|frame| draw(frame, &app, theme))? {
            return Ok(false);
        }
        match events.next(app.due()).map(|happened| (happened.event, happened.at)) {
            Some((Event::Stop, _)) => return Ok(false),
            Some((Event::Key(key), at)) if key.is_down() => app.press(key.code, at)?,
            _ => {}
        }
        app.tick(Instant::now())?;
    }
    Ok(true)
}

/// Returns the watched game's screen of `size` as lines of text without trailing spaces.
pub fn picture<G: Watched>(app: &WatchApp<G>, size: Size) -> Result<String> {
    draw_to_text(size, |frame| draw_if_fits(frame, NEED, |frame| draw(frame, app, Theme::Plain)))
}

/// State of the viewer of a game: placements, playback clock, analysis of the shown placement.
pub struct WatchApp<G: Watched> {
    timeline: Timeline<G>,
    clock: PlaybackClock,
    paused: bool,
    quit: bool,
    /// Rank of the placement compared with the chosen one; `None` for the best alternative.
    other: Option<usize>,
    analysis: Option<Analysis>,
}

impl<G: Watched> WatchApp<G> {
    /// Creates the viewer of a game. A `timeline` that shows nothing moves to its first placement.
    pub fn new(
        mut timeline: Timeline<G>,
        clock: PlaybackClock,
        paused: bool,
    ) -> Result<WatchApp<G>> {
        if timeline.step().is_none() {
            timeline.forward()?;
        }
        let mut app =
            WatchApp { timeline, clock, paused, quit: false, other: None, analysis: None };
        app.explain();
        Ok(app)
    }

    pub(crate) fn timeline(&self) -> &Timeline<G> {
        &self.timeline
    }

    pub(crate) fn clock(&self) -> &PlaybackClock {
        &self.clock
    }

    /// Returns true if the viewer paused the playback, or the game is over.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused || self.timeline.ending().is_some()
    }

    pub(crate) fn has_quit(&self) -> bool {
        self.quit
    }

    pub(crate) fn analysis(&self) -> Option<&Analysis> {
        self.analysis.as_ref()
    }

    /// Returns the time of the watched game's next automatic step, or `None` while paused.
    pub(crate) fn due(&self) -> Option<Instant> {
        (!self.is_paused()).then(|| self.clock.due())
    }

    /// Handles a pressed key, which changes the shown placement or the speed of a watched game.
    pub(crate) fn press(&mut self, key: KeyCode, now: Instant) -> Result<()> {
        match key {
            KeyCode::Char('q') | KeyCode::Esc => self.quit = true,
            KeyCode::Char(' ') => {
                self.paused = !self.paused;
                // Without a restart, the next placement would be due at once after a pause.
                self.clock.restart(now);
            }
            // The plus key without shift, as on most keyboards.
            KeyCode::Char('+' | '=') => self.clock.faster(now),
            KeyCode::Char('-' | '_') => self.clock.slower(now),
            KeyCode::Right | KeyCode::Char('n') => {
                self.paused = true;
                self.timeline.forward()?;
                self.explain_new();
            }
            KeyCode::Left | KeyCode::Char('b') => self.jump(|timeline| {
                timeline.back();
            }),
            KeyCode::Home => self.jump(Timeline::first),
            KeyCode::End | KeyCode::Char('g') => self.jump(Timeline::last),
            KeyCode::Down => self.compare(1),
            KeyCode::Up => self.compare(-1),
            _ => {}
        }
        Ok(())
    }

    /// Plays the watched game's placements that are due at `now` at the playback's speed.
    pub(crate) fn tick(&mut self, now: Instant) -> Result<()> {
        if self.is_paused() || now < self.clock.due() {
            return Ok(());
        }
        match self.clock.take_due(now) {
            DuePlacements::Placements(count) => {
                for _ in 0..count {
                    self.timeline.forward()?;
                }
            }
            DuePlacements::Until(end) => while self.timeline.forward()? && Instant::now() < end {},
        }
        // One explanation is enough for all new placements, since those in between are not shown.
        self.explain_new();
        Ok(())
    }

    fn jump(&mut self, move_to: impl FnOnce(&mut Timeline<G>)) {
        self.paused = true;
        move_to(&mut self.timeline);
        self.explain_new();
    }

    fn explain_new(&mut self) {
        self.other = None;
        self.explain();
    }

    /// Selects the next worse (`by` 1) or better (-1) placement to compare with the chosen one.
    fn compare(&mut self, by: isize) {
        self.paused = true;
        let Some(analysis) = &self.analysis else { return };
        let Some(other) = analysis.other else { return };
        let skip = |rank: usize| rank.checked_add_signed(by);
        // Skips the chosen placement, which is not compared with itself.
        let next = skip(other)
            .and_then(|rank| if Some(rank) == analysis.chosen { skip(rank) } else { Some(rank) });
        if let Some(next) = next.filter(|&rank| rank < analysis.candidates.len()) {
            self.other = Some(next);
            self.explain();
        }
    }

    fn explain(&mut self) {
        self.analysis = self.timeline.analysis(self.other);
    }
}

/// Playback speeds of watched games, selected by keys: placements per second, the last unlimited.
const SPEEDS: [f64; 11] =
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 10_000.0, f64::INFINITY];

/// Smallest and largest limited speed of a watched game, in placements per second.
pub const SPEED_RANGE: (f64, f64) = (0.01, 10_000.0);

const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// The clock of a watched game, which tells how many placements are due at the chosen speed.
#[derive(Clone, Copy, Debug)]
pub struct PlaybackClock {
    speed: f64,
    due: Instant,
    /// Fraction of a placement carried over to the next frame, as frames play whole placements.
    owed: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DuePlacements {
    Placements(u64),
    /// Time at which a frame at unlimited speed stops playing placements.
    Until(Instant),
}

impl PlaybackClock {
    /// Creates the playback clock of a watched game. Speeds above the maximum of [`SPEED_RANGE`]
    /// are unlimited. The first placement is due at `now`.
    #[must_use]
    pub fn new(per_second: f64, now: Instant) -> PlaybackClock {
        let (least, most) = SPEED_RANGE;
        // Higher speeds cannot be distinguished on a screen, so they are unlimited.
        let speed = if per_second > most { f64::INFINITY } else { per_second.max(least) };
        PlaybackClock { speed, due: now, owed: 0.0 }
    }

    pub(crate) fn faster(&mut self, now: Instant) {
        let higher = SPEEDS.into_iter().find(|&speed| speed > self.speed);
        self.speed = higher.unwrap_or(f64::INFINITY);
        self.restart(now);
    }

    pub(crate) fn slower(&mut self, now: Instant) {
        let lower = SPEEDS.into_iter().rev().find(|&speed| speed < self.speed);
        self.speed = lower.unwrap_or(self.speed);
        self.restart(now);
    }

    /// Restarts the playback clock after a pause, so that missed placements are not made up.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.due = now + self.interval();
        self.owed = 0.0;
    }

    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// Returns how many placements of a watched game are due, and sets the time of the next frame.
    pub(crate) fn take_due(&mut self, now: Instant) -> DuePlacements {
        let interval = self.interval();
        // The next frame is never due in the past, so that a pause of the machine is not followed
        // by a burst of placements.
        self.due = (self.due + interval).max(now);
        if self.speed.is_infinite() {
            return DuePlacements::Until(now + FRAME);
        }
        self.owed += self.speed * interval.as_secs_f64();
        // Rounding of the interval must not lose a placement.
        let whole = (self.owed + 1e-6).floor();
        self.owed -= whole;
        DuePlacements::Placements(whole as u64)
    }

    fn interval(&self) -> Duration {
        // Higher speeds make several placements per frame.
        FRAME.max(Duration::from_secs_f64(1.0 / self.speed))
    }
}

impl std::fmt::Display for PlaybackClock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.speed {
            speed if speed.is_infinite() => f.write_str("as fast as it goes"),
            speed => write!(f, "{speed} pieces/s"),
        }
    }
}
