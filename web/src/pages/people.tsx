import type { User } from "../../../clients/typescript/src/schema.ts";
import { useTexts } from "../display.ts";
import { hrefOf, type Query } from "../logic.ts";
import { Filters, Pages, Shown, Table, usePage } from "../parts.tsx";

export function People({ query }: { query: Query }) {
  const text = useTexts();
  const page = usePage<User>("/v1/users", query, ["users"]);
  return (
    <>
      <h1>{text("people")}</h1>
      <Filters page="people" query={query} filters={[
        { name: "timezone", word: "zone", hint: "Europe/Berlin" }, { name: "birthMonth", word: "birthMonth", hint: "1–12" }, { name: "birthDay", word: "birthDay", hint: "1–31" }, { name: "q", word: "searchName" }]} />
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("people")} rows={found.data} id={({ id }) => id} columns={[
            ["name", ({ firstName, lastName }) => <bdi>{firstName} {lastName}</bdi>],
            ["born", ({ dateOfBirth }) => dateOfBirth],
            ["zone", ({ timezone }) => <bdi>{timezone}</bdi>],
            ["id", ({ id, externalId }) => <code>{externalId ? `ext:${externalId}` : id}</code>],
            ["events", ({ id }) => <a href={hrefOf("events", "", { userId: id })}>{text("events")}</a>],
          ]} />
          <Pages page="people" query={query} of={found} />
        </>
      )}</Shown>
    </>
  );
}
