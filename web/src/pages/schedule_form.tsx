// The form for schedules: a new one with a preview, and the edit of an existing one with what the edit changes.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Preview, Schedule } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal, send, useLoaded } from "../api.ts";
import { useStateWord, useTexts } from "../display.ts";
import { hrefOf, type Query, type Request } from "../logic.ts";
import { ActionDialog, Field, Quiet, Refused, Shown, Table, useMayDo } from "../parts.tsx";
import { changed, compared, fieldsOf, membersOf, policyWord, rebased, type Member } from "../schedule_form.ts";
import type { Word } from "../texts/en.ts";
import { occurrenceColumns } from "./occurrences.tsx";
import { OccurrenceTable } from "./schedules.tsx";

const KINDS = ["cron", "yearly", "rrule", "ical", "every"] as const;
const FIELDS: Record<string, readonly [name: string, label: Word, hint: string][]> = {
  cron: [["cron", "cronRule", "30 2 * * *"]],
  yearly: [["on", "yearlyOn", "12-24"], ["at", "yearlyAt", "09:00"]],
  rrule: [["dtstart", "dtstart", "2027-01-01T09:00"], ["rrule", "rruleRule", "FREQ=MONTHLY;BYDAY=-1FR"], ["rdate", "rdates", "2027-12-24T09:00"], ["exdate", "exdates", "2027-05-01T09:00"]],
  every: [["every", "everyRule", "PT15M"]],
};
const POLICIES: readonly [name: Member & Word, choices: readonly string[]][] = [
  ["gap", ["compatible", "earlier", "later", "boundary", "skip"]], ["overlap", ["compatible", "earlier", "later", "skip", "both"]],
  ["leap", ["feb28", "mar1", "skip"]], ["misfire", ["once", "all", "skip"]],
];
const CHOICES: typeof POLICIES = [["concurrency", ["allow", "forbid"]], ["priority", ["CRITICAL", "HIGH", "NORMAL", "LOW"]]];
const MORE: readonly [name: string, label: Word, hint: string][] = [
  ["jitter", "jitter", "PT10M"], ["window", "misfireWindow", "PT6H"], ["startsAt", "startsAt", "2027-01-01T00:00:00Z"], ["endsAt", "endsAt", "2027-12-31T23:59:59Z"]];
const DEFAULTS: Record<string, string> = {
  kind: "cron", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, gap: "compatible", overlap: "compatible", leap: "feb28", misfire: "once", concurrency: "allow", priority: "NORMAL",
};
/** The server's defaults, which a new schedule need not repeat. */
const OMITTED: Partial<Record<Member, unknown>> = { window: null, startsAt: null, endsAt: null, endpointId: null, jitter: "PT0S", concurrency: "allow", priority: "NORMAL" };
const PREVIEWED = 10;

interface FormProps {
  fields: Query;
  change: (fields: Record<string, string>) => void;
  /** Whether the rule has a zone of its own: those of persons may follow each person's. */
  perUser?: boolean;
  submit: () => void;
  /** The last fields, and the buttons. */
  children: ComponentChildren;
}

function Fields({ fields, change, perUser = false, submit, children }: FormProps) {
  const text = useTexts();
  const word = useStateWord();
  const kind = fields.kind ?? "cron";
  const set = (name: string) => (event: { currentTarget: { value: string } }) => change({ ...fields, [name]: event.currentTarget.value });
  const typed = ([name, label, hint]: readonly [string, Word, string]) => (
    <Field key={name} label={text(label)}><input name={name} dir="ltr" value={fields[name] ?? ""} onInput={set(name)} placeholder={hint} /></Field>
  );
  const chosen = ([name, choices]: (typeof POLICIES)[number]) => (
    <Field key={name} label={text(name)}>
      <select name={name} value={fields[name] ?? ""} onChange={set(name)}>{choices.map((choice) => <option key={choice} value={choice}>{word(policyWord(name, choice))}</option>)}</select>
    </Field>
  );
  return (
    <form class="filters rule" onSubmit={(event) => { event.preventDefault(); submit(); }}>
      <Field label={text("type")}><input name="eventType" required dir="ltr" value={fields.eventType ?? ""} onInput={set("eventType")} placeholder="DAILY_REPORT" /></Field>
      <Field label={text("rule")}>
        <select name="kind" value={kind} onChange={set("kind")}>{KINDS.map((one) => <option key={one} value={one}>{word(one)}</option>)}</select>
      </Field>
      {kind === "ical" && <div class="wide"><Field label={text("icalRule")}><textarea name="ical" rows={4} dir="ltr" spellcheck={false} value={fields.ical ?? ""} onInput={set("ical")} placeholder={"DTSTART:20270101T090000\nRRULE:FREQ=DAILY"} /></Field></div>}
      {FIELDS[kind]?.map(typed)}
      <Field label={text("zone")}><input name="timezone" list="zone-names" dir="ltr" value={fields.timezone ?? ""} onInput={set("timezone")} placeholder={perUser ? text("ofEachUser") : "Europe/Berlin"} /></Field>
      {POLICIES.map(chosen)}
      <Field label={text("endpoint")}><input name="endpointId" dir="ltr" value={fields.endpointId ?? ""} onInput={set("endpointId")} placeholder="ext:crm" /></Field>
      {MORE.map(typed)}
      {typed(["tags", "tags", "night reports"])}
      {CHOICES.map(chosen)}
      <div class="wide"><Field label={text("payload")}>
        <textarea name="payload" rows={4} dir="ltr" spellcheck={false} value={fields.payload ?? ""} onInput={set("payload")} placeholder={'{"text":"{targetTimestampLocal}"}'} />
      </Field></div>
      {children}
    </form>
  );
}

