//! Times as RFC 3339 text.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Number of years after which the calendar repeats.
const CYCLE_YEARS: i32 = 400;
/// Length of `CYCLE_YEARS` years.
const CYCLE: Duration = Duration::from_secs(146_097 * 86_400);
/// Text for a time before the year 0.
const FIRST: &str = "0000-01-01T00:00:00Z";
/// Text for a time after the year 9999.
const LAST: &str = "9999-12-31T23:59:59Z";

/// Formats a time as RFC 3339 in UTC and whole seconds. A clock may be set to any year: a time
/// outside the format's range becomes the nearest time inside it.
#[must_use]
pub fn utc_time(time: SystemTime) -> String {
    // The formatter supports no time before 1970, so such times are shifted by whole cycles of the
    // calendar.
    let mut shifted = Some(time);
    for years in (0..=5).map(|cycles| cycles * CYCLE_YEARS) {
        match shifted {
            Some(late) if late >= UNIX_EPOCH => {
                let mut text = String::new();
                if write!(text, "{}", humantime::format_rfc3339_seconds(late)).is_err() {
                    return LAST.to_owned();
                }
                let (year, rest) = text.split_at(4);
                return match year.parse::<i32>().map(|year| year - years) {
                    Ok(year @ 0..) => format!("{year:04}{rest}"),
                    _ => FIRST.to_owned(),
                };
            }
            early => shifted = early.and_then(|early| early.checked_add(CYCLE)),
        }
    }
    FIRST.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_be_set_to_any_year() {
        let before = |seconds| UNIX_EPOCH.checked_sub(Duration::from_secs(seconds)).unwrap();
        let after = |seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap();
        for (time, text) in [
            (UNIX_EPOCH, "1970-01-01T00:00:00Z"),
            (after(1_600_000_000), "2020-09-13T12:26:40Z"),
            (before(1), "1969-12-31T23:59:59Z"),
            (before(10 * 365 * 86_400 + 3 * 86_400), "1960-01-01T00:00:00Z"),
            (before(62_167_219_200), FIRST),
            (before(62_167_219_201), FIRST),
            (before(1 << 60), FIRST),
            (after(253_402_300_799), LAST),
            (after(253_402_300_800), LAST),
        ] {
            assert_eq!(utc_time(time), text);
        }
    }
}
