#!/usr/bin/env bash
# The script keeps its own variables: the product refuses variables SUNDIAL_* that it does not know. And it shows the output
# of failed tests again.
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

# A run of ctest has three tests. The first is a program of many suites, and one test in it fails. The second is
# tools/conformance, which lists the tests of the run that it belongs to. The third fails after 50 lines.
cat >"$work/program" <<'PROGRAM'
#!/bin/sh
echo '[ RUN      ] Suite.Passes'
echo '[       OK ] Suite.Passes (0 ms)'
echo '[ RUN      ] Suite.Fails'
echo 'Expected: 1'
echo '[  FAILED  ] Suite.Fails (0 ms)'
echo '[ RUN      ] Suite.PassesToo'
echo '[       OK ] Suite.PassesToo (0 ms)'
for number in $(seq 40); do
    printf '%s\n' "[----------] 1 test from Later$number" '[ RUN      ] Later.Passes' '[       OK ] Later.Passes (0 ms)' \
        "[----------] 1 test from Later$number (0 ms total)" ''
done
exit 1
PROGRAM
chmod +x "$work/program"
cat >"$work/CTestTestfile.cmake" <<CTEST
add_test(parts.part_1 "$work/program")
add_test(lists "sh" "-c" "python3 $(dirname "$1")/tools/conformance $work >$work/listed || true")
add_test(long/"text" "sh" "-c" "seq 101 150 && exit 1")
CTEST
ctest --test-dir "$work" -j 1 >"$work/log" && { echo "FAILED: nothing failed"; exit 1; }
grep -q 'no test' "$work/listed" || { echo "FAILED: conformance said: $(cat "$work/listed")"; exit 1; }
# shellcheck source=/dev/null
source <(sed -n '/^show_failures()/,/^}/p' "$1")
shown=$(show_failures "$work")
for expected in '--- the last lines of parts.part_1' 'Expected: 1' Suite.Fails '--- the last lines of long/"text"' 111 150; do
    grep -qxF -- "$expected" <<<"$shown" || grep -q -- "$expected (0 ms)" <<<"$shown" ||
        { echo "FAILED: no line '$expected' in: $shown"; exit 1; }
done
for unexpected in Passes 110; do
    grep -q -- "$unexpected" <<<"$shown" && { echo "FAILED: '$unexpected' is in: $shown"; exit 1; }
done
echo "the script shows what failed tests have printed, and no tests that passed"
