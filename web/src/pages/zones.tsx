import type { TimezoneImpactPage, TimezonePage } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { hrefOf, searchOf, type Query } from "../logic.ts";
import { Filters, Pages, Quiet, Shown, Table, Time } from "../parts.tsx";

/** The next changes of clocks, and what another tz release on disk would move. */
export function Zones({ query }: { query: Query }) {
  const text = useTexts();
  const search = searchOf({ limit: "50", ...query });
  const zones = useLoaded((signal) => get<TimezonePage>(`/v1/timezones${search}`, signal), [search], [], 600_000);
  const impact = useLoaded((signal) => get<TimezoneImpactPage>("/v1/timezones/impact?limit=50", signal), [], [], 600_000);
  return (
    <>
      <h1>{text("zones")}</h1>
      <Shown of={impact}>{({ inForce, release, data }) => (
        <section>
          <p>{text("tz")}: <strong>{inForce}</strong>{release !== inForce && <> · {text("onDisk")}: <strong>{release}</strong></>}</p>
          {data.length > 0 && <h2>{text("moved")}</h2>}
          {data.length > 0 && <Table label={text("moved")} rows={data} id={({ eventId }) => eventId} columns={[
            ["type", (move) => <a href={hrefOf("events", move.eventId)}><bdi>{move.eventType}</bdi></a>],
            ["zone", (move) => <bdi>{move.targetTimezone}</bdi>],
            ["local", (move) => <bdi>{move.wallTime.replace("T", " ")}</bdi>],
            ["until", (move) => <Time at={move.before} zone={move.targetTimezone} />],
            ["from", (move) => <Time at={move.after} zone={move.targetTimezone} />],
          ]} />}
        </section>
      )}</Shown>
      <Filters page="zones" query={query} filters={[{ name: "q", word: "searchZone", hint: "Europe" }]} />
      <Shown of={zones}>{(found) => (
        <>
          <Table label={text("zones")} rows={found.data} id={({ name }) => name} columns={[
            ["zone", ({ name }) => <a href={hrefOf("events", "", { targetTimezone: name, status: "PENDING" })}><bdi>{name}</bdi></a>],
            ["offset", ({ offset }) => <bdi>{offset}</bdi>],
            ["nextChange", ({ name, changes }) => <Time at={changes[0]?.at} zone={name} />],
            ["change", ({ changes: [next] }) => (next ? <bdi>{next.before} → {next.after}</bdi> : <Quiet />)],
          ]} />
          <Pages page="zones" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}
