#include <gmock/gmock.h>

#include "contract/control_plane_contract.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(CalendarRepositoryContract, KeepsEveryMember) {
    Calendar calendar = a_calendar();
    calendar.name = "Geburtstage – ü" + std::string(240, 'x');
    calendar.user = an_id<UserId>();
    for (char byte = 0; byte < 32; ++byte)
        calendar.token_hash[static_cast<std::size_t>(byte)] = byte;
    calendar.expires_at = noon + 1us;
    calendar.version = Version{7};
    Calendar of_user = a_calendar();
    of_user.schedule = std::nullopt;
    of_user.user = an_id<UserId>();
    add(calendar, of_user);
    EXPECT_THAT(list().items, UnorderedElementsAre(calendar, of_user));
}

TEST_P(CalendarRepositoryContract, FindsByTheTokenAndById) {
    const Calendar calendar = a_calendar(), other = a_calendar();
    add(calendar, other);
    write([&](Transaction& tx) {
        EXPECT_EQ(tx.calendars().with_token(calendar.token_hash), calendar);
        EXPECT_EQ(tx.calendars().with_token(std::string(32, 'x')), std::nullopt);
        EXPECT_EQ(tx.calendars().lock(other.id), other);
        EXPECT_EQ(tx.calendars().lock(an_id<CalendarId>()), std::nullopt);
    });
}

TEST_P(CalendarRepositoryContract, ForgetsACalendarThatIsRemoved) {
    const Calendar gone = a_calendar(), stays = a_calendar();
    add(gone, stays);
    write([&](Transaction& tx) { tx.calendars().remove(gone.id); });
    EXPECT_THAT(list().items, ElementsAre(stays));
}

TEST_P(CalendarRepositoryContract, ForgetsThoseOfAScheduleAndOfAUser) {
    const Calendar of_schedule = a_calendar(), stays = a_calendar();
    Calendar of_user = a_calendar();
    of_user.user = an_id<UserId>();
    add(of_schedule, of_user, stays);
    write([&](Transaction& tx) {
        tx.calendars().remove_of_schedule(*of_schedule.schedule);
        tx.calendars().remove_of_user(*of_user.user);
    });
    EXPECT_THAT(list().items, ElementsAre(stays));
}

TEST_P(CalendarRepositoryContract, ListsByCreationInPages) {
    Calendar first = a_calendar(), second = a_calendar(), third = a_calendar();
    first.created_at = noon - 1us;
    third.created_at = noon + 1us;
    second.user = an_id<UserId>();
    add(third, first, second);
    const auto begin = list({.page = {.limit = 2, .after = std::nullopt}});
    EXPECT_THAT(begin.items, ElementsAre(first, second));
    EXPECT_TRUE(begin.has_more);
    const PageKey last{std::to_string(second.created_at.time_since_epoch().count()),
                       second.id.value};
    EXPECT_THAT(list({.page = {.limit = 2, .after = last}}).items, ElementsAre(third));
    const auto down = list({.page = {.limit = 2, .descending = true, .after = last}});
    EXPECT_THAT(down.items, ElementsAre(first));
    EXPECT_FALSE(down.has_more);
    EXPECT_THAT(list({.schedule = third.schedule, .page = {.after = std::nullopt}}).items,
                ElementsAre(third));
    EXPECT_THAT(list({.user = second.user, .page = {.after = std::nullopt}}).items,
                ElementsAre(second));
    EXPECT_THAT(list({.user = an_id<UserId>(), .page = {.after = std::nullopt}}).items, IsEmpty());
}

}  // namespace
}  // namespace sundial
