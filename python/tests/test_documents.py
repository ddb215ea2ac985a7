"""Every Python block of the documents runs, in the order of its page."""

import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "python/README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
#: Libraries that the blocks import besides this package.
NEEDED = ("duckdb", "gymnasium", "polars", "pyarrow")


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    for library in NEEDED:
        pytest.importorskip(library)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for number, block in enumerate(blocks(page), 1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            # An error names the page, the block and the line.
            exec(compile(block, f"{page.name}, Python block {number}", "exec"), names)  # noqa: S102


def test_documents_have_python_blocks():
    pages = {"reference/python": 4, "how-to/environments": 1, "how-to/optimise-in-python": 2, "how-to/python-players": 3, "tutorials/data-in-python": 4}
    for page, count in pages.items():
        assert len(blocks(ROOT / "docs" / f"{page}.md")) >= count, page


def test_documents_do_not_install_the_package_from_an_index():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"pip install '?tetrastat", text), f"{page.name}: no index has the package"
