# Warnings, sanitizers, hardening and linker for every target of this project.
include(SundialHardening)

add_library(sundial_compiler INTERFACE)
target_compile_options(sundial_compiler INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wnull-dereference
    $<$<CXX_COMPILER_ID:Clang>:-Wimplicit-fallthrough -Wthread-safety>
    $<$<BOOL:${SUNDIAL_WERROR}>:-Werror>)

target_compile_options(sundial_compiler INTERFACE ${SUNDIAL_HARDENING_COMPILE})
target_link_options(sundial_compiler INTERFACE ${SUNDIAL_HARDENING_LINK})

if(CMAKE_UNITY_BUILD)
    # A parameter in one file may have the name of a constant in another file: that hides nothing.
    target_compile_options(sundial_compiler INTERFACE -Wno-shadow)
endif()

if(SUNDIAL_SANITIZE)
    target_compile_options(sundial_compiler INTERFACE
        -fsanitize=${SUNDIAL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(sundial_compiler INTERFACE -fsanitize=${SUNDIAL_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_link_options(sundial_compiler INTERFACE -fuse-ld=lld)
endif()
