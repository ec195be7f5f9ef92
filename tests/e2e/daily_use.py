"""The requests of an ordinary day, through the API, with the responses that the reference promises."""
import datetime as dt
import json

import harness as h


def instant(text):
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))


def schedules(client):
    user = client.ok("POST", "/v1/users", {"firstName": "Grace", "lastName": "Li", "dateOfBirth": "1992-02-29",
                                           "timezone": "Europe/Paris", "externalId": "grace", "dates": {"joined": "2015-06-01"}})
    mine = f"/v1/events?userId={user['id']}&status=PENDING"
    [event] = client.ok("GET", mine)["data"]
    assert event["deliveryPayload"] == {"message": "Hey, Grace Li it's your birthday"}, event
    assert event["targetTimestampLocal"][5:16] in ("02-28T09:00", "02-29T09:00"), event
    schedule = client.ok("GET", "/v1/schedules/ext:birthday")
    changed = client.ok("PATCH", "/v1/schedules/ext:birthday", {
        "trigger": {"yearly": {"at": "10:30"}}, "leap": "mar1", "payload": {"text": "{firstName} is {age}"}},
        headers={"If-Match": f'"{schedule["version"]}"'})
    assert changed["version"] == schedule["version"] + 1 and changed["trigger"]["yearly"]["at"] == "10:30"
    [moved] = client.ok("GET", mine)["data"]
    assert moved["targetTimestampLocal"][5:16] in ("03-01T10:30", "02-29T10:30"), moved
    age = int(moved["targetTimestampLocal"][:4]) - 1992
    assert moved["deliveryPayload"] == {"text": f"Grace is {age}"}, moved
    client.ok("PATCH", "/v1/schedules/ext:birthday", {"enabled": False, "note": "holidays"})
    paused = client.ok("GET", "/v1/schedules/ext:birthday")
    assert paused["nextAt"] is None and paused["note"] == "holidays", paused
    client.ok("PATCH", "/v1/schedules/ext:birthday", {"enabled": True})
    [resumed] = client.ok("GET", mine)["data"]
    assert resumed["targetTimestampUTC"] == moved["targetTimestampUTC"]
    refused = client.call("PATCH", "/v1/schedules/ext:birthday", {"payload": {"text": "{nickname}"}})
    assert (refused.status, refused.json()["code"], refused.json()["name"]) == (400, "INVALID_TEMPLATE", "nickname")
    zone = client.ok("PATCH", "/v1/users/ext:grace", {"timezone": "America/New_York"})
    assert zone["reschedule"]["rescheduledCount"] == 1 and zone["version"] == 2, zone
    [there] = client.ok("GET", mine)["data"]
    assert there["targetTimestampLocal"][:16] == moved["targetTimestampLocal"][:16], "the nominal date must stay"
    assert there["idempotencyKey"] == moved["idempotencyKey"], "moving zone must not mint a second birthday"
    put = client.call("PUT", "/v1/users/ext:new", {"firstName": "N", "lastName": "O", "dateOfBirth": "2000-01-01", "timezone": "UTC"})
    assert put.status == 201
    put = client.call("PUT", "/v1/users/ext:new", {"firstName": "M", "lastName": "O", "dateOfBirth": "2000-01-01", "timezone": "UTC"})
    assert put.status == 200 and put.json()["version"] == 2
    assert client.call("DELETE", "/v1/users/ext:new").status == 204
    assert client.get("/v1/users/ext:new").status == 404
    assert client.get(f"/v1/events/{event['id']}", ).status == 200
    kept = client.ok("GET", mine)["data"][0]["id"]
    assert client.call("DELETE", "/v1/users/ext:grace?history=keep").status == 204
    ended = client.ok("GET", f"/v1/events/{kept}")
    assert (ended["status"], ended["userId"]) == ("CANCELLED", None), ended


