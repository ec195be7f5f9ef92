"""A worker for the events of a PULL endpoint: claims, extends leases, reports, and stops without losing an event."""
import logging
import os
import queue
import signal
import socket
import threading
import time
import uuid
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import schema as s
from .client import Sundial, backoff, duration
from .errors import ApiError, Stopped, TransportError
from .transport import Stop

log = logging.getLogger("sundial_client")

# Claims that the server refuses for the moment are repeated at most this seldom.
LONGEST_PAUSE = 30.0
# A report is repeated while the server is away, but not longer than this. After that the end of the lease decides.
LONGEST_REPORT = 900.0


Claim = Tuple[str, int]


class Fail(Exception):
    """Raise it in a handler: the attempt failed. With retry=False the event is FAILED at once, a dead letter."""

    def __init__(self, reason: str, *, retry: bool = True) -> None:
        super().__init__(reason)
        self.reason, self.retry = reason, retry


class Release(Exception):
    """Raise it in a handler: the event goes back, and another worker may claim it at once. The attempt does not count."""


class Job:
    """One claimed event, in the hands of a handler."""

    def __init__(self, worker: "Worker", event: s.Event, lease_ends: float) -> None:
        #: The event as it was claimed. Its `idempotencyKey` is the same for all attempts.
        self.event = event
        #: Set when the lease has expired or another worker has the event. The work should stop; its report is void.
        self.lost = threading.Event()
        self._worker = worker
        self._claim: Claim = (event["id"], event["version"])
        self._lease_ends = lease_ends

    @property
    def payload(self) -> Any:
        """The `deliveryPayload` of the event."""
        return self.event["deliveryPayload"]

    @property
    def stopping(self) -> bool:
        """Whether the worker has been asked to stop. A long handler may raise Release."""
        return self._worker.stopping


