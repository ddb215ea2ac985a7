"""Baselines of the three prediction tasks of the data set `tasks`.

Run the program with `python prediction_tasks.py [NAME|FOLDER]` (default: the data set `tasks`, which is played first). It needs
polars, pyarrow and scikit-learn. The page docs/reference/tasks.md defines the tasks and lists the results.
"""

import sys

import numpy as np
import polars as pl
import tetrastat
from scipy.optimize import minimize
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression, PoissonRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

GAME = ["condition", "game"]
DECISION = [*GAME, "piece_no"]
#: Features of a candidate: of the placement, and of the board after it.
FEATURES = (
    "landing_height eroded_cells row_transitions column_transitions holes wells hole_depth rows_with_holes"
    " aggregate_height bumpiness"
).split()
#: Features of a board in a game, with those of its queue and of the next piece.
STATE = "row_transitions column_transitions holes hole_depth rows_with_holes aggregate_height max_height bumpiness".split()


def candidates(data: tetrastat.datasets.Dataset) -> pl.DataFrame:
    """Returns the candidates that do not lose the game, sorted by decision, with `split`, features and labels."""
    decisions = data.polars().select(*DECISION, "split", pl.col("held_out").cast(pl.Boolean))
    labels = data.polars("labels").select(
        *DECISION, "candidate", "lines_mean", "p_death", pl.col("chosen").alias("chosen_by_bcts")
    )
    rows = data.polars("candidates").filter(~pl.col("lost")).select(*DECISION, "candidate", "chosen", *FEATURES)
    rows = rows.join(decisions, on=DECISION).join(labels, on=[*DECISION, "candidate"], how="left")
    return rows.sort(*DECISION, "candidate").collect()


def decision_starts(rows: pl.DataFrame) -> np.ndarray:
    """Returns the index of the first candidate of each decision in `rows`."""
    return np.flatnonzero(rows.select(pl.struct(DECISION).ne_missing(pl.struct(DECISION).shift())).to_series().to_numpy())


def centred(rows: pl.DataFrame) -> np.ndarray:
    """Returns the features minus their means over the candidates of the decision."""
    return rows.select(pl.col(FEATURES) - pl.col(FEATURES).mean().over(DECISION)).to_numpy().astype(float)


def centred_and_raw(rows: pl.DataFrame) -> np.ndarray:
    """Returns the centred features and the features, which tell trees how high and full the board is."""
    return np.hstack([centred(rows), rows.select(FEATURES).to_numpy()])


def conditional_logit(x: np.ndarray, starts: np.ndarray, chosen: np.ndarray, ridge: float = 1e-3) -> np.ndarray:
    """Returns the weights of McFadden's conditional logit, with a small ridge penalty on the standardised weights."""
    scale = x.std(axis=0)
    x = x / scale
    sizes = np.diff(np.append(starts, len(x)))

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        value = x @ w
        value -= np.repeat(np.maximum.reduceat(value, starts), sizes)
        weight = np.exp(value)
        total = np.add.reduceat(weight, starts)
        gradient = x.T @ (weight / np.repeat(total, sizes) - chosen) / len(starts)
        return (np.log(total).sum() - value[chosen].sum()) / len(starts) + ridge * w @ w / 2, gradient + ridge * w

    return minimize(loss, np.zeros(x.shape[1]), jac=True, method="L-BFGS-B").x / scale


