"""Pings: silence is the alarm. After the events of a schedule completed, and for the engine as long as it works."""
import json

import harness as h
from telemetry import metric

SCHEDULE = {"eventType": "BACKUP", "trigger": {"cron": "0 3 * * *"}, "timezone": "UTC"}


def pings_of(receiver):
    with receiver.lock:
        return [(headers, json.loads(body)) for _, headers, body in receiver.received
                if headers["Sundial-Event-Type"] == "sundial.ping"]


def pinged_by(receiver):
    return [body["externalId"] for _, body in pings_of(receiver)]


def completed(kind):
    work, watch = h.Receiver(refuse="/refuse"), h.Receiver()
    with h.folder() as directory, h.database(kind, directory) as url:
        engine = h.Receiver()
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, f"--ping.url={engine.url}", "--ping.every=PT10S",
                       folder=directory) as server:
            client = server.client()
            h.wait_until(lambda: pings_of(engine), "the engine's first ping")
            h.wait_until(lambda: metric(client, "sundial_pings_total", of="engine", outcome="accepted") >= 1, "its result")
            assert watch.url not in json.dumps(client.ok("GET", "/v1/settings")), "the address is secret"
            good, bad = (client.ok("POST", "/v1/endpoints", {"name": name, "type": "WEBHOOK", "url": work.url.replace("/hook", path)})["id"]
                         for name, path in (("good", "/hook"), ("bad", "/refuse")))
            failing = client.ok("POST", "/v1/schedules", {**SCHEDULE, "endpointId": bad, "pingUrl": watch.url})
            silent = client.ok("POST", "/v1/schedules", {**SCHEDULE, "endpointId": good})
            pinged = client.ok("POST", "/v1/schedules", {**SCHEDULE, "endpointId": good, "externalId": "nightly", "pingUrl": watch.url})
            assert (pinged["pingUrl"], silent["pingUrl"]) == (watch.url, None), (pinged, silent)

            def run(schedule, status):
                event = client.ok("POST", f"/v1/schedules/{schedule['id']}/trigger")["id"]
                h.wait_until(lambda: client.ok("GET", f"/v1/events/{event}")["status"] == status, status)
                return event
            run(failing, "FAILED")
            run(silent, "COMPLETED")
            event = run(pinged, "COMPLETED")
            [(headers, body)] = h.wait_until(lambda: pings_of(watch), "the ping")
            assert (body["scheduleId"], body["externalId"], body["eventId"], body["completed"]) == (pinged["id"], "nightly", event, 1), body
            h.wait_until(lambda: metric(client, "sundial_pings_total", of="schedule", outcome="accepted") == 1, "its result")
            assert headers["Sundial-Attempt"] == "1", headers
            assert metric(client, "sundial_delivery_attempts_total", endpoint="ping", outcome="SUCCEEDED") == 0, "a ping is no attempt"

            without = client.ok("PATCH", f"/v1/schedules/{pinged['id']}", {"pingUrl": None})
            assert without["pingUrl"] is None and "operationId" not in without, without
            run(pinged, "COMPLETED")

            # A ping of `muted` would be sent with that of `last` or before: its event completes first, and no ping of it
            # was sent that the next one would have to keep a distance to.
            muted, last = (client.ok("POST", "/v1/schedules", {**SCHEDULE, "endpointId": good, "externalId": name, "pingUrl": watch.url})
                           for name in ("muted", "last"))
            client.ok("PATCH", f"/v1/schedules/{muted['id']}", {"pingUrl": None})
            run(muted, "COMPLETED")
            run(last, "COMPLETED")
            h.wait_until(lambda: "last" in pinged_by(watch), "the ping of the last schedule")
            h.wait_until(lambda: metric(client, "sundial_pings_total", of="schedule", outcome="accepted") >= 2, "its result")
            assert pinged_by(watch) == ["nightly", "last"], pings_of(watch)


def addresses():
    """The rules of webhooks apply: to addresses, schemes and ports, when a URL is stored and at the start."""
    with h.folder() as directory:
        with h.running("serve", "--db", "sundial.db", folder=directory) as server:
            client = server.client()
            for url in ("http://hc-ping.com/x", "https://127.0.0.1/x", "https://169.254.169.254/latest", "https://hc-ping.com:22/x", "nothing"):
                answer = client.call("POST", "/v1/schedules", {**SCHEDULE, "pingUrl": url})
                assert answer.status == 400 and answer.json()["errors"][0]["pointer"] == "/pingUrl", (url, answer.body)
            client.ok("POST", "/v1/schedules", {**SCHEDULE, "pingUrl": "https://hc-ping.com/5b3c2f6e"})
        bad = h.Server("serve", "--db", "other.db", "--ping.url=http://127.0.0.1/x", folder=directory)
        assert bad.process.wait(h.HANG_GUARD) == 1 and "ping.url" in bad.log_text(), bad.log_text()


if __name__ == "__main__":
    h.main({"completed": completed, "addresses": addresses})
