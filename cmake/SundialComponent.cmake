# Components: the parts of the library that programs link by name, Sundial::NAME (docs/adr/0054-components.md).
include(GNUInstallDirs)

set(_sundial_components patterns time engine sqlite postgres redis client)
set(SUNDIAL_COMPONENTS "${_sundial_components}" CACHE STRING "The components of the library to build, with those they need")

# The components that each component needs.
set(_sundial_needs_time patterns)
set(_sundial_needs_engine patterns time)
set(_sundial_needs_sqlite engine)
set(_sundial_needs_postgres engine)
set(_sundial_needs_redis engine)
set(_sundial_needs_client patterns)

foreach(name IN LISTS SUNDIAL_COMPONENTS)
    if(NOT name IN_LIST _sundial_components)
        list(JOIN _sundial_components ", " all)
        message(FATAL_ERROR "SUNDIAL_COMPONENTS: Sundial has no component '${name}'; its components are ${all}")
    endif()
endforeach()
set(_sundial_wanted ${SUNDIAL_COMPONENTS})
if(SUNDIAL_PROGRAM OR SUNDIAL_TESTS OR SUNDIAL_FUZZ)
    set(_sundial_wanted ${_sundial_components})
endif()
foreach(name client redis postgres sqlite engine time)  # the ones that need others before those
    if(name IN_LIST _sundial_wanted)
        list(APPEND _sundial_wanted ${_sundial_needs_${name}})
    endif()
endforeach()

# Sets `result` if the component is to be built.
function(sundial_wants name result)
    set(${result} OFF PARENT_SCOPE)
    if(name IN_LIST _sundial_wanted)
        set(${result} ON PARENT_SCOPE)
    endif()
endfunction()

# sundial_anchor(TARGET SYMBOL)
#
# A program that links TARGET gets the object that defines SYMBOL, although no code refers to it. The option has no other
# effect on the program.
function(sundial_anchor target symbol)
    target_link_options(${target} INTERFACE LINKER:--undefined=${symbol})
endfunction()

# The libraries that components use: their package for CMake, its target, and the same for pkg-config.
set(_sundial_package_curl CURL)
set(_sundial_target_curl CURL::libcurl)
set(_sundial_pc_requires_curl libcurl)
set(_sundial_package_crypto OpenSSL 3)
set(_sundial_target_crypto OpenSSL::Crypto)
set(_sundial_pc_requires_crypto "libcrypto >= 3")
set(_sundial_package_spdlog spdlog)
set(_sundial_target_spdlog spdlog::spdlog)
set(_sundial_pc_requires_spdlog spdlog)
set(_sundial_package_threads Threads)
set(_sundial_target_threads Threads::Threads)
set(_sundial_pc_libs_threads -pthread)
set(_sundial_package_sqlite SQLiteCpp)
set(_sundial_target_sqlite SQLiteCpp)
set(_sundial_pc_requires_sqlite sqlite3)
set(_sundial_pc_libs_sqlite -lSQLiteCpp)
set(_sundial_package_postgres PostgreSQL)
set(_sundial_target_postgres PostgreSQL::PostgreSQL)
set(_sundial_pc_requires_postgres libpq)
# Not every system has a package file for these. Debian names their packages lib<library>-dev.
foreach(library cctz hiredis)
    string(TOUPPER ${library} upper)
    string(CONFIGURE [[
if(NOT TARGET @library@)
    find_library(Sundial_@upper@_LIBRARY @library@)
    if(NOT Sundial_@upper@_LIBRARY)
        set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
        set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
            "@library@ is missing, which this Sundial links: install it (Debian: lib@library@-dev), or say by Sundial_@upper@_LIBRARY where it is")
        return()
    endif()
    add_library(@library@ UNKNOWN IMPORTED)
    set_target_properties(@library@ PROPERTIES IMPORTED_LOCATION ${Sundial_@upper@_LIBRARY})
endif()]] _sundial_find_${library} @ONLY)
    set(_sundial_target_${library} ${library})
    set(_sundial_pc_libs_${library} -l${library})
endforeach()

