#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/sqlite/open.hpp"
#include "contract/storage.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {

/// A folder that is gone with the test.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "sundial-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error{"mkdtemp " + name};
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] std::filesystem::path file(const std::string& name = "sundial.db") const {
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

using SqlRow = std::vector<std::string>;  // values as texts, null as "NULL"

/// What a shell would say to that SQL, beside whoever uses the file.
inline std::vector<SqlRow> ask(const std::filesystem::path& file, const std::string& sql) {
    sqlite3* database = nullptr;
    std::vector<SqlRow> rows;
    EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_busy_timeout(database, 5'000);
    const auto read = [](void* to, int columns, char** values, char**) {
        SqlRow row;
        for (int i = 0; i < columns; ++i) row.emplace_back(values[i] ? values[i] : "NULL");
        static_cast<std::vector<SqlRow>*>(to)->push_back(std::move(row));
        return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), read, &rows, nullptr), SQLITE_OK)
        << sqlite3_errmsg(database);
    sqlite3_close(database);
    return rows;
}

/// A database of its own in a folder of its own, its test clock at `noon`.
class SqliteStorage final : public Storage {
public:
    SqliteStorage() { open(); }
    Store& store() override { return database_->store(); }
    EventQueue& queue() override { return database_->queue(); }
    Clock& clock() override { return database_->clock(); }
    std::vector<RecordedEvent> recorded() override {
        std::vector<RecordedEvent> facts;
        for (const SqlRow& row : ask(folder_.file(), R"sql(
                 SELECT aggregate_type, hex(aggregate_id), version, hex(event_id), event_type,
                        coalesce(data, ''), correlation_id
                   FROM recorded_events ORDER BY position)sql")) {
            facts.push_back({row[0], uuid_from_hex(row[1]), Version{std::stoull(row[2])},
                             uuid_from_hex(row[3]), row[4], row[5], row[6]});
        }
        return facts;
    }

    [[nodiscard]] std::filesystem::path file() const { return folder_.file(); }
    void close() { database_.reset(); }
    void open() {
        database_ =
            SqliteDatabase::open({.file = folder_.file(), .test_clock = true, .test_start = noon},
                                 log_, [](const std::string& why) { ADD_FAILURE() << why; });
    }

private:
    static Uuid uuid_from_hex(const std::string& hex) {
        return base::parse_uuid(hex.substr(0, 8) + "-" + hex.substr(8, 4) + "-" +
                                hex.substr(12, 4) + "-" + hex.substr(16, 4) + "-" + hex.substr(20))
            .value();
    }

    TemporaryFolder folder_;
    RecordedLog log_;
    std::unique_ptr<SqliteDatabase> database_;
};

}  // namespace sundial::sqlite