/** A form for a schedule that shows, while the user is typing, what the rule means and when it fires. */
export function NewSchedule() {
  const text = useTexts();
  const [fields, setFields] = useState<Record<string, string>>(DEFAULTS);
  const [creating, setCreating] = useState(false);
  const members = membersOf(fields);
  const given = members && Object.fromEntries(Object.entries(members).filter(([name, value]) => value !== "" && !(Array.isArray(value) && value.length === 0) && OMITTED[name as Member] !== value && !(name === "payload" && (fields.payload ?? "").trim() === "")));
  const schedule = given && { ...given, eventType: given.eventType ?? "PREVIEW" };
  const own = (fields.externalId ?? "").trim();
  const body = { ...schedule, ...(own && { externalId: own }) };
  const request: Request | undefined = given?.eventType !== undefined ? { method: "POST", path: "/v1/schedules", body, cli: ["schedule", "add", "--data", JSON.stringify(body)] } : undefined;
  const set = (name: string) => (event: { currentTarget: { value: string } }) => setFields({ ...fields, [name]: event.currentTarget.value });
  return (
    <>
      <p><a href={hrefOf("schedules")}>{text("schedules")}</a></p>
      <h1>{text("newSchedule")}</h1>
      <Fields fields={fields} change={setFields} submit={() => setCreating(true)}>
        <Field label={text("externalId")}><input name="externalId" dir="ltr" value={fields.externalId ?? ""} onInput={set("externalId")} /></Field>
        <Field label={text("showFrom")}><input name="from" type="date" value={fields.from ?? ""} onInput={set("from")} /></Field>
        <div class="buttons"><button type="submit" class="primary" disabled={!request}>{text("create")}</button></div>
      </Fields>
      {creating && request && <ActionDialog word="create" undoable request={request} close={() => setCreating(false)} done={(answer) => { location.hash = hrefOf("schedules", (answer as Schedule).id); }} />}
      <h2>{text("preview")}</h2>
      {schedule ? <Previewed request={{ schedule, count: PREVIEWED, ...startOf(fields.from) }} /> : <p class="quiet">{text("previewHint")}</p>}
    </>
  );
}

const startOf = (day: string | undefined) => (day ? { from: `${day}T00:00:00Z` } : {});
const PAUSE = 300; // ms without a key before the server is asked

/** Asks for a preview when the user has stopped typing. */
function usePreview(request: Record<string, unknown> | undefined) {
  const [found, setFound] = useState<{ preview?: Preview; refusal?: Refusal }>({});
  const content = JSON.stringify(request);
  useEffect(() => {
    if (!request) return setFound({});
    const ended = new AbortController();
    const timer = setTimeout(() => {
      send<Preview>({ method: "POST", path: "/v1/preview", body: request }, ended.signal).then(
        (preview) => setFound({ preview }), (error: unknown) => { if (!ended.signal.aborted && error instanceof Refusal) setFound({ refusal: error }); });
    }, PAUSE);
    return () => { clearTimeout(timer); ended.abort(); };
  }, [content]);
  return found;
}

function Meaning({ of }: { of: Preview }) {
  return (
    <>
      <p class="headline" dir="auto" data-description>{of.description}</p>
      {of.warnings.map((warning) => <p key={warning} class="warning" dir="auto"><span aria-hidden="true">!</span> {warning}</p>)}
    </>
  );
}

