import { useState } from "preact/hooks";
import type { AttemptPage, Event, EventPage, Failures, Operation } from "../../../clients/typescript/src/schema.ts";
import { firstEndpoints, get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { causeOf, hrefOf, type Query } from "../logic.ts";
import { Act, Payload, Ref, Shown, Table, Time, Total } from "../parts.tsx";
import { Cause } from "./event.tsx";
import { Bulk, Started } from "./events.tsx";

type Group = Failures["data"][number];

/** The events of a group, as the query of the list of events. */
const groupFilter = (group: Group): Query => ({
  status: "FAILED", dismissed: "false", ...(group.reason !== undefined ? { failureReason: group.reason } : { endpointId: group.endpointId ?? "" }),
});

/** The payload of an example, which is read when it is opened. */
function Sample({ id }: { id: string }) {
  const text = useTexts();
  const [open, setOpen] = useState(false);
  return <details onToggle={(event) => setOpen(event.currentTarget.open)}><summary>{text("payload")}</summary>{open && <SamplePayload id={id} />}</details>;
}

function SamplePayload({ id }: { id: string }) {
  const event = useLoaded((signal) => get<Event>(`/v1/events/${id}`, signal), [id], [], 600_000);
  return <Shown of={event}>{({ deliveryPayload }) => <Payload value={deliveryPayload} />}</Shown>;
}

/** The response to the latest example of a group. */
function Said({ id }: { id: string }) {
  const attempts = useLoaded((signal) => get<AttemptPage>(`/v1/attempts?eventId=${id}&limit=100`, signal), [id], [], 600_000);
  return <Cause of={attempts.data ? causeOf(attempts.data.data) : null} />;
}

const SAID = 20; // groups, with a request for each

/** Dead letters in groups. A group is retried at a pace or dismissed after a dry run has counted it. */
export function DeadLetters({ query }: { query: Query }) {
  const text = useTexts();
  const by = query.by === "endpointId" ? "endpointId" : "reason";
  const failures = useLoaded((signal) => get<Failures>(`/v1/stats/failures?by=${by}`, signal), [by], ["events"], 5000);
  const [chosen, setChosen] = useState<{ group: Group; action: "retry" | "dismiss" }>();
  const [started, setStarted] = useState<Operation>();
  const total = useLoaded((signal) => get<EventPage>("/v1/events?status=FAILED&dismissed=false&count=exact&limit=1", signal), [], ["events"], 5000);
  const endpoints = useLoaded(firstEndpoints, [], ["endpoints"], 60_000);
  const endpointName = (id: string | null | undefined) => endpoints.data?.find((endpoint) => endpoint.id === id)?.name;
  const name = (group: Group) => group.reason ?? group.endpointId ?? text("noEndpoint");
  const about = (group: Group) => group.reason ?? endpointName(group.endpointId) ?? name(group);
  const start = (group: Group, action: "retry" | "dismiss") => { setStarted(undefined); setChosen({ group, action }); };
  return (
    <>
      <h1>{text("deadLetters")}</h1>
      <p>{text("deadLettersHint")}</p>
      <nav class="tabs" aria-label={text("groupBy")}>
        <a href={hrefOf("deadLetters")} aria-current={by === "reason" ? "true" : undefined}>{text("byReason")}</a>
        <a href={hrefOf("deadLetters", "", { by: "endpointId" })} aria-current={by === "endpointId" ? "true" : undefined}>{text("byEndpoint")}</a>
      </nav>
      {started && <Started operation={started} />}
      {chosen && <Bulk action={chosen.action} filter={groupFilter(chosen.group)} ids={[]} close={() => setChosen(undefined)}
        done={(operation) => { setStarted(operation); failures.reload(); }} />}
      <Shown of={failures}>{(found) => (
        <>
          {total.data && <Total of={total.data} />}
          {!found.complete && <p class="quiet">{text("moreThere", { n: found.counted })}</p>}
          <Table label={text("deadLetters")} rows={found.data} id={name} columns={[
            ["count", (group) => <a href={hrefOf("events", "", groupFilter(group))}>{group.count}</a>],
            [by === "reason" ? "reason" : "endpoint", (group) => (
              <>
                {group.reason ?? (group.endpointId ? <Ref page="endpoints" id={group.endpointId} name={endpointName(group.endpointId)} /> : text("noEndpoint"))}
                {group.sampleIds[0] && found.data.indexOf(group) < SAID && <Said id={group.sampleIds[0]} />}
              </>
            )],
            ["oldest", (group) => <Time at={group.oldest} relative />],
            ["newest", (group) => <Time at={group.newest} relative />],
            ["samples", (group) => <span class="list">{group.sampleIds.slice(0, 3).map((id) => <Ref key={id} page="events" id={id} />)}{group.sampleIds[0] && <Sample id={group.sampleIds[0]} />}</span>],
            ["actions", (group) => group.endpointId === null ? null : (
              <span class="list">
                <Act word="bulkRetry" about={about(group)} press={() => start(group, "retry")} />
                <Act word="bulkDismiss" about={about(group)} press={() => start(group, "dismiss")} />
              </span>
            )],
          ]} />
        </>
      )}</Shown>
    </>
  );
}
