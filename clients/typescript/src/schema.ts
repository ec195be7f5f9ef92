// Generated from openapi.json by clients/generate. Do not edit.

/** The version of Sundial that these types describe. */
export const VERSION = "0.1.0";

export interface NewUser {
  firstName: string;
  lastName: string;
  /** A real day before today in the user's zone, YYYY-MM-DD */
  dateOfBirth: string;
  /** IANA zone, a Zone or a Link of the tz database, case-sensitive */
  timezone: string;
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId?: string;
  /** Further dates of the person, for yearly schedules and templates */
  dates?: Record<string, string>;
  /** Texts for templates */
  metadata?: Record<string, string>;
}

/** With an id: the given members are replaced. With ext:<externalId>: the whole user */
export interface UserPut {
  firstName?: string;
  lastName?: string;
  /** A real day before today in the user's zone, YYYY-MM-DD */
  dateOfBirth?: string;
  /** IANA zone, a Zone or a Link of the tz database, case-sensitive */
  timezone?: string;
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId?: string;
  /** Further dates of the person, for yearly schedules and templates */
  dates?: Record<string, string>;
  /** Texts for templates */
  metadata?: Record<string, string>;
}

/** JSON merge patch: null removes */
export interface UserPatch {
  firstName?: string;
  lastName?: string;
  /** A real day before today in the user's zone, YYYY-MM-DD */
  dateOfBirth?: string;
  /** IANA zone, a Zone or a Link of the tz database, case-sensitive */
  timezone?: string;
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId?: string | null;
  dates?: Record<string, string | null>;
  metadata?: Record<string, string | null>;
}

export interface User {
  /** id */
  id: string;
  firstName: string;
  lastName: string;
  /** A real day before today in the user's zone, YYYY-MM-DD */
  dateOfBirth: string;
  /** IANA zone, a Zone or a Link of the tz database, case-sensitive */
  timezone: string;
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId: string | null;
  /** Further dates of the person, for yearly schedules and templates */
  dates: Record<string, string>;
  /** Texts for templates */
  metadata: Record<string, string>;
  /** Grows by 1 with every change; also the ETag */
  version: number;
  createdAt: string;
  updatedAt: string;
  /** Effect of the change on planned events */
  reschedule?: {
    rescheduledCount: number;
    /** Events that were being processed: they run as planned */
    skippedCount: number;
    totalPendingCount: number;
    skippedEventIds: readonly string[];
  };
}

export interface NewEvent {
  /** Type of the event, for handlers and receivers */
  eventType: string;
  /** RFC 3339 with offset, or now, now-1h30m, now+7d, now-P1M */
  targetTimestampUTC?: string;
  /** Local time, 2027-01-05T09:00[:00], in targetTimezone */
  targetTimestampLocal?: string;
  /** Zone of the local time; the user's by default */
  targetTimezone?: string;
  /** Policy for a local time that does not exist */
  gap?: "compatible" | "earlier" | "later" | "boundary" | "skip" | "reject";
  /** Policy for a local time that occurs twice */
  overlap?: "compatible" | "earlier" | "later" | "skip" | "reject";
  userId?: string;
  /** id or ext:<externalId> */
  endpointId?: string;
  priority?: "CRITICAL" | "HIGH" | "NORMAL" | "LOW";
  /** One live or completed event per key; sent to receivers as webhook-id */
  idempotencyKey?: string;
  /** Any JSON value, up to 256 KiB; stored and sent byte for byte */
  deliveryPayload: unknown;
}

export interface EventPatch {
  /** RFC 3339 with offset, or now to fire at once */
  targetTimestampUTC?: string;
  targetTimestampLocal?: string;
  /** IANA zone, a Zone or a Link of the tz database, case-sensitive */
  targetTimezone?: string;
  /** Policy for a local time that does not exist */
  gap?: "compatible" | "earlier" | "later" | "boundary" | "skip" | "reject";
  /** Policy for a local time that occurs twice */
  overlap?: "compatible" | "earlier" | "later" | "skip" | "reject";
  endpointId?: string | null;
  priority?: "CRITICAL" | "HIGH" | "NORMAL" | "LOW";
  /** Any JSON value, up to 256 KiB; stored and sent byte for byte */
  deliveryPayload?: unknown;
  /** For a FAILED event: whether the dead letter was dismissed */
  dismissed?: boolean;
  /**
   * Only with dismissed true: why. A second dismissal with a note replaces the first one's; taking the dismissal
   * back removes it
   */
  note?: string;
}

export interface NewEvents {
  events: readonly NewEvent[];
}

export interface EventBatch {
  /** The event or its problem for each item, in the order of the request */
  data: readonly (Event | Problem)[];
}

export interface RetryEvent {
  /** A new key, so that a COMPLETED event can be sent again */
  newKey?: boolean;
}

export interface ClaimWork {
  /** The worker's name, new at each start; becomes claimedBy */
  worker: string;
  /** Maximum number of events; 10 by default */
  limit?: number;
  /** How long the worker holds them, PT1S to PT12H; PT30S by default */
  lease?: string;
  /** How long to wait while nothing is due, up to PT60S; no wait by default */
  wait?: string;
}

export interface AcquireLock {
  /** Name of the holder, for people */
  holder: string;
  /** Length of the lease, PT1S to PT24H; PT30S by default */
  ttl?: string;
  /** How long to wait while another holder has the lock, up to PT60S; no wait by default */
  wait?: string;
}

export interface RenewLock {
  lockToken: string;
  /** Length of the lease from now on; PT30S by default */
  ttl?: string;
}

export interface AcquiredLock {
  name: string;
  holder: string;
  /** Needed to renew and release the lock; shown once, only a hash is stored */
  lockToken: string;
  /** For guarded writes: the guarded storage refuses a token smaller than one that it has seen */
  fencingToken: number;
  expiresAt: string;
}

export interface RenewedLock {
  name: string;
  fencingToken: number;
  expiresAt: string;
}

export interface Intake {
  name: string;
  /** The place of the table, without a password */
  source: string;
  status: "FOLLOWED" | "LOST" | "IDLE";
  /** Why the table cannot be read */
  failure: string | null;
  /** Since when the table can, or cannot, be read */
  since: string;
  /** Rows that were scheduled or refused */
  taken: number;
  /** Those that were refused */
  refused: number;
  /** The greatest id taken */
  lastId: number | null;
  lastTakenAt: string | null;
  /** The instance that reads the table */
  followedBy: string | null;
}

