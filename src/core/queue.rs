//! Deals the pieces of a game.
//!
//! | queue | next piece | same pieces in all games |
//! |---|---|---|
//! | `uniform` | each of the seven with probability 1/7, independent of earlier pieces | no |
//! | `bag` | all seven in random order, again and again; at most 12 between two of a kind | no |
//! | `bag:N`, `bag:I=2+O=1` | a bag of N copies of each piece, or of these numbers | no |
//! | `weights:I=2+O=1` | independent of earlier pieces, with these weights | no |
//! | `nes` | the earlier piece again with probability 1/28, each other one with 9/56 | no |
//! | `tgm1`, `tgm2`, `tgm3` | rarely one of the last four pieces | no |
//! | `least-dealt` | likelier if dealt less often so far (teaching notebook `tetris_ia`) | no |
//! | `repeat:0.3` | the earlier piece again with probability 0.3, otherwise as `uniform` | no |
//! | `sz` | S, Z, S, Z, ...: no player survives it on ten columns (Burgiel 1997) | yes |
//! | `sz-random` | S or Z, each with probability 1/2: SZ-Tetris (Szita & Szepesvari 2010) | no |
//! | `adversary` | the worst one for the board ([`Rules::deal`](crate::rules::Rules::deal)) | no |
//! | `script` | the pieces of a given text | yes |
//!
//! The queues `nes` and `tgm1` to `tgm3` are those of console and arcade games. Their rules come
//! from tetris.wiki ("TGM randomizer"), meatfighter.com ("Applying Artificial Intelligence to
//! Nintendo Tetris") and simon.lc ("The history of Tetris randomizers").
//!
//! Games with and without previews get the same pieces: [`Queue::peek`] draws from the same random
//! stream and keeps the pieces until they are dealt.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::setting::{CYCLE, QUEUE, SCRIPT};
use crate::error::{Error, Result, quoted};
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
/// assert_eq!(script.describe().parse::<QueueKind>()?, script); // the text in run.json
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
    /// A bag that contains other numbers of the seven pieces than one of each, shuffled again and
    /// again. [`QueueKind::bag`] creates it.
    BagOf(PieceCounts),
    /// Independent pieces, each with a probability proportional to its number.
    Weighted(PieceCounts),
    /// The pieces of the NES game. One of eight values is drawn: the seven pieces and a dummy. If
    /// it is the dummy or the piece before, one of the seven pieces is drawn instead.
    ///
    /// Both draws are uniform here. The second draw of the console slightly prefers some pieces,
    /// because it adds a number from its table of spawn orientations.
    Nes,
    /// The pieces of the first TGM game. A piece is drawn at most 4 times, until it is none of the
    /// last four pieces; the last draw counts in any case. At the start these four are Z Z Z Z. The
    /// first piece is I, J, L or T, each with probability 1/4.
    Tgm1,
    /// The pieces of the second TGM game: like [`QueueKind::Tgm1`] with at most 6 draws, and Z S S
    /// Z at the start.
    Tgm2,
    /// The pieces of the third TGM game: like [`QueueKind::Tgm1`] with at most 6 draws, and Z S Z S
    /// at the start. The draws are from a pool, which contains each piece five times at the start.
    /// The place of every rejected draw, and of the dealt piece, is given to the piece that was
    /// dealt the longest time ago. Pieces not dealt so far come first, in the order J I Z L O T S.
    ///
    /// The first piece leaves the pool unchanged and does not count as dealt. The game itself has a
    /// fault that skips some changes of its pool; this queue does not.
    Tgm3,
    /// Random pieces, likelier if dealt less often, as in the teaching notebook `tetris_ia`. The
    /// weight of a piece is 5 + (largest count of any piece) - (count of this piece), and O has one
    /// less.
    LeastDealt,
    /// The last piece again with the probability `thousandths` / 1000, otherwise each of the seven
    /// pieces with probability 1/7. The first piece is uniform.
    Repeat {
        /// Probability of a repeated piece, in thousandths: 0 to 999.
        thousandths: u16,
    },
    /// S and Z alternately, S first, which no player survives.
    AlternatingSz,
    /// S or Z with equal probability, as in SZ-Tetris. Games are short and differ by chance.
    RandomSz,
    /// The worst piece for the board, as in HATETRIS ([`crate::rules::Rules::worst_piece`]). It is
    /// chosen when it is dealt, so no piece is known in advance. [`Queue::deal`] and
    /// [`Queue::peek`] know no board and return no piece of this queue.
    Adversary,
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

