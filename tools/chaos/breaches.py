"""Breaches of the promise in generated, otherwise correct histories. The checker must name each one and excuse only
what it may."""
import os
import tempfile

import checker
import generated
from generated import INSTANCES, MILLISECOND

SECOND = 1000 * MILLISECOND


class Tale(generated.Made):
    """A small history, with helpers for the steps of one event."""

    def __init__(self):
        super().__init__(events=60)

    def id_of(self, number):
        return self.final[number]["id"]

    def row(self, number):
        return self.final[number]

    def lines(self, number, op, kind=None):
        event, key = self.id_of(number), self.row(number)["key"]
        return [line for line in self.history if line["op"] == op and (kind is None or line["type"] == kind)
                and (line.get("id") == event or ("id" not in line and line.get("key") == key))]

    def again(self, line, after, **changes):
        copy = {**line, "mono": line["mono"] + after, "t": line["t"] + after, **changes}
        self.history.append(copy)
        return copy

    def drop(self, lines):
        self.history = [line for line in self.history if line not in lines]

    def claimed_again(self, number, after, who=INSTANCES[0], sent=True, **changes):
        """Another claim, with version and attempt one higher, and its request."""
        [claim] = self.lines(number, "claim")
        version, attempt = claim["version"] + 1, claim["attempt"] + 1
        self.again(claim, after, **{"src": who, "version": version, "attempt": attempt, **changes})
        if sent:
            [request], [answer] = self.lines(number, "request"), self.lines(number, "answer")
            self.again(request, after, n=request["n"] + 10_000, attempt=attempt)
            self.again(answer, after, n=request["n"] + 10_000)
        return claim

    def fault(self, kind, effects, begin, end):
        self.nemeses.append({"t0": 0, "t1": 0, "mono0": begin, "mono1": end, "kind": kind, "effects": effects, "proof": 1})


def lost(tale):
    tale.drop([line for line in tale.history if line.get("id") == tale.id_of(0) and line["op"] != "create"])
    tale.final.pop(0)


def phantom(tale):
    tale.again(tale.lines(0, "request")[0], 1, id="ffffffff-0000-7000-8000-000000000000", n=9999)


def two_events_for_one_key(tale):
    tale.again(tale.lines(0, "create", "ok")[0], 5, id=tale.id_of(1))


def two_live(tale):
    tale.final.append({**tale.row(0), "id": "ffffffff-0000-7000-8000-000000000000", "status": "PENDING", "retryOf": tale.id_of(0)})


def changed_its_mind(tale):
    tale.row(0)["status"] = "CANCELLED"


def claimed_though_over(tale):
    tale.claimed_again(0, 20 * SECOND, version=4)


def completed_unsent(tale):
    tale.drop(tale.lines(0, "request") + tale.lines(0, "answer"))


def settled_first(tale):
    tale.lines(0, "settle")[0]["mono"] = tale.lines(0, "answer")[0]["mono"] - 1


def one_version_twice(tale):
    tale.drop(tale.lines(0, "settle"))
    tale.again(tale.lines(0, "claim")[0], 16 * SECOND, src=INSTANCES[0], attempt=2)


def lease_ignored(tale):
    tale.drop(tale.lines(0, "settle"))
    tale.claimed_again(0, 2 * SECOND, sent=False)


def beats(tale, who, begin, seconds):
    """Heartbeats of an instance, one a second."""
    for second in range(seconds):
        at = begin + second * SECOND
        tale.history.append({"t": at, "mono": at, "src": who, "type": "ok", "op": "heartbeat", "took": MILLISECOND})


def taken_over(tale, seconds):
    """Six seconds after a claim another instance takes the event over; its holder sent heartbeats for `seconds`."""
    tale.drop(tale.lines(0, "settle"))
    claim = tale.lines(0, "claim")[0]
    rescuer = next(name for name in INSTANCES if name != claim["src"])
    for who, how_long in ((claim["src"], seconds), (rescuer, 9)):
        beats(tale, who, claim["mono"] - SECOND, how_long)
    tale.claimed_again(0, 6 * SECOND, who=rescuer, sent=False)


def taken_over_from_a_living_instance(tale):
    taken_over(tale, 9)


def settled_past_the_lease(tale):
    settle = tale.lines(0, "settle")[0]
    tale.claimed_again(0, 16 * SECOND, sent=False)
    settle["mono"] += 17 * SECOND


def version_gap(tale):
    tale.row(0)["version"] = 5


