import { useState } from "preact/hooks";
import type { CalendarPage, CreatedCalendar } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { searchOf } from "../logic.ts";
import { Act, ActionDialog, Copy, Field, Person, Ref, Shown, Table, Time, useActions } from "../parts.tsx";

const LISTED = "50";

/** The calendar feeds of a schedule. A new one shows its address once. */
export function Calendars({ scheduleId, mayAdd }: { scheduleId: string; mayAdd: boolean }) {
  const text = useTexts();
  const page = useLoaded((signal) => get<CalendarPage>(`/v1/calendars${searchOf({ scheduleId, limit: LISTED })}`, signal), [scheduleId]);
  const actions = useActions(page.reload);
  const [adding, setAdding] = useState(false);
  const [name, setName] = useState("");
  const made = ({ path }: CreatedCalendar) => {
    const address = location.origin + path;
    actions.say(<><p>{text("shownOnce")}</p><p><code data-feed dir="ltr">{address}</code> <Copy what={address} /></p></>);
    page.reload();
  };
  return (
    <section data-calendars>
      <h2>{text("calendars")}</h2>
      {mayAdd && <div class="buttons"><Act word="addCalendar" press={() => setAdding(true)} /></div>}
      {actions.view}
      {adding && (
        <ActionDialog word="addCalendar" undoable close={() => setAdding(false)} done={(answer) => made(answer as CreatedCalendar)}
          request={{ method: "POST", path: "/v1/calendars", body: { scheduleId, ...(name.trim() && { name: name.trim() }) }, cli: ["calendar", "add", "--schedule", scheduleId, ...(name.trim() ? ["--name", name.trim()] : [])] }}>
          <p>{text("addCalendarHint")}</p>
          <Field label={text("name")}><input name="name" maxLength={255} value={name} onInput={(event) => setName(event.currentTarget.value)} /></Field>
        </ActionDialog>
      )}
      <Shown of={page}>{({ data }) => <Table label={text("calendars")} rows={data} id={({ id }) => id} columns={[
        ["name", ({ name: its }) => <bdi>{its}</bdi>],
        ["schedule", ({ scheduleId: of }) => <Ref page="schedules" id={of} />],
        ["user", ({ userId: of }) => <Person id={of} />],
        ["created", ({ createdAt }) => <Time at={createdAt} />],
        ["expires", ({ expiresAt }) => <Time at={expiresAt} />],
        ["actions", (one) => <Act word="revoke" about={one.name} press={() => actions.ask({ word: "revoke", about: one.name, request: { method: "DELETE", path: `/v1/calendars/${one.id}`, cli: ["calendar", "revoke", one.id] } })} />],
      ]} />}</Shown>
    </section>
  );
}
