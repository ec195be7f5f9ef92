# Generated from openapi.json by clients/generate. Do not edit.
"""Types of the API's objects, and the table of its operations."""
from typing import Any, Dict, List, Literal, NamedTuple, Optional, TypedDict, Union, final

#: The version of Sundial that these types describe.
VERSION = "0.1.0"


class _NewUserRequired(TypedDict):
    firstName: str
    lastName: str
    # A real day before today in the user's zone, YYYY-MM-DD
    dateOfBirth: str
    # IANA zone, a Zone or a Link of the tz database, case-sensitive
    timezone: str


class NewUser(_NewUserRequired, total=False):
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: str
    # Further dates of the person, for yearly schedules and templates
    dates: Dict[str, str]
    # Texts for templates
    metadata: Dict[str, str]


class UserPut(TypedDict, total=False):
    """With an id: the given members are replaced. With ext:<externalId>: the whole user"""
    firstName: str
    lastName: str
    # A real day before today in the user's zone, YYYY-MM-DD
    dateOfBirth: str
    # IANA zone, a Zone or a Link of the tz database, case-sensitive
    timezone: str
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: str
    # Further dates of the person, for yearly schedules and templates
    dates: Dict[str, str]
    # Texts for templates
    metadata: Dict[str, str]


class UserPatch(TypedDict, total=False):
    """JSON merge patch: null removes"""
    firstName: str
    lastName: str
    # A real day before today in the user's zone, YYYY-MM-DD
    dateOfBirth: str
    # IANA zone, a Zone or a Link of the tz database, case-sensitive
    timezone: str
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: Optional[str]
    dates: Dict[str, Optional[str]]
    metadata: Dict[str, Optional[str]]


class UserReschedule(TypedDict):
    """Effect of the change on planned events"""
    rescheduledCount: int
    # Events that were being processed: they run as planned
    skippedCount: int
    totalPendingCount: int
    skippedEventIds: List[str]


class _UserRequired(TypedDict):
    # id
    id: str
    firstName: str
    lastName: str
    # A real day before today in the user's zone, YYYY-MM-DD
    dateOfBirth: str
    # IANA zone, a Zone or a Link of the tz database, case-sensitive
    timezone: str
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: Optional[str]
    # Further dates of the person, for yearly schedules and templates
    dates: Dict[str, str]
    # Texts for templates
    metadata: Dict[str, str]
    # Grows by 1 with every change; also the ETag
    version: int
    createdAt: str
    updatedAt: str


@final
class User(_UserRequired, total=False):
    # Effect of the change on planned events
    reschedule: "UserReschedule"


class _NewEventRequired(TypedDict):
    # Type of the event, for handlers and receivers
    eventType: str
    # Any JSON value, up to 256 KiB; stored and sent byte for byte
    deliveryPayload: Any


class NewEvent(_NewEventRequired, total=False):
    # RFC 3339 with offset, or now, now-1h30m, now+7d, now-P1M
    targetTimestampUTC: str
    # Local time, 2027-01-05T09:00[:00], in targetTimezone
    targetTimestampLocal: str
    # Zone of the local time; the user's by default
    targetTimezone: str
    # Policy for a local time that does not exist
    gap: Literal["compatible", "earlier", "later", "boundary", "skip", "reject"]
    # Policy for a local time that occurs twice
    overlap: Literal["compatible", "earlier", "later", "skip", "reject"]
    userId: str
    # id or ext:<externalId>
    endpointId: str
    priority: Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]
    # One live or completed event per key; sent to receivers as webhook-id
    idempotencyKey: str


class EventPatch(TypedDict, total=False):
    # RFC 3339 with offset, or now to fire at once
    targetTimestampUTC: str
    targetTimestampLocal: str
    # IANA zone, a Zone or a Link of the tz database, case-sensitive
    targetTimezone: str
    # Policy for a local time that does not exist
    gap: Literal["compatible", "earlier", "later", "boundary", "skip", "reject"]
    # Policy for a local time that occurs twice
    overlap: Literal["compatible", "earlier", "later", "skip", "reject"]
    endpointId: Optional[str]
    priority: Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]
    # Any JSON value, up to 256 KiB; stored and sent byte for byte
    deliveryPayload: Any
    # For a FAILED event: whether the dead letter was dismissed
    dismissed: bool
    # Only with dismissed true: why. A second dismissal with a note replaces the first one's; taking the dismissal
    # back removes it
    note: str


class NewEvents(TypedDict):
    events: List["NewEvent"]


class EventBatch(TypedDict):
    # The event or its problem for each item, in the order of the request
    data: List[Union["Event", "Problem"]]


class RetryEvent(TypedDict, total=False):
    # A new key, so that a COMPLETED event can be sent again
    newKey: bool


class _ClaimWorkRequired(TypedDict):
    # The worker's name, new at each start; becomes claimedBy
    worker: str


class ClaimWork(_ClaimWorkRequired, total=False):
    # Maximum number of events; 10 by default
    limit: int
    # How long the worker holds them, PT1S to PT12H; PT30S by default
    lease: str
    # How long to wait while nothing is due, up to PT60S; no wait by default
    wait: str


class _AcquireLockRequired(TypedDict):
    # Name of the holder, for people
    holder: str


class AcquireLock(_AcquireLockRequired, total=False):
    # Length of the lease, PT1S to PT24H; PT30S by default
    ttl: str
    # How long to wait while another holder has the lock, up to PT60S; no wait by default
    wait: str


class _RenewLockRequired(TypedDict):
    lockToken: str


class RenewLock(_RenewLockRequired, total=False):
    # Length of the lease from now on; PT30S by default
    ttl: str


class AcquiredLock(TypedDict):
    name: str
    holder: str
    # Needed to renew and release the lock; shown once, only a hash is stored
    lockToken: str
    # For guarded writes: the guarded storage refuses a token smaller than one that it has seen
    fencingToken: int
    expiresAt: str


class RenewedLock(TypedDict):
    name: str
    fencingToken: int
    expiresAt: str


class Intake(TypedDict):
    name: str
    # The place of the table, without a password
    source: str
    status: Literal["FOLLOWED", "LOST", "IDLE"]
    # Why the table cannot be read
    failure: Optional[str]
    # Since when the table can, or cannot, be read
    since: str
    # Rows that were scheduled or refused
    taken: int
    # Those that were refused
    refused: int
    # The greatest id taken
    lastId: Optional[int]
    lastTakenAt: Optional[str]
    # The instance that reads the table
    followedBy: Optional[str]


class IntakePage(TypedDict):
    data: List["Intake"]
    hasMore: bool
    nextCursor: Optional[str]


class RefusedRow(TypedDict):
    id: int
    # event, schedule or user; null: another, or not read
    kind: Optional[str]
    # As the API would answer
    code: str
    detail: str
    errors: List["FieldError"]
    refusedAt: str


class RefusedRowPage(TypedDict):
    data: List["RefusedRow"]
    hasMore: bool
    nextCursor: Optional[str]


class TakenRange(TypedDict):
    first: int
    # Included
    last: int


class TakenRangePage(TypedDict):
    data: List["TakenRange"]
    hasMore: bool
    nextCursor: Optional[str]


class HeldLock(TypedDict):
    name: str
    holder: str
    acquiredAt: str
    fencingToken: int
    expiresAt: str


class LockPage(TypedDict):
    data: List["HeldLock"]
    hasMore: bool
    nextCursor: Optional[str]


class Work(TypedDict):
    data: List["Event"]


class ClaimVersion(TypedDict):
    # The version returned by the claim
    version: int


class _FailEventRequired(TypedDict):
    # The version returned by the claim
    version: int


class FailEvent(_FailEventRequired, total=False):
    # The reason, for people: truncated to 1000 characters, control characters replaced by blanks
    reason: str
    # true (default): attempt again by the endpoint's retry policy; false: the event is FAILED at once
    retry: bool


class _ExtendClaimRequired(TypedDict):
    # The version returned by the claim
    version: int


class ExtendClaim(_ExtendClaimRequired, total=False):
    # Length of the lease from now, PT1S to PT12H; PT30S by default
    lease: str


class _EventRequired(TypedDict):
    # id
    id: str
    # Type of the event, for handlers and receivers
    eventType: str
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]
    priority: Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]
    # id
    userId: Optional[str]
    # id
    scheduleId: Optional[str]
    # id
    endpointId: Optional[str]
    # When the event is due. null while an event that SQL stored with a local time has no instant yet
    targetTimestampUTC: Optional[str]
    # The same on the wall clock of targetTimezone, with its offset. Without offset while there is no instant
    targetTimestampLocal: str
    # Zone of the event: given; by default that of its schedule, that of its user for a local time, and UTC for an
    # instant
    targetTimezone: str
    # When the receiver accepted it
    executedAt: Optional[str]
    failureReason: Optional[str]
    # Number of the latest attempt. A retry of an event goes on from its number
    attempt: int
    # Number of attempts that failed or were lost
    retryCount: int
    # When the next attempt is due; null while parked
    nextAttemptAt: Optional[str]
    # More than a second late
    lateExecution: bool
    # Start of the first attempt minus due. An attempt that was LOST began when it was claimed; one that was RELEASED
    # does not count
    latenessMs: Optional[int]
    # Grows by 1 with every change; also the ETag
    version: int
    # One live or completed event per key; sent to receivers as webhook-id
    idempotencyKey: str
    # Any JSON value, up to 256 KiB, stored and sent byte for byte; for an occurrence the payload of its schedule,
    # filled in
    deliveryPayload: Any
    # The FAILED event that this one retries
    retryOf: Optional[str]
    # When a dead letter was dismissed
    dismissedAt: Optional[str]
    # Why it was dismissed; null without a note
    dismissalNote: Optional[str]
    # The caller that dismissed or retried it: `key:` and the short id of an API key, `loopback` for a caller of a
    # server without keys, `sql:` and a role; null if no caller is known. The stream EventAudit of the event has each
    # action on it
    dismissedBy: Optional[str]
    # The holder: the id of an instance, or the name of a pull worker
    claimedBy: Optional[str]
    # End of the lease
    leaseExpiresAt: Optional[str]
    # Why a live event is not being sent: RETRY for its next attempt, CIRCUIT until its endpoint's circuit closes,
    # LIMIT for a place within its endpoint's limits, ENDPOINT for an endpoint that is enabled, SCHEDULE until its
    # schedule is resumed. null: it is not due, it is claimed, or it is finished
    waitingFor: Literal["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE", None]
    # W3C Trace Context of the request that created it; null: that had none
    traceparent: Optional[str]
    createdAt: str
    updatedAt: str


@final
class Event(_EventRequired, total=False):
    # With expand=user
    user: Optional["User"]
    # With expand=schedule
    schedule: Optional["ScheduleOfEvent"]
    # With expand=endpoint
    endpoint: Optional["EndpointOfEvent"]
    # With expand=attempts, of one event: the latest first
    attempts: List["Attempt"]


class ScheduleOfEvent(TypedDict):
    # id
    id: str
    externalId: Optional[str]
    eventType: str
    enabled: bool


class EndpointOfEvent(TypedDict):
    # id
    id: str
    externalId: Optional[str]
    name: str
    type: Literal["WEBHOOK", "INBOX", "PULL", "SQS", "SHADOW"]
    enabled: bool


class NewEndpointRetryPolicy(TypedDict):
    delays: List[str]


class _NewEndpointRateLimitRequired(TypedDict):
    perSecond: int


class NewEndpointRateLimit(_NewEndpointRateLimitRequired, total=False):
    """Maximum number of requests a second, of all instances together; for PULL, of events that its workers claim; no
    limit by default"""
    # Burst after a rest; perSecond by default
    burst: int


class _NewEndpointRequired(TypedDict):
    type: Literal["WEBHOOK", "INBOX", "PULL", "SQS", "SHADOW"]
    name: str


