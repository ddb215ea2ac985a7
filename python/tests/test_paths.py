"""Addresses such as `s3://bucket/run` are refused before a game is played, and no folder `s3:` is created."""

from pathlib import Path

import pytest

import tetrastat
from tetrastat import cluster

SMALL = {"board": "6x8", "games": 2, "max_pieces": 20}
ADDRESS = "s3://bucket/run"


@pytest.mark.parametrize("address", [ADDRESS, Path(ADDRESS), "file:///tmp/run"])
def test_addresses_are_refused_as_folders(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    study = {"controllers": ["bcts"], **SMALL}
    for call in [
        lambda: tetrastat.simulate("bcts", out=address, **SMALL),
        lambda: tetrastat.simulate(resume=address),
        lambda: tetrastat.study(study, out=address),
        lambda: tetrastat.study(address, out="x"),
        lambda: tetrastat.compare(["bcts", "dt20"], out=address, **SMALL),
        lambda: tetrastat.compare(from_=address),
        lambda: tetrastat.estimate(board="6x8", budget=1000, out=address),
        lambda: tetrastat.study("reproduce:sprint", quick=True, out=address),
        lambda: tetrastat.train("cem", out=address, generations=1),
        lambda: tetrastat.train("cem", config=address, out="x"),
        lambda: tetrastat.read_run(Path(address)),
        lambda: tetrastat.read_study(address),
        lambda: tetrastat.read_estimate(address),
        lambda: tetrastat.Table(address),
        lambda: cluster.simulate(out=Path(address), **SMALL),
        lambda: cluster.study(address, out="x"),
        lambda: cluster.study("x.toml", out=address),
        lambda: cluster.compare(["bcts", "dt20"], out=address),
        lambda: cluster.estimate(out=address, board="6x8"),
        lambda: cluster.train("cem", out=address),
    ]:
        with pytest.raises(tetrastat.TetrastatError, match="is an address, but only local paths") as raised:
            call()
        assert "\n" not in str(raised.value)
    assert not list(tmp_path.iterdir())