/// Names of all kinds of queues without a parameter, which excludes `script`.
pub const QUEUE_NAMES: [&str; 10] = [
    "uniform",
    "bag",
    "nes",
    "tgm1",
    "tgm2",
    "tgm3",
    "least-dealt",
    "sz",
    "sz-random",
    "adversary",
];

/// Examples of the kinds of queues with a parameter, except `script`.
pub const QUEUE_FORMS: [&str; 4] = ["bag:2", "bag:I=2+O=1", "weights:I=2+O=1", "repeat:0.3"];

/// Largest number of copies of each piece in a bag.
const MOST_COPIES: u16 = 100;
/// Pieces with which a TGM game may start.
const FIRST_OF_TGM: [Piece; 4] = [Piece::I, Piece::J, Piece::L, Piece::T];
/// Number of pieces since each piece was dealt at the start of `tgm3`, in the order of
/// [`Piece::ALL`].
const FIRST_DROUGHTS: [u32; 7] = [6, 3, 2, 1, 5, 7, 4];

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

    /// Creates a queue with bags that contain each piece as often as `counts` says.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::queue::{PieceCounts, QueueKind};
    /// assert_eq!(QueueKind::bag(PieceCounts::equal(1)?), QueueKind::Bag);
    /// assert_eq!(QueueKind::bag(PieceCounts::equal(2)?), "bag:2".parse()?);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn bag(counts: PieceCounts) -> QueueKind {
        if counts.common() == Some(1) { QueueKind::Bag } else { QueueKind::BagOf(counts) }
    }

    /// Checks that pieces are known before the earlier ones are placed, because `user` looks ahead.
    ///
    /// # Errors
    /// Returns [`Error::Config`] for [`QueueKind::Adversary`].
    pub fn check_known_ahead(&self, user: &str) -> Result<()> {
        if *self != QueueKind::Adversary {
            return Ok(());
        }
        Err(Error::Config(format!(
            "{QUEUE} adversary chooses each piece when the one before is placed, but {user}: use \
             it in classic games with search greedy or expect"
        )))
    }

    /// Returns true if the pieces of games differ by chance. All games of `sz` or of one script get
    /// the same pieces, and so do games that get only one of the seven pieces. Games of a player
    /// against `adversary` are equal, too.
    #[must_use]
    pub fn is_random(&self) -> bool {
        match self {
            QueueKind::AlternatingSz | QueueKind::Adversary | QueueKind::Script { .. } => false,
            QueueKind::BagOf(counts) | QueueKind::Weighted(counts) => {
                Piece::ALL.into_iter().all(|piece| counts.of(piece) != counts.total())
            }
            _ => true,
        }
    }

    /// Returns the name of the queue kind, followed by the letters of a script. Run folders store
    /// this text for replays.
    #[must_use]
    pub fn describe(&self) -> String {
        let QueueKind::Script { pieces, cycle } = self else { return self.to_string() };
        let letters: String = pieces.iter().map(|piece| piece.name()).collect();
        format!("script{} {letters}", if *cycle { " (cycle)" } else { "" })
    }
}

crate::by_text!(QueueKind by describe);

