// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/proc.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "support/own_folder.hpp"

namespace quadrille {
namespace {

class Proc : public testing::OwnFolder {
 protected:
  // Returns what is read if the file `stat` has this text.
  std::optional<ProcessStat> read(const std::string& text) const {
    std::ofstream(place_ / "stat") << text;
    return process_stat(place_);
  }
};

// Fields 5 to 21 of a line, and 23 to 47.
constexpr const char *before_start = " 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 ",
                     *after_start = " 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 ";

TEST_F(Proc, ReadsTheFieldsOfALine) {
  const auto stat = read(std::string("12 (name) S 3") + before_start + "987654321" + after_start + "4096 4111 50\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "name");
  EXPECT_EQ(stat->state, 'S');
  EXPECT_EQ(stat->parent, 3);
  EXPECT_EQ(stat->used, 14u + 15u);
  EXPECT_EQ(stat->started, 987654321u);
  EXPECT_EQ(stat->words_begin, 4096u);
  EXPECT_EQ(stat->words_end, 4111u);
}

TEST_F(Proc, NamesMayHoldAnything) {
  for (const char* name : {"", ") Z 7 (", "a b", "two\nlines", ")"}) {
    const auto stat = read(std::string("12 (") + name + ") R 3" + before_start + "99\n");
    ASSERT_TRUE(stat) << name;
    EXPECT_EQ(stat->name, name);
    EXPECT_EQ(stat->state, 'R');
    EXPECT_EQ(stat->started, 99u);
    EXPECT_EQ(stat->words_begin, 0u) << "older systems end the line here";
  }
}

TEST_F(Proc, OtherTextsAreNoProcess) {
  for (const std::string& text : {std::string(), std::string("12 name S 3"), std::string("12 )name( S 3") + before_start + "99",
                                  std::string("12 (name) S 3 5 6 7"), std::string("12 (name) S 3") + before_start + "x"})
    EXPECT_FALSE(read(text)) << text;
  EXPECT_FALSE(process_stat(place_ / "nothing"));
}

TEST_F(Proc, TellsOfThisProcess) {
  const auto self = process_stat("/proc/self"), same = process_stat("/proc/" + std::to_string(::getpid()));
  if (!self) GTEST_SKIP() << "skipped: /proc is not mounted";
  EXPECT_EQ(self->parent, ::getppid());
  ASSERT_LT(self->words_begin, self->words_end);
  const std::string words(reinterpret_cast<const char*>(self->words_begin), self->words_end - self->words_begin);
  EXPECT_EQ(beginning_of("/proc/self/cmdline", 1 << 20), words);
  ASSERT_TRUE(same);
  EXPECT_EQ(self->started, same->started);
  const auto main_thread = process_stat("/proc/self/task/" + std::to_string(::getpid()));
  ASSERT_TRUE(main_thread);
  EXPECT_EQ(main_thread->name, self->name);
  EXPECT_EQ(boot_id().size(), 36u) << boot_id();
}

TEST_F(Proc, ReadsTheBeginningOfAFile) {
  const std::string file = place_ / "file";
  std::ofstream(file) << std::string("a\0bc", 4);
  EXPECT_EQ(beginning_of(file, 3), std::string("a\0b", 3));
  EXPECT_EQ(beginning_of(file, 4), std::string("a\0bc", 4));
  EXPECT_EQ(beginning_of(file, 100), std::string("a\0bc", 4));
  EXPECT_EQ(beginning_of(place_ / "nothing", 100), "");
  EXPECT_EQ(beginning_of(place_, 100), "") << "a folder";
}

}  // namespace
}  // namespace quadrille
