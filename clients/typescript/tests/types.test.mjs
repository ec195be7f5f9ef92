// Calls whose results are used by their types: tsc checks this file (tsconfig.examples.json), and it runs against the real
// server. Each @ts-expect-error marks a mistake that tsc must find.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ApiError, isProblem, Sundial, SundialError } from "sundial-client";
import { TEST_CLOCK, withServer } from "./support.mjs";

test("results are what their types say", () => withServer(TEST_CLOCK, async (/** @type {{ url: string }} */ server) => {
  const client = new Sundial(server.url);
  await client.endpoints.create({ externalId: "desk", name: "Desk", type: "INBOX" });
  for (const step of [previews, secrets, expanded, claims, bulk, feed, changes, errors, keys]) await step(client);
}));

/** @param {Sundial} client */
async function secrets(client) {
  /** @type {import("sundial-client").CreatedEndpoint} */
  const pull = await client.endpoints.create({ externalId: "work", name: "Work", type: "PULL" });
  assert.equal(pull.secret, undefined);
  /** @type {import("sundial-client").EndpointPut} */
  const settings = { name: "Hook", type: "WEBHOOK", url: "https://receiver.invalid/" };
  const hook = await client.endpoints.put("ext:hook", settings);
  assert.ok(hook.secret?.startsWith("whsec_"));
  const rotated = await client.endpoints.rotateSecret("ext:hook", { oldSignsFor: "PT0S" });
  assert.ok(rotated.secret.startsWith("whsec_") && rotated.secret !== hook.secret);
  /** @type {import("sundial-client").Endpoint} */
  const shown = await client.endpoints.get("ext:hook");
  assert.deepEqual([shown.secretHint, shown.circuit.state, "secret" in shown], [rotated.secretHint, "CLOSED", false]);
  assert.equal((await client.endpoints.put("ext:hook", settings)).secret, undefined);
  const calendar = await client.calendars.create({ scheduleId: "ext:noon" });
  assert.ok(calendar.path.endsWith(`${calendar.token}.ics`));
}

/** @param {Sundial} client */
async function expanded(client) {
  await client.users.put("ext:ada", { firstName: "Ada", lastName: "Li", dateOfBirth: "1992-02-29", timezone: "Europe/Paris" });
  const made = await client.events.create({
    eventType: "PRINT", targetTimestampUTC: "now", userId: "ext:ada", endpointId: "ext:work", deliveryPayload: { page: 1 },
  });
  const event = await client.events.get(made.id, {}, { expand: ["user", "schedule", "endpoint", "attempts"] });
  assert.deepEqual([event.user?.timezone, event.user?.externalId], ["Europe/Paris", "ada"]);
  assert.deepEqual([event.endpoint?.name, event.endpoint?.type, event.endpoint?.enabled], ["Work", "PULL", true]);
  assert.deepEqual([event.schedule, event.attempts?.length], [null, 0]);
}

/** @param {Sundial} client */
async function claims(client) {
  const work = await client.endpoints.claim("ext:work", { worker: "w", limit: 1, lease: "PT1M" });
  const [event] = work.data;
  assert.ok(event !== undefined && event.claimedBy === "w" && event.leaseExpiresAt !== null && event.attempt === 1);
  await client.events.extend(event.id, { version: event.version, lease: "PT2M" });
  const failed = await client.events.fail(event.id, { version: event.version, reason: "no paper", retry: false });
  assert.deepEqual([failed.status, failed.failureReason], ["FAILED", "WORKER no paper"]);
  const groups = await client.events.failures({ by: "reason" });
  assert.deepEqual(groups.data.map((one) => [one.reason, one.count]), [["WORKER no paper", 1]]);
}

