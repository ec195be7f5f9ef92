# Builds the tree SUNDIAL with g++ for release as a part of the project subproject/, which links EXAMPLE with the library,
# and runs that. Fails at the first warning. A project that does not ask for it gets warnings, not errors.
file(REMOVE_RECURSE ${FOLDER})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
endfunction()

set(configure ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/subproject -G ${GENERATOR} -D SUNDIAL=${SUNDIAL}
    -D EXAMPLE=${EXAMPLE} -D CMAKE_CXX_COMPILER=g++ -D CMAKE_BUILD_TYPE=Release -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
step(${configure} -B ${FOLDER}/plain)
file(READ ${FOLDER}/plain/compile_commands.json commands)
if(commands MATCHES "-Werror")
    message(FATAL_ERROR "a project that adds Sundial gets -Werror without asking for it")
endif()
step(${configure} -B ${FOLDER}/build -D SUNDIAL_WERROR=ON)
step(${CMAKE_COMMAND} --build ${FOLDER}/build)
step(${FOLDER}/build/consumer)
file(REMOVE_RECURSE ${FOLDER})  # the objects are large
