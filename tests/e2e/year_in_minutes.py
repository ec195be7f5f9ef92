"""A year of birthdays on a test clock, checked against Python's own reading of the tz database.

People of more than a hundred zones, 29 February among their birthdays; the clock goes on by weeks, so over every
change of every zone. Each birthday arrives once, at 09:00 where the person lives; next year's is pending.
"""
import datetime as dt
import sys
import zoneinfo

import harness as h

NINE = dt.time(9, 0)


def resolve(day, zone):
    """09:00 of `day` in `zone` as UTC; a gap moves it on by its length (fold=0 does just that)."""
    return dt.datetime.combine(day, NINE, zoneinfo.ZoneInfo(zone)).astimezone(dt.timezone.utc)


def birthday_in(year, born):
    try:
        return born.replace(year=year)
    except ValueError:  # 29 February in a common year: the 28th
        return dt.date(year, 2, 28)


def birthdays(born, zone, after, until):
    """Every birthday in (after, until], as (nominal day, instant)."""
    for year in range(after.year - 1, until.year + 2):
        day = birthday_in(year, born)
        instant = resolve(day, zone)
        if after < instant <= until:
            yield day, instant


def instant(text):
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))


def people(count, names):
    for i in range(count):
        born = dt.date(1950, 1, 1) + dt.timedelta(days=i * 37 % 25_000)
        if i % 20 == 0:
            born = dt.date(1952 + i // 20 % 10 * 4, 2, 29)
        yield {"firstName": f"P{i}", "lastName": "Of the year", "dateOfBirth": born.isoformat(),
               "timezone": names[i % len(names)], "externalId": f"p-{i}"}


def check_year(kind, count):
    names = sorted(name for name in zoneinfo.available_timezones()
                   if "/" in name and not name.startswith(("posix", "right", "SystemV")))
    names = names[:: max(1, len(names) // 150)]
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("dev", "--test-clock", "--users=1", "--db", db, folder=directory) as server:
        client = server.client()
        begin = instant(client.ok("GET", "/v1/clock")["now"])
        users = {}
        for person in people(count, names):
            user = client.ok("POST", "/v1/users", person)
            users[user["id"]] = person
        assert len({person["timezone"] for person in users.values()}) >= min(100, count)

        delivered = 0
        end = begin + dt.timedelta(days=365)
        now = begin
        while now < end:
            step = min(dt.timedelta(days=7), end - now)
            by = "P1W" if step.days == 7 else f"{int(step.total_seconds() // 3600)}h"
            answer = client.ok("POST", "/v1/clock/advance", {"by": by})
            assert answer["failed"] == 0, answer
            delivered += answer["delivered"]
            now = instant(answer["now"])

        expected = set()
        pending = set()
        for user, person in users.items():
            born = dt.date.fromisoformat(person["dateOfBirth"])
            due = list(birthdays(born, person["timezone"], begin, now))
            expected |= {(user, at) for _, at in due}
            following = next(birthdays(born, person["timezone"], now, now + dt.timedelta(days=800)))
            pending.add((user, following[1]))

        done = client.all("/v1/events?status=COMPLETED&eventType=BIRTHDAY&limit=500")
        got = [(event["userId"], instant(event["executedAt"]).replace(microsecond=0))
               for event in done if event["userId"] in users]
        assert len(got) == len(set(got)), "a birthday was delivered twice"
        assert set(got) == expected, f"{len(expected - set(got))} missing, {len(set(got) - expected)} unexpected"
        assert all(event["attempt"] == 1 and event["latenessMs"] == 0 for event in done)

        live = client.all("/v1/events?status=PENDING&eventType=BIRTHDAY&limit=500")
        planned = {(event["userId"], instant(event["targetTimestampUTC"])) for event in live if event["userId"] in users}
        assert planned == pending, "next year's events are not as they should be"

        arrived = [item for item in client.all("/v1/endpoints/ext:inbox/inbox?limit=500")]
        assert len(arrived) == delivered
        hours = {item["headers"]["Sundial-Target-Time"][11:16] for item in arrived}
        print(f"{kind}: {len(users)} people, {len({p['timezone'] for p in users.values()})} zones, "
              f"{len(got)} birthdays delivered once each, local hours {sorted(hours)}, {len(planned)} pending")
        assert server.stop() == 0


if __name__ == "__main__":
    check_year(sys.argv[1], int(sys.argv[2]))