/** @param {Sundial} client */
async function previews(client) {
  const made = await client.schedules.create({
    externalId: "noon", eventType: "NOON", timezone: "Europe/Paris", endpointId: "ext:desk",
    trigger: { rrule: { dtstart: "2020-01-01T12:00:00", rrule: "FREQ=DAILY" } },
  });
  const rule = made.trigger.rrule;
  assert.ok(typeof rule === "object" && rule.dtstart === "2020-01-01T12:00:00" && rule.rrule === "FREQ=DAILY");
  const preview = await client.schedules.preview({ scheduleId: "ext:noon", from: "2027-03-27T00:00:00Z", count: 2 });
  assert.deepEqual(preview.data.map((one) => one.note), [null, "offset_changed"]);
  assert.equal(preview.data[1]?.targetTimestampLocal, "2027-03-28T12:00:00.000+02:00");
  assert.ok(preview.description.length > 0 && preview.warnings.length === 0);
  const fired = await client.schedules.trigger("ext:noon", { payload: { by: "hand" } });
  assert.equal(fired.scheduleId, made.id);
  assert.equal((await client.events.get(fired.id, {}, { expand: ["schedule"] })).schedule?.externalId, "noon");
  const range = { from: "now-2d", to: "now" };
  const counted = await client.schedules.backfill("ext:noon", { ...range, dryRun: true });
  assert.deepEqual([counted.occurrences, counted.samples[0]?.targetTimezone], [2, "Europe/Paris"]);
  const started = await client.schedules.backfill("ext:noon", range);
  assert.equal(started.kind, "BACKFILL_SCHEDULE");
}

/** @param {Sundial} client */
async function bulk(client) {
  /** @type {import("sundial-client").BulkRequest} */
  const dismiss = { resource: "events", action: "dismiss", filter: { status: "FAILED" } };
  const events = await client.operations.bulk({ ...dismiss, dryRun: true });
  assert.deepEqual([events.count, events.samples[0]?.failureReason], [1, "WORKER no paper"]);
  const started = await client.operations.bulk({ ...dismiss, dryRun: false });
  const ended = await client.operations.wait(started.id, { every: 50 });
  assert.deepEqual([ended.status, ended.done], ["COMPLETED", 1]);
  const schedules = await client.schedules.bulk({ action: "pause", ids: ["ext:noon"], dryRun: true });
  assert.deepEqual(schedules.samples.map((one) => [one.externalId, one.enabled]), [["noon", true]]);
  const pausing = await client.schedules.bulk({ action: "pause", ids: ["ext:noon"] });
  assert.equal((await client.operations.wait(pausing.id, { every: 50 })).failed, 0);
  const batch = await client.events.createMany({ events: [{ eventType: "bad type", deliveryPayload: 1 }] }, { atomic: false });
  for (const one of batch.data) {
    assert.ok("code" in one && one.code === "VALIDATION_FAILED");
    assert.deepEqual(one.errors?.map((field) => field.pointer), ["/eventType"]);
  }
}

/** @param {Sundial} client */
async function feed(client) {
  await client.streams.append("Order", "1", {
    events: [{ eventType: "Placed", data: { sum: 3 }, metadata: { actor: "ada", headers: { x: 1 } } }],
  });
  const page = await client.streams.feed({ aggregateType: "Order" });
  const [placed] = page.data;
  assert.ok(placed !== undefined && page.nextPosition >= placed.position && !page.hasMore && placed.recordedAt.endsWith("Z"));
  assert.deepEqual([placed.metadata.actor, placed.metadata.headers, placed.metadata.occurredAt], ["ada", { x: 1 }, undefined]);
  const stream = await client.streams.read("Order", "1");
  assert.deepEqual([stream.data, stream.hasMore], [[placed], false]);
  assert.deepEqual((await client.streams.list({ aggregateType: "Order" }).all()).map((one) => [one.aggregateId, one.version]), [["1", 1]]);
}

