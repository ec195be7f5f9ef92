// Random cron expressions, kept in parts so that each program can be asked in its own words.

/** Numbers that look random and are the same for the same seed (a linear congruential generator). */
export class Random {
  constructor(seed) {
    this.state = BigInt(seed);
  }
  below(end) {
    this.state = (this.state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((this.state >> 33n) % BigInt(end));
  }
  between(first, last) {
    return first + this.below(last - first + 1);
  }
  of(list) {
    return list[this.below(list.length)];
  }
  oneIn(n) {
    return this.below(n) === 0;
  }
}

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");
const WEEKDAYS = "SUN MON TUE WED THU FRI SAT".split(" ");

const FIELDS = {
  second: { first: 0, last: 59 },
  minute: { first: 0, last: 59 },
  hour: { first: 0, last: 23 },
  date: { first: 1, last: 31 },
  month: { first: 1, last: 12, names: MONTHS },
  weekday: { first: 0, last: 6, names: WEEKDAYS },
};

function plainItem(random, field) {
  const { first, last } = FIELDS[field];
  const a = random.between(first, last);
  const step = random.oneIn(2) ? random.between(2, last - first + 1) : undefined;
  switch (random.below(5)) {
    case 0:
      return { kind: "star", step: step ?? 2 };
    case 1:
      return { kind: "range", a, b: last, open: true, step: step ?? 2 }; // a/n
    case 2:
      return { kind: "range", a, b: random.between(first, last), step };
    default:
      return { kind: "value", a };
  }
}

function dateItem(random) {
  switch (random.below(8)) {
    case 0:
      return { kind: "last day" };
    case 1:
      return { kind: "last weekday" };
    case 2:
      return { kind: "before the last", a: random.between(1, 30) };
    case 3:
      return { kind: "nearest weekday", a: random.between(1, 31) };
    default:
      return plainItem(random, "date");
  }
}

function weekdayItem(random) {
  switch (random.below(6)) {
    case 0:
      return { kind: "last such", a: random.between(0, 6) };
    case 1:
      return { kind: "nth such", a: random.between(0, 6), nth: random.between(1, 5) };
    default:
      return plainItem(random, "weekday");
  }
}

function list(random, makeItem) {
  const items = [makeItem(random)];
  while (random.oneIn(3)) items.push(makeItem(random));
  return items;
}

const ANY = [{ kind: "star" }];

/** Half of the time without restriction: otherwise most expressions never fire. */
const dayField = (random, makeItem) => (random.oneIn(2) ? ANY : list(random, makeItem));

/** An expression: a list of items for each field; `second` is missing where there are five. */
export function randomExpression(random) {
  const field = (name) => list(random, () => plainItem(random, name));
  return {
    ...(random.oneIn(3) ? { second: random.oneIn(4) ? ANY : field("second") } : {}),
    minute: random.oneIn(5) ? ANY : field("minute"),
    hour: random.oneIn(4) ? ANY : field("hour"),
    date: dayField(random, dateItem),
    month: random.oneIn(5) ? field("month") : ANY,
    weekday: dayField(random, weekdayItem),
    named: random.oneIn(2), // months and weekdays by name
  };
}

const size = (field) => FIELDS[field].last - FIELDS[field].first + 1;

/** The reasons why some programs do not accept an item. */
export function featureOf(item) {
  if (item.kind === "range" && item.a > item.b) return "range that wraps";
  if (item.open) return "a/n";
  return item.kind;
}

export const features = (expression) =>
  new Set(Object.keys(FIELDS).flatMap((field) => {
    const items = expression[field] ?? [];
    return items.flatMap((item) => [featureOf(item), ...(items.length > 1 ? [`${featureOf(item)} in a list`] : [])]);
  }));

/** The values of a range, in order. */
function members(item, field) {
  const { first } = FIELDS[field];
  const end = item.a <= item.b ? item.b : item.b + size(field);
  const values = [];
  for (let v = item.a; v <= end; v += item.step ?? 1) values.push(((v - first) % size(field)) + first);
  return values;
}

function value(v, field, named) {
  const { names, first } = FIELDS[field];
  return names && named ? names[v - first] : String(v);
}

function itemText(item, field, expression, dialect) {
  const say = (v) => value(v, field, expression.named);
  const step = item.step ? `/${item.step}` : "";
  switch (item.kind) {
    case "star":
      // With the bounds said, a field that begins with a star is like every other.
      return dialect.starsAsRanges ? `${FIELDS[field].first}-${FIELDS[field].last}${step}` : `*${step}`;
    case "value":
      return say(item.a);
    case "range":
      if (item.a > item.b && dialect.noWrapping) return [...new Set(members(item, field))].map(say).join(",");
      if (item.open && field === "weekday" && dialect.openWeekdaysTo7) return `${item.a}-7${step}`;
      if (item.open && !dialect.noOpenSteps) return `${say(item.a)}${step}`;
      if (item.a === item.b && isSunday(item, field, expression) && dialect.sundayToSunday) return `0-7${step}`;
      return `${say(item.a)}-${say(item.b)}${step}`;
    case "last day":
      return "L";
    case "last weekday":
      return "LW";
    case "before the last":
      return `L-${item.a}`;
    case "nearest weekday":
      return `${item.a}W`;
    case "last such":
      return dialect.lastWithHash ? `${say(item.a)}#L` : `${say(item.a)}L`;
    case "nth such":
      return `${say(item.a)}#${item.nth}`;
    default:
      throw new Error(`no such item: ${item.kind}`);
  }
}

const isSunday = (item, field, { named }) => field === "weekday" && named && item.a === 0;

/** Whether `SUN-SUN` stands in it. */
export const hasSundayToSunday = (expression) =>
  expression.weekday.some((item) => item.kind === "range" && item.b === 0 && isSunday(item, "weekday", expression));

const isPlain = ({ kind }) => ["star", "value", "range"].includes(kind);

/** The plain items of a list as one list of values, none twice. */
function withoutDuplicates(items, field) {
  if (items.length === 1) return items;
  const { first, last } = FIELDS[field];
  const plain = items.filter(isPlain).flatMap((item) =>
    members(item.kind === "star" ? { a: first, b: last, step: item.step } : item.kind === "value" ? { ...item, b: item.a } : item, field));
  const values = [...new Set(plain)].sort((a, b) => a - b);
  const special = new Map(items.filter((item) => !isPlain(item)).map((item) => [JSON.stringify(item), item]));
  return [...values.map((a) => ({ kind: "value", a })), ...special.values()];
}

/** The text of an expression. `starsAsRanges` names the fields in which a star is written out. */
export function textOf(expression, dialect = {}) {
  return Object.keys(FIELDS)
    .filter((field) => expression[field])
    .map((field) => {
      const own = { ...dialect, starsAsRanges: dialect.starsAsRanges?.includes(field) };
      const items = dialect.noDuplicates ? withoutDuplicates(expression[field], field) : expression[field];
      return items.map((item) => itemText(item, field, expression, own)).join(",");
    })
    .join(" ");
}

const isAny = (items) => items.length === 1 && items[0].kind === "star" && !items[0].step;
const beginsWithStar = (items) => items[0].kind === "star";

/** Whether the two day fields are joined by "and" only because one begins with a star and a step. */
export function joinedByStar({ date, weekday }) {
  if (isAny(date) || isAny(weekday)) return false;
  return beginsWithStar(date) || beginsWithStar(weekday);
}

/** A fixed-time job by the rule of Vixie cron. */
export const isFixedTime = ({ minute, hour }) => !beginsWithStar(minute) && !beginsWithStar(hour);

export const hasStepOrStar = (items) => items.some((item) => item.kind === "star" || item.step);
