"""Types of the options of commands, for type checkers and editors."""

# This file is generated: edit python/tools/generate.py or the options of the commands, then run python/tools/generate.py.

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict

from ._players import AnyController

__all__ = [
    "AnnotateSettings",
    "BenchPerftSettings",
    "BenchSettings",
    "CompareSettings",
    "DataConvertSettings",
    "DataMergeSettings",
    "DataSetSettings",
    "EstimateSettings",
    "ExactSettings",
    "GuidelineOptions",
    "KeysOptions",
    "LabelSettings",
    "LiapCompareSettings",
    "LiapDeclareSettings",
    "LiapDistributionSettings",
    "LiapSimulateSettings",
    "OptimiserSettings",
    "PlacementOptions",
    "PlanSettings",
    "ReproduceSettings",
    "ShowBoardSettings",
    "ShowFeaturesSettings",
    "SimulateSettings",
    "TrainSettings",
    "ViewSettings",
]


class SimulateSettings(TypedDict, total=False):
    """Options of ``tetrastat simulate``."""

    games: int | str | None
    """Number of games (in LIAP: matches). Default: 8."""

    placements: str | None
    """Log placements (in LIAP: declarations and rounds): `none`, `csv`, `csv.gz`, `csv.zst` or `parquet`. Default:
    csv if games x max-pieces <= 1,000,000, for other games up to 1,000 games, else none."""

    checkpoint_ms: int | str | None
    """Time between two checkpoints, in milliseconds. Default: 3000."""

    columns: str | Sequence[str] | None
    """Columns of the log: `minimal`, `controller` (all except features that the controller does not use), `all`
    (every feature), or names joined by commas. Names may include the sets `minimal`, `features` (the controller's)
    and `heights`. In guideline games and LIAP, `controller` equals `all`. Default: controller."""

    every: int | str | None
    """Log every K-th placement of a game (in LIAP: declaration of a match, also for the options below). Default:
    1."""

    from_: int | str | None
    """First placement of a game to log. Default: 1."""

    to: int | str | None
    """Last placement of a game to log."""

    only_last: int | str | None
    """Log only the last N placements of a game."""

    sample_games: float | str | None
    """Fraction of games to log, sampled with the run's seed. Default: 1."""

    candidates: bool | None
    """Also log every candidate of the logged placements: score, whether it was chosen, and the features (in guideline
    games: terms) of the controller and of columns. Choice models need this table."""

    rules: str | PathLike[str] | None
    """`simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009), `capstone`, or a TOML file
    with your own guideline rules. Runs, studies and comparisons also accept `liap`. Default: simplified."""

    search: str | None
    """Look-ahead: `greedy`; in classic games also `next` (known next piece) or `expect` (the fewest next pieces that
    end the game, then the mean over the others); in guideline games also `beam` (searches over the previews).
    Default: greedy."""

    policy: str | None
    """Choice of a placement by the scores: `best`; `epsilon:P` (with probability P any placement, each equally
    likely); `softmax:T` (with a probability proportional to exp(score / T)); `misdrop:P` (with probability P one
    column beside the best placement, or with one turn fewer). Default: best."""

    board_file: str | PathLike[str] | None
    """Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out. Guideline games
    need ten columns."""

    garbage: int | str | None
    """Garbage rows at the start, drawn for each game: full but for one hole, whose column is uniform. Default: 0."""

    queue: str | None
    """Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1` (a bag of these
    pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`, `tgm3` (as in these games),
    `least-dealt`, `repeat:0.3` (the last piece again with this probability), `sz` (alternating), `sz-random`,
    `adversary` (the worst piece), or `script` with script. Default: uniform; for guideline games bag."""

    script: str | PathLike[str] | None
    """Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains them."""

    cycle: bool | None
    """Repeat the script when it ends."""

    seed: int | str | None
    """Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""

    simd: str | None
    """Instruction set of the kernels: `auto`, or a slower one: `scalar`, `portable`, `neon` (ARM), `avx2`, `avx512`,
    `avx512-vbmi`. Default: auto."""

    bot_seconds: float | str | None
    """Longest time in seconds that a bot (`controller tbp:COMMAND`) may take for an answer. Default: 10."""

    tie: str | None
    """Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the controller's own
    rule."""

    clear_on_overflow: bool | None
    """Let a piece that rests above the top row still clear full rows."""

    reach_anywhere: bool | None
    """Under standard rules, let pieces reach every column where they fit at the spawn row, even through obstacles."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten columns."""

    max_pieces: float | str | None
    """Cut a game off after N pieces (it is then censored), or `none`. Default: 50000, or none with max_lines."""

    max_lines: float | str | None
    """Cut a game off at N lines, or `none`. Default: none."""

    kicks: str | None
    """Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets."""

    half_turns: bool | None
    """Allow half turns."""

    mode: Literal["sprint", "blitz", "endless"] | None
    """Goal of a game. Default: sprint."""

    sprint_lines: int | str | None
    """Rows to clear in a Sprint. Default: 40."""

    seconds: float | str | None
    """Duration of a Blitz in seconds. Default: 180."""

    pps: float | str | None
    """Pieces per second. Default: 2."""

    pieces: int | str | None
    """Pieces of a Blitz (seconds then ends it only if given) or of an endless game."""

    key_ms: float | str | None
    """Compute the time from key presses instead of pps: milliseconds per key press."""

    das_ms: float | str | None
    """Milliseconds until a held shift key repeats [default with key_ms: 150]."""

    arr_ms: float | str | None
    """Milliseconds per further column of a held shift key [default with key_ms: 75]."""

    soft_drop_ms: float | str | None
    """Milliseconds per row of a soft drop [default with key_ms: 35]."""

    beam_width: int | str | None
    """States that the beam keeps after each placement. Default: 32."""

    beam_depth: int | str | None
    """Number of placements that the beam looks ahead. Default: one for each visible piece."""

    beam_perfect_clears: int | str | None
    """Maximum number of states in the beam's search for perfect clears with the visible pieces. The limit holds for
    each placement and each number of rows to empty. 20000 covers nearly all states; 0 for no search. Default: 0."""

    previews: int | str | None
    """Visible pieces after the current one. Default: of the rules, 5 in both presets."""

    no_hold: bool | None
    """Play without hold."""

    movement: str | None
    """Available placements: `hard-drop`, or `full` (soft drops, tucks and spins). Default: hard-drop in a Sprint,
    else full."""

    finisher: int | str | None
    """Maximum number of states in the search for a Sprint's perfect finish, per placement; 0 for no search. Default:
    20000 with a beam or finish_futures, else 0."""

    finish_futures: int | str | None
    """Random futures of the queue in the search for a Sprint's perfect finish. They are used while the finish takes
    up to 10 pieces and some are not visible. With 0, the search starts when all are visible. Default: 0."""

    beam_futures: int | str | None
    """Random futures of the queue that extend the beam beyond the visible pieces, drawn from the rest of the bag. The
    placement with the best average is played. Default: 0."""

    beam_future_pieces: int | str | None
    """Pieces of each future. Default: 3."""

    players: str | Sequence[str] | None
    """Player of all seats, or of each, joined by commas: bot (the repository's strategy), basic (the strongest play),
    random. Default: bot."""

    target: int | str | None
    """Points that end a match. Default: 50."""

    max_rounds: float | str | None
    """Rounds after which a match ends anyway, or `none` for 1,000. Default: 20."""

    no_guard: bool | None
    """Let declarations stand that the rules bar (those above 8 become 8)."""

    force: bool | None
    """Replace the run in out by a new one. The folder may hold only a run of the same kind of game."""

    view: bool | None
    """Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as `tetrastat view`
    does."""

    shard: str | None
    """Play only part I of N of the games. `tetrastat data merge` joins the parts."""

    resume: str | PathLike[str] | None
    """Resume an interrupted run; the output is byte-identical to an uninterrupted one."""

    allow_bot: bool | None
    """Start the bot that the folder of resume names. Its command may do anything that you may do."""


