"""The rows of the table of targets: each row's measurement, its divisor and its target."""
import statistics

from bed import NotMeasured
import serving


def rate(of):
    return of["eventsPerSecond"]


def cpu_micros(of):
    """Per event: of the process, and of the database."""
    return [1e6 * (of.get(name) or 0.0) / of["events"] for name in ("processCpuSeconds", "databaseCpuSeconds")]


class Ratio:
    """Two programs in turns, A B A B: the median of the pairs' ratios must be at least `target`."""

    def __init__(self, row, what, target, ours, theirs):
        self.row, self.what, self.target, self.ours, self.theirs = row, what, target, ours, theirs
        self.with_others = getattr(theirs, "is_other", False)

    def measure(self, bed, pairs, tell):
        ratios, rates, cpu = [], [], ([], [])
        for number in range(1, pairs + 1):
            both = self.ours(bed), self.theirs(bed)
            for one, its in zip(both, cpu):
                its.append(cpu_micros(one))
            ours, theirs = map(rate, both)
            ratios.append(ours / theirs)
            rates.append([round(ours), round(theirs)])
            tell(f"{self.row} {self.what}: pair {number}: {ours:,.0f}/s and {theirs:,.0f}/s, {ratios[-1]:.2f}")
        return {"row": self.row, "what": self.what, "unit": "ratio", "target": self.target, "atLeast": True,
                "median": round(statistics.median(ratios), 3), "range": [round(min(ratios), 3), round(max(ratios), 3)],
                "eventsPerSecond": rates,
                "cpuMicros": {whose: [round(statistics.median(part), 1) for part in zip(*its)] for whose, its in zip(("ours", "theirs"), cpu)}}


class Figures:
    """Figures that must not be greater than their targets; `measure_once` gives them by name."""

    def __init__(self, row, what, targets, measure_once, times=None):
        self.row, self.what, self.targets, self.measure_once, self.times = row, what, targets, measure_once, times
        self.with_others = False

    def measure(self, bed, pairs, tell):
        found = []
        for number in range(1, (self.times or pairs) + 1):
            found.append(self.measure_once(bed))
            tell(f"{self.row} {self.what}: run {number}: " + ", ".join(f"{k} {found[-1][k]:g}" for k in self.targets))
        return [{"row": self.row, "what": f"{self.what}, {name}", "unit": name, "target": target, "atLeast": False,
                 "median": round(statistics.median(one[name] for one in found), 4),
                 "range": [round(min(one[name] for one in found), 4), round(max(one[name] for one in found), 4)]}
                for name, target in self.targets.items()]


def reached(figure):
    if figure["atLeast"]:
        return figure["median"] >= figure["target"]
    return figure["median"] <= figure["target"]


def steady(bed, rate_, seconds):
    """P3: the last tenth of the time against the first, a read transaction open from half time on."""
    run = bed.sundial("postgres", "lateness", "--rate", rate_, "--seconds", seconds, "--handler", "--snapshot")
    first, last = run["firstTenth"], run["lastTenth"]
    if "claimP99Ms" not in first or "claimP99Ms" not in last:
        raise NotMeasured("nothing was claimed in a tenth of the time: the rate was not held")
    return {"rateHeld": rate_ / rate(run),
            "latenessGrowth": last["p99Ms"] / max(first["p99Ms"], 1e-3),
            "claimGrowth": last["claimP99Ms"] / max(first["claimP99Ms"], 1e-3)}


