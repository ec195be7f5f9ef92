"""`sundial event import`: every line is stored once or reported as refused, even if a process dies meanwhile."""
import json
import os
import subprocess
import sys

import harness as h

EVENT = {"eventType": "REMINDER", "targetTimestampUTC": "now+7d", "deliveryPayload": {"text": "Renew"}}


def run(server, *arguments, lines=None):
    command = [os.environ["SUNDIAL"], "event", "import", *arguments, "--server", f"http://127.0.0.1:{server.port}"]
    return subprocess.run(command, input=lines, capture_output=True, text=True, timeout=h.HANG_GUARD, check=False)


def written(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def stored(client):
    return sum(1 for _ in client.all("/v1/events?limit=500"))


def lines_and_rejects(kind):
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        good = [json.dumps({**EVENT, "idempotencyKey": f"renew-{n}"}) for n in range(2500)]
        bad = {2501: "nonsense", 2503: json.dumps({**EVENT, "foo": 1}), 2504: json.dumps({**EVENT, "deliveryPayload": "x" * 70_000})}
        path = written(f"{directory}/events.ndjson", [*good, bad[2501], "", bad[2503], bad[2504]])
        rejects = f"{directory}/rejects.ndjson"
        first = run(server, path, "--rejects", rejects)
        assert (first.returncode, first.stdout) == (7, "2500 stored, 0 there already, 3 refused\n"), (first.stdout, first.stderr)
        said = dict(line.removeprefix(path + ":").split(": ", 1) for line in first.stderr.splitlines())
        assert set(said) == {"2501", "2503", "2504"}, first.stderr
        assert "is not JSON" in said["2501"] and "/foo is not a member" in said["2503"] and "64 KiB" in said["2504"], said
        with open(rejects, encoding="utf-8") as file:
            assert sorted(file.read().splitlines()) == sorted(bad.values())
        again = run(server, path, "--json")
        assert (again.returncode, json.loads(again.stdout)) == (7, {"stored": 0, "existing": 2500, "refused": 3}), again.stdout
        piped = run(server, lines=json.dumps(EVENT) + "\n")
        assert (piped.returncode, piped.stdout) == (0, "1 stored, 0 there already, 0 refused\n"), piped.stderr
        assert stored(server.client()) == 2501
        absent = run(server, f"{directory}/nothing.ndjson")
        assert absent.returncode == 2 and "cannot read" in absent.stderr, absent.stderr
        folder = run(server, directory)
        assert folder.returncode == 1 and "cannot read" in folder.stderr, (folder.returncode, folder.stderr)
        overwritten = run(server, path, "--rejects", path)
        assert overwritten.returncode == 2 and os.path.getsize(path) > 0, overwritten.stderr
        empty = run(server, lines="")
        assert (empty.returncode, empty.stdout) == (0, "0 stored, 0 there already, 0 refused\n"), empty.stderr
        admin = server.client().ok("POST", "/v1/api-keys", {"name": "root", "role": "ADMIN"})["key"]
        made = server.client().call("POST", "/v1/api-keys", {"name": "reader"}, {"Authorization": f"Bearer {admin}"})
        key = made.json()["key"]
        refused = run(server, path, "--api-key", key)
        assert refused.returncode == 5 and "0 stored" in refused.stdout, (refused.stdout, refused.stderr)


def refused_requests(kind):
    """Reasons to refuse a whole request: one of its lines, or too many lines."""
    odd = {101: '{"eventType":"A","eventType":"A","targetTimestampUTC":"now+7d","deliveryPayload":1}',
           303: '{"eventType":"A","targetTimestampUTC":"now+7d","deliveryPayload":{"a":1,"a":2}}',
           304: json.dumps({**EVENT, "deliveryPayload": json.loads("[" * 31 + "]" * 31)})}
    many_members = {f"k{n}": n for n in range(60)}
    with h.folder() as directory, h.database(kind, directory) as url, h.running("serve", "--db", url, folder=directory) as server:
        path = written(f"{directory}/odd.ndjson", [odd.get(n, json.dumps(EVENT)) for n in range(1, 401)])
        rejects = f"{directory}/rejects.ndjson"
        done = run(server, path, "--rejects", rejects)
        assert (done.returncode, done.stdout) == (7, "397 stored, 0 there already, 3 refused\n"), (done.stdout, done.stderr)
        said = dict(line.removeprefix(path + ":").split(": ", 1) for line in done.stderr.splitlines())
        assert set(said) == {"101", "303", "304"}, done.stderr
        assert "; /eventType " in said["101"] and "given twice" in said["101"], said
        with open(rejects, encoding="utf-8") as file:
            assert sorted(file.read().splitlines()) == sorted(odd.values())
        large = written(f"{directory}/large.ndjson", [json.dumps({**EVENT, "deliveryPayload": many_members})] * 1000)
        done = run(server, large)
        assert (done.returncode, done.stdout) == (0, "1000 stored, 0 there already, 0 refused\n"), (done.stdout, done.stderr)
        assert stored(server.client()) == 1397


def killed(kind):
    """kill -9 of the server in the middle. Its lines have no keys: only those of the requests keep them from being stored twice."""
    lines = [json.dumps({**EVENT, "deliveryPayload": n}) for n in range(20_000)]
    with h.folder() as directory, h.database(kind, directory) as url:
        path = written(f"{directory}/events.ndjson", lines)
        port = h.free_port()  # the next process listens there, too
        server = h.Server("serve", "--db", url, folder=directory, port=port).ready()
        command = [os.environ["SUNDIAL"], "event", "import", path, "--server", f"http://127.0.0.1:{server.port}"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as importing:
            h.wait_until(lambda: stored(server.client()) >= 3000, "the first few batches", every=0.02)
            server.kill()
            server = h.Server("serve", "--db", url, folder=directory, port=port).ready()
            said, complaints = importing.communicate(timeout=h.HANG_GUARD)
        assert (importing.returncode, said) == (0, "20000 stored, 0 there already, 0 refused\n"), (said, complaints)
        payloads = [event["deliveryPayload"] for event in server.client().all("/v1/events?limit=500")]
        assert sorted(payloads) == list(range(20_000)), f"{len(payloads)} events, {len(set(payloads))} of them different"
        assert server.stop() == 0


if __name__ == "__main__":
    h.main({f.__name__: f for f in (lines_and_rejects, refused_requests, killed)})
