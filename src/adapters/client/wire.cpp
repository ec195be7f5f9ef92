#include "adapters/client/wire.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "base/text.hpp"

namespace sundial::client {
namespace {

constexpr std::array<std::pair<embedding::Priority, std::string_view>, 4> priorities{{
    {embedding::Priority::critical, "CRITICAL"},
    {embedding::Priority::high, "HIGH"},
    {embedding::Priority::normal, "NORMAL"},
    {embedding::Priority::low, "LOW"},
}};

std::string padded(std::int64_t number, std::size_t width) {
    std::string digits = std::to_string(number);
    if (digits.size() < width) digits.insert(0, width - digits.size(), '0');
    return digits;
}

/// Takes `width` digits and the separator after them.
std::optional<int> taken_digits(std::string_view& rest, std::size_t width, char separator) {
    if (rest.size() <= width || rest[width] != separator) return std::nullopt;
    int number = 0;
    const char* const end = rest.data() + width;
    const auto [read_to, error] = std::from_chars(rest.data(), end, number);
    if (error != std::errc{} || read_to != end || number < 0) return std::nullopt;
    rest.remove_prefix(width + 1);
    return number;
}

/// The seconds with their fraction, and the Z after them.
std::optional<std::chrono::microseconds> seconds_of(std::string_view rest) {
    constexpr std::size_t digits = 6;
    const auto point = rest.find('.');
    if (point == std::string_view::npos) {
        const auto whole = taken_digits(rest, 2, 'Z');
        if (!whole || !rest.empty()) return std::nullopt;
        return std::chrono::seconds{*whole};
    }
    const auto whole = taken_digits(rest, 2, '.');
    if (!whole || rest.size() < 2 || rest.size() > digits + 1) return std::nullopt;
    const std::size_t given = rest.size() - 1;
    auto fraction = taken_digits(rest, given, 'Z');
    if (!fraction) return std::nullopt;
    for (std::size_t i = given; i < digits; ++i) *fraction *= 10;
    return std::chrono::seconds{*whole} + std::chrono::microseconds{*fraction};
}

}  // namespace

std::string to_rfc3339(embedding::Instant instant) {
    const auto day = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss time{instant - day};
    return padded(int{date.year()}, 4) + '-' + padded(unsigned{date.month()}, 2) + '-' +
           padded(unsigned{date.day()}, 2) + 'T' + padded(time.hours().count(), 2) + ':' +
           padded(time.minutes().count(), 2) + ':' + padded(time.seconds().count(), 2) + '.' +
           padded(time.subseconds().count(), 6) + 'Z';
}

std::optional<embedding::Instant> from_rfc3339(std::string_view text) {
    const auto year = taken_digits(text, 4, '-');
    const auto month = year ? taken_digits(text, 2, '-') : std::nullopt;
    const auto day = month ? taken_digits(text, 2, 'T') : std::nullopt;
    const auto hour = day ? taken_digits(text, 2, ':') : std::nullopt;
    const auto minute = hour ? taken_digits(text, 2, ':') : std::nullopt;
    const auto seconds = minute ? seconds_of(text) : std::nullopt;
    if (!seconds) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{*year},
                                           std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date} + std::chrono::hours{*hour} + std::chrono::minutes{*minute} +
           *seconds;
}

std::optional<embedding::Instant> instant_of(const JsonView& object, std::string_view name) {
    return from_rfc3339(object.text_of(name));
}

std::string to_iso_duration(std::chrono::seconds duration) {
    return "PT" + std::to_string(duration.count()) + 'S';
}

std::optional<std::chrono::seconds> from_iso_duration(std::string_view text) {
    if (!text.starts_with("PT") || text.size() == 2) return std::nullopt;
    text.remove_prefix(2);
    std::chrono::seconds sum{0};
    constexpr std::array<std::pair<char, std::int64_t>, 3> units{
        {{'H', 3600}, {'M', 60}, {'S', 1}}};
    for (const auto& [letter, seconds] : units) {
        std::int64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto [read_to, error] = std::from_chars(text.data(), end, number);
        if (error != std::errc{} || read_to == end || *read_to != letter) continue;
        text.remove_prefix(static_cast<std::size_t>(read_to - text.data()) + 1);
        sum += std::chrono::seconds{number * seconds};
    }
    return text.empty() ? std::optional{sum} : std::nullopt;
}

std::string encoded(std::string_view text) {
    constexpr std::string_view hex = "0123456789ABCDEF";
    constexpr std::string_view plain = "-._~";
    std::string out;
    for (const char c : text) {
        if (base::is_digit(c) || base::is_lower(c) || base::is_upper(c) ||
            plain.find(c) != std::string_view::npos) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += hex[byte >> 4];
        out += hex[byte & 15];
    }
    return out;
}

std::string_view to_text(embedding::Priority priority) {
    const auto found =
        std::ranges::find(priorities, priority, [](const auto& pair) { return pair.first; });
    return found == priorities.end() ? "NORMAL" : found->second;
}

embedding::Priority priority_of(std::string_view text) {
    const auto found =
        std::ranges::find(priorities, text, [](const auto& pair) { return pair.second; });
    return found == priorities.end() ? embedding::Priority::normal : found->first;
}

std::string if_match_of(std::uint64_t version) {
    return version == 0 ? "" : '"' + std::to_string(version) + '"';
}

void add_text(base::JsonWriter& json, std::string_view name, const std::string& text) {
    if (!text.empty()) json.member(name, std::string_view{text});
}

void add_or_null(base::JsonWriter& json, std::string_view name,
                 const std::optional<std::string>& text) {
    if (text) {
        json.member(name, std::string_view{*text});
    } else {
        json.key(name).null();
    }
}

std::map<std::string, std::string> texts_of(const JsonView& object, std::string_view name) {
    std::map<std::string, std::string> texts;
    if (const auto member = object.member(name)) {
        member->for_each_member([&](std::string key, JsonView value) {
            texts.insert_or_assign(std::move(key), value.text().value_or(""));
        });
    }
    return texts;
}

QueryText& QueryText::add(std::string_view name, std::string_view value) {
    if (value.empty()) return *this;
    text_ += text_.empty() ? '?' : '&';
    text_.append(name) += '=' + encoded(value);
    return *this;
}

QueryText& QueryText::add_list(std::string_view name, const std::vector<std::string>& values) {
    std::string joined;
    for (const std::string& value : values) joined += (joined.empty() ? "" : ",") + value;
    return add(name, joined);
}

QueryText& QueryText::add_page(const embedding::PageOptions& page, std::string_view order) {
    if (page.latest_first) add("sort", '-' + std::string{order});
    add("limit", std::to_string(page.limit));
    return add("cursor", page.after);
}

embedding::Result<JsonView> object_of(const embedding::Result<ClientAnswer>& answer) {
    if (!answer) return answer.error();
    const auto value = JsonView::parse(answer->body);
    if (value && value->is_object()) return *value;
    return embedding::Error{"HTTP_ERROR", "the server's answer is not a JSON object", {}};
}

embedding::Result<ListPage> page_of(const embedding::Result<ClientAnswer>& answer,
                                    const Asked& asked) {
    const auto json = object_of(answer);
    if (!json) return completed(json.error(), asked);
    const auto items = json->member("data");
    if (!items || !items->is_array()) {
        return embedding::Error{"HTTP_ERROR", "the server's answer is not a page of a list", {}};
    }
    return ListPage{*items, json->is_true("hasMore") ? json->text_of("nextCursor") : ""};
}

}  // namespace sundial::client
