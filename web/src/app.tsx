import "./app.css";
import type { ComponentChildren } from "preact";
import { render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Session } from "../../clients/typescript/src/schema.ts";
import { connection, findSession, logIn, logOut, openLive, readClock, Refusal, session, useLoaded } from "./api.ts";
import { apply, DisplayContext, LANGUAGES, storedDisplay, useTexts, type Display } from "./display.ts";
import { hrefOf, placeOf, type Place } from "./logic.ts";
import { Configuration } from "./pages/configuration.tsx";
import { DeadLetters } from "./pages/dead_letters.tsx";
import { Endpoint, Endpoints } from "./pages/endpoints.tsx";
import { EventDetails } from "./pages/event.tsx";
import { Events } from "./pages/events.tsx";
import { InboxAndClock } from "./pages/inbox.tsx";
import { Instances } from "./pages/instances.tsx";
import { Keys } from "./pages/keys.tsx";
import { Locks } from "./pages/locks.tsx";
import { Occurrences } from "./pages/occurrences.tsx";
import { Operation, Operations } from "./pages/operations.tsx";
import { Overview } from "./pages/overview.tsx";
import { People, PersonDetails } from "./pages/people.tsx";
import { Reference } from "./pages/reference.tsx";
import { EditSchedule, NewSchedule } from "./pages/schedule_form.tsx";
import { Schedule, Schedules } from "./pages/schedules.tsx";
import { StreamEvents, Streams } from "./pages/streams.tsx";
import { Timeline } from "./pages/timeline.tsx";
import { Zones } from "./pages/zones.tsx";
import { CallerContext, Dialog, Refused, Shown, Time } from "./parts.tsx";
import type { Word } from "./texts/en.ts";

/** The pages in the order of the navigation, each with the key that opens it after `g`. */
const PAGES: Record<string, { key: string; page: (place: Place) => ComponentChildren }> = {
  overview: { key: "o", page: () => <Overview /> },
  timeline: { key: "h", page: ({ query }) => <Timeline query={query} /> },
  events: { key: "e", page: ({ id, query }) => (id ? <EventDetails id={id} key={id} /> : <Events query={query} />) },
  deadLetters: { key: "d", page: ({ query }) => <DeadLetters query={query} /> },
  occurrences: { key: "n", page: ({ query }) => <Occurrences query={query} /> },
  schedules: { key: "s", page: ({ id, query }) => (id === "new" ? <NewSchedule /> : id && query.edit ? <EditSchedule id={id} key={id} /> : id ? <Schedule id={id} query={query} key={id} /> : <Schedules query={query} />) },
  people: { key: "p", page: ({ id, query }) => (id ? <PersonDetails id={id} query={query} key={id} /> : <People query={query} />) },
  endpoints: { key: "t", page: ({ id, query }) => (id ? <Endpoint id={id} key={id} /> : <Endpoints query={query} />) },
  operations: { key: "r", page: ({ id, query }) => (id ? <Operation id={id} key={id} /> : <Operations query={query} />) },
  streams: { key: "m", page: ({ id, query }) => (id ? <StreamEvents id={id} query={query} key={id} /> : <Streams query={query} />) },
  locks: { key: "l", page: ({ query }) => <Locks query={query} /> },
  zones: { key: "z", page: ({ query }) => <Zones query={query} /> },
  instances: { key: "i", page: () => <Instances /> },
  inboxAndClock: { key: "b", page: () => <InboxAndClock /> },
  keys: { key: "k", page: ({ query }) => <Keys query={query} /> },
  configuration: { key: "c", page: ({ query }) => <Configuration query={query} /> },
  reference: { key: "a", page: ({ query }) => <Reference query={query} /> },
};

/** Suggestions for fields of zones: the names that the browser knows. */
const ZONES = Intl.supportedValuesOf("timeZone");

