#include "application/schedules/preview_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/time/effort.hpp"
#include "domain/time/text.hpp"
#include "support/control_plane.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// From 2027-01-05T12:00:00Z on, in handmade zones.
class PreviewTest : public ControlPlane {
protected:
    static PreviewRequest of(const TriggerFields& trigger, const char* zone = "America/New_York") {
        PreviewRequest request;
        request.fields = ScheduleFields{};
        request.fields->trigger = trigger;
        request.fields->timezone = std::optional<std::string>{zone};
        return request;
    }
    Preview previewed(const PreviewRequest& request) {
        const auto preview = preview_schedule.run(request);
        EXPECT_TRUE(preview) << testing::PrintToString(defects_of(preview));
        return preview.value();
    }
    /// `2027-03-14T03:00:00.000-04:00 gap_boundary requested 2027-03-14T02:30:00`.
    static std::vector<std::string> lines(const Preview& preview) {
        std::vector<std::string> all;
        for (const auto& row : preview.occurrences) {
            std::string line = row.target ? row.local : "-";
            if (!row.note.empty()) line += ' ' + row.note;
            if (row.wanted_local) line += " wanted " + *row.wanted_local;
            if (row.skipped) line += " skipped " + *row.skipped;
            all.push_back(std::move(line));
        }
        return all;
    }

    PreviewSchedule preview_schedule{store, zones};
};

TEST_F(PreviewTest, ShowsTheEffectOfAGap) {
    PreviewRequest request = of({.cron = "30 2 * * *"});
    request.from = "2027-03-13T00:00:00Z";
    request.count = 3;
    const Preview preview = previewed(request);
    EXPECT_THAT(lines(preview),
                ElementsAre("2027-03-13T02:30:00.000-05:00",
                            "2027-03-14T03:00:00.000-04:00 gap_boundary wanted 2027-03-14T02:30:00",
                            "2027-03-15T02:30:00.000-04:00"));
    EXPECT_EQ(preview.zone, "America/New_York");
    EXPECT_THAT(preview.warnings, IsEmpty());
    request.fields->gap = GapPolicy::skip;
    EXPECT_THAT(
        lines(previewed(request)),
        ElementsAre("2027-03-13T02:30:00.000-05:00", "- gap_skipped wanted 2027-03-14T02:30:00",
                    "2027-03-15T02:30:00.000-04:00 offset_changed"));
}

TEST_F(PreviewTest, ShowsBothPassesOfAnOverlap) {
    PreviewRequest request = of({.cron = "30 1 7 11 *"});
    request.fields->overlap = OverlapPolicy::both;
    request.count = 2;
    EXPECT_THAT(
        lines(previewed(request)),
        ElementsAre("2027-11-07T01:30:00.000-04:00 overlap_earlier wanted 2027-11-07T01:30:00",
                    "2027-11-07T01:30:00.000-05:00 overlap_later wanted 2027-11-07T01:30:00"));
}

TEST_F(PreviewTest, ShowsTheDayOfABirthdayOn29February) {
    const User user = created(born("1992-02-29", "Europe/Paris"));
    PreviewRequest request{.schedule = "ext:birthday"};
    request.scope.user = to_string(user.id);
    request.count = 2;
    const auto rows = previewed(request).occurrences;
    ASSERT_THAT(rows, SizeIs(2));
    EXPECT_EQ(rows[0].local, "2027-02-28T09:00:00.000+01:00");
    EXPECT_EQ(rows[0].note, "leap_moved");
    EXPECT_EQ(rows[1].local, "2028-02-29T09:00:00.000+01:00");
    EXPECT_EQ(rows[1].note, "");
}

TEST_F(PreviewTest, ShowsAUserInAnotherZone) {
    const User user = created(ada());
    PreviewRequest request{.schedule = "ext:birthday"};
    request.scope = {.user = to_string(user.id), .timezone = "Pacific/Auckland"};
    request.count = 1;
    const Preview preview = previewed(request);
    EXPECT_THAT(lines(preview), ElementsAre("2027-01-06T09:00:00.000+13:00"));
    EXPECT_EQ(preview.zone, "Pacific/Auckland");
}

TEST_F(PreviewTest, BeginsWithAnOccurrenceAtFrom) {
    PreviewRequest request = of({.cron = "0 12 * * *"}, "UTC");
    request.count = 1;
    EXPECT_THAT(lines(previewed(request)), ElementsAre("2027-01-05T12:00:00.000+00:00"));
}

