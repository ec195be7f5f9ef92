"""SQLite on a disk that is full, and on one that fails: the first is waited for, the second ends the process."""
import os
import resource
import signal
import subprocess
import sys
import time

import harness as h

SKIPPED = 77
PAYLOAD = "x" * 100_000


def create(client, key):
    return client.call("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "2040-01-01T00:00:00Z",
                                              "idempotencyKey": key, "deliveryPayload": PAYLOAD})


def keys_of(client):
    return {event["idempotencyKey"] for event in client.all("/v1/events?limit=50")}


def full():
    """A file system of 8 MB with 4 MB of something else in it."""
    with h.folder() as directory:
        disk = os.path.join(directory, "disk")
        os.mkdir(disk)
        small_disk = ("unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size=8m tmpfs {disk} && head -c 4194304 /dev/zero >{disk}/filler && exec "$@"', "sh")
        if subprocess.run([*small_disk, "true"], check=False, stderr=subprocess.DEVNULL).returncode != 0:
            print("no mount namespaces here: skipped")
            sys.exit(SKIPPED)
        server = h.Server("serve", "--db", f"{disk}/x.db", folder=directory, prefix=small_disk).ready()
        try:
            client, acknowledged = server.client(), set()
            while (answer := create(client, f"k-{len(acknowledged)}")).status == 201:
                acknowledged.add(f"k-{len(acknowledged)}")
            assert (answer.status, answer.json()["code"]) == (503, "STORAGE_UNAVAILABLE"), answer.body
            assert server.process.poll() is None, "a full disk ended the process"
            assert acknowledged and keys_of(client) == acknowledged

            def unready():
                """A checkpoint in between may have made room for a few more events."""
                key = f"k-{len(acknowledged)}"
                if create(client, key).status == 201:
                    acknowledged.add(key)
                answer = client.get("/readyz")
                return answer.status == 503 and "disk is full" in answer.body.decode()
            h.wait_until(unready, "readyz to report the full disk")
            os.unlink(f"/proc/{server.process.pid}/root{disk}/filler")
            h.wait_until(lambda: client.get("/readyz").status == 200, "readiness, without anybody writing")
            assert create(client, "afterwards").status == 201
            assert keys_of(client) == acknowledged | {"afterwards"}
            print(f"{len(acknowledged)} events until the disk was full; none lost, and it goes on with room")
            assert server.stop() == 0
        finally:
            if server.process.poll() is None:
                server.kill()


def failing():
    """The kernel refuses to write further: the content of the disk is unknown, so the program retries nothing."""
    def no_larger_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that write() fails
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
    with h.folder() as directory:
        db, acknowledged = os.path.join(directory, "x.db"), set()
        server = h.Server("serve", "--db", db, folder=directory, preexec=no_larger_files).ready()
        try:
            client = server.client()
            try:
                while create(client, f"k-{len(acknowledged)}").status == 201:
                    acknowledged.add(f"k-{len(acknowledged)}")
            except (OSError, h.http.client.HTTPException):
                pass  # it ended before it could answer
            assert server.process.wait(timeout=h.HANG_GUARD) == 1
            assert acknowledged and "cannot be used any more" in server.log_text(), server.log_text()[-2000:]
        finally:
            if server.process.poll() is None:
                server.kill()
        began = time.monotonic()
        with h.running("serve", "--db", db, folder=directory) as server:
            took = time.monotonic() - began
            client = server.client()
            kept = keys_of(client)
            assert acknowledged <= kept and len(kept - acknowledged) <= 1, kept ^ acknowledged
            h.wait_until(lambda: [line for line in server.log() if "is intact" in line["msg"]], "the check of the file")
            print(f"{len(acknowledged)} acknowledged before the disk failed, all there; ready again after {took:.1f} s")
            assert server.stop() == 0


if __name__ == "__main__":
    h.main({"full": full, "failing": failing})
