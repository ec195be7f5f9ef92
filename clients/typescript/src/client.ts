import { ApiError, Stopped, SundialError, TransportError } from "./errors.js";
import { followLive } from "./live.js";
import type { LiveMessage, LiveOptions } from "./live.js";
import { randomId } from "./platform.js";
import { OPERATIONS, VERSION } from "./schema.js";
import type * as s from "./schema.js";
import { Worker } from "./worker.js";
import type { Handler, WorkerOptions } from "./worker.js";

// Delays between tries grow from the first to the longest, in milliseconds. A server that wants more than
// MAX_RETRY_AFTER is not waited for.
const FIRST_BACKOFF = 200;
export const LONGEST_BACKOFF = 10_000;
const MAX_RETRY_AFTER = 60_000;
/** A stream of events that is silent for longer is broken: the server sends a comment each 15 seconds. */
const LONGEST_SILENCE = 45_000;

/** Repeating these has no second effect, so they need no key: a report names the version that its claim returned. */
const REPEATABLE: ReadonlySet<string> = new Set(["completeEvent", "failEvent", "releaseEvent", "extendEvent", "previewSchedule"]);
/** Answers to requests that the server has not begun, or has undone. */
const NOTHING_DONE: ReadonlySet<string | undefined> = new Set([
  "RATE_LIMITED", "TOO_EARLY", "NOT_READY", "OVERLOADED", "DRAINING", "STORAGE_UNAVAILABLE",
]);

/** The operations that have a result; the answer of followLive has no end. */
type Id = Exclude<keyof s.ApiOperations, "followLive">;
type ResultOf<K extends Id> = s.ApiOperations[K]["result"];
type Inputs<K extends Id> = { [M in "path" | "query" | "body"]?: s.ApiOperations[K][M] };

/** Options of a client. */
export interface ClientOptions {
  /** Sent as `Authorization: Bearer`. */
  apiKey?: string;
  /** How long one try may take, in milliseconds; a `wait` in a request is added to it. 30,000 by default. */
  timeout?: number;
  /**
   * How often a request is repeated if that cannot do harm: reads, and changes with an idempotency key, which every
   * change gets. 4 by default.
   */
  maxRetries?: number;
  /** Another implementation of fetch. */
  fetch?: typeof globalThis.fetch;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the request and its retries: the call throws Stopped. */
  signal?: AbortSignal | undefined;
  /** For one call: how long one try may take, in milliseconds. */
  timeout?: number | undefined;
  /** For one call: how often it is repeated. */
  maxRetries?: number | undefined;
}

/** Options of a call that changes something. */
export interface ChangeOptions extends CallOptions {
  /** A key of your own, kept with the thing that you want to happen. By default each call makes one. */
  idempotencyKey?: string | undefined;
}

/** Options of a call that changes one version of something. */
export interface VersionOptions extends ChangeOptions {
  /** Change it only at this version; otherwise OPTIMISTIC_LOCK. */
  ifMatch?: number | string | undefined;
}

interface RawOptions extends VersionOptions {
  headers?: Record<string, string>;
}

/** An answer: its status, its headers, its body as text. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** Finds the request in the server's log; empty in browsers if the answer names none. */
  requestId: string;
}

interface AnyPage<T> {
  data: readonly T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** The delay after try `attempt` (from 1) in milliseconds: random, so that clients do not return together. */
export function backoff(attempt: number): number {
  return (0.5 + Math.random() / 2) * Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1));
}

/** Waits. Throws Stopped as soon as the signal aborts. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(new Stopped("stopped by the caller"));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** PT1M30S becomes 90,000. 0 for texts that are not exact durations: the server refuses those. */
function millisecondsOf(text: unknown): number {
  const match = typeof text === "string" ? /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(text) : null;
  return match ? 1000 * (Number(match[1] ?? 0) * 3600 + Number(match[2] ?? 0) * 60 + Number(match[3] ?? 0)) : 0;
}

/** How long the server may wait before it answers a request with this query or body. */
function waitIn(members: unknown): number {
  return typeof members === "object" && members !== null && "wait" in members ? millisecondsOf(members.wait) : 0;
}

