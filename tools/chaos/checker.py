"""Decides from the files of a run alone whether the promise was kept: I1 to I17 of docs/chaos.md.

A pure function: the same files give the same verdict. An apparent breach is excused only by a recorded cause: a fault
in nemesis.jsonl that hit the right instance at the right time, or a response that the receiver itself did not complete.
Every excuse is counted and shown.
"""
import bisect
import collections
import datetime
import functools
import gc
import zoneinfo

from evidence import ANSWER, CANCELLED, CLAIM, EXTEND, RELEASE, REQUEST, SEEN, SEND, SETTLE, UPDATE, Run

SECOND = 1_000_000_000
SAMPLES = 5
SILENT = 4_400_000_000  # an instance is found dead 4.5 s after its last heartbeat, by the database's clock
RESCUED = 7 * SECOND  # within 5 s, and 2 s for a busy machine

INVARIANTS = {
    "I1": "no acknowledged event is lost",
    "I2": "no request without an event",
    "I3": "one request key, one effect",
    "I4": "one live or COMPLETED event per key; what is over stays as it is",
    "I5": "COMPLETED only after a 2xx",
    "I6": "claims are disjoint, versions without gap",
    "I7": "requests of one event do not overlap",
    "I8": "same id and body; attempt numbers grow, each sent once",
    "I9": "sent again after a 2xx only for a recorded cause",
    "I10": "nothing is sent early",
    "I11": "the right instant for a local time",
    "I12": "back within the stated bounds",
    "I13": "retries obey delay, Retry-After, refusal and cancel",
    "I14": "every signature verifies and is fresh",
    "I15": "an attempt's number is committed before it is sent",
    "I16": "the final row agrees with its attempts",
    "I17": "in the end nothing is left lying",
    "FAULTS": "every fault happened, and half of the time there was none",
}


class Verdict:
    def __init__(self):
        self.checked, self.broken, self.samples = collections.Counter(), collections.Counter(), collections.defaultdict(list)
        self.excused = collections.defaultdict(collections.Counter)

    def breach(self, invariant, text):
        self.broken[invariant] += 1
        if len(self.samples[invariant]) < SAMPLES:
            self.samples[invariant].append(text)

    def excuse(self, invariant, cause):
        self.excused[invariant][cause] += 1

    def good(self):
        return not self.broken


FINAL = ("COMPLETED", "FAILED", "CANCELLED")


