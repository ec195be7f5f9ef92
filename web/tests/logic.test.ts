import assert from "node:assert/strict";
import { test } from "node:test";
import { fallingBehind, lateEndpoints, lateNow, overdueOf } from "../src/backlog.ts";
import { instantOf, marksOf, REACHES } from "../src/clock.ts";
import { Connection, retryDelay } from "../src/connection.ts";
import { search, sectionsOf } from "../src/docs/texts.ts";
import { busiest, countedHours, expectedOf, isOver, levelOf, lineFilter, moved, ninePeaks, overLimits, shortCount } from "../src/heat.ts";
import {
  apart, bulkCommand, bulkFilter, causeOf, changesOf, cliOf, clockedText, clockTime, curlOf, csvOf, durationText, eventActions, hrefOf, isolated, keyHandle, mayDo, moveOf, nameOf, nearestWeekday, offsetOf, pairedByLocal, parseExactly, partsOf, placeOf, relativeTime, scheduleBulkCommand, scheduleBulkFilter, secondsOf, seriesSummary,
  shellWord, shifted, timeLeft, timeToCatchUp, waterfall, withoutPauses,
} from "../src/logic.ts";
import { changed, compared, fieldsOf, membersOf, rebased, triggerOf } from "../src/schedule_form.ts";
import { ar } from "../src/texts/ar.ts";
import { de } from "../src/texts/de.ts";
import { en } from "../src/texts/en.ts";

test("an address and its place are inverse", () => {
  const href = hrefOf("events", "ext:a/b c", { status: "FAILED", q: "" });
  assert.equal(href, "#/events/ext%3Aa%2Fb%20c?status=FAILED");
  assert.deepEqual(placeOf(href), { page: "events", id: "ext:a/b c", query: { status: "FAILED" } });
  assert.deepEqual(placeOf(""), { page: "overview", id: "", query: {} });
  assert.equal(placeOf("#/events/%E0").id, "%E0");
});

test("the nearest weekday is explained where a rule asks for it", () => {
  const days = (cron: string, local: string | null) => { const found = nearestWeekday(cron, local); return found && [found.named, found.actual].map((day) => day.toISOString().slice(0, 10)); };
  assert.deepEqual(days("15 8 13W * *", "2026-12-14T08:15:00.000-05:00"), ["2026-12-13", "2026-12-14"]); // a Sunday
  assert.deepEqual(days("0 15 8 1W,13W * *", "2027-03-12T08:15:00"), ["2027-03-13", "2027-03-12"]); // a Saturday, with seconds
  assert.deepEqual(days("15 8 1W * *", "2027-05-03T08:15:00"), ["2027-05-01", "2027-05-03"]); // not in the month before
  for (const [cron, local] of [["15 8 13W * *", "2027-01-13T08:15:00"], ["15 8 13 * *", "2026-12-14T08:15:00"], ["@daily", "2026-12-14T08:15:00"], ["15 8 13W * *", null]] as const) assert.equal(days(cron, local), undefined);
  assert.equal(nearestWeekday(undefined, "2026-12-14T08:15:00"), undefined);
});

test("the cause of a failure is the beginning of what the receiver said to the latest attempt", () => {
  const one = (number: number, outcome: string, body: string | null) => ({ number, outcome, response: body === null ? null : { body } });
  assert.equal(causeOf([one(2, "PERMANENT", " disk full\n"), one(1, "RETRYABLE", "busy")]), "disk full");
  assert.equal(causeOf([one(1, "RETRYABLE", "busy"), one(2, "SUCCEEDED", null)]), null);
  assert.equal(causeOf([one(1, "PERMANENT", "x".repeat(121))]), `${"x".repeat(120)}…`);
  assert.equal(causeOf([one(1, "PERMANENT", null)]), null);
  assert.equal(causeOf([]), null);
});

test("words for the shell cannot end their quotes", () => {
  assert.equal(shellWord("event"), "event");
  assert.equal(shellWord("it's $(x)"), `'it'\\''s $(x)'`);
  assert.equal(shellWord(""), "''");
});

