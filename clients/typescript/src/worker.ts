import { backoff, sleep } from "./client.js";
import type { Sundial } from "./client.js";
import { ApiError, isProblem, Stopped, TransportError } from "./errors.js";
import { randomId } from "./platform.js";
import type { Event } from "./schema.js";

/** Claims that the server refuses for the moment are repeated at most this seldom, in milliseconds. */
const LONGEST_PAUSE = 30_000;
/** A report is repeated while the server is away, but not longer than this. After that the end of the lease decides. */
const LONGEST_REPORT = 900_000;

/** Throw it in a handler: the attempt failed. With retry: false the event is FAILED at once, a dead letter. */
export class Fail extends Error {
  override name = "Fail";
  readonly retry: boolean;

  constructor(reason: string, options: { retry?: boolean } = {}) {
    super(reason);
    this.retry = options.retry ?? true;
  }
}

/** Throw it in a handler: the event goes back, and another worker may claim it at once. The attempt does not count. */
export class Release extends Error {
  override name = "Release";
}

/** One claimed event, in the hands of a handler. `P` is the type of its payload, which is not checked. */
export interface Job<P = unknown> {
  /** The event as it was claimed. Its `idempotencyKey` is the same for all attempts. */
  readonly event: Event;
  /** The `deliveryPayload` of the event. */
  readonly payload: P;
  /** Aborts when the lease has expired or another worker has the event. The work should stop; its report is void. */
  readonly lost: AbortSignal;
  /** Aborts when the worker has been asked to stop. A long handler may throw Release. */
  readonly stopping: AbortSignal;
}

/** Works on one event. Returning completes it; throwing makes the attempt fail (Fail, Release and other errors). */
export type Handler<P = unknown> = (job: Job<P>) => unknown;

/** Options of a worker. */
export interface WorkerOptions {
  /** How many events it holds at once, 1 to 100; 4 by default. */
  concurrency?: number;
  /** How long it holds them, in seconds; 30 by default. The lease is extended at each third while the handler works. */
  lease?: number;
  /** How long a claim waits while nothing is due, in seconds, up to 60; 20 by default. */
  wait?: number;
  /** A name that is new at each start, so that a restarted worker is not taken for the one that died. */
  name?: string;
  /** Gets what the worker cannot throw: failed handlers, claims and reports that are repeated, lost leases. */
  log?: (message: string, error?: unknown) => void;
}

interface Held extends Job {
  /** By performance.now(). */
  leaseEnds: number;
  extendAt: number;
  lose: () => void;
  done: Promise<void>;
}

/** Hands the events of a PULL endpoint to a handler, several at a time. `run()` returns after `stop()`. */
export class Worker {
  readonly #client: Sundial;
  readonly #endpoint: string;
  readonly #handle: Handler;
  readonly #concurrency: number;
  readonly #lease: number;
  readonly #wait: number;
  readonly #log: (message: string, error?: unknown) => void;
  readonly #stop = new AbortController();
  readonly #ended = new AbortController();
  readonly #stopped: Promise<void>;
  /** Not by event: after a lost lease the same event may come again while its first handler works. */
  readonly #held = new Set<Held>();
  #name: string | undefined;
  #grace: Promise<void> | undefined;