impl FromStr for QueueKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<QueueKind> {
        if let Some(letters) = name.strip_prefix("script (cycle) ") {
            return QueueKind::script(letters, true);
        }
        if let Some(letters) = name.strip_prefix("script ") {
            return QueueKind::script(letters, false);
        }
        let in_queue = |error: Error| Error::Config(format!("queue {}: {error}", quoted(name)));
        match name.split_once(':') {
            Some(("bag", counts)) if counts.contains('=') => {
                return PieceCounts::parse(counts).map(QueueKind::bag).map_err(in_queue);
            }
            Some(("bag", copies)) => {
                let copies =
                    copies.parse().ok().filter(|copies| (1..=MOST_COPIES).contains(copies));
                let problem = || {
                    in_queue(Error::Config(format!(
                        "give the number of copies of each piece, 1 to {MOST_COPIES}, or the \
                         numbers of the pieces, such as bag:I=2+O=1"
                    )))
                };
                return PieceCounts::equal(copies.ok_or_else(problem)?).map(QueueKind::bag);
            }
            Some(("weights", weights)) => {
                return PieceCounts::parse(weights).map(QueueKind::Weighted).map_err(in_queue);
            }
            Some(("repeat", probability)) => {
                let thousandths = probability.parse::<f64>().ok().map(|p| p * 1000.0);
                // A product such as 0.57 * 1000 is no integer, but close to one.
                let is_whole = |n: &f64| (n - n.round()).abs() < 1e-9;
                return thousandths
                    .filter(|n| is_whole(n) && (0.0..=999.0).contains(&n.round()))
                    .map(|n| QueueKind::Repeat { thousandths: n.round() as u16 })
                    .ok_or_else(|| {
                        in_queue(Error::Config(
                            "give the probability that a piece is repeated, 0 to 0.999 with at \
                             most three decimals, such as repeat:0.3"
                                .to_owned(),
                        ))
                    });
            }
            _ => {}
        }
        match name {
            "uniform" => Ok(QueueKind::Uniform),
            "bag" => Ok(QueueKind::Bag),
            "nes" => Ok(QueueKind::Nes),
            "tgm1" => Ok(QueueKind::Tgm1),
            "tgm2" => Ok(QueueKind::Tgm2),
            "tgm3" => Ok(QueueKind::Tgm3),
            "least-dealt" => Ok(QueueKind::LeastDealt),
            "sz" => Ok(QueueKind::AlternatingSz),
            "sz-random" => Ok(QueueKind::RandomSz),
            "adversary" => Ok(QueueKind::Adversary),
            _ => {
                let script = format!("script (with {SCRIPT})");
                let known = QUEUE_NAMES.into_iter().chain(QUEUE_FORMS).chain([script.as_str()]);
                Err(Error::unknown("queue", name, known))
            }
        }
    }
}

impl fmt::Display for QueueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QueueKind::BagOf(counts) => {
                return match counts.common() {
                    Some(copies) => write!(f, "bag:{copies}"),
                    None => write!(f, "bag:{counts}"),
                };
            }
            QueueKind::Weighted(weights) => return write!(f, "weights:{weights}"),
            QueueKind::Repeat { thousandths } => {
                return write!(f, "repeat:{}", f64::from(*thousandths) / 1000.0);
            }
            QueueKind::Uniform => "uniform",
            QueueKind::Bag => "bag",
            QueueKind::Nes => "nes",
            QueueKind::Tgm1 => "tgm1",
            QueueKind::Tgm2 => "tgm2",
            QueueKind::Tgm3 => "tgm3",
            QueueKind::LeastDealt => "least-dealt",
            QueueKind::AlternatingSz => "sz",
            QueueKind::RandomSz => "sz-random",
            QueueKind::Adversary => "adversary",
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
    /// Remaining pieces of the bag, the next piece last. For `tgm1` to `tgm3`, the pool from which
    /// pieces are drawn.
    bag: Vec<Piece>,
    /// Number of times that each piece was drawn, for `least-dealt`. For `tgm3`, the number of
    /// pieces since each piece was drawn.
    drawn_of: [u32; 7],
    /// The last four pieces, the latest last, for `nes`, `tgm1` to `tgm3` and `repeat`.
    recent: [Option<Piece>; 4],
    /// Number of pieces drawn, including those only peeked at.
    drawn: u64,
}

