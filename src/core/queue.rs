//! Deals the pieces of a game.
//!
//! | queue | next piece | same pieces in all games |
//! |---|---|---|
//! | `uniform` | each of the seven with probability 1/7, independent of earlier pieces | no |
//! | `bag` | all seven in random order, again and again; at most 12 between two of a kind | no |
//! | `least-dealt` | likelier if dealt less often so far (teaching notebook `tetris_ia`) | no |
//! | `sz` | S, Z, S, Z, ...: no player survives it on ten columns (Burgiel 1997) | yes |
//! | `sz-random` | S or Z, each with probability 1/2: SZ-Tetris (Szita & Szepesvari 2010) | no |
//! | `script` | the pieces of a given text | yes |
//!
//! Games with and without previews get the same pieces: [`Queue::peek`] draws from the same random
//! stream and keeps the pieces until they are dealt.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::setting::{CYCLE, SCRIPT};
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::rng::{Purpose, Stream};

/// A kind of piece queue with its settings, as stored in a run's configuration. The random stream
/// is not part of it.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::queue::QueueKind;
/// assert_eq!("bag".parse::<QueueKind>()?, QueueKind::Bag);
/// let script = QueueKind::script("I, O T", false)?;
/// assert!(!script.is_random());
/// assert_eq!(QueueKind::parse_described(&script.describe())?, script); // the text in run.json
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// Independent and equally likely pieces, as in research. A piece may be absent for any time,
    /// which a bag rules out.
    #[default]
    Uniform,
    /// The seven pieces in random order, again and again, as the guideline demands.
    Bag,
    /// Random pieces, likelier if dealt less often, as in the teaching notebook `tetris_ia`. The
    /// weight of a piece is 5 + (largest count of any piece) - (count of this piece).
    LeastDealt,
    /// S and Z alternately, S first, which no player survives.
    AlternatingSz,
    /// S or Z with equal probability, as in SZ-Tetris. Games are short and differ by chance.
    RandomSz,
    /// The pieces of a given text, in the order of the text.
    Script {
        /// Pieces of the script in the order of dealing.
        pieces: Arc<[Piece]>,
        /// True if the script repeats after its last piece.
        cycle: bool,
    },
}

/// Largest number of pieces in a script, since `run.json` and tables store all of them.
pub const LONGEST_SCRIPT: usize = 100_000;

/// Names of all kinds of queues except `script`, which also needs the letters of its pieces.
pub const QUEUE_NAMES: [&str; 5] = ["uniform", "bag", "least-dealt", "sz", "sz-random"];

impl QueueKind {
    /// Parses a script queue from the letters of its pieces; spaces, commas and line ends are
    /// ignored. With `cycle`, the script repeats after its last piece.
    ///
    /// # Errors
    /// Returns [`Error::Piece`] for a letter of no piece, [`Error::ScriptEmpty`] without letters,
    /// and [`Error::Config`] for more than [`LONGEST_SCRIPT`] pieces.
    pub fn script(letters: &str, cycle: bool) -> Result<QueueKind> {
        let pieces = letters
            .chars()
            .filter(|letter| !letter.is_whitespace() && *letter != ',')
            .map(|letter| letter.to_string().parse())
            .collect::<Result<Vec<Piece>>>()?;
        if pieces.is_empty() {
            return Err(Error::ScriptEmpty);
        }
        if pieces.len() > LONGEST_SCRIPT {
            return Err(Error::Config(format!(
                "the script has {} pieces, and at most {LONGEST_SCRIPT} are kept with a run: give \
                 fewer, and {CYCLE} to repeat them",
                pieces.len()
            )));
        }
        Ok(QueueKind::Script { pieces: pieces.into(), cycle })
    }

    /// Returns true if the pieces of games differ by chance. All games of `sz` or of one script get
    /// the same pieces.
    #[must_use]
    pub fn is_random(&self) -> bool {
        !matches!(self, QueueKind::AlternatingSz | QueueKind::Script { .. })
    }

