#include "server/tz_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "adapters/memory/store.hpp"
#include "adapters/zones/tz_directory.hpp"
#include "support/deaf_ports.hpp"
#include "support/fake_ids.hpp"
#include "support/recorded_log.hpp"

namespace sundial::server {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto hang_guard = 10min;

/// Waits for a line of the log.
class AwaitedLog final : public base::Log {
public:
    explicit AwaitedLog(base::LogLevel level) : level_(level) {}
    void write(base::LogLine line) override {
        if (line.level == level_ && !std::exchange(requested_, true)) line_.set_value(line.message);
    }
    std::future<std::string> line() { return line_.get_future(); }

private:
    base::LogLevel level_;
    bool requested_ = false;
    std::promise<std::string> line_;
};

/// A directory that contains 2031a, and 2031b beside it.
class TzWatchTest : public zones::TzDirectoryTest {
protected:
    TzWatchTest() {
        make("old", "2031a");
        make("fresh", "2031b");
        fs::create_directory_symlink("old", path() / "zoneinfo");
        zones.emplace(path() / "zoneinfo");
    }
    void make(const std::string& folder, const std::string& release) {
        write(folder + "/tzdata.zi", "# version " + release + "\nZ Europe/Paris 1 - CET\n");
        install(folder + "/Europe/Paris", "Europe/Paris");
    }
    void swap_in(const std::string& folder) {
        fs::create_directory_symlink(folder, path() / "next");
        fs::rename(path() / "next", path() / "zoneinfo");
    }
    TzWatch::Options options(TzWatch::Pace pace, bool watch = true) {
        return {.watch = watch,
                .reschedule = true,
                .replaced = [this](const std::string& release) { replaced_.set_value(release); },
                .pace = pace};
    }
    /// The release of the replacement; throws if none happens.
    std::string replaced() {
        auto future = replaced_.get_future();
        if (future.wait_for(hang_guard) != std::future_status::ready)
            throw std::runtime_error("nothing was put in force");
        return future.get();
    }

    std::optional<zones::CctzTimeZones> zones;
    memory::ManualClock clock{noon};
    memory::MemoryStore store{clock};
    FakeIds ids;
    NoWakeups wakeups;
    RecordedLog log;
    std::promise<std::string> replaced_;
};

constexpr TzWatch::Pace never_by_itself{
    .between_checks = 24h, .until_settled = 24h, .after_replacement = 24h, .after_failure = 24h};
constexpr TzWatch::Pace always{
    .between_checks = 1ms, .until_settled = 1ms, .after_replacement = 24h, .after_failure = 1ms};

TEST_F(TzWatchTest, ChecksOnRequest) {
    FollowTzdata follow{store, *zones, ids, wakeups};
    TzWatch watch{*zones, follow, log, options(never_by_itself)};
    swap_in("fresh");
    watch.check_now();
    EXPECT_EQ(replaced(), "2031b");
    EXPECT_EQ(zones->current()->release(), "2031b");
}

TEST_F(TzWatchTest, ChecksPeriodically) {
    FollowTzdata follow{store, *zones, ids, wakeups};
    TzWatch watch{*zones, follow, log, options(always)};
    swap_in("fresh");
    EXPECT_EQ(replaced(), "2031b");
}

TEST_F(TzWatchTest, ChecksOnRequestWithoutWatching) {
    FollowTzdata follow{store, *zones, ids, wakeups};
    TzWatch watch{*zones, follow, log, options(always, false)};
    swap_in("fresh");
    watch.check_now();
    EXPECT_EQ(replaced(), "2031b");
}

TEST_F(TzWatchTest, ReportsADamagedDatabaseAndLoadsItOnceRepaired) {
    AwaitedLog errors{base::LogLevel::error};
    auto setting_error = errors.line();
    FollowTzdata follow{store, *zones, ids, wakeups};
    TzWatch watch{*zones, follow, errors, options(always)};
    fs::resize_file(path() / "fresh/Europe/Paris", 100);
    swap_in("fresh");
    ASSERT_EQ(setting_error.wait_for(hang_guard), std::future_status::ready);
    EXPECT_THAT(setting_error.get(), testing::HasSubstr("in effect stays 2031a"));
    EXPECT_EQ(zones->current()->release(), "2031a");
    install("fresh/Europe/Paris", "Europe/Paris");
    EXPECT_EQ(replaced(), "2031b");
}

TEST_F(TzWatchTest, StopsAtOnce) {
    FollowTzdata follow{store, *zones, ids, wakeups};
    {
        const TzWatch watch{*zones, follow, log, options(never_by_itself)};
    }
    EXPECT_EQ(zones->current()->release(), "2031a");
}

}  // namespace
}  // namespace sundial::server
