#include "adapters/http/json.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.hpp"
#include "domain/names.hpp"

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

namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

/// Length in bytes of the well-formed character at `at`; 0 if there is none.
std::size_t character_length(std::string_view text, std::size_t at) {
    for (std::size_t length = 1; length <= 4 && at + length <= text.size(); ++length) {
        if (base::count_code_points(text.substr(at, length)) == 1) return length;
    }
    return 0;
}

void append_ascii(std::string& out, unsigned char c) {
    switch (c) {
        case '"':
            out += "\\\"";
            return;
        case '\\':
            out += "\\\\";
            return;
        case '\n':
            out += "\\n";
            return;
        case '\r':
            out += "\\r";
            return;
        case '\t':
            out += "\\t";
            return;
        default:
            break;
    }
    if (c >= 0x20) {
        out += static_cast<char>(c);
        return;
    }
    out += "\\u00";
    out += hex_digits[c >> 4];
    out += hex_digits[c & 0xf];
}

}  // namespace

std::string quoted_json(std::string_view text) {
    std::string out = "\"";
    out.reserve(text.size() + 2);
    for (std::size_t at = 0; at < text.size();) {
        const auto byte = static_cast<unsigned char>(text[at]);
        if (byte < 0x80) {
            append_ascii(out, byte);
            ++at;
        } else if (const std::size_t length = character_length(text, at); length > 0) {
            out += text.substr(at, length);
            at += length;
        } else {
            out += "\xEF\xBF\xBD";  // U+FFFD
            ++at;
        }
    }
    out += '"';
    return out;
}

namespace {

namespace bj = boost::json;

std::size_t digits_in(std::string_view number) {
    return static_cast<std::size_t>(
        std::ranges::count_if(number, [](char c) { return c >= '0' && c <= '9'; }));
}

/// Receives the parser's events, and stops the parser where JSON allows more than this server does.
class StrictHandler {
public:
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    explicit StrictHandler(const JsonLimits& limits) : limits_(limits) {}

    [[nodiscard]] std::optional<FieldError> take_fault() { return std::move(fault_); }

    bool on_document_begin(bj::error_code&) { return true; }
    bool on_document_end(bj::error_code&) { return true; }

    bool on_object_begin(bj::error_code& ec) { return open(true, ec); }
    bool on_array_begin(bj::error_code& ec) { return open(false, ec); }
    bool on_object_end(std::size_t, bj::error_code&) { return close(); }
    bool on_array_end(std::size_t, bj::error_code&) { return close(); }

    bool on_key_part(bj::string_view part, std::size_t, bj::error_code&) {
        key_.append(part.data(), part.size());
        return true;
    }
    bool on_key(bj::string_view last, std::size_t, bj::error_code& ec) {
        key_.append(last.data(), last.size());
        Place& place = places_.back();
        place.name = std::exchange(key_, {});
        if (place.name.find('\0') != std::string::npos) {
            return refuse("bad_format", "a member's name must not contain U+0000", ec);
        }
        if (++members_ > limits_.members) {
            return refuse(
                "out_of_range",
                "a body must have at most " + std::to_string(limits_.members) + " members in all",
                ec);
        }
        if (!place.seen.insert(place.name).second) {
            return refuse("not_allowed", "'" + place.name + "' is given twice; give it once", ec);
        }
        return true;
    }

    bool on_string_part(bj::string_view, std::size_t, bj::error_code&) { return true; }
    bool on_string(bj::string_view, std::size_t, bj::error_code&) { return ended_value(); }
    bool on_number_part(bj::string_view, bj::error_code&) { return true; }
    bool on_int64(std::int64_t, bj::string_view text, bj::error_code& ec) {
        return number(0.0, text, ec);
    }
    bool on_uint64(std::uint64_t, bj::string_view text, bj::error_code& ec) {
        return number(0.0, text, ec);
    }
    bool on_double(double value, bj::string_view text, bj::error_code& ec) {
        return number(value, text, ec);
    }
    bool on_bool(bool, bj::error_code&) { return ended_value(); }
    bool on_null(bj::error_code&) { return ended_value(); }
    bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
    bool on_comment(bj::string_view, bj::error_code&) { return true; }

private:
    /// The current position within one open object or array.
    struct Place {
        bool object = false;
        std::string name{};     // of the current member
        std::size_t index = 0;  // of the current element
        std::set<std::string> seen{};
    };

    bool open(bool object, bj::error_code& ec) {
        if (places_.size() == limits_.depth) {
            return refuse(
                "out_of_range",
                "a body must be nested at most " + std::to_string(limits_.depth) + " levels deep",
                ec);
        }
        places_.push_back({.object = object});
        return true;
    }
    bool close() {
        places_.pop_back();
        return ended_value();
    }
    bool ended_value() {
        if (!places_.empty()) ++places_.back().index;
        return true;
    }
    bool number(double value, bj::string_view text, bj::error_code& ec) {
        if (digits_in({text.data(), text.size()}) > limits_.digits) {
            return refuse("out_of_range",
                          "a number must have at most " + std::to_string(limits_.digits) +
                              " digits; send longer ones as strings",
                          ec);
        }
        if (!std::isfinite(value)) {
            return refuse("out_of_range", "a number must fit a double", ec);
        }
        return ended_value();
    }
    bool refuse(std::string code, std::string message, bj::error_code& ec) {
        std::string pointer;
        for (const Place& place : places_) {
            pointer =
                json_pointer(pointer, place.object ? place.name : std::to_string(place.index));
        }
        fault_ = FieldError{std::move(pointer), std::move(code), std::move(message)};
        ec = bj::error::exception;
        return false;
    }

    JsonLimits limits_;
    std::vector<Place> places_;
    std::string key_;
    std::size_t members_ = 0;
    std::optional<FieldError> fault_;
};

std::string wording(const bj::error_code& ec) {
    if (ec == bj::error::incomplete) return "the text ends before the value is complete";
    if (ec == bj::error::extra_data) return "unexpected text after the value";
    if (ec == bj::error::exponent_overflow) return "the exponent is too large";
    if (ec == bj::error::illegal_leading_surrogate || ec == bj::error::illegal_trailing_surrogate) {
        return "a surrogate has no second half; write both halves of the pair";
    }
    return "this is not JSON (RFC 8259), or not UTF-8";
}

Problem malformed(std::string_view text, std::size_t at, const bj::error_code& ec) {
    if (text.empty()) {
        return {.code = Code::malformed_json,
                .detail = "The body is empty; a JSON value is expected"};
    }
    return {.code = Code::malformed_json,
            .detail = "At byte " + std::to_string(at) + ": " + wording(ec)};
}

}  // namespace

std::optional<Problem> fault_in_json(std::string_view text, const JsonLimits& limits) {
    bj::parse_options options;
    // The handler checks first, because it knows the location.
    options.max_depth = limits.depth + 1;
    bj::basic_parser<StrictHandler> parser(options, limits);
    bj::error_code ec;
    std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
    if (auto fault = parser.handler().take_fault()) return validation_failed({std::move(*fault)});
    if (!ec && read < text.size()) ec = bj::error::extra_data;
    if (ec) return malformed(text, read, ec);
    return std::nullopt;
}

}  // namespace sundial::http
