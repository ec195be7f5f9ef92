# Boost is installed as headers only (libboost1.81-dev). Its two big libraries are compiled once each, so that our
# sources do not compile them again:
#   sundial_boost_json   Boost.JSON
#   sundial_boost_beast  Boost.Asio, with TLS, and Boost.Beast
# Link the one you need as PRIVATE.
find_package(Boost 1.81 REQUIRED)
find_package(Threads REQUIRED)

function(sundial_boost_library name)
    cmake_parse_arguments(BOOST "" "" "INCLUDE;DEFINE" ${ARGN})
    set(content "")
    foreach(header IN LISTS BOOST_INCLUDE)
        string(APPEND content "#include <${header}>\n")
    endforeach()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/boost/${name}.cpp CONTENT "${content}" @ONLY)
    add_library(sundial_boost_${name} STATIC EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/boost/${name}.cpp)
    target_compile_definitions(sundial_boost_${name} PUBLIC ${BOOST_DEFINE})
    target_link_libraries(sundial_boost_${name} PUBLIC Boost::headers Threads::Threads)
    target_compile_options(sundial_boost_${name} PRIVATE ${SUNDIAL_HARDENING_COMPILE})
    if(SUNDIAL_SANITIZE)
        target_compile_options(sundial_boost_${name} PRIVATE
            -fsanitize=${SUNDIAL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    endif()
endfunction()

sundial_boost_library(json INCLUDE boost/json/src.hpp)
sundial_boost_library(beast
    INCLUDE boost/asio/impl/src.hpp boost/asio/ssl/impl/src.hpp boost/beast/src.hpp
    DEFINE BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED)
