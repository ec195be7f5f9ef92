import { get, useLoaded } from "../api.ts";
import { useTexts } from "../display.ts";
import { Filters } from "../filters.tsx";
import type { Query } from "../logic.ts";
import { Shown } from "../parts.tsx";

interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  items?: Schema;
  description?: string;
  properties?: Record<string, Schema>;
  allOf?: readonly Schema[];
  required?: readonly string[];
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  "x-sundial-role"?: string;
  parameters?: readonly Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description?: string; content?: Record<string, { schema?: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

const nameOf = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);

/** A schema in a few words: its name, its values, or its type. */
function wordOf(schema: Schema | undefined): string {
  if (!schema) return "";
  if (schema.$ref) return nameOf(schema.$ref);
  if (schema.enum) return schema.enum.map(String).join(" | ");
  if (schema.items) return `${wordOf(schema.items)}[]`;
  return [schema.type ?? []].flat().join(" | ");
}

interface Member {
  name: string;
  schema: Schema;
  required: boolean;
}

/** The members of a schema, after those of the schemas that it extends. */
function membersOf(of: Schema, document: Document): Member[] {
  const schema = of.$ref ? document.components.schemas[nameOf(of.$ref)] : of;
  const extended = (schema?.allOf ?? []).flatMap((one) => membersOf(one, document));
  const own = Object.entries(schema?.properties ?? {}).map(([name, member]) => ({ name, schema: member, required: schema?.required?.includes(name) ?? false }));
  return [...extended.filter(({ name }) => !own.some((one) => one.name === name)), ...own];
}

function Members({ of, document }: { of: Schema; document: Document }) {
  const members = membersOf(of, document);
  if (members.length === 0) return <p><code>{wordOf(of)}</code></p>;
  return <ul>{members.map(({ name, schema, required }) => <li key={name}><code>{name}{required ? "" : "?"}</code> <code class="quiet">{wordOf(schema)}</code> {schema.description}</li>)}</ul>;
}

function Details({ of, document }: { of: Operation; document: Document }) {
  const text = useTexts();
  const parameters = (of.parameters ?? []).map((one) => (one.$ref ? document.components.parameters[nameOf(one.$ref)] : one)).filter((one) => one !== undefined);
  const body = Object.values(of.requestBody?.content ?? {})[0]?.schema;
  return (
    <>
      <p dir="auto">{of.description}</p>
      {parameters.length > 0 && (
        <>
          <h3>{text("parameters")}</h3>
          <ul>{parameters.map((one) => <li key={`${one.in} ${one.name}`}><code>{one.name}{one.required ? "" : "?"}</code> <code class="quiet">{one.in} {wordOf(one.schema)}</code> {one.description}</li>)}</ul>
        </>
      )}
      {body && <><h3>{text("requestBody")}</h3><Members of={body} document={document} /></>}
      <h3>{text("responses")}</h3>
      <ul>{Object.entries(of.responses).map(([status, response]) => (
        <li key={status}><code>{status}</code> {response.description} <code class="quiet">{Object.values(response.content ?? {}).map(({ schema }) => wordOf(schema)).join(" | ")}</code></li>
      ))}</ul>
    </>
  );
}

/** The operations of openapi.json, as this server serves it. */
export function Reference({ query }: { query: Query }) {
  const text = useTexts();
  const document = useLoaded((signal) => get<Document>("/openapi.json", signal), [], [], 0);
  const wanted = (query.q ?? "").toLowerCase();
  return (
    <>
      <h1>{text("reference")}</h1>
      <Filters page="reference" query={query} filters={[{ name: "q", word: "searchPath", hint: "POST /v1/events" }]} />
      <Shown of={document}>{(found) => {
        const operations = Object.entries(found.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, operation })));
        return (
          <div class="reference">{operations.filter(({ line }) => line.toLowerCase().includes(wanted)).map(({ line, operation }) => (
            <details key={line} data-operation-id={operation.operationId}>
              <summary><code dir="ltr">{line}</code> {operation.summary} {operation["x-sundial-role"] && <span class="quiet">{operation["x-sundial-role"]}</span>}</summary>
              <Details of={operation} document={found} />
            </details>
          ))}</div>
        );
      }}</Shown>
    </>
  );
}
