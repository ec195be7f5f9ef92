#include "adapters/http/strict_json.hpp"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sundial::http {
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
            pointer += place.object ? pointer_step(place.name) : '/' + std::to_string(place.index);
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
