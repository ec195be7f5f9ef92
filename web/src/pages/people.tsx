import { useState } from "preact/hooks";
import type { Occurrence, OccurrencePage, Schedule, SchedulePage, User } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useStateWord, useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { hrefOf, moveOf, pairedByLocal, searchOf, type Query } from "../logic.ts";
import { Act, Copy, Facts, Field, Name, Pages, Quiet, Ref, Shown, Table, Time, useActions, usePage } from "../parts.tsx";
import { Views } from "./event_lists.tsx";
import { occurrenceColumns } from "./occurrences.tsx";

export function People({ query }: { query: Query }) {
  const text = useTexts();
  const page = usePage<User>("/v1/users", query, ["users"]);
  const { cursor: _, ...filter } = query;
  return (
    <>
      <h1>{text("people")}</h1>
      <Filters page="people" query={query} filters={[
        { name: "timezone", word: "zone", hint: "Europe/Berlin" }, { name: "birthMonth", word: "birthMonth", hint: "1–12" }, { name: "birthDay", word: "birthDay", hint: "1–31" }, { name: "q", word: "searchName" }]} />
      <Views page="people" filter={filter} />
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("people")} rows={found.data} id={({ id }) => id} columns={[
            ["name", ({ id, firstName, lastName }) => <a href={hrefOf("people", id)}><bdi>{firstName} {lastName}</bdi></a>],
            ["born", ({ dateOfBirth }) => <bdi class="nowrap">{dateOfBirth}</bdi>],
            ["zone", ({ timezone }) => <Name of={timezone} />],
            ["id", ({ id, externalId }) => <code>{externalId ? `ext:${externalId}` : id}</code>],
            ["events", ({ id }) => <a href={hrefOf("events", "", { userId: id })}>{text("events")}</a>],
          ]} />
          <Pages page="people" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}

const AHEAD = "now+P5Y";
const SCHEDULES = 10; // schedules of persons whose occurrences are listed
const EACH = 20; // occurrences of each

type Coming = Occurrence & { schedule: Schedule };

/** The next occurrences of the schedules of persons for one of them, in order; in another zone if it is given. */
async function comingOf(id: string, zone: string, signal: AbortSignal): Promise<{ all: Coming[]; complete: boolean; cut: ReadonlySet<string> }> {
  const { data, hasMore } = await get<SchedulePage>("/v1/schedules?perUser=true&enabled=true&limit=100", signal);
  // Moving changes only the schedules that follow the zone of the person.
  const schedules = data.filter(({ timezone }) => zone === "" || timezone === null);
  const pages = await Promise.all(schedules.slice(0, SCHEDULES).map(async (schedule) => {
    const page = await get<OccurrencePage>(`/v1/occurrences${searchOf({ scheduleId: schedule.id, userId: id, timezone: zone, to: AHEAD, limit: String(EACH) })}`, signal);
    return { id: schedule.id, data: page.data.map((one) => ({ ...one, schedule })), hasMore: page.hasMore };
  }));
  return {
    all: pages.flatMap((page) => page.data).sort((one, other) => (one.targetTimestampUTC ?? "").localeCompare(other.targetTimestampUTC ?? "")),
    complete: !hasMore && schedules.length <= SCHEDULES && !pages.some((page) => page.hasMore),
    cut: new Set(pages.filter((page) => page.hasMore).map((page) => page.id)),
  };
}

