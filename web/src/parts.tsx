import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Refusal, send, session, type Loaded } from "./api.ts";
import { useDisplay, useStateWord, useTexts } from "./display.ts";
import { cliOf, clockTime, curlOf, relativeTime, type Request } from "./logic.ts";
import type { Word } from "./texts/en.ts";

const viewerZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** An instant on the chosen clock. The other clocks and the distance from now are its title, shown on focus too. */
export function Time({ at, zone, relative = false }: { at: string | null; zone?: string | undefined; relative?: boolean }) {
  const { language, zone: shown } = useDisplay();
  const text = useTexts();
  if (at === null) return <span class="quiet">–</span>;
  const target = zone ?? viewerZone;
  const zones = { target, viewer: viewerZone, utc: "UTC" };
  const lines = [
    ...(zone ? [`${zone}: ${clockTime(at, zone, language)}`] : []),
    `${text("viewer")} (${viewerZone}): ${clockTime(at, viewerZone, language)}`,
    `UTC: ${clockTime(at, "UTC", language)}`,
  ];
  const distance = relativeTime(at, Date.now(), language);
  return (
    <time dateTime={at} tabIndex={0} class="time" aria-label={[distance, ...lines].join(", ")}>
      <bdi>{relative ? distance : clockTime(at, zones[shown], language)}</bdi>
      <span class="tip" role="tooltip">{[distance, ...lines].map((line) => <span key={line}>{line}</span>)}</span>
    </time>
  );
}

const ICONS: Record<string, [icon: string, tone: string]> = {
  PENDING: ["◷", "blue"], PROCESSING: ["▶", "violet"], COMPLETED: ["✓", "green"], FAILED: ["✕", "red"], CANCELLED: ["⊘", "grey"],
  OPEN: ["✕", "red"], HALF_OPEN: ["◐", "amber"], CLOSED: ["✓", "green"], pass: ["✓", "green"], warn: ["!", "amber"], fail: ["✕", "red"],
  SUCCEEDED: ["✓", "green"], RETRYABLE: ["↻", "amber"], PERMANENT: ["✕", "red"], LOST: ["?", "amber"], LATE: ["!", "amber"], RELEASED: ["↩", "grey"],
};

/** A state as colour, icon and word. */
export function State({ of }: { of: string }) {
  const word = useStateWord();
  const [icon, tone] = ICONS[of] ?? ["•", "grey"];
  return <span class={`state ${tone}`} data-state={of}><span aria-hidden="true">{icon}</span> {word(of)}</span>;
}

export function Refused({ refusal, stale = false }: { refusal: Refusal | undefined; stale?: boolean }) {
  const text = useTexts();
  if (!refusal) return null;
  return (
    <div class="refused" role="alert">
      <strong>{refusal.status === 0 ? text("unreachable") : refusal.message || text("unknownError")}</strong>
      {refusal.status !== 0 && <code>{refusal.code}</code>}
      {refusal.problem?.errors?.map((error) => <div key={error.pointer}><code>{error.pointer}</code> {error.message}</div>)}
      {stale && <div>{text("stale")}</div>}
    </div>
  );
}

/** The loaded data, or the reason why there is none. Old data stays visible below the reason. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const text = useTexts();
  return (
    <>
      <Refused refusal={of.refusal} stale={of.data !== undefined} />
      {of.data !== undefined ? children(of.data) : !of.refusal && <p class="quiet" role="status">{text("loading")}</p>}
    </>
  );
}

export function Copy({ what, label }: { what: string; label?: string }) {
  const text = useTexts();
  const [copied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(what).then(() => setCopied(true), () => setCopied(false));
  return <button type="button" class="small" onClick={copy} aria-live="polite">{copied ? text("copied") : (label ?? text("copy"))}</button>;
}

/** The same request elsewhere: every action shows it. */
function Lines({ request }: { request: Request }) {
  const text = useTexts();
  const lines = [curlOf(request, location.origin, session.key !== ""), cliOf(request)].filter((line) => line !== undefined);
  return (
    <details class="lines" open>
      <summary>{text("sameAs")}</summary>
      {lines.map((line) => <div class="line" key={line}><code dir="ltr">{line}</code><Copy what={line} /></div>)}
    </details>
  );
}

export interface Action {
  word: Word;
  /** Undefined while what the user has typed makes no request. */
  request: Request | undefined;
  undoable?: boolean;
  /** Further inputs, or the number of objects that the action applies to. */
  children?: ComponentChildren;
  done: (answer: unknown) => void;
  close: () => void;
}

/** Asks before an action, shows its lines, and afterwards the refusal if there is one. */
export function ActionDialog({ word, request, undoable = false, children, done, close }: Action) {
  const text = useTexts();
  const dialog = useRef<HTMLDialogElement>(null);
  const [refusal, setRefusal] = useState<Refusal>();
  const [running, setRunning] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const run = async (event: SubmitEvent) => {
    event.preventDefault();
    if (!request || running) return;
    setRunning(true);
    try {
      done(await send<unknown>(request));
      close();
    } catch (error) {
      setRefusal(error instanceof Refusal ? error : new Refusal(0, "UNREACHABLE", ""));
      setRunning(false);
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="dialog-title">
      <form onSubmit={(event) => void run(event)}>
        <h2 id="dialog-title">{text(word)}</h2>
        {children}
        {!undoable && <p class="warning"><span aria-hidden="true">!</span> {text("cannotUndo")}</p>}
        {request && <Lines request={request} />}
        <Refused refusal={refusal} />
        <div class="buttons">
          <button type="submit" class="primary" disabled={!request || running}>{text("confirm")}</button>
          <button type="button" onClick={close}>{text("close")}</button>
        </div>
      </form>
    </dialog>
  );
}

export function Field({ label, children }: { label: string; children: ComponentChildren }) {
  return <label class="field"><span>{label}</span>{children}</label>;
}
