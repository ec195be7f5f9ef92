"""Schedules of every kind on a test clock, over the spring changes of clocks and through a restart, checked against
Python's own reading of the tz database: each occurrence arrives once. Then what misfire policies make of a downtime.
"""
import datetime as dt
import sys
import zoneinfo

import harness as h

UTC = dt.timezone.utc
BEGIN = dt.datetime(2032, 3, 10, tzinfo=UTC)
END = dt.datetime(2032, 4, 2, tzinfo=UTC)
ZONES = ["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Auckland", "Pacific/Honolulu",
         "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo"]


def instant(text):
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))


def written(moment):
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def first_at_or_after(wall, zone):
    """The first instant at which the clock of `zone` shows `wall` or more: what a job of that time means, gaps and
    overlaps included."""
    info = zoneinfo.ZoneInfo(zone)
    moment = wall.replace(tzinfo=UTC) - dt.timedelta(hours=15)
    while moment.astimezone(info).replace(tzinfo=None) < wall:
        moment += dt.timedelta(minutes=15)
    return moment


def days(begin, end):
    day = begin.date() - dt.timedelta(days=2)
    while day <= end.date() + dt.timedelta(days=2):
        yield day
        day += dt.timedelta(days=1)


def within(moments):
    return {moment for moment in moments if BEGIN < moment <= END}


def daily_at(hour, minute, zone, weekdays=range(7)):
    return within(first_at_or_after(dt.datetime.combine(day, dt.time(hour, minute)), zone)
                  for day in days(BEGIN, END) if day.weekday() in weekdays)


