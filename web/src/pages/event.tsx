import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Attempt, AttemptPage, Event, Explanation } from "../../../clients/typescript/src/schema.ts";
import { get, serverNow, useLoaded } from "../api.ts";
import { useDisplay, useStateWord, useTexts } from "../display.ts";
import { causeOf, clockedText, durationText, eventActions, hrefOf, nameOf, parseExactly, waterfall, type Request } from "../logic.ts";
import { Act, ActionDialog, Copy, Facts, Field, Name, Payload, Person, Ref, Shown, State, Time, VIEWER } from "../parts.tsx";
import type { Word } from "../texts/en.ts";
import { Actor, Audit, useKeyNames } from "./audit.tsx";
import { EventState } from "./events.tsx";

type Step = Explanation["steps"][number];
const STEPS: Record<Step["step"], [Word, string]> = {
  rule: ["rule", "§"], local: ["local", "◷"], zone: ["zoneStep", "◉"], utc: ["utc", "◆"], change: ["change", "✎"], attempt: ["attempt", "↻"], result: ["result", "■"],
};

/** The beginning of the response that made an attempt fail. */
export const Cause = ({ of }: { of: string | null }) => (of === null ? null : <div class="quiet cause" dir="auto" data-cause>{of}</div>);

/** The chain from the rule to the result as a picture: one box for each step, in causal order. */
function Explained({ of, zone, cause }: { of: Explanation; zone: string; cause: string | null }) {
  const text = useTexts();
  const { zone: chosen } = useDisplay();
  const clocked = (words: string, clock = chosen) => clockedText(words, { target: zone, viewer: VIEWER, utc: "UTC" }[clock]);
  return (
    <>
      <p dir="auto">{clocked(of.summary)}</p>
      <ol class="chain" aria-label={text("whyText")}>
        {of.steps.map((step, index) => {
          const [word, icon] = STEPS[step.step] ?? ["unknownError", "•"];
          return (
            <li key={index} class={`step ${step.step}`} data-step={step.step}>
              <h3><span aria-hidden="true">{icon}</span> {step.step === "attempt" ? text("attemptNumber", { n: step.number }) : text(word)}</h3>
              {step.step === "rule" && step.scheduleId !== null && <p><a href={hrefOf("schedules", step.scheduleId)}>{text("schedule")}</a></p>}
              {step.step === "local" && <p class="big"><bdi>{step.wantedLocal.replace("T", " ")}</bdi></p>}
              {step.step === "zone" && <p class="big"><bdi>{step.offset ?? "?"}</bdi></p>}
              {step.step === "utc" && <p class="big"><Time at={step.targetTimestampUTC} zone={zone} clock="utc" /></p>}
              {step.step === "attempt" && <p><State of={step.outcome} />{step.statusCode !== null && <> <code>{step.statusCode}</code></>}</p>}
              {step.step === "result" && <p><State of={step.status} /></p>}
              <p dir="auto">{clocked(step.text, step.step === "utc" ? "utc" : chosen)}</p>
              {step.step === "result" && step.status === "FAILED" && <Cause of={cause} />}
            </li>
          );
        })}
        {of.waitsFor && (
          <li class="step now" data-step="now">
            <h3><span aria-hidden="true">…</span> {text("waits")}</h3>
            {of.waitsFor.until && <p class="big"><Time at={of.waitsFor.until} zone={zone} relative /></p>}
            <p dir="auto">{clocked(of.waitsFor.text)}</p>
          </li>
        )}
      </ol>
    </>
  );
}

const COLUMNS = 7; // of the table of attempts

