"""One key of the lowest role previews an expensive rule on 64 connections, and reads lists whose filters match nothing.
Another client's creates succeed, events are delivered, and the scheduler always finds a connection."""
import threading

import harness as h

# Visits three million days; a preview took 0.2 s.
RULE = {"dtstart": "1700-01-01T00:00:00", "rrule": "FREQ=SECONDLY;INTERVAL=7;COUNT=2000000000;BYSECOND=1,3,5"}
PREVIEW = {"schedule": {"eventType": "X", "timezone": "UTC", "trigger": {"rrule": RULE}},
           "from": "9000-01-01T00:00:00Z", "count": 10}
EXPECTED_OF_HOSTILE = {200, 400, 429, 503}


class Attack:
    """Threads that ask for the same until the end of the scope; counts the statuses of the answers."""

    def __init__(self, server, key, asks):
        self.server, self.headers, self.asks = server, {"Authorization": f"Bearer {key}"}, asks
        self.end, self.lock, self.statuses = threading.Event(), threading.Lock(), {}
        self.codes = set()

    def __enter__(self):
        self.threads = [threading.Thread(target=self.run, args=ask, daemon=True) for ask in self.asks]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *exception):
        self.end.set()
        for thread in self.threads:
            thread.join()

    def run(self, method, path, body):
        client = self.server.client()
        while not self.end.is_set():
            answer = client.call_once(method, path, body, self.headers)
            with self.lock:
                self.statuses[answer.status] = self.statuses.get(answer.status, 0) + 1
                if answer.status >= 400:
                    self.codes.add(answer.json()["code"])

    def answered(self):
        with self.lock:
            return sum(self.statuses.values())


def key(client, role, admin=None):
    headers = {"Authorization": f"Bearer {admin}"} if admin else {}
    return client.ok("POST", "/v1/api-keys", {"name": role.lower(), "role": role}, headers)["key"]


def attacked(kind, rows):
    rows = int(rows)
    with h.folder() as directory, h.database(kind, directory) as url, \
            h.running("serve", "--db", url, "--ui.inbox=true", "--http.rate_limit_per_second=0",
                      f"--security.encryption_key={h.ENCRYPTION_KEY}", folder=directory) as server:
        client = server.client()
        admin = key(client, "ADMIN")
        reader, writer = key(client, "READ", admin), key(client, "WRITE", admin)
        writes = {"Authorization": f"Bearer {writer}"}
        inbox = client.ok("POST", "/v1/endpoints", {"name": "inbox", "type": "INBOX"}, writes)["id"]
        for begin in range(0, rows, 1000):
            batch = [{"eventType": "COMMON", "targetTimestampUTC": f"2040-01-01T{i // 3600 % 24:02}:{i // 60 % 60:02}:{i % 60:02}Z",
                      "deliveryPayload": {}} for i in range(begin, min(begin + 1000, rows))]
            made = client.ok("POST", "/v1/events/batch", {"events": batch}, writes)
            assert all("id" in event for event in made["data"]), made["data"][0]
        reads = {"Authorization": f"Bearer {reader}"}
        first = client.ok("GET", "/v1/events?eventType=RARE&limit=500", headers=reads)
        if rows > 10_000:
            assert first["data"] == [] and first["hasMore"], "a page passes a bounded number of events"

        asks = [("POST", "/v1/preview", PREVIEW)] * 64 + [("GET", "/v1/events?eventType=RARE&limit=500", None)] * 4
        with Attack(server, reader, asks) as attack:
            h.wait_until(lambda: attack.answered() > 64, "the attack is under way")
            other = server.client()
            ids = []
            for number in range(100):
                answer = other.call_once("POST", "/v1/events", {"eventType": "OTHER", "targetTimestampUTC": "now",
                                                                "endpointId": inbox, "deliveryPayload": {}}, writes)
                assert answer.status == 201, f"create {number}: {answer.status} {answer.body}"
                ids.append(answer.json()["id"])

            left = list(ids)

            def delivered():
                while left and other.ok("GET", f"/v1/events/{left[-1]}", headers=writes)["status"] == "COMPLETED":
                    left.pop()
                return not left
            h.wait_until(delivered, "delivery of every event during the attack")
            assert other.get("/livez").status == 200
        assert set(attack.statuses) <= EXPECTED_OF_HOSTILE, attack.statuses
        assert attack.codes <= {"OVERLOADED", "VALIDATION_FAILED", "RATE_LIMITED"}, attack.codes
        short = [line["msg"] for line in server.log() if "are in use" in line["msg"] or "connections are busy" in line["msg"]]
        assert not short, short
        assert server.stop() == 0


if __name__ == "__main__":
    h.main({"attacked": attacked})
