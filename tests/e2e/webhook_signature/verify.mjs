// Reads one {"secret", "headers", "body"} from standard input and verifies it as any receiver would.
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, headers, body } = JSON.parse(readFileSync(0, "utf8"));
const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
new Webhook(secret).verify(body, lower);
let forged = false;
try {
  new Webhook(secret).verify(body + " ", lower);
  forged = true;
} catch {}
if (forged) throw new Error("a changed body passed too: the check proves nothing");
console.log("verified");
