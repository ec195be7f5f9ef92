// Each page in Chromium against the real program: an action changes what it says. usage: node pages.mjs
import { randomUUID } from "node:crypto";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { act, closeBrowser, newEvent, open, receiver, until, withConsole } from "./harness.mjs";

const MARKUP = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';

/** Refuses one request, as a server in trouble does. */
const refuseOnce = (page, path) => page.route(path, (route) => route.fulfill({ status: 500, contentType: "application/problem+json", json: { code: "INTERNAL", detail: "no count" } }), { times: 1 });
/** The open dialog says that its count failed, and counts again when asked to. */
const countAgain = (page) => page.locator("dialog [data-not-counted]", { hasText: "INTERNAL" }).locator("> button").click();

const PAGES = {
  async overview({ page, api, url }) {
    await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now+30m", eventType: "SOON" }));
    await page.goto(url);
    assert.equal(new URL(page.url()).pathname, "/ui/");
    await page.locator("text=SOON").waitFor();
    await page.locator(".figure[data-figure=pending]").click();
    await page.locator("main[data-place*='status=PENDING'] tr[data-id]").first().waitFor();
    // An event of a paused schedule waits, and the list of the next ones says so.
    const paused = await api("POST", "/v1/schedules", { eventType: "WAITS", trigger: { every: "PT20M" } });
    await api("PATCH", `/v1/schedules/${paused.id}`, { enabled: false });
    await open(page, `${url}/ui/#/overview`);
    await page.locator("tr[data-id]", { hasText: "WAITS" }).locator("[data-state=paused]").waitFor();
    assert.equal(await page.locator("tr[data-id]", { hasText: "SOON" }).locator("[data-state=paused]").count(), 0);
    await api("DELETE", `/v1/schedules/${paused.id}`);
    await page.locator(".chart canvas").first().waitFor();
    await page.locator(".chart summary").first().click();
    await page.locator(".chart details[open] table").waitFor();
    // A line with a single measured point, which has nothing to connect, shows that point.
    const good = await receiver(204);
    const endpoint = await api("POST", "/v1/endpoints", { name: "one", type: "WEBHOOK", url: good.url });
    await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now", endpointId: endpoint.id }));
    await until(async () => (await api("GET", "/v1/stats/series?metric=lateness_p50&from=now-1h&step=PT1M")).data[0]?.points.filter((point) => point !== null).length === 1, "one measured minute");
    await page.reload();
    await page.locator(".chart canvas").nth(1).waitFor();
    await page.waitForFunction(() => {
      const canvas = document.querySelectorAll(".chart canvas")[1];
      if (!canvas?.width || !canvas.height) return false; // not drawn yet
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let coloured = 0; // axes and text are grey
      for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 128 && Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 80) coloured++;
      return coloured > 10;
    });
    // Where the percentiles are equal, each of their lines is still seen.
    await page.route(/\/v1\/stats\/series\?metric=executed/, (route) => route.fulfill({ json: { from: new Date(Date.now() - 3_600_000).toISOString(), step: "PT1M",
      data: ["lateness_p50", "lateness_p95", "lateness_p99"].map((metric) => ({ metric, key: null, points: Array.from({ length: 60 }, () => 2) })) } }));
    await page.reload();
    await page.locator(".chart canvas").nth(1).waitFor();
    await page.waitForFunction(() => {
      const canvas = document.querySelectorAll(".chart canvas")[1];
      if (!canvas?.width || !canvas.height) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const drawn = new Map();
      for (let at = 0; at < data.length; at += 4) { const colour = `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`; drawn.set(colour, (drawn.get(colour) ?? 0) + 1); }
      return [0, 1, 2].every((tone) => (drawn.get(getComputedStyle(document.querySelector(`.legend .tone${tone}`)).stroke) ?? 0) > 50);
    });
    await page.unrouteAll({ behavior: "wait" });
    good.stop();
  },

  async events({ page, api, url }) {
    const ids = [];
    for (const type of ["A", "A", "B"]) ids.push((await api("POST", "/v1/events", newEvent({ eventType: type }))).id);
    await open(page, `${url}/ui/#/events`);
    await page.locator("tr[data-id]").nth(2).waitFor();
    await page.locator("#suggest-eventType option[value=B]").waitFor({ state: "attached" });
    assert.deepEqual((await page.locator("#suggest-eventType option").evaluateAll((all) => all.map((one) => one.value))).filter((type) => type.length === 1).sort(), ["A", "B"]);
    await page.fill("input[name=eventType]", "A");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.includes("eventType=A") && document.querySelectorAll("tr[data-id]").length === 2);
    await page.locator("[data-total='2'][data-complete=true]").waitFor();
    await refuseOnce(page, "**/v1/bulk");
    const lines = await act(page, "bulkCancel", { fill: async () => { await countAgain(page); await page.locator("dialog [data-count='2']").waitFor(); } });
    assert.match(lines[0], /curl .*\/v1\/bulk .*"perSecond":50/);
    assert.equal(lines[1], "sundial event cancel --type A --per-second 50");
    await page.locator("[data-operation=COMPLETED]").waitFor();
    await page.waitForFunction(() => document.querySelectorAll("tr[data-id] [data-state=CANCELLED]").length === 2);
    // A view is kept by the browser, and an export has all rows of the filter.
    await page.locator(".views summary").click();
    await page.fill(".views input", "only A");
    await page.keyboard.press("Enter");
    await open(page, `${url}/ui/#/events`);
    await page.locator("tr[data-id]").nth(2).waitFor();
    await page.locator(".views a", { hasText: "only A" }).click();
    await page.waitForFunction(() => document.querySelectorAll("tr[data-id]").length === 2);
    const [file] = await Promise.all([page.waitForEvent("download"), page.locator("[data-export=CSV]").click()]);
    const csv = readFileSync(await file.path(), "utf8").trim().split("\r\n");
    assert.match(csv[0], /^id,eventType,status,/);
    assert.deepEqual(csv.slice(1).map((row) => row.split(",")[0]).sort(), ids.slice(0, 2).sort());
    // Beyond its bound the server stops counting, and the page says so. 10,000 real events would take too long here.
    const bounded = async (route) => { const answer = await route.fetch(); await route.fulfill({ response: answer, json: { ...await answer.json(), totalCount: 10_000, totalCountComplete: false } }); };
    await page.route(/\/v1\/events\?/, bounded);
    await page.reload();
    await page.locator("[data-total][data-complete=false]", { hasText: "10,000 or more" }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    const states = await Promise.all(ids.map(async (id) => (await api("GET", `/v1/events/${id}`)).status));
    assert.deepEqual(states, ["CANCELLED", "CANCELLED", "PENDING"]);
  },

  async event({ page, api, url }) {
    const failing = await receiver(400);
    const endpoint = await api("POST", "/v1/endpoints", { name: "r", type: "WEBHOOK", url: failing.url });
    const event = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: undefined, targetTimestampLocal: "2030-03-31T02:30", targetTimezone: "Europe/Berlin",
      endpointId: endpoint.id, deliveryPayload: { text: MARKUP } }));
    await open(page, `${url}/ui/#/events/${event.id}`);
    // The payload is shown as text, and nothing in it ran.
    await page.locator("pre.payload").waitFor();
    assert.ok((await page.locator("pre.payload").innerText()).includes("<img src=x"));
    assert.equal(await page.locator("main img, main script, main b").count(), 0);
    await page.locator(`main dd a[href*='endpoints/${endpoint.id}']`, { hasText: /^r$/ }).waitFor(); // by its name
    for (const step of ["rule", "local", "zone", "utc", "now"]) await page.locator(`[data-step=${step}]`).waitFor();
    // An arrow leads to each step but the first, and the steps say times as the page does.
    assert.deepEqual(await page.locator(".chain > li").evaluateAll((steps) => steps.map((step) => getComputedStyle(step, "::before").content !== "none")), [false, true, true, true, true]);
    await page.locator("[data-step=utc]", { hasText: /due at Sun, Mar 31, 2030, 01:30:00 \+00:00/ }).waitFor();
    const lines = await act(page, "reschedule", { fill: () => page.fill("dialog input", "2030-04-01T10:30:15") });
    assert.match(lines[1], /sundial event reschedule .* --at 2030-04-01T10:30:15 --timezone Europe\/Berlin/);
    await page.locator(".notice").waitFor();
    assert.equal((await api("GET", `/v1/events/${event.id}`)).targetTimestampUTC, "2030-04-01T08:30:15.000Z");
    await page.locator("[data-step=utc] time[datetime='2030-04-01T08:30:15.000Z']").waitFor();
    // The next change is of the version that the page shows, and the explanation is loaded apart.
    await page.locator(`h1[data-version='${(await api("GET", `/v1/events/${event.id}`)).version}']`).waitFor();
    // A number with more digits than JavaScript has stays as it was typed.
    await act(page, "edit", { fill: () => page.fill("dialog textarea", '{"n":12345678901234567890}') });
    await page.locator("pre.payload", { hasText: "12345678901234567890" }).waitFor();
    await act(page, "fire");
    await page.locator("h1 [data-state=FAILED]").waitFor();
    await page.locator("[data-attempt='1'] [data-state=PERMANENT]").waitFor();
    await page.locator("[data-response='1'] summary").click();
    assert.equal(await page.locator("[data-response='1'] pre").innerText(), "<b>receiver</b>");
    // The response has the width of the table.
    const widthOf = (selector) => page.locator(selector).evaluate((shown) => shown.getBoundingClientRect().width);
    assert.ok(await widthOf("[data-response='1'] pre") > 0.9 * await widthOf("tr[data-attempt='1']"));
    // The response is beside the reason and in the result, as text.
    await page.locator("dd [data-cause]", { hasText: "<b>receiver</b>" }).waitFor();
    await page.locator("[data-step=result] [data-cause]", { hasText: "<b>receiver</b>" }).waitFor();
    await page.locator("[data-step=utc] time", { hasText: /\+00:00$/ }).waitFor();
    await act(page, "retry");
    await page.waitForFunction((id) => !location.hash.includes(id), event.id); // a retry is a new event
    const retried = decodeURIComponent((await page.evaluate(() => location.hash)).split("/").pop());
    assert.equal((await api("GET", `/v1/events/${retried}`)).retryOf, event.id);
    assert.notEqual(await page.title(), "owned");
    await until(async () => (await api("GET", `/v1/events/${retried}`)).status === "FAILED", "the new event was refused too");
    failing.stop();
  },

  async deadLetters({ page, api, url }) {
    const failing = await receiver(404);
    const endpoint = await api("POST", "/v1/endpoints", { name: "dead", type: "WEBHOOK", url: failing.url });
    for (let count = 0; count < 3; count++) await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now", endpointId: endpoint.id }));
    const failures = async () => (await api("GET", "/v1/stats/failures?by=endpointId")).data.find((group) => group.endpointId === endpoint.id)?.count ?? 0;
    await until(async () => (await failures()) === 3, "three dead letters");
    await open(page, `${url}/ui/#/deadLetters?by=endpointId`);
    const row = `tr[data-id='${endpoint.id}']`;
    await page.locator(row).locator("a", { hasText: /^dead$/ }).waitFor(); // by its name
    await page.locator(row).locator("[data-cause]", { hasText: "<b>receiver</b>" }).waitFor();
    await page.locator(row).locator("summary").click();
    await page.locator(row).locator("pre.payload", { hasText: '"text": "x"' }).waitFor();
    const { totalCount } = await api("GET", "/v1/events?status=FAILED&dismissed=false&count=exact&limit=1"); // no other test leaves an event under way
    await page.locator(`[data-total='${totalCount}'][data-complete=true]`).waitFor();
    // The list of events shows the names of related objects too.
    await open(page, `${url}/ui/#/events?endpointId=${endpoint.id}`);
    await page.locator("details.columns summary").first().click();
    await page.locator("details.columns label", { hasText: "Endpoint" }).locator("input").check();
    await page.locator("tr[data-id] a", { hasText: /^dead$/ }).nth(2).waitFor();
    await open(page, `${url}/ui/#/deadLetters?by=endpointId`);
    await page.locator(row).waitFor();
    // A dismissal keeps the words of the person who did it.
    const [first] = (await api("GET", `/v1/events?status=FAILED&endpointId=${endpoint.id}&limit=1`)).data;
    await open(page, `${url}/ui/#/events/${first.id}`);
    const said = await act(page, "dismiss", { fill: () => page.fill("dialog input[name=note]", MARKUP) });
    assert.match(said[1], /^sundial dlq dismiss .* --note /);
    await page.locator("[data-dismissal-note]", { hasText: "<img src=x" }).waitFor();
    // The caller, as a fact and as an entry of the event's audit stream.
    await page.locator("dl [data-actor=loopback]").waitFor();
    await page.locator("[data-audit] tr", { has: page.locator("[data-action=EventDismissed]") }).locator("[data-actor=loopback]").waitFor();
    await api("PATCH", `/v1/events/${first.id}`, { dismissed: false });
    await page.locator("[data-dismissal-note]").waitFor({ state: "detached" });
    await open(page, `${url}/ui/#/deadLetters?by=endpointId`);
    await act(page, "bulkDismiss", { within: row, fill: async () => { await page.locator("dialog [data-count='3']").waitFor(); await page.fill("dialog input[name=note]", "shop closed"); } });
    await page.locator("[data-operation=COMPLETED]").waitFor();
    const dismissed = (await api("GET", `/v1/events?status=FAILED&endpointId=${endpoint.id}`)).data;
    assert.deepEqual(dismissed.map((event) => event.dismissalNote), ["shop closed", "shop closed", "shop closed"]);
    for (const { id } of dismissed) await api("PATCH", `/v1/events/${id}`, { dismissed: false });
    await page.reload();
    await page.locator(row).waitFor();
    failing.answer(200);
    const lines = await act(page, "bulkRetry", { within: row, fill: async () => { await page.locator("dialog [data-count='3']").waitFor(); await page.fill("dialog input[name=pace]", "20"); } });
    assert.equal(lines[1], `sundial event retry --endpoint ${endpoint.id} --per-second 20`);
    await page.locator("[data-operation=COMPLETED]").waitFor();
    await page.locator(row).waitFor({ state: "detached" });
    await until(async () => (await api("GET", `/v1/events?status=COMPLETED&endpointId=${endpoint.id}`)).data.length === 3, "three events delivered");
    failing.stop();
  },

  async timeline({ page, api, url }) {
    const good = await receiver(204);
    const endpoint = await api("POST", "/v1/endpoints", { name: "narrow", type: "WEBHOOK", url: good.url, rateLimit: { perSecond: 1 } });
    const hour = 3_600_000, start = new Date(Math.ceil((Date.now() + 2 * hour) / hour) * hour);
    const at = start.toISOString(), ends = new Date(start.getTime() + hour).toISOString();
    // Two schedules with 3,600 events each in the same hour, in which the endpoint accepts 3,600.
    for (const eventType of ["ONE", "TWO"]) {
      await api("POST", "/v1/schedules", { eventType, trigger: { every: "PT1S" }, timezone: "Europe/Berlin", endpointId: endpoint.id, startsAt: at, endsAt: ends });
    }
    // The next 09:00 where hours begin at a quarter, in the hour in UTC that contains it. One of the two is not about now.
    const [quarter, nine] = [["Asia/Kathmandu", 3.25], ["Australia/Eucla", 0.25]].map(([zone, after]) => {
      const next = new Date(Math.floor(Date.now() / (24 * hour)) * 24 * hour + after * hour);
      if (next.getTime() < Date.now() + hour) next.setTime(next.getTime() + 24 * hour);
      return [zone, next];
    }).find(([, next]) => next.getTime() < Date.now() + 23 * hour);
    await api("POST", "/v1/events/batch", { events: Array.from({ length: 40 }, () => newEvent({ eventType: "NINE", targetTimestampUTC: nine.toISOString(), targetTimezone: quarter })) });
    const done = await api("POST", "/v1/events", newEvent({ eventType: "DONE", targetTimestampUTC: "now", targetTimezone: "Pacific/Chatham", endpointId: endpoint.id }));
    const { executedAt } = await until(async () => { const event = await api("GET", `/v1/events/${done.id}`); return event.status === "COMPLETED" && event; }, "an event of the past");

    await open(page, `${url}/ui/#/timeline?by=endpointId`);
    const cell = page.locator(`[data-key='${endpoint.id}'][data-at='${at}']`);
    await cell.waitFor();
    await page.locator(`[data-line='${endpoint.id}'] bdi`, { hasText: /^narrow$/ }).waitFor(); // the names are loaded apart
    // Above the limit: a mark and words, not only a colour.
    const expected = Number(await cell.getAttribute("data-value"));
    assert.ok(expected > 7000 && expected <= 7200, `${expected} expected`);
    assert.match(await cell.innerText(), /▲/);
    assert.match(await cell.getAttribute("aria-label"), /narrow, .* expected, above the limit of 3,600/);
    await page.locator("[data-summary] [data-over='1']").waitFor();
    await page.locator("[data-advice] [data-kind=limit]", { hasText: "PT2H" }).waitFor();
    assert.equal(await page.locator("[role=columnheader][data-now]").count(), 1);
    // A click lists what the cell holds.
    await cell.click();
    await page.locator("[data-part=later] tr[data-id]", { hasText: "ONE" }).first().waitFor();
    assert.ok((await page.evaluate(() => location.hash)).includes(`at=${encodeURIComponent(at)}`));
    await page.keyboard.press("Escape");
    await page.locator("[data-panel]").waitFor({ state: "detached" });

    // By zone: the advice for nine o'clock leads to its hour, and the keys to another one.
    await page.locator(".tabs a", { hasText: "Zone" }).click();
    await page.locator("[data-key='Europe/Berlin']").first().waitFor();
    await page.locator("[data-summary] [data-over='1'] a").waitFor(); // in each view
    await page.locator("[data-kind=nine]", { hasText: quarter }).locator("a").first().click();
    await page.locator("[data-part=planned] [data-total='40']").waitFor();
    // The link brings the hour into the frame and its lists into the window.
    await page.waitForFunction(() => {
      const frame = document.querySelector(".heat").getBoundingClientRect(), cell = document.querySelector("[data-cell][aria-selected=true]").getBoundingClientRect(), { top } = document.querySelector("[data-panel] h2").getBoundingClientRect();
      return cell.left >= frame.left && cell.right <= frame.right && top >= 0 && top <= innerHeight * 0.7;
    });
    await page.locator("[data-part=planned] tr[data-id]", { hasText: "NINE" }).nth(39).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("[data-panel]").waitFor({ state: "detached" });
    const zone = page.locator(`[data-key='Europe/Berlin'][data-at='${at}']`);
    await page.locator(`[data-key='Europe/Berlin'][data-at='${new Date(start.getTime() - hour).toISOString()}']`).focus();
    await page.keyboard.press("ArrowRight");
    assert.equal(await zone.evaluate((one) => one === document.activeElement), true);
    await page.keyboard.press("Enter");
    await page.locator("[data-part=later] tr[data-id]", { hasText: "TWO" }).first().waitFor();
    await page.waitForFunction(() => document.activeElement?.matches("[data-panel] h2"));

    // A shared address of an hour that has begun lists what finished in it.
    const past = new Date(Math.floor(new Date(executedAt).getTime() / hour) * hour).toISOString();
    await open(page, `${url}/ui/#/timeline?by=timezone&key=Pacific/Chatham&at=${past}`);
    await page.locator(`[data-part=past] tr[data-id='${done.id}'] [data-state=COMPLETED]`).waitFor();

    // By status, and as a table.
    await page.locator(".tabs a", { hasText: "Status" }).click();
    await page.locator("[data-line=PENDING]").waitFor();
    await page.locator("details.table summary").click();
    await page.locator("details.table tr[data-id]").first().waitFor();
    good.stop();
  },

  async lateEndpoints({ page, url }) {
    const started = new Date(Math.floor(Date.now() / 60_000 - 3) * 60_000).toISOString();
    await page.route(/\/v1\/stats\/series\?metric=lateness_p99/, (route) => route.fulfill({ json: { from: started, step: "PT1M", data: [
      { metric: "lateness_p99", key: "handler", points: [0.1, 42, 40] }, { metric: "lateness_p99", key: "other", points: [0.1, null, 0.3] }] } }));
    await open(page, `${url}/ui/#/overview`);
    await page.locator("[data-late] tr[data-id=handler]", { hasText: "42 s" }).locator(`time[datetime='${new Date(new Date(started).getTime() + 60_000).toISOString()}']`).waitFor();
    assert.equal(await page.locator("[data-late] tr[data-id]").count(), 1);
    await page.unrouteAll({ behavior: "wait" });
  },

  /** An endpoint that is late and gets more than it finishes: no estimate, and never "Nothing is overdue". */
  async fallingBehind({ page, api, url }) {
    const good = await receiver(204);
    const endpoint = await api("POST", "/v1/endpoints", { name: "till", type: "WEBHOOK", url: good.url });
    const schedule = await api("POST", "/v1/schedules", { eventType: "RECEIPT", trigger: { every: "PT2S" }, endpointId: endpoint.id, enabled: false });
    const from = new Date(Math.floor(Date.now() / 60_000 - 3) * 60_000).toISOString(), now = new Date().toISOString();
    const line = (metric, points) => ({ metric, key: endpoint.id, points });
    const finished = { count: 20 };
    // The counters of a minute take minutes, and an event that waits for a limit is a matter of milliseconds here.
    await page.route(/\/v1\/stats\/series\?metric=lateness_p99/, (route) => route.fulfill({ json: { from, step: "PT1M", data: [line("lateness_p99", [12, 30, 40, 41]), line("executed", [25, finished.count, finished.count, 3]), line("failed", [0, 0, 0, 0])] } }));
    await page.route(/\/v1\/stats\/heatmap/, (route) => route.fulfill({ json: { from, bucket: "PT1H", now, forecastTo: new Date(new Date(now).getTime() + 3_600_000).toISOString(), onlyNext: [], moreSchedules: false, data: [{ key: endpoint.id, limit: null, past: [0, 0], forecast: [300, 1500] }] } }));
    await page.route(/\/v1\/events\?status=PENDING&targetTo=now-1s/, (route) => route.fulfill({ json: { data: [{ scheduleId: schedule.id, waitingFor: "LIMIT", targetTimestampUTC: new Date(Date.now() - 41_000).toISOString() }], hasMore: false, nextCursor: null } }));
    await open(page, `${url}/ui/#/overview`);
    await page.reload();
    await page.locator(`[data-behind='${endpoint.id}']`, { hasText: "till: 1,800 events are expected in an hour, and it finishes 1,200." }).waitFor();
    await page.locator(".figure[data-figure=due]", { hasText: "1" }).waitFor();
    await page.locator("[data-schedules-behind='1']").waitFor();
    const said = await page.locator("main").innerText();
    assert.doesNotMatch(said, /Nothing is overdue|Caught up in/);
    // It finishes as many as it gets: late, but not falling behind.
    finished.count = 30;
    await page.reload();
    await page.locator(`[data-late] tr[data-id='${endpoint.id}']`).waitFor();
    await page.locator("[data-schedules-behind='1']").waitFor();
    assert.equal(await page.locator("[data-behind]").count(), 0);
    await page.unrouteAll({ behavior: "wait" });
    await api("DELETE", `/v1/schedules/${schedule.id}`);
    await page.reload();
    await page.locator("main dd", { hasText: "Nothing is overdue." }).waitFor();
    good.stop();
  },

  /** A disabled endpoint and the events that wait for it are on the overview, and none of them is in progress. */
  async disabledEndpoints({ page, api, url }) {
    const good = await receiver(204);
    const endpoint = await api("POST", "/v1/endpoints", { name: "partner", type: "WEBHOOK", url: good.url });
    await api("PATCH", `/v1/endpoints/${endpoint.id}`, { enabled: false });
    const event = await api("POST", "/v1/events", newEvent({ eventType: "HELD", targetTimestampUTC: "now", endpointId: endpoint.id }));
    await until(async () => (await api("GET", `/v1/events/${event.id}`)).waitingFor === "ENDPOINT", "the event waits");
    await open(page, `${url}/ui/#/overview`);
    const row = page.locator(`[data-disabled] tr[data-id='${endpoint.id}']`, { hasText: "partner" });
    await row.locator("a[data-waiting='1']").click();
    const state = page.locator(`tr[data-id='${event.id}'] td[data-label=Status]`);
    await state.locator("[data-state=WAITS_ENDPOINT]", { hasText: "Waits: endpoint disabled" }).waitFor();
    assert.equal(await state.locator("[data-state=PROCESSING]").count(), 0);
    await open(page, `${url}/ui/#/events/${event.id}`);
    await page.locator("h1 [data-state=WAITS_ENDPOINT]").waitFor();
    await api("PATCH", `/v1/endpoints/${endpoint.id}`, { enabled: true });
    await page.locator("h1 [data-state=COMPLETED]").waitFor();
    await open(page, `${url}/ui/#/overview`);
    await page.locator("[data-late]").waitFor();
    await page.waitForFunction(() => !document.querySelector("main [role=status].quiet")); // nothing is loading
    assert.equal(await page.locator(`[data-disabled] tr[data-id='${endpoint.id}']`).count(), 0);
    good.stop();
  },

  async schedules({ page, api, url }) {
    const target = await api("POST", "/v1/endpoints", { name: "night shop", type: "INBOX" });
    const schedule = await api("POST", "/v1/schedules", { eventType: "NIGHTLY", trigger: { cron: "30 2 * * *" }, timezone: "Europe/Berlin", endpointId: target.id });
    await open(page, `${url}/ui/#/schedules`);
    await page.locator(`tr[data-id='${schedule.id}'] a`, { hasText: /^night shop$/ }).waitFor(); // by its name
    await page.locator(`tr[data-id='${schedule.id}'] a`).first().click();
    await page.locator("h1 [data-state=enabled]").waitFor();
    await page.locator("main tbody tr").nth(5).waitFor(); // next occurrences
    await page.locator("main dd", { hasText: /^at the change$/ }).waitFor(); // policies in words
    assert.equal(await page.locator("main dt", { hasText: /^Tags$/ }).count(), 0); // nothing to show
    // The next change of clocks is beyond them. In autumn 02:30 comes twice, in spring not at all.
    await page.locator("[data-at-change] [data-note^=gap_], [data-at-change] [data-note^=overlap_]").first().waitFor();
    await act(page, "pause", { fill: () => page.fill("dialog input[name=note]", "release night") });
    await page.locator("h1 [data-state=paused]").waitFor();
    assert.deepEqual((({ enabled, note }) => ({ enabled, note }))(await api("GET", `/v1/schedules/${schedule.id}`)), { enabled: false, note: "release night" });
    // Who did it is on the page, and the occurrences are marked as not coming.
    await page.locator("[data-paused-by] [data-actor=loopback]").waitFor();
    await page.locator("[data-paused-by] time").waitFor();
    await page.locator("[data-would-be]").waitFor();
    await page.locator("main dd", { hasText: /^none while it is paused$/ }).waitFor();
    // Its events arrive filtered, with a mark that says by what and can be removed.
    await page.locator("main p a", { hasText: /^Events$/ }).click();
    await page.locator("[data-mark=scheduleId] bdi", { hasText: /^NIGHTLY$/ }).waitFor();
    await page.fill("input[name=eventType]", "NIGHTLY");
    await page.keyboard.press("Enter");
    await page.waitForFunction((id) => location.hash.includes(`scheduleId=${id}`) && location.hash.includes("eventType=NIGHTLY"), schedule.id);
    await page.locator("[data-mark=scheduleId] a").click();
    await page.waitForFunction(() => location.hash === "#/events?eventType=NIGHTLY");
    await page.locator("[data-mark]").waitFor({ state: "detached" });
    await open(page, `${url}/ui/#/schedules/${schedule.id}`);
    await act(page, "resume");
    await page.locator("h1 [data-state=enabled]").waitFor();
    await page.locator("[data-paused-by], [data-would-be]").first().waitFor({ state: "detached" });
    // A feed shows its address once, and is gone once it is revoked.
    const lines = await act(page, "addCalendar", { fill: () => page.fill("dialog input[name=name]", "nights") });
    assert.equal(lines[1], `sundial calendar add --schedule ${schedule.id} --name nights`);
    const feed = await page.locator("[data-feed]").innerText();
    assert.match(await (await fetch(feed)).text(), /^BEGIN:VCALENDAR/);
    await page.locator("[data-calendars] tr[data-id]", { hasText: "nights" }).waitFor();
    await act(page, "revoke");
    await page.locator("[data-calendars] [data-empty]").waitFor();
    assert.equal((await fetch(feed)).status, 404);
    await act(page, "trigger");
    await page.locator(".notice a").click();
    await page.locator("main[data-place^='#/events/'] h1", { hasText: "NIGHTLY" }).waitFor();
    assert.ok((await api("GET", `/v1/events?scheduleId=${schedule.id}`)).data.length >= 1);
  },

  /** A rule for the nearest weekday says from which day it moved. */
  async nearestWeekday({ page, api, url }) {
    const schedule = await api("POST", "/v1/schedules", { eventType: "CUTOFF", trigger: { cron: "15 8 13W * *" }, timezone: "America/New_York" });
    await open(page, `${url}/ui/#/schedules/${schedule.id}`);
    await page.locator("[data-nearest]", { hasText: /: (Saturday, .* 13 → Friday, .* 12|Sunday, .* 13 → Monday, .* 14)$/ }).first().waitFor();
    await page.locator("main td time", { hasText: /^(Mon|Tue|Wed|Thu|Fri), / }).first().waitFor();
    await api("DELETE", `/v1/schedules/${schedule.id}`);
  },

  async editSchedule({ page, api, url }) {
    const schedule = await api("POST", "/v1/schedules", { eventType: "NIGHTLY_EDIT", trigger: { cron: "30 2 * * *" }, timezone: "Europe/Berlin", jitter: "PT5M", payload: { keep: 1 } });
    const stored = () => api("GET", `/v1/schedules/${schedule.id}`);
    await open(page, `${url}/ui/#/schedules/${schedule.id}`);
    await page.locator("main [data-edit]").click();
    assert.equal(await page.locator("input[name=cron]").inputValue(), "30 2 * * *");
    assert.equal(await page.locator("input[name=jitter]").inputValue(), "PT5M");
    await page.locator("[data-unchanged]").waitFor();
    assert.ok(await page.locator("main form button[type=submit]").first().isDisabled());
    await page.locator("[data-goes='0'][data-comes='0']").waitFor();
    // An edit of the gap changes one day, an edit of the rule many.
    await page.fill("input[name=from]", "2027-03-27");
    await page.locator("select[name=gap]").selectOption("skip");
    await page.locator("tr[data-id=gap]", { hasText: "boundary" }).waitFor();
    await page.locator("[data-goes='1'][data-comes='1']").waitFor();
    await page.locator("tr", { has: page.locator("[data-change=comes]") }).locator("[data-note=gap_skipped]").waitFor();
    await page.fill("input[name=tags]", "night house");
    await page.fill("input[name=cron]", "30 2 * * MON");
    await page.locator("tr[data-id=trigger]").waitFor();
    await page.locator("[data-change=goes]").nth(3).waitFor();
    // The page shows another caller's change, and mine goes on top of it.
    await api("PATCH", `/v1/schedules/${schedule.id}`, { gap: "later", overlap: "both" });
    await page.locator("[data-conflict]").waitFor();
    await page.locator("[data-conflict] tr[data-id=gap]", { hasText: "later" }).waitFor();
    await page.locator("[data-conflict] tr[data-id=overlap]", { hasText: "both" }).waitFor();
    assert.ok(await page.locator("main form button[type=submit]").first().isDisabled());
    await page.locator("[data-keep]").click();
    await page.locator("[data-conflict]").waitFor({ state: "detached" });
    assert.equal(await page.locator("select[name=overlap]").inputValue(), "both");
    await page.locator("main form button[type=submit]").first().click();
    await page.locator("dialog button[type=submit]:not([disabled])").waitFor();
    const lines = await page.locator("dialog .line code").allInnerTexts();
    assert.match(lines[1], /^sundial schedule set .* --data .*"gap":"skip".* --if-match 2$/);
    await page.locator("dialog button[type=submit]").click();
    await page.locator("h1 [data-state=enabled]").waitFor();
    await page.locator("[data-operation]").waitFor();
    const now = await stored();
    assert.deepEqual([now.trigger.cron, now.gap, now.overlap, now.jitter, now.payload, now.tags, now.version], ["30 2 * * MON", "skip", "both", "PT5M", { keep: 1 }, ["house", "night"], 3]);
    // A change that the page has not heard of yet is refused, shown, and discarded with mine.
    await page.locator("main [data-edit]").click();
    await page.fill("textarea[name=payload]", '{"n":12345678901234567890}');
    await page.locator("main form button[type=submit]").first().click();
    await page.locator("dialog button[type=submit]:not([disabled])").waitFor();
    await page.route(/\/v1\/schedules\//, async (route) => {
      if (route.request().method() === "PATCH") await api("PATCH", `/v1/schedules/${schedule.id}`, { note: "by another" });
      await route.continue();
    });
    await page.locator("dialog button[type=submit]").click();
    await page.locator("[data-conflict]").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    assert.deepEqual((await stored()).payload, { keep: 1 });
    await page.locator("[data-keep]").click();
    await page.locator("main form button[type=submit]:not([disabled])").first().click();
    await page.locator("dialog button[type=submit]").click();
    await page.locator("pre.payload", { hasText: "12345678901234567890" }).waitFor();
    // A schedule that repeats after an elapsed time keeps its occurrences if only its payload changes.
    const every = await api("POST", "/v1/schedules", { eventType: "TICK", trigger: { every: "PT7H" } });
    await open(page, `${url}/ui/#/schedules/${every.id}?edit=true`);
    await page.fill("textarea[name=payload]", '{"a":1}');
    await page.locator("[data-goes='0'][data-comes='0']").waitFor();
    await open(page, `${url}/ui/#/schedules/${every.id}`);
    await act(page, "deleteSchedule");
    await page.waitForFunction(() => location.hash === "#/schedules");
    assert.equal((await fetch(`${url}/v1/schedules/${every.id}`)).status, 404);
  },

  async inbox({ page, api, url }) {
    const inbox = await api("POST", "/v1/endpoints", { name: "bin", type: "INBOX", retryPolicy: { delays: ["PT1S"] } });
    await open(page, `${url}/ui/#/endpoints/${inbox.id}`);
    await page.locator("[data-inbox-answer='204']").waitFor();
    assert.equal(await page.locator("select[name=inboxDelay] option:checked").innerText(), "0 ms"); // at once
    await page.selectOption("[data-inbox-answer] select[name=inboxStatus]", "400");
    const lines = await act(page, "answerSo");
    assert.match(lines[1], /^sundial endpoint set .* --inbox-status 400 --inbox-delay PT0S/);
    await page.locator("[data-inbox-answer='400']").waitFor();
    const event = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now", endpointId: inbox.id }));
    await until(async () => (await api("GET", `/v1/events/${event.id}`)).failureReason === "HTTP_STATUS 400", "a refusal");
    await page.locator("tr[data-id]", { hasText: event.idempotencyKey }).first().waitFor(); // it was received nevertheless
    // It has no secret: its requests are not signed until it gets one.
    const signature = (of, state) => page.locator("tr[data-id]", { hasText: of.idempotencyKey }).locator(`[data-state=${state}]`).first().waitFor();
    await signature(event, "MISSING");
    await act(page, "rotateSecret");
    await page.locator("[data-secret]", { hasText: /^whsec_/ }).waitFor();
    const signed = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now", endpointId: inbox.id }));
    await signature(signed, "VALID");
    await page.locator("tr[data-id]", { hasText: signed.idempotencyKey }).getByText("by the current secret").waitFor();
    await until(async () => (await api("GET", `/v1/events/${signed.id}`)).status === "FAILED", "a second refusal");
    // The server has found that someone changed what it kept. tests/e2e/endpoints.py does that.
    const changed = async (route) => { const answer = await route.fetch(), page = await answer.json(); await route.fulfill({ response: answer, json: { ...page, data: page.data.map((one) => ({ ...one, signature: { state: "INVALID", secret: null, ageMs: 90_000 } })) } }); };
    await page.route(/\/inbox\?/, changed);
    await signature(signed, "INVALID");
    await page.getByText("timestamp 1.5 min before arrival").first().waitFor();
    await page.unrouteAll({ behavior: "wait" });
  },

  async manySchedules({ page, api, url }) {
    const made = [];
    for (const externalId of ["many-1", "many-2", "many-3"]) made.push(await api("POST", "/v1/schedules", { externalId, eventType: "MANY", tags: externalId === "many-3" ? [] : ["moving", "attic"], trigger: { cron: "0 9 * * *" }, timezone: "Europe/Berlin" }));
    const enabled = async () => (await api("GET", "/v1/schedules?eventType=MANY")).data.map((one) => one.enabled);
    await open(page, `${url}/ui/#/schedules?eventType=MANY`);
    await page.locator("tr[data-id]").nth(2).waitFor();
    // A selection, then the whole filter.
    await page.locator(`tr[data-id='${made[1].id}'] input[type=checkbox]`).check();
    const lines = await act(page, "pause", { fill: async () => { await page.locator("dialog [data-count='1']").waitFor(); await page.fill("dialog input[name=note]", "moving house"); } });
    assert.equal(lines[1], `sundial schedule pause-many ${made[1].id} --note 'moving house'`);
    await page.locator("[data-operation=COMPLETED]").waitFor();
    await page.locator(`tr[data-id='${made[1].id}'] [data-state=paused]`).waitFor();
    assert.deepEqual(await enabled(), [true, false, true]);
    // The filter selects the two that are still enabled, and one operation pauses them.
    await refuseOnce(page, "**/v1/schedules/bulk");
    const filtered = await act(page, "pause", { fill: async () => { await countAgain(page); await page.locator("dialog [data-count='2']").waitFor(); } });
    assert.equal(filtered[1], "sundial schedule pause-many --enabled --type MANY");
    await page.locator("tr[data-id] [data-state=paused]").nth(2).waitFor();
    assert.deepEqual(await enabled(), [false, false, false]);
    await page.locator("[data-operation=COMPLETED]").waitFor();
    // Tags, in one operation too.
    await act(page, "changeTags", { fill: async () => { await page.locator("dialog [data-count='3']").waitFor(); await page.fill("dialog input[name=addTags]", "cellar, roof"); await page.fill("dialog input[name=removeTags]", "moving"); } });
    await page.locator(`tr[data-id='${made[2].id}'] [data-tag=roof]`).waitFor();
    await page.locator("[data-operation=COMPLETED]").waitFor(); // the others have it too
    assert.deepEqual((await api("GET", `/v1/schedules/${made[0].id}`)).tags, ["attic", "cellar", "roof"]);
    await act(page, "resume", { fill: () => page.locator("dialog [data-count='3']").waitFor() });
    await until(async () => (await enabled()).every((one) => one), "all resumed");
    await page.locator("[data-operation=COMPLETED]").waitFor();
    // By tag: pause what belongs together.
    await open(page, `${url}/ui/#/schedules`);
    await page.locator(`tr[data-id='${made[1].id}'] [data-tag=attic]`).click();
    await page.waitForFunction(() => location.hash === "#/schedules?tag=attic" && document.querySelectorAll("tr[data-id]").length === 2);
    await act(page, "pause", { fill: () => page.locator("dialog [data-count='2']").waitFor() });
    await page.locator(`tr[data-id='${made[1].id}'] [data-state=paused]`).waitFor();
    await page.locator("[data-operation=COMPLETED]").waitFor();
    assert.deepEqual(await enabled(), [false, false, true]);
    // A deletion of a whole tag.
    await act(page, "bulkDelete", { fill: () => page.locator("dialog [data-count='2']").waitFor() });
    await until(async () => (await enabled()).length === 1, "two deleted");
    for (const externalId of ["many-1", "many-2"]) await api("POST", "/v1/schedules", { externalId, eventType: "MANY", trigger: { cron: "0 9 * * *" }, timezone: "Europe/Berlin" });
    await open(page, `${url}/ui/#/schedules?eventType=MANY`);
    await page.waitForFunction(() => document.querySelectorAll("tr[data-id]").length === 3);
    // A view of schedules is kept apart from those of events.
    await page.locator(".views summary").click();
    await page.fill(".views input", "many");
    await page.keyboard.press("Enter");
    await open(page, `${url}/ui/#/schedules`);
    await page.locator(".views a", { hasText: "many" }).click();
    await page.waitForFunction(() => location.hash.includes("eventType=MANY") && document.querySelectorAll("tr[data-id]").length === 3);
  },

  async reschedule({ page, api, url }) {
    const ids = [];
    for (const hour of ["09", "11"]) ids.push((await api("POST", "/v1/events", newEvent({ eventType: "MOVED", targetTimestampUTC: undefined, targetTimestampLocal: `2030-05-01T${hour}:00`, targetTimezone: "Europe/Berlin" }))).id);
    const due = async () => (await Promise.all(ids.map((id) => api("GET", `/v1/events/${id}`)))).map((event) => event.targetTimestampUTC);
    await open(page, `${url}/ui/#/events?eventType=MOVED`);
    await page.locator("tr[data-id]").nth(1).waitFor();
    const lines = await act(page, "bulkReschedule", { fill: async () => {
      await page.fill("dialog input[name=amount]", "-30");
      await page.locator(`dialog tr[data-id='${ids[0]}'] time[datetime='2030-05-01T06:30:00.000Z']`).waitFor();
      await page.locator("dialog [data-count='2']").waitFor();
    } });
    assert.match(lines[0], /"action":"reschedule".*"set":\{"shift":"-PT30M"\}/);
    await page.locator("[data-operation=COMPLETED]").waitFor();
    assert.deepEqual(await due(), ["2030-05-01T06:30:00.000Z", "2030-05-01T08:30:00.000Z"]);
    // A selection, to one local time.
    await page.locator(`tr[data-id='${ids[1]}'] input[type=checkbox]`).check();
    await act(page, "bulkReschedule", { fill: async () => {
      await page.locator("dialog select[name=how]").selectOption("local");
      await page.fill("dialog input[name=local]", "2030-06-01T08:15:30");
      await page.locator("dialog [data-count='1']").waitFor();
    } });
    await until(async () => (await due())[1] === "2030-06-01T06:15:30.000Z", "the event moved");
    assert.equal((await due())[0], "2030-05-01T06:30:00.000Z");
  },

  // "Make a schedule for 02:30 in Berlin and choose what happens on 28 March."
  async newSchedule({ page, api, url }) {
    await open(page, `${url}/ui/#/schedules/new`);
    await page.fill("input[name=eventType]", "AT_NIGHT");
    await page.fill("input[name=cron]", "30 2 * * *");
    await page.fill("input[name=timezone]", "Europe/Berlin");
    await page.fill("input[name=from]", "2027-03-27");
    await page.locator("[data-note=gap_boundary], [data-note=gap_later]").waitFor();
    await page.locator("select[name=gap]").selectOption("earlier");
    await page.locator("[data-note=gap_earlier]").waitFor();
    await page.locator("select[name=gap]").selectOption("skip");
    await page.locator("[data-note=gap_skipped]").waitFor();
    await page.locator("form button[type=submit]").click();
    await page.locator("dialog button[type=submit]").click();
    await page.locator("h1", { hasText: "AT_NIGHT" }).waitFor();
    const { data } = await api("GET", "/v1/schedules?eventType=AT_NIGHT");
    assert.deepEqual([data[0].gap, data[0].timezone, data[0].trigger.cron], ["skip", "Europe/Berlin", "30 2 * * *"]);
    await open(page, `${url}/ui/#/schedules/new`);
    await page.fill("input[name=cron]", "61 2 * * *");
    await page.locator(".refused").waitFor(); // names the error while the user is typing
  },

  async endpoints({ page, api, url, newPage }) {
    const good = await receiver(204);
    const endpoint = await api("POST", "/v1/endpoints", { name: "crm", type: "WEBHOOK", url: good.url });
    await open(page, `${url}/ui/#/endpoints`);
    await page.locator(`tr[data-id='${endpoint.id}'] a`).click();
    await act(page, "test");
    await page.locator("[data-test=SUCCEEDED]").waitFor();
    await page.locator("[data-audit] tr", { has: page.locator("[data-action=EndpointTested]") }).locator("[data-actor=loopback]").waitFor();
    await act(page, "rotateSecret");
    const secret = await page.locator("[data-secret]").innerText();
    assert.match(secret, /^whsec_/);
    await api("POST", "/v1/events", newEvent({ endpointId: endpoint.id }));
    // The next change is of the version that the page shows, not of the one before the rotation.
    await page.locator(`h1[data-version='${(await api("GET", `/v1/endpoints/${endpoint.id}`)).version}']`).waitFor();
    // A count that fails says so, and is counted again. The page tries by itself too, so the button may be gone.
    let fails = true;
    await page.route(/\/v1\/events\?status=PENDING&endpointId=.*count=exact/, (route) => fails ? route.fulfill({ status: 500, contentType: "application/problem+json", json: { code: "INTERNAL", detail: "no count" } }) : route.continue());
    await act(page, "disable", { fill: async () => {
      await page.locator("dialog [data-not-counted] .refused", { hasText: "INTERNAL" }).waitFor();
      fails = false;
      await page.evaluate(() => document.querySelector("dialog [data-not-counted] button")?.click());
      await page.locator("dialog [data-held-back='1']").waitFor();
      await page.locator("dialog [data-not-counted]").waitFor({ state: "detached" });
    } });
    await page.unrouteAll({ behavior: "wait" });
    await page.locator("h1 [data-state=disabled]").waitFor();
    assert.equal((await api("GET", `/v1/endpoints/${endpoint.id}`)).enabled, false);
    await act(page, "enable");
    // A schedule has one planned event; its later occurrences would wait too.
    const hourly = await api("POST", "/v1/schedules", { eventType: "HOURLY", trigger: { every: "PT1H" }, endpointId: endpoint.id });
    // On a narrow screen the buttons stay in view below the lines, which have the width of the dialog.
    const narrow = await newPage({ viewport: { width: 360, height: 560 } });
    await open(narrow, `${url}/ui/#/endpoints/${endpoint.id}`);
    await narrow.locator("main [data-act=disable]").click();
    await narrow.locator("dialog [data-held-back]").waitFor();
    const { across, shown, line } = await narrow.locator("dialog").evaluate((dialog) => {
      const box = dialog.getBoundingClientRect(), button = dialog.querySelector("button[type=submit]").getBoundingClientRect();
      return { across: dialog.scrollWidth - dialog.clientWidth, shown: button.top >= box.top && button.bottom <= box.bottom, line: dialog.querySelector(".line code").getBoundingClientRect().width / box.width };
    });
    assert.deepEqual([across, shown], [0, true]);
    assert.ok(line > 0.85, `${line} of the dialog`);
    await narrow.close();
    await page.locator("main [data-act=disable]").click();
    await page.locator("dialog [data-held-back='2']").waitFor();
    const later = Number(await page.locator("dialog [data-with-later]").getAttribute("data-with-later"));
    assert.ok(later === 25 || later === 26, `${later} events`); // 24 or 25 of the schedule, and the reminder
    assert.equal(await page.locator("dialog [data-behind]").count(), 0);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.route(/waitingFor=RETRY,CIRCUIT,LIMIT&endpointId=/, (route) => route.fulfill({ json: { data: [], hasMore: true, nextCursor: "more", totalCount: 7, totalCountComplete: true } }));
    await page.route(/status=PENDING&endpointId=.*targetTo=now&/, (route) => route.fulfill({ json: { data: [{ scheduleId: hourly.id }, { scheduleId: null }], hasMore: false, nextCursor: null, totalCount: 2, totalCountComplete: true } }));
    await page.locator("main [data-act=disable]").click();
    await page.locator("dialog [data-behind='1']", { hasText: "misfire rule" }).waitFor();
    await page.locator("dialog [data-retries='7']").waitFor();
    await page.keyboard.press("Escape");
    await page.unrouteAll({ behavior: "wait" });
    await api("DELETE", `/v1/schedules/${hourly.id}`);
    await page.locator("h1 [data-state=enabled]").waitFor();
    await page.locator("[data-in-flight='0']").waitFor();
    await page.locator("main p a", { hasText: /^Pending$/ }).click();
    await page.locator("[data-mark=endpointId] bdi", { hasText: /^crm$/ }).waitFor();
    assert.equal(await page.locator("input[name=endpointId]").count(), 0); // the mark takes its place
    await open(page, `${url}/ui/#/endpoints/${endpoint.id}`);
    // Once the counters have them, the deliveries of the last hour are a share and two charts.
    const delivered = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now", endpointId: endpoint.id }));
    await until(async () => (await api("GET", `/v1/events/${delivered.id}`)).status === "COMPLETED", "a delivery");
    await until(async () => (await api("GET", "/v1/stats/series?metric=executed&by=endpointId")).data.some(({ key }) => key === endpoint.id), "the counters have it");
    await page.reload();
    await page.locator("[data-success='1']", { hasText: "100 % succeeded: 1 of 1." }).waitFor();
    await page.locator("dd", { hasText: /^0 % in the window of its circuit breaker$/ }).waitFor();
    assert.equal(await page.locator("[data-late-since]").count(), 0);
    const late = new Date(Math.floor(Date.now() / 60_000 - 2) * 60_000).toISOString();
    await page.route(/\/v1\/stats\/series\?metric=lateness_p99/, (route) => route.fulfill({ json: { from: late, step: "PT1M", data: [{ metric: "lateness_p99", key: endpoint.id, points: [58, 60] }] } }));
    await page.reload();
    await page.locator(`[data-late-since='${late}']`, { hasText: "p99 1 min, since" }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await page.locator(".chart canvas").nth(1).waitFor();
    // Dead letters of a window of time are sent again.
    good.answer(404);
    const failed = await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now", endpointId: endpoint.id }));
    await until(async () => (await api("GET", `/v1/events/${failed.id}`)).status === "FAILED", "the event failed");
    good.answer(204);
    await page.fill("input[name=executedFrom]", "now-10m");
    const recovered = await act(page, "recover", { fill: () => page.locator("dialog [data-count='1']").waitFor() });
    assert.equal(recovered[1], `sundial event retry --endpoint ${endpoint.id} --failed-from now-10m --failed-to now --per-second 50`);
    await page.locator("[data-operation=COMPLETED]").waitFor();
    await until(async () => (await api("GET", `/v1/events?status=COMPLETED&endpointId=${endpoint.id}`)).data.length === 2, "the event was delivered");
    // The console does not overwrite a change that its user has not seen.
    await page.locator("main [data-act=disable]").click();
    await api("PATCH", `/v1/endpoints/${endpoint.id}`, { name: "crm 2" });
    await page.locator("dialog button[type=submit]").click();
    await page.locator("dialog .refused code", { hasText: "OPTIMISTIC_LOCK" }).waitFor();
    assert.equal((await api("GET", `/v1/endpoints/${endpoint.id}`)).enabled, true);
    await page.keyboard.press("Escape");
    // The caller of a change of its settings is in its stream.
    await page.locator("[data-history]").click();
    await page.locator("tr", { hasText: "EndpointUpdated" }).first().getByText("loopback").waitFor();
    good.stop();
  },

  async operations({ page, api, url }) {
    const events = Array.from({ length: 400 }, () => newEvent({ eventType: "SLOW" })); // enough for 400 s
    await api("POST", "/v1/events/batch", { events });
    const operation = await api("POST", "/v1/bulk", { resource: "events", action: "cancel", filter: { eventType: "SLOW" }, perSecond: 1 });
    await open(page, `${url}/ui/#/operations?status=RUNNING`);
    await page.locator(`tr[data-id='${operation.id}'] progress`).waitFor();
    await page.locator(`tr[data-id='${operation.id}'] a`).click();
    await page.locator("h1 [data-state=RUNNING]").waitFor();
    await page.locator("[data-left]", { hasText: /about .* left/ }).waitFor();
    await act(page, "stop");
    await page.locator("h1 [data-state=STOPPED]").waitFor();
    assert.equal((await api("GET", `/v1/operations/${operation.id}`)).status, "STOPPED");
    // A part is shown as one; once all are done, their number is enough.
    await page.locator("[data-done]", { hasText: /\d of 400$/ }).waitFor();
    await api("POST", "/v1/events", newEvent({ eventType: "QUICK" }));
    const whole = await api("POST", "/v1/bulk", { resource: "events", action: "cancel", filter: { eventType: "QUICK" } });
    await open(page, `${url}/ui/#/operations/${whole.id}`);
    await page.locator("h1 [data-state=COMPLETED]").waitFor();
    await page.locator("dd [data-done='1']", { hasText: /^1$/ }).waitFor();
  },

  async locks({ page, api, url }) {
    await api("POST", "/v1/locks/nightly-report", { holder: "worker 3", ttl: "PT1H" });
    await open(page, `${url}/ui/#/locks?q=nightly`);
    await page.locator("tr[data-id=nightly-report]", { hasText: "worker 3" }).waitFor();
  },

  async streams({ page, api, url }) {
    await api("POST", "/v1/streams/Order/7", { events: [{ eventType: "OrderPlaced", data: { note: MARKUP } }, { eventType: "OrderShipped", data: {} }] });
    await open(page, `${url}/ui/#/streams?aggregateType=Order`);
    await page.locator("tr[data-id] a", { hasText: "7" }).click();
    await page.locator("tr[data-id='1'] summary").click();
    assert.ok((await page.locator("tr[data-id='1'] pre").innerText()).includes("<img src=x"));
    await page.locator("tr[data-id='2']", { hasText: "OrderShipped" }).waitFor();
    // Changes appear while they happen.
    await open(page, `${url}/ui/#/streams`);
    await page.locator("[data-live='0']").waitFor();
    const heard = page.locator("[data-live] tr[data-id]", { hasText: "firstName" }).first();
    await until(async () => { // one change may come before the page has opened its stream
      await api("POST", "/v1/users", { firstName: "Live", lastName: "Change", dateOfBirth: "1991-10-03", timezone: "UTC" });
      return heard.waitFor({ timeout: 2000 }).then(() => true, () => false);
    }, "a change is shown");
    // The record of a schedule says from what to what each member has changed.
    const schedule = await api("POST", "/v1/schedules", { eventType: "RECORDED", trigger: { cron: "0 9 * * *" }, timezone: "UTC" });
    await api("PATCH", `/v1/schedules/${schedule.id}`, { trigger: { cron: "0 10 * * *" }, note: MARKUP });
    await open(page, `${url}/ui/#/streams/${encodeURIComponent(`Schedule/${schedule.id}`)}`);
    await page.locator("tr[data-id='2'] [data-member=trigger]", { hasText: '{"cron":"0 9 * * *"} → {"cron":"0 10 * * *"}' }).waitFor();
    await page.locator("tr[data-id='2'] [data-member=note]", { hasText: "<img src=x" }).waitFor();
    await page.locator("h1", { hasText: "Schedule RECORDED" }).waitFor();
    // A list shows the name that is known without reading the schedule again.
    const asked = [];
    const note = (request) => { if (new URL(request.url()).pathname === `/v1/schedules/${schedule.id}`) asked.push(request.url()); };
    page.on("request", note);
    await open(page, `${url}/ui/#/streams?aggregateType=Schedule`);
    await page.locator("tr[data-id]", { hasText: schedule.id }).getByText("RECORDED").waitFor();
    assert.deepEqual(asked, []);
    page.off("request", note);
    await open(page, `${url}/ui/#/streams/${encodeURIComponent(`Schedule/${schedule.id}`)}`);
    await page.locator("[data-object]", { hasText: "Schedules: RECORDED" }).click();
    await page.locator("main[data-place^='#/schedules/'] h1", { hasText: "RECORDED" }).waitFor();
  },

  async people({ page, api, url }) {
    // Half a year from now, so that a move to an earlier zone does not bring the birthday into the past.
    const month = (new Date().getUTCMonth() + 6) % 12 + 1;
    const user = await api("POST", "/v1/users", { firstName: "Ada", lastName: "Lind", dateOfBirth: `1990-${String(month).padStart(2, "0")}-17`, timezone: "Asia/Kolkata" });
    await open(page, `${url}/ui/#/people?birthMonth=${month}&birthDay=17`);
    await page.locator("tr[data-id]", { hasText: "Ada Lind" }).waitFor();
    // The planned birthday of that person, at its instant.
    const [event] = await until(async () => { const { data } = await api("GET", `/v1/events?userId=${user.id}`); return data.length > 0 && data; }, "a planned birthday");
    const after = new Date(new Date(event.targetTimestampUTC).getTime() + 1000).toISOString();
    await open(page, `${url}/ui/#/occurrences?from=${event.targetTimestampUTC}&to=${after}`);
    await page.locator("tr[data-id]", { hasText: "BIRTHDAY" }).locator("a", { hasText: "Ada Lind" }).waitFor(); // by name
    // Of one schedule and one person, and the next persons of the schedule.
    await page.fill("input[name=scheduleId]", "ext:birthday");
    await page.fill("input[name=userId]", user.id);
    await page.keyboard.press("Enter");
    await page.locator("[data-mark=scheduleId] bdi", { hasText: /^BIRTHDAY$/ }).waitFor();
    await page.locator("[data-mark=userId] bdi", { hasText: /^Ada Lind$/ }).waitFor();
    await page.locator("tr[data-id]", { hasText: "BIRTHDAY" }).locator("a", { hasText: /^BIRTHDAY$/ }).click();
    await page.locator(`main tr[data-id='${event.id}']`, { hasText: "Ada Lind" }).waitFor();
    await page.locator(`main tr[data-id='${event.id}'] a`, { hasText: "Ada Lind" }).click();
    // Five birthdays, and how a move to Tokyo would change them.
    await page.locator("h1", { hasText: "Ada Lind" }).waitFor();
    await page.locator("[role=region][aria-label='The next five years'] tr[data-id]").nth(4).waitFor();
    assert.equal(await page.locator("[data-incomplete]").count(), 0);
    await page.fill("input[name=to]", "Asia/Tokyo");
    await page.keyboard.press("Enter");
    const moves = page.locator("[data-what-if='Asia/Tokyo'] [data-moves]");
    await moves.nth(4).waitFor();
    assert.deepEqual([...new Set(await moves.allInnerTexts())], ["−3 h 30 min"]); // from +05:30 to +09:00, in every month
    assert.equal((await api("GET", `/v1/users/${user.id}`)).timezone, "Asia/Kolkata");
    const lines = await act(page, "movePerson");
    assert.equal(lines[1], `sundial user set ${user.id} --timezone Asia/Tokyo --if-match 1`);
    await page.locator("dd", { hasText: /^Asia\/Tokyo$/ }).waitFor();
    await until(async () => (await api("GET", `/v1/events/${event.id}`)).targetTimezone === "Asia/Tokyo", "the birthday moved");
  },

  async configuration({ page, url }) {
    await open(page, `${url}/ui/#/configuration`);
    await page.locator("tr[data-id='http.rate_limit_per_second']", { hasText: "1000" }).waitFor();
    await page.locator("tr[data-id='security.encryption_key']", { hasText: "***" }).waitFor();
    await page.locator(".tabs a").nth(1).click();
    await page.locator("tr[data-id='http.rate_limit_per_second']").waitFor({ state: "detached" });
    await page.locator("tr[data-id='http.listen'] [data-origin='--http.listen']").waitFor();
    await page.fill("input[name=q]", "delivery");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("tr[data-id]").length === 1);
    await page.locator("tr[data-id='delivery.allow_private']", { hasText: "true" }).waitFor();
  },

  async reference({ page, url }) {
    await open(page, `${url}/ui/#/reference?q=/v1/locks`);
    await page.locator("[data-operation-id=acquireLock] summary").click();
    await page.locator("[data-operation-id=acquireLock]", { hasText: "holder" }).waitFor();
    assert.equal(await page.locator("[data-operation-id=listUsers]").count(), 0);
  },

  async zones({ page, url }) {
    await open(page, `${url}/ui/#/zones?q=Lord_Howe`);
    await page.locator("tr[data-id='Australia/Lord_Howe']", { hasText: /\+1[01]:[03]0 → \+1[01]:[03]0/ }).waitFor();
    await page.locator("[data-impact='0']").waitFor();
    // A release on disk that differs, page by page. tests/e2e/tz_change.py has a real one.
    const move = (wallTime, before, after) => ({ eventId: randomUUID(), eventType: "MEETING", userId: null, scheduleId: null, targetTimezone: "Europe/Berlin", wallTime, tzdb: "2026a", before, after });
    const impact = (data, nextCursor) => ({ inForce: "2026a", release: "2026c", data, hasMore: nextCursor !== null, nextCursor });
    await page.route(/\/v1\/timezones\/impact/, (route) => route.fulfill({ json: new URL(route.request().url()).searchParams.get("cursor")
      ? impact([move("2027-07-02T09:00:00", "2027-07-02T07:00:00.000Z", null)], null)
      : impact([move("2027-07-01T09:00:00", "2027-07-01T07:00:00.000Z", "2027-07-01T08:00:00.000Z")], "more") }));
    await page.reload();
    await page.locator("[data-impact='1'] tr", { hasText: "+1 h" }).locator("time[datetime='2027-07-01T08:00:00.000Z']").waitFor();
    await page.locator("[data-impact] a", { hasText: "Next page" }).click();
    await page.locator("[data-impact='1'] tr", { hasText: "2027-07-02 09:00:00" }).getByText("Skipped").waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await open(page, `${url}/ui/#/zones?q=Lord_Howe`);
    await page.locator("tr[data-id='Australia/Lord_Howe'] a", { hasText: "Events" }).click();
    await page.waitForFunction(() => location.hash.includes("targetTimezone=Australia%2FLord_Howe"));
    assert.equal(await page.locator("input[name=targetTimezone]").inputValue(), "Australia/Lord_Howe");
  },
};

