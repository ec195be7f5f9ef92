"""Changes as they happen: typed messages from server-sent events, over any number of connections."""
import codecs
import json
import re
import time
from typing import Any, Callable, Dict, Generator, Iterator, List, Literal, Mapping, NamedTuple, Optional, TypedDict, Union, cast

from . import schema as s
from .client import LONGEST_BACKOFF, backoff
from .errors import ApiError, Stopped, SundialError, TransportError
from .transport import Stop


class LiveObject(TypedDict):
    """An object that has changed, and the names of the members that were given or changed: read it for their values."""
    id: str
    version: int
    fields: List[str]


class LiveChange(TypedDict):
    """A user, schedule, endpoint or API key was created, changed or deleted."""
    type: Literal["users.created", "users.changed", "users.deleted", "schedules.created", "schedules.changed", "schedules.deleted",
                  "endpoints.created", "endpoints.changed", "endpoints.deleted", "keys.created", "keys.changed", "keys.deleted"]
    # In the feed, for `after`.
    position: int
    data: LiveObject


class LiveStats(TypedDict):
    """The counters, once a second."""
    type: Literal["stats"]
    data: s.Stats


class LiveEvent(TypedDict):
    """An event, an attempt at which has ended."""
    id: str
    status: Literal["PROCESSING", "COMPLETED", "FAILED"]
    eventType: str


class LiveEventList(TypedDict):
    """Events. `more`: there were others."""
    events: List[LiveEvent]
    more: bool


class LiveEvents(TypedDict):
    """Attempts at events have ended in the last second."""
    type: Literal["events.changed"]
    data: LiveEventList


class LiveInstance(TypedDict):
    """A process that serves the database."""
    id: str
    draining: bool


class LiveInstanceList(TypedDict):
    """All instances."""
    instances: List[LiveInstance]


class LiveInstances(TypedDict):
    """The list of instances has changed."""
    type: Literal["instances.changed"]
    data: LiveInstanceList


class LiveOperationList(TypedDict):
    """The latest operations."""
    operations: List[s.Operation]


class LiveOperations(TypedDict):
    """The latest operations. One of them is new or has changed."""
    type: Literal["operations.changed"]
    data: LiveOperationList


class LiveReset(TypedDict):
    """Too much has happened since the last change that was received: read again what you show."""
    type: Literal["reset"]
    position: int


class LiveOpened(TypedDict):
    """The stream is open, for the first time or again. Topics whose messages have no position may have missed some until now."""
    type: Literal["opened"]


class LiveClosed(TypedDict):
    """The stream has ended, or could not be opened: `error` says why, if anything failed. It is opened again by itself."""
    type: Literal["closed"]
    error: Optional[SundialError]


#: A message of `system.live()`. `type` tells which one it is.
LiveMessage = Union[LiveChange, LiveStats, LiveEvents, LiveInstances, LiveOperations, LiveReset, LiveOpened, LiveClosed]

CHANGE = re.compile(r"(users|schedules|endpoints|keys)\.(created|changed|deleted)")
WITHOUT_POSITION = {"stats", "events.changed", "instances.changed", "operations.changed"}


def follow(open_stream: Callable[[Mapping[str, str]], Generator[bytes, None, None]], after: Optional[int],
           stop: Optional[Stop]) -> Iterator[LiveMessage]:
    """Yields messages. `open_stream` opens the stream once, with the given headers. Raises errors that do not pass."""
    position, failures = after, 0
    while stop is None or not stop.stopped():
        began = time.monotonic()
        error: Union[ApiError, TransportError, None] = None
        pieces = open_stream({} if position is None else {"Last-Event-ID": str(position)})
        try:
            parser, first = EventStreamParser(), True
            for piece in pieces:
                if first:
                    yield {"type": "opened"}  # the server sends something at once
                    first = False
                for one in parser.read(piece):
                    if stop is not None and stop.stopped():
                        return
                    position = position if one.id is None else int(one.id)
                    message = message_of(one)
                    if message is not None:
                        yield message
        except Stopped:
            return
        except (ApiError, TransportError) as failure:
            if isinstance(failure, ApiError) and not failure.retryable:
                raise
            error = failure
        finally:
            pieces.close()  # if the caller has left the loop
        if stop is not None and stop.stopped():
            return
        yield {"type": "closed", "error": error}
        failures = 1 if time.monotonic() - began > LONGEST_BACKOFF else failures + 1
        delay = backoff(failures) + (error.retry_after or 0.0 if isinstance(error, ApiError) else 0.0)
        if stop is None:
            time.sleep(delay)
        elif stop.wait(delay):
            return


class Sent(NamedTuple):
    """One event of a stream of server-sent events. It has no data if it only moves the id."""

    event: str
    data: Optional[str]
    id: Optional[str]


def message_of(sent: Sent) -> Optional[LiveMessage]:
    """None for one without data, and for types that only newer servers send."""
    if sent.data is None:
        return None
    if sent.event == "reset":
        return {"type": "reset", "position": int(sent.id or 0)}
    change = CHANGE.fullmatch(sent.event) is not None
    if not change and sent.event not in WITHOUT_POSITION:
        return None
    try:
        message: Dict[str, Any] = {"type": sent.event, "data": json.loads(sent.data)}
    except ValueError as error:
        raise TransportError(f"followLive: the data of {sent.event} is not JSON") from error
    if change:
        message["position"] = int(sent.id or 0)
    return cast(LiveMessage, message)


class EventStreamParser:
    """Parses server-sent events as the HTML standard does. An event is complete at its empty line; one that is cut is left out."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._rest, self._event, self._id = "", "", cast(Optional[str], None)
        self._data: List[str] = []

    def read(self, piece: bytes) -> Iterator[Sent]:
        """The events that are complete with this piece."""
        # A line ends with CR LF, LF or CR. After a CR at the end of the text an LF may follow.
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!\Z)", self._rest + self._decode(piece))
        for line in lines:
            if line:
                self._field(line)
                continue
            sent = Sent(self._event, "\n".join(self._data) if self._data else None, self._id)
            self._event, self._data = "", []
            yield sent

    def _field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
