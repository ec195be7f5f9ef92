// Rules about work that is late: what is overdue, and which endpoints get more events than they finish.
import type { Event } from "../../clients/typescript/src/schema.ts";

const LATE = 1; // seconds, as `lateExecution` of an event
const RECENT = 3; // steps: an endpoint that started nothing for longer may have nothing to do
const COMPARED = 10; // steps
const TOLERANCE = 0.1; // of what is expected: counts of minutes vary

interface SeriesLine {
  metric: string;
  key: string | null;
  points: readonly (number | null)[];
}

interface Forecast {
  now: string;
  forecastTo: string;
  data: readonly { key: string; forecast: readonly number[] }[];
}

export interface Behind {
  key: string;
  /** Events in an hour: what the forecast expects, and what the endpoint has finished since it is late. */
  expects: number;
  finishes: number;
}

const pointsOf = (lines: readonly SeriesLine[], metric: string, key: string) => lines.find((line) => line.metric === metric && line.key === key)?.points ?? [];

/** The run of late steps that a series ends with: where it begins, and its latest measured step. Undefined if that step was on time. */
function lateRun(points: readonly (number | null)[]): { begin: number; latest: number } | undefined {
  let run: { begin: number; latest: number } | undefined;
  points.forEach((point, index) => {
    if (point !== null) run = point > LATE ? { begin: run?.begin ?? index, latest: index } : undefined;
  });
  return run;
}

/** The same if the endpoint is late at present: its latest measured step is not long ago. */
function presentRun(points: readonly (number | null)[]) {
  const run = lateRun(points);
  return run && run.latest >= points.length - RECENT ? run : undefined;
}

const isLateness = ({ metric }: SeriesLine) => metric === "lateness_p99";

/** The endpoints that started events late, the worst first. `since` is where the latest run of late steps began; null if the latest measured step was on time. */
export function lateEndpoints(lines: readonly SeriesLine[], from: string, step: number): { key: string; worst: number; since: string | null }[] {
  return lines.filter(isLateness).flatMap(({ key, points }) => {
    const worst = Math.max(0, ...points.map((point) => point ?? 0)), run = lateRun(points);
    return key === null || worst <= LATE ? [] : [{ key, worst, since: run ? new Date(new Date(from).getTime() + run.begin * step * 1000).toISOString() : null }];
  }).sort((a, b) => b.worst - a.worst);
}

/** The endpoints that start their events late at present; `other` stands for many, so it is none of them. */
export const lateNow = (lines: readonly SeriesLine[]): string[] =>
  lines.filter(isLateness).flatMap(({ key, points }) => (key !== null && key !== "other" && presentRun(points) ? [key] : []));

/**
 * The late endpoints that finish fewer events than are expected: they will not catch up. While an endpoint is late, what it
 * finishes is what it can do. The last step is not over, and the first late one began on time.
 */
export function fallingBehind(lines: readonly SeriesLine[], step: number, forecast: Forecast): Behind[] {
  const hours = (new Date(forecast.forecastTo).getTime() - new Date(forecast.now).getTime()) / 3_600_000;
  return lateNow(lines).flatMap((key) => {
    const late = pointsOf(lines, "lateness_p99", key), end = late.length - 1;
    const begin = Math.max((presentRun(late)?.begin ?? 0) + 1, end - COMPARED);
    const span = ((end - begin) * step) / 3600;
    if (span <= 0 || hours <= 0) return [];
    const sum = (points: readonly (number | null)[]) => points.slice(begin, end).reduce<number>((all, point) => all + (point ?? 0), 0);
    const finishes = (sum(pointsOf(lines, "executed", key)) + sum(pointsOf(lines, "failed", key))) / span;
    const expects = (forecast.data.find((line) => line.key === key)?.forecast ?? []).reduce((all, count) => all + count, 0) / hours;
    const missing = (expects - finishes) * span;
    return missing > Math.max(2, expects * span * TOLERANCE) ? [{ key, expects: Math.round(expects), finishes: Math.round(finishes) }] : [];
  });
}

/** The overdue events of a list of due ones, the oldest first: neither paused nor held back by a disabled endpoint. */
export const overdueOf = (due: readonly Pick<Event, "waitingFor" | "scheduleId" | "targetTimestampUTC">[]) => {
  const overdue = due.filter(({ waitingFor }) => waitingFor !== "SCHEDULE" && waitingFor !== "ENDPOINT");
  return { count: overdue.length, oldest: overdue[0]?.targetTimestampUTC ?? null, schedules: new Set(overdue.flatMap(({ scheduleId }) => scheduleId ?? [])).size };
};
