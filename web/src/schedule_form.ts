// Rules of the form for schedules: its fields, the members that they make, and what an edit changes.
import { parseExactly, type Query } from "./logic.ts";

/** The members of a schedule that the form reads. */
export interface ScheduleMembers {
  eventType: string;
  trigger: object;
  timezone: string | null;
  endpointId: string | null;
  payload: unknown;
  gap: string;
  overlap: string;
  leap: string;
  misfire: string;
  window: string | null;
  concurrency: string;
  priority: string;
  jitter: string;
  startsAt: string | null;
  endsAt: string | null;
  tags: readonly string[];
}

/** The members that the form changes, in the order in which it shows them. */
export const MEMBERS = ["eventType", "trigger", "timezone", "gap", "overlap", "leap", "misfire", "window", "concurrency", "priority", "jitter", "startsAt", "endsAt", "endpointId", "tags", "payload"] as const;
export type Member = (typeof MEMBERS)[number];

const list = (of: unknown) => (Array.isArray(of) ? of.join(" ") : "");

/** The fields of a trigger. */
function triggerFields(trigger: object): Record<string, string> {
  const { cron, every, yearly, rrule } = trigger as { cron?: string; every?: string; yearly?: { on: string; at?: string }; rrule?: string | Record<string, unknown> };
  if (yearly) return { kind: "yearly", on: yearly.on, at: yearly.at ?? "" };
  if (typeof rrule === "string") return { kind: "ical", ical: rrule };
  if (rrule) return { kind: "rrule", dtstart: String(rrule.dtstart ?? ""), rrule: String(rrule.rrule ?? ""), rdate: list(rrule.rdate), exdate: list(rrule.exdate) };
  return every === undefined ? { kind: "cron", cron: cron ?? "" } : { kind: "every", every };
}

/** The form of a stored schedule. */
export function fieldsOf(schedule: ScheduleMembers): Record<string, string> {
  const { eventType, gap, overlap, leap, misfire, concurrency, priority, jitter } = schedule;
  return {
    ...triggerFields(schedule.trigger), eventType, gap, overlap, leap, misfire, concurrency, priority, jitter,
    timezone: schedule.timezone ?? "", window: schedule.window ?? "", startsAt: schedule.startsAt ?? "", endsAt: schedule.endsAt ?? "",
    endpointId: schedule.endpointId ?? "", tags: schedule.tags.join(" "), payload: JSON.stringify(schedule.payload, null, 2),
  };
}

/** The trigger that the fields describe; undefined while they are incomplete. */
export function triggerOf(kind: string, fields: Query): Record<string, unknown> | undefined {
  const field = (name: string) => (fields[name] ?? "").trim();
  const dates = (name: string) => (field(name) === "" ? {} : { [name]: field(name).split(/[\s,]+/) });
  switch (kind) {
    case "yearly": return field("on") === "" ? undefined : { yearly: { on: field("on"), ...(field("at") && { at: field("at") }) } };
    case "rrule":
      if (field("dtstart") === "" || (field("rrule") === "" && field("rdate") === "")) return undefined;
      return { rrule: { dtstart: field("dtstart"), ...(field("rrule") && { rrule: field("rrule") }), ...dates("rdate"), ...dates("exdate") } };
    case "ical": return field("ical") === "" ? undefined : { rrule: fields.ical };
    default: return field(kind) === "" ? undefined : { [kind]: field(kind) };
  }
}

/** All members that the fields describe; undefined while the rule is incomplete or the payload is not JSON. */
export function membersOf(fields: Query): Record<Member, unknown> | undefined {
  const trigger = triggerOf(fields.kind ?? "cron", fields);
  const field = (name: string) => (fields[name] ?? "").trim();
  const orNull = (name: string) => field(name) || null;
  let payload: unknown;
  try {
    payload = parseExactly(field("payload") || "{}");
  } catch {
    return undefined;
  }
  return trigger && {
    eventType: field("eventType"), trigger, timezone: orNull("timezone"), gap: field("gap"), overlap: field("overlap"), leap: field("leap"), misfire: field("misfire"), window: orNull("window"),
    concurrency: field("concurrency"), priority: field("priority"), jitter: field("jitter") || "PT0S", startsAt: orNull("startsAt"), endsAt: orNull("endsAt"), endpointId: orNull("endpointId"),
    tags: [...new Set(field("tags").split(/[\s,]+/).filter(Boolean))].sort(), payload,
  };
}

/** JSON with the members of objects in one order: the server may return them in another. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part) && Object.getPrototypeOf(part) === Object.prototype ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part);
}

const isSame = (one: unknown, other: unknown) => canonical(one) === canonical(other);

/** The members in which two forms differ. */
export function changed(before: Query, after: Query): Member[] {
  const [old, now] = [membersOf(before), membersOf(after)];
  return old && now ? MEMBERS.filter((member) => !isSame(old[member], now[member])) : [];
}

/** The fields that make up a member. */
const FIELDS_OF: Partial<Record<Member, readonly string[]>> = { trigger: ["kind", "cron", "on", "at", "rrule", "dtstart", "rdate", "exdate", "ical", "every"] };

/** The form on top of a newer version: the user's changes stay, everything else is as it is now. */
export function rebased(base: Query, mine: Query, theirs: Query): Record<string, string> {
  const kept = changed(base, mine).flatMap((member) => FIELDS_OF[member] ?? [member]);
  return { ...theirs, ...Object.fromEntries(kept.map((name) => [name, mine[name] ?? ""])) };
}

interface Fired {
  targetTimestampUTC: string | null;
  targetTimestampLocal: string | null;
  wantedLocal: string | null;
  note: string | null;
}

export interface Difference<T> {
  change: "stays" | "goes" | "comes";
  one: T;
}

/** An occurrence that a policy skips has no instant: its local time stands for it. */
const placeOf = (one: Fired) => one.targetTimestampUTC ?? `${one.wantedLocal ?? one.targetTimestampLocal ?? ""}Z`;
const instantOf = (one: Fired) => new Date(placeOf(one)).getTime();

/** Two lists of next occurrences as one, up to the end of the shorter one: after it, nothing is known of the other. `full` lists were cut. */
export function compared<T extends Fired>(before: readonly T[], after: readonly T[], full: number): Difference<T>[] {
  const end = Math.min(...[before, after].map((list) => (list.length < full ? Infinity : instantOf(list[list.length - 1] as T))));
  const was = new Set(before.map(placeOf)), is = new Set(after.map(placeOf));
  const all: Difference<T>[] = [
    ...before.filter((one) => !is.has(placeOf(one))).map((one) => ({ change: "goes" as const, one })),
    ...after.map((one) => ({ change: was.has(placeOf(one)) ? "stays" as const : "comes" as const, one })),
  ];
  return all.filter(({ one }) => instantOf(one) <= end).sort((a, b) => instantOf(a.one) - instantOf(b.one));
}

/** The word of a choice. The effect of `compatible` depends on the policy: a gap or an overlap. */
export const policyWord = (name: string, choice: string) => (choice === "compatible" ? `compatible_${name}` : choice);