def best_of(score: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Returns the index of the first candidate with the highest score of each decision."""
    return np.array([part.argmax() for part in np.split(score, starts[1:])]) + starts


def interval(values: np.ndarray, games: np.ndarray, repeats: int = 2000) -> str:
    """Formats the mean of `values` with a 95 % interval from a bootstrap over games, since rows of a game are alike."""
    _, place = np.unique(games, axis=0, return_inverse=True)
    sums, counts = np.bincount(place.ravel(), values), np.bincount(place.ravel())
    drawn = np.random.default_rng(1).integers(len(sums), size=(repeats, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1), [0.025, 0.975])
    return f"{values.mean():.3f} ({low:.3f} to {high:.3f})"


def test_sets(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Returns the rows of the test games of known controllers, and all rows of the controller that is held out."""
    return {
        "test": rows.filter(~pl.col("held_out"), pl.col("split") == "test"),
        "held-out controller": rows.filter("held_out"),
    }


def report(task: str, model: str, measure: str, results: dict[str, str]) -> None:
    """Prints one row of the table of results."""
    print(f"| {task} | {model} | {measure} | " + " | ".join(results.values()) + " |", flush=True)


def predict_choice(rows: pl.DataFrame) -> None:
    """Task 1: which candidate does the controller choose? The models do not know which controller plays."""
    train = rows.filter(~pl.col("held_out"), pl.col("split") == "train")
    x, chosen = centred(train), train["chosen"].to_numpy()
    w = conditional_logit(x, decision_starts(train), chosen)
    boosted = HistGradientBoostingClassifier(random_state=1).fit(centred_and_raw(train), chosen)
    models = {
        "one candidate at random": None,
        "conditional logit": lambda rows: centred(rows) @ w,
        "gradient boosting": lambda rows: boosted.predict_proba(centred_and_raw(rows))[:, 1],
    }
    for name, model in models.items():
        results = {}
        for test, rows_of_test in test_sets(rows).items():
            starts, chosen = decision_starts(rows_of_test), rows_of_test["chosen"].to_numpy()
            if model is None:
                hits = 1 / np.diff(np.append(starts, len(chosen)))
            else:
                hits = chosen[best_of(model(rows_of_test), starts)].astype(float)
            results[test] = interval(hits, rows_of_test[starts].select(GAME).to_numpy())
        report("choice", name, "share of choices predicted", results)


def predict_best(rows: pl.DataFrame) -> None:
    """Task 2: which candidate has the most lines to come? The measure is the mean of the labels of predicted candidates."""
    rows = rows.filter(pl.col("lines_mean").is_not_null())
    train = rows.filter(~pl.col("held_out"), pl.col("split") == "train")
    x = centred(train)
    y = train.select(pl.col("lines_mean") - pl.col("lines_mean").mean().over(DECISION)).to_series().to_numpy()
    linear = LinearRegression(fit_intercept=False).fit(x, y)
    boosted = HistGradientBoostingRegressor(random_state=1).fit(centred_and_raw(train), y)
    models = {
        "one candidate at random": None,
        "choice of the player": lambda rows: rows["chosen"].to_numpy(),
        "choice of bcts": lambda rows: rows["chosen_by_bcts"].to_numpy(),
        "linear regression": lambda rows: linear.predict(centred(rows)),
        "gradient boosting": lambda rows: boosted.predict(centred_and_raw(rows)),
    }
    for label, measure in [("lines_mean", "lines in the next 100 pieces"), ("p_death", "share of games that end")]:
        for name, model in models.items():
            results = {}
            for test, rows_of_test in test_sets(rows).items():
                starts, worth = decision_starts(rows_of_test), rows_of_test[label].to_numpy()
                if model is None:
                    values = np.add.reduceat(worth, starts) / np.diff(np.append(starts, len(worth)))
                else:
                    values = worth[best_of(model(rows_of_test), starts)]
                results[test] = interval(values, rows_of_test[starts].select(GAME).to_numpy())
            report("best", name, measure, results)


def concordance(risk: np.ndarray, time: np.ndarray, died: np.ndarray, games: np.ndarray) -> str:
    """Formats Harrell's concordance: the share of pairs whose earlier death has the higher risk, with a bootstrap over games."""
    _, place = np.unique(games, axis=0, return_inverse=True)
    place = place.ravel()
    right = np.zeros((place.max() + 1,) * 2)
    pairs = np.zeros_like(right)
    for i in np.flatnonzero(died):
        later = (time > time[i]) & (place != place[i])
        score = (risk[i] > risk) + 0.5 * (risk[i] == risk)
        right[place[i]] += np.bincount(place, score * later, len(right))
        pairs[place[i]] += np.bincount(place, later, len(right))
    random = np.random.default_rng(1)
    draws = (np.bincount(random.integers(len(right), size=len(right)), minlength=len(right)) for _ in range(2000))
    # A draw of games without deaths has no pairs.
    drawn = [(w @ right @ w) / (w @ pairs @ w) for w in draws if w @ pairs @ w > 0]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return f"{right.sum() / pairs.sum():.3f} ({low:.3f} to {high:.3f})"


def predict_lines(data: tetrastat.datasets.Dataset) -> None:
    """Task 3: how many lines are left until the game ends? Games that were cut off are censored."""
    games = data.table("games").to_polars().select(
        pl.col(GAME).cast(pl.Int64), pl.col("lines").alias("lines_of_game"), pl.col("censored").cast(pl.Boolean)
    )
    rows = data.polars().select(
        pl.col(GAME).cast(pl.Int64), "split", "lines_total", "queue", *STATE, pl.col("held_out").cast(pl.Boolean)
    )
    rows = rows.collect().join(games, on=GAME)
    # A row whose game ends with it has no time at risk; half a line stands for it.
    rows = rows.with_columns(
        left=pl.max_horizontal(pl.col("lines_of_game") - pl.col("lines_total"), 0.5), bag=pl.col("queue") == "bag"
    )
    train = rows.filter(~pl.col("held_out"), pl.col("split") == "train")

    def state(rows: pl.DataFrame) -> np.ndarray:
        return rows.select(*STATE, "bag").to_numpy().astype(float)

    # Poisson regression of deaths per line, weighted by lines, is the exponential model of censored times.
    died, time = ~train["censored"].to_numpy(), train["left"].to_numpy()
    poisson = make_pipeline(StandardScaler(), PoissonRegressor(alpha=0, max_iter=1000))
    poisson.fit(state(train), died / time, poissonregressor__sample_weight=time)
    boosted = HistGradientBoostingRegressor(loss="poisson", random_state=1)
    boosted.fit(state(train), died / time, sample_weight=time)
    models = {
        "height alone": lambda rows: rows["max_height"].to_numpy(),
        "exponential regression": lambda rows: poisson.predict(state(rows)),
        "gradient boosting": lambda rows: boosted.predict(state(rows)),
    }
    for name, model in models.items():
        results = {
            test: concordance(model(part), part["left"].to_numpy(), ~part["censored"].to_numpy(), part.select(GAME).to_numpy())
            for test, part in test_sets(rows).items()
        }
        report("lines", name, "concordance", results)


if __name__ == "__main__":
    dataset = tetrastat.datasets.load(sys.argv[1] if len(sys.argv) > 1 else "tasks")
    print("| task | model | measure | test | held-out controller |\n|---|---|---|---|---|")
    all_candidates = candidates(dataset)
    predict_choice(all_candidates)
    predict_best(all_candidates)
    predict_lines(dataset)