def released_and_updated(tale, kind="ok", version=4, number=0):
    """Released because a circuit was open, which had closed by then: the instance makes the event claimable at once, which
    takes a version, and another claim sends it. `kind`: the answer to that update (None: it has no line)."""
    [claim], [settle] = tale.lines(0, "claim"), tale.lines(0, "settle")
    rescuer = next(name for name in INSTANCES if name != claim["src"])
    released = claim["mono"] + 50 * MILLISECOND
    tale.history.append({**{name: value for name, value in settle.items() if name not in ("result", "status")},
                         "op": "release", "mono": released, "t": released})
    if kind:
        at = released + 2 * MILLISECOND
        tale.line(at, claim["src"], kind, "update", took=MILLISECOND, id=tale.id_of(number), version=version)
    for line in [settle, *tale.lines(0, "request"), *tale.lines(0, "answer"), *tale.lines(0, "send")]:
        line["mono"], line["t"] = line["mono"] + 5 * SECOND, line["t"] + 5 * SECOND
        line |= {name: value for name, value in {"attempt": 2, "version": 5, "stamp": line.get("stamp", 0) + 5}.items() if name in line}
        line |= {"src": rescuer} if line["op"] in ("send", "settle") else {}
    tale.again(claim, 5 * SECOND, src=rescuer, version=5, attempt=2)
    tale.row(0).update(version=6, attempt=2, attempts=[[1, "RELEASED", None], [2, "SUCCEEDED", 204]])


def no_update_is_known(tale):
    released_and_updated(tale, kind=None)


def another_version_was_updated(tale):
    released_and_updated(tale, version=7)


def another_event_was_updated(tale):
    released_and_updated(tale, number=2)


def another_version_was_updated_without_an_answer(tale):
    released_and_updated(tale, kind="info", version=7)


def another_event_was_updated_without_an_answer(tale):
    released_and_updated(tale, kind="info", number=2)


def updated_by_two(tale):
    released_and_updated(tale)
    [update] = tale.lines(0, "update")
    tale.again(update, MILLISECOND, src=next(name for name in INSTANCES if name != update["src"]))