class CompareSettings(TypedDict, total=False):
    """Options of ``tetrastat compare``."""

    contrast: str | Sequence[str] | None
    """With from: print only this contrast (repeat the option for several). For example, `search` compares the means
    at each search, and `search:board` tests if their ratio differs between boards."""

    not_worse_than: float | str | None
    """With contrast: also test if the first value is not worse than the second by more than this share
    (non-inferiority). State it before you see the games."""

    games: int | str | None
    """Games of each controller. Default: 100."""

    until_halfwidth: float | str | None
    """Play until half the width of every 95 % confidence interval is at most this share of its mean, for example
    3%."""

    until_verdict: bool | None
    """Play until every pair has a verdict: one mean is greater, or both are equal within margin."""

    margin: float | str | None
    """Relative difference up to which two means count as equal. Default: 5%."""

    most_games: int | str | None
    """Maximum number of games of each controller. Default: 1000000."""

    minutes: float | str | None
    """Stop after this many minutes of wall-clock time and compare the games played by then. All controllers play in
    rounds; each round doubles the number of games. With out, the same command resumes."""

    measure: str | None
    """Measure to compare: a numeric column of the table of games. Default: lines; for a Sprint pieces; for other
    guideline games points; for LIAP, whose games are matches, hit_rate."""

    rules: str | PathLike[str] | None
    """`simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009), `capstone`, or a TOML file
    with your own guideline rules. Runs, studies and comparisons also accept `liap`. Default: simplified."""

    search: str | None
    """Look-ahead: `greedy`; in classic games also `next` (known next piece) or `expect` (the fewest next pieces that
    end the game, then the mean over the others); in guideline games also `beam` (searches over the previews).
    Default: greedy."""

    policy: str | None
    """Choice of a placement by the scores: `best`; `epsilon:P` (with probability P any placement, each equally
    likely); `softmax:T` (with a probability proportional to exp(score / T)); `misdrop:P` (with probability P one
    column beside the best placement, or with one turn fewer). Default: best."""

    board_file: str | PathLike[str] | None
    """Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out. Guideline games
    need ten columns."""

    garbage: int | str | None
    """Garbage rows at the start, drawn for each game: full but for one hole, whose column is uniform. Default: 0."""

    queue: str | None
    """Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1` (a bag of these
    pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`, `tgm3` (as in these games),
    `least-dealt`, `repeat:0.3` (the last piece again with this probability), `sz` (alternating), `sz-random`,
    `adversary` (the worst piece), or `script` with script. Default: uniform; for guideline games bag."""

    script: str | PathLike[str] | None
    """Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains them."""

    cycle: bool | None
    """Repeat the script when it ends."""

    seed: int | str | None
    """Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""

    simd: str | None
    """Instruction set of the kernels: `auto`, or a slower one: `scalar`, `portable`, `neon` (ARM), `avx2`, `avx512`,
    `avx512-vbmi`. Default: auto."""

    bot_seconds: float | str | None
    """Longest time in seconds that a bot (`--controller tbp:COMMAND`) may take for an answer. Default: 10."""

    tie: str | None
    """Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the controller's own
    rule."""

    clear_on_overflow: bool | None
    """Let a piece that rests above the top row still clear full rows."""

    reach_anywhere: bool | None
    """Under standard rules, let pieces reach every column where they fit at the spawn row, even through obstacles."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten columns."""

    max_pieces: float | str | None
    """Cut a game off after N pieces (it is then censored), or `none`. Default: 50000, or none with max_lines."""

    max_lines: float | str | None
    """Cut a game off at N lines, or `none`. Default: none."""

    kicks: str | None
    """Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets."""

    half_turns: bool | None
    """Allow half turns."""

    mode: Literal["sprint", "blitz", "endless"] | None
    """Goal of a game. Default: sprint."""

    sprint_lines: int | str | None
    """Rows to clear in a Sprint. Default: 40."""

    seconds: float | str | None
    """Duration of a Blitz in seconds. Default: 180."""

    pps: float | str | None
    """Pieces per second. Default: 2."""

    pieces: int | str | None
    """Pieces of a Blitz (seconds then ends it only if given) or of an endless game."""

    key_ms: float | str | None
    """Compute the time from key presses instead of pps: milliseconds per key press."""

    das_ms: float | str | None
    """Milliseconds until a held shift key repeats [default with key_ms: 150]."""

    arr_ms: float | str | None
    """Milliseconds per further column of a held shift key [default with key_ms: 75]."""

    soft_drop_ms: float | str | None
    """Milliseconds per row of a soft drop [default with key_ms: 35]."""

    beam_width: int | str | None
    """States that the beam keeps after each placement. Default: 32."""

    beam_depth: int | str | None
    """Number of placements that the beam looks ahead. Default: one for each visible piece."""

    beam_perfect_clears: int | str | None
    """Maximum number of states in the beam's search for perfect clears with the visible pieces. The limit holds for
    each placement and each number of rows to empty. 20000 covers nearly all states; 0 for no search. Default: 0."""

    previews: int | str | None
    """Visible pieces after the current one. Default: of the rules, 5 in both presets."""

    no_hold: bool | None
    """Play without hold."""

    movement: str | None
    """Available placements: `hard-drop`, or `full` (soft drops, tucks and spins). Default: hard-drop in a Sprint,
    else full."""

    finisher: int | str | None
    """Maximum number of states in the search for a Sprint's perfect finish, per placement; 0 for no search. Default:
    20000 with a beam or finish_futures, else 0."""

    finish_futures: int | str | None
    """Random futures of the queue in the search for a Sprint's perfect finish. They are used while the finish takes
    up to 10 pieces and some are not visible. With 0, the search starts when all are visible. Default: 0."""

    beam_futures: int | str | None
    """Random futures of the queue that extend the beam beyond the visible pieces, drawn from the rest of the bag. The
    placement with the best average is played. Default: 0."""

    beam_future_pieces: int | str | None
    """Pieces of each future. Default: 3."""

    players: str | Sequence[str] | None
    """Player of all seats, or of each, joined by commas: bot (the repository's strategy), basic (the strongest play),
    random. Default: bot."""

    target: int | str | None
    """Points that end a match. Default: 50."""

    max_rounds: float | str | None
    """Rounds after which a match ends anyway, or `none` for 1,000. Default: 20."""

    no_guard: bool | None
    """Let declarations stand that the rules bar (those above 8 become 8)."""


