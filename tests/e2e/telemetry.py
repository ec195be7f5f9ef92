"""Metrics and log lines of small changes: creations, edits, cancellations and waiting events."""
import re
import sys

import harness as h

PERSON = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"}
LABELS = re.compile(r'(\w+)="([^"]*)"')


def scraped(client):
    """{(name, frozenset of labels): value}"""
    values = {}
    for line in client.get("/metrics").body.decode().splitlines():
        if line.startswith("#") or not line:
            continue
        series, value = line.rsplit(" ", 1)
        name, _, labels = series.partition("{")
        values[name, frozenset(LABELS.findall(labels))] = float(value)
    return values


def metric(client, name, /, **labels):
    return scraped(client).get((name, frozenset(labels.items())), 0.0)


def follow_a_stream(client):
    order = "/v1/streams/Order/1"
    events = [{"eventType": "Placed", "data": n} for n in range(3)]
    appended = client.ok("POST", order, {"expectedVersion": 0, "events": events})
    client.ok("PUT", "/v1/checkpoints/totals", {"position": appended["firstPosition"], "previous": 0})
    assert metric(client, "sundial_streams_appended_events_total", aggregate_type="Order") == len(events)
    assert metric(client, "sundial_feed_position") == appended["lastPosition"]
    assert metric(client, "sundial_subscription_lag_events", name="totals") == 2
    for version in (3, 2):
        client.ok("PUT", f"{order}/snapshot", {"version": version, "state": {}})
    assert metric(client, "sundial_snapshots_ignored_total", reason="older") == 1


def contend_for_a_lock(client, server):
    client.ok("POST", "/v1/locks/nightly", {"holder": "first"})
    assert client.call("POST", "/v1/locks/nightly", {"holder": "second"}).status == 409
    h.wait_until(lambda: server.logged("lock.contended"), "a line about the lock")
    [line] = server.logged("lock.contended")
    assert (line["name"], line["operation"], line["holder"]) == ("nightly", "acquire", "first"), line


def main():
    kind = sys.argv[1]
    with h.folder() as directory, h.database(kind, directory) as url:
        receiver = h.Receiver(refuse="/hook")
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, folder=directory) as server:
            client = server.client()
            user = client.ok("POST", "/v1/users", PERSON)
            [birthday] = client.ok("GET", f"/v1/events?userId={user['id']}")["data"]
            client.ok("PATCH", f"/v1/users/{user['id']}", {"timezone": "America/New_York"})
            client.ok("DELETE", f"/v1/events/{birthday['id']}")
            client.ok("PATCH", "/v1/schedules/ext:birthday", {"enabled": False})
            one = {"eventType": "ONE", "targetTimestampUTC": "now", "deliveryPayload": {}}
            waiting = client.ok("POST", "/v1/events", one)["id"]  # has no endpoint
            endpoint = client.ok("POST", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": receiver.url})["id"]
            failed = client.ok("POST", "/v1/events", {**one, "endpointId": endpoint})["id"]
            h.wait_until(lambda: client.ok("GET", f"/v1/events/{failed}")["status"] == "FAILED", "a refusal")
            h.wait_until(lambda: metric(client, "sundial_events_waiting", reason="endpoint") == 1, "an event without an endpoint")
            assert client.ok("GET", f"/v1/events/{waiting}")["status"] == "PENDING"

            transitions = "sundial_event_transitions_total"
            h.wait_until(lambda: metric(client, transitions, event_type="ONE", status="FAILED") == 1, "the metric, which follows the commit")
            assert metric(client, transitions, event_type="BIRTHDAY", status="PENDING") == 2  # the first, its successor
            assert metric(client, transitions, event_type="BIRTHDAY", status="CANCELLED") == 1
            assert metric(client, transitions, event_type="ONE", status="PENDING") == 2
            assert metric(client, "sundial_events_waiting", reason="schedule") == 1
            assert metric(client, "sundial_events_waiting", reason="retry") == 0
            assert metric(client, "sundial_dead_letters") == 1
            client.ok("PATCH", f"/v1/events/{failed}", {"dismissed": True})
            assert metric(client, "sundial_dead_letters") == 0
            client.ok("PATCH", f"/v1/endpoints/{endpoint}", {"enabled": False})
            client.ok("POST", "/v1/events", {**one, "endpointId": endpoint})
            h.wait_until(lambda: metric(client, "sundial_events_waiting", reason="endpoint") == 2, "a parked event")
            for operation in ("transact", "read", "look", "claim_ready", "settle", "give_back", "depth"):
                assert metric(client, "sundial_db_transaction_duration_seconds_count", operation=operation) > 0, operation
            if kind == "postgres":
                assert metric(client, "sundial_db_pool_connections", state="in_use") >= 0
                h.wait_until(lambda: metric(client, "sundial_db_pool_connections", state="idle") > 0, "a connection that is not in use")

            follow_a_stream(client)
            contend_for_a_lock(client, server)

            [moved] = server.logged("event.rescheduled")
            assert moved["eventId"] == birthday["id"] and moved["scheduleId"] == birthday["scheduleId"], moved
            assert (moved["reason"], moved["before"]) == ("user changed", birthday["targetTimestampUTC"]), moved
            assert moved["after"] > moved["before"] and moved["correlationId"] == f"evt-{birthday['id']}", moved
            [cancelled] = server.logged("event.cancelled")
            assert (cancelled["eventId"], cancelled["before"]) == (birthday["id"], moved["after"]), cancelled
            assert cancelled["reason"] == "cancelled on request", cancelled
            assert "Ada" not in server.log_text()
            print(f"{kind}: metrics and log lines tell what happened")


if __name__ == "__main__":
    main()
