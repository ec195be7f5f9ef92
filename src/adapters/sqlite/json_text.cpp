#include "adapters/sqlite/json_text.hpp"

#include <charconv>

#include "application/ports/failures.hpp"
#include "base/json.hpp"

namespace sundial::sqlite {
namespace {

[[noreturn]] void refuse(std::string_view json) {
    throw Corrupt{"the database has a text that is not JSON of Sundial, of " +
                  std::to_string(json.size()) + " bytes"};
}

/// Reads a string that `base::append_json_string` wrote, starting after the opening quote. Leaves
/// `at` after the closing quote.
std::string read_string(std::string_view json, std::size_t& at) {
    std::string text;
    while (at < json.size()) {
        const char c = json[at++];
        if (c == '"') return text;
        if (c != '\\') {
            text += c;
            continue;
        }
        if (at == json.size()) break;
        switch (const char escaped = json[at++]) {
            case 'n':
                text += '\n';
                break;
            case 'r':
                text += '\r';
                break;
            case 't':
                text += '\t';
                break;
            case 'u': {
                unsigned code = 0;
                const auto digits = json.substr(at, 4);
                const auto [end, error] =
                    std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
                // Only control characters are escaped this way.
                if (error != std::errc{} || end != digits.data() + 4 || code >= 0x20) refuse(json);
                text += static_cast<char>(code);
                at += 4;
                break;
            }
            default:
                text += escaped;
        }
    }
    refuse(json);
}

template <class Value, class Number>
std::vector<Value> numbers_in(std::string_view json) {
    std::vector<Value> numbers;
    for (std::size_t at = json.find_first_of("0123456789"); at != std::string_view::npos;
         at = json.find_first_of("0123456789", at)) {
        Number number = 0;
        const auto [end, error] =
            std::from_chars(json.data() + at, json.data() + json.size(), number);
        if (error != std::errc{}) refuse(json);
        numbers.emplace_back(number);
        at = static_cast<std::size_t>(end - json.data());
    }
    return numbers;
}

}  // namespace

std::string object_of(const TextPairs& members) {
    base::JsonWriter json;
    json.begin_object();
    for (const auto& [name, value] : members) json.member(name, value);
    return std::move(json.end_object()).text();
}

std::string array_of(const TextPairs& pairs) {
    base::JsonWriter json;
    json.begin_array();
    for (const auto& [name, value] : pairs) {
        json.begin_array().value(name).value(value).end_array();
    }
    return std::move(json.end_array()).text();
}

std::vector<std::string> texts_in(std::string_view json) {
    std::vector<std::string> texts;
    for (std::size_t at = 0; at < json.size();) {
        if (json[at++] == '"') texts.push_back(read_string(json, at));
    }
    return texts;
}

TextPairs pairs_in(std::string_view json) {
    // Both formats hold a pair as two consecutive strings.
    std::vector<std::string> strings = texts_in(json);
    if (strings.size() % 2 != 0) refuse(json);
    TextPairs pairs;
    for (std::size_t i = 0; i < strings.size(); i += 2) {
        pairs.emplace_back(std::move(strings[i]), std::move(strings[i + 1]));
    }
    return pairs;
}

std::string array_of(const std::vector<std::string>& texts) {
    base::JsonWriter json;
    json.begin_array();
    for (const auto& text : texts) json.value(text);
    return std::move(json.end_array()).text();
}

std::string array_of(const std::vector<std::chrono::seconds>& numbers) {
    base::JsonWriter json;
    json.begin_array();
    for (const auto number : numbers) json.value(number.count());
    return std::move(json.end_array()).text();
}

std::string array_of(const std::vector<std::uint32_t>& numbers) {
    base::JsonWriter json;
    json.begin_array();
    for (const std::uint32_t number : numbers) json.value(number);
    return std::move(json.end_array()).text();
}

std::vector<std::chrono::seconds> seconds_in(std::string_view json) {
    return numbers_in<std::chrono::seconds, std::int64_t>(json);
}

std::vector<std::uint32_t> counts_in(std::string_view json) {
    return numbers_in<std::uint32_t, std::uint32_t>(json);
}

std::string array_of(const std::vector<SigningKey>& keys) {
    base::JsonWriter json;
    json.begin_array();
    for (const auto& [scheme, sealed, until] : keys) {
        json.begin_array().value(to_string(scheme)).value(sealed);
        json.value(std::to_string(until.time_since_epoch().count())).end_array();
    }
    return std::move(json.end_array()).text();
}

std::vector<SigningKey> signing_keys_in(std::string_view json) {
    std::vector<std::string> strings = texts_in(json);
    if (strings.size() % 3 != 0) refuse(json);
    std::vector<SigningKey> keys;
    for (std::size_t i = 0; i < strings.size(); i += 3) {
        const auto scheme = parse_signature_scheme(strings[i]);
        const std::string& digits = strings[i + 2];
        std::int64_t until = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), until);
        if (!scheme || error != std::errc{} || end != digits.data() + digits.size()) refuse(json);
        keys.push_back(
            {*scheme, std::move(strings[i + 1]), Instant{std::chrono::microseconds{until}}});
    }
    return keys;
}

std::string array_of(const std::vector<EndpointHeader>& headers) {
    base::JsonWriter json;
    json.begin_array();
    for (const auto& [name, sealed, hint] : headers) {
        json.begin_array().value(name).value(sealed).value(hint).end_array();
    }
    return std::move(json.end_array()).text();
}

std::vector<EndpointHeader> endpoint_headers_in(std::string_view json) {
    std::vector<std::string> strings = texts_in(json);
    if (strings.size() % 3 != 0) refuse(json);
    std::vector<EndpointHeader> headers;
    for (std::size_t i = 0; i < strings.size(); i += 3) {
        headers.push_back(
            {std::move(strings[i]), std::move(strings[i + 1]), std::move(strings[i + 2])});
    }
    return headers;
}

}  // namespace sundial::sqlite