test("lines have the version and the body, and never a key", () => {
  const request = { method: "PATCH", path: "/v1/events/7", body: { dismissed: true }, version: 3, cli: ["dlq", "dismiss", "7"] } as const;
  assert.equal(curlOf(request, "http://h:1", true),
    `curl -sS -X PATCH http://h:1/v1/events/7 -H 'If-Match: "3"' -H 'Content-Type: application/json' -d '{"dismissed":true}' -H "Authorization: Bearer $SUNDIAL_API_KEY"`);
  assert.equal(cliOf(request), "sundial dlq dismiss 7");
  assert.equal(cliOf({ method: "GET", path: "/" }), undefined);
});

test("times have the offset of their zone at that instant", () => {
  assert.equal(clockTime("2027-03-28T00:59:59Z", "Europe/Berlin", "en"), "Sun, Mar 28, 2027, 01:59:59 +01:00");
  assert.equal(clockTime("2027-03-28T01:00:00Z", "Europe/Berlin", "en"), "Sun, Mar 28, 2027, 03:00:00 +02:00");
  assert.equal(offsetOf(new Date("2027-01-01T00:00:00Z"), "Asia/Kathmandu"), "+05:45");
  assert.equal(offsetOf(new Date("2027-01-01T00:00:00Z"), "UTC"), "+00:00");
  assert.equal(clockTime("2027-01-01T00:00:00Z", "No/Zone", "en"), "2027-01-01T00:00:00Z");
  // The offset keeps its direction, or its sign would stand behind it.
  assert.match(clockTime("2027-03-28T01:00:00Z", "Europe/Berlin", "ar"), / 03:00:00 \u2066\+02:00\u2069$/);
});

test("relative times use the largest whole unit", () => {
  const now = Date.parse("2027-01-01T00:00:00Z");
  assert.equal(relativeTime("2027-01-01T03:59:00Z", now, "en"), "in 3 hours");
  assert.equal(relativeTime("2026-12-29T23:00:00Z", now, "en"), "2 days ago");
  assert.equal(relativeTime("2027-01-01T00:00:00Z", now, "en"), "now");
});

test("the actions are those that the server accepts", () => {
  const event = { status: "PENDING", waitingFor: null, claimedBy: null, dismissedAt: null };
  assert.deepEqual(eventActions(event), { retry: false, fire: true, reschedule: true, cancel: true, dismiss: false });
  assert.equal(eventActions({ ...event, status: "PROCESSING", claimedBy: "x" }).cancel, false);
  assert.equal(eventActions({ ...event, status: "PROCESSING", waitingFor: "RETRY" }).retry, true);
  assert.equal(eventActions({ ...event, status: "FAILED", dismissedAt: "2027-01-01T00:00:00Z" }).dismiss, false);
});

test("roles include the lesser ones", () => {
  assert.equal(mayDo("ADMIN", "WRITE"), true);
  assert.equal(mayDo("WRITE", "WRITE"), true);
  assert.equal(mayDo("READ", "WRITE"), false);
});

test("a list's query becomes a bulk filter without its paging", () => {
  assert.deepEqual(bulkFilter({ status: "FAILED,PENDING", dismissed: "false", failureReason: "a,b", limit: "50", cursor: "x", sort: "id", q: "" }),
    { status: ["FAILED", "PENDING"], dismissed: false, failureReason: "a,b" });
});

test("a bulk request has a command only if the command has a flag for each member", () => {
  assert.deepEqual(bulkCommand("retry", { status: "FAILED", dismissed: "false", failureReason: "HTTP_STATUS 404" }, [], 50),
    ["event", "retry", "--reason", "HTTP_STATUS 404", "--per-second", "50"]);
  assert.deepEqual(bulkCommand("dismiss", { status: "FAILED", dismissed: "false" }, [], undefined), ["dlq", "dismiss", "--all"]);
  assert.deepEqual(bulkCommand("cancel", { eventType: "A" }, ["1", "2"], 5), ["event", "cancel", "1", "2", "--per-second", "5"]);
  assert.deepEqual(bulkCommand("retry", { waitingFor: "RETRY" }, [], undefined), ["event", "retry", "--waiting-for", "RETRY"]);
  assert.equal(bulkCommand("cancel", { status: "PENDING" }, [], 5), undefined);
  assert.equal(bulkCommand("retry", { q: "a" }, [], 5), undefined);
  assert.equal(bulkCommand("reschedule", {}, [], 5), undefined);
});

