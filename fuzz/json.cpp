#include "adapters/http/json.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "base/json.hpp"
#include "base/text.hpp"

/// A JSON text. A valid text has one canonical form, which is valid too; a refusal is readable.
namespace sundial::http {
namespace {

void read(std::string_view bytes) {
    const auto body = JsonBody::read(std::string{bytes});
    if (!body) {
        const std::string& detail = body.error().detail;
        base::check(!detail.empty() && base::count_code_points(detail).has_value());
        return;
    }
    base::check(base::count_code_points(bytes).has_value());
    base::check(body->text() == bytes);
    const auto canonical = base::canonical_json(bytes);
    base::check(canonical.has_value() && JsonBody::read(*canonical).has_value());
    base::check(base::canonical_json(*canonical) == canonical);
}

}  // namespace
}  // namespace sundial::http

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sundial::http::read({reinterpret_cast<const char*>(data), size});
    return 0;
}
