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
//! The rules of `nes` and `tgm1` to `tgm3` come from tetris.wiki ("TGM randomizer"),
//! meatfighter.com ("Applying Artificial Intelligence to Nintendo Tetris") and simon.lc ("The
//! history of Tetris randomizers"). Frozen: the pieces of every seed.

use std::collections::VecDeque;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::error::setting::{CYCLE, QUEUE, SCRIPT};
use crate::error::{Error, Result, quoted};
use crate::piece::Piece;
use crate::rng::{Purpose, Stream};

/// The rule by which the pieces of a game are dealt, with its settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum QueueKind {
    /// Independent and equally likely pieces, as in research.
    #[default]
    Uniform,
    /// The seven pieces in random order, again and again, as the guideline demands.
    Bag,
    /// Bags with a given number of copies of each piece, not one of each ([`QueueKind::bag`]).
    BagOf(PieceCounts),
    /// Independent pieces, each with a probability proportional to its given weight.
    Weighted(PieceCounts),
    /// Pieces as in the NES game: equally likely, except that a piece rarely follows itself.
    Nes,
    /// The pieces of Tetris: The Grand Master. A piece is drawn up to 4 times, until it is none of
    /// the last four.
    Tgm1,
    /// The pieces of Tetris: The Grand Master 2: as [`QueueKind::Tgm1`], with up to 6 draws.
    Tgm2,
    /// The pieces of Tetris: The Grand Master 3: as [`QueueKind::Tgm1`], with up to 6 draws from a
    /// pool of 35 pieces.
    ///
    /// In the pool, the piece not dealt for the longest time replaces each drawn piece.
    Tgm3,
    /// Random pieces, likelier if dealt less often so far, as in the teaching notebook `tetris_ia`.
    LeastDealt,
    /// The last piece again with the probability `thousandths` / 1000, otherwise a uniform piece.
    Repeat {
        /// Probability that the last piece is dealt again, in thousandths: 0 to 999.
        thousandths: u16,
    },
    /// S and Z alternately, S first, which no player survives.
    AlternatingSz,
    /// S or Z with equal probability, as in SZ-Tetris.
    RandomSz,
    /// The worst piece for the board, as in HATETRIS. [`Rules::deal`](crate::rules::Rules::deal)
    /// chooses the piece; [`Queue::deal`] returns an error.
    Adversary,
    /// The pieces of a given text, in the order of the text.
    Script {
        /// Pieces of the script queue, in the order of dealing.
        pieces: Arc<[Piece]>,
        /// True if the script queue starts again after its last piece.
        cycle: bool,
    },
}

/// Largest number of pieces in a script queue, since `run.json` and tables store all of them.
pub const LONGEST_SCRIPT: usize = 100_000;

/// Names of all kinds of piece queues that have no parameter, so without `script`.
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

/// Examples of the kinds of piece queues that have a parameter, except `script`.
pub const QUEUE_FORMS: [&str; 4] = ["bag:2", "bag:I=2+O=1", "weights:I=2+O=1", "repeat:0.3"];

const MAX_COPIES: u16 = 100;
const FIRST_TGM_PIECES: [Piece; 4] = [Piece::I, Piece::J, Piece::L, Piece::T];
/// Number of pieces since each piece was last dealt, assumed for the start of a `tgm3` queue.
const FIRST_DROUGHTS: [u32; 7] = [6, 3, 2, 1, 5, 7, 4];

impl QueueKind {
    /// Parses a script queue from pieces' letters, ignoring blanks and commas; `cycle` repeats it.
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

    /// Creates the kind of queue whose bags contain each piece as often as `counts` says.
    #[must_use]
    pub fn bag(counts: PieceCounts) -> QueueKind {
        if counts.common() == Some(1) { QueueKind::Bag } else { QueueKind::BagOf(counts) }
    }

    /// Returns an error for the queue `adversary`, whose next pieces are unknown. In the message,
    /// `user` says who needs to know them.
    pub fn check_known_ahead(&self, user: &str) -> Result<()> {
        if *self != QueueKind::Adversary {
            return Ok(());
        }
        Err(Error::Config(format!(
            "{QUEUE} adversary chooses each piece when the one before is placed, but {user}: use \
             it in classic games with search greedy or expect"
        )))
    }

