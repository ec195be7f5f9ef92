"""Calls whose results are used by their types. mypy checks this file, and test_typed.py runs it against the real server.

Each `type: ignore` marks a mistake that mypy must find: with --strict an ignore without an error is an error itself.
"""
from typing import List, Optional

from sundial_client import ApiError, Listing, SundialError, Sundial, live
from sundial_client import schema as s


def secrets(client: Sundial) -> None:
    pull: s.CreatedEndpoint = client.endpoints.create({"externalId": "work", "name": "Work", "type": "PULL"})
    assert "secret" not in pull
    hook = client.endpoints.put("ext:hook", {"name": "Hook", "type": "WEBHOOK", "url": "https://receiver.invalid/"})
    first: str = hook["secret"]
    rotated: s.RotatedEndpoint = client.endpoints.rotate_secret("ext:hook", {"oldSignsFor": "PT0S"})
    assert rotated["secret"].startswith("whsec_") and rotated["secret"] != first
    shown: s.Endpoint = client.endpoints.get("ext:hook")
    assert shown["secretHint"] == rotated["secretHint"] and shown["circuit"]["state"] == "CLOSED"
    assert "secret" not in shown
    again = client.endpoints.put("ext:hook", {"name": "Hook", "type": "WEBHOOK", "url": "https://receiver.invalid/"})
    assert "secret" not in again
    calendar: s.CreatedCalendar = client.calendars.create({"scheduleId": "ext:noon"})
    path: str = calendar["path"]
    assert path.endswith(calendar["token"] + ".ics")