function fill(template: string, path: Record<string, string> | undefined, query: object | undefined): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path?.[name] ?? "";
    if (value === "" || value === "." || value === "..") throw new TypeError(`'${value}' is not a ${name}`);
    return encodeURIComponent(value).replace(/%3A/g, ":");
  });
  const pairs = Object.entries(query ?? {})
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`); // an array joins its items by commas
  return filled + (pairs.length > 0 ? `?${pairs.join("&")}` : "");
}

function mayRepeat(error: ApiError | TransportError, repeatable: boolean): boolean {
  if (error instanceof TransportError) return repeatable;
  if (NOTHING_DONE.has(error.code)) return true;
  if (error.code === "LOCK_HELD") return false; // for the caller to decide; `wait` waits
  return repeatable && error.retryable;
}

function refusesKey(error: ApiError): boolean {
  return error.code === "VALIDATION_FAILED"
    && error.errors.some((one) => one.pointer === "Idempotency-Key" && one.code === "not_allowed");
}

/** The error of a request without a usable answer; `limit` is how long it had if its time was up, in milliseconds. */
function lost(request: string, error: unknown, limit: number | undefined): TransportError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const why = limit !== undefined ? `no answer within ${limit} ms` : cause instanceof Error ? cause.message : String(cause);
  return new TransportError(`${request}: ${why}`, { cause: error });
}

/** A list of the API. Iterate over it for all items, page after page; `pages()` has the pages, `first()` the first. */
export class Listing<T, P extends AnyPage<T>> implements AsyncIterable<T> {
  readonly #read: (query: Record<string, unknown>) => Promise<P>;
  readonly #query: Record<string, unknown>;

  constructor(read: (query: Record<string, unknown>) => Promise<P>, query: object = {}) {
    this.#read = read;
    this.#query = { ...query };
  }

  /** The first page. */
  first(): Promise<P> {
    return this.#read(this.#query);
  }

  /** The pages, one after the other. */
  async *pages(): AsyncGenerator<P, void, undefined> {
    const query = { ...this.#query };
    for (;;) {
      const page = await this.#read(query);
      yield page;
      if (!page.hasMore) return;
      if (page.nextCursor === null || page.nextCursor === query["cursor"]) {
        throw new SundialError("the server says that there is more, but not where");
      }
      query["cursor"] = page.nextCursor;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** All items at once. */
  async all(): Promise<T[]> {
    const found: T[] = [];
    for await (const one of this) found.push(one);
    return found;
  }
}

/** A client of one server. */
export class Sundial {
  readonly users = new Users(this);
  readonly events = new Events(this);
  readonly endpoints = new Endpoints(this);
  readonly schedules = new Schedules(this);
  readonly operations = new Operations(this);
  readonly apiKeys = new ApiKeys(this);
  readonly calendars = new Calendars(this);
  readonly streams = new Streams(this);
  readonly intakes = new Intakes(this);
  readonly locks = new Locks(this);
  readonly system = new System(this);
  readonly #url: string;
  readonly #options: ClientOptions;

  constructor(url = "http://127.0.0.1:8080", options: ClientOptions = {}) {
    const parsed = new URL(url);
    if (!/^https?:$/.test(parsed.protocol) || parsed.search !== "" || parsed.hash !== "" || parsed.username !== "") {
      throw new TypeError(`'${url}' is not the URL of a server, such as http://127.0.0.1:8080`);
    }
    this.#url = parsed.href.replace(/\/$/, "");
    this.#options = { ...options };
  }

  /** A worker for the events of a PULL endpoint. `P` is the type of their payloads, which is not checked. */
  worker<P = unknown>(endpoint: string, handle: Handler<P>, options: WorkerOptions = {}): Worker {
    return new Worker(this, endpoint, handle, options);
  }

  /** Carries out an operation by its operationId and returns its result. The other methods are shorter. */
  async call<K extends Id>(operation: K, inputs: Inputs<K>, options: RawOptions = {}): Promise<ResultOf<K>> {
    const reply = await this.reply(operation, inputs, options);
    if (OPERATIONS[operation][2] === "text") return reply.text as ResultOf<K>;
    if (reply.status === 204 || reply.status === 304 || reply.text === "") return undefined as ResultOf<K>;
    try {
      return JSON.parse(reply.text) as ResultOf<K>;
    } catch {
      const failure = new TransportError(`${operation}: the answer is not JSON`);
      failure.requestId = reply.requestId;
      throw failure;
    }
  }

  /** The same, with status, headers and the id of the request. Throws ApiError, TransportError, Stopped. */
  async reply<K extends Id>(operation: K, inputs: Inputs<K>, options: RawOptions = {}): Promise<Reply> {
    const [method, template, kind, keyed] = OPERATIONS[operation];
    const url = this.#url + fill(template, inputs.path, inputs.query);
    const headers = await this.#headers(kind === "json" ? "application/json, application/problem+json" : "*/*", options.headers);
    const requestId = headers["x-request-id"] ?? "";
    if (options.ifMatch !== undefined) {
      headers["if-match"] = typeof options.ifMatch === "number" ? `"${options.ifMatch}"` : options.ifMatch;
    }
    if (inputs.body !== undefined) headers["content-type"] = "application/json";
    const body = inputs.body === undefined ? undefined : JSON.stringify(inputs.body);
    let ownKey = options.idempotencyKey === undefined && keyed && !REPEATABLE.has(operation);
    const key = options.idempotencyKey ?? (ownKey ? await randomId() : undefined);
    if (key !== undefined) headers["idempotency-key"] = key;
    const timeout = (options.timeout ?? this.#options.timeout ?? 30_000) + waitIn(inputs.query) + waitIn(inputs.body);
    const maxRetries = options.maxRetries ?? this.#options.maxRetries ?? 4;

    for (let attempt = 1; ; ++attempt) {
      const repeatable = method === "GET" || REPEATABLE.has(operation) || "idempotency-key" in headers;
      let error: ApiError | TransportError;
      try {
        const reply = await this.#send(url, { method, headers, body }, timeout, options.signal);
        if ((reply.status >= 200 && reply.status < 300) || reply.status === 304) {
          return { ...reply, requestId: reply.headers.get("x-request-id") ?? requestId };
        }
        error = new ApiError(reply.status, reply.headers, reply.text);
      } catch (failure) {
        if (!(failure instanceof TransportError)) throw failure;
        error = failure;
      }
      error.requestId ||= requestId;
      if (error instanceof ApiError && ownKey && refusesKey(error)) {
        delete headers["idempotency-key"]; // a server that cannot keep an answer with a secret: without a key, and once
        ownKey = false;
        continue;
      }
      if (attempt > maxRetries || !mayRepeat(error, repeatable)) throw error;
      let delay = backoff(attempt);
      if (error instanceof ApiError && error.retryAfter !== undefined) {
        if (error.retryAfter > MAX_RETRY_AFTER) throw error;
        delay += error.retryAfter;
      }
      await sleep(delay, options.signal);
    }
  }

  /** The text of followLive as it comes, over one connection: system.live() reads it. Throws ApiError, TransportError, Stopped. */
  async *stream(
    operation: "followLive",
    inputs: { query: s.FollowLiveQuery },
    options: CallOptions & { headers?: Record<string, string> } = {},
  ): AsyncGenerator<string, void, undefined> {
    const [method, template] = OPERATIONS[operation];
    const url = this.#url + fill(template, undefined, inputs.query);
    const headers = await this.#headers("text/event-stream, application/problem+json", options.headers);
    if (options.signal?.aborted) throw new Stopped("stopped by the caller");
    const control = new AbortController();
    const stop = () => control.abort();
    let limit = options.timeout ?? this.#options.timeout ?? 30_000;
    let timer = setTimeout(stop, limit);
    options.signal?.addEventListener("abort", stop, { once: true });
    try {
      const answer = await (this.#options.fetch ?? fetch)(url, { method, headers, redirect: "manual", signal: control.signal });
      const type = answer.headers.get("content-type") ?? "";
      if (answer.status !== 200 || answer.body === null || !type.startsWith("text/event-stream")) {
        throw new ApiError(answer.status, answer.headers, await answer.text());
      }
      const reader = answer.body.getReader();
      const decoder = new TextDecoder();
      limit = LONGEST_SILENCE;
      for (;;) {
        clearTimeout(timer);
        timer = setTimeout(stop, limit);
        const { done, value } = await reader.read();
        clearTimeout(timer); // the caller may take its time
        if (done) return;
        yield decoder.decode(value, { stream: true });
      }
    } catch (error) {
      if (options.signal?.aborted) throw new Stopped("stopped by the caller");
      const failure = error instanceof SundialError ? error : lost(`${method} ${url}`, error, control.signal.aborted ? limit : undefined);
      failure.requestId ||= headers["x-request-id"] ?? "";
      throw failure;
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", stop);
      stop();
    }
  }

  /** The headers of every request. */
  async #headers(accept: string, others: Record<string, string> | undefined): Promise<Record<string, string>> {
    const headers: Record<string, string> = { accept, ...others };
    if ("process" in globalThis) {
      headers["user-agent"] = `sundial-client-typescript/${VERSION}`;
      // The same for all tries: each is in the server's log, also one whose answer was lost. Not in browsers, where it
      // would cost every read a preflight.
      headers["x-request-id"] ??= `req-${await randomId()}`;
    }
    if (this.#options.apiKey !== undefined) headers["authorization"] = `Bearer ${this.#options.apiKey}`;
    return headers;
  }

  /** Sends one request, once. */
  async #send(
    url: string,
    request: { method: string; headers: Record<string, string>; body: string | undefined },
    timeout: number,
    signal: AbortSignal | undefined,
  ): Promise<Omit<Reply, "requestId">> {
    if (signal?.aborted) throw new Stopped("stopped by the caller");
    const control = new AbortController();
    const stop = () => control.abort();
    const timer = setTimeout(stop, timeout);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      const answer = await (this.#options.fetch ?? fetch)(url, {
        method: request.method,
        headers: request.headers,
        redirect: "manual",
        signal: control.signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      // An answer that has begun to arrive is read: it may be a claim, and its events would be lost until their lease ends.
      signal?.removeEventListener("abort", stop);
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      if (signal?.aborted && control.signal.aborted) throw new Stopped("stopped by the caller");
      throw lost(`${request.method} ${url}`, error, control.signal.aborted ? timeout : undefined);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    }
  }
}