def events(client, receiver):
    client.ok("POST", "/v1/endpoints", {"name": "CRM", "type": "WEBHOOK", "url": receiver.url, "externalId": "crm"})
    made = client.call("POST", "/v1/events", {
        "eventType": "REMINDER", "targetTimestampLocal": "2030-01-05T09:00:00", "targetTimezone": "America/New_York",
        "endpointId": "ext:crm", "idempotencyKey": "r-1", "deliveryPayload": {"text": "Renew"}})
    event = made.json()
    assert made.status == 201 and made.headers["ETag"] == '"1"' and made.headers["Location"] == f"/v1/events/{event['id']}"
    assert event["targetTimestampUTC"] == "2030-01-05T14:00:00.000Z"
    assert event["targetTimestampLocal"] == "2030-01-05T09:00:00.000-05:00"
    path = made.headers["Location"]
    again = client.call("POST", "/v1/events", {"eventType": "REMINDER", "targetTimestampUTC": "now", "idempotencyKey": "r-1", "deliveryPayload": 1})
    assert (again.status, again.json()["code"], again.json()["existingId"]) == (409, "DUPLICATE_IDEMPOTENCY_KEY", event["id"])
    assert client.call("GET", path, headers={"If-None-Match": '"1"'}).status == 304
    patched = client.ok("PATCH", path, {"targetTimestampUTC": "now", "priority": "HIGH"}, headers={"If-Match": '"1"'})
    assert patched["priority"] == "HIGH"
    h.wait_until(lambda: client.ok("GET", path)["status"] == "COMPLETED", "delivery")
    done = client.ok("GET", path)
    assert done["attempt"] == 1 and done["executedAt"] and done["endpointId"], done
    assert client.call("DELETE", path).json()["code"] == "INVALID_STATE_TRANSITION"
    later = client.ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now+7d", "deliveryPayload": None})
    for _ in range(2):  # asked again, the same answer
        assert client.ok("DELETE", f"/v1/events/{later['id']}")["status"] == "CANCELLED"

    client.ok("POST", "/v1/endpoints", {"name": "gone", "type": "WEBHOOK", "url": receiver.url.replace("/hook", "/404"),
                                        "externalId": "gone", "retryPolicy": "seed"})
    failing = client.ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "endpointId": "ext:gone",
                                               "idempotencyKey": "f-1", "deliveryPayload": {}})
    h.wait_until(lambda: client.ok("GET", f"/v1/events/{failing['id']}")["status"] == "FAILED", "failure")
    failed = client.ok("GET", f"/v1/events/{failing['id']}")
    assert failed["failureReason"] == "HTTP_STATUS 404", failed
    client.ok("PATCH", "/v1/endpoints/ext:gone", {"url": receiver.url})
    retried = client.ok("POST", f"/v1/events/{failing['id']}/retry")
    assert (retried["retryOf"], retried["idempotencyKey"]) == (failing["id"], "f-1")
    second = client.call("POST", f"/v1/events/{failing['id']}/retry")
    assert (second.status, second.json()["code"]) == (409, "DUPLICATE_IDEMPOTENCY_KEY")
    h.wait_until(lambda: client.ok("GET", f"/v1/events/{retried['id']}")["status"] == "COMPLETED", "retry")
    assert client.ok("PATCH", f"/v1/events/{failing['id']}", {"dismissed": True})["dismissedAt"]
    assert receiver.ids().count("f-1") == 2  # refused once, accepted once

    # Events that wait for a disabled endpoint are sent as soon as it is enabled.
    client.ok("PATCH", "/v1/endpoints/ext:crm", {"enabled": False})
    waiting = client.ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "endpointId": "ext:crm", "deliveryPayload": 7})
    h.wait_until(lambda: client.ok("GET", f"/v1/events/{waiting['id']}")["status"] == "PROCESSING", "parking")
    h.wait_until(lambda: client.ok("GET", f"/v1/events/{waiting['id']}")["claimedBy"] is None, "parking")
    client.ok("PATCH", "/v1/endpoints/ext:crm", {"enabled": True})
    h.wait_until(lambda: client.ok("GET", f"/v1/events/{waiting['id']}")["status"] == "COMPLETED", "the parked event")
    assert client.ok("GET", f"/v1/events/{waiting['id']}")["retryCount"] == 0


def batches(client):
    def item(key, **more):
        return {"eventType": "REMINDER", "targetTimestampUTC": "now", "endpointId": "ext:crm", "idempotencyKey": key,
                "deliveryPayload": {"of": key}, **more}
    answer = client.call("POST", "/v1/events/batch", {"events": [item("b-1"), item("b-1"), item("b-2", userId="ext:nobody"), item("b-3")]})
    first, known, of_nobody, last = answer.json()["data"]
    assert answer.status == 207 and known["existingId"] == first["id"], answer.body
    assert [error["pointer"] for error in of_nobody["errors"]] == ["/userId"], of_nobody
    for event in (first, last):
        h.wait_until(lambda event=event: client.ok("GET", f"/v1/events/{event['id']}")["status"] == "COMPLETED", "delivery")
    refused = client.call("POST", "/v1/events/batch?atomic=true", {"events": [item("b-4"), item("b-1")]})
    assert (refused.status, refused.json()["index"]) == (409, 1), refused.body
    assert client.call("POST", "/v1/events/batch?atomic=true", {"events": [item("b-4"), item("b-5")]}).status == 201


def main():
    receiver = h.Receiver(refuse="/404")
    with h.folder() as directory, h.running("serve", "--db", "x.db", *h.LOCAL_RECEIVERS, folder=directory) as server:
        client = server.client()
        schedules(client)
        events(client, receiver)
        batches(client)
        rows = client.all("/v1/events?limit=2&sort=-createdAt")
        assert len(rows) == len({row["id"] for row in rows}) and len(rows) >= 6
        metrics = client.get("/metrics").body.decode()
        for name in ("sundial_event_transitions_total", "sundial_event_lateness_seconds_bucket", "sundial_delivery_attempts_total",
                     "sundial_claim_duration_seconds_count", "sundial_http_requests_total", "sundial_events_stored",
                     "sundial_build_info", "sundial_tzdb_info"):
            assert name in metrics, name
        assert client.get("/readyz").status == 200 and client.get("/livez").status == 200
        text = server.log_text()
        for private in ("Grace", "1992-02-29", "Renew", "whsec_"):
            assert private not in text, f"the log tells {private}"
        assert {"server.ready", "event.claimed", "event.completed", "event.failed"} <= {l["eventName"] for l in server.log()}
        assert server.stop() == 0
        assert server.logged("server.draining")
    print("an ordinary day passed")


if __name__ == "__main__":
    main()
