# Places where a test makes the process die (src/base/crash_point.hpp): in presets with tests, not in the product.
option(SUNDIAL_CRASH_POINTS "Let tests end the process at certain points" OFF)

# sundial_crash_points(FILE...): the sources of the calling folder that contain crash points. They are listed, so that
# all other sources compile the same with and without crash points. A unity build would compile each of them by itself,
# which takes longer than compiling the whole folder with the definition.
function(sundial_crash_points)
    if(SUNDIAL_CRASH_POINTS AND CMAKE_UNITY_BUILD)
        add_compile_definitions(SUNDIAL_CRASH_POINTS)
    elseif(SUNDIAL_CRASH_POINTS)
        set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_DEFINITIONS SUNDIAL_CRASH_POINTS)
    endif()
endfunction()
