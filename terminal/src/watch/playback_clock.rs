//! How many placements a second, and when the next one is due.

use std::time::{Duration, Instant};

/// Placements a second that keys choose; the last is as many as can be made.
const SPEEDS: [f64; 11] =
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 10_000.0, f64::INFINITY];

/// Fewest and most placements a second, but for as many as can be made.
pub const SPEED_RANGE: (f64, f64) = (0.01, 10_000.0);

/// Time between two pictures at most, when there is something to show.
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// A speed, and when something is due.
#[derive(Clone, Copy, Debug)]
pub struct PlaybackClock {
    /// Placements a second.
    speed: f64,
    due: Instant,
    /// Placements owed, in parts of one.
    owed: f64,
}

/// What is due before the next picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DuePlacements {
    /// So many placements.
    Placements(u64),
    /// As many as can be made until then.
    Until(Instant),
}

impl PlaybackClock {
    /// So many placements a second, within [`SPEED_RANGE`] or infinite, the first at once.
    #[must_use]
    pub fn new(per_second: f64, now: Instant) -> PlaybackClock {
        let (least, most) = SPEED_RANGE;
        // What a screen cannot tell apart is as fast as it goes.
        let speed = if per_second > most { f64::INFINITY } else { per_second.max(least) };
        PlaybackClock { speed, due: now, owed: 0.0 }
    }

    /// The next higher speed.
    pub fn faster(&mut self, now: Instant) {
        let higher = SPEEDS.into_iter().find(|&speed| speed > self.speed);
        self.speed = higher.unwrap_or(f64::INFINITY);
        self.restart(now);
    }

    /// The next lower speed.
    pub fn slower(&mut self, now: Instant) {
        let lower = SPEEDS.into_iter().rev().find(|&speed| speed < self.speed);
        self.speed = lower.unwrap_or(self.speed);
        self.restart(now);
    }

    /// Begins to count anew: the next placement is due one interval from now.
    pub fn restart(&mut self, now: Instant) {
        self.due = now + self.interval();
        self.owed = 0.0;
    }

    /// When the next placement and picture are due.
    #[must_use]
    pub fn due(&self) -> Instant {
        self.due
    }

    /// What is due now. What could not be made in time is not made up for.
    pub fn take(&mut self, now: Instant) -> DuePlacements {
        let interval = self.interval();
        // Not before now, so that no burst of placements makes up for a pause of the machine.
        self.due = (self.due + interval).max(now);
        if self.speed.is_infinite() {
            return DuePlacements::Until(now + FRAME);
        }
        self.owed += self.speed * interval.as_secs_f64();
        // A rounded interval must not lose a placement.
        let whole = (self.owed + 1e-6).floor();
        self.owed -= whole;
        DuePlacements::Placements(whole as u64)
    }

    /// Time between two looks: that of a placement, or of a picture where several are made for each.
    fn interval(&self) -> Duration {
        // Never more pictures than a screen shows: faster speeds make several placements for each.
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
