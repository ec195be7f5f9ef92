"""`sundial import csv` and `ndjson`: people by their external ids, thousands per second, and on after an interruption."""
import json
import os
import signal
import subprocess
import sys
import time

import harness as h

HEADER = "externalId,firstName,lastName,dateOfBirth,timezone\n"
ZONES = ("Europe/Paris", "America/New_York", "Asia/Calcutta", "Australia/Lord_Howe")


def csv_row(n):
    return f"p{n},Ada{n},Lovelace,19{50 + n % 50}-{1 + n % 12:02}-{1 + n % 28:02},{ZONES[n % 4]}"


def written(path, text):
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    return path


def command(server, *arguments):
    return [h.PROGRAM, "import", *arguments, "--server", f"http://127.0.0.1:{server.port}"]


def run(server, *arguments, code=0, text=""):
    done = subprocess.run(command(server, *arguments), input=text, capture_output=True, text=True, timeout=h.HANG_GUARD, check=False)
    assert done.returncode == code, (arguments, done)
    return done


def people(client):
    """All of them."""
    return {user["externalId"]: user for user in client.all("/v1/users?limit=500")}


def files(kind):
    """Every row is stored once or reported with its line; a second import changes nothing."""
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        client = server.client()
        rows = [csv_row(n) for n in range(2500)]
        bad = {2502: "p2500,Ada,Lovelace,1992-02-30,Europe/Paris", 2503: "p1,Ada,Again,1990-01-01,UTC",
               2504: ",Ada,Nobody,1990-01-01,UTC", 2505: "p9,too,few", 2506: "p2501,Ada,L,1990-01-01,Mars/Base"}
        path = written(f"{directory}/people.csv", HEADER + "\n".join([*rows, *bad.values()]) + "\n")
        reasons = {2502: "/dateOfBirth", 2503: "/externalId is that of line 3", 2504: "/externalId is required", 2505: "has 3 fields",
                   2506: "/timezone"}
        tried = run(server, "csv", path, "--dry-run", code=7)
        assert tried.stdout == "2500 would be sent, 5 refused\n" and not people(client), tried
        refusals = f"{directory}/refused.ndjson"
        done = run(server, "csv", path, "--errors", refusals, code=7)
        assert done.stdout == "2500 created, 0 changed, 0 unchanged, 5 refused\n", done
        for said in (tried.stderr, done.stderr):
            lines = dict(line.removeprefix(path + ":").split(": ", 1) for line in said.splitlines() if line.startswith(path))
            assert set(lines) == {str(n) for n in bad} and all(reasons[int(n)] in lines[n] for n in lines), said
            assert "625 people have Asia/Calcutta, another name of Asia/Kolkata" in said, said
        with open(refusals, encoding="utf-8") as file:
            refused = [json.loads(line) for line in file]
        assert [(each["line"], each["row"]) for each in refused] == list(bad.items()), refused
        assert refused[0]["problem"]["code"] == "VALIDATION_FAILED" and "problem" not in refused[1], refused
        stored = people(client)
        assert len(stored) == 2500 and stored["p2"]["timezone"] == "Asia/Calcutta", len(stored)

        moved = written(f"{directory}/moved.csv", HEADER + "\n".join([csv_row(0).replace("Europe/Paris", "Europe/Rome"), *rows[1:]]))
        again = json.loads(run(server, "csv", moved, "--json").stdout)
        assert {name: again[name] for name in ("created", "changed", "unchanged", "refused")} == {
            "created": 0, "changed": 1, "unchanged": 2499, "refused": 0}, again
        assert again["aliases"] == [{"timezone": "Asia/Calcutta", "target": "Asia/Kolkata", "people": 625}], again
        assert people(client)["p0"]["timezone"] == "Europe/Rome"

        line = json.dumps({"externalId": "x", "firstName": "Ada", "lastName": "L", "dateOfBirth": "1990-01-01", "dates": {"hired": "2015-06-01"}})
        odd = line.replace('"x"', '"y"').replace('"lastName"', '"lastName": "L", "lastName"')
        piped = run(server, "ndjson", "--timezone", "UTC", text=f"{line}\n{odd}\nnonsense\n", code=7)
        assert piped.stdout == "1 created, 0 changed, 0 unchanged, 2 refused\n" and "line:2: " in piped.stderr, piped
        assert people(client)["x"]["dates"] == {"hired": "2015-06-01"}
        for arguments, said in ((("csv", f"{directory}/nothing.csv"), "cannot read"), (("csv", path, "--errors", path), "would overwrite"),
                                (("csv", path, "--column", "born"), "MEMBER=COLUMN"), (("csv", path, "--delimiter", ";"), "no column for"),
                                (("csv", directory), "cannot read"), (("ndjson", directory), "cannot read"),
                                (("csv", written(f"{directory}/empty.csv", "")), "no header"),
                                (("csv", path, "--progress", directory), "does not have the progress"),
                                (("csv", path, "--errors", directory), "cannot write")):
            assert said in run(server, *arguments, code=2).stderr, arguments

        # The import that left this progress had written refused rows, but their file is gone.
        progress = written(f"{directory}/people.progress", json.dumps({"bytes": 10, "hash": 1, "line": 1, "created": 0, "changed": 0,
                                                                       "unchanged": 0, "refused": 1, "errorBytes": 9}))
        lost = f"{directory}/lost.ndjson"
        assert "is not the file" in run(server, "csv", path, "--progress", progress, "--errors", lost, code=2).stderr
        assert not os.path.exists(lost)


