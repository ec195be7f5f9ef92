// Pauses or resumes many schedules. The API changes one schedule at a time, each under the version that was counted.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { Schedule, SchedulePage } from "../../../clients/typescript/src/schema.ts";
import { get, Refusal, send } from "../api.ts";
import { useTexts } from "../display.ts";
import { hrefOf, searchOf, type Query, type Request } from "../logic.ts";
import { Dialog, Field, Lines, Refused, Table } from "../parts.tsx";

const MOST = 500; // schedules in one go: more than that is a job for the command line
const SHOWN = 2; // schedules whose lines are shown

interface BulkPauseProps {
  action: "pause" | "resume";
  filter: Query;
  /** Empty: all that match the filter. */
  ids: ReadonlySet<string>;
  done: (said: ComponentChildren) => void;
  close: () => void;
}

async function matching(filter: Query, signal: AbortSignal): Promise<{ all: Schedule[]; complete: boolean }> {
  const all: Schedule[] = [];
  let cursor = "";
  for (;;) {
    const page = await get<SchedulePage>(`/v1/schedules${searchOf({ ...filter, limit: "100", cursor })}`, signal);
    all.push(...page.data);
    if (!page.hasMore || page.nextCursor === null) return { all, complete: true };
    if (all.length >= MOST) return { all: all.slice(0, MOST), complete: false };
    cursor = page.nextCursor;
  }
}

/** Counts first. Closing the dialog stops after the schedule that is under way. */
export function BulkPause({ action, filter, ids, done, close }: BulkPauseProps) {
  const text = useTexts();
  const [found, setFound] = useState<{ all: Schedule[]; complete: boolean }>();
  const [refusal, setRefusal] = useState<Refusal>();
  const [note, setNote] = useState("");
  const [finished, setFinished] = useState<number>();
  const [refused, setRefused] = useState<{ schedule: Schedule; why: Refusal }[]>([]);
  const ended = useRef(new AbortController());
  useEffect(() => {
    matching(filter, ended.current.signal).then(
      ({ all, complete }) => {
        const picked = all.filter(({ id }) => ids.size === 0 || ids.has(id));
        const hasAll = complete || (ids.size > 0 && picked.length === ids.size);
        setFound({ all: picked.filter((one) => one.enabled === (action === "pause")), complete: hasAll });
      },
      (error: unknown) => { if (!ended.current.signal.aborted && error instanceof Refusal) setRefusal(error); });
    return () => ended.current.abort();
  }, []);
  const words = note.trim();
  const requestOf = (one: Schedule): Request => ({
    method: "PATCH", path: `/v1/schedules/${one.id}`, version: one.version, body: { enabled: action === "resume", ...(action === "pause" && words && { note: words }) },
    cli: ["schedule", action, one.id, ...(action === "pause" && words ? ["--note", words] : []), "--if-match", String(one.version)],
  });
  const all = found?.all ?? [];
  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    if (finished !== undefined) return;
    const failures: typeof refused = [];
    setFinished(0);
    for (const [index, schedule] of all.entries()) {
      if (ended.current.signal.aborted) return;
      try {
        await send<Schedule>(requestOf(schedule));
      } catch (error) {
        failures.push({ schedule, why: error instanceof Refusal ? error : new Refusal(0, "UNREACHABLE", "") });
        setRefused([...failures]);
      }
      setFinished(index + 1);
    }
    done(text("bulkDone", { done: all.length - failures.length, n: all.length }));
    if (failures.length === 0) close();
  };
  const isOver = finished !== undefined && finished === all.length;
  return (
    <Dialog title={text(action)} close={close}>
      <form onSubmit={(event) => void run(event)}>
        <Refused refusal={refusal} />
        {!refusal && <p role="status" data-count={found && all.length}>{found ? text("schedulesCounted", { n: all.length }) : text("counting")}</p>}
        {found && !found.complete && <p class="warning"><span aria-hidden="true">!</span> {text("onlyFirst", { n: MOST })}</p>}
        {action === "pause" && <p>{text("pauseHint")}</p>}
        {action === "pause" && <Field label={text("note")}><input name="note" maxLength={1000} value={note} onInput={(event) => setNote(event.currentTarget.value)} /></Field>}
        {finished !== undefined && <p role="status"><progress aria-label={text("progress")} max={Math.max(all.length, 1)} value={finished} /> <bdi>{finished} / {all.length}</bdi></p>}
        {refused.length > 0 && <Table label={text("errors")} rows={refused} id={({ schedule }) => schedule.id} columns={[
          ["schedule", ({ schedule }) => <a href={hrefOf("schedules", schedule.id)}><bdi>{schedule.eventType}</bdi></a>],
          ["reason", ({ why }) => <>{why.status === 0 ? text("unreachable") : why.message} {why.status !== 0 && <code>{why.code}</code>}</>],
        ]} />}
        {!isOver && all.length > 0 && <Lines requests={all.slice(0, SHOWN).map(requestOf)} more={all.length - SHOWN} />}
        <div class="buttons">
          {!isOver && <button type="submit" class="primary" disabled={all.length === 0 || finished !== undefined}>{text("confirm")}</button>}
          <button type="button" onClick={close}>{text("close")}</button>
        </div>
      </form>
    </Dialog>
  );
}
