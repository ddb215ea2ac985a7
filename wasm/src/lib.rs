//! The engine in WebAssembly: a request in, an answer out, both JSON.
//!
//! A request is an object with one key, the name of what is asked; so is each of the files beside this one. An answer
//! is an object, `{"error": "..."}` when the request cannot be answered. Keys that are not known are errors.
//!
//! | request | file | what comes back |
//! |---|---|---|
//! | `{"presets": {}}` | `presets` | controllers that come with the program, and the features there are |
//! | `{"rank": {...}}` | `rank` | every placement of a piece with its score, the one that is played first |
//! | `{"play": {...}}` | `play` | the next pieces of a game, as `tetrastat simulate` plays it |
//! | `{"guideline_rank": {...}}` | `guideline_rank` | every landing of a piece, and of what the hold gives for it |
//!
//! Keys that several requests have:
//!
//! | key | what it is | default |
//! |---|---|---|
//! | `controller` | a preset's name, the text of a TOML file, or `{"measured": "after-clear", "weights": {"holes": -4}}`, with `name` and `tie` if wanted | `bcts` |
//! | `rules` | `simplified` or `standard`; of guideline games `guideline` or `capstone` | the first |
//! | `search` | `greedy`, `next` (the next piece is known) or `expect`; of guideline games `greedy` or `beam` | `greedy` |
//! | `board` | a picture (`#` and `.`, top row first, `/` or a line's end between rows) or rows in hexadecimal from the floor up (`3ff:001`) | empty |
//! | `width`, `height` | sides of the board, unless it is a picture | 10, 20 |
//!
//! Columns and rows count from 0, rows from the floor. Scores are the numbers that `tetrastat features --format json` prints.
//!
//! # How it is called
//!
//! `request(n)` reserves n bytes and returns their address, or 0 if n is too large; the caller writes the request there. `call()`
//! answers it and returns the length of the answer; `answer()` returns its address, valid until the next call. See `engine.js`.

// `no_mangle` is all that is unsafe here: no other crate of this module exports these names.
#![deny(unsafe_code)]

mod asked;
mod guideline_rank;
mod play;
mod presets;
mod rank;

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::{Value as Json, json};
use tetrastat::error::Error;

/// What can be asked.
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

/// The bytes of a request or an answer; there is one thread, which never holds them twice.
fn bytes(of: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

// The three functions that the page calls keep their names. To the compiler that is unsafe, since two functions of one name
// could meet; nothing in them is.

/// Longest request in bytes. A controller with a network has 300,000.
const LONGEST_REQUEST: usize = 4 << 20;

/// Reserves memory for a request of `length` bytes and returns its address. Returns null for a request longer than
/// [`LONGEST_REQUEST`]; the next [`call`] then rejects it.
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

/// Answers the request; says how many bytes the answer has.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn call() -> usize {
    let text = answered(&bytes(&REQUEST)).to_string();
    let mut answer = bytes(&ANSWER);
    *answer = text.into_bytes();
    answer.len()
}

/// Where the last answer is.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    bytes(&ANSWER).as_ptr()
}

fn answered(request: &[u8]) -> Json {
    let wrong = |error: serde_json::Error| Error::Config(format!("request: {error}"));
    if request.is_empty() {
        let text = format!("request: give 1 to {LONGEST_REQUEST} bytes");
        return json!({ "error": text });
    }
    let answer = serde_json::from_slice(request).map_err(wrong).and_then(|request| match request {
        Request::Presets(request) => request.answer(),
        Request::Rank(request) => request.answer(),
        Request::Play(request) => request.answer(),
        Request::GuidelineRank(request) => request.answer(),
    });
    answer.unwrap_or_else(|error| json!({ "error": error.to_string() }))
}
