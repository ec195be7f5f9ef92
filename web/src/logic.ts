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
  /** The Idempotency-Key; random by default. */
  name?: string;
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

/** Formats by what they are made of: making one takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = JSON.stringify([language, options]);
  const format = formats.get(name) ?? new Intl.DateTimeFormat(language, options);
  formats.set(name, format);
  return format;
}

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)\b/;

/** Text that keeps its own direction inside a sentence of the other one. */
export const apart = (text: string) => `\u2068${text}\u2069`;

/** An instant on the clock of `zone`, always with its offset: abbreviations of zones are ambiguous. */
export function clockTime(instant: string, zone: string, language: string): string {
  const time = new Date(instant);
  if (Number.isNaN(time.getTime())) return instant;
  try {
    const format = formatOf(language, {
      timeZone: zone, weekday: "short", year: "numeric", month: "short", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit",
      hourCycle: "h23", numberingSystem: "latn",
    });
    const offset = offsetOf(time, zone);
    // In a line from right to left, the sign of an offset would stand behind it.
    return `${format.format(time)} ${RIGHT_TO_LEFT.test(language) ? `\u2066${offset}\u2069` : offset}`;
  } catch {
    return instant; // the browser's time zones lack it
  }
}

/** `+05:45`. */
export function offsetOf(time: Date, zone: string): string {
  const parts = formatOf("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(time);
  const name = parts.find((part) => part.type === "timeZoneName")?.value ?? "";
  return name.replace("GMT", "") || "+00:00";
}

/** A long name such as `America/Argentina/ComodRivadavia` as parts between which a line may break, of up to `most` characters if its words allow it. */
export function partsOf(name: string, most = 20): string[] {
  const parts: string[] = [];
  for (const word of name.split(/(?<=[_/.:@-])(?=[^\s_/.:@-])|(?<=\s)/)) {
    const last = parts[parts.length - 1];
    if (last !== undefined && !/\s$/.test(last) && last.length + word.length <= most) parts[parts.length - 1] = last + word;
    else parts.push(word);
  }
  return parts;
}

/** An instant in a text of the server: `2027-03-28T01:30:00.000Z`, or with an offset and a zone behind it. */
const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)(?:\[[^\]]+\])?/g;

/** A text of the server, which is English, with its instants on the clock of `zone`, and its local times as they are. */
export const clockedText = (text: string, zone: string): string =>
  text.replace(INSTANT, (found) => clockTime(found.replace(/\[.*/, ""), zone, "en")).replace(/(\d{4}-\d\d-\d\d)T(?=\d\d:)/g, "$1 ");

const DAY = 86_400_000; // ms

/** The day that a cron rule such as `15 8 13W * *` names and the weekday nearest to it; undefined if they are the same. */
export function nearestWeekday(cron: string | undefined, local: string | null): { named: Date; actual: Date } | undefined {
  const fields = cron?.trim().split(/\s+/) ?? [];
  const days = fields[fields.length > 5 ? 3 : 2]?.split(",") ?? [];
  if (local === null) return undefined;
  const actual = new Date(`${local.slice(0, 10)}T00:00:00Z`);
  for (const day of days) {
    const number = Number(/^(\d{1,2})W$/.exec(day)?.[1]);
    const named = new Date(Date.UTC(actual.getUTCFullYear(), actual.getUTCMonth(), number));
    const away = Math.abs(actual.getTime() - named.getTime()) / DAY;
    if (away > 0 && away <= 2 && (named.getUTCDay() === 0 || named.getUTCDay() === 6)) return { named, actual };
  }
  return undefined;
}

/** `Sunday, Dec 13`. */
export const dayText = (day: Date, language: string) => formatOf(language, { timeZone: "UTC", weekday: "long", month: "short", day: "numeric", numberingSystem: "latn" }).format(day);

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_557_600], ["month", 2_629_800], ["day", 86_400], ["hour", 3_600], ["minute", 60], ["second", 1],
];

/** "in 3 hours", "vor 2 Tagen". */
export function relativeTime(instant: string, now: number, language: string): string {
  const seconds = (new Date(instant).getTime() - now) / 1000;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.trunc(seconds / length), unit);
}

