#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/tz_directory.hpp"
#include "adapters/zones/zoneinfo.hpp"
#include "application/ports/failures.hpp"

namespace sundial::zones {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class TzDirectory : public TzDirectoryTest {
protected:
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const TzEntry& entry : read_tz_database(path()).entries) found.push_back(entry.name);
        return found;
    }
};

TEST_F(TzDirectory, NamesAreTheZonesAndLinksOfTheSource) {
    write("tzdata.zi",
          "# version 2031c\n"
          "# This zic input file is in the public domain.\n"
          "R E 1977 1980 - Ap Su>=1 1u 1 S\n"
          "Z Etc/UTC 0 - UTC\n"
          "Z Europe/Paris 0:9:21 - LMT 1891 Mar 16\n"
          "0:9:21 - PMT 1911 Mar 11\n"
          "Z Factory 0 - -00\n"
          "L Etc/UTC UTC\n"
          "L Etc/UTC ../UTC\n"
          "L Etc/UTC posix/UTC\n");
    for (const char* name : {"Etc/UTC", "Europe/Paris", "UTC", "Factory", "posix/UTC", "Unlisted"})
        install(name, "Etc/UTC");
    EXPECT_THAT(names(), ElementsAre("Etc/UTC", "Europe/Paris", "UTC"));
    EXPECT_EQ(read_tz_database(path()).release, "2031c");
}

TEST_F(TzDirectory, ALinkWithoutAFileIsReadFromItsTarget) {
    write("tzdata.zi",
          "# version 2031c\nZ Europe/Kyiv 2 - EET\nL Europe/Kyiv Europe/Kiev\n"
          "L Europe/Kiev Old/Kiev\nL Lost/Target Lost/Link\nL Ring/A Ring/B\nL Ring/B Ring/A\n");
    install("Europe/Kyiv", "Etc/UTC");
    EXPECT_THAT(names(), ElementsAre("Europe/Kiev", "Europe/Kyiv", "Old/Kiev"));
    EXPECT_NE(CctzTimeZones(path()).find("Old/Kiev").value_or(nullptr), nullptr);
}

TEST_F(TzDirectory, ALinkTellsItsTarget) {
    write("tzdata.zi",
          "# version 2031c\nZ Europe/Kyiv 2 - EET\nL Europe/Kyiv Europe/Kiev\n"
          "L Europe/Kiev Old/Kiev\n");
    install("Europe/Kyiv", "Etc/UTC");
    const auto zones = CctzTimeZones(path()).current();
    EXPECT_EQ(zones->target_of("Europe/Kyiv"), "Europe/Kyiv");
    EXPECT_EQ(zones->target_of("Europe/Kiev"), "Europe/Kyiv");
    EXPECT_EQ(zones->target_of("Old/Kiev"), "Europe/Kyiv");
    EXPECT_EQ(zones->target_of("Mars/Base"), "Mars/Base");
}

TEST_F(TzDirectory, FilesAreTheNamesWithoutASource) {
    install("Europe/Paris", "Etc/UTC");
    install("UTC", "Etc/UTC");
    for (const char* name : {"posix/UTC", "right/UTC", "posixrules", "localtime", "Factory"})
        install(name, "Etc/UTC");
    write("zone.tab", "FR +4852+00220 Europe/Paris\n");
    write("+VERSION", "2031c\n");
    EXPECT_THAT(names(), ElementsAre("Europe/Paris", "UTC"));
    EXPECT_EQ(read_tz_database(path()).release, "2031c");
}

TEST_F(TzDirectory, TheReleaseIsUnknownWhereNothingSaysIt) {
    install("UTC", "Etc/UTC");
    EXPECT_EQ(read_tz_database(path()).release, "unknown");
}

TEST_F(TzDirectory, WithoutADatabaseNothingStarts) {
    write("readme", "no zones here");
    try {
        static_cast<void>(CctzTimeZones(path()));
        FAIL() << "started";
    } catch (const CannotStart& error) {
        EXPECT_THAT(error.what(), HasSubstr(path().string()));
        EXPECT_THAT(error.what(), HasSubstr("install the package tzdata"));
    }
    EXPECT_THROW(static_cast<void>(CctzTimeZones(path() / "missing")), CannotStart);
}

TEST_F(TzDirectory, ADamagedFileIsNotAnInputError) {
    install("UTC", "Etc/UTC");
    write("Europe/Paris", "TZif2 and then nothing that makes sense");
    const CctzTimeZones zones(path());
    EXPECT_TRUE(zones.find("UTC"));
    EXPECT_THROW(static_cast<void>(zones.find("Europe/Paris")), Corrupt);
}

TEST_F(TzDirectory, TwoDirectoriesDoNotMix) {
    install("Europe/Paris", "Asia/Tokyo");
    const CctzTimeZones altered(path());
    const CctzTimeZones installed(zoneinfo_directory());
    const Instant winter = std::chrono::sys_days{std::chrono::January / 1 / 2025};
    EXPECT_EQ((*altered.find("Europe/Paris"))->offset_at(winter), std::chrono::hours{9});
    EXPECT_EQ((*installed.find("Europe/Paris"))->offset_at(winter), std::chrono::hours{1});
}

TEST_F(TzDirectory, AListedZoneWithoutAFileIsMissing) {
    write("tzdata.zi",
          "# version 2031c\nZ Etc/UTC 0 - UTC\nZ Europe/Kyiv 2 - EET\nL Etc/UTC UTC\n");
    install("Etc/UTC", "Etc/UTC");
    EXPECT_THAT(read_tz_database(path()).missing, ElementsAre("Europe/Kyiv"));
}

TEST_F(TzDirectory, LaterChangesOfFilesDoNotShow) {
    install("UTC", "Etc/UTC");
    const CctzTimeZones zones(path());
    fs::remove_all(path());
    EXPECT_TRUE(zones.find("UTC"));
}

}  // namespace
}  // namespace sundial::zones
