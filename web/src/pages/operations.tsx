import type { Operation as OperationObject, OperationError } from "../../../clients/typescript/src/schema.ts";
import { get, serverNow, useLoaded } from "../api.ts";
import { useDisplay, useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { countText, durationText, hrefOf, timeLeft, type Query } from "../logic.ts";
import { Named, useNames } from "../names.tsx";
import { Act, Facts, Pages, Ref, Shown, State, Table, Time, useActions, usePage, Value, type Page } from "../parts.tsx";
import { Audit } from "./audit.tsx";

function Progress({ of }: { of: OperationObject }) {
  const text = useTexts();
  const { language } = useDisplay();
  const finished = of.done + of.failed;
  const left = timeLeft(of, serverNow());
  const shown = countText(finished, language);
  // All of them: one number says it, and a full bar would say no more.
  if (finished === of.total) return <span data-done={finished}>{shown}</span>;
  return (
    <div data-done={finished}>
      <progress aria-label={text("progress")} {...(of.total !== null && { max: of.total, value: finished })} />{" "}
      <span class="nowrap">{text("ofTotal", { n: shown, total: of.total === null ? "?" : countText(of.total, language) })}</span>
      {left !== null && <div class="quiet" data-left>{text("timeLeft", { time: durationText(left) })}</div>}
    </div>
  );
}

const stop = (operation: OperationObject) => ({
  word: "stop", about: operation.kind, request: { method: "DELETE", path: `/v1/operations/${operation.id}`, cli: ["op", "stop", operation.id] },
} as const);

export function Operations({ query }: { query: Query }) {
  const text = useTexts();
  const page = usePage<OperationObject>("/v1/operations", query, ["operations"]);
  const names = useNames((page.data?.data ?? []).map(({ scheduleId: id }) => ({ page: "schedules", id })));
  const actions = useActions(page.reload);
  return (
    <>
      <h1>{text("operations")}</h1>
      <Filters page="operations" query={query} filters={[
        { name: "status", word: "status", choices: ["RUNNING", "COMPLETED", "FAILED", "STOPPED"] },
        { name: "kind", word: "type", choices: ["PLAN_SCHEDULE", "REPLAN_SCHEDULE", "BACKFILL_SCHEDULE", "BULK"] }]} />
      {actions.view}
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("operations")} rows={found.data} id={({ id }) => id} columns={[
            ["type", ({ id, kind }) => <a href={hrefOf("operations", id)}><Value of={kind} /></a>],
            ["schedule", ({ scheduleId: id }) => <Ref page="schedules" id={id} name={names({ page: "schedules", id })} />],
            ["status", ({ status }) => <State of={status} />],
            ["progress", (operation) => <Progress of={operation} />],
            ["failed", ({ failed }) => failed],
            ["created", ({ createdAt }) => <Time at={createdAt} />],
            ["actions", (operation) => operation.status === "RUNNING" && <Act word="stop" about={operation.kind} press={() => actions.ask({ ...stop(operation), note: <p>{text("stopHint")}</p> })} />],
          ]} />
          <Pages page="operations" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}

export function Operation({ id }: { id: string }) {
  const text = useTexts();
  const path = `/v1/operations/${encodeURIComponent(id)}`;
  const operation = useLoaded((signal) => get<OperationObject>(path, signal), [id], ["operations"], 2000);
  const errors = useLoaded((signal) => get<Page<OperationError>>(`${path}/errors?limit=100`, signal), [id], ["operations"]);
  const actions = useActions(operation.reload);
  return (
    <>
      <p><a href={hrefOf("operations")}>{text("operations")}</a></p>
      <Shown of={operation}>{(found) => (
        <>
          <h1><Value of={found.kind} /> <State of={found.status} /></h1>
          {found.status === "RUNNING" && <div class="buttons"><Act word="stop" press={() => actions.ask({ ...stop(found), note: <p>{text("stopHint")}</p> })} /></div>}
          {actions.view}
          <Facts of={[
            ["progress", <Progress of={found} />], ["failed", found.failed], ["reason", found.reason], ["schedule", found.scheduleId && <Named page="schedules" id={found.scheduleId} />],
            ["created", <Time at={found.createdAt} />], ["finished", found.finishedAt && <Time at={found.finishedAt} />], ["id", <code>{found.id}</code>],
          ]} />
        </>
      )}</Shown>
      <Audit stream={`OperationAudit/${encodeURIComponent(id)}`} topics={["operations"]} />
      <h2>{text("errors")}</h2>
      <Shown of={errors}>{({ data }) => <Table label={text("errors")} rows={data} id={({ number }) => String(number)} columns={[
        ["number", ({ number }) => number],
        ["id", ({ type, id: row }) => (type === "user" ? <code>{row}</code> : <Ref page={type === "event" ? "events" : "schedules"} id={row} />)],
        ["reason", ({ code, detail }) => <><code>{code}</code> {detail}</>],
      ]} />}</Shown>
    </>
  );
}
