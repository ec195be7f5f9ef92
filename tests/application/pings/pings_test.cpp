#include "application/pings/pings.hpp"

#include <gmock/gmock.h>

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/control_plane.hpp"
#include "support/fake_delivery.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string ping_address = "https://hc-ping.com/5b3c2f6e";

/// The store of a database that may be away.
class UnsteadyStore final : public Store {
public:
    explicit UnsteadyStore(Store& store) : store_(store) {}
    void transact(const std::function<bool(Transaction&)>& work) override { store_.transact(work); }
    void read(const std::function<void(Transaction&)>& work) override {
        if (away) {
            if (const auto call = std::exchange(meanwhile, {})) call();
            throw Unavailable{"the database is away"};
        }
        store_.read(work);
    }
    [[nodiscard]] bool open_here() override { return store_.open_here(); }
    bool away = false;
    std::function<void()> meanwhile;  // called by the next read that fails

private:
    Store& store_;
};

class PingsTest : public ControlPlane {
protected:
    void SetUp() override {
        change_birthday([](Schedule& schedule) { schedule.ping_url = ping_address; });
    }
    Pings& with(PingSettings settings) {
        return pings.emplace(std::move(settings),
                             Pings::Ports{.store = storage,
                                          .delivery = &delivery,
                                          .ids = ids,
                                          .monotonic = monotonic,
                                          .log = log,
                                          .engine_works = [this] { return works; },
                                          .time_of_day = [] { return noon; }});
    }
    void completed(std::optional<ScheduleId> schedule,
                   EventStatus status = EventStatus::completed) {
        Event event = an_event();
        if (schedule) {
            event.occurrence = Occurrence{*schedule, Version{1}, std::chrono::year{2027} / 1 / 5};
        }
        pings->settled({event, status, 1ms, noon, noon});
    }
    /// Lets time pass, second by second.
    void pass(std::chrono::seconds time) {
        for (const Mono end = monotonic.time + time;;) {
            (void)pings->turn(monotonic.time);
            if (monotonic.time >= end) return;
            monotonic.time += 1s;
        }
    }
    std::vector<std::string> urls() const {
        std::vector<std::string> all;
        for (const DeliveryRequest& request : delivery.requests) {
            all.push_back(request.endpoint->url);
        }
        return all;
    }

    UnsteadyStore storage{store};
    FakeDelivery delivery;
    bool works = true;
    std::optional<Pings> pings;
};

TEST_F(PingsTest, ReportThatAnEventOfTheScheduleCompleted) {
    with({});
    completed(birthday().id);
    pass(0s);
    ASSERT_THAT(urls(), ElementsAre(ping_address));
    const Event& event = delivery.requests[0].event;
    EXPECT_EQ(event.type, "sundial.ping");
    EXPECT_THAT(event.payload, HasSubstr("\"scheduleId\":\"" + to_string(birthday().id) + '"'));
    EXPECT_THAT(event.payload, HasSubstr("\"completed\":1"));
    EXPECT_FALSE(delivery.requests[0].claimed);
    pass(60s);
    EXPECT_THAT(urls(), SizeIs(1));
    EXPECT_EQ(pings->counts().schedules_accepted, 1U);
}

TEST_F(PingsTest, AreSentForNothingElse) {
    const Schedule silent = a_schedule();
    write([&](Transaction& tx) { ASSERT_TRUE(tx.schedules().add(silent)); });
    with({});
    completed(std::nullopt);
    completed(silent.id);
    completed(an_id<ScheduleId>());
    completed(birthday().id, EventStatus::failed);
    completed(birthday().id, EventStatus::processing);
    pass(60s);
    EXPECT_THAT(urls(), IsEmpty());
}

