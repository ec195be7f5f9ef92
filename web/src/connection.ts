// Whether the server answers, and how long to wait before the next try.

export type Missing = "server" | "database";

/** Delay after `failures` failed requests in a row: 1 s, 2 s, 4 s and so on, at most 15 s. */
export const retryDelay = (failures: number) => Math.min(1000 * 2 ** (failures - 1), 15_000);

export class Connection {
  missing: Missing | undefined;
  /** When the first of the failed requests failed, in ms since 1970. */
  since = 0;
  private readonly changed = new Set<() => void>();
  private readonly returned = new Set<() => void>();

  failed(what: Missing) {
    if (this.missing === undefined) this.since = Date.now();
    if (this.missing === what) return;
    this.missing = what;
    this.changed.forEach((tell) => tell());
  }

  answered() {
    if (this.missing === undefined) return;
    this.missing = undefined;
    this.changed.forEach((tell) => tell());
    this.returned.forEach((tell) => tell());
  }

  onChange(tell: () => void): () => void {
    this.changed.add(tell);
    return () => this.changed.delete(tell);
  }

  /** Called when the server answers again. */
  onReturn(tell: () => void): () => void {
    this.returned.add(tell);
    return () => this.returned.delete(tell);
  }
}
