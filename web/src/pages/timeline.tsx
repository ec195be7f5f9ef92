import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Event, EventPage, Occurrence, OccurrencePage, StatsHeatmap } from "../../../clients/typescript/src/schema.ts";
import { firstEndpoints, get, serverNow, useLoaded, type Loaded } from "../api.ts";
import { useDisplay, useStateWord, useTexts } from "../display.ts";
import { busiest, BY, countedHours, HOUR, instantAt, isOver, levelOf, lineFilter, localMinutes, moved, ninePeaks, overLimits, shortCount, sumOf, valueAt, type Advice, type By, type HeatLine } from "../heat.ts";
import { apart, clockTime, countText, hrefOf, offsetOf, searchOf, type Query } from "../logic.ts";
import { Name, Ref, Shown, State, Table, Time, Total, VIEWER } from "../parts.tsx";
import { EventTable, expandOf, type EventColumn } from "./events.tsx";
import { occurrenceColumns } from "./occurrences.tsx";

const SPANS = { P1D: "24h", P3D: "72h" } as const;
const EVERY = 60_000; // ms: the counters of the past are written once a minute
const MOST_ROWS = 30; // lines of the map; the table has all of them
const NAMES = 176; // px of a name beside its cells
const MOST_TABLE = 500; // rows of the table
const WORDS = { timezone: "zone", endpointId: "endpoint", status: "status" } as const;

const heatmapOf = (by: By, span: keyof typeof SPANS) => (signal: AbortSignal) =>
  get<StatsHeatmap>(`/v1/stats/heatmap?by=${by}&bucket=PT1H&from=now-${SPANS[span]}&to=${encodeURIComponent(`now+${SPANS[span]}`)}`, signal);

/** The name of a line: endpoints by their names, keys that are not names in words. */
function useLineName(by: By) {
  const text = useTexts();
  const word = useStateWord();
  const endpoints = useLoaded(firstEndpoints, [], ["endpoints"], EVERY);
  return (key: string, of: By = by) => {
    if (key === "other") return text("otherLines");
    if (key === "handler") return text("noEndpoint");
    if (of === "endpointId") return endpoints.data?.find(({ id }) => id === key)?.name ?? key.slice(-12);
    return of === "status" ? word(key) : key;
  };
}

type LineName = ReturnType<typeof useLineName>;

/** Events by hour and zone, endpoint or status, finished and expected. */
export function Timeline({ query }: { query: Query }) {
  const text = useTexts();
  const by = BY.find((one) => one === query.by) ?? "timezone";
  const span = query.span === "P3D" ? "P3D" : "P1D";
  // The advice needs zones and endpoints in any case, so changing between them asks for nothing.
  const zones = useLoaded(heatmapOf("timezone", span), [span], [], EVERY);
  const endpoints = useLoaded(heatmapOf("endpointId", span), [span], [], EVERY);
  const states = useLoaded(by === "status" ? heatmapOf("status", span) : async () => undefined, [by === "status", span], [], EVERY);
  const chosen: Loaded<StatsHeatmap | undefined> = { timezone: zones, endpointId: endpoints, status: states }[by];
  const name = useLineName(by);
  const href = (change: Query) => hrefOf("timeline", "", { ...query, key: "", at: "", ...change });
  return (
    <>
      <h1>{text("timeline")}</h1>
      <p>{text("timelineHint")}</p>
      <nav class="tabs" aria-label={text("groupBy")}>
        {BY.map((one) => <a key={one} href={href({ by: one })} aria-current={by === one ? "true" : undefined}>{text(WORDS[one])}</a>)}
      </nav>
      <nav class="tabs" aria-label={text("window")}>
        {(Object.keys(SPANS) as (keyof typeof SPANS)[]).map((one) => <a key={one} href={href({ span: one })} aria-current={span === one ? "true" : undefined}><bdi>± {SPANS[one].replace("h", " h")}</bdi></a>)}
      </nav>
      <Shown of={chosen}>{(map) => map && <HeatMap key={by} map={map} limits={endpoints.data} by={by} query={query} name={name} />}</Shown>
      {zones.data && endpoints.data && <Spread zones={zones.data} endpoints={endpoints.data} query={query} name={name} />}
    </>
  );
}

