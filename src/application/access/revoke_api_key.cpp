#include "application/access/revoke_api_key.hpp"

#include <optional>
#include <string>

#include "application/audit/recorded_changes.hpp"

namespace sundial {
namespace {

std::optional<ApiKeyId> id_of(Transaction& tx, std::string_view reference) {
    if (const auto uuid = base::parse_uuid(reference)) return ApiKeyId{*uuid};
    for (const ApiKey& key : tx.api_keys().all()) {
        if (handle_of(key.id) == reference) return key.id;
    }
    return std::nullopt;
}

}  // namespace

Result<void> RevokeApiKey::run(std::string_view reference, const Caller& caller) {
    return in_transaction(store_, [&](Transaction& tx) -> Result<void> {
        const auto id = id_of(tx, reference);
        const auto key = id ? tx.api_keys().lock(*id) : std::nullopt;
        if (!key) return NotFound{Noun::api_key, std::string{reference}};
        tx.api_keys().remove(key->id);
        tx.record(api_key_revoked(*key, {ids_.fresh(), caller}));
        return {};
    });
}

}  // namespace sundial
