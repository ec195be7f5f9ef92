// Our cron rules against two independent implementations: croner, and cron-parser.
//
// usage: node cron.mjs SUNDIAL EXPRESSIONS [SEED]
//
// Random expressions, zones and moments, half of them near a change of the zone's clock. Where an answer differs
// from ours, the reason must be one of those below, and must explain the answer: when we are asked as the other
// program understood the question, we answer as it did. docs/time-crosschecks.md says why ours is right.
import { spawnSync } from "node:child_process";
import { Cron } from "croner";
import { CronExpressionParser } from "cron-parser";
import {
  Random, features, hasStepOrStar, hasSundayToSunday, isFixedTime, joinedByStar, randomExpression, textOf,
} from "./expression.mjs";
import { ZONES, changes } from "./zones.mjs";

const HOUR = 3_600_000;
const FROM = Date.UTC(1990, 0, 1);
const UNTIL = Date.UTC(2025, 0, 1); // of later years tz databases may know different things
const COUNT = 6;

const CRONER = {
  name: "croner",
  refuses: ["before the last", "last weekday in a list"],
  dialect: { noWrapping: true, noOpenSteps: true, lastWithHash: true },
  next(text, zone, after) {
    const options = { timezone: zone, paused: true, fixedTimeRule: "no-wildcard" };
    return new Cron(text, options).nextRuns(COUNT, new Date(after)).map(Number);
  },
};

const CRON_PARSER = {
  name: "cron-parser",
  refuses: ["before the last", "last weekday", "nearest weekday", "nth such in a list"],
  dialect: { noWrapping: true, noDuplicates: true },
  next(text, zone, after) {
    const rule = CronExpressionParser.parse(text, { currentDate: new Date(after), tz: zone });
    return rule.take(COUNT).map((date) => date.getTime()); // fewer when it gives up the search
  },
};

/** Why an answer may differ: whose it is, when, and how we would have to be asked to answer the same. */
const REASONS = [
  {
    name: "either of two day fields is enough, though one begins with a star",
    of: ["croner", "cron-parser"],
    applies: joinedByStar,
    dialect: { starsAsRanges: ["date", "weekday"] },
  },
  {
    name: "a step anywhere makes a job that follows the real clock",
    of: ["croner"],
    applies: (expression) =>
      isFixedTime(expression) && ["second", "minute", "hour"].some((field) => hasStepOrStar(expression[field] ?? [])),
    policies: { gap: "skip", overlap: "both" },
  },
  {
    name: "SUN-SUN is the whole week",
    of: ["croner"],
    applies: hasSundayToSunday,
    dialect: { sundayToSunday: true },
  },
  {
    name: "a/n of weekdays reaches 7, so Sunday",
    of: ["cron-parser"],
    applies: ({ weekday }) => weekday.some(({ open }) => open),
    dialect: { openWeekdaysTo7: true },
  },
];

/** How far from a change of the clock cron-parser may be off. */
const NEAR = 26 * HOUR;
const NEAR_A_CHANGE = "within a day of a change of the clock, where it counts hours from others";

// --- asking ---------------------------------------------------------------------------------------------------

/** Our answers: for each question a list of instants, empty if it never fires, or an error's code. */
function ask(sundial, questions) {
  const lines = questions.map(({ expression, zone, after, dialect, policies }) =>
    JSON.stringify({
      kind: "cron", expr: textOf(expression, dialect), zone, after: new Date(after).toISOString(), count: COUNT,
      ...policies,
    }));
  const input = lines.map((line) => line + "\n").join("");
  const done = spawnSync(sundial, ["next", "--json"], { input, encoding: "utf8", maxBuffer: 2 ** 30 });
  if (done.status !== 0) throw new Error(`${sundial} failed: ${done.stderr}`);
  const answers = done.stdout.split("\n").filter((line) => line).map((line) => JSON.parse(line));
  if (answers.length !== questions.length) throw new Error("not one answer for each question");
  const instants = ({ utc, error }) => (error?.code === "never_fires" ? [] : utc?.map((text) => Date.parse(text)));
  return answers.map((answer) => instants(answer) ?? answer.error.code);
}

