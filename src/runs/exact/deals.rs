//! Models queues of pieces as finite Markov chains: the pieces that may come next, each equally
//! likely, and the state of the queue (its context) afterwards.

use crate::error::setting::{CYCLE, QUEUE};
use crate::prelude::*;
use crate::queue::PieceCounts;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Draw {
    pub(super) piece: Piece,
    pub(super) then: u32,
}

/// Markov chain of a queue: the pieces that may come next in each state (0: start of a game).
#[derive(Debug)]
pub(super) struct QueueChain {
    draws: Vec<Vec<Draw>>,
}

impl QueueChain {
    pub(super) fn new(queue: &QueueKind) -> Result<QueueChain> {
        let draws = match queue {
            QueueKind::Uniform => independent_draws(PieceCounts::equal(1)?)?,
            QueueKind::Weighted(weights) => independent_draws(*weights)?,
            QueueKind::Bag => bag_draws(PieceCounts::equal(1)?)?,
            QueueKind::BagOf(counts) => bag_draws(*counts)?,
            // Of 56 equally likely draws, 2 repeat the piece and 9 give each of the others.
            QueueKind::Nes => (0..=7).map(|context| draws_after_piece(context, 2, 9)).collect(),
            QueueKind::Repeat { thousandths } => repeat_draws(u32::from(*thousandths))?,
            QueueKind::AlternatingSz => cycle_draws(&[Piece::S, Piece::Z]),
            QueueKind::RandomSz => {
                vec![[Piece::S, Piece::Z].map(|piece| Draw { piece, then: 0 }).to_vec()]
            }
            QueueKind::Script { pieces, cycle: true } => cycle_draws(pieces),
            QueueKind::Script { cycle: false, .. } => {
                return Err(refused(&format!("a script that ends has no exact mean: add {CYCLE}")));
            }
            QueueKind::Tgm1 | QueueKind::Tgm2 | QueueKind::Tgm3 => {
                return Err(refused(&format!(
                    "{queue} depends on too many earlier pieces for an exact mean: use {QUEUE} nes \
                     or bag, or play the games with simulate"
                )));
            }
            QueueKind::Adversary => {
                return Err(refused(&format!(
                    "adversary chooses pieces by the board, so one game shows its result: play it \
                     with simulate, or use {QUEUE} uniform"
                )));
            }
            QueueKind::LeastDealt => {
                return Err(refused(&format!(
                    "least-dealt counts pieces without bound, so its games are no finite chain: \
                     use {QUEUE} uniform, bag, sz or sz-random"
                )));
            }
        };
        Ok(QueueChain { draws })
    }

    pub(super) fn draws(&self, context: u32) -> &[Draw] {
        &self.draws[context as usize]
    }

    pub(super) fn contexts(&self) -> usize {
        self.draws.len()
    }
}

const MOST_CONTEXTS: u32 = 100_000;
const MOST_DRAWS: u32 = 100;

