"""The program behind pgbouncer in transaction mode: an ordinary day, kill -9 of instances under load, pgbouncer itself killed."""
import contextlib
import json

import crashes
import daily_use
import harness as h
from poolers import SESSIONS, CheckedPooler, pooler


def expect_no_trouble(pool):
    """Nothing that only a session could keep was asked for."""
    text = pool.server_log()
    for sign in ("prepared statement", "unrecognized configuration parameter", "current transaction is aborted",
                 "there is already a transaction in progress", "there is no transaction in progress"):
        assert sign not in text, f"{sign}:\n{text}"


def day():
    """The same day as on SQLite."""
    receiver = h.Receiver(refuse="/404")
    with h.folder() as directory, pooler() as pool:
        with h.running("serve", "--db", pool.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            daily_use.schedules(server.client())
            daily_use.events(server.client(), receiver)
            assert server.client().get("/readyz").status == 200
            assert server.stop() == 0
        with h.running("serve", "--db", pool.url, f"--storage.listen_url={pool.url}", folder=directory) as server:
            warned = lambda: [line for line in server.log() if "storage.listen_url leads to a pooler" in line["msg"]]
            h.wait_until(warned, "a warning that hints do not come through a pooler")
            assert server.stop() == 0
        expect_no_trouble(pool)


def crash():
    """Three instances with up to 24 connections share four sessions; two of them are killed."""
    @contextlib.contextmanager
    def pooled():
        with pooler() as pool:
            yield pool.url
            expect_no_trouble(pool)
    crashes.three_instances(600, 2, 1, pooled)
    print(f"through pgbouncer, {SESSIONS} sessions for three instances")


def in_turn():
    """A pooler gives the session to another client once a transaction has ended. Statements that follow before the answer may
    reach two sessions: pgbouncer 1.18 lets one client run another's."""
    with h.folder() as directory, h.postgres(migrated=True) as direct:
        pool = CheckedPooler(direct)
        with h.running("serve", "--db", pool.url, "--storage.pool_size=2", folder=directory) as server:
            client = server.client()
            client.ok("POST", "/v1/endpoints", {"name": "later", "type": "PULL", "externalId": "later"})
            for n in range(10):
                made = client.ok("POST", "/v1/events", {"eventType": "LATER", "targetTimestampUTC": "now+9h", "endpointId": "ext:later",
                                                        "deliveryPayload": n})
                assert client.ok("GET", f"/v1/events/{made['id']}")["deliveryPayload"] == n
            assert server.stop() == 0
        assert pool.syncs > 40 and not pool.early, (pool.syncs, pool.early)


def pooler_killed():
    """Connections to pgbouncer break in the middle of everything: nothing acknowledged is lost, nothing is there twice."""
    receiver = h.Receiver()
    with h.folder() as directory, pooler() as pool:
        with h.running("serve", "--db", pool.url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            client = server.client()
            client.ok("POST", "/v1/endpoints", {"name": "receiver", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})
            keys = [f"e-{i}" for i in range(300)]
            creators = crashes.start_creators([server], keys)
            for goal in (60, 150):
                h.wait_until(lambda: receiver.count() >= goal, "progress")
                pool.kill()
                pool.start()
            for creator in creators:
                creator.join()
            h.wait_until(lambda: crashes.counts(client) == {"COMPLETED": len(keys)}, "every event to be settled")
            assert set(receiver.ids()) == set(keys)
            attempts = [(headers["webhook-id"], headers["Sundial-Attempt"]) for _, headers, _ in receiver.received]
            assert len(set(attempts)) == len(attempts), "an attempt was sent twice"
            assert all(json.loads(body)["key"] == headers["webhook-id"] for _, headers, body in receiver.received)
            unknown = len(server.logged("commit.outcome_unknown"))
            print(f"{len(keys)} events, pgbouncer killed twice: all delivered, {unknown} commits without an answer")
            assert server.stop() == 0


if __name__ == "__main__":
    h.main({"day": day, "crash": crash, "in_turn": in_turn, "pooler_killed": pooler_killed})
