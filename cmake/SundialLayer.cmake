# Layers, their tests, and programs. A dependency that is not declared here does not link (src/README).

# sundial_layer(NAME [CLANG_ONLY] SOURCES ... HEADERS ... [USES layer...] [PRIVATE library...])
#
# One static library for one layer. It sees the headers of the layers it USES (and, through them, of the
# layers below) and of nothing else's libraries; third-party libraries are PRIVATE to its sources.
# Two targets enforce this:
#   sundial_NAME_alone                      links the whole layer with the layers that it USES and nothing else:
#                                           a call into an undeclared layer is an undefined symbol
#   all_verify_interface_header_sets        compiles each header alone, without the PRIVATE libraries
# CLANG_ONLY is for layers with coroutines: with any other compiler the layer and everything that USES it are
# left out, and building one of them by name fails with the reason.
function(sundial_layer name)
    cmake_parse_arguments(LAYER "CLANG_ONLY" "" "SOURCES;HEADERS;USES;PRIVATE" ${ARGN})
    _sundial_refused(refused ${LAYER_USES})
    if(LAYER_CLANG_ONLY AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
        set(refused ON)
    endif()
    if(refused)
        _sundial_refuse(sundial_${name})
        set_property(GLOBAL APPEND PROPERTY SUNDIAL_REFUSED_LAYERS ${name})
        return()
    endif()

    add_library(sundial_${name} STATIC ${LAYER_SOURCES})
    target_sources(sundial_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${LAYER_HEADERS})
    set_target_properties(sundial_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
    target_link_libraries(sundial_${name} PRIVATE sundial_compiler)
    foreach(used IN LISTS LAYER_USES)
        target_link_libraries(sundial_${name} PUBLIC sundial_${used})
    endforeach()
    target_link_libraries(sundial_${name} PRIVATE ${LAYER_PRIVATE})

    if(SUNDIAL_TESTS)
        if(NOT TARGET sundial_empty_main)
            file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/empty_main.cpp CONTENT "int main() {}\n")
            add_library(sundial_empty_main OBJECT ${PROJECT_BINARY_DIR}/empty_main.cpp)
        endif()
        add_executable(sundial_${name}_alone $<TARGET_OBJECTS:sundial_empty_main>)
        set_target_properties(sundial_${name}_alone PROPERTIES
            LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/alone)
        target_link_libraries(sundial_${name}_alone PRIVATE
            sundial_linker $<LINK_LIBRARY:WHOLE_ARCHIVE,sundial_${name}>)
    endif()
endfunction()

# sundial_tests(NAME [TOGETHER] LAYER layer... SOURCES ... [ALONE source...] [LIBRARIES ...] [LABELS label]
#               [TIMEOUT seconds] [PARTS n] [COST seconds])
#
# One test program, test_NAME, for the given layers. Every test becomes a ctest test of its own. TOGETHER
# makes them one, for tests that share something slow to start, such as a database, and for many small tests: each
# process costs 30 ms of CPU. PARTS divides a program that is TOGETHER into that many tests of ctest, NAME.part_1 and so
# on, each with a server of its own. `bin/test_NAME --gtest_filter=Suite.Name` runs one test of such a program.
#
# The label `long` keeps tests out of `./sundial-dev check`. A test fails after TIMEOUT (default 300 seconds, with
# TOGETHER 1200: ten times the time of our slowest tests on two busy cores). Sources that are ALONE stay out of a unity
# build: their short names mean something else in the files beside them. Tests with a COST start first, the highest cost
# before the others. TOGETHER has a cost of 60, because the longest tests must not be the last ones.
function(sundial_tests name)
    cmake_parse_arguments(TESTS "TOGETHER" "TIMEOUT;LABELS;PARTS;COST" "LAYER;SOURCES;ALONE;LIBRARIES" ${ARGN})
    _sundial_refused(refused ${TESTS_LAYER})
    if(refused)
        return()
    endif()
    add_executable(test_${name} ${TESTS_SOURCES} ${TESTS_ALONE})
    if(TESTS_ALONE)
        set_source_files_properties(${TESTS_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endif()
    target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(test_${name} PRIVATE
        sundial_linker GTest::gmock GTest::gtest GTest::gtest_main ${TESTS_LIBRARIES})
    foreach(layer IN LISTS TESTS_LAYER)
        target_link_libraries(test_${name} PRIVATE sundial_${layer})
    endforeach()
    # RapidCheck draws the same examples in each run, so that no change is refused for a find of chance. A program that is
    # run by hand draws others, and says which.
    set(environment "RC_PARAMS=seed=20270105")
    set(properties TIMEOUT 300)
    if(TESTS_TOGETHER)
        set(properties TIMEOUT 1200)
        if(NOT TESTS_COST)
            set(TESTS_COST 60)
        endif()
    endif()
    if(TESTS_TIMEOUT)
        set(properties TIMEOUT ${TESTS_TIMEOUT})
    endif()
    if(TESTS_LABELS)
        list(APPEND properties LABELS "${TESTS_LABELS}")
    endif()
    if(TESTS_COST)
        list(APPEND properties COST ${TESTS_COST})
    endif()
    if(TESTS_PARTS)
        foreach(part RANGE 1 ${TESTS_PARTS})
            math(EXPR index "${part} - 1")
            add_test(NAME ${name}.part_${part} COMMAND test_${name})
            set_tests_properties(${name}.part_${part} PROPERTIES ${properties}
                ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${TESTS_PARTS};GTEST_SHARD_INDEX=${index}")
        endforeach()
    elseif(TESTS_TOGETHER)
        add_test(NAME ${name} COMMAND test_${name})
        set_tests_properties(${name} PROPERTIES ${properties} ENVIRONMENT ${environment})
    else()
        # Names of cases, else their numbers: the text of a parameter need be neither unique nor the same twice.
        gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 600 TEST_PREFIX "${name}."
            NO_PRETTY_VALUES
            PROPERTIES ${properties} ENVIRONMENT ${environment})
    endif()
endfunction()

# sundial_program(NAME SOURCES ... USES layer... [PRIVATE library...])
#
# An executable, bin/NAME. It is left out if one of its layers is.
function(sundial_program name)
    cmake_parse_arguments(PROGRAM "" "" "SOURCES;USES;PRIVATE" ${ARGN})
    _sundial_refused(refused ${PROGRAM_USES})
    if(refused)
        _sundial_refuse(${name})
        return()
    endif()
    add_executable(${name} ${PROGRAM_SOURCES})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} PRIVATE sundial_linker ${PROGRAM_PRIVATE})
    foreach(used IN LISTS PROGRAM_USES)
        target_link_libraries(${name} PRIVATE sundial_${used})
    endforeach()
endfunction()

# Sets `result` if one of the given layers is left out with this compiler.
function(_sundial_refused result)
    get_property(all GLOBAL PROPERTY SUNDIAL_REFUSED_LAYERS)
    set(${result} OFF PARENT_SCOPE)
    foreach(layer IN LISTS ARGN)
        if(layer IN_LIST all)
            set(${result} ON PARENT_SCOPE)
        endif()
    endforeach()
endfunction()

# Whether this compiler builds a program. A refused program is still a target, which only prints the reason.
function(sundial_is_built program result)
    set(${result} OFF PARENT_SCOPE)
    if(TARGET ${program})
        get_target_property(type ${program} TYPE)
        if(type STREQUAL EXECUTABLE)
            set(${result} ON PARENT_SCOPE)
        endif()
    endif()
endfunction()

# A target that prints why it cannot be built. Measured: g++ 12.2 destroys temporaries of a full expression
# with co_await twice (lambdas with captures, aggregates, braced lists, ?:), so the result crashes at run time.
function(_sundial_refuse target)
    set(reason "${target} is not built with ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}: it needs clang, because g++ 12 miscompiles coroutines (temporaries beside co_await are destroyed twice). Use the preset dev or release.")
    message(STATUS "${reason}")
    add_custom_target(${target} COMMAND ${CMAKE_COMMAND} -E echo "${reason}" COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
endfunction()
