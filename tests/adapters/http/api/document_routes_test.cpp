#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/http/api/doc_pages.hpp"
#include "adapters/http/api/system_routes.hpp"
#include "adapters/http/gzip.hpp"
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
    EXPECT_TRUE(is_document("/docs/guide/locks.md"));
    EXPECT_TRUE(is_document("/llms.txt"));
    EXPECT_TRUE(is_document("/ui"));
    EXPECT_TRUE(is_document("/ui/0123/app.js"));
    EXPECT_FALSE(is_document("/uix"));
    EXPECT_FALSE(is_document("/v1/events"));
}

class ConsoleRoutes : public ApiTest {
protected:
    ConsoleRoutes() {
        add_document_routes(router,
                            {.openapi = "{}",
                             .errors = "",
                             .start_page = "start",
                             .console = {.page = "<!doctype html>",
                                         .files = {{"app.js", "script", "compressed script"},
                                                   {"app.css", "style", "compressed style"}},
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
    EXPECT_EQ(get("/docs/").headers.find("Location"), "/docs");
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

/// Some files as the build packs them.
std::string packed(const std::vector<std::pair<std::string, std::string>>& files) {
    std::string list;
    std::string bytes;
    for (const auto& [path, text] : files) {
        list += std::to_string(text.size()) + ' ' + path + '\n';
        bytes += text;
    }
    return gzip(list + '\n' + bytes);
}

constexpr std::string_view errors_with_one =
    "# Errors\n\n<a id=\"NOT_READY\"></a>\n\n## NOT_READY\n\n**503**. Not ready. Wait.\n";

class DocRoutes : public ApiTest {
protected:
    DocRoutes()
        : archive_(packed({{"README.md", "# Sundial\n\nRead me.\n"},
                           {"docs/README.md",
                            "# Documentation\n\n## How-to guides\n\n| read | for |\n|---|---|\n"
                            "| [Locks](guide/locks.md) | one holder at a time |\n"
                            "\n## Project\n\n| [Sundial](../README.md) | the first page |\n"},
                           {"docs/adr/0001-layers.md", "# 1 Layers\n"},
                           {"docs/guide/locks.md", "# Locks <b>\n\n[list](../README.md)\n"},
                           {"docs/pictures/a.svg", "<svg/>"},
                           {"docs/reference/errors.md", std::string(errors_with_one)}})) {
        const auto commands = [] {
            return std::vector<CommandPage>{{.command = "docs list",
                                             .sentence = "print a|b",
                                             .markdown = "# sundial docs list\n",
                                             .operations = {"getDocumentList"}}};
        };
        add_document_routes(
            router,
            {.openapi = R"({"paths":{"/llms.txt":{"get":{"operationId":"getDocumentList",)"
                        R"("summary":"All","description":"Lists.","responses":{"200":{}}}}}})",
             .errors = errors_with_one,
             .start_page = "start",
             .console = {.page = "console", .files = {}, .version = "0123"},
             .archive = archive_,
             .commands = commands});
    }
    [[nodiscard]] Response accepting(const std::string& target, const std::string& types) {
        Headers headers;
        headers.add("Accept", types);
        return call("GET", target, {}, headers);
    }

private:
    const std::string archive_;
};

TEST_F(DocRoutes, GiveProgramsMarkdownAndBrowsersAPage) {
    const Response source = get("/docs/guide/locks");
    EXPECT_EQ(source.content_type, "text/markdown; charset=utf-8");
    EXPECT_EQ(source.body, "# Locks <b>\n\n[list](../README.md)\n");
    EXPECT_EQ(source.headers.find("Vary"), "Accept, Accept-Encoding");
    EXPECT_EQ(get("/docs/guide/locks.md").body, source.body);
    EXPECT_EQ(accepting("/docs/guide/locks.md", "text/html").content_type,
              "text/plain; charset=utf-8");
    const Response page = accepting("/docs/guide/locks", "text/html,*/*;q=0.8");
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    EXPECT_THAT(page.body, HasSubstr("<pre># Locks &lt;b&gt;\n"));
    EXPECT_THAT(page.body,
                HasSubstr("<a href=\"/docs/guide/locks\" aria-current=\"page\">Locks</a>"));
    EXPECT_THAT(page.body, HasSubstr("src=\"/ui/0123/docs.js\""));
    EXPECT_THAT(std::string(page.headers.find("Content-Security-Policy").value_or("")),
                Not(HasSubstr("unsafe")));
    EXPECT_EQ(get("/docs").body, get("/docs/README.md").body);
}

TEST_F(DocRoutes, AnswerThatATextIsUnchanged) {
    const std::string tag(get("/docs/guide/locks").headers.find("ETag").value_or(""));
    Headers headers;
    headers.add("If-None-Match", tag);
    EXPECT_EQ(call("GET", "/docs/guide/locks", {}, headers).status, 304);
    EXPECT_EQ(call("GET", "/docs/project/README", {}, headers).status, 200);
}

TEST_F(DocRoutes, HaveAPageForEachCommandErrorAndDecision) {
    const std::string command = get("/docs/commands/docs-list").body;
    EXPECT_THAT(command, StartsWith("# sundial docs list\n"));
    EXPECT_THAT(command, HasSubstr("- `GET /llms.txt` (`getDocumentList`): All. Lists. "
                                   "Statuses: 200."));
    EXPECT_THAT(get("/docs/commands").body, HasSubstr("(commands/docs-list.md) | print a\\|b |"));
    EXPECT_EQ(get("/docs/errors/NOT_READY.md").body, "# NOT_READY\n\n**503**. Not ready. Wait.\n");
    const Response old = get("/docs/errors/NOT_READY");
    EXPECT_EQ(old.content_type, "text/plain; charset=utf-8");
    EXPECT_EQ(old.body, "## NOT_READY\n\n**503**. Not ready. Wait.\n");
    EXPECT_EQ(get("/docs/adr/0001-layers").body, "# 1 Layers\n");
    EXPECT_EQ(get("/docs/pictures/a.svg").content_type, "image/svg+xml");
}

TEST_F(DocRoutes, ListAllPagesWithASentence) {
    const std::string list = get("/llms.txt").body;
    EXPECT_THAT(list, HasSubstr("\n## How-to guides\n\n"
                                "- [Locks](/docs/guide/locks.md): one holder at a time\n"));
    EXPECT_THAT(list, HasSubstr("- [Sundial](/docs/project/README.md): the first page\n"));
    EXPECT_THAT(list, HasSubstr("- [1 Layers](/docs/adr/0001-layers.md): 1 Layers.\n"));
    EXPECT_THAT(list, HasSubstr("- [NOT_READY](/docs/errors/NOT_READY.md): Not ready.\n"));
    EXPECT_THAT(get("/llms-full.txt").body, HasSubstr("<!-- /docs/guide/locks -->\n\n# Locks"));
}

TEST_F(DocRoutes, SayWhereDocumentsAreListedInsteadOfAMissingOne) {
    const Response problem = get("/docs/guide/nothing");
    EXPECT_EQ(problem.status, 404);
    EXPECT_THAT(problem.body, HasSubstr("/llms.txt"));
    const Response page = accepting("/docs/nothing", "text/html");
    EXPECT_EQ(page.status, 404);
    EXPECT_THAT(page.body, HasSubstr("No such page"));
    EXPECT_EQ(get("/docs/pictures/b.png").status, 404);
    EXPECT_EQ(get("/docs/errors/NO_SUCH").status, 404);
}

}  // namespace
}  // namespace sundial::http
