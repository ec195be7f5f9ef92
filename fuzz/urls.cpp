#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "adapters/webhook/address_rules.hpp"
#include "adapters/webhook/destination.hpp"
#include "base/check.hpp"
#include "base/text.hpp"

/// The URL of a webhook. An allowed URL has a public host and an allowed port; its origin is
/// allowed too and has the same host and port. A refusal has a code and a readable message.
namespace sundial::webhook {
namespace {

void judge(std::string_view url) {
    static const AddressRules addresses{AddressSettings{}};
    static const UrlRules rules{DestinationSettings{}, addresses};
    const auto judged = rules.judge(url);
    if (const auto* refused = std::get_if<FieldError>(&judged)) {
        base::check(!refused->code.empty() && !refused->message.empty());
        base::check(base::count_code_points(refused->message).has_value());
        return;
    }
    const auto& target = std::get<Target>(judged);
    base::check(!target.host.empty() && (target.port == 443 || target.port == 8443));
    base::check(target.host == base::lowered(target.host));
    base::check(target.address == parse_address(target.host));
    const auto again = rules.judge(rules.origin(url) + "/");
    const auto* there = std::get_if<Target>(&again);
    base::check(there != nullptr && there->host == target.host && there->port == target.port);
}

}  // namespace
}  // namespace sundial::webhook

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    sundial::webhook::judge({reinterpret_cast<const char*>(data), size});
    return 0;
}
