#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "embed_test_files.hpp"

namespace sundial::embed_test {
namespace {

TEST(Embed, KeepsEveryByte) {
    ASSERT_EQ(every_byte_bin.size(), 256U);
    for (std::size_t i = 0; i < every_byte_bin.size(); ++i) {
        EXPECT_EQ(static_cast<unsigned char>(every_byte_bin[i]), i);
    }
    EXPECT_EQ(file_0001_first_sql, "SELECT ';', \"[x]\", $1 -- \\n @HERE@ ${there}\n");
    EXPECT_EQ(empty_txt, "");
}

TEST(Embed, AcceptsFilesLongerThanAStringLiteral) {
    std::string expected;
    while (expected.size() < 200'000) expected += "0123456789\n";
    EXPECT_EQ(long_txt, expected);
}

TEST(Embed, ListsTheFilesInTheOrderGiven) {
    const auto name = [](const char* expected) {
        return testing::Field(&base::EmbeddedFile::name, expected);
    };
    EXPECT_THAT(embedded_files, testing::ElementsAre(name("0001_first.sql"), name("every_byte.bin"),
                                                     name("empty.txt"), name("long.txt")));
    EXPECT_EQ(embedded_files[1].content, every_byte_bin);
}

}  // namespace
}  // namespace sundial::embed_test