function Previewed({ request }: { request: Record<string, unknown> }) {
  const { preview, refusal } = usePreview(request);
  return (
    <div aria-live="polite">
      <Refused refusal={refusal} />
      {preview && <><Meaning of={preview} /><OccurrenceTable rows={preview.data} /></>}
      {!preview && !refusal && <Quiet />}
    </div>
  );
}

/** The edit of a schedule, based on the version that the user saw. */
export function EditSchedule({ id }: { id: string }) {
  const text = useTexts();
  const path = `/v1/schedules/${encodeURIComponent(id)}`;
  const mayWrite = useMayDo("WRITE");
  const schedule = useLoaded((signal) => get<Schedule>(path, signal), [id], ["schedules"], 5000);
  return (
    <>
      <p><a href={hrefOf("schedules")}>{text("schedules")}</a> · <a href={hrefOf("schedules", id)}>{text("schedule")}</a></p>
      <h1>{text("editSchedule")}{schedule.data && <>: <bdi>{schedule.data.eventType}</bdi></>}</h1>
      {!mayWrite ? <p>{text("readOnly")}</p> : <Shown of={schedule}>{(now) => <Editor now={now} path={path} reload={schedule.reload} />}</Shown>}
    </>
  );
}

const OTHERS = ["enabled", "note"] as const; // members that the form does not have

function Editor({ now, path, reload }: { now: Schedule; path: string; reload: () => void }) {
  const text = useTexts();
  const [base, setBase] = useState(now);
  const [fields, setFields] = useState(() => fieldsOf(now));
  const [view, setView] = useState<Record<string, string>>({}); // which occurrences are compared
  const [saving, setSaving] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const [before, theirs] = [fieldsOf(base), fieldsOf(now)];
  const mine = changed(before, fields);
  const members = membersOf(fields);
  const isBehind = now.version > base.version;
  useEffect(() => { if (isBehind) setSaving(false); }, [isBehind]);
  const body = members && Object.fromEntries(mine.map((name) => [name, members[name]]));
  const request: Request | undefined = body && mine.length > 0 && !isBehind ? {
    method: "PATCH", path, version: base.version, body, cli: ["schedule", "set", base.id, "--data", JSON.stringify(body), "--if-match", String(base.version)],
  } : undefined;
  const take = (next: Record<string, string>) => { setFields(next); setBase(now); setRefusal(undefined); };
  const look = (name: string) => (event: { currentTarget: { value: string } }) => setView({ ...view, [name]: event.currentTarget.value });
  return (
    <>
      {!isBehind && <Refused refusal={refusal} />}
      {isBehind && <Conflict before={before} mine={fields} theirs={theirs} others={OTHERS.filter((name) => base[name] !== now[name])} version={now.version}
        keep={() => take(rebased(before, fields, theirs))} discard={() => take(theirs)} />}
      <Fields fields={fields} change={setFields} perUser={now.perUser} submit={() => { if (request) setSaving(true); }}>
        {!members && <p class="warning wide" role="status"><span aria-hidden="true">!</span> {text("incomplete")}</p>}
        <div class="buttons"><button type="submit" class="primary" disabled={!request}>{text("saveChanges")}</button><a class="button" href={hrefOf("schedules", base.id)}>{text("close")}</a></div>
      </Fields>
      {saving && request && (
        <ActionDialog word="editSchedule" about={base.eventType} undoable request={request} close={() => setSaving(false)}
          refused={(why) => { if (why.status === 412) { setRefusal(why); setSaving(false); reload(); } }}
          done={(answer) => { location.hash = hrefOf("schedules", base.id, { operation: (answer as Schedule).operationId ?? "" }); }}>
          <Changes before={before} after={fields} members={mine} />
        </ActionDialog>
      )}
      <h2>{text("whatChanges")}</h2>
      {mine.length === 0 ? <p class="quiet" data-unchanged>{text("nothingChanges")}</p> : <Changes before={before} after={fields} members={mine} />}
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Field label={text("showFrom")}><input name="from" type="date" value={view.from ?? ""} onInput={look("from")} /></Field>
        {now.perUser && <Field label={text("user")}><input name="userId" dir="ltr" placeholder="ext:ada" value={view.userId ?? ""} onInput={look("userId")} /></Field>}
      </form>
      {now.perUser && !view.userId ? <p class="quiet">{text("perUserHint")}</p> : members && <Compared of={base} members={members} view={view} />}
    </>
  );
}