def odd_files(kind):
    """Files without rows, with bytes that no person has, with a column twice; places that cannot be written."""
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        client = server.client()

        def imported(format, text, *flags, code):
            return run(server, format, written(f"{directory}/odd.{format}", text), *flags, code=code)

        for format, text in (("csv", HEADER), ("csv", HEADER + "\n\n"), ("ndjson", ""), ("ndjson", "\n \n")):
            for flags in ((), ("--dry-run",), ("--progress", f"{directory}/nothing.progress")):
                done = imported(format, text, *flags, code=0)
                assert done.stdout.startswith("0 ") and "the file has no rows" in done.stderr, (format, flags, done)
        person = "p1,Ada,Lovelace,1990-01-01,Europe/Paris\n"
        for flags in ((), ("--dry-run",)):
            done = imported("csv", HEADER + person.replace("Ada", "A\0da") + person.replace("p1", "p\0"), *flags, code=7)
            assert "2 refused" in done.stdout and "odd.csv:2: " in done.stderr and "odd.csv:3: " in done.stderr, done
            assert "/firstName must not contain" in done.stderr and "/externalId must not contain" in done.stderr, done
        zero = '{"externalId":"x\\u0000y","firstName":"Ada","lastName":"L","dateOfBirth":"1990-01-01","timezone":"Europe/Paris"}\n'
        done = imported("ndjson", zero + '{"externalId":"z\0"}\n', code=7)
        assert "odd.ndjson:1: " in done.stderr and "odd.ndjson:2: is not JSON" in done.stderr, done
        for text, flags, said in ((HEADER.replace("externalId", "external\0Id\x1b"), (), "it has external\\x00Id\\x1b, firstName"),
                                  ("\0\0\0\n", (), "no column for"), ("externalId," + HEADER, (), "two columns are externalId"),
                                  (HEADER + person, ("--errors", f"{directory}/none/x"), "cannot write"),
                                  (HEADER + person, ("--progress", f"{directory}/none/x"), "cannot write")):
            done = imported("csv", text, *flags, code=2)
            assert said in done.stderr, (text, flags, done.stderr)
        full = imported("csv", HEADER + person.replace("-01", "-13"), "--errors", "/dev/full", code=1)
        assert "could not be written to /dev/full; the file is incomplete" in full.stderr, full
        assert not people(client), "none of these rows is a person"


