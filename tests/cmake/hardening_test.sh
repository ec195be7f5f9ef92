#!/usr/bin/env bash
# cmake/SundialHardening.cmake in a project of one program: hardened as released, whatever a package build has chosen
# for itself, and by both compilers; and tests/e2e/hardening.py, which looks at the product, sees where it is not.
# Usage: hardening_test.sh SOURCE_DIR CMAKE CLANG_CXX
set -euo pipefail
source_dir=$1 cmake=$2 clang=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $1"
    cat "$work/log"
    exit 1
}

cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(Fixture LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH $source_dir/cmake)
include(SundialCompiler)
add_executable(product main.cpp)
target_link_libraries(product PRIVATE sundial_linker)
CMAKE
cat >"$work/main.cpp" <<'CPP'
#include <cstdio>
#include <cstring>

namespace sundial {
void copy(char* into, const char* text);  // called by its address, so that it is one
void copy(char* into, const char* text) { std::strcpy(into, text); }
}  // namespace sundial

int main(int argc, char** argv) {
    void (*volatile call)(char*, const char*) = sundial::copy;
    char text[16];
    call(text, argv[argc - 1]);
    std::strcpy(text, argv[0]);
    return std::puts(text) < 0 ? 1 : 0;
}
CPP
# Again in a folder it spares looking at the compiler, which takes longer than the rest; options count until they are set again.
build() { # FOLDER COMPILER FLAGS OPTIONS...
    local folder=$work/$1 compiler=$2 flags=$3
    shift 3
    { "$cmake" -G Ninja -S "$work" -B "$folder" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" "$@" &&
        "$cmake" --build "$folder"; } >"$work/log" 2>&1
}
look() { python3 "$source_dir/tests/e2e/hardening.py" "$work/$1/product" >"$work/log" 2>&1; }

for compiler in "$clang" g++; do
    name=$(basename "$compiler")
    build "$name" "$compiler" '' -DCMAKE_BUILD_TYPE=Release || fail "$name: it does not build"
    look "$name" || fail "$name: it is not hardened"
    for chosen in -D_FORTIFY_SOURCE=2 -Wp,-D_FORTIFY_SOURCE=2 '-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=1' -fPIC \
        -fstack-protector; do
        build "$name" "$compiler" "$chosen" -DCMAKE_BUILD_TYPE=Release || fail "$name: $chosen breaks the build"
        look "$name" || fail "$name: not hardened with $chosen"
    done
    build "$name" "$compiler" '' -DCMAKE_BUILD_TYPE=Debug || fail "$name: it does not build unoptimised"
    build "$name" "$compiler" '-O2 -fno-PIE -fcf-protection=none' -DSUNDIAL_HARDENING=OFF \
        -DCMAKE_EXE_LINKER_FLAGS='-no-pie -Wl,-z,norelro,-z,lazy,-z,execstack' || fail "$name: it does not build without"
    look "$name" && fail "$name: nothing is missing where there is nothing"
    for missing in BIND_NOW RELRO PIE NX 'stack protector' endbr64 fortify; do
        grep -q "$missing" "$work/log" || fail "$name: a missing $missing is not seen"
    done
done
echo "both compilers harden, also where a package build sets flags; the test notices a program without"
