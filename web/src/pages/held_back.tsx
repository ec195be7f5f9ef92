import type { EventPage, StatsHeatmap } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useDisplay, useTexts } from "../display.ts";
import { expectedOf } from "../heat.ts";
import { countText } from "../logic.ts";
import { NotCounted } from "../parts.tsx";

const LISTED = 100; // of the planned events; how many there are is counted exactly

/**
 * Counts the events that would wait for an endpoint that is disabled. A schedule has one planned event, so the forecast
 * adds its later occurrences. The misfire rule of a schedule that is behind decides which of the missed ones follow, so they
 * are not counted.
 */
export function HeldBack({ id }: { id: string }) {
  const text = useTexts();
  const { language } = useDisplay();
  const planned = (to: string) => (signal: AbortSignal) =>
    get<EventPage>(`/v1/events?status=PENDING&endpointId=${encodeURIComponent(id)}&targetTo=${encodeURIComponent(to)}&limit=${LISTED}&count=exact`, signal);
  const overdue = useLoaded(planned("now"), [id]), day = useLoaded(planned("now+24h"), [id]);
  const retries = useLoaded((signal) => get<EventPage>(`/v1/events?status=PROCESSING&waitingFor=RETRY,CIRCUIT,LIMIT&endpointId=${encodeURIComponent(id)}&limit=1&count=exact`, signal), [id]);
  const forecast = useLoaded((signal) => get<StatsHeatmap>(`/v1/stats/heatmap?by=endpointId&from=now&to=${encodeURIComponent("now+24h")}`, signal), [id], [], 60_000);
  const refusal = overdue.refusal ?? day.refusal ?? retries.refusal ?? forecast.refusal;
  const bounded = (n: number, complete: boolean) => (complete ? countText(n, language) : text("atLeast", { n: countText(n, language) }));
  const counted = ({ totalCount = 0, totalCountComplete = false }: EventPage) => bounded(totalCount, totalCountComplete);
  const again = () => { overdue.reload(); day.reload(); retries.reload(); forecast.reload(); };
  if (!overdue.data || !day.data) return <><p role="status">{text(refusal ? "notKnown" : "counting")}</p><NotCounted refusal={refusal} again={again} /></>;
  const behind = overdue.data.data.filter(({ scheduleId }) => scheduleId !== null).length;
  const expected = forecast.data && expectedOf(forecast.data, id);
  const all = expected && { n: Math.round(expected.count) + (overdue.data.totalCount ?? 0), complete: expected.complete && overdue.data.totalCountComplete === true };
  return (
    <>
      <p role="status" data-held-back={day.data.totalCount}>{text("heldBack", { n: counted(day.data), overdue: counted(overdue.data) })}</p>
      {retries.data && (retries.data.totalCount ?? 0) > 0 && <p data-retries={retries.data.totalCount}>{text("waitingRetries", { n: counted(retries.data) })}</p>}
      {all && all.n > (day.data.totalCount ?? 0) && <p data-with-later={all.n}>{text("withLater", { n: bounded(all.n, all.complete) })}</p>}
      {behind > 0 && <p data-behind={behind}>{text("behind", { n: bounded(behind, !overdue.data.hasMore) })}</p>}
      <NotCounted refusal={refusal} again={again} />
    </>
  );
}
