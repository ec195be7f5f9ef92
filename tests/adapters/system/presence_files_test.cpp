#include "adapters/system/presence_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "adapters/system/process.hpp"
#include "support/builders.hpp"
#include "support/temporary_folder.hpp"

namespace sundial::system {
namespace {

namespace fs = std::filesystem;

class PresenceFilesTest : public testing::Test {
protected:
    [[nodiscard]] fs::path folder() const { return temporary.path() / "instances"; }
    [[nodiscard]] fs::path file_of(InstanceId id) const { return folder() / to_string(id); }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator{folder()}, {}));
    }

    TemporaryFolder temporary;
    std::optional<PresenceFiles> first{folder()}, second{folder()};
};

TEST_F(PresenceFilesTest, SeeNoEndOfAnInstanceThatRuns) {
    first->show(instance_a);
    EXPECT_FALSE(second->has_ended(instance_a));
    EXPECT_FALSE(first->has_ended(instance_a));
}

TEST_F(PresenceFilesTest, SeeThatAnInstanceHasEnded) {
    first->show(instance_a);
    first.reset();
    EXPECT_TRUE(second->has_ended(instance_a));
    EXPECT_TRUE(second->has_ended(instance_a));  // seeing it changes nothing
    EXPECT_FALSE(second->has_ended(instance_b));
}

TEST_F(PresenceFilesTest, SeeTheEndOfAKilledProcessAtOnce) {
    std::array<int, 2> ready{};
    ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        PresenceFiles own{folder()};
        own.show(instance_a);
        (void)!::write(ready[1], "x", 1);
        for (;;) ::pause();
    }
    ::close(ready[1]);
    char byte = 0;
    ASSERT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    EXPECT_FALSE(second->has_ended(instance_a));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(second->has_ended(instance_a));
}

TEST_F(PresenceFilesTest, KnowNothingOfAnInstanceThatWithdrew) {
    first->show(instance_a);
    first->withdraw(instance_a);
    first.reset();
    EXPECT_FALSE(second->has_ended(instance_a));
    EXPECT_EQ(files(), 0U);
}

/// As on another machine, or in another container.
TEST_F(PresenceFilesTest, KnowNothingOfAnotherFolder) {
    PresenceFiles elsewhere{temporary.path() / "elsewhere"};
    first->show(instance_a);
    first.reset();
    EXPECT_FALSE(elsewhere.has_ended(instance_a));
}

/// The original may still be running, on another machine.
TEST_F(PresenceFilesTest, DoNotTrustACopy) {
    first->show(instance_a);
    fs::copy_file(file_of(instance_a), file_of(instance_b));
    EXPECT_FALSE(second->has_ended(instance_b));
}

TEST_F(PresenceFilesTest, DoNotTrustAFileThatSaysNothing) {
    std::ofstream{file_of(instance_a)};
    EXPECT_FALSE(second->has_ended(instance_a));
}

TEST_F(PresenceFilesTest, DoNotTrustAFolderThatOthersMayWriteTo) {
    first->show(instance_a);
    first.reset();
    fs::permissions(folder(), fs::perms::group_all, fs::perm_options::add);
    PresenceFiles third{folder()};
    EXPECT_FALSE(third.has_ended(instance_a));
    third.show(instance_b);
    EXPECT_FALSE(fs::exists(file_of(instance_b)));
}

TEST_F(PresenceFilesTest, DoNotFollowALinkToAFolder) {
    fs::create_directory_symlink(folder(), temporary.path() / "link");
    first->show(instance_a);
    first.reset();
    PresenceFiles linked{temporary.path() / "link"};
    EXPECT_FALSE(linked.has_ended(instance_a));
}

TEST_F(PresenceFilesTest, KnowNothingWithoutAFolder) {
    std::ofstream{temporary.path() / "file"};
    PresenceFiles none{temporary.path() / "file" / "instances"};
    none.show(instance_a);
    EXPECT_FALSE(none.has_ended(instance_a));
    none.withdraw(instance_a);
}

TEST_F(PresenceFilesTest, RemoveFilesOfLongEndedInstancesAndNoOthers) {
    const auto aged = [&](InstanceId id) {
        fs::last_write_time(file_of(id), fs::file_time_type::clock::now() - std::chrono::hours{25});
    };
    first->show(instance_a);
    aged(instance_a);
    second->show(instance_b);
    second.reset();
    EXPECT_EQ(files(), 2U);
    PresenceFiles third{folder()};
    third.show(an_id<InstanceId>());  // one has ended a moment ago, the other runs
    EXPECT_EQ(files(), 3U);
    aged(instance_b);
    PresenceFiles fourth{folder()};
    fourth.show(an_id<InstanceId>());
    EXPECT_FALSE(fs::exists(file_of(instance_b)));
    EXPECT_TRUE(fs::exists(file_of(instance_a)));
}

/// Sets an environment variable for the time of a test; null removes it.
class Variable {
public:
    Variable(const char* name, const char* value)
        : name_(name), before_(environment_variable(name)) {
        set(value);
    }
    ~Variable() { set(before_ ? before_->c_str() : nullptr); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;
    void set(const char* value) {
        value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1);
    }

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(PresenceFolder, IsInThatOfTheServiceOrOfTheSessionOrForTemporaryFiles) {
    Variable service{"RUNTIME_DIRECTORY", "/run/sundial:/run/other"};
    Variable session{"XDG_RUNTIME_DIR", "/run/user/7"};
    const Variable temporary{"TMPDIR", "/tmp"};
    EXPECT_EQ(presence_folder(), "/run/sundial/instances");
    service.set(nullptr);
    EXPECT_EQ(presence_folder(), "/run/user/7/sundial-instances");
    session.set("");
    EXPECT_EQ(presence_folder(), "/tmp/sundial-instances-" + std::to_string(::geteuid()));
}

}  // namespace
}  // namespace sundial::system
