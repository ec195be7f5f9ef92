// Shared by the harnesses: the clock, and the last line of their output.

/** Runs `work`, and returns its duration in seconds. Two lines tell the reader when to note the CPU time used so far. */
export async function seconds(work) {
  console.log(JSON.stringify({ measuring: true }));
  const begin = process.hrtime.bigint();
  await work();
  const took = Number(process.hrtime.bigint() - begin) / 1e9;
  console.log(JSON.stringify({ measuring: false }));
  return took;
}

/** The members that `sundial bench --json` ends with, as far as a peer has them. */
export function tell(work, events, took, valid) {
  console.log(JSON.stringify({ work, events, eventsPerSecond: events / took, valid }));
  process.exit(valid ? 0 : 1);
}

/** `doOne(i)` for every i below `count`, so many under way at once. */
export async function inFlight(count, atOnce, doOne) {
  let next = 0;
  const one = async () => {
    for (let i = next++; i < count; i = next++) await doOne(i);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** Calls `store(from, to)` for pieces of a thousand. */
export async function inThousands(count, store) {
  for (let from = 0; from < count; from += 1000) await store(from, Math.min(count, from + 1000));
}

export function asked(works) {
  const [work, events, storage] = process.argv.slice(2);
  if (!works[work] || !(Number(events) > 0) || !storage) {
    console.error(`usage: node ${process.argv[1]} ${Object.keys(works).join("|")} EVENTS URL|FILE`);
    process.exit(2);
  }
  return works[work](Number(events), storage);
}
