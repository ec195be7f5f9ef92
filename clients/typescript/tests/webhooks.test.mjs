// Signatures: published vectors, every way in which a request may not be what it claims, and real deliveries.
import assert from "node:assert/strict";
import { createPrivateKey, sign } from "node:crypto";
import { test } from "node:test";
import { Sundial, verifyWebhook, WebhookRefused } from "sundial-client";
import { REAL_CLOCK, withReceiver, withServer } from "./support.mjs";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OTHER = `whsec_${Buffer.alloc(32).toString("base64")}`;
const BODY = '{"test": 2432232314}';
const HEADERS = {
  "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "Webhook-Timestamp": "1614265330",
  "Webhook-Signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};
const NOW = 1614265330;

const verify = (changed = {}, { body = BODY, keys = SECRET, now = NOW } = {}) => verifyWebhook(body, { ...HEADERS, ...changed }, keys, { now });
const refused = (...given) => assert.rejects(verify(...given), WebhookRefused);

test("the published vector, with headers of fetch and of node:http", async () => {
  const hook = await verify({ "Sundial-Attempt": "3", "Sundial-Event-Type": "REMINDER" });
  assert.deepEqual([hook.id, hook.timestamp, hook.attempt, hook.eventType], [HEADERS["Webhook-Id"], NOW, 3, "REMINDER"]);
  assert.deepEqual(hook.json(), { test: 2432232314 });
  await verifyWebhook(Buffer.from(BODY), new Headers(HEADERS), SECRET, { now: NOW });
  await verifyWebhook(new TextEncoder().encode(BODY), { ...HEADERS, cookie: ["a", "b"], other: undefined }, SECRET, { now: NOW });
});

test("every part is signed", async () => {
  await refused({}, { body: `${BODY} ` });
  await refused({ "Webhook-Id": "msg_other" });
  await refused({ "Webhook-Timestamp": String(NOW + 1) });
  await refused({}, { keys: OTHER });
});

test("the tolerance is for both sides", async () => {
  for (const distance of [0, 300, -300]) await verify({}, { now: NOW + distance });
  for (const distance of [301, -301, NaN]) await refused({}, { now: NOW + distance });
});

test("several keys and several signatures of a rotation", async () => {
  await verify({}, { keys: [OTHER, SECRET] });
  await verify({ "Webhook-Signature": `v1,AAAA ${HEADERS["Webhook-Signature"]} v1a,AAAA v2,xx` });
  await refused({}, { keys: [OTHER] });
  for (const keys of [[], "whsec_", "whsec_***", "secret", "whpk_AAAA"]) await assert.rejects(verify({}, { keys }), TypeError);
});

test("missing and malformed headers", async () => {
  for (const name of Object.keys(HEADERS)) await refused({ [name]: undefined });
  for (const text of ["", "v1", "v1,", "v1,***", "v2,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="]) {
    await refused({ "Webhook-Signature": text });
  }
  for (const text of ["", "-1", "1e9", "١٦١٤٢٦٥٣٣٠", " 1614265330", "1614265330.0", "nan", "9".repeat(40)]) await refused({ "Webhook-Timestamp": text });
});

test("a forged header of many signatures is not read to its end", () => refused({ "Webhook-Signature": "v1,AAAA ".repeat(12) + HEADERS["Webhook-Signature"] }));

test("a parsed body is refused", () => assert.rejects(verify({}, { body: { test: 1 } }), TypeError));

test("Ed25519", async () => {
  // RFC 8032, 7.1, test 1, as PKCS 8.
  const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  const key = createPrivateKey({ key: Buffer.from(`302e020100300506032b657004220420${seed}`, "hex"), format: "der", type: "pkcs8" });
  const publicKey = `whpk_${Buffer.from("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "hex").toString("base64")}`;
  const signature = `v1a,${sign(null, Buffer.from(`${HEADERS["Webhook-Id"]}.${NOW}.${BODY}`), key).toString("base64")}`;
  await verify({ "Webhook-Signature": signature }, { keys: publicKey });
  await verify({ "Webhook-Signature": signature }, { keys: [OTHER, publicKey] });
  await refused({ "Webhook-Signature": signature }, { keys: SECRET });
  await refused({ "Webhook-Signature": signature.replace("v1a", "v1") }, { keys: publicKey });
  await refused({ "Webhook-Signature": signature }, { keys: publicKey, body: `${BODY} ` });
});

test("real deliveries before, during and after a rotation", () =>
  withReceiver((receiver) => withServer(REAL_CLOCK, async (server) => {
    const client = new Sundial(server.url);
    const first = await client.endpoints.create({ name: "Hook", externalId: "hook", type: "WEBHOOK", url: receiver.url, ed25519: true });
    const deliver = async () => {
      assert.equal((await client.endpoints.test("ext:hook")).outcome, "SUCCEEDED");
      return receiver.received.at(-1);
    };
    let { body, headers } = await deliver();
    const hook = await verifyWebhook(body, headers, first.secret);
    assert.deepEqual([hook.eventType, hook.attempt], ["sundial.test", 1]);
    await verifyWebhook(body, headers, first.publicKey);
    await assert.rejects(verifyWebhook(Buffer.concat([body, Buffer.from(" ")]), headers, [first.secret, first.publicKey]), WebhookRefused);
    const second = await client.endpoints.rotateSecret("ext:hook", { oldSignsFor: "PT24H" });
    ({ body, headers } = await deliver());
    for (const one of [first, second]) {
      await verifyWebhook(body, headers, one.secret);
      await verifyWebhook(body, headers, one.publicKey);
    }
    const third = await client.endpoints.rotateSecret("ext:hook", { oldSignsFor: "PT0S" });
    ({ body, headers } = await deliver());
    for (const kind of ["secret", "publicKey"]) {
      await verifyWebhook(body, headers, [first[kind], third[kind]]);
      await assert.rejects(verifyWebhook(body, headers, [first[kind], second[kind]]), WebhookRefused);
    }
  })));
