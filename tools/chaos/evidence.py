"""The input of the checker: the files of a run, sorted by event."""
import collections
import os

import history

# Kinds of steps in the life of one event: tuples of (mono, kind, …), so that sorting puts them in order.
(ACKED, CANCELLED, RETRIED, SEEN, CLAIM, SEND, EXTEND, SETTLE, RELEASE, REQUEST, ANSWER, UPDATE) = range(12)


class Faults:
    """The faults by time and instance."""

    def __init__(self, lines):
        self.lines = sorted(lines, key=lambda line: line["mono0"])
        self.of = collections.defaultdict(list)
        for line in self.lines:
            for effect in line["effects"]:
                self.of[effect].append(line)

    def during(self, whom, begin, end, kinds=None):
        """The kind of a fault of one of these (`db` affects all) that overlaps the time, or None."""
        for one in {*whom, "db"}:
            for line in self.of.get(one, ()):
                if line["mono0"] <= end and line["mono1"] >= begin and (kinds is None or line["kind"] in kinds):
                    return line["kind"]
        return None

    def ended(self, who, until):
        """Whether that process had been killed by then. Its successor has another name."""
        return any(line["mono0"] <= until and line["kind"].startswith(("kill", "crash")) for line in self.of.get(who, ()))

    def anywhere(self, begin, end):
        return any(line["mono0"] <= end and line["mono1"] >= begin for line in self.lines)

    def disturbed(self, begin, end):
        """Duration of all faults within the time, in ns."""
        total, covered = 0, begin
        for line in self.lines:
            low, high = max(line["mono0"], covered), min(line["mono1"], end)
            if high > low:
                total, covered = total + high - low, high
        return total


class Run:
    """A run's files, sorted by event."""

    def silent(self, who, since, until, time):
        """Whether that instance sent no heartbeat for `time` at some point between; None if it never sends any."""
        beats = self.beats.get(who)
        if not beats:
            return None
        near = [since, *(beat for beat in beats if since < beat <= until), until]
        before = next((beat for beat in reversed(beats) if beat <= since), since)
        near[0] = before
        return any(later - earlier >= time for earlier, later in zip(near, near[1:]))

    def __init__(self, directory):
        path = lambda name: os.path.join(directory, name)
        self.asked = history.one(path("run.json"))
        self.faults = Faults(history.lines_of(path("nemesis.jsonl")))
        self.life = collections.defaultdict(list)  # event -> steps
        self.creates = collections.defaultdict(list)  # key -> ids in the responses
        self.wanted, self.retry_of_key = {}, collections.defaultdict(list)
        self.ok_times, self.reading = [], []
        self.unparked = []  # (begin, end) of calls that released waiting events
        self.unclear_claims = []  # (begin, end) of claims with an unknown outcome
        self.beats = collections.defaultdict(list)  # instance -> when it sent heartbeats that were answered
        self.kinds = collections.Counter()
        self.requests = 0
        self.read_history(path("history.jsonl"))
        for beats in self.beats.values():
            beats.sort()
        self.final = {}
        self.by_key = collections.defaultdict(list)
        for row in history.lines_of(path("final.jsonl")):
            self.final[row["id"]] = row
            self.by_key[row["key"]].append(row)

    def read_history(self, path):
        life, number, sent = self.life, {}, {}
        for line in history.lines_of(path):
            op, kind, mono = line["op"], line["type"], line["mono"]
            if op == "request":
                self.requests += 1
                number[line["n"]] = line["id"]
                # A message of a queue does not say which attempt it is: that which was sent last.
                attempt = line["attempt"] if line["attempt"] is not None else sent.get(line["id"], 0)
                life[line["id"]].append((mono, REQUEST, line["n"], line["t"], attempt, line["body"], line["signed"],
                                         line["stamp"], line["target"], line["key"], line["path"]))
            elif op == "answer":
                if "how" in line:
                    self.kinds[line["how"]] += 1
                life[line["id"]].append((mono, ANSWER, line["n"], line["status"], kind == "ok", line.get("after")))
            elif op == "claim":
                if kind == "ok":
                    life[line["id"]].append((mono, CLAIM, line["src"], line["attempt"], line["version"], mono - line["took"],
                                             line["key"]))
                else:
                    self.unclear_claims.append((mono - line["took"], mono))
            elif op == "refused together":
                self.kinds["whole"] += 1
            elif op == "send":
                sent[line["id"]] = line["attempt"]
                life[line["id"]].append((mono, SEND, line["src"], line["attempt"], line["version"]))
            elif op == "settle":
                life[line["id"]].append((mono, SETTLE, line["src"], line["attempt"], line["version"], mono - line["took"], kind,
                                         line["result"], line["status"]))
            elif op == "release":
                life[line["id"]].append((mono, RELEASE, line["src"], line["attempt"], line["version"], mono - line["took"], kind))
            elif op == "extend":
                life[line["id"]].append((mono, EXTEND, line["src"], None, line["version"], mono - line["took"], kind))
            elif op == "update":
                life[line["id"]].append((mono, UPDATE, line["src"], None, line["version"], mono - line["took"], kind))
            elif op == "heartbeat":
                if kind == "ok":
                    self.beats[line["src"]].append(mono - line["took"])
            elif op == "create":
                if kind == "invoke":
                    self.wanted.setdefault(line["key"], line)
                elif kind == "ok":
                    self.creates[line["key"]].append(line["id"])
                    self.ok_times.append(mono)
                    if line["id"]:
                        life[line["id"]].append((mono, ACKED, line["key"]))
            elif op == "cancel" and kind == "ok":
                life[line["id"]].append((mono, CANCELLED))
            elif op == "retry" and kind == "ok":
                self.retry_of_key[line["key"]].append((line["of"], line["id"]))
                life[line["id"]].append((mono, RETRIED, line["key"], line["of"]))
            elif op == "unpark":
                self.unparked.append((line["mono"] - line["took"], mono))
            elif op == "read" and kind == "ok":
                life[line["id"]].append((mono, SEEN, line["status"], line["version"]))
