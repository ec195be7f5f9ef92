// Five minutes with Sundial: endpoints, a user, events, a webhook receiver that verifies, a worker that stops softly.
//
// usage: node five_minutes.mjs [http://127.0.0.1:8080]    (a server that may send to this machine: sundial dev)
import { createServer } from "node:http";
import { ApiError, Sundial, verifyWebhook, WebhookRefused } from "sundial-client";

const client = new Sundial(process.argv[2] ?? "http://127.0.0.1:8080");

// 1. A receiver of webhooks. It answers 204 to requests that Sundial signed, and remembers what it has handled.
/** @type {string[]} */
const keys = [];
const handled = new Set();
/** @type {() => void} */
let arrive = () => {};
const arrived = new Promise((resolve) => (arrive = () => resolve(undefined)));
const receiver = createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    const hook = await verifyWebhook(Buffer.concat(parts), request.headers, keys);
    if (!handled.has(hook.id)) {
      // an event can come twice: handle it once
      handled.add(hook.id);
      console.log(`webhook: ${hook.eventType} ${JSON.stringify(hook.json())} for ${hook.targetTime}`);
      arrive();
    }
    response.writeHead(204).end();
  } catch (error) {
    response.writeHead(error instanceof WebhookRefused ? 401 : 500).end();
  }
});
await new Promise((resolve) => receiver.listen(0, "127.0.0.1", () => resolve(undefined)));
const address = receiver.address();
const port = typeof address === "object" ? address?.port : undefined;

// 2. Its endpoint. The secret is shown this once; a real program keeps it.
const hook = await client.endpoints.create({ name: "Hook", type: "WEBHOOK", url: `http://127.0.0.1:${port}/` });
keys.push(hook.secret ?? "");

// 3. A user, and an event at a local time of that user. PUT creates or replaces, so this program can run again.
await client.users.put("ext:ada", { firstName: "Ada", lastName: "Li", dateOfBirth: "1992-02-29", timezone: "Europe/Paris" });
const later = await client.events.create({
  eventType: "REMINDER", userId: "ext:ada", endpointId: hook.id, targetTimestampLocal: "2040-03-25T02:30", deliveryPayload: { text: "Renew" },
});
console.log(`planned: ${later.targetTimestampLocal} ${later.targetTimezone}`); // 02:30 does not exist that night
await client.events.cancel(later.id);

// 4. An event that is due now arrives at once.
await client.events.create({
  eventType: "REMINDER", userId: "ext:ada", endpointId: hook.id, targetTimestampUTC: "now", targetTimezone: "Europe/Paris",
  deliveryPayload: { text: "Renew today" },
});
await arrived;

// 5. A worker, for programs that Sundial cannot reach. It stops softly: what it holds is finished first.
await client.endpoints.put("ext:printers", { name: "Printers", type: "PULL" });
for (const page of [1, 2, 3]) {
  await client.events.create({ eventType: "PRINT", targetTimestampUTC: "now", endpointId: "ext:printers", deliveryPayload: { page } });
}
const pages = new Set();
const worker = client.worker("ext:printers", async (/** @type {import("sundial-client").Job<{ page: number }>} */ job) => {
  const { page } = job.payload;
  console.log(`page ${page}, attempt ${job.event.attempt}`);
  pages.add(page);
  if (pages.size === 3) worker.stop();
}, { concurrency: 2 });
process.once("SIGTERM", () => worker.stop());
await worker.run();

// 6. Errors are typed by their code.
try {
  await client.users.create({ firstName: "Ada", lastName: "Li", dateOfBirth: "1992-02-30", timezone: "Mars/Base" });
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.log(error.code, error.errors.map((field) => field.message));
}
for await (const event of client.events.list({ endpointId: "ext:printers", limit: 2 })) {
  console.log(event.eventType, event.status); // page by page, by itself
}
receiver.closeAllConnections();
receiver.close();