/** The attempts as bars over the time from the first start to the last end, with the responses. */
function Attempts({ of, zone }: { of: readonly Attempt[]; zone: string }) {
  const text = useTexts();
  if (of.length === 0) return <p class="quiet">{text("noAttempts")}</p>;
  const bars = waterfall(of);
  return (
    <div class="scroll" role="region" aria-label={text("attempts")} tabIndex={0}>
      <table>
        <thead><tr>
          {(["number", "begun", "duration", "status"] as const).map((word) => <th key={word} scope="col">{text(word)}</th>)}
          <th scope="col">HTTP</th><th scope="col">{text("answer")}</th><th scope="col">{text("instance")}</th>
        </tr></thead>
        <tbody>{of.map((one, index) => (
          <Fragment key={one.id}>
            <tr data-attempt={one.number} class={one.response?.body ? "continues" : undefined}>
              <td data-label={text("number")}>{one.number}</td>
              <td data-label={text("begun")}><Time at={one.startedAt ?? one.endedAt} zone={zone} /></td>
              <td data-label={text("duration")}>
                <div>
                  <bdi>{durationText(one.durationMs / 1000)}</bdi>
                  <div class="track" aria-hidden="true"><div class={`bar ${one.outcome}`} style={{ marginInlineStart: `${bars[index]?.start ?? 0}%`, width: `${bars[index]?.width ?? 0}%` }} /></div>
                </div>
              </td>
              <td data-label={text("status")}><State of={one.outcome} /></td>
              <td data-label="HTTP">{one.statusCode ?? "–"}</td>
              <td data-label={text("answer")}>{one.error ? <div>{one.error.code && <code>{one.error.code}</code>} {one.error.text}</div> : "–"}</td>
              <td data-label={text("instance")}><code class="nowrap">{one.worker ?? one.instanceId?.slice(-12) ?? "–"}</code></td>
            </tr>
            {/* A body may have long lines, so it has the whole width. */}
            {one.response?.body && (
              <tr class="wide" data-response={one.number}>
                <td colSpan={COLUMNS}><details><summary>{text("body")}<span class="hidden"> {text("attemptNumber", { n: one.number })}</span></summary><Payload value={one.response.body} label={`${text("body")} ${text("attemptNumber", { n: one.number })}`} /></details></td>
              </tr>
            )}
          </Fragment>
        ))}</tbody>
      </table>
    </div>
  );
}

type Chosen = "retry" | "fire" | "reschedule" | "edit" | "cancel" | "dismiss";

export function EventDetails({ id }: { id: string }) {
  const text = useTexts();
  const path = `/v1/events/${encodeURIComponent(id)}`;
  const event = useLoaded((signal) => get<Event>(`${path}?expand=user,schedule,endpoint`, signal), [id], ["events"], 3000);
  const explained = useLoaded((signal) => get<Explanation>(`${path}/explain`, signal), [id], ["events"], 3000);
  const attempts = useLoaded((signal) => get<AttemptPage>(`/v1/attempts?eventId=${encodeURIComponent(id)}&limit=100`, signal), [id], ["events"], 5000);
  const names = useKeyNames([event.data?.dismissedBy]);
  const word = useStateWord();
  const [chosen, setChosen] = useState<Chosen>();
  const [said, setSaid] = useState("");
  return (
    <>
      <p><a href={hrefOf("events")}>{text("events")}</a></p>
      <Shown of={event}>{(found) => {
        const cause = attempts.data ? causeOf(attempts.data.data) : null;
        const can = { ...eventActions(found), edit: found.status === "PENDING" };
        return (
          <>
            <h1 data-version={found.version}><Name of={found.eventType} /> <EventState of={found} /></h1>
            <div class="buttons">
              {(["retry", "fire", "reschedule", "edit", "cancel", "dismiss"] as const).filter((one) => can[one]).map((one) => (
                <Act key={one} word={one} press={() => { setSaid(""); setChosen(one); }} />
              ))}
            </div>
            <p role="status" class={said && "notice"}>{said}</p>
            {chosen && <EventAction event={found} path={path} action={chosen} close={() => setChosen(undefined)}
              done={(answer) => {
                setSaid(text("done"));
                // A retry of a FAILED event is a new event.
                const other = (answer as Partial<Event> | undefined)?.id;
                if (other !== undefined && other !== found.id) location.hash = hrefOf("events", other);
                event.reload();
                explained.reload();
                attempts.reload();
              }} />}
            <Facts of={[
              ["due", <Time at={found.targetTimestampUTC} zone={found.targetTimezone} />],
              ["zone", <bdi>{found.targetTimezone}</bdi>],
              ["executed", found.executedAt && <Time at={found.executedAt} zone={found.targetTimezone} />],
              ["lateness", found.latenessMs !== null && <bdi>{durationText(found.latenessMs / 1000)}</bdi>],
              ["reason", found.failureReason && <>{found.failureReason}<Cause of={cause} /></>],
              // One that is over waits for something else, which the next line says.
              ["nextAttempt", found.nextAttemptAt && new Date(found.nextAttemptAt).getTime() > serverNow() && <Time at={found.nextAttemptAt} zone={found.targetTimezone} relative />],
              ["waitingFor", found.waitingFor && word(found.waitingFor)],
              ["priority", word(found.priority)],
              ["endpoint", found.endpointId && <Ref page="endpoints" id={found.endpointId} name={nameOf(found.endpoint)} />],
              ["schedule", found.scheduleId && <Ref page="schedules" id={found.scheduleId} name={nameOf(found.schedule)} />],
              ["user", found.userId && <Person id={found.userId} name={nameOf(found.user)} />],
              ["retryOf", found.retryOf && <Ref page="events" id={found.retryOf} />],
              ["dismissed", found.dismissedAt && <Time at={found.dismissedAt} zone={found.targetTimezone} />],
              ["dismissedBy", found.dismissedBy && <Actor of={found.dismissedBy} names={names} />],
              ["dismissalNote", found.dismissalNote && <span data-dismissal-note>{found.dismissalNote}</span>],
              ["key", <code>{found.idempotencyKey}</code>],
              ["id", <><code>{found.id}</code> <Copy what={found.id} /></>],
              ["created", <Time at={found.createdAt} zone={found.targetTimezone} />],
            ]} />
            <h2>{text("why")}</h2>
            <Shown of={explained}>{(explanation) => <Explained of={explanation} zone={found.targetTimezone} cause={cause} />}</Shown>
            <h2>{text("attempts")}</h2>
            <Shown of={attempts}>{(page) => <Attempts of={[...page.data].sort((one, other) => one.number - other.number)} zone={found.targetTimezone} />}</Shown>
            <Audit stream={`EventAudit/${encodeURIComponent(found.id)}`} zone={found.targetTimezone} topics={["events"]} key={found.version} />
            <h2>{text("payload")}</h2>
            <Payload value={found.deliveryPayload} />
          </>
        );
      }}</Shown>
    </>
  );
}

