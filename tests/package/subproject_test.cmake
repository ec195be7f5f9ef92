# Adds the tree SUNDIAL to the project subproject/ with COMPILER, for release. That project keeps its settings and gets
# the library only, without -Werror. With BUILD it is built too, where each warning is an error, and its program EXAMPLE
# runs.
file(REMOVE_RECURSE ${FOLDER})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
endfunction()

set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -G Ninja -D SUNDIAL=${SUNDIAL}
    -D EXAMPLE=${EXAMPLE} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release)
step(${configure} -B ${FOLDER}/plain)
file(READ ${FOLDER}/plain/build.ninja rules)
foreach(flag -Werror -fuse-ld -pie relro)
    if(rules MATCHES " [^ ]*${flag}")
        message(FATAL_ERROR "a project that adds Sundial gets the flag ${CMAKE_MATCH_0}")
    endif()
endforeach()

if(BUILD)
    # A unity build takes a third of the time. The preset gcc compiles each file by itself.
    step(${configure} -B ${FOLDER}/build -D SUNDIAL_WERROR=ON -D CMAKE_UNITY_BUILD=ON)
    step(${CMAKE_COMMAND} --build ${FOLDER}/build)
    step(${FOLDER}/build/consumer)
endif()
file(REMOVE_RECURSE ${FOLDER})  # the objects are large
