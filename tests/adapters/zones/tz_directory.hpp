#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "adapters/zones/zoneinfo.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::zones {

/// A separate directory per test, removed with it.
class TzDirectoryTest : public testing::Test {
protected:
    void write(const std::string& name, const std::string& content) const {
        std::filesystem::create_directories((path() / name).parent_path());
        std::ofstream(path() / name, std::ios::binary) << content;
    }
    /// Stores a compiled zone of the installed database under `name`.
    void install(const std::string& name, const std::string& zone) const {
        std::filesystem::create_directories((path() / name).parent_path());
        std::filesystem::copy_file(std::filesystem::path(zoneinfo_directory()) / zone,
                                   path() / name,
                                   std::filesystem::copy_options::overwrite_existing);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

private:
    TemporaryFolder folder_;
};

}  // namespace sundial::zones
