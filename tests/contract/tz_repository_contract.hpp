#pragma once

#include "contract/event_repository_contract.hpp"

namespace sundial {

/// Events by the tz release that computed them: a TzRepository.
class TzRepositoryContract : public EventRepositoryContract {
protected:
    std::vector<ComputedWith> computed_with() {
        return read([](Transaction& tx) { return tx.tz().computed_with(); });
    }
    std::vector<EventId> ids_in(const ComputedWith& pair,
                                std::optional<EventId> after = std::nullopt,
                                std::size_t limit = 100);
    std::vector<EventMove> moves_of(EventId event) {
        return read([&](Transaction& tx) { return tx.tz().moves_of(event); });
    }
    void add(const EventMove& move) {
        write([&](Transaction& tx) { tx.tz().add_move(move); });
    }
};

}  // namespace sundial
