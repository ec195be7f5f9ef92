# sundial_layer(NAME [SOURCES ...] [USES layer...] [PRIVATE library...])
#
# One static library for one layer. It sees the headers of the layers it USES (and, through them, of the
# layers below) and of nothing else's libraries; third-party libraries are PRIVATE to its sources.
# A dependency that is not declared here does not link: sundial_tests() links each layer's tests to
# that layer, whole, plus its USES.
function(sundial_layer name)
    cmake_parse_arguments(LAYER "" "" "SOURCES;HEADERS;USES;PRIVATE" ${ARGN})
    add_library(sundial_${name} STATIC ${LAYER_SOURCES})
    target_sources(sundial_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${CMAKE_SOURCE_DIR}/src FILES ${LAYER_HEADERS})
    set_target_properties(sundial_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
    target_link_libraries(sundial_${name} PRIVATE sundial_compiler)
    foreach(used IN LISTS LAYER_USES)
        target_link_libraries(sundial_${name} PUBLIC sundial_${used})
    endforeach()
    target_link_libraries(sundial_${name} PRIVATE ${LAYER_PRIVATE})
endfunction()

# sundial_tests(NAME LAYER layer... [SOURCES ...] [LIBRARIES ...] [LABELS ...])
#
# One test program. Its LAYERs are linked whole, so that a symbol which a layer needs but may not use is
# reported as undefined. Every test becomes a ctest test of its own.
function(sundial_tests name)
    cmake_parse_arguments(TESTS "" "" "LAYER;SOURCES;LIBRARIES;LABELS" ${ARGN})
    add_executable(test_${name} ${TESTS_SOURCES})
    target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
    target_link_libraries(test_${name} PRIVATE sundial_compiler GTest::gmock GTest::gtest GTest::gtest_main ${TESTS_LIBRARIES})
    foreach(layer IN LISTS TESTS_LAYER)
        target_link_libraries(test_${name} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,sundial_${layer}>)
    endforeach()
    gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}." PROPERTIES LABELS "${TESTS_LABELS}")
endfunction()
