# Warnings, sanitizers, hardening and linker for every target of this project.
#   sundial_compiler   compiles a target
#   sundial_linker     links a program. A static library must not use it: CMake would apply the options to each program
#                      that links the library, and another project's programs are not ours to change.
include(SundialHardening)

add_library(sundial_compiler INTERFACE)
target_compile_options(sundial_compiler INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
    -Wnull-dereference $<$<BOOL:${SUNDIAL_WERROR}>:-Werror>
    $<$<CXX_COMPILER_ID:Clang>:-Wimplicit-fallthrough -Wthread-safety>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 warns of the concatenation in `"'" + std::string(text)`, optimised with -O3, by itself in a file. No range
    # overlaps there: GCC bugs 105329 and 105651. With -O3 it also sees null pointers in its own <string> and <streambuf>.
    target_compile_options(sundial_compiler INTERFACE -Wno-restrict -Wno-null-dereference)
endif()
target_compile_options(sundial_compiler INTERFACE ${SUNDIAL_HARDENING_COMPILE})
if(CMAKE_UNITY_BUILD)
    # A parameter in one file may have the name of a constant in another file: that hides nothing.
    target_compile_options(sundial_compiler INTERFACE -Wno-shadow)
endif()
if(SUNDIAL_SANITIZE)
    target_compile_options(sundial_compiler INTERFACE
        -fsanitize=${SUNDIAL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()

add_library(sundial_linker INTERFACE)
target_link_libraries(sundial_linker INTERFACE sundial_compiler)
target_link_options(sundial_linker INTERFACE ${SUNDIAL_HARDENING_LINK})
if(SUNDIAL_SANITIZE)
    target_link_options(sundial_linker INTERFACE -fsanitize=${SUNDIAL_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Equal functions are linked once, and relocations are packed (glibc 2.36): 0.6 MB of 13.9 in the program.
    target_link_options(sundial_linker INTERFACE -fuse-ld=lld -Wl,--icf=safe -Wl,-z,pack-relative-relocs)
endif()
