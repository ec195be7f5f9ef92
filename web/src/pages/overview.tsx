import { useEffect, useState } from "preact/hooks";
import type { BoundedCount, Endpoint, EventPage, Health, Info, Stats, StatsHeatmap, StatsSeries } from "../../../clients/typescript/src/schema.ts";
import { firstEndpoints, followStats, get, Refusal, serverNow, useLoaded, type Loaded } from "../api.ts";
import { fallingBehind, lateEndpoints, lateNow, overdueOf, type Behind } from "../backlog.ts";
import { Chart } from "../chart.tsx";
import { useDisplay, useTexts } from "../display.ts";
import { countText, durationText, hrefOf, searchOf, secondsOf, timeToCatchUp, type Query } from "../logic.ts";
import { Facts, Quiet, Ref, Shown, State, Table, Time } from "../parts.tsx";
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

const PUSHED = "PT1H"; // the window of the stream of changes
const WINDOWS = { PT15M: "15 min", PT1H: "1 h", PT24H: "24 h" } as const;

function Figure({ name, value, word, page = "events", query }: { name: string; value: string | number; word: Word; page?: string; query?: Query }) {
  const text = useTexts();
  const { language } = useDisplay();
  return <a class="figure" href={hrefOf(page, "", query ?? {})} data-figure={name}><strong><bdi>{typeof value === "number" ? countText(value, language) : value}</bdi></strong><span>{text(word)}</span></a>;
}

/** What the counters of the backlog do not tell; undefined while it is not known. */
interface Backlog {
  overdue: ReturnType<typeof overdueOf> | undefined;
  behind: readonly Behind[] | undefined;
  lateness: Loaded<StatsSeries>;
}

const DUE: Query = { status: "PENDING", targetTo: "now" };
const LISTED = "100"; // due events; beyond them the counters are enough

/** The counters leave out what waits for a limit of its endpoint, so the oldest due events are read too. */
function useBacklog(): Backlog {
  const due = useLoaded((signal) => get<EventPage>(`/v1/events${searchOf({ ...DUE, targetTo: "now-1s", limit: LISTED })}`, signal), [], [], 10_000);
  const lateness = useLoaded((signal) => get<StatsSeries>("/v1/stats/series?metric=lateness_p99,executed,failed&by=endpointId&from=now-1h&step=PT1M", signal), [], [], 15_000);
  const isLate = lateness.data !== undefined && lateNow(lateness.data.data).length > 0;
  // The forecast is dear, so it is read only while an endpoint is late.
  const forecast = useLoaded(async (signal) => (isLate ? get<StatsHeatmap>(`/v1/stats/heatmap${searchOf({ by: "endpointId", from: "now", to: "now+1h" })}`, signal) : null), [isLate], [], 60_000);
  return {
    lateness, overdue: due.data && overdueOf(due.data.data),
    behind: lateness.data && (isLate ? (forecast.data ? fallingBehind(lateness.data.data, secondsOf(lateness.data.step), forecast.data) : undefined) : []),
  };
}

/** A key of a series by endpoint as a link or in words. */
function EndpointOf({ of, endpoints }: { of: string; endpoints: readonly Endpoint[] | undefined }) {
  const text = useTexts();
  return of === "other" ? <>{text("otherLines")}</> : of === "handler" ? <>{text("noEndpoint")}</> : <Ref page="endpoints" id={of} name={endpoints?.find(({ id }) => id === of)?.name} />;
}

interface FiguresProps {
  of: Stats;
  backlog: Backlog;
  endpoints: readonly Endpoint[] | undefined;
}