TEST_F(PreviewTest, WarnsOfAPauseAndOfARuleThatNeverFires) {
    const User user = created(ada());
    edited_birthday({.enabled = false});
    PreviewRequest request{.schedule = "ext:birthday"};
    request.scope.user = to_string(user.id);
    EXPECT_THAT(previewed(request).warnings, ElementsAre(HasSubstr("paused")));

    PreviewRequest wedding = of({.yearly = YearlyFields{.on = "wedding"}});
    wedding.fields->timezone.reset();
    wedding.fields->per_user = true;
    wedding.scope.user = to_string(user.id);
    const Preview never_yet = previewed(wedding);
    EXPECT_THAT(never_yet.warnings, ElementsAre(HasSubstr("wedding")));
    EXPECT_THAT(never_yet.occurrences, IsEmpty());
}

TEST_F(PreviewTest, ReportsInvalidFields) {
    EXPECT_TRUE(fails_with<NotFound>(preview_schedule.run({.schedule = "ext:no"})));
    EXPECT_THAT(defects_of(preview_schedule.run({.schedule = "ext:birthday"})),
                ElementsAre("/userId required"));
    EXPECT_THAT(defects_of(preview_schedule.run(of({.cron = "0 0 30 2 *"}))),
                ElementsAre("/schedule/trigger/cron never_fires"));
    PreviewRequest request = of({.cron = "0 12 * * *"});
    request.scope.timezone = "Mars/Base";
    EXPECT_THAT(defects_of(preview_schedule.run(request)),
                ElementsAre("/override/timezone unknown_zone"));
    request.scope = {.user = "ext:nobody"};
    EXPECT_THAT(defects_of(preview_schedule.run(request)), ElementsAre("/userId not_allowed"));
    request.scope = {};
    request.from = "soon";
    EXPECT_THAT(defects_of(preview_schedule.run(request)), ElementsAre("/from bad_time"));
}

/// Fires once in a century, and a thousand times: most days of nine thousand years are visited.
RruleTrigger sparse_rule() {
    RruleTrigger rule;
    rule.dtstart = "0001-06-01T09:00:00";
    rule.rrule = "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=3;BYMINUTE=3;BYSECOND=3;COUNT=1000";
    return rule;
}

/// Reading this rule takes 3.8 million steps, and each walk through its years as many.
TEST_F(PreviewTest, RefusesRulesThatTakeTooLongToCompute) {
    const auto defects_within = [&](std::int64_t steps, const auto& preview) {
        std::vector<std::string> defects;
        EXPECT_TRUE(within_effort(steps, [&] { defects = defects_of(preview()); }));
        return defects;
    };
    constexpr std::int64_t of_one_walk = 5'000'000;
    PreviewRequest request = of({.rrule = sparse_rule()}, "UTC");
    request.from = "0001-01-01T00:00:00Z";
    request.count = 1000;
    const auto run = [&] { return preview_schedule.run(request); };
    EXPECT_THAT(defects_within(of_one_walk, run),
                ElementsAre("/schedule/trigger/rrule too_expensive"));

    ScheduleFields stored;
    stored.event_type = "JOB";
    stored.trigger = request.fields->trigger;
    stored.timezone = std::optional<std::string>{"UTC"};
    const auto made = create_schedule.run(stored, "req-1");
    ASSERT_TRUE(made) << testing::PrintToString(defects_of(made));
    const std::string id = to_string(made->schedule.id);
    request.fields.reset();
    request.schedule = id;
    EXPECT_THAT(defects_within(of_one_walk, run), ElementsAre("/scheduleId too_expensive"));
    const auto list = [&] {
        return preview_schedule.list(
            {.schedule = id, .from = "0001-01-01T00:00:00Z", .limit = 500});
    };
    EXPECT_THAT(defects_within(of_one_walk, list), ElementsAre("?scheduleId too_expensive"));
    request.from = "9000-01-01T00:00:00Z";
    request.count = 1;
    EXPECT_THAT(previewed(request).occurrences, SizeIs(1));
}

/// Computes no rule inside its transactions.
class IdleStore final : public Store {
public:
    explicit IdleStore(Store& store) : store_(store) {}
    void transact(const std::function<bool(Transaction&)>& work) override {
        store_.transact([&](Transaction& tx) {
            bool kept = false;
            EXPECT_TRUE(within_effort(0, [&] { kept = work(tx); }));
            return kept;
        });
    }
    void read(const std::function<void(Transaction&)>& work) override {
        store_.read([&](Transaction& tx) { EXPECT_TRUE(within_effort(0, [&] { work(tx); })); });
    }
    bool open_here() override { return store_.open_here(); }

private:
    Store& store_;
};

