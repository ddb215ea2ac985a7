//! Runs work on threads, and handles threads that can't be started or that panic.
//!
//! A panic is a bug of this program, never a mistake of its user. It is caught where a thread ends
//! and becomes [`Error::Internal`], so a run ends as after any other failure.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::setting::THREADS;
use crate::error::{Error, Result};

static FIRST_PANIC_MESSAGE: Mutex<Option<String>> = Mutex::new(None);

/// Returns the number of threads that this machine runs at once.
#[must_use]
pub fn all_cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Returns `threads`, limited to one thread per item of work, but at least one.
#[must_use]
pub fn useful_threads(threads: usize, items: u64) -> usize {
    threads.min(usize::try_from(items).unwrap_or(usize::MAX)).max(1)
}

/// Creates a Rayon pool of `threads` worker threads.
pub fn thread_pool(threads: usize) -> Result<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        let text = format!("starting {threads} thread(s): {error}");
        Error::Config(format!("{text}: give fewer {THREADS}, or end other programs"))
    })
}

/// Runs `work` on `threads` threads and passes the items that they send to `take`, on the calling
/// thread.
///
/// A sender waits while `waiting` items are queued. After a failure, `halt` is called, and `work`
/// must then end soon.
///
/// # Errors
///
/// Returns the error of `take` or else of `work`. A panic of `take` is passed on.
pub fn produce_and_consume<T: Send>(
    threads: usize,
    waiting: usize,
    halt: impl Fn() + Sync,
    work: impl Fn(&SyncSender<T>) -> Result<()> + Sync,
    mut take: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let pool = thread_pool(threads)?;
    let failure = Mutex::new(None);
    let (sender, receiver) = sync_channel(waiting);
    let (work, halt, failed) = (&work, &halt, &failure);
    let taken = pool.in_place_scope(|scope| {
        // The last thread drops the sender, which ends the loop below.
        scope.spawn_broadcast(move |_, _| {
            if let Err(error) = catch_panic(|| work(&sender)).and_then(|done| done) {
                halt();
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        });
        let mut taken = Ok(());
        for piece in receiver {
            if taken.is_ok() {
                // After a panic, the target of `take` may be in any state and must not be used
                // further.
                let done = catch_unwind(AssertUnwindSafe(|| take(piece)));
                taken = done.unwrap_or_else(|panic| {
                    halt();
                    resume_unwind(panic)
                });
                if taken.is_err() {
                    halt();
                }
            }
        }
        taken
    });
    let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
    taken.and(failure.map_or(Ok(()), Err))
}

/// Handle of background work: the running thread, or the result if no thread could be started.
#[derive(Debug)]
pub enum BackgroundTask<T> {
    /// Handle of the thread on which the background work runs.
    Thread(JoinHandle<Option<T>>),
    /// Result of background work that was done at once, because no thread could be started.
    Done(T),
}

/// Starts `work` on a new thread and returns a handle; runs `work` at once if no thread can start.
pub fn in_background<T: Send + 'static, F>(work: F) -> BackgroundTask<T>
where
    F: FnOnce() -> T + Send + 'static,
{
    // A thread that fails to start would consume its closure, so the work is sent after the start.
    let (sender, receiver) = sync_channel::<F>(1);
    let started = thread::Builder::new().spawn(move || {
        let work = receiver.recv().ok()?;
        Some(work())
    });
    match started {
        Ok(thread) => {
            // Sending can't fail, because the thread waits only for `work`.
            let _ = sender.send(work);
            BackgroundTask::Thread(thread)
        }
        Err(_) => BackgroundTask::Done(work()),
    }
}

/// Runs `work` on a new thread with a stack of `bytes` bytes, or on this thread if none can start.
pub fn with_stack<T: Send>(bytes: usize, work: impl Fn() -> T + Sync) -> Result<T> {
    thread::scope(|scope| {
        match thread::Builder::new().stack_size(bytes).spawn_scoped(scope, &work) {
            Ok(thread) => thread.join().map_err(|panic| internal(&*panic)),
            Err(_) => catch_panic(&work),
        }
    })
}

impl<T> BackgroundTask<T> {
    /// Returns true if background work has ended, so that [`BackgroundTask::join`] does not wait.
    #[must_use]
    pub fn is_done(&self) -> bool {
        match self {
            BackgroundTask::Thread(thread) => thread.is_finished(),
            BackgroundTask::Done(_) => true,
        }
    }

    /// Waits until the background work has ended and returns its result.
    pub fn join(self) -> Result<T> {
        match self {
            BackgroundTask::Done(done) => Ok(done),
            BackgroundTask::Thread(thread) => match thread.join() {
                Ok(Some(done)) => Ok(done),
                Ok(None) => Err(Error::Internal("a thread was given nothing to do".to_owned())),
                Err(panic) => Err(internal(&*panic)),
            },
        }
    }
}

/// Runs `work` and returns its result, or an error with the message if it panics.
pub fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| internal(&*panic))
}