impl Queue {
    /// Creates the queue of game `index` of a run. Equal arguments give equal pieces on every
    /// machine.
    #[must_use]
    pub fn new(kind: QueueKind, run_seed: u64, index: u64) -> Queue {
        use Piece::{S, Z};
        Queue {
            stream: Stream::new(run_seed, Purpose::Queue, index),
            seen: VecDeque::new(),
            bag: Vec::with_capacity(7),
            drawn_of: if kind == QueueKind::Tgm3 { FIRST_DROUGHTS } else { [0; 7] },
            recent: match kind {
                QueueKind::Tgm1 => [Z, Z, Z, Z].map(Some),
                QueueKind::Tgm2 => [Z, S, S, Z].map(Some),
                QueueKind::Tgm3 => [Z, S, Z, S].map(Some),
                _ => [None; 4],
            },
            drawn: 0,
            kind,
        }
    }

    /// Returns the kind of the queue.
    #[must_use]
    pub fn kind(&self) -> &QueueKind {
        &self.kind
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
    /// The slice is empty between two bags and for all queues except [`QueueKind::Bag`].
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
        // Players take these for the rest of a bag of seven different pieces.
        if self.kind == QueueKind::Bag { &self.bag } else { &[] }
    }

    /// Creates a queue whose next pieces are `known`. Later pieces are drawn from `stream`, first
    /// from a bag that holds `left`, if the kind has a bag.
    ///
    /// ```
    /// # extern crate tetrastat_core as tetrastat;
    /// use tetrastat::piece::Piece::{self, I, O, T};
    /// use tetrastat::queue::{Queue, QueueKind};
    /// use tetrastat::rng::{Purpose, Stream};
    /// let stream = Stream::new(1, Purpose::Futures, 0);
    /// let mut queue = Queue::continuing(QueueKind::Bag, [I, O], [T], stream);
    /// assert_eq!([queue.deal()?, queue.deal()?, queue.deal()?], [I, O, T]);
    /// # Ok::<(), tetrastat::error::Error>(())
    /// ```
    #[must_use]
    pub fn continuing(
        kind: QueueKind,
        known: impl IntoIterator<Item = Piece>,
        left: impl IntoIterator<Item = Piece>,
        stream: Stream,
    ) -> Queue {
        let seen = known.into_iter().collect();
        Queue { stream, seen, bag: left.into_iter().collect(), ..Queue::new(kind, 0, 0) }
    }

    /// Appends `piece`, which was drawn elsewhere, to the known pieces. It leaves the bag, if the
    /// queue has one.
    pub fn append(&mut self, piece: Piece) {
        if let Some(left) = self.bag_counts()
            && self.bag.is_empty()
        {
            let copies = |piece: Piece| std::iter::repeat_n(piece, left[piece.index()].into());
            self.bag.extend(Piece::ALL.into_iter().flat_map(copies));
        }
        if let Some(place) = self.bag.iter().position(|left| *left == piece) {
            self.bag.swap_remove(place);
        }
        self.seen.push_back(piece);
    }

    /// Returns the pieces that were peeked at and not yet dealt, the next piece first.
    pub fn known(&self) -> impl Iterator<Item = Piece> {
        self.seen.iter().copied()
    }

