import { useEffect, useState } from "preact/hooks";
import type { BulkPreview, BulkRequest, Event, EventPage, Operation } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal, send, useLoaded } from "../api.ts";
import { useStateWord, useTexts } from "../display.ts";
import { Filters, type Filter } from "../filters.tsx";
import { bulkCommand, bulkFilter, hrefOf, nameOf, searchOf, shifted, type Query, type Request } from "../logic.ts";
import { Act, ActionDialog, Field, Name, NotCounted, Pages, Person, Quiet, Ref, Shown, State, Table, Time, Total, useMayDo, Value } from "../parts.tsx";
import type { Word } from "../texts/en.ts";
import { Export, Views } from "./event_lists.tsx";

const COLUMNS = ["due", "type", "zone", "status", "priority", "waitingFor", "attempts", "reason", "endpoint", "user", "schedule", "key", "executed", "id"] as const;
export type EventColumn = (typeof COLUMNS)[number];
const STANDARD: readonly EventColumn[] = ["due", "type", "zone", "status", "attempts", "reason"];

const CELLS: Record<EventColumn, (event: Event) => preact.ComponentChildren> = {
  due: (event) => event.targetTimestampUTC === null ? <bdi>{event.targetTimestampLocal}</bdi> : <Time at={event.targetTimestampUTC} zone={event.targetTimezone} />,
  type: (event) => <a href={hrefOf("events", event.id)}><Name of={event.eventType} /></a>,
  zone: (event) => <Name of={event.targetTimezone} />,
  status: (event) => <EventState of={event} />,
  priority: (event) => <Value of={event.priority} />,
  waitingFor: (event) => (event.waitingFor ? <Value of={event.waitingFor} /> : <Quiet />),
  attempts: (event) => event.attempt,
  reason: (event) => event.failureReason ?? <Quiet />,
  endpoint: (event) => <Ref page="endpoints" id={event.endpointId} name={nameOf(event.endpoint)} />,
  user: (event) => <Person id={event.userId} name={nameOf(event.user)} />,
  schedule: (event) => <Ref page="schedules" id={event.scheduleId} name={nameOf(event.schedule)} />,
  key: (event) => <code>{event.idempotencyKey}</code>,
  executed: (event) => <Time at={event.executedAt} zone={event.targetTimezone} />,
  id: (event) => <a href={hrefOf("events", event.id)}><code>{event.id}</code></a>,
};

/** The status of an event. One that waits is not in progress, so the page says what it waits for. */
export function EventState({ of: { status, waitingFor } }: { of: Pick<Event, "status" | "waitingFor"> }) {
  const waits = waitingFor && (waitingFor === "SCHEDULE" ? "paused" : `WAITS_${waitingFor}`);
  return <>{!(waits && status === "PROCESSING") && <State of={status} />}{waits && <> <State of={waits} /></>}</>;
}

/** The `expand` of a list that shows these columns: their names instead of ids. */
export const expandOf = (columns: readonly EventColumn[]) => columns.filter((column) => column === "endpoint" || column === "user" || column === "schedule").join();

interface EventTableProps {
  events: readonly Event[];
  columns: readonly EventColumn[];
  selected?: ReadonlySet<string> | undefined;
  select?: (ids: ReadonlySet<string>) => void;
}