class PlanSettings(TypedDict, total=False):
    """Options of ``tetrastat plan``."""

    tell: str | Sequence[str] | None
    """Two means to distinguish, for example lines per game: 35e6,40e6."""

    pilot: str | PathLike[str] | Sequence[str | PathLike[str]] | None
    """Folders of earlier runs, studies or comparisons, all of one game. Their spread, their censored games and the
    effect of common seeds determine the number of games."""

    measure: str | None
    """Measure of the pilot: a numeric column of the table of games. Default: lines; for a Sprint pieces; for other
    guideline games points."""

    difference: float | str | None
    """Relative difference of two means to detect, as a share of the second mean. Default: the pilot's differences."""

    power: float | str | None
    """Probability of detecting the difference (power). Default: 0.8."""

    alpha: float | str | None
    """Probability of a false detection if the means are equal (significance level). Default: 0.05."""

    halfwidth: float | str | None
    """Half the width of a 95 % confidence interval as a share of its mean, for example 3%."""

    limit: float | str | None
    """Limit that censors games, in units of the measure."""


class LabelSettings(TypedDict, total=False):
    """Options of ``tetrastat label``."""

    every: int | str | None
    """Use the board of every K-th placement of the log. Default: 100."""

    replicates: int | str | None
    """Games to play from each board. Default: 100."""

    horizon: int | str | None
    """Pieces after which a game is censored. The risk of death refers to this number of pieces. Default: 100."""

    regret: bool | None
    """Also play on after each alternative placement of the next piece, and compare it with the chosen one."""

    max_replicates: int | str | None
    """Play more games, up to N, after placements that may have the most lines. As many other games decide which
    placements these are, and enter no result."""

    precision: float | str | None
    """With max_replicates: play no more games after a placement once the standard error of the mean lines in the
    deciding games is at most this share of the mean, for example 0.03."""

    controller: AnyController | None
    """Controller: a preset or TOML file. Default: the run's controller."""

    search: str | None
    """Look-ahead: greedy, next or expect. Default: the run's."""

    queue: str | None
    """Piece generator: one of those of simulate, such as uniform or bag. Default: the run's queue."""

    seed: int | str | None
    """Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""

    simd: str | None
    """Instruction set of the kernels: `auto`, or a slower one: `scalar`, `portable`, `neon` (ARM), `avx2`, `avx512`,
    `avx512-vbmi`. Default: auto."""

    force: bool | None
    """Replace the run in out by a new one. The folder may hold only a run of the same kind of game."""

    view: bool | None
    """Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as `tetrastat view`
    does."""

    shard: str | None
    """Play only part I of N of the boards. `tetrastat data merge` joins the parts."""


class EstimateSettings(TypedDict, total=False):
    """Options of ``tetrastat estimate``."""

    rules: str | PathLike[str] | None
    """`simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009), `capstone`, or a TOML file
    with your own guideline rules. Runs, studies and comparisons also accept `liap`. Default: simplified."""

    search: str | None
    """Look-ahead: `greedy`; in classic games also `next` (known next piece) or `expect` (the fewest next pieces that
    end the game, then the mean over the others); in guideline games also `beam` (searches over the previews).
    Default: greedy."""

    board_file: str | PathLike[str] | None
    """Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out. Guideline games
    need ten columns."""

    queue: str | None
    """Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1` (a bag of these
    pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`, `tgm3` (as in these games),
    `least-dealt`, `repeat:0.3` (the last piece again with this probability), `sz` (alternating), `sz-random`,
    `adversary` (the worst piece), or `script` with script. Default: uniform; for guideline games bag."""

    script: str | PathLike[str] | None
    """Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains them."""

    cycle: bool | None
    """Repeat the script when it ends."""

    seed: int | str | None
    """Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""

    simd: str | None
    """Instruction set of the kernels: `auto`, or a slower one: `scalar`, `portable`, `neon` (ARM), `avx2`, `avx512`,
    `avx512-vbmi`. Default: auto."""

    method: Literal["direct", "splitting", "histogram", "all"] | None
    """Estimation method, explained in --help. Default: all."""

    importance: str | None
    """Quantity that defines the splitting levels: `cells` (filled cells), `height` of the stack, `holes` or, in
    classic games only, `value` (the board's score by the controller's features). Default: cells."""

    budget: int | str | None
    """Number of pieces, over all paths, after which the estimate stops. Default: 100000000, for guideline games
    5000000; none with until_halfwidth."""

    until_halfwidth: float | str | None
    """Stop when half the width of the 95 % confidence interval is at most this share of the mean, for example 20%."""

    minutes: float | str | None
    """Stop after this many minutes of wall-clock time and print the estimate of the replications finished by then.
    With out, the same command resumes."""

    pieces: int | str | None
    """Pieces of the main path of a replication. Default: 100000, for guideline games 10000."""

    burn_in: int | str | None
    """Pieces at the start of a replication that are not counted. Default: 10000, for guideline games 1000."""

    pilot_pieces: int | str | None
    """Pieces of the main path in each round of the pilot that places the levels. Default: 200000, for guideline games
    20000."""

    tie: str | None
    """Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the controller's own
    rule."""

    clear_on_overflow: bool | None
    """Let a piece that rests above the top row still clear full rows."""

    reach_anywhere: bool | None
    """Under standard rules, let pieces reach every column where they fit at the spawn row, even through obstacles."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten columns."""

    kicks: str | None
    """Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets."""

    half_turns: bool | None
    """Allow half turns."""

    mode: Literal["endless"] | None
    """Goal of a game. Estimates need games that continue until they are lost. Default: endless."""

    beam_width: int | str | None
    """States that the beam keeps after each placement. Default: 32."""

    beam_depth: int | str | None
    """Number of placements that the beam looks ahead. Default: one for each visible piece."""

    beam_perfect_clears: int | str | None
    """Maximum number of states in the beam's search for perfect clears with the visible pieces. The limit holds for
    each placement and each number of rows to empty. 20000 covers nearly all states; 0 for no search. Default: 0."""

    previews: int | str | None
    """Visible pieces after the current one. Default: of the rules, 5 in both presets."""

    no_hold: bool | None
    """Play without hold."""

    movement: str | None
    """Available placements: `hard-drop`, or `full` (soft drops, tucks and spins). Default: hard-drop in a Sprint,
    else full."""

    finisher: int | str | None
    """Maximum number of states in the search for a Sprint's perfect finish, per placement; 0 for no search. Default:
    20000 with a beam or finish_futures, else 0."""

    finish_futures: int | str | None
    """Random futures of the queue in the search for a Sprint's perfect finish. They are used while the finish takes
    up to 10 pieces and some are not visible. With 0, the search starts when all are visible. Default: 0."""

    beam_futures: int | str | None
    """Random futures of the queue that extend the beam beyond the visible pieces, drawn from the rest of the bag. The
    placement with the best average is played. Default: 0."""

    beam_future_pieces: int | str | None
    """Pieces of each future. Default: 3."""

    policy: str | None
    """Choice of a placement by the scores: `best`; `epsilon:P` (with probability P any placement, each equally
    likely); `softmax:T` (with a probability proportional to exp(score / T)); `misdrop:P` (with probability P one
    column beside the best placement, or with one turn fewer). Default: best."""

    garbage: int | str | None
    """Garbage rows at the start, drawn for each game: full but for one hole, whose column is uniform. Default: 0."""


class OptimiserSettings(TypedDict, total=False):
    """Options of `Optimiser`, which are those of ``tetrastat train``."""

    preset: str | None
    """Settings of a published training: `notebook`, `guide`, `capstone`, `unity`, `unity-newer`, `thiery-scherrer`,
    `rvce`; for guideline games `capstone-sprint`, `capstone-blitz`, `capstone-blitz-full`."""

    config: str | PathLike[str] | None
    """TOML file with settings, explained in --help."""

    features: str | Sequence[str] | None
    """Features to weigh (in guideline games: terms): those of a controller (preset or file), names joined by commas,
    or `none` with windows. Default: those of bcts; for guideline games those of start, else of capstone-sprint in a
    Sprint and of capstone-blitz in other games."""

    measured: str | None
    """Board on which features are measured: `after-clear` or `before-clear`. Default: the controller's, or
    after-clear."""

    objective: str | None
    """Score of a candidate, explained in --help: `lines`, `mean-COLUMN`, `median-COLUMN`, `sprint`, `estimate`.
    Default: lines; for guideline games sprint in a Sprint, else mean-points."""

    estimate_pieces: int | str | None
    """Pieces of the main path of a replication, for objective estimate. Default: 50000."""

    estimate_burn_in: int | str | None
    """Pieces at the start of a replication that are not counted. Default: 2000."""

    estimate_pilot_pieces: int | str | None
    """Pieces of the main path in each round of the pilot that places the levels. Default: 50000."""

    estimate_most: int | str | None
    """Maximum number of pieces of all paths of a replication. Paths cut off by it count as deaths. Default: 20 for
    each of estimate_pieces."""

    estimate_importance: str | None
    """Quantity that defines the splitting levels: `cells`, `height`, `holes` or, in classic games only, `value`.
    Default: cells."""

    rules: str | PathLike[str] | None
    """`simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009), `capstone`, or a TOML file
    with your own guideline rules. Runs, studies and comparisons also accept `liap`. Default: simplified."""

    search: str | None
    """Look-ahead: `greedy`; in classic games also `next` (known next piece) or `expect` (the fewest next pieces that
    end the game, then the mean over the others); in guideline games also `beam` (searches over the previews).
    Default: greedy."""

    policy: str | None
    """Choice of a placement by the scores: `best`; `epsilon:P` (with probability P any placement, each equally
    likely); `softmax:T` (with a probability proportional to exp(score / T)); `misdrop:P` (with probability P one
    column beside the best placement, or with one turn fewer). Default: best."""

    board_file: str | PathLike[str] | None
    """Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out. Guideline games
    need ten columns."""

    garbage: int | str | None
    """Garbage rows at the start, drawn for each game: full but for one hole, whose column is uniform. Default: 0."""

    queue: str | None
    """Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1` (a bag of these
    pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`, `tgm3` (as in these games),
    `least-dealt`, `repeat:0.3` (the last piece again with this probability), `sz` (alternating), `sz-random`,
    `adversary` (the worst piece), or `script` with script. Default: uniform; for guideline games bag."""

    script: str | PathLike[str] | None
    """Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains them."""

    cycle: bool | None
    """Repeat the script when it ends."""

    seed: int | str | None
    """Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""

    simd: str | None
    """Instruction set of the kernels: `auto`, or a slower one: `scalar`, `portable`, `neon` (ARM), `avx2`, `avx512`,
    `avx512-vbmi`. Default: auto."""

    tie: str | None
    """Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the controller's."""

    at_heights: int | str | Sequence[int | str] | None
    """Stack heights at which each feature has a weight of its own, in addition to the weight on an empty board.
    Heights are measured in rows before the placement; weights in between are interpolated linearly. All start at the
    weights of start."""

    windows: str | None
    """Windows of cells that have tables (n-tuples), joined by commas: columns x rows, or a picture with its rows from
    the top (`##./.##`), at every place of the board. After a colon: `shared` if all rows of the board share tables,
    `plain` if mirrored columns share none, such as `4x4,3x3:shared:plain`. Default: those of start; else for td 4x4,
    for other methods those of features, if it names a controller with windows."""

    clear_on_overflow: bool | None
    """Let a piece that rests above the top row still clear full rows."""

    reach_anywhere: bool | None
    """Under standard rules, let pieces reach every column where they fit at the spawn row, even through obstacles."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten columns."""

    max_pieces: float | str | None
    """Cut a game off after N pieces (it is then censored), or `none`. Default: 50000, or none with max_lines."""

    max_lines: float | str | None
    """Cut a game off at N lines, or `none`. Default: none."""

    kicks: str | None
    """Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets."""

    half_turns: bool | None
    """Allow half turns."""

    mode: Literal["sprint", "blitz", "endless"] | None
    """Goal of a game. Default: sprint."""

    sprint_lines: int | str | None
    """Rows to clear in a Sprint. Default: 40."""

    seconds: float | str | None
    """Duration of a Blitz in seconds. Default: 180."""

    pps: float | str | None
    """Pieces per second. Default: 2."""

    pieces: int | str | None
    """Pieces of a Blitz (seconds then ends it only if given) or of an endless game."""

    key_ms: float | str | None
    """Compute the time from key presses instead of pps: milliseconds per key press."""

    das_ms: float | str | None
    """Milliseconds until a held shift key repeats [default with key_ms: 150]."""

    arr_ms: float | str | None
    """Milliseconds per further column of a held shift key [default with key_ms: 75]."""

    soft_drop_ms: float | str | None
    """Milliseconds per row of a soft drop [default with key_ms: 35]."""

    beam_width: int | str | None
    """States that the beam keeps after each placement. Default: 32."""

    beam_depth: int | str | None
    """Number of placements that the beam looks ahead. Default: one for each visible piece."""

    beam_perfect_clears: int | str | None
    """Maximum number of states in the beam's search for perfect clears with the visible pieces. The limit holds for
    each placement and each number of rows to empty. 20000 covers nearly all states; 0 for no search. Default: 0."""

    previews: int | str | None
    """Visible pieces after the current one. Default: of the rules, 5 in both presets."""

    no_hold: bool | None
    """Play without hold."""

    movement: str | None
    """Available placements: `hard-drop`, or `full` (soft drops, tucks and spins). Default: hard-drop in a Sprint,
    else full."""

    finisher: int | str | None
    """Maximum number of states in the search for a Sprint's perfect finish, per placement; 0 for no search. Default:
    20000 with a beam or finish_futures, else 0."""

    finish_futures: int | str | None
    """Random futures of the queue in the search for a Sprint's perfect finish. They are used while the finish takes
    up to 10 pieces and some are not visible. With 0, the search starts when all are visible. Default: 0."""

    beam_futures: int | str | None
    """Random futures of the queue that extend the beam beyond the visible pieces, drawn from the rest of the bag. The
    placement with the best average is played. Default: 0."""

    beam_future_pieces: int | str | None
    """Pieces of each future. Default: 3."""

    minimise: bool | None
    """Minimise the objective instead of maximising it."""

    lost: float | str | None
    """Value of a lost game in mean-COLUMN and median-COLUMN: a number, or `observed`, explained in --help. Default:
    1000000 with minimise, else observed."""

    generations: int | str | None
    """Maximum number of generations. Default: 50."""

    minutes: float | str | None
    """Stop after this many minutes of wall-clock time and play the finals of the finished generations. The finals
    take at most a tenth of that time, or a minute if that is longer. resume continues the training."""

    games: int | str | None
    """Games of each candidate in a generation; for td, number of games after which learning ends [default of td:
    none]. Default: 10."""

    repeat_games: bool | None
    """Play the games of the first generation in every generation."""

    racing: Literal["none", "halving"] | None
    """Distribution of games: `halving` (in each round, the better half plays twice as many games) or `none`. Default:
    none."""

    racing_rounds: int | str | None
    """Rounds of racing halving. In the first round, a candidate plays the share 1/2^(N - 1) of its games. Default:
    3."""

    check_every: int | str | None
    """Generations between two checks, in which the mean (ga: the best candidate) plays held-out games; 0 for none.
    Default: 10."""

    check_games: int | str | None
    """Games of a check. Default: 100."""

    finalists: int | str | None
    """Number of best candidates, and of best means, in the finals. Default: 10."""

    final_games: int | str | None
    """Games of each finalist; they choose the result. Default: 300."""

    held_out_games: int | str | None
    """Held-out games, from which the score of the result is reported. Default: 1000."""

    answer: Literal["best", "mean", "average", "any"] | None
    """Finalists: `best` (candidates), `mean` (means of the distribution) or `any` (both). `average` instead returns
    the average of the last 50 means, without finals [ga: best]. Default: any."""

    robust_elite: bool | None
    """Choose the elite by validation games, as RV-CE does [cem]."""

    population_log: bool | None
    """Write population.csv with every candidate and its score."""

    name: str | None
    """Name of the controller. Default: METHOD-BOARD."""

    out: str | PathLike[str] | None
    """Output folder: a new one, or that of the same training, which is resumed, or extended if generations is larger.
    Default: a new one under runs/."""

    resume: str | PathLike[str] | None
    """Resume an interrupted training; the output is byte-identical to an uninterrupted one. A larger generations
    extends it."""

    view: bool | None
    """Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as `tetrastat view`
    does."""

    alpha: float | str | None
    """Learning rate: fraction of an error by which the value of a board moves (up to twice as much if mirrored
    windows select the same entry). Default: 1."""

    hold: int | str | None
    """Number of placements before the learning rate decays. Default: 0."""

    half_life: int | str | None
    """Number of placements in which the learning rate halves. Default: none, a constant rate."""

    gamma: float | str | None
    """Discount of the value after a placement. Default: 1."""

    lambda_: float | str | None
    """Decay of the traces of past boards: 0 for TD(0), at most 0.99. Default: 0."""

    initial_value: float | str | None
    """Value of every board before learning, in lines. Default: 10."""

    explore: float | str | None
    """Probability of a random placement, which shows the learner boards that it avoids. Default: 0."""

    explore_half_life: int | str | None
    """Number of placements after which the probability of explore is half as large. Default: none, a constant
    probability."""

    coherence: bool | None
    """Give each table entry its own learning rate (temporal coherence)."""

    average: bool | None
    """Return an average of the tables, in which late tables weigh most, instead of the last tables."""

    streams: int | str | None
    """Number of streams of games. More streams use more threads and memory; each has a copy of the tables. Default:
    4."""

    round: int | str | None
    """Placements of each stream in a round, after which the tables become the mean of the streams. Default: 4096."""

    placements: int | str | None
    """Number of placements of all streams after which learning ends, rounded up to whole rounds. Default: none."""

    report_every: int | str | None
    """Placements of all streams between two rows of history.csv. Default: 100000."""

    population: int | str | None
    """Candidates per generation."""

    elite: float | str | None
    """Candidates that are kept: a number, or for cem a share of the population [cem, ga]."""

    mean: float | str | None
    """Initial mean of every weight and table entry [cem, snes, cmaes, vdcmaes]."""

    sd: float | str | None
    """Initial standard deviation of every weight and table entry [cem, snes, cmaes, vdcmaes]."""

    scale: Literal["one", "start"] | None
    """Unit of sd: `one`, or `start` for the size of each weight in start (for weights and table entries of 0, the
    median size). `start` suits guideline terms, whose weights differ a hundredfold [cem, snes, cmaes, vdcmaes]."""

    noise: str | None
    """Extra variance in generation t: `none`, `constant:A`, `linear:A:B` = max(A - t/B, 0), `hyperbolic:A` = A/(t +
    1). Without numbers, the values of MDPTetris apply: 4, 5:10, 20 [cem]."""

    timing: str | None
    """Time at which the noise is added: at the `update` (none in generation 0) or at `sampling` [cem]."""

    variance_floor: float | str | None
    """Minimum variance of the elite [cem]."""

    immigrants: int | str | None
    """New random candidates in every generation [ga]."""

    selection: str | None
    """Selection of parents: `tournament:SIZE`, `truncation:SHARE` or `fitness-proportionate` [ga]."""

    crossover: float | str | None
    """Probability that a candidate has two parents [ga]."""

    mutation: str | None
    """Mutation: `per-gene:RATE:SD` or `one-gene:STEP:FRESH:LEAST:MOST` [ga]."""

    initial: str | Sequence[str] | None
    """Range of random genes [ga] or of the initial mean [snes]."""

    eta_mu: float | str | None
    """Learning rate of the mean [snes]."""

    eta_sigma: float | str | None
    """Learning rate of the standard deviations [snes]."""

    active: bool | None
    """Also use the worse half of the candidates for the update [cmaes]."""

    restarts: Literal["none", "ipop", "bipop"] | None
    """Restarts after convergence: `none`, `ipop` (population doubled each time) or `bipop` (doubled and small
    populations alternate) [cmaes]."""

    stagnation: int | str | None
    """Minimum number of generations without a better score that end a run [cmaes; default with restarts: 120 and 30
    for each weight / population]."""

    max_candidates: int | str | None
    """Number of candidates, over all runs, after which no generation begins [cmaes with restarts]."""

    bounds: str | Sequence[str] | None
    """Range of the weights: one pair for all, or one pair for each weight, joined by /. Default: none; ga -1,1."""


