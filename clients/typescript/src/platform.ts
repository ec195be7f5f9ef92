// Apart from client.ts, because index.ts must not lead to declarations with types of WebCrypto: a project for Node that
// does without the DOM library has no such types.

/** A random UUID. crypto.randomUUID exists on https pages only, and Node 18 has no global crypto. */
export async function randomId(): Promise<string> {
  const bytes = (await platformCrypto()).getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The platform's WebCrypto. */
export async function platformCrypto(): Promise<Crypto> {
  if (globalThis.crypto !== undefined) return globalThis.crypto;
  const name = "node:crypto"; // not a literal, so that bundlers for browsers do not look for it
  return ((await import(/* @vite-ignore */ /* webpackIgnore: true */ name)) as { webcrypto: Crypto }).webcrypto;
}