    /// Returns the name of the queue kind, followed by the letters of a script. Run folders store
    /// this text for replays.
    #[must_use]
    pub fn describe(&self) -> String {
        let QueueKind::Script { pieces, cycle } = self else { return self.to_string() };
        let letters: String = pieces.iter().map(|piece| piece.name()).collect();
        format!("script{} {letters}", if *cycle { " (cycle)" } else { "" })
    }

    /// Parses the text that [`QueueKind::describe`] returns.
    ///
    /// # Errors
    /// Returns [`Error::Unknown`] for an unknown name, or an error of [`QueueKind::script`].
    pub fn parse_described(text: &str) -> Result<QueueKind> {
        match (text.strip_prefix("script (cycle) "), text.strip_prefix("script ")) {
            (Some(letters), _) => QueueKind::script(letters, true),
            (None, Some(letters)) => QueueKind::script(letters, false),
            (None, None) => text.parse(),
        }
    }
}

impl FromStr for QueueKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<QueueKind> {
        match name {
            "uniform" => Ok(QueueKind::Uniform),
            "bag" => Ok(QueueKind::Bag),
            "least-dealt" => Ok(QueueKind::LeastDealt),
            "sz" => Ok(QueueKind::AlternatingSz),
            "sz-random" => Ok(QueueKind::RandomSz),
            _ => {
                let script = format!("script (with {SCRIPT})");
                Err(Error::unknown("queue", name, QUEUE_NAMES.into_iter().chain([script.as_str()])))
            }
        }
    }
}

impl fmt::Display for QueueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QueueKind::Uniform => "uniform",
            QueueKind::Bag => "bag",
            QueueKind::LeastDealt => "least-dealt",
            QueueKind::AlternatingSz => "sz",
            QueueKind::RandomSz => "sz-random",
            QueueKind::Script { .. } => "script",
        })
    }
}

/// The pieces of one game, drawn from the game's random stream.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::queue::{Queue, QueueKind};
/// let (seed, game) = (1, 0);
/// let mut queue = Queue::new(QueueKind::Bag, seed, game);
/// let second = queue.peek(1);
/// let first = queue.deal()?;
/// assert_eq!(queue.peek(0), second); // a peek changes no piece
/// assert_ne!(second, Some(first)); // both are from one bag
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Queue {
    /// Kind of queue, not serialised because the run's configuration has it.
    #[serde(skip)]
    kind: QueueKind,
    stream: Stream,
    /// Pieces drawn by a peek and not yet dealt.
    seen: VecDeque<Piece>,
    /// Remaining pieces of the bag, the next piece last.
    bag: Vec<Piece>,
    /// Number of times that each piece was drawn, for `least-dealt`.
    drawn_of: [u32; 7],
    /// Number of pieces drawn, including those only peeked at.
    drawn: u64,
}

impl Queue {
    /// Creates the queue of game `index` of a run. Equal arguments give equal pieces on every
    /// machine.
    #[must_use]
    pub fn new(kind: QueueKind, run_seed: u64, index: u64) -> Queue {
        Queue {
            kind,
            stream: Stream::new(run_seed, Purpose::Queue, index),
            seen: VecDeque::new(),
            bag: Vec::with_capacity(7),
            drawn_of: [0; 7],
            drawn: 0,
        }
    }

    /// Restores the kind of a deserialised queue, since checkpoints do not store it.
    pub fn set_kind(&mut self, kind: QueueKind) {
        self.kind = kind;
    }

    /// Replaces the queue's random stream, so that later draws differ but have the same
    /// distribution. Pieces already peeked at stay, and the pieces left in the bag are shuffled.
    pub fn branch(&mut self, stream: Stream) {
        self.stream = stream;
        // The bag keeps its pieces because players may count them; only their order is random.
        self.stream.shuffle(&mut self.bag);
    }

