#include <cstddef>
#include <cstdint>
#include <string_view>

#include "adapters/http/request_reader.hpp"
#include "base/check.hpp"

/// A request head. Its end, and the fault, are the same whether its bytes arrive one by one or at
/// once; the scanner reads nothing past the end.
namespace sundial::http {
namespace {

constexpr HeadLimits limits{.head_bytes = 512, .target_bytes = 64, .header_count = 8};

void scan(std::string_view bytes) {
    HeadScanner whole(limits);
    const bool done = whole.done(bytes);
    HeadScanner dripped(limits);
    std::size_t given = 0;
    while (given < bytes.size() && !dripped.done(bytes.substr(0, given + 1))) ++given;
    base::check(done == (given < bytes.size()));
    if (!done) return;
    base::check(whole.begin() == dripped.begin() && whole.end() == dripped.end());
    base::check(whole.begin() <= whole.end() && whole.end() <= bytes.size());
    base::check(whole.fault().has_value() == dripped.fault().has_value());
    if (whole.fault()) {
        base::check(whole.fault()->code == dripped.fault()->code && !whole.fault()->detail.empty());
    } else {
        base::check(bytes.substr(0, whole.end()).ends_with("\r\n\r\n"));
    }
}

}  // namespace
}  // namespace sundial::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sundial::http::scan({reinterpret_cast<const char*>(data), size});
    return 0;
}
