#include "adapters/postgres/wire.hpp"

#include <gtest/gtest.h>

#include "adapters/postgres/connection.hpp"
#include "support/builders.hpp"
#include "support/postgres_cluster.hpp"
#include "support/recorded_log.hpp"

namespace sundial::postgres {
namespace {

using std::chrono::year;

class WireTest : public testing::Test {
protected:
    /// The server's answer to a statement with these values.
    template <class... Values>
    Answer ask(const char* sql, const Values&... values) {
        const Statement statement{"asked", sql, Statement::Plan::fresh};
        const Call call{statement, values...};
        return std::move(connection().run({&call, 1}, false, 10s).front());
    }
    /// Sends a value to the server and returns the one that comes back.
    template <class T>
    T echo(const T& value) {
        return ask("SELECT $1", value).template get<T>(0, 0);
    }
    template <class T>
    std::string as_text(const T& value) {
        return ask("SELECT $1::text", value).template get<std::string>(0, 0);
    }

private:
    static Connection& connection() {
        static RecordedLog log;
        static Connection one{PostgresCluster::shared().create_database(), log};
        return one;
    }
};

TEST_F(WireTest, CarriesNumbersTextsAndBytes) {
    EXPECT_EQ(echo(std::int16_t{-3}), -3);
    EXPECT_EQ(echo(std::int32_t{-70'000}), -70'000);
    EXPECT_EQ(echo(std::int64_t{INT64_MIN}), INT64_MIN);
    EXPECT_EQ(echo(Version{7}), Version{7});
    EXPECT_EQ(echo(Attempt{4'000'000}), Attempt{4'000'000});
    EXPECT_TRUE(echo(true));
    EXPECT_FALSE(echo(false));
    EXPECT_EQ(echo(std::string{"Zoë — \"'\\ 🎂"}), "Zoë — \"'\\ 🎂");
    EXPECT_EQ(echo(Bytes{std::string("\0\xff\n", 3)}).value, std::string("\0\xff\n", 3));
    EXPECT_EQ(as_text(instance_a), to_string(instance_a));
}

TEST_F(WireTest, CarriesTimes) {
    EXPECT_EQ(as_text(noon + 1us), "2027-01-05 12:00:00.000001+00");
    EXPECT_EQ(echo(noon - 1us), noon - 1us);
    EXPECT_EQ(as_text(never), "infinity");
    EXPECT_EQ(echo(never), never);
    const Instant first = std::chrono::sys_days{year{1} / 1 / 1};
    EXPECT_EQ(echo(first), first);
    const Instant last = std::chrono::sys_days{year{9999} / 12 / 31} + 24h - 1us;
    EXPECT_EQ(echo(last), last);
    const WallTime wall = std::chrono::local_days{year{2026} / 3 / 29} + 2h + 30min;
    EXPECT_EQ(as_text(wall), "2026-03-29 02:30:00");
    EXPECT_EQ(echo(wall), wall);
    EXPECT_EQ(as_text(Date{year{1992} / 2 / 29}), "1992-02-29");
    EXPECT_EQ(echo(Date{year{1} / 1 / 1}), Date{year{1} / 1 / 1});
    EXPECT_EQ(as_text(TimeOfDay{9h + 5min}), "09:05:00");
    EXPECT_EQ(echo(TimeOfDay{86'399}), TimeOfDay{86'399});
    EXPECT_EQ(echo(-90s + 1us), -90s + 1us);
    EXPECT_EQ(ask("SELECT interval '2 days 1 second'").get<std::chrono::microseconds>(0, 0),
              48h + 1s);
}

TEST_F(WireTest, CarriesNullsAndArrays) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(echo(std::optional<UserId>{}), std::nullopt);
    EXPECT_EQ(echo(std::optional{Version{3}}), Version{3});
    EXPECT_EQ(echo(Texts{}), Texts{});
    EXPECT_EQ(echo(Texts{"a", "", "b,\"c\""}), (Texts{"a", "", "b,\"c\""}));
    EXPECT_EQ(echo(std::vector{noon, never}), (std::vector{noon, never}));
    EXPECT_EQ(as_text(std::vector<std::optional<std::int32_t>>{1, {}, -1}), "{1,NULL,-1}");
}

TEST_F(WireTest, ThrowsForUnexpectedValues) {
    EXPECT_THROW(static_cast<void>(ask("SELECT 1").get<std::string>(0, 0)), Corrupt);
    EXPECT_THROW(static_cast<void>(ask("SELECT NULL::text").get<std::string>(0, 0)), Corrupt);
    EXPECT_THROW(
        static_cast<void>(ask("SELECT '{a,NULL}'::text[]").get<std::vector<std::string>>(0, 0)),
        Corrupt);
    EXPECT_THROW(
        static_cast<void>(ask("SELECT interval '1 month'").get<std::chrono::microseconds>(0, 0)),
        Corrupt);
}

}  // namespace
}  // namespace sundial::postgres
