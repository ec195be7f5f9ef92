"""The receiver as a queue of SQS: the service of tests/e2e/fake_sqs.py, which follows the scripts of `sink` and records a request
for each message.

A message has no number of its attempt, because it is the same in every attempt: the checker takes that of the last `send` in the
claim logs. Of an answer it wants the status that a webhook would have: 200 for an accepted message, 400 for one that is refused
for good, 429 or 503 for one to send again, whether the request or the entry was refused.
"""
import hashlib
import json
import time

import sink
from fake_sqs import FakeSqs, Refused

QUEUE = "birthdays"


class SqsSink(FakeSqs):
    path = "/"

    def __init__(self, recorder):
        super().__init__(queues=(QUEUE,), keys={"ASIA0": ("secret", "token-0")})
        self.recorder, self.secret = recorder, None
        self.seen, self.number, self.judged, self.in_flight = {}, 0, 0, 0
        self.kinds = {}  # of refusals: how often
        self.clock_errors = [0]  # all so far
        self.fault = None  # of whole requests: "throttled", "whole"

    def settings(self, _):
        return {"type": "SQS", "url": self.url(QUEUE), "region": self.region}

    def learn(self, endpoint):
        """The endpoint has no secret."""

    def count(self):
        return self.number

    def jump(self, seconds):
        self.clock_errors.append(seconds)
        self.clock_error = seconds

    def renew_keys(self):
        """Expires the keys; returns new ones, which are good."""
        number = len(self.keys)
        _, token = self.keys[f"ASIA{number - 1}"]
        self.keys[f"ASIA{number}"] = ("secret", f"token-{number}")
        self.expired.add(token)
        return f"ASIA{number}", f"token-{number}"

    def handle(self, handler, body):
        entries = json.loads(body)["Entries"]
        with self.lock:
            self.in_flight += 1
        try:
            return self.answer(handler, body, entries)
        finally:
            with self.lock:
                self.in_flight -= 1

    def answer(self, handler, body, entries):
        try:
            who, refused = self.signed(handler, body), None
        except Refused as error:
            who, refused = None, error
        with self.lock:
            refused = refused or self.refusal(who, entries)
            if refused and refused.code == "Odd":  # for all of them: the sender sends each alone, in the same attempt
                self.recorder.write("ok", "refused together", entries=len(entries))
                raise refused
            requests = [self.record(handler.path, entry, who) for entry in entries]
            if refused:
                for number, event, _ in requests:
                    self.recorder.write("ok", "answer", n=number, id=event, status=503 if who else 400)
                raise refused
            actions = [action for *_, action in requests]
        for action, pause in (("hold", sink.HOLD), ("later", sink.LATER)):
            if action in actions:
                time.sleep(pause)
                break
        return self.outcome(entries, requests)

    def refusal(self, who, entries):
        """Why the whole request is refused, if it is."""
        self.judged += 1
        try:
            self.judge(*who)
            if self.fault == "throttled" and self.judged % 3:
                raise Refused(400, "RequestThrottled", "Slow down")
            if self.fault == "whole" and len(entries) > 1:
                raise Refused(400, "Odd", "one of these messages")
        except Refused as refused:
            self.kinds[refused.code] = self.kinds.get(refused.code, 0) + 1
            return refused
        return None

    def record(self, path, entry, who):
        """(number, event, action of the script)"""
        body = json.loads(entry["MessageBody"])
        key, event = body["idempotencyKey"], body["eventId"]
        self.number += 1
        events = self.seen.setdefault(key, [])
        if event not in events:
            events.append(event)
        nth = self.seen[event] = self.seen.get(event, 0) + 1
        whole = json.dumps([entry["MessageBody"], entry["MessageAttributes"]])
        # The time of the signature, by the clock of the machine: its sender may not know yet that the service's has jumped.
        stamp = min((who[2] - error for error in self.clock_errors), key=lambda at: abs(at - time.time())) if who else 0
        self.recorder.write(
            "invoke", "request", n=self.number, id=event, key=key, attempt=None, target=body["metadata"]["targetTimestampUTC"],
            path=path, body=hashlib.sha256(whole.encode()).hexdigest()[:16], signed=who is not None, stamp=int(stamp))
        kind, salt = (key.split("-") + [""])[:2]
        return self.number, event, sink.script(kind, nth, events.index(event) + 1, int(salt) if salt.isdigit() else 0)

    def outcome(self, entries, requests):
        """By the scripts: each message has its own, but a response that is cut is cut for all."""
        actions = [action for *_, action in requests]
        lost = "reset" if any(action in ("reset", "slow", "garbage") for action in actions) else "cut" if "cut" in actions else False
        answer = {"Successful": [], "Failed": []}
        with self.lock:
            for entry, (number, event, action) in zip(entries, requests):
                code = {429: "RequestThrottled", 404: "InvalidMessageContents"}.get(action, "InternalError")
                good = not isinstance(action, int) or action < 300
                if good:
                    self.messages[QUEUE].append(entry)
                    answer["Successful"].append({"Id": entry["Id"], "MessageId": str(number)})
                else:
                    answer["Failed"].append({"Id": entry["Id"], "Code": code, "SenderFault": action in (404, 429)})
                status = 200 if good else {404: 400}.get(action, action)
                self.recorder.write("info" if lost else "ok", "answer", n=number, id=event,
                                    status=None if lost == "reset" else status, **({"how": lost} if lost else {}))
        return 200, answer, lost

    def close(self):
        """The threads of the service end with the process."""