function useHash() {
  const [hash, setHash] = useState(() => location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return hash;
}

/** One key, or `g` and a second one, unless the user is typing. */
function useShortcuts(help: () => void) {
  useEffect(() => {
    let before = "";
    const pressed = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input:not([type=checkbox]), select, textarea, dialog, dialog *");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const chosen = before === "g" ? Object.entries(PAGES).find(([, { key }]) => key === event.key) : undefined;
      before = before === "g" ? "" : event.key;
      if (chosen) location.hash = hrefOf(chosen[0]);
      else if (event.key === "?") help();
      else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("form[role=search] input:last-of-type, form[role=search] input")?.focus();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** Asks for a key: for the first time, or because the session has ended. */
function KeyForm({ ended, used }: { ended: boolean; used: (session: Session) => void }) {
  const text = useTexts();
  const [refusal, setRefusal] = useState<Refusal>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    try {
      used(await logIn(String(new FormData(form).get("key") ?? "").trim()));
    } catch (error) {
      if (error instanceof Refusal) setRefusal(error);
    }
  };
  return (
    <form class="key" onSubmit={(event) => void submit(event)}>
      <h1>{text(ended ? "sessionEnded" : "keyWanted")}</h1>
      {ended && <p role="alert" data-session-ended>{text("sessionEndedHint")}</p>}
      <label class="field"><span>{text("apiKey")}</span><input name="key" type="password" required autoComplete="off" spellcheck={false} dir="ltr" /></label>
      <p class="quiet">{text("keyHint")}</p>
      {refusal?.status === 401 ? <div class="refused" role="alert"><strong>{text("keyRefused")}</strong></div> : <Refused refusal={refusal} />}
      <button type="submit" class="primary">{text("signIn")}</button>
    </form>
  );
}

function Help({ close }: { close: () => void }) {
  const text = useTexts();
  return (
    <Dialog title={text("shortcuts")} close={close}>
      <dl>
        {Object.entries(PAGES).map(([page, { key }]) => <><dt key={page}><span dir="ltr"><kbd>g</kbd> <kbd>{key}</kbd></span></dt><dd>{text(page as Word)}</dd></>)}
        <dt><kbd>/</kbd></dt><dd>{text("focusSearch")}</dd>
        <dt><kbd>?</kbd></dt><dd>{text("thisHelp")}</dd>
        <dt><kbd>Esc</kbd></dt><dd>{text("close")}</dd>
      </dl>
      <button type="button" onClick={close}>{text("close")}</button>
    </Dialog>
  );
}

function Choice<T extends string>({ label, value, choices, choose }: { label: string; value: T; choices: readonly [T, string][]; choose: (value: T) => void }) {
  return (
    <label class="choice"><span>{label}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value as T)}>
        {choices.map(([one, name]) => <option key={one} value={one}>{name}</option>)}
      </select>
    </label>
  );
}

/** Says once for the whole page that the server or its database is missing; the parts keep what they have. */
function Lost() {
  const text = useTexts();
  const [, changed] = useState(0);
  useEffect(() => connection.onChange(() => changed((count) => count + 1)), []);
  return (
    <div role="alert" class={connection.missing ? "lost" : ""} data-lost={connection.missing}>
      {connection.missing && <><span aria-hidden="true">⚠</span> {text(connection.missing === "server" ? "unreachable" : "noDatabase")} ({text("since")} <Time at={new Date(connection.since).toISOString()} />)</>}
    </div>
  );
}

/** Tells the pages who uses them, reads the clock of the server and follows changes. */
function Signed({ found, changed, children }: { found: Session; changed: (session: Session) => void; children: ComponentChildren }) {
  useLoaded(readClock, [], [], 60_000);
  useEffect(openLive, []);
  return <CallerContext.Provider value={{ role: found.role, hasKey: found.key !== null, changed }}>{children}</CallerContext.Provider>;
}

function Shell({ display, change }: { display: Display; change: (next: Partial<Display>) => void }) {
  const text = useTexts();
  const hash = useHash();
  const place = useMemo(() => placeOf(hash), [hash]);
  const [found, setFound] = useState<Session>();
  const [keyMissing, setKeyMissing] = useState<"ended" | "wanted">();
  const [help, setHelp] = useState(false);
  const [menu, setMenu] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  const asked = useLoaded(findSession, [], [], 600_000);
  // Several requests may be refused at once; the first one knows whether there was a session.
  session.missing = () => { setFound(undefined); setKeyMissing((before) => before ?? (found ? "ended" : "wanted")); };
  useShortcuts(() => setHelp(true));
  useEffect(() => { if (asked.data) { setFound(asked.data); setKeyMissing(undefined); } }, [asked.data]);
  const known = PAGES[place.page];
  const title = known ? text(place.page as Word) : text("notFound");
  useEffect(() => {
    document.title = `${title} · Sundial`;
    setMenu(false);
    // Screen readers and the keyboard continue in the new page.
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [place.page, place.id]);
  const leave = () => void logOut().then(() => { setFound(undefined); setKeyMissing("wanted"); }, () => {}); // a failed request has ended no session
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>{text("skipToContent")}</a>
      <header>
        <a class="name" href={hrefOf("overview")}><span aria-hidden="true">◔</span> Sundial</a>
        <button type="button" class="small menu" aria-expanded={menu} aria-controls="pages display" onClick={() => setMenu(!menu)}>{text("pages")}</button>
        <div id="display" class={menu ? "display open" : "display"} role="group" aria-label={text("settings")}>
          {found?.role === "READ" && <span class="state amber"><span aria-hidden="true">⊘</span> {text("readOnly")}</span>}
          <Choice label={text("timesIn")} value={display.zone} choices={[["target", text("target")], ["viewer", text("viewer")], ["utc", "UTC"]]} choose={(zone) => change({ zone })} />
          <Choice label={text("theme")} value={display.theme} choices={[["auto", text("auto")], ["light", text("light")], ["dark", text("dark")]]} choose={(theme) => change({ theme })} />
          <Choice label={text("language")} value={display.language} choices={Object.entries(LANGUAGES).map(([code, { name }]) => [code, name])} choose={(language) => change({ language })} />
          {found?.key && <button type="button" class="small" onClick={leave}>{text("signOut")}</button>}
          <button type="button" class="small" onClick={() => setHelp(true)} aria-label={text("shortcuts")}>?</button>
        </div>
      </header>
      <div class="body">
        <nav id="pages" class={menu ? "open" : ""} aria-label={text("pages")}>
          {Object.keys(PAGES).map((page) => <a key={page} href={hrefOf(page)} aria-current={place.page === page ? "page" : undefined}>{text(page as Word)}</a>)}
        </nav>
        <main id="main" ref={main} tabIndex={-1} data-place={hash}>
          <Lost />
          {keyMissing ? <KeyForm ended={keyMissing === "ended"} used={(now) => { setFound(now); setKeyMissing(undefined); }} /> : found ? (
            <Signed found={found} changed={setFound}>{known ? known.page(place) : <p>{text("notFound")}</p>}</Signed>
          ) : <Shown of={{ ...asked, data: undefined }}>{() => null}</Shown>}
        </main>
      </div>
      <datalist id="zone-names">{ZONES.map((zone) => <option key={zone} value={zone} />)}</datalist>
      {help && <Help close={() => setHelp(false)} />}
    </>
  );
}

function App() {
  const [display, setDisplay] = useState(storedDisplay);
  apply(display);
  return (
    <DisplayContext.Provider value={display}>
      <Shell display={display} change={(next) => setDisplay({ ...display, ...next })} />
    </DisplayContext.Provider>
  );
}

render(<App />, document.body);
