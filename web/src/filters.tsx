// The form above a list: its fields and marks are the query of the page's address.
import { useStateWord, useTexts } from "./display.ts";
import { hrefOf, searchOf, type Query } from "./logic.ts";
import { useNames, type NamedPage } from "./names.tsx";
import { Field } from "./parts.tsx";
import type { Word } from "./texts/en.ts";

export interface Filter {
  name: string;
  word: Word;
  choices?: readonly string[];
  hint?: string;
  /** Values that the field suggests. */
  suggest?: readonly (string | null | undefined)[] | undefined;
}

const ZONE_FIELDS = ["timezone", "targetTimezone"];

/** Members that are shown as marks: a link has set them, and a field has no room for an id. */
const MARKED: Record<string, { word: Word; page?: NamedPage }> = {
  scheduleId: { word: "schedule", page: "schedules" }, endpointId: { word: "endpoint", page: "endpoints" }, userId: { word: "user", page: "people" },
  executedFrom: { word: "executedFrom" }, executedTo: { word: "executedTo" }, dismissed: { word: "dismissed" }, lateExecution: { word: "LATE" }, idempotencyKey: { word: "key" }, perUser: { word: "ofEachUser" },
};

interface MarksProps {
  page: string;
  query: Query;
}

/** What else the list is filtered by, with names instead of ids. Each mark can be removed. */
function Marks({ page, query }: MarksProps) {
  const text = useTexts();
  const word = useStateWord();
  const marked = Object.entries(MARKED).flatMap(([name, of]) => (query[name] ? [{ name, ...of, value: query[name] }] : []));
  const names = useNames(marked.flatMap(({ page, value }) => (page ? [{ page, id: value }] : [])));
  if (marked.length === 0) return null;
  return (
    <ul class="chips">{marked.map(({ name, word: label, page: named, value }) => (
      <li key={name} data-mark={name}>
        {text(label)}: <bdi>{(named && names({ page: named, id: value })) ?? word(value)}</bdi>{" "}
        <a class="button small" href={hrefOf(page, "", { ...query, [name]: "" })} aria-label={`${text("remove")}: ${text(label)}`}>×</a>
      </li>
    ))}</ul>
  );
}

/** A form whose fields are the query of the page's address. Members of the query without a field stay. */
export function Filters({ page, query, filters }: { page: string; query: Query; filters: readonly Filter[] }) {
  const text = useTexts();
  const word = useStateWord();
  const { cursor: _, ...kept } = query;
  const fields = filters.filter(({ name }) => !(name in MARKED && kept[name]));
  const apply = (submitted: SubmitEvent) => {
    submitted.preventDefault();
    const form = new FormData(submitted.currentTarget as HTMLFormElement);
    const next: Record<string, string> = { ...kept };
    for (const { name } of fields) next[name] = String(form.get(name) ?? "").trim();
    location.hash = hrefOf(page, "", next);
  };
  /** An address may name several values, which are one more choice. */
  const choicesOf = ({ name, choices = [] }: Filter) => (kept[name] && !choices.includes(kept[name]) ? [kept[name], ...choices] : choices);
  return (
    <>
      <form class="filters" role="search" onSubmit={apply} key={searchOf(kept)}>
        {fields.map((field) => {
          const { name, word: label, choices, hint, suggest } = field;
          return (
            <Field label={text(label)} key={name}>
              {choices ? (
                <select name={name}>
                  <option value="">{text("any")}</option>
                  {choicesOf(field).map((choice) => <option key={choice} value={choice} selected={kept[name] === choice}>{choice.split(",").map(word).join(", ")}</option>)}
                </select>
              ) : <input name={name} defaultValue={kept[name] ?? ""} dir="auto" placeholder={hint ?? ""} list={ZONE_FIELDS.includes(name) ? "zone-names" : suggest ? `suggest-${name}` : undefined} />}
              {suggest && <datalist id={`suggest-${name}`}>{[...new Set(suggest)].filter(Boolean).map((value) => <option key={value} value={value ?? ""} />)}</datalist>}
            </Field>
          );
        })}
        <div class="buttons"><button type="submit" class="primary">{text("apply")}</button><a class="button" href={hrefOf(page)}>{text("clear")}</a></div>
      </form>
      <Marks page={page} query={kept} />
    </>
  );
}
