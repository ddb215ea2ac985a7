"""Commands of the engine as functions, besides those with a function in `tetrastat`.

Every function takes the options of its command and returns what the command prints with ``--format json``, as
Python objects; the printed text if the command has no such format; or the folder or table that it writes.
"""

# This file is generated: edit python/tools/generate.py or the options of the commands, then run python/tools/generate.py.

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._folders import Folder
from ._players import AnyController
from ._runs import run_command, run_writer

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .settings import (
        AnnotateSettings,
        BenchPerftSettings,
        BenchSettings,
        DataConvertSettings,
        DataMergeSettings,
        DataSetSettings,
        ExactSettings,
        LabelSettings,
        LiapCompareSettings,
        LiapDeclareSettings,
        LiapDistributionSettings,
        LiapSimulateSettings,
        PlanSettings,
        ShowBoardSettings,
        ShowFeaturesSettings,
        ViewSettings,
    )

__all__ = [
    "annotate",
    "bench",
    "bench_perft",
    "data_convert",
    "data_merge",
    "data_set",
    "data_verify",
    "exact",
    "label",
    "liap_compare",
    "liap_declare",
    "liap_distribution",
    "liap_simulate",
    "plan",
    "show_board",
    "show_controllers",
    "show_features",
    "view",
]


def plan(
    *,
    progress: bool = False,
    **settings: Unpack[PlanSettings],
) -> Any:
    """Computes the number of games that a question needs.

    Parameters
    ----------
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat plan`` with ``_`` for ``-``:

        - ``tell``: Two means to distinguish, for example lines per game: 35e6,40e6.
        - ``pilot``: Folders of earlier runs, studies or comparisons, all of one game. Their spread, their censored
          games and the effect of common seeds determine the number of games.
        - ``measure``: Measure of the pilot: a numeric column of the table of games. Default: lines; for a Sprint
          pieces; for other guideline games points.
        - ``difference``: Relative difference of two means to detect, as a share of the second mean. Default: the
          pilot's differences.
        - ``power``: Probability of detecting the difference (power). Default: 0.8.
        - ``alpha``: Probability of a false detection if the means are equal (significance level). Default: 0.05.
        - ``halfwidth``: Half the width of a 95 % confidence interval as a share of its mean, for example 3%.
        - ``limit``: Limit that censors games, in units of the measure.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("plan", {**settings}, progress)


def label(
    from_: str | PathLike[str],
    *,
    out: str | PathLike[str] | None = None,
    progress: bool = False,
    **settings: Unpack[LabelSettings],
) -> Folder | Path:
    """Continues games from logged boards: risks and alternatives.

    Parameters
    ----------
    from_ : path
        Run folder with a placements log that has the column `board`, or the log itself.
    out : path, optional
        Output folder: a new one, or that of the same run, which is resumed. Default: a new one under runs/.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat label`` with ``_`` for ``-``:

        - ``every``: Use the board of every K-th placement of the log. Default: 100.
        - ``replicates``: Games to play from each board. Default: 100.
        - ``horizon``: Pieces after which a game is censored. The risk of death refers to this number of pieces.
          Default: 100.
        - ``regret``: Also play on after each alternative placement of the next piece, and compare it with the
          chosen one.
        - ``max_replicates``: Play more games, up to N, after placements that may have the most lines. As many other
          games decide which placements these are, and enter no result.
        - ``precision``: With max_replicates: play no more games after a placement once the standard error of the
          mean lines in the deciding games is at most this share of the mean, for example 0.03.
        - ``controller``: Controller: a preset or TOML file. Default: the run's controller.
        - ``search``: Look-ahead: greedy, next or expect. Default: the run's.
        - ``queue``: Piece generator: one of those of simulate, such as uniform or bag. Default: the run's queue.
        - ``seed``: Seed of the run, decimal or 0x hexadecimal. The same seed gives byte-identical output. Default:
          1.
        - ``threads``: Worker threads. Default: all cores.
        - ``simd``: Instruction set of the kernels: `auto`, or a slower one: `scalar`, `portable`, `neon` (ARM),
          `avx2`, `avx512`, `avx512-vbmi`. Default: auto.
        - ``force``: Replace the run in out by a new one. The folder may hold only a run of the same kind of game.
        - ``view``: Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as
          `tetrastat view` does.
        - ``shard``: Play only part I of N of the boards. `tetrastat data merge` joins the parts.

    Returns
    -------
    Folder or pathlib.Path
        The folder that the command wrote, or the path of the file.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_writer("label", {"from": from_, "out": out, **settings}, "out", progress)


