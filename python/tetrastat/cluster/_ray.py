"""Ray, as far as it is needed: connecting, handing out tasks, taking what they return."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar

from .._tetrastat import TetrastatError

Name = TypeVar("Name")

# Tasks in flight for each core: one that is played, and one that a core finds when it is free.
IN_FLIGHT = 2


def _ray() -> ModuleType:
    # Read when Ray is imported. Nothing is told to its makers.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise TetrastatError("Ray is not installed: pip install 'tetrastat[ray]'") from error
    return ray


@contextmanager
def pool(address: str | None) -> Iterator[Pool]:
    """The cores of a cluster; one that was connected before stays so."""
    ray = _ray()
    connects = not ray.is_initialized()
    if connects:
        ray.init(address=address, log_to_driver=False, logging_level="WARNING")
    try:
        yield Pool(ray)
    finally:
        if connects:
            ray.shutdown()


class Pool:
    """Cores of a cluster. A task has one; Ray starts it again wherever its worker or its node is lost."""

    def __init__(self, ray: ModuleType) -> None:
        self._ray = ray

    @property
    def count(self) -> int:
        """Cores that are there now, at least 1."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def _task(self, function: Callable[..., Any]) -> Any:
        return self._ray.remote(num_cpus=1, max_retries=-1, scheduling_strategy="SPREAD")(function)

    def all(self, function: Callable[..., Any], tasks: list[tuple]) -> list[Any]:
        """What tasks with these arguments return, in order."""
        task = self._task(function)
        return self._ray.get([task.remote(*arguments) for arguments in tasks])

    def each(self, function: Callable[..., Any], tasks: dict[Name, tuple]) -> Iterator[tuple[Name, Any]]:
        """Names of tasks and what they return, as they end."""
        return self.endless(function, iter(tasks.items()))

    def endless(self, function: Callable[..., Any], tasks: Iterable[tuple[Name, tuple]]) -> Iterator[tuple[Name, Any]]:
        """The same for tasks that come one by one; those in flight are cancelled when nobody takes any more."""
        ray, task, tasks, flying = self._ray, self._task(function), iter(tasks), {}
        try:
            while True:
                while len(flying) < IN_FLIGHT * self.count and (following := next(tasks, None)) is not None:
                    name, arguments = following
                    flying[task.remote(*arguments)] = name
                if not flying:
                    return
                ended, _ = ray.wait(list(flying), num_returns=1)
                for reference in ended:
                    yield flying.pop(reference), ray.get(reference)
        finally:
            for reference in flying:
                ray.cancel(reference, force=True)
