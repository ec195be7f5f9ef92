"""`sundial next` and `sundial schedule explain` as people and programs use them."""
import json
import subprocess
import time

import harness as h


def run(*arguments):
    return subprocess.run([h.PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)


def shown(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, done
    return done.stdout


def refused(*arguments):
    done = run(*arguments)
    assert done.returncode == 2 and not done.stdout, done
    return done.stderr


def people():
    table = shown("next", "30 2 * * *", "--zone", "Europe/Berlin", "--from", "2027-03-27T12:00:00Z", "-n", "2")
    assert [line.split() for line in table.splitlines()][1][:4] == ["Sun", "2027-03-28", "03:00:00", "+02:00"], table
    assert "moved to the end of the gap" in table, table
    # Words of one rule need no quotes, and a rule without --from begins now.
    year = int(shown("next", "yearly", "07-17", "--zone", "UTC", "-n", "1", "--plain").split("\t")[2][:4])
    assert 0 <= year - time.gmtime().tm_year <= 1, year
    document = json.loads(shown("next", "@daily", "--zone", "UTC", "-n", "3", "--json"))
    assert len(document["occurrences"]) == 3, document
    assert shown("schedule", "explain", "30 2 * * SUN").startswith("at 02:30 every Sunday"), "explain"

    assert "did you mean 'Europe/Berlin'" in refused("next", "@daily", "--zone", "Europe/berlin")
    assert "bad_cron" in refused("next", "0 25 * * *", "--zone", "UTC")
    assert "bad_rrule" in refused("schedule", "explain", "FREQ=DAYLY")
    assert "EXPR" in refused("next")
    assert "EXPR" in refused("schedule", "explain")
    assert "did you mean '--zone'?" in refused("next", "@daily", "--zon", "UTC")


def one_by_one():
    """A program that writes a request and waits gets its answer before the input ends."""
    with subprocess.Popen([h.PROGRAM, "next", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        for number in range(3):
            program.stdin.write(b'{"kind":"tzdb","id":%d}\n' % number)
            program.stdin.flush()
            assert json.loads(program.stdout.readline())["id"] == number
        program.stdin.close()
        assert program.wait(timeout=h.HANG_GUARD) == 0


def many():
    kinds = [
        {"kind": "local", "local": "2026-03-08T02:30:00", "zone": "America/New_York"},
        {"kind": "yearly", "date": "1992-02-29", "zone": "Europe/Paris", "after": "2026-01-01T00:00:00Z", "count": 3},
        {"kind": "cron", "expr": "30 2 * * MON-FRI", "zone": "Europe/Berlin", "after": "2026-01-01T00:00:00Z", "count": 5},
        {"kind": "rrule", "dtstart": "20260617T090000", "zone": "Asia/Tokyo", "rrule": "FREQ=MONTHLY;BYDAY=-1WE", "count": 5},
        {"kind": "misfire", "schedule": {"kind": "cron", "expr": "0 */6 * * *", "zone": "UTC"},
         "last": "2026-01-17T00:00:00Z", "now": "2026-01-18T07:00:00Z"},
        {"kind": "cron", "expr": "0 25 * * *", "zone": "UTC", "after": "2026-01-01T00:00:00Z"},
    ]
    requests = "".join(json.dumps({"id": i, **kinds[i % len(kinds)]}) + "\n" for i in range(30_000))
    done = subprocess.run([h.PROGRAM, "next", "--json"], input=requests, capture_output=True, text=True,
                          timeout=h.HANG_GUARD)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and [answer["id"] for answer in answers] == list(range(30_000)), done.stderr
    assert all(("error" in answer) == (i % len(kinds) == 5) for i, answer in enumerate(answers))


def main():
    people()
    one_by_one()
    many()


if __name__ == "__main__":
    main()
