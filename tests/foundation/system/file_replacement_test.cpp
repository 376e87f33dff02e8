// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/file_replacement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "support/own_folder.hpp"

namespace quadrille {
namespace {

namespace fs = std::filesystem;

class FileReplacementTest : public testing::OwnFolder {
 protected:
  std::string file(const std::string& name) const { return place_ / name; }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  static std::string contents(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static mode_t mode(const std::string& file) {
    struct stat status {};
    EXPECT_EQ(::lstat(file.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  static std::string failure(const std::string& file) {
    const Result<> done = replace_file(file, "new");
    return done ? "it was written" : done.error();
  }

  // Gives a link or pipe to another user; only root can.
  static bool can_give_away(const std::string& file) { return ::lchown(file.c_str(), 12345, 12345) == 0; }

  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(place_), {}); }
};

TEST_F(FileReplacementTest, ReplacesTheNameAndKeepsTheMode) {
  const std::string old = write("old", "before");
  ::chmod(old.c_str(), 04640);
  std::ifstream reader(old);
  EXPECT_EQ(failure(old), "it was written");
  EXPECT_EQ(contents(old), "new");
  EXPECT_EQ(mode(old), 0640u);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "before") << "a reader keeps the file that it has opened";
  EXPECT_EQ(files(), 1);
}

TEST_F(FileReplacementTest, NewFilesHaveTheModeOfTheUmask) {
  const mode_t mask = ::umask(026);
  const std::string done = failure(file("fresh"));
  ::umask(mask);
  EXPECT_EQ(done, "it was written");
  EXPECT_EQ(mode(file("fresh")), 0640u);
}

TEST_F(FileReplacementTest, LeavesTheOldFileIfItFails) {
  const std::string old = write("old", "before");
  {
    FileReplacement replacement;
    ASSERT_TRUE(replacement.aim_at(old));
    ASSERT_TRUE(replacement.open());
    ASSERT_EQ(::write(replacement.descriptor(), "part", 4), 4);
  }
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit two{.rlim_cur = 2, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &two), 0);
  const std::string reason = failure(old);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_EQ(reason, "File too large");
  EXPECT_EQ(contents(old), "before");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileReplacementTest, FollowsLinksOfThisUserOnly) {
  fs::create_directory(file("folder"));
  write("folder/old", "before");
  fs::create_symlink("folder/old", file("link"));
  EXPECT_EQ(failure(file("link")), "it was written");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(contents(file("folder/old")), "new");

  write("folder/old", "before");
  fs::create_symlink("link", file("first"));
  if (!can_give_away(file("link"))) GTEST_SKIP() << "skipped: only root can make a link of another user";
  EXPECT_EQ(failure(file("link")), "'link' is a link of another user");
  EXPECT_EQ(failure(file("first")), "'link' is a link of another user");
  EXPECT_EQ(contents(file("folder/old")), "before");
}

// Somebody puts a link in place of the file after the links have been followed: the name is replaced, and not what it leads to.
TEST_F(FileReplacementTest, FollowsNoLinkThatAppearsLater) {
  const std::string victim = write("victim", "before"), old = write("old", "before");
  FileReplacement replacement;
  ASSERT_TRUE(replacement.aim_at(old));
  fs::remove(old);
  fs::create_symlink(victim, old);
  ASSERT_TRUE(replacement.write("new"));
  EXPECT_EQ(contents(victim), "before");
  EXPECT_FALSE(fs::is_symlink(old));
  EXPECT_EQ(contents(old), "new");
}

TEST_F(FileReplacementTest, WritesDevicesAndPipesDirectly) {
  EXPECT_EQ(failure("/dev/null"), "it was written");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(failure("/dev/full"), "No space left on device");
  const std::string pipe = file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Descriptor end(::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  EXPECT_EQ(failure(pipe), "it was written");
  char text[8] = {};
  EXPECT_EQ(::read(end.number(), text, sizeof text), 3);
  EXPECT_STREQ(text, "new");
  if (!can_give_away(pipe)) GTEST_SKIP() << "skipped: only root can make a pipe of another user";
  EXPECT_EQ(failure(pipe), "'pipe' is a pipe of another user");
}

TEST_F(FileReplacementTest, WritesOpenFilesAtTheirPosition) {
  const std::string log = file("log");
  const Descriptor opened(::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(opened.number(), "old ", 4), 4);
  EXPECT_EQ(failure(fmt::format("/dev/fd/{}", opened.number())), "it was written");
  ASSERT_EQ(::write(opened.number(), " more", 5), 5);
  EXPECT_EQ(contents(log), "old new more");
  const Descriptor to_read(::open(log.c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(failure(fmt::format("/dev/fd/{}", to_read.number())), "Bad file descriptor");
}

TEST_F(FileReplacementTest, SaysWhyATargetCannotBeWritten) {
  EXPECT_EQ(failure(place_), "Is a directory");
  EXPECT_EQ(failure(file("fresh") + "/"), "No such file or directory");
  EXPECT_EQ(failure(file("no/such/place")), "No such file or directory");
  EXPECT_EQ(failure(file(std::string(256, 'n'))), "File name too long");
  fs::create_symlink("circle", file("circle"));
  EXPECT_EQ(failure(file("circle")), "Too many levels of symbolic links");
  fs::create_symlink("no/such/place", file("nowhere"));
  EXPECT_EQ(failure(file("nowhere")), "No such file or directory");
  EXPECT_EQ(files(), 2);
}

}  // namespace
}  // namespace quadrille
