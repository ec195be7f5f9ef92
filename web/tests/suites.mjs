// Tests of the whole console instead of one page, in one browser. usage: node suites.mjs [SUITE...]
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { act, closeBrowser, newEvent, open, receiver, TEST_CLOCK, turn, until, withConsole, withServer } from "./harness.mjs";

const BUDGET = 150 * 1024; // bytes, compressed, of everything that the console loads
const ALL = ["overview", "timeline", "events", "deadLetters", "occurrences", "schedules", "schedules/new", "people", "endpoints", "operations", "streams", "locks", "zones", "instances", "inboxAndClock", "keys", "configuration", "reference?q=/v1/locks"];

/**
 * Shows a document inside the page of another one: its script runs on its own text, but the browser loads no page, which
 * takes far longer. Its own page has to load the same files, and to have the same policy, as the page around it.
 */
const showInside = (page, place, policy) => page.evaluate(async ({ address, policy }) => {
  const request = await new Promise((done, failed) => {
    const sent = Object.assign(new XMLHttpRequest(), { responseType: "document", onload: () => done(sent), onerror: failed });
    sent.open("GET", address);
    sent.setRequestHeader("Accept", "text/html");
    sent.send();
  });
  const shown = request.response;
  const loads = (page) => [...page.querySelectorAll("script, link[rel=stylesheet]")].map(({ outerHTML }) => outerHTML).join();
  const own = request.getResponseHeader("Content-Security-Policy");
  if (request.status !== 200 || own !== policy) throw new Error(`${address}: ${request.status} ${own}`);
  if (loads(shown) !== loads(document)) throw new Error(`${address} loads ${loads(shown)}, not ${loads(document)}`);
  document.body.replaceWith(shown.body);
  await import(`${document.querySelector("script[type=module]").src}#${address}`); // a fragment of its own: it runs again
  if (!document.querySelector("main[data-ready] h1")?.checkVisibility()) throw new Error(`${address} shows no heading`);
}, { address: place, policy });

