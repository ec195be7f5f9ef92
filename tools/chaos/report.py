"""The verdict as a table for people."""
import collections


def show(run, verdict):
    from checker import INVARIANTS
    asked = run.asked
    print(f"{asked['profile']}, seed {asked['seed']}: {asked['instances']} instances on {asked['storage']}, "
          f"{(asked['ended'] - asked['began']) / 1e9:.0f} s")
    print(f"  {len(run.creates)} events acknowledged, {run.requests} requests, {len(run.final)} events in the end: "
          + ", ".join(f"{count} {status}" for status, count in sorted(collections.Counter(row["status"] for row in run.final.values()).items())))
    faults = collections.Counter(line["kind"] for line in run.faults.lines)
    counted = [f"{count} {kind} (proof: {verdict.counts[kind]})" for kind, count in sorted(faults.items())]
    counted += [f"{count} answers {kind}" for kind, count in sorted(run.kinds.items())]
    print("  faults: " + (", ".join(counted) or "none"))
    if asked.get("breaks"):
        print(f"  something is wrong on purpose: {' or '.join(asked['breaks'])} must be broken")
    for name, text in INVARIANTS.items():
        state = "BROKEN" if verdict.broken[name] else "ok" if verdict.checked[name] else "-"
        excused = ", ".join(f"{count} by {cause}" for cause, count in sorted(verdict.excused[name].items()))
        print(f"  {name:6} {state:6} {verdict.checked[name]:9} {text}" + (f"; excused: {excused}" if excused else ""))
        if verdict.broken[name]:
            print(f"         {verdict.broken[name]} times, such as")
            for sample in verdict.samples[name]:
                print(f"           {sample}")
