import { useEffect, useState } from "preact/hooks";
import type { BulkPreview, BulkRequest, Event, EventPage, Operation } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal, send, useLoaded } from "../api.ts";
import { useStateWord, useTexts } from "../display.ts";
import { hrefOf, searchOf, type Query, type Request } from "../logic.ts";
import { ActionDialog, Field, Refused, Shown, State, Time } from "../parts.tsx";
import type { Word } from "../texts/en.ts";

const COLUMNS = ["due", "type", "zone", "status", "priority", "waitingFor", "attempts", "reason", "endpoint", "user", "schedule", "key", "executed", "id"] as const;
export type Column = (typeof COLUMNS)[number];
const STANDARD: readonly Column[] = ["due", "type", "zone", "status", "attempts", "reason"];

const link = (page: string, id: string | null) => (id === null ? <span class="quiet">–</span> : <a href={hrefOf("events", "", { [page]: id })}><code>{id.slice(-12)}</code></a>);

const CELLS: Record<Column, (event: Event) => preact.ComponentChildren> = {
  due: (event) => event.targetTimestampUTC === null ? <bdi>{event.targetTimestampLocal}</bdi> : <Time at={event.targetTimestampUTC} zone={event.targetTimezone} />,
  type: (event) => <a href={hrefOf("events", event.id)}><bdi>{event.eventType}</bdi></a>,
  zone: (event) => <bdi>{event.targetTimezone}</bdi>,
  status: (event) => <State of={event.status} />,
  priority: (event) => event.priority,
  waitingFor: (event) => event.waitingFor ?? <span class="quiet">–</span>,
  attempts: (event) => event.attempt,
  reason: (event) => event.failureReason ?? <span class="quiet">–</span>,
  endpoint: (event) => link("endpointId", event.endpointId),
  user: (event) => link("userId", event.userId),
  schedule: (event) => link("scheduleId", event.scheduleId),
  key: (event) => <code>{event.idempotencyKey}</code>,
  executed: (event) => <Time at={event.executedAt} zone={event.targetTimezone} />,
  id: (event) => <a href={hrefOf("events", event.id)}><code>{event.id}</code></a>,
};

interface Table {
  events: readonly Event[];
  columns: readonly Column[];
  selected?: ReadonlySet<string>;
  select?: (ids: ReadonlySet<string>) => void;
}

