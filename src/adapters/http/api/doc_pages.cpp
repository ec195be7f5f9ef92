#include "adapters/http/api/doc_pages.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstddef>
#include <optional>
#include <utility>

#include "adapters/http/gzip.hpp"
#include "base/check.hpp"
#include "base/text.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view index_file = "docs/README.md";
constexpr std::string_view pictures_folder = "docs/pictures/";
constexpr std::string_view commands_kind = "Commands";
constexpr std::string_view errors_kind = "Errors";
constexpr std::string_view decisions_kind = "Decisions";
constexpr std::string_view project_kind = "Project";

/// Start of a section of errors.md; an empty line separates it from the heading.
constexpr std::string_view section_anchor = "<a id=\"";
constexpr std::string_view section_anchor_end = "\"></a>";

/// Removes the first line of `text` and returns it without its end.
std::string_view take_line(std::string_view& text) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

/// Path and content of each file of the archive.
std::vector<std::pair<std::string, std::string>> unpacked(std::string_view archive) {
    const std::string all = gunzip(archive);
    std::string_view rest = all;
    std::vector<std::pair<std::string, std::size_t>> sizes;
    for (std::string_view line = take_line(rest); !line.empty(); line = take_line(rest)) {
        const auto space = line.find(' ');
        std::size_t size = 0;
        std::from_chars(line.data(), line.data() + space, size);
        sizes.emplace_back(line.substr(space + 1), size);
    }
    std::vector<std::pair<std::string, std::string>> files;
    files.reserve(sizes.size());
    for (auto& [path, size] : sizes) {
        base::check(size <= rest.size());
        files.emplace_back(std::move(path), rest.substr(0, size));
        rest.remove_prefix(size);
    }
    return files;
}

/// The text of the first heading.
std::string title_of(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = take_line(text);
        if (line.starts_with("# ")) return std::string(line.substr(2));
    }
    return {};
}

/// A link of docs/README.md as a path in the tree, without a leading "../".
std::string path_of_link(std::string_view link) {
    constexpr std::string_view above = "../";
    if (link.starts_with(above)) return std::string(link.substr(above.size()));
    return "docs/" + std::string(link);
}

struct IndexRow {
    std::string file;
    std::string kind;
    std::string title;
    std::string sentence;
};

/// The rows `| [Title](file.md) | sentence |` below the headings of docs/README.md.
std::vector<IndexRow> rows_of_index(std::string_view index) {
    std::vector<IndexRow> rows;
    std::string kind;
    while (!index.empty()) {
        std::string_view line = take_line(index);
        if (line.starts_with("## ")) kind = line.substr(3);
        constexpr std::string_view begin = "| [";
        const auto middle = line.find("](");
        const auto link_end = line.find(") | ", middle);
        const auto end = line.rfind(" |");
        if (!line.starts_with(begin) || link_end == std::string_view::npos || end <= link_end) {
            continue;
        }
        const auto sentence = link_end + 4;
        rows.push_back({path_of_link(line.substr(middle + 2, link_end - middle - 2)), kind,
                        std::string(line.substr(begin.size(), middle - begin.size())),
                        std::string(line.substr(sentence, end - sentence))});
    }
    return rows;
}

/// "**503**, retryable. The server drains. Wait." -> "The server drains."
std::string first_sentence(std::string_view section) {
    const auto status_end = section.find("**.") == std::string_view::npos
                                ? section.find(". ", section.find("**"))
                                : section.find("**.") + 2;
    const auto begin = status_end == std::string_view::npos ? 0 : status_end + 2;
    auto end = section.find(". ", begin);
    end = end == std::string_view::npos ? section.find(".\n", begin) : end;
    std::string text(section.substr(begin, end == std::string_view::npos ? end : end + 1 - begin));
    std::ranges::replace(text, '\n', ' ');
    return text;
}

namespace bj = boost::json;

std::string text_member(const bj::object& object, std::string_view name) {
    const bj::value* const found = object.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

/// operationId -> its request in words.
std::map<std::string, std::string> requests_of(std::string_view openapi) {
    std::map<std::string, std::string> requests;
    const bj::value document = bj::parse(openapi);
    const bj::value* const paths = document.as_object().if_contains("paths");
    if (paths == nullptr) return requests;
    for (const auto& path : paths->as_object()) {
        for (const auto& entry : path.value().as_object()) {
            if (!entry.value().is_object()) continue;  // parameters of the path
            const bj::object& operation = entry.value().as_object();
            std::string method(entry.key());
            std::ranges::transform(method, method.begin(), base::upper);
            std::string text = "`" + method + ' ' + std::string(path.key()) + "` (`" +
                               text_member(operation, "operationId") +
                               "`): " + text_member(operation, "summary") + ". " +
                               text_member(operation, "description");
            std::string statuses;
            if (const bj::value* const responses = operation.if_contains("responses")) {
                for (const auto& response : responses->as_object()) {
                    statuses += (statuses.empty() ? "" : ", ") + std::string(response.key());
                }
            }
            if (!statuses.empty()) text += " Statuses: " + statuses + ".";
            requests.emplace(text_member(operation, "operationId"), std::move(text));
        }
    }
    return requests;
}

std::string table_cell(std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2))
        text.insert(at, "\\");
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

