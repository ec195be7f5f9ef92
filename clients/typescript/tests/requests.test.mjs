// Requests, retries, idempotency keys, errors and pages, with answers as the test wants them.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { mock, test } from "node:test";
import { ApiError, isProblem, Stopped, Sundial, SundialError, TransportError } from "sundial-client";
import { problem, script } from "./support.mjs";

const OK = [200, {}, "{}"];
const BROKEN = new TypeError("fetch failed");

const realTimeout = setTimeout;

/** A client whose waits take no time; `slept` has them, in milliseconds. */
function play(answers, options = {}) {
  const played = script(...answers);
  const slept = [];
  mock.restoreAll();
  mock.method(globalThis, "setTimeout", (work, milliseconds) => {
    if (milliseconds === (options.timeout ?? 30_000)) return realTimeout(work, milliseconds); // of a try: not a wait
    slept.push(milliseconds);
    return realTimeout(work, 0);
  });
  return { client: new Sundial("http://server.invalid", { fetch: played.fetch, ...options }), requests: played.requests, slept };
}

async function caught(promise) {
  const error = await promise.then(() => undefined, (one) => one);
  assert.ok(error instanceof SundialError, `${error}`);
  return error;
}

test("a change is repeated with the same key", async () => {
  const { client, requests, slept } = play([BROKEN, problem(503, "STORAGE_UNAVAILABLE"), problem(500, "INTERNAL_ERROR"), [201, {}, '{"id":"e"}']]);
  assert.deepEqual(await client.events.create({ eventType: "X", deliveryPayload: {} }), { id: "e" });
  assert.equal(requests.length, 4);
  assert.equal(new Set(requests.map((one) => one.headers["idempotency-key"])).size, 1);
  assert.equal(new Set(requests.map((one) => one.body)).size, 1);
  assert.match(requests[0].headers["idempotency-key"], /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(slept.length, 3);
});

test("each call has a key of its own unless the caller gives one", async () => {
  const { client, requests } = play([OK, OK, OK]);
  await client.users.patch("u", { firstName: "A" });
  await client.users.patch("u", { firstName: "A" });
  await client.users.patch("u", { firstName: "A" }, { idempotencyKey: "mine" });
  const [first, second, third] = requests.map((one) => one.headers["idempotency-key"]);
  assert.notEqual(first, second);
  assert.equal(third, "mine");
});

test("reads and reports of workers have no key and are repeated", async () => {
  const { client, requests } = play([BROKEN, OK, BROKEN, OK]);
  await client.events.get("e");
  await client.events.complete("e", 2);
  assert.equal(requests.length, 4);
  assert.ok(requests.every((one) => one.headers["idempotency-key"] === undefined));
});

test("retries are bounded", async () => {
  const { client, requests } = play([problem(503, "NOT_READY"), problem(503, "NOT_READY"), problem(503, "NOT_READY")], { maxRetries: 2 });
  assert.equal((await caught(client.events.get("e"))).code, "NOT_READY");
  assert.equal(requests.length, 3);
});

test("Retry-After is a lower bound, as a number and as a date", async () => {
  const asked = Date.now();
  const date = new Date(asked + 40_000).toUTCString();
  const { client, slept } = play([problem(429, "RATE_LIMITED", { headers: { "retry-after": "7" } }),
    problem(503, "OVERLOADED", { headers: { "retry-after": date } }), OK], { timeout: 60_000 });
  await client.events.get("e");
  assert.ok(slept[0] >= 7000 && slept[0] <= 8000, `${slept}`);
  // A date has whole seconds, and is the nearer the longer the requests took.
  assert.ok(slept[1] >= 39_000 - (Date.now() - asked) && slept[1] <= 41_000, `${slept}`);
});

test("a longer Retry-After is left to the caller", async () => {
  const { client, requests } = play([problem(503, "NOT_READY", { headers: { "retry-after": "3600" } })]);
  assert.equal((await caught(client.events.get("e"))).retryAfter, 3_600_000);
  assert.equal(requests.length, 1);
});

test("refusals are not repeated", async () => {
  for (const [status, code] of [[400, "VALIDATION_FAILED"], [404, "EVENT_NOT_FOUND"], [409, "LEASE_LOST"], [422, "IDEMPOTENCY_KEY_REUSED"]]) {
    const { client, requests } = play([problem(status, code, { retryable: false })]);
    const error = await caught(client.events.retry("e"));
    assert.ok(isProblem(error, code) && error.is(code));
    assert.equal(requests.length, 1);
  }
  const { client, requests } = play([problem(409, "LOCK_HELD", { holder: "other", headers: { "retry-after": "1" } })]);
  assert.equal((await caught(client.locks.acquire("l", { holder: "me" }))).problem.holder, "other");
  assert.equal(requests.length, 1);
});

test("a request whose key is in progress is repeated", async () => {
  const { client, requests } = play([problem(409, "IDEMPOTENCY_IN_PROGRESS", { headers: { "retry-after": "1" } }), OK]);
  await client.events.retry("e");
  assert.equal(requests.length, 2);
});

test("a server that cannot keep secrets gets the request without a key, and once", async () => {
  const refused = problem(400, "VALIDATION_FAILED", {
    retryable: false, errors: [{ pointer: "Idempotency-Key", code: "not_allowed", message: "the response contains a secret" }],
  });
  const good = play([refused, [201, {}, '{"key":"k"}']]);
  assert.deepEqual(await good.client.apiKeys.create({ name: "n" }), { key: "k" });
  assert.equal(good.requests[1].headers["idempotency-key"], undefined);
  // Whether the second request had an effect is not known, so it is not sent a third time.
  const broken = play([refused, BROKEN]);
  assert.ok((await caught(broken.client.apiKeys.create({ name: "n" }))) instanceof TransportError);
  assert.equal(broken.requests.length, 2);
  // A key of the caller's own is never dropped.
  const own = play([refused]);
  assert.ok((await caught(own.client.apiKeys.create({ name: "n" }, { idempotencyKey: "mine" }))) instanceof ApiError);
});

test("errors have the members of the problem", async () => {
  const { client } = play([problem(400, "VALIDATION_FAILED", {
    retryable: false, errors: [{ pointer: "/timezone", code: "unknown_zone", message: "'Mars/Base' is not an IANA zone" }],
  })]);
  const error = await caught(client.users.get("u"));
  assert.deepEqual([error.status, error.code, error.retryable, error.requestId], [400, "VALIDATION_FAILED", false, "req-1"]);
  assert.equal(error.errors[0].pointer, "/timezone");
  assert.match(error.message, /Mars\/Base/);
});

test("errors name the request in the server's log", async () => {
  const bare = [503, { "content-type": "application/problem+json", "retry-after": "1" }, '{"code":"NOT_READY","retryable":true}'];
  const first = play([BROKEN, bare, bare], { maxRetries: 2 });
  const error = await caught(first.client.events.get("e"));
  const sent = new Set(first.requests.map((one) => one.headers["x-request-id"]));
  assert.deepEqual([...sent], [error.requestId]);
  const second = play([BROKEN, [200, {}, "<html>"]], { maxRetries: 0 });
  const ids = [];
  for (const number of [0, 1]) {
    const lost = await caught(second.client.events.get("e"));
    assert.deepEqual([lost instanceof TransportError, lost.code, lost.retryable], [true, undefined, true]);
    assert.equal(lost.requestId, second.requests[number].headers["x-request-id"]);
    ids.push(lost.requestId);
  }
  assert.notEqual(ids[0], ids[1]);
});

test("an answer that is not the server's is an error too", async () => {
  const html = { "content-type": "text/html" };
  const first = play([[502, html, "<h1>Bad gateway</h1>"], OK]);
  await first.client.events.get("e");
  assert.equal(first.requests.length, 2);
  const error = await caught(play([[404, html, "<h1>No such page</h1>"]]).client.events.get("e"));
  assert.equal(error.code, undefined);
  assert.deepEqual(error.problem, {});
  assert.equal(error.message, "HTTP (404): <h1>No such page</h1>");
  assert.ok((await caught(play([[200, {}, "<html>"]]).client.events.get("e"))) instanceof TransportError);
});

test("redirects are not followed", async () => {
  const { client, requests } = play([[302, { location: "http://example.invalid/" }, ""]], { apiKey: "secret" });
  assert.ok((await caught(client.events.get("e"))) instanceof ApiError);
  assert.equal(requests[0].redirect, "manual");
});

test("targets are encoded", async () => {
  const { client, requests } = play([OK, [200, {}, '{"data":[],"hasMore":false,"nextCursor":null}'], OK]);
  await client.users.get("ext:a/b ü?");
  await client.events.list({ status: ["FAILED", "COMPLETED"], dismissed: false, targetFrom: "2027-01-05T09:00:00+01:00" }).first();
  await client.locks.get("every day");
  assert.deepEqual(requests.map((one) => one.url.replace("http://server.invalid", "")), [
    "/v1/users/ext:a%2Fb%20%C3%BC%3F",
    "/v1/events?status=FAILED%2CCOMPLETED&dismissed=false&targetFrom=2027-01-05T09%3A00%3A00%2B01%3A00",
    "/v1/locks/every%20day",
  ]);
  for (const bad of ["", ".", ".."]) await assert.rejects(client.users.get(bad), TypeError);
});

test("headers of a request", async () => {
  const { client, requests } = play([OK, OK, [304, {}, ""]], { apiKey: "sundial_sk_x" });
  await client.users.patch("u", { firstName: "Zoë" }, { ifMatch: 3 });
  await client.users.get("u");
  assert.equal(await client.users.getIfChanged("u", 3), undefined);
  const [patch, get, again] = requests.map((one) => one.headers);
  assert.deepEqual([patch.authorization, patch["if-match"], patch["content-type"]], ["Bearer sundial_sk_x", '"3"', "application/json"]);
  assert.equal(get["content-type"], undefined);
  assert.equal(again["if-none-match"], '"3"');
  assert.match(get["user-agent"], /^sundial-client-typescript\/\d+\.\d+\.\d+$/);
});

test("a list goes on over empty pages to its end", async () => {
  const page = (data, cursor) => [200, {}, JSON.stringify({ data, hasMore: cursor !== null, nextCursor: cursor })];
  const { client, requests } = play([page([1, 2], "a"), page([], "b"), page([3], null)]);
  assert.deepEqual(await client.events.list({ limit: 2 }).all(), [1, 2, 3]);
  assert.deepEqual(requests.map((one) => one.url.split("?")[1]), ["limit=2", "limit=2&cursor=a", "limit=2&cursor=b"]);
  await caught(play([page([1], "a"), page([2], "a")]).client.events.list().all());
});

test("a URL must be one of a server, and a path before the routes is kept", async () => {
  for (const bad of ["127.0.0.1:8080", "ftp://x", "http://", "http://user@x", "http://x?q=1"]) assert.throws(() => new Sundial(bad), TypeError);
  const played = script(OK);
  await new Sundial("http://x/sundial/", { fetch: played.fetch }).system.info();
  assert.equal(played.requests[0].url, "http://x/sundial/v1/info");
});

// The last one: it uses the network, and the clock of the platform, which the others replace.
test("a silent server is left after the timeout, and a signal ends the request that waits", async () => {
  mock.restoreAll();
  const sockets = [];
  let asked;
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => undefined));
    socket.once("data", () => asked?.());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new Sundial(`http://127.0.0.1:${server.address().port}`);
  try {
    assert.match((await caught(client.events.get("e", { timeout: 50, maxRetries: 0 }))).message, /no answer within 50 ms/);
    const control = new AbortController();
    const begun = new Promise((resolve) => (asked = resolve));
    const waiting = caught(client.streams.feed({ wait: "PT60S" }, { signal: control.signal }));
    await begun;
    control.abort();
    assert.ok((await waiting) instanceof Stopped);
    assert.ok((await caught(client.streams.feed({}, { signal: control.signal }))) instanceof Stopped);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});
