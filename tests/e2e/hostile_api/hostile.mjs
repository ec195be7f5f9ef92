// Generated requests from openapi.json against a running server: valid, nearly valid and broken. Every answer must have
// a status and a body that the document promises for it; every error all members of a problem; none may be a 5xx.
//
// usage: hostile.mjs BASE KEYS COUNT SEED     prints a JSON summary; on failure the request that fails, made small
//        KEYS, separated by commas: each request is sent with one of them, mostly the first
import http from "node:http";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";

const [base, keys, count, seed] = [process.argv[2], process.argv[3].split(","), Number(process.argv[4]), Number(process.argv[5])];
const workers = 6;
const agent = new http.Agent({keepAlive: true, maxSockets: workers});
const problemMembers = ["type", "title", "status", "code", "retryable", "detail", "instance", "correlationId"];

function call({method, target, headers, body}) {
    return new Promise((resolve, reject) => {
        const {hostname, port} = new URL(base);
        // Without a length Node sends the body of a GET or DELETE unframed, as the begin of the next request.
        const framed = body === undefined ? headers : {...headers, "Content-Length": Buffer.byteLength(body)};
        const request = http.request({hostname, port, method, path: target, headers: framed, agent}, (answer) => {
            const parts = [];
            answer.on("data", (part) => parts.push(part));
            answer.on("end", () => resolve({status: answer.statusCode, headers: answer.headers, text: Buffer.concat(parts).toString()}));
            answer.on("error", reject);
        });
        request.on("error", reject);
        if (body !== undefined) request.write(body);
        request.end();
    });
}

const document = JSON.parse((await call({method: "GET", target: "/openapi.json", headers: {}})).text);
const ajv = new Ajv({strict: false, allErrors: false, validateFormats: true});
addFormats(ajv);
ajv.addSchema(document, "api");

function resolve(schema) {
    if (!schema?.$ref) return schema;
    return resolve(schema.$ref.slice(2).split("/").reduce((at, step) => at[step.replaceAll("~1", "/").replaceAll("~0", "~")], document));
}

// ---- operations -----------------------------------------------------------------------------------------------------

// These move time, send real requests, never end, or end the server: they have tests of their own.
const leftOut = new Set(["POST /v1/clock/advance", "PUT /v1/clock", "POST /v1/endpoints/{id}/test",
    "GET /v1/live", "POST /v1/instances/{id}/drain"]);
// The keys in use must stay valid.
const keyPaths = /^\/v1\/api-keys/;

function answerJudge(operation, status) {
    const response = resolve(operation.responses[String(status)]);
    if (!response) return null;
    const content = Object.entries(response.content ?? {});
    return Object.fromEntries(content.map(([type, {schema}]) => [type, schema ? ajv.compile(absolute(schema)) : () => true]));
}
/// The schema with references that hold outside of the document.
function absolute(schema) {
    return JSON.parse(JSON.stringify(schema, (name, value) => (name === "$ref" && value.startsWith("#") ? "api" + value : value)));
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
        .filter(([method]) => ["get", "put", "post", "patch", "delete"].includes(method))
        .map(([method, operation]) => ({
            name: `${method.toUpperCase()} ${path}`, method: method.toUpperCase(), path, operation, judges: new Map(),
            parameters: (operation.parameters ?? []).map(resolve),
            body: resolve(operation.requestBody)?.content,
        }))).filter(({name, path, method}) => !leftOut.has(name) && !(keyPaths.test(path) && method === "DELETE"));

// ---- values ---------------------------------------------------------------------------------------------------------

const hostileTexts = [
    "", " ", "\u0000", "\n", "\r\nSet-Cookie: a=b", "%00", "%", "../../etc/passwd", "' OR 1=1 --", "\"; DROP TABLE users; --", "{{", "}",
    "{firstName", "{nobody}", "${7*7}", "<script>alert(1)</script>", "\u202e", "\ufeff", "é", "e\u0301", "👩‍👩‍👧‍👦", "a".repeat(101), "x".repeat(5000),
    "-1", "0", "1e308", "NaN", "null", "true", "[]", "now", "now-9999999d", "now+1h", "9999-12-31T23:59:59Z", "0000-00-00", "2027-02-30",
    "1992-02-29", "24:00", "09:00", "P1D", "PT0S", "PT15M", "PT99999999H", "Europe/Paris", "europe/paris", "Mars/Base", "UTC", "../UTC",
    "@daily", "* * * * *", "0 0 31 2 *", "*/0 * * * *", "30 2 * * 7#6", "FREQ=DAILY", "FREQ=SECONDLY;INTERVAL=0", "FREQ=YEARLY;BYMONTH=13",
    "https://127.0.0.1:8443/", "https://0177.0.0.1/", "https://[::1]/", "https://a:b@127.0.0.1/", "ftp://127.0.0.1/", "javascript:alert(1)",
    "ext:", "ext:crm", "ext:../x", "birthday", "dateOfBirth", "02-29", "99-99", "event-x", "a.b", "18446744073709551616",
];
const known = {};  // ids that the server has made, by the first segments of their path
function remember(path, text) {
    const id = /"id":"([0-9a-f-]{36})"/.exec(text)?.[1];
    if (!id) return;
    const list = (known[path.split("/")[2] ?? path] ??= []);
    list.push(id);
    if (list.length > 50) list.shift();
}

