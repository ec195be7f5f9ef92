#include "domain/user.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/builders.hpp"
#include "support/defects.hpp"

namespace sundial {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Date today = std::chrono::year{2027} / 1 / 5;

TEST(UserDefects, AreNoneForAPerson) {
    const User user = a_user()
                          .with_external_id("crm-7")
                          .with_date("anniversary", std::chrono::year{2015} / 6 / 1)
                          .with_metadata("plan", "gold");
    EXPECT_THAT(defects(user, today), IsEmpty());
}

TEST(UserDefects, AllowNamesOf255CharactersOfAnyLength) {
    std::string name;
    for (int i = 0; i < 255; ++i) name += "李";
    EXPECT_THAT(defects(a_user().named(name, name), today), IsEmpty());
    EXPECT_THAT(brief(defects(a_user().named(name + "李", name + "x"), today)),
                ElementsAre("/firstName too_long", "/lastName too_long"));
}

TEST(UserDefects, NameEveryFieldAtOnce) {
    const User user = a_user()
                          .with_external_id("")
                          .named(" ", std::string(256, 'x'))
                          .born(std::chrono::year{2023} / 2 / 29);
    EXPECT_THAT(brief(defects(user, today)),
                ElementsAre("/externalId required", "/firstName required", "/lastName too_long",
                            "/dateOfBirth bad_time"));
}

TEST(UserDefects, RefuseABirthDateThatIsNotPast) {
    constexpr Date yesterday = std::chrono::year{2027} / 1 / 4;
    constexpr Date tomorrow = std::chrono::year{2027} / 1 / 6;
    EXPECT_THAT(defects(a_user().born(yesterday), today), IsEmpty());
    for (const Date date : {today, tomorrow}) {
        EXPECT_THAT(brief(defects(a_user().born(date), today)),
                    ElementsAre("/dateOfBirth out_of_range"));
    }
}

TEST(UserDefects, KeepBirthDatesWithinTheYearsThatTextsCanName) {
    EXPECT_THAT(brief(defects(a_user().born(std::chrono::year{0} / 1 / 1), today)),
                ElementsAre("/dateOfBirth out_of_range"));
}

TEST(UserDefects, JudgeFurtherDatesAndMetadata) {
    const User user = a_user()
                          .with_date("a/b", std::chrono::year{2015} / 6 / 1)
                          .with_date("dateOfBirth", std::chrono::year{2015} / 6 / 1)
                          .with_date("never", std::chrono::year{2015} / 6 / 31)
                          .with_metadata("", "x")
                          .with_metadata("long", std::string(1001, 'x'));
    EXPECT_THAT(
        brief(defects(user, today)),
        ElementsAre("/dates/a~1b bad_format", "/dates/dateOfBirth not_allowed",
                    "/dates/never bad_time", "/metadata/ required", "/metadata/long too_long"));
}

TEST(UserDefects, LetFurtherDatesLieAhead) {
    EXPECT_THAT(defects(a_user().with_date("wedding", std::chrono::year{2030} / 6 / 1), today),
                IsEmpty());
}

TEST(UserDefects, CountMembers) {
    UserBuilder builder = a_user();
    for (int i = 0; i < 50; ++i) {
        builder.with_date("d" + std::to_string(i), today);
        builder.with_metadata("m" + std::to_string(i), "");
    }
    EXPECT_THAT(defects(builder, today), IsEmpty());
    builder.with_date("more", today).with_metadata("more", "");
    EXPECT_THAT(brief(defects(builder, today)),
                ElementsAre("/dates out_of_range", "/metadata out_of_range"));
}

TEST(AgeOn, CountsCompletedYears) {
    constexpr Date born = std::chrono::year{1990} / 6 / 15;
    EXPECT_EQ(age_on(born, std::chrono::year{2027} / 6 / 14), 36);
    EXPECT_EQ(age_on(born, std::chrono::year{2027} / 6 / 15), 37);
    EXPECT_EQ(age_on(born, born), 0);
}

TEST(AgeOn, LetsALeaplingAgeEveryYear) {
    constexpr Date born = std::chrono::year{1992} / 2 / 29;
    EXPECT_EQ(age_on(born, std::chrono::year{2027} / 2 / 27), 34);
    EXPECT_EQ(age_on(born, std::chrono::year{2027} / 2 / 28), 35);
    EXPECT_EQ(age_on(born, std::chrono::year{2027} / 3 / 1), 35);
    EXPECT_EQ(age_on(born, std::chrono::year{2028} / 2 / 28), 35);
    EXPECT_EQ(age_on(born, std::chrono::year{2028} / 2 / 29), 36);
}

}  // namespace
}  // namespace sundial