interface EventActionProps {
  event: Event;
  path: string;
  action: Chosen;
  done: (answer: unknown) => void;
  close: () => void;
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: parseExactly(text) };
  } catch {
    return undefined;
  }
}

function EventAction({ event, path, action, done, close }: EventActionProps) {
  const text = useTexts();
  const [version] = useState(event.version); // what the operator saw; a change since then is refused
  const [local, setLocal] = useState(event.targetTimestampLocal.slice(0, 19));
  const [payload, setPayload] = useState(() => JSON.stringify(event.deliveryPayload, null, 2));
  const [note, setNote] = useState("");
  const value = parsed(payload);
  const requests: Record<Chosen, Request | undefined> = {
    retry: { method: "POST", path: `${path}/retry`, body: {}, cli: ["event", "retry", event.id] },
    fire: { method: "PATCH", path, version, body: { targetTimestampUTC: "now" }, cli: ["event", "fire", event.id, "--if-match", String(version)] },
    reschedule: local === "" ? undefined : {
      method: "PATCH", path, version, body: { targetTimestampLocal: local, targetTimezone: event.targetTimezone },
      cli: ["event", "reschedule", event.id, "--at", local, "--timezone", event.targetTimezone, "--if-match", String(version)],
    },
    edit: value && { method: "PATCH", path, version, body: { deliveryPayload: value.value }, cli: ["event", "set", event.id, "--payload", JSON.stringify(value.value), "--if-match", String(version)] },
    cancel: { method: "DELETE", path, version, cli: ["event", "cancel", event.id] },
    dismiss: { method: "PATCH", path, version, body: { dismissed: true, ...(note.trim() && { note: note.trim() }) }, cli: ["dlq", "dismiss", event.id, ...(note.trim() ? ["--note", note.trim()] : [])] },
  };
  return (
    <ActionDialog word={action} about={event.eventType} request={requests[action]} undoable={["reschedule", "edit", "dismiss"].includes(action)} done={done} close={close}>
      {action === "reschedule" && (
        <Field label={`${text("newTime")} (${event.targetTimezone})`}>
          <input type="datetime-local" step="1" required value={local} onInput={(input) => setLocal(input.currentTarget.value)} />
        </Field>
      )}
      {action === "dismiss" && <Field label={text("note")}><input name="note" maxLength={1000} value={note} onInput={(input) => setNote(input.currentTarget.value)} /></Field>}
      {action === "edit" && (
        <Field label={text("payload")}>
          <textarea name="payload" rows={10} dir="ltr" spellcheck={false} value={payload} aria-invalid={!value} onInput={(input) => setPayload(input.currentTarget.value)} />
        </Field>
      )}
    </ActionDialog>
  );
}