/** @param {Sundial} client */
async function changes(client) {
  let [opened, counted] = [0, 0];
  for await (const message of client.system.live({ topics: ["users", "stats", "events", "instances", "operations"], status: "FAILED" })) {
    if (message.type === "opened") ++opened;
    else if (message.type === "closed") throw message.error ?? new Error("the stream ended");
    else if (message.type === "reset") assert.fail(`${message.position}`);
    else if (message.type === "stats") {
      assert.ok(message.data.now.pending.count >= 0);
      await client.users.patch("ext:ada", { lastName: `Li ${++counted}` });
    } else if (message.type === "users.changed") {
      /** @type {import("sundial-client").LiveChange} */
      const change = message;
      assert.ok(opened === 1 && change.position > 0 && message.data.version > 1 && message.data.fields.includes("lastName"));
      break;
    } else if (message.type === "events.changed") assert.deepEqual([message.data.more, message.data.events[0]?.status], [false, "FAILED"]);
    else if (message.type === "instances.changed") assert.ok(message.data.instances.every((one) => !one.draining));
    else if (message.type === "operations.changed") assert.ok(message.data.operations[0]?.id);
  }
}

/** @param {Sundial} client */
async function errors(client) {
  const again = client.streams.append("Order", "1", { expectedVersion: "NO_STREAM", events: [{ eventType: "Placed", data: 1 }] });
  await assert.rejects(again, (error) => {
    assert.ok(error instanceof ApiError && isProblem(error, "OPTIMISTIC_LOCK"));
    assert.deepEqual([error.code, error.problem.actualVersion, error.retryable], ["OPTIMISTIC_LOCK", 1, false]);
    assert.match(error.requestId, /^req-/);
    return true;
  });
  const away = new Sundial("http://server.invalid", { maxRetries: 0, fetch: () => Promise.reject(new TypeError("away")) });
  await assert.rejects(away.system.info(), (error) => {
    assert.ok(error instanceof SundialError);
    assert.deepEqual([error.code, error.retryable], [undefined, true]);
    assert.match(error.requestId, /^req-/);
    return true;
  });
}

/** The last one: from now on each request needs the key.
 * @param {Sundial} client */
async function keys(client) {
  const made = await client.apiKeys.create({ name: "ops", role: "ADMIN" });
  assert.ok(made.key.startsWith(made.prefix));
}

/** Never called.
 * @param {Sundial} client */
export async function mistakes(client) {
  // @ts-expect-error
  (await client.endpoints.get("e")).secret;
  // @ts-expect-error
  (await client.apiKeys.list().first()).data[0]?.key;
  // @ts-expect-error
  (await client.streams.list().first()).data[0]?.hasMore;
  // @ts-expect-error
  (await client.operations.bulk({ resource: "events", action: "cancel" })).count;
  // @ts-expect-error
  (await client.operations.bulk({ resource: "events", action: "cancel", dryRun: true })).status;
  // @ts-expect-error
  (await client.streams.feed()).data[0]?.metadata.author;
  // @ts-expect-error
  await client.schedules.trigger("noon", { data: 1 });
  // @ts-expect-error
  await client.schedules.preview({ counts: 1 });
  // @ts-expect-error
  await client.endpoints.claim("work", { limit: 1 });
  // @ts-expect-error
  client.system.live({ topics: "weather" });
  // @ts-expect-error
  await client.call("followLive", { query: { topics: "stats" } });
  for await (const message of client.system.live({ topics: "stats" })) {
    // @ts-expect-error
    if (message.type === "stats") message.position;
  }
}

test("each public class, function and method is documented", () => {
  /** @type {string[]} */
  const lacking = [];
  for (const name of ["client", "errors", "live", "webhooks", "worker"]) {
    let place = "", before = "";
    const documented = new Set();
    for (const line of readFileSync(`dist/${name}.d.ts`, "utf8").split("\n")) {
      const [, outer, member] = /^(?:export (?:declare )?(?:class|function|interface|type) (\w+)|    (\w+)[(<])/.exec(line) ?? [];
      if (outer !== undefined) place = outer;
      const one = member === undefined ? place : `${place}.${member}`;
      // The first of several overloads has the comment.
      if (before.trimEnd().endsWith("*/")) documented.add(one);
      if ((outer ?? member) !== undefined && member !== "constructor" && !documented.has(one)) lacking.push(`${name}: ${one}`);
      before = line;
    }
  }
  assert.deepEqual(lacking, []);
});
