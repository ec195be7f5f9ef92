import { useEffect, useState } from "preact/hooks";
import type { Backfill, Event, Occurrence, OccurrencePage, Operation, Preview, Schedule as ScheduleObject } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal, send, useLoaded } from "../api.ts";
import { useStateWord, useTexts } from "../display.ts";
import { hrefOf, searchOf, triggerOf, type Query, type Request } from "../logic.ts";
import { Act, ActionDialog, Copy, Facts, Field, Filters, Pages, Payload, Quiet, Ref, Refused, Shown, State, Table, Time, useActions, useMayDo, usePage } from "../parts.tsx";
import { occurrenceColumns } from "./occurrences.tsx";
import type { Word } from "../texts/en.ts";

const stateOf = (schedule: ScheduleObject) => (schedule.enabled ? "enabled" : "paused");

export function Schedules({ query }: { query: Query }) {
  const text = useTexts();
  const mayWrite = useMayDo("WRITE");
  const page = usePage<ScheduleObject>("/v1/schedules", query, ["schedules"]);
  return (
    <>
      <h1>{text("schedules")}</h1>
      {mayWrite && <p><a class="button" href={hrefOf("schedules", "new")}>{text("newSchedule")}</a></p>}
      <Filters page="schedules" query={query} filters={[
        { name: "enabled", word: "enabled", choices: ["true", "false"] }, { name: "trigger", word: "rule", choices: ["yearly", "cron", "rrule", "every"] },
        { name: "eventType", word: "type" }, { name: "q", word: "searchName" }]} />
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("schedules")} rows={found.data} id={({ id }) => id} columns={[
            ["type", (schedule) => <a href={hrefOf("schedules", schedule.id)}><bdi>{schedule.eventType}</bdi></a>],
            ["status", (schedule) => <><State of={stateOf(schedule)} />{schedule.note && <div class="quiet">{schedule.note}</div>}</>],
            ["rule", ({ description }) => description],
            ["zone", ({ timezone }) => (timezone ? <bdi>{timezone}</bdi> : text("ofEachUser"))],
            ["nextDue", (schedule) => <Time at={schedule.nextAt} zone={schedule.timezone} />],
            ["endpoint", ({ endpointId }) => <Ref page="endpoints" id={endpointId} />],
          ]} />
          <Pages page="schedules" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}

export function Schedule({ id, query }: { id: string; query: Query }) {
  const text = useTexts();
  const path = `/v1/schedules/${encodeURIComponent(id)}`;
  const schedule = useLoaded((signal) => get<ScheduleObject>(path, signal), [id], ["schedules"], 5000);
  const actions = useActions(schedule.reload);
  const [chosen, setChosen] = useState<"pause" | "trigger" | "backfill">();
  const ended = (said: preact.ComponentChildren) => { actions.say(said); schedule.reload(); };
  return (
    <>
      <p><a href={hrefOf("schedules")}>{text("schedules")}</a></p>
      <Shown of={schedule}>{(found) => (
        <>
          <h1><bdi>{found.eventType}</bdi> <State of={stateOf(found)} /></h1>
          <div class="buttons">
            {found.enabled ? <Act word="pause" press={() => setChosen("pause")} /> : <Act word="resume" press={() => actions.ask({
              word: "resume", about: found.eventType, undoable: true, request: { method: "PATCH", path, version: found.version, body: { enabled: true }, cli: ["schedule", "resume", found.id, "--if-match", String(found.version)] },
            })} />}
            <Act word="trigger" press={() => setChosen("trigger")} />
            <Act word="backfill" press={() => setChosen("backfill")} />
          </div>
          {actions.view}
          {chosen === "pause" && <Pause of={found} path={path} close={() => setChosen(undefined)} done={() => ended(text("done"))} />}
          {chosen === "trigger" && <Trigger of={found} path={path} close={() => setChosen(undefined)} done={(event) => ended(<>{text("done")} <a href={hrefOf("events", event.id)}>{text("event")}</a></>)} />}
          {chosen === "backfill" && <BackfillDialog of={found} path={path} close={() => setChosen(undefined)} done={(operation) => ended(<a href={hrefOf("operations", operation.id)}>{text("operation")}</a>)} />}
          <p>{found.description}</p>
          <Facts of={[
            ["note", found.note], ["nextDue", <Time at={found.nextAt} zone={found.timezone} />], ["zone", found.timezone ? <bdi>{found.timezone}</bdi> : text("ofEachUser")],
            ["gap", found.gap], ["overlap", found.overlap], ["leap", found.leap], ["misfire", `${found.misfire}${found.window ? `, ${found.window}` : ""}`],
            ["concurrency", found.concurrency], ["jitter", found.jitter === "PT0S" ? null : found.jitter], ["endpoint", <Ref page="endpoints" id={found.endpointId} />],
            ["id", <><code>{found.externalId ? `ext:${found.externalId}` : found.id}</code> <Copy what={found.id} /></>],
          ]} />
          <p><a href={hrefOf("events", "", { scheduleId: found.id })}>{text("events")}</a> · <a href={hrefOf("streams", `Schedule/${found.id}`)}>{text("history")}</a></p>
          <h2>{text("occurrences")}</h2>
          {found.perUser && !query.userId ? <p class="quiet">{text("perUserHint")} <a href={hrefOf("people")}>{text("people")}</a></p> : <Next of={found} userId={query.userId ?? ""} />}
          <h2>{text("payload")}</h2>
          <Payload value={found.payload} />
        </>
      )}</Shown>
    </>
  );
}

