#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>

#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/problem.hpp"

namespace sundial::http {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string text_of_file(const char* path) {
    std::ostringstream text;
    text << std::ifstream{path}.rdbuf();
    return text.str();
}

TEST(ErrorDocument, HasASectionForEveryCode) {
    const std::string errors = text_of_file(SUNDIAL_ERRORS);
    for (const ProblemKind& kind : problem_kinds()) {
        const std::string name(kind.name);
        const std::string section(section_of(errors, name));
        EXPECT_THAT(section, StartsWith("## " + name + "\n")) << name;
        EXPECT_THAT(section, HasSubstr("**" + std::to_string(kind.status) + "**")) << name;
        EXPECT_THAT(section.substr(1), Not(HasSubstr("\n## "))) << name;
    }
    EXPECT_EQ(section_of(errors, "NO_SUCH_CODE"), "");
    EXPECT_EQ(section_of(errors, ""), "");
}

TEST(ErrorDocument, EndsWithItsLastSection) {
    const std::string_view page =
        "<a id=\"A\"></a>\n\n## A\n\n1\n\n<a id=\"B\"></a>\n\n## B\n\n2\n";
    EXPECT_EQ(section_of(page, "A"), "## A\n\n1\n\n");
    EXPECT_EQ(section_of(page, "B"), "## B\n\n2\n");
}

TEST(Documents, NeedNoDatabase) {
    EXPECT_TRUE(is_document("/"));
    EXPECT_TRUE(is_document("/docs"));
    EXPECT_TRUE(is_document("/openapi.json"));
    EXPECT_TRUE(is_document("/docs/errors"));
    EXPECT_TRUE(is_document("/docs/errors/NOT_READY"));
    EXPECT_TRUE(is_document("/ui"));
    EXPECT_TRUE(is_document("/ui/0123/app.js"));
    EXPECT_FALSE(is_document("/uix"));
    EXPECT_FALSE(is_document("/v1/events"));
}

}  // namespace
}  // namespace sundial::http