std::string_view section_of(std::string_view errors, std::string_view code) {
    const auto own =
        errors.find(std::string(section_anchor).append(code).append(section_anchor_end));
    if (own == std::string_view::npos) return {};
    const auto begin = errors.find("## ", own);
    return errors.substr(begin, errors.find(section_anchor, begin) - begin);
}

std::string place_of_document(std::string_view file) {
    constexpr std::string_view markdown = ".md";
    constexpr std::string_view folder = "docs/";
    if (file == index_file) return "/docs";
    if (!file.ends_with(markdown)) return {};
    const std::string_view name = file.substr(0, file.size() - markdown.size());
    if (name.starts_with(folder)) return '/' + std::string(name);
    return name.find('/') == std::string_view::npos ? "/docs/project/" + std::string(name)
                                                    : std::string();
}

DocPages::DocPages(const DocSources& sources) {
    if (sources.archive.empty()) return;
    std::map<std::string, std::string> texts;
    for (auto& [path, content] : unpacked(sources.archive)) {
        if (path.starts_with(pictures_folder)) {
            pictures_.emplace(
                path.substr(pictures_folder.size()),
                DocPicture{path.ends_with(".svg") ? "image/svg+xml" : "image/png", content});
        } else {
            texts.emplace(path, std::move(content));
        }
    }
    add_documents(std::move(texts));
    add_commands(sources);
    add_errors(sources.errors);
    for (std::size_t i = 0; i < pages_.size(); ++i) by_place_.emplace(pages_[i].place, i);
    if (const auto errors = by_place_.find("/docs/reference/errors"); errors != by_place_.end()) {
        by_place_.emplace("/docs/errors", errors->second);
    }

    list_ =
        "# Sundial\n\n"
        "> Sundial is a durable event scheduler that knows time zones: it delivers each event "
        "once, at its local time, through crashes, restarts and clock changes.\n\n"
        "Each page is Markdown. /llms-full.txt has all of them in one text, /openapi.json "
        "describes the HTTP API.\n";
    std::string kind;
    for (const DocPage& page : pages_) {
        if (page.kind != kind) list_ += "\n## " + page.kind + "\n\n";
        kind = page.kind;
        const bool index = page.file == index_file;
        list_ += "- [" + page.title + "](" + page.place + (index ? "/README.md" : ".md") +
                 "): " + page.sentence + '\n';
        // Error sections are in docs/reference/errors.md, too.
        if (page.kind == errors_kind) continue;
        full_ += "<!-- " + page.place + " -->\n\n" + page.text + "\n\n";
    }
    full_gzip_ = gzip(full_);
}

void DocPages::add_documents(std::map<std::string, std::string> texts) {
    const auto add = [&](const std::string& file, std::string kind, std::string title,
                         std::string sentence) {
        const auto found = texts.find(file);
        if (found == texts.end()) return;
        if (title.empty()) title = title_of(found->second);
        if (sentence.empty()) sentence = title + '.';
        pages_.push_back({place_of_document(file), file, std::move(kind), std::move(title),
                          std::move(sentence), std::move(found->second)});
        texts.erase(found);
    };
    const auto index = texts.find(std::string(index_file));
    const auto rows = rows_of_index(index == texts.end() ? "" : index->second);
    add(std::string(index_file), "Start", "Documentation", "All documents by their purpose.");
    for (const IndexRow& row : rows) add(row.file, row.kind, row.title, row.sentence);
    const auto add_unlisted = [&](bool decisions, std::string_view kind) {
        std::vector<std::string> files;
        for (const auto& [file, text] : texts) {
            if (file.starts_with("docs/adr/") == decisions) files.push_back(file);
        }
        for (const std::string& file : files) add(file, std::string(kind), "", "");
    };
    add_unlisted(false, project_kind);
    add_unlisted(true, decisions_kind);
}

