#include "application/access/api_keys.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "application/audit/recorded_changes.hpp"
#include "base/text.hpp"
#include "domain/api_key.hpp"
#include "domain/names.hpp"

namespace sundial {
namespace {

std::vector<FieldError> defects(const NewApiKey& requested, Instant now) {
    std::vector<FieldError> found;
    const auto length = base::count_code_points(requested.name);
    if (!length || *length == 0) {
        found.push_back({"/name", "required", "a key needs a name"});
    } else if (*length > max_name_length) {
        found.push_back({"/name", "too_long",
                         "a name has at most " + std::to_string(max_name_length) + " characters"});
    }
    if (requested.expires_at && *requested.expires_at <= now) {
        found.push_back({"/expiresAt", "out_of_range", "a key must expire in the future"});
    }
    return found;
}

}  // namespace

ApiKeyResult<CreatedApiKey> CreateApiKey::run(const NewApiKey& requested, const Caller& caller) {
    const auto fresh = secrets_.make();
    const auto fixed = fixed_roles_();
    return in_transaction(store_, [&](Transaction& tx) -> ApiKeyResult<CreatedApiKey> {
        if (auto found = defects(requested, tx.now()); !found.empty()) {
            return ValidationFailed{std::move(found)};
        }
        const auto others = tx.api_keys().lock_all();
        if (others.size() >= max_api_keys) {
            return invalid("", "not_allowed",
                           "there are " + std::to_string(others.size()) +
                               " keys, the maximum; revoke some first");
        }
        ApiKey key{.id = ApiKeyId{ids_.fresh()},
                   .name = requested.name,
                   .role = requested.role,
                   .secret_hash = fresh.hash,
                   .expires_at = requested.expires_at,
                   .created_at = tx.now()};
        const auto same_handle = [&](const ApiKey& other) {
            return handle_of(other.id) == handle_of(key.id);
        };
        while (std::ranges::any_of(others, same_handle)) key.id = ApiKeyId{ids_.fresh()};
        const auto allowed = may_add(key, {others, fixed}, tx.now());
        if (!allowed) return allowed.error();
        tx.api_keys().add(key);
        tx.record(api_key_created(key, {ids_.fresh(), caller}));
        return CreatedApiKey{key, to_string(KeyText{handle_of(key.id), fresh.secret})};
    });
}

ApiKeyResult<void> RevokeApiKey::run(std::string_view reference, const Caller& caller) {
    const auto fixed = fixed_roles_();
    const auto uuid = base::parse_uuid(reference);
    return in_transaction(store_, [&](Transaction& tx) -> ApiKeyResult<void> {
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
