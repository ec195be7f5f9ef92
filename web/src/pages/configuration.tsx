import type { Settings } from "../../../clients/typescript/src/schema.ts";
import { get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import { hrefOf, type Query } from "../logic.ts";
import { Quiet, Shown, Table, useMayDo } from "../parts.tsx";

type Setting = Settings["data"][number];

const isFound = ({ key, origin, help }: Setting, part: string) => [key, origin, help].some((words) => words.toLowerCase().includes(part));

/** The settings of the process that answers: each with its value, where it comes from and what it is for. */
export function Configuration({ query }: { query: Query }) {
  const text = useTexts();
  const isAdmin = useMayDo("ADMIN");
  const settings = useLoaded((signal) => (isAdmin ? get<Settings>("/v1/settings", signal) : Promise.resolve({ data: [] })), [isAdmin], [], 600_000);
  const part = (query.q ?? "").toLowerCase();
  const onlyGiven = query.show === "given";
  return (
    <>
      <h1>{text("configuration")}</h1>
      {!isAdmin ? <p>{text("needsAdmin")}</p> : (
        <>
          <p>{text("configurationHint")}</p>
          <nav class="tabs" aria-label={text("show")}>
            <a href={hrefOf("configuration", "", { q: query.q ?? "" })} aria-current={onlyGiven ? undefined : "true"}>{text("allSettings")}</a>
            <a href={hrefOf("configuration", "", { q: query.q ?? "", show: "given" })} aria-current={onlyGiven ? "true" : undefined}>{text("givenSettings")}</a>
          </nav>
          <Filters page="configuration" query={query} filters={[{ name: "q", word: "searchZone", hint: "http" }]} />
          <Shown of={settings}>{({ data }) => (
            <Table label={text("configuration")} rows={data.filter((setting) => isFound(setting, part) && !(onlyGiven && setting.origin === "default"))} id={({ key }) => key} columns={[
              ["setting", ({ key, help }) => <><code dir="ltr">{key}</code><div class="quiet" dir="auto">{help}</div></>],
              ["value", ({ value }) => (value === "" ? <Quiet /> : <code dir="ltr">{value}</code>)],
              ["origin", ({ origin }) => origin === "default" ? <span class="quiet">{text("byDefault")}</span> : <strong data-origin={origin}><bdi>{origin}</bdi></strong>],
            ]} />
          )}</Shown>
        </>
      )}
    </>
  );
}
