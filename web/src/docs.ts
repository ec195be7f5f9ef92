// A page of the documents: shows the Markdown that the page has, and searches all of them.
import "./docs.css";
import { element, render, type Heading } from "./docs/render.ts";
import { search, sectionsOf, type Section } from "./docs/texts.ts";

const main = document.getElementById("content") as HTMLElement;
const source = main.querySelector("pre")?.textContent ?? "";
const { nodes, headings } = render(source, main.dataset.file ?? "");
main.replaceChildren(...nodes);
addContents(headings);
addPagesButton();
addSearch();
showAnchor();
main.dataset.ready = "";

function addContents(all: Heading[]): void {
  const shown = all.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 3) return;
  const items = shown.map(({ id, text, depth }) => element("li", { class: `depth${depth}` }, element("a", { href: `#${id}` }, text)));
  const contents = element("details", {}, element("summary", {}, "On this page"), element("ul", {}, ...items)) as HTMLDetailsElement;
  contents.open = matchMedia("(min-width: 75rem)").matches;
  main.after(element("nav", { id: "contents", "aria-label": "On this page" }, contents));
}

/** On a narrow screen the list of pages opens by a button. */
function addPagesButton(): void {
  const pages = document.getElementById("pages");
  if (!pages) return;
  const button = element("button", { type: "button", class: "menu", "aria-expanded": "false", "aria-controls": "pages" }, "Pages");
  button.addEventListener("click", () => {
    button.setAttribute("aria-expanded", String(pages.classList.toggle("shown")));
  });
  document.querySelector("header .name")?.after(button);
  pages.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}

/** The browser has looked for the anchor before the text was there. */
function showAnchor(): void {
  const id = decodeURIComponent(location.hash.slice(1));
  if (id) document.getElementById(id)?.scrollIntoView();
}

function addSearch(): void {
  const input = element("input", { type: "search", id: "question", autocomplete: "off", spellcheck: "false", "aria-controls": "found" }) as HTMLInputElement;
  const count = element("p", { role: "status", class: "quiet" });
  const list = element("ol", {});
  const box = element("section", { id: "found", "aria-label": "Found", hidden: "" }, count, list);
  const form = element("form", { role: "search" }, element("label", { for: "question" }, "Search"), input);
  document.querySelector("header")?.append(form);
  document.querySelector("header")?.after(box);

  let sections: Promise<Section[]> | undefined;
  const load = () => (sections ??= fetch("/llms-full.txt").then(async (answer) => {
    if (!answer.ok) throw new Error(String(answer.status));
    return sectionsOf(await answer.text());
  }).catch((error: unknown) => { sections = undefined; throw error; }));

  const show = async () => {
    const question = input.value.trim();
    box.hidden = !question;
    if (!question) return;
    let all: Section[];
    try {
      all = await load();
    } catch {
      count.textContent = "The server does not answer: the search needs it once.";
      return;
    }
    if (question !== input.value.trim()) return; // typed on meanwhile
    const found = search(all, question);
    count.textContent = found.length === 0 ? `Nothing found for “${question}”` : found.length === 1 ? "1 place" : `${found.length} places`;
    list.replaceChildren(...found.map(({ section, excerpt }) => element("li", {},
      element("a", { href: section.place + (section.anchor ? `#${section.anchor}` : "") },
        element("span", { class: "where" }, section.page === section.heading ? section.page : `${section.page} › ${section.heading}`),
        element("span", { class: "excerpt" }, ...excerpt.map(([text, asked]) => (asked ? element("mark", {}, text) : text)))))));
  };
  const close = () => { input.value = ""; box.hidden = true; };

  input.addEventListener("focus", () => { void load().catch(() => undefined); }, { once: true });
  input.addEventListener("input", () => { void show(); });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  box.addEventListener("click", (event) => { if ((event.target as Element).closest("a")) close(); });
  addEventListener("keydown", (event) => {
    const typing = document.activeElement instanceof HTMLInputElement;
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape" && !box.hidden) {
      close();
      input.focus();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !box.hidden) {
      const stops = [input, ...list.querySelectorAll("a")];
      const at = stops.indexOf(document.activeElement as HTMLInputElement);
      if (at < 0) return;
      event.preventDefault();
      stops[Math.min(Math.max(at + (event.key === "ArrowDown" ? 1 : -1), 0), stops.length - 1)]?.focus();
    }
  });
}
