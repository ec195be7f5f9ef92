#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "application/pull/pull_kind.hpp"
#include "embedded/answers.hpp"
#include "embedded/endpoints.hpp"
#include "embedded/engine_parts.hpp"

/// The functions of an engine for queues, webhooks and inboxes.
namespace sundial::embedding {

Result<Done> Engine::create_queue(const std::string& name) {
    return Parts::run<Done>(parts_, [&](Parts& parts) -> sundial::Result<sundial::Endpoint> {
        sundial::NewEndpoint requested{.type = pull_type};
        requested.external_id = name;
        requested.name = name;
        auto made = parts.endpoints.create.run(requested, correlation_id);
        if (made) return made->endpoint;
        if (!std::holds_alternative<DuplicateExternalId>(made.error())) return made.error();
        return parts.queries.endpoint("ext:" + name);
    });
}

Result<StoredEndpoint> Engine::put_endpoint(const NewEndpoint& requested) {
    return Parts::run<StoredEndpoint>(parts_, [&](Parts& parts) {
        return parts.endpoints.put.run(requested.name, requested_endpoint(requested), std::nullopt,
                                       correlation_id);
    });
}

Result<Endpoint> Engine::find_endpoint(const std::string& endpoint) {
    return Parts::run<Endpoint>(parts_,
                                [&](Parts& parts) { return parts.queries.endpoint(endpoint); });
}

Result<std::vector<Endpoint>> Engine::endpoints() {
    return Parts::run<std::vector<Endpoint>>(
        parts_, [](Parts& parts) { return list_endpoints(parts.queries); });
}

Result<Endpoint> Engine::disable_endpoint(const std::string& endpoint) {
    return Parts::run<Endpoint>(parts_, [&](Parts& parts) {
        EndpointEdit edit;
        edit.enabled = false;
        return parts.endpoints.edit.run(endpoint, edit, std::nullopt, correlation_id);
    });
}

Result<Endpoint> Engine::enable_endpoint(const std::string& endpoint) {
    return Parts::run<Endpoint>(parts_, [&](Parts& parts) {
        EndpointEdit edit;
        edit.enabled = true;
        return parts.endpoints.edit.run(endpoint, edit, std::nullopt, correlation_id);
    });
}

namespace {

std::optional<Version> required(const std::optional<std::uint64_t>& if_version) {
    return if_version ? std::optional{Version{*if_version}} : std::nullopt;
}

}  // namespace

Result<Endpoint> Engine::change_endpoint(const std::string& endpoint,
                                         const EndpointChange& change) {
    return Parts::run<Endpoint>(parts_, [&](Parts& parts) {
        return parts.endpoints.edit.run(endpoint, requested_edit(change),
                                        required(change.if_version), correlation_id);
    });
}

Result<StoredEndpoint> Engine::rotate_secret(const std::string& endpoint,
                                             const SecretRotation& rotation) {
    return Parts::run<StoredEndpoint>(parts_, [&](Parts& parts) {
        return parts.endpoints.rotate.run(
            endpoint,
            {.old_signs_for = rotation.old_signs_for, .secret = unless_empty(rotation.secret)},
            required(rotation.if_version), correlation_id);
    });
}
Result<StoredEndpoint> Engine::rotate_secret(const std::string& endpoint) {
    return rotate_secret(endpoint, {});
}

Result<EndpointTest> Engine::test_endpoint(const std::string& endpoint) {
    if (!parts_->process.forked() && parts_->store.open_here()) {
        return Error{"REENTRANT_CALL",
                     "test_endpoint() was called inside a transaction, which its request may wait "
                     "for; call it after the transaction"};
    }
    return Parts::run<EndpointTest>(
        parts_, [&](Parts& parts) { return parts.endpoints.test.run(endpoint, Caller{}); });
}

Result<Done> Engine::clear_inbox(const std::string& endpoint) {
    return Parts::run<Done>(parts_, [&](Parts& parts) -> sundial::Result<Done> {
        if (auto cleared = parts.endpoints.clear_inbox.run(endpoint); !cleared) {
            return cleared.error();
        }
        return Done{};
    });
}

Result<Done> Engine::delete_endpoint(const std::string& endpoint) {
    return Parts::run<Done>(parts_, [&](Parts& parts) {
        return parts.endpoints.remove.run(endpoint, EventsOfEndpoint::prevent, std::nullopt,
                                          correlation_id);
    });
}

Result<std::vector<ReceivedRequest>> Engine::inbox(const std::string& endpoint, std::size_t limit) {
    constexpr std::size_t most = 500;
    if (limit < 1 || limit > most) {
        return error_of(invalid("/limit", "out_of_range", "must be 1 to 500"));
    }
    return Parts::run<std::vector<ReceivedRequest>>(parts_, [&](Parts& parts) {
        return parts.endpoints.read_inbox.run(
            endpoint, {.limit = limit, .descending = true, .after = std::nullopt});
    });
}

}  // namespace sundial::embedding
