# The build step of sundial_docs(): writes OUTPUT from FILES below ROOT, compressed by gzip. It holds a line `SIZE PATH` for
# each file, an empty line, and the files' bytes in this order. The same files give the same bytes.
# usage: cmake -DROOT=... -DOUTPUT=... -DFILES=a.md;b.md -P pack_docs.cmake
cmake_minimum_required(VERSION 3.25)

get_filename_component(folder ${OUTPUT} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
set(list "")
foreach(file IN LISTS FILES)
    file(SIZE ${ROOT}/${file} size)
    string(APPEND list "${size} ${file}\n")
endforeach()
file(WRITE ${folder}/list "${list}\n")
execute_process(
    COMMAND cat ${folder}/list ${FILES}
    COMMAND gzip -9 -n -c
    WORKING_DIRECTORY ${ROOT} OUTPUT_FILE ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
