#include "adapters/http/media_type.hpp"

#include <algorithm>

#include "adapters/http/message.hpp"
#include "base/text.hpp"

namespace sundial::http {
namespace {

/// Returns the part before `separator`; leaves the rest in `text`.
std::string_view next_part(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return base::trimmed(part);
}

/// q=0, q=0., q=0.000
bool refuses(std::string_view parameter) {
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) return false;
    return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
}

/// How exactly `range` matches `type`: 0 not at all, 1 by */*, 2 by type/*, 3 in full.
int exactness(std::string_view range, std::string_view type) {
    if (same_ignoring_case(range, type)) return 3;
    if (range == "*/*") return 1;
    const std::string_view family = type.substr(0, type.find('/') + 1);
    const bool same_family =
        range.ends_with("/*") && same_ignoring_case(range.substr(0, range.size() - 1), family);
    return same_family ? 2 : 0;
}

bool accepts(std::string_view accept, std::string_view type) {
    int best = 0;
    bool welcome = false;
    while (!accept.empty()) {
        std::string_view entry = next_part(accept, ',');
        const int fit = exactness(next_part(entry, ';'), type);
        bool refused = false;
        while (!entry.empty()) refused = refuses(next_part(entry, ';')) || refused;
        if (fit > best) {
            best = fit;
            welcome = !refused;
        }
    }
    return welcome;
}

}  // namespace

std::string media_type_of(std::string_view content_type) {
    std::string type(next_part(content_type, ';'));
    std::ranges::transform(type, type.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    while (!content_type.empty()) {
        std::string_view parameter = next_part(content_type, ';');
        const std::string_view name = next_part(parameter, '=');
        if (!same_ignoring_case(name, "charset")) continue;
        if (!same_ignoring_case(parameter, "utf-8") &&
            !same_ignoring_case(parameter, "\"utf-8\"")) {
            return "";
        }
    }
    return type;
}

bool acceptable(std::string_view accept, const std::vector<std::string>& types) {
    return base::trimmed(accept).empty() || types.empty() ||
           std::ranges::any_of(types,
                               [&](const std::string& type) { return accepts(accept, type); });
}

bool is_json(std::string_view media_type) {
    return media_type == "application/json" || media_type.ends_with("+json");
}

}  // namespace sundial::http
