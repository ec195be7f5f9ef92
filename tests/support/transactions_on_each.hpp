#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sundial/engine.hpp"
#include "sundial/streams.hpp"
#include "support/migrated_database.hpp"
#include "support/results.hpp"
#include "support/temporary_folder.hpp"

namespace sundial {

inline const NewUser ada{"Ada", "Li", "1992-06-15", "America/New_York", "ada"};
inline const StreamId order_17{"Order", "17"};

/// An engine with a table of the program's own, in the same database.
class TransactionsOnEach : public testing::TestWithParam<std::string> {
protected:
    TransactionsOnEach() {
        if (GetParam() == "sqlite") {
            storage_ = "sqlite:" + folder_.file().string();
        } else {
            storage_ = migrated_database();
        }
        reopen();
        const auto made = engine().transact([](Transaction& tx) {
            return tx.sql(
                "CREATE TABLE shop_orders (id BIGINT PRIMARY KEY, item TEXT NOT NULL, paid DOUBLE "
                "PRECISION, note TEXT)");
        });
        if (!made) throw std::runtime_error(made.error().detail);
    }
    [[nodiscard]] bool on_sqlite() const { return GetParam() == "sqlite"; }
    Engine& engine() { return *engine_; }
    /// Again if a wait for a lock or a connection has timed out, as on a busy machine.
    template <class Work>
    auto transact_patiently(const Work& work) {
        auto done = engine().transact(work);
        while (!done && done.error().code == "STORAGE_UNAVAILABLE") done = engine().transact(work);
        return done;
    }
    void reopen() {
        engine_.reset();
        auto opened = Engine::open({.storage = storage_, .test_clock = true});
        if (!opened) throw std::runtime_error(opened.error().detail);
        engine_.emplace(*std::move(opened));
    }
    /// The items of all orders.
    std::vector<std::string> items() {
        std::vector<std::string> all;
        const auto found = engine().transact(
            [](Transaction& tx) { return tx.sql("SELECT item FROM shop_orders ORDER BY id"); });
        EXPECT_TRUE(found) << detail_of(found);
        if (!found) return all;
        for (const auto& row : found->rows) all.push_back(row.at(0).value());
        return all;
    }
    static Result<SqlRows> add(Transaction& tx, int id, const std::string& item) {
        return tx.sql("INSERT INTO shop_orders (id, item) VALUES ($1, $2)", id, item);
    }
    std::uint64_t version_of(const StreamId& stream) {
        const auto part = engine().streams().read(stream);
        EXPECT_TRUE(part) << detail_of(part);
        return part ? part->version : 0;
    }

    std::string storage_;

private:
    TemporaryFolder folder_;
    std::optional<Engine> engine_;
};

}  // namespace sundial