test("bars of a waterfall lie within the whole and are wide enough to be seen", () => {
  const at = (second: number) => new Date(second * 1000).toISOString();
  assert.deepEqual(waterfall([{ startedAt: at(0), endedAt: at(10) }, { startedAt: at(50), endedAt: at(100) }]), [{ start: 0, width: 10 }, { start: 50, width: 50 }]);
  const [, last] = waterfall([{ startedAt: at(0), endedAt: at(0) }, { startedAt: null, endedAt: at(1000) }]);
  assert.deepEqual(last, { start: 99, width: 1 });
  assert.deepEqual(waterfall([]), []);
});

test("durations have two digits and a unit", () => {
  assert.deepEqual([null, 0, 0.00154, 0.5, 1, 59.6, 90, 7200].map(durationText), ["–", "0 ms", "1.5 ms", "500 ms", "1 s", "60 s", "1.5 min", "2 h"]);
});

test("steps of series have lengths, and lines have words", () => {
  assert.deepEqual(["PT0S", "PT60S", "PT5M", "PT1H", "P1D", "?"].map(secondsOf), [0, 60, 300, 3600, 86_400, 60]);
  assert.equal(seriesSummary({ label: "p50", points: [1, 5, null, 2, null] }, String, "latest", "highest"), "latest 2, highest 5");
  assert.equal(seriesSummary({ label: "p50", points: [null] }, String, "latest", "highest"), "–");
});

test("a backlog is caught up only if something is executed", () => {
  assert.equal(timeToCatchUp(100, 50), 2);
  assert.equal(timeToCatchUp(100, 0), null);
  assert.equal(timeToCatchUp(0, 50), null);
});

test("a trigger is complete or undefined", () => {
  assert.deepEqual(triggerOf("cron", { cron: " 30 2 * * * " }), { cron: "30 2 * * *" });
  assert.deepEqual(triggerOf("yearly", { on: "12-24", at: "" }), { yearly: { on: "12-24" } });
  assert.deepEqual(triggerOf("rrule", { rrule: "FREQ=DAILY", dtstart: "2027-01-01T09:00" }), { rrule: { dtstart: "2027-01-01T09:00", rrule: "FREQ=DAILY" } });
  assert.equal(triggerOf("rrule", { rrule: "FREQ=DAILY" }), undefined);
  assert.equal(triggerOf("every", {}), undefined);
});

test("numbers keep their digits where JavaScript can keep them", { skip: !("rawJSON" in JSON) }, () => {
  assert.equal(JSON.stringify(parseExactly('{"n":12345678901234567890,"m":1.50}')), '{"n":12345678901234567890,"m":1.50}');
  assert.deepEqual(parseExactly('{"n":7}'), { n: 7 });
});

test("cells of CSV keep their text and start no formula", () => {
  assert.equal(csvOf([{ a: 'x "y", z', b: null, c: { d: 1 } }, { a: "=1+1", b: -5 }], ["a", "b", "c"]), 'a,b,c\r\n"x ""y"", z",,"{""d"":1}"\r\n\'=1+1,-5,\r\n');
});

test("a lost server is reported once, and its return too", () => {
  const connection = new Connection();
  const reported: (string | undefined)[] = [];
  let returns = 0;
  connection.onChange(() => reported.push(connection.missing));
  const stop = connection.onReturn(() => { returns++; });
  connection.answered();
  connection.failed("server");
  connection.failed("server");
  connection.failed("database");
  connection.answered();
  connection.answered();
  stop();
  connection.failed("server");
  connection.answered();
  assert.deepEqual(reported, ["server", "database", undefined, "server", undefined]);
  assert.equal(returns, 1);
  assert.deepEqual([1, 2, 3, 4, 5, 9].map(retryDelay), [1000, 2000, 4000, 8000, 15_000, 15_000]);
});

test("every language has each place of each text", () => {
  const places = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
  for (const texts of [de, ar]) {
    for (const [word, text] of Object.entries(texts)) {
      assert.ok(text.trim() !== "", word);
      assert.deepEqual(places(text), places(en[word as keyof typeof en]), word);
    }
  }
});