class Worker:
    """Hands the events of a PULL endpoint to `handle`, up to `concurrency` at a time, each in a thread.

    A handler that returns completes the event. One that raises makes the attempt fail (Fail, Release and other
    exceptions). While it works, the lease is extended every third of `lease` seconds. `run()` returns after `stop()`.
    """

    def __init__(self, client: Sundial, endpoint: str, handle: Callable[[Job], object], *, concurrency: int = 4,
                 lease: int = 30, wait: int = 20, name: Optional[str] = None) -> None:
        if not 1 <= concurrency <= 100:
            raise ValueError("concurrency must be from 1 to 100")
        if lease < 3:
            raise ValueError("lease must be at least 3 seconds: it is extended after each third")
        self.endpoint = endpoint
        #: New at each start, so that a restarted worker is not taken for the one that died.
        self.name = name or f"{socket.gethostname()[:48]}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._client, self._handle = client, handle
        self._concurrency, self._lease, self._wait = concurrency, lease, wait
        self._stop = Stop()
        self._grace: Optional[float] = None
        self._lock = threading.Lock()
        self._free = threading.Condition(self._lock)
        # By event and version: after a lost lease the same event may come again while its first handler works.
        self._jobs: Dict[Claim, Job] = {}
        self._queue: "queue.SimpleQueue[Optional[Job]]" = queue.SimpleQueue()
        self._ended = threading.Event()

    @property
    def stopping(self) -> bool:
        """Whether stop() has been called."""
        return self._stop.stopped()

    def stop(self, grace: Optional[float] = None) -> None:
        """Claims nothing more; events in hand are finished and reported. Returns at once. After `grace` seconds run()
        returns without waiting for the rest: their leases end, and other workers get them. Thread-safe; not for signal
        handlers, which stop_on_signals() is for."""
        with self._lock:
            if grace is not None:
                self._grace = time.monotonic() + grace
            self._free.notify_all()
        self._stop.stop()

    def stop_on_signals(self, *signals: int, grace: Optional[float] = None) -> None:
        """Stops softly on SIGTERM and SIGINT, or on `signals`. Call it in the main thread."""
        def begin(*_: object) -> None:
            # A thread of its own: the interrupted code may hold the locks that stop() takes.
            threading.Thread(target=self.stop, args=(grace,), daemon=True).start()

        for one in signals or (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, begin)

    def run(self) -> List[s.Event]:
        """Works until stop(). Returns the events that were not finished within its grace: usually none.

        Raises ApiError if the server will never let this worker claim: wrong key, no such endpoint, wrong type.
        """
        threads = [threading.Thread(target=self._work, name=f"sundial-worker-{number}", daemon=True) for number in range(self._concurrency)]
        threads.append(threading.Thread(target=self._extend_leases, name="sundial-leases", daemon=True))
        for thread in threads:
            thread.start()
        try:
            self._claim()
        except Stopped:
            pass
        finally:
            self._stop.stop()
            with self._free:
                while self._jobs and (self._grace is None or time.monotonic() < self._grace):
                    self._free.wait(1.0 if self._grace is None else min(1.0, max(0.0, self._grace - time.monotonic())))
                rest = list(self._jobs.values())
            self._ended.set()
            for _ in range(self._concurrency):
                self._queue.put(None)
        for job in rest:
            job.lost.set()
        return [job.event for job in rest]

    def _claim(self) -> None:
        failures = 0
        while True:
            with self._free:
                while len(self._jobs) >= self._concurrency and not self.stopping:
                    self._free.wait(1.0)
                limit = self._concurrency - len(self._jobs)
            if self.stopping:
                return
            asked_at = time.monotonic()
            try:
                work = self._client.endpoints.claim(self.endpoint, {
                    "worker": self.name, "limit": limit, "lease": duration(self._lease), "wait": duration(self._wait)}, stop=self._stop)
            except (ApiError, TransportError) as error:
                if isinstance(error, ApiError) and not error.retryable and error.code != "ENDPOINT_DISABLED":
                    raise
                failures += 1
                log.warning("claim from %s: %s", self.endpoint, error)
                pause = LONGEST_PAUSE if isinstance(error, ApiError) and error.code == "ENDPOINT_DISABLED" else backoff(failures)
                self._stop.sleep(pause)
                continue
            failures = 0
            # Instants of the server's clock are not comparable with ours, so the end of the lease is counted here: from the
            # request if the answer came at once, else from the answer, less a tenth for its way.
            lease_ends = max(asked_at + self._lease, time.monotonic() + 0.9 * self._lease)
            for event in work["data"]:
                job = Job(self, event, lease_ends)
                with self._lock:
                    self._jobs[job._claim] = job
                self._queue.put(job)

    def _work(self) -> None:
        while True:
            job = self._queue.get()
            if job is None:
                return
            try:
                self._run_one(job)
            except Exception:  # of the report: the lease ends, and the next worker gets the event
                log.exception("event %s", job.event["id"])
            finally:
                with self._free:
                    self._jobs.pop(job._claim, None)
                    self._free.notify_all()

    def _run_one(self, job: Job) -> None:
        ident, version = job.event["id"], job.event["version"]
        try:
            self._handle(job)
        except Release:
            self._report(job, lambda client: client.events.release(ident, version))
        except Fail as failure:
            body: s.FailEvent = {"version": version, "reason": failure.reason[:1000], "retry": failure.retry}
            self._report(job, lambda client: client.events.fail(ident, body))
        except BaseException as error:
            log.warning("event %s: the handler raised", ident, exc_info=True)
            failed: s.FailEvent = {"version": version, "reason": f"{type(error).__name__}: {error}"[:1000]}
            self._report(job, lambda client: client.events.fail(ident, failed))
        else:
            self._report(job, lambda client: client.events.complete(ident, version))

    def _report(self, job: Job, send: Callable[[Sundial], object]) -> None:
        """Reports until the server has heard it: a repeated report does no harm."""
        end, failures = time.monotonic() + LONGEST_REPORT, 0
        while True:
            try:
                send(self._client)
                return
            except (ApiError, TransportError) as error:
                if isinstance(error, ApiError) and error.code == "LEASE_LOST":
                    job.lost.set()
                    log.warning("event %s: %s", job.event["id"], error)
                    return
                if isinstance(error, ApiError) and not error.retryable:
                    raise
                if time.monotonic() > end or self._ended.is_set():
                    raise
                failures += 1
                log.warning("event %s: the report is repeated: %s", job.event["id"], error)
                self._ended.wait(backoff(failures))

    def _extend_leases(self) -> None:
        """Extends the lease of every event in hand at a third of it, and notices the ones that have expired."""
        client = self._client.with_options(timeout=max(1.0, self._lease / 3), max_retries=0)
        due: Dict[Claim, float] = {}
        while not self._ended.wait(min(1.0, self._lease / 10)):
            with self._lock:
                jobs = list(self._jobs.values())
            now = time.monotonic()
            due = {job._claim: due.get(job._claim, now + self._lease / 3) for job in jobs}
            for job in jobs:
                ident, version = job._claim
                if job.lost.is_set():
                    continue
                sent_at = time.monotonic()
                if sent_at >= job._lease_ends:
                    log.warning("event %s: its lease has expired, because the server could not be reached", ident)
                    job.lost.set()
                elif sent_at >= due[job._claim]:
                    try:
                        client.events.extend(ident, {"version": version, "lease": duration(self._lease)})
                        job._lease_ends = sent_at + self._lease  # from the request on, not from its answer
                        due[job._claim] = sent_at + self._lease / 3
                    except ApiError as error:
                        if error.code in ("LEASE_LOST", "EVENT_NOT_FOUND"):
                            with self._lock:
                                still = job._claim in self._jobs  # else it was reported meanwhile
                            if still:
                                log.warning("event %s: %s", ident, error)
                                job.lost.set()
                        else:
                            due[job._claim] = sent_at + 1.0
                    except TransportError:
                        break  # the others would wait in vain too; again in a moment
