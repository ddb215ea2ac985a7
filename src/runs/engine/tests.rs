//! What the engine does where no game of the program leads.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::{Desk, Game, Manifest, Totals, Whole, play};
use crate::error::Result;
use crate::record::{Rows, RunFolder, TableSpec};

/// A part of a run, whose units can't be played.
#[derive(Clone, Debug)]
struct Broken;

impl Game for Broken {
    const OF: &'static str = "a run of nothing";
    const NAME: Option<&'static str> = Some("broken");
    const IN_ORDER: bool = false;

    type Entry = ();
    type Player = ();
    type Unit = ();
    type Open = Whole;
    type Count = u64;
    type Kept = Option<()>;
    type Totals = Option<()>;

    fn check(&self) -> Result<()> {
        Ok(())
    }

    fn entry(&self) {}

    fn tables(&self) -> Vec<TableSpec> {
        Vec::new()
    }

    fn threads(&self) -> usize {
        1
    }

    fn checkpoint_every(&self) -> Duration {
        Duration::from_secs(9)
    }

    fn level(&self) -> Option<String> {
        None
    }

    fn units(&self) -> Range<u64> {
        5..9
    }

    fn player(&self) -> Result<()> {
        Ok(())
    }

    fn play(
        &self,
        (): &mut (),
        _: u64,
        _: Option<Whole>,
        _: &Desk<Broken>,
    ) -> Result<Option<((), Vec<Rows>)>> {
        panic!("on purpose")
    }

    fn number(open: &Whole) -> u64 {
        match *open {}
    }

    fn count(&self, _: Option<(&Option<()>, &RunFolder)>) -> Result<u64> {
        Ok(5)
    }

    fn counted(&self, count: &u64) -> u64 {
        *count
    }

    fn take(&self, _: &mut u64, _: u64, (): (), _: &mut Vec<Rows>) -> bool {
        true
    }

    fn kept(_: &u64) -> Option<()> {
        None
    }

    fn is_complete(&self, _: &u64) -> bool {
        false
    }

    fn totals(_: &u64) -> Option<()> {
        None
    }

    fn describe(_: &Manifest<Broken>) -> [String; 3] {
        Default::default()
    }

    fn played(&self, _: &u64, _: u64) -> u64 {
        0
    }
}

/// Nothing is kept of a shard that fails before its first unit, though its numbers do not begin with 0.
#[test]
fn a_shard_without_a_unit_leaves_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shard");
    let run = RunFolder::create(&path).unwrap();
    let played = play(&Broken, run, None, &Totals::default(), &AtomicBool::new(false));
    assert!(played.unwrap_err().to_string().contains("on purpose"));
    assert!(!path.exists());
}
