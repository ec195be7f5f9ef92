import type { TimezoneImpactPage, TimezonePage } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { hrefOf, moveOf, searchOf, type Query } from "../logic.ts";
import { Pages, Person, Quiet, Ref, Shown, Table, Time } from "../parts.tsx";

/** The events of a zone around a change of its clocks: half a day before it, a day after it. */
function around(zone: string, change: string): Query {
  const at = new Date(change).getTime();
  return { targetTimezone: zone, status: "PENDING", targetFrom: new Date(at - 43_200_000).toISOString(), targetTo: new Date(at + 86_400_000).toISOString() };
}

/** The next changes of clocks, and what another tz release on disk would move. */
export function Zones({ query }: { query: Query }) {
  const text = useTexts();
  const { moves = "", ...filter } = query;
  const search = searchOf({ limit: "50", ...filter });
  const zones = useLoaded((signal) => get<TimezonePage>(`/v1/timezones${search}`, signal), [search], [], 600_000);
  const impact = useLoaded((signal) => get<TimezoneImpactPage>(`/v1/timezones/impact${searchOf({ limit: "50", cursor: moves })}`, signal), [moves], [], 600_000);
  return (
    <>
      <h1>{text("zones")}</h1>
      <Shown of={impact}>{({ inForce, release, data, hasMore, nextCursor }) => (
        <section data-impact={data.length}>
          <p>{text("tz")}: <strong>{inForce}</strong>{release !== inForce && <> · {text("onDisk")}: <strong>{release}</strong></>}</p>
          {data.length === 0 && !hasMore && <p class="quiet">{text(release === inForce ? "sameRelease" : "movesNothing")}</p>}
          {(data.length > 0 || hasMore) && <h2>{text("moved")}</h2>}
          {data.length > 0 && <Table label={text("moved")} rows={data} id={({ eventId }) => eventId} columns={[
            ["type", (move) => <a href={hrefOf("events", move.eventId)}><bdi>{move.eventType}</bdi></a>],
            ["user", (move) => <Person id={move.userId} />],
            ["schedule", (move) => <Ref page="schedules" id={move.scheduleId} />],
            ["zone", (move) => <bdi>{move.targetTimezone}</bdi>],
            ["local", (move) => <bdi>{move.wallTime.replace("T", " ")}</bdi>],
            ["was", (move) => <Time at={move.before} zone={move.targetTimezone} />],
            ["becomes", (move) => (move.after === null ? text("skipped") : <Time at={move.after} zone={move.targetTimezone} />)],
            ["movesBy", (move) => <bdi>{moveOf(move.before, move.after)}</bdi>],
          ]} />}
          {(hasMore || moves) && <div class="buttons">
            {moves && <a class="button" href={hrefOf("zones", "", filter)}>{text("first")}</a>}
            {hasMore && <a class="button" href={hrefOf("zones", "", { ...filter, moves: nextCursor ?? "" })}>{text("next")}</a>}
          </div>}
        </section>
      )}</Shown>
      <h2>{text("nextChange")}</h2>
      <Filters page="zones" query={query} filters={[{ name: "q", word: "searchZone", hint: "Europe" }]} />
      <Shown of={zones}>{(found) => (
        <>
          <Table label={text("zones")} rows={found.data} id={({ name }) => name} columns={[
            ["zone", ({ name }) => <a href={hrefOf("events", "", { targetTimezone: name, status: "PENDING" })}><bdi>{name}</bdi></a>],
            ["offset", ({ offset }) => <bdi>{offset}</bdi>],
            ["nextChange", ({ name, changes }) => <Time at={changes[0]?.at} zone={name} />],
            ["change", ({ changes: [next] }) => (next ? <bdi>{next.before} → {next.after}</bdi> : <Quiet />)],
            ["touched", ({ name, changes: [next] }) => <span class="list">
              {next && <a href={hrefOf("events", "", around(name, next.at))} aria-label={`${text("eventsAround")}: ${name}`}>{text("events")}</a>}
              <a href={hrefOf("people", "", { timezone: name })} aria-label={`${text("people")}: ${name}`}>{text("people")}</a>
            </span>],
          ]} />
          <Pages page="zones" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}