function Figures({ of, backlog: { overdue, behind }, endpoints }: FiguresProps) {
  const text = useTexts();
  const { language } = useDisplay();
  const shown = ({ count, complete }: BoundedCount) => (complete ? count : text("atLeast", { n: countText(count, language) }));
  const due = of.now.due.count >= (overdue?.count ?? 0) ? of.now.due : { count: overdue?.count ?? 0, complete: true };
  const oldest = of.now.oldestDueAge ?? (overdue?.oldest ? Math.max(0, (serverNow() - new Date(overdue.oldest).getTime()) / 1000) : null);
  const catchUp = behind?.length === 0 ? timeToCatchUp(due.count, of.throughput) : null;
  return (
    <>
      <div class="figures">
        <Figure name="due" value={shown(due)} word="overdue" query={DUE} />
        <Figure name="pending" value={shown(of.now.pending)} word="pending" query={{ status: "PENDING" }} />
        <Figure name="processing" value={shown(of.now.processing)} word="processing" query={{ status: "PROCESSING" }} />
        <Figure name="deadLetters" value={shown(of.now.deadLetters)} word="deadLetters" page="deadLetters" />
        <Figure name="circuits" value={of.now.openCircuits} word="openCircuits" page="endpoints" />
        <Figure name="completed" value={of.completed} word="completed" query={{ status: "COMPLETED" }} />
        <Figure name="failed" value={of.failed} word="failed" query={{ status: "FAILED" }} />
      </div>
      <Facts of={[
        ["throughput", text("perSecondValue", { n: Number(of.throughput.toPrecision(2)) })],
        ["latenessOf", of.lateness.p50 === null ? <span class="quiet">{text("nothingStarted")}</span> : <span class="list">{(["p50", "p95", "p99"] as const).map((one) => <bdi key={one} class="nowrap">{one} {durationText(of.lateness[one])}</bdi>)}</span>],
        ["oldestDue", oldest !== null ? <bdi>{durationText(oldest)}</bdi> : overdue && behind?.length === 0 && text("noneDue")],
        ["schedulesBehind", overdue !== undefined && overdue.schedules > 0 && <a href={hrefOf("events", "", DUE)} data-schedules-behind={overdue.schedules}>{overdue.schedules}</a>],
        ...(behind ?? []).map(({ key, expects, finishes }) => ["fallingBehind", <span class="warning" data-behind={key}>
          <span aria-hidden="true">!</span> <EndpointOf of={key} endpoints={endpoints} />: {text("behindBy", { expects: countText(expects, language), finishes: countText(finishes, language) })}
        </span>] as const),
        ["catchUp", catchUp === null ? null : <><progress aria-label={text("catchUp")} max={due.count + of.completed} value={of.completed} /> <bdi class="nowrap">{durationText(catchUp)}</bdi></>],
      ]} />
    </>
  );
}

/** The figures of the last hour come by the stream every second: they alone are drawn again. */
function LiveFigures(props: FiguresProps) {
  const [pushed, setPushed] = useState<Stats>();
  useEffect(() => followStats(setPushed), []);
  return <Figures {...props} of={pushed ?? props.of} />;
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
          <Chart counts title={text("throughputChart")} {...common} show={(value) => String(value ?? "–")} lines={[
            { label: text("executedChart"), points: points("executed") }, { label: text("failed"), points: points("failed") }, { label: text("retried"), points: points("retried") }]} />
          <Chart title={text("latenessOf")} {...common} show={durationText} lines={[
            { label: "p50", points: points("lateness_p50") }, { label: "p95", points: points("lateness_p95") }, { label: "p99", points: points("lateness_p99") }]} />
        </div>
      );
    }}</Shown>
  );
}

/** The endpoints whose events started late in the last hour, and since when. */
function LateEndpoints({ of, endpoints }: { of: Loaded<StatsSeries>; endpoints: readonly Endpoint[] | undefined }) {
  const text = useTexts();
  return (
    <section data-late>
      <h2>{text("lateEndpoints")}</h2>
      <Shown of={of}>{({ from, step, data }) => {
        const late = lateEndpoints(data, from, secondsOf(step));
        return late.length === 0 ? <p class="quiet">{text("noneLate")}</p> : <Table label={text("lateEndpoints")} rows={late} id={({ key }) => key} columns={[
          ["endpoint", ({ key }) => <EndpointOf of={key} endpoints={endpoints} />],
          ["lateness", ({ worst }) => <bdi>p99 {durationText(worst)}</bdi>],
          ["lateSince", ({ since }) => (since === null ? text("onTimeAgain") : <Time at={since} />)],
        ]} />;
      }}</Shown>
    </section>
  );
}