class TrainSettings(OptimiserSettings, total=False):
    """Options of ``tetrastat train``."""

    start: str | PathLike[str] | None
    """Controller with the initial weights and table entries. Features and windows that it lacks start at 0."""


class ReproduceSettings(TypedDict, total=False):
    """Options of ``tetrastat reproduce``."""

    seed: int | str | None
    """Seed of all runs, decimal or 0x hexadecimal. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""


class ViewSettings(TypedDict, total=False):
    """Options of ``tetrastat view``."""

    out: str | PathLike[str] | None
    """File of the page. Default: the folder's name with .html, beside it."""

    force: bool | None
    """Replace an existing file."""

    open: bool | None
    """Open the page in the browser."""

    limit: int | str | None
    """Maximum size of the page in megabytes. Rows and placements are left out to keep to it. Default: 10."""

    rows: int | str | None
    """Maximum number of rows of a table. Default: 2000."""

    placements: int | str | None
    """Maximum number of placements of a game. Default: 2000."""


class ShowBoardSettings(TypedDict, total=False):
    """Options of ``tetrastat show board``."""

    rules: str | PathLike[str] | None
    """`simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009) or `capstone`. Default:
    simplified."""

    board_file: str | PathLike[str] | None
    """Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out. Guideline games
    need ten columns."""

    piece: str | None
    """List every placement of this piece, best first."""

    search: str | None
    """Look-ahead: `greedy`; in classic games also `next` (with next) or `expect`; in guideline games also `beam`
    (over the pieces of next). Default: greedy."""

    next: str | None
    """Next piece, for search next. In guideline games, all visible next pieces, such as OTS."""

    place: str | Sequence[str] | None
    """Show the board after this placement of the piece, even if the piece cannot rest there. The orientation is
    numbered as drawn below; guideline games have the states 0, R, 2 and L. The column is that of the leftmost cell
    and the row that of the lowest cell, both from 0, rows from the floor. Full rows are removed first, unless the
    controller measures before-clear."""

    picture: str | None
    """Board as text, instead of board_file. `/` ends a row."""

    fumen: str | None
    """Board in fumen notation, version 115, or a URL that contains it, instead of board_file."""

    page: int | str | None
    """Page of the fumen, shown before its piece locks. Default: 1."""

    explain: str | Sequence[str] | None
    """Mark the cells that these features (in guideline games: terms) count, with the value of each part."""

    svg: str | PathLike[str] | None
    """SVG file for a picture of the placement beside the one it is compared with."""

    force: bool | None
    """Replace an existing picture."""

    tie: str | None
    """Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the controller's own
    rule."""

    clear_on_overflow: bool | None
    """Let a piece that rests above the top row still clear full rows."""

    reach_anywhere: bool | None
    """Under standard rules, let pieces reach every column where they fit at the spawn row, even through obstacles."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten columns."""

    hold: str | None
    """Piece in hold. Default: none."""

    combo: int | str | None
    """Number of consecutive clears before this position. Default: 0."""

    back_to_back: bool | None
    """The last clear was difficult: a tetris, or a T-spin that cleared rows."""

    kicks: str | None
    """Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets."""

    half_turns: bool | None
    """Allow half turns."""

    mode: Literal["sprint", "blitz", "endless"] | None
    """Goal of a game. Default: sprint."""

    sprint_lines: int | str | None
    """Rows to clear in a Sprint. Default: 40."""

    beam_width: int | str | None
    """States that the beam keeps after each placement. Default: 32."""

    beam_depth: int | str | None
    """Number of placements that the beam looks ahead. Default: one for each visible piece."""

    beam_perfect_clears: int | str | None
    """Maximum number of states in the beam's search for perfect clears with the visible pieces. The limit holds for
    each placement and each number of rows to empty. 20000 covers nearly all states; 0 for no search. Default: 0."""

    no_hold: bool | None
    """Play without hold."""

    movement: str | None
    """Available placements: `hard-drop`, or `full` (soft drops, tucks and spins). Default: hard-drop in a Sprint,
    else full."""


