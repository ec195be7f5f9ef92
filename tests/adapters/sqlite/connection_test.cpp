#include "adapters/sqlite/connection.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/sqlite/value.hpp"
#include "files.hpp"

namespace sundial::sqlite {
namespace {

constexpr Statement insert_kept{"INSERT INTO kept VALUES (?1, ?2, ?3, ?4)"};
constexpr Statement find_kept{"SELECT name FROM kept WHERE name = ?1"};

constexpr Date leap_day{std::chrono::year{2000}, std::chrono::month{2}, std::chrono::day{29}};

class ConnectionTest : public testing::Test {
protected:
    ConnectionTest() {
        connection_.run("CREATE TABLE kept (name TEXT, born TEXT, status TEXT, claimant BLOB)");
    }

    /// Statements of the connection with a value that is bound now.
    int statements_with_values() {
        int found = 0;
        sqlite3_stmt* statement = nullptr;
        while ((statement = sqlite3_next_stmt(connection_.handle(), statement)) != nullptr) {
            char* const text = sqlite3_expanded_sql(statement);
            if (std::string(text).find('\'') != std::string::npos) ++found;
            sqlite3_free(text);
        }
        return found;
    }

    TemporaryFolder folder_;
    Connection connection_{folder_.file(), Connection::Role::writer};
};

TEST_F(ConnectionTest, StoresValuesThatEndWithTheExecution) {
    const std::string name(100, 'x');
    {
        const std::string passing = name;
        const Claimant claimant{InstanceId{Uuid{}}, std::string(60, 'w')};
        connection_.execute(insert_kept, passing, leap_day, EventStatus::pending,
                            std::optional{claimant});
    }
    EXPECT_EQ(ask(folder_.file(), "SELECT name, born, status, length(claimant) FROM kept"),
              (std::vector<SqlRow>{{name, "2000-02-29", "PENDING", "76"}}));
}

TEST_F(ConnectionTest, CopiesTheValuesOfAQueryBecauseItsRowsAreReadLater) {
    const std::string name(100, 'x');
    connection_.execute(insert_kept, name, leap_day, EventStatus::pending,
                        std::optional<Claimant>{});
    auto passing = std::make_unique<std::string>(name);
    Cursor row = connection_.query(find_kept, *passing);
    passing.reset();
    ASSERT_TRUE(row.next());
    EXPECT_EQ(row.take<std::string>(), name);
}

TEST_F(ConnectionTest, KeepsNoValueBoundAfterAnExecution) {
    connection_.execute(insert_kept, std::string(100, 'x'), leap_day, EventStatus::pending,
                        std::optional<Claimant>{});
    EXPECT_FALSE(connection_.query(find_kept, std::string_view{"nothing"}).next());
    EXPECT_EQ(statements_with_values(), 0);
}

}  // namespace
}  // namespace sundial::sqlite
