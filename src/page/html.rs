//! Renders a page as one HTML file.

use std::io::Write;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::report::escaped;

use super::Page;

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
/// Licence text that every copy of uPlot must include.
const LICENCE: &str = include_str!("assets/uplot/LICENSE");
/// The engine's core as WebAssembly, built by `wasm/build`.
const ENGINE: &[u8] = include_bytes!("assets/engine.wasm");

/// Returns the page as the text of an HTML file.
///
/// # Errors
/// [`Error::Config`] if the page cannot be written as JSON, which would be a bug in this program.
pub(super) fn render(page: &Page) -> Result<String> {
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

/// Returns the Content-Security-Policy source expression that allows a script or style with exactly
/// this `text`. The page's policy allows no others.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Escapes JSON so that no text in it can close the script element or open a comment.
fn escape_json_for_script(json: &str) -> String {
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Returns the engine, compressed and in base64; the browser decompresses it. The result is cached,
/// since compression is the slowest step and pages of running work are written often.
fn engine() -> Result<&'static str> {
    static PACKED: OnceLock<String> = OnceLock::new();
    if let Some(packed) = PACKED.get() {
        return Ok(packed);
    }
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    let packed = packer.write_all(ENGINE).and_then(|()| packer.finish());
    let packed = packed.map_err(|error| Error::Config(format!("the page's engine: {error}")))?;
    Ok(PACKED.get_or_init(|| BASE64_STANDARD.encode(packed)))
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
