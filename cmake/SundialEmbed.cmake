# sundial_embed(NAME HEADER file.hpp NAMESPACE some::space FILES a.sql b.json ...)
#
# Embeds text files in a program. NAME is a layer or any other target. Only its sources can include
# HEADER, which declares in NAMESPACE
#     extern const std::string_view a_sql;                            one for each file; 0001_a.sql: file_0001_a_sql
#     extern const std::span<const base::EmbeddedFile> embedded_files;   all of them, in the order given
# Both are constant-initialised. All bytes are kept, including zeros.
# The header is written at configure time and changes only with the list of files. If a file changes,
# one source is generated and compiled again. Needs only CMake.
set(SUNDIAL_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)

function(sundial_embed name)
    _sundial_refused(refused ${name})
    if(refused)
        return()
    endif()
    cmake_parse_arguments(EMBED "" "HEADER;NAMESPACE" "FILES" ${ARGN})
    if(NOT EMBED_FILES)
        message(FATAL_ERROR "sundial_embed(${name}): give at least one file")
    endif()
    set(target ${name})
    if(NOT TARGET ${target})
        set(target sundial_${name})
    endif()

    set(declarations "")
    set(paths "")
    foreach(file IN LISTS EMBED_FILES)
        get_filename_component(path ${file} ABSOLUTE)
        list(APPEND paths ${path})
        get_filename_component(file_name ${file} NAME)
        sundial_embedded_identifier(${file_name} identifier)
        string(APPEND declarations "extern const std::string_view ${identifier};\n")
    endforeach()

    set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
    file(CONFIGURE OUTPUT ${folder}/${EMBED_HEADER} @ONLY CONTENT [[// Written by cmake/SundialEmbed.cmake.
#pragma once

#include <span>
#include <string_view>

#include "base/embedded_file.hpp"

namespace @EMBED_NAMESPACE@ {

@declarations@extern const std::span<const sundial::base::EmbeddedFile> embedded_files;

}  // namespace @EMBED_NAMESPACE@
]])

    string(REGEX REPLACE "\\.hpp$" ".cpp" source ${folder}/${EMBED_HEADER})
    add_custom_command(OUTPUT ${source}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${source} -DHEADER=${EMBED_HEADER} -DNAMESPACE=${EMBED_NAMESPACE}
                "-DFILES=${paths}" -P ${SUNDIAL_EMBED_SCRIPT}
        DEPENDS ${paths} ${SUNDIAL_EMBED_SCRIPT}
        COMMENT "Embedding ${EMBED_HEADER}"
        VERBATIM)
    # A step of a target waits for all that the target links; a step of several targets only for what all of them need.
    # So no source of ${target} waits for other libraries.
    add_custom_target(${target}_embedded DEPENDS ${source})
    add_dependencies(${target} ${target}_embedded)
    # A literal may exceed the 65536 characters that the standard guarantees; both of our compilers
    # accept it.
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
    target_sources(${target} PRIVATE ${source})
    target_include_directories(${target} PRIVATE ${folder})
endfunction()

# The C++ name of an embedded file. The script uses it too.
function(sundial_embedded_identifier file_name result)
    string(MAKE_C_IDENTIFIER ${file_name} identifier)
    if(file_name MATCHES "^[0-9]")
        string(PREPEND identifier "file")  # MAKE_C_IDENTIFIER has put an underscore before the digit
    endif()
    set(${result} ${identifier} PARENT_SCOPE)
endfunction()