const SUITES = {
  /** The files, their headers and their size. */
  files: () => withServer(async ({ url }) => {
    const index = await fetch(`${url}/ui/`);
    const html = await index.text();
    const policy = index.headers.get("content-security-policy");
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    assert.doesNotMatch(html, /<script>|<style|style=|\son\w+=/);
    let total = gzipSync(html).length;
    for (const [path] of html.matchAll(/\/ui\/[0-9a-f]+\/app\.(?:js|css)/g)) {
      const small = await fetch(url + path, { headers: { "Accept-Encoding": "gzip" } });
      assert.equal(small.headers.get("content-encoding"), "gzip");
      assert.match(small.headers.get("cache-control"), /immutable/);
      total += Number(small.headers.get("content-length"));
      const etag = small.headers.get("etag");
      assert.equal((await fetch(url + path, { headers: { "Accept-Encoding": "gzip", "If-None-Match": etag } })).status, 304);
      const plain = await fetch(url + path, { headers: { "Accept-Encoding": "identity" } });
      assert.equal(plain.headers.get("content-encoding"), null);
      assert.equal(await plain.text(), await small.text());
      assert.equal((await fetch(url + path.replace(/ui\/[0-9a-f]/, "ui/x"))).status, 404);
    }
    assert.ok(total > 5000 && total <= BUDGET, `${total} bytes`);
    console.log(`${total} bytes compressed`);
    const browser = await fetch(url, { redirect: "manual", headers: { Accept: "text/html,*/*" } });
    assert.deepEqual([browser.status, browser.headers.get("location")], [303, "/ui/"]);
    assert.equal((await fetch(url, { redirect: "manual" })).status, 200);
  }),

  /** No finding of axe on any page, in both themes; right-to-left and 360 px wide pages do not overflow. */
  axe: () => withConsole(async ({ newPage, api, url }) => {
    const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
    const endpoint = await api("POST", "/v1/endpoints", { name: "crm", type: "WEBHOOK", url: "http://127.0.0.1:9/", rateLimit: { perSecond: 1 } });
    const event = await api("POST", "/v1/events", newEvent({ endpointId: endpoint.id }));
    const person = await api("POST", "/v1/users", { firstName: "Ada", lastName: "Lind", dateOfBirth: "1990-05-17", timezone: "Europe/Berlin" });
    const schedule = await api("POST", "/v1/schedules", { eventType: "NIGHTLY", trigger: { cron: "30 2 * * *" }, timezone: "Europe/Berlin" });
    // The timeline with an hour above the endpoint's limit, whose cell is open.
    const hour = 3_600_000, start = new Date(Math.ceil((Date.now() + 2 * hour) / hour) * hour);
    for (const eventType of ["ONE", "TWO"]) {
      await api("POST", "/v1/schedules", { eventType, trigger: { every: "PT1S" }, timezone: "Europe/Berlin", endpointId: endpoint.id, startsAt: start.toISOString(), endsAt: new Date(start.getTime() + hour).toISOString() });
    }
    const { data: [operation] } = await api("GET", "/v1/operations");
    await api("POST", "/v1/locks/one", { holder: "worker 1", ttl: "PT1H" });
    const places = [...ALL, `timeline?by=endpointId&key=${endpoint.id}&at=${start.toISOString()}`, `events/${event.id}`, `endpoints/${endpoint.id}`, `schedules/${schedule.id}`, `schedules/${schedule.id}?edit=true`, `people/${person.id}?to=Asia/Tokyo`, `streams/${encodeURIComponent(`Endpoint/${endpoint.id}`)}`, ...(operation ? [`operations/${operation.id}`] : [])];
    const findings = [];
    for (const colorScheme of ["light", "dark"]) {
      const page = await newPage({ colorScheme, reducedMotion: "reduce", ...(colorScheme === "dark" && { viewport: { width: 360, height: 800 }, locale: "ar" }) });
      await page.goto(`${url}/ui/`);
      await page.evaluate(axe);
      const check = async (place) => {
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
        for (const { id, nodes } of violations) findings.push(`${colorScheme} ${place}: ${id} ${nodes[0].target} ${nodes[0].failureSummary}`);
      };
      for (const place of places) {
        await turn(page, `#/${place}`);
        await page.locator("main h1").first().waitFor();
        await page.waitForFunction(() => !document.querySelector("main [role=status].quiet")); // nothing is loading
        if (place.startsWith("timeline")) await page.locator("[data-advice] li[data-kind=limit]").waitFor();
        await check(place);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) findings.push(`${colorScheme} ${place}: ${wide} px too wide`);
      }
      await page.locator("main").press("?");
      await page.locator("dialog kbd").first().waitFor();
      await check("help");
      await page.keyboard.press("Escape");
      await turn(page, `#/events/${event.id}`);
      await page.locator("[data-act=cancel]").click();
      await page.locator("dialog .line").first().waitFor();
      await check("dialog");
      await page.close();
    }
    assert.deepEqual(findings, []);
  }),

  /** The documents: every page renders with its anchors, links lead to pages, search finds, axe finds nothing. */
  documents: () => withConsole(async ({ newPage, url }) => {
    const list = await (await fetch(`${url}/llms.txt`)).text();
    const places = [...list.matchAll(/\]\((\/docs\/[^)]+)\.md\):/g)].map(([, place]) => (place === "/docs/README" ? "/docs" : place));
    assert.ok(places.length > 100, `${places.length} pages`);
    let loaded = 0;
    for (const file of (await (await fetch(`${url}/docs`, { headers: { Accept: "text/html" } })).text()).match(/\/ui\/[0-9a-f]+\/docs\.(?:js|css)/g)) {
      loaded += Number((await fetch(url + file, { headers: { "Accept-Encoding": "gzip" } })).headers.get("content-length"));
    }
    assert.ok(loaded > 5000 && loaded <= 40 * 1024, `${loaded} bytes compressed`);
    const axe = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
    const findings = [], ids = new Map(), links = [];
    const note = async (page, place) => {
      ids.set(place, new Set(await page.evaluate(() => [...document.querySelectorAll("main [id]")].map(({ id }) => id))));
      for (const href of await page.evaluate(() => [...document.querySelectorAll("main a[href]")].map((link) => link.getAttribute("href")))) links.push([place, href]);
    };
    // One of each kind is opened as by a reader, in both themes. axe takes a second a page.
    const kinds = { light: ["/docs", "/docs/guide/locks", "/docs/reference/cli", "/docs/comparison", "/docs/commands/event-list"], dark: ["/docs", "/docs/guide/locks", "/docs/operating", "/docs/commands/event-list", "/docs/errors/LOCK_HELD", "/docs/project/README"] };
    for (const [colorScheme, shown] of Object.entries(kinds)) {
      const page = await newPage({ colorScheme, ...(colorScheme === "dark" && { viewport: { width: 360, height: 800 } }) });
      for (const place of shown) {
        await page.goto(url + place);
        await page.locator("main[data-ready] h1").first().waitFor();
        await note(page, place);
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
        for (const { id, nodes } of violations) findings.push(`${colorScheme} ${place}: ${id} ${nodes[0].target} ${nodes[0].failureSummary}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (wide > 0) findings.push(`${colorScheme} ${place}: ${wide} px too wide`);
      }
      await page.close();
    }
    const page = await newPage();
    const policy = (await page.goto(`${url}/docs`)).headers()["content-security-policy"];
    await page.locator("main[data-ready] h1").first().waitFor();
    // All others, except for most of the errors, which are alike.
    for (const place of places.filter((place, i) => !ids.has(place) && (!place.startsWith("/docs/errors/") || i % 10 === 0))) {
      await showInside(page, place, policy);
      await note(page, place);
    }
    await page.close();
    for (const [place, href] of links) {
      if (/^[a-z]+:/.test(href) || href === "/openapi.json") continue;
      const [path, anchor] = href.split("#");
      const led = path || place;
      if (led === "/docs/errors") continue;
      if (!ids.has(led)) findings.push(`${place}: ${href} is no page`);
      else if (anchor && !ids.get(led).has(anchor)) findings.push(`${place}: ${href} has no such anchor`);
    }
    assert.deepEqual(findings, []);
    console.log(`${places.length} pages, ${links.length} links`);
  }),

  /** Reading by keyboard: search, results, copying, the list of pages on a narrow screen, a page that is not there. */
  reading: () => withConsole(async ({ newPage, url }) => {
    const page = await newPage();
    await page.goto(`${url}/docs`);
    await page.locator("main[data-ready]").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("fencing token");
    const first = page.locator("#found a").first();
    await first.waitFor();
    assert.match(await page.locator("#found [role=status]").innerText(), /places/);
    assert.match((await page.locator("#found a").allInnerTexts()).join(), /fencing/i);
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement === document.querySelector("#found a")), true);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#found").isVisible(), false);
    for (const [question, place] of [["OPTIMISTIC_LOCK", "/docs/reference/errors"], ["event reschedule", "/docs/commands/event-reschedule"], ["getting started", "/docs/guide/getting-started"]]) {
      await page.fill("#question", question);
      await page.locator(`#found a[href^="${place}"]`).first().waitFor();
    }
    await page.keyboard.press("Enter");
    await page.waitForURL(/getting-started/);
    await page.locator("main[data-ready]").waitFor();
    assert.equal(await page.locator("nav [aria-current=page]").innerText(), "Getting started");
    await page.fill("#question", "xyzzyplugh");
    await page.locator("#found [role=status]", { hasText: "Nothing found" }).waitFor();

    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const code = page.locator(".code").first();
    await code.locator(".copy").click();
    await code.locator(".copy", { hasText: "Copied" }).waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await code.locator("code").textContent());

    // The address of an error names an anchor of one page and is a page itself.
    await page.goto(`${url}/docs/guide/access#web-pages-while-there-is-no-key`);
    await page.locator("main[data-ready]").waitFor();
    assert.ok(await page.evaluate(() => document.getElementById("web-pages-while-there-is-no-key").getBoundingClientRect().top < innerHeight));
    await page.goto(`${url}/docs/errors/LOCK_HELD`);
    assert.match(await page.locator("main[data-ready] h1").innerText(), /LOCK_HELD/);
    const missing = await page.goto(`${url}/docs/guide/nothing`);
    assert.equal(missing.status(), 404);
    await page.locator("main[data-ready] h1", { hasText: "No such page" }).waitFor();

    const narrow = await newPage({ viewport: { width: 360, height: 800 } });
    await narrow.goto(`${url}/docs/operating`);
    await narrow.locator("main[data-ready]").waitFor();
    assert.equal(await narrow.locator("#pages").isVisible(), false);
    await narrow.locator(".menu").press("Enter");
    await narrow.locator("#pages a", { hasText: "Getting started" }).click();
    await narrow.waitForURL(/getting-started/);

    // Without scripts the text and the links are there.
    const plain = await (await fetch(`${url}/docs/guide/locks`, { headers: { Accept: "text/html" } })).text();
    assert.match(plain, /<pre># Locks/);
    assert.match(plain, /<a href="\/docs\/operating">/);
  }),

  /** The hint of a time stays whole in a table that scrolls, on a wide and on a narrow screen; wide tables do not wrap times. */
  times: () => withConsole(async ({ newPage, api, url }) => {
    await api("POST", "/v1/events", newEvent());
    for (const width of [1280, 360]) {
      const page = await newPage({ viewport: { width, height: 640 } });
      await open(page, `${url}/ui/#/events`);
      const time = page.locator("tr[data-id] .time").last();
      await time.waitFor();
      assert.equal(await page.locator(".tip").count(), 0); // made only when it is shown
      if (width === 1280) assert.equal(await time.locator("time > bdi").evaluate((shown) => shown.getClientRects().length), 1);
      await time.focus();
      await time.locator(".tip:popover-open").waitFor();
      const hidden = await page.evaluate(() => {
        const { left, right, top, bottom } = document.querySelector(".tip").getBoundingClientRect();
        const root = document.documentElement;
        return [left < 0, right > root.clientWidth, top < 0, bottom > innerHeight, root.scrollWidth > innerWidth];
      });
      assert.deepEqual(hidden, [false, false, false, false, false], `${width} px`);
      await page.keyboard.press("Escape");
      await page.locator(".tip").waitFor({ state: "detached" });
      await page.close();
    }
  }),

  /** An overview on which nothing happens changes nothing in its document when it reads again or receives a change. */
  idle: () => withConsole(async ({ newPage, url }) => {
    const page = await newPage();
    await open(page, `${url}/ui/`);
    await page.locator("[data-late]").waitFor();
    await page.locator("main dd", { hasText: "Nothing is overdue." }).waitFor();
    await page.waitForFunction(() => !document.querySelector("main [role=status].quiet")); // nothing is loading
    await page.evaluate(() => {
      globalThis.changes = [];
      new MutationObserver((all) => globalThis.changes.push(...all.map(({ target }) => target.parentElement?.outerHTML ?? ""))).observe(document.querySelector("main"), { subtree: true, childList: true, attributes: true, characterData: true });
    });
    await page.waitForResponse((answer) => answer.url().endsWith("/healthz"));
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    assert.deepEqual(await page.evaluate(() => globalThis.changes), []);
  }),

  /** Zones, languages and themes are remembered. */
  display: () => withConsole(async ({ newPage, api, url }) => {
    const page = await newPage();
    const event = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: undefined, targetTimestampLocal: "2030-07-01T09:00", targetTimezone: "Europe/Berlin" }));
    await open(page, `${url}/ui/#/events/${event.id}`);
    const due = (time) => page.waitForFunction((end) => document.querySelector("dd time > bdi")?.innerText.endsWith(end), time);
    await due("09:00:00 +02:00");
    await page.locator(".display select").nth(0).selectOption("viewer");
    await due("16:00:00 +09:00");
    await page.locator(".display select").nth(0).selectOption("utc");
    await due("07:00:00 +00:00");
    await page.locator(".time").first().focus();
    assert.match(await page.locator(".time .tip").first().innerText(), /Europe\/Berlin: .*09:00:00 \+02:00[^]*Asia\/Tokyo[^]*16:00:00 \+09:00[^]*UTC: .*07:00:00/);
    for (const [language, direction, word] of [["de", "ltr", "Ereignisse"], ["ar", "rtl", "الأحداث"]]) {
      await page.locator(".display select").nth(2).selectOption(language);
      await page.locator("#pages", { hasText: word }).waitFor();
      await page.locator(`html[dir=${direction}]`).waitFor({ state: "attached" });
    }
    await page.locator(".display select").nth(1).selectOption("dark");
    await page.locator("html[data-theme=dark]").waitFor({ state: "attached" }); // so it is stored, too
    await page.reload();
    await page.locator("html[dir=rtl][lang=ar][data-theme=dark]").waitFor({ state: "attached" });
    await due("07:00:00 \u2066+00:00\u2069");
  }),

  /** Login with a key, a cookie that scripts cannot read, changes with a token, READ keys that change nothing. */
  session: () => withConsole(async ({ newPage, api, url }) => {
    const page = await newPage();
    const event = await api("POST", "/v1/events", newEvent());
    await open(page, `${url}/ui/#/keys`);
    await act(page, "createKey", { fill: async () => { await page.fill("dialog input[name=name]", "root"); await page.locator("dialog select").selectOption("ADMIN"); } });
    const key = await page.locator("[data-secret]").innerText();
    assert.match(key, /^sundial_sk_/);
    const asRoot = { Authorization: `Bearer ${key}` };
    // The first key makes the server require one; this browser goes on with it.
    await page.locator("tr[data-id]", { hasText: "root" }).waitFor();
    assert.equal((await fetch(`${url}/v1/events`)).status, 401);
    const stored = await page.evaluate(() => [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, location.href].join());
    assert.ok(!stored.includes(key) && !stored.includes("__Host"), "a script can read the key or the cookie");
    await act(page, "createKey", { fill: async () => { await page.fill("dialog input[name=name]", "reader"); } });
    await page.locator("tr[data-id]", { hasText: "reader" }).waitFor();
    const reader = await page.locator("[data-secret]").innerText();
    // Without the token the cookie alone changes nothing.
    assert.equal(await page.evaluate((id) => fetch(`/v1/events/${id}`, { method: "DELETE" }).then((answer) => answer.status), event.id), 403);
    await open(page, `${url}/ui/#/events/${event.id}`);
    const lines = await act(page, "cancel");
    assert.match(lines[0], /-H "Authorization: Bearer \$SUNDIAL_API_KEY"$/);
    await page.locator("h1 [data-state=CANCELLED]").waitFor();
    // The audit names the key, with its handle as a detail.
    const handle = key.split("_")[2];
    await page.locator(`[data-audit] tr [data-actor='key:${handle}']`, { hasText: `root ${handle}` }).waitFor();
    // A reload keeps the session; logging out ends it.
    await page.reload();
    await page.locator("h1 [data-state=CANCELLED]").waitFor();
    await page.locator(".display button", { hasText: "Log out" }).click();
    await page.locator("input[name=key]").waitFor();
    await page.fill("input[name=key]", "sundial_sk_wrong");
    await page.keyboard.press("Enter");
    await page.locator(".key .refused").waitFor();
    await page.fill("input[name=key]", reader);
    await page.keyboard.press("Enter");
    await page.locator("h1 [data-state=CANCELLED]").waitFor();
    await page.locator(".display", { hasText: "Read only" }).waitFor();
    await page.locator(`[data-audit] tr [data-actor='key:${handle}']`, { hasText: `key:${handle}` }).waitFor(); // only ADMIN reads names
    for (const place of ["events", "endpoints", "schedules", "instances", "deadLetters"]) {
      await turn(page, `#/${place}`);
      await page.locator("main h1").waitFor();
      await page.waitForFunction(() => !document.querySelector("main [role=status].quiet")); // nothing is loading
      assert.equal(await page.locator("[data-act]").count(), 0, place);
    }
    // The session is of one browser only.
    const other = await newPage();
    await other.goto(`${url}/ui/`);
    await other.locator("input[name=key]").waitFor();
    assert.equal(await other.locator("[data-session-ended]").count(), 0);
    // A key that is revoked ends the session in the middle of an action, and the page says why.
    const endpoint = await api("POST", "/v1/endpoints", { name: "crm", type: "WEBHOOK", url: "http://127.0.0.1:9/" }, asRoot);
    const second = await api("POST", "/v1/api-keys", { name: "second", role: "WRITE" }, asRoot);
    await other.fill("input[name=key]", second.key);
    await other.keyboard.press("Enter");
    await open(other, `${url}/ui/#/endpoints/${endpoint.id}`);
    await other.locator("main [data-act=disable]").click();
    await other.locator("dialog [data-held-back]").waitFor();
    await api("DELETE", `/v1/api-keys/${second.id}`, undefined, asRoot);
    await other.locator("[data-session-ended]").waitFor(); // the page reads its endpoint again
    assert.equal(await other.locator("dialog").count(), 0);
    await other.fill("input[name=key]", key);
    await other.keyboard.press("Enter");
    await other.locator("main [data-act=disable]").waitFor();
  }),

  /** By keyboard only: find why an event failed, mend its endpoint, retry the group at 50/s, watch it finish. */
  keyboard: () => withConsole(async ({ newPage, api, url }) => {
    const page = await newPage();
    const failing = await receiver(410);
    const endpoint = await api("POST", "/v1/endpoints", { name: "shop", type: "WEBHOOK", url: failing.url });
    const event = await api("POST", "/v1/events", newEvent({ eventType: "ORDER", targetTimestampUTC: "now", endpointId: endpoint.id }));
    await until(async () => (await api("GET", `/v1/events/${event.id}`)).status === "FAILED", "the event failed");
    await until(async () => !(await api("GET", `/v1/endpoints/${endpoint.id}`)).enabled, "410 disabled the endpoint");
    failing.answer(200);
    const focus = async (selector) => {
      await page.locator(selector).first().waitFor();
      for (let step = 0; step < 80; step++) {
        if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`Tab does not reach ${selector}`);
    };
    const press = async (selector) => { await focus(selector); await page.keyboard.press("Enter"); };
    /** A page takes the focus once it is shown; a key before that would move it from the page before. */
    const follows = async (act, place) => {
      await act();
      await page.waitForFunction((wanted) => document.activeElement?.id === "main" && document.activeElement.dataset.place.startsWith(wanted), place);
    };
    const type = async (...keys) => {
      await page.evaluate(() => document.activeElement?.blur());
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.goto(`${url}/ui/`);
    await page.locator("main h1").waitFor();
    await follows(() => type("g", "d"), "#/deadLetters");
    await follows(() => press(`tr[data-id] a[href*='${event.id}']`), "#/events/");
    await page.locator("[data-attempt='1']", { hasText: "410" }).waitFor(); // why it failed
    await follows(() => press(`main dd a[href*='endpoints/${endpoint.id}']`), "#/endpoints/");
    await press("[data-act=enable]");
    await press("dialog button[type=submit]");
    await page.locator("h1 [data-state=enabled]").waitFor();
    await follows(() => type("g", "d"), "#/deadLetters");
    await press("[data-act=bulkRetry]");
    await page.locator("dialog [data-count='1']").waitFor();
    assert.equal(await page.locator("dialog input[name=pace]").inputValue(), "50");
    await press("dialog button[type=submit]");
    await page.locator("[data-operation=COMPLETED]").waitFor();
    await follows(() => press("[data-operation] a"), "#/operations/");
    await page.locator("h1 [data-state=COMPLETED]").waitFor();
    await until(async () => (await api("GET", `/v1/events?status=COMPLETED&endpointId=${endpoint.id}`)).data.length === 1, "the event was delivered");
    failing.stop();

    // A schedule for 02:30 in Berlin, with a choice of what happens on 28 March.
    await follows(() => type("g", "s"), "#/schedules");
    await follows(() => press("main a[href='#/schedules/new']"), "#/schedules/new");
    for (const [name, value] of [["eventType", "AT_NIGHT"], ["cron", "30 2 * * *"], ["timezone", "Europe/Berlin"], ["from", "03272027"]]) {
      await focus(`main input[name=${name}]`);
      if (name === "timezone") await page.keyboard.press("Control+A");
      await page.keyboard.type(value);
    }
    await page.locator("[data-note^=gap_]").waitFor();
    await focus("main select[name=gap]");
    await page.keyboard.type("skip");
    await page.locator("[data-note=gap_skipped]").waitFor();
    await press("main form button[type=submit]");
    await press("dialog button[type=submit]");
    await page.locator("h1", { hasText: "AT_NIGHT" }).waitFor();
    assert.equal((await api("GET", "/v1/schedules?eventType=AT_NIGHT")).data[0].gap, "skip");
  }),

  /** A test clock is moved by the keyboard: the slider says where, and the inbox has what came due on the way. */
  clock: () => withConsole(async ({ newPage, api, url }) => {
    const page = await newPage();
    const { data: [inbox] } = await api("GET", "/v1/endpoints?type=INBOX");
    assert.equal((await api("GET", "/v1/clock")).mode, "test");
    // On some days it is a birthday in the demo.
    while ((await api("GET", "/v1/events?status=PENDING&targetTo=now%2B3h&limit=1")).data.length > 0) await api("POST", "/v1/clock/advance", { by: "PT3H" });
    const { now } = await api("GET", "/v1/clock");
    const later = (minutes) => new Date(new Date(now).getTime() + minutes * 60_000).toISOString();
    const [passed, stays] = [await api("POST", "/v1/events", newEvent({ eventType: "PASSED", targetTimestampUTC: later(45), endpointId: inbox.id })), await api("POST", "/v1/events", newEvent({ eventType: "STAYS", targetTimestampUTC: later(46), endpointId: inbox.id }))];
    await open(page, `${url}/ui/#/overview`);
    await page.locator("main a", { hasText: "Test clock" }).click();
    const slider = page.locator("[data-slider] input[type=range]");
    await slider.waitFor();
    assert.equal(await slider.getAttribute("data-to"), later(15)); // the first step of a day
    await page.locator("[data-slider] [data-total]").waitFor(); // the slider is at rest
    await slider.focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.locator(`[data-slider] [data-to='${later(45)}']`).waitFor();
    assert.match(await slider.getAttribute("aria-valuetext"), /, in 45 minutes$/);
    await page.locator("[data-slider] tr[data-id]", { hasText: "PASSED" }).waitFor();
    assert.equal(await page.locator("[data-slider] tr[data-id]", { hasText: "STAYS" }).count(), 0);
    await page.locator("#clock-marks option[value='4']").waitFor({ state: "attached" }); // the marks are loaded apart
    assert.deepEqual(await page.locator("#clock-marks option").evaluateAll((all) => all.map(({ value }) => value).slice(0, 2)), ["3", "4"]);
    // Nothing moves before it is confirmed, and the dialog shows the same as a command.
    await page.locator("[data-slider] [data-act=advance]").focus();
    await page.keyboard.press("Enter");
    await page.locator("dialog button[type=submit]:not([disabled])").waitFor();
    const lines = await page.locator("dialog .line code").allInnerTexts();
    assert.match(lines[0], /-X POST .*\/v1\/clock\/advance .*"to":/);
    assert.equal(lines[1], `sundial clock advance --to ${later(45)}`);
    assert.equal((await api("GET", "/v1/clock")).now, now);
    await page.locator("dialog button[type=submit]").focus();
    await page.keyboard.press("Enter");
    await page.locator("[role=status].notice", { hasText: "1 delivered, 0 failed" }).waitFor();
    assert.equal((await api("GET", "/v1/clock")).now, later(45));
    assert.deepEqual([(await api("GET", `/v1/events/${passed.id}`)).status, (await api("GET", `/v1/events/${stays.id}`)).status], ["COMPLETED", "PENDING"]);
    await page.locator(`[data-clock='${later(45)}']`).waitFor();
    await page.locator(`[data-slider] [data-to='${later(60)}']`).waitFor(); // the slider is at its first step again
    await page.locator(`[data-inbox='${inbox.id}'] tr[data-id]`, { hasText: passed.idempotencyKey }).waitFor();
    // A reach of an hour has steps of a minute, and a button moves without the slider.
    await page.locator("[data-slider] select").selectOption("PT1H");
    await page.locator(`[data-slider] [data-to='${later(46)}']`).waitFor();
    await page.locator("section .buttons [data-act=advance]", { hasText: "+1 minute" }).click();
    await page.locator("dialog button[type=submit]").click();
    await page.locator("[role=status].notice", { hasText: "1 delivered" }).waitFor();
    await until(async () => (await api("GET", `/v1/events/${stays.id}`)).status === "COMPLETED", "the button delivered");
  }, TEST_CLOCK),

  /** A killed server: the page says so, keeps what it knew, shows nothing as done, and comes back by itself. */
  lost: () => withConsole(async ({ newPage, api, url, server, startAgain }) => {
    const page = await newPage();
    const event = await api("POST", "/v1/events", newEvent());
    await open(page, `${url}/ui/#/events/${event.id}`);
    await page.locator("h1 [data-state=PENDING]").waitFor();
    await server.kill();
    await page.locator("[data-lost=server]").waitFor();
    await page.locator("h1 [data-state=PENDING]").waitFor();
    await page.locator("[data-act=cancel]").click();
    await page.locator("dialog button[type=submit]").click();
    await page.locator("dialog .refused").waitFor();
    assert.equal(await page.locator(".notice").count(), 0);
    await startAgain();
    await page.locator("dialog button[type=submit]").click();
    await page.locator("h1 [data-state=CANCELLED]").waitFor();
    await page.locator("[data-lost]").waitFor({ state: "detached" });
    // And it follows changes of others again.
    const other = await api("POST", "/v1/events", newEvent({ eventType: "LATER" }));
    await turn(page, `#/events/${other.id}`);
    await page.locator("h1 [data-state=PENDING]").waitFor();
    await api("DELETE", `/v1/events/${other.id}`);
    await page.locator("h1 [data-state=CANCELLED]").waitFor();
  }),
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !SUITES[name]);
if (unknown.length > 0) throw new Error(`no suite ${unknown.join(", ")}: choose of ${Object.keys(SUITES).join(", ")}`);
const failed = [];
for (const [name, suite] of Object.entries(SUITES)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const begun = Date.now();
  await suite().catch((error) => { failed.push(name); console.error(`${name}: ${error.stack}`); });
  console.log(`${name} ${Date.now() - begun} ms`);
}
await closeBrowser();
assert.deepEqual(failed, [], "suites that failed");