export function EventTable({ events, columns, selected, select }: Table) {
  const text = useTexts();
  if (events.length === 0) return <p class="quiet">{text("nothing")}</p>;
  const all = selected !== undefined && events.every((event) => selected.has(event.id));
  const toggle = (ids: readonly string[], on: boolean) => {
    const next = new Set(selected);
    for (const id of ids) if (on) next.add(id); else next.delete(id);
    select?.(next);
  };
  return (
    <div class="scroll" role="region" aria-label={text("events")} tabIndex={0}>
      <table>
        <thead><tr>
          {selected && <th><input type="checkbox" checked={all} aria-label={text("selectAll")} onChange={() => toggle(events.map(({ id }) => id), !all)} /></th>}
          {columns.map((column) => <th key={column} scope="col">{text(column)}</th>)}
        </tr></thead>
        <tbody>{events.map((event) => (
          <tr key={event.id} data-id={event.id}>
            {selected && <td><input type="checkbox" checked={selected.has(event.id)} aria-label={`${text("select")} ${event.eventType} ${event.id}`}
              onChange={() => toggle([event.id], !selected.has(event.id))} /></td>}
            {columns.map((column) => <td key={column} data-label={text(column)}>{CELLS[column](event)}</td>)}
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** The filters that the form offers; others of an address stay as they are. */
const FILTERS = ["status", "eventType", "targetTimezone", "waitingFor", "priority", "targetFrom", "targetTo", "failureReason", "q"] as const;
const CHOICES: Partial<Record<string, readonly string[]>> = {
  status: ["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"],
  waitingFor: ["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"],
  priority: ["CRITICAL", "HIGH", "NORMAL", "LOW"],
};
const LABELS: Record<(typeof FILTERS)[number], Word> = {
  status: "status", eventType: "type", targetTimezone: "zone", waitingFor: "waitingFor", priority: "priority",
  targetFrom: "dueFrom", targetTo: "dueTo", failureReason: "reason", q: "search",
};

const STORED = "sundial.events.columns";

function storedColumns(): readonly Column[] {
  const stored = (localStorage.getItem(STORED) ?? "").split(",");
  const known = COLUMNS.filter((column) => stored.includes(column));
  return known.length > 0 ? known : STANDARD;
}

export function Events({ query }: { query: Query }) {
  const text = useTexts();
  const word = useStateWord();
  const [columns, setColumns] = useState(storedColumns);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<BulkRequest["action"]>();
  const [started, setStarted] = useState<Operation>();
  const { cursor: _, ...filter } = query;
  const search = searchOf({ limit: "50", ...query });
  const page = useLoaded((signal) => get<EventPage>(`/v1/events${search}`, signal), [search]);
  useEffect(() => setSelected(new Set()), [searchOf(filter)]);

  const apply = (submitted: SubmitEvent) => {
    submitted.preventDefault();
    const form = new FormData(submitted.currentTarget as HTMLFormElement);
    const next: Record<string, string> = { ...filter };
    for (const name of FILTERS) next[name] = String(form.get(name) ?? "").trim();
    location.hash = hrefOf("events", "", next);
  };
  const show = (column: Column, on: boolean) => {
    const next = COLUMNS.filter((one) => (one === column ? on : columns.includes(one)));
    localStorage.setItem(STORED, next.join(","));
    setColumns(next);
  };
  return (
    <>
      <h1>{text("events")}</h1>
      <form class="filters" role="search" onSubmit={apply} key={searchOf(filter)}>
        {FILTERS.map((name) => (
          <Field label={text(LABELS[name])} key={name}>
            {CHOICES[name] ? (
              <select name={name}>
                <option value="">{text("any")}</option>
                {CHOICES[name].map((choice) => <option key={choice} value={choice} selected={query[name] === choice}>{word(choice)}</option>)}
              </select>
            ) : <input name={name} defaultValue={query[name] ?? ""} dir="auto" placeholder={name.startsWith("target") && name !== "targetTimezone" ? "now-1h" : ""} />}
          </Field>
        ))}
        <div class="buttons"><button type="submit" class="primary">{text("apply")}</button><a class="button" href={hrefOf("events")}>{text("clear")}</a></div>
      </form>
      <details class="columns">
        <summary>{text("columns")}</summary>
        {COLUMNS.map((column) => (
          <label key={column}><input type="checkbox" checked={columns.includes(column)} onChange={(event) => show(column, event.currentTarget.checked)} /> {text(column)}</label>
        ))}
      </details>
      <div class="buttons" role="group" aria-label={selected.size > 0 ? text("selected", { n: selected.size }) : text("wholeFilter")}>
        <span role="status">{selected.size > 0 ? text("selected", { n: selected.size }) : text("wholeFilter")}:</span>
        <button type="button" onClick={() => setBulk("retry")}>{text("bulkRetry")}</button>
        <button type="button" onClick={() => setBulk("cancel")}>{text("bulkCancel")}</button>
        <button type="button" onClick={() => setBulk("dismiss")}>{text("bulkDismiss")}</button>
      </div>
      {started && <p role="status" class="notice">{text("started", { id: started.id, status: word(started.status), done: started.done, failed: started.failed })}</p>}
      {bulk && <Bulk action={bulk} filter={filter} ids={[...selected]} close={() => setBulk(undefined)}
        done={(operation) => { setStarted(operation); setSelected(new Set()); page.reload(); }} />}
      <Shown of={page}>{(found) => (
        <>
          <EventTable events={found.data} columns={columns} selected={selected} select={setSelected} />
          <div class="buttons">
            {query.cursor && <a class="button" href={hrefOf("events", "", filter)}>{text("first")}</a>}
            {found.hasMore && <a class="button" href={hrefOf("events", "", { ...filter, cursor: found.nextCursor ?? "" })}>{text("next")}</a>}
          </div>
        </>
      )}</Shown>
    </>
  );
}

/** The filter of a list's query as that of a bulk request: several values are an array there. */
function bulkFilter(query: Query): BulkRequest["filter"] {
  const filter: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(query)) {
    if (value === "" || name === "limit" || name === "sort") continue;
    if (name === "dismissed" || name === "lateExecution") filter[name] = value === "true";
    else filter[name] = value.includes(",") && ["status", "waitingFor", "priority", "eventType", "targetTimezone"].includes(name) ? value.split(",") : value;
  }
  return filter;
}

interface BulkProps {
  action: BulkRequest["action"];
  filter: Query;
  ids: readonly string[];
  done: (operation: Operation) => void;
  close: () => void;
}

/** Counts first, by a dry run; only a count above zero can be carried out. */
function Bulk({ action, filter, ids, done, close }: BulkProps) {
  const text = useTexts();
  const [pace, setPace] = useState("50");
  const [preview, setPreview] = useState<BulkPreview>();
  const [refusal, setRefusal] = useState<Refusal>();
  const body: BulkRequest = { resource: "events", action, ...(ids.length > 0 ? { ids } : { filter: bulkFilter(filter) }) };
  useEffect(() => {
    const ended = new AbortController();
    send<BulkPreview>({ method: "POST", path: "/v1/bulk", body: { ...body, dryRun: true } }, ended.signal)
      .then(setPreview, (error: unknown) => { if (!ended.signal.aborted && error instanceof Refusal) setRefusal(error); });
    return () => ended.abort();
  }, []);
  const perSecond = Number(pace);
  const request: Request | undefined = preview && preview.count > 0 && Number.isInteger(perSecond) && perSecond > 0
    ? { method: "POST", path: "/v1/bulk", body: { ...body, perSecond } } : undefined;
  const words: Record<string, Word> = { retry: "bulkRetry", cancel: "bulkCancel", dismiss: "bulkDismiss" };
  return (
    <ActionDialog word={words[action] ?? "confirm"} request={request} undoable={action === "dismiss"} done={(answer) => done(answer as Operation)} close={close}>
      <Refused refusal={refusal} />
      {!refusal && <p role="status" data-count={preview?.count}>{preview ? text("countedApply", { n: preview.count }) : text("counting")}</p>}
      <Field label={text("perSecond")}><input type="number" min="1" step="1" value={pace} onInput={(event) => setPace(event.currentTarget.value)} /></Field>
    </ActionDialog>
  );
}