class Resource {
  constructor(protected readonly client: Sundial) {}

  protected listing<K extends Id, T>(operation: K, query: object | undefined, path: object | undefined, options: CallOptions) {
    return new Listing<T, ResultOf<K> & AnyPage<T>>(
      (asked) => this.client.call(operation, { path, query: asked } as Inputs<K>, options) as Promise<ResultOf<K> & AnyPage<T>>,
      query,
    );
  }

  protected async changed<K extends Id>(operation: K, id: string, version: number, options: CallOptions): Promise<ResultOf<K> | undefined> {
    return this.client.call(operation, { path: { id } } as unknown as Inputs<K>, { ...options, headers: { "if-none-match": `"${version}"` } });
  }
}

/** Users: people with a time zone. `id` is an id, or ext: and an external id, here and everywhere. */
export class Users extends Resource {
  /** The users that match the query, page after page. */
  list(query?: s.ListUsersQuery, options: CallOptions = {}) {
    return this.listing<"listUsers", s.User>("listUsers", query, undefined, options);
  }

  /** Creates a user, and the next event of every perUser schedule. Throws DUPLICATE_EXTERNAL_ID. */
  create(user: s.NewUser, options: ChangeOptions = {}): Promise<s.User> {
    return this.client.call("v1CreateUser", { body: user }, options);
  }

  /** Up to 1,000 at once; the result has each user or its problem, in the same order. */
  createMany(users: s.NewUsers, query: s.CreateUsersQuery = {}, options: ChangeOptions = {}): Promise<s.UserBatch> {
    return this.client.call("createUsers", { query, body: users }, options);
  }

  /** Replaces the users whose external ids exist, and creates the others. */
  importMany(users: s.NewUsers, options: ChangeOptions = {}): Promise<s.UserImport> {
    return this.client.call("importUsers", { body: users }, options);
  }

  /** One user. Throws USER_NOT_FOUND. */
  get(id: string, options: CallOptions = {}): Promise<s.User> {
    return this.client.call("v1GetUser", { path: { id } }, options);
  }

  /** The same, or undefined if it is still at this version. */
  getIfChanged(id: string, version: number, options: CallOptions = {}): Promise<s.User | undefined> {
    return this.changed("v1GetUser", id, version, options);
  }

  /** Creates the user of `ext:…`, or replaces it. With an id it changes the given members, as patch() does. */
  put(id: string, user: s.UserPut, options: VersionOptions = {}): Promise<s.User> {
    return this.client.call("v1PutUser", { path: { id }, body: user }, options);
  }

  /** Changes the given members. Pending events follow a new zone or date; `reschedule` counts them. */
  patch(id: string, change: s.UserPatch, options: VersionOptions = {}): Promise<s.User> {
    return this.client.call("patchUser", { path: { id }, body: change }, options);
  }