fn independent_draws(weights: PieceCounts) -> Result<Vec<Vec<Draw>>> {
    let divisor = Piece::ALL.into_iter().fold(0, |n, piece| gcd(n, weights.count(piece)));
    if weights.total() / divisor > MOST_DRAWS {
        return Err(refused(&format!(
            "weights:{weights} needs too much memory for an exact mean: give weights that add up \
             to {MOST_DRAWS} or less"
        )));
    }
    let draws = weights.pieces().step_by(divisor as usize);
    Ok(vec![draws.map(|piece| Draw { piece, then: 0 }).collect()])
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Returns the possible draws from a bag in each state; the digits of a state's number count the
/// dealt pieces of each kind.
fn bag_draws(counts: PieceCounts) -> Result<Vec<Vec<Draw>>> {
    let bases = Piece::ALL.map(|piece| counts.count(piece) + 1);
    let product = bases.into_iter().try_fold(1u32, |product, base| product.checked_mul(base));
    let Some(full) = product.map(|product| product - 1).filter(|&full| full <= MOST_CONTEXTS)
    else {
        return Err(refused(&format!(
            "{} has more than {MOST_CONTEXTS} possible contents for an exact mean: use a smaller \
             bag, such as bag:2",
            QueueKind::bag(counts)
        )));
    };
    let draws = |context: u32| {
        let mut step = 1;
        let of_piece = Piece::ALL.into_iter().flat_map(|piece| {
            let (count, base) = (counts.count(piece), counts.count(piece) + 1);
            let left = count - context / step % base;
            let then = (context + step) % full;
            step *= base;
            (0..left).map(move |_| Draw { piece, then })
        });
        of_piece.collect()
    };
    Ok((0..full).map(draws).collect())
}

fn repeat_draws(thousandths: u32) -> Result<Vec<Vec<Draw>>> {
    // Of 7,000 draws, each piece has 1,000 - `thousandths`, and the last one has 7 x `thousandths`
    // more.
    let (other, more) = (1000 - thousandths, 7 * thousandths);
    let divisor = gcd(other, more);
    if 7000 / divisor > MOST_DRAWS {
        return Err(refused(&format!(
            "repeat:{} needs too much memory for an exact mean: give a multiple of 0.1 or 0.25",
            f64::from(thousandths) / 1000.0
        )));
    }
    let (other, last) = (other / divisor, (other + more) / divisor);
    Ok((0..=7).map(|context| draws_after_piece(context, last, other)).collect())
}

/// Returns the possible draws after the piece of `context`: this piece `last` times, each other
/// piece `other` times (each piece once in context 0).
fn draws_after_piece(context: u32, last: u32, other: u32) -> Vec<Draw> {
    let draws = Piece::ALL.into_iter().flat_map(|piece| {
        let then = 1 + piece.index() as u32;
        let copies = match context {
            0 => 1,
            _ if then == context => last,
            _ => other,
        };
        (0..copies).map(move |_| Draw { piece, then })
    });
    draws.collect()
}

fn cycle_draws(pieces: &[Piece]) -> Vec<Vec<Draw>> {
    let n = pieces.len() as u32;
    (1..).zip(pieces).map(|(after, &piece)| vec![Draw { piece, then: after % n }]).collect()
}

fn refused(text: &str) -> Error {
    Error::Config(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bag_deals_each_piece_once() {
        let bag = QueueChain::new(&QueueKind::Bag).unwrap();
        assert_eq!(bag.contexts(), 127);
        for last in Piece::ALL {
            let mut context = 0;
            for piece in Piece::ALL.into_iter().filter(|&piece| piece != last) {
                let draw = bag.draws(context).iter().find(|draw| draw.piece == piece).unwrap();
                context = draw.then;
            }
            assert_eq!(bag.draws(context), [Draw { piece: last, then: 0 }]);
        }
    }

    fn counts(queue: &str, context: u32) -> [usize; 7] {
        let chain = QueueChain::new(&queue.parse().unwrap()).unwrap();
        let draws = chain.draws(context);
        Piece::ALL.map(|piece| draws.iter().filter(|draw| draw.piece == piece).count())
    }

    #[test]
    fn equally_likely_draws_repeat_likelier_pieces() {
        assert_eq!(counts("weights:I=20,O=10,L=40", 0), [2, 1, 0, 0, 0, 0, 4]);
        assert_eq!(counts("nes", 0), [1; 7]);
        assert_eq!(counts("nes", 3), [9, 9, 2, 9, 9, 9, 9]); // after T
        let nes = QueueChain::new(&QueueKind::Nes).unwrap();
        assert!(nes.draws(0).iter().all(|draw| draw.then == 1 + draw.piece as u32));
    }

    // The digits of a context of `bag:I=2+O=1` have the bases 3 and 2.
    #[test]
    fn other_bags_count_the_pieces_left() {
        assert_eq!(counts("bag:2", 0), [2; 7]);
        assert_eq!(counts("bag:I=2+O=1", 0), [2, 1, 0, 0, 0, 0, 0]);
        assert_eq!(counts("bag:I=2+O=1", 1), [1, 1, 0, 0, 0, 0, 0]); // one I is dealt
        assert_eq!(counts("bag:I=2+O=1", 4), [1, 0, 0, 0, 0, 0, 0]); // an I and the O are dealt
        let bag = QueueChain::new(&"bag:I=2+O=1".parse().unwrap()).unwrap();
        assert_eq!((bag.contexts(), bag.draws(4)[0].then), (5, 0));
        let contexts = |name: &str| QueueChain::new(&name.parse().unwrap()).map(|c| c.contexts());
        assert_eq!(contexts("bag:4").unwrap(), 5usize.pow(7) - 1);
        assert_eq!(contexts("repeat:0.3").unwrap(), 8);
        let repeats = QueueChain::new(&"repeat:0.3".parse().unwrap()).unwrap();
        let drawn = |piece| repeats.draws(1).iter().filter(|draw| draw.piece == piece).count();
        assert_eq!(Piece::ALL.map(drawn), [4, 1, 1, 1, 1, 1, 1]); // 0.4 = 0.3 + 0.7 / 7
        for name in ["bag:5", "bag:100", "weights:I=100+O=1", "repeat:0.123", "tgm1", "tgm3"] {
            assert!(contexts(name).unwrap_err().to_string().contains(name), "{name}");
        }
    }

    #[test]
    fn a_script_begins_again_or_is_refused() {
        let script = |cycle| QueueChain::new(&QueueKind::script("OI", cycle).unwrap());
        let cycled = script(true).unwrap();
        assert_eq!(cycled.draws(0), [Draw { piece: Piece::O, then: 1 }]);
        assert_eq!(cycled.draws(1), [Draw { piece: Piece::I, then: 0 }]);
        assert!(script(false).unwrap_err().to_string().contains("add cycle"));
        assert!(QueueChain::new(&QueueKind::LeastDealt).is_err());
    }
}
