import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { ShownZone } from "./logic.ts";
import { ar } from "./texts/ar.ts";
import { de } from "./texts/de.ts";
import { en, type Texts, type Word } from "./texts/en.ts";

export const LANGUAGES: Record<string, { name: string; texts: Texts; direction: "ltr" | "rtl" }> = {
  en: { name: "English", texts: en, direction: "ltr" },
  de: { name: "Deutsch", texts: de, direction: "ltr" },
  ar: { name: "العربية", texts: ar, direction: "rtl" },
};

/** How this browser shows things: remembered by it, unknown to the server. */
export interface Display {
  language: string;
  zone: ShownZone;
  theme: "auto" | "dark" | "light";
}

const STORED = "sundial.display";

export function storedDisplay(): Display {
  const preferred = navigator.languages.map((one) => one.slice(0, 2)).find((one) => one in LANGUAGES) ?? "en";
  const fresh: Display = { language: preferred, zone: "target", theme: "auto" };
  try {
    const stored = { ...fresh, ...(JSON.parse(localStorage.getItem(STORED) ?? "{}") as Partial<Display>) };
    return stored.language in LANGUAGES ? stored : fresh;
  } catch {
    return fresh;
  }
}

export function apply(display: Display) {
  const root = document.documentElement;
  root.lang = display.language;
  root.dir = LANGUAGES[display.language]?.direction ?? "ltr";
  root.dataset.theme = display.theme;
  localStorage.setItem(STORED, JSON.stringify(display));
}

export const DisplayContext = createContext<Display>({ language: "en", zone: "target", theme: "auto" });
export const useDisplay = () => useContext(DisplayContext);

/** The text of a word in the chosen language, with its {places} filled in. */
export function useTexts() {
  const { language } = useDisplay();
  const texts = LANGUAGES[language]?.texts ?? en;
  return (word: Word, places: Record<string, string | number> = {}) =>
    texts[word].replace(/\{(\w+)\}/g, (_, name: string) => String(places[name] ?? ""));
}

/** Words for a state of the API; a state that is newer than this page is shown as it is. */
export function useStateWord() {
  const text = useTexts();
  return (state: string) => (state in en ? text(state as Word) : state);
}