export function EventTable({ events, columns, selected, select }: EventTableProps) {
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
          {selected && <td><input type="checkbox" checked={all} aria-label={text("selectAll")} onChange={() => toggle(events.map(({ id }) => id), !all)} /></td>}
          {columns.map((column) => <th key={column} scope="col">{text(column)}</th>)}
        </tr></thead>
        <tbody>{events.map((event) => (
          <tr key={event.id} data-id={event.id}>
            {selected && <td><input type="checkbox" checked={selected.has(event.id)} aria-label={`${text("select")} ${event.eventType} ${event.id}`}
              onChange={() => toggle([event.id], !selected.has(event.id))} /></td>}
            {columns.map((column) => <td key={column} data-label={text(column)}><div>{CELLS[column](event)}</div></td>)}
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

/** The filters that the form offers; others of an address stay as they are. */
const FILTERS: readonly Filter[] = [
  { name: "status", word: "status", choices: ["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"] },
  { name: "eventType", word: "type" },
  { name: "targetTimezone", word: "zone", hint: "Europe/Berlin" },
  { name: "waitingFor", word: "waitingFor", choices: ["RETRY", "CIRCUIT", "LIMIT", "ENDPOINT", "SCHEDULE"] },
  { name: "priority", word: "priority", choices: ["CRITICAL", "HIGH", "NORMAL", "LOW"] },
  { name: "endpointId", word: "endpoint", hint: "ext:crm" },
  { name: "targetFrom", word: "dueFrom", hint: "now-1h" },
  { name: "targetTo", word: "dueTo", hint: "now+1d" },
  { name: "failureReason", word: "reason", hint: "HTTP_STATUS 404" },
  { name: "q", word: "search" },
];

const STORED = "sundial.events.columns";

function storedColumns(): readonly EventColumn[] {
  const stored = (localStorage.getItem(STORED) ?? "").split(",");
  const known = COLUMNS.filter((column) => stored.includes(column));
  return known.length > 0 ? known : STANDARD;
}

export function Events({ query }: { query: Query }) {
  const text = useTexts();
  const mayWrite = useMayDo("WRITE");
  const [columns, setColumns] = useState(storedColumns);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<BulkRequest["action"]>();
  const [started, setStarted] = useState<Operation>();
  const { cursor: _, ...filter } = query;
  const search = searchOf({ limit: "50", count: "exact", expand: expandOf(columns), ...query });
  const page = useLoaded((signal) => get<EventPage>(`/v1/events${search}`, signal), [search], ["events"], 5000);
  useEffect(() => setSelected(new Set()), [searchOf(filter)]);
  const show = (column: EventColumn, on: boolean) => {
    const next = COLUMNS.filter((one) => (one === column ? on : columns.includes(one)));
    localStorage.setItem(STORED, next.join(","));
    setColumns(next);
  };
  const rows = page.data?.data ?? [];
  const suggestions: Record<string, (string | null)[]> = { eventType: rows.map((event) => event.eventType), endpointId: rows.map((event) => event.endpointId), failureReason: rows.map((event) => event.failureReason) };
  const scope = selected.size > 0 ? text("selected", { n: selected.size }) : text("wholeFilter");
  return (
    <>
      <h1>{text("events")}</h1>
      <Filters page="events" query={query} filters={FILTERS.map((one) => ({ ...one, suggest: suggestions[one.name] }))} />
      <details class="columns">
        <summary>{text("columns")}</summary>
        {COLUMNS.map((column) => (
          <label key={column}><input type="checkbox" checked={columns.includes(column)} onChange={(event) => show(column, event.currentTarget.checked)} /> {text(column)}</label>
        ))}
      </details>
      <Views page="events" filter={filter} />
      {mayWrite && (
        <div class="buttons" role="group" aria-label={scope}>
          <span role="status">{scope}:</span>
          {(["retry", "reschedule", "cancel", "dismiss"] as const).map((action) => <Act key={action} word={BULK_WORDS[action]} press={() => { setStarted(undefined); setBulk(action); }} />)}
        </div>
      )}
      {started && <Started operation={started} />}
      {bulk && <Bulk action={bulk} filter={filter} ids={[...selected]} close={() => setBulk(undefined)}
        done={(operation) => { setStarted(operation); setSelected(new Set()); page.reload(); }} />}
      <Shown of={page}>{(found) => (
        <>
          <Total of={found} />
          <EventTable events={found.data} columns={columns} selected={mayWrite ? selected : undefined} select={setSelected} />
          <Pages page="events" query={query} of={found} />
          <Export filter={filter} />
        </>
      )}</Shown>
    </>
  );
}

/** The progress of an operation that this page has started. */
export function Started({ operation }: { operation: Operation }) {
  const now = useLoaded((signal) => get<Operation>(`/v1/operations/${operation.id}`, signal), [operation.id], ["operations"], 2000).data ?? operation;
  return <Progress now={now} />;
}

/** The same for an operation whose id alone is known. */
export function Followed({ id }: { id: string }) {
  const now = useLoaded((signal) => get<Operation>(`/v1/operations/${encodeURIComponent(id)}`, signal), [id], ["operations"], 2000).data;
  return now ? <Progress now={now} /> : null;
}

function Progress({ now }: { now: Operation }) {
  const text = useTexts();
  const word = useStateWord();
  return (
    <p role="status" class="notice" data-operation={now.status}>
      <a href={hrefOf("operations", now.id)}>{text("operation")}</a>: {text("started", { status: word(now.status), done: now.done, failed: now.failed, total: now.total ?? "?" })}
    </p>
  );
}

const BULK_WORDS = { retry: "bulkRetry", cancel: "bulkCancel", reschedule: "bulkReschedule", dismiss: "bulkDismiss" } as const satisfies Record<string, Word>;

interface BulkProps {
  action: BulkRequest["action"];
  filter: Query;
  ids: readonly string[];
  done: (operation: Operation) => void;
  close: () => void;
}

/** Counts first, by a dry run; only a count above zero can be carried out. */
export function Bulk({ action, filter, ids, done, close }: BulkProps) {
  const text = useTexts();
  const [pace, setPace] = useState("50");
  const [note, setNote] = useState("");
  const [move, setMove] = useState<Move>({ how: "shift", amount: "60", unit: "M", local: "" });
  const [found, setFound] = useState<{ of: string; preview?: BulkPreview; refusal?: Refusal }>();
  const [tries, setTries] = useState(0);
  const set = action === "reschedule" ? setOf(move) : {};
  const body: BulkRequest = { resource: "events", action, ...(ids.length > 0 ? { ids: [...ids] } : { filter: bulkFilter(filter) }), ...(action === "reschedule" && set && { set }), ...(note.trim() && { note: note.trim() }) };
  const counted = JSON.stringify(set ?? null);
  // The count of another move says nothing about this one.
  const current = found?.of === counted ? found : undefined;
  const preview = current?.preview, refusal = current?.refusal;
  useEffect(() => {
    if (!set) return; // what the user has typed so far moves nothing
    const ended = new AbortController();
    const timer = setTimeout(() => {
      send<BulkPreview>({ method: "POST", path: "/v1/bulk", body: { ...body, dryRun: true } }, ended.signal)
        .then((answer) => setFound({ of: counted, preview: answer }), (error: unknown) => { if (!ended.signal.aborted && error instanceof Refusal) setFound({ of: counted, refusal: error }); });
    }, action === "reschedule" ? PAUSE : 0);
    return () => { clearTimeout(timer); ended.abort(); };
  }, [counted, tries]);
  const perSecond = Number(pace);
  const request: Request | undefined = preview && preview.count > 0 && Number.isInteger(perSecond) && perSecond > 0
    ? { method: "POST", path: "/v1/bulk", body: { ...body, perSecond }, ...cliPart(bulkCommand(action, filter, ids, perSecond, note.trim(), set)) } : undefined;
  return (
    <ActionDialog word={BULK_WORDS[action as keyof typeof BULK_WORDS] ?? "confirm"} request={request} undoable={action === "dismiss" || action === "reschedule"} done={(answer) => done(answer as Operation)} close={close}>
      {action === "reschedule" && <MoveFields move={move} change={setMove} />}
      <NotCounted refusal={refusal} again={() => { setFound(undefined); setTries(tries + 1); }} />
      {!refusal && set && <p role="status" data-count={preview?.count}>{preview ? text("countedApply", { n: preview.count }) : text("counting")}</p>}
      {action === "reschedule" && preview && preview.samples.length > 0 && <Table label={text("samples")} rows={preview.samples} id={({ id }) => id} columns={[
        ["type", (event) => <Name of={event.eventType} />],
        ["was", (event) => <Time at={event.targetTimestampUTC} zone={event.targetTimezone} />],
        ["becomes", (event) => move.how === "local" ? <bdi>{move.local.replace("T", " ")} {event.targetTimezone}</bdi> : <Time at={shifted(event.targetTimestampUTC, set?.shift ?? "")} zone={event.targetTimezone} />],
      ]} />}
      {action === "dismiss" && <Field label={text("note")}><input name="note" maxLength={1000} value={note} onInput={(event) => setNote(event.currentTarget.value)} /></Field>}
      <Field label={text("perSecond")}><input name="pace" type="number" min="1" step="1" value={pace} onInput={(event) => setPace(event.currentTarget.value)} /></Field>
    </ActionDialog>
  );
}

const PAUSE = 300; // ms without a key before the server is asked

/** Where events are moved: by a duration, or to one local time in the zone of each. */
interface Move {
  how: "shift" | "local";
  amount: string;
  unit: "M" | "H" | "D";
  local: string;
}

/** The `set` of a bulk request; undefined while it is incomplete. A day is 24 hours here. */
function setOf({ how, amount, unit, local }: Move): BulkRequest["set"] | undefined {
  if (how === "local") return local === "" ? undefined : { targetTimestampLocal: local };
  const count = Number(amount) * (unit === "D" ? 24 : 1);
  return Number.isInteger(count) && count !== 0 ? { shift: `${count < 0 ? "-" : ""}PT${Math.abs(count)}${unit === "M" ? "M" : "H"}` } : undefined;
}

function MoveFields({ move, change }: { move: Move; change: (move: Move) => void }) {
  const text = useTexts();
  return (
    <div class="filters">
      <Field label={text("moveHow")}>
        <select name="how" value={move.how} onChange={(event) => change({ ...move, how: event.currentTarget.value as Move["how"] })}>
          <option value="shift">{text("moveBy")}</option><option value="local">{text("moveTo")}</option>
        </select>
      </Field>
      {move.how === "shift" ? (
        <>
          <Field label={text("amount")}><input name="amount" type="number" step="1" value={move.amount} onInput={(event) => change({ ...move, amount: event.currentTarget.value })} /></Field>
          <Field label={text("unit")}>
            <select name="unit" value={move.unit} onChange={(event) => change({ ...move, unit: event.currentTarget.value as Move["unit"] })}>
              <option value="M">{text("minutes")}</option><option value="H">{text("hours")}</option><option value="D">{text("days")}</option>
            </select>
          </Field>
        </>
      ) : <Field label={text("newLocal")}><input name="local" type="datetime-local" step="1" value={move.local} onInput={(event) => change({ ...move, local: event.currentTarget.value })} /></Field>}
    </div>
  );
}

const cliPart = (cli: readonly string[] | undefined) => (cli ? { cli } : {});
