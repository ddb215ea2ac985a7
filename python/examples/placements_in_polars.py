"""Analysis of a controller's placements in polars: the mean number of holes before a game ends.

Run the program with `python placements_in_polars.py`. It needs polars. If matplotlib is installed, it also draws the
figure `placements.png`.
"""

import polars as pl
import tetrastat

# Games on a small board end soon. The run logs every placement with the controller's features.
run = tetrastat.simulate("bcts", board="10x10", games=40, seed=7, max_pieces="none", placements="parquet", to=2000)

# Polars reads the engine's memory without a copy. Factors become categories, and missing values become null.
games = pl.DataFrame(run.games)
print(games.select(pl.len().alias("games"), pl.col("lines").mean().alias("mean_lines"), pl.col("lines").max().alias("most")))

# The engine selects these columns and rows while it reads the file.
placements = pl.DataFrame(run.placements(["game", "piece_no", "piece", "holes"], where="piece_no<=2000"))

# Mean number of holes by the number of pieces that are left in the game.
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
