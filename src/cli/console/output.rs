//! Text for eyes and JSON for programs, on stdout; and how a command ended.

use std::io::{self, Write};
use std::path::Path;

use clap::ValueEnum;
use serde::Serialize;

use crate::cli::call;
use crate::error::{Result, printable_lines};
use crate::files;
use crate::record::Written;

/// How results are printed on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For eyes.
    Text,
    /// One JSON object.
    Json,
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// What there is was printed, and is less than was asked for.
    Missed,
    Interrupted,
}

/// Prints text for people, with hidden characters escaped: names of files, folders and users may hold terminal escapes.
///
/// # Errors
/// The errors of [`print_data`].
pub(crate) fn print(text: &str) -> io::Result<()> {
    print_data(&printable_lines(text))
}

/// Prints data for programs, byte for byte.
///
/// # Errors
/// An error for a closed pipe, which ends the program quietly. In a call from another program there is no error.
pub(crate) fn print_data(text: &str) -> io::Result<()> {
    if let Some(call) = call::current() {
        call.print(text);
        return Ok(());
    }
    let mut stdout = data_out();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Returns stdout for data that does not fit into memory. Text for people must be printed with [`print`].
#[expect(clippy::disallowed_methods, reason = "the one place that writes to it")]
pub(crate) fn data_out() -> io::StdoutLock<'static> {
    io::stdout().lock()
}

/// Prints the path of an output file. Prints nothing for a stream, since that may be stdout, where no other text
/// belongs.
pub(crate) fn print_where(written: Written, line: &str) -> io::Result<()> {
    match written {
        Written::File => print(line),
        Written::Stream => Ok(()),
    }
}

/// Reads standard input, or the text that a calling program supplied for it, up to `most` bytes. Errors call it `name`.
pub(crate) fn input(name: &Path, most: u64) -> Result<String> {
    match call::current() {
        Some(call) => Ok(call.input().to_owned()),
        None => files::text_of(name, io::stdin(), most),
    }
}

/// Prints one JSON object.
pub(crate) fn print_json(value: &impl Serialize) -> anyhow::Result<()> {
    print_data(&(serde_json::to_string_pretty(value)? + "\n"))?;
    Ok(())
}

/// A whole number with thousands separated: 1,234,567.
pub(crate) fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with separated thousands and one decimal below 1,000.
pub(crate) fn number(value: f64) -> String {
    if value.abs() < 999.95 {
        return format!("{value:.1}");
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", thousands(value.abs().round() as u64))
}

/// How numbers are shown that are no larger than this: shares, which lie below 1, with four decimals.
pub(crate) fn number_up_to(largest: f64) -> fn(f64) -> String {
    let share: fn(f64) -> String = |value| format!("{value:.4}");
    if largest.abs() < 1.0 { share } else { number }
}

/// A number of things, or a median of such: no decimals where it is whole.
pub(crate) fn whole(value: f64) -> String {
    if value.fract() == 0.0 {
        number(value).trim_end_matches(".0").to_owned()
    } else {
        number(value)
    }
}

/// A p-value: of a test by resampling or of great numbers no digits are known below a thousandth.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([12.34, -1234.5, 999.96].map(number), ["12.3", "-1,235", "1,000"]);
        assert_eq!([102.0, 102.5, 0.0, 1200.0].map(whole), ["102", "102.5", "0", "1,200"]);
        assert_eq!([0.0, 4e-310, 0.05].map(p_value), ["<0.001", "<0.001", "0.050"]);
    }
}