/** Ends the server, so it comes last: drains it on SQLite, stops the database on PostgreSQL. */
async function instances({ page, api, url, server, stopDatabase }) {
  const { data: [{ id }] } = await api("GET", "/v1/instances");
  const good = await receiver(204);
  const endpoint = await api("POST", "/v1/endpoints", { name: "claimed", type: "WEBHOOK", url: good.url });
  await api("POST", "/v1/events", newEvent({ targetTimestampUTC: "now", endpointId: endpoint.id }));
  await open(page, `${url}/ui/#/instances`);
  await page.locator("[data-state=RUNNING]").waitFor();
  await page.locator(`tr[data-id='${id}'] td[data-label='Last claim'] time`).waitFor(); // by its next report
  good.stop();
  if (process.env.DATABASE === "postgres") {
    await stopDatabase();
    await page.locator("[data-lost=database]").waitFor();
  } else {
    await act(page, "drain");
    await server.ended();
    await page.locator("[data-lost=server]").waitFor();
  }
  await page.locator(`tr[data-id='${id}']`).waitFor(); // the known data stays visible; the drain may be in the audit already
}

await withConsole(async (started) => {
  const console_ = { ...started, page: await started.newPage() };
  const chosen = process.argv.slice(2);
  for (const [name, test] of Object.entries({ ...PAGES, instances })) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    const begun = Date.now();
    await test(console_).catch(async (error) => {
      console.error(await console_.page.locator("body").innerText().catch(() => ""));
      throw new Error(`${name}: ${error.stack}`);
    });
    console.log(`${name} ${Date.now() - begun} ms`);
  }
}).finally(closeBrowser);