/// Stops panics from printing, and keeps the first message for the error that reports the panic.
pub fn note_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let text = match panic.location() {
            Some(at) => format!("{} ({}:{})", describe(panic.payload()), at.file(), at.line()),
            None => describe(panic.payload()),
        };
        FIRST_PANIC_MESSAGE.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(text);
    }));
}

fn internal(panic: &(dyn Any + Send)) -> Error {
    let noted = FIRST_PANIC_MESSAGE.lock().unwrap_or_else(PoisonError::into_inner).take();
    let text = noted.unwrap_or_else(|| describe(panic));
    // The crate zstd panics if it gets no memory.
    if text.contains("zstd returned null pointer") {
        let problem = "not enough memory to compress a table";
        return Error::Config(format!("{problem}: give fewer {THREADS}, or end other programs"));
    }
    Error::Internal(text)
}

fn describe(panic: &dyn Any) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    #[test]
    fn all_that_is_sent_is_taken() {
        let mut sum = 0;
        let next = AtomicU32::new(0);
        let work = |sender: &SyncSender<u32>| {
            loop {
                match next.fetch_add(1, Ordering::Relaxed) {
                    number @ 0..1000 => sender.send(number).unwrap(),
                    _ => return Ok(()),
                }
            }
        };
        let take = |number| {
            sum += number;
            Ok(())
        };
        produce_and_consume(3, 2, || (), work, take).unwrap();
        assert_eq!(sum, 499_500);
    }

    fn endless(
        fails: impl Fn(u32) -> Result<()> + Sync,
        takes: impl Fn(u32) -> Result<()>,
    ) -> String {
        let (next, halted) = (AtomicU32::new(0), AtomicBool::new(false));
        let work = |sender: &SyncSender<u32>| {
            while !halted.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                fails(number)?;
                let _ = sender.send(number);
            }
            Ok(())
        };
        produce_and_consume(2, 4, || halted.store(true, Ordering::Relaxed), work, takes)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn a_failure_or_a_panic_ends_both_sides() {
        let bad = |word: &str| Err(Error::Config(word.to_owned()));
        let ok = |_| Ok(());
        assert_eq!(endless(|n| if n == 50 { bad("work") } else { Ok(()) }, ok), "work");
        assert_eq!(endless(ok, |n| if n == 50 { bad("take") } else { Ok(()) }), "take");
        let told = endless(|n| if n == 50 { panic!("oh") } else { Ok(()) }, ok);
        assert!(told.starts_with("internal error: oh"), "{told}");
        let told = catch_panic(|| panic!("zstd returned null pointer")).unwrap_err().to_string();
        assert!(told.starts_with("not enough memory to compress a table: give"), "{told}");
        let take = || endless(ok, |n| if n == 50 { panic!("ah") } else { Ok(()) });
        let told = catch_panic(take).unwrap_err().to_string();
        assert!(told.starts_with("internal error: ah"), "{told}");
    }

    #[test]
    fn no_thread_is_without_work() {
        assert_eq!(
            [(8, 3), (2, 3), (8, 0), (8, u64::MAX)].map(|(n, items)| useful_threads(n, items)),
            [3, 2, 1, 8]
        );
        assert_eq!(with_stack(1 << 20, || 7).unwrap(), 7);
        assert!(with_stack(1 << 20, || catch_panic(|| panic!("oh")).map(|()| 7)).unwrap().is_err());
    }

    #[test]
    fn work_beside_is_done() {
        assert_eq!(in_background(|| 7).join().unwrap(), 7);
        assert!(BackgroundTask::Done(7).is_done());
        assert_eq!(BackgroundTask::Done(7).join().unwrap(), 7);
        assert!(in_background(|| panic!("oh")).join().is_err());
    }
}
