//! Pages for a browser: configuration, results, games placement by placement, and rows of tables.
//!
//! A page is one HTML file that needs no network: styles, scripts, charts ([uPlot](assets/uplot),
//! MIT) and the engine as WebAssembly are embedded. Numbers come from the tables of the folder and
//! from [`crate::stats`]; the scripts draw them. A note on the page names all that was left out to
//! keep it small.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::page::games::ShownGame;
use crate::page::outcome::GamesOutcome;
use crate::page::tables::Table;
use crate::piece::{Orientation, Piece};
use crate::report::escaped;

pub use folder::holds_work;

mod folder;
mod games;
mod outcome;
mod tables;

/// Limits on the content of a folder's web page: rows, placements and bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// Maximum number of rows that the web page shows of each table.
    pub rows: usize,
    /// Maximum number of placements that the web page shows of each game.
    pub placements: usize,
    /// Maximum size of the web page in bytes. Rows and placements are halved until the page fits.
    pub bytes: usize,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes { rows: 2000, placements: 2000, bytes: 10 << 20 }
    }
}

/// Time of writing and reload interval of a web page about work that still runs.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Running {
    /// Time at which the page was written, in seconds since 1970 (UTC).
    pub written: u64,
    /// Seconds between two versions of the page, while the work in its folder runs.
    pub every_s: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum FolderKind {
    Run,
    /// Folder of a study: runs of several conditions, such as controllers, on common seeds.
    Study,
    Training,
    Estimate,
    Reproduction,
}

#[derive(Debug, Serialize)]
struct WrittenWeights {
    list: Vec<(String, f64)>,
    note: Option<String>,
}

#[derive(Debug, Serialize)]
struct Page {
    kind: FolderKind,
    title: String,
    running: Option<Running>,
    /// Warnings on the web page, for example that the run is unfinished, damaged or shown in part.
    notes: Vec<String>,
    /// Named groups of labels and values, such as the run's configuration, or version and times.
    facts: Vec<(String, Vec<(String, String)>)>,
    outcome: Option<GamesOutcome>,
    report: Option<Value>,
    weights: Option<WrittenWeights>,
    controller: Option<Value>,
    /// Entries of the run's configuration that the page's scripts need, such as board and rules.
    config: Map<String, Value>,
    /// Cells of each piece in each orientation, as column and row from the lower left corner.
    shapes: BTreeMap<&'static str, Vec<Vec<[usize; 2]>>>,
    tables: Vec<Table>,
    games: Vec<ShownGame>,
}

/// Returns the HTML text of a web page about the output folder `folder`. Give `running` if work in
/// the folder still goes on.
pub fn page(folder: &Path, sizes: &Sizes, running: Option<Running>) -> Result<String> {
    let mut page = folder::read(folder, sizes, running)?;
    let mut html = render(&page)?;
    while html.len() > sizes.bytes {
        if !page.halve() {
            return Err(Error::Config(format!(
                "the page has {} bytes, and nothing more can be left out: raise --limit",
                html.len()
            )));
        }
        html = render(&page)?;
    }
    Ok(html)
}

impl Page {
    /// Drops half of the page's table rows and placements. Returns false if too few are left.
    fn halve(&mut self) -> bool {
        let tables = self.tables.iter_mut().map(Table::halve).fold(false, |any, one| any | one);
        let games = self.games.iter_mut().map(ShownGame::halve).fold(false, |any, one| any | one);
        tables | games
    }
}

fn cells(orientation: &Orientation) -> Vec<[usize; 2]> {
    let columns = 0..usize::from(orientation.width);
    let filled = |row: u16| columns.clone().filter(move |x| row >> x & 1 == 1);
    let rows = orientation.rows.iter().enumerate();
    rows.flat_map(|(y, &row)| filled(row).map(move |x| [x, y])).collect()
}

fn shapes() -> BTreeMap<&'static str, Vec<Vec<[usize; 2]>>> {
    Piece::ALL.map(|piece| (piece.name(), piece.orientations().iter().map(cells).collect())).into()
}

const SHELL: &str = include_str!("assets/page.html");
const STYLES: [&str; 2] =
    [include_str!("assets/uplot/uPlot.min.css"), include_str!("assets/style.css")];
const SCRIPTS: [&str; 10] = [
    include_str!("assets/uplot/uPlot.iife.min.js"),
    include_str!("assets/engine.js"),
    include_str!("assets/dom.js"),
    include_str!("assets/charts.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/replay.js"),
    include_str!("assets/rows.js"),
    include_str!("assets/live_games.js"),
    include_str!("assets/live.js"),
    include_str!("assets/page.js"),
];
const LICENCE: &str = include_str!("assets/uplot/LICENSE");
/// Game engine as WebAssembly, built by `wasm/build` for the scripts of the web page.
const ENGINE: &[u8] = include_bytes!("assets/engine.wasm");

fn render(page: &Page) -> Result<String> {
    let data = serde_json::to_string(page)
        .map_err(|error| Error::Config(format!("the page's data: {error}")))?;
    let (styles, scripts) = (STYLES.concat(), SCRIPTS.join("\n"));
    let parts = [
        ("title", escaped(&page.title)),
        ("script_hash", source_hash(&scripts)),
        ("style_hash", source_hash(&styles)),
        ("styles", styles),
        ("data", escape_json_for_script(&data)),
        ("engine", engine()?.to_owned()),
        ("licence", LICENCE.trim().to_owned()),
        ("scripts", scripts),
    ];
    let mut html = String::with_capacity(data.len() + (1 << 20));
    let mut rest = SHELL;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, after) = after.split_once("}}").unwrap_or(("", after));
        html.push_str(before);
        let part = parts.iter().find(|(known, _)| *known == name);
        html.push_str(part.map_or("", |(_, text)| text));
        rest = after;
    }
    html.push_str(rest);
    Ok(html)
}

/// Returns the hash by which the page's security policy allows this script or style.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Escapes JSON so that its text can neither close the script element nor open a comment.
fn escape_json_for_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Returns the WebAssembly engine, compressed and in base64. The result is cached.
fn engine() -> Result<&'static str> {
    static COMPRESSED_ENGINE: OnceLock<String> = OnceLock::new();
    if let Some(packed) = COMPRESSED_ENGINE.get() {
        return Ok(packed);
    }
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let packed = packer.write_all(ENGINE).and_then(|()| packer.finish());
    let packed = packed.map_err(|error| Error::Config(format!("the page's engine: {error}")))?;
    Ok(COMPRESSED_ENGINE.get_or_init(|| BASE64_STANDARD.encode(packed)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_an_element() {
        let json = escape_json_for_script(r#"{"name":"</script><script>alert(1)//<!--"}"#);
        assert!(!json.contains('<'));
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back["name"], "</script><script>alert(1)//<!--");
    }
}
