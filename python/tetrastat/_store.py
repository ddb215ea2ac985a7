"""Folders for results: on a file system, or at the URL of an object store."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ._tetrastat import TetrastatError, check_path

#: File that is written last and so completes the folder of a run.
MANIFEST = "run.json"


class Store:
    """Folder for results. Readers see each file complete or not at all.

    Parameters
    ----------
    place : path or str
        Folder, or URL such as ``s3://bucket/run`` of a file system of fsspec.
    options : mapping, optional
        Options of that file system, such as an endpoint and keys.
    """

    def __init__(self, place: str | os.PathLike[str], options: Mapping[str, Any] | None = None) -> None:
        self.place: str = os.fspath(place)
        self._fs: Any = None
        self.root: str = os.path.abspath(self.place)
        if "://" not in self.place:
            # A URL as a `Path` has only one slash.
            check_path(self.place)
        else:
            try:
                import fsspec
            except ImportError as error:
                raise TetrastatError(f"{self.place} needs fsspec: pip install fsspec, and s3fs for s3://") from error
            if self.place.startswith("memory://"):
                raise TetrastatError(f"{self.place} is lost when this program ends: give a folder, or the URL of an object store")
            try:
                self._fs, self.root = fsspec.core.url_to_fs(self.place, **(options or {}))
            except Exception as error:
                raise TetrastatError(f"{self.place}: {_one_line(error)}") from error
        self.root = self.root.rstrip("/")

    def _remote(self, operation: str, *arguments: Any, **options: Any) -> Any:
        """Calls a function of the file system. Its many kinds of exceptions become one clear error."""
        try:
            return getattr(self._fs, operation)(*arguments, **options)
        except (FileNotFoundError, NotADirectoryError):
            raise
        except Exception as error:
            raise TetrastatError(
                f"{self.place}: {_one_line(error)}: check the object store, then make the same call again, which keeps finished tasks"
            ) from None

    def beside(self, ending: str) -> Store:
        """Returns the folder with ``ending`` appended to its name."""
        other = object.__new__(Store)
        other.place, other._fs, other.root = self.place + ending, self._fs, self.root + ending
        return other

    @property
    def folder(self) -> Path | None:
        """Path of the folder, or None for a URL."""
        return Path(self.root) if self._fs is None else None

    def read(self, name: str) -> bytes | None:
        """Returns the content of a file, or None if there is no such file."""
        path = f"{self.root}/{name}"
        try:
            if self._fs is None:
                return Path(path).read_bytes()
            # Listings that another process has made stale are not used.
            self._fs.invalidate_cache()
            content: bytes = self._remote("cat_file", path)
            return content
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write(self, name: str, content: bytes) -> None:
        """Writes a file."""
        path = f"{self.root}/{name}"
        if self._fs is None:
            _write(Path(path), content)
        else:
            self._remote("makedirs", os.path.dirname(path), exist_ok=True)
            self._remote("pipe_file", path, content)

    def put(self, file: Path, name: str) -> None:
        """Moves a file of this machine to the folder."""
        path = f"{self.root}/{name}"
        if self._fs is None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            _move(file, Path(path))
        else:
            self._remote("makedirs", os.path.dirname(path), exist_ok=True)
            self._remote("put_file", str(file), path)

    def put_folder(self, folder: Path, name: str) -> None:
        """Moves the folder of a run. Its manifest arrives last, so that `finished` lists only complete folders."""
        if self._fs is None:
            target = Path(self.root, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
            _move(folder, target)
        else:
            for file in sorted(folder.iterdir(), key=lambda file: (file.name == MANIFEST, file.name)):
                self.put(file, f"{name}/{file.name}")

    def finished(self) -> set[str]:
        """Returns the names of the complete folders of runs in this folder."""
        if self._fs is None:
            found = (str(path) for path in Path(self.root).glob(f"*/{MANIFEST}"))
        else:
            self._fs.invalidate_cache()
            found = self._remote("glob", f"{self.root}/*/{MANIFEST}")
        # Folders whose names begin with a dot are being written.
        names = {path.split("/")[-2] if self._fs is not None else Path(path).parent.name for path in found}
        return {name for name in names if not name.startswith(".")}

    def fetch(self, name: str, scratch: Path) -> Path:
        """Returns the file or folder ``name`` on this machine: itself, or a copy in ``scratch``."""
        if self._fs is None:
            return Path(self.root, name)
        target, partial = scratch / name, scratch / f".{uuid.uuid4().hex}.partial"
        target.parent.mkdir(parents=True, exist_ok=True)
        self._remote("get", f"{self.root}/{name}", str(partial), recursive=True)
        partial.replace(target)
        return target

    def names(self, folder: str = "") -> list[str]:
        """Returns the names of the files and folders here, or in a folder here. There are none in a folder that does not exist."""
        root = f"{self.root}/{folder}".rstrip("/")
        try:
            found = os.listdir(root) if self._fs is None else self._remote("ls", root, detail=False)
        except (FileNotFoundError, NotADirectoryError):
            return []
        return sorted(name for path in found if (name := path.rstrip("/").rsplit("/", 1)[-1]))

    def data(self, name: str) -> Any:
        """Returns a Parquet file, or a folder of parts, as a ``pyarrow.dataset.Dataset``, which reads what a query needs."""
        from pyarrow import dataset

        return dataset.dataset(f"{self.root}/{name}", format="parquet", filesystem=self._fs)

    def remove(self) -> None:
        """Removes the folder with its content."""
        if self._fs is None:
            shutil.rmtree(self.root, ignore_errors=True)
        elif self._remote("exists", self.root):
            # Another process may remove the folder meanwhile.
            with suppress(FileNotFoundError):
                self._remote("rm", self.root, recursive=True)


def _one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.partial")
    partial.write_bytes(content)
    partial.replace(path)


def _move(source: Path, target: Path) -> None:
    """Renames a file or folder. Between file systems it is copied under a temporary name first."""
    try:
        source.replace(target)
    except OSError:
        if not source.exists():
            raise
        partial = target.with_name(f".{target.name}.{uuid.uuid4().hex}.partial")
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, partial)
        partial.replace(target)
