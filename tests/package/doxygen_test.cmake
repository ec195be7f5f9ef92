# Runs DOXYGEN over the public headers of SOURCE, with its output in FOLDER. A warning fails, and each public name needs a
# comment; so that the test can fail, a name without one is tried too.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/bare)
file(READ ${SOURCE}/docs/doxygen/Doxyfile settings)

function(document input result)
    string(REGEX REPLACE "\nOUTPUT_DIRECTORY [^\n]*" "\nOUTPUT_DIRECTORY = ${FOLDER}" own "${settings}")
    string(REGEX REPLACE "\nINPUT [^\n]*" "\nINPUT = ${input}" own "${own}")
    file(WRITE ${FOLDER}/Doxyfile "${own}\nGENERATE_HTML = ${ARGN}\nGENERATE_XML = NO\n")
    execute_process(COMMAND ${DOXYGEN} ${FOLDER}/Doxyfile WORKING_DIRECTORY ${SOURCE}
        RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
    set(${result} "${failed}:${said}" PARENT_SCOPE)
endfunction()

document(include/sundial result YES)
if(NOT result STREQUAL "0:")
    message(FATAL_ERROR "doxygen is not content: ${result}")
endif()
if(NOT EXISTS ${FOLDER}/html/index.html)
    message(FATAL_ERROR "doxygen wrote no pages")
endif()

file(WRITE ${FOLDER}/bare/bare.hpp "/// A space.\nnamespace sundial {\n/// Has a member.\nstruct Bare {\n    int member;\n    int other;  // has a comment\n};\n}\n")
document(${FOLDER}/bare result YES)
if(NOT result MATCHES "Member member" OR result MATCHES "Member other")
    message(FATAL_ERROR "a member without a comment, beside one that has it: ${result}")
endif()
file(REMOVE_RECURSE ${FOLDER})
