#include "application/access/revoke_api_key.hpp"

#include <algorithm>
#include <string>

#include "application/audit/recorded_changes.hpp"
#include "domain/admin_keys.hpp"

namespace sundial {

Result<void> RevokeApiKey::run(std::string_view reference, const Caller& caller) {
    const auto fixed = fixed_roles_();
    const auto uuid = base::parse_uuid(reference);
    return in_transaction(store_, [&](Transaction& tx) -> Result<void> {
        const auto keys = tx.api_keys().lock_all();
        const auto key = std::ranges::find_if(keys, [&](const ApiKey& one) {
            return uuid ? one.id.value == *uuid : handle_of(one.id) == reference;
        });
        if (key == keys.end()) return NotFound{Noun::api_key, std::string{reference}};
        const auto allowed = may_remove(*key, {keys, fixed}, tx.now());
        if (!allowed) return allowed.error();
        tx.api_keys().remove(key->id);
        tx.record(api_key_revoked(*key, {ids_.fresh(), caller}));
        return {};
    });
}

}  // namespace sundial
