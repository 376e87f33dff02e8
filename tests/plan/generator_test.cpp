// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "quadrille/algorithm.hpp"
#include "quadrille/document.hpp"
#include "quadrille/traffic.hpp"
#include "support/own_folder.hpp"
#include "support/sentence_of.hpp"

namespace quadrille {
namespace {

using namespace quadrille::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(GeneratorWords, AreCutAtBlanksAndFilledIn) {
  Problem problem = Problem::broadcast(8, 1024, 3);
  problem.nodes = {0, 0, 1, 1, 2, 2, 3, 3};
  problem.grid = {2, 4};
  EXPECT_THAT(words_for("python3 mine.py {ranks} {block}", problem), ElementsAre("python3", "mine.py", "8", "1024"));
  EXPECT_THAT(words_for("  a\tb\nc  ", problem), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words_for("m --root={root} {collective}/{nodes}x {grid}", problem),
              ElementsAre("m", "--root=3", "broadcast/0,0,1,1,2,2,3,3x", "2x4"));
  EXPECT_THAT(words_for("m {counts}", Problem::alltoallv(2, std::vector<TrafficEntry>{{0, 1, 3}})), ElementsAre("m", "0,3,0,0"));
  EXPECT_THAT(
      words_for("m {element} {commutative} {reproducible}", Problem::allreduce(2, 8, {.element_bytes = 4, .commutative = false})),
      ElementsAre("m", "4", "false", "false"));
}

TEST(GeneratorWords, AreNeitherSplitNorReadByAShell) {
  const Problem problem = Problem::alltoall(8, 16);
  EXPECT_THAT(words_for("'{ranks} {block}' $HOME * | ; $(x)", problem), ElementsAre("8 16", "$HOME", "*", "|", ";", "$(x)"));
  EXPECT_THAT(words_for("python3 -c 'print({1: {2}}, {}, {A})' {ranks", problem),
              ElementsAre("python3", "-c", "print({1: {2}}, {}, {A})", "{ranks"));
}

TEST(GeneratorWords, WithoutAValueAreRefused) {
  const Problem problem = Problem::alltoall(8, 16);
  EXPECT_EQ(sentence_of([&] { words_for("m {rank}", problem); }),
            "there is no placeholder {rank}; did you mean {ranks}?; there are: {collective}, {ranks}, {block}, {root}, {element}, "
            "{commutative}, {reproducible}, {counts}, {nodes}, {grid}");
  EXPECT_EQ(sentence_of([&] { words_for("m {root}", problem); }), "{root} has no value here: the collective has no root");
  EXPECT_EQ(sentence_of([&] { words_for("m {nodes}", problem); }), "{nodes} has no value here: the problem names no nodes");
  EXPECT_EQ(sentence_of([&] { words_for("m {grid}", problem); }), "{grid} has no value here: the problem names no grid");
  EXPECT_EQ(sentence_of([&] { words_for("m {counts}", problem); }), "{counts} has no value here: the collective has no counts");
  EXPECT_EQ(sentence_of([&] { words_for("m {element}", problem); }), "{element} has no value here: the collective reduces nothing");
  EXPECT_EQ(sentence_of([&] {
              words_for("m {block}", Problem::allgatherv(2, {1, 2}));
            }),
            "{block} has no value here: the collective has no blocks of one size");
  EXPECT_EQ(sentence_of([] { family_of_command("m {rank}"); }).substr(0, 32), "there is no placeholder {rank}; ");
  EXPECT_EQ(sentence_of([] { family_of_command(" "); }), "the command that prints schedules has no word");
}

class Generator : public OwnFolder {
 protected:
  // Writes a document of this schedule and returns its file.
  std::string document(const std::string& name, const Problem& problem, const char* algorithm) const {
    const auto file = place_ / name;
    std::ofstream out(file);
    write_text(out, make_schedule(problem, algorithm));
    return file.string();
  }
};

TEST_F(Generator, MakesTheSchedulesThatTheCommandPrints) {
  const Problem small = Problem::alltoall(3, 8), large = Problem::alltoall(4, 16);
  document("3-8", small, "bruck");
  document("4-16", large, "ring");
  const Family family = family_of_command("cat " + (place_ / "{ranks}-{block}").string());
  EXPECT_EQ(family.made_by(), Family::MadeBy::first_rank);
  EXPECT_EQ(family.name(), "cat");
  EXPECT_EQ(family.schedule(small)->program(2), make_schedule(small, "bruck").program(2));
  EXPECT_EQ(family.schedule(large)->program(2), make_schedule(large, "ring").program(2));
  EXPECT_EQ(family.schedule(large)->algorithm, "cat");
  EXPECT_EQ(family_of_command("/usr/bin/python3 gens/mine.py --fast {ranks} -b{block}").name(), "python3 mine.py --fast");
}

TEST_F(Generator, RunsTheCommandOnceForEachProblem) {
  const Problem problem = Problem::alltoall(3, 8);
  const std::string file = document("3-8", problem, "bruck"), log = (place_ / "log").string();
  const Family family = family_of_command("sh -c 'echo run >> " + log + "; cat " + file + "' sh {ranks} {block}");
  for (int i = 0; i < 3; ++i) family.schedule(problem);
  const Family failing = family_of_command("sh -c 'echo run >> " + log + "; exit 1' sh {ranks}");
  for (int i = 0; i < 3; ++i) EXPECT_THAT(sentence_of([&] { failing.schedule(problem); }), HasSubstr("failed with exit code 1"));
  std::ostringstream runs;
  runs << std::ifstream(log).rdbuf();
  EXPECT_EQ(runs.str(), "run\nrun\n");
}

TEST_F(Generator, RefusesWhatIsNoScheduleOfTheProblem) {
  const Problem problem = Problem::alltoall(3, 8);
  const std::string file = document("one", problem, "bruck");
  const auto sentence = [&](const std::string& command, const Problem& of) {
    return sentence_of([&] { family_of_command(command).schedule(of); });
  };
  EXPECT_EQ(sentence("false {ranks} {block}", problem), "'false 3 8' failed with exit code 1");
  EXPECT_EQ(sentence("/no/such {ranks}", problem), "cannot start '/no/such 3': No such file or directory");
  EXPECT_EQ(sentence("true 'a b'", problem), "'true \"a b\"' prints nothing; it must print a schedule");
  EXPECT_THAT(sentence("echo {ranks}", problem), HasSubstr("'echo 3' does not print a schedule: "));
  EXPECT_EQ(sentence("cat " + file + " " + file, problem), "'cat " + file + " " + file + "' prints 2 schedules; it must print one");
  EXPECT_EQ(sentence("cat " + file, Problem::alltoall(3, 16)),
            "'cat " + file +
                "' prints a schedule for alltoall among 3 ranks, 8 B a block instead of alltoall among 3 ranks, 16 B a block");
  EXPECT_THAT(sentence("cat " + file, Problem::alltoall(4, 8)), HasSubstr("instead of alltoall among 4 ranks"));
  EXPECT_EQ(sentence("false {ranks}", Problem::alltoall(4097, 8)),
            "'false 4097' would print the programs of 4097 ranks; the limit is 4096");
  EXPECT_EQ(sentence("false {ranks}", Problem::alltoall(4096, 8)), "'false 4096' failed with exit code 1");
}

}  // namespace
}  // namespace quadrille