class NewEndpoint(_NewEndpointRequired, total=False):
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: str
    # https, on an allowed port, never a private address unless the server allows it; for SQS, of the queue
    url: str
    # SQS only: the region that requests are signed for; by default the one that the URL names
    region: str
    # SQS only: scheme and host that requests go to instead of those of url, such as a VPC endpoint. The same rules
    # apply
    endpointUrl: str
    # SQS only, for FIFO queues: what the messages of one group have in common
    messageGroup: Literal["user", "endpoint"]
    # INBOX only: the status that it answers with, from 200 to 599; 204 by default
    inboxStatus: str
    # INBOX only: how long its answer takes, up to PT60S; none by default. From the endpoint's timeout on, the attempt
    # times out
    inboxDelay: str
    # Format of the body: the payload as it is (default); type, timestamp and data; or a CloudEvent. Never changes
    format: Literal["RAW", "ENVELOPE", "CLOUDEVENTS"]
    # Your own headers, sent with each request. Their values are stored encrypted and never shown again
    headers: Dict[str, str]
    # Time-out of the whole request: PT1S to PT30S, and at most scheduler.lease less 10 s, which is PT20S unless that
    # is raised; delivery.timeout by default
    timeout: str
    # standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
    # Each is multiplied by 0.9 to 1.1
    retryPolicy: Union[Literal["standard", "seed"], "NewEndpointRetryPolicy"]
    # Number of retries for 3xx, 401, 403, 404, 407, 409 and 421
    retryClientErrors: int
    # Maximum number of requests a second, of all instances together; for PULL, of events that its workers claim; no
    # limit by default
    rateLimit: Optional["NewEndpointRateLimit"]
    # Maximum number of requests in flight, of all instances together; for PULL, of events that its workers hold; no
    # limit by default
    maxInFlight: Optional[int]
    enabled: bool
    # whsec_ and the base64 of 24 to 64 bytes; generated by default for a WEBHOOK. An INBOX signs only once it has one
    secret: str
    # Also sign with an Ed25519 key (v1a); publicKey verifies it
    ed25519: bool


class EndpointPutRetryPolicy(TypedDict):
    delays: List[str]


class _EndpointPutRateLimitRequired(TypedDict):
    perSecond: int


class EndpointPutRateLimit(_EndpointPutRateLimitRequired, total=False):
    """Maximum number of requests a second, of all instances together; no limit by default"""
    # Burst after a rest; perSecond by default
    burst: int


class EndpointPut(TypedDict, total=False):
    """With ext:<externalId> the whole endpoint: name and type are required, and members that are left out return to
    their defaults. With an id the given members. Type, format and secret may be repeated but not changed"""
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: str
    type: Literal["WEBHOOK", "INBOX", "PULL", "SQS", "SHADOW"]
    name: str
    # https, on an allowed port, never a private address unless the server allows it; for SQS, of the queue
    url: str
    # SQS only: the region that requests are signed for; by default the one that the URL names
    region: str
    # SQS only: scheme and host that requests go to instead of those of url, such as a VPC endpoint. The same rules
    # apply
    endpointUrl: str
    # SQS only, for FIFO queues: what the messages of one group have in common
    messageGroup: Literal["user", "endpoint"]
    # INBOX only: the status that it answers with, from 200 to 599; 204 by default
    inboxStatus: str
    # INBOX only: how long its answer takes, up to PT60S; none by default. From the endpoint's timeout on, the attempt
    # times out
    inboxDelay: str
    # Format of the body: the payload as it is (default); type, timestamp and data; or a CloudEvent. Never changes
    format: Literal["RAW", "ENVELOPE", "CLOUDEVENTS"]
    # Your own headers, sent with each request. Their values are stored encrypted and never shown again
    headers: Dict[str, str]
    # Time-out of the whole request: PT1S to PT30S, and at most scheduler.lease less 10 s, which is PT20S unless that
    # is raised; delivery.timeout by default
    timeout: str
    # standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
    # Each is multiplied by 0.9 to 1.1
    retryPolicy: Union[Literal["standard", "seed"], "EndpointPutRetryPolicy"]
    # Number of retries for 3xx, 401, 403, 404, 407, 409 and 421
    retryClientErrors: int
    # Maximum number of requests a second, of all instances together; no limit by default
    rateLimit: Optional["EndpointPutRateLimit"]
    # Maximum number of requests in flight, of all instances together; as many as there are workers by default
    maxInFlight: Optional[int]
    enabled: bool
    # whsec_ and the base64 of 24 to 64 bytes; generated by default
    secret: str
    # Also sign with an Ed25519 key (v1a); publicKey verifies it
    ed25519: bool


class EndpointPatchRetryPolicy(TypedDict):
    delays: List[str]


class EndpointPatchRateLimit(TypedDict, total=False):
    """Maximum number of requests a second, of all instances together; for PULL, of events that its workers claim; no
    limit by default"""
    perSecond: int
    # Burst after a rest; perSecond by default
    burst: int


class EndpointPatchCircuit(TypedDict):
    """Closes the circuit by hand: waiting events are sent now"""
    state: Literal["CLOSED"]


class EndpointPatch(TypedDict, total=False):
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: Optional[str]
    name: str
    # https, on an allowed port, never a private address unless the server allows it; for SQS, of the queue
    url: str
    # SQS only: the region that requests are signed for; by default the one that the URL names; null: that of the URL
    region: Optional[str]
    # SQS only: scheme and host that requests go to instead of those of url, such as a VPC endpoint. The same rules
    # apply; null: that of url
    endpointUrl: Optional[str]
    # SQS only, for FIFO queues: what the messages of one group have in common; null: user
    messageGroup: Literal["user", "endpoint", None]
    # INBOX only: the status that it answers with, from 200 to 599; null: 204
    inboxStatus: Optional[str]
    # INBOX only: how long its answer takes, up to PT60S; null: none. From the endpoint's timeout on, the attempt
    # times out
    inboxDelay: Optional[str]
    # Your own headers, sent with each request: values given are set, null removes a header, all others stay. When the
    # url moves to another origin (scheme, host or port), each header that is to stay must be given its value again
    headers: Optional[Dict[str, Optional[str]]]
    # Time-out of the whole request: PT1S to PT30S, and at most scheduler.lease less 10 s, which is PT20S unless that
    # is raised
    timeout: str
    # standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
    # Each is multiplied by 0.9 to 1.1
    retryPolicy: Union[Literal["standard", "seed"], "EndpointPatchRetryPolicy"]
    # Number of retries for 3xx, 401, 403, 404, 407, 409 and 421
    retryClientErrors: int
    # Maximum number of requests a second, of all instances together; for PULL, of events that its workers claim; no
    # limit by default
    rateLimit: Optional["EndpointPatchRateLimit"]
    # Maximum number of requests in flight, of all instances together; for PULL, of events that its workers hold; no
    # limit by default
    maxInFlight: Optional[int]
    # Closes the circuit by hand: waiting events are sent now
    circuit: "EndpointPatchCircuit"
    enabled: bool
    # Also sign with an Ed25519 key (v1a); publicKey verifies it
    ed25519: bool


class EndpointRetryPolicy(TypedDict):
    delays: List[str]


class EndpointRateLimit(TypedDict):
    perSecond: int
    burst: int


class EndpointCircuit(TypedDict):
    """State of the receiver. Not part of the version: it changes with every result"""
    state: Literal["CLOSED", "HALF_OPEN", "OPEN"]
    # Share of failures in delivery.circuit.window
    failureRatio: float
    openedAt: Optional[str]
    # When the next event is sent to test the receiver
    probeAt: Optional[str]


class _EndpointRequired(TypedDict):
    # id
    id: str
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: Optional[str]
    name: str
    type: Literal["WEBHOOK", "INBOX", "PULL", "SQS", "SHADOW"]
    url: Optional[str]
    format: Literal["RAW", "ENVELOPE", "CLOUDEVENTS"]
    # The names of your own headers, each with a hint of its value: an ellipsis, and the last three characters of a
    # long one
    headers: Dict[str, str]
    # Time-out of the whole request
    timeout: str
    # standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
    # Each is multiplied by 0.9 to 1.1
    retryPolicy: Union[Literal["standard", "seed"], "EndpointRetryPolicy"]
    retryClientErrors: int
    rateLimit: Optional["EndpointRateLimit"]
    maxInFlight: Optional[int]
    enabled: bool
    disabledReason: Optional[str]
    # State of the receiver. Not part of the version: it changes with every result
    circuit: "EndpointCircuit"
    secretHint: Optional[str]
    ed25519: bool
    # whpk_ and the base64 of the newest Ed25519 key, which verifies v1a signatures
    publicKey: Optional[str]
    # Grows by 1 with every change; also the ETag
    version: int
    createdAt: str
    updatedAt: str


class Endpoint(_EndpointRequired, total=False):
    # SQS only, if it was given
    region: str
    # SQS only, if it was given
    endpointUrl: str
    # SQS only, if it was given
    messageGroup: str
    # INBOX only, if it was given
    inboxStatus: str
    # INBOX only, if it was given
    inboxDelay: str


class CreatedEndpoint(Endpoint, total=False):
    # whsec_ and base64; shown only this once. Missing if the endpoint does not sign
    secret: str


class RotatedEndpoint(Endpoint):
    # The new secret, whsec_ and base64; shown only this once
    secret: str


class TestResultError(TypedDict):
    code: str
    text: str


class TestResultResponse(TypedDict):
    body: str


class TestResult(TypedDict):
    outcome: Literal["SUCCEEDED", "RETRYABLE", "PERMANENT"]
    statusCode: Optional[int]
    durationMs: int
    error: Optional["TestResultError"]
    response: "TestResultResponse"


class InboxRequestSignature(TypedDict):
    """The result of a check with the keys that the endpoint has now. An INBOX signs once it has a secret"""
    # INVALID: none of the endpoint's keys made the signature; MISSING: the request has none
    state: Literal["VALID", "INVALID", "MISSING"]
    # Which secret made a valid signature: the newest one, or one that a rotation has replaced
    secret: Literal["CURRENT", "PREVIOUS", None]
    # How long after its webhook-timestamp the request arrived; receivers refuse more than 5 minutes
    ageMs: Optional[int]


class InboxRequest(TypedDict):
    receivedAt: str
    headers: Dict[str, str]
    body: str
    # The result of a check with the keys that the endpoint has now. An INBOX signs once it has a secret
    signature: "InboxRequestSignature"


class NewScheduleTriggerYearly(TypedDict, total=False):
    # dateOfBirth, a name of the user's dates, or MM-DD
    on: str
    # HH:MM[:SS] on the wall clock; 09:00 by default
    at: str


class _NewScheduleTriggerRruleRequired(TypedDict):
    dtstart: str


class NewScheduleTriggerRrule(_NewScheduleTriggerRruleRequired, total=False):
    rrule: str
    rdate: List[str]
    exdate: List[str]


class NewScheduleTrigger(TypedDict, total=False):
    """Exactly one of yearly, cron, rrule, every"""
    yearly: "NewScheduleTriggerYearly"
    # Five fields, six with seconds first, or a macro such as @daily
    cron: str
    # iCalendar text (DTSTART, RRULE, RDATE, EXDATE), or its parts
    rrule: Union[str, "NewScheduleTriggerRrule"]
    # Elapsed time, from startsAt or else the creation: PT15M
    every: str


class _NewScheduleRequired(TypedDict):
    # Type of the event, for handlers and receivers
    eventType: str
    # Exactly one of yearly, cron, rrule, every
    trigger: "NewScheduleTrigger"


