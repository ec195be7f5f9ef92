#pragma once

#include <string_view>

#include "adapters/http/api/doc_pages.hpp"
#include "adapters/http/router.hpp"

namespace sundial::http {

/// The documents below /docs, /llms.txt and /llms-full.txt. A browser gets a page, other clients
/// the Markdown, which each page also has at its address with ".md" added. `version` is that of the
/// script and style of the pages; empty: without them. `start_page` is the answer of /docs in a
/// program without documents.
void add_doc_routes(Router& router, DocSources sources, std::string_view version,
                    std::string_view start_page);

/// Whether the client names HTML in Accept. Programs accept any type.
[[nodiscard]] bool is_browser(const Request& request);

}  // namespace sundial::http
