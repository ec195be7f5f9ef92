#pragma once

#include "adapters/memory/state.hpp"
#include "application/ports/limit_repository.hpp"

namespace sundial::memory {

class MemoryLimitRepository final : public LimitRepository {
public:
    explicit MemoryLimitRepository(State& state) : limits_{state.limits} {}
    Limits lock(EndpointId endpoint) override;
    void put(const Limits& limits) override;

private:
    Table<EndpointId, Limits>& limits_;
};

}  // namespace sundial::memory
