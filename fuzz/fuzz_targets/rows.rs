//! Tables of every format, damaged: rows of columns of one length, or one line that says what is wrong. The first byte says
//! which table the others are.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;
use tetrastat_runs::record::read_table;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());
static FILES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let names = ["games.csv", "placements.csv", "placements.csv.gz", "placements.csv.zst"];
    names.into_iter().chain(["placements.parquet"]).map(|name| FOLDER.path().join(name)).collect()
});

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let path = &FILES[usize::from(*kind) % FILES.len()];
    fs::write(path, bytes).unwrap();
    let read = read_table(path, |columns, rows| {
        assert_eq!(columns.len(), rows.columns.len());
        assert!(rows.columns.iter().all(|values| values.len() == rows.len()));
        Ok(())
    });
    if let Err(error) = read {
        assert!(!error.to_string().is_empty());
    }
});
