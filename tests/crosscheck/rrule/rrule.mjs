// Our recurrence rules against three independent implementations: python-dateutil, libical, and the npm package rrule.
//
// usage: node rrule.mjs SUNDIAL QUESTIONS PYTHON DATEUTIL_CHILD LIBICAL_CHILD [SEED]
//
// Random rules and starts, without a zone or, for dateutil, in zones that change their clocks. Where an answer differs
// from ours, the reason must be one of those below, and must explain the answer: when we are asked as the other
// program understood the question, we answer as it did. docs/time-crosschecks.md says why ours is right.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { Random, WEEKDAYS, compact, isElapsed, randomQuestion, textOf } from "./rule.mjs";

const COUNT = 12;
const DAY = 86_400_000;
const PATIENCE = 60_000; // ms for one answer; some never answer
const ZONES = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Santiago", "Asia/Tehran"];

const [sundial, many, python, dateutilChild, libicalChild, seed = "1"] = process.argv.slice(2);

// --- the others ------------------------------------------------------------------------------------------------

const isNumbered = (day) => day.length > 2;
const weekdayOf = (day) => day.slice(-2);
const isAtNewYear = (week) => [1, 52, 53].includes(Math.abs(week));

/** The differences of the two programs with a common history, dateutil and its port rrule. */
const REASONS = [
  {
    name: "BYWEEKNO without BYDAY is each day of the week",
    applies: ({ BYWEEKNO, BYDAY, BYMONTHDAY, BYYEARDAY }) => BYWEEKNO && !BYDAY && !BYMONTHDAY && !BYYEARDAY,
    asThey: (parts) => ({ ...parts, BYDAY: WEEKDAYS }),
  },
  {
    name: "of weekdays with and without a number both must hold",
    applies: ({ BYDAY }) => BYDAY?.some(isNumbered) && !BYDAY.every(isNumbered),
    asThey: (parts) => {
      const plain = parts.BYDAY.filter((day) => !isNumbered(day));
      const both = parts.BYDAY.filter((day) => isNumbered(day) && plain.includes(weekdayOf(day)));
      return both.length > 0 ? { ...parts, BYDAY: both } : null; // null: nothing
    },
  },
];

/** From Monday, as WEEKDAYS. */
const dayOfWeek = (at) => (new Date(at).getUTCDay() + 6) % 7;

/** The first moment after the week in which a rule starts. */
function endOfFirstWeek({ parts, start }) {
  const since = (dayOfWeek(start) - WEEKDAYS.indexOf(parts.WKST ?? "MO") + 7) % 7;
  return Math.floor(start / DAY) * DAY + (7 - since) * DAY;
}

const FIRST_WEEK = {
  name: "BYSETPOS counts in a first week that begins with DTSTART",
  applies: ({ FREQ, BYSETPOS }) => FREQ === "WEEKLY" && BYSETPOS,
  agreesFrom: (question) => endOfFirstWeek(question) + DAY, // a day, for the zone
};

const OTHERS = [
  {
    name: "dateutil",
    command: [python, dateutilChild],
    // Weeks that reach over New Year are cut there.
    asks: ({ parts }) => !(parts.BYWEEKNO && (parts.INTERVAL || parts.BYSETPOS)),
    reasons: [...REASONS, FIRST_WEEK],
  },
  {
    name: "libical",
    command: [libicalChild],
    asks: ({ parts, start, zone }) =>
      !zone && !isElapsed(parts) && !parts.BYSETPOS && !parts.BYWEEKNO &&
      !(parts.FREQ === "DAILY" && parts.BYMONTHDAY?.some((day) => day < 0)) &&
      !(parts.FREQ === "WEEKLY" && parts.INTERVAL && parts.BYDAY && !parts.BYDAY.includes(WEEKDAYS[dayOfWeek(start)])) &&
      !(parts.FREQ === "YEARLY" && parts.BYMONTHDAY && !parts.BYMONTH),
    reasons: [],
  },
  {
    name: "rrule",
    command: [process.execPath, "rrule_js_child.mjs"],
    asks: ({ parts, zone }) =>
      !zone && !parts.BYSETPOS && !(parts.BYWEEKNO && (parts.INTERVAL || parts.BYWEEKNO.some(isAtNewYear))) &&
      !(["MINUTELY", "SECONDLY"].includes(parts.FREQ) && Object.keys(parts).some((name) => name.startsWith("BY"))),
    reasons: REASONS,
  },
];

// --- asking ----------------------------------------------------------------------------------------------------

