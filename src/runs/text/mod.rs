//! Formats and parses text for people: numbers in options and reports, and tables of reports.

pub mod numbers;
pub mod parse;