/** The name of an object that a list has beside its id (`expand`); undefined if the object is deleted or was not asked for. */
export function nameOf(expanded: object | null | undefined): string | undefined {
  const members: Readonly<Record<string, unknown>> = { ...expanded };
  const member = (name: string) => (typeof members[name] === "string" ? members[name] : "");
  const name = member("name") || [member("firstName"), member("lastName")].filter(Boolean).join(" ") || member("eventType") || member("externalId");
  return name || undefined;
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

export type Role = "READ" | "WRITE" | "ADMIN";
const ROLES: readonly Role[] = ["READ", "WRITE", "ADMIN"];

/** Whether a key with the role `has` may do what needs `wanted`. */
export const mayDo = (has: Role, wanted: Role) => ROLES.indexOf(has) >= ROLES.indexOf(wanted);

/** The handle of the key that an actor ("key:7f3a9k2m1q") or the beginning of a key ("sundial_sk_7f3a9k2m1q") names. */
export const keyHandle = (text: unknown): string | undefined => (typeof text === "string" ? /^(?:key:|sundial_sk_)(.+)$/.exec(text)?.[1] : undefined);

/** The filter of a list's query as that of a bulk request: several values are an array there. */
export function bulkFilter(query: Query): Record<string, unknown> {
  const filter: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    if (value === "" || ["limit", "sort", "cursor"].includes(name)) continue;
    if (name === "dismissed" || name === "lateExecution") filter[name] = value === "true";
    else if (value.includes(",") && ["status", "waitingFor", "priority", "eventType", "targetTimezone"].includes(name)) filter[name] = value.split(",");
    else filter[name] = value;
  }
  return filter;
}

/** The flags of `sundial event retry`, `cancel` and of `sundial dlq` for the members of a filter. */
const BULK_FLAGS: Record<string, string> = {
  eventType: "--type", endpointId: "--endpoint", scheduleId: "--schedule", userId: "--user", priority: "--priority", failureReason: "--reason",
  idempotencyKey: "--key", executedFrom: "--failed-from", executedTo: "--failed-to", targetFrom: "--due-from", targetTo: "--due-to",
};

/** The filter of a bulk request on schedules. Pause selects enabled schedules and resume paused ones. */
export function scheduleBulkFilter(action: string, query: Query): Record<string, unknown> {
  const filter: Record<string, unknown> = {};
  if (action === "pause" || action === "resume") filter.enabled = action === "pause";
  for (const [name, value] of Object.entries(query)) {
    if (value === "" || ["limit", "sort", "cursor"].includes(name)) continue;
    if (name === "enabled" || name === "perUser") filter[name] = value === "true";
    else if (name === "eventType" || name === "trigger") filter[name] = value.split(",");
    else filter[name] = value;
  }
  return filter;
}

const SCHEDULE_FLAGS: Record<string, string> = { tag: "--tag", eventType: "--type", trigger: "--trigger", endpointId: "--endpoint", q: "--q", enabled: "--enabled", perUser: "--per-user" };

interface ScheduleChange {
  note: string;
  addTags: readonly string[];
  removeTags: readonly string[];
}

/** The command that does the same as a bulk request on schedules. */
export function scheduleBulkCommand(action: string, query: Query, ids: readonly string[], { note, addTags, removeTags }: ScheduleChange): string[] {
  const words = ["schedule", `${action}-many`];
  if (ids.length > 0) words.push(...ids);
  else {
    for (const [name, value] of Object.entries(scheduleBulkFilter(action, query))) {
      const flag = SCHEDULE_FLAGS[name];
      if (flag === undefined) continue;
      if (typeof value === "boolean") words.push(value ? flag : `${flag}=false`);
      else words.push(flag, Array.isArray(value) ? value.join() : String(value));
    }
  }
  for (const tag of addTags) words.push("--add-tag", tag);
  for (const tag of removeTags) words.push("--remove-tag", tag);
  if (note) words.push("--note", note);
  return words;
}

/** The command that does the same as a bulk request; undefined if the command has no flag for a member of the filter. */
export function bulkCommand(action: string, filter: Query, ids: readonly string[], perSecond: number | undefined, note = "", set: { shift?: string | undefined; targetTimestampLocal?: string | undefined } = {}): string[] | undefined {
  const commands: Record<string, string[]> = { retry: ["event", "retry"], cancel: ["event", "cancel"], dismiss: ["dlq", "dismiss"], reschedule: ["event", "reschedule-many"] };
  const command = commands[action];
  const target = set.shift !== undefined ? [`--by=${set.shift}`] : set.targetTimestampLocal !== undefined ? ["--at", set.targetTimestampLocal] : [];
  if (!command || (action === "reschedule" && target.length === 0)) return undefined;
  const words = [...command];
  if (ids.length > 0) words.push(...ids);
  else {
    const members = Object.entries(filter).filter(([name, value]) => value !== "" && !["limit", "sort", "cursor"].includes(name));
    // Retry and dismiss select dead letters by themselves.
    const chosen = action === "cancel" || action === "reschedule";
    const given = members.filter(([name, value]) => chosen || !((name === "status" && value === "FAILED") || (name === "dismissed" && value === "false")));
    for (const [name, value] of given) {
      const flag = name === "waitingFor" && (action === "retry" || action === "cancel") ? "--waiting-for" : BULK_FLAGS[name];
      if (flag === undefined) return undefined;
      words.push(flag, value);
    }
    if (given.length === 0) words.push("--all");
  }
  if (perSecond !== undefined) words.push("--per-second", String(perSecond));
  if (note) words.push("--note", note);
  words.push(...target);
  return words;
}