    /// Returns the pieces left in the bag after all dealt and peeked pieces, in no defined order.
    /// The slice is empty between two bags and for queues without bags.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::queue::{Queue, QueueKind};
    /// let mut queue = Queue::new(QueueKind::Bag, 1, 0);
    /// let first = queue.deal()?;
    /// assert!(queue.left_in_bag().len() == 6 && !queue.left_in_bag().contains(&first));
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn left_in_bag(&self) -> &[Piece] {
        &self.bag
    }

    /// Deals the next piece. Only a script can run out of pieces.
    ///
    /// # Errors
    /// Returns [`Error::ScriptEnded`] if a script without `cycle` has no piece left.
    pub fn deal(&mut self) -> Result<Piece> {
        // Creating and dropping the error for each piece would cost time.
        match self.seen.pop_front() {
            Some(piece) => Ok(piece),
            None => match self.draw() {
                Some(piece) => Ok(piece),
                None => Err(Error::ScriptEnded { dealt: self.drawn }),
            },
        }
    }

    /// Returns the piece that will be dealt after `ahead` other pieces; 0 is the next piece.
    /// Returns `None` beyond the end of a script. A peek does not change the pieces.
    pub fn peek(&mut self, ahead: usize) -> Option<Piece> {
        while self.seen.len() <= ahead {
            let piece = self.draw()?;
            self.seen.push_back(piece);
        }
        Some(self.seen[ahead])
    }

    /// Draws the next piece from the stream, or returns `None` beyond the end of a script.
    fn draw(&mut self) -> Option<Piece> {
        let piece = match &self.kind {
            QueueKind::Uniform => Piece::ALL[self.stream.below(7) as usize],
            QueueKind::Bag => self.draw_from_bag(),
            QueueKind::LeastDealt => self.draw_least_dealt(),
            QueueKind::AlternatingSz => [Piece::S, Piece::Z][(self.drawn % 2) as usize],
            QueueKind::RandomSz => [Piece::S, Piece::Z][self.stream.below(2) as usize],
            QueueKind::Script { pieces, cycle: true } => {
                pieces[(self.drawn % pieces.len() as u64) as usize]
            }
            QueueKind::Script { pieces, cycle: false } => *pieces.get(self.drawn as usize)?,
        };
        self.drawn += 1;
        Some(piece)
    }

    /// Draws the last piece of the bag. An empty bag is first filled with all seven pieces and
    /// shuffled.
    fn draw_from_bag(&mut self) -> Piece {
        if self.bag.is_empty() {
            self.bag.extend(Piece::ALL);
            self.stream.shuffle(&mut self.bag);
        }
        self.bag.pop().unwrap_or(Piece::I)
    }

    /// Draws a piece as the teaching notebook `tetris_ia` does ([`QueueKind::LeastDealt`]). It
    /// draws a number from 1 to (sum of weights - 1) and subtracts the weights of T J L S Z I O in
    /// this order. The result is the piece that brings the number to 0 or below.
    ///
    /// The notebook exchanges the names of S and Z. It keeps its counts across games; here each
    /// game starts from zero.
    fn draw_least_dealt(&mut self) -> Piece {
        const NOTEBOOK_ORDER: [Piece; 7] =
            [Piece::T, Piece::J, Piece::L, Piece::S, Piece::Z, Piece::I, Piece::O];
        let most = self.drawn_of.into_iter().max().unwrap_or(0);
        let weight = |piece: Piece| i64::from(5 + most - self.drawn_of[piece.index()]);
        let sum: i64 = NOTEBOOK_ORDER.into_iter().map(weight).sum();
        // The range ends at sum - 1, as in the notebook, so O has its weight minus one.
        let mut left = i64::from(self.stream.below(sum as u32 - 1)) + 1;
        let chosen = NOTEBOOK_ORDER.into_iter().find(|&piece| {
            left -= weight(piece);
            left <= 0
        });
        let piece = chosen.unwrap_or(Piece::O);
        self.drawn_of[piece.index()] += 1;
        piece
    }
}
