import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../clients/typescript/src/schema.ts";
import type { Request } from "./logic.ts";

/** A refusal of the server, or a request that did not reach it (status 0). */
export class Refusal extends Error {
  constructor(readonly status: number, readonly code: string, detail: string, readonly problem?: Problem) {
    super(detail);
  }
}

const KEY = "sundial.key"; // of the session's storage: it ends with the tab

export const session = {
  key: sessionStorage.getItem(KEY) ?? "",
  set(key: string) {
    session.key = key;
    if (key) sessionStorage.setItem(KEY, key);
    else sessionStorage.removeItem(KEY);
  },
  /** Set by the page: shows the form for a key. */
  missing: () => {},
};

export async function send<T>(request: Request, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { Accept: "application/json, application/problem+json, text/plain" };
  if (session.key) headers.Authorization = `Bearer ${session.key}`;
  if (request.version !== undefined) headers["If-Match"] = `"${request.version}"`;
  if (request.body !== undefined) headers["Content-Type"] = "application/json";
  if (request.method === "POST") headers["Idempotency-Key"] = crypto.randomUUID();
  let response: Response;
  try {
    response = await fetch(request.path, {
      method: request.method, headers, signal: signal ?? null, cache: "no-store", credentials: "same-origin",
      body: request.body === undefined ? null : JSON.stringify(request.body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Refusal(0, "UNREACHABLE", "");
  }
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
  const body: unknown = isJson && text ? JSON.parse(text) : text;
  if (!response.ok) {
    const problem = isJson ? (body as Problem) : undefined;
    if (response.status === 401) session.missing();
    throw new Refusal(response.status, problem?.code ?? String(response.status), problem?.detail ?? text, problem);
  }
  return body as T;
}

export const get = <T>(path: string, signal?: AbortSignal) => send<T>({ method: "GET", path }, signal);

export interface Loaded<T> {
  data: T | undefined;
  /** Why the latest try failed. `data` is then older than it looks. */
  refusal: Refusal | undefined;
  reload: () => void;
}

/** Reads again every `every` milliseconds, and only while the page is visible. After failures it asks less often. */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, on: readonly unknown[], every = 5000): Loaded<T> {
  const [state, setState] = useState<{ data?: T; refusal?: Refusal }>({});
  const again = useRef(() => {});
  useEffect(() => {
    const ended = new AbortController();
    let timer = 0, failures = 0, running = false;
    const run = async () => {
      clearTimeout(timer);
      if (running) return;
      running = true;
      try {
        const data = await load(ended.signal);
        failures = 0;
        if (!ended.signal.aborted) setState({ data });
      } catch (error) {
        if (ended.signal.aborted) return;
        failures++;
        const refusal = error instanceof Refusal ? error : new Refusal(0, "UNREACHABLE", String(error));
        setState((old) => ({ ...old, refusal }));
      } finally {
        running = false;
      }
      if (every > 0 && !ended.signal.aborted) {
        timer = window.setTimeout(tick, Math.min(every * 2 ** failures, 60_000));
      }
    };
    const tick = () => { if (document.visibilityState === "visible") void run(); };
    again.current = () => void run();
    document.addEventListener("visibilitychange", tick);
    window.addEventListener("online", tick);
    setState({});
    void run();
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", tick);
      window.removeEventListener("online", tick);
    };
  }, on);
  return { data: state.data, refusal: state.refusal, reload: useCallback(() => again.current(), []) };
}
