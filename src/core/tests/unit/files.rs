//! Tests of [`tetrastat_core::files`].

use std::io;
use std::path::Path;

use tetrastat_core::files::*;

#[test]
fn no_more_is_read_than_is_allowed() {
    let name = Path::new("a.toml");
    assert_eq!(read_limited(name, &b"holes"[..], 5).unwrap(), "holes");
    let error = read_limited(name, &b"holes\xff"[..], 5).unwrap_err().to_string();
    assert!(error.contains("a.toml has more than 5 bytes"), "{error}");
    let error = read_limited(name, io::repeat(0), CONTROLLER).unwrap_err().to_string();
    assert!(error.contains("1048576 bytes"), "{error}");
    let error = read_limited(name, &b"\xff"[..], 5).unwrap_err().to_string();
    assert!(error.contains("must be UTF-8 text"), "{error}");
    assert!(read_written(Path::new("/dev/zero")).is_err());
    assert!(read_table(Path::new("/dev/zero")).is_err());
}
