"""The image of deploy/Dockerfile: container.py PACKAGE BUILD, as root. buildah builds it on a Debian that mmdebstrap makes, and
podman runs it with a read-only root, an unprivileged user and no network. Two minutes at most, most of it for apt."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

PACKAGE, BUILD = map(pathlib.Path, sys.argv[1:3])
HANG_GUARD = 60
LARGEST_ADDITION = 30_000_000  # bytes on top of the base
LONGEST_STOP = 30  # seconds from SIGTERM: 25 for deliveries in flight, 5 for the last requests


def run(*command, status=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Containers:
    """Images and containers in a folder of their own."""

    def __init__(self, folder):
        self.store = ["--root", folder / "images", "--runroot", folder / "running", "--storage-driver", "vfs"]

    def podman(self, *command, status=0):
        return run("podman", *self.store, "--cgroup-manager", "cgroupfs", "--runtime", "runc", *command, status=status)

    def build(self, context, base, name):
        run("buildah", *self.store, "build", "-q", "--isolation", "chroot", "--format", "docker", "--build-arg", f"BASE={base}",
            "-f", PACKAGE.parent.parent / "deploy/Dockerfile", "-t", name, context)

    def size(self, image):
        return json.loads(self.podman("image", "inspect", image))[0]["Size"]


def healthy(containers, name):
    command = ["podman", *containers.store, "--cgroup-manager", "cgroupfs", "--runtime", "runc", "healthcheck", "run", name]
    return subprocess.run([str(word) for word in command], capture_output=True).returncode == 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        containers = Containers(folder)
        run(PACKAGE, BUILD, folder / "packages", "--program-only")
        run("mmdebstrap", "--variant=minbase", "bookworm", folder / "base.tar")
        containers.podman("import", "-q", folder / "base.tar", "localhost/base")
        containers.build(folder / "packages", "localhost/base", "localhost/sundial")
        added = containers.size("localhost/sundial") - containers.size("localhost/base")
        assert added <= LARGEST_ADDITION, f"the image adds {added} bytes to its base"
        print(f"the image adds {added / 1e6:.1f} MB to its base")

        volume = folder / "data"
        volume.mkdir()
        # The limits of the process that runs this test: raising them needs a right that a container manager may lack.
        containers.podman("run", "-d", "--name", "s", "--network", "none", "--ulimit", "nofile=1024:1024",
                          "--ulimit", "nproc=1024:1024", "--read-only", "--tmpfs", "/tmp", "-v", f"{volume}:/var/lib/sundial:U",
                          "localhost/sundial")
        try:
            end = time.monotonic() + HANG_GUARD
            while not healthy(containers, "s"):
                assert time.monotonic() < end, containers.podman("logs", "s")
                time.sleep(0.1)
            assert containers.podman("exec", "s", "id", "-u").strip() == "10001"
            containers.podman("exec", "s", "touch", "/usr/written", status=1)
            started = time.monotonic()
            containers.podman("stop", "-t", str(HANG_GUARD), "s")
            assert time.monotonic() - started < LONGEST_STOP, "SIGTERM ends the container"
            assert json.loads(containers.podman("inspect", "s"))[0]["State"]["ExitCode"] == 0
            assert (volume / "sundial.db").exists(), "the data is in the volume"
            print("healthy, unprivileged, read-only; SIGTERM ended it with 0")
        finally:
            containers.podman("rm", "-f", "s")


main()
