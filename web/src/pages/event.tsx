import { useState } from "preact/hooks";
import type { Event, Explanation } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { eventActions, hrefOf, type Request } from "../logic.ts";
import { ActionDialog, Copy, Field, Shown, State, Time } from "../parts.tsx";
import type { Word } from "../texts/en.ts";

type Step = Explanation["steps"][number];
const STEPS: Record<Step["step"], [Word, string]> = {
  rule: ["rule", "§"], local: ["local", "◷"], zone: ["zoneStep", "◉"], utc: ["utc", "◆"], change: ["change", "✎"], attempt: ["attempt", "↻"], result: ["result", "■"],
};

/** The chain from the rule to the result as a picture: one box for each step, in causal order. */
function Explained({ of, zone }: { of: Explanation; zone: string }) {
  const text = useTexts();
  return (
    <>
      <p>{of.summary}</p>
      <ol class="chain" aria-label={text("whyText")}>
        {of.steps.map((step, index) => {
          const [word, icon] = STEPS[step.step] ?? ["unknownError", "•"];
          return (
            <li key={index} class={`step ${step.step}`} data-step={step.step}>
              <h3><span aria-hidden="true">{icon}</span> {step.step === "attempt" ? text("attemptNumber", { n: step.number }) : text(word)}</h3>
              {step.step === "local" && <p class="big"><bdi>{step.wantedLocal.replace("T", " ")}</bdi></p>}
              {step.step === "zone" && <p class="big"><bdi>{step.offset ?? "?"}</bdi></p>}
              {step.step === "utc" && <p class="big"><Time at={step.targetTimestampUTC} zone={zone} /></p>}
              {step.step === "attempt" && <p><State of={step.outcome} />{step.statusCode !== null && <> <code>{step.statusCode}</code></>}</p>}
              {step.step === "result" && <p><State of={step.status} /></p>}
              <p>{step.text}</p>
            </li>
          );
        })}
        {of.waitsFor && (
          <li class="step now" data-step="now">
            <h3><span aria-hidden="true">…</span> {text("waits")}</h3>
            {of.waitsFor.until && <p class="big"><Time at={of.waitsFor.until} zone={zone} relative /></p>}
            <p>{of.waitsFor.text}</p>
          </li>
        )}
      </ol>
    </>
  );
}