const AHEAD = "now+P2Y"; // shows at least one change of clocks each way

function Next({ of, userId }: { of: ScheduleObject; userId: string }) {
  const search = searchOf({ scheduleId: of.id, userId, to: AHEAD, limit: "20" });
  const page = useLoaded((signal) => get<OccurrencePage>(`/v1/occurrences${search}`, signal), [search, of.version], ["schedules"]);
  return <Shown of={page}>{({ data }) => <OccurrenceTable rows={data} />}</Shown>;
}

function OccurrenceTable({ rows }: { rows: readonly Occurrence[] }) {
  const text = useTexts();
  const word = useStateWord();
  return <Table label={text("occurrences")} rows={rows} columns={occurrenceColumns(text, word)} id={(one) => one.targetTimestampUTC ?? one.wantedLocal ?? one.targetTimestampLocal ?? ""} />;
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
      <Field label={text("note")}><input name="note" maxLength={200} value={note} onInput={(event) => setNote(event.currentTarget.value)} /></Field>
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
  useEffect(() => {
    const ended = new AbortController();
    setFound(undefined);
    const timer = setTimeout(() => {
      send<Backfill>({ method: "POST", path: `${path}/backfill`, body: { from, to: "now", dryRun: true } }, ended.signal).then(
        (answer) => { setFound(answer); setRefusal(undefined); }, (error: unknown) => { if (!ended.signal.aborted && error instanceof Refusal) setRefusal(error); });
    }, 300);
    return () => { clearTimeout(timer); ended.abort(); };
  }, [from]);
  return (
    <ActionDialog word="backfill" about={of.eventType} close={close} done={(answer) => done(answer as Operation)}
      request={found && found.occurrences > 0 ? { method: "POST", path: `${path}/backfill`, body: { from, to: "now" }, cli: ["schedule", "backfill", of.id, "--from", from, "--to", "now"] } : undefined}>
      <Field label={text("from")}><input name="from" required dir="ltr" value={from} onInput={(event) => setFrom(event.currentTarget.value)} /></Field>
      <Refused refusal={refusal} />
      {!refusal && <p role="status" data-count={found?.occurrences}>{found ? text("countedApply", { n: found.occurrences }) : text("counting")}</p>}
    </ActionDialog>
  );
}

const KINDS = ["cron", "yearly", "rrule", "every"] as const;
const FIELDS: Record<(typeof KINDS)[number], readonly [name: string, label: Word, hint: string][]> = {
  cron: [["cron", "cronRule", "30 2 * * *"]],
  yearly: [["on", "yearlyOn", "12-24"], ["at", "yearlyAt", "09:00"]],
  rrule: [["dtstart", "dtstart", "2027-01-01T09:00"], ["rrule", "rruleRule", "FREQ=MONTHLY;BYDAY=-1FR"]],
  every: [["every", "everyRule", "PT15M"]],
};
const POLICIES: readonly [name: "gap" | "overlap" | "leap" | "misfire", choices: readonly string[]][] = [
  ["gap", ["compatible", "earlier", "later", "boundary", "skip"]], ["overlap", ["compatible", "earlier", "later", "skip", "both"]],
  ["leap", ["feb28", "mar1", "skip"]], ["misfire", ["once", "all", "skip"]],
];
const DEFAULTS: Record<string, string> = { kind: "cron", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, gap: "compatible", overlap: "compatible", leap: "feb28", misfire: "once" };
const PREVIEWED = 10;

