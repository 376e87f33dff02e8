// SPDX-License-Identifier: BSD-3-Clause
// Wisdom files: their places, saving and reading, and errors.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>
#include <set>

#include "quadrille/wisdom.hpp"
#include "support/own_folder.hpp"
#include "support/wisdom_samples.hpp"

namespace quadrille {
namespace {

using namespace testing;
namespace fs = std::filesystem;

class WisdomFile : public testing::OwnFolder {
 protected:
  void SetUp() override {
    OwnFolder::SetUp();
    ::setenv("QUADRILLE_WISDOM", (place_ / "folder/").c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("QUADRILLE_WISDOM");
    ::unsetenv("XDG_CACHE_HOME");
    OwnFolder::TearDown();
  }

  static Wisdom one(Bytes bytes) {
    Wisdom wisdom{machine, {}, {}, {}};
    wisdom.add(record(situation(bytes, 4)));
    return wisdom;
  }

  static std::string contents(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  static ErrorCode code_of(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "no exception";
    return ErrorCode::misuse;
  }
};

TEST_F(WisdomFile, IsNamedByTheEnvironment) {
  const std::string file = wisdom_file(machine);
  EXPECT_EQ(fs::path(file).parent_path(), place_ / "folder");
  EXPECT_EQ(fs::path(file).filename().string().rfind("amd-epyc-7763-64-core-processor-8-cores-open-mpi-4.1.4-", 0), 0u) << file;
  for (Fingerprint other : {Fingerprint{"AMD EPYC 7763 64-Core Processor", 4, "none", "Open MPI 4.1.4"},
                            Fingerprint{"AMD EPYC 7763 64-Core Processor", 8, "mlx5 200 Gbit/s", "Open MPI 4.1.4"}})
    EXPECT_NE(wisdom_file(other), file);
  ::setenv("QUADRILLE_WISDOM", "off", 1);
  EXPECT_EQ(wisdom_file(machine), "");
  EXPECT_TRUE(wisdom_files().empty());
  ::setenv("QUADRILLE_WISDOM", (place_ / "a file").c_str(), 1);
  EXPECT_EQ(wisdom_file(machine), place_ / "a file");
  ::setenv("QUADRILLE_WISDOM", place_.c_str(), 1);  // an existing folder needs no slash
  EXPECT_EQ(fs::path(wisdom_file(machine)).parent_path(), place_);
  ::unsetenv("QUADRILLE_WISDOM");
  ::setenv("XDG_CACHE_HOME", place_.c_str(), 1);
  EXPECT_EQ(fs::path(wisdom_file(machine)).parent_path(), place_ / "quadrille/wisdom");
  save_wisdom(wisdom_file(machine), one(8));
  EXPECT_EQ(wisdom_files(), std::vector{wisdom_file(machine)});
  struct stat status {};
  ASSERT_EQ(::stat((place_ / "quadrille/wisdom").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(WisdomFile, AddsWhatIsSaved) {
  const std::string file = wisdom_file(machine);
  EXPECT_EQ(read_wisdom(file, machine), (Wisdom{machine, {}, {}, {}}));
  EXPECT_EQ(read_wisdom("", machine), (Wisdom{machine, {}, {}, {}}));
  save_wisdom("", one(8));
  save_wisdom(file, one(8));
  save_wisdom(file, one(64));
  Wisdom both = one(8);
  both.merge(one(64));
  EXPECT_EQ(read_wisdom(file, machine), both);
  EXPECT_EQ(contents(file), wisdom_text(both));
  std::set<std::string> names;
  for (const auto& each : fs::directory_iterator(place_ / "folder")) names.insert(each.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{fs::path(file).filename(), fs::path(file).filename().string() + ".lock"}));
}

TEST_F(WisdomFile, KeepsTheRacesOfAllLaunches) {
  const std::string file = wisdom_file(machine);
  for (const char* time : {"13:00:00.000", "12:00:00.000", "13:00:00.000"}) {
    Wisdom found{machine, {}, {}, {}};
    found.add({.situation = situation(8, 4), .races = {{"2026-11-22", time, 15, 0, {entry("direct", 2)}}}});
    save_wisdom(file, found);
  }
  const Wisdom kept = read_wisdom(file, machine);
  ASSERT_EQ(kept.records.size(), 1u);
  ASSERT_EQ(kept.records[0].races.size(), 2u);
  EXPECT_EQ(kept.records[0].races[0].time, "12:00:00.000");
}

TEST_F(WisdomFile, KeepsModeAndFollowsLinks) {
  const std::string file = wisdom_file(machine);
  save_wisdom(file, one(8));
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  EXPECT_EQ(status.st_mode & 0777, 0666u & ~mask);
  ::chmod(file.c_str(), 0640);
  const fs::path link = place_ / "link";
  fs::create_symlink(file, link);
  save_wisdom(link, one(64));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_FALSE(fs::exists(link.string() + ".lock"));
  EXPECT_EQ(read_wisdom(file, machine).records.size(), 2u);
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(WisdomFile, IsNotOverwrittenIfItIsDamaged) {
  const std::string file = wisdom_file(machine);
  save_wisdom(file, one(8));
  const std::string damaged = changed(contents(file), R"("repetitions":15)", R"("repetitions":"x")");
  std::ofstream(file) << damaged;
  EXPECT_EQ(code_of([&] { read_wisdom(file, machine); }), ErrorCode::malformed);
  EXPECT_EQ(code_of([&] { save_wisdom(file, one(64)); }), ErrorCode::malformed);
  EXPECT_EQ(contents(file), damaged);
  std::ofstream(file) << wisdom_text(one(8));
  Fingerprint other = machine;
  other.mpi = "MPICH 4.0.2";
  try {
    read_wisdom(file, other);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("of another machine: its MPI library is 'Open MPI 4.1.4', here it is 'MPICH 4.0.2'"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(code_of([&] { save_wisdom(file, {other, {}, {}, {}}); }), ErrorCode::malformed);
  EXPECT_EQ(contents(file), wisdom_text(one(8)));
}

TEST_F(WisdomFile, IsEmptyOrRefusedWhereNoFileCanBe) {
  const fs::path plain = place_ / "plain";
  std::ofstream(plain) << "x";
  const std::string inside = (plain / "file").string();  // its parent is a file
  EXPECT_TRUE(read_wisdom(inside, machine).records.empty());
  EXPECT_EQ(code_of([&] { save_wisdom(inside, one(8)); }), ErrorCode::environment);
  EXPECT_EQ(code_of([&] { save_wisdom("/proc/none/file", one(8)); }), ErrorCode::environment);
  EXPECT_EQ(code_of([&] { read_wisdom(place_, machine); }), ErrorCode::malformed);  // a folder
  ASSERT_EQ(::mkfifo((place_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(code_of([&] { read_wisdom(place_ / "pipe", machine); }), ErrorCode::malformed);
}

// Runs `body` in a child process that prints nothing and always exits here.
pid_t child(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  try {
    body();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

// Several processes add records at the same time, and some are killed while they do.
TEST_F(WisdomFile, LosesNothingIfProcessesSaveAtTheSameTime) {
  const std::string file = wisdom_file(machine);
  constexpr int writers = 4, records = 6, victims = 5;
  std::vector<pid_t> children;
  for (int writer = 0; writer < writers; ++writer)
    children.push_back(child([&] {
      for (int i = 0; i < records; ++i) save_wisdom(file, one(1 + writer * records + i));
    }));
  std::mt19937 random(3);
  int reported = 0;
  std::vector<Bytes> saved;
  for (int victim = 0; victim < victims; ++victim) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t pid = child([&] {
      for (Bytes bytes = 1000 * (victim + 1);; ++bytes) {
        save_wisdom(file, one(bytes));
        if (::write(ends[1], &bytes, sizeof bytes) != sizeof bytes) return;
      }
    });
    ::close(ends[1]);
    Bytes bytes = 0;
    ASSERT_EQ(::read(ends[0], &bytes, sizeof bytes), static_cast<ssize_t>(sizeof bytes));
    ::usleep(static_cast<useconds_t>(random() % 4000));
    ::kill(pid, SIGKILL);
    do saved.push_back(bytes);
    while (::read(ends[0], &bytes, sizeof bytes) == static_cast<ssize_t>(sizeof bytes));
    ::close(ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    reported += WIFSIGNALED(status);
    EXPECT_NO_THROW(read_wisdom(file, machine));
  }
  EXPECT_EQ(reported, victims);
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  for (Bytes bytes = 1; bytes <= writers * records; ++bytes) saved.push_back(bytes);
  const Wisdom wisdom = read_wisdom(file, machine);
  for (const Bytes bytes : saved) {
    const WisdomRecord* found = wisdom.find(situation(bytes, 4));
    ASSERT_TRUE(found && found->situation.block_bytes == bytes) << bytes;
  }
}

}  // namespace
}  // namespace quadrille
