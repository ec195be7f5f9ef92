#include "domain/signing_key.hpp"

#include <algorithm>
#include <iterator>

#include "domain/enum_names.hpp"

namespace sundial {
namespace {

constexpr EnumNames<2> scheme_names{"v1", "v1a"};
constexpr const char* pointer = "/oldSignsFor";

bool too_many(std::span<const SigningKey> keys, SignatureScheme scheme) {
    return std::ranges::count(keys, scheme, &SigningKey::scheme) >
           static_cast<std::ptrdiff_t>(max_signing_keys);
}

}  // namespace

std::string_view to_string(SignatureScheme scheme) { return name_in(scheme_names, scheme); }
std::optional<SignatureScheme> parse_signature_scheme(std::string_view text) {
    return find_in<SignatureScheme>(scheme_names, text);
}

std::vector<SigningKey> signing_at(std::span<const SigningKey> keys, Instant now) {
    std::vector<SigningKey> signing;
    std::ranges::copy_if(keys, std::back_inserter(signing),
                         [now](const SigningKey& key) { return now < key.signs_until; });
    return signing;
}

Result<std::vector<SigningKey>> rotated(std::span<const SigningKey> keys,
                                        std::vector<SigningKey> fresh, Instant now,
                                        std::chrono::seconds old_signs_for) {
    using namespace std::chrono_literals;
    if (old_signs_for < 0s || old_signs_for > longest_co_signing) {
        return invalid(pointer, "out_of_range", "must be PT0S to PT168H, which is seven days");
    }
    for (SigningKey key : keys) {
        key.signs_until = std::min(key.signs_until, now + old_signs_for);
        if (now < key.signs_until) fresh.push_back(std::move(key));
    }
    if (too_many(fresh, SignatureScheme::v1) || too_many(fresh, SignatureScheme::v1a)) {
        return invalid(pointer, "not_allowed",
                       "three secrets are signing, the maximum; wait until one of them ends, or "
                       "end all old ones with PT0S");
    }
    return fresh;
}

}  // namespace sundial
