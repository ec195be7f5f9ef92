import { useEffect, useState } from "preact/hooks";
import type { BoundedCount, EventPage, Health, Info, Stats, StatsSeries } from "../../../clients/typescript/src/schema.ts";
import { firstEndpoints, followStats, get, Refusal, useLoaded } from "../api.ts";
import { Chart } from "../chart.tsx";
import { useTexts } from "../display.ts";
import { durationText, hrefOf, lateEndpoints, secondsOf, timeToCatchUp, type Query } from "../logic.ts";
import { Facts, Ref, Shown, State, Table, Time } from "../parts.tsx";
import type { Word } from "../texts/en.ts";
import { EventTable } from "./events.tsx";

/** The answer of /healthz, also if it is 503: that one has the same checks. */
async function health(signal: AbortSignal): Promise<Pick<Health, "checks"> & { ready: boolean }> {
  try {
    return { ...(await get<Health>("/healthz", signal)), ready: true };
  } catch (error) {
    const checks = error instanceof Refusal && error.status === 503 ? error.problem?.checks : undefined;
    if (checks === undefined) throw error;
    return { checks, ready: false };
  }
}

const openCircuits = async (signal: AbortSignal) => (await firstEndpoints(signal)).filter((endpoint) => endpoint.circuit.state !== "CLOSED");

const PUSHED = "PT1H"; // the window of the stream of changes
const WINDOWS = { PT15M: "15 min", PT1H: "1 h", PT24H: "24 h" } as const;

function Figure({ name, value, word, page = "events", query }: { name: string; value: string | number; word: Word; page?: string; query?: Query }) {
  const text = useTexts();
  return <a class="figure" href={hrefOf(page, "", query ?? {})} data-figure={name}><strong><bdi>{String(value)}</bdi></strong><span>{text(word)}</span></a>;
}

function Figures({ of }: { of: Stats }) {
  const text = useTexts();
  const shown = ({ count, complete }: BoundedCount) => (complete ? count : text("atLeast", { n: count }));
  const catchUp = timeToCatchUp(of.now.due.count, of.throughput);
  return (
    <>
      <div class="figures">
        <Figure name="due" value={shown(of.now.due)} word="overdue" query={{ status: "PENDING", targetTo: "now" }} />
        <Figure name="pending" value={shown(of.now.pending)} word="pending" query={{ status: "PENDING" }} />
        <Figure name="processing" value={shown(of.now.processing)} word="processing" query={{ status: "PROCESSING" }} />
        <Figure name="deadLetters" value={shown(of.now.deadLetters)} word="deadLetters" page="deadLetters" />
        <Figure name="circuits" value={of.now.openCircuits} word="openCircuits" page="endpoints" />
        <Figure name="completed" value={of.completed} word="completed" query={{ status: "COMPLETED" }} />
        <Figure name="failed" value={of.failed} word="failed" query={{ status: "FAILED" }} />
      </div>
      <Facts of={[
        ["throughput", text("perSecondValue", { n: Number(of.throughput.toPrecision(2)) })],
        ["latenessOf", of.lateness.p50 === null ? <span class="quiet">{text("nothingStarted")}</span> : <bdi>p50 {durationText(of.lateness.p50)} · p95 {durationText(of.lateness.p95)} · p99 {durationText(of.lateness.p99)}</bdi>],
        ["oldestDue", of.now.oldestDueAge === null ? text("noneDue") : <bdi>{durationText(of.now.oldestDueAge)}</bdi>],
        ["catchUp", catchUp === null ? null : <><progress aria-label={text("catchUp")} max={of.now.due.count + of.completed} value={of.completed} /> <bdi>{durationText(catchUp)}</bdi></>],
      ]} />
    </>
  );
}

/** The figures of the last hour come by the stream every second: they alone are drawn again. */
function LiveFigures({ found }: { found: Stats }) {
  const [pushed, setPushed] = useState<Stats>();
  useEffect(() => followStats(setPushed), []);
  return <Figures of={pushed ?? found} />;
}

function Series({ hours, minutes }: { hours: number; minutes: number }) {
  const text = useTexts();
  const series = useLoaded((signal) => get<StatsSeries>(`/v1/stats/series?metric=executed,failed,retried,lateness_p50,lateness_p95,lateness_p99&from=now-${hours > 1 ? `${hours}h` : minutes >= 60 ? "1h" : `${minutes}m`}&step=${hours > 1 ? "PT10M" : "PT1M"}`, signal), [hours, minutes], [], 15_000);
  return (
    <Shown of={series}>{({ from, step, data }) => {
      const points = (metric: string) => data.find((line) => line.metric === metric)?.points ?? [];
      const common = { from, step: secondsOf(step) };
      return (
        <div class="charts">
          <Chart title={text("throughputChart")} {...common} show={(value) => String(value ?? "–")} lines={[
            { label: text("executedChart"), points: points("executed") }, { label: text("failed"), points: points("failed") }, { label: text("retried"), points: points("retried") }]} />
          <Chart title={text("latenessOf")} {...common} show={durationText} lines={[
            { label: "p50", points: points("lateness_p50") }, { label: "p95", points: points("lateness_p95") }, { label: "p99", points: points("lateness_p99") }]} />
        </div>
      );
    }}</Shown>
  );
}

