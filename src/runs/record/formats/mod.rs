//! Table files: CSV (plain, gzip, zstd) and Parquet, written in blocks and read as columns.

pub(crate) mod blocks;
pub(crate) mod copy;
pub(crate) mod csv;
pub(crate) mod extract;
pub(crate) mod format;
pub(crate) mod parquet;
pub(crate) mod read_values;
pub(crate) mod table_file;