class ShowFeaturesSettings(TypedDict, total=False):
    """Options of ``tetrastat show features``."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. The features of single columns depend on the width. Default: 10x20."""


class ExactSettings(TypedDict, total=False):
    """Options of ``tetrastat exact``."""

    tie: str | None
    """Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the controller's own
    rule."""

    rules: str | PathLike[str] | None
    """`simplified` (MDPTetris) or `standard` (Fahey's original game). Other rules are available in simulate, train
    and watch. Default: simplified."""

    clear_on_overflow: bool | None
    """Let a piece that rests above the top row still clear full rows."""

    reach_anywhere: bool | None
    """Under standard rules, let pieces reach every column where they fit at the spawn row, even through obstacles."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten columns."""

    board_file: str | PathLike[str] | None
    """Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out. Guideline games
    need ten columns."""

    queue: str | None
    """Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1` (a bag of these
    pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`, `tgm3` (as in these games),
    `least-dealt`, `repeat:0.3` (the last piece again with this probability), `sz` (alternating), `sz-random`,
    `adversary` (the worst piece), or `script` with script. Default: uniform; for guideline games bag."""

    script: str | PathLike[str] | None
    """Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains them."""

    cycle: bool | None
    """Repeat the script when it ends."""

    search: str | None
    """Look-ahead: `greedy`, `next` (known next piece) or `expect` (the fewest next pieces that end the game, then the
    mean over the others). Default: greedy."""

    optimal: bool | str | None
    """Also compute the optimal player that knows only the current piece, by mean `lines` or `pieces`."""

    survival: int | str | None
    """Print the probability that a game survives 0 to K pieces."""

    check: int | str | None
    """Simulate this many games of each controller and test their means against the exact ones."""

    seed: int | str | None
    """Seed of the games of check. Default: 1."""

    max_states: int | str | None
    """Maximum number of states of a chain. A state takes 100 to 200 bytes; for the optimal player it takes more.
    Default: 20000000."""

    threads: int | str | None
    """Threads. Default: all cores."""