test("only points without neighbours need a dot", () => {
  assert.deepEqual(isolated([null, 1, null, 2, 3, null, 0]), [1, 6]);
  assert.deepEqual(isolated([5]), [0]);
  assert.deepEqual(isolated([1, 2]), []);
});

test("related objects have names", () => {
  assert.equal(nameOf({ id: "1", name: "crm", externalId: "x" }), "crm");
  assert.equal(nameOf({ id: "1", firstName: "Ada", lastName: "Lind" }), "Ada Lind");
  assert.equal(nameOf({ id: "1", externalId: null, eventType: "NIGHTLY" }), "NIGHTLY");
  assert.equal(nameOf({ id: "1", firstName: null }), undefined);
  assert.equal(nameOf(null), undefined);
});

const heat = (key: string, forecast: number[], limit: number | null = null) => ({ key, limit, past: forecast.map(() => 0), forecast });

test("busy lines come first, and cells have depths", () => {
  assert.deepEqual(busiest([heat("b", [1, 1]), heat("a", [1, 1]), heat("c", [0, 9])]).map(({ key }) => key), ["c", "a", "b"]);
  assert.deepEqual([0, 1, 12, 25, 100].map((value) => levelOf(value, 100)), [0, 1, 3, 4, 5]);
  assert.deepEqual([0, 999, 1234, 7200, 2.5].map(shortCount), ["", "999", "1.2K", "7.2K", "2.5"]);
});

test("an endpoint's expected events are its line of the forecast, certain if nothing is missing", () => {
  const map = { now: "2027-01-05T09:20:00Z", forecastTo: "2027-01-06T09:20:00Z", onlyNext: [] as string[], moreSchedules: false, data: [heat("a", [1.5, 2]), heat("b", [9])] };
  assert.deepEqual(expectedOf(map, "a"), { count: 3.5, complete: true });
  assert.deepEqual(expectedOf(map, "c"), { count: 0, complete: true });
  assert.deepEqual(expectedOf({ ...map, data: [heat("other", [9])] }, "a"), { count: 0, complete: false });
  for (const missing of [{ moreSchedules: true }, { onlyNext: ["s"] }, { forecastTo: "2027-01-05T12:00:00Z" }]) assert.deepEqual(expectedOf({ ...map, ...missing }, "a"), { count: 3.5, complete: false });
});

test("an actor and the beginning of a key name the same handle", () => {
  assert.equal(keyHandle("key:7f3a9k2m1q"), "7f3a9k2m1q");
  assert.equal(keyHandle("sundial_sk_7f3a9k2m1q"), "7f3a9k2m1q");
  for (const other of ["loopback", "key:", undefined, 7, "the key:7f3a9k2m1q"]) assert.equal(keyHandle(other), undefined);
});

test("a jitter spreads what is above a limit", () => {
  const line = heat("e", [3600, 9000, 10], 3600);
  assert.deepEqual([0, 1, 2].map((index) => isOver(line, index)), [false, true, false]);
  assert.deepEqual(overLimits([line, heat("free", [9e9])]), [{ kind: "limit", key: "e", index: 1, count: 9000, against: 3600, hours: 3 }]);
});

test("a peak at nine is one by the clock of its zone", () => {
  const hours = (at: number, count = 60) => Array.from({ length: 24 }, (_, index) => (index === at ? count : 5));
  const found = ninePeaks([heat("Europe/Berlin", hours(8)), heat("Asia/Tokyo", hours(8)), heat("Asia/Kathmandu", hours(3)), heat("UTC", hours(9, 14)), heat("other", hours(9))],
    "2027-01-05T00:00:00Z", "2027-01-05T00:30:00Z");
  assert.deepEqual(found.map(({ key, index, against }) => [key, index, against]), [["Europe/Berlin", 8, 5], ["Asia/Kathmandu", 3, 5]]);
  assert.deepEqual(ninePeaks([heat("Europe/Berlin", hours(8))], "2027-01-05T00:00:00Z", "2027-01-05T09:30:00Z"), []); // over
  // Hours that the forecast has not counted are not quiet hours.
  const even = [20, 20, 20, 20, 20, 20, 20, 20, 20, ...Array.from({ length: 15 }, () => 0)];
  assert.equal(ninePeaks([heat("Europe/Berlin", even)], "2027-01-05T00:00:00Z", "2027-01-05T00:00:00Z", 9).length, 0);
  assert.equal(countedHours({ from: "2027-01-05T00:00:00Z", forecastTo: "2027-01-05T08:10:00Z" }), 9);
});

