#include <gtest/gtest.h>

#include <ostream>
#include <string_view>

#include "domain/time/cron.hpp"

namespace sundial {
namespace {

struct WordsCase {
    std::string_view text, words;
};
void PrintTo(const WordsCase& c, std::ostream* out) { *out << c.text; }

class CronInWords : public testing::TestWithParam<WordsCase> {};
TEST_P(CronInWords, IsPlain) {
    const auto rule = parse_cron(GetParam().text);
    ASSERT_TRUE(rule) << rule.error().message;
    EXPECT_EQ(describe(*rule), GetParam().words);
}
INSTANTIATE_TEST_SUITE_P(
    Times, CronInWords,
    testing::Values(
        WordsCase{"30 2 * * *", "at 02:30 every day"},
        WordsCase{"0 8,12,16 * * *", "at 08:00, 12:00 and 16:00 every day"},
        WordsCase{"0 */6 * * *", "at 00:00, 06:00, 12:00 and 18:00 every day"},
        WordsCase{"* * * * *", "every minute"}, WordsCase{"*/15 * * * *", "every 15 minutes"},
        WordsCase{"5/15 * * * *", "every 15 minutes, at minute 5 first"},
        WordsCase{"*/15 8-17 * * *", "every 15 minutes from 08:00 to 17:45"},
        WordsCase{"5/20 22-2 * * *", "every 20 minutes from 22:05 to 02:45"},
        WordsCase{"* 2 * * *", "every minute from 02:00 to 02:59"},
        WordsCase{"*/30 8,12,16 * * *", "every 30 minutes of the hours 08, 12 and 16"},
        WordsCase{"@hourly", "every hour"}, WordsCase{"17 * * * *", "at minute 17 of every hour"},
        WordsCase{"0 8-17 * * *", "every hour from 08:00 to 17:00"},
        WordsCase{"15 22-5 * * *", "every hour from 22:15 to 05:15"},
        WordsCase{"30 */2 * * *", "every 2 hours from 00:30 to 22:30"},
        WordsCase{"0 1,2,4,8,16 * * *", "at 01:00, 02:00, 04:00, 08:00 and 16:00 every day"},
        WordsCase{"0-4,30 * * * *", "at minutes 0 to 4 and 30 of every hour"},
        WordsCase{"*/25 8-10,12 * * *",
                  "at minutes 0, 25 and 50 of the hours 08 to 10 and 12 every day"}));
INSTANTIATE_TEST_SUITE_P(
    Seconds, CronInWords,
    testing::Values(WordsCase{"* * * * * *", "every second"},
                    WordsCase{"*/10 * * * * *", "every 10 seconds"},
                    WordsCase{"30 * * * * *", "at second 30 of every minute"},
                    WordsCase{"15 30 2 * * *", "at 02:30:15 every day"},
                    WordsCase{"*/25 10 6 * * *", "at 06:10:00, 06:10:25 and 06:10:50 every day"},
                    WordsCase{"*/10 10 6 * * *", "every 10 seconds of 06:10"},
                    WordsCase{"* * 8-10 * * *",
                              "every second of every minute of the hours 08 to 10"},
                    WordsCase{"5 0-9 * * * *", "at second 5 of minutes 0 to 9 of every hour"}));
INSTANTIATE_TEST_SUITE_P(
    Days, CronInWords,
    testing::Values(
        WordsCase{"30 2 * * 0", "at 02:30 every Sunday"},
        WordsCase{"*/5 * * * SUN", "every 5 minutes on Sundays"},
        WordsCase{"*/15 8-17 * * MON-FRI", "every 15 minutes from 08:00 to 17:45 on weekdays"},
        WordsCase{"0 9 * * 6,0", "at 09:00 on weekends"},
        WordsCase{"0 9 * * FRI-MON", "at 09:00 on Mondays, Fridays, Saturdays and Sundays"},
        WordsCase{"0 9 * 6-8 MON", "at 09:00 every Monday in June, July and August"},
        WordsCase{"0 9 * 12 *", "at 09:00 every day in December"},
        WordsCase{"0 0 LW * *", "at 00:00 on the last Monday-to-Friday day of every month"},
        WordsCase{"@yearly", "at 00:00 on the 1st of January"},
        WordsCase{"0 0 1,15,L * *",
                  "at 00:00 on the 1st, the 15th and the last day of every month"},
        WordsCase{"0 0 10-12,22,23 * *",
                  "at 00:00 on the 10th to the 12th, the 22nd and the 23rd of every month"},
        WordsCase{"0 0 */2 * *",
                  "at 00:00 on every 2nd day from the 1st to the 31st of every month"},
        WordsCase{"0 0 L-1,L-3 2 *",
                  "at 00:00 on the day before the last and the day 3 days before "
                  "the last of February"},
        WordsCase{"0 0 15W * *",
                  "at 00:00 on the Monday-to-Friday day nearest the 15th of every month"},
        WordsCase{"0 0 * * 5L", "at 00:00 on the last Friday of every month"},
        WordsCase{"0 0 * * 1,TUE#3",
                  "at 00:00 on Mondays and on the third Tuesday of every month"}));
INSTANTIATE_TEST_SUITE_P(
    BothDays, CronInWords,
    testing::Values(
        WordsCase{"0 0 13 * FRI", "at 00:00 on the 13th of every month and on Fridays"},
        WordsCase{"0 0 13 1 FRI", "at 00:00 on the 13th of January and on Fridays in January"},
        WordsCase{"0 0 1-31 * FRI", "at 00:00 every day"},
        WordsCase{"0 0 13 * */5",
                  "at 00:00 on the 13th of every month, if that is a Friday or a Sunday"},
        WordsCase{"0 0 */10 * 5L",
                  "at 00:00 on every 10th day from the 1st to the 31st of every "
                  "month, if that is the last Friday of the month"}));

}  // namespace
}  // namespace sundial