  /** Deletes a user with all events. With `history: keep` finished events stay, without the user. */
  delete(id: string, query: s.V1DeleteUserQuery = {}, options: VersionOptions = {}): Promise<void> {
    return this.client.call("v1DeleteUser", { path: { id }, query }, options);
  }
}

/** Events: each is delivered to one endpoint when its time has come. */
export class Events extends Resource {
  /** Events, live and finished, that match the query, page after page. */
  list(query?: s.ListEventsQuery, options: CallOptions = {}) {
    return this.listing<"listEvents", s.Event>("listEvents", query, undefined, options);
  }

  /** Schedules an event, at an instant or at a local time. Throws DUPLICATE_IDEMPOTENCY_KEY. */
  create(event: s.NewEvent, options: ChangeOptions = {}): Promise<s.Event> {
    return this.client.call("createEvent", { body: event }, options);
  }

  /** Up to 1,000 at once; the result has each event or its problem, in the same order. */
  createMany(events: s.NewEvents, query: s.CreateEventsQuery = {}, options: ChangeOptions = {}): Promise<s.EventBatch> {
    return this.client.call("createEvents", { body: events, query }, options);
  }

  /** One event. `expand` adds its user, schedule, endpoint and attempts. */
  get(id: string, options: CallOptions = {}, query: s.GetEventQuery = {}): Promise<s.Event> {
    return this.client.call("getEvent", { path: { id }, query }, options);
  }

  /** The same, or undefined if it is still at this version. */
  getIfChanged(id: string, version: number, options: CallOptions = {}): Promise<s.Event | undefined> {
    return this.changed("getEvent", id, version, options);
  }

  /** Changes a PENDING event: target, payload, endpoint, priority. Dismisses a FAILED one. */
  patch(id: string, change: s.EventPatch, options: VersionOptions = {}): Promise<s.Event> {
    return this.client.call("patchEvent", { path: { id }, body: change }, options);
  }

  /** Cancels an event that no holder has claimed. Throws INVALID_STATE_TRANSITION if one has. */
  cancel(id: string, options: VersionOptions = {}): Promise<s.Event> {
    return this.client.call("cancelEvent", { path: { id } }, options);
  }

  /** Attempts an event again, now. A FAILED event gets a new event, which is the result. */
  retry(id: string, how?: s.RetryEvent, options: ChangeOptions = {}): Promise<s.Event> {
    return this.client.call("retryEvent", { path: { id }, body: how }, options);
  }

  /** Why the event is due when it is, what happened to it, and what it waits for. */
  explain(id: string, options: CallOptions = {}): Promise<s.Explanation> {
    return this.client.call("explainEvent", { path: { id } }, options);
  }

  /** Attempts that have ended, of all events or of one, the latest first. */
  attempts(query?: s.ListAttemptsQuery, options: CallOptions = {}) {
    return this.listing<"listAttempts", s.Attempt>("listAttempts", query, undefined, options);
  }

  /** One attempt. Its id is the event's id, a dot and the number of the attempt. */
  attempt(id: string, options: CallOptions = {}): Promise<s.Attempt> {
    return this.client.call("getAttempt", { path: { id } }, options);
  }

  /** Dead letters in groups. */
  failures(query: s.ListFailuresQuery = {}, options: CallOptions = {}): Promise<s.Failures> {
    return this.client.call("listFailures", { query }, options);
  }

  /** Reports a claimed event as done. `version` is the one that the claim returned, here and below. */
  complete(id: string, version: number, options: CallOptions = {}): Promise<s.Event> {
    return this.client.call("completeEvent", { path: { id }, body: { version } }, options);
  }

  /** Reports that the work of a claim failed. The event waits for its next attempt, or is FAILED. */
  fail(id: string, failure: s.FailEvent, options: CallOptions = {}): Promise<s.Event> {
    return this.client.call("failEvent", { path: { id }, body: failure }, options);
  }

  /** Gives a claimed event back: another worker may claim it at once. */
  release(id: string, version: number, options: CallOptions = {}): Promise<s.Event> {
    return this.client.call("releaseEvent", { path: { id }, body: { version } }, options);
  }

  /** Extends the lease of a claim: it ends at the given time from now. The version stays. */
  extend(id: string, claim: s.ExtendClaim, options: CallOptions = {}): Promise<s.Event> {
    return this.client.call("extendEvent", { path: { id }, body: claim }, options);
  }
}

/** Endpoints: destinations of events. */
export class Endpoints extends Resource {
  /** The endpoints that match the query, page after page. Secrets are not shown. */
  list(query?: s.ListEndpointsQuery, options: CallOptions = {}) {
    return this.listing<"listEndpoints", s.Endpoint>("listEndpoints", query, undefined, options);
  }

  /** Creates an endpoint. The result has the `secret` of one that signs, this once. */
  create(endpoint: s.NewEndpoint, options: ChangeOptions = {}): Promise<s.CreatedEndpoint> {
    return this.client.call("createEndpoint", { body: endpoint }, options);
  }

  /** One endpoint with its limits and its circuit. The secret is not shown. */
  get(id: string, options: CallOptions = {}): Promise<s.Endpoint> {
    return this.client.call("getEndpoint", { path: { id } }, options);
  }

  /** The same, or undefined if it is still at this version. */
  getIfChanged(id: string, version: number, options: CallOptions = {}): Promise<s.Endpoint | undefined> {
    return this.changed("getEndpoint", id, version, options);
  }

  /** Creates the endpoint of `ext:…`, or replaces it. The result has a `secret` only if it was created. */
  put(id: string, endpoint: s.EndpointPut, query: s.PutEndpointQuery = {}, options: VersionOptions = {}): Promise<s.CreatedEndpoint> {
    return this.client.call("putEndpoint", { path: { id }, body: endpoint, query }, options);
  }

