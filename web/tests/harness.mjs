// Starts the real program, a receiver and Debian's Chromium for the tests of the console.
//
// Debian packages Chromium twice. The headless shell has the same engine without the windows of a browser: a page takes less
// than half of the processor time. A machine with only the browser runs the tests with that.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PATIENCE = 90_000; // ms: a page answers in far less, but a slow machine runs other tests too
const PAUSE = 20; // ms between two questions: asking without one takes the time of the server that is to answer
const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((program) => program && existsSync(program));

if (!CHROMIUM) {
  console.log("skipped: chromium is not installed");
  process.exit(77);
}

function firstLine(stream, wanted) {
  return new Promise((found) => {
    let text = "";
    stream.on("data", (piece) => {
      text += piece;
      const line = text.slice(0, text.lastIndexOf("\n") + 1).split("\n").find((one) => one.includes(wanted));
      if (line) found(line);
    });
  });
}

const ended = (child) => new Promise((done) => (child.exitCode !== null || child.signalCode !== null ? done() : child.once("exit", done)));

/** A private PostgreSQL, or a SQLite file, by the variable DATABASE. */
async function database(folder) {
  if (process.env.DATABASE !== "postgres") return { url: join(folder, "console.db"), stop: async () => {} };
  const helper = spawn(process.env.TEMPORARY_POSTGRES, { stdio: ["pipe", "pipe", "inherit"] });
  const url = (await firstLine(helper.stdout, "postgres")).trim();
  return { url, stop: async () => { helper.stdin.end(); await ended(helper); } };
}

const SERVE = ["serve"];
/** The demo with one person and a clock that only a request moves. */
export const TEST_CLOCK = ["dev", "--test-clock", "--users=1"];

/** The program on `listen`: a free port, unless a test starts it again. */
async function serve(folder, db, key, mode, listen = "127.0.0.1:0") {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SUNDIAL") && name !== "DATABASE_URL"));
  const child = spawn(process.env.SUNDIAL, [...mode, "--db", db, `--http.listen=${listen}`, "--log.level=info", "--delivery.allow_private=true", "--ui.inbox=true", `--security.encryption_key=${key}`],
    { env: environment, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (piece) => { log += piece; });
  const line = await Promise.race([firstLine(child.stderr, '"server.ready"'), ended(child).then(() => { throw new Error(`the program ended: ${log}`); })]);
  const found = JSON.parse(line).listen;
  return { url: `http://${found}`, listen: found, ended: () => ended(child), kill: async () => { child.kill("SIGKILL"); await ended(child); } };
}

/** A receiver whose answers a test chooses. */
export async function receiver(status) {
  const chosen = { status };
  const server = http.createServer((request, response) => request.resume().on("end", () => response.writeHead(chosen.status, { "Content-Type": "text/plain" }).end("<b>receiver</b>")));
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${server.address().port}/`, answer: (next) => { chosen.status = next; }, stop: () => { server.closeAllConnections(); server.close(); } };
}

/** Requests to the API at `url`, which have to succeed. A busy server or database refuses one for now: it is asked again when it says. */
const apiAt = (url) => async (method, path, body, headers = {}) => {
  const ask = () => fetch(url + path, { method, headers: { "Content-Type": "application/json", ...headers }, body: body && JSON.stringify(body) });
  let answer = await ask(), text = await answer.text();
  for (const end = Date.now() + PATIENCE; answer.status === 503 && /"(OVERLOADED|STORAGE_UNAVAILABLE)"/.test(text) && Date.now() < end;) {
    await sleep(1000 * (Number(answer.headers.get("Retry-After")) || 1));
    answer = await ask();
    text = await answer.text();
  }
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : undefined;
};

/** Runs a test with a server and the API, without a browser. */
export async function withServer(run, mode = SERVE) {
  const folder = mkdtempSync(join(tmpdir(), "console-"));
  const key = randomBytes(32).toString("base64");
  const stored = await database(folder);
  const running = { server: await serve(folder, stored.url, key, mode) };
  try {
    const { url } = running.server;
    await run({
      url, api: apiAt(url), server: running.server, stopDatabase: stored.stop,
      startAgain: async () => { running.server = await serve(folder, stored.url, key, mode, running.server.listen); },
    });
  } finally {
    await running.server.kill();
    await stored.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

// One for all tests of a process, with a context of its own for each page. It ends with the process.
// The order of day and month in a field for a date is that of the browser's own language.
let browser;
const theBrowser = () => (browser ??= chromium.launch({ executablePath: CHROMIUM, timeout: PATIENCE, args: ["--no-sandbox", "--disable-dev-shm-usage"], env: { ...process.env, LANGUAGE: "en_US", LC_ALL: "en_US.UTF-8" } }));

/** Runs a test with a browser too. Fails for errors of the page and for requests to other origins. */
export const withConsole = (run, mode) => withServer(async (started) => {
  const launched = await theBrowser();
  const faults = [], outside = [], pages = [];
  const newPage = async (options = {}) => {
    const page = await launched.newPage({ locale: "en-GB", timezoneId: "Asia/Tokyo", viewport: { width: 1280, height: 900 }, ...options });
    pages.push(page);
    page.setDefaultTimeout(PATIENCE);
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => { if (/Content Security Policy|Trusted/i.test(message.text())) faults.push(message.text()); });
    page.on("request", (request) => { if (!/^(data:|blob:)/.test(request.url()) && new URL(request.url()).origin !== started.url) outside.push(request.url()); });
    return page;
  };
  try {
    await run({ ...started, newPage });
    assert.deepEqual(faults, [], "errors of the page");
    assert.deepEqual(outside, [], "requests to other origins");
  } finally {
    await Promise.all(pages.map((page) => page.close()));
  }
}, mode);

/** Ends the browser. */
export const closeBrowser = async () => (await browser)?.close();

const isShown = (page) => page.waitForFunction(() => document.querySelector("main")?.dataset.place === location.hash);

/** Opens an address, and waits until its page has replaced the one before. */
export async function open(page, address) {
  await page.goto(address);
  await isShown(page);
}

/** The same for a place of the console that is already open, such as `#/events`, without loading it. */
export async function turn(page, place) {
  await page.evaluate((hash) => { location.hash = hash; }, place);
  await isShown(page);
}

/** Asks until `check` returns something true. */
export async function until(check, what) {
  for (const end = Date.now() + PATIENCE; Date.now() < end;) {
    const found = await check();
    if (found) return found;
    await sleep(PAUSE);
  }
  assert.fail(`did not happen: ${what}`);
}

export const newEvent = (more = {}) => ({ eventType: "REMINDER", targetTimestampUTC: "now+2h", deliveryPayload: { text: "x" }, ...more });

/** Presses a button for an action and confirms it. */
export async function act(page, word, { within = "main", fill } = {}) {
  await page.locator(`${within} [data-act=${word}]`).first().click();
  if (fill) await fill();
  const confirm = page.locator("dialog button[type=submit]:not([disabled])");
  await confirm.waitFor();
  const lines = await page.locator("dialog .line code").allInnerTexts();
  await confirm.click();
  await page.locator("dialog").waitFor({ state: "detached" });
  return lines;
}
