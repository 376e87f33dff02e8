// SPDX-License-Identifier: BSD-3-Clause
// Tests that problems that are too large are refused before memory is used, and that long work shows its progress.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Limits : public CommandTest {
 protected:
  Outcome run_in_a_gigabyte(const Words& arguments) const {
    Words words{"bash", "-c", "ulimit -v 1000000; exec \"$@\"", "bash", QUADRILLE_COMMAND};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(std::move(words));
  }
};

TEST_F(Limits, RefuseLargeProblemsBeforeTheyTakeMemory) {
  const Words gibibyte{"broadcast", "--ranks", "8", "--block", "1GiB", "--algorithm", "chain:segments=1000000000"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const std::vector<std::pair<Words, std::string>> cases{
      {{"verify", "alltoall", "--ranks", "1000000000", "--block", "4B", "--algorithm", "direct"},
       "alltoall among 1000000000 ranks takes at least 1000000000 pieces of memory to replay; the limit is 67108864"},
      {{"verify", "allgatherv", "--ranks", "100000", "--algorithm", "ring"}, "pieces of memory to replay; the limit is 67108864"},
      {with({"verify"}, gibibyte), "operations; the limit is 4194304"},
      {with({"schedule"}, gibibyte), "operations; the limit is 4194304"},
      {with({"draw"}, gibibyte), "operations; the limit is 4194304"},
      {with({"price", "--machine", "sp1"}, gibibyte), "operations; the limit is 4194304"},
      {{"price", "alltoall", "--ranks", "1000000000", "--block", "1B", "--machine", "sp1", "--algorithm", "shift"},
       "the program of a rank has 2000000000 operations; the limit is 4194304"},
      {{"price", "alltoall", "--ranks", "1000000000", "--block", "1B", "--machine", "sp1", "--algorithm", "combined"},
       "alltoall among 1000000000 ranks takes at least 1000000000 entries in a list of nodes; the limit is 16777216"},
      {{"price", "alltoall", "--ranks", "20000000", "--block", "1B", "--machine", "sp1", "--algorithm", "clustered"},
       "entries in a list of nodes; the limit is 16777216"},
      {{"verify", "alltoall", "--ranks", "20000000", "--algorithm", "clustered"}, "entries in a list of nodes"},
      {{"verify", "broadcast", "--ranks", "1000000000", "--algorithm", "binomial"}, "pieces of memory to replay"},
      {{"price", "alltoall", "--ranks", "1000000000", "--block", "1B", "--machine", "sp1", "--algorithm", "torus"},
       "the program of a rank has 2000000000 operations; the limit is 4194304"},
      {{"price", "broadcast", "--ranks", "1000000000", "--machine", "sp1", "--algorithm", "binomial"},
       "broadcast among 1000000000 ranks takes at least 1000000000 programs; the limit is 268435456"},
      {{"price", "broadcast", "--ranks", "1000000000", "--machine", "sp1", "--algorithm", "scatter-allgather"},
       "broadcast among 1000000000 ranks takes at least 1000000000 shares; the limit is 16777216"},
      {{"price", "allreduce", "--ranks", "1000000000", "--machine", "sp1", "--algorithm", "ring"}, "shares; the limit is 16777216"},
      {{"simulate", "alltoall", "--ranks", "100000", "--algorithm", "direct", "--machine", "sp1", "--by", "events"},
       "MiB of memory for its events, and there are"},
      {{"simulate", "barrier", "--ranks", "700000000", "--algorithm", "dissemination", "--machine", "sp1", "--by", "events"},
       "MiB of memory for its events, and there are"},
  };
  for (const auto& [words, sentence] : cases) {
    SCOPED_TRACE(sentence);
    const Outcome outcome = run_in_a_gigabyte(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.talk.begin(), outcome.talk.end(), '\n'), 1);
    EXPECT_THAT(outcome.talk, HasSubstr(sentence));
    EXPECT_THAT(outcome.talk, AnyOf(HasSubstr("; ask for a smaller problem"),
                                    HasSubstr("; use fewer ranks, or fewer segments if the algorithm has any")));
  }
}

