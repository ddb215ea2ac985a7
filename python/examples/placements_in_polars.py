"""Placements of a controller in polars: how holes and heights grow before a game ends, and a figure of it.

Run it with `python placements_in_polars.py`; it takes polars, and draws `placements.png` where matplotlib is installed.
"""

import polars as pl
import tetrastat

# Games on a small board, which end soon; every placement is logged, with the features that the controller looks at.
run = tetrastat.simulate("bcts", board="10x10", games=40, seed=7, max_pieces="none", placements="parquet", to=2000)

# Nothing is copied: polars reads the engine's own memory. Factors are categories, missing values null.
games = pl.DataFrame(run.games)
print(games.select(pl.len().alias("games"), pl.col("lines").mean().alias("mean_lines"), pl.col("lines").max().alias("most")))

# The rows of some games and columns alone, picked while the file is read.
placements = pl.DataFrame(run.placements(["game", "piece_no", "piece", "holes"], where="piece_no<=2000"))

# How a game looks so many pieces before its last one.
left = pl.col("piece_no").max().over("game") - pl.col("piece_no")
end = (
    placements.with_columns(left.alias("left"))
    .filter(pl.col("left") < 60)
    .group_by("left")
    .agg(pl.col("holes").mean(), pl.len().alias("games"))
    .sort("left")
)
print(end.head(8))

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("matplotlib is not installed: no figure")
else:
    figure, axes = plt.subplots(figsize=(6, 3.5), layout="constrained")
    axes.plot(-end["left"], end["holes"], color="black")
    axes.set(xlabel="pieces before the game's last one", ylabel="mean holes", title="How games of bcts on 10x10 end")
    figure.savefig("placements.png", dpi=150)
    print("drawn: placements.png")
