"""Two edits of a person's zone race the claim of the birthday: one consistent result in either order.

The test clock passes the birthday while two clients move the person to two other zones. Afterwards the person is in
one of them, the birthday was delivered once or is still to come at 09:00 there, and whatever is pending follows the
zone that won.
"""
import datetime as dt
import sys
import threading
import zoneinfo

import harness as h

ZONES = ["Pacific/Auckland", "America/New_York"]


def instant(text):
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))


def nine_there(event, zone):
    local = instant(event["targetTimestampUTC"]).astimezone(zoneinfo.ZoneInfo(zone))
    return (local.hour, local.minute) == (9, 0) and event["targetTimezone"] == zone


def check(kind, rounds):
    moved_first = claimed_first = 0
    with h.folder() as directory, h.database(kind, directory) as db, \
            h.running("dev", "--test-clock", "--users=1", "--db", db, folder=directory) as server:
        client = server.client()
        for number in range(rounds):
            now = instant(client.ok("GET", "/v1/clock")["now"])
            born = (now + dt.timedelta(days=1)).date().replace(year=1992)  # a leap year
            user = client.ok("POST", "/v1/users", {"firstName": "R", "lastName": str(number), "timezone": "Europe/London",
                                                   "dateOfBirth": born.isoformat()})
            path = f"/v1/users/{user['id']}"
            events = f"/v1/events?userId={user['id']}"
            due = instant(client.ok("GET", events)["data"][0]["targetTimestampUTC"])
            client.ok("POST", "/v1/clock/advance", {"to": (due - dt.timedelta(seconds=1)).isoformat()})

            begin = threading.Barrier(3)
            answers = []

            def move(zone):
                own = server.client()
                own.get("/v1/clock")
                begin.wait()
                answers.append(own.ok("PATCH", path, {"timezone": zone}))

            def pass_birthday():
                own = server.client()
                own.get("/v1/clock")
                begin.wait()
                own.ok("POST", "/v1/clock/advance", {"by": "PT2S"})

            threads = [threading.Thread(target=move, args=(zone,)) for zone in ZONES] + [threading.Thread(target=pass_birthday)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            client.ok("POST", "/v1/tick")

            after = client.ok("GET", path)
            assert after["version"] == 3 and len(answers) == 2, after
            done = client.ok("GET", events + "&status=COMPLETED")["data"]
            pending = client.ok("GET", events + "&status=PENDING")["data"]
            assert len(pending) == 1, pending
            assert nine_there(pending[0], after["timezone"]), (after, pending)
            years = sorted(event["targetTimestampLocal"][:4] for event in done + pending)
            assert len(years) == len(set(years)), f"one birthday twice: {years}"
            assert years[0] == str((now + dt.timedelta(days=1)).year), f"this year's birthday was lost: {years}"
            claimed_first += bool(done) and done[0]["targetTimezone"] == "Europe/London"
            moved_first += not done or done[0]["targetTimezone"] != "Europe/London"
            client.ok("DELETE", path)
        print(f"{kind}: {rounds} races, the claim was first in {claimed_first}, an edit in {moved_first}; all consistent")


if __name__ == "__main__":
    check(sys.argv[1], int(sys.argv[2]))