interface MapProps {
  map: StatsHeatmap;
  by: By;
  query: Query;
  name: LineName;
}

function HeatMap({ map, limits, by, query, name }: MapProps & { limits: StatsHeatmap | undefined }) {
  const text = useTexts();
  const lines = useMemo(() => busiest(map.data), [map]);
  const total = sumOf(lines.flatMap(({ past, forecast }) => [...past, ...forecast]));
  return (
    <>
      <Summary map={map} lines={lines} limits={by === "endpointId" ? undefined : limits} query={query} name={name} />
      {total > 0 && <Grid map={map} lines={lines.slice(0, MOST_ROWS)} by={by} query={query} name={name} />}
      {lines.length > MOST_ROWS && <p class="quiet">{text("moreLines", { n: lines.length - MOST_ROWS })}</p>}
      {map.moreSchedules && <p class="warning" data-more-schedules><span aria-hidden="true">!</span> {text("moreSchedules")}</p>}
      {map.onlyNext.length > 0 && <p class="quiet">{text("onlyNextForecast")}</p>}
      {query.key && query.at && <Cell key={`${by} ${query.key} ${query.at}`} by={by} line={query.key} at={query.at} query={query} name={name} />}
      {total > 0 && <DataTable map={map} lines={lines} by={by} name={name} />}
    </>
  );
}

function useHour() {
  const { language, zone: shown } = useDisplay();
  /** The hour on the chosen clock; `zone` is the one of a line, if it has one. */
  return (time: Date, zone?: string) => {
    const known = zone !== undefined && localMinutes(time, zone) !== undefined;
    return clockTime(time.toISOString(), shown === "utc" ? "UTC" : shown === "target" && known ? zone : VIEWER, language).replace(/(\d\d:\d\d):00/, "$1");
  };
}

interface SummaryProps {
  map: StatsHeatmap;
  lines: readonly HeatLine[];
  /** The map by endpoint, whose lines have limits, if another one is shown. */
  limits: StatsHeatmap | undefined;
  query: Query;
  name: LineName;
}

/** The map in words. The warning about limits is the same in every view. */
function Summary({ map, lines, limits, query, name }: SummaryProps) {
  const text = useTexts();
  const { language } = useDisplay();
  const hour = useHour();
  const most = (member: "past" | "forecast") => {
    let found: { line: HeatLine; index: number; count: number } | undefined;
    for (const line of lines) line[member].forEach((count, index) => { if (count > (found?.count ?? 0)) found = { line, index, count }; });
    return found && text("mostIn", { n: countText(found.count, language), line: apart(name(found.line.key)), hour: apart(hour(instantAt(map.from, found.index), found.line.key)) });
  };
  const sum = (member: "past" | "forecast") => countText(sumOf(lines.flatMap((line) => line[member])), language);
  const over = sumOf((limits?.data ?? lines).map((line) => line.forecast.filter((_, index) => isOver(line, index)).length));
  return (
    <div data-summary>
      <p>{text("pastSum", { n: sum("past") })} {most("past")}</p>
      <p>{text("forecastSum", { n: sum("forecast") })} <Time at={map.forecastTo} />. {most("forecast")}</p>
      {countedHours(map) < (lines[0]?.forecast.length ?? 0) && <p class="warning" data-cut><span aria-hidden="true">!</span> {text("forecastCut")}</p>}
      {over > 0 && <p class="warning" data-over={over}><span aria-hidden="true">▲</span> {text("overCells", { n: over })}{limits && <> <a href={hrefOf("timeline", "", { ...query, by: "endpointId", key: "", at: "" })}>{text("byEndpoint")}</a></>}</p>}
    </div>
  );
}

