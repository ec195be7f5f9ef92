#include "application/endpoints/reseal_secrets.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "application/endpoints/endpoint_headers.hpp"
#include "application/ports/failures.hpp"

namespace sundial {

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

/// Whether values of its headers lie readable in the database.
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