  constructor(client: Sundial, endpoint: string, handle: Handler<never>, options: WorkerOptions = {}) {
    this.#client = client;
    this.#endpoint = endpoint;
    this.#handle = handle as Handler;
    this.#concurrency = options.concurrency ?? 4;
    this.#lease = options.lease ?? 30;
    this.#wait = options.wait ?? 20;
    this.#name = options.name;
    this.#stopped = new Promise((resolve) => this.#stop.signal.addEventListener("abort", () => resolve(), { once: true }));
    this.#log = options.log ?? ((message, error) => console.warn(`sundial worker: ${message}`, ...(error === undefined ? [] : [error])));
    if (!(this.#concurrency >= 1 && this.#concurrency <= 100)) throw new RangeError("concurrency must be from 1 to 100");
    if (!(this.#lease >= 3)) throw new RangeError("lease must be at least 3 seconds: it is extended after each third");
  }

  /**
   * Claims nothing more; events in hand are finished and reported. Returns at once. After `grace` milliseconds run()
   * returns without waiting for the rest: their leases end, and other workers get them.
   */
  stop(options: { grace?: number } = {}): void {
    if (options.grace !== undefined) this.#grace ??= sleep(options.grace, this.#ended.signal).catch(() => undefined);
    this.#stop.abort();
  }

  /**
   * Works until stop(). Returns the events that were not finished within its grace: usually none.
   *
   * Throws ApiError if the server will never let this worker claim: wrong key, no such endpoint, wrong type.
   */
  async run(): Promise<Event[]> {
    this.#name ??= `worker-${await randomId()}`;
    const leases = this.#extendLeases();
    try {
      await this.#claim(this.#name);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    } finally {
      this.#stop.abort();
      const all = Promise.all([...this.#held].map((job) => job.done));
      await (this.#grace === undefined ? all : Promise.race([all, this.#grace]));
      this.#ended.abort();
      await leases;
    }
    const rest = [...this.#held];
    for (const job of rest) job.lose();
    return rest.map((job) => job.event);
  }

  async #claim(worker: string): Promise<void> {
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      if (this.#held.size >= this.#concurrency) {
        await Promise.race([this.#stopped, ...[...this.#held].map((job) => job.done)]);
        continue;
      }
      const askedAt = performance.now();
      try {
        const work = await this.#client.endpoints.claim(
          this.#endpoint,
          { worker, limit: this.#concurrency - this.#held.size, lease: `PT${this.#lease}S`, wait: `PT${this.#wait}S` },
          { signal: this.#stop.signal },
        );
        failures = 0;
        // Instants of the server's clock are not comparable with ours, so the end of the lease is counted here: from the
        // request if the answer came at once, else from the answer, less a tenth for its way.
        const leaseEnds = Math.max(askedAt + this.#lease * 1000, performance.now() + this.#lease * 900);
        for (const event of work.data) this.#start(event, leaseEnds);
      } catch (error) {
        const disabled = isProblem(error, "ENDPOINT_DISABLED");
        const passing = disabled || error instanceof TransportError || (error instanceof ApiError && error.retryable);
        if (!passing) throw error;
        this.#log(`claim from ${this.#endpoint}`, error);
        await sleep(disabled ? LONGEST_PAUSE : backoff(++failures), this.#stop.signal);
      }
    }
  }

  #start(event: Event, leaseEnds: number): void {
    const lost = new AbortController();
    const job: Held = {
      event,
      payload: event.deliveryPayload,
      lost: lost.signal,
      stopping: this.#stop.signal,
      leaseEnds,
      extendAt: performance.now() + (this.#lease * 1000) / 3,
      lose: () => lost.abort(),
      done: Promise.resolve(),
    };
    this.#held.add(job);
    job.done = this.#runOne(job)
      .catch((error: unknown) => this.#log(`event ${event.id}: the report failed; its lease will end`, error))
      .finally(() => this.#held.delete(job));
  }

  async #runOne(job: Held): Promise<void> {
    const { id, version } = job.event;
    try {
      await this.#handle(job);
    } catch (error) {
      if (error instanceof Release) {
        return this.#report(job, () => this.#client.events.release(id, version));
      }
      const failure = error instanceof Fail ? error : undefined;
      if (failure === undefined) this.#log(`event ${id}: the handler threw`, error);
      const reason = (failure?.message ?? String(error)).slice(0, 1000);
      return this.#report(job, () => this.#client.events.fail(id, { version, reason, retry: failure?.retry ?? true }));
    }
    return this.#report(job, () => this.#client.events.complete(id, version));
  }

  /** Reports until the server has heard it: a repeated report does no harm. */
  async #report(job: Held, send: () => Promise<unknown>): Promise<void> {
    const end = performance.now() + LONGEST_REPORT;
    for (let failures = 1; ; ++failures) {
      try {
        await send();
        return;
      } catch (error) {
        if (isProblem(error, "LEASE_LOST")) {
          job.lose();
          this.#log(`event ${job.event.id}`, error);
          return;
        }
        const passing = error instanceof TransportError || (error instanceof ApiError && error.retryable);
        if (!passing || performance.now() > end || this.#ended.signal.aborted) throw error;
        this.#log(`event ${job.event.id}: the report is repeated`, error);
        await sleep(backoff(failures), this.#ended.signal).catch(() => undefined);
      }
    }
  }

  /** Extends the lease of every event in hand at a third of it, and notices the ones that have expired. */
  async #extendLeases(): Promise<void> {
    const lease = this.#lease * 1000;
    while (!this.#ended.signal.aborted) {
      await sleep(Math.min(1000, lease / 10), this.#ended.signal).catch(() => undefined);
      const due = [...this.#held].filter((job) => !job.lost.aborted && performance.now() >= Math.min(job.extendAt, job.leaseEnds));
      await Promise.all(due.map((job) => this.#extend(job, lease)));
    }
  }

  async #extend(job: Held, lease: number): Promise<void> {
    const { id, version } = job.event;
    const sentAt = performance.now();
    if (sentAt >= job.leaseEnds) {
      this.#log(`event ${id}: its lease has expired, because the server could not be reached`);
      job.lose();
      return;
    }
    try {
      const options = { timeout: lease / 3, maxRetries: 0, signal: this.#ended.signal };
      await this.#client.events.extend(id, { version, lease: `PT${this.#lease}S` }, options);
      job.leaseEnds = sentAt + lease; // from the request on, not from its answer
      job.extendAt = sentAt + lease / 3;
    } catch (error) {
      if (isProblem(error, "LEASE_LOST") || isProblem(error, "EVENT_NOT_FOUND")) {
        if (this.#held.has(job)) {
          // else it was reported meanwhile
          this.#log(`event ${id}`, error);
          job.lose();
        }
      } else {
        job.extendAt = performance.now() + 1000;
      }
    }
  }
}