test("cells lead to their events and to each other", () => {
  assert.deepEqual(lineFilter("timezone", "Asia/Tokyo"), { targetTimezone: "Asia/Tokyo" });
  assert.equal(lineFilter("endpointId", "handler"), undefined);
  assert.deepEqual(lineFilter("status", "FAILED"), {});
  assert.deepEqual(moved("ArrowRight", 0, 4, 3, 6, false), [0, 5]);
  assert.deepEqual(moved("ArrowRight", 0, 0, 3, 6, true), [0, 0]);
  assert.deepEqual(moved("ArrowLeft", 0, 0, 3, 6, true), [0, 1]);
  assert.deepEqual(moved("ArrowDown", 2, 4, 3, 6, false), [2, 4]);
  assert.deepEqual(moved("End", 1, 4, 3, 6, false), [1, 5]);
  assert.equal(moved("a", 1, 4, 3, 6, false), undefined);
});

const stored = (more: object = {}) => ({
  eventType: "NIGHTLY", trigger: { cron: "30 2 * * *" }, timezone: "Europe/Berlin", endpointId: null, payload: { b: 1, a: [2] }, gap: "compatible", overlap: "compatible", leap: "feb28", misfire: "once",
  window: null, concurrency: "allow", priority: "NORMAL", jitter: "PT0S", startsAt: null, endsAt: null, tags: ["home", "night"], ...more,
});

test("a schedule and its form are inverse", () => {
  for (const trigger of [
    { cron: "@daily" }, { every: "PT15M" }, { yearly: { on: "dateOfBirth", at: "09:00" } }, { rrule: "DTSTART:20270101T090000\nRRULE:FREQ=DAILY" },
    { rrule: { dtstart: "2027-01-01T09:00", rrule: "FREQ=DAILY", rdate: ["2027-02-01T08:00", "2027-02-02T08:00"], exdate: ["2027-01-03T09:00"] } },
  ]) {
    const schedule = stored({ trigger, window: "PT6H", endpointId: "0199", timezone: null });
    assert.deepEqual(membersOf(fieldsOf(schedule)), schedule);
    assert.deepEqual(changed(fieldsOf(schedule), fieldsOf(schedule)), []);
  }
});

test("an edit has the changed members only", () => {
  const before = fieldsOf(stored());
  assert.deepEqual(changed(before, { ...before, cron: " 30 2 * * * ", tags: "night, home night", payload: '{"a":[2],"b":1}' }), []); // other spaces and order
  assert.deepEqual(changed(before, { ...before, kind: "every", every: "PT1H", gap: "skip", jitter: "" }), ["trigger", "gap"]);
  assert.deepEqual(changed(before, { ...before, payload: "{" }), []);
  assert.equal(membersOf({ ...before, payload: "{" }), undefined);
  assert.equal(membersOf({ ...before, cron: "" }), undefined);
});

test("changes go on top of those of others", () => {
  const before = fieldsOf(stored());
  const theirs = fieldsOf(stored({ gap: "skip", jitter: "PT5M", trigger: { every: "PT1H" } }));
  const rest = rebased(before, { ...before, cron: "0 3 * * *", gap: "later" }, theirs);
  assert.deepEqual([rest.kind, rest.cron, rest.gap, rest.jitter], ["cron", "0 3 * * *", "later", "PT5M"]);
});

test("lists of occurrences are compared as far as both are known", () => {
  const at = (...days: number[]) => days.map((day) => ({ targetTimestampUTC: `2027-01-0${day}T01:00:00.000Z`, targetTimestampLocal: null, wantedLocal: null, note: null }));
  const signs = (before: ReturnType<typeof at>, after: ReturnType<typeof at>, full: number) => compared(before, after, full).map(({ change, one }) => change[0] + one.targetTimestampUTC?.slice(9, 10));
  assert.deepEqual(signs(at(1, 2, 3), at(1, 3, 4), 3), ["s1", "g2", "s3"]); // of the fourth day the first list knows nothing
  assert.deepEqual(signs(at(1, 2), at(2, 3), 3), ["g1", "s2", "c3"]); // complete lists
  assert.deepEqual(signs([], at(1), 3), ["c1"]);
  const skipped = { targetTimestampUTC: null, targetTimestampLocal: null, wantedLocal: "2027-01-02T02:30", note: "gap_skipped" };
  assert.deepEqual(compared([...at(1, 3)], [...at(1), skipped, ...at(3)], 9).map(({ change }) => change), ["stays", "comes", "stays"]);
});

