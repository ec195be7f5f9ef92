# Installs the library of BUILD in FOLDER, lets consumer/ find it there and build EXAMPLE with it, and runs that.
file(REMOVE_RECURSE ${FOLDER})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --component library --prefix ${FOLDER}/prefix)
step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${FOLDER}/build -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${FOLDER}/prefix -D CMAKE_CXX_COMPILER=${COMPILER} -D EXAMPLE=${EXAMPLE})
step(${CMAKE_COMMAND} --build ${FOLDER}/build)
# Where cctz is missing the package says so, before the linker does.
execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${FOLDER}/without -G ${GENERATOR}
    -D CMAKE_PREFIX_PATH=${FOLDER}/prefix -D CMAKE_CXX_COMPILER=${COMPILER} -D EXAMPLE=${EXAMPLE}
    -D Sundial_CCTZ_LIBRARY=  # as if it had been looked for in vain
    RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_QUIET)
if(NOT failed OR NOT said MATCHES "cctz is missing")
    message(FATAL_ERROR "without cctz: ${failed} ${said}")
endif()
step(${FOLDER}/build/consumer)
file(REMOVE_RECURSE ${FOLDER})  # the archive is large
