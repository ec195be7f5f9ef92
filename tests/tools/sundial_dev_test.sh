#!/usr/bin/env bash
# The script keeps its own variables: the product refuses variables SUNDIAL_* that it does not know.
# usage: sundial_dev_test.sh SUNDIAL_DEV
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A tree in which everything is built, and whose product tells its environment.
cp "$1" "$work/sundial-dev"
mkdir -p "$work/build/run/bin" "$work/programs"
touch "$work/CMakePresets.json"
echo "SUNDIAL_CONSOLE:BOOL=OFF" >"$work/build/run/CMakeCache.txt"
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$work" >>"$work/build/run/CMakeCache.txt"
touch "$work/build/run/build.ninja" "$work/build/run/.configured"
printf '#!/bin/sh\necho "ninja: no work to do."\n' >"$work/programs/ninja"
printf '#!/bin/sh\nenv | grep "^SUNDIAL_" | sort\n' >"$work/build/run/bin/sundial"
chmod +x "$work/programs/ninja" "$work/build/run/bin/sundial"

found=$(PATH="$work/programs:$PATH" SUNDIAL_BASE=HEAD SUNDIAL_CONSOLE=OFF SUNDIAL_LOG_LEVEL=warn "$work/sundial-dev" run)
[[ $found == SUNDIAL_LOG_LEVEL=warn ]] || { echo "FAILED: the product got: $found"; exit 1; }
echo "the product gets its variables and no others"
