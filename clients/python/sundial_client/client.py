"""The client: every operation of the API, with retries, idempotency keys and pages."""
import copy
import json
import random
import re
import ssl
import time
import urllib.parse
import uuid
from typing import TYPE_CHECKING, Any, Callable, Dict, Generator, Generic, Iterator, Mapping, Optional, TypeVar, Union, cast, overload

from . import schema as s
from .errors import ApiError, Stopped, SundialError, TransportError
from .transport import Reply, Stop, Transport

if TYPE_CHECKING:
    from .live import LiveMessage
    from .worker import Job, Worker

Item = TypeVar("Item")
Page = TypeVar("Page", bound=Mapping[str, Any])

# Delays between tries grow from the first to the longest. A server that wants more than MAX_RETRY_AFTER is not waited for.
FIRST_BACKOFF, LONGEST_BACKOFF, MAX_RETRY_AFTER = 0.2, 10.0, 60.0
# A stream of events that is silent for longer is broken: the server sends a comment each 15 seconds.
LONGEST_SILENCE = 45.0

# Repeating these has no second effect, so they need no key: a report names the version that its claim returned.
REPEATABLE = {"completeEvent", "failEvent", "releaseEvent", "extendEvent", "previewSchedule"}
# Answers to requests that the server has not begun, or has undone.
NOTHING_DONE = {"RATE_LIMITED", "TOO_EARLY", "NOT_READY", "OVERLOADED", "DRAINING", "STORAGE_UNAVAILABLE"}


def backoff(attempt: int) -> float:
    """The delay after try `attempt` (from 1): random, so that clients do not return together."""
    return random.uniform(0.5, 1.0) * float(min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** min(attempt - 1, 20)))


def duration(seconds: float) -> str:
    """A number of whole seconds as the API takes it: 90 becomes PT90S."""
    return f"PT{int(seconds)}S"


