# Flags that make memory errors harder to exploit, for every target of ours (cmake/SundialCompiler.cmake) and the Boost
# libraries:
#   SUNDIAL_HARDENING_COMPILE   checks of the C library (_FORTIFY_SOURCE), stack protector, landing pads for indirect
#                               jumps, code that can lie anywhere
#   SUNDIAL_HARDENING_LINK      tables of the linker that are read-only once the program runs
# Not beside sanitizers, which do more and do not go with _FORTIFY_SOURCE.
option(SUNDIAL_HARDENING "Harden the programs (SECURITY.md)" ON)
set(SUNDIAL_HARDENING_COMPILE "")
set(SUNDIAL_HARDENING_LINK "")
if(NOT SUNDIAL_HARDENING OR SUNDIAL_SANITIZE)
    return()
endif()
include(CheckCXXCompilerFlag)

list(APPEND SUNDIAL_HARDENING_COMPILE -fstack-protector-strong)
# CMake writes its own -fPIC before these options, and the last of both flags counts. A project that links the library
# into a shared library sets this variable.
if(NOT CMAKE_POSITION_INDEPENDENT_CODE)
    list(APPEND SUNDIAL_HARDENING_COMPILE -fPIE)
endif()
list(APPEND SUNDIAL_HARDENING_LINK -pie -Wl,-z,relro,-z,now)

# Each processor has its own.
foreach(flag -fcf-protection -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "SUNDIAL_HAS${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
        list(APPEND SUNDIAL_HARDENING_COMPILE ${flag})
    endif()
endforeach()

# The C library can check optimised code only, and warns otherwise. A package build or the compiler itself may have set a
# value already; a second one would be an error. No cache: the answer depends on flags that can change.
set(CMAKE_TRY_COMPILE_CONFIGURATION ${CMAKE_BUILD_TYPE})
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
try_compile(wants_fortify
    SOURCE_FROM_CONTENT fortify.cpp "#if !defined(__OPTIMIZE__) || defined(_FORTIFY_SOURCE)\n#error\n#endif\n"
    NO_CACHE)
unset(CMAKE_TRY_COMPILE_CONFIGURATION)
unset(CMAKE_TRY_COMPILE_TARGET_TYPE)
if(wants_fortify)
    list(APPEND SUNDIAL_HARDENING_COMPILE -D_FORTIFY_SOURCE=3)
endif()
