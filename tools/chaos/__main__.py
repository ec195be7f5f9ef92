"""Injects faults into a running Sundial and then checks that it kept its promise. See docs/chaos.md."""
import argparse
import os
import signal
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "..", "tests", "e2e")]


def arguments():
    from profiles import PROFILES
    parser = argparse.ArgumentParser(prog="./sundial-dev chaos", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="break a system, then check what happened")
    run.add_argument("--profile", choices=sorted(PROFILES), required=True)
    run.add_argument("--instances", type=int, default=3)
    run.add_argument("--events", type=int, default=1000)
    run.add_argument("--duration", type=float, default=60, help="seconds of load and faults")
    run.add_argument("--seed", type=int, default=1)
    run.add_argument("--out", help="an empty folder for the history (a temporary one, removed if all is well)")
    check = commands.add_parser("check", help="check a history again")
    check.add_argument("out")
    replay = commands.add_parser("replay", help="the same run once more: profile, seed, events, duration of a history")
    replay.add_argument("of")
    replay.add_argument("--out", required=True)
    test = commands.add_parser("selftest", help="is what was broken on purpose found?")
    test.add_argument("--histories", action="store_true", help="only made-up histories: a matter of seconds")
    test.add_argument("--only", help="only this defect")
    return parser.parse_args()


def run_and_check(options):
    from checker import check
    from profiles import PROFILES
    from run import run
    temporary = None
    if not options.out:
        temporary = options.out = tempfile.mkdtemp(prefix="sundial-chaos-out-")
    run(PROFILES[options.profile](), options)
    good = check(options.out)
    if temporary and good:
        import shutil
        shutil.rmtree(temporary)
    else:
        print(f"chaos: the history is in {options.out}")
    return 0 if good else 1


def replay(options):
    import history
    asked = history.one(os.path.join(options.of, "run.json"))
    for name in ("profile", "instances", "events", "duration", "seed"):
        setattr(options, name, asked[name])
    return run_and_check(options)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything created is removed
    options = arguments()
    if options.command == "run":
        return run_and_check(options)
    if options.command == "replay":
        return replay(options)
    if options.command == "check":
        from checker import check
        return 0 if check(options.out) else 1
    from selftest import selftest
    return selftest(options)


if __name__ == "__main__":
    sys.exit(main())
