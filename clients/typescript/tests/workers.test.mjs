// Pull workers and the feed, with the real server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Fail, isProblem, Release, Sundial } from "sundial-client";
import { later, REAL_CLOCK, TEST_CLOCK, waitUntil, withServer } from "./support.mjs";

const quiet = { log: () => undefined };

async function printers(client) {
  await client.endpoints.create({ name: "Printers", externalId: "printers", type: "PULL" });
}

async function printJob(client, page) {
  return (await client.events.create({ eventType: "PRINT", targetTimestampUTC: "now", endpointId: "ext:printers", deliveryPayload: { page } })).id;
}

const hasStatus = async (client, id, status) => (await client.events.get(id)).status === status;

test("outcomes, and a stop that gives up the claim that waits", () => withServer(REAL_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await printers(client);
  const ids = {};
  for (const page of ["done", "fail", "retry", "release"]) ids[page] = await printJob(client, page);
  let released = 0;
  const worker = client.worker("ext:printers", ({ event, payload: { page } }) => {
    if (page === "fail") throw new Fail("no paper", { retry: false });
    if (page === "retry") throw new TypeError("jam");
    if (page === "release" && ++released === 1) throw new Release();
    assert.equal(event.endpointId !== null, true);
  }, { concurrency: 2, wait: 60, ...quiet });
  const run = worker.run();
  for (const [page, status] of Object.entries({ done: "COMPLETED", fail: "FAILED", release: "COMPLETED" })) {
    await waitUntil(() => hasStatus(client, ids[page], status), page);
  }
  await waitUntil(async () => (await client.events.get(ids.retry)).retryCount > 0, "the retry");
  assert.equal((await client.events.get(ids.fail)).failureReason, "WORKER no paper");
  assert.equal((await client.events.get(ids.release)).attempt, 2);
  const began = performance.now();
  worker.stop();
  assert.deepEqual(await run, []);
  assert.ok(performance.now() - began < 30_000);
}));

test("a soft stop finishes the events in hand and claims no more", () => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await printers(client);
  const [begun, goOn] = [later(), later()];
  const seen = [];
  const first = await printJob(client, 1);
  const worker = client.worker("ext:printers", async (job) => {
    seen.push(job.payload.page);
    begun.resolve();
    await goOn.promise;
  }, { concurrency: 1, lease: 60 });
  const run = worker.run();
  await begun.promise;
  const second = await printJob(client, 2);
  worker.stop();
  goOn.resolve();
  assert.deepEqual(await run, []);
  assert.deepEqual(seen, [1]);
  assert.ok(await hasStatus(client, first, "COMPLETED"));
  assert.ok(await hasStatus(client, second, "PENDING"));
}));

test("events beyond the grace are returned", () => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await printers(client);
  const [begun, goOn] = [later(), later()];
  const id = await printJob(client, 1);
  const worker = client.worker("ext:printers", async (job) => {
    begun.resolve(job);
    await goOn.promise;
  }, { concurrency: 1, ...quiet });
  const run = worker.run();
  const job = await begun.promise;
  worker.stop({ grace: 10 });
  assert.deepEqual((await run).map((event) => event.id), [id]);
  assert.ok(job.lost.aborted && job.stopping.aborted);
  assert.ok(await hasStatus(client, id, "PROCESSING"));
  goOn.resolve();
}));

test("a lease is extended while the handler works", () => withServer(REAL_CLOCK, async (server) => {
  let extensions = 0;
  const client = new Sundial(server.url, {
    fetch: async (url, init) => {
      const answer = await fetch(url, init);
      if (url.endsWith("/extend") && answer.ok) ++extensions;
      return answer;
    },
  });
  await printers(client);
  const id = await printJob(client, 1);
  const worker = client.worker("ext:printers", async (job) => {
    await waitUntil(() => extensions >= 3, "three extensions");
    assert.ok(!job.lost.aborted);
  }, { lease: 6 });  // four seconds to extend it, for a slow machine
  const run = worker.run();
  await waitUntil(() => hasStatus(client, id, "COMPLETED"), "the event");
  const event = await client.events.get(id);
  assert.deepEqual([event.attempt, event.retryCount], [1, 0]);
  worker.stop();
  await run;
}));