    /// Returns how often each piece is left in the bag after all dealt and peeked pieces, in the
    /// order of [`Piece::ALL`]. Between two bags these are the numbers of a full bag. Returns
    /// `None` for queues without a bag.
    #[must_use]
    pub fn bag_counts(&self) -> Option<[u16; 7]> {
        let full = match &self.kind {
            QueueKind::Bag => [1; 7],
            QueueKind::BagOf(counts) => Piece::ALL.map(|piece| counts.of(piece) as u16),
            _ => return None,
        };
        if self.bag.is_empty() {
            return Some(full);
        }
        let count = |piece| self.bag.iter().filter(|left| **left == piece).count() as u16;
        Some(Piece::ALL.map(count))
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

    /// Counts and returns `piece`, which was chosen outside the queue.
    pub(crate) fn deal_chosen(&mut self, piece: Piece) -> Piece {
        self.drawn += 1;
        piece
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
            QueueKind::Uniform => self.draw_uniform(),
            QueueKind::Bag => self.draw_from_bag(Piece::ALL),
            QueueKind::BagOf(counts) => {
                let counts = *counts;
                self.draw_from_bag(counts.pieces())
            }
            QueueKind::Weighted(weights) => {
                let mut left = self.stream.below(weights.total());
                let reached = |&piece: &Piece| {
                    let weight = weights.of(piece);
                    let is_reached = left < weight;
                    left = left.wrapping_sub(weight);
                    is_reached
                };
                Piece::ALL.into_iter().find(reached).unwrap_or(Piece::I)
            }
            QueueKind::Nes => {
                let piece = Piece::ALL.get(self.stream.below(8) as usize).copied();
                let is_kept = piece.is_some() && piece != self.recent[3];
                let piece = piece.filter(|_| is_kept).unwrap_or_else(|| self.draw_uniform());
                self.remember(piece)
            }
            QueueKind::Tgm1 => self.draw_of_tgm(4, 1),
            QueueKind::Tgm2 => self.draw_of_tgm(6, 1),
            QueueKind::Tgm3 => self.draw_of_tgm(6, 5),
            QueueKind::LeastDealt => self.draw_least_dealt(),
            QueueKind::Repeat { thousandths } => {
                let thousandths = u32::from(*thousandths);
                let repeated = self.recent[3].filter(|_| self.stream.below(1000) < thousandths);
                let piece = repeated.unwrap_or_else(|| self.draw_uniform());
                self.remember(piece)
            }
            QueueKind::AlternatingSz => [Piece::S, Piece::Z][(self.drawn % 2) as usize],
            QueueKind::RandomSz => [Piece::S, Piece::Z][self.stream.below(2) as usize],
            QueueKind::Script { pieces, cycle: true } => {
                pieces[(self.drawn % pieces.len() as u64) as usize]
            }
            QueueKind::Adversary => return None,
            QueueKind::Script { pieces, cycle: false } => *pieces.get(self.drawn as usize)?,
        };
        self.drawn += 1;
        Some(piece)
    }

    fn draw_uniform(&mut self) -> Piece {
        Piece::ALL[self.stream.below(7) as usize]
    }

    /// Draws the last piece of the bag. An empty bag is first filled with `pieces` and shuffled.
    fn draw_from_bag(&mut self, pieces: impl IntoIterator<Item = Piece>) -> Piece {
        if self.bag.is_empty() {
            self.bag.extend(pieces);
            self.stream.shuffle(&mut self.bag);
        }
        self.bag.pop().unwrap_or(Piece::I)
    }

    /// Draws a piece as the TGM games do, at most `rolls` times. The pool contains `copies` of each
    /// piece at the start, and changes if there is more than one ([`QueueKind::Tgm3`]).
    fn draw_of_tgm(&mut self, rolls: u32, copies: usize) -> Piece {
        if self.bag.is_empty() {
            self.bag = Piece::ALL.repeat(copies);
        }
        if self.drawn == 0 {
            let piece = FIRST_OF_TGM[self.stream.below(4) as usize];
            return self.remember(piece);
        }
        let places = self.bag.len() as u32;
        let mut place = self.stream.below(places) as usize;
        for _ in 1..rolls {
            if !self.recent.contains(&Some(self.bag[place])) {
                break;
            }
            if copies > 1 {
                self.bag[place] = self.longest_undealt();
            }
            place = self.stream.below(places) as usize;
        }
        let piece = self.bag[place];
        if copies > 1 {
            self.drawn_of = self.drawn_of.map(|pieces| pieces.saturating_add(1));
            self.drawn_of[piece.index()] = 0;
            self.bag[place] = self.longest_undealt();
        }
        self.remember(piece)
    }

    /// Returns the piece that was dealt the longest time ago, for `tgm3`.
    fn longest_undealt(&self) -> Piece {
        let longest = Piece::ALL.into_iter().max_by_key(|piece| self.drawn_of[piece.index()]);
        longest.unwrap_or(Piece::I)
    }

