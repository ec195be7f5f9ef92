# Writes sundial_version.hpp: the version of this tree, for `sundial version`, /v1/info and the User-Agent.
#
# sundial_version(NAME) lets the sources of one layer or target include it. Include it in one source only,
# because that source is compiled again after each commit. The commit is read at configure time. A new commit or
# checkout makes CMake configure again; otherwise nothing is done. Without git (an archive) the commit is empty.
execute_process(COMMAND git describe --always --abbrev=12 --match "v[0-9]*"
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE SUNDIAL_COMMIT
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE _describe_failed)
execute_process(COMMAND git rev-parse --path-format=absolute --git-path logs/HEAD
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE _head_log
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE _head_log_failed)
if(NOT _head_log_failed AND EXISTS "${_head_log}")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${_head_log})
endif()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/version/sundial_version.hpp @ONLY CONTENT [[// Written by cmake/SundialVersion.cmake.
#pragma once

#include <string_view>

namespace sundial {

inline constexpr std::string_view version = "@PROJECT_VERSION@";
/// `git describe` of the tree it was built from; empty if that is not known.
inline constexpr std::string_view build_commit = "@SUNDIAL_COMMIT@";

}  // namespace sundial
]])

function(sundial_version name)
    _sundial_refused(refused ${name})
    if(refused)
        return()
    endif()
    set(target ${name})
    if(NOT TARGET ${target})
        set(target sundial_${name})
    endif()
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/version)
endfunction()
