// graphile-worker at the best settings that we found: one process, a local queue of 5000, completions in batches.
// It deletes a job that is done: nothing is kept.
//
//     node graphile_worker.mjs drain|bulk|one EVENTS postgresql://…     on an empty database
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { asked, inFlight, inThousands, seconds, tell } from "./measure.mjs";

const quiet = new Logger(() => () => {});
const identifier = "bench";

async function utilsAt(connectionString, maxPoolSize = 10) {
  const pgPool = new pg.Pool({ connectionString, max: maxPoolSize });
  const complain = (error) => console.error(error.message);
  pgPool.on("error", complain).on("connect", (client) => client.on("error", complain));
  const utils = await makeWorkerUtils({ pgPool, logger: quiet });
  await utils.migrate();
  const remaining = async () =>
    Number((await pgPool.query("SELECT count(*) FROM graphile_worker._private_jobs")).rows[0].count);
  const tidy = async () => {
    await pgPool.query("VACUUM (ANALYZE) graphile_worker._private_jobs");
    await pgPool.query("CHECKPOINT");
  };
  return { utils, pgPool, remaining, tidy };
}

const bulk = (utils, events) =>
  inThousands(events, (from, to) =>
    utils.addJobs(Array.from({ length: to - from }, (_, i) => ({ identifier, payload: { i: from + i } }))));

async function drain(events, connectionString) {
  const { utils, pgPool, remaining, tidy } = await utilsAt(connectionString);
  await bulk(utils, events);
  await tidy();
  let done = 0;
  let allDone;
  const finished = new Promise((resolve) => (allDone = resolve));
  const took = await seconds(async () => {
    const runner = await run({
      pgPool,
      logger: quiet,
      noHandleSignals: true,
      preset: {
        worker: {
          concurrentJobs: 24,
          localQueue: { size: 5000 },
          completeJobBatchDelay: 0,
          failJobBatchDelay: 0,
        },
      },
      taskList: {
        [identifier]: () => {
          if (++done === events) allDone();
        },
      },
    });
    await finished;
    await runner.stop(); // the last completions are written
  });
  tell("drain", events, took, done === events && (await remaining()) === 0);
}

async function createInBulk(events, connectionString) {
  const { utils, remaining } = await utilsAt(connectionString);
  const took = await seconds(() => bulk(utils, events));
  tell("create", events, took, (await remaining()) === events);
}

async function createOneByOne(events, connectionString) {
  const { utils, remaining } = await utilsAt(connectionString);
  const took = await seconds(() => inFlight(events, 10, (i) => utils.addJob(identifier, { i })));
  tell("create", events, took, (await remaining()) === events);
}

await asked({ drain, bulk: createInBulk, one: createOneByOne });
