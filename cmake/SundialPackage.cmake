# The contents of `cmake --install`: the components of the library (cmake/SundialComponent.cmake), each a library with its
# headers, a package file for find_package(Sundial COMPONENTS ...) and one for pkg-config; and the program.
#
# Other projects read the package files with CMake 3.22: nothing newer may get into them (tests/package).
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sundial)
get_property(components GLOBAL PROPERTY SUNDIAL_INSTALLED_COMPONENTS)
set(component_needs "")
set(component_rules "")
foreach(name IN LISTS components)
    get_property(headers GLOBAL PROPERTY SUNDIAL_HEADERS_${name})
    get_property(finds GLOBAL PROPERTY SUNDIAL_FINDS_${name})
    get_property(needs GLOBAL PROPERTY SUNDIAL_NEEDS_${name})
    get_property(anchor GLOBAL PROPERTY SUNDIAL_ANCHOR_${name})
    install(TARGETS sundial_library_${name} EXPORT Sundial-${name} COMPONENT library
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
    install(EXPORT Sundial-${name} NAMESPACE Sundial:: FILE sundial-${name}.cmake DESTINATION ${package_dir} COMPONENT library)
    install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sundial COMPONENT library)

    # A program of a shared library needs only that.
    set(rules "")
    set(requires "")
    set(libs "")
    foreach(need IN LISTS needs)
        list(APPEND requires "sundial-${need} = ${PROJECT_VERSION}")
    endforeach()
    if(NOT BUILD_SHARED_LIBS)
        foreach(library IN LISTS finds)
            if(_sundial_package_${library})
                list(JOIN _sundial_package_${library} " " package)
                string(APPEND rules "    find_dependency(${package})\n")
            else()
                string(APPEND rules "${_sundial_find_${library}}\n")
            endif()
            list(APPEND requires ${_sundial_pc_requires_${library}})
            list(APPEND libs ${_sundial_pc_libs_${library}})
        endforeach()
    endif()
    list(JOIN needs " " needs)
    string(APPEND component_needs "set(_sundial_needs_${name} ${needs})\n")
    string(APPEND component_rules "if(\"${name}\" IN_LIST _sundial_wanted AND NOT TARGET Sundial::${name})\n${rules}"
        "    include(\${CMAKE_CURRENT_LIST_DIR}/sundial-${name}.cmake)\nendif()\n")
    list(JOIN requires ", " requires)
    list(JOIN libs " " libs)
    if(anchor)
        string(PREPEND libs "-Wl,--undefined=${anchor} ")
    endif()
    # pkg-config puts the libraries of `Requires` after these.
    file(RELATIVE_PATH prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/pkgconfig/sundial-${name}.pc @ONLY CONTENT [[prefix=${pcfiledir}/@prefix@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: sundial-@name@
Description: the component @name@ of Sundial, a durable scheduler for C++ programs
Version: @PROJECT_VERSION@
Requires: @requires@
Cflags: -I${includedir}
Libs: -L${libdir} -lsundial-@name@ @libs@
]])
    install(FILES ${PROJECT_BINARY_DIR}/pkgconfig/sundial-${name}.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
endforeach()

set(_sundial_installed ${components})
list(JOIN components " " components)
# In lower case, so that find_package(sundial) finds it too.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sundial-config.cmake @ONLY CONTENT [[# Written by cmake/SundialPackage.cmake.
include(CMakeFindDependencyMacro)
set(_sundial_components @components@)
@component_needs@
# Without COMPONENTS all of them, otherwise the named ones and what these need.
set(_sundial_wanted ${${CMAKE_FIND_PACKAGE_NAME}_FIND_COMPONENTS})
if(NOT _sundial_wanted)
    set(_sundial_wanted ${_sundial_components})
endif()
foreach(_sundial_name IN LISTS _sundial_wanted)
    if(NOT _sundial_name IN_LIST _sundial_components)
        if(NOT ${CMAKE_FIND_PACKAGE_NAME}_FIND_REQUIRED_${_sundial_name} AND ${CMAKE_FIND_PACKAGE_NAME}_FIND_COMPONENTS)
            set(${CMAKE_FIND_PACKAGE_NAME}_${_sundial_name}_FOUND FALSE)
            continue()
        endif()
        string(REPLACE ";" ", " _sundial_all "${_sundial_components}")
        set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
        set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
            "Sundial has no component '${_sundial_name}'; its components are ${_sundial_all}")
        return()
    endif()
endforeach()
foreach(_sundial_name client redis postgres sqlite engine time)  # the ones that need others before those
    if(_sundial_name IN_LIST _sundial_wanted)
        list(APPEND _sundial_wanted ${_sundial_needs_${_sundial_name}})
    endif()
endforeach()
@component_rules@
foreach(_sundial_name IN LISTS _sundial_wanted)
    if(TARGET Sundial::${_sundial_name})
        set(${CMAKE_FIND_PACKAGE_NAME}_${_sundial_name}_FOUND TRUE)
    endif()
endforeach()
unset(_sundial_wanted)
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sundial-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sundial-config.cmake ${PROJECT_BINARY_DIR}/sundial-config-version.cmake
    DESTINATION ${package_dir} COMPONENT library)
# Builds the files that `cmake --install --component library` installs.
add_custom_target(sundial_library)
foreach(name IN LISTS _sundial_installed)
    add_dependencies(sundial_library sundial_library_${name})
endforeach()

sundial_is_built(sundial product)
if(product)
    install(TARGETS sundial RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    # Man pages and completion come from the program itself, which knows its commands.
    set(completions
        bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions/sundial
        zsh ${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_sundial
        fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/sundial.fish)
    install(CODE "
        set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
        set(program \"\${prefix}/${CMAKE_INSTALL_BINDIR}/sundial\")
        execute_process(COMMAND \"\${program}\" man --directory \"\${prefix}/${CMAKE_INSTALL_MANDIR}/man1\"
            COMMAND_ERROR_IS_FATAL ANY)
        set(completions ${completions})
        while(completions)
            list(POP_FRONT completions shell file)
            cmake_path(GET file PARENT_PATH folder)
            file(MAKE_DIRECTORY \"\${prefix}/\${folder}\")
            execute_process(COMMAND \"\${program}\" completion \${shell} OUTPUT_FILE \"\${prefix}/\${file}\"
                COMMAND_ERROR_IS_FATAL ANY)
        endwhile()
        " COMPONENT program)
endif()
