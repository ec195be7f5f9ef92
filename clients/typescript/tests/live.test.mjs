// Changes as they happen, with the real server, and with one that answers as the test wants.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mock, test } from "node:test";
import { ApiError, isProblem, Sundial, TransportError } from "sundial-client";
import { problem, REAL_CLOCK, script, TEST_CLOCK, waitUntil, withServer } from "./support.mjs";

const ADA = { firstName: "Ada", lastName: "Li", dateOfBirth: "1992-02-29", timezone: "Europe/Paris" };

/** Keeps the messages of a live stream until it, or the test, ends. */
function following(test, client, query, options = {}) {
  const messages = [];
  const control = new AbortController();
  test.after(() => control.abort());
  const run = async () => {
    for await (const message of client.system.live(query, { ...options, signal: control.signal })) messages.push(message);
  };
  const ended = run();
  ended.catch(() => undefined); // for the test that expects an error, and awaits it later
  /** The messages of a type, once there are so many. */
  const wait = async (type, count = 1) => {
    const found = () => messages.filter((one) => one.type === type);
    await waitUntil(() => found().length >= count, type);
    return found();
  };
  return { messages, ended, wait, stop: () => control.abort() };
}

test("each change comes once and in order, over a restart", (t) => withServer(REAL_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  const live = following(t, client, { topics: ["users", "endpoints"] });
  await live.wait("opened");
  const made = [];
  for (const _ of [0, 1, 2]) made.push((await client.users.create(ADA)).id);
  await client.endpoints.create({ externalId: "desk", name: "Desk", type: "PULL" });
  await live.wait("endpoints.created");
  await server.kill();
  await live.wait("closed");
  await server.restart();
  made.push((await client.users.create(ADA)).id);
  await live.wait("opened", 2);
  await client.users.delete(made[0]);
  await live.wait("users.deleted");
  live.stop();
  await live.ended;
  const changes = live.messages.filter((one) => one.type !== "opened" && one.type !== "closed");
  assert.deepEqual(changes.map((one) => one.type), [
    "users.created", "users.created", "users.created", "endpoints.created", "users.created", "users.deleted",
  ]);
  assert.deepEqual(changes.filter((one) => one.type.startsWith("users")).map((one) => one.data.id), [...made, made[0]]);
  const positions = changes.map((one) => one.position);
  assert.ok(positions.every((one, index) => index === 0 || one > positions[index - 1]), `${positions}`);
  assert.ok(changes[0].data.fields.includes("timezone"));
  assert.equal(changes[0].data.version, 1);
}));

test("it continues after a position, or is reset", (t) => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  const first = following(t, client, { topics: "users" });
  await first.wait("opened");
  const made = [(await client.users.create(ADA)).id, (await client.users.create(ADA)).id];
  const [{ position }] = await first.wait("users.created", 2);
  const second = following(t, client, { topics: "users" }, { after: position });
  assert.deepEqual((await second.wait("users.created")).map((one) => one.data.id), made.slice(1));
  const third = following(t, client, { topics: "users" }, { after: 1_000_000 });
  const [reset] = await third.wait("reset");
  assert.ok(reset.position > position);
  for (const one of [first, second, third]) {
    one.stop();
    await one.ended;
  }
}));

