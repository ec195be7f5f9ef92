#!/usr/bin/env python3
"""What Python's zoneinfo says of wall times, for comparison with ours.

Walks the tz database that PYTHONTZPATH names and prints one line for each sample:

    zone  kind  wall  earlier  later

`kind` is unique, gap or overlap. All times are seconds: `wall` as a clock without a zone counts them from
1970, the others in UTC. `earlier` and `later` are the two meanings, equal where there is one. The samples are
09:00 around every offset change from 2024 to 2040, the edges of each change, and dates from year 1 to 9999.
"""
import os
import sys
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

EPOCH = datetime(1970, 1, 1)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)
NOT_ZONES = {"Factory", "localtime", "posixrules"}
FAR_YEARS = (1, 2, 1700, 1884, 1900, 1916, 1942, 1960, 1999, 2050, 2399, 2400, 2401, 2800, 9000, 9998, 9999)
FAR_DATES = ((1, 1, 0, 0, 0), (3, 29, 2, 30, 0), (7, 1, 12, 0, 0), (10, 25, 2, 30, 0), (12, 31, 23, 59, 59))


def zone_names(directory):
    for folder, folders, files in os.walk(directory):
        if folder == directory:
            folders[:] = [name for name in folders if name not in ("posix", "right")]
        for file in files:
            path = os.path.join(folder, file)
            name = os.path.relpath(path, directory)
            with open(path, "rb") as content:
                if name not in NOT_ZONES and content.read(4) == b"TZif":
                    yield name


def first_second_at_new_offset(zone, before, after):
    """By the wall clock of `before`'s offset; the two have different offsets."""
    while after - before > SECOND:
        middle = before + (after - before) // 2
        middle = middle.replace(microsecond=0)
        if middle.replace(tzinfo=zone).utcoffset() == before.replace(tzinfo=zone).utcoffset():
            before = middle
        else:
            after = middle
    return after


def changes(zone):
    step = timedelta(days=5)  # shorter than any stretch between two changes in these years
    at = datetime(2024, 1, 1)
    while at.year < 2041:
        following = at + step
        if at.replace(tzinfo=zone).utcoffset() != following.replace(tzinfo=zone).utcoffset():
            yield first_second_at_new_offset(zone, at, following)
        at = following


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


def main():
    write = sys.stdout.write
    for name in sorted(zone_names(os.environ["PYTHONTZPATH"])):
        zone = ZoneInfo(name)
        for wall in samples(zone):
            seconds = (wall - EPOCH) // SECOND
            # PEP 495: fold=0 takes the offset before the change, fold=1 the one after it.
            before, after = (wall.replace(tzinfo=zone, fold=fold).utcoffset() // SECOND for fold in (0, 1))
            kind = "unique" if before == after else "gap" if before < after else "overlap"
            write(f"{name} {kind} {seconds} {seconds - max(before, after)} {seconds - min(before, after)}\n")


main()
