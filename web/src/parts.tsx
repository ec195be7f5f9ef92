import { createContext, type ComponentChildren } from "preact";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Session } from "../../clients/typescript/src/schema.ts";
import { get, Refusal, send, serverNow, useLoaded, type Loaded, type Page, type Topic } from "./api.ts";
import { useDisplay, useStateWord, useTexts } from "./display.ts";
import { apart, cliOf, clockTime, countText, curlOf, hrefOf, mayDo, partsOf, relativeTime, searchOf, type Query, type Request, type Role, type ShownZone } from "./logic.ts";
import type { Word } from "./texts/en.ts";

/** The zone of this browser. */
export const VIEWER = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The user of this browser: the role of the key, and whether the server has keys at all. */
export interface Caller {
  role: Role;
  hasKey: boolean;
  /** Tells the shell that the session has changed. */
  changed: (session: Session) => void;
}
export const CallerContext = createContext<Caller>({ role: "READ", hasKey: false, changed: () => {} });
export const useMayDo = (wanted: Role) => mayDo(useContext(CallerContext).role, wanted);

const MARGIN = 8; // px between a hint and the edge of the window

/** All clocks of an instant and its distance from now, in the top layer: nothing around it can cut it off. */
function Clocks({ at, zone, language }: { at: string; zone: string | null | undefined; language: string }) {
  const text = useTexts();
  const tip = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const shown = tip.current, owner = shown?.parentElement;
    if (!shown || !owner) return;
    const place = () => {
      const around = owner.getBoundingClientRect(), { width, height } = shown.getBoundingClientRect();
      const start = document.documentElement.dir === "rtl" ? around.right - width : around.left;
      shown.style.left = `${Math.max(MARGIN, Math.min(start, document.documentElement.clientWidth - width - MARGIN))}px`;
      const fitsBelow = around.bottom + height <= innerHeight || around.top < height;
      shown.style.top = `${fitsBelow ? around.bottom : around.top - height}px`;
    };
    shown.showPopover();
    place();
    addEventListener("scroll", place, { capture: true, passive: true });
    addEventListener("resize", place);
    return () => {
      removeEventListener("scroll", place, { capture: true });
      removeEventListener("resize", place);
    };
  }, []);
  const clocks = [...(zone && zone !== "UTC" ? [[zone, zone]] : []), [`${text("viewer")} (${apart(VIEWER)})`, VIEWER], ["UTC", "UTC"]] as const;
  return (
    <span class="tip" popover="manual" ref={tip}>
      <span><bdi>{relativeTime(at, serverNow(), language)}</bdi></span>
      {clocks.map(([label, its]) => <span key={label}><bdi>{label}</bdi>: <bdi>{clockTime(at, its, language)}</bdi></span>)}
    </span>
  );
}

/** An instant on the chosen clock. Hover and focus show all clocks and the distance from now. */
export function Time({ at, zone, relative = false, clock }: { at: string | null | undefined; zone?: string | null | undefined; relative?: boolean; clock?: ShownZone }) {
  const { language, zone: chosen } = useDisplay();
  const shown = clock ?? chosen;
  const [open, setOpen] = useState(false);
  if (!at) return <Quiet />;
  const zones = { target: zone ?? VIEWER, viewer: VIEWER, utc: "UTC" };
  return (
    <span tabIndex={0} class="time" onMouseEnter={() => setOpen(true)} onFocus={() => setOpen(true)} onBlur={() => setOpen(false)}
      onMouseLeave={({ currentTarget }) => setOpen(currentTarget === document.activeElement)} onKeyDown={({ key }) => { if (key === "Escape") setOpen(false); }}>
      <time dateTime={at}><bdi>{relative ? relativeTime(at, serverNow(), language) : clockTime(at, zones[shown], language)}</bdi></time>
      {open && <Clocks at={at} zone={zone} language={language} />}
    </span>
  );
}