test("moves have a direction and a length", () => {
  assert.equal(moveOf("2027-01-01T09:00:00Z", "2027-01-01T01:30:00Z"), "−7 h 30 min");
  assert.equal(moveOf("2027-01-01T09:00:00Z", "2027-01-01T09:45:00Z"), "+45 min");
  assert.equal(moveOf("2027-01-01T09:00:00Z", "2027-01-01T09:00:00.000Z"), "0");
  assert.equal(moveOf("2027-01-01T09:00:00Z", null), "–");
  assert.equal(shifted("2027-01-01T09:00:00.000Z", "-PT90M"), "2027-01-01T07:30:00.000Z");
  assert.equal(shifted("2027-01-01T09:00:00.000Z", "PT48H"), "2027-01-03T09:00:00.000Z");
  assert.equal(shifted(null, "PT1H"), null);
});

test("occurrences in two zones are pairs by their local time", () => {
  const one = (id: string, local: string, utc: string) => ({ schedule: { id }, targetTimestampLocal: local, wantedLocal: null, targetTimestampUTC: utc });
  const here = [one("a", "2027-05-17T09:00:00+02:00", "1"), one("b", "2027-05-17T09:00:00+02:00", "2")];
  const there = [one("a", "2027-05-17T09:00:00+09:00", "3"), one("a", "2028-05-17T09:00:00+09:00", "4")];
  assert.deepEqual(pairedByLocal(here, there).map(({ before, after }) => [before?.targetTimestampUTC, after?.targetTimestampUTC]), [["1", "3"], ["2", undefined], [undefined, "4"]]);
});

test("occurrences after the end of a list that was cut are not compared", () => {
  const one = (id: string, local: string, utc: string) => ({ schedule: { id }, wantedLocal: local, targetTimestampLocal: null, targetTimestampUTC: utc });
  const here = [one("a", "2027-01-01T09:00:00", "1"), one("a", "2027-02-01T09:00:00", "2"), one("b", "2027-03-01T09:00:00", "9")];
  const there = [one("a", "2027-01-01T09:00:00", "3")];
  const shown = (cut: ReadonlySet<string>) => pairedByLocal(here, there, cut).map(({ before, after }) => [before?.targetTimestampUTC, after?.targetTimestampUTC]);
  assert.deepEqual(shown(new Set(["a"])), [["1", "3"], ["9", undefined]]);
  assert.deepEqual(shown(new Set()), [["1", "3"], ["2", undefined], ["9", undefined]]);
});

test("a note goes with the command", () => {
  assert.deepEqual(bulkCommand("dismiss", {}, ["7"], undefined, "it's gone"), ["dlq", "dismiss", "7", "--note", "it's gone"]);
  assert.equal(bulkCommand("reschedule", {}, ["7"], undefined), undefined);
});

test("a bulk reschedule has a command", () => {
  assert.deepEqual(bulkCommand("reschedule", { eventType: "A" }, [], 5, "", { shift: "-PT30M" }), ["event", "reschedule-many", "--type", "A", "--per-second", "5", "--by=-PT30M"]);
  assert.deepEqual(bulkCommand("reschedule", {}, ["7"], undefined, "", { targetTimestampLocal: "2030-06-01T08:15" }), ["event", "reschedule-many", "7", "--at", "2030-06-01T08:15"]);
});

test("many schedules are selected by the list's filter", () => {
  const query = { tag: "night", eventType: "A,B", perUser: "false", cursor: "x", q: "" };
  assert.deepEqual(scheduleBulkFilter("pause", query), { enabled: true, tag: "night", eventType: ["A", "B"], perUser: false });
  assert.deepEqual(scheduleBulkFilter("delete", query), { tag: "night", eventType: ["A", "B"], perUser: false });
  assert.deepEqual(scheduleBulkCommand("pause", query, [], { note: "it's late", addTags: [], removeTags: [] }),
    ["schedule", "pause-many", "--enabled", "--tag", "night", "--type", "A,B", "--per-user=false", "--note", "it's late"]);
  assert.deepEqual(scheduleBulkCommand("tag", query, ["7"], { note: "", addTags: ["x"], removeTags: ["y"] }), ["schedule", "tag-many", "7", "--add-tag", "x", "--remove-tag", "y"]);
});

