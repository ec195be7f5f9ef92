"""iCalendar feeds: what they show, who may read them, and what two other programs read in them."""
import datetime as dt
import os
import subprocess
import sys

import harness as h


def feed_of(client, **what):
    """A new calendar and its feed."""
    made = client.ok("POST", "/v1/calendars", what)
    answer = client.call("GET", made["path"])
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/calendar; charset=utf-8", (answer.status, answer.body)
    return made, answer


def tokens(kind):
    """Only the creation shows the token, the database has none, and nothing can be read once it is revoked or has expired."""
    with h.folder() as directory, h.database(kind, directory) as url, h.running("dev", "--test-clock", "--db", url, folder=directory) as server:
        client = server.client()
        client.ok("POST", "/v1/users", {"externalId": "ada", "firstName": "Ada", "lastName": "Love;lace", "dateOfBirth": "1992-02-29",
                                        "timezone": "Europe/Paris"})
        client.ok("POST", "/v1/schedules", {"externalId": "daily", "eventType": "DAILY", "trigger": {"cron": "0 9 * * *"}, "timezone": "UTC"})
        made, answer = feed_of(client, scheduleId="ext:daily")
        assert made["token"].startswith("sundial_cal_") and made["path"] == f"/calendar/{made['token']}.ics", made
        (listed,) = client.ok("GET", "/v1/calendars")["data"]
        assert listed == {name: made[name] for name in made if name not in ("token", "path")}, listed
        tag = answer.headers["ETag"]
        same = client.call("GET", made["path"], headers={"If-None-Match": tag})
        assert same.status == 304 and same.headers["ETag"] == tag and not same.body, same.status
        client.ok("PATCH", "/v1/schedules/ext:daily", {"trigger": {"cron": "0 10 * * *"}})
        changed = client.call("GET", made["path"], headers={"If-None-Match": tag})
        assert changed.status == 200 and changed.headers["ETag"] != tag and b"T100000Z" in changed.body, changed.body

        born, answer = feed_of(client, userId="ext:ada", name="Ada")
        assert b"SUMMARY:BIRTHDAY: Ada Love\\;lace" in answer.body and b"BYMONTHDAY=-1;BYMONTH=2" in answer.body, answer.body
        assert [each["id"] for each in client.ok("GET", "/v1/calendars?userId=ext:ada")["data"]] == [born["id"]]
        kept, _ = feed_of(client, userId="ext:ada")
        admin = client.ok("POST", "/v1/api-keys", {"name": "root", "role": "ADMIN"})["key"]
        holder = {"Authorization": f"Bearer {admin}"}
        h.wait_until(lambda: client.call("GET", "/v1/users").status == 401, "requests without a key to be refused")
        assert client.call("GET", born["path"]).status == 200, "the token is the right to read"
        assert client.call("GET", "/v1/calendars").status == 401
        assert client.call("DELETE", f"/v1/calendars/{born['id']}", headers=holder).status == 204
        assert client.call("GET", born["path"]).status == 404
        assert client.call("DELETE", f"/v1/calendars/{born['id']}", headers=holder).json()["code"] == "CALENDAR_NOT_FOUND"
        assert client.call("DELETE", "/v1/users/ext:ada", headers=holder).status == 204
        assert client.call("GET", kept["path"]).status == 404
        assert len(client.call("GET", "/v1/calendars", headers=holder).json()["data"]) == 1
        for path in ("/calendar/nonsense.ics", "/calendar/sundial_cal_" + "A" * 43 + ".ics"):
            assert client.call("GET", path).status == 404, path
        assert client.call("GET", made["path"] + "?days=367").status == 400
        assert made["token"] not in server.log_text()
        if kind == "sqlite":
            secret = made["token"].removeprefix("sundial_cal_").encode()
            for name in os.listdir(directory):
                with open(os.path.join(directory, name), "rb") as file:
                    assert secret not in file.read(), name


