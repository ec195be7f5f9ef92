#include "adapters/http/json.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <utility>

#include "adapters/http/strict_json.hpp"

namespace sundial::http {
namespace {

// These functions expect well-formed text.

std::size_t after_space(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t\n\r", at), text.size());
}

std::size_t after_string(std::string_view text, std::size_t at) {
    for (++at; text[at] != '"'; ++at) {
        if (text[at] == '\\') ++at;
    }
    return at + 1;
}

std::size_t after_value(std::string_view text, std::size_t at) {
    if (text[at] == '"') return after_string(text, at);
    if (text[at] != '{' && text[at] != '[') {
        return std::min(text.find_first_of(",]} \t\n\r", at), text.size());
    }
    std::size_t depth = 0;
    do {
        if (text[at] == '"') {
            at = after_string(text, at);
            continue;
        }
        if (text[at] == '{' || text[at] == '[') ++depth;
        if (text[at] == '}' || text[at] == ']') --depth;
        ++at;
    } while (depth > 0);
    return at;
}

/// Position of the next value, or of the closing bracket.
std::size_t after_comma(std::string_view text, std::size_t at) {
    at = after_space(text, at);
    return text[at] == ',' ? after_space(text, at + 1) : at;
}

bool means(std::string_view string_token, std::string_view name) {
    if (string_token.find('\\') == std::string_view::npos) {
        return string_token.substr(1, string_token.size() - 2) == name;
    }
    return boost::json::parse({string_token.data(), string_token.size()}).as_string() == name;
}

}  // namespace

struct JsonBody::State {
    std::string text;
    boost::json::value value;
};

base::Result<JsonBody, Problem> JsonBody::read(std::string text, const JsonLimits& limits) {
    if (auto fault = fault_in_json(text, limits)) return std::move(*fault);
    boost::json::parse_options options;
    options.max_depth = limits.depth + 1;
    auto value = boost::json::parse(text, {}, options);
    return JsonBody(std::make_shared<const State>(State{std::move(text), std::move(value)}));
}

const boost::json::value& JsonBody::value() const { return state_->value; }

std::string_view JsonBody::text() const { return state_->text; }

std::optional<std::string_view> JsonBody::raw_member(std::string_view name) const {
    if (!state_->value.is_object()) return std::nullopt;
    return http::raw_member(state_->text, name);
}

std::optional<std::string_view> raw_member(std::string_view object, std::string_view name) {
    std::size_t at = after_space(object, object.find('{') + 1);
    while (object[at] != '}') {
        const std::size_t key_end = after_string(object, at);
        const std::string_view key = object.substr(at, key_end - at);
        const std::size_t begin = after_space(object, object.find(':', key_end) + 1);
        const std::size_t end = after_value(object, begin);
        if (means(key, name)) return object.substr(begin, end - begin);
        at = after_comma(object, end);
    }
    return std::nullopt;
}

std::vector<std::string_view> raw_items(std::string_view array) {
    std::vector<std::string_view> items;
    std::size_t at = after_space(array, array.find('[') + 1);
    while (array[at] != ']') {
        const std::size_t end = after_value(array, at);
        items.push_back(array.substr(at, end - at));
        at = after_comma(array, end);
    }
    return items;
}

}  // namespace sundial::http
