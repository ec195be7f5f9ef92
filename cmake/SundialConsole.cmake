# sundial_console(RESULT)
#
# Bundles web/ with esbuild into ten files below the build, and puts their paths into RESULT: console.html, console.version,
# and app.js, app.css, docs.js and docs.css, plain and compressed. One step of the build does it, while other steps compile.
function(sundial_console result)
    find_program(ESBUILD_PROGRAM esbuild)
    mark_as_advanced(ESBUILD_PROGRAM)
    if(NOT ESBUILD_PROGRAM)
        message(FATAL_ERROR "esbuild is missing: install Debian's package esbuild, or build without the console by "
            "-DSUNDIAL_CONSOLE=OFF")
    endif()
    set(folder ${PROJECT_BINARY_DIR}/web)
    set(web ${PROJECT_SOURCE_DIR}/web)
    set(files ${folder}/console.html ${folder}/console.version ${folder}/app.js ${folder}/app.js.gz ${folder}/app.css
        ${folder}/app.css.gz ${folder}/docs.js ${folder}/docs.js.gz ${folder}/docs.css ${folder}/docs.css.gz)

    # The libraries change only with the lockfile; the bundle with every source.
    add_custom_command(OUTPUT ${folder}/installed
        COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DFOLDER=${folder} -P ${web}/install.cmake
        DEPENDS ${web}/package.json ${web}/package-lock.json ${web}/install.cmake
        COMMENT "Installing the console's libraries"
        VERBATIM)
    add_custom_command(OUTPUT ${files}
        COMMAND ${CMAKE_COMMAND} -DWEB=${web} -DFOLDER=${folder} -DESBUILD=${ESBUILD_PROGRAM} -P ${web}/bundle.cmake
        DEPENDS ${folder}/installed ${web}/bundle.cmake ${web}/tsconfig.json ${web}/src/console.html ${web}/src/app.tsx ${web}/src/docs.ts
        DEPFILE ${folder}/sources.d # the other sources
        COMMENT "Bundling the console"
        VERBATIM)
    set(${result} ${files} PARENT_SCOPE)
endfunction()
