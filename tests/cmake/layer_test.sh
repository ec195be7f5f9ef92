#!/usr/bin/env bash
# sundial_layer() in a project of three layers: declared dependencies link, others do not; a header with a missing
# include is reported; g++ refuses a layer for clang by name.
# Usage: layer_test.sh SOURCE_DIR CMAKE CLANG_CXX
set -euo pipefail
source_dir=$1 cmake=$2 clang=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $1"
    cat "$work/log"
    exit 1
}

mkdir -p "$work/src"
cat >"$work/CMakeLists.txt" <<CMAKE
cmake_minimum_required(VERSION 3.25)
project(Fixture LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
set(SUNDIAL_TESTS ON)
list(APPEND CMAKE_MODULE_PATH $source_dir/cmake)
include(SundialCompiler)
include(SundialLayer)
sundial_layer(low SOURCES src/low.cpp HEADERS src/low.hpp)
sundial_layer(mid SOURCES src/mid.cpp HEADERS src/mid.hpp USES low)
sundial_layer(top CLANG_ONLY SOURCES src/top.cpp HEADERS src/top.hpp USES mid)
sundial_program(product SOURCES src/main.cpp USES top)
CMAKE
reset_sources() {
    for layer in low mid top; do
        printf '#pragma once\nnamespace sundial { int %s(); }\n' $layer >"$work/src/$layer.hpp"
    done
    printf '#include "low.hpp"\nint sundial::low() { return 1; }\n' >"$work/src/low.cpp"
    printf '#include "mid.hpp"\n#include "low.hpp"\nint sundial::mid() { return low(); }\n' >"$work/src/mid.cpp"
    printf '#include "top.hpp"\n#include "mid.hpp"\nint sundial::top() { return mid(); }\n' >"$work/src/top.cpp"
    printf '#include "top.hpp"\nint main() { return sundial::top(); }\n' >"$work/src/main.cpp"
}
configure() { "$cmake" -G Ninja -S "$work" -B "$work/$1" -DCMAKE_CXX_COMPILER="$2" >"$work/log" 2>&1; }
build() { "$cmake" --build "$work/$1" --target "$2" >"$work/log" 2>&1; }

reset_sources
configure clang "$clang" || fail "the project is not configured"
build clang all || fail "what is declared does not link"
build clang all_verify_interface_header_sets || fail "good headers are refused"

printf '#include "low.hpp"\n#include "mid.hpp"\nint sundial::low() { return mid(); }\n' >"$work/src/low.cpp"
build clang sundial_low_alone && fail "low calls mid, which it does not use, and links"
grep -q 'undefined symbol: sundial::mid()' "$work/log" || fail "the undeclared symbol is not named"

reset_sources
printf '#pragma once\nnamespace sundial { std::string_view mid(); }\n' >"$work/src/mid.hpp"
build clang all_verify_interface_header_sets && fail "a header which includes too little is accepted"
grep -q 'mid.hpp' "$work/log" || fail "the header is not named"

reset_sources
configure gcc g++ || fail "the project is not configured with g++"
grep -q 'sundial_top is not built with GNU' "$work/log" || fail "configuring does not say what is left out"
build gcc all || fail "the layers without coroutines do not build with g++"
[[ -e $work/gcc/libsundial_mid.a && ! -e $work/gcc/libsundial_top.a ]] || fail "g++ built the wrong layers"
build gcc product && fail "g++ builds the product"
grep -q 'miscompiles coroutines' "$work/log" || fail "the refusal gives no reason"
echo "declared dependencies link, others do not; g++ is refused where it must be"
