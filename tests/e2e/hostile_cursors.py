"""Cursors that no server made: every list answers with a page or INVALID_CURSOR, and the process lives on."""
import base64
import random
import sys

import harness as h

EDITS_OF_EACH = 150


def unpacked(cursor):
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def packed(said):
    return base64.urlsafe_b64encode(said).decode().rstrip("=")


def populate(client):
    for name in ("Li", "Mo", "Na"):
        client.ok("POST", "/v1/users", {"firstName": "Ada", "lastName": name, "dateOfBirth": "1992-02-29", "timezone": "Europe/Paris"})
    bin_id = client.ok("POST", "/v1/endpoints", {"name": "bin", "type": "INBOX"})["id"]
    client.ok("POST", "/v1/endpoints", {"name": "bin 2", "type": "INBOX"})
    for i in range(3):
        client.ok("POST", "/v1/events", {"eventType": "X", "targetTimestampUTC": "now", "endpointId": bin_id, "deliveryPayload": {"i": i}})
    h.wait_until(lambda: len(client.all("/v1/events?status=COMPLETED")) == 3, "three deliveries")
    return bin_id


def edited(said, random_):
    said = bytearray(said)
    for _ in range(random_.randint(1, 3)):
        at = random_.randrange(len(said))
        what = random_.randrange(3)
        if what == 0:
            said[at] = random_.randrange(256)
        elif what == 1:
            said.insert(at, random_.randrange(256))
        elif len(said) > 1:
            del said[at]
    return bytes(said)


def hostile(said, random_):
    place = said[: said.index(b" ") + 1 + 36]  # without the sort value
    yield place
    for value in (b"x", b"1.5", b"9223372036854775807", b"-9223372036854775808", b"-62135596800000000", b"253402300799999999",
                  b"0", b"\xff", b"L\x00i", b"x" * 400):
        yield place + value
    for _ in range(EDITS_OF_EACH):
        yield edited(said, random_)
        yield random_.randbytes(random_.randint(1, 60))


def main():
    random_ = random.Random(20270105)
    with h.folder() as directory, h.database(sys.argv[1], directory) as url:
        with h.running("serve", "--db", url, "--ui.inbox=true", f"--security.encryption_key={h.ENCRYPTION_KEY}", folder=directory) as server:
            client = server.client()
            bin_id = populate(client)
            paths = [f"/v1/users?limit=1&sort={sort}" for sort in ("createdAt", "-updatedAt", "lastName")]
            paths += [f"/v1/events?limit=1&sort={sort}" for sort in ("targetTimestampUTC", "-createdAt", "executedAt&executedFrom=now-1h", "-latenessMs&executedFrom=now-1h")]
            paths += ["/v1/endpoints?limit=1", f"/v1/endpoints/{bin_id}/inbox?limit=1"]
            asked = pages = 0
            for path in paths:
                said = unpacked(client.ok("GET", path)["nextCursor"])
                for one in hostile(said, random_):
                    answer = client.get(f"{path}&cursor={packed(one)}")
                    asked += 1
                    pages += answer.status == 200
                    assert answer.status == 200 or answer.json()["code"] == "INVALID_CURSOR", f"{path} {one}: {answer.status} {answer.body}"
            assert server.process.poll() is None
            print(f"{asked} hostile cursors: {pages} pages, the others refused")


if __name__ == "__main__":
    main()