TEST_F(PreviewTest, ComputesOutsideTransactions) {
    IdleStore idle{store};
    PreviewSchedule preview{idle, zones};
    PreviewRequest request = of({.rrule = sparse_rule()}, "UTC");
    EXPECT_TRUE(preview.run(request));
    const User user = created(ada());
    EXPECT_TRUE(preview.run({.schedule = "ext:birthday", .scope = {.user = to_string(user.id)}}));
    EXPECT_TRUE(preview.list({.schedule = "ext:birthday", .scope = {.user = to_string(user.id)}}));
}

class OccurrencesTest : public PreviewTest {
protected:
    Schedule a_schedule_of(const std::string& cron) {
        ScheduleFields requested;
        requested.event_type = "JOB";
        requested.trigger = TriggerFields{.cron = cron};
        requested.timezone = std::optional<std::string>{"UTC"};
        return create_schedule.run(requested, "req-1").value().schedule;
    }
    Preview listed(const OccurrencesRequest& request) {
        return preview_schedule.list(request).value();
    }
};

TEST_F(OccurrencesTest, HaveTheSameOrderOnPagesAsInOneList) {
    const std::string id = to_string(a_schedule_of("0 * * * *").id);
    const OccurrencesRequest all{.schedule = id, .to = "now+1d", .limit = 500};
    const Preview whole = listed(all);
    EXPECT_THAT(whole.occurrences, SizeIs(24));
    EXPECT_FALSE(whole.has_more);

    std::vector<std::string> paged;
    OccurrencesRequest page = all;
    page.limit = 7;
    for (bool more = true; more;) {
        const Preview part = listed(page);
        for (const std::string& line : lines(part)) paged.push_back(line);
        page.after = part.occurrences.back().place;
        more = part.has_more;
    }
    EXPECT_EQ(paged, lines(whole));
}

TEST_F(OccurrencesTest, ShowWhichPastOnesDidNotFire) {
    const Schedule schedule = a_schedule_of("0 * * * *");
    write([&](Transaction& tx) {
        tx.skips().add({.id = ids.fresh(),
                        .schedule = schedule.id,
                        .user = std::nullopt,
                        .reason = "misfire_once",
                        .first = noon - 2h,
                        .last = noon - 1h,
                        .count = 2,
                        .next = noon,
                        .recorded_at = noon});
    });
    const OccurrencesRequest request{
        .schedule = to_string(schedule.id), .from = "now-3h", .to = "now+2h"};
    EXPECT_THAT(lines(listed(request)),
                ElementsAre("2027-01-05T09:00:00.000+00:00",
                            "2027-01-05T10:00:00.000+00:00 skipped misfire_once",
                            "2027-01-05T11:00:00.000+00:00 skipped misfire_once",
                            "2027-01-05T12:00:00.000+00:00", "2027-01-05T13:00:00.000+00:00"));
}

TEST_F(OccurrencesTest, OfEachUserNeedTheUserOrAZone) {
    ScheduleFields requested;
    requested.event_type = "JOB";
    requested.per_user = true;
    const auto in_honolulu = [&](TriggerFields trigger) {
        requested.trigger = std::move(trigger);
        const Schedule schedule = create_schedule.run(requested, "req-1").value().schedule;
        return lines(listed({.schedule = to_string(schedule.id),
                             .scope = {.timezone = "Pacific/Honolulu"},
                             .limit = 1}));
    };
    EXPECT_THAT(in_honolulu({.cron = "0 9 * * *"}), ElementsAre("2027-01-05T09:00:00.000-10:00"));
    EXPECT_THAT(in_honolulu({.yearly = YearlyFields{.on = "12-24", .at = "18:00"}}),
                ElementsAre("2027-12-24T18:00:00.000-10:00"));
    EXPECT_THAT(in_honolulu({.every = "PT1H"}), ElementsAre("2027-01-05T02:00:00.000-10:00"));

    const OccurrencesRequest birthdays{.schedule = "ext:birthday",
                                       .scope = {.timezone = "Pacific/Honolulu"}};
    EXPECT_THAT(defects_of(preview_schedule.list(birthdays)), ElementsAre("?userId required"));
    PreviewRequest preview{.schedule = "ext:birthday"};
    preview.scope.timezone = "Pacific/Honolulu";
    EXPECT_THAT(defects_of(preview_schedule.run(preview)), ElementsAre("/userId required"));
}

TEST_F(OccurrencesTest, ReportAnInvalidParameter) {
    EXPECT_THAT(defects_of(preview_schedule.list({.schedule = "ext:birthday"})),
                ElementsAre("?userId required"));
    const std::string id = to_string(a_schedule_of("0 * * * *").id);
    EXPECT_THAT(defects_of(preview_schedule.list({.schedule = id, .to = "24:00"})),
                ElementsAre("?to bad_time"));
}

}  // namespace
}  // namespace sundial
