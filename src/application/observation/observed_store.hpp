#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "application/observation/observer.hpp"
#include "application/ports/clock.hpp"
#include "application/ports/store.hpp"
#include "base/log.hpp"

namespace sundial {

/// A store that reports the effects of committed transactions on events, for all use cases: a log
/// line for each moved or cancelled event, counts of created and cancelled events and of events
/// appended to streams, and the duration of each transaction.
class ObservedStore final : public Store {
public:
    ObservedStore(Store& store, const MonotonicClock& monotonic, StorageObserver& observer,
                  base::Log& log)
        : store_(store), monotonic_(monotonic), observer_(observer), log_(log) {}
    /// `appended` is called after each commit that appended to a stream. Call this before the first
    /// transaction.
    void on_append(std::function<void()> appended) { appended_ = std::move(appended); }
    void transact(const std::function<bool(Transaction&)>& work) override;
    void read(const std::function<void(Transaction&)>& work) override;
    std::optional<Appended> append_at_once(ExpectedVersion expected,
                                           std::span<const RecordedEvent> batch) override;
    [[nodiscard]] bool open_here() override { return store_.open_here(); }

private:
    struct Changes;
    class Events;
    class Tz;
    class Streams;
    class Observed;
    void report(const Changes& changes);

    Store& store_;
    const MonotonicClock& monotonic_;
    StorageObserver& observer_;
    base::Log& log_;
    std::function<void()> appended_;
};

}  // namespace sundial
