# Installs the library of BUILD in FOLDER and lets the project consumer/ find it there: a program for each component, which
# links what that component needs and nothing else; the same with pkg-config; and requests that cannot be met. READELF,
# NM and PKG_CONFIG are tools. SHARED: the libraries of BUILD are shared ones.
file(REMOVE_RECURSE ${FOLDER})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed WORKING_DIRECTORY ${FOLDER})
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
endfunction()

function(output_of result)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
    set(${result} "${said}" PARENT_SCOPE)
endfunction()

# `program` must not need a shared library whose name matches `pattern`.
function(needs_no program pattern)
    output_of(needed ${READELF} -d ${program})
    if(needed MATCHES "NEEDED[^\n]*(${pattern})")
        message(FATAL_ERROR "${program} needs ${CMAKE_MATCH_1}")
    endif()
endfunction()

file(MAKE_DIRECTORY ${FOLDER})
step(${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${FOLDER}/prefix)

# --- files that others read with an older CMake ---------------------------------------------------------------

file(GLOB_RECURSE package_files ${FOLDER}/prefix/*.cmake)
foreach(file IN LISTS package_files)
    file(READ ${file} text)
    # Features of CMake 3.23 and later.
    if(text MATCHES "FILE_SET|LINK_LIBRARY:|LINK_GROUP:|CXX_MODULES|block\\(|COMPILE_ONLY:|cmake_path\\(COMPARE|PATH:|LIST:")
        message(FATAL_ERROR "${file} uses ${CMAKE_MATCH_0}, which CMake 3.22 does not know")
    endif()
endforeach()

# --- programs -------------------------------------------------------------------------------------------------

set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${FOLDER}/prefix -D CMAKE_CXX_COMPILER=${COMPILER})
set(all patterns time engine sqlite postgres redis client)
# An option with which linkers leave out shared libraries that no symbol needs.
step(${configure} -B ${FOLDER}/build -D CMAKE_EXE_LINKER_FLAGS=-Wl,--as-needed -D WANTED=patterns,time,engine,sqlite,postgres,redis,client -D CMAKE_CXX_FLAGS=-O0)
step(${CMAKE_COMMAND} --build ${FOLDER}/build)
foreach(component IN LISTS all)
    step(${FOLDER}/build/${component}_program)
endforeach()
set(storages "libpq|sqlite|hiredis")
needs_no(${FOLDER}/build/patterns_program "${storages}|curl|crypto|spdlog|cctz")
needs_no(${FOLDER}/build/time_program "${storages}|curl|crypto|spdlog")
needs_no(${FOLDER}/build/engine_program "${storages}")
needs_no(${FOLDER}/build/sqlite_program "libpq|hiredis")
needs_no(${FOLDER}/build/postgres_program "sqlite|hiredis")
needs_no(${FOLDER}/build/redis_program "libpq|sqlite")
needs_no(${FOLDER}/build/client_program "${storages}|spdlog|cctz")

# --- shared libraries -----------------------------------------------------------------------------------------

if(SHARED)
    file(GLOB_RECURSE libraries ${FOLDER}/prefix/libsundial-*.so)
    list(LENGTH libraries number)
    if(NOT number EQUAL 7)
        message(FATAL_ERROR "seven libraries, not ${libraries}")
    endif()
    foreach(library IN LISTS libraries)
        output_of(about ${READELF} -d ${library})
        if(NOT about MATCHES "SONAME[^\n]*libsundial-[a-z]+\\.so\\.[0-9]+\\.[0-9]+\\]")
            message(FATAL_ERROR "${library} has no version in its name: ${about}")
        endif()
        if(library MATCHES "sundial-(patterns|time|engine|sqlite|redis|client)")
            needs_no(${library} libpq)
        endif()
        if(library MATCHES "sundial-(patterns|time|engine|sqlite|postgres|client)")
            needs_no(${library} hiredis)
        endif()
        # Of the inside, only the time zones are shared between two libraries.
        output_of(exported ${NM} -D -C --defined-only ${library})
        if(exported MATCHES "[^\n]*sundial::(base|memory|postgres|redis|sqlite|system|webhook|client)::[^\n]*")
            message(FATAL_ERROR "${library} shows ${CMAKE_MATCH_0}")
        endif()
        get_filename_component(folder ${library} DIRECTORY)
    endforeach()
    set(ENV{LD_LIBRARY_PATH} ${folder})  # for the programs below
endif()

# --- requests that cannot be met ------------------------------------------------------------------------------

function(refused because)
    execute_process(COMMAND ${configure} -B ${FOLDER}/refused ${ARGN}
        RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_QUIET)
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    if(NOT failed OR NOT said MATCHES "${because}")
        message(FATAL_ERROR "not refused because ${because}: ${failed} ${said}")
    endif()
    file(REMOVE_RECURSE ${FOLDER}/refused)
endfunction()

refused("Sundial has no component 'mysql'; its components are patterns, time, engine, sqlite, postgres, redis, client"
    -D WANTED=sqlite,mysql)
if(NOT SHARED)  # a program of a shared library needs only that
    # Where cctz is missing the package says so, before the linker does.
    refused("cctz is missing" -D WANTED=sqlite -D Sundial_CCTZ_LIBRARY=)  # as if it had been looked for in vain
endif()
# A project without PostgreSQL needs no libpq. A project with it gets an error that names the missing package.
step(${configure} -B ${FOLDER}/without_libpq -D WANTED=sqlite -D CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL=ON)
if(NOT SHARED)
    refused("PostgreSQL" -D WANTED=postgres -D CMAKE_DISABLE_FIND_PACKAGE_PostgreSQL=ON)
endif()

# --- pkg-config -----------------------------------------------------------------------------------------------

file(GLOB_RECURSE pc_files ${FOLDER}/prefix/*.pc)
list(GET pc_files 0 first)
get_filename_component(folder ${first} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${folder})
foreach(component IN LISTS all)
    step(${PKG_CONFIG} --validate --print-errors --exists sundial-${component})
endforeach()
foreach(component sqlite client)
    output_of(flags ${PKG_CONFIG} --cflags --libs sundial-${component})
    separate_arguments(flags UNIX_COMMAND "${flags}")
    step(${COMPILER} -std=c++20 ${CMAKE_CURRENT_LIST_DIR}/consumer/${component}.cpp ${flags} -o ${FOLDER}/by_pkg_config)
    step(${FOLDER}/by_pkg_config)
    needs_no(${FOLDER}/by_pkg_config "libpq|hiredis")
endforeach()
file(REMOVE_RECURSE ${FOLDER})  # the archives are large
