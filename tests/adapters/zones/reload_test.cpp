#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>

#include "adapters/zones/cctz_time_zones.hpp"
#include "adapters/zones/tz_directory.hpp"
#include "application/ports/failures.hpp"

namespace sundial::zones {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

const Instant some_winter = std::chrono::sys_days{std::chrono::January / 1 / 2025};

/// Two small databases, `old` and `fresh`, in which Europe/Paris has different clocks.
class Reload : public TzDirectoryTest {
protected:
    Reload() {
        make("old", "2031a", "Europe/Paris");
        make("fresh", "2031b", "Asia/Tokyo");
        fs::create_directory_symlink("old", path() / "zoneinfo");
    }

    /// Complete, with `paris` of this machine as Europe/Paris.
    void make(const std::string& folder, const std::string& release, const std::string& paris) {
        write(folder + "/tzdata.zi", "# version " + release +
                                         "\nZ Europe/Paris 1 - CET\nZ Etc/UTC 0 - UTC\n"
                                         "L Etc/UTC UTC\n");
        install(folder + "/Europe/Paris", paris);
        install(folder + "/Etc/UTC", "Etc/UTC");
    }
    /// Atomically, as an operator should.
    void swap_in(const std::string& folder) {
        fs::create_directory_symlink(folder, path() / "next");
        fs::rename(path() / "next", path() / "zoneinfo");
    }
    void cut_off(const std::string& file, std::uintmax_t size) {
        fs::resize_file(path() / file, size);
    }
    [[nodiscard]] std::string refusal() const {
        try {
            (void)zones_->at_source();
        } catch (const std::exception& error) {
            return error.what();
        }
        return "none";
    }
    [[nodiscard]] std::chrono::seconds paris() const {
        return (*zones_->find("Europe/Paris"))->offset_at(some_winter);
    }
    void start() { zones_ = std::make_unique<CctzTimeZones>(path() / "zoneinfo"); }
    CctzTimeZones& zones() { return *zones_; }

private:
    std::unique_ptr<CctzTimeZones> zones_;
};

TEST_F(Reload, AnUnchangedDatabaseIsKept) {
    start();
    EXPECT_EQ(zones().at_source(), zones().current());
    fs::copy(path() / "old", path() / "copy", fs::copy_options::recursive);
    swap_in("copy");
    EXPECT_EQ(zones().at_source(), zones().current());
}

TEST_F(Reload, ActivatesAnotherRelease) {
    start();
    swap_in("fresh");
    EXPECT_EQ(paris(), 1h) << "only looked at, so far";
    const auto found = zones().at_source();
    EXPECT_EQ(found->release(), "2031b");
    EXPECT_EQ(zones().current()->release(), "2031a");
    zones().replace(found);
    EXPECT_EQ(zones().current()->release(), "2031b");
    EXPECT_EQ(paris(), 9h);
}

TEST_F(Reload, ReadersKeepWhatTheyHold) {
    start();
    const auto before = zones().current();
    const auto zone = *before->find("Europe/Paris");
    swap_in("fresh");
    zones().replace(zones().at_source());
    EXPECT_EQ(before->release(), "2031a");
    EXPECT_EQ(zone->offset_at(some_winter), 1h);
    EXPECT_EQ((*before->find("Europe/Paris"))->offset_at(some_winter), 1h);
}

TEST_F(Reload, ReadersNeverSeeHalfOfEach) {
    start();
    const auto first = zones().current();
    swap_in("fresh");
    const auto second = zones().at_source();
    std::vector<std::jthread> readers;
    for (int i = 0; i < 3; ++i) {
        readers.emplace_back([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                const auto data = zones().current();
                const auto offset = (*data->find("Europe/Paris"))->offset_at(some_winter);
                ASSERT_EQ(offset, data->release() == "2031a" ? 1h : 9h);
            }
        });
    }
    for (int i = 0; i < 1000; ++i) zones().replace(i % 2 == 0 ? second : first);
}

TEST_F(Reload, SeesAnotherContentOfTheSameRelease) {
    start();
    make("patched", "2031a", "Asia/Tokyo");
    swap_in("patched");
    const auto found = zones().at_source();
    EXPECT_NE(found, zones().current());
    EXPECT_EQ(found->release(), "2031a");
}

TEST_F(Reload, RefusesAFileCutOffAnywhere) {
    start();
    swap_in("fresh");
    const auto file = path() / "fresh/Europe/Paris";
    const auto whole = fs::file_size(file);
    for (std::uintmax_t size = 0; size < whole; ++size) {
        install("fresh/Europe/Paris", "Asia/Tokyo");
        cut_off("fresh/Europe/Paris", size);
        ASSERT_THAT(refusal(), HasSubstr("'Europe/Paris'")) << size << " of " << whole << " bytes";
    }
    EXPECT_EQ(paris(), 1h);
    install("fresh/Europe/Paris", "Asia/Tokyo");
    EXPECT_EQ(refusal(), "none") << "whole again";
}

TEST_F(Reload, RefusesAPartialCopy) {
    start();
    swap_in("fresh");
    fs::remove(path() / "fresh/Europe/Paris");
    EXPECT_THAT(refusal(), HasSubstr("'Europe/Paris' is listed in its tzdata.zi but has no file"));
    fs::remove(path() / "fresh/tzdata.zi");
    EXPECT_THAT(refusal(), HasSubstr("lacks 'Europe/Paris'"));
    install("fresh/Europe/Paris", "Asia/Tokyo");
    install("fresh/UTC", "Etc/UTC");
    EXPECT_THAT(refusal(), HasSubstr("does not name its release, after 2031a"));
    fs::remove_all(path() / "fresh");
    EXPECT_THAT(refusal(), HasSubstr("no tz database"));
    EXPECT_EQ(paris(), 1h);
}

}  // namespace
}  // namespace sundial::zones
