//! Files of one JSON line with a state and its checksum, so that a later process detects changed
//! content.

use sha2::{Digest, Sha256};

use crate::record::formats::blocks::hexadecimal;

/// First bytes of every line that [`write_checksum`] returns.
pub(crate) const CHECKSUM_START: &str = r#"{"sha256":""#;
const BETWEEN: &str = r#"","state":"#;
const AFTER: &str = "}\n";

/// Returns a JSON line with the SHA-256 of `state` under the key `sha256`, and `state` under
/// `state`. `state` must be JSON on one line.
pub fn write_checksum(state: &str) -> String {
    format!("{CHECKSUM_START}{}{BETWEEN}{state}{AFTER}", checksum(&[state]))
}

/// Returns the state in a line that [`write_checksum`] returned. Returns `None` if the line has
/// another form or the state does not match its checksum.
pub fn verify_checksum(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let rest = text.strip_prefix(CHECKSUM_START)?.strip_suffix(AFTER)?;
    let (sha256, state) = rest.split_once(BETWEEN)?;
    (checksum(&[state]) == sha256).then_some(state)
}

/// Returns the SHA-256 of the concatenated texts as hexadecimal digits.
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
        let sealed = write_checksum(r#"{"first":17,"tables":[]}"#);
        assert_eq!(verify_checksum(sealed.as_bytes()), Some(r#"{"first":17,"tables":[]}"#));
        let whole = serde_json::from_str::<serde_json::Value>(&sealed).unwrap();
        assert_eq!(whole["state"]["first"], 17);
        for place in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[place] ^= 1;
            assert_eq!(verify_checksum(&changed), None, "byte {place}");
            assert_eq!(verify_checksum(&sealed.as_bytes()[..place]), None, "cut at {place}");
        }
    }
}
