// Rules of the timeline: cells by hour, what they hold, and where a jitter helps.
import type { Query } from "./logic.ts";

export interface HeatLine {
  key: string;
  limit: number | null;
  past: readonly number[];
  forecast: readonly number[];
}

export const HOUR = 3_600_000; // ms
export const BY = ["timezone", "endpointId", "status"] as const;
export type By = (typeof BY)[number];

export const instantAt = (from: string, index: number) => new Date(new Date(from).getTime() + index * HOUR);
export const valueAt = (line: HeatLine, index: number) => (line.past[index] ?? 0) + (line.forecast[index] ?? 0);
export const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
export const isOver = (line: HeatLine, index: number) => line.limit !== null && (line.forecast[index] ?? 0) > line.limit;

/** The number of hours whose events were counted: fewer than the map has if too many events are planned. */
export const countedHours = (map: { from: string; forecastTo: string }) => Math.ceil((new Date(map.forecastTo).getTime() - new Date(map.from).getTime()) / HOUR);

/** The number of events that the forecast expects for one endpoint, and whether it is certain that none is missing. */
export function expectedOf(map: { data: readonly HeatLine[]; onlyNext: readonly string[]; moreSchedules: boolean; now: string; forecastTo: string }, endpointId: string): { count: number; complete: boolean } {
  const line = map.data.find(({ key }) => key === endpointId);
  const aDay = new Date(map.forecastTo).getTime() - new Date(map.now).getTime() >= 24 * HOUR - 60_000;
  const others = !line && map.data.some(({ key }) => key === "other");
  return { count: line ? sumOf(line.forecast) : 0, complete: aDay && !others && !map.moreSchedules && map.onlyNext.length === 0 };
}

/** The busiest lines first, so that those which a page has no room for are the quiet ones. */
export const busiest = <T extends HeatLine>(lines: readonly T[]): T[] =>
  [...lines].sort((a, b) => sumOf(b.past) + sumOf(b.forecast) - sumOf(a.past) - sumOf(a.forecast) || (a.key < b.key ? -1 : 1));

const LEVELS = 5;

/** The depth of a cell's colour, 0 to 5. By the logarithm, because one peak would leave all other cells pale. */
export const levelOf = (value: number, most: number) => (value <= 0 || most <= 0 ? 0 : Math.max(1, Math.ceil(LEVELS * Math.min(1, Math.log1p(value) / Math.log1p(most)))));

const SHORT = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 2 });

/** 950, 1.2K: as much as a cell has room for, in any language. */
export const shortCount = (value: number) => (value === 0 ? "" : Number.isInteger(value) && value < 1000 ? String(value) : SHORT.format(value));

/** Minutes since midnight in `zone`; undefined for keys that are not zones, such as `other`. */
export function localMinutes(time: Date, zone: string): number | undefined {
  try {
    const parts = new Intl.DateTimeFormat("en", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).formatToParts(time);
    const number = (type: string) => Number(parts.find((part) => part.type === type)?.value);
    return number("hour") * 60 + number("minute");
  } catch {
    return undefined;
  }
}

export interface Advice {
  kind: "limit" | "nine";
  key: string;
  index: number;
  count: number;
  /** The limit of the endpoint, or the mean of the zone's other hours. */
  against: number;
  /** The length of the jitter in hours. */
  hours: number;
}

/** For each endpoint the hour with the most expected events above its limit. */
export function overLimits(lines: readonly HeatLine[]): Advice[] {
  return lines.flatMap((line) => {
    const { limit } = line;
    const count = Math.max(0, ...line.forecast);
    if (limit === null || limit <= 0 || count <= limit) return [];
    return [{ kind: "limit" as const, key: line.key, index: line.forecast.indexOf(count), count, against: limit, hours: Math.ceil(count / limit) }];
  });
}

const NINE = 9 * 60; // minutes
const PEAK_EVENTS = 20; // fewer are not a load
const PEAK_RATIO = 3; // times the mean of the other hours

/** For each zone the greatest expected peak in an hour that contains 09:00 there. */
export function ninePeaks(lines: readonly HeatLine[], from: string, now: string, hours = Infinity): Advice[] {
  return lines.map((line) => ({ ...line, forecast: line.forecast.slice(0, hours) })).flatMap((line) => {
    const first = Math.max(0, Math.floor((new Date(now).getTime() - new Date(from).getTime()) / HOUR));
    const total = sumOf(line.forecast.slice(first));
    const others = line.forecast.length - first - 1;
    const peaks = line.forecast.flatMap((count, index) => {
      const against = others > 0 ? (total - count) / others : 0;
      if (index < first || count < PEAK_EVENTS || count < PEAK_RATIO * against) return [];
      const begins = localMinutes(instantAt(from, index), line.key);
      return begins !== undefined && begins <= NINE && NINE < begins + 60 ? [{ kind: "nine" as const, key: line.key, index, count, against, hours: 2 }] : [];
    });
    return peaks.sort((a, b) => b.count - a.count).slice(0, 1);
  });
}

/** The filter for events of a line; undefined if the API has none, as for `other` and for events without an endpoint. */
export function lineFilter(by: By, key: string): Query | undefined {
  if (key === "other" || key === "handler") return undefined;
  if (by === "timezone") return { targetTimezone: key };
  return by === "endpointId" ? { endpointId: key } : {};
}

/** The place of the cell that a key of the keyboard leads to; undefined for other keys. */
export function moved(key: string, row: number, column: number, rows: number, columns: number, rightToLeft: boolean): [row: number, column: number] | undefined {
  const ahead = rightToLeft ? -1 : 1;
  const inside = (value: number, count: number) => Math.min(count - 1, Math.max(0, value));
  switch (key) {
    case "ArrowRight": return [row, inside(column + ahead, columns)];
    case "ArrowLeft": return [row, inside(column - ahead, columns)];
    case "ArrowDown": return [inside(row + 1, rows), column];
    case "ArrowUp": return [inside(row - 1, rows), column];
    case "PageDown": return [row, inside(column + 24, columns)];
    case "PageUp": return [row, inside(column - 24, columns)];
    case "Home": return [row, 0];
    case "End": return [row, columns - 1];
    default: return undefined;
  }
}