class NewSchedule(_NewScheduleRequired, total=False):
    # Your own id, unique within its type, part of its events' keys: it never changes
    externalId: str
    # Runs once for each user in that user's own zone; false by default; it never changes
    perUser: bool
    priority: Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]
    # false pauses the schedule
    enabled: bool
    note: Optional[str]
    # Your own groups, for lists and bulk pauses; in order, each once
    tags: List[str]
    # Gets a POST request after its events completed; by the rules of webhook URLs
    pingUrl: Optional[str]
    # Zone of the rule; null with perUser: the zone of each user. With every it says only how times are shown; UTC by
    # default
    timezone: Optional[str]
    # id or ext:<externalId>; null: its events wait
    endpointId: Optional[str]
    # JSON whose strings may hold {targetTimestampLocal} {timezone} and, with perUser, {firstName} {lastName} {age}
    # {dates.x} {metadata.x}; {{ is a brace; {} by default
    payload: Any
    # Policy for a local time that does not exist
    gap: Literal["compatible", "earlier", "later", "boundary", "skip"]
    # Policy for a local time that occurs twice
    overlap: Literal["compatible", "earlier", "later", "skip", "both"]
    # Date of 29 February in a common year
    leap: Literal["feb28", "mar1", "skip"]
    # Which occurrences fire that came due while no scheduler ran; all for yearly rules, once for others
    misfire: Literal["all", "once", "skip"]
    # A later occurrence never fires; null: no bound
    window: Optional[str]
    # How late is still on time; PT1M by default
    grace: str
    # Maximum number that misfire all fires, the newest; 100 by default
    limit: int
    # forbid: an occurrence does not fire while the previous event is unfinished
    concurrency: Literal["allow", "forbid"]
    # Maximum delay of sending; never early, always the same for the same occurrence; PT0S by default
    jitter: str
    # No occurrence before this instant; RFC 3339, or now+1h
    startsAt: Optional[str]
    # No occurrence after this instant
    endsAt: Optional[str]


class SchedulePutTriggerYearly(TypedDict, total=False):
    # dateOfBirth, a name of the user's dates, or MM-DD
    on: str
    # HH:MM[:SS] on the wall clock; 09:00 by default
    at: str


class _SchedulePutTriggerRruleRequired(TypedDict):
    dtstart: str


class SchedulePutTriggerRrule(_SchedulePutTriggerRruleRequired, total=False):
    rrule: str
    rdate: List[str]
    exdate: List[str]


class SchedulePutTrigger(TypedDict, total=False):
    """Exactly one of yearly, cron, rrule, every"""
    yearly: "SchedulePutTriggerYearly"
    # Five fields, six with seconds first, or a macro such as @daily
    cron: str
    # iCalendar text (DTSTART, RRULE, RDATE, EXDATE), or its parts
    rrule: Union[str, "SchedulePutTriggerRrule"]
    # Elapsed time, from startsAt or else the creation: PT15M
    every: str


class SchedulePut(TypedDict, total=False):
    # Type of the event, for handlers and receivers
    eventType: str
    # Runs once for each user in that user's own zone; false by default; it never changes
    perUser: bool
    priority: Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]
    # false pauses the schedule
    enabled: bool
    note: Optional[str]
    # Your own groups, for lists and bulk pauses; in order, each once
    tags: List[str]
    # Gets a POST request after its events completed; by the rules of webhook URLs
    pingUrl: Optional[str]
    # Exactly one of yearly, cron, rrule, every
    trigger: "SchedulePutTrigger"
    # Zone of the rule; null with perUser: the zone of each user. With every it says only how times are shown; UTC by
    # default
    timezone: Optional[str]
    # id or ext:<externalId>; null: its events wait
    endpointId: Optional[str]
    # JSON whose strings may hold {targetTimestampLocal} {timezone} and, with perUser, {firstName} {lastName} {age}
    # {dates.x} {metadata.x}; {{ is a brace; {} by default
    payload: Any
    # Policy for a local time that does not exist
    gap: Literal["compatible", "earlier", "later", "boundary", "skip"]
    # Policy for a local time that occurs twice
    overlap: Literal["compatible", "earlier", "later", "skip", "both"]
    # Date of 29 February in a common year
    leap: Literal["feb28", "mar1", "skip"]
    # Which occurrences fire that came due while no scheduler ran; all for yearly rules, once for others
    misfire: Literal["all", "once", "skip"]
    # A later occurrence never fires; null: no bound
    window: Optional[str]
    # How late is still on time; PT1M by default
    grace: str
    # Maximum number that misfire all fires, the newest; 100 by default
    limit: int
    # forbid: an occurrence does not fire while the previous event is unfinished
    concurrency: Literal["allow", "forbid"]
    # Maximum delay of sending; never early, always the same for the same occurrence; PT0S by default
    jitter: str
    # No occurrence before this instant; RFC 3339, or now+1h
    startsAt: Optional[str]
    # No occurrence after this instant
    endsAt: Optional[str]


class SchedulePatchTriggerYearly(TypedDict, total=False):
    # dateOfBirth, a name of the user's dates, or MM-DD
    on: str
    # HH:MM[:SS] on the wall clock; 09:00 by default
    at: str


class _SchedulePatchTriggerRruleRequired(TypedDict):
    dtstart: str


class SchedulePatchTriggerRrule(_SchedulePatchTriggerRruleRequired, total=False):
    rrule: str
    rdate: List[str]
    exdate: List[str]


class SchedulePatchTrigger(TypedDict, total=False):
    """Exactly one of yearly, cron, rrule, every"""
    yearly: "SchedulePatchTriggerYearly"
    # Five fields, six with seconds first, or a macro such as @daily
    cron: str
    # iCalendar text (DTSTART, RRULE, RDATE, EXDATE), or its parts
    rrule: Union[str, "SchedulePatchTriggerRrule"]
    # Elapsed time, from startsAt or else the creation: PT15M
    every: str


class SchedulePatch(TypedDict, total=False):
    # Type of the event, for handlers and receivers
    eventType: str
    priority: Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]
    # false pauses the schedule
    enabled: bool
    note: Optional[str]
    # Your own groups, for lists and bulk pauses; in order, each once
    tags: List[str]
    # Gets a POST request after its events completed; by the rules of webhook URLs
    pingUrl: Optional[str]
    # Exactly one of yearly, cron, rrule, every
    trigger: "SchedulePatchTrigger"
    # Zone of the rule; null with perUser: the zone of each user. With every it says only how times are shown; UTC by
    # default
    timezone: Optional[str]
    # id or ext:<externalId>; null: its events wait
    endpointId: Optional[str]
    # JSON whose strings may hold {targetTimestampLocal} {timezone} and, with perUser, {firstName} {lastName} {age}
    # {dates.x} {metadata.x}; {{ is a brace; {} by default
    payload: Any
    # Policy for a local time that does not exist
    gap: Literal["compatible", "earlier", "later", "boundary", "skip"]
    # Policy for a local time that occurs twice
    overlap: Literal["compatible", "earlier", "later", "skip", "both"]
    # Date of 29 February in a common year
    leap: Literal["feb28", "mar1", "skip"]
    # Which occurrences fire that came due while no scheduler ran; all for yearly rules, once for others
    misfire: Literal["all", "once", "skip"]
    # A later occurrence never fires; null: no bound
    window: Optional[str]
    # How late is still on time; PT1M by default
    grace: str
    # Maximum number that misfire all fires, the newest; 100 by default
    limit: int
    # forbid: an occurrence does not fire while the previous event is unfinished
    concurrency: Literal["allow", "forbid"]
    # Maximum delay of sending; never early, always the same for the same occurrence; PT0S by default
    jitter: str
    # No occurrence before this instant; RFC 3339, or now+1h
    startsAt: Optional[str]
    # No occurrence after this instant
    endsAt: Optional[str]


class RotateSecret(TypedDict, total=False):
    # How long the current secrets keep signing, PT0S to PT168H; PT24H by default
    oldSignsFor: str
    # whsec_ and the base64 of 24 to 64 bytes; generated by default
    secret: str


class TriggerSchedule(TypedDict, total=False):
    # The user, for a perUser schedule: id or ext:<externalId>
    userId: str
    # Overrides the schedule's payload; the same names in braces
    payload: Any


_BackfillScheduleRequired = TypedDict("_BackfillScheduleRequired", {
    # Inclusive; RFC 3339, or now-7d
    "from": str,
    # Exclusive, not later than now
    "to": str,
})


class BackfillSchedule(_BackfillScheduleRequired, total=False):
    # Only count the occurrences and show the first ones
    dryRun: bool


BackfillScheduleDryRun = TypedDict("BackfillScheduleDryRun", {
    # Inclusive; RFC 3339, or now-7d
    "from": str,
    # Exclusive, not later than now
    "to": str,
    "dryRun": Literal[True],
})


_BackfillScheduleStartRequired = TypedDict("_BackfillScheduleStartRequired", {
    # Inclusive; RFC 3339, or now-7d
    "from": str,
    # Exclusive, not later than now
    "to": str,
})


class BackfillScheduleStart(_BackfillScheduleStartRequired, total=False):
    """A BackfillSchedule that starts an operation."""
    dryRun: Literal[False]


class BackfillSamples(TypedDict):
    userId: Optional[str]
    targetTimestampUTC: str
    targetTimestampLocal: str
    targetTimezone: str


class Backfill(TypedDict):
    # Number of occurrences in that range
    occurrences: int
    # The first occurrences
    samples: List["BackfillSamples"]


class ScheduleTriggerYearly(TypedDict):
    on: str
    at: str


class _ScheduleTriggerRruleRequired(TypedDict):
    dtstart: str


class ScheduleTriggerRrule(_ScheduleTriggerRruleRequired, total=False):
    rrule: str
    rdate: List[str]
    exdate: List[str]


class ScheduleTrigger(TypedDict, total=False):
    yearly: "ScheduleTriggerYearly"
    cron: str
    # iCalendar text, or its parts, as they were given
    rrule: Union[str, "ScheduleTriggerRrule"]
    every: str


class _ScheduleRequired(TypedDict):
    # id
    id: str
    # Your own id, unique within its type; every {id} also accepts ext:<externalId>
    externalId: Optional[str]
    # Type of the event, for handlers and receivers
    eventType: str
    priority: Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]
    enabled: bool
    note: Optional[str]
    # Your own groups
    tags: List[str]
    # Gets a POST request after its events completed
    pingUrl: Optional[str]
    trigger: "ScheduleTrigger"
    perUser: bool
    # Zone of the rule; null with perUser: the zone of each user
    timezone: Optional[str]
    # id
    endpointId: Optional[str]
    # The template from which the deliveryPayload of each event is made
    payload: Any
    # Policy for a local time that does not exist
    gap: Literal["compatible", "earlier", "later", "boundary", "skip"]
    # Policy for a local time that occurs twice
    overlap: Literal["compatible", "earlier", "later", "skip", "both"]
    leap: Literal["feb28", "mar1", "skip"]
    misfire: Literal["all", "once", "skip"]
    window: Optional[str]
    grace: str
    limit: int
    concurrency: Literal["allow", "forbid"]
    jitter: str
    startsAt: Optional[str]
    endsAt: Optional[str]
    # The earliest planned instant; null while paused
    nextAt: Optional[str]
    description: str
    # Grows by 1 with every change; also the ETag
    version: int
    createdAt: str
    updatedAt: str


class Schedule(_ScheduleRequired, total=False):
    # In responses to edits: the operation that changes planned events; for few events it has already finished
    operationId: str


