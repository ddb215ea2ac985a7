//! Measures how soon a key shows, with the real binary in a pseudo-terminal.
//! `cargo bench --bench terminal` times it; `cargo test --benches` runs it once.

#[path = "../tests/cli/common/pty.rs"]
mod pty;

use criterion::{Criterion, criterion_group, criterion_main};
use pty::Pty;

/// Times from writing a key to the first byte of the frame that answers it.
fn key_to_screen(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let args = ["play", "--mode", "practice", "--seed", "1"];
    let pty = Pty::start(folder.path(), &args, (80, 24), false);
    pty.wait_for("pieces");
    c.bench_function("a key in a game, to its picture", |b| {
        b.iter_custom(|keys| (0..keys).map(|k| pty.answer(["a", "d"][k as usize % 2])).sum());
    });
    pty.send("p");
    pty.wait_for("the clock is stopped");
    pty.send("q");
    assert_eq!(pty.finish().code, 0);
}

criterion_group!(benches, key_to_screen);
criterion_main!(benches);
