"""Checks that deliberate defects are found: first breaches in generated histories, then defects of running systems."""
import argparse
import os
import shutil
import tempfile

import breaches
import checker
import report
from defects import DEFECTS
from run import run


def selftest(options):
    missed = histories()
    if not options.histories:
        missed += systems(options)
    print(f"chaos: {missed} missed" if missed else "chaos: all was found")
    return 1 if missed else 0


def histories():
    missed = 0
    for name, invariant, found in breaches.breaches():
        print(f"  {'found' if found is True else 'MISSED'}  {invariant:6} {name.replace('_', ' ')}"
              + ("" if isinstance(found, bool) else f" {found}"))
        missed += found is not True
    return missed


def systems(options):
    missed = 0
    for defect in DEFECTS:
        if options.only and options.only != defect.name:
            continue
        directory = tempfile.mkdtemp(prefix="sundial-chaos-defect-")
        run(defect(), argparse.Namespace(out=directory, events=defect.events, duration=defect.duration, seed=1, instances=3))
        judged, verdict = checker.judge(directory)
        found = checker.as_wanted(judged, verdict)
        broken = ", ".join(f"{name} ({count} times)" for name, count in sorted(verdict.broken.items())) or "nothing"
        print(f"  {'found' if found else 'MISSED'}  {defect.name}: {broken}; seam: {defect.seam}", flush=True)
        if found:
            shutil.rmtree(directory)
        else:
            missed += 1
            report.show(judged, verdict)
            print(f"chaos: the history is in {directory}")
    return missed
