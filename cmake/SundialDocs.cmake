# sundial_docs(RESULT)
#
# Packs the documents (docs/, and the Markdown files beside it) into one compressed file below the build, and puts its path
# into RESULT. Its reader is src/adapters/http/api/doc_pages.cpp.
function(sundial_docs result)
    set(root ${PROJECT_SOURCE_DIR})
    file(GLOB_RECURSE files RELATIVE ${root} CONFIGURE_DEPENDS
        ${root}/docs/*.md ${root}/docs/pictures/*.png ${root}/docs/pictures/*.svg)
    foreach(name README ARCHITECTURE CONTRIBUTING CHANGELOG SECURITY)
        list(APPEND files ${name}.md)
    endforeach()
    list(SORT files)
    list(TRANSFORM files PREPEND ${root}/ OUTPUT_VARIABLE sources)
    set(archive ${PROJECT_BINARY_DIR}/docs/documents.gz)
    add_custom_command(OUTPUT ${archive}
        COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DOUTPUT=${archive} "-DFILES=${files}" -P ${root}/cmake/pack_docs.cmake
        DEPENDS ${sources} ${root}/cmake/pack_docs.cmake
        COMMENT "Packing the documents"
        VERBATIM)
    set(${result} ${archive} PARENT_SCOPE)
endfunction()