def expanded(client: Sundial) -> None:
    client.users.put("ext:ada", {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"})
    made = client.events.create({"eventType": "PRINT", "targetTimestampUTC": "now", "userId": "ext:ada", "endpointId": "ext:work",
                                 "deliveryPayload": {"page": 1}})
    event = client.events.get(made["id"], {"expand": ["user", "schedule", "endpoint", "attempts"]})
    user: Optional[s.User] = event["user"]
    endpoint: Optional[s.EndpointOfEvent] = event["endpoint"]
    attempts: List[s.Attempt] = event["attempts"]
    assert user is not None and user["timezone"] == "Europe/Paris" and user["externalId"] == "ada"
    assert endpoint is not None and (endpoint["name"], endpoint["type"], endpoint["enabled"]) == ("Work", "PULL", True)
    assert event["schedule"] is None and attempts == []


def claims(client: Sundial) -> None:
    work: s.Work = client.endpoints.claim("ext:work", {"worker": "w", "limit": 1, "lease": "PT1M"})
    (event,) = work["data"]
    holder: Optional[str] = event["claimedBy"]
    assert holder == "w" and event["leaseExpiresAt"] is not None and event["attempt"] == 1
    client.events.extend(event["id"], {"version": event["version"], "lease": "PT2M"})
    failed: s.Event = client.events.fail(event["id"], {"version": event["version"], "reason": "no paper", "retry": False})
    assert failed["status"] == "FAILED" and failed["failureReason"] == "WORKER no paper"
    groups: s.Failures = client.events.failures({"by": "reason"})
    assert [(one["reason"], one["count"]) for one in groups["data"]] == [("WORKER no paper", 1)]


def previews(client: Sundial) -> None:
    made = client.schedules.create({"externalId": "noon", "eventType": "NOON", "timezone": "Europe/Paris", "endpointId": "ext:desk",
                                    "trigger": {"rrule": {"dtstart": "2020-01-01T12:00:00", "rrule": "FREQ=DAILY"}}})
    rule = made["trigger"]["rrule"]
    assert not isinstance(rule, str) and rule["dtstart"] == "2020-01-01T12:00:00" and rule["rrule"] == "FREQ=DAILY"
    preview: s.Preview = client.schedules.preview({"scheduleId": "ext:noon", "from": "2027-03-27T00:00:00Z", "count": 2})
    before, after = preview["data"]
    assert (before["note"], after["note"]) == (None, "offset_changed")
    assert after["targetTimestampLocal"] == "2027-03-28T12:00:00.000+02:00" and preview["description"] and preview["warnings"] == []
    fired: s.Event = client.schedules.trigger("ext:noon", {"payload": {"by": "hand"}})
    with_schedule = client.events.get(fired["id"], {"expand": ["schedule"]})["schedule"]
    schedule_id: Optional[str] = fired["scheduleId"]
    assert schedule_id == made["id"] and with_schedule is not None and with_schedule["externalId"] == "noon"
    counted: s.Backfill = client.schedules.backfill("ext:noon", {"from": "now-2d", "to": "now", "dryRun": True})
    assert counted["occurrences"] == 2 and counted["samples"][0]["targetTimezone"] == "Europe/Paris"
    started: s.Operation = client.schedules.backfill("ext:noon", {"from": "now-2d", "to": "now"})
    assert started["kind"] == "BACKFILL_SCHEDULE"


def bulk(client: Sundial) -> None:
    events: s.BulkPreview = client.operations.bulk({"resource": "events", "action": "dismiss", "filter": {"status": "FAILED"}, "dryRun": True})
    assert events["count"] == 1 and events["samples"][0]["failureReason"] == "WORKER no paper"
    started: s.Operation = client.operations.bulk({"resource": "events", "action": "dismiss", "filter": {"status": "FAILED"}, "dryRun": False})
    ended = client.operations.wait(started["id"], every=0.05)
    assert (ended["status"], ended["done"]) == ("COMPLETED", 1)
    schedules: s.ScheduleBulkPreview = client.schedules.bulk({"action": "pause", "ids": ["ext:noon"], "dryRun": True})
    assert [(one["externalId"], one["enabled"]) for one in schedules["samples"]] == [("noon", True)]
    pausing: s.Operation = client.schedules.bulk({"action": "pause", "ids": ["ext:noon"]})
    assert client.operations.wait(pausing["id"], every=0.05)["failed"] == 0
    batch: s.EventBatch = client.events.create_many({"events": [{"eventType": "bad type", "deliveryPayload": 1}]}, {"atomic": False})
    for one in batch["data"]:
        assert "code" in one and one["code"] == "VALIDATION_FAILED" and [field["pointer"] for field in one["errors"]] == ["/eventType"]


def feed(client: Sundial) -> None:
    client.streams.append("Order", "1", {"events": [{"eventType": "Placed", "data": {"sum": 3}, "metadata": {"actor": "ada", "headers": {"x": 1}}}]})
    page: s.FeedPage = client.streams.feed({"aggregateType": "Order"})
    (placed,) = page["data"]
    metadata: s.RecordedMetadata = placed["metadata"]
    assert metadata["actor"] == "ada" and metadata["headers"] == {"x": 1} and "occurredAt" not in metadata
    assert page["nextPosition"] >= placed["position"] and not page["hasMore"] and placed["recordedAt"].endswith("Z")
    stream: s.Stream = client.streams.read("Order", "1")
    assert stream["data"] == [placed] and not stream["hasMore"]
    heads: Listing[s.StreamHead, s.StreamPage] = client.streams.list({"aggregateType": "Order"})
    assert [(head["aggregateId"], head["version"]) for head in heads] == [("1", 1)]


def changes(client: Sundial) -> None:
    counted, opened, closed = 0, 0, 0
    for message in client.system.live({"topics": ["users", "stats", "events", "instances", "operations"], "status": "FAILED"}):
        if message["type"] == "opened":
            opened += 1
        elif message["type"] == "closed":
            error: Optional[SundialError] = message["error"]
            raise AssertionError(error)
        elif message["type"] == "reset":
            closed = message["position"]
        elif message["type"] == "stats":
            stats: s.Stats = message["data"]
            counted += 1
            assert stats["now"]["pending"]["count"] >= 0
            client.users.patch("ext:ada", {"lastName": f"Li {counted}"})
        elif message["type"] == "users.changed":
            change: live.LiveChange = message
            version: int = message["data"]["version"]
            assert opened == 1 and closed == 0 and version > 1 and change["position"] > 0 and "lastName" in message["data"]["fields"]
            break
        elif message["type"] == "events.changed":
            more: bool = message["data"]["more"]
            assert not more and [one["status"] for one in message["data"]["events"]] == ["FAILED"]
        elif message["type"] == "instances.changed":
            assert not [one for one in message["data"]["instances"] if one["draining"]]
        elif message["type"] == "operations.changed":
            operations: List[s.Operation] = message["data"]["operations"]
            assert operations


def errors(client: Sundial, away: str) -> None:
    try:
        client.streams.append("Order", "1", {"expectedVersion": "NO_STREAM", "events": [{"eventType": "Placed", "data": 1}]})
        raise AssertionError("the stream has an event")
    except ApiError as error:
        code: Optional[s.ProblemCode] = error.code
        actual: int = error.problem["actualVersion"]
        assert code == "OPTIMISTIC_LOCK" and actual == 1 and not error.retryable and error.request_id.startswith("req-")
    try:
        Sundial(away, max_retries=0).system.info()
        raise AssertionError("no server listens there")
    except SundialError as gone:
        assert gone.code is None and gone.retryable and gone.request_id.startswith("req-")


def keys(client: Sundial) -> None:
    """The last one: from now on each request needs the key."""
    made: s.CreatedApiKey = client.api_keys.create({"name": "ops", "role": "ADMIN"})
    assert made["key"].startswith(made["prefix"])


def mistakes(client: Sundial) -> None:
    """Never called."""
    client.endpoints.get("e")["secret"]  # type: ignore[typeddict-item]
    client.endpoints.list().first()["data"][0]["secret"]  # type: ignore[typeddict-item]
    client.api_keys.list().first()["data"][0]["key"]  # type: ignore[typeddict-item]
    client.streams.list().first()["data"][0]["hasMore"]  # type: ignore[typeddict-item]
    client.operations.bulk({"resource": "events", "action": "cancel"})["count"]  # type: ignore[typeddict-item]
    client.operations.bulk({"resource": "events", "action": "cancel", "dryRun": True})["status"]  # type: ignore[typeddict-item]
    client.streams.feed()["data"][0]["metadata"]["author"]  # type: ignore[typeddict-item]
    client.schedules.trigger("noon", {"data": 1})  # type: ignore[arg-type]
    client.schedules.preview({"counts": 1})  # type: ignore[typeddict-item]
    client.endpoints.claim("work", {"limit": 1})  # type: ignore[typeddict-item]
    client.system.live({"topics": "weather"})  # type: ignore[typeddict-item]
    for message in client.system.live({"topics": "stats"}):
        if message["type"] == "stats":
            message["position"]  # type: ignore[typeddict-item]


def run(url: str, away: str) -> None:
    """Makes the calls at the server of `url`. No server listens at `away`."""
    client = Sundial(url)
    client.endpoints.create({"externalId": "desk", "name": "Desk", "type": "INBOX"})
    previews(client)
    secrets(client)
    expanded(client)
    claims(client)
    bulk(client)
    feed(client)
    changes(client)
    errors(client, away)
    keys(client)
