"""Thousands of requests made from openapi.json, valid, nearly valid and broken, with keys of all roles: every answer is one
that the document promises, and the server lives. Beside them another client creates events; its p99 is printed next to that
of a quiet server.

    hostile_api.py COUNT [sqlite|postgres] [SEED]
"""
import json
import os
import shutil
import subprocess
import sys
import threading
import time

import harness as h

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hostile_api")


CREATES_A_SECOND = 20


class OtherClient(threading.Thread):
    """Creates events at a steady rate until it is stopped, and keeps how long each took."""

    def __init__(self, server, key, enough=None):
        super().__init__()
        self.client, self.key, self.enough = server.client(), key, enough
        self.milliseconds, self.stopped, self.failure = [], threading.Event(), None

    def run(self):
        begin = time.perf_counter()
        while len(self.milliseconds) != self.enough:
            next_one = begin + len(self.milliseconds) / CREATES_A_SECOND
            if self.stopped.wait(max(0.0, next_one - time.perf_counter())):
                return
            asked = time.perf_counter()
            answer = self.client.call_once("POST", "/v1/events", {"eventType": "OTHER", "targetTimestampUTC": "2040-01-01T00:00:00Z",
                                                                  "deliveryPayload": {}}, {"Authorization": f"Bearer {self.key}"})
            self.milliseconds.append((time.perf_counter() - asked) * 1e3)
            if answer.status != 201:
                self.failure = f"{answer.status} {answer.body}"
                return

    def p99(self):
        assert self.failure is None, f"the other client's request failed: {self.failure}"
        return round(sorted(self.milliseconds)[len(self.milliseconds) * 99 // 100], 1)


def create_key(server, role, admin=None):
    headers = {"Authorization": f"Bearer {admin}"} if admin else {}
    return server.client().ok("POST", "/v1/api-keys", {"name": f"hostile {role}", "role": role}, headers)["key"]


def main():
    count, kind = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "sqlite"
    seed = sys.argv[3] if len(sys.argv) > 3 else str(int.from_bytes(os.urandom(3)))
    with h.folder() as directory, h.database(kind, directory) as url:
        for name in ("package.json", "package-lock.json", "hostile.mjs"):
            shutil.copy(os.path.join(HERE, name), directory)
        subprocess.run(["npm", "ci", "--silent", "--no-audit", "--no-fund"], cwd=directory, check=True, timeout=h.HANG_GUARD)
        with h.running("serve", "--db", url, *h.LOCAL_RECEIVERS, "--ui.inbox=true", folder=directory) as server:
            admin = create_key(server, "ADMIN")
            keys = [admin, create_key(server, "WRITE", admin), create_key(server, "READ", admin)]
            its_own = create_key(server, "WRITE", admin)  # a key may make 1,000 requests a second
            quiet = OtherClient(server, its_own, enough=min(1000, max(100, int(count) // 50)))
            quiet.run()
            other = OtherClient(server, its_own)
            other.start()
            try:
                done = subprocess.run(["node", "hostile.mjs", f"http://127.0.0.1:{server.port}", ",".join(keys), count, seed],
                                      cwd=directory, capture_output=True, text=True)
            finally:
                other.stopped.set()
                other.join()
            assert done.returncode == 0, f"seed {seed}:\n{done.stdout}{done.stderr}"
            summary = json.loads(done.stdout)
            assert summary["sent"] >= int(count), summary
            assert summary["refused"] == summary["operations"], f"some operation was never refused: {summary}"
            errors = [line for line in server.log() if line["level"] == "error"]
            assert not errors, errors
            assert not any(key[22:] in server.log_text() for key in keys), "a log line has a key"
            assert server.stop() == 0
    print(f"{kind}, seed {seed}: {summary}")
    print(f"another client's creates: p99 {quiet.p99()} ms quiet, {other.p99()} ms beside the requests")


if __name__ == "__main__":
    main()
