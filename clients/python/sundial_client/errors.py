"""The errors of the client. Each is a SundialError."""
import datetime
import email.utils
import json
from typing import Any, List, Mapping, Optional, cast

from .schema import FieldError, Problem, ProblemCode


class SundialError(Exception):
    """Base of all errors that this package raises."""

    #: For programs: VALIDATION_FAILED, LEASE_LOST, … None if no problem document came.
    code: Optional[ProblemCode] = None
    #: Whether the same request may succeed later.
    retryable: bool = False
    #: Finds the request in the server's log; empty if none was sent.
    request_id: str = ""


class TransportError(SundialError):
    """No usable answer came: the server could not be reached, the connection broke, or the time was up.

    `sent` is False if the server cannot have seen the request.
    """

    retryable = True

    def __init__(self, message: str, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class Stopped(SundialError):
    """The caller stopped the request."""


class ApiError(SundialError):
    """The server refused the request. `code` says why; /docs/errors of a running server explains each code."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        #: The whole problem document; empty if the answer has none, as from a proxy.
        self.problem: Problem = _problem(headers, body)
        self.code = self.problem.get("code")
        #: For people: the object, the cause, the remedy.
        self.detail: str = self.problem.get("detail") or body[:200].decode("utf-8", "replace")
        self.retryable = self.problem.get("retryable", status in (429, 502, 503, 504))
        #: Seconds until the request is worth repeating, if the server says so.
        self.retry_after: Optional[float] = _retry_after(headers)
        #: The invalid fields of VALIDATION_FAILED.
        self.errors: List[FieldError] = self.problem.get("errors", [])
        self.request_id = self.problem.get("correlationId") or headers.get("x-request-id") or ""
        fields = "".join(f"; {one['pointer']}: {one['message']}" for one in self.errors)
        request = f" [{self.request_id}]" if self.request_id else ""
        super().__init__(f"{self.code or 'HTTP'} ({status}): {self.detail}{fields}{request}")


def _problem(headers: Mapping[str, str], body: bytes) -> Problem:
    if headers.get("content-type", "").split(";")[0].strip() == "application/problem+json":
        try:
            found: Any = json.loads(body)
            if isinstance(found, dict):
                return cast(Problem, found)
        except ValueError:
            pass
    return cast(Problem, {})


def _retry_after(headers: Mapping[str, str]) -> Optional[float]:
    """Seconds, from a number or from a date."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text[:10])
    try:
        at = email.utils.parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, (at - datetime.datetime.now(datetime.timezone.utc)).total_seconds())