const hostileText = fc.oneof(fc.constantFrom(...hostileTexts), fc.fullUnicodeString({maxLength: 20}), fc.asciiString({maxLength: 20}));
const formats = {
    date: fc.constantFrom("1990-05-17", "1992-02-29", "2015-06-01", "1901-01-01"),
    "date-time": fc.constantFrom("2027-01-05T14:00:00Z", "2030-06-01T00:00:00.000Z", "2027-03-28T02:30:00+01:00", "now+1h"),
    uuid: fc.uuid(), uri: fc.constantFrom("https://127.0.0.1:8443/hook", "https://127.0.0.1/hook"),
};

/// Texts that have a meaning under a name, which the schema does not show.
const zones = fc.constantFrom("Europe/Paris", "UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe");
const ids = (noun) => fc.nat().map((n) => (known[noun]?.length ? known[noun][n % known[noun].length] : "ext:nobody"));
const meant = {
    timezone: zones, targetTimezone: zones, firstName: fc.constantFrom("Ada", "Zoë", "李"), lastName: fc.constantFrom("Li", "O'Neill"),
    externalId: fc.uuid(), idempotencyKey: fc.uuid(), eventType: fc.constantFrom("REMINDER", "BIRTHDAY"), name: fc.constant("CRM"),
    endpointId: ids("endpoints"), userId: ids("users"), scheduleId: ids("schedules"), dateOfBirth: formats.date, from: fc.constant("now"), to: fc.constant("now+7d"),
    targetTimestampLocal: fc.constantFrom("2027-01-05T09:00:00", "2027-03-28T02:30"), targetTimestampUTC: fc.constantFrom("now", "now+1h", "2027-01-05T14:00:00Z"),
    expiresAt: fc.constant("2099-01-01T00:00:00Z"), on: fc.constantFrom("dateOfBirth", "02-29"), at: fc.constantFrom("09:00", "02:30"),
    cron: fc.constantFrom("0 9 * * *", "30 2 * * 7"), every: fc.constant("PT1H"), rrule: fc.constant("FREQ=DAILY"), dtstart: fc.constant("2027-01-05T09:00:00"),
    timeout: fc.constant("PT10S"), window: fc.constant("PT6H"), grace: fc.constant("PT1M"), jitter: fc.constant("PT0S"), secret: fc.constant("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
};

/// Values that the schema allows; where a rule cannot be followed simply, values that come close.
function valid(schema, depth = 0) {
    schema = resolve(schema) ?? {};
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const choice = schema.oneOf ?? schema.anyOf;
    if (choice) return fc.oneof(...choice.map((one) => valid({...schema, oneOf: undefined, anyOf: undefined, ...resolve(one)}, depth + 1)));
    if (schema.allOf) return valid(schema.allOf.map(resolve).reduce((all, one) => ({...all, ...one, properties: {...all.properties, ...one.properties}}), {...schema, allOf: undefined}), depth);
    const types = [schema.type ?? (schema.properties ? "object" : "any")].flat();
    return fc.oneof(...types.map((type) => validOf(type, schema, depth)));
}
function validOf(type, schema, depth) {
    switch (type) {
        case "null": return fc.constant(null);
        case "boolean": return fc.boolean();
        case "integer": return fc.integer({min: Math.max(schema.minimum ?? 0, -1e9), max: Math.min(schema.maximum ?? 1000, 1e9)});
        case "number": return fc.double({min: schema.minimum ?? 0, max: schema.maximum ?? 1000, noNaN: true});
        case "string": return text(schema);
        case "array": return depth > 4 ? fc.constant([]) : fc.array(valid(schema.items ?? {}, depth + 1), {minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 3, Math.max(3, schema.minItems ?? 0))});
        case "object": return object(schema, depth);
        default: return fc.jsonValue({maxDepth: 2});
    }
}
const accepts = (schema, type) => [resolve(schema)?.type ?? []].flat().includes(type);
function text(schema) {
    if (schema.format && formats[schema.format]) return formats[schema.format];
    const examples = schema.examples?.length ? [fc.constantFrom(...schema.examples)] : [];
    if (schema.pattern) {
        try { examples.push(fc.stringMatching(new RegExp(schema.pattern))); } catch { /* a pattern of another dialect: examples do */ }
    }
    const good = hostileTexts.filter((one) => one.length >= (schema.minLength ?? 0) && one.length <= (schema.maxLength ?? 200));
    if (good.length) examples.push(fc.constantFrom(...good));
    return examples.length ? fc.oneof(...examples) : fc.string({minLength: schema.minLength, maxLength: schema.maxLength});
}
function object(schema, depth) {
    const members = Object.entries(schema.properties ?? {});
    if (!members.length || depth > 5) return fc.dictionary(fc.constantFrom("a", "plan", "anniversary"), valid(schema.additionalProperties || {type: "string"}, depth + 1), {maxKeys: 2});
    const required = (schema.required ?? []).filter((name) => name in schema.properties);
    return fc.record(Object.fromEntries(members.map(([name, of]) => [name, meant[name] && accepts(of, "string") ? sure(90, meant[name], valid(of, depth + 1)) : valid(of, depth + 1)])), {requiredKeys: required});
}

