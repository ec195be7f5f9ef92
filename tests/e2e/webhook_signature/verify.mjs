// Reads one {"secret", "publicKey", "headers", "body"} from standard input and verifies it as any receiver would: by the
// package, and where there is a public key, its signature by Node's own cryptography.
import { createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { Webhook } from "standardwebhooks";

const { secret, publicKey, headers, body } = JSON.parse(readFileSync(0, "utf8"));
const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
new Webhook(secret).verify(body, lower);
let forged = false;
try {
  new Webhook(secret).verify(body + " ", lower);
  forged = true;
} catch {}
if (forged) throw new Error("a changed body passed too: the check proves nothing");
if (publicKey) {
  const raw = Buffer.from(publicKey.replace(/^whpk_/, ""), "base64").toString("base64url");
  const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: raw }, format: "jwk" });
  const text = `${lower["webhook-id"]}.${lower["webhook-timestamp"]}.${body}`;
  const given = lower["webhook-signature"].split(" ").filter((one) => one.startsWith("v1a,"));
  const fits = (signed) => given.some((one) => verify(null, Buffer.from(signed), key, Buffer.from(one.slice(4), "base64")));
  if (!fits(text)) throw new Error("the public key does not verify it");
  if (fits(text + " ")) throw new Error("a changed body passed the public key too");
}
console.log("verified");
