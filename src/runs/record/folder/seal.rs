//! A line of JSON with a checksum of itself: what a later process relies on must be what was written.

use sha2::{Digest, Sha256};

use crate::record::formats::blocks::hexadecimal;

/// First bytes of every sealed line.
pub(crate) const SEALED_START: &str = r#"{"sha256":""#;
const BETWEEN: &str = r#"","state":"#;
const AFTER: &str = "}\n";

/// A JSON object that holds the state, one JSON value on one line, and the SHA-256 of its text.
pub fn seal(state: &str) -> String {
    format!("{SEALED_START}{}{BETWEEN}{state}{AFTER}", checksum(&[state]))
}

/// The state's text, if it is the one that was sealed.
pub fn unseal(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let rest = text.strip_prefix(SEALED_START)?.strip_suffix(AFTER)?;
    let (sha256, state) = rest.split_once(BETWEEN)?;
    (checksum(&[state]) == sha256).then_some(state)
}

/// The SHA-256 of texts, one after another, hexadecimal.
pub fn checksum(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    texts.iter().for_each(|text| hash.update(text));
    hexadecimal(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_changed_byte_is_believed() {
        let sealed = seal(r#"{"first":17,"tables":[]}"#);
        assert_eq!(unseal(sealed.as_bytes()), Some(r#"{"first":17,"tables":[]}"#));
        let whole = serde_json::from_str::<serde_json::Value>(&sealed).unwrap();
        assert_eq!(whole["state"]["first"], 17);
        for place in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[place] ^= 1;
            assert_eq!(unseal(&changed), None, "byte {place}");
            assert_eq!(unseal(&sealed.as_bytes()[..place]), None, "cut at {place}");
        }
    }
}
