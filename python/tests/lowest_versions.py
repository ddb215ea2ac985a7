"""Prints the lowest versions that pyproject.toml states, each as `name==version`. The gate installs and tests them.

Ray is left out, because it is large and has wheels for few versions of Python.
"""

import re
from pathlib import Path

TEXT = Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
LEFT_OUT = {"maturin", "ray"}

if __name__ == "__main__":
    stated = dict(re.findall(r'"([a-z]+)>=([0-9.]+)', TEXT))
    print(" ".join(f"{name}=={version}" for name, version in stated.items() if name not in LEFT_OUT))