TEST_F(PingsTest, OfOneScheduleAreApart) {
    with({.apart = 15s});
    for (int i = 0; i < 1000; ++i) completed(birthday().id);
    pass(1s);
    EXPECT_THAT(urls(), SizeIs(1));
    EXPECT_THAT(delivery.requests[0].event->payload, HasSubstr("\"completed\":1000"));
    completed(birthday().id);
    pass(13s);
    EXPECT_THAT(urls(), SizeIs(1));
    pass(2s);
    EXPECT_THAT(urls(), SizeIs(2));
}

TEST_F(PingsTest, AreRepeatedAFewTimes) {
    delivery.answer = [](const DeliveryRequest&) { return status_outcome(503); };
    with({.retries = {2s, 10s}});
    completed(birthday().id);
    pass(1s);
    EXPECT_THAT(urls(), SizeIs(1));
    pass(2s);
    EXPECT_THAT(urls(), SizeIs(2));
    pass(60s);
    EXPECT_THAT(urls(), SizeIs(3));
    EXPECT_EQ(pings->counts().schedules_failed, 1U);
    ASSERT_THAT(log.lines(), SizeIs(1));
    EXPECT_EQ(log.lines()[0].event_name, "ping.failed");
}

TEST_F(PingsTest, ThatAreForbiddenAreNotRepeated) {
    delivery.answer = [](const DeliveryRequest&) { return status_outcome(404); };
    with({});
    completed(birthday().id);
    pass(60s);
    EXPECT_THAT(urls(), SizeIs(1));
    EXPECT_EQ(pings->counts().schedules_failed, 1U);
}

TEST_F(PingsTest, OfABusyScheduleAreNotMoreIfTheServiceRefusesThem) {
    int status = 503;
    delivery.answer = [&](const DeliveryRequest&) { return status_outcome(status); };
    with({.apart = 15s, .retries = {2s, 10s}});
    const auto busy = [&](int seconds) {
        for (int i = 0; i < seconds; ++i) {
            completed(birthday().id);
            pass(1s);
        }
    };
    busy(25);  // three requests in 12 s; then it is given up for 15 s
    EXPECT_THAT(urls(), SizeIs(3));
    EXPECT_EQ(pings->counts().schedules_failed, 1U);
    EXPECT_THAT(log.lines(), SizeIs(1));
    status = 404;
    busy(30);
    EXPECT_THAT(urls(), SizeIs(5));
    EXPECT_EQ(pings->counts().schedules_failed, 3U);
}

TEST_F(PingsTest, TellOfAllEventsSinceTheLatestAcceptedOne) {
    with({.apart = 15s});
    completed(birthday().id);
    pass(1s);
    for (int i = 0; i < 9; ++i) {
        completed(birthday().id);
        pass(1s);
    }
    storage.away = true;
    completed(birthday().id);
    pass(2s);
    completed(birthday().id);
    storage.away = false;
    pass(15s);
    ASSERT_THAT(urls(), SizeIs(2));
    EXPECT_THAT(delivery.requests[1].event->payload, HasSubstr("\"completed\":11}"));
}

TEST_F(PingsTest, OfTheEngineFailThoughNewerOnesFollow) {
    delivery.answer = [](const DeliveryRequest&) { return status_outcome(503); };
    with({.url = "https://hc-ping.com/engine", .every = 10s});  // less than the repetitions take
    pass(60s);
    EXPECT_GE(pings->counts().engine_failed, 1U);
    EXPECT_EQ(log.lines().at(0).event_name, "ping.failed");
}

TEST_F(PingsTest, OfTheEngineThatHangFailThoughNewerOnesFollow) {
    delivery.holds = true;
    with({.url = "https://hc-ping.com/engine", .every = 10s, .retries = {2s}});
    pass(11s);  // the next one waits
    delivery.finish_all(status_outcome(503));
    pass(11s);
    delivery.finish_all(status_outcome(503));
    pass(1s);
    EXPECT_EQ(pings->counts().engine_failed, 1U);
}