/** Attempts by their start, as a waterfall over the time from the first to the last. */
function Attempts({ of, zone }: { of: Explanation; zone: string }) {
  const text = useTexts();
  const attempts = of.steps.filter((step) => step.step === "attempt");
  if (attempts.length === 0) return <p class="quiet">{text("noAttempts")}</p>;
  return (
    <div class="scroll" role="region" aria-label={text("timeline")} tabIndex={0}>
      <table class="narrow">
        <thead><tr><th scope="col">#</th><th scope="col">{text("executed")}</th><th scope="col">{text("status")}</th><th scope="col">HTTP</th><th scope="col">{text("reason")}</th></tr></thead>
        <tbody>{attempts.map((one) => (
          <tr key={one.number} data-attempt={one.number}>
            <td data-label="#">{one.number}</td><td data-label={text("executed")}><Time at={one.startedAt} zone={zone} /></td>
            <td data-label={text("status")}><State of={one.outcome} /></td><td data-label="HTTP">{one.statusCode ?? "–"}</td><td data-label={text("reason")}>{one.text}</td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

type Chosen = "retry" | "fire" | "reschedule" | "cancel" | "dismiss";

export function EventDetails({ id }: { id: string }) {
  const text = useTexts();
  const path = `/v1/events/${encodeURIComponent(id)}`;
  const event = useLoaded((signal) => get<Event>(path, signal), [id], 3000);
  const explained = useLoaded((signal) => get<Explanation>(`${path}/explain`, signal), [id], 3000);
  const [chosen, setChosen] = useState<Chosen>();
  const [said, setSaid] = useState("");
  return (
    <>
      <p><a href={hrefOf("events")}>{text("events")}</a></p>
      <Shown of={event}>{(found) => {
        const can = eventActions(found);
        const payload = JSON.stringify(found.deliveryPayload, null, 2);
        return (
          <>
            <h1><bdi>{found.eventType}</bdi> <State of={found.status} /></h1>
            <div class="buttons">
              {(["retry", "fire", "reschedule", "cancel", "dismiss"] as const).filter((one) => can[one]).map((one) => (
                <button type="button" key={one} onClick={() => { setSaid(""); setChosen(one); }}>{text(one)}</button>
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
              }} />}
            <dl>
              <dt>{text("due")}</dt><dd><Time at={found.targetTimestampUTC} zone={found.targetTimezone} /></dd>
              <dt>{text("zone")}</dt><dd><bdi>{found.targetTimezone}</bdi></dd>
              <dt>{text("executed")}</dt><dd><Time at={found.executedAt} zone={found.targetTimezone} /></dd>
              {found.latenessMs !== null && <><dt>{text("lateness")}</dt><dd>{found.latenessMs} ms</dd></>}
              {found.failureReason !== null && <><dt>{text("reason")}</dt><dd>{found.failureReason}</dd></>}
              {found.nextAttemptAt !== null && <><dt>{text("nextAttempt")}</dt><dd><Time at={found.nextAttemptAt} zone={found.targetTimezone} relative /></dd></>}
              {found.waitingFor !== null && <><dt>{text("waitingFor")}</dt><dd>{found.waitingFor}</dd></>}
              <dt>{text("priority")}</dt><dd>{found.priority}</dd>
              <dt>{text("key")}</dt><dd><code>{found.idempotencyKey}</code></dd>
              <dt>{text("id")}</dt><dd><code>{found.id}</code> <Copy what={found.id} /></dd>
              <dt>{text("created")}</dt><dd><Time at={found.createdAt} zone={found.targetTimezone} /></dd>
            </dl>
            <h2>{text("why")}</h2>
            <Shown of={explained}>{(explanation) => <Explained of={explanation} zone={found.targetTimezone} />}</Shown>
            <h2>{text("timeline")}</h2>
            <Shown of={explained}>{(explanation) => <Attempts of={explanation} zone={found.targetTimezone} />}</Shown>
            <h2>{text("payload")} <Copy what={payload} /></h2>
            <pre dir="ltr" tabIndex={0} class="payload">{payload}</pre>
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

function EventAction({ event, path, action, done, close }: EventActionProps) {
  const text = useTexts();
  const [version] = useState(event.version); // what the operator saw; a change since then is refused
  const [local, setLocal] = useState(event.targetTimestampLocal.slice(0, 19));
  const requests: Record<Chosen, Request | undefined> = {
    retry: { method: "POST", path: `${path}/retry`, body: {}, cli: ["event", "retry", event.id] },
    fire: { method: "PATCH", path, version, body: { targetTimestampUTC: "now" }, cli: ["event", "fire", event.id] },
    reschedule: local === "" ? undefined : {
      method: "PATCH", path, version, body: { targetTimestampLocal: local, targetTimezone: event.targetTimezone },
      cli: ["event", "reschedule", event.id, "--at", local, "--timezone", event.targetTimezone],
    },
    cancel: { method: "DELETE", path, version, cli: ["event", "cancel", event.id] },
    dismiss: { method: "PATCH", path, version, body: { dismissed: true }, cli: ["dlq", "dismiss", event.id] },
  };
  return (
    <ActionDialog word={action} request={requests[action]} undoable={action === "reschedule" || action === "dismiss"} done={done} close={close}>
      {action === "reschedule" && (
        <Field label={`${text("newTime")} (${event.targetTimezone})`}>
          <input type="datetime-local" step="1" required value={local} onInput={(input) => setLocal(input.currentTarget.value)} />
        </Field>
      )}
    </ActionDialog>
  );
}