class BenchPerftSettings(TypedDict, total=False):
    """Options of ``tetrastat bench perft``."""

    depth: int | str | None
    """Place only the first N pieces."""

    board_file: str | PathLike[str] | None
    """Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left out. Guideline games
    need ten columns."""

    rules: str | PathLike[str] | None
    """`guideline`, `capstone`, or a TOML file with your own rules. Default: guideline."""

    kicks: str | None
    """Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets."""

    half_turns: bool | None
    """Allow half turns."""

    movement: str | None
    """Placements to count: `full` or `hard-drop`. Default: full."""

    simd: str | None
    """Instruction set of the kernels. Default: auto."""


class BenchSettings(TypedDict, total=False):
    """Options of ``tetrastat bench``."""

    board: str | tuple[int, int] | None
    """Board to measure on. Default: 10x20."""

    sections: Literal["levels", "features", "search", "threads", "guideline", "liap"] | Sequence[Literal["levels", "features", "search", "threads", "guideline", "liap"]] | None
    """Parts to measure. Default: levels,features,search,threads,guideline,liap."""

    sample_ms: int | str | None
    """Minimum processor time of one sample, in milliseconds (section threads: elapsed time). Default: 30."""

    repeats: int | str | None
    """Samples per case. The median is reported. Default: 7."""


class AnnotateSettings(TypedDict, total=False):
    """Options of ``tetrastat annotate``."""

    controller: AnyController | None
    """Controller: a preset or TOML file. Default: the run's, for the log of a run; otherwise bcts."""

    rules: str | PathLike[str] | None
    """Rules: simplified or standard. Default: the run's; otherwise simplified."""

    search: str | None
    """Look-ahead: greedy, next (needs the column next_1) or expect. Default: the run's; otherwise greedy."""

    board: str | tuple[int, int] | None
    """Board width 4-16 and height 4-28. Pictures may leave out empty rows at the top. Default: the run's; otherwise
    10x20, or the size of a first picture that has not ten columns."""

    columns: str | Sequence[str] | None
    """Columns to compute: `minimal`, `controller` (all except features that the controller does not use), `all`
    (every feature), or names joined by commas. Default: controller."""

    threads: int | str | None
    """Worker threads. Default: all cores."""

    force: bool | None
    """Replace an existing table."""


class DataSetSettings(TypedDict, total=False):
    """Options of ``tetrastat data set``."""

    threads: int | str | None
    """Worker threads; replaces the value of the file."""

    condition: int | str | None
    """Play only this condition, numbered from 1, for example as a job of its own. The same command without this
    option collects the conditions."""

    allow_bot: bool | None
    """Start the bots (`tbp:COMMAND`) that the file names. Their commands may do anything that you may do."""


