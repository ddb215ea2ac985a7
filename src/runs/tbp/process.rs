//! Bots as child processes: their start, their answers with a time limit, and their end.
//!
//! A thread reads the bot's answers, and another one writes messages to the bot, so a bot that is
//! silent or reads nothing cannot stop a run for longer than its time limit. A third thread keeps
//! the last words on the bot's stderr for error messages.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{FromBot, Move, ToBot};
use crate::error::setting::{BOT_SECONDS, MOVEMENT, QUEUE, RULES};
use crate::error::{Error, Result, name_problem, printable, quoted};

/// Prefix of a controller's name, after which follows the command that starts a bot.
pub const PREFIX: &str = "tbp:";

/// Returns the start command of the first bot named in a JSON value, however deeply nested.
#[must_use]
pub fn named_bot(settings: &Value) -> Option<&str> {
    match settings {
        Value::String(text) => text.trim_start().strip_prefix(PREFIX),
        Value::Array(values) => values.iter().find_map(named_bot),
        Value::Object(values) => values.values().find_map(named_bot),
        _ => None,
    }
}

/// Default time limit for each answer of a bot.
pub const DEFAULT_ANSWER_TIME: Duration = Duration::from_secs(10);

/// Largest length of a message from or to a bot, in bytes.
pub const LONGEST_LINE: u64 = 1 << 20;

const MOST_WAITING_ANSWERS: usize = 16;
/// Time that a bot has to end after the message `quit`, before it is killed.
const TIME_TO_QUIT: Duration = Duration::from_secs(1);
/// Time between checks that a silent bot's process is still running.
const TIME_TO_CHECK: Duration = Duration::from_millis(250);
/// Number of bytes kept from the end of a bot's stderr, for an error message.
const LAST_WORDS: usize = 400;
const LONGEST_TEXT: usize = 200;

/// Command and self-description of a bot, as recorded in `run.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotEntry {
    /// Command that starts the bot.
    pub command: String,
    /// Name that the bot gives itself.
    pub name: String,
    /// Author of the bot, as the bot states.
    pub author: String,
    /// Version of the bot, as the bot states.
    pub version: String,
}

/// External bot that plays in place of a controller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "BotEntry", from = "BotEntry")]
pub struct Bot {
    /// Command that starts the bot, and its description of itself.
    pub entry: BotEntry,
    /// Time limit for each answer of the bot.
    pub answer_time: Duration,
}

impl From<Bot> for BotEntry {
    fn from(bot: Bot) -> BotEntry {
        bot.entry
    }
}

impl From<BotEntry> for Bot {
    fn from(entry: BotEntry) -> Bot {
        Bot { entry, answer_time: DEFAULT_ANSWER_TIME }
    }
}

impl Bot {
    /// Starts the bot of `command` to ask for its name, version and author, and ends it.
    pub fn ask(command: &str, answer_time: Duration) -> Result<Bot> {
        let none = || String::new();
        let entry =
            BotEntry { command: command.to_owned(), name: none(), author: none(), version: none() };
        let (_process, entry) = BotProcess::start(&Bot { entry, answer_time })?;
        Ok(Bot { entry, answer_time })
    }

    /// Returns the bot's name without characters that tables and screens cannot show.
    #[must_use]
    pub fn display_name(&self) -> String {
        let mut name = String::new();
        // Cells of tables have no commas and quotes.
        for c in self.entry.name.chars().filter(|c| !matches!(c, ',' | '"')) {
            if name_problem(&format!("{name}{c}")).is_none() {
                name.push(c);
            }
        }
        let name = name.trim();
        // `NA` is a missing value in tables.
        let is_name = name_problem(name).is_none() && name != "NA";
        if is_name { name.to_owned() } else { "bot".to_owned() }
    }

    /// Returns the text that identifies the bot in the stored configuration of classic games.
    #[must_use]
    pub fn describe(&self) -> String {
        let BotEntry { command, name, author, version } = &self.entry;
        format!("{PREFIX}{command} ({name}, version {version}, by {author})")
    }

    /// Creates an error about this bot; `problem` says what it did and what the user can do.
    #[must_use]
    pub fn error(&self, problem: impl Into<String>) -> Error {
        Error::Controller {
            name: format!("{PREFIX}{}", self.entry.command),
            problem: problem.into(),
        }
    }
}

