// Random recurrence rules, kept in parts so that each program can be asked in its own words.

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

export const FREQUENCIES = ["SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"];
export const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const DAY = 86_400_000;

/** How far to look, in days: long enough to see something, short enough for those who walk. */
const WINDOW = { SECONDLY: 0.5, MINUTELY: 10, HOURLY: 200, DAILY: 1500, WEEKLY: 4000, MONTHLY: 10_000, YEARLY: 15_000 };

export const isElapsed = ({ FREQ }) => FREQUENCIES.indexOf(FREQ) < FREQUENCIES.indexOf("DAILY");

/** "19970902T090000" */
export const compact = (at) => new Date(at).toISOString().replace(/[-:]|\.000Z/g, "");

function numbers(random, first, last, { negative = false, most = 3 } = {}) {
  const found = new Set();
  for (let i = random.between(1, most); i > 0; --i) {
    const number = random.between(first, last);
    found.add(negative && random.oneIn(3) ? -number : number);
  }
  return [...found].sort((a, b) => a - b);
}

function weekdays(random, parts) {
  const numbered = ["MONTHLY", "YEARLY"].includes(parts.FREQ) && !parts.BYWEEKNO && random.oneIn(2);
  const found = new Set();
  for (let i = random.between(1, 4); i > 0; --i) {
    const nth = random.between(1, random.oneIn(4) && parts.FREQ === "YEARLY" && !parts.BYMONTH ? 53 : 5);
    found.add((numbered && !random.oneIn(5) ? (random.oneIn(3) ? -nth : nth) : "") + random.of(WEEKDAYS));
  }
  return [...found];
}

function randomParts(random) {
  const parts = { FREQ: random.of(FREQUENCIES) };
  const elapsed = isElapsed(parts);
  const yearly = parts.FREQ === "YEARLY";
  if (random.oneIn(2)) parts.INTERVAL = random.between(2, elapsed ? random.of([4, 50, 100_000]) : random.of([3, 20]));
  if (random.oneIn(elapsed ? 8 : 4)) parts.BYMONTH = numbers(random, 1, 12);
  if (yearly && random.oneIn(5)) parts.BYWEEKNO = numbers(random, 1, 53, { negative: true });
  if ((yearly || elapsed) && random.oneIn(8)) parts.BYYEARDAY = numbers(random, 1, 366, { negative: true });
  if (parts.FREQ !== "WEEKLY" && random.oneIn(elapsed ? 8 : 4))
    parts.BYMONTHDAY = numbers(random, 1, 31, { negative: true });
  if (random.oneIn(elapsed ? 6 : 3)) parts.BYDAY = weekdays(random, parts);
  if (random.oneIn(4)) parts.BYHOUR = numbers(random, 0, 23, { most: elapsed ? 12 : 3 });
  if (random.oneIn(4)) parts.BYMINUTE = numbers(random, 0, 59, { most: elapsed ? 30 : 3 });
  if (random.oneIn(5)) parts.BYSECOND = numbers(random, 0, 59, { most: elapsed ? 30 : 3 });
  const chosen = ["BYMONTH", "BYWEEKNO", "BYYEARDAY", "BYMONTHDAY", "BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND"];
  if (random.oneIn(4) && chosen.some((name) => parts[name]))
    parts.BYSETPOS = numbers(random, 1, random.of([2, 6, 40]), { negative: true });
  if (random.oneIn(3)) parts.WKST = random.of(WEEKDAYS);
  if (random.oneIn(4)) parts.COUNT = random.between(1, 12);
  return parts;
}

/** A question: the rule's parts, where it starts, and how far to look. */
export function randomQuestion(random, zones) {
  const parts = randomParts(random);
  const start = Date.UTC(1997, 0, 1) + random.below(8000) * DAY + random.below(DAY / 1000) * 1000;
  const zone = !isElapsed(parts) && random.oneIn(2) ? random.of(zones) : undefined;
  return { parts, start, end: start + WINDOW[parts.FREQ] * DAY, zone };
}

export const textOf = (parts) => Object.entries(parts).filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`).join(";");
