import { useState } from "preact/hooks";
import type { Endpoint, EndpointPage, InboxPage, InboxRequest } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { durationText, hrefOf, secondsOf } from "../logic.ts";
import { Act, Facts, Field, Payload, Ref, Shown, State, Table, Time, useActions, useMayDo, Value } from "../parts.tsx";
import { TestClock } from "./test_clock.tsx";

const SHOWN = 5; // inboxes; a demo has one

/** What a demo is watched with: a clock that moves on demand, and what has arrived by then. */
export function InboxAndClock() {
  const text = useTexts();
  const inboxes = useLoaded((signal) => get<EndpointPage>(`/v1/endpoints?type=INBOX&limit=${SHOWN}`, signal), [], ["endpoints"]);
  return (
    <>
      <h1>{text("inboxAndClock")}</h1>
      <section data-part="clock"><h2>{text("clock")}</h2><TestClock /></section>
      <Shown of={inboxes}>{({ data, hasMore }) => (
        <>
          {data.length === 0 && <p class="quiet" data-empty>{text("noInbox")}</p>}
          {data.map((one) => (
            <section key={one.id} data-inbox={one.id}>
              <Inbox path={`/v1/endpoints/${one.id}`} of={one} named changed={inboxes.reload} />
            </section>
          ))}
          {hasMore && <a href={hrefOf("endpoints", "", { type: "INBOX" })}>{text("endpoints")}</a>}
        </>
      )}</Shown>
    </>
  );
}

/** The requests that an INBOX endpoint has received, newest first. */
export function Inbox({ path, of, named = false, changed }: { path: string; of: Endpoint; named?: boolean; changed: () => void }) {
  const { name, id } = of;
  const text = useTexts();
  const inbox = useLoaded((signal) => get<InboxPage>(`${path}/inbox?limit=20`, signal), [path], ["events"], 5000);
  const actions = useActions(inbox.reload);
  return (
    <>
      <h2>{text("inbox")}{named && <>: <Ref page="endpoints" id={id} name={name} /></>}</h2>
      <div class="buttons"><Act word="clearInbox" press={() => actions.ask({ word: "clearInbox", about: name, request: { method: "DELETE", path: `${path}/inbox`, cli: ["inbox", "clear", id] } })} /></div>
      {actions.view}
      <InboxAnswer path={path} of={of} changed={changed} />
      <Shown of={inbox}>{({ data }) => <Table label={text("inbox")} rows={data} id={(request) => `${request.receivedAt} ${request.headers["webhook-id"] ?? ""}`} columns={[
        ["recorded", ({ receivedAt }) => <Time at={receivedAt} />],
        ["key", ({ headers }) => <code>{headers["webhook-id"] ?? "–"}</code>],
        ["signature", ({ signature }) => <Signature of={signature} />],
        ["body", ({ body, headers }) => <details><summary>{text("show")}</summary><Payload value={body} /><Facts of={Object.entries(headers).map(([field, value]) => ["name", <code>{field}: {value}</code>] as const)} /></details>],
      ]} />}</Shown>
    </>
  );
}

/** Whether a receiver could verify the request: the server knows the secrets, this browser does not. */
function Signature({ of }: { of: InboxRequest["signature"] }) {
  const text = useTexts();
  return (
    <>
      <State of={of.state} />{of.secret !== null && <> <Value of={of.secret} /></>}
      {of.state !== "MISSING" && of.ageMs !== null && <div class="quiet">{text("timestampAge", { time: durationText(Math.max(of.ageMs, 0) / 1000) })}</div>}
    </>
  );
}

const ANSWERS = ["204", "400", "410", "429", "500", "503"];
const DELAYS = ["PT0S", "PT1S", "PT5S", "PT20S"];

/** How an inbox answers: to see what Sundial does when a receiver fails or is slow. */
function InboxAnswer({ path, of, changed }: { path: string; of: Endpoint; changed: () => void }) {
  const text = useTexts();
  const mayWrite = useMayDo("WRITE");
  const [chosen, choose] = useState<{ status?: string; delay?: string }>({});
  const actions = useActions(() => { choose({}); changed(); });
  const status = chosen.status ?? of.inboxStatus ?? "204", delay = chosen.delay ?? of.inboxDelay ?? "PT0S";
  const choices = (all: readonly string[], own: string) => [...new Set([...all, own])];
  return (
    <section data-inbox-answer={of.inboxStatus ?? "204"} data-inbox-delay={of.inboxDelay ?? "PT0S"}>
      <h3>{text("inboxAnswer")}</h3>
      <p class="quiet">{text("inboxAnswerHint")}</p>
      {mayWrite && (
        <form class="filters" onSubmit={(event) => {
          event.preventDefault();
          actions.ask({
            word: "answerSo", about: `${status}, ${delay}`, undoable: true,
            request: { method: "PATCH", path, version: of.version, body: { inboxStatus: status, inboxDelay: delay }, cli: ["endpoint", "set", of.id, "--inbox-status", status, "--inbox-delay", delay, "--if-match", String(of.version)] },
          });
        }}>
          <Field label={text("status")}><select name="inboxStatus" value={status} onChange={(event) => choose({ ...chosen, status: event.currentTarget.value })}>{choices(ANSWERS, status).map((one) => <option key={one} value={one}>{one}</option>)}</select></Field>
          <Field label={text("after")}><select name="inboxDelay" value={delay} onChange={(event) => choose({ ...chosen, delay: event.currentTarget.value })}>{choices(DELAYS, delay).map((one) => <option key={one} value={one} dir="ltr">{durationText(secondsOf(one))}</option>)}</select></Field>
          <div class="buttons"><button type="submit" data-act="answerSo">{text("answerSo")}</button></div>
        </form>
      )}
      {actions.view}
    </section>
  );
}
