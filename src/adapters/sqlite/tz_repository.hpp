#pragma once

#include "adapters/sqlite/session.hpp"
#include "application/ports/tz_repository.hpp"

namespace sundial::sqlite {

class SqliteTzRepository final : public TzRepository {
public:
    explicit SqliteTzRepository(Session& session) : session_{session} {}
    std::vector<ComputedWith> computed_with() override;
    std::vector<Event> list(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override;
    std::vector<Event> lock(const ComputedWith& pair, std::optional<EventId> after,
                            std::size_t limit) override;
    KnownClocks known_clocks(std::string_view release) override;
    void store_clocks(std::string_view release, const KnownClocks& clocks) override;
    void add_move(const EventMove& move) override;
    std::vector<EventMove> moves_of(EventId event) override;

private:
    Session& session_;
};

}  // namespace sundial::sqlite
