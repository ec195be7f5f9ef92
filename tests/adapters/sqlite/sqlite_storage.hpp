#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adapters/sqlite/open.hpp"
#include "contract/storage.hpp"
#include "files.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {

/// A database in its own folder, with its test clock at `noon`.
class SqliteStorage final : public Storage {
public:
    SqliteStorage() { open(); }
    /// After every test, the counts that transactions kept must equal the counted rows.
    ~SqliteStorage() override {
        close();
        EXPECT_EQ(ask(file(), counts_kept), ask(file(), counts_found));
    }
    Store& store() override { return database_->store(); }
    EventQueue& queue() override { return database_->queue(); }
    PullQueue& pull_queue() override { return database_->pull_queue(); }
    Clock& clock() override { return database_->clock(); }
    Feed& feed() override { return database_->feed(); }
    Retention& retention() { return database_->retention(); }

    [[nodiscard]] std::filesystem::path file() const { return folder_.file(); }
    void close() { database_.reset(); }
    void open() {
        database_ =
            SqliteDatabase::open({.file = folder_.file(),
                                  .real_time = [] { return noon; },
                                  .test_clock = true,
                                  .test_start = noon},
                                 log_, [](const std::string& why) { ADD_FAILURE() << why; });
    }

private:
    static constexpr const char* counts_kept =
        "SELECT standing, rows FROM event_counts WHERE rows <> 0 ORDER BY standing";
    static constexpr const char* counts_found = R"sql(
        SELECT standing, count(*)
          FROM (SELECT CASE WHEN claimed_by IS NOT NULL THEN 'CLAIMED'
                            ELSE iif(status = 'PENDING', 'PENDING', 'WAITING')
                                 || iif(claimable_at = 9223372036854775807, '_PARKED', '')
                       END AS standing
                  FROM events
                UNION ALL SELECT status FROM event_history)
         GROUP BY standing ORDER BY standing)sql";

    TemporaryFolder folder_;
    RecordedLog log_;
    std::unique_ptr<SqliteDatabase> database_;
};

}  // namespace sundial::sqlite
