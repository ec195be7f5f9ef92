// The console in Debian's Chromium, against the real program on SQLite. usage: node browser.mjs TEST
// Exit code 77: no Chromium.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const BUDGET = 150 * 1024; // bytes, compressed, of everything that the console loads
const MARKUP = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';

if (!existsSync(CHROMIUM)) {
  console.log("skipped: chromium is not installed");
  process.exit(77);
}

/** The program on a free port. */
async function serve(folder) {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SUNDIAL") && name !== "DATABASE_URL"));
  const process_ = spawn(process.env.SUNDIAL, ["serve", "--db", join(folder, "console.db"), "--http.listen=127.0.0.1:0", "--log.level=info", "--delivery.allow_private=true",
      `--security.encryption_key=${randomBytes(32).toString("base64")}`],
    { env: environment, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  const listen = await new Promise((found, failed) => {
    process_.stderr.on("data", (piece) => {
      log += piece;
      const line = log.split("\n").find((one) => one.includes('"server.ready"'));
      if (line) found(JSON.parse(line).listen);
    });
    process_.on("exit", () => failed(new Error(log)));
  });
  return { url: `http://${listen}`, stop: () => process_.kill("SIGKILL") };
}

/** A receiver that answers every delivery with `status`. */
async function receiver(status) {
  const server = http.createServer((request, response) => request.resume().on("end", () => response.writeHead(status).end()));
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/`, stop: () => server.close() };
}

async function withConsole(run) {
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  const server = await serve(folder);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  try {
    const page = await browser.newPage({ locale: "en-GB", timezoneId: "Asia/Tokyo", viewport: { width: 1280, height: 900 } });
    const faults = [], outside = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => { if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text()); });
    page.on("request", (request) => { if (!/^(data:|blob:)/.test(request.url()) && new URL(request.url()).origin !== server.url) outside.push(request.url()); });
    const api = async (method, path, body) => {
      const answer = await fetch(server.url + path, { method, headers: { "Content-Type": "application/json" }, body: body && JSON.stringify(body) });
      const text = await answer.text();
      assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
      return text ? JSON.parse(text) : undefined;
    };
    await run({ page, api, url: server.url });
    assert.deepEqual(faults, [], "errors of the page");
    assert.deepEqual(outside, [], "requests to other origins");
  } finally {
    await browser.close();
    server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const newEvent = (more = {}) => ({ eventType: "REMINDER", targetTimestampUTC: "now+2h", deliveryPayload: { text: "x" }, ...more });
const confirm = (page) => page.locator("dialog button[type=submit]").click();

const TESTS = {
  files: () => withConsole(async ({ url }) => {
    const index = await fetch(`${url}/ui/`);
    const html = await index.text();
    const policy = index.headers.get("content-security-policy");
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(html, /<script>|<style|style=|\son\w+=/);
    let total = gzipSync(html).length;
    for (const [path] of html.matchAll(/\/ui\/[0-9a-f]+\/app\.(?:js|css)/g)) {
      const small = await fetch(url + path, { headers: { "Accept-Encoding": "gzip" } });
      assert.equal(small.headers.get("content-encoding"), "gzip");
      assert.match(small.headers.get("cache-control"), /immutable/);
      total += Number(small.headers.get("content-length"));
      const etag = small.headers.get("etag");
      assert.equal((await fetch(url + path, { headers: { "Accept-Encoding": "gzip", "If-None-Match": etag } })).status, 304);
      const plain = await fetch(url + path, { headers: { "Accept-Encoding": "identity" } });
      assert.equal(plain.headers.get("content-encoding"), null);
      assert.equal(await plain.text(), await small.text());
      assert.equal((await fetch(url + path.replace(/ui\/[0-9a-f]/, "ui/x"))).status, 404);
    }
    assert.ok(total > 5000 && total <= BUDGET, `${total} bytes`);
    console.log(`${total} bytes compressed`);
    const browser = await fetch(url, { redirect: "manual", headers: { Accept: "text/html,*/*" } });
    assert.deepEqual([browser.status, browser.headers.get("location")], [303, "/ui/"]);
    assert.equal((await fetch(url, { redirect: "manual" })).status, 200);
  }),

  overview: () => withConsole(async ({ page, api, url }) => {
    await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now+30m", eventType: "SOON" }));
    await page.goto(url);
    assert.equal(new URL(page.url()).pathname, "/ui/");
    await page.locator("text=SOON").waitFor();
    await page.locator("[data-figure=pendingHour] strong", { hasText: /^1$/ }).waitFor();
    await page.locator("[data-figure=pendingHour]").click();
    await page.locator("tr[data-id]").waitFor();
    assert.equal(await page.locator("tr[data-id]").count(), 1);
  }),

  events: () => withConsole(async ({ page, api, url }) => {
    const ids = [];
    for (const type of ["A", "A", "B"]) ids.push((await api("POST", "/v1/events", newEvent({ eventType: type }))).id);
    await page.goto(`${url}/ui/#/events`);
    await page.locator("tr[data-id]").nth(2).waitFor();
    await page.fill("input[name=eventType]", "A");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("tr[data-id]").length === 2);
    assert.match(page.url(), /eventType=A/);
    await page.locator("button", { hasText: /^Cancel$/ }).click();
    await page.locator("dialog [data-count='2']").waitFor();
    assert.match(await page.locator("dialog").innerText(), /curl .*\/v1\/bulk/);
    await confirm(page);
    await page.locator(".notice").waitFor();
    await page.waitForFunction(() => document.querySelectorAll("tr[data-id] [data-state=CANCELLED]").length === 2);
    const states = await Promise.all(ids.map(async (id) => (await api("GET", `/v1/events/${id}`)).status));
    assert.deepEqual(states, ["CANCELLED", "CANCELLED", "PENDING"]);
  }),

  event: () => withConsole(async ({ page, api, url }) => {
    const failing = await receiver(400);
    const endpoint = await api("POST", "/v1/endpoints", { name: "r", type: "WEBHOOK", url: failing.url });
    const event = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: undefined, targetTimestampLocal: "2030-03-31T02:30", targetTimezone: "Europe/Berlin",
      endpointId: endpoint.id, deliveryPayload: { text: MARKUP } }));
    await page.goto(`${url}/ui/#/events/${event.id}`);
    // The payload is shown as text, and nothing in it ran.
    await page.locator("pre.payload").waitFor();
    assert.ok((await page.locator("pre.payload").innerText()).includes("<img src=x"));
    assert.equal(await page.locator("main img, main script, main b").count(), 0);
    for (const step of ["rule", "local", "zone", "utc", "now"]) await page.locator(`[data-step=${step}]`).waitFor();
    await page.locator("button", { hasText: "Reschedule" }).click();
    await page.fill("dialog input", "2030-04-01T10:30:15");
    assert.match(await page.locator("dialog").innerText(), /sundial event reschedule .* --at 2030-04-01T10:30:15 --timezone Europe\/Berlin/);
    await confirm(page);
    await page.locator(".notice").waitFor();
    assert.equal((await api("GET", `/v1/events/${event.id}`)).targetTimestampUTC, "2030-04-01T08:30:15.000Z");
    await page.locator("button", { hasText: "Send now" }).click();
    await confirm(page);
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.locator("h1 [data-state=FAILED]").waitFor();
    await page.locator("[data-attempt='1']").waitFor();
    await page.locator("button", { hasText: "Retry now" }).click();
    await confirm(page);
    await page.waitForFunction((id) => !location.hash.includes(id), event.id); // a retry is a new event
    const retried = decodeURIComponent(new URL(page.url()).hash.split("/").pop());
    assert.equal((await api("GET", `/v1/events/${retried}`)).retryOf, event.id);
    assert.notEqual(await page.title(), "owned");
    failing.stop();
  }),

  display: () => withConsole(async ({ page, api, url }) => {
    const event = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: undefined, targetTimestampLocal: "2030-07-01T09:00", targetTimezone: "Europe/Berlin" }));
    await page.goto(`${url}/ui/#/events/${event.id}`);
    const due = page.locator("dd time > bdi").first();
    await due.waitFor();
    assert.match(await due.innerText(), /09:00:00 \+02:00$/);
    await page.locator(".display select").nth(0).selectOption("viewer");
    assert.match(await due.innerText(), /16:00:00 \+09:00$/);
    await page.locator(".display select").nth(2).selectOption("ar");
    assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
    await page.reload();
    assert.equal(await page.locator("html").getAttribute("dir"), "rtl");
    await due.waitFor();
    assert.match(await due.innerText(), /16:00:00 \+09:00$/);
    await page.locator("body").press("?");
    await page.locator("dialog kbd").first().waitFor();
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 360, height: 800 });
    for (const place of ["overview", "events", `events/${event.id}`]) {
      await page.goto(`${url}/ui/#/${place}`);
      await page.locator("main h1").waitFor();
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360), `${place} is wider than 360 px`);
    }
  }),

  key: () => withConsole(async ({ page, api, url }) => {
    const { key } = await api("POST", "/v1/api-keys", { name: "k", role: "ADMIN" });
    await page.goto(`${url}/ui/`);
    await page.fill("input[name=key]", key);
    await page.keyboard.press("Enter");
    await page.locator("[data-figure=deadLetters]").waitFor();
    const stored = await page.evaluate(() => [JSON.stringify(localStorage), document.cookie, location.href].join());
    assert.ok(!stored.includes(key), "the key is kept outside the tab");
  }),
};

const test = TESTS[process.argv[2]];
if (!test) throw new Error(`choose one of ${Object.keys(TESTS).join(", ")}`);
await test();