def seconds_of(text: str) -> float:
    """PT1M30S becomes 90. 0 for texts that are not exact durations: the server refuses those."""
    match = re.fullmatch(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?", text)
    return sum(int(part or 0) * unit for part, unit in zip(match.groups(), (3600, 60, 1))) if match else 0.0


def wait_in(members: Any) -> float:
    """How long the server may wait before it answers a request with this query or body."""
    wait = members.get("wait") if isinstance(members, Mapping) else None
    return seconds_of(wait) if isinstance(wait, str) else 0.0


class Listing(Generic[Item, Page]):
    """A list of the API. Iterate over it for all items, page after page; `pages()` has the pages, `first()` the first."""

    def __init__(self, read: Callable[[Mapping[str, Any]], Any], query: Mapping[str, Any]) -> None:
        self._read, self._query = read, dict(query)

    def first(self) -> Page:
        """The first page."""
        return cast(Page, self._read(self._query))

    def pages(self) -> Iterator[Page]:
        """The pages, one after the other."""
        query = dict(self._query)
        while True:
            page = cast(Page, self._read(query))
            yield page
            if not page["hasMore"]:
                return
            if page["nextCursor"] in (None, query.get("cursor")):
                raise SundialError("the server says that there is more, but not where")
            query["cursor"] = page["nextCursor"]

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page["data"]


class Sundial:
    """A client of one server. Thread-safe.

    `timeout` is how long one try may wait for the server, in seconds; a `wait` in a request is added to it. `max_retries`
    is how often a request is repeated if that cannot do harm: reads, and changes with an idempotency key, which every
    change gets.
    """

    def __init__(self, url: str = "http://127.0.0.1:8080", api_key: Optional[str] = None, *, timeout: float = 30.0,
                 max_retries: int = 4, ssl_context: Optional[ssl.SSLContext] = None) -> None:
        self._transport = Transport(url, ssl_context)
        self._api_key, self._timeout, self._max_retries = api_key, timeout, max_retries
        self._join()

    def _join(self) -> None:
        self.users = Users(self)
        self.events = Events(self)
        self.endpoints = Endpoints(self)
        self.schedules = Schedules(self)
        self.operations = Operations(self)
        self.api_keys = ApiKeys(self)
        self.calendars = Calendars(self)
        self.streams = Streams(self)
        self.intakes = Intakes(self)
        self.locks = Locks(self)
        self.system = System(self)

    def with_options(self, *, timeout: Optional[float] = None, max_retries: Optional[int] = None) -> "Sundial":
        """The same client with other limits. Both share their connections."""
        other = copy.copy(self)
        other._timeout = self._timeout if timeout is None else timeout
        other._max_retries = self._max_retries if max_retries is None else max_retries
        other._join()
        return other

    def worker(self, endpoint: str, handle: "Callable[[Job], object]", *, concurrency: int = 4, lease: int = 30, wait: int = 20,
               name: Optional[str] = None) -> "Worker":
        """A worker for the events of a PULL endpoint. Times are in seconds."""
        from .worker import Worker
        return Worker(self, endpoint, handle, concurrency=concurrency, lease=lease, wait=wait, name=name)

    def close(self) -> None:
        """Closes idle connections."""
        self._transport.close()

    def __enter__(self) -> "Sundial":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def call(self, operation: str, path: Optional[Mapping[str, str]] = None, *, query: Optional[Mapping[str, Any]] = None,
             body: Any = None, idempotency_key: Optional[str] = None, if_match: Union[int, str, None] = None,
             headers: Optional[Mapping[str, str]] = None, stop: Optional[Stop] = None) -> Any:
        """Carries out an operation by its operationId and returns its result. The other methods are shorter."""
        return result_of(operation, self.reply(operation, path, query=query, body=body, idempotency_key=idempotency_key,
                                               if_match=if_match, headers=headers, stop=stop))

    def reply(self, operation: str, path: Optional[Mapping[str, str]] = None, *, query: Optional[Mapping[str, Any]] = None,
              body: Any = None, idempotency_key: Optional[str] = None, if_match: Union[int, str, None] = None,
              headers: Optional[Mapping[str, str]] = None, stop: Optional[Stop] = None) -> Reply:
        """The same, with status and headers. Raises ApiError, TransportError, Stopped."""
        route = s.OPERATIONS[operation]
        if route.kind == "events":
            raise ValueError(f"the answer of {operation} has no end: use stream(), or system.live()")
        sent = self._headers("application/json, application/problem+json" if route.kind == "json" else "*/*", headers)
        if if_match is not None:
            sent["If-Match"] = if_match if isinstance(if_match, str) else f'"{if_match}"'
        payload = None
        if body is not None:
            payload = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            sent["Content-Type"] = "application/json"
        elif route.method in ("POST", "PUT", "PATCH"):
            payload = b""
        request_id = sent["X-Request-Id"]
        own_key = idempotency_key is None and route.keyed and operation not in REPEATABLE
        if idempotency_key is not None or own_key:
            sent["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        timeout = self._timeout + wait_in(query) + wait_in(body)

        attempt = 0
        while True:
            attempt += 1
            repeatable = route.method == "GET" or operation in REPEATABLE or "Idempotency-Key" in sent
            try:
                reply = self._transport.send(route.method, target(route.path, path, query), sent, payload, timeout, stop)
                if reply.status < 300 or reply.status == 304:
                    reply.headers.setdefault("x-request-id", request_id)
                    return reply
                error: Union[ApiError, TransportError] = ApiError(reply.status, reply.headers, reply.body)
            except TransportError as failure:
                error = failure
            error.request_id = error.request_id or request_id
            if isinstance(error, ApiError) and own_key and "Idempotency-Key" in sent and refuses_key(error):
                del sent["Idempotency-Key"]  # a server that cannot keep an answer with a secret: without a key, and once
                continue
            if attempt > self._max_retries or not may_repeat(error, repeatable):
                raise error
            delay = backoff(attempt)
            if isinstance(error, ApiError) and error.retry_after is not None:
                if error.retry_after > MAX_RETRY_AFTER:
                    raise error
                delay += error.retry_after
            if stop is not None:
                stop.sleep(delay)
            else:
                time.sleep(delay)

    def stream(self, operation: str, *, query: Optional[Mapping[str, Any]] = None, headers: Optional[Mapping[str, str]] = None,
               stop: Optional[Stop] = None) -> Generator[bytes, None, None]:
        """The bytes of followLive as they come, over one connection: system.live() reads them. Raises as reply() does."""
        sent = self._headers("text/event-stream, application/problem+json", headers)
        try:
            with self._transport.open(target(s.OPERATIONS[operation].path, None, query), sent, self._timeout, stop) as answer:
                if answer.status != 200 or not answer.headers.get("content-type", "").startswith("text/event-stream"):
                    raise ApiError(answer.status, answer.headers, b"".join(answer.pieces(self._timeout)))
                yield from answer.pieces(LONGEST_SILENCE)
        except (ApiError, TransportError) as error:
            error.request_id = error.request_id or sent["X-Request-Id"]
            raise

    def _headers(self, accept: str, others: Optional[Mapping[str, str]]) -> Dict[str, str]:
        """The headers of every request."""
        headers = {"Accept": accept, "User-Agent": f"sundial-client-python/{s.VERSION}", **(others or {})}
        if self._api_key is not None:
            headers["Authorization"] = f"Bearer {self._api_key}"
        # The same for all tries: each is in the server's log, also one whose answer was lost.
        headers.setdefault("X-Request-Id", f"req-{uuid.uuid4()}")
        return headers


def target(template: str, path: Optional[Mapping[str, str]], query: Optional[Mapping[str, Any]]) -> str:
    def fill(match: "re.Match[str]") -> str:
        value = (path or {})[match[1]]
        if not value or value in (".", ".."):
            raise ValueError(f"'{value}' is not a {match[1]}")
        return urllib.parse.quote(value, safe=":")

    filled = re.sub(r"\{(\w+)\}", fill, template)
    pairs = [(name, text_of(value)) for name, value in (query or {}).items() if value is not None]
    return filled + ("?" + urllib.parse.urlencode(pairs, quote_via=urllib.parse.quote) if pairs else "")


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(map(text_of, value))
    return str(value)


def result_of(operation: str, reply: Reply) -> Any:
    if s.OPERATIONS[operation].kind == "text":
        return reply.body.decode()
    if reply.status in (204, 304) or not reply.body:
        return None
    try:
        return json.loads(reply.body)
    except ValueError as error:
        failure = TransportError(f"{operation}: the answer is not JSON")
        failure.request_id = reply.headers.get("x-request-id", "")
        raise failure from error


def may_repeat(error: Union[ApiError, TransportError], repeatable: bool) -> bool:
    """Whether the same request may be sent again, and is worth it."""
    if isinstance(error, TransportError):
        return repeatable or not error.sent
    if error.code in NOTHING_DONE:
        return True
    if error.code == "LOCK_HELD":
        return False  # for the caller to decide; `wait` waits
    return repeatable and error.retryable


def refuses_key(error: ApiError) -> bool:
    return error.code == "VALIDATION_FAILED" and any(one["pointer"] == "Idempotency-Key" and one["code"] == "not_allowed"
                                                     for one in error.errors)


class Resource:
    def __init__(self, client: Sundial) -> None:
        self._client = client

    def _call(self, operation: str, path: Optional[Mapping[str, str]] = None, **options: Any) -> Any:
        return self._client.call(operation, path, **options)

    def _list(self, operation: str, query: Optional[Mapping[str, Any]], path: Optional[Mapping[str, str]] = None) -> Any:
        return Listing(lambda asked: self._client.call(operation, path, query=asked), query or {})

    def _changed(self, operation: str, id: str, version: int) -> Any:
        return self._client.call(operation, {"id": id}, headers={"If-None-Match": f'"{version}"'})


class Users(Resource):
    """Users: people with a time zone. `id` is an id, or ext: and an external id, here and everywhere."""

    def list(self, query: Optional[s.ListUsersQuery] = None) -> Listing[s.User, s.UserPage]:
        """The users that match the query, page after page."""
        return cast(Listing[s.User, s.UserPage], self._list("listUsers", query))

    def create(self, user: s.NewUser, *, idempotency_key: Optional[str] = None) -> s.User:
        """Creates a user, and the next event of every perUser schedule. Raises DUPLICATE_EXTERNAL_ID."""
        return cast(s.User, self._call("v1CreateUser", body=user, idempotency_key=idempotency_key))

    def create_many(self, users: s.NewUsers, query: Optional[s.CreateUsersQuery] = None, *,
                    idempotency_key: Optional[str] = None) -> s.UserBatch:
        """Up to 1,000 at once; the result has each user or its problem, in the same order."""
        return cast(s.UserBatch, self._call("createUsers", query=query, body=users, idempotency_key=idempotency_key))

    def import_many(self, users: s.NewUsers, *, idempotency_key: Optional[str] = None) -> s.UserImport:
        """Replaces the users whose external ids exist, and creates the others."""
        return cast(s.UserImport, self._call("importUsers", body=users, idempotency_key=idempotency_key))

    def get(self, id: str) -> s.User:
        """One user. Raises USER_NOT_FOUND."""
        return cast(s.User, self._call("v1GetUser", {"id": id}))

    def get_if_changed(self, id: str, version: int) -> Optional[s.User]:
        """The same, or None if it is still at this version."""
        return cast(Optional[s.User], self._changed("v1GetUser", id, version))

    def put(self, id: str, user: s.UserPut, *, if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.User:
        """Creates the user of `ext:…`, or replaces it. With an id it changes the given members, as patch() does."""
        return cast(s.User, self._call("v1PutUser", {"id": id}, body=user, if_match=if_match, idempotency_key=idempotency_key))

    def patch(self, id: str, change: s.UserPatch, *, if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.User:
        """Changes the given members. Pending events follow a new zone or date; `reschedule` counts them."""
        return cast(s.User, self._call("patchUser", {"id": id}, body=change, if_match=if_match, idempotency_key=idempotency_key))

    def delete(self, id: str, query: Optional[s.V1DeleteUserQuery] = None, *, if_match: Optional[int] = None,
               idempotency_key: Optional[str] = None) -> None:
        """Deletes a user with all events. With `history: keep` finished events stay, without the user."""
        self._call("v1DeleteUser", {"id": id}, query=query, if_match=if_match, idempotency_key=idempotency_key)


class Events(Resource):
    """Events: each is delivered to one endpoint when its time has come."""

    def list(self, query: Optional[s.ListEventsQuery] = None) -> Listing[s.Event, s.EventPage]:
        """Events, live and finished, that match the query, page after page."""
        return cast(Listing[s.Event, s.EventPage], self._list("listEvents", query))

    def create(self, event: s.NewEvent, *, idempotency_key: Optional[str] = None) -> s.Event:
        """Schedules an event, at an instant or at a local time. Raises DUPLICATE_IDEMPOTENCY_KEY."""
        return cast(s.Event, self._call("createEvent", body=event, idempotency_key=idempotency_key))

    def create_many(self, events: s.NewEvents, query: Optional[s.CreateEventsQuery] = None, *,
                    idempotency_key: Optional[str] = None) -> s.EventBatch:
        """Up to 1,000 at once; the result has each event or its problem, in the same order."""
        return cast(s.EventBatch, self._call("createEvents", body=events, query=query, idempotency_key=idempotency_key))

    def get(self, id: str, query: Optional[s.GetEventQuery] = None) -> s.Event:
        """One event. `expand` adds its user, schedule, endpoint and attempts."""
        return cast(s.Event, self._call("getEvent", {"id": id}, query=query))

    def get_if_changed(self, id: str, version: int) -> Optional[s.Event]:
        """The same, or None if it is still at this version."""
        return cast(Optional[s.Event], self._changed("getEvent", id, version))

    def patch(self, id: str, change: s.EventPatch, *, if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.Event:
        """Changes a PENDING event: target, payload, endpoint, priority. Dismisses a FAILED one."""
        return cast(s.Event, self._call("patchEvent", {"id": id}, body=change, if_match=if_match, idempotency_key=idempotency_key))

    def cancel(self, id: str, *, if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.Event:
        """Cancels an event that no holder has claimed. Raises INVALID_STATE_TRANSITION if one has."""
        return cast(s.Event, self._call("cancelEvent", {"id": id}, if_match=if_match, idempotency_key=idempotency_key))

    def retry(self, id: str, how: Optional[s.RetryEvent] = None, *, idempotency_key: Optional[str] = None) -> s.Event:
        """Attempts an event again, now. A FAILED event gets a new event, which is the result."""
        return cast(s.Event, self._call("retryEvent", {"id": id}, body=how, idempotency_key=idempotency_key))

    def explain(self, id: str) -> s.Explanation:
        """Why the event is due when it is, what happened to it, and what it waits for."""
        return cast(s.Explanation, self._call("explainEvent", {"id": id}))

    def attempts(self, query: Optional[s.ListAttemptsQuery] = None) -> Listing[s.Attempt, s.AttemptPage]:
        """Attempts that have ended, of all events or of one, the latest first."""
        return cast(Listing[s.Attempt, s.AttemptPage], self._list("listAttempts", query))

    def attempt(self, id: str) -> s.Attempt:
        """One attempt. Its id is the event's id, a dot and the number of the attempt."""
        return cast(s.Attempt, self._call("getAttempt", {"id": id}))

    def failures(self, query: Optional[s.ListFailuresQuery] = None) -> s.Failures:
        """Dead letters in groups."""
        return cast(s.Failures, self._call("listFailures", query=query))

    def complete(self, id: str, version: int) -> s.Event:
        """Reports a claimed event as done. `version` is the one that the claim returned, here and below."""
        return cast(s.Event, self._call("completeEvent", {"id": id}, body={"version": version}))

    def fail(self, id: str, failure: s.FailEvent) -> s.Event:
        """Reports that the work of a claim failed. The event waits for its next attempt, or is FAILED."""
        return cast(s.Event, self._call("failEvent", {"id": id}, body=failure))

    def release(self, id: str, version: int) -> s.Event:
        """Gives a claimed event back: another worker may claim it at once."""
        return cast(s.Event, self._call("releaseEvent", {"id": id}, body={"version": version}))

    def extend(self, id: str, claim: s.ExtendClaim) -> s.Event:
        """Extends the lease of a claim: it ends at the given time from now. The version stays."""
        return cast(s.Event, self._call("extendEvent", {"id": id}, body=claim))


class Endpoints(Resource):
    """Endpoints: destinations of events."""

    def list(self, query: Optional[s.ListEndpointsQuery] = None) -> Listing[s.Endpoint, s.EndpointPage]:
        """The endpoints that match the query, page after page. Secrets are not shown."""
        return cast(Listing[s.Endpoint, s.EndpointPage], self._list("listEndpoints", query))

    def create(self, endpoint: s.NewEndpoint, *, idempotency_key: Optional[str] = None) -> s.CreatedEndpoint:
        """Creates an endpoint. The result has the `secret` of one that signs, this once."""
        return cast(s.CreatedEndpoint, self._call("createEndpoint", body=endpoint, idempotency_key=idempotency_key))

    def get(self, id: str) -> s.Endpoint:
        """One endpoint with its limits and its circuit. The secret is not shown."""
        return cast(s.Endpoint, self._call("getEndpoint", {"id": id}))

    def get_if_changed(self, id: str, version: int) -> Optional[s.Endpoint]:
        """The same, or None if it is still at this version."""
        return cast(Optional[s.Endpoint], self._changed("getEndpoint", id, version))

    def put(self, id: str, endpoint: s.EndpointPut, query: Optional[s.PutEndpointQuery] = None, *,
            if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.CreatedEndpoint:
        """Creates the endpoint of `ext:…`, or replaces it. The result has a `secret` only if it was created."""
        return cast(s.CreatedEndpoint, self._call("putEndpoint", {"id": id}, body=endpoint, query=query, if_match=if_match,
                                                  idempotency_key=idempotency_key))

    def patch(self, id: str, change: s.EndpointPatch, query: Optional[s.PatchEndpointQuery] = None, *,
              if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.Endpoint:
        """Changes the given members. Enabling an endpoint releases the events that wait for it."""
        return cast(s.Endpoint, self._call("patchEndpoint", {"id": id}, body=change, query=query, if_match=if_match,
                                           idempotency_key=idempotency_key))

    def delete(self, id: str, query: Optional[s.DeleteEndpointQuery] = None, *, if_match: Optional[int] = None,
               idempotency_key: Optional[str] = None) -> None:
        """Deletes an endpoint. Raises ENDPOINT_IN_USE if live events or schedules point to it."""
        self._call("deleteEndpoint", {"id": id}, query=query, if_match=if_match, idempotency_key=idempotency_key)

    def rotate_secret(self, id: str, how: Optional[s.RotateSecret] = None, *, if_match: Optional[int] = None,
                      idempotency_key: Optional[str] = None) -> s.RotatedEndpoint:
        """Creates a new secret, which the result has, this once. The old one goes on to sign for `oldSignsFor`."""
        return cast(s.RotatedEndpoint, self._call("rotateSecret", {"id": id}, body=how, if_match=if_match, idempotency_key=idempotency_key))

    def test(self, id: str, *, idempotency_key: Optional[str] = None) -> s.TestResult:
        """Sends an event of type sundial.test and returns the outcome."""
        return cast(s.TestResult, self._call("testEndpoint", {"id": id}, idempotency_key=idempotency_key))

    def claim(self, id: str, work: s.ClaimWork, *, idempotency_key: Optional[str] = None, stop: Optional[Stop] = None) -> s.Work:
        """Claims events of a PULL endpoint. A Worker does that, and the reports, by itself."""
        return cast(s.Work, self._call("claimEvents", {"id": id}, body=work, idempotency_key=idempotency_key, stop=stop))

    def inbox(self, id: str, query: Optional[s.ReadInboxQuery] = None) -> Listing[s.InboxRequest, s.InboxPage]:
        """The requests that an INBOX received, newest first, page after page."""
        return cast(Listing[s.InboxRequest, s.InboxPage], self._list("readInbox", query, {"id": id}))

    def clear_inbox(self, id: str, *, idempotency_key: Optional[str] = None) -> None:
        """Deletes the requests that an INBOX has kept."""
        self._call("clearInbox", {"id": id}, idempotency_key=idempotency_key)


class Schedules(Resource):
    """Schedules: rules that create events."""

    def list(self, query: Optional[s.ListSchedulesQuery] = None) -> Listing[s.Schedule, s.SchedulePage]:
        """The schedules that match the query, page after page."""
        return cast(Listing[s.Schedule, s.SchedulePage], self._list("listSchedules", query))

    def create(self, schedule: s.NewSchedule, *, idempotency_key: Optional[str] = None) -> s.Schedule:
        """Creates a schedule and plans its first events."""
        return cast(s.Schedule, self._call("createSchedule", body=schedule, idempotency_key=idempotency_key))

    def get(self, id: str) -> s.Schedule:
        """One schedule with its policies, its rule in plain words, and `nextAt`."""
        return cast(s.Schedule, self._call("getSchedule", {"id": id}))

    def get_if_changed(self, id: str, version: int) -> Optional[s.Schedule]:
        """The same, or None if it is still at this version."""
        return cast(Optional[s.Schedule], self._changed("getSchedule", id, version))

    def put(self, id: str, schedule: s.SchedulePut, *, if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.Schedule:
        """Creates the schedule of `ext:…`, or replaces it. With an id it changes the given members."""
        return cast(s.Schedule, self._call("putSchedule", {"id": id}, body=schedule, if_match=if_match, idempotency_key=idempotency_key))

    def patch(self, id: str, change: s.SchedulePatch, *, if_match: Optional[int] = None,
              idempotency_key: Optional[str] = None) -> s.Schedule:
        """Changes the given members; planned events follow. `enabled: false` pauses the schedule."""
        return cast(s.Schedule, self._call("patchSchedule", {"id": id}, body=change, if_match=if_match, idempotency_key=idempotency_key))

    def delete(self, id: str, *, if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> None:
        """Deletes a schedule and cancels its planned events. Finished events stay."""
        self._call("deleteSchedule", {"id": id}, if_match=if_match, idempotency_key=idempotency_key)

    def trigger(self, id: str, how: Optional[s.TriggerSchedule] = None, *, idempotency_key: Optional[str] = None) -> s.Event:
        """Creates one event that is due now, whatever the rule says. A perUser schedule needs `userId`."""
        return cast(s.Event, self._call("triggerSchedule", {"id": id}, body=how, idempotency_key=idempotency_key))

    @overload
    def backfill(self, id: str, range: s.BackfillScheduleDryRun, *, idempotency_key: Optional[str] = None) -> s.Backfill: ...
    @overload
    def backfill(self, id: str, range: s.BackfillScheduleStart, *, idempotency_key: Optional[str] = None) -> s.Operation: ...
    @overload
    def backfill(self, id: str, range: s.BackfillSchedule, *, idempotency_key: Optional[str] = None) -> Union[s.Operation, s.Backfill]: ...

    def backfill(self, id: str, range: Union[s.BackfillScheduleDryRun, s.BackfillScheduleStart, s.BackfillSchedule], *,
                 idempotency_key: Optional[str] = None) -> Union[s.Operation, s.Backfill]:
        """Creates events for past occurrences that have none. The result is the operation, or with `dryRun` the count."""
        return cast(Union[s.Operation, s.Backfill], self._call("backfillSchedule", {"id": id}, body=range, idempotency_key=idempotency_key))

    @overload
    def bulk(self, request: s.ScheduleBulkRequestDryRun, *, idempotency_key: Optional[str] = None) -> s.ScheduleBulkPreview: ...
    @overload
    def bulk(self, request: s.ScheduleBulkRequestStart, *, idempotency_key: Optional[str] = None) -> s.Operation: ...
    @overload
    def bulk(self, request: s.ScheduleBulkRequest, *, idempotency_key: Optional[str] = None) -> Union[s.Operation, s.ScheduleBulkPreview]: ...

    def bulk(self, request: Union[s.ScheduleBulkRequestDryRun, s.ScheduleBulkRequestStart, s.ScheduleBulkRequest], *,
             idempotency_key: Optional[str] = None) -> Union[s.Operation, s.ScheduleBulkPreview]:
        """Pauses, resumes, tags or deletes many. The result is the operation, or with `dryRun` the count and samples."""
        return cast(Union[s.Operation, s.ScheduleBulkPreview], self._call("bulkSchedules", body=request, idempotency_key=idempotency_key))

    def preview(self, request: s.PreviewRequest) -> s.Preview:
        """The next occurrences of a stored schedule, or of one in the request; stores nothing."""
        return cast(s.Preview, self._call("previewSchedule", body=request))

    def occurrences(self, query: s.ListOccurrencesQuery) -> Listing[s.Occurrence, s.OccurrencePage]:
        """Occurrences of one schedule, or of all schedules between two instants, page after page."""
        return cast(Listing[s.Occurrence, s.OccurrencePage], self._list("listOccurrences", query))


class Operations(Resource):
    """Operations: long jobs, done in batches."""

    def list(self, query: Optional[s.ListOperationsQuery] = None) -> Listing[s.Operation, s.OperationPage]:
        """The operations that match the query, page after page."""
        return cast(Listing[s.Operation, s.OperationPage], self._list("listOperations", query))

    def get(self, id: str) -> s.Operation:
        """One operation and its progress."""
        return cast(s.Operation, self._call("getOperation", {"id": id}))

    def get_if_changed(self, id: str, version: int) -> Optional[s.Operation]:
        """The same, or None if it is still at this version."""
        return cast(Optional[s.Operation], self._changed("getOperation", id, version))

    def wait(self, id: str, *, timeout: float = 600.0, every: float = 1.0) -> s.Operation:
        """Reads the operation every so many seconds until it has ended. Raises TimeoutError."""
        end = time.monotonic() + timeout
        operation = self.get(id)
        while operation["status"] == "RUNNING":
            if time.monotonic() > end:
                raise TimeoutError(f"operation {id} still runs after {timeout} s: {operation['done']} of {operation['total']} done")
            time.sleep(every)
            operation = self.get_if_changed(id, operation["version"]) or operation
        return operation

    def stop(self, id: str, *, if_match: Optional[int] = None, idempotency_key: Optional[str] = None) -> s.Operation:
        """Stops an operation after its current batch. A finished one does not change."""
        return cast(s.Operation, self._call("stopOperation", {"id": id}, if_match=if_match, idempotency_key=idempotency_key))

    def errors(self, id: str, query: Optional[s.ListOperationErrorsQuery] = None) -> Listing[s.OperationError, s.OperationErrorPage]:
        """The rows that the operation could not process, with the reasons, page after page."""
        return cast(Listing[s.OperationError, s.OperationErrorPage], self._list("listOperationErrors", query, {"id": id}))

    @overload
    def bulk(self, request: s.BulkRequestDryRun, *, idempotency_key: Optional[str] = None) -> s.BulkPreview: ...
    @overload
    def bulk(self, request: s.BulkRequestStart, *, idempotency_key: Optional[str] = None) -> s.Operation: ...
    @overload
    def bulk(self, request: s.BulkRequest, *, idempotency_key: Optional[str] = None) -> Union[s.Operation, s.BulkPreview]: ...

    def bulk(self, request: Union[s.BulkRequestDryRun, s.BulkRequestStart, s.BulkRequest], *,
             idempotency_key: Optional[str] = None) -> Union[s.Operation, s.BulkPreview]:
        """Applies one action to many events. The result is the operation, or with `dryRun` the count and samples."""
        return cast(Union[s.Operation, s.BulkPreview], self._call("bulk", body=request, idempotency_key=idempotency_key))


class ApiKeys(Resource):
    """API keys, and sessions of browsers."""

    def list(self, query: Optional[s.ListApiKeysQuery] = None) -> Listing[s.ApiKey, s.ApiKeyPage]:
        """The keys that match the query, without the keys themselves, page after page."""
        return cast(Listing[s.ApiKey, s.ApiKeyPage], self._list("listApiKeys", query))

    def create(self, key: s.NewApiKey, *, idempotency_key: Optional[str] = None) -> s.CreatedApiKey:
        """Creates a key. The result has the `key` itself, this once."""
        return cast(s.CreatedApiKey, self._call("createApiKey", body=key, idempotency_key=idempotency_key))

    def log_in(self, key: s.LogIn) -> s.Session:
        """Starts the session of a browser: its cookie then has the rights of the key. This client keeps no cookies."""
        return cast(s.Session, self._call("logIn", body=key))

    def session(self) -> s.Session:
        """The role of this client's key, or of the browser's session."""
        return cast(s.Session, self._call("getSession"))

    def log_out(self) -> None:
        """Ends the session of the browser."""
        self._call("logOut")

    def revoke(self, id: str, *, idempotency_key: Optional[str] = None) -> None:
        """Revokes a key. Raises LAST_ADMIN_KEY if no other ADMIN key would stay."""
        self._call("revokeApiKey", {"id": id}, idempotency_key=idempotency_key)


class Calendars(Resource):
    """iCalendar feeds, which calendar programs subscribe to."""

    def list(self, query: Optional[s.ListCalendarsQuery] = None) -> Listing[s.Calendar, s.CalendarPage]:
        """The calendars that match the query, without their tokens, page after page."""
        return cast(Listing[s.Calendar, s.CalendarPage], self._list("listCalendars", query))

    def create(self, calendar: s.NewCalendar, *, idempotency_key: Optional[str] = None) -> s.CreatedCalendar:
        """Creates the feed of a schedule or a user. The result has its `token` and `path`, this once."""
        return cast(s.CreatedCalendar, self._call("createCalendar", body=calendar, idempotency_key=idempotency_key))

    def revoke(self, id: str, *, idempotency_key: Optional[str] = None) -> None:
        """Revokes a calendar; its feed ends at once."""
        self._call("revokeCalendar", {"id": id}, idempotency_key=idempotency_key)

    def read(self, token: str, query: Optional[s.ReadCalendarQuery] = None) -> str:
        """The text of a feed (RFC 5545); needs no key."""
        return cast(str, self._call("readCalendar", {"token": token}, query=query))


class Streams(Resource):
    """Event-sourced history, and the feed: all streams in one order."""

    def list(self, query: Optional[s.ListStreamsQuery] = None) -> Listing[s.StreamHead, s.StreamPage]:
        """The streams that match the query, with their versions, page after page."""
        return cast(Listing[s.StreamHead, s.StreamPage], self._list("listStreams", query))

    def read(self, aggregate_type: str, aggregate_id: str, query: Optional[s.ReadStreamQuery] = None) -> s.Stream:
        """One page of a stream, with its version."""
        return cast(s.Stream, self._call("readStream", _stream(aggregate_type, aggregate_id), query=query))

    def events(self, aggregate_type: str, aggregate_id: str, query: Optional[s.ReadStreamQuery] = None) -> Iterator[s.RecordedEvent]:
        """All events of a stream in that range, page after page."""
        asked = cast(s.ReadStreamQuery, dict(query or {}))
        while True:
            page = self.read(aggregate_type, aggregate_id, asked)
            found = page["data"]
            yield from found
            if not page["hasMore"] or not found:
                return
            if asked.get("direction") == "backward":
                asked["toVersion"] = found[-1]["version"] - 1
            else:
                asked["fromVersion"] = found[-1]["version"] + 1

    def append(self, aggregate_type: str, aggregate_id: str, batch: s.Append, *, if_match: Union[int, str, None] = None,
               idempotency_key: Optional[str] = None) -> s.Appended:
        """Appends events, all or none. Raises OPTIMISTIC_LOCK if the stream is not at `expectedVersion`."""
        return cast(s.Appended, self._call("appendToStream", _stream(aggregate_type, aggregate_id), body=batch, if_match=if_match,
                                           idempotency_key=idempotency_key))

    def snapshot(self, aggregate_type: str, aggregate_id: str) -> s.Snapshot:
        """The newest snapshot. Raises AGGREGATE_NOT_FOUND if there is none."""
        return cast(s.Snapshot, self._call("getSnapshot", _stream(aggregate_type, aggregate_id)))

    def save_snapshot(self, aggregate_type: str, aggregate_id: str, snapshot: s.Snapshot, *,
                      idempotency_key: Optional[str] = None) -> s.Snapshot:
        """Saves a snapshot. If a newer one exists, that one is the result."""
        return cast(s.Snapshot, self._call("saveSnapshot", _stream(aggregate_type, aggregate_id), body=snapshot,
                                           idempotency_key=idempotency_key))

    def feed(self, query: Optional[s.ReadFeedQuery] = None, *, stop: Optional[Stop] = None) -> s.FeedPage:
        """One page of the feed."""
        return cast(s.FeedPage, self._call("readFeed", query=query, stop=stop))

    def follow_pages(self, query: Optional[s.ReadFeedQuery] = None, *, stop: Optional[Stop] = None) -> Iterator[s.FeedPage]:
        """The pages of the feed after `after`, and then each new one as it comes. Store `nextPosition` with your result.

        Ends when `stop.stop()` is called. A server that is away is asked again, however long that takes; the other
        errors are raised.
        """
        asked = cast(s.ReadFeedQuery, {"after": 0, "wait": "PT20S", **(query or {})})
        failures = 0
        while stop is None or not stop.stopped():
            try:
                page = self.feed(asked, stop=stop)
            except Stopped:
                return
            except (ApiError, TransportError) as error:
                if isinstance(error, ApiError) and not error.retryable:
                    raise
                failures += 1
                if stop is None:
                    time.sleep(backoff(failures))
                elif stop.wait(backoff(failures)):
                    return
                continue
            failures = 0
            if page["nextPosition"] != asked["after"]:
                asked["after"] = page["nextPosition"]
                yield page

    def follow(self, query: Optional[s.ReadFeedQuery] = None, *, stop: Optional[Stop] = None) -> Iterator[s.RecordedEvent]:
        """The events of follow_pages(), one by one."""
        for page in self.follow_pages(query, stop=stop):
            yield from page["data"]

    def checkpoint(self, name: str) -> s.Checkpoint:
        """The position that a follower of the feed saved last; 0 if it never saved one."""
        return cast(s.Checkpoint, self._call("getCheckpoint", {"name": name}))

    def save_checkpoint(self, name: str, step: s.CheckpointStep, *, idempotency_key: Optional[str] = None) -> s.Checkpoint:
        """Moves a checkpoint forward. Raises CHECKPOINT_CONFLICT if it is not at `previous`."""
        return cast(s.Checkpoint, self._call("saveCheckpoint", {"name": name}, body=step, idempotency_key=idempotency_key))


def _stream(aggregate_type: str, aggregate_id: str) -> Dict[str, str]:
    return {"aggregateType": aggregate_type, "aggregateId": aggregate_id}


class Intakes(Resource):
    """Intakes: outboxes of applications, which the server follows."""

    def list(self, query: Optional[s.ListIntakesQuery] = None) -> Listing[s.Intake, s.IntakePage]:
        """The outboxes that the server follows, or has followed, by name."""
        return cast(Listing[s.Intake, s.IntakePage], self._list("listIntakes", query))

    def refused(self, intake: str) -> Listing[s.RefusedRow, s.RefusedRowPage]:
        """The rows that could not be scheduled, with the reasons."""
        return cast(Listing[s.RefusedRow, s.RefusedRowPage], self._list("listRefusedRows", {"intake": intake}))

    def taken(self, intake: str) -> Listing[s.TakenRange, s.TakenRangePage]:
        """The rows that the application may delete."""
        return cast(Listing[s.TakenRange, s.TakenRangePage], self._list("listTakenRows", {"intake": intake}))


class Locks(Resource):
    """Locks: a name has one holder at a time, with a fencing token."""

    def list(self, query: Optional[s.ListLocksQuery] = None) -> Listing[s.HeldLock, s.LockPage]:
        """The locks that are held, by name, page after page."""
        return cast(Listing[s.HeldLock, s.LockPage], self._list("listLocks", query))

    def get(self, name: str) -> s.HeldLock:
        """The holder of a lock and the end of its lease. Raises LOCK_NOT_FOUND if it is free."""
        return cast(s.HeldLock, self._call("getLock", {"name": name}))

    def acquire(self, name: str, request: s.AcquireLock, *, idempotency_key: Optional[str] = None) -> s.AcquiredLock:
        """Acquires a lock. Raises LOCK_HELD if another holder still has it after `wait`."""
        return cast(s.AcquiredLock, self._call("acquireLock", {"name": name}, body=request, idempotency_key=idempotency_key))

    def renew(self, name: str, request: s.RenewLock, *, idempotency_key: Optional[str] = None) -> s.RenewedLock:
        """Extends the lease. Raises LEASE_LOST after it has expired: stop the guarded work."""
        return cast(s.RenewedLock, self._call("renewLock", {"name": name}, body=request, idempotency_key=idempotency_key))

    def release(self, name: str, lock_token: str, *, idempotency_key: Optional[str] = None) -> None:
        """Frees the lock at once. Raises LOCK_NOT_HELD with a wrong or spent token."""
        self._call("releaseLock", {"name": name}, headers={"Sundial-Lock-Token": lock_token}, idempotency_key=idempotency_key)


class System(Resource):
    """Clock, zones, health, versions, and changes as they happen."""

    def info(self) -> s.Info:
        """Versions of the server, its database and its tz database."""
        return cast(s.Info, self._call("getInfo"))

    def settings(self) -> s.Settings:
        """The settings of the server and their sources; needs a key of the role ADMIN."""
        return cast(s.Settings, self._call("listSettings"))

    def clock(self) -> s.Clock:
        """The clock that decides which events are due."""
        return cast(s.Clock, self._call("getClock"))

    def set_clock(self, clock: s.SetClock, *, idempotency_key: Optional[str] = None) -> s.Clock:
        """Sets a test clock, never backward. Raises CLOCK_NOT_TEST with the real clock."""
        return cast(s.Clock, self._call("setClock", body=clock, idempotency_key=idempotency_key))

    def advance_clock(self, step: s.AdvanceClock, *, idempotency_key: Optional[str] = None) -> s.ClockAdvanced:
        """Moves a test clock and delivers everything that comes due on the way. Give it a long timeout."""
        return cast(s.ClockAdvanced, self._call("advanceClock", body=step, idempotency_key=idempotency_key))

    def tick(self, how: Optional[s.Tick] = None, *, idempotency_key: Optional[str] = None) -> s.Ticked:
        """One pass of the scheduler: claims due events, delivers them, returns the counts."""
        return cast(s.Ticked, self._call("tick", body=how, idempotency_key=idempotency_key))

    def timezones(self, query: Optional[s.ListTimezonesQuery] = None) -> Listing[s.Timezone, s.TimezonePage]:
        """The zones of the server's tz database, with their offsets and changes, page after page."""
        return cast(Listing[s.Timezone, s.TimezonePage], self._list("listTimezones", query))

    def timezone_impact(self, query: Optional[s.GetTimezoneImpactQuery] = None) -> Listing[s.TimezoneMove, s.TimezoneImpactPage]:
        """Pending events that the tz database on disk would move, page after page."""
        return cast(Listing[s.TimezoneMove, s.TimezoneImpactPage], self._list("getTimezoneImpact", query))

    def stats(self, query: Optional[s.GetStatsQuery] = None) -> s.Stats:
        """The counters of a window of time, and the backlog of now."""
        return cast(s.Stats, self._call("getStats", query=query))

    def stats_heatmap(self, query: Optional[s.GetStatsHeatmapQuery] = None) -> s.StatsHeatmap:
        """Finished and expected events by time and zone, endpoint or status."""
        return cast(s.StatsHeatmap, self._call("getStatsHeatmap", query=query))

    def stats_series(self, query: s.GetStatsSeriesQuery) -> s.StatsSeries:
        """Counters over time, by minute or by hour."""
        return cast(s.StatsSeries, self._call("getStatsSeries", query=query))

    def live(self, query: s.FollowLiveQuery, *, after: Optional[int] = None, stop: Optional[Stop] = None) -> "Iterator[LiveMessage]":
        """Changes as they happen, from now on or after the position `after`, which a message had.

        Opens the stream again whenever it ends, and continues after the last change that was received, so no change is
        missed or comes twice; the other topics have no positions. Ends when `stop.stop()` is called or the loop is left. A
        server that is away is asked again, however long that takes; the other errors are raised.
        """
        from .live import follow
        return follow(lambda headers: self._client.stream("followLive", query=query, headers=headers, stop=stop), after, stop)

    def instances(self) -> Listing[s.Instance, s.InstancePage]:
        """The processes that serve this database, in the order of their start."""
        return cast(Listing[s.Instance, s.InstancePage], self._list("listInstances", None))

    def drain(self, id: str, *, idempotency_key: Optional[str] = None) -> s.Instance:
        """The instance stops as on SIGTERM: its process ends."""
        return cast(s.Instance, self._call("drainInstance", {"id": id}, idempotency_key=idempotency_key))

    def health(self) -> s.Health:
        """The health of the server, check by check. Raises NOT_READY if a check fails; its problem has the checks."""
        return cast(s.Health, self._call("healthz"))

    def alive(self) -> str:
        """Whether the process is alive; needs no key."""
        return cast(str, self._call("livez"))

    def ready(self) -> str:
        """Whether the server can serve requests; needs no key. Raises NOT_READY."""
        return cast(str, self._call("readyz"))

    def metrics(self) -> str:
        """The metrics, in the text format of Prometheus."""
        return cast(str, self._call("metrics"))

    def openapi(self) -> Dict[str, Any]:
        """The API as the server describes it: OpenAPI 3.1."""
        return cast(Dict[str, Any], self._call("getOpenApi"))

    def errors(self) -> str:
        """The page of all error codes, as Markdown."""
        return cast(str, self._call("getErrors"))

    def error(self, code: str) -> str:
        """The section on one error code, as Markdown."""
        return cast(str, self._call("getError", {"code": code}))

    def documents(self) -> str:
        """All documents with a sentence each, as Markdown."""
        return cast(str, self._call("getDocumentList"))

    def all_documents(self) -> str:
        """All documents in one text, as Markdown."""
        return cast(str, self._call("getAllDocuments"))

    def document(self, page: Optional[str] = None, folder: Optional[str] = None) -> str:
        """A document, such as "locks" in the folder "guide", as Markdown; without arguments the overview."""
        if page is None:
            return cast(str, self._call("getDocs"))
        if folder is None:
            return cast(str, self._call("getDocument", {"page": page}))
        return cast(str, self._call("getDocumentInFolder", {"folder": folder, "page": page}))
