// pg-boss at the best settings that we found: four loops, each fetches a thousand jobs and completes them at once; no
// maintenance beside it. It keeps a completed row.
//
//     node pg_boss.mjs drain|bulk|one EVENTS postgresql://…     on an empty database
import { PgBoss } from "pg-boss";
import pg from "pg";
import { asked, inFlight, inThousands, seconds, tell } from "./measure.mjs";

const queue = "bench";

async function bossAt(connectionString) {
  const boss = new PgBoss({ connectionString, max: 10, supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue(queue);
  const database = new pg.Pool({ connectionString, max: 1 });
  const stored = async (state) =>
    Number((await database.query("SELECT count(*) FROM pgboss.job WHERE state = $1", [state])).rows[0].count);
  const tidy = async () => {
    await database.query("VACUUM (ANALYZE) pgboss.job");
    await database.query("CHECKPOINT");
  };
  return { boss, stored, tidy };
}

const bulk = (boss, events) =>
  inThousands(events, (from, to) => boss.insert(queue, Array.from({ length: to - from }, (_, i) => ({ data: { i: from + i } }))));

async function drain(events, connectionString) {
  const { boss, stored, tidy } = await bossAt(connectionString);
  await bulk(boss, events);
  await tidy();
  let done = 0;
  const loop = async () => {
    for (;;) {
      const jobs = await boss.fetch(queue, { batchSize: 1000 });
      if (!jobs.length) return;
      await boss.complete(queue, jobs.map((job) => job.id));
      done += jobs.length;
    }
  };
  const took = await seconds(() => Promise.all([loop(), loop(), loop(), loop()]));
  tell("drain", events, took, done === events && (await stored("completed")) === events);
}

async function createInBulk(events, connectionString) {
  const { boss, stored } = await bossAt(connectionString);
  const took = await seconds(() => bulk(boss, events));
  tell("create", events, took, (await stored("created")) === events);
}

async function createOneByOne(events, connectionString) {
  const { boss, stored } = await bossAt(connectionString);
  const took = await seconds(() => inFlight(events, 10, (i) => boss.send(queue, { i })));
  tell("create", events, took, (await stored("created")) === events);
}

await asked({ drain, bulk: createInBulk, one: createOneByOne });
