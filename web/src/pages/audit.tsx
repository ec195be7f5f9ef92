import type { Stream } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded, type Topic } from "../api.ts";
import { useTexts } from "../display.ts";
import { hrefOf } from "../logic.ts";
import { Quiet, Shown, Table, Time, Value } from "../parts.tsx";

/** An actor: a key by its short name, a caller without a key, a role of the database. */
export function Actor({ of }: { of: unknown }) {
  return typeof of === "string" && of !== "" ? <bdi data-actor={of}>{of}</bdi> : <Quiet />;
}

/** An entry's data as one line for each member, with the old and the new value of a change. */
function Data({ of }: { of: unknown }) {
  if (typeof of !== "object" || of === null) return <Quiet />;
  const data = of as Record<string, unknown>;
  const shown = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
  const before = data.before as Record<string, unknown> | undefined, after = data.after as Record<string, unknown> | undefined;
  const lines = before && after
    ? [...Object.keys(after).map((name) => [name, <><del>{shown(before[name])}</del> → <ins>{shown(after[name])}</ins></>] as const), ...(data.payloadChanged === true ? [["deliveryPayload", "…"] as const] : [])]
    : Object.entries(data).map(([name, value]) => [name, name === "retryId" ? <a href={hrefOf("events", String(value))}>{String(value)}</a> : shown(value)] as const);
  return lines.length === 0 ? <Quiet /> : <ul class="changes" dir="ltr">{lines.map(([name, value]) => <li key={name} data-member={name}><code>{name}</code>: {value}</li>)}</ul>;
}

/** The actions of callers on one object, the latest first. */
export function Audit({ stream, zone, topics }: { stream: string; zone?: string; topics: readonly Topic[] }) {
  const text = useTexts();
  const found = useLoaded((signal) => get<Stream>(`/v1/streams/${stream}?direction=backward&limit=50`, signal), [stream], topics, 5000);
  return (
    <section data-audit>
      <h2>{text("audit")}</h2>
      <Shown of={found}>{({ data }) => (!data || data.length === 0 ? <p class="quiet">{text("noAudit")}</p> : (
        <Table label={text("audit")} rows={data} id={({ version }) => String(version)} columns={[
          ["recorded", ({ recordedAt }) => <Time at={recordedAt} {...(zone && { zone })} />],
          ["actor", ({ metadata }) => <Actor of={metadata.actor} />],
          ["action", ({ eventType }) => <span data-action={eventType}><Value of={eventType} /></span>],
          ["data", ({ data: of }) => <Data of={of} />],
        ]} />
      ))}</Shown>
    </section>
  );
}
