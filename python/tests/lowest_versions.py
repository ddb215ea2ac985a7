"""Prints the lowest versions that pyproject.toml states, each as `name==version`. The gate installs and tests them.

Some are left out: Ray has wheels for few versions of Python, the tests of s3fs need a recent server, and this environment
has no runtime for models of ONNX.
"""

import re
from pathlib import Path

TEXT = Path(__file__).parents[1].joinpath("pyproject.toml").read_text(encoding="utf-8")
LEFT_OUT = {"maturin", "onnx", "ray", "s3fs"}

if __name__ == "__main__":
    stated = dict(re.findall(r'"([a-z]+)>=([0-9.]+)', TEXT))
    print(" ".join(f"{name}=={version}" for name, version in stated.items() if name not in LEFT_OUT))
