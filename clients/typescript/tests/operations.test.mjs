// Every operation of openapi.json through the client, against the real server. A client that lacks one fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isProblem, Sundial } from "sundial-client";
import { TEST_CLOCK, waitUntil, withReceiver, withServer } from "./support.mjs";

const document = JSON.parse(readFileSync(process.env.SUNDIAL_OPENAPI ?? "../../openapi.json", "utf8"));

/** [operationId, method, pattern of the path] without the other names of /v1/users, the console and the pages for a browser. */
function offered() {
  const found = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const isPage = Object.keys(operation.responses["200"]?.content ?? {}).join() === "text/html";
      if (/^\/(users?|ui)(\/|$)|^\/docs\/$/.test(path) || isPage) continue;
      // Literal paths before those with parameters.
      found.push([operation.operationId, method.toUpperCase(), new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "[^/]+")}$`), path.split("{").length]);
    }
  }
  return found.sort((a, b) => a[3] - b[3]);
}

const all = offered();

/** A fetch that notes which operation of the document succeeds. */
function recording(done) {
  return async (url, init) => {
    const answer = await fetch(url, init);
    const { pathname } = new URL(url);
    const operation = all.find(([, method, pattern]) => method === init.method && pattern.test(pathname));
    assert.ok(operation, `${init.method} ${pathname} is not an operation of the document`);
    if (answer.status < 400) done.add(operation[0]);
    return answer;
  };
}

async function raises(code, promise) {
  const error = await promise.then(() => undefined, (one) => one);
  assert.ok(isProblem(error, code), `${code}: ${error}`);
  return error;
}

/** Notes which methods are called, of all clients. Returns the names of all. */
function recordMethods(client, called) {
  const names = [];
  for (const [noun, { constructor: { prototype } }] of Object.entries(client)) {
    for (const name of Object.getOwnPropertyNames(prototype).filter((one) => one !== "constructor")) {
      const original = prototype[name];
      names.push(`${noun}.${name}`);
      prototype[name] = function (...args) {
        called.add(`${noun}.${name}`);
        return original.apply(this, args);
      };
    }
  }
  return names;
}

test("each operation is carried out, and each method called", () => withServer(TEST_CLOCK, async (server) => {
  const [done, called] = [new Set(), new Set()];
  const client = new Sundial(server.url, { fetch: recording(done) });
  const methods = recordMethods(client, called);
  for (const step of [users, endpoints, events, pull, schedules, operations, streams, intakes, locks, calendars, system, drain, keys]) await step(client, server, done);
  assert.deepEqual([...done].sort(), all.map(([id]) => id).sort());
  assert.deepEqual([...called].sort(), methods.sort());
}));

async function users(client) {
  const ada = await client.users.create({ firstName: "Ada", lastName: "Li", dateOfBirth: "1992-02-29", timezone: "Europe/Paris", externalId: "ada" });
  assert.deepEqual(await client.users.get("ext:ada"), ada);
  assert.equal(await client.users.getIfChanged(ada.id, ada.version), undefined);
  const moved = await client.users.patch(ada.id, { timezone: "Asia/Tokyo" }, { ifMatch: ada.version });
  assert.equal(moved.timezone, "Asia/Tokyo");
  const error = await raises("OPTIMISTIC_LOCK", client.users.patch(ada.id, { timezone: "Asia/Tokyo" }, { ifMatch: ada.version }));
  assert.deepEqual([error.status, error.problem.actualVersion], [412, moved.version]);
  for (const name of ["b", "c", "d"]) {
    await client.users.put(`ext:${name}/é`, { firstName: name, lastName: "X", dateOfBirth: "2000-01-01", timezone: "UTC" });
  }
  assert.deepEqual((await client.users.list({ timezone: "UTC", limit: 2 }).all()).map((one) => one.firstName).sort(), ["b", "c", "d"]);
  const tokyo = { firstName: "E", lastName: "X", dateOfBirth: "2000-01-01", timezone: "Asia/Tokyo" };
  const batch = await client.users.createMany({ users: [{ ...tokyo, externalId: "e" }, { ...tokyo, timezone: "Mars/Base" }] }, { atomic: false });
  assert.deepEqual([batch.data[0].externalId, batch.data[1].code], ["e", "VALIDATION_FAILED"]);
  const imported = await client.users.importMany({ users: [{ ...tokyo, lastName: "Y", externalId: "e" }, tokyo] });
  assert.deepEqual([imported.created, imported.replaced, imported.failed], [1, 1, 0]);
  await client.users.delete("ext:b/é", { history: "keep" });
  await raises("USER_NOT_FOUND", client.users.get("ext:b/é"));
  const invalid = await raises("VALIDATION_FAILED", client.users.create({ firstName: "A", lastName: "B", dateOfBirth: "1992-02-30", timezone: "Mars/Base" }));
  assert.deepEqual(invalid.errors.map((one) => one.pointer).sort(), ["/dateOfBirth", "/timezone"]);
}

async function endpoints(client) {
  await client.endpoints.create({ externalId: "desk", name: "Desk", type: "INBOX" });
  await client.endpoints.create({ externalId: "work", name: "Work", type: "PULL" });
  await withReceiver(async (receiver) => {
    const hook = await client.endpoints.put("ext:hook", { name: "Hook", type: "WEBHOOK", url: receiver.url });
    assert.match(hook.secret, /^whsec_/);
    assert.equal(await client.endpoints.getIfChanged(hook.id, hook.version), undefined);
    assert.equal((await client.endpoints.get("ext:hook")).secret, undefined);
    await client.endpoints.patch("ext:hook", { name: "Hooks" }, { retryWaiting: true });
    await client.endpoints.put("ext:hook", { name: "Hook", type: "WEBHOOK", url: receiver.url }, { retryWaiting: true });
    assert.notEqual((await client.endpoints.rotateSecret("ext:hook", { oldSignsFor: "PT1H" })).secret, hook.secret);
    assert.equal((await client.endpoints.test("ext:hook")).outcome, "SUCCEEDED");
    await client.endpoints.delete("ext:hook");
  });
  assert.deepEqual((await client.endpoints.list({ type: "PULL" }).all()).map((one) => one.name), ["Work"]);
}

async function events(client) {
  const event = await client.events.create({
    eventType: "REMINDER", targetTimestampUTC: "now+1h", endpointId: "ext:desk", idempotencyKey: "renew-1", deliveryPayload: { text: "Zoë" },
  });
  assert.deepEqual((await client.events.get(event.id)).deliveryPayload, { text: "Zoë" });
  assert.equal((await client.events.get(event.id, {}, { expand: ["user", "attempts"] })).user, null);
  assert.equal(await client.events.getIfChanged(event.id, event.version), undefined);
  const one = { eventType: "REMINDER", targetTimestampUTC: "now+2h", endpointId: "ext:desk", deliveryPayload: 1 };
  const batch = await client.events.createMany({ events: [one, { ...one, idempotencyKey: "renew-1" }] }, { atomic: false });
  assert.equal(batch.data[1].code, "DUPLICATE_IDEMPOTENCY_KEY");
  await client.events.patch(event.id, { priority: "HIGH" }, { ifMatch: event.version });
  await client.events.cancel(batch.data[0].id);
  await client.system.advanceClock({ by: "PT2H" }, { timeout: 60_000 });
  assert.equal((await client.events.get(event.id)).status, "COMPLETED");
  assert.equal((await client.events.retry(event.id, { newKey: true })).retryOf, event.id);
  assert.equal((await client.events.explain(event.id)).status, "COMPLETED");
  await client.system.tick({ limit: 10 });
  assert.equal((await client.endpoints.inbox("ext:desk", { limit: 1 }).all()).length, 2);
  await client.endpoints.clearInbox("ext:desk");
  assert.deepEqual(await client.endpoints.inbox("ext:desk").all(), []);
  assert.equal((await client.events.list({ status: ["COMPLETED", "CANCELLED"], endpointId: "ext:desk", limit: 1 }).all()).length, 3);
}

async function pull(client) {
  for (const number of [0, 1, 2, 3]) {
    await client.events.create({ eventType: "PRINT", targetTimestampUTC: "now", endpointId: "ext:work", deliveryPayload: number });
  }
  const [done, failed, released, extended] = (await client.endpoints.claim("ext:work", { worker: "w", limit: 4, lease: "PT1M" })).data;
  assert.equal((await client.events.complete(done.id, done.version)).status, "COMPLETED");
  assert.equal((await client.events.fail(failed.id, { version: failed.version, reason: "no paper", retry: false })).status, "FAILED");
  await client.events.release(released.id, released.version);
  await client.events.extend(extended.id, { version: extended.version, lease: "PT2M" });
  await raises("LEASE_LOST", client.events.complete(released.id, released.version));
  assert.equal((await client.events.failures({ by: "reason" })).counted, 1);
  const attempts = await client.events.attempts({ eventId: failed.id, limit: 1 }).all();
  assert.deepEqual(attempts.map((one) => [one.outcome, one.worker]), [["PERMANENT", "w"]]);
  assert.deepEqual(await client.events.attempt(attempts[0].id), attempts[0]);
}

async function schedules(client) {
  const trigger = { cron: "0 12 * * *" };
  const made = await client.schedules.create({ externalId: "noon", eventType: "NOON", trigger, timezone: "Europe/Paris", endpointId: "ext:desk" });
  assert.equal(await client.schedules.getIfChanged("ext:noon", made.version), undefined);
  await client.schedules.patch("ext:noon", { note: "every day" }, { ifMatch: made.version });
  await client.schedules.put("ext:noon", { eventType: "NOON", trigger, timezone: "Europe/Berlin", endpointId: "ext:desk" });
  assert.equal((await client.schedules.get("ext:noon")).timezone, "Europe/Berlin");
  assert.equal((await client.schedules.preview({ scheduleId: "ext:noon", count: 3 })).data.length, 3);
  assert.equal((await client.schedules.trigger("ext:noon", { payload: { by: "hand" } })).eventType, "NOON");
  assert.equal((await client.schedules.occurrences({ scheduleId: "ext:noon", from: "now", to: "now+7d", limit: 3 }).all()).length, 7);
  assert.ok("occurrences" in (await client.schedules.backfill("ext:noon", { from: "now-1d", to: "now", dryRun: true })));
  const started = await client.schedules.backfill("ext:noon", { from: "now-1d", to: "now" });
  assert.equal((await client.operations.wait(started.id, { every: 50 })).status, "COMPLETED");
  assert.ok((await client.schedules.list({ perUser: true }).all()).some((one) => one.externalId === "birthday"));
  const change = { action: "tag", filter: { eventType: ["NOON"] }, addTags: ["daily"] };
  assert.equal((await client.schedules.bulk({ ...change, dryRun: true })).count, 1);
  assert.equal((await client.operations.wait((await client.schedules.bulk(change)).id, { every: 50 })).status, "COMPLETED");
  assert.deepEqual((await client.schedules.get("ext:noon")).tags, ["daily"]);
  await client.schedules.delete("ext:noon");
}

async function calendars(client) {
  const user = await client.users.put("ext:shown", { firstName: "Ada", lastName: "Li", dateOfBirth: "1992-02-29", timezone: "Europe/Paris" });
  const made = await client.calendars.create({ userId: user.id, name: "Ada" });
  assert.equal(made.path, `/calendar/${made.token}.ics`);
  assert.ok((await client.calendars.read(made.token, { days: 30 })).startsWith("BEGIN:VCALENDAR\r\n"));
  const [listed] = await client.calendars.list({ userId: "ext:shown" }).all();
  assert.deepEqual([listed.id, "token" in listed], [made.id, false]);
  await client.calendars.revoke(made.id);
  await raises("CALENDAR_NOT_FOUND", client.calendars.read(made.token));
}

async function operations(client) {
  const request = { resource: "events", action: "dismiss", filter: { status: "FAILED" } };
  assert.equal((await client.operations.bulk({ ...request, dryRun: true })).count, 1);
  const ended = await client.operations.wait((await client.operations.bulk(request)).id, { every: 50 });
  assert.deepEqual([ended.status, ended.done], ["COMPLETED", 1]);
  assert.equal(await client.operations.getIfChanged(ended.id, ended.version), undefined);
  assert.deepEqual(await client.operations.errors(ended.id).all(), []);
  assert.equal((await client.operations.stop(ended.id)).status, "COMPLETED");
  assert.ok((await client.operations.list({ kind: "BULK" }).all()).some((one) => one.id === ended.id));
}

async function streams(client) {
  const before = (await client.streams.feed({ limit: 500 })).nextPosition;
  const batch = [0, 1, 2, 3, 4].map((n) => ({ eventType: "Counted", data: { n } }));
  assert.equal((await client.streams.append("Order", "a/1", { expectedVersion: "NO_STREAM", events: batch })).lastVersion, 5);
  const error = await raises("OPTIMISTIC_LOCK", client.streams.append("Order", "a/1", { expectedVersion: 0, events: batch }));
  assert.deepEqual([error.status, error.problem.actualVersion], [409, 5]);
  assert.equal((await client.streams.read("Order", "a/1", { limit: 2 })).version, 5);
  for (const [direction, wanted] of [["forward", [0, 1, 2, 3, 4]], ["backward", [4, 3, 2, 1, 0]]]) {
    const found = [];
    for await (const one of client.streams.events("Order", "a/1", { limit: 2, direction })) found.push(one.data.n);
    assert.deepEqual(found, wanted);
  }
  await client.streams.saveSnapshot("Order", "a/1", { version: 5, state: { sum: 10 } });
  assert.deepEqual((await client.streams.snapshot("Order", "a/1")).state, { sum: 10 });
  assert.deepEqual((await client.streams.list({ aggregateType: "Order" }).all()).map((one) => one.aggregateId), ["a/1"]);
  const page = await client.streams.feed({ after: before, aggregateType: ["Order", "Invoice"] });
  assert.equal(page.data.length, 5);
  const [followed, control] = [[], new AbortController()];
  for await (const one of client.streams.follow({ aggregateType: "Order" }, { signal: control.signal })) {
    if (followed.push(one.data.n) === 5) control.abort();
  }
  assert.deepEqual(followed, [0, 1, 2, 3, 4]);
  await client.streams.saveCheckpoint("totals", { previous: 0, position: page.nextPosition });
  assert.equal((await client.streams.checkpoint("totals")).position, page.nextPosition);
}

async function intakes(client) {
  for (const rows of [client.intakes.list(), client.intakes.refused("shop"), client.intakes.taken("shop")]) {
    assert.deepEqual(await rows.all(), []);
  }
}

async function locks(client) {
  const lock = await client.locks.acquire("nightly report", { holder: "a", ttl: "PT30S" });
  assert.equal((await raises("LOCK_HELD", client.locks.acquire("nightly report", { holder: "b" }))).problem.holder, "a");
  assert.equal((await client.locks.get("nightly report")).fencingToken, lock.fencingToken);
  await client.locks.renew("nightly report", { lockToken: lock.lockToken, ttl: "PT1M" });
  assert.ok((await client.locks.list().all()).some((one) => one.name === "nightly report"));
  await client.locks.release("nightly report", lock.lockToken);
  await raises("LOCK_NOT_HELD", client.locks.release("nightly report", lock.lockToken));
}

async function system(client) {
  assert.equal((await client.system.clock()).mode, "test");
  assert.equal((await client.system.setClock({ now: "2099-01-01T00:00:00Z" })).now, "2099-01-01T00:00:00.000Z");
  assert.match((await client.system.timezones({ zone: "Europe/Paris" }).first()).release, /^20\d\d[a-z]/);
  assert.deepEqual(await client.system.timezoneImpact().all(), []);
  assert.equal((await client.system.info()).clock, "test");
  assert.ok((await client.system.stats({ window: "PT2H" })).now.pending.complete);
  assert.ok((await client.system.statsHeatmap({ by: "status", to: "now+2h" })).onlyNext);
  const series = await client.system.statsSeries({ metric: ["executed", "failed"], from: "now-1h", step: "PT10M" });
  assert.deepEqual(series.data.map((one) => one.metric), ["executed", "failed"]);
  const live = client.system.live({ topics: ["stats"] });
  assert.deepEqual([(await live.next()).value.type, (await live.next()).value.type], ["opened", "stats"]);
  await live.return();
  assert.match((await client.system.health()).status, /^(pass|warn)$/);
  assert.ok((await client.system.alive()) && (await client.system.ready()));
  assert.match(await client.system.metrics(), /sundial_build_info/);
  assert.equal((await client.system.openapi()).info.title, "Sundial");
  assert.match(await client.system.errors(), /## LEASE_LOST/);
  assert.match(await client.system.documents(), /\(\/docs\/guide\/locks\.md\)/);
  assert.match(await client.system.allDocuments(), /^<!-- \/docs\/guide\/locks -->$/m);
  assert.match(await client.system.overview(), /^# Documentation\n/);
  assert.match(await client.system.document("operating"), /^# Operating\n/);
  assert.match(await client.system.documentIn("guide", "locks"), /^# Locks/);
  assert.match(await client.system.error("LEASE_LOST"), /^## LEASE_LOST/);
  const { data: settings } = await client.system.settings();
  assert.equal(settings.find(({ key }) => key === "http.rate_limit_per_second").origin, "default");
}

async function drain(_client, _server, done) {
  await withServer(TEST_CLOCK, async (server) => {
    const client = new Sundial(server.url, { fetch: recording(done) });
    await waitUntil(() => client.system.instances().first().then((page) => page.data.length > 0), "the instance to report");
    const [own] = (await client.system.instances().first()).data;
    assert.equal(own.status, "RUNNING");
    assert.equal((await client.system.drain(own.id)).status, "DRAINING");
    await waitUntil(() => client.system.alive({ maxRetries: 0 }).then(() => false, () => true), "the instance to end");
  });
}

async function keys(client, server, done) {
  const made = await client.apiKeys.create({ name: "ops", role: "ADMIN" });
  // Within two seconds every request needs it.
  const other = new Sundial(server.url, { apiKey: made.key, fetch: recording(done) });
  assert.deepEqual((await other.apiKeys.list().all()).map((one) => one.name), ["ops"]);
  await waitUntil(() => client.users.list().first().then(() => false, (error) => isProblem(error, "UNAUTHENTICATED")), "a request without the key to be refused");
  assert.equal((await other.apiKeys.logIn({ key: made.key })).role, "ADMIN");
  assert.equal((await other.apiKeys.session()).csrfToken, null);
  await other.apiKeys.logOut();
  await other.apiKeys.revoke(made.id);
}
