//! Statistics of row groups: the smallest and the largest value of each column.
//!
//! A footer has no checksum, and a changed statistic would hide rows from readers that skip row
//! groups. The footer therefore contains a checksum of all statistics under a key of its own.

use flate2::Crc;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::statistics::Statistics;

/// Key of the checksum in a Parquet file's metadata.
const KEY: &str = "tetrastat:statistics";

/// Returns the checksum of the statistics of all row groups, for the footer's metadata.
pub(super) fn checksum(groups: &[RowGroupMetaData]) -> KeyValue {
    let mut crc = Crc::new();
    for group in groups {
        crc.update(&group.num_rows().to_le_bytes());
        for column in group.columns() {
            let found = column.statistics();
            let bounds = [
                found.and_then(Statistics::min_bytes_opt),
                found.and_then(Statistics::max_bytes_opt),
            ];
            for bound in bounds {
                // The length separates the bounds; no bound differs from an empty one.
                let length = bound.map_or(-1, |bound| bound.len() as i64);
                crc.update(&length.to_le_bytes());
                crc.update(bound.unwrap_or_default());
            }
        }
    }
    KeyValue::new(KEY.to_owned(), format!("crc32:{:08x}", crc.sum()))
}

/// Returns true if the footer contains the checksum of its statistics.
pub(super) fn are_valid(metadata: &ParquetMetaData) -> bool {
    let pairs = metadata.file_metadata().key_value_metadata();
    let stored = pairs.and_then(|pairs| pairs.iter().find(|pair| pair.key == KEY));
    stored.is_some_and(|stored| *stored == checksum(metadata.row_groups()))
}

/// Returns the smallest and the largest integer of a column. Returns `None` if they are not
/// recorded.
pub(super) fn whole_range(column: &ColumnChunkMetaData) -> Option<(i64, i64)> {
    match column.statistics()? {
        Statistics::Int32(found) => Some(((*found.min_opt()?).into(), (*found.max_opt()?).into())),
        Statistics::Int64(found) => Some((*found.min_opt()?, *found.max_opt()?)),
        _ => None,
    }
}

/// Returns the smallest and the largest number of a column. Returns `None` if they are not recorded
/// or if the values are no numbers.
pub(super) fn range(column: &ColumnChunkMetaData) -> Option<(f64, f64)> {
    match column.statistics()? {
        Statistics::Double(found) => found.min_opt().copied().zip(found.max_opt().copied()),
        _ => whole_range(column).map(|(low, high)| (low as f64, high as f64)),
    }
}
