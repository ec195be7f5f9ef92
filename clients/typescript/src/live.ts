import { backoff, LONGEST_BACKOFF, sleep } from "./client.js";
import type { CallOptions } from "./client.js";
import { ApiError, Stopped, SundialError, TransportError } from "./errors.js";
import type { Event, Operation, Stats } from "./schema.js";

/** Options of a stream of live messages. `timeout` is how long the server may take to answer; maxRetries has no effect. */
export interface LiveOptions extends CallOptions {
  /** Begin with the changes after this position, which a message had; by default with the changes from now on. */
  after?: number | undefined;
}

/** A user, schedule, endpoint or API key was created, changed or deleted. */
export interface LiveChange {
  type: `${"users" | "schedules" | "endpoints" | "keys"}.${"created" | "changed" | "deleted"}`;
  /** The change's position in the feed, for `after`. */
  position: number;
  /** `fields` has the names of the members that were given or changed: read the object for their values. */
  data: { id: string; version: number; fields: readonly string[] };
}

/** The counters, once a second. */
export interface LiveStats {
  type: "stats";
  data: Stats;
}

/** Attempts at events have ended in the last second. `more`: there were others. */
export interface LiveEvents {
  type: "events.changed";
  data: { events: readonly Pick<Event, "id" | "status" | "eventType">[]; more: boolean };
}

/** The list of instances has changed. */
export interface LiveInstances {
  type: "instances.changed";
  data: { instances: readonly { id: string; draining: boolean }[] };
}

/** The latest operations. One of them is new or has changed. */
export interface LiveOperations {
  type: "operations.changed";
  data: { operations: readonly Operation[] };
}

/** Too much has happened since the last change that was received: read again what you show. */
export interface LiveReset {
  type: "reset";
  position: number;
}

/** The stream is open, for the first time or again. Topics whose messages have no position may have missed some until now. */
export interface LiveOpened {
  type: "opened";
}

/** The stream has ended, or could not be opened: `error` says why, if anything failed. It is opened again by itself. */
export interface LiveClosed {
  type: "closed";
  error: SundialError | undefined;
}

/** A message of `system.live()`. `type` tells which one it is. */
export type LiveMessage = LiveChange | LiveStats | LiveEvents | LiveInstances | LiveOperations | LiveReset | LiveOpened | LiveClosed;

/** Opens the stream once, after a position if there is one, and yields its text. */
type Open = (headers: Record<string, string>) => AsyncIterable<string>;

const CHANGE = /^(users|schedules|endpoints|keys)\.(created|changed|deleted)$/;
const WITHOUT_POSITION: ReadonlySet<string> = new Set(["stats", "events.changed", "instances.changed", "operations.changed"]);

/** Yields messages over any number of connections. Ends when the signal aborts; throws errors that do not pass. */
export async function* followLive(open: Open, options: LiveOptions): AsyncGenerator<LiveMessage, void, undefined> {
  let position = options.after;
  let failures = 0;
  while (!options.signal?.aborted) {
    const began = performance.now();
    let error: SundialError | undefined;
    try {
      const parser = new EventStreamParser();
      let opened = false;
      for await (const text of open(position === undefined ? {} : { "last-event-id": String(position) })) {
        if (!opened) yield { type: "opened" }; // the server sends something at once
        opened = true;
        for (const one of parser.read(text)) {
          if (options.signal?.aborted) return;
          if (one.id !== undefined) position = Number(one.id);
          const message = messageOf(one);
          if (message !== undefined) yield message;
        }
      }
    } catch (failure) {
      if (failure instanceof Stopped) return;
      const passing = failure instanceof TransportError || (failure instanceof ApiError && failure.retryable);
      if (!passing) throw failure;
      error = failure;
    }
    if (options.signal?.aborted) return;
    yield { type: "closed", error };
    failures = performance.now() - began > LONGEST_BACKOFF ? 1 : failures + 1;
    const wanted = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
    await sleep(backoff(failures) + wanted, options.signal).catch(() => undefined);
  }
}

/** One event of a stream of server-sent events. It has no data if it only moves the id. */
interface Sent {
  event: string;
  data: string | undefined;
  id: string | undefined;
}

/** Undefined for one without data, and for types that only newer servers send. */
function messageOf({ event, data, id }: Sent): LiveMessage | undefined {
  if (data === undefined) return undefined;
  if (event === "reset") return { type: event, position: Number(id) };
  if (!CHANGE.test(event) && !WITHOUT_POSITION.has(event)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(data);
  } catch (cause) {
    throw new TransportError(`followLive: the data of ${event} is not JSON`, { cause });
  }
  return { type: event, data: parsed, ...(CHANGE.test(event) ? { position: Number(id) } : {}) } as LiveMessage;
}

/** Parses server-sent events as the HTML standard does. An event is complete at its empty line; one that is cut is left out. */
class EventStreamParser {
  #rest = "";
  #event = "";
  #data: string[] = [];
  #id: string | undefined;

  /** The events that are complete with this text. */
  *read(text: string): Generator<Sent, void, undefined> {
    // A line ends with CR LF, LF or CR. After a CR at the end of the text an LF may follow.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line !== "") {
        this.#field(line);
        continue;
      }
      const data = this.#data.length > 0 ? this.#data.join("\n") : undefined;
      yield { event: this.#event, data, id: this.#id };
      this.#event = "";
      this.#data = [];
    }
  }

  #field(line: string): void {
    const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
  }
}
