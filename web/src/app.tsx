import "./app.css";
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { session } from "./api.ts";
import { apply, DisplayContext, LANGUAGES, storedDisplay, useTexts, type Display } from "./display.ts";
import { hrefOf, placeOf } from "./logic.ts";
import { EventDetails } from "./pages/event.tsx";
import { Events } from "./pages/events.tsx";
import { Overview } from "./pages/overview.tsx";
import type { Word } from "./texts/en.ts";

/** The pages that exist, in the order of the navigation. */
const PAGES = ["overview", "events"] as const;
const SHORTCUTS: readonly [string, Word][] = [["g o", "goOverview"], ["g e", "goEvents"], ["/", "focusSearch"], ["?", "thisHelp"]];

function usePlace() {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const follow = () => setPlace(placeOf(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}

/** One key, or `g` and a second one, unless the user is typing. */
function useShortcuts(help: () => void) {
  useEffect(() => {
    let before = "";
    const pressed = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea, dialog *");
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
      const keys = before === "g" ? `g ${event.key}` : event.key;
      before = before === "g" ? "" : event.key;
      if (keys === "g o") location.hash = hrefOf("overview");
      else if (keys === "g e") location.hash = hrefOf("events");
      else if (keys === "?") help();
      else if (keys === "/") {
        event.preventDefault();
        document.querySelector<HTMLElement>("input[name=q]")?.focus();
      }
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

function Page({ page, id, query }: ReturnType<typeof placeOf>) {
  const text = useTexts();
  if (page === "overview") return <Overview />;
  if (page === "events") return id ? <EventDetails id={id} key={id} /> : <Events query={query} />;
  return <p>{text("notFound")}</p>;
}

function KeyForm({ used }: { used: () => void }) {
  const text = useTexts();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    session.set(String(new FormData(event.currentTarget as HTMLFormElement).get("key") ?? "").trim());
    used();
  };
  return (
    <form class="key" onSubmit={submit}>
      <h1>{text("keyWanted")}</h1>
      <label class="field"><span>{text("apiKey")}</span><input name="key" type="password" required autoComplete="off" spellcheck={false} dir="ltr" /></label>
      <p class="quiet">{text("keyHint")}</p>
      <button type="submit" class="primary">{text("signIn")}</button>
    </form>
  );
}

function Help({ close }: { close: () => void }) {
  const text = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="help-title">
      <h2 id="help-title">{text("shortcuts")}</h2>
      <dl>{SHORTCUTS.map(([keys, word]) => <><dt key={keys}><kbd>{keys}</kbd></dt><dd>{text(word)}</dd></>)}</dl>
      <button type="button" onClick={close}>{text("close")}</button>
    </dialog>
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

function Shell({ display, change }: { display: Display; change: (next: Partial<Display>) => void }) {
  const text = useTexts();
  const place = usePlace();
  const [keyMissing, setKeyMissing] = useState(false);
  const [help, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  const first = useRef(true);
  session.missing = () => setKeyMissing(true);
  useShortcuts(() => setHelp(true));
  const title = text(place.page === "events" ? (place.id ? "event" : "events") : "overview");
  useEffect(() => {
    document.title = `${title} · Sundial`;
    // Screen readers and the keyboard continue in the new page.
    if (!first.current) main.current?.focus();
    first.current = false;
  }, [place.page, place.id, title]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); main.current?.focus(); }}>{text("skip")}</a>
      <header>
        <a class="name" href={hrefOf("overview")}><span aria-hidden="true">◔</span> Sundial</a>
        <nav>{PAGES.map((page) => <a key={page} href={hrefOf(page)} aria-current={place.page === page ? "page" : undefined}>{text(page)}</a>)}</nav>
        <div class="display" role="group" aria-label={text("settings")}>
          <Choice label={text("timesIn")} value={display.zone} choices={[["target", text("target")], ["viewer", text("viewer")], ["utc", "UTC"]]} choose={(zone) => change({ zone })} />
          <Choice label={text("theme")} value={display.theme} choices={[["auto", text("auto")], ["light", text("light")], ["dark", text("dark")]]} choose={(theme) => change({ theme })} />
          <Choice label={text("language")} value={display.language} choices={Object.entries(LANGUAGES).map(([code, { name }]) => [code, name])} choose={(language) => change({ language })} />
          {session.key && <button type="button" class="small" onClick={() => { session.set(""); setKeyMissing(true); }}>{text("signOut")}</button>}
          <button type="button" class="small" onClick={() => setHelp(true)} aria-label={text("shortcuts")}>?</button>
        </div>
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {keyMissing ? <KeyForm used={() => setKeyMissing(false)} /> : <Page {...place} />}
      </main>
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