/// Running bot; when dropped, it is asked to quit, then killed with all processes that it started.
pub struct BotProcess {
    bot: Bot,
    child: Child,
    /// Channel of text to the bot's standard input; `None` once the input is closed.
    input: Option<SyncSender<Vec<u8>>>,
    written: Receiver<io::Result<()>>,
    answers: Receiver<Answer>,
    last_words: Arc<Mutex<Vec<u8>>>,
    is_calculating: bool,
    /// True after a failure of the bot, which is then killed without being asked to quit.
    failed: bool,
}

enum Answer {
    Line(Vec<u8>),
    TooLong,
    End,
}

impl BotProcess {
    /// Returns true if the bot was sent a position and has not been told to stop since.
    #[must_use]
    pub fn is_calculating(&self) -> bool {
        self.is_calculating
    }

    fn start(bot: &Bot) -> Result<(BotProcess, BotEntry)> {
        let command = &bot.entry.command;
        let problem = |problem: &str| {
            bot.error(format!(
                "{problem}: write it after tbp: as for a shell, for example \
                 --controller 'tbp:python3 bot.py'"
            ))
        };
        let Some(words) = shlex::split(command) else {
            return Err(problem("a quote of the command is not closed, or it ends with \\"));
        };
        if words.is_empty() {
            return Err(problem("no command"));
        }
        let mut child = Command::new(&words[0]);
        child.args(&words[1..]);
        child.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // In a group of its own, the bot gets no Ctrl-C from the terminal, and its own children
        // can be killed with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut child, 0);
        let mut child = child.spawn().map_err(|error| {
            bot.error(format!(
                "{} cannot be started ({error}): check the command after tbp:",
                quoted(&words[0])
            ))
        })?;
        let (sender, answers) = sync_channel(MOST_WAITING_ANSWERS);
        let (input, texts) = sync_channel::<Vec<u8>>(1);
        let (written_sender, written) = sync_channel(1);
        let last_words = Arc::new(Mutex::new(Vec::new()));
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let mut process = BotProcess {
            bot: bot.clone(),
            child,
            input: Some(input),
            written,
            answers,
            last_words: Arc::clone(&last_words),
            is_calculating: false,
            failed: false,
        };
        if let Some(output) = stdout {
            process.spawn(move || read_answers(output, &sender))?;
        }
        if let Some(input) = stdin {
            process.spawn(move || write_to_bot(input, &texts, &written_sender))?;
        }
        if let Some(words) = stderr {
            process.spawn(move || keep_last_words(words, &last_words))?;
        }
        let entry = process.description()?;
        Ok((process, entry))
    }

    fn spawn(&mut self, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let started = thread::Builder::new().spawn(work);
        started.map(|_| ()).map_err(|error| {
            self.fault(format!(
                "needs a thread that cannot be started ({error}): allow more processes, or play on \
                 fewer threads"
            ))
        })
    }

    /// Starts the bot's process and agrees on rules with the piece generator `randomizer`. Fails if
    /// the bot's description of itself differs from `bot`.
    pub fn begin(bot: &Bot, randomizer: &str) -> Result<BotProcess> {
        let (mut process, entry) = BotProcess::start(bot)?;
        if entry != bot.entry {
            let words = |entry: &BotEntry| format!("{} {}", entry.name, entry.version);
            return Err(process.fault(format!(
                "describes itself as {}, but the run was begun with {}: start a new run",
                quoted(&words(&entry)),
                quoted(&words(&bot.entry))
            )));
        }
        process.send(&[ToBot::Rules { randomizer: Some(randomizer.to_owned()) }])?;
        match process.receive_message("ready")? {
            FromBot::Ready => Ok(process),
            FromBot::Error { reason } => Err(process.fault(format!(
                "refuses the rules ({}): give other {RULES} or another {QUEUE}, or another bot",
                quoted(&reason)
            ))),
            other => Err(process.unexpected_message_error(&other, "ready")),
        }
    }

    fn description(&mut self) -> Result<BotEntry> {
        match self.receive_message("info")? {
            FromBot::Info { name, version, author, .. } => {
                let text = |text: String| printable(&text, LONGEST_TEXT);
                let command = self.bot.entry.command.clone();
                let [name, author, version] = [name, author, version].map(text);
                Ok(BotEntry { command, name, author, version })
            }
            other => Err(self.unexpected_message_error(&other, "info")),
        }
    }

