#include "application/endpoints/unpark_events.hpp"

#include <optional>
#include <vector>

namespace sundial {
namespace {

/// Events of one transaction: about 10 ms, so that claims are hardly delayed.
constexpr std::size_t batch = 500;

}  // namespace

std::size_t UnparkEvents::run(EndpointId endpoint) {
    return while_enabled(endpoint, [=](Transaction& tx, std::size_t limit) {
        return tx.events().unpark(endpoint, limit);
    });
}

std::size_t UnparkEvents::expedite(EndpointId endpoint, Obstacle obstacle) {
    return while_enabled(endpoint, [=](Transaction& tx, std::size_t limit) {
        return tx.events().expedite(endpoint, obstacle, limit);
    });
}

std::size_t UnparkEvents::run_handlers() {
    return in_batches(
        [](Transaction& tx, std::size_t limit) { return tx.events().unpark(std::nullopt, limit); });
}

std::size_t UnparkEvents::while_enabled(EndpointId endpoint, const Release& release) {
    return in_batches([&](Transaction& tx, std::size_t limit) -> std::size_t {
        const auto found = tx.endpoints().find(endpoint);
        // If it was disabled meanwhile, the rest keeps waiting.
        return found && found->enabled ? release(tx, limit) : 0;
    });
}

std::size_t UnparkEvents::in_batches(const Release& release) {
    std::size_t all = 0;
    for (std::size_t last = batch; last == batch;) {
        std::optional<Instant> now;
        store_.transact([&](Transaction& tx) {
            last = release(tx, batch);
            now = tx.now();
            return true;
        });
        all += last;
        if (last > 0) wakeups_.due_at(*now);
    }
    return all;
}

std::size_t UnparkEvents::run_all() {
    EndpointQuery enabled;
    enabled.enabled = true;
    enabled.page.limit = 500;
    std::size_t all = 0;
    for (bool more = true; more;) {
        const auto page =
            in_read(store_, [&](Transaction& tx) { return tx.endpoints().list(enabled); });
        for (const Endpoint& endpoint : page.items) {
            all += run(endpoint.id);
            enabled.page.after = PageKey{
                std::to_string(endpoint.created_at.time_since_epoch().count()), endpoint.id.value};
        }
        more = page.has_more;
    }
    return all;
}

}  // namespace sundial
