"""A primary dies, its synchronous standby takes over, the old one comes back: nothing acknowledged is lost, and no instance
listens to the one that was left behind."""
import os
import sys
import threading
import time

import harness as h

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/chaos"))
from postgres import Postgres  # noqa: E402

import crashes  # noqa: E402


def sync(primary, standby):
    """From now on no commit is confirmed that the standby does not have."""
    primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{standby.name}'")
    primary.sql("SELECT pg_reload_conf()")
    h.wait_until(lambda: primary.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == "1",
                 "a synchronous standby")


def cut_off_clients(server):
    server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'sundial'")


def said(servers, words):
    return [line for server in servers for line in server.log() if words in line["msg"]]


def main():
    receiver = h.Receiver()
    with h.folder() as directory:
        one, two = Postgres(directory, "one"), Postgres(directory, "two")
        servers = []
        try:
            one.create()
            two.copy_of(one)
            sync(one, two)
            both = f"postgresql://sundial@127.0.0.1:{one.port},127.0.0.1:{two.port}/sundial?sslmode=disable&gssencmode=disable"
            servers = [h.Server("serve", "--db", both, *h.LOCAL_RECEIVERS, "--scheduler.lease=PT20S", folder=directory).ready()
                       for _ in range(2)]
            client = servers[0].client()
            client.ok("POST", "/v1/endpoints", {"name": "receiver", "type": "WEBHOOK", "url": receiver.url, "externalId": "r"})
            keys = [f"e-{i}" for i in range(400)]
            creators = crashes.start_creators(servers, keys)
            h.wait_until(lambda: receiver.count() >= 120, "progress")

            one.kill()
            two.promote()
            promoted = time.monotonic()
            made = lambda: client.call("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "2040-01-01T00:00:00Z",
                                                              "idempotencyKey": "first", "deliveryPayload": {}}).status in (201, 409)
            h.wait_until(made, "writes on the new primary")
            back = time.monotonic() - promoted
            for creator in creators:
                creator.join()
            left = lambda: client.ok("GET", "/v1/events?status=PENDING,PROCESSING&eventType=LOAD&limit=1")["data"]
            h.wait_until(lambda: not left(), "every event to be settled")
            assert crashes.counts(client)["COMPLETED"] == len(keys)
            assert set(receiver.ids()) == set(keys), "something acknowledged was lost"
            h.wait_until(lambda: said(servers, "another PostgreSQL server answers"), "an instance to notice the other server")
            unknown = sum(len(server.logged("commit.outcome_unknown")) for server in servers)

            # The old primary comes back as it was, takes writes, and is the first of the URL.
            one.start()
            one.sql("ALTER SYSTEM SET synchronous_standby_names = ''")
            one.sql("SELECT pg_reload_conf()")
            assert one.sql("SELECT pg_is_in_recovery()") == "f"
            cut_off_clients(two)
            later = [f"later-{i}" for i in range(40)]
            for creator in crashes.start_creators(servers, later):
                creator.join()
            h.wait_until(lambda: set(later) <= set(receiver.ids()), "what was made afterwards")
            h.wait_until(lambda: said(servers, "OLD_PRIMARY"), "the old primary to be met: else the test shows nothing")
            astray = one.sql("SELECT count(*) FROM sundial.event_keys WHERE key LIKE 'later-%'")
            assert astray == "0", f"{astray} events went to the server that was left behind"
            assert two.sql("SELECT count(*) FROM sundial.event_keys WHERE key LIKE 'later-%'") == str(len(later))
            repeated = len(receiver.ids()) - len(set(receiver.ids()))
            print(f"{len(keys)} events over a promotion: all delivered, {repeated} repeated, {unknown} commits without an answer; "
                  f"writes were back {back:.1f} s after it")
            assert all(server.stop() == 0 for server in servers)
        finally:
            for server in servers:
                if server.process.poll() is None:
                    server.kill()
            one.stop()
            two.stop()


def no_standby():
    """The standby is gone, so no commit is confirmed: nothing is acknowledged, and no request is lost either."""
    with h.folder() as directory:
        one, two = Postgres(directory, "one"), Postgres(directory, "two")
        server = None
        try:
            one.create()
            two.copy_of(one)
            sync(one, two)
            server = h.Server("serve", "--db", one.url(), folder=directory).ready()
            two.kill()
            event = {"eventType": "X", "targetTimestampUTC": "2040-01-01T00:00:00Z", "idempotencyKey": "k", "deliveryPayload": {}}
            answers = []
            asking = threading.Thread(target=lambda: answers.append(server.client().call("POST", "/v1/events", event)))
            asking.start()
            asking.join()
            [answer] = answers
            assert (answer.status, answer.json()["code"]) == (503, "COMMIT_OUTCOME_UNKNOWN"), answer.body
            assert answer.headers["Retry-After"] == "1", answer.headers
            two.start()
            client = server.client()
            repeated = h.wait_until(lambda: (a := client.call("POST", "/v1/events", event)).status in (201, 409) and a, "an answer")
            assert len(client.all("/v1/events")) == 1, "one key, one event"
            h.wait_until(lambda: client.get("/readyz").status == 200, "readiness")
            print(f"without its standby nothing was acknowledged; afterwards there is one event ({repeated.status})")
            assert server.stop() == 0
        finally:
            if server and server.process.poll() is None:
                server.kill()
            one.stop()
            two.stop()


if __name__ == "__main__":
    h.main({"promotion": main, "no_standby": no_standby})