test("an operation says how long it will take, if it can", () => {
  const at = new Date("2027-01-01T00:01:00Z").getTime();
  const operation = { status: "RUNNING", createdAt: "2027-01-01T00:00:00Z", done: 20, failed: 10, total: 40 };
  assert.equal(timeLeft(operation, at), 20);
  for (const other of [{ status: "COMPLETED" }, { total: null }, { done: 0, failed: 0 }]) assert.equal(timeLeft({ ...operation, ...other }, at), null);
});

test("recorded changes name the value before, if an older event has it", () => {
  const older = [{ data: { gap: "skip" } }, { data: null }, { data: { gap: "later", note: null, zone: "UTC" } }];
  assert.deepEqual(changesOf({ gap: "earlier", zone: "Asia/Tokyo", jitter: "PT1M" }, older), [
    { member: "gap", was: "skip", becomes: "earlier" }, { member: "zone", was: "UTC", becomes: "Asia/Tokyo" }, { member: "jitter", was: undefined, becomes: "PT1M" }]);
  assert.deepEqual(changesOf([1], older), []);
});

test("a step of the slider moves the clock by a part of its reach, and marks are where an event is passed", () => {
  const now = "2027-03-27T23:30:00.000Z";
  assert.equal(instantOf(now, REACHES.P1D, 2), "2027-03-28T00:00:00.000Z");
  assert.equal(instantOf(now, REACHES.P1Y, REACHES.P1Y.steps), "2028-03-27T23:30:00.000Z");
  // Due already, at the first step, within the second one twice, no instant yet, at the end, beyond it.
  const due = [now, "2027-03-27T23:31:00.000Z", "2027-03-27T23:31:00.001Z", "2027-03-27T23:32:00.000Z", null, "2027-03-28T00:30:00.000Z", "2027-03-28T00:30:00.001Z"];
  assert.deepEqual(marksOf(now, REACHES.PT1H, due), [1, 2, 60]);
});

test("a text of the server has its instants on a clock, and its local times as they are", () => {
  assert.equal(clockedText("due at 2027-03-28T03:30:00.125+02:00[Europe/Berlin]: waits until 2027-03-28T01:30:00.000Z", "Europe/Berlin"), "due at Sun, Mar 28, 2027, 03:30:00 +02:00: waits until Sun, Mar 28, 2027, 03:30:00 +02:00");
  assert.equal(clockedText("2027-03-28T02:30:00 on the clocks of Europe/Berlin", "UTC"), "2027-03-28 02:30:00 on the clocks of Europe/Berlin");
  assert.equal(clockedText("a retry of TASK-2027-03", "UTC"), "a retry of TASK-2027-03");
});

test("long names break between their words, short ones do not", () => {
  assert.deepEqual(partsOf("Europe/Berlin"), ["Europe/Berlin"]);
  assert.deepEqual(partsOf("America/Argentina/ComodRivadavia"), ["America/Argentina/", "ComodRivadavia"]);
  assert.deepEqual(partsOf("SEARCH_REINDEX_OF_ALL_CUSTOMERS"), ["SEARCH_REINDEX_OF_", "ALL_CUSTOMERS"]);
  assert.deepEqual(partsOf("Asia/Kathmandu", 12), ["Asia/", "Kathmandu"]);
  assert.equal(partsOf("http://example.org/a//b?c=d").join(""), "http://example.org/a//b?c=d");
  assert.deepEqual(partsOf("at 09:00 every day, Europe/Berlin"), ["at ", "09:00 ", "every ", "day, ", "Europe/Berlin"]);
  assert.deepEqual(partsOf(""), [""]);
});

