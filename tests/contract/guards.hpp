#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "contract/storage.hpp"

namespace sundial {

/// Values of one column that a constraint accepts and refuses, as SQL expressions.
struct ColumnBounds {
    std::string table;  // without its schema
    std::string constraint;
    std::string column;
    std::vector<std::string> good;
    std::vector<std::string> bad;
};

/// The base of the tests of a database that refuses plain SQL which breaks a rule of the API, and
/// that handles the deletion of a user by plain SQL. Each adapter says how to run SQL.
class GuardsTest : public testing::Test {
protected:
    virtual Storage& storage() = 0;
    /// Runs the statements. Returns the database's error, or an empty text.
    virtual std::string refusal_of(const std::string& sql) = 0;
    /// The first value of the first row.
    virtual std::string value_of(const std::string& sql) = 0;
    /// The table's name in SQL.
    [[nodiscard]] virtual std::string table(const std::string& name) const = 0;

    void run(const std::string& sql) { EXPECT_EQ(refusal_of(sql), "") << sql; }
    Store& store() { return storage().store(); }
    template <class... Events>
    void given(const Events&... events) {
        store().transact([&](Transaction& tx) {
            for (const Event& event : {static_cast<Event>(events)...}) {
                EXPECT_TRUE(tx.events().add(event).has_value());
            }
            return true;
        });
    }
    User a_stored_user();
    Event find(EventId id);
    Event claim_one();
    /// The number of live events.
    std::string live() { return value_of("SELECT count(*) FROM " + table("events")); }

    /// The bounds that all databases share. `text_of` makes an expression for a text of that
    /// length, `per_zone` is the value of `per_user` for a schedule with a zone.
    static std::vector<ColumnBounds> shared_bounds(const std::function<std::string(int)>& text_of,
                                                   const std::string& per_zone);
    void expect_bounds(const std::vector<ColumnBounds>& all);
    void expect_that_live_events_of_a_deleted_user_end();
    void expect_that_their_keys_are_free();
    void expect_that_a_claimed_event_is_delivered();
};

}  // namespace sundial
