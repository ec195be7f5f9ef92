"""Parts of the machine that a profile breaks: a separate disk."""
import ctypes
import fcntl
import os
import shutil
import struct
import subprocess
import tempfile

MEGABYTE = 1 << 20
EXT4_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32)
WITHOUT_FLUSHING = 2
CLONE_NEWNS = 0x20000  # sched.h


def need_root(profile):
    if os.geteuid() != 0:
        print(f"chaos: the profile {profile} needs root")
        raise SystemExit(77)


def need_programs(profile, *programs):
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        raise SystemExit(f"chaos: the profile {profile} needs {', '.join(missing)}")


def run(*command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout.decode().strip()


def mount_apart():
    """Hides our mounts from other namespaces from here on. Otherwise a namespace that is created meanwhile copies them
    and keeps a file system in memory after its power is cut."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        if not any(line.split()[4] == "/" for line in mounts):
            print("chaos: / is a folder of another file system (chroot), whose mounts cannot be hidden: skipped")
            raise SystemExit(77)
    run("mount", "--make-rprivate", "/")


class Disk:
    """An ext4 file system in a file, on a loop device. Cutting its power loses all data that was not flushed to it.
    Sparse, with room for the largest log that SQLite is allowed (256 MB) beside the database."""

    def __init__(self, world, megabytes=1024):
        self.folder = tempfile.mkdtemp(dir=world.folder, prefix="disk-")
        image = f"{world.folder}/disk.img"
        with open(image, "wb") as file:
            file.truncate(megabytes * MEGABYTE)
        self.device = run("losetup", "--find", "--show", image)
        world.closing.append(lambda: run("losetup", "--detach", self.device))
        run("mkfs.ext4", "-q", self.device)
        self.mount()
        world.closing.append(self.unmount)

    def mount(self):
        run("mount", "-t", "ext4", self.device, self.folder)

    def unmount(self):
        run("umount", self.folder)

    def flush(self):
        run("sync", "--file-system", self.folder)

    def cut_power(self):
        """Returns 1 if the unflushed data is gone."""
        unflushed = f"{self.folder}/unflushed"
        with open(unflushed, "w", encoding="utf-8") as file:
            file.write("not for long")
        folder = os.open(self.folder, os.O_RDONLY)
        fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, struct.pack("I", WITHOUT_FLUSHING))
        os.close(folder)
        self.unmount()
        self.mount()
        return int(not os.path.exists(unflushed))


class SmallDisk:
    """A file system in memory of a few megabytes, which can be filled to the last byte."""

    def __init__(self, world, megabytes=24):
        self.folder = tempfile.mkdtemp(dir=world.folder, prefix="small-")
        run("mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "chaos", self.folder)
        world.closing.append(lambda: run("umount", self.folder))

    def fill(self):
        try:
            with open(f"{self.folder}/filler", "ab", buffering=0) as file:
                while True:
                    file.write(b"x" * 4096)
        except OSError:
            pass  # full

    def free(self):
        os.remove(f"{self.folder}/filler")
