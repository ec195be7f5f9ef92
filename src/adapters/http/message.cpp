#include "adapters/http/message.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"

namespace sundial::http {
namespace {

std::optional<unsigned> hex_value(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
    return std::nullopt;
}

bool has_control_character(std::string_view text) {
    return std::ranges::any_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

/// "a=1&b=2". A parameter without '=' has an empty value; empty parameters are skipped.
bool read_query(std::string_view query, std::vector<Parameter>& parameters) {
    while (!query.empty()) {
        const std::string_view part = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(query.size(), part.size() + 1));
        if (part.empty()) continue;
        const std::size_t equals = part.find('=');
        auto name = percent_decoded(part.substr(0, equals), true);
        auto value = percent_decoded(
            equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1), true);
        if (!name || !value) return false;
        parameters.push_back({std::move(*name), std::move(*value)});
    }
    return true;
}

}  // namespace

void Headers::add(std::string name, std::string value) {
    fields_.push_back({std::move(name), std::move(value)});
}

void Headers::set(std::string name, std::string value) {
    std::erase_if(fields_,
                  [&](const Parameter& field) { return same_ignoring_case(field.name, name); });
    add(std::move(name), std::move(value));
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
    for (const Parameter& field : fields_) {
        if (same_ignoring_case(field.name, name)) return field.value;
    }
    return std::nullopt;
}

std::optional<std::string_view> Request::query_value(std::string_view name) const {
    const auto found = std::ranges::find(query, name, &Parameter::name);
    return found == query.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

const std::string& Request::path_value(std::string_view name) const {
    const auto found = std::ranges::find(path_parameters, name, &Parameter::name);
    base::check(found != path_parameters.end());
    return found->value;
}

Response json(int status, std::string body) {
    return text(status, "application/json", std::move(body));
}

Response text(int status, std::string content_type, std::string body) {
    return {.status = status, .content_type = std::move(content_type), .body = std::move(body)};
}

Response no_content() { return text(204, "", ""); }

bool sane_request_id(std::string_view id) {
    return !id.empty() && id.size() <= 128 &&
           std::ranges::all_of(id, [](char c) { return c > 0x20 && c < 0x7f; });
}

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            if (text.size() - i < 3) return std::nullopt;
            const auto high = hex_value(text[i + 1]);
            const auto low = hex_value(text[i + 2]);
            if (!high || !low) return std::nullopt;
            decoded += static_cast<char>(*high << 4 | *low);
            i += 2;
        } else {
            decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
        }
    }
    if (!base::count_code_points(decoded) || has_control_character(decoded)) return std::nullopt;
    return decoded;
}

bool read_target(std::string_view target, Request& request) {
    if (target.starts_with("http://") || target.starts_with("https://")) {
        const std::size_t authority = target.find("//") + 2;
        const std::size_t path = std::min(target.find('/', authority), target.size());
        // RFC 9112 3.2.2: the host in the target wins over Host.
        request.headers.set("Host", std::string(target.substr(authority, path - authority)));
        target = path == target.size() ? "/" : target.substr(path);
    }
    request.target = target;
    request.query.clear();
    const std::size_t question = target.find('?');
    auto path = percent_decoded(target.substr(0, question), false);
    if (!path) return false;
    request.path = std::move(*path);
    return question == std::string_view::npos ||
           read_query(target.substr(question + 1), request.query);
}

}  // namespace sundial::http