class DataConvertSettings(TypedDict, total=False):
    """Options of ``tetrastat data convert``."""

    format: str | None
    """Format for the logs of a run folder."""

    columns: str | Sequence[str] | None
    """Columns to keep, in this order. In a run folder, each log keeps those that it has."""

    where: str | None
    """Rows to keep: comparisons joined by `and`, such as 'game<=20 and holes>3', 'piece=T', 'score!=NA'."""

    describe: bool | None
    """Store the meanings of the columns in Parquet files, as JSON under the key `tetrastat:columns`."""

    force: bool | None
    """Replace an existing table."""


class DataMergeSettings(TypedDict, total=False):
    """Options of ``tetrastat data merge``."""

    parts: bool | None
    """Do not join the shards' Parquet tables: each becomes a folder, such as placements.parquet, with the shards'
    files as parts. Readers of Parquet data sets read it as one table. Parts are hard links where possible, which take
    no space; the shards can be deleted."""


class LiapDeclareSettings(TypedDict, total=False):
    """Options of ``tetrastat liap declare``."""

    position: int | str | None
    """Place in the order of declarations, 0 for the starter. Default: the number of previous."""

    previous: int | str | Sequence[int | str] | None
    """Declarations before, in order, joined by commas."""

    nonzero: bool | None
    """The player declared 0 in the last two rounds and must not again."""

    declarer: str | None
    """v1, v1-rich, v2, v2-literal, v2-literal-singles, v2-upstream or v2-late. Default: v2."""

    explain: bool | None
    """Print the decision step by step."""


