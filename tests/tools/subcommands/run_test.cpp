// SPDX-License-Identifier: BSD-3-Clause
// Tests of the ranks of `quadrille run`, which are children of the command, when it inherits signals that are ignored or
// blocked.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class RunTest : public CommandTest {
 protected:
  // Runs `words` with `signals` as options of env(1). Exit code 124: it took longer than `limit` and ended on SIGTERM; 137: it did
  // not end on SIGTERM.
  Outcome run_with(const Words& signals, const Words& words, const std::string& limit = "20") const {
    Words all{"timeout", "--foreground", "-k", "5", limit, "env"};
    all.insert(all.end(), signals.begin(), signals.end());
    all.insert(all.end(), words.begin(), words.end());
    return run_program(all);
  }

  static Words ranks(const std::string& number, const Words& words) {
    Words all{QUADRILLE_COMMAND, "run", "-n", number};
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }
};

// If a process ignores SIGCHLD, the system discards its ended children, and it cannot wait for them. A Perl script with $SIG{CHLD}
// = 'IGNORE' passes this setting on to the command.
TEST_F(RunTest, EndsIfSigchldIsIgnored) {
  for (const Words& signals : {Words{"--ignore-signal=CHLD"}, Words{"--block-signal=CHLD"}, Words{}}) {
    EXPECT_EQ(run_with(signals, ranks("2", {"true"})).exit_code, 0);
    EXPECT_EQ(run_with(signals, ranks("2", {"sh", "-c", "exit 3"})).exit_code, 3);
    EXPECT_EQ(run_with(signals, ranks("1", {"nothing-of-this-name"})).exit_code, 2);
  }
}

// Under `timeout --foreground` the signal goes to the launcher alone.
TEST_F(RunTest, PassesSignalsOnIfSigchldIsIgnored) {
  for (const Words& signals : {Words{"--ignore-signal=CHLD"}, Words{}})
    EXPECT_EQ(run_with(signals, ranks("2", {"sleep", "60"}), "0.5").exit_code, 124);
}

// Ranks ignore and block the same signals as without the launcher.
TEST_F(RunTest, GivesRanksTheSignalSettingsThatItInherited) {
  const Words report{"grep", "-E", "Sig(Blk|Ign|Cgt)", "/proc/self/status"};
  for (const Words& signals : {Words{}, Words{"--ignore-signal=CHLD"}, Words{"--ignore-signal=TERM,INT,HUP"},
                               Words{"--ignore-signal=CHLD,PIPE", "--block-signal=TERM,CHLD,USR1"}}) {
    const Outcome alone = run_with(signals, report), rank = run_with(signals, ranks("1", report));
    EXPECT_EQ(rank.exit_code, 0) << rank.talk;
    EXPECT_NE(alone.out, "");
    EXPECT_EQ(rank.out, alone.out);
  }
}

// Every rank maps the shared memory of all ranks, but only as much as it needs now, not as much as it may need later.
TEST_F(RunTest, SharesMemoryUnderALimitOfAddressSpace) {
  const auto limited = [&](int kilobytes, const std::string& number) {
    Words all{"sh", "-c", fmt::format("ulimit -v {}; exec \"$@\"", kilobytes), "sh"};
    const Words race = ranks(number, {QUADRILLE_COMMAND, "race", "alltoall", "--block", "8B", "--algorithm", "bruck",
                                      "--repetitions", "1", "--time", "0.01s"});
    all.insert(all.end(), race.begin(), race.end());
    return run_program(all);
  };
  for (const auto& [kilobytes, number] : {std::pair(2000000, "2"), std::pair(250000, "30")}) {
    const Outcome outcome = limited(kilobytes, number);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.talk;
    EXPECT_EQ(outcome.talk.find("ulimit"), std::string::npos) << outcome.talk;
  }
  const Outcome none = limited(100000, "60");  // 2 MiB for each of 60 ranks
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.talk.find("the limit of addresses (ulimit -v) leaves"), std::string::npos) << none.talk;
}

// The error for a race that is too large states the same memory size as `info`, also when hwloc counts differently.
TEST_F(RunTest, MemoryHasTheSameSizeEverywhere) {
  ::setenv("HWLOC_SYNTHETIC", "numa:1(memory=1073741824) core:2 pu:1", 1);
  const double here = Json::parse(prints({"info", "--json"}))["machine"]["memory_bytes"].get<double>() / (1 << 30);
  refuses({"race", "alltoall", "--executor", "threads", "--ranks", "8", "--block", "64TiB"},
          fmt::format("this machine has {:.1f} GiB", here));
  ::unsetenv("HWLOC_SYNTHETIC");
}

}  // namespace
}  // namespace quadrille
