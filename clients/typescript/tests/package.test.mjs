// The package as a user gets it: packed, installed in another project, and used as the README says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Sundial } from "sundial-client";
import { HANG_GUARD, REAL_CLOCK, TEST_CLOCK, withServer } from "./support.mjs";

const run = (program, args, cwd) => {
  try {
    return execFileSync(program, args, { cwd, encoding: "utf8", timeout: HANG_GUARD, stdio: "pipe" });
  } catch (error) {
    throw new Error(`${args[0]}: ${error.message}\n${error.stdout}`); // tsc names its findings there
  }
};
let project, packed;

before(() => {
  project = mkdtempSync(join(tmpdir(), "sundial-package-"));
  // Without its scripts: the package is built already.
  [packed] = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], "."));
  writeFileSync(join(project, "package.json"), '{"private":true,"type":"module"}');
  run("npm", ["install", "--offline", "--silent", "--no-audit", "--no-fund", join(project, packed.filename)], project);
});

after(() => rmSync(project, { recursive: true, force: true }));

test("contents", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  assert.equal(packed.filename, `sundial-client-${version}.tgz`);
  const names = packed.files.map((file) => file.path);
  for (const name of ["dist/index.js", "dist/index.d.ts", "dist/schema.js", "src/index.ts", "README.md", "CHANGELOG.md", "LICENSE", "package.json"]) {
    assert.ok(names.includes(name), `${name} is missing: ${names}`);
  }
  assert.deepEqual(names.filter((name) => /test|example/.test(name)), []);
  const installed = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")).packages;
  assert.deepEqual(Object.keys(installed), ["", "node_modules/sundial-client"], "the package needs no other");
});

test("a bundler for browsers finds the types, and CommonJS the package", { timeout: HANG_GUARD }, () => {
  writeFileSync(join(project, "page.ts"), `import { Sundial, type LiveMessage } from "sundial-client";
export const live = (url: string): AsyncIterable<LiveMessage> => new Sundial(url).system.live({ topics: "users" });
// @ts-expect-error
new Sundial(1);
`);
  run(process.execPath, [join(process.cwd(), "node_modules/typescript/bin/tsc"), "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom",
    "--module", "esnext", "--moduleResolution", "bundler", "page.ts"], project);
  const load = process.features.require_module ? 'require("sundial-client")' : 'await import("sundial-client")';
  writeFileSync(join(project, "main.cjs"), `(async () => console.log(typeof (${load}).Sundial))();`);
  assert.match(run(process.execPath, ["--no-warnings", "main.cjs"], project), /^function$/m);
});

test("the example", () => withServer(REAL_CLOCK, (server) => {
  cpSync("examples/five_minutes.mjs", join(project, "five_minutes.mjs"));
  const lines = run(process.execPath, ["five_minutes.mjs", server.url], project).trimEnd().split("\n");
  assert.equal(lines[0], "planned: 2040-03-25T03:30:00.000+02:00 Europe/Paris");
  assert.match(lines[1], /^webhook: REMINDER \{"text":"Renew today"\} for \d{4}-.*\[Europe\/Paris\]$/);
  assert.deepEqual(lines.slice(2, 5).sort(), [1, 2, 3].map((page) => `page ${page}, attempt 1`));
  assert.match(lines[5], /^VALIDATION_FAILED/);
  assert.deepEqual(lines.slice(-3), Array(3).fill("PRINT COMPLETED"));
}));

// The parts that the programs of the README leave to the reader. The worker and the feed end after their first event.
const beforeReadme = `
import { createHmac } from "node:crypto";
import type { RecordedEvent } from "sundial-client";

const view = new AbortController();
const closing = view.signal;
const show = (users: readonly unknown[]) => {
  console.log("shown", users.length > 0);
  view.abort();
};
const refresh = async (_: string) => undefined;
const position = 0;
const control = new AbortController();
const { signal } = control;
const database = { transaction: (work: (tx: string) => Promise<void>) => work("tx") };
const apply = async (_: string, events: readonly RecordedEvent[]) => console.log("applied", events.length);
const save = async (_tx: string, _position: number) => control.abort();
const handled = new Set<string>();
const handledBefore = async (id: string) => handled.size === handled.add(id).size;
const handle = async (type: string, payload: unknown) => console.log("handled", type, JSON.stringify(payload));
const log = console.log;
console.log = (...values: unknown[]) => {
  log(...values);
  if (values[0] === "page") process.kill(process.pid, "SIGTERM");
};
`;
const afterReadme = `
// The README shows keys that end in an ellipsis.
const receive = (secret: Buffer) => {
  const [body, at] = [new TextEncoder().encode('{"n":1}'), String(Math.floor(Date.now() / 1000))];
  const signature = createHmac("sha256", secret).update("key-1." + at + ".").update(body).digest("base64");
  return onRequest(new Headers({
    "webhook-id": "key-1", "webhook-timestamp": at, "webhook-signature": "v1," + signature, "sundial-event-type": "REMINDER",
  }), body);
};
const own = Buffer.from("of the test, which has 24 bytes or more");
console.log(await receive(own), await receive(own), await receive(Buffer.from("another one")));
`;

test("the programs of the README, one after the other", () => withServer(TEST_CLOCK, async (server) => {
  const client = new Sundial(server.url);
  await client.streams.append("Order", "17", { events: [{ eventType: "Placed", data: {} }] });
  const programs = [...readFileSync("README.md", "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, program]) => program);
  assert.equal(programs.length, 7);
  const own = `whsec_${Buffer.from("of the test, which has 24 bytes or more").toString("base64")}`;
  const text = [beforeReadme, ...programs, afterReadme].join("\n")
    .replace("http://127.0.0.1:8080", server.url).replace('"whsec_…"', `"${own}"`).replace(', "whsec_of_the_rotation…"', "");
  writeFileSync(join(project, "readme.mts"), text);
  // A project for Node, without the library of browsers.
  const types = join(process.cwd(), "node_modules/@types");
  run(process.execPath, [join(process.cwd(), "node_modules/typescript/bin/tsc"), "--strict", "--target", "es2022", "--lib", "es2022", "--module", "nodenext",
    "--typeRoots", types, "--types", "node", "readme.mts"], project);
  const lines = run(process.execPath, ["readme.mjs"], project).trimEnd().split("\n");
  assert.equal(lines[0], "2040-03-25T03:30:00.000+02:00");
  const events = lines.slice(1, lines.indexOf("whsec_")).map((line) => line.split(" ")[0]);
  assert.ok(events.includes("PRINT"), `${events}`);
  assert.equal(lines.filter((line) => line.includes("T02:30:00.000")).length, 3, "the preview");
  const [, ...rest] = lines.slice(events.length + 2).filter((line) => !/^\s|^\]/.test(line));
  assert.deepEqual(rest.slice(0, 5), ["0", "COMPLETED 0", "page 7", "shown true", "applied 1"]);
  assert.match(rest[5], /^OPTIMISTIC_LOCK \d+$/);
  assert.deepEqual(rest.slice(6), ['handled REMINDER {"n":1}', "204 204 401"]);
}));