test("a line of counts has no pauses, only where they begin and end", () => {
  assert.deepEqual(withoutPauses([0, 0, 3, 0, 0, 0, 1, 0]), [null, 0, 3, 0, null, 0, 1, 0]);
  assert.deepEqual(withoutPauses([null, 0, null, 2]), [null, null, null, 2]);
  assert.equal(apart("1 h"), "\u20681 h\u2069");
});

test("late endpoints are named with the step since which they are late", () => {
  const from = "2027-01-05T12:00:00.000Z";
  const line = (key: string | null, ...points: (number | null)[]) => ({ metric: "lateness_p99", key, points });
  assert.deepEqual(lateEndpoints([
    line("punctual", 0.2, null, 1), line("was late", 9, 0.1, null), line("is late", 3, 0.5, 2, null, 4), line("always", null, 30), line(null, 99),
    { metric: "lateness_p50", key: "another metric", points: [50] },
  ], from, 60), [
    { key: "always", worst: 30, since: "2027-01-05T12:01:00.000Z" }, { key: "was late", worst: 9, since: null }, { key: "is late", worst: 4, since: "2027-01-05T12:02:00.000Z" },
  ]);
});

test("an endpoint falls behind while it is late and finishes fewer events than are expected", () => {
  const forecast = (count: number) => ({ now: "2027-01-05T12:20:00Z", forecastTo: "2027-01-05T13:20:00Z", data: [{ key: "a", forecast: [count / 2, count / 2] }] });
  const lines = (late: (number | null)[], executed: number[], failed = executed.map(() => 0)) => [{ metric: "lateness_p99", key: "a", points: late }, { metric: "executed", key: "a", points: executed }, { metric: "failed", key: "a", points: failed }];
  // 20 a minute of 30; the last minute is not over, and the first late one began on time.
  const slow = lines([0.1, 5, 20, 40, 41], [30, 29, 20, 15, 3], [0, 0, 0, 5, 0]);
  assert.deepEqual(fallingBehind(slow, 60, forecast(1800)), [{ key: "a", expects: 1800, finishes: 1200 }]);
  assert.deepEqual(fallingBehind(slow, 60, forecast(1300)), []); // as many, as far as minutes can tell
  assert.deepEqual(fallingBehind(slow, 60, forecast(0)), []); // an old backlog shrinks
  assert.deepEqual(fallingBehind(lines([0.1, 5, 20, 0.2, 0.1], [30, 20, 20, 20, 3]), 60, forecast(1800)), []); // on time again
  assert.deepEqual(fallingBehind(lines([9, 9], [1, 1]), 60, forecast(1800)), []); // no whole minute yet
  assert.deepEqual(fallingBehind(lines([9, null, null, null, null], [1, 0, 0, 0, 0]), 60, forecast(1)), []); // late once, and idle since
  assert.deepEqual(lateNow([{ metric: "lateness_p99", key: "other", points: [9] }, { metric: "lateness_p99", key: null, points: [9] }, { metric: "executed", key: "a", points: [9] }, { metric: "lateness_p99", key: "b", points: [9, null] }]), ["b"]);
});

test("an event of a paused schedule or of a disabled endpoint is not overdue", () => {
  const due = (waitingFor: "SCHEDULE" | "ENDPOINT" | "LIMIT" | null, scheduleId: string | null, minute: number) => ({ waitingFor, scheduleId, targetTimestampUTC: `2027-01-05T12:0${minute}:00.000Z` });
  assert.deepEqual(overdueOf([due("SCHEDULE", "s", 1), due("ENDPOINT", "t", 2), due("LIMIT", "u", 3), due(null, "u", 4), due(null, null, 5)]), { count: 3, oldest: "2027-01-05T12:03:00.000Z", schedules: 1 });
  assert.deepEqual(overdueOf([due("SCHEDULE", "s", 1)]), { count: 0, oldest: null, schedules: 0 });
});

test("the search of the documents keeps the characters of code", () => {
  const all = "<!-- /docs/guide/cron -->\n# Cron\nA *daily* job is `30 2 * * *`, see [rules](rules.md).\n```sh\ncrontab -l | sundial import crontab\n```\n";
  const [section] = sectionsOf(all);
  assert.equal(section?.text, "A daily job is 30 2 * * *, see rules. crontab -l | sundial import crontab");
  assert.equal(search(sectionsOf(all), "crontab")[0]?.section.place, "/docs/guide/cron");
});
