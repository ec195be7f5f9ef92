// Pauses, resumes, tags or deletes many schedules, as one operation of the server.
import { useEffect, useState } from "preact/hooks";
import type { Operation, ScheduleBulkPreview, ScheduleBulkRequest } from "../../../clients/typescript/src/schema.ts";
import { Refusal, send } from "../api.ts";
import { useTexts } from "../display.ts";
import { hrefOf, scheduleBulkCommand, scheduleBulkFilter, type Query, type Request } from "../logic.ts";
import { ActionDialog, Field, NotCounted, Table } from "../parts.tsx";

export type ScheduleAction = ScheduleBulkRequest["action"];
const WORDS = { pause: "pause", resume: "resume", tag: "changeTags", delete: "bulkDelete" } as const;
export const SCHEDULE_ACTIONS = ["pause", "resume", "tag", "delete"] as const satisfies readonly ScheduleAction[];
export const wordOf = (action: ScheduleAction) => WORDS[action];

const tagsOf = (words: string) => words.split(",").map((tag) => tag.trim()).filter((tag) => tag !== "");

interface BulkSchedulesProps {
  action: ScheduleAction;
  filter: Query;
  /** Empty: all that match the filter. */
  ids: readonly string[];
  done: (operation: Operation) => void;
  close: () => void;
}

/** Counts first, by a dry run. */
export function BulkSchedules({ action, filter, ids, done, close }: BulkSchedulesProps) {
  const text = useTexts();
  const [preview, setPreview] = useState<ScheduleBulkPreview>();
  const [refusal, setRefusal] = useState<Refusal>();
  const [tries, setTries] = useState(0);
  const [note, setNote] = useState("");
  const [added, setAdded] = useState("");
  const [removed, setRemoved] = useState("");
  const selection = ids.length > 0 ? { ids: [...ids] } : { filter: scheduleBulkFilter(action, filter) };
  const addTags = tagsOf(added), removeTags = tagsOf(removed), words = note.trim();
  const body: ScheduleBulkRequest = {
    action, ...selection, ...(action === "pause" && words && { note: words }),
    ...(addTags.length > 0 && { addTags }), ...(removeTags.length > 0 && { removeTags }),
  };
  const incomplete = action === "tag" && addTags.length + removeTags.length === 0;
  useEffect(() => {
    const ended = new AbortController();
    // The count depends on the selection only. A change of tags needs at least one tag.
    const counted = { action: action === "tag" ? "delete" : action, ...selection, dryRun: true };
    send<ScheduleBulkPreview>({ method: "POST", path: "/v1/schedules/bulk", body: counted }, ended.signal)
      .then(setPreview, (error: unknown) => { if (!ended.signal.aborted && error instanceof Refusal) setRefusal(error); });
    return () => ended.abort();
  }, [tries]);
  const request: Request | undefined = preview && preview.count > 0 && !incomplete
    ? { method: "POST", path: "/v1/schedules/bulk", body, cli: scheduleBulkCommand(action, filter, ids, { note: action === "pause" ? words : "", addTags, removeTags }) } : undefined;
  return (
    <ActionDialog word={wordOf(action)} request={request} undoable={action !== "delete"} done={(answer) => done(answer as Operation)} close={close}>
      <NotCounted refusal={refusal} again={() => { setRefusal(undefined); setTries(tries + 1); }} />
      {!refusal && <p role="status" data-count={preview?.count}>{preview ? text("schedulesCounted", { n: preview.count }) : text("counting")}</p>}
      {preview && preview.samples.length > 0 && <Table label={text("samples")} rows={preview.samples} id={({ id }) => id} columns={[
        ["type", ({ id, eventType }) => <a href={hrefOf("schedules", id)}><bdi>{eventType}</bdi></a>],
        ["externalId", ({ externalId }) => externalId && <code>{externalId}</code>],
        ["tags", ({ tags }) => <bdi>{tags.join(", ")}</bdi>],
      ]} />}
      {action === "pause" && <p>{text("pauseHint")}</p>}
      {action === "delete" && <p>{text("deleteScheduleHint")}</p>}
      {action === "pause" && <Field label={text("note")}><input name="note" maxLength={1000} value={note} onInput={(event) => setNote(event.currentTarget.value)} /></Field>}
      {action === "tag" && (
        <>
          <Field label={text("addTags")}><input name="addTags" value={added} onInput={(event) => setAdded(event.currentTarget.value)} /></Field>
          <Field label={text("removeTags")}><input name="removeTags" value={removed} onInput={(event) => setRemoved(event.currentTarget.value)} /></Field>
        </>
      )}
    </ActionDialog>
  );
}
