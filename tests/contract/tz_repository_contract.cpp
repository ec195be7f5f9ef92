#include "contract/tz_repository_contract.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "contract/settlements.hpp"

namespace sundial {

/// Checks that the list and the locked list are the same.
std::vector<EventId> TzRepositoryContract::ids_in(const ComputedWith& pair,
                                                  std::optional<EventId> after, std::size_t limit) {
    const auto listed = read([&](Transaction& tx) { return tx.tz().list(pair, after, limit); });
    const auto locked = write([&](Transaction& tx) { return tx.tz().lock(pair, after, limit); });
    EXPECT_EQ(listed, locked);
    std::vector<EventId> ids;
    for (const Event& event : locked) ids.push_back(event.id);
    return ids;
}

namespace {

using namespace std::chrono;
using testing::ElementsAre;
using testing::IsEmpty;

const WallTime nine{local_days{year{2027} / 1 / 6} + 9h};
const ComputedWith rome_2025b{"Europe/Rome", "2025b"};

Event in_zone(const std::string& zone, const std::string& release) {
    Event event = an_event().at(nine, zone, noon + 20h);
    event.tz_release = release;
    return event;
}

TEST_P(TzRepositoryContract, ListsEachPairOnceAndSorted) {
    EXPECT_THAT(computed_with(), IsEmpty());
    given(in_zone("Europe/Rome", "2025b"), in_zone("Africa/Casablanca", "2026f"),
          in_zone("Africa/Casablanca", "2025b"), in_zone("Europe/Rome", "2025b"),
          in_zone("America/Argentina/Buenos_Aires", "unknown"));
    EXPECT_THAT(computed_with(),
                ElementsAre(ComputedWith{"Africa/Casablanca", "2025b"},
                            ComputedWith{"Africa/Casablanca", "2026f"},
                            ComputedWith{"America/Argentina/Buenos_Aires", "unknown"}, rome_2025b));
}

TEST_P(TzRepositoryContract, IncludesOnlyPendingEventsWithAWallTime) {
    Event due = in_zone("Europe/Paris", "2025b");
    due.due = due.claimable_at = noon;
    const Event instant = an_event().due(noon + 1h);
    const Event gone = in_zone("Europe/Madrid", "2025b");
    given(instant, due, gone);
    ASSERT_EQ(claim_one().id, due.id);
    cancelled(gone.id);
    Event attempted = in_zone("Europe/Oslo", "2025b");
    attempted.due = attempted.claimable_at = noon;
    given(attempted);
    EXPECT_TRUE(settle(refused(claim_one(), noon)));
    const Event retry = retried(*find(attempted.id), an_id<EventId>(), noon).value();
    write([&](Transaction& tx) { EXPECT_TRUE(tx.events().add_retry(retry)); });
    EXPECT_THAT(computed_with(), IsEmpty());
    EXPECT_THAT(ids_in({"Europe/Paris", "2025b"}), IsEmpty());
    EXPECT_THAT(ids_in({"Europe/Oslo", "2025b"}), IsEmpty());
    EXPECT_THAT(ids_in({instant.intent.zone, instant.tz_release}), IsEmpty());
}

TEST_P(TzRepositoryContract, ReadsAPairInBatchesById) {
    std::vector<EventId> ids;
    for (int i = 0; i < 5; ++i) {
        const Event event = in_zone("Europe/Rome", "2025b");
        given(event, in_zone("Europe/Rome", "2026f"), in_zone("Europe/Paris", "2025b"));
        ids.push_back(event.id);
    }
    std::ranges::sort(ids);
    EXPECT_EQ(ids_in(rome_2025b), ids);
    EXPECT_THAT(ids_in(rome_2025b, std::nullopt, 2), ElementsAre(ids[0], ids[1]));
    EXPECT_THAT(ids_in(rome_2025b, ids[1], 2), ElementsAre(ids[2], ids[3]));
    EXPECT_THAT(ids_in(rome_2025b, ids[3], 2), ElementsAre(ids[4]));
    EXPECT_THAT(ids_in(rome_2025b, ids[4], 2), IsEmpty());
}

TEST_P(TzRepositoryContract, IncludesParkedEvents) {
    Event parked = in_zone("Europe/Rome", "2025b");
    parked.claimable_at = never;
    given(parked);
    EXPECT_THAT(ids_in(rome_2025b), ElementsAre(parked.id));
}

TEST_P(TzRepositoryContract, ARecomputedEventMovesToItsNewPair) {
    const Event event = in_zone("Europe/Rome", "2025b");
    given(event);
    change(event.id, [](Event pending, Instant now) {
        pending.tz_release = "2026f";
        return retarget(pending, pending.intent, pending.due + 1h, now);
    });
    EXPECT_THAT(computed_with(), ElementsAre(ComputedWith{"Europe/Rome", "2026f"}));
    EXPECT_THAT(ids_in({"Europe/Rome", "2026f"}), ElementsAre(event.id));
}

TEST_P(TzRepositoryContract, KeepsTheClocksOfEachRelease) {
    const KnownClock far{noon, Fingerprint{0xffff'ffff'ffff'fffeU}};
    const KnownClock near{noon - 48h, Fingerprint{7}};
    const auto known = [&](std::string_view release) {
        return read([&](Transaction& tx) { return tx.tz().known_clocks(release); });
    };
    EXPECT_THAT(known("2025b"), IsEmpty());
    write([&](Transaction& tx) {
        tx.tz().store_clocks("2025b", {{"Europe/Rome", far}, {"UTC", near}});
        tx.tz().store_clocks("2026f", {{"Europe/Rome", near}});
    });
    EXPECT_EQ(known("2025b"), (KnownClocks{{"Europe/Rome", far}, {"UTC", near}}));
    EXPECT_EQ(known("2026f"), (KnownClocks{{"Europe/Rome", near}}));
    write([&](Transaction& tx) {
        tx.tz().store_clocks("2025b", {{"Europe/Rome", near}, {"Europe/Kyiv", far}});
    });
    EXPECT_EQ(known("2025b"),
              (KnownClocks{{"Europe/Rome", near}, {"Europe/Kyiv", far}, {"UTC", near}}));
}

EventMove a_move_of(EventId event, std::uint64_t version) {
    return {.event = event,
            .version = Version{version},
            .before = noon + 20h,
            .after = noon + 21h + 1us,
            .reason = "tzdb 2025b -> 2026f",
            .at = noon};
}

TEST_P(TzRepositoryContract, KeepsMovesOldestFirst) {
    const Event event = in_zone("Europe/Rome", "2025b");
    const Event other = in_zone("Europe/Rome", "2025b");
    given(event, other);
    add(a_move_of(event.id, 3));
    add(a_move_of(event.id, 2));
    add(a_move_of(other.id, 2));
    EXPECT_THAT(moves_of(event.id), ElementsAre(a_move_of(event.id, 2), a_move_of(event.id, 3)));
}

TEST_P(TzRepositoryContract, RemovesTheMovesOfAnErasedEvent) {
    const UserId user = an_id<UserId>();
    const Event live = an_event().of_user(user).due(noon + 1h);
    const Event over = an_event().of_user(user).due(noon + 1h);
    const Event of_another = an_event().of_user(an_id<UserId>()).due(noon + 1h);
    given(live, over, of_another);
    for (const Event& event : {live, over, of_another}) add(a_move_of(event.id, 2));
    cancelled(over.id);
    EXPECT_THAT(moves_of(over.id), ElementsAre(a_move_of(over.id, 2))) << "it is only finished";
    on_events([&](EventRepository& events) { return events.erase_of_user(user); });
    EXPECT_THAT(moves_of(live.id), IsEmpty());
    EXPECT_THAT(moves_of(over.id), IsEmpty());
    EXPECT_THAT(moves_of(of_another.id), ElementsAre(a_move_of(of_another.id, 2)));
}

}  // namespace
}  // namespace sundial
