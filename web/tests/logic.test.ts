import assert from "node:assert/strict";
import { test } from "node:test";
import { cliOf, clockTime, curlOf, eventActions, hrefOf, offsetOf, placeOf, relativeTime, shellWord } from "../src/logic.ts";

test("an address and its place are inverse", () => {
  const href = hrefOf("events", "ext:a/b c", { status: "FAILED", q: "" });
  assert.equal(href, "#/events/ext%3Aa%2Fb%20c?status=FAILED");
  assert.deepEqual(placeOf(href), { page: "events", id: "ext:a/b c", query: { status: "FAILED" } });
  assert.deepEqual(placeOf(""), { page: "overview", id: "", query: {} });
  assert.equal(placeOf("#/events/%E0").id, "%E0");
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
  assert.equal(clockTime("2027-03-28T00:59:59Z", "Europe/Berlin", "en"), "Mar 28, 2027, 01:59:59 +01:00");
  assert.equal(clockTime("2027-03-28T01:00:00Z", "Europe/Berlin", "en"), "Mar 28, 2027, 03:00:00 +02:00");
  assert.equal(offsetOf(new Date("2027-01-01T00:00:00Z"), "Asia/Kathmandu"), "+05:45");
  assert.equal(offsetOf(new Date("2027-01-01T00:00:00Z"), "UTC"), "+00:00");
  assert.equal(clockTime("2027-01-01T00:00:00Z", "No/Zone", "en"), "2027-01-01T00:00:00Z");
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
