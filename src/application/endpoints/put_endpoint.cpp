#include "application/endpoints/put_endpoint.hpp"

#include <utility>
#include <variant>

namespace sundial {
namespace {

/// Bounds the attempts. Each attempt but the last lost to a concurrent create or delete of the same
/// endpoint.
constexpr int put_turns = 5;

}  // namespace

EndpointResult<PutEndpointResult> PutEndpoint::run(const std::string& external_id,
                                                   NewEndpoint requested,
                                                   std::optional<Version> expected,
                                                   const Caller& caller) {
    requested.external_id = external_id;
    const std::string reference = "ext:" + external_id;
    for (int turn = 1;; ++turn) {
        auto replaced = edit_.replace(reference, requested, expected, caller);
        if (replaced) return PutEndpointResult{*std::move(replaced), {}, false};
        const bool is_absent = std::holds_alternative<NotFound>(replaced.error());
        if (!is_absent || expected) return replaced.error();

        auto made = create_.run(requested, caller);
        if (made) {
            return PutEndpointResult{std::move(made->endpoint), std::move(made->secret), true};
        }
        const bool is_taken = std::holds_alternative<DuplicateExternalId>(made.error());
        if (!is_taken || turn == put_turns) return made.error();
    }
}

}  // namespace sundial
