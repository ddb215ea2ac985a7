//! Boards with counts of landings that other programs publish, for tests and benches.

use super::Matrix;

/// A board's counts of landings for T I L J S Z O, each with all states apart and merged.
pub struct Known {
    /// Its name, for [`matrix`].
    pub name: &'static str,
    /// Counts, where published.
    pub counts: [(Option<u32>, Option<u32>); 7],
}

/// Counts that are published both ways.
const fn both(counts: [(u32, u32); 7]) -> [(Option<u32>, Option<u32>); 7] {
    let mut out = [(None, None); 7];
    // A loop by hand, since closures do not run in constants.
    let mut k = 0;
    while k < 7 {
        out[k] = (Some(counts[k].0), Some(counts[k].1));
        k += 1;
    }
    out
}

/// What an open board has: pieces in T I L J S Z O order, all states apart and merged.
const PLAIN: [(u32, u32); 7] =
    [(34, 34), (34, 17), (34, 34), (34, 34), (34, 17), (34, 17), (36, 9)];

/// All boards with known counts; who publishes them stands in `docs/sources.md` under perft.
pub const KNOWN: [Known; 13] = [
    Known { name: "empty", counts: both(PLAIN) },
    Known {
        name: "pco",
        counts: both([(35, 35), (35, 18), (35, 35), (35, 35), (34, 17), (36, 18), (36, 9)]),
    },
    Known {
        name: "pco mirrored",
        counts: both([(35, 35), (35, 18), (35, 35), (35, 35), (36, 18), (34, 17), (36, 9)]),
    },
    Known {
        name: "loop",
        counts: both([(35, 35), (108, 54), (35, 35), (36, 36), (34, 17), (36, 18), (36, 9)]),
    },
    Known {
        name: "loop mirrored",
        counts: both([(35, 35), (108, 54), (36, 36), (35, 35), (36, 18), (34, 17), (36, 9)]),
    },
    Known { name: "side 4-wide", counts: both(PLAIN) },
    Known { name: "center 4-wide", counts: both(PLAIN) },
    Known {
        name: "dt",
        counts: both([(39, 39), (34, 17), (35, 35), (37, 37), (34, 17), (40, 20), (36, 9)]),
    },
    Known {
        name: "dt mirrored",
        counts: both([(39, 39), (34, 17), (37, 37), (35, 35), (40, 20), (34, 17), (36, 9)]),
    },
    Known {
        name: "rotating_early",
        counts: both([(73, 73), (70, 35), (72, 72), (69, 69), (70, 35), (70, 35), (36, 9)]),
    },
    Known {
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
    Known {
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
    Known { name: "tsd", counts: [(Some(37), None), N, N, N, N, N, N] },
];

/// Not published.
const N: (Option<u32>, Option<u32>) = (None, None);

/// Pictures, top row first and `/` for a line's end; rows left out above are empty.
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

/// A board by name; empty for an unknown one.
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
