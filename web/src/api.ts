import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { ApiKey, Clock, Endpoint, Problem, Session, Stats } from "../../clients/typescript/src/schema.ts";
import { Connection, retryDelay } from "./connection.ts";
import { parseExactly, type Request } from "./logic.ts";

/** A refusal of the server, or a request that did not reach it (status 0). */
export class Refusal extends Error {
  constructor(readonly status: number, readonly code: string, detail: string, readonly problem?: Problem) {
    super(detail);
  }
}

const asRefusal = (error: unknown) => (error instanceof Refusal ? error : new Refusal(0, "UNREACHABLE", String(error)));

/** Whether the server and its database answer; the shell shows it once for all parts of a page. */
export const connection = new Connection();

/** The session of this browser. The key itself is never kept: the browser has a cookie that no script can read. */
export const session = {
  csrfToken: null as string | null,
  /** Set by the shell: asks for a key. */
  missing: () => {},
};

export async function send<T>(request: Request, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json, application/problem+json, text/plain" };
  if (request.version !== undefined) headers["If-Match"] = `"${request.version}"`;
  if (request.body !== undefined) headers["Content-Type"] = "application/json";
  if (request.method !== "GET") {
    if (session.csrfToken) headers["Sundial-CSRF"] = session.csrfToken;
    if (!request.path.startsWith("/v1/session")) headers["Idempotency-Key"] = request.name ?? crypto.randomUUID();
  }
  let response: Response, text: string;
  try {
    response = await fetch(request.path, {
      method: request.method, headers, signal: signal ?? null, cache: "no-store", credentials: "same-origin",
      body: request.body === undefined ? null : JSON.stringify(request.body),
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    connection.failed("server");
    throw new Refusal(0, "UNREACHABLE", "");
  }
  const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
  const body: unknown = isJson && text ? (/^\/v1\/(events|schedules)\/[^/?]+(\?|$)/.test(request.path) ? parseExactly(text) : JSON.parse(text)) : text;
  if (!response.ok) {
    const problem = isJson ? (body as Problem) : undefined;
    if (problem?.code === "STORAGE_UNAVAILABLE") connection.failed("database");
    else connection.answered();
    if (response.status === 401) session.missing();
    throw new Refusal(response.status, problem?.code ?? String(response.status), problem?.detail ?? text, problem);
  }
  connection.answered();
  return body as T;
}

export const get = <T>(path: string, signal?: AbortSignal) => send<T>({ method: "GET", path }, signal);

/** The objects of the first pages of a list, 100 on each. */
async function firstOf<T>(path: string, pages: number, signal: AbortSignal): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = "";
  for (let page = 0; page < pages && cursor !== null; page++) {
    const found: Page<T> = await get<Page<T>>(`${path}?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, signal);
    all.push(...found.data);
    cursor = found.hasMore ? found.nextCursor : null;
  }
  return all;
}

/** One page of a list. */
export interface Page<T> {
  data: readonly T[];
  hasMore: boolean;
  nextCursor: string | null;
}

/** The first 500 endpoints, for their names and circuits: more than a page can show. */
export const firstEndpoints = (signal: AbortSignal) => firstOf<Endpoint>("/v1/endpoints", 5, signal);

/** Every API key: a server has 1,000 at most. Only for the role ADMIN. */
export const allKeys = (signal: AbortSignal) => firstOf<ApiKey>("/v1/api-keys", 10, signal);

/** Finds out who this browser is. Throws Refusal 401 if the server requires a key and the browser has no session. */
export async function findSession(): Promise<Session> {
  const found = await get<Session>("/v1/session");
  session.csrfToken = found.csrfToken;
  return found;
}

/** Exchanges a key for the cookie. Reads the session afterwards, because a browser may refuse the cookie. */
export async function logIn(key: string): Promise<Session> {
  await send<Session>({ method: "POST", path: "/v1/session", body: { key } });
  return findSession();
}

export async function logOut(): Promise<void> {
  await send<unknown>({ method: "DELETE", path: "/v1/session" });
  session.csrfToken = null;
}

let clockSkew = 0; // ms: the database's clock minus the browser's; days under a test clock

/** The database's clock, which decides when an event is due. */
export const serverNow = () => Date.now() + clockSkew;

export async function readClock(signal: AbortSignal): Promise<Clock> {
  const clock = await get<Clock>("/v1/clock", signal);
  clockSkew = new Date(clock.now).getTime() - Date.now();
  return clock;
}

export type Topic = "stats" | "users" | "schedules" | "endpoints" | "keys" | "events" | "instances" | "operations";

export interface Loaded<T> {
  data: T | undefined;
  /** Why the latest try failed. `data` is then older than it looks. */
  refusal: Refusal | undefined;
  reload: () => void;
}

/**
 * Reads when the server says that `topics` changed, and in any case every `every` milliseconds; only while the page is
 * visible. After failures it asks less often, and at once when another request has reached the server again.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[], topics: readonly Topic[] = [], every = 15_000): Loaded<T> {
  const [state, setState] = useState<{ of?: readonly unknown[]; data?: T; refusal?: Refusal }>({});
  const again = useRef(() => {});
  useEffect(() => {
    const ended = new AbortController();
    let timer = 0, failures = 0, running = false, repeat = false, unknown = false;
    const run = async () => {
      clearTimeout(timer);
      if (running) {
        repeat = true; // what changed while a request was under way may be missing in its answer
        return;
      }
      running = true;
      try {
        const data = await load(ended.signal);
        failures = 0;
        unknown = false;
        if (!ended.signal.aborted) setState({ of: on, data });
      } catch (error) {
        if (ended.signal.aborted) return;
        failures++;
        const refusal = asRefusal(error);
        unknown = refusal.status === 401; // asking again does not help: the user has to log in
        setState((old) => ({ ...old, refusal }));
      } finally {
        running = false;
      }
      if (ended.signal.aborted) return;
      const wait = repeat && failures === 0 ? 250 : failures > 0 && !unknown ? retryDelay(failures) : every;
      repeat = false;
      timer = window.setTimeout(tick, wait);
    };
    const tick = () => { if (document.visibilityState === "visible") void run(); };
    again.current = () => void run();
    document.addEventListener("visibilitychange", tick);
    const unfollow = follow(topics, tick);
    const unheard = connection.onReturn(tick);
    setState({ of: on });
    void run();
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", tick);
      unfollow();
      unheard();
    };
  }, on);
  const reload = useCallback(() => again.current(), []);
  // The effect runs after the first rendering with a new `on`, which must not show the data of the old one.
  const isCurrent = state.of?.every((one, index) => one === on[index]) === true;
  return { data: isCurrent ? state.data : undefined, refusal: isCurrent ? state.refusal : undefined, reload };
}

/** The topics with an event for each kind of change, and those with hints only. */
const RECORDED: readonly Topic[] = ["users", "schedules", "endpoints"];
const HINTED: readonly Topic[] = ["events", "instances", "operations"];
const HINT_EVERY = 1000; // ms: a busy server changes something at any time
const REOPEN_AFTER = 15_000; // ms: EventSource itself gives up when it is refused
const followers = new Map<Topic, Set<() => void>>();
let stream: EventSource | undefined, reopening = 0;

/** Calls `changed` after changes, at once but at most once a second. One stream serves the whole console. */
function follow(topics: readonly Topic[], changed: () => void): () => void {
  let timer = 0, latest = 0;
  const hint = () => {
    timer ||= window.setTimeout(() => {
      timer = 0;
      latest = Date.now();
      changed();
    }, Math.max(0, latest + HINT_EVERY - Date.now()));
  };
  for (const topic of topics) followers.set(topic, (followers.get(topic) ?? new Set()).add(hint));
  return () => {
    clearTimeout(timer);
    for (const topic of topics) followers.get(topic)?.delete(hint);
  };
}

const statsFollowers = new Set<(stats: Stats) => void>();

/** Calls `got` every second with the counters of the last hour, which the server computes once for all browsers. */
export function followStats(got: (stats: Stats) => void): () => void {
  statsFollowers.add(got);
  return () => statsFollowers.delete(got);
}

/** A recorded change of the control plane, as the stream tells it. */
export interface LiveChange {
  topic: Topic;
  change: "created" | "changed" | "deleted";
  id: string;
  version: number;
  fields: readonly string[];
  /** When this browser heard of it, by the server's clock. */
  at: string;
}
const changeFollowers = new Set<(change: LiveChange) => void>();

/** Calls `got` for each change as it happens. */
export function followChanges(got: (change: LiveChange) => void): () => void {
  changeFollowers.add(got);
  return () => changeFollowers.delete(got);
}

const tellFollowers = (topic: Topic) => followers.get(topic)?.forEach((hint) => hint());

/** Opens the stream of changes while the page is visible. Without it pages only ask every few seconds. */
function openStream() {
  closeStream();
  if (document.visibilityState !== "visible") return;
  const opened = new EventSource(`/v1/live?topics=${["stats", ...RECORDED, ...HINTED].join()}`);
  stream = opened;
  for (const topic of RECORDED) {
    for (const change of ["created", "changed", "deleted"] as const) {
      opened.addEventListener(`${topic}.${change}`, ({ data }: MessageEvent<string>) => {
        tellFollowers(topic);
        if (changeFollowers.size === 0) return;
        const received = JSON.parse(data) as Pick<LiveChange, "id" | "version" | "fields">;
        changeFollowers.forEach((got) => got({ ...received, topic, change, at: new Date(serverNow()).toISOString() }));
      });
    }
  }
  for (const topic of HINTED) opened.addEventListener(`${topic}.changed`, () => tellFollowers(topic));
  opened.addEventListener("stats", ({ data }: MessageEvent<string>) => {
    connection.answered();
    if (statsFollowers.size === 0) return;
    const stats = JSON.parse(data) as Stats;
    statsFollowers.forEach((got) => got(stats));
  });
  opened.addEventListener("reset", () => [...RECORDED, ...HINTED].forEach(tellFollowers));
  opened.addEventListener("error", () => {
    if (opened.readyState === EventSource.CLOSED && stream === opened) reopening = window.setTimeout(openStream, REOPEN_AFTER);
  });
}

function closeStream() {
  clearTimeout(reopening);
  stream?.close();
  stream = undefined;
}

/** Follows changes until the returned function is called. */
export function openLive(): () => void {
  openStream();
  document.addEventListener("visibilitychange", openStream);
  return () => {
    document.removeEventListener("visibilitychange", openStream);
    closeStream();
  };
}