const ICONS: Record<string, [icon: string, tone: string]> = {
  PENDING: ["◷", "blue"], PROCESSING: ["▶", "violet"], COMPLETED: ["✓", "green"], FAILED: ["✕", "red"], CANCELLED: ["⊘", "grey"],
  OPEN: ["✕", "red"], HALF_OPEN: ["◐", "amber"], CLOSED: ["✓", "green"], pass: ["✓", "green"], warn: ["!", "amber"], fail: ["✕", "red"],
  WAITS_RETRY: ["↻", "amber"], WAITS_CIRCUIT: ["‖", "amber"], WAITS_LIMIT: ["‖", "amber"], WAITS_ENDPOINT: ["‖", "amber"],
  VALID: ["✓", "green"], INVALID: ["✕", "red"], MISSING: ["⊘", "grey"], SUCCEEDED: ["✓", "green"], RETRYABLE: ["↻", "amber"], PERMANENT: ["✕", "red"], LOST: ["?", "amber"], LATE: ["!", "amber"], RELEASED: ["↩", "grey"],
  ready: ["✓", "green"], notReady: ["✕", "red"], RUNNING: ["▶", "green"], DRAINING: ["◐", "amber"], SILENT: ["✕", "red"], STOPPED: ["■", "grey"], enabled: ["✓", "green"], disabled: ["⊘", "grey"], paused: ["‖", "amber"],
};

/** A value of the API in the chosen language. */
export function Value({ of }: { of: string }) {
  const word = useStateWord();
  return <>{word(of)}</>;
}

/** A state as colour, icon and word. */
export function State({ of }: { of: string }) {
  const word = useStateWord();
  const [icon, tone] = ICONS[of] ?? ["•", "grey"];
  return <span class={`state ${tone}`} data-state={of}><span aria-hidden="true">{icon}</span> {word(of)}</span>;
}

export function Refused({ refusal, stale = false }: { refusal: Refusal | undefined; stale?: boolean }) {
  const text = useTexts();
  if (!refusal || refusal.status === 401) return null; // the shell asks for a key
  return (
    <div class="refused" role="alert">
      <strong>{refusal.status === 0 ? text("unreachable") : refusal.message || text("unknownError")}</strong>
      {refusal.status !== 0 && <code>{refusal.code}</code>}
      {refusal.problem?.errors?.map((error) => <div key={error.pointer}><code>{error.pointer}</code> {error.message}</div>)}
      {stale && <div>{text("stale")}</div>}
    </div>
  );
}

/** Why a dialog could not count what its action applies to. Counts again when asked to. */
export function NotCounted({ refusal, again }: { refusal: Refusal | undefined; again: () => void }) {
  const text = useTexts();
  return refusal ? <div data-not-counted><Refused refusal={refusal} /><button type="button" onClick={again}>{text("countAgain")}</button></div> : null;
}

/** Whether the shell already says why nothing was loaded: the server or its database is missing. */
const isSaid = (refusal: Refusal | undefined) => refusal?.status === 0 || refusal?.code === "STORAGE_UNAVAILABLE";

/** Shows the loaded data, or the reason why there is none. Old data stays visible below the reason. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const text = useTexts();
  return (
    <>
      {!isSaid(of.refusal) && <Refused refusal={of.refusal} stale={of.data !== undefined} />}
      {of.data !== undefined ? children(of.data) : (!of.refusal || isSaid(of.refusal)) && <p class="quiet" role="status">{text("loading")}</p>}
    </>
  );
}

export function Copy({ what }: { what: string }) {
  const text = useTexts();
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(what).then(() => setCopied(true), () => setCopied(false));
  return <button type="button" class="small" onClick={copy} aria-live="polite">{text(copied ? "copied" : "copy")}</button>;
}

/** Nothing: a dash in a table, and no line at all in the cards of a narrow screen. */
export const Quiet = () => <span class="quiet none">–</span>;

/** A long name may break where its parts end. */
export function Name({ of, most }: { of: string | null | undefined; most?: number }) {
  return <bdi>{partsOf(of ?? "", most).map((part, index) => (index === 0 ? part : <><wbr />{part}</>))}</bdi>;
}

