"""The short forms of the learning examples learn: their results exceed bounds that play before learning never reaches.

Play before learning removes no row. The seed is fixed, so a result differs only by the rounding of another processor or
library, which acts like another seed. With the seeds 1 to 10 `td_lambda` reached 279 to 338 rows, and with the seeds 1 to 8
`alphazero_search` reached 23 to 29 rows and its value alone 2 to 4: a bound that is far below the lowest of n seeds fails
by chance with a probability below 1 / n.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
#: Name, libraries, lowest mean rows of the 100 test games.
CASES = [
    ("td_lambda", ["gymnasium"], 100),
    ("alphazero_search", ["gymnasium"], 10),
    ("afterstate_ppo", ["gymnasium", "torch"], 15),
    ("maskable_ppo", ["gymnasium", "sb3_contrib"], 15),
]


@pytest.mark.skipif(os.environ.get("TETRASTAT_LONG") == "0", reason="long: minutes, in .ci/nightly")
@pytest.mark.parametrize(("name", "libraries", "bound"), CASES, ids=[case[0] for case in CASES])
def test_an_example_learns(name, libraries, bound, tmp_path):
    for library in libraries:
        pytest.importorskip(library)
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--quick", "--seed", "1"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | threads, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    before = re.search(r"^ +0 +[0-9.]+ +([0-9.]+) \+-", done.stdout, re.MULTILINE)
    after = re.search(r"^result: ([0-9.]+) \+- [0-9.]+ rows per game .*100 games", done.stdout, re.MULTILINE)
    assert before and after, done.stdout
    assert float(before[1]) < 2 < bound < float(after[1]), done.stdout
    if name == "alphazero_search":
        alone = re.search(r"^the learned value alone: ([0-9.]+)", done.stdout, re.MULTILINE)
        assert alone and float(alone[1]) < float(after[1]), "the search improves the play of its value"


def test_the_learning_curve_is_written_as_a_figure(tmp_path):
    pytest.importorskip("gymnasium")
    pytest.importorskip("matplotlib")
    command = [sys.executable, str(EXAMPLES / "td_lambda.py"), "--quick", "--steps", "128", "--figure", "curve.svg"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "<svg" in (tmp_path / "curve.svg").read_text(encoding="utf-8")
