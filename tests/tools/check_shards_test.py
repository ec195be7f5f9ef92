#!/usr/bin/env python3
"""tools/check_shards finds each violation, and leaves statements of one shard alone.

usage: check_shards_test.py CHECK_SHARDS
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

# Without site-packages: loading those takes longer than the check.
CHECK = (sys.executable, "-S", pathlib.Path(sys.argv.pop(1)).resolve())

KEEPS_THE_RULES = (
    "SELECT * FROM sundial.v_events WHERE shard = $1 AND id = $2 LIMIT 1",
    "SELECT count(*) FROM sundial.users",
    """UPDATE sundial.events AS event SET lease_ends = given.ends
         FROM (SELECT $1::smallint AS shard, *, sundial.clock() + $3 AS ends FROM unnest($2::uuid[]) AS given(id)) AS given
        WHERE (event.shard = $1 OR event.shard = $1::integer) AND event.shard = given.shard AND event.id = given.id
       RETURNING event.id, given.now""",
    """INSERT INTO sundial.attempts (shard, event_id) SELECT event.shard, event.id FROM sundial.events AS event
        WHERE event.shard = $1 FOR UPDATE OF event ON CONFLICT DO NOTHING""",
    "INSERT INTO sundial.event_moves (shard, event_id) VALUES ($1, $2)",
    "SELECT due.now FROM sundial.events AS due WHERE due.shard = $1 AND due.claimable_at <= sundial.clock()",
    """INSERT INTO sundial.events (shard, id, attempt) SELECT keyed.shard, $2, keyed.attempt FROM sundial.event_keys AS keyed
        WHERE keyed.shard = $1 AND keyed.key = $3 AND keyed.event_id = $2 RETURNING attempt""",
    """UPDATE sundial.events AS event SET claimed_by = $4
         FROM (SELECT due.* FROM unnest($2::smallint[]) AS share(priority) CROSS JOIN LATERAL (
                   SELECT shard, id FROM sundial.events WHERE shard = $1 AND claimable_at <= sundial.clock()
                    LIMIT 9 FOR UPDATE SKIP LOCKED) AS due) AS ready
        WHERE event.shard = $1 AND event.id = ready.id RETURNING event.*""",
    """WITH RECURSIVE line AS (SELECT id FROM sundial.events WHERE shard = $1 UNION ALL
           SELECT later.id FROM sundial.events AS later JOIN line ON later.id > line.id WHERE later.shard = $1)
       SELECT * FROM line""",
    """SELECT event.* FROM (SELECT $1::smallint AS shard, * FROM unnest($2::uuid[]) AS found(id) OFFSET 0) AS found
         JOIN sundial.events AS event ON (event.shard = $1 OR event.shard = $1::integer) AND event.id = found.id
        ORDER BY event.id FOR UPDATE OF event""",
)

# A statement, and what the sentence says.
VIOLATIONS = (
    ("SELECT * FROM sundial.events WHERE id = $1", 'names sundial.events without "shard = $n"'),
    ("SELECT * FROM sundial.events AS e WHERE shard = $1", "names sundial.events AS e without"),
    ("SELECT id FROM sundial.events WHERE shard = $1 UNION ALL SELECT id FROM sundial.event_history WHERE id = $2",
     "names sundial.event_history without"),
    ("DELETE FROM sundial.events AS e USING given WHERE e.shard = given.shard AND e.id = given.id",
     "names sundial.events AS e without"),
    ("SELECT 1 WHERE EXISTS (SELECT FROM sundial.attempts WHERE event_id = $1)", "names sundial.attempts without"),
    ("WITH kept AS (INSERT INTO sundial.attempts (shard, number) VALUES ($1, 2)) SELECT 1", "has an INSERT in WITH"),
    ("INSERT INTO sundial.attempts (shard, number) SELECT $1, n FROM unnest($2::integer[]) AS n", "inserts into sundial.attempts"),
    ("INSERT INTO sundial.event_keys (shard, key) VALUES (sundial.shard_of_key($1, $2), $1)", "computes a shard"),
    ("UPDATE sundial.events SET version = 2 WHERE shard = $1 RETURNING sundial.clock()", "returns a value of the machine"),
    ("UPDATE sundial.events SET due = CASE WHEN pull THEN sundial.clock() + $2 END WHERE shard = $1", "adds to the clock"),
    ("UPDATE sundial.events SET due = sundial.clock() + jitter WHERE shard = $1", "adds to the clock"),
    ("SELECT version FROM sundial.events WHERE shard = $1 AND xmin = $2::xid", "reads xmin"),
    ("SELECT id FROM sundial.events WHERE shard = $1 AND due <= now()", "reads a clock of the machine"),
    ("UPDATE sundial.events SET updated_at = statement_timestamp() WHERE shard = $1", "reads a clock of the machine"),
    ("SELECT id FROM sundial.events WHERE shard = $1 AND due <= CURRENT_TIMESTAMP", "reads a clock of the machine"),
    ("""WITH RECURSIVE line AS (SELECT id FROM sundial.events WHERE shard = $1 UNION ALL
             SELECT later.id FROM sundial.events AS later JOIN line ON later.id > line.id) SELECT * FROM line""",
     "is recursive over several shards"),
)


class CheckShards(unittest.TestCase):
    def check(self, source):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "src/adapters/postgres/some_sql.hpp"
            path.parent.mkdir(parents=True)
            path.write_text(source, encoding="utf-8")
            done = subprocess.run([*CHECK, folder], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def statement(self, sql, name="one"):
        return f'#include "none.hpp"\ninline constexpr Statement {name}{{"{name}", R"sql({sql})sql"}};\n'

    def test_statements_of_one_shard_are_left_alone(self):
        for sql in KEEPS_THE_RULES:
            with self.subTest(sql):
                self.assertEqual(self.check(self.statement(sql)), (0, ""))

    def test_each_violation_is_found(self):
        for sql, sentence in VIOLATIONS:
            with self.subTest(sql):
                code, said = self.check(self.statement(sql))
                self.assertEqual(code, 1)
                self.assertIn("some_sql.hpp: one ", said)
                self.assertIn(sentence, said)

    def test_texts_that_macros_put_together_are_read(self):
        source = ('#define ALL "SELECT * FROM " /* all */ "sundial.events"\n'
                  '#define LIST(name) inline constexpr Statement name {#name, ALL " WHERE due = $1", Statement::Plan::fresh}\n'
                  "LIST(by_due);\n")
        code, said = self.check(source)
        self.assertEqual(code, 1)
        self.assertIn("by_due names sundial.events without", said)

    def test_an_exception_that_is_not_needed_is_refused(self):
        code, said = self.check(self.statement("SELECT * FROM sundial.events WHERE shard = $1", "peek"))
        self.assertEqual(code, 1)
        self.assertIn("peek keeps the rules; remove it", said)

    def test_a_known_exception_passes(self):
        self.assertEqual(self.check(self.statement("SELECT * FROM sundial.events", "peek")), (0, ""))

    def test_a_listed_read_of_all_shards_neither_changes_nor_locks_rows(self):
        for sql, sentence in (
            ("DELETE FROM sundial.events WHERE user_id = $1", "depth changes or locks rows"),
            ("UPDATE sundial.events SET user_id = NULL WHERE user_id = $1", "depth changes or locks rows"),
            ("SELECT * FROM sundial.events WHERE user_id = $1 FOR UPDATE", "depth changes or locks rows"),
            ("WITH RECURSIVE a AS (SELECT id FROM sundial.events) SELECT id FROM a", "depth is recursive"),
            ("SELECT head.id FROM unnest($1::smallint[]) AS part(shard) CROSS JOIN LATERAL (SELECT id FROM sundial.events"
             " WHERE shard = part.shard LIMIT 1) AS head", "depth has a LIMIT in a LATERAL"),
        ):
            with self.subTest(sql):
                code, said = self.check(self.statement(sql, "depth"))
                self.assertEqual(code, 1)
                self.assertIn(sentence, said)


if __name__ == "__main__":
    unittest.main()