class Operation(TypedDict):
    # id
    id: str
    # PLAN_SCHEDULE: the first event of a new schedule for every user; REPLAN_SCHEDULE: planned events follow an edit
    # of the schedule; BACKFILL_SCHEDULE: events for past occurrences that have none; BULK: one action on many events
    kind: Literal["PLAN_SCHEDULE", "REPLAN_SCHEDULE", "BACKFILL_SCHEDULE", "BULK"]
    status: Literal["RUNNING", "COMPLETED", "FAILED", "STOPPED"]
    # Why it is FAILED or STOPPED
    reason: Optional[str]
    # The schedule that it works on
    scheduleId: Optional[str]
    # Number of rows, as counted at the start; null before that; at the end done + failed
    total: Optional[int]
    done: int
    # Number of rows that could not be processed; errorsUrl has the reasons
    failed: int
    # The rows that could not be processed, with the reasons
    errorsUrl: str
    # Grows by 1 with every change; also the ETag
    version: int
    createdAt: str
    updatedAt: str
    finishedAt: Optional[str]


class _NewApiKeyRequired(TypedDict):
    # Name for people
    name: str


class NewApiKey(_NewApiKeyRequired, total=False):
    # While no key has the role ADMIN, the next key must have it (409 FIRST_KEY_NOT_ADMIN)
    role: Literal["READ", "WRITE", "ADMIN"]
    # In the future; null: never. One ADMIN key must never expire (409 LAST_ADMIN_KEY)
    expiresAt: Optional[str]
    purpose: Literal["API"]


class ApiKey(TypedDict):
    # id
    id: str
    name: str
    role: Literal["READ", "WRITE", "ADMIN"]
    purpose: Literal["API"]
    # Beginning of the key; its last ten characters name the key in logs and records
    prefix: str
    expiresAt: Optional[str]
    # Precise to some minutes
    lastUsedAt: Optional[str]
    version: int
    createdAt: str


class CreatedApiKey(ApiKey):
    # The key itself, shown only this once
    key: str


class EventFilter(TypedDict, total=False):
    """Which events: the members of the list's query"""
    # One, or any of these. The default depends on the action. retry: FAILED, or PROCESSING for events that wait for
    # their next attempt
    status: Union[Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"], List[Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]]]
    # One, or any of these reasons why a live event is not being sent. retry allows RETRY
    waitingFor: Union[Literal["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"], List[Literal["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"]]]
    # One, or any of these
    priority: Union[Literal["CRITICAL", "HIGH", "NORMAL", "LOW"], List[Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]]]
    # One, or any of these
    eventType: Union[str, List[str]]
    # One, or any of these
    targetTimezone: Union[str, List[str]]
    # id or ext:
    userId: str
    # id or ext:
    scheduleId: str
    # id or ext:
    endpointId: str
    # Due at or after; RFC 3339, or now, now-1h30m, now+7d, now-P1M
    targetFrom: str
    # Due before; RFC 3339, or now, now-1h30m, now+7d, now-P1M
    targetTo: str
    # Executed at or after; RFC 3339, or now, now-1h30m, now+7d, now-P1M
    executedFrom: str
    # Executed before; RFC 3339, or now, now-1h30m, now+7d, now-P1M
    executedTo: str
    # More than a second late
    lateExecution: bool
    # Whether a dead letter was dismissed; retry and dismiss select those that were not by default
    dismissed: bool
    # Exactly this idempotency key
    idempotencyKey: str
    # Prefix of id or key
    q: str
    # Prefix of the failure reason: HTTP_STATUS, HTTP_STATUS 404
    failureReason: str


class BulkRequestSet(TypedDict, total=False):
    """For reschedule: a target, as in PATCH, or a shift"""
    # RFC 3339 with offset, or now, now+1h relative to the request
    targetTimestampUTC: str
    # In each event's own zone by default
    targetTimestampLocal: str
    targetTimezone: str
    gap: Literal["compatible", "earlier", "later", "boundary", "skip", "reject"]
    overlap: Literal["compatible", "earlier", "later", "skip", "reject"]
    # Exact duration from each event's target; with a minus, backward
    shift: str


class _BulkRequestRequired(TypedDict):
    resource: Literal["events"]
    # retry: FAILED events, or with waitingFor RETRY the events that wait for their next attempt; dismiss: FAILED
    # events; cancel: PENDING or waiting events; reschedule: PENDING events. Events are not deleted: they are history
    action: Literal["retry", "cancel", "reschedule", "dismiss", "delete"]


class BulkRequest(_BulkRequestRequired, total=False):
    """Has either a filter or ids"""
    filter: "EventFilter"
    ids: List[str]
    # For reschedule: a target, as in PATCH, or a shift
    set: "BulkRequestSet"
    # Maximum rate; retries 50 by default, other actions without a limit
    perSecond: int
    # For dismiss: why, kept with each event
    note: str
    dryRun: bool


class _BulkRequestDryRunRequired(TypedDict):
    resource: Literal["events"]
    # retry: FAILED events, or with waitingFor RETRY the events that wait for their next attempt; dismiss: FAILED
    # events; cancel: PENDING or waiting events; reschedule: PENDING events. Events are not deleted: they are history
    action: Literal["retry", "cancel", "reschedule", "dismiss", "delete"]
    dryRun: Literal[True]


class BulkRequestDryRun(_BulkRequestDryRunRequired, total=False):
    """A BulkRequest that only shows what it would do."""
    filter: "EventFilter"
    ids: List[str]
    # For reschedule: a target, as in PATCH, or a shift
    set: "BulkRequestSet"
    # Maximum rate; retries 50 by default, other actions without a limit
    perSecond: int
    # For dismiss: why, kept with each event
    note: str


class _BulkRequestStartRequired(TypedDict):
    resource: Literal["events"]
    # retry: FAILED events, or with waitingFor RETRY the events that wait for their next attempt; dismiss: FAILED
    # events; cancel: PENDING or waiting events; reschedule: PENDING events. Events are not deleted: they are history
    action: Literal["retry", "cancel", "reschedule", "dismiss", "delete"]


class BulkRequestStart(_BulkRequestStartRequired, total=False):
    """A BulkRequest that starts an operation."""
    filter: "EventFilter"
    ids: List[str]
    # For reschedule: a target, as in PATCH, or a shift
    set: "BulkRequestSet"
    # Maximum rate; retries 50 by default, other actions without a limit
    perSecond: int
    # For dismiss: why, kept with each event
    note: str
    dryRun: Literal[False]


class BulkPreview(TypedDict):
    # Number of events that the action applies to
    count: int
    # The first 5 of them
    samples: List["Event"]


class ScheduleBulkRequestFilter(TypedDict, total=False):
    """Which schedules: members of the list's query. A schedule matches all of them"""
    enabled: bool
    perUser: bool
    # With this tag
    tag: str
    eventType: List[str]
    trigger: List[Literal["yearly", "cron", "rrule", "every"]]
    # Id or ext:…
    endpointId: str
    # Prefix of the id, the external id or the event type
    q: str


class _ScheduleBulkRequestRequired(TypedDict):
    # tag adds addTags and removes removeTags; delete also cancels planned events
    action: Literal["pause", "resume", "tag", "delete"]


class ScheduleBulkRequest(_ScheduleBulkRequestRequired, total=False):
    """Has either a filter or ids"""
    # Which schedules: members of the list's query. A schedule matches all of them
    filter: "ScheduleBulkRequestFilter"
    # Ids or ext:…
    ids: List[str]
    # For pause: why, kept with each schedule
    note: str
    # For tag. A schedule has at most 20 tags
    addTags: List[str]
    # For tag
    removeTags: List[str]
    dryRun: bool


class _ScheduleBulkRequestDryRunRequired(TypedDict):
    # tag adds addTags and removes removeTags; delete also cancels planned events
    action: Literal["pause", "resume", "tag", "delete"]
    dryRun: Literal[True]


class ScheduleBulkRequestDryRun(_ScheduleBulkRequestDryRunRequired, total=False):
    """A ScheduleBulkRequest that only shows what it would do."""
    # Which schedules: members of the list's query. A schedule matches all of them
    filter: "ScheduleBulkRequestFilter"
    # Ids or ext:…
    ids: List[str]
    # For pause: why, kept with each schedule
    note: str
    # For tag. A schedule has at most 20 tags
    addTags: List[str]
    # For tag
    removeTags: List[str]


class _ScheduleBulkRequestStartRequired(TypedDict):
    # tag adds addTags and removes removeTags; delete also cancels planned events
    action: Literal["pause", "resume", "tag", "delete"]


class ScheduleBulkRequestStart(_ScheduleBulkRequestStartRequired, total=False):
    """A ScheduleBulkRequest that starts an operation."""
    # Which schedules: members of the list's query. A schedule matches all of them
    filter: "ScheduleBulkRequestFilter"
    # Ids or ext:…
    ids: List[str]
    # For pause: why, kept with each schedule
    note: str
    # For tag. A schedule has at most 20 tags
    addTags: List[str]
    # For tag
    removeTags: List[str]
    dryRun: Literal[False]


class ScheduleBulkPreviewSamples(TypedDict):
    id: str
    externalId: Optional[str]
    eventType: str
    enabled: bool
    tags: List[str]


class ScheduleBulkPreview(TypedDict):
    # Number of schedules that the action applies to
    count: int
    # The first 5 of them
    samples: List["ScheduleBulkPreviewSamples"]


class _FailuresDataRequired(TypedDict):
    count: int
    # When the first of them became FAILED
    oldest: str
    newest: str
    # The newest ones, at most 5
    sampleIds: List[str]


class FailuresData(_FailuresDataRequired, total=False):
    # Grouped by reason: the failureReason of all of them
    reason: str
    # Grouped by endpoint; null: events without one
    endpointId: Optional[str]


class Failures(TypedDict):
    by: Literal["reason", "endpointId"]
    # Number of dead letters counted
    counted: int
    # false if there are more, which are older
    complete: bool
    data: List["FailuresData"]


class AttemptError(TypedDict):
    # As the head of failureReason; empty: none
    code: str
    text: str


class AttemptResponse(TypedDict):
    """null: there was none, or the attempt succeeded"""
    # The first 2 KiB
    body: str


class Attempt(TypedDict):
    # <eventId>.<number>
    id: str
    eventId: str
    endpointId: Optional[str]
    number: int
    # LOST: its holder never reported it; LATE: it did, after another holder had claimed the event; RELEASED: it was
    # given back unsent
    outcome: Literal["SUCCEEDED", "RETRYABLE", "PERMANENT", "LOST", "LATE", "RELEASED"]
    # null: nothing was sent, or its holder never reported it
    startedAt: Optional[str]
    # When its result was stored
    endedAt: str
    durationMs: float
    # The HTTP status; null: no response
    statusCode: Optional[int]
    error: Optional["AttemptError"]
    # null: there was none, or the attempt succeeded
    response: Optional["AttemptResponse"]
    # The instance that made it or, for a pull worker, that answered its claim
    instanceId: Optional[str]
    # The name of the pull worker; null: the instance's own attempt
    worker: Optional[str]


class AttemptPage(TypedDict):
    data: List["Attempt"]
    hasMore: bool
    nextCursor: Optional[str]


class BoundedCount(TypedDict):
    # At most 10,000
    count: int
    # false: there are more
    complete: bool


class StatsLateness(TypedDict):
    """Seconds from due to the start of the first attempt, within 1/16; null: none started"""
    p50: Optional[float]
    p95: Optional[float]
    p99: Optional[float]
    max: Optional[float]


class StatsNow(TypedDict):
    """The backlog of now; each count stops at 10,000"""
    pending: "BoundedCount"
    processing: "BoundedCount"
    due: "BoundedCount"
    deadLetters: "BoundedCount"
    # Seconds since the oldest of the due events became claimable; null: none is due
    oldestDueAge: Optional[float]
    # Endpoints whose circuit is open or half open
    openCircuits: int


Stats = TypedDict("Stats", {
    # Beginning of the counted time: of a whole minute, or hour for more than a day
    "from": str,
    "to": str,
    # Events whose first attempt began
    "started": int,
    "completed": int,
    "failed": int,
    # Attempts that failed and are repeated
    "retried": int,
    # COMPLETED and FAILED events per second
    "throughput": float,
    # FAILED ones among them; null: none ended
    "failureRatio": Optional[float],
    # Seconds from due to the start of the first attempt, within 1/16; null: none started
    "lateness": "StatsLateness",
    # The backlog of now; each count stops at 10,000
    "now": "StatsNow",
})


