"""Bad input: each kind gets a clear error that names the field, and changes nothing."""
import datetime as dt
import json

import harness as h

PERSON = {"firstName": "Ada", "lastName": "Li", "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"}


def person(**changed):
    return {**PERSON, **changed}


def schedule(**changed):
    return {"eventType": "X", "timezone": "UTC", "trigger": {"every": "PT1H"}, "payload": {}, **changed}


# Not past in the westernmost zone, however long the test takes.
TODAY = dt.datetime.now(dt.timezone.utc).date().isoformat()
TOMORROW = (dt.date.today() + dt.timedelta(days=3)).isoformat()

# what it is, path, body, status, code, and for field errors: pointer, field code, a part of the message
REFUSED = [
    ("unknown zone", "/v1/users", person(timezone="Europe/Pariss"), 400, "VALIDATION_FAILED", "/timezone", "unknown_zone", "did you mean 'Europe/Paris'"),
    ("impossible birth date", "/v1/users", person(dateOfBirth="1992-02-30"), 400, "VALIDATION_FAILED", "/dateOfBirth", "bad_time", ""),
    ("birth date of today", "/v1/users", person(dateOfBirth=TODAY, timezone="Etc/GMT+12"), 400, "VALIDATION_FAILED", "/dateOfBirth", "out_of_range", "before today"),
    ("birth date in the future", "/v1/users", person(dateOfBirth=TOMORROW), 400, "VALIDATION_FAILED", "/dateOfBirth", "out_of_range", ""),
    ("empty name", "/v1/users", person(firstName=""), 400, "VALIDATION_FAILED", "/firstName", None, ""),
    ("blank name", "/v1/users", person(firstName="  "), 400, "VALIDATION_FAILED", "/firstName", None, ""),
    ("over-long name", "/v1/users", person(lastName="x" * 256), 400, "VALIDATION_FAILED", "/lastName", "too_long", "255"),
    ("missing member", "/v1/users", {k: v for k, v in PERSON.items() if k != "lastName"}, 400, "VALIDATION_FAILED", "/lastName", "required", ""),
    ("unknown member", "/v1/users", person(firstname="Ada"), 400, "VALIDATION_FAILED", "/firstname", "unknown_member", "did you mean 'firstName'"),
    ("wrong type", "/v1/users", person(firstName=7), 400, "VALIDATION_FAILED", "/firstName", "wrong_type", ""),
    ("duplicate member", "/v1/users", '{"firstName":"A","firstName":"B","lastName":"C","dateOfBirth":"1990-01-01","timezone":"UTC"}', 400, None, None, None, ""),
    ("broken UTF-8", "/v1/users", b'{"firstName":"\xff","lastName":"C","dateOfBirth":"1990-01-01","timezone":"UTC"}', 400, "MALFORMED_JSON", None, None, ""),
    ("not JSON", "/v1/users", "{", 400, "MALFORMED_JSON", None, None, ""),
    ("oversized body", "/v1/users", json.dumps(person(metadata={"x": "y" * (1 << 20)})), 413, "PAYLOAD_TOO_LARGE", None, None, ""),
    ("oversized payload", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "deliveryPayload": "y" * (256 * 1024)}, 413, "PAYLOAD_TOO_LARGE", None, None, ""),
    ("url without https and host", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "not a url"}, 400, "VALIDATION_FAILED", "/url", "bad_format", ""),
    ("plain http", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "http://example.com/"}, 400, "VALIDATION_FAILED", "/url", "not_allowed", "https"),
    ("loopback address", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://127.0.0.1/"}, 400, "VALIDATION_FAILED", "/url", "not_allowed", ""),
    ("octal address", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://0177.0.0.1/"}, 400, "VALIDATION_FAILED", "/url", None, ""),
    ("dword address", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://2130706433/"}, 400, "VALIDATION_FAILED", "/url", None, ""),
    ("mapped address", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://[::ffff:10.0.0.1]/"}, 400, "VALIDATION_FAILED", "/url", "not_allowed", ""),
    ("other port", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://example.com:22/"}, 400, "VALIDATION_FAILED", "/url", "not_allowed", "22"),
    ("password in the url", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://a:b@example.com/"}, 400, "VALIDATION_FAILED", "/url", "not_allowed", ""),
    ("no request at all at once", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://x.invalid/", "maxInFlight": 0}, 400, "VALIDATION_FAILED", "/maxInFlight", "out_of_range", ""),
    ("a time-out longer than the lease allows", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://x.invalid/", "timeout": "PT30S"}, 400, "VALIDATION_FAILED", "/timeout", "out_of_range", "must be PT1S to PT20S, the lease of PT30S less PT10S"),
    ("a rate without a number", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://x.invalid/", "rateLimit": {}}, 400, "VALIDATION_FAILED", "/rateLimit/perSecond", "required", ""),
    ("inbox where it is off", "/v1/endpoints", {"name": "x", "type": "INBOX"}, 400, "VALIDATION_FAILED", "/type", "not_allowed", ""),
    ("both targets", "/v1/events", {"eventType": "X", "deliveryPayload": {}, "targetTimestampUTC": "now", "targetTimestampLocal": "2027-01-01T09:00", "targetTimezone": "UTC"}, 400, "VALIDATION_FAILED", None, None, ""),
    ("no target", "/v1/events", {"eventType": "X", "deliveryPayload": {}}, 400, "VALIDATION_FAILED", None, None, ""),
    ("an instant in words", "/v1/events", {"eventType": "X", "deliveryPayload": {}, "targetTimestampUTC": "tomorrow"}, 400, "VALIDATION_FAILED", "/targetTimestampUTC", "bad_time", "as 2027-05-04T10:11:12Z, or relative to now"),
    ("an instant without a zone", "/v1/events", {"eventType": "X", "deliveryPayload": {}, "targetTimestampUTC": "2027-05-04T10:11:12"}, 400, "VALIDATION_FAILED", "/targetTimestampUTC", "bad_time", "needs Z or an offset"),
    ("an instant of a recorded event in words", "/v1/streams/Order/1", {"events": [{"eventType": "X", "data": 1, "metadata": {"occurredAt": "tomorrow"}}]}, 400, "VALIDATION_FAILED", "/events/0/metadata/occurredAt", "bad_time", "as 2027-05-04T10:11:12Z"),
    ("half a duration", "/v1/schedules", schedule(trigger={"every": "P1"}), 400, "VALIDATION_FAILED", "/trigger/every", "bad_interval", "as PT15M or PT24H; for each day"),
    ("an interval of a day", "/v1/schedules", schedule(trigger={"every": "P1D"}), 400, "VALIDATION_FAILED", "/trigger/every", "bad_interval", "as PT24H; for each day, week or month of the calendar take a cron"),
    ("a short window", "/v1/schedules", schedule(window="P1D"), 400, "VALIDATION_FAILED", "/window", "bad_interval", "as PT24H"),
    ("a short start", "/v1/schedules", schedule(startsAt="no"), 400, "VALIDATION_FAILED", "/startsAt", "bad_time", "as 2027-05-04T10:11:12Z"),
    ("gap refused", "/v1/events", {"eventType": "X", "deliveryPayload": {}, "targetTimestampLocal": "2027-03-28T02:30", "targetTimezone": "Europe/Paris", "gap": "reject"}, 400, "VALIDATION_FAILED", "/targetTimestampLocal", "nonexistent_time", ""),
    ("beyond the horizon", "/v1/events", {"eventType": "X", "deliveryPayload": {}, "targetTimestampUTC": "2099-01-01T00:00:00Z"}, 400, "VALIDATION_FAILED", "/targetTimestampUTC", "out_of_range", ""),
    ("dot in a key", "/v1/events", {"eventType": "X", "deliveryPayload": {}, "targetTimestampUTC": "now", "idempotencyKey": "a.b"}, 400, "VALIDATION_FAILED", "/idempotencyKey", "bad_format", ""),
    ("unknown endpoint", "/v1/events", {"eventType": "X", "deliveryPayload": {}, "targetTimestampUTC": "now", "endpointId": "ext:nobody"}, 400, "VALIDATION_FAILED", "/endpointId", "not_allowed", "nobody"),
]

PROBLEM = {"type", "title", "status", "code", "retryable", "detail", "instance", "correlationId"}


def stored(client):
    return [client.all(f"/v1/{noun}") for noun in ("users", "events", "endpoints")]


def check_problem(what, answer, status, code):
    problem = answer.json()
    assert answer.status == status, f"{what}: {answer.status} {problem}"
    assert answer.headers["Content-Type"] == "application/problem+json", what
    assert PROBLEM <= problem.keys() and problem["status"] == status, f"{what}: {problem}"
    assert code is None or problem["code"] == code, f"{what}: {problem}"
    return problem


def main():
    with h.folder() as directory, h.running("serve", "--db", "sundial.db", folder=directory) as server:
        client = server.client()
        user = client.ok("POST", "/v1/users", PERSON)
        before = stored(client)
        for what, path, body, status, code, pointer, field, part in REFUSED:
            problem = check_problem(what, server.client().call("POST", path, body), status, code)
            if pointer is not None:
                found = [e for e in problem["errors"] if e["pointer"] == pointer]
                assert found, f"{what}: {problem}"
                assert field is None or found[0]["code"] == field, f"{what}: {problem}"
                assert part in found[0]["message"], f"{what}: {problem}"
        path = f"/v1/users/{user['id']}"
        edit = {"firstName": "Eve"}
        for method in ("PUT", "PATCH"):
            problem = check_problem("stale", client.call(method, path, edit, {"If-Match": '"7"'}), 412, "OPTIMISTIC_LOCK")
            assert (problem["expectedVersion"], problem["actualVersion"]) == (7, 1)
        check_problem("stale delete", client.call("DELETE", path, headers={"If-Match": '"7"'}), 412, "OPTIMISTIC_LOCK")
        for noun, code in (("users", "USER"), ("events", "EVENT"), ("endpoints", "ENDPOINT"), ("schedules", "SCHEDULE")):
            for unknown in ("01995b2c-7d3a-7c11-9f3e-0123456789ab", "nonsense", "ext:nobody"):
                check_problem("unknown id", client.get(f"/v1/{noun}/{unknown}"), 404, f"{code}_NOT_FOUND")
        check_problem("no such route", client.get("/v1/nothing"), 404, "ROUTE_NOT_FOUND")
        check_problem("no such method", client.call("PATCH", "/v1/users", {}), 405, "METHOD_NOT_ALLOWED")
        check_problem("media type", client.call("POST", "/v1/users", "x", {"Content-Type": "text/plain"}), 415, "UNSUPPORTED_MEDIA_TYPE")
        check_problem("cursor", client.get("/v1/users?cursor=abc"), 400, "INVALID_CURSOR")
        check_problem("filter", client.get("/v1/events?statuss=PENDING"), 400, "VALIDATION_FAILED")
        check_problem("clock", client.call("POST", "/v1/clock/advance", {"by": "PT1H"}), 409, "CLOCK_NOT_TEST")
        assert stored(client) == before, "something was changed by what was refused"

        # An unreachable receiver is a failed attempt, never a refused endpoint.
        assert client.ok("POST", "/v1/endpoints", {"name": "x", "type": "WEBHOOK", "url": "https://nobody.invalid/"})

        # The seeds' aliases carry the seeds' error beside the problem.
        wrong = person(dateOfBirth="1992-02-30", timezone="Mars/Base")
        problem = check_problem("alias", client.call("POST", "/user", wrong), 400, "VALIDATION_FAILED")
        assert problem["error"]["code"] == "VALIDATION_FAILED" and problem["error"]["message"] == problem["detail"]
        assert {d["field"] for d in problem["error"]["details"]} == {"dateOfBirth", "timezone"}
        problem = check_problem("alias", client.call("POST", "/users", person(timezone="Mars/Base")), 400, "VALIDATION_FAILED")
        assert problem["error"]["code"] == "INVALID_TIMEZONE"
        problem = check_problem("alias", client.get("/user/01995b2c-7d3a-7c11-9f3e-0123456789ab"), 404, "USER_NOT_FOUND")
        assert problem["error"]["code"] == "USER_NOT_FOUND"
        made = client.call("POST", "/user", PERSON)
        assert made.status == 201 and made.headers["ETag"] == '"1"' and made.headers["Location"].startswith("/v1/users/")
        print(f"{len(REFUSED)} kinds of bad input refused, nothing changed")


if __name__ == "__main__":
    main()