const COUNTED = 10; // disabled endpoints whose waiting events are counted, by a request for each

/** The disabled endpoints with the due events that wait for them; absent if there is none. */
function DisabledEndpoints({ of }: { of: readonly Endpoint[] }) {
  const text = useTexts();
  const counted = of.slice(0, COUNTED);
  const waiting = useLoaded(async (signal) => new Map(await Promise.all(counted.map(async ({ id }) => [id, await get<EventPage>(`/v1/events${searchOf({ ...waitsFor(id), limit: "1", count: "exact" })}`, signal)] as const))),
    [counted.map(({ id }) => id).join()], [], 10_000);
  const shown = ({ totalCount = 0, totalCountComplete = false }: EventPage) => (totalCountComplete ? totalCount : text("atLeast", { n: totalCount }));
  if (of.length === 0) return null;
  return (
    <section data-disabled={of.length}>
      <h2>{text("disabledEndpoints")}</h2>
      <Table label={text("disabledEndpoints")} rows={of} id={({ id }) => id} columns={[
        ["endpoint", ({ id, name }) => <Ref page="endpoints" id={id} name={name} />],
        ["disabledReason", ({ disabledReason }) => (disabledReason ? <bdi>{disabledReason}</bdi> : <Quiet />)],
        ["waitingEvents", ({ id }) => {
          const page = waiting.data?.get(id);
          return page ? <a href={hrefOf("events", "", waitsFor(id))} data-waiting={page.totalCount}>{shown(page)}</a> : <Quiet />;
        }],
      ]} />
    </section>
  );
}

const waitsFor = (endpointId: string): Query => ({ waitingFor: "ENDPOINT", endpointId });

export function Overview() {
  const text = useTexts();
  const [over, setOver] = useState<keyof typeof WINDOWS>("PT1H");
  const state = useLoaded(health, [], [], 5000);
  const stats = useLoaded((signal) => get<Stats>(`/v1/stats?window=${over}`, signal), [over], [], over === PUSHED ? 60_000 : 10_000);
  const info = useLoaded((signal) => get<Info>("/v1/info", signal), [], [], 60_000);
  const next = useLoaded((signal) => get<EventPage>("/v1/events?status=PENDING&targetFrom=now&limit=10", signal), [], [], 10_000);
  const endpoints = useLoaded(firstEndpoints, [], ["endpoints"], 10_000);
  const backlog = useBacklog();
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
            {Object.entries(WINDOWS).map(([value, name]) => <option key={value} value={value} dir="ltr">{name}</option>)}
          </select>
        </label>
        <Shown of={stats}>{(found) => (over === PUSHED ? <LiveFigures of={found} backlog={backlog} endpoints={endpoints.data} /> : <Figures of={found} backlog={backlog} endpoints={endpoints.data} />)}</Shown>
        <Series hours={minutes / 60} minutes={minutes} />
      </section>
      <section>
        <h2>{text("openCircuits")}</h2>
        <Shown of={{ ...endpoints, data: endpoints.data?.filter(({ circuit }) => circuit.state !== "CLOSED") }}>{(open) => open.length === 0 ? <p class="quiet">{text("noOpenCircuit")}</p> : (
          <ul class="chips">{open.map((endpoint) => (
            <li key={endpoint.id}>
              <a href={hrefOf("endpoints", endpoint.id)}>{endpoint.name}</a> <State of={endpoint.circuit.state} />
              <div>{text("since")} <Time at={endpoint.circuit.openedAt} /> · {text("probe")} <Time at={endpoint.circuit.probeAt} relative /></div>
            </li>
          ))}</ul>
        )}</Shown>
      </section>
      <DisabledEndpoints of={endpoints.data?.filter(({ enabled }) => !enabled) ?? []} />
      <LateEndpoints of={backlog.lateness} endpoints={endpoints.data} />
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
