//! Queues: who deals the pieces.
//!
//! | queue | next piece | same from game to game |
//! |---|---|---|
//! | `uniform` | each of the seven with probability 1/7, whatever came before | no |
//! | `bag` | the seven in random order, then seven again: a piece is at most 12 others away | no |
//! | `least-dealt` | the likelier the seldomer it was dealt (the notebook) | no |
//! | `sz` | S, Z, S, Z, ...: on ten columns no player survives it (Burgiel 1997) | yes |
//! | `sz-random` | S or Z, each with probability 1/2: the SZ-Tetris of the learning literature (Szita & Szepesvari 2010) | no |
//! | `script` | as written | yes |
//!
//! A queue may be looked into: a peek draws from the same stream and keeps what it saw, so that games
//! with and without previews get the same pieces.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::setting::{CYCLE, SCRIPT};
use crate::error::{Error, Result};
use crate::piece::Piece;
use crate::rng::{Purpose, Stream};

/// A kind of queue, with all it needs except the random stream: what a run is configured with.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::queue::QueueKind;
/// assert_eq!("bag".parse::<QueueKind>()?, QueueKind::Bag);
/// let script = QueueKind::script("I, O T", false)?;
/// assert!(!script.is_random());
/// assert_eq!(QueueKind::described(&script.describe())?, script); // as run.json keeps it
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// Each piece independent and equally likely: the research standard. Droughts of any length
    /// happen, which no bag allows.
    #[default]
    Uniform,
    /// The seven pieces in random order, again and again: the guideline's.
    Bag,
    /// The notebook's randomiser: weight 5 + (most dealt so far) - (dealt of this kind).
    LeastDealt,
    /// S and Z in turn, S first: the adversary no player survives.
    SandZ,
    /// S or Z with equal probability, whatever came before: SZ-Tetris, whose games are short and differ by chance.
    SorZ,
    /// A given sequence.
    Script {
        /// The pieces, in order.
        pieces: Arc<[Piece]>,
        /// Whether to begin again at the end.
        cycle: bool,
    },
}

/// Largest number of pieces of a script queue: `run.json` and tables of conditions hold them all.
pub const LONGEST_SCRIPT: usize = 100_000;

/// The names of the queues that need nothing but a name; a script is written as its letters.
pub const QUEUE_NAMES: [&str; 5] = ["uniform", "bag", "least-dealt", "sz", "sz-random"];

impl QueueKind {
    /// A script queue from letters; spaces, commas and line ends between them are ignored.
    ///
    /// # Errors
    /// [`Error::Piece`] for another letter, [`Error::ScriptEmpty`] if there is none, [`Error::Config`] for more than
    /// [`LONGEST_SCRIPT`].
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
                "the script has {} pieces, and at most {LONGEST_SCRIPT} are kept with a run: give fewer, and {CYCLE} to repeat them",
                pieces.len()
            )));
        }
        Ok(QueueKind::Script { pieces: pieces.into(), cycle })
    }

    /// Whether games differ by chance; those of `sz` and scripts are all the same.
    #[must_use]
    pub fn is_random(&self) -> bool {
        !matches!(self, QueueKind::SandZ | QueueKind::Script { .. })
    }

    /// The name and, for a script, its letters, so that a record can be played again.
    #[must_use]
    pub fn describe(&self) -> String {
        let QueueKind::Script { pieces, cycle } = self else { return self.to_string() };
        let letters: String = pieces.iter().map(|piece| piece.name()).collect();
        format!("script{} {letters}", if *cycle { " (cycle)" } else { "" })
    }

    /// The queue that was described so.
    ///
    /// # Errors
    /// [`Error::Unknown`] or those of [`QueueKind::script`] when nothing is described so.
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

/// The pieces of one game.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::queue::{Queue, QueueKind};
/// let (seed, game) = (1, 0);
/// let mut queue = Queue::new(QueueKind::Bag, seed, game);
/// let second = queue.peek(1);
/// let first = queue.deal()?;
/// assert_eq!(queue.peek(0), second); // looking ahead changes nothing
/// assert_ne!(second, Some(first)); // both are of one bag
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Queue {
    /// Part of the run's configuration, so not stored with the queue.
    #[serde(skip)]
    kind: QueueKind,
    stream: Stream,
    /// Pieces drawn by a peek and not yet dealt.
    seen: VecDeque<Piece>,
    /// What is left of the bag; the next piece is the last.
    bag: Vec<Piece>,
    /// How often each piece was drawn, which `least-dealt` asks.
    drawn_of: [u32; 7],
    /// Pieces drawn, those among them that were only peeked at.
    drawn: u64,
}

impl Queue {
    /// The queue of game `index` under a run seed: the same three give the same pieces, on every machine.
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

    /// Says who deals, for a queue that was read back from a checkpoint, which leaves its kind out.
    pub fn set_kind(&mut self, kind: QueueKind) {
        self.kind = kind;
    }

    /// Gives the queue a future of its own, of the same distribution: pieces that were peeked at stay, and
    /// so does what is left in a bag, but its order and all later draws come from another stream.
    pub fn branch(&mut self, stream: Stream) {
        self.stream = stream;
        // What is left stays the same pieces, since whoever counts a bag knows them; only their order is
        // chance.
        self.stream.shuffle(&mut self.bag);
    }

    /// What is left of the bag after all pieces that were dealt or peeked at, in no order; nothing when a new bag
    /// begins, or for a queue without bags.
    #[must_use]
    pub fn left_in_bag(&self) -> &[Piece] {
        &self.bag
    }

    /// Deals the next piece. Only a script ends.
    ///
    /// # Errors
    /// [`Error::ScriptEnded`] when a script without `cycle` has no more.
    pub fn deal(&mut self) -> Result<Piece> {
        // The error only where there is one: made for each piece it would also be dropped for each.
        match self.seen.pop_front() {
            Some(piece) => Ok(piece),
            None => match self.draw() {
                Some(piece) => Ok(piece),
                None => Err(Error::ScriptEnded { dealt: self.drawn }),
            },
        }
    }

    /// The piece that will be dealt after `ahead` others (0 is the next), or `None` past the end of a script.
    /// The stream of pieces is the same with and without peeks.
    pub fn peek(&mut self, ahead: usize) -> Option<Piece> {
        while self.seen.len() <= ahead {
            let piece = self.draw()?;
            self.seen.push_back(piece);
        }
        Some(self.seen[ahead])
    }

    /// The next piece of the stream; `None` past the end of a script.
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

    /// The next of a shuffled bag of all seven, from its end.
    fn draw_from_bag(&mut self) -> Piece {
        if self.bag.is_empty() {
            self.bag.extend(Piece::ALL);
            self.stream.shuffle(&mut self.bag);
        }
        self.bag.pop().unwrap_or(Piece::I)
    }

    /// The walk of the notebook's generator: r in 1..=sum-1, weights taken
    /// off in its order T J L Z S I O until r <= 0. By shape its Z is our S and its S our Z. The
    /// notebook keeps its counts across games; here each game starts from zero.
    fn draw_least_dealt(&mut self) -> Piece {
        const WALK: [Piece; 7] =
            [Piece::T, Piece::J, Piece::L, Piece::S, Piece::Z, Piece::I, Piece::O];
        let most = self.drawn_of.into_iter().max().unwrap_or(0);
        let weight = |piece: Piece| i64::from(5 + most - self.drawn_of[piece.index()]);
        let sum: i64 = WALK.into_iter().map(weight).sum();
        // 1 to sum - 1, and not to sum: O, the last, is likelier by one part less than its weight, as in the
        // notebook.
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
