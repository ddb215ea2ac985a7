//! Text that people write and read: numbers in options and reports, tables of reports.

pub mod numbers;
pub mod parse;
pub mod table;
