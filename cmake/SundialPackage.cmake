# The contents of `cmake --install`: the library as one archive of all layers of Sundial::engine, its public headers, a
# package file with which find_package(Sundial) finds the libraries it links, and the program.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# `result`: a layer and all layers below it.
function(_sundial_layers_of layer result)
    set(found ${layer})
    get_target_property(links ${layer} LINK_LIBRARIES)
    foreach(link IN LISTS links)
        if(link MATCHES "^sundial_" AND NOT link STREQUAL sundial_compiler)
            _sundial_layers_of(${link} below)
            list(APPEND found ${below})
        endif()
    endforeach()
    list(REMOVE_DUPLICATES found)
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# Libraries that the layers' sources use. The package file below searches for the same ones.
find_package(CURL REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(SQLiteCpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(Threads REQUIRED)

_sundial_layers_of(sundial_embedded layers)
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
get_target_property(engine_headers sundial_embedded HEADER_SET_public)
get_target_property(pattern_headers sundial_base HEADER_SET_patterns)

add_library(sundial_library STATIC ${objects})
set_target_properties(sundial_library PROPERTIES OUTPUT_NAME sundial EXPORT_NAME engine LINKER_LANGUAGE CXX)
target_compile_features(sundial_library PUBLIC cxx_std_20)
target_link_libraries(sundial_library
    PRIVATE CURL::libcurl OpenSSL::Crypto PostgreSQL::PostgreSQL SQLiteCpp spdlog::spdlog Threads::Threads cctz)
if(SUNDIAL_HAS_REDIS)
    target_link_libraries(sundial_library PRIVATE hiredis)
endif()
target_sources(sundial_library PUBLIC
    FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${engine_headers} ${pattern_headers})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sundial)
install(TARGETS sundial_library EXPORT SundialTargets COMPONENT library
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT SundialTargets NAMESPACE Sundial:: DESTINATION ${package_dir} COMPONENT library)
# In lower case, so that find_package(sundial) finds it too.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/sundial-config.cmake @ONLY CONTENT [[# Written by cmake/SundialPackage.cmake.
include(CMakeFindDependencyMacro)
find_dependency(CURL)
find_dependency(OpenSSL 3)
find_dependency(PostgreSQL)
find_dependency(SQLiteCpp)
find_dependency(spdlog)
find_dependency(Threads)
# Not every system has a package file for cctz.
if(NOT TARGET cctz)
    find_library(Sundial_CCTZ_LIBRARY cctz)
    if(NOT Sundial_CCTZ_LIBRARY)
        set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
        set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
            "cctz is missing, which Sundial links: install it (Debian: libcctz-dev), or say by Sundial_CCTZ_LIBRARY where it is")
        return()
    endif()
    add_library(cctz UNKNOWN IMPORTED)
    set_target_properties(cctz PROPERTIES IMPORTED_LOCATION ${Sundial_CCTZ_LIBRARY})
endif()
if(@SUNDIAL_HAS_REDIS@ AND NOT TARGET hiredis)
    find_library(Sundial_HIREDIS_LIBRARY hiredis)
    if(NOT Sundial_HIREDIS_LIBRARY)
        set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
        set(${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE
            "hiredis is missing, which this Sundial links: install it (Debian: libhiredis-dev), or say by Sundial_HIREDIS_LIBRARY where it is")
        return()
    endif()
    add_library(hiredis UNKNOWN IMPORTED)
    set_target_properties(hiredis PROPERTIES IMPORTED_LOCATION ${Sundial_HIREDIS_LIBRARY})
endif()
include(${CMAKE_CURRENT_LIST_DIR}/SundialTargets.cmake)
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sundial-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sundial-config.cmake ${PROJECT_BINARY_DIR}/sundial-config-version.cmake
    DESTINATION ${package_dir} COMPONENT library)

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