    /// Returns true if the queue is random, so that different games have different pieces.
    #[must_use]
    pub fn is_random(&self) -> bool {
        match self {
            QueueKind::AlternatingSz | QueueKind::Adversary | QueueKind::Script { .. } => false,
            QueueKind::BagOf(counts) | QueueKind::Weighted(counts) => {
                Piece::ALL.into_iter().all(|piece| counts.count(piece) != counts.total())
            }
            _ => true,
        }
    }

    /// Returns the piece queue's text in a run's file: its name, and the letters of a script.
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
                let copies = copies.parse().ok().filter(|copies| (1..=MAX_COPIES).contains(copies));
                let problem = || {
                    in_queue(Error::Config(format!(
                        "give the number of copies of each piece, 1 to {MAX_COPIES}, or the \
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
    #[serde(skip)]
    kind: QueueKind,
    stream: Stream,
    #[serde(rename = "seen")]
    peeked: VecDeque<Piece>,
    /// Pieces left in the bag, the next piece at the end; for `tgm1` to `tgm3`, the pool of pieces.
    bag: Vec<Piece>,
    /// For `least-dealt`, how often each piece was drawn; for `tgm3`, how many draws ago.
    drawn_of: [u32; 7],
    /// Last four pieces drawn, the latest at the end; used by `nes`, `tgm1` to `tgm3` and `repeat`.
    recent: [Option<Piece>; 4],
    /// Number of pieces drawn from the queue, including those only peeked at.
    drawn: u64,
}

impl Queue {
    /// Creates the piece queue of game number `index` of the run with seed `run_seed`.
    #[must_use]
    pub fn new(kind: QueueKind, run_seed: u64, index: u64) -> Queue {
        use Piece::{S, Z};
        Queue {
            stream: Stream::new(run_seed, Purpose::Queue, index),
            peeked: VecDeque::new(),
            bag: Vec::with_capacity(7),
            drawn_of: if kind == QueueKind::Tgm3 { FIRST_DROUGHTS } else { [0; 7] },
            recent: match kind {
                // The four pieces before a TGM game; its first piece is I, J, L or T.
                QueueKind::Tgm1 => [Z, Z, Z, Z].map(Some),
                QueueKind::Tgm2 => [Z, S, S, Z].map(Some),
                QueueKind::Tgm3 => [Z, S, Z, S].map(Some),
                _ => [None; 4],
            },
            drawn: 0,
            kind,
        }
    }

    /// Returns the kind of the piece queue, that is, the rule by which its pieces are dealt.
    #[must_use]
    pub fn kind(&self) -> &QueueKind {
        &self.kind
    }

    /// Restores the kind of a deserialised piece queue, since checkpoints do not store it.
    pub fn set_kind(&mut self, kind: QueueKind) {
        self.kind = kind;
    }

    /// Replaces the random stream of a piece queue. Only pieces not peeked at yet change.
    pub fn branch(&mut self, stream: Stream) {
        self.stream = stream;
        // The bag keeps its pieces because players may count them; only their order is random.
        self.stream.shuffle(&mut self.bag);
    }

    /// Returns the pieces left in the current bag, in no defined order; empty unless the queue is
    /// [`QueueKind::Bag`].
    #[must_use]
    pub fn left_in_bag(&self) -> &[Piece] {
        // Players take these for the rest of a bag of seven different pieces.
        if self.kind == QueueKind::Bag { &self.bag } else { &[] }
    }

    /// Creates a queue of `kind` that deals the `known` pieces, those `left` in its bag (the last
    /// first), then pieces drawn with `stream`.
    #[must_use]
    pub fn continuing(
        kind: QueueKind,
        known: impl IntoIterator<Item = Piece>,
        left: impl IntoIterator<Item = Piece>,
        stream: Stream,
    ) -> Queue {
        let peeked = known.into_iter().collect();
        Queue { stream, peeked, bag: left.into_iter().collect(), ..Queue::new(kind, 0, 0) }
    }

    /// Appends a `piece` chosen outside the queue to the known pieces, and takes it out of the bag.
    pub fn append(&mut self, piece: Piece) {
        if let Some(left) = self.bag_counts()
            && self.bag.is_empty()
        {
            let copies = |piece: Piece| std::iter::repeat_n(piece, left[piece.index()].into());
            self.bag.extend(Piece::ALL.into_iter().flat_map(copies));
        }
        if let Some(index) = self.bag.iter().position(|left| *left == piece) {
            self.bag.swap_remove(index);
        }
        self.peeked.push_back(piece);
    }

    /// Returns the queue's pieces that were peeked at and not yet dealt, the next piece first.
    pub fn peeked(&self) -> impl Iterator<Item = Piece> {
        self.peeked.iter().copied()
    }

    /// Returns how often each of the seven pieces is left in the bag (full between two bags), or
    /// `None` for queues without bags.
    #[must_use]
    pub fn bag_counts(&self) -> Option<[u16; 7]> {
        let full = match &self.kind {
            QueueKind::Bag => [1; 7],
            QueueKind::BagOf(counts) => Piece::ALL.map(|piece| counts.count(piece) as u16),
            _ => return None,
        };
        if self.bag.is_empty() {
            return Some(full);
        }
        let count = |piece| self.bag.iter().filter(|left| **left == piece).count() as u16;
        Some(Piece::ALL.map(count))
    }

    /// Deals the queue's next piece, or returns [`Error::ScriptEnded`] at the end of a script.
    pub fn deal(&mut self) -> Result<Piece> {
        // Creating and dropping the error for each piece would cost time.
        match self.peeked.pop_front() {
            Some(piece) => Ok(piece),
            None => match self.draw() {
                Some(piece) => Ok(piece),
                None => Err(Error::ScriptEnded { dealt: self.drawn }),
            },
        }
    }

    pub(crate) fn deal_chosen(&mut self, piece: Piece) -> Piece {
        self.drawn += 1;
        piece
    }

    /// Returns the piece that the queue will deal after the next `ahead` pieces. Returns `None` if
    /// its script ends before, and for [`QueueKind::Adversary`].
    pub fn peek(&mut self, ahead: usize) -> Option<Piece> {
        while self.peeked.len() <= ahead {
            let piece = self.draw()?;
            self.peeked.push_back(piece);
        }
        Some(self.peeked[ahead])
    }

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
                    let weight = weights.count(piece);
                    let is_reached = left < weight;
                    left = left.wrapping_sub(weight);
                    is_reached
                };
                Piece::ALL.into_iter().find(reached).unwrap_or(Piece::I)
            }
            QueueKind::Nes => {
                // One of eight values is drawn: the seven pieces and a dummy. If it is the dummy or
                // the piece before, one of the seven pieces is drawn instead. The console's second
                // draw is slightly biased; this one is uniform.
                let piece = Piece::ALL.get(self.stream.below(8) as usize).copied();
                let is_kept = piece.is_some() && piece != self.recent[3];
                let piece = piece.filter(|_| is_kept).unwrap_or_else(|| self.draw_uniform());
                self.remember(piece)
            }
            QueueKind::Tgm1 => self.draw_tgm(4, 1),
            QueueKind::Tgm2 => self.draw_tgm(6, 1),
            QueueKind::Tgm3 => self.draw_tgm(6, 5),
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

    fn draw_from_bag(&mut self, pieces: impl IntoIterator<Item = Piece>) -> Piece {
        if self.bag.is_empty() {
            self.bag.extend(pieces);
            self.stream.shuffle(&mut self.bag);
        }
        self.bag.pop().unwrap_or(Piece::I)
    }

    /// Draws a piece by the TGM rule, at most `rolls` times; the pool begins with `copies` of each.
    // The game `tgm3` has a fault that skips some changes of its pool; this queue does not.
    fn draw_tgm(&mut self, rolls: u32, copies: usize) -> Piece {
        if self.bag.is_empty() {
            self.bag = Piece::ALL.repeat(copies);
        }
        if self.drawn == 0 {
            let piece = FIRST_TGM_PIECES[self.stream.below(4) as usize];
            return self.remember(piece);
        }
        let entries = self.bag.len() as u32;
        let mut index = self.stream.below(entries) as usize;
        for _ in 1..rolls {
            if !self.recent.contains(&Some(self.bag[index])) {
                break;
            }
            if copies > 1 {
                self.bag[index] = self.longest_undealt();
            }
            index = self.stream.below(entries) as usize;
        }
        let piece = self.bag[index];
        if copies > 1 {
            self.drawn_of = self.drawn_of.map(|pieces| pieces.saturating_add(1));
            self.drawn_of[piece.index()] = 0;
            self.bag[index] = self.longest_undealt();
        }
        self.remember(piece)
    }

    fn longest_undealt(&self) -> Piece {
        let longest = Piece::ALL.into_iter().max_by_key(|piece| self.drawn_of[piece.index()]);
        longest.unwrap_or(Piece::I)
    }

    fn remember(&mut self, piece: Piece) -> Piece {
        self.recent.rotate_left(1);
        self.recent[3] = Some(piece);
        piece
    }

    fn draw_least_dealt(&mut self) -> Piece {
        // The notebook exchanges S and Z. It subtracts weights from a random number until 0 or
        // below, and keeps counts across games, which start from zero here.
        const NOTEBOOK_ORDER: [Piece; 7] =
            [Piece::T, Piece::J, Piece::L, Piece::S, Piece::Z, Piece::I, Piece::O];
        let most = self.drawn_of.into_iter().max().unwrap_or(0);
        // The weight of a piece is 5 + (largest count of any piece) - (own count).
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

/// Numbers of the seven pieces, not all 0, such as `I=2+O=1`: copies in a bag, or weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceCounts([u16; 7]);

impl PieceCounts {
    /// Largest allowed sum of the seven pieces' numbers (copies in a bag, or weights).
    pub const LARGEST_TOTAL: u32 = 1000;

    /// Creates piece counts from seven numbers in the order of [`Piece::ALL`], which add up to 1 to
    /// [`PieceCounts::LARGEST_TOTAL`].
    pub fn new(numbers: [u16; 7]) -> Result<PieceCounts> {
        let counts = PieceCounts(numbers);
        match counts.total() {
            1..=PieceCounts::LARGEST_TOTAL => Ok(counts),
            total => Err(piece_counts_error(&format!("the numbers add up to {total}"))),
        }
    }

    /// Creates piece counts with the same `number` for every piece.
    pub fn equal(number: u16) -> Result<PieceCounts> {
        PieceCounts::new([number; 7])
    }

    /// Parses piece counts such as `I=2+O=1`; commas may replace the plus signs.
    pub(super) fn parse(text: &str) -> Result<PieceCounts> {
        let mut numbers = [None; 7];
        for part in text.split(['+', ',']) {
            let parsed = part.split_once('=').and_then(|(piece, number)| {
                Some((piece.trim().parse::<Piece>().ok()?, number.trim().parse::<u16>().ok()?))
            });
            let Some((piece, number)) = parsed else {
                return Err(piece_counts_error(&format!(
                    "'{}' is no piece with a number",
                    quoted(part)
                )));
            };
            if numbers[piece.index()].replace(number).is_some() {
                return Err(piece_counts_error(&format!("{} has two numbers", piece.name())));
            }
        }
        PieceCounts::new(numbers.map(Option::unwrap_or_default))
    }

    /// Returns the number for `piece`: its copies in a bag, or its weight.
    #[must_use]
    pub fn count(&self, piece: Piece) -> u32 {
        self.0[piece.index()].into()
    }

    /// Returns the sum of the seven pieces' numbers (copies in a bag, or weights).
    #[must_use]
    pub fn total(&self) -> u32 {
        self.0.iter().map(|&number| u32::from(number)).sum()
    }

    /// Returns the number (copies or weight) that all seven pieces have, or `None` if they differ.
    #[must_use]
    pub fn common(&self) -> Option<u16> {
        self.0.iter().all(|number| *number == self.0[0]).then_some(self.0[0])
    }

    /// Returns the pieces of a full bag: each as often as its number says, in a fixed order.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        Piece::ALL.into_iter().flat_map(move |piece| (0..self.count(piece)).map(move |_| piece))
    }
}

impl fmt::Display for PieceCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Piece::ALL.into_iter().filter(|&piece| self.count(piece) > 0);
        let parts: Vec<String> =
            named.map(|piece| format!("{}={}", piece.name(), self.count(piece))).collect();
        f.write_str(&parts.join("+"))
    }
}

fn piece_counts_error(problem: &str) -> Error {
    Error::Config(format!(
        "{problem}: give pieces with whole numbers that add up to 1 to {}, such as I=2+O=1; pieces \
         without a number never come",
        PieceCounts::LARGEST_TOTAL
    ))
}
