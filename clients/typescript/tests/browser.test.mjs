// The package in a browser: a page of another origin uses the API and verifies a webhook.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { HANG_GUARD, REAL_CLOCK, withServer } from "./support.mjs";

const PAGE = `<!doctype html><script type="module">
import { isProblem, Sundial, verifyWebhook } from "/dist/index.js";
const found = {};
try {
  const client = new Sundial(API);
  await client.users.put("ext:ada", { firstName: "Ada", lastName: "Li", dateOfBirth: "1992-02-29", timezone: "Europe/Paris" });
  const { id, version } = await client.users.get("ext:ada");
  found.changed = (await client.users.patch(id, { timezone: "Asia/Tokyo" }, { ifMatch: version })).timezone;
  found.stale = await client.users.patch(id, { timezone: "UTC" }, { ifMatch: version }).catch((error) => isProblem(error, "OPTIMISTIC_LOCK"));
  for await (const message of client.system.live({ topics: ["users"] })) {
    if (message.type === "opened") await client.users.patch(id, { lastName: "Lo" });
    if (message.type === "users.changed") found.live = message.data.fields;
    if (found.live) break;
  }
  found.users = await client.users.list().all().then((all) => all.map((one) => one.firstName));
  const hook = await verifyWebhook('{"test": 2432232314}', {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  }, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", { now: 1614265330 });
  found.hook = hook.id;
} catch (error) {
  found.error = String(error);
}
await fetch("/done", { method: "POST", body: JSON.stringify(found) });
</script>`;

function hasChromium() {
  try {
    execFileSync("chromium", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("a page uses the API and verifies a webhook", { skip: !hasChromium() && "chromium is not installed" }, async () => {
  let api, done;
  const result = new Promise((resolve) => (done = resolve));
  const site = createServer((request, response) => {
    if (request.url === "/done") {
      let text = "";
      request.on("data", (part) => (text += part)).on("end", () => {
        response.end();
        done(JSON.parse(text));
      });
    } else if (/^\/dist\/[a-z]+\.js$/.test(request.url)) {
      response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(`.${request.url}`));
    } else {
      response.writeHead(200, { "content-type": "text/html" }).end(PAGE.replace("API", JSON.stringify(api)));
    }
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${site.address().port}`;
  const profile = mkdtempSync(join(tmpdir(), "sundial-profile-"));
  try {
    await withServer([...REAL_CLOCK, `--http.cors_origins=${origin}`], async (server) => {
      api = server.url;
      const browser = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--disable-extensions", "--no-proxy-server",
        `--user-data-dir=${profile}`, "--remote-debugging-port=0", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", origin],
      { stdio: "ignore", detached: true });
      const ended = new Promise((resolve) => browser.on("exit", resolve));
      const guard = setTimeout(() => done({ error: "the page did not finish" }), HANG_GUARD);
      try {
        assert.deepEqual(await Promise.race([result, ended.then((code) => ({ error: `the browser ended with ${code}` }))]), {
          changed: "Asia/Tokyo", stale: true, live: ["lastName"], users: ["Ada"], hook: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        });
      } finally {
        clearTimeout(guard);
        if (browser.exitCode === null) process.kill(-browser.pid, "SIGKILL");
        await ended;
      }
    });
  } finally {
    site.closeAllConnections();
    site.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  }
});
