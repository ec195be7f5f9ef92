// Builds the package in the current folder from the sources in another one, with the packages that are installed here.
// The tests do it below the build, so that the source tree stays clean; in the source tree `npm run build` does it.
//
// usage: node build.mjs SOURCE
import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";

const source = process.argv[2];
for (const name of ["dist", "src", "tests", "examples"]) rmSync(name, { recursive: true, force: true });
for (const name of ["src", "tests", "examples", "README.md", "CHANGELOG.md", "LICENSE", "tsconfig.json", "tsconfig.examples.json"]) {
  cpSync(join(source, name), name, { recursive: true });
}
for (const project of ["tsconfig.json", "tsconfig.examples.json"]) {
  execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", project], { stdio: "inherit" });
}
console.log("built");
