// SPDX-License-Identifier: BSD-3-Clause
// Tests of typed options: the help prints their defaults, and wrong values are refused before anything is done.
#include <gtest/gtest.h>

#include "support/command.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;

class OptionTableTest : public CommandTest {
 protected:
  bool explains(const std::string& subcommand, const std::string& words) const {
    const Outcome help = run_program({"env", "COLUMNS=132", QUADRILLE_COMMAND, subcommand, "--help"});
    return help.out.find(words) != std::string::npos;
  }
};

TEST_F(OptionTableTest, HelpPrintsTheDefaults) {
  EXPECT_TRUE(explains("race", "repetitions of all candidates (default 9)"));
  EXPECT_TRUE(explains("race", "stop after this time without progress (default 60s)"));
  EXPECT_TRUE(explains("tune", "numbers of ranks (default 2,4,8)"));
  EXPECT_TRUE(explains("audit", "a guideline is violated above this factor (default 1.05)"));
  EXPECT_TRUE(explains("plot", "1 to 8 (default 6)"));
  EXPECT_TRUE(explains("run", "number of ranks (default 2)"));
}

TEST_F(OptionTableTest, WrongValuesAreRefusedFirst) {
  refuses({"audit", "--list", "--seed", "x"}, "the seed 'x' is not a whole number");
  refuses({"tune", "--ways", "0"}, "it must be at least 1");
  refuses({"calibrate", "--time", "-1"}, "is not a time");
  refuses({"plot", "race.json", "--width", "84"}, "is no width");
  refuses({"run", "-n", "2", "-n", "3", "true"}, "more than once");
}

TEST_F(OptionTableTest, AnOptionIsNoValueOfAnotherOne) {
  refuses({"view", "--gallery", "--help"}, "--gallery needs a value, and '--help' is an option; if it is the value, write");
  refuses({"verify", "alltoall", "--ranks", "2", "-o", "-h"}, "-o needs a value, and '-h' is an option");
  refuses({"schedule", "alltoall", "--ranks", "--blok", "8"}, "--ranks needs a value, and '--blok' is an option");
  const Words words{"verify", "alltoall", "--ranks", "2", "--algorithm", "direct"};
  Words to_stdout = words, to_file = words;
  to_stdout.insert(to_stdout.end(), {"-o", "-"});
  EXPECT_EQ(prints(to_stdout), prints(words));  // the dash is no option
  to_file.push_back("--output=" + file("result").string());
  EXPECT_EQ(prints(to_file), "");
}

TEST_F(OptionTableTest, ListsMayBeGivenSeveralTimes) {
  const Words words{"verify", "alltoall", "--ranks", "2", "--algorithm", "direct"};
  Words several = words;
  several.insert(several.end(), {"--policy", "blocking", "--policy", "dataflow,nonblocking"});
  EXPECT_EQ(prints(words), prints(several));
}

}  // namespace
}  // namespace quadrille
