import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Backfill, Event, EventPage, Occurrence, OccurrencePage, Operation, Schedule as ScheduleObject, Stream, TimezonePage } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal, send, useLoaded } from "../api.ts";
import { useStateWord, useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { hrefOf, searchOf, type Query } from "../logic.ts";
import { Named, useNames } from "../names.tsx";
import { Act, ActionDialog, Copy, Facts, Field, Name, NotCounted, Pages, Payload, Quiet, Ref, Shown, State, Table, Time, useActions, useMayDo, usePage } from "../parts.tsx";
import { policyWord } from "../schedule_form.ts";
import { Actor, useKeyNames } from "./audit.tsx";
import { Calendars } from "./calendars.tsx";
import { Views } from "./event_lists.tsx";
import { EventTable, Followed, Started } from "./events.tsx";
import { occurrenceColumns } from "./occurrences.tsx";
import { BulkSchedules, SCHEDULE_ACTIONS, wordOf, type ScheduleAction } from "./schedule_bulk.tsx";
import type { Word } from "../texts/en.ts";

const stateOf = (schedule: ScheduleObject) => (schedule.enabled ? "enabled" : "paused");

export function Schedules({ query }: { query: Query }) {
  const text = useTexts();
  const mayWrite = useMayDo("WRITE");
  const page = usePage<ScheduleObject>("/v1/schedules", query, ["schedules"]);
  const { cursor: _, ...filter } = query;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<ScheduleAction>();
  const [started, setStarted] = useState<Operation>();
  useEffect(() => setSelected(new Set()), [searchOf(filter)]);
  const toggle = (ids: readonly string[], on: boolean) => setSelected(new Set(on ? [...selected, ...ids] : [...selected].filter((id) => !ids.includes(id))));
  const names = useNames((page.data?.data ?? []).map(({ endpointId: id }) => ({ page: "endpoints", id })));
  const scope = selected.size > 0 ? text("selected", { n: selected.size }) : text("wholeFilter");
  const pageIds = (page.data?.data ?? []).map(({ id }) => id);
  const isAll = pageIds.length > 0 && pageIds.every((id) => selected.has(id));
  return (
    <>
      <h1>{text("schedules")}</h1>
      {mayWrite && <p><a class="button" href={hrefOf("schedules", "new")}>{text("newSchedule")}</a></p>}
      <Filters page="schedules" query={query} filters={[
        { name: "enabled", word: "enabled", choices: ["true", "false"] }, { name: "trigger", word: "rule", choices: ["yearly", "cron", "rrule", "every"] },
        { name: "tag", word: "tag", hint: "night", suggest: page.data?.data.flatMap(({ tags }) => tags) },
        { name: "eventType", word: "type", suggest: page.data?.data.map(({ eventType }) => eventType) }, { name: "endpointId", word: "endpoint", hint: "ext:crm" }, { name: "q", word: "searchName" }]} />
      <Views page="schedules" filter={filter} />
      {mayWrite && (
        <div class="buttons" role="group" aria-label={scope}>
          <label><input type="checkbox" checked={isAll} onChange={() => toggle(pageIds, !isAll)} /> {text("selectAll")}</label>
          <span role="status">{scope}:</span>
          {SCHEDULE_ACTIONS.map((action) => <Act key={action} word={wordOf(action)} press={() => { setStarted(undefined); setBulk(action); }} />)}
        </div>
      )}
      {started && <Started operation={started} />}
      {bulk && <BulkSchedules action={bulk} filter={filter} ids={[...selected]} close={() => setBulk(undefined)} done={(operation) => { setStarted(operation); setSelected(new Set()); page.reload(); }} />}
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("schedules")} rows={found.data} id={({ id }) => id} columns={[
            ...(mayWrite ? [["select", (schedule: ScheduleObject) => <input type="checkbox" checked={selected.has(schedule.id)} aria-label={`${text("select")} ${schedule.eventType} ${schedule.externalId ?? schedule.id}`}
              onChange={() => toggle([schedule.id], !selected.has(schedule.id))} />] as const] : []),
            ["type", (schedule) => <a href={hrefOf("schedules", schedule.id)}><Name of={schedule.eventType} /></a>],
            ["status", (schedule) => <State of={stateOf(schedule)} />],
            ["rule", ({ description, note }) => <><Name of={description} />{note && <div class="quiet" dir="auto">{note}</div>}</>],
            ["nextDue", (schedule) => <Time at={schedule.nextAt} zone={schedule.timezone} />],
            ["endpoint", ({ endpointId }) => <Ref page="endpoints" id={endpointId} name={names({ page: "endpoints", id: endpointId })} />],
            ["tags", ({ tags }) => <Tags of={tags} />],
          ]} />
          <Pages page="schedules" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}

/** Each tag leads to the schedules that have it. */
function Tags({ of }: { of: readonly string[] }) {
  return of.length === 0 ? <Quiet /> : <span class="list">{of.map((tag) => <a key={tag} href={hrefOf("schedules", "", { tag })} data-tag={tag}><Name of={tag} /></a>)}</span>;
}

export function Schedule({ id, query }: { id: string; query: Query }) {
  const text = useTexts();
  const word = useStateWord();
  const path = `/v1/schedules/${encodeURIComponent(id)}`;
  const schedule = useLoaded((signal) => get<ScheduleObject>(path, signal), [id], ["schedules"], 5000);
  const actions = useActions(schedule.reload);
  const mayWrite = useMayDo("WRITE");
  const [chosen, setChosen] = useState<"pause" | "trigger" | "backfill">();
  const ended = (said: ComponentChildren) => { actions.say(said); schedule.reload(); };
  return (
    <>
      <p><a href={hrefOf("schedules")}>{text("schedules")}</a></p>
      <Shown of={schedule}>{(found) => (
        <>
          <h1><Name of={found.eventType} /> <State of={stateOf(found)} /></h1>
          <div class="buttons">
            {found.enabled ? <Act word="pause" press={() => setChosen("pause")} /> : <Act word="resume" press={() => actions.ask({
              word: "resume", about: found.eventType, undoable: true, request: { method: "PATCH", path, version: found.version, body: { enabled: true }, cli: ["schedule", "resume", found.id, "--if-match", String(found.version)] },
            })} />}
            {mayWrite && <a class="button" data-edit href={hrefOf("schedules", id, { edit: "true" })}>{text("editSchedule")}</a>}
            <Act word="trigger" press={() => setChosen("trigger")} />
            <Act word="backfill" press={() => setChosen("backfill")} />
            <Act word="deleteSchedule" press={() => actions.ask({
              word: "deleteSchedule", about: found.eventType, request: { method: "DELETE", path, version: found.version, cli: ["schedule", "delete", found.id, "--if-match", String(found.version)] },
              note: <p>{text("deleteScheduleHint")}</p>,
            }, () => { location.hash = hrefOf("schedules"); })} />
          </div>
          {query.operation && <Followed id={query.operation} />}
          {actions.view}
          {chosen === "pause" && <Pause of={found} path={path} close={() => setChosen(undefined)} done={() => ended(text("done"))} />}
          {chosen === "trigger" && <Trigger of={found} path={path} close={() => setChosen(undefined)} done={(event) => ended(<>{text("done")} <a href={hrefOf("events", event.id)}>{text("event")}</a></>)} />}
          {chosen === "backfill" && <BackfillDialog of={found} path={path} close={() => setChosen(undefined)} done={(operation) => ended(<a href={hrefOf("operations", operation.id)}>{text("operation")}</a>)} />}
          {!found.enabled && <PausedBy id={found.id} version={found.version} />}
          <p dir="auto">{found.description}</p>
          <Facts of={[
            ["note", found.note && <bdi>{found.note}</bdi>], ["tags", found.tags.length > 0 && <Tags of={found.tags} />], ["nextDue", found.enabled ? <Time at={found.nextAt} zone={found.timezone} /> : <span class="quiet">{text("noneWhilePaused")}</span>], ["zone", found.timezone ? <bdi>{found.timezone}</bdi> : text("ofEachUser")],
            ["gap", word(policyWord("gap", found.gap))], ["overlap", word(policyWord("overlap", found.overlap))], ["leap", word(found.leap)], ["misfire", `${word(found.misfire)}${found.window ? `, ${found.window}` : ""}`],
            ["concurrency", word(found.concurrency)], ["jitter", found.jitter === "PT0S" ? null : found.jitter], ["endpoint", found.endpointId && <Named page="endpoints" id={found.endpointId} />],
            ["id", <><code>{found.externalId ? `ext:${found.externalId}` : found.id}</code> <Copy what={found.id} /></>],
          ]} />
          <p><a href={hrefOf("events", "", { scheduleId: found.id })}>{text("events")}</a> · <a href={hrefOf("streams", `Schedule/${found.id}`)}>{text("history")}</a></p>
          <h2>{text("occurrences")}</h2>
          {!found.enabled && <p class="warning" data-would-be><span aria-hidden="true">‖</span> {text("wouldBe")}</p>}
          {found.perUser && !query.userId ? <><p class="quiet">{text("perUserHint")} <a href={hrefOf("people")}>{text("people")}</a></p><NextPersons id={found.id} /></> : <Next of={found} userId={query.userId ?? ""} />}
          {found.timezone !== null && !found.perUser && <AtNextChange of={found} zone={found.timezone} />}
          <h2>{text("payload")}</h2>
          <Payload value={found.payload} />
          <Calendars scheduleId={found.id} mayAdd={!found.perUser} />
        </>
      )}</Shown>
    </>
  );
}

/** Who paused a schedule, and when: the latest change of its state, among the latest changes of its settings. */
function PausedBy({ id, version }: { id: string; version: number }) {
  const text = useTexts();
  const stream = useLoaded((signal) => get<Stream>(`/v1/streams/Schedule/${id}?direction=backward&limit=100`, signal), [id, version], [], 600_000);
  const paused = stream.data?.data?.find(({ data }) => (data as Record<string, unknown> | null)?.enabled === false);
  const names = useKeyNames([paused?.metadata.actor]);
  return paused ? <p data-paused-by>{text("pausedBy")} <Actor of={paused.metadata.actor} names={names} />, <Time at={paused.recordedAt} /></p> : null;
}

const AHEAD = "now+P2Y"; // shows at least one change of clocks each way

function Next({ of, userId }: { of: ScheduleObject; userId: string }) {
  const search = searchOf({ scheduleId: of.id, userId, to: AHEAD, limit: "20" });
  const page = useLoaded((signal) => get<OccurrencePage>(`/v1/occurrences${search}`, signal), [search, of.version], ["schedules"]);
  return <Shown of={page}>{({ data }) => <OccurrenceTable rows={data} cron={of.trigger.cron} />}</Shown>;
}

/** The next events of a schedule of persons: whose they are, and when they are due. */
function NextPersons({ id }: { id: string }) {
  const page = useLoaded((signal) => get<EventPage>(`/v1/events${searchOf({ scheduleId: id, status: "PENDING", limit: "5", expand: "user" })}`, signal), [id], ["events"], 15_000);
  return <Shown of={page}>{({ data }) => <EventTable events={data} columns={["user", "due", "zone", "status"]} />}</Shown>;
}

const HOUR = 3_600_000; // ms

/** The occurrences that the next change of clocks affects. It is mostly far beyond the list of the next ones. */
function AtNextChange({ of, zone }: { of: ScheduleObject; zone: string }) {
  const text = useTexts();
  const found = useLoaded(async (signal) => {
    const { data } = await get<TimezonePage>(`/v1/timezones${searchOf({ zone, limit: "1" })}`, signal);
    const change = data[0]?.changes[0];
    if (!change) return null;
    const around = (hours: number) => new Date(new Date(change.at).getTime() + hours * HOUR).toISOString();
    // Gaps and repeated hours are less than three hours away, the first occurrence at the new offset mostly less than a day.
    const { data: near } = await get<OccurrencePage>(`/v1/occurrences${searchOf({ scheduleId: of.id, from: around(-3), to: around(24), limit: "500" })}`, signal);
    return { change, rows: near.filter(({ note }) => note !== null).slice(0, 20) };
  }, [of.id, of.version, zone], [], 600_000);
  return (
    <Shown of={found}>{(it) => it && (
      <section data-at-change={it.change.at}>
        <h3>{text("nextChange")}: <Time at={it.change.at} zone={zone} /></h3>
        {it.rows.length === 0 ? <p class="quiet">{text("changesNone")}</p> : <OccurrenceTable label="nextChange" rows={it.rows} />}
      </section>
    )}</Shown>
  );
}

export function OccurrenceTable({ rows, label = "occurrences", cron }: { rows: readonly Occurrence[]; label?: Word; cron?: string | undefined }) {
  const text = useTexts();
  const word = useStateWord();
  return <Table label={text(label)} rows={rows} columns={occurrenceColumns(text, word, cron)} id={(one) => one.targetTimestampUTC ?? one.wantedLocal ?? one.targetTimestampLocal ?? ""} />;
}

interface DialogProps<T> {
  of: ScheduleObject;
  path: string;
  close: () => void;
  done: (answer: T) => void;
}

function Pause({ of, path, close, done }: DialogProps<ScheduleObject>) {
  const text = useTexts();
  const [note, setNote] = useState("");
  const body = { enabled: false, ...(note.trim() && { note: note.trim() }) };
  return (
    <ActionDialog word="pause" about={of.eventType} undoable close={close} done={(answer) => done(answer as ScheduleObject)}
      request={{ method: "PATCH", path, version: of.version, body, cli: ["schedule", "pause", of.id, ...(note.trim() ? ["--note", note.trim()] : []), "--if-match", String(of.version)] }}>
      <p>{text("pauseHint")}</p>
      <Field label={text("note")}><input name="note" maxLength={1000} value={note} onInput={(event) => setNote(event.currentTarget.value)} /></Field>
    </ActionDialog>
  );
}

function Trigger({ of, path, close, done }: DialogProps<Event>) {
  const text = useTexts();
  const [user, setUser] = useState("");
  const ready = !of.perUser || user.trim() !== "";
  return (
    <ActionDialog word="trigger" about={of.eventType} close={close} done={(answer) => done(answer as Event)}
      request={ready ? { method: "POST", path: `${path}/trigger`, body: of.perUser ? { userId: user.trim() } : {}, cli: ["schedule", "trigger", of.id, ...(of.perUser ? ["--user", user.trim()] : [])] } : undefined}>
      <p>{text("triggerHint")}</p>
      {of.perUser && <Field label={text("user")}><input name="userId" required placeholder="ext:ada" value={user} onInput={(event) => setUser(event.currentTarget.value)} /></Field>}
    </ActionDialog>
  );
}

/** Counts first; the request is possible only for the range that was counted. */
function BackfillDialog({ of, path, close, done }: DialogProps<Operation>) {
  const text = useTexts();
  const [from, setFrom] = useState("now-1d");
  const [found, setFound] = useState<Backfill>();
  const [refusal, setRefusal] = useState<Refusal>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    setFound(undefined);
    const timer = setTimeout(() => {
      send<Backfill>({ method: "POST", path: `${path}/backfill`, body: { from, to: "now", dryRun: true } }, ended.signal).then(
        (answer) => { setFound(answer); setRefusal(undefined); }, (error: unknown) => { if (!ended.signal.aborted && error instanceof Refusal) setRefusal(error); });
    }, 300);
    return () => { clearTimeout(timer); ended.abort(); };
  }, [from, tries]);
  return (
    <ActionDialog word="backfill" about={of.eventType} close={close} done={(answer) => done(answer as Operation)}
      request={found && found.occurrences > 0 ? { method: "POST", path: `${path}/backfill`, body: { from, to: "now" }, cli: ["schedule", "backfill", of.id, "--from", from, "--to", "now"] } : undefined}>
      <Field label={text("from")}><input name="from" required dir="ltr" value={from} onInput={(event) => setFrom(event.currentTarget.value)} /></Field>
      <NotCounted refusal={refusal} again={() => { setRefusal(undefined); setTries(tries + 1); }} />
      {!refusal && <p role="status" data-count={found?.occurrences}>{found ? text("countedApply", { n: found.occurrences }) : text("counting")}</p>}
    </ActionDialog>
  );
}
