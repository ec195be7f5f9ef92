#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

/// The documents of the program as pages: those of docs/, and one for each command and each error.
namespace sundial::http {

/// A page about a command of the program, without its requests.
struct CommandPage {
    std::string command;   // event list
    std::string sentence;  // the help of the command
    std::string markdown;
    std::vector<std::string> operations{};  // operationIds of its requests
};

/// The sources of the pages. The texts must outlive the pages.
struct DocSources {
    std::string_view archive{};  // docs/, packed by cmake/pack_docs.cmake; empty: no pages
    std::string_view errors{};   // docs/reference/errors.md
    std::string_view openapi{};  // for the requests of commands
    std::function<std::vector<CommandPage>()> commands{};  // null: none
};

struct DocPage {
    std::string place;  // "/docs/guide/locks"; its source is there with ".md" added
    std::string file;   // "docs/guide/locks.md": links of the text are relative to it
    std::string kind;   // "How-to guides": a heading of docs/README.md, or Commands, Errors
    std::string title;
    std::string sentence;
    std::string text;  // Markdown
};

struct DocPicture {
    std::string_view type;  // image/png
    std::string bytes;
};

class DocPages {
public:
    explicit DocPages(const DocSources& sources);

    /// In the order of docs/README.md, then commands and errors.
    [[nodiscard]] const std::vector<DocPage>& pages() const { return pages_; }
    /// The page with this address; null if there is none.
    [[nodiscard]] const DocPage* find(std::string_view place) const;
    /// A picture by its file name; null if there is none.
    [[nodiscard]] const DocPicture* picture(std::string_view name) const;

    /// All pages with a sentence each (llmstxt.org).
    [[nodiscard]] const std::string& list() const { return list_; }
    /// All pages in one text. A comment with its address precedes each: <!-- /docs/guide/locks -->
    [[nodiscard]] const std::string& full() const { return full_; }
    /// The same compressed.
    [[nodiscard]] const std::string& full_gzip() const { return full_gzip_; }

private:
    void add_documents(std::map<std::string, std::string> texts);
    void add_commands(const DocSources& sources);
    void add_errors(std::string_view errors);

    std::vector<DocPage> pages_;
    std::map<std::string, std::size_t, std::less<>> by_place_;
    std::map<std::string, DocPicture, std::less<>> pictures_;
    std::string list_;
    std::string full_;
    std::string full_gzip_;
};

/// The section of `errors` about `code`, including its heading; empty if there is none.
[[nodiscard]] std::string_view section_of(std::string_view errors, std::string_view code);

/// The address of a document by its path in the tree: docs/guide/locks.md is /docs/guide/locks,
/// README.md is /docs/project/README. Empty if it is not a document.
[[nodiscard]] std::string place_of_document(std::string_view file);

/// `text` with the characters that mean something in HTML escaped.
[[nodiscard]] std::string html_escaped(std::string_view text);
/// A page for browsers: navigation, and the text as Markdown, which the script shows formatted.
/// `version` is that of script and style; empty: without them. Null: there is no such page.
[[nodiscard]] std::string html_page(const DocPages& pages, const DocPage* page,
                                    std::string_view version);

}  // namespace sundial::http
