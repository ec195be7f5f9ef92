"""The answers of python-dateutil to recurrence rules; in a zone, with the instants that zoneinfo makes of them.

Reads lines `start TAB end TAB count TAB rule [TAB zone]` and writes one line for each: the first `count` occurrences
up to `end`, separated by blanks, or `refused`. Without a zone they are wall times; with one, UTC, and equal instants
are one.
"""
import sys
from datetime import datetime, timezone
from itertools import islice
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

FORM = "%Y%m%dT%H%M%S"


def instants(times, zone):
    """PEP 495: of a time that occurs twice fold=0 is the first; one that does not exist is moved forward."""
    last = None
    for time in times:
        at = time.replace(tzinfo=zone, fold=0).astimezone(timezone.utc).replace(tzinfo=None)
        if at != last:
            yield at
        last = at


def answer(start, end, count, rule, zone=None):
    last = datetime.strptime(end, FORM)
    times = (time for time in rrulestr(rule, dtstart=datetime.strptime(start, FORM)))
    if zone is not None:
        times = sorted(islice(times, 2 * int(count)))  # a gap may change their order
        times = instants(times, ZoneInfo(zone))
        times = iter(sorted(set(times)))
    found = []
    for time in islice(times, int(count)):
        if time > last:
            break
        found.append(time.strftime(FORM).rjust(15, "0"))
    return " ".join(found)


for line in sys.stdin:
    try:
        print(answer(*line.rstrip("\n").split("\t")), flush=True)
    except ValueError:
        print("refused", flush=True)
