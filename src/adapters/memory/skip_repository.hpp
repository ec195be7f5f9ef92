#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/skip_repository.hpp"

namespace sundial::memory {

class MemorySkipRepository final : public SkipRepository {
public:
    explicit MemorySkipRepository(State& state) : skips_{state.skips} {}
    void add(const SkippedRun& run) override;
    Page<SkippedRun> list(const SkipQuery& query) override;
    void remove_of_user(UserId user) override;
    void remove_of_schedule(ScheduleId schedule) override;

private:
    template <class Wanted>
    void remove_where(Wanted wanted);

    Table<Uuid, SkippedRun>& skips_;
};

}  // namespace sundial::memory
