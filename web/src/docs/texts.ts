// Rules of the documents without a page: anchors, links, search.
import type { Token } from "marked";

/** The text of inline tokens without their marks. */
export function plainText(tokens: Token[] | undefined): string {
  return (tokens ?? []).map((token) => ("tokens" in token && token.tokens ? plainText(token.tokens) : "text" in token ? String(token.text) : "")).join("");
}

/** The anchor of a heading, as code hosts make it. `used` counts those of the page. */
export function anchorOf(text: string, used: Map<string, number>): string {
  const base = text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, "").trim().replace(/\s/g, "-");
  const count = used.get(base) ?? 0;
  used.set(base, count + 1);
  return count === 0 ? base : `${base}-${count}`;
}

/** The address of a link in `file`, a path in the tree. Null: it leads to a source, which is not here. */
export function linkOf(href: string, file: string): string | null {
  if (/^[a-z]+:/.test(href) || href.startsWith("#")) return href;
  const [path = "", anchor] = href.split("#");
  const parts = file.split("/").slice(0, -1);
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  const place = placeOf(parts.join("/"));
  return place === null ? null : place + (anchor ? `#${anchor}` : "");
}

function placeOf(path: string): string | null {
  if (path === "openapi.json" || path.startsWith("docs/pictures/")) return `/${path}`;
  if (path === "docs/README.md" || path === "docs") return "/docs";
  const name = /^(.+)\.md$/.exec(path)?.[1];
  if (!name) return null;
  if (name.startsWith("docs/")) return `/${name}`;
  return name.includes("/") ? null : `/docs/project/${name}`;
}

/** A part of a page under one heading. */
export interface Section { place: string; page: string; heading: string; anchor: string; text: string; lower: string }

/** The sections of all documents: the text of /llms-full.txt. */
export function sectionsOf(all: string): Section[] {
  const sections: Section[] = [];
  const add = (place: string, page: string, heading: string, anchor: string, lines: string[]) => {
    const text = withoutMarkup(lines.join(" ")).replace(/\s+/g, " ").trim();
    if (heading) sections.push({ place, page, heading, anchor, text, lower: `${heading} ${text}`.toLowerCase() });
  };
  for (const part of all.split(/^<!-- (?=\/docs)/m).slice(1)) {
    const place = part.slice(0, part.indexOf(" "));
    const used = new Map<string, number>();
    let page = "", heading = "", anchor = "", lines: string[] = [], inCode = false;
    for (const line of part.slice(part.indexOf("\n")).split("\n")) {
      if (line.trimStart().startsWith("```")) { inCode = !inCode; continue; }
      const found = inCode ? null : /^(#{1,4}) (.+)$/.exec(line);
      if (!found) { lines.push(inCode ? `\`${line.replaceAll("`", "")}\`` : line); continue; }
      add(place, page, heading, anchor, lines);
      heading = (found[2] ?? "").replace(/\]\([^)]*\)|[*`[\]]/g, "");
      const own = anchorOf(heading, used);
      if (!page) page = heading;
      anchor = found[1] === "#" ? "" : own;
      lines = [];
    }
    add(place, page, heading, anchor, lines);
  }
  return sections;
}

/** Code keeps its characters: `30 2 * * *` is what people look for. */
function withoutMarkup(markdown: string): string {
  return markdown.split(/`([^`]*)`/).map((part, i) => (i % 2 ? part : part.replace(/\]\([^)]*\)|[*[\]]/g, "").replace(/<[^>]*>|\|/g, " "))).join("");
}

export interface Found { section: Section; score: number; excerpt: [string, boolean][] }

/** The sections that have every word of the question, best first. */
export function search(sections: Section[], question: string, limit = 20): Found[] {
  const words = [...new Set(question.toLowerCase().match(/[\p{L}\p{N}_./-]+/gu) ?? [])];
  if (!words.length) return [];
  const found: Found[] = [];
  for (const section of sections) {
    const page = section.page.toLowerCase(), heading = section.heading.toLowerCase();
    let score = 0;
    for (const word of words) {
      const times = section.lower.split(word).length - 1;
      if (!times && !page.includes(word)) { score = 0; break; }
      const whole = (text: string) => ` ${text.replace(/[^\p{L}\p{N}_]+/gu, " ")} `.includes(` ${word} `);
      score += Math.min(times, 5) + (page.includes(word) ? 8 : 0) + (whole(page) ? 8 : 0) + (heading.includes(word) ? 10 : 0) + (whole(heading) ? 10 : 0);
    }
    if (!score) continue;
    if (words.length > 1 && section.lower.includes(question.trim().toLowerCase())) score += 15;
    if (heading === question.trim().toLowerCase()) score += 30;
    // Decisions and changes explain the past: guides and the reference come first.
    if (/^\/docs\/(adr|project)\//.test(section.place)) score *= 0.3;
    found.push({ section, score, excerpt: [] });
  }
  found.sort((a, b) => b.score - a.score || a.section.place.localeCompare(b.section.place));
  return found.slice(0, limit).map((one) => ({ ...one, excerpt: excerptOf(one.section.text, words) }));
}

/** About 160 characters around the first word; true: a word that was asked for. */
function excerptOf(text: string, words: string[]): [string, boolean][] {
  const lower = text.toLowerCase();
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0), text.length);
  let begin = first === text.length ? 0 : Math.max(0, first - 60);
  begin = begin && text.indexOf(" ", begin) + 1;
  const shown = (begin ? "… " : "") + text.slice(begin, begin + 160) + (begin + 160 < text.length ? " …" : "");
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&")).join("|")})`, "giu");
  return shown.split(pattern).map((piece, i): [string, boolean] => [piece, i % 2 === 1]).filter(([piece]) => piece);
}
