#include "application/calendars/ical_text.hpp"

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "domain/time/rrule.hpp"

namespace sundial {
namespace {

constexpr std::size_t longest_line = 75;  // bytes, RFC 5545 3.1

/// The bytes of `rest` that fit, in whole characters.
std::size_t piece_of(std::string_view rest, std::size_t room) {
    if (rest.size() <= room) return rest.size();
    std::size_t size = 0;
    while (size < room) {
        const std::size_t next =
            std::max<std::size_t>(1, base::character_length(rest.substr(size)));
        if (size + next > room) break;
        size += next;
    }
    return size;
}

}  // namespace

IcalText& IcalText::line(std::string_view content) {
    std::size_t room = longest_line;
    for (;;) {
        const std::size_t size = piece_of(content, room);
        lines_ += content.substr(0, size);
        lines_ += "\r\n";
        content.remove_prefix(size);
        if (content.empty()) return *this;
        lines_ += ' ';
        room = longest_line - 1;  // the space counts
    }
}

IcalText& IcalText::text(std::string_view name, std::string_view value) {
    std::string content{name};
    content += ':';
    for (const char c : value) {
        if (c == '\\' || c == ';' || c == ',') content += '\\';
        if (c == '\n') {
            content += "\\n";
        } else if (static_cast<unsigned char>(c) >= ' ') {
            content += c;
        }
    }
    return line(content);
}

std::string ical_utc(Instant instant) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(instant);
    return format_compact_time(std::chrono::local_seconds{seconds.time_since_epoch()}) + 'Z';
}

}  // namespace sundial