/// A value with one thing wrong with it, somewhere.
function spoilt(value) {
    return fc.record({at: fc.nat(), how: fc.nat({max: 5}), by: fc.oneof(hostileText, fc.jsonValue({maxDepth: 2}), fc.constantFrom(1e308, -0, 2 ** 53, [], {}, null))}).chain(({at, how, by}) => value.map((whole) => {
        const copy = structuredClone(whole);
        const places = [];
        (function walk(node) {
            if (node === null || typeof node !== "object") return;
            for (const name of Object.keys(node)) { places.push([node, name]); walk(node[name]); }
        })(copy);
        if (!places.length) return by;
        const [node, name] = places[at % places.length];
        if (how === 0) delete node[name];
        else if (how === 1 && !Array.isArray(node)) node[name + "X"] = by;
        else if (how === 2) node[name] = [node[name]];
        else if (how === 3) node[name] = String(node[name]);
        else node[name] = by;
        return copy;
    }));
}

/// `one` in so many of a hundred cases, else `other`.
const sure = (chance, one, other) => fc.oneof({weight: chance, arbitrary: one}, {weight: 100 - chance, arbitrary: other});

function segment(path) {
    const noun = path.split("/")[2];
    return fc.oneof(
        {weight: 5, arbitrary: fc.nat().map((n) => (known[noun]?.length ? known[noun][n % known[noun].length] : "ext:nobody"))},
        {weight: 1, arbitrary: fc.uuid()}, {weight: 1, arbitrary: fc.constantFrom("ext:crm", "ext:birthday", "ext:" + "x".repeat(129))},
        {weight: 1, arbitrary: hostileText.filter((one) => one !== "")});
}
function query(parameters) {
    const declared = parameters.filter((one) => one.in === "query");
    const value = (one) => (meant[one.name] ? sure(80, meant[one.name], valid(one.schema)) : valid(one.schema)).map((v) => (Array.isArray(v) ? v.join(",") : String(v)));
    const some = (freq, of) => fc.tuple(...declared.map((one) => fc.option(fc.tuple(fc.constant(one.name), of(one)), {freq: one.required ? 20 : freq})));
    const rare = fc.tuple(...declared.map((one) => fc.tuple(fc.nat({max: one.required ? 1 : 9}), value(one)).map(([n, v]) => (n < (one.required ? 2 : 1) ? [one.name, v] : null))));
    const hostile = fc.tuple(some(2, (one) => sure(50, value(one), hostileText)), fc.option(fc.tuple(hostileText, hostileText), {freq: 4})).map(([pairs, unknown]) => [...pairs, unknown]);
    return sure(75, rare, hostile).map((pairs) => pairs.filter(Boolean).map(([name, v]) => `${escape(name)}=${escape(v)}`).join("&"));
}
/// Percent-encodes; lone surrogates become what a sloppy client would send.
function escape(value) { return [...Buffer.from(value)].map((byte) => (/[A-Za-z0-9_.~-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : "%" + byte.toString(16).padStart(2, "0"))).join(""); }

function bodyOf({body}) {
    const json = body?.["application/json"] ?? Object.values(body ?? {})[0];
    if (!json) return sure(97, fc.constant(undefined), fc.constantFrom("{}", "x"));
    const good = valid(json.schema);
    return fc.oneof(
        {weight: 5, arbitrary: good.map((value) => JSON.stringify(value))},
        {weight: 5, arbitrary: spoilt(good).map((value) => JSON.stringify(value) ?? "")},
        {weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value))},
        {weight: 1, arbitrary: fc.oneof(fc.constantFrom("", "{", "[1,]", "{\"a\":1,\"a\":2}", "{\"\\ud800\":1}", "\ufeff{}", "[".repeat(40), "1e999", "nul"), fc.fullUnicodeString())});
}
const header = fc.record({
    "If-Match": fc.constantFrom("*", '"1"', '"2"', 'W/"1"', '"x"', '"1", "2"', "", "nonsense"),
    "If-None-Match": fc.constantFrom("*", '"1"', "x"),
    Accept: fc.constantFrom("*/*", "application/json", "text/html", "application/json;q=0", "text/*;q=0.5, application/*", ";;"),
    "X-Request-Id": fc.constantFrom("req-1", "x".repeat(200), "a b", "é"),
    "Idempotency-Key": fc.constantFrom("a", '"a"', "", "x".repeat(300)),
    Prefer: fc.constantFrom("wait=1", "return=minimal"),
    "Early-Data": fc.constantFrom("1", "0"),
}, {requiredKeys: []});