test("a lost lease is noticed, and another worker completes the event", () => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await printers(client);
  const id = await printJob(client, 1);
  const [begun, lost] = [later(), later()];
  const worker = client.worker("ext:printers", async (job) => {
    begun.resolve();
    if (!job.lost.aborted) await new Promise((resolve) => job.lost.addEventListener("abort", resolve));
    lost.resolve();
  }, { lease: 3, concurrency: 1, ...quiet });
  const run = worker.run();
  await begun.promise;
  // The worker's clock says that it still holds the event; the database's decides.
  await client.system.advanceClock({ by: "PT1M" });
  const [event] = (await client.endpoints.claim("ext:printers", { worker: "other", lease: "PT12H" })).data;
  await lost.promise;
  assert.equal((await client.events.complete(id, event.version)).status, "COMPLETED");
  worker.stop();
  assert.deepEqual(await run, []);
}));

test("the same event can come again while its first handler works", () => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await printers(client);
  const id = await printJob(client, 1);
  const [begun, goOn] = [later(), later()];
  const versions = [];
  let working = 0;
  const worker = client.worker("ext:printers", async (job) => {
    ++working;
    if (versions.push(job.event.version) === 1) {
      begun.resolve();
      await goOn.promise;
    }
    --working;
  }, { concurrency: 2, lease: 60, ...quiet });
  const run = worker.run();
  await begun.promise;
  await client.system.advanceClock({ by: "PT2M" });
  await waitUntil(() => hasStatus(client, id, "COMPLETED"), "the second handler");
  worker.stop();
  let ended = false;
  void run.then(() => (ended = true));
  await client.system.info();
  assert.deepEqual([working, ended], [1, false], "the worker waits for its first handler");
  goOn.resolve();
  assert.deepEqual(await run, []);
  assert.ok(versions[0] < versions[1]);
}));

test("a report reaches a server that was away, and the worker claims again", () => withServer(REAL_CLOCK, async (server) => {
  const client = new Sundial(server.url, { maxRetries: 0 });
  await printers(client);
  const id = await printJob(client, 1);
  let begun = later();
  const goOn = later();
  const worker = client.worker("ext:printers", async () => {
    begun.resolve();
    await goOn.promise;
  }, { lease: 600, concurrency: 1, ...quiet });
  const run = worker.run();
  await begun.promise;
  await server.kill();
  begun = later();
  goOn.resolve();
  await server.restart();
  await waitUntil(() => hasStatus(client, id, "COMPLETED").catch(() => false), "the report");
  assert.equal((await client.events.get(id)).attempt, 1);
  await printJob(client, 2);
  await begun.promise;
  worker.stop();
  assert.deepEqual(await run, []);
}));

test("errors that do not pass end the worker, and options are checked", () => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await assert.rejects(client.worker("ext:none", () => undefined).run(), (error) => isProblem(error, "ENDPOINT_NOT_FOUND"));
  for (const options of [{ concurrency: 0 }, { concurrency: 101 }, { lease: 2 }]) {
    assert.throws(() => client.worker("e", () => undefined, options), RangeError);
  }
}));

test("following the feed sees each event once, in order, and survives a restart", () => withServer(REAL_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  const seen = [];
  const control = new AbortController();
  const append = (first, last) => client.streams.append("Order", "17", {
    events: Array.from({ length: last - first }, (_, index) => ({ eventType: "Counted", data: first + index })),
  });
  await append(0, 10);
  const following = (async () => {
    for await (const event of client.streams.follow({ aggregateType: "Order", limit: 3, wait: "PT60S" }, { signal: control.signal })) seen.push(event.data);
  })();
  await waitUntil(() => seen.length === 10, "the first events");
  await append(10, 12);
  await waitUntil(() => seen.length === 12, "events that come while it waits");
  await server.restart();
  await append(12, 15);
  await waitUntil(() => seen.length === 15, "events after a restart");
  control.abort();
  await following;
  assert.deepEqual(seen, Array.from({ length: 15 }, (_, index) => index));
}));
