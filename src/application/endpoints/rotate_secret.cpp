#include "application/endpoints/rotate_secret.hpp"

#include <utility>

#include "application/audit/recorded_changes.hpp"
#include "application/endpoints/fresh_keys.hpp"
#include "application/requests/reference.hpp"
#include "application/requests/version_check.hpp"

namespace sundial {

EndpointResult<CreatedEndpoint> RotateSecret::run(std::string_view reference,
                                                  const Rotation& rotation,
                                                  std::optional<Version> expected,
                                                  const Caller& caller) {
    return in_transaction(store_, [&](Transaction& tx) -> EndpointResult<CreatedEndpoint> {
        const auto id = endpoint_id(tx, reference);
        if (!id) return id.error();
        const auto before = tx.endpoints().lock(*id);
        if (!before) return NotFound{Noun::endpoint, std::string{reference}};
        if (auto refused = refuse_version(Noun::endpoint, reference, expected, before->version)) {
            return *refused;
        }
        if (!kinds_.of(*before).signs()) {
            return invalid("/type", "not_allowed",
                           "an endpoint of type " + before->type.value + " has no secret");
        }
        auto fresh = fresh_keys(secrets_, rotation.secret, !before->public_key.empty());
        if (!fresh) return fresh.error();
        auto keys =
            rotated(before->signing_keys, std::move(fresh->keys), tx.now(), rotation.old_signs_for);
        if (!keys) return keys.error();

        Endpoint after = *before;
        after.signing_keys = *std::move(keys);
        after.secret_hint = fresh->secret_hint;
        after.public_key = fresh->public_key;
        after.version = base::next(before->version);
        after.updated_at = tx.now();
        if (auto updated = tx.endpoints().update(after); !updated) return updated.error();
        tx.record(endpoint_updated(*before, after, {ids_.fresh(), caller}));
        return CreatedEndpoint{std::move(after), fresh->secret};
    });
}

}  // namespace sundial