const request = fc.constantFrom(...operations).chain((of) => fc.record({
    of: fc.constant(of), id: segment(of.path), query: query(of.parameters), body: bodyOf(of),
    headers: sure(85, fc.constant({}), header),
    type: sure(95, fc.constant("application/json"), fc.constantFrom("text/plain", "application/json; charset=latin1", "application/merge-patch+json", "", "json")),
    key: sure(99, sure(70, fc.constant(keys[0]), fc.constantFrom(...keys)), fc.constantFrom("", "sundial_sk_x", keys[0].slice(0, -1))),
})).map(({of, id, query, body, headers, type, key}) => ({
    of, body, method: of.method,
    target: of.path.replace("{id}", escape(id)) + (query ? "?" + query : ""),
    headers: {...headers, ...(key ? {Authorization: `Bearer ${key}`} : {}), ...(body !== undefined ? {"Content-Type": type} : {})},
}));

// ---- the judgement --------------------------------------------------------------------------------------------------

const seen = {};
const anywhere = new Set([401, 404, 405, 413, 414, 429, 431]);  // the router's and the parser's, on any route

function judge({of, target}, answer) {
    const {status, headers, text} = answer;
    const where = `${of.name} answered ${status}`;
    // On a busy machine a heavy request may wait for a seat in vain.
    const refused = status === 503 && headers["retry-after"] && JSON.parse(text).code === "OVERLOADED";
    if (status >= 500 && !refused) throw new Error(`${where}: ${text}`);
    if (!(String(status) in of.operation.responses) && !anywhere.has(status)) throw new Error(`${where}, which the document does not name: ${text}`);
    const type = (headers["content-type"] ?? "").split(";")[0];
    // A browser gets a page instead of a problem where the document says so.
    const isPage = type === "text/html" && type in (resolve(of.operation.responses[String(status)])?.content ?? {});
    if (status >= 400 && !isPage) {
        if (type !== "application/problem+json") throw new Error(`${where} as ${type}`);
        const problem = JSON.parse(text);
        const missing = problemMembers.filter((name) => !(name in problem));
        if (missing.length || problem.status !== status) throw new Error(`${where}, a problem without ${missing}: ${text}`);
        const repeated = headers["idempotency-replayed"] === "true";  // it names the request that was answered first
        if (!repeated && problem.correlationId !== headers["x-request-id"]) throw new Error(`${where}, under two ids`);
    }
    if (!of.judges.has(status)) of.judges.set(status, answerJudge(of.operation, status));
    const judges = of.judges.get(status);
    const judge = judges?.[type];
    if (judges && Object.keys(judges).length && !judge) throw new Error(`${where} as ${type}: ${text.slice(0, 200)}`);
    if (judge && type.endsWith("json") && !judge(JSON.parse(text))) throw new Error(`${where}, not as the document says: ${JSON.stringify(judge.errors)}\n${text}`);
    if (status < 300) remember(target, text);
    seen[status] = (seen[status] ?? 0) + 1;
    (seen.operations ??= new Set()).add(of.name + " " + Math.floor(status / 100));
}

let sent = 0;
async function work(worker) {
    await fc.assert(fc.asyncProperty(request, async (one) => {
        ++sent;
        judge(one, await call(one));
    }), {numRuns: Math.ceil(count / workers), seed: seed + worker, verbose: 0, reporter: (run) => {
        if (!run.failed) return;
        const [one] = run.counterexample ?? [];
        throw new Error(`seed ${seed}, after ${run.numRuns}: ${run.error}\n${one?.method} ${one?.target}\n${JSON.stringify(one?.headers)}\n${one?.body}`);
    }});
}

await Promise.all(Array.from({length: workers}, (_, worker) => work(worker)));
const operationsSeen = [...seen.operations];
delete seen.operations;
console.log(JSON.stringify({
    sent, statuses: seen, operations: operations.length,
    succeeded: new Set(operationsSeen.filter((one) => one.endsWith(" 2")).map((one) => one.slice(0, -2))).size,
    refused: new Set(operationsSeen.filter((one) => one.endsWith(" 4")).map((one) => one.slice(0, -2))).size,
}));
agent.destroy();
