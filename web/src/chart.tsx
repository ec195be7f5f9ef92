import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useDisplay, useTexts } from "./display.ts";
import { clockTime, isolated, seriesSummary, type Line } from "./logic.ts";

const HEIGHT = 180; // px
const TONES = ["--blue", "--red", "--amber", "--violet"];
const DASHES = [[], [6, 3], [2, 3], [10, 3, 2, 3]]; // lines differ without colours too

interface Props {
  title: string;
  from: string;
  step: number; // seconds
  lines: readonly Line[];
  show: (value: number | null) => string;
}

/** A chart over time with its summary in words and its data as a table. */
export function Chart({ title, from, step, lines, show }: Props) {
  const text = useTexts();
  const { language, theme } = useDisplay();
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>();
  const start = new Date(from).getTime() / 1000;
  const times = (lines[0]?.points ?? []).map((_, index) => start + index * step);
  const data = [times, ...lines.map(({ points }) => [...points])] as uPlot.AlignedData;
  useEffect(() => {
    if (!place.current) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const options: uPlot.Options = {
      width: place.current.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { show: false },
      scales: { y: { range: (_, least, most) => [Math.min(0, least ?? 0), Math.max(most ?? 0, Number.MIN_VALUE) || 1] } },
      axes: [{ ...axis, size: 28, values: (_, marks) => marks.map((mark) => clockTime(new Date(mark * 1000).toISOString(), "UTC", language).slice(-15, -10)) },
        { ...axis, size: 64, values: (_, marks) => marks.map((mark) => show(mark)) }],
      series: [{}, ...lines.map((line, index) => ({ label: line.label, stroke: colour(TONES[index] ?? "--ink"), width: 2, dash: DASHES[index] ?? [], points: { size: 4, filter: (made: uPlot, index: number, shown: boolean) => (shown ? null : isolated(made.data[index] ?? [])) } }))],
    };
    const made = new uPlot(options, data, place.current);
    plot.current = made;
    const watch = new ResizeObserver(([entry]) => entry && made.setSize({ width: entry.contentRect.width, height: HEIGHT }));
    watch.observe(place.current);
    return () => { watch.disconnect(); made.destroy(); };
  }, [theme, language, lines.length]);
  useEffect(() => plot.current?.setData(data), [JSON.stringify(data)]);
  const rows = times.map((time, index) => ({ time, values: lines.map(({ points }) => points[index] ?? null) })).filter(({ values }) => values.some((value) => value)).reverse();
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        <ul class="legend">{lines.map((line, index) => (
          <li key={line.label}><svg width="28" height="8" aria-hidden="true"><line x1="0" y1="4" x2="28" y2="4" class={`tone${index}`} stroke-width="2" stroke-dasharray={(DASHES[index] ?? []).join(" ")} /></svg>{" "}
            {line.label}: {seriesSummary(line, show, text("latest"), text("most"))}</li>
        ))}</ul>
      </figcaption>
      <div ref={place} class="plot" dir="ltr" aria-hidden="true" />
      <details>
        <summary>{text("asTable")}<span class="hidden">: {title}</span></summary>
        <div class="scroll" role="region" aria-label={title} tabIndex={0}>
          <table>
            <thead><tr><th scope="col">UTC</th>{lines.map((line) => <th key={line.label} scope="col">{line.label}</th>)}</tr></thead>
            <tbody>{rows.map(({ time, values }) => (
              <tr key={time}><td data-label="UTC"><bdi>{clockTime(new Date(time * 1000).toISOString(), "UTC", language)}</bdi></td>{values.map((value, index) => <td key={index} data-label={lines[index]?.label}>{show(value)}</td>)}</tr>
            ))}</tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