class StatsHeatmapData(TypedDict):
    # The zone, endpoint or status; other: beyond the bound; handler: events without an endpoint
    key: str
    # With by=endpointId: the events that its rate limit allows in a bucket; null: no limit
    limit: Optional[int]
    # Events that were COMPLETED or FAILED in each bucket
    past: List[int]
    # Events that will begin in each bucket; not whole where a jitter spreads them
    forecast: List[float]


StatsHeatmap = TypedDict("StatsHeatmap", {
    # Beginning of the first bucket
    "from": str,
    # Length of a bucket
    "bucket": str,
    # Beginning of the forecast
    "now": str,
    # End of the forecast; before to if more than 5,000 events are planned
    "forecastTo": str,
    # Schedules of users: the forecast has only the planned event of each user
    "onlyNext": List[str],
    # There are more than 10,000 enabled schedules without users, or they fire more than 200,000 times in this time:
    # later occurrences of the others are missing
    "moreSchedules": bool,
    "data": List["StatsHeatmapData"],
})


class StatsSeriesData(TypedDict):
    metric: Literal["executed", "failed", "retried", "lateness_p50", "lateness_p95", "lateness_p99", "duration_p50", "duration_p95", "duration_p99", "claim_duration_p50", "claim_duration_p95", "claim_duration_p99", "backlog", "oldest_due"]
    # With by: the event type, endpoint or instance; other: the ones beyond the 19 of most weight; handler: events
    # without an endpoint
    key: Optional[str]
    # One per step; counts, or seconds. null: nothing was measured
    points: List[Optional[float]]


StatsSeries = TypedDict("StatsSeries", {
    # Beginning of the first step
    "from": str,
    # Length of a step
    "step": str,
    "data": List["StatsSeriesData"],
})


class Instance(TypedDict):
    id: str
    # SILENT: it has not reported for 20 s
    status: Literal["RUNNING", "DRAINING", "SILENT"]
    version: str
    # Its roles: api, scheduler, worker, ui (`scheduler.roles`)
    roles: List[str]
    # When it opened the database, by the database's clock
    startedAt: str
    # It reports about every 5 s
    reportedAt: str
    # Time since its last report, by the database's clock. An instance that was killed stays RUNNING until this
    # exceeds 20 s
    silentMs: int
    # Its machine's clock minus the database's
    clockSkewMs: float
    # Claims that it holds
    leasesHeld: int
    # Attempts that it may have under way at once
    slots: int
    # When it last claimed events to deliver; null: not since its start. It reports this about every 5 s
    lastClaimAt: Optional[str]
    drainRequestedAt: Optional[str]


class InstancePage(TypedDict):
    data: List["Instance"]
    hasMore: bool
    nextCursor: Optional[str]


class LogIn(TypedDict):
    # sundial_sk_…
    key: str


class Session(TypedDict):
    role: Literal["READ", "WRITE", "ADMIN"]
    # The ten characters of the key; null: the request has a key itself, or no key exists
    key: Optional[str]
    # For the header Sundial-CSRF; null: no change needs it
    csrfToken: Optional[str]
    expiresAt: Optional[str]


class OperationError(TypedDict):
    number: int
    type: Literal["event", "user", "schedule"]
    # Id of the event, user or schedule
    id: str
    # A code of problems or of their errors
    code: str
    detail: str


class OperationErrorPage(TypedDict):
    data: List["OperationError"]
    hasMore: bool
    nextCursor: Optional[str]


class Clock(TypedDict):
    mode: Literal["system", "test"]
    # The database's clock
    now: str


class SetClock(TypedDict):
    # RFC 3339
    now: str


class AdvanceClock(TypedDict, total=False):
    # How far to move: PT10S, 1h30m, P1D, P1Y (in UTC)
    by: str
    # RFC 3339
    to: str


class ClockAdvanced(TypedDict):
    now: str
    delivered: int
    failed: int


class Tick(TypedDict, total=False):
    limit: int


class Ticked(TypedDict):
    claimed: int
    completed: int
    failed: int
    retrying: int


class SettingsData(TypedDict):
    key: str
    # As in a settings file; *** hides a secret
    value: str
    # default, the name of a settings file, the name of an environment variable, or a flag
    origin: str
    # Purpose of the setting
    help: str


class Settings(TypedDict):
    data: List["SettingsData"]


class InfoDatabase(TypedDict):
    kind: Literal["sqlite", "postgresql"]
    version: str
    note: Optional[str]


class Info(TypedDict):
    version: str
    commit: str
    database: "InfoDatabase"
    tzdb: str
    clock: Literal["system", "test"]
    # New at each start; claimedBy of the events that this instance holds
    instanceId: str


class _HealthChecksValueRequired(TypedDict):
    status: Literal["pass", "warn", "fail"]


class HealthChecksValue(_HealthChecksValueRequired, total=False):
    # The reason, if the check does not pass
    detail: str


class Health(TypedDict):
    status: Literal["pass", "warn"]
    # By name: database, claimLoop, disk (SQLite), clock, draining
    checks: Dict[str, "HealthChecksValue"]


class FieldError(TypedDict):
    # JSON pointer into the body; ?name is a query parameter, a bare name a header
    pointer: str
    code: Literal["required", "unknown_member", "wrong_type", "too_long", "out_of_range", "bad_format", "not_allowed", "unknown_zone", "bad_time", "bad_request", "nonexistent_time", "ambiguous_time", "offset_mismatch", "bad_interval", "bad_cron", "bad_rrule", "never_fires", "too_expensive"]
    # For people: the cause and the remedy
    message: str


class ProblemConflictsStream(TypedDict):
    """The stream that has the id"""
    aggregateType: str
    aggregateId: str


class _ProblemConflictsRequired(TypedDict):
    eventId: str
    reason: Literal["PARTIAL", "DIFFERENT_ORDER", "DIFFERENT_CONTENT", "OTHER_STREAM", "IN_BATCH"]


class ProblemConflicts(_ProblemConflictsRequired, total=False):
    # The stream that has the id
    stream: "ProblemConflictsStream"
    # The version of the event in that stream
    version: int


class _ProblemChecksValueRequired(TypedDict):
    status: Literal["pass", "warn", "fail"]


class ProblemChecksValue(_ProblemChecksValueRequired, total=False):
    # The reason, if the check does not pass
    detail: str


class ProblemErrorDetails(TypedDict):
    field: str
    message: str


class ProblemError(TypedDict):
    """Of every problem under /user and /users: the same in another form"""
    # A code of Problem, or INVALID_TIMEZONE or INVALID_DATE_OF_BIRTH if that field alone is invalid
    code: str
    message: str
    details: List["ProblemErrorDetails"]


class _ProblemRequired(TypedDict):
    # Path of this server that explains the code
    type: str
    # The code in words, the same for every problem of the code
    title: str
    # The HTTP status
    status: int
    # For programs. The page at type explains each
    code: Literal["VALIDATION_FAILED", "MALFORMED_JSON", "INVALID_CURSOR", "INVALID_TEMPLATE", "UNAUTHENTICATED", "FORBIDDEN", "HOST_NOT_ALLOWED", "ORIGIN_NOT_ALLOWED", "CSRF_TOKEN_REQUIRED", "HTTPS_REQUIRED", "USER_NOT_FOUND", "EVENT_NOT_FOUND", "ENDPOINT_NOT_FOUND", "SCHEDULE_NOT_FOUND", "OPERATION_NOT_FOUND", "API_KEY_NOT_FOUND", "LOCK_NOT_FOUND", "ATTEMPT_NOT_FOUND", "INSTANCE_NOT_FOUND", "CALENDAR_NOT_FOUND", "AGGREGATE_NOT_FOUND", "ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED", "NOT_ACCEPTABLE", "REQUEST_TIMEOUT", "INVALID_STATE_TRANSITION", "LEASE_LOST", "ENDPOINT_DISABLED", "ENDPOINT_IN_USE", "CLOCK_NOT_TEST", "FIRST_KEY_NOT_ADMIN", "LAST_ADMIN_KEY", "DUPLICATE_EXTERNAL_ID", "DUPLICATE_IDEMPOTENCY_KEY", "IDEMPOTENCY_IN_PROGRESS", "OPTIMISTIC_LOCK", "STREAM_ARCHIVED", "FEED_DIVERGED", "CHECKPOINT_CONFLICT", "LOCK_HELD", "LOCK_NOT_HELD", "STREAM_DELETED", "PAYLOAD_TOO_LARGE", "URI_TOO_LONG", "UNSUPPORTED_MEDIA_TYPE", "EVENT_ID_REUSED", "IDEMPOTENCY_KEY_REUSED", "TOO_EARLY", "PRECONDITION_REQUIRED", "RATE_LIMITED", "HEADERS_TOO_LARGE", "INTERNAL_ERROR", "STORAGE_UNAVAILABLE", "COMMIT_OUTCOME_UNKNOWN", "NOT_READY", "OVERLOADED", "DRAINING"]
    # Whether the same request may succeed later
    retryable: bool
    # For people: the object, the cause, the remedy
    detail: str
    # The path of the request
    instance: str
    # Finds the request in the log; also the header X-Request-Id
    correlationId: str


@final
class Problem(_ProblemRequired, total=False):
    """An error, as RFC 9457 defines it. Each member that is not required names the codes that have it."""
    # VALIDATION_FAILED: the invalid fields, the first 20
    errors: List["FieldError"]
    # INVALID_TEMPLATE: the name in question. LOCK_HELD, LOCK_NOT_HELD, LEASE_LOST: the lock; LEASE_LOST also: the
    # checkpoint
    name: str
    # FORBIDDEN: the role that the operation requires
    role: Literal["READ", "WRITE", "ADMIN"]
    # METHOD_NOT_ALLOWED: the methods of this path
    allow: List[str]
    # PAYLOAD_TOO_LARGE, URI_TOO_LONG, HEADERS_TOO_LARGE: the limit, in bytes or fields
    limit: int
    # The item of an atomic batch, or the event of an append, that the problem is about
    index: int
    # INVALID_STATE_TRANSITION, DUPLICATE_IDEMPOTENCY_KEY: the status of the event
    eventStatus: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]
    # INVALID_STATE_TRANSITION: the holder of the event
    claimedBy: Optional[str]
    # INVALID_STATE_TRANSITION: why the event is not being sent
    waitingFor: Literal["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE", None]
    # INVALID_STATE_TRANSITION: the version of the event. LEASE_LOST of an event: the version in the request
    version: int
    # LEASE_LOST of an event: its id. FEED_DIVERGED: the event recorded at the checkpoint
    eventId: str
    # ENDPOINT_DISABLED: why the endpoint is disabled
    reason: str
    # ENDPOINT_IN_USE: the number of live events that point to the endpoint
    count: int
    # ENDPOINT_IN_USE: schedules that send to the endpoint, the first 5: ids, or ext: and external ids
    scheduleIds: List[str]
    # DUPLICATE_EXTERNAL_ID, DUPLICATE_IDEMPOTENCY_KEY: the object that has the id or the key
    existingId: str
    # OPTIMISTIC_LOCK: the version that the request named; for streams also 0, -1 and -2. Missing if If-Match names no
    # version of a stream
    expectedVersion: int
    # OPTIMISTIC_LOCK: the current version
    actualVersion: int
    # OPTIMISTIC_LOCK of a stream, AGGREGATE_NOT_FOUND, STREAM_ARCHIVED, STREAM_DELETED: type of the stream
    aggregateType: str
    # With aggregateType: id of the stream
    aggregateId: str
    # OPTIMISTIC_LOCK of a stream: ids of the batch that the stream already has
    duplicateEventIds: List[str]
    # OPTIMISTIC_LOCK of a stream: how often the append was tried
    attempts: int
    # EVENT_ID_REUSED: each id that is already taken, with its place
    conflicts: List["ProblemConflicts"]
    # CHECKPOINT_CONFLICT: the current position. FEED_DIVERGED: the position of the checkpoint
    position: int
    # LEASE_LOST of a lock or a checkpoint: the token in the request
    fencingToken: int
    # LOCK_HELD: the holder of the lock
    holder: str
    # LOCK_HELD: end of the lease, unless the holder renews or releases the lock
    expiresAt: str
    # NOT_READY of /healthz: every check by name
    checks: Dict[str, "ProblemChecksValue"]
    # Of every problem under /user and /users: the same in another form
    error: "ProblemError"


