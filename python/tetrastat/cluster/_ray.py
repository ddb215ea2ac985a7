"""Connection to Ray: starts tasks and collects their results."""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any, TypeVar

from .._tetrastat import TetrastatError, record_command

Name = TypeVar("Name")

# Number of tasks in flight per core: one that runs, and one that is ready when the core becomes free.
IN_FLIGHT = 2
# Minimum number of tasks in flight, so that a cluster which starts nodes on demand sees the demand.
LEAST_IN_FLIGHT = 64
# Seconds for which a count of the cluster's cores is cached.
COUNT_FOR = 1.0
# Seconds until a head node that does not answer counts as absent.
CONNECT_WITHIN = 5.0
# Seconds between two progress lines.
TELL_EVERY = 10.0

_log = logging.getLogger("tetrastat.cluster")


def _ray() -> ModuleType:
    # Ray reads the variable when it is imported. The value 0 turns off usage reports to its makers.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        raise TetrastatError("Ray is not installed: pip install 'ray>=2.40'") from error
    found: ModuleType = ray
    return found


def _check_address(address: str | None) -> None:
    """Raises an error if nothing listens at HOST:PORT; Ray itself would wait for more than a minute."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not (colon and port.isdigit()):
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_WITHIN).close()
    except OSError as error:
        raise TetrastatError(f"no Ray answers at {address} ({error}): start it with `ray start --head`") from error


@contextmanager
def pool(address: str | None) -> Iterator[Pool]:
    """Connects to a cluster and yields its cores. A connection that existed before stays open."""
    ray = _ray()
    connects = not ray.is_initialized()
    if connects:
        _check_address(address)
        ray.init(address=address, log_to_driver=False, logging_level="WARNING")
    try:
        yield Pool(ray)
    finally:
        if connects:
            ray.shutdown()


def _as_driver(folder: str, command: list[str], function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function as on the driver.

    The function runs in the driver's folder if this node has it, so that relative paths work. Manifests record the driver's
    command.
    """
    if os.path.isdir(folder):
        os.chdir(folder)
    record_command(command)
    return function(*arguments)


class Pool:
    """Cores of a cluster. A task uses one core; Ray restarts it if its worker or its node is lost."""

    def __init__(self, ray: ModuleType) -> None:
        self._ray = ray
        self._counted = (-COUNT_FOR, 1)

    @property
    def count(self) -> int:
        """Current number of cores, at least 1."""
        now = time.monotonic()
        if now - self._counted[0] >= COUNT_FOR:
            self._counted = (now, max(1, int(self._ray.cluster_resources().get("CPU", 1))))
        return self._counted[1]

    def _task(self, function: Callable[..., Any]) -> Callable[..., Any]:
        options = {"num_cpus": 1, "max_retries": -1, "scheduling_strategy": "SPREAD", "name": function.__name__}
        task, driver = self._ray.remote(**options)(_as_driver), (os.getcwd(), list(sys.orig_argv))
        return lambda *arguments: task.remote(*driver, function, *arguments)

    def all(self, function: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> list[Any]:
        """Runs a task for each tuple of arguments and returns the results in the same order."""
        task = self._task(function)
        results: list[Any] = self._ray.get([task(*arguments) for arguments in tasks])
        return results

    def each(self, function: Callable[..., Any], tasks: Mapping[Name, tuple[Any, ...]]) -> Iterator[tuple[Name, Any]]:
        """Runs tasks, logs progress, and yields the name and the result of each task when it ends."""
        done, began, logged = 0, time.monotonic(), 0.0
        _log.info("%d tasks on %d cores", len(tasks), self.count)
        for found in self.endless(function, iter(tasks.items())):
            done, now = done + 1, time.monotonic()
            if now - logged >= TELL_EVERY or done == len(tasks):
                logged = now
                rest = (now - began) / done * (len(tasks) - done)
                _log.info("%d of %d tasks done, %d cores, about %.0f s left", done, len(tasks), self.count, rest)
            yield found

    def endless(
        self, function: Callable[..., Any], tasks: Iterable[tuple[Name, tuple[Any, ...]]]
    ) -> Iterator[tuple[Name, Any]]:
        """Runs tasks from an iterator without an end. Tasks in flight are cancelled when the caller stops."""
        ray, task, tasks = self._ray, self._task(function), iter(tasks)
        flying: dict[Any, Name] = {}
        try:
            while True:
                # Nodes come and go, so the cores are counted again in each turn.
                most = max(IN_FLIGHT * self.count, LEAST_IN_FLIGHT)
                while len(flying) < most and (following := next(tasks, None)) is not None:
                    name, arguments = following
                    flying[task(*arguments)] = name
                if not flying:
                    return
                ended, _ = ray.wait(list(flying), num_returns=1)
                for reference in ended:
                    yield flying.pop(reference), ray.get(reference)
        finally:
            for reference in flying:
                ray.cancel(reference, force=True)
