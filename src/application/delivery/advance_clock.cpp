#include "application/delivery/advance_clock.hpp"

#include <algorithm>
#include <string>

#include "application/ports/failures.hpp"
#include "domain/time/text.hpp"

namespace sundial {
namespace {

/// Bounds repeated passes that claim nothing. An event may come due just after a pass, but not
/// several times in a row.
constexpr int max_empty_passes = 3;

ValidationFailed backwards(const char* pointer, Instant now) {
    return invalid(pointer, "out_of_range",
                   "the clock never moves backward: it is " + format_instant_millis(now) + " now");
}

}  // namespace

ClockResult<Advanced> AdvanceClock::to(Instant target, const Progress& progress) {
    if (!clock_.is_test()) return ClockNotTest{};
    first_();
    operations_.drain();
    // The loop itself must not claim between two steps: the end of its lease would become a step.
    auto worker = loop_.take_over();
    Advanced advanced{.now = clock_.now()};
    if (target < advanced.now) return backwards("/to", advanced.now);
    int empty_passes = 0;
    while (!worker.stopping()) {
        const TickCounters done = worker.drain(std::nullopt);
        advanced.delivered += done.completed;
        advanced.failed += done.failed;
        if (progress) progress(advanced);

        const QueuePeek peeked = queue_.peek(worker.lanes());
        const Instant resumes = operations_.next_at();  // next batch of a paced operation
        if (resumes <= peeked.now) {
            operations_.drain();
            continue;
        }
        Instant next = std::min(resumes, worker.next_permit());
        for (const Instant event : peeked.next) next = std::min(next, event);
        if (next <= peeked.now) {  // came due while the rest was settled
            empty_passes = done.claimed > 0 ? 0 : empty_passes + 1;
            if (empty_passes < max_empty_passes) continue;
            throw Unavailable("the clock cannot advance: an event due at " +
                              format_instant_millis(next) + " cannot be claimed");
        }
        if (advanced.now == target) return advanced;
        empty_passes = 0;
        const auto moved = clock_.set(std::min(next, target));
        if (!moved) return moved.error();
        advanced.now = std::min(next, target);
    }
    return advanced;
}

ClockResult<Advanced> AdvanceClock::by(std::chrono::microseconds duration,
                                       const Progress& progress) {
    if (!clock_.is_test()) return ClockNotTest{};
    const Instant now = clock_.now();
    if (duration < std::chrono::microseconds{0}) return backwards("/by", now);
    if (duration >= never - now) {
        return invalid("/by", "out_of_range", "is beyond the calendar");
    }
    return to(now + duration, progress);
}

ClockResult<Instant> AdvanceClock::jump(Instant target) {
    if (!clock_.is_test()) return ClockNotTest{};
    first_();
    operations_.drain();
    auto worker = loop_.take_over();
    const Instant now = clock_.now();
    if (target < now) return backwards("/now", now);
    worker.drain(std::nullopt);
    const auto moved = clock_.set(target);
    if (!moved) return moved.error();
    loop_.due_at(target);
    return target;
}

}  // namespace sundial
