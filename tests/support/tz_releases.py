"""Two real releases of the tz database, side by side: the oldest and the newest version of the package tzdata that apt
offers, downloaded and unpacked into a folder, never installed.

    python3 tests/support/tz_releases.py FOLDER                      prints their two directories
    python3 tests/support/tz_releases.py FOLDER each PROGRAM ARG...  runs a test program under each of them (TZDIR),
                                                                     except the installed one: ctest does that already
    python3 tests/support/tz_releases.py FOLDER both PROGRAM ARG...  runs it with both (TZDIR, TZDIR_AFTER)

Where apt offers no two releases, or cannot be reached, the exit code is 77: skipped.
"""
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77


class Unavailable(Exception):
    pass


def run(*command, **options):
    try:
        return subprocess.run(command, check=True, text=True, capture_output=True, timeout=300, **options).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(f"{' '.join(command)}: {getattr(error, 'stderr', '') or error}") from error


def offered():
    """Versions of the package, one for each release, oldest first."""
    versions = {}
    for line in run("apt-cache", "madison", "tzdata").splitlines():
        version = line.split("|")[1].strip()
        release = re.match(r"(?:\d+:)?(\d{4}[a-z]+)", version)
        if release:
            versions.setdefault(release[1], version)
    return [versions[release] for release in sorted(versions)]


def unpacked(version, folder):
    """The directory of its compiled zones."""
    place = os.path.join(folder, version)
    zones = os.path.join(place, "usr/share/zoneinfo")
    if not os.path.exists(os.path.join(zones, "tzdata.zi")):
        with tempfile.TemporaryDirectory(dir=folder) as work:
            run("apt-get", "download", f"tzdata={version}", cwd=work)
            package, = [name for name in os.listdir(work) if name.endswith(".deb")]
            run("dpkg-deb", "-x", os.path.join(work, package), os.path.join(work, "tree"))
            shutil.rmtree(place, ignore_errors=True)
            os.rename(os.path.join(work, "tree"), place)
    return zones


def two_releases(folder):
    """The directories of the oldest and the newest release. Raises Unavailable."""
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        versions = offered()
        if len(versions) < 2:
            raise Unavailable(f"apt offers {len(versions)} release(s) of tzdata, and two are needed")
        return unpacked(versions[0], folder), unpacked(versions[-1], folder)


def is_installed(zones):
    def release_in(folder):
        try:
            with open(os.path.join(folder, "tzdata.zi")) as database:
                return database.readline()
        except OSError:
            return None

    return release_in(zones) == release_in("/usr/share/zoneinfo")


def main():
    try:
        old, new = two_releases(sys.argv[1])
    except Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    if len(sys.argv) == 2:
        print(old, new, sep="\n")
        return 0
    if sys.argv[2] == "each":
        runs = [{"TZDIR": zones} for zones in (old, new) if not is_installed(zones)]
    else:
        runs = [{"TZDIR": old, "TZDIR_AFTER": new}]
    for settings in runs:
        print(settings, flush=True)
        subprocess.run(sys.argv[3:], check=True, env={**os.environ, **settings})
    return 0


if __name__ == "__main__":
    sys.exit(main())
