// A program of node's with an own table: client.mjs SOCKET_FOLDER USER DATABASE. Prints what came of each order, as JSON.
import pg from "pg";

const [host, user, database] = process.argv.slice(2);
const client = new pg.Client({ host, user, database });
await client.connect();
await client.query("CREATE TABLE IF NOT EXISTS node_orders (id integer PRIMARY KEY)");

async function place(id, key, end) {
  await client.query("BEGIN");
  try {
    await client.query("INSERT INTO node_orders VALUES ($1)", [id]);
    const { rows } = await client.query(
      "SELECT sundial.schedule_event('ORDER', now(), $1::jsonb, 'r', idempotency_key => $2) AS id",
      [JSON.stringify({ order: id }), key],
    );
    await client.query(end);
    return { id: rows[0].id };
  } catch (error) {
    await client.query("ROLLBACK");
    return { code: error.code, message: error.message, detail: JSON.parse(error.detail) };
  }
}

const placed = await place(1, "node-1", "COMMIT");
const undone = await place(2, "node-2", "ROLLBACK");
const refused = await place(3, "node-1", "COMMIT");
const { rows } = await client.query("SELECT id FROM node_orders ORDER BY id");
console.log(JSON.stringify({ placed, undone, refused, orders: rows.map((row) => row.id) }));
await client.end();
