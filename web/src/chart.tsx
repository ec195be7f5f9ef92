import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useDisplay, useTexts } from "./display.ts";
import { apart, clockTime, isolated, offsetOf, seriesSummary, withoutPauses, type Line } from "./logic.ts";
import { VIEWER } from "./parts.tsx";

const HEIGHT = 180; // px
const TONES = ["--blue", "--red", "--amber"];
// Lines differ without colours too. Percentiles are often equal: each lies on a wider one, so all of them are seen.
const WIDTHS = [1.5, 3.5, 5.5]; // px
const DASHES = [[], [6, 3], [2, 3]];
const HEADROOM = 1.08; // the highest point is not cut off by the edge
// Distances between the lines of the grid: whole events, and durations that read well.
const COUNTS = [1, 2, 5].flatMap((digit) => [0, 1, 2, 3, 4, 5, 6, 7, 8].map((power) => digit * 10 ** power)).sort((a, b) => a - b);
const MINUTE = 60, HOUR = 3600;
const SECONDS = [
  ...[0.00001, 0.0001, 0.001, 0.01, 0.1, 1].flatMap((power) => [power, 2 * power, 5 * power]), 10, 20, 30,
  ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * MINUTE), ...[1, 2, 5, 10, 20, 50, 100, 200, 500].map((hours) => hours * HOUR),
];

interface Props {
  title: string;
  from: string;
  step: number; // seconds
  lines: readonly Line[];
  show: (value: number | null) => string;
  /** Counts: a pause has no line. */
  counts?: boolean;
}

/** A chart over time with its summary in words and its data as a table. */
export function Chart({ title, from, step, lines, show, counts = false }: Props) {
  const text = useTexts();
  const { language, theme, zone } = useDisplay();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const start = new Date(from).getTime() / 1000;
  const times = (lines[0]?.points ?? []).map((_, index) => start + index * step);
  // The first line is drawn last, on top of the others.
  const data = [times, ...lines.map(({ points }) => (counts ? withoutPauses(points) : [...points])).reverse()] as uPlot.AlignedData;
  /** A value and its unit stay on one line, and in their order. */
  const whole = (value: number | null) => apart(show(value).replace(" ", "\u00a0"));
  const widthOf = (index: number) => (counts ? 2 : WIDTHS[index] ?? 2);
  const dashOf = (index: number) => (counts ? DASHES[index] ?? [] : []);
  const clock = zone === "utc" ? "UTC" : VIEWER;
  const clockOf = (time: number) => clockTime(new Date(time * 1000).toISOString(), clock, language);
  useEffect(() => {
    if (!place.current) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const options: uPlot.Options = {
      width: place.current.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { show: false },
      scales: { y: { range: (_, least, most) => [Math.min(0, least ?? 0), most ? most * HEADROOM : 1] } },
      axes: [{ ...axis, size: 32, gap: 10, values: (_, marks) => marks.map((mark) => /(\d\d:\d\d):\d\d /.exec(clockOf(mark))?.[1] ?? "") },
        { ...axis, size: 64, incrs: counts ? COUNTS : SECONDS, values: (_, marks) => marks.map((mark) => show(mark)) }],
      series: [{}, ...lines.map((line, index) => ({
        label: line.label, stroke: colour(TONES[index] ?? "--ink"), width: widthOf(index), dash: dashOf(index),
        points: { size: 4 + widthOf(index), filter: (made: uPlot, index: number) => isolated(made.data[index] ?? []) },
      })).reverse()],
    };
    const made = new uPlot(options, data, place.current);
    plot.current = made;
    const watch = new ResizeObserver(([entry]) => entry && made.setSize({ width: entry.contentRect.width, height: HEIGHT }));
    watch.observe(place.current);
    return () => { watch.disconnect(); made.destroy(); };
  }, [theme, language, clock, lines.length]);
  useEffect(() => plot.current?.setData(data), [JSON.stringify(data)]);
  const rows = times.map((time, index) => ({ time, values: lines.map(({ points }) => points[index] ?? null) })).filter(({ values }) => values.some((value) => value)).reverse();
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="legend">{lines.map((line, index) => (
          <li key={line.label}><svg width="28" height="8" aria-hidden="true"><line x1="0" y1="4" x2="28" y2="4" class={`tone${index}`} stroke-width={widthOf(index)} stroke-dasharray={dashOf(index).join(" ")} /></svg>{" "}
            {line.label}: {seriesSummary(line, whole, text("latest"), text("most"))}</li>
        ))}</ul>
        <p class="quiet axis">{text("hoursIn", { zone: apart(`${clock} (${offsetOf(new Date(start * 1000), clock)})`) })}</p>
      </figcaption>
      <div ref={place} class="plot" dir="ltr" aria-hidden="true" />
      <details>
        <summary>{text("asTable")}<span class="hidden">: {title}</span></summary>
        <div class="scroll" role="region" aria-label={title} tabIndex={0}>
          <table>
            <thead><tr><th scope="col">{clock}</th>{lines.map((line) => <th key={line.label} scope="col">{line.label}</th>)}</tr></thead>
            <tbody>{rows.map(({ time, values }) => (
              <tr key={time}><td data-label={clock}><bdi>{clockOf(time)}</bdi></td>{values.map((value, index) => <td key={index} data-label={lines[index]?.label}>{show(value)}</td>)}</tr>
            ))}</tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
