//! Parses numbers that users enter: counts, limits, seeds, shares.

use std::ops::{Bound, RangeBounds};

/// Reason why a text that a user entered is no whole number below 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotWhole {
    /// Malformed text: a fraction, or no number at all.
    Malformed,
    /// Whole number of 2^64 or more.
    TooLarge,
}

/// Parses a whole number below 2^64 exactly, as `50000`, `50_000`, `5e4`, `50k`, `2.5M` or `1G`.
pub fn whole(text: &str) -> Result<u64, NotWhole> {
    let unsigned = text.strip_prefix('+').unwrap_or(text);
    let (number, power) = match unsigned.as_bytes().last() {
        Some(b'k' | b'K') => (&unsigned[..unsigned.len() - 1], Some(3)),
        Some(b'M') => (&unsigned[..unsigned.len() - 1], Some(6)),
        Some(b'G') => (&unsigned[..unsigned.len() - 1], Some(9)),
        _ => (unsigned, None),
    };
    let (mantissa, power) = match (number.split_once(['e', 'E']), power) {
        (None, power) => (number, power.unwrap_or(0)),
        (Some((mantissa, exponent)), None) => {
            (mantissa, exponent.parse::<i32>().map_err(|_| NotWhole::Malformed)?)
        }
        (Some(_), Some(_)) => return Err(NotWhole::Malformed),
    };
    let (units, decimals) = match mantissa.split_once('.') {
        Some((units, decimals)) => (digits(units)?, digits(decimals)?),
        None => (digits(mantissa)?, String::new()),
    };
    let all = format!("{units}{decimals}");
    let significant = all.trim_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    // The number is `significant`, an integer without zeros at its end, times a power of ten.
    let zeros = all.len() - all.trim_end_matches('0').len();
    let power = i64::from(power) + zeros as i64 - decimals.len() as i64;
    let power = usize::try_from(power).map_err(|_| NotWhole::Malformed)?;
    let value = format!("{significant}{}", "0".repeat(power.min(20)));
    value.parse().map_err(|_| NotWhole::TooLarge)
}

fn digits(text: &str) -> Result<String, NotWhole> {
    let is_group = |group: &str| !group.is_empty() && group.bytes().all(|b| b.is_ascii_digit());
    match text.split('_').all(is_group) {
        true => Ok(text.replace('_', "")),
        false => Err(NotWhole::Malformed),
    }
}

/// Returns a parser of whole numbers within `range`, in forms such as `50k` or `5e4`.
pub fn count<T: TryFrom<u64>>(
    range: impl RangeBounds<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    let bounds = (range.start_bound().cloned(), range.end_bound().cloned());
    move |text| {
        let value = whole(text);
        let found = value.ok().filter(|value| bounds.contains(value));
        found.and_then(|value| T::try_from(value).ok()).ok_or_else(|| {
            let large = if value == Err(NotWhole::TooLarge) { ", below 2^64" } else { "" };
            let range = range_text::<T>(bounds);
            // A number outside a small range, such as that of threads, has the right form.
            let forms = match value.is_err() || bounds.contains(&2_500_000) {
                true => ", for example 50000, 50_000, 50k, 2.5M or 1e6",
                false => "",
            };
            format!("write a whole number{range}{large}{forms}")
        })
    }
}

/// Returns words for a range of allowed numbers, such as ` from 1 to 1024`, for a message.
fn range_text<T: TryFrom<u64>>((low, high): (Bound<u64>, Bound<u64>)) -> String {
    let low = match low {
        Bound::Included(low) => low,
        Bound::Excluded(low) => low.saturating_add(1),
        Bound::Unbounded => 0,
    };
    let high = match high {
        Bound::Included(high) => high,
        Bound::Excluded(high) => high.saturating_sub(1),
        Bound::Unbounded => u64::MAX,
    };
    // Every type's largest number has all its bits set.
    let fits = |bits: u32| T::try_from(u64::MAX >> bits).is_ok();
    let high = high.min((0..64).find(|&bits| fits(bits)).map_or(0, |bits| u64::MAX >> bits));
    match (low, high < i64::MAX as u64) {
        (_, true) => format!(" from {low} to {high}"),
        (0, false) => String::new(),
        (_, false) => format!(" of at least {low}"),
    }
}

/// Parses a seed of random numbers: decimal, or hexadecimal after `0x`.
pub fn seed(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x") {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None => whole(text).ok(),
    };
    parsed.ok_or_else(|| "write a whole number below 2^64, or 0x and hexadecimal digits".to_owned())
}

/// Parses a limit of a count (of a game's pieces, for example): a whole number from 1, or `none`.
pub fn limit(text: &str) -> Result<Limit, String> {
    match text {
        "none" => Ok(Limit(None)),
        _ => match whole(text) {
            Ok(limit @ 1..) => Ok(Limit(Some(limit))),
            _ => Err("write a whole number from 1, for example 50000, 50_000, 50k or 1e6, or none"
                .to_owned()),
        },
    }
}

/// Parses a number above 0, which need not be whole, such as `35e6`, `35M` or `0.5`.
pub fn positive(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let parsed = whole(text).map(|value| value as f64).or_else(|_| text.replace('_', "").parse());
    let parsed = parsed.ok().filter(|value: &f64| *value > 0.0 && value.is_finite());
    parsed.ok_or_else(|| "write a number above 0, for example 35000000, 35M or 35e6".to_owned())
}

/// Limit that a user sets for a count, such as the number of pieces in a game; `None` for no limit.
#[derive(Clone, Copy, Debug)]
pub struct Limit(pub Option<u64>);

/// Parses a share above 0 and below 1, such as `3%` or `0.03`.
pub fn share(text: &str) -> Result<f64, String> {
    let parsed = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
        None => text.parse(),
    };
    match parsed {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("write a percentage such as 3%, or a number between 0 and 1".to_owned()),
    }
}
