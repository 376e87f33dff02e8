// SPDX-License-Identifier: BSD-3-Clause
#include "foundation/system/pipes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/own_folder.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string output(const std::vector<std::string>& words, double seconds = 60) {
  return output_of(words, {.mebibytes = 1, .seconds = seconds, .raised_by = "the option"}, "the program");
}

// A program that starts another one, which holds its output for a minute, and writes its number into the file.
std::vector<std::string> with_sleeper(const std::filesystem::path& file, const std::string& then) {
  return {"sh", "-c", "sleep 60 & echo $! > \"$0\"; " + then, file.string()};
}

void expect_gone(const std::filesystem::path& file) {
  pid_t sleeper = 0;
  std::ifstream(file) >> sleeper;
  ASSERT_GT(sleeper, 0);
  const auto runs = [&] {
    std::string number, name, state;  // Z: it has ended, and its parent has not noticed yet
    return static_cast<bool>(std::ifstream("/proc/" + std::to_string(sleeper) + "/stat") >> number >> name >> state) &&
           state != "Z";
  };
  for (int i = 0; i < 500 && runs(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(runs());
}

TEST(ChildOutput, IsAllThatTheProgramPrints) {
  EXPECT_EQ(output({"printf", "%s|", "one two", "$HOME", "*", "'", ""}), "one two|$HOME|*|'||");
  EXPECT_EQ(output({"true"}), "");
  EXPECT_EQ(output({"cat"}), "") << "its stdin is empty";
  EXPECT_EQ(output({"head", "-c", "1048576", "/dev/zero"}).size(), 1u << 20);  // more than a pipe holds
}

TEST(ChildOutput, OfAProgramThatFailsIsAnError) {
  EXPECT_EQ(sentence_of([] { output({"sh", "-c", "exit 3"}); }), "the program failed with exit code 3");
  EXPECT_THAT(sentence_of([] { output({"sh", "-c", "kill -9 $$"}); }), StartsWith("the program was ended by signal 9 (Killed"));
  EXPECT_EQ(sentence_of([] { output({"/no/such/program"}); }), "cannot start the program: No such file or directory");
  EXPECT_EQ(sentence_of([] {
              output({"head", "-c", "1048577", "/dev/zero"});
            }),
            "the program prints more than 1 MiB; the option raises this limit");
  EXPECT_EQ(sentence_of([] {
              output({"cat", "/dev/zero"});
            }),
            "the program prints more than 1 MiB; the option raises this limit")
      << "it would never end";
  EXPECT_EQ(sentence_of([] {
              output({"sh", "-c", "cat /dev/zero; true"});
            }),
            "the program prints more than 1 MiB; the option raises this limit")
      << "its own child does not keep us waiting";
}

TEST(ChildOutput, HasALimitOfTime) {
  const std::string late = "the program has not ended after 0.1 s; the option raises this limit";
  EXPECT_EQ(sentence_of([] { output({"sleep", "60"}, 0.1); }), late);
  EXPECT_EQ(sentence_of([] { output({"sh", "-c", "exec >&-; sleep 60"}, 0.1); }), late) << "it has closed its output";
  EXPECT_EQ(sentence_of([] { output({"sh", "-c", "while :; do echo a; sleep 0.01; done"}, 0.1); }), late);
}

class ChildOutputTest : public OwnFolder {};

TEST_F(ChildOutputTest, EndsWithTheProgramAndWhatItHasStarted) {
  EXPECT_EQ(output(with_sleeper(place_ / "sleeper", "echo done")), "done\n") << "without waiting for the other program";
  expect_gone(place_ / "sleeper");
  EXPECT_THAT(sentence_of([&] { output(with_sleeper(place_ / "second", "wait"), 0.1); }), HasSubstr("has not ended"));
  expect_gone(place_ / "second");
}

// In another process, which the signal ends.
TEST_F(ChildOutputTest, IsEndedByASignalToThisProcess) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const std::filesystem::path file = place_ / std::to_string(signal);
    const pid_t reader = ::fork();
    if (reader == 0) {
      ::signal(signal, SIG_DFL);
      output(with_sleeper(file, "wait"));
      ::_exit(0);
    }
    while (!std::filesystem::exists(file) || std::filesystem::file_size(file) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ::kill(reader, signal);
    int status = 0;
    ::waitpid(reader, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    expect_gone(file);
  }
}

}  // namespace
}  // namespace quadrille
