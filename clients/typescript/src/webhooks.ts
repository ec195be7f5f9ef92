import { SundialError } from "./errors.js";
import { platformCrypto } from "./platform.js";

/**
 * A request has at most six: three secrets and three key pairs sign at a time. More are not read, so that a forged header
 * costs little.
 */
const MAX_SIGNATURES = 12;

/** The request is not a fresh one from Sundial. Answer 400 or 401 and do nothing else. */
export class WebhookRefused extends SundialError {
  override name = "WebhookRefused";
}

/** A verified request. */
export interface Webhook {
  /** The event's idempotency key: the same for all its attempts. Remember it, and handle it once. */
  id: string;
  /** Unix seconds of this attempt. */
  timestamp: number;
  eventId: string;
  eventType: string;
  /** From 1; 0 if the header is missing. */
  attempt: number;
  /** 2027-02-28T09:00:00+01:00[Europe/Paris] */
  targetTime: string;
  body: Uint8Array;
  /** The body, parsed as JSON. */
  json(): unknown;
}

/** The headers of a request: of fetch, or of node:http. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

/** Options of verifyWebhook(). */
export interface VerifyOptions {
  /** How far the timestamp may be from now, in seconds; 300 by default. */
  tolerance?: number;
  /** Unix seconds; the clock by default. */
  now?: number;
}

type Checked = { version: "v1" | "v1a"; key: CryptoKey };

/**
 * Returns the request if one of `keys` signed it within the tolerance. Throws WebhookRefused.
 *
 * `body` is the raw bytes, before any parser. `keys` are secrets (whsec_…) or public keys (whpk_…): one, or during a
 * rotation several. Secrets are compared in constant time, by the platform's WebCrypto.
 */
export async function verifyWebhook(
  body: Uint8Array | string,
  headers: WebhookHeaders,
  keys: string | readonly string[],
  options: VerifyOptions = {},
): Promise<Webhook> {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) {
    throw new TypeError("body must be the bytes or the text as they came, not a parsed object");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const crypto = (await platformCrypto()).subtle;
  const checked = await importKeys(crypto, typeof keys === "string" ? [keys] : keys);
  const given = lookup(headers);
  const id = given("webhook-id");
  const at = given("webhook-timestamp");
  if (id === "" || !/^[0-9]{1,12}$/.test(at)) {
    throw new WebhookRefused("the headers webhook-id and webhook-timestamp are missing or malformed");
  }
  if (!(Math.abs((options.now ?? Date.now() / 1000) - Number(at)) <= (options.tolerance ?? 300))) {
    throw new WebhookRefused("the timestamp is too old, or too new");
  }
  const head = new TextEncoder().encode(`${id}.${at}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  let verified = false;
  for (const one of given("webhook-signature").split(" ").slice(0, MAX_SIGNATURES)) {
    const [, version, text] = /^(v1a?),([A-Za-z0-9+/]+=*)$/.exec(one) ?? [];
    const signature = text === undefined ? undefined : decode(text);
    if (signature === undefined) continue;
    for (const { key } of checked.filter((other) => other.version === version)) {
      if (await crypto.verify(version === "v1" ? "HMAC" : "Ed25519", key, signature, signed)) verified = true;
    }
  }
  if (!verified) throw new WebhookRefused("no signature is from one of the keys");
  return {
    id,
    timestamp: Number(at),
    eventId: given("sundial-event-id"),
    eventType: given("sundial-event-type"),
    attempt: /^[0-9]+$/.test(given("sundial-attempt")) ? Number(given("sundial-attempt")) : 0,
    targetTime: given("sundial-target-time"),
    body: bytes,
    json: () => JSON.parse(new TextDecoder().decode(bytes)) as unknown,
  };
}

function lookup(headers: WebhookHeaders): (name: string) => string {
  if (typeof (headers as Headers).get === "function") return (name) => (headers as Headers).get(name) ?? "";
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(headers as Record<string, string | readonly string[] | undefined>)) {
    if (value !== undefined) found.set(name.toLowerCase(), typeof value === "string" ? value : value.join(", "));
  }
  return (name) => found.get(name) ?? "";
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

async function importKeys(crypto: SubtleCrypto, keys: readonly string[]): Promise<Checked[]> {
  if (keys.length === 0) throw new TypeError("give at least one key: an empty list would refuse everything");
  return Promise.all(
    keys.map(async (text): Promise<Checked> => {
      const [, kind, base64] = /^(whsec|whpk)_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
      const bytes = base64 === undefined ? undefined : decode(base64);
      if (bytes === undefined || (kind === "whpk" && bytes.length !== 32)) {
        throw new TypeError("a key must be whsec_ or whpk_ and base64, as Sundial shows it");
      }
      return kind === "whsec"
        ? { version: "v1", key: await crypto.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]) }
        : { version: "v1a", key: await crypto.importKey("raw", bytes, { name: "Ed25519" }, false, ["verify"]) };
    }),
  );
}