const CAUSE = 120; // characters

interface Tried {
  number: number;
  outcome: string;
  response: { body: string } | null;
}

/** The beginning of what the receiver said to the latest attempt if that failed. An error without a response is a reason already. */
export function causeOf(attempts: readonly Tried[]): string | null {
  const latest = [...attempts].sort((one, other) => other.number - one.number)[0];
  if (!latest || latest.outcome === "SUCCEEDED") return null;
  const said = latest.response?.body.trim() ?? "";
  return said === "" ? null : said.length > CAUSE ? `${said.slice(0, CAUSE).trimEnd()}…` : said;
}

export interface Bar {
  /** Share of the whole time before the bar, and of the bar, in percent. */
  start: number;
  width: number;
}

/** Places attempts on the time from the first start to the last end. A bar is at least 1 % wide, so that it is seen. */
export function waterfall(attempts: readonly { startedAt: string | null; endedAt: string }[]): Bar[] {
  const times = attempts.map(({ startedAt, endedAt }) => [new Date(startedAt ?? endedAt).getTime(), new Date(endedAt).getTime()] as const);
  const first = Math.min(...times.map(([start]) => start));
  const whole = Math.max(1, Math.max(...times.map(([, end]) => end)) - first);
  return times.map(([start, end]) => {
    const width = Math.max(1, (100 * (end - start)) / whole);
    return { start: Math.min(100 - width, (100 * (start - first)) / whole), width };
  });
}

/** 10,000 in English, 10.000 in German; digits that all fonts have. */
export const countText = (count: number, language: string) => new Intl.NumberFormat(language, { numberingSystem: "latn", maximumFractionDigits: 1 }).format(count);

/** `1.5 ms`, `2 s`, `3 min`, `4 h`: the two leading digits of a duration in seconds. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return "–";
  const [unit, length] = ([["h", 3600], ["min", 60], ["s", 1]] as const).find(([, length]) => seconds >= length) ?? ["ms", 0.001];
  const value = seconds / length;
  return `${value >= 10 || value === 0 ? Math.round(value) : Number(value.toPrecision(2))} ${unit}`;
}

export interface Line {
  label: string;
  points: readonly (number | null)[];
}

/** The counts without those in the middle of a pause, for which the axis stands: their lines would hide each other there. */
export const withoutPauses = (counts: readonly (number | null)[]): (number | null)[] =>
  counts.map((count, index) => (count === 0 && !counts[index - 1] && !counts[index + 1] ? null : count));

/** The points between two gaps, which no line shows: a chart has to draw a dot for each. */
export function isolated(points: ArrayLike<number | null | undefined>): number[] {
  const missing = (index: number) => points[index] === null || points[index] === undefined;
  return Array.from({ length: points.length }, (_, index) => index).filter((index) => !missing(index) && missing(index - 1) && missing(index + 1));
}

/** A line of a chart in words: its latest and its greatest value. */
export function seriesSummary({ points }: Line, show: (value: number | null) => string, latest: string, most: string): string {
  const known = points.filter((point) => point !== null);
  if (known.length === 0) return "–";
  return `${latest} ${show(known[known.length - 1] ?? null)}, ${most} ${show(Math.max(...known))}`;
}

/** Seconds of a duration such as PT0S, PT5M or P1D, as the server writes them; a minute if it is none. */
export function secondsOf(duration: string): number {
  const [whole, days, hours, minutes, seconds] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/.exec(duration) ?? [];
  return whole === undefined ? 60 : Number(days ?? 0) * 86_400 + Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}

