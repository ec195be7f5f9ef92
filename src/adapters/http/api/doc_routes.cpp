#include "adapters/http/api/doc_routes.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "adapters/http/api/answers.hpp"
#include "adapters/http/gzip.hpp"

namespace sundial::http {
namespace {

constexpr std::string_view docs_root = "/docs";
constexpr std::string_view errors_root = "/docs/errors";
constexpr std::string_view pictures_root = "/docs/pictures/";
constexpr std::string_view markdown_end = ".md";
constexpr const char* markdown_type = "text/markdown; charset=utf-8";
/// Browsers show Markdown of this type instead of offering to save it.
constexpr const char* plain_type = "text/plain; charset=utf-8";
constexpr const char* html_type = "text/html; charset=utf-8";
constexpr std::size_t min_compressed = 1024;  // a shorter body fits in one packet anyway

/// The page loads its script, its style and its pictures from this server, and makes no markup from
/// text.
constexpr const char* page_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' "
    "data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for "
    "'script'; trusted-types 'none'";
/// A picture that is opened by itself runs no script.
constexpr const char* picture_policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Made at the first request for a document, because most servers never get one.
class LazyPages {
public:
    LazyPages(DocSources sources, std::string_view version, std::string_view start_page)
        : version(version), start_page(start_page), sources_(std::move(sources)) {}

    [[nodiscard]] const DocPages& get() const {
        std::call_once(once_, [&] { pages_.emplace(sources_); });
        return *pages_;
    }
    [[nodiscard]] std::string_view errors() const { return sources_.errors; }

    const std::string_view version;
    const std::string_view start_page;

private:
    DocSources sources_;
    mutable std::once_flag once_;
    mutable std::optional<DocPages> pages_;
};

/// FNV-1a: two builds of the same text have the same tag.
std::string tag_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037U;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    }
    return std::to_string(hash);
}

bool names_type(const Request& request, std::string_view type) {
    return request.headers.find("Accept").value_or("").find(type) != std::string_view::npos;
}

/// `text` under an ETag, compressed if the client takes that. `small` is the compressed text if the
/// caller has it.
Response tagged(const Request& request, const char* type, std::string_view text,
                std::string_view small = {}) {
    const bool is_text = std::string_view(type).starts_with("text/");
    const bool compressed =
        is_text && text.size() > min_compressed &&
        accepts_gzip(request.headers.find("Accept-Encoding").value_or(std::string_view()));
    std::string tag = '"' + tag_of(text) + (compressed ? "-gzip\"" : "\"");
    Response response;
    if (request.headers.find("If-None-Match") == tag) {
        response.status = 304;
    } else if (compressed) {
        response = http::text(200, type, small.empty() ? gzip(text) : std::string(small));
        response.headers.add("Content-Encoding", "gzip");
    } else {
        response = http::text(200, type, std::string(text));
    }
    response.headers.add("ETag", std::move(tag));
    response.headers.add("Vary", "Accept, Accept-Encoding");
    response.headers.add("Cache-Control", "no-cache");
    return response;
}

void protect(Response& response, const char* policy) {
    response.headers.add("Content-Security-Policy", policy);
    response.headers.add("Referrer-Policy", "no-referrer");
    response.headers.add("Cross-Origin-Opener-Policy", "same-origin");
}

Response as_page(const LazyPages& docs, const DocPage& page, const Request& request) {
    Response response = tagged(request, html_type, html_page(docs.get(), &page, docs.version));
    protect(response, page_policy);
    return response;
}

Response no_document(const LazyPages& docs, const Request& request) {
    if (!is_browser(request)) {
        return refused({.code = Code::route_not_found,
                        .detail = "there is no document " + request.path +
                                  "; GET /llms.txt lists all documents"},
                       request);
    }
    Response response = text(404, html_type, html_page(docs.get(), nullptr, docs.version));
    protect(response, page_policy);
    response.headers.add("Vary", "Accept");
    return response;
}

Response picture_answer(const DocPicture& picture, const Request& request) {
    Response response = tagged(request, picture.type.data(), picture.bytes);
    protect(response, picture_policy);
    return response;
}

/// The answer for the document at `place`, which may end in ".md".
Response document_answer(const LazyPages& docs, std::string_view place, const Request& request) {
    if (place.starts_with(pictures_root)) {
        const DocPicture* const picture = docs.get().picture(place.substr(pictures_root.size()));
        return picture == nullptr ? no_document(docs, request) : picture_answer(*picture, request);
    }
    const bool source = place.ends_with(markdown_end);
    if (source) place.remove_suffix(markdown_end.size());
    const DocPage* page = docs.get().find(place == "/docs/README" ? docs_root : place);
    if (page == nullptr) return no_document(docs, request);
    const bool browser = is_browser(request);
    if (browser && !source) return as_page(docs, *page, request);
    return tagged(request, browser ? plain_type : markdown_type, page->text);
}

/// The errors as plain text for programs, unchanged since the first release.
bool wants_plain_errors(const LazyPages& docs, const Request& request) {
    return docs.get().pages().empty() ||
           (!is_browser(request) && !names_type(request, "text/markdown"));
}

Response all_errors(const LazyPages& docs, const Request& request) {
    if (!wants_plain_errors(docs, request)) return document_answer(docs, errors_root, request);
    Response response = text(200, plain_type, std::string(docs.errors()));
    response.headers.add("Vary", "Accept");
    return response;
}

Response one_error(const LazyPages& docs, const Request& request) {
    const std::string& code = request.path_value("code");
    const std::string place = std::string(errors_root) + '/' + code;
    if (code.ends_with(markdown_end) || !wants_plain_errors(docs, request)) {
        return document_answer(docs, place, request);
    }
    const std::string_view section = section_of(docs.errors(), code);
    if (section.empty()) {
        return refused({.code = Code::route_not_found,
                        .detail = "unknown error code " + code + "; GET " +
                                  std::string(errors_root) + " lists all codes"},
                       request);
    }
    Response response = text(200, plain_type, std::string(section));
    response.headers.add("Vary", "Accept");
    return response;
}

Response docs_overview(const LazyPages& docs, const Request& request) {
    if (docs.get().pages().empty()) return text(200, html_type, std::string(docs.start_page));
    return document_answer(docs, docs_root, request);
}

}  // namespace

bool is_browser(const Request& request) { return names_type(request, "text/html"); }

void add_doc_routes(Router& router, DocSources sources, std::string_view version,
                    std::string_view start_page) {
    const auto docs = std::make_shared<const LazyPages>(std::move(sources), version, start_page);
    router.add("GET", std::string(docs_root),
               [docs](const Request& request) { return docs_overview(*docs, request); });
    router.add("GET", std::string(errors_root),
               [docs](const Request& request) { return all_errors(*docs, request); });
    router.add("GET", std::string(errors_root) + "/{code}",
               [docs](const Request& request) { return one_error(*docs, request); });
    router.add("GET", "/docs/{page}", [docs](const Request& request) {
        return document_answer(*docs, "/docs/" + request.path_value("page"), request);
    });
    router.add("GET", "/docs/{folder}/{page}", [docs](const Request& request) {
        return document_answer(
            *docs, "/docs/" + request.path_value("folder") + '/' + request.path_value("page"),
            request);
    });
    router.add("GET", "/llms.txt", [docs](const Request& request) {
        return tagged(request, plain_type, docs->get().list());
    });
    router.add("GET", "/llms-full.txt", [docs](const Request& request) {
        return tagged(request, plain_type, docs->get().full(), docs->get().full_gzip());
    });
}

}  // namespace sundial::http
