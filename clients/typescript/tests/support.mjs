// @ts-nocheck: types.test.mjs imports it, and only the calls there are checked
// Shared by the tests: the real server as a process, a receiver of webhooks, a fetch that plays a script.
import { spawn } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds; nothing here takes a tenth of it on an idle machine. */
export const HANG_GUARD = 120_000;

/** A server with a clock that stands still, inboxes, and webhooks to this machine. */
export const TEST_CLOCK = ["dev", "--test-clock", "--users=1", "--db", "x.db"];
export const REAL_CLOCK = ["serve", "--db", "x.db", "--delivery.allow_private=true"];

/** Polls: the only way to learn what another process has done. Fails, loudly, after the hang guard. */
export async function waitUntil(condition, what) {
  for (const end = Date.now() + HANG_GUARD; ; await delay(20)) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}`);
  }
}

/** A promise that the test settles. */
export function later() {
  const one = {};
  one.promise = new Promise((resolve) => (one.resolve = resolve));
  return one;
}

class Server {
  constructor(folder, command, port) {
    this.log = join(folder, `log-${Date.now()}.jsonl`);
    const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SUNDIAL") && name !== "DATABASE_URL"));
    this.process = spawn(process.env.SUNDIAL ?? "sundial", [...command, `--http.listen=127.0.0.1:${port}`, "--log.level=info"], {
      cwd: folder, env: environment, stdio: ["ignore", "ignore", openSync(this.log, "w")],
    });
    this.exited = new Promise((resolve) => this.process.on("exit", resolve).on("error", (error) => resolve((this.error = error))));
  }

  async ready() {
    const line = await waitUntil(() => {
      const lines = readFileSync(this.log, "utf8").split("\n").slice(0, -1);
      if (this.error) throw this.error;
      if (this.process.exitCode !== null) throw new Error(`ended with ${this.process.exitCode}:\n${lines.join("\n")}`);
      return lines.find((one) => one.includes('"server.ready"'));
    }, "server.ready");
    this.port = Number(/:(\d+)$/.exec(JSON.parse(line).listen)[1]);
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }

  async kill() {
    if (!this.error && this.process.exitCode === null && this.process.signalCode === null) this.process.kill("SIGKILL");
    await this.exited;
  }
}

/** Runs `body` with a server; `restart` kills it and starts it again on its port. */
export async function withServer(command, body) {
  const folder = mkdtempSync(join(tmpdir(), "sundial-client-"));
  const all = [];
  const start = async (port) => {
    all.push(new Server(folder, command, port));
    return all.at(-1).ready();
  };
  try {
    const server = await start(0);
    server.restart = async () => {
      await server.kill();
      return start(server.port);
    };
    await body(server);
  } finally {
    for (const one of all) await one.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A receiver of webhooks that answers 204 and keeps what it got. */
export async function withReceiver(body) {
  const received = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await body({ url: `http://127.0.0.1:${server.address().port}/hook`, received });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** A fetch that gives the answers of a list, one for each request. An Error breaks the connection. */
export function script(...answers) {
  const requests = [];
  const play = async (url, init) => {
    requests.push({ url, ...init });
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`no answer is left for ${url}`);
    if (answer instanceof Error) throw answer;
    const [status, headers, text] = answer;
    return new Response(status === 204 || status === 304 ? null : text, { status, headers: { "content-type": "application/json", ...headers } });
  };
  return { fetch: play, requests };
}

/** An answer for a script. */
export function problem(status, code, { retryable = true, headers = {}, ...members } = {}) {
  return [status, { "content-type": "application/problem+json", ...headers }, JSON.stringify({
    type: `/docs/errors/${code}`, title: code, status, code, retryable, detail: "no", instance: "/", correlationId: "req-1", ...members,
  })];
}
