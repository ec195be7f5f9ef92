import type { Stream } from "../../../clients/typescript/src/schema.ts";
import { allKeys, get, useLoaded, type Topic } from "../api.ts";
import { useTexts } from "../display.ts";
import { hrefOf, keyHandle } from "../logic.ts";
import { Quiet, Shown, Table, Time, useMayDo, Value } from "../parts.tsx";

const KEYS_EVERY = 60_000; // ms
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** The names of the keys among `actors`, by their handles. Only ADMIN may read names, and a revoked key has none. */
export function useKeyNames(actors: readonly unknown[]): ReadonlyMap<string, string> {
  const mayRead = useMayDo("ADMIN");
  const wanted = mayRead && actors.some((actor) => keyHandle(actor) !== undefined);
  const names = async (signal: AbortSignal) => (wanted ? new Map((await allKeys(signal)).map(({ prefix, name }) => [keyHandle(prefix) ?? "", name])) : NO_NAMES);
  return useLoaded(names, [wanted], [], KEYS_EVERY).data ?? NO_NAMES;
}

/** An actor: a key by its name and handle, a caller without a key, a role of the database. */
export function Actor({ of, names }: { of: unknown; names: ReadonlyMap<string, string> }) {
  if (typeof of !== "string" || of === "") return <Quiet />;
  const handle = keyHandle(of), name = names.get(handle ?? "");
  return <span data-actor={of}>{name === undefined ? <bdi>{of}</bdi> : <><bdi>{name}</bdi> <code class="quiet nowrap">{handle}</code></>}</span>;
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
  const names = useKeyNames(found.data?.data?.map(({ metadata }) => metadata.actor) ?? []);
  return (
    <section data-audit>
      <h2>{text("audit")}</h2>
      <Shown of={found}>{({ data }) => (!data || data.length === 0 ? <p class="quiet">{text("noAudit")}</p> : (
        <Table label={text("audit")} rows={data} id={({ version }) => String(version)} columns={[
          ["recorded", ({ recordedAt }) => <Time at={recordedAt} {...(zone && { zone })} />],
          ["actor", ({ metadata }) => <Actor of={metadata.actor} names={names} />],
          ["action", ({ eventType }) => <span data-action={eventType}><Value of={eventType} /></span>],
          ["data", ({ data: of }) => <Data of={of} />],
        ]} />
      ))}</Shown>
    </section>
  );
}
