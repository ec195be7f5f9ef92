// Names of objects that a list or an address has by id alone.
import { get, Refusal, useLoaded } from "./api.ts";
import { nameOf } from "./logic.ts";
import { Ref } from "./parts.tsx";

const PATHS = { schedules: "/v1/schedules", people: "/v1/users", endpoints: "/v1/endpoints" } as const;
export type NamedPage = keyof typeof PATHS;
export interface Reference {
  page: NamedPage;
  id: string | null | undefined;
}

const EVERY = 600_000; // ms: names seldom change
const FRESH = 60_000; // ms: paging and changes of a filter show the same objects again
const known = new Map<string, string>();
const readAt = new Map<string, number>(); // ms: when a name was last asked for, also if there was none
const NAMELESS = [400, 404, 422]; // deleted, or the address has an id that is none
const keyOf = ({ page, id }: Reference) => `${PATHS[page]}/${encodeURIComponent(id ?? "")}`;

/**
 * The names of objects. A deleted object has none, and one that is not read yet neither. The API has no list by ids, so
 * each object is read by itself; one that was read in the last minute is not read again.
 */
export function useNames(of: readonly Reference[]): (reference: Reference) => string | undefined {
  const keys = [...new Set(of.filter(({ id }) => id).map(keyOf))].sort();
  useLoaded(async (signal) => {
    const unread = keys.filter((key) => (readAt.get(key) ?? -FRESH) + FRESH <= performance.now());
    await Promise.all(unread.map(async (key) => {
      const found = await get<Record<string, unknown>>(key, signal).catch((error: unknown) => {
        if (error instanceof Refusal && NAMELESS.includes(error.status)) return undefined;
        throw error; // asked again soon
      });
      const name = nameOf(found);
      if (name) known.set(key, name);
      else known.delete(key);
      readAt.set(key, performance.now());
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