# sundial_component(NAME LAYERS layer... [NEEDS component...] [FINDS library...] [ANCHOR symbol])
#
# Makes the target Sundial::NAME. In this tree and in a project that adds it, it links the layers; with BUILD_SHARED_LIBS it
# is a shared library of them. The headers are the file sets `public` of the layers. In a tree of its own it also makes
# sundial_library_NAME, which `cmake --install` installs: the static or shared library with its package files
# (cmake/SundialPackage.cmake).
function(sundial_component name)
    cmake_parse_arguments(COMPONENT "" "ANCHOR" "LAYERS;NEEDS;FINDS" ${ARGN})
    if(NOT PROJECT_IS_TOP_LEVEL AND NOT BUILD_SHARED_LIBS)
        _sundial_component_of_layers()
        return()
    endif()

    set(objects "")
    set(headers "")
    foreach(layer IN LISTS COMPONENT_LAYERS)
        list(APPEND objects $<TARGET_OBJECTS:sundial_${layer}>)
        get_target_property(of_layer sundial_${layer} HEADER_SET_public)
        if(of_layer)
            list(APPEND headers ${of_layer})
        endif()
    endforeach()

    set(target sundial_library_${name})
    set(kind STATIC)
    if(BUILD_SHARED_LIBS)
        set(kind SHARED)
    endif()
    add_library(${target} ${kind} ${objects})
    set_target_properties(${target} PROPERTIES
        OUTPUT_NAME sundial-${name} EXPORT_NAME ${name} LINKER_LANGUAGE CXX
        # Until 1.0 each minor version may change the interface.
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    target_compile_features(${target} PUBLIC cxx_std_20)
    target_include_directories(${target} INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    foreach(need IN LISTS COMPONENT_NEEDS)
        target_link_libraries(${target} PUBLIC sundial_library_${need})
    endforeach()
    foreach(library IN LISTS COMPONENT_FINDS)
        if(_sundial_package_${library})
            find_package(${_sundial_package_${library}} REQUIRED)
        endif()
        target_link_libraries(${target} PRIVATE ${_sundial_target_${library}})
    endforeach()
    if(COMPONENT_ANCHOR)
        sundial_anchor(${target} ${COMPONENT_ANCHOR})
    endif()
    if(BUILD_SHARED_LIBS)
        # It contains its own copy of the internal code that it uses of lower layers, because no library exports that.
        foreach(layer IN LISTS COMPONENT_LAYERS)
            target_link_libraries(${target} PRIVATE sundial_${layer})
        endforeach()
        target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL LINKER:-z,defs)
        add_library(Sundial::${name} ALIAS ${target})
    else()
        _sundial_component_of_layers()
    endif()
    set_property(GLOBAL APPEND PROPERTY SUNDIAL_INSTALLED_COMPONENTS ${name})
    set_property(GLOBAL PROPERTY SUNDIAL_HEADERS_${name} ${headers})
    set_property(GLOBAL PROPERTY SUNDIAL_FINDS_${name} ${COMPONENT_FINDS})
    set_property(GLOBAL PROPERTY SUNDIAL_NEEDS_${name} ${COMPONENT_NEEDS})
    set_property(GLOBAL PROPERTY SUNDIAL_ANCHOR_${name} ${COMPONENT_ANCHOR})
endfunction()

# Programs see the public headers only, not the folder src/.
macro(_sundial_component_of_layers)
    add_library(sundial_component_${name} INTERFACE)
    target_include_directories(sundial_component_${name} INTERFACE ${PROJECT_SOURCE_DIR}/include)
    target_compile_features(sundial_component_${name} INTERFACE cxx_std_20)
    foreach(layer IN LISTS COMPONENT_LAYERS)
        target_link_libraries(sundial_component_${name} INTERFACE $<LINK_ONLY:sundial_${layer}>)
    endforeach()
    foreach(need IN LISTS COMPONENT_NEEDS)
        target_link_libraries(sundial_component_${name} INTERFACE sundial_component_${need})
    endforeach()
    add_library(Sundial::${name} ALIAS sundial_component_${name})
endmacro()
