#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_folder.hpp"

namespace sundial::sqlite {

using SqlRow = std::vector<std::string>;  // values as texts, null as "NULL"

/// Runs SQL as a shell does, beside any process that uses the file.
inline std::vector<SqlRow> ask(const std::filesystem::path& file, const std::string& sql) {
    sqlite3* database = nullptr;
    std::vector<SqlRow> rows;
    EXPECT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    sqlite3_busy_timeout(database, 60'000);
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

/// The only value of the result.
inline std::string answer_to(const std::filesystem::path& file, const std::string& sql) {
    const auto rows = ask(file, sql);
    EXPECT_TRUE(rows.size() == 1 && rows[0].size() == 1) << sql;
    return rows.at(0).at(0);
}

}  // namespace sundial::sqlite