  /** Changes the given members. Enabling an endpoint releases the events that wait for it. */
  patch(id: string, change: s.EndpointPatch, query: s.PatchEndpointQuery = {}, options: VersionOptions = {}): Promise<s.Endpoint> {
    return this.client.call("patchEndpoint", { path: { id }, body: change, query }, options);
  }

  /** Deletes an endpoint. Throws ENDPOINT_IN_USE if live events or schedules point to it. */
  delete(id: string, query: s.DeleteEndpointQuery = {}, options: VersionOptions = {}): Promise<void> {
    return this.client.call("deleteEndpoint", { path: { id }, query }, options);
  }

  /** Creates a new secret, which the result has, this once. The old one goes on to sign for `oldSignsFor`. */
  rotateSecret(id: string, how?: s.RotateSecret, options: VersionOptions = {}): Promise<s.RotatedEndpoint> {
    return this.client.call("rotateSecret", { path: { id }, body: how }, options);
  }

  /** Sends an event of type sundial.test and returns the outcome. */
  test(id: string, options: ChangeOptions = {}): Promise<s.TestResult> {
    return this.client.call("testEndpoint", { path: { id } }, options);
  }

  /** Claims events of a PULL endpoint. A Worker does that, and the reports, by itself. */
  claim(id: string, work: s.ClaimWork, options: ChangeOptions = {}): Promise<s.Work> {
    return this.client.call("claimEvents", { path: { id }, body: work }, options);
  }

  /** The requests that an INBOX received, newest first, page after page. */
  inbox(id: string, query?: s.ReadInboxQuery, options: CallOptions = {}) {
    return this.listing<"readInbox", s.InboxRequest>("readInbox", query, { id }, options);
  }

  /** Deletes the requests that an INBOX has kept. */
  clearInbox(id: string, options: ChangeOptions = {}): Promise<void> {
    return this.client.call("clearInbox", { path: { id } }, options);
  }
}

/** Schedules: rules that create events. */
export class Schedules extends Resource {
  /** The schedules that match the query, page after page. */
  list(query?: s.ListSchedulesQuery, options: CallOptions = {}) {
    return this.listing<"listSchedules", s.Schedule>("listSchedules", query, undefined, options);
  }

  /** Creates a schedule and plans its first events. */
  create(schedule: s.NewSchedule, options: ChangeOptions = {}): Promise<s.Schedule> {
    return this.client.call("createSchedule", { body: schedule }, options);
  }

  /** One schedule with its policies, its rule in plain words, and `nextAt`. */
  get(id: string, options: CallOptions = {}): Promise<s.Schedule> {
    return this.client.call("getSchedule", { path: { id } }, options);
  }

  /** The same, or undefined if it is still at this version. */
  getIfChanged(id: string, version: number, options: CallOptions = {}): Promise<s.Schedule | undefined> {
    return this.changed("getSchedule", id, version, options);
  }

  /** Creates the schedule of `ext:…`, or replaces it. With an id it changes the given members. */
  put(id: string, schedule: s.SchedulePut, options: VersionOptions = {}): Promise<s.Schedule> {
    return this.client.call("putSchedule", { path: { id }, body: schedule }, options);
  }

  /** Changes the given members; planned events follow. `enabled: false` pauses the schedule. */
  patch(id: string, change: s.SchedulePatch, options: VersionOptions = {}): Promise<s.Schedule> {
    return this.client.call("patchSchedule", { path: { id }, body: change }, options);
  }

  /** Deletes a schedule and cancels its planned events. Finished events stay. */
  delete(id: string, options: VersionOptions = {}): Promise<void> {
    return this.client.call("deleteSchedule", { path: { id } }, options);
  }

  /** Creates one event that is due now, whatever the rule says. A perUser schedule needs `userId`. */
  trigger(id: string, how?: s.TriggerSchedule, options: ChangeOptions = {}): Promise<s.Event> {
    return this.client.call("triggerSchedule", { path: { id }, body: how }, options);
  }

  /** Creates events for past occurrences that have none. The result is the operation, or with `dryRun` the count. */
  backfill(id: string, range: s.BackfillSchedule & { dryRun: true }, options?: ChangeOptions): Promise<s.Backfill>;
  backfill(id: string, range: s.BackfillSchedule & { dryRun?: false }, options?: ChangeOptions): Promise<s.Operation>;
  backfill(id: string, range: s.BackfillSchedule, options?: ChangeOptions): Promise<s.Operation | s.Backfill>;
  backfill(id: string, range: s.BackfillSchedule, options: ChangeOptions = {}): Promise<s.Operation | s.Backfill> {
    return this.client.call("backfillSchedule", { path: { id }, body: range }, options);
  }

  /** Pauses, resumes, tags or deletes many. The result is the operation, or with `dryRun` the count and samples. */
  bulk(request: s.ScheduleBulkRequest & { dryRun: true }, options?: ChangeOptions): Promise<s.ScheduleBulkPreview>;
  bulk(request: s.ScheduleBulkRequest & { dryRun?: false }, options?: ChangeOptions): Promise<s.Operation>;
  bulk(request: s.ScheduleBulkRequest, options?: ChangeOptions): Promise<s.Operation | s.ScheduleBulkPreview>;
  bulk(request: s.ScheduleBulkRequest, options: ChangeOptions = {}): Promise<s.Operation | s.ScheduleBulkPreview> {
    return this.client.call("bulkSchedules", { body: request }, options);
  }

  /** The next occurrences of a stored schedule, or of one in the request; stores nothing. */
  preview(request: s.PreviewRequest, options: CallOptions = {}): Promise<s.Preview> {
    return this.client.call("previewSchedule", { body: request }, options);
  }

