#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sundial/codes.hpp"
#include "sundial/engine.hpp"
#include "sundial/exceptions.hpp"
#include "sundial/streams.hpp"

/// Tests what programs learn of errors: through the public headers alone.
namespace {

using namespace std::chrono_literals;
using sundial::Engine;
using sundial::Error;
using sundial::Expected;
using sundial::Repeat;
using sundial::Result;
using sundial::SqlFailure;
using testing::HasSubstr;
using testing::SizeIs;

Engine opened() { return Engine::open({.storage = "memory:", .test_clock = true}).value(); }

TEST(Errors, HaveTheDataOfTheirCode) {
    Engine engine = opened();
    const auto now = *engine.now();
    const auto first =
        engine.schedule({.type = "REMINDER", .at = now + 1h, .idempotency_key = "once"});
    const auto again = engine.schedule({.type = "REMINDER", .at = now, .idempotency_key = "once"});
    ASSERT_FALSE(again);
    const auto& duplicate = std::get<sundial::Duplicate>(again.error().data);
    EXPECT_EQ(duplicate, (sundial::Duplicate{"once", first->id, "PENDING"}));
    EXPECT_EQ(again.error().repeat(), Repeat::never);

    ASSERT_TRUE(engine.cancel(first->id));
    const auto changed = engine.change(first->id, {.at = now});
    ASSERT_FALSE(changed);
    const auto& state = std::get<sundial::WrongState>(changed.error().data);
    EXPECT_EQ(state.event_id, first->id);
    EXPECT_EQ(state.status, "CANCELLED");

    auto streams = engine.streams();
    const auto appended = streams.append({"Order", "1"}, Expected::exactly(3), {{.type = "A"}});
    ASSERT_FALSE(appended);
    EXPECT_EQ(std::get<sundial::Conflict>(appended.error().data).expected, 3);
    EXPECT_EQ(appended.error().repeat(), Repeat::transaction);
    const std::string id = streams.fresh_id();
    ASSERT_TRUE(streams.append({"Order", "1"}, Expected::any(), {{.type = "A", .id = id}}));
    const auto reused = streams.append({"Order", "2"}, Expected::any(), {{.type = "A", .id = id}});
    ASSERT_FALSE(reused);
    const auto& ids = std::get<sundial::ReusedIds>(reused.error().data);
    ASSERT_THAT(ids, SizeIs(1));
    EXPECT_EQ(ids[0].event_id, id);
    EXPECT_EQ(ids[0].reason, "OTHER_STREAM");
    EXPECT_EQ(ids[0].stream_id, "1");
}

TEST(Errors, SayWhatTheyAreAbout) {
    Engine engine = opened();
    const auto missing = engine.find_event("none");
    ASSERT_FALSE(missing);
    EXPECT_EQ(std::get<sundial::Missing>(missing.error().data), sundial::Missing{"none"});

    auto streams = engine.streams();
    ASSERT_TRUE(streams.append({"Order", "1"}, Expected::any(), {{.type = "A"}}));
    ASSERT_TRUE(streams.archive({"Order", "1"}));
    const auto archived = streams.append({"Order", "1"}, Expected::any(), {{.type = "A"}});
    ASSERT_FALSE(archived);
    EXPECT_EQ(std::get<sundial::RefusedStream>(archived.error().data),
              (sundial::RefusedStream{"Order", "1"}));
    EXPECT_THROW((void)archived.value(), sundial::EventSourceError);

    ASSERT_TRUE(streams.save_checkpoint("report", {.position = 1}, 0));
    const auto moved = streams.save_checkpoint("report", {.position = 1}, 5);
    ASSERT_FALSE(moved);
    EXPECT_EQ(std::get<sundial::MovedCheckpoint>(moved.error().data),
              (sundial::MovedCheckpoint{"report", 1}));
    try {
        (void)moved.value();
        FAIL();
    } catch (const sundial::OptimisticLockError& error) {
        EXPECT_EQ(error.id(), "report");
        EXPECT_EQ(error.actual(), 1U);
    }

    ASSERT_TRUE(engine.create_queue("printers"));
    const std::string id = engine.find_endpoint("ext:printers")->id;
    ASSERT_TRUE(engine.schedule({.type = "A", .at = *engine.now(), .queue = "printers"}));
    const auto used = engine.delete_endpoint("ext:printers");
    ASSERT_FALSE(used);
    EXPECT_EQ(std::get<sundial::UsedEndpoint>(used.error().data),
              (sundial::UsedEndpoint{.endpoint_id = id, .events = 1}));
    ASSERT_TRUE(engine.disable_endpoint("ext:printers"));
    const auto claimed = engine.worker("printers", "one").claim();
    ASSERT_FALSE(claimed);
    EXPECT_EQ(std::get<sundial::StoppedEndpoint>(claimed.error().data).endpoint_id, id);

    const auto once = [&](const char* fingerprint) {
        return engine.transact([&](sundial::Transaction& tx) {
            return tx.once("key", fingerprint, [](sundial::Transaction&) -> Result<std::string> {
                return std::string{"done"};
            });
        });
    };
    ASSERT_TRUE(once("a"));
    const auto reused = once("b");
    ASSERT_FALSE(reused);
    EXPECT_EQ(std::get<sundial::UsedKey>(reused.error().data), sundial::UsedKey{"key"});
    EXPECT_THROW((void)reused.value(), sundial::IdempotencyError);
}

TEST(Errors, NameFieldsAsTheProgramDoes) {
    Engine engine = opened();
    const auto field_of = [](const auto& answer) {
        return answer ? "" : std::get<sundial::InvalidFields>(answer.error().data).at(0).field;
    };
    EXPECT_EQ(field_of(engine.schedule({.type = "REMINDER", .local_time = "soon"})), "local_time");
    EXPECT_EQ(field_of(engine.schedule({.type = "", .at = *engine.now()})), "type");
    EXPECT_EQ(field_of(engine.schedule({.type = "A", .at = *engine.now(), .queue = "none"})),
              "queue");
    EXPECT_EQ(field_of(engine.put_schedule(
                  {.name = "x", .event_type = "A", .rule = sundial::Cron{"every day"}})),
              "rule.cron");
    EXPECT_EQ(
        field_of(engine.preview({.name = "x", .event_type = "A", .rule = sundial::Cron{"?"}})),
        "rule.cron");
}

TEST(Errors, AreExceptionsForProgramsThatWantThem) {
    Engine engine = opened();
    EXPECT_THROW((void)engine.find_event("x").value(), sundial::NotFoundError);
    EXPECT_THROW((void)engine.schedule({.type = ""}).value(), sundial::ValidationError);
    auto streams = engine.streams();
    try {
        (void)streams.append({"Order", "1"}, Expected::exactly(3), {{.type = "A"}}).value();
        FAIL();
    } catch (const sundial::OptimisticLockError& error) {
        EXPECT_EQ(std::get<sundial::Conflict>(error.error().data).actual, 0U);
        EXPECT_EQ(error.id(), "1");
        EXPECT_EQ(error.expected(), 3);
        EXPECT_EQ(error.actual(), 0U);
        EXPECT_THAT(error.what(), HasSubstr("OPTIMISTIC_LOCK: "));
    }
    const auto event = engine.schedule({.type = "A", .at = *engine.now()}).value();
    (void)engine.cancel(event.id).value();
    EXPECT_THROW((void)engine.change(event.id, {.priority = sundial::Priority::low}).value(),
                 sundial::InvalidStateTransitionError);
}

TEST(Results, ChainCalls) {
    const auto half = [](int number) -> Result<int> {
        if (number % 2 != 0) return Error{"ODD", std::to_string(number)};
        return number / 2;
    };
    EXPECT_EQ(*Result<int>{12}.and_then(half).and_then(half), 3);
    const auto odd = Result<int>{6}.and_then(half).and_then(half);
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().detail, "3");
    EXPECT_EQ(Result<int>(odd.error()).value_or(7), 7);
    EXPECT_EQ(odd.value_or(7), 7);
    EXPECT_EQ(Result<int>{5}.value_or(7), 5);
}