SCHEDULES = [
    {"trigger": {"cron": "30 9,17 * * 1-5"}, "timezone": "America/New_York"},
    {"trigger": {"cron": "30 2 * * *"}, "timezone": "Europe/Paris"},  # a time that does not exist once a year: listed
    {"trigger": {"cron": "*/30 1-3 * * *"}, "timezone": "Europe/Paris", "overlap": "both"},
    {"trigger": {"cron": "0 12 L * *"}, "timezone": "Australia/Lord_Howe"},
    {"trigger": {"cron": "0 12 15W * *"}, "timezone": "Asia/Tehran"},
    {"trigger": {"cron": "15 */6 * * *"}, "timezone": "Asia/Kolkata"},
    {"trigger": {"every": "PT36H"}},
    {"trigger": {"every": "PT90M"}},
    {"trigger": {"yearly": {"on": "02-29", "at": "07:45"}}, "timezone": "Africa/Casablanca"},
    {"trigger": {"yearly": {"on": "02-29", "at": "07:45"}}, "timezone": "America/Nuuk", "leap": "mar1"},
    {"trigger": {"yearly": {"on": "02-29", "at": "07:45"}}, "timezone": "Asia/Jerusalem", "leap": "skip"},
    {"trigger": {"rrule": {"dtstart": "2037-12-30T08:15", "rrule": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20380601",
                           "exdate": ["2038-01-11T08:15"], "rdate": ["2038-02-02T20:00"]}}, "timezone": "Europe/Berlin"},
    {"trigger": {"rrule": {"dtstart": "2038-01-01T23:30", "rrule": "FREQ=MONTHLY;BYDAY=-1SU;COUNT=5"}}, "timezone": "America/Santiago"},
    {"trigger": {"rrule": {"dtstart": "2038-01-01T02:30", "rrule": "FREQ=DAILY"}}, "timezone": "America/New_York"},
    {"trigger": {"cron": "0 8 * * *"}, "timezone": "Europe/London", "startsAt": "2038-02-01T00:00:00Z", "endsAt": "2038-03-31T12:00:00Z"},
]


def read_back(*readers):
    """Other programs find the instants at which Sundial fires. `readers`: commands, separated by `--`."""
    commands, last = [], []
    for word in (*readers, "--"):
        if word == "--":
            commands, last = [*commands, last], []
        else:
            last.append(word)
    with h.folder() as directory, h.running("dev", "--test-clock", "--db", f"{directory}/sundial.db", folder=directory) as server:
        client = server.client()
        now = dt.datetime.fromisoformat("2038-01-05T12:00:00+00:00")
        client.ok("PUT", "/v1/clock", {"now": now.isoformat().replace("+00:00", "Z")})
        days = 200
        start, end = int(now.timestamp()), int(now.timestamp()) + (days - 1) * 86400
        said = 0
        for number, schedule in enumerate(SCHEDULES):
            made = client.ok("POST", "/v1/schedules", {"eventType": f"S{number}", **schedule})
            calendar = client.ok("POST", "/v1/calendars", {"scheduleId": made["id"]})
            text = client.call("GET", calendar["path"] + f"?days={days}").body
            said += b"RRULE" in text.partition(b"BEGIN:VEVENT")[2]
            shown = client.ok("POST", "/v1/preview", {"scheduleId": made["id"], "from": "2038-01-05T12:00:00Z", "count": 1000})
            wanted = [int(dt.datetime.fromisoformat(each["targetTimestampUTC"].replace("Z", "+00:00")).timestamp())
                      for each in shown["data"] if each["targetTimestampUTC"]]
            wanted = sorted(at for at in wanted if start < at < end)[:900]
            until = min(end, wanted[-1] + 1) if len(wanted) == 900 else end
            for command in commands:
                done = subprocess.run([*command, str(start + 1), str(until)], input=text, capture_output=True, timeout=h.HANG_GUARD, check=True)
                found = sorted(int(line.split(b"\t")[1]) for line in done.stdout.splitlines())
                assert found == wanted, (command, schedule, text.decode(), [at for at in wanted if at not in found][:5],
                                         [at for at in found if at not in wanted][:5])
        assert said == 8, said


if __name__ == "__main__":
    h.main({f.__name__: f for f in (tokens, read_back)})