    /// Adds `piece` to the recent pieces, and returns it.
    fn remember(&mut self, piece: Piece) -> Piece {
        self.recent.rotate_left(1);
        self.recent[3] = Some(piece);
        piece
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

/// A number for each piece: how often a bag contains it, or its weight. At least one number is
/// above 0. The text form lists these: `I=2+O=1`.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::{piece::Piece, queue::PieceCounts};
/// let counts = PieceCounts::new([2, 1, 0, 0, 0, 0, 0])?; // in the order of Piece::ALL
/// assert_eq!((counts.to_string(), counts.total()), ("I=2+O=1".to_owned(), 3));
/// assert_eq!((counts.of(Piece::I), counts.of(Piece::T)), (2, 0));
/// # Ok::<(), tetrastat::error::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceCounts([u16; 7]);

impl PieceCounts {
    /// Largest sum of the seven numbers.
    pub const LARGEST_TOTAL: u32 = 1000;

    /// Creates counts from the numbers of the seven pieces, in the order of [`Piece::ALL`].
    ///
    /// # Errors
    /// Returns [`Error::Config`] if all numbers are 0, or their sum is above
    /// [`PieceCounts::LARGEST_TOTAL`].
    pub fn new(numbers: [u16; 7]) -> Result<PieceCounts> {
        let counts = PieceCounts(numbers);
        match counts.total() {
            1..=PieceCounts::LARGEST_TOTAL => Ok(counts),
            total => Err(refused(&format!("the numbers add up to {total}"))),
        }
    }

    /// Creates counts of `number` for every piece.
    ///
    /// # Errors
    /// Returns the errors of [`PieceCounts::new`].
    pub fn equal(number: u16) -> Result<PieceCounts> {
        PieceCounts::new([number; 7])
    }

    /// Parses pieces with their numbers, such as `I=2+O=1` or `I=2,O=1`. A piece without a number
    /// has 0. The text form has no comma, because tables would replace it.
    pub(super) fn parse(text: &str) -> Result<PieceCounts> {
        let mut numbers = [None; 7];
        for part in text.split(['+', ',']) {
            let parsed = part.split_once('=').and_then(|(piece, number)| {
                Some((piece.trim().parse::<Piece>().ok()?, number.trim().parse::<u16>().ok()?))
            });
            let Some((piece, number)) = parsed else {
                return Err(refused(&format!("'{}' is no piece with a number", quoted(part))));
            };
            if numbers[piece.index()].replace(number).is_some() {
                return Err(refused(&format!("{} has two numbers", piece.name())));
            }
        }
        PieceCounts::new(numbers.map(Option::unwrap_or_default))
    }

    /// Returns the number of `piece`.
    #[must_use]
    pub fn of(&self, piece: Piece) -> u32 {
        self.0[piece.index()].into()
    }

    /// Returns the sum of the seven numbers.
    #[must_use]
    pub fn total(&self) -> u32 {
        self.0.iter().map(|&number| u32::from(number)).sum()
    }

    /// Returns the number that all pieces have, or `None` if their numbers differ.
    #[must_use]
    pub fn common(&self) -> Option<u16> {
        self.0.iter().all(|number| *number == self.0[0]).then_some(self.0[0])
    }

    /// Returns every piece as often as its number says, in the order of [`Piece::ALL`].
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        Piece::ALL.into_iter().flat_map(move |piece| (0..self.of(piece)).map(move |_| piece))
    }
}

impl fmt::Display for PieceCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Piece::ALL.into_iter().filter(|&piece| self.of(piece) > 0);
        let parts: Vec<String> =
            named.map(|piece| format!("{}={}", piece.name(), self.of(piece))).collect();
        f.write_str(&parts.join("+"))
    }
}

fn refused(problem: &str) -> Error {
    Error::Config(format!(
        "{problem}: give pieces with whole numbers that add up to 1 to {}, such as I=2+O=1; pieces \
         without a number never come",
        PieceCounts::LARGEST_TOTAL
    ))
}
