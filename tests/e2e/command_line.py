"""A typing error on the command line is reported with the correct form; this needs no server."""
import subprocess

import harness as h

# arguments, parts of the message, what must not be in it
MISTYPED = [
    ("foo", ["'foo' is not a command of sundial", "There are ", " event,", " zone"], ["required"]),
    ("evnt list", ["'evnt' is not a command of sundial; did you mean 'event'?"], ["required"]),
    ("event lst", ["'lst' is not a command of sundial event; did you mean 'list'?", "import"], ["required"]),
    ("--db x.db evnt list", ["'evnt' is not a command of sundial; did you mean 'event'?"], []),
    ("--limt 3 event list", ["did you mean '--limit'?"], ["not a command"]),
    ("--serer=http://x event list", ["did you mean '--server'?"], ["not a command"]),
    ("event", ["sundial event needs a command", "There are list, get, add,"], ["required"]),
    ("", ["sundial needs a command", "There are serve, "], ["required"]),
    ("op wait x --tmeout 3", ["--tmeout", "did you mean '--timeout'?"], []),
    ("clock advance --bye PT1H", ["did you mean '--by'?"], []),
    ("event get --dry-rn x", ["--dry-rn"], ["did you mean"]),
    ("event get x --limt 3", ["--limt"], ["did you mean"]),
    ("op list --runing --jsn", ["did you mean '--running'?"], []),
    ("op get x --limit 3", ["--limit"], ["did you mean"]),
    ("help evnt", ["'evnt' is not a command of sundial; did you mean 'event'?"], []),
    ("man evnt", ["'evnt' is not a command of sundial; did you mean 'event'?"], []),
    ("completion fsh", ["fsh"], []),
    ("user add --first-name A", ["sundial: --last-name is required, or --data"], []),
    ("event add --type T --at now --payload {", ["--payload: the JSON ends too early", "@FILE"], []),
    ("event add --type T --at now --payload @none", ["cannot read none"], []),
    ("event set x", ["say what to change"], []),
    ("user list --limit 0", ["--limit: '0' is not a number from 1"], []),
    ("user list --limit many", ["--limit: 'many' is not a number from 1"], []),
    ("user list --all --limit 3", ["--limit excludes --all"], []),
    ("user list --csv --json", ["excludes"], []),
    ("user list --sort creatdAt", ["--sort: 'creatdAt' is not one of createdAt, ", "did you mean 'createdAt'?"], []),
    ("user list --birth-month May", ["--birth-month: 'May' is not a whole number"], []),
    ("user set x --unset colour", ["'colour'"], []),
    ("key create --name x --expires-at tomorrow", ["--expires-at: 'tomorrow': an instant is written as 2027-05-04T10:11:12Z"], []),
    ("zone show Europe/Rome --from tomorrow", ["--from: 'tomorrow': an instant is written as 2027-05-04T10:11:12Z"], []),
    ("lock run x --ttl P1D -- true", ["--ttl: 'P1D': days, weeks", "as PT24H"], []),
    ("op wait x --timeout 0", ["--timeout: '0' is not a positive number of seconds"], ["000"]),
    ("op wait x --timeout -5", ["--timeout: '-5' is not a positive number of seconds"], ["000"]),
    ("op wait x --timeout soon", ["--timeout: 'soon' is not a positive number of seconds"], ["000"]),
    ("op wait x --timeout 9223372036854775807", ["is over a year"], []),
    ("event cancel --all --timeout 0", ["--timeout: '0' is not a positive number of seconds"], ["000"]),
]


def main():
    for arguments, parts, absent in MISTYPED:
        done = subprocess.run([h.PROGRAM, *arguments.split()], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 2 and not done.stdout, (arguments, done)
        for part in parts:
            assert part in done.stderr, (arguments, part, done.stderr)
        for part in absent:
            assert part not in done.stderr, (arguments, part, done.stderr)
    for arguments in (["--help"], ["event", "--help"], ["op", "wait", "--help"], ["--version"]):
        done = subprocess.run([h.PROGRAM, *arguments], capture_output=True, text=True, timeout=h.HANG_GUARD, check=False)
        assert done.returncode == 0 and done.stdout and not done.stderr, done
    print(f"{len(MISTYPED)} mistyped commands got the right spelling as a hint")


if __name__ == "__main__":
    main()
