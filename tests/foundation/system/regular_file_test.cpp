// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>

#include "quadrille/error.hpp"
#include "support/own_folder.hpp"

namespace quadrille {
namespace {

class RegularFile : public testing::OwnFolder {
 protected:
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(place_ / name) << text;
    return place_ / name;
  }

  static std::string refusal(const std::string& file, std::size_t most_mebibytes = 1) {
    try {
      read_regular_file(file, most_mebibytes, "the letter");
    } catch (const Error& error) {
      return error.what();
    }
    return "it was read";
  }
};

TEST_F(RegularFile, IsReadWhole) {
  std::string text(200'000, 'a');
  text.append("\0end", 4);
  const FileText read = read_regular_file(file("letter", text), 1, "the letter");
  EXPECT_EQ(read.error, 0);
  EXPECT_EQ(read.text, text);
}

TEST_F(RegularFile, TellsWhyItCannotBeOpened) {
  EXPECT_EQ(read_regular_file(place_ / "nothing", 1, "the letter").error, ENOENT);
  EXPECT_EQ(read_regular_file(file("letter", "x") + "/more", 1, "the letter").error, ENOTDIR);
}

// A pipe without a writer would block its reader, and the device never ends.
TEST_F(RegularFile, PipesDevicesAndFoldersAreRefused) {
  const std::string pipe = place_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name : {pipe, std::string("/dev/zero"), place_.string()})
    EXPECT_EQ(refusal(name), "the letter is not a regular file") << name;
}

TEST_F(RegularFile, MayBeAsLongAsTheLimit) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  EXPECT_EQ(refusal(file("longest", std::string(mebibyte, 'a'))), "it was read");
  EXPECT_EQ(refusal(file("longer", std::string(mebibyte + 1, 'a'))), "the letter is longer than 1 MiB");
}

}  // namespace
}  // namespace quadrille