class NewUsers(TypedDict):
    users: List["NewUser"]


class UserBatch(TypedDict):
    # The user or its problem for each item, in the order of the request
    data: List[Union["User", "Problem"]]


class NewCalendar(TypedDict, total=False):
    # Shown by calendar programs; by default the event type and the user's name
    name: str
    # id or ext:<externalId>
    scheduleId: str
    # id or ext:<externalId>
    userId: str
    expiresAt: Optional[str]


class Calendar(TypedDict):
    id: str
    name: str
    scheduleId: Optional[str]
    userId: Optional[str]
    expiresAt: Optional[str]
    version: int
    createdAt: str


class CreatedCalendar(Calendar):
    # The secret part of the path, shown only this once
    token: str
    # Path of the feed, shown only this once
    path: str


class CalendarPage(TypedDict):
    data: List["Calendar"]
    hasMore: bool
    nextCursor: Optional[str]


class UserImport(TypedDict):
    created: int
    # Users that existed
    replaced: int
    # Of the replaced ones, those that were as given already
    unchanged: int
    failed: int
    # Of the refused users; index is the place in the request
    problems: List["Problem"]


class UserPage(TypedDict):
    data: List["User"]
    hasMore: bool
    nextCursor: Optional[str]


class ExplanationWaitsFor(TypedDict):
    """null once the event is finished"""
    what: Literal["due", "claim", "result", "retry", "circuit", "limit", "endpoint", "schedule", "zone"]
    # In plain words
    text: str
    # When it will be checked next; null: after an action by a person
    until: Optional[str]


class Explanation(TypedDict):
    # id
    eventId: str
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]
    # One sentence
    summary: str
    # In causal order
    steps: List[Union["RuleStep", "LocalStep", "ZoneStep", "UtcStep", "ChangeStep", "AttemptStep", "ResultStep"]]
    # null once the event is finished
    waitsFor: Optional["ExplanationWaitsFor"]


class _RuleStepRequired(TypedDict):
    step: Literal["rule"]
    # In plain words
    text: str
    # null: a single event, which has no other members here
    scheduleId: Optional[str]


class RuleStep(_RuleStepRequired, total=False):
    """The schedule that the event is an occurrence of, or none"""
    # The version of the schedule that planned it
    scheduleVersion: int
    # The date or local time by the rule, before any policy moved it
    nominal: str
    # The rule in plain words
    description: str


class LocalStep(TypedDict):
    """The local time that was asked for; events given as an instant have no such step"""
    step: Literal["local"]
    # In plain words
    text: str
    # The nominal local time
    wantedLocal: str
    # The zone of the event
    targetTimezone: str
    # Policy for a local time that does not exist
    gap: Literal["compatible", "earlier", "later", "boundary", "skip", "reject"]
    # Policy for a local time that occurs twice
    overlap: Literal["compatible", "earlier", "later", "skip", "both", "reject"]


class ZoneStep(TypedDict):
    """How the zone resolves that local time"""
    step: Literal["zone"]
    # In plain words
    text: str
    # Offset at the event's instant; null: the current tz database has no such zone
    offset: Optional[str]
    # Effect of a clock change
    note: Literal["gap_earlier", "gap_later", "gap_boundary", "gap_skipped", "overlap_earlier", "overlap_later", "overlap_skipped", "leap_moved", "leap_skipped", None]
    # The tz database that computed the instant
    tzdb: str


class UtcStep(TypedDict):
    """The instant at which the event is due"""
    step: Literal["utc"]
    # In plain words
    text: str
    # When the event is due
    targetTimestampUTC: str


class ChangeStep(TypedDict):
    """The last change of a PENDING event since its creation"""
    step: Literal["change"]
    # In plain words
    text: str
    version: int
    updatedAt: str


class AttemptStep(TypedDict):
    """One attempt"""
    step: Literal["attempt"]
    # In plain words
    text: str
    # The attempt number that the receiver saw
    number: int
    outcome: Literal["SUCCEEDED", "RETRYABLE", "PERMANENT", "LOST", "LATE", "RELEASED"]
    startedAt: Optional[str]
    # The HTTP status of the response, if there was one
    statusCode: Optional[int]
    # The instance or pull worker that made it
    instanceId: Optional[str]


class ResultStep(TypedDict):
    """The end of a finished event"""
    step: Literal["result"]
    # In plain words
    text: str
    status: Literal["COMPLETED", "FAILED", "CANCELLED"]
    at: str
    failureReason: Optional[str]


class PreviewRequestOverride(TypedDict, total=False):
    """Overrides the zone of the user or the schedule"""
    timezone: str


PreviewRequest = TypedDict("PreviewRequest", {
    "schedule": "SchedulePut",
    # id or ext:<externalId>
    "scheduleId": str,
    # The user, for a perUser schedule
    "userId": str,
    # Overrides the zone of the user or the schedule
    "override": "PreviewRequestOverride",
    # At or after; now by default
    "from": str,
    "count": int,
}, total=False)


class _OccurrenceRequired(TypedDict):
    # null if a policy of the rule skips it
    targetTimestampUTC: Optional[str]
    targetTimestampLocal: Optional[str]
    targetTimezone: str
    # Effect of a clock change or a leap day; offset_changed: the first at a new UTC offset
    note: Literal["gap_earlier", "gap_later", "gap_boundary", "gap_skipped", "overlap_earlier", "overlap_later", "overlap_skipped", "leap_moved", "leap_skipped", "offset_changed", None]
    # The nominal local time, if the actual one differs
    wantedLocal: Optional[str]


class Occurrence(_OccurrenceRequired, total=False):
    # In lists of the past: why it did not fire
    skipped: Optional[str]
    # This and the following: in lists of all schedules
    eventType: str
    # null: not planned yet
    eventId: Optional[str]
    scheduleId: Optional[str]
    userId: Optional[str]
    endpointId: Optional[str]
    # Its schedule is paused, so it fires only if that is resumed before
    paused: bool


class Preview(TypedDict):
    # The schedule in plain words
    description: str
    warnings: List[str]
    data: List["Occurrence"]


class _OccurrencePageRequired(TypedDict):
    data: List["Occurrence"]
    hasMore: bool
    nextCursor: Optional[str]


class OccurrencePage(_OccurrencePageRequired, total=False):
    # Of all schedules: the tz release by which they are computed
    tzRelease: str
    # Schedules of users that may fire more than once in this time: only the next occurrence of each user is listed
    onlyNext: List[str]
    # Of all schedules: there are more than 10,000 enabled schedules without users, and the later occurrences of the
    # others are missing
    moreSchedules: bool


class _AppendRequired(TypedDict):
    events: List["NewRecordedEvent"]


class Append(_AppendRequired, total=False):
    # A version, -1 or ANY (also when absent), 0 or NO_STREAM, -2 or STREAM_EXISTS
    expectedVersion: Union[int, str]


class _NewRecordedEventRequired(TypedDict):
    # OrderShipped
    eventType: str
    # Any JSON, stored byte for byte
    data: Any


class NewRecordedEvent(_NewRecordedEventRequired, total=False):
    # A UUID, unique forever; generated by default
    eventId: str
    schemaVersion: int
    metadata: "EventMetadata"


class EventMetadata(TypedDict, total=False):
    occurredAt: str
    correlationId: str
    causationId: str
    actor: str
    tenant: str
    traceparent: str
    headers: Dict[str, Any]


class Appended(TypedDict):
    firstVersion: int
    lastVersion: int
    firstPosition: int
    lastPosition: int
    # Greater than lastVersion if the stream has grown since
    currentVersion: int
    replayed: bool


class RecordedMetadata(TypedDict, total=False):
    """The members that the append gave"""
    occurredAt: str
    correlationId: str
    causationId: str
    actor: str
    tenant: str
    traceparent: str
    headers: Dict[str, Any]


class _RecordedEventRequired(TypedDict):
    eventId: str
    aggregateType: str
    aggregateId: str
    version: int
    # Position in the feed
    position: int
    eventType: str
    schemaVersion: int
    # null once erased. Only ADMIN keys see the name in events of API keys
    data: Any
    metadata: "RecordedMetadata"
    recordedAt: str
    # The stream is closed permanently
    deleted: bool


class RecordedEvent(_RecordedEventRequired, total=False):
    # When data was erased; missing otherwise
    redactedAt: str


class StreamHead(TypedDict):
    aggregateType: str
    aggregateId: str
    # Number of events ever appended
    version: int
    truncatedBefore: int
    archived: bool
    deleted: bool


class Stream(StreamHead):
    data: List["RecordedEvent"]
    # Whether the range has more events than data
    hasMore: bool


class StreamPage(TypedDict):
    data: List["StreamHead"]
    hasMore: bool
    nextCursor: Optional[str]


class _SnapshotRequired(TypedDict):
    # Version of the stream
    version: int
    # Any JSON
    state: Any


class Snapshot(_SnapshotRequired, total=False):
    schemaVersion: int


class FeedPage(TypedDict):
    data: List["RecordedEvent"]
    nextPosition: int
    # Whether more events are available now
    hasMore: bool


class Checkpoint(TypedDict):
    name: str
    # All events up to this position in the feed are handled
    position: int
    # The event recorded at position
    eventId: Optional[str]
    # The greatest token ever shown or granted
    fencingToken: int
    # The holder of a lease on the checkpoint; null for followers with their own tokens
    holder: Optional[str]


class _CheckpointStepRequired(TypedDict):
    # Never before previous
    position: int
    # Where the checkpoint must be now; 0 at first
    previous: int


class CheckpointStep(_CheckpointStepRequired, total=False):
    # The event at that position; must match the store
    eventId: str
    # Of the lock held by the follower; 0 by default
    fencingToken: int


class OperationPage(TypedDict):
    data: List["Operation"]
    hasMore: bool
    nextCursor: Optional[str]


class ApiKeyPage(TypedDict):
    data: List["ApiKey"]
    hasMore: bool
    nextCursor: Optional[str]


class _EventPageRequired(TypedDict):
    data: List["Event"]
    # Whether to continue with nextCursor. A page may end early, even without an event: after 10,000 events that do
    # not match, or about 2 MiB
    hasMore: bool
    nextCursor: Optional[str]


class EventPage(_EventPageRequired, total=False):
    # With count: the events in all pages, or fewer
    totalCount: int
    # With count: false if there may be more
    totalCountComplete: bool


class EndpointPage(TypedDict):
    data: List["Endpoint"]
    hasMore: bool
    nextCursor: Optional[str]


class SchedulePage(TypedDict):
    data: List["Schedule"]
    hasMore: bool
    nextCursor: Optional[str]


class InboxPage(TypedDict):
    data: List["InboxRequest"]
    hasMore: bool
    nextCursor: Optional[str]


class OffsetChange(TypedDict):
    # The first instant of the new offset
    at: str
    # +01:00
    before: str
    after: str


class Timezone(TypedDict):
    name: str
    # Current offset, east of UTC: +05:45
    offset: str
    # Changes in the requested period, the first 100
    changes: List["OffsetChange"]