def every_second_hour(zone):
    """A wildcard job: what the real clock shows."""
    hours = (BEGIN + dt.timedelta(hours=i) for i in range(1, int((END - BEGIN).total_seconds() // 3600) + 1))
    return {hour for hour in hours if hour.astimezone(zoneinfo.ZoneInfo(zone)).hour % 2 == 0}


def every(start, step):
    moments, moment = set(), start
    while moment <= END:
        moments.add(moment)
        moment += step
    return within(moments)


def schedule(client, name, trigger, **more):
    body = {"eventType": name, "externalId": name, "trigger": trigger, "endpointId": "ext:inbox", **more}
    return client.ok("POST", "/v1/schedules", body)


def done(client, name):
    events = client.all(f"/v1/events?status=COMPLETED&eventType={name}&limit=500")
    got = [(event["userId"], instant(event["targetTimestampUTC"])) for event in events]
    assert len(got) == len(set(got)), f"{name}: delivered twice"
    assert all(event["attempt"] == 1 for event in events)
    return set(got)


def make_all(client):
    users = {}
    for zone in ZONES:
        user = client.ok("POST", "/v1/users", {"firstName": "A", "lastName": "B", "dateOfBirth": "1990-07-01",
                                               "timezone": zone})
        users[user["id"]] = zone
    start = BEGIN + dt.timedelta(minutes=7)
    schedule(client, "PER_USER", {"cron": "30 2 * * *"}, perUser=True, payload={"zone": "{timezone}"})
    schedule(client, "WILDCARD", {"cron": "0 */2 * * *"}, timezone="Europe/Berlin")
    schedule(client, "RRULE", {"rrule": {"dtstart": "2032-01-01T09:00", "rrule": "FREQ=WEEKLY;BYDAY=MO,TH"}},
             timezone="America/New_York")
    schedule(client, "EVERY", {"every": "PT5H7M"}, timezone="UTC", startsAt=written(start))
    expected = {"PER_USER": {(user, moment) for user, zone in users.items() for moment in daily_at(2, 30, zone)},
                "WILDCARD": {(None, moment) for moment in every_second_hour("Europe/Berlin")},
                "RRULE": {(None, moment) for moment in daily_at(9, 0, "America/New_York", (0, 3))},
                "EVERY": {(None, moment) for moment in every(start, dt.timedelta(hours=5, minutes=7))}}
    return expected, set(users) | {None}


def advance_to(client, moment):
    answer = client.ok("POST", "/v1/clock/advance", {"to": written(moment)})
    assert answer["failed"] == 0, answer


def downtime(client):
    """Ten and a half hours without a scheduler."""
    for policy in ("all", "once", "skip"):
        schedule(client, f"MISSED_{policy}", {"cron": "0 * * * *"}, timezone="UTC", misfire=policy)
    client.ok("PUT", "/v1/clock", {"now": written(END + dt.timedelta(hours=10, minutes=30))})
    while client.ok("POST", "/v1/tick", {"limit": 100})["claimed"]:
        pass
    hours = {hour: (None, END + dt.timedelta(hours=hour)) for hour in range(1, 11)}
    assert done(client, "MISSED_all") == set(hours.values())
    assert done(client, "MISSED_once") == {hours[10]}
    assert done(client, "MISSED_skip") == set()
    for policy in ("once", "skip"):
        dropped = client.all(f"/v1/events?status=CANCELLED&eventType=MISSED_{policy}")
        assert [event["failureReason"] for event in dropped] == [f"misfire_{policy}"], dropped
        view = client.ok("GET", f"/v1/schedules/ext:MISSED_{policy}")
        assert instant(view["nextAt"]) == END + dt.timedelta(hours=11), view

    # Skipped occurrences can be backfilled, once.
    wish = {"from": written(END), "to": "now"}
    dry = client.ok("POST", "/v1/schedules/ext:MISSED_skip/backfill", {**wish, "dryRun": True})
    assert (dry["occurrences"], len(dry["samples"])) == (10 + 1, 5), dry
    for _ in range(2):
        operation = client.ok("POST", "/v1/schedules/ext:MISSED_skip/backfill", wish)
        h.wait_until(lambda: client.ok("GET", f"/v1/operations/{operation['id']}")["status"] == "COMPLETED", "backfill")
    while client.ok("POST", "/v1/tick", {"limit": 100})["claimed"]:
        pass
    assert len(done(client, "MISSED_skip")) == 11


def by_hand(client):
    made = client.ok("POST", "/v1/schedules/ext:EVERY/trigger", {"payload": {"by": "hand"}})
    assert made["deliveryPayload"] == {"by": "hand"} and made["scheduleId"]
    gone = client.ok("GET", "/v1/schedules/ext:RRULE")
    client.ok("DELETE", "/v1/schedules/ext:RRULE", headers={"If-Match": f'"{gone["version"]}"'})
    assert client.call("GET", "/v1/schedules/ext:RRULE").status == 404
    assert client.all("/v1/events?status=PENDING&eventType=RRULE") == []
    names = {view["externalId"] for view in client.all("/v1/schedules?trigger=cron&limit=2")}
    assert names == {"PER_USER", "WILDCARD", "MISSED_all", "MISSED_once", "MISSED_skip"}, names


def check(kind):
    options = ("dev", "--test-clock", "--users=1")
    with h.folder() as directory, h.database(kind, directory) as db:
        with h.running(*options, "--db", db, folder=directory) as server:
            client = server.client()
            client.ok("PUT", "/v1/clock", {"now": written(BEGIN)})
            expected, known = make_all(client)  # the demo has people of its own
            advance_to(client, dt.datetime(2032, 3, 14, 6, 59, tzinfo=UTC))  # a minute before New York's change
            assert server.stop() == 0
        with h.running(*options, "--db", db, folder=directory) as server:
            client = server.client()
            advance_to(client, dt.datetime(2032, 3, 28, 1, 0, tzinfo=UTC))  # Berlin's change
            server.kill()
        with h.running(*options, "--db", db, folder=directory) as server:
            client = server.client()
            advance_to(client, END)
            for name, moments in expected.items():
                got = {one for one in done(client, name) if one[0] in known}
                assert got == moments, f"{name}: {len(moments - got)} missing, {len(got - moments)} unexpected"
            downtime(client)
            by_hand(client)
            assert server.stop() == 0
        total = sum(len(moments) for moments in expected.values())
        print(f"{kind}: {total} occurrences of {len(expected)} schedules in {len(ZONES)} zones, once each, through a "
              f"restart and a kill")


if __name__ == "__main__":
    check(sys.argv[1])
