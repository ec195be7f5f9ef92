# Places where a test makes the process die (src/base/crash_point.hpp): in presets with tests, not in the product.
option(SUNDIAL_CRASH_POINTS "Let tests end the process at certain points" OFF)

# sundial_crash_points(FILE...): the sources of the calling folder that contain crash points. They are listed, so that
# all other sources compile the same with and without crash points.
function(sundial_crash_points)
    if(SUNDIAL_CRASH_POINTS)
        # The definition is for these sources only, so they stay out of the units of a unity build.
        set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS SUNDIAL_CRASH_POINTS)
    endif()
endfunction()
