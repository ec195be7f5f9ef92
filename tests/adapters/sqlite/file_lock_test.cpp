#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "adapters/sqlite/database_file.hpp"
#include "application/ports/failures.hpp"
#include "files.hpp"
#include "support/child_process.hpp"

namespace sundial::sqlite {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(FileLock, IsReleasedWhenDestroyed) {
    const TemporaryFolder folder;
    for (int i = 0; i < 2; ++i) EXPECT_NO_THROW(FileLock{folder.file()});
}

TEST(FileLock, NamesItsHolderAndIsReleasedWhenThatIsKilled) {
    const TemporaryFolder folder;
    Pipe ready;
    ChildProcess child{[&] {
        const FileLock lock{folder.file()};
        ready.write("!");
        for (;;) ::pause();
    }};
    ASSERT_EQ(ready.read(), "!");

    const std::string pid = std::to_string(child.pid());
    try {
        const FileLock lock{folder.file()};
        FAIL() << "two have it";
    } catch (const CannotStart& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr(folder.file()), HasSubstr("pid " + pid),
                                        HasSubstr("another process")));
    }
    child.kill();
    EXPECT_NO_THROW(FileLock{folder.file()});
}

}  // namespace
}  // namespace sundial::sqlite