interface Named {
  id: string | null | undefined;
  /** Shown instead of the end of the id. */
  name?: string | undefined;
}

const Short = ({ id, name }: { id: string; name: string | undefined }) => (name ? <Name of={name} /> : <code class="nowrap">{id.slice(-12)}</code>);

/** A link to an object, by its name or the end of its id. */
export function Ref({ page, id, name }: Named & { page: string }) {
  return id ? <a href={hrefOf(page, id)} title={name && id}><Short id={id} name={name} /></a> : <Quiet />;
}

/** A link to a person. */
export const Person = (named: Named) => <Ref page="people" {...named} />;

/** How many objects all pages have together: the server stops counting at a bound and says so. */
export function Total({ of }: { of: { totalCount?: number; totalCountComplete?: boolean } }) {
  const text = useTexts();
  const { language } = useDisplay();
  if (of.totalCount === undefined) return null;
  const n = countText(of.totalCount, language);
  return <p role="status" data-total={of.totalCount} data-complete={of.totalCountComplete}>{text("total", { n: of.totalCountComplete ? n : text("atLeast", { n }) })}</p>;
}

/** The same request elsewhere: every action shows it. */
function Lines({ request }: { request: Request }) {
  const text = useTexts();
  const { hasKey } = useContext(CallerContext);
  const lines = [curlOf(request, location.origin, hasKey), cliOf(request)].filter((line) => line !== undefined);
  return (
    <details class="lines" open>
      <summary>{text("sameAs")}</summary>
      {lines.map((line) => <div class="line" key={line}><code dir="ltr">{line}</code><Copy what={line} /></div>)}
    </details>
  );
}

export interface Action {
  word: Word;
  /** The object of the action. */
  about?: string;
  /** Undefined while what the user has typed makes no request. */
  request: Request | undefined;
  undoable?: boolean;
  /** Further inputs, or the number of objects that the action applies to. */
  children?: ComponentChildren;
  done: (answer: unknown) => void;
  /** Called with a refusal, which the dialog shows too. */
  refused?: (refusal: Refusal) => void;
  close: () => void;
}

/** Asks before an action, shows its lines, and afterwards the refusal if there is one. */
export function ActionDialog({ word, about, request, undoable = false, children, done, refused, close }: Action) {
  const text = useTexts();
  const sent = useRef({ content: "", name: "" });
  const [refusal, setRefusal] = useState<Refusal>();
  const [running, setRunning] = useState(false);
  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!request || running) return;
    setRunning(true);
    // A second click after a lost answer repeats the same request under the same name, so it is done once.
    const content = JSON.stringify(request);
    if (sent.current.content !== content || refusal?.status !== 0) sent.current = { content, name: crypto.randomUUID() };
    try {
      const answer = await send<unknown>({ ...request, name: sent.current.name });
      close();
      done(answer);
    } catch (error) {
      const why = error instanceof Refusal ? error : new Refusal(0, "UNREACHABLE", "");
      setRefusal(why);
      setRunning(false);
      refused?.(why);
    }
  };
  return (
    <Dialog title={text(word)} close={close}>
      <form onSubmit={(event) => void run(event)}>
        {about && <p><bdi>{about}</bdi></p>}
        {children}
        {!undoable && <p class="warning"><span aria-hidden="true">!</span> {text("cannotUndo")}</p>}
        {request && <Lines request={request} />}
        <Refused refusal={refusal} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={!request || running}>{text("confirm")}</button>
          <button type="button" onClick={close}>{text("close")}</button>
        </div>
      </form>
    </Dialog>
  );
}

export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // The element that opened it may be gone after the action.
    return () => { if (before instanceof HTMLElement && before.isConnected) before.focus(); };
  }, []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

/** A button for an action; absent if the caller's role does not allow it. */
export function Act({ word, about, label, role = "WRITE", press }: { word: Word; about?: string; label?: string; role?: Role; press: () => void }) {
  const text = useTexts();
  if (!useMayDo(role)) return null;
  return <button type="button" data-act={word} aria-label={about ? `${text(word)}: ${about}` : undefined} onClick={press}>{label ?? text(word)}</button>;
}