test("the topics without positions", () => withServer(REAL_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await client.endpoints.create({ externalId: "work", name: "Work", type: "PULL" });
  const found = {};
  let event;
  const query = { topics: ["stats", "events", "operations"], eventType: ["PRINT"], endpointId: "ext:work", status: "FAILED" };
  for await (const message of client.system.live(query)) {
    found[message.type] = message;
    if (message.type === "stats") {
      // The list of operations before the first one may not have been read yet.
      await client.operations.bulk({ resource: "events", action: "dismiss", filter: { status: "FAILED", eventType: ["NONE"] } });
      if (event === undefined) {
        event = await client.events.create({ eventType: "PRINT", targetTimestampUTC: "now", endpointId: "ext:work", deliveryPayload: 1 });
        const [{ version }] = (await client.endpoints.claim("ext:work", { worker: "w", wait: "PT20S" })).data;
        await client.events.fail(event.id, { version, reason: "no paper", retry: false });
      }
    }
    if (found["events.changed"] !== undefined && found["operations.changed"] !== undefined) break;
  }
  assert.ok("pending" in found.stats.data.now);
  assert.deepEqual(found["events.changed"].data, { events: [{ id: event.id, status: "FAILED", eventType: "PRINT" }], more: false });
  assert.ok(found["operations.changed"].data.operations.every((one) => one.kind === "BULK"));
  // Leaving the loop has closed the connection.
  await waitUntil(async () => (await client.system.metrics()).includes("\nsundial_live_clients 0\n"), "the server to notice");
}));

test("errors that do not pass are thrown", (t) => withServer(REAL_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  for (const [query, pointer] of [[{ topics: ["weather"] }, "?topics"], [{ topics: ["events"], endpointId: "ext:none" }, "?endpointId"]]) {
    await assert.rejects(client.system.live(query).next(), (error) => {
      assert.ok(isProblem(error, "VALIDATION_FAILED") && error.requestId !== "");
      assert.equal(error.errors[0].pointer, pointer);
      return true;
    });
  }
  const admin = new Sundial(server.url, { apiKey: (await client.apiKeys.create({ name: "admin", role: "ADMIN" })).key });
  const key = await admin.apiKeys.create({ name: "reader", role: "READ" });
  const live = following(t, new Sundial(server.url, { apiKey: key.key }), { topics: ["users", "stats"] });
  await live.wait("stats");
  await admin.apiKeys.revoke(key.id);
  await assert.rejects(live.ended, (error) => isProblem(error, "UNAUTHENTICATED"));
}));

test("a signal ends a stream that is quiet", (t) => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  const live = following(t, client, { topics: "keys" });
  await live.wait("opened");
  live.stop();
  await live.ended;
  assert.deepEqual(live.messages, [{ type: "opened" }]);
  for await (const message of client.system.live({ topics: "keys" }, { signal: AbortSignal.abort() })) assert.fail(message.type);
}));

const STREAM = { "content-type": "text/event-stream" };
const realTimeout = setTimeout;

/** The messages until the last answer, which refuses, the requests, and the waits between them in milliseconds. */
async function play(answers, options = {}) {
  const { fetch, requests } = script(...answers, problem(401, "UNAUTHENTICATED", { retryable: false }));
  const [messages, slept] = [[], []];
  mock.method(globalThis, "setTimeout", (work, milliseconds) => {
    if (milliseconds === 30_000) return realTimeout(work, milliseconds); // of a try
    if (milliseconds === 45_000) return realTimeout(work, milliseconds); // of silence
    slept.push(milliseconds);
    return realTimeout(work, 0);
  });
  try {
    const live = async () => {
      for await (const one of new Sundial("http://server.invalid", { fetch }).system.live({ topics: ["users", "instances"] }, options)) messages.push(one);
    };
    await assert.rejects(live(), (error) => isProblem(error, "UNAUTHENTICATED"));
  } finally {
    mock.restoreAll();
  }
  return { messages, requests, slept };
}

/** The body of an answer that comes in pieces. */
function body(pieces) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

