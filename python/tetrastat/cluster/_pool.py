"""Cores of a cluster: starts tasks, collects their results, and reports progress. Ray, Dask and executors provide them."""

from __future__ import annotations

import logging
import os
import queue
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from typing import Any, TypeVar

from .._progress import ProgressBar
from .._tetrastat import TetrastatError, record_command

Name = TypeVar("Name")

# Number of tasks in flight per core: one that runs, and one that is ready when the core becomes free.
IN_FLIGHT = 2
# Minimum number of tasks in flight, so that a cluster which starts nodes on demand sees the demand.
LEAST_IN_FLIGHT = 64
# Seconds for which a count of the cluster's cores is cached.
COUNT_FOR = 1.0
# Seconds between two progress lines.
TELL_EVERY = 10.0

_log = logging.getLogger("tetrastat.cluster")


def as_driver(folder: str, command: list[str], function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls a function as on the driver.

    The function runs in the driver's folder if this node has it, so that relative paths work. Manifests record the driver's
    command.
    """
    if os.path.isdir(folder):
        os.chdir(folder)
    record_command(command)
    return function(*arguments)


class Pool(ABC):
    """Cores of a cluster. A task uses one core."""

    def __init__(self) -> None:
        self._counted = (-COUNT_FOR, 1)
        #: First arguments of `as_driver`.
        self._driver = (os.getcwd(), list(sys.orig_argv))

    @abstractmethod
    def cores(self) -> int:
        """Asks the cluster for its current number of cores."""

    @abstractmethod
    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Starts a task that calls a function `as_driver`."""

    def cancel(self, future: Future[Any]) -> None:
        """Stops a task whose result is not needed any more, as far as possible."""
        future.cancel()

    def is_lost(self, error: BaseException) -> bool:
        """Returns True if an error says that a task lost its workers, and is not an error of the task."""
        return isinstance(error, BrokenExecutor)

    @property
    def count(self) -> int:
        """Current number of cores, at least 1."""
        now = time.monotonic()
        if now - self._counted[0] >= COUNT_FOR:
            self._counted = (now, max(1, self.cores()))
        return self._counted[1]

    def _result(self, name: object, future: Future[Any]) -> Any:
        """Returns the result of a task, or raises an error that names the task if its workers were lost."""
        try:
            return future.result()
        except Exception as error:
            if not self.is_lost(error):
                raise
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise TetrastatError(
                f"{name}: each worker that played it was lost ({reason}): see if it needs more memory than a worker has; "
                "what was finished is kept, and the same call plays the rest"
            ) from error

    def all(self, function: Callable[..., Any], tasks: list[tuple[Any, ...]]) -> list[Any]:
        """Runs a task for each tuple of arguments and returns the results in the same order."""
        futures = [self.submit(function, *arguments) for arguments in tasks]
        done = 0
        try:
            results = []
            for future in futures:
                results.append(self._result(f"task {done + 1} of {len(tasks)}", future))
                done += 1
            return results
        finally:
            for future in futures[done:]:
                self.cancel(future)

    def each(
        self, function: Callable[..., Any], tasks: Mapping[Name, tuple[Any, ...]], *, progress: bool = False
    ) -> Iterator[tuple[Name, Any]]:
        """Runs tasks, reports progress, and yields the name and the result of each task when it ends."""
        done, began, logged = 0, time.monotonic(), 0.0
        _log.info("%d tasks on %d cores", len(tasks), self.count)
        with ProgressBar(progress) as bar:
            for found in self.endless(function, iter(tasks.items())):
                done, now = done + 1, time.monotonic()
                rest = (now - began) / done * (len(tasks) - done)
                bar(done / len(tasks), f"{done} of {len(tasks)} tasks, {self.count} cores")
                if now - logged >= TELL_EVERY or done == len(tasks):
                    logged = now
                    _log.info("%d of %d tasks done, %d cores, about %.0f s left", done, len(tasks), self.count, rest)
                yield found

    def endless(
        self, function: Callable[..., Any], tasks: Iterable[tuple[Name, tuple[Any, ...]]]
    ) -> Iterator[tuple[Name, Any]]:
        """Runs tasks from an iterator without an end. Tasks in flight are cancelled when the caller stops."""
        tasks = iter(tasks)
        flying: dict[Future[Any], Name] = {}
        ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
        try:
            while True:
                # Nodes come and go, so the cores are counted again in each turn.
                most = max(IN_FLIGHT * self.count, LEAST_IN_FLIGHT)
                while len(flying) < most and (following := next(tasks, None)) is not None:
                    name, arguments = following
                    future = self.submit(function, *arguments)
                    flying[future] = name
                    future.add_done_callback(ended.put)
                if not flying:
                    return
                future = ended.get()
                name = flying.pop(future)
                yield name, self._result(name, future)
        finally:
            for future in flying:
                self.cancel(future)


class ExecutorPool(Pool):
    """Cores of a `concurrent.futures.Executor`, or of a Dask client, which has such an executor."""

    def __init__(self, client: Any) -> None:
        super().__init__()
        self._client = None if isinstance(client, Executor) else client
        # Dask would take two equal calls for one task if they were pure.
        self._executor: Any = client if self._client is None else client.get_executor(pure=False)

    def cores(self) -> int:
        """Asks the client for its current number of threads."""
        if self._client is not None:
            return sum(self._client.nthreads().values())
        return int(getattr(self._executor, "_max_workers", 1))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Starts a task that calls a function `as_driver`."""
        future: Future[Any] = self._executor.submit(as_driver, *self._driver, function, *arguments)
        return future

    def is_lost(self, error: BaseException) -> bool:
        """Returns True if a task lost its workers. Dask starts it again some times before it says so."""
        return super().is_lost(error) or type(error).__name__ == "KilledWorker"


@contextmanager
def pool(address: str | None, client: Any = None, max_retries: int = 3) -> Iterator[Pool]:
    """Yields the cores of a client, or those of the Ray cluster at an address."""
    if client is not None:
        if not (isinstance(client, Executor) or hasattr(client, "get_executor")):
            raise TypeError(f"client: give a Dask client or a concurrent.futures.Executor, not a {type(client).__name__}")
        yield ExecutorPool(client)
        return
    from ._ray import connected

    with connected(address, max_retries) as cores:
        yield cores
