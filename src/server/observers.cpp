#include "server/observers.hpp"

namespace sundial::server {

void Observers::claimed(std::size_t events, std::size_t lost_attempts,
                        std::chrono::microseconds duration) {
    for (EngineObserver* observer : observers_) observer->claimed(events, lost_attempts, duration);
}
void Observers::transition(std::string_view event_type, EventStatus status, std::size_t count) {
    for (EngineObserver* observer : observers_) observer->transition(event_type, status, count);
}
void Observers::started(const AttemptStarted& attempt_started) {
    for (EngineObserver* observer : observers_) observer->started(attempt_started);
}
void Observers::delivered(const AttemptEnded& attempt_ended) {
    for (EngineObserver* observer : observers_) observer->delivered(attempt_ended);
}
void Observers::settled_late(const Event& event) {
    for (EngineObserver* observer : observers_) observer->settled_late(event);
}
void Observers::lease_lost(const Event& event) {
    for (EngineObserver* observer : observers_) observer->lease_lost(event);
}

}  // namespace sundial::server