/** The endpoints whose events started late in the last hour, and since when. */
function LateEndpoints() {
  const text = useTexts();
  const names = useLoaded(firstEndpoints, [], ["endpoints"], 60_000);
  const series = useLoaded((signal) => get<StatsSeries>("/v1/stats/series?metric=lateness_p99&by=endpointId&from=now-1h&step=PT1M", signal), [], [], 15_000);
  return (
    <section data-late>
      <h2>{text("lateEndpoints")}</h2>
      <Shown of={series}>{({ from, step, data }) => {
        const late = lateEndpoints(data, from, secondsOf(step));
        const name = (key: string) => names.data?.find(({ id }) => id === key)?.name;
        return late.length === 0 ? <p class="quiet">{text("noneLate")}</p> : <Table label={text("lateEndpoints")} rows={late} id={({ key }) => key} columns={[
          ["endpoint", ({ key }) => (name(key) ? <Ref page="endpoints" id={key} name={name(key)} /> : key === "other" ? text("otherLines") : key === "handler" ? text("noEndpoint") : <Ref page="endpoints" id={key} />)],
          ["lateness", ({ worst }) => <bdi>p99 {durationText(worst)}</bdi>],
          ["lateSince", ({ since }) => (since === null ? text("onTimeAgain") : <Time at={since} />)],
        ]} />;
      }}</Shown>
    </section>
  );
}

export function Overview() {
  const text = useTexts();
  const [over, setOver] = useState<keyof typeof WINDOWS>("PT1H");
  const state = useLoaded(health, [], [], 5000);
  const stats = useLoaded((signal) => get<Stats>(`/v1/stats?window=${over}`, signal), [over], [], over === PUSHED ? 60_000 : 10_000);
  const info = useLoaded((signal) => get<Info>("/v1/info", signal), [], [], 60_000);
  const next = useLoaded((signal) => get<EventPage>("/v1/events?status=PENDING&targetFrom=now&limit=10", signal), [], [], 10_000);
  const circuits = useLoaded(openCircuits, [], ["endpoints"], 10_000);
  const minutes = secondsOf(over) / 60;
  return (
    <>
      <h1>{text("overview")}</h1>
      <section aria-label={text("checks")}>
        <Shown of={state}>{({ ready, checks }) => (
          <>
            <p class="headline"><State of={ready ? "ready" : "notReady"} /></p>
            <ul class="chips">{Object.entries(checks).map(([name, check]) => (
              <li key={name}><span>{name}</span> <State of={check.status} />{check.detail && <div>{check.detail}</div>}</li>
            ))}</ul>
          </>
        )}</Shown>
      </section>
      <section>
        <h2>{text("figures")}</h2>
        <label class="choice"><span>{text("window")}</span>
          <select name="window" value={over} onChange={(event) => setOver(event.currentTarget.value as keyof typeof WINDOWS)}>
            {Object.entries(WINDOWS).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
          </select>
        </label>
        <Shown of={stats}>{(found) => (over === PUSHED ? <LiveFigures found={found} /> : <Figures of={found} />)}</Shown>
        <Series hours={minutes / 60} minutes={minutes} />
      </section>
      <section>
        <h2>{text("openCircuits")}</h2>
        <Shown of={circuits}>{(open) => open.length === 0 ? <p class="quiet">{text("noOpenCircuit")}</p> : (
          <ul class="chips">{open.map((endpoint) => (
            <li key={endpoint.id}>
              <a href={hrefOf("endpoints", endpoint.id)}>{endpoint.name}</a> <State of={endpoint.circuit.state} />
              <div>{text("since")} <Time at={endpoint.circuit.openedAt} /> · {text("probe")} <Time at={endpoint.circuit.probeAt} relative /></div>
            </li>
          ))}</ul>
        )}</Shown>
      </section>
      <LateEndpoints />
      <section>
        <h2>{text("nextTen")}</h2>
        <Shown of={next}>{(page) => <EventTable events={page.data} columns={["due", "type", "zone", "status"]} />}</Shown>
      </section>
      <section>
        <h2>{text("server")}</h2>
        <Shown of={info}>{(found) => (
          <Facts of={[
            ["version", <>{found.version} <code>{found.commit}</code></>], ["database", <>{found.database.kind} {found.database.version}{found.database.note && <div class="quiet">{found.database.note}</div>}</>],
            ["tz", found.tzdb], ["clock", found.clock === "test" ? <a href={hrefOf("inboxAndClock")}>{text("testClock")}</a> : text("systemClock")],
          ]} />
        )}</Shown>
      </section>
    </>
  );
}