class TimezonePage(TypedDict):
    # Release of the current tz database: 2025b
    release: str
    data: List["Timezone"]
    hasMore: bool
    nextCursor: Optional[str]


class TimezoneMove(TypedDict):
    eventId: str
    eventType: str
    userId: Optional[str]
    scheduleId: Optional[str]
    targetTimezone: str
    # The local time, which does not change: 2027-01-05T09:00:00
    wallTime: str
    # The release with which the instant was computed
    tzdb: str
    # The current instant
    before: str
    # The instant with the other database; null if a policy skips the local time then
    after: Optional[str]


class TimezoneImpactPage(TypedDict):
    # Release of the current tz database
    inForce: str
    # Release of the database compared with
    release: str
    data: List["TimezoneMove"]
    hasMore: bool
    nextCursor: Optional[str]


class ListUsersQuery(TypedDict, total=False):
    # In any of these zones
    timezone: Union[str, List[str]]
    # Born in this month
    birthMonth: int
    # Born on this day of the month
    birthDay: int
    # Prefix of id, external id, first or last name
    q: str
    # Created at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    createdFrom: str
    # Created before (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    createdTo: str
    # createdAt by default
    sort: Literal["createdAt", "-createdAt", "lastName", "-lastName", "updatedAt", "-updatedAt"]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class CreateUsersQuery(TypedDict, total=False):
    # All, or nothing and the first problem
    atomic: bool


class V1DeleteUserQuery(TypedDict, total=False):
    # keep: live events are cancelled and all finished ones are kept, without the user
    history: Literal["keep"]


