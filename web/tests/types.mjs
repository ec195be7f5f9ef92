// Checks the console's types with the compiler from npm. usage: node types.mjs WEB LIBRARIES
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

const [, , web, libraries] = process.argv;
writeFileSync("tsconfig.check.json", JSON.stringify({
  extends: resolve(web, "tsconfig.json"),
  compilerOptions: { paths: { "*": [resolve(libraries, "node_modules/*")] } },
  include: [resolve(web, "src")],
}));
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.check.json"], { stdio: "inherit" });