def view(
    folder: str | PathLike[str],
    *,
    progress: bool = False,
    **settings: Unpack[ViewSettings],
) -> Any:
    """Writes a folder as one HTML page.

    Parameters
    ----------
    folder : path
        Folder that a command wrote.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat view`` with ``_`` for ``-``:

        - ``out``: File of the page. Default: the folder's name with .html, beside it.
        - ``force``: Replace an existing file.
        - ``open``: Open the page in the browser.
        - ``limit``: Maximum size of the page in megabytes. Rows and placements are left out to keep to it. Default:
          10.
        - ``rows``: Maximum number of rows of a table. Default: 2000.
        - ``placements``: Maximum number of placements of a game. Default: 2000.

    Returns
    -------
    str
        Text that the command prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("view", {"folder": folder, **settings}, progress)


def show_board(
    controller: AnyController | None = None,
    *,
    progress: bool = False,
    **settings: Unpack[ShowBoardSettings],
) -> Any:
    """Shows a board's features and every placement of a piece.

    In guideline games, show the controller's terms and every landing of the piece and of the hold piece.

    Parameters
    ----------
    controller : str, path, Player or callable, optional
        Preset (see `tetrastat show controllers`) or TOML file. Default: bcts; for guideline games tetrastat-sprint in
        a Sprint, else tetrastat-blitz-greedy, with a beam tetrastat-blitz.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat show board`` with ``_`` for ``-``:

        - ``rules``: `simplified` (MDPTetris), `standard` (Fahey's original game), `guideline` (2009) or `capstone`.
          Default: simplified.
        - ``board_file``: Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left
          out. Guideline games need ten columns.
        - ``piece``: List every placement of this piece, best first.
        - ``search``: Look-ahead: `greedy`; in classic games also `next` (with next) or `expect`; in guideline games
          also `beam` (over the pieces of next). Default: greedy.
        - ``next``: Next piece, for search next. In guideline games, all visible next pieces, such as OTS.
        - ``place``: Show the board after this placement of the piece, even if the piece cannot rest there. The
          orientation is numbered as drawn below; guideline games have the states 0, R, 2 and L. The column is that of
          the leftmost cell and the row that of the lowest cell, both from 0, rows from the floor. Full rows are
          removed first, unless the controller measures before-clear.
        - ``picture``: Board as text, instead of board_file. `/` ends a row.
        - ``fumen``: Board in fumen notation, version 115, or a URL that contains it, instead of board_file.
        - ``page``: Page of the fumen, shown before its piece locks. Default: 1.
        - ``explain``: Mark the cells that these features (in guideline games: terms) count, with the value of each
          part.
        - ``svg``: SVG file for a picture of the placement beside the one it is compared with.
        - ``force``: Replace an existing picture.
        - ``tie``: Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the
          controller's own rule.
        - ``clear_on_overflow``: Let a piece that rests above the top row still clear full rows.
        - ``reach_anywhere``: Under standard rules, let pieces reach every column where they fit at the spawn row,
          even through obstacles.
        - ``board``: Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten
          columns.
        - ``hold``: Piece in hold. Default: none.
        - ``combo``: Number of consecutive clears before this position. Default: 0.
        - ``back_to_back``: The last clear was difficult: a tetris, or a T-spin that cleared rows.
        - ``kicks``: Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets.
        - ``half_turns``: Allow half turns.
        - ``mode``: Goal of a game. Default: sprint.
        - ``sprint_lines``: Rows to clear in a Sprint. Default: 40.
        - ``beam_width``: States that the beam keeps after each placement. Default: 32.
        - ``beam_depth``: Number of placements that the beam looks ahead. Default: one for each visible piece.
        - ``beam_perfect_clears``: Maximum number of states in the beam's search for perfect clears with the visible
          pieces. The limit holds for each placement and each number of rows to empty. 20000 covers nearly all states;
          0 for no search. Default: 0.
        - ``no_hold``: Play without hold.
        - ``movement``: Available placements: `hard-drop`, or `full` (soft drops, tucks and spins). Default:
          hard-drop in a Sprint, else full.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("show board", {"controller": controller, **settings}, progress)


def show_features(
    *,
    progress: bool = False,
    **settings: Unpack[ShowFeaturesSettings],
) -> Any:
    """Lists every feature and every guideline term, with definition and source.

    Parameters
    ----------
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat show features`` with ``_`` for ``-``:

        - ``board``: Board width 4-16 and height 4-28. The features of single columns depend on the width. Default:
          10x20.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("show features", {**settings}, progress)


def show_controllers(
    name: str | None = None,
    *,
    progress: bool = False,
) -> Any:
    """Lists the published controllers, or show one with its source.

    Parameters
    ----------
    name : str, optional
        Preset or TOML file to show.
    progress : bool
        Show a progress bar if tqdm is installed.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("show controllers", {"name": name}, progress)


def exact(
    controller: str | PathLike[str] | Sequence[str | PathLike[str]] | None = None,
    *,
    progress: bool = False,
    **settings: Unpack[ExactSettings],
) -> Any:
    """Computes exact mean lines on small boards; check the simulator.

    Parameters
    ----------
    controller : str or sequence of str, optional
        Presets (see `tetrastat show controllers`) or TOML files. Default: bcts.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat exact`` with ``_`` for ``-``:

        - ``tie``: Rule that chooses among equally good placements: `first` or `dellacherie`. Default: the
          controller's own rule.
        - ``rules``: `simplified` (MDPTetris) or `standard` (Fahey's original game). Other rules are available in
          simulate, train and watch. Default: simplified.
        - ``clear_on_overflow``: Let a piece that rests above the top row still clear full rows.
        - ``reach_anywhere``: Under standard rules, let pieces reach every column where they fit at the spawn row,
          even through obstacles.
        - ``board``: Board width 4-16 and height 4-28. Default: 10x20, or the size of a picture that has not ten
          columns.
        - ``board_file``: Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left
          out. Guideline games need ten columns.
        - ``queue``: Piece generator: `uniform`, `bag` (7-bag), `bag:2` (2 of each piece per bag), `bag:I=2+O=1` (a
          bag of these pieces), `weights:I=2+O=1` (independent, by weight), `nes`, `tgm1`, `tgm2`, `tgm3` (as in these
          games), `least-dealt`, `repeat:0.3` (the last piece again with this probability), `sz` (alternating),
          `sz-random`, `adversary` (the worst piece), or `script` with script. Default: uniform; for guideline games
          bag.
        - ``script``: Pieces of a script queue, at most 100,000: letters of I O T S Z J L, or a file that contains
          them.
        - ``cycle``: Repeat the script when it ends.
        - ``search``: Look-ahead: `greedy`, `next` (known next piece) or `expect` (the fewest next pieces that end
          the game, then the mean over the others). Default: greedy.
        - ``optimal``: Also compute the optimal player that knows only the current piece, by mean `lines` or
          `pieces`.
        - ``survival``: Print the probability that a game survives 0 to K pieces.
        - ``check``: Simulate this many games of each controller and test their means against the exact ones.
        - ``seed``: Seed of the games of check. Default: 1.
        - ``max_states``: Maximum number of states of a chain. A state takes 100 to 200 bytes; for the optimal
          player it takes more. Default: 20000000.
        - ``threads``: Threads. Default: all cores.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("exact", {"controller": controller, **settings}, progress)


def bench_perft(
    pieces: str | None = None,
    *,
    progress: bool = False,
    **settings: Unpack[BenchPerftSettings],
) -> Any:
    """Counts the ways to place a piece sequence under guideline rules.

    Parameters
    ----------
    pieces : str, optional
        Sequence of pieces. Full rows are cleared in between. Default: IOLJSZT.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat bench perft`` with ``_`` for ``-``:

        - ``depth``: Place only the first N pieces.
        - ``board_file``: Start board: a picture of '.' and '#', top row first. Empty rows at the top may be left
          out. Guideline games need ten columns.
        - ``rules``: `guideline`, `capstone`, or a TOML file with your own rules. Default: guideline.
        - ``kicks``: Kick table: `srs` or `srs+`. Default: of the rules, srs in both presets.
        - ``half_turns``: Allow half turns.
        - ``movement``: Placements to count: `full` or `hard-drop`. Default: full.
        - ``simd``: Instruction set of the kernels. Default: auto.

    Returns
    -------
    str
        Text that the command prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("bench perft", {"pieces": pieces, **settings}, progress)


def bench(
    controller: AnyController | None = None,
    *,
    progress: bool = False,
    **settings: Unpack[BenchSettings],
) -> Any:
    """Measures the speed of kernels, features, searches and threads.

    Parameters
    ----------
    controller : str, path, Player or callable, optional
        Measure what each feature of this controller (a preset or TOML file) costs, by leaving it out, instead of the
        sections.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat bench`` with ``_`` for ``-``:

        - ``board``: Board to measure on. Default: 10x20.
        - ``sections``: Parts to measure. Default: levels,features,search,threads,guideline,liap.
        - ``sample_ms``: Minimum processor time of one sample, in milliseconds (section threads: elapsed time).
          Default: 30.
        - ``repeats``: Samples per case. The median is reported. Default: 7.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("bench", {"controller": controller, **settings}, progress)


def annotate(
    from_: str | PathLike[str],
    *,
    out: str | PathLike[str],
    progress: bool = False,
    **settings: Unpack[AnnotateSettings],
) -> Folder | Path:
    """Scores the placements in a table or in fumens.

    Parameters
    ----------
    from_ : path
        Table of boards, pieces and placements, or file of fumens.
    out : path
        Table to write. Its extension sets the format: csv, csv.gz, csv.zst or parquet.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat annotate`` with ``_`` for ``-``:

        - ``controller``: Controller: a preset or TOML file. Default: the run's, for the log of a run; otherwise
          bcts.
        - ``rules``: Rules: simplified or standard. Default: the run's; otherwise simplified.
        - ``search``: Look-ahead: greedy, next (needs the column next_1) or expect. Default: the run's; otherwise
          greedy.
        - ``board``: Board width 4-16 and height 4-28. Pictures may leave out empty rows at the top. Default: the
          run's; otherwise 10x20, or the size of a first picture that has not ten columns.
        - ``columns``: Columns to compute: `minimal`, `controller` (all except features that the controller does not
          use), `all` (every feature), or names joined by commas. Default: controller.
        - ``threads``: Worker threads. Default: all cores.
        - ``force``: Replace an existing table.

    Returns
    -------
    Folder or pathlib.Path
        The folder that the command wrote, or the path of the file.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_writer("annotate", {"from": from_, "out": out, **settings}, "out", progress)


def data_set(
    file: str | PathLike[str],
    *,
    out: str | PathLike[str] | None = None,
    progress: bool = False,
    **settings: Unpack[DataSetSettings],
) -> Folder | Path:
    """Writes a data set: the placements of a study in partitions.

    Parameters
    ----------
    file : path
        TOML file of a study with the table [dataset] (example in --help), or tiny, small or tasks.
    out : path, optional
        Output folder: a new one, or that of the same file, which is resumed.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat data set`` with ``_`` for ``-``:

        - ``threads``: Worker threads; replaces the value of the file.
        - ``condition``: Play only this condition, numbered from 1, for example as a job of its own. The same
          command without this option collects the conditions.
        - ``allow_bot``: Start the bots (`tbp:COMMAND`) that the file names. Their commands may do anything that you
          may do.

    Returns
    -------
    Folder or pathlib.Path
        The folder that the command wrote, or the path of the file.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_writer("data set", {"file": file, "out": out, **settings}, "out", progress)


def data_convert(
    from_: str | PathLike[str],
    to: str | PathLike[str],
    *,
    progress: bool = False,
    **settings: Unpack[DataConvertSettings],
) -> Folder | Path:
    """Converts tables between csv, csv.gz, csv.zst and parquet.

    Parameters
    ----------
    from_ : path
        Table (such as placements.csv.zst) or run folder to convert.
    to : path
        Table to write (its extension sets the format; `-` writes CSV to stdout), or a new folder.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat data convert`` with ``_`` for ``-``:

        - ``format``: Format for the logs of a run folder.
        - ``columns``: Columns to keep, in this order. In a run folder, each log keeps those that it has.
        - ``where``: Rows to keep: comparisons joined by `and`, such as 'game<=20 and holes>3', 'piece=T',
          'score!=NA'.
        - ``describe``: Store the meanings of the columns in Parquet files, as JSON under the key
          `tetrastat:columns`.
        - ``force``: Replace an existing table.

    Returns
    -------
    Folder or pathlib.Path
        The folder that the command wrote, or the path of the file.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_writer("data convert", {"from": from_, "to": to, **settings}, "to", progress)


def data_merge(
    shards: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    out: str | PathLike[str],
    progress: bool = False,
    **settings: Unpack[DataMergeSettings],
) -> Folder | Path:
    """Joins the shards of a run into one run.

    Parameters
    ----------
    shards : path or sequence of path
        Folders of the shards, in any order.
    out : path
        Output folder: a new one, or that of the same merge, which starts again.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat data merge`` with ``_`` for ``-``:

        - ``parts``: Do not join the shards' Parquet tables: each becomes a folder, such as placements.parquet, with
          the shards' files as parts. Readers of Parquet data sets read it as one table. Parts are hard links where
          possible, which take no space; the shards can be deleted.

    Returns
    -------
    Folder or pathlib.Path
        The folder that the command wrote, or the path of the file.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_writer("data merge", {"shards": shards, "out": out, **settings}, "out", progress)


def data_verify(
    folder: str | PathLike[str],
    *,
    progress: bool = False,
) -> Any:
    """Checks the files of a folder against their checksums.

    Parameters
    ----------
    folder : path
        Folder of the run, training, estimate, study or data set.
    progress : bool
        Show a progress bar if tqdm is installed.

    Returns
    -------
    str
        Text that the command prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("data verify", {"folder": folder}, progress)


def liap_declare(
    hand: str,
    *,
    progress: bool = False,
    **settings: Unpack[LiapDeclareSettings],
) -> Any:
    """Declares with one hand, and explain the declaration.

    Parameters
    ----------
    hand : str
        Up to eight pieces: G A E R H C S for red general, advisor, elephant, chariot, horse, cannon, soldier, small
        letters for black; the order matters to v1 alone.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat liap declare`` with ``_`` for ``-``:

        - ``position``: Place in the order of declarations, 0 for the starter. Default: the number of previous.
        - ``previous``: Declarations before, in order, joined by commas.
        - ``nonzero``: The player declared 0 in the last two rounds and must not again.
        - ``declarer``: v1, v1-rich, v2, v2-literal, v2-literal-singles, v2-upstream or v2-late. Default: v2.
        - ``explain``: Print the decision step by step.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("liap declare", {"hand": hand, **settings}, progress)


def liap_simulate(
    from_: int | str | None = None,
    *,
    out: str | PathLike[str] | None = None,
    progress: bool = False,
    **settings: Unpack[LiapSimulateSettings],
) -> Folder | Path:
    """Plays matches of four players.

    Parameters
    ----------
    from_ : int, optional
        First placement of a game to log. Default: 1.
    out : path, optional
        Output folder: a new one, or that of the same run, which is resumed. Default: a new one under runs/.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat liap simulate`` with ``_`` for ``-``:

        - ``rounds``: Rounds to play; the last match is cut when they are played. Default: 10000.
        - ``matches``: Matches to play, each to its end, instead of rounds.
        - ``shard``: Play only the I-th of N parts of the matches, to be joined by `tetrastat data merge`.
        - ``declarers``: Declarer of all seats, or of each, joined by commas: v1, v1-rich, v2, v2-literal,
          v2-literal-singles, v2-upstream, v2-late. Default: v2.
        - ``players``: Player of all seats, or of each, joined by commas: bot (the repository's strategy), basic
          (the strongest play), random. Default: bot.
        - ``target``: Points that end a match. Default: 50.
        - ``max_rounds``: Rounds after which a match ends anyway, or `none` for 1,000. Default: 20.
        - ``no_guard``: Let declarations stand that the rules bar (those above 8 become 8).
        - ``seed``: Seed of the run, decimal or 0x hexadecimal; the same seed gives the same bytes. Default: 1.
        - ``log``: Log declarations and rounds: `none`, `csv`, `csv.gz`, `csv.zst` or `parquet`. Default: csv up to
          100,000 rounds or 5,000 matches, else none.
        - ``columns``: Columns of the log: `minimal`, `controller` (all except features that the controller does not
          use), `all` (every feature), or names joined by commas. Names may include the sets `minimal`, `features`
          (the controller's) and `heights`. In guideline games and LIAP, `controller` equals `all`. Default:
          controller.
        - ``every``: Log every K-th placement of a game (in LIAP: declaration of a match, also for the options
          below). Default: 1.
        - ``to``: Last placement of a game to log.
        - ``only_last``: Log only the last N placements of a game.
        - ``sample_games``: Fraction of games to log, sampled with the run's seed. Default: 1.
        - ``threads``: Worker threads. Default: all cores.
        - ``checkpoint_ms``: Time between two checkpoints, in milliseconds. Default: 3000.
        - ``force``: Replace the run in out by a new one. The folder may hold only a run of the same kind of game.
        - ``view``: Draw a page beside the folder (its name with .html) at each checkpoint and at the end, as
          `tetrastat view` does.
        - ``resume``: Resume an interrupted run; the output is byte-identical to an uninterrupted one.

    Returns
    -------
    Folder or pathlib.Path
        The folder that the command wrote, or the path of the file.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_writer("liap simulate", {"from": from_, "out": out, **settings}, "out", progress)


def liap_compare(
    first: str,
    second: str,
    *,
    progress: bool = False,
    **settings: Unpack[LiapCompareSettings],
) -> Any:
    """Compares two declarers on the same single deals, position by position.

    `compare --rules liap` compares whole matches of any number of declarers.

    Parameters
    ----------
    first : str
        The declarer to compare with.
    second : str
        The declarer to compare.
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat liap compare`` with ``_`` for ``-``:

        - ``rounds``: Deals, each played with both. Default: 100000.
        - ``player``: Player of all seats: bot, basic or random. Default: bot.
        - ``switch``: Positions that change declarer: `all` four, or `one` at a time while the others keep the
          first. Default: all.
        - ``seed``: Seed of the deals, decimal or 0x hexadecimal. Default: 1.
        - ``threads``: Worker threads. Default: all cores.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("liap compare", {"first": first, "second": second, **settings}, progress)


def liap_distribution(
    *,
    progress: bool = False,
    **settings: Unpack[LiapDistributionSettings],
) -> Any:
    """Computes the exact distribution of declarations over all 10,518,300 hands.

    Parameters
    ----------
    progress : bool
        Show a progress bar if tqdm is installed.
    **settings
        Options of ``tetrastat liap distribution`` with ``_`` for ``-``:

        - ``declarers``: Declarers, joined by commas. Default: all.
        - ``position``: Place in the order of declarations, 0 for the starter. Default: the number of previous.
        - ``previous``: Declarations before, in order, joined by commas.
        - ``nonzero``: The player declared 0 in the last two rounds and must not again.
        - ``guard``: Take declarations as the rules let them stand, instead of as declarers return them.

    Returns
    -------
    dict or list
        What ``--format json`` prints.

    Raises
    ------
    TypeError
        If there is no such option.
    SettingError
        If an option has an invalid value. It is a `ValueError`, too.
    TetrastatError
        If the command fails, with the engine's message.
    """
    return run_command("liap distribution", {**settings}, progress)
