//! Formats numbers for reports.

/// Text that stands for a missing value in a table.
pub const NA: &str = "NA";

/// Returns the text of a table's value, or `NA` if the value is missing.
#[must_use]
pub fn or_na(text: Option<String>) -> String {
    text.unwrap_or_else(|| NA.to_owned())
}

/// Formats a whole number with commas between thousands: 1,234,567.
#[must_use]
pub fn thousands(value: u64) -> String {
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

/// Formats a count of things with the singular or plural of `noun`: "1 game", "2,000 games".
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(count))
}

/// Formats a number with one decimal, or from 1,000 on as a whole number with commas: 1,235.
#[must_use]
pub fn number(value: f64) -> String {
    if value.abs() < 999.95 {
        return format!("{value:.1}");
    }
    let sign = if value < 0.0 { "-" } else { "" };
    format!("{sign}{}", thousands(value.abs().round() as u64))
}

/// Formats a number with four significant digits (5.900e-29), or from 1,000 on as `1,235`.
#[must_use]
pub fn significant(value: f64) -> String {
    let size = value.abs();
    if size >= 999.95 {
        number(value)
    } else if size != 0.0 && size < 1e-4 {
        format!("{value:.3e}")
    } else if size == 0.0 {
        "0".to_owned()
    } else {
        // The exponent of the rounded number: 9.99996 is 10.00.
        let rounded = format!("{size:.3e}");
        let exponent = rounded.split_once('e').and_then(|(_, digits)| digits.parse().ok());
        let decimals = (3i32 - exponent.unwrap_or(0)).max(0) as usize;
        format!("{value:.decimals$}")
    }
}

/// Returns a formatter with four significant digits if `largest` < 1, else at most one decimal.
#[must_use]
pub fn number_up_to(largest: f64) -> fn(f64) -> String {
    if largest.abs() < 1.0 { significant } else { number }
}

/// Formats a number, such as a count or a median of counts, without decimals if it is whole.
#[must_use]
pub fn whole(value: f64) -> String {
    if value.fract() == 0.0 {
        number(value).trim_end_matches(".0").to_owned()
    } else {
        number(value)
    }
}

/// Formats a number with the fewest digits that parse back to it, below 0.00001 as 5.9e-29.
#[must_use]
pub fn shortest(value: f64) -> String {
    match value != 0.0 && value.abs() < 1e-5 {
        true => format!("{value:e}"),
        false => value.to_string(),
    }
}

/// Formats a p-value with three decimals, or as `<0.001`.
#[must_use]
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let counts = [0, 1, 1000].map(|count| counted(count, "game"));
        assert_eq!(counts, ["0 games", "1 game", "1,000 games"]);
        assert_eq!([12.34, -1234.5, 999.96].map(number), ["12.3", "-1,235", "1,000"]);
        assert_eq!([102.0, 102.5, 0.0, 1200.0].map(whole), ["102", "102.5", "0", "1,200"]);
        let ratios = [9.99996, 0.023714, -0.5, 5.9e-29, 999.96, 24_015.3, 0.0].map(significant);
        let texts = ["10.00", "0.02371", "-0.5000", "5.900e-29", "1,000", "24,015", "0"];
        assert_eq!(ratios, texts);
        assert_eq!(number_up_to(0.0)(24_015.25), "24,015");
        assert_eq!([5.9e-29, 1e-5, -0.25, 0.0].map(shortest), ["5.9e-29", "0.00001", "-0.25", "0"]);
        assert_eq!([0.0, 4e-310, 0.05].map(p_value), ["<0.001", "<0.001", "0.050"]);
    }
}
