# The build step of sundial_embed(): writes OUTPUT from FILES. Variables: OUTPUT HEADER NAMESPACE FILES.
include(${CMAKE_CURRENT_LIST_DIR}/SundialEmbed.cmake)

set(definitions "")
set(entries "")
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    sundial_embedded_identifier(${name} identifier)
    file(SIZE ${file} size)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" escaped "${hex}")
    string(REPEAT "." 100 line)  # 25 bytes
    string(REGEX REPLACE "(${line})" "\\1\"\n    \"" escaped "${escaped}")
    string(APPEND definitions
        "constexpr std::string_view ${identifier}{\n    \"${escaped}\",\n    ${size}};\n")
    string(APPEND entries "    {\"${name}\", ${identifier}},\n")
endforeach()

file(WRITE ${OUTPUT} "// Written by cmake/embed_files.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {

${definitions}
namespace {
constexpr sundial::base::EmbeddedFile all[]{
${entries}};
}  // namespace

constexpr std::span<const sundial::base::EmbeddedFile> embedded_files{all};

}  // namespace ${NAMESPACE}
")