export interface IntakePage {
  data: readonly Intake[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface RefusedRow {
  id: number;
  /** event, schedule or user; null: another, or not read */
  kind: string | null;
  /** As the API would answer */
  code: string;
  detail: string;
  errors: readonly FieldError[];
  refusedAt: string;
}

export interface RefusedRowPage {
  data: readonly RefusedRow[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface TakenRange {
  first: number;
  /** Included */
  last: number;
}

export interface TakenRangePage {
  data: readonly TakenRange[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface HeldLock {
  name: string;
  holder: string;
  acquiredAt: string;
  fencingToken: number;
  expiresAt: string;
}

export interface LockPage {
  data: readonly HeldLock[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface Work {
  data: readonly Event[];
}

export interface ClaimVersion {
  /** The version returned by the claim */
  version: number;
}

export interface FailEvent {
  /** The version returned by the claim */
  version: number;
  /** The reason, for people: truncated to 1000 characters, control characters replaced by blanks */
  reason?: string;
  /** true (default): attempt again by the endpoint's retry policy; false: the event is FAILED at once */
  retry?: boolean;
}

export interface ExtendClaim {
  /** The version returned by the claim */
  version: number;
  /** Length of the lease from now, PT1S to PT12H; PT30S by default */
  lease?: string;
}

export interface Event {
  /** With expand=user */
  user?: User | null;
  /** With expand=schedule */
  schedule?: ScheduleOfEvent | null;
  /** With expand=endpoint */
  endpoint?: EndpointOfEvent | null;
  /** With expand=attempts, of one event: the latest first */
  attempts?: readonly Attempt[];
  /** id */
  id: string;
  /** Type of the event, for handlers and receivers */
  eventType: string;
  status: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED";
  priority: "CRITICAL" | "HIGH" | "NORMAL" | "LOW";
  /** id */
  userId: string | null;
  /** id */
  scheduleId: string | null;
  /** id */
  endpointId: string | null;
  /** When the event is due. null while an event that SQL stored with a local time has no instant yet */
  targetTimestampUTC: string | null;
  /** The same on the wall clock of targetTimezone, with its offset. Without offset while there is no instant */
  targetTimestampLocal: string;
  /**
   * Zone of the event: given; by default that of its schedule, that of its user for a local time, and UTC for an
   * instant
   */
  targetTimezone: string;
  /** When the receiver accepted it */
  executedAt: string | null;
  failureReason: string | null;
  /** Number of the latest attempt. A retry of an event goes on from its number */
  attempt: number;
  /** Number of attempts that failed or were lost */
  retryCount: number;
  /** When the next attempt is due; null while parked */
  nextAttemptAt: string | null;
  /** More than a second late */
  lateExecution: boolean;
  /**
   * Start of the first attempt minus due. An attempt that was LOST began when it was claimed; one that was
   * RELEASED does not count
   */
  latenessMs: number | null;
  /** Grows by 1 with every change; also the ETag */
  version: number;
  /** One live or completed event per key; sent to receivers as webhook-id */
  idempotencyKey: string;
  /**
   * Any JSON value, up to 256 KiB, stored and sent byte for byte; for an occurrence the payload of its schedule,
   * filled in
   */
  deliveryPayload: unknown;
  /** The FAILED event that this one retries */
  retryOf: string | null;
  /** When a dead letter was dismissed */
  dismissedAt: string | null;
  /** Why it was dismissed; null without a note */
  dismissalNote: string | null;
  /**
   * The caller that dismissed or retried it: `key:` and the short id of an API key, `loopback` for a caller of a
   * server without keys, `sql:` and a role; null if no caller is known. The stream EventAudit of the event has
   * each action on it
   */
  dismissedBy: string | null;
  /** The holder: the id of an instance, or the name of a pull worker */
  claimedBy: string | null;
  /** End of the lease */
  leaseExpiresAt: string | null;
  /**
   * Why a live event is not being sent: RETRY for its next attempt, CIRCUIT until its endpoint's circuit closes,
   * LIMIT for a place within its endpoint's limits, ENDPOINT for an endpoint that is enabled, SCHEDULE until its
   * schedule is resumed. null: it is not due, it is claimed, or it is finished
   */
  waitingFor: "RETRY" | "CIRCUIT" | "LIMIT" | "ENDPOINT" | "SCHEDULE" | null;
  /** W3C Trace Context of the request that created it; null: that had none */
  traceparent: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ScheduleOfEvent {
  /** id */
  id: string;
  externalId: string | null;
  eventType: string;
  enabled: boolean;
}

export interface EndpointOfEvent {
  /** id */
  id: string;
  externalId: string | null;
  name: string;
  type: "WEBHOOK" | "INBOX" | "PULL" | "SQS" | "SHADOW";
  enabled: boolean;
}

export interface NewEndpoint {
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId?: string;
  type: "WEBHOOK" | "INBOX" | "PULL" | "SQS" | "SHADOW";
  name: string;
  /** https, on an allowed port, never a private address unless the server allows it; for SQS, of the queue */
  url?: string;
  /** SQS only: the region that requests are signed for; by default the one that the URL names */
  region?: string;
  /**
   * SQS only: scheme and host that requests go to instead of those of url, such as a VPC endpoint. The same rules
   * apply
   */
  endpointUrl?: string;
  /** SQS only, for FIFO queues: what the messages of one group have in common */
  messageGroup?: "user" | "endpoint";
  /** INBOX only: the status that it answers with, from 200 to 599; 204 by default */
  inboxStatus?: string;
  /**
   * INBOX only: how long its answer takes, up to PT60S; none by default. From the endpoint's timeout on, the
   * attempt times out
   */
  inboxDelay?: string;
  /** Format of the body: the payload as it is (default); type, timestamp and data; or a CloudEvent. Never changes */
  format?: "RAW" | "ENVELOPE" | "CLOUDEVENTS";
  /** Your own headers, sent with each request. Their values are stored encrypted and never shown again */
  headers?: Record<string, string>;
  /**
   * Time-out of the whole request: PT1S to PT30S, and at most scheduler.lease less 10 s, which is PT20S unless
   * that is raised; delivery.timeout by default
   */
  timeout?: string;
  /**
   * standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
   * Each is multiplied by 0.9 to 1.1
   */
  retryPolicy?: "standard" | "seed" | {
    delays: readonly string[];
  };
  /** Number of retries for 3xx, 401, 403, 404, 407, 409 and 421 */
  retryClientErrors?: number;
  /**
   * Maximum number of requests a second, of all instances together; for PULL, of events that its workers claim; no
   * limit by default
   */
  rateLimit?: {
    perSecond: number;
    /** Burst after a rest; perSecond by default */
    burst?: number;
  } | null;
  /**
   * Maximum number of requests in flight, of all instances together; for PULL, of events that its workers hold; no
   * limit by default
   */
  maxInFlight?: number | null;
  enabled?: boolean;
  /**
   * whsec_ and the base64 of 24 to 64 bytes; generated by default for a WEBHOOK. An INBOX signs only once it has
   * one
   */
  secret?: string;
  /** Also sign with an Ed25519 key (v1a); publicKey verifies it */
  ed25519?: boolean;
}

/**
 * With ext:<externalId> the whole endpoint: name and type are required, and members that are left out return to
 * their defaults. With an id the given members. Type, format and secret may be repeated but not changed
 */
export interface EndpointPut {
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId?: string;
  type?: "WEBHOOK" | "INBOX" | "PULL" | "SQS" | "SHADOW";
  name?: string;
  /** https, on an allowed port, never a private address unless the server allows it; for SQS, of the queue */
  url?: string;
  /** SQS only: the region that requests are signed for; by default the one that the URL names */
  region?: string;
  /**
   * SQS only: scheme and host that requests go to instead of those of url, such as a VPC endpoint. The same rules
   * apply
   */
  endpointUrl?: string;
  /** SQS only, for FIFO queues: what the messages of one group have in common */
  messageGroup?: "user" | "endpoint";
  /** INBOX only: the status that it answers with, from 200 to 599; 204 by default */
  inboxStatus?: string;
  /**
   * INBOX only: how long its answer takes, up to PT60S; none by default. From the endpoint's timeout on, the
   * attempt times out
   */
  inboxDelay?: string;
  /** Format of the body: the payload as it is (default); type, timestamp and data; or a CloudEvent. Never changes */
  format?: "RAW" | "ENVELOPE" | "CLOUDEVENTS";
  /** Your own headers, sent with each request. Their values are stored encrypted and never shown again */
  headers?: Record<string, string>;
  /**
   * Time-out of the whole request: PT1S to PT30S, and at most scheduler.lease less 10 s, which is PT20S unless
   * that is raised; delivery.timeout by default
   */
  timeout?: string;
  /**
   * standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
   * Each is multiplied by 0.9 to 1.1
   */
  retryPolicy?: "standard" | "seed" | {
    delays: readonly string[];
  };
  /** Number of retries for 3xx, 401, 403, 404, 407, 409 and 421 */
  retryClientErrors?: number;
  /** Maximum number of requests a second, of all instances together; no limit by default */
  rateLimit?: {
    perSecond: number;
    /** Burst after a rest; perSecond by default */
    burst?: number;
  } | null;
  /** Maximum number of requests in flight, of all instances together; as many as there are workers by default */
  maxInFlight?: number | null;
  enabled?: boolean;
  /** whsec_ and the base64 of 24 to 64 bytes; generated by default */
  secret?: string;
  /** Also sign with an Ed25519 key (v1a); publicKey verifies it */
  ed25519?: boolean;
}

export interface EndpointPatch {
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId?: string | null;
  name?: string;
  /** https, on an allowed port, never a private address unless the server allows it; for SQS, of the queue */
  url?: string;
  /**
   * SQS only: the region that requests are signed for; by default the one that the URL names; null: that of the
   * URL
   */
  region?: string | null;
  /**
   * SQS only: scheme and host that requests go to instead of those of url, such as a VPC endpoint. The same rules
   * apply; null: that of url
   */
  endpointUrl?: string | null;
  /** SQS only, for FIFO queues: what the messages of one group have in common; null: user */
  messageGroup?: "user" | "endpoint" | null;
  /** INBOX only: the status that it answers with, from 200 to 599; null: 204 */
  inboxStatus?: string | null;
  /**
   * INBOX only: how long its answer takes, up to PT60S; null: none. From the endpoint's timeout on, the attempt
   * times out
   */
  inboxDelay?: string | null;
  /**
   * Your own headers, sent with each request: values given are set, null removes a header, all others stay. When
   * the url moves to another origin (scheme, host or port), each header that is to stay must be given its value
   * again
   */
  headers?: Record<string, string | null> | null;
  /**
   * Time-out of the whole request: PT1S to PT30S, and at most scheduler.lease less 10 s, which is PT20S unless
   * that is raised
   */
  timeout?: string;
  /**
   * standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
   * Each is multiplied by 0.9 to 1.1
   */
  retryPolicy?: "standard" | "seed" | {
    delays: readonly string[];
  };
  /** Number of retries for 3xx, 401, 403, 404, 407, 409 and 421 */
  retryClientErrors?: number;
  /**
   * Maximum number of requests a second, of all instances together; for PULL, of events that its workers claim; no
   * limit by default
   */
  rateLimit?: {
    perSecond?: number;
    /** Burst after a rest; perSecond by default */
    burst?: number;
  } | null;
  /**
   * Maximum number of requests in flight, of all instances together; for PULL, of events that its workers hold; no
   * limit by default
   */
  maxInFlight?: number | null;
  /** Closes the circuit by hand: waiting events are sent now */
  circuit?: {
    state: "CLOSED";
  };
  enabled?: boolean;
  /** Also sign with an Ed25519 key (v1a); publicKey verifies it */
  ed25519?: boolean;
}

export interface Endpoint {
  /** id */
  id: string;
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId: string | null;
  name: string;
  type: "WEBHOOK" | "INBOX" | "PULL" | "SQS" | "SHADOW";
  url: string | null;
  /** SQS only, if it was given */
  region?: string;
  /** SQS only, if it was given */
  endpointUrl?: string;
  /** SQS only, if it was given */
  messageGroup?: string;
  /** INBOX only, if it was given */
  inboxStatus?: string;
  /** INBOX only, if it was given */
  inboxDelay?: string;
  format: "RAW" | "ENVELOPE" | "CLOUDEVENTS";
  /**
   * The names of your own headers, each with a hint of its value: an ellipsis, and the last three characters of a
   * long one
   */
  headers: Record<string, string>;
  /** Time-out of the whole request */
  timeout: string;
  /**
   * standard: 1 s, 2 s, 4 s, 30 s, 5 min, 30 min, 2 h, 5 h, 10 h, 24 h. seed: 1 s, 2 s, 4 s. Or your own delays.
   * Each is multiplied by 0.9 to 1.1
   */
  retryPolicy: "standard" | "seed" | {
    delays: readonly string[];
  };
  retryClientErrors: number;
  rateLimit: {
    perSecond: number;
    burst: number;
  } | null;
  maxInFlight: number | null;
  enabled: boolean;
  disabledReason: string | null;
  /** State of the receiver. Not part of the version: it changes with every result */
  circuit: {
    state: "CLOSED" | "HALF_OPEN" | "OPEN";
    /** Share of failures in delivery.circuit.window */
    failureRatio: number;
    openedAt: string | null;
    /** When the next event is sent to test the receiver */
    probeAt: string | null;
  };
  secretHint: string | null;
  ed25519: boolean;
  /** whpk_ and the base64 of the newest Ed25519 key, which verifies v1a signatures */
  publicKey: string | null;
  /** Grows by 1 with every change; also the ETag */
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface CreatedEndpoint extends Endpoint {
  /** whsec_ and base64; shown only this once. Missing if the endpoint does not sign */
  secret?: string;
}

export interface RotatedEndpoint extends Endpoint {
  /** The new secret, whsec_ and base64; shown only this once */
  secret: string;
}

export interface TestResult {
  outcome: "SUCCEEDED" | "RETRYABLE" | "PERMANENT";
  statusCode: number | null;
  durationMs: number;
  error: {
    code: string;
    text: string;
  } | null;
  response: {
    body: string;
  };
}

export interface InboxRequest {
  receivedAt: string;
  headers: Record<string, string>;
  body: string;
  /** The result of a check with the keys that the endpoint has now. An INBOX signs once it has a secret */
  signature: {
    /** INVALID: none of the endpoint's keys made the signature; MISSING: the request has none */
    state: "VALID" | "INVALID" | "MISSING";
    /** Which secret made a valid signature: the newest one, or one that a rotation has replaced */
    secret: "CURRENT" | "PREVIOUS" | null;
    /** How long after its webhook-timestamp the request arrived; receivers refuse more than 5 minutes */
    ageMs: number | null;
  };
}

export interface NewSchedule {
  /** Your own id, unique within its type, part of its events' keys: it never changes */
  externalId?: string;
  /** Type of the event, for handlers and receivers */
  eventType: string;
  /** Runs once for each user in that user's own zone; false by default; it never changes */
  perUser?: boolean;
  priority?: "CRITICAL" | "HIGH" | "NORMAL" | "LOW";
  /** false pauses the schedule */
  enabled?: boolean;
  note?: string | null;
  /** Your own groups, for lists and bulk pauses; in order, each once */
  tags?: readonly string[];
  /** Gets a POST request after its events completed; by the rules of webhook URLs */
  pingUrl?: string | null;
  /** Exactly one of yearly, cron, rrule, every */
  trigger: {
    yearly?: {
      /** dateOfBirth, a name of the user's dates, or MM-DD */
      on?: string;
      /** HH:MM[:SS] on the wall clock; 09:00 by default */
      at?: string;
    };
    /** Five fields, six with seconds first, or a macro such as @daily */
    cron?: string;
    /** iCalendar text (DTSTART, RRULE, RDATE, EXDATE), or its parts */
    rrule?: string | {
      dtstart: string;
      rrule?: string;
      rdate?: readonly string[];
      exdate?: readonly string[];
    };
    /** Elapsed time, from startsAt or else the creation: PT15M */
    every?: string;
  };
  /**
   * Zone of the rule; null with perUser: the zone of each user. With every it says only how times are shown; UTC
   * by default
   */
  timezone?: string | null;
  /** id or ext:<externalId>; null: its events wait */
  endpointId?: string | null;
  /**
   * JSON whose strings may hold {targetTimestampLocal} {timezone} and, with perUser, {firstName} {lastName} {age}
   * {dates.x} {metadata.x}; {{ is a brace; {} by default
   */
  payload?: unknown;
  /** Policy for a local time that does not exist */
  gap?: "compatible" | "earlier" | "later" | "boundary" | "skip";
  /** Policy for a local time that occurs twice */
  overlap?: "compatible" | "earlier" | "later" | "skip" | "both";
  /** Date of 29 February in a common year */
  leap?: "feb28" | "mar1" | "skip";
  /** Which occurrences fire that came due while no scheduler ran; all for yearly rules, once for others */
  misfire?: "all" | "once" | "skip";
  /** A later occurrence never fires; null: no bound */
  window?: string | null;
  /** How late is still on time; PT1M by default */
  grace?: string;
  /** Maximum number that misfire all fires, the newest; 100 by default */
  limit?: number;
  /** forbid: an occurrence does not fire while the previous event is unfinished */
  concurrency?: "allow" | "forbid";
  /** Maximum delay of sending; never early, always the same for the same occurrence; PT0S by default */
  jitter?: string;
  /** No occurrence before this instant; RFC 3339, or now+1h */
  startsAt?: string | null;
  /** No occurrence after this instant */
  endsAt?: string | null;
}

export interface SchedulePut {
  /** Type of the event, for handlers and receivers */
  eventType?: string;
  /** Runs once for each user in that user's own zone; false by default; it never changes */
  perUser?: boolean;
  priority?: "CRITICAL" | "HIGH" | "NORMAL" | "LOW";
  /** false pauses the schedule */
  enabled?: boolean;
  note?: string | null;
  /** Your own groups, for lists and bulk pauses; in order, each once */
  tags?: readonly string[];
  /** Gets a POST request after its events completed; by the rules of webhook URLs */
  pingUrl?: string | null;
  /** Exactly one of yearly, cron, rrule, every */
  trigger?: {
    yearly?: {
      /** dateOfBirth, a name of the user's dates, or MM-DD */
      on?: string;
      /** HH:MM[:SS] on the wall clock; 09:00 by default */
      at?: string;
    };
    /** Five fields, six with seconds first, or a macro such as @daily */
    cron?: string;
    /** iCalendar text (DTSTART, RRULE, RDATE, EXDATE), or its parts */
    rrule?: string | {
      dtstart: string;
      rrule?: string;
      rdate?: readonly string[];
      exdate?: readonly string[];
    };
    /** Elapsed time, from startsAt or else the creation: PT15M */
    every?: string;
  };
  /**
   * Zone of the rule; null with perUser: the zone of each user. With every it says only how times are shown; UTC
   * by default
   */
  timezone?: string | null;
  /** id or ext:<externalId>; null: its events wait */
  endpointId?: string | null;
  /**
   * JSON whose strings may hold {targetTimestampLocal} {timezone} and, with perUser, {firstName} {lastName} {age}
   * {dates.x} {metadata.x}; {{ is a brace; {} by default
   */
  payload?: unknown;
  /** Policy for a local time that does not exist */
  gap?: "compatible" | "earlier" | "later" | "boundary" | "skip";
  /** Policy for a local time that occurs twice */
  overlap?: "compatible" | "earlier" | "later" | "skip" | "both";
  /** Date of 29 February in a common year */
  leap?: "feb28" | "mar1" | "skip";
  /** Which occurrences fire that came due while no scheduler ran; all for yearly rules, once for others */
  misfire?: "all" | "once" | "skip";
  /** A later occurrence never fires; null: no bound */
  window?: string | null;
  /** How late is still on time; PT1M by default */
  grace?: string;
  /** Maximum number that misfire all fires, the newest; 100 by default */
  limit?: number;
  /** forbid: an occurrence does not fire while the previous event is unfinished */
  concurrency?: "allow" | "forbid";
  /** Maximum delay of sending; never early, always the same for the same occurrence; PT0S by default */
  jitter?: string;
  /** No occurrence before this instant; RFC 3339, or now+1h */
  startsAt?: string | null;
  /** No occurrence after this instant */
  endsAt?: string | null;
}

export interface SchedulePatch {
  /** Type of the event, for handlers and receivers */
  eventType?: string;
  priority?: "CRITICAL" | "HIGH" | "NORMAL" | "LOW";
  /** false pauses the schedule */
  enabled?: boolean;
  note?: string | null;
  /** Your own groups, for lists and bulk pauses; in order, each once */
  tags?: readonly string[];
  /** Gets a POST request after its events completed; by the rules of webhook URLs */
  pingUrl?: string | null;
  /** Exactly one of yearly, cron, rrule, every */
  trigger?: {
    yearly?: {
      /** dateOfBirth, a name of the user's dates, or MM-DD */
      on?: string;
      /** HH:MM[:SS] on the wall clock; 09:00 by default */
      at?: string;
    };
    /** Five fields, six with seconds first, or a macro such as @daily */
    cron?: string;
    /** iCalendar text (DTSTART, RRULE, RDATE, EXDATE), or its parts */
    rrule?: string | {
      dtstart: string;
      rrule?: string;
      rdate?: readonly string[];
      exdate?: readonly string[];
    };
    /** Elapsed time, from startsAt or else the creation: PT15M */
    every?: string;
  };
  /**
   * Zone of the rule; null with perUser: the zone of each user. With every it says only how times are shown; UTC
   * by default
   */
  timezone?: string | null;
  /** id or ext:<externalId>; null: its events wait */
  endpointId?: string | null;
  /**
   * JSON whose strings may hold {targetTimestampLocal} {timezone} and, with perUser, {firstName} {lastName} {age}
   * {dates.x} {metadata.x}; {{ is a brace; {} by default
   */
  payload?: unknown;
  /** Policy for a local time that does not exist */
  gap?: "compatible" | "earlier" | "later" | "boundary" | "skip";
  /** Policy for a local time that occurs twice */
  overlap?: "compatible" | "earlier" | "later" | "skip" | "both";
  /** Date of 29 February in a common year */
  leap?: "feb28" | "mar1" | "skip";
  /** Which occurrences fire that came due while no scheduler ran; all for yearly rules, once for others */
  misfire?: "all" | "once" | "skip";
  /** A later occurrence never fires; null: no bound */
  window?: string | null;
  /** How late is still on time; PT1M by default */
  grace?: string;
  /** Maximum number that misfire all fires, the newest; 100 by default */
  limit?: number;
  /** forbid: an occurrence does not fire while the previous event is unfinished */
  concurrency?: "allow" | "forbid";
  /** Maximum delay of sending; never early, always the same for the same occurrence; PT0S by default */
  jitter?: string;
  /** No occurrence before this instant; RFC 3339, or now+1h */
  startsAt?: string | null;
  /** No occurrence after this instant */
  endsAt?: string | null;
}

export interface RotateSecret {
  /** How long the current secrets keep signing, PT0S to PT168H; PT24H by default */
  oldSignsFor?: string;
  /** whsec_ and the base64 of 24 to 64 bytes; generated by default */
  secret?: string;
}

export interface TriggerSchedule {
  /** The user, for a perUser schedule: id or ext:<externalId> */
  userId?: string;
  /** Overrides the schedule's payload; the same names in braces */
  payload?: unknown;
}

export interface BackfillSchedule {
  /** Inclusive; RFC 3339, or now-7d */
  from: string;
  /** Exclusive, not later than now */
  to: string;
  /** Only count the occurrences and show the first ones */
  dryRun?: boolean;
}

export interface Backfill {
  /** Number of occurrences in that range */
  occurrences: number;
  /** The first occurrences */
  samples: readonly ({
    userId: string | null;
    targetTimestampUTC: string;
    targetTimestampLocal: string;
    targetTimezone: string;
  })[];
}

export interface Schedule {
  /** id */
  id: string;
  /** Your own id, unique within its type; every {id} also accepts ext:<externalId> */
  externalId: string | null;
  /** Type of the event, for handlers and receivers */
  eventType: string;
  priority: "CRITICAL" | "HIGH" | "NORMAL" | "LOW";
  enabled: boolean;
  note: string | null;
  /** Your own groups */
  tags: readonly string[];
  /** Gets a POST request after its events completed */
  pingUrl: string | null;
  trigger: {
    yearly?: {
      on: string;
      at: string;
    };
    cron?: string;
    /** iCalendar text, or its parts, as they were given */
    rrule?: string | {
      dtstart: string;
      rrule?: string;
      rdate?: readonly string[];
      exdate?: readonly string[];
    };
    every?: string;
  };
  perUser: boolean;
  /** Zone of the rule; null with perUser: the zone of each user */
  timezone: string | null;
  /** id */
  endpointId: string | null;
  /** The template from which the deliveryPayload of each event is made */
  payload: unknown;
  /** Policy for a local time that does not exist */
  gap: "compatible" | "earlier" | "later" | "boundary" | "skip";
  /** Policy for a local time that occurs twice */
  overlap: "compatible" | "earlier" | "later" | "skip" | "both";
  leap: "feb28" | "mar1" | "skip";
  misfire: "all" | "once" | "skip";
  window: string | null;
  grace: string;
  limit: number;
  concurrency: "allow" | "forbid";
  jitter: string;
  startsAt: string | null;
  endsAt: string | null;
  /** The earliest planned instant; null while paused */
  nextAt: string | null;
  description: string;
  /** Grows by 1 with every change; also the ETag */
  version: number;
  createdAt: string;
  updatedAt: string;
  /** In responses to edits: the operation that changes planned events; for few events it has already finished */
  operationId?: string;
}

export interface Operation {
  /** id */
  id: string;
  /**
   * PLAN_SCHEDULE: the first event of a new schedule for every user; REPLAN_SCHEDULE: planned events follow an
   * edit of the schedule; BACKFILL_SCHEDULE: events for past occurrences that have none; BULK: one action on many
   * events
   */
  kind: "PLAN_SCHEDULE" | "REPLAN_SCHEDULE" | "BACKFILL_SCHEDULE" | "BULK";
  status: "RUNNING" | "COMPLETED" | "FAILED" | "STOPPED";
  /** Why it is FAILED or STOPPED */
  reason: string | null;
  /** The schedule that it works on */
  scheduleId: string | null;
  /** Number of rows, as counted at the start; null before that; at the end done + failed */
  total: number | null;
  done: number;
  /** Number of rows that could not be processed; errorsUrl has the reasons */
  failed: number;
  /** The rows that could not be processed, with the reasons */
  errorsUrl: string;
  /** Grows by 1 with every change; also the ETag */
  version: number;
  createdAt: string;
  updatedAt: string;
  finishedAt: string | null;
}

export interface NewApiKey {
  /** Name for people */
  name: string;
  /** While no key has the role ADMIN, the next key must have it (409 FIRST_KEY_NOT_ADMIN) */
  role?: "READ" | "WRITE" | "ADMIN";
  /** In the future; null: never. One ADMIN key must never expire (409 LAST_ADMIN_KEY) */
  expiresAt?: string | null;
  purpose?: "API";
}

export interface ApiKey {
  /** id */
  id: string;
  name: string;
  role: "READ" | "WRITE" | "ADMIN";
  purpose: "API";
  /** Beginning of the key; its last ten characters name the key in logs and records */
  prefix: string;
  expiresAt: string | null;
  /** Precise to some minutes */
  lastUsedAt: string | null;
  version: number;
  createdAt: string;
}

export interface CreatedApiKey extends ApiKey {
  /** The key itself, shown only this once */
  key: string;
}

/** Which events: the members of the list's query */
export interface EventFilter {
  /**
   * One, or any of these. The default depends on the action. retry: FAILED, or PROCESSING for events that wait for
   * their next attempt
   */
  status?: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED" | readonly ("PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED")[];
  /** One, or any of these reasons why a live event is not being sent. retry allows RETRY */
  waitingFor?: "RETRY" | "CIRCUIT" | "LIMIT" | "ENDPOINT" | "SCHEDULE" | readonly ("RETRY" | "CIRCUIT" | "LIMIT" | "ENDPOINT" | "SCHEDULE")[];
  /** One, or any of these */
  priority?: "CRITICAL" | "HIGH" | "NORMAL" | "LOW" | readonly ("CRITICAL" | "HIGH" | "NORMAL" | "LOW")[];
  /** One, or any of these */
  eventType?: string | readonly string[];
  /** One, or any of these */
  targetTimezone?: string | readonly string[];
  /** id or ext: */
  userId?: string;
  /** id or ext: */
  scheduleId?: string;
  /** id or ext: */
  endpointId?: string;
  /** Due at or after; RFC 3339, or now, now-1h30m, now+7d, now-P1M */
  targetFrom?: string;
  /** Due before; RFC 3339, or now, now-1h30m, now+7d, now-P1M */
  targetTo?: string;
  /** Executed at or after; RFC 3339, or now, now-1h30m, now+7d, now-P1M */
  executedFrom?: string;
  /** Executed before; RFC 3339, or now, now-1h30m, now+7d, now-P1M */
  executedTo?: string;
  /** More than a second late */
  lateExecution?: boolean;
  /** Whether a dead letter was dismissed; retry and dismiss select those that were not by default */
  dismissed?: boolean;
  /** Exactly this idempotency key */
  idempotencyKey?: string;
  /** Prefix of id or key */
  q?: string;
  /** Prefix of the failure reason: HTTP_STATUS, HTTP_STATUS 404 */
  failureReason?: string;
}

/** Has either a filter or ids */
export interface BulkRequest {
  resource: "events";
  /**
   * retry: FAILED events, or with waitingFor RETRY the events that wait for their next attempt; dismiss: FAILED
   * events; cancel: PENDING or waiting events; reschedule: PENDING events. Events are not deleted: they are
   * history
   */
  action: "retry" | "cancel" | "reschedule" | "dismiss" | "delete";
  filter?: EventFilter;
  ids?: readonly string[];
  /** For reschedule: a target, as in PATCH, or a shift */
  set?: {
    /** RFC 3339 with offset, or now, now+1h relative to the request */
    targetTimestampUTC?: string;
    /** In each event's own zone by default */
    targetTimestampLocal?: string;
    targetTimezone?: string;
    gap?: "compatible" | "earlier" | "later" | "boundary" | "skip" | "reject";
    overlap?: "compatible" | "earlier" | "later" | "skip" | "reject";
    /** Exact duration from each event's target; with a minus, backward */
    shift?: string;
  };
  /** Maximum rate; retries 50 by default, other actions without a limit */
  perSecond?: number;
  /** For dismiss: why, kept with each event */
  note?: string;
  dryRun?: boolean;
}

export interface BulkPreview {
  /** Number of events that the action applies to */
  count: number;
  /** The first 5 of them */
  samples: readonly Event[];
}

/** Has either a filter or ids */
export interface ScheduleBulkRequest {
  /** tag adds addTags and removes removeTags; delete also cancels planned events */
  action: "pause" | "resume" | "tag" | "delete";
  /** Which schedules: members of the list's query. A schedule matches all of them */
  filter?: {
    enabled?: boolean;
    perUser?: boolean;
    /** With this tag */
    tag?: string;
    eventType?: readonly string[];
    trigger?: readonly ("yearly" | "cron" | "rrule" | "every")[];
    /** Id or ext:… */
    endpointId?: string;
    /** Prefix of the id, the external id or the event type */
    q?: string;
  };
  /** Ids or ext:… */
  ids?: readonly string[];
  /** For pause: why, kept with each schedule */
  note?: string;
  /** For tag. A schedule has at most 20 tags */
  addTags?: readonly string[];
  /** For tag */
  removeTags?: readonly string[];
  dryRun?: boolean;
}

export interface ScheduleBulkPreview {
  /** Number of schedules that the action applies to */
  count: number;
  /** The first 5 of them */
  samples: readonly ({
    id: string;
    externalId: string | null;
    eventType: string;
    enabled: boolean;
    tags: readonly string[];
  })[];
}

export interface Failures {
  by: "reason" | "endpointId";
  /** Number of dead letters counted */
  counted: number;
  /** false if there are more, which are older */
  complete: boolean;
  data: readonly ({
    /** Grouped by reason: the failureReason of all of them */
    reason?: string;
    /** Grouped by endpoint; null: events without one */
    endpointId?: string | null;
    count: number;
    /** When the first of them became FAILED */
    oldest: string;
    newest: string;
    /** The newest ones, at most 5 */
    sampleIds: readonly string[];
  })[];
}

export interface Attempt {
  /** <eventId>.<number> */
  id: string;
  eventId: string;
  endpointId: string | null;
  number: number;
  /**
   * LOST: its holder never reported it; LATE: it did, after another holder had claimed the event; RELEASED: it was
   * given back unsent
   */
  outcome: "SUCCEEDED" | "RETRYABLE" | "PERMANENT" | "LOST" | "LATE" | "RELEASED";
  /** null: nothing was sent, or its holder never reported it */
  startedAt: string | null;
  /** When its result was stored */
  endedAt: string;
  durationMs: number;
  /** The HTTP status; null: no response */
  statusCode: number | null;
  error: {
    /** As the head of failureReason; empty: none */
    code: string;
    text: string;
  } | null;
  /** null: there was none, or the attempt succeeded */
  response: {
    /** The first 2 KiB */
    body: string;
  } | null;
  /** The instance that made it or, for a pull worker, that answered its claim */
  instanceId: string | null;
  /** The name of the pull worker; null: the instance's own attempt */
  worker: string | null;
}

export interface AttemptPage {
  data: readonly Attempt[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface BoundedCount {
  /** At most 10,000 */
  count: number;
  /** false: there are more */
  complete: boolean;
}

export interface Stats {
  /** Beginning of the counted time: of a whole minute, or hour for more than a day */
  from: string;
  to: string;
  /** Events whose first attempt began */
  started: number;
  completed: number;
  failed: number;
  /** Attempts that failed and are repeated */
  retried: number;
  /** COMPLETED and FAILED events per second */
  throughput: number;
  /** FAILED ones among them; null: none ended */
  failureRatio: number | null;
  /** Seconds from due to the start of the first attempt, within 1/16; null: none started */
  lateness: {
    p50: number | null;
    p95: number | null;
    p99: number | null;
    max: number | null;
  };
  /** The backlog of now; each count stops at 10,000 */
  now: {
    pending: BoundedCount;
    processing: BoundedCount;
    due: BoundedCount;
    deadLetters: BoundedCount;
    /** Seconds since the oldest of the due events became claimable; null: none is due */
    oldestDueAge: number | null;
    /** Endpoints whose circuit is open or half open */
    openCircuits: number;
  };
}

export interface StatsHeatmap {
  /** Beginning of the first bucket */
  from: string;
  /** Length of a bucket */
  bucket: string;
  /** Beginning of the forecast */
  now: string;
  /** End of the forecast; before to if more than 5,000 events are planned */
  forecastTo: string;
  /** Schedules of users: the forecast has only the planned event of each user */
  onlyNext: readonly string[];
  /**
   * There are more than 10,000 enabled schedules without users, or they fire more than 200,000 times in this time:
   * later occurrences of the others are missing
   */
  moreSchedules: boolean;
  data: readonly ({
    /** The zone, endpoint or status; other: beyond the bound; handler: events without an endpoint */
    key: string;
    /** With by=endpointId: the events that its rate limit allows in a bucket; null: no limit */
    limit: number | null;
    /** Events that were COMPLETED or FAILED in each bucket */
    past: readonly number[];
    /** Events that will begin in each bucket; not whole where a jitter spreads them */
    forecast: readonly number[];
  })[];
}

export interface StatsSeries {
  /** Beginning of the first step */
  from: string;
  /** Length of a step */
  step: string;
  data: readonly ({
    metric: "executed" | "failed" | "retried" | "lateness_p50" | "lateness_p95" | "lateness_p99" | "duration_p50" | "duration_p95" | "duration_p99" | "claim_duration_p50" | "claim_duration_p95" | "claim_duration_p99" | "backlog" | "oldest_due";
    /**
     * With by: the event type, endpoint or instance; other: the ones beyond the 19 of most weight; handler: events
     * without an endpoint
     */
    key: string | null;
    /** One per step; counts, or seconds. null: nothing was measured */
    points: readonly (number | null)[];
  })[];
}

export interface Instance {
  id: string;
  /** SILENT: it has not reported for 20 s */
  status: "RUNNING" | "DRAINING" | "SILENT";
  version: string;
  /** Its roles: api, scheduler, worker, ui (`scheduler.roles`) */
  roles: readonly string[];
  /** When it opened the database, by the database's clock */
  startedAt: string;
  /** It reports about every 5 s */
  reportedAt: string;
  /**
   * Time since its last report, by the database's clock. An instance that was killed stays RUNNING until this
   * exceeds 20 s
   */
  silentMs: number;
  /** Its machine's clock minus the database's */
  clockSkewMs: number;
  /** Claims that it holds */
  leasesHeld: number;
  /** Attempts that it may have under way at once */
  slots: number;
  /** When it last claimed events to deliver; null: not since its start. It reports this about every 5 s */
  lastClaimAt: string | null;
  drainRequestedAt: string | null;
}

export interface InstancePage {
  data: readonly Instance[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface LogIn {
  /** sundial_sk_… */
  key: string;
}

export interface Session {
  role: "READ" | "WRITE" | "ADMIN";
  /** The ten characters of the key; null: the request has a key itself, or no key exists */
  key: string | null;
  /** For the header Sundial-CSRF; null: no change needs it */
  csrfToken: string | null;
  expiresAt: string | null;
}

export interface OperationError {
  number: number;
  type: "event" | "user" | "schedule";
  /** Id of the event, user or schedule */
  id: string;
  /** A code of problems or of their errors */
  code: string;
  detail: string;
}

export interface OperationErrorPage {
  data: readonly OperationError[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface Clock {
  mode: "system" | "test";
  /** The database's clock */
  now: string;
}

export interface SetClock {
  /** RFC 3339 */
  now: string;
}

export interface AdvanceClock {
  /** How far to move: PT10S, 1h30m, P1D, P1Y (in UTC) */
  by?: string;
  /** RFC 3339 */
  to?: string;
}

export interface ClockAdvanced {
  now: string;
  delivered: number;
  failed: number;
}

export interface Tick {
  limit?: number;
}

export interface Ticked {
  claimed: number;
  completed: number;
  failed: number;
  retrying: number;
}

export interface Settings {
  data: readonly {
    key: string;
    /** As in a settings file; *** hides a secret */
    value: string;
    /** default, the name of a settings file, the name of an environment variable, or a flag */
    origin: string;
    /** Purpose of the setting */
    help: string;
  }[];
}

export interface Info {
  version: string;
  commit: string;
  database: {
    kind: "sqlite" | "postgresql";
    version: string;
    note: string | null;
  };
  tzdb: string;
  clock: "system" | "test";
  /** New at each start; claimedBy of the events that this instance holds */
  instanceId: string;
}

export interface Health {
  status: "pass" | "warn";
  /** By name: database, claimLoop, disk (SQLite), clock, draining */
  checks: Record<string, {
    status: "pass" | "warn" | "fail";
    /** The reason, if the check does not pass */
    detail?: string;
  }>;
}

export interface FieldError {
  /** JSON pointer into the body; ?name is a query parameter, a bare name a header */
  pointer: string;
  code: "required" | "unknown_member" | "wrong_type" | "too_long" | "out_of_range" | "bad_format" | "not_allowed" | "unknown_zone" | "bad_time" | "bad_request" | "nonexistent_time" | "ambiguous_time" | "offset_mismatch" | "bad_interval" | "bad_cron" | "bad_rrule" | "never_fires" | "too_expensive";
  /** For people: the cause and the remedy */
  message: string;
}

/** An error, as RFC 9457 defines it. Each member that is not required names the codes that have it. */
export interface Problem {
  /** Path of this server that explains the code */
  type: string;
  /** The code in words, the same for every problem of the code */
  title: string;
  /** The HTTP status */
  status: number;
  /** For programs. The page at type explains each */
  code: "VALIDATION_FAILED" | "MALFORMED_JSON" | "INVALID_CURSOR" | "INVALID_TEMPLATE" | "UNAUTHENTICATED" | "FORBIDDEN" | "HOST_NOT_ALLOWED" | "ORIGIN_NOT_ALLOWED" | "CSRF_TOKEN_REQUIRED" | "HTTPS_REQUIRED" | "USER_NOT_FOUND" | "EVENT_NOT_FOUND" | "ENDPOINT_NOT_FOUND" | "SCHEDULE_NOT_FOUND" | "OPERATION_NOT_FOUND" | "API_KEY_NOT_FOUND" | "LOCK_NOT_FOUND" | "ATTEMPT_NOT_FOUND" | "INSTANCE_NOT_FOUND" | "CALENDAR_NOT_FOUND" | "AGGREGATE_NOT_FOUND" | "ROUTE_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "INVALID_STATE_TRANSITION" | "LEASE_LOST" | "ENDPOINT_DISABLED" | "ENDPOINT_IN_USE" | "CLOCK_NOT_TEST" | "FIRST_KEY_NOT_ADMIN" | "LAST_ADMIN_KEY" | "DUPLICATE_EXTERNAL_ID" | "DUPLICATE_IDEMPOTENCY_KEY" | "IDEMPOTENCY_IN_PROGRESS" | "OPTIMISTIC_LOCK" | "STREAM_ARCHIVED" | "FEED_DIVERGED" | "CHECKPOINT_CONFLICT" | "LOCK_HELD" | "LOCK_NOT_HELD" | "STREAM_DELETED" | "PAYLOAD_TOO_LARGE" | "URI_TOO_LONG" | "UNSUPPORTED_MEDIA_TYPE" | "EVENT_ID_REUSED" | "IDEMPOTENCY_KEY_REUSED" | "TOO_EARLY" | "PRECONDITION_REQUIRED" | "RATE_LIMITED" | "HEADERS_TOO_LARGE" | "INTERNAL_ERROR" | "STORAGE_UNAVAILABLE" | "COMMIT_OUTCOME_UNKNOWN" | "NOT_READY" | "OVERLOADED" | "DRAINING";
  /** Whether the same request may succeed later */
  retryable: boolean;
  /** For people: the object, the cause, the remedy */
  detail: string;
  /** The path of the request */
  instance: string;
  /** Finds the request in the log; also the header X-Request-Id */
  correlationId: string;
  /** VALIDATION_FAILED: the invalid fields, the first 20 */
  errors?: readonly FieldError[];
  /**
   * INVALID_TEMPLATE: the name in question. LOCK_HELD, LOCK_NOT_HELD, LEASE_LOST: the lock; LEASE_LOST also: the
   * checkpoint
   */
  name?: string;
  /** FORBIDDEN: the role that the operation requires */
  role?: "READ" | "WRITE" | "ADMIN";
  /** METHOD_NOT_ALLOWED: the methods of this path */
  allow?: readonly string[];
  /** PAYLOAD_TOO_LARGE, URI_TOO_LONG, HEADERS_TOO_LARGE: the limit, in bytes or fields */
  limit?: number;
  /** The item of an atomic batch, or the event of an append, that the problem is about */
  index?: number;
  /** INVALID_STATE_TRANSITION, DUPLICATE_IDEMPOTENCY_KEY: the status of the event */
  eventStatus?: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED";
  /** INVALID_STATE_TRANSITION: the holder of the event */
  claimedBy?: string | null;
  /** INVALID_STATE_TRANSITION: why the event is not being sent */
  waitingFor?: "RETRY" | "CIRCUIT" | "LIMIT" | "ENDPOINT" | "SCHEDULE" | null;
  /** INVALID_STATE_TRANSITION: the version of the event. LEASE_LOST of an event: the version in the request */
  version?: number;
  /** LEASE_LOST of an event: its id. FEED_DIVERGED: the event recorded at the checkpoint */
  eventId?: string;
  /** ENDPOINT_DISABLED: why the endpoint is disabled */
  reason?: string;
  /** ENDPOINT_IN_USE: the number of live events that point to the endpoint */
  count?: number;
  /** ENDPOINT_IN_USE: schedules that send to the endpoint, the first 5: ids, or ext: and external ids */
  scheduleIds?: readonly string[];
  /** DUPLICATE_EXTERNAL_ID, DUPLICATE_IDEMPOTENCY_KEY: the object that has the id or the key */
  existingId?: string;
  /**
   * OPTIMISTIC_LOCK: the version that the request named; for streams also 0, -1 and -2. Missing if If-Match names
   * no version of a stream
   */
  expectedVersion?: number;
  /** OPTIMISTIC_LOCK: the current version */
  actualVersion?: number;
  /** OPTIMISTIC_LOCK of a stream, AGGREGATE_NOT_FOUND, STREAM_ARCHIVED, STREAM_DELETED: type of the stream */
  aggregateType?: string;
  /** With aggregateType: id of the stream */
  aggregateId?: string;
  /** OPTIMISTIC_LOCK of a stream: ids of the batch that the stream already has */
  duplicateEventIds?: readonly string[];
  /** OPTIMISTIC_LOCK of a stream: how often the append was tried */
  attempts?: number;
  /** EVENT_ID_REUSED: each id that is already taken, with its place */
  conflicts?: readonly ({
    eventId: string;
    reason: "PARTIAL" | "DIFFERENT_ORDER" | "DIFFERENT_CONTENT" | "OTHER_STREAM" | "IN_BATCH";
    /** The stream that has the id */
    stream?: {
      aggregateType: string;
      aggregateId: string;
    };
    /** The version of the event in that stream */
    version?: number;
  })[];
  /** CHECKPOINT_CONFLICT: the current position. FEED_DIVERGED: the position of the checkpoint */
  position?: number;
  /** LEASE_LOST of a lock or a checkpoint: the token in the request */
  fencingToken?: number;
  /** LOCK_HELD: the holder of the lock */
  holder?: string;
  /** LOCK_HELD: end of the lease, unless the holder renews or releases the lock */
  expiresAt?: string;
  /** NOT_READY of /healthz: every check by name */
  checks?: Record<string, {
    status: "pass" | "warn" | "fail";
    /** The reason, if the check does not pass */
    detail?: string;
  }>;
  /** Of every problem under /user and /users: the same in another form */
  error?: {
    /** A code of Problem, or INVALID_TIMEZONE or INVALID_DATE_OF_BIRTH if that field alone is invalid */
    code: string;
    message: string;
    details: readonly {
      field: string;
      message: string;
    }[];
  };
}

export interface NewUsers {
  users: readonly NewUser[];
}

export interface UserBatch {
  /** The user or its problem for each item, in the order of the request */
  data: readonly (User | Problem)[];
}

export interface NewCalendar {
  /** Shown by calendar programs; by default the event type and the user's name */
  name?: string;
  /** id or ext:<externalId> */
  scheduleId?: string;
  /** id or ext:<externalId> */
  userId?: string;
  expiresAt?: string | null;
}

export interface Calendar {
  id: string;
  name: string;
  scheduleId: string | null;
  userId: string | null;
  expiresAt: string | null;
  version: number;
  createdAt: string;
}

export interface CreatedCalendar extends Calendar {
  /** The secret part of the path, shown only this once */
  token: string;
  /** Path of the feed, shown only this once */
  path: string;
}

export interface CalendarPage {
  data: readonly Calendar[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface UserImport {
  created: number;
  /** Users that existed */
  replaced: number;
  /** Of the replaced ones, those that were as given already */
  unchanged: number;
  failed: number;
  /** Of the refused users; index is the place in the request */
  problems: readonly Problem[];
}

export interface UserPage {
  data: readonly User[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface Explanation {
  /** id */
  eventId: string;
  status: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED";
  /** One sentence */
  summary: string;
  /** In causal order */
  steps: readonly (RuleStep | LocalStep | ZoneStep | UtcStep | ChangeStep | AttemptStep | ResultStep)[];
  /** null once the event is finished */
  waitsFor: {
    what: "due" | "claim" | "result" | "retry" | "circuit" | "limit" | "endpoint" | "schedule" | "zone";
    /** In plain words */
    text: string;
    /** When it will be checked next; null: after an action by a person */
    until: string | null;
  } | null;
}

/** The schedule that the event is an occurrence of, or none */
export interface RuleStep {
  step: "rule";
  /** In plain words */
  text: string;
  /** null: a single event, which has no other members here */
  scheduleId: string | null;
  /** The version of the schedule that planned it */
  scheduleVersion?: number;
  /** The date or local time by the rule, before any policy moved it */
  nominal?: string;
  /** The rule in plain words */
  description?: string;
}

/** The local time that was asked for; events given as an instant have no such step */
export interface LocalStep {
  step: "local";
  /** In plain words */
  text: string;
  /** The nominal local time */
  wantedLocal: string;
  /** The zone of the event */
  targetTimezone: string;
  /** Policy for a local time that does not exist */
  gap: "compatible" | "earlier" | "later" | "boundary" | "skip" | "reject";
  /** Policy for a local time that occurs twice */
  overlap: "compatible" | "earlier" | "later" | "skip" | "both" | "reject";
}

/** How the zone resolves that local time */
export interface ZoneStep {
  step: "zone";
  /** In plain words */
  text: string;
  /** Offset at the event's instant; null: the current tz database has no such zone */
  offset: string | null;
  /** Effect of a clock change */
  note: "gap_earlier" | "gap_later" | "gap_boundary" | "gap_skipped" | "overlap_earlier" | "overlap_later" | "overlap_skipped" | "leap_moved" | "leap_skipped" | null;
  /** The tz database that computed the instant */
  tzdb: string;
}

/** The instant at which the event is due */
export interface UtcStep {
  step: "utc";
  /** In plain words */
  text: string;
  /** When the event is due */
  targetTimestampUTC: string;
}

/** The last change of a PENDING event since its creation */
export interface ChangeStep {
  step: "change";
  /** In plain words */
  text: string;
  version: number;
  updatedAt: string;
}

/** One attempt */
export interface AttemptStep {
  step: "attempt";
  /** In plain words */
  text: string;
  /** The attempt number that the receiver saw */
  number: number;
  outcome: "SUCCEEDED" | "RETRYABLE" | "PERMANENT" | "LOST" | "LATE" | "RELEASED";
  startedAt: string | null;
  /** The HTTP status of the response, if there was one */
  statusCode: number | null;
  /** The instance or pull worker that made it */
  instanceId: string | null;
}

/** The end of a finished event */
export interface ResultStep {
  step: "result";
  /** In plain words */
  text: string;
  status: "COMPLETED" | "FAILED" | "CANCELLED";
  at: string;
  failureReason: string | null;
}

/** Names exactly one schedule: a stored one, or one in the request */
export interface PreviewRequest {
  schedule?: SchedulePut;
  /** id or ext:<externalId> */
  scheduleId?: string;
  /** The user, for a perUser schedule */
  userId?: string;
  /** Overrides the zone of the user or the schedule */
  override?: {
    timezone?: string;
  };
  /** At or after; now by default */
  from?: string;
  count?: number;
}

export interface Occurrence {
  /** null if a policy of the rule skips it */
  targetTimestampUTC: string | null;
  targetTimestampLocal: string | null;
  targetTimezone: string;
  /** Effect of a clock change or a leap day; offset_changed: the first at a new UTC offset */
  note: "gap_earlier" | "gap_later" | "gap_boundary" | "gap_skipped" | "overlap_earlier" | "overlap_later" | "overlap_skipped" | "leap_moved" | "leap_skipped" | "offset_changed" | null;
  /** The nominal local time, if the actual one differs */
  wantedLocal: string | null;
  /** In lists of the past: why it did not fire */
  skipped?: string | null;
  /** This and the following: in lists of all schedules */
  eventType?: string;
  /** null: not planned yet */
  eventId?: string | null;
  scheduleId?: string | null;
  userId?: string | null;
  endpointId?: string | null;
  /** Its schedule is paused, so it fires only if that is resumed before */
  paused?: boolean;
}

export interface Preview {
  /** The schedule in plain words */
  description: string;
  warnings: readonly string[];
  data: readonly Occurrence[];
}

export interface OccurrencePage {
  data: readonly Occurrence[];
  hasMore: boolean;
  nextCursor: string | null;
  /** Of all schedules: the tz release by which they are computed */
  tzRelease?: string;
  /** Schedules of users that may fire more than once in this time: only the next occurrence of each user is listed */
  onlyNext?: readonly string[];
  /**
   * Of all schedules: there are more than 10,000 enabled schedules without users, and the later occurrences of the
   * others are missing
   */
  moreSchedules?: boolean;
}

export interface Append {
  /** A version, -1 or ANY (also when absent), 0 or NO_STREAM, -2 or STREAM_EXISTS */
  expectedVersion?: number | string;
  events: readonly NewRecordedEvent[];
}

export interface NewRecordedEvent {
  /** A UUID, unique forever; generated by default */
  eventId?: string;
  /** OrderShipped */
  eventType: string;
  schemaVersion?: number;
  /** Any JSON, stored byte for byte */
  data: unknown;
  metadata?: EventMetadata;
}

export interface EventMetadata {
  occurredAt?: string;
  correlationId?: string;
  causationId?: string;
  actor?: string;
  tenant?: string;
  traceparent?: string;
  headers?: Record<string, unknown>;
}

export interface Appended {
  firstVersion: number;
  lastVersion: number;
  firstPosition: number;
  lastPosition: number;
  /** Greater than lastVersion if the stream has grown since */
  currentVersion: number;
  replayed: boolean;
}

/** The members that the append gave */
export interface RecordedMetadata {
  occurredAt?: string;
  correlationId?: string;
  causationId?: string;
  actor?: string;
  tenant?: string;
  traceparent?: string;
  headers?: Record<string, unknown>;
}

export interface RecordedEvent {
  eventId: string;
  aggregateType: string;
  aggregateId: string;
  version: number;
  /** Position in the feed */
  position: number;
  eventType: string;
  schemaVersion: number;
  /** null once erased. Only ADMIN keys see the name in events of API keys */
  data: unknown;
  metadata: RecordedMetadata;
  recordedAt: string;
  /** When data was erased; missing otherwise */
  redactedAt?: string;
  /** The stream is closed permanently */
  deleted: boolean;
}

export interface StreamHead {
  aggregateType: string;
  aggregateId: string;
  /** Number of events ever appended */
  version: number;
  truncatedBefore: number;
  archived: boolean;
  deleted: boolean;
}

export interface Stream extends StreamHead {
  data: readonly RecordedEvent[];
  /** Whether the range has more events than data */
  hasMore: boolean;
}

export interface StreamPage {
  data: readonly StreamHead[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface Snapshot {
  /** Version of the stream */
  version: number;
  schemaVersion?: number;
  /** Any JSON */
  state: unknown;
}

export interface FeedPage {
  data: readonly RecordedEvent[];
  nextPosition: number;
  /** Whether more events are available now */
  hasMore: boolean;
}

export interface Checkpoint {
  name: string;
  /** All events up to this position in the feed are handled */
  position: number;
  /** The event recorded at position */
  eventId: string | null;
  /** The greatest token ever shown or granted */
  fencingToken: number;
  /** The holder of a lease on the checkpoint; null for followers with their own tokens */
  holder: string | null;
}

export interface CheckpointStep {
  /** Never before previous */
  position: number;
  /** The event at that position; must match the store */
  eventId?: string;
  /** Where the checkpoint must be now; 0 at first */
  previous: number;
  /** Of the lock held by the follower; 0 by default */
  fencingToken?: number;
}

export interface OperationPage {
  data: readonly Operation[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface ApiKeyPage {
  data: readonly ApiKey[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface EventPage {
  data: readonly Event[];
  /**
   * Whether to continue with nextCursor. A page may end early, even without an event: after 10,000 events that do
   * not match, or about 2 MiB
   */
  hasMore: boolean;
  nextCursor: string | null;
  /** With count: the events in all pages, or fewer */
  totalCount?: number;
  /** With count: false if there may be more */
  totalCountComplete?: boolean;
}

export interface EndpointPage {
  data: readonly Endpoint[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface SchedulePage {
  data: readonly Schedule[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface InboxPage {
  data: readonly InboxRequest[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface OffsetChange {
  /** The first instant of the new offset */
  at: string;
  /** +01:00 */
  before: string;
  after: string;
}

export interface Timezone {
  name: string;
  /** Current offset, east of UTC: +05:45 */
  offset: string;
  /** Changes in the requested period, the first 100 */
  changes: readonly OffsetChange[];
}

export interface TimezonePage {
  /** Release of the current tz database: 2025b */
  release: string;
  data: readonly Timezone[];
  hasMore: boolean;
  nextCursor: string | null;
}

export interface TimezoneMove {
  eventId: string;
  eventType: string;
  userId: string | null;
  scheduleId: string | null;
  targetTimezone: string;
  /** The local time, which does not change: 2027-01-05T09:00:00 */
  wallTime: string;
  /** The release with which the instant was computed */
  tzdb: string;
  /** The current instant */
  before: string;
  /** The instant with the other database; null if a policy skips the local time then */
  after: string | null;
}

export interface TimezoneImpactPage {
  /** Release of the current tz database */
  inForce: string;
  /** Release of the database compared with */
  release: string;
  data: readonly TimezoneMove[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** A code of a problem. */
export type ProblemCode = Problem["code"];

export interface ListUsersQuery {
  /** In any of these zones */
  timezone?: string | readonly string[];
  /** Born in this month */
  birthMonth?: number;
  /** Born on this day of the month */
  birthDay?: number;
  /** Prefix of id, external id, first or last name */
  q?: string;
  /** Created at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  createdFrom?: string;
  /** Created before (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  createdTo?: string;
  /** createdAt by default */
  sort?: "createdAt" | "-createdAt" | "lastName" | "-lastName" | "updatedAt" | "-updatedAt";
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface CreateUsersQuery {
  /** All, or nothing and the first problem */
  atomic?: boolean;
}

export interface V1DeleteUserQuery {
  /** keep: live events are cancelled and all finished ones are kept, without the user */
  history?: "keep";
}

export interface ListEventsQuery {
  /** Any of these */
  status?: "PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED" | readonly ("PENDING" | "PROCESSING" | "COMPLETED" | "FAILED" | "CANCELLED")[];
  /** Any of these reasons why a live event is not being sent */
  waitingFor?: "RETRY" | "CIRCUIT" | "LIMIT" | "ENDPOINT" | "SCHEDULE" | readonly ("RETRY" | "CIRCUIT" | "LIMIT" | "ENDPOINT" | "SCHEDULE")[];
  /** Any of these */
  priority?: "CRITICAL" | "HIGH" | "NORMAL" | "LOW" | readonly ("CRITICAL" | "HIGH" | "NORMAL" | "LOW")[];
  /** Any of these */
  eventType?: string | readonly string[];
  /** Any of these */
  targetTimezone?: string | readonly string[];
  /** id or ext: */
  userId?: string;
  /** id or ext: */
  scheduleId?: string;
  /** id or ext: */
  endpointId?: string;
  /** Due at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  targetFrom?: string;
  /** Due before (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  targetTo?: string;
  /** Executed at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  executedFrom?: string;
  /** Executed before (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  executedTo?: string;
  /** More than a second late */
  lateExecution?: boolean;
  /** Whether a dead letter was dismissed */
  dismissed?: boolean;
  /** Exactly this idempotency key */
  idempotencyKey?: string;
  /** Prefix of id or key */
  q?: string;
  /** Prefix of the failure reason: HTTP_STATUS, HTTP_STATUS 404 */
  failureReason?: string;
  /**
   * targetTimestampUTC by default. createdAt sorts by the ids, which begin with that instant. executedAt (not
   * -executedAt), latenessMs and -latenessMs need executedFrom, unless userId or idempotencyKey is given; by
   * latenessMs, at most 20,000 events may have been executed in that time, and 100,000 ended, cancelled ones too
   */
  sort?: "targetTimestampUTC" | "-targetTimestampUTC" | "executedAt" | "-executedAt" | "createdAt" | "-createdAt" | "latenessMs" | "-latenessMs";
  /** exact adds totalCount, which stops at 10,000 matches or 10,000 events that do not match */
  count?: "none" | "exact";
  /** Objects to add beside the ids; null if deleted */
  expand?: "user" | "schedule" | "endpoint" | readonly ("user" | "schedule" | "endpoint")[];
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface CreateEventsQuery {
  /** All, or nothing and the first problem */
  atomic?: boolean;
}

export interface GetEventQuery {
  /**
   * Objects to add beside the ids, null if deleted; attempts: the latest 500. If-None-Match has no effect then,
   * because the version is that of the event alone
   */
  expand?: "user" | "schedule" | "endpoint" | "attempts" | readonly ("user" | "schedule" | "endpoint" | "attempts")[];
}

export interface ListEndpointsQuery {
  /** Of this type */
  type?: "WEBHOOK" | "INBOX" | "PULL" | "SQS" | "SHADOW";
  /** Enabled or disabled */
  enabled?: boolean;
  /** Prefix of id, external id, name */
  q?: string;
  /** createdAt by default */
  sort?: "createdAt" | "-createdAt";
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface PatchEndpointQuery {
  /** Also attempt now the events of this endpoint that wait for their next attempt */
  retryWaiting?: boolean;
}

export interface PutEndpointQuery {
  /** Also attempt now the events of this endpoint that wait for their next attempt */
  retryWaiting?: boolean;
}

export interface DeleteEndpointQuery {
  /** Cancel the live events that point to the endpoint. Claimed events cannot be cancelled */
  cancelEvents?: boolean;
}

export interface ReadInboxQuery {
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListSchedulesQuery {
  /** Enabled or paused */
  enabled?: boolean;
  /** Whether it runs for each user */
  perUser?: boolean;
  /** With a trigger of any of these kinds */
  trigger?: "yearly" | "cron" | "rrule" | "every" | readonly ("yearly" | "cron" | "rrule" | "every")[];
  /** With this tag */
  tag?: string;
  /** Any of these types */
  eventType?: string | readonly string[];
  /** id or ext:<externalId> */
  endpointId?: string;
  /** Prefix of id, external id, event type */
  q?: string;
  /** createdAt by default */
  sort?: "createdAt" | "-createdAt";
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListOccurrencesQuery {
  /** id or ext:<externalId>; all schedules without it */
  scheduleId?: string;
  /**
   * The user, for a perUser schedule; id or ext:<externalId>. Required if the schedule runs on a date of each
   * user, such as dateOfBirth; otherwise timezone suffices
   */
  userId?: string;
  /** Overrides the zone of the user or the schedule */
  timezone?: string;
  /** At or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M); now by default */
  from?: string;
  /** Before */
  to?: string;
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListOperationsQuery {
  /** Any of these */
  status?: "RUNNING" | "COMPLETED" | "FAILED" | "STOPPED" | readonly ("RUNNING" | "COMPLETED" | "FAILED" | "STOPPED")[];
  /** Any of these */
  kind?: "PLAN_SCHEDULE" | "REPLAN_SCHEDULE" | "BACKFILL_SCHEDULE" | "BULK" | readonly ("PLAN_SCHEDULE" | "REPLAN_SCHEDULE" | "BACKFILL_SCHEDULE" | "BULK")[];
  /** Of this schedule; id or ext:<externalId> */
  scheduleId?: string;
  /** Order; with a minus, descending */
  sort?: "createdAt" | "-createdAt";
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListApiKeysQuery {
  /** Order; with a minus, descending */
  sort?: "createdAt" | "-createdAt";
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListCalendarsQuery {
  /** Of this schedule: id or ext:<externalId> */
  scheduleId?: string;
  /** Of this user: id or ext:<externalId> */
  userId?: string;
  /** Order; with a minus, descending */
  sort?: "createdAt" | "-createdAt";
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ReadCalendarQuery {
  /** How many days ahead occurrences are listed */
  days?: number;
}

export interface ListOperationErrorsQuery {
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface FollowLiveQuery {
  /** The topics to follow */
  topics: "stats" | "users" | "schedules" | "endpoints" | "keys" | "events" | "instances" | "operations" | readonly ("stats" | "users" | "schedules" | "endpoints" | "keys" | "events" | "instances" | "operations")[];
  /** Of events: with any of these types */
  eventType?: string | readonly string[];
  /** Of events: to this endpoint, id or ext:<externalId> */
  endpointId?: string;
  /** Of events: that now have any of these */
  status?: "PROCESSING" | "COMPLETED" | "FAILED" | readonly ("PROCESSING" | "COMPLETED" | "FAILED")[];
}

export interface GetStatsQuery {
  /** PT1M to PT720H */
  window?: string;
}

export interface GetStatsSeriesQuery {
  /** Topics to show */
  metric: "executed" | "failed" | "retried" | "lateness_p50" | "lateness_p95" | "lateness_p99" | "duration_p50" | "duration_p95" | "duration_p99" | "claim_duration_p50" | "claim_duration_p95" | "claim_duration_p99" | "backlog" | "oldest_due" | readonly ("executed" | "failed" | "retried" | "lateness_p50" | "lateness_p95" | "lateness_p99" | "duration_p50" | "duration_p95" | "duration_p99" | "claim_duration_p50" | "claim_duration_p95" | "claim_duration_p99" | "backlog" | "oldest_due")[];
  /** RFC 3339, or now, now-1h30m, now+7d, now-P1M; an hour before to by default */
  from?: string;
  /** As from; now by default */
  to?: string;
  /** Whole minutes */
  step?: string;
  /** A line for each; claims and the backlog are by instance only */
  by?: "eventType" | "endpointId" | "instanceId";
  /**
   * Only the line of this event type or endpoint (its id), however many there are. A line other has those of the
   * 100 busiest in a minute that have no counters of their own; it may contain this one
   */
  key?: string;
}

export interface GetStatsHeatmapQuery {
  /** RFC 3339, or now, now-1h30m, now+7d, now-P1M; now-24h by default */
  from?: string;
  /** As from; now+24h by default */
  to?: string;
  /** Whole hours, PT24H at most */
  bucket?: string;
  /** A line for each */
  by?: "timezone" | "endpointId" | "status";
  /** false: only finished events */
  forecast?: boolean;
}

export interface ListAttemptsQuery {
  /** Of this event */
  eventId?: string;
  /** To this endpoint: id or ext:<externalId> */
  endpointId?: string;
  /** With any of these outcomes */
  outcome?: "SUCCEEDED" | "RETRYABLE" | "PERMANENT" | "LOST" | "LATE" | "RELEASED" | readonly ("SUCCEEDED" | "RETRYABLE" | "PERMANENT" | "LOST" | "LATE" | "RELEASED")[];
  /** With any of these HTTP statuses */
  statusCode?: number | readonly number[];
  /** Ended at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  from?: string;
  /** Ended before (RFC 3339, or now, now-1h30m, now+7d, now-P1M) */
  to?: string;
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListFailuresQuery {
  /** Grouping key */
  by?: "reason" | "endpointId";
}

export interface ListStreamsQuery {
  /** Of this type */
  aggregateType?: string;
  /** Prefix of the aggregate id */
  q?: string;
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ReadStreamQuery {
  /** From this version on */
  fromVersion?: number;
  /** Up to and including this version */
  toVersion?: number;
  /** backward: newest first */
  direction?: "forward" | "backward";
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
}

export interface ListIntakesQuery {
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListRefusedRowsQuery {
  /** Its name in storage.intake */
  intake: string;
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListTakenRowsQuery {
  /** Its name in storage.intake */
  intake: string;
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ListLocksQuery {
  /** Prefix of the name */
  q?: string;
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface ReadFeedQuery {
  /** nextPosition of the previous page */
  after?: number;
  /** Any of these */
  aggregateType?: string | readonly string[];
  /** Any of these */
  eventType?: string | readonly string[];
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** How long to wait while nothing matches, up to PT60S; no wait by default */
  wait?: string;
}

export interface ListTimezonesQuery {
  /** Part of the name, case-insensitive */
  q?: string;
  /** Any of these names, exactly */
  zone?: string | readonly string[];
  /** Changes at or after (RFC 3339, or now, now-1h30m, now+7d, now-P1M); now by default */
  from?: string;
  /** Changes before; a year after 'from' by default */
  to?: string;
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

export interface GetTimezoneImpactQuery {
  /** Maximum number of rows. A page also ends when it has about 2 MiB */
  limit?: number;
  /** nextCursor of the previous page; bound to filter and sort */
  cursor?: string;
}

/** Types of each operation: parameters in the path, query, body, and the result. */
export interface ApiOperations {
  /** Users */
  listUsers: { path: undefined; query: ListUsersQuery; body: undefined; result: UserPage };
  /** Create a user and the first event of every perUser schedule */
  v1CreateUser: { path: undefined; query: undefined; body: NewUser; result: User };
  /** Create many users in one transaction, each separately or all together */
  createUsers: { path: undefined; query: CreateUsersQuery; body: NewUsers; result: UserBatch };
  /** Create or replace many users in one transaction */
  importUsers: { path: undefined; query: undefined; body: NewUsers; result: UserImport };
  /** One user */
  v1GetUser: { path: { id: string }; query: undefined; body: undefined; result: User };
  /** Change the given members; with ext:<externalId> create or replace the whole user */
  v1PutUser: { path: { id: string }; query: undefined; body: UserPut; result: User };
  /** Delete a user and its events */
  v1DeleteUser: { path: { id: string }; query: V1DeleteUserQuery; body: undefined; result: void };
  /** Change some members of a user */
  patchUser: { path: { id: string }; query: undefined; body: UserPatch; result: User };
  /** Events, live and finished */
  listEvents: { path: undefined; query: ListEventsQuery; body: undefined; result: EventPage };
  /** Schedule an event, at an instant or at a local time */
  createEvent: { path: undefined; query: undefined; body: NewEvent; result: Event };
  /** Schedule many events, each separately or all together */
  createEvents: { path: undefined; query: CreateEventsQuery; body: NewEvents; result: EventBatch };
  /** One event, live or finished */
  getEvent: { path: { id: string }; query: GetEventQuery; body: undefined; result: Event };
  /** Change a PENDING event; dismiss a FAILED one */
  patchEvent: { path: { id: string }; query: undefined; body: EventPatch; result: Event };
  /** Cancel an unclaimed event; a repeated request gets the same response */
  cancelEvent: { path: { id: string }; query: undefined; body: undefined; result: Event };
  /** Attempt an event again, now */
  retryEvent: { path: { id: string }; query: undefined; body: RetryEvent | undefined; result: Event };
  /** Why an event is due when it is, its history, and why it waits */
  explainEvent: { path: { id: string }; query: undefined; body: undefined; result: Explanation };
  /** Report that the work of a claim is done */
  completeEvent: { path: { id: string }; query: undefined; body: ClaimVersion; result: Event };
  /** Report that the work of a claim failed */
  failEvent: { path: { id: string }; query: undefined; body: FailEvent; result: Event };
  /** Release a claim without using an attempt */
  releaseEvent: { path: { id: string }; query: undefined; body: ClaimVersion; result: Event };
  /** Extend the lease of a claim */
  extendEvent: { path: { id: string }; query: undefined; body: ExtendClaim; result: Event };
  /** Endpoints */
  listEndpoints: { path: undefined; query: ListEndpointsQuery; body: undefined; result: EndpointPage };
  /** Create an endpoint; only this response shows its secret */
  createEndpoint: { path: undefined; query: undefined; body: NewEndpoint; result: CreatedEndpoint };
  /** One endpoint */
  getEndpoint: { path: { id: string }; query: undefined; body: undefined; result: Endpoint };
  /** Change some members; the type never changes */
  patchEndpoint: { path: { id: string }; query: PatchEndpointQuery; body: EndpointPatch; result: Endpoint };
  /** Change the given members; with ext:<externalId> create or replace the whole endpoint */
  putEndpoint: { path: { id: string }; query: PutEndpointQuery; body: EndpointPut; result: Endpoint | CreatedEndpoint };
  /** Delete an endpoint that no live event and no schedule points to */
  deleteEndpoint: { path: { id: string }; query: DeleteEndpointQuery; body: undefined; result: void };
  /** Create a new secret for a webhook, shown only by this response; the old one signs too for a while */
  rotateSecret: { path: { id: string }; query: undefined; body: RotateSecret | undefined; result: RotatedEndpoint };
  /** Send one test delivery now */
  testEndpoint: { path: { id: string }; query: undefined; body: undefined; result: TestResult };
  /** Claim events as a worker of a PULL endpoint, at once or when some come due */
  claimEvents: { path: { id: string }; query: undefined; body: ClaimWork; result: Work };
  /** Requests that an INBOX received, newest first */
  readInbox: { path: { id: string }; query: ReadInboxQuery; body: undefined; result: InboxPage };
  /** Delete all requests of an INBOX */
  clearInbox: { path: { id: string }; query: undefined; body: undefined; result: void };
  /** Schedules */
  listSchedules: { path: undefined; query: ListSchedulesQuery; body: undefined; result: SchedulePage };
  /** Create a schedule and plan its first events */
  createSchedule: { path: undefined; query: undefined; body: NewSchedule; result: Schedule };
  /** One schedule */
  getSchedule: { path: { id: string }; query: undefined; body: undefined; result: Schedule };
  /** Change a schedule; its planned events follow */
  patchSchedule: { path: { id: string }; query: undefined; body: SchedulePatch; result: Schedule };
  /** With ext:<externalId> create or replace a whole schedule; with an id change the given members */
  putSchedule: { path: { id: string }; query: undefined; body: SchedulePut; result: Schedule };
  /** Delete a schedule; its planned events are cancelled, its history stays */
  deleteSchedule: { path: { id: string }; query: undefined; body: undefined; result: void };
  /** Fire one event of the schedule now, whatever its rule */
  triggerSchedule: { path: { id: string }; query: undefined; body: TriggerSchedule | undefined; result: Event };
  /** Create events for past occurrences that have none, as an operation; nothing is sent twice */
  backfillSchedule: { path: { id: string }; query: undefined; body: BackfillSchedule; result: Backfill | Operation };
  /** Pause, resume, tag or delete many schedules, as an operation */
  bulkSchedules: { path: undefined; query: undefined; body: ScheduleBulkRequest; result: ScheduleBulkPreview | Operation };
  /** When a schedule fires next, with the effects of clock changes and leap days */
  previewSchedule: { path: undefined; query: undefined; body: PreviewRequest; result: Preview };
  /** Occurrences of a schedule by its current rule, or what fires between two instants, of all schedules */
  listOccurrences: { path: undefined; query: ListOccurrencesQuery; body: undefined; result: OccurrencePage };
  /** Operations */
  listOperations: { path: undefined; query: ListOperationsQuery; body: undefined; result: OperationPage };
  /** One operation and its progress */
  getOperation: { path: { id: string }; query: undefined; body: undefined; result: Operation };
  /** Stop an operation; finished batches stay, and a finished operation does not change */
  stopOperation: { path: { id: string }; query: undefined; body: undefined; result: Operation };
  /** API keys */
  listApiKeys: { path: undefined; query: ListApiKeysQuery; body: undefined; result: ApiKeyPage };
  /** Create a key; only this response shows it */
  createApiKey: { path: undefined; query: undefined; body: NewApiKey; result: CreatedApiKey };
  /** Revoke a key, on every instance within 5 s; by its id or the ten characters after sundial_sk_ */
  revokeApiKey: { path: { id: string }; query: undefined; body: undefined; result: void };
  /** Calendars that may be read */
  listCalendars: { path: undefined; query: ListCalendarsQuery; body: undefined; result: CalendarPage };
  /** Create an iCalendar feed of a schedule, of a user, or of a schedule for a user; only this response shows its token */
  createCalendar: { path: undefined; query: undefined; body: NewCalendar; result: CreatedCalendar };
  /** Revoke a calendar; its feed ends at once */
  revokeCalendar: { path: { id: string }; query: undefined; body: undefined; result: void };
  /** The iCalendar feed of a calendar (RFC 5545) */
  readCalendar: { path: { token: string }; query: ReadCalendarQuery; body: undefined; result: string };
  /** Items that an operation could not process, with the reasons, in order; the first 10,000 are kept */
  listOperationErrors: { path: { id: string }; query: ListOperationErrorsQuery; body: undefined; result: OperationErrorPage };
  /** Apply one action to many events, as an operation, at a pace */
  bulk: { path: undefined; query: undefined; body: BulkRequest; result: BulkPreview | Operation };
  /** Changes as they happen, as server-sent events */
  followLive: { path: undefined; query: FollowLiveQuery; body: undefined; result: never };
  /** Counters of a window of time, and the backlog of now */
  getStats: { path: undefined; query: GetStatsQuery; body: undefined; result: Stats };
  /** Counters over time */
  getStatsSeries: { path: undefined; query: GetStatsSeriesQuery; body: undefined; result: StatsSeries };
  /** Finished and expected events by time and zone, endpoint or status */
  getStatsHeatmap: { path: undefined; query: GetStatsHeatmapQuery; body: undefined; result: StatsHeatmap };
  /** Attempts that have ended, the latest first */
  listAttempts: { path: undefined; query: ListAttemptsQuery; body: undefined; result: AttemptPage };
  /** One attempt */
  getAttempt: { path: { id: string }; query: undefined; body: undefined; result: Attempt };
  /** Groups of the newest 100,000 dead letters, largest first */
  listFailures: { path: undefined; query: ListFailuresQuery; body: undefined; result: Failures };
  /** Streams, by type and id */
  listStreams: { path: undefined; query: ListStreamsQuery; body: undefined; result: StreamPage };
  /** Events of one stream; a stream without events is at version 0 */
  readStream: { path: { aggregateType: string; aggregateId: string }; query: ReadStreamQuery; body: undefined; result: Stream };
  /** Append events, all or none; a repeated batch gets the first response again */
  appendToStream: { path: { aggregateType: string; aggregateId: string }; query: undefined; body: Append; result: Appended };
  /** The newest snapshot of an aggregate's state */
  getSnapshot: { path: { aggregateType: string; aggregateId: string }; query: undefined; body: undefined; result: Snapshot };
  /** Save a snapshot; if a newer one exists, it is returned */
  saveSnapshot: { path: { aggregateType: string; aggregateId: string }; query: undefined; body: Snapshot; result: Snapshot };
  /** Outboxes of applications, by name */
  listIntakes: { path: undefined; query: ListIntakesQuery; body: undefined; result: IntakePage };
  /** Rows of an outbox that were refused, by id */
  listRefusedRows: { path: undefined; query: ListRefusedRowsQuery; body: undefined; result: RefusedRowPage };
  /** Rows of an outbox that were taken, as ranges of ids */
  listTakenRows: { path: undefined; query: ListTakenRowsQuery; body: undefined; result: TakenRangePage };
  /** Held locks, by name */
  listLocks: { path: undefined; query: ListLocksQuery; body: undefined; result: LockPage };
  /** A held lock */
  getLock: { path: { name: string }; query: undefined; body: undefined; result: HeldLock };
  /** Acquire a lock, at once or when it becomes free */
  acquireLock: { path: { name: string }; query: undefined; body: AcquireLock; result: AcquiredLock };
  /** Renew a held lock; its fencing token stays, and its lease never becomes shorter */
  renewLock: { path: { name: string }; query: undefined; body: RenewLock; result: RenewedLock };
  /** Release a lock */
  releaseLock: { path: { name: string }; query: undefined; body: undefined; result: void };
  /** All recorded events in one order; no event ever appears at or below a returned position */
  readFeed: { path: undefined; query: ReadFeedQuery; body: undefined; result: FeedPage };
  /** Position of a follower of the feed; 0 if it never saved one */
  getCheckpoint: { path: { name: string }; query: undefined; body: undefined; result: Checkpoint };
  /** Move a checkpoint forward, if it is still at previous and has not seen a greater token */
  saveCheckpoint: { path: { name: string }; query: undefined; body: CheckpointStep; result: Checkpoint };
  /** Log a browser in with an API key */
  logIn: { path: undefined; query: undefined; body: LogIn; result: Session };
  /** The caller's session */
  getSession: { path: undefined; query: undefined; body: undefined; result: Session };
  /** Log the browser out */
  logOut: { path: undefined; query: undefined; body: undefined; result: void };
  /** The clock that decides which events are due */
  getClock: { path: undefined; query: undefined; body: undefined; result: Clock };
  /** Set a test clock */
  setClock: { path: undefined; query: undefined; body: SetClock; result: Clock };
  /** Move a test clock and deliver everything that comes due on the way */
  advanceClock: { path: undefined; query: undefined; body: AdvanceClock; result: ClockAdvanced };
  /** One pass: claim due events, deliver and settle them */
  tick: { path: undefined; query: undefined; body: Tick | undefined; result: Ticked };
  /** Time zones of the current tz database, their current offsets, and their changes */
  listTimezones: { path: undefined; query: ListTimezonesQuery; body: undefined; result: TimezonePage };
  /** Pending events that the tz database in tz.dir, or the system's, would move: those that would follow it, and those that stay because of tz.on_change=report */
  getTimezoneImpact: { path: undefined; query: GetTimezoneImpactQuery; body: undefined; result: TimezoneImpactPage };
  /** Instances that reported in the last hour */
  listInstances: { path: undefined; query: undefined; body: undefined; result: InstancePage };
  /** Drain an instance, which then ends */
  drainInstance: { path: { id: string }; query: undefined; body: undefined; result: Instance };
  /** Versions of all parts */
  getInfo: { path: undefined; query: undefined; body: undefined; result: Info };
  /** Settings of the instance that answers, each with its value and its source */
  listSettings: { path: undefined; query: undefined; body: undefined; result: Settings };
  /** The documents: their overview */
  getDocs: { path: undefined; query: undefined; body: undefined; result: string };
  /** All errors in words, with the remedies */
  getErrors: { path: undefined; query: undefined; body: undefined; result: string };
  /** One error in words: the target of a problem's type */
  getError: { path: { code: string }; query: undefined; body: undefined; result: string };
  /** A document */
  getDocument: { path: { page: string }; query: undefined; body: undefined; result: string };
  /** A document in a folder, or a picture */
  getDocumentInFolder: { path: { folder: string; page: string }; query: undefined; body: undefined; result: string };
  /** All documents with a sentence each */
  getDocumentList: { path: undefined; query: undefined; body: undefined; result: string };
  /** All documents in one text */
  getAllDocuments: { path: undefined; query: undefined; body: undefined; result: string };
  /** This document */
  getOpenApi: { path: undefined; query: undefined; body: undefined; result: Record<string, unknown> };
  /** Whether the process is alive */
  livez: { path: undefined; query: undefined; body: undefined; result: string };
  /** Whether the process can serve requests */
  readyz: { path: undefined; query: undefined; body: undefined; result: string };
  /** Health, check by check; 503 like readyz, with the same checks */
  healthz: { path: undefined; query: undefined; body: undefined; result: Health };
  /** Metrics, Prometheus text */
  metrics: { path: undefined; query: undefined; body: undefined; result: string };
}

/** Method, path, kind of the result, and whether the operation takes an Idempotency-Key. */
export const OPERATIONS: { readonly [K in keyof ApiOperations]: readonly [string, string, "json" | "text" | "events" | "none", boolean] } = {
  listUsers: ["GET", "/v1/users", "json", false],
  v1CreateUser: ["POST", "/v1/users", "json", true],
  createUsers: ["POST", "/v1/users/batch", "json", true],
  importUsers: ["POST", "/v1/users/import", "json", true],
  v1GetUser: ["GET", "/v1/users/{id}", "json", false],
  v1PutUser: ["PUT", "/v1/users/{id}", "json", true],
  v1DeleteUser: ["DELETE", "/v1/users/{id}", "none", true],
  patchUser: ["PATCH", "/v1/users/{id}", "json", true],
  listEvents: ["GET", "/v1/events", "json", false],
  createEvent: ["POST", "/v1/events", "json", true],
  createEvents: ["POST", "/v1/events/batch", "json", true],
  getEvent: ["GET", "/v1/events/{id}", "json", false],
  patchEvent: ["PATCH", "/v1/events/{id}", "json", true],
  cancelEvent: ["DELETE", "/v1/events/{id}", "json", true],
  retryEvent: ["POST", "/v1/events/{id}/retry", "json", true],
  explainEvent: ["GET", "/v1/events/{id}/explain", "json", false],
  completeEvent: ["POST", "/v1/events/{id}/complete", "json", true],
  failEvent: ["POST", "/v1/events/{id}/fail", "json", true],
  releaseEvent: ["POST", "/v1/events/{id}/release", "json", true],
  extendEvent: ["POST", "/v1/events/{id}/extend", "json", true],
  listEndpoints: ["GET", "/v1/endpoints", "json", false],
  createEndpoint: ["POST", "/v1/endpoints", "json", true],
  getEndpoint: ["GET", "/v1/endpoints/{id}", "json", false],
  patchEndpoint: ["PATCH", "/v1/endpoints/{id}", "json", true],
  putEndpoint: ["PUT", "/v1/endpoints/{id}", "json", true],
  deleteEndpoint: ["DELETE", "/v1/endpoints/{id}", "none", true],
  rotateSecret: ["POST", "/v1/endpoints/{id}/rotate-secret", "json", true],
  testEndpoint: ["POST", "/v1/endpoints/{id}/test", "json", true],
  claimEvents: ["POST", "/v1/endpoints/{id}/claim", "json", true],
  readInbox: ["GET", "/v1/endpoints/{id}/inbox", "json", false],
  clearInbox: ["DELETE", "/v1/endpoints/{id}/inbox", "none", true],
  listSchedules: ["GET", "/v1/schedules", "json", false],
  createSchedule: ["POST", "/v1/schedules", "json", true],
  getSchedule: ["GET", "/v1/schedules/{id}", "json", false],
  patchSchedule: ["PATCH", "/v1/schedules/{id}", "json", true],
  putSchedule: ["PUT", "/v1/schedules/{id}", "json", true],
  deleteSchedule: ["DELETE", "/v1/schedules/{id}", "none", true],
  triggerSchedule: ["POST", "/v1/schedules/{id}/trigger", "json", true],
  backfillSchedule: ["POST", "/v1/schedules/{id}/backfill", "json", true],
  bulkSchedules: ["POST", "/v1/schedules/bulk", "json", true],
  previewSchedule: ["POST", "/v1/preview", "json", true],
  listOccurrences: ["GET", "/v1/occurrences", "json", false],
  listOperations: ["GET", "/v1/operations", "json", false],
  getOperation: ["GET", "/v1/operations/{id}", "json", false],
  stopOperation: ["DELETE", "/v1/operations/{id}", "json", true],
  listApiKeys: ["GET", "/v1/api-keys", "json", false],
  createApiKey: ["POST", "/v1/api-keys", "json", true],
  revokeApiKey: ["DELETE", "/v1/api-keys/{id}", "none", true],
  listCalendars: ["GET", "/v1/calendars", "json", false],
  createCalendar: ["POST", "/v1/calendars", "json", true],
  revokeCalendar: ["DELETE", "/v1/calendars/{id}", "none", true],
  readCalendar: ["GET", "/calendar/{token}", "text", false],
  listOperationErrors: ["GET", "/v1/operations/{id}/errors", "json", false],
  bulk: ["POST", "/v1/bulk", "json", true],
  followLive: ["GET", "/v1/live", "events", false],
  getStats: ["GET", "/v1/stats", "json", false],
  getStatsSeries: ["GET", "/v1/stats/series", "json", false],
  getStatsHeatmap: ["GET", "/v1/stats/heatmap", "json", false],
  listAttempts: ["GET", "/v1/attempts", "json", false],
  getAttempt: ["GET", "/v1/attempts/{id}", "json", false],
  listFailures: ["GET", "/v1/stats/failures", "json", false],
  listStreams: ["GET", "/v1/streams", "json", false],
  readStream: ["GET", "/v1/streams/{aggregateType}/{aggregateId}", "json", false],
  appendToStream: ["POST", "/v1/streams/{aggregateType}/{aggregateId}", "json", true],
  getSnapshot: ["GET", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", "json", false],
  saveSnapshot: ["PUT", "/v1/streams/{aggregateType}/{aggregateId}/snapshot", "json", true],
  listIntakes: ["GET", "/v1/intakes", "json", false],
  listRefusedRows: ["GET", "/v1/intakes/refused", "json", false],
  listTakenRows: ["GET", "/v1/intakes/taken", "json", false],
  listLocks: ["GET", "/v1/locks", "json", false],
  getLock: ["GET", "/v1/locks/{name}", "json", false],
  acquireLock: ["POST", "/v1/locks/{name}", "json", true],
  renewLock: ["PUT", "/v1/locks/{name}", "json", true],
  releaseLock: ["DELETE", "/v1/locks/{name}", "none", true],
  readFeed: ["GET", "/v1/feed", "json", false],
  getCheckpoint: ["GET", "/v1/checkpoints/{name}", "json", false],
  saveCheckpoint: ["PUT", "/v1/checkpoints/{name}", "json", true],
  logIn: ["POST", "/v1/session", "json", false],
  getSession: ["GET", "/v1/session", "json", false],
  logOut: ["DELETE", "/v1/session", "none", false],
  getClock: ["GET", "/v1/clock", "json", false],
  setClock: ["PUT", "/v1/clock", "json", true],
  advanceClock: ["POST", "/v1/clock/advance", "json", true],
  tick: ["POST", "/v1/tick", "json", true],
  listTimezones: ["GET", "/v1/timezones", "json", false],
  getTimezoneImpact: ["GET", "/v1/timezones/impact", "json", false],
  listInstances: ["GET", "/v1/instances", "json", false],
  drainInstance: ["POST", "/v1/instances/{id}/drain", "json", true],
  getInfo: ["GET", "/v1/info", "json", false],
  listSettings: ["GET", "/v1/settings", "json", false],
  getDocs: ["GET", "/docs", "text", false],
  getErrors: ["GET", "/docs/errors", "text", false],
  getError: ["GET", "/docs/errors/{code}", "text", false],
  getDocument: ["GET", "/docs/{page}", "text", false],
  getDocumentInFolder: ["GET", "/docs/{folder}/{page}", "text", false],
  getDocumentList: ["GET", "/llms.txt", "text", false],
  getAllDocuments: ["GET", "/llms-full.txt", "text", false],
  getOpenApi: ["GET", "/openapi.json", "json", false],
  livez: ["GET", "/livez", "text", false],
  readyz: ["GET", "/readyz", "text", false],
  healthz: ["GET", "/healthz", "json", false],
  metrics: ["GET", "/metrics", "text", false],
};
