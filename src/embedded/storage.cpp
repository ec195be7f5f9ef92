#include "embedded/storage.hpp"

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

#include "adapters/memory/store.hpp"
#include "adapters/system/clocks.hpp"
#include "application/locks/stored_locks.hpp"
#include "application/ports/failures.hpp"

// Null in a program that is linked without the component.
extern "C" {
[[gnu::weak,
  gnu::visibility("default")]] extern const sundial::embedding::OpenDatabase sundial_storage_sqlite;
[[gnu::weak,
  gnu::visibility(
      "default")]] extern const sundial::embedding::OpenDatabase sundial_storage_postgres;
[[gnu::weak,
  gnu::visibility("default")]] extern const sundial::embedding::OpenLocks sundial_locks_redis;
}

namespace sundial::embedding {

namespace {

constexpr std::string_view in_memory = "memory:";
constexpr std::string_view in_file = "sqlite:";

/// The system's clock, but never going backward.
class RealClock final : public Clock {
public:
    Instant now() override {
        const Instant real = system::real_time();
        Instant latest = latest_;
        while (latest < real && !latest_.compare_exchange_weak(latest, real)) {
        }
        return std::max(latest, real);
    }
    [[nodiscard]] bool is_test() const override { return false; }
    sundial::Result<void, ClockNotTest, ValidationFailed> set(Instant /*now*/) override {
        return ClockNotTest{};
    }

private:
    std::atomic<Instant> latest_{Instant::min()};
};

template <class TheClock>
class InMemory final : public Storage {
public:
    template <class... Values>
    explicit InMemory(Values... values) : clock_{values...} {}
    Store& store() override { return store_; }
    EventQueue& queue() override { return store_.queue(); }
    PullQueue& pull_queue() override { return store_.pull_queue(); }
    Clock& clock() override { return clock_; }
    Feed& feed() override { return store_.feed(); }
    FeedMeter& feed_meter() override { return store_.feed(); }
    Retention* retention() override { return nullptr; }

private:
    TheClock clock_;
    memory::MemoryStore store_{clock_};
};

[[noreturn]] void refuse_without(const char* what, const std::string& component) {
    throw CannotStart{std::string{"this program is linked without "} + what + ": link Sundial::" +
                      component + " (CMake) or sundial-" + component + " (pkg-config)"};
}

std::unique_ptr<Storage> open_database(const OpenDatabase* component, const std::string& name,
                                       const Options& options, base::Log& log) {
    if (component != nullptr) return (*component)(options, log);
    refuse_without(("the storage " + name).c_str(), name);
}

}  // namespace

std::unique_ptr<Storage> open_storage(const Options& options, base::Log& log) {
    const std::string_view name = options.storage;
    if (name == in_memory && options.test_clock) {
        return std::make_unique<InMemory<memory::ManualClock>>(system::real_time());
    }
    if (name == in_memory) return std::make_unique<InMemory<RealClock>>();
    if (name.starts_with(in_file) && name.size() > in_file.size()) {
        return open_database(&sundial_storage_sqlite, "sqlite", options, log);
    }
    if (name.starts_with("postgresql://") || name.starts_with("postgres://")) {
        return open_database(&sundial_storage_postgres, "postgres", options, log);
    }
    throw CannotStart{"storage must be memory:, sqlite:FILE or postgresql://user@host/database"};
}

std::unique_ptr<LockStore> open_lock_store(const Options& options, Store& store) {
    if (options.lock_server.empty()) return std::make_unique<StoredLocks>(store);
    const OpenLocks* const component = &sundial_locks_redis;
    if (component != nullptr) return (*component)(options, store);
    refuse_without("locks on Redis, which Options::lock_server asks for", "redis");
}

}  // namespace sundial::embedding
