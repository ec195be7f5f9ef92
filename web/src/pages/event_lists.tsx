// Lists for later and for elsewhere: views that the browser keeps, and exports of events.
import { useState } from "preact/hooks";
import type { Event, EventPage } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal } from "../api.ts";
import { useTexts } from "../display.ts";
import { csvOf, hrefOf, searchOf, type Query } from "../logic.ts";
import { Field, Refused } from "../parts.tsx";

type ViewPage = "events" | "schedules" | "people" | "endpoints";
const stored = (page: ViewPage) => `sundial.${page}.views`;

function storedViews(page: ViewPage): Record<string, Query> {
  try {
    return JSON.parse(localStorage.getItem(stored(page)) ?? "{}") as Record<string, Query>;
  } catch {
    return {}; // another program's entry
  }
}

/** Filters under names that the user gives. */
export function Views({ page, filter }: { page: ViewPage; filter: Query }) {
  const text = useTexts();
  const [views, setViews] = useState(() => storedViews(page));
  const [name, setName] = useState("");
  const keep = (next: Record<string, Query>) => {
    localStorage.setItem(stored(page), JSON.stringify(next));
    setViews(next);
  };
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    keep({ ...views, [name.trim()]: filter });
    setName("");
  };
  return (
    <details class="views columns">
      <summary>{text("views")}</summary>
      <ul class="chips">{Object.entries(views).map(([one, query]) => (
        <li key={one}>
          <a href={hrefOf(page, "", query)}><bdi>{one}</bdi></a>{" "}
          <button type="button" class="small" aria-label={`${text("remove")}: ${one}`} onClick={() => keep(Object.fromEntries(Object.entries(views).filter(([other]) => other !== one)))}>{text("remove")}</button>
        </li>
      ))}</ul>
      <form class="buttons" onSubmit={save}>
        <Field label={text("viewName")}><input value={name} maxLength={60} onInput={(event) => setName(event.currentTarget.value)} /></Field>
        <button type="submit">{text("save")}</button>
      </form>
    </details>
  );
}

const MOST = 10_000; // events in one export; `sundial event list --all` has no bound
const MEMBERS = ["id", "eventType", "status", "targetTimestampUTC", "targetTimestampLocal", "targetTimezone", "priority", "attempt", "failureReason", "executedAt", "latenessMs",
  "endpointId", "scheduleId", "userId", "idempotencyKey", "createdAt", "deliveryPayload"];

async function all(filter: Query): Promise<{ events: Event[]; complete: boolean }> {
  const events: Event[] = [];
  let cursor = "";
  for (;;) {
    const page = await get<EventPage>(`/v1/events${searchOf({ ...filter, limit: "500", cursor })}`);
    events.push(...page.data);
    if (!page.hasMore || page.nextCursor === null) return { events, complete: true };
    if (events.length >= MOST) return { events, complete: false };
    cursor = page.nextCursor;
  }
}

function offer(content: string, type: string, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Saves the events of the whole filter as a file. */
export function Export({ filter }: { filter: Query }) {
  const text = useTexts();
  const [said, setSaid] = useState("");
  const [refusal, setRefusal] = useState<Refusal>();
  const [running, setRunning] = useState(false);
  const save = async (format: "CSV" | "NDJSON") => {
    setRunning(true);
    setRefusal(undefined);
    try {
      const { events, complete } = await all(filter);
      if (format === "CSV") offer(csvOf(events, MEMBERS), "text/csv", "events.csv");
      else offer(events.map((event) => JSON.stringify(event) + "\n").join(""), "application/x-ndjson", "events.ndjson");
      setSaid(text(complete ? "exported" : "exportedPart", { n: events.length }));
    } catch (error) {
      if (error instanceof Refusal) setRefusal(error);
    } finally {
      setRunning(false);
    }
  };
  return (
    <div class="buttons">
      {(["CSV", "NDJSON"] as const).map((format) => (
        <button type="button" key={format} data-export={format} disabled={running} onClick={() => void save(format)}>{text("exportAs", { format })}</button>
      ))}
      <span role="status">{said}</span>
      <Refused refusal={refusal} />
    </div>
  );
}
