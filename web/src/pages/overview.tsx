import type { Endpoint, EndpointPage, EventPage, Failures, Health, Info } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { hrefOf } from "../logic.ts";
import { Shown, State, Time } from "../parts.tsx";
import type { Word } from "../texts/en.ts";
import { EventTable } from "./events.tsx";

const COUNTED = 100; // a list has no count yet: more are "100 or more"

/** Lists whose first page says how many there are. */
const LISTS: readonly [Word, Record<string, string>][] = [
  ["overdue", { status: "PENDING", targetTo: "now" }],
  ["pendingHour", { status: "PENDING", targetFrom: "now", targetTo: "now+1h" }],
  ["waiting", { waitingFor: "RETRY" }],
];

/** The answer of /healthz, also if it is 503: that one has the same checks. */
async function health(signal: AbortSignal): Promise<Pick<Health, "checks"> & { ready: boolean }> {
  try {
    return { ...(await get<Health>("/healthz", signal)), ready: true };
  } catch (error) {
    const checks = error instanceof Refusal && error.status === 503 ? (error.problem as Partial<Pick<Health, "checks">> | undefined)?.checks : undefined;
    if (checks === undefined) throw error;
    return { checks, ready: false };
  }
}

async function openCircuits(signal: AbortSignal): Promise<Endpoint[]> {
  const open: Endpoint[] = [];
  let cursor: string | null = "";
  do {
    const page: EndpointPage = await get<EndpointPage>(`/v1/endpoints?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, signal);
    open.push(...page.data.filter((endpoint) => endpoint.circuit.state !== "CLOSED"));
    cursor = page.hasMore ? page.nextCursor : null;
  } while (cursor);
  return open;
}

export function Overview() {
  const text = useTexts();
  const state = useLoaded(health, []);
  const info = useLoaded((signal) => get<Info>("/v1/info", signal), [], 60_000);
  const next = useLoaded((signal) => get<EventPage>("/v1/events?status=PENDING&limit=10", signal), []);
  const circuits = useLoaded(openCircuits, [], 10_000);
  const failures = useLoaded((signal) => get<Failures>("/v1/stats/failures?by=reason", signal), [], 10_000);
  const counts = useLoaded((signal) => Promise.all(LISTS.map(async ([word, query]) => {
    const page = await get<EventPage>(`/v1/events?${new URLSearchParams({ ...query, limit: String(COUNTED) })}`, signal);
    return { word, query, count: page.data.length, more: page.hasMore };
  })), [], 10_000);
  return (
    <>
      <h1>{text("overview")}</h1>
      <section aria-label={text("checks")}>
        <Shown of={state}>{({ ready, checks }) => (
          <>
            <p class="headline"><State of={ready ? "pass" : "fail"} /> {text(ready ? "ready" : "notReady")}</p>
            <ul class="chips">{Object.entries(checks).map(([name, check]) => (
              <li key={name}><span>{name}</span> <State of={check.status} />{check.detail && <div>{check.detail}</div>}</li>
            ))}</ul>
          </>
        )}</Shown>
      </section>
      <section class="figures">
        <Shown of={counts}>{(lists) => lists.map(({ word, query, count, more }) => (
          <a class="figure" href={hrefOf("events", "", query)} key={word} data-figure={word}>
            <strong>{more ? text("atLeast", { n: count }) : count}</strong><span>{text(word)}</span>
          </a>
        ))}</Shown>
        <Shown of={failures}>{(found) => (
          <a class="figure" href={hrefOf("events", "", { status: "FAILED", dismissed: "false" })} data-figure="deadLetters">
            <strong>{found.complete ? found.counted : text("atLeast", { n: found.counted })}</strong><span>{text("deadLetters")}</span>
          </a>
        )}</Shown>
      </section>
      <section>
        <h2>{text("openCircuits")}</h2>
        <Shown of={circuits}>{(open) => open.length === 0 ? <p class="quiet">{text("noOpenCircuit")}</p> : (
          <ul class="chips">{open.map((endpoint) => (
            <li key={endpoint.id}>
              <a href={hrefOf("events", "", { endpointId: endpoint.id })}>{endpoint.name}</a> <State of={endpoint.circuit.state} />
              <div>{text("since")} <Time at={endpoint.circuit.openedAt} /> · {text("probe")} <Time at={endpoint.circuit.probeAt} relative /></div>
            </li>
          ))}</ul>
        )}</Shown>
      </section>
      <section>
        <h2>{text("nextTen")}</h2>
        <Shown of={next}>{(page) => <EventTable events={page.data} columns={["due", "type", "zone", "status"]} />}</Shown>
      </section>
      <section>
        <h2>{text("server")}</h2>
        <Shown of={info}>{(found) => (
          <dl>
            <dt>{text("version")}</dt><dd>{found.version} <code>{found.commit}</code></dd>
            <dt>{text("database")}</dt><dd>{found.database.kind} {found.database.version}</dd>
            <dt>{text("tz")}</dt><dd>{found.tzdb}</dd>
            <dt>{text("clock")}</dt><dd>{found.clock}</dd>
          </dl>
        )}</Shown>
      </section>
    </>
  );
}
