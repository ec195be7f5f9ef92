#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/system/clocks.hpp"
#include "adapters/system/ids.hpp"
#include "adapters/system/json_log.hpp"
#include "application/ports/time_zones.hpp"
#include "domain/event.hpp"
#include "server/bench/bench.hpp"
#include "server/bench/measurement.hpp"
#include "server/bench/scratch_database.hpp"
#include "server/database.hpp"
#include "server/settings.hpp"

namespace sundial::bench {

/// The environment of a run.
struct Site {
    const Work& work;
    const Options& options;
    const server::Settings& settings;  // they point to the scratch database
    ScratchDatabase& scratch;
    const TimeZones& zones;
    system::SystemIds& ids;
    system::JsonLog& log;
    const system::BootClock& clock;
    Progress& progress;
    std::size_t run;  // number of this run, from 1

    /// The scratch database, with the product's adapters.
    [[nodiscard]] std::unique_ptr<server::Database> open() const;
    /// Runs `measured`, which processes `events` events, and returns the resources that it used.
    [[nodiscard]] Measured measure(std::size_t events, const std::function<void()>& measured) const;
    /// The key of the i-th event of this run.
    [[nodiscard]] IdempotencyKey key(std::size_t i) const;
};

inline constexpr std::string_view event_type = "BENCH";

/// A PENDING event, as the product would store it.
[[nodiscard]] Event an_event(Ids& ids, IdempotencyKey key, Instant due, Instant now);
/// Stores `count` events, a thousand per transaction. `make` returns the i-th, with the database's
/// time.
void store_events(const Site& site, Store& store, std::size_t count, std::string_view what,
                  const std::function<Event(std::size_t i, Instant now)>& make);
/// Stores `count` events that are due at once.
void store_due(const Site& site, Store& store, std::size_t count);
/// Stores the rows of --future-rows and --finished-rows.
void fill(const Site& site);
/// The results of claim_all, which claims all due events and settles them as done, with `claimers`
/// threads of `batch` rows: the duration of each claim, and the number of settled events.
struct Claims {
    std::vector<microseconds> durations;
    std::size_t settled = 0;
};
[[nodiscard]] Claims claim_all(const Site& site, EventQueue& queue, std::size_t claimers,
                               std::size_t batch, std::size_t expected);

/// Checks that each of `count` events is seen once. Thread-safe.
class ArrivalCheck {
public:
    explicit ArrivalCheck(std::size_t count);
    ~ArrivalCheck();
    /// Records the event with that key.
    void seen(std::string_view key);
    [[nodiscard]] std::size_t times() const;
    /// Reports missing and repeated events.
    void report(std::vector<std::string>& faults) const;

private:
    struct Marks;
    std::unique_ptr<Marks> marks_;
};
/// The number at the end of a key of this run.
[[nodiscard]] std::optional<std::size_t> index_of(std::string_view key);

/// Checks that exactly `completed` and `live` events were added since `before`.
void expect_stock(const Stock& before, const Stock& after, std::uint64_t completed,
                  std::uint64_t live, std::vector<std::string>& faults);

/// Runs `work(0)` to `work(count - 1)`, each on its own thread. Rethrows an exception of any of
/// them.
void in_threads(std::size_t count, const std::function<void(std::size_t)>& work);
/// Waits until `so_far` reaches `count`. Returns false, with a fault, if nothing has come for a
/// minute.
[[nodiscard]] bool wait_for(const Site& site, std::size_t count,
                            const std::function<std::size_t()>& so_far,
                            std::vector<std::string>& faults);

// The kinds of work.
[[nodiscard]] Measured drain(const Site& site);
[[nodiscard]] Measured create(const Site& site);
[[nodiscard]] Measured lateness(const Site& site);
[[nodiscard]] Measured peak(const Site& site);
[[nodiscard]] Measured claim(const Site& site);
[[nodiscard]] Measured append(const Site& site);
[[nodiscard]] Measured time_rules(const Site& site);

}  // namespace sundial::bench
