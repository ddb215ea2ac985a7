//! Lists boards for which the number of possible landings of each piece is published, for tests and
//! benchmarks.

use super::Matrix;

/// A named board with the published number of landings of each piece.
pub struct PerftBoard {
    /// Name of the board, for [`matrix`].
    pub name: &'static str,
    /// Two numbers of landings for each of T I L J S Z O: with all rotation states counted, and
    /// with states that fill equal cells counted once. An unpublished number is `None`.
    pub counts: [(Option<u32>, Option<u32>); 7],
}

/// Wraps the two numbers of each piece in `Some`, for a board with all numbers published.
const fn both(counts: [(u32, u32); 7]) -> [(Option<u32>, Option<u32>); 7] {
    let mut out = [(None, None); 7];
    // Closures cannot run in constants, so this is a loop.
    let mut k = 0;
    while k < 7 {
        out[k] = (Some(counts[k].0), Some(counts[k].1));
        k += 1;
    }
    out
}

/// Numbers of landings on a board without obstacles, in the order T I L J S Z O.
const PLAIN: [(u32, u32); 7] =
    [(34, 34), (34, 17), (34, 34), (34, 34), (34, 17), (34, 17), (36, 9)];

/// All boards with known numbers of landings. The sources of the numbers are in
/// `docs/reference/sources.md` under perft.
pub const PERFT_BOARDS: [PerftBoard; 13] = [
    PerftBoard { name: "empty", counts: both(PLAIN) },
    PerftBoard {
        name: "pco",
        counts: both([(35, 35), (35, 18), (35, 35), (35, 35), (34, 17), (36, 18), (36, 9)]),
    },
    PerftBoard {
        name: "pco mirrored",
        counts: both([(35, 35), (35, 18), (35, 35), (35, 35), (36, 18), (34, 17), (36, 9)]),
    },
    PerftBoard {
        name: "loop",
        counts: both([(35, 35), (108, 54), (35, 35), (36, 36), (34, 17), (36, 18), (36, 9)]),
    },
    PerftBoard {
        name: "loop mirrored",
        counts: both([(35, 35), (108, 54), (36, 36), (35, 35), (36, 18), (34, 17), (36, 9)]),
    },
    PerftBoard { name: "side 4-wide", counts: both(PLAIN) },
    PerftBoard { name: "center 4-wide", counts: both(PLAIN) },
    PerftBoard {
        name: "dt",
        counts: both([(39, 39), (34, 17), (35, 35), (37, 37), (34, 17), (40, 20), (36, 9)]),
    },
    PerftBoard {
        name: "dt mirrored",
        counts: both([(39, 39), (34, 17), (37, 37), (35, 35), (40, 20), (34, 17), (36, 9)]),
    },
    PerftBoard {
        name: "rotating_early",
        counts: both([(73, 73), (70, 35), (72, 72), (69, 69), (70, 35), (70, 35), (36, 9)]),
    },
    PerftBoard {
        name: "lemontea",
        counts: [
            (Some(37), None),
            (Some(34), Some(17)),
            (None, None),
            (Some(35), None),
            (Some(35), Some(18)),
            (Some(34), Some(17)),
            (None, Some(9)),
        ],
    },
    PerftBoard {
        name: "lzt",
        counts: [
            (Some(34), None),
            (Some(93), Some(49)),
            (None, None),
            (Some(34), None),
            (Some(34), Some(17)),
            (Some(129), Some(65)),
            (None, Some(9)),
        ],
    },
    PerftBoard { name: "tsd", counts: [(Some(37), None), N, N, N, N, N, N] },
];

/// Pair of numbers of a piece for which no number is published.
const N: (Option<u32>, Option<u32>) = (None, None);

/// Picture of the board `pco`. In all these pictures the top row is first, `/` ends a line, and
/// rows above the first line are empty.
const PCO: &str = "##.....###/##....####/##...#####/##....####";
const DT: &str =
    ".....#..../..##.##.../...####..#/##.#######/#..#######/#...######/##.#######/##.#######";
const LOOP: &str = "......####/.........#/########.#/#........#/#.######.#/#.######.#/#........#/\
    #.########/#........#/#.######.#/#.######.#/#........#/########.#/########.#/#........#/\
    #.######.#/#.######.#/#........#/.#########";
const LEMONTEA: &str =
    "#........./#........./##......##/###....###/####...###/####..####/###...####/####.#####";
const LZT: &str = "####..###./#####.####/......#..#/........../...#....../....##.#.#/###.#...../\
    ##..#....#/#....#..../##..####.#/#....##.../##.###..../.......#../......###./##.#....../\
    #....#..../#...#....#/#..##.#.##/##..######";
const TSD: &str = ".....##.../###...####/####.#####";

/// Returns the board called `name`, or an empty one if the name is unknown.
///
/// ```
/// # extern crate tetrastat_core as tetrastat;
/// use tetrastat::rules::guideline::boards::matrix;
/// assert_eq!(matrix("tsd").heights(), [2, 2, 2, 1, 0, 3, 3, 2, 2, 2]);
/// assert!(matrix("empty").is_empty());
/// ```
#[must_use]
pub fn matrix(name: &str) -> Matrix {
    let rows = |row: &str, count: usize| format!("{row}/").repeat(count);
    let picture = match name {
        "pco" | "pco mirrored" => PCO.to_owned(),
        "loop" | "loop mirrored" => LOOP.to_owned(),
        "dt" | "dt mirrored" => DT.to_owned(),
        "side 4-wide" => rows("....######", 19) + ".#########",
        "center 4-wide" => rows("###....###", 19) + "###.######",
        "rotating_early" => {
            format!(
                ".#......../........##/...#.....#/#.######.#/{}",
                rows(".........#", 16).trim_end_matches('/')
            )
        }
        "lemontea" => LEMONTEA.to_owned(),
        "lzt" => LZT.to_owned(),
        "tsd" => TSD.to_owned(),
        _ => "..........".to_owned(),
    };
    let matrix: Matrix = picture.parse().unwrap_or_default();
    if name.ends_with("mirrored") { matrix.mirrored() } else { matrix }
}
