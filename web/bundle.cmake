# Writes the console's files into FOLDER. usage: cmake -DWEB=... -DFOLDER=... -DESBUILD=... -P bundle.cmake
cmake_minimum_required(VERSION 3.25)

# esbuild finds the libraries through NODE_PATH, so that web/ itself stays free of node_modules.
set(ENV{NODE_PATH} ${FOLDER}/node_modules)
execute_process(COMMAND ${ESBUILD} ${WEB}/src/app.tsx ${WEB}/src/docs.ts --bundle --minify --format=esm --target=es2021 --charset=utf8
        --tsconfig=${WEB}/tsconfig.json --outdir=${FOLDER} --metafile=${FOLDER}/sources.json --log-level=warning
    WORKING_DIRECTORY ${WEB} COMMAND_ERROR_IS_FATAL ANY)
# The build bundles again when one of the bundled sources has changed. The first output stands for all.
file(READ ${FOLDER}/sources.json bundled)
string(JSON count LENGTH ${bundled} inputs)
math(EXPR last "${count} - 1")
set(sources "")
foreach(i RANGE ${last})
    string(JSON source MEMBER ${bundled} inputs ${i})
    if(NOT source MATCHES node_modules)
        string(APPEND sources " ${WEB}/${source}")
    endif()
endforeach()
file(WRITE ${FOLDER}/sources.d "${FOLDER}/console.html:${sources}\n")
# The libraries' licences go with every copy of them.
function(append_licence script library)
    file(READ ${FOLDER}/node_modules/${library}/LICENSE licence)
    file(APPEND ${FOLDER}/${script} "/*! ${library}\n${licence}*/\n")
endfunction()
append_licence(app.js preact)
append_licence(app.js uplot)
append_licence(docs.js marked)
set(hashes "")
foreach(file app.js app.css docs.js docs.css)
    execute_process(COMMAND gzip -9 -n -c ${FOLDER}/${file} OUTPUT_FILE ${FOLDER}/${file}.gz COMMAND_ERROR_IS_FATAL ANY)
    file(SHA256 ${FOLDER}/${file} hash)
    string(APPEND hashes ${hash})
endforeach()
string(SHA256 version "${hashes}")
string(SUBSTRING ${version} 0 16 version)
file(WRITE ${FOLDER}/console.version ${version})
configure_file(${WEB}/src/console.html ${FOLDER}/console.html @ONLY)
