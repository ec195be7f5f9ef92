#include "domain/admin_keys.hpp"

#include <algorithm>

namespace sundial {
namespace {

bool is_admin(const ApiKey& key) { return key.role == Role::admin; }

/// Whether an ADMIN key other than `except` satisfies `condition`. An ADMIN key in the operator's
/// file always does.
template <class Condition>
bool has_admin(const KnownKeys& known, const ApiKey& except, Condition condition) {
    if (std::ranges::find(known.fixed, Role::admin) != known.fixed.end()) return true;
    return std::ranges::any_of(known.kept, [&](const ApiKey& key) {
        return key.id != except.id && is_admin(key) && condition(key);
    });
}

bool has_lasting_admin(const KnownKeys& known, const ApiKey& except) {
    return has_admin(known, except, [](const ApiKey& key) { return !key.expires_at; });
}

bool has_valid_admin(const KnownKeys& known, const ApiKey& except, Instant now) {
    return has_admin(known, except, [now](const ApiKey& key) { return !expired(key, now); });
}

}  // namespace

Result<void> may_add(const ApiKey& wanted, const KnownKeys& known, Instant now) {
    if (!is_admin(wanted)) {
        if (has_valid_admin(known, wanted, now)) return {};
        return FirstKeyNotAdmin{};
    }
    if (!wanted.expires_at || has_lasting_admin(known, wanted)) return {};
    return LastAdminKey{LastAdminKey::Refused::expiry};
}

Result<void> may_remove(const ApiKey& key, const KnownKeys& known, Instant now) {
    const bool only_key = known.kept.size() == 1 && known.fixed.empty();
    if (!is_admin(key) || expired(key, now) || only_key) return {};
    // In databases of earlier releases all ADMIN keys may have an expiry.
    const bool another_stays =
        key.expires_at ? has_valid_admin(known, key, now) : has_lasting_admin(known, key);
    if (another_stays) return {};
    return LastAdminKey{LastAdminKey::Refused::revocation};
}

}  // namespace sundial
