import { useState } from "preact/hooks";
import type { AttemptPage, Endpoint as EndpointObject, EventPage, Operation, RotatedEndpoint, StatsSeries, TestResult } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { lateEndpoints } from "../backlog.ts";
import { Chart } from "../chart.tsx";
import { useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { durationText, hrefOf, secondsOf, type Query } from "../logic.ts";
import { Act, Copy, Facts, Field, Name, Pages, Payload, Quiet, Shown, State, Table, Time, useActions, useMayDo, usePage } from "../parts.tsx";
import { Audit } from "./audit.tsx";
import { Views } from "./event_lists.tsx";
import { Bulk, Started } from "./events.tsx";
import { HeldBack } from "./held_back.tsx";
import { Inbox } from "./inbox.tsx";

/** The share of failures by which a circuit opens. While it is open nothing is sent, so there is none. */
const failureShare = ({ state, failureRatio }: EndpointObject["circuit"]) => (state === "OPEN" ? <Quiet /> : `${Math.round(failureRatio * 100)} %`);
const stateOf = (endpoint: EndpointObject) => (endpoint.enabled ? "enabled" : "disabled");

export function Endpoints({ query }: { query: Query }) {
  const text = useTexts();
  const page = usePage<EndpointObject>("/v1/endpoints", query, ["endpoints"]);
  const { cursor: _, ...filter } = query;
  return (
    <>
      <h1>{text("endpoints")}</h1>
      <Filters page="endpoints" query={query} filters={[
        { name: "type", word: "type", choices: ["WEBHOOK", "INBOX", "PULL", "SQS", "SHADOW"] }, { name: "enabled", word: "enabled", choices: ["true", "false"] }, { name: "q", word: "searchName" }]} />
      <Views page="endpoints" filter={filter} />
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("endpoints")} rows={found.data} id={({ id }) => id} columns={[
            ["name", (endpoint) => <a href={hrefOf("endpoints", endpoint.id)}><Name of={endpoint.name} /></a>],
            ["type", ({ type }) => type],
            ["status", (endpoint) => <State of={stateOf(endpoint)} />],
            ["circuit", ({ circuit }) => <State of={circuit.state} />],
            ["failureShare", ({ circuit }) => failureShare(circuit)],
            ["url", ({ url }) => (url ? <Name of={url} most={32} /> : <Quiet />)],
          ]} />
          <Pages page="endpoints" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}

const COUNTED = 100; // of the events in flight; the dialog of a filter counts exactly

export function Endpoint({ id }: { id: string }) {
  const text = useTexts();
  const path = `/v1/endpoints/${encodeURIComponent(id)}`;
  const endpoint = useLoaded((signal) => get<EndpointObject>(path, signal), [id], ["endpoints"], 3000);
  const attempts = useLoaded((signal) => get<AttemptPage>(`/v1/attempts?endpointId=${encodeURIComponent(id)}&limit=20`, signal), [id], ["events"], 5000);
  const claimed = useLoaded((signal) => get<EventPage>(`/v1/events?status=PROCESSING&endpointId=${encodeURIComponent(id)}&limit=${COUNTED}`, signal), [id], ["events"], 3000);
  const actions = useActions(() => { endpoint.reload(); claimed.reload(); attempts.reload(); });
  const ask = (word: "enable" | "disable" | "closeCircuit", found: EndpointObject, body: object, command: string, more = "") => actions.ask({
    word, note: word === "disable" && <HeldBack id={found.id} />, about: found.name, undoable: true, request: { method: "PATCH", path: path + more, version: found.version, body, cli: ["endpoint", command, found.id, ...(more ? ["--retry-waiting"] : [])] },
  });
  const inFlightText = (n: string | number, most: number | null) => (most === null ? n : text("ofTotal", { n, total: most }));
  const inFlight = claimed.data?.data.filter((event) => event.claimedBy !== null).length;
  return (
    <>
      <p><a href={hrefOf("endpoints")}>{text("endpoints")}</a></p>
      <Shown of={endpoint}>{(found) => (
        <>
          <h1 data-version={found.version}><Name of={found.name} /> <State of={stateOf(found)} /></h1>
          <div class="buttons">
            {found.enabled && <Act word="test" press={() => actions.ask({
              word: "test", about: found.name, undoable: true, note: <p>{text("testHint")}</p>, said: (answer) => <TestShown of={answer as TestResult} />,
              request: { method: "POST", path: `${path}/test`, cli: ["endpoint", "test", found.id] },
            })} />}
            {(found.type === "WEBHOOK" || found.type === "INBOX") && <Act word="rotateSecret" press={() => actions.ask({
              word: "rotateSecret", about: found.name, note: <p>{text(found.secretHint === null ? "firstSecretHint" : "rotateHint")}</p>, said: (answer) => <Secret of={(answer as RotatedEndpoint).secret} />,
              request: { method: "POST", path: `${path}/rotate-secret`, version: found.version, body: { oldSignsFor: "PT24H" }, cli: ["endpoint", "rotate-secret", found.id, "--old-signs-for", "PT24H"] },
            })} />}
            {found.enabled
              ? <Act word="disable" press={() => ask("disable", found, { enabled: false }, "disable")} />
              : <Act word="enable" press={() => ask("enable", found, { enabled: true }, "enable")} />}
            {found.circuit.state !== "CLOSED" && <Act word="closeCircuit" press={() => ask("closeCircuit", found, { circuit: { state: "CLOSED" } }, "reset")} />}
          </div>
          {actions.view}
          <LateNow id={found.id} />
          <Facts of={[
            ["circuit", <><State of={found.circuit.state} />{found.circuit.openedAt && <> {text("since")} <Time at={found.circuit.openedAt} /> · {text("probe")} <Time at={found.circuit.probeAt} relative /></>}</>],
            ["failureShare", found.circuit.state === "OPEN" ? <Quiet /> : text("failuresNow", { percent: Math.round(found.circuit.failureRatio * 100) })],
            ["inFlight", inFlight === undefined ? <Quiet /> : <a href={hrefOf("events", "", { status: "PROCESSING", endpointId: found.id })} data-in-flight={inFlight}>
              {inFlightText(claimed.data?.hasMore ? text("atLeast", { n: inFlight }) : inFlight, found.maxInFlight)}</a>],
            ["rateLimit", found.rateLimit && text("perSecondValue", { n: found.rateLimit.perSecond })],
            ["disabledReason", found.disabledReason && <bdi>{found.disabledReason}</bdi>],
            ["type", `${found.type} · ${found.format}`],
            ["url", found.url && <Name of={found.url} />],
            ["timeout", found.timeout && <bdi>{durationText(secondsOf(found.timeout))}</bdi>],
            ["retryPolicy", typeof found.retryPolicy === "string" ? found.retryPolicy : found.retryPolicy.delays.join(", ")],
            ["secret", found.secretHint && <code>{found.secretHint}</code>],
            ["publicKey", found.publicKey && <code>{found.publicKey}</code>],
            ["id", <><code>{found.externalId ? `ext:${found.externalId}` : found.id}</code> <Copy what={found.id} /></>],
          ]} />
          <p class="list">
            <a href={hrefOf("events", "", { status: "FAILED", dismissed: "false", endpointId: found.id })}>{text("deadLetters")}</a>
            <a href={hrefOf("events", "", { status: "PENDING", endpointId: found.id })}>{text("pending")}</a>
            <a href={hrefOf("streams", `Endpoint/${found.id}`)} data-history>{text("changesOfSettings")}</a>
          </p>
        </>
      )}</Shown>
      {endpoint.data && <LastHour id={endpoint.data.id} />}
      {endpoint.data && <Recover id={endpoint.data.id} />}
      {endpoint.data?.type === "INBOX" && <Inbox path={path} of={endpoint.data} changed={endpoint.reload} />}
      <h2>{text("latestAttempts")}</h2>
      <Shown of={attempts}>{({ data }) => <Table label={text("latestAttempts")} rows={data} id={(attempt) => attempt.id} columns={[
        ["executed", (attempt) => <Time at={attempt.endedAt} />],
        ["event", (attempt) => <a href={hrefOf("events", attempt.eventId)}><code>{attempt.eventId.slice(-12)}</code></a>],
        ["status", (attempt) => <State of={attempt.outcome} />],
        ["answer", (attempt) => attempt.statusCode ?? (attempt.error?.code || attempt.error?.text || <Quiet />)],
        ["duration", (attempt) => <bdi>{durationText(attempt.durationMs / 1000)}</bdi>],
      ]} />}</Shown>
      {endpoint.data && <Audit stream={`EndpointAudit/${endpoint.data.id}`} topics={["endpoints"]} />}
    </>
  );
}

/** Whether its events start late at present, how late, and since when. */
function LateNow({ id }: { id: string }) {
  const text = useTexts();
  const series = useLoaded((signal) => get<StatsSeries>(`/v1/stats/series?metric=lateness_p99&by=endpointId&key=${id}&from=now-1h&step=PT1M`, signal), [id], [], 15_000).data;
  const [late] = series ? lateEndpoints(series.data.filter(({ key }) => key === id), series.from, secondsOf(series.step)) : [];
  return late?.since ? <p class="warning" data-late-since={late.since}><span aria-hidden="true">!</span> {text("lateness")} <bdi>p99 {durationText(late.worst)}</bdi>, {text("since")} <Time at={late.since} /></p> : null;
}

/** The deliveries of the last hour: how many succeeded, and how long they took. */
function LastHour({ id }: { id: string }) {
  const text = useTexts();
  const series = useLoaded((signal) => get<StatsSeries>(`/v1/stats/series?metric=executed,failed,retried,duration_p50,duration_p95,duration_p99&from=now-1h&step=PT1M&by=endpointId&key=${id}`, signal), [id], [], 15_000);
  return (
    <>
      <h2>{text("lastHour")}</h2>
      <Shown of={series}>{({ from, step, data }) => {
        const points = (metric: string) => data.find((line) => line.metric === metric && line.key === id)?.points ?? [];
        const sum = (metric: string) => points(metric).reduce<number>((all, point) => all + (point ?? 0), 0);
        const [good, bad] = [sum("executed"), sum("failed")];
        // Beyond 100 endpoints in a minute, an instance counts the others together.
        const together = data.some((line) => line.key === "other" && line.metric !== "retried" && line.points.some((point) => (point ?? 0) > 0));
        if (good + bad + sum("retried") === 0) return <p class="quiet" data-together={together}>{text(together ? "countedTogether" : "nothingStarted")}</p>;
        const common = { from, step: secondsOf(step) };
        return (
          <>
            {together && <p class="quiet" data-together="true">{text("countedTogether")}</p>}
            {good + bad > 0 && <p data-success={good}>{text("successRatio", { percent: Math.floor((100 * good) / (good + bad)), good, n: good + bad })}</p>}
            <div class="charts">
              <Chart counts title={text("throughputChart")} {...common} show={(value) => String(value ?? "–")} lines={[
                { label: text("executedChart"), points: points("executed") }, { label: text("failed"), points: points("failed") }, { label: text("retried"), points: points("retried") }].filter((line) => line.points.length > 0)} />
              {points("duration_p50").length > 0 && <Chart title={text("duration")} {...common} show={durationText} lines={(["p50", "p95", "p99"] as const).map((label) => ({ label, points: points(`duration_${label}`) }))} />}
            </div>
          </>
        );
      }}</Shown>
    </>
  );
}

/** Retries what failed for good in a window of time, such as an outage of the receiver. */
function Recover({ id }: { id: string }) {
  const text = useTexts();
  const mayWrite = useMayDo("WRITE");
  const [from, setFrom] = useState("now-1h");
  const [to, setTo] = useState("now");
  const [chosen, setChosen] = useState<Query>();
  const [started, setStarted] = useState<Operation>();
  if (!mayWrite) return null;
  return (
    <section>
      <h2>{text("recover")}</h2>
      <p class="quiet">{text("recoverHint")}</p>
      <form class="filters" onSubmit={(event) => { event.preventDefault(); setStarted(undefined); setChosen({ status: "FAILED", dismissed: "false", endpointId: id, executedFrom: from.trim(), executedTo: to.trim() }); }}>
        <Field label={text("failedFrom")}><input name="executedFrom" required dir="ltr" value={from} onInput={(event) => setFrom(event.currentTarget.value)} /></Field>
        <Field label={text("before")}><input name="executedTo" required dir="ltr" value={to} onInput={(event) => setTo(event.currentTarget.value)} /></Field>
        <div class="buttons"><button type="submit" data-act="recover">{text("bulkRetry")}</button></div>
      </form>
      {started && <Started operation={started} />}
      {chosen && <Bulk action="retry" filter={chosen} ids={[]} close={() => setChosen(undefined)} done={setStarted} />}
    </section>
  );
}

function TestShown({ of }: { of: TestResult }) {
  return (
    <div data-test={of.outcome}>
      <p><State of={of.outcome} /> {of.statusCode !== null && <code>{of.statusCode}</code>} <bdi>{durationText(of.durationMs / 1000)}</bdi> {of.error && <>{of.error.code}: {of.error.text}</>}</p>
      {of.response?.body && <Payload value={of.response.body} />}
    </div>
  );
}

/** Shown once: the server keeps it encrypted and never shows it again. */
export function Secret({ of }: { of: string }) {
  const text = useTexts();
  return <><p>{text("shownOnce")}</p><p><code data-secret>{of}</code> <Copy what={of} /></p></>;
}