/** The other program's answer: a list, or what it said when it refused. */
function askOther(other, { expression, zone, after }) {
  try {
    return other.next(textOf(expression, other.dialect), zone, after);
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

const early = (list) => list.filter((at) => at < UNTIL);
const same = (a, b) => Array.isArray(a) && Array.isArray(b) && early(a).join() === early(b).join();

/** To refuse is a right answer too when there is nothing to come. */
const agrees = ({ ours, theirs }) => same(ours, theirs) || (ours.length === 0 && typeof theirs === "string");

/** Whether two answers agree where no change of the clock is near, and some change is. */
function sameButNear(changes, ours, theirs) {
  if (!Array.isArray(ours) || !Array.isArray(theirs)) return false;
  const isNear = (at) => changes.some((change) => Math.abs(change.at - at) < NEAR);
  const far = [ours, theirs].map((list) => early(list).filter((at) => !isNear(at)));
  const length = Math.min(...far.map((list) => list.length));
  return [...ours, ...theirs].some(isNear) && far[0].slice(0, length).join() === far[1].slice(0, length).join();
}

// --- questions ------------------------------------------------------------------------------------------------

function makeQuestions(random, count) {
  const changesOf = new Map(ZONES.map((zone) => [zone, changes(zone, FROM, UNTIL)]));
  return Array.from({ length: count }, () => {
    const zone = random.of(ZONES);
    const known = changesOf.get(zone);
    const near = known.length > 0 && random.oneIn(2);
    const after = near
      ? random.of(known).at - random.below(48) * HOUR + random.below(7200) * 1000
      : FROM + random.below((UNTIL - FROM) / 1000) * 1000;
    return { expression: randomExpression(random), zone, after, changes: known };
  });
}

// --- comparing ------------------------------------------------------------------------------------------------

/** `question` as a program understands it for all of `reasons`. */
function understood(question, reasons) {
  const dialect = Object.assign({}, ...reasons.map((reason) => reason.dialect));
  return { ...question, dialect, policies: Object.assign({}, ...reasons.map((reason) => reason.policies)) };
}

/** Every set of the reasons that apply, the fewest first, none included. */
function setsOfReasons({ expression }, other) {
  const reasons = REASONS.filter((reason) => reason.of.includes(other.name) && reason.applies(expression));
  const sets = Array.from({ length: 2 ** reasons.length }, (_, bits) => reasons.filter((_reason, i) => (bits >> i) & 1));
  return sets.sort((a, b) => a.length - b.length);
}

/** Gives each difference that has one its `reason`. */
function explain(sundial, other, differences) {
  const tries = differences.flatMap((difference) =>
    setsOfReasons(difference.question, other).map((reasons) => ({ difference, reasons })));
  if (tries.length === 0) return;
  const answers = ask(sundial, tries.map(({ difference, reasons }) => understood(difference.question, reasons)));
  const settle = (fits, further) => tries.forEach(({ difference, reasons }, i) => {
    const names = [...reasons.map(({ name }) => name), ...further];
    if (!difference.reason && fits(difference, answers[i])) difference.reason = names.join("; and ");
  });
  settle(({ theirs }, answer) => same(answer, theirs), []);
  if (other === CRON_PARSER)
    settle(({ question, theirs }, answer) => sameButNear(question.changes, answer, theirs), [NEAR_A_CHANGE]);
}

function compare(sundial, other, questions, ours) {
  const takes = ({ expression }) => !other.refuses.some((feature) => features(expression).has(feature));
  const asked = questions.map((question, i) => ({ question, ours: ours[i] })).filter(({ question }) => takes(question));
  for (const each of asked) each.theirs = askOther(other, each.question);
  const differences = asked.filter((each) => !agrees(each));
  explain(sundial, other, differences);
  return { asked: asked.length, differences };
}

function byReason(differences) {
  const found = new Map();
  for (const each of differences) found.set(each.reason, [...(found.get(each.reason) ?? []), each]);
  return [...found].sort((a, b) => b[1].length - a[1].length);
}

function show({ question, ours, theirs }) {
  const say = (list) => (Array.isArray(list) ? list.map((at) => new Date(at).toISOString()).join(" ") : list);
  return [
    `  ${textOf(question.expression)}  in ${question.zone} after ${new Date(question.after).toISOString()}`,
    `    ours   ${say(ours)}`,
    `    theirs ${say(theirs)}`,
  ].join("\n");
}

const [sundial, count, seed = "1"] = process.argv.slice(2);
const questions = makeQuestions(new Random(seed), Number(count));
const ours = ask(sundial, questions);
console.log(`${questions.length} questions, seed ${seed}`);
let failed = false;
for (const other of [CRONER, CRON_PARSER]) {
  const { asked, differences } = compare(sundial, other, questions, ours);
  console.log(`${other.name}: ${asked} asked (what it does not take is left out), ${asked - differences.length} the same`);
  for (const [reason, all] of byReason(differences)) {
    if (reason) console.log(`  ${all.length} differ: ${reason}`);
  }
  const unexplained = differences.filter(({ reason }) => !reason);
  if (unexplained.length > 0) {
    failed = true;
    console.log(`  ${unexplained.length} DIFFER WITHOUT A KNOWN REASON`);
    for (const difference of unexplained.slice(0, 10)) console.log(show(difference));
  }
}
process.exit(failed ? 1 : 0);
