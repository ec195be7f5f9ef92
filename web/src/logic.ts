// Rules of the console that need no page: addresses, times, and the lines that repeat an action elsewhere.

/** A request that a button sends, and the command that does the same. */
export interface Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  body?: unknown;
  /** The version that the action is based on, for If-Match. */
  version?: number;
  /** Arguments of `sundial`; absent if no command does it. */
  cli?: readonly string[];
}

export type Query = Readonly<Record<string, string>>;

export interface Place {
  page: string;
  id: string;
  query: Query;
}

/** `#/events/0199…?status=FAILED` as page, id and query. */
export function placeOf(hash: string): Place {
  const [path = "", search = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const slash = path.indexOf("/");
  const page = slash < 0 ? path : path.slice(0, slash);
  return {
    page: page || "overview",
    id: slash < 0 ? "" : decoded(path.slice(slash + 1)),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a mistyped address leads to an object that does not exist
  }
}

/** The address of a place; empty members of the query are left out. */
export function hrefOf(page: string, id = "", query: Query = {}): string {
  return `#/${page}${id && `/${encodeURIComponent(id)}`}${searchOf(query)}`;
}

export function searchOf(query: Query): string {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== "")).toString();
  return search && `?${search}`;
}

/** `word` as one word of a POSIX shell. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The request as a line for a shell. The key stays in a variable: command lines are visible to other users. */
export function curlOf(request: Request, origin: string, withKey: boolean): string {
  const words = ["curl", "-sS", "-X", request.method, origin + request.path];
  if (request.version !== undefined) words.push("-H", `If-Match: "${request.version}"`);
  if (request.body !== undefined) words.push("-H", "Content-Type: application/json", "-d", JSON.stringify(request.body));
  const line = words.map(shellWord).join(" ");
  return withKey ? `${line} -H "Authorization: Bearer $SUNDIAL_API_KEY"` : line;
}

export function cliOf(request: Request): string | undefined {
  return request.cli && ["sundial", ...request.cli].map(shellWord).join(" ");
}

export type ShownZone = "target" | "viewer" | "utc";

/** An instant on the clock of `zone`, always with its offset: abbreviations of zones are ambiguous. */
export function clockTime(instant: string, zone: string, language: string): string {
  const time = new Date(instant);
  if (Number.isNaN(time.getTime())) return instant;
  try {
    const format = new Intl.DateTimeFormat(language, {
      timeZone: zone, year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
      hourCycle: "h23", numberingSystem: "latn",
    });
    return `${format.format(time)} ${offsetOf(time, zone)}`;
  } catch {
    return instant; // the browser's time zones lack it
  }
}

/** `+05:45`. */
export function offsetOf(time: Date, zone: string): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(time);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
  return name.replace("GMT", "") || "+00:00";
}

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1],
];

/** "in 3 hours", "vor 2 Tagen". */
export function relativeTime(instant: string, now: number, language: string): string {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.trunc(seconds / length), unit);
}

/** The actions that the server accepts for an event in this state. */
export function eventActions(event: { status: string; waitingFor: string | null; claimedBy: string | null; dismissedAt: string | null }) {
  const waitsForRetry = event.status === "PROCESSING" && event.claimedBy === null;
  return {
    retry: event.status === "FAILED" || (waitsForRetry && event.waitingFor === "RETRY"),
    fire: event.status === "PENDING",
    reschedule: event.status === "PENDING",
    cancel: event.status === "PENDING" || waitsForRetry,
    dismiss: event.status === "FAILED" && event.dismissedAt === null,
  };
}
