// Names of objects that a list or an address has by id alone.
import { get, useLoaded } from "./api.ts";
import { nameOf } from "./logic.ts";
import { Ref } from "./parts.tsx";

const PATHS = { schedules: "/v1/schedules", people: "/v1/users", endpoints: "/v1/endpoints" } as const;
export type NamedPage = keyof typeof PATHS;
export interface Reference {
  page: NamedPage;
  id: string | null | undefined;
}

const EVERY = 600_000; // ms: names seldom change
const known = new Map<string, string>();
const keyOf = ({ page, id }: Reference) => `${PATHS[page]}/${encodeURIComponent(id ?? "")}`;

/** The names of objects, each read by its id. A deleted object has none, and one that is not read yet neither. */
export function useNames(of: readonly Reference[]): (reference: Reference) => string | undefined {
  const keys = [...new Set(of.filter(({ id }) => id).map(keyOf))].sort();
  useLoaded(async (signal) => {
    await Promise.all(keys.map(async (key) => {
      const found = await get<Record<string, unknown>>(key, signal).catch(() => undefined);
      const name = nameOf(found);
      if (name) known.set(key, name);
    }));
    return null;
  }, [keys.join()], [], EVERY);
  return (reference) => known.get(keyOf(reference));
}

/** A link to an object by its name; by the end of its id until the name is known. */
export function Named({ page, id }: Reference) {
  const name = useNames([{ page, id }]);
  return <Ref page={page} id={id} name={name({ page, id })} />;
}