class ListEventsQuery(TypedDict, total=False):
    # Any of these
    status: Union[Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"], List[Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]]]
    # Any of these reasons why a live event is not being sent
    waitingFor: Union[Literal["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"], List[Literal["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"]]]
    # Any of these
    priority: Union[Literal["CRITICAL", "HIGH", "NORMAL", "LOW"], List[Literal["CRITICAL", "HIGH", "NORMAL", "LOW"]]]
    # Any of these
    eventType: Union[str, List[str]]
    # Any of these
    targetTimezone: Union[str, List[str]]
    # id or ext:
    userId: str
    # id or ext:
    scheduleId: str
    # id or ext:
    endpointId: str
    # Due at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    targetFrom: str
    # Due before (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    targetTo: str
    # Executed at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    executedFrom: str
    # Executed before (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    executedTo: str
    # More than a second late
    lateExecution: bool
    # Whether a dead letter was dismissed
    dismissed: bool
    # Exactly this idempotency key
    idempotencyKey: str
    # Prefix of id or key
    q: str
    # Prefix of the failure reason: HTTP_STATUS, HTTP_STATUS 404
    failureReason: str
    # targetTimestampUTC by default. createdAt sorts by the ids, which begin with that instant. executedAt (not
    # -executedAt), latenessMs and -latenessMs need executedFrom, unless userId or idempotencyKey is given; by
    # latenessMs, at most 20,000 events may have been executed in that time, and 100,000 ended, cancelled ones too
    sort: Literal["targetTimestampUTC", "-targetTimestampUTC", "executedAt", "-executedAt", "createdAt", "-createdAt", "latenessMs", "-latenessMs"]
    # exact adds totalCount, which stops at 10,000 matches or 10,000 events that do not match
    count: Literal["none", "exact"]
    # Objects to add beside the ids; null if deleted
    expand: Union[Literal["user", "schedule", "endpoint"], List[Literal["user", "schedule", "endpoint"]]]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class CreateEventsQuery(TypedDict, total=False):
    # All, or nothing and the first problem
    atomic: bool


class GetEventQuery(TypedDict, total=False):
    # Objects to add beside the ids, null if deleted; attempts: the latest 500. If-None-Match has no effect then,
    # because the version is that of the event alone
    expand: Union[Literal["user", "schedule", "endpoint", "attempts"], List[Literal["user", "schedule", "endpoint", "attempts"]]]


class ListEndpointsQuery(TypedDict, total=False):
    # Of this type
    type: Literal["WEBHOOK", "INBOX", "PULL", "SQS", "SHADOW"]
    # Enabled or disabled
    enabled: bool
    # Prefix of id, external id, name
    q: str
    # createdAt by default
    sort: Literal["createdAt", "-createdAt"]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class PatchEndpointQuery(TypedDict, total=False):
    # Also attempt now the events of this endpoint that wait for their next attempt
    retryWaiting: bool


class PutEndpointQuery(TypedDict, total=False):
    # Also attempt now the events of this endpoint that wait for their next attempt
    retryWaiting: bool


class DeleteEndpointQuery(TypedDict, total=False):
    # Cancel the live events that point to the endpoint. Claimed events cannot be cancelled
    cancelEvents: bool


class ReadInboxQuery(TypedDict, total=False):
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class ListSchedulesQuery(TypedDict, total=False):
    # Enabled or paused
    enabled: bool
    # Whether it runs for each user
    perUser: bool
    # With a trigger of any of these kinds
    trigger: Union[Literal["yearly", "cron", "rrule", "every"], List[Literal["yearly", "cron", "rrule", "every"]]]
    # With this tag
    tag: str
    # Any of these types
    eventType: Union[str, List[str]]
    # id or ext:<externalId>
    endpointId: str
    # Prefix of id, external id, event type
    q: str
    # createdAt by default
    sort: Literal["createdAt", "-createdAt"]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


ListOccurrencesQuery = TypedDict("ListOccurrencesQuery", {
    # id or ext:<externalId>; all schedules without it
    "scheduleId": str,
    # The user, for a perUser schedule; id or ext:<externalId>. Required if the schedule runs on a date of each user,
    # such as dateOfBirth; otherwise timezone suffices
    "userId": str,
    # Overrides the zone of the user or the schedule
    "timezone": str,
    # At or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M); now by default
    "from": str,
    # Before
    "to": str,
    # Maximum number of rows. A page also ends when it has about 2 MiB
    "limit": int,
    # nextCursor of the previous page; bound to filter and sort
    "cursor": str,
}, total=False)


class ListOperationsQuery(TypedDict, total=False):
    # Any of these
    status: Union[Literal["RUNNING", "COMPLETED", "FAILED", "STOPPED"], List[Literal["RUNNING", "COMPLETED", "FAILED", "STOPPED"]]]
    # Any of these
    kind: Union[Literal["PLAN_SCHEDULE", "REPLAN_SCHEDULE", "BACKFILL_SCHEDULE", "BULK"], List[Literal["PLAN_SCHEDULE", "REPLAN_SCHEDULE", "BACKFILL_SCHEDULE", "BULK"]]]
    # Of this schedule; id or ext:<externalId>
    scheduleId: str
    # Order; with a minus, descending
    sort: Literal["createdAt", "-createdAt"]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class ListApiKeysQuery(TypedDict, total=False):
    # Order; with a minus, descending
    sort: Literal["createdAt", "-createdAt"]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class ListCalendarsQuery(TypedDict, total=False):
    # Of this schedule: id or ext:<externalId>
    scheduleId: str
    # Of this user: id or ext:<externalId>
    userId: str
    # Order; with a minus, descending
    sort: Literal["createdAt", "-createdAt"]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class ReadCalendarQuery(TypedDict, total=False):
    # How many days ahead occurrences are listed
    days: int


class ListOperationErrorsQuery(TypedDict, total=False):
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class _FollowLiveQueryRequired(TypedDict):
    # The topics to follow
    topics: Union[Literal["stats", "users", "schedules", "endpoints", "keys", "events", "instances", "operations"], List[Literal["stats", "users", "schedules", "endpoints", "keys", "events", "instances", "operations"]]]


class FollowLiveQuery(_FollowLiveQueryRequired, total=False):
    # Of events: with any of these types
    eventType: Union[str, List[str]]
    # Of events: to this endpoint, id or ext:<externalId>
    endpointId: str
    # Of events: that now have any of these
    status: Union[Literal["PROCESSING", "COMPLETED", "FAILED"], List[Literal["PROCESSING", "COMPLETED", "FAILED"]]]


class GetStatsQuery(TypedDict, total=False):
    # PT1M to PT720H
    window: str


class _GetStatsSeriesQueryRequired(TypedDict):
    # Topics to show
    metric: Union[Literal["executed", "failed", "retried", "lateness_p50", "lateness_p95", "lateness_p99", "duration_p50", "duration_p95", "duration_p99", "claim_duration_p50", "claim_duration_p95", "claim_duration_p99", "backlog", "oldest_due"], List[Literal["executed", "failed", "retried", "lateness_p50", "lateness_p95", "lateness_p99", "duration_p50", "duration_p95", "duration_p99", "claim_duration_p50", "claim_duration_p95", "claim_duration_p99", "backlog", "oldest_due"]]]


_GetStatsSeriesQueryOptional = TypedDict("_GetStatsSeriesQueryOptional", {
    # RFC 3339, or now, now-1h30m, now+7d, now-P1M; an hour before to by default
    "from": str,
    # As from; now by default
    "to": str,
    # Whole minutes
    "step": str,
    # A line for each; claims and the backlog are by instance only
    "by": Literal["eventType", "endpointId", "instanceId"],
    # Only the line of this event type or endpoint (its id), however many there are. A line other has those of the 100
    # busiest in a minute that have no counters of their own; it may contain this one
    "key": str,
}, total=False)


class GetStatsSeriesQuery(_GetStatsSeriesQueryRequired, _GetStatsSeriesQueryOptional):
    pass


GetStatsHeatmapQuery = TypedDict("GetStatsHeatmapQuery", {
    # RFC 3339, or now, now-1h30m, now+7d, now-P1M; now-24h by default
    "from": str,
    # As from; now+24h by default
    "to": str,
    # Whole hours, PT24H at most
    "bucket": str,
    # A line for each
    "by": Literal["timezone", "endpointId", "status"],
    # false: only finished events
    "forecast": bool,
}, total=False)


ListAttemptsQuery = TypedDict("ListAttemptsQuery", {
    # Of this event
    "eventId": str,
    # To this endpoint: id or ext:<externalId>
    "endpointId": str,
    # With any of these outcomes
    "outcome": Union[Literal["SUCCEEDED", "RETRYABLE", "PERMANENT", "LOST", "LATE", "RELEASED"], List[Literal["SUCCEEDED", "RETRYABLE", "PERMANENT", "LOST", "LATE", "RELEASED"]]],
    # With any of these HTTP statuses
    "statusCode": Union[int, List[int]],
    # Ended at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    "from": str,
    # Ended before (RFC 3339, or now, now-1h30m, now+7d, now-P1M)
    "to": str,
    # Maximum number of rows. A page also ends when it has about 2 MiB
    "limit": int,
    # nextCursor of the previous page; bound to filter and sort
    "cursor": str,
}, total=False)


class ListFailuresQuery(TypedDict, total=False):
    # Grouping key
    by: Literal["reason", "endpointId"]


class ListStreamsQuery(TypedDict, total=False):
    # Of this type
    aggregateType: str
    # Prefix of the aggregate id
    q: str
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class ReadStreamQuery(TypedDict, total=False):
    # From this version on
    fromVersion: int
    # Up to and including this version
    toVersion: int
    # backward: newest first
    direction: Literal["forward", "backward"]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int


class ListIntakesQuery(TypedDict, total=False):
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class _ListRefusedRowsQueryRequired(TypedDict):
    # Its name in storage.intake
    intake: str


class ListRefusedRowsQuery(_ListRefusedRowsQueryRequired, total=False):
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class _ListTakenRowsQueryRequired(TypedDict):
    # Its name in storage.intake
    intake: str


class ListTakenRowsQuery(_ListTakenRowsQueryRequired, total=False):
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class ListLocksQuery(TypedDict, total=False):
    # Prefix of the name
    q: str
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


class ReadFeedQuery(TypedDict, total=False):
    # nextPosition of the previous page
    after: int
    # Any of these
    aggregateType: Union[str, List[str]]
    # Any of these
    eventType: Union[str, List[str]]
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # How long to wait while nothing matches, up to PT60S; no wait by default
    wait: str


ListTimezonesQuery = TypedDict("ListTimezonesQuery", {
    # Part of the name, case-insensitive
    "q": str,
    # Any of these names, exactly
    "zone": Union[str, List[str]],
    # Changes at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M); now by default
    "from": str,
    # Changes before; a year after 'from' by default
    "to": str,
    # Maximum number of rows. A page also ends when it has about 2 MiB
    "limit": int,
    # nextCursor of the previous page; bound to filter and sort
    "cursor": str,
}, total=False)


class GetTimezoneImpactQuery(TypedDict, total=False):
    # Maximum number of rows. A page also ends when it has about 2 MiB
    limit: int
    # nextCursor of the previous page; bound to filter and sort
    cursor: str


#: A code of a problem.
ProblemCode = Literal[
    "VALIDATION_FAILED",
    "MALFORMED_JSON",
    "INVALID_CURSOR",
    "INVALID_TEMPLATE",
    "UNAUTHENTICATED",
    "FORBIDDEN",
    "HOST_NOT_ALLOWED",
    "ORIGIN_NOT_ALLOWED",
    "CSRF_TOKEN_REQUIRED",
    "HTTPS_REQUIRED",
    "USER_NOT_FOUND",
    "EVENT_NOT_FOUND",
    "ENDPOINT_NOT_FOUND",
    "SCHEDULE_NOT_FOUND",
    "OPERATION_NOT_FOUND",
    "API_KEY_NOT_FOUND",
    "LOCK_NOT_FOUND",
    "ATTEMPT_NOT_FOUND",
    "INSTANCE_NOT_FOUND",
    "CALENDAR_NOT_FOUND",
    "AGGREGATE_NOT_FOUND",
    "ROUTE_NOT_FOUND",
    "METHOD_NOT_ALLOWED",
    "NOT_ACCEPTABLE",
    "REQUEST_TIMEOUT",
    "INVALID_STATE_TRANSITION",
    "LEASE_LOST",
    "ENDPOINT_DISABLED",
    "ENDPOINT_IN_USE",
    "CLOCK_NOT_TEST",
    "FIRST_KEY_NOT_ADMIN",
    "LAST_ADMIN_KEY",
    "DUPLICATE_EXTERNAL_ID",
    "DUPLICATE_IDEMPOTENCY_KEY",
    "IDEMPOTENCY_IN_PROGRESS",
    "OPTIMISTIC_LOCK",
    "STREAM_ARCHIVED",
    "FEED_DIVERGED",
    "CHECKPOINT_CONFLICT",
    "LOCK_HELD",
    "LOCK_NOT_HELD",
    "STREAM_DELETED",
    "PAYLOAD_TOO_LARGE",
    "URI_TOO_LONG",
    "UNSUPPORTED_MEDIA_TYPE",
    "EVENT_ID_REUSED",
    "IDEMPOTENCY_KEY_REUSED",
    "TOO_EARLY",
    "PRECONDITION_REQUIRED",
    "RATE_LIMITED",
    "HEADERS_TOO_LARGE",
    "INTERNAL_ERROR",
    "STORAGE_UNAVAILABLE",
    "COMMIT_OUTCOME_UNKNOWN",
    "NOT_READY",
    "OVERLOADED",
    "DRAINING",
]


class Route(NamedTuple):
    """Method and path of one operation."""
    method: str
    # With names in braces.
    path: str
    # Of the result: json, text, events (server-sent, without an end) or none.
    kind: str
    # Whether it takes an Idempotency-Key.
    keyed: bool


#: Every operation that the client offers, by its operationId.
OPERATIONS: Dict[str, Route] = {
    "listUsers": Route("GET", "/v1/users", "json", False),
    "v1CreateUser": Route("POST", "/v1/users", "json", True),
    "createUsers": Route("POST", "/v1/users/batch", "json", True),
    "importUsers": Route("POST", "/v1/users/import", "json", True),
    "v1GetUser": Route("GET", "/v1/users/{id}", "json", False),
    "v1PutUser": Route("PUT", "/v1/users/{id}", "json", True),
    "v1DeleteUser": Route("DELETE", "/v1/users/{id}", "none", True),
    "patchUser": Route("PATCH", "/v1/users/{id}", "json", True),
    "listEvents": Route("GET", "/v1/events", "json", False),
    "createEvent": Route("POST", "/v1/events", "json", True),
    "createEvents": Route("POST", "/v1/events/batch", "json", True),
    "getEvent": Route("GET", "/v1/events/{id}", "json", False),
    "patchEvent": Route("PATCH", "/v1/events/{id}", "json", True),
    "cancelEvent": Route("DELETE", "/v1/events/{id}", "json", True),
    "retryEvent": Route("POST", "/v1/events/{id}/retry", "json", True),
    "explainEvent": Route("GET", "/v1/events/{id}/explain", "json", False),
    "completeEvent": Route("POST", "/v1/events/{id}/complete", "json", True),
    "failEvent": Route("POST", "/v1/events/{id}/fail", "json", True),
    "releaseEvent": Route("POST", "/v1/events/{id}/release", "json", True),
    "extendEvent": Route("POST", "/v1/events/{id}/extend", "json", True),
    "listEndpoints": Route("GET", "/v1/endpoints", "json", False),
    "createEndpoint": Route("POST", "/v1/endpoints", "json", True),
    "getEndpoint": Route("GET", "/v1/endpoints/{id}", "json", False),
    "patchEndpoint": Route("PATCH", "/v1/endpoints/{id}", "json", True),
    "putEndpoint": Route("PUT", "/v1/endpoints/{id}", "json", True),
    "deleteEndpoint": Route("DELETE", "/v1/endpoints/{id}", "none", True),
    "rotateSecret": Route("POST", "/v1/endpoints/{id}/rotate-secret", "json", True),
    "testEndpoint": Route("POST", "/v1/endpoints/{id}/test", "json", True),
    "claimEvents": Route("POST", "/v1/endpoints/{id}/claim", "json", True),
    "readInbox": Route("GET", "/v1/endpoints/{id}/inbox", "json", False),
    "clearInbox": Route("DELETE", "/v1/endpoints/{id}/inbox", "none", True),
    "listSchedules": Route("GET", "/v1/schedules", "json", False),
    "createSchedule": Route("POST", "/v1/schedules", "json", True),
    "getSchedule": Route("GET", "/v1/schedules/{id}", "json", False),
    "patchSchedule": Route("PATCH", "/v1/schedules/{id}", "json", True),
    "putSchedule": Route("PUT", "/v1/schedules/{id}", "json", True),
    "deleteSchedule": Route("DELETE", "/v1/schedules/{id}", "none", True),
    "triggerSchedule": Route("POST", "/v1/schedules/{id}/trigger", "json", True),
    "backfillSchedule": Route("POST", "/v1/schedules/{id}/backfill", "json", True),
    "bulkSchedules": Route("POST", "/v1/schedules/bulk", "json", True),
    "previewSchedule": Route("POST", "/v1/preview", "json", True),
    "listOccurrences": Route("GET", "/v1/occurrences", "json", False),
    "listOperations": Route("GET", "/v1/operations", "json", False),
    "getOperation": Route("GET", "/v1/operations/{id}", "json", False),
    "stopOperation": Route("DELETE", "/v1/operations/{id}", "json", True),
    "listApiKeys": Route("GET", "/v1/api-keys", "json", False),
    "createApiKey": Route("POST", "/v1/api-keys", "json", True),
    "revokeApiKey": Route("DELETE", "/v1/api-keys/{id}", "none", True),
    "listCalendars": Route("GET", "/v1/calendars", "json", False),
    "createCalendar": Route("POST", "/v1/calendars", "json", True),
    "revokeCalendar": Route("DELETE", "/v1/calendars/{id}", "none", True),
    "readCalendar": Route("GET", "/calendar/{token}", "text", False),
    "listOperationErrors": Route("GET", "/v1/operations/{id}/errors", "json", False),
    "bulk": Route("POST", "/v1/bulk", "json", True),
    "followLive": Route("GET", "/v1/live", "events", False),
    "getStats": Route("GET", "/v1/stats", "json", False),
    "getStatsSeries": Route("GET", "/v1/stats/series", "json", False),
    "getStatsHeatmap": Route("GET", "/v1/stats/heatmap", "json", False),
    "listAttempts": Route("GET", "/v1/attempts", "json", False),
    "getAttempt": Route("GET", "/v1/attempts/{id}", "json", False),
    "listFailures": Route("GET", "/v1/stats/failures", "json", False),
    "listStreams": Route("GET", "/v1/streams", "json", False),
    "readStream": Route("GET", "/v1/streams/{aggregateType}/{aggregateId}", "json", False),
    "appendToStream": Route("POST", "/v1/streams/{aggregateType}/{aggregateId}", "json", True),
    "getSnapshot": Route("GET", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", "json", False),
    "saveSnapshot": Route("PUT", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", "json", True),
    "listIntakes": Route("GET", "/v1/intakes", "json", False),
    "listRefusedRows": Route("GET", "/v1/intakes/refused", "json", False),
    "listTakenRows": Route("GET", "/v1/intakes/taken", "json", False),
    "listLocks": Route("GET", "/v1/locks", "json", False),
    "getLock": Route("GET", "/v1/locks/{name}", "json", False),
    "acquireLock": Route("POST", "/v1/locks/{name}", "json", True),
    "renewLock": Route("PUT", "/v1/locks/{name}", "json", True),
    "releaseLock": Route("DELETE", "/v1/locks/{name}", "none", True),
    "readFeed": Route("GET", "/v1/feed", "json", False),
    "getCheckpoint": Route("GET", "/v1/checkpoints/{name}", "json", False),
    "saveCheckpoint": Route("PUT", "/v1/checkpoints/{name}", "json", True),
    "logIn": Route("POST", "/v1/session", "json", False),
    "getSession": Route("GET", "/v1/session", "json", False),
    "logOut": Route("DELETE", "/v1/session", "none", False),
    "getClock": Route("GET", "/v1/clock", "json", False),
    "setClock": Route("PUT", "/v1/clock", "json", True),
    "advanceClock": Route("POST", "/v1/clock/advance", "json", True),
    "tick": Route("POST", "/v1/tick", "json", True),
    "listTimezones": Route("GET", "/v1/timezones", "json", False),
    "getTimezoneImpact": Route("GET", "/v1/timezones/impact", "json", False),
    "listInstances": Route("GET", "/v1/instances", "json", False),
    "drainInstance": Route("POST", "/v1/instances/{id}/drain", "json", True),
    "getInfo": Route("GET", "/v1/info", "json", False),
    "listSettings": Route("GET", "/v1/settings", "json", False),
    "getDocs": Route("GET", "/docs", "text", False),
    "getErrors": Route("GET", "/docs/errors", "text", False),
    "getError": Route("GET", "/docs/errors/{code}", "text", False),
    "getDocument": Route("GET", "/docs/{page}", "text", False),
    "getDocumentInFolder": Route("GET", "/docs/{folder}/{page}", "text", False),
    "getDocumentList": Route("GET", "/llms.txt", "text", False),
    "getAllDocuments": Route("GET", "/llms-full.txt", "text", False),
    "getOpenApi": Route("GET", "/openapi.json", "json", False),
    "livez": Route("GET", "/livez", "text", False),
    "readyz": Route("GET", "/readyz", "text", False),
    "healthz": Route("GET", "/healthz", "json", False),
    "metrics": Route("GET", "/metrics", "text", False),
}
