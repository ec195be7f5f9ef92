import type { FieldError, Problem, ProblemCode } from "./schema.js";

/** Base of all errors that this package throws. */
export class SundialError extends Error {
  override name = "SundialError";
  /** For programs: VALIDATION_FAILED, LEASE_LOST, … Undefined if no problem document came. */
  readonly code: ProblemCode | undefined = undefined;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean = false;
  /** Finds the request in the server's log; empty if none was sent, and in browsers if no answer came. */
  requestId = "";
}

/** No usable answer came: the server could not be reached, the connection broke, or the time was up. */
export class TransportError extends SundialError {
  override name = "TransportError";
  override readonly retryable: boolean = true;
}

/** The caller's signal aborted the request. */
export class Stopped extends SundialError {
  override name = "Stopped";
}

/** A problem with this code. */
export type ProblemOf<C extends ProblemCode> = Problem & { code: C };

/** The server refused the request. `code` says why; /docs/errors of a running server explains each code. */
export class ApiError<C extends ProblemCode = ProblemCode> extends SundialError {
  override name = "ApiError";
  /** The whole problem document; empty if the answer has none, as from a proxy. */
  readonly problem: Partial<ProblemOf<C>>;
  override readonly code: C | undefined;
  /** For people: the object, the cause, the remedy. */
  readonly detail: string;
  override readonly retryable: boolean;
  /** Milliseconds until the request is worth repeating, if the server says so. */
  readonly retryAfter: number | undefined;
  /** The invalid fields of VALIDATION_FAILED. */
  readonly errors: readonly FieldError[];

  constructor(
    readonly status: number,
    headers: Headers,
    body: string,
  ) {
    const problem = problemIn<C>(headers, body);
    const detail = problem.detail ?? body.slice(0, 200);
    const errors = problem.errors ?? [];
    const requestId = problem.correlationId ?? headers.get("x-request-id") ?? "";
    const fields = errors.map((one) => `; ${one.pointer}: ${one.message}`).join("");
    super(`${problem.code ?? "HTTP"} (${status}): ${detail}${fields}${requestId && ` [${requestId}]`}`);
    this.problem = problem;
    this.code = problem.code;
    this.detail = detail;
    this.retryable = problem.retryable ?? [429, 502, 503, 504].includes(status);
    this.retryAfter = retryAfter(headers);
    this.errors = errors;
    this.requestId = requestId;
  }

  /** Whether this is the error with that code; narrows the type of `code`. */
  is<D extends C>(code: D): this is ApiError<D> {
    return this.code === code;
  }
}

/** Whether something caught is an ApiError with that code. */
export function isProblem<C extends ProblemCode>(error: unknown, code: C): error is ApiError<C> {
  return error instanceof ApiError && error.code === code;
}

function problemIn<C extends ProblemCode>(headers: Headers, body: string): Partial<ProblemOf<C>> {
  if ((headers.get("content-type") ?? "").split(";")[0]?.trim() === "application/problem+json") {
    try {
      const found: unknown = JSON.parse(body);
      if (typeof found === "object" && found !== null) return found as Partial<ProblemOf<C>>;
    } catch {
      // as if there were none
    }
  }
  return {};
}

/** Milliseconds, from a number of seconds or from a date. */
function retryAfter(headers: Headers): number | undefined {
  const text = (headers.get("retry-after") ?? "").trim();
  if (/^[0-9]+$/.test(text)) return Number(text.slice(0, 10)) * 1000;
  const at = text === "" ? NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
