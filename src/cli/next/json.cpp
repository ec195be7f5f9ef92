#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/error.hpp>
#include <optional>
#include <unordered_set>

#include "cli/next/request.hpp"

namespace sundial::cli {
namespace {

namespace bj = boost::json;

constexpr std::size_t deepest = 64;  // requests need three levels; the parser recurses

/// Builds the value while the parser reads. The signatures are Boost.JSON's.
class Builder {
public:
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    [[nodiscard]] JsonValue take_value() { return std::move(whole_); }
    [[nodiscard]] const std::optional<std::string>& repeated() const { return repeated_; }

    bool on_document_begin(bj::error_code&) { return true; }
    bool on_document_end(bj::error_code&) { return true; }

    bool on_object_begin(bj::error_code&) { return open(JsonValue{JsonValue::Object{}}); }
    bool on_array_begin(bj::error_code&) { return open(JsonValue{JsonValue::List{}}); }
    bool on_object_end(std::size_t, bj::error_code&) { return close(); }
    bool on_array_end(std::size_t, bj::error_code&) { return close(); }

    bool on_key_part(bj::string_view part, std::size_t, bj::error_code&) { return append(part); }
    bool on_key(bj::string_view last, std::size_t, bj::error_code& ec) {
        append(last);
        Open& object = open_.back();
        object.key = std::exchange(text_, {});
        if (object.seen.insert(object.key).second) return true;
        repeated_ = object.key;
        ec = bj::error::exception;
        return false;
    }

    bool on_string_part(bj::string_view part, std::size_t, bj::error_code&) { return append(part); }
    bool on_string(bj::string_view last, std::size_t, bj::error_code&) {
        append(last);
        return put(JsonValue{std::exchange(text_, {})});
    }
    bool on_number_part(bj::string_view, bj::error_code&) { return true; }
    bool on_int64(std::int64_t value, bj::string_view, bj::error_code&) {
        return put(JsonValue{value});
    }
    bool on_uint64(std::uint64_t value, bj::string_view, bj::error_code&) {
        return put(JsonValue{value});
    }
    bool on_double(double value, bj::string_view, bj::error_code&) { return put(JsonValue{value}); }
    bool on_bool(bool value, bj::error_code&) { return put(JsonValue{value}); }
    bool on_null(bj::error_code&) { return put(JsonValue{}); }
    bool on_comment_part(bj::string_view, bj::error_code&) { return true; }
    bool on_comment(bj::string_view, bj::error_code&) { return true; }

private:
    /// An object or list that is still open.
    struct Open {
        JsonValue value;
        std::string key{};                       // of the member being read
        std::unordered_set<std::string> seen{};  // keys of an object
    };

    bool append(bj::string_view part) {
        text_.append(part.data(), part.size());
        return true;
    }
    bool open(JsonValue empty) {
        open_.push_back({std::move(empty)});
        return true;
    }
    bool close() {
        JsonValue ended = std::move(open_.back().value);
        open_.pop_back();
        return put(std::move(ended));
    }
    bool put(JsonValue value) {
        if (open_.empty()) {
            whole_ = std::move(value);
        } else if (auto* list = std::get_if<JsonValue::List>(&open_.back().value.value)) {
            list->push_back(std::move(value));
        } else {
            std::get<JsonValue::Object>(open_.back().value.value)
                .emplace_back(std::move(open_.back().key), std::move(value));
        }
        return true;
    }

    std::vector<Open> open_;
    std::string text_;
    JsonValue whole_;
    std::optional<std::string> repeated_;
};

std::string wording(const bj::error_code& ec) {
    if (ec == bj::error::incomplete) return "the text ends before the value is complete";
    if (ec == bj::error::extra_data) return "unexpected text after the value";
    if (ec == bj::error::too_deep)
        return "values may be nested " + std::to_string(deepest) + " deep";
    return "this is not JSON (RFC 8259), or not UTF-8";
}

}  // namespace

const JsonValue* find_member(const JsonValue::Object& object, std::string_view name) {
    const auto found = std::ranges::find(object, name, &JsonValue::Object::value_type::first);
    return found == object.end() ? nullptr : &found->second;
}

base::Result<JsonValue, std::string> parse_json(std::string_view text) {
    bj::parse_options options;
    options.max_depth = deepest;
    bj::basic_parser<Builder> parser(options);
    bj::error_code ec;
    const std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
    if (const auto& name = parser.handler().repeated())
        return "a member is given twice" + (name->size() > 64 ? "" : ": '" + *name + "'");
    if (!ec && read < text.size()) ec = bj::error::extra_data;
    if (ec) return "at byte " + std::to_string(read) + ": " + wording(ec);
    return parser.handler().take_value();
}

}  // namespace sundial::cli