void DocPages::add_commands(const DocSources& sources) {
    if (!sources.commands) return;
    const auto requests = requests_of(sources.openapi);
    std::string list =
        "# Commands\n\nA page for each command. [Command line](reference/cli.md) explains what all "
        "of them have in common: values, lists, changes, exit codes.\n\n| command | does "
        "|\n|---|---|\n";
    std::vector<DocPage> added;
    for (CommandPage& command : sources.commands()) {
        std::string name = command.command;
        std::ranges::replace(name, ' ', '-');
        std::string text = std::move(command.markdown);
        if (!command.operations.empty()) text += "\n## Requests\n\n";
        for (const std::string& operation : command.operations) {
            const auto found = requests.find(operation);
            if (found != requests.end()) text += "- " + found->second + '\n';
        }
        list += "| [sundial " + command.command + "](commands/" + name + ".md) | " +
                table_cell(command.sentence) + " |\n";
        const std::string path = "docs/commands/" + name;
        added.push_back({'/' + path, path + ".md", std::string(commands_kind),
                         "sundial " + command.command, std::move(command.sentence),
                         std::move(text)});
    }
    pages_.push_back({"/docs/commands", "docs/commands.md", std::string(commands_kind),
                      "All commands", "Every command with what it does.", std::move(list)});
    std::ranges::move(added, std::back_inserter(pages_));
}

void DocPages::add_errors(std::string_view errors) {
    std::string_view rest = errors;
    for (;;) {
        const auto begin = rest.find(section_anchor);
        if (begin == std::string_view::npos) return;
        rest.remove_prefix(begin + section_anchor.size());
        const std::string code(rest.substr(0, rest.find(section_anchor_end)));
        const std::string_view section = section_of(errors, code);
        if (section.empty()) continue;
        pages_.push_back({"/docs/errors/" + code, "docs/reference/errors.md",
                          std::string(errors_kind), code, first_sentence(section),
                          std::string(section.substr(1))});  // a heading of the first level
    }
}

const DocPage* DocPages::find(std::string_view place) const {
    const auto found = by_place_.find(place);
    return found == by_place_.end() ? nullptr : &pages_[found->second];
}

const DocPicture* DocPages::picture(std::string_view name) const {
    const auto found = pictures_.find(name);
    return found == pictures_.end() ? nullptr : &found->second;
}

std::string html_escaped(std::string_view text) {
    std::string escaped;
    escaped.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                escaped += "&amp;";
                break;
            case '<':
                escaped += "&lt;";
                break;
            case '>':
                escaped += "&gt;";
                break;
            case '"':
                escaped += "&quot;";
                break;
            default:
                escaped += c;
        }
    }
    return escaped;
}

namespace {

/// The groups of pages; those of the page that is shown are open.
std::string navigation(const DocPages& pages, const DocPage* shown) {
    std::string html = "<nav id=\"pages\" aria-label=\"Documents\">\n";
    std::string kind;
    for (const DocPage& page : pages.pages()) {
        if (page.kind != kind) {
            const bool folded = page.kind == decisions_kind || page.kind == commands_kind ||
                                page.kind == errors_kind || page.kind == project_kind;
            const bool open = !folded || (shown != nullptr && shown->kind == page.kind);
            if (!kind.empty()) html += "</ul></details>\n";
            kind = page.kind;
            html += std::string("<details") + (open ? " open" : "") + "><summary>" +
                    html_escaped(kind) + "</summary><ul>\n";
        }
        html += "<li><a href=\"" + page.place + '"' +
                (&page == shown ? " aria-current=\"page\"" : "") + '>' + html_escaped(page.title) +
                "</a></li>\n";
    }
    if (!kind.empty()) html += "</ul></details>\n";
    return html + "</nav>\n";
}

}  // namespace

std::string html_page(const DocPages& pages, const DocPage* page, std::string_view version) {
    const std::string title = html_escaped(page == nullptr ? "No such page" : page->title);
    const std::string source =
        page == nullptr ? "/llms.txt"
                        : page->place + (page->file == index_file ? "/README.md" : ".md");
    std::string html =
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<title>" +
        title + " · Sundial</title>\n<link rel=\"icon\" href=\"data:,\">\n";
    if (page != nullptr) {
        html += "<link rel=\"alternate\" type=\"text/markdown\" href=\"" + source + "\">\n";
    }
    if (!version.empty()) {
        const std::string folder = "/ui/" + std::string(version);
        html += "<link rel=\"stylesheet\" href=\"" + folder + "/docs.css\">\n" +
                "<script type=\"module\" src=\"" + folder + "/docs.js\"></script>\n";
    }
    html +=
        "<body>\n<a class=\"skip\" href=\"#content\">Skip to the text</a>\n"
        "<header><a class=\"name\" href=\"/docs\">Sundial</a> <a href=\"/\">Console</a> "
        "<a href=\"" +
        source + "\">This page as Markdown</a></header>\n<div class=\"body\">\n" +
        navigation(pages, page) + "<main id=\"content\" tabindex=\"-1\" data-file=\"" +
        (page == nullptr ? std::string(index_file) : page->file) + "\">\n<pre>";
    html += html_escaped(page == nullptr
                             ? std::string_view("# No such page\n\nThere is no document with this "
                                                "address. Search, or choose a page of the list.\n")
                             : std::string_view(page->text));
    return html + "</pre>\n</main>\n</div>\n</body>\n</html>\n";
}

}  // namespace sundial::http