/** An action whose request is known when its button is pressed. */
export interface Offer {
  word: Word;
  about?: string;
  request: Request;
  undoable?: boolean;
  note?: ComponentChildren;
  /** Says what came of it instead of "Done". */
  said?: (answer: unknown) => ComponentChildren;
}

/** The dialog for one action at a time, and a line that says what came of the latest one. */
export function useActions(done: () => void) {
  const text = useTexts();
  const [offer, setOffer] = useState<Offer & { then?: (() => void) | undefined }>();
  const [said, setSaid] = useState<ComponentChildren>("");
  return {
    /** `then`: what follows instead of reading the page again. */
    ask: (next: Offer, then?: () => void) => { setSaid(""); setOffer({ ...next, then }); },
    say: setSaid,
    view: (
      <>
        <div role="status" class={said ? "notice" : ""}>{said}</div>
        {offer && (
          <ActionDialog key={offer.word} word={offer.word} {...(offer.about && { about: offer.about })} request={offer.request} undoable={offer.undoable ?? false}
            close={() => setOffer(undefined)} done={(answer) => { setSaid(offer.said?.(answer) ?? text("done")); (offer.then ?? done)(); }}>
            {offer.note}
          </ActionDialog>
        )}
      </>
    ),
  };
}

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return <label class="field"><span>{label}</span>{children}</label>;
}

/** A table that becomes a list of cards on narrow screens. */
export function Table<T>({ label, columns, rows, id }: { label: string; columns: readonly Column<T>[]; rows: readonly T[]; id: (row: T) => string }) {
  const text = useTexts();
  if (rows.length === 0) return <p class="quiet" data-empty>{text("nothing")}</p>;
  return (
    <div class="scroll" role="region" aria-label={label} tabIndex={0}>
      <table>
        <thead><tr>{columns.map(([word]) => <th key={word} scope="col">{word === "actions" || word === "select" ? <span class="hidden">{text(word)}</span> : text(word)}</th>)}</tr></thead>
        <tbody>{rows.map((row) => (
          <tr key={id(row)} data-id={id(row)}>{columns.map(([word, cell]) => <td key={word} data-label={word === "actions" ? undefined : text(word)}><div>{cell(row)}</div></td>)}</tr>
        ))}</tbody>
      </table>
    </div>
  );
}

export type Column<T> = readonly [word: Word, cell: (row: T) => ComponentChildren];

export type { Page } from "./api.ts";

/** Loads a page of a list by the query of the address. */
export const usePage = <T,>(path: string, query: Query, topics: readonly Topic[] = [], limit = "50") => {
  const search = searchOf({ limit, ...query });
  return useLoaded((signal) => get<Page<T>>(path + search, signal), [path, search], topics);
};

/** Links to the first and the next page of a list. */
export function Pages({ page, id = "", query, of }: { page: string; id?: string; query: Query; of: { hasMore: boolean; nextCursor: string | null } }) {
  const text = useTexts();
  const { cursor, ...filter } = query;
  return (
    <div class="buttons">
      {cursor && <a class="button" href={hrefOf(page, id, filter)}>{text("first")}</a>}
      {of.hasMore && <a class="button" href={hrefOf(page, id, { ...filter, cursor: of.nextCursor ?? "" })}>{text("next")}</a>}
    </div>
  );
}

export function Payload({ value, label }: { value: unknown; label?: string }) {
  const text = useTexts();
  const shown = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return <><pre dir="ltr" tabIndex={0} role="region" aria-label={label ?? text("payload")} class="payload">{shown}</pre><Copy what={shown} /></>;
}

/** Terms and what they mean; entries without content are left out. */
export function Facts({ of }: { of: readonly (readonly [Word, ComponentChildren])[] }) {
  const text = useTexts();
  return <dl>{of.filter(([, content]) => content !== null && content !== undefined && content !== "" && content !== false).map(([word, content]) => <><dt key={word}>{text(word)}</dt><dd>{content}</dd></>)}</dl>;
}
