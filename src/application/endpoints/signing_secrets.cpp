#include "application/endpoints/signing_secrets.hpp"

#include <algorithm>
#include <utility>

#include "application/audit/recorded_changes.hpp"
#include "application/endpoints/endpoint_headers.hpp"
#include "application/ports/failures.hpp"
#include "application/requests/edits.hpp"
#include "application/requests/queries.hpp"

namespace sundial {

EndpointResult<FreshKeys> fresh_keys(Secrets& secrets, const std::optional<std::string>& given,
                                     bool ed25519) {
    auto secret = secrets.seal(given);
    if (!secret) return secret.error();
    FreshKeys fresh{.keys = {{.scheme = SignatureScheme::v1, .sealed = std::move(secret->sealed)}},
                    .secret = std::move(secret->shown),
                    .secret_hint = std::move(secret->hint),
                    .public_key = {}};
    if (!ed25519) return fresh;
    auto pair = secrets.new_key_pair();
    if (!pair) return pair.error();
    fresh.keys.push_back({.scheme = SignatureScheme::v1a, .sealed = std::move(pair->sealed)});
    fresh.public_key = std::move(pair->public_key);
    return fresh;
}

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
        const auto kind = kinds_.of(*before);
        if (!kind) return kind.error();
        if (!(*kind)->takes_secret()) {
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

bool ResealSecrets::reseal(Endpoint& endpoint) {
    bool all_opened = reseal_headers(endpoint.headers, secrets_);
    for (SigningKey& key : endpoint.signing_keys) {
        try {
            if (auto sealed = secrets_.resealed(key.sealed)) key.sealed = *std::move(sealed);
        } catch (const Corrupt&) {
            all_opened = false;  // each of its deliveries reports this
        }
    }
    return all_opened;
}

namespace {

/// Whether the database has values of its headers in plain text.
bool is_readable(const Endpoint& endpoint) {
    return std::ranges::any_of(endpoint.headers, &std::string::empty, &EndpointHeader::hint);
}

}  // namespace

ResealSecrets::Done ResealSecrets::run() {
    Done done;
    EndpointQuery all;
    all.page.limit = 500;
    for (bool more = true; more;) {
        const auto page =
            in_read(store_, [&](Transaction& tx) { return tx.endpoints().list(all); });
        for (const Endpoint& listed : page.items) {
            all.page.after = PageKey{std::to_string(listed.created_at.time_since_epoch().count()),
                                     listed.id.value};
            Endpoint resealed = listed;
            if (!reseal(resealed)) ++done.unreadable;
            if (is_readable(resealed)) ++done.unsealed;
            if (resealed == listed) continue;
            store_.transact([&](Transaction& tx) {
                auto endpoint = tx.endpoints().lock(listed.id);
                if (!endpoint) return false;
                (void)reseal(*endpoint);
                return tx.endpoints().update(*endpoint).has_value();
            });
            ++done.resealed;
        }
        more = page.has_more;
    }
    return done;
}

}  // namespace sundial