/** Our answers, cut where the others stop looking. */
function ask(questions) {
  const input = questions.map(({ parts, start, zone }) => {
    const dtstart = compact(start) + (zone ? "" : "Z");
    return JSON.stringify({ kind: "rrule", rrule: textOf(parts), dtstart, zone, count: COUNT }) + "\n";
  }).join("");
  const done = spawnSync(sundial, ["next", "--json"], { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (done.status !== 0) throw new Error(`${sundial} failed: ${done.stderr}`);
  const answers = done.stdout.split("\n").filter((line) => line).map((line) => JSON.parse(line));
  if (answers.length !== questions.length) throw new Error("not one answer for each question");
  return answers.map(({ utc, error }, i) => {
    if (error && error.code !== "never_fires") return `refused: ${error.message}`;
    return cut((utc ?? []).map((text) => compact(Date.parse(text))), questions[i]);
  });
}

const cut = (times, { end }) => times.filter((time) => time <= compact(end)).join(" ");

/** The end is UNTIL for the others; COUNT, which excludes it, is ours alone. */
function lineOf({ parts, start, end, zone }) {
  const { COUNT: count = COUNT, ...rest } = parts;
  const until = compact(end + 2 * DAY);
  return [compact(start), until, count, textOf({ ...rest, UNTIL: until }), ...(zone ? [zone] : [])].join("\t") + "\n";
}

/** The other program's answers, "no answer" where it fell silent; then another process goes on. */
async function askOther({ command: [program, ...args] }, questions) {
  const answers = [];
  while (answers.length < questions.length) {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
    let clock;
    const wait = () => {
      clearTimeout(clock);
      clock = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    };
    wait();
    child.stdin.on("error", () => {});
    child.stdin.end(questions.slice(answers.length).map(lineOf).join(""));
    for await (const line of createInterface({ input: child.stdout })) {
      answers.push(line.trim());
      wait();
    }
    clearTimeout(clock);
    if (answers.length < questions.length) answers.push("no answer");
  }
  return answers.map((answer, i) => (/^\d|^$/.test(answer) ? cut(answer.split(" ").filter(Boolean), questions[i]) : answer));
}

// --- comparing -------------------------------------------------------------------------------------------------

/** Whether two answers are the same from a moment on, as far as both go. */
function sameFrom(moment, ...answers) {
  const lists = answers.map((answer) => answer.split(" ").filter((time) => time >= compact(moment)));
  const length = Math.min(...lists.map((list) => list.length));
  return length > 0 && lists[0].slice(0, length).join() === lists[1].slice(0, length).join();
}

function explains(reason, { question, ours, theirs }) {
  if (reason.agreesFrom) return sameFrom(reason.agreesFrom(question), ours, theirs);
  const parts = reason.asThey(question.parts);
  return (parts === null ? "" : ask([{ ...question, parts }])[0]) === theirs;
}

/** The reason for a difference, if there is one that explains the answer. */
const reasonFor = (other, difference) =>
  other.reasons.find((reason) => reason.applies(difference.question.parts) && explains(reason, difference))?.name;

/** Whether we found all that was wanted: after the last one the others would search on to year 9999, step by step. */
const complete = ({ question, ours }) => ours.split(" ").filter(Boolean).length === (question.parts.COUNT ?? COUNT);

async function compare(other, questions, ours) {
  const asked = questions.map((question, i) => ({ question, ours: ours[i] }))
    .filter((one) => other.asks(one.question) && complete(one));
  const theirs = await askOther(other, asked.map(({ question }) => question));
  const tally = new Map();
  const count = (what) => tally.set(what, (tally.get(what) ?? 0) + 1);
  let unexplained = 0;
  asked.forEach((one, i) => {
    if (one.ours === theirs[i]) return count("the same answer");
    if (theirs[i] === "no answer" || theirs[i] === "refused") return count(theirs[i]);
    const reason = reasonFor(other, { ...one, theirs: theirs[i] });
    if (reason) return count(reason);
    ++unexplained;
    const { parts, start, zone } = one.question;
    console.log(`${other.name}: ${textOf(parts)} from ${compact(start)} ${zone ?? ""}\n  ours   ${one.ours}\n  theirs ${theirs[i]}`);
    return count("without a reason");
  });
  console.log(`${other.name}: ${asked.length} asked`);
  for (const [what, times] of tally) console.log(`  ${times} ${what}`);
  // A program that gives no answer or refuses more often proves nothing.
  const silent = (tally.get("no answer") ?? 0) + (tally.get("refused") ?? 0);
  return unexplained === 0 && silent <= asked.length / 10;
}

const random = new Random(seed);
const questions = Array.from({ length: Number(many) }, () => randomQuestion(random, ZONES));
const ours = ask(questions);
const results = await Promise.all(OTHERS.map((other) => compare(other, questions, ours)));
process.exit(results.every(Boolean) ? 0 : 1);
