//! Controls the playback of `tetrastat watch`: placements per second, and the time of the next
//! frame.

use std::time::{Duration, Instant};

/// Speeds that keys select, in placements per second. The last one is unlimited.
const SPEEDS: [f64; 11] =
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 10_000.0, f64::INFINITY];

/// Smallest and largest speed in placements per second, apart from the unlimited one.
pub const SPEED_RANGE: (f64, f64) = (0.01, 10_000.0);

/// Minimum time between two frames.
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// The speed of the playback and the time of the next frame of `tetrastat watch`. A frame is one
/// drawing of the screen.
#[derive(Clone, Copy, Debug)]
pub struct PlaybackClock {
    /// Speed in placements per second.
    speed: f64,
    due: Instant,
    /// Fraction of a placement, below 1, that was due at earlier frames but not made.
    owed: f64,
}

/// The placements to make before the next frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DuePlacements {
    /// Number of placements to make.
    Placements(u64),
    /// Time until which placements are made as fast as possible, at unlimited speed.
    Until(Instant),
}

impl PlaybackClock {
    /// Creates a clock with a speed within [`SPEED_RANGE`], or infinite. The first placement is due
    /// at `now`.
    #[must_use]
    pub fn new(per_second: f64, now: Instant) -> PlaybackClock {
        let (least, most) = SPEED_RANGE;
        // Higher speeds cannot be distinguished on a screen, so they are unlimited.
        let speed = if per_second > most { f64::INFINITY } else { per_second.max(least) };
        PlaybackClock { speed, due: now, owed: 0.0 }
    }

    /// Selects the next higher speed.
    pub fn faster(&mut self, now: Instant) {
        let higher = SPEEDS.into_iter().find(|&speed| speed > self.speed);
        self.speed = higher.unwrap_or(f64::INFINITY);
        self.restart(now);
    }

    /// Selects the next lower speed.
    pub fn slower(&mut self, now: Instant) {
        let lower = SPEEDS.into_iter().rev().find(|&speed| speed < self.speed);
        self.speed = lower.unwrap_or(self.speed);
        self.restart(now);
    }

    /// Restarts the clock: the next placements are due one frame interval after `now`.
    pub fn restart(&mut self, now: Instant) {
        self.due = now + self.interval();
        self.owed = 0.0;
    }

    /// Returns the time at which the next placements of the playback are made and the next frame is
    /// drawn.
    #[must_use]
    pub fn due(&self) -> Instant {
        self.due
    }

    /// Returns the placements that are due at `now`, and sets the time of the next frame.
    /// Placements missed by a late call are not made later.
    pub fn take(&mut self, now: Instant) -> DuePlacements {
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

    /// Returns the time between two frames: the time of one placement, but at least [`FRAME`].
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_as_many_placements_as_the_speed_says() {
        let start = Instant::now();
        for speed in [0.5, 5.0, 50.0, 100.0, 1000.0, 10_000.0] {
            let mut clock = PlaybackClock::new(speed, start);
            let (mut made, mut pictures) = (0, 0);
            while clock.due() < start + Duration::from_secs(10) {
                let now = clock.due();
                match clock.take(now) {
                    DuePlacements::Placements(count) => made += count,
                    DuePlacements::Until(_) => panic!("{speed} is a speed"),
                }
                pictures += 1;
            }
            let wanted = 10.0 * speed;
            assert!((made as f64 - wanted).abs() <= wanted * 0.01, "{speed}: {made}");
            assert!(pictures <= 601, "{speed}: {pictures}");
        }
    }

    #[test]
    fn the_fastest_fills_one_frame_and_lateness_is_forgiven() {
        let now = Instant::now();
        let mut clock = PlaybackClock::new(f64::INFINITY, now);
        assert_eq!(clock.take(now), DuePlacements::Until(now + FRAME));
        let mut clock = PlaybackClock::new(10.0, now);
        let late = now + Duration::from_secs(5);
        assert_eq!(clock.take(late), DuePlacements::Placements(1));
        assert_eq!(clock.due(), late);
    }

    #[test]
    fn a_speed_of_no_step_is_kept_until_a_key_goes_to_the_next_step() {
        let now = Instant::now();
        let mut clock = PlaybackClock::new(7.0, now);
        assert_eq!(clock.to_string(), "7 pieces/s");
        clock.faster(now);
        assert_eq!(clock.to_string(), "10 pieces/s");
        let mut clock = PlaybackClock::new(7.0, now);
        clock.slower(now);
        assert_eq!(clock.to_string(), "5 pieces/s");
        let mut slow = PlaybackClock::new(0.01, now);
        slow.slower(now);
        assert_eq!(slow.to_string(), "0.01 pieces/s");
        slow.faster(now);
        assert_eq!(slow.to_string(), "0.5 pieces/s");
    }

    #[test]
    fn speeds_end_at_both_ends() {
        let now = Instant::now();
        let mut clock = PlaybackClock::new(1.0, now);
        (0..20).for_each(|_| clock.slower(now));
        assert_eq!(clock.to_string(), "0.5 pieces/s");
        (0..20).for_each(|_| clock.faster(now));
        assert_eq!(clock.to_string(), "as fast as it goes");
    }
}
