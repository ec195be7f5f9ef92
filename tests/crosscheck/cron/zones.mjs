// Zones whose clocks changed in many ways, and when, by the tz database of node.

export const ZONES = `
  UTC Etc/GMT+5 Asia/Tokyo Asia/Kathmandu Asia/Kolkata
  America/New_York Europe/London Europe/Berlin Europe/Dublin America/St_Johns Australia/Sydney Pacific/Auckland
  Australia/Lord_Howe Pacific/Chatham Antarctica/Troll Atlantic/Azores
  Africa/Cairo Asia/Beirut America/Santiago America/Sao_Paulo America/Havana Asia/Amman
  America/Caracas Asia/Pyongyang Europe/Moscow Europe/Istanbul Pacific/Apia Pacific/Kwajalein
`.trim().split(/\s+/);

const DAY = 86_400_000;

/** Minutes east of UTC. */
function offsetReader(zone) {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
    hour: "numeric", minute: "numeric", second: "numeric",
  });
  return (instant) => {
    const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    return (Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second) - instant) / 60_000;
  };
}

/** The instants from which `zone` has another offset, between two instants: { at, before, after }. */
export function changes(zone, from, until) {
  const offset = offsetReader(zone);
  const found = [];
  const step = 5 * DAY; // no two changes of these zones are nearer
  for (let at = from; at < until; at += step) {
    const before = offset(at);
    const after = offset(at + step);
    if (before === after) continue;
    let low = at;
    let high = at + step;
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    found.push({ at: high, before, after });
  }
  return found;
}
