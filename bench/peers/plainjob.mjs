// plainjob on the SQLite that Node brings along, with synchronous=FULL (it sets NORMAL by itself). It keeps a done row.
//
//     node plainjob.mjs drain|one EVENTS FILE     a file that is not there yet
import { DatabaseSync } from "node:sqlite";
import { defineQueue, defineWorker } from "plainjob";
import { asked, seconds, tell } from "./measure.mjs";

const type = "bench";
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

/** The driver interface that plainjob requires. */
function connectionTo(file) {
  const database = new DatabaseSync(file);
  return {
    driver: "better-sqlite3",
    filename: file,
    pragma: (text) => database.exec(`PRAGMA ${text}`),
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
    transaction: (work) => {
      const inOne = (...given) => {
        database.exec("BEGIN IMMEDIATE");
        try {
          const result = work(...given);
          database.exec("COMMIT");
          return result;
        } catch (error) {
          database.exec("ROLLBACK");
          throw error;
        }
      };
      inOne.immediate = inOne;
      return inOne;
    },
  };
}

function queueIn(file) {
  const connection = connectionTo(file);
  const queue = defineQueue({ connection, logger: quiet });
  connection.pragma("synchronous = FULL");
  return queue;
}

const stored = (queue, status) => queue.countJobs({ type, status });
const [pending, done] = [0, 2]; // plainjob's JobStatus

async function drain(events, file) {
  const queue = queueIn(file);
  queue.addMany(type, Array.from({ length: events }, (_, i) => ({ i })));
  let handled = 0;
  let allHandled;
  const finished = new Promise((resolve) => (allHandled = resolve));
  const worker = defineWorker(type, async () => {
    if (++handled === events) allHandled();
  }, { queue, logger: quiet });
  const took = await seconds(async () => {
    worker.start();
    await finished;
    await worker.stop();
  });
  tell("drain", events, took, handled === events && stored(queue, done) === events);
}

async function createOneByOne(events, file) {
  const queue = queueIn(file);
  const took = await seconds(() => {
    for (let i = 0; i < events; ++i) queue.add(type, { i });
  });
  tell("create", events, took, stored(queue, pending) === events);
}

await asked({ drain, one: createOneByOne });