    /// Sends messages that end with a request for moves, and returns the bot's suggested moves.
    pub fn suggestion(&mut self, messages: &[ToBot]) -> Result<Vec<Move>> {
        self.check_quiet()?;
        self.send(messages)?;
        match self.receive_message("suggestion")? {
            FromBot::Suggestion { moves, .. } => Ok(moves),
            FromBot::Error { reason } => Err(self.fault(format!(
                "gave up ({}): give other {RULES} or another {QUEUE}, or another bot",
                quoted(&reason)
            ))),
            other => Err(self.unexpected_message_error(&other, "suggestion")),
        }
    }

    fn check_quiet(&mut self) -> Result<()> {
        for _ in 0..=MOST_WAITING_ANSWERS {
            match self.answers.try_recv() {
                Ok(answer) => match self.parse(answer, "suggestion")? {
                    Some(FromBot::Unknown) | None => {}
                    Some(early) => {
                        let name = early.name();
                        return Err(self.fault(format!(
                            "sent `{name}` without being asked: correct the bot, which sends one \
                             `suggestion` for each `suggest`"
                        )));
                    }
                },
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return Ok(()),
            }
        }
        Err(self.fault("sends messages without an end: correct the bot".to_owned()))
    }

    fn send(&mut self, messages: &[ToBot]) -> Result<()> {
        let mut text = Vec::new();
        for message in messages {
            // These messages have no value that JSON cannot write.
            serde_json::to_writer(&mut text, message)
                .map_err(|error| Error::Internal(error.to_string()))?;
            text.push(b'\n');
            match message {
                ToBot::Start(_) => self.is_calculating = true,
                ToBot::Stop => self.is_calculating = false,
                _ => {}
            }
        }
        let Some(input) = &self.input else { return Ok(()) };
        let sent = input.send(text).map_err(|_| RecvTimeoutError::Disconnected);
        match sent.and_then(|()| self.written.recv_timeout(self.bot.answer_time)) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => {
                Err(self.ended("closed its input", "before a message could be sent"))
            }
            Err(RecvTimeoutError::Timeout) => {
                let seconds = self.bot.answer_time.as_secs_f64();
                Err(self.fault(format!(
                    "read no message within {seconds} s: correct the bot, which must read its \
                     input, or raise {BOT_SECONDS}"
                )))
            }
        }
    }

    fn receive_message(&mut self, due: &str) -> Result<FromBot> {
        let deadline = Instant::now() + self.bot.answer_time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let answer = match self.answers.recv_timeout(left.min(TIME_TO_CHECK)) {
                Ok(answer) => answer,
                Err(RecvTimeoutError::Disconnected) => Answer::End,
                Err(RecvTimeoutError::Timeout) if self.wait(Duration::ZERO).is_some() => {
                    // The bot may have answered just before its end. The reading thread passes
                    // on all output, and waits on only if a child of the bot keeps the pipe open.
                    self.answers.recv_timeout(TIME_TO_QUIT).unwrap_or(Answer::End)
                }
                Err(RecvTimeoutError::Timeout) if left > TIME_TO_CHECK => continue,
                Err(RecvTimeoutError::Timeout) => {
                    let seconds = self.bot.answer_time.as_secs_f64();
                    return Err(self.fault(format!(
                        "sent no `{due}` within {seconds} s: raise {BOT_SECONDS}, or give a faster \
                         bot"
                    )));
                }
            };
            match self.parse(answer, due)? {
                Some(FromBot::Unknown) | None => {}
                Some(message) => return Ok(message),
            }
        }
    }

    fn parse(&mut self, answer: Answer, due: &str) -> Result<Option<FromBot>> {
        let line = match answer {
            Answer::Line(line) => line,
            Answer::TooLong => {
                return Err(self.fault(format!(
                    "sent a line of more than {LONGEST_LINE} bytes: correct the bot"
                )));
            }
            Answer::End => {
                return Err(self.ended("closed its output", &format!("before it sent `{due}`")));
            }
        };
        if line.trim_ascii().is_empty() {
            return Ok(None);
        }
        match serde_json::from_slice(&line) {
            Ok(message) => Ok(Some(message)),
            Err(_) if !line.ends_with(b"\n") => {
                let text = String::from_utf8_lossy(&line).into_owned();
                let when = format!("in the middle of a message ('{}')", quoted(text.trim()));
                Err(self.ended("closed its output", &when))
            }
            Err(error) => {
                let text = String::from_utf8_lossy(&line);
                let problem = printable(&error.to_string(), LONGEST_TEXT);
                Err(self.fault(format!(
                    "sent '{}', which is no message of the protocol ({problem}): correct the bot, \
                     or let it print other text on stderr",
                    quoted(text.trim())
                )))
            }
        }
    }

    fn unexpected_message_error(&mut self, message: &FromBot, due: &str) -> Error {
        let name = message.name();
        self.fault(format!("sent `{name}` instead of `{due}`: correct the bot"))
    }

    fn ended(&mut self, closed: &str, when: &str) -> Error {
        let status = self.wait(TIME_TO_QUIT);
        let status = status.map_or(closed.to_owned(), |status| match status.code() {
            Some(code) => format!("ended with exit code {code}"),
            None => format!("ended ({status})"),
        });
        // The thread that reads stderr ends with the bot, but may need a moment for its last words.
        thread::sleep(Duration::from_millis(20));
        let words = self.last_words.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let words = String::from_utf8_lossy(&words).into_owned();
        let last = words.lines().rfind(|line| !line.trim().is_empty());
        let last = last.map_or(String::new(), |last| {
            format!(", its last line on stderr was '{}'", quoted(last.trim()))
        });
        self.fault(format!("{status} {when}{last}: run the command alone to see why"))
    }

    /// Creates the error that no move of the bot is legal; `place` says for which piece (and game).
    pub fn no_legal_move(&mut self, moves: &[Move], place: &str) -> Error {
        let count = moves.len();
        let Some(first) = moves.first() else {
            return self.fault(format!(
                "suggested no move {place}, but a bot can forfeit only guideline games: let it \
                 suggest a place that a straight drop reaches, or give {RULES} guideline"
            ));
        };
        self.fault(format!(
            "suggested no legal move {place} (moves: {count}, first: {first}): correct the bot, or \
             give the {MOVEMENT} and {RULES} that it plays"
        ))
    }

    /// Creates an error about a misbehaving bot, which is killed instead of being asked to quit.
    pub fn fault(&mut self, problem: String) -> Error {
        self.failed = true;
        self.bot.error(problem)
    }

    fn wait(&mut self, time: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + time;
        let mut pause = Duration::from_millis(1);
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {}
                Ok(status) => return status,
                Err(_) => return None,
            }
            thread::sleep(pause);
            pause = (2 * pause).min(Duration::from_millis(20));
        }
    }

    fn kill(&mut self) {
        #[cfg(unix)]
        {
            use rustix::process::{Pid, Signal, kill_process_group};
            // Fails if no process of the group is left.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        if !self.failed {
            self.bot.answer_time = self.bot.answer_time.min(TIME_TO_QUIT);
            let stop = self.is_calculating.then_some(ToBot::Stop);
            let _ = self.send(&stop.into_iter().chain([ToBot::Quit]).collect::<Vec<_>>());
        }
        self.input = None;
        if !self.failed {
            self.wait(TIME_TO_QUIT);
        }
        self.kill();
    }
}

fn write_to_bot(
    mut input: impl Write,
    texts: &Receiver<Vec<u8>>,
    written: &SyncSender<io::Result<()>>,
) {
    while let Ok(text) = texts.recv() {
        if written.send(input.write_all(&text).and_then(|()| input.flush())).is_err() {
            return;
        }
    }
}

fn read_answers(output: impl Read, sender: &SyncSender<Answer>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = (&mut output).take(LONGEST_LINE).read_until(b'\n', &mut line);
        let answer = match read {
            Ok(0) | Err(_) => Answer::End,
            Ok(length) if length as u64 == LONGEST_LINE && !line.ends_with(b"\n") => {
                Answer::TooLong
            }
            Ok(_) => Answer::Line(line),
        };
        let is_last = !matches!(answer, Answer::Line(_));
        if sender.send(answer).is_err() || is_last {
            return;
        }
    }
}

fn keep_last_words(mut words: impl Read, last: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = words.read(&mut buffer) {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        last.extend_from_slice(&buffer[..length]);
        let surplus = last.len().saturating_sub(LAST_WORDS);
        last.drain(..surplus);
    }
}