/** One person: the next five years, and what a move to another zone would change. */
export function PersonDetails({ id, query }: { id: string; query: Query }) {
  const text = useTexts();
  const word = useStateWord();
  const path = `/v1/users/${encodeURIComponent(id)}`;
  const user = useLoaded((signal) => get<User>(path, signal), [id], ["users"]);
  const coming = useLoaded((signal) => comingOf(id, "", signal), [id], ["users", "schedules"], 60_000);
  return (
    <>
      <p><a href={hrefOf("people")}>{text("people")}</a></p>
      <Shown of={user}>{(found) => (
        <>
          <h1><bdi>{found.firstName} {found.lastName}</bdi></h1>
          <Facts of={[
            ["born", found.dateOfBirth], ["zone", <bdi>{found.timezone}</bdi>],
            ...Object.entries(found.dates ?? {}).map(([name, day]) => ["dates", <><bdi>{name}</bdi>: {day}</>] as const),
            ["id", <><code>{found.externalId ? `ext:${found.externalId}` : found.id}</code> <Copy what={found.id} /></>],
            ["created", <Time at={found.createdAt} zone={found.timezone} />],
          ]} />
          <p><a href={hrefOf("events", "", { userId: found.id })}>{text("events")}</a> · <a href={hrefOf("streams", `User/${found.id}`)}>{text("history")}</a></p>
          <WhatIf user={found} path={path} query={query} moved={user.reload} />
        </>
      )}</Shown>
      <h2>{text("fiveYears")}</h2>
      <Shown of={coming}>{({ all, complete }) => <>{!complete && <p class="quiet" data-incomplete>{text("firstOfEach", { n: EACH, m: SCHEDULES })}</p>}<Table label={text("fiveYears")} rows={all} id={(one) => `${one.schedule.id} ${one.targetTimestampUTC ?? one.targetTimestampLocal ?? ""}`} columns={[
        ...occurrenceColumns(text, word), ["schedule", ({ schedule }) => <Ref page="schedules" id={schedule.id} name={schedule.eventType} />],
      ]} /></>}</Shown>
    </>
  );
}

/** Computes how a move would change the occurrences. Only the button moves the person. */
function WhatIf({ user, path, query, moved }: { user: User; path: string; query: Query; moved: () => void }) {
  const text = useTexts();
  const [zone, setZone] = useState(query.to ?? "");
  const wanted = query.to ?? "";
  const actions = useActions(moved);
  const pairs = useLoaded(async (signal) => {
    if (wanted === "") return { rows: [], complete: true };
    const [here, there] = await Promise.all([comingOf(user.id, user.timezone, signal), comingOf(user.id, wanted, signal)]);
    return { rows: pairedByLocal(here.all, there.all, new Set([...here.cut, ...there.cut])), complete: here.complete && there.complete };
  }, [user.id, user.timezone, wanted], [], 600_000);
  return (
    <section data-what-if={wanted}>
      <h2>{text("whatIf")}</h2>
      <form class="filters" onSubmit={(event) => { event.preventDefault(); location.hash = hrefOf("people", user.id, { to: zone.trim() }); }}>
        <Field label={text("zone")}><input name="to" list="zone-names" dir="ltr" value={zone} onInput={(event) => setZone(event.currentTarget.value)} placeholder="Asia/Tokyo" /></Field>
        <div class="buttons"><button type="submit" class="primary">{text("show")}</button></div>
      </form>
      {actions.view}
      {wanted !== "" && (
        <Shown of={pairs}>{({ rows, complete }) => (
          <>
            {!complete && <p class="quiet" data-incomplete>{text("firstOfEach", { n: EACH, m: SCHEDULES })}</p>}
            <div class="buttons">
              {wanted !== user.timezone && <Act word="movePerson" press={() => actions.ask({
                word: "movePerson", about: `${user.firstName} ${user.lastName}: ${user.timezone} → ${wanted}`, undoable: true,
                request: { method: "PATCH", path, version: user.version, body: { timezone: wanted }, cli: ["user", "set", user.id, "--timezone", wanted, "--if-match", String(user.version)] },
              })} />}
            </div>
            <Table label={text("whatIf")} rows={rows} id={({ key }) => key} columns={[
              ["schedule", ({ before, after }) => <Name of={(before ?? after)?.schedule.eventType} />],
              ["local", ({ before, after }) => <bdi>{((after ?? before)?.targetTimestampLocal ?? "").slice(0, 19).replace("T", " ")}</bdi>],
              ["was", ({ before }) => (before?.targetTimestampUTC ? <Time at={before.targetTimestampUTC} zone={user.timezone} /> : <Quiet />)],
              ["becomes", ({ after }) => (after?.targetTimestampUTC ? <Time at={after.targetTimestampUTC} zone={wanted} /> : <Quiet />)],
              ["movesBy", ({ before, after }) => <bdi class="nowrap" data-moves>{moveOf(before?.targetTimestampUTC, after?.targetTimestampUTC)}</bdi>],
            ]} />
          </>
        )}</Shown>
      )}
    </section>
  );
}
