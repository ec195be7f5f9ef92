#pragma once

#include <vector>

#include "application/observation/observer.hpp"

namespace sundial::server {

/// Forwards each call to several observers.
class Observers final : public EngineObserver {
public:
    void add(EngineObserver& observer) { observers_.push_back(&observer); }
    void claimed(std::size_t events, std::size_t lost_attempts,
                 std::chrono::microseconds duration) override;
    void transition(std::string_view event_type, EventStatus status, std::size_t count) override;
    void started(const AttemptStarted& attempt_started) override;
    void delivered(const AttemptEnded& attempt_ended) override;
    void settled_late(const Event& event) override;
    void lease_lost(const Event& event) override;

private:
    std::vector<EngineObserver*> observers_;
};

}  // namespace sundial::server