class LiapSimulateSettings(TypedDict, total=False):
    """Options of ``tetrastat liap simulate``."""

    rounds: int | str | None
    """Rounds to play; the last match is cut when they are played. Default: 10000."""

    matches: int | str | None
    """Matches to play, each to its end, instead of rounds."""

    shard: str | None
    """Play only the I-th of N parts of the matches, to be joined by `tetrastat data merge`."""

    declarers: str | Sequence[str] | None
    """Declarer of all seats, or of each, joined by commas: v1, v1-rich, v2, v2-literal, v2-literal-singles,
    v2-upstream, v2-late. Default: v2."""

    players: str | Sequence[str] | None
    """Player of all seats, or of each, joined by commas: bot (the repository's strategy), basic (the strongest play),
    random. Default: bot."""

    target: int | str | None
    """Points that end a match. Default: 50."""

    max_rounds: float | str | None
    """Rounds after which a match ends anyway, or `none` for 1,000. Default: 20."""

    no_guard: bool | None
    """Let declarations stand that the rules bar (those above 8 become 8)."""

    seed: int | str | None
    """Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes. Default: 1."""

    log: str | None
    """Log declarations and rounds: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet`. Default: csv up to 100,000 rounds
    or 5,000 matches, else none."""

    columns: str | Sequence[str] | None
    """Columns of the log: `minimal`, `controller` (all except features that the controller does not use), `all`
    (every feature), or names joined by commas. Names may include the sets `minimal`, `features` (the controller's)
    and `heights`. In guideline games and LIAP, `controller` equals `all`. Default: controller."""

    every: int | str | None
    """Log every K-th placement of a game (in LIAP: declaration of a match, also for the options below). Default:
    1."""

    to: int | str | None
    """Last placement of a game to log."""

    only_last: int | str | None
    """Log only the last N placements of a game."""

    sample_games: float | str | None
    """Fraction of games to log, sampled with the run's seed. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""

    checkpoint_ms: int | str | None
    """Time between two checkpoints, in milliseconds. Default: 3000."""

    force: bool | None
    """Replace the run in out by a new one. The folder may hold only a run of the same kind of game."""

    view: bool | None
    """Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as `tetrastat view`
    does."""

    resume: str | PathLike[str] | None
    """Resume an interrupted run; the output is byte-identical to an uninterrupted one."""


class LiapCompareSettings(TypedDict, total=False):
    """Options of ``tetrastat liap compare``."""

    rounds: int | str | None
    """Deals, each played with both. Default: 100000."""

    player: str | None
    """Player of all seats: bot, basic or random. Default: bot."""

    switch: Literal["all", "one"] | None
    """Positions that change declarer: `all` four, or `one` at a time while the others keep the first. Default:
    all."""

    seed: int | str | None
    """Seed of the deals, decimal or 0x hexadecimal. Default: 1."""

    threads: int | str | None
    """Worker threads. Default: all cores."""


class LiapDistributionSettings(TypedDict, total=False):
    """Options of ``tetrastat liap distribution``."""

    declarers: str | Sequence[str] | None
    """Declarers, joined by commas. Default: all."""

    position: int | str | None
    """Place in the order of declarations, 0 for the starter. Default: the number of previous."""

    previous: int | str | Sequence[int | str] | None
    """Declarations before, in order, joined by commas."""

    nonzero: bool | None
    """The player declared 0 in the last two rounds and must not again."""

    guard: bool | None
    """Take declarations as the rules let them stand, instead of as declarers return them."""


class PlacementOptions(TypedDict, total=False):
    """Options of the environment ``tetrastat/Placement-v0``."""

    queue: str
    """Queue that deals the pieces: ``"uniform"``, ``"bag"``, ``"bag:2"``, ``"bag:I=2+O=1"``, ``"weights:I=2+O=1"``,
    ``"nes"``, ``"tgm1"``, ``"tgm2"``, ``"tgm3"``, ``"least-dealt"``, ``"repeat:0.3"``, ``"sz"``, ``"sz-random"`` or
    ``"adversary"``."""

    script: str | None
    """Pieces to deal in place of ``queue``, as letters of ``IOTSZJL``. A game is truncated at the end of the
    script."""

    cycle: bool
    """If True, the script starts again at its end and the game continues."""

    previews: int | None
    """Number of pieces shown after the current one, 0 to 15. Default: 0, or in guideline games that of the rules."""

    reward: str | Sequence[float] | None
    """Reward of a placement: ``"lines"`` (number of rows removed), ``"points"`` (40, 100, 300, 1200 for 1 to 4 rows;
    in guideline games the game's points), ``"pieces"`` (1 for every placement), or five numbers for 0 to 4 rows
    removed."""

    lost: float
    """Number that is added to the reward when the game is lost."""

    max_steps: int | None
    """Number of steps after which a game is truncated. Without it a good agent may play for ever."""

    illegal: str
    """Effect of an illegal action: ``"ignore"`` counts the step and changes nothing else, ``"end"`` terminates the
    game, ``"raise"`` raises a `ValueError`."""

    illegal_reward: float
    """Reward of an illegal action."""

    observation: str
    """Kind of the observation. ``"planes"``: a dictionary of ``board`` (uint8, shape (planes, height, width), 0 or 1;
    see ``row_order``), ``pieces`` (uint8; 0 to 6 for I O T S Z J L, 7 for no piece) and, if the game has a status,
    ``status`` (float32). ``"features"``: a float32 vector of the features of the last placement and of the board it
    led to, the pieces one-hot (7 values each), and the status. Features are in whole units; those of a placement are
    0 before the first placement. ``"afterstates"``: float32, shape (actions, features): the features of every
    action's placement and of the board it leads to. Rows of illegal actions are 0."""

    row_order: str
    """First row of ``board``, and of a start board that is given as an array: the floor, as in every other array of
    this package, or the top row, as in a picture."""

    features: Sequence[str]
    """Names of the features to measure (``tetrastat show features`` lists them)."""

    afterstates: bool
    """If True, ``info`` also has ``afterstates``, for every kind of observation."""

    board: str
    """Columns x rows, 4 to 16 and 4 to 28, such as ``"10x20"``."""

    measured: str
    """Board on which features are measured: after or before full rows are removed."""

    rules: str
    """``"simplified"``: any orientation and column, dropped from above. ``"standard"``: the piece spawns inside the
    rows in play and must be able to reach its placement."""


class KeysOptions(TypedDict, total=False):
    """Options of the environment ``tetrastat/Keys-v0``."""

    queue: str
    """Queue that deals the pieces: ``"uniform"``, ``"bag"``, ``"bag:2"``, ``"bag:I=2+O=1"``, ``"weights:I=2+O=1"``,
    ``"nes"``, ``"tgm1"``, ``"tgm2"``, ``"tgm3"``, ``"least-dealt"``, ``"repeat:0.3"``, ``"sz"``, ``"sz-random"`` or
    ``"adversary"``."""

    script: str | None
    """Pieces to deal in place of ``queue``, as letters of ``IOTSZJL``. A game is truncated at the end of the
    script."""

    cycle: bool
    """If True, the script starts again at its end and the game continues."""

    previews: int | None
    """Number of pieces shown after the current one, 0 to 15. Default: 0, or in guideline games that of the rules."""

    reward: str | Sequence[float] | None
    """Reward of a placement: ``"lines"`` (number of rows removed), ``"points"`` (40, 100, 300, 1200 for 1 to 4 rows;
    in guideline games the game's points), ``"pieces"`` (1 for every placement), or five numbers for 0 to 4 rows
    removed."""

    lost: float
    """Number that is added to the reward when the game is lost."""

    max_steps: int | None
    """Number of steps after which a game is truncated. Without it a good agent may play for ever."""

    illegal: str
    """Effect of an illegal action: ``"ignore"`` counts the step and changes nothing else, ``"end"`` terminates the
    game, ``"raise"`` raises a `ValueError`."""

    illegal_reward: float
    """Reward of an illegal action."""

    observation: str
    """Kind of the observation. ``"planes"``: a dictionary of ``board`` (uint8, shape (planes, height, width), 0 or 1;
    see ``row_order``), ``pieces`` (uint8; 0 to 6 for I O T S Z J L, 7 for no piece) and, if the game has a status,
    ``status`` (float32). ``"features"``: a float32 vector of the features of the last placement and of the board it
    led to, the pieces one-hot (7 values each), and the status. Features are in whole units; those of a placement are
    0 before the first placement. ``"afterstates"``: float32, shape (actions, features): the features of every
    action's placement and of the board it leads to. Rows of illegal actions are 0."""

    row_order: str
    """First row of ``board``, and of a start board that is given as an array: the floor, as in every other array of
    this package, or the top row, as in a picture."""

    features: Sequence[str]
    """Names of the features to measure (``tetrastat show features`` lists them)."""

    afterstates: bool
    """If True, ``info`` also has ``afterstates``, for every kind of observation."""

    board: str
    """Columns x rows, 4 to 16 and 4 to 28, such as ``"10x20"``."""

    measured: str
    """Board on which features are measured: after or before full rows are removed."""

    notebook: bool
    """If True, the teaching notebook's own dealer deals the pieces, bit for bit, in place of ``queue``. The
    notebook's rewards are ``"lines"``."""


class GuidelineOptions(TypedDict, total=False):
    """Options of the environment ``tetrastat/Guideline-v0``."""

    queue: str
    """Queue that deals the pieces: ``"uniform"``, ``"bag"``, ``"bag:2"``, ``"bag:I=2+O=1"``, ``"weights:I=2+O=1"``,
    ``"nes"``, ``"tgm1"``, ``"tgm2"``, ``"tgm3"``, ``"least-dealt"``, ``"repeat:0.3"``, ``"sz"``, ``"sz-random"`` or
    ``"adversary"``."""

    script: str | None
    """Pieces to deal in place of ``queue``, as letters of ``IOTSZJL``. A game is truncated at the end of the
    script."""

    cycle: bool
    """If True, the script starts again at its end and the game continues."""

    previews: int | None
    """Number of pieces shown after the current one, 0 to 15. Default: 0, or in guideline games that of the rules."""

    reward: str | Sequence[float] | None
    """Reward of a placement: ``"lines"`` (number of rows removed), ``"points"`` (40, 100, 300, 1200 for 1 to 4 rows;
    in guideline games the game's points), ``"pieces"`` (1 for every placement), or five numbers for 0 to 4 rows
    removed."""

    lost: float
    """Number that is added to the reward when the game is lost."""

    max_steps: int | None
    """Number of steps after which a game is truncated. Without it a good agent may play for ever."""

    illegal: str
    """Effect of an illegal action: ``"ignore"`` counts the step and changes nothing else, ``"end"`` terminates the
    game, ``"raise"`` raises a `ValueError`."""

    illegal_reward: float
    """Reward of an illegal action."""

    observation: str
    """Kind of the observation. ``"planes"``: a dictionary of ``board`` (uint8, shape (planes, height, width), 0 or 1;
    see ``row_order``), ``pieces`` (uint8; 0 to 6 for I O T S Z J L, 7 for no piece) and, if the game has a status,
    ``status`` (float32). ``"features"``: a float32 vector of the features of the last placement and of the board it
    led to, the pieces one-hot (7 values each), and the status. Features are in whole units; those of a placement are
    0 before the first placement. ``"afterstates"``: float32, shape (actions, features): the features of every
    action's placement and of the board it leads to. Rows of illegal actions are 0."""

    row_order: str
    """First row of ``board``, and of a start board that is given as an array: the floor, as in every other array of
    this package, or the top row, as in a picture."""

    features: Sequence[str]
    """Names of the features to measure (``tetrastat show features`` lists them)."""

    afterstates: bool
    """If True, ``info`` also has ``afterstates``, for every kind of observation."""

    mode: str
    """``"sprint"``: ``sprint_lines`` rows win the game. ``"blitz"``: the game is over after ``max_pieces``.
    ``"endless"``: the game is truncated after ``max_pieces``."""

    sprint_lines: int
    """Number of rows of a Sprint."""

    max_pieces: int | None
    """Number of pieces of a Blitz or an endless game. Default: 360 in a Blitz (180 seconds at two pieces per second),
    otherwise no limit."""

    actions: str
    """``"placements"``: an action is an index among the placements that are legal now. Those of the current piece
    come first, then those of the hold's piece. ``"keys"``: an action is one of the inputs of
    ``tetrastat._tetrastat.GUIDELINE_KEYS`` (left, right, far left, far right, clockwise, counter-clockwise, half
    turn, sonic drop, soft drop, hard drop, hold). The piece does not fall by itself."""

    slots: int
    """Number of actions for ``"placements"``. Legal placements beyond this number are left out."""

    rules: str
    """``"guideline"`` or ``"capstone"``, or the path of a TOML file with your own rules."""

    kicks: str | None
    """Kicks that replace those of the rules."""

    half_turns: bool | None
    """True or False to allow or forbid half turns, or the hold. Default: as in the rules."""

    hold: bool | None
    """True or False to allow or forbid half turns, or the hold. Default: as in the rules."""

    movement: str
    """Placements that are legal: all that shifts, soft drops and turns can reach, or hard drops only."""

    drop_points: bool
    """True if the points include those of drops. Every placement then searches for its shortest inputs, which takes
    most of a step's time."""
