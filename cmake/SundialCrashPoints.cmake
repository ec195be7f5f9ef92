# Places where a test lets the process die (src/base/crash_point.hpp); the presets with tests have them, the product not.
option(SUNDIAL_CRASH_POINTS "Let tests end the process at certain points" OFF)

# sundial_crash_points(FILE...): these sources of the calling folder have some. Named one by one, so that all others are
# compiled alike with and without.
function(sundial_crash_points)
    # With or without crash points, the units of a unity build are the same.
    set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
    if(SUNDIAL_CRASH_POINTS)
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS SUNDIAL_CRASH_POINTS)
    endif()
endfunction()
