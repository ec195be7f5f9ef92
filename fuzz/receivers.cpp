#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "adapters/webhook/response_reader.hpp"
#include "base/check.hpp"
#include "base/text.hpp"

/// A receiver's answer. Its body is shown as well-formed text without the credentials that were
/// sent, and Retry-After is a bounded wait.
namespace sundial::webhook {
namespace {

constexpr std::string_view secret = "Bearer 0123456789";

void read(std::string_view bytes) {
    ResponseReader reader;
    while (!reader.head_complete()) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos) return;
        const bool goes_on = reader.head_line(bytes.substr(0, end + 1));
        bytes.remove_prefix(end + 1);
        if (!goes_on && !reader.head_complete()) return base::check(!reader.refusal().empty());
    }
    const std::chrono::sys_seconds now = std::chrono::sys_days{std::chrono::year{2027} / 1 / 1};
    const auto wait = reader.retry_after(now);
    base::check(!wait || (wait->count() >= 0 && *wait <= std::chrono::hours{24}));
    for (bool more = true; more && !bytes.empty();) {
        const std::size_t piece = std::min<std::size_t>(bytes.size(), 100);
        more = reader.body(bytes.substr(0, piece));
        bytes.remove_prefix(piece);
    }
    const std::string without =
        without_echoes(reader.kept_body(), {{"Authorization", std::string{secret}}});
    base::check(without.size() == reader.kept_body().size());
    base::check(without.find(secret.substr(7)) == std::string::npos);
    const std::string shown = readable_text(without, reader.body_was_cut());
    base::check(base::count_code_points(shown).has_value());
}

}  // namespace
}  // namespace sundial::webhook

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sundial::webhook::read({reinterpret_cast<const char*>(data), size});
    return 0;
}
