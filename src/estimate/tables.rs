//! The tables of an estimate, for figures.

use std::path::Path;

use serde::Serialize;

use super::{Levels, Replication, height_rows, level_rows};
use crate::board::BoardSize;
use crate::error::{Error, Result};
use crate::record::RunFolder;

/// One replication.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReplicationRow {
    /// 0-based.
    pub replication: usize,
    /// Pieces of the main path.
    pub main_pieces: u64,
    /// Its lines.
    pub lines: u64,
    /// Its deaths.
    pub main_deaths: u64,
    /// Pieces of all paths.
    pub pieces: u64,
    /// Deaths of all paths, as simulated.
    pub deaths: u64,
    /// Deaths of all paths, by weight.
    pub weighted_deaths: f64,
    /// Excursions of the main path above the first level in which a path died.
    pub deadly_excursions: u64,
}

fn replication_rows<'a>(
    replications: &'a [Replication],
    levels: &'a Levels,
) -> impl Iterator<Item = ReplicationRow> + 'a {
    replications.iter().enumerate().map(|(replication, found)| ReplicationRow {
        replication,
        main_pieces: found.main_pieces,
        lines: found.lines,
        main_deaths: found.main_deaths,
        pieces: found.pieces,
        deaths: found.deaths.iter().sum(),
        weighted_deaths: found.weighted_deaths(levels),
        deadly_excursions: found.deadly_excursions,
    })
}

/// Writes `levels.csv`, `replications.csv` and `heights.csv`.
///
/// # Errors
/// [`Error::Io`] when they can't be written.
pub fn write_tables(
    folder: &RunFolder,
    replications: &[Replication],
    levels: &Levels,
    size: BoardSize,
) -> Result<()> {
    write(folder, "levels.csv", level_rows(replications, levels))?;
    write(folder, "replications.csv", replication_rows(replications, levels))?;
    write(folder, "heights.csv", height_rows(replications, size))
}

fn write<R: Serialize>(
    folder: &RunFolder,
    name: &str,
    rows: impl IntoIterator<Item = R>,
) -> Result<()> {
    let failed = |e: csv::Error| Error::io("writing", Path::new(name), e.into());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).map_err(failed)?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(e.into_error().into()))?;
    folder.put(name, &String::from_utf8_lossy(&bytes))
}
