import type { Occurrence, OccurrencePage } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useStateWord, useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { dayText, hrefOf, nearestWeekday, searchOf, type Query } from "../logic.ts";
import { useNames } from "../names.tsx";
import { Name, Pages, Person, Quiet, Ref, Shown, State, Table, Time, type Column } from "../parts.tsx";

/** The columns that lists of one and of all schedules share: when, and what a change of clocks does to it. */
export function occurrenceColumns(text: ReturnType<typeof useTexts>, word: (state: string) => string, cron?: string): readonly Column<Occurrence>[] {
  const shown = (day: Date) => dayText(day, document.documentElement.lang);
  const moved = (one: Occurrence) => {
    const days = nearestWeekday(cron, one.targetTimestampLocal);
    return days && <div data-nearest>{text("nearestWeekday")}: <bdi>{shown(days.named)}</bdi> → <bdi>{shown(days.actual)}</bdi></div>;
  };
  return [
    ["due", (one) => (one.targetTimestampUTC === null ? <Quiet /> : <span class="nowrap"><Time at={one.targetTimestampUTC} zone={one.targetTimezone} /></span>)],
    ["local", (one) => <bdi class="nowrap">{one.targetTimestampLocal?.slice(0, 19).replace("T", " ") ?? text("skipped")}</bdi>],
    ["zone", (one) => <Name of={one.targetTimezone} />],
    ["effect", (one) => <>
      {one.note !== null && <span class="state amber wraps" data-note={one.note}><span aria-hidden="true">◷</span> {word(one.note)}{one.wantedLocal && <> ({one.wantedLocal.replace("T", " ")})</>}</span>}
      {moved(one) ?? (one.note === null && <Quiet />)}
    </>],
  ];
}

/** Lists the occurrences of all schedules between two instants, by the current tz release. */
export function Occurrences({ query }: { query: Query }) {
  const text = useTexts();
  const word = useStateWord();
  const search = searchOf({ from: "now", to: "now+7d", limit: "50", ...query });
  const page = useLoaded((signal) => get<OccurrencePage>(`/v1/occurrences${search}`, signal), [search], ["schedules", "users"]);
  // Of one schedule, the rows do not repeat which one and whose they are.
  const of = ({ eventType, scheduleId = query.scheduleId, userId = query.userId }: Occurrence) => ({ eventType, schedule: { page: "schedules", id: scheduleId }, person: { page: "people", id: userId } }) as const;
  const names = useNames((page.data?.data ?? []).flatMap((one) => [of(one).person, ...(one.eventType ? [] : [of(one).schedule])]));
  const typeOf = (one: Occurrence) => one.eventType ?? names(of(one).schedule);
  return (
    <>
      <h1>{text("occurrences")}</h1>
      <Filters page="occurrences" query={{ from: "now", to: "now+7d", ...query }} filters={[
        { name: "from", word: "from", hint: "2027-03-28T00:00:00Z" }, { name: "to", word: "before", hint: "now+7d" }, { name: "scheduleId", word: "schedule", hint: "ext:payroll" }, { name: "userId", word: "user", hint: "ext:ada" }]} />
      <Shown of={page}>{(found) => (
        <>
          {found.tzRelease && <p class="quiet">{text("tz")}: {found.tzRelease}</p>}
          <Table label={text("occurrences")} rows={found.data} id={(one) => `${one.eventId ?? one.scheduleId ?? ""} ${one.targetTimestampUTC ?? one.targetTimestampLocal ?? ""} ${one.userId ?? ""}`} columns={[
            ...occurrenceColumns(text, word),
            ["type", (one) => (one.eventId ? <a href={hrefOf("events", one.eventId)}><Name of={typeOf(one)} /></a> : <Name of={typeOf(one)} />)],
            ["user", (one) => <Person id={of(one).person.id} name={names(of(one).person)} />],
            ["schedule", (one) => <>{one.paused && <State of="paused" />} <Ref page="schedules" id={of(one).schedule.id} name={typeOf(one)} /></>],
          ]} />
          {found.moreSchedules && <p class="warning" data-more-schedules><span aria-hidden="true">!</span> {text("moreSchedules")}</p>}
          {(found.onlyNext?.length ?? 0) > 0 && <p class="quiet">{text("onlyNext")}</p>}
          <Pages page="occurrences" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}