  /** Occurrences of one schedule, or of all schedules between two instants, page after page. */
  occurrences(query: s.ListOccurrencesQuery, options: CallOptions = {}) {
    return this.listing<"listOccurrences", s.Occurrence>("listOccurrences", query, undefined, options);
  }
}

/** Operations: long jobs, done in batches. */
export class Operations extends Resource {
  /** The operations that match the query, page after page. */
  list(query?: s.ListOperationsQuery, options: CallOptions = {}) {
    return this.listing<"listOperations", s.Operation>("listOperations", query, undefined, options);
  }

  /** One operation and its progress. */
  get(id: string, options: CallOptions = {}): Promise<s.Operation> {
    return this.client.call("getOperation", { path: { id } }, options);
  }

  /** The same, or undefined if it is still at this version. */
  getIfChanged(id: string, version: number, options: CallOptions = {}): Promise<s.Operation | undefined> {
    return this.changed("getOperation", id, version, options);
  }

  /** Reads the operation every so many milliseconds until it has ended, or `options.signal` aborts. */
  async wait(id: string, options: CallOptions & { every?: number } = {}): Promise<s.Operation> {
    let operation = await this.get(id, options);
    while (operation.status === "RUNNING") {
      await sleep(options.every ?? 1000, options.signal);
      operation = (await this.getIfChanged(id, operation.version, options)) ?? operation;
    }
    return operation;
  }

  /** Stops an operation after its current batch. A finished one does not change. */
  stop(id: string, options: VersionOptions = {}): Promise<s.Operation> {
    return this.client.call("stopOperation", { path: { id } }, options);
  }

  /** The rows that the operation could not process, with the reasons, page after page. */
  errors(id: string, query?: s.ListOperationErrorsQuery, options: CallOptions = {}) {
    return this.listing<"listOperationErrors", s.OperationError>("listOperationErrors", query, { id }, options);
  }

  /** Applies one action to many events. The result is the operation, or with `dryRun` the count and samples. */
  bulk(request: s.BulkRequest & { dryRun: true }, options?: ChangeOptions): Promise<s.BulkPreview>;
  bulk(request: s.BulkRequest & { dryRun?: false }, options?: ChangeOptions): Promise<s.Operation>;
  bulk(request: s.BulkRequest, options?: ChangeOptions): Promise<s.Operation | s.BulkPreview>;
  bulk(request: s.BulkRequest, options: ChangeOptions = {}): Promise<s.Operation | s.BulkPreview> {
    return this.client.call("bulk", { body: request }, options);
  }
}

/** API keys, and sessions of browsers. */
export class ApiKeys extends Resource {
  /** The keys that match the query, without the keys themselves, page after page. */
  list(query?: s.ListApiKeysQuery, options: CallOptions = {}) {
    return this.listing<"listApiKeys", s.ApiKey>("listApiKeys", query, undefined, options);
  }

  /** Creates a key. The result has the `key` itself, this once. */
  create(key: s.NewApiKey, options: ChangeOptions = {}): Promise<s.CreatedApiKey> {
    return this.client.call("createApiKey", { body: key }, options);
  }

  /** Starts the session of a browser: its cookie then has the rights of the key. */
  logIn(key: s.LogIn, options: CallOptions = {}): Promise<s.Session> {
    return this.client.call("logIn", { body: key }, options);
  }

  /** The role of this client's key, or of the browser's session. */
  session(options: CallOptions = {}): Promise<s.Session> {
    return this.client.call("getSession", {}, options);
  }

  /** Ends the session of the browser. */
  async logOut(options: CallOptions = {}): Promise<void> {
    await this.client.call("logOut", {}, options);
  }

  /** Revokes a key. Throws LAST_ADMIN_KEY if no other ADMIN key would stay. */
  revoke(id: string, options: ChangeOptions = {}): Promise<void> {
    return this.client.call("revokeApiKey", { path: { id } }, options);
  }
}

/** iCalendar feeds, which calendar programs subscribe to. */
export class Calendars extends Resource {
  /** The calendars that match the query, without their tokens, page after page. */
  list(query?: s.ListCalendarsQuery, options: CallOptions = {}) {
    return this.listing<"listCalendars", s.Calendar>("listCalendars", query, undefined, options);
  }

  /** Creates the feed of a schedule or a user. The result has its `token` and `path`, this once. */
  create(calendar: s.NewCalendar, options: ChangeOptions = {}): Promise<s.CreatedCalendar> {
    return this.client.call("createCalendar", { body: calendar }, options);
  }

  /** Revokes a calendar; its feed ends at once. */
  revoke(id: string, options: ChangeOptions = {}): Promise<void> {
    return this.client.call("revokeCalendar", { path: { id } }, options);
  }

  /** The text of a feed (RFC 5545); needs no key. */
  read(token: string, query: s.ReadCalendarQuery = {}, options: CallOptions = {}): Promise<string> {
    return this.client.call("readCalendar", { path: { token }, query }, options);
  }
}

/** Event-sourced history, and the feed: all streams in one order. */
export class Streams extends Resource {
  /** The streams that match the query, with their versions, page after page. */
  list(query?: s.ListStreamsQuery, options: CallOptions = {}) {
    return this.listing<"listStreams", s.StreamHead>("listStreams", query, undefined, options);
  }

  /** One page of a stream, with its version. */
  read(aggregateType: string, aggregateId: string, query: s.ReadStreamQuery = {}, options: CallOptions = {}): Promise<s.Stream> {
    return this.client.call("readStream", { path: { aggregateType, aggregateId }, query }, options);
  }

