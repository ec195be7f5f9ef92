// Markdown as nodes of the page. No markup is made from text: of HTML only anchors are read, everything else is dropped.
import { lexer, type Token, type Tokens } from "marked";
import { anchorOf, linkOf, plainText } from "./texts.ts";

type Child = Node | string;

export function element(name: string, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** The input for rendering the text of a page: its file, for relative links, and its anchors so far. */
interface Context { file: string; anchors: Map<string, number> }

export interface Heading { id: string; text: string; depth: number }
export interface Rendered { nodes: Node[]; headings: Heading[] }

export function render(markdown: string, file: string): Rendered {
  const context: Context = { file, anchors: new Map() };
  const headings: Heading[] = [];
  const nodes = lexer(markdown).flatMap((token) => block(token, context, headings));
  return { nodes, headings };
}

function block(token: Token, context: Context, headings: Heading[] = []): Node[] {
  switch (token.type) {
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading;
      const text = plainText(tokens);
      const id = anchorOf(text, context.anchors);
      headings.push({ id, text, depth });
      const made = element(`h${depth}`, { id }, ...inline(tokens, context));
      if (depth > 1) made.append(" ", element("a", { href: `#${id}`, class: "anchor", "aria-label": `Link to “${text}”` }, "#"));
      return [made];
    }
    case "paragraph": return [element("p", {}, ...inline((token as Tokens.Paragraph).tokens, context))];
    case "text": {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? inline(tokens, context) : [document.createTextNode(text)];
    }
    case "blockquote": return [element("blockquote", {}, ...(token as Tokens.Blockquote).tokens.flatMap((one) => block(one, context)))];
    case "list": return [list(token as Tokens.List, context)];
    case "code": return [code((token as Tokens.Code).text)];
    case "table": return [table(token as Tokens.Table, context)];
    case "hr": return [element("hr")];
    case "html": return anchors((token as Tokens.HTML).text);
    default: return [];
  }
}

function list({ ordered, start, items }: Tokens.List, context: Context): Node {
  const rows = items.map((item) => element("li", {}, ...item.tokens.flatMap((one) => block(one, context))));
  return element(ordered ? "ol" : "ul", ordered && start !== "" && start !== 1 ? { start: String(start) } : {}, ...rows);
}

function code(text: string): Node {
  const button = element("button", { type: "button", class: "copy" }, "Copy");
  button.addEventListener("click", () => void copy(text, button));
  // Long lines scroll, also by keyboard.
  return element("div", { class: "code" }, element("pre", { tabindex: "0", role: "group", "aria-label": "Code" }, element("code", {}, text)), button);
}

async function copy(text: string, button: HTMLElement): Promise<void> {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch { // a page without TLS has no clipboard
    const area = element("textarea", { "aria-hidden": "true", class: "hidden" }) as HTMLTextAreaElement;
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = done ? "Copied" : "Not copied";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

function table({ header, rows }: Tokens.Table, context: Context): Node {
  const titled = header.some((cell) => cell.text !== "");
  const cells = (name: string, row: Tokens.TableCell[]) =>
    element("tr", {}, ...row.map((cell) => element(cell.text === "" ? "td" : name, name === "th" && cell.text !== "" ? { scope: "col" } : {}, ...inline(cell.tokens, context))));
  const body = element("tbody", {}, ...rows.map((row) => cells("td", row)));
  const made = titled ? element("table", {}, element("thead", {}, cells("th", header)), body) : element("table", {}, body);
  for (const name of made.querySelectorAll("code")) mayBreak(name);
  return element("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" }, made);
}

/** Lets a long name continue on the next line after `_` and `.`. */
function mayBreak(code: Element): void {
  const [first = "", ...others] = (code.textContent ?? "").split(/(?<=[_.])/);
  code.replaceChildren(first, ...others.flatMap((part) => [element("wbr"), part]));
}

/** The anchors in HTML: `<a id="X"></a>`. */
function anchors(html: string): Node[] {
  return [...html.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => element("span", { id: id ?? "" }));
}

function inline(tokens: Token[] | undefined, context: Context): Node[] {
  return (tokens ?? []).flatMap((token): Node[] => {
    switch (token.type) {
      case "strong": case "em": case "del": return [element(token.type, {}, ...inline(token.tokens, context))];
      case "codespan": return [element("code", {}, token.text as string)];
      case "br": return [element("br")];
      case "link": return [link(token as Tokens.Link, context)];
      case "image": return [image(token as Tokens.Image, context)];
      case "html": return anchors(token.raw);
      case "text": return token.tokens ? inline(token.tokens, context) : [document.createTextNode(token.text as string)];
      default: return [document.createTextNode("text" in token ? String(token.text) : token.raw)];
    }
  });
}

function link({ href, tokens }: Tokens.Link, context: Context): Node {
  const place = linkOf(href, context.file);
  const text = inline(tokens, context);
  // Sources are in the tree only.
  return place === null ? element("span", { class: "source", title: `in the source tree: ${href}` }, ...text) : element("a", { href: place }, ...text);
}

function image({ href, text }: Tokens.Image, context: Context): Node {
  return element("img", { src: linkOf(href, context.file) ?? href, alt: text, loading: "lazy" });
}
