#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>

#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/problem.hpp"
#include "api_fixture.hpp"

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

class ConsoleRoutes : public ApiTest {
protected:
    ConsoleRoutes() {
        add_document_routes(router, {.openapi = "{}",
                                     .errors = "",
                                     .start_page = "start",
                                     .console = {.page = "<!doctype html>",
                                                 .script = "script",
                                                 .script_gzip = "compressed script",
                                                 .style = "style",
                                                 .style_gzip = "compressed style",
                                                 .version = "0123"}});
    }
    [[nodiscard]] Response with(const std::string& target, const std::string& name,
                                const std::string& value) {
        Headers headers;
        headers.add(name, value);
        return call("GET", target, {}, headers);
    }
};

TEST_F(ConsoleRoutes, LeadBrowsersToThePageAndProgramsToTheStartPage) {
    const Response browser = with("/", "Accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    EXPECT_EQ(browser.status, 303);
    EXPECT_EQ(browser.headers.find("Location"), "/ui/");
    EXPECT_EQ(browser.headers.find("Vary"), "Accept");
    EXPECT_EQ(with("/", "Accept", "*/*").body, "start");
    EXPECT_EQ(get("/").body, "start");
    EXPECT_EQ(get("/ui").headers.find("Location"), "/ui/");
}

TEST_F(ConsoleRoutes, ForbidScriptsInsideThePageAndForeignAddresses) {
    const Response page = get("/ui/");
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    const std::string policy(page.headers.find("Content-Security-Policy").value_or(""));
    EXPECT_THAT(policy, StartsWith("default-src 'none'; script-src 'self'; style-src 'self';"));
    EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
    EXPECT_EQ(page.headers.find("Cache-Control"), "no-cache");
}

TEST_F(ConsoleRoutes, ServeFilesOfTheirVersionPlainOrCompressed) {
    const Response plain = get("/ui/0123/app.js");
    EXPECT_EQ(plain.body, "script");
    EXPECT_EQ(plain.headers.find("Content-Encoding"), std::nullopt);
    const Response small = with("/ui/0123/app.css", "Accept-Encoding", "br, gzip");
    EXPECT_EQ(small.body, "compressed style");
    EXPECT_EQ(small.content_type, "text/css; charset=utf-8");
    EXPECT_EQ(small.headers.find("Content-Encoding"), "gzip");
    EXPECT_EQ(small.headers.find("Vary"), "Accept-Encoding");
    EXPECT_EQ(with("/ui/0123/app.js", "If-None-Match", "\"0123\"").status, 304);
    EXPECT_EQ(with("/ui/0123/app.js", "If-None-Match", "\"0123-gzip\"").status, 200);
    EXPECT_EQ(get("/ui/4567/app.js").status, 404);
    EXPECT_EQ(get("/ui/0123/secrets.js").status, 404);
}

class WithoutConsole : public ApiTest {
protected:
    WithoutConsole() {
        add_document_routes(router, {.openapi = "{}", .errors = "", .start_page = "start"});
    }
};

TEST_F(WithoutConsole, EveryClientGetsTheStartPage) {
    Headers headers;
    headers.add("Accept", "text/html");
    EXPECT_EQ(call("GET", "/", {}, headers).body, "start");
    const Response page = get("/ui/");
    EXPECT_EQ(page.status, 404);
    EXPECT_THAT(page.body, HasSubstr("SUNDIAL_CONSOLE=OFF"));
    EXPECT_EQ(get("/ui//app.js").status, 404);
}

}  // namespace
}  // namespace sundial::http
