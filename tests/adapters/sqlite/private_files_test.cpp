#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "adapters/sqlite/database_file.hpp"
#include "adapters/sqlite/open.hpp"
#include "files.hpp"
#include "support/builders.hpp"
#include "support/recorded_log.hpp"

namespace sundial::sqlite {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr fs::perms owner_only = fs::perms::owner_read | fs::perms::owner_write;
constexpr fs::perms all_may_read = owner_only | fs::perms::group_read | fs::perms::others_read;

/// While it lives, nothing is taken from the modes of files that are made.
class NoMask {
public:
    NoMask() : before_{::umask(0)} {}
    ~NoMask() { ::umask(before_); }
    NoMask(const NoMask&) = delete;
    NoMask& operator=(const NoMask&) = delete;

private:
    mode_t before_;
};

class PrivateFiles : public testing::Test {
protected:
    [[nodiscard]] fs::path file(const char* ending = "") const {
        return folder_.file().string() + ending;
    }
    [[nodiscard]] fs::perms mode(const char* ending) const {
        return fs::status(file(ending)).permissions();
    }
    [[nodiscard]] std::unique_ptr<SqliteDatabase> open() {
        return SqliteDatabase::open({.file = file(), .real_time = [] { return noon; }}, log_,
                                    [](const std::string&) {});
    }

    TemporaryFolder folder_;
    RecordedLog log_;
    NoMask no_mask_;
};

TEST_F(PrivateFiles, AreAllThatADatabaseIsMadeOf) {
    const auto database = open();
    for (const char* ending : {"", "-wal", "-shm", "-lock"}) {
        EXPECT_EQ(mode(ending), owner_only) << ending;
    }
    for (const auto& line : log_.lines()) {
        EXPECT_THAT(line.message, Not(HasSubstr("other users")));
    }
}

TEST_F(PrivateFiles, AreAlsoCreatedByMigrate) {
    static_cast<void>(migrate({.file = file(), .real_time = [] { return noon; }}, log_));
    EXPECT_EQ(mode(""), owner_only);
    EXPECT_EQ(mode("-lock"), owner_only);
}

TEST_F(PrivateFiles, AreAppliedToFilesOfEarlierVersions) {
    static_cast<void>(open());
    for (const char* ending : {"", "-wal", "-shm", "-lock"}) {
        std::ofstream{file(ending), std::ios::app}.flush();
        fs::permissions(file(ending), all_may_read);
    }
    const auto before = log_.lines().size();
    const auto database = open();
    for (const char* ending : {"", "-wal", "-shm", "-lock"}) {
        EXPECT_EQ(mode(ending), owner_only) << ending;
    }
    EXPECT_THAT(log_.lines().at(before).message,
                AllOf(HasSubstr(file()), HasSubstr("was open to other users")));
}

TEST_F(PrivateFiles, KeepWhatTheirOwnerMayDo) {
    std::ofstream{file()}.flush();
    fs::permissions(file(), fs::perms::owner_read | fs::perms::others_write);
    keep_private(file(), log_);
    EXPECT_EQ(mode(""), fs::perms::owner_read);
    keep_private(file(), log_);
    EXPECT_THAT(log_.lines(), SizeIs(1));
}

TEST_F(PrivateFiles, AreNotCreatedIfMissing) {
    keep_private(file(), log_);
    EXPECT_TRUE(fs::exists(file()));
    EXPECT_FALSE(fs::exists(file("-wal")));
    EXPECT_THAT(log_.lines(), IsEmpty());
}

}  // namespace
}  // namespace sundial::sqlite
