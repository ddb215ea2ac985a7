//! Deals the pieces of a game.
//!
//! | queue | next piece | equal in all games |
//! |---|---|---|
//! | `uniform` | each of the seven with probability 1/7, independent of earlier pieces | no |
//! | `bag` | all seven in random order, again and again: at most 12 pieces between equals | no |
//! | `least-dealt` | likelier if dealt less often so far (the notebook's queue) | no |
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

/// A kind of queue with its settings, but without a random stream; part of a run's configuration.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::queue::QueueKind;
/// assert_eq!("bag".parse::<QueueKind>()?, QueueKind::Bag);
/// let script = QueueKind::script("I, O T", false)?;
/// assert!(!script.is_random());
/// assert_eq!(QueueKind::described(&script.describe())?, script); // the text in run.json
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// Independent and equally likely pieces, as in research. Droughts of any length occur, which a
    /// bag rules out.
    #[default]
    Uniform,
    /// The seven pieces in random order, again and again, as the guideline demands.
    Bag,
    /// The notebook's queue, with weights 5 + (most dealt of any) - (dealt of this piece).
    LeastDealt,
    /// S and Z alternately, S first, which no player survives.
    SandZ,
    /// S or Z with equal probability, as in SZ-Tetris. Games are short and differ by chance.
    SorZ,
    /// The pieces of a given text, in its order.
    Script {
        /// Pieces of the script in the order of dealing.
        pieces: Arc<[Piece]>,
        /// True if the pieces begin again after the last.
        cycle: bool,
    },
}

/// Largest number of pieces in a script, since `run.json` and tables store all of them.
pub const LONGEST_SCRIPT: usize = 100_000;

/// Names of the queues without settings. A script queue is named by its letters instead.
pub const QUEUE_NAMES: [&str; 5] = ["uniform", "bag", "least-dealt", "sz", "sz-random"];

impl QueueKind {
    /// Parses a script queue from its letters; spaces, commas and line ends are ignored.
    ///
    /// # Errors
    /// Returns [`Error::Piece`] for another letter, [`Error::ScriptEmpty`] without letters, and
    /// [`Error::Config`] for more than [`LONGEST_SCRIPT`] pieces.
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

    /// Returns true if games differ by chance. Games of `sz` and of scripts are all equal.
    #[must_use]
    pub fn is_random(&self) -> bool {
        !matches!(self, QueueKind::SandZ | QueueKind::Script { .. })
    }

    /// Returns the name of the queue and the letters of a script, for replays.
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
    pub fn described(text: &str) -> Result<QueueKind> {
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
            "sz" => Ok(QueueKind::SandZ),
            "sz-random" => Ok(QueueKind::SorZ),
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
            QueueKind::SandZ => "sz",
            QueueKind::SorZ => "sz-random",
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
    /// Creates the queue of game `index`. Equal arguments give equal pieces on every machine.
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

    /// Replaces all later draws by those of another stream, of the same distribution. Pieces
    /// already peeked at stay, and the bag keeps its pieces in a new order.
    pub fn branch(&mut self, stream: Stream) {
        self.stream = stream;
        // The bag keeps its pieces because players may count them; only their order is random.
        self.stream.shuffle(&mut self.bag);
    }

    /// Returns the pieces left in the bag after all dealt and peeked pieces, in no order. The slice
    /// is empty between two bags and for queues without bags.
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

    /// Deals the next piece. Only a script can end.
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

    /// Returns the piece dealt after `ahead` others (0 is the next), or `None` beyond the end of a
    /// script. Peeks do not change the pieces.
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
            QueueKind::SandZ => [Piece::S, Piece::Z][(self.drawn % 2) as usize],
            QueueKind::SorZ => [Piece::S, Piece::Z][self.stream.below(2) as usize],
            QueueKind::Script { pieces, cycle: true } => {
                pieces[(self.drawn % pieces.len() as u64) as usize]
            }
            QueueKind::Script { pieces, cycle: false } => *pieces.get(self.drawn as usize)?,
        };
        self.drawn += 1;
        Some(piece)
    }

    /// Draws the last piece of the bag, after filling and shuffling an empty bag.
    fn draw_from_bag(&mut self) -> Piece {
        if self.bag.is_empty() {
            self.bag.extend(Piece::ALL);
            self.stream.shuffle(&mut self.bag);
        }
        self.bag.pop().unwrap_or(Piece::I)
    }

    /// Draws a piece as the notebook does: takes r from 1 to sum - 1, and subtracts the weights in
    /// the order T J L Z S I O until r <= 0. The notebook's Z is S here, by shape, and its S is Z.
    /// The notebook keeps its counts across games; here each game starts from zero.
    fn draw_least_dealt(&mut self) -> Piece {
        const WALK: [Piece; 7] =
            [Piece::T, Piece::J, Piece::L, Piece::S, Piece::Z, Piece::I, Piece::O];
        let most = self.drawn_of.into_iter().max().unwrap_or(0);
        let weight = |piece: Piece| i64::from(5 + most - self.drawn_of[piece.index()]);
        let sum: i64 = WALK.into_iter().map(weight).sum();
        // The range ends at sum - 1, as in the notebook, so O has one part less than its weight.
        let mut left = i64::from(self.stream.below(sum as u32 - 1)) + 1;
        let chosen = WALK.into_iter().find(|&piece| {
            left -= weight(piece);
            left <= 0
        });
        let piece = chosen.unwrap_or(Piece::O);
        self.drawn_of[piece.index()] += 1;
        piece
    }
}