def unreachable(kind):
    """An import waits half a minute for a server that is not there, and says so."""
    with h.folder() as directory:
        path = written(f"{directory}/people.csv", HEADER + csv_row(0) + "\n")
        progress = f"{directory}/people.progress"
        nowhere = f"http://127.0.0.1:{h.free_port()}"
        done = subprocess.run([h.PROGRAM, "import", kind, path, "--progress", progress, "--server", nowhere], capture_output=True,
                              text=True, timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 6 and f"no response from {nowhere}" in done.stderr, done
        assert "retrying for 30 seconds" in done.stderr and done.stdout.startswith("0 created"), done
        assert os.path.exists(progress), "the same command goes on"


def interrupted(kind, how):
    """The client ends in the middle, by Ctrl-C or killed; the same command goes on where it was and tells the whole result."""
    rows, before = 6000, 4000
    refused = {n for n in range(rows) if n % 1000 == 500}
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        client = server.client()
        lines = [csv_row(n).replace(",19", ",20x") if n in refused else csv_row(n) for n in range(rows)]
        path = written(f"{directory}/people.csv", HEADER + "\n".join(lines) + "\n")
        progress, refusals = f"{directory}/people.progress", f"{directory}/refused.ndjson"
        flags = ("--progress", progress, "--errors", refusals)

        def reached():
            try:
                with open(progress, encoding="utf-8") as file:
                    return json.load(file)["line"]
            except FileNotFoundError:
                return 0

        def handled(process):
            """Whether the process has run its handler for Ctrl-C, which then is no longer set."""
            with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
                caught = next(line.split()[1] for line in file if line.startswith("SigCgt:"))
            return not int(caught, 16) >> signal.SIGINT - 1 & 1

        # It cannot end before the signal, since it has not seen the end of the file.
        with subprocess.Popen(command(server, "csv", "-", *flags), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as importing:
            importing.stdin.write(HEADER + "\n".join(lines[:before]) + "\n")
            importing.stdin.flush()
            h.wait_until(lambda: reached() > 2000, "the first two requests")
            importing.send_signal(signal.SIGINT if how == "stopped" else signal.SIGKILL)
            if how == "stopped":
                h.wait_until(lambda: handled(importing), "the handler of Ctrl-C")  # on a busy machine the rows could overtake it
            said, complaints = importing.communicate("\n".join(lines[before:]) + "\n", timeout=h.HANG_GUARD)
        assert importing.returncode == (130 if how == "stopped" else -signal.SIGKILL), (importing.returncode, said, complaints)
        assert how == "killed" or "run the same command again" in complaints, complaints
        line = reached()
        assert 2000 < line < rows, line

        # Its rows end a byte later than those of the right file, so none ends where the import stopped. None may be sent.
        other = written(f"{directory}/other.csv", "\n" + HEADER + "\n".join("q" + each[1:] for each in lines) + "\n")
        for _ in range(2):
            wrong = run(server, "csv", other, "--progress", progress, code=2)
            assert "is of another file" in wrong.stderr, wrong
        assert not any(name.startswith("q") for name in people(client))

        done = run(server, "csv", path, *flags, code=7)
        assert f"continues after line {line}" in done.stderr, done.stderr
        counts = [int(part.split()[0]) for part in done.stdout.split(", ")]
        assert counts[0] + counts[1] + counts[2] == rows - len(refused) and counts[3] == len(refused), done.stdout
        assert not os.path.exists(progress)
        with open(refusals, encoding="utf-8") as file:
            assert [json.loads(each)["line"] for each in file] == sorted(n + 2 for n in refused)
        assert len(people(client)) == rows - len(refused)


def rate(kind, rows="200000"):
    """Prints rows per second, with the schedule of birthdays and without users before."""
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        path = written(f"{directory}/people.csv", HEADER + "\n".join(csv_row(n) for n in range(int(rows))))
        for label in ("created", "unchanged"):
            start = time.monotonic()
            done = run(server, "csv", path)
            seconds = time.monotonic() - start
            assert f"{rows} {label}" in done.stdout, done.stdout
            print(f"{kind}: {int(rows) / seconds:.0f} rows/s {label}", file=sys.stderr)


if __name__ == "__main__":
    h.main({f.__name__: f for f in (files, odd_files, unreachable, interrupted, rate)})
