#!/usr/bin/env python3
"""The results of Python's zoneinfo for wall times and yearly rules, for comparison with ours.

Walks the tz database that PYTHONTZPATH names and prints one line for each sample. `oracle.py local`:

    zone  kind  wall  earlier  later  boundary

`kind` is unique, gap or overlap. All times are seconds: `wall` as a clock without a zone counts them from
1970, the others in UTC. `earlier` and `later` are the two meanings, equal where there is one; `boundary` is
the end of a gap, else `earlier`. The samples are 09:00 around every offset change from 2024 to 2040, the
edges of each change, and dates from year 1 to 9999. `oracle.py yearly`:

    zone  month  day  second-of-day  gap  overlap  leap  after  instant,instant,…

The next occurrences after `after`. The samples are the
times around every offset change from 2024 to 2040 under every policy that matters there, and 29 February.
"""
import calendar
import os
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
NOT_ZONES = {"Factory", "localtime", "posixrules"}
FAR_YEARS = (1, 2, 1700, 1884, 1900, 1916, 1942, 1960, 1999, 2050, 2399, 2400, 2401, 2800, 9000, 9998, 9999)
GAPS = ("compatible", "earlier", "later", "boundary", "skip")
OVERLAPS = ("compatible", "earlier", "later", "both", "skip")
FAR_DATES = ((1, 1, 0, 0, 0), (3, 29, 2, 30, 0), (7, 1, 12, 0, 0), (10, 25, 2, 30, 0), (12, 31, 23, 59, 59))


def zone_files(directory):
    """Names and contents."""
    for folder, folders, files in os.walk(directory):
        if folder == directory:
            folders[:] = [name for name in folders if name not in ("posix", "right")]
        for file in files:
            path = os.path.join(folder, file)
            name = os.path.relpath(path, directory)
            with open(path, "rb") as content:
                if name not in NOT_ZONES and (zone := content.read()).startswith(b"TZif"):
                    yield name, zone


def first_second_at_new_offset(zone, before, after):
    """By the wall clock of `before`'s offset; the two have different offsets."""
    offset = zone.utcoffset(before)
    while after - before > SECOND:
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        if zone.utcoffset(middle) == offset:
            before = middle
        else:
            after = middle
    return after


def changes(zone):
    step = timedelta(days=5)  # shorter than any stretch between two changes in these years
    at = datetime(2024, 1, 1)
    offset = zone.utcoffset(at)
    while at.year < 2041:
        following = at + step
        following_offset = zone.utcoffset(following)
        if offset != following_offset:
            yield first_second_at_new_offset(zone, at, following)
        at, offset = following, following_offset


def samples(zone):
    for change in changes(zone):
        for days in (-1, 0, 1):
            yield change.replace(hour=9, minute=0, second=0) + days * DAY
        for minutes in (-120, -60, -30, 0, 30, 60, 120):
            yield change + timedelta(minutes=minutes)
            yield change + timedelta(minutes=minutes) - SECOND
    for year in FAR_YEARS:
        for month, day, hour, minute, second in FAR_DATES:
            yield datetime(year, month, day, hour, minute, second)


def meanings(wall, zone):
    """kind, earlier, later, boundary"""
    seconds = (wall - EPOCH) // SECOND
    # PEP 495: fold=0 takes the offset before the change, fold=1 the one after it.
    before, after = (wall.replace(tzinfo=zone, fold=fold).utcoffset() // SECOND for fold in (0, 1))
    kind = "unique" if before == after else "gap" if before < after else "overlap"
    earlier, later = seconds - max(before, after), seconds - min(before, after)
    return kind, earlier, later, end_of_gap(zone, earlier, later) if kind == "gap" else earlier


def end_of_gap(zone, earlier, later):
    """The first second with the offset of `later`, in UTC."""
    def offset(second):
        return (EPOCH + second * SECOND).replace(tzinfo=timezone.utc).astimezone(zone).utcoffset()

    wanted, low, high = offset(later), earlier, later
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if offset(middle) == wanted else (middle, high)
    return high if offset(low) != wanted else low


def local_lines(zone):
    for wall in samples(zone):
        kind, *instants = meanings(wall, zone)
        yield " ".join(map(str, (kind, (wall - EPOCH) // SECOND, *instants)))


def instants_of(wall, zone, gap, overlap):
    kind, earlier, later, boundary = meanings(wall, zone)
    if kind == "gap":
        by_policy = {"earlier": [earlier], "boundary": [boundary], "skip": []}
        return by_policy.get(gap, [later])
    if kind == "overlap":
        by_policy = {"later": [later], "both": [earlier, later], "skip": []}
        return by_policy.get(overlap, [earlier])
    return [earlier]


def yearly(zone, rule, years):
    month, day, second, gap, overlap, leap = rule
    for year in years:
        if (month, day) == (2, 29) and not calendar.isleap(year):
            if leap == "skip":
                continue
            date = datetime(year, 2, 28) if leap == "feb28" else datetime(year, 3, 1)
        else:
            date = datetime(year, month, day)
        yield from instants_of(date + second * SECOND, zone, gap, overlap)


def yearly_rules(zone):
    for change in changes(zone):
        for minutes in (-90, -15, 15, 90):
            wall = change + timedelta(minutes=minutes)
            kind = meanings(wall, zone)[0]
            gaps = GAPS if kind == "gap" else GAPS[:1]
            overlaps = OVERLAPS if kind == "overlap" else OVERLAPS[:1]
            day = wall.replace(hour=0, minute=0, second=0)
            for gap in gaps:
                for overlap in overlaps:
                    yield change.year, 2, (day.month, day.day, (wall - day) // SECOND, gap, overlap, "feb28")
    for leap in ("feb28", "mar1", "skip"):
        yield 2023, 18, (2, 29, 9 * 3600, GAPS[0], OVERLAPS[0], leap)


def yearly_lines(zone):
    for year, years, rule in yearly_rules(zone):
        after = (datetime(year, 1, 1) - EPOCH) // SECOND
        # One year more at each end: a gap may move the last day of a year into the next one.
        instants = [each for each in yearly(zone, rule, range(year - 1, year + years)) if each > after]
        yield " ".join(map(str, (*rule, after, ",".join(map(str, instants)))))


def main():
    lines_of = {"local": local_lines, "yearly": yearly_lines}[sys.argv[1]]
    known = {}  # a quarter of the names are links to the zone of another name
    for name, content in sorted(zone_files(os.environ["PYTHONTZPATH"])):
        if content not in known:
            known[content] = list(lines_of(ZoneInfo(name)))
        sys.stdout.writelines(f"{name} {line}\n" for line in known[content])


main()