/** Hours across, lines down. The arrow keys move from cell to cell, Enter opens one. */
function Grid({ map, lines, by, query, name }: MapProps & { lines: readonly HeatLine[] }) {
  const text = useTexts();
  const { language, zone: shown } = useDisplay();
  const hour = useHour();
  const box = useRef<HTMLDivElement>(null);
  const hours = map.data[0]?.past.length ?? 0;
  const [, swept] = useState(0);
  const now = serverNow(), counted = countedHours(map);
  const current = Math.floor((now - new Date(map.from).getTime()) / HOUR);
  const [at, setAt] = useState<[number, number]>([0, Math.max(0, current)]);
  const here = [Math.min(at[0], lines.length - 1), Math.min(at[1], hours - 1)] as const;
  const most = Math.max(...lines.flatMap((line) => line.past.map((_, index) => valueAt(line, index))));
  const clock = shown === "utc" ? "UTC" : VIEWER;
  useEffect(() => {
    const timer = window.setInterval(() => swept((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  /** Brings an hour into the middle of the frame. */
  const show = (marked: Element | null | undefined) => {
    const frame = box.current;
    if (!frame || !marked) return;
    const wanted = marked.getBoundingClientRect(), outer = frame.getBoundingClientRect();
    frame.scrollBy({ left: wanted.left - outer.left - outer.width / 2, behavior: "instant" });
  };
  useEffect(() => show(box.current?.querySelector("[data-now]")), [by, hours]);
  useEffect(() => {
    const chosen = [...(box.current?.querySelectorAll<HTMLElement>("[data-cell]") ?? [])].find(({ dataset }) => dataset.at === query.at), outer = box.current?.getBoundingClientRect();
    if (!chosen || !outer) return;
    const { left, right } = chosen.getBoundingClientRect();
    // A cell that was clicked is in view. Names stay at the start of the frame, above the cells.
    if (left < outer.left + NAMES || right > outer.right - NAMES) show(chosen);
  }, [by, hours, query.at]);
  const open = (line: HeatLine, index: number) => { location.hash = hrefOf("timeline", "", { ...query, by, key: line.key, at: instantAt(map.from, index).toISOString() }); };
  const pressed = (event: KeyboardEvent, row: number, column: number) => {
    const line = lines[row];
    const to = moved(event.key, row, column, lines.length, hours, document.documentElement.dir === "rtl");
    if (to) {
      setAt(to);
      box.current?.querySelector<HTMLElement>(`[data-cell="${to[0]} ${to[1]}"]`)?.focus();
    } else if (line && (event.key === "Enter" || event.key === " ")) open(line, column);
    else return;
    event.preventDefault();
  };
  const label = (line: HeatLine, index: number) => [
    name(line.key), hour(instantAt(map.from, index), by === "timezone" ? line.key : undefined),
    ...(index <= current ? [text("finishedCount", { n: countText(line.past[index] ?? 0, language) })] : []),
    ...(index >= counted ? [text("notCounted")] : index >= current ? [text("expectedCount", { n: countText(line.forecast[index] ?? 0, language) })] : []),
    ...(isOver(line, index) ? [text("overLimit", { n: countText(line.limit ?? 0, language) })] : []),
  ].join(", ");
  const dates = new Intl.DateTimeFormat(language, { timeZone: clock, month: "short", day: "numeric", numberingSystem: "latn" });
  const offset = offsetOf(new Date(now), clock);
  return (
    <>
      <ul class="legend">
        <li><span class="swatch level3" /> {text("pastCells")}</li><li><span class="swatch level3 ahead" /> {text("forecastCells")}</li>
        <li><span class="swatch nowMark" /> {text("nowLine")}</li>{by === "endpointId" && <li><span class="swatch over" aria-hidden="true">▲</span> {text("overLegend")}</li>}
        <li>{text("hoursIn", { zone: apart(`${clock} (${offset})`) })}</li>
      </ul>
      <div class="heat" ref={box}>
        <div role="grid" aria-label={text("timeline")} aria-rowcount={lines.length + 1} aria-colcount={hours + 1} style={{ "--now": `${(100 * ((now - new Date(map.from).getTime()) % HOUR)) / HOUR}%` }}>
          <div role="row" class="heat-row">
            <span role="columnheader" class="heat-name">{text(WORDS[by])}</span>
            {Array.from({ length: hours }, (_, index) => {
              const time = instantAt(map.from, index), minutes = localMinutes(time, clock) ?? 0;
              return (
                <span role="columnheader" key={index} class={`hour ${index === current ? "nowMark" : ""}`} data-now={index === current ? "" : undefined} aria-label={hour(time)}>
                  <span class="day">{minutes < 60 ? dates.format(time) : ""}</span><span>{String(Math.floor(minutes / 60)).padStart(2, "0")}</span>
                </span>
              );
            })}
          </div>
          {lines.map((line, row) => {
            const zone = by === "timezone" && localMinutes(new Date(now), line.key) !== undefined ? line.key : undefined;
            return (
              <div role="row" class="heat-row" key={line.key}>
                <span role="rowheader" class="heat-name" data-line={line.key}>
                  <Name of={name(line.key)} most={12} />
                  {zone && <small><bdi>{clockTime(new Date(now).toISOString(), zone, language).replace(/^.*(\d\d:\d\d):\d\d /, "$1 ")}</bdi></small>}
                  {by === "endpointId" && line.limit !== null && <small>{text("perHour", { n: countText(line.limit, language) })}</small>}
                </span>
                {line.past.map((_, index) => {
                  const over = isOver(line, index), selected = query.key === line.key && query.at === instantAt(map.from, index).toISOString();
                  const kind = index > current ? "ahead" : index === current ? "nowMark" : "";
                  return (
                    <span role="gridcell" key={index} data-cell={`${row} ${index}`} data-key={line.key} data-at={instantAt(map.from, index).toISOString()} data-value={valueAt(line, index)} aria-label={label(line, index)} title={label(line, index)} aria-selected={selected}
                      tabIndex={row === here[0] && index === here[1] ? 0 : -1} class={`cell level${levelOf(valueAt(line, index), most)} ${kind} ${over ? "over" : ""}`}
                      onFocus={() => setAt([row, index])} onClick={() => open(line, index)} onKeyDown={(event) => pressed(event, row, index)}>
                      {over && <span aria-hidden="true">▲</span>}{index >= counted ? "?" : shortCount(valueAt(line, index))}
                    </span>
                  );
                })}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}

const COLUMNS: readonly EventColumn[] = ["due", "type", "status", "endpoint", "user"];
const MOST_LISTED = "50";
const MOST_PAGES = 10; // of 500 occurrences, searched for those of a cell

/** The first later occurrences that belong to a cell, page by page, and whether there may be more. */
async function laterOf(from: string, to: string, belongs: (one: Occurrence) => boolean, signal: AbortSignal) {
  const rows: Occurrence[] = [];
  let page: OccurrencePage | undefined;
  for (let read = 0; read < MOST_PAGES && rows.length <= Number(MOST_LISTED) && (read === 0 || page?.hasMore); read++) {
    page = await get<OccurrencePage>(`/v1/occurrences${searchOf({ from, to, limit: "500", cursor: page?.nextCursor ?? "" })}`, signal);
    rows.push(...page.data.filter(belongs));
  }
  return { rows: rows.slice(0, Number(MOST_LISTED)), more: rows.length > Number(MOST_LISTED) || page?.hasMore === true, moreSchedules: page?.moreSchedules === true };
}

/** The events and occurrences of a cell. */
function Cell({ by, line, at, query, name }: { by: By; line: string; at: string; query: Query; name: LineName }) {
  const text = useTexts();
  const word = useStateWord();
  const hour = useHour();
  const heading = useRef<HTMLHeadingElement>(null);
  const begins = new Date(at).getTime(), ends = new Date(begins + HOUR).toISOString();
  const known = lineFilter(by, line), filter = known ?? {};
  const finished: Query = { status: by === "status" && line !== "PENDING" ? line : "COMPLETED,FAILED", ...filter, executedFrom: at, executedTo: ends };
  const planned: Query = { status: "PENDING", ...filter, targetFrom: new Date(Math.max(begins, serverNow())).toISOString(), targetTo: ends };
  const read = (of: Query) => (signal: AbortSignal) => get<EventPage>(`/v1/events${searchOf({ ...of, limit: MOST_LISTED, count: "exact", expand: expandOf(COLUMNS) })}`, signal);
  const hasPast = begins < serverNow() && !(by === "status" && line === "PENDING");
  const hasFuture = new Date(ends).getTime() > serverNow() && (by !== "status" || line === "PENDING");
  const nothing = { data: [], hasMore: false, nextCursor: null };
  const past = useLoaded(hasPast ? read(finished) : async () => nothing as EventPage, [by, line, at], ["events"]);
  const future = useLoaded(hasFuture ? read(planned) : async () => nothing as EventPage, [by, line, at], ["events"]);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "center" }); // the map above it and its lists below
  }, []);
  const close = () => {
    const cell = [...document.querySelectorAll<HTMLElement>("[data-cell]")].find(({ dataset }) => dataset.key === line && dataset.at === at);
    location.hash = hrefOf("timeline", "", { ...query, key: "", at: "" });
    cell?.focus();
  };
  const belongs = (one: Occurrence) => one.eventId === null && (by === "status" || line === "other" || (by === "timezone" ? one.targetTimezone === line : (one.endpointId ?? "handler") === line));
  const later = useLoaded(async (signal) => (hasFuture ? laterOf(planned.targetFrom ?? at, ends, belongs, signal) : { rows: [], more: false, moreSchedules: false }), [by, line, at], ["schedules"]);
  const ofLine = (event: Event) => line !== "handler" || event.endpointId === null;
  const list = (page: EventPage, of: Query) => (
    <>
      {line !== "handler" && <Total of={page} />}
      <EventTable events={page.data.filter(ofLine)} columns={COLUMNS} />
      {page.hasMore && <a href={hrefOf("events", "", of)}>{text("allOfThese")}</a>}
    </>
  );
  return (
    <section data-panel onKeyDown={(event) => { if (event.key === "Escape") close(); }}>
      <h2 ref={heading} tabIndex={-1}><bdi>{name(line)}</bdi> · <bdi>{hour(new Date(begins), by === "timezone" ? line : undefined)}</bdi></h2>
      <button type="button" class="small" onClick={close}>{text("close")}</button>
      {known === undefined && line === "other" && <p class="quiet">{text("otherHint")}</p>}
      {hasPast && <div data-part="past"><h3>{text("finishedEvents")}</h3><Shown of={past}>{(page) => list(page, finished)}</Shown></div>}
      {hasFuture && (
        <>
          <div data-part="planned"><h3>{text("plannedEvents")}</h3><Shown of={future}>{(page) => list(page, planned)}</Shown></div>
          <div data-part="later">
            <h3>{text("laterOccurrences")}</h3>
            <Shown of={later}>{({ rows, more, moreSchedules }) => (
                <>
                  <Table label={text("laterOccurrences")} rows={rows} id={(one) => `${one.scheduleId ?? ""} ${one.targetTimestampUTC ?? one.targetTimestampLocal ?? ""}`} columns={[
                    ...occurrenceColumns(text, word).filter(([column]) => column !== "local"),
                    ["type", (one) => one.eventType],
                    ["schedule", (one) => <>{one.paused && <State of="paused" />} <Ref page="schedules" id={one.scheduleId} name={one.eventType} /></>],
                  ]} />
                  {moreSchedules && <p class="warning"><span aria-hidden="true">!</span> {text("moreSchedules")}</p>}
                  {more && <a href={hrefOf("occurrences", "", { from: at, to: ends })}>{text("allOfThese")}</a>}
                </>
            )}</Shown>
          </div>
        </>
      )}
    </section>
  );
}

/** Where a jitter would spread the load: hours above a limit, and peaks at nine o'clock. */
function Spread({ zones, endpoints, query, name }: { zones: StatsHeatmap; endpoints: StatsHeatmap; query: Query; name: LineName }) {
  const text = useTexts();
  const { language } = useDisplay();
  const hour = useHour();
  const found: (Advice & { of: By; from: string })[] = [
    ...overLimits(endpoints.data).map((one) => ({ ...one, of: "endpointId" as const, from: endpoints.from })),
    ...ninePeaks(zones.data, zones.from, zones.now, countedHours(zones)).map((one) => ({ ...one, of: "timezone" as const, from: zones.from })),
  ];
  return (
    <section data-advice={found.length}>
      <h2>{text("spread")}</h2>
      {found.length === 0 ? <p class="quiet">{text("nothingToSpread")}</p> : (
        <ul class="advice">{found.map((one) => {
          const time = instantAt(one.from, one.index);
          return (
            <li key={`${one.kind} ${one.key}`} data-kind={one.kind}>
              <span class="state amber"><span aria-hidden="true">▲</span> <bdi>{name(one.key, one.of)}</bdi></span>{" "}
              {text(one.kind === "limit" ? "spreadLimit" : "spreadNine", {
                n: countText(one.count, language), hour: apart(hour(time, one.of === "timezone" ? one.key : undefined)), against: countText(one.against, language), jitter: apart(`PT${one.hours}H`),
                after: countText(Math.ceil(one.count / one.hours), language),
              })}{" "}
              <a href={hrefOf("timeline", "", { ...query, by: one.of, key: one.key, at: time.toISOString() })}>{text("showHour")}</a>{" · "}
              <a href={hrefOf("schedules", "", one.of === "endpointId" && one.key !== "handler" ? { endpointId: one.key } : {})}>{text("schedules")}</a>
            </li>
          );
        })}</ul>
      )}
    </section>
  );
}

/** All cells that hold something, as a table. */
function DataTable({ map, lines, by, name }: { map: StatsHeatmap; lines: readonly HeatLine[]; by: By; name: LineName }) {
  const text = useTexts();
  const { language } = useDisplay();
  const hour = useHour();
  const [open, setOpen] = useState(false);
  const all = open ? lines.flatMap((line) => line.past.map((_, index) => ({ line, index })).filter(({ index }) => valueAt(line, index) > 0)).sort((a, b) => a.index - b.index) : [];
  return (
    <details class="table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{text("asTable")}</summary>
      {open && <Table label={text("timeline")} rows={all.slice(0, MOST_TABLE)} id={({ line, index }) => `${line.key} ${index}`} columns={[
        ["local", ({ line, index }) => <bdi>{hour(instantAt(map.from, index), by === "timezone" ? line.key : undefined)}</bdi>],
        [WORDS[by], ({ line }) => <bdi>{name(line.key)}</bdi>],
        ["finishedEvents", ({ line, index }) => countText(line.past[index] ?? 0, language)],
        ["expected", ({ line, index }) => <>{isOver(line, index) && <span class="red">▲ </span>}{countText(line.forecast[index] ?? 0, language)}</>],
        ["rateLimit", ({ line }) => (line.limit === null ? "–" : countText(line.limit, language))],
      ]} />}
      {all.length > MOST_TABLE && <p class="quiet">{text("tableCut", { n: MOST_TABLE })}</p>}
    </details>
  );
}
