import { useEffect, useState } from "preact/hooks";
import type { Clock, ClockAdvanced, EventPage } from "../../../clients/typescript/src/schema.ts";
import { get, readClock, useLoaded } from "../api.ts";
import { instantOf, marksOf, REACHES } from "../clock.ts";
import { useDisplay, useTexts } from "../display.ts";
import { clockTime, relativeTime, searchOf } from "../logic.ts";
import { Act, Field, Shown, Time, Total, useActions, useMayDo, VIEWER } from "../parts.tsx";
import { EventTable } from "./events.tsx";

const STEPS = { PT1M: "minute", PT1H: "hour", P1D: "day", P1M: "month", P1Y: "year" };
const MARKS = "100"; // planned events with a mark on the slider
const LISTED = "10"; // events that the page lists before the clock moves

/** A test clock: a slider and buttons move it, and the events that become due are delivered. */
export function TestClock() {
  const text = useTexts();
  const clock = useLoaded(readClock, [], ["events"], 5000);
  return <Shown of={clock}>{(found) => found.mode === "test" ? <Moved clock={found} reload={clock.reload} /> : <p class="quiet">{text("systemClockHint")} <code dir="ltr">sundial dev --test-clock</code></p>}</Shown>;
}

function Moved({ clock: { now }, reload }: { clock: Clock; reload: () => void }) {
  const text = useTexts();
  const { language } = useDisplay();
  const mayMove = useMayDo("ADMIN");
  const actions = useActions(reload);
  const ask = (about: string, body: { by: string } | { to: string }, flag: string, value: string) => actions.ask({
    word: "advance", about, request: { method: "POST", path: "/v1/clock/advance", body, cli: ["clock", "advance", flag, value] },
    said: (answer) => text("advanced", { delivered: (answer as ClockAdvanced).delivered, failed: (answer as ClockAdvanced).failed }),
  });
  return (
    <>
      <p data-clock={now}>{text("testClock")}: <Time at={now} /></p>
      {mayMove && <Slider now={now} move={(to) => ask(to, { to }, "--to", to)} />}
      <div class="buttons">{Object.entries(STEPS).map(([by, unit]) => {
        const step = `+${new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long", numberingSystem: "latn" }).format(1)}`;
        return <Act key={by} word="advance" about={step} role="ADMIN" label={step} press={() => ask(step, { by }, "--by", by)} />;
      })}</div>
      {actions.view}
    </>
  );
}

/** Chooses an instant, and shows which events come due until then. */
function Slider({ now, move }: { now: string; move: (to: string) => void }) {
  const text = useTexts();
  const { language } = useDisplay();
  const [name, setName] = useState<keyof typeof REACHES>("P1D");
  const [at, setAt] = useState(1);
  const [chosen, setChosen] = useState(1); // follows `at` when the slider comes to rest
  const reach = REACHES[name];
  const to = instantOf(now, reach, at), after = new Date(new Date(instantOf(now, reach, chosen)).getTime() + 1).toISOString();
  useEffect(() => { setAt(1); setChosen(1); }, [now, name]);
  const planned = useLoaded((signal) => get<EventPage>(`/v1/events${searchOf({ status: "PENDING", targetFrom: now, targetTo: instantOf(now, reach, reach.steps), limit: MARKS })}`, signal), [now, name], ["events"]);
  const until = useLoaded((signal) => get<EventPage>(`/v1/events${searchOf({ status: "PENDING", targetTo: after, limit: LISTED, count: "exact" })}`, signal), [after], ["events"]);
  const distance = relativeTime(to, new Date(now).getTime(), language);
  const marks = marksOf(now, reach, (planned.data?.data ?? []).map(({ targetTimestampUTC }) => targetTimestampUTC));
  return (
    <form class="filters" data-slider onSubmit={(event) => { event.preventDefault(); move(to); }}>
      <Field label={text("sliderReach")}>
        <select name="reach" value={name} onChange={(event) => setName(event.currentTarget.value as keyof typeof REACHES)}>
          {(Object.keys(REACHES) as (keyof typeof REACHES)[]).map((one) => <option key={one} value={one}>{relativeTime(instantOf(now, REACHES[one], REACHES[one].steps), new Date(now).getTime(), language)}</option>)}
        </select>
      </Field>
      <label class="field wide"><span>{text("sliderTo")} <bdi>{clockTime(to, VIEWER, language)}</bdi> (<bdi>{distance}</bdi>)</span>
        <input type="range" name="to" min={1} max={reach.steps} step={1} value={at} list="clock-marks" data-to={to} aria-valuetext={`${clockTime(to, VIEWER, language)}, ${distance}`}
          onInput={(event) => setAt(event.currentTarget.valueAsNumber)} onChange={(event) => setChosen(event.currentTarget.valueAsNumber)} />
        <datalist id="clock-marks">{marks.map((mark) => <option key={mark} value={mark} />)}</datalist>
      </label>
      <div class="wide" aria-live="polite">
        {until.data && <><Total of={until.data} />{until.data.data.length > 0 && <p class="quiet">{text("dueOnTheWay")}</p>}<EventTable events={until.data.data} columns={["due", "type", "zone", "user"]} /></>}
      </div>
      <div class="buttons"><button type="submit" class="primary" data-act="advance">{text("advance")}</button></div>
    </form>
  );
}
