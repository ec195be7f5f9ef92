import type { HeldLock } from "../../../clients/typescript/src/schema.ts";
import { useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import type { Query } from "../logic.ts";
import { Name, Pages, Shown, Table, Time, usePage } from "../parts.tsx";

/** Has no action: only the holder has the token that releases a lock. */
export function Locks({ query }: { query: Query }) {
  const text = useTexts();
  const page = usePage<HeldLock>("/v1/locks", query);
  return (
    <>
      <h1>{text("locks")}</h1>
      <Filters page="locks" query={query} filters={[{ name: "q", word: "searchName" }]} />
      <Shown of={page}>{(found) => (
        <>
          <Table label={text("locks")} rows={found.data} id={({ name }) => name} columns={[
            ["name", ({ name }) => <code><Name of={name} /></code>],
            ["holder", ({ holder }) => <Name of={holder} />],
            ["acquired", ({ acquiredAt }) => <Time at={acquiredAt} relative />],
            ["expires", ({ expiresAt }) => <Time at={expiresAt} relative />],
            ["fencingToken", ({ fencingToken }) => fencingToken],
          ]} />
          <Pages page="locks" query={query} of={found} />
          <p class="quiet">{text("locksHint")}</p>
        </>
      )}</Shown>
    </>
  );
}
