// The package as a user gets it: packed, installed in another project, and used as the README says.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { HANG_GUARD, REAL_CLOCK, TEST_CLOCK, withServer } from "./support.mjs";

const run = (program, args, cwd) => execFileSync(program, args, { cwd, encoding: "utf8", timeout: HANG_GUARD });
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
  for (const name of ["dist/index.js", "dist/index.d.ts", "dist/schema.js", "src/index.ts", "README.md", "LICENSE", "package.json"]) {
    assert.ok(names.includes(name), `${name} is missing: ${names}`);
  }
  assert.deepEqual(names.filter((name) => /test|example/.test(name)), []);
  const installed = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")).packages;
  assert.deepEqual(Object.keys(installed), ["", "node_modules/sundial-client"], "the package needs no other");
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

test("the program of the README", () => withServer(TEST_CLOCK, (server) => {
  const [, program] = /^```ts\n(.*?)^```$/ms.exec(readFileSync("README.md", "utf8"));
  writeFileSync(join(project, "readme.mjs"), program.replace("http://127.0.0.1:8080", server.url));
  const lines = run(process.execPath, ["readme.mjs"], project).split("\n");
  assert.equal(lines[0], "2040-03-25T03:30:00.000+02:00");
  assert.match(lines[1], /^PRINT /);
}));