TEST_F(Limits, AllowWhatSymmetryMakesCheap) {
  for (const std::string ranks : {"1000000", "1000000000"}) {
    const Outcome outcome =
        run_in_a_gigabyte({"price", "alltoall", "--ranks", ranks, "--block", "1B", "--machine", "sp1", "--algorithm", "bruck"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  }
  const Outcome outcome =
      run_in_a_gigabyte({"verify", "barrier", "--ranks", "2200000", "--algorithm", "dissemination", "--seed", "5"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_THAT(outcome.out, HasSubstr(": sampled, no findings in "));
  EXPECT_THAT(outcome.out, HasSubstr("sampled: symmetry translation, 1 class, "));
  EXPECT_THAT(outcome.out, HasSubstr(" of 2200000 ranks compared, seed 5"));
}

TEST_F(Limits, FiguresArePrintedIfTheReplayIsRefused) {
  const std::vector<std::pair<Words, std::string>> cases{
      {{"barrier", "--ranks", "34359738368", "--algorithm", "dissemination"},
       "barrier among 34359738368 ranks takes at least 1073741824 pieces of memory to replay; the limit is 67108864"},
      {{"allgather", "--ranks", "16384", "--algorithm", "gather-broadcast"},
       "at least 268435456 pieces of memory to replay; the limit is 67108864"},
  };
  for (const auto& [question, sentence] : cases) {
    Words words{"verify"};
    words.insert(words.end(), question.begin(), question.end());
    const Outcome text = run_in_a_gigabyte(words);
    EXPECT_EQ(text.exit_code, 2) << text.talk;
    EXPECT_THAT(text.out, HasSubstr(": not replayed\n  "));
    EXPECT_THAT(text.out, HasSubstr(sentence));
    EXPECT_THAT(text.out, HasSubstr("\nC1 "));
    words.push_back("--json");
    const Json json = Json::parse(run_in_a_gigabyte(words).out);
    EXPECT_EQ(json["ok"], false);
    EXPECT_THAT(json["refusal"], HasSubstr(sentence));
    EXPECT_TRUE(json["c1"].is_number());
  }
}

// The limit of addresses leaves no room for a thread's stack, so no progress thread can start; the work must be done all the same.
TEST_F(Limits, WorkIsDoneIfNoThreadCanShowProgress) {
  const Outcome outcome = run_program({"bash", "-c", "ulimit -s 1000000; ulimit -v 400000; exec \"$@\"", "bash", QUADRILLE_COMMAND,
                                       "verify", "alltoall", "--ranks", "4"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_THAT(outcome.out, HasSubstr("direct"));
}

TEST_F(Limits, LongWorkReportsProgressWithoutATerminal) {
  const Outcome outcome = run_program({"env", "QUADRILLE_PROGRESS_SECONDS=0.01", QUADRILLE_COMMAND, "price", "alltoall", "--ranks",
                                       "1000", "--machine", "sp1", "--algorithm", "one-factor"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
  EXPECT_THAT(outcome.talk, HasSubstr("priced 0 of 1: now one-factor: the program of rank "));
  EXPECT_THAT(outcome.talk, HasSubstr(" of 1000 ("));
  EXPECT_THAT(outcome.talk, Not(HasSubstr("\x1b")));
}

TEST_F(Limits, ProgressFitsTheTerminal) {
  const std::string command =
      fmt::format("stty cols 40; exec '{}' price alltoall --ranks 1000 --machine sp1 --algorithm one-factor", QUADRILLE_COMMAND);
  std::string screen = run_program({"script", "-qec", command, "/dev/null"}).out;
  std::size_t lines = 0;
  for (std::size_t begin = 0; (begin = screen.find("\r\x1b[Kpriced", begin)) != std::string::npos; ++lines) {
    begin += 4;
    EXPECT_LT(screen.find_first_of("\r\n", begin) - begin, 40u);
  }
  EXPECT_GT(lines, 0u) << screen;
}

}  // namespace
}  // namespace quadrille
