#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "adapters/zones/zoneinfo.hpp"

namespace sundial::zones {

/// A directory of its own for each test, gone with it.
class TzDirectoryTest : public testing::Test {
protected:
    TzDirectoryTest() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "sundial-tz-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
        path_ = pattern;
    }
    ~TzDirectoryTest() override { std::filesystem::remove_all(path_); }

    void write(const std::string& name, const std::string& content) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name, std::ios::binary) << content;
    }
    /// Puts a compiled zone of the installed database under `name`.
    void install(const std::string& name, const std::string& zone) const {
        std::filesystem::create_directories((path_ / name).parent_path());
        std::filesystem::copy_file(std::filesystem::path(zoneinfo_directory()) / zone, path_ / name,
                                   std::filesystem::copy_options::overwrite_existing);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace sundial::zones