TEST_F(PingsTest, WaitForTheDatabaseIfItDoesNotAnswer) {
    with({});
    storage.away = true;
    storage.meanwhile = [this] { completed(birthday().id); };
    completed(birthday().id);
    pass(3s);
    EXPECT_THAT(urls(), IsEmpty());
    storage.away = false;
    pass(2s);
    EXPECT_THAT(urls(), SizeIs(1));
    EXPECT_THAT(delivery.requests[0].event->payload, HasSubstr("\"completed\":2"));
}

TEST_F(PingsTest, OfAtMostTenThousandSchedulesWaitForTheDatabase) {
    for (const int others : {9'999, 10'000}) {
        delivery.requests.clear();
        with({});
        storage.away = true;
        storage.meanwhile = [&] {
            for (int i = 0; i < others; ++i) completed(an_id<ScheduleId>());
        };
        completed(birthday().id);
        pass(1s);
        storage.away = false;
        pass(2s);
        EXPECT_THAT(urls(), SizeIs(others < 10'000 ? 1 : 0));
    }
}

TEST_F(PingsTest, OfTheEngineComeWhileItWorks) {
    with({.url = "https://hc-ping.com/engine", .every = 60s});
    pass(0s);
    EXPECT_THAT(urls(), ElementsAre("https://hc-ping.com/engine"));
    pass(59s);
    EXPECT_THAT(urls(), SizeIs(1));
    pass(2s);
    EXPECT_THAT(urls(), SizeIs(2));
    works = false;
    pass(600s);
    EXPECT_THAT(urls(), SizeIs(2));
    works = true;
    pass(2s);
    EXPECT_THAT(urls(), SizeIs(3));
    EXPECT_EQ(pings->counts().engine_accepted, 3U);
}

TEST_F(PingsTest, OfTheEngineAreNotRepeatedOnceItHasStopped) {
    delivery.answer = [](const DeliveryRequest&) { return status_outcome(503); };
    with({.url = "https://hc-ping.com/engine", .every = 600s});
    pass(0s);
    works = false;
    pass(60s);
    EXPECT_THAT(urls(), SizeIs(1));
}

TEST_F(PingsTest, ThatHangDelayNoOthers) {
    const Schedule other = [] {
        Schedule schedule = a_schedule();
        schedule.ping_url = "https://hc-ping.com/other";
        return schedule;
    }();
    write([&](Transaction& tx) { ASSERT_TRUE(tx.schedules().add(other)); });
    delivery.holds = true;
    with({});
    completed(birthday().id);
    pass(1s);
    completed(birthday().id);
    completed(other.id);
    pass(20s);
    EXPECT_THAT(urls(), ElementsAre(ping_address, "https://hc-ping.com/other"));
    delivery.finish_all(accepted_outcome());
    pass(20s);
    EXPECT_THAT(urls(), SizeIs(3));  // the second one of the first schedule
}

TEST_F(PingsTest, ThatHangTakeTurns) {
    constexpr std::size_t under_way = 32;  // at most
    std::vector<Schedule> schedules;
    for (std::size_t i = 0; i < under_way + 8; ++i) {
        Schedule schedule = a_schedule();
        schedule.ping_url = ping_address + '/' + std::to_string(i);
        schedules.push_back(std::move(schedule));
    }
    write([&](Transaction& tx) {
        for (const Schedule& schedule : schedules) ASSERT_TRUE(tx.schedules().add(schedule));
    });
    delivery.holds = true;
    with({.url = "https://hc-ping.com/engine", .every = 2s, .retries = {0s}});
    for (const Schedule& schedule : schedules) completed(schedule.id);
    pass(1s);
    ASSERT_THAT(urls(), SizeIs(under_way));
    EXPECT_EQ(urls().front(), "https://hc-ping.com/engine");
    delivery.finish_all(status_outcome(503));
    pass(0s);
    const auto all = urls();
    ASSERT_THAT(all, SizeIs(2 * under_way));
    EXPECT_THAT(std::set<std::string>(all.begin(), all.end()), SizeIs(schedules.size() + 1));
}

}  // namespace
}  // namespace sundial
