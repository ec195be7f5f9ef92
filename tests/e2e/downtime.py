"""A day of downtime: missed events are delivered once after the restart, and marked late."""
import datetime as dt
import sys

import harness as h

MISSED = 50


def instant(text):
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))


def arrivals(client):
    """Keys of our events in the inbox; a demo user may have a birthday on that day."""
    keys = [item["headers"]["webhook-id"] for item in client.all("/v1/endpoints/ext:inbox/inbox?limit=500")]
    return sorted(key for key in keys if key.startswith("m-"))


def check(kind):
    with h.folder() as directory, h.database(kind, directory) as db:
        arguments = ("dev", "--test-clock", "--users=1", "--db", db)
        with h.running(*arguments, folder=directory) as server:
            client = server.client()
            begin = instant(client.ok("GET", "/v1/clock")["now"])
            for i in range(MISSED):
                due = begin + dt.timedelta(minutes=20 * i + 5)
                client.ok("POST", "/v1/events", {
                    "eventType": "MISSED", "targetTimestampUTC": due.isoformat().replace("+00:00", "Z"),
                    "endpointId": "ext:inbox", "idempotencyKey": f"m-{i}", "deliveryPayload": {"i": i}})
            assert server.stop() == 0
        with h.running(*arguments, folder=directory) as server:
            client = server.client()
            client.ok("PUT", "/v1/clock", {"now": (begin + dt.timedelta(hours=24)).isoformat().replace("+00:00", "Z")})
            h.wait_until(lambda: len(client.ok("GET", "/v1/events?status=COMPLETED&eventType=MISSED&limit=500")["data"])
                         == MISSED, "recovery")
            done = client.all("/v1/events?eventType=MISSED&limit=500")
            assert all(event["lateExecution"] and event["attempt"] == 1 for event in done)
            for event in done:
                late = begin + dt.timedelta(hours=24) - instant(event["targetTimestampUTC"])
                assert event["latenessMs"] == late.total_seconds() * 1000, event
            assert arrivals(client) == sorted(f"m-{i}" for i in range(MISSED))
            counted = f'sundial_late_executions_total{{event_type="MISSED"}} {MISSED}\n'
            h.wait_until(lambda: counted in client.get("/metrics").body.decode(), "the metric, which follows the commit")
            late_lines = h.wait_until(lambda: (lines := [
                line for line in server.logged("event.completed") if line["lateExecution"] and line["eventType"] == "MISSED"
            ])[MISSED - 1:] and lines, "the lines, which follow the commit")
            assert len(late_lines) == MISSED and all(line["latenessMs"] > 1000 for line in late_lines)
            # A further restart finds nothing to do again.
            assert server.stop() == 0
        with h.running(*arguments, folder=directory) as server:
            client = server.client()
            client.ok("POST", "/v1/tick")
            assert len(arrivals(client)) == MISSED
        print(f"{kind}: {MISSED} missed in 24 hours of downtime, all delivered once and marked late")


if __name__ == "__main__":
    check(sys.argv[1])
