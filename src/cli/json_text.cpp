#include "cli/json_text.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <cstdlib>

#include "base/json.hpp"
#include "base/text.hpp"

namespace sundial::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view json_blanks = " \t\r\n";
constexpr int most_zeros = 20;  // that a number gets in place of an exponent

/// The first byte after the value at the front of `text`, which has no json_blanks before it.
std::size_t end_of_value(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c != '"') continue;
            in_string = false;
            if (depth == 0) return i + 1;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (depth == 0) return i;  // a number or a word before the end of its container
            if (--depth == 0) return i + 1;
        } else if (depth == 0 && (c == ',' || json_blanks.find(c) != json_blanks.npos)) {
            return i;
        }
    }
    return text.size();
}

/// Reads the values between a pair of brackets one by one.
class JsonReader {
public:
    JsonReader(std::string_view text, char open) : rest_(base::trimmed(text, json_blanks)) {
        if (rest_.empty() || rest_.front() != open) rest_ = {};
        skip();
    }
    /// Whether another value follows.
    [[nodiscard]] bool more() {
        drop_blanks();
        return !rest_.empty() && rest_.front() != '}' && rest_.front() != ']';
    }
    std::string_view next() {
        drop_blanks();
        const std::string_view value = rest_.substr(0, end_of_value(rest_));
        rest_.remove_prefix(value.size());
        drop_blanks();
        skip();  // the comma, the colon or the closing bracket
        return value;
    }

private:
    void skip() {
        if (!rest_.empty()) rest_.remove_prefix(1);
    }
    void drop_blanks() {
        const auto first = rest_.find_first_not_of(json_blanks);
        rest_.remove_prefix(first == rest_.npos ? rest_.size() : first);
    }

    std::string_view rest_;
};

std::string unquoted(std::string_view string) {
    json::error_code ec;
    const json::value value = json::parse(string, ec);
    return !ec && value.is_string() ? std::string(value.get_string()) : std::string(string);
}

/// `number` with a point in place of an exponent: 1.5E-1 is 0.15. Every digit stays. Numbers with
/// too many zeros for a person stay as they are.
std::string without_exponent(std::string_view number) {
    const auto mark = number.find_first_of("eE");
    if (mark == number.npos) return std::string(number);
    const std::string_view written =
        number.substr(mark + (number.substr(mark + 1).starts_with('+') ? 2 : 1));
    int exponent = 0;
    const char* const end = written.data() + written.size();
    const auto [rest, defect] = std::from_chars(written.data(), end, exponent);
    if (rest != end || defect != std::errc{} || std::abs(exponent) > most_zeros) {
        return std::string(number);
    }
    const bool negative = number.starts_with('-');
    std::string digits(number.substr(negative ? 1 : 0, mark - (negative ? 1 : 0)));
    const auto before = std::min(digits.find('.'), digits.size());
    if (before < digits.size()) digits.erase(before, 1);
    int point = static_cast<int>(before) + exponent;
    if (point < 1) {
        digits.insert(0, static_cast<std::size_t>(1 - point), '0');
        point = 1;
    }
    const auto whole = static_cast<std::size_t>(point);
    if (digits.size() < whole) digits.append(whole - digits.size(), '0');
    const std::string fraction = digits.substr(whole);
    digits.resize(whole);
    digits.erase(0, std::min(digits.find_first_not_of('0'), whole - 1));
    return (negative ? "-" : "") + digits + (fraction.empty() ? "" : "." + fraction);
}

}  // namespace

std::vector<std::pair<std::string, std::string_view>> members_of(std::string_view object) {
    std::vector<std::pair<std::string, std::string_view>> members;
    for (JsonReader reader(object, '{'); reader.more();) {
        const std::string_view name = reader.next();
        members.emplace_back(unquoted(name), reader.next());
    }
    return members;
}

std::vector<std::string_view> elements_of(std::string_view array) {
    std::vector<std::string_view> elements;
    for (JsonReader reader(array, '['); reader.more();) elements.push_back(reader.next());
    return elements;
}

std::string_view value_at(std::string_view object, std::string_view path) {
    while (!path.empty()) {
        const auto dot = path.find('.');
        if (path.substr(0, dot) == "0" && object.starts_with('[')) {
            const auto elements = elements_of(object);
            if (elements.empty()) return {};
            object = elements.front();
            path = dot == path.npos ? std::string_view{} : path.substr(dot + 1);
            continue;
        }
        const auto members = members_of(object);
        const auto found = std::ranges::find(
            members, path.substr(0, dot), [](const auto& member) -> auto& { return member.first; });
        if (found == members.end()) return {};
        object = found->second;
        path = dot == path.npos ? std::string_view{} : path.substr(dot + 1);
    }
    return object;
}

std::string plain_text(std::string_view value) {
    if (value == "null") return "";
    if (value.starts_with('"')) return unquoted(value);
    const bool number = !value.empty() && (value.front() == '-' || base::is_digit(value.front()));
    return number ? without_exponent(value) : std::string(value);
}

std::string json_error(std::string_view text) {
    // The API takes payloads of depth 64, inside of requests.
    json::stream_parser parser({}, {.max_depth = 128});
    json::error_code ec;
    const std::size_t used = parser.write_some(text.data(), text.size(), ec);
    if (!ec) parser.finish(ec);
    const bool rest = text.find_first_not_of(json_blanks, used) != text.npos;
    if (!ec && !rest) return "";
    return ec == json::error::incomplete ? "ends too early"
                                         : "is wrong at character " + std::to_string(used + 1);
}

void JsonTree::take_apart() {
    if (!children_.empty() || json_.empty()) return;
    const std::string json = std::move(json_);
    json_.clear();
    for (const auto& [name, value] : members_of(json))
        children_.emplace_back(name, JsonTree{}).second.json_ = value;
}

void JsonTree::set(std::string_view path, std::string json) {
    if (path.empty()) {
        children_.clear();
        json_ = std::move(json);
        return;
    }
    take_apart();
    const auto dot = path.find('.');
    const std::string name{path.substr(0, dot)};
    auto found =
        std::ranges::find(children_, name, [](const auto& child) -> auto& { return child.first; });
    if (found == children_.end()) {
        children_.emplace_back(name, JsonTree{});
        found = std::prev(children_.end());
    }
    found->second.set(dot == path.npos ? std::string_view{} : path.substr(dot + 1),
                      std::move(json));
}

std::string JsonTree::text() const {
    if (children_.empty()) return json_.empty() ? "{}" : json_;
    const bool is_array = children_.front().first == "0";
    base::JsonWriter json;
    is_array ? json.begin_array() : json.begin_object();
    for (const auto& [name, child] : children_) {
        if (!is_array) json.key(name);
        json.raw(child.text());
    }
    is_array ? json.end_array() : json.end_object();
    return std::move(json).text();
}

}  // namespace sundial::cli
