"""Connection to Ray."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from .._tetrastat import TetrastatError
from ._pool import Pool, as_driver

# Seconds until a head node that does not answer counts as absent.
CONNECT_WITHIN = 5.0


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
def connected(address: str | None, max_retries: int) -> Iterator[RayPool]:
    """Connects to a cluster and yields its cores. A connection that existed before stays open."""
    ray = _ray()
    connects = not ray.is_initialized()
    if connects:
        # Ray counts workers that it killed for lack of memory apart, and would start their tasks again for ever.
        os.environ.setdefault("RAY_task_oom_retries", str(max_retries))
        _check_address(address)
        ray.init(address=address, log_to_driver=False, logging_level="WARNING")
    try:
        yield RayPool(ray, max_retries)
    finally:
        if connects:
            ray.shutdown()


class RayPool(Pool):
    """Cores of a Ray cluster. Ray starts a task again if its worker or its node is lost, at most ``max_retries`` times."""

    def __init__(self, ray: ModuleType, max_retries: int) -> None:
        super().__init__()
        self._ray = ray
        self._options = {"num_cpus": 1, "max_retries": max_retries, "scheduling_strategy": "SPREAD"}
        self._tasks: dict[str, Any] = {}
        self._references: dict[Future[Any], Any] = {}

    def cores(self) -> int:
        """Asks Ray for its current number of cores."""
        return int(self._ray.cluster_resources().get("CPU", 1))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Starts a task that calls a function `as_driver`."""
        name = function.__name__
        if name not in self._tasks:
            self._tasks[name] = self._ray.remote(**self._options, name=name)(as_driver)
        reference = self._tasks[name].remote(*self._driver, function, *arguments)
        future: Future[Any] = reference.future()
        # Ray forgets a task whose reference is gone.
        self._references[future] = reference
        future.add_done_callback(self._references.pop)
        return future

    def cancel(self, future: Future[Any]) -> None:
        """Stops a task, with its worker if it runs."""
        reference = self._references.get(future)
        if reference is not None:
            self._ray.cancel(reference, force=True)

    def is_lost(self, error: BaseException) -> bool:
        """Returns True if the task lost its workers or nodes more than ``max_retries`` times."""
        errors = self._ray.exceptions
        return isinstance(error, errors.RayError) and not isinstance(error, errors.RayTaskError)
