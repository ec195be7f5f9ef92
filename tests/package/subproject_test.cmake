# Adds the tree SUNDIAL to the project subproject/ with COMPILER, for release: as a subdirectory, and by FetchContent from a
# folder and from a git repository. That project keeps its settings and gets the library only, without -Werror; its own
# programs are compiled as before. With BUILD it is built too, where each warning is an error, and its program EXAMPLE runs.
file(REMOVE_RECURSE ${FOLDER})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed WORKING_DIRECTORY ${FOLDER})
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
endfunction()

file(MAKE_DIRECTORY ${FOLDER})
set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -G Ninja -D SUNDIAL=${SUNDIAL}
    -D EXAMPLE=${EXAMPLE} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release)

# The rules of the project's own program are those of a project without Sundial: no flag, no library.
function(leaves_alone folder)
    file(READ ${folder}/build.ninja rules)
    foreach(flag -Werror -fuse-ld -pie relro)
        if(rules MATCHES " [^ ]*${flag}")
            message(FATAL_ERROR "a project that adds Sundial gets the flag ${CMAKE_MATCH_0}")
        endif()
    endforeach()
    if(NOT rules MATCHES "build CMakeFiles/untouched.dir/untouched.cpp.o:[^\n]*\n([^\n]+\n)+")
        message(FATAL_ERROR "no rule for the project's own program")
    endif()
    if(CMAKE_MATCH_0 MATCHES "fvisibility|sundial/include|/src|-W")
        message(FATAL_ERROR "the project's own program is compiled with ${CMAKE_MATCH_0}")
    endif()
endfunction()

step(${configure} -B ${FOLDER}/plain)
leaves_alone(${FOLDER}/plain)
step(${configure} -B ${FOLDER}/fetched -D FETCH=SOURCE_DIR,${SUNDIAL})
leaves_alone(${FOLDER}/fetched)
# A clone contains the last commit.
execute_process(COMMAND git -C ${SUNDIAL} rev-parse HEAD
    RESULT_VARIABLE no_checkout OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT no_checkout)
    step(${configure} -B ${FOLDER}/cloned -D FETCH=GIT_REPOSITORY,${SUNDIAL},GIT_TAG,${commit})
    leaves_alone(${FOLDER}/cloned)
endif()

# A component that does not exist.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SUNDIAL} -B ${FOLDER}/unknown -G Ninja -D CMAKE_CXX_COMPILER=${COMPILER}
    -D SUNDIAL_PROGRAM=OFF -D SUNDIAL_TESTS=OFF -D SUNDIAL_COMPONENTS=sqlite3
    RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_QUIET)
if(NOT failed OR NOT said MATCHES "Sundial has no component 'sqlite3'")
    message(FATAL_ERROR "an unknown component: ${failed} ${said}")
endif()

if(BUILD)
    # A unity build takes a third of the time. The preset gcc compiles each file by itself.
    step(${configure} -B ${FOLDER}/build -D SUNDIAL_WERROR=ON -D CMAKE_UNITY_BUILD=ON)
    step(${CMAKE_COMMAND} --build ${FOLDER}/build)
    step(${FOLDER}/build/consumer)
endif()
file(REMOVE_RECURSE ${FOLDER})  # the objects are large
