// SPDX-License-Identifier: BSD-3-Clause
#include "recording/record_wish.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "quadrille/error.hpp"
#include "support/own_folder.hpp"

namespace quadrille::recording {
namespace {

namespace fs = std::filesystem;

TEST(RecordWish, NamesAFolder) {
  EXPECT_EQ(parse_record_wish("calls:/a:b")->folder, "/a:b");
  EXPECT_FALSE(parse_record_wish("calls:x")->folds);
  EXPECT_TRUE(parse_record_wish("fold:x")->folds);
  for (const char* words : {"", "calls", "calls:", "fold:", "all:x", ":x"}) EXPECT_FALSE(parse_record_wish(words)) << words;
}

using RecordFolderTest = testing::OwnFolder;

TEST_F(RecordFolderTest, IsMadeForItsUserAlone) {
  const fs::path folder = place_ / "new";
  make_recording_folder(folder.string());
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  make_recording_folder(folder.string());
}

TEST_F(RecordFolderTest, IsRefusedIfOthersMayWriteOrItIsNone) {
  fs::permissions(place_, fs::perms::others_write, fs::perm_options::add);
  EXPECT_THROW(make_recording_folder(place_.string()), Error);
  const std::string file = (place_ / "file").string();
  std::ofstream(file) << "x";
  EXPECT_THROW(make_recording_folder(file), Error);
  EXPECT_THROW(make_recording_folder((place_ / "no" / "folder").string()), Error);
}

// Another user may have put it there.
TEST_F(RecordFolderTest, IsRefusedIfItIsALink) {
  make_recording_folder((place_ / "target").string());
  fs::create_directory_symlink("target", place_ / "link");
  for (const char* const end : {"", "/", "//", "/.", "/./", "/.//./"})
    EXPECT_THROW(make_recording_folder((place_ / "link").string() + end), Error) << end;
  make_recording_folder((place_ / "target").string() + "//./");
}

}  // namespace
}  // namespace quadrille::recording