/** A member's value as the form has it. */
function shown(fields: Query, member: Member): string {
  const value = membersOf(fields)?.[member];
  return value === null || value === undefined ? "–" : typeof value === "string" ? value : JSON.stringify(value);
}

const LABELS: Partial<Record<Member, Word>> = { eventType: "type", trigger: "rule", timezone: "zone", endpointId: "endpoint", window: "misfireWindow" };
const labelOf = (member: Member): Word => LABELS[member] ?? (member as Word);

function Changes({ before, after, members }: { before: Query; after: Query; members: readonly Member[] }) {
  const text = useTexts();
  return <Table label={text("whatChanges")} rows={members} id={(member) => member} columns={[
    ["member", (member) => text(labelOf(member))],
    ["was", (member) => <code dir="ltr">{shown(before, member)}</code>],
    ["becomes", (member) => <code dir="ltr">{shown(after, member)}</code>],
  ]} />;
}

interface ConflictProps {
  before: Query;
  mine: Query;
  theirs: Query;
  others: readonly ("enabled" | "note")[];
  version: number;
  keep: () => void;
  discard: () => void;
}

/** Shows what another caller has changed since the user began, and lets the user decide. */
function Conflict({ before, mine, theirs, others, version, keep, discard }: ConflictProps) {
  const text = useTexts();
  const [changedByMe, changedByThem] = [changed(before, mine), changed(before, theirs)];
  return (
    <section class="refused" role="alert" data-conflict={version}>
      <strong>{text("conflict")}</strong>
      {others.length > 0 && <p>{text("change")}: {others.map((name) => text(name)).join(", ")}</p>}
      {changedByThem.length > 0 && <Table label={text("conflict")} rows={changedByThem} id={(member) => member} columns={[
        ["member", (member) => <div>{text(labelOf(member))}{changedByMe.includes(member) && <span class="state amber"> <span aria-hidden="true">!</span> {text("bothChanged")}</span>}</div>],
        ["was", (member) => <code dir="ltr">{shown(before, member)}</code>],
        ["isNow", (member) => <code dir="ltr">{shown(theirs, member)}</code>],
        ["yours", (member) => <code dir="ltr">{shown(mine, member)}</code>],
      ]} />}
      <div class="buttons">
        <button type="button" data-keep disabled={!membersOf(mine)} onClick={keep}>{text("keepMine")}</button>
        <button type="button" data-discard onClick={discard}>{text("discardMine")}</button>
      </div>
    </section>
  );
}

const CHANGES = { stays: ["=", "grey"], goes: ["−", "red"], comes: ["+", "green"] } as const;

/** The next occurrences of the stored schedule against those of the form. */
function Compared({ of, members, view }: { of: Schedule; members: Record<Member, unknown>; view: Query }) {
  const text = useTexts();
  const word = useStateWord();
  const rest = { count: PREVIEWED, ...(view.userId && { userId: view.userId.trim() }), ...startOf(view.from) };
  // An elapsed time counts from the start or the creation, which a schedule in a request does not have.
  const anchor = "every" in (members.trigger as object) && members.startsAt === null ? { startsAt: of.createdAt } : {};
  const old = usePreview({ scheduleId: of.id, ...rest });
  const next = usePreview({ schedule: { ...members, ...anchor, ...(of.perUser && { perUser: true }) }, ...rest });
  const rows = old.preview && next.preview ? compared(old.preview.data, next.preview.data, PREVIEWED) : [];
  return (
    <div aria-live="polite">
      <Refused refusal={next.refusal ?? old.refusal} />
      {next.preview && <Meaning of={next.preview} />}
      {old.preview && next.preview ? (
        <>
          <p role="status" data-goes={rows.filter(({ change }) => change === "goes").length} data-comes={rows.filter(({ change }) => change === "comes").length}>
            {text("comparedSum", { goes: rows.filter(({ change }) => change === "goes").length, comes: rows.filter(({ change }) => change === "comes").length, stays: rows.filter(({ change }) => change === "stays").length })}
          </p>
          <Table label={text("occurrences")} rows={rows} id={({ change, one }) => `${change} ${one.targetTimestampUTC ?? one.wantedLocal ?? ""}`} columns={[
            ["change", ({ change }) => <span class={`state ${CHANGES[change][1]}`} data-change={change}><span aria-hidden="true">{CHANGES[change][0]}</span> {text(change)}</span>],
            ...occurrenceColumns(text, word).map(([label, cell]) => [label, ({ one }: (typeof rows)[number]) => cell(one)] as const),
          ]} />
        </>
      ) : !next.refusal && <Quiet />}
    </div>
  );
}