def rows(scale, time_rules):
    """All of them, with numbers of events times `scale`. `time_rules()` gives the figures of P12."""
    def n(events):
        return max(100, round(events * scale))

    def ours(storage, *arguments):
        return lambda bed: bed.sundial(storage, *arguments)

    def other(measure):
        measure.is_other = True
        return measure

    def raw(*arguments):
        return other(lambda bed: bed.raw(*arguments))

    def peer(*arguments):
        return other(lambda bed: bed.peer(*arguments))

    drained, million = n(100_000), n(1_000_000)
    drain = ours("postgres", "drain", "--events", drained)
    stock = ("--future-rows", million, "--finished-rows", million)
    one = ours("postgres", "create", "--events", n(20_000))
    pg_boss_one = peer("pg_boss", "one", n(10_000))
    lateness = ("lateness", "--rate", 100, "--seconds", max(2, round(20 * min(1, scale * 10))), "--future-rows", million)
    yield Ratio("P1", "drain, against graphile-worker", 1.3, drain, peer("graphile_worker", "drain", drained))
    yield Ratio("P1", "drain, against pg-boss", 2.5, drain, peer("pg_boss", "drain", drained))
    yield Ratio("P1", "drain, against raw SQL", 0.85, drain, raw("postgres", "drain", drained, 500, 2))
    yield Ratio("P2", "drain beside a million future and finished rows, against P1", 0.95,
                ours("postgres", "drain", "--events", drained, *stock), drain)
    yield Figures("P3", "10,000/s for ten minutes, a snapshot held", {"rateHeld": 1.02, "latenessGrowth": 2, "claimGrowth": 2},
                  lambda bed: steady(bed, max(100, round(10_000 * min(1, scale * 10))), max(4, round(600 * min(1, scale * 10)))), 1)
    yield Ratio("P4", "drain by four instances, against one", 0.9, ours("postgres", "drain", "--events", drained, "--instances", 4), drain)
    hundred = ["claim", "--events", drained, "--instances", 100]
    yield Ratio("P4", "a hundred claimers, against one instance", 0.6, ours("postgres", *hundred), drain)
    yield Ratio("P4", "a hundred claimers with a connection each, against one instance", 0.6,
                ours("postgres", *hundred, "--storage.pool_size=100"), drain)
    yield Ratio("P5", "single creates, against pg-boss", 8, one, pg_boss_one)
    yield Ratio("P5", "single creates over HTTP, against pg-boss", 3, ours("postgres", "create", "--events", n(20_000), "--http"), pg_boss_one)
    yield Ratio("P6", "creates by the thousand, against graphile-worker", 1.5,
                ours("postgres", "create", "--events", drained, "--batch", 1000, "--in-flight", 4),
                peer("graphile_worker", "bulk", drained))
    yield Ratio("P6", "creates by the thousand over HTTP, against graphile-worker", 1,
                ours("postgres", "create", "--events", drained, "--batch", 1000, "--in-flight", 4, "--http"),
                peer("graphile_worker", "bulk", drained))
    for storage in ("postgres", "sqlite"):
        yield Figures("P7", f"lateness at 100/s on {storage}, a million future rows", {"p50Ms": 3, "p99Ms": 15}, ours(storage, *lateness))
    yield Ratio("P8", "09:00 peak, against the same HTTP client alone", 0.6, ours("postgres", "peak", "--events", drained),
                ours("postgres", "peak", "--events", drained, "--no-database"))
    yield Figures("P8", "09:00 peak, first delivery", {"firstMs": 20}, ours("postgres", "peak", "--events", drained))
    yield Ratio("P9", "SQLite drain, against plainjob", 10, ours("sqlite", "drain", "--events", drained), peer("plainjob", "drain", n(10_000)))
    yield Ratio("P9", "SQLite drain, against raw at batch 100", 0.7, ours("sqlite", "drain", "--events", drained), raw("sqlite", "drain", drained, 100))
    yield Ratio("P9", "SQLite single creates, against plainjob", 5, ours("sqlite", "create", "--events", n(20_000)), peer("plainjob", "one", n(10_000)))
    for storage in ("postgres", "sqlite"):
        yield Figures("P10", f"a million pending events on {storage}", {"grownMb": 10, "readySeconds": 1},
                      lambda bed, storage=storage: serving.memory_and_start(bed, storage, million), 1)
    appended = n(50_000)
    yield Ratio("P11", "append by one writer, batches of 100, against raw", 0.8,
                ours("postgres", "append", "--events", appended), raw("postgres", "append", appended, 100, 1))
    yield Ratio("P11", "append by 16 writers one by one, against raw", 0.5,
                # A connection for each writer, as raw SQL has it: commits that wait for the disk wait together.
                ours("postgres", "append", "--events", n(16_000), "--in-flight", 16, "--batch", 1, "--storage.pool_size=16"),
                raw("postgres", "append", n(16_000), 1, 16))
    yield Figures("P12", "time rules", {"nextMicros": 5, "rruleMicros": 50, "slowestMs": 50}, lambda bed: time_rules(), 1)
    for storage in ("postgres", "sqlite"):
        yield Figures("P13", f"API on {storage} beside a million rows of each kind", {"getP99Ms": 5, "listP99Ms": 20},
                      lambda bed, storage=storage: serving.answers(bed, storage, million, max(20, n(1000))), 1)


def measure(bed, chosen, pairs, tell):
    """Figures of each row, and why the others have none."""
    figures, failures = [], []
    for row in chosen:
        try:
            found = row.measure(bed, pairs, tell)
            figures += found if isinstance(found, list) else [found]
        except (NotMeasured, AssertionError) as failure:
            failures.append({"row": row.row, "what": row.what, "why": str(failure)})
            tell(f"{row.row} {row.what}: NOT MEASURED: {failure}")
    return figures, failures


def line(figure):
    low, high = figure["range"]
    sign = "≥" if figure["atLeast"] else "≤"
    verdict = "reached" if reached(figure) else "MISSED"
    cpu = "".join(f"  {whose} {own:g} + {database:g} µs" for whose, (own, database) in figure.get("cpuMicros", {}).items())
    return f"{figure['row']:<4} {figure['what']:<70} {sign} {figure['target']:<5g} {figure['median']:>9g}  ({low:g} to {high:g})  {verdict}{cpu}"
