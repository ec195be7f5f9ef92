# Builds the library of SOURCE as shared libraries with COMPILER in FOLDER, looks at what they export, and lets the project
# consumer/ use them. Compiles the whole library: minutes.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

function(step)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed WORKING_DIRECTORY ${FOLDER})
    if(failed)
        list(JOIN ARGN " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
endfunction()

step(${CMAKE_COMMAND} -S ${SOURCE} -B ${FOLDER}/build -G Ninja -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_BUILD_TYPE=Release "-D CMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG" -D CMAKE_UNITY_BUILD=ON
    -D CMAKE_UNITY_BUILD_BATCH_SIZE=10 -D SUNDIAL_PROGRAM=OFF -D SUNDIAL_TESTS=OFF -D BUILD_SHARED_LIBS=ON)
step(${CMAKE_COMMAND} --build ${FOLDER}/build)
step(${CMAKE_COMMAND} -D BUILD=${FOLDER}/build -D COMPILER=${COMPILER} -D GENERATOR=Ninja -D READELF=${READELF}
    -D NM=${NM} -D PKG_CONFIG=${PKG_CONFIG} -D SHARED=ON -D FOLDER=${FOLDER}/consumer -P ${CMAKE_CURRENT_LIST_DIR}/consumer_test.cmake)
file(REMOVE_RECURSE ${FOLDER})
