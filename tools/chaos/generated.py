"""Generates the history of a system without faults: to measure the checker, and to try breaches on it."""
import datetime
import json
import os
import random

import history

MILLISECOND = 1_000_000
EPOCH = 1_798_812_000_000_000_000  # 2027-01-01T14:00:00Z
INSTANCES = [f"instance:01a20011-b6ce-7652-9616-82c3a798d72{n}" for n in range(3)]


def text_of(t):
    at = datetime.datetime.fromtimestamp(t // 10**9, datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{t % 10**9 // MILLISECOND:03d}Z"


class Made:
    """Lines of one event after another, 1 ms apart; every tenth has two attempts, every fiftieth is refused."""

    def __init__(self, events, seed=1):
        rng = random.Random(seed)
        self.history, self.final, self.nemeses = [], [], []
        self.requests = 0
        for number in range(events):
            self.event(number, rng)
        self.run = {"profile": "generated", "seed": seed, "events": events, "duration": events / 1000, "storage": "postgres",
                    "instances": 3, "lease": 15, "tick": 1, "timeout": 5, "delays": [1, 2], "began": 0,
                    "ended": (events + 10_000) * MILLISECOND, "quiet": True, "taken": EPOCH + (events + 10_000) * MILLISECOND,
                    "faults": []}

    def line(self, mono, src, kind, op, **members):
        self.history.append({"t": EPOCH + mono, "mono": mono, "src": src, "type": kind, "op": op, **members})

    def event(self, number, rng):
        begin = number * MILLISECOND
        event = f"{number:08x}-0000-7000-8000-{rng.getrandbits(48):012x}"
        key = f"plain-{number}-{rng.getrandbits(32):08x}"
        who = rng.choice(INSTANCES)
        target, body = text_of(EPOCH + begin), f"{rng.getrandbits(64):016x}"
        self.line(begin, "client", "invoke", "create", key=key, targetTimestampUTC="now")
        self.line(begin + 2 * MILLISECOND, "client", "ok", "create", key=key, id=event, target=target)
        statuses = [503, 204] if number % 10 == 3 else [404] if number % 50 == 7 else [204]
        at, version = begin + 3 * MILLISECOND, 1
        for attempt, status in enumerate(statuses, 1):
            version += 1
            self.requests += 1
            again, result = attempt < len(statuses), "COMPLETED" if status == 204 else "FAILED"
            self.line(at, who, "ok", "claim", took=MILLISECOND, id=event, key=key, target=target, attempt=attempt, version=version)
            self.line(at + 1000, who, "invoke", "send", id=event, key=key, target=target, attempt=attempt, version=version)
            self.line(at + MILLISECOND, "sink", "invoke", "request", n=self.requests, id=event, key=key, attempt=attempt,
                      target=target, path="/hook", body=body, signed=True, stamp=(EPOCH + at) // 10**9)
            self.line(at + MILLISECOND + 5000, "sink", "ok", "answer", n=self.requests, id=event, status=status)
            self.line(at + 5 * MILLISECOND, who, "ok", "settle", took=MILLISECOND, id=event, attempt=attempt, version=version,
                      result="RETRY" if again else result, status=status)
            version += 1
            at += 1100 * MILLISECOND
        row = {"op": "event", "id": event, "key": key, "status": result, "version": version, "attempt": len(statuses),
               "retryCount": len(statuses) - 1, "targetTimestampUTC": target, "targetTimezone": "UTC",
               "targetTimestampLocal": target, "executedAt": target, "failureReason": "HTTP_STATUS 404" if result == "FAILED" else None,
               "nextAttemptAt": None, "leaseExpiresAt": None, "claimedBy": None, "retryOf": None, "createdAt": target, "latenessMs": 3}
        if len(statuses) > 1:
            row["attempts"] = [[1, "RETRYABLE", 503], [2, "SUCCEEDED", 204]]
        elif result == "FAILED":
            row["attempts"] = [[1, "PERMANENT", 404]]
        self.final.append(row)

    def write(self, directory):
        os.makedirs(directory, exist_ok=True)
        self.history.sort(key=lambda line: line["mono"])
        for name, lines in (("history", self.history), ("final", self.final), ("nemesis", self.nemeses)):
            with open(os.path.join(directory, f"{name}.jsonl"), "w", encoding="utf-8") as file:
                for line in lines:
                    file.write(json.dumps(line, separators=(",", ":")) + "\n")
        history.write_one(os.path.join(directory, "run.json"), self.run)
        return directory
