import { useEffect, useState } from "preact/hooks";
import type { RecordedEvent, Stream } from "../../../clients/typescript/src/schema.ts";
import { followChanges, get, useLoaded, type LiveChange, type Topic } from "../api.ts";
import { useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { changesOf, hrefOf, searchOf, type ChangedMember, type Query } from "../logic.ts";
import { useNames, type NamedPage } from "../names.tsx";
import { Facts, Pages, Payload, Quiet, Shown, Table, Time, usePage, Value } from "../parts.tsx";
import { Actor, useKeyNames } from "./audit.tsx";
import type { Word } from "../texts/en.ts";

/** Whose streams record changed members. */
const CONTROL_PLANE = ["User", "Schedule", "Endpoint", "ApiKey"];
/** Sundial's own record of changes and of actions; applications have further types. */
const OWN_TYPES = ["User", "Schedule", "Endpoint", "ApiKey", "EventAudit", "OperationAudit", "EndpointAudit", "InstanceAudit"] as const;

/** The page of the objects whose changes or actions a stream has. */
const PAGES: Record<string, string> = { User: "people", Schedule: "schedules", Endpoint: "endpoints", EventAudit: "events", OperationAudit: "operations", EndpointAudit: "endpoints" };
const NAMED: readonly string[] = ["people", "schedules", "endpoints"] satisfies NamedPage[];

/** What names the object of a stream; objects of other types have ids only. */
const named = ({ aggregateType, aggregateId: id }: Pick<Stream, "aggregateType" | "aggregateId">) => {
  const page = PAGES[aggregateType];
  return page !== undefined && NAMED.includes(page) ? [{ page: page as NamedPage, id }] : [];
};

const addressOf = ({ aggregateType, aggregateId }: { aggregateType: string; aggregateId: string }) => `${encodeURIComponent(aggregateType)}/${encodeURIComponent(aggregateId)}`;

export function Streams({ query }: { query: Query }) {
  const text = useTexts();
  const page = usePage<Stream>("/v1/streams", query, ["users", "schedules", "endpoints"]);
  const names = useNames((page.data?.data ?? []).flatMap(named));
  return (
    <>
      <h1>{text("streams")}</h1>
      <nav class="tabs" aria-label={text("type")}>
        <a href={hrefOf("streams")} aria-current={query.aggregateType ? undefined : "true"}>{text("allSettings")}</a>
        {OWN_TYPES.map((type) => <a key={type} href={hrefOf("streams", "", { aggregateType: type })} aria-current={query.aggregateType === type ? "true" : undefined}>{type}</a>)}
      </nav>
      <Live />
      <Filters page="streams" query={query} filters={[{ name: "aggregateType", word: "type", hint: "Order" }, { name: "q", word: "searchId" }]} />
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("streams")} rows={found.data} id={addressOf} columns={[
            ["type", ({ aggregateType }) => <a href={hrefOf("streams", "", { aggregateType })}><bdi>{aggregateType}</bdi></a>],
            ["name", (stream) => <bdi>{named(stream).map(names)[0] ?? <Quiet />}</bdi>],
            ["id", (stream) => <a href={hrefOf("streams", addressOf(stream))}><code>{stream.aggregateId}</code></a>],
            ["version", ({ version }) => version],
            ["status", ({ archived, deleted }) => (deleted ? text("deleted") : archived ? text("archived") : <Quiet />)],
          ]} />
          <Pages page="streams" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}

const HEARD = 20; // changes that are listed
const STREAM_TYPES: Partial<Record<Topic, string>> = { users: "User", schedules: "Schedule", endpoints: "Endpoint" };

/** Sundial's own changes while the page is open, the latest first. */
function Live() {
  const text = useTexts();
  const [heard, setHeard] = useState<readonly LiveChange[]>([]);
  useEffect(() => followChanges((change) => setHeard((all) => [change, ...all].slice(0, HEARD))), []);
  return (
    <section aria-live="polite" data-live={heard.length}>
      <h2>{text("liveChanges")}</h2>
      {heard.length === 0 ? <p class="quiet">{text("noChangeYet")}</p> : (
        <Table label={text("liveChanges")} rows={heard} id={({ id, version }) => `${id} ${version}`} columns={[
          ["recorded", ({ at }) => <Time at={at} />],
          ["type", ({ topic, change }) => <>{STREAM_TYPES[topic]} <Value of={change} /></>],
          ["id", ({ topic, id }) => <a href={hrefOf("streams", `${STREAM_TYPES[topic] ?? ""}/${id}`)}><code>{id}</code></a>],
          ["version", ({ version }) => version],
          ["data", ({ fields }) => (fields.length === 0 ? <Quiet /> : <span dir="ltr">{fields.join(", ")}</span>)],
        ]} />
      )}
    </section>
  );
}

const EVENTS = 50; // per page

/** The changed members; a value before the oldest event of the page is not known. */
function ChangeList({ of }: { of: readonly ChangedMember[] }) {
  const shown = (value: unknown) => (value === undefined ? "?" : typeof value === "string" ? value : JSON.stringify(value));
  return of.length === 0 ? <Quiet /> : <ul class="changes" dir="ltr">{of.map(({ member, was, becomes }) => <li key={member} data-member={member}><code>{member}</code>: <del>{shown(was)}</del> → <ins>{shown(becomes)}</ins></li>)}</ul>;
}

/** The recorded events of one stream, newest first. */
export function StreamEvents({ id, query }: { id: string; query: Query }) {
  const text = useTexts();
  const before = query.before ?? "";
  const search = searchOf({ direction: "backward", limit: String(EVENTS), toVersion: before });
  const stream = useLoaded((signal) => get<Stream>(`/v1/streams/${id}${search}`, signal), [id, search], ["users", "schedules", "endpoints"]);
  const [aggregateType = "", aggregateId = ""] = id.split(/\/(.*)/s);
  const page = PAGES[aggregateType], subject = named({ aggregateType, aggregateId })[0];
  const name = useNames(subject ? [subject] : []);
  const names = useKeyNames(stream.data?.data?.map(({ metadata }) => metadata.actor) ?? []);
  return (
    <>
      <p class="list"><a href={hrefOf("streams")}>{text("streams")}</a>{page && <a href={hrefOf(page, aggregateId)} data-object>{text(page as Word)}: <bdi>{(subject && name(subject)) ?? aggregateId}</bdi></a>}</p>
      <Shown of={stream}>{(found) => {
        const events: readonly RecordedEvent[] = found.data ?? [];
        const oldest = events[events.length - 1]?.version ?? 0;
        return (
          <>
            <h1><bdi>{found.aggregateType}</bdi> {subject && name(subject) ? <bdi>{name(subject)}</bdi> : <code>{found.aggregateId}</code>}</h1>
            <Facts of={[["id", <code>{found.aggregateId}</code>], ["version", found.version], ["status", found.deleted ? text("deleted") : found.archived ? text("archived") : null]]} />
            <Table label={text("events")} rows={events} id={({ version }) => String(version)} columns={[
              ["version", ({ version }) => version],
              ["type", ({ eventType }) => <bdi>{eventType}</bdi>],
              ["recorded", ({ recordedAt }) => <Time at={recordedAt} />],
              ["actor", ({ metadata }) => <Actor of={metadata.actor} names={names} />],
              ["data", ({ data, redactedAt }) => (redactedAt ? text("erased") : <details><summary>{text("show")}</summary><Payload value={data} /></details>)],
              ...((CONTROL_PLANE as readonly string[]).includes(found.aggregateType) ? [["whatChanges", ({ version, data, redactedAt }: RecordedEvent) => (
                version === 1 || redactedAt ? <Quiet /> : <ChangeList of={changesOf(data, events.filter((event) => event.version < version))} />)] as const] : []),
            ]} />
            <div class="buttons">
              {before && <a class="button" href={hrefOf("streams", id)}>{text("first")}</a>}
              {found.hasMore && oldest > 1 && <a class="button" href={hrefOf("streams", id, { before: String(oldest - 1) })}>{text("next")}</a>}
            </div>
          </>
        );
      }}</Shown>
    </>
  );
}