test("it opens again after the last complete change", async () => {
  const change = 'event: users.created\ndata: {"id":"a","version":1,"fields":["firstName"]}\n\n';
  const { messages, requests, slept } = await play([
    problem(503, "OVERLOADED", { headers: { "retry-after": "5" } }),
    [200, STREAM, "id: 7\n\n: still here\n\n"],
    [200, STREAM, `id: 8\n${change}id: 9\nevent: users.created\ndata: {"id":"b"`],
  ]);
  assert.deepEqual(messages.map((one) => one.type), ["closed", "opened", "closed", "opened", "users.created", "closed"]);
  assert.deepEqual([messages[0].error.code, messages[2].error], ["OVERLOADED", undefined]);
  assert.deepEqual(messages[4], { type: "users.created", position: 8, data: { id: "a", version: 1, fields: ["firstName"] } });
  assert.deepEqual(requests.map((one) => one.headers["last-event-id"]), [undefined, undefined, "7", "8"]);
  assert.deepEqual(new Set(requests.map((one) => one.url)), new Set(["http://server.invalid/v1/live?topics=users%2Cinstances"]));
  assert.match(requests[0].headers.accept, /text\/event-stream/);
  assert.ok(slept[0] >= 5000 && slept[0] <= 5200 && slept[1] < slept[2], `${slept}`);
});

test("messages in any pieces, with any ends of lines, and types that are not known", async () => {
  const text = "\r\nevent:instances.changed\r\ndata: {\"instances\":\rdata:[{\"id\":\"é\",\"draining\":true}]}\r\r"
    + "event: weather\ndata: {}\n\nid: 4\nevent: reset\ndata: {}\n\nretry: 10\ndata: no type\n\n";
  const wanted = [{ type: "instances.changed", data: { instances: [{ id: "é", draining: true }] } }, { type: "reset", position: 4 }];
  const bytes = new TextEncoder().encode(text);
  for (const size of [1, 2, 7, bytes.length]) {
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.slice(index * size, (index + 1) * size));
    const { messages } = await play([[200, STREAM, body(parts)]], { after: 3 });
    assert.deepEqual(messages.slice(1, -1), wanted, `pieces of ${size}`);
  }
});

test("a broken message and a broken connection close the stream", async () => {
  const { messages } = await play([[200, STREAM, "event: stats\ndata: {\n\n"], new TypeError("fetch failed")]);
  assert.deepEqual(messages.map((one) => one.type), ["opened", "closed", "closed"]);
  assert.ok(messages.slice(1).every((one) => one.error instanceof TransportError));
  assert.match(messages[1].error.message, /not JSON/);
});

test("an answer that is no stream is an error", async () => {
  const { fetch } = script([200, { "content-type": "text/html" }, "<h1>Welcome</h1>"]);
  await assert.rejects(new Sundial("http://server.invalid", { fetch }).system.live({ topics: "users" }).next(), (error) => {
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.status, error.detail], [200, "<h1>Welcome</h1>"]);
    return true;
  });
});

test("a stream that lasted is opened again soon", async () => {
  let now = 0;
  const lasting = new ReadableStream({
    pull(controller) {
      now += 60_000;
      controller.enqueue(new TextEncoder().encode(": connected\n\n"));
      controller.close();
    },
  }, { highWaterMark: 0 }); // so that it begins when it is read
  mock.method(Math, "random", () => 1);
  mock.method(performance, "now", () => now);
  const short = [200, STREAM, ": connected\n\n"];
  assert.deepEqual((await play([short, short, [200, STREAM, lasting], short])).slept, [200, 400, 200, 400]);
});

// The last one: it uses the network, whose timers the others would count in Node 18. Those keep their times, or Node 18 fails.
test("a server that is silent is asked again", async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, STREAM);
    response.write(": connected\n\n");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  mock.method(globalThis, "setTimeout", (work, milliseconds) => realTimeout(work, milliseconds === 45_000 ? 20 : milliseconds));
  const found = [];
  try {
    for await (const message of new Sundial(`http://127.0.0.1:${server.address().port}`).system.live({ topics: "users" })) {
      if (found.push(message) === 4) break;
    }
  } finally {
    mock.restoreAll();
    server.closeAllConnections();
    server.close();
  }
  assert.deepEqual(found.map((one) => one.type), ["opened", "closed", "opened", "closed"]);
  assert.ok(found[1].error instanceof TransportError && found[1].error.requestId !== "");
  assert.match(found[1].error.message, /within 45000 ms/);
});
