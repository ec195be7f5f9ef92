"""The users of the instances: create, cancel, retry and read events, and record the responses.

The seed determines what each request does. A request without a response is repeated with the same key until a response
comes, as `docs/guide` recommends.
"""
import datetime
import http.client
import json
import random
import threading
import time
import zoneinfo

ANSWER_WITHIN = 15
CALLS_TO_ONE = 20  # then the next instance, so that a restarted one gets its share
ZONES = ("Europe/Paris", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC")
EVENT_TYPE = "CHAOS"


class Wish:
    """One event that a user wants to create."""

    def __init__(self, number, kind, rng):
        self.key = f"{kind}-{number}-{rng.getrandbits(32):08x}"
        self.kind = kind
        self.ahead = rng.uniform(0.5, 8) if kind in ("local", "cancel") or rng.random() < 0.2 else None
        self.zone = rng.choice(ZONES)
        self.reads = rng.random() < 0.1
        self.cancels_after = rng.uniform(0, 6)
        self.size = rng.randrange(200)

    def body(self):
        wanted = {"eventType": EVENT_TYPE, "endpointId": "ext:closed" if self.kind == "parked" else "ext:sink", "idempotencyKey": self.key,
                  "deliveryPayload": {"key": self.key, "text": "x" * self.size}}
        if self.kind == "burst":  # all at the same instant
            at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
            wanted |= {"targetTimestampUTC": at.strftime("%Y-%m-%dT%H:%M:%SZ")}
        elif self.kind == "local":
            at = datetime.datetime.now(zoneinfo.ZoneInfo(self.zone)) + datetime.timedelta(seconds=self.ahead)
            wanted |= {"targetTimestampLocal": at.strftime("%Y-%m-%dT%H:%M:%S"), "targetTimezone": self.zone}
        elif self.ahead:
            at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.ahead)
            wanted |= {"targetTimestampUTC": at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"}
        else:
            wanted |= {"targetTimestampUTC": "now"}
        return wanted


def wishes(count, mix, seed):
    rng = random.Random(seed)
    kinds, weights = list(mix), list(mix.values())
    return [Wish(number, rng.choices(kinds, weights)[0], rng) for number in range(count)]


class NoAnswer(Exception):
    """The outcome of the request is unknown."""


class Users:
    """Threads that share the wishes and send them at an even pace over `seconds`. They wait up to `patience` for the
    effects of the last ones: with a deliberate defect these may never come."""

    def __init__(self, instances, recorder, wanted, seconds, user, patience, threads=6):
        self.instances, self.recorder, self.wanted = instances, recorder, wanted
        self.pace, self.began = seconds / max(1, len(wanted)), None
        self.stopping, self.enough = threading.Event(), threading.Event()  # stop at once; send no more wishes
        self.later, self.lock = [], threading.Lock()
        self.acked = self.refused = 0  # refused: the API answered that the request is not possible now
        self.threads = [threading.Thread(target=self.work, args=(i, threads), daemon=True) for i in range(threads)]
        self.errors, self.user, self.patience = [], user, patience

    def start(self):
        self.began = time.monotonic()
        for thread in self.threads:
            thread.start()

    def join(self):
        """Waits until all wishes are sent and their follow-up actions are done."""
        for thread in self.threads:
            thread.join()
        if self.errors:
            raise self.errors[0]

    def work(self, first, step):
        user = self.user(self, first)
        try:
            for i in range(first, len(self.wanted), step):
                due = self.began + i * self.pace
                while (left := due - time.monotonic()) > 0 and not self.enough.is_set():
                    user.follow_up()
                    self.stopping.wait(min(left, 0.05))
                if self.stopping.is_set():
                    return
                if self.enough.is_set():
                    break
                user.fulfil(self.wanted[i])
                user.follow_up()
            end = time.monotonic() + self.patience
            while user.pending and not self.stopping.is_set() and time.monotonic() < end:
                user.follow_up()
                time.sleep(0.05)
        except Exception as error:  # join() reports it in the main thread
            self.errors.append(error)


class User:
    def __init__(self, users, number):
        self.users, self.at, self.connection, self.calls = users, number, None, 0
        self.pending = []  # (when, action), still to do
        self.rng = random.Random(number)

    def write(self, kind, op, **members):
        self.users.recorder.write(kind, op, **members)

    def call(self, method, path, body=None):
        """Sends one request to some instance. NoAnswer if it may have taken effect."""
        self.calls += 1
        if self.calls % CALLS_TO_ONE == 0:
            self.connection, self.at = None, self.at + 1
        if self.connection is None:
            usable = [instance for instance in self.users.instances if instance.usable()]
            if not usable:
                raise NoAnswer("no server answers")
            self.connection = usable[self.at % len(usable)].connection()
        try:
            answer = self.connection.call(method, path, body, timeout=ANSWER_WITHIN)
        except (OSError, http.client.HTTPException) as error:
            self.connection, self.at = None, self.at + 1
            raise NoAnswer(type(error).__name__) from error
        if answer.status >= 500:
            with self.users.lock:
                self.users.refused += 1
            self.connection, self.at = None, self.at + 1
            raise NoAnswer(str(answer.status))
        return answer

    def until_answered(self, op, members, method, path, body=None):
        """Repeats the request until a response comes; records each try."""
        while True:
            self.write("invoke", op, **members)
            try:
                return self.call(method, path, body)
            except NoAnswer as error:
                self.write("info", op, **members, why=str(error))
                if self.users.stopping.wait(0.2):
                    return None

    def fulfil(self, wish):
        body = wish.body()
        asked = {name: body[name] for name in ("targetTimestampUTC", "targetTimestampLocal", "targetTimezone") if name in body}
        answer = self.until_answered("create", {"key": wish.key, **asked}, "POST", "/v1/events", body)
        if answer is None:
            return
        result = answer.json()
        if answer.status == 201:
            self.write("ok", "create", key=wish.key, id=result["id"], target=result["targetTimestampUTC"])
        elif result.get("code") == "DUPLICATE_IDEMPOTENCY_KEY":
            # An earlier try has created it: no other user has this key.
            self.write("ok", "create", key=wish.key, id=result["existingId"], target=None)
        else:
            self.write("fail", "create", key=wish.key, status=answer.status, code=result.get("code"))
            return
        with self.users.lock:
            self.users.acked += 1
        event = result.get("existingId") or result["id"]
        if wish.kind == "cancel":
            self.pending.append((time.monotonic() + wish.cancels_after, lambda: self.cancel(event, wish.key)))
        if wish.kind == "permanent":
            self.pending.append((time.monotonic() + 3, lambda: self.retry(event, wish.key)))
        if wish.reads:
            for wait in (2, 6):
                self.pending.append((time.monotonic() + wait, lambda: self.read(event, wish.key)))

    def follow_up(self):
        now = time.monotonic()
        due = [action for when, action in self.pending if when <= now]
        self.pending = [(when, action) for when, action in self.pending if when > now]
        for action in due:
            action()

    def cancel(self, event, key):
        answer = self.until_answered("cancel", {"id": event, "key": key}, "DELETE", f"/v1/events/{event}")
        if answer is None:
            return
        if answer.status == 200:
            self.write("ok", "cancel", id=event, key=key)
        else:
            self.write("fail", "cancel", id=event, key=key, code=answer.json().get("code"))

    def retry(self, event, key):
        """Waits until the event has FAILED, then requests a retry."""
        try:
            state = self.call("GET", f"/v1/events/{event}").json()
        except NoAnswer:
            state = {"status": "PENDING"}
        if state["status"] in ("PENDING", "PROCESSING"):
            self.pending.append((time.monotonic() + 1, lambda: self.retry(event, key)))
            return
        answer = self.until_answered("retry", {"id": event, "key": key}, "POST", f"/v1/events/{event}/retry", {})
        if answer is None:
            return
        result = answer.json()
        if answer.status in (200, 201):
            self.write("ok", "retry", id=result["id"], key=key, of=event)
        else:
            self.write("fail", "retry", id=event, key=key, code=result.get("code"), existing=result.get("existingId"))

    def read(self, event, key):
        try:
            answer = self.call("GET", f"/v1/events/{event}")
        except NoAnswer:
            return
        if answer.status == 200:
            seen = answer.json()
            self.write("ok", "read", id=event, key=key, status=seen["status"], version=seen["version"])
        else:
            self.write("fail", "read", id=event, key=key, code=answer.json().get("code"))


class ToldCancelled(User):
    """Reports every cancel as successful without sending it."""

    def cancel(self, event, key):
        self.write("invoke", "cancel", id=event, key=key)
        self.write("ok", "cancel", id=event, key=key)


class ToldSuccess(User):
    """Reports requests without a response as successful."""

    def fulfil(self, wish):
        body = wish.body()
        self.write("invoke", "create", key=wish.key)
        try:
            result = self.call("POST", "/v1/events", body).json()["id"]
        except NoAnswer:
            result = None
        self.write("ok", "create", key=wish.key, id=result, target=None)


def final_state(connection, path):
    """The complete state in the API after the run has come to rest; attempts only for events with more than one
    success."""
    rows = connection.all(f"/v1/events?eventType={EVENT_TYPE}&limit=500")
    with open(path, "w", encoding="utf-8") as file:
        for row in rows:
            kept = {name: row[name] for name in (
                "id", "status", "version", "attempt", "retryCount", "targetTimestampUTC", "targetTimezone",
                "targetTimestampLocal", "executedAt", "failureReason", "nextAttemptAt", "leaseExpiresAt", "claimedBy",
                "retryOf", "createdAt", "latenessMs", "dismissedAt")}
            kept |= {"op": "event", "key": row["idempotencyKey"]}
            if row["attempt"] > 1 or row["status"] == "FAILED":
                explained = connection.ok("GET", f"/v1/events/{row['id']}/explain")
                kept["attempts"] = [[step["number"], step["outcome"], step.get("statusCode")]
                                    for step in explained["steps"] if step["step"] == "attempt"]
            file.write(json.dumps(kept, separators=(",", ":")) + "\n")
    return rows