  /** All events of a stream in that range, page after page. */
  async *events(
    aggregateType: string,
    aggregateId: string,
    query: s.ReadStreamQuery = {},
    options: CallOptions = {},
  ): AsyncGenerator<s.RecordedEvent, void, undefined> {
    const asked = { ...query };
    for (;;) {
      const page = await this.read(aggregateType, aggregateId, asked, options);
      const found = page.data;
      yield* found;
      const last = found[found.length - 1];
      if (!page.hasMore || last === undefined) return;
      if (asked.direction === "backward") asked.toVersion = last.version - 1;
      else asked.fromVersion = last.version + 1;
    }
  }

  /** Appends events, all or none. Throws OPTIMISTIC_LOCK if the stream is not at `expectedVersion`. */
  append(aggregateType: string, aggregateId: string, batch: s.Append, options: VersionOptions = {}): Promise<s.Appended> {
    return this.client.call("appendToStream", { path: { aggregateType, aggregateId }, body: batch }, options);
  }

  /** The newest snapshot. Throws AGGREGATE_NOT_FOUND if there is none. */
  snapshot(aggregateType: string, aggregateId: string, options: CallOptions = {}): Promise<s.Snapshot> {
    return this.client.call("getSnapshot", { path: { aggregateType, aggregateId } }, options);
  }

  /** Saves a snapshot. If a newer one exists, that one is the result. */
  saveSnapshot(aggregateType: string, aggregateId: string, snapshot: s.Snapshot, options: ChangeOptions = {}): Promise<s.Snapshot> {
    return this.client.call("saveSnapshot", { path: { aggregateType, aggregateId }, body: snapshot }, options);
  }

  /** One page of the feed. */
  feed(query: s.ReadFeedQuery = {}, options: CallOptions = {}): Promise<s.FeedPage> {
    return this.client.call("readFeed", { query }, options);
  }

  /**
   * The pages of the feed after `after`, and then each new one as it comes. Store `nextPosition` with your result. Ends
   * when `options.signal` aborts. A server that is away is asked again, however long that takes; other errors are thrown.
   */
  async *followPages(query: s.ReadFeedQuery = {}, options: CallOptions = {}): AsyncGenerator<s.FeedPage, void, undefined> {
    const asked = { after: 0, wait: "PT20S", ...query };
    let failures = 0;
    while (!options.signal?.aborted) {
      let page: s.FeedPage;
      try {
        page = await this.feed(asked, options);
        failures = 0;
      } catch (error) {
        if (error instanceof Stopped) return;
        const passing = error instanceof TransportError || (error instanceof ApiError && error.retryable);
        if (!passing) throw error;
        await sleep(backoff(++failures), options.signal).catch(() => undefined);
        continue;
      }
      if (page.nextPosition !== asked.after) {
        asked.after = page.nextPosition;
        yield page;
      }
    }
  }

  /** The events of followPages(), one by one. */
  async *follow(query: s.ReadFeedQuery = {}, options: CallOptions = {}): AsyncGenerator<s.RecordedEvent, void, undefined> {
    for await (const page of this.followPages(query, options)) yield* page.data;
  }

  /** The position that a follower of the feed saved last; 0 if it never saved one. */
  checkpoint(name: string, options: CallOptions = {}): Promise<s.Checkpoint> {
    return this.client.call("getCheckpoint", { path: { name } }, options);
  }

  /** Moves a checkpoint forward. Throws CHECKPOINT_CONFLICT if it is not at `previous`. */
  saveCheckpoint(name: string, step: s.CheckpointStep, options: ChangeOptions = {}): Promise<s.Checkpoint> {
    return this.client.call("saveCheckpoint", { path: { name }, body: step }, options);
  }
}

/** Intakes: outboxes of applications, which the server follows. */
export class Intakes extends Resource {
  /** The outboxes that the server follows, or has followed, by name. */
  list(query?: s.ListIntakesQuery, options: CallOptions = {}) {
    return this.listing<"listIntakes", s.Intake>("listIntakes", query, undefined, options);
  }

  /** The rows that could not be scheduled, with the reasons. */
  refused(intake: string, options: CallOptions = {}) {
    return this.listing<"listRefusedRows", s.RefusedRow>("listRefusedRows", { intake }, undefined, options);
  }

  /** The rows that the application may delete. */
  taken(intake: string, options: CallOptions = {}) {
    return this.listing<"listTakenRows", s.TakenRange>("listTakenRows", { intake }, undefined, options);
  }
}

/** Locks: a name has one holder at a time, with a fencing token. */
export class Locks extends Resource {
  /** The locks that are held, by name, page after page. */
  list(query?: s.ListLocksQuery, options: CallOptions = {}) {
    return this.listing<"listLocks", s.HeldLock>("listLocks", query, undefined, options);
  }

  /** The holder of a lock and the end of its lease. Throws LOCK_NOT_FOUND if it is free. */
  get(name: string, options: CallOptions = {}): Promise<s.HeldLock> {
    return this.client.call("getLock", { path: { name } }, options);
  }

  /** Acquires a lock. Throws LOCK_HELD if another holder still has it after `wait`. */
  acquire(name: string, request: s.AcquireLock, options: ChangeOptions = {}): Promise<s.AcquiredLock> {
    return this.client.call("acquireLock", { path: { name }, body: request }, options);
  }

  /** Extends the lease. Throws LEASE_LOST after it has expired: stop the guarded work. */
  renew(name: string, request: s.RenewLock, options: ChangeOptions = {}): Promise<s.RenewedLock> {
    return this.client.call("renewLock", { path: { name }, body: request }, options);
  }

  /** Frees the lock at once. Throws LOCK_NOT_HELD with a wrong or spent token. */
  release(name: string, lockToken: string, options: ChangeOptions = {}): Promise<void> {
    return this.client.call("releaseLock", { path: { name } }, { ...options, headers: { "sundial-lock-token": lockToken } });
  }
}

