//! Answers JSON requests to the engine, which is compiled to WebAssembly. Answers are JSON, too.
//!
//! A request is an object with one key, the name of the request. The file of that name documents
//! its keys and its answer. An answer is an object, `{"error": "..."}` if the request is invalid.
//! Unknown keys are errors.
//!
//! | request | answer |
//! |---|---|
//! | `{"presets": {}}` | the built-in controllers, features and terms |
//! | `{"rank": {...}}` | every placement of a piece with its score, best first |
//! | `{"play": {...}}` | the next placements of a game, as `tetrastat simulate` plays it |
//! | `{"guideline_rank": {...}}` | every landing of a piece, also by using the hold, best first |
//!
//! Several requests share these keys:
//!
//! - `controller` (default: `bcts`): the name of a preset, the text of a TOML file, or an object
//!   such as `{"measured": "after-clear", "weights": {"holes": -4}}`, which may also have `name`
//!   and `tie`.
//! - `rules` (default: the first): `simplified` or `standard`; in guideline games `guideline` or
//!   `capstone`.
//! - `search` (default: `greedy`): `greedy`, `next` (the next piece is known) or `expect`; in
//!   guideline games `greedy` or `beam`.
//! - `board` (default: empty): a picture (`#` and `.`, top row first, rows separated by `/` or line
//!   breaks), or rows in hexadecimal from the floor up (`3ff:001`).
//! - `width`, `height` (default: 10, 20): size of the board. A picture has its own size.
//!
//! Columns and rows count from 0, rows from the floor. Scores are the numbers that
//! `tetrastat show board --format json` prints.
//!
//! # Calls
//!
//! `request(n)` reserves n bytes and returns their address, or 0 if n is too large. The caller
//! writes the request there. `call()` answers it and returns the length of the answer. `answer()`
//! returns the answer's address, which is valid until the next call. `engine.js` is a caller.

// The attribute `no_mangle` is the only unsafe item: no other crate exports these names.
#![deny(unsafe_code)]

mod asked;
mod guideline_rank;
mod play;
mod presets;
mod rank;

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::json;
use tetrastat::error::{Error, Result};

/// A parsed request. The variant in snake case is the request's name.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Presets(presets::Request),
    Rank(rank::Request),
    Play(play::Request),
    GuidelineRank(guideline_rank::Request),
}

static REQUEST: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static ANSWER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Locks the bytes of the request or answer. It never waits, because the module has one thread.
fn bytes(of: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

// The page calls `request`, `call` and `answer` by name, so the compiler must keep their names.
// `no_mangle` is unsafe because two functions of one name could clash; the functions themselves are
// safe.

/// Maximum length of a request in bytes. A controller with a network has 300,000 bytes.
const LONGEST_REQUEST: usize = 4 << 20;

/// Reserves `length` bytes for a request and returns their address, or null if `length` exceeds
/// [`LONGEST_REQUEST`]; the next [`call`] then rejects the request.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn request(length: usize) -> *mut u8 {
    let mut request = bytes(&REQUEST);
    request.clear();
    if length > LONGEST_REQUEST {
        return std::ptr::null_mut();
    }
    request.resize(length, 0);
    request.as_mut_ptr()
}

/// Answers the request and returns the length of the answer in bytes.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let text = answered(&bytes(&REQUEST));
    let mut answer = bytes(&ANSWER);
    *answer = text.into_bytes();
    answer.len()
}

/// Returns the address of the last answer, which is valid until the next [`call`].
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    bytes(&ANSWER).as_ptr()
}

fn answered(request: &[u8]) -> String {
    let wrong = |error: serde_json::Error| Error::Config(format!("request: {error}"));
    if request.is_empty() {
        let text = format!("request: give 1 to {LONGEST_REQUEST} bytes");
        return json!({ "error": text }).to_string();
    }
    let answer = serde_json::from_slice(request).map_err(wrong).and_then(|request| match request {
        Request::Presets(request) => text(&request.answer()?),
        Request::Rank(request) => request.answer(),
        Request::Play(request) => text(&request.answer()?),
        Request::GuidelineRank(request) => request.answer(),
    });
    answer.unwrap_or_else(|error| json!({ "error": error.to_string() }).to_string())
}

fn text(answer: &impl Serialize) -> Result<String> {
    serde_json::to_string(answer).map_err(|error| Error::Internal(error.to_string()))
}