TEST(ResultsDeathTest, EndTheProgramIfTheyAreReadUnchecked) {
    const Result<int> missing{Error{"SOLD_OUT", "no tea"}};
    EXPECT_DEATH((void)*missing, "SOLD_OUT");
    const Result<int> present{1};
    EXPECT_DEATH((void)present.error(), "has a value");
}

TEST(SqlErrors, AreRepeatedAsTheirCodesSay) {
    const auto of_postgres = [](const char* state) { return repeat_of(SqlFailure{state, 0, {}}); };
    EXPECT_EQ(of_postgres("40001"), Repeat::transaction);
    EXPECT_EQ(of_postgres("40P01"), Repeat::transaction);
    for (const char* state : {"08006", "53300", "57P01", "55P03", "57014", "25006"}) {
        EXPECT_EQ(of_postgres(state), Repeat::later) << state;
    }
    for (const char* state : {"23505", "42601", "42501", "22012", ""}) {
        EXPECT_EQ(of_postgres(state), Repeat::never) << state;
    }
    const auto of_sqlite = [](int code) { return repeat_of(SqlFailure{{}, code, {}}); };
    for (const int code : {5, 6, 10, 13, 261, 778}) EXPECT_EQ(of_sqlite(code), Repeat::later);
    for (const int code : {1, 19, 2067, 23}) EXPECT_EQ(of_sqlite(code), Repeat::never);
}

TEST(Errors, HaveTheirCodesAsAnEnumeration) {
    using sundial::Code;
    Engine engine = opened();
    EXPECT_EQ(sundial::to_code(engine.find_event("none").error()), Code::event_not_found);
    EXPECT_EQ(sundial::to_code(engine.schedule({.type = ""}).error()), Code::validation_failed);
    EXPECT_EQ(sundial::to_code(Error{"SOLD_OUT", "there is no tea"}), Code::other);
    EXPECT_EQ(sundial::to_text(Code::other), "");
    // Each value has a text of its own, and is found by it.
    std::set<std::string_view> texts;
    for (int i = 1; i <= static_cast<int>(Code::wrong_process); ++i) {
        const auto text = sundial::to_text(static_cast<Code>(i));
        EXPECT_NE(text, "") << i;
        EXPECT_EQ(sundial::to_code(text), static_cast<Code>(i));
        EXPECT_TRUE(texts.insert(text).second) << text;
    }
}

}  // namespace