/** Clock, zones, health, versions, and changes as they happen. */
export class System extends Resource {
  /** Versions of the server, its database and its tz database. */
  info(options: CallOptions = {}): Promise<s.Info> {
    return this.client.call("getInfo", {}, options);
  }

  /** The settings of the server and their sources; needs a key of the role ADMIN. */
  settings(options: CallOptions = {}): Promise<s.Settings> {
    return this.client.call("listSettings", {}, options);
  }

  /** The clock that decides which events are due. */
  clock(options: CallOptions = {}): Promise<s.Clock> {
    return this.client.call("getClock", {}, options);
  }

  /** Sets a test clock, never backward. Throws CLOCK_NOT_TEST with the real clock. */
  setClock(clock: s.SetClock, options: ChangeOptions = {}): Promise<s.Clock> {
    return this.client.call("setClock", { body: clock }, options);
  }

  /** Moves a test clock and delivers everything that comes due on the way. Give it a long timeout. */
  advanceClock(step: s.AdvanceClock, options: ChangeOptions = {}): Promise<s.ClockAdvanced> {
    return this.client.call("advanceClock", { body: step }, options);
  }

  /** One pass of the scheduler: claims due events, delivers them, returns the counts. */
  tick(how?: s.Tick, options: ChangeOptions = {}): Promise<s.Ticked> {
    return this.client.call("tick", { body: how }, options);
  }

  /** The zones of the server's tz database, with their offsets and changes, page after page. */
  timezones(query?: s.ListTimezonesQuery, options: CallOptions = {}) {
    return this.listing<"listTimezones", s.Timezone>("listTimezones", query, undefined, options);
  }

  /** Pending events that the tz database on disk would move, page after page. */
  timezoneImpact(query?: s.GetTimezoneImpactQuery, options: CallOptions = {}) {
    return this.listing<"getTimezoneImpact", s.TimezoneMove>("getTimezoneImpact", query, undefined, options);
  }

  /** The counters of a window of time, and the backlog of now. */
  stats(query: s.GetStatsQuery = {}, options: CallOptions = {}): Promise<s.Stats> {
    return this.client.call("getStats", { query }, options);
  }

  /** Finished and expected events by time and zone, endpoint or status. */
  statsHeatmap(query: s.GetStatsHeatmapQuery = {}, options: CallOptions = {}): Promise<s.StatsHeatmap> {
    return this.client.call("getStatsHeatmap", { query }, options);
  }

  /** Counters over time, by minute or by hour. */
  statsSeries(query: s.GetStatsSeriesQuery, options: CallOptions = {}): Promise<s.StatsSeries> {
    return this.client.call("getStatsSeries", { query }, options);
  }

  /**
   * Changes as they happen. Opens the stream again whenever it ends, and continues after the last change that was
   * received, so no change is missed or comes twice; the other topics have no positions. Ends when `options.signal` aborts
   * or the loop is left. A server that is away is asked again, however long that takes; other errors are thrown.
   */
  live(query: s.FollowLiveQuery, options: LiveOptions = {}): AsyncGenerator<LiveMessage, void, undefined> {
    return followLive((headers) => this.client.stream("followLive", { query }, { ...options, headers }), options);
  }

  /** The processes that serve this database, in the order of their start. */
  instances(options: CallOptions = {}) {
    return this.listing<"listInstances", s.Instance>("listInstances", undefined, undefined, options);
  }

  /** The instance stops as on SIGTERM: its process ends. */
  drain(id: string, options: ChangeOptions = {}): Promise<s.Instance> {
    return this.client.call("drainInstance", { path: { id } }, options);
  }

  /** The health of the server, check by check. Throws NOT_READY if a check fails; its problem has the checks. */
  health(options: CallOptions = {}): Promise<s.Health> {
    return this.client.call("healthz", {}, options);
  }

  /** Whether the process is alive; needs no key. */
  alive(options: CallOptions = {}): Promise<string> {
    return this.client.call("livez", {}, options);
  }

  /** Whether the server can serve requests; needs no key. Throws NOT_READY. */
  ready(options: CallOptions = {}): Promise<string> {
    return this.client.call("readyz", {}, options);
  }

  /** The metrics, in the text format of Prometheus. */
  metrics(options: CallOptions = {}): Promise<string> {
    return this.client.call("metrics", {}, options);
  }

  /** The API as the server describes it: OpenAPI 3.1. */
  openapi(options: CallOptions = {}): Promise<Record<string, unknown>> {
    return this.client.call("getOpenApi", {}, options);
  }

  /** The page of all error codes, as Markdown. */
  errors(options: CallOptions = {}): Promise<string> {
    return this.client.call("getErrors", {}, options);
  }

  /** The section on one error code, as Markdown. */
  error(code: string, options: CallOptions = {}): Promise<string> {
    return this.client.call("getError", { path: { code } }, options);
  }

  /** All documents with a sentence each, as Markdown. */
  documents(options: CallOptions = {}): Promise<string> {
    return this.client.call("getDocumentList", {}, options);
  }

  /** All documents in one text, as Markdown. */
  allDocuments(options: CallOptions = {}): Promise<string> {
    return this.client.call("getAllDocuments", {}, options);
  }

  /** The overview of the documents, as Markdown. */
  overview(options: CallOptions = {}): Promise<string> {
    return this.client.call("getDocs", {}, options);
  }

  /** A document, such as "operating", as Markdown. */
  document(page: string, options: CallOptions = {}): Promise<string> {
    return this.client.call("getDocument", { path: { page } }, options);
  }

  /** A document in a folder, such as "guide" and "locks", as Markdown. */
  documentIn(folder: string, page: string, options: CallOptions = {}): Promise<string> {
    return this.client.call("getDocumentInFolder", { path: { folder, page } }, options);
  }
}