class Checker:
    def __init__(self, run):
        self.run, self.verdict, self.asked, self.faults = run, Verdict(), run.asked, run.faults
        self.lease, self.timeout = run.asked["lease"] * SECOND, run.asked["timeout"] * SECOND
        self.tick = run.asked["tick"] * SECOND
        self.alone = run.asked["storage"] == "sqlite"

    def check(self):
        self.acknowledged()
        for event, steps in self.run.life.items():
            steps.sort()
            self.event(event, steps)
        for event, row in self.run.final.items():
            self.local_time(event, row)
            self.attempts(event, row)
            self.at_rest(event, row)
        self.writes_back()
        self.fault_counts()
        for invariant in INVARIANTS:
            self.verdict.checked.setdefault(invariant, 0)
        return self.verdict

    # I1, I3, I4: acknowledgements to users

    def acknowledged(self):
        verdict, final, by_key = self.verdict, self.run.final, self.run.by_key
        for key, ids in self.run.creates.items():
            verdict.checked["I1"] += 1
            verdict.checked["I3"] += 1
            if len(set(ids)) > 1:
                verdict.breach("I3", f"{key}: created as {sorted(set(ids))}")
            row = final.get(ids[0]) if ids[0] else next(iter(by_key.get(key, ())), None)
            if row is None:
                verdict.breach("I1", f"{key}: acknowledged as {ids[0]}, and not there at the end")
            elif row["status"] == "FAILED" and not row["failureReason"]:
                verdict.breach("I1", f"{key}: FAILED without a reason")
        for key, rows in by_key.items():
            verdict.checked["I4"] += 1
            if sum(row["status"] not in ("FAILED", "CANCELLED") for row in rows) > 1:
                verdict.breach("I4", f"{key}: {[(row['id'], row['status']) for row in rows]}")
            firsts = [row for row in rows if row["retryOf"] is None]
            if len(firsts) > 1:
                verdict.breach("I3", f"{key}: {len(firsts)} events that are no retries")
            followed = [row["retryOf"] for row in rows if row["retryOf"] is not None]
            if len(set(followed)) < len(followed):
                verdict.breach("I3", f"{key}: one FAILED event has two retries")

    # One event, step by step

    def event(self, event, steps):
        row = self.run.final.get(event)
        requests = [step for step in steps if step[1] == REQUEST]
        if requests:
            self.verdict.checked["I2"] += len(requests)
            if row is None:
                self.verdict.breach("I2", f"request {requests[0][2]} for {event or 'no event at all'}, which is not there")
                return
            self.same_request(event, row, requests)
            answers = {step[2]: step for step in steps if step[1] == ANSWER}  # the last one for each
            claims = {(step[3]): step for step in steps if step[1] == CLAIM}
            self.committed_first(event, requests, claims)
            self.overlaps(event, requests, answers, claims)
            self.repeated(event, steps, requests, answers, claims)
            self.obeyed(event, row, steps, requests, answers, claims)
        if row is not None:
            self.completed(event, row, steps)
            self.versions(event, row, steps)

    def same_request(self, event, row, requests):
        verdict = self.verdict
        verdict.checked["I8"] += len(requests)
        verdict.checked["I10"] += len(requests)
        verdict.checked["I14"] += len(requests)
        due = None
        latest = 0
        for _, _, number, t, attempt, body, signed, stamp, target, key, path in requests:
            if key != row["key"] or body != requests[0][5] or target != requests[0][8]:
                verdict.breach("I8", f"{event}: request {number} is not like the first one")
            if attempt <= latest:
                verdict.breach("I8", f"{event}: attempt {attempt} after {latest}")
            latest = max(latest, attempt)
            if path != self.asked.get("path", "/hook"):
                verdict.breach("I13", f"{event}: request {number} went to {path}: a redirect was followed")
            due = due if due is not None else instant_ns(row["targetTimestampUTC"])
            if t < due:
                verdict.breach("I10", f"{event}: request {number} came {(due - t) / SECOND:.6f} s before its time")
            if not signed or abs(stamp * SECOND - t) > 6 * SECOND:  # a whole second, and 5 s of it
                verdict.breach("I14", f"{event}: request {number}: signature {'good' if signed else 'bad'}, "
                                      f"timestamp {stamp - t / SECOND:.1f} s off")

    def committed_first(self, event, requests, claims):
        for mono, _, number, _, attempt, *_ in requests:
            self.verdict.checked["I15"] += 1
            claim = claims.get(attempt)
            if claim is None or claim[0] > mono:
                self.verdict.breach("I15", f"{event}: attempt {attempt} was sent, and no claim of that number is known")

    def sender(self, claims, attempt):
        return claims[attempt][2] if attempt in claims else ""

    def overlaps(self, event, requests, answers, claims):
        for first, second in zip(requests, requests[1:]):
            self.verdict.checked["I7"] += 1
            answer = answers.get(first[2])
            if answer is not None and answer[0] <= second[0]:
                continue
            sender = self.sender(claims, first[4])
            cause = self.faults.during({sender}, first[0] - self.lease, second[0])
            if cause:
                self.verdict.excuse("I7", cause)
            elif answer is None and second[0] - first[0] >= self.timeout:
                self.verdict.excuse("I7", "given up at its time-out")
            else:
                self.verdict.breach("I7", f"{event}: request {second[2]} before {first[2]} was answered")

    def repeated(self, event, steps, requests, answers, claims):
        """I9: a request after a complete 2xx is allowed only if its sender could not know or could not report the
        result."""
        accepted = None
        for request in requests:
            if accepted is not None:
                self.verdict.checked["I9"] += 1
                self.explain(event, accepted, request, answers[accepted[2]], claims, steps)
            answer = answers.get(request[2])
            if accepted is None and answer is not None and answer[3] is not None and 200 <= answer[3] < 300:
                accepted = request

    def explain(self, event, accepted, again, answer, claims, steps):
        verdict = self.verdict
        if not answer[4]:
            return verdict.excuse("I9", "its 2xx did not leave the receiver whole")
        sent = next((step for step in steps if step[1] == SEND and step[3] == accepted[4]), accepted)
        if answer[0] - sent[0] >= self.timeout - SECOND // 10:
            return verdict.excuse("I9", "its 2xx came after the time-out")
        settled = next((step for step in steps if step[1] == SETTLE and step[3] == accepted[4] and step[6] == "ok"), None)
        if settled is not None and settled[7] == "COMPLETED":
            return verdict.breach("I9", f"{event}: sent again as {again[4]} though COMPLETED was committed")
        given_up = settled is not None and settled[7] == "RETRY" and settled[8] is None
        if given_up and answer[0] - sent[0] >= self.timeout // 2:
            return verdict.excuse("I9", "its 2xx came late, and its sender had given up")
        cause = self.faults.during({self.sender(claims, accepted[4])}, answer[0] - self.timeout, min(again[0], answer[0] + self.lease))
        if cause:
            return verdict.excuse("I9", cause)
        return verdict.breach("I9", f"{event}: attempt {again[4]} after attempt {accepted[4]} was accepted, and nothing had happened to its sender")

    def completed(self, event, row, steps):
        """I5, and I4: a finished event stays finished."""
        over = None
        for step in steps:
            if step[1] == SETTLE and step[6] == "ok" and step[7] != "RETRY":
                self.verdict.checked["I4"] += 1
                if over is not None and over != (step[4] + 1, step[7]):
                    self.verdict.breach("I4", f"{event}: {step[7]} after {over[1]}")
                over = (step[4] + 1, step[7])
            elif step[1] == SEEN and step[2] in FINAL and step[2] != row["status"]:
                self.verdict.breach("I4", f"{event}: was seen {step[2]}, is {row['status']}")
            elif step[1] == CLAIM and over is not None and step[4] > over[0]:  # otherwise logged late by a frozen instance
                self.verdict.breach("I4", f"{event}: claimed after {over[1]}")
        if over is not None and row["status"] != over[1]:
            self.verdict.breach("I4", f"{event}: settled {over[1]}, is {row['status']}")
        if row["status"] != "COMPLETED":
            return
        self.verdict.checked["I5"] += 1
        accepted = min((step[0] for step in steps if step[1] == ANSWER and step[3] is not None and 200 <= step[3] < 300), default=None)
        if accepted is None:
            self.verdict.breach("I5", f"{event}: COMPLETED, and no 2xx was ever given")
            return
        for step in steps:
            if step[1] == SETTLE and step[7] == "COMPLETED" and step[6] == "ok" and step[0] < accepted:
                self.verdict.breach("I5", f"{event}: COMPLETED before its first 2xx")

    def obeyed(self, event, row, steps, requests, answers, claims):
        """I13."""
        verdict, delays = self.verdict, self.asked["delays"]
        cancelled = next((step[0] for step in steps if step[1] == CANCELLED), None)
        if cancelled is not None:
            verdict.checked["I13"] += 1
            if row["status"] != "CANCELLED":
                verdict.breach("I13", f"{event}: cancelled, and is {row['status']}")
            if any(request[0] > cancelled for request in requests):
                verdict.breach("I13", f"{event}: sent after it was cancelled")
        for first, second in zip(requests, requests[1:]):
            answer = answers.get(first[2])
            if answer is None or answer[3] is None or not answer[4]:
                continue
            status, waited = answer[3], second[0] - answer[0]
            verdict.checked["I13"] += 1
            if status in (408, 425, 429) or status >= 500:
                # A retry waits at least the smallest delay; a lost attempt may have changed which delay applies.
                least = min(delays) * 9 * SECOND // 10
                if answer[5]:
                    least = max(least, answer[5] * SECOND)
                if waited < least:
                    cause = self.faults.during({self.sender(claims, first[4])}, first[0], second[0])
                    if cause in ("kill", "pause", "dbkill", "failover", "powercut", "worker", "coordinator"):
                        verdict.excuse("I13", cause)
                    else:
                        verdict.breach("I13", f"{event}: tried again {waited / SECOND:.3f} s after {status}"
                                              + (f" with Retry-After {answer[5]}" if answer[5] else ""))
            elif 300 <= status < 500:
                cause = self.faults.during({self.sender(claims, first[4])}, answer[0] - self.timeout, answer[0] + self.lease)
                if cause:
                    verdict.excuse("I13", cause)
                else:
                    verdict.breach("I13", f"{event}: tried again after {status}")

    # I6: holders over time

    def versions(self, event, row, steps):
        verdict = self.verdict
        known = {}  # version -> (who, op, mono of the log line, mono of the call)
        unclear = set()  # versions that an update without an answer may have made
        held = None
        for step in steps:
            kind = step[1]
            if kind == CLAIM:
                verdict.checked["I6"] += 1
                self.holds(event, held, step)
                self.told(event, known, step[4], (step[2], "claim", step[0], step[5]))
                held = [step[2], step[4], step[5] + self.lease, step[0]]
                if step[0] - step[5] > self.lease:
                    held[2] = step[0]  # a response that came too late grants no lease
            elif kind == EXTEND and step[6] == "ok" and held and held[1] == step[4]:
                held[2] = max(held[2], step[5] + self.lease)
            elif kind == UPDATE:
                if step[6] == "ok":
                    self.told(event, known, step[4], (step[2], "update", step[0], step[5]))
                else:
                    unclear.add(step[4])
            elif kind in (SETTLE, RELEASE):
                if step[6] == "ok":
                    self.told(event, known, step[4] + 1, (step[2], "settle", step[0], step[5]))
                if held and held[1] == step[4] and step[6] != "fail":
                    held = None
        self.gaps(event, row, known, unclear)

    def told(self, event, known, version, entry):
        other = known.get(version)
        if other is None:
            known[version] = entry
        elif other[0] == entry[0] and other[1] == entry[1] == "settle":
            pass  # repeated after an unknown outcome
        else:
            self.verdict.breach("I6", f"{event}: version {version} was given to {other[:2]} and to {entry[:2]}")

    def holds(self, event, held, claim):
        """A claim requires that the earlier holder has settled, its lease has expired, or the holder is dead: it sent no
        heartbeat, or its process has ended."""
        if held is None or claim[0] >= held[2]:
            return
        who, version, until, since = held
        if claim[4] == version + 1:  # else something happened between that was not logged
            silent = self.run.silent(who, since, claim[5], SILENT)
            if silent:
                self.verdict.excuse("I6", "its holder sent no heartbeat")
                return
            if self.faults.ended(who, claim[0]):
                self.verdict.excuse("I6", "its holder's process had ended")
                return
            if silent is False:
                self.verdict.breach("I6", f"{event}: claimed by {claim[2]} before the lease of {who} was over, which sent heartbeats")
                return
        cause = self.faults.during({who}, since - SECOND, claim[0])
        if cause:
            self.verdict.excuse("I6", cause)
            return
        self.verdict.breach("I6", f"{event}: claimed by {claim[2]} {(until - claim[0]) / SECOND:.3f} s before the lease of {who} was over")

    def gaps(self, event, row, known, unclear):
        """Every version from 2 to the last has a known author, or a reason why the author could not log it."""
        last = row["version"]
        if row["status"] == "CANCELLED":
            last -= 1  # made by the cancel
        if row.get("dismissedAt"):
            last -= 1  # made by the retry that dismissed the event
        missing = [version for version in range(2, last + 1) if version not in known]
        if not missing:
            return
        asked = self.run.wanted.get(row["key"])
        begin = asked["mono"] if asked else self.asked["began"]
        for version in missing:
            before = max((known[v][2] for v in known if v < version), default=begin)
            after = min((known[v][2] for v in known if v > version), default=self.asked["ended"])
            cause = next((line["kind"] for line in self.faults.lines if line["mono0"] <= after and line["mono1"] >= before - SECOND), None)
            if cause:
                self.verdict.excuse("I6", cause)
            elif version in unclear:
                self.verdict.excuse("I6", "an update without an answer")
            elif any(b <= after and e >= before for b, e in self.run.unclear_claims):
                self.verdict.excuse("I6", "a claim without an answer")
            elif any(b <= after and e >= before for b, e in self.run.unparked):
                self.verdict.excuse("I6", "a client enabled its endpoint")
            else:
                self.verdict.breach("I6", f"{event}: no change made version {version} of {row['version']}")

    # I11, I16, I17: the final rows

    def local_time(self, event, row):
        asked = self.run.wanted.get(row["key"])
        if not asked or "targetTimestampLocal" not in asked:
            return
        self.verdict.checked["I11"] += 1
        local = datetime.datetime.fromisoformat(asked["targetTimestampLocal"]).replace(
            tzinfo=zoneinfo.ZoneInfo(asked["targetTimezone"]))
        if int(local.timestamp()) * SECOND != instant_ns(row["targetTimestampUTC"]):
            self.verdict.breach("I11", f"{event}: {asked['targetTimestampLocal']} in {asked['targetTimezone']} became {row['targetTimestampUTC']}")

    def attempts(self, event, row):
        if "attempts" not in row:
            return
        self.verdict.checked["I16"] += 1
        outcomes = [outcome for _, outcome, _ in row["attempts"]]
        counted = sum(outcome in ("RETRYABLE", "LOST", "LATE") for outcome in outcomes)
        wrong = None
        if max((number for number, _, _ in row["attempts"]), default=0) > row["attempt"]:
            wrong = "an attempt beyond the row's"
        elif row["status"] == "COMPLETED" and "PERMANENT" in outcomes:
            wrong = "COMPLETED with a PERMANENT attempt"
        elif row["status"] == "FAILED" and (not outcomes or outcomes[-1] not in ("PERMANENT", "RETRYABLE", "LOST", "LATE")):
            wrong = f"FAILED after {outcomes[-1:]}"
        elif counted != row["retryCount"]:
            wrong = f"retryCount {row['retryCount']} for {outcomes}"
        if wrong:
            self.verdict.breach("I16", f"{event}: {wrong}")

    def at_rest(self, event, row):
        self.verdict.checked["I17"] += 1
        if row["status"] in FINAL:
            return
        now = self.asked["taken"]
        if row["claimedBy"] and instant_ns(row["leaseExpiresAt"]) < now - 2 * self.tick:
            self.verdict.breach("I17", f"{event}: its lease was over at {row['leaseExpiresAt']}")
        elif not row["claimedBy"] and instant_ns(row["nextAttemptAt"] or row["targetTimestampUTC"]) < now - 2 * self.tick:
            self.verdict.breach("I17", f"{event}: {row['status']}, due and untouched")
        elif not self.asked["quiet"]:
            self.verdict.breach("I17", f"{event}: still {row['status']} long after everything was due")

    # I12: bounds

    def writes_back(self):
        verdict, times = self.verdict, sorted(self.run.ok_times)
        bound = {"dbkill": 5, "failover": 10, "powercut": 5, "worker": 5, "coordinator": 5}
        for line in self.faults.lines:
            if line["kind"] in bound:
                at = bisect.bisect(times, line["mono1"])
                if at < len(times):  # otherwise no process wanted to write any more
                    verdict.checked["I12"] += 1
                    took = (times[at] - line["mono1"]) / SECOND
                    if took > bound[line["kind"]]:
                        verdict.breach("I12", f"the first write came {took:.1f} s after the end of a {line['kind']}")
            if line["kind"].startswith(("kill", "crash")):
                self.taken_over(line)
        if not self.faults.lines:
            for event, row in self.run.final.items():
                if row["status"] == "COMPLETED" and row["attempt"] == 1:
                    verdict.checked["I12"] += 1
                    if sum(step[1] == REQUEST for step in self.run.life.get(event, ())) != 1:
                        verdict.breach("I12", f"{event}: more than one request without a fault")

    def taken_over(self, kill):
        """The claims of a killed instance are claimed again within seconds if others run undisturbed, else within
        lease + 2 ticks + 5 s, not counting other faults."""
        open_claims = self.claims_of(kill)
        for event, version in open_claims:
            self.verdict.checked["I12"] += 1
            again = next((step for step in self.run.life[event] if step[1] == CLAIM and step[0] > kill["mono0"]), None)
            if again is None or again[4] != version + 1:
                continue  # the outcome was committed but not logged: I1, I5 and I17 cover the rest
            again = again[0]
            bound = self.lease + 2 * self.tick + 5 * SECOND + self.faults.disturbed(kill["mono1"], again)
            if self.others_run(kill, again):
                bound = RESCUED
            if again - kill["mono0"] > bound:
                self.verdict.breach("I12", f"{event}: claimed again only {(again - kill['mono0']) / SECOND:.1f} s after its holder was killed")

    def others_run(self, kill, until):
        """Whether instances with heartbeats ran undisturbed since before that kill."""
        return (not self.alone and kill["kind"] == "kill" and len(kill["effects"]) < self.asked["instances"]
                and all(self.run.beats.get(who) for who in kill["effects"])
                and not any(line is not kill and line["mono0"] <= until and line["mono1"] >= kill["mono0"] - 40 * SECOND
                            for line in self.faults.lines))

    def claims_of(self, kill):
        """(event, version) of the victims' claims at the time of the kill."""
        if not hasattr(self, "by_holder"):
            self.by_holder = collections.defaultdict(list)
            for event, steps in self.run.life.items():
                for at, step in enumerate(steps):
                    if step[1] == CLAIM:
                        over = next((s[0] for s in steps[at + 1:] if s[1] in (SETTLE, RELEASE) and s[4] == step[4]), None)
                        if over is None:
                            self.by_holder[step[2]].append((event, step[4]))
        return [claim for victim in kill["effects"] for claim in self.by_holder.get(victim, ())]

    # The faults themselves

    def fault_counts(self):
        verdict, counts = self.verdict, collections.Counter(self.run.kinds)
        for line in self.faults.lines:
            verdict.checked["FAULTS"] += 1
            counts[line["kind"]] += line["proof"]
        for kind in self.asked["faults"]:
            if counts[kind] == 0:
                verdict.breach("FAULTS", f"no {kind} happened")
        begin, end = self.asked["began"], self.asked["ended"]
        if self.faults.disturbed(begin, end) > (end - begin) / 2:
            verdict.breach("FAULTS", "more than half of the time something was broken")
        verdict.counts = counts


def instant_ns(text):
    """`2027-01-05T14:00:00.000Z` in ns since 1970."""
    return seconds_of(text[:19]) * SECOND + int(text[20:-1].ljust(9, "0"))


@functools.lru_cache
def seconds_of(text):
    return int(datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.timezone.utc).timestamp())


def judge(directory):
    gc.disable()  # millions of tuples and no cycles: searching for cycles took half of the time
    run = Run(directory)
    return run, Checker(run).check()


def check(directory):
    """Prints the table; returns whether there are no breaches."""
    from report import show
    run, verdict = judge(directory)
    show(run, verdict)
    return as_wanted(run, verdict)


def as_wanted(run, verdict):
    """No breaches; or, for a deliberate defect, a breach of one of the expected invariants."""
    must_break = run.asked.get("breaks")
    return any(verdict.broken[name] for name in must_break) if must_break else verdict.good()
