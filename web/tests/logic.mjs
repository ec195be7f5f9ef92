// Bundles and runs the tests of the rules. usage: node logic.mjs WEB ESBUILD
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

const [, , web, esbuild] = process.argv;
execFileSync(esbuild, [resolve(web, "tests/logic.test.ts"), "--bundle", "--platform=node", "--format=esm", "--outfile=logic.test.mjs", "--log-level=warning"], { stdio: "inherit" });
execFileSync(process.execPath, ["--test", "logic.test.mjs"], { stdio: "inherit" });