/** A form for a schedule that shows, while the user is typing, what the rule means and when it fires. */
export function NewSchedule() {
  const text = useTexts();
  const word = useStateWord();
  const [fields, setFields] = useState<Record<string, string>>(DEFAULTS);
  const [creating, setCreating] = useState(false);
  const kind = fields.kind ?? "cron";
  const trigger = triggerOf(kind, fields);
  const set = (name: string) => (event: { currentTarget: { value: string } }) => setFields({ ...fields, [name]: event.currentTarget.value });
  const optional = (name: string, as = name) => ((fields[name] ?? "").trim() ? { [as]: (fields[name] ?? "").trim() } : {});
  const schedule = trigger && {
    eventType: (fields.eventType ?? "").trim() || "PREVIEW", trigger, timezone: fields.timezone, ...Object.fromEntries(POLICIES.map(([name]) => [name, fields[name]])), ...optional("endpointId"),
  };
  const request: Request | undefined = schedule && (fields.eventType ?? "").trim() ? {
    method: "POST", path: "/v1/schedules", body: { ...schedule, ...optional("externalId") }, cli: ["schedule", "add", "--data", JSON.stringify({ ...schedule, ...optional("externalId") })],
  } : undefined;
  return (
    <>
      <p><a href={hrefOf("schedules")}>{text("schedules")}</a></p>
      <h1>{text("newSchedule")}</h1>
      <form class="filters" onSubmit={(event) => { event.preventDefault(); setCreating(true); }}>
        <Field label={text("type")}><input name="eventType" required value={fields.eventType ?? ""} onInput={set("eventType")} placeholder="DAILY_REPORT" /></Field>
        <Field label={text("rule")}>
          <select name="kind" value={kind} onChange={set("kind")}>{KINDS.map((one) => <option key={one} value={one}>{word(one)}</option>)}</select>
        </Field>
        {FIELDS[kind as keyof typeof FIELDS].map(([name, label, hint]) => (
          <Field key={name} label={text(label)}><input name={name} dir="ltr" value={fields[name] ?? ""} onInput={set(name)} placeholder={hint} /></Field>
        ))}
        <Field label={text("zone")}><input name="timezone" list="zone-names" dir="ltr" value={fields.timezone ?? ""} onInput={set("timezone")} placeholder="Europe/Berlin" /></Field>
        {POLICIES.map(([name, choices]) => (
          <Field key={name} label={text(name)}>
            <select name={name} value={fields[name] ?? ""} onChange={set(name)}>{choices.map((choice) => <option key={choice} value={choice}>{word(choice)}</option>)}</select>
          </Field>
        ))}
        <Field label={text("endpoint")}><input name="endpointId" dir="ltr" value={fields.endpointId ?? ""} onInput={set("endpointId")} placeholder="ext:crm" /></Field>
        <Field label={text("externalId")}><input name="externalId" dir="ltr" value={fields.externalId ?? ""} onInput={set("externalId")} /></Field>
        <Field label={text("showFrom")}><input name="from" type="date" value={fields.from ?? ""} onInput={set("from")} /></Field>
        <div class="buttons"><button type="submit" class="primary" disabled={!request}>{text("create")}</button></div>
      </form>
      {creating && request && <ActionDialog word="create" undoable request={request} close={() => setCreating(false)} done={(answer) => { location.hash = hrefOf("schedules", (answer as ScheduleObject).id); }} />}
      <h2>{text("preview")}</h2>
      {schedule ? <Previewed request={{ schedule, count: PREVIEWED, ...(fields.from && { from: `${fields.from}T00:00:00Z` }) }} /> : <p class="quiet">{text("previewHint")}</p>}
    </>
  );
}

const PAUSE = 300; // ms without a key before the server is asked

function Previewed({ request }: { request: Record<string, unknown> }) {
  const [preview, setPreview] = useState<Preview>();
  const [refusal, setRefusal] = useState<Refusal>();
  const content = JSON.stringify(request);
  useEffect(() => {
    const ended = new AbortController();
    const timer = setTimeout(() => {
      send<Preview>({ method: "POST", path: "/v1/preview", body: request }, ended.signal).then(
        (answer) => { setPreview(answer); setRefusal(undefined); }, (error: unknown) => { if (!ended.signal.aborted && error instanceof Refusal) { setPreview(undefined); setRefusal(error); } });
    }, PAUSE);
    return () => { clearTimeout(timer); ended.abort(); };
  }, [content]);
  return (
    <div aria-live="polite">
      <Refused refusal={refusal} />
      {preview && (
        <>
          <p class="headline" data-description>{preview.description}</p>
          {preview.warnings.map((warning) => <p key={warning} class="warning"><span aria-hidden="true">!</span> {warning}</p>)}
          <OccurrenceTable rows={preview.data} />
        </>
      )}
      {!preview && !refusal && <Quiet />}
    </div>
  );
}