def overlap(tale):
    tale.drop(tale.lines(0, "settle"))
    tale.claimed_again(0, MILLISECOND // 1000)


def other_body(tale):
    tale.again(tale.lines(0, "request")[0], 1, body="other", attempt=2, n=9999)


def number_twice(tale):
    tale.again(tale.lines(0, "request")[0], 1, n=9999)


def messages(tale):
    """A queue's receiver does not see the number of an attempt."""
    for line in tale.history:
        if line["op"] == "request":
            line["attempt"] = None


def message_twice(tale):
    messages(tale)
    [request] = tale.lines(0, "request")
    tale.again(request, MILLISECOND, n=request["n"] + 10_000)


def message_unclaimed(tale):
    messages(tale)
    tale.drop([*tale.lines(0, "claim"), *tale.lines(0, "send")])


def sent_again(tale):
    tale.drop(tale.lines(0, "settle"))
    tale.claimed_again(0, 16 * SECOND)


def early(tale):
    tale.lines(0, "request")[0]["t"] = generated.EPOCH - 1


def wrong_local_time(tale):
    create = tale.lines(0, "create", "invoke")[0]
    create |= {"targetTimestampLocal": "2027-01-01T15:00:01", "targetTimezone": "Europe/Paris"}


def two_requests_in_peace(tale):
    tale.again(tale.lines(0, "request")[0], 1, n=9999, attempt=2)


def slow_take_over(tale):
    claim = tale.claimed_again(0, 30 * SECOND, sent=False)
    tale.drop(tale.lines(0, "settle"))
    tale.fault("kill", [claim["src"]], claim["mono"] + 1, claim["mono"] + SECOND)


def slow_writes(tale):
    tale.again(tale.lines(59, "create", "ok")[0], 20 * SECOND)
    tale.fault("dbkill", ["db"], 70 * MILLISECOND, 80 * MILLISECOND)


def retry_after_ignored(tale):
    tale.lines(3, "answer")[0]["after"] = 2


def delay_ignored(tale):
    for line in tale.lines(3, "request") + tale.lines(3, "answer"):
        if line["mono"] > SECOND:
            line["mono"] -= 600 * MILLISECOND


def refusal_ignored(tale):
    tale.again(tale.lines(7, "request")[0], 2 * SECOND, n=9999, attempt=2)


def redirect_followed(tale):
    tale.again(tale.lines(0, "request")[0], 1, n=9999, attempt=2, path="/trap")


def cancel_ignored(tale):
    tale.line(1, "client", "ok", "cancel", id=tale.id_of(0), key=tale.row(0)["key"])


def forged(tale):
    tale.lines(0, "request")[0]["signed"] = False


def stale_stamp(tale):
    tale.lines(0, "request")[0]["stamp"] -= 60


def unclaimed(tale):
    tale.lines(0, "claim")[0]["mono"] += 4 * MILLISECOND


def attempts_disagree(tale):
    tale.row(3)["retryCount"] = 0


def lease_left(tale):
    tale.row(0).update(status="PROCESSING", claimedBy="x", leaseExpiresAt=generated.text_of(generated.EPOCH))


def left_lying(tale):
    tale.row(0).update(status="PENDING")


def no_fault(tale):
    tale.run["faults"] = ["kill"]


def no_peace(tale):
    tale.fault("kill", [INSTANCES[0]], 0, tale.run["ended"])


BREACHES = {
    "I1": [lost], "I2": [phantom], "I3": [two_events_for_one_key], "I4": [two_live, changed_its_mind, claimed_though_over],
    "I5": [completed_unsent, settled_first], "I6": [one_version_twice, lease_ignored, taken_over_from_a_living_instance, settled_past_the_lease, version_gap,
                                                         no_update_is_known, another_version_was_updated, another_event_was_updated,
                                                         another_version_was_updated_without_an_answer,
                                                         another_event_was_updated_without_an_answer, updated_by_two],
    "I7": [overlap], "I8": [other_body, number_twice, message_twice], "I9": [sent_again, claimed_though_over], "I10": [early],
    "I11": [wrong_local_time], "I12": [two_requests_in_peace, slow_take_over, slow_writes],
    "I13": [retry_after_ignored, delay_ignored, refusal_ignored, redirect_followed, cancel_ignored],
    "I14": [forged, stale_stamp], "I15": [unclaimed, message_unclaimed], "I16": [attempts_disagree], "I17": [lease_left, left_lying],
    "FAULTS": [no_fault, no_peace],
}


def holder(tale):
    return tale.lines(0, "claim")[0]


def excused_by_its_kill(tale):
    """Killed between the 2xx and the commit: the one duplicate that the promise allows."""
    sent_again(tale)
    tale.fault("kill", [holder(tale)["src"]], holder(tale)["mono"] + 3 * MILLISECOND, holder(tale)["mono"] + SECOND)


def excused_by_a_cut_answer(tale):
    sent_again(tale)
    tale.lines(0, "answer")[0]["type"] = "info"


def not_excused_by_another_kill(tale):
    sent_again(tale)
    others = [name for name in INSTANCES if name != holder(tale)["src"]]
    tale.fault("kill", others, holder(tale)["mono"] + 3 * MILLISECOND, holder(tale)["mono"] + SECOND)


def not_excused_by_a_later_kill(tale):
    sent_again(tale)
    tale.run["ended"] += 300 * SECOND
    tale.fault("kill", [holder(tale)["src"]], holder(tale)["mono"] + 30 * SECOND, holder(tale)["mono"] + 31 * SECOND)


def told_late_by_a_frozen_instance(tale):
    """A claim made before another instance's claim, but logged after that instance's settlement."""
    [claim] = tale.lines(0, "claim")
    frozen, rescuer = claim["src"], next(name for name in INSTANCES if name != claim["src"])
    for op in ("request", "answer", "settle"):
        for line in tale.lines(0, op):
            line["mono"], line["t"] = line["mono"] + 16 * SECOND, line["t"] + 16 * SECOND
            line |= {"src": rescuer} if op == "settle" else {}
            line |= {name: value for name, value in {"attempt": 2, "version": 3}.items() if name in line}
            line |= {"stamp": line["stamp"] + 16} if op == "request" else {}
    tale.again(claim, 16 * SECOND, src=rescuer, version=3, attempt=2)
    tale.fault("pause", [frozen], claim["mono"], claim["mono"] + 20 * SECOND)
    claim["mono"], claim["took"] = claim["mono"] + 20 * SECOND, claim["took"] + 20 * SECOND
    tale.row(0).update(version=4, attempt=2, retryCount=1, attempts=[[1, "LOST", None], [2, "SUCCEEDED", 204]])


def updated_without_an_answer(tale):
    released_and_updated(tale, kind="info")


def excused_by_missing_heartbeats(tale):
    taken_over(tale, 2)


def taken_over_from_a_killed_instance(tale):
    taken_over(tale, 7)
    claim = next(line for line in tale.lines(0, "claim") if line["attempt"] == 1)
    tale.fault("kill", [claim["src"]], claim["mono"] + 5 * SECOND, claim["mono"] + 8 * SECOND)


def taken_over_before_the_kill(tale):
    taken_over(tale, 9)
    claim = next(line for line in tale.lines(0, "claim") if line["attempt"] == 1)
    tale.fault("kill", [claim["src"]], claim["mono"] + 7 * SECOND, claim["mono"] + 8 * SECOND)


EXCUSES = {messages: ("I8", True), excused_by_missing_heartbeats: ("I6", True), taken_over_from_a_killed_instance: ("I6", True),
           taken_over_before_the_kill: ("I6", False),
           released_and_updated: ("I6", True), updated_without_an_answer: ("I6", True),
           excused_by_its_kill: ("I9", True), excused_by_a_cut_answer: ("I9", True),
           not_excused_by_another_kill: ("I9", False), not_excused_by_a_later_kill: ("I9", False),
           told_late_by_a_frozen_instance: ("I4", True)}


def judged(change):
    tale = Tale()
    change(tale)
    with tempfile.TemporaryDirectory(prefix="sundial-chaos-tale-") as directory:
        return checker.judge(tale.write(os.path.join(directory, "tale")))[1]


def breaches():
    """(breach, invariant, found)."""
    untouched = judged(lambda tale: None)
    yield "none", "none", untouched.good() or dict(untouched.samples)
    for invariant, changes in BREACHES.items():
        for change in changes:
            yield change.__name__, invariant, judged(change).broken[invariant] > 0
    for change, (invariant, excused) in EXCUSES.items():
        yield change.__name__, invariant, (judged(change).broken[invariant] == 0) == excused
