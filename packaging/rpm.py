"""The package for distributions with rpm, from the portable tree and the files of the Debian package."""
import os
import re
import shutil

from files import HERE, run, settle_times, write

# Debian's names of machines, and rpm's.
MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
# Where the Debian package has files that rpm's distributions look for elsewhere, and what comes from the portable tree instead.
MOVED = {"usr/share/zsh/vendor-completions/_sundial": "usr/share/zsh/site-functions/_sundial"}


def rpm_tree(debian, portable, tree, version):
    """`debian`: the tree of the Debian package."""
    for top in ("etc", "usr/lib", "usr/share"):
        shutil.copytree(debian / top, tree / top)
    for old, new in MOVED.items():
        (tree / new).parent.mkdir(parents=True)
        (tree / old).rename(tree / new)
        (tree / old).parent.rmdir()
    shutil.rmtree(tree / "usr/share/doc")
    for folder in ("bin", "lib", "share"):
        shutil.copytree(portable / folder, tree / "usr" / folder, dirs_exist_ok=True)
    write(tree / "usr/lib/sundial/version", version + "\n")  # the next package compares itself with it


def rpm_package(debian, portable, libraries, output, work, version, architecture, date):
    tree = work / "rpm"
    rpm_tree(debian, portable, tree, version)
    settle_times(tree, date)
    # Names as rpm writes requirements: libfmt.so.9()(64bit).
    bundled = "|".join(re.escape(name).replace("\\", "\\\\") for name in libraries)
    values = {"_topdir": work / "rpmbuild", "_rpmdir": output, "_build_name_fmt": "%%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm",
              "sundial_version": version, "sundial_tree": tree, "sundial_bundled": bundled}
    defines = [word for name, value in values.items() for word in ("--define", f"{name} {value}")]
    run("rpmbuild", "-bb", "--quiet", "--target", MACHINES.get(architecture, architecture), *defines, HERE / "sundial.spec",
        env={**os.environ, "SOURCE_DATE_EPOCH": str(date), "HOME": str(work)})  # no settings of the user
