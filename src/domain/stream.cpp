#include "domain/stream.hpp"

#include <charconv>

namespace sundial {

std::optional<ExpectedVersion> ExpectedVersion::parse(std::string_view text) {
    if (text == "ANY") return any();
    if (text == "NO_STREAM") return no_stream();
    if (text == "STREAM_EXISTS") return stream_exists();
    std::int64_t number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return of(number);
}

std::string to_string(ExpectedVersion expected) {
    if (expected == ExpectedVersion::any()) return "ANY";
    if (expected == ExpectedVersion::no_stream()) return "NO_STREAM";
    if (expected == ExpectedVersion::stream_exists()) return "STREAM_EXISTS";
    return std::to_string(expected.number());
}

}  // namespace sundial
