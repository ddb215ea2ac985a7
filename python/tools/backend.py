"""Build backend of the package: maturin's, which then adds the stubs that `stubs.py` writes to the wheel.

``python backend.py WHEEL...`` adds them to wheels that ``maturin build`` made. The first wheel that this machine can load
describes the options of all.
"""

import base64
import copy
import hashlib
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import maturin
from maturin import build_editable, build_sdist, prepare_metadata_for_build_editable, prepare_metadata_for_build_wheel
from maturin import get_requires_for_build_editable, get_requires_for_build_sdist, get_requires_for_build_wheel

__all__ = ["build_editable", "build_sdist", "build_wheel"]
__all__ += ["get_requires_for_build_editable", "get_requires_for_build_sdist", "get_requires_for_build_wheel"]
__all__ += ["prepare_metadata_for_build_editable", "prepare_metadata_for_build_wheel"]


def build_wheel(
    wheel_directory: str, config_settings: Mapping[str, Any] | None = None, metadata_directory: str | None = None
) -> str:
    """Builds the wheel with its stubs, and returns its name."""
    name = maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    add_stubs([Path(wheel_directory, name)])
    return name


def add_stubs(wheels: Sequence[Path]) -> None:
    """Adds the stubs to wheels. They stay without if this machine can load none of them."""
    for wheel in wheels:
        with tempfile.TemporaryDirectory() as folder, ZipFile(wheel) as archive:
            archive.extractall(folder)
            done = subprocess.run([sys.executable, Path(__file__).with_name("stubs.py"), folder])
            if done.returncode == 3:
                continue
            done.check_returncode()
            stubs = {f"tetrastat/{path.name}": path.read_bytes() for path in Path(folder, "tetrastat").glob("*.pyi")}
        for one in wheels:
            write_files(one, stubs)
        return
    print("no stubs of options and commands: this machine cannot load " + ", ".join(wheel.name for wheel in wheels), file=sys.stderr)


def write_files(wheel: Path, files: Mapping[str, bytes]) -> None:
    """Writes files into a wheel, in place of those of the same names, and into its record."""
    new = wheel.with_suffix(".new")
    with ZipFile(wheel) as old, ZipFile(new, "w", ZIP_DEFLATED) as archive:
        record = next(info for info in old.infolist() if info.filename.endswith(".dist-info/RECORD"))
        lines = [line for line in old.read(record).decode().splitlines() if line.split(",")[0] not in files]
        for info in old.infolist():
            if info is not record and info.filename not in files:
                archive.writestr(info, old.read(info))
        for name, data in sorted(files.items()):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            lines.append(f"{name},sha256={digest},{len(data)}")
        # New files have the time and the rights of the record, which is the last one.
        for name, data in [*sorted(files.items()), (record.filename, "\n".join([*lines, ""]).encode())]:
            info = copy.copy(record)
            info.filename = name
            archive.writestr(info, data)
    new.replace(wheel)


if __name__ == "__main__":
    add_stubs([Path(name) for name in sys.argv[1:]])