/** The instant after a shift such as PT90M or -PT1H; null without an instant. */
export function shifted(instant: string | null, shift: string): string | null {
  const [, back, hours, minutes] = /^(-?)PT(?:(\d+)H)?(?:(\d+)M)?$/.exec(shift) ?? [];
  const minutesAway = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (back ? -1 : 1);
  return instant && new Date(new Date(instant).getTime() + minutesAway * 60_000).toISOString();
}

/** How far an instant moves: `+9 h`, `−30 min`; `0` if it stays, and `–` if one of them is missing. */
export function moveOf(before: string | null | undefined, after: string | null | undefined): string {
  if (!before || !after) return "–";
  const seconds = (new Date(after).getTime() - new Date(before).getTime()) / 1000;
  if (seconds === 0) return "0";
  const [hours, minutes] = [Math.floor(Math.abs(seconds) / 3600), Math.round((Math.abs(seconds) % 3600) / 60)];
  return (seconds < 0 ? "−" : "+") + [hours && `${hours} h`, minutes && `${minutes} min`].filter(Boolean).join(" ");
}

interface Local {
  schedule: { id: string };
  targetTimestampLocal: string | null;
  wantedLocal: string | null;
}

/** The occurrences in two zones as pairs with the same nominal local time; alone if there is no other. */
export function pairedByLocal<T extends Local>(before: readonly T[], after: readonly T[], cut: ReadonlySet<string> = new Set()): { key: string; before: T | undefined; after: T | undefined }[] {
  const localOf = ({ wantedLocal, targetTimestampLocal }: T) => (wantedLocal ?? targetTimestampLocal ?? "").slice(0, 19);
  const keyOf = (one: T) => `${localOf(one)} ${one.schedule.id}`;
  // Where a list of a schedule was cut, the other list may go on: what follows its end cannot be compared.
  const ends = new Map([...cut].map((id) => {
    const last = [before, after].map((list) => list.filter(({ schedule }) => schedule.id === id).map(localOf).sort().pop() ?? "");
    return [id, last.sort()[0] ?? ""] as const;
  }));
  const compared = (list: readonly T[]) => list.filter((one) => !ends.has(one.schedule.id) || localOf(one) <= (ends.get(one.schedule.id) ?? ""));
  const [was, is] = [compared(before), compared(after)].map((list) => new Map(list.map((one) => [keyOf(one), one] as const))) as [Map<string, T>, Map<string, T>];
  return [...new Set([...was.keys(), ...is.keys()])].sort().map((key) => ({ key, before: was.get(key), after: is.get(key) }));
}

/** Seconds until an operation ends if it goes on as it has so far; null if that is unknown. */
export function timeLeft({ status, createdAt, done, failed, total }: { status: string; createdAt: string; done: number; failed: number; total: number | null }, now: number): number | null {
  const finished = done + failed;
  if (status !== "RUNNING" || total === null || finished === 0) return null;
  return Math.max(0, (((now - new Date(createdAt).getTime()) / 1000) * (total - finished)) / finished);
}

/** A member of a recorded change, with its value before, as far as the older events tell. */
export interface ChangedMember {
  member: string;
  was: unknown;
  becomes: unknown;
}

/** The changes of a recorded event against older ones of the same stream, `older` with the newest first. */
export function changesOf(data: unknown, older: readonly { data: unknown }[]): ChangedMember[] {
  const isObject = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === "object" && !Array.isArray(value);
  if (!isObject(data)) return [];
  return Object.entries(data).map(([member, becomes]) => {
    const before = older.find((event) => isObject(event.data) && member in event.data)?.data as Record<string, unknown> | undefined;
    return { member, was: before?.[member], becomes };
  });
}

/** Seconds until a backlog is empty at the present rate; null if it does not shrink. */
export function timeToCatchUp(due: number, throughput: number): number | null {
  return due > 0 && throughput > 0 ? due / throughput : null;
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?: (text: string) => unknown;
}

/** Parses JSON so that JSON.stringify writes each number as it was: payloads may have more digits than a number has. */
export function parseExactly(text: string): unknown {
  const json = JSON as unknown as ExactJson;
  return json.parse(text, (_, value, context) =>
    typeof value === "number" && context?.source !== undefined && context.source !== String(value) && json.rawJSON ? json.rawJSON(context.source) : value);
}

/** Rows as RFC 4180 with a header. Spreadsheets run texts that begin like formulas, so those get an apostrophe in front. */
export function csvOf(rows: readonly object[], members: readonly string[]): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [members, ...rows.map((row) => members.map((member) => (row as Record<string, unknown>)[member]))].map((line) => line.map(cell).join(",") + "\r\n").join("");
}
